import { describe, expect, test } from 'vitest';
import { calibrate } from '../../src/calibrate/calibrate.js';
import { account } from '../../src/index.js';
import { taskOf } from '../helpers/calibration-tasks.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';
import { noiseUnknown } from '../helpers/unknowns.js';

/** Each chunk has a seed of its own and can be asked alone (`-t "chunk 3:"`). */
const [CHUNKS, EACH] = [13, 40];
/** Relative, of δ or of ε: see `calibrate`. */
const TOLERANCE = 1e-6;
const SHARP = { adjacency: 'add-remove', tolerance: 1e-6 } as const;

/** Of all chunks that were asked. */
const found = { asked: 0, reached: 0, tight: 0, small: 0, large: 0 };

describe(`${CHUNKS * EACH} random targets`, () => {
  test.each(Array.from({ length: CHUNKS }, (_, i) => i))(
    `chunk %d: met from the safe side, within ${TOLERANCE}`,
    (chunk) => {
      const random = seeded(2024 + chunk);
      const loose: string[] = [];
      for (let i = EACH * chunk; i < EACH * (chunk + 1); i++) {
        found.asked++;
        const { unknown, epsilon, delta } = taskOf(i, random);
        const answer = calibrate(wasm, unknown, { epsilon, delta }, { adjacency: 'add-remove' });
        const label = `${i}: ${unknown.name} for (${epsilon}, ${delta})`;
        if (!answer.reached) {
          // nothing in the range may do: the most private value does not
          const options = { adjacency: 'add-remove', tolerance: 1e-3 } as const;
          expect(
            account(wasm, unknown.mechanismAt(answer.value), options).delta(epsilon).upper,
            label,
          ).toBeGreaterThan(delta);
          continue;
        }
        found.reached++;
        const run = account(wasm, answer.mechanism, {
          adjacency: 'add-remove',
          tolerance: answer.accountTolerance,
        });
        const { lower, upper } = run.delta(epsilon);
        expect(upper, label).toBeLessThanOrEqual(delta);
        if (answer.value < 0.05) found.small++;
        if (answer.value > 1e4) found.large++;
        const near = 1 - 1.5 * TOLERANCE;
        const before = run.delta(epsilon * near);
        const sharp = lower >= delta * near || before.lower > delta;
        if (sharp || answer.atLimit || unknown.whole) found.tight++;
        // what calibrate promises is that the upper bound comes that near, or that the next whole number fails
        if (sharp || answer.atLimit || upper >= delta * near || before.upper > delta) continue;
        const next = unknown.whole ? account(wasm, unknown.mechanismAt(answer.value + 1), SHARP) : undefined;
        if (!next || next.delta(epsilon).upper <= delta)
          loose.push(`${label} = ${answer.value}, ${run.method}`);
      }
      expect(loose).toEqual([]);
    },
  );

  test('most are reached, and most of those by a sharp account', () => {
    const { asked, reached, tight, small, large } = found;
    console.log(found);
    if (asked === CHUNKS * EACH) {
      expect(reached).toBeGreaterThanOrEqual(500);
      expect(Math.min(small, large)).toBeGreaterThan(0);
    }
    // elsewhere the account itself is not sharper: a few sampled steps on a grid
    expect(tight).toBeGreaterThanOrEqual(0.75 * reached);
  });
});

test('two sampled steps at ε = 3000: single losses near the end of what a grid holds', () => {
  const unknown = noiseUnknown({ samplingRate: 0.5, steps: 2 });
  const target = { epsilon: 3000, delta: 1e-5 };
  const answer = calibrate(wasm, unknown, target, { adjacency: 'add-remove', tolerance: 1e-2 });
  expect(answer.reached).toBe(true);
  expect(answer.value).toBeLessThan(0.05);
  expect(answer.achieved['delta']!.upper).toBeLessThanOrEqual(1e-5);
});
