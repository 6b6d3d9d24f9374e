import type { Shape } from '../../../law/pair.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { U } from '../../../numeric/constants.js';
import { exp } from '../../../numeric/scalar.js';
import type { Decay } from './spectral-law.js';
import { LossCells } from './weighted-losses.js';

/** Number of cells on which the integrand is bounded. Only tightness depends on it. */
const CELLS = 96;

/**
 * Bounds of |φ| for a (Poisson-sampled) law of the exponential family, from its two tilted atoms and its tilted density.
 *
 * Let u = 1 − q + q e^y and loss ℓ = log u, dℓ/dy = q e^y/u. The density of ℓ tilted by c is (w/q) e^{−3y/2} u^{c+1}/M.
 * The derivative of its logarithm in y, −3/2 + (c + 1) q e^y/u, is monotone, and negative where it falls with y. So
 * the density has no maximum inside. Its total variation with both jumps is at most twice its two ends:
 *   |φ(τ)| ≤ atoms + min(1 − atoms, 2(left + right end)/|τ|).
 *
 * @param logM log M(c), to 1e-9.
 */
export function exponentialDecay(
  { range, weight, atom }: Pick<Shape, 'range' | 'weight' | 'atom'>,
  rate: number,
  c: number,
  logM: number,
): Decay {
  const unit = exp(1e-8);
  const loss = (y: number): number => subsampledLoss(y, rate);
  /** Bound of the error of the loss ℓ(y): y is rounded, and so is ℓ. */
  const slack = (y: number): number => 16 * U * (Math.abs(y) + Math.abs(loss(y)) + rate);
  const atoms = [
    { y: -range, mass: atom },
    { y: range, mass: atom * exp(-range) },
  ].map(({ y, mass }) => ({ at: loss(y), off: slack(y), share: mass * exp(c * loss(y) - logM) }));
  const density = (y: number): number => (weight / rate) * exp(-1.5 * y + (c + 1) * loss(y) - logM);
  const variation = 2 * (density(-range) + density(range)) * unit;
  const cells = new LossCells(CELLS + 2);
  const addAtom = ({ at, off, share }: (typeof atoms)[number]): void =>
    cells.add(at - off, at + off, share / unit);
  addAtom(atoms[0]);
  const h = (2 * range) / CELLS;
  // the mean of a function over a cell is at least its value in the middle minus h²/24 times its largest second derivative
  const sag = (Math.abs(c) * (rate === 1 ? 0 : h * h)) / 96;
  for (let i = 0; i < CELLS; i++) {
    const left = i * h - range;
    const middle = left + h / 2;
    // by Jensen, the mass is at least the exponential of the mean logarithm
    const mass = (h * weight * exp(c * loss(middle) - middle / 2 - sag - logM)) / unit;
    cells.add(loss(left) - slack(left), loss(left + h) + slack(left + h), mass);
  }
  addAtom(atoms[1]);
  return cells.decay({ atoms: (atoms[0].share + atoms[1].share) * unit, variation });
}
