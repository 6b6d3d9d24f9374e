import { U } from '../numeric/constants.js';
import { charge } from '../numeric/meter.js';
import { PRICES } from '../numeric/prices.js';
import { LONG_SUM, up } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import { pureMu } from './exponential-pair.js';
import { splitMasses } from './meshed-atoms.js';
import { ALL_FINITE, type Atoms } from './pair.js';

/** Masses below this, relative to the largest, are not listed; `beyond` counts them. Correctness depends on it. */
const FAINTEST = 1e-300;
/** Largest number of cells (numbers of answers and of zeros) that are computed one by one; and of atoms on either side of loss 0. For speed and width. */
const [MOST_CELLS, MOST_ATOMS] = [1e6, 2 ** 14];

/** Masses at consecutive integers. */
interface Listed {
  readonly first: number;
  readonly mass: Float64Array;
}

/**
 * P[Bin(n, a/(a + b)) = k] for the k at which it is at least `FAINTEST` of the largest. Ratios of adjacent masses are multiplied from the mode on; the
 * products are divided by their sum.
 *
 * Ensures: a relative error of at most 8U times the number of masses; those not listed sum to at most n·FAINTEST.
 */
function binomialWindow(n: number, a: number, b: number): Listed {
  const mode = Math.min(n, Math.floor(((n + 1) * a) / (a + b)));
  const [down, up]: [number[], number[]] = [[], [1]];
  for (let k = mode, w = 1; k < n && w >= FAINTEST; k++) {
    w *= ((n - k) * a) / ((k + 1) * b);
    up.push(w);
  }
  for (let k = mode, w = 1; k > 0 && w >= FAINTEST; k--) {
    w *= (k * b) / ((n - k + 1) * a);
    down.push(w);
  }
  const mass = Float64Array.from([...down.reverse(), ...up]);
  const sum = mass.reduce((all, w) => all + w, 0);
  return { first: mode - down.length, mass: mass.map((w) => w / sum) };
}

/** The number of zeros among `count` answers that are 0 or 1 by a fair coin: its masses, before weighting by the record's own answer. */
interface Answers extends Listed {
  /** Number of answers. */
  readonly count: number;
  /** Weight of a third answer of the record in `answersAt`, (users − count)/e^ε; 0 if absent. */
  readonly rest?: number;
}

/** Bin(count, ½). */
const fairAnswers = (count: number): Answers => ({ count, ...binomialWindow(count, 1, 1) });

/** e^ε, and e^ε − 1 with full relative accuracy, of which all differences q − p are multiples. */
interface Odds {
  readonly e: number;
  readonly rise: number;
}

const oddsOf = (epsilon: number): Odds => ({ e: exp(epsilon), rise: expm1(epsilon) });

/**
 * Masses p ∝ m(e·zeros + ones + rest) and q ∝ m(zeros + e·ones + rest), and q − p, with a few roundings. m is the mass of the i-th listed number of
 * zeros, and e is e^ε (docs/proofs/shuffle-model.md, 2 and 3).
 */
function answersAt({ count, first, mass, rest = 0 }: Answers, i: number, { e, rise }: Odds) {
  const [zeros, ones] = [first + i, count - first - i];
  const unit = (2 * mass[i]) / (count * (1 + e) + 2 * rest);
  return {
    p: unit * (e * zeros + ones + rest),
    q: unit * (zeros + e * ones + rest),
    difference: unit * rise * (ones - zeros),
  };
}

/** log(q/p) = 2 artanh((q − p)/(p + q)) from the difference q − p: it has a small relative error also near 0. */
function lossOf(p: number, q: number, difference: number): number {
  const x = difference / (p + q);
  return Math.abs(x) < 0.5 ? log1p(x) - log1p(-x) : log(q / p);
}

/**
 * The pair of the clones (docs/proofs/shuffle-model.md 1): each other user is a clone with probability 2/(e^ε + 1). A clone's message is 0 or 1 by a
 * fair coin. Losses are split between the multiples of a step, so that masses under P and Q stay (shuffle-model.md, 3). If there are more than `MOST_CELLS` pairs of
 * numbers, several consecutive numbers of clones are replaced by the least of them, which dominates.
 *
 * Ensures: it dominates the shuffled messages of `users` with one ε-DP randomiser.
 */
export function clonesAtoms(epsilon: number, users: number): Atoms {
  const odds = oddsOf(epsilon);
  const clones = binomialWindow(users - 1, 2, odds.rise);
  const { first, mass } = clones;
  const stride = Math.ceil(cellsOf(clones) / MOST_CELLS);
  const reach = largestLoss(odds.e, first + 1);
  const step = reach / MOST_ATOMS;
  let [additions, faint] = [0, 0];
  const { lost, ...listed } = splitMasses(step, [-reach, reach], (add) => {
    for (let i = 0; i < mass.length; i += stride) {
      const share = mass.subarray(i, i + stride).reduce((sum, each) => sum + each, 0);
      const answers = fairAnswers(first + i + 1);
      additions += answers.mass.length;
      for (let k = 0; k < answers.mass.length; k++) {
        const { p, q, difference } = answersAt(answers, k, odds);
        const [loss, own, other] = [lossOf(p, q, difference), share * q, share * p];
        if (other < FAINTEST || Math.abs(loss) > reach) faint += Math.max(own, other);
        else add(Math.floor(loss / step), loss, own, other);
      }
    }
  });
  return {
    ...listed,
    beyond: 2 * (lost + faint) + 4 * (users + 1) * FAINTEST,
    ...ALL_FINITE,
    lattice: step,
    lossError: 16 * U * (1 + epsilon),
    relative: 8 * U * (additions + mass.length),
    gdpMu: pureMu(epsilon),
    tailMu: 0,
  };
}

/** Heuristic: about how many numbers of zeros are listed, over all listed numbers of answers. It only chooses how many are merged. */
function cellsOf({ first, mass }: Listed): number {
  const most = first + mass.length;
  return mass.length * (Math.min(most, 38 * Math.sqrt(most)) + 1);
}

/** Upper bound of the listed losses: beyond 38√count more ones than zeros the masses are below `FAINTEST` of the largest. */
function largestLoss(e: number, count: number): number {
  const x = Math.min(1, (38 * Math.sqrt(count) + 1) / count);
  return log((1 - x + e * (1 + x)) / (e * (1 - x) + 1 + x)) * (1 + LONG_SUM);
}

/** Other users' records: either they answer 0 or 1 by a fair coin, or they have the third answer, sent with probability e^ε/(e^ε + 2). */
export type Others = 'coins' | 'third-answer';

/** Masses in ascending order of their losses. */
interface Ordered {
  readonly p: Float64Array;
  readonly q: Float64Array;
  readonly difference: Float64Array;
  /** Bound of the relative error, in units of 8U. */
  readonly roundings: number;
}

/**
 * A lower bound of the shuffle model by one ε-DP randomiser on one data set (docs/proofs/shuffle-model.md 2). Only counts of its messages are published,
 * merged into cells by their losses.
 *
 * Ensures: brackets of these atoms contain the values of that statistic.
 */
export function attainedAtoms(epsilon: number, users: number, others: Others): Atoms {
  const { p, q, difference, roundings } = together(
    others === 'coins' ? coins(oddsOf(epsilon), users) : thirdAnswers(oddsOf(epsilon), users),
  );
  let lost = 0;
  const kept = Array.from(p.keys()).filter((i) => {
    const isListed = Math.min(p[i], q[i]) >= FAINTEST;
    if (!isListed) lost += Math.max(p[i], q[i]);
    return isListed;
  });
  const loss = Float64Array.from(kept, (i) => lossOf(p[i], q[i], difference[i]));
  const largest = Math.max(...[loss[0], loss[loss.length - 1]].map(Math.abs));
  return {
    loss,
    p: Float64Array.from(kept, (i) => p[i]),
    q: Float64Array.from(kept, (i) => q[i]),
    beyond: 2 * lost + 8 * (users + 1) * FAINTEST,
    ...ALL_FINITE,
    // small losses have relative errors, see `lossOf`
    lossError: 32 * U * roundings * (largest < 1 ? largest : 1 + epsilon),
    relative: 16 * U * roundings,
    gdpMu: pureMu(epsilon),
    tailMu: 0,
  };
}

/**
 * The pair if all users answer 0 or 1: masses by the number of zeros, from `answersAt`, in ascending order of losses. Relative errors: `roundings`
 * times 8U.
 */
function coins(odds: Odds, users: number): Ordered {
  const answers = fairAnswers(users);
  const n = answers.mass.length;
  // losses ascend as the number of zeros decreases
  const each = Array.from({ length: n }, (_, i) => answersAt(answers, n - 1 - i, odds));
  return {
    p: Float64Array.from(each, ({ p }) => p),
    q: Float64Array.from(each, ({ q }) => q),
    difference: Float64Array.from(each, (masses) => masses.difference),
    roundings: n + 2,
  };
}

/** The pair of the numbers of answers 0 and 1, if others' records have the third answer; for many users, of the difference of both numbers alone. */
function thirdAnswers(odds: Odds, users: number): Ordered {
  const numbers = binomialWindow(users, 2, odds.e);
  return cellsOf(numbers) > 2 * MOST_CELLS ? differences(odds, users) : inCells(numbers, odds, users);
}

/**
 * Masses of the numbers of zeros and ones if others' records have the third answer. They are multinomial, weighted as in `answersAt`, and merged by loss
 * into `2 MOST_ATOMS` cells. Relative errors: `roundings` times 8U.
 */
function inCells({ first, mass }: Listed, odds: Odds, users: number): Ordered {
  const { e } = odds;
  const reach = up(log(e), LONG_SUM);
  const of = (): Float64Array => new Float64Array(2 * MOST_ATOMS);
  const [p, q, difference] = [of(), of(), of()];
  let additions = 0;
  for (let i = 0; i < mass.length; i++) {
    const count = first + i;
    const rest = (users - count) / e;
    // mass of the number of zeros and ones, over both answers of the record
    const share = (mass[i] * ((count * (1 + e)) / 2 + rest)) / users;
    const answers = { ...fairAnswers(count), rest };
    additions += answers.mass.length;
    for (let k = 0; k < answers.mass.length; k++) {
      const each = answersAt(answers, k, odds);
      const loss = lossOf(each.p, each.q, each.difference);
      const at = Math.min(2 * MOST_ATOMS - 1, Math.max(0, Math.floor((loss / reach + 1) * MOST_ATOMS)));
      p[at] += share * each.p;
      q[at] += share * each.q;
      difference[at] += share * each.difference;
    }
  }
  return { p, q, difference, roundings: additions + mass.length };
}

/**
 * The pair of d, the number of ones less that of zeros, if others' records have the third answer. With t of `trinomial`, p is
 * (e t(d+1) + t(d−1) + t(d))/(e + 2), and q that with d replaced by −d. Losses ascend. Relative errors: `roundings` times 8U.
 */
function differences({ e, rise }: Odds, users: number): Ordered {
  const { mass, half, complete } = trinomial(users - 1, e);
  // if t is not known beyond ±half, p and q are not known at ±half
  const reach = complete ? half + 1 : half - 1;
  const at = (d: number): number => (Math.abs(d) <= half ? mass[d + half] : 0);
  const [p, q, difference] = Array.from({ length: 3 }, () => new Float64Array(2 * reach + 1));
  for (let d = -reach; d <= reach; d++) {
    const [below, same, above] = [at(d - 1), at(d), at(d + 1)];
    p[d + reach] = (e * above + below + same) / (e + 2);
    q[d + reach] = (e * below + above + same) / (e + 2);
    // as t(d − 1) − t(d + 1) = d (e t(d) + t(d + 1) + t(d − 1))/users
    difference[d + reach] = (rise * d * (e * same + above + below)) / (users * (e + 2));
  }
  return { p, q, difference, roundings: users + 8 };
}

/**
 * t(d), |d| ≤ half: the probability that n independent steps −1, 0, 1, with probabilities 1, e, 1 over e + 2, sum to d. It is u_{n+d}/(e + 2)^n, with
 * (1 + ex + x²)^n = Σ u_k x^k. They obey (k + 1)u_{k+1} = (n − k)e u_k + (2n − k + 1)u_{k−1}, whose terms are positive for k < n.
 *
 * Ensures: a relative error of at most 8U(n + 1), except for masses below `FAINTEST`. The mass beyond `half` is less than 2e^{−705}.
 */
function trinomial(n: number, e: number): { mass: Float64Array; half: number; complete: boolean } {
  // Bernstein: P[|D| > x] ≤ 2e^{−x²/2(nv + x/3)}, v = 2/(e + 2)
  const half = Math.min(n, Math.ceil(235 + Math.sqrt(235 ** 2 + (1410 * n * 2) / (e + 2))));
  charge(PRICES.moved * n);
  const mass = new Float64Array(2 * half + 1);
  const powers = new Int32Array(half + 1);
  let [before, now, power] = [0, 1, 0];
  for (let k = 0; k <= n; k++) {
    if (k >= n - half) {
      mass[k - n + half] = now;
      powers[k - n + half] = power;
    }
    [before, now] = [now, ((n - k) * e * now + (2 * n - k + 1) * before) / (k + 1)];
    if (now < 2 ** 400) continue;
    [before, now, power] = [before * 2 ** -400, now * 2 ** -400, power + 1];
  }
  for (let i = 0; i <= half; i++) {
    // one factor after the other, as their product may underflow
    for (let j = powers[i]; j < powers[half]; j++) mass[i] *= 2 ** -400;
    mass[2 * half - i] = mass[i];
  }
  const sum = mass.reduce((all, w) => all + w, 0);
  return { mass: mass.map((w) => w / sum), half, complete: half === n };
}

/** Adds the masses of consecutive losses if there are more than `2 MOST_ATOMS`; the relative error grows by a rounding for each mass added. */
function together(listed: Ordered): Ordered {
  const { p, q, difference, roundings } = listed;
  const size = Math.ceil(p.length / (2 * MOST_ATOMS));
  if (size === 1) return listed;
  const sums = (of: Float64Array): Float64Array =>
    Float64Array.from({ length: Math.ceil(of.length / size) }, (_, i) =>
      of.subarray(i * size, (i + 1) * size).reduce((sum, mass) => sum + mass, 0),
    );
  return { p: sums(p), q: sums(q), difference: sums(difference), roundings: roundings + size };
}
