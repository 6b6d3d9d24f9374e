import { readFileSync } from 'node:fs';
import * as loader from '@assemblyscript/loader';
import { describe, expect, it, vi } from 'vitest';
import { fillTwiddles } from '../../assembly/fft/twiddles.js';
import { heap } from '../../assembly/lane/memory.js';
import { Arena } from '../../bindings/arena.js';
import { KERNEL_WASM_HEX } from '../../bindings/generated/kernel-wasm.js';
import { kernelOver } from '../../bindings/kernel-over.js';
import { createReferenceKernel } from '../../bindings/reference-kernel.js';
import {
  createWasmKernel,
  createWasmKernelSync,
  decodeHex,
  instantiateSync,
} from '../../bindings/wasm-kernel.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import { differences } from '../helpers/kernels.js';
import { sample } from '../helpers/random.js';

/** The table as the other engine makes it, at an address that its arena has room for and a transform of this length does not keep. */
function twiddles(count: number): Float64Array {
  createReferenceKernel().realFft(new Float64Array(2 ** 20));
  const start = heap.buffer.byteLength - 32 * count;
  fillTwiddles(start, count);
  return new Float64Array(heap.buffer, start, 2 * count).slice();
}

const bytes = (): Uint8Array<ArrayBuffer> => decodeHex(KERNEL_WASM_HEX);

describe('the module', () => {
  it('is embedded as built, without the functions for hosts that have no bindings', () => {
    const built = readFileSync(new URL('../../build/kernel.wasm', import.meta.url));
    const [embedded, whole] = [bytes(), new Uint8Array(built)].map((each) =>
      WebAssembly.Module.exports(new WebAssembly.Module(each)).map(({ name }) => name),
    );
    expect(embedded).toEqual(whole!.filter((name) => !/^(?:gdp|zcdp|ledger)_/.test(name)));
    expect(embedded!.length).toBeGreaterThan(20);
  });

  it('is decoded to the same bytes where there is no Buffer', () => {
    const expected = bytes();
    vi.stubGlobal('Buffer', undefined);
    try {
      expect(decodeHex(KERNEL_WASM_HEX)).toEqual(expected);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('imports nothing, so any loader runs it', () => {
    expect(WebAssembly.Module.imports(new WebAssembly.Module(bytes()))).toEqual([]);
    const { exports } = loader.instantiateSync<{ heapBase(): number }>(bytes());
    expect(exports.heapBase()).toBeGreaterThan(0);
  });
});

describe('createWasmKernel', () => {
  const x = sample(1, 64, (random) => random());
  const want = createWasmKernelSync().realFft(x);

  it('compiles the embedded module, at once or asynchronously', async () => {
    expect(differences((await createWasmKernel()).realFft(x), want)).toBe(0);
  });

  it('takes a compiled module', async () => {
    const module = new WebAssembly.Module(bytes());
    expect(differences(createWasmKernelSync(module).realFft(x), want)).toBe(0);
    expect(differences((await createWasmKernel(module)).realFft(x), want)).toBe(0);
  });

  it('refuses anything else', async () => {
    expect(() => createWasmKernelSync({})).toThrow(
      '"module" must be a WebAssembly.Module; got [object Object]',
    );
    await expect(createWasmKernel(bytes())).rejects.toThrow(TypeError);
  });
});

describe('the methods', () => {
  it('leave no memory behind that the next one needs, whichever comes first', () => {
    const one = Float64Array.of(1);
    const signal = sample(2, 64, (random) => random());
    const run = { phases: [{ mu: 1, rate: 0.1, count: 9 }], square: 0 };
    const calls: readonly ((kernel: Kernel) => unknown)[] = [
      (kernel) => kernel.exp(one),
      (kernel) => kernel.erfc(one),
      (kernel) => kernel.deltaGdp(1, one),
      (kernel) => kernel.normalIntervals(Float64Array.of(0, 1)),
      (kernel) => kernel.logMgf(one, 0, 1, 1),
      (kernel) => kernel.tilt(one, 0, 1, 1, 0),
      (kernel) => kernel.suffixScan(one, 1, 1),
      (kernel) => kernel.questions!.runMoment(run, 3, Infinity),
      (kernel) => kernel.questions!.sideGuess(run, 1, -9, 'delta', Infinity),
      (kernel) => kernel.composeCyclic([{ pmf: signal, count: 2 }]),
    ];
    const want = createReferenceKernel().realFft(signal);
    for (const call of calls) {
      const kernel = createWasmKernelSync();
      call(kernel);
      // the first transform takes memory for good, which it may only do while none is in use
      expect(differences(kernel.realFft(signal), want), String(call)).toBe(0);
    }
  });
});

describe('the arena', () => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 3 });
  const arena = new Arena(memory, 1001);

  it('hands out aligned, disjoint memory and takes it back', () => {
    const a = arena.alloc(1);
    const b = arena.copyIn(Float64Array.of(1, 2, 3));
    const c = arena.alloc(1);
    expect([a, b, c].map((p) => p % 16)).toEqual([0, 0, 0]);
    expect(a).toBeGreaterThanOrEqual(1001);
    expect(b).toBeGreaterThan(a);
    expect(c).toBeGreaterThanOrEqual(b + 32);
    expect(Array.from(arena.f64(b, 4))).toEqual([1, 2, 3, 0]);
    arena.reset();
    expect(arena.alloc(1)).toBe(a);
    arena.reset();
  });

  it('keeps what is kept, and grows', () => {
    const kept = arena.keep(2);
    arena.write(kept, Float64Array.of(7, 8));
    arena.alloc(10_000);
    expect(memory.buffer.byteLength).toBe(2 * 65536);
    arena.reset();
    expect(arena.alloc(8)).toBeGreaterThan(kept);
    expect(Array.from(arena.copyOut(kept, new Float64Array(2)))).toEqual([7, 8]);
    expect(() => arena.keep(1)).toThrow('temporary memory is in use');
    arena.reset();
  });

  it('says so when memory cannot grow', () => {
    expect(() => arena.alloc(1e6)).toThrow(RangeError);
    expect(() => arena.alloc(1e6)).toThrow(/WebAssembly memory must grow by 7\.\d+ MiB .* it has 0\.125 MiB/);
  });
});

describe('resident twiddles', () => {
  it('hold the bits of the reference table', () => {
    const { exports, arena } = instantiateSync(KERNEL_WASM_HEX);
    for (const count of [4, 64, 2 ** 15]) {
      const below = 6 * Math.floor(count / 8);
      const start = arena.alloc(below + 2 * count);
      const table = start + 8 * below;
      exports.fillTwiddles(table, count);
      const T = arena.copyOut(table, new Float64Array(2 * count));
      expect(differences(T, twiddles(count).slice(0, 2 * count)), `${count} entries`).toBe(0);
      const roots = arena.copyOut(start, new Float64Array(below));
      for (let b = 0; b < below / 6; b++) {
        const [rr, ri, sr, si, cr, ci] = roots.slice(below - 6 * (b + 1), below - 6 * b);
        expect([rr, ri], `r of block ${b}`).toEqual([T[2 * b], T[2 * b + 1]]);
        const [hr, hi] = [T[2 * (b >> 1)], T[2 * (b >> 1) + 1]];
        expect([sr, si], `r squared of block ${b}`).toEqual(b % 2 === 0 ? [hr, hi] : [hi, -hr]);
        expect([cr, ci], `r cubed of block ${b}`).toEqual([rr * sr - ri * si, rr * si + ri * sr]);
      }
    }
  });

  it('are within 1 ulp of the unit circle, entry by entry', () => {
    const table = twiddles(2 ** 12);
    for (let b = 0; b < 2 ** 12; b++) {
      const square = table[2 * b] * table[2 * b] + table[2 * b + 1] * table[2 * b + 1];
      expect(Math.abs(square - 1)).toBeLessThan(6 * 2 ** -53);
    }
  });

  it('serve smaller sizes after larger ones', () => {
    const { realFft } = kernelOver('wasm', instantiateSync(KERNEL_WASM_HEX));
    const small = sample(5, 32, (random) => random());
    const before = realFft(small);
    realFft(new Float64Array(2 ** 14));
    expect(differences(realFft(small), before)).toBe(0);
  });
});
