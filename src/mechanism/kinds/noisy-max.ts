import { laplacePair } from '../../law/exponential-pair.js';
import { ROUNDINGS } from '../../numeric/rounding.js';
import { expm1, log1p } from '../../numeric/scalar.js';
import { shortDecimal } from '../../text/decimal.js';
import { BOUNDED_TAIL, built, DOWN, type Kind, made, zeroOr } from '../kind.js';
import { RANDOMIZED_RESPONSE_KIND } from './epsilon-delta.js';

/**
 * The name of the largest of noisy scores: permute-and-flip, or report-noisy-max with Laplace or exponential noise of scale b. Let Δ be the most by
 * which one record moves a score. Then ε is 2Δ/b, or Δ/b if a record moves all scores the same way. ε = 0 or in [1e-9, 300].
 */
export interface NoisyMax {
  readonly kind: 'noisy-max';
  /** ε in nats. */
  readonly epsilon: number;
}

/**
 * Permute-and-flip or report-noisy-max, whose pair is that of Laplace noise of the same ε. The scale of their noise is 2Δ/ε, or Δ/ε if a record moves
 * all scores the same way.
 *
 * @throws TypeError | RangeError if `epsilon` is neither 0 nor in [1e-9, 300].
 * @example
 * account(engine, repeat(noisyMax({ epsilon: 0.5 }), 20), { adjacency: 'replace-one' }).epsilon(1e-6).upper; // 9.67093
 */
export function noisyMax(options: Omit<NoisyMax, 'kind'>): NoisyMax {
  return built(NOISY_MAX_KIND, options);
}

export const NOISY_MAX_KIND: Kind<NoisyMax> = {
  name: 'noisy-max',
  families: ['exponential'],
  title: 'Noisy maximum',
  standing: 'bound',
  tail: BOUNDED_TAIL,
  source: 'McKenna, Sheldon 2020; docs/proofs/noisy-max.md',
  fields: { epsilon: zeroOr(1e-9, 300) },
  describe: (m) => `noisy maximum, epsilon ${shortDecimal(m.epsilon)}`,
  pair: (m) => laplacePair(m.epsilon),
  revealsNothing: (m) => m.epsilon === 0,
  pureDp: (m) => [m.epsilon, 1],
  // its pair is that of Laplace noise, ordered by ε
  rank: (m) => ({ order: m.epsilon, size: m.epsilon }),
  // attained by two candidates whose scores differ by Δ, in favour of one or of the other
  attained: (m) =>
    made(RANDOMIZED_RESPONSE_KIND, {
      epsilon: log1p(2 * expm1(m.epsilon / 2)) * (DOWN - ROUNDINGS),
      categories: 2,
    }),
};
