import { ATOMS, EXPONENTIAL, LARGEST_CUT_MU, MIXTURE, SMALLEST_CUT_RATE } from '../../../kernel/constants.js';
import type { Kernel } from '../../../kernel/kernel.js';
import type { KernelStep, WindowedStep, Worked } from '../../../kernel/laws.js';
import { furthest, nearest, type Side } from '../../../law/mixture-side.js';
import type { Atoms, Shape } from '../../../law/pair.js';
import { U } from '../../../numeric/constants.js';
import { Lazy, LruCache } from '../../../numeric/lru-cache.js';
import { charge, remaining } from '../../../numeric/meter.js';
import { LONG_SUM } from '../../../numeric/rounding.js';
import { expm1, log, log1p } from '../../../numeric/scalar.js';
import { sampledAtoms } from '../../closed/composed-atoms.js';
import {
  type ApproximateCumulant,
  type Cumulant,
  type Decay,
  type FarBounds,
  type LineNodes,
  type LogPhiLine,
  logMassLeft,
  NO_DECAY,
  type SpectralLaw,
  type TruncatedLaw,
  UNKNOWN,
} from './spectral-law.js';
import { logPhiRows } from './weighted-losses.js';

/** Numbers of objects cached: bounds of |M(c + iτ)|/M(c), cumulants, truncated laws, and whole laws. Only speed depends on them. */
const KEPT_DECAYS = 4;
const KEPT_TILTS = 1024;
const MAX_CUTS = 16;
const MAX_WHOLE = 4;
/** Below this sampling rate large losses count as rare in the choice of a truncation. Only speed and width depend on it. */
const OFTEN = 0.05;
/**
 * −log of the relative quadrature error of untruncated laws is at least DEPTH, and is rounded up to a multiple of UNIT. Only speed and width depend
 * on them.
 */
const DEPTH = 42;
const UNIT = 4;
/** Width of the truncation's smooth edge where no large tilts are asked for. Only speed depends on it. */
const WIDEST = 0.5;

/** Whether the kernel can truncate the law of a sampled Gaussian step with this μ and rate. */
function isCut(mu: number, rate: number): boolean {
  return mu <= LARGEST_CUT_MU && rate >= SMALLEST_CUT_RATE;
}

/**
 * The law of a Poisson-subsampled Gaussian step, P = N(0, σ²) and Q = (1−q)P + qN(1, σ²) for an output o. With x = o/σ and μ = 1/σ, the loss is log
 * u(x), u = 1 − q + q e^{μx − μ²/2}. M(z) = ∫ ϕ(x) u(x)^z dx, ϕ the normal density. The kernel integrates it (assembly/law, docs/proofs/contour.md
 * 3 to 8).
 *
 * Ensures: log M and log φ are within their stated errors, and |φ(τ)| = |M(c + iτ)|/M(c) below its bounds.
 */
export function subsampledGaussianSpectrum(kernel: Kernel, sigma: number, rate: number): SpectralLaw {
  const step = { mu: 1 / sigma, rate };
  return windowedLaw(kernel, step, isCut(step.mu, rate), rate < OFTEN);
}

/**
 * The law of two mixtures of Gaussians on a line: P has the density ϕ(x)u₋(−x) and Q has ϕ(x)u₊(x), ϕ the normal density. u(x) = Σ w_i e^{a_i x −
 * a_i²/2} with a_i ≥ 0, u₊ from `plus` and u₋ from `minus`. M(z) = ∫ ϕ(x) u₊(x)^z u₋(−x)^{1−z} dx, integrated by the kernel
 * (docs/proofs/sampling.md 6 to 9, 15, 16).
 *
 * Ensures: log M and log φ are within their stated errors, and |φ| below its bounds.
 *
 * @param digits At least −log of the relative quadrature error of the untruncated law. The errors are charged, so only width depends on it.
 */
export function mixtureSpectrum(
  kernel: Kernel,
  plus: Side,
  minus: Side,
  digits: number = DEPTH,
): SpectralLaw {
  const isRare = 1 - (nearest(plus) > 0 ? 0 : plus.weight[0]) < OFTEN;
  return {
    ...windowedLaw(kernel, mixtureStep(plus, minus), furthest(plus) > 0, isRare, digits),
    isSymmetric: plus.shift.join() === minus.shift.join() && plus.weight.join() === minus.weight.join(),
  };
}

/**
 * Two mixtures of Gaussians as the kernel reads them. The numbers of components of `plus` and `minus` come first, then shifts and weights of
 * `plus`, then those of `minus`. Exact.
 */
export function mixtureStep(plus: Side, minus: Side): KernelStep {
  const each = [plus, minus].flatMap(({ shift, weight }) => [...shift, ...weight]);
  return {
    mu: MIXTURE,
    rate: 0,
    own: Float64Array.of(plus.shift.length, minus.shift.length, ...each),
  };
}

/** Largest ε₀ of a Poisson-sampled release that the kernel integrates. */
const LARGEST_RANGE = 30;

/**
 * The law of Laplace noise or of a bounded-range mechanism, Poisson-sampled or not. Unsampled, the loss y has the P-density w e^{−y/2} on (−ε₀, ε₀),
 * w = `weight`. Its P-masses are a = `atom` at −ε₀ and a e^{−ε₀} at ε₀. Sampled, the loss is log(1 − q + q e^y), q = `rate`. M is integrated by the
 * kernel (docs/proofs/exponential.md 1 to 3). Undefined for sampled ones with ε₀ > 30.
 *
 * Ensures: log M and log φ are within their stated errors, and |φ| below its bounds.
 */
export function exponentialSpectrum(kernel: Kernel, shape: Density, rate: number): SpectralLaw | undefined {
  const step = exponentialStep(shape, rate);
  return step && { ...windowedLaw(kernel, step, false, false), isSymmetric: rate === 1 };
}

type Density = Pick<Shape, 'range' | 'weight' | 'atom'>;

/**
 * Laplace noise or a bounded-range mechanism as the kernel reads it: rate (1 if unsampled), range ε₀, `weight` and `atom`. Undefined for sampled ones
 * with ε₀ > 30.
 */
export function exponentialStep({ range, weight, atom }: Density, rate: number): KernelStep | undefined {
  if (rate < 1 && !(range <= LARGEST_RANGE)) return undefined;
  return { mu: EXPONENTIAL, rate: 0, own: Float64Array.of(rate, range, weight, atom) };
}

/** Least relative error that is assumed for the masses of atoms. */
const MASS_ERROR = 4e-14;
/** How many numbers precede the losses in the kernel's form of a step with atoms. */
const ATOM_NUMBERS = 5;

/**
 * The law of a Poisson sample (rate q) of a pair with finitely many losses y_i. The losses are log(1 − q + q e^{y_i}) with the P-masses of y_i, and
 * log(1 − q) for outputs that only P gives. M(z) = Σ p_i e^{z·loss_i} is a sum, and |φ| does not decay.
 *
 * Ensures: log M and log φ are within their stated errors.
 */
export function atomicSpectrum(kernel: Kernel, atoms: Atoms, q: number): SpectralLaw {
  const law = new KernelLaw(kernel, { ...atomicStep(atoms, q), cut: Infinity, width: Infinity, depth: 0 });
  const [lostP, lostQ] = lostOf(atoms, q);
  return { ...law, logMassP: log1p(-lostP), logMassQ: log1p(-lostQ), decay: () => NO_DECAY };
}

/** The P-mass at loss −∞ and the Q-mass at loss +∞ of the sampled pair. */
function lostOf({ infinity, minusInfinity }: Atoms, q: number): readonly [p: number, q: number] {
  return [q === 1 ? minusInfinity : 0, q * infinity];
}

/**
 * A step of finitely many losses as the kernel reads it. The numbers are: how many losses; the relative error of masses; the error of losses; logs
 * of P's and Q's mass at infinite losses; the losses; their P-masses. Losses without P-mass are left out. Ensures: the stated errors hold.
 */
export function atomicStep(atoms: Atoms, q: number): KernelStep {
  const { loss, p } = sampledAtoms(atoms, q);
  const kept = loss.map((_, i) => i).filter((i) => p[i] > 0);
  const massError = Math.max(MASS_ERROR, atoms.relative ?? 0);
  const lossError = (atoms.lossError ?? 0) + (q < 1 ? 8 * U * -expm1(-q) : 0);
  const n = kept.length;
  const own = new Float64Array(ATOM_NUMBERS + 2 * n);
  own.set([n, massError, lossError, ...lostOf(atoms, q).map(log)]);
  for (const [k, i] of kept.entries()) {
    own[ATOM_NUMBERS + k] = loss[i];
    own[ATOM_NUMBERS + n + k] = p[i];
  }
  return { mu: ATOMS, rate: 0, own };
}

/**
 * The law of a step, M as the kernel integrates it: untruncated, or truncated by `cut` if it can be. The quadrature error of the untruncated law is
 * e^{−digits}/(count·(2 + |c|)) or less, as far as roundings allow; the error bounds are the kernel's.
 * @param isRare Whether large losses are rare. Only speed and width depend on it.
 */
function windowedLaw(
  kernel: Kernel,
  step: KernelStep,
  hasCuts: boolean,
  isRare: boolean,
  digits: number = DEPTH,
): SpectralLaw {
  const wholes = new LruCache<number, KernelLaw>(MAX_WHOLE);
  const wholeAt = (c: number, count: number): KernelLaw => {
    const depth = UNIT * Math.ceil((digits + log(count) + log(2 + Math.abs(c))) / UNIT);
    return wholes.of(depth, () => new KernelLaw(kernel, { ...step, cut: Infinity, width: Infinity, depth }));
  };
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => wholeAt(c, count).cumulant(c, count),
    near: (tilts, count) => wholeAt(tilts[tilts.length - 1], count).near(tilts, count),
    line: (_kernel, nodes, count) => wholeAt(nodes.c, count).line(kernel, nodes, count),
    decay: (c) => wholeAt(c, 1).decay(c),
    ...(hasCuts && { cut: cutsOf(kernel, step, isRare) }),
  };
}

/**
 * Truncations of a law by its largest outputs. An output x is kept with probability Φ((X − x)/w), X the threshold and w the edge's width. The mass
 * removed is that beyond X of outputs with N(0, w²) added (docs/proofs/contour.md 1). X is a choice that affects width only. Ensures: masses removed
 * are no more than stated.
 */
function cutsOf(kernel: Kernel, step: KernelStep, isRare: boolean): NonNullable<SpectralLaw['cut']> {
  const cuts = new LruCache<string, TruncatedLaw>(MAX_CUTS);
  return (_kernel, logMass, depth, logFew = logMass, width = WIDEST) => {
    const wanted = isRare ? logMass : logFew;
    return cuts.of(`${wanted}/${width}/${depth}`, () => {
      const { cut, ...ends } = kernel.lawCut(step, wanted, width, depth);
      const law = new KernelLaw(kernel, { ...step, cut, width, depth }, ends.logLostP, ends.logLostQ);
      return { ...ends, law };
    });
  };
}

/** The law of one step, truncated or whole, by calls of the kernel; each call builds the law anew. */
export class KernelLaw implements SpectralLaw {
  readonly logMassP: number;
  readonly logMassQ: number;
  private readonly known = new LruCache<number, Cumulant>(KEPT_TILTS);
  private readonly decays = new LruCache<number, Decay>(KEPT_DECAYS);

  /** The law with log masses log(1 − e^{logLost}) that truncation leaves, rounded down; 0 where nothing was removed. */
  constructor(
    private readonly kernel: Kernel,
    private readonly own: WindowedStep,
    logLostP = -Infinity,
    logLostQ = -Infinity,
  ) {
    this.logMassP = logLostP > -Infinity ? logMassLeft(logLostP) : 0;
    this.logMassQ = logLostQ > -Infinity ? logMassLeft(logLostQ) : 0;
  }

  /** count·log M(c), with mean and variance of the tilted loss times count. Ensures: `value` is within `error`. */
  readonly cumulant = (c: number, count: number): Cumulant => {
    const { value, error, mean, variance } = this.known.of(c, this.one);
    const all = count * value;
    return {
      value: all,
      error: count * error + U * Math.abs(all),
      mean: count * mean,
      variance: count * variance,
    };
  };

  /** log M(c), its error bound, and mean and variance of the tilted loss, for one step. */
  private readonly one = (c: number): Cumulant => {
    const { numbers } = worked(this.kernel.lawCumulants(this.own, Float64Array.of(c), 1, remaining()));
    const [value, error, mean, variance] = numbers;
    return value < Infinity && error < Infinity ? { value, error, mean, variance } : UNKNOWN;
  };

  /** Heuristic: cumulants at several tilts to a few digits, times count, ∞ where unknown. They enter no bound. */
  readonly near = (tilts: Float64Array, count: number): ApproximateCumulant[] => {
    const { numbers } = worked(this.kernel.lawCumulants(this.own, tilts, 0, remaining()));
    return Array.from(tilts, (_, i) => {
      const [value, , mean, variance] = numbers.subarray(4 * i, 4 * i + 4);
      return value < Infinity
        ? { value: count * value, mean: count * mean, variance: count * variance }
        : UNKNOWN;
    });
  };

  readonly line = (_kernel: Kernel, nodes: LineNodes, count: number): LogPhiLine | undefined => {
    const { numbers } = worked(this.kernel.lawLine(this.own, count, nodes, remaining()));
    return Number.isNaN(numbers[0]) ? undefined : logPhiRows(numbers);
  };

  readonly decay = (c: number): Decay => this.decays.of(c, () => new KernelDecay(this.kernel, this.own, c));
}

/**
 * Upper bounds of |φ(τ)| = |M(c + iτ)|/M(c) by the kernel (docs/proofs/contour.md 11 to 13). They come from cells of the tilted law, the variation of
 * its density, and integrals off the real axis.
 */
class KernelDecay implements Decay {
  /** A and V with |M(c + iτ)|/M(c) ≤ A + V/τ: the tilted law's mass of atoms, and the total variation of its density. Ensures: it holds. */
  private readonly density = new Lazy(() => this.all(Float64Array.of(1), 0));

  constructor(
    private readonly kernel: Kernel,
    private readonly own: WindowedStep,
    private readonly c: number,
  ) {}

  private all(taus: Float64Array, enough: number): Float64Array {
    const { kernel, own, c } = this;
    return worked(kernel.lawDecay(own, c, taus, enough, remaining())).numbers;
  }

  bounds(_kernel: Kernel, taus: Float64Array, enough: number): Float64Array {
    return this.all(taus, enough).subarray(0, taus.length - 1);
  }

  /** Bounds from integrals off the real axis, which only laws of Gaussians have. */
  get far(): FarBounds | undefined {
    const { kernel, own, c } = this;
    if (own.mu < 0) return undefined;
    return (taus) => worked(kernel.lawFar(own, c, taus, remaining())).numbers;
  }

  beyond(from: number): { readonly log: number; readonly power: number } {
    const [atoms, variation] = this.density.value;
    const most = atoms + variation / from;
    return most < 1
      ? { log: Math.min(0, log(most)) + LONG_SUM, power: atoms > 0 ? 0 : 1 }
      : { log: 0, power: 0 };
  }
}

/** Charges the work of a kernel call to the question, and returns what it found. */
function worked(found: Worked): Worked {
  charge(found.work);
  return found;
}
