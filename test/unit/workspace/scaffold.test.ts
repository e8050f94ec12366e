import { describe, expect, test } from 'vitest';
import { parseGrant } from '../../../server/src/grant/parse.ts';
import { loadDocument } from '../../../server/src/openapi/document.ts';
import { parseConfig } from '../../../server/src/workspace/config.ts';
import { ConfinedFiles } from '../../../server/src/workspace/files.ts';
import { clientNameOf, scaffold } from '../../../server/src/workspace/scaffold.ts';
import { contractById } from '../../../shared/src/contracts/index.ts';
import { SourceText } from '../../../shared/src/surface/sourceText.ts';
import { exampleFolder } from '../../support/loadline.ts';

function fleetScaffold(granted?: ReadonlySet<string>) {
  const { document } = loadDocument(new ConfinedFiles(exampleFolder), 'vendor.openapi.yaml');
  const contract = contractById('fleet/1');
  if (document === null || contract === undefined) throw new Error('The example is not usable.');
  return scaffold({ document, contract, vendor: 'simulated:fleet', ...(granted ? { granted } : {}) });
}

describe('a new folder', () => {
  test('grants what reads, and lists the rest as comments with their keys', () => {
    const { client, granted, files } = fleetScaffold();
    expect([client, granted, [...files.keys()]]).toEqual([
      'fleetVendor',
      4,
      ['loadline.json', 'fleetVendor.grant', 'adapter.js', '.gitattributes'],
    ]);
    const text = files.get('fleetVendor.grant') ?? '';
    expect(text).toBe(
      [
        '# What adapter code may call of Fleet Vendor API. Everything else is refused.',
        'GET /health',
        'GET /robots',
        'GET /robots/*',
        'GET /missions/*',
        '',
        '@health GET /health',
        '',
        '# Not granted. Take the # away from what an adapter needs.',
        '# DELETE /robots/*',
        '# POST /robots/*/firmware',
        '# POST /robots/*/missions key:body:/command_id',
        '# POST /missions/*/cancel',
        '',
      ].join('\n'),
    );
    expect(parseGrant('a.grant', text).diagnostics).toEqual([]);
    expect(parseGrant('a.grant', text.replaceAll('# ', '')).routes).toHaveLength(8);
  });

  test('grants what was picked', () => {
    const { files } = fleetScaffold(new Set(['listRobots', 'createMission']));
    const routes = parseGrant('a.grant', files.get('fleetVendor.grant') ?? '').routes;
    expect(routes.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /robots',
      'POST /robots/*/missions',
    ]);
  });

  test('has a loadline.json that is valid', () => {
    const { files } = fleetScaffold();
    const { config, diagnostics } = parseConfig(
      new SourceText('loadline.json', files.get('loadline.json') ?? ''),
    );
    expect(diagnostics).toEqual([]);
    expect(config).toEqual({
      contract: 'fleet/1',
      client: 'fleetVendor',
      openapi: 'vendor.openapi.yaml',
      grant: 'fleetVendor.grant',
      vendor: 'simulated:fleet',
      adapters: ['adapter*.js'],
    });
  });
});

test('client names', () => {
  const titles = ["GitHub's REST API v4 for All", 'ÄÖÜ', 'fetch', '3D Printer API', 'Class', 'a-b_c'];
  expect(titles.map(clientNameOf)).toEqual(['githubV4For', 'vendor', 'vendor', 'dPrinter', 'vendor', 'aBC']);
});
