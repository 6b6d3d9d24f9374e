import { InputRangeError } from '../errors.js';
import { type Bracket, bracket, exactly, maxBracket } from '../numeric/bracket.js';
import { CompensatedSum } from '../numeric/compensated-sum.js';
import { complementTimes, logSum } from '../numeric/log-arithmetic.js';
import { FEW_ROUNDINGS, ROUNDING } from '../numeric/rounding.js';
import { expm1, log } from '../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { cellLaw } from './lattice/cell-law.js';
import type { LatticeMeasure, LossLaw, LossNodes } from './loss-law.js';
import { ALL_LOSSES, type Branch, type BranchedPair, type Pair } from './pair.js';

/**
 * One step of `inner` on a sample without replacement of a fraction `rate` of the records, one record replaced. Its trade-off function is C_p(f) of Dong, Roth,
 * Su 2022, thm 4.2, with p = `rate` and f that of `inner`.
 *
 * For ε ≥ 0, δ is that of the Poisson sample in direction 'remove'; the exchanged pair has the same δ. So the law has the positive losses of direction
 * 'remove', the negative losses of direction 'add', and the remaining mass at 0.
 *
 * Ensures: its lattice measures enclose the step's δ curve. Some test has at most the FPR stated, and at least the TPR.
 */
export function withoutReplacementLaw(inner: Pair, rate: number): LossLaw {
  const remove = cellLaw(inner, rate, 'remove');
  const add = cellLaw(inner, rate, 'add');
  return foldedLaw(remove, add, foldedRun(remove.single, remove.single, 'both'));
}

/**
 * The law with the losses of `up` above 0, those of `down` below 0, and the remaining mass at 0. Both laws have the same δ(0). `single` has δ and tests
 * of the result. Ensures: lattice measures enclose its δ curve (`joined`).
 */
export function foldedLaw(up: LossLaw, down: LossLaw, single: DirectedRun): LossLaw {
  return {
    direction: single.direction,
    single,
    gdpMu: Math.max(up.gdpMu, down.gdpMu),
    largest: up.largest,
    cells: (step, logTail) => up.cells(step, logTail) + down.cells(step, logTail),
    discretise: (kernel, step, logTail) => {
      const above = up.discretise(kernel, step, logTail);
      const below = down.discretise(kernel, step, logTail);
      return {
        upper: joined(below.upper, above.upper, 1),
        lower: joined(below.lower, above.lower, -1),
        displacement: 0,
      };
    },
    // a heuristic, as losses below 0 are those of `down`; nodes enter no bound
    nodes: () => up.nodes(),
  };
}

/**
 * δ and tests of a pair with δ(ε) = δ_up(ε) for ε ≥ 0, and δ_down(ε) of the exchanged pair. For ε > 0, 1 − δ(−ε) = e^{−ε}(1 − δ_down(ε)).
 *
 * Ensures: δ lies in its bracket at either sign of ε. Some test has at most the FPR stated, and at least the TPR.
 */
export function foldedRun(
  up: DirectedRun,
  down: DirectedRun,
  direction: DirectedRun['direction'],
): DirectedRun {
  return {
    ...up,
    direction,
    logDelta: (epsilon, width) =>
      epsilon >= 0 ? up.logDelta(epsilon, width) : complementTimes(epsilon, down.logDelta(-epsilon, width)),
    // a negative threshold is raised to 0, which still gives a test of the pair
    test: (omega, width) => up.test(Math.max(0, omega), width),
  };
}

/**
 * The measure with the masses of `below` at losses under 0 and those of `above` over 0. For ε ≥ 0 its δ curve is that of `above`. At ε = 0 that may be on the
 * wrong side of the curve of `below`. Then mass is added at the first positive loss, or masses are scaled down. For ε < 0 the curve less that of `below` is
 * linear in e^ε on (0, 1]; so the ends of that interval decide its sign. The mass at 0 is chosen such that the sign is right at both. In a lower bound, mass
 * that remains is put at the first negative loss.
 *
 * Ensures: the δ curve is nowhere below the exact one where `side` is 1, and nowhere above it where it is −1.
 */
function joined(below: LatticeMeasure, above: LatticeMeasure, side: 1 | -1): LatticeMeasure {
  const { step } = above;
  const first = Math.min(below.first, -1);
  const last = Math.max(above.first + above.mass.length - 1, 1);
  const mass = new Float64Array(last - first + 1);
  for (let i = 0; i < below.mass.length; i++) {
    const at = below.first + i;
    if (at < 0) mass[at - first] = below.mass[i];
  }
  const over = sumsFrom(above, 1);
  // sums over the losses ≥ 0 of `below`, which are dropped
  const replaced = sumsFrom(below, 0);
  const margin = ROUNDING;
  let scale = 1;
  let lift = 0;
  if (side > 0) lift = Math.max(0, replaced.delta - over.delta + margin * replaced.delta) / -expm1(-step);
  else if (over.delta > 0) scale = Math.min(1, (replaced.delta / over.delta) * (1 - margin));
  for (let i = 0; i < above.mass.length; i++) {
    const at = above.first + i;
    if (at > 0) mass[at - first] = above.mass[i] * scale;
  }
  const total = replaced.mass + below.infinity - (over.mass * scale + above.infinity * scale);
  if (side > 0) {
    mass[1 - first] += lift;
    mass[-first] = Math.max(0, total - lift) + margin;
    return { step, first, mass, infinity: above.infinity };
  }
  // largest mass at 0 with which the curve is not above that of `below` at ε = −step; the mass that remains is put at the loss −step
  const room = (replaced.next - over.next * scale) / -expm1(-step) - margin / -expm1(-step);
  const rest = total - margin;
  if (!(room >= 0 && rest >= 0)) return { step, first, mass: new Float64Array(1), infinity: 0 };
  mass[-first] = Math.min(rest, room);
  mass[-first - 1] += rest - mass[-first];
  return { step, first, mass, infinity: above.infinity * scale };
}

/**
 * Compensated sums over the lattice points x_i from `from` on. `mass` is Σ m_i, without the mass at +∞. `delta` = Σ m_i(1 − e^{−x_i}) and `next` = Σ
 * m_i(1 − e^{−x_i−step}) include the mass at +∞. Errors: a few roundings of the sum of moduli.
 */
function sumsFrom(
  { step, first, mass, infinity }: LatticeMeasure,
  from: number,
): { mass: number; delta: number; next: number } {
  const sums = [new CompensatedSum(), new CompensatedSum(), new CompensatedSum()];
  for (let i = mass.length - 1; i >= Math.max(0, from - first); i--) {
    const x = step * (first + i);
    sums[0].add(mass[i]);
    sums[1].add(mass[i] * -expm1(-x));
    sums[2].add(mass[i] * -expm1(-x - step));
  }
  const [sum, delta, next] = sums.map(({ value }) => value);
  return { mass: sum, delta: delta + infinity, next: next + infinity };
}

/**
 * A mixture of pairs: a branch is drawn independently of the data, and its index is published. So δ(ε) is the weighted mean of the branches' δ(ε).
 * `tails`: `tailMu` and `gdpMu` of the mixture. Ensures: δ lies in its bracket.
 */
export function branchedPair(
  branches: readonly Branch[],
  relative: number,
  tails: Pick<BranchedPair, 'tailMu' | 'gdpMu'>,
): BranchedPair {
  const forward = branchedLaw({ branches, relative }, 'remove');
  const backward = branchedLaw({ branches, relative }, 'add');
  const none = (): never => {
    throw new InputRangeError('"inner" must be a release whose outputs are on one line');
  };
  return {
    family: 'branched',
    branches,
    relative,
    law: (direction) => (direction === 'remove' ? forward : backward),
    asymmetric: forward.direction !== 'both',
    forward: forward.single,
    backward: backward.single,
    ...tails,
    ...ALL_LOSSES,
    range: none,
    intervals: none,
    nodes: none,
  };
}

/**
 * The law of a mixture whose branch is published: δ(ε) = Σ w_i δ_i(ε) over branches of weights w_i. Lattice measures and rates of tests are such sums
 * too. Ensures: its lattice measures enclose its δ curve, for weights within the relative error `relative`.
 */
function branchedLaw(
  { branches, relative }: Pick<BranchedPair, 'branches' | 'relative'>,
  direction: 'remove' | 'add',
): LossLaw {
  const parts = branches.map((branch) => ({ weight: branch.weight, law: branch.law(direction) }));
  const laws = parts.map(({ law }) => law);
  const own = laws.every((law) => law.direction === 'both') ? 'both' : direction;
  return {
    direction: own,
    single: branchedRun(
      parts.map(({ weight, law }) => ({ logWeight: log(weight), run: law.single })),
      relative,
      own,
    ),
    gdpMu: Math.max(...laws.map(({ gdpMu }) => gdpMu)),
    largest: laws.map(({ largest }) => largest).reduce(maxBracket),
    cells: (step, logTail) => laws.reduce((sum, law) => sum + law.cells(step, logTail), 0),
    discretise: (kernel, step, logTail) => {
      const made = parts.map(({ weight, law }) => ({ weight, own: law.discretise(kernel, step, logTail) }));
      const slack = relative + FEW_ROUNDINGS * parts.length;
      const sum = (side: 'upper' | 'lower', scale: number): LatticeMeasure =>
        weightedSum(made.map(({ weight, own }) => ({ weight: weight * scale, measure: own[side] })));
      const displacement = Math.max(...made.map(({ own }) => own.displacement));
      return { upper: sum('upper', 1 + slack), lower: sum('lower', 1 - slack), displacement };
    },
    nodes: () => mergedNodes(parts),
  };
}

/** Σ weight·measure on one lattice, including the masses at infinity. Each mass has a rounding for each addition and product. */
function weightedSum(
  parts: readonly { readonly weight: number; readonly measure: LatticeMeasure }[],
): LatticeMeasure {
  const first = Math.min(...parts.map(({ measure }) => measure.first));
  const end = Math.max(...parts.map(({ measure }) => measure.first + measure.mass.length));
  const mass = new Float64Array(end - first);
  let infinity = 0;
  for (const { weight, measure } of parts) {
    const from = measure.first - first;
    for (let k = 0; k < measure.mass.length; k++) mass[from + k] += weight * measure.mass[k];
    infinity += weight * measure.infinity;
  }
  return { step: parts[0].measure.step, first, mass, infinity };
}

/**
 * δ(ε) = Σ w_i δ_i(ε), and rates of tests likewise, as sums of logarithms. Ensures: δ lies in its bracket if the δ_i lie in theirs and the weights have
 * relative errors of at most `relative`.
 */
function branchedRun(
  runs: readonly { readonly logWeight: number; readonly run: DirectedRun }[],
  relative: number,
  direction: DirectedRun['direction'],
): DirectedRun {
  const slack = ROUNDING + relative;
  const mean = <T>(each: readonly T[], of: (one: T) => number): number =>
    each.reduce((sum, one) => logSum(sum, of(one)), -Infinity);
  return {
    direction,
    method: 'closed-form',
    logInfinity: exactly(-Infinity),
    get largestLoss(): Bracket | undefined {
      const largest = runs.map(({ run }) => run.largestLoss).filter((loss) => loss !== undefined);
      return largest.length === runs.length ? largest.reduce(maxBracket) : undefined;
    },
    logDelta: (epsilon, width) => {
      const each = runs.map(({ logWeight, run }) => ({ logWeight, own: run.logDelta(epsilon, width) }));
      const most = mean(each, ({ logWeight, own }) => logWeight + own.upper);
      const least = mean(each, ({ logWeight, own }) => logWeight + own.lower);
      const upper = most === -Infinity ? most : Math.min(0, most + slack * (1 - most / 8));
      const lower = least === -Infinity ? least : least - slack * (1 - least / 8);
      return bracket(Math.min(lower, upper), upper);
    },
    test: (omega, width): CertifiedTest => {
      const tests = runs.map(({ logWeight, run }) => ({ logWeight, own: run.test(omega, width) }));
      return {
        logFpr: Math.min(0, mean(tests, ({ logWeight, own }) => logWeight + own.logFpr) + slack),
        logTpr: mean(tests, ({ logWeight, own }) => logWeight + own.logTpr) - slack,
      };
    },
    guessEpsilon: (target) =>
      Math.max(...runs.map(({ logWeight, run }) => run.guessEpsilon(Math.min(-1e-9, target - logWeight)))),
    guessOmega: (target) =>
      Math.max(...runs.map(({ logWeight, run }) => run.guessOmega(Math.min(-1e-9, target - logWeight)))),
  };
}

/** Number of nodes of a mixture of laws, above which adjacent nodes are merged. Only width and speed depend on it. */
const MOST_NODES = 3000;

/** Heuristic: the nodes of a mixture of laws, in ascending order of their losses, with log weights. They only choose grids and enter no bound. */
function mergedNodes(
  parts: readonly { readonly weight: number; readonly law: Pick<LossLaw, 'nodes'> }[],
): LossNodes {
  const all = parts.flatMap(({ weight, law }) => {
    const { loss: losses, logWeight, logTail } = law.nodes();
    return Array.from(losses, (loss, i) => ({
      loss,
      logWeight: logWeight[i] + log(weight),
      logTail: logTail[i] + log(weight),
    }));
  });
  all.sort((a, b) => a.loss - b.loss);
  const stride = Math.ceil(all.length / MOST_NODES);
  const groups = Array.from({ length: Math.ceil(all.length / stride) }, (_, i) =>
    all.slice(i * stride, (i + 1) * stride).reduce((one, other) => ({
      loss: one.logWeight >= other.logWeight ? one.loss : other.loss,
      logWeight: logSum(one.logWeight, other.logWeight),
      logTail: Math.max(one.logTail, other.logTail),
    })),
  );
  return {
    loss: Float64Array.from(groups, ({ loss }) => loss),
    logWeight: Float64Array.from(groups, ({ logWeight }) => logWeight),
    logTail: Float64Array.from(groups, ({ logTail }) => logTail),
  };
}

/**
 * The law of a step that `above` dominates and that dominates `below`. Its upper measure is that of `above`, its lower measure that of `below`.
 * `single` has δ, tests and largest loss of the step itself.
 *
 * Ensures: the δ curve of the upper measure is above that of the step, and that of the lower one below it.
 */
export function lawBetween(above: LossLaw, below: LossLaw, single: DirectedRun): LossLaw {
  return {
    direction: single.direction,
    single,
    gdpMu: above.gdpMu,
    largest: single.largestLoss ?? bracket(-Infinity, Infinity),
    nodes: () => above.nodes(),
    cells: (step, logTail) => above.cells(step, logTail),
    discretise: (kernel, step, logTail) => {
      const [high, low] = [above, below].map((law) => law.discretise(kernel, step, logTail));
      const displacement = Math.max(high.displacement, low.displacement);
      return { upper: high.upper, lower: low.lower, displacement };
    },
  };
}
