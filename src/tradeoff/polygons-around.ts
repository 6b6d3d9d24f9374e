import type { Atoms } from '../law/pair.js';
import { type Breakpoint, hullOf, polygonAtoms } from '../law/polygon.js';
import { tabulatedAtoms } from '../law/tabulated-atoms.js';
import { FUNCTION_ERROR, up } from '../numeric/rounding.js';
import { exp, expm1 } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import type { DirectedRun } from '../run/directed-run.js';
import { symmetrise } from './algebra.js';
import type { TradeoffFunction } from './tradeoff-function.js';

/**
 * Two polygons that enclose a function: one below it, from supporting lines of its symmetrisation, and one above it, through points of certified tests.
 *
 * Ensures: `below` is nowhere above the function, and `above` nowhere below it.
 *
 * @param mesh Rates at their points go down to about e^{logLeast}, under P and under Q; `segments` is about the number of points.
 */
export function polygonsAround(
  f: TradeoffFunction,
  { logLeast, segments }: Readonly<Record<'logLeast' | 'segments', number>>,
): { readonly below: Atoms; readonly above: Atoms } {
  const { curve } = f;
  const reach = (run: DirectedRun): number =>
    turningPoint((omega) => run.test(omega).logFpr <= logLeast || run.test(omega).logTpr <= logLeast, {
      guess: 1,
      ceiling: 1e4,
      relative: 1e-6,
      absolute: 1e-9,
    }).high;
  const top = Math.min(reach(curve.forward), 1e4);
  const bottom = Math.min(reach(curve.backward), 1e4);
  // denser towards slope −1, where the rates are large
  const slopes: number[] = [];
  for (let i = -segments / 2; i <= segments / 2; i++) {
    const share = (2 * i) / segments;
    slopes.push((i < 0 ? bottom : top) * share * Math.abs(share));
  }
  const above: Breakpoint[] = [];
  for (const omega of slopes) {
    const { logFpr, logTpr } = curve.test(omega);
    const alpha = Math.min(1, up(exp(logFpr), FUNCTION_ERROR));
    // β is rounded up and not capped at the rounded 1 − α, which might state power that no test has; the hull omits points above the diagonal
    above.push({ alpha, beta: up(-expm1(logTpr), FUNCTION_ERROR) });
  }
  // the symmetrisation is nowhere above the curve
  const whole = symmetrise(f).curve;
  const below = tabulatedAtoms(
    slopes
      .filter((slope) => slope >= 0)
      .map((epsilon) => ({ epsilon, delta: up(exp(whole.logDelta(epsilon).upper), FUNCTION_ERROR) })),
  );
  const found = above.filter(({ alpha, beta }) => alpha >= 0 && beta >= 0);
  return { below, above: polygonAtoms(hullOf(found)) };
}
