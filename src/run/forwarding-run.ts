import type { Bracket } from '../numeric/bracket.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import type { Method } from './method.js';

/** A run that takes everything but δ and tests from another one. `of` applies a function to that other run. */
export abstract class ForwardingRun implements DirectedRun {
  protected abstract of<T>(ask: (run: DirectedRun) => T): T;
  abstract logDelta(epsilon: number, width?: number, floor?: number): Bracket;
  abstract test(omega: number, width?: number, floor?: number): CertifiedTest;

  get direction(): DirectedRun['direction'] {
    return this.of((run) => run.direction);
  }

  get method(): Method {
    return this.of((run) => run.method);
  }

  get logInfinity(): Bracket {
    return this.of((run) => run.logInfinity);
  }

  get infinity(): number | undefined {
    return this.of((run) => run.infinity);
  }

  get lattice(): number | undefined {
    return this.of((run) => run.lattice);
  }

  get groups(): number | undefined {
    return this.of((run) => run.groups);
  }

  get vertices(): DirectedRun['vertices'] {
    return this.of((run) => run.vertices);
  }

  get largestLoss(): Bracket | undefined {
    return this.of((run) => run.largestLoss);
  }

  ceiling(epsilon: number): number {
    return this.of((run) => run.ceiling?.(epsilon)) ?? 0;
  }

  guessEpsilon(logDelta: number): number {
    return this.of((run) => run.guessEpsilon(logDelta));
  }

  guessOmega(logFpr: number): number {
    return this.of((run) => run.guessOmega(logFpr));
  }
}
