/** librdkafka by way of confluent-kafka for Python, kept in the user's cache. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isInstalled, runWell } from './process';

const VERSION = '2.16.1';
const home = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  `ottla-confluent-kafka-${VERSION}`,
);

/** The interpreter that has it. */
export const confluentPython = join(home, 'bin', 'python');

/** Why librdkafka cannot be had on this machine; undefined once it is there. */
export async function missingConfluentKafka(): Promise<string | undefined> {
  const isComplete = join(home, 'complete');
  if (existsSync(isComplete)) return undefined;
  if (!(await isInstalled('python3'))) return 'Python 3 is not installed';
  mkdirSync(home, { recursive: true });
  try {
    await runWell('python3', ['-m', 'venv', home], { timeoutMs: 120_000 });
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    await runWell(confluentPython, [...install, `confluent-kafka==${VERSION}`], {
      timeoutMs: 300_000,
    });
    await runWell(confluentPython, ['-c', 'import confluent_kafka']);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return `confluent-kafka could not be fetched: ${reason}`;
  }
  writeFileSync(isComplete, '');
  return undefined;
}
