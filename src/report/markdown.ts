import { escapeMarkdown } from '../text/escape.js';
import { reportDocument } from './content.js';
import { type Block, type ReportStyle, requireStyle } from './document.js';
import type { Report } from './report-types.js';

/**
 * A report as GitHub-flavoured Markdown, for a model card or a README. Safe ends at a few digits, and every
 * bracket, rounded outwards, in its appendix.
 *
 * @param style Digits, and both ends instead of the safe one.
 * @throws TypeError if `report` is not a result of `report`; TypeError | RangeError naming the option that is wrong.
 * @example
 * reportMarkdown(report(run)).split('\n')[0]; // '# (7.43, 1e-5)-differentially private'
 */
export function reportMarkdown(report: Report, style: ReportStyle = {}): string {
  const { title, headline, sections } = reportDocument(report, requireStyle('reportMarkdown', style));
  const parts = [
    `# ${escapeMarkdown(headline.claim)}`,
    escapeMarkdown(headline.under),
    escapeMarkdown(title),
  ];
  for (const { heading, blocks } of sections) {
    parts.push(`## ${escapeMarkdown(heading)}`, ...blocks.map(textOf).filter((text) => text !== ''));
  }
  return `${parts.join('\n\n')}\n`;
}

function textOf(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return escapeMarkdown(block.text);
    case 'fields':
      return tableText(
        ['', ''],
        block.rows.map(([name, value]) => [`**${escapeMarkdown(name)}**`, escapeMarkdown(value)]),
      );
    case 'table':
      return `**${escapeMarkdown(block.caption)}**\n\n${tableText(
        block.header.map(escapeMarkdown),
        block.rows.map((row) => row.map(escapeMarkdown)),
      )}`;
    case 'figures':
      return '';
  }
}

function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
