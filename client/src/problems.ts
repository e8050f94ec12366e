/** What a person must act on: said once, with the one button that helps. */
import { commands, type Disposable, env, l10n, Uri, window, workspace } from 'vscode';
import type { RunParams } from '../../shared/src/protocol.ts';
import type { Server } from './languageClient.ts';

type Problem = NonNullable<RunParams['problem']>;

interface Button {
  title: string;
  act(): PromiseLike<unknown>;
}

const ENGINE_PAGE = 'https://docs.docker.com/engine/install/';
const SOCKET_PAGE = 'https://docs.docker.com/engine/install/linux-postinstall/';

export class Problems implements Disposable {
  readonly #listening: Disposable;
  readonly #said = new Set<string>();

  constructor(server: Server) {
    this.#listening = server.onRun(({ state, problem, kind, text }) => {
      if (state !== 'ended') return;
      if (problem !== undefined) void this.#say(problem, server);
      else this.#said.clear();
      // What was asked for by hand and shows nowhere else.
      if (kind !== 'qualify' && text !== undefined) void showText(text);
    });
  }

  dispose(): void {
    this.#listening.dispose();
  }

  /** The same again stays silent until a run went well: the Test Explorer shows it anyway. */
  async #say(problem: Problem, server: Server): Promise<void> {
    if (this.#said.has(problem.text)) return;
    this.#said.add(problem.text);
    const button = buttonOf(problem) ?? { title: l10n.t('Show Log'), act: async () => server.log.show() };
    const picked = await window.showWarningMessage(problem.text, button.title);
    if (picked !== undefined) await button.act();
  }
}

async function showText(content: string): Promise<void> {
  const document = await workspace.openTextDocument({ language: 'plaintext', content });
  await window.showTextDocument(document, { preview: true });
}

function buttonOf({ help }: Problem): Button | undefined {
  const open = (page: string) => async () => env.openExternal(Uri.parse(page));
  const settings = (query: string) => async () =>
    commands.executeCommand('workbench.action.openSettings', query);
  switch (help) {
    case 'engine':
      return { title: l10n.t('Install an Engine'), act: open(ENGINE_PAGE) };
    case 'socket':
      return { title: l10n.t('How to Get Access'), act: open(SOCKET_PAGE) };
    case 'image':
    case 'tier':
      return { title: l10n.t('Open Settings'), act: settings('@ext:loadline.loadline docker') };
    case 'key':
      return { title: l10n.t('Open Settings'), act: settings('loadline.signingKey') };
    case 'save':
      return { title: l10n.t('Save All'), act: () => workspace.saveAll(false) };
    default:
      return undefined;
  }
}
