import { ACCOUNT_OPTIONS, type AccountOptions, checkedAccount } from '../account/options.js';
import {
  InputRangeError,
  InputTypeError,
  isPlain,
  requireBoolean,
  requireFields,
  requireList,
  requireNumber,
  requireOneOf,
  requireProbability,
  wrongType,
  wrongValue,
} from '../errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { parseMechanism } from '../mechanism/parse.js';
import { crc32 } from '../numeric/crc32.js';
import { exp, log } from '../numeric/scalar.js';
import { USUAL_ALPHA_MIN } from '../run/window.js';
import { knownType, type SweepColumn } from './columns.js';

/** An axis of a grid: a setting, and the values that it takes. */
export interface SweepAxis {
  /** Name of the setting. */
  readonly name: string;
  /** Values of JSON, in the order swept. */
  readonly values: readonly unknown[];
  /** Whether all values are whole numbers below 2⁵³, or all numbers; else they are written as text. */
  readonly type: SweepColumn['type'];
}

/** A checked grid: every combination of the axes' values in a template of a mechanism, and what is asked of each. Plain data. */
export interface SweepGrid extends Required<AccountOptions> {
  /** Axes; the last one varies fastest. */
  readonly axes: readonly SweepAxis[];
  /** JSON of a mechanism; strings "$name" stand for the axis of that name. */
  readonly mechanism: unknown;
  /** δ's at which ε is asked. */
  readonly delta: readonly number[];
  /** ε's at which δ is asked, in nats. */
  readonly epsilon: readonly number[];
  /** Whether μ and its regret are asked for. */
  readonly measure: boolean;
  /** μ is asked for error rates of at least this. */
  readonly alphaMin: number;
  /** CRC-32 of all the above as JSON: rows of one digest answer one grid. */
  readonly digest: number;
}

/** Greatest number of combinations of a grid. */
const MAX_CONFIGS = 10_000_000;
/** Greatest number of its εs, and of its δs. */
const MAX_QUESTIONS = 100;
/** Greatest number of levels of a template of a mechanism, lists included. */
const MAX_DEPTH = 300;
const FIELDS = ['over', 'mechanism', 'delta', 'epsilon', 'measure', 'alphaMin', ...ACCOUNT_OPTIONS];
const DP_SGD = {
  kind: 'dp-sgd',
  noiseMultiplier: '$noiseMultiplier',
  samplingRate: '$samplingRate',
  steps: '$steps',
};

/**
 * Checks a grid read from JSON:
 *
 * ```json
 * { "over": { "noiseMultiplier": [0.8, 1], "samplingRate": { "from": 1e-3, "to": 0.1, "count": 9, "scale": "log" },
 *             "steps": [1000, 10000] },
 *   "adjacency": "add-remove", "delta": [1e-5], "epsilon": [1], "measure": true }
 * ```
 *
 * `over` gives each axis as a list of JSON values or as a range. Without `mechanism` the axes are those of DP-SGD,
 * as above. Defaults: adjacency add-remove, delta [1e-5], epsilon [], measure true, alphaMin 1e-10, tolerance 1e-6,
 * effort 1, and the `maxGridLength` of that effort; method "auto".
 *
 * @throws TypeError | RangeError naming the field, or the first combination that is no mechanism.
 * @example
 * parseSweepGrid({ over: { noiseMultiplier: [1, 2], samplingRate: [0.01], steps: [100] } }).axes.length; // 3
 */
export function parseSweepGrid(value: unknown): SweepGrid {
  requireFields('grid', value, FIELDS, 'a grid has');
  const given = value as Record<string, unknown>;
  if (!isPlain(given['over'])) throw wrongType('over', 'an object', given['over']);
  const axes = Object.entries(given['over']).map(([name, values]) => parseAxis(name, values));
  const template = given['mechanism'] ?? DP_SGD;
  const used = placeholders(template);
  for (const { name } of axes) {
    if (!used.has(name)) throw wrongValue('over', `of names the mechanism uses as "$${name}"`, name);
  }
  for (const name of used) {
    if (!axes.some((axis) => axis.name === name)) throw new InputTypeError(`"over.${name}" is missing`);
  }
  const configs = sizeOf({ axes });
  if (configs > MAX_CONFIGS) throw wrongValue('over', `at most ${MAX_CONFIGS} combinations`, configs);
  const grid: Omit<SweepGrid, 'digest'> = {
    axes,
    mechanism: template,
    ...checkedAccount({ ...given, adjacency: given['adjacency'] ?? 'add-remove' }),
    delta: numberList('delta', given['delta'] ?? [1e-5], requireProbability),
    epsilon: numberList('epsilon', given['epsilon'] ?? [], (option, x) =>
      requireNumber(option, x, 'a finite number'),
    ),
    measure: requireBoolean('measure', given['measure'] ?? true),
    alphaMin: requireNumber('alphaMin', given['alphaMin'] ?? USUAL_ALPHA_MIN, 'a number in (0, 0.5)'),
  };
  if (!grid.measure && grid.delta.length + grid.epsilon.length === 0) {
    throw new InputRangeError('the grid asks for nothing: it needs "delta", "epsilon" or "measure"');
  }
  const whole = { ...grid, digest: crc32(new TextEncoder().encode(textOf(grid))) };
  mechanismAt(whole, 0);
  return whole;
}

/** @throws TypeError for what is no grid of `parseSweepGrid`. */
export function requireGrid(grid: SweepGrid): void {
  if (!Array.isArray(grid?.axes)) throw wrongType('grid', 'a grid of parseSweepGrid', grid);
}

export function sizeOf({ axes }: Pick<SweepGrid, 'axes'>): number {
  return axes.reduce((product, { values }) => product * values.length, 1);
}

/** The values of combination `index`, one for each axis; the last axis varies fastest. */
export function valuesAt(grid: SweepGrid, index: number): unknown[] {
  const values: unknown[] = new Array(grid.axes.length);
  let rest = index;
  for (let i = grid.axes.length - 1; i >= 0; i--) {
    const { length } = grid.axes[i].values;
    values[i] = grid.axes[i].values[rest % length];
    rest = Math.floor(rest / length);
  }
  return values;
}

/** @throws TypeError | RangeError where these values make no mechanism. */
export function mechanismAt(grid: SweepGrid, index: number): Mechanism {
  const values = valuesAt(grid, index);
  const named = new Map(grid.axes.map(({ name }, i) => [`$${name}`, values[i]]));
  return parseMechanism(filledIn(grid.mechanism, named));
}

function filledIn(template: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof template === 'string') return values.has(template) ? values.get(template) : template;
  if (Array.isArray(template)) return template.map((item) => filledIn(item, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, filledIn(item, values)]));
}

function placeholders(template: unknown, found = new Set<string>(), depth = 0): Set<string> {
  if (depth > MAX_DEPTH) throw wrongValue('mechanism', `nested at most ${MAX_DEPTH} deep`, template);
  if (typeof template === 'string' && template.startsWith('$')) found.add(template.slice(1));
  if (typeof template === 'object' && template !== null) {
    for (const item of Object.values(template)) placeholders(item, found, depth + 1);
  }
  return found;
}

/** The text of a grid: it is sent to workers, and its digest is in every row. */
function textOf(grid: object): string {
  try {
    return JSON.stringify(grid);
  } catch (error) {
    throw new InputTypeError(`"grid" must be JSON: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}

function parseAxis(name: string, given: unknown): SweepAxis {
  if (!/^[A-Za-z]\w*$/.test(name) || knownType(name) !== undefined) {
    throw wrongValue('over', 'of names that are identifiers and no column of the results', name);
  }
  const option = `over.${name}`;
  const listed = Array.isArray(given) ? given : rangeOf(option, given);
  const values = requireList(option, listed, 'values', 1, MAX_CONFIGS);
  if (values.every((each) => Number.isSafeInteger(each))) return { name, values, type: 'integer' };
  return { name, values, type: values.every((each) => typeof each === 'number') ? 'number' : 'text' };
}

/** `count` values from `from` to `to`, both included, evenly spaced on a linear or a logarithmic scale. */
function rangeOf(option: string, given: unknown): number[] {
  requireFields(option, given, ['from', 'to', 'count', 'scale'], 'a range has');
  const range = given as Record<string, unknown>;
  const scale = requireOneOf(`${option}.scale`, range['scale'] ?? 'linear', ['linear', 'log'] as const);
  const expected = scale === 'log' ? 'a number > 0' : 'a finite number';
  const holds = (x: number) => Number.isFinite(x) && (scale === 'linear' || x > 0);
  const end = (key: string) => requireNumber(`${option}.${key}`, range[key], expected, holds);
  const [from, to] = [end('from'), end('to')];
  const count = requireNumber(`${option}.count`, range['count'], `a whole number from 1 to ${MAX_CONFIGS}`);
  return Array.from({ length: count }, (_, i) => {
    if (i === 0) return from;
    if (i === count - 1) return to;
    const part = i / (count - 1);
    return scale === 'log' ? exp(log(from) + (log(to) - log(from)) * part) : from + (to - from) * part;
  });
}

function numberList(option: string, value: unknown, check: (option: string, x: unknown) => number): number[] {
  const listed = requireList(option, value, 'numbers', 0, MAX_QUESTIONS);
  const numbers = listed.map((x, i) => check(`${option}[${i}]`, x));
  const twice = numbers.find((x, i) => numbers.indexOf(x) !== i);
  if (twice !== undefined) throw wrongValue(option, 'of different numbers', twice);
  return numbers;
}
