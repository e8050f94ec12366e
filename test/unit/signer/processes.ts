import { join } from 'node:path';
import { root } from '../../support/loadline.ts';

/** The built signer. */
export const signerScript = join(root, 'dist/signer.js');
