import { escapeMarkdown } from '../text/escape.js';
import { reportDocument } from './content.js';
import { type Block, type ReportStyle, requireStyle } from './document.js';
import type { Report } from './report-types.js';

/**
 * A report as GitHub-flavoured Markdown, for a model card or a README. It states the ends that are safe to publish, at a few
 * digits, and every bracket, rounded outwards, in its appendix.
 *
 * @param style Digits, and both ends instead of the safe one.
 * @throws TypeError if `report` is not a result of `report`; TypeError | RangeError naming the option that is wrong.
 * @example
 * reportMarkdown(report(run)).split('\n')[0]; // '# (7.43, 1e-5)-differentially private'
 */
export function reportMarkdown(report: Report, style: ReportStyle = {}): string {
  const { title, headline, sections } = reportDocument(report, requireStyle('reportMarkdown', style));
  const parts = [`# ${written(headline.claim)}`, written(headline.under), written(title)];
  for (const { heading, blocks } of sections) {
    parts.push(`## ${written(heading)}`, ...blocks.map(textOf).filter((text) => text !== ''));
  }
  return `${parts.join('\n\n')}\n`;
}

function textOf(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return written(block.text);
    case 'fields':
      return tableText(
        ['', ''],
        block.rows.map(([name, value]) => [`**${written(name)}**`, written(value)]),
      );
    case 'table':
      return `**${written(block.caption)}**\n\n${tableText(
        block.header.map(written),
        block.rows.map((row) => row.map(written)),
      )}`;
    case 'figures':
      return '';
  }
}

function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text as Markdown shows it, with the signs of the field where a terminal has two letters. */
function written(text: string): string {
  return escapeMarkdown(text.replaceAll('<=', '≤').replaceAll('>=', '≥'));
}
