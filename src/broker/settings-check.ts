/** What settings must be together, each by itself being valid. */
import { staticVoters } from './node-settings';
import type { Settings } from './settings';
import { StartError } from './start-error';

/** Throws StartError. */
export function checkSettings(settings: Settings): void {
  checkRetention(settings);
  checkQuorum(settings);
}

/** Whether this node's roles go with what is said of the controllers. */
function checkQuorum(settings: Settings): void {
  const { nodeId } = settings;
  const voters = staticVoters(settings);
  const isVoter = voters.some(({ id }) => id === nodeId);
  if (settings.hasRole('controller')) {
    if (voters.length === 0 || isVoter) return;
    throw new StartError(
      `process.roles has controller, and controller.quorum.voters has no node ${nodeId}: ` +
        'name this node there too.',
    );
  }
  if (isVoter) {
    throw new StartError(
      `process.roles has no controller, and controller.quorum.voters has node ${nodeId}: ` +
        'give this broker a node.id of its own.',
    );
  }
  if (voters.length === 0 && settings.value('controller.quorum.bootstrap.servers').length === 0) {
    throw new StartError(
      'A broker must know its controllers: set controller.quorum.bootstrap.servers, or ' +
        'controller.quorum.voters where those do not change.',
    );
  }
  if (settings.value('controller.quorum.auto.join.enable')) {
    throw new StartError(
      'controller.quorum.auto.join.enable is for controllers, and process.roles has none.',
    );
  }
}

/** Of the three names of the time that records are kept, only the one in force counts. */
function checkRetention(settings: Settings): void {
  const names = ['log.retention.ms', 'log.retention.minutes', 'log.retention.hours'] as const;
  const inForce = names.find((name) => settings.value(name) !== null);
  if (inForce === undefined || settings.number(inForce) !== 0) return;
  throw new StartError(`${inForce} is 0: give at least 1, or -1 to keep records for ever.`);
}
