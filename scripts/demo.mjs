// npm run demo: from a fresh clone to a certified report of a real DP-SGD run, and where the time went.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, timed } from './lib/setup.mjs';

const example = 'examples/cifar10-wrn40.json';
const cli = join(root, 'dist/cli.js');

process.stdout.write('Setting up (first time only) …\n');
const [installed, installSeconds] = timed(ensureInstalled);
const [built, buildSeconds] = timed(ensureBuilt);

const gdp = (args, stdio) => {
  const { status } = spawnSync(process.execPath, [cli, ...args], { cwd: root, stdio });
  if (status !== 0) process.exit(status ?? 1);
};
const [, coldSeconds] = timed(() => gdp(['--version'], 'ignore'));
process.stdout.write(`\n$ gdp report ${example}\n\n`);
const [, reportSeconds] = timed(() => gdp(['report', example], 'inherit'));

const rows = [
  ['install', installed ? seconds(installSeconds) : 'already done'],
  ['build (WebAssembly kernel, bundle)', built ? seconds(buildSeconds) : 'already done'],
  ['start of the command line', seconds(coldSeconds)],
  ['load the kernel, account, measure, print', seconds(Math.max(0, reportSeconds - coldSeconds))],
];
process.stdout.write('\nWhere the time went\n');
for (const [what, time] of rows) process.stdout.write(`  ${what.padEnd(44)}${time.padStart(12)}\n`);

function seconds(value) {
  return `${value.toFixed(2)} s`;
}
