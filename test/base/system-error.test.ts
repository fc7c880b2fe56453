import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { reasonOf, systemErrorCode } from '../../src/base/system-error';

test('an error of Node’s own has its code, though jest runs this file in another realm', () => {
  let error: unknown;
  try {
    readFileSync('/no/such/file');
  } catch (thrown) {
    error = thrown;
  }
  expect(error instanceof Error).toBe(false);
  expect(systemErrorCode(error)).toBe('ENOENT');
  expect(reasonOf(error)).toMatch(/^ENOENT: no such file/);
});

test('what no call of the system threw has no code', () => {
  for (const thrown of [new Error('mine'), 'text', null, undefined, 7, { code: 7 }]) {
    expect(systemErrorCode(thrown)).toBeUndefined();
  }
});

test('whatever was thrown says something', () => {
  const foreign: unknown = runInContext("new Error('elsewhere')", createContext({}));
  expect(reasonOf(foreign)).toBe('elsewhere');
  expect(reasonOf('text')).toBe('text');
  expect(reasonOf(undefined)).toBe('undefined');
});
