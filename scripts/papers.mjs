// npm run docs:papers: writes docs/papers.md from the library as built.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { docstrings, ENTRIES, exportsOf, papersPage, sources } from './lib/papers-page.mjs';
import { ensureBuilt, ensureInstalled, root } from './lib/setup.mjs';

ensureInstalled();
ensureBuilt();
const modules = {};
for (const [entry, file] of Object.entries(ENTRIES))
  modules[entry] = await import(pathToFileURL(join(root, 'dist', `${file}.js`)).href);
const lib = libraryOf(modules);
writeFileSync(
  join(root, 'docs/papers.md'),
  papersPage(lib, await lib.loadEngine(), exportsOf(modules), docstrings(sources(root))),
);
process.stdout.write('docs/papers.md written\n');

function libraryOf(modules) {
  return Object.assign({}, ...Object.values(modules).reverse());
}
