/** `server.properties`: the file of Java properties that Kafka's own commands take. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Properties } from '../broker/settings';
import { ExitError, USAGE } from './output';

/** Throws ExitError if the file cannot be read. */
export function readProperties(file: string): Properties {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExitError(USAGE, `ottla: cannot read the properties file: ${reason}`);
  }
  const { parse } = require('dot-properties') as typeof import('dot-properties');
  return new Map(
    Object.entries(parse(text)).map(([name, value]) => [name, String(value)] as const),
  );
}

/** Writes a file that `readProperties`, and Kafka, reads the same from. */
export function writeProperties(file: string, properties: Properties): void {
  const { stringify } = require('dot-properties') as typeof import('dot-properties');
  writeFileSync(file, `${stringify(Object.fromEntries(properties), { lineWidth: null })}\n`);
}
