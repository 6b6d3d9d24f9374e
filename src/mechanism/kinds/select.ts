import { wrongValue } from '../../errors.js';
import type { Pair } from '../../law/pair.js';
import { requireMechanism } from '../checks.js';
import { built, type Kind } from '../kind.js';
import { describeTries, requireTries, type Select } from '../tries.js';

export type { Select };

/**
 * The best of several tries (Liu, Talwar 2019; docs/select.md). Not covered: candidates chosen by earlier scores, publishing the
 * number of tries or other scores, a final retraining, scores computed from the data outside `inner`.
 *
 * @throws TypeError | RangeError naming what is wrong with `runs` or `inner`.
 * @example
 * select({ runs: { kind: 'negative-binomial', eta: 1, mean: 10 }, inner: gdp({ mu: 1 }) }).kind; // 'select'
 */
export function select(options: Omit<Select, 'kind'>): Select {
  return built(SELECT_KIND, options);
}

export const SELECT_KIND: Kind<Select> = {
  name: 'select',
  title: 'Private search: the best of several tries',
  standing: 'bound',
  adjacency: 'that of the inner mechanism',
  tail: 'that of the inner mechanism, unless tries are bounded in number: then up to sqrt(number) times it',
  source: 'Liu, Talwar 2019; Papernot, Steinke 2022; docs/proofs/select.md',
  families: [],
  fields: { runs: requireTries, inner: requireMechanism },
  describe: (m) => `best of several tries: ${describeTries(m.runs)}`,
  pair: (): Pair => {
    throw wrongValue('mechanism', 'free of private searches here: account answers those', 'select');
  },
};
