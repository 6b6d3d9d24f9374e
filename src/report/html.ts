import { requireList, wrongType } from '../errors.js';
import { escapeXml } from '../text/escape.js';
import { aroundPowers, powerOfTen } from '../text/rounded.js';
import { reportDocument } from './content.js';
import { type Block, type Figure, type ReportStyle, requireStyle, type Table } from './document.js';
import { STYLE } from './html-style.js';
import type { Report } from './report-types.js';

interface ReportHtmlOptions extends ReportStyle {
  /** Drawings to show, such as `reportFigures` makes. */
  readonly figures?: readonly Figure[];
  /** CSS rules of the page's font, whose addresses are all of the scheme data: `@font-face{font-family:Inter;…}`. */
  readonly fontFaces?: string | undefined;
}

/**
 * A report as one HTML page that needs nothing else: no scripts, no requests, drawings inlined; for
 * screens of any width, light and dark, and for paper. It states the ends that are safe to publish, at a few digits, and
 * every bracket, rounded outwards, in its appendix.
 *
 * Without `fontFaces` the page is set in Inter where the reader has it, and else in the reader's own sans-serif.
 *
 * @throws TypeError if `figures` is not an array, or `fontFaces` is anything but such rules; TypeError | RangeError naming the option that is wrong.
 * @example
 * reportHtml(report(run, { title: 'My run' })).slice(0, 15); // '<!doctype html>'
 */
export function reportHtml(report: Report, options: ReportHtmlOptions = {}): string {
  requireStyle('reportHtml', options, ['figures', 'fontFaces']);
  const { figures = [], fontFaces } = options;
  if (fontFaces !== undefined && !isFontFaces(fontFaces))
    throw wrongType('fontFaces', '@font-face rules whose addresses are data', fontFaces);
  requireList('figures', figures, 'figures');
  const { title, headline, sections } = reportDocument(report, options);
  const [first, ...rest] = sections.map(({ heading, blocks }, i) => {
    const id = `section-${i + 1}`;
    const isAppendix = heading.startsWith('Appendix');
    const content = gathered(blocks, (block) => blockHtml(block, figures, isAppendix ? 3 : 4)).join('\n');
    // in print, the sections whose headings are questions stand side by side
    const kind = isAppendix
      ? 'appendix'
      : heading === SECOND
        ? 'second'
        : heading.endsWith('?')
          ? 'half'
          : '';
    return `<section class="${kind}" aria-labelledby="${id}">\n<h2 id="${id}">${escapeXml(heading)}</h2>\n${content}\n</section>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'${fontFaces === undefined ? '' : '; font-src data:'}">
<title>${escapeXml(title)}</title>
<style>
${fontFaces === undefined ? '' : `${fontFaces}\n`}${STYLE}
</style>
</head>
<body>
<main>
<div class="${figures.length > 0 ? 'head' : ''}">
<div>
<p class="over">${escapeXml(title)}</p>
<h1>${raised(headline.claim)}</h1>
<p class="under">${raised(headline.under)}</p>
${first}
</div>
${figures.slice(0, 1).map(figureHtml).join('')}
</div>
${rest.join('\n')}
<footer>Made by gdp-kernel ${escapeXml(report.version)}. This page is complete in itself: it loads nothing and runs no scripts.</footer>
</main>
</body>
</html>
`;
}

/** Whether the text has only @font-face rules, without markup and without any address that a browser would fetch. */
function isFontFaces(text: unknown): boolean {
  return (
    typeof text === 'string' &&
    /^(?:\s*@font-face\{[^{}<]*\})*\s*$/.test(text) &&
    // a CSS escape could spell the word url
    !/\\|url\((?!data:font\/)/i.test(text)
  );
}

/** In print, this section begins the second sheet. */
const SECOND = 'What would change the numbers';

const LETTERS: Readonly<Record<string, string>> = { mu: 'μ', epsilon: 'ε', delta: 'δ', alpha: 'α' };

/** The text with powers of ten as superscripts, and Greek letters in place of their names. */
function raised(text: string): string {
  const typed = escapeXml(text)
    .replace(/\b(?:mu|epsilon|delta|alpha)\b(?!\.\w)/g, (name) => `<i>${LETTERS[name]}</i>`)
    .replace(/(\S) &lt;= /g, '$1\u00a0≤\u00a0')
    .replace(/&lt;= ?/g, '≤\u00a0')
    .replace(/&gt;= ?/g, '≥\u00a0');
  return aroundPowers(typed)
    .map((number, i) => {
      const power = i % 2 === 1 ? powerOfTen(number) : undefined;
      const [mantissa] = number.split('e');
      const factor = mantissa === '1' ? '' : `${mantissa} × `;
      return power === undefined ? number : `${factor}10<sup>${power.exponent}</sup>`;
    })
    .join('');
}

/** Printed blocks; narrow tables in sequence are placed side by side where there is room. */
function gathered(blocks: readonly Block[], print: (block: Block) => string): string[] {
  const parts: string[] = [];
  let open = false;
  blocks.forEach((block, i) => {
    const isNarrow = (each: Block | undefined): boolean => each?.kind === 'table' && each.header.length === 2;
    const begins = isNarrow(block) && !open && isNarrow(blocks[i + 1]);
    const ends = (open || begins) && !isNarrow(blocks[i + 1]);
    parts.push(`${begins ? '<div class="tables">\n' : ''}${print(block)}${ends ? '\n</div>' : ''}`);
    open = (open || begins) && !ends;
  });
  return parts;
}

function blockHtml(block: Block, figures: readonly Figure[], columns: number): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p>${raised(block.text)}</p>`;
    case 'fields':
      return `<dl>\n${block.rows
        .map(([name, value]) => {
          return `<dt>${raised(name)}</dt><dd>${raised(value)}</dd>`;
        })
        .join('\n')}\n</dl>`;
    case 'table':
      return tableHtml(block, columns);
    case 'figures':
      // the first figure is placed beside the claim
      return figures.length < 2
        ? ''
        : `<div class="figures">\n${figures.map(figureHtml).slice(1).join('\n')}\n</div>`;
  }
}

/** A table of more than `columns` columns is set in small type, and its rows are stacked on narrow screens. */
function tableHtml({ caption, header, rows, dots }: Table, columns: number): string {
  const open = header.length > columns ? '<table class="wide">' : '<table>';
  const [first, ...others] = header.map((name) => `<th scope="col">${raised(name)}</th>`);
  const way = (inner: string): string => `<td class="way" aria-hidden="true">${inner}</td>`;
  const most = Math.max(...(dots ?? []).filter(Number.isFinite), Number.MIN_VALUE);
  const body = rows.map(([name, ...cells], i) => {
    const dot = dots === undefined ? '' : way(dotHtml(dots[i] / most));
    const rest = cells.map((cell, j) => `<td data-label="${escapeXml(header[j + 1])}">${raised(cell)}</td>`);
    return `<tr><th scope="row">${raised(name)}</th>${dot}${rest.join('')}</tr>`;
  });
  const head = `${first}${dots === undefined ? '' : way('')}${others.join('')}`;
  return `${open}\n<caption>${raised(caption)}</caption>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table>`;
}

/** A dot at a share of the axis, which ends at the largest number; none for ∞. */
function dotHtml(share: number): string {
  if (!Number.isFinite(share)) return '';
  return `<i style="left:calc((100% - 1.2rem)*${Math.min(1, share).toFixed(3)})"></i>`;
}

function figureHtml({ title, description, svg }: Figure, i: number): string {
  return `<figure>\n${svg}<figcaption><b>Figure ${i + 1}. ${escapeXml(title)}.</b> ${escapeXml(description)}</figcaption>\n</figure>`;
}
