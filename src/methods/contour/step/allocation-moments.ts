import { LruCache } from '../../../numeric/lru-cache.js';

/** Central moments are computed up to this even order. */
const ORDERS = 48;
/** Guard bits beyond those that the last difference cancels. */
const GUARD = 192;
/** Leading bits of a large integer that are converted to a double. */
const TAKEN = 80n;
const MAX_KEPT = 16;

/** One epoch of `bins` batches, all released, with Gaussian noise of 1/μ. */
interface FullEpoch {
  readonly mu: number;
  readonly bins: number;
}

/** E[(η/scale)^k], k = 0 … ORDERS, and bounds on their errors. */
export interface CentralMoments {
  readonly scale: number;
  readonly value: Float64Array;
  readonly error: Float64Array;
}

const kept = new LruCache<string, CentralMoments>(MAX_KEPT);

/**
 * The moments of η = V − 1, V = R/E R. A full epoch's likelihood ratio is s = e^Ȳ R, Ȳ the mean of the logarithms (docs/proofs/balls-and-bins.md,
 * point 9). E V^k = E s^k · e^{−k(k−1)μ²/2t}, E s^k = k![h^k](Σ_j e^{μ²j(j−1)/2}h^j/(t^j j!))^t; E η^k is their k-th difference. k digits cancel for
 * each of η. So the sums are taken in whole numbers of enough bits, with bounds of the roundings in these units.
 */
export function centralMoments(law: FullEpoch): CentralMoments {
  return kept.of(`${law.mu}/${law.bins}`, () => momentsOf(law));
}

/**
 * E η^k/scale^k, k up to ORDERS, of the centred likelihood ratio η of an epoch, scale a power of two. From differences in whole numbers
 * (balls-and-bins.md 9). Ensures: each is within its error.
 */
function momentsOf({ mu, bins }: FullEpoch): CentralMoments {
  // lower bound: E η² = (1 + (e^{μ²} − 1)/t)e^{−μ²/t} − 1 ≥ about μ⁴/4t
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

/** x, a double ≥ 0, in units of 2^{−bits}, rounded down. */
function fixed(x: number, bits: bigint): bigint {
  let [whole, down] = [x, 0n];
  while (whole !== Math.floor(whole)) {
    whole *= 2;
    down++;
  }
  return bits >= down ? BigInt(whole) << (bits - down) : BigInt(whole) >> (down - bits);
}

/** e^x, 0 ≤ x ≤ 16, with an error of at most 2 units of 2^{−bits}: Taylor's series of x/2^32, squared 32 times. */
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

/** E η^k in units of 2^{−bits}, as k-th differences of E (1 + η)^n, in whole numbers. Ensures: each is within its error. */
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
    // e^{μ²} ≥ 1 has an error of 3 units, and each factor of its powers adds that and a rounding
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
    // e^{n(n−1)μ²/2t}
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
