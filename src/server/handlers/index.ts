/** Every served API. What ApiVersions says is derived from this list. */
import type { AnyHandler } from '../handler';

export const handlers: readonly AnyHandler[] = [];
