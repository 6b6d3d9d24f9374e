import { Lazy } from '../numeric/lru-cache.js';
import type { AtomicPair } from './pair.js';

/** Fields of a pair that are known before its losses are listed. */
type Known = Pick<
  AtomicPair,
  'gdpMu' | 'tailMu' | 'smallest' | 'largest' | 'infinity' | 'lattice' | 'losses'
>;
type Runs = Pick<AtomicPair, 'forward' | 'backward'>;

/**
 * A pair of the family 'atoms' with the fields `known`. `make` is called once, when another field is first read, and that field is then given unchanged.
 *
 * @param runsOf The runs of the pair, from a function that gives the pair made; those of that pair if absent.
 */
export function latePair(
  known: Known,
  make: () => AtomicPair,
  runsOf?: (list: () => AtomicPair) => Runs,
): AtomicPair {
  const listed = new Lazy(make);
  const list = (): AtomicPair => listed.value;
  const runs = runsOf?.(list);
  return {
    ...known,
    family: 'atoms',
    get forward() {
      return (runs ?? list()).forward;
    },
    get backward() {
      return (runs ?? list()).backward;
    },
    get atoms() {
      return list().atoms;
    },
    range: (logTail) => list().range(logTail),
    intervals: (kernel, edges) => list().intervals(kernel, edges),
    nodes: () => list().nodes(),
  };
}
