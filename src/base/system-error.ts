/**
 * Errors of Node's own calls. They are known by their shape: test runners (Jest) run what embeds a
 * broker in a realm of its own, where such an error is no `instanceof Error`.
 */

/** `ENOSPC`, `EADDRINUSE`, …; undefined for what no call of the system threw. */
export function systemErrorCode(error: unknown): string | undefined {
  const code: unknown = isObject(error) ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** What an error says, whatever it is. */
export function reasonOf(error: unknown): string {
  const message: unknown = isObject(error) ? error.message : undefined;
  return typeof message === 'string' ? message : String(error);
}

const isObject = (
  value: unknown,
): value is { readonly code?: unknown; readonly message?: unknown } =>
  typeof value === 'object' && value !== null;
