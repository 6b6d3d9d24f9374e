import type { SweepColumn, SweepRow } from './rows.js';

/** A table to read: its columns, and its rows in the order of their index. */
export interface SweepTable {
  readonly name: string;
  readonly columns: readonly SweepColumn[];
  readonly rows: AsyncGenerator<SweepRow, void, undefined>;
  /** Lets go of the file; whoever opened the table calls it. */
  close(): Promise<void>;
}

/**
 * The rows of several shards' tables as one, in the order of the index. Reads one row of each at a time.
 * A row that is in several tables is given once.
 *
 * @throws RangeError if the tables differ in their columns, if one is not in order, or if two rows of an index differ.
 */
export async function* mergeTables(tables: readonly SweepTable[]): AsyncGenerator<SweepRow, void, undefined> {
  for (const { name, columns } of tables) requireSame(tables[0].name, tables[0].columns, name, columns);
  const heads = await Promise.all(
    tables.map(async (table) => ({ table, row: (await table.rows.next()).value as SweepRow | undefined })),
  );
  let last: SweepRow | undefined;
  for (;;) {
    const open = heads.filter(({ row }) => row !== undefined);
    if (open.length === 0) return;
    const head = open.reduce((a, b) => (indexOf(b.row!) < indexOf(a.row!) ? b : a));
    const row = head.row!;
    if (last === undefined || indexOf(row) !== indexOf(last)) {
      yield row;
      last = row;
    } else if (!sameRow(row, last)) {
      throw new RangeError(`${head.table.name}: row ${indexOf(row)} is not what another file says of it`);
    }
    head.row = (await head.table.rows.next()).value as SweepRow | undefined;
    if (head.row !== undefined && indexOf(head.row) <= indexOf(row)) {
      throw new RangeError(`${head.table.name}: row ${indexOf(head.row)} comes after row ${indexOf(row)}`);
    }
  }
}

function sameRow(a: SweepRow, b: SweepRow): boolean {
  return a.every((cell, i) => Object.is(cell, b[i]));
}

function indexOf(row: SweepRow): number {
  return row[0] as number;
}

function requireSame(
  first: string,
  wanted: readonly SweepColumn[],
  name: string,
  columns: readonly SweepColumn[],
): void {
  const described = (of: readonly SweepColumn[]) => of.map((column) => `${column.name} (${column.type})`);
  const [ours, theirs] = [described(wanted), described(columns)];
  const at = Math.max(ours.length, theirs.length);
  for (let i = 0; i < at; i++) {
    if (ours[i] !== theirs[i]) {
      throw new RangeError(
        `${name}: column ${i + 1} is ${theirs[i] ?? 'missing'}, but ${ours[i] ?? 'missing'} in ${first}`,
      );
    }
  }
}
