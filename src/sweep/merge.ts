import { InputRangeError } from '../errors.js';
import { columnOf, knownType, type SweepColumn, type SweepRow } from './columns.js';
import { Coverage } from './coverage.js';

/** A table to read: its columns, and its rows in the order of their index. */
export interface SweepTable {
  readonly name: string;
  /** None where the file is empty; of a CSV file without rows the names are known, but not the axes' types. */
  readonly columns: readonly SweepColumn[];
  readonly rows: AsyncGenerator<SweepRow, void, undefined>;
  /** Lets go of the file; whoever opened the table calls it. */
  close(): Promise<void>;
}

/**
 * The rows of several shards' tables as one, in the order of the index. Reads one row of each at a time.
 * A row that is in several tables is given once. Returns which rows of the grid were found; nothing if there are none.
 *
 * @throws RangeError if the tables differ in their columns or their grid, if one is not in order, or if two rows of an
 * index differ.
 */
export async function* mergeTables(
  tables: readonly SweepTable[],
): AsyncGenerator<SweepRow, Coverage | undefined, undefined> {
  const all = await Promise.all(tables.map(async (table) => ({ table, row: await next(table) })));
  const heads = all.filter(({ row }) => row !== undefined);
  if (heads.length === 0) return undefined;
  const [first] = heads;
  const { columns } = first.table;
  for (const { table } of heads) requireSame(first.table.name, columns, table.name, table.columns);
  const grid = [columnOf(columns, 'grid'), columnOf(columns, 'grid_size')];
  const wanted = grid.map((i) => first.row![i]);
  const coverage = new Coverage(Number(wanted[1]));
  let last: { readonly row: SweepRow; readonly table: SweepTable } | undefined;
  for (;;) {
    const open = heads.filter(({ row }) => row !== undefined);
    if (open.length === 0) break;
    const head = open.reduce((a, b) => (indexOf(b.row!) < indexOf(a.row!) ? b : a));
    const { table, row } = head as { table: SweepTable; row: SweepRow };
    const index = indexOf(row);
    if (grid.some((i, k) => row[i] !== wanted[k])) {
      throw new InputRangeError(`${table.name}: row ${index} is of another grid than ${first.table.name}`);
    }
    if (!(index >= 0 && index < coverage.size)) {
      throw new InputRangeError(`${table.name}: row ${index} is none of a grid of ${coverage.size}`);
    }
    const again = last !== undefined && index === indexOf(last.row);
    if (again && !row.every((cell, i) => Object.is(cell, last!.row[i]))) {
      throw new InputRangeError(`${table.name}: row ${index} is not what another file says of it`);
    }
    coverage.take(index, table, again ? last!.table : undefined);
    if (!again) {
      last = { row, table };
      yield row;
    }
    head.row = await next(table);
    if (head.row !== undefined && indexOf(head.row) <= index) {
      throw new InputRangeError(`${table.name}: row ${indexOf(head.row)} comes after row ${index}`);
    }
  }
  coverage.end();
  return coverage;
}

async function next({ rows }: SweepTable): Promise<SweepRow | undefined> {
  const { done, value } = await rows.next();
  return done ? undefined : value;
}

function indexOf(row: SweepRow): number {
  return row[0] as number;
}

/** Columns must agree in name and in being text; whether a number is whole is not known of every format. */
function requireSame(
  first: string,
  wanted: readonly SweepColumn[],
  name: string,
  columns: readonly SweepColumn[],
): void {
  const described = (of: readonly SweepColumn[]) =>
    of.map((column) => `${column.name} (${column.type === 'text' ? 'text' : 'number'})`);
  const [ours, theirs] = [described(wanted), described(columns)];
  const i = [...ours, ...theirs].findIndex((_, at) => ours[at] !== theirs[at]);
  if (i >= 0)
    throw new InputRangeError(
      `${name}: column ${i + 1} is ${theirs[i] ?? 'missing'}, but ${ours[i] ?? 'missing'} in ${first}`,
    );
}

/** The columns of merged tables, with those of whole numbers alone known as such: reads every row. */
export async function columnsOfAll(tables: readonly SweepTable[]): Promise<SweepColumn[]> {
  const columns = tables.find((table) => table.columns.length > 0)?.columns ?? [];
  const whole = columns.map(() => true);
  for await (const row of mergeTables(tables)) {
    row.forEach((cell, i) => {
      whole[i] &&= Number.isSafeInteger(cell);
    });
  }
  return columns.map(({ name, type }, i) => {
    const axis = type === 'number' && knownType(name) === undefined;
    return { name, type: axis && whole[i] ? 'integer' : type };
  });
}
