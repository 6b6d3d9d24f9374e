import type { Kernel } from '../../../kernel/kernel.js';
import { HALF_LOG_2PI, INVERSE_PI, U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { cosPi, exp, expm1, log, log1p } from '../../../numeric/scalar.js';
import { threeBitsBelow } from '../step/gaussian-range.js';
import {
  type Both,
  type Functionals,
  guessAccepted,
  type Known,
  Knowns,
  logAccepted,
  OneStep,
  type Steps,
} from './functionals.js';
import type { SampledPhase } from './split-lines.js';
import { BLOCK, type Block, type Pair, type Question, type Two, Walk } from './walk.js';

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

type Which = 0 | 1;

/** Terms at τ = jh, those of each block one after the other: log of B/W = 1/(1 + e^{−τ}), of 1 − B/W and of u, the output, and the ζ of K/u. */
interface Places {
  readonly tau: Float64Array;
  readonly logShare: Float64Array;
  readonly logGap: Float64Array;
  readonly logU: Float64Array;
  readonly x: Float64Array;
  readonly zeta: Float64Array;
}

/**
 * One Poisson-subsampled Gaussian step more: F(K) = ∫ φ(u)·F_inner(K/u(x)) dx over its output x by equal steps of τ, B = W/(1 + e^{−τ}), and in closed form from B = W
 * on. Methods and bounds: docs/proofs/few-steps.md.
 */
export class OuterStep implements Functionals {
  private readonly last: OneStep;

  constructor(
    private readonly kernel: Kernel,
    private readonly phase: SampledPhase,
    private readonly inner: Functionals,
    readonly steps: Steps,
    private readonly coarse: Coarse = {},
  ) {
    this.last = new OneStep(kernel, phase);
  }

  at(zetas: Float64Array, falling: boolean): Both | undefined {
    const both = [new Knowns(zetas.length), new Knowns(zetas.length)] as const;
    const sums = this.sums(zetas, falling);
    sums?.forEach((pair, i) => {
      both[0].set(i, pair[0]);
      both[1].set(i, pair[1]);
    });
    return sums && both;
  }

  /** The same, with what errors consist of. */
  sums(zetas: Float64Array, falling: boolean): (readonly [Sum, Sum])[] | undefined {
    const questions = Array.from(zetas, (zeta) => this.questionOf(zeta, falling));
    const beyond = falling ? this.beyond(questions) : [];
    const others = this.steps.phases.length - 1;
    const { share } = this;
    const walks = questions.map((of, i) => new Walk(of, Math.round(-log(others) / of.h), beyond[i]));
    for (;;) {
      const blocks = walks.flatMap((walk) => walk.next(share));
      if (blocks.length === 0) return walks.map((walk) => [sumOf(walk, 0), sumOf(walk, 1)]);
      if (walks.some(({ nodes }) => nodes > MOST_NODES) || !this.add(blocks, falling)) return undefined;
    }
  }

  private get share(): number {
    return this.coarse.ends ?? SHARE;
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
  private beyond(questions: readonly Question[]): Pair[] {
    const { least, missing, error } = this.inner.steps;
    const logLeast = log(least);
    const last = this.last.at(
      Float64Array.from(questions, ({ zeta }) => zeta - logLeast),
      true,
    );
    return questions.map(({ zeta, off }, i) => {
      const [first, second] = [last[0].at(i), last[1].at(i)];
      const ratio = ((least * (1 - this.phase.rate) + exp(zeta)) * missing) / least;
      const known = (value: number, wrong: number): Known => {
        const slope = Math.max(first.slope, second.slope + 1);
        return { log: value, slope, error: first.error + second.error + slope * off + wrong };
      };
      const excess = logSum(first.log, second.log + log(ratio));
      return [known(excess, 4 * error + 16 * U), known(second.log, 0)];
    });
  }

  /** Adds the terms of some blocks to their sums, and bounds what lies beyond the last of each; false where one is unknown. */
  private add(blocks: readonly Block[], falling: boolean): boolean {
    const places = this.placesOf(blocks);
    const known = this.inner.at(places.zeta, falling);
    if (known === undefined) return false;
    const { logU, logGap, x } = places;
    const n = x.length;
    const sizes = new Float64Array(2 * n);
    for (let i = 0; i < n; i++) {
      const own = logGap[i] - (x[i] * x[i]) / 2;
      sizes[i] = known[0].log[i] + own + logU[i];
      // u, where it is in the integrand
      sizes[n + i] = known[1].log[i] + own + (falling ? 0 : logU[i]);
    }
    const values = sizes.slice();
    const totals = [0, 1].flatMap((which) => blocks.map(({ walk }) => walk.totals[which]));
    for (let k = 0; k < totals.length; k++) {
      let most = -Infinity;
      for (let i = BLOCK * k; i < BLOCK * (k + 1); i++) most = Math.max(most, sizes[i]);
      totals[k].reach(most);
    }
    // both sides of a walk have one unit, which either may raise
    for (let k = 0; k < totals.length; k++)
      for (let i = BLOCK * k; i < BLOCK * (k + 1); i++) values[i] -= totals[k].top;
    this.kernel.exp(values, values);
    for (let k = 0; k < blocks.length; k++) {
      this.addBlock(blocks[k].walk, places, known, values, BLOCK * k);
      this.bound(blocks[k], places, known, sizes, BLOCK * (k + 1) - 1);
    }
    return true;
  }

  private placesOf(blocks: readonly Block[]): Places {
    const { kernel } = this;
    const { mu, rate } = this.phase;
    const n = BLOCK * blocks.length;
    const tau = new Float64Array(n);
    const d = new Float64Array(n);
    for (let k = 0; k < blocks.length; k++) {
      const { first, step, walk } = blocks[k];
      for (let i = 0; i < BLOCK; i++) {
        const own = (first + step * i) * walk.of.h;
        tau[BLOCK * k + i] = own;
        d[BLOCK * k + i] = -Math.abs(own);
      }
    }
    kernel.exp(d, d);
    const l = kernel.log1p(d);
    const logU = new Float64Array(n);
    for (let k = 0; k < blocks.length; k++) {
      const { w } = blocks[k].walk.of;
      for (let i = BLOCK * k; i < BLOCK * (k + 1); i++)
        logU[i] = 1 - rate + (w * (tau[i] < 0 ? d[i] : 1)) / (1 + d[i]);
    }
    kernel.log(logU, logU);
    const logShare = new Float64Array(n);
    const logGap = new Float64Array(n);
    const x = new Float64Array(n);
    const zeta = new Float64Array(n);
    for (let k = 0; k < blocks.length; k++) {
      const { end, zeta: own } = blocks[k].walk.of;
      for (let i = BLOCK * k; i < BLOCK * (k + 1); i++) {
        logShare[i] = Math.min(0, tau[i]) - l[i];
        logGap[i] = Math.min(0, -tau[i]) - l[i];
        x[i] = end + logShare[i] / mu;
        zeta[i] = own + logGap[i] - logU[i];
      }
    }
    return { tau, logShare, logGap, logU, x, zeta };
  }

  private addBlock(
    { of, totals }: Walk,
    places: Places,
    known: Both,
    values: Float64Array,
    from: number,
  ): void {
    const { mu } = this.phase;
    const { zeta, off, blur } = of;
    const { x: outputs, tau: taus, logU, logShare } = places;
    for (const which of [0, 1] as const) {
      const { log, error, slope } = known[which];
      const at = which * outputs.length;
      let [body, doubt, steep] = [0, 0, 0];
      for (let i = from; i < from + BLOCK; i++) {
        const x = Math.abs(outputs[i]);
        const tau = Math.abs(taus[i]);
        const moved = off + U * (16 + 2 * (Math.abs(zeta) + tau + Math.abs(logU[i])));
        const place = blur + (U * (4 + 4 * Math.abs(logShare[i]))) / mu + 2 * U * x;
        const own = moved + x * place + U * (16 + 4 * x * x + 4 * tau);
        const wrong = own + error[i] + slope[i] * moved + 8 * U * Math.abs(log[i]);
        const value = values[at + i];
        body += value;
        doubt += value * wrong;
        steep += value * (x / mu + 1 + slope[i]);
      }
      totals[which].add(body, doubt, steep);
    }
  }

  /** Bounds what lies beyond term i, the last of a block. */
  private bound(
    { walk, side, last }: Block,
    places: Places,
    known: Both,
    sizes: Float64Array,
    i: number,
  ): void {
    const { of, totals } = walk;
    const n = places.x.length;
    // what lies beyond terms that count is not asked for
    const [first, second] = totals;
    const { share } = this;
    if (sizes[i] > first.largest + share || sizes[n + i] > second.largest + share) return;
    const x = places.x[i];
    const u = places.logU[i];
    const beyond =
      side === 'right' ? this.rightOf(of, last, x) : this.leftOf(of, last, x, [u, of.falling ? 0 : u]);
    // falling functionals are at most 1 on the right and fall to the left, rising ones fall to the right
    const bounded = of.falling === (side === 'right');
    for (const which of [0, 1] as const) {
      const { log: own, error } = known[which];
      totals[which][side] = beyond[which] + (bounded ? 0 : own[i] + log1p(error[i]) + 1e-9);
    }
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

function sumOf({ of, totals, beyond, nodes }: Walk, which: Which): Sum {
  const { falling, unit, rule } = of;
  const total = totals[which];
  const rest = beyond?.[which];
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
