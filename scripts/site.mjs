// npm run site: the documentation as a static site in build/site: the texts of docs/, the reference made from the docstrings, and the page.
// Nothing is fetched, neither now nor by a reader's browser.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Application, Converter } from 'typedoc';
import { entrySources } from './lib/declarations.mjs';
import { ensureBuilt, ensureInstalled, root } from './lib/setup.mjs';
import { deadLinks } from './lib/site-links.mjs';

/** Texts in the order they are read; all others of docs/ follow. */
const FIRST = [
  ...['quick-start', 'which-number', 'tutorial', 'migration', 'tasks'].map((name) => `docs/guide/${name}.md`),
  ...['accounting', 'mechanisms', 'sampling', 'select', 'budget', 'evidence'].map(
    (name) => `docs/${name}.md`,
  ),
  'docs/performance.md',
  'docs/latency.md',
  'docs/bundlers.md',
  'docs/guide/glossary.md',
];
const out = join(root, 'build/site');

ensureInstalled();
ensureBuilt();
await makeSite();
const dead = deadLinks(out);
for (const line of dead) process.stderr.write(`${line}\n`);
process.stdout.write(
  `${relative(root, out)}/index.html: ${pages(out)} pages, ${dead.length} links lead nowhere\n`,
);
process.exitCode = dead.length > 0 ? 1 : 0;

async function makeSite() {
  const found = readdirSync(join(root, 'docs'), { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort();
  const texts = [
    ...FIRST.filter((name) => found.includes(name)),
    ...found.filter((name) => !FIRST.includes(name)),
  ];
  mkdirSync(join(root, 'build'), { recursive: true });
  const home = join(root, 'build/site-home.md');
  writeFileSync(home, homeOf(texts));
  copyFileSync(join(root, 'dist/page.html'), join(root, 'build/page.html'));
  const app = await Application.bootstrap({
    name: 'gdp-kernel',
    entryPoints: entrySources().map(([, path]) => join(root, path)),
    tsconfig: join(root, 'tsconfig.json'),
    skipErrorChecking: true, // the gate checks the types
    out,
    readme: home,
    projectDocuments: texts.map((name) => join(root, name)),
    includeVersion: true,
    disableSources: true,
    disableGit: true,
    hideGenerator: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    highlightLanguages: ['typescript', 'javascript', 'json', 'python', 'sh', 'console', 'html'],
    sort: ['source-order'],
    validation: { invalidLink: true, notExported: false, notDocumented: false, rewrittenLink: false },
    intentionallyNotDocumented: [],
    logLevel: 'Warn',
  });
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const text = document.content.map(({ text }) => text).join('');
    document.name = /^# (.+)$/m.exec(text)?.[1] ?? document.name;
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('the reference could not be made');
  for (const [entry, path] of entrySources()) {
    const own = path.replace(/^src\/|(?:\/index)?\.ts$/g, '');
    const module = project.children.find(({ name }) => name === own);
    if (module !== undefined) module.name = `gdp-kernel${entry.slice(1)}`;
  }
  await app.generateDocs(project, out);
}

/** The first page: what it is, one line to install, and where to go. */
function homeOf(texts) {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const lead = readme.slice(readme.indexOf('\n\n') + 2, readme.indexOf('```sh'));
  const title = (name) => /^# (.+)$/m.exec(readFileSync(join(root, name), 'utf8'))[1];
  const list = (names) => names.map((name) => `- [${title(name)}](../${name})`).join('\n');
  const proofs = texts.filter((name) => name.startsWith('docs/proofs/'));
  const rest = texts.filter((name) => !proofs.includes(name));
  return `\`\`\`sh
npm install gdp-kernel
\`\`\`

**[Open the page](page.html)**: drop the file of a run on it or turn its knobs, and read ε, μ and what an attacker can
do while you drag. It computes in your browser and sends nothing.

${lead.trim()}

## Texts

${list(rest)}

## Reference

Every export of every entry, under its entry at the side. Examples there have all exports in scope, \`engine\` from \`loadEngine()\`, and
\`run\`, the account of \`dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 })\`; the tests run each and compare its answers.

## Proofs

Every bound behind a bracket, with its proof or citation and the test that exercises it.

${list(proofs)}
`;
}

function pages(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html')).length;
}
