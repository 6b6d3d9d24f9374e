import type { StripCells, Turn } from '../../../kernel/tilts.js';
import { INVERSE_PI } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { cosPi, log, sinPi } from '../../../numeric/scalar.js';
import { mildest } from './off-axis.js';
import type { OutputWindow } from './output-window.js';
import type { SampledSteps } from './sampled-losses.js';

/** Bounds kept. Speed alone hangs on it. */
const KEPT = 64;
const KEPT_CELLS = 8;

/** Cells of outputs; those of windows with a lower edge are half as long as that is wide, if that is less. Width alone hangs on it. */
const CELL = 0.25;
/** Cells begin and end where φu^c has fallen by this logarithm. */
const DEPTH = 60;
/** Of more cells there is no bound. Only speed hangs on it. */
const MAX_CELLS = 4096;

/** Two tilts around a negative one: the powers of two of the first grade, or that and 0. */
export function gradeOf(mu: number, c: number): { far: number; near: number } {
  const first = mildest(mu);
  let far = first;
  while (far > c) far *= 2;
  return { far, near: far === first ? 0 : far / 2 };
}

/** Not a number, as sums without cells may be, is no bound. */
function someBound(log: number): number {
  return log < Infinity ? log : Infinity;
}

/**
 * Bounds of ∫φW̄|u(x + iy)|^c dx of one step over the outputs of a window, by cells. W̄ is a bound of W on Im x = a.
 */
export class OffAxisGrowth {
  private readonly known = new LruCache<string, number>(KEPT);
  private readonly plain = new LruCache<number, StripCells | undefined>(KEPT_CELLS);

  constructor(
    private readonly losses: SampledSteps,
    private readonly window: OutputWindow,
  ) {}

  /** log of the bound at a tilt c < 0. It is from those at the two tilts of its grade, as the integral is log-convex in c. */
  logMass(c: number, y: number, a = 0): number {
    const { far, near } = gradeOf(this.losses.mu, c);
    const share = (c - near) / (far - near);
    return someBound(
      share * this.at(far, y, a) + (1 - share) * this.at(near, y, a) + 1e-12 * (1 + Math.abs(c)),
    );
  }

  private at(c: number, y: number, a: number): number {
    // ∫φW ≤ 1, and not far below without a lower edge
    if (c === 0 && a === 0 && this.window.from === -Infinity) return 0;
    return this.known.of(`${c}/${y}/${a}`, () => this.sum(c, y, a, 0));
  }

  /** log of a bound of ∫φW|u^{c + iτ}| along Im x = ±y for every |τ| ≤ tau. */
  turned(c: number, y: number, tau: number): number {
    return someBound(this.sum(c, y, 0, tau));
  }

  private sum(c: number, y: number, a: number, tau: number): number {
    const { from, to, width } = this.window;
    const turn = turnBy(this.losses.mu * y, tau);
    const sum = this.turnedSum(this.plain.of(c, this.cellsAt), c, turn);
    if (a === 0) return sum;
    const level = log(a / width) - 0.9 + (a / width) ** 2 / 2;
    return [from, to]
      .filter((edge) => Math.abs(edge) < Infinity)
      .map((edge) => this.turnedSum(this.cells(c, { from: edge, to: edge, level }), c, turn))
      .reduce(logSum, sum);
  }

  private readonly cellsAt = (c: number): StripCells | undefined => {
    const { from, to } = this.window;
    return this.cells(c, { from, to, level: 0 });
  };

  /** log of the sum over cells with what each gains at an angle. */
  private turnedSum(cells: StripCells | undefined, c: number, turn: Turn): number {
    if (cells === undefined) return Infinity;
    const [top, total] = this.losses.kernel.stripSum(cells, c, turn);
    const slack = cells.table.values[cells.n + 2];
    return top < Infinity ? top + log(total) + slack : Infinity;
  }

  /** Bounds over cells with e^{level − d²/2w²} in the place of W, d the distance to the stretch from … to; none where they are too many. */
  private cells(c: number, { from, to, level }: Ceiling): StripCells | undefined {
    const { losses, window } = this;
    const { mu, kernel } = losses;
    const { width } = window;
    const end = window.end ?? Infinity;
    const reach = Math.sqrt(2 * DEPTH) + 1;
    const h = window.from > -Infinity ? Math.min(CELL, width / 2) : CELL;
    const first = Math.floor(kernel.tiltedRange(losses, Math.min(0, c), DEPTH, reach)[0] / h);
    const furthest = Math.max(mu * Math.max(1, c), window.from) + reach;
    const n = Math.ceil(Math.min(end, furthest) / h) - first;
    if (!(n > 0 && n < MAX_CELLS)) return undefined;
    return kernel.stripCells(losses, c, { h, first, n }, { from, to, width, end }, level);
  }
}

/** What is put in the place of a window. */
interface Ceiling {
  readonly from: number;
  readonly to: number;
  readonly level: number;
}

function turnBy(angle: number, tau: number): Turn {
  const turns = angle * INVERSE_PI;
  const half = sinPi(turns / 2);
  const dip = Math.min(1, half * half * (1 + 1e-12));
  return { angle, tau, sine: sinPi(turns), cosine: cosPi(turns), dip };
}
