import { expect } from 'vitest';
import { emitSandboxGlobals } from '../../../shared/src/surface/sandboxGlobals.ts';
import type { Schema } from '../../../shared/src/surface/surface.ts';
import { emitTypings } from '../../../shared/src/surface/typings.ts';
import { typeErrors } from './compile.ts';
import { answer, grant, operation, ref, surface } from './surfaces.ts';

/** Errors of the typings together with this adapter code. */
export function errors(typings: string, code = ''): string[] {
  return typeErrors({
    'client.d.ts': typings,
    'globals.d.ts': emitSandboxGlobals(),
    'adapter.ts': `export {};\n${code}`,
  });
}

/** The text that a schema called `Subject` is declared with. */
export function declared(schema: Schema, others: Record<string, Schema> = {}): string {
  const text = emitTypings(
    surface(
      [operation('op', 'GET', '/x', { grant: grant('GET /x'), answers: [answer('200', ref('Subject'))] })],
      {
        Subject: schema,
        ...others,
      },
    ),
  );
  expect(errors(text)).toEqual([]);
  const start = text.search(/ {2}(interface|type) Subject\b/);
  const end = text.slice(start).search(/(;|\})\n(\n|\})/);
  return text
    .slice(start, start + end + 1)
    .replace(/\s+/g, ' ')
    .trim();
}

export const object = (properties: Record<string, Schema>, extra: object = {}): Schema => ({
  type: 'object',
  properties,
  ...extra,
});
