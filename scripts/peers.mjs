// npm run docs:peers: writes docs/public-values.md and the table of events in docs/guide/migration.md.
import './lib/setup.mjs';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileModules, MODULES } from './lib/modules.mjs';
import { publicValuesPage, withEvents } from './lib/peers-page.mjs';
import { ensureInstalled, root } from './lib/setup.mjs';

ensureInstalled();
compileModules();
const of = (path) => import(pathToFileURL(join(MODULES, path)).href);
const golden = (name) => JSON.parse(readFileSync(join(root, 'test/golden', name), 'utf8'));
const { loadEngineSync } = await of('src/engine-sync.js');
const { account } = await of('src/index.js');
const { recognise } = await of('src/read/index.js');
const engine = loadEngineSync({ kernel: 'wasm' });
const { groups } = golden('peers-public.json');
writeFileSync(join(root, 'docs/public-values.md'), publicValuesPage(groups));
const path = join(root, 'docs/guide/migration.md');
const { events } = golden('peers-events.json');
writeFileSync(path, withEvents(readFileSync(path, 'utf8'), { events, groups }, answer));
process.stdout.write('docs/public-values.md and docs/guide/migration.md written\n');

function answer(event) {
  try {
    const { mechanism, facts } = recognise(event);
    const neighbours = facts.adjacency ?? 'add-remove';
    const epsilon = account(engine, mechanism, { adjacency: neighbours }).epsilon(1e-5);
    return { kind: `\`${mechanism.kind}\``, neighbours, epsilon: `${epsilon}` };
  } catch (error) {
    return { kind: 'refused', neighbours: 'none', epsilon: error.message.replace(/^.*accounted for: /, '') };
  }
}
