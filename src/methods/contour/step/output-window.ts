import { floats, rowsOf } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import type { WindowEdges } from '../../../kernel/windows.js';
import { U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { log } from '../../../numeric/scalar.js';
import { firstWhere } from '../../../numeric/solve.js';

/**
 * A smooth window on outputs, W(x) = Φ((x − from)/width) − Φ((x − to)/width): the indicator of [from, to] convolved with
 * N(0, width²). It is entire; as an integral of the normal density over [x − to, x − from],
 * |W(x + iy)| ≤ e^{y²/2width²} W(x). Windows that share their ends add up to 1.
 */
export interface OutputWindow extends WindowEdges {
  /** Outputs beyond it are none of the window's, however little it passes there: so far out u^c of a steep tilt would pass more than the window stops. */
  readonly end?: number;
}

/** The deviation of a normal output with the window's own noise: outputs that the window takes away are those that a sharp cut takes from it. */
export function stretchOf(width: number): number {
  return Math.sqrt(1 + width * width);
}

/** 1 + 1/w²: φW grows by e^{this·y²/2} off the real axis. */
export function sharpness({ width }: OutputWindow): number {
  return 1 + 1 / (width * width);
}

/** The window whose end is such that outputs beyond have the mass that those beyond `cut` deviations have. */
export function windowOf(cut: number, width: number): OutputWindow {
  return { from: -Infinity, to: cut * stretchOf(width), width };
}

export const EVERYTHING: OutputWindow = { from: -Infinity, to: Infinity, width: Infinity };

/** Nodes so many widths inside of an edge are behind it but for e^{−this²/2}. */
const INSIDE = 9.2;

/** log|W|, the phase and the relative error of W at outputs x + ia, x in order: the kernel's where it is not 1 but for less than roundings. */
export function windowAt(
  kernel: Kernel,
  x: Float64Array,
  a: number,
  window: OutputWindow,
): readonly Float64Array[] {
  const { from, to, width } = window;
  const n = x.length;
  const inner = to - width * Math.sqrt(INSIDE * INSIDE + (a / width) ** 2);
  const begin = from > -Infinity ? 0 : firstWhere(n, (j) => x[j] > inner);
  const rows = [floats(n), floats(n), floats(n).fill(2 * U, 0, begin)];
  if (begin < n)
    for (const [i, own] of rowsOf(kernel.windowRows(x.subarray(begin), a, window), 3).entries())
      rows[i].set(own, begin);
  return rows;
}

/** Logarithms so far apart add up to the larger, but for roundings. */
const NOTHING = 37;

/**
 * Upper bounds of log|W(x + ia)|: from the real axis upwards W changes at each edge by ∫_0^a of the normal density at distance
 * d + iv, so |W(x + ia)| ≤ W(x) + Σ (a/w√2π) e^{(a² − d²)/2w²}.
 */
export function windowBounds(kernel: Kernel, x: Float64Array, a: number, window: OutputWindow): Float64Array {
  const { from, to, width } = window;
  const [height, , blur] = windowAt(kernel, x, 0, window);
  const change = log(a / width) - 0.9 + (a / width) ** 2 / 2;
  const edges = [from, to].filter((edge) => Math.abs(edge) < Infinity);
  return height.map((own, j) => {
    let bound = own + blur[j];
    for (const edge of edges) {
      const other = change - ((x[j] - edge) / width) ** 2 / 2;
      // the least doubles that are told from 1
      bound = bound - other > NOTHING ? bound + 2 * U : logSum(bound, other);
    }
    return bound + 1e-13 * (1 + Math.abs(bound));
  });
}
