import { HALF_LOG_2PI, INVERSE_PI, U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { cosPi, exp, expm1, log, log1p } from '../../../numeric/scalar.js';
import { threeBitsBelow } from '../step/gaussian-range.js';
import {
  type Functionals,
  guessAccepted,
  type Known,
  logAccepted,
  OneStep,
  type Steps,
} from './functionals.js';
import type { SampledPhase } from './split-lines.js';

/** How far the strip of number 3 reaches, at most. */
const HIGHEST = 1.25;
/** Nodes of one sum, at most. */
const MOST_NODES = 2 ** 15;
/** What the rule and either end may leave out, as logarithms of shares of the whole: what is left out is charged, width alone hangs on it. */
const SHARE = -30;
export interface Coarse {
  readonly ends?: number;
  readonly rule?: number;
}

/** A functional, and what its error consists of. */
export interface Sum extends Known {
  readonly quadrature: number;
  readonly roundOff: number;
  readonly truncation: number;
  readonly nodes: number;
}

/** Of D and R, or of G and J. */
type Which = 0 | 1;
type Two = readonly [number, number];
type Pair = readonly [Known, Known];

/** What all terms of one sum need: K = aA + e^ζ, aA the least likelihood ratio. */
interface Question {
  readonly zeta: number;
  readonly falling: boolean;
  /** W = e^ζ/a, and what it may be off by, relatively. */
  readonly w: number;
  readonly off: number;
  /** The output where u = A + W, and what it may be off by. */
  readonly end: number;
  readonly blur: number;
  /** Equal steps of τ, and log of what they leave: of falling functionals relatively. */
  readonly h: number;
  readonly rule: Two;
  /** log of the factor that all terms share. */
  readonly unit: number;
  /** log of bounds of the sum of e^{−τ} right of τ, in units of that, and of the inner P(U < K/u). */
  readonly tail: number;
  readonly most: number;
  /** log(A + W). */
  readonly widest: number;
}

/** A sum of positive terms by their logarithms, with what they may be off by and the moduli of their slopes; and log of bounds of what lies beyond on either side. */
class Total {
  /** The largest exponent, about, and sums in units of it. */
  private top = -Infinity;
  private body = 0;
  private wrong = 0;
  private steep = 0;
  largest = -Infinity;
  right = Infinity;
  left = Infinity;

  add(exponent: number, wrong: number, steep: number): void {
    if (exponent > this.top + 100) {
      const shrink = exp(this.top - exponent);
      this.body *= shrink;
      this.wrong *= shrink;
      this.steep *= shrink;
      this.top = exponent;
    }
    if (exponent > this.largest) this.largest = exponent;
    const value = exp(exponent - this.top);
    this.body += value;
    this.wrong += value * wrong;
    this.steep += value * steep;
  }

  known(count: number): Known {
    const { top, body, wrong, steep } = this;
    return {
      log: top + log(body),
      error: wrong / body + U * (4 + 2 * count + 4 * Math.abs(top)),
      slope: steep / body,
    };
  }
}

/**
 * One Poisson-subsampled Gaussian step more: F(K) = ∫ φ(u)·F_inner(K/u(x)) dx over its output x by equal steps of τ, B = W/(1 + e^{−τ}), and in closed form from B = W
 * on. Methods and bounds: docs/proofs/few-steps.md.
 */
export class OuterStep implements Functionals {
  private readonly last: OneStep;

  constructor(
    private readonly phase: SampledPhase,
    private readonly inner: Functionals,
    readonly steps: Steps,
    private readonly coarse: Coarse = {},
  ) {
    this.last = new OneStep(phase);
  }

  at(zeta: number, falling: boolean): readonly [Sum, Sum] | undefined {
    const of = this.questionOf(zeta, falling);
    const beyond = falling ? this.beyond(of) : undefined;
    const totals = [new Total(), new Total()] as const;
    totals.forEach((total, which) => {
      if (beyond !== undefined) total.largest = beyond[which].log - of.unit;
    });
    const nodes = this.walked(of, totals);
    return nodes === undefined
      ? undefined
      : [sumOf(of, 0, totals[0], beyond?.[0], nodes), sumOf(of, 1, totals[1], beyond?.[1], nodes)];
  }

  private questionOf(zeta: number, falling: boolean): Question {
    const { mu, rate } = this.phase;
    const { least, error } = this.inner.steps;
    const logLeast = log(least);
    const width = zeta - logLeast;
    const plain = width - log(rate);
    const end = plain / mu + mu / 2;
    const off = U * (4 + 2 * Math.abs(width) + 2 * Math.abs(logLeast)) + error;
    const blur =
      (off + U * (2 * Math.abs(log(rate)) + 2 * Math.abs(plain))) / mu + U * (mu + 2 * Math.abs(end));
    const { h, rule } = this.spaced(zeta, falling);
    const [w, a] = [exp(width), 1 - rate];
    return {
      zeta,
      falling,
      w,
      off,
      end,
      blur,
      h,
      rule,
      unit: log(h / mu) - HALF_LOG_2PI,
      tail: -log(expm1(h)),
      widest: log(a + w),
      most: falling || a === 0 ? 0 : logAccepted(this.inner.steps, zeta - log(a)),
    };
  }

  /** Steps of τ, and what they leave: number 3. The depth of rising functionals is guessed, and what they leave is bounded. */
  private spaced(zeta: number, falling: boolean): Pick<Question, 'h' | 'rule'> {
    const { steps } = this;
    const { rule: share = SHARE } = this.coarse;
    const c = Math.min(HIGHEST, Math.sqrt((-2 * share) / steps.spread));
    const logCos = log(cosPi(c * INVERSE_PI));
    const growth = (steps.spread * c * c) / 2 + Math.LN2 - logCos;
    const shift = (1 - steps.phases.length) * log(cosPi((c / 2) * INVERSE_PI)) - logCos + 1e-9;
    const accepted = falling ? 0 : logAccepted(steps, zeta + shift);
    const gap = falling ? 0 : accepted - guessAccepted(steps, zeta) + shift + 1;
    const h = threeBitsBelow((2 * Math.PI * c) / (growth + gap - share));
    const around = (2 * Math.PI * c) / h;
    const left = growth - around - log1p(-exp(-around)) + 1e-8;
    return {
      h,
      rule: falling ? [left, left] : [left + accepted + zeta + shift, left + Math.min(0, accepted)],
    };
  }

  /** What falling functionals are beyond the end: ∫ φ(u − K) and ∫ φ, where u − K = B − W + (1 − a)K/a. */
  private beyond({ zeta, off }: Question): Pair {
    const { least, missing, error } = this.inner.steps;
    const [first, second] = this.last.at(zeta - log(least), true);
    const ratio = ((least * (1 - this.phase.rate) + exp(zeta)) * missing) / least;
    const known = (value: number, wrong: number): Known => {
      const slope = Math.max(first.slope, second.slope + 1);
      return { log: value, slope, error: first.error + second.error + slope * off + wrong };
    };
    return [known(logSum(first.log, second.log + log(ratio)), 4 * error + 16 * U), known(second.log, 0)];
  }

  /** Adds terms on either side until what lies beyond is little; their number. */
  private walked(of: Question, totals: readonly [Total, Total]): number | undefined {
    const { ends: share = SHARE } = this.coarse;
    const counts = (side: 'right' | 'left'): boolean =>
      totals.some((total) => total[side] > total.largest + share);
    let right = Math.round(-log(this.steps.phases.length - 1) / of.h);
    let left = right - 1;
    while (right - left <= MOST_NODES) {
      const [more, less] = [counts('right'), counts('left')];
      if (!more && !less) return right - left - 1;
      if (more && !this.adds(of, right++, 'right', totals)) return undefined;
      if (less && !this.adds(of, left--, 'left', totals)) return undefined;
    }
    return undefined;
  }

  /** Adds the term at τ = jh; false where it is unknown. */
  private adds(of: Question, j: number, side: 'right' | 'left', totals: readonly [Total, Total]): boolean {
    const { zeta, falling, w, off, end, blur, h } = of;
    const { mu, rate } = this.phase;
    const tau = j * h;
    const d = exp(-Math.abs(tau));
    const l = log1p(d);
    // of B/W = 1/(1 + e^{−τ}), and of 1 − B/W
    const [logShare, logGap] = tau < 0 ? [tau - l, -l] : [-l, -tau - l];
    const u = 1 - rate + (w * (tau < 0 ? d : 1)) / (1 + d);
    const logU = log(u);
    const known = this.inner.at(zeta + logGap - logU, falling);
    if (known === undefined) return false;
    const x = end + logShare / mu;
    const square = x * x;
    const moved = off + U * (16 + 2 * (Math.abs(zeta) + Math.abs(tau) + Math.abs(logU)));
    const place = blur + (U * (4 + 4 * Math.abs(logShare))) / mu + 2 * U * Math.abs(x);
    const own = moved + Math.abs(x) * place + U * (16 + 4 * square + 4 * Math.abs(tau));
    // of u, where it is in the integrand
    const factor: Two = [logU, falling ? 0 : logU];
    let near = false;
    totals.forEach((total, which) => {
      const { log: value, error, slope } = known[which];
      const exponent = value + logGap - square / 2 + factor[which];
      const wrong = own + error + slope * moved + 8 * U * Math.abs(value);
      total.add(exponent, wrong, Math.abs(x) / mu + 1 + slope);
      if (exponent > total.largest + (this.coarse.ends ?? SHARE)) near = true;
    });
    // what lies beyond terms that count is not asked for
    if (near) return true;
    const beyond = side === 'right' ? this.rightOf(of, j, x) : this.leftOf(of, j, x, factor);
    totals.forEach((total, which) => {
      const { log: value, error } = known[which];
      // falling functionals are at most 1 on the right and fall to the left, rising ones fall to the right
      const bounded = falling === (side === 'right');
      total[side] = beyond[which] + (bounded ? 0 : value + log1p(error) + 1e-9);
    });
    return true;
  }

  /** log of bounds of the sum of all terms to the right, but for the functional itself: u ≤ A + W, and 1 − B/W ≤ e^{−τ}. */
  private rightOf({ falling, widest, end, h, tail }: Question, j: number, x: number): Two {
    const nearest = Math.max(x, Math.min(end, 0));
    const all = tail - j * h - (nearest * nearest) / 2 + 1e-9 * (1 + nearest * nearest);
    const most = all + widest;
    return [most, falling ? all : most];
  }

  /** The same to the left, where outputs are at least `apart` from each other; rising functionals included: uG ≤ e^ζ P(U < K/u), uJ ≤ uP(U < K/u). */
  private leftOf({ zeta, falling, h, most }: Question, j: number, x: number, [first, second]: Two): Two {
    if (x >= 0) return [Infinity, Infinity];
    const apart = h / (this.phase.mu * (1 + exp(j * h)));
    const all = most - (x * x) / 2 - log(expm1(-x * apart)) + 1e-9 * (1 + x * x);
    return [all + (falling ? first : zeta), all + second];
  }
}

function sumOf(of: Question, which: Which, total: Total, rest: Known | undefined, nodes: number): Sum {
  const { falling, unit, rule } = of;
  const body = total.known(nodes);
  const own = body.log + unit;
  const whole = rest === undefined ? own : logSum(own, rest.log);
  const share = exp(own - whole);
  const [error, slope] = rest === undefined ? [0, 0] : [(1 - share) * rest.error, (1 - share) * rest.slope];
  const quadrature = falling ? share * exp(rule[which]) : exp(rule[which] - own);
  const truncation = exp(total.right + unit - whole) + exp(total.left + unit - whole);
  const roundOff = share * body.error + error + U * (16 + 4 * Math.abs(whole));
  return {
    log: whole,
    error: quadrature + truncation + roundOff,
    slope: share * body.slope + slope,
    quadrature,
    truncation,
    roundOff,
    nodes,
  };
}
