import type { ComposedRun } from '../account/composed-run.js';
import type { Audit } from '../audit/audit.js';
import {
  requireFields,
  requireList,
  requireNumber,
  requireOptions,
  requireText,
  wrongType,
} from '../errors.js';
import { type MeasureOptions, measure } from '../measure/measure.js';
import { oneTry, withEveryPart } from '../mechanism/mechanism.js';
import { drawingOf } from '../mechanism/reduce.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { toJson } from '../text/json.js';
import { type Subject, type SubjectQuestions, seen } from '../tradeoff/subject.js';
import { VERSION } from '../version.js';
import { completeDetails, type Details } from './details.js';
import type { LoaderTable } from './loaders.js';
import {
  type Alternative,
  type Report,
  type ReportInput,
  type ReportMade,
  type RunSampling,
  requireReport,
} from './report-types.js';

/** The contents of a report: texts, evidence, and the δ's at which ε is stated. */
export interface ReportOptions extends MeasureOptions {
  /** Heading of the report; default 'Differential privacy report'. */
  readonly title?: string;
  /** δ's at which ε is stated, each in (0, 1); default 1e-5, 1e-6, 1e-9. */
  readonly deltas?: readonly number[];
  /** Facts on the release beside its mechanism; the report lists those that are not given. */
  readonly details?: Details;
  /** What would change the numbers: see `alternatives`. Left out unless given. */
  readonly alternatives?: readonly Alternative[];
  /** How batches were formed and how many records a person has, in numbers: see `sameNoise`. Left out unless given. */
  readonly sameNoise?: LoaderTable | undefined;
  /** The result of `audit` for the evidence of an attack on this run. */
  readonly audit?: Audit;
  /** The file that the run was read from, so that a reader can tell that the report is of it. */
  readonly input?: ReportInput;
  /** When the report was made, and by what command. */
  readonly made?: ReportMade;
}

/** The δs that papers state most often. */
export const DEFAULT_DELTAS: readonly number[] = [1e-5, 1e-6, 1e-9];
const FALSE_POSITIVE_RATES = [1e-4, 1e-3, 1e-2];
/** The α's of the table that Gomez et al. 2025 ask for if μ alone is too coarse (Tier II). */
const TRADEOFF_ALPHAS = [1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1];

/**
 * All that the guarantee of a run, a profile or a trade-off function is published with. It has μ, its regret and its range of error
 * rates, ε at several δ's, attack rates and the tabulated trade-off curve. Each number is a bracket. Stated details are kept with them.
 * Plain data: `formatReport`, `reportMarkdown`, `reportHtml` and `reportJson` print it.
 *
 * @throws TypeError for what is none of these; TypeError | RangeError naming the option that is wrong.
 * @example
 * report(run, { title: 'My run', deltas: [1e-5] }).epsilonAtDelta[0].epsilon.upper; // 7.42438
 */
export function report(subject: Subject, options: ReportOptions = {}): Report {
  const { allowance } = seen(subject);
  return allowance.askAll(() => reported(subject, options));
}

function reported(subject: Subject, options: ReportOptions): Report {
  const { run, ask, name, tolerance } = seen(subject);
  requireOptions('report', options, [
    'title',
    'deltas',
    'details',
    'alternatives',
    'alphaMin',
    'logAlphaMin',
    'engine',
    'audit',
    'sameNoise',
    'input',
    'made',
  ]);
  const {
    title = 'Differential privacy report',
    alternatives = [],
    details,
    audit,
    sameNoise,
    input,
    made,
    ...rest
  } = options;
  const { deltas: asked = DEFAULT_DELTAS, ...window } = rest;
  const deltas = requireDeltas(asked);
  requireText('title', title);
  requireList('alternatives', alternatives, 'alternatives');
  if (sameNoise !== undefined && !Array.isArray(sameNoise?.loaders))
    throw wrongType('sameNoise', 'what sameNoise returned', sameNoise);
  if (audit !== undefined && audit?.format !== 'gdp-kernel-audit/1')
    throw wrongType('audit', 'what audit returned', audit);
  // the number that a reader sees first is computed first
  const epsilonAtDelta = deltas.map((delta) => ({ delta, epsilon: ask.epsilon(delta) }));
  return {
    format: 'gdp-kernel-report/1',
    title,
    version: VERSION,
    ...statedOf(run, name),
    tolerance,
    ...(run?.groups !== undefined && { groups: run.groups }),
    ...measure(subject, window),
    epsilonAtDelta,
    advantage: ask.advantage(),
    truePositiveRate: FALSE_POSITIVE_RATES.map((falsePositiveRate) => ({
      falsePositiveRate,
      truePositiveRate: ask.truePositiveRate(falsePositiveRate),
    })),
    tradeoff: TRADEOFF_ALPHAS.map((alpha) => ({ alpha, beta: ask.tradeoff(alpha) })),
    fixedPoint: fixedPointOf(ask),
    details: completeDetails(details),
    alternatives,
    ...(sameNoise !== undefined && { sameNoise }),
    ...(audit !== undefined && { audit }),
    ...(input !== undefined && { input: requireTexts('input', input, ['name', 'sha256']) }),
    ...(made !== undefined && { made: requireTexts('made', made, ['date', 'command']) }),
  };
}

/** @throws TypeError where a field is no text. */
function requireTexts<T extends object>(option: string, value: T, fields: readonly (keyof T & string)[]): T {
  requireFields(option, value, fields);
  for (const field of fields) requireText(`${option}.${field}`, value[field]);
  return value;
}

type Stated = Pick<Report, 'engine' | 'adjacency' | 'sampling' | 'mechanism' | 'curve'>;

function statedOf(run: ComposedRun | undefined, curve: string): Stated {
  if (run === undefined)
    return { engine: null, adjacency: 'unstated', sampling: 'unstated', mechanism: null, curve };
  const { engine, adjacency, mechanism } = run.settings;
  const drawn = new Set(stepsOf(withEveryPart(oneTry(mechanism))).map(drawnBy));
  const [sampling = 'none', other] = drawn;
  return { engine, adjacency, sampling: other === undefined ? sampling : 'mixed', mechanism };
}

export function requireDeltas(deltas: unknown): readonly number[] {
  const given = requireList('deltas', deltas, 'numbers');
  return given.map((delta) => requireNumber('deltas', delta, 'numbers in (0, 1)'));
}

/** α* = f(α*) = (1 − δ(0))/2. Ensures: α* lies in the bracket. */
function fixedPointOf(ask: SubjectQuestions): Bracket {
  const { lower, upper } = ask.oneMinusAdvantage();
  // a half is exact unless it is subnormal
  return bracket(Math.max(0, lower / 2 - Number.MIN_VALUE), upper / 2 + (upper > 0 ? Number.MIN_VALUE : 0));
}

function drawnBy(step: Step): RunSampling {
  const drawing = drawingOf(step);
  if (drawing !== 'all') return drawing;
  const { kind } = step.mechanism;
  if (kind === 'gaussian-mixture') return 'mixture';
  return kind === 'replaced-gaussian' ? 'poisson' : 'none';
}

/**
 * A report as JSON with full precision, of the shape schema/report.schema.json describes: the report's
 * fields and, on top, the first `delta` and its `epsilon`. What JSON cannot hold is the string "Infinity".
 *
 * @throws TypeError if `report` is not a result of `report`.
 * @example
 * JSON.parse(reportJson(report(run, { deltas: [1e-6] }))).delta; // 0.000001
 */
export function reportJson(report: Report): string {
  requireReport(report);
  const [first] = report.epsilonAtDelta;
  return toJson(first === undefined ? report : { ...report, delta: first.delta, epsilon: first.epsilon });
}
