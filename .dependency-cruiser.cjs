/**
 * The house rules on imports: no cycle, one face, one way, pure is pure, no orphan.
 * docs/request-path.md shows the same order from a chat's point of view.
 */

/** Each room with the rooms it may use. Whatever isn't named is forbidden. */
const GROUND = ['kernel', 'settings'];
const ROOMS = {
  kernel: [],
  settings: ['kernel'],
  http: ['kernel'],
  openapi: ['kernel', 'http'],
  access: [...GROUND, 'http'],
  limits: [...GROUND, 'http'],
  traces: GROUND,
  'node-networks': GROUND,
  registry: [...GROUND, 'node-networks'],
  'wallet-proof': [...GROUND, 'registry'],
  topology: [...GROUND, 'registry'],
  'node-health': [...GROUND, 'registry'],
  'candidate-enumeration': [...GROUND, 'registry', 'topology', 'node-health'],
  'routing-stats': [...GROUND, 'topology'],
  'node-speeds': GROUND,
  routing: [
    ...GROUND,
    'http',
    'openapi',
    'registry',
    'topology',
    'node-health',
    'candidate-enumeration',
    'routing-stats',
    'node-speeds',
  ],
  'nodes-api': [
    ...GROUND,
    'http',
    'limits',
    'openapi',
    'registry',
    'node-networks',
    'wallet-proof',
    'topology',
    'node-health',
    'node-speeds',
  ],
  calls: [...GROUND, 'http', 'openapi', 'traces', 'candidate-enumeration', 'routing', 'routing-stats'],
  'chat-proxy': [
    ...GROUND,
    'http',
    'openapi',
    'traces',
    'registry',
    'node-networks',
    'node-health',
    'node-speeds',
    'candidate-enumeration',
    'routing-stats',
    'routing',
    'calls',
  ],
  history: [...GROUND, 'http', 'openapi', 'topology', 'calls'],
  replay: [...GROUND, 'http', 'openapi', 'topology', 'routing', 'calls'],
  metrics: [
    ...GROUND,
    'openapi',
    'registry',
    'topology',
    'node-health',
    'node-speeds',
    'candidate-enumeration',
    'routing',
    'calls',
  ],
  probes: [...GROUND, 'openapi'],
  dashboard: [...GROUND, 'http', 'openapi'],
  'api-docs': [
    ...GROUND,
    'http',
    'openapi',
    'routing',
    'nodes-api',
    'calls',
    'chat-proxy',
    'history',
    'replay',
    'metrics',
    'probes',
    'dashboard',
  ],
};

const PURE = require('./pure-files.cjs').map((file) => file.replace(/\./g, '\\.').replace(/\*/g, '[^/]+'));

/** Entry points: nobody imports them. */
const ENTRIES = ['^src/main\\.ts$', '^src/demo/main\\.ts$', '^src/demo/reference-node\\.main\\.ts$'];

/** What rooms tell of their operations, and the list of that. */
const TELLS_OF_THE_API = ['^src/[^/]+/[^/]+\\.openapi\\.ts$', '^src/(api-docs)/parts\\.ts$'];

const oneWay = Object.entries(ROOMS).map(([room, allowed]) => ({
  name: `one-way-${room}`,
  comment: `${room}/ may use ${allowed.join(', ') || 'no other room'} only.`,
  severity: 'error',
  from: { path: `^src/${room}/`, pathNot: '\\.spec\\.ts$' },
  to: { path: '^src/', pathNot: [room, ...allowed].map((name) => `^src/${name}/`) },
}));

module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'one-face',
      comment:
        'A room is entered through its index.ts. The demo is no room: its nodes must start without Nest.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: ['^src/demo/', ...TELLS_OF_THE_API] },
      to: { path: '^src/([^/]+)/', pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$'] },
    },
    {
      name: 'second-face',
      comment:
        'What rooms tell of their operations is not in their index.ts, since no start may wait for it.',
      severity: 'error',
      from: { path: TELLS_OF_THE_API.map((path) => path.replace('[^/]+', '([^/]+)')) },
      to: { path: '^src/([^/]+)/', pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$', TELLS_OF_THE_API[0]] },
    },
    {
      name: 'the-document-comes-late',
      severity: 'error',
      from: { path: '^src/', pathNot: TELLS_OF_THE_API },
      to: { path: TELLS_OF_THE_API, dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'one-face-from-outside',
      severity: 'error',
      from: { path: '^src/[^/]+\\.ts$' },
      to: { path: '^src/[^/]+/', pathNot: '^src/[^/]+/index\\.ts$' },
    },
    {
      name: 'nothing-uses-the-demo',
      severity: 'error',
      from: { pathNot: ['^src/demo/', '^test/'] },
      to: { path: '^src/demo/' },
    },
    ...oneWay,
    {
      name: 'pure-is-pure',
      comment: 'No framework, no sockets, no files, no clock, no dice in what decides.',
      severity: 'error',
      from: { path: PURE.map((file) => `^src/${file}$`), pathNot: '\\.spec\\.ts$' },
      to: {
        path: [
          'node_modules/(@nestjs|axios|undici|express|pino|rxjs|pure-rand)',
          '^(node:)?(fs|net|dns|timers|perf_hooks|crypto|child_process|worker_threads)(/|$)',
          '\\.(service|module|controller)\\.ts$',
          '^src/kernel/(clock|rng|event-bus)\\.ts$',
        ],
        pathNot: ['^(node:)?net$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'swagger-comes-late',
      comment: 'It takes a quarter of a second to load; docs/adr/0012-openapi-document.md.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/@nestjs/swagger', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-orphan',
      severity: 'error',
      from: { orphan: true, pathNot: [...ENTRIES, '\\.spec\\.ts$', '\\.d\\.ts$'] },
      to: {},
    },
    {
      name: 'reachable-from-an-entry',
      comment: 'Code that no program and no test reaches is dead.',
      severity: 'error',
      from: { path: ENTRIES },
      to: { reachable: false, path: '^src/', pathNot: ['\\.spec\\.ts$', ...ENTRIES] },
    },
    {
      name: 'not-to-spec',
      severity: 'error',
      from: { pathNot: '\\.spec\\.ts$' },
      to: { path: '\\.spec\\.ts$' },
    },
    {
      name: 'no-dev-dependency',
      comment: 'The image has production dependencies only.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
