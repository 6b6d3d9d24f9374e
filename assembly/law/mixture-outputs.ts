/** Outputs at which a pair of normal mixtures has given losses, by Newton's method within a bracket, for src/law/mixture-pair.ts. */
import { U } from '../../src/kernel/constants.js';
import { requireBlock } from '../lane/lanes.js';
import { AtSide, sideAt } from './side.js';
import { loadF64, storeF64 } from '../lane/memory.js';

const MAX_STEPS: i32 = 200;
/**
 * Finds an output x for each of n ascending losses, by Newton's method within a bracket. `found` gets the n outputs, padded to an even number, then
 * bounds of the errors of the losses there. Q is Σ p_i N(a_i, 1), `ups` components at `plus`; P is Σ r_j N(−b_j, 1), `downs` components at `minus`.
 * In memory, shifts precede weights. Losses outside of least … most have the outputs ∓∞; others are sought between low and high. `ends` has low,
 * high, least and most.
 */
export function mixtureOutputs(
  losses: usize,
  n: usize,
  plus: usize,
  ups: usize,
  minus: usize,
  downs: usize,
  ends: usize,
  found: usize,
): void {
  requireBlock(losses, n);
  const low = loadF64(ends);
  const high = loadF64(ends, 8);
  const least = loadF64(ends, 16);
  const most = loadF64(ends, 24);
  const off = found + ((n + (n & 1)) << 3);
  let start = -loadF64(minus + ((downs - 1) << 3));
  for (let k: usize = 0; k < n << 3; k += 8) {
    const y = loadF64(losses + k);
    let x: f64 = Infinity;
    let wrong: f64 = 0;
    if (!(y > least)) x = -Infinity;
    else if (y < most) {
      let below = low;
      let above = high;
      let slope: f64 = Infinity;
      x = start < low ? low : start > high ? high : start;
      for (let steps: i32 = 0; steps <= MAX_STEPS; steps++) {
        sideAt(plus, ups, x);
        const up = AtSide.log;
        const upError = AtSide.error;
        slope = AtSide.slope;
        sideAt(minus, downs, -x);
        const gap = up - AtSide.log - y;
        const error = upError + AtSide.error + 2 * U * Math.abs(y);
        slope += AtSide.slope;
        wrong = Math.abs(gap) + error;
        if (gap > 0) above = x;
        else below = x;
        if (Math.abs(gap) <= error || above - below <= 2 * U * (1 + Math.abs(x)) || steps === MAX_STEPS)
          break;
        const next = x - gap / slope;
        x = next > below && next < above ? next : (below + above) / 2;
      }
      // the next search starts where the tangent of the loss at this output reaches the next loss
      if (k + 8 < n << 3) start = x + (loadF64(losses + k + 8) - y) / slope;
    }
    storeF64(found + k, x);
    storeF64(off + k, wrong);
  }
}
