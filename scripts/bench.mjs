// npm run bench: sets up what is missing, bundles bench/run.ts and runs it.
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, run } from './lib/setup.mjs';

ensureInstalled();
ensureBuilt();
const rolldown = join(root, 'node_modules/rolldown/bin/cli.mjs');
run(process.execPath, [rolldown, '-c', 'bench/rolldown.config.mjs', '--silent'], { quiet: true });
run(process.execPath, ['build/bench.js', ...process.argv.slice(2)]);
