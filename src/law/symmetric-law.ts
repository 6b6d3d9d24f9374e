import { CompensatedSum } from '../numeric/compensated-sum.js';
import { complementTimes } from '../numeric/log-arithmetic.js';
import { expm1 } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { cellLaw } from './lattice/cell-law.js';
import type { LatticeMeasure, LossLaw } from './loss-law.js';
import type { Pair } from './pair.js';

/**
 * One step of `inner` (replace-one) on a share `rate` of the records drawn without replacement: C_p of its
 * trade-off curve (GDP thm 4.2). Its profile is that of the Poisson pair in direction 'remove' for ε ≥ 0 and
 * the mirror image of it below: the positive losses of 'remove', the negative ones of 'add', the rest at 0.
 */
export function withoutReplacementLaw(inner: Pair, rate: number): LossLaw {
  const remove = cellLaw(inner, rate, 'remove');
  const add = cellLaw(inner, rate, 'add');
  return foldedLaw(remove, add, foldedRun(remove.single, remove.single, 'both'));
}

/**
 * The law whose losses above 0 are those of `up` and whose losses below 0 are those of `down`, the rest at 0: the two have one δ(0).
 *
 * @param single It as a run.
 */
export function foldedLaw(up: LossLaw, down: LossLaw, single: DirectedRun): LossLaw {
  return {
    direction: single.direction,
    single,
    gdpMu: Math.max(up.gdpMu, down.gdpMu),
    largest: up.largest,
    cells: (step, logTail) => up.cells(step, logTail) + down.cells(step, logTail),
    discretise: (kernel, step, logTail) => {
      const above = up.discretise(kernel, step, logTail);
      const below = down.discretise(kernel, step, logTail);
      return {
        upper: joined(below.upper, above.upper, 1),
        lower: joined(below.lower, above.lower, -1),
        displacement: 0,
      };
    },
    // for planning the two pairs are close enough
    nodes: () => up.nodes(),
  };
}

/** The run whose positive losses are those of `up` and whose negative ones those of `down` with the sign changed: 1 − δ(−ε) = e^{−ε}(1 − δ_down(ε)). */
export function foldedRun(
  up: DirectedRun,
  down: DirectedRun,
  direction: DirectedRun['direction'],
): DirectedRun {
  return {
    ...up,
    direction,
    logDelta: (epsilon, width) =>
      epsilon >= 0 ? up.logDelta(epsilon, width) : complementTimes(epsilon, down.logDelta(-epsilon, width)),
    // tests that reject at negative losses are the mirror images of those that accept at positive ones
    test: (omega, width) => up.test(Math.max(0, omega), width),
  };
}

/**
 * Masses of `below` under 0 and of `above` over 0, and at 0 what makes the curve lie on the right side of the
 * exact one, δ(ε), at every ε. For ε ≥ 0 it is that of `above`. For ε < 0 it differs from that of `below` by a
 * function that is linear in e^ε, on (0, 1] where masses are added at 0 alone, so its ends decide.
 */
function joined(below: LatticeMeasure, above: LatticeMeasure, side: 1 | -1): LatticeMeasure {
  const { step } = above;
  const first = Math.min(below.first, -1);
  const last = Math.max(above.first + above.mass.length - 1, 1);
  const mass = new Float64Array(last - first + 1);
  for (let i = 0; i < below.mass.length; i++) {
    const at = below.first + i;
    if (at < 0) mass[at - first] = below.mass[i];
  }
  const over = sumsFrom(above, 1);
  // what `below` has at 0 and over it: the rest of the two curves is one and the same
  const replaced = sumsFrom(below, 0);
  const margin = 4e-15;
  let scale = 1;
  let lift = 0;
  if (side > 0) lift = Math.max(0, replaced.delta - over.delta + margin * replaced.delta) / -expm1(-step);
  else if (over.delta > 0) scale = Math.min(1, (replaced.delta / over.delta) * (1 - margin));
  for (let i = 0; i < above.mass.length; i++) {
    const at = above.first + i;
    if (at > 0) mass[at - first] = above.mass[i] * scale;
  }
  const total = replaced.mass + below.infinity - (over.mass * scale + above.infinity * scale);
  if (side > 0) {
    mass[1 - first] += lift;
    mass[-first] = Math.max(0, total - lift) + margin;
    return { step, first, mass, infinity: above.infinity };
  }
  // at ε = −step the curve must not lie over that of `below` either: what is left is put there
  const room = (replaced.next - over.next * scale) / -expm1(-step) - margin / -expm1(-step);
  const rest = total - margin;
  if (!(room >= 0 && rest >= 0)) return { step, first, mass: new Float64Array(1), infinity: 0 };
  mass[-first] = Math.min(rest, room);
  mass[-first - 1] += rest - mass[-first];
  return { step, first, mass, infinity: above.infinity * scale };
}

/** Of the masses from lattice point `from` on: their sum, and their part of δ(0) and of δ(−step), that at +∞ included. */
function sumsFrom(
  { step, first, mass, infinity }: LatticeMeasure,
  from: number,
): { mass: number; delta: number; next: number } {
  const sums = [new CompensatedSum(), new CompensatedSum(), new CompensatedSum()];
  for (let i = mass.length - 1; i >= Math.max(0, from - first); i--) {
    const x = step * (first + i);
    sums[0].add(mass[i]);
    sums[1].add(mass[i] * -expm1(-x));
    sums[2].add(mass[i] * -expm1(-x - step));
  }
  const [sum, delta, next] = sums.map(({ value }) => value);
  return { mass: sum, delta: delta + infinity, next: next + infinity };
}
