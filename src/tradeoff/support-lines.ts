import type { ComposedRun } from '../account/composed-run.js';
import { CompensatedSum } from '../numeric/compensated-sum.js';
import { least } from '../numeric/extremes.js';
import { free } from '../numeric/meter.js';
import { FUNCTION_ERROR, ROUNDING, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';

/**
 * A trade-off curve by supporting lines. By (εᵢ, δᵢ)-DP, the true positive rate at false positive rate α is at most δᵢ + e^{εᵢ} α
 * for every line i. εᵢ ascends, and is negative for the mirror images of lines. Every δᵢ is rounded up, so the lines give upper bounds of the power of
 * attacks.
 */
export interface SupportLines {
  readonly epsilon: readonly number[];
  readonly delta: readonly number[];
}

/** Factor that rounds up the error of at most four operations and an exponential. */
const UP = 1 + ROUNDING;
/** Number of first values α₀ of chains by which `groupLines` makes lines. Only width and speed depend on it. */
const STARTS = 480;
/** The smallest first value α₀ of a chain. Only width depends on it. */
const LEAST_START = 1e-60;

/**
 * Lines at ascending `epsilons` ≥ 0, and their mirror images: δ(−ε) = 1 − e^{−ε}(1 − δ(ε)), as both directions are counted.
 *
 * Ensures: every line bounds the power of every attack.
 */
export function supportLines(run: Pick<ComposedRun, 'delta'>, epsilons: readonly number[]): SupportLines {
  return mirrored(epsilons.map((epsilon) => [epsilon, run.delta(epsilon).upper]));
}

/** Lines with ε ≥ 0 and their mirror images δ(−ε) = 1 − e^{−ε}(1 − δ(ε)), rounded up, in ascending order of ε. */
function mirrored(lines: readonly (readonly [epsilon: number, delta: number])[]): SupportLines {
  const left = lines
    .filter(([epsilon]) => epsilon > 0)
    .map(
      ([epsilon, delta]) =>
        [-epsilon, Math.min(1, 1 - exp(-epsilon) * (1 - delta) + FUNCTION_ERROR)] as const,
    )
    .reverse();
  const all = [...left, ...lines];
  return { epsilon: all.map(([epsilon]) => epsilon), delta: all.map(([, delta]) => delta) };
}

/** The ascending ε, with the largest loss added if it is below the last one: from there on δ is 0. */
export function withLargest(epsilons: readonly number[], largest: number): readonly number[] {
  const last = epsilons[epsilons.length - 1];
  if (!(largest < last) || epsilons.includes(largest)) return epsilons;
  return [...epsilons, largest].sort((a, b) => a - b);
}

/** The index of the line δ + slope·α that is lowest at α. */
function lowestAt({ delta }: SupportLines, slopes: Float64Array, alpha: number): number {
  let best = 0;
  let least = Infinity;
  for (let i = 0; i < slopes.length; i++) {
    const value = delta[i] + slopes[i] * alpha;
    if (value < least) [best, least] = [i, value];
  }
  return best;
}

/** e^ε of the lines, cached. */
const slopesKnown = new WeakMap<SupportLines, Float64Array>();

/** e^ε of every line, cached. */
function slopesOf(lines: SupportLines): Float64Array {
  const known = slopesKnown.get(lines) ?? free(() => Float64Array.from(lines.epsilon, exp));
  slopesKnown.set(lines, known);
  return known;
}

/**
 * Upper bound of the true positive rate of every attack at false positive rate `alpha` in [0, 1].
 *
 * Ensures: no attack has a larger true positive rate.
 */
export function powerAtMost(lines: SupportLines, alpha: number): number {
  const slopes = slopesOf(lines);
  const i = lowestAt(lines, slopes, alpha);
  return Math.max(alpha, Math.min(1, (lines.delta[i] + slopes[i] * alpha) * UP));
}

/** Ascending false positive rates in (0, 1) at which another line becomes the lowest: between them the bound is linear. */
export function cornersOf(lines: SupportLines): number[] {
  const slopes = slopesOf(lines);
  const { delta } = lines;
  // the lines that are the lowest somewhere, from steep to flat, each with the α from which on it is
  const lowest: { readonly i: number; readonly from: number }[] = [];
  for (let i = slopes.length - 1; i >= 0; i--) {
    let from = 0;
    for (let last = lowest.at(-1); last !== undefined; last = lowest.at(-1)) {
      from = (delta[i] - delta[last.i]) / (slopes[last.i] - slopes[i]);
      if (from > last.from) break;
      lowest.pop();
      from = 0;
    }
    lowest.push({ i, from });
  }
  return lowest.map(({ from }) => from).filter((alpha) => alpha > 0 && alpha < 1);
}

/**
 * Lines of the curve between data sets `size` records apart (GDP thm 2.14). A record changes the power from α to at most δᵢ + e^{εᵢ} α. A line for each
 * record gives the line with ε = Σ εᵢ and δ ← δᵢ + e^{εᵢ} δ. From a first α₀ on, the line that is lowest at the power reached is taken each time,
 * which makes the bound sharp at α₀.
 *
 * Ensures: every line bounds the power between data sets `size` records apart.
 */
export function groupLines(lines: SupportLines, size: number): SupportLines {
  if (size === 1) return lines;
  const found: [epsilon: number, delta: number][] = [];
  const floor = log(LEAST_START);
  const slopes = slopesOf(lines);
  for (let i = 0; i <= STARTS; i++) {
    const start = exp(floor * (1 - i / STARTS));
    const sum = new CompensatedSum();
    let [alpha, length, delta] = [start, 0, 0];
    for (let link = 0; link < size; link++) {
      const at = lowestAt(lines, slopes, alpha);
      const slope = slopes[at];
      sum.add(lines.epsilon[at]);
      length += Math.abs(lines.epsilon[at]);
      delta = Math.min(1, (lines.delta[at] + slope * delta) * UP);
      alpha = Math.min(1, lines.delta[at] + slope * alpha);
    }
    // the error of the sum is relative to the moduli of its terms, which may have different signs
    const epsilon = sum.value + ROUNDING * length;
    if (epsilon >= 0) found.push([epsilon, delta]);
  }
  found.sort(([a, p], [b, q]) => a - b || p - q);
  const kept: [number, number][] = [];
  for (const [epsilon, delta] of found) {
    const last = kept.at(-1);
    if (last === undefined || (delta < last[1] && epsilon > last[0])) kept.push([epsilon, delta]);
  }
  if (kept.length === 0 || kept[0][0] > 0) kept.unshift([0, kept.length === 0 ? 1 : zeroDelta(kept)]);
  return mirrored(kept);
}

/**
 * Upper bound of δ(0): the least of 1 − 2(1 − δ(ε))/(e^ε + 1) over the lines. It is the advantage where a line meets its mirror image.
 *
 * Ensures: no smaller than δ(0).
 */
function zeroDelta(kept: readonly (readonly [number, number])[]): number {
  return least(
    kept.map(([e, d]) => (1 - (2 * (1 - d)) / (exp(e) + 1)) * UP + FUNCTION_ERROR),
    1,
  );
}

/** Upper bound of δ(ε), ε ≥ 0: δ decreases in ε and is convex in e^ε, so chords between lines are above it. Ensures: no smaller than δ(ε). */
export function deltaAtMost({ epsilon, delta }: SupportLines, at: number): number {
  const next = epsilon.findIndex((e) => e >= at);
  if (next === -1) return delta[delta.length - 1];
  if (epsilon[next] === at || next === 0) return next === 0 && epsilon[0] > at ? 1 : delta[next];
  const [from, to] = [epsilon[next - 1], epsilon[next]];
  // shares of both ends, each without cancellation
  const part = expm1(at - from) / expm1(to - from);
  const rest = expm1(at - to) / expm1(from - to);
  return Math.min(1, (delta[next - 1] * rest + delta[next] * part) * UP);
}

/** An ε ≥ 0 with δ(ε) ≤ `target`, by chords in e^ε; ∞ if no line has so small a δ. Ensures: δ is at most `target` there. */
export function epsilonAtMost({ epsilon, delta }: SupportLines, target: number): number {
  const next = epsilon.findIndex((e, i) => e >= 0 && delta[i] * UP <= target);
  if (next === -1) return Infinity;
  if (epsilon[next] === 0 || next === 0) return epsilon[next];
  const [above, below] = [delta[next - 1] * UP, delta[next] * UP];
  if (!(above > target)) return epsilon[next];
  const part = (above - target) / (above - below);
  const found = epsilon[next - 1] + log1p(part * expm1(epsilon[next] - epsilon[next - 1]));
  return Math.max(0, Math.min(epsilon[next], found + ROUNDINGS * (1 + Math.abs(epsilon[next - 1]))));
}

/**
 * Upper bound of the membership advantage, the largest true minus false positive rate: δ(0).
 *
 * Ensures: no smaller than the advantage of any attack.
 */
export function advantageAtMost(lines: SupportLines): number {
  return deltaAtMost(lines, 0);
}
