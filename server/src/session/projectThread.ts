/** Projects read in a thread of its own: the server goes on answering while a large document is parsed. */
import { Worker } from 'node:worker_threads';
import {
  createMessageConnection,
  type MessageConnection,
  PortMessageReader,
  PortMessageWriter,
} from 'vscode-jsonrpc/node';
import { NoProject, type Project, type ProjectOptions } from '../workspace/project.ts';
import { FORGET, READ } from '../workspace/projectMessages.ts';
import type { ReadProject } from './openProject.ts';

interface Thread {
  worker: Worker;
  connection: MessageConnection;
  /** Rejects when it has ended. */
  ended: Promise<never>;
}

/** Starts the thread with the first question. One that ended is replaced by the next question. */
export class ProjectThread implements ReadProject {
  readonly #script: string;
  #thread: Thread | null = null;

  /** @param script of `workspace/projectWorker.ts` */
  constructor(script: string) {
    this.#script = script;
  }

  async read(folder: string, options: ProjectOptions): Promise<Project> {
    this.#thread ??= this.#start();
    const { connection, ended } = this.#thread;
    const project = await Promise.race([connection.sendRequest(READ, { folder, options }), ended]);
    if (project === null) throw new NoProject(folder);
    return project;
  }

  forget(folder: string): void {
    void this.#thread?.connection.sendNotification(FORGET, { folder });
  }

  async dispose(): Promise<void> {
    await this.#thread?.worker.terminate();
  }

  #start(): Thread {
    // What a library prints must not come between the messages on the server's stdout.
    const worker = new Worker(this.#script, { stdout: true, stderr: true });
    const connection = createMessageConnection(new PortMessageReader(worker), new PortMessageWriter(worker));
    connection.onError(() => undefined);
    const ended = new Promise<never>((_, reject) => {
      let why = 'it ended';
      worker.once('error', (error) => {
        why = error.message;
      });
      worker.once('exit', () => {
        this.#thread = null;
        reject(new Error(`The project could not be read: ${why}.`));
        connection.dispose();
      });
    });
    ended.catch(() => undefined);
    connection.listen();
    return { worker, connection, ended };
  }
}
