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
  if (first === undefined) return undefined;
  const text = first.message ?? 'The run did not happen.';
  const help =
    first.reason === 'engine' && /permission|EACCES/i.test(text)
      ? 'socket'
      : first.reason && HELP[first.reason];
  return { text, ...(help ? { help } : {}) };
}
