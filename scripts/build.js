/** Bundles the command, the library and the worker into dist/; packages stay outside the bundle. */
const { buildSync } = require('esbuild');
const { rmSync } = require('node:fs');

for (const file of ['index.js', 'ottla.js', 'offload-worker.js']) {
  rmSync(`dist/${file}`, { force: true });
}
buildSync({
  entryPoints: {
    index: 'src/index.ts',
    ottla: 'src/cli/main.ts',
    'offload-worker': 'src/broker/offload-worker.ts',
  },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  packages: 'external',
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
});
