import { UnwritableOutput } from '../node/whole-file.js';

/** Bad usage or bad input: one sentence for the user, exit code 2. */
export class UsageError extends Error {}

/** The sentence and exit code for whatever was thrown. Usage and input are checked first: the rest is our fault. */
export function describeFailure(error: unknown): { message: string; exitCode: 1 | 2 } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError || error instanceof UnwritableOutput) return { message, exitCode: 2 };
  return { message: `internal error: ${message}`, exitCode: 1 };
}
