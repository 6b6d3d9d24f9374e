import { requireNumber, wrongValue } from '../../errors.js';
import { attainedMu, mcdpAttained, renyiPair } from '../../law/renyi-profile.js';
import { shortDecimal } from '../../text/decimal.js';
import { requirePoints } from '../checks.js';
import { built, DOWN, type Kind, made, within, zeroOr } from '../kind.js';
import { GDP_KIND } from './gaussian.js';

/** Any mechanism with a Rényi divergence of at most `epsilon` at each of the orders listed. */
export interface Rdp {
  readonly kind: 'rdp';
  /** Orders α > 1 with the divergence at each, in nats. */
  readonly points: readonly { readonly order: number; readonly epsilon: number }[];
}

/**
 * Any mechanism of which only Rényi divergences are known: orders above 1, divergences in nats.
 *
 * @throws TypeError | RangeError if there is no point, an order is not in (1, 1e6] or an epsilon not in [0, 1e6].
 * @example
 * account(engine, rdp({ points: [{ order: 2, epsilon: 0.1 }, { order: 16, epsilon: 0.9 }] }), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 1.41816
 */
export function rdp(options: Omit<Rdp, 'kind'>): Rdp {
  return built(RDP_KIND, options);
}

export const RDP_KIND: Kind<Rdp> = {
  name: 'rdp',
  families: ['atoms'],
  title: 'Renyi DP',
  standing: 'bound',
  tail: 'exponential: mu_t is infinite',
  source: 'Mironov 2017',
  fields: {
    points: (_, given) =>
      requirePoints(given, ['order', 'epsilon'])
        .map((point, i) => ({
          order: requireNumber(`points[${i}].order`, point['order'], 'a number in (1, 1e6]'),
          epsilon: within(`points[${i}].epsilon`, point['epsilon'], 0, 1e6),
        }))
        .sort((a, b) => a.order - b.order),
  },
  describe: (m) => `RDP at ${m.points.length} orders`,
  pair: (m) => renyiPair(m),
  revealsNothing: (m) => m.points.some(({ epsilon }) => epsilon === 0),
  // divergences at equal orders add up; tables with different orders are not merged
  sum: {
    times: (m, count) => ({
      ...m,
      points: m.points.map(({ order, epsilon }) => ({ order, epsilon: epsilon * count })),
    }),
    plus: (a, b) =>
      a.points.length === b.points.length && a.points.every(({ order }, i) => order === b.points[i].order)
        ? {
            ...a,
            points: a.points.map(({ order, epsilon }, i) => ({
              order,
              epsilon: epsilon + b.points[i].epsilon,
            })),
          }
        : undefined,
  },
  attained: (m) => made(GDP_KIND, { mu: attainedMu(m) * DOWN }),
};

/** Any mechanism that is ρ-zCDP, ρ = 0 or in [1e-12, 1e4]. */
export interface Zcdp {
  readonly kind: 'zcdp';
  /** ρ in nats: the Rényi divergence of every order α > 1 is at most ρα. */
  readonly rho: number;
}

/**
 * Any mechanism of which only ρ-zCDP is known, ρ in nats.
 *
 * @throws TypeError | RangeError if `rho` is neither 0 nor in [1e-12, 1e4].
 * @example
 * account(engine, zcdp({ rho: 0.5 }), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 4.72839
 */
export function zcdp(options: Omit<Zcdp, 'kind'>): Zcdp {
  return built(ZCDP_KIND, options);
}

export const ZCDP_KIND: Kind<Zcdp> = {
  name: 'zcdp',
  families: ['atoms'],
  title: 'zCDP',
  standing: 'bound',
  tail: 'Gaussian, mu_t = sqrt(2 rho)',
  source: 'Bun, Steinke 2016',
  fields: { rho: zeroOr(1e-12, 1e4) },
  describe: (m) => `${shortDecimal(m.rho)}-zCDP`,
  pair: (m) => renyiPair(m),
  revealsNothing: (m) => m.rho === 0,
  sum: {
    times: (m, count) => ({ ...m, rho: count * m.rho }),
    plus: (a, b) => ({ ...a, rho: a.rho + b.rho }),
  },
  rho: (m) => m.rho,
  zcdp: (rho) => made(ZCDP_KIND, { rho }),
  // a Gaussian release of μ has the Rényi divergence tμ²/2 at every order t
  attained: (m) => made(GDP_KIND, { mu: attainedMu(m) * DOWN }),
  rank: (m) => ({ order: m.rho, size: Math.sqrt(2 * m.rho) }),
};

/** Any mechanism that is (ρ, ω)-tCDP, or (ξ, ρ)-zCDP. Its Rényi divergence is at most ξ + ρt at every order 1 < t < ω. */
export interface Tcdp {
  readonly kind: 'tcdp';
  /** ρ: 0 or in [1e-12, 1e4]. */
  readonly rho: number;
  /** Bound ω of the orders, in (1, 1e6]; every order if absent. */
  readonly omega?: number;
  /** ξ in nats: 0 or in [1e-12, 1e4], and 0 if ρ is 0. Default 0. */
  readonly xi?: number;
}

/**
 * Any mechanism of which only (ρ, ω)-truncated concentrated DP is known; with ξ and without ω, only (ξ, ρ)-zCDP.
 *
 * @throws TypeError | RangeError if `rho` or `xi` is neither 0 nor in [1e-12, 1e4], or `omega` not in (1, 1e6]; if `xi` is above 0 and `rho` 0: state
 * that as `pureDp({ epsilon: xi })`, which bounds every order.
 * @example
 * account(engine, tcdp({ rho: 0.5, omega: 8 }), { adjacency: 'add-remove' }).delta(4).upper; // 0.000195768
 */
export function tcdp(options: Omit<Tcdp, 'kind'>): Tcdp {
  const made = built(TCDP_KIND, options);
  if (made.rho === 0 && xiOf(made) > 0) throw wrongValue('xi', '0 where "rho" is 0', made.xi);
  return made;
}

/** ξ, 0 if it is not stated. */
function xiOf({ xi = 0 }: Tcdp): number {
  return xi;
}

/** A guarantee with other ρ and ξ at the same orders: both add up in a composition. */
function concentrated({ omega }: Tcdp, rho: number, xi: number): Tcdp {
  return made(TCDP_KIND, { rho, ...(omega !== undefined && { omega }), ...(xi > 0 && { xi }) });
}

export const TCDP_KIND: Kind<Tcdp> = {
  name: 'tcdp',
  families: ['atoms'],
  title: 'Truncated CDP',
  standing: 'bound',
  tail: 'exponential: mu_t is infinite',
  source: 'Bun, Dwork, Rothblum, Steinke 2018; with xi: Bun, Steinke 2016, definition 1.1',
  fields: { rho: zeroOr(1e-12, 1e4), 'omega?': 'a number in (1, 1e6]', 'xi?': zeroOr(1e-12, 1e4) },
  build: tcdp,
  describe: (m) => {
    const first =
      xiOf(m) > 0 ? `(${shortDecimal(xiOf(m))}, ${shortDecimal(m.rho)})-zCDP` : `${shortDecimal(m.rho)}-zCDP`;
    if (m.omega === undefined) return first;
    return xiOf(m) > 0
      ? `${first} at orders below ${shortDecimal(m.omega)}`
      : `(${shortDecimal(m.rho)}, ${shortDecimal(m.omega)})-tCDP`;
  },
  pair: (m) => renyiPair(m),
  revealsNothing: (m) => m.rho === 0,
  // divergences add up at the orders that both bound; guarantees with different ω are not merged
  sum: {
    times: (m, count) => concentrated(m, count * m.rho, count * xiOf(m)),
    plus: (a, b) => (a.omega === b.omega ? concentrated(a, a.rho + b.rho, xiOf(a) + xiOf(b)) : undefined),
  },
  attained: (m) => made(GDP_KIND, { mu: attainedMu(m) * DOWN }),
};

/** Any mechanism that is (mean, τ)-mCDP: the loss has at most this mean, and is τ-subgaussian about its mean. */
export interface Mcdp {
  readonly kind: 'mcdp';
  /** Bound of the mean of the loss: 0 or in [1e-12, 1e4]. */
  readonly mean: number;
  /** τ: 0 or in [1e-6, 100]. */
  readonly tau: number;
}

/**
 * Any mechanism of which only (mean, τ)-mean-concentrated DP is known.
 *
 * @throws TypeError | RangeError if `mean` is neither 0 nor in [1e-12, 1e4], or `tau` neither 0 nor in [1e-6, 100].
 * @example
 * account(engine, mcdp({ mean: 0.5, tau: 1 }), { adjacency: 'add-remove' }).delta(1).upper; // 0.214912
 */
export function mcdp(options: Omit<Mcdp, 'kind'>): Mcdp {
  return built(MCDP_KIND, options);
}

export const MCDP_KIND: Kind<Mcdp> = {
  name: 'mcdp',
  families: ['atoms'],
  title: 'Mean-concentrated CDP',
  standing: 'bound',
  tail: 'Gaussian, mu_t = tau',
  source: 'Dwork, Rothblum 2016; divergences as in docs/proofs/renyi.md',
  fields: { mean: zeroOr(1e-12, 1e4), tau: zeroOr(1e-6, 100) },
  describe: (m) => `(${shortDecimal(m.mean)}, ${shortDecimal(m.tau)})-mCDP`,
  pair: (m) => renyiPair(m),
  revealsNothing: (m) => m.mean === 0 || m.tau === 0,
  // means and squares of τ add up (Dwork, Rothblum 2016, thm 3.4)
  sum: {
    times: (m, count) => ({ ...m, mean: (count * m.mean) / DOWN, tau: (Math.sqrt(count) * m.tau) / DOWN }),
    plus: (a, b) => ({
      ...a,
      mean: (a.mean + b.mean) / DOWN,
      tau: Math.sqrt(a.tau * a.tau + b.tau * b.tau) / DOWN,
    }),
  },
  rho: (m) => (m.tau * m.tau) / 2,
  zcdp: (rho) => made(ZCDP_KIND, { rho }),
  attained: (m) => made(GDP_KIND, { mu: mcdpAttained(m) }),
};
