import type { AtomicPair } from './pair.js';

/** What is known of a pair before its losses are listed; its runs too, or they are those of the list. */
type Known = Pick<
  AtomicPair,
  'gdpMu' | 'tailMu' | 'smallest' | 'largest' | 'infinity' | 'lattice' | 'losses'
> &
  Partial<Pick<AtomicPair, 'forward' | 'backward'>>;

/** A pair whose limits are known before its losses are listed; they are listed on first use. */
export function latePair({ forward, backward, ...known }: Known, list: () => AtomicPair): AtomicPair {
  return {
    ...known,
    family: 'atoms',
    get forward() {
      return forward ?? list().forward;
    },
    get backward() {
      return backward ?? list().backward;
    },
    get atoms() {
      return list().atoms;
    },
    range: (logTail) => list().range(logTail),
    intervals: (kernel, edges) => list().intervals(kernel, edges),
    nodes: () => list().nodes(),
  };
}
