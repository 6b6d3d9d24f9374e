import type { Kernel } from '../../../kernel/kernel.js';
import { furthest, type Side, sideAt } from '../../../law/mixture-side.js';
import { INVERSE_PI, INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { free } from '../../../numeric/meter.js';
import { Once, Recent } from '../../../numeric/recent.js';
import { atan2, cosPi, exp, log, log1p, sinPi } from '../../../numeric/scalar.js';
import { cosine, cutTails } from './gaussian-range.js';
import { powerExcess } from './power-excess.js';
import {
  type Cumulant,
  type Decay,
  type LogPhiLine,
  MAX_WORK,
  type SpectralLaw,
  UNKNOWN,
} from './spectral-law.js';
import { decayOf, logPhiLine } from './weighted-losses.js';

/** Outputs that one mesh may have. */
const MAX_NODES = 2 ** 15;
/** Bounds of |M| on lines kept of one step; only speed hangs on it. */
const KEPT_DECAYS = 64;
/** Meshes kept of one step. */
const KEPT = 4;
/** Digits of sums on the axis and of lines, in logarithms. */
const DIGITS = { axis: 42, line: 38 };

/**
 * Two mixtures of Gaussians on one line, P = φ(x)u₋(−x) and Q = φ(x)u₊(x), u(x) = Σ w_i e^{a_i x − a_i²/2}, a_i ≥ 0:
 * M(z) = ∫ φ(x) u₊(x)^z u₋(−x)^{1−z} dx, y(x) = log u₊(x) − log u₋(−x). Proofs: docs/proofs/sampling.md.
 *
 * Quadrature. At x + ia the terms of u₊ turn by angles in [0, a₊a], those of u₋ by angles in [−a₋a, 0] (a₊, a₋ the largest shifts), so for
 * max(a₊, a₋) a < π both stay off the cut of the powers, cos(a±a/2) u± ≤ |u±(x + ia)| ≤ u±(x), and the integrand is at most
 *   e^{a²/2 + |τ|(a₊ + a₋)a} cos(a₊a/2)^{min(0, c)} cos(a₋a/2)^{min(0, 1−c)}
 * times its value at c and x. The trapezoidal rule of step h errs by at most 2 M(c) times that, times 1/(e^{2πa/h} − 1).
 *
 * Tails. d/dx log(φu₊^c u₋^{1−c}) is −x + c w₊ + (c − 1) w₋ with w± ∈ [0, a±].
 *
 * @param digits Of the sums, in logarithms: what they lack is charged, so that width alone hangs on them.
 */
export function mixtureSpectrum(plus: Side, minus: Side, digits = DIGITS): SpectralLaw {
  const pair = new MixtureMeshes(plus, minus, digits);
  const known = new Recent<number, Decay>(KEPT_DECAYS);
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => cumulant(pair, c, count),
    line: (kernel, c, dTau, n, count, first = 0) => line(kernel, pair, c, { dTau, n, first }, count),
    decay: (c) => known.of(c, () => decayAt(pair, c)),
  };
}

/** One step at the outputs x = h·(first + j): what sums over outputs share whatever their tilt. */
interface Mesh {
  readonly h: number;
  readonly first: number;
  /** log u₊(x) and log u₋(−x), and bounds on the absolute error of both together and of y. */
  readonly up: Float64Array;
  readonly down: Float64Array;
  readonly error: Float64Array;
  /** e^y − 1 and the absolute error of it. */
  readonly excess: Float64Array;
  readonly excessError: Float64Array;
  /** dy/dx. */
  readonly slope: Float64Array;
}

/** The nodes begin … end − 1 of a mesh. */
interface Stretch {
  readonly mesh: Mesh;
  readonly begin: number;
  readonly end: number;
}

class MixtureMeshes {
  readonly right: number;
  readonly left: number;
  private readonly kept: Mesh[] = [];

  constructor(
    private readonly plus: Side,
    private readonly minus: Side,
    readonly digits: typeof DIGITS,
  ) {
    this.right = furthest(plus);
    this.left = furthest(minus);
  }

  /** A step h of three bits with quadrature error ≤ e^{−depth} M(c) for |τ| ≤ tau. */
  stepFor(c: number, tau: number, depth: number): number {
    const { left, right } = this;
    const wanted = depth + 1;
    let best = Infinity;
    for (const share of [0.05, 0.1, 0.2, 0.4, 0.6, 0.75, 0.85, 0.92]) {
      const a = Math.min((share * Math.PI) / Math.max(left, right), share * 1.6 * Math.sqrt(2 * wanted));
      const shrink =
        Math.max(0, -c) * -log(cosine((right * a) / 2)) + Math.max(0, c - 1) * -log(cosine((left * a) / 2));
      best = Math.min(best, tau * (left + right) + (wanted + shrink) / a + a / 2);
    }
    const h = (2 * Math.PI) / best;
    let scale = 1;
    while (h * scale < 4) scale *= 2;
    while (h * scale >= 8) scale /= 2;
    return Math.floor(h * scale) / scale;
  }

  /** Outputs beyond which φu₊^c u₋^{1−c} falls at least like e^{−reach·|x|}, and has fallen by e^{−reach²/2}. */
  rangeFor(c: number, reach: number): readonly [number, number] {
    const { left, right } = this;
    return [
      Math.min(0, c * right) + Math.min(0, (c - 1) * left) - reach,
      Math.max(0, c * right) + Math.max(0, (c - 1) * left) + reach,
    ];
  }

  /** The nodes at the multiples of h from below `from` to above `to`; undefined if there are too many. */
  covering(h: number, from: number, to: number): Stretch | undefined {
    const first = Math.floor(from / h);
    const last = Math.ceil(to / h);
    if (!(last - first < MAX_NODES)) return undefined;
    let at = this.kept.findIndex((one) => one.h === h);
    const inside = (one: Mesh): boolean => first >= one.first && last < one.first + one.up.length;
    if (at < 0 || !inside(this.kept[at])) {
      const old = at < 0 ? [] : this.kept.splice(at, 1);
      const low = Math.min(first, ...old.map((one) => one.first));
      const high = Math.max(last, ...old.map((one) => one.first + one.up.length - 1));
      // the sums over it cost more
      this.kept.unshift(free(() => this.make(h, low, high)));
      if (this.kept.length > KEPT) this.kept.pop();
      at = 0;
    }
    const mesh = this.kept[at];
    return { mesh, begin: first - mesh.first, end: last + 1 - mesh.first };
  }

  /** log|u(x + ia)| and arg u(x + ia) of a side, good to some 1e-12. */
  turned(which: 'plus' | 'minus', x: number, a: number): { log: number; angle: number } {
    const { shift, weight } = this[which];
    const top = Math.max(0, furthest(this[which]) * (x - furthest(this[which]) / 2));
    let re = 0;
    let im = 0;
    for (let i = 0; i < shift.length; i++) {
      const size = weight[i] * exp(shift[i] * (x - shift[i] / 2) - top);
      const turn = shift[i] * a * INVERSE_PI;
      re += size * cosPi(turn);
      im += size * sinPi(turn);
    }
    return { log: top + 0.5 * log(re * re + im * im), angle: atan2(im, re) };
  }

  private make(h: number, first: number, last: number): Mesh {
    const n = last - first + 1;
    const array = (): Float64Array => new Float64Array(n);
    const mesh: Mesh = {
      h,
      first,
      up: array(),
      down: array(),
      error: array(),
      excess: array(),
      excessError: array(),
      slope: array(),
    };
    for (let i = 0; i < n; i++) {
      const x = h * (first + i);
      const up = sideAt(this.plus, x);
      const down = sideAt(this.minus, -x);
      const base = 1 + down.excess;
      const excess = (up.excess - down.excess) / base;
      mesh.up[i] = up.log;
      mesh.down[i] = down.log;
      mesh.error[i] = up.error + down.error + U * (Math.abs(up.log) + Math.abs(down.log));
      mesh.excess[i] = excess;
      mesh.excessError[i] =
        (up.excessError + (2 + Math.abs(excess)) * down.excessError) / base + 4 * U * Math.abs(excess);
      mesh.slope[i] = up.slope + down.slope;
    }
    return mesh;
  }
}

/** log(φu₊^c u₋^{1−c} √2π) at a node. */
function logMass({ h, first, up, down }: Mesh, c: number, j: number): number {
  const x = h * (first + j);
  return c * (up[j] - down[j]) + down[j] - (x * x) / 2;
}

function topOf({ mesh, begin, end }: Stretch, c: number): number {
  let top = -Infinity;
  for (let j = begin; j < end; j++) top = Math.max(top, logMass(mesh, c, j));
  return top;
}

/** Relative error of e^{logMass} at a node. */
function massError({ h, first, up, down, error }: Mesh, c: number, j: number): number {
  const x = h * (first + j);
  const size = Math.abs(c) + Math.abs(1 - c);
  return (
    U * (8 + 2 * x * x + 3 * (Math.abs(c * up[j]) + Math.abs((1 - c) * down[j]) + Math.abs(down[j]))) +
    size * error[j]
  );
}

/**
 * count·log M(c). M(c) − 1 = ∫ φu₋ [r^c − 1 − c(r − 1)] with r = u₊/u₋, since φu₊ and φu₋ have mass 1: the terms have one sign, so
 * count·log M keeps its digits for any count.
 */
function cumulant(pair: MixtureMeshes, c: number, count: number): Cumulant {
  const size = Math.abs(c) + Math.abs(1 - c);
  const depth = pair.digits.axis + log(count) + log(1 + size);
  const reach = Math.sqrt(2 * depth) + 1;
  const h = pair.stepFor(c, 0, depth);
  const [low, high] = pair.rangeFor(c, reach);
  // φu₋ and φu₊ as well
  const stretch = pair.covering(h, Math.min(low, -pair.left - reach), Math.max(high, pair.right + reach));
  if (stretch === undefined) return UNKNOWN;
  const top = topOf(stretch, c);
  const { mesh, begin, end } = stretch;
  const spread = Math.max(mesh.up[end - 1] - mesh.down[end - 1], mesh.down[begin]);
  if (!(top < 30 && spread < 300)) return largeCumulant(stretch, c, count, { depth, reach, top });
  const sums = risesOf(stretch, c);
  const unit = h * INVERSE_SQRT_2PI;
  const mean = sums.first / sums.mass;
  const variance = Math.max(0, sums.second / sums.mass - mean * mean);
  const rise = sums.rise * unit;
  let ends = 0;
  for (const j of [begin, end - 1]) {
    const x = h * (mesh.first + j);
    ends += exp(logMass(mesh, c, j));
    ends += exp(-(x * x) / 2) * (Math.abs(c) * exp(mesh.up[j]) + Math.abs(1 - c) * exp(mesh.down[j]));
  }
  const lost = sums.wrong * unit + cutTails(ends, h, reach) + exp(-depth) * (size + sums.mass * unit);
  const value = count * log1p(rise);
  const error = (count * lost * 1.001) / (1 + rise) + 6 * U * Math.abs(value);
  return { value, error, mean: count * mean, variance: count * variance };
}

interface Sums {
  /** Σ φu₋[r^c − 1 − c(r − 1)]√2π, and a bound on its rounding error. */
  readonly rise: number;
  readonly wrong: number;
  /** Σ φu₋r^c√2π times 1, y and y². */
  readonly mass: number;
  readonly first: number;
  readonly second: number;
}

function risesOf({ mesh, begin, end }: Stretch, c: number): Sums {
  const { h, first: origin, up, down, error, excess, excessError } = mesh;
  const size = Math.abs(c);
  let [mass, first, second, wrong] = [0, 0, 0, 0];
  let [sum, rest] = [0, 0];
  for (let j = begin; j < end; j++) {
    const x = h * (origin + j);
    const p = exp(down[j] - (x * x) / 2);
    const y = up[j] - down[j];
    const v = excess[j];
    const t = c * y;
    let term: number;
    let f: number;
    let inexact: number;
    if (t > 30) {
      // r^c is all of it: as one exponential it neither overflows nor underflows
      f = exp(t + down[j] - (x * x) / 2);
      term = f - p * (1 + c * v);
      inexact = p * (4 * U * size * Math.abs(v) + size * excessError[j]) + f * massError(mesh, c, j);
    } else {
      const rise = powerExcess(c, v, y);
      f = p * (1 + c * v + rise.value);
      term = p * rise.value;
      const near = Math.abs(v) * Math.max(1, size) < 0.3;
      inexact =
        p * rise.error +
        (near
          ? 3 * p * size * Math.abs((c - 1) * v) * excessError[j]
          : size * (p * excessError[j] + Math.max(0, f) * error[j]));
    }
    mass += f;
    first += f * y;
    second += f * y * y;
    wrong += inexact + Math.abs(term) * (U * (12 + x * x) + error[j]);
    const next = sum + term;
    rest += Math.abs(sum) >= Math.abs(term) ? sum - next + term : term - next + sum;
    sum = next;
  }
  return { rise: sum + rest, wrong, mass, first, second };
}

/** The same where M is far from 1: the logarithm of the sum. */
function largeCumulant(
  { mesh, begin, end }: Stretch,
  c: number,
  count: number,
  { depth, reach, top }: { depth: number; reach: number; top: number },
): Cumulant {
  let [mass, first, second, wrong] = [0, 0, 0, 0];
  for (let j = begin; j < end; j++) {
    const f = exp(logMass(mesh, c, j) - top);
    const y = mesh.up[j] - mesh.down[j];
    mass += f;
    first += f * y;
    second += f * y * y;
    wrong += f * (massError(mesh, c, j) + U * Math.abs(top));
  }
  const unit = mesh.h * INVERSE_SQRT_2PI;
  const mean = first / mass;
  const variance = Math.max(0, second / mass - mean * mean);
  const ends = exp(logMass(mesh, c, begin) - top) + exp(logMass(mesh, c, end - 1) - top);
  const relative =
    wrong / mass + (end - begin) * U + cutTails(ends, mesh.h, reach) / (mass * unit) + exp(-depth);
  const value = count * (top + log(mass * unit));
  const error = count * (relative + 4 * U * Math.abs(top)) + 4 * U * Math.abs(value);
  return { value, error, mean: count * mean, variance: count * variance };
}

/** The frequencies (first + k)·dTau, k = 0 … n − 1. */
interface Frequencies {
  readonly dTau: number;
  readonly n: number;
  readonly first: number;
}

function line(
  kernel: Kernel,
  pair: MixtureMeshes,
  c: number,
  { dTau, n, first }: Frequencies,
  count: number,
): LogPhiLine | undefined {
  const depth = pair.digits.line + log(count);
  const reach = Math.sqrt(2 * depth + 20) + 1;
  const h = pair.stepFor(c, dTau * (first + n), depth);
  const [low, high] = pair.rangeFor(c, reach);
  const stretch = pair.covering(h, low, high);
  if (stretch === undefined) return undefined;
  const { mesh, begin, end } = stretch;
  const top = topOf(stretch, c);
  const floor = top - (depth + 8);
  const kept: number[] = [];
  for (let j = begin; j < end; j++) if (logMass(mesh, c, j) >= floor) kept.push(j);
  if (kept.length * n > MAX_WORK) return undefined;
  const weight = Float64Array.from(kept, (j) => exp(logMass(mesh, c, j) - top));
  const mass = weight.reduce((sum, w) => sum + w, 0);
  const dropped = end - begin - kept.length;
  const ends = exp(logMass(mesh, c, begin) - top) + exp(logMass(mesh, c, end - 1) - top);
  const beyond = cutTails(ends, h, reach) / (h * INVERSE_SQRT_2PI);
  const nodes = {
    loss: Float64Array.from(kept, (j) => mesh.up[j] - mesh.down[j]),
    weight: weight.map((w) => w / mass),
    weightError: Float64Array.from(kept, (j) => massError(mesh, c, j) + 2 * U * Math.abs(top)),
    lossError: Float64Array.from(kept, (j) => mesh.error[j]),
    missing: (2.1 * (dropped * exp(floor - top) + beyond)) / mass + 2.1 * exp(-depth),
  };
  return logPhiLine(kernel, nodes, dTau, n, count, first);
}

/** Cells lighter than e^{this} of the heaviest are left out of the bounds of |φ|. */
const LEAST_CELL = -40;

/**
 * Cells, and the variation of the tilted density of the loss, f = φu₊^c u₋^{1−c} over y′, from a mesh.
 *
 * (log f)″ is at most B = 1 + |c|a₊²/4 + |1−c|a₋²/4 in size (second derivatives of log u± are variances of shifts), so log f stays within Bh²/8
 * of its chords. With a the larger of a₊, a₋, |y″| ≤ ay′ and |y‴| ≤ a²y′ (moments of shifts in [0, a] about their mean), so the variation
 * of f/y′ is at most ∫ |f′|/y′ + f|y″|/y′² ≤ |c| + |1−c| + ∫ (f/y′)(|x| + a), and log(f/y′) stays within (B + 2a²)h²/8 of its chords.
 */
function decayAt(pair: MixtureMeshes, c: number): Decay {
  const { left, right } = pair;
  const widest = Math.max(left, right);
  const bend = 1 + (Math.abs(c) * right * right + Math.abs(1 - c) * left * left) / 4;
  const sharp = bend + 2 * widest * widest;
  const bound = new Once(() => shiftedBound(pair, c));
  const far = (tau: number): number => bound.value(tau);
  const none: Decay = { within: () => 0, beyond: () => ({ log: 0, power: 0 }), far };
  const reach = 11;
  let h = pair.stepFor(c, 0, 30);
  while (h * h * sharp > 1) h /= 2;
  const [low, high] = pair.rangeFor(c, reach + widest);
  const stretch = pair.covering(h, low, high);
  if (stretch === undefined) return none;
  const { mesh, begin, end } = stretch;
  const top = topOf(stretch, c);
  let mass = 0;
  for (let j = begin; j < end; j++) mass += exp(Math.max(-700, logMass(mesh, c, j) - top));
  mass *= h;
  // the sum is the integral within 1e-12 and what rounding did
  const whole = { low: mass * (1 - 1e-9), high: mass * (1 + 1e-9) };
  const room = end - begin - 1;
  const cells = { low: new Float64Array(room), high: new Float64Array(room), mass: new Float64Array(room) };
  let n = 0;
  let variation = 0;
  const density = (j: number): number => exp(logMass(mesh, c, j) - top) / mesh.slope[j];
  let before = density(begin);
  const { error, up, down } = mesh;
  for (let j = begin; j < end - 1; j++) {
    const after = density(j + 1);
    const x = Math.max(Math.abs(h * (mesh.first + j)), Math.abs(h * (mesh.first + j + 1)));
    variation += Math.max(before, after) * (x + widest) * h;
    before = after;
    const heights = Math.min(logMass(mesh, c, j), logMass(mesh, c, j + 1)) - top;
    if (heights < LEAST_CELL) continue;
    cells.low[n] = up[j] - down[j] - 2 * error[j];
    cells.high[n] = up[j + 1] - down[j + 1] + 2 * error[j + 1];
    cells.mass[n++] = ((exp(heights) * h) / whole.high) * exp((-bend * h * h) / 8) * (1 - 1e-9);
  }
  // beyond the mesh f/y′ falls at least like e^{−reach·|x|}
  const edges = [begin, end - 1].map((j) => density(j) * (Math.abs(h * (mesh.first + j)) + widest + 1));
  variation = (variation * exp((sharp * h * h) / 8) + (edges[0] + edges[1]) / (reach - 1)) / whole.low;
  if (!(variation < Infinity)) variation = Infinity;
  const own = {
    low: cells.low.subarray(0, n),
    high: cells.high.subarray(0, n),
    mass: cells.mass.subarray(0, n),
  };
  return { ...decayOf(own, (Math.abs(c) + Math.abs(1 - c) + variation) * (1 + 1e-6)), far };
}

/** Shares of π/max(a₊, a₋) by which `shiftedBound` moves the line of outputs, and the depth to which its sums are good. */
const SHIFTS = [0.01, 0.03, 0.08, 0.16, 0.28, 0.42] as const;
const DEPTH = 36;

/** Sums of |φu₊^z u₋^{1−z}| over outputs x + ia: logarithms at τ = 0 (over M), the angles that τ multiplies, and what the sum lacks at most. */
interface ShiftedNodes {
  readonly log: Float64Array;
  readonly angle: Float64Array;
  readonly lacking: number;
}

/**
 * An upper bound of log|φ| at and beyond |τ|. Outputs may be taken at x + ia, a ≥ 0, where the integrand has modulus
 * e^{−τψ} times its modulus at τ = 0, ψ = arg u₊(x + ia) + arg u₋(−x + ia) ≥ 0. The trapezoidal rule there is good to what the strip
 * 0 ≤ Im x ≤ 2a allows for every τ ≥ 0 at once, and its sum is at most the sum of moduli, which falls with τ.
 */
function shiftedBound(pair: MixtureMeshes, c: number): (tau: number) => number {
  const { value, error } = cumulant(pair, c, 1);
  if (!(value + error < Infinity)) return () => 0;
  const made = SHIFTS.map((share) => shiftedNodes(pair, c, share, value - error));
  return (tau) => {
    let least = 1;
    for (const nodes of made) {
      if (nodes === undefined) continue;
      let sum = nodes.lacking;
      for (let j = 0; j < nodes.log.length && sum < least; j++) {
        const height = nodes.log[j] - tau * nodes.angle[j];
        if (height > -60) sum += exp(height);
      }
      least = Math.min(least, sum + nodes.log.length * 1e-26);
    }
    return Math.min(0, log(least) + 1e-10);
  };
}

function shiftedNodes(pair: MixtureMeshes, c: number, share: number, logM: number): ShiftedNodes | undefined {
  const { left, right } = pair;
  const a = Math.min((share * Math.PI) / Math.max(left, right), 8 * share);
  // at 2a: what the moduli may be beyond those on the real axis
  const growth =
    2 * a * a + Math.max(0, -c) * -log(cosine(right * a)) + Math.max(0, c - 1) * -log(cosine(left * a));
  const h = (2 * Math.PI * a) / (DEPTH + growth);
  const reach = Math.sqrt(2 * (DEPTH + growth)) + 1;
  const [low, high] = pair.rangeFor(c, reach);
  const first = Math.floor(low / h);
  const n = Math.ceil(high / h) + 1 - first;
  if (!(n < MAX_NODES / 4)) return undefined;
  const heights = new Float64Array(n);
  const angle = new Float64Array(n);
  const unit = log(h * INVERSE_SQRT_2PI) - logM + (a * a) / 2;
  let ends = 0;
  for (let j = 0; j < n; j++) {
    const x = h * (first + j);
    const up = pair.turned('plus', x, a);
    const down = pair.turned('minus', -x, a);
    heights[j] = unit + c * up.log + (1 - c) * down.log - (x * x) / 2;
    // rounded down: the angles are small where the loss hardly moves
    angle[j] = Math.max(0, (up.angle + down.angle) * (1 - 1e-12) - 1e-300);
    if (j > 0 && j < n - 1) continue;
    const real = c * pair.turned('plus', x, 0).log + (1 - c) * pair.turned('minus', -x, 0).log - (x * x) / 2;
    ends += exp(real - logM + growth + 1e-9);
  }
  return { log: heights, angle, lacking: 1.01 * (cutTails(ends, h, reach) + 3 * exp(-DEPTH)) };
}
