#!/usr/bin/env node
import { once } from 'node:events';
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

const BOLD = '\u001b[1mgdp:\u001b[22m';
const argv = process.argv.slice(2);
// these say themselves how far they are
const telling = ['sweep', 'batch', 'serve'].some((name) => argv.includes(name));
let over = telling ? () => {} : signOfLife(process.stderr.fd, { terminal: process.stderr.isTTY === true });
const coloured = process.stderr.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
const written = (stream: NodeJS.WriteStream) => async (text: string) => {
  over();
  over = () => {};
  if (!stream.write(text)) await once(stream, 'drain');
};

void run(argv, {
  get stdin() {
    return process.stdin;
  },
  stdout: written(process.stdout),
  stderr: async (text) => written(process.stderr)(coloured ? text.replace(/^gdp:/, BOLD) : text),
}).then((exitCode) => {
  over();
  process.exitCode = exitCode;
});
