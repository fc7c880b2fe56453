/** The topic of the failover rounds: three partitions, each led by another node while all is well. */
import { ChannelError } from '../src/client/channel';
import { CreateTopics } from '../src/protocol/apis/create-topics';
import { DescribeQuorum } from '../src/protocol/apis/describe-quorum';
import { ElectLeaders } from '../src/protocol/apis/elect-leaders';
import { Metadata } from '../src/protocol/apis/metadata';
import { Errors, errorName } from '../src/protocol/errors';
import { WireClient } from './wire-client';

export const TOPIC = 'failover';

const PREFERRED = 0;
const REQUEST_TIMEOUT_MS = 10_000;
const LOOK_MS = 100;
const WHOLE_WITHIN_MS = 120_000;

/** The partition that the node leads while all nodes are there. */
export const partitionLedBy = (id: number): number => id - 1;

export class FailoverAdmin {
  readonly #client: WireClient;
  readonly #ports: readonly number[];

  constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#client = new WireClient(ports, REQUEST_TIMEOUT_MS);
  }

  async createTopic(ids: readonly number[]): Promise<void> {
    const assignments = ids.map((id) => ({
      partitionIndex: partitionLedBy(id),
      brokerIds: [id, ...ids.filter((other) => other !== id)],
    }));
    await this.#untilDone(async () => {
      const { topics } = await this.#client.askAny(CreateTopics, {
        topics: [
          {
            name: TOPIC,
            numPartitions: -1,
            replicationFactor: -1,
            assignments,
            configs: [{ name: 'min.insync.replicas', value: '2' }],
          },
        ],
        timeoutMs: REQUEST_TIMEOUT_MS,
      });
      const code = topics[0]?.errorCode;
      return code === Errors.NONE || code === Errors.TOPIC_ALREADY_EXISTS;
    });
  }

  /** Until every node says that all replicas are in sync and that the preferred ones lead. */
  untilWhole(): Promise<void> {
    return this.#untilDone(async () => {
      for (const port of this.#ports) {
        const { topics } = await this.#client.ask(port, Metadata, { topics: [{ name: TOPIC }] });
        const partitions = topics[0]?.partitions ?? [];
        const isInSync = partitions.every(({ isrNodes }) => isrNodes.length === 3);
        if (partitions.length < 3 || !isInSync) return false;
        if (partitions.some((one) => partitionLedBy(one.leaderId) !== one.partitionIndex)) {
          await this.#electPreferred();
          return false;
        }
      }
      return true;
    });
  }

  async activeController(): Promise<number> {
    let leaderId = -1;
    await this.#untilDone(async () => {
      const { topics } = await this.#client.askAny(DescribeQuorum, {
        topics: [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }],
      });
      leaderId = topics[0]?.partitions[0]?.leaderId ?? -1;
      return leaderId >= 0;
    });
    return leaderId;
  }

  close(): void {
    this.#client.close();
  }

  async #electPreferred(): Promise<void> {
    const { errorCode } = await this.#client.askAny(ElectLeaders, {
      electionType: PREFERRED,
      topicPartitions: null,
      timeoutMs: REQUEST_TIMEOUT_MS,
    });
    if (errorCode !== Errors.NONE && errorCode !== Errors.REQUEST_TIMED_OUT) {
      throw new Error(`ElectLeaders got ${errorName(errorCode)}`);
    }
  }

  async #untilDone(look: () => Promise<boolean>): Promise<void> {
    const endsAtMs = performance.now() + WHOLE_WITHIN_MS;
    for (;;) {
      try {
        if (await look()) return;
      } catch (error) {
        if (!(error instanceof ChannelError)) throw error;
      }
      if (performance.now() > endsAtMs) {
        throw new Error(`the cluster is not whole within ${WHOLE_WITHIN_MS / 1000} s`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}
