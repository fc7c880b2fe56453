/** The command lines of what people run by hand. */

/**
 * What was typed, as `read` understands it. Where that is undefined, help was asked for: the usage is printed and the
 * process ends with 0. What `read` throws is printed before the usage, and the process ends with 2.
 */
export function commandLine<T>(usage: string, read: (args: readonly string[]) => T | undefined): T {
  try {
    const typed = read(process.argv.slice(2));
    if (typed !== undefined) return typed;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}\n`);
    process.exit(2);
  }
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}

/** The number of an option; throws if it is none above 0. */
export function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} is a number above 0, not '${text}'`);
  return value;
}

/** The value of an option; throws if it is not among those. */
export function oneOf<T extends string>(name: string, all: readonly T[], text: string): T {
  const found = all.find((one) => one === text);
  if (found === undefined) throw new Error(`--${name} is one of ${all.join(', ')}, not '${text}'`);
  return found;
}
