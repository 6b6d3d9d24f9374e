import type { IntervalMasses } from '../kernel/masses.js';
import { aroundRelative, type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { SQRT_2PI, U } from '../numeric/constants.js';
import { Lazy } from '../numeric/lru-cache.js';
import { FEW_ROUNDINGS, FUNCTION_ERROR, FUNCTIONS_ERROR } from '../numeric/rounding.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import { firstWhere } from '../numeric/solve.js';
import type { DirectedRun } from '../run/directed-run.js';
import { pureMu } from './exponential-pair.js';
import { latePair } from './late-pair.js';
import { ALL_FINITE, ALL_LOSSES, type AtomicPair, type Atoms } from './pair.js';

/** A mass below this may have lost relative accuracy to underflow. Correctness depends on it. */
const SMALLEST = 1e-307;
/** Relative error of masses that state none. */
export const RELATIVE = 4e-14;

/**
 * A pair with finitely many losses: a sum wherever other laws have an integral.
 *
 * Ensures: brackets contain the values of every law whose masses and losses are within the errors stated.
 */
export function atomicPair(atoms: Atoms): AtomicPair {
  const { loss, p, q, beyond = 0, lossError = 0 } = atoms;
  const n = loss.length;
  return {
    family: 'atoms',
    forward: atomicRun({ loss, q, infinity: atoms.infinity, beyond }, atoms),
    backward: atomicRun(
      { loss: loss.map((y) => -y).reverse(), q: p.slice().reverse(), infinity: atoms.minusInfinity, beyond },
      atoms,
    ),
    gdpMu: atoms.gdpMu,
    tailMu: atoms.tailMu,
    smallest: beyond > 0 ? -Infinity : n > 0 ? loss[0] - lossError : 0,
    largest: beyond > 0 ? Infinity : n > 0 ? loss[n - 1] + lossError : 0,
    infinity: atoms.infinity,
    atoms,
    ...(atoms.lattice === undefined ? {} : { lattice: atoms.lattice }),
    range: (logTail) => rangeOf(atoms, exp(logTail)),
    intervals: (_kernel, edges) => intervals(atoms, edges),
    nodes: () => nodesOf(atoms),
  };
}

/**
 * The range of atoms outside of which either law has mass of at most `tail` on either side: by sums from the ends. Sums are not rounded outward: a
 * plan of the lattice's extent.
 */
function rangeOf({ loss, p, q }: Atoms, tail: number): [number, number] {
  if (loss.length === 0) return [0, 0];
  let low = 0;
  for (let mass = 0; low < loss.length - 1; low++) {
    mass += Math.max(p[low], q[low]);
    if (mass > tail) break;
  }
  let high = loss.length - 1;
  for (let mass = 0; high > low; high--) {
    mass += Math.max(p[high], q[high]);
    if (mass > tail) break;
  }
  return [loss[low], loss[high]];
}

/** Error bounds of the atoms of a run. */
type Exactness = Pick<
  Atoms,
  'relative' | 'error' | 'lossError' | 'exactLoss' | 'exactInfinity' | 'infinityError' | 'beyondInfinity'
>;

/** One direction of the pair: losses ascending, their Q-masses, mass at +∞, and mass at losses not listed. */
type Side = Required<Pick<Atoms, 'loss' | 'q' | 'infinity' | 'beyond'>>;

/**
 * δ by sums over the atoms, with stated errors and roundings. Ensures: δ lies in its bracket. FPR is no smaller, and TPR no larger, than that of the
 * test that rejects above ω.
 */
function atomicRun(side: Side, exactness: Exactness): DirectedRun {
  const { loss, q, infinity, beyond } = side;
  const {
    relative = RELATIVE,
    error,
    lossError = 0,
    exactLoss,
    exactInfinity,
    infinityError = 0,
    beyondInfinity,
  } = exactness;
  const n = loss.length;
  const logInfinity = logInfinityOf(infinity, infinityError, beyondInfinity ? beyond : 0);
  const slack = relative + FEW_ROUNDINGS + 8 * U * n;
  const allError = error === undefined ? 0 : 2 * error.reduce((sum, x) => sum + x, 0);
  const { delta, power, scaled } = suffixes(loss, q);
  /** The first atom above x, n if there is none. */
  const after = (x: number): number => firstWhere(n, (k) => loss[k] > x);
  const deltaAt = (epsilon: number): number => {
    const k = after(epsilon);
    return k === n ? 0 : delta[k] - expm1(epsilon - loss[k]) * scaled[k];
  };
  /** The smallest loss from which on a condition fails. */
  const lossAt = (holds: (k: number) => boolean): number =>
    n > 0 ? loss[firstWhere(n - 1, (k) => !holds(k))] : 0;
  return {
    direction: 'both',
    method: 'closed-form',
    logInfinity,
    infinity: exactInfinity ? infinity : undefined,
    // beyond the listed losses there are arbitrarily large ones
    largestLoss: beyond > 0 ? exactly(Infinity) : largestOf(n > 0 ? loss[n - 1] : 0, lossError, exactLoss),
    logDelta: (epsilon) => {
      if (epsilon === Infinity) return logInfinity;
      const reach = 8 * U * Math.abs(epsilon) + lossError + 1e-300;
      const above = (deltaAt(epsilon - reach) + infinity + beyond) * (1 + slack) + allError;
      const below = (deltaAt(epsilon + reach) + infinity) * (1 - slack) - allError;
      const upper = above > 0 ? Math.min(0, log(above) * (1 - 4 * U)) : -Infinity;
      return bracket(below > 0 ? Math.min(log(below) * (1 + 4 * U), upper) : -Infinity, upper);
    },
    test: (omega) => {
      const k = after(omega);
      const fpr = k === n ? 0 : scaled[k] * exp(-loss[k]);
      const tpr = ((k === n ? 0 : power[k]) + infinity) * (1 - slack) - allError;
      // masses under P may have underflowed
      const used =
        (fpr + beyond) * (1 + slack) + (k === n ? 0 : SMALLEST + allError * exp(-Math.max(0, omega)));
      return {
        logFpr: used > 0 ? Math.min(0, log(used) * (1 - 4 * U)) : -Infinity,
        logTpr: tpr > 0 ? Math.min(0, log(tpr) * (1 + 4 * U)) : -Infinity,
      };
    },
    guessEpsilon: (target) =>
      Math.max(
        0,
        lossAt((k) => delta[k] + infinity > exp(target)),
      ),
    guessOmega: (target) => lossAt((k) => scaled[k] * exp(-loss[k]) > exp(target)),
  };
}

/**
 * Bracket of the log of a mass at infinity. Rounding may have raised it by `error`, and losses not listed may add up to `beyond`.
 *
 * Ensures: the logarithm of the mass lies in the bracket.
 */
export function logInfinityOf(infinity: number, error: number, beyond = 0): Bracket {
  const most = infinity + beyond;
  if (!(most > 0)) return exactly(-Infinity);
  const least = infinity - error;
  return bracket(
    least > 0 ? log(least) - FEW_ROUNDINGS * (1 - log(least)) : -Infinity,
    Math.min(0, log(most) + FEW_ROUNDINGS * (1 - log(most))),
  );
}

/** Ensures: the largest listed loss lies in the bracket. */
function largestOf(loss: number, lossError: number, exactLoss = false): Bracket {
  if (exactLoss) return exactly(loss);
  const { lower, upper } = aroundRelative(loss, 4 * U);
  return bracket(lower - lossError, upper + lossError);
}

/**
 * Suffix sums at every atom k: δ(loss k) of the finite losses; the Q-mass and e^{loss k} times the P-mass from k on. Positive terms are added from
 * the top, where masses are small: relative error ≤ 4 n u.
 */
function suffixes(loss: Float64Array, q: Float64Array) {
  const n = loss.length;
  const delta = new Float64Array(n);
  const power = new Float64Array(n);
  const scaled = new Float64Array(n);
  for (let k = n - 1; k >= 0; k--) {
    const last = k === n - 1;
    const step = last ? 0 : loss[k] - loss[k + 1];
    delta[k] = last ? 0 : delta[k + 1] - expm1(step) * scaled[k + 1];
    scaled[k] = q[k] + (last ? 0 : exp(step) * scaled[k + 1]);
    power[k] = q[k] + (last ? 0 : power[k + 1]);
  }
  return { delta, power, scaled };
}

/**
 * Masses of intervals of losses. An atom within rounding of an edge counts as on it: a cell contains its lower edge.
 *
 * Ensures: the masses of each interval, with the errors of both laws that are stated.
 */
function intervals(
  { loss, p, q, relative = RELATIVE, error, lossError = 0, minusInfinity, beyond = 0 }: Atoms,
  edges: Float64Array,
): IntervalMasses {
  const n = edges.length - 1;
  const [p0, q0, cut, cutBase] = Array.from({ length: 4 }, () => new Float64Array(n));
  const masses = { p: p0, q: q0, cut, cutBase };
  let k = 0;
  while (k + 1 < n && edges[k + 1] === -Infinity) k++;
  masses.p[k] += minusInfinity + beyond;
  for (let i = 0; i < loss.length; i++) {
    const y = loss[i];
    const near = 16 * U * (Math.abs(y) + 1e-3) + lossError;
    while (k + 1 < n && edges[k + 1] <= y + near) k++;
    masses.p[k] += p[i];
    masses.q[k] += q[i];
    const errorBound = error === undefined ? 0 : error[i];
    masses.cut[k] += q[i] * (16 * near + relative) + errorBound;
    masses.cutBase[k] += p[i] * relative + errorBound;
  }
  masses.q[n - 1] += beyond;
  return masses;
}

/** Neighbouring atoms merged into a few hundred, with logs of their P-masses. Plan: enters no bracket. */
function nodesOf({ loss, p }: Atoms): { loss: Float64Array; logWeight: Float64Array } {
  const n = loss.length;
  if (n <= 800) return { loss, logWeight: p.map((mass) => log(mass)) };
  const groups = 800;
  const at = new Float64Array(groups);
  const logWeight = new Float64Array(groups);
  for (let g = 0; g < groups; g++) {
    const from = Math.floor((g * n) / groups);
    const to = Math.floor(((g + 1) * n) / groups);
    let mass = 0;
    for (let i = from; i < to; i++) mass += p[i];
    at[g] = loss[(from + to) >> 1];
    logWeight[g] = log(mass);
  }
  return { loss: at, logWeight };
}

/**
 * k-ary randomised response: the true answer with probability e^ε/(e^ε + k − 1). Two of the answers tell the
 * neighbours apart, by ±ε; the other k − 2 not at all.
 *
 * Ensures: masses to 2e-15 and exact losses.
 */
export function randomizedResponseAtoms(epsilon: number, categories: number): Atoms {
  const rare = 1 / (exp(epsilon) + categories - 1);
  const likely = 1 / (1 + (categories - 1) * exp(-epsilon));
  const neutral = categories > 2 ? [(categories - 2) * rare] : [];
  const middle = neutral.length > 0 ? [0] : [];
  return {
    loss: Float64Array.of(-epsilon, ...middle, epsilon),
    p: Float64Array.of(likely, ...neutral, rare),
    q: Float64Array.of(rare, ...neutral, likely),
    ...ALL_FINITE,
    lattice: epsilon,
    exactLoss: true,
    relative: FUNCTIONS_ERROR,
    gdpMu: pureMu(epsilon),
    tailMu: 0,
  };
}

/**
 * f_{ε,δ} (GDP §2.1, prop. 2.5): with probability δ everything is revealed, else binary randomised response.
 *
 * Ensures: masses to 2e-15, exact losses and an exact mass at infinity.
 */
export function approximateDpAtoms(epsilon: number, delta: number): Atoms {
  const hidden = 1 - delta;
  const rare = hidden / (1 + exp(epsilon));
  const likely = hidden / (1 + exp(-epsilon));
  return {
    loss: Float64Array.of(-epsilon, epsilon),
    p: Float64Array.of(likely, rare),
    q: Float64Array.of(rare, likely),
    infinity: delta,
    minusInfinity: delta,
    exactInfinity: true,
    lattice: epsilon,
    exactLoss: true,
    relative: FUNCTIONS_ERROR,
    gdpMu: delta > 0 ? Infinity : pureMu(epsilon),
    tailMu: delta > 0 ? Infinity : 0,
  };
}

/** Tails of single releases are listed down to e^{−700}. */
const DEPTH = 700;

/** Discrete Gaussian noise, listed on first use: long runs of unlike noise ask for its limits alone. */
export function discreteGaussianPair(sigma: number, sensitivity: number): AtomicPair {
  const listed = new Lazy(() => atomicPair(discreteGaussianAtoms(sigma, sensitivity)));
  const losses = 2 * reachOf(sigma, sensitivity) + 1;
  const known = { ...ALL_LOSSES, ...discreteGaussianLimits(sigma, sensitivity), losses };
  return latePair(known, () => listed.value);
}

const reachOf = (sigma: number, sensitivity: number): number =>
  Math.ceil(sigma * Math.sqrt(2 * DEPTH)) + sensitivity;

function discreteGaussianLimits(sigma: number, sensitivity: number) {
  const unit = sensitivity / (2 * sigma * sigma);
  return {
    lattice: sensitivity % 2 === 0 ? 2 * unit : unit,
    gdpMu: Infinity,
    tailMu: sensitivity / sigma,
  };
}

/**
 * Discrete Gaussian noise (CKS 2020): the outputs k, with loss (2kΔ − Δ²)/2σ² between the means 0 and Δ.
 *
 * Ensures: masses to `relative`, but for e^{20 − 700} of either law.
 */
export function discreteGaussianAtoms(sigma: number, sensitivity: number): Atoms {
  const reach = reachOf(sigma, sensitivity);
  const n = 2 * reach + 1;
  const loss = new Float64Array(n);
  const p = new Float64Array(n);
  const q = new Float64Array(n);
  const unit = sensitivity / (2 * sigma * sigma);
  const weight = (k: number): number => exp((-0.5 * k * k) / sigma / sigma);
  // Σ e^{−k²/2σ²} = σ√2π (1 + 2 e^{−2π²σ²} + …) by Poisson summation
  let total = sigma * SQRT_2PI;
  if (sigma < 4) {
    total = 0;
    for (let k = reach; k >= 1; k--) total += 2 * weight(k);
    total += 1;
  }
  for (let i = 0; i < n; i++) {
    // outputs −reach + ⌊Δ/2⌋ … reach + ⌊Δ/2⌋: as far from one mean as from the other
    const k = i - reach + Math.floor(sensitivity / 2);
    loss[i] = (2 * k - sensitivity) * unit;
    p[i] = weight(k) / total;
    q[i] = weight(k - sensitivity) / total;
  }
  return {
    loss,
    p,
    q,
    ...ALL_FINITE,
    // upper bound of the mass beyond the listed outputs
    beyond: exp(20 - DEPTH),
    // rounding of exponents of up to (√1400 + Δ/2σ)²/2
    relative: FUNCTION_ERROR * (Math.sqrt(2 * DEPTH) + sensitivity / sigma) ** 2,
    ...discreteGaussianLimits(sigma, sensitivity),
  };
}

/**
 * Discrete Laplace noise: the losses are (2k − Δ)/scale for k = 0 … Δ.
 *
 * Ensures: masses to `relative`; no other losses.
 */
export function discreteLaplaceAtoms(scale: number, sensitivity: number): Atoms {
  const n = sensitivity + 1;
  const loss = new Float64Array(n);
  const p = new Float64Array(n);
  const q = new Float64Array(n);
  // (1 − r)/(1 + r), r = e^{−1/scale}
  const r = exp(-1 / scale);
  const centre = -expm1(-1 / scale) / (1 + r);
  for (let k = 0; k < n; k++) {
    loss[k] = (2 * k - sensitivity) / scale;
    // all outputs ≤ 0 have the lowest loss, all ≥ Δ the highest
    p[k] =
      k === 0
        ? 1 / (1 + r)
        : k === sensitivity
          ? exp(-sensitivity / scale) / (1 + r)
          : centre * exp(-k / scale);
    q[k] =
      k === sensitivity
        ? 1 / (1 + r)
        : k === 0
          ? exp(-sensitivity / scale) / (1 + r)
          : centre * exp((k - sensitivity) / scale);
  }
  return {
    loss,
    p,
    q,
    ...ALL_FINITE,
    lattice: (sensitivity % 2 === 0 ? 2 : 1) / scale,
    relative: FUNCTIONS_ERROR + 3e-16 * (sensitivity / scale),
    gdpMu: pureMu(sensitivity / scale),
    tailMu: 0,
  };
}
