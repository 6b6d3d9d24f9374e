import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../scripts/lib/mechanism-page.mjs';
import { loadEngineSync } from '../../src/engine-sync.js';
import {
  account,
  factsOf,
  identify,
  MECHANISM_KINDS,
  type Mechanism,
  parseMechanism,
} from '../../src/index.js';
import { ADJACENCIES } from '../../src/mechanism/adjacency.js';

/** The tail limit that the facts tell for the example of each kind. */
const TAIL_MU: Readonly<Record<string, number>> = {
  gaussian: 0.5,
  laplace: 0,
  'discrete-gaussian': 0.5,
  'discrete-gaussian-vector': 0.5,
  'discrete-laplace': 0,
  'last-iterate': Math.sqrt(1.09) / 2,
  binomial: Infinity,
  skellam: 0,
  'randomized-response': 0,
  'pure-dp': 0,
  'approximate-dp': Infinity,
  gdp: 0.5,
  zcdp: 0.5,
  rdp: Infinity,
  'bounded-range': 0,
  tabulated: Infinity,
  'gaussian-mixture': 1,
  'replaced-gaussian': 0.5,
  'trade-off': 0,
  select: 0.5,
  'balls-and-bins': 0.5,
  tcdp: Infinity,
  mcdp: 0.5,
  'capped-poisson': 0.5,
  shuffled: 0.5,
  'shuffle-model': 0,
  // of noise 2 for the sum and 10 for a count of halves: √(1/4 + 1/400)
  'adaptive-clipping': Math.sqrt(0.2525),
  // not known: anything from 0 to infinity
  'divided-sgd': NaN,
  // the column's norm, √1.3125, over 2
  'matrix-mechanism': Math.sqrt(1.3125) / 2,
  // of three bins of three participations, √(3·1.3125), over 2: from above, as the last steps of some bins fall short
  'binned-matrix': Math.sqrt(3.9375) / 2,
  'noisy-max': 0,
  // four draws of the record, each 2 over 2
  'with-replacement': 4,
  joint: 0.5,
  parallel: 0.5,
  'random-allocation': 0,
  'dp-sgd': 2,
  // the minorant of all 2,000 steps, with 40 digits
  'iterate-phases': 1.0033878016948802,
  'fixed-batches': 0.5,
  'band-mf': 2,
  'tree-aggregation': 0.5,
  'poisson-subsampled': 0.5,
  'without-replacement': 1,
  repeat: 1,
  compose: 1,
};

describe('facts of mechanisms', () => {
  it('cover every kind', () => {
    const kinds = [...MECHANISM_KINDS].sort();
    expect(EXAMPLES.map(({ kind }) => kind).sort()).toEqual(kinds);
    expect(Object.keys(TAIL_MU).sort()).toEqual(kinds);
    expect(() => factsOf('uniform')).toThrow(/"kind"/);
  });

  for (const json of EXAMPLES) {
    it(`${json.kind}: standing, adjacency and tail are the library's`, () => {
      const facts = factsOf(json.kind);
      const tailMu = TAIL_MU[json.kind];
      const mechanism: Mechanism = parseMechanism(json);
      const engine = loadEngineSync();
      // 'add-remove where …' is about a field that the example leaves out
      const stated = ADJACENCIES.filter((each) => new RegExp(`${each}(?! where)`).test(facts.adjacency));
      const known = stated.length > 0 ? stated : ADJACENCIES;
      const adjacency = known.includes('add-remove') ? 'add-remove' : known[known.length - 1];
      const found = identify(account(engine, mechanism, { adjacency }));
      expect(found.standing).toBe(facts.standing === 'inner' ? 'exact' : facts.standing);
      const bracket = found.tailMu as { lower: number; upper: number };
      if (Number.isNaN(tailMu)) expect(bracket).toEqual({ lower: 0, upper: Infinity });
      else if (tailMu === Infinity) expect(bracket.lower).toBe(Infinity);
      else {
        expect(bracket).toContainValue(tailMu);
        expect(bracket).toBeNoWiderThan(json.kind === 'binned-matrix' ? 0.05 : 1e-12);
      }
      for (const other of ADJACENCIES) {
        const ask = () => account(engine, mechanism, { adjacency: other });
        if (known.includes(other)) expect(ask).not.toThrow();
        else expect(ask).toThrow(/"adjacency"/);
      }
    });
  }
});
