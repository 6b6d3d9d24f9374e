import type { Kernel } from '../../../kernel/kernel.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { ellipseHeight, ellipseReach, logRuleError } from '../../../numeric/bernstein-ellipse.js';
import { INVERSE_PI, INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { gaussLegendre } from '../../../numeric/gauss-legendre.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Recent } from '../../../numeric/recent.js';
import { atan2, cosPi, exp, expm1, log, log1p, logNormalCdf, sinPi } from '../../../numeric/scalar.js';
import { largestArgument } from '../step/off-axis.js';
import { type Band, type Bend, NodeSums, type Question } from './node-sums.js';
import type { SampledPhase } from './split-lines.js';
import { bandOf, type Steps, type StepsTable } from './steps-table.js';

/** Nodes of a panel, the ellipses tried around it, and the half lengths it may have: powers of two, so that distances are exact. */
const NODES = 20;
const RHOS = [5, 3.7, 2.9, 2.3] as const;
const LONGEST = 1;
const SHORTEST = 2 ** -48;
/** Ellipses end where the outer output, or the inner argument, turns this far. */
const WIDEST = 2.4;
const FURTHEST = 2.6;
/** Panels of one question, at most. */
const MAX_PANELS = 256;
/** What a plan may leave out, as logarithms of shares of the whole, and the nodes of its panels: what is left out is charged, width alone hangs on it. */
export interface Coarse {
  readonly ends?: number;
  readonly rule?: number;
  readonly nodes?: number;
}
/** Bands kept. */
const MAX_BANDS = 256;
/** The grid that shows where the integrand counts, and how far it may reach. */
const GRID = 0.25;
const MOST_GRID = 200;
/** What a panel, a tail and the end of the outer outputs may leave out, as logarithms of shares of the whole. */
const SHARE = -32;
/** How much less panels are to leave in the middle of a band, for the sake of its ends. */
const MARGIN = 5;

type Which = 0 | 1;
/** D and R, or G and J. */
const BOTH = [0, 1] as const;

/** A positive quantity by its logarithm, and what it may be off by, relatively. */
export interface Sum {
  readonly log: number;
  readonly quadrature: number;
  readonly roundOff: number;
  readonly truncation: number;
  /** A bound of |d log/dζ|. */
  readonly slope: number;
  readonly nodes: number;
}

interface Known {
  readonly log: number;
  readonly error: number;
}
const NONE: Known = { log: -Infinity, error: 0 };

/**
 * One Poisson-subsampled Gaussian step more than a table knows: F(K) = ∫ φ(u)·F_inner(K/u(x)) dx over its output x by Gauss–Legendre panels. Methods and
 * bounds: docs/proofs/few-steps.md.
 */
export class OuterStep {
  private readonly bands = new Recent<number, Band | undefined>(MAX_BANDS);
  private readonly sums: NodeSums;

  constructor(
    private readonly kernel: Kernel,
    private readonly phase: SampledPhase,
    private readonly inner: StepsTable,
    /** All of them. */
    private readonly steps: Steps,
    private readonly coarse: Coarse = {},
  ) {
    this.sums = new NodeSums(kernel, phase, inner);
  }

  /** The two falling functionals (D, R), or the rising ones (G, J). */
  at(zeta: number, falling: boolean): readonly [Sum, Sum] | undefined {
    const { index, middle, last } = bandOf(this.steps, zeta);
    const band = this.bands.of(2 * index + Number(falling), () =>
      this.planned(this.questionOf(middle, falling), this.questionOf(last, falling).end),
    );
    return band && this.summed(this.questionOf(zeta, falling), band);
  }

  private questionOf(zeta: number, falling: boolean): Question {
    const { mu, rate } = this.phase;
    const { least, error } = this.inner.steps;
    const logLeast = log(least);
    const width = zeta - logLeast;
    const logRate = log(rate);
    const plain = width - logRate;
    const end = plain / mu + mu / 2;
    const parts = Math.abs(width) + 2 * Math.abs(logLeast) + 2 * Math.abs(logRate) + 2 * Math.abs(plain);
    const blur = (U * parts + error) / mu + U * (mu + 2 * Math.abs(end));
    return { zeta, falling, width, end, blur, losses: [], inners: [], cells: [[], []] };
  }

  private lossAt(x: number): number {
    const { mu, rate } = this.phase;
    return subsampledLoss(mu * x - (mu * mu) / 2, rate);
  }

  private innerAt({ zeta }: Question, distance: number, y: number): number {
    return zeta - y + log(-expm1(-this.phase.mu * distance));
  }

  /** log of the largest integrand between two distances, the inner argument moved by `shift`. */
  private highest(of: Question, which: Which, right: number, left: number, shift: number): number {
    const y = this.lossAt(of.end - right);
    const turned = of.falling ? right : left;
    const inner =
      turned > 0 ? this.innerAt(of, turned, of.falling ? y : this.lossAt(of.end - left)) : -Infinity;
    return this.product(of, which, [right, left], y, inner + shift);
  }

  private product(
    { falling, end }: Question,
    which: Which,
    [right, left]: readonly [number, number],
    y: number,
    inner: number,
  ): number {
    const [low, high] = [end - left, end - right];
    const nearest = Math.max(low, Math.min(high, 0));
    return (
      (falling && which === 1 ? 0 : y) - (nearest * nearest) / 2 + this.inner.above(falling, which, inner)
    );
  }

  private seen(of: Question, j: number): void {
    if (of.losses[j] !== undefined) return;
    of.losses[j] = this.lossAt(of.end - j * GRID);
    of.inners[j] = j > 0 ? this.innerAt(of, j * GRID, of.losses[j]) : -Infinity;
  }

  /** The same on the cell of the grid that ends at distance j·GRID. */
  private cellAt(of: Question, which: Which, j: number, shift: number): number {
    const known = shift === 0 ? of.cells[which][j] : undefined;
    if (known !== undefined) return known;
    this.seen(of, j);
    this.seen(of, j - 1);
    const inner = of.inners[of.falling ? j - 1 : j] + shift;
    const value = this.product(of, which, [(j - 1) * GRID, j * GRID], of.losses[j - 1], inner);
    if (shift === 0) of.cells[which][j] = value;
    return value;
  }

  private largestOn(of: Question, which: Which, { right, left, shift }: Bend): number {
    if (left - right <= GRID) return this.highest(of, which, right, left, shift);
    const first = Math.floor(right / GRID) + 1;
    const last = Math.ceil(left / GRID);
    let top = -Infinity;
    for (let j = first; j <= last; j++) top = Math.max(top, this.cellAt(of, which, j, shift));
    return top;
  }

  /** log of ∫ φ, or ∫ φu, from x on. */
  private massAfter(of: Question, which: Which, x: number): number {
    const { mu, rate: q } = this.phase;
    const base = logNormalCdf(-x);
    if (of.falling && which === 1) return base;
    return logSum(q < 1 ? log1p(-q) + base : -Infinity, log(q) + logNormalCdf(mu - x));
  }

  /** log of a bound of the integral from a distance on to the right: no falling functional exceeds 1; rising ones fall with x. */
  private after(of: Question, which: Which, distance: number): number {
    const x = of.end - distance;
    const inner = of.falling ? 0 : this.insideAt(of, which, distance);
    return this.massAfter(of, which, x) + inner + 1e-9;
  }

  /** log of a rising functional of the inner steps, from above, at a distance: what falling ones differ from their closed form by. */
  private insideAt(of: Question, which: Which, distance: number): number {
    const inner = this.innerAt(of, distance, this.lossAt(of.end - distance));
    return this.inner.above(false, which, inner);
  }

  /** log of a bound of what lies between a distance and the end, but for the closed form of falling functionals: there G, and 1 − R = (G + J)/K, is left. */
  private beyondEnd(of: Question, which: Which, distance: number): number {
    const [low, high] = [of.end - distance, of.end];
    const nearest = Math.max(low, Math.min(high, 0));
    const density = (of.falling && which === 1 ? 0 : this.lossAt(high)) - (nearest * nearest) / 2;
    const mass = Math.min(this.massAfter(of, which, low), density + log(distance));
    let inner = this.insideAt(of, which, distance);
    if (of.falling && which === 1)
      inner = logSum(this.insideAt(of, 0, distance), inner) - log(this.inner.steps.least);
    return mass + inner + 1e-9 + 16 * U * nearest * nearest;
  }

  /** log of a bound of the integral from a distance on to the left. */
  private before(of: Question, which: Which, distance: number): number {
    const x = of.end - distance;
    const y = this.lossAt(x);
    const base = logNormalCdf(x) + 1e-9;
    if (of.falling)
      return base + (which === 0 ? y : 0) + this.inner.above(true, which, this.innerAt(of, distance, y));
    const a = 1 - this.phase.rate;
    const furthest = a > 0 ? this.inner.above(false, which, of.zeta - log(a) + 1e-9) : Infinity;
    const whole = which === 0 ? logSum(log(this.inner.steps.least * a), of.zeta) : y;
    return base + Math.min(whole, y + furthest);
  }

  /** What falling functionals are beyond a distance but for the rest: ∫ φ(u − K), ∫ φ. */
  private closedBeyond(of: Question, which: Which, distance: number): Known {
    const { mu, rate: q } = this.phase;
    const { missing } = this.inner.steps;
    const x = of.end - distance;
    const base = logNormalCdf(-x);
    const size = U * (40 + 8 * Math.abs(base) + 8 * x * x) + of.blur * (1 + Math.abs(x) + mu);
    if (which === 1) return { log: base, error: size };
    const shifted = logNormalCdf(mu - x);
    // (K − A)/q = (e^ζ − (1 − a)A)/q
    const ratio = exp(base - shifted);
    const share = ((exp(of.zeta) - missing * (1 - q)) / q) * ratio;
    if (!(share < 1)) return NONE;
    const cancelled = (exp(of.zeta) + missing) / q;
    const moved = size * (1 + Math.abs(share)) + U * 16 * (cancelled * ratio + 1);
    return { log: log(q) + shifted + log1p(-share), error: moved / (1 - share) };
  }

  /** The panels of a band, planned in its middle; `last` is the end of its last question. */
  private planned(of: Question, last: number): Band | undefined {
    const start = Math.max(1, Math.ceil(of.end / GRID));
    const top: [number, number] = [-Infinity, -Infinity];
    const see = (j: number): void => {
      for (const which of BOTH) top[which] = Math.max(top[which], this.cellAt(of, which, j, 0));
    };
    const { ends: share = SHARE } = this.coarse;
    const counts = (log: number, which: Which): boolean => !(log < top[which] + share - MARGIN);
    see(start);
    let right = start;
    while (right > 1 && BOTH.some((which) => counts(this.after(of, which, right * GRID), which))) {
      see(--right);
      if (start - right > MOST_GRID / GRID) return undefined;
    }
    let from = right * GRID;
    const ends = right === 1 && BOTH.some((which) => counts(this.after(of, which, from), which));
    if (ends) {
      while (from > SHORTEST && BOTH.some((which) => counts(this.beyondEnd(of, which, from), which)))
        from /= 2;
      if (of.falling)
        for (const which of BOTH) top[which] = Math.max(top[which], this.closedBeyond(of, which, from).log);
    }
    let left = start;
    while (BOTH.some((which) => counts(this.before(of, which, left * GRID), which))) {
      see(++left);
      if (left - start > MOST_GRID / GRID) return undefined;
    }
    const until = left * GRID;
    const bends = this.bendsOf(of, [from, until], last, top);
    return bends && { from, ends, scale: top[0], ...bends };
  }

  private bendsOf(
    of: Question,
    [from, until]: readonly [number, number],
    last: number,
    top: readonly [number, number],
  ): Omit<Band, 'from' | 'ends' | 'scale'> | undefined {
    const bends: Bend[] = [];
    const lengths: [number, number][] = [];
    let half = Math.min(LONGEST, from);
    let at = from;
    while (at < until) {
      half = Math.min(LONGEST, 2 * half);
      let bend = this.bendFor(of, at, half, last, top);
      for (; bend === undefined && half > SHORTEST; bend = this.bendFor(of, at, half, last, top)) half /= 2;
      if (bend === undefined || bends.length === MAX_PANELS) return undefined;
      bends.push(bend);
      lengths.push([at, 2 * half]);
      at += 2 * half;
    }
    const { mu } = this.phase;
    const { nodes = NODES } = this.coarse;
    const rule = gaussLegendre(nodes);
    const distance = Float64Array.from({ length: nodes * bends.length }, (_, i) => {
      const [start, length] = lengths[Math.floor(i / nodes)];
      return start + length * rule.node[i % nodes];
    });
    const weight = distance.map(
      (_, i) => lengths[Math.floor(i / nodes)][1] * rule.weight[i % nodes] * INVERSE_SQRT_2PI,
    );
    const turned = distance.map((d) => -mu * d);
    const gap = this.kernel.expm1(turned).map((value) => -value);
    return { bends, distance, weight, share: this.kernel.exp(turned), gap, until: at };
  }

  /** The best of the ellipses around a panel, if it serves. */
  private bendFor(
    of: Question,
    at: number,
    half: number,
    last: number,
    top: readonly [number, number],
  ): Bend | undefined {
    const { rule: share = SHARE } = this.coarse;
    for (const rho of RHOS) {
      const bend = this.bendOn(of, at, half, rho, last);
      if (bend === undefined) continue;
      const serves = (which: Which): boolean =>
        bend.rule + this.largestOn(of, which, bend) < top[which] + share - MARGIN;
      if (serves(0) && serves(1)) return bend;
    }
    return undefined;
  }

  private bendOn(of: Question, at: number, half: number, rho: number, last: number): Bend | undefined {
    const { mu, rate } = this.phase;
    const over = ellipseReach(half, rho) - half;
    const height = ellipseHeight(half, rho);
    const right = at - over * (1 + 1e-12);
    const turn = mu * height;
    if (!(right > 0) || turn > WIDEST) return undefined;
    const share = exp(-mu * right);
    const cos = cosPi(turn * INVERSE_PI);
    const across = cos >= share ? atan2(share * sinPi(turn * INVERSE_PI), 1 - share * cos) : Math.PI / 2;
    const along = rate === 1 ? turn : largestArgument(mu, rate, last - right, turn);
    const alpha = (across + along) * (1 + 1e-9);
    if (alpha > FURTHEST) return undefined;
    const { spread, count } = this.inner.steps;
    const growth = (height * height + spread * alpha * alpha) / 2;
    let shift = 0;
    if (!of.falling) {
      const sine = sinPi((turn / 2) * INVERSE_PI) / -expm1(-mu * right);
      const inner = (count - 1) * log(cosPi((alpha / 2) * INVERSE_PI));
      shift = 0.5 * log1p(4 * share * sine * sine) - log(cosPi((turn / 2) * INVERSE_PI)) - inner + 1e-9;
    }
    const rule = growth + logRuleError(half * INVERSE_SQRT_2PI, rho, this.coarse.nodes ?? NODES) + 1e-8;
    return { right, left: at + 2 * half + over * (1 + 1e-12), rule, shift };
  }

  private summed(of: Question, band: Band): [Sum, Sum] | undefined {
    const { scale, bends, from, until, ends } = band;
    const totals = this.sums.at(of, band);
    if (totals === undefined) return undefined;
    const spread = this.steps.spread;
    const n = band.distance.length;
    const sum = (which: Which): Sum => {
      const { body, wrong, steep } = totals[which];
      const known = ends && of.falling ? this.closedBeyond(of, which, from) : NONE;
      const right =
        known !== NONE || !of.falling ? this.beyondEnd(of, which, from) : this.after(of, which, from);
      const closed = exp(known.log - scale);
      const whole = body + closed;
      const logWhole = scale + log(whole);
      let quadrature = 0;
      for (const bend of bends) quadrature += exp(bend.rule + this.largestOn(of, which, bend) - logWhole);
      const rounding = wrong + body * (n + 8) * U + closed * known.error;
      return {
        log: logWhole,
        quadrature,
        roundOff: rounding / whole + U * (8 + 4 * Math.abs(scale)),
        truncation: exp(right - logWhole) + exp(this.before(of, which, until) - logWhole),
        slope: of.falling ? Math.sqrt(2 * spread * Math.abs(logWhole)) + 1 : steep / whole,
        nodes: n,
      };
    };
    return [sum(0), sum(1)];
  }
}
