// npm run test:scale: the engines beyond one process, each by a script of test/scale. What is not installed is said and left out.
import { spawnSync } from 'node:child_process';
import { installed } from '../test/scale/tools.mjs';
import { ensureBuilt, ensureInstalled, root } from './lib/setup.mjs';

const PARTS = [
  ['duckdb', []],
  ['bullmq', ['redis-server']],
  ['slurm', ['slurmctld', 'slurmd', 'munged']],
  ['recipes', []],
  ['tasks', ['npm']],
];

ensureInstalled();
ensureBuilt();
let passed = 0;
let failed = 0;
let skipped = 0;
for (const [name, needed] of PARTS) {
  const missing = needed.filter((command) => !installed(command));
  if (missing.length > 0) {
    process.stdout.write(`${name}: NOT RUN, ${missing.join(', ')} not installed\n`);
    skipped++;
    continue;
  }
  const { status } = spawnSync(process.execPath, [`test/scale/${name}.mjs`], { cwd: root, stdio: 'inherit' });
  if (status === 0) passed++;
  else failed++;
}
process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exit(failed > 0 ? 1 : 0);
