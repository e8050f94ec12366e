/** The palette's commands. They are there at once and forward to the server, filling in the adapter in front. */
import { commands, Disposable, env, l10n, window, workspace } from 'vscode';
import { CLIENT_COMMANDS, COMMANDS, type RunStarted, type TextAnswer } from '../../shared/src/protocol.ts';
import { examGrade, examPaper } from './exam.ts';
import { exportPublicKey, exportSarif, rotateKey } from './exports.ts';
import { newAdapter } from './newAdapter.ts';
import { onAdapter, type Parts, walled } from './parts.ts';
import { openLedger, pickScenario } from './scenarios.ts';
import { registerVerdictEditor } from './views/verdictEditor.ts';
import { registerViews } from './views/views.ts';

type Handler = (argument?: unknown) => unknown;

export function registerCommands(parts: Parts): Disposable {
  const { server, adapters } = parts;
  const run = (command: string) => (argument?: unknown) =>
    onAdapter(parts, argument, (params) => server.command<RunStarted>(command, params));
  const handlers: Record<string, Handler> = {
    'loadline.qualify': run(COMMANDS.qualify),
    'loadline.qualifyScenario': (argument) => pickScenario(parts, argument),
    [CLIENT_COMMANDS.pickScenario]: (argument) => pickScenario(parts, argument),
    'loadline.qualifyAll': () => server.command<RunStarted>(COMMANDS.qualifyAll, {}),
    'loadline.explore': run(COMMANDS.explore),
    'loadline.probe': run(COMMANDS.probe),
    'loadline.verify': (argument) => verify(parts, argument),
    'loadline.openLedger': (argument) => openLedger(parts, argument),
    'loadline.copyDescription': (argument) => copyDescription(parts, argument),
    'loadline.examPaper': (argument) => examPaper(parts, argument),
    'loadline.examPractice': run(COMMANDS.examPractice),
    'loadline.examGrade': (argument) => examGrade(parts, argument),
    'loadline.writeTypings': run(COMMANDS.writeTypings),
    'loadline.newAdapter': (argument) => newAdapter(server, argument),
    'loadline.exportSarif': (argument) => exportSarif(parts, argument),
    'loadline.exportPublicKey': () => exportPublicKey(server),
    'loadline.rotateKey': () => rotateKey(server),
    'loadline.showLog': () => server.log.show(),
    'loadline.restartServer': () => server.restart().then(() => adapters.refresh()),
  };
  const registered = Object.entries(handlers).map(([name, handler]) =>
    commands.registerCommand(name, (argument?: unknown) => walled(server, () => handler(argument))),
  );
  return Disposable.from(...registered, registerViews(parts), registerVerdictEditor(parts));
}

async function copyDescription(parts: Parts, argument: unknown): Promise<void> {
  const answer = await onAdapter(parts, argument, (params) =>
    parts.server.command<TextAnswer>(COMMANDS.describe, params),
  );
  if (answer === undefined) return;
  await env.clipboard.writeText(answer.text);
  void window.setStatusBarMessage(l10n.t('The description of the client is on the clipboard.'), 5000);
}

interface Verified {
  verified: boolean;
  lines: number;
  failures: { line: number; kind: string; text: string }[];
  notEstablished: string[];
}

/** The whole account goes to a document beside the file; one line says how it ended. */
async function verify(parts: Parts, argument: unknown): Promise<void> {
  const answer = await onAdapter(parts, argument, (params) =>
    parts.server.command<Verified>(COMMANDS.verify, params),
  );
  if (answer === undefined) return;
  const { verified, lines, failures, notEstablished } = answer;
  const text = [
    verified ? l10n.t('Verified: {0} verdict lines.', lines) : l10n.t('NOT verified.'),
    '',
    ...failures.map(({ line, kind, text: why }) =>
      line === 0 ? `file: ${kind}: ${why}` : `line ${line}: ${kind}: ${why}`,
    ),
    ...(failures.length > 0 ? [''] : []),
    l10n.t('Not established:'),
    ...notEstablished.map((each) => `- ${each}`),
    '',
  ].join('\n');
  const document = await workspace.openTextDocument({ language: 'plaintext', content: text });
  await window.showTextDocument(document, { preview: true });
}
