import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** Without an answer for this long, work is long. */
const AFTER_MS = 2000;

/** Milliseconds between two lines of a log. */
const LOG_EVERY_MS = 60_000;

/** Where signs go, and how often, in milliseconds. */
export interface Signs {
  /** One line that changes, and is wiped away before anything else is written; else a line each time. */
  readonly terminal: boolean;
  /** Before the first; default 2 seconds on a terminal, a minute elsewhere. */
  readonly after?: number;
}

/**
 * Says that work goes on, from a thread of its own: what is computed leaves the main one no time. A terminal is told every
 * second, a log every minute.
 *
 * @param fd Where it is written.
 * @returns Ends it.
 */
export function signOfLife(fd: number, { terminal, after }: Signs): () => void {
  const every = terminal ? 1000 : LOG_EVERY_MS;
  const first = after ?? (terminal ? AFTER_MS : LOG_EVERY_MS);
  const written = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(SIGNS, {
    eval: true,
    workerData: { fd, after: first, every, terminal, written },
  });
  // without it the answer is the same
  worker.on('error', () => {});
  worker.unref();
  return () => {
    // the worker writes while it holds the lock, and never again once it is taken from it
    while (Atomics.compareExchange(written, 0, IDLE, ENDED) === WRITING)
      Atomics.wait(written, 0, WRITING, 10);
    if (terminal && Atomics.load(written, 1) > 0) writeSync(fd, WIPE);
    void worker.terminate();
  };
}

const [IDLE, WRITING, ENDED] = [0, 1, 2];
const WIPE = '\r\u001b[K';

const SIGNS = `
const { writeSync } = require('node:fs');
const { fd, after, every, terminal, written } = require('node:worker_threads').workerData;
const start = Date.now();
setTimeout(() => setInterval(say, every) && say(), after);
function say() {
  if (Atomics.compareExchange(written, 0, ${IDLE}, ${WRITING}) !== ${IDLE}) return;
  const seconds = Math.round((Date.now() - start) / 1000);
  try {
    const text = 'gdp: still working, ' + seconds + ' s';
    writeSync(fd, terminal ? '\\r\\u001b[K' + text : text + '\\n');
    Atomics.add(written, 1, 1);
  } catch {}
  Atomics.store(written, 0, ${IDLE});
}
`;
