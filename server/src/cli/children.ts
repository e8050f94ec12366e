/** The children of a command: the runner and the signer, and what they tell people. */
import { join } from 'node:path';
import { terminalText } from '../../../shared/src/text.ts';
import { RunnerProcess } from '../runs/runnerProcess.ts';
import { Signing } from '../runs/signing.ts';

export function newRunner(): RunnerProcess {
  return new RunnerProcess(join(__dirname, 'runner.js'));
}

export function newSigning(): Signing {
  return new Signing(join(__dirname, 'signer.js'), {
    note: (text) => process.stderr.write(`${terminalText(text)}\n`),
    failed: (text) => process.stderr.write(`loadline: ${terminalText(text)}\n`),
  });
}
