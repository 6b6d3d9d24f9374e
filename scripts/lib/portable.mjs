// The kernel's text is TypeScript. The assembler reads it with these changes and no others.
import { importsOfOperations, operationsFor } from './operations.mjs';

/** Modules that the assembler has in a text of its own, two lanes wide: `X.simd.ts` in place of `X.ts`. */
const OF_LANES = /^(assembly\/(?:lanes|pool|elementary|ready))\.ts$/;

/**
 * What the assembler has built in, of assembly/memory.ts and assembly/lanes.ts: the former's offsets must be literals there, which no function
 * can pass on. Of these names, those that are not listed have the name of the operation on two lanes.
 */
const BUILT_IN = {
  load: 'v128.load',
  store: 'v128.store',
  splat: 'v128.load64_splat',
  loadF64: 'load<f64>',
  storeF64: 'store<f64>',
  loadU32: '<usize>load<u32>',
  storeU32: 'store<u32>',
  all: 'f64x2.splat',
  pair: 'f64x2',
  ...sameNames('f64x2', 'add sub mul div neg abs sqrt lt le gt ge eq ne pmin pmax'),
  ...sameNames('v128', 'and or andnot not'),
  select: 'v128.bitselect',
  differ: 'v128.xor',
  keep: 'v128.and',
  drop: 'v128.andnot',
  anyTrue: 'v128.any_true',
  allTrue: 'i64x2.all_true',
};
/** One number of each of two rows. */
const ENTRY = /(?<![\w.])entry\((\w+), (\w+), (\d+)\)/g;

function sameNames(type, names) {
  return Object.fromEntries(names.split(' ').map((name) => [name, `${type}.${name}`]));
}

/** Where the text is that the assembler asks for. */
export function portablePath(path) {
  return path.replace(OF_LANES, '$1.simd.ts');
}

/** The text of a file for the assembler, line for line. */
export function forAssembler(path, text) {
  if (!path.startsWith('assembly/')) return text;
  const named = text.replace(/(from '\.[^']*)\.js';/g, "$1';").replaceAll('/* @inline */', '@inline');
  const operations = operationsFor(path, named);
  const built = Object.keys(BUILT_IN).filter((name) => operations.has(name));
  const others = [...operations].filter(([name, from]) => from === './lanes.js' && !(name in BUILT_IN));
  const imports = importsOfOperations(new Map(others.map(([name]) => [name, './lanes'])), named);
  const call = new RegExp(`(?<![\\w.])(${built.join('|')})\\(`, 'g');
  const replaced = built.length === 0 ? named : named.replace(call, (_, name) => `${BUILT_IN[name]}(`);
  return imports + replaced.replace(ENTRY, 'v128.load64_lane($2, v128.load64_zero($1, $3), 1, $3)');
}
