/** What the command prints, and how it ends. */

/** Ends the command: the sentence goes to standard error, the code to the shell. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  constructor(
    readonly exitCode: number,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** The command was used wrongly, or cannot do what was asked. */
export const USAGE = 2;
/** A failing invariant: ottla's own mistake (sysexits' EX_SOFTWARE). */
export const BUG = 70;

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}
