import { fstatSync } from 'node:fs';
import { startThread } from '../node/start-thread.js';
import type { CommandAnswer, Context } from './command.js';
import { INTERRUPTED, signOfLife, type Terminal } from './progress.js';

/** A command line for a worker thread. */
export interface CommandLine {
  readonly argv: readonly string[];
  readonly piped?: boolean;
  /** The data of its standard input, if it does not read the process's own. */
  readonly input?: string | Uint8Array;
  /** The files that it may read, by name; if given, no other file is read or written. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

/** Messages of the thread before its answer: a note, its progress, or a request for standard input. */
export type News = { readonly note: string } | { readonly progress: number } | { readonly reads: true };

/** Whether standard input is a pipe or a file, not a terminal. */
export function isPiped(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile() || input.isSocket();
  } catch {
    return false;
  }
}

/**
 * Answers a command line in a thread of its own and resolves to its exit code. An interrupt ends the thread at once, with a message of one
 * line and exit code 130, and without an incomplete file.
 *
 * @param script The script of the thread, which answers a `CommandLine`.
 */
export async function runApart(
  argv: readonly string[],
  io: Required<Pick<Context, 'note' | 'write'>>,
  terminal: Terminal,
  script: URL = new URL('./cli-worker.js', import.meta.url),
): Promise<number> {
  const start = startThread<CommandLine, CommandAnswer>(script, { stdin: true });
  const signs = signOfLife(terminal);
  const note = (message: string): void => {
    signs.wipe();
    io.note(message);
  };
  const hear = (news: News): void => {
    if ('note' in news) note(news.note);
    else if ('progress' in news) signs.progress(news.progress);
    else process.stdin.pipe(worker.stdin!);
  };
  let answered: (answer: CommandAnswer) => void = () => {};
  const answer = new Promise<CommandAnswer>((resolve) => {
    answered = resolve;
  });
  const worker = start(
    (said) => {
      if ('news' in said) hear(said.news as News);
      else if ('answer' in said) answered(said.answer);
    },
    (_, error) => error !== undefined && void failureOf(error).then(answered),
  );
  process.once('SIGINT', async () => {
    await worker.end();
    answered({ text: '', exitCode: INTERRUPTED, failure: 'interrupted' });
  });
  worker.post({ argv, piped: isPiped() });
  const outcome = await answer;
  signs.end();
  process.stdin.unpipe();
  process.stdin.destroy();
  void worker.end();
  if (outcome.failure === undefined) await io.write(outcome.text);
  else note(outcome.failure);
  return outcome.exitCode;
}

/** The answer for a thread that failed, as when memory runs out. */
async function failureOf(error: unknown): Promise<CommandAnswer> {
  // loaded only when needed: it imports the whole library, which this thread does not use otherwise
  const { describeFailure } = await import('./errors.js');
  const { message, exitCode } = describeFailure(error);
  return { text: '', exitCode, failure: message };
}
