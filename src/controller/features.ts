/** Changing the finalized levels of features (KIP-584, KIP-778). */
import type { FeatureRange } from '../metadata/brokers';
import { RESOURCE_TYPES, resourceOfKey } from '../metadata/config-resources';
import {
  allows,
  changesRecordsBetween,
  ELIGIBLE_LEADER_REPLICAS_VERSION,
  FEATURES,
  KRAFT_VERSION,
  METADATA_VERSION,
  SUPPORTED_FEATURES,
} from '../metadata/features';
import { type MetadataRecord, metadataRecord } from '../metadata/metadata-record';
import type { RequestOf, ResponseDraft } from '../protocol/api';
import type { UpdateFeatures } from '../protocol/apis/update-features';
import { Errors } from '../protocol/errors';
import { isRefused, type Refused, refused } from './refusals';
import { type ControllerNow, MIN_INSYNC_REPLICAS, type Outcome, type View } from './view';

type Request = RequestOf<typeof UpdateFeatures>;
type Response = ResponseDraft<typeof UpdateFeatures>;

/** Kafka's FeatureUpdate.UpgradeType by number; 0 is unknown. */
const UPGRADE = 1;
const SAFE_DOWNGRADE = 2;
const UNSAFE_DOWNGRADE = 3;

interface Update {
  readonly name: string;
  readonly level: number;
  readonly upgradeType: number;
}

export function updateFeatures(
  view: View,
  request: Request,
  now: ControllerNow,
  apiVersion: number,
): Outcome<Response> {
  const updates = new Map<string, Update>();
  for (const { feature: name, maxVersionLevel: level, ...asked } of request.featureUpdates) {
    const downgrade = asked.allowDowngrade ? SAFE_DOWNGRADE : UPGRADE;
    const upgradeType = apiVersion === 0 ? downgrade : asked.upgradeType;
    updates.set(name, { name, level, upgradeType });
  }
  const proposed = new Map(view.image.features);
  for (const { name, level } of updates.values()) proposed.set(name, level);
  const records: MetadataRecord[] = [];
  for (const update of updates.values()) {
    const outcome = updateOne(view, update, proposed, now);
    if (isRefused(outcome)) return { records: [], response: refusedAll(outcome) };
    records.push(...outcome);
  }
  // Raft writes this level itself, so everything else must have been found right before.
  const kraft = updates.get(KRAFT_VERSION);
  if (kraft !== undefined && !request.validateOnly) {
    const why = upgradeKraftVersion(kraft, now, false);
    if (why !== undefined) return { records: [], response: refusedAll(why) };
  }
  const none = refused('NONE', 'NONE');
  const results = [...updates.keys()].map((feature) => ({ feature, ...none }));
  const needsMinIsr = (updates.get(ELIGIBLE_LEADER_REPLICAS_VERSION)?.level ?? 0) > 0;
  return {
    records: request.validateOnly ? [] : [...(needsMinIsr ? oneMinIsr(view) : []), ...records],
    response: {
      errorCode: Errors.NONE,
      errorMessage: null,
      ...(apiVersion <= 1 ? { results } : {}),
    },
  };
}

const refusedAll = ({ errorCode, errorMessage }: Refused): Response => ({
  errorCode,
  errorMessage:
    'The update failed for all features since the following feature had an error: ' +
    (errorMessage ?? ''),
});

function updateOne(
  view: View,
  update: Update,
  proposed: ReadonlyMap<string, number>,
  now: ControllerNow,
): readonly MetadataRecord[] | Refused {
  const { name, level, upgradeType } = update;
  const current = name === KRAFT_VERSION ? now.quorum.kraftVersion : view.image.featureLevel(name);
  const why = reasonAgainst(view, update, current, now);
  if (why !== undefined) return invalidUpdate(name, level, why);
  if (name === METADATA_VERSION) return updateMetadataVersion(level, current, upgradeType);
  if (name === KRAFT_VERSION) {
    if (level < current) {
      return invalidUpdate(name, level, "Can't downgrade the version of this feature.");
    }
    // The answer waits for this record, hence for those that raft writes before it.
    const noOp = metadataRecord('NoOpRecord', 0, {});
    return upgradeKraftVersion(update, now, true) ?? [noOp];
  }
  const feature = FEATURES.find((each) => each.name === name);
  const needs = level === 0 ? 0 : (feature?.needs[level - 1] ?? 0);
  if ((proposed.get(METADATA_VERSION) ?? 0) < needs) {
    const message =
      `${name} could not be set to ${level} because it depends on ${METADATA_VERSION} level ` +
      `${needs}`;
    return invalidUpdate(name, level, message);
  }
  return [metadataRecord('FeatureLevelRecord', 0, { name, featureLevel: level })];
}

/** Eligible leader replicas need a min.insync.replicas that is the same for all brokers. */
function oneMinIsr({ image, staticMinInsyncReplicas }: View): readonly MetadataRecord[] {
  const records: MetadataRecord[] = [];
  const set = (resourceName: string, value: string | null): void => {
    const { broker: resourceType } = RESOURCE_TYPES;
    const record = { resourceType, resourceName, name: MIN_INSYNC_REPLICAS, value };
    records.push(metadataRecord('ConfigRecord', 0, record));
  };
  if (!image.configOf({ type: 'broker', name: '' }).has(MIN_INSYNC_REPLICAS)) {
    set('', staticMinInsyncReplicas);
  }
  for (const [key, overrides] of image.overridesByResource) {
    const { type, name } = resourceOfKey(key);
    if (type === 'broker' && name !== '' && overrides.has(MIN_INSYNC_REPLICAS)) set(name, null);
  }
  return records;
}

function reasonAgainst(
  view: View,
  { name, level, upgradeType }: Update,
  current: number,
  now: ControllerNow,
): string | undefined {
  if (upgradeType < UPGRADE || upgradeType > UNSAFE_DOWNGRADE) {
    return 'The controller does not support the given upgrade type.';
  }
  if (level < 0) return 'A feature version cannot be less than 0.';
  const unsupported = reasonNotSupported(view, name, level, now);
  if (unsupported !== undefined) return unsupported;
  if (level < current && upgradeType === UPGRADE) {
    return (
      "Can't downgrade the version of this feature without setting the upgrade type to either " +
      'safe or unsafe downgrade.'
    );
  }
  if (level > current && upgradeType !== UPGRADE) return "Can't downgrade to a newer version.";
  return undefined;
}

/** Every node must support the level: this one, every broker, every controller of the quorum. */
function reasonNotSupported(
  view: View,
  name: string,
  level: number,
  now: ControllerNow,
): string | undefined {
  const { image, settings } = view;
  const lacks = (what: string, range: FeatureRange | undefined): string | undefined => {
    const { min, max } = range ?? { min: 0, max: 0 };
    if (level >= min && level <= max) return undefined;
    if (max === 0) return `${what} does not support this feature.`;
    return `${what} only supports versions ${min}-${max}`;
  };
  const own = lacks(`Local controller ${settings.nodeId}`, SUPPORTED_FEATURES.get(name));
  if (own !== undefined) return own;
  for (const broker of image.brokers.values()) {
    const why = lacks(`Broker ${broker.id}`, broker.features.get(name));
    if (why !== undefined) return why;
  }
  if (!allows.controllerRegistration(image.metadataVersion)) return undefined;
  for (const controller of image.controllers.values()) {
    if (controller.id === settings.nodeId) continue;
    const why = lacks(`Controller ${controller.id}`, controller.features.get(name));
    if (why !== undefined) return why;
  }
  const unknown = now.quorum.voters.find(
    (id) => id !== settings.nodeId && !image.controllers.has(id),
  );
  if (unknown === undefined) return undefined;
  return `controller ${unknown} has not registered, and may not support this feature`;
}

function updateMetadataVersion(
  level: number,
  current: number,
  upgradeType: number,
): readonly MetadataRecord[] | Refused {
  if (level < current && changesRecordsBetween(level, current)) {
    const why =
      upgradeType === UNSAFE_DOWNGRADE
        ? 'Unsafe metadata downgrade is not supported in this version.'
        : 'Refusing to perform the requested downgrade because it might delete metadata ' +
          'information.';
    return refused(
      'INVALID_UPDATE_VERSION',
      `Unsupported metadata.version downgrade from ${current} to ${level}. ${why}`,
    );
  }
  const record = { name: METADATA_VERSION, featureLevel: level };
  return [metadataRecord('FeatureLevelRecord', 0, record)];
}

function upgradeKraftVersion(
  { name, level }: Update,
  { quorum }: ControllerNow,
  validateOnly: boolean,
): Refused | undefined {
  if (level === quorum.kraftVersion) return undefined;
  const error = quorum.upgradeKraftVersion(level, validateOnly);
  if (error === 'NONE') return undefined;
  if (error !== 'INVALID_UPDATE_VERSION') return refused(error);
  return invalidUpdate(name, level, 'Not every voter is known yet to support it.');
}

const invalidUpdate = (name: string, level: number, why: string): Refused =>
  refused('INVALID_UPDATE_VERSION', `Invalid update version ${level} for feature ${name}. ${why}`);
