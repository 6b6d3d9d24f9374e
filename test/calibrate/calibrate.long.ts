import { expect, test } from 'vitest';
import { calibrate, noiseMultiplierKnob } from '../../src/calibrate/calibrate.js';
import { account } from '../../src/index.js';
import { taskOf } from '../helpers/calibration-tasks.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

const TARGETS = 520;
/** Relative, of δ or of ε: see `calibrate`. */
const TOLERANCE = 1e-6;
const SHARP = { adjacency: 'add-remove', tolerance: 1e-6 } as const;

test(`${TARGETS} random targets are met from the safe side, within ${TOLERANCE}`, () => {
  const random = seeded(2024);
  let [reached, tight, small, large] = [0, 0, 0, 0];
  const loose: string[] = [];
  for (let i = 0; i < TARGETS; i++) {
    const { knob, epsilon, delta } = taskOf(i, random);
    const answer = calibrate(wasm, knob, { epsilon, delta }, { adjacency: 'add-remove' });
    const label = `${i}: ${knob.name} for (${epsilon}, ${delta})`;
    if (!answer.reached) {
      // nothing in the range may do: the most private value does not
      const options = { adjacency: 'add-remove', tolerance: 1e-3 } as const;
      expect(
        account(wasm, knob.mechanismAt(answer.value), options).delta(epsilon).upper,
        label,
      ).toBeGreaterThan(delta);
      continue;
    }
    reached++;
    const run = account(wasm, answer.mechanism, {
      adjacency: 'add-remove',
      tolerance: answer.accountTolerance,
    });
    const { lower, upper } = run.delta(epsilon);
    expect(upper, label).toBeLessThanOrEqual(delta);
    if (answer.value < 0.05) small++;
    if (answer.value > 1e4) large++;
    const near = 1 - 1.5 * TOLERANCE;
    const before = run.delta(epsilon * near);
    const sharp = lower >= delta * near || before.lower > delta;
    if (sharp || answer.atLimit || knob.whole) tight++;
    // what calibrate promises is that the upper bound comes that near, or that the next whole number fails
    if (sharp || answer.atLimit || upper >= delta * near || before.upper > delta) continue;
    const next = knob.whole ? account(wasm, knob.mechanismAt(answer.value + 1), SHARP) : undefined;
    if (!next || next.delta(epsilon).upper <= delta) loose.push(`${label} = ${answer.value}, ${run.method}`);
  }
  console.log({ reached, tight, small, large });
  expect(reached).toBeGreaterThan(400);
  expect(small).toBeGreaterThan(0);
  expect(large).toBeGreaterThan(0);
  console.log({ loose });
  expect(loose).toEqual([]);
  expect(reached - loose.length).toBeGreaterThanOrEqual(500);
  // elsewhere the account itself is not sharper: a few sampled steps on a grid
  expect(tight).toBeGreaterThan(0.75 * reached);
});

test('two sampled steps at ε = 3000: single losses near the end of what a grid holds', () => {
  const knob = noiseMultiplierKnob({ samplingRate: 0.5, steps: 2 });
  const target = { epsilon: 3000, delta: 1e-5 };
  const answer = calibrate(wasm, knob, target, { adjacency: 'add-remove', tolerance: 1e-2 });
  expect(answer.reached).toBe(true);
  expect(answer.value).toBeLessThan(0.05);
  expect(answer.achieved['delta']!.upper).toBeLessThanOrEqual(1e-5);
});
