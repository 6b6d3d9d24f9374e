import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** Without an answer for this long, work is long. */
const AFTER_MS = 2000;

/**
 * Says on a terminal that work goes on, from a thread of its own: what is computed leaves the main one no time. The line
 * counts the seconds and is wiped away before anything else is written.
 *
 * @param fd Where it is written.
 * @param after Milliseconds before it is.
 * @returns Ends it.
 */
export function signOfLife(fd: number, after = AFTER_MS): () => void {
  const written = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(SIGNS, { eval: true, workerData: { fd, after, written } });
  // without it the answer is the same
  worker.on('error', () => {});
  worker.unref();
  return () => {
    // the worker writes while it holds the lock, and never again once it is taken from it
    while (Atomics.compareExchange(written, 0, IDLE, ENDED) === WRITING)
      Atomics.wait(written, 0, WRITING, 10);
    if (Atomics.load(written, 1) > 0) writeSync(fd, WIPE);
    void worker.terminate();
  };
}

const [IDLE, WRITING, ENDED] = [0, 1, 2];
const WIPE = '\r\u001b[K';

const SIGNS = `
const { writeSync } = require('node:fs');
const { fd, after, written } = require('node:worker_threads').workerData;
const start = Date.now();
setTimeout(() => setInterval(say, 1000) && say(), after);
function say() {
  if (Atomics.compareExchange(written, 0, ${IDLE}, ${WRITING}) !== ${IDLE}) return;
  const seconds = Math.round((Date.now() - start) / 1000);
  try {
    writeSync(fd, '\\r\\u001b[Kgdp: still working, ' + seconds + ' s');
    Atomics.add(written, 1, 1);
  } catch {}
  Atomics.store(written, 0, ${IDLE});
}
`;
