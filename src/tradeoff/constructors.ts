import type { ComposedRun } from '../account/composed-run.js';
import { requireNumber, requireProbability, wrongType, wrongValue } from '../errors.js';
import { atomicPair } from '../law/atomic-pair.js';
import { approximateDpAtoms } from '../law/atoms.js';
import { laplacePair, pureMu } from '../law/exponential-pair.js';
import { gaussianPair } from '../law/gaussian-pair.js';
import { cellLaw } from '../law/lattice/cell-law.js';
import type { Atoms, Pair } from '../law/pair.js';
import { log } from '../numeric/scalar.js';
import { TradeoffCurve } from '../run/tradeoff-curve.js';
import { nothingRun } from '../run/trivial-runs.js';
import { type Factor, TradeoffFunction } from './tradeoff-function.js';

/** Perfect privacy, Id(α) = 1 − α. */
export function perfectPrivacy(): TradeoffFunction {
  return new TradeoffFunction('Id', new TradeoffCurve(nothingRun), []);
}

/** G_μ(α) = Φ(Φ⁻¹(1 − α) − μ) (GDP eq. 6). @throws TypeError | RangeError if `mu` is not 0 or in [1e-9, 1e9]. */
export function gaussianTradeoff(mu: number): TradeoffFunction {
  requireNumber('mu', mu, '0 or a number from 1e-9 to 1e9', (x) => x === 0 || (x >= 1e-9 && x <= 1e9));
  if (mu === 0) return perfectPrivacy();
  return ofLaw(`G_${mu}`, gaussianPair(1 / mu), true, mu);
}

/** f_{ε,δ}(α) = max{0, 1 − δ − e^ε α, e^{−ε}(1 − δ − α)} (GDP §2.1, prop. 2.5). @throws TypeError | RangeError if ε is not in [0, 300] or δ not in [0, 1]. */
export function approximateDpTradeoff(epsilon: number, delta: number): TradeoffFunction {
  requireNumber('epsilon', epsilon, 'a number in [0, 300]', (x) => x >= 0 && x <= 300);
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

/** T(Lap(0, 1), Lap(shift, 1)) (GDP §2.5). @throws TypeError | RangeError if `shift` is not 0 or in [1e-9, 300]. */
export function laplaceTradeoff(shift: number): TradeoffFunction {
  requireNumber('shift', shift, '0 or a number from 1e-9 to 300', (x) => x === 0 || (x >= 1e-9 && x <= 300));
  return shift === 0 ? perfectPrivacy() : ofLaw(`Lap_${shift}`, laplacePair(shift), true);
}

/** T(U[0, 1], U[shift, 1 + shift]) = f_{0,shift}. @throws TypeError | RangeError if `shift` is not in [0, 1]. */
export function uniformShiftTradeoff(shift: number): TradeoffFunction {
  return approximateDpTradeoff(0, requireProbability('shift', shift));
}

/** A point on or above a trade-off function. */
export interface Breakpoint {
  readonly alpha: number;
  readonly beta: number;
}

/**
 * The largest trade-off function through or below the points given, that is the lower convex hull of them with
 * (0, 1) and (1, 0): piecewise linear, exact.
 *
 * @throws TypeError | RangeError if there is no point, or one has rates outside [0, 1] or beta > 1 − alpha.
 */
export function tabulatedTradeoff(points: readonly Breakpoint[]): TradeoffFunction {
  if (!Array.isArray(points)) throw wrongType('points', 'an array of {alpha, beta} objects', points);
  if (points.length === 0 || points.length > 1_000_000)
    throw wrongValue('points', '1 to 1000000 points', points);
  const all = points.map((point, i): Breakpoint => {
    const alpha = requireProbability(`points[${i}].alpha`, point?.alpha);
    const beta = requireProbability(`points[${i}].beta`, point.beta);
    if (beta > 1 - alpha) throw wrongValue(`points[${i}].beta`, 'at most 1 - alpha', beta);
    return { alpha, beta };
  });
  return ofLaw('tabulated', atomicPair(polygonAtoms(all)), false);
}

/** The pair of the polygon through the lower convex hull of the points: one loss, log of minus its slope, a segment. */
export function polygonAtoms(points: readonly Breakpoint[]): Atoms {
  const all = [...points, { alpha: 0, beta: 1 }, { alpha: 1, beta: 0 }];
  all.sort((a, b) => a.alpha - b.alpha || a.beta - b.beta);
  const hull: Breakpoint[] = [];
  for (const point of all) {
    const last = hull.at(-1);
    if (last !== undefined && (point.alpha === last.alpha || point.beta >= last.beta)) continue;
    while (
      hull.length > 1 &&
      fall(hull[hull.length - 2], hull[hull.length - 1]) <= fall(hull[hull.length - 1], point)
    )
      hull.pop();
    hull.push(point);
  }
  const n = hull.length - 1;
  const loss = new Float64Array(n);
  const p = new Float64Array(n);
  const q = new Float64Array(n);
  // losses ascend as α falls
  for (let i = 0; i < n; i++) {
    const [a, b] = [hull[n - 1 - i], hull[n - i]];
    p[i] = b.alpha - a.alpha;
    q[i] = a.beta - b.beta;
    loss[i] = log(q[i]) - log(p[i]);
  }
  const infinity = 1 - hull[0].beta;
  const minusInfinity = 1 - hull[n].alpha;
  const certain = infinity > 0 || minusInfinity > 0 || n === 0;
  const reach = n === 0 ? 0 : Math.max(-loss[0], loss[n - 1], 0);
  return {
    loss,
    p,
    q,
    relative: 2e-15,
    infinity,
    minusInfinity,
    gdpMu: certain ? Infinity : pureMu(reach),
    tailMu: certain ? Infinity : 0,
  };
}

function fall(a: Breakpoint, b: Breakpoint): number {
  return (a.beta - b.beta) / (b.alpha - a.alpha);
}

/** The trade-off function of a composed run: of both directions as neighbours may be exchanged, or of one alone. */
export function runTradeoff(
  run: ComposedRun,
  direction: 'both' | 'remove' | 'add' = 'both',
): TradeoffFunction {
  if (direction === 'both') return new TradeoffFunction('run', run.curve);
  const remove = run.directions.find((one) => one.direction === 'remove');
  const add = run.directions.find((one) => one.direction === 'add');
  if (remove === undefined || add === undefined) return new TradeoffFunction('run', run.curve);
  const [forward, backward] = direction === 'remove' ? [remove, add] : [add, remove];
  return new TradeoffFunction(`run, ${direction}`, new TradeoffCurve(forward, backward));
}

/** The trade-off function of one pair. */
function ofLaw(name: string, inner: Pair, symmetric: boolean, gaussianMu?: number): TradeoffFunction {
  const factor = factorOf(inner, symmetric);
  const curve = symmetric
    ? new TradeoffCurve(inner.forward)
    : new TradeoffCurve(inner.forward, inner.backward);
  return new TradeoffFunction(name, curve, [gaussianMu === undefined ? factor : { ...factor, gaussianMu }]);
}

function factorOf(inner: Pair, symmetric: boolean): Factor {
  const forward = cellLaw(inner, 1, 'remove');
  return { forward, backward: symmetric ? forward : cellLaw(inner, 1, 'add'), count: 1 };
}
