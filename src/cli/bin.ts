#!/usr/bin/env node
import { run } from './main.js';

// A reader that stops early (gdp report … | head -1) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

void run(process.argv.slice(2), {
  get stdin() {
    return process.stdin;
  },
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
}).then((exitCode) => {
  process.exitCode = exitCode;
});
