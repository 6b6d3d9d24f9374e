import { workloads } from '../../bench/workloads.js';
import type * as Library from '../../src/index.js';

/**
 * What the library computes here, as text: a hash of the bits of every kernel method on seeded inputs and of
 * whole answers by every method, for both engines. Runs in any Node and, unchanged, in a page.
 */
export async function probe(
  library: typeof Library,
  mechanism: Library.Mechanism,
): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const name of ['wasm', 'reference'] as const) {
    const engine = await library.loadEngine({ kernel: name });
    seen[`${name} engine`] = engine.kernel.name;
    for (const workload of workloads(4096)) {
      seen[`${name} ${workload.name}`] = hashBits(workload.call(engine.kernel));
    }
    for (const [what, values] of wholeAnswers(library, engine, mechanism)) {
      seen[`${name} ${what}`] = `${values.join(' ')} ${hashBits(Float64Array.from(values))}`;
    }
  }
  const automatic = await library.loadEngine();
  seen['auto engine'] = automatic.kernel.name;
  return seen;
}

/** Brackets of whole runs, as numbers. */
function* wholeAnswers(
  library: typeof Library,
  engine: Library.Engine,
  mechanism: Library.Mechanism,
): Generator<[string, number[]]> {
  const ends = ({ lower, upper }: Library.Bracket) => [lower, upper];
  const run = library.account(engine, mechanism, { adjacency: 'add-remove' });
  yield ['epsilon(1e-5)', ends(run.epsilon(1e-5))];
  yield ['delta(8)', ends(run.delta(8))];
  yield ['log delta(40)', ends(run.logDelta(40))];
  yield ['f(1e-3)', ends(run.tradeoff(1e-3))];
  const { mu, regret } = library.measure(run);
  yield ['mu', ends(mu)];
  yield ['regret', ends(regret)];
  const options = {
    adjacency: 'add-remove',
    method: 'grid',
    maxGridLength: 2 ** 14,
    tolerance: 1e-3,
  } as const;
  const onGrid = library.account(engine, run.settings.mechanism, options);
  yield ['epsilon(1e-5) by the grid', ends(onGrid.epsilon(1e-5))];
  const laplace = library.repeat(library.laplace({ scale: 10, sensitivity: 1 }), 100);
  const composed = library.account(engine, laplace, { ...options, method: 'auto' });
  yield ['Laplace, epsilon(1e-6)', ends(composed.epsilon(1e-6))];
  const gaussian = library.gaussian({ noiseMultiplier: 0.7 });
  const single = library.account(engine, gaussian, { adjacency: 'replace-one' });
  yield ['Gaussian, epsilon(1e-12)', ends(single.epsilon(1e-12))];
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
