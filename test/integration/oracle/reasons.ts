/**
 * Why a type of ours differs from the oracle's, on purpose. Every place stands in exceptions.json under one of these;
 * a listed place that no longer differs fails the test, and so does one that is not listed.
 */
export const REASONS: Record<string, string> = {
  'any-of-beside-members':
    'A schema with members and anyOf has to fit both. The oracle writes "members or one of them", so every member that only says "required" makes the whole type unknown.',
  'closed-empty-object':
    'An object without members and with additionalProperties: false is {}. The oracle takes it for any object.',
  'required-beside-all-of':
    'A member of allOf may require what another one declares. The oracle leaves such members optional.',
  'array-without-type': 'A schema with items and no type is meant as an array. The oracle says unknown.',
  'index-clash':
    'Members that do not fit the type of additionalProperties or patternProperties. The oracle intersects both, which is a type that no object literal has; ours widens the index.',
  'tagged-any-of':
    'A discriminator over anyOf tags its members as one over oneOf does. The oracle tags oneOf only.',
  'tag-is-no-text':
    'A discriminator whose property is a number or a boolean. The oracle writes the mapping key, which is always text, over the declared type.',
  'extends-a-choice':
    'A schema that extends a whole tagged union, named in no mapping, is no member of it. The oracle gives it its own name as a tag and takes away what the members have.',
  'tag-against-its-enum':
    'A mapping gives a schema a tag that the schema itself does not allow. The oracle puts both together: never.',
  'closed-member':
    'A member of allOf without members of its own and with additionalProperties: false: by the letter nothing fits. Ours leaves it out.',
  'dynamic-reference':
    'The oracle makes $defs a member of the object and follows no $dynamicRef; ours reads it as its target.',
  'null-beside-reference':
    'In 3.0 nullable beside a $ref counts for nothing by the letter. Vendors mean it; the oracle drops it.',
  'circular-in-the-oracle':
    'The oracle writes a type that refers to itself (TypeScript refuses it) and so has none.',
  'undeclared-path-parameter':
    'A path parameter that the document does not declare: ours is a text, the oracle has none.',
  'unknown-type':
    'A type that JSON Schema does not know says nothing to us, and "some object" to the oracle.',
  'content-in-2.0': 'Swagger 2.0 has no content; the converter passes it on as if it were 3.0.',
};

/** Documents that the oracle refuses, by the start of its message. */
export const REFUSED: Record<string, string> = {
  'edge-cases/2.0.x/external.yaml': "Can't resolve $ref",
  'edge-cases/2.0.x/full.yaml': "Can't resolve $ref",
  'edge-cases/3.0.x/external.yaml': "Can't resolve $ref",
  'edge-cases/3.0.x/full.yaml': "Can't resolve $ref",
  'edge-cases/3.1.x/validators-circular-ref.json': 'Self-referencing circular pointer',
  'faults/dangling-ref.yaml': "Can't resolve $ref",
  'faults/dup-operationId.yaml': 'Every operation must have a unique `operationId`',
  'faults/dup-opid.json': 'Every operation must have a unique `operationId`',
  'faults/dup-yaml-key.yaml': 'duplicated mapping key',
  'faults/self-ref.json': 'Self-referencing circular pointer',
  'faults/tab-indent.yaml': 'tab characters must not be used in indentation',
};
