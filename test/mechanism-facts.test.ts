import { describe, expect, it } from 'vitest';
import {
  account,
  factsOf,
  identify,
  loadEngineSync,
  MECHANISM_KINDS,
  type Mechanism,
  parseMechanism,
} from '../src/index.js';

const gaussian = { kind: 'gaussian', noiseMultiplier: 2 };
/** JSON of one mechanism of each kind with the tail limit that the facts tell for it. */
const SAMPLES: readonly (readonly [Record<string, unknown>, number])[] = [
  [gaussian, 0.5],
  [{ kind: 'laplace', scale: 2, sensitivity: 1 }, 0],
  [{ kind: 'discrete-gaussian', sigma: 2, sensitivity: 1 }, 0.5],
  [{ kind: 'discrete-laplace', scale: 2, sensitivity: 1 }, 0],
  [{ kind: 'randomized-response', epsilon: 1, categories: 3 }, 0],
  [{ kind: 'pure-dp', epsilon: 1 }, 0],
  [{ kind: 'approximate-dp', epsilon: 1, delta: 1e-6 }, Infinity],
  [{ kind: 'gdp', mu: 0.5 }, 0.5],
  [{ kind: 'zcdp', rho: 0.125 }, 0.5],
  [{ kind: 'rdp', points: [{ order: 2, epsilon: 0.2 }] }, Infinity],
  [{ kind: 'bounded-range', epsilon: 1 }, 0],
  [{ kind: 'tabulated', points: [{ epsilon: 1, delta: 1e-6 }] }, Infinity],
  [{ kind: 'dp-sgd', noiseMultiplier: 2, samplingRate: 0.1, steps: 16 }, 2],
  [{ kind: 'poisson-subsampled', rate: 0.1, inner: gaussian }, 0.5],
  [{ kind: 'without-replacement', sampleSize: 1, datasetSize: 10, inner: gaussian }, 1],
  [{ kind: 'repeat', count: 4, inner: gaussian }, 1],
  [{ kind: 'compose', parts: [gaussian, gaussian, gaussian, gaussian] }, 1],
];

describe('facts of mechanisms', () => {
  it('cover every kind', () => {
    expect(SAMPLES.map(([{ kind }]) => kind)).toEqual(MECHANISM_KINDS);
    expect(() => factsOf('uniform')).toThrow(/"kind"/);
  });

  for (const [json, tailMu] of SAMPLES) {
    it(`${json['kind']}: standing, adjacency and tail are the library's`, () => {
      const facts = factsOf(json['kind'] as string);
      const mechanism: Mechanism = parseMechanism(json);
      const engine = loadEngineSync();
      const sole = facts.adjacency === 'add-remove' || facts.adjacency === 'replace-one';
      const adjacency = facts.adjacency === 'replace-one' ? 'replace-one' : 'add-remove';
      const found = identify(account(engine, mechanism, { adjacency }));
      expect(found.standing).toBe(facts.standing === 'inner' ? 'exact' : facts.standing);
      const bracket = found.tailMu as { lower: number; upper: number };
      if (tailMu === Infinity) expect(bracket.lower).toBe(Infinity);
      else {
        expect(bracket.lower).toBeLessThanOrEqual(tailMu);
        expect(bracket.upper).toBeGreaterThanOrEqual(tailMu);
        expect(bracket.upper - bracket.lower).toBeLessThanOrEqual(1e-12);
      }
      const other = adjacency === 'add-remove' ? 'replace-one' : 'add-remove';
      if (sole) expect(() => account(engine, mechanism, { adjacency: other })).toThrow(/"adjacency"/);
      else expect(() => account(engine, mechanism, { adjacency: other })).not.toThrow();
    });
  }
});
