import { requireNumber, requireOptions } from '../errors.js';
import type { Bracket } from '../numeric/bracket.js';
import { logComplement } from '../numeric/log-arithmetic.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { requireTradeoff, type TradeoffFunction } from './tradeoff-function.js';

/** An α at which one function is certainly below the other. */
export interface Witness {
  /** log α, natural logarithm. */
  readonly logAlpha: number;
  /** log f(α) and log g(α). */
  readonly logFnr: readonly [f: Bracket, g: Bracket];
  /** log(1 − f(α)) and log(1 − g(α)). */
  readonly logTpr: readonly [f: Bracket, g: Bracket];
}

/** Whether one function is nowhere below another. */
export interface Dominance {
  /** 'yes': f(α) ≥ g(α) at all rates down to e^{logAlphaMin}, certified. 'no': `witness` shows where not. 'undecided': brackets overlap somewhere. */
  readonly holds: 'yes' | 'no' | 'undecided';
  /** Where it is below, if it is. */
  readonly witness?: Witness;
}

/** Both halves of the partial order, and the conclusion. */
export interface Comparison {
  /** 'above': f ≥ g, f is the more private; 'incomparable': each is below the other somewhere. */
  readonly order: 'equal' | 'above' | 'below' | 'incomparable' | 'undecided';
  /** Whether f ≥ g. */
  readonly above: Dominance;
  /** Whether g ≥ f. */
  readonly below: Dominance;
  /** Log of the smallest rate: f and g were compared where min(α, f(α)) ≥ e^{logAlphaMin}. */
  readonly logAlphaMin: number;
}

/** How small rates are compared. */
export interface CompareOptions {
  /** Logarithm of the smallest rate looked at, in [−1e6, −1]; default −690 (1e-300). */
  readonly logAlphaMin?: number;
}

/**
 * The partial order of trade-off functions: f ≥ g iff anything f-DP is g-DP (GDP §2.3). It is decided through profiles: δ_f ≤ δ_g
 * at every ε whose tests have rates of at least e^{logAlphaMin}. A function compared with itself is 'equal'. Two functions that agree or touch, so that
 * their brackets overlap, are 'undecided'.
 *
 * @throws TypeError | RangeError if one is not a trade-off function or `logAlphaMin` is not in [−1e6, −1].
 * @example
 * compare(gaussianTradeoff(0.5), gaussianTradeoff(1)).order; // 'above'
 */
export function compare(f: TradeoffFunction, g: TradeoffFunction, options: CompareOptions = {}): Comparison {
  const above = isAtLeast(f, g, options);
  const below = isAtLeast(g, f, options);
  const [over, under] = [above.holds, below.holds];
  let order: Comparison['order'] = over === 'no' && under === 'no' ? 'incomparable' : 'undecided';
  if (under === 'yes') order = over === 'yes' ? 'equal' : 'below';
  else if (over === 'yes') order = 'above';
  return { order, above, below, logAlphaMin: windowOf(options) };
}

/**
 * Whether f ≥ g: f is at least as private; see `compare`.
 *
 * @throws TypeError | RangeError if one is not a trade-off function or `logAlphaMin` is not in [−1e6, −1].
 * @example
 * isAtLeast(gaussianTradeoff(0.5), gaussianTradeoff(1)).holds; // 'yes'
 */
export function isAtLeast(f: TradeoffFunction, g: TradeoffFunction, options: CompareOptions = {}): Dominance {
  requireTradeoff(f, 'f');
  requireTradeoff(g, 'g');
  const logAlphaMin = windowOf(options);
  if (f === g || f.curve === g.curve || g.curve.forward.logInfinity.lower === 0) return { holds: 'yes' };
  // nothing is above perfect privacy
  if (f.factors?.length === 0) return { holds: 'yes' };
  const [muF, muG] = [f, g].map(gaussianMuOf);
  if (muF !== undefined && muG !== undefined && muF.upper <= muG.lower) return { holds: 'yes' };
  let holds: 'yes' | 'undecided' = 'yes';
  const sides = f.isSymmetric && g.isSymmetric ? (['forward'] as const) : (['forward', 'backward'] as const);
  for (const side of sides) {
    const { decided, suspects } = dominates(f.curve[side], g.curve[side], logAlphaMin);
    if (!decided) holds = 'undecided';
    for (const test of suspects) {
      const logAlpha = side === 'forward' ? test.logFpr : logComplement(test.logTpr);
      const witness = witnessAt(f, g, logAlpha);
      if (witness !== undefined) return { holds: 'no', witness };
    }
    if (suspects.length > 0) holds = 'undecided';
  }
  return { holds };
}

/** The option `logAlphaMin`, checked; default −690. */
function windowOf(options: CompareOptions): number {
  requireOptions('compare', options, ['logAlphaMin']);
  const { logAlphaMin = -690 } = options;
  return requireNumber('logAlphaMin', logAlphaMin, 'a number in [-1e6, -1]');
}

/** μ of a product of Gaussian functions; undefined for any other function. Ensures: μ lies in the bracket. */
function gaussianMuOf(f: TradeoffFunction): Bracket | undefined {
  const alone = f.factors?.every(({ gaussianMu }) => gaussianMu !== undefined);
  return alone ? f.limits.tailMu : undefined;
}

/** A witness at α that f is below g there; undefined if their brackets at α do not show it. */
function witnessAt(f: TradeoffFunction, g: TradeoffFunction, logAlpha: number): Witness | undefined {
  const [a, b] = [f.curve.at(Math.min(0, logAlpha)), g.curve.at(Math.min(0, logAlpha))];
  if (!(a.logTpr.lower > b.logTpr.upper || a.logFnr.upper < b.logFnr.lower)) return undefined;
  return { logAlpha, logFnr: [a.logFnr, b.logFnr], logTpr: [a.logTpr, b.logTpr] };
}

/** δ of f and g at ε, and a test of g there, which gives the line TPR − e^ε FPR below δ_g. */
interface Node extends CertifiedTest {
  readonly epsilon: number;
  readonly f: Bracket;
  readonly g: Bracket;
}

/** Number of cells at first. Only speed depends on it. */
const FIRST = 32;
/** Cells narrower than this, relatively, are not divided, as differences of their ends would be rounding errors. */
const NARROWEST = 1e-11;
/** Largest number of nodes. Only speed, and whether a question is decided, depend on it. */
const MAX_NODES = 4000;

/**
 * Whether δ_f ≤ δ_g at every ε ≥ 0 whose tests have false positive rates of at least e^{logAlphaMin}. On cells of ε, chords above δ_f are compared with
 * lines of tests below δ_g. `suspects`: tests of f at ε with δ_f > δ_g.
 *
 * Ensures: if `decided` and there are no suspects, δ_f ≤ δ_g at all these ε.
 */
function dominates(
  f: DirectedRun,
  g: DirectedRun,
  logAlphaMin: number,
): { decided: boolean; suspects: CertifiedTest[] } {
  const nodeAt = (epsilon: number): Node => ({
    epsilon,
    f: f.logDelta(epsilon),
    g: g.logDelta(epsilon),
    ...g.test(epsilon),
  });
  const top = Math.max(reachOf(f, logAlphaMin), reachOf(g, logAlphaMin));
  const suspects: CertifiedTest[] = [];
  let decided = true;
  let nodes = 0;
  const visit = (node: Node): void => {
    nodes++;
    if (node.f.lower > node.g.upper && suspects.length < 8) suspects.push(f.test(node.epsilon));
    else if (node.f.upper > node.g.lower) decided = false;
  };
  const cells: [Node, Node][] = [];
  let previous = nodeAt(0);
  visit(previous);
  for (let i = 1; i <= FIRST; i++) {
    const next = nodeAt(top * (i / FIRST) * (i / FIRST));
    visit(next);
    cells.push([previous, next]);
    previous = next;
  }
  while (cells.length > 0 && suspects.length === 0) {
    const [a, b] = cells.pop() as [Node, Node];
    const corner = openCorner(a, b);
    if (corner === undefined) continue;
    if (
      nodes >= MAX_NODES ||
      !(corner > a.epsilon && corner < b.epsilon) ||
      b.epsilon - a.epsilon < NARROWEST * (1 + b.epsilon)
    ) {
      decided = false;
      continue;
    }
    const middle = nodeAt(corner);
    visit(middle);
    cells.push([a, middle], [middle, b]);
  }
  return { decided, suspects };
}

/** The ε from which on false positive rates of tests are below e^{logAlphaMin}, about, and at most 1e6. */
function reachOf(run: DirectedRun, logAlphaMin: number): number {
  const { high } = turningPoint((omega) => run.test(omega).logFpr <= logAlphaMin, {
    guess: Math.max(0, run.guessOmega(logAlphaMin)),
    ceiling: 1e6,
    relative: 1e-6,
    absolute: 1e-9,
  });
  return Math.min(high, 1e6);
}

/**
 * The ε at which the chord above δ_f on a cell exceeds both lines of its ends' tests, which are below δ_g; undefined if it does not. It is where the
 * two lines intersect, or the middle of the cell if they do not intersect inside.
 */
function openCorner(a: Node, b: Node): number | undefined {
  if (a.f.upper === -Infinity) return undefined;
  const scale = Math.max(a.f.upper, a.g.lower);
  const at = (x: number): number => exp(x - scale);
  // δ is linear in t = e^ε on chords and lines; t is divided by e^{ε_a}, so that node a is at 1
  const rise = expm1(b.epsilon - a.epsilon);
  const fprA = at(a.logFpr + a.epsilon);
  const fprB = at(b.logFpr + a.epsilon);
  const slope = fprA - fprB;
  const meet = slope > 0 ? (at(a.logTpr) - at(b.logTpr)) / slope - 1 : rise / 2;
  const inside = meet > 1e-6 * rise && meet < (1 - 1e-6) * rise;
  const x = inside ? meet : rise / 2;
  const chord = at(a.f.upper) + (at(b.f.upper) - at(a.f.upper)) * (x / rise);
  const line = Math.max(at(a.logTpr) - (1 + x) * fprA, at(b.logTpr) - (1 + x) * fprB);
  // at the ends δ_f and δ_g themselves have been compared
  if (chord <= line) return undefined;
  return a.epsilon + log(1 + x);
}
