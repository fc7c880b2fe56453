/** From properties to a running node: what `ottla start`, the embedded broker and tests share. */
import type { Logger, Platform } from '../platform/platform';
import { prepareZstd } from '../protocol/records/zstd';
import { Broker } from './broker';
import { planListeners } from './listeners';
import { type Properties, Settings } from './settings';
import { checkSettings } from './settings-check';

export interface StartNodeOptions {
  readonly platform: Platform;
  readonly properties: Properties;
  /** What a listener on every interface is advertised as, where nothing else is said. */
  readonly localHost: () => string;
  readonly overwritesLentBytes?: boolean;
}

/** Rejects as `Broker.start` does, and with StartError for wrong settings. */
export async function startNode(options: StartNodeOptions): Promise<Broker> {
  const { platform, properties, localHost, overwritesLentBytes } = options;
  const settings = new Settings(properties);
  checkSettings(settings);
  warnOfNames(settings, platform.log);
  if (!(await prepareZstd())) platform.log.warn('zstd does not run here: it will be refused');
  return Broker.start({
    platform,
    settings,
    listeners: planListeners(settings, localHost),
    overwritesLentBytes: overwritesLentBytes === true,
  });
}

function warnOfNames({ unknownNames, namesWithoutEffect }: Settings, log: Logger): void {
  if (namesWithoutEffect.length > 0) {
    log.warn('settings without effect here', { settings: namesWithoutEffect });
  }
  for (const name of unknownNames) log.warn('no setting has that name', { setting: name });
}
