/** What a node reaches the active controller with, put together from its settings. */
import { channelBuffers } from '../client/channel';
import type { Platform } from '../platform/platform';
import { PeerTransport } from '../raft/peer-transport';
import type { ControllerRequests } from '../server/services';
import { NodeControllerAccess } from './controller-access';
import { ControllerChannels } from './controller-channels';
import type { QuorumDoor } from './quorum-door';
import type { Settings } from './settings';

/** As Kafka's own channels between nodes; whoever asks looks for another controller meanwhile. */
const RECONNECT_BACKOFF_MS = 50;
const RECONNECT_BACKOFF_MAX_MS = 500;
/** Of a session, how much one heartbeat may take before it is sent on another connection. */
const HEARTBEAT_SHARE = 0.3;

/** The way of handlers and of the node itself; `requests` serves here what may be forwarded. */
export function controllerAccess(
  { clock, network, random }: Platform,
  settings: Settings,
  door: QuorumDoor,
  requests: () => ControllerRequests,
): NodeControllerAccess {
  const requestTimeoutMs = settings.value('controller.socket.timeout.ms');
  const channels = new ControllerChannels({
    world: { clock, network, random, buffers: channelBuffers() },
    clientId: `broker-${settings.nodeId}-to-controller`,
    connectTimeoutMs: connectTimeoutMs(settings),
    requestTimeoutMs,
    // A connection that swallows what is sent must not cost the broker its session.
    heartbeatTimeoutMs: Math.min(
      requestTimeoutMs,
      settings.value('broker.session.timeout.ms') * HEARTBEAT_SHARE,
    ),
    reconnectBackoffMs: RECONNECT_BACKOFF_MS,
    reconnectBackoffMaxMs: RECONNECT_BACKOFF_MAX_MS,
  });
  door.onLeader(() => channels.controllerChanged(door.leaderId));
  const timeoutMs = settings.value('request.timeout.ms');
  return new NodeControllerAccess({ clock, door, channels, timeoutMs, requests });
}

/** The way of the quorum's own requests. */
export function quorumTransport(platform: Platform, settings: Settings): PeerTransport {
  const { clock, network, random } = platform;
  const [listenerName = ''] = settings.value('controller.listener.names');
  const requestTimeoutMs = settings.value('controller.quorum.request.timeout.ms');
  return new PeerTransport(
    { clock, network, random, buffers: channelBuffers() },
    {
      clientId: `raft-client-${settings.nodeId}`,
      connectTimeoutMs: Math.min(connectTimeoutMs(settings), requestTimeoutMs),
      requestTimeoutMs,
      listenerName,
    },
  );
}

const connectTimeoutMs = (settings: Settings): number =>
  settings.number('socket.connection.setup.timeout.ms');
