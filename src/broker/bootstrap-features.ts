/** The levels of features that a new cluster starts with: `--release-version` and `--feature`. */
import {
  FEATURES,
  KRAFT_VERSION,
  LATEST_METADATA_VERSION,
  LEAST_METADATA_VERSION,
  METADATA_VERSION,
  type MetadataVersion,
  metadataVersionAt,
  metadataVersionNamed,
  SUPPORTED_FEATURES,
} from '../metadata/features';
import { type MetadataRecord, metadataRecord } from '../metadata/metadata-record';
import { FormatError } from './format-error';

export interface FeatureChoice {
  /** As Kafka writes it (`4.4`, `4.4-IV2`); the newest if undefined. */
  readonly releaseVersion: string | undefined;
  /** `--feature name=level`. */
  readonly features: ReadonlyMap<string, number>;
  /** No static voters: the quorum's voters are in its log (kraft.version 1). */
  readonly isDynamic: boolean;
}

export interface BootstrapFeatures {
  readonly metadataVersion: MetadataVersion;
  /** Every feature of this build but metadata.version. */
  readonly levels: ReadonlyMap<string, number>;
}

/** Throws FormatError for levels that this build does not serve, or that contradict each other. */
export function bootstrapFeatures(choice: FeatureChoice): BootstrapFeatures {
  const metadataVersion = chooseMetadataVersion(choice);
  for (const name of choice.features.keys()) {
    if (name !== METADATA_VERSION && !SUPPORTED_FEATURES.has(name)) {
      const names = [...SUPPORTED_FEATURES.keys()].join(', ');
      throw new FormatError(`Unsupported feature: ${name}. Supported features are: ${names}.`);
    }
  }
  const levels = new Map<string, number>();
  for (const { name, bootstrapFrom } of FEATURES) {
    const range = SUPPORTED_FEATURES.get(name);
    if (range === undefined) continue;
    const usual =
      name === KRAFT_VERSION
        ? Number(choice.isDynamic)
        : bootstrapFrom.filter((level) => level <= metadataVersion.level).length;
    const level = choice.features.get(name) ?? Math.min(usual, range.max);
    checkLevel(name, level, metadataVersion, choice.isDynamic);
    levels.set(name, level);
  }
  return { metadataVersion, levels };
}

/** What the first leader writes into the empty log: metadata.version first, the rest by name. */
export function bootstrapRecords({ metadataVersion, levels }: BootstrapFeatures): MetadataRecord[] {
  const others = [...levels]
    .filter(([name, level]) => name !== KRAFT_VERSION && level > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return [[METADATA_VERSION, metadataVersion.level] as const, ...others].map(
    ([name, featureLevel]) => metadataRecord('FeatureLevelRecord', 0, { name, featureLevel }),
  );
}

/** `name=level` texts of the command line. */
export function parseFeatures(texts: readonly string[]): Map<string, number> {
  const features = new Map<string, number>();
  for (const text of texts) {
    const [, name, level] = /^\s*([^=]*?)\s*=\s*(-?\d+)\s*$/.exec(text) ?? [];
    if (!name || level === undefined) {
      throw new FormatError(`"${text}" is no feature=level, like group.version=1.`);
    }
    features.set(name, Number(level));
  }
  return features;
}

function chooseMetadataVersion({ releaseVersion, features }: FeatureChoice): MetadataVersion {
  const level = features.get(METADATA_VERSION);
  if (level !== undefined && releaseVersion !== undefined) {
    throw new FormatError(
      `Use --release-version instead of --feature ${METADATA_VERSION}=X to avoid ambiguity.`,
    );
  }
  if (releaseVersion !== undefined) {
    const version = metadataVersionNamed(releaseVersion);
    if (version !== undefined) return version;
    throw new FormatError(
      `${releaseVersion} is no release this build knows; it knows ` +
        `${nameOf(LEAST_METADATA_VERSION)} to ${nameOf(LATEST_METADATA_VERSION)}.`,
    );
  }
  const version = metadataVersionAt(level ?? LATEST_METADATA_VERSION);
  if (version !== undefined) return version;
  throw new FormatError(`No ${METADATA_VERSION} has the level ${level}.`);
}

function checkLevel(
  name: string,
  level: number,
  metadataVersion: MetadataVersion,
  isDynamic: boolean,
): void {
  const range = SUPPORTED_FEATURES.get(name);
  if (range === undefined || level < range.min || level > range.max) {
    throw new FormatError(
      `${name} has no level ${level} here; this build serves ${range?.min} to ${range?.max}.`,
    );
  }
  if (name === KRAFT_VERSION && level > 0 !== isDynamic) {
    throw new FormatError(
      isDynamic
        ? 'kraft.version cannot be 0 without controller.quorum.voters: remove the --feature flag.'
        : `kraft.version cannot be ${level} with controller.quorum.voters: remove that setting ` +
            'and give --standalone, --initial-controllers or --no-initial-controllers.',
    );
  }
  const needed = FEATURES.find((feature) => feature.name === name)?.needs[level - 1] ?? 0;
  if (metadataVersion.level < needed) {
    throw new FormatError(
      `${name}=${level} needs ${METADATA_VERSION} ${nameOf(needed)} or later, ` +
        `not ${metadataVersion.name}.`,
    );
  }
}

const nameOf = (level: number): string => metadataVersionAt(level)?.name ?? String(level);
