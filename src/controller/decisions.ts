/** Which function decides about which API; the list of what the active controller serves. */
import type { AnyApi, RequestOf, ResponseDraft } from '../protocol/api';
import { AllocateProducerIds } from '../protocol/apis/allocate-producer-ids';
import { AlterConfigs } from '../protocol/apis/alter-configs';
import { AlterPartition } from '../protocol/apis/alter-partition';
import { AlterPartitionReassignments } from '../protocol/apis/alter-partition-reassignments';
import { AssignReplicasToDirs } from '../protocol/apis/assign-replicas-to-dirs';
import { BrokerHeartbeat } from '../protocol/apis/broker-heartbeat';
import { BrokerRegistration } from '../protocol/apis/broker-registration';
import { ControllerRegistration } from '../protocol/apis/controller-registration';
import { CreatePartitions } from '../protocol/apis/create-partitions';
import { CreateTopics } from '../protocol/apis/create-topics';
import { DeleteTopics } from '../protocol/apis/delete-topics';
import { ElectLeaders } from '../protocol/apis/elect-leaders';
import { IncrementalAlterConfigs } from '../protocol/apis/incremental-alter-configs';
import { ListPartitionReassignments } from '../protocol/apis/list-partition-reassignments';
import { UnregisterBroker } from '../protocol/apis/unregister-broker';
import { UnregisterController } from '../protocol/apis/unregister-controller';
import { UpdateFeatures } from '../protocol/apis/update-features';
import { alterPartition } from './alter-partition';
import { heartbeat, registerBroker, unregisterBroker } from './brokers';
import { alterConfigs, incrementalAlterConfigs } from './configs';
import { registerController, unregisterController } from './controllers';
import { createPartitions } from './create-partitions';
import { deleteTopics } from './delete-topics';
import { assignReplicasToDirectories } from './directories';
import { electLeaders } from './elect-leaders';
import { updateFeatures } from './features';
import { allocateProducerIds } from './producer-ids';
import { alterReassignments, listReassignments } from './reassign';
import { createTopics } from './topics';
import type { ControllerNow, Outcome, View } from './view';

/** Who asks, as far as decisions depend on it. */
export interface Asker {
  readonly apiVersion: number;
}

export type Decide = (
  view: View,
  request: unknown,
  now: ControllerNow,
  asker: Asker,
) => Outcome<unknown>;

interface Decision {
  readonly decide: Decide;
  /** Its answer waits until every unfenced broker shows what it changed. */
  readonly isVisibleWhenAnswered: boolean;
}

const DECISIONS: ReadonlyMap<number, Decision> = new Map([
  admin(CreateTopics, createTopics),
  admin(DeleteTopics, (view, request, _now, { apiVersion }) =>
    deleteTopics(view, request, apiVersion),
  ),
  admin(CreatePartitions, createPartitions),
  admin(AlterConfigs, alterConfigs),
  admin(IncrementalAlterConfigs, incrementalAlterConfigs),
  admin(ElectLeaders, electLeaders),
  admin(AlterPartitionReassignments, alterReassignments),
  admin(ListPartitionReassignments, listReassignments),
  admin(UpdateFeatures, (view, request, now, { apiVersion }) =>
    updateFeatures(view, request, now, apiVersion),
  ),
  admin(UnregisterBroker, unregisterBroker),
  admin(UnregisterController, unregisterController),
  node(BrokerRegistration, (view, request, now, { apiVersion }) =>
    registerBroker(view, request, now, apiVersion),
  ),
  node(BrokerHeartbeat, heartbeat),
  node(ControllerRegistration, registerController),
  node(AlterPartition, (view, request, _now, { apiVersion }) =>
    alterPartition(view, request, apiVersion),
  ),
  node(AssignReplicasToDirs, assignReplicasToDirectories),
  node(AllocateProducerIds, allocateProducerIds),
]);

/** `undefined` for an API that the controller does not decide about. */
export const decisionOf = (api: AnyApi): Decide | undefined => DECISIONS.get(api.key)?.decide;

export const isVisibleWhenAnswered = (api: AnyApi): boolean =>
  DECISIONS.get(api.key)?.isVisibleWhenAnswered ?? false;

type DecideFor<A extends AnyApi> = (
  view: View,
  request: RequestOf<A>,
  now: ControllerNow,
  asker: Asker,
) => Outcome<ResponseDraft<A>>;

function admin<A extends AnyApi>(api: A, decide: DecideFor<A>): [number, Decision] {
  return [api.key, { decide: decide as Decide, isVisibleWhenAnswered: true }];
}

function node<A extends AnyApi>(api: A, decide: DecideFor<A>): [number, Decision] {
  return [api.key, { decide: decide as Decide, isVisibleWhenAnswered: false }];
}
