import { ATOMS } from '../../src/kernel/constants.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import type { RunPhase, SampledRun, Side } from '../../src/kernel/questions.js';
import { laplaceShape } from '../../src/law/exponential-pair.js';
import { NOTHING } from '../../src/law/mixture-side.js';
import { allocationStep, exponentialStep, mixtureStep } from '../../src/methods/contour/kernel-step.js';
import { ratesOf } from './contours.js';

const of = (...numbers: number[]): Float64Array => Float64Array.of(...numbers);
const sampled = (mu: number, rate: number, count: number): RunPhase => ({ mu, rate, count });
const noise = (rate: number, epsilon: number, count: number): RunPhase => ({
  ...exponentialStep(laplaceShape(epsilon), rate)!,
  count,
});
/** Three losses with a P-mass of e^{logP} at −∞ and a Q-mass of e^{logQ} at ∞ besides. */
const listed = (count: number, logP: number, logQ: number): RunPhase => {
  const losses = [-0.7, 0.1, 0.9] as const;
  const [low, middle, high] = losses.map(Math.exp) as [number, number, number];
  const last = 0.2;
  const others = 1 - Math.exp(logP) - last;
  const first = (middle * others - (1 - Math.exp(logQ) - last * high)) / (middle - low);
  const own = of(3, 4e-14, 1e-16, logP, logQ, ...losses, first, others - first, last);
  return { mu: ATOMS, rate: 0, own, count };
};
const twoSided = { shift: of(0, 1.2), weight: of(0.7, 0.3) };
const rare = { shift: of(0, 0.5, 2), weight: of(0.95, 0.04, 0.01) };
/** Epochs of balls and bins: full ones, which are a Gaussian and a rest too, and a partial one. */
const epochs = (mu: number, bins: number, visited: number, count: number): RunPhase => ({
  ...allocationStep({ mu, bins, visited }),
  count,
});
const alone = (...phases: RunPhase[]): SampledRun => ({ phases, square: 0 });

/** Runs of steps of all kinds. */
export const KINDS: Readonly<Record<string, SampledRun>> = {
  'sampled Gaussian': alone(sampled(1.3, 0.01, 300)),
  'small rate': alone(sampled(0.2, 1e-6, 1e5)),
  'rate near 1': alone(sampled(1.5, 1 - 1e-9, 2)),
  'two phases and a Gaussian': { phases: [sampled(0.9, 0.02, 100), sampled(0.5, 0.3, 7)], square: 0.3 },
  Gaussian: { phases: [], square: 0.7 },
  mixture: alone({ ...mixtureStep(rare, NOTHING), count: 50 }),
  'mixtures on both sides': alone({ ...mixtureStep(twoSided, twoSided), count: 5 }),
  'Laplace noise': { phases: [noise(1, 0.2, 30)], square: 1e-4 },
  'sampled Laplace noise': alone(noise(0.03, 1.2, 200)),
  'atoms and Laplace noise': { phases: [listed(5, -Infinity, -Infinity), noise(0.3, 0.5, 40)], square: 0.02 },
  'atoms with infinite losses': { phases: [listed(3, -9, -13)], square: 0.25 },
  'atoms alone': alone(listed(4, -Infinity, -Infinity)),
  epochs: alone(epochs(0.8, 20, 20, 4)),
  'epochs of three bins': alone(epochs(1.4, 3, 3, 1)),
  'partial epochs': { phases: [epochs(1, 100, 7, 2)], square: 0.01 },
  'epochs and samples': alone(epochs(0.5, 50, 50, 10), sampled(0.7, 0.05, 20)),
};

const LEVELS = [-0.02, -3, -40];
const TILTS = [-40, -2, 0, 0.5, 1, 3.7, 12];

/** What the kernel says of one run: δ, rates and guesses in both directions where δ is near 1 or small, and moments. */
export function answersOf({ questions }: Kernel, run: SampledRun, width: number): number[] {
  const { sideDelta, sideGuess, runMoment } = questions!;
  const found: number[] = [];
  const add = (answer: object): void => {
    for (const x of Object.values(answer)) {
      if (typeof x === 'number') found.push(x);
      else if (typeof x === 'string') found.push(['answered', 'not answered', 'limited'].indexOf(x));
      else add(x as object);
    }
  };
  for (const side of [0, 1] as Side[]) {
    const places = LEVELS.map((level) => {
      const guess = sideGuess(run, side, level, 'delta', Infinity);
      add(guess);
      add(sideGuess(run, side, level, 'falsePositive', Infinity));
      return Math.max(0, guess.at);
    });
    for (const x of [0, ...places, 500]) {
      add(sideDelta(run, side, x, width, -Infinity, Infinity));
      add(ratesOf(questions!, run, side, [x, 10 * width, 0]));
      add(ratesOf(questions!, run, side, [x, width, 0.03]));
    }
    add(sideDelta(run, side, places[2]!, width, -30, Infinity));
    add(sideDelta(run, side, places[1]!, width, -Infinity, 1e5));
  }
  for (const c of TILTS) add(runMoment(run, c, Infinity));
  return found;
}

/** `answersOf` about runs of all kinds. */
export function lawNumbers(kernel: Kernel, width: number): Float64Array[] {
  return Object.values(KINDS).map((run) => Float64Array.from(answersOf(kernel, run, width)));
}
