// The page as one file: the script and its workers, the style, the font, under a policy that allows no network.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import subsetFont from 'subset-font';
import { bundle, minified } from './bundle.mjs';
import { compileModules, MODULES } from './modules.mjs';
import { root } from './setup.mjs';
import { noticeOf, packageOf } from './third-party.mjs';

const FONT = '@fontsource-variable/inter';
/** What the page and the report can show in the font; anything else falls back to the reader's own. */
const LATIN = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))
  .filter((sign) => !'!"#$&*+<>@[]^_\\`{|}~'.includes(sign))
  .join('');
const SIGNS = '\u00a0·×…−↑é';
const GREEK = 'αδεμσ';

/** Inter, variable weight 400 to 700, for the characters above: one woff2 for each file that the package splits it into. */
export async function fontFaces() {
  const folder = join(dirname(createRequire(import.meta.url).resolve(`${FONT}/package.json`)), 'files');
  const parts = [
    ['inter-latin-wght-normal.woff2', LATIN + SIGNS],
    ['inter-greek-wght-normal.woff2', GREEK],
  ];
  const faces = await Promise.all(
    parts.map(async ([file, text]) => {
      const font = readFileSync(join(folder, file));
      const small = await subsetFont(font, text, {
        targetFormat: 'woff2',
        keepFeatures: ['tnum'],
        variationAxes: { wght: { min: 400, max: 700 } },
      });
      const range = [...new Set(text)].map((c) => `U+${c.codePointAt(0).toString(16)}`).join(',');
      return `@font-face{font-family:Inter;font-weight:400 700;src:url(data:font/woff2;base64,${small.toString('base64')}) format("woff2");unicode-range:${range}}`;
    }),
  );
  return faces.join('\n');
}

/** A classic script with all that it imports. */
async function scriptOf(name, format = 'iife') {
  const { code, moduleIds } = await bundle(join(root, 'src/page', name), { format });
  const short = minified(name.replace(/\.tsx?$/, '.js'), withoutFacts(code));
  return { script: short.trim().replaceAll('</script', '<\\/script'), moduleIds };
}

/** What is said of mechanisms in words, but for where they stand: the page does not show it. */
function withoutFacts(code) {
  return code.replace(
    /\n(\t+)title: .*\n\1(standing: "\w+",)(?:\n\1(?:adjacency|tail|source|wide): .*)+/g,
    '\n$2',
  );
}

/** Numbers to draw, of four digits, half a pixel: a supporting line that is moved up bounds the curve as well. */
function roundedUp(values) {
  return values.map((value) => {
    const short = Number(value.toPrecision(4));
    return short >= value ? short : Number((value + 1e-3 * Math.abs(value)).toPrecision(4));
  });
}

/** The script as raw DEFLATE in base64. Before it stand the kernel's bytes, whose digits in the script are then those of a name. */
function packed(text) {
  const [before, digits, after] = text.split(/[`'"]([0-9a-f]{9999,})[`'"]/);
  const kernel = Buffer.from(digits, 'hex');
  const length = Buffer.from(Uint32Array.of(kernel.length).buffer);
  const bytes = Buffer.concat([length, kernel, Buffer.from(`${before}kernelHex${after}`)]);
  return deflateRawSync(bytes, { level: 9 }).toString('base64');
}

/** The sharp answer of the example as the library gives it: what the page shows until its own is there. */
export async function exampleAnswer() {
  compileModules();
  const [{ loadEngine }, { answerTo }, { EXAMPLE, settingOf }] = await Promise.all(
    ['account/load-engine', 'page/compute', 'page/state'].map(
      (name) => import(join(MODULES, `src/${name}.js`)),
    ),
  );
  const question = { id: 0, task: 'fine', setting: settingOf(EXAMPLE), alpha: EXAMPLE.alpha };
  const parts = [...answerTo(await loadEngine(), question)].filter((part) => part !== undefined);
  return Object.assign({}, ...parts.map(({ answer }) => answer));
}

/** A link asks for settings of its own: the example's claim is none of theirs. */
const LINKS = "location.hash.startsWith('#v=')&&document.querySelector('main').replaceChildren()";

/** The claim of the example, which stands in the page before any script has run. */
async function headlineOf(answer) {
  const { script } = await scriptOf('view/headline.tsx', 'es');
  const { Headline } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
  const { EXAMPLE } = await import(join(MODULES, 'src/page/state.js'));
  return markup({ type: Headline, props: { store: { state: EXAMPLE, answer: { ...answer, made: true } } } });
}

/** The markup of a node whose components keep no state. */
function markup(node) {
  if (node === null || node === undefined || typeof node === 'boolean') return '';
  if (Array.isArray(node)) return node.map(markup).join('');
  if (typeof node !== 'object') return escapeMarkup(String(node));
  const { type, props } = node;
  if (typeof type === 'function') return markup(type(props));
  const { children, ...attributes } = props;
  const words = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && (value !== false || attributes['aria-busy'] === false))
    .map(([name, value]) => ` ${name === 'tabIndex' ? 'tabindex' : name}="${escapeMarkup(String(value))}"`);
  return `<${type}${words.join('')}>${markup(children)}</${type}>`;
}

function escapeMarkup(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Colours and rules of charts that plots alone draw with. */
const OF_PLOTS = /--c[45]:[^;]*;|\n\.chart \.(?:\w+\.c[45]|area\.c\d|line\.(?:solid|dashed|dotted))\{.*\}/g;

/** The style sheets, each later one over those before. */
const STYLES = ['base', 'frame', 'rail', 'answer', 'media'];

/** @returns {Promise<string>} the text of page.html. */
export async function pageHtml() {
  const [boot, page] = await Promise.all(['boot.ts', 'main.ts'].map((name) => scriptOf(name)));
  const { CHART_STYLE, DARK, LIGHT, declarations } = await themeOf();
  const style = [
    await fontFaces(),
    `:root{${declarations({ ...LIGHT, bg: '#fbfbfa' })}}`.replace(OF_PLOTS, ''),
    `:root[data-theme="dark"]{${declarations(DARK)}}`.replace(OF_PLOTS, ''),
    CHART_STYLE.replace(OF_PLOTS, ''),
    ...STYLES.map((name) => short(readFileSync(join(root, `src/page/style/${name}.css`), 'utf8'))),
  ].join('\n');
  const hashes = [boot.script, LINKS].map((script) => createHash('sha256').update(script).digest('base64'));
  const policy = [
    "default-src 'none'",
    `script-src ${hashes.map((hash) => `'sha256-${hash}'`).join(' ')} 'wasm-unsafe-eval' blob:`,
    'worker-src blob:',
    "style-src 'unsafe-inline'",
    'font-src data:',
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const libraries = [
    ...page.moduleIds.map(packageOf),
    packageOf(createRequire(import.meta.url).resolve(`${FONT}/package.json`)),
  ];
  const named = new Map(libraries.filter(Boolean).map((each) => [each.name, each]));
  const notices = [...named.values()].map(noticeOf).join('\n').replaceAll('--', '- -');
  const answer = await exampleAnswer();
  // JSON has no infinity, but numbers that are read as it
  const finite = (_, value) => (value === Infinity ? 'infinity' : value);
  const lines = { epsilon: roundedUp(answer.lines.epsilon), delta: roundedUp(answer.lines.delta) };
  const example = JSON.stringify({ ...answer, lines, near: roundedUp(answer.near) }, finite)
    .replaceAll('"infinity"', '1e999')
    .replaceAll('<', '\\u003c');
  const html = [
    ['Content-Security-Policy" content=""', `Content-Security-Policy" content="${policy}"`],
    ['<style></style>', `<style>${style}</style>`],
    ['<main class="page">', `<main class="page">${await headlineOf(answer)}`],
    ['<script id="links"></script>', `<script>${LINKS}</script>`],
    ['id="example"></script>', `id="example">${example}</script>`],
    ['id="packed"></script>', `id="packed">${packed(page.script)}</script>`],
    ['<script></script>', `<script>${boot.script}</script>`],
  ].reduce(
    (text, [place, content]) => {
      if (!text.includes(place)) throw new Error(`page.html has no ${place}`);
      return text.replace(place, () => content);
    },
    readFileSync(join(root, 'src/page/page.html'), 'utf8'),
  );
  return `${html.trimEnd()}\n<!--\n${notices}-->\n`;
}

/** The tokens of src/chart/theme.ts, as they stand there. */
async function themeOf() {
  const { code } = await bundle(join(root, 'src/chart/theme.ts'));
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** CSS without its comments and the blanks that mean nothing. */
function short(css) {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{},;]) ?/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}')
    .trim();
}
