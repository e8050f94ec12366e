/** The import arrows of docs/architecture.md: top imports bottom, never upward, no circles. */
const order = [
  ['server/src/(main|connection)', 'server/src/cli/'],
  ['server/src/session/'],
  ['server/src/language/'],
  ['server/src/lint/'],
  ['server/src/analysis/'],
  ['server/src/workspace/'],
  ['server/src/surface/'],
  ['server/src/grant/', 'server/src/openapi/'],
];
const upward = order.slice(1).map((layer, index) => ({
  name: `${layer[0]} imports nothing above it`,
  severity: 'error',
  from: { path: layer.map((path) => `^${path}`) },
  to: {
    path: order
      .slice(0, index + 1)
      .flat()
      .map((path) => `^${path}`),
  },
}));
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: '^(client|server|shared|sandbox-images)/', pathNot: [from, ...allowed] },
});

module.exports = {
  forbidden: [
    {
      name: 'no circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...upward,
    only('shared imports shared alone', '^shared/src/', []),
    {
      name: 'shared is pure: no Node, no Docker, no editor',
      severity: 'error',
      from: { path: '^shared/src/' },
      to: {
        path: [
          '^node:',
          '^(fs|net|http|https|child_process|path|os|crypto)$',
          'node_modules/(dockerode|vscode)',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'jose signs and verifies in evidence alone',
      severity: 'error',
      from: { path: '^shared/src/', pathNot: '^shared/src/evidence/' },
      to: { path: 'node_modules/jose/', dependencyTypesNot: ['type-only'] },
    },
    only('client imports shared alone', '^client/src/', ['^shared/src/']),
    only('the guest imports its protocol alone', '^sandbox-images/guest/', [
      '^shared/src/(guestProtocol|lanes|json)',
    ]),
    only('grant and openapi import shared alone', '^server/src/(grant|openapi)/', [
      '^shared/src/',
      '^server/src/(grant|openapi|workspace/files)',
    ]),
    only('broker imports grant and the vendor seam', '^server/src/broker/', [
      '^shared/src/',
      '^server/src/grant/',
      '^server/src/vendor/vendor',
    ]),
    only('vendor imports shared alone', '^server/src/vendor/', ['^shared/src/']),
    only('sandbox imports shared alone', '^server/src/sandbox/', ['^shared/src/']),
    only('runner imports broker, sandbox, vendor', '^server/src/runner/', [
      '^shared/src/',
      '^server/src/(broker|sandbox|vendor|grant)/',
      '^server/src/workspace/adapterFile',
    ]),
    only('signer imports shared and how an adapter is read', '^server/src/signer/', [
      '^shared/src/',
      '^server/src/workspace/adapterFile',
    ]),
    {
      name: 'runs are known as messages alone',
      severity: 'error',
      from: {
        path: '^(client|server/src/(main|connection|cli|session|language|lint|analysis|workspace|surface|grant|openapi|runs))',
      },
      to: { path: '^server/src/(runner|broker|sandbox|vendor|signer)/' },
    },
    {
      name: 'only analysis knows typescript',
      severity: 'error',
      from: { path: '^(client|server|shared)/', pathNot: '^server/src/analysis/' },
      to: { path: 'node_modules/typescript/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
  },
};
