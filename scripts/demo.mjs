// npm run demo: from a fresh clone to a certified report of a real DP-SGD run, and where the time went.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, timed } from './lib/setup.mjs';

const example = 'examples/cifar10-wrn40.json';
const cli = join(root, 'dist/cli.js');

process.stdout.write('Setting up (first time only) …\n');
const [installed, installSeconds] = timed(ensureInstalled);
const [built, buildSeconds] = timed(ensureBuilt);

process.stdout.write(`\n$ gdp report ${example}\n\n`);
const [{ status }, reportSeconds] = timed(() =>
  spawnSync(process.execPath, [cli, 'report', example], { cwd: root, stdio: 'inherit' }),
);
if (status !== 0) process.exit(status ?? 1);

// The same job once more, in this process, step by step.
const clock = [performance.now()];
const { account, loadEngine } = await import('../dist/index.js');
const { parseOpacusState } = await import('../dist/read.js');
const { report } = await import('../dist/report.js');
clock.push(performance.now());
const engine = await loadEngine();
clock.push(performance.now());
report(
  account(engine, parseOpacusState(readFileSync(join(root, example), 'utf8')), { adjacency: 'add-remove' }),
);
clock.push(performance.now());
const [importSeconds, loadSeconds, accountSeconds] = [0, 1, 2].map((i) => (clock[i + 1] - clock[i]) / 1000);

const rows = [
  ['install', installed ? seconds(installSeconds) : 'already done'],
  ['build (WebAssembly kernel, bundle)', built ? seconds(buildSeconds) : 'already done'],
  ['gdp report, from start to exit', seconds(reportSeconds)],
  ['  import the library', seconds(importSeconds)],
  [`  load the engine (${engine.kernel.name})`, seconds(loadSeconds)],
  ['  account, measure, report', seconds(accountSeconds)],
  ['  start of Node, printing', seconds(reportSeconds - importSeconds - loadSeconds - accountSeconds)],
];
process.stdout.write('\nWhere the time went\n');
for (const [what, time] of rows) process.stdout.write(`  ${what.padEnd(44)}${time.padStart(12)}\n`);

function seconds(value) {
  return `${Math.max(0, value).toFixed(3)} s`;
}
