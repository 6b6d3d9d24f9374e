// A worker of the queue "sweep": a job is a shard, {grid, shard, out}. gdp sweep goes on where a killed worker left the shard's table, so a job that is
// retried computes no row twice.  node worker.mjs [PORT]
import { spawn } from 'node:child_process';
import { Worker } from 'bullmq';

const connection = { host: '127.0.0.1', port: Number(process.argv[2] ?? 6379) };
const gdp = process.env.GDP ?? 'gdp';

const worker = new Worker(
  'sweep',
  ({ data: { grid, shard, out } }) =>
    new Promise((resolve, reject) => {
      const command = gdp.endsWith('.js') ? [process.execPath, gdp] : [gdp];
      const args = ['sweep', grid, '--shard', shard, '--out', out, '--workers', '1', '--json'];
      const child = spawn(command[0], [...command.slice(1), ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.on('data', (chunk) => {
        text += chunk;
      });
      child.once('exit', (code) =>
        code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`exit code ${code}`)),
      );
    }),
  { connection, lockDuration: 5000, stalledInterval: 2000, maxStalledCount: 5 },
);
process.once('SIGTERM', () => worker.close());
