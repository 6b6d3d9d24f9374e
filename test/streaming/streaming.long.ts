import { expect, test } from 'vitest';
import {
  account,
  compose,
  gaussian,
  poissonSubsampled,
  repeat,
  StreamingAccountant,
} from '../../src/index.js';
import { intersects } from '../helpers/brackets.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

const COUNT = 60;

/** Streams of any width, few steps and many, tame and rare losses: whatever their lines say holds. */
test(`${COUNT} random streams as composed in one go`, () => {
  const random = seeded(31);
  const log = (from: number, to: number) => from * (to / from) ** random();
  for (let run = 0; run < COUNT; run++) {
    const phases = Array.from({ length: 1 + Math.floor(4 * random()) }, () => ({
      noiseMultiplier: log(0.4, 20),
      rate: random() < 0.15 ? 1 : log(1e-4, 0.5),
      steps: Math.ceil(log(1, 1e5)),
    }));
    const steps = phases.map(({ noiseMultiplier, rate, steps: count }) =>
      repeat(poissonSubsampled(gaussian({ noiseMultiplier }), { rate }), count),
    );
    const stream = StreamingAccountant.start(wasm, { adjacency: 'add-remove' });
    for (const step of steps) stream.add(step);
    const whole = account(wasm, compose(steps), { adjacency: 'add-remove' });
    for (const delta of [0.1, 1e-3, 1e-6, 1e-12]) {
      const [a, b] = [stream.epsilon(delta), whole.epsilon(delta)];
      expect(intersects(a, b), `${JSON.stringify({ phases, delta, a, b })}`).toBe(true);
    }
    for (const alpha of [1e-8, 0.01, 0.3]) {
      const [a, b] = [stream.tradeoff(alpha), whole.tradeoff(alpha)];
      expect(intersects(a, b), `${JSON.stringify({ phases, alpha, a, b })}`).toBe(true);
    }
  }
}, 3_600_000);
