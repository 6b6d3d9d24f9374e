import type { Engine } from '../engine.js';
import { pureMu } from '../law/exponential-pair.js';
import { measureHeadAbove } from '../measure/head.js';
import { polygonMu } from '../measure/polygon.js';
import { type Bracket, bracket, exactly, ordered } from '../numeric/bracket.js';
import { fractionOf, product, roundedUp } from '../numeric/exact-decimal.js';
import { isLimited } from '../numeric/meter.js';
import {
  down,
  FEW_ROUNDINGS,
  FUNCTION_ERROR,
  FUNCTIONS_ERROR,
  ROUNDING,
  ROUNDINGS,
  up,
} from '../numeric/rounding.js';
import { exp, expm1, log, log1p, normalQuantileLog } from '../numeric/scalar.js';
import { muGdpBracket } from '../profile/gdp-inverse.js';
import { aroundLog, type Profile } from '../profile/profile.js';
import { ConversionRefused, type ConversionSource, type Guarantee, lineOf } from './guarantee.js';
import { answering, type Converted, requireNumbers } from './to-curve.js';

/** Conversions into guarantees with a single parameter: μ, ρ, or Rényi divergences at given orders. */

/**
 * The least μ for which the source's privacy profile implies μ-GDP.
 *
 * Ensures: all that meets the guarantee is μ-GDP for the upper end of the answer.
 */
export function toGdp(source: ConversionSource, _: unknown, engine: Engine): Converted {
  const { guarantee, profile, name, pure } = source;
  const answer = answering(({ upper: mu }) => ({ kind: 'gdp', mu }));
  if (profile.gaussianMu !== undefined) return answer(profile.gaussianMu, 'it is a Gaussian profile');
  if (lineOf(guarantee) !== undefined && pure < Infinity) return answer(muOfPure(pure), 'IAM theorem 5.1');
  if ((profile.tail.mu?.lower ?? 0) === Infinity)
    throw new ConversionRefused(name, 'gdp', profile.tail.reason);
  if (source.vertices !== undefined) {
    const { mu } = polygonMu(source.vertices, source.vertices, 0, engine.kernel) ?? { mu: exactly(0) };
    return answer(mu, 'the largest mu of a breakpoint (REP eq. 11)');
  }
  const optimal = guarantee?.kind === 'zcdp' || guarantee?.kind === 'mcdp';
  // the upper ends of δ(ε) are themselves a privacy profile, for which the search for μ can converge
  const above = (epsilon: number): Bracket => exactly(profile.logDelta(epsilon).upper);
  const mu = wholeSupremum(engine, optimal ? { ...profile, logDelta: above } : profile);
  if (mu.upper === Infinity) {
    const reason = optimal
      ? 'no finite mu was found'
      : `no bound of the tail is known: ${profile.tail.reason}`;
    throw new ConversionRefused(name, 'gdp', reason);
  }
  if (!optimal)
    return answer(mu, 'staircases of the Gaussian-DP transformation (IAM theorem 4.3), and its tail');
  const floor = Math.min(profile.tail.mu?.lower ?? 0, mu.upper);
  return answer(bracket(floor, mu.upper), 'staircases over the optimal conversion, and its tail');
}

/**
 * μ of ε-DP, −2Φ⁻¹(1/(1 + e^ε)): randomised response dominates every ε-DP mechanism, and its μ is this one.
 *
 * Ensures: that μ lies in the bracket.
 */
function muOfPure(epsilon: number): Bracket {
  if (epsilon === 0) return exactly(0);
  // the largest μ is that of ε = 0, and δ(0) = tanh(ε/2) keeps all digits for a small ε
  if (epsilon < 1) return muGdpBracket(0, aroundLog(log(halfTanh(epsilon))));
  const upper = pureMu(epsilon);
  const mu = -2 * normalQuantileLog(-epsilon - log1p(exp(-epsilon)));
  return bracket(down(mu, ROUNDINGS) - FEW_ROUNDINGS, upper);
}

/** tanh(ε/2), which is δ(0) of randomised response. */
function halfTanh(epsilon: number): number {
  return -expm1(-epsilon) / (1 + exp(-epsilon));
}

/** Reciprocals of relative widths of μ. A width of 1/400 is aimed at; one of 1/25 is computed first, at a fraction of the work. */
const [WIDTH, FIRST] = [400, 25];
/** Greatest number of values of δ asked of a privacy profile. */
const MOST_TESTS = 2e4;

/**
 * The least μ of μ-GDP: the supremum over ε ≥ 0 of the μ with δ_μ(ε) = δ(ε). δ_μ is the profile of N(0, 1) and N(μ, 1). The supremum over [0, E] is
 * computed for growing E, and `tail.ceiling` bounds it for ε > E. E grows until this tail bound no longer widens the bracket.
 *
 * Ensures: the supremum lies in the bracket.
 */
function wholeSupremum(engine: Engine, profile: Profile): Bracket {
  const least = profile.tail.mu?.lower ?? 0;
  // no δ need be computed if the tail bound for all ε ≥ 0 is already as small as the lower end
  let mu = bracket(least, Math.max(least, profile.tail.ceiling(0)));
  if (mu.upper < Infinity && mu.upper <= mu.lower * (1 + 1 / WIDTH)) return mu;
  const known = Math.max(muGdpBracket(0, profile.logDelta(0)).lower, least);
  for (const width of [FIRST, WIDTH]) {
    mu = supremumTo(engine, profile, { mu, known, width });
    if (isLimited()) break;
  }
  return mu;
}

interface Known {
  readonly mu: Bracket;
  /** A lower bound of the least μ of μ-GDP. */
  readonly known: number;
  /** The reciprocal of the relative width aimed at. */
  readonly width: number;
}

/** The least μ of μ-GDP, as `wholeSupremum` states it, computed to one relative width. Ensures: it lies in the bracket. */
function supremumTo(engine: Engine, profile: Profile, { mu: around, known, width }: Known): Bracket {
  let mu = around;
  const start = Math.min(1e3, Math.max(known, 1e-6));
  const settles = (head: number): boolean => profile.tail.ceiling(head) <= known * (1 + 1 / width);
  let left = MOST_TESTS;
  for (let epsilonHead = 4 * Math.min(1, start); epsilonHead <= 4096 && left > 0; epsilonHead *= 2) {
    if (profile.tail.ceiling(epsilonHead) === Infinity) continue;
    // if a range up to twice this ε is sure to suffice, that one is computed at once
    if (!settles(epsilonHead) && epsilonHead <= 2048 && settles(2 * epsilonHead)) continue;
    const options = { epsilonHead, resolution: width / start, maxTests: left };
    const measured = measureHeadAbove(engine, profile, options, mu.lower);
    left -= measured.tests;
    // ends of shorter ranges are bounds as well, and the best ones are kept
    const lower = Math.max(mu.lower, measured.headMu.lower);
    mu = bracket(lower, Math.max(lower, Math.min(mu.upper, measured.gdpMu)));
    if (isLimited()) break;
    if (measured.gdpMu === measured.headMu.upper || mu.upper <= mu.lower * (1 + 1 / width)) break;
  }
  return mu;
}

/** The reason of a refusal: no bound of the Rényi divergence is known at the orders asked for. */
const unbounded = (guarantee: Guarantee | undefined, orders: string): string =>
  guarantee === undefined
    ? `the profile is not known to bound the divergence at ${orders}`
    : 'the divergence may be infinite at every order above 1';

/**
 * The least ρ for which ρ-zCDP follows.
 *
 * Ensures: all that meets the guarantee is ρ-zCDP for the upper end of the answer.
 */
export function toZcdp({ guarantee, profile, name, pure, rho: known }: ConversionSource): Converted {
  const answer = answering(({ upper: rho }) => ({ kind: 'zcdp', rho }));
  if (guarantee?.kind === 'zcdp') return answer(exactly(guarantee.rho), 'it is stated');
  if (guarantee?.kind === 'mcdp') {
    const most = halfSquare(guarantee.tau);
    return answer(
      ordered(guarantee.mean, most),
      'the mean is at most tau^2/2, for the loss is subgaussian on both sides (docs/proofs/renyi.md)',
    );
  }
  if (profile.gaussianMu !== undefined) {
    const { lower, upper } = profile.gaussianMu;
    return answer(
      bracket(down(lower * lower, FUNCTION_ERROR) / 2, halfSquare(upper)),
      'the Renyi divergence of two Gaussians is alpha mu^2/2 (Bun and Steinke 2016)',
    );
  }
  if (pure === Infinity && known === Infinity) {
    const finite = guarantee?.kind === 'rdp' || guarantee?.kind === 'tcdp';
    const why = finite
      ? 'divergences at finitely many orders bound no larger order'
      : unbounded(guarantee, 'every order');
    throw new ConversionRefused(name, 'zcdp', why);
  }
  // randomised response dominates all ε-DP mechanisms. Its least ρ is its Kullback–Leibler divergence ε tanh(ε/2).
  const rho = pure * halfTanh(pure);
  const least = bracket(down(rho, ROUNDING), up(rho, ROUNDING));
  if (known < least.upper) {
    return answer(
      bracket(0, known),
      'the sum of the rho of its steps (Bun and Steinke 2016; bounded range: epsilon^2/8, Cesar and Rogers 2021)',
    );
  }
  return answer(
    lineOf(guarantee) ? least : bracket(0, least.upper),
    'epsilon-DP is epsilon tanh(epsilon/2)-zCDP: the divergence of order 1 of randomised response',
  );
}

/** The smallest double that is not below x²/2. */
function halfSquare(x: number): number {
  if (x === Infinity) return x;
  const exact = fractionOf(x);
  return roundedUp(product(product(exact, exact), fractionOf(0.5)));
}

export function toRdp(source: ConversionSource, target: { orders: readonly number[] }): Converted {
  const orders = requireNumbers('orders', target.orders, 'numbers in (1, 1e6]');
  const [divergenceAt, theorem] = statedDivergences(source.guarantee) ?? divergences(source);
  const values = orders.map(divergenceAt);
  const points = orders.map((order, i) => ({ order, epsilon: values[i].upper }));
  return { guarantee: { kind: 'rdp', points }, values, theorem };
}

type Divergences = readonly [divergenceAt: (order: number) => Bracket, theorem: string];

/** The Rényi divergences stated by a guarantee that is defined by them. */
function statedDivergences(guarantee: Guarantee | undefined): Divergences | undefined {
  switch (guarantee?.kind) {
    case 'rdp':
      return [
        (order) => interpolated(guarantee.points, order),
        '(alpha - 1) D_alpha is convex in alpha and D_alpha rises with it',
      ];
    case 'zcdp':
      return [
        (order) => around(guarantee.rho * order),
        'rho-zCDP bounds the divergence by rho alpha at every order',
      ];
    case 'tcdp':
      return [
        (order) => {
          const { omega = Infinity } = guarantee;
          const why = `no divergence is bounded at orders above ${omega}`;
          if (order > omega) throw new ConversionRefused('tcdp', 'rdp', why);
          return around(guarantee.rho * order);
        },
        '(rho, omega)-tCDP bounds the divergence by rho alpha at every order up to omega',
      ];
    case 'mcdp': {
      const rho = (guarantee.tau * guarantee.tau) / 2;
      const mean = Math.min(guarantee.mean, rho);
      return [
        (order) => bracket(around(order * mean).lower, around(mean + (order - 1) * rho).upper),
        'the divergence is the mean of the loss and the cumulants of a subgaussian one',
      ];
    }
    default:
      return undefined;
  }
}

function divergences({ guarantee, profile, name, pure, renyi }: ConversionSource): Divergences {
  if (profile.gaussianMu !== undefined) {
    const { lower, upper } = profile.gaussianMu;
    return [
      (order) =>
        bracket(around((order * lower * lower) / 2).lower, around((order * upper * upper) / 2).upper),
      'the Renyi divergence of two Gaussians is alpha mu^2/2',
    ];
  }
  if (renyi !== undefined && renyi(2) < Infinity) {
    return [
      (order) => {
        const upper = renyi(order);
        if (upper === Infinity)
          throw new ConversionRefused(name, 'rdp', `no divergence of order ${order} is known to be finite`);
        return bracket(0, Math.min(upper, pure));
      },
      'the sum of the divergences of its steps (Mironov 2017; Mironov, Talwar, Zhang 2019)',
    ];
  }
  if (pure === Infinity) throw new ConversionRefused(name, 'rdp', unbounded(guarantee, 'any order'));
  return [
    (order) => {
      // the divergence of order α is (1/(α−1)) log((e^{αε} + e^{(1−α)ε})/(1 + e^ε)). The quotient is 1 + (e^{αε} − 1)(1 − e^{(1−α)ε})/(1 + e^ε).
      const above = order - 1;
      const rise = (expm1(order * pure) * -expm1(-above * pure)) / (1 + exp(pure));
      const value = rise < Infinity ? log1p(rise) / above : pure - log1p(exp(-pure)) / above;
      const slack = FUNCTIONS_ERROR * (1 + pure) * value;
      const upper = Math.min(pure, value + slack);
      return bracket(lineOf(guarantee) ? Math.min(upper, value - slack) : 0, upper);
    },
    'randomised response has the largest divergence of all that is epsilon-DP',
  ];
}

/**
 * A bracket around a value with a relative error of at most four roundings.
 *
 * Ensures: the exact value lies in the bracket.
 */
function around(value: number): Bracket {
  return bracket(down(value, FEW_ROUNDINGS), up(value, FEW_ROUNDINGS));
}

/**
 * The Rényi divergence of an order from tabulated ones: (α − 1)D_α is convex and 0 at α = 1, so chords bound it. Below the first order, D_α itself
 * increases.
 *
 * Ensures: no divergence of that order is above the upper end.
 */
function interpolated(points: readonly { order: number; epsilon: number }[], order: number): Bracket {
  let best = Infinity;
  for (const right of points) {
    if (right.order < order) continue;
    best = Math.min(best, right.epsilon);
    for (const left of points) {
      if (left.order >= order || left.order >= right.order) continue;
      const share = (order - left.order) / (right.order - left.order);
      const value =
        ((1 - share) * (left.order - 1) * left.epsilon + share * (right.order - 1) * right.epsilon) /
        (order - 1);
      best = Math.min(best, up(value, FUNCTIONS_ERROR));
    }
  }
  if (best === Infinity) {
    throw new ConversionRefused('rdp', 'rdp', `no divergence is stated at an order of ${order} or more`);
  }
  return bracket(0, best);
}
