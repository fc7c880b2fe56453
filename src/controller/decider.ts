/** The machine of the active controller: what each request and each timer leads to. */
import type { BrokerEpoch, NodeId, Offset } from '../base/ids';
import { invariant } from '../base/invariant';
import { after, type MonotonicMs, monotonicMs } from '../base/times';
import type { Decider, Decision, Effect, Machine, Ticket } from '../machine/machine';
import type { MetadataRecord } from '../metadata/metadata-record';
import type { AnyApi } from '../protocol/api';
import { ApiError } from '../protocol/errors';
import { activationRecords } from './activation';
import { type Asker, decisionOf } from './decisions';
import { balanceLeaders, electUncleanLeaders } from './elect-leaders';
import { fenceBroker } from './leadership';
import { logLines, warn } from './log-lines';
import { type SessionChange, Sessions } from './sessions';
import { type Committed, ControllerState } from './state';
import { type ControllerNow, type ControllerSettings, View } from './view';

export type ControllerDecision = Decision<MetadataRecord, SessionChange>;

/** One term of this node as the active controller. */
export class ControllerMachine
  implements
    Machine<MetadataRecord, SessionChange, ControllerNow>,
    Decider<MetadataRecord, SessionChange, ControllerNow>
{
  readonly state: ControllerState;
  readonly soft: Sessions;
  readonly decider = this;
  private readonly former: Committed['former'];

  constructor(
    committed: Committed,
    private readonly settings: ControllerSettings,
    private readonly bootstrap: readonly MetadataRecord[],
  ) {
    this.state = new ControllerState(committed);
    this.former = committed.former;
    this.soft = new Sessions(settings.brokerSessionTimeoutMs);
  }

  /** What the machine sees now; for tests and metrics. */
  get view(): View {
    const { state, soft, settings } = this;
    return new View(state.image, state.indexes, soft, settings, (broker) =>
      state.registrationOffset(broker),
    );
  }

  /** Decides one request; `api` must be one that the controller serves. */
  ask(
    api: AnyApi,
    request: unknown,
    asker: Asker,
    ticket: Ticket,
    now: ControllerNow,
  ): ControllerDecision {
    const decide = decisionOf(api);
    invariant(decide !== undefined, `the controller decides nothing about ${api.name}`);
    const { view } = this;
    const answer = (response: unknown): Effect => ({ kind: 'answer', ticket, response });
    try {
      const { records, response, soft = [] } = decide(view, request, now, asker);
      const wakes = this.sessionWakes(soft);
      return this.decision(records, soft, [answer(response), ...wakes]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const response = api.refuse(request, error.code, asker.apiVersion, error.message);
      return this.decision([], [], [answer(response)]);
    }
  }

  /** That life of a broker has ended, as its connections show, and its session with it. */
  lost(broker: NodeId, epoch: BrokerEpoch, ticket: Ticket): ControllerDecision {
    const { view } = this;
    const registered = view.image.broker(broker);
    const isThatLife = registered?.epoch === epoch;
    const records = isThatLife && !registered.isFenced ? fenceBroker(view, broker) : [];
    const soft: SessionChange[] = isThatLife ? [{ kind: 'expired', broker }] : [];
    return this.decision(records, soft, [{ kind: 'answer', ticket, response: undefined }]);
  }

  applied(broker: NodeId, offset: Offset, ticket: Ticket): ControllerDecision {
    const soft: SessionChange[] = [{ kind: 'applied', broker, offset }];
    return this.decision([], soft, [{ kind: 'answer', ticket, response: undefined }]);
  }

  resume(now: ControllerNow): ControllerDecision {
    const { state, settings } = this;
    const { image } = state;
    const records = activationRecords({
      metadataVersion: image.metadataVersion,
      hasOpenTransaction: state.hasOpenTransaction,
      bootstrap: this.bootstrap,
      minInsyncReplicas: this.view.staticMinInsyncReplicas,
    });
    // Nobody is fenced for what the former controller heard or did not hear.
    const soft = [...image.brokers.values()].flatMap(({ id: broker, epoch, isFenced }) => {
      const registered: SessionChange = { kind: 'registered', broker, epoch };
      const atMs = this.grantedAtMs(broker, now);
      const granted: SessionChange = { kind: 'granted', broker, epoch, atMs };
      return isFenced ? [registered] : [registered, granted];
    });
    const wakes: Effect[] = this.sessionWakes(soft);
    if (settings.autoLeaderRebalanceEnable) {
      wakes.push(wake('balance', now, settings.leaderImbalanceCheckIntervalMs));
    }
    wakes.push(wake('unclean', now, settings.uncleanLeaderElectionCheckIntervalMs));
    return this.decision(records, soft, wakes);
  }

  wake(name: string, now: ControllerNow): ControllerDecision {
    const { view, settings } = this;
    switch (name) {
      case 'sessions':
        return this.expire(view, now);
      case 'balance':
        return this.decision(
          balanceLeaders(view),
          [],
          [wake(name, now, settings.leaderImbalanceCheckIntervalMs)],
        );
      case 'unclean':
        return this.decision(
          electUncleanLeaders(view),
          [],
          [wake(name, now, settings.uncleanLeaderElectionCheckIntervalMs)],
        );
      default:
        return invariant(false, `the controller set no timer ${name}`) as never;
    }
  }

  replied(): never {
    invariant(false, 'the controller asks nobody anything');
  }

  /** Fences one broker whose session is over; the next is looked at in a decision of its own. */
  private expire(view: View, now: ControllerNow): ControllerDecision {
    const [broker] = view.sessions.expired(now.nowMs);
    if (broker === undefined) {
      const atMs = view.sessions.nextExpiryMs();
      return this.decision([], [], atMs === undefined ? [] : [sessionWake(atMs)]);
    }
    const registered = view.image.broker(broker);
    const isUp = registered !== undefined && !registered.isFenced;
    const records = isUp ? fenceBroker(view, broker) : [];
    const gone: SessionChange =
      registered === undefined ? { kind: 'forgotten', broker } : { kind: 'expired', broker };
    const lines = isUp ? [warn('broker lost its session', { brokerId: broker })] : [];
    return this.decision(records, [gone], [...lines, sessionWake(now.nowMs)]);
  }

  /**
   * From when a new controller counts the silence of a broker. That of the node that decided before
   * began earlier: it may be why there is a new one. It has at least half a session to be heard.
   */
  private grantedAtMs(broker: NodeId, { nowMs }: ControllerNow): MonotonicMs {
    const { former } = this;
    if (former?.nodeId !== broker) return nowMs;
    const earliestMs = nowMs - this.settings.brokerSessionTimeoutMs / 2;
    return monotonicMs(Math.max(former.atMs, earliestMs));
  }

  /** The timer of sessions runs exactly while there is one. */
  private sessionWakes(soft: readonly SessionChange[]): Effect[] {
    if (this.soft.nextExpiryMs() !== undefined) return [];
    const contacts = soft.flatMap((change) =>
      change.kind === 'heard' || change.kind === 'granted' ? [change.atMs] : [],
    );
    if (contacts.length === 0) return [];
    const firstMs = monotonicMs(Math.min(...contacts));
    return [sessionWake(after(firstMs, this.settings.brokerSessionTimeoutMs))];
  }

  /** What is answered depends on everything decided so far, so it waits until that is committed. */
  private decision(
    records: readonly MetadataRecord[],
    soft: readonly SessionChange[],
    effects: readonly Effect[],
  ): ControllerDecision {
    const { image } = this.state;
    const lines = logLines(records, image);
    return { records, soft, effects: [...lines, ...effects], readsAt: image.offset };
  }
}

const wake = (name: string, { nowMs }: ControllerNow, delayMs: number): Effect => ({
  kind: 'wake',
  name,
  atMs: after(nowMs, delayMs),
});

/** One millisecond late, since a session is over only after its last one. */
const sessionWake = (atMs: number): Effect => ({
  kind: 'wake',
  name: 'sessions',
  atMs: monotonicMs(atMs + 1),
});
