import { isInputError, UnreadableInput, UnwritableOutput } from '../errors.js';
import { UsageError } from './args.js';

/**
 * The sentence and exit code for whatever was thrown. What the command line or the library refuses, or cannot read, is
 * the user's to mend; anything else is a bug, whatever its class.
 */
export function describeFailure(error: unknown): { message: string; exitCode: 1 | 2 } {
  const message = error instanceof Error ? error.message : String(error);
  const theirs = [UsageError, UnreadableInput, UnwritableOutput].some((kind) => error instanceof kind);
  if (theirs || isInputError(error)) {
    return { message: shortened(message, 2000), exitCode: 2 };
  }
  // some hosts quote the source in a message
  const kind = error instanceof Error ? `${error.name}: ` : '';
  return {
    message: `internal error (a bug in gdp-kernel): ${kind}${shortened(message.split('\n', 1)[0], 300)}`,
    exitCode: 1,
  };
}

/** A value may be as long as a file. */
function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
