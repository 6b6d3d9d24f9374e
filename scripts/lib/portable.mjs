// The kernel's text is TypeScript. The assembler reads it with these changes and no others.

/** Modules that the assembler has in a text of its own, two lanes wide: `X.simd.ts` in place of `X.ts`. */
const OF_LANES = /^(assembly\/(?:lanes|pool|elementary))\.ts$/;

/** What assembly/memory.ts is to JavaScript, the assembler has built in: an offset must be a literal there, which no function can pass on. */
const BUILT_IN = {
  load: 'v128.load',
  store: 'v128.store',
  splat: 'v128.load64_splat',
  loadF64: 'load<f64>',
  storeF64: 'store<f64>',
  loadU32: '<usize>load<u32>',
  storeU32: 'store<u32>',
};
/** One number of each of two rows. */
const ENTRY = /(?<![\w.])entry\((\w+), (\w+), (\d+)\)/g;
const CALL = new RegExp(`(?<![\\w.])(${Object.keys(BUILT_IN).join('|')})\\(`, 'g');

/** Where the text is that the assembler asks for. */
export function portablePath(path) {
  return path.replace(OF_LANES, '$1.simd.ts');
}

/** The text of a file for the assembler, line for line. */
export function forAssembler(path, text) {
  if (!path.startsWith('assembly/')) return text;
  const named = text.replace(/(from '\.[^']*)\.js';/g, "$1';");
  if (path.endsWith('.simd.ts')) return named;
  return named
    .replace(/^import \{[^}]*\} from '\.\/memory';/gm, (lines) => lines.replace(/[^\n]/g, ''))
    .replaceAll('/* @inline */', '@inline')
    .replace(ENTRY, 'v128.load64_lane($2, v128.load64_zero($1, $3), 1, $3)')
    .replace(CALL, (_, name) => `${BUILT_IN[name]}(`);
}
