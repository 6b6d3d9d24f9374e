/**
 * The debug build, unoptimised and with its assertions on addresses, over an arena whose blocks stand apart from each other: every method
 * gives the bits of the release build, reads nothing it was not given and writes nowhere else. `@assemblyscript/loader` instantiates it
 * and turns what it aborts with into an Error that names the reason, the file and the line.
 */
import { instantiateSync as load } from '@assemblyscript/loader';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KernelExports } from '../../bindings/abi.js';
import { Arena, type Memory } from '../../bindings/arena.js';
import { kernelOver } from '../../bindings/kernel-over.js';
import { createWasmKernelSync } from '../../bindings/wasm-kernel.js';
import { compileKernel } from '../../scripts/lib/compile-kernel.mjs';
import { ELEMENTWISE, type ElementwiseName, type Kernel } from '../../src/kernel/kernel.js';
import { readGolden } from '../helpers/golden.js';
import { differences } from '../helpers/kernels.js';
import { lawNumbers } from '../helpers/law-numbers.js';
import { sample, seeded } from '../helpers/random.js';

const GUARD = 8;
/** About 1.55: a sum that reads it has other bits, and no function of the kernel maps it to itself. No other bits are the same number. */
const [CANARY] = new Float64Array(BigUint64Array.of(0x3ff8_dead_beef_0001n).buffer);

/** Fills all memory it has not handed out with the canary, and looks whether it is still there before taking memory back. */
class GuardedArena extends Arena {
  private readonly handedOut: [from: number, to: number][] = [];

  constructor(
    private readonly all: Memory,
    heapBase: number,
  ) {
    super(all, heapBase);
    this.start = super.alloc(0);
    this.poison();
  }
  private readonly start: number;

  override alloc(count: number): number {
    const size = this.all.buffer.byteLength;
    super.alloc(GUARD);
    const pointer = super.alloc(count);
    super.alloc(GUARD);
    new Float64Array(this.all.buffer, size).fill(CANARY);
    this.handedOut.push([pointer, pointer + 16 * Math.ceil(count / 2)]);
    return pointer;
  }

  override keep(count: number): number {
    const pointer = super.keep(count);
    this.handedOut.pop();
    this.kept.push([pointer, pointer + 16 * Math.ceil(count / 2)]);
    return pointer;
  }
  private readonly kept: [from: number, to: number][] = [];

  override reset(): void {
    super.reset();
    this.check();
    this.handedOut.length = 0;
    this.poison();
  }

  /** The stretches of `count` words that are in no block. */
  private *free(count: number): Generator<[from: number, to: number]> {
    const blocks = [...this.kept, ...this.handedOut].sort((a, b) => a[0] - b[0]);
    let at = this.start / 8;
    for (const [from, to] of [...blocks, [8 * count, 0] as const]) {
      if (at < from / 8) yield [at, from / 8];
      at = Math.max(at, to / 8);
    }
  }

  private check(): void {
    const words = new Float64Array(this.all.buffer);
    for (const [from, to] of this.free(words.length)) {
      for (let i = from; i < to; i++) {
        if (words[i] !== CANARY) throw new Error(`the kernel wrote outside its blocks, at address ${8 * i}`);
      }
    }
  }

  private poison(): void {
    const words = new Float64Array(this.all.buffer);
    for (const [from, to] of this.free(words.length)) words.fill(CANARY, from, to);
  }
}

let bytes: Uint8Array<ArrayBuffer>;
let debug: Kernel;
const release = createWasmKernelSync();

function loaded(): { exports: KernelExports; kernel: Kernel } {
  const { exports } = load<WebAssembly.Exports & KernelExports>(bytes);
  const arena = new GuardedArena(exports.memory, exports.heapBase());
  return { exports, kernel: kernelOver('wasm', { exports, arena }) };
}

beforeAll(async () => {
  bytes = (await compileKernel('debug')).wasm;
  debug = loaded().kernel;
});

const random = seeded(77);
const numbers = (n: number): Float64Array => sample(n, n, () => 2 * random() - 1);
const positive = (n: number): Float64Array => numbers(n).map((x) => x * x);

describe('the debug build gives the bits of the release build', () => {
  it.each(Object.keys(ELEMENTWISE) as ElementwiseName[])('%s', (name) => {
    const { x } = readGolden(name === 'normalQuantileUpper' ? 'normalQuantile' : name);
    const some = x.filter((_, i) => i % 3 === 0);
    for (const input of [some, Float64Array.of(NaN, -0, Infinity, -Infinity, 5e-324), new Float64Array(0)]) {
      expect(differences(debug[name](input), release[name](input))).toBe(0);
    }
  });

  it('profiles and intervals', () => {
    const epsilon = numbers(20_001).map((x) => 30 * x);
    const mu = positive(20_001).map((x) => 5 * x);
    for (const name of ['deltaGdp', 'logDeltaGdp', 'oneMinusDeltaGdp'] as const) {
      for (const m of [mu, 1.3])
        expect(differences(debug[name](m, epsilon), release[name](m, epsilon))).toBe(0);
    }
    const size = epsilon.map(Math.abs);
    const logDelta = positive(20_001).map((x) => -40 * x);
    expect(differences(debug.muGdpLog(size, logDelta), release.muGdpLog(size, logDelta))).toBe(0);
    const edges = numbers(20_002)
      .map((x) => 9 * x)
      .sort();
    expect(differences(debug.normalIntervals(edges), release.normalIntervals(edges))).toBe(0);
  });

  it('transforms of every length up to 2^15', () => {
    for (const n of Array.from({ length: 12 }, (_, i) => 2 ** (4 + i))) {
      const x = numbers(n);
      const spectrum = release.realFft(x);
      expect(differences(debug.realFft(x), spectrum), `${n}`).toBe(0);
      expect(differences(debug.inverseRealFft(spectrum), release.inverseRealFft(spectrum)), `${n}`).toBe(0);
    }
  });

  it('convolutions and compositions', () => {
    for (const [m, n] of [
      [1, 1],
      [3, 700],
      [512, 513],
    ]) {
      const [a, b] = [numbers(m), numbers(n)];
      expect(differences(debug.convolve(a, b), release.convolve(a, b))).toBe(0);
    }
    for (const n of [16, 1024]) {
      const parts = [1, 2, 1000].map((count) => ({ pmf: positive(n).map((x) => x / n), count }));
      for (const some of [parts.slice(0, 1), parts]) {
        const [mine, other] = [debug.composeCyclic(some), release.composeCyclic(some)];
        expect(differences(mine.composed, other.composed)).toBe(0);
        expect(mine.perEntryError).toBe(other.perEntryError);
      }
    }
  });

  it('sums over a grid', () => {
    for (const n of [1, 2, 63, 64, 65, 1001]) {
      const p = positive(n);
      for (const lambda of [0.3, 50, -2]) {
        expect(debug.logMgf(p, -n / 2, 0.1, lambda)).toBe(release.logMgf(p, -n / 2, 0.1, lambda));
      }
      expect(differences(debug.tilt(p, -3, 0.1, 0.7, 1), release.tilt(p, -3, 0.1, 0.7, 1))).toBe(0);
      const [mine, other] = [debug.suffixScan(p, 0.4, 0.01), release.suffixScan(p, 0.4, 0.01)];
      expect(differences(mine.delta, other.delta) + differences(mine.tail, other.tail)).toBe(0);
    }
  });
});

describe('the debug build gives the bits of the release build for runs', () => {
  it.each([1e-2, 1e-6])('whose answers are %d wide', (width) => {
    const [mine, other] = [debug, release].map((kernel) => lawNumbers(kernel, width));
    for (const [i, row] of mine!.entries()) expect(differences(row, other![i]!), `row ${i}`).toBe(0);
  });
});

describe('the debug build says what is wrong', () => {
  it('with an address or a length', () => {
    const { exports } = loaded();
    const base = Math.ceil(exports.heapBase() / 16) * 16;
    const end = exports.memory.buffer.byteLength;
    expect(() => exports.elementwise(0, base + 8, base, 8)).toThrow(
      /not a multiple of 16.* assembly\/lane\/checks\.ts:\d+/,
    );
    expect(() => exports.elementwise(0, base, base, 4)).toThrow(/not a multiple of 8/);
    expect(() => exports.elementwise(0, exports.tablesPointer(), base, 8)).toThrow(/begins below the arena/);
    expect(() => exports.logMgf(base, end, 0, 1, 1)).toThrow(/ends outside the memory/);
    expect(() => exports.muGdpLog(base, base, 8, end)).toThrow(/ends outside the memory/);
  });

  it('and the guarded arena sees a write beside a block', () => {
    const { exports } = loaded();
    const arena = new GuardedArena(exports.memory, exports.heapBase());
    const block = arena.alloc(8);
    expect(() => arena.reset()).not.toThrow();
    const again = arena.alloc(8);
    expect(again).toBe(block);
    exports.elementwise(0, again, again, 16);
    expect(() => arena.reset()).toThrow(`the kernel wrote outside its blocks, at address ${again + 64}`);
  });
});
