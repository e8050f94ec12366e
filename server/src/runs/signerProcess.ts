/** The signer as its callers see it: a child process that alone reads the key and is known by its messages. */
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import {
  type KeyPathAnswer,
  type KeysAnswer,
  type MergeAnswer,
  type MergeParams,
  type NoncesAnswer,
  REFUSED,
  type RotateAnswer,
  SIGNER_METHODS,
  type SignAnswer,
  type SignExamParams,
  type SignParams,
  type SignProbeParams,
} from '../../../shared/src/signerProtocol.ts';
import { type Child, startChild } from './child.ts';

/** What the signer may know of the caller's environment: where the key is, nothing else. */
const ENVIRONMENT = [
  'PATH',
  'HOME',
  'USERPROFILE',
  'APPDATA',
  'SYSTEMROOT',
  'LANG',
  'XDG_CONFIG_HOME',
  'LOADLINE_SIGNING_KEY',
];

/** Nothing was signed; the message says why and what to do. */
export class NotSigned extends Error {}

export class SignerProcess {
  readonly #script: string;
  readonly #keyFile: string;
  #child: Child | null = null;

  /**
   * @param script the bundled signer
   * @param keyFile path of the key file; empty: the person's own place
   */
  constructor(script: string, keyFile = '') {
    this.#script = script;
    this.#keyFile = keyFile;
  }

  /** Process id of the signer, or null where none runs. */
  get pid(): number | null {
    return this.#child?.process.pid ?? null;
  }

  /** One nonce per run, asked for before the runs. @throws NotSigned where no key can sign */
  async nonces(count: number): Promise<string[]> {
    return (await this.#request<NoncesAnswer>(SIGNER_METHODS.nonces, { count })).nonces;
  }

  /** Signs runs and writes the verdict file. @throws NotSigned where the signer ended first */
  sign(params: SignParams): Promise<SignAnswer> {
    return this.#request<SignAnswer>(SIGNER_METHODS.sign, params);
  }

  /** Signs a probe and writes its file. @throws NotSigned where the signer ended first */
  signProbe(params: SignProbeParams): Promise<SignAnswer> {
    return this.#request<SignAnswer>(SIGNER_METHODS.signProbe, params);
  }

  /** Verifies verdict files and writes one from their lines. @throws NotSigned where the signer ended first */
  merge(params: MergeParams): Promise<MergeAnswer> {
    return this.#request<MergeAnswer>(SIGNER_METHODS.merge, params);
  }

  /** Signs an exam and writes its file. @throws NotSigned where the signer ended first */
  signExam(params: SignExamParams): Promise<SignAnswer> {
    return this.#request<SignAnswer>(SIGNER_METHODS.signExam, params);
  }

  /** Public keys as a JWK set. @throws NotSigned */
  exportKeys(): Promise<KeysAnswer> {
    return this.#request<KeysAnswer>(SIGNER_METHODS.exportKeys);
  }

  /** Replaces the key. @throws NotSigned */
  rotateKey(): Promise<RotateAnswer> {
    return this.#request<RotateAnswer>(SIGNER_METHODS.rotateKey);
  }

  /** Path of the key file. @throws NotSigned */
  async keyPath(): Promise<string> {
    return (await this.#request<KeyPathAnswer>(SIGNER_METHODS.keyPath)).path;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    child.process.stdin?.end();
    await child.died;
  }

  async #request<Answer>(method: string, params?: object): Promise<Answer> {
    const child = this.#started();
    const answer = child.connection.sendRequest<Answer>(method, params ?? {});
    const died = child.died.then((why) => {
      throw new NotSigned(why);
    });
    died.catch(() => undefined);
    try {
      return await Promise.race([answer, died]);
    } catch (error) {
      if (error instanceof ResponseError && error.code === REFUSED) throw new NotSigned(error.message);
      // A connection that closes rejects with an error of its own; the exit tells more.
      if (!(error instanceof ResponseError) || error.code === ErrorCodes.PendingResponseRejected)
        return await died;
      throw new NotSigned(`The signer failed: ${error.message}`);
    }
  }

  #started(): Child {
    if (this.#child) return this.#child;
    const child = startChild({
      name: 'signer',
      script: this.#script,
      environment: ENVIRONMENT,
      ...(this.#keyFile === '' ? {} : { variables: { LOADLINE_SIGNING_KEY: this.#keyFile } }),
    });
    const { connection, died } = child;
    connection.listen();
    this.#child = child;
    void died.then(() => {
      if (this.#child === child) this.#child = null;
    });
    return child;
  }
}
