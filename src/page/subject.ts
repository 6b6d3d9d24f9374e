import { account } from '../account/account.js';
import type { ComposedRun } from '../account/composed-run.js';
import type { Engine } from '../engine.js';
import { isInputError } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { gaussian } from '../mechanism/kinds/index.js';
import { compose, type Mechanism, repeat } from '../mechanism/mechanism.js';
import { parseMechanism } from '../mechanism/parse.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { worstShuffled } from '../report/shuffled.js';
import {
  advantageAtMost,
  epsilonAtMost,
  groupLines,
  powerAtMost,
  type SupportLines,
  supportLines,
  withLargest,
} from '../tradeoff/support-lines.js';
import { byBatch, wholeEpochs } from './loaders.js';
import type { Setting } from './state.js';
import { ofPersons, statedRun } from './stated.js';

/** Width of ε that is narrow enough while something is dragged. */
export const COARSE_TOLERANCE = 1e-4;
/** Lines reach beyond the shown ε by this much. */
const REACH = 1.45;

/** Relative width that is sharp enough of bounds, which are wider themselves. */
const BOUND_TOLERANCE = 1e-3;

/** The run whose brackets answer for a setting. */
export interface PageSubject {
  readonly run: ComposedRun;
  /** δ(ε) as far as it was asked. */
  readonly asked: Map<number, Bracket>;
  /** Neighbouring records that one person's change passes through: the chain of a group. */
  readonly links: number;
  /** Only upper ends are known. */
  readonly bound: boolean;
  /** What was run in the library's words, where these say all: a report or a command can be made of it. */
  readonly stated?: Mechanism;
}

/** Replacing a record is removing one and adding one where no theorem speaks of it directly. */
export function subjectOf(engine: Engine, setting: Setting, tolerance?: number): PageSubject {
  if (setting.loader === 'shuffled' && setting.mechanism === undefined)
    return shuffledSubject(engine, setting, tolerance);
  try {
    return plainSubject(engine, setting, ofPersons(setting), tolerance);
  } catch (error) {
    // more records than the theorem takes: the group rule takes any number
    if (!isInputError(error) || !ofPersons(setting)) throw error;
    return plainSubject(engine, setting, false, tolerance);
  }
}

function plainSubject(engine: Engine, setting: Setting, persons: boolean, tolerance?: number): PageSubject {
  const { loader, neighbours, mechanism } = setting;
  const stated = parseMechanism(statedRun(persons ? setting : { ...setting, records: 1 }));
  const records = persons ? 1 : setting.records;
  const sharp = loader === 'capped-poisson' && mechanism === undefined ? BOUND_TOLERANCE : undefined;
  const wanted = Math.max(tolerance ?? 0, sharp ?? 0);
  const options = wanted > 0 ? { tolerance: wanted } : {};
  // replaced records of one person are told by less noise, which would be read as that of one
  const hidden = persons && neighbours === 'replace-one';
  const of = (adjacency: Adjacency, links: number): PageSubject => {
    const run = account(engine, stated, { adjacency, ...options });
    return {
      ...{ run, asked: new Map(), links, bound: links > 1 },
      ...(links === 1 && !hidden && { stated }),
    };
  };
  if (neighbours !== 'replace-one') return of(loader === 'capped-poisson' ? 'zero-out' : neighbours, records);
  try {
    return of('replace-one', records);
  } catch (error) {
    if (!isInputError(error)) throw error;
    return of(loader === 'capped-poisson' ? 'zero-out' : 'add-remove', 2 * records);
  }
}

/** From above: every epoch is one Gaussian step, and of other phases the steps that no record can meet more or worse than. */
function shuffledSubject(engine: Engine, setting: Setting, tolerance?: number): PageSubject {
  const stated = parseMechanism(statedRun(setting));
  const met = byBatch(setting)
    ? repeat(gaussian({ noiseMultiplier: setting.sigma }), wholeEpochs(setting) * setting.tries)
    : compose(worstShuffled(stated).map((each) => repeat(each.mechanism, each.steps)));
  const adjacency = setting.neighbours === 'replace-one' ? 'replace-one' : 'zero-out';
  const run = account(engine, met, { adjacency, ...(tolerance !== undefined && { tolerance }) });
  const subject = { run, asked: new Map(), links: setting.records, bound: true };
  return setting.records === 1 && byBatch(setting) ? { ...subject, stated } : subject;
}

/** ε up to which lines are asked: somewhat beyond the shown one; deeper for links of a chain, the first of which meet smaller rates. */
export function reachOf({ run, links }: PageSubject, delta: number): number {
  const deep = links === 1 ? delta : Math.max(1e-300, delta ** links);
  const epsilon = run.epsilon(deep).upper;
  return Number.isFinite(epsilon) ? Math.max(epsilon * REACH, 0.02) : 1;
}

/**
 * Lines of the curve between data sets a whole chain apart, from lines of one link, denser where ε is small. Numbers of lines that
 * are one more than a multiple of each other ask for the same ε's and more.
 */
export function linesOf({ run, asked, links }: PageSubject, reach: number, count: number): SupportLines {
  const delta = (epsilon: number): Bracket => {
    const known = asked.get(epsilon) ?? run.delta(epsilon);
    asked.set(epsilon, known);
    return known;
  };
  const epsilons = Array.from({ length: count }, (_, i) => {
    const part = i / (count - 1);
    return reach * part * Math.sqrt(part);
  });
  return groupLines(supportLines({ delta }, withLargest(epsilons, run.epsilon(0).upper)), links);
}

/**
 * The questions to a subject once its lines are drawn. One link is exact, a chain has the bounds of its lines, and a bound has
 * the upper end alone.
 */
export function asking({ run, links, bound }: PageSubject, lines: SupportLines) {
  if (links > 1)
    return {
      epsilon: (delta: number) => bracket(0, epsilonAtMost(lines, delta)),
      found: (rate: number) => bracket(0, powerAtMost(lines, rate)),
      advantage: () => bracket(0, advantageAtMost(lines)),
    };
  const said = (exact: Bracket): Bracket => (bound ? bracket(0, exact.upper) : exact);
  return {
    epsilon: (delta: number) => said(run.epsilon(delta)),
    found: (rate: number) => said(run.truePositiveRate(rate)),
    advantage: () => said(run.advantage()),
  };
}
