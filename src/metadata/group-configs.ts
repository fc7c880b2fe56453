/** Every setting of a group, and its bounds, which the broker's own settings give. */

import type { ConfigValue, ValidValues } from './config-values';
import {
  type ConfigDefinition,
  type ConfigProblem,
  ConfigTable,
  type ConfigValues,
  invalidConfig,
  isConfigProblem,
} from './configs';

const atLeast = (min: number): ValidValues => ({ kind: 'range', min });

/** A group setting; `from` is the broker setting that gives its default. */
function setting(
  name: string,
  type: ConfigDefinition['type'],
  byDefault: string | null,
  documentation: string,
  more: {
    readonly valid?: ValidValues;
    readonly from?: string;
    readonly isInternal?: true;
    readonly importance?: 'low';
  } = {},
): ConfigDefinition {
  return {
    name,
    type,
    default: byDefault,
    documentation,
    importance: more.importance ?? 'medium',
    ...(more.valid === undefined ? {} : { valid: more.valid }),
    ...(more.isInternal === undefined ? {} : { isInternal: more.isInternal }),
    ...(more.from === undefined ? {} : { synonyms: [{ name: more.from }] }),
  };
}

const SESSION = 'Time in milliseconds without a heartbeat after which a member is removed';
const HEARTBEAT = 'Interval in milliseconds at which members are told to send heartbeats';
const ASSIGNMENT = 'Least time in milliseconds between two computations of the assignment';
const OFFLOAD = 'Whether the assignment is computed away from the thread of the coordinator';

const DEFINITIONS: readonly ConfigDefinition[] = [
  setting('consumer.session.timeout.ms', 'int', '45000', `${SESSION} from a consumer group.`, {
    valid: atLeast(1),
    from: 'group.consumer.session.timeout.ms',
  }),
  setting('consumer.heartbeat.interval.ms', 'int', '5000', `${HEARTBEAT} to a consumer group.`, {
    valid: atLeast(1),
    from: 'group.consumer.heartbeat.interval.ms',
  }),
  setting('consumer.assignment.interval.ms', 'int', '1000', `${ASSIGNMENT} of a consumer group.`, {
    valid: atLeast(0),
    from: 'group.consumer.assignment.interval.ms',
  }),
  setting('consumer.assignor.offload.enable', 'boolean', 'true', `${OFFLOAD} (consumer groups).`, {
    isInternal: true,
    from: 'group.consumer.assignor.offload.enable',
  }),
  setting('share.session.timeout.ms', 'int', '45000', `${SESSION} from a share group.`, {
    valid: atLeast(1),
    from: 'group.share.session.timeout.ms',
  }),
  setting('share.heartbeat.interval.ms', 'int', '5000', `${HEARTBEAT} to a share group.`, {
    valid: atLeast(1),
    from: 'group.share.heartbeat.interval.ms',
  }),
  setting(
    'share.record.lock.duration.ms',
    'int',
    '30000',
    'Time in milliseconds that an acquired record is locked for its consumer.',
    { valid: atLeast(1000), from: 'group.share.record.lock.duration.ms' },
  ),
  setting(
    'share.delivery.count.limit',
    'int',
    '5',
    'Number of times a record is delivered before it is archived.',
    { valid: atLeast(2), from: 'group.share.delivery.count.limit' },
  ),
  setting(
    'share.partition.max.record.locks',
    'int',
    '2000',
    'Greatest number of records of one share partition that are locked at once.',
    { valid: atLeast(100), from: 'group.share.partition.max.record.locks' },
  ),
  setting(
    'share.auto.offset.reset',
    'string',
    'latest',
    'Where a share group starts in a partition it has not read: earliest, latest, or ' +
      'by_duration:<ISO 8601 duration> before now.',
    {
      valid: {
        kind: 'custom',
        text: '[latest, earliest, by_duration:PnDTnHnMn.nS]',
        problem: offsetResetProblem,
      },
    },
  ),
  setting(
    'share.isolation.level',
    'string',
    'read_uncommitted',
    'Whether a share group sees records of open and aborted transactions.',
    { valid: { kind: 'one-of', values: ['read_committed', 'read_uncommitted'] } },
  ),
  setting(
    'share.renew.acknowledge.enable',
    'boolean',
    'true',
    'Whether consumers of a share group may renew the lock of a record.',
  ),
  setting('share.assignment.interval.ms', 'int', '1000', `${ASSIGNMENT} of a share group.`, {
    valid: atLeast(0),
    from: 'group.share.assignment.interval.ms',
  }),
  setting('share.assignor.offload.enable', 'boolean', 'true', `${OFFLOAD} (share groups).`, {
    isInternal: true,
    from: 'group.share.assignor.offload.enable',
  }),
  setting('streams.session.timeout.ms', 'int', '45000', `${SESSION} from a streams group.`, {
    valid: atLeast(1),
    from: 'group.streams.session.timeout.ms',
  }),
  setting('streams.heartbeat.interval.ms', 'int', '5000', `${HEARTBEAT} to a streams group.`, {
    valid: atLeast(1),
    from: 'group.streams.heartbeat.interval.ms',
  }),
  setting(
    'streams.num.standby.replicas',
    'int',
    '0',
    'Number of standby copies that a streams group keeps of each task.',
    { valid: atLeast(0), from: 'group.streams.num.standby.replicas' },
  ),
  setting(
    'streams.initial.rebalance.delay.ms',
    'int',
    '3000',
    'Time in milliseconds that a new streams group waits for more members before its first ' +
      'assignment.',
    { valid: atLeast(0), from: 'group.streams.initial.rebalance.delay.ms' },
  ),
  setting('streams.assignment.interval.ms', 'int', '1000', `${ASSIGNMENT} of a streams group.`, {
    valid: atLeast(0),
    from: 'group.streams.assignment.interval.ms',
  }),
  setting('streams.assignor.offload.enable', 'boolean', 'true', `${OFFLOAD} (streams groups).`, {
    isInternal: true,
    from: 'group.streams.assignor.offload.enable',
  }),
  setting(
    'streams.task.offset.interval.ms',
    'int',
    '60000',
    'Interval in milliseconds at which members of a streams group report the offsets of their ' +
      'tasks.',
    {
      valid: atLeast(1),
      isInternal: true,
      from: 'group.streams.task.offset.interval.ms',
    },
  ),
  setting(
    'streams.num.warmup.replicas',
    'int',
    '2',
    'Greatest number of additional copies of tasks that warm up at once.',
    { valid: atLeast(0), isInternal: true, from: 'group.streams.num.warmup.replicas' },
  ),
  setting(
    'streams.rack.aware.assignment.tags',
    'list',
    '',
    'Tags of clients over whose values standby copies are spread.',
    {
      valid: { kind: 'list', values: [], mayBeEmpty: true },
      importance: 'low',
      from: 'group.streams.rack.aware.assignment.tags',
    },
  ),
  setting(
    'streams.acceptable.recovery.lag',
    'long',
    '10000',
    'Number of records that a copy may lag behind and still count as caught up.',
    { valid: atLeast(0), isInternal: true, from: 'group.streams.acceptable.recovery.lag' },
  ),
  setting(
    'streams.assignor.name',
    'string',
    null,
    'Name of the task assignor of a streams group; the first that the broker has if unset.',
    { from: 'group.streams.assignors' },
  ),
  setting(
    'errors.deadletterqueue.topic.name',
    'string',
    '',
    'Topic to which records that a share group gives up are written; none if empty.',
  ),
  setting(
    'errors.deadletterqueue.copy.record.enable',
    'boolean',
    'false',
    'Whether the record itself is written to the dead-letter queue, or only headers that name it.',
  ),
];

export const GROUP_CONFIGS = new ConfigTable(DEFINITIONS);

/** Bounds of a group setting, given by the names of broker settings. */
const BOUNDS: readonly { readonly name: string; readonly min?: string; readonly max?: string }[] = [
  bounds('consumer', 'heartbeat.interval.ms'),
  bounds('consumer', 'session.timeout.ms'),
  bounds('consumer', 'assignment.interval.ms'),
  bounds('share', 'heartbeat.interval.ms'),
  bounds('share', 'session.timeout.ms'),
  bounds('share', 'record.lock.duration.ms'),
  bounds('share', 'delivery.count.limit'),
  bounds('share', 'partition.max.record.locks'),
  bounds('share', 'assignment.interval.ms'),
  bounds('streams', 'heartbeat.interval.ms'),
  bounds('streams', 'session.timeout.ms'),
  { name: 'streams.num.standby.replicas', max: 'group.streams.max.standby.replicas' },
  bounds('streams', 'assignment.interval.ms'),
  { name: 'streams.task.offset.interval.ms', min: 'group.streams.min.task.offset.interval.ms' },
  { name: 'streams.num.warmup.replicas', max: 'group.streams.max.warmup.replicas' },
];

/** Checks the settings a group would have; `brokerValue` reads the text of a broker setting. */
export function validateGroupConfigs(
  overrides: ReadonlyMap<string, string>,
  brokerValue: (name: string) => string,
): ConfigProblem | undefined {
  for (const name of overrides.keys()) {
    if (!GROUP_CONFIGS.has(name)) return invalidConfig(`Unknown group config name: ${name}`);
  }
  const tags = duplicateTagProblem(overrides);
  if (tags !== undefined) return tags;
  const read = GROUP_CONFIGS.read(overrides);
  if (isConfigProblem(read)) return read;
  const values = new Map([...read].filter(([name]) => overrides.has(name)));
  return (
    boundsProblem(values, brokerValue) ??
    assignorProblem(values, brokerValue) ??
    sessionProblem(values, brokerValue) ??
    deadLetterProblem(values)
  );
}

function bounds(kind: string, rest: string): { name: string; min: string; max: string } {
  return {
    name: `${kind}.${rest}`,
    min: `group.${kind}.min.${rest}`,
    max: `group.${kind}.max.${rest}`,
  };
}

function duplicateTagProblem(overrides: ReadonlyMap<string, string>): ConfigProblem | undefined {
  const name = 'streams.rack.aware.assignment.tags';
  const text = overrides.get(name)?.trim() ?? '';
  const tags = text === '' ? [] : text.split(/\s*,\s*/);
  if (new Set(tags).size === tags.length) return undefined;
  return invalidConfig(`${name} must not contain duplicate tag keys.`);
}

function boundsProblem(
  values: ConfigValues,
  brokerValue: (name: string) => string,
): ConfigProblem | undefined {
  for (const { name, min, max } of BOUNDS) {
    const value = values.get(name);
    if (value === undefined) continue;
    const least = min === undefined ? Number.NEGATIVE_INFINITY : Number(brokerValue(min));
    const most = max === undefined ? Number.POSITIVE_INFINITY : Number(brokerValue(max));
    if (Number(value) >= least && Number(value) <= most) continue;
    if (min === undefined) return invalidConfig(`${name} must be less than or equal to ${most}`);
    if (max === undefined)
      return invalidConfig(`${name} must be greater than or equal to ${least}`);
    return invalidConfig(`${name} must be in the range ${least} to ${most} inclusive.`);
  }
  return undefined;
}

function assignorProblem(
  values: ConfigValues,
  brokerValue: (name: string) => string,
): ConfigProblem | undefined {
  const name = 'streams.assignor.name';
  const chosen = values.get(name);
  if (chosen === undefined) return undefined;
  const known = brokerValue('group.streams.assignors').split(/\s*,\s*/);
  if (known.includes(String(chosen))) return undefined;
  return invalidConfig(
    `${name} '${String(chosen)}' is not a registered task assignor. ` +
      `Registered assignors are: [${known.join(', ')}].`,
  );
}

function sessionProblem(
  values: ConfigValues,
  brokerValue: (name: string) => string,
): ConfigProblem | undefined {
  for (const kind of ['consumer', 'share', 'streams']) {
    const session = `${kind}.session.timeout.ms`;
    const heartbeat = `${kind}.heartbeat.interval.ms`;
    if (!values.has(session) && !values.has(heartbeat)) continue;
    const effective = (name: string): number =>
      Number(values.get(name) ?? brokerValue(`group.${name}`));
    if (effective(session) > effective(heartbeat)) continue;
    return invalidConfig(`${session} must be greater than ${heartbeat}`);
  }
  return undefined;
}

function deadLetterProblem(values: ConfigValues): ConfigProblem | undefined {
  const name = 'errors.deadletterqueue.topic.name';
  const topic = values.get(name);
  if (typeof topic !== 'string' || !topic.startsWith('__')) return undefined;
  return invalidConfig(`${name}: DLQ topic name must not start with '__'`);
}

/** ISO 8601 days to seconds, as java.time.Duration reads them; never negative. */
const DURATION = /^P(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:[.,]\d{0,9})?S)?)?$/i;

function offsetResetProblem(name: string, value: ConfigValue): string | undefined {
  const text = String(value);
  const lower = text.toLowerCase();
  if (lower === 'earliest' || lower === 'latest') return undefined;
  const duration = /^by_duration:(.+)$/i.exec(text)?.[1];
  if (duration !== undefined && DURATION.test(duration) && /\d/.test(duration)) return undefined;
  return (
    `Invalid value \`${text}\` for configuration ${name}. The value must be either ` +
    "'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'."
  );
}
