/** Entry of the signer process, the only one that reads the key. Messages on stdio; it writes nothing else on stdout. */
import {
  createMessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import {
  type KeyPathAnswer,
  type KeysAnswer,
  type MergeParams,
  type NoncesAnswer,
  type NoncesParams,
  REFUSED,
  type RotateAnswer,
  SIGNER_METHODS,
  type SignExamParams,
  type SignParams,
  type SignProbeParams,
} from '../../../shared/src/signerProtocol.ts';
import { keyPlace } from './keyPlace.ts';
import { loadKey, publicKeys, rotateKey } from './keys.ts';
import { merge } from './merge.ts';
import { Nonces } from './nonces.ts';
import { SigningRefused } from './refused.ts';
import { sign } from './sign.ts';
import { signExam } from './signExam.ts';
import { signProbe } from './signProbe.ts';

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
const place = keyPlace();
const nonces = new Nonces();
const active = new Set<Promise<unknown>>();

/** Does the work of a request; this process does not end before it is done. A refusal crosses as itself. */
async function answered<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const done = work();
  active.add(done);
  try {
    return await done;
  } catch (error) {
    if (error instanceof SigningRefused) throw new ResponseError(REFUSED, error.message);
    throw error;
  } finally {
    active.delete(done);
  }
}

/** A file that is being written is written to its end. */
async function shutDown(): Promise<void> {
  await Promise.allSettled(active);
  process.exit(0);
}

connection.onRequest(SIGNER_METHODS.nonces, ({ count }: NoncesParams) =>
  answered(async (): Promise<NoncesAnswer> => {
    // A key that cannot sign is told before anything runs.
    const { kid } = await loadKey(place);
    return { nonces: nonces.give(count), kid };
  }),
);
connection.onRequest(SIGNER_METHODS.sign, (params: SignParams) =>
  answered(() => sign(params, place, nonces)),
);
connection.onRequest(SIGNER_METHODS.signProbe, (params: SignProbeParams) =>
  answered(() => signProbe(params, place, nonces)),
);
connection.onRequest(SIGNER_METHODS.merge, (params: MergeParams) => answered(() => merge(params, place)));
connection.onRequest(SIGNER_METHODS.signExam, (params: SignExamParams) =>
  answered(() => signExam(params, place, nonces)),
);
connection.onRequest(SIGNER_METHODS.exportKeys, () => answered((): Promise<KeysAnswer> => publicKeys(place)));
connection.onRequest(SIGNER_METHODS.rotateKey, () => answered((): Promise<RotateAnswer> => rotateKey(place)));
connection.onRequest(SIGNER_METHODS.keyPath, (): KeyPathAnswer => ({ path: place.file }));

// The parent decides: Ctrl-C reaches both. Its death shows as the end of stdin.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => void shutDown());
connection.onClose(() => void shutDown());
process.stdin.on('end', () => void shutDown());
process.stdout.on('error', () => void shutDown());
connection.listen();
