/** What `npm run fire` is told. */
import { parseArgs } from 'node:util';
import { numberOf, oneOf } from '../support/command-line';
import { CLIENTS, type FireClient } from './clients';

export interface FireCommand {
  readonly clients: readonly FireClient[];
  readonly transactionVersion: 1 | 2;
  readonly nodes: 1 | 3;
  readonly seconds: number;
  readonly seed: number;
  /** Records a second that each client's input gets. */
  readonly rate: number;
  /** Keeps what nodes and workers leave; otherwise it is kept only if something is wrong. */
  readonly folder: string | undefined;
}

export const USAGE = `npm run fire -- [--client kafkajs|librdkafka|java …] [--transaction-version 1|2] [--nodes 1|3]
               [--minutes M | --seconds S] [--seed S] [--rate RECORDS] [--folder KEPT]

  --client               whose transactions; several work side by side, kafkajs by default
  --transaction-version  the version that is finalized; 2 by default
  --nodes                how many nodes; 3 by default
  --minutes, --seconds   how long workers and brokers are killed; 60 seconds by default
  --seed                 which faults come in which order; 1 by default
  --rate                 records a second that each client's input gets; 100 by default
  --folder               keeps what nodes and workers leave; otherwise it is kept only if something is wrong`;

/** What was typed; undefined asks for help. Throws where it cannot be understood. */
export function parseOptions(args: readonly string[]): FireCommand | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      client: { type: 'string', multiple: true, default: ['kafkajs'] },
      'transaction-version': { type: 'string', default: '2' },
      nodes: { type: 'string', default: '3' },
      minutes: { type: 'string' },
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      rate: { type: 'string', default: '100' },
      folder: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    clients: values.client.map(clientOf),
    transactionVersion:
      oneOf('transaction-version', ['1', '2'], values['transaction-version']) === '1' ? 1 : 2,
    nodes: oneOf('nodes', ['1', '3'], values.nodes) === '1' ? 1 : 3,
    seconds:
      values.minutes === undefined
        ? numberOf('seconds', values.seconds)
        : numberOf('minutes', values.minutes) * 60,
    seed: numberOf('seed', values.seed),
    rate: numberOf('rate', values.rate),
    folder: values.folder,
  };
}

function clientOf(name: string): FireClient {
  const names = CLIENTS.map((client) => client.name);
  return CLIENTS[names.indexOf(oneOf('client', names, name))] as FireClient;
}
