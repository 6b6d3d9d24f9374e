import { account } from '../account/account.js';
import type { Engine } from '../engine.js';
import { measure } from '../measure/measure.js';
import type { Bracket } from '../numeric/bracket.js';
import { VERSION } from '../version.js';
import { mechanismAt, RESERVED, type SweepGrid, valuesAt } from './grid.js';

/** One cell: a number, a text, or nothing where the combination could not be answered. */
export type SweepCell = number | string | null;

/** One combination's cells, in the order of `sweepColumns`. */
export type SweepRow = readonly SweepCell[];

export interface SweepColumn {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'text';
}

/**
 * The columns of a grid's results: index, one per axis, what was assumed, then lower and upper of ε at each δ, of δ and
 * log δ at each ε, of μ and of regret, and `error`: why a combination could not be answered.
 */
export function sweepColumns(grid: SweepGrid): SweepColumn[] {
  const pair = (name: string) => [number(`${name}_lower`), number(`${name}_upper`)];
  return [
    { name: 'index', type: 'integer' },
    ...grid.axes.map(({ name, numeric }) => (numeric ? number(name) : text(name))),
    text('adjacency'),
    number('tolerance'),
    text('version'),
    text('method'),
    ...grid.delta.flatMap((delta) => pair(`epsilon_at_${delta.toExponential()}`)),
    ...grid.epsilon.flatMap((epsilon) => [
      ...pair(`delta_at_${epsilon}`),
      ...pair(`log_delta_at_${epsilon}`),
    ]),
    ...(grid.measure ? [number('alpha_min'), ...pair('mu'), ...pair('regret')] : []),
    text('error'),
  ];
}

function number(name: string): SweepColumn {
  return { name, type: 'number' };
}

function text(name: string): SweepColumn {
  return { name, type: 'text' };
}

/** The type of a column by its name alone; undefined for an axis. */
export function knownType(name: string): SweepColumn['type'] | undefined {
  if (name === 'index') return 'integer';
  if (name === 'tolerance' || name === 'alpha_min' || /_(lower|upper)$/.test(name)) return 'number';
  return RESERVED.includes(name) ? 'text' : undefined;
}

/** The cells of combination `index` that are known before it is answered: up to `version`. */
export function givenCells(grid: SweepGrid, index: number): SweepCell[] {
  const axes = valuesAt(grid, index).map((value, i) =>
    grid.axes[i].numeric ? (value as number) : textOf(value),
  );
  return [index, ...axes, grid.adjacency, grid.tolerance, VERSION];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Answers one combination. The row depends on the grid and the engine alone: not on other rows, nor on who answers it.
 * What the library refuses (a σ out of range, no theorem for the adjacency) is told in `error`.
 */
export function answerRow(engine: Engine, grid: SweepGrid, index: number): SweepRow {
  const given = givenCells(grid, index);
  const blanks = sweepColumns(grid).length - given.length - 1;
  try {
    return [...given, ...answers(engine, grid, index), null];
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return [...given, ...new Array<null>(blanks).fill(null), error.message.replace(/\s+/g, ' ')];
  }
}

function answers(engine: Engine, grid: SweepGrid, index: number): SweepCell[] {
  const { adjacency, tolerance, maxGridLength, method } = grid;
  const run = account(engine, mechanismAt(grid, index), { adjacency, tolerance, maxGridLength, method });
  const cells: SweepCell[] = [run.method];
  // adding 0 turns -0 to 0, which no text tells apart
  const add = ({ lower, upper }: Bracket) => cells.push(lower + 0, upper + 0);
  for (const delta of grid.delta) add(run.epsilon(delta));
  for (const epsilon of grid.epsilon) {
    add(run.delta(epsilon));
    add(run.logDelta(epsilon));
  }
  if (grid.measure) {
    const { mu, regret } = measure(run, { alphaMin: grid.alphaMin });
    cells.push(grid.alphaMin);
    add(mu);
    add(regret);
  }
  return cells;
}
