import { expect, it } from 'vitest';
import { dpSgd, gaussian, StreamingAccountant } from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

const start = () => StreamingAccountant.start(wasm, { adjacency: 'add-remove' });

it('a stream of plain Gaussians is one Gaussian, and costs as little', () => {
  const whole = start()
    .add(gaussian({ noiseMultiplier: 2 }))
    .add(gaussian({ noiseMultiplier: 3 }), 4);
  const shards = start()
    .add(gaussian({ noiseMultiplier: 2 }))
    .merge(start().add(gaussian({ noiseMultiplier: 3 }), 4));
  const read = StreamingAccountant.fromJSON(wasm, JSON.parse(JSON.stringify(whole)));
  // √(1/4 + 4/9)
  const mu = 5 / 6;
  for (const stream of [whole, shards, read]) {
    const measured = stream.measure();
    expect(measured.mu.lower).toBeLessThanOrEqual(mu);
    expect(measured.mu.upper).toBeGreaterThanOrEqual(mu);
    expect(measured.mu.upper).toBeLessThan(mu * (1 + 1e-12));
    expect(measured.regret).toEqual({ lower: 0, upper: 0 });
    expect(measured.method).toBe('closed-form');
  }
  const mixed = whole.copy().add(dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1 }));
  for (const stream of [mixed, start().merge(mixed)]) {
    expect(stream.measure().method).toBe('spectral');
    expect(stream.epsilon(1e-5).lower).toBeGreaterThan(whole.epsilon(1e-5).upper);
  }
});
