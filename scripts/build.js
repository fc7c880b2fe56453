/** Bundles the command, the library and the worker into dist/; packages stay outside the bundle. */
const { buildSync } = require('esbuild');
const { mkdirSync, renameSync, writeFileSync } = require('node:fs');
const { basename, join, resolve } = require('node:path');

const folder = resolve(__dirname, '../dist');
const { outputFiles } = buildSync({
  absWorkingDir: resolve(__dirname, '..'),
  entryPoints: {
    index: 'src/index.ts',
    ottla: 'src/cli/main.ts',
    'offload-worker': 'src/broker/offload-worker.ts',
  },
  outdir: folder,
  bundle: true,
  write: false,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  packages: 'external',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
});
mkdirSync(folder, { recursive: true });
for (const { path, contents } of outputFiles) {
  // Renamed into place, so that a broker that is just being started never reads half a file.
  const temporary = join(folder, `.${basename(path)}.${process.pid}`);
  writeFileSync(temporary, contents, { mode: basename(path) === 'ottla.js' ? 0o755 : 0o644 });
  renameSync(temporary, path);
}
