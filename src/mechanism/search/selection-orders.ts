import { Lazy } from '../../numeric/lru-cache.js';
import { down, FEW_ROUNDINGS, ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, log } from '../../numeric/scalar.js';
import { firstWhere } from '../../numeric/solve.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import { profileTest } from '../../run/profile-test.js';
import type { TriesLaw } from './tries-law.js';

/**
 * Number of best-scoring sets D ("decoys") that are tried. The outputs of D have the least privacy losses, so D raises the loss of the outputs that score
 * next (`SelectionOrders`). Only width and speed depend on it.
 */
const DECOYS = 160;
/** log of the least probability of a best-scoring set D: smaller sets hardly change δ. Only width depends on it. */
const LEAST_LOG_MASS = -40;
/**
 * FINE: largest ratio of the probabilities of neighbouring best-scoring sets D. Between sets further apart, random mixtures of both are tried too, down
 * to the probability SMALLEST. Only width and speed depend on them.
 */
const FINE = 1.15;
const SMALLEST = 1e-12;
/** Number of bisections between the best of the best-scoring sets and its neighbours, larger and smaller. Only width and speed depend on it. */
const HALVINGS = 7;
/** Least and largest distance of the two ε from whose δ a certified test is computed, as fractions of a large loss (`gapAt`). Only width depends on them. */
const [LEAST_GAP, LARGEST_GAP] = [1e-5, 0.02];
/**
 * LISTED: number of certified tests on either side of the threshold ω = 0. DEEPEST_TEST: log false positive rate of the test with the largest
 * threshold. Only width depends on them.
 */
const LISTED = 100;
const DEEPEST_TEST = -60;
/** Largest number of iterations for the threshold ω of the best test. Only width and speed depend on it. */
const ROUNDS = 12;
/** Change of ω at which these iterations end. Only width and speed depend on it. */
const SETTLED = 1e-5;

/** Outputs with losses of at least `floor`. `y` is a lower bound of their probability Q, and `other` an upper bound of their probability P; the loss is log dQ/dP. */
interface Listed {
  readonly floor: number;
  readonly y: number;
  readonly other: number;
}

/** A best-scoring set D, the best test found with it, and log(TPR − e^ε FPR) of that test. */
interface Served {
  readonly decoy: Decoy;
  readonly test: CertifiedTest;
  readonly gained: number;
}

const NOTHING: CertifiedTest = { logFpr: -Infinity, logTpr: -Infinity };

/** A best-scoring set D: the outputs with a loss below −`from`. `x` is an upper bound of the probability of D under Q, and `other` a lower bound under P. */
interface Decoy {
  readonly from: number;
  readonly x: number;
  readonly other: number;
  /** What D adds to the loss of outputs that score next: log φ′(1 − x)/φ′(1 − other). φ is the generating function of the number of tries. */
  readonly cost: number;
}

/**
 * Lower bounds of δ for a private search by scores that some mechanism has, in one direction. A set D of outputs with the least losses scores best, and
 * a set S of outputs with the largest losses scores next. The published output is in S with probability φ(1 − x) − φ(1 − x − y). Here x and y are the
 * probabilities of D and S, and φ is the generating function of the number of tries (docs/proofs/select.md, 4). Probabilities of sets are certified
 * by tests of one try.
 */
export class SelectionOrders {
  private readonly listed = new Lazy(() => ({ sets: this.setsOf(), tests: this.testsOf() }));

  /** @param run One try, a single pair, whose brackets hold its own δ. @param opposite The exchanged pair. @param width Of the brackets of log δ to aim at. */
  constructor(
    private readonly tries: TriesLaw,
    private readonly run: DirectedRun,
    private readonly opposite: DirectedRun,
    private readonly width: number,
  ) {}

  /**
   * Lower bound of the largest loss of the published result: that of one try plus the most that a best-scoring set D adds, rounded down.
   *
   * Ensures: no larger than the largest loss of the published result.
   */
  largestLoss(): number {
    const least = this.run.largestLoss?.lower ?? 0;
    const costs = this.listed.value.sets.map(({ from, x, other }) =>
      least > -from && other > x ? finite(this.tries.costBelow(x, Math.min(1, other))) : 0,
    );
    return down(least + Math.max(...costs), FEW_ROUNDINGS);
  }

  /** Rates of the set of published outputs with the largest TPR − e^ε FPR of those that were tried. Ensures: some set of outputs has at most this FPR, and at least this TPR. */
  best(epsilon: number): CertifiedTest {
    const [decoy, coarse] = this.among(epsilon);
    const fine = this.after(decoy, epsilon);
    return gainOf(fine, epsilon) > gainOf(coarse, epsilon) ? fine : coarse;
  }

  /** The best-scoring set D with the best test at ε. In a composition one D is used for all tests of a search. */
  decoyFor(epsilon: number): Decoy {
    return this.among(epsilon)[0];
  }

  /**
   * The best-scoring set D with the largest gain TPR − e^ε FPR at ε, and its test. All listed sets are compared, then mixtures of the best one with its
   * neighbours. Which set is best is a heuristic; each test is certified.
   */
  private among(epsilon: number): [Decoy, CertifiedTest] {
    const { sets } = this.listed.value;
    const served = (decoy: Decoy): Served => {
      const test = this.beside(decoy, epsilon);
      return { decoy, test, gained: gainOf(test, epsilon) };
    };
    let best: Served = { decoy: sets[0], test: NOTHING, gained: -Infinity };
    let at = 0;
    for (const [i, decoy] of sets.entries()) {
      const next = served(decoy);
      if (next.gained > best.gained) [best, at] = [next, i];
    }
    let [larger, smaller] = [sets[Math.max(0, at - 1)], sets[Math.min(at + 1, sets.length - 1)]];
    for (let i = 0; i < HALVINGS; i++) {
      const [above, below] = [mixed(larger, best.decoy), mixed(best.decoy, smaller)].map((decoy) =>
        served(this.costed(decoy)),
      );
      if (above.gained > best.gained && above.gained >= below.gained) [smaller, best] = [best.decoy, above];
      else if (below.gained > best.gained) [larger, best] = [best.decoy, below];
      else [larger, smaller] = [above.decoy, below.decoy];
    }
    return [best.decoy, best.test];
  }

  /**
   * The best test with a best-scoring set D. It rejects on the outputs of the listed test with the best threshold, and at random on further outputs of
   * the next one. Ensures: some test of the published result has at most this FPR and at least this TPR.
   */
  private beside(decoy: Decoy, epsilon: number): CertifiedTest {
    const { tests } = this.listed.value;
    /** Whether further outputs with the loss of the k-th listed test raise TPR − e^ε FPR: whether their loss when published is at least ε. */
    const worth = (k: number): boolean =>
      tests[k].floor > -decoy.from &&
      tests[k].floor + this.difference(decoy.x + tests[k].y, decoy.other + tests[k].other) >= epsilon;
    const at = firstWhere(tests.length - 1, (k) => !worth(k + 1));
    const [a, b] = [tests[at], tests[Math.min(at + 1, tests.length - 1)]];
    const [more, otherMore] = [b.y - a.y, b.other - a.other];
    const whole = this.published(decoy, a.y, a.other);
    if (!(b.floor > -decoy.from && more > 0)) return whole;
    const loss = log(more) - log(otherMore);
    const part = shareAt(
      (share) =>
        loss +
        this.difference(decoy.x + a.y + share * more, decoy.other + a.other + share * otherMore) -
        epsilon,
    );
    const further = this.published(decoy, a.y + part * more, a.other + part * otherMore);
    return gainOf(further, epsilon) > gainOf(whole, epsilon) ? further : whole;
  }

  /** Certified tests of one try with falling thresholds ω, from the largest losses down. Their probabilities are rounded to the safe side. */
  private testsOf(): readonly Listed[] {
    const made: Listed[] = [{ floor: Infinity, y: 0, other: 0 }];
    const ends = [this.run.guessOmega(DEEPEST_TEST), -this.opposite.guessOmega(LEAST_LOG_MASS)];
    for (let i = -LISTED; i <= LISTED; i++) {
      // values near 0, where sets are large, are denser
      const part = Math.abs(i) / LISTED;
      const omega = (i < 0 ? ends[0] : ends[1]) * part * Math.sqrt(part);
      const gap = gapAt(this.run, omega, this.width);
      const { logFpr, logTpr } = profileTest((e) => this.run.logDelta(e, this.width), omega - gap, gap);
      const last = made[made.length - 1];
      const [y, other] = [down(exp(logTpr), ROUNDINGS), up(exp(logFpr), ROUNDINGS)];
      if (y >= last.y && other >= last.other && omega - gap < last.floor)
        made.push({ floor: omega - gap, y, other });
    }
    return made;
  }

  /** The test that rejects on published outputs whose loss in one try is above about `omega`, while `decoy` scores best. Ensures: some test has at most this FPR and at least this TPR. */
  above(decoy: Decoy, omega: number): CertifiedTest {
    const { logFpr, logTpr } = this.testAbove(decoy, omega);
    return this.published(decoy, down(exp(logTpr), ROUNDINGS), up(exp(logFpr), ROUNDINGS));
  }

  /**
   * Rates at which the published output is in a set S that scores next to the best-scoring set D. They are φ(1 − x) − φ(1 − x − y), φ the generating
   * function of the number of tries. Here x and y are the probabilities of D and S, under Q for the TPR and under P for the FPR. Both are rounded to
   * the safe side.
   *
   * Ensures: FPR from above and TPR from below, if `y` is a lower bound of Q(S) and `other` an upper bound of P(S).
   */
  private published(decoy: Decoy, y: number, other: number): CertifiedTest {
    const { tries } = this;
    const slack = tries.relative;
    const tpr = tries.drop(decoy.x, y) * (1 - slack) - 1e-300;
    const fpr = tries.drop(decoy.other, other) * (1 + slack) + 1e-300;
    return { logFpr: Math.min(0, log(fpr)), logTpr: tpr > 0 ? Math.min(0, log(tpr)) : -Infinity };
  }

  /** A certified test of one try that rejects at losses above about ω, and on no output of the best-scoring set. Ensures: a test with such rates exists. */
  private testAbove({ from }: Decoy, omega: number): CertifiedTest {
    const gap = gapAt(this.run, omega, this.width);
    return omega - gap > -from
      ? profileTest((e) => this.run.logDelta(e, this.width), omega - gap, gap)
      : NOTHING;
  }

  /**
   * The best test with a best-scoring set D, by a fixed-point search. It seeks the threshold ω of one try at which the loss of the published result is ε.
   * The search is a heuristic. Ensures: some test has at most this FPR and at least this TPR.
   */
  private after(decoy: Decoy, epsilon: number): CertifiedTest {
    let best = NOTHING;
    let omega = epsilon - decoy.cost;
    let [low, high] = [-decoy.from, Infinity];
    for (let i = 0; i < ROUNDS; i++) {
      const { logFpr, logTpr } = this.testAbove(decoy, omega);
      const [y, other] = [down(exp(logTpr), ROUNDINGS), up(exp(logFpr), ROUNDINGS)];
      /** What publication adds to the loss of an output that scores just below `decoy` and below this share of the test's outputs. */
      const gained = (share: number): number =>
        this.difference(decoy.x + share * y, decoy.other + share * other);
      for (const share of [1, shareAt((part) => gained(part) + logTpr - logFpr - epsilon)]) {
        const found = this.published(decoy, share * y, share * other);
        if (gainOf(found, epsilon) > gainOf(best, epsilon)) best = found;
      }
      const next = epsilon - gained(1);
      if (Math.abs(next - omega) < SETTLED) break;
      if (next > omega) low = omega;
      else high = omega;
      omega =
        next > low && next < high ? next : high < Infinity && low > -Infinity ? (low + high) / 2 : omega;
    }
    return best;
  }

  /** log φ′(1 − x)/φ′(1 − other), φ the generating function of the number of tries, of either sign; 0 if not finite. Heuristic: it only chooses sets. */
  private difference(x: number, other: number): number {
    const [a, b] = [Math.min(1, x), Math.min(1, other)];
    const cost = b >= a ? this.tries.cost(a, b) : -this.tries.cost(b, a);
    return finite(cost);
  }

  /** The best-scoring sets D that are tried, the largest first and the empty set last. Their probabilities are those of certified tests, rounded to the safe side. */
  private setsOf(): Decoy[] {
    const none: Decoy = { from: Infinity, x: 0, other: 0, cost: 0 };
    const last = this.opposite.guessOmega(LEAST_LOG_MASS);
    if (!(last > 0 && last < Infinity)) return [none];
    const found: Decoy[] = [];
    for (let i = 0; i < DECOYS; i++) {
      // values near 0, where sets are large, are denser
      const root = Math.sqrt(i / DECOYS);
      const from = last * root * root * root * Math.sqrt(root);
      const gap = gapAt(this.opposite, from, this.width);
      const { logFpr, logTpr } = profileTest((e) => this.opposite.logDelta(e, this.width), from, gap);
      this.add(found, { from, x: up(exp(logFpr), ROUNDINGS), other: down(exp(logTpr), ROUNDINGS), cost: 0 });
    }
    this.add(found, none);
    return found;
  }

  /** Adds a best-scoring set, and before it random mixtures of it and of the last set, with probabilities between theirs. */
  private add(sets: Decoy[], next: Decoy): void {
    const last = sets.at(-1);
    if (last !== undefined) {
      for (let x = last.x / FINE; x > Math.max(next.x * FINE, SMALLEST); x /= FINE) {
        const share = (x - next.x) / (last.x - next.x);
        const other = down(next.other + share * (last.other - next.other), ROUNDINGS);
        sets.push(this.costed({ ...last, x: up(x, ROUNDINGS), other }));
      }
    }
    if (next.x < 0.99) sets.push(this.costed(next));
  }

  /** A best-scoring set with the field `cost` computed. */
  private costed(set: Decoy): Decoy {
    return { ...set, cost: set.other > set.x ? this.difference(set.x, set.other) : 0 };
  }
}

/** A mixture of two best-scoring sets by a fair coin; it contains only outputs of the larger set. Probabilities are rounded to the safe side. */
function mixed(larger: Decoy, smaller: Decoy): Decoy {
  return {
    ...larger,
    x: up(larger.x / 2 + smaller.x / 2, ROUNDINGS),
    other: down(larger.other / 2 + smaller.other / 2, ROUNDINGS),
  };
}

/** `cost`, or 0 if it is not finite. */
function finite(cost: number): number {
  return Number.isFinite(cost) ? cost : 0;
}

/** log(TPR − e^ε FPR), the log of the δ(ε) that a test proves, or −∞ if it proves none. It is not rounded to a side, so it only compares tests. */
export function gainOf({ logFpr, logTpr }: CertifiedTest, epsilon: number): number {
  const [above, below] = [exp(logTpr), exp(epsilon + logFpr)];
  return above > below ? log(above - below) : -Infinity;
}

/**
 * Heuristic: the distance of the two ε from whose δ a test with a threshold near ω is computed. It is √(upper − lower end of log δ(ω)), within limits.
 * The errors due to the curvature of δ and to the width of its bracket are about equal then.
 */
function gapAt(run: DirectedRun, omega: number, width: number): number {
  const { lower, upper } = run.logDelta(omega, width);
  const scale = Math.min(1, Math.max(1e-6, run.guessOmega(DEEPEST_TEST)));
  const found = upper - lower;
  const most = LARGEST_GAP * scale;
  return Number.isFinite(found)
    ? Math.min(most, Math.max(LEAST_GAP * scale, Math.sqrt(found)))
    : LEAST_GAP * scale;
}

/** Heuristic: the largest fraction up to 1 at which `rest`, a decreasing function, is ≥ 0, by bisection. */
function shareAt(rest: (share: number) => number): number {
  if (!(rest(1) < 0)) return 1;
  let [low, high] = [0, 1];
  for (let i = 0; i < 20; i++) {
    const middle = i < 10 && low === 0 ? high / 8 : (low + high) / 2;
    if (rest(middle) < 0) high = middle;
    else low = middle;
  }
  return low;
}
