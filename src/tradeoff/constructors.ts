import { type ComposedRun, requireRun } from '../account/composed-run.js';
import { requireList, requireNumber, requireOneOf, requireOptions, requireProbability } from '../errors.js';
import { approximateDpAtoms, atomicPair } from '../law/atomic-pair.js';
import { laplacePair } from '../law/exponential-pair.js';
import { gaussianPair } from '../law/gaussian-pair.js';
import { cellLaw } from '../law/lattice/cell-law.js';
import type { Pair } from '../law/pair.js';
import { type Breakpoint, pairOfMasses, polygonPair } from '../law/polygon.js';
import { requireMasses, requireRates } from '../mechanism/checks.js';
import { nothingRun } from '../run/gaussian-run.js';
import { TradeoffCurve } from '../run/tradeoff-curve.js';
import { type Factor, TradeoffFunction } from './tradeoff-function.js';

/**
 * Perfect privacy, Id(α) = 1 − α.
 * @example
 * perfectPrivacy().fnr(0.05).lower; // 0.94999999
 */
export function perfectPrivacy(): TradeoffFunction {
  return new TradeoffFunction('Id', new TradeoffCurve(nothingRun), []);
}

/**
 * G_μ(α) = Φ(Φ⁻¹(1 − α) − μ) (GDP eq. 6).
 *
 * @throws TypeError | RangeError if `mu` is not 0 or in [1e-9, 1e9].
 * @example
 * gaussianTradeoff(1).fnr(0.05).lower; // 0.740488
 */
export function gaussianTradeoff(mu: number): TradeoffFunction {
  requireNumber('mu', mu, '0 or a number from 1e-9 to 1e9');
  if (mu === 0) return perfectPrivacy();
  return ofLaw(`G_${mu}`, gaussianPair(1 / mu, mu), true, mu);
}

/**
 * f_{ε,δ}(α) = max{0, 1 − δ − e^ε α, e^{−ε}(1 − δ − α)} (GDP §2.1, prop. 2.5).
 *
 * @throws TypeError | RangeError if ε is not in [0, 300] or δ not in [0, 1].
 * @example
 * approximateDpTradeoff(1, 1e-5).fnr(0.1).lower; // 0.728161
 */
export function approximateDpTradeoff(epsilon: number, delta: number): TradeoffFunction {
  requireNumber('epsilon', epsilon, 'a number in [0, 300]');
  requireProbability('delta', delta);
  if (epsilon === 0 && delta === 0) return perfectPrivacy();
  const both = ofLaw(`f_{${epsilon}, ${delta}}`, atomicPair(approximateDpAtoms(epsilon, delta)), true);
  // f_{ε,δ} = f_{ε,0} ⊗ f_{0,δ} (GDP §3.3)
  const pure = epsilon > 0 && delta > 0 ? [factorOf(atomicPair(approximateDpAtoms(epsilon, 0)), true)] : [];
  const [certain] = delta > 0 ? [factorOf(atomicPair(approximateDpAtoms(0, delta)), true)] : [];
  return certain === undefined
    ? both
    : new TradeoffFunction(both.name, both.curve, [...pure, { ...certain, revealed: delta }]);
}

/**
 * T(Lap(0, 1), Lap(shift, 1)) (GDP §2.5).
 *
 * @throws TypeError | RangeError if `shift` is not 0 or in [1e-9, 300].
 * @example
 * laplaceTradeoff(1).fnr(0.05).lower; // 0.864085
 */
export function laplaceTradeoff(shift: number): TradeoffFunction {
  requireNumber('shift', shift, '0 or a number from 1e-9 to 300');
  return shift === 0 ? perfectPrivacy() : ofLaw(`Lap_${shift}`, laplacePair(shift), true);
}

/**
 * T(U[0, 1], U[shift, 1 + shift]) = f_{0,shift}.
 *
 * @throws TypeError | RangeError if `shift` is not in [0, 1].
 * @example
 * uniformShiftTradeoff(0.1).fnr(0.2).lower; // 0.69999999
 */
export function uniformShiftTradeoff(shift: number): TradeoffFunction {
  return approximateDpTradeoff(0, requireProbability('shift', shift));
}

/**
 * The lower convex hull of the breakpoints given, (0, 1) and (1, 0), as a numerical accountant makes them (REP algorithm 1). Between points of a
 * curve that is not a polygon it lies above the curve, so it states more privacy than the curve does.
 *
 * @throws TypeError | RangeError if there is no point or more than 10⁶, or one has rates outside [0, 1] or beta > 1 − alpha.
 * @example
 * measure(breakpoints([{ alpha: 0.1, beta: 0.3 }, { alpha: 0.3, beta: 0.1 }])).mu.upper; // 1.80596
 */
export function breakpoints(points: readonly Breakpoint[]): TradeoffFunction {
  requireList('points', points, '{alpha, beta} objects', 1, 1_000_000);
  for (const [i, point] of points.entries()) requireRates(point, i);
  return ofLaw('breakpoints', polygonPair(points, false), false);
}

/**
 * T(X, Y) from the masses of two laws on the same outputs (REP algorithm 1), as `x` without the record and `y` with it. If masses sum to less than 1 by
 * more than rounding, the other law never gives the missing mass.
 *
 * @throws TypeError | RangeError unless both are equally many numbers ≥ 0, 1 to 10⁶, that add up to at most 1 + 1e-9.
 * @example
 * lossPmf({ x: [0.7, 0.2, 0.1], y: [0.1, 0.2, 0.7] }).fnr(0.1).lower; // 0.29999999
 */
export function lossPmf(options: { x: ArrayLike<number>; y: ArrayLike<number> }): TradeoffFunction {
  requireOptions('lossPmf', options, ['x', 'y']);
  const { x, y } = options ?? {};
  requireMasses(x, y);
  return ofLaw('loss PMF', pairOfMasses(x, y), false);
}

/**
 * The trade-off function of a composed run: of both directions together, as neighbours may be exchanged, or of one alone.
 *
 * @throws TypeError | RangeError if `run` is not a composed run or the direction none of the three.
 * @example
 * runTradeoff(run).fnr(0.01).lower; // 0.777696
 */
export function runTradeoff(
  run: ComposedRun,
  direction: 'both' | 'remove' | 'add' = 'both',
): TradeoffFunction {
  requireRun(run);
  requireOneOf('direction', direction, ['both', 'remove', 'add']);
  const forward = run.directions.find((one) => one.direction === direction);
  const backward = run.directions.find((one) => one.direction === (direction === 'add' ? 'remove' : 'add'));
  const alone = direction !== 'both' && forward && backward && new TradeoffCurve(forward, backward);
  return new TradeoffFunction(
    alone ? `run, ${direction}` : 'run',
    alone || run.curve,
    undefined,
    run.settings,
    run.allowance,
  );
}

/** The trade-off function of one pair, with its law as the only factor. */
function ofLaw(name: string, inner: Pair, symmetric: boolean, gaussianMu?: number): TradeoffFunction {
  const factor = factorOf(inner, symmetric);
  const curve = symmetric
    ? new TradeoffCurve(inner.forward)
    : new TradeoffCurve(inner.forward, inner.backward);
  return new TradeoffFunction(name, curve, [gaussianMu === undefined ? factor : { ...factor, gaussianMu }]);
}

/** A pair as a factor of a product: its laws in both directions. */
function factorOf(inner: Pair, symmetric: boolean): Factor {
  const forward = cellLaw(inner, 1, 'remove');
  const backward = symmetric ? forward : cellLaw(inner, 1, 'add');
  return { forward, backward, count: 1, tailMu: inner.tailMu };
}
