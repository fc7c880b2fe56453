/** What the command prints, and how it ends. */
import { InvariantError } from '../base/invariant';
import { OperatorError } from '../base/operator-error';

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

/** Something that nobody foresaw. */
const CRASH = 1;
/** The command was used wrongly, or cannot do what was asked. */
export const USAGE = 2;
/** A failing invariant: ottla's own mistake (sysexits' EX_SOFTWARE). */
const BUG = 70;

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Says why the command cannot go on, and gives the exit code. A failure that the person can do
 * something about is one sentence; anything else comes with its stack.
 */
export function report(error: unknown): number {
  if (error instanceof ExitError) {
    printError(error.message);
    return error.exitCode;
  }
  if (error instanceof OperatorError || isSystemError(error)) {
    printError(`ottla: ${error.message}`);
    return USAGE;
  }
  return reportCrash(error);
}

/** As `report`, for a node that ran: whatever ends it now is no longer a mistake in its use. */
export function reportCrash(error: unknown): number {
  const isBug = error instanceof InvariantError;
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(isBug ? `ottla: gives up, since a bug was found: ${what}` : `ottla: ${what}`);
  return isBug ? BUG : CRASH;
}

/** What the operating system refused: a folder that may not be made, a disk that is full. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}
