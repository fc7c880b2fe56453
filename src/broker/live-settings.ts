/** Settings as they are now: what was changed while the node runs stands in the picture. */
import { isConfigProblem, readConfig } from '../metadata/configs';
import type { Image } from '../metadata/image';
import type { Settings } from './settings';
import { BROKER_SETTINGS, type BrokerSetting, type BrokerSettingName } from './settings-table';

const TABLE: ReadonlyMap<string, BrokerSetting> = new Map(
  BROKER_SETTINGS.map((setting) => [setting.name, setting]),
);

export class LiveSettings {
  constructor(
    readonly settings: Settings,
    private readonly picture: () => Image,
  ) {}

  /** As text: set on this broker, else on all brokers, else as given, else the default. */
  text(name: BrokerSettingName): string | null {
    const setting = TABLE.get(name);
    const image = this.picture();
    const own = image.configOf({ type: 'broker', name: String(this.settings.nodeId) }).get(name);
    const changed = own ?? image.configOf({ type: 'broker', name: '' }).get(name);
    const isChangeable = setting?.update !== undefined;
    if (isChangeable && changed !== undefined) return changed;
    return this.settings.given.get(name) ?? setting?.default ?? null;
  }

  /**
   * As `Settings.number`, with changes taken into account; a value that cannot be read is not one.
   */
  number(name: BrokerSettingName): number {
    const setting = TABLE.get(name);
    const text = this.text(name);
    if (setting?.update === undefined || text === null) return this.settings.number(name);
    const value = readConfig({ documentation: '', ...setting }, text);
    if (isConfigProblem(value)) return this.settings.number(name);
    return Number(value) >= Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : Number(value);
  }
}
