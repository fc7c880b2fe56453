/** Opens a listener at every address that its host stands for, all at one port. */
import { systemErrorCode } from '../base/system-error';
import type { Listening } from '../platform/platform';
import type { ListenerOptions, Server } from '../server/server';
import { bracketed, isEveryInterface, type ListenerPlan } from './listeners';
import { StartError } from './start-error';

/** How often a free port is looked for that is free at all addresses. */
const ATTEMPTS = 20;

/** A listener that is open. */
export interface BoundListener {
  readonly name: string;
  /** As clients are told. */
  readonly host: string;
  readonly port: number;
  /** Both as one text, `localhost:9092` or `[::1]:9092`. */
  readonly address: string;
  readonly isForControllers: boolean;
}

/** Throws StartError where the port is taken or the address is not this machine's. */
export async function bindListener(server: Server, plan: ListenerPlan): Promise<BoundListener> {
  const bound = await bindAll(server, plan);
  const { name, isForControllers } = plan;
  const { host } = plan.advertised;
  const port = plan.advertised.port || bound;
  return { name, host, port, address: `${bracketed(host)}:${port}`, isForControllers };
}

async function bindAll(server: Server, plan: ListenerPlan): Promise<number> {
  const [first, ...others] = hostsOf(plan.host);
  for (let attempt = 1; ; attempt++) {
    const opened = [await bindFirst(server, plan, first)];
    const { port } = opened[0] as Listening;
    try {
      for (const host of others) await bindOther(server, plan, host, port, opened);
      return port;
    } catch (error) {
      for (const listening of opened) await listening.close();
      if (plan.port !== 0 || systemErrorCode(error) !== 'EADDRINUSE' || attempt === ATTEMPTS) {
        throw refusal(plan, error);
      }
    }
  }
}

async function bindFirst(server: Server, plan: ListenerPlan, host: string): Promise<Listening> {
  try {
    return await server.listen({ ...optionsOf(plan), host });
  } catch (error) {
    if (host === '::' && isWithoutAddress(error)) {
      return server.listen({ ...optionsOf(plan), host: '0.0.0.0' }).catch((again: unknown) => {
        throw refusal(plan, again);
      });
    }
    throw refusal(plan, error);
  }
}

/** A machine may lack IPv6: then the listener does without. */
async function bindOther(
  server: Server,
  plan: ListenerPlan,
  host: string,
  port: number,
  opened: Listening[],
): Promise<void> {
  try {
    opened.push(await server.listen({ ...optionsOf(plan), host, port }));
  } catch (error) {
    if (!isWithoutAddress(error)) throw error;
  }
}

/** `localhost` is both loopback addresses: clients try either first. */
function hostsOf(host: string): readonly [string, ...string[]] {
  if (host.toLowerCase() === 'localhost') return ['127.0.0.1', '::1'];
  return [isEveryInterface(host) && host !== '0.0.0.0' ? '::' : host];
}

const optionsOf = (plan: ListenerPlan): ListenerOptions => ({
  name: plan.name,
  serves: plan.isForControllers ? 'controller' : 'broker',
  host: plan.host,
  port: plan.port,
});

function refusal(plan: ListenerPlan, error: unknown): unknown {
  const where = `${plan.host === '' ? 'every address' : plan.host}, port ${plan.port}`;
  switch (systemErrorCode(error)) {
    case 'EADDRINUSE':
      return new StartError(
        `The listener ${plan.name} cannot be opened: port ${plan.port} is taken. ` +
          'Stop what uses it, or choose another port (0 takes a free one).',
      );
    case 'EACCES':
      return new StartError(`The listener ${plan.name} may not be opened at ${where}.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(
        `${plan.host} of the listener ${plan.name} is no address of this machine.`,
      );
    default:
      return error;
  }
}

const isWithoutAddress = (error: unknown): boolean =>
  ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(systemErrorCode(error) ?? '');
