import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { runOf } from './runs.js';

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

/** δ of the run holds the golden value; it is narrower than `width`. */
export function checkDelta(golden: RareGolden, width: number): void {
  const { noiseMultiplier, samplingRate, steps, x, values, relativeErrors } = golden;
  const bracket = runOf([[noiseMultiplier, samplingRate, steps]]).logDelta(x, 1e-7);
  const exact = Math.log(Number(values[0]));
  expect(bracket).toContainValue(exact, { absolute: relativeErrors[0] + 4e-16 * (1 + Math.abs(exact)) });
  expect(bracket.upper - bracket.lower).toBeLessThan(width);
}
