/** package.json against what the code reads and registers. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../../package.json';
import words from '../../../package.nls.json';
import { DEFAULT_SETTINGS, readSettings } from '../../../shared/src/settings.ts';
import { root } from '../../support/loadline.ts';

interface Setting {
  type: string;
  default?: unknown;
  scope?: string;
  markdownDescription?: string;
  enum?: string[];
}

const { contributes } = manifest;
const settings = new Map<string, Setting>(Object.entries(contributes.configuration.properties));
/** The language client's own, by its own name. */
const OF_THE_CLIENT = 'loadline.trace.server';

/** A value of its type that is not the default. */
function another({ type, enum: choices, default: fallback }: Setting): unknown {
  if (choices) return choices.find((choice) => choice !== fallback);
  switch (type) {
    case 'array':
      return ['tcp://127.0.0.1:1'];
    case 'boolean':
      return fallback !== true;
    case 'integer':
      return 3;
    case 'object':
      return { 'unused-grant': 'off' };
    default:
      return '/somewhere';
  }
}

function sectionWith(name: string, value: unknown): object {
  return name
    .split('.')
    .slice(1)
    .reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
}

test('each setting of the manifest changes exactly one that the code reads, and each one read is there', () => {
  const changed = [...settings]
    .filter(([name]) => name !== OF_THE_CLIENT)
    .map(([name, setting]) => {
      const read = Object.entries(readSettings(sectionWith(name, another(setting))));
      const names = read
        .filter(
          ([key, value]) =>
            !equal(value, Object.entries(DEFAULT_SETTINGS).find(([known]) => known === key)?.[1]),
        )
        .map(([key]) => key);
      expect(names, name).toHaveLength(1);
      return names[0];
    });
  expect(changed.sort()).toEqual(Object.keys(DEFAULT_SETTINGS).sort());
});

const equal = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

test('the defaults of the manifest are the defaults of the code', () => {
  let section = {};
  for (const [name, setting] of settings)
    if (name !== OF_THE_CLIENT) section = merged(section, sectionWith(name, setting.default));
  expect(readSettings(section)).toEqual(DEFAULT_SETTINGS);
});

function merged(one: object, other: object): object {
  const result: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const known = result[key];
    const both = isRecord(known) && isRecord(value);
    result[key] = both ? merged(known, value) : value;
  }
  return result;
}

const isRecord = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

test('each setting has a scope and a description; what reaches host, keys or sandbox is of the machine alone', () => {
  const scopes = [...settings].map(([name, { scope, markdownDescription }]) => {
    expect(markdownDescription, name).toBe(`%${name.replace(/^loadline/, 'setting')}%`);
    return [name, scope];
  });
  expect(Object.fromEntries(scopes)).toEqual({
    'loadline.docker.hosts': 'machine',
    'loadline.docker.runtime': 'machine',
    'loadline.sandbox.minimumTier': 'machine',
    'loadline.sandbox.baseImage': 'machine',
    'loadline.sandbox.keepWarm': 'machine',
    'loadline.jobs': 'machine',
    'loadline.clock': 'resource',
    'loadline.draftOnSave': 'resource',
    'loadline.trustedKeys': 'machine',
    'loadline.signingKey': 'machine',
    'loadline.severity': 'resource',
    'loadline.trace.server': 'window',
  });
});

test('each command has a title, and each menu entry is of a command that is there', () => {
  const commands = contributes.commands.map(({ command, title, category }) => {
    expect(title).toBe(`%${command.replace(/^loadline/, 'command')}%`);
    expect(category).toBe('Loadline');
    return command;
  });
  expect(new Set(commands).size).toBe(commands.length);
  const used = Object.values(contributes.menus).flatMap((entries) => entries.map(({ command }) => command));
  expect(used.filter((command) => !commands.includes(command))).toEqual([]);
});

test('each command of the manifest is registered by the client, and each registered one is there', () => {
  const sources = readdirSync(join(root, 'client/src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, 'client/src', name), 'utf8'))
    .join('\n');
  const registered = new Set([
    ...[...sources.matchAll(/^ {4}'(loadline\.\w+)':/gm)].map(([, name]) => name),
    ...[...sources.matchAll(/registerCommand\('(loadline\.\w+)'/g)].map(([, name]) => name),
  ]);
  expect([...registered].sort()).toEqual(contributes.commands.map(({ command }) => command).sort());
});

test('each text of package.nls.json is used, and each one that is used is there', () => {
  const used = [...JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key);
  expect([...new Set(used)].sort()).toEqual(Object.keys(words).sort());
});
