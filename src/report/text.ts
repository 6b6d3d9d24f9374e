import { reportDocument } from './content.js';
import { type Block, type Fields, type ReportStyle, requireStyle, type Table } from './document.js';
import type { Report } from './report-types.js';

/** Greatest number of characters in a line. */
const WIDTH = 78;
/** Width of the column of names, in characters. */
const NAME_WIDTH = 22;

/**
 * A report as plain text, at most 80 columns wide, for a terminal or a paper's appendix. It states the ends that are safe to
 * publish, at a few digits, and every bracket, rounded outwards, in its appendix.
 *
 * @param style Digits, and both ends instead of the safe one.
 * @throws TypeError if `report` is not a result of `report`; TypeError | RangeError naming the option that is wrong.
 * @example
 * formatReport(report(run, { title: 'My run' })).split('\n')[0]; // 'My run'
 */
export function formatReport(report: Report, style: ReportStyle = {}): string {
  const { title, headline, sections } = reportDocument(report, requireStyle('formatReport', style));
  const heading = wrap(plain(title), WIDTH);
  const parts = [[...heading, '='.repeat(Math.max(...heading.map((line) => line.length)))]];
  parts.push([headline.claim, ...wrap(headline.under, WIDTH)]);
  for (const section of sections) {
    const blocks = section.blocks.map(linesOf).filter((lines) => lines.length > 0);
    parts.push([
      section.heading,
      '-'.repeat(section.heading.length),
      ...blocks.flatMap((lines, i) => (i === 0 ? lines : ['', ...lines])),
    ]);
  }
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function linesOf(block: Block): string[] {
  switch (block.kind) {
    case 'paragraph':
      return wrap(plain(block.text), WIDTH);
    case 'fields':
      return fieldLines(block);
    case 'table':
      return tableLines(block);
    case 'figures':
      return [];
  }
}

/** A name in its column, then its text, wrapped and indented. A name wider than the column has a line of its own. */
function fieldLines({ rows }: Fields): string[] {
  return rows.flatMap(([name, value]) => {
    const lines = wrap(plain(value), WIDTH - NAME_WIDTH);
    const indented = lines.map((line) => ' '.repeat(NAME_WIDTH) + line);
    const names = wrap(plain(name), WIDTH);
    if (names[0].length >= NAME_WIDTH) return [...names, ...indented];
    return [names[0].padEnd(NAME_WIDTH) + lines[0], ...indented.slice(1)];
  });
}

/** The table in columns if it fits, else a block of lines for each row. */
function tableLines({ caption, header, rows: cells }: Table): string[] {
  const rows = cells.map((row) => row.map(plain));
  const widths = header.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i].length)));
  const total = widths.reduce((sum, width) => sum + width + 3, 2);
  if (total > WIDTH + 3) {
    const names = Math.max(24, ...header.map((name) => name.length + 2));
    const blocks = rows.map(([first, ...cells]) => [
      ...wrap(first, WIDTH - 2).map((line) => `  ${line}`),
      ...cells.flatMap((cell, i) =>
        wrap(cell, WIDTH - 4 - names).map(
          (line, at) => `    ${(at > 0 ? '' : header[i + 1]).padEnd(names)}${line}`,
        ),
      ),
    ]);
    return [caption, ...blocks.flat()];
  }
  const lines = [header, ...rows].map((row) =>
    `  ${row.map((cell, i) => cell.padEnd(widths[i])).join('   ')}`.trimEnd(),
  );
  return [caption, ...lines];
}

/** The text on one line, without control characters that move the cursor or change colours. */
function plain(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ (?!%)/).flatMap((each) => chunks(each, width))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** A word cut into pieces that fit a line. */
function chunks(word: string, width: number): string[] {
  return word.length <= width ? [word] : (word.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? []);
}
