/** Adaptive interactions small enough to be listed: each step's mechanism is chosen from what came out before. */

/** A release with finitely many outputs: masses in the two worlds. */
export interface SmallRelease<S> {
  readonly p: readonly number[];
  readonly q: readonly number[];
  readonly cost: S;
}

/** One way an interaction can go. */
export interface Path {
  /** Masses in the two worlds. */
  readonly p: number;
  readonly q: number;
}

/**
 * All paths of an interaction. `choose` gives the next release from what came out so far, or nothing to stop; `state` is
 * handed down (a ledger that is copied where paths part).
 */
export function pathsOf<T, S>(
  start: T,
  choose: (state: T, outputs: readonly number[]) => { release: SmallRelease<S>; next: T } | undefined,
  visit: (
    path: Path & { readonly outputs: readonly number[]; readonly state: T; readonly final: boolean },
  ) => void,
): Path[] {
  const found: Path[] = [];
  const walk = (state: T, p: number, q: number, outputs: readonly number[]): void => {
    const step = choose(state, outputs);
    visit({ p, q, outputs, state, final: step === undefined });
    if (step === undefined) {
      found.push({ p, q });
      return;
    }
    step.release.p.forEach((mass, i) => {
      walk(step.next, p * mass, q * step.release.q[i], [...outputs, i]);
    });
  };
  walk(start, 1, 1, []);
  return found;
}

/** Hockey-stick divergence at e^ε. */
export function deltaOfPaths(paths: readonly Path[], epsilon: number): number {
  return paths.reduce((sum, { p, q }) => sum + Math.max(0, p - Math.exp(epsilon) * q), 0);
}

/** Rényi divergence of order α of lists of masses. */
export function renyiOfMasses(paths: readonly Path[], order: number): number {
  const moment = paths.reduce((sum, { p, q }) => sum + (p === 0 ? 0 : p ** order * q ** (1 - order)), 0);
  return Math.log(moment) / (order - 1);
}
