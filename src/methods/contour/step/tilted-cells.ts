import { INVERSE_SQRT_2PI } from '../../../numeric/constants.js';
import { tick } from '../../../numeric/meter.js';
import { PRICES } from '../../../numeric/prices.js';
import { exp } from '../../../numeric/scalar.js';
import type { Tilted } from './axis-outputs.js';
import { LossCells } from './weighted-losses.js';

/** Cells between two nodes, and weights below which there are none, in units of the largest. Speed and width hang on them. */
const CELLS_A_GAP = 2;
const LEAST_CELL = 4.2e-18;

/**
 * Cells between neighbouring nodes: masses of the tilted law from below, and means of the loss (docs/proofs/contour.md 13).
 *
 * y″ = μ²w(1 − w) with a share w of B in u that rises: K = μ²w_b(1 − w_a) is no less between two nodes a and b. There log φWu^c exceeds its chord less
 * max(0, cK − 1)gap²/8; and the mean of the exponential of a chord is at least the root of its ends' product: so the integral is at least
 * gap·√(f_a f_b)·(1 − max(0, cK − 1)gap²/8). Of what that counts, with L = log f_b/f_a, the mean output lies (coth(L/2)/2 − 1/L)·gap behind the middle, which
 * (L/12)/(1 + L²/60) is within L⁵/10⁵ and within ½; y is at most its chord, and at least that less K·gap²/8.
 *
 * @param logM log M(c), and a bound of its error.
 */
export function cellsOf(
  mu: number,
  { mesh, f, top, doubt: relative }: Tilted,
  c: number,
  { log: logM, error }: { readonly log: number; readonly error: number },
): LossCells {
  const { h, loss, lossError, share, height } = mesh;
  const cells = new LossCells(CELLS_A_GAP * f.length);
  tick(PRICES.nodeSum * CELLS_A_GAP * f.length);
  const wrong = relative.reduce((most, own, j) => (f[j] > LEAST_CELL ? Math.max(most, own) : most), error);
  const unit = exp(top - logM) * INVERSE_SQRT_2PI * Math.max(0, 1 - error - wrong - 1e-9) * (h / CELLS_A_GAP);
  const eighth = (h * h) / 8;
  for (let j = 1; j < f.length; j++) {
    if (!(f[j - 1] > LEAST_CELL && f[j] > LEAST_CELL)) continue;
    const curve = mu * mu * (1 + 1e-9) * share[j] * (1 - share[j - 1]);
    const bent = 1 - Math.max(0, c * curve - 1) * eighth;
    if (!(bent > 0)) continue;
    // of two equal parts, on which all of that stands as well
    const rise = (c * (loss[j] - loss[j - 1]) + height[j] - height[j - 1]) / CELLS_A_GAP;
    const ratio = Math.sqrt(f[j] / f[j - 1]);
    const square = rise * rise;
    const bow = curve * eighth;
    const step = (loss[j] - loss[j - 1]) / CELLS_A_GAP;
    const doubt = lossError[j] + lossError[j - 1];
    const off = step * Math.min(0.5, 1e-5 * square * square * Math.abs(rise)) + 0.5 * bow + doubt;
    const middle = loss[j - 1] + step * (0.5 + rise / (12 + 0.2 * square)) - 0.5 * bow;
    let mass = unit * bent * f[j - 1] * Math.sqrt(ratio);
    for (let part = 0; part < CELLS_A_GAP; part++) {
      const low = loss[j - 1] + Math.max(0, part * step - bow) - doubt;
      cells.add(low, loss[j - 1] + (part + 1) * step + doubt, mass, middle + part * step, off);
      mass *= ratio;
    }
  }
  return cells;
}
