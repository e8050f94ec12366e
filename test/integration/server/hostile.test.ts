/** Foreign text is inert wherever the server shows it: one hostile document, one hostile adapter, every surface. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exampleFolder, projectFolder } from '../../support/loadline.ts';
import { Editor, uriOf } from '../../support/lspClient.ts';

/** Line feeds and tabs lay out text of ours; nothing else of these is ever shown. */
const INVISIBLE = /[^\P{C}\n\t]|[\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u;
const EVIL =
  'A\\u202Eb\\u200Bc\\u0007d\\u2066e\\uFEFFf */ [run](command:workbench.action.quit) ![x](http://127.0.0.1/x.png) <img src=x onerror=alert(1)> `code` {@link command:evil} @deprecated\\nnext\\u2028line';

function hostileProject(): ReturnType<typeof projectFolder> {
  const document = readFileSync(join(exampleFolder, 'vendor.openapi.yaml'), 'utf8')
    .replace(/^( +)summary: .*$/gm, `$1summary: "${EVIL}"`)
    .replace(/^( +)description: [^|>\n][^\n]*$/gm, `$1description: "${EVIL}"`);
  return projectFolder({ 'vendor.openapi.yaml': document });
}

const ADAPTER = `// \u202e\u200b hostile \u0007
// loadline-disable-next-line dynamic-operation: \u202e[x](command:evil)
module.exports = {
  async inventory() { fleet['\u202eevil\u0007 [x](command:quit)'](); require('\u200b![x](http://x)'); return fleet.listRobots(); },
  async dispatch(id, target, name) {
    const order = await fleet.createMission(id, { target, command_id: name });
    return fleet.decommissionRobot(id), order.mission_id;
  },
  async wait() { return { state: '\u202e', polls: '![x](http://x)' }; },
  async 'can\u200bcel'() {},
};
`;

/** Every text in a value with the path that leads to it; of objects as they stand in messages. */
function texts(value: unknown, path = ''): { path: string; text: string; markdown: boolean }[] {
  if (typeof value === 'string') return [{ path, text: value, markdown: false }];
  if (Array.isArray(value)) return value.flatMap((each, index) => texts(each, `${path}[${index}]`));
  if (value === null || typeof value !== 'object') return [];
  const markdown = (value as { kind?: unknown }).kind === 'markdown';
  return Object.entries(value).flatMap(([key, each]) =>
    texts(each, `${path}.${key}`).map((found) => ({ ...found, markdown: found.markdown || markdown })),
  );
}

test('no invisible characters, no command links, no images, no markup in anything that leaves the server', async () => {
  const project = hostileProject();
  const path = join(project.folder, 'adapter.js');
  const editor = await Editor.start({ folders: [project.folder], pull: true });
  try {
    const uri = await editor.open(path, ADAPTER);
    const document = join(project.folder, 'vendor.openapi.yaml');
    writeFileSync(join(project.folder, 'x\u2067y.grant'), '');
    const documentUri = await editor.open(document, readFileSync(document, 'utf8'));
    const grant = join(project.folder, 'fleet.grant');
    const grantUri = await editor.open(
      grant,
      `${readFileSync(grant, 'utf8')}GET /\u202e\u200b[x](command:evil)\n`,
    );
    const diagnostics = await editor.pull(uri);
    expect(diagnostics.map(({ code }) => code)).toContain('not-granted');
    expect((await editor.pull(grantUri)).length).toBeGreaterThan(0);
    await editor.pull(documentUri);
    await editor.connection.sendRequest('textDocument/codeLens', { textDocument: { uri: documentUri } });
    expect(await editor.hover(documentUri, 'createMission')).not.toBe(null);
    const config = await editor.open(join(project.folder, 'loadline.json'), '{ "grant": "" }');
    expect((await editor.complete(config, '"grant": "')).map(({ label }) => label)).toContain('xy.grant');
    expect(await editor.hover(config, 'grant')).not.toBe(null);
    await editor.close(config);
    for (const diagnostic of diagnostics) await editor.actions(uri, diagnostic);
    expect((await editor.complete(uri, 'return fleet.')).length).toBe(8);
    await editor.complete(uri, 'command_id');
    for (const name of [
      'listRobots',
      'createMission',
      'command_id',
      'decommissionRobot',
      'dispatch(',
      'mission_id',
    ])
      await editor.hover(uri, name);
    expect((await editor.signature(uri, 'createMission('))?.signatures.length).toBe(1);
    await editor.definition(uri, 'createMission');
    const [contract] = await editor.definition(uri, 'dispatch(');
    await editor.connection.sendRequest('workspace/textDocumentContent', { uri: contract?.uri });
    await editor.connection.sendRequest('textDocument/codeLens', { textDocument: { uri } });
    await editor.connection.sendRequest('loadline/adapters', {});
    await editor.command('loadline.server.describe', { uri });
    const { file } = await editor.command<{ file: string }>('loadline.server.writeTypings', {
      uri: uriOf(path),
    });

    const typings = readFileSync(file, 'utf8');
    const said = [
      ...editor.messages().flatMap((message) => texts(message)),
      { path: file, text: typings, markdown: true },
    ];
    expect(said.length).toBeGreaterThan(200);
    const where = (bad: (text: string) => boolean, markdownAlone: boolean) =>
      said
        .filter(({ text, markdown }) => (markdown || !markdownAlone) && bad(text))
        .map((found) => `${found.path}: ${JSON.stringify(found.text.slice(0, 200))}`);
    expect(where((text) => INVISIBLE.test(text), false)).toEqual([]);
    expect(where((text) => /\]\(|command:|(?<!\\)!\[|(?<!\\)<img/.test(text), true)).toEqual([]);
    // A comment that ended early would leave words of the document as code.
    expect(typings.split('/**').length).toBe(typings.split('*/').length);
    expect(typings).not.toContain('<img');
  } finally {
    await editor.stop();
    project.remove();
  }
});
