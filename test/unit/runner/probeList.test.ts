/** What becomes of a list of attempts where containers end before it does. */
import { expect, test } from 'vitest';
import { type ListOutcome, tryList } from '../../../server/src/runner/probeList.ts';
import type { ProbeRunOutcome, ProbeWalk } from '../../../server/src/runner/probeRun.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

/** Walks as a container does, and ends where `ends` says so; `begun`: the log tells of that attempt. */
async function walked(
  walk: ProbeWalk,
  ends: (id: string) => boolean,
  begun: boolean,
): Promise<ProbeRunOutcome> {
  const log: string[] = [];
  const common = { trace: [], authorization: '', leaked: false };
  let args = walk(undefined);
  while (args !== null) {
    const [id] = args as string[];
    if (id !== undefined && ends(id)) {
      if (begun) log.push(id);
      const end = { kind: 'broken', reason: 'guest-died', text: 'The guest ended.' } as const;
      return { ...common, end, exit: { code: 2, oomKilled: false }, log: `${log.join('\n')}\n` };
    }
    if (id !== undefined) log.push(id);
    args = walk(id === undefined ? NAMES : `${id} done`);
  }
  return { ...common, end: { kind: 'complete' }, exit: null, log: log.join('\n') };
}

function tried(ends: (id: string, container: number) => boolean, begun = true): Promise<ListOutcome> {
  let containers = 0;
  return tryList({
    naming: [],
    ids: (answer) => answer as string[],
    ask: (id) => [id],
    run(walk) {
      containers += 1;
      const number = containers;
      return walked(walk, (id) => ends(id, number), begun);
    },
  });
}

const shown = ({ made, ended, left, outcomes }: ListOutcome) => ({
  made: [...made.keys()].sort().join(''),
  ended: [...ended.keys()].sort().join(''),
  left: left?.ids.join('') ?? '',
  containers: outcomes.length,
});

test('one container is enough where none ends', async () => {
  expect(shown(await tried(() => false))).toEqual({ made: 'abcdefghij', ended: '', left: '', containers: 1 });
});

test('what a container ended at is tried alone, after all others', async () => {
  const once = await tried((id, container) => id === 'c' && container === 1);
  expect(shown(once)).toEqual({ made: 'abcdefghij', ended: '', left: '', containers: 3 });
  const always = await tried((id) => id === 'c');
  expect(shown(always)).toEqual({ made: 'abdefghij', ended: 'c', left: '', containers: 3 });
});

test('a container that ended before the attempt began says nothing of it', async () => {
  const outcome = await tried((id) => id === 'c', false);
  expect(shown(outcome)).toEqual({ made: 'abdefghij', ended: '', left: 'c', containers: 3 });
  expect(outcome.left?.why).toBe('not everything was tried: the container ended (exit code 2)');
});

test('there are at most eight containers, and what is left is told', async () => {
  expect(shown(await tried(() => true))).toEqual({ made: '', ended: '', left: 'abcdefghij', containers: 8 });
});

test('where none gives the names, nothing was probed', async () => {
  let containers = 0;
  const silent = tryList({
    naming: [],
    ids: (answer) => answer as string[],
    ask: (id) => [id],
    run(walk) {
      containers += 1;
      const refusing: ProbeWalk = (answer) => walk(answer === NAMES ? undefined : answer);
      return walked(refusing, () => false, true);
    },
  });
  await expect(silent).rejects.toMatchObject({
    reason: 'runner',
    message: 'No container of the probe said what it would try: the container returned nothing.',
  });
  expect(containers).toBe(8);
});
