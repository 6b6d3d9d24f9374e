// npm run site: the documentation as a static site in build/site: the texts of docs/, the reference made from the docstrings, and the page.
// Nothing is fetched, neither now nor by a reader's browser.
import './lib/setup.mjs';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { FORMULAS, PROOF_STYLE, proofPlugin } from './lib/proofs.mjs';
import { ensureBuilt, ensureInstalled, root } from './lib/setup.mjs';
import { deadLinks } from './lib/site-links.mjs';

// they take half a second to load, which an answer to --help has no need of
const { Application, Converter } = await import('typedoc');
const { entrySources } = await import('./lib/declarations.mjs');

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
/** The sections of the texts, in their order. */
const GROUPS = ['Guide', 'Topics', 'Proofs'];
const [GUIDE, TOPICS, PROOFS] = GROUPS;
const out = join(root, 'build/site');
/** Texts with formulas. */
const isTypeset = (name) => name.startsWith('docs/proofs/') || name === 'docs/accounting.md';

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
  const groups = new Map(texts.map((name) => [titleOf(name), groupOf(name)]));
  const typeset = new Set(texts.filter(isTypeset).map(titleOf));
  mkdirSync(out, { recursive: true });
  const style = join(root, 'build/site.css');
  writeFileSync(style, PROOF_STYLE);
  const home = join(root, 'build/site-home.md');
  writeFileSync(home, homeOf(texts));
  const app = await application(texts, style, home);
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const text = document.content.map(({ text }) => text).join('');
    document.name = /^# (.+)$/m.exec(text)?.[1] ?? document.name;
    document.frontmatter.group = groups.get(document.name);
    if (typeset.has(document.name)) document.content.unshift({ kind: 'text', text: `${FORMULAS}\n\n` });
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('the reference could not be made');
  for (const [entry, path] of entrySources()) {
    const own = path.replace(/^src\/|(?:\/index)?\.ts$/g, '');
    const module = project.children.find(({ name }) => name === own);
    if (module !== undefined) module.name = `gdp-kernel${entry.slice(1)}`;
  }
  await app.generateDocs(project, out);
  copyFileSync(join(root, 'dist/page.html'), join(out, 'page.html'));
  copyFileSync(join(root, 'docs/guide/curve.svg'), join(out, 'curve.svg'));
}

function application(texts, customCss, readme) {
  return Application.bootstrap({
    name: 'gdp-kernel',
    entryPoints: entrySources().map(([, path]) => join(root, path)),
    tsconfig: join(root, 'tsconfig.json'),
    skipErrorChecking: true, // the gate checks the types
    out,
    readme,
    groupOrder: [...GROUPS, '*'],
    navigation: { includeGroups: true, includeCategories: false, includeFolders: false },
    searchInDocuments: true,
    searchInComments: true,
    // a word finds the texts that tell of it before the members that are named so
    searchGroupBoosts: {
      Guide: 60,
      Topics: 12,
      Proofs: 4,
      Functions: 3,
      Properties: 0.02,
      Accessors: 0.02,
      Methods: 0.02,
    },
    projectDocuments: texts.map((name) => join(root, name)),
    includeVersion: true,
    disableSources: true,
    disableGit: true,
    hideGenerator: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    customCss,
    markdownItLoader: proofPlugin,
    highlightLanguages: ['typescript', 'javascript', 'json', 'python', 'sh', 'console', 'html'],
    sort: ['source-order'],
    validation: { invalidLink: true, notExported: false, notDocumented: false, rewrittenLink: false },
    intentionallyNotDocumented: [],
    logLevel: 'Warn',
  });
}

function groupOf(name) {
  if (name.startsWith('docs/proofs/')) return PROOFS;
  return name.startsWith('docs/guide/') ? GUIDE : TOPICS;
}

function titleOf(name) {
  return /^# (.+)$/m.exec(readFileSync(join(root, name), 'utf8'))[1];
}

/** The first page: a number and a picture, three doors, the page itself, and every text by its section. */
function homeOf(texts) {
  const guide = (name) => `../docs/guide/${name}.md`;
  const list = (group) =>
    texts
      .filter((name) => groupOf(name) === group)
      .map((name) => `- [${titleOf(name)}](../${name})`)
      .join('\n');
  return `Certified differential-privacy accounting. Every number is a bracket that contains the exact value.

> A CIFAR-10 model trained with DP-SGD (noise multiplier 9.4, sampling rate 0.32768, 2,000 steps) is **(7.43, 10⁻⁵)-differentially private**.
> With one false alarm in 1,000, no attack finds more than 6.34 % of the records used.

<img src="curve.svg" alt="The least false negative rate of any attack on that run, at every false positive rate" width="460">

| I trained | I plan | I publish or review |
| --- | --- | --- |
| \`gdp report state.json\` | \`gdp calibrate --epsilon 2 --delta 1e-5 --sampling-rate 0.01 --steps 1000\` | \`gdp lint state.json --claim claim.json\` |
| [Quick start](${guide('quick-start')}), [coming from another accountant](${guide('migration')}) | [Ten tasks](${guide('tasks')}), [which loader do you have?](../docs/sampling.md) | [Which number to publish](${guide('which-number')}), [evidence](../docs/evidence.md) |

\`\`\`sh
npm install --global ./gdp-kernel-0.1.0.tgz
\`\`\`

## The page, live

Drop the file of a run on it, or turn its controls. It computes in your browser and sends nothing.
<a href="page.html">Open it in a window of its own.</a>

<iframe src="page.html" title="The page of gdp-kernel" width="100%" height="760" style="border: 1px solid #8884; border-radius: 8px"></iframe>

## ${GUIDE}

${list(GUIDE)}

## ${TOPICS}

${list(TOPICS)}

## Reference

Every export of every entry stands under its entry, at the side. Its examples have all exports in scope, an \`engine\` from \`loadEngine()\`, and
a \`run\` of the model above. The tests run each example.

## ${PROOFS}

Every bound has a proof or a citation, and a test that exercises it.

${list(PROOFS)}
`;
}

function pages(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html')).length;
}
