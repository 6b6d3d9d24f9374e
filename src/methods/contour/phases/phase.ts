import { expm1, log } from '../../../numeric/scalar.js';

/** A Poisson-subsampled Gaussian step, and how often it is composed. */
export interface Phase {
  readonly mu: number;
  readonly q: number;
  readonly count: number;
}

/** Sampled Gaussians, all different, from which on they are one law. Fewer are narrower and mostly cheaper one by one. */
export const MANY_PHASES = 48;

/** A change of log μ changes losses about as often as that of log q. Guesses alone hang on it. */
const MU_COUNTS = 6;
/** Squares of larger μ count as this. */
const LARGEST_SQUARE = 4;

/** Phases that lie together, how far apart they lie along μ and along q, and the variance of their losses. */
interface Cell {
  readonly phases: readonly Phase[];
  readonly spreads: readonly [number, number];
  readonly variance: number;
}

/**
 * At most so many phases that stand for all in guesses. The widest cell is halved, and in turn the one whose width and deviation are
 * largest. Rare large losses hang on the one, means on the other.
 */
export function fewOf(phases: readonly Phase[], most: number): Phase[] {
  const cells = [cellOf(phases)];
  while (cells.length < most) {
    const sized = (cell: Cell): number => widthOf(cell) * (cells.length % 2 ? 1 : Math.sqrt(cell.variance));
    const largest = cells.reduce((best, cell, i) => (sized(cell) > sized(cells[best]) ? i : best), 0);
    if (!(sized(cells[largest]) > 0)) break;
    cells.splice(largest, 1, ...halves(cells[largest]));
  }
  return cells.map(meanOf);
}

/** About the variance of the losses of all steps: that of q(e^s − 1). */
export function varianceNear(phases: readonly Phase[]): number {
  return phases.reduce((sum, phase) => sum + phase.count * squareOf(phase), 0);
}

function squareOf({ mu, q }: Pick<Phase, 'mu' | 'q'>): number {
  return q * q * expm1(Math.min(LARGEST_SQUARE, mu * mu));
}

function rangeOf(values: readonly number[]): [number, number] {
  return values.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, 0]);
}

function cellOf(phases: readonly Phase[]): Cell {
  const [mu, q] = [rangeOf(phases.map((phase) => phase.mu)), rangeOf(phases.map((phase) => phase.q))];
  const spreads = [MU_COUNTS * log(mu[1] / mu[0]), log(q[1] / q[0])] as const;
  return { phases, spreads, variance: varianceNear(phases) };
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

/** A phase of the same variance. */
function meanOf({ phases, variance }: Cell): Phase {
  let [count, mu] = [0, 0];
  for (const phase of phases) {
    count += phase.count;
    mu += phase.count * (squareOf(phase) / variance) * phase.mu;
  }
  return { mu, q: Math.min(1, Math.sqrt(variance / (count * squareOf({ mu, q: 1 })))), count };
}
