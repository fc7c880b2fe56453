/** The house rules that no compiler checks. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { generatedDocs, NOT_SERVED } from '../scripts/generated-docs';
import { BROKER_SETTINGS, type BrokerSetting } from '../src/broker/settings-table';
import { APIS } from '../src/protocol/apis';
import { handlers } from '../src/server/handlers';
import { foreignWords, parse, type SourceFile, textsIn } from './support/source-words';

const ROOT = join(__dirname, '..');
const PROJECT = ['src', 'test', 'compat-tests', 'bench', 'scripts', 'docs', '.ci'];

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** What a build, a run or a package manager leaves. */
const NO_SOURCES = new Set(['node_modules', 'dist', 'coverage', 'ottla-data', '.git']);

/** All files below a folder of the project, with their paths in it. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (NO_SOURCES.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const sources: readonly SourceFile[] = filesBelow('src')
  .filter((path) => path.endsWith('.ts'))
  .map((path) => parse(path, read(path)));

describe('every room', () => {
  const rooms = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && filesBelow(`src/${entry.name}`).length > 0)
    .map(({ name }) => name);

  test.each(rooms)('%s says in 10 to 40 lines what it is for', (room) => {
    const lines = read(`src/${room}/README.md`).trimEnd().split('\n');
    expect(lines[0]).toBe(`# ${room}`);
    expect(lines.length).toBeGreaterThanOrEqual(10);
    expect(lines.length).toBeLessThanOrEqual(40);
  });

  test('stands in the rules of which room may import which', () => {
    const { forbidden } = require('../.dependency-cruiser.js') as {
      readonly forbidden: readonly { readonly name: string }[];
    };
    const ruled = forbidden.map(({ name }) => name.replace('-imports-only-what-it-may', ''));
    expect(rooms.filter((room) => !ruled.includes(room))).toEqual([]);
  });
});

describe('sources', () => {
  /** Tables are as long as what they list. */
  const TABLES = [
    'src/broker/settings-table.ts',
    'src/group/records.ts',
    'src/metadata/records.ts',
    'src/metadata/topic-configs.ts',
  ];

  test('are files of at most 420 lines, tables excepted', () => {
    const long = sources.filter(
      ({ text, path }) => lineCount(text) > 420 && !TABLES.includes(path),
    );
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test('have lines of at most 100 columns', () => {
    const wide = sources.flatMap(({ path, text }) =>
      text
        .split('\n')
        .map((line, index) => ({ at: `${path}:${index + 1}`, columns: [...line].length }))
        .filter(({ columns }) => columns > 100),
    );
    expect(wide.map(({ at }) => at)).toEqual([]);
  });

  test('open with a sentence that says what the file is for, message tables excepted', () => {
    const silent = sources.filter(
      ({ path, text }) => !/^(#!.*\n)?\/\*\*/.test(text) && !path.startsWith('src/protocol/apis/'),
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  test('touch the operating system, time and chance in platform and cli alone', () => {
    const inside = sources.filter(({ path }) => !/^src\/(platform|cli)\//.test(path));
    expect(inside.flatMap(foreignWords)).toEqual([]);
  });

  test('leave no work for later', () => {
    const marks = /\b(T[O]DO|F[I]XME|X[X]X)\b/;
    const left = PROJECT.flatMap(filesBelow).filter((path) => marks.test(read(path)));
    expect(left).toEqual([]);
  });
});

describe('every API of Kafka', () => {
  const served = new Set(handlers.map(({ api }) => api.name));

  test('is served, or listed with the reason why not, never both', () => {
    const unclear = APIS.filter(({ name }) => served.has(name) === name in NOT_SERVED);
    expect(unclear.map(({ name }) => name)).toEqual([]);
  });

  test('that is listed exists, and its reason is a sentence', () => {
    const names = APIS.map(({ name }) => name);
    expect(Object.keys(NOT_SERVED).filter((name) => !names.includes(name))).toEqual([]);
    expect(Object.values(NOT_SERVED).filter((reason) => reason.length < 20)).toEqual([]);
  });
});

describe('every broker setting', () => {
  const settings: readonly BrokerSetting[] = BROKER_SETTINGS;
  const inForce = settings.filter(({ documentation }) => documentation !== undefined);
  const otherSources = sources.filter(({ path }) => path !== 'src/broker/settings-table.ts');

  test('that is in force says what it does in a sentence', () => {
    const odd = inForce.filter(({ documentation = '' }) => !/^[A-Z`].*\.$/.test(documentation));
    expect(odd.map(({ name }) => name)).toEqual([]);
  });

  test('that says so is read somewhere', () => {
    const named = new Set(otherSources.flatMap(textsIn));
    expect(inForce.filter(({ name }) => !named.has(name)).map(({ name }) => name)).toEqual([]);
  });

  test('that is read says so', () => {
    const said = new Set(inForce.map(({ name }) => name));
    const reading = /\.(?:value|number)\(\s*'([\w.]+)'/g;
    const read = otherSources
      .filter(({ path }) => path.startsWith('src/broker/'))
      .flatMap(({ text }) => [...text.matchAll(reading)].map(([, name = '']) => name));
    expect(read.length).toBeGreaterThan(50);
    expect(read.filter((name) => !said.has(name))).toEqual([]);
  });
});

test.each([...generatedDocs()])('docs/%s is what `npm run docs` writes', (file, text) => {
  expect(read(`docs/${file}`)).toBe(text);
});

describe('the package', () => {
  interface Manifest {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  }
  interface Locked {
    readonly dev?: boolean;
    readonly hasInstallScript?: boolean;
    readonly resolved?: string;
  }
  const manifest = JSON.parse(read('package.json')) as Manifest;
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };

  test('pins exact versions', () => {
    const all = { ...manifest.dependencies, ...manifest.devDependencies };
    const loose = Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
    expect(loose).toEqual([]);
  });

  test('runs no script when it is installed', () => {
    const running = Object.entries(packages).filter(
      ([, { hasInstallScript, dev }]) => hasInstallScript === true && dev !== true,
    );
    expect(running.map(([path]) => path)).toEqual([]);
  });

  test('locks versions without naming the registry of the machine that locked them', () => {
    const hosts = Object.values(packages).flatMap(({ resolved }) =>
      resolved === undefined ? [] : [new URL(resolved).host],
    );
    expect([...new Set(hosts)].filter((host) => host !== 'registry.npmjs.org')).toEqual([]);
  });
});

test('documents link to files that exist', () => {
  const broken = filesBelow('.')
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)]
        .map(([, target = '']) => relative(ROOT, join(ROOT, path, '..', target)))
        .filter((target) => !existsSync(join(ROOT, target)))
        .map((target) => `${path} → ${target}`),
    );
  expect(broken).toEqual([]);
});

const lineCount = (text: string): number => text.trimEnd().split('\n').length;
