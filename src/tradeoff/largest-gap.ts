import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import type { CertifiedTest } from '../run/directed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import type { TradeoffCurve } from '../run/tradeoff-curve.js';
import { asTradeoff, type Subject } from './subject.js';

/** A curve by its δ, at any real ε. */
interface Dual {
  logDelta(epsilon: number): Bracket;
}

/** A curve at one ε: δ there, and a test near the point where the curve has the slope −e^ε. */
export interface Sample extends CertifiedTest {
  readonly epsilon: number;
  readonly logDelta: Bracket;
}

/** Largest number of cells that are divided. Only width and speed depend on it. */
const MAX_CUTS = 600;

/**
 * Δ(f, g) as the largest difference of Bayes errors (docs/proofs/regret.md). Let Q have the prior probability w; c_f(w) is the least error of a guess.
 *
 *     c_f(w) = min over α of (1 − w)α + w f(α) = w(1 − δ_f(ε)),  w = 1/(1 + e^ε).
 *
 * Δ(f, g) = max over w of c_f(w) − c_g(w). For in terms of u = α − f(α) and v = (α + f(α))/2, Δ is sup_u v_f(u) − v_g(u). And −c(w) is the
 * convex conjugate of v at slope w − ½ (Toland and Singer's duality).
 *
 * c is concave. A certified test of f is a line above c_f. From above, c_f − c_g between two ε is at most the lower of two lines less c_g. That is convex on
 * both sides of the point where the lines intersect, so it is largest there or at an end. From below, brackets of δ at each ε bound the difference.
 *
 * Ensures: Δ(f, g) lies in the bracket.
 *
 * @param enough Width to stop at.
 * @param half Whether both curves are symmetric, so that ε ≥ 0 is enough.
 * @param samples δ and tests of f that are known already; only speed depends on them.
 */
function largestGap(
  f: Dual & { test(omega: number): CertifiedTest },
  g: Dual,
  enough: number,
  half: boolean,
  samples: readonly Sample[] = [],
): Bracket {
  const at = (epsilon: number): Node =>
    nodeOf({ epsilon, logDelta: f.logDelta(epsilon), ...f.test(epsilon) }, g);
  const nodes = samples.filter(({ epsilon }) => epsilon > 0).map((sample) => nodeOf(sample, g));
  nodes.sort((a, b) => b.epsilon - a.epsilon);
  nodes.unshift(NOTHING_REJECTED);
  nodes.push(at(0));
  if (!half) nodes.push(ALL_REJECTED);
  const cells = nodes.slice(1).map((node, i) => cellOf(nodes[i], node, g));
  let reached = Math.max(...nodes.map((node) => node.reached));
  let most = 1;
  for (let cut = 0; cut < MAX_CUTS; cut++) {
    let worst = 0;
    for (let i = 1; i < cells.length; i++) if (cells[i].most > cells[worst].most) worst = i;
    const cell = cells[worst];
    most = cell.most;
    if (most <= reached + enough || cell.meeting === undefined) break;
    const middle = at(cell.meeting);
    reached = Math.max(reached, middle.reached);
    cells.splice(worst, 1, cellOf(nodes[worst], middle, g), cellOf(middle, nodes[worst + 1], g));
    nodes.splice(worst + 1, 0, middle);
  }
  const upper = Math.min(1, Math.max(0, most) + ROUNDINGS);
  return bracket(Math.min(upper, Math.max(0, reached - ROUNDINGS)), upper);
}

/**
 * A prior probability w, and a test of f. Its Bayes error (1 − w)·fpr + w·fnr, a line in w, is at least the least one, c_f(w). `floor` is a lower bound
 * of c_g(w), and `reached` one of c_f(w) − c_g(w).
 */
interface Node {
  readonly epsilon: number;
  readonly weights: Weights;
  readonly fpr: number;
  readonly fnr: number;
  readonly floor: number;
  readonly reached: number;
}

/** The test that rejects nothing, with Bayes error w, at the prior w = 0. The test that rejects everything, with Bayes error 1 − w, at w = 1. */
const NOTHING_REJECTED: Node = { epsilon: Infinity, weights: [1, 0], fpr: 0, fnr: 1, floor: 0, reached: 0 };
const ALL_REJECTED: Node = { epsilon: -Infinity, weights: [0, 1], fpr: 1, fnr: 0, floor: 0, reached: 0 };

/** The node of a sample of f, with bounds by δ_g at its ε. */
function nodeOf({ epsilon, logDelta, logFpr, logTpr }: Sample, g: Dual): Node {
  const weights = weightsOf(epsilon);
  const other = leastError(weights, g.logDelta(epsilon));
  return {
    epsilon,
    weights,
    fpr: exp(logFpr),
    fnr: -expm1(logTpr),
    floor: other.lower,
    reached: leastError(weights, logDelta).lower - other.upper,
  };
}

/** The prior probabilities w between those of two nodes. */
interface Cell {
  /** Upper bound of c_f − c_g, the difference of the least Bayes errors, between the two nodes. */
  readonly most: number;
  /** The ε at which the two nodes' tests have the same Bayes error, if between the nodes: the cell is divided there. */
  readonly meeting: number | undefined;
}

/**
 * An upper bound of c_f − c_g, the difference of the least Bayes errors, between two nodes. It is the lower of the lines of their tests less c_g. If the
 * lines intersect between the nodes it is the largest of the values there and at both nodes; else the smaller of the bounds by either line alone.
 *
 * Ensures: `most` is no smaller than c_f − c_g anywhere between the nodes, but for rounding.
 */
function cellOf(a: Node, b: Node, g: Dual): Cell {
  const ownA = lineAt(a.weights, a) - a.floor;
  const ownB = lineAt(b.weights, b) - b.floor;
  const meeting = log((a.fnr - b.fnr) / (b.fpr - a.fpr));
  if (meeting < a.epsilon && meeting > b.epsilon) {
    const weights = weightsOf(meeting);
    const high = Math.max(lineAt(weights, a), lineAt(weights, b));
    const there = high - leastError(weights, g.logDelta(meeting)).lower;
    return { most: Math.max(ownA, ownB, there), meeting: there > Math.max(ownA, ownB) ? meeting : undefined };
  }
  const aAlone = Math.max(ownA, lineAt(b.weights, a) - b.floor);
  const bAlone = Math.max(ownB, lineAt(a.weights, b) - a.floor);
  return { most: Math.min(aAlone, bAlone), meeting: undefined };
}

/** 1 − w and w, w = 1/(1 + e^ε). */
type Weights = readonly [others: number, own: number];

function weightsOf(epsilon: number): Weights {
  const decay = exp(-Math.abs(epsilon));
  const [larger, smaller] = [1 / (1 + decay), decay / (1 + decay)];
  return epsilon > 0 ? [larger, smaller] : [smaller, larger];
}

/** The Bayes error (1 − w)·fpr + w·fnr of a node's test, at the weights 1 − w and w. */
function lineAt([others, own]: Weights, { fpr, fnr }: Node): number {
  return others * fpr + own * fnr;
}

/**
 * The least Bayes error c(w) = w(1 − δ(ε)) at the prior probability w = 1/(1 + e^ε).
 *
 * Ensures: c(w) lies in the bracket, but for a rounding.
 */
function leastError([, own]: Weights, logDelta: Bracket): Bracket {
  return bracket(own * -expm1(logDelta.upper), own * -expm1(logDelta.lower));
}

/** Absolute widths at which `regretOf` and `deltaDivergence` stop. Only speed depends on them. */
const [ENOUGH, CLOSE] = [1e-7, 1e-9];

/**
 * Regret of summarising a symmetric curve f by G_μ: Δ(f, G_μ) over all α (Gomez et al. 2025, def. 2.10), for every μ of a bracket. As δ of G_μ grows with
 * μ, its lower end is that of the least μ and its upper end that of the largest.
 *
 * Ensures: the regret of every μ of the bracket lies in the answer.
 *
 * @param samples δ and tests of f that are known already; only speed depends on them.
 */
export function regretOf(curve: TradeoffCurve, mu: Bracket, samples: readonly Sample[]): Bracket {
  return largestGap(curve, gaussianDual(mu), ENOUGH, true, samples);
}

/** Δ(G_μ, f): how far G_μ is above f, outside of the rates at which it was found to be below f. Ensures: Δ lies in the bracket. */
export function shortfallOf(curve: TradeoffCurve, mu: number): Bracket {
  return largestGap(gaussianRun(mu), curve, ENOUGH, true);
}

/** δ of G_μ for every μ of a bracket. */
function gaussianDual(mu: Bracket): Dual {
  const dual = (one: number): Dual['logDelta'] =>
    one === Infinity ? () => exactly(0) : gaussianRun(one).logDelta;
  const [least, most] = [dual(mu.lower), dual(mu.upper)];
  return { logDelta: (epsilon) => bracket(least(epsilon).lower, most(epsilon).upper) };
}

/**
 * Δ(f, g) = inf{κ ≥ 0: f(α + κ) − κ ≤ g(α) for all α ∈ [0, 1]} (REP def. 2.10): how far f must be moved along the diagonal to
 * come below g. It is 0 iff f ≤ g; the advantages differ by at most 2 max(Δ(f, g), Δ(g, f)). Runs and profiles stand for their trade-off functions.
 *
 * Ensures: Δ lies in the bracket.
 *
 * @throws TypeError if one is neither a run nor a profile nor a trade-off function.
 * @example
 * deltaDivergence(perfectPrivacy(), gaussianTradeoff(1)).upper; // 0.191463
 */
export function deltaDivergence(f: Subject, g: Subject): Bracket {
  const [a, b] = [asTradeoff(f, 'f'), asTradeoff(g, 'g')];
  if (f === g) return bracket(0, 0);
  return largestGap(a.curve, b.curve, CLOSE, a.isSymmetric && b.isSymmetric);
}
