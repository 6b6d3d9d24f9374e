// The operations on vectors and memory are part of the kernel's language: every file of assembly/ has what lanes.ts and memory.ts export without importing it
// (assembly/globals.d.ts says so to the TypeScript compiler), but for the memory's own arrays.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const OF_MEMORY = ['heap', 'heapBase', 'numbers', 'words'];
/** Files that they are made of. */
const BELOW = /^assembly\/(?:lanes|memory|checks|pool)\b/;
const DECLARED = /^(?:(?:\/\* )?@inline(?: \*\/)? )?(?:export )?(?:function|const|let) (\w+)/gm;
const IMPORTED = /^import \{([^}]*)\}/gm;

let operations;

/** The module of each. */
function modulesOf() {
  operations ??= new Map(
    ['memory', 'lanes'].flatMap((module) => {
      const text = readFileSync(join(root, `assembly/${module}.ts`), 'utf8');
      const names = [...text.matchAll(/^export (?:function|const) (\w+)/gm)].map(([, name]) => name);
      return names.filter((name) => !OF_MEMORY.includes(name)).map((name) => [name, `./${module}.js`]);
    }),
  );
  return operations;
}

/** Of the operations those that a file neither declares nor imports from elsewhere, and their modules. */
export function operationsFor(path, text) {
  if (!/^assembly\b/.test(path) || BELOW.test(path)) return new Map();
  const own = new Set([...text.matchAll(DECLARED)].map(([, name]) => name));
  for (const [, names] of text.matchAll(IMPORTED)) for (const name of names.match(/\w+/g)) own.add(name);
  return new Map([...modulesOf()].filter(([name]) => !own.has(name)));
}

/** Imports, on one line, of those that a text names. */
export function importsOfOperations(operations, text) {
  const named = new Set(text.match(/(?<![\w$.])[A-Za-z]\w*(?![\w$])/g));
  return [...new Set(operations.values())]
    .map((from) => [from, [...operations.keys()].filter((name) => operations.get(name) === from)])
    .map(([from, names]) => [from, names.filter((name) => named.has(name))])
    .filter(([, names]) => names.length > 0)
    .map(([from, names]) => `import { ${names.join(', ')} } from '${from}';`)
    .join('');
}
