/** Why nothing was run, in one sentence, with the word for the button that helps. */
import type { RunParams } from '../../../shared/src/protocol.ts';
import type { AdapterResult, NotRunReason } from '../../../shared/src/results.ts';

export type Problem = NonNullable<RunParams['problem']>;

const HELP: Partial<Record<NotRunReason, NonNullable<Problem['help']>>> = {
  engine: 'engine',
  image: 'image',
  tier: 'tier',
};

/** Of a result of which something did not run; undefined: all of it ran. */
export function problemOf({ runs }: AdapterResult): Problem | undefined {
  const first = runs.find(({ verdict }) => verdict === 'not_run');
  // Of a run that was cancelled some scenarios had begun and some had not: that is no matter.
  if (first?.reason === 'cancelled') return { text: 'The run was cancelled.' };
  return first && problemFrom(first.reason, first.message ?? 'The run did not happen.');
}

/** An engine that is there and lets nobody in is a matter of the socket. */
export function problemFrom(reason: NotRunReason | undefined, text: string): Problem {
  const closed = reason === 'engine' && /permission|EACCES/i.test(text);
  const help = closed ? 'socket' : reason && HELP[reason];
  return { text, ...(help ? { help } : {}) };
}
