// Writes assembly/pool.ts: the fitted constants of src/kernel/constants.ts that the two-lane code loads.
// A name added to the two-lane code and missing from the pool is a compile error: run this again then.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const used = new Set();
for (const file of readdirSync(join(root, 'assembly'))) {
  const text = readFileSync(join(root, 'assembly', file), 'utf8');
  for (const match of text.matchAll(/\bpool\.([A-Z][A-Z0-9_]*)/g)) used.add(match[1]);
}
const names = [...used].sort();
const text = `/**
 * The constants of src/kernel/constants.ts in static memory, by address. V8 compiles a v128 load-splat of
 * a constant address to one instruction, but builds a splat of a literal from three, inside the loop:
 * 10 to 30 % of the time of these kernels. Written by \`node scripts/make-constant-pool.mjs\`.
 */
// biome-ignore-all format: generated
import { ${names.join(', ')} } from '../src/kernel/constants';

const POOL: usize = memory.data<f64>([
  ${names.join(', ')},
], 16);

${names.map((name, i) => `const AT_${name}: usize = POOL + ${8 * i};`).join('\n')}

export { ${names.map((name) => `AT_${name} as ${name}`).join(', ')} };
`;
writeFileSync(join(root, 'assembly/pool.ts'), text);
