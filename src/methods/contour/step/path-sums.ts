import type { Kernel } from '../../../kernel/kernel.js';
import { PATH_ROWS } from '../../../kernel/kernel-table.js';
import { U } from '../../../numeric/constants.js';
import { exp } from '../../../numeric/scalar.js';

/** Terms below e^{this} are left out, and counted as that. */
const FLOOR = -50;
/** Nodes × frequencies that one line may cost, and the frequencies that a node serves at least. */
const MAX_TURNS = 4e7;
const FEWEST = 32;

/** φ − 1 = re + i·im at some frequencies, |errors| ≤ `wrong` (rounding) and `missing` (the rest). */
export interface PathSums {
  readonly re: Float64Array;
  readonly im: Float64Array;
  readonly wrong: Float64Array;
  readonly missing: number;
}

/** Nodes on a path off the real axis: term j is e^{size_j − τα_j + i(turn_j + τy_j)}, known to a relative error of fixed_j + τ·sliding_j. */
interface PathTerms {
  readonly loss: Float64Array;
  /** α ≥ 0. */
  readonly angle: Float64Array;
  readonly size: Float64Array;
  readonly turn: Float64Array;
  readonly fixed: Float64Array;
  /** At least 4u(|y| + α). */
  readonly sliding: Float64Array;
}

/**
 * φ at τ = (first + k)·dTau, k = 0 … n − 1; undefined where that takes too much.
 *
 * @param outside A bound of what the nodes leave out.
 */
export function sumsAlong(
  kernel: Kernel,
  { loss, angle, size, turn, fixed, sliding }: PathTerms,
  { dTau, n, first }: { dTau: number; n: number; first: number },
  outside: number,
): PathSums | undefined {
  const m = loss.length;
  let turns = 0;
  // a node is left out once its share is negligible
  for (let j = 0; j < m; j++)
    turns += Math.min(n, Math.max(0, (size[j] - FLOOR) / (angle[j] * dTau) - first) + FEWEST);
  if (turns > MAX_TURNS) return undefined;
  const path = rowsOf({ loss, angle, size, turn, fixed, sliding }, m);
  const { re, im, wrong } = kernel.pathLine(path, dTau, n, first, FLOOR);
  for (let k = 0; k < n; k++) re[k] -= 1;
  if (first === 0) re[0] = im[0] = wrong[0] = 0;
  return { re, im, wrong, missing: outside + m * exp(FLOOR) };
}

/** The rows that the kernel takes, `room` numbers each; more outputs than there are have no weight. */
function rowsOf({ loss, angle, size, turn, fixed, sliding }: PathTerms, room: number): Float64Array {
  const m = loss.length;
  const path = new Float64Array(PATH_ROWS * room);
  for (const [i, row] of [loss, angle, size, turn, fixed, sliding].entries()) path.set(row, i * room);
  path.fill(-Infinity, 2 * room + m, 3 * room);
  // the kernel's own error of a term, but for the part that grows with τ
  for (let j = 0; j < m; j++)
    path[4 * room + j] += U * (216 + m / 32 + Math.abs(size[j]) + 3 * Math.abs(turn[j]));
  return path;
}
