import { exp } from '../../../numeric/scalar.js';
import type { CountedSpectrum } from './contour-plan.js';

/** Frequencies beyond which the line is cut: Σ of what remains, over log τ. */
export interface Truncation {
  /** Where the line may end, and bounds of (1/π)∫ and sums of |φ|τ^{−r} beyond each. */
  readonly from: Float64Array;
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/** Ratio of neighbouring cuts, and how many there are at most. Only speed and width hang on them. */
const GROWTH = 1.2;
const MAX_SEGMENTS = 160;
/** Segments on which |φ| is far below what matters are longer; and how far below, as a multiple of the depth. */
const LONGER = 1.5;
const FAR_BELOW = 3;

/**
 * Whether sums to `limit` could be within `second` of the whole by the bounds there are: what `truncationOf` would find,
 * asked where the longest line ends.
 */
export function canEnd(laws: readonly CountedSpectrum[], c: number, limit: number, second: number): boolean {
  let bound = 0;
  for (const { law, count } of laws) {
    const decay = law.decay(c);
    bound += count * Math.min(decay.within(limit, GROWTH * limit), decay.far?.(limit) ?? 0);
  }
  return ((GROWTH - 1) * 0.3184 * exp(bound)) / limit <= second;
}

/**
 * (1/π)·Δ·Σ_{kΔ ≥ τ} |φ(kΔ)|/(kΔ)^r for r = 1, 2, at a ladder of τ's. On a segment [a, b) there are at most (b − a)/Δ + 1 nodes;
 * beyond the last, B(τ/τ₀)^{−N} sums to at most B·τ₀^{−r}(Δ + τ₀/(N + r − 1)).
 *
 * @param sharp Whether the sharper, dearer bounds are used where a law has them.
 */
export function truncationOf(
  laws: readonly CountedSpectrum[],
  c: number,
  dTau: number,
  { start, depth, sharp = false }: { start: number; depth: number; sharp?: boolean },
): Truncation {
  const decays = laws.map(({ law, count }) => ({ decay: law.decay(c), count, least: 0 }));
  const from: number[] = [];
  const logs: number[] = [];
  let tau = Math.max(start, dTau);
  let log = 0;
  let power = 0;
  for (;;) {
    log = 0;
    power = 0;
    for (const { decay, count } of decays) {
      const far = decay.beyond(tau);
      log += count * far.log;
      power += count * far.power;
    }
    if (from.length >= MAX_SEGMENTS || log < -depth) break;
    const to = tau * (logs[logs.length - 1] < -FAR_BELOW * depth ? LONGER : GROWTH);
    let bound = 0;
    // what bounds |φ| from here on still does so further out
    const wanted = sharp && decays.reduce((sum, { count, least }) => sum + count * least, 0) > -2 * depth;
    for (const one of decays) {
      const { decay, count } = one;
      if (wanted) one.least = decay.far?.(tau) ?? 0;
      bound += count * Math.min(one.least, decay.within(tau, to));
      if (bound < -900) break;
    }
    from.push(tau);
    logs.push(bound);
    tau = to;
  }
  from.push(tau);
  const { first, second } = sumsBeyond(from, logs, { log, power }, dTau);
  return { from: Float64Array.from(from), first, second };
}

/**
 * The two sums of `Truncation` from bounds of log|φ|: `logs[i]` on [from[i], from[i+1]) and, from the last on,
 * log − power·log(τ/from).
 */
export function sumsBeyond(
  from: ArrayLike<number>,
  logs: ArrayLike<number>,
  far: { readonly log: number; readonly power: number },
  dTau: number,
): { first: Float64Array; second: Float64Array } {
  const n = from.length;
  const first = new Float64Array(n);
  const second = new Float64Array(n);
  const tau = from[n - 1];
  const last = exp(far.log) * 0.3184;
  first[n - 1] = far.power > 0 ? (last / tau) * (dTau + tau / far.power) : Infinity;
  second[n - 1] = (last / (tau * tau)) * (dTau + tau / (far.power + 1));
  for (let i = n - 2; i >= 0; i--) {
    const width = (from[i + 1] - from[i] + dTau) * 0.3184 * exp(logs[i]) * (1 + 1e-12);
    first[i] = first[i + 1] + width / from[i];
    second[i] = second[i + 1] + width / (from[i] * from[i]);
  }
  return { first, second };
}
