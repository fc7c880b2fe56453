/** `--initial-controllers id@host:port:directoryId,…` (KIP-853). */
import type { NodeId, Uuid } from '../base/ids';
import { isUuid } from '../protocol/ids';
import { MAX_KRAFT_VERSION, MIN_KRAFT_VERSION } from '../raft/core';
import { type VoterSet, voterSet } from '../raft/voters';
import { FormatError } from './format-error';

export interface InitialController {
  readonly id: NodeId;
  readonly host: string;
  readonly port: number;
  readonly directoryId: Uuid;
}

const CONTROLLER = /^(\d+)@(?:\[([^\]]+)\]|([^:[\]]+)):(\d+):(.+)$/;

/** Throws FormatError with what is wrong. */
export function parseInitialControllers(text: string): InitialController[] {
  const controllers = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseController);
  if (controllers.length === 0) throw new FormatError('--initial-controllers names no controller.');
  for (const [what, of] of [
    ['id', ({ id }: InitialController) => String(id)],
    ['directory id', ({ directoryId }: InitialController) => directoryId],
  ] as const) {
    const values = controllers.map(of);
    const twice = values.find((value, index) => values.indexOf(value) !== index);
    if (twice !== undefined) {
      throw new FormatError(`--initial-controllers names the ${what} ${twice} twice.`);
    }
  }
  return controllers;
}

/** As the log names them. */
export const initialVoters = (
  controllers: readonly InitialController[],
  listenerName: string,
): VoterSet =>
  voterSet(
    controllers.map(({ id, host, port, directoryId }) => ({
      key: { id, directoryId },
      endpoints: [{ name: listenerName, host, port }],
      minKraftVersion: MIN_KRAFT_VERSION,
      maxKraftVersion: MAX_KRAFT_VERSION,
    })),
  );

function parseController(text: string): InitialController {
  const [, id, bracketed, plain, portText, directoryId] = CONTROLLER.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(portText);
  const isSound =
    id !== undefined &&
    host !== undefined &&
    port <= 65535 &&
    Number(id) <= 0x7fffffff &&
    directoryId !== undefined &&
    isUuid(directoryId);
  if (isSound) return { id: Number(id), host, port, directoryId };
  throw new FormatError(
    `"${text}" is no controller; write id@host:port:directory-id, ` +
      'the last as random-uuid prints it.',
  );
}
