/** What tools and foreign nodes ask over the wire, well-formed or not. */
import { METADATA_TOPIC_ID, ZERO_UUID } from '../../src/base/ids';
import { Channel, channelBuffers } from '../../src/client/channel';
import type { AnyApi, RequestDraft, ResponseOf } from '../../src/protocol/api';
import {
  AddRaftVoter,
  BeginQuorumEpoch,
  DescribeQuorum,
  EndQuorumEpoch,
  Fetch,
  FetchSnapshot,
  RemoveRaftVoter,
  UpdateRaftVoter,
  Vote,
} from '../../src/protocol/apis';
import { Errors } from '../../src/protocol/errors';
import { readRecords } from '../../src/protocol/records/record';
import { WireCluster } from './wire-cluster';

const TOPIC = '__cluster_metadata';

async function connect(cluster: WireCluster, id = cluster.leader.id) {
  const client = cluster.world.machine('client');
  const channel = await cluster.world.outcome(
    Channel.connect(
      { ...client, buffers: channelBuffers() },
      {
        host: `host-${id}`,
        port: 9093,
        clientId: 'tool',
        connectTimeoutMs: 1000,
        requestTimeoutMs: 5000,
      },
    ),
  );
  return <A extends AnyApi>(
    api: A,
    version: number,
    body: RequestDraft<A>,
  ): Promise<ResponseOf<A>> => cluster.world.outcome(channel.request(api, version, body));
}

const describing = (topicName = TOPIC) => ({
  topics: [{ topicName, partitions: [{ partitionIndex: 0 }] }],
});

const fetching = (changes: object = {}) => ({
  partition: 0,
  currentLeaderEpoch: 1,
  fetchOffset: 0n,
  lastFetchedEpoch: 0,
  partitionMaxBytes: 1000,
  ...changes,
});

describe('DescribeQuorum', () => {
  test.each([0, 1, 2])('version %d tells how far each replica is', async (version) => {
    const cluster = await WireCluster.start({ nodes: 3, voters: 3 });
    const ask = await connect(cluster);
    cluster.append('a');
    await cluster.world.advance(2000);
    const answer = await ask(DescribeQuorum, version, describing());
    const partition = answer.topics[0]?.partitions[0];
    const end = cluster.leader.driver.endOffset;
    expect(partition).toMatchObject({
      errorCode: Errors.NONE,
      leaderId: cluster.leader.id,
      leaderEpoch: 1,
      highWatermark: end,
      observers: [],
    });
    const voters = partition?.currentVoters ?? [];
    expect(voters.map(({ replicaId }) => replicaId).sort()).toEqual([1, 2, 3]);
    expect(voters.every(({ logEndOffset }) => logEndOffset === end)).toBe(true);
    const wallMs = cluster.leader.machine.clock.wallMs();
    for (const { lastFetchTimestamp, lastCaughtUpTimestamp } of version > 0 ? voters : []) {
      expect(wallMs - lastFetchTimestamp).toBeLessThan(1000);
      expect(wallMs - lastCaughtUpTimestamp).toBeLessThan(1000);
    }
    if (version < 2) return;
    expect(answer.nodes).toContainEqual({
      nodeId: 2,
      listeners: [{ name: 'CONTROLLER', host: 'host-2', port: 9093 }],
    });
  });

  test('of a follower, or of another topic, is an error of the partition', async () => {
    const cluster = await WireCluster.start({ nodes: 3, voters: 3 });
    const follower = [1, 2, 3].find((id) => id !== cluster.leader.id);
    const elsewhere = await (await connect(cluster, follower))(DescribeQuorum, 2, describing());
    expect(elsewhere.topics[0]?.partitions[0]?.errorCode).toBe(Errors.NOT_LEADER_OR_FOLLOWER);
    const ask = await connect(cluster);
    const other = await ask(DescribeQuorum, 2, describing('other'));
    expect(other.topics[0]?.partitions[0]?.errorCode).toBe(Errors.UNKNOWN_TOPIC_OR_PARTITION);
  });
});

describe('Fetch on a controller', () => {
  const body = (topics: RequestDraft<typeof Fetch>['topics']): RequestDraft<typeof Fetch> => ({
    maxWaitMs: 0,
    minBytes: 0,
    topics,
    forgottenTopicsData: [],
  });

  test('gives the log to whoever names it, by name before version 13 and by id since', async () => {
    const cluster = await WireCluster.start({ nodes: 1, voters: 1 });
    cluster.append('hello');
    await cluster.world.advance(100);
    const ask = await connect(cluster);
    for (const version of [12, 13, 17, 18]) {
      const topic = { topic: TOPIC, topicId: METADATA_TOPIC_ID, partitions: [fetching()] };
      const answer = await ask(Fetch, version, body([topic]));
      const found = answer.responses[0]?.partitions[0];
      expect(found).toMatchObject({ errorCode: Errors.NONE, highWatermark: 2 });
      const records = found?.records ?? Buffer.alloc(0);
      const size = records.readInt32BE(8) + 12;
      const [record] = readRecords(records, size);
      expect(record?.value?.toString()).toBe('hello');
      expect(answer.nodeEndpoints).toHaveLength(version >= 16 ? 1 : 0);
    }
  });

  test.each<[string, RequestDraft<typeof Fetch>['topics']]>([
    ['another topic', [{ topicId: METADATA_TOPIC_ID.replace('Q', 'g'), partitions: [fetching()] }]],
    ['no topic', []],
    ['no partition', [{ topicId: METADATA_TOPIC_ID, partitions: [] }]],
    [
      'another partition',
      [{ topicId: METADATA_TOPIC_ID, partitions: [fetching({ partition: 1 })] }],
    ],
    [
      'two partitions',
      [{ topicId: METADATA_TOPIC_ID, partitions: [fetching(), fetching({ partition: 1 })] }],
    ],
  ])('refuses %s', async (_, topics) => {
    const cluster = await WireCluster.start({ nodes: 1, voters: 1 });
    const ask = await connect(cluster);
    expect((await ask(Fetch, 18, body(topics))).errorCode).toBe(Errors.INVALID_REQUEST);
  });

  test('answers nonsense offsets and epochs as errors', async () => {
    const cluster = await WireCluster.start({ nodes: 1, voters: 1 });
    const ask = await connect(cluster);
    const errorOf = async (changes: object) => {
      const topic = { topicId: METADATA_TOPIC_ID, partitions: [fetching(changes)] };
      return (await ask(Fetch, 18, body([topic]))).responses[0]?.partitions[0]?.errorCode;
    };
    expect(await errorOf({ fetchOffset: -1n })).toBe(Errors.INVALID_REQUEST);
    expect(await errorOf({ fetchOffset: 1n << 62n, lastFetchedEpoch: 1 })).toBe(Errors.NONE);
    expect(await errorOf({ lastFetchedEpoch: 2 })).toBe(Errors.INVALID_REQUEST);
    expect(await errorOf({ currentLeaderEpoch: 0 })).toBe(Errors.FENCED_LEADER_EPOCH);
    expect(await errorOf({ currentLeaderEpoch: 9 })).toBe(Errors.UNKNOWN_LEADER_EPOCH);
  });
});

describe('requests that are not about the metadata log, or about another cluster', () => {
  const elsewhere = { topicName: 'other', partitions: [] };

  test('are refused as a whole', async () => {
    const cluster = await WireCluster.start({ nodes: 1, voters: 1 });
    const ask = await connect(cluster);
    const topics = [elsewhere];
    expect((await ask(Vote, 2, { topics })).errorCode).toBe(Errors.INVALID_REQUEST);
    expect((await ask(BeginQuorumEpoch, 1, { topics, leaderEndpoints: [] })).errorCode).toBe(
      Errors.INVALID_REQUEST,
    );
    expect((await ask(EndQuorumEpoch, 1, { topics, leaderEndpoints: [] })).errorCode).toBe(
      Errors.INVALID_REQUEST,
    );
    const named = [{ name: 'other', partitions: [] }];
    expect((await ask(FetchSnapshot, 1, { topics: named })).errorCode).toBe(Errors.INVALID_REQUEST);
    const voter = { clusterId: 'another', voterId: 2, voterDirectoryId: ZERO_UUID };
    for (const answer of [
      await ask(AddRaftVoter, 1, { ...voter, timeoutMs: 1, listeners: [], ackWhenCommitted: true }),
      await ask(RemoveRaftVoter, 0, voter),
      await ask(UpdateRaftVoter, 0, {
        ...voter,
        currentLeaderEpoch: 1,
        listeners: [],
        kRaftVersionFeature: { minSupportedVersion: 0, maxSupportedVersion: 1 },
      }),
    ]) {
      expect(answer.errorCode).toBe(Errors.INCONSISTENT_CLUSTER_ID);
    }
  });

  test('votes and news that make no sense leave the leader in office', async () => {
    const cluster = await WireCluster.start({ nodes: 1, voters: 1 });
    const ask = await connect(cluster);
    const partition = {
      partitionIndex: 0,
      replicaEpoch: 7,
      replicaId: -5,
      replicaDirectoryId: ZERO_UUID,
      voterDirectoryId: ZERO_UUID,
      lastOffsetEpoch: 6,
      lastOffset: 99,
      preVote: false,
    };
    const vote = await ask(Vote, 2, { topics: [{ topicName: TOPIC, partitions: [partition] }] });
    expect(vote.topics[0]?.partitions[0]?.errorCode).toBe(Errors.INVALID_REQUEST);
    const news = { partitionIndex: 0, voterDirectoryId: ZERO_UUID, leaderId: 1, leaderEpoch: 9 };
    const begun = await ask(BeginQuorumEpoch, 1, {
      topics: [{ topicName: TOPIC, partitions: [news] }],
      leaderEndpoints: [],
    });
    expect(begun.topics[0]?.partitions[0]?.errorCode).toBe(Errors.UNKNOWN_SERVER_ERROR);
    cluster.append('still here');
    await cluster.world.advance(100);
    expect(cluster.leader.owner.texts).toEqual(['still here']);
  });
});

test('every version of every request of the quorum is answered', async () => {
  const cluster = await WireCluster.start({ nodes: 1, voters: 1 });
  const ask = await connect(cluster);
  const end = { lastOffsetEpoch: 0, lastOffset: 0 };
  const candidate = { partitionIndex: 0, replicaEpoch: 1, replicaId: 2, ...end };
  const directories = { replicaDirectoryId: ZERO_UUID, voterDirectoryId: ZERO_UUID };
  for (const version of [0, 1, 2]) {
    const partition = { ...candidate, ...directories, preVote: version === 2 };
    const topics = [{ topicName: TOPIC, partitions: [partition] }];
    const answer = await ask(Vote, version, { topics });
    expect(answer.topics[0]?.partitions[0]).toMatchObject({ leaderId: 1, voteGranted: false });
    expect(answer.nodeEndpoints).toHaveLength(version === 0 ? 0 : 1);
  }
  for (const version of [0, 1]) {
    const old = { partitionIndex: 0, leaderId: 2, leaderEpoch: 0 };
    const news = { ...old, voterDirectoryId: ZERO_UUID };
    const begun = await ask(BeginQuorumEpoch, version, {
      topics: [{ topicName: TOPIC, partitions: [news] }],
      leaderEndpoints: [],
    });
    const ended = await ask(EndQuorumEpoch, version, {
      topics: [
        {
          topicName: TOPIC,
          partitions: [{ ...old, preferredSuccessors: [], preferredCandidates: [] }],
        },
      ],
      leaderEndpoints: [],
    });
    for (const { topics } of [begun, ended]) {
      expect(topics[0]?.partitions[0]?.errorCode).toBe(Errors.FENCED_LEADER_EPOCH);
    }
    const snapshotId = { endOffset: 5, epoch: 1 };
    const part = { partition: 0, currentLeaderEpoch: 1, snapshotId, position: 0 };
    const fetched = await ask(FetchSnapshot, version, {
      topics: [{ name: TOPIC, partitions: [{ ...part, replicaDirectoryId: ZERO_UUID }] }],
    });
    expect(fetched.topics[0]?.partitions[0]?.errorCode).toBe(Errors.SNAPSHOT_NOT_FOUND);
  }
});
