/** Brokers enter the cluster, stay in it, and leave it (KIP-631, KIP-841, KIP-858, KIP-966). */
import type { BrokerEpoch, NodeId, Offset, Uuid } from '../base/ids';
import { type Broker, type FeatureRange, isActive, SECURITY_PROTOCOLS } from '../metadata/brokers';
import { allows, KRAFT_VERSION, METADATA_VERSION, recordVersion } from '../metadata/features';
import { type MetadataRecord, metadataRecord } from '../metadata/metadata-record';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { BrokerHeartbeat } from '../protocol/apis/broker-heartbeat';
import type { BrokerRegistration } from '../protocol/apis/broker-registration';
import type { UnregisterBroker } from '../protocol/apis/unregister-broker';
import { Errors } from '../protocol/errors';
import {
  cleanUpAfter,
  fenceBroker,
  registrationChange,
  startControlledShutdown,
  unfenceBroker,
  unregisterBroker as unregister,
  updateLeaders,
} from './leadership';
import { refuse } from './refusals';
import type { SessionChange } from './sessions';
import type { ControllerNow, Outcome, Quorum, View } from './view';

type Registration = RequestOf<typeof BrokerRegistration>;
type Heartbeat = RequestOf<typeof BrokerHeartbeat>;

export function registerBroker(
  view: View,
  request: Registration,
  now: ControllerNow,
  apiVersion: number,
): Outcome<ResponseDraft<typeof BrokerRegistration>> {
  const existing = view.image.broker(request.brokerId);
  checkIdentity(view, request, existing, now);
  if (allows.directories(view.metadataVersion)) checkDirectories(view, request);
  checkFeatures(view, request, now.quorum);
  for (const { name, securityProtocol } of request.listeners) {
    if (SECURITY_PROTOCOLS[securityProtocol] !== undefined) continue;
    refuse(
      'INVALID_REGISTRATION',
      `Unknown security protocol ${securityProtocol} in listener ${name}`,
    );
  }
  const broker = request.brokerId;
  if (existing !== undefined && existing.incarnationId === request.incarnationId) {
    const { isFenced: fenced, isInControlledShutdown: inControlledShutdown, epoch } = existing;
    const record = registrationRecord(view, request, epoch, { fenced, inControlledShutdown });
    return { records: [record], response: { errorCode: Errors.NONE, brokerEpoch: epoch } };
  }
  const epoch = now.nextOffset;
  // Only from version 3 on does a broker say with which epoch it was shut down.
  const wasClean = apiVersion >= 3 && (existing?.epoch ?? -2) === request.previousBrokerEpoch;
  return {
    // The registration comes last: what its former life leaves behind is cleaned up before.
    records: [
      ...cleanUpAfter(view, broker, wasClean),
      registrationRecord(view, request, epoch, { fenced: true, inControlledShutdown: false }),
    ],
    soft: [{ kind: 'registered', broker, epoch }],
    response: { errorCode: Errors.NONE, brokerEpoch: epoch },
  };
}

export function heartbeat(
  view: View,
  request: Heartbeat,
  now: ControllerNow,
): Outcome<ResponseDraft<typeof BrokerHeartbeat>> {
  const { brokerId: broker, brokerEpoch: epoch, currentMetadataOffset } = request;
  const registered = checkBrokerEpoch(view, broker, epoch);
  const registeredAt = view.registrationOffset(broker) ?? epoch;
  const current = stateOf(view, registered);
  const lost = lostDirectories(view, registered, request);
  const next = nextState(view, registered, current, request, lost, registeredAt);
  const records: MetadataRecord[] = [
    ...(next === current ? [] : transition(view, registered, next)),
    ...directoryRecords(view, registered, lost),
    ...cordonRecords(view, registered, request),
  ];
  const lastOffset = now.nextOffset + records.length - 1;
  const soft: SessionChange[] = [
    { kind: 'heard', broker, epoch, atMs: now.nowMs },
    { kind: 'applied', broker, offset: currentMetadataOffset },
  ];
  const isFenced = next === 'fenced' || next === 'shutdown-now';
  if (next === 'controlled-shutdown') {
    soft.push({ kind: 'shutting-down', broker, offset: lastOffset });
  } else if (isFenced) {
    soft.push({ kind: 'shutdown-ended', broker });
  }
  const isCaughtUp = currentMetadataOffset >= registeredAt;
  const shouldShutDown = next === 'shutdown-now';
  return {
    records,
    soft,
    response: { errorCode: Errors.NONE, isCaughtUp, isFenced, shouldShutDown },
  };
}

export function unregisterBroker(
  view: View,
  request: RequestOf<typeof UnregisterBroker>,
): Outcome<ResponseDraft<typeof UnregisterBroker>> {
  const broker = request.brokerId;
  const registered = view.image.broker(broker);
  if (registered === undefined) {
    refuse('BROKER_ID_NOT_REGISTERED', `Broker ID ${broker} is not currently registered`);
  }
  return {
    records: unregister(view, broker, registered.epoch),
    soft: [{ kind: 'forgotten', broker }],
    response: { errorCode: Errors.NONE, errorMessage: null },
  };
}

/** The registration, if the request comes from its present life. */
export function checkBrokerEpoch(view: View, broker: NodeId, epoch: BrokerEpoch): Broker {
  const registered = view.image.broker(broker);
  if (registered === undefined) {
    refuse('STALE_BROKER_EPOCH', `No broker registration found for broker id ${broker}`);
  }
  if (registered.epoch !== epoch) {
    refuse(
      'STALE_BROKER_EPOCH',
      `Expected broker epoch ${registered.epoch}, but got broker epoch ${epoch}`,
    );
  }
  return registered;
}

type BrokerState = 'fenced' | 'unfenced' | 'controlled-shutdown' | 'shutdown-now';

function stateOf(view: View, broker: Broker): BrokerState {
  if (view.sessions.isShuttingDown(broker.id)) return 'controlled-shutdown';
  return broker.isFenced ? 'fenced' : 'unfenced';
}

function nextState(
  view: View,
  broker: Broker,
  current: BrokerState,
  { wantFence, wantShutDown, currentMetadataOffset }: Heartbeat,
  lost: readonly Uuid[],
  registeredAt: Offset,
): BrokerState {
  const leads = view.indexes.leadsAny(broker.id);
  switch (current) {
    case 'fenced':
      if (wantShutDown) return 'shutdown-now';
      // What lies in a folder that is lost must be known as offline before it could be led.
      if (wantFence || lost.length > 0) return 'fenced';
      return currentMetadataOffset >= registeredAt ? 'unfenced' : 'fenced';
    case 'unfenced':
      if (wantFence || isLast(broker, lost)) return wantShutDown ? 'shutdown-now' : 'fenced';
      if (!wantShutDown) return 'unfenced';
      return leads ? 'controlled-shutdown' : 'shutdown-now';
    default: {
      const session = view.sessions.get(broker.id);
      const until = session?.controlledShutdownOffset ?? -1;
      // Every active broker must know the new leaders before the old one goes.
      const isKnown = until <= lowestActiveOffset(view);
      return !leads && isKnown ? 'shutdown-now' : 'controlled-shutdown';
    }
  }
}

function lowestActiveOffset(view: View): Offset {
  let lowest = Number.POSITIVE_INFINITY;
  for (const { id, isFenced } of view.image.brokers.values()) {
    if (isFenced || view.sessions.isShuttingDown(id)) continue;
    lowest = Math.min(lowest, view.sessions.get(id)?.metadataOffset ?? -1);
  }
  return lowest;
}

function transition(view: View, broker: Broker, next: BrokerState): MetadataRecord[] {
  switch (next) {
    case 'fenced':
    case 'shutdown-now':
      return fenceBroker(view, broker.id);
    case 'unfenced':
      return unfenceBroker(view, broker.id, broker.epoch);
    case 'controlled-shutdown':
      return startControlledShutdown(view, broker.id, broker.epoch);
  }
}

/** Folders that the broker has named and now calls offline. */
function lostDirectories(view: View, broker: Broker, request: Heartbeat): readonly Uuid[] {
  if (!allows.directories(view.metadataVersion)) return [];
  return broker.directories.filter((directory) => request.offlineLogDirs.includes(directory));
}

/** Nothing is left: the record has no word for that, so the broker is fenced instead. */
const isLast = (broker: Broker, lost: readonly Uuid[]): boolean =>
  lost.length > 0 && lost.length === broker.directories.length;

/** Folders that went offline take their partitions along. */
function directoryRecords(view: View, broker: Broker, lost: readonly Uuid[]): MetadataRecord[] {
  if (lost.length === 0 || isLast(broker, lost)) return [];
  const logDirs = broker.directories.filter((directory) => !lost.includes(directory));
  return [
    ...lost.flatMap((directory) =>
      updateLeaders(view, view.indexes.inDirectory(directory), { leaves: broker.id }),
    ),
    registrationChange(broker.id, broker.epoch, 2, { logDirs }),
  ];
}

/** Folders that take no new replicas are only noted. */
function cordonRecords(view: View, broker: Broker, request: Heartbeat): MetadataRecord[] {
  const { cordonedLogDirs } = request;
  if (!allows.cordonedDirectories(view.metadataVersion)) return [];
  if (!isNewCordon(broker, cordonedLogDirs)) return [];
  return [registrationChange(broker.id, broker.epoch, 3, { cordonedLogDirs })];
}

function isNewCordon(
  { cordonedDirectories: known }: Broker,
  said: readonly Uuid[] | null,
): said is readonly Uuid[] {
  // A broker says nothing until it has read the settings that name them.
  if (said === null) return false;
  if (known === null) return true;
  return known.length !== said.length || !said.every((directory) => known.includes(directory));
}

function checkIdentity(
  view: View,
  request: Registration,
  existing: Broker | undefined,
  now: ControllerNow,
): void {
  const { clusterId } = view.settings;
  if (request.clusterId !== clusterId) {
    refuse(
      'INCONSISTENT_CLUSTER_ID',
      `Expected cluster ID ${clusterId}, but got cluster ID ${request.clusterId}`,
    );
  }
  // A broker that is fenced or on its way out may be replaced at once (KAFKA-19047), and so may one
  // that this controller never heard: it was granted a session when the controller took over.
  if (existing !== undefined && existing.incarnationId !== request.incarnationId) {
    if (isActive(existing) && view.sessions.isAlive(existing.id, existing.epoch, now.nowMs)) {
      refuse(
        'DUPLICATE_BROKER_REGISTRATION',
        'Another broker is registered with that broker id. If the broker was recently restarted ' +
          "this resolves itself once the former broker's session has expired.",
      );
    }
  }
  if (request.isMigratingZkBroker) {
    refuse('BROKER_ID_NOT_REGISTERED', 'Controller does not support registering ZK brokers.');
  }
}

function checkDirectories(view: View, { brokerId, logDirs }: Registration): void {
  const invalid = (message: string): never => refuse('INVALID_REGISTRATION', message);
  if (logDirs.length === 0) invalid('No directories specified in request');
  if (logDirs.some(isReserved)) invalid('Reserved directory ID in request');
  if (new Set(logDirs).size < logDirs.length) invalid('Duplicate directory ID in request');
  for (const { id, directories } of view.image.brokers.values()) {
    if (id === brokerId) continue;
    const taken = directories.find((directory) => logDirs.includes(directory));
    if (taken !== undefined) {
      invalid(`Broker ${id} is already registered with directory ${taken}`);
    }
  }
}

/** The first hundred ids have meanings of their own (KIP-858). */
function isReserved(directory: Uuid): boolean {
  const bytes = Buffer.from(directory, 'base64url');
  return bytes.subarray(0, 15).every((byte) => byte === 0) && (bytes[15] ?? 0) < 100;
}

/** A broker that lacks a finalized level could not read what is written under it. */
function checkFeatures(view: View, request: Registration, quorum: Quorum): void {
  const finalized = new Map(view.image.features);
  if (quorum.kraftVersion > 0) finalized.set(KRAFT_VERSION, quorum.kraftVersion);
  const supported = new Map<string, FeatureRange>(
    request.features.map((feature) => [
      feature.name,
      { min: feature.minSupportedVersion, max: feature.maxSupportedVersion },
    ]),
  );
  for (const [name, range] of supported) checkLevel(name, finalized.get(name) ?? 0, range);
  if (!supported.has(METADATA_VERSION)) {
    refuse('INVALID_REGISTRATION', `Request features do not contain '${METADATA_VERSION}'`);
  }
  for (const [name, level] of finalized) {
    if (!supported.has(name)) checkLevel(name, level, { min: 0, max: 0 });
  }
}

function checkLevel(name: string, level: number, { min, max }: FeatureRange): void {
  if (level >= min && level <= max) return;
  refuse(
    'UNSUPPORTED_VERSION',
    `Unable to register because the broker does not support finalized version ${level} of ` +
      `${name}. The broker wants a version between ${min} and ${max}, inclusive.`,
  );
}

function registrationRecord(
  view: View,
  request: Registration,
  brokerEpoch: BrokerEpoch,
  flags: { readonly fenced: boolean; readonly inControlledShutdown: boolean },
): MetadataRecord {
  const level = view.metadataVersion;
  return metadataRecord('RegisterBrokerRecord', recordVersion.registerBroker(level), {
    brokerId: request.brokerId,
    incarnationId: request.incarnationId,
    brokerEpoch,
    endPoints: request.listeners,
    features: request.features,
    rack: request.rack,
    ...flags,
    logDirs: allows.directories(level) ? request.logDirs : [],
  });
}
