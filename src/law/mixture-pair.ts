import type { Kernel } from '../kernel/kernel.js';
import type { IntervalMasses, OutputEnds } from '../kernel/masses.js';
import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { HALF_LOG_2PI, U } from '../numeric/constants.js';
import { logComplement, logSum } from '../numeric/log-arithmetic.js';
import { padLogProbability, SLACK } from '../numeric/log-probability.js';
import { down, FEW_ROUNDINGS, LONG_SUM, padded, ROUNDINGS, up } from '../numeric/rounding.js';
import { log, logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { furthest, nearest, type Side, sideAt } from './mixture-side.js';
import type { MixturePair } from './pair.js';

/**
 * The pair P = Σ r_j N(−b_j, 1), Q = Σ p_i N(a_i, 1), with a_i, b_j ≥ 0. Its loss y(x) = log u₊(x) − log u₋(−x) increases with x, u₊ and u₋ the
 * likelihood ratios of `Side`. So δ(ε) = Q(> x) − e^ε P(> x) at the output x with y(x) = ε. Reflection of x exchanges P with Q.
 * Ensures: brackets of δ hold for this pair.
 *
 * @param plus The a_i and p_i; `minus` the b_j and r_j. At least one shift is above 0.
 */
export function mixturePair(plus: Side, minus: Side): MixturePair {
  const [own, mirrored] = [plus, minus].map(({ shift, weight }) => `${shift} ${weight}`);
  const symmetric = own === mirrored;
  const forward = sidesRun({ plus, minus }, symmetric ? 'both' : 'remove');
  const reach = furthest(plus) + furthest(minus);
  return {
    family: 'mixture',
    plus,
    minus,
    asymmetric: !symmetric,
    forward,
    backward: symmetric ? forward : sidesRun({ plus: minus, minus: plus }, 'add'),
    // if the components drawn were published, two Gaussians at most `reach` apart
    gdpMu: reach * (1 + 8 * U),
    // the slopes of y(x) as x → ∞ and as x → −∞, where the laws have Gaussian tails
    tailMu: Math.max(furthest(plus) + nearest(minus), furthest(minus) + nearest(plus)),
    smallest: lossEnd({ plus: minus, minus: plus }) * -1,
    largest: lossEnd({ plus, minus }),
    infinity: 0,
    range: (least) => [
      lossAt({ plus, minus }, -tailEnd(minus, least)),
      lossAt({ plus, minus }, tailEnd(plus, least)),
    ],
    intervals: (kernel, edges) => mixtureIntervals(kernel, { plus, minus }, edges),
    nodes: () => mixtureNodes({ plus, minus }),
  };
}

/** Tolerance of the output found by `tailEnd`. Only speed depends on it. */
const TAIL_ENDS = 1 / 16;

/** Q as the mixture `plus`, and the reflection of P as the mixture `minus`. */
interface Sides {
  readonly plus: Side;
  readonly minus: Side;
}

/**
 * The largest loss, rounded up. It is finite only if Q = N(0, 1) and P has a component N(0, 1), of weight r. It is then −log r, the limit as x → ∞.
 *
 * Ensures: no smaller than any loss.
 */
function lossEnd({ plus, minus }: Sides): number {
  if (furthest(plus) > 0 || nearest(minus) > 0) return Infinity;
  return up(-log(minus.weight[0]), ROUNDINGS) + FEW_ROUNDINGS;
}

/**
 * An output x beyond which Σ w N(shift, 1) has mass of at most e^{least}, by bisection to `TAIL_ENDS`. The exact one lies between the quantile of
 * N(0, 1) and that plus the largest shift.
 *
 * Ensures: x is not below the exact one, except for roundings of the mass.
 */
function tailEnd(side: Side, least: number): number {
  const z = -normalQuantileLog(least);
  let [low, high] = [Math.min(0, z), z + furthest(side)];
  while (high - low > TAIL_ENDS) {
    const middle = (low + high) / 2;
    if (logTail(side, middle, 1) <= least) high = middle;
    else low = middle;
  }
  return high;
}

/** The loss y at the output x. */
function lossAt({ plus, minus }: Sides, x: number): number {
  return sideAt(plus, x).log - sideAt(minus, -x).log;
}

/** An output x, and `off`, a bound of |y(x) − y|, y the loss asked for and y(x) the exact loss at x. */
export interface Found {
  readonly x: number;
  readonly off: number;
}

/** Outputs are considered up to this distance from the outermost components: the mass beyond is below the smallest double. */
const FURTHEST = 60;
/** Most steps of `outputOf`; after them its error bound is computed from the output reached. */
const MAX_STEPS = 200;

/** The outermost outputs considered, and their losses. */
function endsOf(sides: Sides): OutputEnds {
  const [low, high] = [-FURTHEST - furthest(sides.minus), FURTHEST + furthest(sides.plus)];
  return { outputs: [low, high], losses: [lossAt(sides, low), lossAt(sides, high)] };
}

/**
 * The output x with y(x) = y, by Newton's method safeguarded by bisection; ∓∞ if y is below or above the losses of all outputs considered. The
 * kernel's `mixtureOutputs` does this for arrays.
 *
 * Ensures: |y(x) − y| ≤ `off` at a finite x.
 */
function outputOf(sides: Sides, y: number): Found {
  const { outputs, losses } = endsOf(sides);
  let [low, high] = outputs;
  if (!(y > losses[0])) return { x: -Infinity, off: 0 };
  if (!(y < losses[1])) return { x: Infinity, off: 0 };
  let x = 0;
  for (let i = 0; i < MAX_STEPS; i++) {
    const up = sideAt(sides.plus, x);
    const down = sideAt(sides.minus, -x);
    const gap = up.log - down.log - y;
    const error = up.error + down.error + 2 * U * Math.abs(y);
    const slope = up.slope + down.slope;
    if (gap > 0) high = x;
    else low = x;
    const next = x - gap / slope;
    const close = 2 * U * (1 + Math.abs(x));
    if (Math.abs(gap) <= error || high - low <= close) return { x, off: Math.abs(gap) + error };
    x = next > low && next < high ? next : (low + high) / 2;
  }
  const gap = Math.abs(lossAt(sides, x) - y);
  return { x, off: padded(gap, 1 + Math.abs(y), LONG_SUM) };
}

/**
 * log Σ w Φ(sign·shift − x), the log of a mixture's mass beyond x. If that is more than e^{−½}, it is computed as log(1 − mass up to x).
 *
 * Ensures: an error of at most `TAIL` times 1 + |log|, and relatively of `TAIL` where it is near 0.
 */
export function logTail(side: Side, x: number, sign: 1 | -1): number {
  const beyond = logMassOf(side, (shift) => sign * shift - x);
  if (beyond < -0.5) return beyond;
  return logComplement(
    Math.min(
      0,
      logMassOf(side, (shift) => x - sign * shift),
    ),
  );
}

/** log Σ w Φ(z(shift)), with a few roundings of each term. */
function logMassOf({ shift, weight }: Side, z: (shift: number) => number): number {
  let sum = -Infinity;
  for (let i = 0; i < shift.length; i++) sum = logSum(sum, log(weight[i]) + logNormalCdf(z(shift[i])));
  return sum;
}

/** Bound of the relative error of a tail mass, over the size of its logarithm. Correctness depends on it. */
const TAIL = 1e-14;

/**
 * Bracket of log δ(ε) = log(e^q − e^p), q = log Q(> x) and p = ε + log P(> x). The maximum over x is at y(x) = ε; an error e of y(x) makes δ(ε) too small by at
 * most e Q(> x).
 *
 * Ensures: log δ lies in the bracket if the errors of q and p, and e, are at most `slack` together.
 */
function logGap(q: number, p: number, slack: number): Bracket {
  const upper = Math.min(0, q + slack + logComplement(Math.min(-1e-300, p - q - 2 * slack)));
  const share = p - q + 2 * slack;
  const lower = share < 0 ? q - slack + logComplement(share) : -Infinity;
  return bracket(Math.min(lower, upper), upper);
}

/** Two laws on a line whose loss increases with the output. */
export interface OnLine {
  readonly direction: DirectedRun['direction'];
  /** log Q(> x) and log P(> x). */
  logQ(x: number): number;
  logP(x: number): number;
  /** The output of loss ε: ∓∞ where ε is below or above all losses. */
  outputOf(epsilon: number): Found;
  /** The largest output considered. */
  readonly furthest: number;
  /** An upper bound of the losses; ∞ if there is none. */
  readonly largest: number;
  /** The largest distance between two components. */
  readonly reach: number;
  /** The loss at an output, approximately. */
  lossAt(x: number): number;
  /** The largest mean of a component of Q, and of P: beyond, tails are about Gaussian. First guesses depend on them. */
  readonly begins: readonly [q: number, p: number];
}

/**
 * δ(ε) = Q(> x) − e^ε P(> x) at the output x of loss ε, and tests that reject above an output. Ensures: δ lies in its bracket; some test has at most
 * the FPR stated, and at least the TPR.
 */
export function lineRun(line: OnLine): DirectedRun {
  const { logQ, logP, outputOf, largest, reach, begins } = line;
  const guess = (begin: number, target: number): number =>
    line.lossAt(Math.min(FURTHEST, begin - normalQuantileLog(target)));
  return {
    direction: line.direction,
    method: 'closed-form',
    logInfinity: exactly(-Infinity),
    largestLoss: largest < Infinity ? bracket(down(largest, SLACK), largest) : exactly(largest),
    logDelta: (epsilon) => {
      if (epsilon === -Infinity) return exactly(0);
      if (epsilon >= largest) return exactly(-Infinity);
      const { x, off } = outputOf(epsilon);
      if (x === -Infinity) return padLogProbability(epsilon < 0 ? logComplement(epsilon) : 0);
      if (x === Infinity) {
        // δ(ε) ≤ Q(L > ε), and the largest output considered has a smaller loss
        const last = logQ(line.furthest);
        return bracket(-Infinity, Math.min(0, last + TAIL * (1 + Math.abs(last))));
      }
      const q = logQ(x);
      const rounding = TAIL * (2 + Math.abs(q) + Math.abs(epsilon)) + 4 * U * reach * (1 + Math.abs(x));
      return logGap(q, logP(x) + epsilon, rounding + 2 * off);
    },
    test: (omega) => {
      const { x } = outputOf(omega);
      if (x === -Infinity) return { logFpr: 0, logTpr: 0 };
      if (x === Infinity) return { logFpr: -Infinity, logTpr: -Infinity };
      const slack = 4 * U * reach * (1 + Math.abs(x));
      return {
        logFpr: Math.min(0, padLogProbability(logP(x)).upper + slack),
        logTpr: padLogProbability(logQ(x)).lower - slack,
      };
    },
    guessEpsilon: (target) => guess(begins[0], target),
    guessOmega: (target) => guess(begins[1], target),
  };
}

/** δ and tests of a pair of mixtures in one direction, by `lineRun` with the tails `logTail`. Ensures: δ lies in its bracket. */
function sidesRun(sides: Sides, direction: DirectedRun['direction']): DirectedRun {
  const { plus, minus } = sides;
  return lineRun({
    direction,
    logQ: (x) => logTail(plus, x, 1),
    logP: (x) => logTail(minus, x, -1),
    outputOf: (epsilon) => outputOf(sides, epsilon),
    furthest: FURTHEST + furthest(plus),
    largest: lossEnd(sides),
    reach: furthest(plus) + furthest(minus),
    lossAt: (x) => lossAt(sides, x),
    begins: [furthest(plus), -nearest(minus)],
  });
}

/** Masses of the intervals between ascending losses `edges`: differences of normal tails at the outputs of these losses. */
function mixtureIntervals(kernel: Kernel, sides: Sides, edges: Float64Array): IntervalMasses {
  const found = kernel.mixtureOutputs(edges, sides.plus, sides.minus, endsOf(sides));
  return kernel.mixtureMasses(found, [sides.minus, -1], [sides.plus, 1]);
}

/** Heuristic: losses of outputs up to 40 standard deviations beyond the outermost components, with log P-masses (trapezoidal rule). They enter no bound. */
function mixtureNodes(sides: Sides): { loss: Float64Array; logWeight: Float64Array } {
  const width = 80 + furthest(sides.plus) + furthest(sides.minus);
  const n = Math.min(4000, Math.ceil(4 * width));
  const loss = new Float64Array(n);
  const logWeight = new Float64Array(n);
  const stride = width / n;
  for (let i = 0; i < n; i++) {
    const x = -40 - furthest(sides.minus) + stride * i;
    const up = sideAt(sides.plus, x).log;
    const down = sideAt(sides.minus, -x).log;
    loss[i] = up - down;
    logWeight[i] = down - (x * x) / 2 - HALF_LOG_2PI + log(stride);
  }
  return { loss, logWeight };
}
