#!/usr/bin/env node
import { once } from 'node:events';
import { unwritable } from '../node/whole-file.js';
import { visible } from '../text/escape.js';
import { isPiped, runApart } from './apart.js';
import { INTERRUPTED } from './progress.js';

// A reader that stops early (gdp report … | head -1) is no error; a full disk is one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`gdp: ${unwritable('standard output', error).message}\n`);
  process.exit(error.code === 'EPIPE' ? 0 : 2);
});
// standard error is closed: there is nobody to report to
process.stderr.on('error', () => {});

/** Commands that show their own progress and keep the main thread free, or that compute nothing. */
const HERE = ['sweep', 'batch', 'serve', 'help', 'completion', 'page', 'budget', '--help', '--version'];
const argv = process.argv.slice(2);
const coloured = process.stderr.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
const mark = coloured ? '\u001b[1mgdp:\u001b[22m' : 'gdp:';
/** A function that writes to a stream and resolves when more can be written. Waiting writes share one listener. */
const written = (stream: NodeJS.WriteStream) => {
  let drained: Promise<unknown> | undefined;
  return async (text: string) => {
    if (stream.write(text)) return;
    drained ??= once(stream, 'drain').finally(() => {
      drained = undefined;
    });
    await drained;
  };
};
const told = written(process.stderr);
const io = {
  write: written(process.stdout),
  note: (message: string) => void told(`${mark} ${visible(message)}\n`),
};

void answered().then((exitCode) => {
  process.exitCode = exitCode;
});

async function answered(): Promise<number> {
  if (argv.length > 0 && !HERE.some((word) => argv.includes(word))) return runApart(argv, io, process.stderr);
  process.on('SIGINT', () => {
    // a command that is writing a table handles the interrupt itself
    if (process.listenerCount('SIGINT') > 1) return;
    io.note('interrupted');
    process.exit(INTERRUPTED);
  });
  const { run } = await import('./main.js');
  return run(argv, {
    get stdin() {
      return process.stdin;
    },
    piped: isPiped(),
    ...io,
  });
}
