/** What a folder of compat-tests gives to the runner. */
import type { OttlaProcess } from './ottla';

export interface ForeignSuite {
  readonly name: string;
  /** Why it cannot run on this machine; undefined if it can. */
  missing(): Promise<string | undefined>;
  readonly cases: readonly ForeignCase[];
}

export interface ForeignCase {
  /** A proposition. */
  readonly name: string;
  /** Rejects where it does not hold. `ottla` is one broker for all cases of a suite. */
  run(ottla: OttlaProcess): Promise<void>;
}

let made = 0;
/** A topic or group that no other case uses. */
export const unique = (word: string): string => `${word}-${made++}`;
