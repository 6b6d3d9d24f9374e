import { InputRangeError } from '../errors.js';
import { type Bracket, bracket, exactly, maxBracket } from '../numeric/bracket.js';
import { logSum } from '../numeric/log-arithmetic.js';
import { log } from '../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import type { LatticeMeasure, LossLaw, LossNodes } from './loss-law.js';
import { ALL_LOSSES, type Branch, type BranchedPair } from './pair.js';

/** One of several pairs, drawn without looking at the data and told which; its branches do not tell `tails`. */
export function branchedPair(
  branches: readonly Branch[],
  relative: number,
  tails: Pick<BranchedPair, 'tailMu' | 'gdpMu'>,
): BranchedPair {
  const forward = branchedLaw({ branches, relative }, 'remove');
  const backward = branchedLaw({ branches, relative }, 'add');
  const none = (): never => {
    throw new InputRangeError('"inner" must be a release whose outputs are on one line');
  };
  return {
    family: 'branched',
    branches,
    relative,
    law: (direction) => (direction === 'remove' ? forward : backward),
    asymmetric: forward.direction !== 'both',
    forward: forward.single,
    backward: backward.single,
    ...tails,
    ...ALL_LOSSES,
    range: none,
    intervals: none,
    nodes: none,
  };
}

/** Its profile is the mean of theirs, and so are the rates of the tests that reject above one loss. */
function branchedLaw(
  { branches, relative }: Pick<BranchedPair, 'branches' | 'relative'>,
  direction: 'remove' | 'add',
): LossLaw {
  const parts = branches.map((branch) => ({ weight: branch.weight, law: branch.law(direction) }));
  const laws = parts.map(({ law }) => law);
  const own = laws.every((law) => law.direction === 'both') ? 'both' : direction;
  return {
    direction: own,
    single: branchedRun(
      parts.map(({ weight, law }) => ({ logWeight: log(weight), run: law.single })),
      relative,
      own,
    ),
    gdpMu: Math.max(...laws.map(({ gdpMu }) => gdpMu)),
    largest: laws.map(({ largest }) => largest).reduce(maxBracket),
    cells: (step, logTail) => laws.reduce((sum, law) => sum + law.cells(step, logTail), 0),
    discretise: (kernel, step, logTail) => {
      const made = parts.map(({ weight, law }) => ({ weight, own: law.discretise(kernel, step, logTail) }));
      const slack = relative + 1e-15 * parts.length;
      const sum = (side: 'upper' | 'lower', scale: number): LatticeMeasure =>
        weightedSum(made.map(({ weight, own }) => ({ weight: weight * scale, measure: own[side] })));
      const displacement = Math.max(...made.map(({ own }) => own.displacement));
      return { upper: sum('upper', 1 + slack), lower: sum('lower', 1 - slack), displacement };
    },
    nodes: () => mergedNodes(parts),
  };
}

function weightedSum(
  parts: readonly { readonly weight: number; readonly measure: LatticeMeasure }[],
): LatticeMeasure {
  const first = Math.min(...parts.map(({ measure }) => measure.first));
  const end = Math.max(...parts.map(({ measure }) => measure.first + measure.mass.length));
  const mass = new Float64Array(end - first);
  let infinity = 0;
  for (const { weight, measure } of parts) {
    const from = measure.first - first;
    for (let k = 0; k < measure.mass.length; k++) mass[from + k] += weight * measure.mass[k];
    infinity += weight * measure.infinity;
  }
  return { step: parts[0].measure.step, first, mass, infinity };
}

function branchedRun(
  runs: readonly { readonly logWeight: number; readonly run: DirectedRun }[],
  relative: number,
  direction: DirectedRun['direction'],
): DirectedRun {
  const slack = 4e-15 + relative;
  const mean = <T>(each: readonly T[], of: (one: T) => number): number =>
    each.reduce((sum, one) => logSum(sum, of(one)), -Infinity);
  return {
    direction,
    method: 'closed-form',
    logInfinity: exactly(-Infinity),
    get largestLoss(): Bracket | undefined {
      const largest = runs.map(({ run }) => run.largestLoss).filter((loss) => loss !== undefined);
      return largest.length === runs.length ? largest.reduce(maxBracket) : undefined;
    },
    logDelta: (epsilon, width) => {
      const each = runs.map(({ logWeight, run }) => ({ logWeight, own: run.logDelta(epsilon, width) }));
      const most = mean(each, ({ logWeight, own }) => logWeight + own.upper);
      const least = mean(each, ({ logWeight, own }) => logWeight + own.lower);
      const upper = most === -Infinity ? most : Math.min(0, most + slack * (1 - most / 8));
      const lower = least === -Infinity ? least : least - slack * (1 - least / 8);
      return bracket(Math.min(lower, upper), upper);
    },
    test: (omega, width): CertifiedTest => {
      const tests = runs.map(({ logWeight, run }) => ({ logWeight, own: run.test(omega, width) }));
      return {
        logFpr: Math.min(0, mean(tests, ({ logWeight, own }) => logWeight + own.logFpr) + slack),
        logTpr: mean(tests, ({ logWeight, own }) => logWeight + own.logTpr) - slack,
      };
    },
    guessEpsilon: (target) =>
      Math.max(...runs.map(({ logWeight, run }) => run.guessEpsilon(Math.min(-1e-9, target - logWeight)))),
    guessOmega: (target) =>
      Math.max(...runs.map(({ logWeight, run }) => run.guessOmega(Math.min(-1e-9, target - logWeight)))),
  };
}

function mergedNodes(
  parts: readonly { readonly weight: number; readonly law: Pick<LossLaw, 'nodes'> }[],
): LossNodes {
  const all = parts.flatMap(({ weight, law }) => {
    const { loss: losses, logWeight, logTail } = law.nodes();
    return Array.from(losses, (loss, i) => ({
      loss,
      logWeight: logWeight[i] + log(weight),
      logTail: logTail[i] + log(weight),
    }));
  });
  all.sort((a, b) => a.loss - b.loss);
  return {
    loss: Float64Array.from(all, ({ loss }) => loss),
    logWeight: Float64Array.from(all, ({ logWeight }) => logWeight),
    logTail: Float64Array.from(all, ({ logTail }) => logTail),
  };
}
