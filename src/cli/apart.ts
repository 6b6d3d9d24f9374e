import { fstatSync, rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Unfinished } from '../node/whole-file.js';
import { visible } from '../text/escape.js';
import { INTERRUPTED } from './interrupted.js';
import type { Answer, Io } from './main.js';
import type { Terminal } from './progress.js';
import { signOfLife } from './sign-of-life.js';

/** What the thread that answers says. */
export type FromWorker =
  | { readonly note: string }
  | { readonly progress: number }
  | { readonly reads: true }
  | Unfinished
  | { readonly answered: Answer };

/** What the thread that answers is told. */
export interface WorkerInput {
  readonly argv: readonly string[];
  readonly piped: boolean;
}

/** Whether standard input is a pipe or a file, and no terminal. */
export function isPiped(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile() || input.isSocket();
  } catch {
    return false;
  }
}

/**
 * Answers a command line in a thread of its own and resolves to its exit code; an interrupt ends it at once, whatever it computes, with one
 * line, exit code 130 and no half of a file.
 *
 * @param script What the thread runs: see `FromWorker`.
 */
export async function runApart(
  argv: readonly string[],
  io: Omit<Io, 'stdin'>,
  terminal: Terminal,
  script: URL = new URL('./cli-worker.js', import.meta.url),
): Promise<number> {
  const worker = new Worker(script, {
    workerData: { argv, piped: isPiped() } satisfies WorkerInput,
    stdin: true,
  });
  const signs = signOfLife(terminal);
  const unfinished = new Set<string>();
  const note = (message: string): void => {
    signs.wipe();
    io.stderr(`gdp: ${visible(message)}\n`);
  };
  const outcome = await new Promise<Answer>((resolve) => {
    process.once('SIGINT', () => {
      void worker.terminate().then(() => {
        for (const path of unfinished) rmSync(path, { force: true });
        resolve({ text: '', exitCode: INTERRUPTED, failure: 'interrupted' });
      });
    });
    worker.on('message', (message: FromWorker) => {
      if ('note' in message) note(message.note);
      else if ('progress' in message) signs.progress(message.progress);
      else if ('reads' in message) process.stdin.pipe(worker.stdin!);
      else if ('answered' in message) resolve(message.answered);
      else if (message.there) unfinished.add(message.unfinished);
      else unfinished.delete(message.unfinished);
    });
    worker.on('error', (error) => void failureOf(error).then(resolve));
  });
  signs.end();
  process.stdin.unpipe();
  process.stdin.destroy();
  void worker.terminate();
  if (outcome.failure === undefined) await io.stdout(outcome.text);
  else note(outcome.failure);
  return outcome.exitCode;
}

/** Of a thread that broke: out of memory, say. */
async function failureOf(error: unknown): Promise<Answer> {
  // not before it is needed: it brings the library along, which this thread has no use for
  const { describeFailure } = await import('./errors.js');
  const { message, exitCode } = describeFailure(error);
  return { text: '', exitCode, failure: message };
}
