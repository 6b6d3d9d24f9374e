import { requireCount, requireList, requireNumber, requireOptions, requireWhole } from '../errors.js';
import { U } from '../numeric/constants.js';
import { exp } from '../numeric/scalar.js';
import { decaying, type LastIterate, lastIterate, Minorant, rateOf } from './kinds/last-iterate.js';

/** A phase of training: epochs of gradient descent with one step size and one noise. */
export interface IteratePhase {
  /** Noise multiplier as in `LastIterate`: the noise on a batch's mean gradient over what one record changes that mean by, 1e-6 … 1e6. */
  readonly noiseMultiplier: number;
  /** Step size of gradient descent, in any unit that all phases share: 1e-6 … 1e6. */
  readonly stepSize: number;
  /** Number of epochs of the phase: at least 0, and 1 to 1e6 in all phases together. */
  readonly epochs: number;
  /** Contraction factor c: a step maps any two points to at most c times their distance, 1e-6 … 1. */
  readonly contraction: number;
}

/** Phases in their order; all epochs have the same batches in the same order. */
export interface IteratePhases {
  /** Number of batches of an epoch, 1 … 1e9. */
  readonly batches: number;
  /** The phases, at most 1000. */
  readonly phases: readonly IteratePhase[];
}

/** Largest number of epochs: the cost is linear in it. */
const MOST_EPOCHS = 1e6;
/** Largest exponent that counts in the error: e^{−745} is 0, or negligible beside powers of the last epoch. */
const LARGEST_EXPONENT = 745;

/**
 * Training in several phases of which only the last iterate is published, as a single step of the same μ. μ² is the least sum of squared shifts over
 * noise variances, where the shifts absorb what a record adds; a greatest convex minorant gives it (docs/proofs/last-iterate.md, 6). `noiseError`
 * bounds its rounding error.
 *
 * @throws TypeError | RangeError if a number is outside the range its field states, or there are more than 1e6 epochs.
 * @example
 * const phase = { noiseMultiplier: 1, stepSize: 1, epochs: 10, contraction: 1 };
 * iteratePhases({ batches: 100, phases: [phase, { ...phase, stepSize: 0.5 }] }).kind; // 'last-iterate'
 */
export function iteratePhases(options: IteratePhases): LastIterate {
  requireOptions('iteratePhases', options, ['batches', 'phases']);
  const batches = requireWhole('batches', options?.batches, 1, 1e9);
  const phases = (requireList('phases', options.phases, 'phases', 1, 1000) as IteratePhase[]).map(checked);
  const epochs = phases.reduce((sum, phase) => sum + phase.epochs, 0);
  requireNumber('phases', epochs, 'of 1 to 1e6 epochs in all', (n) => n >= 1 && n <= MOST_EPOCHS);
  const noiseMultiplier = 1 / Math.sqrt(squareOfPhases(batches, phases));
  // each power is e to a sum of log contractions, which are known to a few roundings
  const exponent = phases.reduce((sum, phase) => sum + rateOf(phase.contraction) * batches * phase.epochs, 0);
  const noiseError = U * (64 + 8 * epochs + 4 * (phases.length + 16) * Math.min(exponent, LARGEST_EXPONENT));
  return lastIterate({ noiseMultiplier, batches: 1, epochs: 1, contraction: 1, noiseError });
}

/** Returns a phase with checked fields. @throws TypeError | RangeError naming the field that is wrong. */
function checked(phase: IteratePhase, i: number): IteratePhase {
  requireOptions(`phases[${i}]`, phase, ['noiseMultiplier', 'stepSize', 'epochs', 'contraction']);
  const within = (name: keyof IteratePhase, most: number): number =>
    requireNumber(
      `phases[${i}].${name}`,
      phase?.[name],
      `from 1e-6 to ${most}`,
      (x) => x >= 1e-6 && x <= most,
    );
  return {
    noiseMultiplier: within('noiseMultiplier', 1e6),
    stepSize: within('stepSize', 1e6),
    epochs: requireCount(`phases[${i}].epochs`, phase.epochs),
    contraction: within('contraction', 1),
  };
}

/**
 * μ² as the sum over the chords of a greatest convex minorant, shift²/noise variance each. Points are the record's steps, one in each epoch; a chord
 * at least as steep as the next one is merged with it (docs/proofs/last-iterate.md, 6).
 *
 * Ensures: up to rounding, the least sum of squares of shifts that absorb what a record in the last batch of each epoch adds.
 */
function squareOfPhases(batches: number, phases: readonly IteratePhase[]): number {
  const rates = phases.map(({ contraction }) => rateOf(contraction));
  // −log of the contraction by all later phases
  const later = phases.map((_, i) =>
    phases.reduce((sum, { epochs }, j) => sum + (j > i ? rates[j] * batches * epochs : 0), 0),
  );
  const lines = new Minorant();
  let open: readonly [shift: number, noise: number] | undefined;
  for (const [i, { noiseMultiplier, stepSize, epochs }] of phases.entries()) {
    const rate = rates[i];
    const own = stepSize * noiseMultiplier;
    // noise variance of the steps of an epoch before the record's own
    const before = own ** 2 * decaying(2 * rate, batches - 1);
    for (let epoch = 0; epoch < epochs; epoch++) {
      const power = exp(-(later[i] + rate * batches * (epochs - 1 - epoch)));
      if (open !== undefined) lines.add(open[0], open[1] + power * power * before);
      open = [power * stepSize, (power * own) ** 2];
    }
  }
  if (open !== undefined) lines.add(...open);
  return lines.square;
}
