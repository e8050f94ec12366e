/** What the server has to know of the editor: trust, and whether the built-in JavaScript service speaks now. */
import { Disposable, extensions, workspace } from 'vscode';
import type { EditorStateParams } from '../../shared/src/protocol.ts';

const BUILT_IN = 'vscode.typescript-language-features';
/** TypeScript 7's own extension, and the setting by which the built-in hands over to it. */
const NATIVE = ['TypeScriptTeam.native-preview', 'typescriptteam.native-preview'];
const NATIVE_SETTINGS = ['typescript.experimental.useTsgo', 'js/ts.experimental.useTsgo'];
const READ = ['javascript.suggest.enabled', 'javascript.validate.enable', ...NATIVE_SETTINGS];

export function editorState(): Required<EditorStateParams> {
  return { trusted: workspace.isTrusted, javascriptService: javascriptServiceRuns() };
}

/** Tells when one of them may have changed. */
export function watchEditorState(changed: () => void): Disposable {
  return Disposable.from(
    workspace.onDidGrantWorkspaceTrust(changed),
    extensions.onDidChange(changed),
    workspace.onDidChangeConfiguration((event) => {
      if (READ.some((section) => event.affectsConfiguration(section))) changed();
    }),
  );
}

/** The built-in service does not run in an untrusted window, and completes nothing when suggestions are off. */
function javascriptServiceRuns(): boolean {
  if (!workspace.isTrusted) return false;
  if (workspace.getConfiguration().get('javascript.suggest.enabled') === false) return false;
  const native = NATIVE_SETTINGS.some((setting) => workspace.getConfiguration().get(setting) === true);
  if (native) return NATIVE.some((id) => extensions.getExtension(id) !== undefined);
  return extensions.getExtension(BUILT_IN) !== undefined;
}
