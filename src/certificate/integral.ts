/**
 * log δ(ε) by the trapezoidal rule on the contour z = c + iτ, with bounds of all errors. δ is (1/π)∫₀^∞ Re[M(z)e^{−(z − 1)ε}k(z)] dτ. Proofs are in
 * docs/proofs/verify.md.
 */
import * as own from './elementary.js';
import { type Errors, type Law, type Tilted, U, type WorkLeft } from './laws.js';
import type { VerifiedPhase } from './phases.js';

/** log δ, and bounds of its error by cause. */
export interface Integral {
  readonly value: number;
  readonly errors: IntegralErrors;
  /** Upper bound of log δ without an integral: the log of Chernoff's bound M(c)e^{−(c − 1)ε}. */
  readonly atMost: number;
}

/** Bounds of the error of log δ by cause. */
export interface IntegralErrors extends Errors {
  /** Error due to the spacing of the frequencies τ. */
  readonly aliasing: number;
  /** Error due to the omitted frequencies. */
  readonly truncation: number;
}

/** Changes of spacings and limits that tests make, to see that larger errors appear in the bounds. */
export interface Starved {
  /** Factor of the frequencies' spacing. */
  readonly spacing?: number;
  /** Factor of the spacing of the quadratures for M. */
  readonly coarse?: number;
  /** Terms below this fraction of the integral are bounded together, not computed; default NEGLIGIBLE. */
  readonly level?: number;
  /** Shift of the lattice of the losses relative to ε; default 0. It is counted as an error of the lattice's position. */
  readonly place?: number;
}

/** Errors of an integral that cannot be computed. */
const UNKNOWN = { aliasing: Infinity, truncation: Infinity, quadrature: Infinity, rounding: Infinity };

/** Terms below this fraction of the integral are bounded together: a tenth of a rounding error. */
const NEGLIGIBLE = 1e-17;
/** Aliasing error aimed at, relative to a bound of the integral. */
const ALIASED = 1e-13;
/** The answer of a step when no allowance of work is left. */
const SPENT: Tilted = {
  log: Number.NaN,
  errors: { quadrature: 0, rounding: 0 },
  spread: Number.NaN,
  at: () => ({ log: Number.NaN, argument: 0, quadrature: 0, rounding: 0 }),
  beyond: () => 1,
};

/** Largest number of frequencies at which the run is evaluated; and the number after which it is estimated whether they suffice. */
const [MAX_TERMS, LOOKED_AT] = [5000, 250];

/** If the truncation error beyond the last frequency would exceed this fraction of the integral, it is not computed further. */
const HOPELESS = 1e-3;

/**
 * log δ(ε) of a run in one direction by the trapezoidal rule on one contour, with all errors. The probability of outputs that only one law gives is
 * added at the end. Ensures: |log δ − value| is at most the sum of the errors, and log δ at most `atMost`.
 *
 * @param remove The direction: 'remove', or else 'add'.
 * @param work The allowance, which is reduced.
 */
export function integrate(
  phases: readonly VerifiedPhase[],
  epsilon: number,
  remove: boolean,
  work: WorkLeft,
  starved: Starved = {},
): Integral {
  const kernel = kernelFor(phases, epsilon, remove, starved.place);
  const lines = new Map<number, Line>();
  const on = (c: number) => {
    const found =
      lines.get(c) ??
      new Line(phases, epsilon, c, (law) =>
        work.left < 0 ? SPENT : law.tilted(c, remove, work, starved.coarse),
      );
    lines.set(c, found);
    return found;
  };
  const line = on(
    contourOf(
      (c) => on(c).exponent + own.log(kernel.at(c, 0).re),
      (c) => Math.sqrt(on(c).variance),
    ),
  );
  const failing = -own.expm1(phases.reduce((all, { apart, count }) => all + count * own.log1p(-apart), 0));
  const withFailing = (log: number) => (failing > 0 ? own.log(own.exp(log) + failing) : log);
  const atMost = withFailing(exponentOf(line));
  if (own.log(line.c - 1) > FARTHEST - 0.1) return { value: Number.NaN, errors: UNKNOWN, atMost };
  const spacing = spacingOf(line, kernel, on) * (starved.spacing ?? 1);
  // the period of a lattice is a whole multiple of the spacing
  const h = kernel.end < Infinity ? kernel.end / Math.max(1, Math.floor(kernel.end / spacing)) : spacing;
  const { sum, ...left } = trapezoid(line, kernel, h, starved.level ?? NEGLIGIBLE, work);
  const share = (x: number) => (x < 0.5 * sum ? -own.log1p(-x / sum) : Infinity);
  const value = line.exponent + own.log(sum);
  const errors = {
    aliasing: share(aliasing(line, h, on)),
    truncation: share(left.truncation),
    quadrature: share(left.quadrature) + line.errors.quadrature,
    rounding: share(left.rounding) + line.errors.rounding + 4 * U * (Math.abs(value) + 1),
  };
  return { value: withFailing(value), errors, atMost };
}

/** The run under exponential tilting by c: the factors φ of its steps on the contour. */
class Line {
  /** Σ count·log M(c) − (c − 1)ε. */
  readonly exponent: number;
  readonly errors: Errors;
  /** Upper bound of the variance of the tilted loss. */
  readonly variance: number;
  readonly parts: readonly { readonly count: number; readonly tilted: Tilted }[];

  /** The steps tilted by c, and the sum of their log M(c), with quadrature and rounding errors. */
  constructor(
    phases: readonly VerifiedPhase[],
    readonly epsilon: number,
    readonly c: number,
    tilt: (law: Law) => Tilted,
  ) {
    const parts = phases.map(({ law, count }) => ({ count, tilted: tilt(law) }));
    const total = (of: (tilted: Tilted) => number) =>
      parts.reduce((sum, { count, tilted }) => sum + count * of(tilted), 0);
    const ending = (c - 1) * epsilon;
    const size = total(({ log }) => Math.abs(log)) + Math.abs(ending);
    this.parts = parts;
    this.exponent = total(({ log }) => log) - ending;
    const rounding = total(({ errors }) => errors.rounding) + (4 + phases.length) * U * size;
    this.errors = { quadrature: total(({ errors }) => errors.quadrature), rounding };
    this.variance = total(({ spread }) => spread ** 2);
  }

  /** The product of the steps' φ(τ)^count, with bounds of its error (verify.md 4). */
  at(tau: number): Product {
    let [log, angle, size, above, quadrature, rounding] = [
      0,
      -tau * this.epsilon,
      Math.abs(tau * this.epsilon),
      0,
      0,
      0,
    ];
    for (const { count, tilted } of this.parts) {
      const phi = tilted.at(tau);
      log += count * phi.log;
      angle += count * phi.argument;
      size += count * (Math.abs(phi.argument) + Math.abs(phi.log));
      // |x^n − y^n| ≤ n·|x − y|·max(|x|, |y|)^{n − 1}
      const most = own.exp(phi.log) + phi.quadrature + phi.rounding;
      above += count * own.log(most);
      quadrature += (count * phi.quadrature) / most;
      rounding += (count * phi.rounding) / most;
    }
    return { log, angle, above, quadrature, rounding: rounding + (6 + this.parts.length) * U * (1 + size) };
  }

  /** Upper bound of |∏ φ^count| within `reach` of τ (verify.md 3), from the factors at τ, and from their bounds `far` beyond a smaller frequency. Ensures: no smaller than the product anywhere within `reach` of τ. */
  near(tau: number, reach: number, far: Far): number {
    let log = 0;
    for (const [i, { count, tilted }] of this.parts.entries()) {
      const phi = tilted.at(tau);
      const [errorBound, change] = [phi.quadrature + phi.rounding, reach * tilted.spread];
      const most = own.exp(phi.log) + errorBound + change;
      // within `reach` both |φ| and √(1 − |φ|²) change by at most `change`
      const rest = Math.sqrt(Math.max(0, -own.expm1(2 * phi.log) - 2 * errorBound)) - change;
      log += count * Math.min(0, own.log(most), 0.5 * own.log1p(-(Math.max(0, rest) ** 2)), far.logs[i] ?? 0);
    }
    return own.exp(log);
  }

  /** Upper bounds of |φ| of each step, and of the product, for all frequencies from τ on. */
  beyond(tau: number): Far {
    const logs = this.parts.map(({ tilted }) => own.log(Math.min(1, tilted.beyond(tau))));
    return { logs, log: this.parts.reduce((sum, { count }, i) => sum + count * logs[i]!, 0) };
  }
}

/** A product of factors φ^count, with bounds of its error. */
interface Product extends Errors {
  readonly log: number;
  readonly angle: number;
  /** log of an upper bound of the modulus; errors are relative to that bound. */
  readonly above: number;
}

/** Logarithms of upper bounds of |φ| of each step, and of the product of all, from some frequency on. */
interface Far {
  readonly logs: readonly number[];
  readonly log: number;
}

/** No upper bounds of |φ| from any frequency on. */
const NOWHERE: Far = { logs: [], log: 0 };

/**
 * The kernel k(z) of the integral, and its largest frequency `end`. They are 1/(z(z − 1)) and ∞. For losses on a lattice they are a sum over the
 * lattice's losses and π/spacing (verify.md 1).
 */
interface Kernel {
  readonly end: number;
  at(c: number, tau: number): { readonly re: number; readonly im: number; readonly size: number };
  /** Bound of the rounding error of the lattice's position. */
  readonly shift: number;
}

/** The kernel of δ (verify.md 1): for losses on no lattice, or for losses on one lattice, where one period of the contour is exact. Rounding errors are added in `termAt`. @param off Shift of the lattice. */
function kernelFor(phases: readonly VerifiedPhase[], epsilon: number, remove: boolean, off = 0): Kernel {
  const spacing = Math.min(...phases.map(({ lattice }) => lattice?.spacing ?? 0));
  const multiple = (x: number) => Math.abs(x / spacing - Math.round(x / spacing)) < (8 * U * x) / spacing;
  if (!(spacing > 0 && phases.every(({ lattice }) => multiple(lattice!.spacing)))) {
    const at = (c: number, tau: number) => {
      const [a, b] = [c * (c - 1) - tau * tau, tau * (2 * c - 1)];
      const square = a * a + b * b;
      return { re: a / square, im: -b / square, size: 1 / Math.sqrt(square) };
    };
    return { end: Infinity, at, shift: 0 };
  }
  const loss = phases.reduce((sum, { lattice, count }) => sum + count * lattice!.one, 0);
  const size = phases.reduce((sum, { lattice, count }) => sum + count * Math.abs(lattice!.one), 0);
  const place = ((remove ? loss : -loss) - epsilon) / spacing;
  // gap: the distance from ε to the next larger loss
  const gap = (place - Math.floor(place)) * spacing + off;
  // the geometric sum over the lattice's losses beyond ε, e^{−w·gap}/(1 − e^{−w·spacing}), for w = a + iτ
  const geometric = (a: number, tau: number): [number, number] => {
    const share = own.exp(-a * spacing);
    const half = own.sin((tau * spacing) / 2);
    const [x, y] = [2 * share * half * half - own.expm1(-a * spacing), share * own.sin(tau * spacing)];
    const whole = own.exp(-a * gap) / (x * x + y * y);
    const [p, q] = [own.cos(tau * gap), -own.sin(tau * gap)];
    return [whole * (p * x + q * y), whole * (q * x - p * y)];
  };
  const at = (c: number, tau: number) => {
    const [first, second] = [geometric(c - 1, tau), geometric(c, tau)];
    return {
      re: spacing * (first[0] - second[0]),
      im: spacing * (first[1] - second[1]),
      size: spacing * (own.hypot(...first) + own.hypot(...second)),
    };
  };
  return {
    end: Math.PI / spacing,
    at,
    shift: (8 + phases.length) * U * (size + Math.abs(epsilon)) + Math.abs(off),
  };
}

/** Range of log(c − 1) in the search for the minimum of the exponent. */
const [NEAREST, FARTHEST] = [own.log(1e-8), own.log(2000)];

/** Heuristic: a contour near the saddle point, the minimum of the exponent, by golden section search. It is placed slightly beside it, so that it differs from the contour of the certificate. */
function contourOf(exponent: (c: number) => number, deviation: (c: number) => number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  const at = (x: number) => exponent(1 + own.exp(x));
  let [low, high] = [NEAREST, FARTHEST];
  let [p, q] = [high - golden * (high - low), low + golden * (high - low)];
  let [f, g] = [at(p), at(q)];
  for (let i = 0; i < 30; i++) {
    if (f < g || Number.isNaN(g)) {
      [high, q, g] = [q, p, f];
      p = high - golden * (high - low);
      f = at(p);
    } else {
      [low, p, f] = [p, q, g];
      q = low + golden * (high - low);
      g = at(q);
    }
  }
  const distance = own.exp((low + high) / 2);
  const off = Math.min(0.05 * distance, 0.5 / deviation(1 + distance));
  const [left, right] = [1 + distance - off, 1 + distance + off];
  return exponent(left) < exponent(right) ? left : right;
}

/** Heuristic: a spacing of the frequencies at which the bound of the aliasing error is below ALIASED. */
function spacingOf(line: Line, kernel: Kernel, on: (c: number) => Line): number {
  const wide = 1 / Math.sqrt(line.variance + 1 / (line.c - 1) ** 2);
  const target = ALIASED * kernel.at(line.c, 0).re * wide;
  let h = wide;
  for (let round = 0; round < 20 && !(aliasing(line, h, on) < target); round++) h /= 1.4;
  return h;
}

/**
 * Bound of the aliasing error Σ_{j ≠ 0} δ(ε + jP)e^{(c − 1)jP} of the trapezoidal rule of spacing h, with P = 2π/h; it is relative to M(c)e^{−(c −
 * 1)ε}. Each δ(x) is at most Chernoff's M(b)e^{−(b − 1)x}, at the best of some b ≥ 1 (verify.md 2).
 *
 * Ensures: no smaller than the aliasing error.
 */
function aliasing(line: Line, h: number, on: (c: number) => Line): number {
  const period = (2 * Math.PI) / h;
  const side = (b: number) => {
    const other = b === 1 ? 0 : exponentOf(on(b));
    const t = Math.abs(b - line.c) * period;
    const most = own.exp(other - exponentOf(line, -1) - t) / -own.expm1(-t);
    return Number.isNaN(most) ? Infinity : most;
  };
  const steps = Array.from({ length: 12 }, (_, k) => 2 ** (k - 7) / Math.sqrt(line.variance));
  const right = Math.min(...steps.map((step) => side(line.c + step)));
  const left = Math.min(...steps.map((step) => side(Math.max(1, line.c - step))));
  return right + left;
}

/** Upper bound (side 1) or lower bound (side −1) of log M(c)e^{−(c − 1)ε}, by the error bounds of log M(c). */
function exponentOf({ exponent, errors }: Line, side = 1): number {
  return exponent + side * (errors.quadrature + errors.rounding);
}

/** The integrand at frequency τ over e^{exponent}, a bound of its modulus, and its quadrature and rounding errors (verify.md 4). Ensures: the error of the term is at most the sum of its errors, and its modulus at most `above`. */
function termAt(line: Line, kernel: Kernel, tau: number): { term: number; above: number } & Errors {
  const { re, im, size } = kernel.at(line.c, tau);
  const product = line.at(tau);
  const above = own.exp(product.above);
  const modulus = own.hypot(re, im);
  const place = (16 * U + kernel.shift * own.hypot(line.c, tau)) * size;
  return {
    term: own.exp(product.log) * (re * own.cos(product.angle) - im * own.sin(product.angle)),
    above: above * size,
    rounding: above * (product.rounding * modulus + place),
    quadrature: above * product.quadrature * modulus,
  };
}

/**
 * The trapezoidal sum over e^{exponent}, with its errors except aliasing. Stretches of terms whose bound is below `level` of the sum are not
 * computed; their bounds are added to the truncation error (verify.md 3). The sum ends where all further terms are negligible, or the allowance is
 * spent. Their bound is added too.
 *
 * Ensures: the error of the sum is at most the errors stated, except aliasing.
 */
function trapezoid(
  line: Line,
  kernel: Kernel,
  h: number,
  level: number,
  work: WorkLeft,
): { sum: number; truncation: number } & Errors {
  const last = Math.round(kernel.end / h);
  const least = work.left / 2;
  let [sum, whole, rounding, quadrature, truncation] = [0, 0, 0, 0, 0];
  let [k, stretch, octave, far] = [0, 1, 0, NOWHERE as Far];
  for (let round = 0; k <= last; round++) {
    const tau = k * h;
    const target = level * Math.abs(sum);
    if (k >= 2 * octave && k > 0) {
      octave = own.powerOfTwoIn(k);
      far = stretch > 1 ? line.beyond(octave * h) : NOWHERE;
    }
    const all = (from: Far, t = tau) =>
      kernel.end < Infinity ? Infinity : own.exp(from.log) * (1 / (t * h) + 1 / t ** 2);
    // no term was small so far, and the bound beyond the last frequency is not small either
    const isHopeless =
      round === LOOKED_AT &&
      k === round &&
      last > MAX_TERMS &&
      all(line.beyond(MAX_TERMS * h), MAX_TERMS * h) > HOPELESS * Math.abs(sum);
    const spent = isHopeless || round >= MAX_TERMS || work.left < least;
    if (spent || all(far) < target) {
      truncation += all(spent ? line.beyond(tau) : far);
      break;
    }
    if (stretch > 1) {
      const reach = ((stretch - 1) * h) / 2;
      const most = stretch * line.near(tau + reach, reach, far) * kernel.at(line.c, tau).size;
      if (most < target) {
        truncation += most;
        k += stretch;
        stretch *= 2;
      } else stretch /= 2;
      continue;
    }
    const { term, above, ...errors } = termAt(line, kernel, tau);
    if (Number.isNaN(term)) return { sum: term, truncation: term, rounding: term, quadrature: term };
    sum += (k === 0 || k === last ? 0.5 : 1) * term;
    whole += Math.abs(term);
    rounding += errors.rounding;
    quadrature += errors.quadrature;
    k++;
    if (above < target) stretch = 2;
  }
  const unit = h / Math.PI;
  return {
    sum: sum * unit,
    truncation: truncation * unit,
    rounding: (rounding + k * U * whole) * unit,
    quadrature: quadrature * unit,
  };
}
