import type { Kernel } from '../../../kernel/kernel.js';
import { PATH_ROWS, termsOfPath } from '../../../kernel/kernel-table.js';
import { exp } from '../../../numeric/scalar.js';

/** Terms below e^{this} are left out, and counted as that. */
const NEGLIGIBLE = -50;
/** Errors that frequencies make this large are no longer in proportion to them. */
const MOST_SLIDING = 0.9;
/** Nodes × frequencies that one line may cost. */
const MAX_TURNS = 4e7;

/** φ − 1 = re + i·im at some frequencies, |errors| ≤ `wrong` (rounding) and `missing` (the rest). */
export interface PathSums {
  readonly re: Float64Array;
  readonly im: Float64Array;
  readonly wrong: Float64Array;
  readonly missing: number;
}

/**
 * φ at τ = k·dTau, k = 0 … n − 1, from nodes on a path off the real axis. Term j is e^{size_j − τα_j + i(turn_j + τy_j)}, known to a relative error of fixed_j + τ·sliding_j.
 * Undefined where that takes too much, or where a τ·sliding_j exceeds 0.9: e^{√2t} − 1 ≤ 2t up to 2t = 0.9 alone. The kernel's own error is added to these.
 *
 * @param path Rows of y, α ≥ 0, size, turn, fixed, and sliding, which is at least 4u(|y| + α).
 * @param outside A bound of what the nodes leave out.
 */
export function sumsOfRows(
  kernel: Kernel,
  path: Float64Array,
  { dTau, n }: { dTau: number; n: number },
  outside: number,
): PathSums | undefined {
  const m = path.length / PATH_ROWS;
  // a node is left out once its share is negligible
  if (termsOfPath(path, dTau, n, NEGLIGIBLE) > MAX_TURNS) return undefined;
  for (let j = 5 * m; j < path.length; j++) if (!(dTau * n * path[j] <= MOST_SLIDING)) return undefined;
  const { re, im, wrong } = kernel.pathLine(path, dTau, n, NEGLIGIBLE);
  for (let k = 0; k < n; k++) re[k] -= 1;
  re[0] = im[0] = wrong[0] = 0;
  return { re, im, wrong, missing: outside + m * exp(NEGLIGIBLE) };
}
