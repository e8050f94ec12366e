/** Trusting a key: only by a person who saw all of its fingerprint, and only in that person's own settings. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigurationTarget, type ExtensionContext, l10n, window, workspace } from 'vscode';
import type { SigningKeyItem } from '../../shared/src/protocol.ts';

interface Jwks {
  keys: object[];
}

/** Asks, adds the key to the file that the setting names, and names one where it names none. Gives whether it did. */
export async function trustKey(
  context: ExtensionContext,
  { kid, jwk }: Pick<SigningKeyItem, 'kid' | 'jwk'>,
): Promise<boolean> {
  const named = userValue();
  const file = named === '' ? join(context.globalStorageUri.fsPath, 'trusted-keys.json') : named;
  const trust = l10n.t('Trust This Key');
  const picked = await window.showWarningMessage(
    l10n.t('Trust the key {0}?', kid),
    {
      modal: true,
      detail: l10n.t(
        'Compare all of it with what its owner tells you. What it signs then counts as a verdict in every folder that you open. It is added to {0}.',
        file,
      ),
    },
    trust,
  );
  if (picked !== trust) return false;
  const { keys } = await jwksOf(file, named === '');
  if (!keys.some((each) => 'x' in each && each.x === jwk.x))
    await writeWhole(file, `${JSON.stringify({ keys: [...keys, { ...jwk, kid }] }, null, 2)}\n`);
  if (named === '')
    await workspace.getConfiguration('loadline').update('trustedKeys', file, ConfigurationTarget.Global);
  return true;
}

/** What the person's own settings say, whatever a workspace writes into its. */
function userValue(): string {
  const { globalValue } = workspace.getConfiguration('loadline').inspect<string>('trustedKeys') ?? {};
  return typeof globalValue === 'string' ? globalValue : '';
}

/** @param mayMiss whether it is made where it is not there */
async function jwksOf(file: string, mayMiss: boolean): Promise<Jwks> {
  try {
    const { keys } = JSON.parse(await readFile(file, 'utf8')) as Partial<Jwks>;
    if (Array.isArray(keys)) return { keys: keys.filter((key) => typeof key === 'object' && key !== null) };
  } catch (error) {
    if (mayMiss && (error as NodeJS.ErrnoException).code === 'ENOENT') return { keys: [] };
  }
  throw new Error(
    l10n.t(
      'The keys of loadline.trustedKeys ({0}) cannot be read as a JWK set; mend the file or empty the setting.',
      file,
    ),
  );
}

/** The old file stays until the new one is whole. */
async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const beside = `${file}.${randomUUID()}`;
  await writeFile(beside, text, { flag: 'wx' });
  await rename(beside, file);
}
