// npm run bench: sets up what is missing, and runs bench/run.ts.
import { ensureBuilt, ensureInstalled, run } from './lib/setup.mjs';

ensureInstalled();
ensureBuilt();
const { compileModules } = await import('./lib/modules.mjs');
compileModules();
run(process.execPath, ['build/modules/bench/run.js', ...process.argv.slice(2)]);
