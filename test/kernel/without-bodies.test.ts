/** The kernel of the page lacks the bodies of loops that no one asks for. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withoutBodies } from '../../scripts/lib/host-kernel.mjs';

type Exports = Record<string, (...operands: number[]) => number> & { readonly memory: WebAssembly.Memory };

const whole = readFileSync(new URL('../../build/kernel.wasm', import.meta.url));

async function exportsOf(wasm: Uint8Array): Promise<Exports> {
  const { instance } = await WebAssembly.instantiate(new Uint8Array(wasm));
  return instance.exports as unknown as Exports;
}

test('functions that are taken out trap, and all others stay as they are', async () => {
  const less = withoutBodies(whole, new Set(['mapErfcx', 'mapInverfc', 'sinPiOf']));
  expect(less.length).toBeLessThan(whole.length - 2000);
  const [before, after] = await Promise.all([whole, less].map(exportsOf));
  expect(Object.keys(after!)).toEqual(Object.keys(before!));
  expect(() => after!['mapErfcx']!(0, 0, 0)).toThrow('unreachable');
  // others call it
  for (const x of [-3.5, 0.25, 700]) expect(after!['sinPiOf']!(x)).toBe(before!['sinPiOf']!(x));
  for (const name of ['log1pOf', 'atan2Of', 'deltaGdpOf'])
    expect(after![name]!(0.75, -0.5)).toBe(before![name]!(0.75, -0.5));
});

test('nothing is taken out where nothing is named', () => {
  expect(withoutBodies(whole, new Set()).equals(whole)).toBe(true);
});
