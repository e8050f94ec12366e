/** Exit codes of every command. */
export const EXIT = {
  /** All held, verified or clean. */
  ok: 0,
  /** A rule broken, an error found, a verification failed. */
  broken: 1,
  /** Could not be done, or a scenario did not run. */
  notDone: 2,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command that cannot be done: its message says what is wrong and what to do. */
export class CannotDo extends Error {}
