/** Refusals: one thing of a request (data), or the whole of it (an exception). */
import { ApiError, type ErrorCode, type ErrorName, Errors } from '../protocol/errors';

/** What is wrong with one thing that a request asks for. */
export interface Refused {
  readonly errorCode: ErrorCode;
  readonly errorMessage: string | null;
}

export const refused = (name: ErrorName, errorMessage: string | null = null): Refused => ({
  errorCode: Errors[name],
  errorMessage,
});

/** Refuses the whole request; `controller.ts` makes the API's own answer of it. */
export function refuse(name: ErrorName, message: string): never {
  throw new ApiError(Errors[name], message);
}

export const isRefused = (value: unknown): value is Refused =>
  typeof value === 'object' && value !== null && 'errorCode' in value;
