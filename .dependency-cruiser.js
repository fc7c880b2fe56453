/** Which room may import which (ARCHITECTURE.md, "Rooms"). Type-only imports count. */
const allowed = {
  base: [],
  platform: ['base'],
  protocol: ['base'],
  machine: ['base', 'protocol'],
  storage: ['base', 'platform', 'protocol'],
  metadata: ['base', 'protocol', 'machine'],
  security: ['base', 'protocol', 'metadata'],
  controller: ['base', 'protocol', 'machine', 'metadata'],
  group: ['base', 'protocol', 'machine', 'metadata'],
  transaction: ['base', 'protocol', 'machine', 'metadata'],
  client: ['base', 'platform', 'protocol', 'security'],
  raft: ['base', 'platform', 'protocol', 'storage', 'client'],
  replication: ['base', 'platform', 'protocol', 'storage', 'metadata', 'client'],
};
const lower = Object.keys(allowed);
allowed.server = lower;
allowed.broker = [...lower, 'server'];
allowed.embed = ['base', 'broker', 'client', 'protocol', 'platform'];
allowed.console = allowed.embed;
allowed.cli = [...allowed.embed, 'embed', 'console', 'storage', 'metadata', 'machine'];

const rules = Object.entries(allowed).map(([room, others]) => ({
  name: `${room}-imports-only-what-it-may`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: '^src/',
    pathNot: [
      `^src/(${[room, ...others].join('|')})/`,
      ...(room === 'cli' ? ['^src/[a-z-]+/(share/)?records\\.ts$'] : []),
    ],
  },
}));

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...rules,
    {
      name: 'handlers-never-import-each-other',
      severity: 'error',
      from: { path: '^src/server/handlers/(?!index)[^/]+\\.ts$' },
      to: { path: '^src/server/handlers/' },
    },
    {
      name: 'the-door-imports-embed-and-broker-only',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(embed|broker)/' },
    },
    {
      name: 'only-the-platform-touches-the-system',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(platform|cli|console)/' },
      to: {
        dependencyTypes: ['core'],
        path: '^(node:)?(fs|net|tls|dns|worker_threads|timers|perf_hooks|child_process|http|https|os)(/|$)',
      },
    },
    {
      name: 'no-test-in-the-product',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|compat-tests|bench|scripts)/' },
    },
    {
      name: 'no-development-package-in-the-product',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
  },
};
