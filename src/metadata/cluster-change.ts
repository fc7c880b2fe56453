/** Brokers and controllers of a picture while records change them. */
import type { BrokerEpoch, NodeId } from '../base/ids';
import { invariant } from '../base/invariant';
import type { Broker, Controller } from './brokers';
import { brokerOf, controllerOf } from './from-records';
import type { Image } from './image';
import { MapChange } from './map-change';
import type { RecordValue } from './metadata-record';

export class ClusterChange {
  readonly brokers: MapChange<NodeId, Broker>;
  readonly controllers: MapChange<NodeId, Controller>;

  constructor(before: Image) {
    this.brokers = new MapChange(before.brokers);
    this.controllers = new MapChange(before.controllers);
  }

  register(value: RecordValue<'RegisterBrokerRecord'>): void {
    this.brokers.set(value.brokerId, brokerOf(value));
  }

  unregister(value: RecordValue<'UnregisterBrokerRecord'>): void {
    this.registered(value.brokerId, value.brokerEpoch);
    this.brokers.delete(value.brokerId);
  }

  registerController(value: RecordValue<'RegisterControllerRecord'>): void {
    this.controllers.set(value.controllerId, controllerOf(value));
  }

  unregisterController(id: NodeId): void {
    invariant(this.controllers.get(id) !== undefined, `controller ${id} is not registered`);
    this.controllers.delete(id);
  }

  changeRegistration(value: RecordValue<'BrokerRegistrationChangeRecord'>): void {
    const { fenced, inControlledShutdown, logDirs, cordonedLogDirs } = value;
    invariant(Math.abs(fenced) <= 1, `a broker cannot be fenced ${fenced}`);
    invariant(
      inControlledShutdown === 0 || inControlledShutdown === 1,
      `a broker cannot be in controlled shutdown ${inControlledShutdown}`,
    );
    this.change(value.brokerId, value.brokerEpoch, {
      ...(fenced === 0 ? {} : { isFenced: fenced === 1 }),
      ...(inControlledShutdown === 0 ? {} : { isInControlledShutdown: true }),
      ...(logDirs.length === 0 ? {} : { directories: logDirs }),
      ...(cordonedLogDirs === null ? {} : { cordonedDirectories: cordonedLogDirs }),
    });
  }

  change(id: NodeId, epoch: BrokerEpoch, change: Partial<Broker>): void {
    this.brokers.set(id, { ...this.registered(id, epoch), ...change });
  }

  private registered(id: NodeId, epoch: BrokerEpoch): Broker {
    const broker = this.brokers.get(id);
    invariant(broker !== undefined, `broker ${id} is not registered`);
    invariant(
      broker.epoch === epoch,
      `broker ${id} is registered with epoch ${broker.epoch}, not ${epoch}`,
    );
    return broker;
  }
}
