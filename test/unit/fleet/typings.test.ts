import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { fleet } from '../../../shared/src/contracts/fleet/contract.ts';
import type { Surface } from '../../../shared/src/surface/surface.ts';

const surface: Surface = {
  title: '',
  version: '',
  openapi: '3.1.0',
  client: 'fleet',
  operations: [],
  schemas: {},
  batches: [],
  digests: { document: '', grant: '' },
};

/** Messages of the compiler about `code` beside the contract's typings. */
function complaints(code: string): string[] {
  const text = `${fleet.typings(surface)}\n${code}`;
  const host = ts.createCompilerHost({});
  const own = host.getSourceFile.bind(host);
  host.getSourceFile = (name, options) =>
    name === 'adapter.ts' ? ts.createSourceFile(name, text, options) : own(name, options);
  const options: ts.CompilerOptions = { strict: true, noEmit: true, lib: ['lib.es2023.d.ts'], types: [] };
  const program = ts.createProgram(['adapter.ts'], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n').split('\n')[0] ?? '');
}

describe('typings', () => {
  it('hold every signature of the exports', () => {
    const aliases = fleet.exports.map(
      ({ name, signature }) =>
        `const ${name}: FleetContract.Adapter['${name}'] = null! as ${signature};\nnull! as FleetContract.Adapter['${name}'] satisfies ${signature};`,
    );
    expect(complaints(aliases.join('\n'))).toEqual([]);
  });

  it('allow what the shapes rule allows, and refuse what it refuses', () => {
    expect(
      complaints(`
        const rows = [{ id: 'r1', status: 'idle' as const, battery: 3, zone: null }];
        const inventory: FleetContract.Inventory = async () => rows;
        const cancel: FleetContract.Cancel = async () => ({ cancelled: true });
        const wait: FleetContract.Wait = async (id, { maxPolls = 50 }) => ({ state: 'done', polls: maxPolls });
      `),
    ).toEqual([]);
    expect(
      complaints(`
        const inventory: FleetContract.Inventory = async () => [{ id: 'r1', status: 'idle', battery: '3' }];
      `),
    ).toHaveLength(1);
    expect(
      complaints(`const wait: FleetContract.Wait = async () => ({ state: 'running', polls: 1 });`),
    ).toHaveLength(1);
    expect(complaints(`const dispatch: FleetContract.Dispatch = async () => 12;`)).toHaveLength(1);
  });
});
