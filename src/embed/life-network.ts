/**
 * The network of one life: its connections stand still while it is frozen or cut off from the other
 * end, and break when it is over.
 */
import type {
  ConnectOptions,
  Link,
  LinkOwner,
  Listening,
  ListenOptions,
  Network,
} from '../platform/platform';
import type { Reach } from './faults';
import type { Life } from './life';
import { LifeLink } from './life-link';

export class LifeNetwork implements Network {
  readonly #links = new Set<LifeLink>();
  readonly #listening = new Set<Listening>();

  constructor(
    private readonly base: Network,
    private readonly life: Life,
    private readonly reach: Reach,
  ) {
    const update = (): void => {
      for (const link of [...this.#links]) link.update();
    };
    const stopListening = reach.onChange(update);
    life.listen({
      frozen: update,
      over: () => {
        stopListening();
        this.#break();
      },
    });
  }

  listen(options: ListenOptions, accept: (link: Link) => LinkOwner): Promise<Listening> {
    return this.life.leave(this.#listen(options, accept));
  }

  connect(options: ConnectOptions, owner: LinkOwner): Link {
    const { life, reach } = this;
    const node = reach.nodeAt(options.port);
    const isBlocked = (): boolean =>
      life.isFrozen || (node !== undefined && reach.isCutOffFrom(node));
    const link = this.#add(isBlocked);
    link.connecting(options, owner, (inner) => this.base.connect(options, inner));
    return link;
  }

  async #listen(options: ListenOptions, accept: (link: Link) => LinkOwner): Promise<Listening> {
    const { life } = this;
    const listening = await this.base.listen(options, (base) => {
      const link = this.#add(() => life.isFrozen);
      link.accepted(base, accept);
      return link;
    });
    if (life.isOver) await listening.close();
    this.#listening.add(listening);
    const { host, port } = listening;
    const close = async (): Promise<void> => {
      this.#listening.delete(listening);
      await listening.close();
    };
    return { host, port, close };
  }

  #add(isBlocked: () => boolean): LifeLink {
    const link = new LifeLink(this.life, isBlocked, () => void this.#links.delete(link));
    this.#links.add(link);
    return link;
  }

  #break(): void {
    for (const link of [...this.#links]) link.break();
    for (const listening of this.#listening) listening.close().catch(() => undefined);
  }
}
