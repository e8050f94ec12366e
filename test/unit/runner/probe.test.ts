import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { matchTarget, routesOf } from '../../../server/src/grant/match.ts';
import { FORGED_FRAMES, forgedCalls } from '../../../server/src/runner/probeAttempts.ts';
import {
  judgeContacts,
  judgeNetwork,
  judgeSecrets,
  judgeSyscalls,
  shownRules,
  underRule,
} from '../../../server/src/runner/probeJudge.ts';
import { loadProject } from '../../../server/src/workspace/project.ts';
import type { ProbeEvidence } from '../../../shared/src/probe.ts';
import { PROBE_ATTEMPTS } from '../../../shared/src/probeAttempts.ts';
import { insideReason } from '../../../shared/src/probeExpected.ts';
import { judgeProbe } from '../../../shared/src/probeRules.ts';

const quiet = { tcp: 0, requests: 0, udp: 0, unix: 0, abstract: 0 };

describe('what the probe forges', () => {
  test('is no call that the grant lets through, and every name is used once', async () => {
    const { surface } = await loadProject(join(import.meta.dirname, '../../../examples/fleet/adapter-v3.js'));
    if (surface === null) throw new Error('no surface');
    const calls = forgedCalls(surface, 4000);
    expect(calls).toHaveLength(82);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(82);
    const approved = calls.filter(
      ({ call }) =>
        call.headers === undefined &&
        matchTarget(routesOf(surface), call.method, call.target).kind !== 'refused',
    );
    expect(approved).toEqual([]);
    expect(new Set(FORGED_FRAMES.map(({ name }) => name)).size).toBe(36);
  });
});

describe('what the probe judges', () => {
  const sent = { id: 'udp-vendor', happened: true, detail: 'sent' };

  test('a contact that the host saw is a survivor, whatever the container says', () => {
    expect(judgeNetwork([sent], { ...quiet, udp: 1 }, 'runtime')[0]?.outcome).toBe('survived');
    expect(judgeNetwork([sent], quiet, 'runtime')[0]?.outcome).toBe('inside');
    expect(judgeContacts({ ...quiet, udp: 1 }).map(({ outcome }) => outcome)).toEqual([
      'refused',
      'refused',
      'survived',
      'refused',
      'refused',
    ]);
  });

  test('a system call may succeed in a kernel of its own alone', () => {
    const report: [string, number][] = [
      ['fork', 8],
      ['mount-tmpfs', 0],
      ['socket-tcp', -1],
    ];
    const outcomes = (filter: 'ours' | 'runtime') => {
      const { host, network } = judgeSyscalls(report, filter);
      return [...host, ...network].map(({ outcome }) => outcome);
    };
    expect(outcomes('ours')).toEqual(['survived', 'survived', 'refused']);
    expect(outcomes('runtime')).toEqual(['inside', 'survived', 'refused']);
    expect(insideReason('ours', 'fork')).toBeUndefined();
  });

  test('only a secret that the host holds counts as found', () => {
    const tried = [
      { id: 'environment', happened: true, detail: '' },
      { id: 'memory', happened: true, detail: '' },
    ];
    const found = [
      { place: 'environment', text: 'loadline-canary-1' },
      { place: '/proc/self/mem', text: 'loadline-canary-2' },
    ];
    expect(judgeSecrets(tried, found, ['loadline-canary-2']).map(({ outcome }) => outcome)).toEqual([
      'refused',
      'survived',
    ]);
  });

  test('what was not tried and what got through are shown with their reasons', () => {
    const evidence: ProbeEvidence = {
      filter: 'ours',
      attempts: underRule('no_host', [{ id: 'fork', outcome: 'survived', text: 'the kernel did it (8)' }]),
      notTried: [{ rule: 'no_network', why: 'system calls were not tried: there is no gcc here' }],
    };
    const rules = shownRules(judgeProbe(evidence), evidence);
    expect(rules.map(({ id, held, text }) => `${id} ${held} ${text}`)).toEqual([
      'refused_by_the_client false Nothing could be tried.',
      'refused_by_the_broker false Nothing could be tried.',
      'no_network false Nothing could be tried.',
      'no_credential false Nothing could be tried.',
      'no_host false 1 of 1 attempts got through, fork first.',
      'the_vendor_saw_nothing false Nothing could be tried.',
    ]);
    expect(rules[4]?.survivors).toEqual(['fork: the kernel did it (8)']);
    expect(rules[2]?.notTried).toEqual([
      'system calls were not tried: there is no gcc here',
      `not tried: ${PROBE_ATTEMPTS.no_network.join(', ')}`,
    ]);
    expect(rules[5]?.notTried).toEqual(['not tried: tcp, requests, udp, unix, abstract']);
  });
});
