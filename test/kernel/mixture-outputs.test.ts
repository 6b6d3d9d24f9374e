import { describe, expect, it } from 'vitest';
import { reference, wasm } from '../helpers/runs.js';

const of = (...numbers: number[]): Float64Array => Float64Array.of(...numbers);
const nothing = { shift: of(0), weight: of(1) };
const ends = { outputs: [-60, 62], losses: [-70, 70] } as const;

describe.each([
  ['wasm', wasm],
  ['js', reference],
] as const)('outputs of losses of normal mixtures, %s', (_, { kernel }) => {
  it('one part: x = y + 1/2, as far off as it is said to be', () => {
    const losses = Float64Array.from({ length: 101 }, (_, k) => k / 700 - 0.07);
    const { x, off } = kernel.mixtureOutputs(losses, { shift: of(1), weight: of(1) }, nothing, ends);
    // both differences are exact
    const gaps = losses.map((y, k) => Math.abs(x[k]! - 0.5 - y));
    expect(Math.max(...gaps)).toBeGreaterThan(0);
    for (const [k, gap] of gaps.entries()) expect(off[k]).toBeGreaterThanOrEqual(gap);
    expect(Math.max(...off)).toBeLessThan(1e-13);
  });

  it('parts on both sides: the loss there, by its definition, is the one asked for', () => {
    const plus = { shift: of(0, 0.7, 2), weight: of(0.9, 0.07, 0.03) };
    const minus = { shift: of(0, 0.7), weight: of(0.8, 0.2) };
    const u = ({ shift, weight }: typeof plus, x: number) =>
      shift.reduce((sum, a, i) => sum + weight[i]! * Math.exp(a * (x - a / 2)), 0);
    const losses = of(-Infinity, -75, -30, -3, -0.2, -1e-9, 0, 1e-9, 0.3, 4, 40, 75, Infinity);
    const { x, off } = kernel.mixtureOutputs(losses, plus, minus, ends);
    expect([...x.slice(0, 2), ...x.slice(-2)]).toEqual([-Infinity, -Infinity, Infinity, Infinity]);
    for (let k = 2; k < losses.length - 2; k++) {
      const y = Math.log(u(plus, x[k]!)) - Math.log(u(minus, -x[k]!));
      expect(Math.abs(y - losses[k]!)).toBeLessThanOrEqual(off[k]! + 4e-16 * (4 + 3 * Math.abs(x[k]!)));
      expect(off[k]).toBeLessThan(1e-13);
    }
  });

  it('has the bits of the other engine', () => {
    const plus = { shift: of(0.5, 3), weight: of(0.25, 0.75) };
    const losses = Float64Array.from({ length: 40 }, (_, k) => k - 20);
    const asked = [losses, plus, nothing, ends] as const;
    expect(kernel.mixtureOutputs(...asked)).toEqual(wasm.kernel.mixtureOutputs(...asked));
  });
});
