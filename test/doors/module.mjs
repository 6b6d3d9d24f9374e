// dist/gdp.wasm by the WebAssembly of Node, as of any host that has it, as a door (ask.py).
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const { instance } = await WebAssembly.instantiate(readFileSync('dist/gdp.wasm'));
const { memory, _initialize, gdp_open, gdp_ask, gdp_alloc, gdp_length, gdp_free } = instance.exports;
_initialize();
const it = gdp_open();
for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${ask(line)}\n`);

function ask(line) {
  const bytes = encoder.encode(`${line}\0`);
  const at = gdp_alloc(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const said = gdp_ask(it, at);
  gdp_free(at);
  const text = decoder.decode(new Uint8Array(memory.buffer, said, gdp_length(said)));
  gdp_free(said);
  return text;
}
