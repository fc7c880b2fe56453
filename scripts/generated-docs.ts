/** The texts of docs/apis.md and docs/settings.md, from what the code serves and reads. */
import { BROKER_SETTINGS, type BrokerSetting } from '../src/broker/settings-table';
import type { AnyApi } from '../src/protocol/api';
import { APIS } from '../src/protocol/apis';
import { handlers } from '../src/server/handlers';
import { servedVersions } from '../src/server/registry';

/** Why an API that Kafka 4.4 serves is not served here. */
export const NOT_SERVED: Readonly<Record<string, string>> = {
  DescribeAcls: 'there is no authorizer yet',
  CreateAcls: 'there is no authorizer yet',
  DeleteAcls: 'there is no authorizer yet',
  SaslHandshake: 'listeners are PLAINTEXT only for now',
  SaslAuthenticate: 'listeners are PLAINTEXT only for now',
  DescribeUserScramCredentials: 'listeners are PLAINTEXT only for now',
  AlterUserScramCredentials: 'listeners are PLAINTEXT only for now',
  CreateDelegationToken: 'listeners are PLAINTEXT only for now',
  RenewDelegationToken: 'listeners are PLAINTEXT only for now',
  ExpireDelegationToken: 'listeners are PLAINTEXT only for now',
  DescribeDelegationToken: 'listeners are PLAINTEXT only for now',
  DescribeClientQuotas: 'there are no quotas yet',
  AlterClientQuotas: 'there are no quotas yet',
  AlterReplicaLogDirs: 'replicas do not move between the folders of a broker yet',
  ConsumerGroupHeartbeat: 'only the classic group protocol is served yet',
  ConsumerGroupDescribe: 'only the classic group protocol is served yet',
  ShareGroupHeartbeat: 'share groups are not served yet',
  ShareGroupDescribe: 'share groups are not served yet',
  ShareFetch: 'share groups are not served yet',
  ShareAcknowledge: 'share groups are not served yet',
  InitializeShareGroupState: 'share groups are not served yet',
  ReadShareGroupState: 'share groups are not served yet',
  WriteShareGroupState: 'share groups are not served yet',
  DeleteShareGroupState: 'share groups are not served yet',
  ReadShareGroupStateSummary: 'share groups are not served yet',
  DescribeShareGroupOffsets: 'share groups are not served yet',
  AlterShareGroupOffsets: 'share groups are not served yet',
  DeleteShareGroupOffsets: 'share groups are not served yet',
  StreamsGroupHeartbeat: 'streams groups are not served yet',
  StreamsGroupDescribe: 'streams groups are not served yet',
  StreamsGroupTopologyDescriptionUpdate: 'streams groups are not served yet',
  GetTelemetrySubscriptions: 'the metrics of clients are not collected yet',
  PushTelemetry: 'the metrics of clients are not collected yet',
};

/** File name below docs/ and its text. */
export function generatedDocs(): ReadonlyMap<string, string> {
  return new Map([
    ['apis.md', apisText()],
    ['settings.md', settingsText()],
  ]);
}

function apisText(): string {
  const lines = [
    '# APIs',
    '',
    'Derived from the code by `npm run docs`. Versions are those that ApiVersions advertises; Produce',
    'is advertised from 0, as Apache Kafka does, and versions 0 to 2 close the connection.',
    '',
    '| key | API | Kafka 4.4 | here | listeners |',
    '|---|---|---|---|---|',
  ];
  for (const api of APIS) {
    lines.push(
      `| ${api.key} | ${api.name} | ${range(api.served)} | ${here(api)} | ${where(api)} |`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function here(api: AnyApi): string {
  const handler = handlers.find((one) => one.api.key === api.key);
  if (handler === undefined) return NOT_SERVED[api.name] ?? '';
  return range(handler.advertised ?? servedVersions(handler));
}

function where(api: AnyApi): string {
  const handler = handlers.find((one) => one.api.key === api.key);
  return (handler?.listeners ?? api.listeners).join(', ');
}

const range = ([first, last]: readonly [number, number]): string => `${first}–${last}`;

function settingsText(): string {
  const settings: readonly BrokerSetting[] = BROKER_SETTINGS;
  const lines = [
    '# Broker settings',
    '',
    'Derived from the code by `npm run docs`. Names, types and defaults are those of Apache Kafka 4.4.',
    '',
    '## In force',
    '',
    '| name | type | default | changes while running | what it does |',
    '|---|---|---|---|---|',
  ];
  for (const { name, type, default: text, update, documentation } of settings) {
    if (documentation === undefined) continue;
    const given = text === null ? '' : `\`${text}\``;
    lines.push(`| \`${name}\` | ${type} | ${given} | ${update ?? 'no'} | ${documentation} |`);
  }
  lines.push('', '## Accepted, without effect', '');
  const others = settings.filter(({ documentation }) => documentation === undefined);
  lines.push(`${others.map(({ name }) => `\`${name}\``).join(', ')}.`);
  return `${lines.join('\n')}\n`;
}
