/** How many connections there are, in all and from each address. */

export interface ConnectionLimits {
  /** `max.connections`. */
  readonly maxConnections: number;
  /** `max.connections.per.ip`. */
  readonly maxConnectionsPerIp: number;
  /** `max.connections.per.ip.overrides`, by address. */
  readonly maxConnectionsPerIpOverrides: ReadonlyMap<string, number>;
}

export class ConnectionCounts {
  #total = 0;
  readonly #byAddress = new Map<string, number>();

  constructor(private readonly limits: ConnectionLimits) {}

  /** Counts a connection; the reason why it is one too many, if it is. */
  add(address: string): string | undefined {
    const count = (this.#byAddress.get(address) ?? 0) + 1;
    this.#byAddress.set(address, count);
    this.#total += 1;
    const { maxConnections, maxConnectionsPerIp, maxConnectionsPerIpOverrides } = this.limits;
    if (this.#total > maxConnections) return `there are ${maxConnections} already`;
    const most = maxConnectionsPerIpOverrides.get(address) ?? maxConnectionsPerIp;
    return count > most ? `there are ${most} from its address already` : undefined;
  }

  remove(address: string): void {
    const count = (this.#byAddress.get(address) ?? 0) - 1;
    if (count > 0) this.#byAddress.set(address, count);
    else this.#byAddress.delete(address);
    this.#total -= 1;
  }
}
