/**
 * librdkafka and those of its own tests that are run here, built from the sources that the npm
 * package of its JavaScript client carries. Kept in the user's cache; nothing of it is in this
 * repository.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isInstalled, run, runWell } from '../support/process';

const PACKAGE = '@confluentinc/kafka-javascript';
/** It carries librdkafka 2.15.1. */
const VERSION = '1.10.1';
const SOURCES_IN_PACKAGE = 'package/deps/librdkafka';
const TESTS = [
  '0090-idempotence',
  '0094-idempotence_msg_timeout',
  '0103-transactions',
  '0129-fetch_aborted_msgs',
];
/** What all of them share. */
const COMMON = 'test rusage testcpp tinycthread tinycthread_extra rdlist sockem sockem_ctrl';
const WITHOUT = 'ssl gssapi curl zlib zstd lz4-ext syslog debug-symbols optimization';
const BUILD_TIMEOUT_MS = 900_000;

const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
const home = join(cache, `ottla-librdkafka-of-${VERSION}`);
const tests = join(home, 'tests');
const runner = join(tests, 'ottla-test-runner');

/** Why the tests cannot be had on this machine; undefined once they are built. */
export async function missingTests(): Promise<string | undefined> {
  if (existsSync(runner)) return undefined;
  for (const program of ['gcc', 'g++', 'make', 'tar', 'npm']) {
    if (!(await isInstalled(program))) return `${program} is not installed`;
  }
  const header = { input: '#include <rapidjson/document.h>\n' };
  const compiled = await run('g++', ['-fsyntax-only', '-x', 'c++', '-'], header);
  if (compiled.exitCode !== 0) return 'the headers of RapidJSON are not installed';
  try {
    await fetchSources();
  } catch (error) {
    return `${PACKAGE} ${VERSION} could not be fetched: ${firstLine(error)}`;
  }
  try {
    await build();
  } catch (error) {
    return `librdkafka could not be built: ${firstLine(error)}`;
  }
  return undefined;
}

/** Runs the tests of these numbers side by side; gives the table they end with, or rejects. */
export async function runTests(
  numbers: readonly string[],
  bootstrapServers: string,
  folder: string,
): Promise<string> {
  const configuration = join(folder, 'test.conf');
  writeFileSync(configuration, `bootstrap.servers=${bootstrapServers}\n`);
  const { exitCode, stdout, stderr } = await run(runner, ['-L', `-p${numbers.length}`], {
    cwd: folder,
    timeoutMs: 600_000,
    env: {
      TESTS: numbers.join(','),
      TEST_KAFKA_VERSION: '4.4.0',
      RDKAFKA_TEST_CONF: configuration,
    },
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours it prints
  const printed = `${stderr}\n${stdout}`.replace(/\x1b\[[0-9;]*m/g, '');
  if (exitCode === 0) return printed;
  const failures = printed.split('\n').filter((line) => /FAIL|assert/i.test(line));
  throw new Error(`ended with ${exitCode}:\n${failures.join('\n')}`);
}

async function fetchSources(): Promise<void> {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const packed = await runWell('npm', ['pack', '--silent', `${PACKAGE}@${VERSION}`], {
    cwd: home,
    timeoutMs: 300_000,
  });
  const depth = `${SOURCES_IN_PACKAGE.split('/').length}`;
  const archive = packed.stdout.trim();
  await runWell('tar', ['xzf', archive, `--strip-components=${depth}`, SOURCES_IN_PACKAGE], {
    cwd: home,
  });
}

async function build(): Promise<void> {
  const make = (folder: string, ...targets: string[]) =>
    runWell('make', [`-j${availableParallelism()}`, '-C', folder, ...targets], {
      cwd: home,
      timeoutMs: BUILD_TIMEOUT_MS,
    });
  await runWell('sh', ['-c', 'chmod +x configure lds-gen.py mklove/*'], { cwd: home });
  const flags = WITHOUT.split(' ').map((feature) => `--disable-${feature}`);
  await runWell('./configure', flags, { cwd: home, timeoutMs: BUILD_TIMEOUT_MS });
  await make('src', 'librdkafka.a');
  await make('src-cpp', 'librdkafka++.a');
  const shared = COMMON.split(' ');
  // `test.o` asks for a plug-in that none of these tests loads.
  const objects = [...TESTS, ...shared].map((name) => `${name}.o`);
  await make('tests', '-o', 'interceptor_test', ...objects);
  const include = ['-I../src', '-I../src-cpp', '-I.'];
  const ownHalf = resolve(__dirname, 'own-half.cpp');
  await runWell('g++', ['-O0', ...include, '-c', ownHalf, '-o', 'own-half.o'], {
    cwd: tests,
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  // The table of all tests names those that are not built here as well; they are never called.
  const link = ['-no-pie', '-Wl,--unresolved-symbols=ignore-in-object-files'];
  const libraries = ['-L../src-cpp', '-L../src', '-lrdkafka++', '-lrdkafka'];
  const system = ['-lm', '-ldl', '-lpthread', '-lrt'];
  await runWell('g++', [...link, ...objects, 'own-half.o', ...libraries, ...system, '-o', runner], {
    cwd: tests,
  });
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
