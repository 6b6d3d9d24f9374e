import { spawnSync } from 'node:child_process';
import { account, dpSgd, type Engine } from '../src/index.js';
import { timings } from './timing.js';

export interface StartUp {
  /** Milliseconds in a new process from before the import to the answer, least of several: a Gaussian's ε, the CIFAR-10 run's ε. */
  readonly gaussian: number;
  readonly cifar10: number;
}

const PROCESSES = 7;

/** Cold import of the built package to its first answer. */
export function startUp(root: URL): StartUp {
  const entry = JSON.stringify(new URL('dist/index.js', root).href);
  const script = (mechanism: string) => `
    const start = performance.now();
    const { account, dpSgd, gaussian, loadEngine } = await import(${entry});
    account(await loadEngine(), ${mechanism}, { adjacency: 'add-remove' }).epsilon(1e-5);
    process.stdout.write(String(performance.now() - start));`;
  const least = (mechanism: string) => {
    let best = Infinity;
    for (let i = 0; i < PROCESSES; i++) {
      const args = ['--input-type=module', '-e', script(mechanism)];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
      best = Math.min(best, Number(stdout));
    }
    return best;
  };
  return {
    gaussian: least('gaussian({ noiseMultiplier: 1 })'),
    cifar10: least('dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 })'),
  };
}

/** Milliseconds to answers about the CIFAR-10 run in a warm process, least of many. */
export interface FirstAnswers {
  /** `account` and its first δ(8). */
  readonly delta: number;
  /** `account` and its first ε(1e-5). */
  readonly epsilon: number;
  /** Another ε and δ of the same account. */
  readonly laterEpsilon: number;
  readonly laterDelta: number;
}

/** Each account is of a rate of its own, so that nothing is remembered from the one before. */
export async function firstAnswers(engine: Engine): Promise<FirstAnswers> {
  let made = 0;
  const run = () =>
    account(
      engine,
      dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768 * (1 + 1e-9 * made++), steps: 2000 }),
      { adjacency: 'add-remove' },
    );
  const same = run();
  const functions = {
    delta: () => run().delta(8),
    epsilon: () => run().epsilon(1e-5),
    laterEpsilon: () => same.epsilon(1e-5 * (1 + 1e-9 * made++)),
    laterDelta: () => same.delta(8 + 1e-9 * made++),
  };
  const least = await timings(functions, 600);
  const of = (name: keyof FirstAnswers) => least[name]!.least;
  return {
    delta: of('delta'),
    epsilon: of('epsilon'),
    laterEpsilon: of('laterEpsilon'),
    laterDelta: of('laterDelta'),
  };
}
