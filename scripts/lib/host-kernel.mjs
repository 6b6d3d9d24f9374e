// The kernel for hosts: compiled, then with the tables that a binding would write put among its own data, and only what a host calls left exported.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileKernel } from './compile-kernel.mjs';
import { compileModules } from './modules.mjs';
import { root } from './setup.mjs';

/** Exports that the build alone calls. */
const OF_THE_BUILD = ['tablesPointer', 'heapBase'];

/** The module's bytes: no imports, no start function, one memory that is whole when it is instantiated. */
export async function hostKernel() {
  const { wasm } = await compileKernel('release', {}, 'asconfig.host.json');
  compileModules();
  const { specialTables } = await import(pathToFileURL(join(root, 'build/modules/src/kernel/tables.js')));
  const { instance } = await WebAssembly.instantiate(wasm);
  const { memory, tablesPointer, heapBase } = instance.exports;
  new Float64Array(memory.buffer, tablesPointer(), specialTables().length).set(specialTables());
  const image = Buffer.from(memory.buffer.slice(0, heapBase()));
  return rewritten(wasm, image);
}

/** The module with `image` as its only data, and without the exports and custom sections of the build. */
function rewritten(wasm, image) {
  const parts = [wasm.subarray(0, 8)];
  for (const { id, content } of sectionsOf(wasm)) {
    if (id === 0 || id === 12) continue;
    if (id === 7) parts.push(sectionOf(7, exportsWithout(content)));
    else if (id === 11) parts.push(sectionOf(11, dataOf(image)));
    else parts.push(sectionOf(id, content));
  }
  return Buffer.concat(parts);
}

/** The module, which has no imports, with the bodies of some exported functions taken out, but of those that others call: who calls one of the rest gets a trap. */
export function withoutBodies(wasm, names) {
  const sections = [...sectionsOf(wasm)];
  const [exported, code] = [7, 10].map((number) => sections.find(({ id }) => id === number).content);
  const bodies = bodiesOf(code);
  const called = new Set(bodies.flatMap((body) => [...callsOf(body)]));
  // no locals, unreachable, end
  for (const { name, index } of entriesOf(exported))
    if (names.has(name) && !called.has(index)) bodies[index] = Buffer.of(0, 0, 0x0b);
  const less = Buffer.concat([leb(bodies.length), ...bodies.flatMap((body) => [leb(body.length), body])]);
  const parts = sections.map(({ id, content }) => sectionOf(id, content === code ? less : content));
  return Buffer.concat([wasm.subarray(0, 8), ...parts]);
}

function bodiesOf(code) {
  let [count, at] = number(code, 0);
  const bodies = [];
  for (; count > 0; count--) {
    const [size, start] = number(code, at);
    at = start + size;
    bodies.push(code.subarray(start, at));
  }
  return bodies;
}

/** What follows an operation in the code, by its first byte or, of vectors, by its number: so many numbers in LEB128 and so many bytes. */
const OPERANDS = [
  [
    (op) =>
      (op >= 0x02 && op <= 0x04) || (op >= 0x20 && op <= 0x24) || [0x0c, 0x0d, 0x10, 0x41, 0x42].includes(op),
    1,
    0,
  ],
  [(op) => op >= 0x28 && op <= 0x3e, 2, 0],
  [(op) => op === 0x3f || op === 0x40, 0, 1],
  [(op) => op === 0x44, 0, 8],
];
const OF_VECTORS = [
  [(op) => op <= 11 || op === 92 || op === 93, 2, 0],
  [(op) => op === 12 || op === 13, 0, 16],
  [(op) => op >= 21 && op <= 34, 0, 1],
  [(op) => op >= 84 && op <= 91, 2, 1],
];
/** Operations that have others behind them, of which kernels have none. */
const UNKNOWN = [0x11, 0x1c, 0x25, 0x26, 0x43, 0xd0, 0xd2];

/** The functions that a body calls. */
function* callsOf(body) {
  let [groups, at] = number(body, 0);
  for (; groups > 0; groups--) at = number(body, at)[1] + 1;
  while (at < body.length) {
    const first = body[at++];
    if (UNKNOWN.includes(first))
      throw new Error(`the code has an operation ${first}, which is not read here`);
    let op = first;
    if (first === 0xfc || first === 0xfd) [op, at] = number(body, at);
    if (first === 0x10) yield number(body, at)[0];
    // of longer operations on memory the kernel has copies and fills: two bytes, and one
    const [, numbers, bytes] =
      first === 0xfc
        ? [undefined, 0, op === 10 ? 2 : op === 11 ? 1 : 0]
        : ((first === 0xfd ? OF_VECTORS : OPERANDS).find(([is]) => is(op)) ?? [undefined, 0, 0]);
    // a table of branches: how many there are, these, and one more
    const labels = first === 0x0e ? number(body, at)[0] + 2 : 0;
    for (let i = 0; i < numbers + labels; i++) at = number(body, at)[1];
    at += bytes;
  }
}

function* sectionsOf(wasm) {
  for (let at = 8; at < wasm.length; ) {
    const id = wasm[at];
    const [size, start] = number(wasm, at + 1);
    yield { id, content: wasm.subarray(start, start + size) };
    at = start + size;
  }
}

/** Runs of memory that are not zero, with gaps of fewer than 16 zeros left in. */
function dataOf(image) {
  const segments = [];
  for (let at = 0; at < image.length; ) {
    if (image[at] === 0) {
      at++;
      continue;
    }
    let end = at;
    for (let i = at; i < image.length && i - end < 16; i++) if (image[i] !== 0) end = i + 1;
    // mode 0, i32.const offset, end
    segments.push(
      Buffer.concat([
        Buffer.of(0, 0x41),
        signed(at),
        Buffer.of(0x0b),
        leb(end - at),
        image.subarray(at, end),
      ]),
    );
    at = end;
  }
  return Buffer.concat([leb(segments.length), ...segments]);
}

function exportsWithout(content) {
  const kept = entriesOf(content).filter(({ name }) => !OF_THE_BUILD.includes(name));
  return Buffer.concat([leb(kept.length), ...kept.map(({ bytes }) => bytes)]);
}

/** What a module exports: the number of each function, and the bytes that say so. */
function entriesOf(content) {
  let [count, at] = number(content, 0);
  const entries = [];
  for (; count > 0; count--) {
    const [length, start] = number(content, at);
    const name = content.toString('utf8', start, start + length);
    const [index, end] = number(content, start + length + 1);
    entries.push({ name, index, bytes: content.subarray(at, end) });
    at = end;
  }
  return entries;
}

function sectionOf(id, content) {
  return Buffer.concat([Buffer.of(id), leb(content.length), content]);
}

/** An unsigned number at a place, in LEB128, and where it ends. */
function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
}

function leb(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 128);
  }
}

/** The same of a number ≥ 0 as signed LEB128. */
function signed(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 64) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 128);
  }
}
