/** What settings must be together, each by itself being valid. */
import type { Settings } from './settings';
import { StartError } from './start-error';

/** Throws StartError. */
export function checkSettings(settings: Settings): void {
  checkRetention(settings);
}

/** Of the three names of the time that records are kept, only the one in force counts. */
function checkRetention(settings: Settings): void {
  const names = ['log.retention.ms', 'log.retention.minutes', 'log.retention.hours'] as const;
  const inForce = names.find((name) => settings.value(name) !== null);
  if (inForce === undefined || settings.number(inForce) !== 0) return;
  throw new StartError(`${inForce} is 0: give at least 1, or -1 to keep records for ever.`);
}
