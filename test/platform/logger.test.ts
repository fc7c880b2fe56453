import {
  type LogDestination,
  loggerOver,
  nodeLogger,
  silentLogger,
} from '../../src/platform/logger';

class Lines implements LogDestination {
  readonly written: string[] = [];

  write(line: string): void {
    this.written.push(line);
  }
}

test('a line is one JSON object with level, time, event and fields', () => {
  const destination = new Lines();
  const log = nodeLogger({ level: 'info', isPretty: false, destination }).with({ node: 1 });
  log.info('A topic was created', { topic: 'a', offset: 12n });
  log.debug('nobody asked for this');
  expect(destination.written).toHaveLength(1);
  const { time, ...line } = JSON.parse(destination.written[0] as string);
  expect(line).toEqual({
    level: 'info',
    node: 1,
    topic: 'a',
    offset: 12,
    event: 'A topic was created',
  });
  expect(new Date(time).toISOString()).toBe(time);
});

test('an error field keeps its message and stack', () => {
  const destination = new Lines();
  nodeLogger({ level: 'warn', isPretty: false, destination }).error('It broke', {
    error: new Error('why'),
  });
  expect(JSON.parse(destination.written[0] as string).error).toMatchObject({
    message: 'why',
    stack: expect.stringContaining('logger.test.ts'),
  });
});

test('on a terminal a line is one line of text', () => {
  const written: string[] = [];
  const { Writable } = require('node:stream') as typeof import('node:stream');
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      done();
    },
  });
  nodeLogger({ level: 'info', isPretty: true, destination }).warn('Careful', { topic: 'a' });
  expect(written.join('')).toMatch(/^\S+ WARN: Careful \{"topic":"a"\}\n$/);
});

test('a line that cannot be written is lost, not thrown', () => {
  const broken = {
    write: () => {
      throw new Error('EPIPE');
    },
  };
  const log = nodeLogger({ level: 'info', isPretty: false, destination: broken });
  const circular = { self: {} };
  circular.self = circular;
  expect(() => log.info('hello', circular)).not.toThrow();
  expect(() =>
    loggerOver(() => {
      throw new Error('mine');
    }).error('hello'),
  ).not.toThrow();
});

test('a silent logger says nothing and never loads the libraries', () => {
  jest.isolateModules(() => {
    jest.doMock('pino', () => {
      throw new Error('pino was loaded');
    });
    const { nodeLogger: fresh } = require('../../src/platform/logger');
    fresh({ level: 'silent' }).error('x');
  });
  silentLogger.with({ a: 1 }).error('x');
});
