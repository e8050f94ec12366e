/** `loadline keys export | rotate | path`: the person's signing key, through the process that alone reads it. */
import { join } from 'node:path';
import { NotSigned, SignerProcess } from '../runs/signerProcess.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';

export type KeysAction = 'export' | 'rotate' | 'path';

export async function keysCommand(action: KeysAction): Promise<ExitCode> {
  const signer = new SignerProcess(join(__dirname, 'signer.js'));
  try {
    process.stdout.write(`${await ACTIONS[action](signer)}\n`);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof NotSigned) throw new CannotDo(error.message);
    throw error;
  } finally {
    await signer.stop();
  }
}

const ACTIONS: Record<KeysAction, (signer: SignerProcess) => Promise<string>> = {
  /** The public keys as a JWK set, for `verify --trusted`. */
  export: async (signer) => JSON.stringify(await signer.exportKeys(), null, 2),
  rotate: async (signer) => {
    const { kid, rotatedFrom } = await signer.rotateKey();
    return `The key is now ${kid}; of ${rotatedFrom} the public part stays, and "loadline keys export" prints both.`;
  },
  path: (signer) => signer.keyPath(),
};
