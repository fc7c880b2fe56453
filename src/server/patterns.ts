/**
 * Regular expressions of clients, in the syntax of RE2: matching takes time linear in the text,
 * whatever the pattern is, so nobody can make the loop stand still.
 */
import { ApiError, Errors } from '../protocol/errors';

/** Longer patterns are refused. */
const MAX_LENGTH = 4_096;

/** A test whether a text as a whole matches. Throws ApiError (INVALID_REGULAR_EXPRESSION). */
export function compilePattern(pattern: string): (text: string) => boolean {
  if (pattern.length > MAX_LENGTH) {
    throw invalid(`it is longer than ${MAX_LENGTH} characters`);
  }
  // Few clients send patterns: the engine is loaded for the first.
  const { RE2JS }: typeof import('re2js') = require('re2js');
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.testExact(text);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error));
  }
}

const invalid = (reason: string): ApiError =>
  new ApiError(Errors.INVALID_REGULAR_EXPRESSION, `The pattern cannot be used: ${reason}`);
