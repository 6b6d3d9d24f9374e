import { requireTolerance } from '../account/options.js';
import { type Engine, requireEngine } from '../engine.js';
import { requireCount, requireFields, requireList, requireOptions, wrongType } from '../errors.js';
import { atomicPair } from '../law/atomic-pair.js';
import { gaussianPair } from '../law/gaussian-pair.js';
import { lawBetween } from '../law/joined-laws.js';
import { cellLaw } from '../law/lattice/cell-law.js';
import type { CountedLaw, LossLaw } from '../law/loss-law.js';
import type { Atoms } from '../law/pair.js';
import { methods } from '../methods/brought/methods.js';
import { Allowance } from '../numeric/meter.js';
import { ALLOWANCE } from '../numeric/prices.js';
import { expm1, log1p } from '../numeric/scalar.js';
import { certainRun } from '../run/changed-run.js';
import type { DirectedRun } from '../run/directed-run.js';
import { roundedGaussian } from '../run/gaussian-run.js';
import { meteredDirections } from '../run/metered-run.js';
import { TradeoffCurve } from '../run/tradeoff-curve.js';
import { approximateDpTradeoff, perfectPrivacy } from './constructors.js';
import { gaussianBetween, productMu } from './gaussian-products.js';
import { polygonsAround } from './polygons-around.js';
import { type Factor, TradeoffFunction } from './tradeoff-function.js';

/** How narrow the brackets of a product are to be. */
export interface TensorOptions {
  /** Relative width of δ aimed at, 1e-12 … 0.5; default 1e-5. */
  readonly tolerance?: number;
}

/** A trade-off function and how often it is composed. */
export interface CountedTradeoff {
  /** The function. */
  readonly f: TradeoffFunction;
  /** A whole number ≥ 0. */
  readonly count: number;
}

/** Longest FFT. Only width and speed depend on it. */
const GRID_LENGTH = 2 ** 20;

/**
 * f₁ ⊗ f₂ ⊗ …: T(P₁ × P₂ × …, Q₁ × Q₂ × …), the guarantee of the composition (GDP def. 3.1, thm 3.2). In closed form G_μ ⊗ G_ν = G_√(μ²+ν²) and
 * f_{0,δ} ⊗ f_{0,δ'} = f_{0,1−(1−δ)(1−δ')}. Other functions are composed by FFT, one whose pair is not known by a polygon below and one above it.
 *
 * @throws TypeError | RangeError for a wrong option, or a count that is not a whole number ≥ 0.
 * @example
 * tensor(engine, [gaussianTradeoff(0.6), gaussianTradeoff(0.8)]).fnr(0.05).lower; // 0.740488
 */
export function tensor(
  engine: Engine,
  functions: readonly (TradeoffFunction | CountedTradeoff)[],
  options: TensorOptions = {},
): TradeoffFunction {
  requireOptions('tensor', options, ['tolerance']);
  requireList('functions', functions, 'trade-off functions');
  requireEngine(engine);
  const width = requireTolerance(options.tolerance ?? 1e-5);
  const parts = functions.map((one): CountedTradeoff => {
    if (one instanceof TradeoffFunction) return { f: one, count: 1 };
    requireFields('functions', one, ['f', 'count']);
    if (!(one.f instanceof TradeoffFunction)) throw wrongType('functions', 'trade-off functions', one.f);
    return { f: one.f, count: requireCount('count', one.count) };
  });
  const used = parts.filter(({ f, count }) => count > 0 && f.factors?.length !== 0);
  if (used.length === 0) return perfectPrivacy();
  if (used.length === 1 && used[0].count === 1) return used[0].f;
  const all = used.flatMap(({ f, count }) =>
    (f.factors ?? [enclosedFactor(f)]).map((x) => ({ ...x, count: x.count * count })),
  );
  let logHidden = 0;
  for (const { revealed, count } of all) if (revealed !== undefined) logHidden += count * log1p(-revealed);
  const unknown = all.filter(({ revealed }) => revealed === undefined);
  if (unknown.length === 0) return approximateDpTradeoff(0, -expm1(logHidden));
  if (logHidden === 0 && unknown.every(({ gaussianMu }) => gaussianMu !== undefined))
    return gaussianBetween(productMu(unknown), { factors: all });
  const factors = merged(unknown);
  const { allowance = new Allowance(ALLOWANCE) } = used.find(({ f }) => f.allowance)?.f ?? {};
  const side = (pick: (factor: Factor) => LossLaw): DirectedRun => {
    const laws: CountedLaw[] = factors.map((factor) => ({ law: pick(factor), count: factor.count }));
    const [{ law, count: times }] = laws;
    const alone = laws.length === 1 && times === 1;
    const run = alone
      ? law.single
      : methods().gridRun(engine.kernel, laws, { width, maxLength: GRID_LENGTH });
    return meteredDirections([certainRun(run, logHidden)], allowance)[0];
  };
  const forward = side((factor) => factor.forward);
  const symmetric = factors.every((factor) => factor.forward === factor.backward);
  const curve = new TradeoffCurve(forward, symmetric ? forward : side((factor) => factor.backward));
  return new TradeoffFunction('product', curve, all, undefined, allowance);
}

/** The factors with all Gaussian ones merged to one, and counts of equal laws added. */
function merged(factors: readonly Factor[]): Factor[] {
  const rest = new Map<LossLaw, Factor>();
  for (const factor of factors) {
    const { forward, count, gaussianMu } = factor;
    if (gaussianMu !== undefined) continue;
    const known = rest.get(forward);
    rest.set(forward, known === undefined ? factor : { ...known, count: known.count + count });
  }
  const out = [...rest.values()];
  const gaussians = factors.filter(({ gaussianMu }) => gaussianMu !== undefined);
  if (gaussians.length > 0) {
    const mu = productMu(gaussians).upper;
    const law = {
      ...cellLaw(gaussianPair(1 / mu, mu), 1, 'remove'),
      single: roundedGaussian(mu),
    };
    out.push({ forward: law, backward: law, count: 1, gaussianMu: mu, tailMu: mu });
  }
  return out;
}

/**
 * Any function as a factor, by a polygon below it and one above it (`polygonsAround`). As ⊗ is monotone, products with these enclose the product. For a
 * function that is not symmetric, the lower polygon is below its symmetrisation.
 *
 * Ensures: the product of the function lies between those of its two polygons.
 */
function enclosedFactor(f: TradeoffFunction): Factor {
  const { curve } = f;
  const { below, above } = polygonsAround(f, { logLeast: -690, segments: 2000 });
  const sided = (direction: 'remove' | 'add'): LossLaw => {
    const law = (atoms: Atoms): LossLaw => cellLaw(atomicPair(atoms), 1, direction);
    const single = direction === 'remove' ? curve.forward : curve.backward;
    return { ...lawBetween(law(below), law(above), single), gdpMu: f.limits.muCeiling };
  };
  const { tailMu } = f.limits;
  return {
    forward: sided('remove'),
    backward: sided('add'),
    count: 1,
    ...(tailMu.lower === tailMu.upper && { tailMu: tailMu.upper }),
  };
}
