/**
 * Log lines: JSON by pino, made readable on a terminal. They go to standard error, because
 * standard output belongs to the one line that says the broker is ready. Libraries are loaded
 * with the first logger, so an embedded, silent broker never pays for them.
 */
import type { LogFields, Logger, LogLevel } from './platform';

export type { LogFields, Logger, LogLevel } from './platform';

export interface NodeLoggerOptions {
  readonly level: LogLevel | 'silent';
  /** Coloured text instead of JSON; by default if standard error is a terminal. */
  readonly isPretty?: boolean;
  /** Where lines go; standard error by default. */
  readonly destination?: LogDestination;
}

/** What a line is handed to, its newline included. */
export interface LogDestination {
  write(line: string): void;
}

/** A logger that writes at once, so that no line is lost when the process dies. */
export function nodeLogger(options: NodeLoggerOptions): Logger {
  const { level } = options;
  if (level === 'silent') return silentLogger;
  const { pino, stdSerializers, stdTimeFunctions } = require('pino') as typeof import('pino');
  const root = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: stdSerializers.err },
    },
    lineStream(options),
  );
  return loggerOver((lineLevel, event, fields) => {
    if (root.isLevelEnabled(lineLevel)) root[lineLevel](fields, event);
  });
}

/** Says nothing. */
export const silentLogger: Logger = loggerOver(() => undefined);

/** A logger whose lines are handed to `write`; what that throws is swallowed. */
export function loggerOver(
  write: (level: LogLevel, event: string, fields: LogFields) => void,
  common: LogFields = {},
): Logger {
  const log = (level: LogLevel, event: string, fields?: LogFields): void => {
    try {
      write(level, event, fields === undefined ? common : { ...common, ...fields });
    } catch {
      // A line that cannot be written (a closed pipe, a field that cannot be printed) must not
      // become the failure of what it tells about.
    }
  };
  return {
    log,
    debug: (event, fields) => log('debug', event, fields),
    info: (event, fields) => log('info', event, fields),
    warn: (event, fields) => log('warn', event, fields),
    error: (event, fields) => log('error', event, fields),
    with: (fields) => loggerOver(write, { ...common, ...fields }),
  };
}

function lineStream(options: NodeLoggerOptions): LogDestination {
  const { destination, isPretty = process.stderr.isTTY === true } = options;
  if (isPretty) {
    const pretty = require('pino-pretty') as typeof import('pino-pretty');
    return pretty({
      sync: true,
      singleLine: true,
      messageKey: 'event',
      translateTime: 'SYS:HH:MM:ss.l',
      ignore: 'pid,hostname',
      colorize: destination === undefined,
      destination: (destination ?? 2) as number,
    });
  }
  if (destination !== undefined) return destination;
  const stream = (require('pino') as typeof import('pino')).destination({ fd: 2, sync: true });
  // A reader that went away (EPIPE) takes its lines with it, not the broker.
  stream.on('error', () => undefined);
  return stream;
}
