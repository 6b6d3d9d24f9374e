import {
  account,
  breakpoints,
  calibrate,
  discreteGaussian,
  dpSgd,
  type Engine,
  laplace,
  measure,
  measureHead,
  repeat,
  transformCurve,
} from '../src/index.js';
import type { Bracket } from '../src/numeric/bracket.js';
import { normalCdf, normalQuantile } from '../src/numeric/scalar.js';
import { report } from '../src/report/index.js';
import { once } from './timing.js';
import { noiseUnknown } from './unknowns.js';

/** How much of a verb's time is spent in calls of the kernel, copies into and out of its memory included. */
export interface Share {
  readonly verb: string;
  /** Least of a few runs. */
  readonly milliseconds: number;
  /** Of that run, 0 … 1. */
  readonly share: number;
  readonly calls: number;
}

const ADD_REMOVE = { adjacency: 'add-remove' } as const;
const CIFAR = dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 });
const LAPLACE = laplace({ scale: 0.5, sensitivity: 1 });
const REPEATS = 3;

const VERBS: readonly { readonly verb: string; readonly run: (engine: Engine) => Bracket[] }[] = [
  { verb: 'report of the CIFAR-10 run', run: (engine) => [report(account(engine, CIFAR, ADD_REMOVE)).mu] },
  { verb: 'mu of the CIFAR-10 run', run: (engine) => [measure(account(engine, CIFAR, ADD_REMOVE)).mu] },
  {
    verb: 'epsilon(1e-5) of the CIFAR-10 run by the grid',
    run: (engine) => [account(engine, CIFAR, { ...ADD_REMOVE, method: 'grid' }).epsilon(1e-5)],
  },
  {
    verb: 'mu of 100 discrete Gaussians',
    run: (engine) => {
      const releases = repeat(discreteGaussian({ sigma: 10, sensitivity: 1 }), 100);
      return [measure(account(engine, releases, ADD_REMOVE)).mu];
    },
  },
  {
    verb: 'head of the CIFAR-10 run',
    run: (engine) => [
      measureHead(engine, account(engine, CIFAR, ADD_REMOVE), { epsilonHead: 5, resolution: 1e3 }).headMu,
    ],
  },
  ...[false, true].map((exhaustive) => ({
    verb: `head of Laplace noise${exhaustive ? ', every cell' : ''}`,
    run: (engine: Engine) => [
      measureHead(engine, account(engine, LAPLACE, ADD_REMOVE), {
        epsilonHead: 3,
        resolution: 1e4,
        exhaustive,
      }).headMu,
    ],
  })),
  {
    verb: 'Gaussian-DP transformation of Laplace noise, 10001 points',
    run: (engine) => [
      ...transformCurve(account(engine, LAPLACE, ADD_REMOVE), { epsilonHead: 3, points: 10_001, engine }).mu,
    ],
  },
  ...[10_000, 1_000_000].map((count) => {
    const f = breakpoints(gaussianPoints(count));
    return {
      verb: `mu and regret of ${count} breakpoints`,
      run: (engine: Engine) => {
        const { mu, regret } = measure(f, { engine });
        return [mu, regret];
      },
    };
  }),
  {
    verb: 'calibrate sigma to (2, 1e-5), q = 0.01, T = 5000',
    run: (engine) => {
      const unknown = noiseUnknown({ samplingRate: 0.01, steps: 5000 });
      return Object.values(calibrate(engine, unknown, { epsilon: 2, delta: 1e-5 }, ADD_REMOVE).achieved);
    },
  },
];

/** Points of G_1. */
function gaussianPoints(count: number): { alpha: number; beta: number }[] {
  return Array.from({ length: count }, (_, i) => {
    const alpha = (i + 1) / (count + 1);
    return { alpha, beta: Math.min(1 - alpha, normalCdf(-normalQuantile(alpha) - 1)) };
  });
}

/** @throws Error if a timed engine answers otherwise than the engine itself. */
export function shares(engine: Engine): Share[] {
  const watch = { milliseconds: 0, calls: 0 };
  const watched: Engine = { kernel: timed(engine.kernel, watch) };
  return VERBS.map(({ verb, run }) => {
    const [plain, seen] = [engine, watched].map((each) => JSON.stringify(run(each)));
    if (plain !== seen) throw new Error(`${verb}: timing the kernel changes the answer`);
    let best: Share = { verb, milliseconds: Infinity, share: 0, calls: 0 };
    for (let round = 0; round < REPEATS; round++) {
      Object.assign(watch, { milliseconds: 0, calls: 0 });
      const { milliseconds } = once(() => run(watched));
      const { calls } = watch;
      if (milliseconds < best.milliseconds)
        best = { verb, milliseconds, share: watch.milliseconds / milliseconds, calls };
    }
    return best;
  });
}

/** The kernel, every call of it timed. */
function timed(kernel: Engine['kernel'], watch: { milliseconds: number; calls: number }): Engine['kernel'] {
  return new Proxy(kernel, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const start = performance.now();
        const result: unknown = member.apply(target, args);
        watch.milliseconds += performance.now() - start;
        watch.calls++;
        return result;
      };
    },
  });
}
