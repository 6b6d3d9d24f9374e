import { account } from '../account/account.js';
import type { ComposedRun } from '../account/composed-run.js';
import type { Engine } from '../engine.js';
import { isInputError } from '../errors.js';
import { gaussian } from '../mechanism/basic.js';
import { compose, dpSgd, type Mechanism, repeat } from '../mechanism/mechanism.js';
import type { Bracket } from '../numeric/bracket.js';
import { worstShuffled } from '../report/shuffled.js';
import { groupLines, type SupportLines, supportLines } from '../tradeoff/support-lines.js';
import { phasesOf, type Setting } from './state.js';

/** Width of ε that is narrow enough while something is dragged. */
export const COARSE_TOLERANCE = 1e-4;
/** Lines reach beyond the shown ε by this much. */
const REACH = 1.45;

/** The run whose brackets answer for a setting. */
export interface Subject {
  readonly run: ComposedRun;
  /** δ(ε) as far as it was asked. */
  readonly asked: Map<number, Bracket>;
  /** Neighbouring records that one person's change passes through: the chain of a group. */
  readonly links: number;
  /** Only upper ends are known. */
  readonly bound: boolean;
}

/** What was run, all tries counted. Shuffled batches: the steps that no record can meet more or worse than. */
export function mechanismOf(setting: Setting): Mechanism {
  const stated = setting.mechanism ?? compose(phasesOf(setting).map(phaseMechanism(setting.loader)));
  const run =
    setting.loader === 'shuffled' && setting.mechanism === undefined
      ? compose(worstShuffled(stated).map((each) => repeat(each.mechanism, each.steps)))
      : stated;
  return setting.tries === 1 ? run : repeat(run, setting.tries);
}

function phaseMechanism(loader: Setting['loader']) {
  return ({ sigma, rate, steps }: { sigma: number; rate: number; steps: number }): Mechanism =>
    loader === 'all'
      ? repeat(gaussian({ noiseMultiplier: sigma }), steps)
      : dpSgd({ noiseMultiplier: sigma, samplingRate: rate, steps });
}

/** Replacing a record is removing one and adding one where no theorem speaks of it directly. */
export function subjectOf(engine: Engine, setting: Setting, tolerance?: number): Subject {
  const mechanism = mechanismOf(setting);
  const options = tolerance === undefined ? {} : { tolerance };
  const shuffled = setting.loader === 'shuffled' && setting.mechanism === undefined;
  const { records } = setting;
  if (setting.neighbours === 'replace') {
    const direct = replaceOne(engine, mechanism, options);
    if (direct !== undefined)
      return { run: direct, asked: new Map(), links: records, bound: shuffled || records > 1 };
  }
  const run = account(engine, mechanism, { adjacency: 'add-remove', ...options });
  const links = records * (setting.neighbours === 'replace' ? 2 : 1);
  return { run, asked: new Map(), links, bound: shuffled || links > 1 };
}

function replaceOne(engine: Engine, mechanism: Mechanism, options: object): ComposedRun | undefined {
  try {
    return account(engine, mechanism, { adjacency: 'replace-one', ...options });
  } catch (error) {
    if (isInputError(error)) return undefined;
    throw error;
  }
}

/** ε up to which lines are asked: somewhat beyond the shown one; deeper for links of a chain, the first of which meet smaller rates. */
export function reachOf({ run, links }: Subject, delta: number): number {
  const deep = links === 1 ? delta : Math.max(1e-300, delta ** links);
  const epsilon = run.epsilon(deep).upper;
  return Number.isFinite(epsilon) ? Math.max(epsilon * REACH, 0.02) : 1;
}

/**
 * Lines of the curve between data sets a whole chain apart, from lines of one link, denser where ε is small. Numbers of lines that
 * are one more than a multiple of each other ask for the same ε's and more.
 */
export function linesOf({ run, asked, links }: Subject, reach: number, count: number): SupportLines {
  const delta = (epsilon: number): Bracket => {
    const known = asked.get(epsilon) ?? run.delta(epsilon);
    asked.set(epsilon, known);
    return known;
  };
  const epsilons = Array.from({ length: count }, (_, i) => {
    const part = i / (count - 1);
    return reach * part * Math.sqrt(part);
  });
  return groupLines(supportLines({ delta }, epsilons), links);
}
