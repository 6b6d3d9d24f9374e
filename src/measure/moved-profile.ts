import { plainLoss } from '../law/subsampling.js';
import { type Bracket, bracket, exactly, ordered } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { ROUNDING } from '../numeric/log-arithmetic.js';
import { exp, log } from '../numeric/scalar.js';
import { aroundLog, type Profile } from '../profile/profile.js';

/** An ε of the inner profile, from below and from above, and the log of the factor its δ counts with. */
interface Moved {
  readonly from: number;
  readonly to: number;
  readonly logScale: Bracket;
}

/** The inner ε of one outer ε in 'remove', for samples without replacement, too. */
export function removeMap(rate: number): (epsilon: number) => Moved {
  const logScale = exactly(log(rate));
  return (epsilon) => {
    if (epsilon === 0 || epsilon === Infinity) return { from: epsilon, to: epsilon, logScale };
    const at = plainLoss(epsilon, rate);
    const slack = ROUNDING * (at + Math.min(1, at));
    return { from: Math.max(0, at - slack), to: at + slack, logScale };
  };
}

/** Above the roundings of 1 − e^ε(1 − γ) where it is near 0. */
const R_ERROR = 8 * U;

/** The same in 'add'; undefined beyond the largest loss. */
export function addMap(rate: number): (epsilon: number) => Moved | undefined {
  const at = (epsilon: number, r: number, side: 1 | -1): number => {
    const found = epsilon + log(rate) - log(r);
    return Math.max(0, found + side * ROUNDING * (1 + Math.abs(found)));
  };
  return (epsilon) => {
    const r = 1 - exp(epsilon) * (1 - rate);
    const [least, most] = [Math.max(0, r - R_ERROR), r + R_ERROR];
    if (!(most > 0)) return undefined;
    return {
      from: at(epsilon, most, -1),
      to: at(epsilon, least, 1),
      logScale: bracket(log(least), log(most)),
    };
  };
}

/** log δ′(ε) from the inner profile at the moved ε; 0 where there is none. */
export function movedLogDelta(base: Profile, moved: Moved | undefined): Bracket {
  if (moved === undefined) return exactly(-Infinity);
  const { from, to, logScale } = moved;
  const end = (side: 'lower' | 'upper'): number => {
    const whole = base.logDelta(side === 'upper' ? from : to)[side] + logScale[side];
    const slack = 2e-15 * (1 + Math.abs(logScale[side]));
    return whole === -Infinity ? whole : aroundLog(whole)[side] + (side === 'upper' ? slack : -slack);
  };
  return ordered(end('lower'), Math.min(0, end('upper')));
}
