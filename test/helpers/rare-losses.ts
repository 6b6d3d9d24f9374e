import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { Lines } from '../../src/methods/contour/line/lines.js';
import { Parts } from '../../src/methods/contour/split/split-lines.js';
import { exchanged } from '../../src/methods/contour/step/spectral-law.js';
import { subsampledGaussianSpectrum } from '../../src/methods/contour/step/subsampled-gaussian.js';
import { type PhaseTriple, wasm } from './runs.js';

export interface RareGolden {
  readonly noiseMultiplier: number;
  readonly samplingRate: number;
  readonly steps: number;
  readonly x: number;
  /** δ, FPR and TPR at x in direction 'remove'. */
  readonly values: readonly string[];
  readonly relativeErrors: readonly number[];
}

export const rareGoldens = JSON.parse(
  readFileSync(new URL('../golden/rare-losses.json', import.meta.url), 'utf8'),
) as RareGolden[];

/** @param apart Whether loud steps are split once. */
export function partsOf(phases: readonly PhaseTriple[], mirrored = false, apart = false): Parts {
  const sampled = phases.map(([sigma, rate, count]) => ({ mu: 1 / sigma, rate, count }));
  return new Parts(wasm.kernel, { sampled, others: [], mirrored }, 1e-6, apart);
}

/** δ, FPR and TPR of the parts hold the golden values; they are narrower than `width`. */
export function checkRings(golden: RareGolden, width: number): void {
  const { noiseMultiplier, samplingRate, steps, x, values, relativeErrors } = golden;
  const parts = partsOf([[noiseMultiplier, samplingRate, steps]]);
  const rates = parts.test(x, 1e-6);
  [parts.delta(x, 1e-6), rates?.falsePositive, rates?.power].forEach((bracket, i) => {
    if (bracket === undefined) throw new Error('no answer');
    const exact = Math.log(Number(values[i]));
    const slack = relativeErrors[i] + 4e-16 * (1 + Math.abs(exact));
    expect(bracket).toContainValue(exact, { absolute: slack });
    expect(bracket.upper - bracket.lower).toBeLessThan(width);
  });
}

/** The contours of a run. @param usual The width that most is asked for: no line is coarser. */
export function linesOf(phases: readonly PhaseTriple[], mirrored = false, usual = 1e-6): Lines {
  return new Lines(
    wasm.kernel,
    phases.map(([sigma, rate, count]) => {
      const law = subsampledGaussianSpectrum(wasm.kernel, sigma, rate);
      return { law: mirrored ? exchanged(law) : law, count };
    }),
    usual,
  );
}
