import { log } from '../../../numeric/scalar.js';

/** A Poisson-subsampled Gaussian step, and how often it is composed. */
export interface Phase {
  readonly mu: number;
  readonly q: number;
  readonly count: number;
}

/** A change of log μ changes losses about as often as that of log q. Guesses alone hang on it. */
const MU_COUNTS = 6;

/** Phases that lie together, and how far they lie apart: along μ, and along q. */
interface Cell {
  readonly phases: readonly Phase[];
  readonly spreads: readonly [number, number];
}

/** At most so many phases that stand for all in guesses: the cell that is widest is halved, and each counts as its mean. */
export function fewOf(phases: readonly Phase[], most: number): Phase[] {
  const cells = [cellOf(phases)];
  while (cells.length < most) {
    const widest = cells.reduce((best, cell, i) => (widthOf(cell) > widthOf(cells[best]) ? i : best), 0);
    if (!(widthOf(cells[widest]) > 0)) break;
    cells.splice(widest, 1, ...halves(cells[widest]));
  }
  return cells.map((cell) => meanOf(cell.phases));
}

function rangeOf(values: readonly number[]): [number, number] {
  return values.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, 0]);
}

function cellOf(phases: readonly Phase[]): Cell {
  const [mu, q] = [rangeOf(phases.map((phase) => phase.mu)), rangeOf(phases.map((phase) => phase.q))];
  return { phases, spreads: [MU_COUNTS * log(mu[1] / mu[0]), log(q[1] / q[0])] };
}

function widthOf({ spreads }: Cell): number {
  return Math.max(...spreads);
}

function halves({ phases, spreads }: Cell): Cell[] {
  const of = spreads[0] >= spreads[1] ? 'mu' : 'q';
  const [low, high] = rangeOf(phases.map((phase) => phase[of]));
  const middle = Math.sqrt(low * high);
  const below = phases.filter((phase) => phase[of] < middle || phase[of] === low);
  const above = phases.filter((phase) => !(phase[of] < middle || phase[of] === low));
  return [cellOf(below), cellOf(above)];
}

function meanOf(phases: readonly Phase[]): Phase {
  let [count, mu, q] = [0, 0, 0];
  for (const phase of phases) {
    count += phase.count;
    mu += phase.count * phase.mu;
    q += phase.count * phase.q;
  }
  return { mu: mu / count, q: q / count, count };
}
