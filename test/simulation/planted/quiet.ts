/** Worlds with few clients, in which the nodes are what matters. */
import type { Scenario } from '../world/scenario';

/** One producer and one consumer of one topic, and nobody else. */
export function quiet({ transactions: _none, moverPauseMs: _nobody, ...scenario }: Scenario) {
  const [topic] = scenario.topics;
  return {
    ...scenario,
    topics: topic === undefined ? [] : [topic],
    producers: scenario.producers.slice(0, 1),
    consumers: scenario.consumers.slice(0, 1),
    members: [],
    adminPausesMs: [],
  };
}
