import type { Kernel } from '../kernel/kernel.js';
import type { SpectralLaw } from '../methods/contour/step/spectral-law.js';
import { Once } from '../numeric/recent.js';
import { LINES, PLACES, POINTS, REACH, SCALES, scaleOf } from './stream-places.js';

/** What steps add at a place of `PLACES`. It is a function of the law and the count alone, so that they add the same bits whenever that is, and to whatever state. */
export type Contribution = (place: number) => Float64Array;

/** That of `count` steps of a law, worked out where it is asked for and kept. */
export function contributionOf(kernel: Kernel, law: SpectralLaw, count: number): Contribution {
  const known: Float64Array[] = [];
  return (place) => {
    known[place] ??= PLACES[place].of(kernel, law, count);
    return known[place];
  };
}

/** At a place where nothing more is added: losses are too wide for its scale. */
const GIVEN_UP = new Float64Array(0);
/** Losses wider than this many scales are left to the scales above. */
const TOO_WIDE = 5;
/** Steps that places may wait for, at most. Memory and speed hang on it. */
const MOST_WAITING = 32;

/**
 * What a stream has added up of one direction, and the last steps, which are added at a place when that is asked for. At
 * every place steps are added in the order they came, and which places are kept follows from the sums on the real axis. So no sum
 * depends on what was asked before.
 */
export class StreamSums {
  private readonly known: Float64Array[] = [];
  private readonly kept = new Once(() => this.keptPlaces());

  constructor(
    private readonly settled: readonly Float64Array[] = PLACES.map(({ length }) => new Float64Array(length)),
    private readonly waiting: readonly Contribution[] = [],
  ) {}

  /** The same and a step more. */
  plus(step: Contribution): StreamSums {
    const { settled, waiting } = this;
    return waiting.length < MOST_WAITING
      ? new StreamSums(settled, [...waiting, step])
      : new StreamSums(this.whole(), [step]);
  }

  /** The same and all that another has. */
  merged(other: StreamSums): StreamSums {
    const theirs = other.whole();
    const sums = this.whole().map((sum, i) => added(i, sum, [(place) => theirs[place]]));
    return new StreamSums(new StreamSums(sums).whole());
  }

  /** Everything added: the sum at each place, or nothing where it is given up. */
  whole(): readonly Float64Array[] {
    return PLACES.map((_, i) => (this.keeps(i) ? this.at(i) : GIVEN_UP));
  }

  /** The sum at a place. */
  at(place: number): Float64Array {
    this.known[place] ??= added(place, this.settled[place], this.waiting);
    return this.known[place];
  }

  keeps(place: number): boolean {
    return this.kept.value.has(place);
  }

  private keptPlaces(): Set<number> {
    const kept = new Set<number>();
    let furthest = 0;
    for (const { s, top, point, decay, nodes } of LINES) {
      const [, , , variance] = this.at(point);
      // never the largest
      const own = nodes.filter(
        (place, i) =>
          this.settled[place].length > 0 &&
          (top - i === SCALES - 1 || variance < (TOO_WIDE * scaleOf(top - i)) ** 2),
      );
      if (own.length === 0) continue;
      furthest = Math.max(furthest, s);
      for (const place of [decay, ...own]) kept.add(place);
    }
    for (const { s, place } of POINTS) if (Math.abs(s) < REACH * furthest) kept.add(place);
    return kept;
  }
}

function added(place: number, settled: Float64Array, steps: readonly Contribution[]): Float64Array {
  const sum = settled.slice();
  const { rounding } = PLACES[place];
  for (const step of sum.length > 0 ? steps : []) {
    const more = step(place);
    if (more.length === 0) return GIVEN_UP;
    for (let i = 0; i < sum.length; i++) sum[i] += more[i];
    if (rounding !== undefined) sum[0] += rounding(sum);
  }
  return sum;
}
