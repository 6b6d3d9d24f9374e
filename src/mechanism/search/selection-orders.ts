import { Lazy } from '../../numeric/lru-cache.js';
import { down, FEW_ROUNDINGS, ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, log } from '../../numeric/scalar.js';
import { firstWhere } from '../../numeric/solve.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import { profileTest } from '../../run/profile-test.js';
import type { TriesLaw } from './tries-law.js';

/** Number of sets of best-scoring outputs ("decoys") that are considered, including the empty one. */
const DECOYS = 160;
/** Their largest mass, and log of the mass at which their losses end: beyond it they hold too little to matter. */
const LEAST_LOG_MASS = -40;
/** Between neighbouring sets whose masses differ by more than this factor, coin tosses of both are considered. */
const FINE = 1.15;
const SMALLEST = 1e-12;
/** Number of halvings of the distance to the neighbours of the best set. */
const HALVINGS = 7;
/** Distances of the ε's from whose δ a test is computed. */
const [LEAST_GAP, LARGEST_GAP] = [1e-5, 0.02];
/** Number of tests on either side of ω = 0, and the largest log rate. */
const LISTED = 100;
const DEEPEST_TEST = -60;
/** Iterations for a threshold, and their tolerance. */
const ROUNDS = 12;
const SETTLED = 1e-5;

/**
 * Outputs with losses of at least `floor`. `y`: lower bound of their probability in the world that has the losses; `other`: upper bound in the other
 * world.
 */
interface Listed {
  readonly floor: number;
  readonly y: number;
  readonly other: number;
}

/** A decoy, the best test found after it, and log(TPR − e^ε FPR) of that. */
interface Served {
  readonly decoy: Decoy;
  readonly test: CertifiedTest;
  readonly gained: number;
}

const NOTHING: CertifiedTest = { logFpr: -Infinity, logTpr: -Infinity };

/** Outputs with a loss below −`from`. `x`: upper bound of their mass in the world that has the losses; `other`: lower bound in the other world. */
interface Decoy {
  readonly from: number;
  readonly x: number;
  readonly other: number;
  /** What these outputs, which score best, add to the loss of the outputs that follow. */
  readonly cost: number;
}

/**
 * Lower bounds for a selection by scores that exist, in one direction. Outputs of loss below −a, the decoys, score best, then come the largest
 * losses. The published output has a loss above ω with probability φ(1 − x) − φ(1 − x − y) in either world. x is the mass of the first and y of the
 * second there (docs/proofs/select.md, 4). Masses are those of certified tests of the pair itself, computed from δ.
 */
export class SelectionOrders {
  private readonly sets = new Lazy(() => this.made());
  private readonly tests = new Lazy(() => this.listed());

  /**
   * @param run One try, a single pair, whose brackets hold its own δ.
   * @param opposite The exchanged pair.
   * @param width Of the brackets of log δ to aim at.
   */
  constructor(
    private readonly tries: TriesLaw,
    private readonly run: DirectedRun,
    private readonly opposite: DirectedRun,
    private readonly width: number,
  ) {}

  /**
   * Lower bound of the largest loss: that of the rarest outputs of a try with the largest loss, plus what decoys add.
   *
   * Ensures: no larger than the largest loss of the published result.
   */
  largestLoss(): number {
    const least = this.run.largestLoss?.lower ?? 0;
    const costs = this.sets.value.map(({ from, x, other }) =>
      least > -from && other > x ? finite(this.tries.costBelow(x, Math.min(1, other))) : 0,
    );
    return down(least + Math.max(...costs), FEW_ROUNDINGS);
  }

  /**
   * Of the sets of published outputs that were found: both rates of the one with the largest TPR − e^ε FPR.
   *
   * Ensures: some set of outputs has at most this FPR, and at least this TPR.
   */
  best(epsilon: number): CertifiedTest {
    const [decoy, coarse] = this.among(epsilon);
    const fine = this.after(decoy, epsilon);
    return gainOf(fine, epsilon) > gainOf(coarse, epsilon) ? fine : coarse;
  }

  /** The best decoy for ε, to be fixed for a composition. */
  decoyFor(epsilon: number): Decoy {
    return this.among(epsilon)[0];
  }

  /** The best of all decoys, and of those between the best one and its neighbours; asks nothing of the run. */
  private among(epsilon: number): [Decoy, CertifiedTest] {
    const sets = this.sets.value;
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

  /** The best of the listed tests after `decoy`, randomised at its last output. Ensures: some test has at most this FPR and at least this TPR. */
  private beside(decoy: Decoy, epsilon: number): CertifiedTest {
    const tests = this.tests.value;
    /** Whether a further output with the loss of test k, published after it, still raises TPR − e^ε FPR. */
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

  /** Certified tests from the largest losses down, with their probabilities in both worlds. */
  private listed(): readonly Listed[] {
    const made: Listed[] = [{ floor: Infinity, y: 0, other: 0 }];
    const ends = [this.run.guessOmega(DEEPEST_TEST), -this.opposite.guessOmega(LEAST_LOG_MASS)];
    for (let i = -LISTED; i <= LISTED; i++) {
      // denser where sets are large
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

  /** The published outputs with losses above about `omega`, if `decoy` scores best. Ensures: some test has at most this FPR and at least this TPR. */
  above(decoy: Decoy, omega: number): CertifiedTest {
    const { logFpr, logTpr } = this.testAbove(decoy, omega);
    return this.published(decoy, down(exp(logTpr), ROUNDINGS), up(exp(logFpr), ROUNDINGS));
  }

  /**
   * Rates of published outputs with the probabilities y (lower bound) and other (upper bound), next to `decoy`.
   *
   * Ensures: FPR from above and TPR from below, for y from below and `other` from above.
   */
  private published(decoy: Decoy, y: number, other: number): CertifiedTest {
    const { tries } = this;
    const slack = tries.relative;
    const tpr = tries.drop(decoy.x, y) * (1 - slack) - 1e-300;
    const fpr = tries.drop(decoy.other, other) * (1 + slack) + 1e-300;
    return { logFpr: Math.min(0, log(fpr)), logTpr: tpr > 0 ? Math.min(0, log(tpr)) : -Infinity };
  }

  /** A certified test of outputs with losses above about ω, none of them decoys. Ensures: it exists, of one try. */
  private testAbove({ from }: Decoy, omega: number): CertifiedTest {
    const gap = gapAt(this.run, omega, this.width);
    return omega - gap > -from
      ? profileTest((e) => this.run.logDelta(e, this.width), omega - gap, gap)
      : NOTHING;
  }

  /** The best threshold after `decoy`: where the published loss is ε. Ensures: some test has at most this FPR and at least this TPR. */
  private after(decoy: Decoy, epsilon: number): CertifiedTest {
    let best = NOTHING;
    let omega = epsilon - decoy.cost;
    let [low, high] = [-decoy.from, Infinity];
    for (let i = 0; i < ROUNDS; i++) {
      const { logFpr, logTpr } = this.testAbove(decoy, omega);
      const [y, other] = [down(exp(logTpr), ROUNDINGS), up(exp(logFpr), ROUNDINGS)];
      /** published loss after a randomised fraction of the test's outputs, minus that of a try */
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

  /** log φ′(1 − x)/φ′(1 − other), of either sign. */
  private difference(x: number, other: number): number {
    const [a, b] = [Math.min(1, x), Math.min(1, other)];
    const cost = b >= a ? this.tries.cost(a, b) : -this.tries.cost(b, a);
    return finite(cost);
  }

  private made(): Decoy[] {
    const none: Decoy = { from: Infinity, x: 0, other: 0, cost: 0 };
    const last = this.opposite.guessOmega(LEAST_LOG_MASS);
    if (!(last > 0 && last < Infinity)) return [none];
    const found: Decoy[] = [];
    for (let i = 0; i < DECOYS; i++) {
      // denser where sets are large
      const root = Math.sqrt(i / DECOYS);
      const from = last * root * root * root * Math.sqrt(root);
      const gap = gapAt(this.opposite, from, this.width);
      const { logFpr, logTpr } = profileTest((e) => this.opposite.logDelta(e, this.width), from, gap);
      this.add(found, { from, x: up(exp(logFpr), ROUNDINGS), other: down(exp(logTpr), ROUNDINGS), cost: 0 });
    }
    this.add(found, none);
    return found;
  }

  /** Adds a set of decoys, and before it sets whose masses lie between its own and that of the last set. */
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

  private costed(set: Decoy): Decoy {
    return { ...set, cost: set.other > set.x ? this.difference(set.x, set.other) : 0 };
  }
}

/** One of two sets by a fair coin: it contains only outputs of the larger. */
function mixed(larger: Decoy, smaller: Decoy): Decoy {
  return {
    ...larger,
    x: up(larger.x / 2 + smaller.x / 2, ROUNDINGS),
    other: down(larger.other / 2 + smaller.other / 2, ROUNDINGS),
  };
}

function finite(cost: number): number {
  return Number.isFinite(cost) ? cost : 0;
}

/** log(TPR − e^ε FPR), the log of the δ(ε) that a test proves, not rounded outwards; −∞ if it proves none. */
export function gainOf({ logFpr, logTpr }: CertifiedTest, epsilon: number): number {
  const [above, below] = [exp(logTpr), exp(epsilon + logFpr)];
  return above > below ? log(above - below) : -Infinity;
}

/** The distance at which the errors from curvature and from the width of brackets are about equal, well below the losses. */
function gapAt(run: DirectedRun, omega: number, width: number): number {
  const { lower, upper } = run.logDelta(omega, width);
  const scale = Math.min(1, Math.max(1e-6, run.guessOmega(DEEPEST_TEST)));
  const found = upper - lower;
  const most = LARGEST_GAP * scale;
  return Number.isFinite(found)
    ? Math.min(most, Math.max(LEAST_GAP * scale, Math.sqrt(found)))
    : LEAST_GAP * scale;
}

/** The largest fraction up to 1 at which a further output still raises the gain. */
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
