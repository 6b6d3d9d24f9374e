import { Lazy } from '../../numeric/lru-cache.js';
import { down, FEW_ROUNDINGS, ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, log } from '../../numeric/scalar.js';
import { firstWhere } from '../../numeric/solve.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import { profileTest } from '../../run/profile-test.js';
import type { TriesLaw } from './tries-law.js';

/** Sets of outputs that score best: this many are looked at, the empty one among them. */
const DECOYS = 160;
/** Their largest mass, and where their losses end: beyond it they hold too little to matter. */
const LEAST_LOG_MASS = -40;
/** Sets between neighbours whose masses differ by more: one of the two, drawn by a coin of its own. */
const FINE = 1.15;
const SMALLEST = 1e-12;
/** How often the distance to the neighbours of the best set is halved. */
const HALVINGS = 7;
/** Distances of the ε that a test is taken from. */
const [LEAST_GAP, LARGEST_GAP] = [1e-5, 0.02];
/** Tests listed on either side of ω = 0, and how deep. */
const LISTED = 100;
const DEEPEST_TEST = -60;
/** Thresholds tried one after the other, and when they have settled. */
const ROUNDS = 12;
const SETTLED = 1e-5;

/** Outputs of losses of at least `floor`: their chance `y` from below in the world that has the losses, `other` from above. */
interface Listed {
  readonly floor: number;
  readonly y: number;
  readonly other: number;
}

/** A decoy, the best test found beside it, and log(TPR − e^ε FPR) of that. */
interface Served {
  readonly decoy: Decoy;
  readonly test: CertifiedTest;
  readonly gained: number;
}

const NOTHING: CertifiedTest = { logFpr: -Infinity, logTpr: -Infinity };

/** Outputs with a loss below −`from`, and their masses: `x` from above in the world that has the losses, `other` from below. */
interface Decoy {
  readonly from: number;
  readonly x: number;
  readonly other: number;
  /** What they add to the loss of the outputs that follow. */
  readonly cost: number;
}

/**
 * Lower bounds of selection by scores that exist, in one direction. Outputs of loss below −a score best, then come the largest
 * losses. The published output has a loss above ω with the chance φ(1 − x) − φ(1 − x − y) in either world. x is the mass of the
 * first and y of the second there (docs/proofs/select.md, 4). Masses are those of certified tests of the pair itself, by its δ
 * alone.
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
   * The largest loss, from below: that of the rarest outputs of a try's largest loss, and what decoys add to it.
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
   * The chances of a set of published outputs in the two worlds, of those found the one with the largest TPR − e^ε FPR.
   *
   * Ensures: some set of outputs has at most this FPR, and at least this TPR.
   */
  best(epsilon: number): CertifiedTest {
    const [decoy, coarse] = this.among(epsilon);
    const fine = this.after(decoy, epsilon);
    return gainOf(fine, epsilon) > gainOf(coarse, epsilon) ? fine : coarse;
  }

  /** The decoy that serves ε best, for an order that is to stand. */
  decoyFor(epsilon: number): Decoy {
    return this.among(epsilon)[0];
  }

  /** The best of all decoys and of those between the best one and its neighbours: nothing is asked of the run. */
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

  /** The best of the listed tests after `decoy`, the last of its outputs by a coin. */
  private beside(decoy: Decoy, epsilon: number): CertifiedTest {
    const tests = this.tests.value;
    /** Whether a further output of the loss of test k, published after it, is still worth its chance. */
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

  /** Certified tests from the largest losses down, by the chances in the two worlds. */
  private listed(): readonly Listed[] {
    const made: Listed[] = [{ floor: Infinity, y: 0, other: 0 }];
    const ends = [this.run.guessOmega(DEEPEST_TEST), -this.opposite.guessOmega(LEAST_LOG_MASS)];
    for (let i = -LISTED; i <= LISTED; i++) {
      // denser where the sets are large
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

  /** The published outputs of losses above about `omega`, where `decoy` scores best. */
  above(decoy: Decoy, omega: number): CertifiedTest {
    const { logFpr, logTpr } = this.testAbove(decoy, omega);
    return this.published(decoy, down(exp(logTpr), ROUNDINGS), up(exp(logFpr), ROUNDINGS));
  }

  /**
   * What outputs of the chances y, from below, and other, from above, are published with next to `decoy`.
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

  /** A certified test of outputs with losses above about ω, none of them among the decoy's. */
  private testAbove({ from }: Decoy, omega: number): CertifiedTest {
    const gap = gapAt(this.run, omega, this.width);
    return omega - gap > -from
      ? profileTest((e) => this.run.logDelta(e, this.width), omega - gap, gap)
      : NOTHING;
  }

  /** The best threshold after `decoy`: there the published loss is ε. */
  private after(decoy: Decoy, epsilon: number): CertifiedTest {
    let best = NOTHING;
    let omega = epsilon - decoy.cost;
    let [low, high] = [-decoy.from, Infinity];
    for (let i = 0; i < ROUNDS; i++) {
      const { logFpr, logTpr } = this.testAbove(decoy, omega);
      const [y, other] = [down(exp(logTpr), ROUNDINGS), up(exp(logFpr), ROUNDINGS)];
      /** The published loss after a share of the test's outputs, drawn by a coin, less that of a try. */
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
      // denser where the sets are large
      const root = Math.sqrt(i / DECOYS);
      const from = last * root * root * root * Math.sqrt(root);
      const gap = gapAt(this.opposite, from, this.width);
      const { logFpr, logTpr } = profileTest((e) => this.opposite.logDelta(e, this.width), from, gap);
      this.add(found, { from, x: up(exp(logFpr), ROUNDINGS), other: down(exp(logTpr), ROUNDINGS), cost: 0 });
    }
    this.add(found, none);
    return found;
  }

  /** Adds a set, and before it those between it and the last. */
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

/** One of two sets by a fair coin: it holds nothing that the larger does not. */
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

/** log(TPR − e^ε FPR). */
export function gainOf({ logFpr, logTpr }: CertifiedTest, epsilon: number): number {
  const [above, below] = [exp(logTpr), exp(epsilon + logFpr)];
  return above > below ? log(above - below) : -Infinity;
}

/** The distance at which curvature and the width of brackets cost about the same, well below the losses that there are. */
function gapAt(run: DirectedRun, omega: number, width: number): number {
  const { lower, upper } = run.logDelta(omega, width);
  const scale = Math.min(1, Math.max(1e-6, run.guessOmega(DEEPEST_TEST)));
  const found = upper - lower;
  const most = LARGEST_GAP * scale;
  return Number.isFinite(found)
    ? Math.min(most, Math.max(LEAST_GAP * scale, Math.sqrt(found)))
    : LEAST_GAP * scale;
}

/** The largest share up to 1 after which something is still to be gained. */
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
