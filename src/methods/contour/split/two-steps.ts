import { plainLoss, subsampledLoss } from '../../../law/subsampling.js';
import { ellipseHeight, ellipseReach, logRuleError } from '../../../numeric/bernstein-ellipse.js';
import { INVERSE_PI, INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { gaussLegendre } from '../../../numeric/gauss-legendre.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Recent } from '../../../numeric/recent.js';
import { atan2, cosPi, exp, expm1, log, log1p, logNormalCdf, sinPi } from '../../../numeric/scalar.js';
import { crossing } from '../../../numeric/solve.js';
import type { Answer } from '../line/contour.js';
import type { Functional } from '../line/line-table.js';
import type { LineSource, TestAnswer } from '../line/lines.js';
import { largestArgument } from '../step/off-axis.js';
import { type Integrand, integrandsOf } from './inner-step.js';
import type { SampledPhase, SplitSteps } from './split-lines.js';

/** Nodes of a panel, the ellipses tried around it, and the half lengths it may have: all multiples of UNIT, as the ends are, so that these are exact. */
const NODES = 20;
const RHOS = [1.6, 2.2, 3.2, 4.6] as const;
const LONGEST = 0.75;
const SHORTEST = 1e-9;
const UNIT = 2 ** -36;
/** Ellipses end where e^{iμb} turns this far. */
const WIDEST = 1.4;
/** Panels of one question, at most. */
const MAX_PANELS = 600;
/** The grid that shows where the integrand counts, and how far it may reach. */
const GRID = 0.25;
const MOST_GRID = 200;
/** What a panel, a tail and the end of the outer outputs may leave out, as logarithms of shares of the whole. */
const SHARE = -31;
/** Questions whose answers are kept. */
const MAX_KEPT = 2048;
/** Panels end where w is qe^{−d}: what the inner step's part without a closed form is there at most first, then d that much larger, up to the deepest. */
const FURTHEST = 2;
const DEEPER = 1.5;
const DEEPEST = 20;

/** A positive quantity by its logarithm: what the rule gives, and absolute errors over e^{log}. */
interface Value {
  readonly log: number;
  readonly quadrature: number;
  readonly roundOff: number;
  /** What is left out: the whole is larger by it at most. */
  readonly truncation: number;
  /** What lies beyond the last panel, of either sign. */
  readonly end: number;
  readonly nodes: number;
}

/**
 * Two steps of Poisson-subsampled Gaussians as one integral over the outputs x of the outer one, whose loss is y(x) = log u(x). With A = 1 − q, q and μ of the
 * inner step, w = e^{±t}/u(x) − A and x*(w) = log(w/q)/μ + μ/2,
 *   P to Q (+):  δ(t) = ∫ φu·D,  D = qΦ̄(x* − μ) − wΦ̄(x*);   FPR = ∫ φ·Φ̄(x*);   TPR = ∫ φu·(AΦ̄(x*) + qΦ̄(x* − μ)),
 *   Q to P (−):  δ(t) = e^t ∫ φu·N,  N = wΦ(x*) − qΦ(x* − μ);   FPR = ∫ φu·(AΦ(x*) + qΦ(x* − μ));   TPR = ∫ φ·Φ(x*)
 * over w > 0; where w ≤ 0 the inner step decides nothing: F is its whole mass, or 0. All terms are positive, so that relative accuracy has no limit of depth.
 * Proofs, with the bounds of the rules: docs/proofs/two-steps.md.
 */
export class TwoSteps implements LineSource {
  /** Whether a run is two such steps. */
  static are({ sampled, others }: SplitSteps): boolean {
    return others.length === 0 && sampled.reduce((sum, { count }) => sum + count, 0) === 2;
  }

  private readonly outer: SampledPhase;
  private readonly inner: SampledPhase;
  private readonly known = new Recent<string, Value | undefined>(MAX_KEPT);
  private readonly integrands: Readonly<Record<Functional, Integrand>>;

  private readonly mirrored: boolean;

  constructor({ sampled, mirrored }: SplitSteps) {
    this.mirrored = mirrored;
    this.outer = sampled[0];
    this.inner = sampled[sampled.length - 1];
    this.integrands = integrandsOf(this.inner, mirrored);
  }

  delta(x: number): Answer | undefined {
    return answerOf(this.valueAt('delta', x));
  }

  test(x: number): TestAnswer | undefined {
    const falsePositive = answerOf(this.valueAt('falsePositive', x));
    const power = answerOf(this.valueAt('power', x));
    return falsePositive && power && { falsePositive, power, blur: 0, scale: 1 };
  }

  bound(x: number): number {
    return Math.min(0, this.delta(x)?.upper ?? 0);
  }

  guess(functional: 'delta' | 'falsePositive', target: number): number | undefined {
    const { mu } = this.outer;
    const found = crossing((x) => this.near(functional, x) - target, {
      guess: mu * mu + mu * Math.sqrt(-2 * target),
      reach: 0.1 * mu,
      floor: 0,
      ceiling: 1e6,
      relative: 1e-3,
      absolute: 1e-12,
    });
    return found.high < Infinity ? found.high : undefined;
  }

  /** The logarithm of the integral to a few digits, by the sum over a grid: for guesses. */
  private near(functional: Functional, x: number): number {
    const t = this.mirrored ? -x : x;
    const to = this.outputAt(t, this.inner.rate * exp(-DEEPEST));
    if (to === -Infinity) return -Infinity;
    const beyond = this.mirrored ? -Infinity : this.closedBeyond(functional, t, to).log;
    const sum = this.roughly(this.integrands[functional], t, to, beyond)?.sum ?? -Infinity;
    return logSum(sum, beyond) + (this.mirrored && functional === 'delta' ? x : 0);
  }

  private valueAt(functional: Functional, x: number): Value | undefined {
    return this.known.of(`${functional}/${x}`, () => {
      const found = this.integral(functional, this.mirrored ? -x : x);
      return found && { ...found, log: found.log + (this.mirrored && functional === 'delta' ? x : 0) };
    });
  }

  /** The integral at e^t, t = ±x: panels nearer to the end while what lies beyond them counts. */
  private integral(functional: Functional, t: number): Value | undefined {
    const { mu, rate: q } = this.inner;
    let best: Value | undefined;
    for (let d = mu * (FURTHEST + mu / 2); ; d = Math.min(DEEPER * d, DEEPEST)) {
      const value = this.integralTo(functional, t, q * exp(-d));
      if (value !== undefined && (best === undefined || value.end < best.end)) best = value;
      if (!(d < DEEPEST) || (best !== undefined && best.end < exp(SHARE))) return best;
    }
  }

  /** The outer output at which w is `w`; ±∞ where there is none. */
  private outputAt(t: number, w: number): number {
    const { mu, rate } = this.outer;
    const left = w + 1 - this.inner.rate;
    if (left <= 0) return Infinity;
    return plainLoss(t - log(left), rate) / mu + mu / 2;
  }

  private integralTo(functional: Functional, t: number, least: number): Value | undefined {
    const integrand = this.integrands[functional];
    const to = Math.floor(this.outputAt(t, least) / UNIT) * UNIT;
    if (to === -Infinity) return undefined;
    const beyond = this.mirrored ? undefined : this.closedBeyond(functional, t, to);
    const rough = this.roughly(integrand, t, to, beyond?.log ?? -Infinity);
    if (rough === undefined) return undefined;
    const { top, from, until } = rough;
    const sums = { sum: 0, roundOff: 0, quadrature: 0, panels: 0 };
    for (let right = until; right > from; ) {
      const half = this.panelFor(integrand, t, right, top, sums);
      if (half === undefined) return undefined;
      this.addPanel(integrand, t, right, half, top, sums);
      right -= 2 * half;
    }
    const known = until === to ? beyond : undefined;
    const scale = Math.max(top, known?.log ?? -Infinity);
    const unit = exp(top - scale);
    const closed = known === undefined ? 0 : exp(known.log - scale);
    const body = sums.sum * unit;
    const whole = body + closed;
    const left = exp(this.before(integrand, t, from) - scale);
    const right = exp(
      (until === to ? this.atEnd(functional, t, to) : this.after(integrand, t, until)) - scale,
    );
    const nodes = NODES * sums.panels;
    const rounding = sums.roundOff * unit + body * (nodes + 8) * U + closed * (known?.error ?? 0);
    return {
      log: scale + log(whole),
      quadrature: (sums.quadrature * unit) / whole,
      end: until === to ? right / whole : 0,
      roundOff: rounding / whole + U * (8 + 4 * Math.abs(scale)),
      truncation: (left + (until === to ? 0 : right)) / whole,
      nodes,
    };
  }

  /** The largest of the integrand, and its sum, on a grid up to `to`, and outputs before and after which it no longer counts. */
  private roughly(
    integrand: Integrand,
    t: number,
    to: number,
    beyond: number,
  ): { top: number; from: number; until: number; sum: number } | undefined {
    const start = Math.min(to, 0);
    let top = this.heightAt(integrand, t, start);
    let most = Math.max(beyond, top);
    let sum = top;
    const seen = (x: number): void => {
      const height = this.heightAt(integrand, t, x);
      top = Math.max(top, height);
      most = Math.max(most, top);
      sum = logSum(sum, height);
    };
    let until = start;
    while (until < to && !(this.after(integrand, t, until) < most + SHARE - 4)) {
      until = Math.min(to, until + GRID);
      if (until > MOST_GRID) return undefined;
      seen(until);
    }
    let from = start;
    while (!(this.before(integrand, t, from) < most + SHARE - 4)) {
      from -= GRID;
      if (from < -MOST_GRID) return undefined;
      seen(from);
    }
    return { top, from, until, sum: sum + log(GRID * INVERSE_SQRT_2PI) };
  }

  /** log of the integrand. */
  private heightAt({ shifted, at }: Integrand, t: number, x: number): number {
    const y = this.lossAt(x);
    return (shifted ? y : 0) - (x * x) / 2 + at(t - y).log;
  }

  private lossAt(x: number): number {
    const { mu, rate } = this.outer;
    return subsampledLoss(mu * x - (mu * mu) / 2, rate);
  }

  /** From `to` on P to Q: the part of F that has a closed form, ∫ φ(u − e^t), ∫ φ or ∫ φu, and a bound of its relative error. */
  private closedBeyond(functional: Functional, t: number, to: number): { log: number; error: number } {
    const { mu, rate: q } = this.outer;
    const base = logNormalCdf(-to);
    const size = U * (40 + 8 * Math.abs(base) + 8 * to * to);
    if (functional !== 'delta') return { log: this.massAfter(this.integrands[functional], to), error: size };
    const shifted = logNormalCdf(mu - to);
    // q(Φ̄(X − μ) − e^sΦ̄(X)), s the plain loss of t
    const s = plainLoss(t, q);
    const share = exp(s + base - shifted);
    if (!(share < 1)) return { log: -Infinity, error: 0 };
    const moved = (size + U * 32 * (1 + Math.abs(s))) * (1 + share);
    return { log: log(q) + shifted + log1p(-share), error: moved / (1 - share) };
  }

  /** log of a bound of what is left between `to` and w = 0: there F, or F without its closed part, falls with w. */
  private atEnd(functional: Functional, t: number, to: number): number {
    const integrand = this.integrands[functional];
    const w = this.leastAt(t, to);
    const rest = this.mirrored ? integrand.atMost(w) : this.restAt(w) + (functional === 'delta' ? log(w) : 0);
    const end = this.outputAt(t, 0);
    // on a short stretch at most the largest density
    const nearest = Math.min(end, Math.max(to, 0));
    const density = (integrand.shifted ? this.lossAt(end) : 0) - (nearest * nearest) / 2;
    const stretch = end < Infinity ? density + log(end - to + 2 * UNIT) : Infinity;
    return Math.min(this.massAfter(integrand, to), stretch) + rest + 1e-9;
  }

  /** log of a bound of the integral from x on: P to Q no F exceeds 1, or q; Q to P it falls with x. */
  private after(integrand: Integrand, t: number, x: number): number {
    const inner = this.mirrored ? integrand.atMost(this.leastAt(t, x)) : 0;
    return this.massAfter(integrand, x) + inner + 1e-9;
  }

  /** log of ∫ φ, or ∫ φu, from x on. */
  private massAfter({ shifted }: Integrand, x: number): number {
    const { mu, rate: q } = this.outer;
    const base = logNormalCdf(-x);
    return shifted ? logSum(log1p(-q) + base, log(q) + logNormalCdf(mu - x)) : base;
  }

  /** w at x, from above. */
  private leastAt(t: number, x: number): number {
    const d = t - this.lossAt(x);
    return Math.max(0, expm1(d) + this.inner.rate) * (1 + 1e-9) + 16 * U * (1 + Math.abs(expm1(d)));
  }

  /** log of a bound of what Φ̄(x*) and AΦ̄(x*) + qΦ̄(x* − μ) differ from 1 by, and w times that of what D differs from q − w by: N, Φ(x*) and their mixture. */
  private restAt(w: number): number {
    const { mu, rate: q } = this.inner;
    return logNormalCdf(log(w / q) / mu + mu / 2) + 1e-9;
  }

  /** log of a bound of the integral up to x: P to Q F rises with x; Q to P it falls, and N ≤ w. */
  private before({ shifted, atMost }: Integrand, t: number, x: number): number {
    const y = this.lossAt(x);
    const a = 1 - this.outer.rate;
    const furthest = a > 0 ? (expm1(t - log1p(-this.outer.rate)) + this.inner.rate) * (1 + 1e-9) : Infinity;
    const w = this.mirrored ? furthest : expm1(t - y) + this.inner.rate;
    const inner = atMost(this.mirrored ? w : w * (1 - 1e-9));
    return logNormalCdf(x) + (shifted ? y : 0) + (inner < Infinity ? inner : t - y) + 1e-9;
  }

  /** The half length of a panel that ends at `right`, and is good enough. */
  private panelFor(
    integrand: Integrand,
    t: number,
    right: number,
    top: number,
    sums: { quadrature: number; panels: number },
  ): number | undefined {
    for (let half = LONGEST; half > SHORTEST; half /= 2) {
      const error = this.errorOn(integrand, t, right, half) - top;
      if (error > SHARE - 3) continue;
      sums.quadrature += exp(error);
      return sums.panels++ < MAX_PANELS ? half : undefined;
    }
    return undefined;
  }

  /** log of what the rule errs by on [right − 2·half, right], by the best of some ellipses. */
  private errorOn(integrand: Integrand, t: number, right: number, half: number): number {
    const { mu, rate } = this.outer;
    let best = Infinity;
    for (const rho of RHOS) {
      const over = ellipseReach(half, rho) - half;
      const b = ellipseHeight(half, rho);
      if (mu * b > WIDEST) break;
      const [from, to] = [right - 2 * half - over, right + over];
      const theta = rate === 1 ? mu * b : largestArgument(mu, rate, to, mu * b);
      const inner = this.innerOn(integrand, t - this.lossAt(to), t - this.lossAt(from), theta, mu * b);
      const nearest = from > 0 ? from : to < 0 ? to : 0;
      const outer = (integrand.shifted ? this.lossAt(to) : 0) - (nearest * nearest) / 2 + (b * b) / 2;
      const value = inner + outer + logRuleError(half * INVERSE_SQRT_2PI, rho, NODES);
      best = Math.min(best, value + 1e-9 * (1 + Math.abs(value)));
    }
    return best;
  }

  /**
   * log of a bound of |F| where |e^t/u| ≥ e^{low}, at most e^{high}/cos(turn/2), and arg u within theta: |F(w)| ≤ e^{α²/2μ²} F(|w|), α = arg w.
   */
  private innerOn({ atMost }: Integrand, low: number, high: number, theta: number, turn: number): number {
    const { mu, rate: q } = this.inner;
    const a = 1 - q;
    const w = (expm1(low) + q) * (1 - 1e-9) - 16 * U * (1 + Math.abs(expm1(low)));
    if (!(w > 0)) return Infinity;
    const sin = sinPi(theta * INVERSE_PI);
    const half = sinPi((theta / 2) * INVERSE_PI);
    // (A + w) cos θ − A
    const alpha = atan2((a + w) * sin, w - 2 * (a + w) * half * half) * (1 + 1e-9);
    let size = w;
    if (this.mirrored) {
      const cos = cosPi((turn / 2) * INVERSE_PI);
      const most = (Math.max(0, expm1(high) + q) + a * (1 - cos)) / cos;
      size = Math.sqrt(most * most + 4 * a * (a + most) * half * half) * (1 + 1e-9) + 16 * U;
    }
    return atMost(size) + (alpha * alpha) / (2 * mu * mu);
  }

  private addPanel(
    { shifted, at }: Integrand,
    t: number,
    right: number,
    half: number,
    top: number,
    sums: { sum: number; roundOff: number },
  ): void {
    const { mu, rate: q } = this.outer;
    const { node, weight } = gaussLegendre(NODES);
    for (let i = 0; i < NODES; i++) {
      const x = right - 2 * half * node[i];
      const s = mu * x - (mu * mu) / 2;
      const y = subsampledLoss(s, q);
      const share = q * exp(s - y);
      const d = t - y;
      const { log: f, slope, error } = at(d);
      const value = 2 * half * weight[i] * INVERSE_SQRT_2PI * exp((shifted ? y : 0) - (x * x) / 2 + f - top);
      // of y: its own rounding, that of s, and what the place of the node is off
      const loss =
        U * (9 * Math.abs(y) + share * (4 * Math.abs(s) + 4 * mu * mu + mu * (Math.abs(x) + 8 * half)));
      const inner = loss + U * (2 * Math.abs(t) + 2 * Math.abs(d));
      const logs = Math.abs(f) + Math.abs(top) + (shifted ? Math.abs(y) : 0);
      const own = U * (32 + 2 * x * x + 8 * half * Math.abs(x) + 8 * logs) + error;
      sums.sum += value;
      sums.roundOff += value * (own + (shifted ? loss : 0) + slope * inner);
    }
  }
}

function answerOf(value: Value | undefined): Answer | undefined {
  if (value === undefined) return undefined;
  const { log: logValue, quadrature, roundOff, truncation, end, nodes } = value;
  const doubt = quadrature + roundOff + end;
  if (!(doubt < Infinity)) return undefined;
  const upper = logValue + log1p(doubt + truncation) + 1e-15;
  const lower = doubt < 0.5 ? logValue + log1p(-doubt) - 1e-15 : -Infinity;
  return {
    lower,
    upper,
    budget: { aliasing: 0, truncation: truncation + end, quadrature, roundOff, smoothing: 0, nodes },
  };
}
