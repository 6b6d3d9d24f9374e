import type { Engine } from '../engine.js';
import { wrongValue } from '../errors.js';
import { pairOf } from '../mechanism/pairs.js';
import { seen } from '../mechanism/seen.js';
import type { Step } from '../mechanism/steps.js';
import type { SpectralLaw } from '../methods/contour/step/spectral-law.js';
import { pairSpectra, spectraOf } from '../methods/contour/step/spectrum-of.js';
import { Contribution } from './stream-lines.js';
import type { StreamDirection, StreamState } from './stream-state.js';
import { StreamTotals } from './stream-totals.js';

/** What a step adds to a stream. */
export interface Part {
  readonly directions: readonly {
    readonly step: Contribution;
    readonly logMassP: number;
    readonly logMassQ: number;
  }[];
  readonly tailSquare: number;
  readonly ceilingSquare: number;
}

export function addPart(to: readonly StreamDirection[], { directions }: Part): void {
  to.forEach((direction, i) => {
    const { step, logMassP, logMassQ } = directions[i];
    direction.totals.add(step);
    direction.logMassP += logMassP;
    direction.logMassQ += logMassQ;
  });
}

export function mergeDirections(to: readonly StreamDirection[], from: readonly StreamDirection[]): void {
  to.forEach((direction, i) => {
    const { totals, logMassP, logMassQ } = from[i];
    direction.totals.merge(totals);
    direction.logMassP += logMassP;
    direction.logMassQ += logMassQ;
  });
}

export function copied(directions: readonly StreamDirection[]): StreamDirection[] {
  return directions.map((direction) => ({ ...direction, totals: direction.totals.copy() }));
}

export function copyOf(state: StreamState): StreamState {
  const { directions, attained } = state;
  return { ...state, directions: copied(directions), ...(attained && { attained: copied(attained) }) };
}

/** The step's M(z) in both directions. @throws RangeError if it has none, or losses that are infinite. */
export function lawsOf(step: Step, kind: string): readonly SpectralLaw[] {
  const one = [seen(step)];
  const pairs = pairSpectra(one, MESHES);
  const { gdpMu } = pairOf(step.mechanism);
  return SIDES.map((side) => {
    const each = pairs && spectraOf(one, pairs, side);
    if (each?.logInfinity.upper !== -Infinity || gdpMu === Infinity) {
      throw wrongValue(
        'mechanism',
        'made of steps whose losses are finite and known in full (see account for the others)',
        kind,
      );
    }
    return each.laws[0].law;
  });
}

export function partOf(
  { kernel }: Engine,
  { mechanism, count }: Step,
  lawOf: (side: number) => () => SpectralLaw,
): Part {
  const { tailMu, gdpMu } = pairOf(mechanism);
  const directions = SIDES.map((_, i) => {
    const { logMassP, logMassQ } = lawOf(i)();
    return {
      step: new Contribution(kernel, lawOf(i), count),
      logMassP: count * logMassP,
      logMassQ: count * logMassQ,
    };
  });
  return { directions, tailSquare: count * tailMu ** 2, ceilingSquare: count * gdpMu ** 2 };
}

/** Meshes of outputs kept while a step is added to all lines, both directions. */
const MESHES = 32;

export const SIDES = ['remove', 'add'] as const;

export function emptyDirection(): StreamDirection {
  return {
    totals: new StreamTotals(),
    logMassP: 0,
    logMassQ: 0,
  };
}
