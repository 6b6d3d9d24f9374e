import { seeded } from './random.js';
import type { PhaseTriple } from './runs.js';

export interface RandomRun {
  readonly phases: readonly PhaseTriple[];
  /** log δ's to look at. */
  readonly targets: readonly number[];
}

/** Runs with σ ∈ [0.3, 50], q ∈ [1e-5, 1], T ∈ [1, 1e9] (log-uniform) and 1 … maxPhases phases. */
export function randomRuns(seed: number, count: number, maxPhases: number): RandomRun[] {
  const random = seeded(seed);
  const between = (a: number, b: number): number => a * (b / a) ** random();
  return Array.from({ length: count }, () => {
    const phases: PhaseTriple[] = [];
    const n = random() < 0.7 ? 1 : 1 + Math.floor(random() ** 2 * maxPhases);
    for (let i = 0; i < n; i++) {
      const q = random() < 0.05 ? 1 : between(1e-5, 1);
      phases.push([between(0.3, 50), q, Math.round(between(1, 1e9))]);
    }
    return { phases, targets: [-0.5 - 3 * random(), -between(5, 40), -between(40, 600)] };
  });
}
