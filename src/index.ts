/** What `require('ottla')` gives: a broker, or a cluster, to start inside one's own process. */

export {
  type ClusterNode,
  type RunningCluster,
  type StartClusterOptions,
  startCluster,
} from './embed/cluster';
export { type RunningBroker, type StartBrokerOptions, startBroker } from './embed/start-broker';
export type { TopicOptions } from './embed/topics';
