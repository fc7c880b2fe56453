/** A topic of coordinators as it is made when it is missing. */
export interface CoordinatorTopic {
  readonly name: string;
  readonly numPartitions: number;
  readonly replicationFactor: number;
  readonly configs: readonly { readonly name: string; readonly value: string }[];
}
