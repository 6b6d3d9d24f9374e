/** One dominating pair for many steps on samples of a fixed size, for f-divergences of a certain power (docs/proofs/fixed-size.md, 9 and 11). */
import type { Kernel } from '../kernel/kernel.js';
import { U } from '../numeric/constants.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import {
  type CellProfiles,
  cellProfiles,
  isBelowMixture,
  type Looked,
  type Profiles,
} from './fixed-size-cells.js';
import type { LossPlaces } from './profile-hull.js';

/**
 * Settings that are tried: divisions of a triangle's angles, the factor that raises the pair, powers, and the most cells looked at. Larger factors
 * and powers give wider bounds, and dominate more triangles. Only width and speed depend on all.
 */
const TRIED = [
  { divisions: 32, raised: 2e-3, powers: [0.5, 0.6] },
  { divisions: 128, raised: 2e-3, powers: [0.55, 0.7, 0.85, 0.97] },
  { divisions: 32, raised: 1e-2, powers: [0.5] },
  { divisions: 32, raised: 4e-2, powers: [0.5] },
];
const MOST_CELLS = 300;
/** Rounding error of a difference of two profiles, per unit of either. */
const ROUNDING = 64 * U;

export interface LeadingPair {
  readonly pair: Profiles;
  readonly power: number;
}

/**
 * The raised pair in which y is x′, and a power for which it leads; undefined if none of those allowed is found.
 *
 * Ensures: the pair leads all triangles for the power.
 */
export function leadingPair(
  kernel: Kernel,
  sizes: Pick<Looked, 'diameter' | 'bounds'>,
  places: LossPlaces,
  isAllowed: (pair: Profiles) => boolean,
): LeadingPair | undefined {
  for (const { powers, ...looked } of TRIED) {
    const cells = cellProfiles(kernel, { ...sizes, ...looked }, places);
    const pair = { forward: cells.large, backward: cells.small, places, parts: [] };
    if (!isAllowed(pair)) continue;
    const power = powers.find((each) => leadsAll(cells, pair, each));
    if (power !== undefined) return { pair, power };
  }
  return undefined;
}

/**
 * Whether the pair leads, in the sense of `leads`, the pair of every triangle of three gradients (fixed-size.md 1, 9). Triangles are covered by
 * cells. Each cell, or each of its parts, must be led or lie below a mixture of the extreme pairs. Ensures: true only if all are led.
 */
function leadsAll({ root, large, small, of }: CellProfiles, pair: Profiles, power: number): boolean {
  const open = [...root.parts()];
  let looked = 0;
  for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
    if (cell.extreme) continue;
    const own = of(cell);
    if (isBelowMixture(own, large, small) || leads(pair, own, power)) continue;
    const parts = cell.parts();
    looked++;
    if (parts.length === 0 || looked > MOST_CELLS) return false;
    open.push(...parts);
  }
  return true;
}

/**
 * Whether ∫γ^{p−2}(F − f)dγ ≥ ∫γ^{−p−1}(b − B)⁺dγ over γ ≥ 1. The pair has the profiles F and B, the other f ≤ F and b. Profiles are linear between
 * the listed places. Both weights are convex in γ: above their tangents, and below their chords.
 *
 * Ensures: where it is true, so is the inequality.
 */
function leads(pair: Profiles, other: Profiles, power: number): boolean {
  const { h, at } = pair.places;
  let [gained, lost] = [0, 0];
  for (let k = 0; k + 1 < at.length; k++) {
    const gamma = exp(at[k] * h);
    const width = gamma * expm1((at[k + 1] - at[k]) * h);
    const middle = gamma + width / 2;
    const weight = (width / 2) * exp((power - 2) * log(middle));
    const gains = [k, k + 1].map((i) =>
      Math.max(0, pair.forward[i] - other.forward[i] - ROUNDING * pair.forward[i]),
    );
    gained += weight * (gains[0] + gains[1] * (1 - ((2 - power) * width) / (6 * middle)));
    const [left, right] = [k, k + 1].map((i) => exp(-(power + 1) * at[i] * h));
    const losses = [k, k + 1].map((i) =>
      Math.max(0, other.backward[i] - pair.backward[i] + ROUNDING * pair.backward[i]),
    );
    lost += (width / 6) * ((2 * left + right) * losses[0] + (left + 2 * right) * losses[1]);
  }
  const last = at.length - 1;
  lost += Math.max(0, other.backward[last] - pair.backward[last]) * (exp(-power * at[last] * h) / power);
  return gained * (1 - 1e-9) >= lost * (1 + 1e-9);
}
