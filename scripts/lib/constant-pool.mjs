// The text that the assembler reads as assembly/lane/pool.simd.ts, from the names that the two-lane code asks of it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

/** The file whose text is made and not kept. */
export const POOL = 'assembly/lane/pool.simd.ts';

/**
 * The constants of src/kernel/constants.ts in static memory, by address. V8 compiles a v128 load-splat of a constant address to one
 * instruction, but builds a splat of a literal from three, inside the loop: 10 to 30 % of the time of these kernels.
 */
export function constantPool() {
  const folder = join(root, 'assembly');
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.ts'));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  const used = new Set(
    texts.flatMap((text) => [...text.matchAll(/\bpool\.([A-Z][A-Z0-9_]*)/g)].map(([, name]) => name)),
  );
  const names = [...used].sort();
  return `import * as constants from '../../src/kernel/constants.js';

const POOL: usize = memory.data<f64>([
${names.map((name) => `  constants.${name},`).join('\n')}
], 16);

${names.map((name, i) => `export const ${name}: usize = POOL + ${8 * i};`).join('\n')}
`;
}
