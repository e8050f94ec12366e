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

/** The trees of a large document take 100 MB; a grant that is edited later than this has them parsed again. */
const IDLE_MS = 30_000;

/** Starts the thread with a question, and ends it when there was none for a while. */
export class ProjectThread implements ReadProject {
  readonly #script: string;
  readonly #log: (text: string) => void;
  readonly #idleMs: number;
  #thread: Thread | null = null;
  #asked = 0;
  #idle: NodeJS.Timeout | undefined;

  /**
   * @param script of `workspace/projectWorker.ts`
   * @param idleMs after so long without a question the thread ends
   */
  constructor(script: string, log: (text: string) => void, idleMs = IDLE_MS) {
    this.#script = script;
    this.#log = log;
    this.#idleMs = idleMs;
  }

  /** Whether there is a thread now. */
  get isAwake(): boolean {
    return this.#thread !== null;
  }

  async read(folder: string, options: ProjectOptions): Promise<Project> {
    clearTimeout(this.#idle);
    this.#asked += 1;
    try {
      this.#thread ??= this.#start();
      const { connection, ended } = this.#thread;
      const project = await Promise.race([connection.sendRequest(READ, { folder, options }), ended]);
      if (project === null) throw new NoProject(folder);
      return project;
    } finally {
      this.#asked -= 1;
      if (this.#asked === 0) this.#idle = setTimeout(() => void this.dispose(), this.#idleMs).unref();
    }
  }

  forget(folder: string): void {
    void this.#thread?.connection.sendNotification(FORGET, { folder });
  }

  /** Ends the thread; the next question starts another. */
  async dispose(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = null;
    await thread?.worker.terminate();
  }

  #start(): Thread {
    // What a library prints must not come between the messages on the server's stdout.
    const worker = new Worker(this.#script, { stdout: true, stderr: true });
    const connection = createMessageConnection(new PortMessageReader(worker), new PortMessageWriter(worker));
    connection.onError(() => undefined);
    const ended = new Promise<never>((_, reject) => {
      let why = 'it gave no reason';
      worker.once('error', (error) => {
        why = error.message;
      });
      worker.once('exit', () => {
        const message = `The thread that reads projects ended: ${why}.`;
        if (this.#thread === thread) {
          this.#log(message);
          this.#thread = null;
        }
        reject(new Error(message));
        connection.dispose();
      });
    });
    ended.catch(() => undefined);
    connection.listen();
    const thread = { worker, connection, ended };
    return thread;
  }
}
