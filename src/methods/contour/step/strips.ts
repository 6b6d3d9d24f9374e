import { floats } from '../../../kernel/floats.js';
import { HALF_LOG_2PI, INVERSE_PI } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { tick } from '../../../numeric/meter.js';
import { PRICES } from '../../../numeric/prices.js';
import { Recent } from '../../../numeric/recent.js';
import { cosPi, log, sinPi } from '../../../numeric/scalar.js';
import { narrowRange } from './gaussian-range.js';
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
 * For one step, bounds of ∫φW̄|u(x + iy)|^c dx over the outputs of a window, W̄ a bound of W on Im x = a, by cells.
 */
export class Strips {
  private readonly known = new Recent<string, number>(KEPT);
  private readonly plain = new Recent<number, Cells>(KEPT_CELLS);

  constructor(
    private readonly losses: SampledSteps,
    private readonly window: OutputWindow,
  ) {}

  /** log of the bound at a tilt c < 0: from those at the two tilts of its grade, between which the integral is log-convex in c. */
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
    const angles = anglesOf(this.losses.mu * y, c, tau);
    const sum = this.turnedSum(this.plain.of(c, this.cellsAt), angles);
    if (a === 0) return sum;
    const level = log(a / width) - 0.9 + (a / width) ** 2 / 2;
    return [from, to]
      .filter((edge) => Math.abs(edge) < Infinity)
      .map((edge) => this.turnedSum(this.cells(c, { from: edge, to: edge, level }), angles))
      .reduce(logSum, sum);
  }

  private readonly cellsAt = (c: number): Cells => {
    const { from, to } = this.window;
    return this.cells(c, { from, to, level: 0 });
  };

  /** log of the sum over cells with what each gains at an angle. */
  private turnedSum({ logs, share, slack }: Cells, { gain, turn, steep }: Angles): number {
    const n = share.length - 1;
    if (!(n > 0)) return Infinity;
    const turned = floats(n + 2);
    for (let j = 0; j < n; j++) turned[j] = logs[j] + gain(share[j], share[j + 1]) + turn(share[j + 1]);
    turned[n] = logs[n] + gain(0, share[0]) + turn(share[0]);
    // up to π/2 |u| rises with the output
    turned[n + 1] = logs[n + 1] + gain(share[n], steep ? 1 : share[n]) + turn(1);
    let top = -Infinity;
    for (let j = 0; j < n + 2; j++) if (!(turned[j] <= top)) top = turned[j];
    if (!(top < Infinity)) return Infinity;
    for (let j = 0; j < n + 2; j++) turned[j] -= top;
    this.losses.kernel.exp(turned, turned);
    let total = 0;
    for (let j = 0; j < n + 2; j++) total += turned[j];
    return top + log(total) + slack;
  }

  /** Bounds of the logarithms of ∫φWu^c over cells, and before and behind them, with e^{level − d²/2w²} in the place of W, d the distance to the stretch from … to. */
  private cells(c: number, { from, to, level }: Ceiling): Cells {
    const { losses, window } = this;
    const { mu, q } = losses;
    const square = window.width * window.width;
    const reach = Math.sqrt(2 * DEPTH) + 1;
    const cell = window.from > -Infinity ? Math.min(CELL, window.width / 2) : CELL;
    const first = Math.floor(narrowRange(mu, q, Math.min(0, c), DEPTH, reach).from / cell);
    const furthest = Math.max(mu * Math.max(1, c), window.from) + reach;
    const last = Math.ceil(Math.min(this.end, furthest) / cell);
    if (!(last - first < MAX_CELLS)) return NO_CELLS;
    const { x, loss, share } = losses.onAxis(0, cell, first, last);
    const n = last - first;
    tick(PRICES.nodeSum * n);
    const logs = floats(n + 2);
    const heightAt = (j: number): number => {
      const out = Math.max(0, from - x[j], x[j] - to);
      return (
        level - HALF_LOG_2PI - (x[j] * x[j]) / 2 - (out > 0 ? (out * out) / (2 * square) : 0) + c * loss[j]
      );
    };
    const slopeAt = (at: number): number => (at < from ? from - at : at > to ? to - at : 0) / square - at;
    let [height, slope] = [heightAt(0), slopeAt(x[0])];
    // before the first cell the logarithm is concave with u^c, c < 0, and without it
    const rise = slope + Math.min(0, c) * mu * share[0];
    logs[n] = rise > 0 ? height - log(rise) : Infinity;
    const length = log(cell);
    for (let j = 0; j < n; j++) {
      const [next, then] = [heightAt(j + 1), slopeAt(x[j + 1])];
      // a concave bound: cy is concave for c < 0, and below its chord elsewhere
      const chord = (c * (loss[j + 1] - loss[j])) / cell;
      const up = slope + (c < 0 ? c * mu * share[j] : chord);
      const down = then + (c < 0 ? c * mu * share[j + 1] : chord);
      const inside = Math.min(height + Math.max(0, up) * cell, next + Math.max(0, -down) * cell);
      logs[j] = Math.max(height, next, inside) + length;
      [height, slope] = [next, then];
    }
    const fall = -slope - Math.max(0, c) * mu;
    const behind = fall > 0 ? height - log(fall) : Infinity;
    logs[n + 1] = x[n] < this.end ? behind : -Infinity;
    return { logs, share, slack: 1e-9 + 1e-12 * (Math.abs(c) + x[0] * x[0] + Math.abs(c * loss[0])) };
  }

  private get end(): number {
    return this.window.end ?? Infinity;
  }
}

/** Bounds of logarithms over cells, those before and behind them last; shares of B at their ends; and what roundings come to. */
interface Cells {
  readonly logs: Float64Array;
  readonly share: Float64Array;
  readonly slack: number;
}

const NO_CELLS: Cells = { logs: new Float64Array(0), share: new Float64Array(0), slack: 0 };

/** What is put in the place of a window. */
interface Ceiling {
  readonly from: number;
  readonly to: number;
  readonly level: number;
}

/** What |u^{c + iτ}| gains off the axis at an angle. */
interface Angles {
  /** log of |A + Be^{iθ}|^c over u^c, where B has a share between two. */
  readonly gain: (low: number, high: number) => number;
  /** τ times the argument, where B has a share. */
  readonly turn: (share: number) => number;
  /** Whether |u| need not rise with the output. */
  readonly steep: boolean;
}

function anglesOf(angle: number, c: number, tau: number): Angles {
  const turns = angle * INVERSE_PI;
  const [sine, cosine, half] = [sinPi(turns), cosPi(turns), sinPi(turns / 2)];
  const dip = Math.min(1, half * half * (1 + 1e-12));
  return {
    // as `gainOf`, without a logarithm for each cell: w = 4·share·(1 − share) is largest at ½; −log r ≤ (1/r − r)/2
    gain: (low, high) => {
      if (c >= 0) return 0;
      const nearest = Math.min(high, Math.max(low, 0.5));
      const root = Math.sqrt(Math.sqrt(1 - Math.min(1, 4 * nearest * (1 - nearest)) * dip));
      return -c * (1 / root - root) * (1 + 1e-12);
    },
    // as `largestArgument`, by atan t ≤ t
    turn: (share) => {
      if (!(tau > 0)) return 0;
      const real = 1 - share + share * cosine;
      return tau * (real > 0 ? Math.min(angle, ((share * sine) / real) * (1 + 1e-12)) : angle);
    },
    steep: angle >= Math.PI / 2,
  };
}
