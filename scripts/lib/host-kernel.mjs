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
  let [count, at] = number(content, 0);
  const kept = [];
  for (; count > 0; count--) {
    const [length, start] = number(content, at);
    const name = content.toString('utf8', start, start + length);
    const [, end] = number(content, start + length + 1);
    if (!OF_THE_BUILD.includes(name)) kept.push(content.subarray(at, end));
    at = end;
  }
  return Buffer.concat([leb(kept.length), ...kept]);
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
