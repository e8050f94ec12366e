/** JSON Schemas of what the guest may say, one per message of shared/src/guestProtocol.ts. Unknown keys are errors. */

const MAX_COUNT = 1_000_000_000;
const MAX_TIME = 1_000_000_000_000;

const count = { type: 'integer', minimum: 0, maximum: MAX_COUNT } as const;
const time = { type: 'number', minimum: 0, maximum: MAX_TIME } as const;
/** Any JSON: the frame's limits bound it. */
const json = {} as const;

function object(properties: Record<string, unknown>, optional: string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false } as const;
}

const site = object({
  line: { type: 'integer', minimum: 1, maximum: MAX_COUNT },
  column: { type: 'integer', minimum: 1, maximum: MAX_COUNT },
});

const thrown = object(
  {
    isError: { type: 'boolean' },
    name: { type: 'string', maxLength: 200 },
    message: { type: 'string', maxLength: 4_000 },
    code: json,
    site,
  },
  ['code', 'site'],
);

const exportNames = { type: 'array', items: { type: 'string', maxLength: 200 }, maxItems: 100 } as const;

/** Parameters of the guest's requests and notifications. */
export const GUEST_PARAMS = {
  hello: object({ protocol: { const: 1 }, node: { type: 'string', maxLength: 40 } }),
  settled: object({
    step: count,
    invocation: count,
    at: time,
    result: {
      oneOf: [
        object({ kind: { const: 'returned' }, value: json, site }, ['site']),
        object({ kind: { const: 'threw' }, error: thrown }),
      ],
    },
  }),
  call: object(
    {
      method: { type: 'string', pattern: '^[A-Z]{1,16}$' },
      target: { type: 'string', maxLength: 16 * 1024 },
      headers: {
        type: 'object',
        maxProperties: 100,
        propertyNames: { pattern: "^[a-z0-9!#$%&'*+.^_`|~-]{1,200}$" },
        additionalProperties: { type: 'string', maxLength: 16 * 1024 },
      },
      body: json,
      contentType: { type: 'string', maxLength: 200 },
      site,
      at: time,
    },
    ['body', 'contentType', 'site'],
  ),
  advance: object({ step: count, timer: { anyOf: [time, { type: 'null' }] }, turns: count }),
} as const;

/** Results of the host's requests. */
export const GUEST_RESULTS = {
  load: {
    oneOf: [
      object({ loaded: { const: true }, exports: exportNames, missing: exportNames }),
      object({ loaded: { const: false }, error: thrown }),
    ],
  },
  step: { type: 'null' },
  unload: { type: 'null' },
} as const;
