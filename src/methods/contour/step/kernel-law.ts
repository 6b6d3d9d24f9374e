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

/** Number of objects cached: bounds of |φ| of a contour, cumulants, and truncated laws. Only speed depends on them. */
const KEPT_DECAYS = 4;
const KEPT_TILTS = 1024;
const MAX_CUTS = 16;
const MAX_WHOLE = 4;
/** At rates below this large losses are rare. Only speed and width depend on it. */
const OFTEN = 0.05;
/** −log of the accuracy of integrals of whole laws is at least DEPTH, rounded up to a multiple of UNIT. */
const DEPTH = 42;
const UNIT = 4;
/** Width of the truncating window where no large tilts are asked for. Only speed depends on it. */
const WIDEST = 0.5;

/** Whether the law of a step is ever truncated. */
function isCut(mu: number, rate: number): boolean {
  return mu <= LARGEST_CUT_MU && rate >= SMALLEST_CUT_RATE;
}

/**
 * The Poisson-subsampled Gaussian pair P = N(0, σ²), Q = (1−q)P + qN(1, σ²), in x = o/σ and μ = 1/σ. The loss is
 * y(x) = log u, u = 1 − q + q e^{s}, s = μx − μ²/2; M(z) = ∫ φ(x) u^z dx. Its sums are those of the kernel (assembly/law).
 *
 * Ensures: log M and log φ are within their stated errors, and |φ| below its bounds.
 */
export function subsampledGaussianSpectrum(kernel: Kernel, sigma: number, rate: number): SpectralLaw {
  const step = { mu: 1 / sigma, rate };
  return windowedLaw(kernel, step, isCut(step.mu, rate), rate < OFTEN);
}

/**
 * Two mixtures of Gaussians on one line, P = φ(x)u₋(−x) and Q = φ(x)u₊(x), u(x) = Σ w_i e^{a_i x − a_i²/2}, a_i ≥ 0.
 * M(z) = ∫ φ(x) u₊(x)^z u₋(−x)^{1−z} dx (docs/proofs/sampling.md 6 to 9, 15, 16). Its sums are those of the kernel.
 *
 * Ensures: log M and log φ are within their stated errors, and |φ| below its bounds.
 *
 * @param digits −log of the accuracy of integrals of the whole law, at least: the errors are charged, so only width depends on it.
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

/** Two mixtures of Gaussians, by numbers of components of both sides, then shifts and weights of plus, and of minus. */
export function mixtureStep(plus: Side, minus: Side): KernelStep {
  const each = [plus, minus].flatMap(({ shift, weight }) => [...shift, ...weight]);
  return {
    mu: MIXTURE,
    rate: 0,
    own: Float64Array.of(plus.shift.length, minus.shift.length, ...each),
  };
}

/** Larger losses of one release are not resolved on a Poisson sample. */
const LARGEST_RANGE = 30;

/**
 * Laplace noise and bounded-range mechanisms, Poisson-sampled or not. The unsampled loss y has the P-density w e^{−y/2} on (−ε₀, ε₀) and P-masses a at
 * −ε₀ and a e^{−ε₀} at ε₀ (docs/proofs/exponential.md). Undefined for sampled ones with ε₀ > 30.
 *
 * Ensures: log M and log φ are within their stated errors, and |φ| below its bounds.
 */
export function exponentialSpectrum(kernel: Kernel, shape: Density, rate: number): SpectralLaw | undefined {
  const step = exponentialStep(shape, rate);
  return step && { ...windowedLaw(kernel, step, false, false), isSymmetric: rate === 1 };
}

type Density = Pick<Shape, 'range' | 'weight' | 'atom'>;

/** Laplace noise or a bounded-range mechanism, rate 1 for one that is not sampled; undefined for sampled ones with ε₀ > 30. */
export function exponentialStep({ range, weight, atom }: Density, rate: number): KernelStep | undefined {
  if (rate < 1 && !(range <= LARGEST_RANGE)) return undefined;
  return { mu: EXPONENTIAL, rate: 0, own: Float64Array.of(rate, range, weight, atom) };
}

/** Relative error of the masses of atoms. */
const MASS_ERROR = 4e-14;
/** Numbers of a law of atoms before its losses. */
const ATOM_NUMBERS = 5;

/**
 * A Poisson sample (rate q) of a pair with finitely many losses y_i, as (base, mixture). Losses are log(1 − q + q e^{y_i}) with the base's masses,
 * and one atom log(1 − q) for outputs only the base gives. Sums instead of integrals, and no decay of |φ|.
 *
 * Ensures: log M and log φ are within their stated errors.
 */
export function atomicSpectrum(kernel: Kernel, atoms: Atoms, q: number): SpectralLaw {
  const law = new KernelLaw(kernel, { ...atomicStep(atoms, q), cut: Infinity, width: Infinity, depth: 0 });
  const [lostP, lostQ] = lostOf(atoms, q);
  return { ...law, logMassP: log1p(-lostP), logMassQ: log1p(-lostQ), decay: () => NO_DECAY };
}

/** The masses of P and of Q at infinite losses. */
function lostOf({ infinity, minusInfinity }: Atoms, q: number): readonly [p: number, q: number] {
  return [q === 1 ? minusInfinity : 0, q * infinity];
}

/**
 * A step of finitely many losses, as the kernel reads it. First stands the number of losses; then the relative error of masses and the error of
 * losses. The logs of P's and Q's mass at infinite losses follow. Then come the losses, then the masses.
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

/** @param isRare Whether large losses are rare. Only speed depends on it. */
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
 * The law truncated by its largest outputs. A window takes as much mass as a sharp cut takes from outputs with the window's noise added
 * (docs/proofs/contour.md 1). Ensures: masses lost are no more than stated.
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

/** One step, truncated by a window or whole: each call of the kernel builds it anew. */
export class KernelLaw implements SpectralLaw {
  readonly logMassP: number;
  readonly logMassQ: number;
  private readonly known = new LruCache<number, Cumulant>(KEPT_TILTS);
  private readonly decays = new LruCache<number, Decay>(KEPT_DECAYS);

  constructor(
    private readonly kernel: Kernel,
    private readonly own: WindowedStep,
    logLostP = -Infinity,
    logLostQ = -Infinity,
  ) {
    this.logMassP = logLostP > -Infinity ? logMassLeft(logLostP) : 0;
    this.logMassQ = logLostQ > -Infinity ? logMassLeft(logLostQ) : 0;
  }

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

  private readonly one = (c: number): Cumulant => {
    const { numbers } = worked(this.kernel.lawCumulants(this.own, Float64Array.of(c), 1, remaining()));
    const [value, error, mean, variance] = numbers;
    return value < Infinity && error < Infinity ? { value, error, mean, variance } : UNKNOWN;
  };

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

/** Bounds of |φ| from cells of the tilted law, from the variation of its density, and along paths off the axis. */
class KernelDecay implements Decay {
  /** A and V with |φ(τ)| ≤ A + V/τ: the mass of atoms, and the total variation of the density. */
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

  /** Those along paths: Gaussians alone have them. */
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

/** Returns the numbers that a kernel call found, after charging its work to the question. */
function worked(found: Worked): Worked {
  charge(found.work);
  return found;
}
