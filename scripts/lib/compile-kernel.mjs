// Compiles assembly/ and knows what the compiler read.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import asc, { libraryFiles } from 'assemblyscript/asc';
import binaryen from 'assemblyscript/binaryen';
import { constantPool, POOL } from './constant-pool.mjs';
import { forAssembler, portablePath } from './for-assembler.mjs';
import { root } from './setup.mjs';

/** Custom section of the module that holds its fingerprint, in hexadecimal. */
const SECTION = 'gdp-kernel';
/** The assembler's library names its runtime so; ours stands here. */
const STUB = 'rt/stub';
const RUNTIME = 'assembly/lane/runtime.simd.ts';
/** What the bindings write into the module's memory: part of what it computes. */
const TABLES = ['src/kernel/tables.ts'];

/**
 * @param target A target of asconfig.json: release or debug.
 * @param edited Text in place of a file's, by its path.
 * @returns The module with its fingerprint, the fingerprint (128 bits of SHA-256 over all sources, the options and the
 *   compiler's version), the paths of the sources, and the source map if the target has one.
 * @throws Error with what the compiler says of sources it refuses.
 */
export async function compileKernel(target = 'release', edited = {}) {
  const read = new Map();
  const written = new Map();
  const pool = constantPool();
  const textOf = (asked) => {
    const path = portablePath(asked);
    if (path === POOL) return forAssembler(path, pool);
    const full = join(root, path);
    if (!(path in edited || (existsSync(full) && statSync(full).isFile()))) return null;
    const text = edited[path] ?? readFileSync(full, 'utf8');
    read.set(path, text);
    return forAssembler(path, text);
  };
  libraryFiles[STUB] = textOf(RUNTIME);
  const { error, stderr } = await asc.main(['--config', 'asconfig.json', '--target', target], {
    readFile: (name, base) => textOf(relative(root, resolve(root, base, name)).replaceAll('\\', '/')),
    writeFile: (name, contents) => written.set(name, contents),
    listFiles: () => [],
  });
  if (error) throw new Error(stderr.toString());
  for (const path of TABLES) readImports(path, textOf);
  const fingerprint = fingerprintOf(new Map([...read, [POOL, pool]]));
  const output = (suffix) => [...written].find(([name]) => name.endsWith(suffix))?.[1];
  return {
    wasm: Buffer.concat([
      target === 'debug' ? output('.wasm') : shortened(output('.wasm')),
      section(fingerprint),
    ]),
    fingerprint,
    sources: [...read.keys()].sort(),
    sourceMap: output('.map'),
  };
}

/**
 * The same operations in fewer bytes, gzipped, in two rounds. The compiler's own optimizer at level 3, until nothing changes, takes three times as
 * long and gains nothing in speed or size.
 */
function shortened(wasm) {
  const module = binaryen.readBinary(wasm);
  const { BulkMemory, BulkMemoryOpt, MutableGlobals, NontrappingFPToInt, SIMD128, SignExt } =
    binaryen.Features;
  module.setFeatures(BulkMemory | BulkMemoryOpt | MutableGlobals | NontrappingFPToInt | SIMD128 | SignExt);
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  module.optimize();
  module.optimize();
  const bytes = module.emitBinary();
  module.dispose();
  return bytes;
}

/** Reads a TypeScript file and all it imports. */
function readImports(path, textOf, seen = new Set()) {
  if (seen.has(path)) return;
  seen.add(path);
  for (const [, to] of textOf(path).matchAll(/^(?:import|export)\b[^;]*?\bfrom '(\.[^']+)\.js';/gm)) {
    readImports(join(dirname(path), `${to}.ts`).replaceAll('\\', '/'), textOf, seen);
  }
}

function fingerprintOf(read) {
  const hash = createHash('sha256').update(`assemblyscript ${asc.version}\0`);
  for (const path of [...read.keys()].sort()) hash.update(`${path}\0${read.get(path)}\0`);
  return hash.digest('hex').slice(0, 32);
}

/** A custom section (WebAssembly core specification 5.5.3): id 0, size, name, contents; both lengths fit one LEB128 byte. */
function section(fingerprint) {
  const content = Buffer.from(`${String.fromCharCode(SECTION.length)}${SECTION}${fingerprint}`, 'latin1');
  return Buffer.concat([Buffer.of(0, content.length), content]);
}
