// npm run reproduce: sets up what is missing, bundles reproduce/run.ts and writes docs/reproduction.md.
import { join } from 'node:path';
import { ensureInstalled, ensureWasm, root, run } from './lib/setup.mjs';

ensureInstalled();
ensureWasm();
const rollup = join(root, 'node_modules/rollup/dist/bin/rollup');
run(process.execPath, [rollup, '-c', 'reproduce/rollup.config.mjs', '--silent'], { quiet: true });
run(process.execPath, ['build/reproduce/run.js', ...process.argv.slice(2)]);
