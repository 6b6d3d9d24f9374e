import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadEngineSync } from '../src/engine-sync.js';
import { PAPERS, type Paper } from './experiment.js';
import { experiments } from './experiments.js';
import { documentOf, type Section, sectionOf } from './render.js';

// Writes docs/reproduction.md and its figures. `npm run reproduce -- REP` makes one paper's exhibits only, and prints them.
const only = process.argv[2];
if (only !== undefined && !Object.hasOwn(PAPERS, only)) {
  process.stderr.write(`"${only}" is not one of ${Object.keys(PAPERS).join(', ')}\n`);
  process.exit(2);
}
const engine = loadEngineSync();
const done: Section[] = [];
for (const experiment of experiments) {
  if (only !== undefined && experiment.paper !== (only as Paper)) continue;
  const began = performance.now();
  const findings = await experiment.run(engine);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stderr.write(`${experiment.paper} ${experiment.exhibit}: ${seconds} s\n`);
  done.push(await sectionOf({ experiment, findings }));
}
const markdown = documentOf(done);
const figures = new Map(done.flatMap((section) => [...section.figures]));
if (only === undefined) {
  mkdirSync('docs/reproduction', { recursive: true });
  for (const file of readdirSync('docs/reproduction')) {
    if (!figures.has(file.replace(/\.svg$/, ''))) rmSync(`docs/reproduction/${file}`);
  }
  for (const [name, svg] of figures) writeFileSync(`docs/reproduction/${name}.svg`, svg);
  writeFileSync('docs/reproduction.md', markdown);
  process.stderr.write(`docs/reproduction.md: ${done.length} exhibits, ${figures.size} figures\n`);
} else {
  process.stdout.write(markdown);
}
