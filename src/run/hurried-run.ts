import { type Bracket, bracket } from '../numeric/bracket.js';
import { outward } from '../numeric/log-arithmetic.js';
import { expm1, log, logDeltaGdp } from '../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import { gain } from './hull-run.js';
import type { Method } from './method.js';

/** Questions that are remembered, at most; later ones take the place of the oldest. */
const MOST = 4096;

/** The time that answers may take in all, in milliseconds. */
export class Deadline {
  /** Whether an answer had to be found without asking. */
  late = false;
  /** Told when that happens first. */
  whenLate: (() => void) | undefined;

  private left: number;

  constructor(most: number) {
    this.left = most;
  }

  get over(): boolean {
    return this.left <= 0;
  }

  /** What is asked while there is time, else what is known without; the answer under way is not broken off. */
  spend<T>(ask: () => T, known: () => T): T {
    if (this.over) {
      if (!this.late) this.whenLate?.();
      this.late = true;
      return known();
    }
    const start = performance.now();
    try {
      return ask();
    } finally {
      this.left -= performance.now() - start;
    }
  }
}

/**
 * A run whose answers take a limited time: afterwards they follow from earlier ones. δ falls with ε, so that what is known at smaller ε bounds it from above and at larger
 * ones from below; max(0, 1 − e^ε) ≤ δ(ε) ≤ 1 always; and any test that exists may answer for another. So brackets still hold, and are wider.
 *
 * @param muCeiling A μ of which the run is known to be GDP.
 */
export function hurriedRun(run: DirectedRun, deadline: Deadline, muCeiling: number = Infinity): DirectedRun {
  const deltas = new Map<number, Bracket>();
  const tests = new Map<number, CertifiedTest>();
  const keep = <V>(map: Map<number, V>, key: number, value: V): V => {
    if (map.size >= MOST && !map.has(key)) map.delete(map.keys().next().value as number);
    map.set(key, value);
    return value;
  };
  const delta = (epsilon: number): Bracket => {
    let upper = muCeiling < Infinity ? outward(logDeltaGdp(muCeiling, epsilon), 1) : 0;
    let lower = epsilon < 0 ? log(-expm1(epsilon)) - 1e-15 : -Infinity;
    for (const [at, known] of deltas) {
      if (at <= epsilon) upper = Math.min(upper, known.upper);
      if (at >= epsilon) lower = Math.max(lower, known.lower);
    }
    return bracket(Math.min(lower, upper), upper);
  };
  const test = (omega: number): CertifiedTest => {
    // who always rejects
    let best: CertifiedTest = { logFpr: 0, logTpr: 0 };
    for (const known of tests.values()) if (gain(known, omega) > gain(best, omega)) best = known;
    return best;
  };
  /** The ε of the answer whose δ is the nearest. */
  const nearest = (logDelta: number): number => {
    let [best, miss] = [1, Infinity];
    for (const [at, { upper }] of deltas) {
      const own = Math.abs(upper - logDelta);
      if (own < miss) [best, miss] = [at, own];
    }
    return Math.max(0, best);
  };
  return {
    direction: run.direction,
    get method(): Method {
      return run.method;
    },
    get lattice(): number | undefined {
      return run.lattice;
    },
    get groups(): number | undefined {
      return run.groups;
    },
    get vertices(): DirectedRun['vertices'] {
      return run.vertices;
    },
    get infinity(): number | undefined {
      return run.infinity;
    },
    get logInfinity(): Bracket {
      return deadline.spend(
        () => run.logInfinity,
        () => bracket(-Infinity, delta(Infinity).upper),
      );
    },
    get largestLoss(): Bracket | undefined {
      return deadline.spend(
        () => run.largestLoss,
        () => undefined,
      );
    },
    logDelta: (epsilon, width, floor) =>
      deadline.spend(
        () => keep(deltas, epsilon, run.logDelta(epsilon, width, floor)),
        () => delta(epsilon),
      ),
    test: (omega, width, floor) =>
      deadline.spend(
        () => keep(tests, omega, run.test(omega, width, floor)),
        () => test(omega),
      ),
    guessEpsilon: (target) =>
      deadline.spend(
        () => run.guessEpsilon(target),
        () => nearest(target),
      ),
    guessOmega: (target) =>
      deadline.spend(
        () => run.guessOmega(target),
        () => nearest(target),
      ),
    methodAt: (epsilon, width) =>
      deadline.spend(
        () => run.methodAt?.(epsilon, width) ?? run.method,
        () => run.method,
      ),
    explain: (epsilon, width) =>
      deadline.spend(
        () => run.explain?.(epsilon, width),
        () => undefined,
      ),
  };
}
