import { workloads } from '../../bench/workloads.js';
import type * as Library from '../../src/index.js';

/**
 * What the library computes here, as text: a hash of the bits of every kernel method on seeded inputs,
 * for both engines, and a run's ε(1e-5) bracket. Runs in Node and, unchanged, in a page.
 */
export async function probe(library: typeof Library, state: string): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const name of ['wasm', 'reference'] as const) {
    const engine = await library.loadEngine({ kernel: name });
    seen[`${name} engine`] = engine.kernel.name;
    for (const workload of workloads(4096)) {
      seen[`${name} ${workload.name}`] = hashBits(workload.call(engine.kernel));
    }
    const run = library.account(engine, library.parseOpacusState(state), { adjacency: 'add-remove' });
    const { lower, upper } = run.epsilon(1e-5);
    seen[`${name} epsilon(1e-5)`] = `[${lower}, ${upper}] ${hashBits(Float64Array.of(lower, upper))}`;
  }
  const automatic = await library.loadEngine();
  seen['auto engine'] = automatic.kernel.name;
  return seen;
}

/** FNV-1a over the bits, NaNs made equal (their payload is not part of a result). */
function hashBits(values: Float64Array): string {
  const words = new Uint32Array(Float64Array.from(values, (x) => (Number.isNaN(x) ? Number.NaN : x)).buffer);
  let hash = 0x811c9dc5;
  for (const word of words) {
    for (let shift = 0; shift < 32; shift += 8) {
      hash = Math.imul(hash ^ ((word >>> shift) & 255), 0x01000193) >>> 0;
    }
  }
  return hash.toString(16).padStart(8, '0');
}
