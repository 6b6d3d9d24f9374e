import { type Basic, kindOf } from './pairs.js';
import type { Step } from './steps.js';

/**
 * zCDP, Rényi and bounded-range guarantees are met by no mechanism that is the worst at every ε at once: the pair that
 * dominates them all does not meet the guarantee itself. Of one release δ(ε) is exact all the same, for it is asked
 * one ε at a time, and so it is of one release on a sample. Compositions of such pairs are above the worst adaptive
 * composition of what is allowed; compositions of `attained` steps are below it.
 */
export function needsAttained(steps: readonly Step[]): boolean {
  return steps.some(({ mechanism }) => attainedRelease(mechanism) !== mechanism);
}

/** The steps with a mechanism that meets each guarantee in place of those that none attains. */
export function attained(steps: readonly Step[]): Step[] {
  return steps.map((step) => ({ ...step, mechanism: attainedRelease(step.mechanism) }));
}

/** A mechanism that meets the guarantee of a release which none attains at every ε at once; else the release. */
export function attainedRelease(mechanism: Basic): Basic {
  return kindOf(mechanism).attained?.(mechanism) ?? mechanism;
}

/**
 * ρ such that the run is ρ-zCDP, where all its steps state or are known to have one and see all records: plain
 * Gaussians μ²/2, bounded range ε²/8 (Cesar, Rogers 2021), discrete Gaussians as continuous ones. Else undefined.
 */
export function concentrated(steps: readonly Step[]): number | undefined {
  let rho = 0;
  for (const { mechanism, sampling, count } of steps) {
    const one = sampling === 'all' ? kindOf(mechanism).rho?.(mechanism) : undefined;
    if (one === undefined) return undefined;
    rho += count * one;
  }
  return rho * (1 + 1e-15 * (2 + steps.length));
}
