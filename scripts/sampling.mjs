// npm run docs:sampling: writes the table of theorems into docs/sampling.md.
import './lib/setup.mjs';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileModules, MODULES } from './lib/modules.mjs';
import { withTheorems } from './lib/sampling-page.mjs';
import { ensureInstalled, root } from './lib/setup.mjs';

ensureInstalled();
compileModules();
const { THEOREMS } = await import(pathToFileURL(join(MODULES, 'src/mechanism/theorems.js')).href);
const path = join(root, 'docs/sampling.md');
writeFileSync(path, withTheorems(readFileSync(path, 'utf8'), THEOREMS));
process.stdout.write('docs/sampling.md written\n');
