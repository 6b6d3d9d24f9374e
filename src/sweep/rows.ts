import { account } from '../account/account.js';
import type { Engine } from '../engine.js';
import { isInputError } from '../errors.js';
import { measure } from '../measure/measure.js';
import type { Bracket } from '../numeric/bracket.js';
import { VERSION } from '../version.js';
import { columnOf, known, type SweepCell, type SweepColumn, type SweepRow } from './columns.js';
import { mechanismAt, requireGrid, type SweepGrid, sizeOf, valuesAt } from './grid.js';
import { checkOf } from './intact.js';

/**
 * The columns of a grid's results. First come index, one column per axis, what was assumed, and the grid's digest and size. Then
 * come lower and upper ends of ε at each δ, of δ and log δ at each ε, of μ and of regret. `error` says why a combination could
 * not be answered. `check` is a digest of the row: the CRC-32 of its line of JSON without this cell.
 *
 * @throws TypeError if `grid` is not what `parseSweepGrid` makes.
 * @example
 * sweepColumns(parseSweepGrid({ over: { noiseMultiplier: [1], samplingRate: [0.01], steps: [100] } }))[0].name; // 'index'
 */
export function sweepColumns(grid: SweepGrid): SweepColumn[] {
  requireGrid(grid);
  const pair = (name: string) => [`${name}_lower`, `${name}_upper`];
  return [
    ...known('index'),
    ...grid.axes.map(({ name, type }) => ({ name, type })),
    ...known('adjacency', 'tolerance', 'version', 'grid', 'grid_size', 'method'),
    ...known(...grid.delta.flatMap((delta) => pair(`epsilon_at_${delta.toExponential()}`))),
    ...known(...grid.epsilon.flatMap((x) => [...pair(`delta_at_${x}`), ...pair(`log_delta_at_${x}`)])),
    ...(grid.measure ? known('alpha_min', ...pair('mu'), ...pair('regret')) : []),
    ...known('error', 'check'),
  ];
}

/** The cells of a combination that are known before it is answered, up to `grid_size`. */
export function givenCells(grid: SweepGrid, index: number): SweepCell[] {
  const axes = valuesAt(grid, index).map((value, i) =>
    grid.axes[i].type === 'text' && typeof value !== 'string' ? JSON.stringify(value) : (value as SweepCell),
  );
  return [index, ...axes, grid.adjacency, grid.tolerance, VERSION, grid.digest, sizeOf(grid)];
}

/**
 * Answers one combination. The row depends on the grid and the engine alone: not on other rows, nor on the worker. If the
 * library refuses the combination (a σ out of range, no theorem for the adjacency), `error` has the reason.
 */
export function answerRow(engine: Engine, grid: SweepGrid, index: number): SweepRow {
  const columns = sweepColumns(grid);
  const cells = givenCells(grid, index);
  try {
    cells.push(...answers(engine, grid, index), null);
  } catch (error) {
    if (!isInputError(error)) throw error;
    while (cells.length < columns.length - 2) cells.push(null);
    cells.push(error.message.replace(/\s+/g, ' '));
  }
  return [...cells, checkOf(columns, cells)];
}

/** The reason why a combination could not be answered; null if it was. */
export function errorOf(columns: readonly SweepColumn[], row: SweepRow): SweepCell {
  return row[columnOf(columns, 'error')];
}

function answers(engine: Engine, grid: SweepGrid, index: number): SweepCell[] {
  const { adjacency, tolerance, maxGridLength, method, effort } = grid;
  const options = { adjacency, tolerance, maxGridLength, method, effort };
  const run = account(engine, mechanismAt(grid, index), options);
  const cells: SweepCell[] = [run.method];
  // adding 0 turns −0 into 0, because text formats do not distinguish the two
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
