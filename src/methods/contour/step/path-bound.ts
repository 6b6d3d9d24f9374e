import type { Kernel } from '../../../kernel/kernel.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { log } from '../../../numeric/scalar.js';
import { Moduli } from './moduli.js';
import { type CutOutputs, pathFor, shiftFor, tiltedNodes } from './shifted-cut.js';

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
  const path = pathFor(kernel, outputs, a);
  if (path === undefined || path.nodes.loss.length > MAX_OUTPUTS) return undefined;
  const { mu, cut } = layout;
  const top = log(1.01 * a) + layout.topWithin(c, cut - 1e-6, cut, mu * a) + (a * a) / 2;
  const leg = behind === undefined ? top - logM.value + logM.error + 1e-9 : -Infinity;
  const { angle } = path.nodes;
  const { size, fixed } = tiltedNodes(path.nodes, outputs);
  // what the nodes and M(c) are known to; the rest of a node's error is far below 1e-9
  const doubt = fixed.reduce((most, one) => Math.max(most, one), 0) + 1e-9;
  const { logAt } = new Moduli(kernel, size, angle, path.outside);
  return (tau) => Math.min(0, logSum(logAt(tau) + doubt, leg) + 1e-12);
}
