// npm run docs:mechanisms: writes docs/mechanisms.md from the library as built.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mechanismPage } from './lib/mechanism-page.mjs';
import { ensureBuilt, ensureInstalled, root } from './lib/setup.mjs';

ensureInstalled();
ensureBuilt();
const at = (file) => import(pathToFileURL(join(root, 'dist', file)).href);
const entries = ['index.js', 'compare.js', 'convert.js', 'report.js'];
const lib = Object.assign({}, ...(await Promise.all(entries.map(at))));
writeFileSync(join(root, 'docs/mechanisms.md'), mechanismPage(lib, await lib.loadEngine()));
process.stdout.write('docs/mechanisms.md written\n');
