import { isInputError, UnreadableInput, UnwritableOutput } from '../errors.js';
import { UsageError } from './args.js';

/** The message and exit code for an error. Errors on wrong usage or input are the user's to correct. All others are bugs, whatever their class. */
export function describeFailure(error: unknown): { message: string; exitCode: 1 | 2 } {
  const message = error instanceof Error ? error.message : String(error);
  const theirs = [UsageError, UnreadableInput, UnwritableOutput].some((kind) => error instanceof kind);
  if (theirs || isInputError(error)) {
    return { message: shortened(message, 2000), exitCode: 2 };
  }
  // some engines include source code in their messages
  const kind = error instanceof Error ? `${error.name}: ` : '';
  return {
    message: `internal error (a bug in gdp-kernel): ${kind}${shortened(message.split('\n', 1)[0], 300)}`,
    exitCode: 1,
  };
}

/** A text cut to a length: a value in a message can be as long as a file. */
function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
