import { atomicPair, RELATIVE } from '../../law/atomic-pair.js';
import { type Atoms, atomsOf, type Pair } from '../../law/pair.js';
import { subsampledLoss } from '../../law/subsampling.js';
import { binomialShares } from '../../numeric/binomial-masses.js';
import { U } from '../../numeric/constants.js';
import { charge } from '../../numeric/meter.js';
import { PRICES } from '../../numeric/prices.js';
import { expm1, log1p } from '../../numeric/scalar.js';
import { wholePower } from '../../numeric/whole-power.js';
import type { DirectedRun } from '../../run/directed-run.js';

/** Largest number of sums of losses in a list. Only speed depends on it. */
export const MOST = 2 ** 16;
/** Masses below SMALLEST may have lost relative accuracy to underflow. If there are any, every mass has LOST as a further absolute error. */
const SMALLEST = 1e-290;
const LOST = 1e-300;

/** Identical steps of a run, with their number. */
export interface ListedStep {
  readonly pair: Pair;
  readonly sampling: 'all' | 'poisson' | 'without-replacement';
  readonly rate: number;
  readonly count: number;
}

/** A discrete loss: its values, with their masses under the base P and the mixture Q. */
interface Listed {
  readonly loss: readonly number[];
  readonly p: readonly number[];
  readonly q: readonly number[];
}

/**
 * Runs, one for each direction, of steps with finitely many losses, sampled or not, from the list of all sums of losses. n steps of two losses have
 * n + 1 sums. Undefined where there are more than 2¹⁶, or losses that are not listed.
 *
 * Ensures: each bracket holds the answer, errors of the lists included.
 */
export function listedRuns(
  steps: readonly ListedStep[],
  sides: readonly ('remove' | 'add')[],
): DirectedRun[] | undefined {
  const atoms = composedAtoms(steps);
  if (atoms === undefined) return undefined;
  const { forward, backward } = atomicPair(atoms);
  if (sides.length === 1) return [forward];
  return sides.map((direction) => ({ ...(direction === 'remove' ? forward : backward), direction }));
}

/**
 * All sums of the losses of the steps, with their masses under P and Q: products of multinomial probabilities, one for each kind of step. Only
 * positive terms are added. Undefined where there are more than `MOST`. Ensures: masses and losses are within the errors stated.
 */
export function composedAtoms(steps: readonly ListedStep[]): Atoms | undefined {
  const single: { atoms: Listed; step: ListedStep }[] = [];
  let size = 1;
  let logP = 0;
  let logQ = 0;
  let relative = 4 * U * steps.length;
  let lossError = 0;
  for (const step of steps) {
    const { pair, sampling, rate, count } = step;
    const atoms = sampling === 'without-replacement' ? undefined : atomsOf(pair);
    if (atoms === undefined || atoms.error || atoms.differences || atoms.beyond) return undefined;
    const kinds = atoms.loss.length + 1;
    if (kinds > MOST) return undefined;
    const sampled = sampledAtoms(atoms, rate);
    size *= multisets(sampled.loss.length, count);
    if (!(size <= MOST)) return undefined;
    single.push({ atoms: sampled, step });
    if (rate === 1) logP += count * log1p(-atoms.minusInfinity);
    logQ += count * log1p(-rate * atoms.infinity);
    // errors of single masses, then of the recurrence for binomial probabilities and of their sum
    relative += count * 8 * ((atoms.relative ?? RELATIVE) + 8 * U);
    const largest = sampled.loss.reduce((most, y) => Math.max(most, Math.abs(y)), rate);
    // rounding of each loss, then of products and sums
    lossError += Math.max((8 + kinds + steps.length) * U * count * largest, count * Number.MIN_VALUE);
    // log(1 − q + q e^y) has a slope in y of at most 1
    lossError += count * (atoms.lossError ?? 0);
  }
  charge(PRICES.cell * size);
  const whole = single.reduce<Listed>((sum, { atoms, step }) => product(sum, repeated(atoms, step.count)), {
    loss: [0],
    p: [1],
    q: [1],
  });
  const order = whole.loss.map((_, i) => i).sort((i, j) => whole.loss[i] - whole.loss[j]);
  const sorted = (values: readonly number[]): Float64Array => Float64Array.from(order, (i) => values[i]);
  const [p, q] = [sorted(whole.p), sorted(whole.q)];
  const lost = p.some((mass, i) => Math.min(mass, q[i]) < SMALLEST);
  return {
    loss: sorted(whole.loss),
    p,
    q,
    relative: relative + lossError,
    lossError,
    ...(lost ? { error: new Float64Array(p.length).fill(LOST) } : {}),
    infinity: -expm1(logQ),
    minusInfinity: -expm1(logP),
    gdpMu: Infinity,
    tailMu: 0,
  };
}

/**
 * The losses log(1 − q + q e^y) of a Poisson sample at rate q, with masses under P and (1 − q)P + qQ. Outputs that only P gives have the loss log(1
 * − q). Each mass and loss has an error of a few roundings.
 */
export function sampledAtoms(atoms: Atoms, rate: number): Listed {
  const alone = isAlone(atoms, rate);
  const loss = Array.from(atoms.loss, (y) => subsampledLoss(y, rate));
  const p = Array.from(atoms.p);
  const q = p.map((mass, i) => (1 - rate) * mass + rate * atoms.q[i]);
  return {
    loss: alone ? [log1p(-rate), ...loss] : loss,
    p: alone ? [atoms.minusInfinity, ...p] : p,
    q: alone ? [(1 - rate) * atoms.minusInfinity, ...q] : q,
  };
}

/** Whether there are outputs that only P gives, which have the loss log(1 − q) on a Poisson sample of rate q < 1. */
function isAlone({ minusInfinity }: Atoms, rate: number): boolean {
  return rate < 1 && minusInfinity > 0;
}

/**
 * Number of sums of losses of `count` identical steps, C(count + k − 1, k − 1) for k losses; ∞ if the losses are not listed. A number above twice
 * `MOST` may be too small.
 */
export function sumsOf({ pair, sampling, rate, count }: ListedStep): number {
  const atoms = sampling === 'without-replacement' ? undefined : atomsOf(pair);
  if (atoms === undefined || atoms.loss.length >= MOST) return Infinity;
  return multisets(atoms.loss.length + (isAlone(atoms, rate) ? 1 : 0), count);
}

/** Number of multisets of n elements of k kinds, C(n + k − 1, k − 1). The product stops above twice `MOST`. */
function multisets(k: number, n: number): number {
  let ways = 1;
  for (let i = 1; i < k && ways <= 2 * MOST; i++) ways *= (n + i) / i;
  return ways;
}

/** The sum of two independent discrete losses: all sums of values, with products of masses. Exact but for a rounding of each. */
function product(a: Listed, b: Listed): Listed {
  const pairs = <T>(of: (i: number, j: number) => T): T[] =>
    a.loss.flatMap((_, i) => b.loss.map((__, j) => of(i, j)));
  return {
    loss: pairs((i, j) => a.loss[i] + b.loss[j]),
    p: pairs((i, j) => a.p[i] * b.p[j]),
    q: pairs((i, j) => a.q[i] * b.q[j]),
  };
}

/**
 * The n-fold sum of a discrete loss, recursively. The number of terms that have the first loss is binomial; the others are summed over the
 * remaining losses. All terms are positive; `composedAtoms` charges the roundings.
 */
function repeated({ loss, p, q }: Listed, n: number): Listed {
  const sum = (masses: readonly number[]): number => masses.reduce((a, b) => a + b, 0);
  const [restP, restQ] = [p, q].map((masses) => masses.map((_, i) => sum(masses.slice(i + 1))));
  const out = { loss: [] as number[], p: [] as number[], q: [] as number[] };
  // lists all sums of `left` terms with losses i, i + 1, …, the number of terms with loss i binomial. It adds `at` to each sum, and multiplies its
  // masses by massP and massQ.
  const visit = (i: number, left: number, at: number, massP: number, massQ: number): void => {
    // all remaining terms have the last loss
    if (i === loss.length - 1 || left === 0) {
      out.loss.push(at + left * loss[i]);
      out.p.push(massP);
      out.q.push(massQ);
      return;
    }
    const [ofP, ofQ] = [binomialShares(left, p[i], restP[i]), binomialShares(left, q[i], restQ[i])];
    for (let k = 0; k <= left; k++) visit(i + 1, left - k, at + k * loss[i], massP * ofP[k], massQ * ofQ[k]);
  };
  visit(0, n, 0, wholePower(sum(p), n), wholePower(sum(q), n));
  return out;
}
