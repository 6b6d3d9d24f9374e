import { type Bracket, bracket } from '../numeric/bracket.js';
import { outward } from '../numeric/log-arithmetic.js';
import { expm1, log, logDeltaGdp } from '../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import { gain } from './hull-run.js';
import type { ErrorBudget, Method } from './method.js';

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

/** What a run has answered so far, and what follows from it: at most `MOST` answers of each kind. */
class Known {
  private readonly deltas = new Map<number, Bracket>();
  private readonly tests = new Map<number, CertifiedTest>();

  constructor(private readonly muCeiling: number) {}

  keepDelta(epsilon: number, found: Bracket): Bracket {
    return keep(this.deltas, epsilon, found);
  }

  keepTest(omega: number, found: CertifiedTest): CertifiedTest {
    return keep(this.tests, omega, found);
  }

  /** log δ(ε): δ falls with ε, and max(0, 1 − e^ε) ≤ δ(ε) ≤ 1. */
  delta(epsilon: number): Bracket {
    const { muCeiling } = this;
    let upper = muCeiling < Infinity ? outward(logDeltaGdp(muCeiling, epsilon), 1) : 0;
    let lower = epsilon < 0 ? log(-expm1(epsilon)) - 1e-15 : -Infinity;
    for (const [at, known] of this.deltas) {
      if (at <= epsilon) upper = Math.min(upper, known.upper);
      if (at >= epsilon) lower = Math.max(lower, known.lower);
    }
    return bracket(Math.min(lower, upper), upper);
  }

  test(omega: number): CertifiedTest {
    // who always rejects
    let best: CertifiedTest = { logFpr: 0, logTpr: 0 };
    for (const known of this.tests.values()) if (gain(known, omega) > gain(best, omega)) best = known;
    return best;
  }

  /** The ε of the answer whose δ is the nearest. */
  nearest(logDelta: number): number {
    let [best, miss] = [1, Infinity];
    for (const [at, { upper }] of this.deltas) {
      const own = Math.abs(upper - logDelta);
      if (own < miss) [best, miss] = [at, own];
    }
    return Math.max(0, best);
  }
}

function keep<V>(map: Map<number, V>, key: number, value: V): V {
  if (map.size >= MOST && !map.has(key)) map.delete(map.keys().next().value as number);
  map.set(key, value);
  return value;
}

/**
 * A run whose answers take a limited time: afterwards they follow from earlier ones. δ falls with ε, so that what is known at smaller ε bounds it from above and at larger
 * ones from below; max(0, 1 − e^ε) ≤ δ(ε) ≤ 1 always; and any test that exists may answer for another. So brackets still hold, and are wider.
 *
 * @param muCeiling A μ of which the run is known to be GDP.
 */
export function hurriedRun(run: DirectedRun, deadline: Deadline, muCeiling: number = Infinity): DirectedRun {
  return new HurriedRun(run, deadline, new Known(muCeiling));
}

class HurriedRun implements DirectedRun {
  constructor(
    private readonly run: DirectedRun,
    private readonly deadline: Deadline,
    private readonly known: Known,
  ) {}

  get direction(): DirectedRun['direction'] {
    return this.run.direction;
  }

  get method(): Method {
    return this.run.method;
  }

  get lattice(): number | undefined {
    return this.run.lattice;
  }

  get groups(): number | undefined {
    return this.run.groups;
  }

  get vertices(): DirectedRun['vertices'] {
    return this.run.vertices;
  }

  get infinity(): number | undefined {
    return this.run.infinity;
  }

  get logInfinity(): Bracket {
    const known = (): Bracket => bracket(-Infinity, this.known.delta(Infinity).upper);
    return this.deadline.spend(() => this.run.logInfinity, known);
  }

  get largestLoss(): Bracket | undefined {
    const unknown = (): Bracket | undefined => undefined;
    return this.deadline.spend(() => this.run.largestLoss, unknown);
  }

  logDelta(epsilon: number, width?: number, floor?: number): Bracket {
    const asked = (): Bracket => this.known.keepDelta(epsilon, this.run.logDelta(epsilon, width, floor));
    return this.deadline.spend(asked, () => this.known.delta(epsilon));
  }

  ceiling(epsilon: number): number {
    return this.run.ceiling?.(epsilon) ?? 0;
  }

  test(omega: number, width?: number, floor?: number): CertifiedTest {
    const asked = (): CertifiedTest => this.known.keepTest(omega, this.run.test(omega, width, floor));
    return this.deadline.spend(asked, () => this.known.test(omega));
  }

  guessEpsilon(target: number): number {
    const asked = (): number => this.run.guessEpsilon(target);
    return this.deadline.spend(asked, () => this.known.nearest(target));
  }

  guessOmega(target: number): number {
    const asked = (): number => this.run.guessOmega(target);
    return this.deadline.spend(asked, () => this.known.nearest(target));
  }

  methodAt(epsilon: number, width?: number): Method {
    const asked = (): Method => this.run.methodAt?.(epsilon, width) ?? this.run.method;
    return this.deadline.spend(asked, () => this.run.method);
  }

  explain(epsilon: number, width?: number): ErrorBudget | undefined {
    const unknown = (): ErrorBudget | undefined => undefined;
    return this.deadline.spend(() => this.run.explain?.(epsilon, width), unknown);
  }
}
