/** Which handler serves which API where, and what ApiVersions says of it. */
import { invariant } from '../base/invariant';
import type { ApiListener, Versions } from '../protocol/api';
import type { AnyHandler } from './handler';
import type { AdvertisedApi } from './services';

export class Registry {
  readonly #byListener: Readonly<Record<ApiListener, ReadonlyMap<number, AnyHandler>>>;
  readonly #advertised: Readonly<Record<ApiListener, readonly AdvertisedApi[]>>;

  constructor(handlers: readonly AnyHandler[]) {
    const broker = servedOn('broker', handlers);
    const controller = servedOn('controller', handlers);
    this.#byListener = { broker, controller };
    this.#advertised = { broker: advertise(broker), controller: advertise(controller) };
  }

  /** The handler of an API on that kind of listener. */
  find(apiKey: number, listener: ApiListener): AnyHandler | undefined {
    return this.#byListener[listener].get(apiKey);
  }

  /** In the order of keys. */
  advertised(listener: ApiListener): readonly AdvertisedApi[] {
    return this.#advertised[listener];
  }
}

/** The versions that work. */
export const servedVersions = (handler: AnyHandler): Versions =>
  handler.versions ?? handler.api.served;

function servedOn(
  listener: ApiListener,
  handlers: readonly AnyHandler[],
): ReadonlyMap<number, AnyHandler> {
  const byKey = new Map<number, AnyHandler>();
  for (const handler of handlers) {
    const { key, name, listeners, versions } = handler.api;
    if (!(handler.listeners ?? listeners).includes(listener)) continue;
    const [first, last] = servedVersions(handler);
    invariant(!byKey.has(key), `${name} has two handlers`);
    invariant(first >= versions[0] && last <= versions[1], `${name} serves what it lacks`);
    byKey.set(key, handler);
  }
  return byKey;
}

function advertise(handlers: ReadonlyMap<number, AnyHandler>): AdvertisedApi[] {
  return [...handlers.values()]
    .map((handler) => {
      const [minVersion, maxVersion] = handler.advertised ?? servedVersions(handler);
      return { apiKey: handler.api.key, minVersion, maxVersion };
    })
    .sort((one, other) => one.apiKey - other.apiKey);
}
