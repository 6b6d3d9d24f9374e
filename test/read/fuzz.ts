import { readFileSync } from 'node:fs';
import { isInputError } from '../../src/errors.js';
import { compose, dpSgd, laplace } from '../../src/index.js';
import { recognise } from '../../src/read/index.js';
import { cpuSeconds } from '../helpers/cpu.js';
import { mutated } from '../helpers/mutate.js';
import { pldProto } from '../helpers/pld-writer.js';
import { seeded } from '../helpers/random.js';
import { zip } from '../helpers/zip-writer.js';

const fixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`./fixtures/${name}`, import.meta.url)));
const text = (s: string) => new TextEncoder().encode(s);

/** One valid input of every format. */
export const SEEDS: readonly Uint8Array[] = [
  fixture('checkpoint.pt'),
  fixture('checkpoint-deflated.pt'),
  fixture('checkpoint-zip64.pt'),
  fixture('state-0.pkl'),
  fixture('state-2.pkl'),
  fixture('state-4.pkl'),
  zip([{ name: 'data.pkl', content: fixture('state-5.pkl'), deflate: true }]),
  text('{"history": [[1.3, 0.004, 5000], [0.9, 0.004, 500]], "mechanism": "prv"}'),
  text(
    'SelfComposedDpEvent(event=PoissonSampledDpEvent(sampling_probability=0.01, event=GaussianDpEvent(noise_multiplier=1.1)), count=1000)',
  ),
  text(
    'ComposedDpEvent([LaplaceDpEvent(2.0), ZCDpEvent(rho=0.5, xi=0.0), RandomizedResponseDpEvent(0.4, 4)])',
  ),
  text(
    '{"module_name": "dp_accounting.dp_event", "class_name": "SelfComposedDpEvent", "event": ["m", "DiscreteGaussianDpEvent", 2.0, 1.0, null], "count": 7}',
  ),
  text('--N=60000 --batch_size=256 --noise_multiplier=1.1 --epochs=60 --delta=1e-5 --noused_microbatching'),
  text('{"N": 60000, "batch_size": 256, "noise_multiplier": 1.1, "epochs": 60, "used_microbatching": true}'),
  text(
    'DP-SGD performed over 10000 examples with 64 examples per iteration, noise\nmultiplier 2.0 for 5.0 epochs with microbatching, and at most 3 examples per user.\n\nExample-level DP with add-or-remove-one adjacency at delta = 1e-06 computed with\nRDP accounting:\n    Epsilon assuming Poisson sampling (*):                      1.616\n',
  ),
  text(
    'DP-SGD with sampling rate = 0.427% and noise_multiplier = 1.1 iterated over 14063 steps satisfies differential privacy with eps = 2.92 and delta = 1e-05.',
  ),
  text(
    JSON.stringify(
      compose([
        dpSgd({ noiseMultiplier: 1, samplingRate: 0.1, steps: 9 }),
        laplace({ scale: 2, sensitivity: 1 }),
      ]),
    ),
  ),
  text('{"kind": "tabulated", "points": [{"epsilon": 0, "delta": 0.5}, {"epsilon": 1, "delta": 0.1}]}'),
  pldProto({ minKey: -3, values: [0.1, 0.2, 0.1, 0.2, 0.2, 0.1, 0.1], infinity: 1e-6, interval: 0.25 }),
  pldProto({ minKey: -1, values: [0.25, 0.5, 0.25], packed: true }),
];

export interface FuzzOutcome {
  readonly read: number;
  readonly refused: number;
  /** What was thrown that is no sentence about the input. */
  readonly failures: readonly string[];
  /** Seconds of processor time of the slowest input. */
  readonly slowest: number;
}

/** Reads `count` mutations of the seeds, in turn. */
export function fuzz(count: number, seed: number): FuzzOutcome {
  const random = seeded(seed);
  const failures: string[] = [];
  let [read, refused, slowest] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const input = mutated(SEEDS[i % SEEDS.length], random);
    const spent = cpuSeconds(() => {
      try {
        recognise(input);
        read++;
      } catch (error) {
        refused++;
        if (!isSentence(error)) failures.push(`input ${i}: ${(error as Error).stack}`);
      }
    });
    slowest = Math.max(slowest, spent);
  }
  return { read, refused, failures, slowest };
}

/** One of the three errors that are promised, by us: the engine's own never begin so. */
function isSentence(error: unknown): boolean {
  return isInputError(error) && /^(it (?:is|has) |")[^\n\r]+$/.test(error.message);
}
