import { bracket, exactly } from '../numeric/bracket.js';
import { complementTimes } from '../numeric/log-arithmetic.js';
import { log } from '../numeric/scalar.js';
import type { DirectedRun } from './directed-run.js';

/** A run that reveals nothing (no steps, or sampling rate 0): δ(ε) = (1 − e^ε)⁺, f(α) = 1 − α. */
export const nothingRun: DirectedRun = {
  direction: 'both',
  method: 'closed-form',
  logInfinity: exactly(-Infinity),
  largestLoss: exactly(0),
  logDelta: (epsilon) => {
    const nothing = exactly(-Infinity);
    return epsilon >= 0 ? nothing : complementTimes(epsilon, nothing);
  },
  test: (omega) => (omega >= 0 ? { logFpr: -Infinity, logTpr: -Infinity } : { logFpr: 0, logTpr: 0 }),
  guessEpsilon: () => 0,
  guessOmega: () => 0,
};

/**
 * A run with a step of noise multiplier 0: whenever the record is sampled there it is revealed, which has
 * probability at least `revealed`, 1 only where it is certain; whatever the other steps add, δ(ε) ∈ [revealed, 1].
 */
export function revealingRun(revealed: number): DirectedRun {
  const logRevealed = log(revealed);
  const enclosure =
    revealed === 1 ? exactly(0) : bracket(Math.min(0, logRevealed - 1e-15 * (1 - logRevealed)), 0);
  return {
    direction: 'both',
    method: 'closed-form',
    logInfinity: enclosure,
    logDelta: () => enclosure,
    test: () => ({ logFpr: -Infinity, logTpr: enclosure.lower }),
    guessEpsilon: () => 0,
    guessOmega: () => 0,
  };
}
