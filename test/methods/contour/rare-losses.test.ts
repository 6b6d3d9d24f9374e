import { expect, test } from 'vitest';
import type { Bracket } from '../../../src/numeric/bracket.js';
import { intersects } from '../../helpers/brackets.js';
import { checkDelta, rareGoldens } from '../../helpers/rare-losses.js';
import { inRealSpace, type SampledStep } from '../../helpers/real-space.js';
import { type PhaseTriple, reference, runOf, wasm } from '../../helpers/runs.js';

/** The rest are in rare-losses.long.ts. */
const FEW = rareGoldens.filter((_, i) => i % 5 === 3 && i !== 8);

test.each(FEW)('sigma $noiseMultiplier, q $samplingRate, $steps steps at $x', (golden) => {
  checkDelta(golden, 1e-6);
});

test.each([wasm, reference])('delta of an account to 1e-6, engine %#', (engine) => {
  const [golden] = FEW.filter(({ samplingRate, steps }) => samplingRate === 1e-4 && steps === 100);
  const { noiseMultiplier, samplingRate, steps, x, values, relativeErrors } = golden;
  const run = runOf([[noiseMultiplier, samplingRate, steps]], { engine });
  expect(run.method).toBe('spectral');
  const { lower, upper } = run.logDelta(x);
  const exact = Math.log(Number(values[0]));
  const slack = relativeErrors[0] + 1e-14;
  expect(lower).toBeLessThanOrEqual(exact + slack);
  expect(upper).toBeGreaterThanOrEqual(exact - slack);
  expect(upper - lower).toBeLessThan(1e-6);
});

/** The sum of the bands is the run: what else answers for the whole of it says the same. */
test('two phases: answers and the grid intersect', () => {
  const phases: PhaseTriple[] = [
    [1.88, 7.6e-5, 69],
    [1.72, 1.02e-3, 117],
  ];
  const grid = runOf(phases, { method: 'grid', tolerance: 1e-3, maxGridLength: 2 ** 12 });
  for (const x of [1e-3, 0.01, 0.03]) {
    const mine = runOf(phases).logDelta(x, 1e-6);
    expect(intersects(mine, grid.logDelta(x)), `at ${x}: ${JSON.stringify(mine)}`).toBe(true);
    expect(mine.upper - mine.lower).toBeLessThan(1e-6);
  }
});

/** The steps of phases one by one. */
const stepsOf = (phases: readonly PhaseTriple[]): SampledStep[] =>
  phases.flatMap(([sigma, rate, count]) => Array.from({ length: count }, () => ({ mu: 1 / sigma, rate })));

/** Whether a bracket of a logarithm holds a value that sums in real space know to 9 digits. */
function holds({ lower, upper }: Bracket, log: number): boolean {
  const slack = 1e-9 * (1 + Math.abs(log));
  return lower <= log + slack && log <= upper + slack;
}

/** Answers at losses: each holds the larger δ of both directions by sums in real space, which know no bands. */
function inRealSums(phases: readonly PhaseTriple[], losses: readonly number[]): Bracket[] {
  return losses.map((x) => {
    const found = runOf(phases).logDelta(x, 1e-6);
    const exact = [false, true].map((mirrored) => inRealSpace(stepsOf(phases), x, mirrored).delta);
    expect(holds(found, Math.max(...exact)), JSON.stringify([x, found, exact])).toBe(true);
    return found;
  });
}

const widthOf = ({ lower, upper }: Bracket): number => upper - lower;

/** Steep tilts of such rates see the outputs behind a window: it has to end. */
test.each([
  [1, 1e-8],
  [1, 1e-10],
  [1, 1e-12],
  [3, 1e-9],
])('sigma %d, rate %d: answers and real space intersect', (sigma, q) => {
  const found = inRealSums([[sigma, q, 2]], [0.5 * q, 2 * q, 30 * q, 1e3 * q]);
  expect(found.filter((answer) => widthOf(answer) < 1e-6).length).toBeGreaterThan(2);
});

/** Edges of the second phase nearly coincide. */
test('phases of rates a million apart: answers and real space intersect', () => {
  const phases: PhaseTriple[] = [
    [1, 1e-8, 1],
    [1.5, 1e-2, 1],
  ];
  const found = inRealSums(phases, [1e-9, 1e-6, 1e-3, 8e-3, 0.1, 0.7]);
  expect(found.filter((answer) => widthOf(answer) < 1e-3).length).toBeGreaterThan(3);
});

/** Phases of which no band but the outermost has a loss of its own. */
test('large losses of one phase, small ones of another: answers hold what sums in real space say', () => {
  const phases: PhaseTriple[] = [
    [0.57, 6e-4, 1],
    [20, 8e-5, 1],
  ];
  const found = inRealSums(phases, [1e-4, 3e-4]);
  for (const answer of found) expect(widthOf(answer)).toBeLessThan(1e-8);
});

/** Tilts that small losses need are far beyond those at which the far tail of a quiet phase takes over. */
test.each<PhaseTriple[]>([
  [
    [4.4, 1.2e-5, 37],
    [0.64, 3.2e-6, 31],
    [0.94, 5e-5, 3],
  ],
  [
    [9.86, 3.1e-6, 11],
    [0.65, 4e-6, 6],
  ],
])(
  'rare large losses of one phase, outputs far out of another: narrow, and as the grid has it: %s',
  (...phases) => {
    const { lower, upper } = runOf(phases).epsilon(1e-10);
    expect(upper - lower).toBeLessThan(1e-7 * upper);
    const grid = runOf(phases, { method: 'grid', tolerance: 1e-3, maxGridLength: 2 ** 16 });
    expect(intersects(grid.epsilon(1e-10), { lower, upper })).toBe(true);
  },
);

test('20 phases that rarely lose much: as narrow as asked for, and where the grid says', () => {
  const phases = Array.from({ length: 20 }, (_, i): PhaseTriple => [0.6 - 0.005 * i, 5e-3 / (i + 1), 1]);
  const { lower, upper } = runOf(phases).epsilon(1e-5);
  expect(upper - lower).toBeLessThan(1e-7 * upper);
  const grid = runOf(phases, { method: 'grid', tolerance: 1e-3, maxGridLength: 2 ** 16 }).epsilon(1e-5);
  expect(intersects({ lower, upper }, grid), JSON.stringify([lower, upper, grid])).toBe(true);
  expect(grid.upper - grid.lower).toBeLessThan(0.02 * upper);
});

test('sigma 1.963, q .00213, 1725 steps at delta 1e-30: log delta to 1e-6', () => {
  const run = runOf([[1.963, 0.00213, 1725]]);
  for (const epsilon of [0.3, 0.645, 1, 1.5]) {
    const { lower, upper } = run.logDelta(epsilon);
    expect(upper - lower).toBeLessThan(1e-6);
  }
});

/** What plain sums run over: outputs −30 … `last`, and frequencies by the period of losses and their number. */
interface PlainSums {
  readonly c: number;
  readonly last: number;
  readonly period: number;
  readonly terms: number;
}

/**
 * log δ(ε) by plain sums: the Mellin inversion of E_P[(u − e^ε)⁺], or where a record is added of E_P[(1 − ue^ε)⁺], along Re z = c; moments by the trapezoidal
 * rule.
 */
function plainLogDelta(
  phases: readonly PhaseTriple[],
  epsilon: number,
  { c, last, period, terms }: PlainSums,
  adding = false,
): number {
  const apart = (2 * Math.PI) / period;
  const side = adding ? -1 : 1;
  const tilt = adding ? c - 1 : c;
  const [height, turn] = [new Float64Array(terms), new Float64Array(terms)];
  let logM = 0;
  for (const [sigma, q, steps] of phases) {
    const nodes = Array.from({ length: (30 + last) * 200 }, (_, i) => i / 200 - 30);
    const loss = nodes.map((x) => side * Math.log1p(q * Math.expm1(x / sigma - 1 / (2 * sigma * sigma))));
    const heights = nodes.map((x, i) => tilt * loss[i]! - (x * x) / 2);
    const top = Math.max(...heights);
    const sum = heights.reduce((all, own) => all + Math.exp(own - top), 0);
    logM += steps * (top + Math.log(sum / 200 / Math.sqrt(2 * Math.PI)));
    // φ − 1, whose terms are turned from one frequency to the next
    const [a, b] = [new Float64Array(terms), new Float64Array(terms)];
    for (const [i, own] of heights.entries()) {
      const weight = Math.exp(own - top) / sum;
      if (weight < 1e-22) continue;
      const [cosine, sine] = [Math.cos(apart * loss[i]!), Math.sin(apart * loss[i]!)];
      let [x, y] = [weight, 0];
      for (let j = 0; j < terms; j++) {
        a[j]! += x - weight;
        b[j]! += y;
        [x, y] = [x * cosine - y * sine, x * sine + y * cosine];
      }
    }
    for (let j = 0; j < terms; j++) {
      height[j]! += (steps / 2) * Math.log1p(2 * a[j]! + a[j]! ** 2 + b[j]! ** 2);
      turn[j]! += steps * Math.atan2(b[j]!, 1 + a[j]!);
    }
  }
  let total = 0;
  for (let j = 0; j < terms; j++) {
    const t = j * apart;
    const angle = turn[j]! - t * epsilon;
    const [re, im] = [c * (c - 1) - t * t, t * (2 * c - 1)];
    const term = (Math.exp(height[j]!) * (Math.cos(angle) * re + Math.sin(angle) * im)) / (re * re + im * im);
    total += j === 0 ? term / 2 : term;
  }
  return logM - (c - 1) * epsilon + Math.log((total * apart) / Math.PI);
}

/** Each with the digits of log δ that plain sums have. */
test.each([
  {
    title: 'a deep tail that bands leave open',
    phases: [[0.6603, 0.0001032, 5800]],
    epsilon: 27.8031,
    sums: { c: 8.21, last: 26, period: 200, terms: 9000 },
    known: -204.9300402187627,
    digits: 8,
    doubt: 1e-8,
  },
  {
    title: 'a tail where rare large losses take over between two tilts',
    phases: [[2.638, 0.001689, 38]],
    epsilon: 7.0045,
    sums: { c: 88.3, last: 45, period: 60, terms: 20000 },
    known: -628.60847714,
    digits: 7,
    doubt: 3e-8,
  },
  {
    title: 'one step that decides beside six that hardly count',
    phases: [
      [11.95, 1.01e-6, 5],
      [1.79, 3.18e-6, 1],
      [8.026, 0.09015, 1],
    ],
    epsilon: 0.0826,
    sums: { c: 250, last: 14, period: 0.6, terms: 4000 },
    known: -23.0121934873,
    digits: 8,
    doubt: 5e-9,
  },
  {
    title: 'a deep tail where a record is added and rates are small',
    phases: [
      [2.9288, 1.1745e-6, 24],
      [8.7691, 2.4573e-4, 8],
    ],
    adding: true,
    epsilon: 9e-4,
    sums: { c: 4e5, last: 20, period: 0.001, terms: 2000 },
    known: -130.648219546135,
    digits: 8,
    doubt: 1e-9,
  },
] as {
  title: string;
  phases: PhaseTriple[];
  adding?: boolean;
  epsilon: number;
  sums: PlainSums;
  known: number;
  digits: number;
  doubt: number;
}[])(
  '$title is that of plain sums, both engines',
  ({ phases, adding, epsilon, sums, known, digits, doubt }) => {
    const exact = plainLogDelta(phases, epsilon, sums, adding);
    expect(exact).toBeCloseTo(known, digits);
    for (const engine of [wasm, reference]) {
      const { lower, upper } = runOf(phases, { engine }).logDelta(epsilon);
      if (!adding) expect(lower).toBeLessThan(exact + doubt);
      expect(upper).toBeGreaterThan(exact - doubt);
      expect(upper - lower).toBeLessThan(1e-6);
    }
  },
);

const LOUD: readonly PhaseTriple[] = [
  [0.1103, 0.0368, 24],
  [0.0831, 0.0233, 10],
  [0.1205, 0.0837, 63],
];

test.each(LOUD)(
  'steps of little noise are narrow at effort 1, and as the grid has it: %d, %d, %d',
  (...phase) => {
    const run = runOf([phase]);
    const found = run.epsilon(1e-5);
    expect(run.limitedBy).not.toBe('effort');
    expect(found.upper / found.lower - 1).toBeLessThan(1e-6);
    const grid = runOf([phase], { method: 'grid' }).epsilon(1e-5);
    expect(intersects(found, grid)).toBe(true);
    expect(run.epsilon(1e-5)).toEqual(found);
  },
);

test('loud steps in two bands, against integrals over outputs', () => {
  // far down, lines of few steps reach less
  for (const phases of [
    [[0.11, 0.04, 2]],
    [[0.2, 0.3, 2]],
    [
      [0.15, 0.02, 1],
      [0.1, 0.5, 1],
    ],
  ] as const)
    for (const found of inRealSums(phases, [1, 30, 60]))
      if (found.lower > -50) expect(widthOf(found)).toBeLessThan(1e-6);
});

test.each([1e6, 1e30, 1e100])(
  'delta at epsilon %d costs nothing, and lies between one step and plain Gaussians',
  (x) => {
    const found = [wasm, reference].map((engine) => {
      const run = runOf([[1, 0.01, 5]], { engine });
      const delta = run.logDelta(x);
      expect(run.limitedBy).not.toBe('effort');
      expect(run.cost).toBeLessThan(1e7);
      return delta;
    });
    expect(found[0]).toEqual(found[1]);
    const [{ lower, upper }] = found;
    // Mills' ratio of the tails at (x − log q)/μ + μ/2 and x/√5 μ leaves less than a thousandth
    expect(lower).toBeLessThanOrEqual((-(x * x) / 10) * 0.999);
    expect(upper).toBeGreaterThanOrEqual((-(x * x) / 2) * 1.001);
    expect(upper).toBeLessThan(-(x * x) / 11);
  },
);
