import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../server/src/workspace/config.ts';
import { SourceText } from '../../../shared/src/surface/sourceText.ts';

const GOOD = {
  contract: 'fleet/1',
  client: 'fleet',
  openapi: 'vendor.openapi.yaml',
  grant: 'fleet.grant',
  vendor: 'simulated:fleet',
};

function parse(value: unknown) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const { config, diagnostics } = parseConfig(new SourceText('loadline.json', text));
  const shown = diagnostics.map(({ code, range, message }) => {
    const line = text.split('\n')[range.start.line] ?? '';
    return `${code} [${line.slice(range.start.character, range.end.character)}] ${message}`;
  });
  return { config, shown };
}

describe('loadline.json', () => {
  it('is read with its defaults', () => {
    expect(parse(GOOD)).toEqual({ config: { ...GOOD, adapters: ['adapter*.js'] }, shown: [] });
    const listening = {
      ...GOOD,
      adapters: ['a/*.js'],
      vendor: { model: 'vendor.model.yaml', url: 'https://vendor.example' },
    };
    expect(parse(listening)).toEqual({ config: listening, shown: [] });
    const write = {
      ...GOOD,
      contract: 'capability-write/1',
      capability: { write: 'patchZone', identity: ['name'], projected: ['note'], transient: ['id'] },
    };
    expect(parse(write)).toMatchObject({ config: write, shown: [] });
  });

  it.each([
    [
      { ...GOOD, grnat: 'x' },
      'config-unknown-key ["grnat"] loadline.json has no "grnat". Did you mean "grant"?',
    ],
    [{ ...GOOD, $schema: 'x' }, 'config-unknown-key ["$schema"] loadline.json has no "$schema".'],
    [{ ...GOOD, vendor: undefined }, 'config-missing-key [{] The key "vendor" is missing.'],
    [
      { ...GOOD, contract: 'fleet/2' },
      'config-value ["fleet/2"] "contract" is one of fleet/1, capability-write/1.',
    ],
    [
      { ...GOOD, vendor: 'simulated:flete' },
      'config-value ["simulated:flete"] There is no vendor "simulated:flete" to simulate. Did you mean "simulated:fleet"?',
    ],
    [
      { ...GOOD, vendor: { model: 'm.yaml', url: 'https://a', ulr: '' } },
      'config-unknown-key ["ulr"] loadline.json has no "vendor.ulr". Did you mean "url"?',
    ],
    [
      { ...GOOD, client: '2fleet' },
      'config-value ["2fleet"] "client" is a plain name of letters, digits, _ and $ that starts with no digit.',
    ],
    [
      { ...GOOD, client: 'a.b' },
      'config-value ["a.b"] "client" is a plain name of letters, digits, _ and $ that starts with no digit.',
    ],
    [
      { ...GOOD, client: 'console' },
      'config-value ["console"] The client cannot be called "console": that name has a meaning already. Choose another.',
    ],
    [
      { ...GOOD, client: 'await' },
      'config-value ["await"] The client cannot be called "await": that name has a meaning already. Choose another.',
    ],
    [
      { ...GOOD, client: '__proto__' },
      'config-value ["__proto__"] The client cannot be called "__proto__": that name has a meaning already. Choose another.',
    ],
    [
      { ...GOOD, openapi: '../vendor.yaml' },
      'config-path ["../vendor.yaml"] "../vendor.yaml" has to be a path inside this folder, written with "/".',
    ],
    [
      { ...GOOD, openapi: 'https://x/y.yaml' },
      'config-path ["https://x/y.yaml"] "https://x/y.yaml" has to be a path inside this folder, written with "/".',
    ],
    [
      { ...GOOD, grant: '/etc/grant' },
      'config-path ["/etc/grant"] "/etc/grant" has to be a path inside this folder, written with "/".',
    ],
    [
      { ...GOOD, grant: 'a\\b' },
      'config-path ["a\\\\b"] "a\\b" has to be a path inside this folder, written with "/".',
    ],
    [
      { ...GOOD, vendor: '../model.yaml' },
      'config-path ["../model.yaml"] "../model.yaml" has to be a path inside this folder, written with "/".',
    ],
    [
      { ...GOOD, adapters: ['a.js', '../*.js'] },
      'config-path ["../*.js"] "../*.js" has to be a path inside this folder, written with "/".',
    ],
    [{ ...GOOD, adapters: [] }, 'config-value [[]] "adapters" may not be empty.'],
    [{ ...GOOD, adapters: [5] }, 'config-value [5] "adapters.0" has to be a text.'],
    [
      { ...GOOD, vendor: 5 },
      'config-value [5] "vendor" is a text, or an object of "model" and "url": simulated:fleet, for example.',
    ],
    [{ ...GOOD, vendor: '' }, 'config-value [""] "vendor" may not be empty.'],
    [{ ...GOOD, vendor: { model: 'm' } }, 'config-missing-key [{] The key "url" is missing.'],
    [
      { ...GOOD, vendor: { model: 'm', url: 'ftp://x' } },
      'config-value ["ftp://x"] "vendor.url" has to start with http:// or https://.',
    ],
    [
      { ...GOOD, contract: 'capability-write/1' },
      'config-missing-key ["capability-write/1"] The contract capability-write/1 needs "capability": the write and the parts of its target.',
    ],
    [
      { ...GOOD, capability: { write: 'w', identity: ['a'], projected: ['b'] } },
      'config-unknown-key ["capability"] The contract fleet/1 has no "capability".',
    ],
    ['', 'config-syntax [] A value has to stand here.'],
    ['[]', 'config-value [[]] "loadline.json" has to be an object.'],
    [
      '{"contract": "fleet/1", "contract": "x"}',
      'config-syntax ["contract"] The key "contract" stands here a second time; the first one is used. Remove one of them.',
    ],
    ['{"contract": }', 'config-syntax [}] A value has to stand here.'],
  ])('%j', (value, expected) => {
    const { config, shown } = parse(value);
    expect(config).toBeNull();
    expect(shown).toEqual([expected]);
  });

  it('has no place for __proto__', () => {
    const { config, shown } = parse(
      `{"__proto__": {"contract": "fleet/1"}, ${JSON.stringify(GOOD).slice(1)}`,
    );
    expect(config).toBeNull();
    expect(shown[0]).toContain('config-unknown-key ["__proto__"]');
  });
});
