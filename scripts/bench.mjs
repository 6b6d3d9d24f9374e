// npm run bench: sets up what is missing, bundles bench/run.ts and runs it.
import { join } from 'node:path';
import { ensureInstalled, ensureWasm, root, run } from './lib/setup.mjs';

ensureInstalled();
ensureWasm();
const rollup = join(root, 'node_modules/rollup/dist/bin/rollup');
run(process.execPath, [rollup, '-c', 'bench/rollup.config.mjs', '--silent'], { quiet: true });
run(process.execPath, ['build/bench.js']);
