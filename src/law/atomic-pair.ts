import type { IntervalMasses } from '../kernel/masses.js';
import { aroundRelative, type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { SQRT_2PI, U } from '../numeric/constants.js';
import { FEW_ROUNDINGS, FUNCTION_ERROR, FUNCTIONS_ERROR } from '../numeric/rounding.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import { firstWhere } from '../numeric/solve.js';
import type { DirectedRun } from '../run/directed-run.js';
import { pureMu } from './exponential-pair.js';
import { latePair } from './late-pair.js';
import { ALL_FINITE, ALL_LOSSES, type AtomicPair, type Atoms } from './pair.js';

/** Smaller masses may be subnormal doubles, without a relative error bound. Correctness depends on it. */
const SMALLEST = 1e-307;
/** Bound of the relative error of masses whose atoms state none. */
export const RELATIVE = 4e-14;

/**
 * The pair of a law with finitely many losses: δ(ε) = infinity + Σ q (1 − e^{ε−loss})⁺, and tests that reject above a loss.
 *
 * Ensures: brackets contain the values of every law whose masses and losses are within the errors that the atoms state.
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
 * The smallest and the largest loss that remain if atoms of mass at most `tail` in all are omitted at either end. The larger of an atom's two masses counts.
 * Sums are not rounded outward. Heuristic: it only chooses the extent of a lattice, whose bounds count the mass outside.
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
 * δ(ε) = infinity + Σ q (1 − e^{ε−loss})⁺ over losses above ε, by suffix sums, widened by the errors stated and by roundings. Ensures: δ lies in its
 * bracket. FPR is no smaller, and TPR no larger, than that of the test that rejects where the loss exceeds ω.
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
  /** The index of the first loss above x; n if there is none. */
  const after = (x: number): number => firstWhere(n, (k) => loss[k] > x);
  const deltaAt = (epsilon: number): number => {
    const k = after(epsilon);
    return k === n ? 0 : delta[k] - expm1(epsilon - loss[k]) * scaled[k];
  };
  /** The smallest loss at which `holds` is false, and the largest loss if there is none. `holds` is true up to some loss, and false from there on. */
  const lossAt = (holds: (k: number) => boolean): number =>
    n > 0 ? loss[firstWhere(n - 1, (k) => !holds(k))] : 0;
  return {
    direction: 'both',
    method: 'closed-form',
    logInfinity,
    infinity: exactInfinity ? infinity : undefined,
    // losses that are not listed may be arbitrarily large
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
      // SMALLEST covers masses under P that have underflowed
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
 * Bracket of log m, m the mass at infinity: `infinity` − `error` ≤ m ≤ `infinity` + `beyond`. Here `beyond` is mass of losses that are not listed.
 *
 * Ensures: log m lies in the bracket, which also covers a few roundings of `infinity` and of the logarithm.
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

/** Bracket of the largest listed loss, from its stated error. Ensures: the exact loss lies in it. */
function largestOf(loss: number, lossError: number, exactLoss = false): Bracket {
  if (exactLoss) return exactly(loss);
  const { lower, upper } = aroundRelative(loss, 4 * U);
  return bracket(lower - lossError, upper + lossError);
}

/**
 * Suffix sums at every atom k, of n: `delta`, δ(loss k) without the mass at infinity; `power`, the Q-mass from k on; `scaled`, e^{loss k} times the
 * P-mass from k on. Positive terms are added from the largest loss down: relative error ≤ 4 n u, u the unit roundoff.
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
 * Masses of the intervals [edges[k], edges[k+1]) under both laws: Σ p_i and Σ q_i over the atoms inside. An atom within its error of an edge counts as on the edge, so in the interval above.
 *
 * Ensures: the masses are exact up to `cut` under Q and `cutBase` under P, which cover stated errors and atoms that are near an edge.
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

/** Heuristic: at most 800 losses with log P-masses, each that of consecutive atoms at the loss of the middle one. It chooses grids and enters no bound. */
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
 * k-ary randomised response, k = `categories`: the true answer with probability e^ε/(e^ε + k − 1), every other one with 1/(e^ε + k − 1). The true
 * answers of two neighbouring data sets have the losses ±ε, and the other k − 2 answers the loss 0.
 *
 * Ensures: masses with a relative error of at most 2e-15, and exact losses.
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
 * The pair of (ε, δ)-DP, whose trade-off function is f_{ε,δ} (Dong, Roth, Su 2022, §2.1 and prop. 2.5). With probability δ the data set is revealed, else the
 * answer is binary randomised response with ε.
 *
 * Ensures: masses with a relative error of at most 2e-15, exact losses and an exact mass at infinity.
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

/** Outputs of discrete Gaussian noise are listed until the mass beyond them is about e^{−700}. Only width depends on it. */
const DEPTH = 700;

/** The pair of discrete Gaussian noise, as `discreteGaussianAtoms`. Its atoms are made on first use: many runs need `discreteGaussianLimits` alone. */
export function discreteGaussianPair(sigma: number, sensitivity: number): AtomicPair {
  const losses = 2 * reachOf(sigma, sensitivity) + 1;
  const known = { ...ALL_LOSSES, ...discreteGaussianLimits(sigma, sensitivity), losses };
  return latePair(known, () => atomicPair(discreteGaussianAtoms(sigma, sensitivity)));
}

/** Outputs up to this distance from the middle of both means are listed. The noise Z has P[|Z| > x] ≤ 2e^{−x²/2σ²}. */
const reachOf = (sigma: number, sensitivity: number): number =>
  Math.ceil(sigma * Math.sqrt(2 * DEPTH)) + sensitivity;

/**
 * What is known of discrete Gaussian noise before its atoms are made. Losses (2k − Δ)Δ/2σ² are multiples of `lattice`, Δ the sensitivity; `tailMu` is
 * Δ/σ, and no finite `gdpMu` is known. A few roundings each.
 */
function discreteGaussianLimits(sigma: number, sensitivity: number) {
  const unit = sensitivity / (2 * sigma * sigma);
  return {
    lattice: sensitivity % 2 === 0 ? 2 * unit : unit,
    gdpMu: Infinity,
    tailMu: sensitivity / sigma,
  };
}

/**
 * Discrete Gaussian noise (Canonne, Kamath, Steinke 2020): masses e^{−k²/2σ²} over their sum, with means 0 and Δ, the sensitivity. Output k has the
 * loss (2kΔ − Δ²)/2σ².
 *
 * Ensures: masses with a relative error of at most 4e-16(√1400 + Δ/σ)². Outputs that are not listed have a mass of at most `beyond`.
 */
export function discreteGaussianAtoms(sigma: number, sensitivity: number): Atoms {
  const reach = reachOf(sigma, sensitivity);
  const n = 2 * reach + 1;
  const loss = new Float64Array(n);
  const p = new Float64Array(n);
  const q = new Float64Array(n);
  const unit = sensitivity / (2 * sigma * sigma);
  const weight = (k: number): number => exp((-0.5 * k * k) / sigma / sigma);
  // Σ e^{−k²/2σ²} = σ√2π (1 + 2 e^{−2π²σ²} + …) by Poisson summation: σ√2π to 1e-136 if σ ≥ 4
  let total = sigma * SQRT_2PI;
  if (sigma < 4) {
    total = 0;
    for (let k = reach; k >= 1; k--) total += 2 * weight(k);
    total += 1;
  }
  for (let i = 0; i < n; i++) {
    // the listed outputs are centred between the two means
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
    // rounding of the exponents −k²/2σ² of masses; the largest is about half of this square
    relative: FUNCTION_ERROR * (Math.sqrt(2 * DEPTH) + sensitivity / sigma) ** 2,
    ...discreteGaussianLimits(sigma, sensitivity),
  };
}

/**
 * Discrete Laplace noise: masses (1 − r)/(1 + r)·r^{|k|}, r = e^{−1/scale}, with means 0 and Δ, the sensitivity. The losses are (2k − Δ)/scale for
 * k = 0 … Δ.
 *
 * Ensures: masses with a relative error of at most 2e-15 + 3e-16·Δ/scale; there are no other losses.
 */
export function discreteLaplaceAtoms(scale: number, sensitivity: number): Atoms {
  const n = sensitivity + 1;
  const loss = new Float64Array(n);
  const p = new Float64Array(n);
  const q = new Float64Array(n);
  const r = exp(-1 / scale);
  const centre = -expm1(-1 / scale) / (1 + r);
  for (let k = 0; k < n; k++) {
    loss[k] = (2 * k - sensitivity) / scale;
    // all outputs ≤ 0 have the smallest loss, and all outputs ≥ Δ the largest
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
