/** What `npm run bench` is told. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { numberOf, oneOf } from '../compat-tests/support/command-line';

export const USAGE = `npm run bench -- [--against kafka] [--repetitions 5] [--only TEXT]
npm run bench -- --failover [--fault kill|stop|freeze] [--times 30] [--profile FILE] [--client wire|kafkajs]
                 [--against kafka] [--kafka-times 10]

  --against      measures Apache Kafka beside ottla
  --repetitions  how often each row is measured; medians are printed
  --only         the rows whose name has that text
  --failover     how long writes wait when a node of three goes
  --fault        how it goes: SIGKILL, SIGTERM or SIGSTOP
  --times        how often the active controller goes, and how often another node
  --profile      file of settings that all nodes get; Kafka's those that it knows
  --client       who writes
  --kafka-times  how often nodes of Kafka go`;

/** SIGKILL, SIGTERM or SIGSTOP. */
const FAULTS = ['kill', 'stop', 'freeze'] as const;
export type Fault = (typeof FAULTS)[number];

export interface FailoverCommand {
  readonly measures: 'failover';
  readonly fault: Fault;
  readonly times: number;
  /** How often nodes of Kafka go; undefined where it is not measured. */
  readonly kafkaTimes: number | undefined;
  readonly profile: string | undefined;
  /** Lines of the profile. */
  readonly settings: readonly string[];
  readonly client: 'wire' | 'kafkajs';
}

export interface RowsCommand {
  readonly measures: 'rows';
  readonly isBesideKafka: boolean;
  readonly repetitions: number;
  /** Measures rows whose name has that text; all where undefined. */
  readonly only: string | undefined;
}

/** What was typed; undefined asks for help. Throws where it cannot be understood. */
export function parseOptions(args: readonly string[]): FailoverCommand | RowsCommand | undefined {
  if (args.includes('--help')) return undefined;
  return args.includes('--failover') ? failoverCommand(args) : rowsCommand(args);
}

function failoverCommand(args: readonly string[]): FailoverCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      failover: { type: 'boolean' },
      fault: { type: 'string', default: 'kill' },
      times: { type: 'string', default: '30' },
      against: { type: 'string' },
      'kafka-times': { type: 'string', default: '10' },
      profile: { type: 'string' },
      client: { type: 'string', default: 'wire' },
    },
  });
  const kafkaTimes = numberOf('kafka-times', values['kafka-times']);
  return {
    measures: 'failover',
    fault: oneOf('fault', FAULTS, values.fault),
    times: numberOf('times', values.times),
    kafkaTimes: isBesideKafka(values.against) ? kafkaTimes : undefined,
    profile: values.profile,
    settings: values.profile === undefined ? [] : settingsIn(values.profile),
    client: oneOf('client', ['wire', 'kafkajs'], values.client),
  };
}

function rowsCommand(args: readonly string[]): RowsCommand {
  const { values } = parseArgs({
    args: [...args],
    options: {
      against: { type: 'string' },
      repetitions: { type: 'string', default: '5' },
      only: { type: 'string' },
    },
  });
  return {
    measures: 'rows',
    isBesideKafka: isBesideKafka(values.against),
    repetitions: numberOf('repetitions', values.repetitions),
    only: values.only,
  };
}

const isBesideKafka = (against: string | undefined): boolean =>
  against !== undefined && oneOf('against', ['kafka'], against) === 'kafka';

const settingsIn = (file: string): readonly string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
