import { InputSyntaxError, quotable } from '../errors.js';
import { knownType, type SweepCell, type SweepColumn, type SweepRow } from './columns.js';
import { requireIntact } from './intact.js';
import { NUMBER, type TextFormat, unguarded } from './table-text.js';

/** Reads the lines of a text table. The columns follow from the first line of JSON, or from the header and first row of CSV. */
export class TableReader {
  private names: readonly string[] | undefined;
  private known: readonly SweepColumn[] | undefined;

  constructor(readonly format: TextFormat) {}

  /** The columns; empty before the first line. After a header alone, the type of an axis is not known and stated as text. */
  get columns(): readonly SweepColumn[] {
    return this.known ?? (this.names ?? []).map((name) => ({ name, type: knownType(name) ?? 'text' }));
  }

  /**
   * The row a line holds; undefined for a header.
   *
   * @throws SyntaxError for a line that is no row of such a table, or not as it was written.
   */
  row(line: string): SweepRow | undefined {
    if (this.format === 'jsonl') return this.jsonRow(line);
    // lines may end in CR LF, and the last cell is never text
    const cells = csvFields(line.replace(/\r$/, '')).map(cellIn);
    if (this.names === undefined) {
      this.names = cells.map((cell) => String(cell ?? ''));
      return undefined;
    }
    return this.typed(this.names, cells);
  }

  private jsonRow(line: string): SweepRow {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new InputSyntaxError('it is not valid JSON');
    }
    if (typeof value !== 'object' || value === null) throw new InputSyntaxError('it is no JSON object');
    return this.typed(Object.keys(value), Object.values(value));
  }

  private typed(names: readonly string[], cells: readonly unknown[]): SweepRow {
    this.known ??= names.map((name, i) => ({
      name,
      type: knownType(name) ?? (typeof cells[i] === 'number' ? 'number' : 'text'),
    }));
    const columns = this.known;
    if (names[0] !== 'index') throw new InputSyntaxError('the first column is not "index"');
    if (names.length !== columns.length || cells.length !== columns.length) {
      throw new InputSyntaxError(`it has ${cells.length} cells instead of ${columns.length}`);
    }
    const row = cells.map((cell, i) => {
      if (names[i] !== columns[i].name) {
        throw new InputSyntaxError(`"${quotable(names[i])}" is where "${quotable(columns[i].name)}" belongs`);
      }
      return cellOf(columns[i], cell);
    });
    requireIntact(columns, row);
    return row;
  }
}

/**
 * A cell with the type of its column.
 * @throws SyntaxError if its value has another type.
 */
function cellOf({ name, type }: SweepColumn, cell: unknown): SweepCell {
  if (cell === null || cell === undefined) {
    if (name !== 'index') return null;
  } else if (type === 'text') {
    if (typeof cell === 'string') return cell;
  } else {
    const infinite = cell === 'Infinity' || cell === '-Infinity';
    const x = typeof cell === 'number' || infinite ? Number(cell) : Number.NaN;
    if (type === 'integer' ? Number.isSafeInteger(x) : !Number.isNaN(x)) return x;
  }
  const expected = { integer: 'a whole number', number: 'a number', text: 'a text' }[type];
  throw new InputSyntaxError(`"${quotable(name)}" is not ${expected}: "${quotable(String(cell))}"`);
}

/** A field of CSV, and whether it was quoted. */
export interface CsvField {
  readonly text: string;
  readonly quoted: boolean;
}

/** The value in a field of a table that `rowText` wrote: null if it is empty; numbers are not quoted. */
function cellIn({ text, quoted }: CsvField): SweepCell {
  if (!quoted && text === '') return null;
  return !quoted && NUMBER.test(text) ? Number(text) : unguarded(text);
}

/** The fields of one record of CSV (RFC 4180). @throws SyntaxError for a stray quotation mark. */
export function csvFields(line: string): CsvField[] {
  const fields: CsvField[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const match = pattern.exec(line);
    if (match === null) throw new InputSyntaxError('it has a stray quotation mark');
    const [, quoted, plain, end] = match;
    if (quoted !== undefined) fields.push({ text: quoted.replaceAll('""', '"'), quoted: true });
    else fields.push({ text: plain, quoted: false });
    if (end === '') return fields;
  }
}
