import { Lazy } from '../numeric/lru-cache.js';
import type { AtomicPair } from './pair.js';

/** Fields of a pair that are known before its losses are listed. */
type Known = Pick<
  AtomicPair,
  'gdpMu' | 'tailMu' | 'smallest' | 'largest' | 'infinity' | 'lattice' | 'losses'
>;
type Runs = Pick<AtomicPair, 'forward' | 'backward'>;

/**
 * A pair of the family 'atoms' with the fields `known`. `make` is called once, when another field is first read. All other fields are those of the pair that it
 * returns.
 *
 * @param runsOf Returns the runs of the pair; its argument is a function that returns the pair of `make`. If absent, the runs are those of that pair.
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
