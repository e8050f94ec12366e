/** Judges a probe from facts of the host; where nothing on the host shows an attempt, from what the container says. */
import type { TraceRow } from '../../../shared/src/evidence/evidence.ts';
import type { Json } from '../../../shared/src/json.ts';
import type {
  Found,
  ProbeAttempt,
  ProbeEvidence,
  ProbeJudgement,
  ProbeRule,
  ProbeRuleId,
  SyscallFilter,
  Tried,
} from '../../../shared/src/probe.ts';
import { insideReason } from '../../../shared/src/probeExpected.ts';
import type { NamedFrame } from './probeAttempts.ts';
import type { Contacts } from './probeHost.ts';
import type { ListOutcome } from './probeList.ts';
import type { ProbeRunOutcome } from './probeRun.ts';

type Mark = Omit<ProbeAttempt, 'rule'>;

const refused = (id: string, text = ''): Mark => ({ id, outcome: 'refused', text });
const survived = (id: string, text: string): Mark => ({ id, outcome: 'survived', text });

export function underRule(rule: ProbeRuleId, marks: Mark[]): ProbeAttempt[] {
  return marks.map((mark) => ({ rule, ...mark }));
}

/**
 * The broker's trace says what became of each call. A call that broke its run is a survivor: its route was not judged.
 * One that its container ended at is none: it may never have been sent.
 */
export function judgeCalls({ asked, outcomes }: Pick<ListOutcome, 'asked' | 'outcomes'>): Mark[] {
  const marks = new Map<string, Mark>();
  for (const [container, { trace, end }] of outcomes.entries()) {
    for (const [step, id] of (asked[container] ?? []).entries()) {
      const row = trace.find((one) => one.step === step);
      if (row !== undefined) marks.set(id, judgeCall(id, row));
      else if (end.kind === 'broken' && !/^(guest-died|memory)$/.test(end.reason))
        marks.set(id, survived(id, `the broker's trace does not show it: ${end.text}`));
    }
  }
  return [...marks.values()];
}

function judgeCall(id: string, row: TraceRow): Mark {
  if (row.sent !== 'no') return survived(id, `the broker sent it to the vendor (${row.method} ${row.route})`);
  if (row.refused === 'route') return refused(id);
  return survived(
    id,
    `the broker refused it for another reason (${row.refused}), so its route was not judged`,
  );
}

/** A run must have ended at the forged frame, for exactly its reason. */
export function judgeFrame({ name, reason, text }: NamedFrame, { end }: ProbeRunOutcome): Mark {
  if (end.kind === 'broken' && end.reason === reason && end.text.includes(text)) return refused(name);
  const seen = end.kind === 'broken' ? `${end.reason}: ${end.text}` : 'as complete';
  return survived(name, `the run ended otherwise (${seen})`);
}

/** No call of the adapter's may have got past the broker. */
export function judgeArrived(outcomes: readonly ProbeRunOutcome[]): Mark {
  const passed = outcomes.flatMap(({ trace }) => trace.filter((row) => row.refused !== 'route'));
  return passed.length === 0
    ? refused('calls-that-arrived')
    : survived('calls-that-arrived', `${passed.length} calls were not refused by their route`);
}

/** What a container returned for each attempt. */
export function reportsOf<Report>({ made }: Pick<ListOutcome, 'made'>): Report[] {
  return [...made.values()] as unknown as Report[];
}

/** What a container of its own ended at, too, did not get out of it. */
export function judgeEnded({ ended }: Pick<ListOutcome, 'ended'>): Mark[] {
  return [...ended].map(([id, how]) => refused(id, how));
}

export function marksOf(tried: Tried[]): Mark[] {
  return tried.map(({ id, happened, detail }) => (happened ? survived(id, detail) : refused(id, detail)));
}

/** Attempts on the host's own listeners, and the counter that would have seen them. */
const SEEN_BY = new Map<string, keyof Contacts>([
  ['tcp-vendor', 'tcp'],
  ['tcp6-vendor', 'tcp'],
  ['udp-vendor', 'udp'],
  ['udp6-vendor', 'udp'],
  ['dns-by-hand', 'udp'],
  ['unix-vendor', 'unix'],
  ['unix-vendor-through-init', 'unix'],
  ['unix-abstract-vendor', 'abstract'],
]);

export function judgeNetwork(tried: Tried[], contacts: Contacts, filter: SyscallFilter): Mark[] {
  return tried.map((one) => {
    const counter = SEEN_BY.get(one.id);
    if (counter !== undefined && contacts[counter] > 0)
      return survived(one.id, `the host saw ${contacts[counter]} contacts (${one.detail})`);
    return judgeTried(one, filter);
  });
}

export function judgeTried({ id, happened, detail }: Tried, filter: SyscallFilter): Mark {
  if (!happened) return refused(id, detail);
  const reason = insideReason(filter, id);
  return reason === undefined ? survived(id, detail) : { id, outcome: 'inside', text: reason };
}

/** The helper's report: names and what the kernel returned, negative for an error. */
export function judgeSyscalls(
  made: Iterable<[string, Json]>,
  filter: SyscallFilter,
): { network: Mark[]; host: Mark[] } {
  const marks = [...made]
    .map(([id, value]) => [id, Number(value)] as const)
    .map(([id, result]) => judgeTried({ id, happened: result >= 0, detail: happenedText(result) }, filter));
  const isNetwork = ({ id }: Mark) => isSocketCall(id);
  return { network: marks.filter(isNetwork), host: marks.filter((mark) => !isNetwork(mark)) };
}

/** System calls of the network's rule; the others are of the host's. */
export function isSocketCall(id: string): boolean {
  return id.startsWith('socket');
}

function happenedText(result: number): string {
  return result >= 0 ? `the kernel did it (${result})` : `error ${-result}`;
}

/** What was found counts where it is a secret that this host holds. */
export function judgeSecrets(tried: Tried[], found: Found[], secrets: readonly string[]): Mark[] {
  const hits = found.filter(({ text }) => secrets.includes(text));
  return tried.map(({ id, detail }) => {
    const hit = hits.find(({ place }) => placeOf(place) === id);
    return hit === undefined
      ? refused(id, detail)
      : survived(id, `a secret of the host stands in ${hit.place}`);
  });
}

function placeOf(place: string): string {
  if (place === 'message history') return 'message-history';
  if (place === '/proc/self/mem') return 'memory';
  if (/^\/proc\/\d/.test(place)) return 'processes';
  if (place.startsWith('/proc/')) return 'kernel-tables';
  return place.startsWith('/') ? 'files' : place;
}

export function judgeMemory({ exit, end }: ProbeRunOutcome, value: Json | undefined): Mark {
  const died = end.kind === 'broken' && exit !== null && exit.code !== 0;
  if (value === undefined && died) return refused('take-memory', 'the container was ended');
  return survived('take-memory', `it held ${JSON.stringify(value ?? null)} bytes, more than its limit`);
}

export function judgeProcesses({ exit, end }: ProbeRunOutcome, value: Json | undefined, limit: number): Mark {
  if (typeof value === 'number' && value < limit) return refused('process-bomb', `${value} processes`);
  if (value === undefined && end.kind === 'broken' && exit !== null)
    return refused('process-bomb', 'the container was ended');
  return survived('process-bomb', `${JSON.stringify(value ?? null)} processes ran at once`);
}

export function judgeContacts(contacts: Contacts): Mark[] {
  return Object.entries(contacts).map(([id, count]) =>
    count === 0 ? refused(id) : survived(id, `${count} contacts`),
  );
}

/** A judgement as it is shown: with what the attempts told and why others were not made. */
export function shownRules({ rules }: ProbeJudgement, { attempts, notTried }: ProbeEvidence): ProbeRule[] {
  return rules.map((rule) => {
    const own = attempts.filter((attempt) => attempt.rule === rule.id);
    const why = notTried.filter((one) => one.rule === rule.id).map((one) => one.why);
    const open = rule.notTried.length > 0;
    return {
      ...rule,
      survivors: own.filter((one) => one.outcome === 'survived').map((one) => `${one.id}: ${one.text}`),
      notTried: open ? [...why, `not tried: ${rule.notTried.join(', ')}`] : [],
      notes: open ? [] : why,
    };
  });
}
