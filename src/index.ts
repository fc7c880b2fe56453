/** What `require('ottla')` gives: a broker to start inside one's own process. */
export {
  type RunningBroker,
  type StartBrokerOptions,
  startBroker,
  type TopicOptions,
} from './embed/start-broker';
