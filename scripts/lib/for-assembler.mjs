// The kernel's text is TypeScript. The assembler reads it with these changes and no others.

/** Modules that the assembler has in a text of its own, two lanes wide: `X.simd.ts` in place of `X.ts`. */
const OF_LANES = /^(assembly\/(?:lane\/(?:lanes|memory|objects|pool|ready)|functions\/elementary))\.ts$/;

/** Where the text is that the assembler asks for. */
export function portablePath(path) {
  return path.replace(OF_LANES, '$1.simd.ts');
}

/** The text of a file for the assembler, line for line: it has no endings in imports, and its decorators of functions are none of TypeScript. */
export function forAssembler(path, text) {
  if (!path.startsWith('assembly/')) return text;
  return text.replace(/(from '\.[^']*)\.js';/g, "$1';").replaceAll('/* @inline */', '@inline');
}
