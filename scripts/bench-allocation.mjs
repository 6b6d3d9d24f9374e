// node scripts/bench-allocation.mjs [settings]: the table of bench/balls-and-bins.ts.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileModules } from './lib/modules.mjs';
import { root } from './lib/setup.mjs';

compileModules();
const load = (name) => import(pathToFileURL(join(root, 'build/modules', name)).href);
const { allocationTable } = await load('bench/balls-and-bins.js');
const { loadEngine } = await load('src/index.js');
console.log(allocationTable(await loadEngine(), Number(process.argv[2] ?? 200)));
