/**
 * Where a node listens and where clients are told to connect: `listeners`, `advertised.listeners`.
 */
import type { Settings } from './settings';
import { StartError } from './start-error';

export const SECURITY_PROTOCOLS = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const;
export type SecurityProtocol = (typeof SECURITY_PROTOCOLS)[number];

/** A named host and port. An empty host means every interface. */
export interface Endpoint {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

export interface ListenerPlan extends Endpoint {
  readonly protocol: SecurityProtocol;
  readonly isForControllers: boolean;
  /** Whether others are told of it: all are, unless advertised.listeners names some alone. */
  readonly isAdvertised: boolean;
  /** Port 0 stands for the port that the listener gets. */
  readonly advertised: Endpoint;
}

const ENDPOINT = /^([A-Za-z0-9_-]+):\/\/(?:\[([0-9A-Fa-f:.%]+)\]|([^\s:/[\]]*)):(\d{1,5})$/;
/** Protocols that listeners are served with. */
const SERVED: readonly SecurityProtocol[] = ['PLAINTEXT'];

/**
 * The listeners of a node, in the order given. `localHost` is what a listener on every interface
 * is advertised as where nothing else is said. Throws StartError.
 */
export function planListeners(settings: Settings, localHost: () => string): ListenerPlan[] {
  const endpoints = settings.value('listeners').map((text) => parseEndpoint('listeners', text));
  refuseRepeated(endpoints);
  const controllerNames = settings.value('controller.listener.names');
  checkRoles(settings, endpoints, controllerNames);
  const protocolOf = securityProtocols(settings, controllerNames);
  const advertised = advertisedEndpoints(settings);
  for (const name of advertised.keys()) {
    if (!endpoints.some((endpoint) => endpoint.name === name)) {
      throw new StartError(`advertised.listeners names ${name}, which listeners does not.`);
    }
  }
  const isTold = (name: string): boolean =>
    controllerNames.includes(name) ||
    !settings.isGiven('advertised.listeners') ||
    advertised.has(name);
  const plans = endpoints.map((endpoint) => ({
    ...endpoint,
    protocol: protocolOf(endpoint.name),
    isForControllers: controllerNames.includes(endpoint.name),
    isAdvertised: isTold(endpoint.name),
    advertised: advertised.get(endpoint.name) ?? derive(endpoint, localHost),
  }));
  checkBrokerListener(
    settings,
    endpoints.filter(({ name }) => isTold(name)),
    controllerNames,
  );
  return plans;
}

/** `NAME://host:port`; IPv6 addresses stand in brackets. Throws StartError. */
function parseEndpoint(setting: string, text: string): Endpoint {
  const match = ENDPOINT.exec(text.trim());
  const port = Number(match?.[4]);
  if (match === null || port > 65_535) {
    throw new StartError(
      `${setting} has '${text}': write NAME://host:port, for example PLAINTEXT://localhost:9092.`,
    );
  }
  return { name: (match[1] ?? '').toUpperCase(), host: match[2] ?? match[3] ?? '', port };
}

/** A host as it stands before a port: IPv6 addresses in brackets. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Whether a host stands for every interface. */
export const isEveryInterface = (host: string): boolean =>
  host === '' || host === '0.0.0.0' || host === '::';

function derive(endpoint: Endpoint, localHost: () => string): Endpoint {
  return isEveryInterface(endpoint.host) ? { ...endpoint, host: localHost() } : endpoint;
}

function advertisedEndpoints(settings: Settings): ReadonlyMap<string, Endpoint> {
  const texts = settings.value('advertised.listeners') ?? [];
  const endpoints = texts.map((text) => parseEndpoint('advertised.listeners', text));
  for (const { host } of endpoints) {
    if (isEveryInterface(host)) {
      throw new StartError(
        'advertised.listeners must name a host that clients can reach, not every interface.',
      );
    }
  }
  return new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
}

function refuseRepeated(endpoints: readonly Endpoint[]): void {
  const names = endpoints.map((endpoint) => endpoint.name);
  if (new Set(names).size < names.length) {
    throw new StartError('listeners names a listener twice: each needs a name of its own.');
  }
  const ports = endpoints.filter((endpoint) => endpoint.port > 0).map((endpoint) => endpoint.port);
  if (new Set(ports).size < ports.length) {
    throw new StartError('listeners uses a port twice: each listener needs a port of its own.');
  }
}

function checkRoles(
  settings: Settings,
  endpoints: readonly Endpoint[],
  controllerNames: readonly string[],
): void {
  if (controllerNames.length === 0) {
    throw new StartError('controller.listener.names is empty: name the listener of controllers.');
  }
  const hasControllers = endpoints.some((endpoint) => controllerNames.includes(endpoint.name));
  if (settings.hasRole('controller') && !hasControllers) {
    throw new StartError(
      'process.roles has controller: listeners must then have one of controller.listener.names.',
    );
  }
  if (!settings.hasRole('controller') && hasControllers) {
    throw new StartError(
      'process.roles has no controller: take the controller listener out of listeners.',
    );
  }
  const hasBroker = endpoints.some((endpoint) => !controllerNames.includes(endpoint.name));
  if (settings.hasRole('broker') && !hasBroker) {
    throw new StartError('process.roles has broker: listeners needs one for clients too.');
  }
}

/** The listener on which brokers reach each other; `listeners` of a broker has one of that name. */
export function interBrokerListenerName(settings: Settings): string {
  const named = settings.value('inter.broker.listener.name');
  return (named ?? settings.value('security.inter.broker.protocol')).toUpperCase();
}

function checkBrokerListener(
  settings: Settings,
  endpoints: readonly Endpoint[],
  controllerNames: readonly string[],
): void {
  const isNamed = settings.isGiven('inter.broker.listener.name');
  if (isNamed && settings.isGiven('security.inter.broker.protocol')) {
    throw new StartError(
      'Set inter.broker.listener.name or security.inter.broker.protocol, not both.',
    );
  }
  const name = interBrokerListenerName(settings);
  const names = endpoints.map((endpoint) => endpoint.name);
  const clientNames = names.filter((one) => !controllerNames.includes(one));
  if (settings.hasRole('broker') && !clientNames.includes(name)) {
    throw new StartError(
      `inter.broker.listener.name is ${name}${isNamed ? '' : ' where it is not set'}, ` +
        `which is no listener for clients: set it to one of ${clientNames.join(', ')}.`,
    );
  }
}

function securityProtocols(
  settings: Settings,
  controllerNames: readonly string[],
): (name: string) => SecurityProtocol {
  const map = new Map<string, string>();
  for (const pair of settings.value('listener.security.protocol.map').split(',')) {
    const [name, protocol] = pair.trim().split(':');
    if (name !== undefined && protocol !== undefined) map.set(name.toUpperCase(), protocol);
  }
  const isDefault = !settings.isGiven('listener.security.protocol.map');
  return (name) => {
    const protocol = map.get(name) ?? (isDefault && controllerNames.includes(name) && 'PLAINTEXT');
    const known = SECURITY_PROTOCOLS.find((candidate) => candidate === protocol);
    if (known === undefined) {
      throw new StartError(`listener.security.protocol.map gives no protocol for ${name}.`);
    }
    if (!SERVED.includes(known)) {
      throw new StartError(
        `The listener ${name} asks for ${known}, which is not served yet: use PLAINTEXT.`,
      );
    }
    return known;
  };
}
