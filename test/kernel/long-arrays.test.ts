/** Arrays longer than what goes through the kernel's memory at once. */
import { expect, test } from 'vitest';
import { createWasmKernelSync } from '../../bindings/wasm-kernel.js';
import { differences } from '../helpers/kernels.js';

const N = 2 ** 15 + 3;
const epsilon = Float64Array.from({ length: N }, (_, i) => (i % 977) / 50 - 3);
const size = epsilon.map(Math.abs);
const mu = Float64Array.from({ length: N }, (_, i) => 0.1 + (i % 31) / 7);
const logDelta = Float64Array.from({ length: N }, (_, i) => -0.1 - (i % 503));
const edges = Float64Array.from({ length: N + 1 }, (_, i) => (16 * i) / N - 8);

test('blocks of profiles and of masses join', () => {
  const kernel = createWasmKernelSync();
  const places = [0, 1, 2 ** 15 - 1, 2 ** 15, N - 1];
  const at = (of: Float64Array, i: number): Float64Array => of.subarray(i, i + 1);
  const whole = [
    kernel.logDeltaGdp(1.3, epsilon),
    kernel.deltaGdp(mu, epsilon),
    kernel.oneMinusDeltaGdp(mu, epsilon, new Float64Array(N)),
    kernel.muGdpLog(size, logDelta),
    kernel.normalIntervals(edges),
  ];
  for (const i of places)
    [
      kernel.logDeltaGdp(1.3, at(epsilon, i)),
      kernel.deltaGdp(at(mu, i), at(epsilon, i)),
      kernel.oneMinusDeltaGdp(at(mu, i), at(epsilon, i)),
      kernel.muGdpLog(at(size, i), at(logDelta, i)),
      kernel.normalIntervals(edges.subarray(i, i + 2)),
    ].forEach((one, k) => {
      expect(differences(at(whole[k]!, i), one), `${k} at ${i}`).toBe(0);
    });
  expect(() => kernel.deltaGdp(mu, epsilon, new Float64Array(N - 1))).toThrow('"out');
  expect(() => kernel.deltaGdp(mu.subarray(1), epsilon)).toThrow('"mu');
});
