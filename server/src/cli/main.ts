/** `loadline`: the command line. Results on stdout, messages for people on stderr. */
import { join } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { version } from '../../../package.json';
import type { Shard } from '../../../shared/src/evidence/shard.ts';
import { HAND_INS, SEEDS } from '../../../shared/src/exam.ts';
import { plainLines } from '../../../shared/src/text.ts';
import type { CheckFlags } from './check.ts';
import type { ExamFlags, GradeFlags } from './exam.ts';
import { CannotDo, EXIT, type ExitCode } from './exit.ts';
import type { ExploreFlags } from './explore.ts';
import type { InitFlags } from './init.ts';
import type { KeysAction } from './keys.ts';
import type { MergeFlags } from './merge.ts';
import type { ProbeFlags } from './probe.ts';
import type { QualifyFlags } from './qualify.ts';
import type { SpecgenFlags } from './specgen.ts';
import type { VerifyFlags } from './verify.ts';

/** More than the lines of any message of ours, and than most of a stack. */
const ERROR_LINES = 30;
const ERROR_WIDTH = 1000;

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('It takes a whole number.');
  return value;
}

function shard(text: string): Shard {
  const [index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).slice(1).map(Number);
  if (index < 1 || index > count)
    throw new InvalidArgumentError('It takes two whole numbers k/n, k from 1 to n.');
  return { index, count };
}

function collect(value: string, all: string[]): string[] {
  return [...all, value];
}

/** Runs a command whose module is loaded only when it is asked for. */
type Action = (run: () => Promise<ExitCode>) => Promise<void>;

function program(action: Action): Command {
  const loadline = new Command('loadline')
    .description("Qualifies adapters against a vendor's own ledger.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => process.stdout.write(text),
      writeErr: (text) => process.stderr.write(text),
    })
    .addOption(new Option('--stdio', 'be the language server on stdin and stdout'))
    .showHelpAfterError('(loadline --help lists the commands)');

  loadline
    .command('qualify')
    .description('run adapters over every scenario of their contract')
    .argument('<adapter.js...>', 'adapters to run')
    .option('--scenario <id>', 'only this scenario (repeatable)', collect, [])
    .option('--seed <n>', 'another seed than the one derived from the adapter', wholeNumber)
    .option('--runtime <name>', 'engine runtime, e.g. runsc')
    .addOption(
      new Option('--minimum-tier <tier>', 'refuse a weaker sandbox').choices(['container', 'kernel']),
    )
    .option(
      '--host <endpoint>',
      'Docker endpoint, e.g. unix:///var/run/docker.sock (repeatable)',
      collect,
      [],
    )
    .addOption(
      new Option('--clock <kind>', 'the clock of a run').choices(['virtual', 'real']).default('virtual'),
    )
    .option('--jobs <n>', 'containers at once on each engine (default: one per core)', wholeNumber)
    .option('--shard <k/n>', 'run every n-th of the runs, from the k-th on, and sign them apart', shard)
    .option('--json', 'print one JSON object', false)
    .option('--junit <file>', 'write a JUnit XML report')
    .option('--sarif <file>', 'write a SARIF 2.1.0 report')
    .option('--no-sign', 'write nothing beside the adapter')
    .option('--with-bodies', 'keep evidence with bodies and texts, unsigned, in .loadline/bodies', false)
    .option('--expect <file>', 'JSON with the digests that the inputs have to have')
    .action((adapters: string[], flags: QualifyFlags) =>
      action(async () => (await import('./qualify.ts')).qualifyCommand(adapters, flags)),
    );

  loadline
    .command('explore')
    .description('try fault schedules that nobody wrote down, and show the smallest that break a rule')
    .argument('<adapter.js>', 'the adapter')
    .addOption(new Option('--faults <n>', 'faults at once').choices(['1', '2']).default('1'))
    .option('--budget <seconds>', 'wall time to spend', wholeNumber, 120)
    .option('--trials <n>', 'trials to spend at most', wholeNumber)
    .option('--kept', 'try what loadline.scenarios.json keeps of this adapter, and nothing else', false)
    .option('--seed <n>', 'another seed than the one derived from the adapter', wholeNumber)
    .option('--runtime <name>', 'engine runtime, e.g. runsc')
    .option('--host <endpoint>', 'Docker endpoint (repeatable)', collect, [])
    .option('--jobs <n>', 'containers at once on each engine (default: one per core)', wholeNumber)
    .option('--json', 'print one JSON object', false)
    .action((adapter: string, flags: ExploreFlags) =>
      action(async () => (await import('./explore.ts')).exploreCommand(adapter, flags)),
    );

  loadline
    .command('verify')
    .description(
      'check a verdict file: form, signatures, checkpoint, and every verdict rebuilt from its evidence',
    )
    .argument('<verdicts.jsonl>', 'the file')
    .option('--trusted <jwks>', 'file with the keys you trust, as keys export prints them')
    .option('--line <n>', 'check one line alone', wholeNumber)
    .option('--adapter <file>', 'the adapter to compare with (default: the one beside the file)')
    .option('--partial', 'a file without every scenario is no failure', false)
    .option('--at-least <seq|digest>', 'refuse a file older than this checkpoint')
    .option('--expect <file>', 'JSON with the digests that the inputs have to have')
    .option('--json', 'print one JSON object', false)
    .action((file: string, flags: VerifyFlags) =>
      action(async () => (await import('./verify.ts')).verifyCommand(file, flags)),
    );

  loadline
    .command('merge')
    .description('make one verdict file from those of several shards, each verified first')
    .argument('<verdicts.jsonl...>', 'the files')
    .requiredOption('--out <file>', 'the file to write')
    .option('--trusted <jwks>', 'file with the keys you trust: lines of others are refused')
    .option('--partial', 'write a file though scenarios are missing or environments differ', false)
    .option('--json', 'print one JSON object', false)
    .action((files: string[], flags: MergeFlags) =>
      action(async () => (await import('./merge.ts')).mergeCommand(files, flags)),
    );

  loadline
    .command('check')
    .description('say what can be said without a run: adapters, grants, loadline.json, vendor documents')
    .argument('<files...>', 'adapters, .grant files, loadline.json files, documents')
    .option('--json', 'print one JSON object', false)
    .action((files: string[], flags: CheckFlags) =>
      action(async () => (await import('./check.ts')).checkCommand(files, flags)),
    );

  loadline
    .command('init')
    .description('make a new adapter folder from a vendor document: grant, loadline.json, adapter skeleton')
    .argument('<openapi>', "the vendor's OpenAPI document")
    .option('--out <dir>', 'the folder (default: named after the API)')
    .action((document: string, flags: InitFlags) =>
      action(async () => (await import('./init.ts')).initCommand(document, flags)),
    );

  loadline
    .command('mcp')
    .description('tools for agents over stdio (Model Context Protocol), confined to one folder')
    .argument('<folder>', 'with loadline.json')
    .action((folder: string) => action(() => mcp().mcpCommand(folder)));
  loadline
    .command('probe')
    .description(
      'try what hostile code would try, in a container like those of runs (in a folder with loadline.json)',
    )
    .option('--runtime <name>', 'engine runtime, e.g. runsc')
    .option('--host <endpoint>', 'Docker endpoint')
    .option('--json', 'print one JSON object', false)
    .option('--no-sign', 'write nothing beside loadline.json')
    .action((flags: ProbeFlags) => action(async () => (await import('./probe.ts')).probeCommand(flags)));

  addExam(loadline, action);

  const keys = loadline.command('keys').description('the key that signs your verdicts');
  const keysAction = (name: KeysAction, description: string) =>
    keys
      .command(name)
      .description(description)
      .action(() => action(async () => (await import('./keys.ts')).keysCommand(name)));
  keysAction('export', 'print the public keys as a JWK set, for verify --trusted');
  keysAction('rotate', 'put a new key in place of the one in use');
  keysAction('path', 'print the path of the key file');

  loadline
    .command('specgen')
    .description("make typings, client and description from a vendor's OpenAPI document")
    .argument('<openapi>', 'the document (YAML or JSON)')
    .option('--grant <file>', 'the routes that adapters may call (default: all of them)')
    .option('--client <name>', 'name of the client', 'vendor')
    .requiredOption('--out <dir>', 'folder to write into')
    .action((document: string, flags: SpecgenFlags) =>
      action(async () => (await import('./specgen.ts')).specgenCommand(document, flags)),
    );
  return loadline;
}

function addExam(loadline: Command, action: Action): void {
  const exam = loadline.command('exam').description('examine authors of adapters, people or machines');
  exam
    .command('paper')
    .description('print all that an author is given (in a folder with loadline.json)')
    .action(() => action(async () => (await import('./exam.ts')).paperCommand()));
  const running = (command: Command): Command =>
    command
      .option('--runtime <name>', 'engine runtime, e.g. runsc')
      .option('--host <endpoint>', 'Docker endpoint (repeatable)', collect, [])
      .option('--jobs <n>', 'containers at once (default: one per core)', wholeNumber)
      .option('--json', 'print one JSON object', false);
  running(exam.command('practice').argument('<adapter.js>', 'the hand-in'))
    .description('run a hand-in in the scenario that may be practised')
    .action((file: string, flags: ExamFlags) =>
      action(async () => (await import('./exam.ts')).practiceCommand(file, flags)),
    );
  running(exam.command('grade').argument('<folder>', 'hand-ins: <author>/<name>.js or <author>.js'))
    .description('grade hand-ins over the scenarios held back, under seeds drawn now')
    .option('--hand-ins <n>', 'hand-ins of one author that are graded', wholeNumber, HAND_INS)
    .option('--seeds <n>', 'seeds to run every scenario under', wholeNumber, SEEDS)
    .option('--no-sign', 'write nothing into the folder')
    .action((folder: string, flags: GradeFlags) =>
      action(async () => (await import('./exam.ts')).gradeCommand(folder, flags)),
    );
}

/** The protocol's library is a bundle of its own: no other command loads it. */
function mcp(): typeof import('./mcp.ts') {
  return require(join(__dirname, 'mcp.js'));
}

/** `loadline --stdio`: this process becomes the language server. */
function becomeServer(): void {
  require(join(__dirname, 'server.js'));
}

async function main(argv: string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  try {
    await program(async (run) => {
      code = await run();
    }).parseAsync(argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.notDone;
    const known = error instanceof CannotDo;
    const text = known
      ? error.message
      : `unexpected: ${error instanceof Error ? error.stack : String(error)}`;
    process.stderr.write(`loadline: ${plainLines(text, ERROR_LINES, ERROR_WIDTH).join('\n')}\n`);
    return EXIT.notDone;
  }
}

// A reader that went away (`loadline ... | head`) is no fault of the run.
process.stdout.on('error', () => process.exit(EXIT.notDone));
if (process.argv[2] === '--stdio') becomeServer();
else
  void main(process.argv).then((code) => {
    process.exitCode = code;
  });
