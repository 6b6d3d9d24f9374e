// All proofs in one document: as HTML for a browser's printer, and as a PDF where Chromium is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { FORMULAS, PROOF_STYLE, proofPlugin } from './proofs.mjs';
import { root } from './setup.mjs';

const FOLDER = 'docs/proofs';
/** The order of the chapters; any other follows. */
const ORDER = [
  'sampling',
  'contour',
  'many-phases',
  'bounded-range',
  'near-phases',
  'balls-and-bins',
  'shuffled',
  'capped-poisson',
];
const STYLE = `
@page { size: A4; margin: 22mm 20mm; @bottom-center { content: counter(page); font: 9pt serif; } }
body { font: 10.5pt/1.5 "STIX Two Text", "Latin Modern Roman", "Libertinus Serif", Cambria, Georgia, "DejaVu Serif", serif; font-size-adjust: 0.48; max-width: 46em; margin: auto; }
h1 { font-size: 1.7em; line-height: 1.2; break-before: page; text-align: left; }
h2 { font-size: 1.2em; break-after: avoid; }
.title h1 { break-before: avoid; margin-top: 4em; font-size: 2.2em; }
code { font-size: 0.85em; overflow-wrap: anywhere; hyphens: none; }
table { border-collapse: collapse; font-size: 0.85em; text-align: left; width: 100%; }
th, td { border-bottom: 1px solid #bbb; padding: 2px 6px; vertical-align: top; }
a { color: inherit; }
${PROOF_STYLE}`;

/** @returns The document, and the titles of its chapters. */
export function proofsHtml(version) {
  const MarkdownIt = createRequire(join(root, 'node_modules/typedoc/dist/index.js'))('markdown-it');
  const parser = new MarkdownIt({ html: true });
  parser.use(proofPlugin);
  const plain =
    parser.renderer.rules.link_open ??
    ((tokens, i, options, _, self) => self.renderToken(tokens, i, options));
  parser.renderer.rules.link_open = (tokens, i, ...more) => {
    tokens[i].attrSet('href', hrefIn(tokens[i].attrGet('href')));
    return plain(tokens, i, ...more);
  };
  const names = readdirSync(join(root, FOLDER)).map((name) => basename(name, '.md'));
  const chapters = [
    ...ORDER.filter((name) => names.includes(name)),
    ...names.filter((name) => !ORDER.includes(name)).sort(),
  ].map((name) => {
    const text = readFileSync(join(root, FOLDER, `${name}.md`), 'utf8');
    const html = parser.render(`${FORMULAS}\n\n${text}`);
    // statements and formulas are numbered anew in each chapter
    return {
      name,
      title: /^# (.+)$/m.exec(text)[1],
      html: html
        .replaceAll(/ id="(statement|formula)-/g, ` id="${name}-$1-`)
        .replace('<h1>', `<h1 id="${name}">`),
    };
  });
  const list = chapters.map(({ name, title }) => `<li><a href="#${name}">${title}</a></li>`).join('');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>gdp-kernel: proofs</title><style>${STYLE}</style>
<section class="title"><h1>The proofs behind gdp-kernel</h1><p>Version ${version}. Every bound of the package has a proof here, or a citation, and a test that would fail if it were false.</p><ol>${list}</ol></section>
${chapters.map(({ html }) => html).join('\n')}</html>\n`;
}

/** Chapters are at anchors; texts that are no chapter are named, not linked. */
function hrefIn(href) {
  const chapter = /^([\w-]+)\.md(?:#.*)?$/.exec(href)?.[1];
  return chapter === undefined ? (/^https?:/.test(href) ? href : '#') : `#${chapter}`;
}

/** @returns Whether there is a browser to print with. */
export function printPdf(html, pdf) {
  const browser = [
    process.env.CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ].find((path) => path !== undefined && existsSync(path));
  if (browser === undefined) return false;
  const { status, stderr } = spawnSync(
    browser,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-pdf-header-footer',
      `--print-to-pdf=${pdf}`,
      `file://${html}`,
    ],
    { encoding: 'utf8', timeout: 120_000 },
  );
  if (status !== 0 || !existsSync(pdf)) throw new Error(`${browser} printed no PDF: ${stderr}`);
  return true;
}

/** Writes proofs.html, and proofs.pdf where that can be. */
export function writeProofs(out, version) {
  const html = join(out, 'proofs.html');
  writeFileSync(html, proofsHtml(version));
  return printPdf(html, join(out, 'proofs.pdf'));
}
