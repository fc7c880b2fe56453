/** Settings of a client-metrics subscription (KIP-714). */
import {
  type ConfigProblem,
  ConfigTable,
  type ConfigValues,
  invalidConfig,
  isConfigProblem,
} from './configs';

export const CLIENT_METRICS_CONFIGS = new ConfigTable([
  {
    name: 'metrics',
    type: 'list',
    default: '',
    valid: { kind: 'list', values: [], mayBeEmpty: true },
    importance: 'medium',
    documentation: 'Prefixes of the metrics that clients push; * stands for all.',
  },
  {
    name: 'interval.ms',
    type: 'int',
    default: '300000',
    importance: 'medium',
    documentation: 'Interval in milliseconds at which clients push, from 100 to 3600000.',
  },
  {
    name: 'match',
    type: 'list',
    default: '',
    valid: { kind: 'list', values: [], mayBeEmpty: true },
    importance: 'medium',
    documentation:
      'Conditions, name=regular expression, that a client must meet; all clients if empty.',
  },
]);

/** What a condition of `match` may look at. */
const MATCHED = new Set([
  'client_instance_id',
  'client_id',
  'client_software_name',
  'client_software_version',
  'client_source_address',
  'client_source_port',
]);

/** Checks the settings a subscription would have. */
export function validateClientMetricsConfigs(
  subscription: string,
  overrides: ReadonlyMap<string, string>,
): ConfigProblem | undefined {
  if (subscription === '') return invalidRequest("Subscription name can't be empty");
  for (const name of overrides.keys()) {
    if (!CLIENT_METRICS_CONFIGS.has(name)) {
      return invalidRequest(`Unknown client metrics configuration: ${name}`);
    }
  }
  const values = CLIENT_METRICS_CONFIGS.read(overrides);
  if (isConfigProblem(values)) return values;
  return intervalProblem(values, overrides) ?? matchProblem(values);
}

function intervalProblem(
  values: ConfigValues,
  overrides: ReadonlyMap<string, string>,
): ConfigProblem | undefined {
  if (!overrides.has('interval.ms')) return undefined;
  const interval = Number(values.get('interval.ms'));
  if (interval >= 100 && interval <= 3_600_000) return undefined;
  return invalidRequest(
    `Invalid value ${interval} for interval.ms, interval must be between 100 and 3600000 (1 hour)`,
  );
}

function matchProblem(values: ConfigValues): ConfigProblem | undefined {
  for (const condition of values.get('match') as readonly string[]) {
    const parts = condition.replace(/=+$/, '').split('=');
    const [name = '', pattern = ''] = parts;
    if (parts.length !== 2 || !MATCHED.has(name.trim()) || !isPattern(pattern.trim())) {
      return invalidConfig(`Illegal client matching pattern: ${condition}`);
    }
  }
  return undefined;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) !== undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const invalidRequest = (message: string): ConfigProblem => ({ error: 'INVALID_REQUEST', message });
