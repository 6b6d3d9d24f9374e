import { wrongType } from '../errors.js';
import { escapeXml } from '../text/escape.js';
import { powerOfTen } from '../text/rounded.js';
import { reportDocument } from './content.js';
import { type Block, type Figure, type ReportStyle, requireStyle, type Table } from './document.js';
import { STYLE } from './html-style.js';
import type { Report } from './report-types.js';

interface ReportHtmlOptions extends ReportStyle {
  /** Drawings to show, such as `reportFigures` makes. */
  readonly figures?: readonly Figure[];
}

/**
 * A report as one HTML page that needs nothing else: no scripts, no requests, drawings inlined; for
 * screens of any width, light and dark, and for paper. Safe ends at a few digits; every bracket, rounded outwards, in
 * its appendix.
 *
 * @throws TypeError if `figures` is not an array; TypeError | RangeError naming the option that is wrong.
 * @example
 * reportHtml(report(run, { title: 'My run' })).slice(0, 15); // '<!doctype html>'
 */
export function reportHtml(report: Report, options: ReportHtmlOptions = {}): string {
  requireStyle('reportHtml', options, ['figures']);
  const figures = options.figures ?? [];
  if (!Array.isArray(figures)) throw wrongType('figures', 'an array', figures);
  const { title, headline, sections } = reportDocument(report, options);
  const [first, ...rest] = sections.map(({ heading, blocks }, i) => {
    const id = `section-${i + 1}`;
    const content = gathered(blocks, (block) => blockHtml(block, figures)).join('\n');
    // on paper questions stand side by side
    const kind = heading.startsWith('Appendix')
      ? ' class="appendix"'
      : heading.endsWith('?')
        ? ' class="half"'
        : '';
    return `<section${kind} aria-labelledby="${id}">\n<h2 id="${id}">${escapeXml(heading)}</h2>\n${content}\n</section>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeXml(title)}</title>
<style>
${STYLE}
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

/** Text with its powers of ten raised and the letters of the field in place of their names. */
function raised(text: string): string {
  return escapeXml(text)
    .replace(/\bmu\b/g, '<i>μ</i>')
    .replace(/&lt;= ?/g, '≤\u00a0')
    .replace(/\d[\d.]*e[+-]?\d+/g, (number) => {
      const power = powerOfTen(number);
      return power === undefined ? number : `${power.factor}10<sup>${power.exponent}</sup>`;
    });
}

/** Blocks as they are printed; narrow tables that follow each other stand side by side where there is room. */
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

function blockHtml(block: Block, figures: readonly Figure[]): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p>${escapeXml(block.text)}</p>`;
    case 'fields':
      return `<dl>\n${block.rows
        .map(([name, value]) => {
          return `<dt>${escapeXml(name)}</dt><dd>${escapeXml(value)}</dd>`;
        })
        .join('\n')}\n</dl>`;
    case 'table':
      return tableHtml(block);
    case 'figures':
      // the first stands beside the claim
      return figures.length < 2 ? '' : figuresHtml(figures);
  }
}

/** Tables of more than four columns stack their rows on narrow screens. */
function tableHtml({ caption, header, rows }: Table): string {
  const open = header.length > 4 ? '<table class="wide">' : '<table>';
  const head = header.map((name) => `<th scope="col">${escapeXml(name)}</th>`).join('');
  const body = rows.map(([first, ...cells]) => {
    const rest = cells.map(
      (cell, i) => `<td data-label="${escapeXml(header[i + 1])}">${escapeXml(cell)}</td>`,
    );
    return `<tr><th scope="row">${escapeXml(first)}</th>${rest.join('')}</tr>`;
  });
  return `${open}\n<caption>${escapeXml(caption)}</caption>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table>`;
}

function figuresHtml(figures: readonly Figure[]): string {
  return `<div class="figures">\n${figures.map(figureHtml).slice(1).join('\n')}\n</div>`;
}

function figureHtml({ title, description, svg }: Figure, i: number): string {
  return `<figure>\n${svg}<figcaption><b>Figure ${i + 1}. ${escapeXml(title)}.</b> ${escapeXml(description)}</figcaption>\n</figure>`;
}
