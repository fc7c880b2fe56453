import { readFileSync, writeFileSync } from 'node:fs';
import { freePort } from '../../compat-tests/support/apache-kafka';
import { portOf, Workplace } from './command';

let place: Workplace;
let controllerPort: number;
beforeEach(async () => {
  place = new Workplace();
  controllerPort = await freePort();
});
afterEach(() => place.end());

const ID = 'UpcnC5bXRUuvqj4GcDvAow';
const DIRECTORY = 'MvDxzVmcRsaTz33bUuRU6A';

function properties(...more: readonly string[]): string {
  const file = place.path('server.properties');
  const lines = [
    'process.roles=broker,controller',
    'node.id=1',
    `listeners=PLAINTEXT://localhost:0,CONTROLLER://localhost:${controllerPort}`,
    'controller.listener.names=CONTROLLER',
    `log.dirs=${place.path('data')}`,
    ...more,
  ];
  writeFileSync(file, lines.join('\n'));
  return file;
}

const metaProperties = (): string => readFileSync(place.path('data/meta.properties'), 'utf8');

test('random-uuid prints an id that format takes', async () => {
  const { exitCode, stdout } = await place.run('storage', 'random-uuid');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{21}\n$/);
  const id = stdout.trim();
  const formatted = await place.run('storage', 'format', '-t', id, '-c', properties(), '-s');
  expect(formatted).toMatchObject({ exitCode: 0, stderr: '' });
  expect(metaProperties()).toContain(`cluster.id=${id}\n`);
});

describe('format', () => {
  test('makes a folder ready, which start then uses', async () => {
    const file = properties();
    const formatted = await place.run(
      ...['storage', 'format', '--config', file, '--cluster-id', ID, '--standalone'],
      ...['--release-version', '4.4'],
    );
    expect(formatted).toMatchObject({ exitCode: 0, stderr: '' });
    expect(formatted.stdout).toMatch(
      /^Formatting dynamic metadata voter directory .*data with metadata.version 4.4-IV2\.\n$/,
    );
    const server = await place.start(file);
    expect(portOf(server)).toBeGreaterThan(0);
    expect(metaProperties()).toContain(`cluster.id=${ID}\n`);
  });

  test('takes the first controllers, with the directory id of this one', async () => {
    const controllers = `1@localhost:${controllerPort}:${DIRECTORY},2@elsewhere:19093:b5zG7XqHTqeXZsTAdpB1Yw`;
    const { exitCode } = await place.run(
      ...['storage', 'format', '-c', properties(), '-t', ID, '-I', controllers],
    );
    expect(exitCode).toBe(0);
    expect(metaProperties()).toContain(`directory.id=${DIRECTORY}\n`);
  });

  test('leaves the voters open with --no-initial-controllers', async () => {
    const formatted = await place.run(
      ...['storage', 'format', '-c', properties(), '-t', ID, '--no-initial-controllers'],
    );
    expect(formatted).toMatchObject({ exitCode: 0, stderr: '' });
    expect(formatted.stdout).toMatch(/^Formatting metadata directory/);
  });

  test('leaves formatted folders alone only when asked to', async () => {
    const command = ['storage', 'format', '-c', properties(), '-t', ID, '-s'];
    await place.run(...command);
    const before = metaProperties();
    const again = await place.run(...command);
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    expect(again.stderr).toMatch(/is already formatted\. Use --ignore-formatted/);
    const ignored = await place.run(...command, '--ignore-formatted');
    expect(ignored).toMatchObject({ exitCode: 0, stderr: '' });
    expect(metaProperties()).toBe(before);
  });

  test.each([
    ['two kinds of quorum', ['-s', '-N'], /give only one of --standalone/],
    ['none of them', [], /give one of --standalone/],
    ['a feature that is none', ['-s', '-f', 'bogus=1'], /Unsupported feature: bogus/],
    ['a release that is none', ['-s', '-r', '9.9'], /9\.9 is no release this build knows/],
    ['a controller that is none', ['-I', 'me'], /"me" is no controller; write id@host:port/],
    ['a flag that is none', ['-s', '--bogus'], /Unknown argument: bogus/],
  ])('refuses %s with exit code 2', async (_what, flags, sentence) => {
    const command = ['storage', 'format', '-c', properties(), '-t', ID, ...flags];
    const { exitCode, stdout, stderr } = await place.run(...command);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  test('says which flag is missing', async () => {
    const { exitCode, stderr } = await place.run('storage', 'format', '-c', properties());
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/Missing required argument: cluster-id/);
  });
});

describe('info', () => {
  test('shows what a formatted folder says of itself', async () => {
    const file = properties();
    await place.run('storage', 'format', '-c', file, '-t', ID, '-s');
    const { exitCode, stdout } = await place.run('storage', 'info', '-c', file);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(place.path('data'));
    expect(stdout).toContain(ID);
  });

  test('ends with exit code 1 where a folder is not ready', async () => {
    const { exitCode, stdout } = await place.run('storage', 'info', '-c', properties());
    expect(exitCode).toBe(1);
    expect(stdout).toContain('Found problem');
  });
});

describe('help', () => {
  test.each([
    [['--help'], /ottla start \[file\]/],
    [['start', '--help'], /--advertised-host/],
    [['storage', '--help'], /random-uuid/],
    [['storage', 'format', '--help'], /--initial-controllers/],
  ])('%j explains itself', async (args, text) => {
    const { exitCode, stdout, stderr } = await place.run(...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(text);
  });

  test('--version prints the version of the package', async () => {
    const { version } = require('../../package.json') as { readonly version: string };
    expect((await place.run('--version')).stdout).toBe(`${version}\n`);
  });

  test.each([
    [[], /say which command, for example `ottla start`/],
    [['storage'], /say what to do with the storage/],
    [['bogus'], /Unknown argument: bogus/],
  ])('ottla %j ends with exit code 2 and says what to type', async (args, text) => {
    const { exitCode, stdout, stderr } = await place.run(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(text);
  });
});
