import type { Kernel } from '../../../kernel/kernel.js';
import { KernelTable, MODULUS_ROWS } from '../../../kernel/kernel-table.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log } from '../../../numeric/scalar.js';
import { type CutOutputs, pathFor, shiftFor, tiltedNodes } from './shifted-cut.js';

/** Terms below e^{this} of M(c) are left out, and counted as that. */
const FLOOR = -55;
/** Bounds kept of one path; only speed hangs on it. */
const KEPT_BOUNDS = 4096;
/** Outputs on a path, at most. Only speed hangs on it. */
const MAX_OUTPUTS = 4096;

/**
 * log of a bound of |M(c + iτ)|/M(c) for every larger τ. Undefined where the path is too long.
 *
 * On the path x + ia, α = arg u ∈ [0, π/2), so that |φu^z| = |φu^c|e^{−τα} falls with τ; the leg from X + ia down to the cut X is at most a·max|φu^c| there.
 */
export function pathBound(kernel: Kernel, outputs: CutOutputs): ((tau: number) => number) | undefined {
  const { layout, c, logM, behind } = outputs;
  const a = shiftFor(layout, c);
  const path = pathFor(outputs, a);
  if (path === undefined || path.nodes.loss.length > MAX_OUTPUTS) return undefined;
  const { mu, cut } = layout;
  const top = log(1.01 * a) + layout.topWithin(c, cut - 1e-6, cut, mu * a) + (a * a) / 2;
  const leg = behind === undefined ? top - logM.value + logM.error + 1e-9 : -Infinity;
  const { angle } = path.nodes;
  const { size, fixed } = tiltedNodes(path.nodes, outputs);
  // what the nodes and M(c) are known to; the rest of a node's error is far below 1e-9
  const doubt = fixed.reduce((most, one) => Math.max(most, one), 0) + 1e-9;
  const rows = new Float64Array(MODULUS_ROWS * (angle.length + (angle.length & 1))).fill(FLOOR);
  rows.set(size);
  rows.fill(0, rows.length / 2);
  rows.set(angle, rows.length / 2);
  const moduli = new KernelTable(rows);
  const known = new Recent<number, number>(KEPT_BOUNDS);
  return (tau) =>
    known.of(tau, () => {
      const [sum] = kernel.modulusSums(moduli, Float64Array.of(tau), FLOOR);
      const along = log(sum + path.outside + angle.length * exp(FLOOR)) + doubt;
      return Math.min(0, logSum(along, leg) + 1e-12);
    });
}
