/** The kernel of the page lacks the loops that no one asks for. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withoutExports } from '../../scripts/lib/kernel-bytes.mjs';

type Exports = Record<string, (...operands: number[]) => number> & { readonly memory: WebAssembly.Memory };

const whole = readFileSync(new URL('../../build/kernel.wasm', import.meta.url));

async function exportsOf(wasm: Uint8Array): Promise<Exports> {
  const { instance } = await WebAssembly.instantiate(new Uint8Array(wasm));
  return instance.exports as unknown as Exports;
}

test('functions that are taken out are gone, and all others stay as they are', async () => {
  const gone = ['elementwise', 'mixtureMasses', 'suffixScan'];
  const less = withoutExports(whole, gone);
  expect(less.length).toBeLessThan(whole.length - 2000);
  const [before, after] = await Promise.all([whole, less].map(exportsOf));
  expect(Object.keys(before!).filter((name) => !(name in after!))).toEqual(expect.arrayContaining(gone));
  expect(Object.keys(after!)).toHaveLength(Object.keys(before!).length - gone.length);
  for (const name of ['gdp_delta_upper', 'gdp_epsilon_lower'])
    expect(after![name]!(0.75, 0.25)).toBe(before![name]!(0.75, 0.25));
});
