import { InputSyntaxError } from '../errors.js';
import { Crc32, crc32 } from '../numeric/crc32.js';
import type { SweepCell, SweepColumn, SweepRow } from './columns.js';
import { rowText } from './table-text.js';

/** The cell `check` of a row: the CRC-32 of the other cells, written as a line of JSON without its line break. */
export function checkOf(columns: readonly SweepColumn[], cells: readonly SweepCell[]): number {
  const line = rowText('jsonl', columns.slice(0, cells.length), cells);
  return crc32(new TextEncoder().encode(line.slice(0, -1)));
}

/** Digest of a table: the number of rows, and a CRC-32 of the columns' names and of the cells known before a row is answered. */
export class Seal {
  private readonly crc = new Crc32();
  private count = 0;

  /** @param width Number of cells of a row known before it is answered. */
  constructor(
    private readonly columns: readonly SweepColumn[],
    private readonly width: number,
  ) {
    this.crc.add(new TextEncoder().encode(columns.map(({ name }) => `${name}\n`).join('')));
  }

  add(row: SweepRow): void {
    const line = rowText('jsonl', this.columns.slice(0, this.width), row.slice(0, this.width));
    this.crc.add(new TextEncoder().encode(line));
    this.count++;
  }

  get text(): string {
    return `${this.count} ${this.crc.value.toString(16)}`;
  }
}

/** @throws SyntaxError unless a row is as it was written: its check agrees, and no lower end is above its upper end. */
export function requireIntact(columns: readonly SweepColumn[], row: SweepRow): void {
  const last = columns.length - 1;
  if (columns[last]?.name !== 'check') {
    throw new InputSyntaxError('its last column is not "check", as in every table of gdp sweep');
  }
  for (let i = 0; i < last; i++) {
    const { name } = columns[i];
    if (!name.endsWith('_lower')) continue;
    const [lower, upper] = [row[i], row[i + 1]];
    if (lower !== null && upper !== null && lower > upper) {
      throw new InputSyntaxError(`"${name}" is ${lower}, above "${columns[i + 1].name}", which is ${upper}`);
    }
  }
  if (row[last] !== checkOf(columns, row.slice(0, last))) {
    throw new InputSyntaxError('its cells do not match its check: it was damaged or edited');
  }
}
