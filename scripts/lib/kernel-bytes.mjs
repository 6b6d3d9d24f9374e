// What is done to the bytes of the kernel: its tables put among its own data, and functions taken out that nobody calls.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import binaryen from 'assemblyscript/binaryen';
import { compileModules } from './modules.mjs';
import { root } from './setup.mjs';

/** The module with the tables that a binding would write: whole when it is instantiated, in any language. */
export async function withTables(wasm) {
  compileModules();
  const { specialTables } = await import(pathToFileURL(join(root, 'build/modules/src/kernel/tables.js')));
  const { instance } = await WebAssembly.instantiate(wasm);
  const { memory, tablesPointer, heapBase } = instance.exports;
  new Float64Array(memory.buffer, tablesPointer(), specialTables().length).set(specialTables());
  const data = dataOf(Buffer.from(memory.buffer.slice(0, heapBase())));
  // no count of data segments, which only operations on them need
  const parts = [...sectionsOf(wasm)]
    .filter(({ id }) => id !== 12)
    .map(({ id, content }) => sectionOf(id, id === 11 ? data : content));
  return Buffer.concat([wasm.subarray(0, 8), ...parts]);
}

/** The module without some of its exports, and without what they alone use. */
export function withoutExports(wasm, names) {
  const module = binaryen.readBinary(wasm);
  for (const name of names) module.removeExport(name);
  module.runPasses(['remove-unused-module-elements']);
  const bytes = module.emitBinary();
  module.dispose();
  return Buffer.from(bytes);
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
