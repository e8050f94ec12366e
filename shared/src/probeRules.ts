/** From what a probe tried to its rules. Pure: runner, signer and whoever verifies judge by the same code. */

import { Unjudgeable } from './contracts/shape.ts';
import {
  PROBE_RULES,
  type ProbeAttempt,
  type ProbeEvidence,
  type ProbeJudgement,
  type ProbeRuleId,
  type ProbeRuleOutcome,
} from './probe.ts';
import { PROBE_ATTEMPTS } from './probeAttempts.ts';
import { insideReason } from './probeExpected.ts';

/** List of attempts and rules together; a change of either is a new number. */
export const PROBE_VERSION = 'probe/1.0';

/**
 * One rule each, in their order: held where everything on its list was tried and nothing got through.
 * @throws Unjudgeable where the attempts contradict each other or what this version lets happen inside a container
 */
export function judgeProbe({ filter, attempts }: ProbeEvidence): ProbeJudgement {
  const byRule = new Map<ProbeRuleId, Map<string, ProbeAttempt>>(
    PROBE_RULES.map(({ id }) => [id, new Map()]),
  );
  for (const attempt of attempts) {
    const own = byRule.get(attempt.rule);
    if (own === undefined || own.has(attempt.id))
      throw new Unjudgeable(`The attempt ${attempt.id} of ${attempt.rule} is there twice, or of no rule.`);
    if (attempt.outcome === 'inside' && insideReason(filter, attempt.id) === undefined)
      throw new Unjudgeable(`The attempt ${attempt.id} may not succeed, not even inside of a container.`);
    own.set(attempt.id, attempt);
  }
  const rules = [...byRule].map(([id, own]) => ruleOf(id, own));
  if (rules.some(({ survivors }) => survivors.length > 0)) return { verdict: 'failed', rules };
  return { verdict: rules.every(({ held }) => held) ? 'qualified' : 'partial', rules };
}

function ruleOf(id: ProbeRuleId, own: ReadonlyMap<string, ProbeAttempt>): ProbeRuleOutcome {
  const ids = (outcome: ProbeAttempt['outcome']) =>
    [...own.values()].filter((attempt) => attempt.outcome === outcome).map((attempt) => attempt.id);
  const survivors = ids('survived');
  const notTried = PROBE_ATTEMPTS[id].filter((attempt) => !own.has(attempt));
  const counts = { attempts: own.size, refused: ids('refused').length, inside: ids('inside').length };
  const held = survivors.length === 0 && notTried.length === 0;
  return { id, held, text: sentence(counts, survivors, notTried.length), ...counts, survivors, notTried };
}

function sentence(
  { attempts, refused, inside }: Pick<ProbeRuleOutcome, 'attempts' | 'refused' | 'inside'>,
  [first, ...others]: readonly string[],
  notTried: number,
): string {
  if (first !== undefined) return `${others.length + 1} of ${attempts} attempts got through, ${first} first.`;
  if (attempts === 0) return 'Nothing could be tried.';
  const rest = inside === 0 ? '' : `, ${inside} went no further than the container itself`;
  const open = notTried === 0 ? '' : `; ${notTried} more were not tried, so it is not shown`;
  return `${attempts} attempts: ${refused} refused${rest}${open}.`;
}
