import { atomicPair } from '../../law/atomic-pair.js';
import type { Atoms } from '../../law/pair.js';
import { type Bracket, bracket, exactly } from '../../numeric/bracket.js';
import { U } from '../../numeric/constants.js';
import { complementTimes, logSum } from '../../numeric/log-arithmetic.js';
import { charge } from '../../numeric/meter.js';
import { PRICES } from '../../numeric/prices.js';
import { ROUNDINGS } from '../../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import { composedAtoms, type ListedStep, MOST, sumsOf } from './composed-atoms.js';

/** Largest length of the shorter list. Each question costs one formula for each of its entries. Only speed depends on it. */
const MOST_OF_SHORTER = 2 ** 12;
/** Number of losses in the coarse copy of the shorter list that guesses use, and of their bisection steps. Only speed depends on them. */
const [ROUGH, HALVINGS] = [64, 40];

/**
 * Runs, one for each direction, of steps with finitely many losses whose sums are too many for one list. The steps are divided into two groups A and
 * B, and the sums of each are listed. Then δ(ε) = δ_A(∞) + Σ_a Q_A(a)·δ_B(ε − a) over the losses a of the shorter list, A's; δ_A(∞) is its Q-mass at
 * loss +∞. All terms are positive, so the error is relative. Undefined where one of the lists would be too long.
 *
 * Ensures: each bracket holds the answer, errors of the lists included.
 */
export function twoLists(
  steps: readonly ListedStep[],
  sides: readonly ('remove' | 'add')[],
): DirectedRun[] | undefined {
  const parts = inTwo(steps);
  const [shorter, longer] = parts?.map(composedAtoms) ?? [];
  if (shorter === undefined || longer === undefined || shorter.error !== undefined) return undefined;
  const furthest = [shorter, longer].reduce(
    (sum, { loss }) => sum + Math.max(-loss[0], loss[loss.length - 1]),
    0,
  );
  // an error of a, and the rounding of ε − a, shift the ε at which δ_B is asked
  const lossError = (longer.lossError ?? 0) + (shorter.lossError ?? 0) + 4 * U * furthest;
  const { forward, backward } = atomicPair({ ...longer, lossError });
  const there = mirrored(shorter);
  const made: DirectedRun[] = [
    new TwoLists(shorter, forward, 'remove', () => made[1]),
    new TwoLists(there, backward, 'add', () => made[0]),
  ];
  return sides.length === 1 ? [made[0]] : made;
}

/**
 * Heuristic: divides the steps into two groups with few enough sums each, the longer list first. Steps of one kind may be in both. Undefined where
 * they do not fit. The choice enters no bound: any division gives the exact law.
 */
function inTwo(steps: readonly ListedStep[]): [ListedStep[], ListedStep[]] | undefined {
  const [shorter, longer]: [ListedStep[], ListedStep[]] = [[], []];
  const sizes = [1, 1];
  for (const step of steps) {
    let left = step.count;
    for (const [i, [list, most]] of (
      [
        [longer, MOST],
        [shorter, MOST_OF_SHORTER],
      ] as const
    ).entries()) {
      const fits = (count: number): boolean => sizes[i] * sumsOf({ ...step, count }) <= most;
      // n steps of two losses or more have at least n + 1 sums, so more than `most` steps never fit
      let count = fits(left) ? left : Math.min(left, most);
      while (count > 0 && !fits(count)) count--;
      if (count > 0) {
        list.push({ ...step, count });
        sizes[i] *= sumsOf({ ...step, count });
      }
      left -= count;
      if (left === 0) break;
    }
    if (left > 0) return undefined;
  }
  return shorter.length > 0 ? [shorter, longer] : undefined;
}

/** The exchanged pair (Q, P), with losses negated. Exact. */
function mirrored({ loss, p, q, ...rest }: Atoms): Atoms {
  return {
    ...rest,
    loss: loss.map((y) => -y).reverse(),
    p: q.slice().reverse(),
    q: p.slice().reverse(),
    infinity: rest.minusInfinity,
    minusInfinity: rest.infinity,
  };
}

class TwoLists implements DirectedRun {
  readonly method = 'closed-form';
  readonly logInfinity: Bracket;
  readonly largestLoss: Bracket;
  private readonly logP: Float64Array;
  private readonly logQ: Float64Array;
  /** Bound of the relative error of a sum over the shorter list, which is the absolute error of its logarithm. */
  private readonly slack: number;

  /**
   * Takes logs of the shorter list's masses, and adds up largest losses and masses at +∞ of both lists. `slack` bounds the relative error of sums.
   */
  constructor(
    private readonly shorter: Atoms,
    private readonly longer: DirectedRun,
    readonly direction: 'remove' | 'add',
    private readonly there: () => DirectedRun,
  ) {
    const { loss, p, q, relative = 0, infinity, lossError = 0 } = shorter;
    this.logP = p.map(log);
    this.logQ = q.map(log);
    const deepest = this.logP.reduce((most, value, i) => Math.max(most, -value, -this.logQ[i]), 1);
    this.slack = relative + U * (8 * loss.length + 8 * deepest + 64);
    this.logInfinity = infinityOf(infinity, longer.logInfinity);
    const most = longer.largestLoss ?? exactly(Infinity);
    const top = loss[loss.length - 1];
    const off = lossError + 4 * U * (Math.abs(top) + Math.abs(most.upper));
    this.largestLoss = bracket(most.lower + top - off, most.upper + top + off);
  }

  /**
   * log δ(ε) = log(δ_A(∞) + Σ_a Q_A(a)·δ_B(ε − a)) over the losses a of the shorter list A; for ε < 0 from δ(−ε) of the exchanged pair. Ensures: it
   * lies in the bracket.
   */
  logDelta(epsilon: number): Bracket {
    if (epsilon === Infinity) return this.logInfinity;
    if (epsilon < 0) return complementTimes(epsilon, this.there().logDelta(-epsilon));
    const { loss, infinity } = this.shorter;
    charge(PRICES.scalar * loss.length);
    const each = Array.from(loss, (y) => this.longer.logDelta(epsilon - y));
    const alone = infinity > 0 ? log(infinity) : -Infinity;
    const at = (end: 'lower' | 'upper', side: 1 | -1): number => {
      const sum = logTotal(this.logQ.map((q, i) => q + each[i][end]));
      const whole = logSum(alone, sum);
      return this.padded(whole, side);
    };
    const upper = Math.min(0, at('upper', 1));
    return bracket(Math.min(upper, at('lower', -1)), upper);
  }

  /**
   * The test that rejects where the sum of both losses exceeds ω. Its rates are Σ_a P_A(a)·FPR_B(ω − a) and δ_A(∞) + Σ_a Q_A(a)·TPR_B(ω − a), over
   * the losses a of the shorter list A. Ensures: log TPR rounded down, log FPR up.
   */
  test(omega: number): CertifiedTest {
    const { loss, infinity } = this.shorter;
    charge(PRICES.scalar * loss.length);
    const tests = Array.from(loss, (y) => this.longer.test(omega - y));
    const fpr = logTotal(this.logP.map((p, i) => p + tests[i].logFpr));
    const found = logTotal(this.logQ.map((q, i) => q + tests[i].logTpr));
    const tpr = infinity > 0 ? logSum(log(infinity), found) : found;
    return {
      logFpr: Math.min(0, this.padded(fpr, 1)),
      logTpr: Math.min(0, this.padded(tpr, -1)),
    };
  }

  private padded(logSum: number, side: 1 | -1): number {
    return logSum === -Infinity ? logSum : logSum + side * (this.slack + 4 * U * Math.abs(logSum));
  }

  guessEpsilon(target: number): number {
    return Math.max(
      0,
      this.guess(target, 'logQ', (x) => this.longer.logDelta(x).upper, this.shorter.infinity),
    );
  }

  guessOmega(target: number): number {
    return this.guess(target, 'logP', (x) => this.longer.test(x).logFpr, 0);
  }

  /**
   * Heuristic: approximate x where δ or the FPR falls to e^{target}, by bisection. A coarse copy of the shorter list is used in its place. It enters
   * no bound.
   */
  private guess(
    target: number,
    weight: 'logP' | 'logQ',
    of: (x: number) => number,
    infinity: number,
  ): number {
    const { loss, [weight]: logWeight } = roughly(this.shorter);
    const alone = infinity > 0 ? log(infinity) : -Infinity;
    let [low, high] = [-this.largestLoss.upper, this.largestLoss.upper];
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      const value = logSum(alone, logTotal(loss.map((y, k) => logWeight[k] + of(middle - y))));
      if (value > target) low = middle;
      else high = middle;
    }
    return high;
  }
}

/** log Σ e^x over the entries, to a few roundings of each. */
function logTotal(logs: Float64Array): number {
  const top = logs.reduce((most, x) => Math.max(most, x), -Infinity);
  if (top === -Infinity) return top;
  return top + log(logs.reduce((sum, x) => sum + exp(x - top), 0));
}

/** Heuristic: at most ROUGH losses and the logs of their masses, each for a group of neighbouring losses of the list. It enters no bound. */
function roughly({ loss, p, q }: Atoms): Record<'loss' | 'logP' | 'logQ', Float64Array> {
  const n = Math.min(ROUGH, loss.length);
  const from = (k: number): number => Math.floor((k * loss.length) / n);
  const sums = (values: Float64Array): Float64Array =>
    Float64Array.from({ length: n }, (_, k) =>
      log(values.subarray(from(k), from(k + 1)).reduce((a, b) => a + b, 0)),
    );
  return {
    loss: Float64Array.from({ length: n }, (_, k) => loss[(from(k) + from(k + 1)) >> 1]),
    logP: sums(p),
    logQ: sums(q),
  };
}

/**
 * Bracket of log(1 − (1 − a)(1 − b)), the mass at loss +∞ of two composed lists. a is `infinity`, and log b lies in the bracket given. Ensures: the
 * logarithm lies in the bracket.
 */
function infinityOf(infinity: number, { lower, upper }: Bracket): Bracket {
  const at = (other: number, side: 1 | -1): number => {
    const both = log1p(-infinity) + log1p(-exp(other));
    return both === 0 ? -Infinity : log(-expm1(both)) + side * ROUNDINGS * (2 - log(-expm1(both)));
  };
  if (infinity === 0) return bracket(lower, upper);
  return bracket(at(lower, -1), Math.min(0, at(upper, 1)));
}
