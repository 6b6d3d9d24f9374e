#!/usr/bin/env node
import { unwritable } from '../node/whole-file.js';
import { run } from './main.js';

// A reader that stops early (gdp report … | head -1) is no error; a full disk is one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`gdp: ${unwritable('standard output', error).message}\n`);
  process.exit(error.code === 'EPIPE' ? 0 : 2);
});
// Nobody is left to tell.
process.stderr.on('error', () => {});

void run(process.argv.slice(2), {
  get stdin() {
    return process.stdin;
  },
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
}).then((exitCode) => {
  process.exitCode = exitCode;
});
