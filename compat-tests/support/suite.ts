/** What a folder of compat-tests gives to the runner. */
import type { OttlaProcess } from './ottla';

interface Suite<Arguments extends readonly unknown[]> {
  readonly name: string;
  /** Why it cannot run on this machine; undefined if it can. */
  missing(): Promise<string | undefined>;
  readonly cases: readonly Case<Arguments>[];
}

interface Case<Arguments extends readonly unknown[]> {
  /** A proposition. */
  readonly name: string;
  /** Rejects where it does not hold. */
  run(...given: Arguments): Promise<void>;
}

/** One broker serves all cases of such a suite; none of them may make it warn. */
export interface ForeignSuite extends Suite<[ottla: OttlaProcess]> {
  readonly broker: 'shared';
}

/** Its cases start what they need. */
export interface OwnBrokersSuite extends Suite<[]> {
  readonly broker: 'own';
}

export type ForeignCase = Case<[ottla: OttlaProcess]>;

let made = 0;
/** A topic or group that no other case uses. */
export const unique = (word: string): string => `${word}-${made++}`;
