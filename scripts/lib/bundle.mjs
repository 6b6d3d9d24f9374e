// TypeScript as modules of JavaScript, and scripts of one file made of them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { minifySync } from 'oxc-minify';
import { transformSync } from 'oxc-transform';
import { rollup } from 'rollup';
import { root } from './setup.mjs';
import { writtenOut } from './written-out.mjs';

/** The JavaScript of a TypeScript file, or of the `source` given in its place: types are stripped, and with them fields that have no more than one; the kernel's operations are written out, imports stay as they stand. */
export function stripTypes(path, { source = readFileSync(path, 'utf8'), ...options } = {}) {
  const { code, map, errors } = transformSync(path, writtenOut(relative(root, path), source), {
    typescript: { onlyRemoveTypeImports: true, removeClassFieldsWithoutInitializer: true },
    jsx: { runtime: 'automatic', importSource: 'preact' },
    ...options,
  });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  return { code, map };
}

/** Short names and short expressions. `scripts/bits.mjs` says that the bits stay. */
export function minified(name, code) {
  const { code: short, errors } = minifySync(name, code, { module: true, compress: true, mangle: true });
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  return short;
}

/** Sources import `x.js` where `x.ts` or `x.tsx` stands. */
const typescript = {
  name: 'typescript',
  resolveId(id, importer) {
    if (!importer || !id.startsWith('.')) return null;
    const path = resolve(dirname(importer), id).replace(/\.js$/, '');
    const source = [`${path}.ts`, `${path}.tsx`].find(existsSync);
    return source ? { id: source, moduleSideEffects: false } : null;
  },
  load: (id) => (/\.tsx?$/.test(id) ? stripTypes(id) : null),
};

/**
 * One script with all that it imports.
 *
 * @param {string} input path of a source.
 * @param {{ format?: 'es' | 'iife', minify?: boolean }} options
 * @returns {Promise<{ code: string, moduleIds: string[] }>}
 */
export async function bundle(input, { format = 'es', minify = false } = {}) {
  const build = await rollup({
    input,
    plugins: [typescript, nodeResolve({ browser: true })],
    onwarn: (warning) => {
      throw new Error(`${input}: ${warning.message}`);
    },
  });
  const { output } = await build.generate({ format, inlineDynamicImports: true });
  await build.close();
  if (output.length !== 1) throw new Error(`${input} is ${output.length} chunks, expected one`);
  const [{ code, moduleIds }] = output;
  return { code: minify ? minified(input.replace(/\.tsx?$/, '.js'), code) : code, moduleIds };
}
