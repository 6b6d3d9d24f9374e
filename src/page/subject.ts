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

/** Relative width of ε while a slider is dragged. */
export const COARSE_TOLERANCE = 1e-4;
/** Supporting lines are computed for ε up to this factor times the shown ε, so that charts extend beyond it. */
const REACH = 1.45;

/** Relative width of ε for capped batches: their brackets are wider than this anyway. */
const BOUND_TOLERANCE = 1e-3;

/** A run, and how answers for the setting follow from it. */
export interface PageSubject {
  readonly run: ComposedRun;
  /** Brackets of δ(ε) that were already computed. */
  readonly asked: Map<number, Bracket>;
  /** Number of neighbouring pairs in the chain between two data sets that differ in one person's records (group privacy). */
  readonly links: number;
  /** Whether only upper ends are known. */
  readonly bound: boolean;
  /** The mechanism as data, if it states the whole setting: reports and commands can then be made. */
  readonly stated?: Mechanism;
}

/** The run that answers for a setting. If no theorem covers the replacement of a record, it is a removal and an addition, a chain of two pairs. */
export function subjectOf(engine: Engine, setting: Setting, tolerance?: number): PageSubject {
  if (setting.loader === 'shuffled' && setting.mechanism === undefined)
    return shuffledSubject(engine, setting, tolerance);
  try {
    return plainSubject(engine, setting, ofPersons(setting), tolerance);
  } catch (error) {
    // the theorem for groups is limited to fewer records; the chain of group privacy takes any number
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
  // replaced records of one person are accounted with a smaller noise multiplier. A report would state that run as one of a single record, so none is
  // made.
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

/** An upper bound for shuffled batches: each epoch is one Gaussian step. Of several phases it takes the steps of the worst record. */
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

/** The largest ε of the supporting lines: `REACH` times the shown ε. A chain needs a larger one, as its first pairs have smaller error rates. */
export function reachOf({ run, links }: PageSubject, delta: number): number {
  const deep = links === 1 ? delta : Math.max(1e-300, delta ** links);
  const epsilon = run.epsilon(deep).upper;
  return Number.isFinite(epsilon) ? Math.max(epsilon * REACH, 0.02) : 1;
}

/**
 * Supporting lines of the trade-off curve for `links` changed records, from those for one record, denser at small ε. A count of 2k − 1 lines has
 * all εs of a count of k.
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
 * ε, attack rates and advantage of a subject. For one pair the answers are those of the run. For a chain they are bounds from the supporting lines.
 * If only upper ends are known, lower ends are 0.
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
