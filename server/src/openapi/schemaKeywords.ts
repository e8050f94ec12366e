/** Keywords of schemas, by what stands under them. Anything else is left out of the normal form. */

export const SUBSCHEMA = new Set([
  'additionalProperties',
  'items',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
]);

export const SUBSCHEMA_LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

export const SUBSCHEMA_MAP = new Set(['properties', 'patternProperties', 'dependentSchemas']);

export const TEXT = new Set([
  'title',
  'description',
  'format',
  'pattern',
  'contentEncoding',
  'contentMediaType',
]);

export const NUMBER = new Set([
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
]);

export const FLAG = new Set(['deprecated', 'readOnly', 'writeOnly', 'uniqueItems']);

/** They say something about a value without limiting which values fit: they may stand beside a reference. */
export const ANNOTATION = new Set(['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly']);

export const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
