import { atomicPair } from '../../law/atomic-pair.js';
import type { Others } from '../../law/shuffle-model.js';
import { methods } from '../../methods/brought/methods.js';
import { shortDecimal } from '../../text/decimal.js';
import { BOUNDED_TAIL, built, type Kind, whole, zeroOr } from '../kind.js';

/**
 * The shuffle model. Each user sends one message, made from their own record by the same ε-DP randomiser. A shuffler shows the messages in a random
 * order. Upper bounds hold for every such randomiser, lower bounds for some.
 */
export interface ShuffleModel {
  readonly kind: 'shuffle-model';
  /** ε of the local randomiser, in nats: 0 or from 1e-3 to 10. */
  readonly epsilon: number;
  /** Number of users who are certain to send a message, 1 … 1e7. */
  readonly users: number;
  /** Set by the account for lower bounds: how the other users answer in a run that attains the pair. */
  readonly others?: Others;
}

/**
 * Messages of an ε-DP local randomiser, shuffled; one user's record is replaced.
 *
 * @throws TypeError | RangeError if a number is outside the range its field states.
 * @example
 * account(engine, shuffleModel({ epsilon: 1, users: 10_000 }), { adjacency: 'replace-one' }).epsilon(1e-6).upper; // 0.0432301
 */
export function shuffleModel(options: Omit<ShuffleModel, 'kind' | 'others'>): ShuffleModel {
  return built(SHUFFLE_MODEL_KIND, options);
}

export const SHUFFLE_MODEL_KIND: Kind<ShuffleModel> = {
  name: 'shuffle-model',
  families: ['atoms'],
  title: 'Shuffle model of local randomisers',
  standing: 'bound',
  adjacency: 'replace-one: one user sends the message of another record',
  tail: BOUNDED_TAIL,
  source: 'Feldman, McMillan, Talwar 2023; docs/proofs/shuffle-model.md',
  wide: 'the bound holds for every randomiser, the lower end is that of three answers: 6 % apart in epsilon at a local epsilon of 2, 1 % at 4',
  unsampled: true,
  adjacencies: ['replace-one'],
  fields: { epsilon: zeroOr(1e-3, 10), users: whole(1, 1e7) },
  describe: (m) =>
    `shuffled messages of ${shortDecimal(m.users)} users, local epsilon ${shortDecimal(m.epsilon)}`,
  pair: ({ epsilon, users, others }) => {
    const { attainedAtoms, clonesAtoms } = methods();
    return atomicPair(
      others === undefined ? clonesAtoms(epsilon, users) : attainedAtoms(epsilon, users, others),
    );
  },
  attacks: (m) =>
    m.others === undefined ? (['third-answer', 'coins'] as const).map((others) => ({ ...m, others })) : [],
  revealsNothing: (m) => m.epsilon === 0,
  pureDp: (m) => [m.epsilon, 1],
};
