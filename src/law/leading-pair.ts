/**
 * One pair R with no smaller f-divergence than any step on a sample of fixed size, for a family of f-divergences with an exponent p. Proof:
 * docs/proofs/fixed-size.md, 9 and 11. A step is given by a triangle (x, y, x′) of gradients. They are those of the record, of the record drawn in its
 * place, and of its replacement. R *leads* a triangle if the inequality of the function `leads` holds between their profiles.
 */
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
 * Settings, tried in this order: number of divisions of a triangle's angles; the relative amount by which R's profiles are raised; values of the
 * exponent p. With a larger amount or p the inequality of `leads` holds for more triangles, and bounds are wider. Only width and speed depend on them.
 */
const TRIED = [
  { divisions: 32, raised: 2e-3, powers: [0.5, 0.6] },
  { divisions: 128, raised: 2e-3, powers: [0.55, 0.7, 0.85, 0.97] },
  { divisions: 32, raised: 1e-2, powers: [0.5] },
  { divisions: 32, raised: 4e-2, powers: [0.5] },
];
/** Number of cells that may be divided before the search is given up. Only width and speed depend on it. */
const MOST_CELLS = 300;
/** Rounding error of a difference of two profiles, relative to the larger one. */
const ROUNDING = 64 * U;

/** A pair R by its profiles, and an exponent p, `power`, for which the inequality of `leads` holds between R and every triangle. */
export interface LeadingPair {
  readonly pair: Profiles;
  readonly power: number;
}

/**
 * A pair R and an exponent p for which the inequality of `leads` holds for every triangle; undefined if no setting of `TRIED` gives one. R is the
 * step where the record drawn in place has the gradient of the replacement, with its profiles raised (fixed-size.md, 6 and 11).
 *
 * Ensures: the inequality holds for all triangles and that p, with all rounding errors on the safe side.
 *
 * @param isAllowed Whether the caller can use the pair: raised masses may add up to more than 1.
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
 * Whether the inequality of `leads` holds between `pair` and the step of every triangle of gradients (fixed-size.md, 1 and 9). Cells cover the
 * triangles. It must hold for each cell, or each of its parts. Exempt are cells that a mixture of the extreme pair and its exchanged pair dominates
 * (fixed-size.md, 6). Ensures: true only if it holds for all other triangles.
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
 * Whether ∫γ^{p−2}(F − f)dγ ≥ ∫γ^{−p−1}(b − B)⁺dγ over γ ≥ 1, p the `power` (fixed-size.md, 9). F is the profile of `pair` at ε = log γ, and B that
 * of the exchanged pair; f ≤ F and b are those of `other`. Between listed losses profiles are linear in γ. The left side is bounded below by tangents
 * of γ^{p−2}, and the right side above by chords of γ^{−p−1}.
 *
 * Ensures: if it returns true, the inequality holds.
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
