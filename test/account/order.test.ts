import { expect, test } from 'vitest';
import {
  account,
  compose,
  discreteGaussian,
  dpSgd,
  laplace,
  type Mechanism,
  measure,
  poissonSubsampled,
  randomizedResponse,
  repeat,
} from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

type Run = ReturnType<typeof account>;

const QUESTIONS: readonly ((run: Run) => unknown)[] = [
  (run) => run.epsilon(1e-5),
  (run) => run.epsilon(0.01),
  (run) => run.delta(0.5),
  (run) => run.delta(-1),
  (run) => run.truePositiveRate(1e-3),
  (run) => run.tradeoff(0.9),
];
const MEASURED = [...QUESTIONS, (run: Run) => measure(run)];

const sgd = (noiseMultiplier: number, samplingRate: number, steps: number): Mechanism =>
  dpSgd({ noiseMultiplier, samplingRate, steps });

/** Lines, panels, parts, ghosts, lists of atoms and the grid. */
test.each<[string, Mechanism, object]>([
  ['many steps', sgd(1.1, 0.01, 1000), {}],
  ['rare losses', sgd(2, 0.001, 150), {}],
  ['few steps', sgd(1, 0.1, 3), {}],
  ['two phases', compose([sgd(4, 0.1, 5000), sgd(2, 0.01, 100)]), {}],
  [
    'atoms off any lattice',
    repeat(poissonSubsampled(laplace({ scale: 1, sensitivity: 1 }), { rate: 0.1 }), 20),
    { tolerance: 1e-4, maxGridLength: 2 ** 14 },
  ],
  ['atoms', repeat(randomizedResponse({ epsilon: 1, categories: 3 }), 20), {}],
  ['a lattice', repeat(discreteGaussian({ sigma: 3, sensitivity: 1 }), 10), {}],
  ['the grid', sgd(1, 0.02, 100), { method: 'grid', tolerance: 1e-3, maxGridLength: 2 ** 12 }],
])('answers depend on the question alone, not on what was asked before: %s', (_, mechanism, options) => {
  const fresh = (): Run => account(wasm, mechanism, { adjacency: 'add-remove', ...options });
  const run = fresh();
  // off lattices the grid takes seconds for μ, which asks nothing else than these do
  const questions = run.method === 'grid' && run.directions.length > 1 ? QUESTIONS : MEASURED;
  const alone = questions.map((ask) => ask(fresh()));
  for (let k = 0; k < questions.length; k++) {
    const i = (5 * k + 3) % questions.length;
    expect(questions[i](run), `question ${i}`).toEqual(alone[i]);
  }
});
