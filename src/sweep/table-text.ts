import type { SweepCell, SweepColumn, SweepRow } from './columns.js';

/** Text formats of a table: a header and comma-separated values, or one JSON object per line. */
export type TextFormat = 'csv' | 'jsonl';

/** Fields of CSV that are numbers if not quoted. */
export const NUMBER = /^-?(\d+\.?\d*(e[+-]?\d+)?|Infinity)$/;

/** The header of a file with its line break; '' if the format has none. */
export function headerText(format: TextFormat, columns: readonly SweepColumn[]): string {
  return format === 'csv' ? `${columns.map(({ name }) => csvCell(name)).join(',')}\n` : '';
}

/** A row as a line. Numbers are their shortest decimals that read back to the same bits. */
export function rowText(format: TextFormat, columns: readonly SweepColumn[], row: SweepRow): string {
  if (format === 'csv') return `${row.map((cell) => csvCell(cell)).join(',')}\n`;
  // JSON has no infinities: they are the strings "Infinity" and "-Infinity"
  const fields = columns.map(({ name }, i) => {
    const cell = row[i];
    return [name, typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : cell];
  });
  return `${JSON.stringify(Object.fromEntries(fields))}\n`;
}

/** The beginning of the line of a row whose first cells are `given`. */
export function startOfRow(
  format: TextFormat,
  columns: readonly SweepColumn[],
  given: readonly SweepCell[],
): string {
  const line = rowText(format, columns.slice(0, given.length), given);
  return `${line.slice(0, format === 'csv' ? -1 : -2)},`;
}

function csvCell(cell: SweepCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = guarded(cell);
  const quoted = text === '' || NUMBER.test(text) || /[",\r\n]/.test(text);
  return quoted ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A text as a field of CSV. An apostrophe is put before texts that a spreadsheet would take for a formula, and before texts that begin with such an
 * apostrophe. `unguarded` removes it.
 */
function guarded(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

export function unguarded(text: string): string {
  return /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}
