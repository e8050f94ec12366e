import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fleet } from '../../../server/src/vendor/models/fleet.ts';
import { document, schemaAt } from './rig.ts';

function read(name: string): string {
  return readFileSync(new URL(`../../../examples/fleet/${name}`, import.meta.url), 'utf8');
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => methods.includes(method))
    .map(([method, operation]) => ({ path, method, operation: operation as Record<string, unknown> })),
);

describe('the example vendor document', () => {
  it('has the eight operations, the model plays the same ones', () => {
    const documented = operations.map(
      ({ path, method, operation }) => `${operation.operationId} ${method.toUpperCase()} ${path}`,
    );
    expect(documented).toEqual([
      'health GET /health',
      'listRobots GET /robots',
      'getRobot GET /robots/{id}',
      'decommissionRobot DELETE /robots/{id}',
      'updateFirmware POST /robots/{id}/firmware',
      'createMission POST /robots/{id}/missions',
      'getMission GET /missions/{id}',
      'cancelMission POST /missions/{id}/cancel',
    ]);
    expect(fleet.operations.map(({ name, method, path }) => `${name} ${method} ${path}`)).toEqual(documented);
  });

  it('gives only examples that its schemas allow', () => {
    const wrong: string[] = [];
    let checked = 0;
    const visit = (value: unknown, pointer: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if ('schema' in value && ('example' in value || 'examples' in value)) {
        const validate = schemaAt(`${pointer}/schema`);
        const named = Object.values(
          (value as { examples?: Record<string, { value: unknown }> }).examples ?? {},
        );
        const examples = 'example' in value ? [value.example] : named.map((each) => each.value);
        for (const example of examples) {
          checked += 1;
          if (!validate(example)) wrong.push(`${pointer}: ${JSON.stringify(validate.errors)}`);
        }
      }
      for (const [name, member] of Object.entries(value)) {
        visit(member, `${pointer}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
      }
    };
    visit(document, '');
    expect(wrong).toEqual([]);
    expect(checked).toBe(21);
  });

  it('names every status that calls can meet', () => {
    const common = ['401', '429', '500', '503'];
    const statuses = Object.fromEntries(
      operations.map(({ operation }) => [
        operation.operationId,
        Object.keys(operation.responses as object).filter((status) => !common.includes(status)),
      ]),
    );
    expect(statuses).toEqual({
      health: ['200'],
      listRobots: ['200'],
      getRobot: ['200', '404'],
      decommissionRobot: ['200', '403', '404'],
      updateFirmware: ['202', '403', '404', '409', '422'],
      createMission: ['200', '201', '404', '409', '422'],
      getMission: ['200', '404'],
      cancelMission: ['200', '404'],
    });
    for (const { operation } of operations) {
      expect(Object.keys(operation.responses as object)).toEqual(expect.arrayContaining(common));
    }
  });
});

describe('the example grant and loadline.json', () => {
  it('grants six of the eight operations', () => {
    const lines = read('fleet.grant')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      'GET /health',
      'GET /robots',
      'GET /robots/*',
      'POST /robots/*/missions key:body:/command_id',
      'GET /missions/*',
      'POST /missions/*/cancel',
      '@health GET /health',
      '@batch GET /robots for GET /robots/*',
    ]);
  });

  it('names document, grant and vendor', () => {
    expect(JSON.parse(read('loadline.json'))).toEqual({
      contract: 'fleet/1',
      client: 'fleet',
      openapi: 'vendor.openapi.yaml',
      grant: 'fleet.grant',
      vendor: 'simulated:fleet',
      adapters: expect.arrayContaining(['adapter*.js']),
    });
  });
});
