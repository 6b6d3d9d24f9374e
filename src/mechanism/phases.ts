import { wrongValue } from '../errors.js';
import type { Mechanism } from './mechanism.js';

/** A group of identical steps of a run: `count` Poisson-subsampled Gaussians (rate 1: plain). */
export interface Phase {
  readonly sigma: number;
  readonly rate: number;
  readonly count: number;
}

/**
 * The run as a list of distinct phases: repeats multiplied out, equal steps merged, steps that
 * reveal nothing (rate 0, count 0) dropped. Composition commutes, so the list is put in one canonical
 * order, and a history that is split, merged or permuted gives the same list, hence the same bits.
 *
 * @throws RangeError if the total number of steps is not below 2⁵³.
 */
export function phasesOf(mechanism: Mechanism): Phase[] {
  const counts = new Map<string, Phase>();
  const visit = (m: Mechanism, times: number): void => {
    if (times === 0) return;
    if (!Number.isSafeInteger(times)) throw wrongValue('count', 'a total below 2^53 steps', times);
    switch (m.kind) {
      case 'compose':
        for (const part of m.parts) visit(part, times);
        return;
      case 'repeat':
        visit(m.inner, times * m.count);
        return;
      case 'poisson-subsampled':
        add(m.inner.noiseMultiplier, m.rate, times);
        return;
      case 'gaussian':
        add(m.noiseMultiplier, 1, times);
        return;
      default:
        throw wrongValue('mechanism.kind', 'a known mechanism', (m as { kind: unknown }).kind);
    }
  };
  const add = (sigma: number, rate: number, count: number): void => {
    if (rate === 0) return;
    const key = `${sigma}/${rate}`;
    const total = (counts.get(key)?.count ?? 0) + count;
    if (!Number.isSafeInteger(total)) throw wrongValue('count', 'a total below 2^53 steps', total);
    counts.set(key, { sigma, rate, count: total });
  };
  visit(mechanism, 1);
  return [...counts.values()].sort((a, b) => a.sigma - b.sigma || a.rate - b.rate);
}

/** μ = √Σ T/σ²: what the steps without subsampling are exactly, and the tail floor μ_t with it (IAM §3). */
export function gaussianMu(phases: readonly Phase[]): number {
  let square = 0;
  for (const { sigma, count } of phases) square += count / sigma / sigma;
  return Math.sqrt(square);
}
