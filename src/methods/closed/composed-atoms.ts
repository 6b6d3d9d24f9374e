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

/** Number of sums of losses listed at most. */
export const MOST = 2 ** 16;
/** Masses below this may have lost relative accuracy to underflow. */
const SMALLEST = 1e-290;
const LOST = 1e-300;

/** Identical steps of a run, with their number. */
export interface ListedStep {
  readonly pair: Pair;
  readonly sampling: 'all' | 'poisson' | 'without-replacement';
  readonly rate: number;
  readonly count: number;
}

/** A discrete loss: values, with their masses under the base P and the mixture Q. */
interface Listed {
  readonly loss: readonly number[];
  readonly p: readonly number[];
  readonly q: readonly number[];
}

/**
 * A run whose steps have finitely many losses, sampled or not, as the list of the sums of these. n steps of two losses have
 * n + 1. Undefined where there are more than 2¹⁶, or losses that are not listed.
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
 * The sums of the losses of all steps, with masses from multinomial weights: sums of positive terms. Undefined where there are more than `MOST`.
 * Ensures: masses and losses are within the errors stated.
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
    // errors of single masses, then of the recurrence for binomial weights and of their sum
    relative += count * 8 * ((atoms.relative ?? RELATIVE) + 8 * U);
    const largest = sampled.loss.reduce((most, y) => Math.max(most, Math.abs(y)), rate);
    // rounding of each loss, then of products and sums
    lossError += Math.max((8 + kinds + steps.length) * U * count * largest, count * Number.MIN_VALUE);
    // log(1 − q + q e^y) moves by no more than y
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
 * The losses log(1 − q + q e^y) of a Poisson sample, with the masses of both measures. Outputs that only the base gives have the loss log(1 − q). A
 * few roundings of each mass and loss.
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

/** Whether outputs that only the base gives have a loss of their own, log(1 − q), on a Poisson sample. */
function isAlone({ minusInfinity }: Atoms, rate: number): boolean {
  return rate < 1 && minusInfinity > 0;
}

/** Number of sums of losses of the steps, by the number of multisets; ∞ if the losses are not listed. Above twice `MOST` the count stops. */
export function sumsOf({ pair, sampling, rate, count }: ListedStep): number {
  const atoms = sampling === 'without-replacement' ? undefined : atomsOf(pair);
  if (atoms === undefined || atoms.loss.length >= MOST) return Infinity;
  return multisets(atoms.loss.length + (isAlone(atoms, rate) ? 1 : 0), count);
}

/** Number of ways to draw n of k kinds, order apart: C(n + k − 1, k − 1). */
function multisets(k: number, n: number): number {
  let ways = 1;
  for (let i = 1; i < k && ways <= 2 * MOST; i++) ways *= (n + i) / i;
  return ways;
}

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
 * The n-fold sum of a discrete loss, recursively. The number of terms with the first loss is binomial; the rest is a sum of the other losses. All
 * terms are positive. Roundings are charged by `composedAtoms`.
 */
function repeated({ loss, p, q }: Listed, n: number): Listed {
  const sum = (masses: readonly number[]): number => masses.reduce((a, b) => a + b, 0);
  const [restP, restQ] = [p, q].map((masses) => masses.map((_, i) => sum(masses.slice(i + 1))));
  const out = { loss: [] as number[], p: [] as number[], q: [] as number[] };
  const visit = (i: number, left: number, at: number, massP: number, massQ: number): void => {
    // all that remain have the last loss
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
