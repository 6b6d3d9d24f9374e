// npm run demo: from a fresh clone to a certified report of a real DP-SGD run.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './lib/setup.mjs';

const example = 'examples/cifar10-wrn40.json';
process.stdout.write('Setting up (first time only) …\n');
ensureInstalled();
ensureBuilt();
process.stdout.write(`\n$ gdp report ${example}\n\n`);
const { status } = spawnSync(process.execPath, [join(root, 'dist/cli.js'), 'report', example], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
