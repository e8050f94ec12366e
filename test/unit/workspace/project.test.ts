import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAdapters } from '../../../server/src/workspace/adapters.ts';
import {
  findConfig,
  loadProject,
  NoProject,
  type Project,
  ProjectReader,
} from '../../../server/src/workspace/project.ts';
import { shortly } from '../openapi/helpers.ts';
import { folderWith } from './folder.ts';

const CONFIG = JSON.stringify(
  {
    contract: 'fleet/1',
    client: 'fleet',
    openapi: 'api.yaml',
    grant: 'fleet.grant',
    vendor: 'simulated:fleet',
  },
  null,
  2,
);
const API = `openapi: 3.1.0
info: {title: T, version: "1"}
paths:
  /robots:
    get:
      operationId: listRobots
      responses: {200: {description: ok, content: {application/json: {schema: {$ref: 'more.yaml#/Robots'}}}}}
`;
const FILES = {
  'loadline.json': CONFIG,
  'api.yaml': API,
  'more.yaml': 'Robots: {type: array, items: {type: string}}\n',
  'fleet.grant': 'GET /robots\n',
  'adapter.js': '',
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const short = ({ diagnostics }: Project): string[] => diagnostics.map(shortly);

describe('projects', () => {
  it('are snapshots of configuration, document, grant and surface', async () => {
    const folder = folderWith(FILES);
    const project = await loadProject(join(folder, 'adapter.js'));
    expect(project).toMatchObject({
      folder,
      configFile: join(folder, 'loadline.json'),
      config: { client: 'fleet', adapters: ['adapter*.js'] },
      diagnostics: [],
    });
    expect(project.surface).toMatchObject({ client: 'fleet', schemas: { Robots: { type: 'array' } } });
    expect(project.surface?.operations.map(({ name, grant }) => [name, grant?.route])).toEqual([
      ['listRobots', 'GET /robots'],
    ]);
    expect(project.documentFiles).toEqual(['api.yaml', 'more.yaml']);
    expect([...project.fileDigests.keys()]).toEqual([
      'loadline.json',
      'fleet.grant',
      'api.yaml',
      'more.yaml',
    ]);
    expect(Object.isFrozen(project)).toBe(true);
  });

  it('carry the digests of their bytes', async () => {
    const folder = folderWith(FILES);
    const { digests, surface } = await loadProject(folder);
    const list = `${sha256(API)}  api.yaml\n${sha256(FILES['more.yaml'])}  more.yaml\n`;
    expect(digests).toEqual({
      document: sha256(list),
      grant: sha256('GET /robots\n'),
      config: sha256(CONFIG),
    });
    expect(surface?.digests).toEqual({ document: digests.document, grant: digests.grant });
    const alone = folderWith({ ...FILES, 'api.yaml': API.replace('more.yaml#/Robots', '#/info') });
    expect((await loadProject(alone)).digests.document).toBe(
      sha256(API.replace('more.yaml#/Robots', '#/info')),
    );
  });

  it('are found upwards from a file or a folder, the nearest first', async () => {
    const folder = folderWith({
      ...FILES,
      'sub/loadline.json': CONFIG,
      'sub/deep/adapter.js': '',
      'other/adapter.js': '',
    });
    expect(findConfig(join(folder, 'sub/deep/adapter.js'))).toBe(join(folder, 'sub/loadline.json'));
    expect(findConfig(join(folder, 'other'))).toBe(join(folder, 'loadline.json'));
    expect(findConfig(join(folder, 'not/there.js'))).toBe(join(folder, 'loadline.json'));
    await expect(loadProject('/')).rejects.toThrow(NoProject);
  });

  it('with a broken loadline.json say what is wrong there', async () => {
    const project = await loadProject(folderWith({ ...FILES, 'loadline.json': '{"contract": "fleet/1"}' }));
    expect(project).toMatchObject({
      config: null,
      documentFiles: [],
      grant: null,
      surface: null,
      digests: { document: '', grant: '' },
    });
    expect(short(project)).toEqual(['error config-missing-key loadline.json:1:1']);
  });

  it('name files that are missing or lead out, at the place that names them', async () => {
    const outside = folderWith({ 'api.yaml': API });
    const folder = folderWith({ 'loadline.json': CONFIG });
    symlinkSync(join(outside, 'api.yaml'), join(folder, 'api.yaml'));
    const project = await loadProject(folder);
    expect(short(project)).toEqual([
      'error config-file loadline.json:4:14',
      'error config-file loadline.json:5:12',
    ]);
    expect(project.surface).toBeNull();
  });

  it('show what is wrong in document and grant together', async () => {
    const project = await loadProject(
      folderWith({
        ...FILES,
        'fleet.grant': 'GET /robots\nGET /nowhere\nGET /robots x\n',
        'more.yaml': 'Robots: {type: arry}\n',
      }),
    );
    expect(short(project)).toEqual([
      'warning route-not-in-document fleet.grant:2:1',
      'error grant-syntax fleet.grant:3:13',
      'error document-type more.yaml:1:16',
    ]);
    const noDocument = await loadProject(
      folderWith({ ...FILES, 'api.yaml': 'x: 1', 'fleet.grant': 'nonsense' }),
    );
    expect(short(noDocument)).toEqual([
      'error document-not-openapi api.yaml:1:1',
      'error grant-syntax fleet.grant:1:1',
    ]);
  });

  it('read unsaved text in place of files', async () => {
    const folder = folderWith(FILES);
    const project = await loadProject(folder, { overlay: new Map([['fleet.grant', '# nothing\n']]) });
    expect(project.surface?.operations[0]?.grant).toBeNull();
    expect(project.digests.grant).toBe(sha256('# nothing\n'));
  });

  it('compile regular expressions of the document only where the workspace is trusted', async () => {
    const folder = folderWith({ ...FILES, 'more.yaml': "Robots: {type: string, pattern: '['}\n" });
    expect(short(await loadProject(folder))).toEqual([]);
    expect(short(await loadProject(folder, { trusted: true }))).toEqual([
      'warning document-pattern more.yaml:1:33',
    ]);
  });

  it('take the document over from the snapshot before where its files are the same', async () => {
    const folder = folderWith({ ...FILES, 'fleet.grant': '# nothing\n' });
    const reader = new ProjectReader();
    const first = reader.read(folder);
    const { document } = reader;
    reader.read(folder);
    expect(reader.document).toBe(document);
    const overlay = new Map([['fleet.grant', 'GET /robots\n']]);
    const granted = reader.read(folder, { overlay });
    expect(reader.document).toBe(document);
    expect(granted.surface).toEqual((await loadProject(folder, { overlay })).surface);
    expect([...granted.fileDigests.keys()].sort()).toEqual([
      'api.yaml',
      'fleet.grant',
      'loadline.json',
      'more.yaml',
    ]);
    const back = reader.read(folder);
    expect(back.digests).toEqual(first.digests);
    expect(back.diagnostics).toEqual(first.diagnostics);
  });

  it.each([
    ['the document', { overlay: new Map([['api.yaml', `${API}# changed`]]) }],
    ['a file it refers to', { overlay: new Map([['more.yaml', 'Robots: {type: object}\n']]) }],
    ['trust', { trusted: true }],
  ])('read the document again when %s changed', async (_, change) => {
    const folder = folderWith(FILES);
    const reader = new ProjectReader();
    reader.read(folder);
    const { document } = reader;
    const second = reader.read(folder, change);
    expect(reader.document).not.toBe(document);
    expect(second.surface).toEqual((await loadProject(folder, change)).surface);
  });

  it('read the document again when a file that was missing may be there now', async () => {
    const folder = folderWith(FILES);
    rmSync(join(folder, 'more.yaml'));
    const reader = new ProjectReader();
    expect(short(reader.read(folder))).toEqual(['error document-dangling-ref api.yaml:7:86']);
    writeFileSync(join(folder, 'more.yaml'), FILES['more.yaml']);
    expect(short(reader.read(folder))).toEqual([]);
  });

  it('are plain values: what another thread gets is equal', async () => {
    const project = await loadProject(folderWith(FILES));
    expect(structuredClone(project)).toEqual(project);
  });

  it('find adapters in sub-folders, without links, hidden folders and projects of their own', () => {
    const folder = folderWith({
      ...FILES,
      'a/b/adapter-2.js': '',
      '.hidden/adapter.js': '',
      'node_modules/x/adapter.js': '',
      'other/loadline.json': CONFIG,
      'other/adapter.js': '',
    });
    symlinkSync(join(folder, 'adapter.js'), join(folder, 'adapter-link.js'));
    mkdirSync(join(folder, 'adapter-folder.js'));
    expect(findAdapters(folder, ['**/adapter*.js'])).toEqual(['a/b/adapter-2.js', 'adapter.js']);
  });
});
