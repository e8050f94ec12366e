/** Why nothing was run, and the word for the button that helps. */
import { expect, test } from 'vitest';
import { problemFrom, problemOf } from '../../../server/src/session/runProblem.ts';
import { adapter, run } from '../reports/results.ts';

test.each([
  ['engine', 'No engine answers at unix:///x.', 'engine'],
  ['engine', 'No permission to use unix:///x.', 'socket'],
  ['engine', 'connect EACCES /var/run/docker.sock', 'socket'],
  ['image', 'No permission to read the image.', 'image'],
  ['tier', 'No runtime gives the tier.', 'tier'],
  ['preflight', 'The container has a network.', undefined],
  ['capacity', 'Too many containers.', undefined],
  ['runner', 'The runner ended (SIGKILL).', undefined],
] as const)('%s: %s -> %s', (reason, text, help) => {
  expect(problemFrom(reason, text)).toEqual({ text, ...(help ? { help } : {}) });
});

test('of a result the first that did not run is told; of a cancelled one that it was', () => {
  const ran = run('nominal');
  const missing = run('silent', { verdict: 'not_run', reason: 'image', message: 'There is no image.' });
  const cancelled = run('silent', {
    verdict: 'not_run',
    reason: 'cancelled',
    message: 'The run was cancelled before it started.',
  });
  expect(problemOf(adapter('adapter.js', [ran]))).toBe(undefined);
  expect(problemOf(adapter('adapter.js', [ran, missing]))).toEqual({
    text: 'There is no image.',
    help: 'image',
  });
  expect(problemOf(adapter('adapter.js', [ran, cancelled, missing]))).toEqual({
    text: 'The run was cancelled.',
  });
});
