import { knownType, type SweepCell, type SweepColumn, type SweepRow } from './rows.js';

/** Text formats of a table: a header and comma-separated values, or one JSON object per line. */
export type TextFormat = 'csv' | 'jsonl';

/** The first line of a file, '' where the format has none; lines end in '\n'. */
export function headerText(format: TextFormat, columns: readonly SweepColumn[]): string {
  return format === 'csv' ? `${columns.map(({ name }) => csvCell(name)).join(',')}\n` : '';
}

/** A row as a line. Numbers are their shortest decimals that read back to the same bits. */
export function rowText(format: TextFormat, columns: readonly SweepColumn[], row: SweepRow): string {
  if (format === 'csv') return `${row.map((cell) => csvCell(cell)).join(',')}\n`;
  const fields = columns.map(({ name }, i) => [name, jsonCell(row[i])]);
  return `${JSON.stringify(Object.fromEntries(fields))}\n`;
}

function csvCell(cell: SweepCell): string {
  if (cell === null) return '';
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** JSON has no infinities: they are the strings "Infinity" and "-Infinity", as everywhere. */
function jsonCell(cell: SweepCell): SweepCell {
  return typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : cell;
}

/** Reads the lines of a text table, whose columns its first line tells. */
export class TableReader {
  columns: readonly SweepColumn[] | undefined;
  private names: readonly string[] | undefined;

  constructor(private readonly format: TextFormat) {}

  /**
   * The row a line holds; undefined for a header.
   *
   * @throws SyntaxError for a line that is no row of such a table.
   */
  row(line: string): SweepRow | undefined {
    if (this.format === 'jsonl') return this.jsonRow(line);
    const cells = csvCells(line);
    if (this.names === undefined) {
      this.names = cells.map((cell) => cell ?? '');
      return undefined;
    }
    return this.typed(this.names, cells);
  }

  private jsonRow(line: string): SweepRow {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) throw new SyntaxError('a line is no JSON object');
    return this.typed(Object.keys(value), Object.values(value));
  }

  private typed(names: readonly string[], cells: readonly unknown[]): SweepRow {
    this.columns ??= names.map((name, i) => ({ name, type: knownType(name) ?? typeOf(cells[i]) }));
    const { columns } = this;
    if (names[0] !== 'index' || cells[0] === null) throw new SyntaxError('the first column is not "index"');
    if (names.length !== columns.length || cells.length !== columns.length) {
      throw new SyntaxError(`a line has ${cells.length} cells instead of ${columns.length}`);
    }
    return cells.map((cell, i) => {
      const { name, type } = columns[i];
      if (names[i] !== name) throw new SyntaxError(`"${names[i]}" is where "${name}" belongs`);
      if (cell === null) return null;
      if (type === 'text' && typeof cell === 'string') return cell;
      const x = type === 'text' ? Number.NaN : numberOf(cell);
      if (Number.isNaN(x)) throw new SyntaxError(`"${name}" is not a ${type}: ${JSON.stringify(cell)}`);
      return x;
    });
  }
}

function typeOf(cell: unknown): SweepColumn['type'] {
  return Number.isNaN(numberOf(cell)) ? 'text' : 'number';
}

function numberOf(cell: unknown): number {
  if (typeof cell === 'number') return cell;
  if (typeof cell !== 'string' || !/^-?(\d+\.?\d*(e[+-]?\d+)?|Infinity)$/.test(cell)) return Number.NaN;
  return Number(cell);
}

/** The cells of one line of CSV (RFC 4180, no line breaks within cells); null for an empty one. */
function csvCells(line: string): (string | null)[] {
  const cells: (string | null)[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const match = pattern.exec(line);
    if (match === null) throw new SyntaxError('a line has a stray quotation mark');
    const [, quoted, plain, end] = match;
    cells.push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain === '' ? null : plain!);
    if (end === '') return cells;
  }
}
