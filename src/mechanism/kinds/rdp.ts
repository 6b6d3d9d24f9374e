import { requireNumber } from '../../errors.js';
import { renyiPair } from '../../law/renyi-profile.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { least } from '../../numeric/extremes.js';
import { requirePoints, within } from '../checks.js';
import { DOWN, type Kind } from '../kind.js';
import { built, made } from '../made.js';
import { GDP_KIND } from './gdp.js';

/** Anything with Rényi divergence at most `epsilon` at each of the orders listed (order > 1). */
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
  return built(RDP_KIND, 'rdp', options);
}

export const RDP_KIND: Kind<Rdp> = {
  name: 'rdp',
  families: [ATOMS],
  facts: {
    title: 'Renyi DP',
    standing: 'bound',
    tail: 'exponential: mu_t is infinite',
    source: 'Mironov 2017',
  },
  fields: {
    points: (_, given) =>
      requirePoints(given, ['order', 'epsilon'])
        .map((point, i) => ({
          order: requireNumber(`points[${i}].order`, point['order'], 'a number in (1, 1e6]'),
          epsilon: within(`points[${i}].epsilon`, point['epsilon'], 0, 1e6),
        }))
        .sort((a, b) => a.order - b.order),
  },
  build: rdp,
  describe: (m) => `RDP at ${m.points.length} orders`,
  pair: (m) => renyiPair(m),
  isSilent: (m) => m.points.some(({ epsilon }) => epsilon === 0),
  // divergences at the same orders add up; tables with other orders stay apart
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
  attained: ({ points }) => {
    const rho = least(points.map(({ order, epsilon }) => epsilon / order));
    return made(GDP_KIND, { mu: Math.sqrt(2 * rho) * DOWN });
  },
};
