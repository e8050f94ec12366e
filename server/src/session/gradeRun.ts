/** Grades the hand-ins of a folder for an editor, and says what came of each. */
import type { Contract } from '../../../shared/src/contracts/contract.ts';
import { authorOf } from '../../../shared/src/exam.ts';
import type { RunParams } from '../../../shared/src/protocol.ts';
import { oneLine } from '../../../shared/src/text.ts';
import { type Graded, grade, type HandedIn, marksOf } from '../runs/exam.ts';
import type { RunnerProcess } from '../runs/runnerProcess.ts';
import { Signing } from '../runs/signing.ts';
import { type Ask, sandboxOf } from './otherRuns.ts';

export interface GradeParts {
  runner: RunnerProcess;
  /** The bundled signer. */
  signer: string;
  log(text: string): void;
}

/** Of a file name that somebody else chose. */
const NAME_LENGTH = 120;
const SIGNS = { qualified: '✓ held', failed: '✗ failed', not_run: '? did not run' } as const;

/** `limit`: hand-ins of one author that are graded; `seeds`: how many each is run under. */
export function askGrade(
  { runner, signer, log }: GradeParts,
  { contract, ...exam }: { contract: Contract; handedIn: HandedIn; limit: number; seeds: number },
): Ask {
  return async (_run, project, settings, { progress }, signal) => {
    const unsigned: string[] = [];
    const listener = { note: log, failed: (text: string) => unsigned.push(text) };
    const signing = new Signing(signer, listener, settings.signingKey);
    try {
      const graded = await grade(
        { runner, signing },
        {
          ...{ ...exam, project, contract },
          ...{ hosts: settings.dockerHosts, sandbox: sandboxOf(settings) },
          ...(settings.jobs > 0 ? { jobs: settings.jobs } : {}),
        },
        { progress, run: (file, done, all) => progress(`${oneLine(file, NAME_LENGTH)}: ${done}/${all}`) },
        signal,
      );
      if (signal.aborted)
        return { state: 'ended', verdict: 'not_run', problem: { text: 'The exam was cancelled.' } };
      return endOf(graded, unsigned);
    } finally {
      await signing.stop();
    }
  };
}

function endOf(graded: Graded, unsigned: readonly string[]): Partial<RunParams> {
  const { verdict, marks } = marksOf(graded);
  const handIns = marks.map(({ file, verdict: mark, held, failed, notRun }, index) => {
    const author = oneLine(authorOf(file), NAME_LENGTH);
    const broken = brokenIn(graded.handIns[index]?.runs ?? []);
    const runs = `${held} of ${held + failed + notRun} runs held`;
    return `${SIGNS[mark]}  ${author}: ${oneLine(file, NAME_LENGTH)}, ${runs}${broken}`;
  });
  const refused = graded.refused.map(({ file }) => `refused  ${oneLine(file, NAME_LENGTH)}`);
  const signed = graded.examFile === null ? [] : ['', `Signed: ${oneLine(graded.examFile, 400)}`];
  const problems = unsigned.map((text) => `Not signed: ${text}`);
  return { state: 'ended', verdict, text: [...handIns, ...refused, ...signed, ...problems].join('\n') };
}

/** Rules by the number of runs that broke them, most first. */
function brokenIn(runs: Graded['handIns'][number]['runs']): string {
  const counts = new Map<string, number>();
  for (const { rules } of runs)
    for (const { id, held } of rules) if (!held) counts.set(id, (counts.get(id) ?? 0) + 1);
  const told = [...counts].sort(([, a], [, b]) => b - a).map(([id, count]) => `${id} ${count}x`);
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}
