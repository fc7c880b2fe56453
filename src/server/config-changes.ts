/**
 * What the broker that receives a change of settings checks itself, before the controller is asked:
 * the form of the request, and its own settings, which only it knows.
 */
import { resourceTypeOf } from '../metadata/config-resources';
import { isConfigProblem, readConfig } from '../metadata/configs';
import { type ErrorCode, Errors } from '../protocol/errors';
import type { BrokerConfigDefinition, Services } from './services';

export interface AskedResource {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly configs: readonly AskedConfig[];
}

interface AskedConfig {
  readonly name: string;
  readonly value: string | null;
  /** SET, DELETE, APPEND, SUBTRACT by number; SET where the request has no such field. */
  readonly configOperation?: number;
}

export interface ResourceAnswer {
  readonly errorCode: ErrorCode;
  readonly errorMessage: string | null;
  readonly resourceType: number;
  readonly resourceName: string;
}

interface Problem {
  readonly errorCode: ErrorCode;
  readonly errorMessage: string;
}

/**
 * Answers for all resources in their order: `ask` is asked about those that pass the checks here,
 * if there are any.
 */
export async function changeConfigs<R extends AskedResource>(
  resources: readonly R[],
  services: Services,
  ask: (passed: readonly R[]) => Promise<readonly ResourceAnswer[]>,
): Promise<readonly ResourceAnswer[]> {
  const counts = new Map<string, number>();
  for (const each of resources) counts.set(keyOf(each), (counts.get(keyOf(each)) ?? 0) + 1);
  const problems = new Map(
    resources.map((each) => {
      const isRepeated = (counts.get(keyOf(each)) ?? 0) > 1;
      return [each, isRepeated ? REPEATED : problemOf(each, services)];
    }),
  );
  const passed = resources.filter((each) => problems.get(each) === undefined);
  const asked = passed.length === 0 ? [] : await ask(passed);
  const answers = new Map(asked.map((answer) => [keyOf(answer), answer]));
  return resources.map((each): ResourceAnswer => {
    const { resourceType, resourceName } = each;
    const problem = problems.get(each);
    if (problem !== undefined) return { ...problem, resourceType, resourceName };
    const answer = answers.get(keyOf(each));
    const lacking = { errorCode: Errors.UNKNOWN_SERVER_ERROR, errorMessage: null };
    return { ...(answer ?? lacking), resourceType, resourceName };
  });
}

type Named = Pick<AskedResource, 'resourceType' | 'resourceName'>;

const keyOf = ({ resourceType, resourceName }: Named): string => `${resourceType}:${resourceName}`;

function problemOf(resource: AskedResource, services: Services): Problem | undefined {
  const { resourceType, resourceName, configs } = resource;
  if (new Set(configs.map(({ name }) => name)).size < configs.length) {
    return invalidRequest('Error due to duplicate config keys');
  }
  const nulls = configs.filter(
    ({ value, configOperation }) => value === null && configOperation !== DELETE,
  );
  if (nulls.length > 0) {
    const names = nulls.map(({ name }) => name).join(', ');
    return invalidRequest(`Null value not supported for : ${names}`);
  }
  const type = resourceTypeOf(resourceType);
  if (type === undefined || type === 'brokerLogger') {
    return invalidRequest(`Unknown resource type ${resourceType}`);
  }
  return type === 'broker' ? brokerProblem(resourceName, configs, services) : undefined;
}

const DELETE = 1;
const APPEND = 2;
const SUBTRACT = 3;

function brokerProblem(
  name: string,
  configs: readonly AskedConfig[],
  { nodeId, brokerConfigs }: Services,
): Problem | undefined {
  const isOneBroker = name !== '';
  if (isOneBroker && !/^[+-]?[0-9]+$/.test(name)) {
    return invalidRequest(`Node id must be an integer, but it is: ${name}`);
  }
  if (isOneBroker && Number(name) !== nodeId) {
    return invalidRequest(`Unexpected broker id, expected ${nodeId}, but received ${name}`);
  }
  const definitions = new Map(brokerConfigs.definitions.map((each) => [each.name, each]));
  const changed = configs.map((config) => ({ config, definition: definitions.get(config.name) }));
  const operation = changed.map(operationProblem).find((problem) => problem !== undefined);
  if (operation !== undefined) return operation;
  const message = levelProblem(changed, isOneBroker) ?? changed.map(valueProblem).find(isProblem);
  return message === undefined ? undefined : invalidRequest(message);
}

interface Changed {
  readonly config: AskedConfig;
  readonly definition: BrokerConfigDefinition | undefined;
}

/** Whether all can be changed while brokers run, and at this level. Unknown names can. */
function levelProblem(changed: readonly Changed[], isOneBroker: boolean): string | undefined {
  const set = changed.filter(({ config }) => config.configOperation !== DELETE);
  const named = (which: (definition: BrokerConfigDefinition) => boolean): string[] =>
    set.flatMap(({ definition }) =>
      definition !== undefined && which(definition) ? [definition.name] : [],
    );
  const fixed = named(({ update }) => update === undefined);
  if (fixed.length > 0) return `Cannot update these configs dynamically: [${fixed.join(', ')}]`;
  if (isOneBroker) return undefined;
  const single = named(({ update }) => update === 'per-broker');
  if (single.length === 0) return undefined;
  return (
    'Cannot update these configs at default cluster level, broker id must be specified: ' +
    `[${single.join(', ')}]`
  );
}

function operationProblem({ config, definition }: Changed): Problem | undefined {
  const { name, configOperation = 0 } = config;
  if (configOperation < 0 || configOperation > SUBTRACT) {
    return invalidRequest(`Unknown operations type ${configOperation}`);
  }
  if (!isListOperation(config) || definition?.type === 'list') return undefined;
  const verb = configOperation === APPEND ? 'append' : 'subtract';
  const errorMessage =
    definition === undefined
      ? `Unknown config name: ${name}`
      : `Config value ${verb} is not allowed for config key: ${name}`;
  return { errorCode: Errors.INVALID_CONFIG, errorMessage };
}

function valueProblem({ config, definition }: Changed): string | undefined {
  const { value } = config;
  if (definition === undefined || value === null || isListOperation(config)) return undefined;
  const read = readConfig({ documentation: '', ...definition }, value);
  return isConfigProblem(read) ? read.message : undefined;
}

const isListOperation = ({ configOperation }: AskedConfig): boolean =>
  configOperation === APPEND || configOperation === SUBTRACT;

const isProblem = (problem: string | undefined): problem is string => problem !== undefined;

const invalidRequest = (errorMessage: string): Problem => ({
  errorCode: Errors.INVALID_REQUEST,
  errorMessage,
});

const REPEATED = invalidRequest('Each resource must appear at most once.');
