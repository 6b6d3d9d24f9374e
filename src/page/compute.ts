import { account } from '../account/account.js';
import type { ComposedRun } from '../account/composed-run.js';
import { compareAccountants } from '../accountants/compare.js';
import { certify } from '../certificate/certificate.js';
import { verify } from '../certificate/verify.js';
import type { Engine } from '../engine.js';
import { isInputError } from '../errors.js';
import { measure } from '../measure/measure.js';
import { batchPhases, underLoader } from '../mechanism/loaders.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { stepsOf } from '../mechanism/steps.js';
import { bracket } from '../numeric/bracket.js';
import { FUNCTION_ERROR, up } from '../numeric/rounding.js';
import { log } from '../numeric/scalar.js';
import { recognise } from '../read/index.js';
import {
  alternatives,
  report,
  reportFigures,
  reportHtml,
  reportJson,
  reportMarkdown,
} from '../report/index.js';
import { toJson } from '../text/json.js';
import type { SupportLines } from '../tradeoff/support-lines.js';
import type { AnswerPart, Change, MeasuredMu, Other, PageAnswer, Question } from './messages.js';
import { solved } from './solve.js';
import type { Setting, SettingPhase } from './state.js';
import { asking, COARSE_TOLERANCE, linesOf, type PageSubject, reachOf, subjectOf } from './subject.js';

/** Number of supporting lines of a precise answer. */
const FINE_LINES = 120;
/** Least δ of the drawn privacy profile. */
const DEEPEST = 1e-12;
/** False positive rates at which the true positive rate is asked of the run itself, not of supporting lines. */
const READINGS = [1e-4, 1e-3, 1e-2];

/**
 * Greatest number of distinct phases for which a shuffled run has a lower end of ε; and the relative width of that ε, which is printed with three
 * digits.
 */
const [MOST_SHUFFLED, ROUGH] = [4, 5e-3];

/** Numbers of supporting lines of the answers while a slider is dragged. An answer that is ready before `SOON` is not sent, but the next. */
const COARSE_LINES = [13, 25, 49];
/** Milliseconds after a question in which no answer is sent before the one with the most lines. */
const SOON = 12;

/** Parts of an answer. `undefined` marks a place where the computation can be given up for a newer question. */
type Parts = Generator<AnswerPart | undefined, void>;

/** Answers a question in parts. Errors are thrown to the caller, which reports them. */
export function* answerTo(engine: Engine, question: Question): Parts {
  switch (question.task) {
    case 'coarse':
      yield* coarse(engine, question.setting);
      break;
    case 'fine':
      yield* fine(engine, question.setting, question.alpha);
      break;
    case 'solve':
      yield solved(engine, question);
      break;
    case 'read': {
      const { format, mechanism, facts, notes } = recognise(question.bytes);
      const phases = phasesIn(mechanism);
      const read = { name: question.name, format, mechanism, facts, notes, ...(phases && { phases }) };
      yield { kind: 'read', read };
      break;
    }
    case 'export':
      yield { kind: 'text', text: exported(engine, question) };
      break;
    case 'verify': {
      const { verdict, reason } = verify(JSON.parse(question.certificate));
      yield { kind: 'text', text: `${verdict}: ${reason}` };
    }
  }
}

/**
 * The answer while a slider is dragged: ε, supporting lines of the trade-off curve, and the privacy profile. More lines follow as long as there is no
 * newer question.
 */
function* coarse(engine: Engine, setting: Setting): Parts {
  const began = performance.now();
  const subject = subjectOf(engine, setting, COARSE_TOLERANCE);
  const reach = reachOf(subject, setting.delta);
  const counts = subject.links === 1 ? COARSE_LINES : COARSE_LINES.slice(-1);
  for (const [i, count] of counts.entries()) {
    const lines = linesOf(subject, reach, count);
    if (i < counts.length - 1 && performance.now() - began < SOON) continue;
    yield { kind: 'answer', answer: { ...drawing(engine, setting, subject, lines), fine: false } };
    yield undefined;
  }
}

/**
 * The answer after a drag, with narrow brackets. Then follow μ with its window, attack rates, smaller δs, alternatives for the mechanism, and what
 * other accountants give.
 */
function* fine(engine: Engine, setting: Setting, alpha: number): Parts {
  const subject = subjectOf(engine, setting);
  const { run, links } = subject;
  const far = run.epsilon(Math.min(setting.delta, DEEPEST)).upper;
  const reach = Math.max(reachOf(subject, setting.delta), Number.isFinite(far) ? far : 0);
  yield undefined;
  const lines = linesOf(subject, reach, links > 1 ? 2 * FINE_LINES : FINE_LINES);
  const say = (answer: Partial<PageAnswer>): AnswerPart => ({
    kind: 'answer',
    answer: { setting, ...answer },
  });
  yield say({ ...drawing(engine, setting, subject, lines), fine: true });
  yield undefined;
  yield say({ measured: measuredOf(subject) });
  yield undefined;
  const rates = [...new Set([...READINGS, alpha])].sort((a, b) => a - b);
  const ask = asking(subject, lines);
  yield say({
    smaller: [1e-6, 1e-9]
      .filter((delta) => delta < setting.delta)
      .map((delta) => ({ delta, epsilon: ask.epsilon(delta) })),
    found: rates.map((rate) => ({ rate, power: ask.found(rate) })),
    advantage: ask.advantage(),
  });
  yield undefined;
  yield say({ changes: changesOf(engine, setting, subject) });
  yield undefined;
  yield say({ others: othersOf(engine, setting, subject) });
}

function drawing(
  engine: Engine,
  setting: Setting,
  subject: PageSubject,
  lines: SupportLines,
): Partial<PageAnswer> {
  const { kernel } = engine;
  const first = lines.epsilon.findIndex((epsilon) => epsilon >= 0);
  const near = kernel.muGdpLog(
    Float64Array.from(lines.epsilon.slice(first)),
    Float64Array.from(lines.delta.slice(first), (delta) => log(delta)),
  );
  return {
    setting,
    epsilon: asking(subject, lines).epsilon(setting.delta),
    lines,
    near: [...near],
    bound: subject.bound,
    stated: subject.stated !== undefined,
    engine: kernel.name,
  };
}

/**
 * μ; for a chain of k pairs an upper bound. If each pair is μ-GDP for error rates of at least `alphaMin`, the ends of the chain are kμ-GDP for such
 * rates. The reason is that error rates rise along the chain, so that those of every pair are then at least `alphaMin`.
 */
function measuredOf({ run, links, bound }: PageSubject): MeasuredMu {
  const { mu, muAllRates, alphaMin, rates, regret, tier, limitedBy } = measure(run);
  return bound
    ? { mu: bracket(0, up(mu.upper * links, FUNCTION_ERROR)), alphaMin }
    : { mu, muAllRates, alphaMin, rates, regret, tier, limitedBy };
}

/** ε with one thing of the mechanism changed. Computed only if the setting has an exact answer, not a bound. */
function changesOf(engine: Engine, setting: Setting, { run, bound }: PageSubject): Change[] {
  if (bound) return [];
  const { delta } = setting;
  return alternatives(engine, run, { deltas: [delta] }).flatMap(({ change, numbers }) => {
    if (numbers === null) return [];
    const { lower, upper } = numbers.epsilonAtDelta[0].epsilon;
    // for batches cut from a shuffle, a lower bound of ε for some data set is known
    const least = change === 'shuffled-batches' ? leastShuffled(engine, run, delta) : lower;
    return [{ change, epsilon: bracket(Math.min(least, upper), upper) }];
  });
}

/** A lower bound of ε for some data set whose batches are cut from a shuffle, where one record is removed; 0 if none is known. */
function leastShuffled(engine: Engine, run: ComposedRun, delta: number): number {
  const phases = batchPhases(run.settings.mechanism);
  const cut = phases && phases.length <= MOST_SHUFFLED ? underLoader(phases, 'shuffled') : undefined;
  return cut === undefined
    ? 0
    : account(engine, cut, { adjacency: 'zero-out', tolerance: ROUGH }).epsilon(delta).lower;
}

function othersOf(engine: Engine, setting: Setting, { run, bound }: PageSubject): Other[] {
  if (bound) return [];
  const { mechanism, adjacency } = run.settings;
  try {
    return compareAccountants(engine, mechanism, { adjacency, delta: setting.delta }).baselines.map(
      ({ name, kind, value }) => ({ name, kind, epsilon: value }),
    );
  } catch (error) {
    if (isInputError(error)) return [];
    throw error;
  }
}

function exported(
  engine: Engine,
  { setting, format, title, fontFaces }: Question & { task: 'export' },
): string {
  const { stated, run: known } = subjectOf(engine, setting);
  // the menu offers an export only for settings that a mechanism can state
  if (stated === undefined) throw new Error('the library has no words for this run');
  const { adjacency, tolerance } = known.settings;
  const run = setting.loader === 'shuffled' ? account(engine, stated, { adjacency, tolerance }) : known;
  if (format === 'certificate') return toJson(certify(run, { epsilon: run.epsilon(setting.delta).upper }));
  const deltas = [...new Set([setting.delta, 1e-6, 1e-9])].sort((a, b) => b - a);
  const made = report(run, {
    title,
    deltas,
    details: setting.mechanism === undefined ? { datasetSize: setting.size } : {},
    alternatives: alternatives(engine, run, { deltas }),
  });
  if (format === 'json') return reportJson(made);
  return format === 'html'
    ? reportHtml(made, { figures: reportFigures(run, made), fontFaces })
    : reportMarkdown(made);
}

/** Phases of Gaussian steps, sampled or not; undefined if some step is of another kind. */
function phasesIn(mechanism: Mechanism): readonly SettingPhase[] | undefined {
  const phases = stepsOf(mechanism).map(({ mechanism: inner, sampling, rate, count, places }) =>
    inner.kind === 'gaussian' && sampling !== 'without-replacement' && places === undefined
      ? { sigma: inner.noiseMultiplier, rate, steps: count }
      : undefined,
  );
  return phases.length > 0 && phases.every((phase) => phase !== undefined) ? phases : undefined;
}
