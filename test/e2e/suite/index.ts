/**
 * Entry of the suite that runs inside an extension host: of code-server through `suite.test.ts`, or of a desktop VS Code as
 * the `extensionTestsPath` of @vscode/test-electron. What it says goes to the socket that LOADLINE_SUITE_SOCKET names, else
 * to the console: an editor in a browser tells of an extension host that died as of one that ended well.
 */
import { connect, type Socket } from 'node:net';
import { inspect } from 'node:util';
import Mocha from 'mocha';

const TEST_MS = 120_000;

/** One line of JSON each. A suite that passed ends with `ended`, and `failed` is 0. */
export type Said =
  | { kind: 'passed'; title: string }
  | { kind: 'failed'; title: string; why: string }
  | { kind: 'ended'; passed: number; failed: number };

type Tell = (said: Said) => Promise<void>;

/** @throws Error where a test failed, a promise was rejected that nobody waited for, or there is no test */
export async function run(): Promise<void> {
  const socket = process.env.LOADLINE_SUITE_SOCKET;
  const tell = socket === undefined ? sayOnConsole : await sayOn(socket);
  const mocha = new Mocha({
    ui: 'tdd',
    timeout: TEST_MS,
    failZero: true,
    forbidOnly: true,
    reporter: Silent,
  });
  mocha.suite.emit('pre-require', globalThis, 'suite', mocha);
  await import('./client.ts');
  const { passed, failed } = await outcome(mocha, tell);
  await tell({ kind: 'ended', passed, failed });
  if (failed > 0) throw new Error(`${failed} tests failed.`);
}

/** Says nothing itself: events are read from the runner. */
class Silent extends Mocha.reporters.Base {
  override epilogue(): void {}
}

async function outcome(mocha: Mocha, tell: Tell): Promise<{ passed: number; failed: number }> {
  const count = { passed: 0, failed: 0 };
  const fail = (title: string, error: unknown) => {
    count.failed += 1;
    void tell({ kind: 'failed', title, why: inspect(error) });
  };
  // The editor takes these for itself, so that mocha does not see them.
  const rejected = (error: unknown) => fail('a promise that nobody waited for', error);
  process.on('unhandledRejection', rejected);
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.on('pass', ({ title }) => {
      count.passed += 1;
      void tell({ kind: 'passed', title });
    });
    runner.on('fail', (test, error: unknown) => fail(test.title, error));
  });
  process.off('unhandledRejection', rejected);
  if (failures > 0 && count.failed === 0) fail('the suite', 'There is no test.');
  return count;
}

async function sayOnConsole(said: Said): Promise<void> {
  console.log(JSON.stringify(said));
}

async function sayOn(path: string): Promise<Tell> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const made = connect(path, () => resolve(made));
    made.once('error', reject);
  });
  return (said) => new Promise((resolve) => socket.write(`${JSON.stringify(said)}\n`, () => resolve()));
}
