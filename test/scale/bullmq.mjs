// BullMQ on Redis: the shards of a sweep as jobs of examples/bullmq, a worker killed in the middle, its shard retried, the tables joined.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../../scripts/lib/setup.mjs';
import { digestOf, FOLDER, GDP, GRID, gdp, imported, rowsOf } from './tools.mjs';

const PORT = 16379;
const SHARDS = 4;
await imported('ioredis');
const { Queue, QueueEvents } = await imported('bullmq');
const folder = join(FOLDER, 'bullmq');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const grid = join(folder, 'grid.json');
writeFileSync(grid, JSON.stringify(GRID));
// where it finds bullmq
const script = join(FOLDER, 'worker.mjs');
copyFileSync(join(root, 'examples/bullmq/worker.mjs'), script);

const children = [];
const start = (command, args, options = {}) => {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  children.push(child);
  return child;
};
const worker = () =>
  start(process.execPath, [script, String(PORT)], { detached: true, env: { ...process.env, GDP } });
try {
  start('redis-server', ['--port', String(PORT), '--bind', '127.0.0.1', '--save', '', '--dir', folder]);
  await sleep(1500);
  const connection = { host: '127.0.0.1', port: PORT };
  const queue = new Queue('sweep', { connection });
  const events = new QueueEvents('sweep', { connection });
  await events.waitUntilReady();
  let stalled = 0;
  events.on('stalled', () => stalled++);
  const tables = Array.from({ length: SHARDS }, (_, i) => join(folder, `part-${i}.csv`));
  const jobs = await queue.addBulk(
    tables.map((out, i) => ({
      name: 'shard',
      data: { grid, shard: `${i}/${SHARDS}`, out },
      opts: { attempts: 3 },
    })),
  );
  const doomed = worker();
  // some rows are there, not all
  for (let waited = 0; (statSync(tables[0], { throwIfNoEntry: false })?.size ?? 0) < 2000; waited++) {
    if (waited > 1200) throw new Error('no rows');
    await sleep(100);
  }
  process.kill(-doomed.pid, 'SIGKILL');
  const left = readFileSync(tables[0], 'utf8').trim().split('\n').length - 1;
  worker();
  worker();
  const done = await Promise.all(jobs.map((job) => job.waitUntilFinished(events)));
  const rows = rowsOf(...tables);
  const alone = join(folder, 'alone.csv');
  gdp('sweep', grid, '--out', alone);
  const same = digestOf(rows) === digestOf(rowsOf(alone));
  const kept = done.reduce((sum, each) => sum + each.kept, 0);
  const log = {
    jobs: SHARDS,
    kills: 1,
    rowsAtTheKill: left,
    stalled,
    kept,
    rows: rows.length,
    sameAsOneMachine: same,
    sha256: digestOf(rows).slice(0, 16),
  };
  process.stdout.write(`bullmq: ${JSON.stringify(log)}\n`);
  if (!same || kept < 1 || stalled < 1) process.exitCode = 1;
  await events.close();
  await queue.close();
} finally {
  for (const child of children) {
    try {
      process.kill(child.spawnargs[0] === 'redis-server' ? child.pid : -child.pid, 'SIGTERM');
    } catch {}
  }
}
