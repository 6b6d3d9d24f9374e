import { divide, scale, twoProduct } from '../kernel/double-double.js';
import { U } from '../numeric/constants.js';
import { charge } from '../numeric/meter.js';
import { down, ROUNDINGS } from '../numeric/rounding.js';
import { exp, log, log1p } from '../numeric/scalar.js';
import { firstWhere } from '../numeric/solve.js';
import { discreteGaussianAtoms } from './atomic-pair.js';
import { ALL_FINITE, type Atoms } from './pair.js';

/** If the masses of a sum differ by less than this fraction from those of one discrete Gaussian, they are computed as its masses. Only width depends on it. */
const NEAR = 1e-9;
/** Variance of the sum, parties·σ², up to which masses are convolved: about 5e8 multiplications. Only speed depends on it. */
const MOST_VARIANCE = 4e4;
/** Masses are stored times 2^SHIFT, so that masses down to e^{−1050} do not underflow. */
const SHIFT = 500;
/** The sum is listed until its tail is about e^{−DEPTH}, and sums of fewer parties until theirs is e^{−DEEPER}. Only width depends on them. */
const [DEPTH, DEEPER] = [675, 1050];
/** Bound of the relative error of a listed mass from the omitted tails of sums of fewer parties. */
const LEFT_OUT = 1e-12;

/**
 * How far masses of a sum of n = `parties` discrete Gaussians are, relatively, from those of one discrete Gaussian of scale √n σ. The bound is 2.1 E.
 * By docs/proofs/integer-noise.md 5, E = Σ_{m ≤ n} C(n, m)(2 Σ_{j ≥ 1} e^{−r_m j²})^m, r_m = 2π²σ² max(1 − m/n, ¼). The last terms are bounded by a
 * geometric series. ∞ if a term exceeds 1.
 *
 * Ensures: no smaller than the relative difference of any mass.
 */
function sumExcess(sigma: number, parties: number): number {
  const rate = down(2 * Math.PI ** 2 * sigma * sigma, ROUNDINGS);
  // upper bound of log(2 Σ_{j ≥ 1} e^{−r j²}), as j² ≥ 1 + 3(j − 1)
  const logEach = (r: number): number => log(2) - r - log1p(-exp(-3 * r));
  const most = logEach(rate / 4);
  let [excess, logWays] = [0, 0];
  for (let m = 1; m <= parties; m++) {
    logWays += log((parties - m + 1) / m);
    const term = logWays + m * logEach(rate * Math.max(1 - m / parties, 0.25));
    if (term > 0) return Infinity;
    excess += exp(term);
    // the remaining terms are below a geometric series of ratio ½
    const next = logWays + log((parties - m) / (m + 1)) + (m + 1) * most;
    if (m === parties || next > -60 || log(parties / (m + 2)) + most > -1) continue;
    excess += 2 * exp(next);
    break;
  }
  // a mass over the total has two factors 1 ± E: its own, and that of the total
  return 2.1 * excess;
}

/**
 * The first condition of `discreteSumAtoms` that the parameters violate, in words for the user; undefined if all hold. They are σ√parties ≤ 1e4, a bound of
 * sensitivity/(σ√parties), and `sumExcess` at most 1e-9 or few enough masses to convolve. It enters no bound.
 */
export function lackOfSum(sigma: number, parties: number, sensitivity: number): string | undefined {
  const spread = sigma * Math.sqrt(parties);
  if (!(spread <= 1e4)) return 'σ√parties is at most 1e4';
  const isOne = sumExcess(sigma, parties) <= NEAR;
  if (!(sensitivity <= (isOne ? 50 : 4) * spread))
    return `sensitivity/(σ√parties) is at most ${isOne ? 50 : 4}`;
  if (isOne || (sigma >= 0.5 && spread ** 2 <= MOST_VARIANCE)) return undefined;
  return 'σ is at least 0.5 and σ²·parties at most 4e4, or σ is so large that the sum is a discrete Gaussian to 1e-9';
}

/**
 * The pair of S and S + sensitivity, S the sum of the discrete Gaussians of `parties` parties (docs/proofs/integer-noise.md 5). S is one discrete
 * Gaussian of scale σ√parties if `sumExcess` allows it, else its masses are convolved.
 *
 * Ensures: masses and losses within the errors that the atoms state.
 */
export function discreteSumAtoms(sigma: number, parties: number, sensitivity: number): Atoms {
  const excess = sumExcess(sigma, parties);
  if (!(excess <= NEAR)) return addedUp(sigma, parties, sensitivity);
  const one = discreteGaussianAtoms(sigma * Math.sqrt(parties), sensitivity);
  return {
    ...one,
    lossError: 2.1 * excess,
    // includes the rounding of σ√parties
    relative: (one.relative ?? 0) + 1.1 * excess + 16 * U * (DEPTH + (sensitivity / sigma) ** 2 / parties),
  };
}

/** Symmetric masses times 2^SHIFT, at −reach … reach. */
interface Masses {
  readonly mass: Float64Array;
  readonly reach: number;
  /** Bound of the relative error, in units of 8U. */
  readonly roundings: number;
}

/**
 * `discreteSumAtoms` by convolutions: sums of 1, 2, 4, … parties, and those of the binary digits of `parties` added. All masses are sums of positive
 * terms. Ensures: masses and losses within the errors stated; the mass of outputs that are not listed is in `beyond`.
 */
function addedUp(sigma: number, parties: number, sensitivity: number): Atoms {
  // P[|sum of m parties| > x] ≤ 2e^{−x²/2mσ²} (Canonne, Kamath, Steinke 2020)
  const reachOf = (count: number, depth: number): number => Math.ceil(sigma * Math.sqrt(2 * depth * count));
  let power = oneParty(sigma, reachOf(1, DEEPER));
  let [whole, added]: [Masses | undefined, number] = [undefined, 0];
  for (let [left, count] = [parties, 1]; left > 0; left = Math.floor(left / 2), count *= 2) {
    if (count > 1) power = sumOf(power, power, reachOf(count, DEEPER));
    if (left % 2 === 0) continue;
    added += count;
    whole = whole === undefined ? power : sumOf(whole, power, reachOf(added, DEEPER));
  }
  const { mass, reach, roundings } = whole!;
  const all = mass.reduce((sum, each) => sum + each, 0);
  const at = (x: number): number => mass[x + reach];
  // bound of the mass that intermediate sums have omitted, times 2^SHIFT
  const lost = 8 * parties * exp(SHIFT * Math.LN2 - DEEPER);
  const edge = firstWhere(reach + 1, (k) => at(k) < (lost / LEFT_OUT) * 1.01) - 1;
  const last = Math.max(-1, Math.min(edge - sensitivity, reachOf(parties, DEPTH)));
  const rest = mass.subarray(last + 1 + reach).reduce((sum, each) => sum + each, 0);
  const [loss, p, q] = Array.from({ length: 3 }, () => new Float64Array(2 * last + sensitivity + 1));
  for (let i = 0; i < loss.length; i++) {
    const x = i - last;
    loss[i] = log(at(x - sensitivity) / at(x));
    p[i] = at(x) / all;
    q[i] = at(x - sensitivity) / all;
  }
  return {
    loss,
    p,
    q,
    beyond: (2 * rest + lost) / all,
    beyondInfinity: true,
    ...ALL_FINITE,
    lossError: LEFT_OUT + 32 * U * roundings,
    relative: LEFT_OUT + 32 * U * (roundings + mass.length),
    gdpMu: Infinity,
    tailMu: sensitivity / (sigma * Math.sqrt(parties)),
  };
}

/**
 * The masses of one discrete Gaussian at −reach … reach: e^{−k²/2σ²} over their sum. Exponents are double-double: the relative error is 80U, and
 * 2U·reach more from the sum.
 */
function oneParty(sigma: number, reach: number): Masses {
  const twice = scale(twoProduct(sigma, sigma), 2);
  const mass = new Float64Array(2 * reach + 1);
  for (let k = 0; k <= reach; k++) {
    const { hi, lo } = divide({ hi: k * k, lo: 0 }, twice);
    // half of the exponent at a time, against underflow
    const half = exp(-hi / 2) * 2 ** (SHIFT / 2);
    mass[reach - k] = mass[reach + k] = half * half * (1 - lo);
  }
  const total = mass.reduce((sum, each) => sum + each * 2 ** -SHIFT, 0);
  return { mass: mass.map((each) => each / total), reach, roundings: 10 + reach / 4 };
}

/** The masses Σ_j a_j b_{k−j} of the sum of two independent variables, for |k| ≤ `wanted`. Their relative error is bounded by `roundings`. */
function sumOf(a: Masses, b: Masses, wanted: number): Masses {
  const reach = Math.min(wanted, a.reach + b.reach);
  charge((2 * a.reach + 1) * reach);
  const mass = new Float64Array(2 * reach + 1);
  for (let k = 0; k <= reach; k++) {
    let sum = 0;
    const last = Math.min(a.reach, b.reach + k);
    for (let j = Math.max(-a.reach, k - b.reach); j <= last; j++)
      sum += a.mass[j + a.reach] * b.mass[k - j + b.reach];
    mass[reach - k] = mass[reach + k] = sum * 2 ** -SHIFT;
  }
  return { mass, reach, roundings: a.roundings + b.roundings + (2 * Math.min(a.reach, b.reach) + 3) / 8 };
}
