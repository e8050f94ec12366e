/**
 * Entry of the thread that reads projects: a document of some megabytes takes seconds to parse, a thousandth of that to
 * hand over as a surface. Trees stay here, so that a grant is matched again without parsing.
 */
import { parentPort } from 'node:worker_threads';
import { createMessageConnection, PortMessageReader, PortMessageWriter } from 'vscode-jsonrpc/node';
import { NoProject, ProjectReader } from './project.ts';
import { FORGET, READ } from './projectMessages.ts';

const readers = new Map<string, ProjectReader>();

function readerOf(folder: string): ProjectReader {
  const known = readers.get(folder);
  if (known) return known;
  const made = new ProjectReader();
  readers.set(folder, made);
  return made;
}

if (parentPort === null) throw new Error('This is the entry of a thread of the language server.');
const connection = createMessageConnection(
  new PortMessageReader(parentPort),
  new PortMessageWriter(parentPort),
);
connection.onRequest(READ, ({ folder, options }) => {
  try {
    return readerOf(folder).read(folder, options);
  } catch (error) {
    if (error instanceof NoProject) return null;
    throw error;
  }
});
connection.onNotification(FORGET, ({ folder }) => void readers.delete(folder));
connection.listen();
