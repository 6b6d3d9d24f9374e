/** The language of assembly/: classes, abstract laws, interfaces and arrays of objects are the same in both builds, and objects never reach the numbers of the arena. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { compileKernel } from '../../scripts/lib/compile-kernel.mjs';
import { MODULES, writeModule } from '../../scripts/lib/modules.mjs';

/** A run of laws, its cumulant summed over an array of objects; operations of vectors and memory inside methods. */
const TEXT = `
import { add, all, lane0, mul } from './lane/lanes.js';
import { loadF64, storeF64 } from './lane/memory.js';
import { forgetObjects, heapBase } from './lane/objects.js';

interface Named {
  order(): f64;
}

abstract class Law implements Named {
  next: Law | null = null;
  constructor(public count: f64) {}
  abstract cumulant(c: f64): f64;
  order(): f64 {
    return this.count;
  }
  add(c: f64): f64 {
    return this.count * this.cumulant(c);
  }
}

class Gaussian extends Law {
  constructor(count: f64, private square: f64) {
    super(count);
  }
  cumulant(c: f64): f64 {
    return lane0(mul(all(0.5 * this.square), mul(all(c), all(c - 1))));
  }
}

class Moved extends Law {
  constructor(count: f64, private by: f64, private place: usize) {
    super(count);
    storeF64(place, by);
  }
  cumulant(c: f64): f64 {
    return lane0(add(all(loadF64(this.place)), all(this.by * c)));
  }
}

function nameOf(law: Named): f64 {
  return law.order();
}

export function question(n: i32, c: f64, room: usize): f64 {
  forgetObjects();
  storeF64(room, 0.25, 8);
  const laws = new Array<Law>();
  for (let i = 0; i < n; i++) {
    if (i % 2 === 0) laws.push(new Gaussian(<f64>(i + 1), 0.3));
    else laws.push(new Moved(1, 0.7, room));
  }
  let sum: f64 = 0;
  let first: Law | null = null;
  for (let i = 0; i < laws.length; i++) {
    const law = laws[i];
    law.next = first;
    first = law;
  }
  while (first !== null) {
    sum += first.add(c) / (1 + nameOf(first));
    first = first.next;
  }
  return sum + loadF64(room, 8);
}

export function number(place: usize): f64 {
  return loadF64(place);
}

export { heapBase };
`;

interface Probe {
  question(n: number, c: number, room: number): number;
  number(place: number): number;
  heapBase(): number;
}

const PATH = 'assembly/probe.ts';
const ENTRY = { [PATH]: TEXT, 'assembly/module.ts': `export * from './probe.js';` };
const RUNTIME = 'assembly/lane/runtime.simd.ts';
const folder = mkdtempSync(join(tmpdir(), 'gdp-language-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function assembled(edited: Record<string, string> = {}): Promise<Probe> {
  const { wasm } = await compileKernel('release', { ...ENTRY, ...edited });
  const { instance } = await WebAssembly.instantiate(new Uint8Array(wasm));
  return instance.exports as unknown as Probe;
}

async function inJavaScript(): Promise<Probe> {
  for (const part of ['assembly', 'src/kernel', 'src/errors.js'])
    cpSync(join(MODULES, part), join(folder, part), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeModule(PATH, TEXT, folder);
  const load = (name: string) => import(pathToFileURL(join(folder, 'assembly', name)).href);
  // its memory is made when it is first asked for
  void (await load('lane/memory.js')).heap.buffer;
  return (await load('probe.js')) as Probe;
}

describe('classes of the kernel', async () => {
  const [wasm, javascript] = await Promise.all([assembled(), inJavaScript()]);

  it('have the same bits in both builds', () => {
    for (const n of [1, 2, 9, 60])
      for (const c of [-2.25, 0.5, 1.5, 33])
        expect(wasm.question(n, c, wasm.heapBase())).toBe(javascript.question(n, c, javascript.heapBase()));
  });

  it('have tables with contents however late a module is loaded', async () => {
    const memory = (await import(pathToFileURL(join(folder, 'assembly/lane', 'memory.js')).href)) as {
      memory: { data(contents: readonly number[], align: number): number };
      loadF64(place: number): number;
    };
    const table = memory.memory.data([0.5, 0.75], 16);
    expect([memory.loadF64(table), memory.loadF64(table + 8)]).toEqual([0.5, 0.75]);
  });

  it('leave nothing behind: each question has the whole room', () => {
    const first = wasm.question(200, 1.5, wasm.heapBase());
    for (let i = 0; i < 1000; i++) expect(wasm.question(200, 1.5, wasm.heapBase())).toBe(first);
  });

  it('trap at the end of their room, before the numbers of the arena, and the next question is right', () => {
    const right = wasm.question(9, 1.5, wasm.heapBase());
    expect(() => wasm.question(800_000, 1.5, wasm.heapBase())).toThrow(WebAssembly.RuntimeError);
    expect(wasm.number(wasm.heapBase() + 8)).toBe(0.25);
    expect(wasm.question(9, 1.5, wasm.heapBase())).toBe(right);
  });

  it('trap rather than answer in a room that is too small for a question', async () => {
    const text = readFileSync(RUNTIME, 'utf8');
    const starved = text.replace('1 << 25', '512');
    expect(starved).not.toBe(text);
    const small = await assembled({ [RUNTIME]: starved });
    const right = javascript.question(3, 1.5, javascript.heapBase());
    expect(small.question(3, 1.5, small.heapBase())).toBe(right);
    expect(() => small.question(30, 1.5, small.heapBase())).toThrow(WebAssembly.RuntimeError);
    expect(small.question(3, 1.5, small.heapBase())).toBe(right);
  });
});
