/** loadline.json and the vendor document as any editor has them, over stdio. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CodeLens, DocumentLink, ShowDocumentParams } from 'vscode-languageserver';
import { exampleFolder, projectFolder } from '../../support/loadline.ts';
import { completionText, diagnosticText, Editor, hoverText, uriOf } from '../../support/lspClient.ts';

test('from a key that is typed to the line that grants an operation', async () => {
  const project = projectFolder({
    'adapter.js': 'module.exports = { inventory: async () => fleet.listRobots() };\n',
  });
  const file = (name: string) => join(project.folder, name);
  const editor = await Editor.start({ folders: [project.folder], pull: true });
  try {
    const config = await editor.open(file('loadline.json'), readFileSync(file('loadline.json'), 'utf8'));
    expect(await editor.pull(config)).toEqual([]);
    await editor.edit(config, '"grant": "fleet.grant"', '"grant": "fl"');
    expect(diagnosticText(await editor.pull(config))).toEqual([
      '5:12 error config-file: There is no file "fl" in the project folder.',
    ]);
    expect(completionText(await editor.complete(config, '"grant": "fl'))).toEqual(['fleet.grant']);
    await editor.edit(config, '"grant": "fl"', '"grant": "fleet.grant"');
    expect(hoverText(await editor.hover(config, 'client'))).toBe(
      'Name of the global object through which an adapter calls the vendor\\.',
    );
    const links = await editor.connection.sendRequest<DocumentLink[]>('textDocument/documentLink', {
      textDocument: { uri: config },
    });
    expect(links.map(({ target }) => target)).toEqual(
      ['vendor.openapi.yaml', 'fleet.grant'].map((name) => uriOf(file(name))),
    );
    expect((await editor.definition(config, 'vendor.openapi')).map(({ uri }) => uri)).toEqual([
      uriOf(file('vendor.openapi.yaml')),
    ]);

    const text = readFileSync(join(exampleFolder, 'vendor.openapi.yaml'), 'utf8');
    const document = await editor.open(file('vendor.openapi.yaml'), text);
    const lenses = await editor.connection.sendRequest<CodeLens[]>('textDocument/codeLens', {
      textDocument: { uri: document },
    });
    expect(lenses.map(({ command }) => command?.title)).toEqual([
      'granted · not used',
      'granted · used by adapter.js',
      'granted · not used',
      'not granted',
      'not granted',
      'granted · not used',
      'granted · not used',
      'granted · not used',
    ]);
    expect(hoverText(await editor.hover(document, 'listRobots'))).toContain('`GET /robots`');
    const { command = '', arguments: [argument] = [] } = lenses[1]?.command ?? {};
    expect(await editor.command(command, argument)).toBe(null);
    expect(editor.notifications<ShowDocumentParams>('window/showDocument')).toEqual([
      {
        uri: uriOf(file('fleet.grant')),
        takeFocus: true,
        selection: { start: { line: 2, character: 0 }, end: { line: 2, character: 12 } },
      },
    ]);
    await editor.edit(document, 'operationId: listRobots', 'operationId: listMachines');
    expect(hoverText(await editor.hover(document, 'listMachines'))).toContain('No adapter here calls it.');
  } finally {
    await editor.stop();
    project.remove();
  }
});
