/**
 * The package as it would be published, embedded by small projects of others: under Vitest, Jest
 * and node:test, by `require` and `import`, with its types.
 */
import { match } from 'node:assert';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { run, runWell } from '../support/process';
import type { OwnBrokersSuite } from '../support/suite';

const ROOT = resolve(__dirname, '../..');
/** What the projects install beside ottla. */
const TOOLS = ['vitest', 'jest', 'typescript', 'kafkajs', '@types/node'];
const ENV = { NODE_EXTRA_CA_CERTS: '', KAFKAJS_NO_PARTITIONER_WARNING: '1', NO_COLOR: '1' };

/** The packages that ottla itself names: nothing else of this project can be reached. */
function dependencies(): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(manifest.dependencies);
}

/** A copy of the project, with ottla installed in it as npm would. */
async function install(project: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ottla-embed-'));
  cpSync(join(__dirname, 'projects', project), folder, { recursive: true });
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  await runWell('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
  });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  await runWell('tar', ['-xzf', tarball, '-C', modules], { cwd: folder });
  cpSync(join(modules, 'package'), join(modules, 'ottla'), { recursive: true });
  for (const name of [...dependencies(), ...TOOLS]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  return folder;
}

/** Runs a program of Node's in a project of its own; gives what it printed. */
async function inProject(
  project: string,
  use: (node: (...args: string[]) => Promise<string>) => Promise<void>,
): Promise<void> {
  const folder = await install(project);
  try {
    await use(async (...args) => {
      const { exitCode, stdout, stderr } = await run(process.execPath, args, {
        cwd: folder,
        env: ENV,
      });
      if (exitCode !== 0) throw new Error(`exit code ${exitCode}:\n${stdout}\n${stderr}`);
      return stdout + stderr;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const TSC = join('node_modules', 'typescript', 'bin', 'tsc');
const STRICT = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node', 'consumer.ts'];

const RESOLUTIONS = [
  ['node16', 'node16'],
  ['bundler', 'esnext'],
  ['node10', 'commonjs'],
] as const;

export const suite: OwnBrokersSuite = {
  name: 'embed',
  broker: 'own',
  missing: async () => undefined,
  cases: [
    {
      name: 'the package has its types and programs, and nothing of the tests',
      run: async () => {
        await runWell('npm', ['run', '--silent', 'build'], { cwd: ROOT });
        const { stdout } = await runWell(
          'npm',
          ['pack', '--dry-run', '--json', '--ignore-scripts'],
          {
            cwd: ROOT,
          },
        );
        const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
        const paths = files.map(({ path }) => path).join('\n');
        for (const wanted of [
          /^dist\/index\.js$/m,
          /^dist\/ottla\.js$/m,
          /^dist\/offload-worker\.js$/m,
          /^dist\/types\/index\.d\.ts$/m,
          /^LICENSE$/m,
        ]) {
          match(paths, wanted);
        }
        const strangers = paths.split('\n').filter((path) => /^(src|test|bench|\.)/.test(path));
        if (strangers.length > 0) throw new Error(`the package has ${strangers.join(', ')}`);
      },
    },
    {
      name: 'Vitest, with and without fake timers',
      run: () =>
        inProject('vitest', async (node) => {
          match(await node('node_modules/vitest/vitest.mjs', 'run'), /Tests\s+3 passed/);
        }),
    },
    {
      name: 'node:test, by import and by require',
      run: () =>
        inProject('node-test', async (node) => {
          match(await node('--test', '--test-reporter=tap'), /# pass 4\n/);
        }),
    },
    {
      name: 'Jest with fake timers everywhere',
      run: () =>
        inProject('jest', async (node) => {
          const printed = await node('node_modules/jest/bin/jest.js');
          match(printed, /Tests:\s+3 passed/);
          if (/did not exit/.test(printed)) throw new Error(printed);
        }),
    },
    ...RESOLUTIONS.map(([resolution, module]) => ({
      name: `its types are found with moduleResolution ${resolution}`,
      run: () =>
        inProject('types', async (node) => {
          await node(TSC, ...STRICT, '--module', module, '--moduleResolution', resolution);
        }),
    })),
  ],
};
