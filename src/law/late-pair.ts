import type { AtomicPair } from './pair.js';

/** Fields of a pair that are known before its losses are listed. The runs `forward` and `backward` are taken from the list if absent. */
type Known = Pick<
  AtomicPair,
  'gdpMu' | 'tailMu' | 'smallest' | 'largest' | 'infinity' | 'lattice' | 'losses'
> &
  Partial<Pick<AtomicPair, 'forward' | 'backward'>>;

/** A pair of the family 'atoms' with the fields `known`. `list` is called only when another field is read, which it gives unchanged. */
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
