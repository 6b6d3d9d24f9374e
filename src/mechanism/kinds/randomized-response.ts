import { atomicPair } from '../../law/atomic-pair.js';
import { randomizedResponseAtoms } from '../../law/atoms.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { shortDecimal } from '../../text/decimal.js';
import { BOUNDED_TAIL, built, type Kind, made, whole, zeroOr } from '../kind.js';

/** One of `categories` answers: the true one with probability e^ε/(e^ε + categories − 1), else any other. */
export interface RandomizedResponse {
  readonly kind: 'randomized-response';
  /** 0 or in [1e-12, 300]. */
  readonly epsilon: number;
  /** A whole number from 2 to 2⁵³ − 1. */
  readonly categories: number;
}

/**
 * Randomised response over `categories` answers (default 2), ε-DP for one person's answer replaced.
 *
 * @throws TypeError | RangeError for values outside the ranges stated at `RandomizedResponse`.
 * @example
 * account(engine, randomizedResponse({ epsilon: 1 }), { adjacency: 'replace-one' }).epsilon(0).upper; // 1
 */
export function randomizedResponse(options: { epsilon: number; categories?: number }): RandomizedResponse {
  const { epsilon, categories = 2 }: typeof options = built(RANDOMIZED_RESPONSE_KIND, options);
  return made(RANDOMIZED_RESPONSE_KIND, { epsilon, categories });
}

export const RANDOMIZED_RESPONSE_KIND: Kind<RandomizedResponse> = {
  name: 'randomized-response',
  families: [ATOMS],
  title: 'Randomised response',
  standing: 'exact',
  tail: BOUNDED_TAIL,
  source: 'Warner 1965',
  fields: { epsilon: zeroOr(1e-12, 300), 'categories?': whole(2, Number.MAX_SAFE_INTEGER) },
  build: randomizedResponse,
  describe: (m) => `randomized response, epsilon ${shortDecimal(m.epsilon)}, ${m.categories} answers`,
  pair: (m) => atomicPair(randomizedResponseAtoms(m.epsilon, m.categories)),
  isSilent: (m) => m.epsilon === 0,
  pure: (m) => [m.epsilon, 1],
  rung: (m) => ({ common: m.categories, order: m.epsilon, size: m.epsilon }),
};
