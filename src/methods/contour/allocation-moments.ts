import { LruCache } from '../../numeric/lru-cache.js';

/** Moments of η are computed up to this even order; 1 + η is an epoch's likelihood ratio without its Gaussian factor, scaled to mean 1. */
const ORDERS = 48;
/** Bits of accuracy that remain in the moment of order ORDERS after cancellation. */
const GUARD = 192;
/** Bits after the binary point of a scaled moment that are kept before it becomes a double. */
const TAKEN = 80n;
/** Number of epochs whose moments are cached. Only speed depends on it. */
const MAX_KEPT = 16;

/** One balls-and-bins epoch of `bins` batches, all released, with Gaussian noise of standard deviation 1/μ. */
interface FullEpoch {
  readonly mu: number;
  readonly bins: number;
}

/** E[(η/scale)^k], k = 0 … ORDERS, with bounds of the errors, for the η of `centralMoments`; `scale` is a power of two. */
export interface CentralMoments {
  readonly scale: number;
  readonly value: Float64Array;
  readonly error: Float64Array;
}

const kept = new LruCache<string, CentralMoments>(MAX_KEPT);

/**
 * The moments of η = R/E[R] − 1. The likelihood ratio of a full epoch of t bins is s = e^Ȳ R, Ȳ the mean of t independent log-ratios
 * (docs/proofs/balls-and-bins.md 9). E[(1 + η)^k] = E[s^k]·e^{−k(k−1)μ²/2t}, and E[s^k] is k! times the coefficient of h^k in (Σ_j
 * e^{μ²j(j−1)/2}h^j/(t^j j!))^t. E[η^k] is the k-th difference of these. It cancels many digits, so it is computed in integers of enough bits.
 * Ensures: each is within its error.
 */
export function centralMoments(law: FullEpoch): CentralMoments {
  return kept.of(`${law.mu}/${law.bins}`, () => momentsOf(law));
}

/**
 * E[η^k]/scale^k for k up to ORDERS, 1 + η = R/E[R] as in `centralMoments`, from differences in integers (balls-and-bins.md 9), converted to doubles.
 * The scale is a power of two near the standard deviation of η. Ensures: each is within its error.
 */
function momentsOf({ mu, bins }: FullEpoch): CentralMoments {
  // with t bins, E[η²] = (1 + (e^{μ²} − 1)/t)e^{−μ²/t} − 1 is at least about μ⁴(1 − 1/t)/2t; scale = 2^−exponent, with scale² from μ⁴/4t to μ⁴/t, and at most 1
  let exponent = 0;
  for (let square = (mu * mu * mu * mu) / (4 * bins); square < 0.25; square *= 4) exponent++;
  const bits = BigInt(ORDERS * exponent + GUARD);
  const { value, error } = differences(mu, bins, bits);
  const double = (x: bigint, k: number): number => {
    const shift = bits - BigInt(k * exponent) - TAKEN;
    return Number(shift > 0n ? x >> shift : x << -shift) / Number(1n << TAKEN);
  };
  let scale = 1;
  for (let i = 0; i < exponent; i++) scale /= 2;
  return {
    scale,
    value: Float64Array.from(value, double),
    error: Float64Array.from(error, (x, k) => double(x, k) * (1 + 1e-9) + 2 / Number(1n << TAKEN)),
  };
}

/** A double x ≥ 0 as an integer, in units of 2^{−bits}. Rounded down, by less than a unit. */
function fixed(x: number, bits: bigint): bigint {
  let [whole, down] = [x, 0n];
  while (whole !== Math.floor(whole)) {
    whole *= 2;
    down++;
  }
  return bits >= down ? BigInt(whole) << (bits - down) : BigInt(whole) >> (down - bits);
}

/** e^x for 0 ≤ x ≤ 16, both in units of 2^{−bits}, with an error of at most 2 units. It is Taylor's series of e^{x/2^32}, squared 32 times. */
function expOf(x: bigint, bits: bigint): bigint {
  const inner = bits + 96n;
  const small = (x << 96n) >> 32n;
  let term = 1n << inner;
  let sum = term;
  for (let k = 1n; term > 0n; k++) {
    term = ((term * small) >> inner) / k;
    sum += term;
  }
  for (let i = 0; i < 32; i++) sum = (sum * sum) >> inner;
  return sum >> 96n;
}

/**
 * E[η^k], k ≤ ORDERS, η as in `centralMoments`, in units of 2^{−bits}: k-th differences of E[(1 + η)^n], n ≤ ORDERS. Those come from the power of a
 * series by Miller's recurrence b_n = (1/n)Σ_k ((t + 1)k − n)s_k b_{n−k}, s_k the series' coefficients. Error bounds are carried along. Ensures: each
 * is within its error.
 */
function differences(mu: number, bins: number, bits: bigint): { value: bigint[]; error: bigint[] } {
  const one = 1n << bits;
  const t = BigInt(bins);
  const root = fixed(mu, 2n * bits);
  const square = (root * root) >> (3n * bits);
  const [growth, mean] = [expOf(square, bits), expOf(square / t, bits)];
  const [series, seriesError] = [[one], [0n]];
  for (let j = 1n, power = one; j <= ORDERS; j++) {
    const last = Number(j) - 1;
    series.push(((series[last] * power) >> bits) / (j * t));
    // `growth` = e^{μ²} has an error of 3 units, and each multiplication by it adds that and a rounding
    seriesError.push(
      ((seriesError[last] * power) >> bits) / (j * t) + ((series[last + 1] * 5n * j) >> bits) + 3n,
    );
    power = (power * growth) >> bits;
  }
  const value = [one];
  const error = [0n];
  const b = [one];
  const bError = [0n];
  let [factorial, tilt, step] = [1n, one, one];
  for (let n = 1; n <= ORDERS; n++) {
    let [sum, errorSum] = [0n, 0n];
    for (let k = 1; k <= n; k++) {
      const factor = BigInt((bins + 1) * k - n);
      const size = factor < 0n ? -factor : factor;
      sum += factor * series[k] * b[n - k];
      errorSum += size * (series[k] * bError[n - k] + seriesError[k] * (b[n - k] + bError[n - k]));
    }
    b.push((sum >> bits) / BigInt(n));
    bError.push((errorSum >> bits) / BigInt(n) + 3n);
    factorial *= BigInt(n);
    // tilt = e^{n(n−1)μ²/2t}
    tilt = (tilt * step) >> bits;
    step = (step * mean) >> bits;
    const whole = ((b[n] * factorial) << bits) / tilt;
    value.push(whole);
    error.push(((bError[n] * factorial) << bits) / tilt + ((whole * BigInt(8 * n * n + 8)) >> bits) + 4n);
  }
  for (let k = 1; k <= ORDERS; k++)
    for (let i = ORDERS; i >= k; i--) {
      value[i] -= value[i - 1];
      error[i] += error[i - 1];
    }
  return { value, error };
}
