/** Exams for authors: the paper, practice, and grading of what they hand in. */
import { l10n, type Uri, window, workspace } from 'vscode';
import { COMMANDS, type RunStarted, type TextAnswer } from '../../shared/src/protocol.ts';
import { onAdapter, type Parts } from './parts.ts';

/** Opens the paper as a text that can be saved, sent or copied. */
export async function examPaper(parts: Parts, argument: unknown): Promise<void> {
  const answer = await onAdapter(parts, argument, (params) =>
    parts.server.command<TextAnswer>(COMMANDS.examPaper, params),
  );
  if (answer === undefined) return;
  const document = await workspace.openTextDocument({ language: 'markdown', content: answer.text });
  await window.showTextDocument(document, { preview: false });
}

/** Grades the folder that was chosen, in the explorer or in a dialog. */
export async function examGrade({ server }: Parts, argument: unknown): Promise<RunStarted | undefined> {
  const folder = chosenFolder(argument) ?? (await pickFolder());
  return folder && server.command<RunStarted>(COMMANDS.examGrade, { uri: folder.toString() });
}

function chosenFolder(argument: unknown): Uri | undefined {
  const { scheme } = (argument ?? {}) as { scheme?: unknown };
  return scheme === 'file' ? (argument as Uri) : undefined;
}

async function pickFolder(): Promise<Uri | undefined> {
  const [defaultUri] = (workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const [folder] =
    (await window.showOpenDialog({
      canSelectFolders: true,
      canSelectFiles: false,
      title: l10n.t('Folder of the hand-ins: <author>/<name>.js or <author>.js'),
      openLabel: l10n.t('Grade'),
      ...(defaultUri === undefined ? {} : { defaultUri }),
    })) ?? [];
  return folder;
}
