import { activationRecords } from '../../src/controller/activation';
import { RESOURCE_TYPES } from '../../src/metadata/config-resources';
import { type MetadataRecord, metadataRecord } from '../../src/metadata/metadata-record';
import { IncrementalAlterConfigs } from '../../src/protocol/apis/incremental-alter-configs';
import { UpdateFeatures } from '../../src/protocol/apis/update-features';
import { errorName } from '../../src/protocol/errors';
import { level } from '../metadata/records';
import { Story } from './story';

const update = (
  story: Story,
  feature: string,
  maxVersionLevel: number,
  upgradeType = 1,
  version = 2,
): string => {
  const answer = story.ask(
    UpdateFeatures,
    { featureUpdates: [{ feature, maxVersionLevel, upgradeType }] },
    version,
  );
  return `${errorName(answer.errorCode)} ${answer.errorMessage ?? ''}`;
};

describe('UpdateFeatures', () => {
  test('raises metadata.version step by step, and what registers must follow', () => {
    const story = new Story({}, 17).up(1);
    expect(update(story, 'metadata.version', 33)).toBe('NONE ');
    expect(story.image.metadataVersion).toBe(33);
    const old = [{ name: 'metadata.version', minSupportedVersion: 7, maxSupportedVersion: 25 }];
    expect(errorName(story.register(2, { features: old }).errorCode)).toBe('UNSUPPORTED_VERSION');
  });

  test('goes back only where no record is lost', () => {
    const story = new Story({}, 29).up(1);
    expect(update(story, 'metadata.version', 28)).toMatch(/Can't downgrade the version/);
    expect(update(story, 'metadata.version', 28, 2)).toBe('NONE ');
    expect(update(story, 'metadata.version', 22, 2)).toMatch(/might delete metadata information/);
    expect(update(story, 'metadata.version', 22, 3)).toMatch(/Unsafe metadata downgrade/);
    expect(update(story, 'metadata.version', 29, 2)).toMatch(/Can't downgrade to a newer version/);
  });

  test.each([
    ['metadata.version', 34, 1, /Local controller 1 only supports versions 7-33/],
    ['group.version', 1, 1, /Local controller 1 does not support this feature/],
    ['nonsense', 1, 1, /does not support this feature/],
    ['metadata.version', -1, 1, /cannot be less than 0/],
    ['metadata.version', 33, 0, /does not support the given upgrade type/],
    ['kraft.version', 0, 2, /Can't downgrade the version of this feature/],
  ])('%s to %d (type %d) is refused', (feature, maxLevel, type, message) => {
    const story = new Story().up(1);
    const before = story.records.length;
    const answer = update(story, feature, maxLevel, type);
    expect(answer).toMatch(/^INVALID_UPDATE_VERSION The update failed for all features/);
    expect(answer).toMatch(message);
    expect(story.records.length).toBe(before);
  });

  test('raft raises kraft.version, and only if everything else is in order', () => {
    const story = new Story({}, 29).up(1);
    story.kraftVersion = 0;
    const both = (maxVersionLevel: number, validateOnly = false) => ({
      validateOnly,
      featureUpdates: [
        { feature: 'kraft.version', maxVersionLevel: 1, upgradeType: 1 },
        { feature: 'metadata.version', maxVersionLevel, upgradeType: 1 },
      ],
    });
    expect(errorName(story.ask(UpdateFeatures, both(34)).errorCode)).toBe('INVALID_UPDATE_VERSION');
    expect(errorName(story.ask(UpdateFeatures, both(33, true)).errorCode)).toBe('NONE');
    expect(story.kraftVersion).toBe(0);
    const records = story.recordsOf(UpdateFeatures, both(33));
    expect(records.map(({ type }) => type)).toEqual(['NoOpRecord', 'FeatureLevelRecord']);
    expect(story.kraftVersion).toBe(1);
  });

  test('a voter that cannot follow holds kraft.version back', () => {
    const story = new Story().up(1);
    story.kraftVersion = 0;
    story.kraftRefusal = 'INVALID_UPDATE_VERSION';
    expect(update(story, 'kraft.version', 1)).toMatch(
      /^INVALID_UPDATE_VERSION .*feature kraft.version. Not every voter is known yet/,
    );
    story.kraftRefusal = 'NOT_LEADER_OR_FOLLOWER';
    expect(update(story, 'kraft.version', 1)).toMatch(/^NOT_LEADER_OR_FOLLOWER /);
  });

  test('a broker that lacks the level holds it back', () => {
    const story = new Story({}, 17);
    story.register(1, {
      features: [
        { name: 'metadata.version', minSupportedVersion: 7, maxSupportedVersion: 25 },
        { name: 'kraft.version', minSupportedVersion: 0, maxSupportedVersion: 1 },
      ],
    });
    expect(update(story, 'metadata.version', 33)).toMatch(/Broker 1 only supports versions 7-25/);
  });

  const ELR = 'eligible.leader.replicas.version';
  const storyWithElr = (metadataVersion?: number): Story => {
    const story = new Story({}, metadataVersion);
    const features = [
      { name: 'metadata.version', minSupportedVersion: 7, maxSupportedVersion: 33 },
      { name: 'kraft.version', minSupportedVersion: 0, maxSupportedVersion: 1 },
      { name: ELR, minSupportedVersion: 0, maxSupportedVersion: 1 },
    ];
    for (const broker of [1, 2]) story.register(broker, { features });
    return story;
  };
  const minInsyncReplicas = ({ image }: Story, name: string): string | undefined =>
    image.configOf({ type: 'broker', name }).get('min.insync.replicas');
  const setMinInsyncReplicas = (story: Story, resourceName: string, value: string): void => {
    const configs = [{ name: 'min.insync.replicas', configOperation: 0, value }];
    const resources = [{ resourceType: RESOURCE_TYPES.broker, resourceName, configs }];
    story.ask(IncrementalAlterConfigs, { resources, validateOnly: false });
  };

  test('eligible leader replicas come with one min.insync.replicas for all brokers', () => {
    const story = storyWithElr();
    setMinInsyncReplicas(story, '2', '3');
    expect(minInsyncReplicas(story, '2')).toBe('3');
    expect(update(story, ELR, 1)).toBe('NONE ');
    expect(story.image.featureLevel(ELR)).toBe(1);
    expect(minInsyncReplicas(story, '2')).toBeUndefined();
    expect(minInsyncReplicas(story, '')).toBe('1');
  });

  test('they keep a min.insync.replicas that all brokers have already', () => {
    const story = storyWithElr();
    setMinInsyncReplicas(story, '', '2');
    const before = story.records.length;
    expect(update(story, ELR, 1)).toBe('NONE ');
    expect(minInsyncReplicas(story, '')).toBe('2');
    expect(story.records.slice(before)).toMatchObject([{ type: 'FeatureLevelRecord' }]);
  });

  test('eligible leader replicas need a metadata.version that knows them', () => {
    const story = storyWithElr(22);
    expect(update(story, ELR, 1)).toMatch(
      /could not be set to 1 because it depends on metadata.version level 23/,
    );
    expect(minInsyncReplicas(story, '')).toBeUndefined();
  });

  test('up to version 1 every feature has a result of its own', () => {
    const story = new Story().up(1);
    const asked = { featureUpdates: [{ feature: 'metadata.version', maxVersionLevel: 33 }] };
    expect(story.ask(UpdateFeatures, asked, 1).results).toMatchObject([
      { feature: 'metadata.version', errorCode: 0 },
    ]);
    expect(story.ask(UpdateFeatures, asked, 2).results).toEqual([]);
  });
});

describe('what is written on taking office', () => {
  const types = (records: readonly MetadataRecord[]): string[] => records.map(({ type }) => type);
  const activation = (more: Partial<Parameters<typeof activationRecords>[0]>) =>
    activationRecords({
      metadataVersion: 0,
      hasOpenTransaction: false,
      bootstrap: [level('metadata.version', 33)],
      minInsyncReplicas: '2',
      ...more,
    });

  test('an empty log begins with the bootstrap records in a transaction', () => {
    expect(types(activation({}))).toEqual([
      'BeginTransactionRecord',
      'FeatureLevelRecord',
      'EndTransactionRecord',
    ]);
  });

  test('before transactions there were, without one', () => {
    const bootstrap = [level('metadata.version', 12)];
    expect(types(activation({ bootstrap }))).toEqual(['FeatureLevelRecord']);
  });

  test('a bootstrap that a former leader did not finish is aborted and written again', () => {
    expect(types(activation({ hasOpenTransaction: true }))).toEqual([
      'AbortTransactionRecord',
      'BeginTransactionRecord',
      'FeatureLevelRecord',
      'EndTransactionRecord',
    ]);
  });

  test('a log with records gets nothing, or the end of a transaction left open', () => {
    expect(activation({ metadataVersion: 33 })).toEqual([]);
    expect(activation({ metadataVersion: 33, hasOpenTransaction: true })).toMatchObject([
      { type: 'AbortTransactionRecord', value: { reason: 'Controller failover' } },
    ]);
  });

  test('eligible leader replicas come with a min.insync.replicas for all brokers', () => {
    const bootstrap = [
      level('metadata.version', 33),
      metadataRecord('FeatureLevelRecord', 0, {
        name: 'eligible.leader.replicas.version',
        featureLevel: 1,
      }),
    ];
    expect(activation({ bootstrap })).toContainEqual(
      metadataRecord('ConfigRecord', 0, {
        resourceType: 4,
        resourceName: '',
        name: 'min.insync.replicas',
        value: '2',
      }),
    );
  });
});
