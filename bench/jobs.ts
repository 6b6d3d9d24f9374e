import { readFileSync } from 'node:fs';
import { account, calibrate, compose, dpSgd, type Engine } from '../src/index.js';
import type { Bracket } from '../src/numeric/bracket.js';
import { parseOpacusState } from '../src/read/index.js';
import { report } from '../src/report/index.js';
import { sizeOf } from '../src/sweep/grid.js';
import { parseSweepGrid } from '../src/sweep/index.js';
import { answerRow, sweepColumns } from '../src/sweep/rows.js';
import { noiseUnknown } from './unknowns.js';

/** A whole job, as a user has it. Both engines' brackets must intersect. */
export interface Job {
  readonly name: string;
  readonly run: (engine: Engine) => Bracket[];
}

const example = (name: string) => readFileSync(new URL(`../../../examples/${name}`, import.meta.url), 'utf8');
const ADD_REMOVE = { adjacency: 'add-remove' } as const;

/** Relative width at which the methods are set against each other. */
const CERTIFIED = 1e-6;

/** Combinations of the sweep: every `STRIDE`-th of a grid of 10,000. */
export const SWEEP_STRIDE = 1000;
const SWEEP = parseSweepGrid({
  over: {
    noiseMultiplier: { from: 0.6, to: 8, count: 25, scale: 'log' },
    samplingRate: { from: 1e-4, to: 0.1, count: 20, scale: 'log' },
    steps: Array.from({ length: 20 }, (_, i) => Math.round(100 * 1.6237767391887217 ** i)),
  },
  ...ADD_REMOVE,
  tolerance: 1e-4,
});

export const JOBS: readonly Job[] = [
  ...['cifar10-wrn40', 'finetune-two-phase'].map((name) => ({
    name: `report ${name}`,
    run: (engine: Engine) => {
      const { mu, epsilonAtDelta } = report(
        account(engine, parseOpacusState(example(`${name}.json`)), ADD_REMOVE),
      );
      return [mu, ...epsilonAtDelta.map(({ epsilon }) => epsilon)];
    },
  })),
  {
    name: `sweep, every ${SWEEP_STRIDE}th of ${sizeOf(SWEEP)} configurations`,
    run: (engine) => {
      const brackets: Bracket[] = [];
      const ends = sweepColumns(SWEEP).flatMap(({ name }, i) => (name.endsWith('_lower') ? [i] : []));
      for (let index = SWEEP_STRIDE / 2; index < sizeOf(SWEEP); index += SWEEP_STRIDE) {
        const cells = answerRow(engine, SWEEP, index);
        for (const i of ends) brackets.push({ lower: Number(cells[i]), upper: Number(cells[i + 1]) });
      }
      return brackets;
    },
  },
  {
    name: 'calibrate sigma to (2, 1e-5), q = 0.01, T = 5000',
    run: (engine) => {
      const unknown = noiseUnknown({ samplingRate: 0.01, steps: 5000 });
      const { reached, achieved } = calibrate(engine, unknown, { epsilon: 2, delta: 1e-5 }, ADD_REMOVE);
      if (!reached) throw new Error('the calibration found no noise multiplier');
      return Object.values(achieved);
    },
  },
  ...(['spectral', 'grid'] as const).map((method) => ({
    name: `epsilon(1e-5) of cifar10-wrn40 to 1e-6, ${method}`,
    run: (engine: Engine) => {
      const options = { ...ADD_REMOVE, method, tolerance: CERTIFIED };
      const epsilon = account(engine, parseOpacusState(example('cifar10-wrn40.json')), options).epsilon(1e-5);
      if (!(epsilon.upper - epsilon.lower <= CERTIFIED * epsilon.upper)) {
        throw new Error(`${method}: epsilon is not certified to ${CERTIFIED}`);
      }
      return [epsilon];
    },
  })),
  {
    name: 'epsilon(1e-5) of 300 distinct phases',
    run: (engine) => {
      const phases = Array.from({ length: 300 }, (_, i) =>
        dpSgd({ noiseMultiplier: 1 + i / 300, samplingRate: 0.01, steps: 10 }),
      );
      return [account(engine, compose(phases), ADD_REMOVE).epsilon(1e-5)];
    },
  },
];

/** @throws Error if two engines' brackets of the same number do not intersect. */
export function requireAgreement(name: string, ours: readonly Bracket[], theirs: readonly Bracket[]): void {
  const agree =
    ours.length === theirs.length &&
    ours.every(({ lower, upper }, i) => lower <= theirs[i]!.upper && theirs[i]!.lower <= upper);
  if (!agree) throw new Error(`${name}: the engines disagree`);
}
