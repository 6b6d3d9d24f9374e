import type { AccountOptions } from '../../src/account/options.js';
import { loadEngineSync } from '../../src/engine-sync.js';
import { account, type ComposedRun, compose, dpSgd, type Engine } from '../../src/index.js';

export const wasm: Engine = loadEngineSync({ kernel: 'wasm' });
export const reference: Engine = loadEngineSync({ kernel: 'reference' });

export type PhaseTriple = readonly [sigma: number, q: number, steps: number];

/** A run of DP-SGD phases on the WASM engine, unless `options` names another. */
export function runOf(
  phases: readonly PhaseTriple[],
  options: Partial<AccountOptions> & { engine?: Engine } = {},
): ComposedRun {
  const { engine = wasm, ...rest } = options;
  const mechanism = compose(
    phases.map(([noiseMultiplier, samplingRate, steps]) => dpSgd({ noiseMultiplier, samplingRate, steps })),
  );
  return account(engine, mechanism, { adjacency: 'add-remove', ...rest });
}
