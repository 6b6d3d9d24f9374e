import type { Kernel } from '../kernel/kernel.js';
import { methods } from '../methods/brought/methods.js';
import type { Answer } from '../methods/contour/line/contour.js';
import type { ChernoffPoint, Saddle } from '../methods/contour/line/contour-plan.js';
import { type Functional, type LineTable, tableOf } from '../methods/contour/line/line-table.js';
import type { LineSource, TestAnswer } from '../methods/contour/line/lines.js';
import { exactly } from '../numeric/bracket.js';
import { Once, Recent } from '../numeric/recent.js';
import type { DirectedRun } from '../run/directed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { dTauOf, firstSegment, LINES, NEGLIGIBLE, NODES, nodeOf, POINTS, scaleOf } from './stream-places.js';
import type { StreamSums } from './stream-sums.js';

export const SIDES = ['remove', 'add'] as const;

/** Lines asked for one answer, the nearest ones first, of whatever scale, and no more than it takes to know a logarithm to this width. */
const ASKED = 12;
const NARROW = 1e-10;
/** A line is no use further than this many of its own units from its saddle. */
const FARTHEST = 8;
/** Errors larger than this leave nothing to be known. */
const HOPELESS = 0.1;

/**
 * Both directions of a stream as runs.
 *
 * @param sums Those of 'remove', then 'add'.
 * @param muCeiling The run is μ-GDP for this μ; ∞ where none is known.
 */
export function streamRuns(kernel: Kernel, sums: readonly StreamSums[], muCeiling: number): DirectedRun[] {
  const ceiling = muCeiling < Infinity ? gaussianRun(muCeiling) : undefined;
  const most = (x: number): number => Math.min(0, ceiling?.logDelta(x).upper ?? 0);
  const lines = sums.map((each) => new StoredLines(kernel, each, most));
  const { SpectralRun } = methods();
  const logInfinity = exactly(-Infinity);
  return SIDES.map((direction, i) => {
    const sources = [lines[i], lines[1 - i]] as const;
    return new SpectralRun(kernel, [], { width: NARROW, logInfinity, direction, sources });
  });
}

/** One scale of a line, and its saddle. */
interface Candidate {
  readonly line: (typeof LINES)[number];
  readonly scale: number;
  readonly saddle: Saddle;
}

/** Its nodes, and what their sums leave out. */
interface Summed {
  readonly table: LineTable;
  readonly first: number;
  readonly second: number;
}

/** The sums of a stream as lines, each made when it is first asked for. */
class StoredLines implements LineSource {
  private readonly summed = new Recent<Candidate, Summed | undefined>(Infinity);
  private readonly bounds = new Once(() => this.boundsKept());
  private readonly lines = new Once(() => this.linesKept());

  /** @param most A bound of log δ. */
  constructor(
    private readonly kernel: Kernel,
    private readonly sums: StreamSums,
    private readonly most: (x: number) => number,
  ) {}

  delta(x: number): Answer | undefined {
    const found = this.answer('delta', x);
    if (found === undefined) return undefined;
    const upper = Math.min(found.upper, this.bound(x));
    return { ...found, lower: Math.min(found.lower, upper), upper };
  }

  test(x: number): TestAnswer | undefined {
    const [falsePositive, power] = [this.answer('falsePositive', x), this.answer('power', x)];
    return falsePositive && power && { falsePositive, power, blur: 0, scale: 1 };
  }

  /** Chernoff's bound of log δ at the best of the points, or the one that is known. */
  bound(x: number): number {
    let least = this.most(x);
    for (const { c, logM } of this.bounds.value)
      if (c > 1) least = Math.min(least, methods().chernoffAt({ above: () => logM }, 'delta', c, x));
    return least;
  }

  guess(functional: 'delta' | 'falsePositive', target: number): number | undefined {
    const whole = this.lines.value.filter(({ line, scale }) => line.top === scale);
    const saddles = whole.map(({ saddle }) => saddle).reverse();
    const { least, logDeltaNear, logFprNear, whereReached } = methods();
    return (
      whereReached(saddles, functional === 'delta' ? logDeltaNear : logFprNear, target) ?? least(saddles)
    );
  }

  /** The answers of the lines nearest to x, intersected until they are narrow. */
  private answer(functional: Functional, x: number): Answer | undefined {
    const near = this.lines.value
      .map((one) => ({ one, away: distance(one, x) }))
      .filter(({ away }) => away < FARTHEST)
      .sort((a, b) => a.away - b.away);
    let found: Answer | undefined;
    let asked = 0;
    for (const { one } of near) {
      if (asked === ASKED || (found !== undefined && found.upper - found.lower <= NARROW)) break;
      const sums = this.summed.of(one, () => this.summedOf(one));
      if (sums === undefined) continue;
      asked++;
      const own = this.contourAt(one, sums, x)?.answer(functional, x);
      if (own === undefined) continue;
      const { lower, upper } = found ?? own;
      found = { ...own, lower: Math.max(lower, own.lower), upper: Math.min(upper, own.upper) };
    }
    return found;
  }

  /** The line as a contour, with the points that bound the aliases of x best; undefined where there are none. */
  private contourAt({ saddle }: Candidate, { table, ...end }: Summed, x: number) {
    const { c, dTau } = table;
    const period = (2 * Math.PI) / dTau;
    const best = (side: 1 | -1): ChernoffPoint | undefined => {
      let found: ChernoffPoint | undefined;
      let least = Infinity;
      for (const point of this.bounds.value) {
        const away = side * (point.c - c);
        const size = point.logM - (point.c - 1) * x + point.constant - away * period;
        if (away > 0 && size < least) [found, least] = [point, size];
      }
      return found;
    };
    const [above, below] = [best(1), best(-1)];
    return (
      above && below && new (methods().Contour)(this.kernel, saddle, table, { period, above, below }, end)
    );
  }

  /** Points of the real axis, upper bounds of log M there, and log C of Chernoff's bound. */
  private boundsKept(): (ChernoffPoint & { constant: number })[] {
    return POINTS.filter(({ place }) => this.sums.keeps(place)).map(({ s, place }) => {
      const [error, value] = this.sums.at(place);
      return { c: 1 + s, logM: value + error, constant: methods().logChernoff(1 + s) };
    });
  }

  /** What could be summed, nothing of it added up yet. */
  private linesKept(): Candidate[] {
    return LINES.flatMap((line) => {
      const { s, top, point, nodes } = line;
      if (!this.sums.keeps(line.decay)) return [];
      const [, value, mean, variance] = this.sums.at(point);
      const saddle = methods().saddleOf(s, { value, mean, variance });
      if (!(saddle.scale < Infinity)) return [];
      return nodes.flatMap((place, i) => (this.sums.keeps(place) ? [{ line, scale: top - i, saddle }] : []));
    });
  }

  /** Undefined if nothing is known of the nodes. */
  private summedOf(one: Candidate): Summed | undefined {
    const { line, scale } = one;
    const table = this.tableOf(one);
    if (table === undefined) return undefined;
    const [from, last] = [firstSegment(line.top, scale), line.ends.length - 1];
    const decay = this.sums.at(line.decay);
    const far = { log: decay[last], power: decay[last + 1] };
    const { first, second } = methods().sumsBeyond(
      line.ends.subarray(from),
      decay.subarray(from, last),
      far,
      table.dTau,
    );
    return { table, first: first[0], second: second[0] };
  }

  private tableOf({ line, scale }: Candidate): LineTable | undefined {
    const { s, top, nodes, point } = line;
    const [logMError, logM] = this.sums.at(point);
    const [logModulus, phase, error, quadrature] = Array.from({ length: 4 }, () => new Float64Array(NODES));
    for (let k = 0; k < NODES; k++) {
      const { scale: of, at } = nodeOf(top, scale, k);
      const kept = this.sums.at(nodes[top - of]);
      const n = (kept.length - 1) / 2;
      if (!(kept[0] < HOPELESS)) return undefined;
      const known = kept[1 + at] > NEGLIGIBLE;
      logModulus[k] = known ? kept[1 + at] : kept[1 + at] + kept[0];
      phase[k] = kept[1 + n + at];
      error[k] = known ? kept[0] : Infinity;
    }
    const place = { c: 1 + s, dTau: dTauOf(scale) };
    const masses = { logM, logMError, logMassP: 0, logMassQ: 0 };
    return tableOf({ logModulus, phase, error, quadrature }, place, masses);
  }
}

/** How far x is from the line's saddle, in its units, and its scale from the losses' deviation, in factors of two. */
function distance({ saddle, scale }: Candidate, x: number): number {
  const deviation = Math.sqrt(saddle.cumulant.variance) / scaleOf(scale);
  const misfit = deviation > 2 ? deviation / 2 : deviation < 1 ? 1 / Math.max(deviation, 1e-3) : 1;
  return Math.abs(x - saddle.epsilon) / saddle.scale + 0.7 * (misfit - 1);
}
