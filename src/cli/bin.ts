#!/usr/bin/env node
import { unwritable } from '../node/whole-file.js';
import { run } from './main.js';
import { signOfLife } from './sign-of-life.js';

// A reader that stops early (gdp report … | head -1) is no error; a full disk is one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`gdp: ${unwritable('standard output', error).message}\n`);
  process.exit(error.code === 'EPIPE' ? 0 : 2);
});
// Nobody is left to tell.
process.stderr.on('error', () => {});

const argv = process.argv.slice(2);
// a sweep says itself how far it is
let over = process.stderr.isTTY && !argv.includes('sweep') ? signOfLife(process.stderr.fd) : () => {};
const written = (stream: NodeJS.WriteStream) => (text: string) => {
  over();
  over = () => {};
  stream.write(text);
};

void run(argv, {
  get stdin() {
    return process.stdin;
  },
  stdout: written(process.stdout),
  stderr: written(process.stderr),
}).then((exitCode) => {
  over();
  process.exitCode = exitCode;
});
