/**
 * The loss L of one step under exponential tilting: M(z) = E_base[e^{zL}] as a sum over outputs, with error bounds. Proofs are in
 * docs/proofs/verify.md.
 */
import * as own from './elementary.js';
import {
  type Errors,
  type Law,
  type Phi,
  phiOf,
  sampledLoss,
  type Tilted,
  U,
  type WorkLeft,
} from './laws.js';

/** Nodes of a quadrature rule over outputs: logs of their masses under the base, and losses. */
interface Rule {
  readonly masses: Float64Array;
  readonly losses: Float64Array;
  /** Bound of the integral beyond the first and the last node, as a multiple of their terms. */
  readonly tail: number;
  /** Probability of outputs that only one law of the pair gives. */
  readonly apart?: number;
  /** Bound of the quadrature error of M(a + ib) relative to M(a), without what lies beyond the end nodes. */
  quadratureError(b: number): number;
}

/** N(0, σ²) against N(1, σ²) on a Poisson sample, with M by the trapezoidal rule. Its error is bounded by the integrand in a strip around the real axis (verify.md 6). */
export function sampledGaussianLaw(sigma: number, rate: number): Law {
  const rule = (a: number, b: number, coarse: number): Rule => {
    // bound of the argument of 1 − q + qe^s in the strip |Im x| ≤ width
    const angle = Math.min(9 / sigma, 2, a < 0 ? Math.sqrt(200 / -a) : 2);
    const width = angle * sigma ** 2;
    const turned = a < 0 ? a * own.log(own.cos(angle / 2)) : 0;
    const growth = (tau: number) => width ** 2 / (2 * sigma ** 2) + Math.abs(tau) * angle + turned;
    const h = coarse * own.powerOfTwoIn((2 * Math.PI * width) / (growth(b) + 60));
    const decay = (2 * Math.PI * width) / h;
    const quadratureError = (tau: number) =>
      Math.min(2, (2 * own.exp(growth(tau) - decay)) / -own.expm1(-decay));
    return {
      ...trapezoids(sigma, rate, h, a, own.log((sigma * Math.sqrt(2 * Math.PI)) / h)),
      quadratureError,
    };
  };
  return listed(rule, (a, log) => gaussianDecay(sigma, rate, a, log));
}

/** Discrete Gaussian noise, sampled or not, with M a sum over the multiples of `spacing`. There is no quadrature error. */
export function discreteGaussianLaw(sigma: number, spacing: number, rate: number): Law {
  const { masses } = trapezoids(sigma, rate, spacing, 0, 0);
  const total = own.log(sumOf(masses.length, (j) => own.exp(masses[j]!)));
  return listed((a) => ({ ...trapezoids(sigma, rate, spacing, a, total), quadratureError: () => 0 }));
}

/** Posterior probability of the record at output x of a Poisson sample: ρ = qe^s/(1 − q + qe^s); it is σ²·dL/dx. */
function shareAt(x: number, sigma: number, rate: number): number {
  return 1 / (1 + ((1 - rate) / rate) * own.exp((1 - 2 * x) / (2 * sigma ** 2)));
}

/**
 * An output below which the density, untilted or tilted by a, falls by a factor e^{times/σ} or more a unit. For a < 0 it uses that x − aρ(x)
 * increases, ρ as in `shareAt` (verify.md 6).
 */
function lowest(sigma: number, rate: number, a: number, times: number): number {
  let x = -times * sigma;
  while (a < 0 && a * shareAt(x, sigma, rate) - x < times * sigma) x -= sigma;
  return x;
}

/**
 * The nodes: the multiples of h within about 13σ of the bulk of outputs, untilted and tilted by a. Beyond them the integral is at most σ/13h times
 * the end terms (verify.md 6).
 */
function trapezoids(
  sigma: number,
  rate: number,
  h: number,
  a: number,
  total: number,
): Pick<Rule, 'masses' | 'losses' | 'tail'> {
  const from = Math.floor(lowest(sigma, rate, a, 13) / h);
  const n = Math.ceil((Math.max(1, a) + 13 * sigma) / h) - from + 1;
  if (!(n <= MAX_NODES)) return NO_NODES;
  const [masses, losses] = [new Float64Array(n), new Float64Array(n)];
  for (let j = 0; j < n; j++) {
    const x = (from + j) * h;
    masses[j] = -(x * x) / (2 * sigma ** 2) - total;
    losses[j] = sampledLoss((2 * x - 1) / (2 * sigma ** 2), rate);
  }
  return { masses, losses, tail: sigma / (13 * h) };
}

/**
 * Laplace noise on a Poisson sample, with M by the atoms at the two ends and a Gauss–Legendre rule on panels between. Its error is bounded by the
 * integrand on ellipses around the panels (verify.md 7).
 */
export function sampledLaplaceLaw(epsilon: number, rate: number): Law {
  const rule = (a: number, b: number, coarse: number): Rule => {
    const [size, turn] = [Math.abs(a), Math.abs(b)];
    const half = Math.min(epsilon / 2, coarse * Math.min(0.5, 10 / (1 + 4 * size + 4 * turn)));
    const panels = Math.ceil(epsilon / (2 * half));
    const r = epsilon / (2 * panels);
    const n = 2 + panels * NODES.length;
    if (!(n <= MAX_NODES)) return { ...NO_NODES, quadratureError: () => 2 };
    const [masses, losses] = [new Float64Array(n), new Float64Array(n)];
    [masses[0], losses[0]] = [-Math.LN2, sampledLoss(-epsilon, rate)];
    [masses[1], losses[1]] = [-epsilon - Math.LN2, sampledLoss(epsilon, rate)];
    for (let j = 2; j < n; j++) {
      const [x, weight] = NODES[(j - 2) % NODES.length]!;
      const t = (2 * Math.floor((j - 2) / NODES.length) + 1 + x) * r;
      masses[j] = own.log((weight * r) / 2) - t;
      losses[j] = sampledLoss(2 * t - epsilon, rate);
    }
    // the ellipse of ρ = 4 around a panel: half-axes 2.125 r and 1.875 r
    const turned = 1.875 * r < 1.5 ? -size * own.log(own.cos(1.875 * r)) : Infinity;
    const quadratureError = (tau: number) => {
      const growth = r * (3.125 + 6.25 * size + 3.75 * Math.abs(tau)) + turned;
      return Math.min(2, (4 / 3) * 4 ** (1 - 2 * NODES.length) * own.exp(growth));
    };
    return { masses, losses, tail: 0, quadratureError };
  };
  return listed(rule, (a, log) => {
    // the tilted density of the losses is largest at an end, so its variation is at most twice the sum of its ends (verify.md 8)
    const end = (t: number, s: number) => own.exp(-t - s + (a + 1) * sampledLoss(s, rate) - log) / (4 * rate);
    const [first, last] = [end(0, -epsilon), end(epsilon, epsilon)];
    const atoms = 0.5 * own.exp(a * sampledLoss(-epsilon, rate) - log);
    const held = atoms + 0.5 * own.exp(a * sampledLoss(epsilon, rate) - epsilon - log);
    return (tau) => held + (2 * (first + last)) / tau;
  });
}

/** Finitely many losses, sampled or not. `apart` is the probability of outputs that only one law gives. */
export function atomsLaw(
  atoms: readonly (readonly [mass: number, loss: number])[],
  rate: number,
  apart = 0,
): Law {
  const masses = Float64Array.from(atoms, ([mass]) => own.log(mass));
  const losses = Float64Array.from(atoms, ([, s]) => sampledLoss(s, rate));
  return listed(() => ({ masses, losses, tail: 0, apart, quadratureError: () => 0 }));
}

/** Largest number of nodes of a quadrature. */
const MAX_NODES = 2e5;
/** A rule without nodes, where more than MAX_NODES would be needed. */
const NO_NODES = { masses: Float64Array.of(Number.NaN), losses: Float64Array.of(Number.NaN), tail: 0 };

/**
 * A law from a quadrature rule for M(a + ib). a is c in direction 'remove' and 1 − c in direction 'add'.
 *
 * @param decayOf Gives a bound of |φ| for all frequencies from one on (verify.md 8).
 */
function listed(
  rule: (a: number, b: number, coarse: number) => Rule,
  decayOf?: (a: number, log: number) => (tau: number) => number,
): Law {
  const tilted = (c: number, remove: boolean, work: WorkLeft, coarse = 1): Tilted => {
    const a = remove ? c : 1 - c;
    const sums = new Map<number, Sums>();
    // one rule serves all frequencies up to the next power of two
    const upTo = (frequency: number): Sums => {
      const octave = own.powerOfTwoIn(frequency);
      const b = frequency === 0 || frequency === octave ? frequency : 2 * octave;
      const found = sums.get(b) ?? new Sums(rule(a, b, coarse), a, work);
      if (sums.size >= 4) sums.clear();
      sums.set(b, found);
      return found;
    };
    const { log, errors, spread } = upTo(0);
    let decay: ((tau: number) => number) | undefined;
    return {
      log,
      errors,
      spread,
      at: (tau) => upTo(Math.abs(tau)).phi(remove ? tau : -tau, work),
      beyond: (tau) => {
        decay ??= decayOf?.(a, log);
        return Math.min(1, decay?.(tau) ?? 1);
      },
    };
  };
  return { tilted };
}

/** M(a) and φ(b) = M(a + ib)/M(a) by sums over the nodes of a rule, with quadrature and rounding errors. */
class Sums {
  readonly log: number;
  readonly errors: Errors;
  readonly spread: number;
  /** Rounding error of φ(b) per unit of |b|. */
  readonly #rounding: number;
  readonly #weights: Float64Array;
  readonly #rule: Rule;
  readonly #quadratureError: (b: number) => number;

  /** Sums the weights mass·e^{aL} of the nodes: log M(a), a bound of the spread of L, and error bounds of φ. */
  constructor(rule: Rule, a: number, work: WorkLeft) {
    const { masses, losses } = rule;
    const n = masses.length;
    work.left -= 4 * n;
    let top = -Infinity;
    for (let j = 0; j < n; j++) top = Math.max(top, masses[j]! + a * losses[j]!);
    const weights = masses.map((mass, j) => own.exp(mass + a * losses[j]! - top));
    const whole = sumOf(n, (j) => weights[j]!);
    for (let j = 0; j < n; j++) weights[j]! /= whole;
    // relative error of a weight: roundings of its exponent
    const relative = (j: number) => U * (6 * Math.abs(masses[j]!) + 8 * Math.abs(a * losses[j]!) + 8);
    const share = sumOf(n, (j) => weights[j]! * relative(j)) + 8 * U;
    this.#rounding = sumOf(n, (j) => weights[j]! * Math.abs(losses[j]!) * (relative(j) + share + 24 * U));
    this.#weights = weights;
    this.#rule = rule;
    const ends = (weights[0]! + weights[n - 1]!) * rule.tail;
    this.#quadratureError = (b) => rule.quadratureError(b) + ends;
    const mean = sumOf(n, (j) => weights[j]! * losses[j]!);
    this.spread = 1.001 * Math.sqrt(sumOf(n, (j) => weights[j]! * (losses[j]! - mean) ** 2));
    const quadrature = 2 * this.#quadratureError(0);
    const direct = top + own.log(whole);
    const rounding = share + 4 * U * (Math.abs(top) + Math.abs(direct) + 1);
    // log M from M − 1 is more accurate where M is near 1
    const excess = top < 300 ? excessOf(rule, a) : undefined;
    const better = excess !== undefined && excess.rounding < rounding;
    this.log = better ? excess.log : direct;
    this.errors = { quadrature, rounding: better ? excess.rounding : rounding };
  }

  /** φ(b): 1 − φ(b) = Σ weight·(1 − e^{ibL}) by compensated sums, with its quadrature and rounding errors. */
  phi(b: number, work: WorkLeft): Phi {
    const { losses } = this.#rule;
    const weights = this.#weights;
    work.left -= weights.length;
    // 1 − φ by compensated sums
    let [x, y, lostX, lostY] = [0, 0, 0, 0];
    const turn = new Float64Array(2);
    for (let j = 0; j < weights.length; j++) {
      own.sinCos(0.5 * b * losses[j]!, turn);
      const twice = 2 * weights[j]! * turn[0]!;
      const p = twice * turn[0]! - lostX;
      const nextX = x + p;
      lostX = nextX - x - p;
      x = nextX;
      const q = twice * turn[1]! - lostY;
      const nextY = y + q;
      lostY = nextY - y - q;
      y = nextY;
    }
    return phiOf(-x, y, this.#quadratureError(b) + this.#quadratureError(0), Math.abs(b) * this.#rounding);
  }
}

/** log M = log1p(Σ mass·(e^{aL} − 1) − apart), and its rounding error. Ensures: the error of log M is at most `rounding`. */
function excessOf({ masses, losses, apart = 0 }: Rule, a: number): { log: number; rounding: number } {
  const n = masses.length;
  const mass = masses.map(own.exp);
  const x = sumOf(n, (j) => mass[j]! * own.expm1(a * losses[j]!)) - apart;
  const relative = sumOf(n, (j) => {
    const [powerMinusOne, t] = [own.expm1(a * losses[j]!), Math.abs(a * losses[j]!)];
    return (
      mass[j]! *
      U *
      ((6 * Math.abs(masses[j]!) + 8) * Math.abs(powerMinusOne) + 8 * t * Math.max(1, powerMinusOne + 1))
    );
  });
  const log = own.log1p(x);
  return { log, rounding: relative / (1 + x) + 4 * U * Math.abs(log) };
}

/**
 * Bound of |φ| for all frequencies from τ on, for a sampled Gaussian tilted by a. It is 1 − ∫min(f, C·L′) + 4C/τ at the best of some C; f is the
 * tilted density of the outputs x, L′ = dL/dx (verify.md 8). The integral is taken from below on cells.
 */
function gaussianDecay(sigma: number, rate: number, a: number, log: number): (tau: number) => number {
  const [from, to] = [lowest(sigma, rate, a, 8), Math.max(1, a) + 8 * sigma];
  const n = Math.min(20_000, Math.ceil((200 * (to - from)) / sigma));
  const d = (to - from) / n;
  const at = (x: number) => {
    const s = (2 * x - 1) / (2 * sigma ** 2);
    const size = -(x * x) / (2 * sigma ** 2) + a * sampledLoss(s, rate) - log;
    return { f: own.exp(size) / (sigma * Math.sqrt(2 * Math.PI)), rho: shareAt(x, sigma, rate) };
  };
  // lower bounds of f and L′ in each cell, as |(log f)′| = |aρ − x|/σ²
  const [density, slope] = [new Float64Array(n), new Float64Array(n)];
  let [left, right] = [at(from), at(from)];
  for (let j = 0; j < n; j++) {
    [left, right] = [right, at(from + (j + 1) * d)];
    const [x, y] = [from + j * d, from + (j + 1) * d];
    const steep = a > 0 ? [a * left.rho - y, a * right.rho - x] : [a * right.rho - y, a * left.rho - x];
    const fall = (Math.max(...steep.map(Math.abs)) * d) / sigma ** 2;
    density[j] = Math.max(left.f, right.f) * own.exp(-fall);
    slope[j] = left.rho / sigma ** 2;
  }
  return (tau) => {
    let least = 1;
    for (let height = tau / 8; height > tau * 1e-6; height /= 2) {
      let within = 0;
      for (let j = 0; j < n; j++) within += Math.min(density[j]!, height * slope[j]!);
      least = Math.min(least, 1 - within * d + (4 * height) / tau + 1e-9);
    }
    return least;
  };
}

/** Σ term(j) for j < n, by compensated summation. */
function sumOf(n: number, term: (j: number) => number): number {
  let [sum, lost] = [0, 0];
  for (let j = 0; j < n; j++) {
    const x = term(j) - lost;
    const next = sum + x;
    lost = next - sum - x;
    sum = next;
  }
  return sum;
}

/** The 24 nodes and weights of the Gauss–Legendre rule on [−1, 1]. */
const NODES: readonly (readonly [x: number, weight: number])[] = gaussLegendre(24);

/** The Gauss–Legendre rule of n nodes on [−1, 1], by Newton's method on the Legendre polynomial. */
function gaussLegendre(n: number): [x: number, weight: number][] {
  return Array.from({ length: n }, (_, j) => {
    let x = own.cos((Math.PI * (j + 0.75)) / (n + 0.5));
    let slope = 1;
    for (let round = 0; round < 6; round++) {
      let [before, value] = [1, x];
      for (let k = 2; k <= n; k++)
        [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k];
      slope = (n * (x * value - before)) / (x * x - 1);
      x -= value / slope;
    }
    return [x, 2 / ((1 - x * x) * slope * slope)];
  });
}
