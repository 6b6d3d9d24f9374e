// npm run reproduce: sets up what is missing, runs reproduce/run.ts, which writes docs/reproduction.md.
import { ensureInstalled, ensureWasm, run } from './lib/setup.mjs';

ensureInstalled();
ensureWasm();
const { compileModules } = await import('./lib/modules.mjs');
compileModules();
run(process.execPath, ['build/modules/reproduce/run.js', ...process.argv.slice(2)]);
