/** One cell: a number, a text, or nothing where the combination could not be answered. */
export type SweepCell = number | string | null;

/** One combination's cells, in the order of `sweepColumns`. */
export type SweepRow = readonly SweepCell[];

/** Name and type of a column of results. */
export interface SweepColumn {
  /** Heading, as in the tables written. */
  readonly name: string;
  /** What its cells hold. */
  readonly type: 'integer' | 'number' | 'text';
}

/** The columns of tables other than axes and brackets, with their types; no axis may have such a name. */
const FIXED: Readonly<Record<string, SweepColumn['type']>> = {
  index: 'integer',
  row_digest: 'integer',
  batch: 'integer',
  adjacency: 'text',
  solved: 'number',
  tolerance: 'number',
  version: 'text',
  grid: 'integer',
  grid_size: 'integer',
  method: 'text',
  alpha_min: 'number',
  error: 'text',
  check: 'integer',
};

/** The type of a column, by its name; undefined for the name of an axis. */
export function knownType(name: string): SweepColumn['type'] | undefined {
  if (/_(lower|upper)$/.test(name)) return 'number';
  return Object.hasOwn(FIXED, name) ? FIXED[name] : undefined;
}

/** Columns that are not axes, by name. */
export function known(...names: string[]): SweepColumn[] {
  return names.map((name) => ({ name, type: knownType(name)! }));
}

/** The index of a column; −1 if there is none. */
export function columnOf(columns: readonly SweepColumn[], name: string): number {
  return columns.findIndex((column) => column.name === name);
}
