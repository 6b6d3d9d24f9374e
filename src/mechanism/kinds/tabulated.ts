import { wrongValue } from '../../errors.js';
import { atomicPair } from '../../law/atomic-pair.js';
import { tabulatedAtoms } from '../../law/tabulated-atoms.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { expm1 } from '../../numeric/scalar.js';
import { requirePoints, within } from '../checks.js';
import type { Kind } from '../kind.js';
import { built } from '../made.js';

/** Anything (εᵢ, δᵢ)-DP for every point listed, ε in [−300, 1e4]; no δ can be below 1 − e^ε. */
export interface Tabulated {
  readonly kind: 'tabulated';
  /** Pairs that hold all at once: ε in nats, δ a probability. */
  readonly points: readonly { readonly epsilon: number; readonly delta: number }[];
}

/**
 * Any mechanism of which (ε, δ)-DP is known at the points listed.
 *
 * @throws TypeError | RangeError if there is no point, an epsilon is not in [−300, 1e4] or a delta not in [max(0, 1 − e^ε), 1].
 * @example
 * account(engine, tabulated({ points: [{ epsilon: 1, delta: 1e-3 }, { epsilon: 2, delta: 1e-6 }] }), { adjacency: 'add-remove' }).epsilon(2e-6).upper; // 1.99937
 */
export function tabulated(options: Omit<Tabulated, 'kind'>): Tabulated {
  return built(TABULATED_KIND, 'tabulated', options);
}

function requireProfile(_: string, given: unknown): Tabulated['points'] {
  const points = requirePoints(given, ['epsilon', 'delta']).map((point, i) => {
    const epsilon = within(`points[${i}].epsilon`, point['epsilon'], -300, 1e4);
    const delta = within(`points[${i}].delta`, point['delta'], 0, 1);
    if (delta < -expm1(epsilon) * (1 - 1e-12)) {
      throw wrongValue(`points[${i}].delta`, `at least 1 - e^epsilon, as every δ(${epsilon}) is`, delta);
    }
    return { epsilon, delta };
  });
  return points.sort((a, b) => a.epsilon - b.epsilon || a.delta - b.delta);
}

export const TABULATED_KIND: Kind<Tabulated> = {
  name: 'tabulated',
  families: [ATOMS],
  facts: {
    title: 'Tabulated profile',
    standing: 'bound',
    tail: 'delta stays at its least listed value: mu_t is infinite, unless that is 0',
    source: 'the largest profile under the points: convex in e^epsilon',
  },
  fields: { points: requireProfile },
  build: tabulated,
  describe: (m) => `profile given at ${m.points.length} points`,
  pair: (m) => atomicPair(tabulatedAtoms(m.points)),
  isBare: (m) => m.points.every(({ delta }) => delta === 1),
};
