/** Which `src/` a run was about: runs over equal sources can be added up. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(__dirname, '../../src');

/** Of the names and contents of all files, in twelve hexadecimal digits. */
export function sourceHash(): string {
  const hash = createHash('sha256');
  const files = readdirSync(SOURCES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(SOURCES.length))
    .sort();
  for (const file of files) {
    const bytes = readFileSync(join(SOURCES, file));
    hash.update(`${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex').slice(0, 12);
}
