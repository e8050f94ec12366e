/** A verdict file on disk, as a person reads it. */
import { basename, dirname } from 'node:path';
import { verifyBytes } from '../../../shared/src/evidence/verify.ts';
import type { VerdictFileAnswer } from '../../../shared/src/protocol.ts';
import { verdictRows } from '../language/verdictRows.ts';
import { ledgerUri } from './ledgerAddress.ts';
import { pathOf } from './openProject.ts';
import type { Session } from './session.ts';
import { bytesInside } from './verdictLines.ts';

/** @throws Error with a sentence: there is nothing that may be read */
export async function verdictFileAnswer(session: Session, uri: string): Promise<VerdictFileAnswer> {
  const path = pathOf(uri);
  const bytes = path === null ? undefined : await bytesInside(dirname(path), basename(path));
  if (path === null || bytes === undefined)
    throw new Error(
      'There is no verdict file here to read: it has to be a regular file of at most 128 MiB, and no link.',
    );
  const result = await verifyBytes(bytes, { partial: true });
  const owners = await session.keyOwners(result.keys);
  const project = await session.project(uri).catch(() => null);
  const file = project?.fileOf(path) ?? null;
  return verdictRows({
    name: basename(path),
    // What is no UTF-8 was refused above, and none of it is shown.
    text: new TextDecoder().decode(bytes),
    result,
    comparison: project === null || file === null ? null : session.resultsOf(project).comparison(file),
    trusted: owners,
    mayTrust: session.workspace.trusted(),
    ledgerOf: (line, id) => ledgerUri({ verdictFile: path, run: { line, id } }),
  });
}
