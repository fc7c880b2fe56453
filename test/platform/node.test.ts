import { spawnSync } from 'node:child_process';

/** Runs code in a process of its own, with `nodePlatform` at hand; gives what it wrote. */
function runs(code: string): { readonly status: number | null; readonly text: string } {
  const platform = JSON.stringify(require.resolve('../../src/platform/node'));
  const hook = require.resolve('ts-node/register/transpile-only');
  const source = `const { nodePlatform } = require(${platform}); ${code}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-r', hook, '-e', source], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, text: stdout + stderr };
}

const LISTEN = `platform.network.listen({ host: '127.0.0.1', port: 0 }, () => ({
  buffer: () => Buffer.alloc(100), received: () => {}, ended: () => {}, closed: () => {},
}))`;
const CONNECT = `(listening) => platform.network.connect({ host: '127.0.0.1', port: listening.port }, {
  buffer: () => Buffer.alloc(100), received: () => {}, ended: () => {}, closed: () => {},
  opened: () => console.log('connected'),
})`;

test('nothing of an embedded platform keeps the process alive', () => {
  const { status, text } = runs(`
    const platform = nodePlatform({ keepsProcessAlive: false });
    platform.clock.setTimer(600_000, () => undefined);
    ${LISTEN}.then(${CONNECT});
    setTimeout(() => console.log('over'), 200);
  `);
  expect({ status, text }).toEqual({ status: 0, text: 'connected\nover\n' });
});

test('a listener of a platform that stands alone keeps the process alive', () => {
  const { text } = runs(`
    const platform = nodePlatform();
    ${LISTEN}.then(() => setTimeout(() => { console.log('still here'); process.exit(); }, 200).unref());
  `);
  expect(text).toBe('still here\n');
});

test('timers mocked by a test runner do not freeze it', () => {
  const { text } = runs(`
    const platform = nodePlatform();
    require('node:test').mock.timers.enable();
    ${LISTEN}.then(async () => {
      const before = platform.clock.wallMs();
      await platform.clock.sleep(30);
      console.log('slept', platform.clock.wallMs() > before, Date.now());
      process.exit();
    });
  `);
  expect(text).toContain('slept true 0\n');
});
