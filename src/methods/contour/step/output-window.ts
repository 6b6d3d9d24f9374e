import { rowsOf } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import type { WindowEdges } from '../../../kernel/windows.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { log, log1p } from '../../../numeric/scalar.js';

/**
 * A smooth window on outputs, W(x) = Φ((x − from)/width) − Φ((x − to)/width): the indicator of [from, to] convolved with
 * N(0, width²). It is entire; as an integral of the normal density over [x − to, x − from],
 * |W(x + iy)| ≤ e^{y²/2width²} W(x). Windows that share their ends add up to 1.
 */
export interface OutputWindow extends WindowEdges {
  /** Outputs beyond it are none of the window's, however little it passes there: so far out u^c of a steep tilt would pass more than the window stops. */
  readonly end?: number;
}

export const EVERYTHING: OutputWindow = { from: -Infinity, to: Infinity, width: Infinity };

/**
 * Upper bounds of log|W(x + ia)|: from the real axis upwards W changes at each edge by ∫_0^a of the normal density at distance
 * d + iv, so |W(x + ia)| ≤ W(x) + Σ (a/w√2π) e^{(a² − d²)/2w²}.
 */
export function windowBounds(kernel: Kernel, x: Float64Array, a: number, window: OutputWindow): Float64Array {
  const { from, to, width } = window;
  const [height, , blur] = rowsOf(kernel.windowRows(x, 0, window), 3);
  const change = log(a / width) - 0.9 + (a / width) ** 2 / 2;
  const edges = [from, to].filter((edge) => Math.abs(edge) < Infinity);
  return height.map((own, j) => {
    let bound = own + log1p(blur[j]);
    for (const edge of edges) bound = logSum(bound, change - ((x[j] - edge) / width) ** 2 / 2);
    return bound + 1e-13 * (1 + Math.abs(bound));
  });
}
