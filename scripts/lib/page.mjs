// The page as one file: the script and its workers, the style, the font, under a policy that allows no network.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import subsetFont from 'subset-font';
import { root } from './setup.mjs';
import { noticeOf, packageOf } from './third-party.mjs';

const FONT = '@fontsource-variable/inter';
/** What the page and the report can show in the font; anything else falls back to the reader's own. */
const LATIN = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');
const SIGNS = '\u00a0·×÷±–—‘’“”…−↑§é';
const GREEK = 'αβγδεζηθλμνπρστφΦΔ';

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
        variationAxes: { wght: { min: 400, max: 700 } },
      });
      const range = [...new Set(text)].map((c) => `U+${c.codePointAt(0).toString(16)}`).join(',');
      return `@font-face{font-family:Inter;font-weight:400 700;src:url(data:font/woff2;base64,${small.toString('base64')}) format("woff2");unicode-range:${range}}`;
    }),
  );
  return faces.join('\n');
}

/** The bundle of src/page/main.ts: a classic script, as its own text is what its workers run. */
async function bundle() {
  const build = await rolldown({
    input: join(root, 'src/page/main.ts'),
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    logLevel: 'warn',
  });
  const { output } = await build.generate({ format: 'iife', minify: true, comments: false });
  await build.close();
  if (output.length !== 1) throw new Error(`the page is ${output.length} chunks, expected one`);
  return output[0];
}

/** @returns {Promise<string>} the text of page.html. */
export async function pageHtml() {
  const { code, moduleIds } = await bundle();
  const script = code.trim().replaceAll('</script', '<\\/script');
  const { CHART_STYLE, DARK, LIGHT, declarations } = await themeOf();
  const style = [
    await fontFaces(),
    `:root{${declarations({ ...LIGHT, bg: '#fbfbfa' })}}`,
    `:root[data-theme="dark"]{${declarations(DARK)}}`,
    CHART_STYLE,
    short(readFileSync(join(root, 'src/page/page.css'), 'utf8')),
  ].join('\n');
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash}' 'wasm-unsafe-eval' blob:`,
    'worker-src blob:',
    "style-src 'unsafe-inline'",
    'font-src data:',
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const libraries = [
    ...moduleIds.map(packageOf),
    packageOf(createRequire(import.meta.url).resolve(`${FONT}/package.json`)),
  ];
  const named = new Map(libraries.filter(Boolean).map((library) => [library.name, library]));
  const notices = [...named.values()].map(noticeOf).join('\n').replaceAll('--', '- -');
  const html = [
    ['Content-Security-Policy" content=""', `Content-Security-Policy" content="${policy}"`],
    ['<style></style>', `<style>${style}</style>`],
    ['<script></script>', `<script>${script}</script>`],
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
  const build = await rolldown({ input: join(root, 'src/chart/theme.ts'), logLevel: 'warn' });
  const { output } = await build.generate({ format: 'es' });
  await build.close();
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

/** CSS without its comments and indentation. */
function short(css) {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}
