import {
  requireBoolean,
  requireFields,
  requireList,
  requireNumber,
  requireOneOf,
  wrongType,
  wrongValue,
} from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { requireAdjacency } from '../mechanism/adjacency.js';
import { PLACES } from './stream-places.js';
import { StreamSums } from './stream-sums.js';

/** Everything a stream remembers. */
export interface StreamState {
  readonly adjacency: Adjacency;
  readonly steps: number;
  /** Σ μ_t² and Σ μ² of the steps. */
  readonly tailSquare: number;
  readonly ceilingSquare: number;
  /** Whether all steps are plain Gaussians, which compose to one. */
  readonly gaussian?: boolean;
  /** 'remove', then 'add'. */
  readonly directions: readonly StreamSums[];
  /**
   * The same for the attained steps (mechanism/attained.ts), whose δ is a lower end; only where a step was added that no
   * mechanism attains at every ε at once.
   */
  readonly attained?: readonly StreamSums[] | undefined;
}

const FORMAT = 'gdp-kernel-stream';
/** Of the data; others are refused. */
const VERSION = 4;
const NUMBERS = ['adjacency', 'steps', 'tailSquare', 'ceilingSquare', 'gaussian'];
const FIELDS = ['format', 'version', ...NUMBERS, 'directions', 'attained', 'ledger'];

/** JSON data: numbers as they are, the sums at each place as base64 of little-endian float64. */
export function streamToJson({ directions, attained, ...state }: StreamState): object {
  const encoded = (all: readonly StreamSums[]): string[][] => all.map((sums) => sums.whole().map(encode));
  return {
    format: FORMAT,
    version: VERSION,
    ...state,
    tailSquare: plain(state.tailSquare),
    ceilingSquare: plain(state.ceilingSquare),
    directions: encoded(directions),
    ...(attained !== undefined && { attained: encoded(attained) }),
  };
}

/** JSON has no ∞. */
function plain(x: number): number | string {
  return Number.isFinite(x) ? x : String(x);
}

/** @throws TypeError | RangeError naming what is wrong. */
export function streamFromJson(data: unknown): StreamState {
  requireFields('stream', data, FIELDS);
  const given = data as Record<string, unknown>;
  requireOneOf('format', given['format'], [FORMAT] as const);
  if (given['version'] !== VERSION) throw wrongValue('version', String(VERSION), given['version']);
  const square = (name: string): number =>
    requireNumber(name, given[name] === 'Infinity' ? Infinity : given[name], 'a number >= 0');
  const sums = (name: string): StreamSums[] =>
    requireList(name, given[name], 'directions', 2, 2).map((direction, i) => {
      const each = requireList(`${name}[${i}]`, direction, 'sums', PLACES.length, PLACES.length);
      return new StreamSums(each.map((values, k) => decode(values, `${name}[${i}][${k}]`, k)));
    });
  return {
    adjacency: requireAdjacency(given['adjacency']),
    steps: requireNumber('steps', given['steps'], 'a whole number >= 0'),
    tailSquare: square('tailSquare'),
    ceilingSquare: square('ceilingSquare'),
    gaussian: requireBoolean('gaussian', given['gaussian'] ?? false),
    directions: sums('directions'),
    attained: given['attained'] === undefined ? undefined : sums('attained'),
  };
}

function encode(values: Float64Array): string {
  const bytes = new DataView(new ArrayBuffer(8 * values.length));
  for (const [i, value] of values.entries()) bytes.setFloat64(8 * i, value, true);
  return btoa(String.fromCharCode(...new Uint8Array(bytes.buffer)));
}

/** The sum at a place, or nothing where it is given up. */
function decode(value: unknown, name: string, place: number): Float64Array {
  const { length } = PLACES[place];
  const expected = `base64 of ${length} float64, or empty`;
  if (typeof value !== 'string') throw wrongType(name, expected, value);
  let text: string;
  try {
    text = atob(value);
  } catch {
    throw wrongValue(name, expected, value);
  }
  if (text.length !== 8 * length && text !== '') throw wrongValue(name, expected, value);
  const bytes = new DataView(Uint8Array.from(text, (char) => char.charCodeAt(0)).buffer);
  const sum = Float64Array.from({ length: text.length / 8 }, (_, i) => bytes.getFloat64(8 * i, true));
  if (sum.includes(NaN)) throw wrongValue(name, 'numbers', 'NaN');
  if (PLACES[place].rounding && sum[0] < 0) throw wrongValue(name, 'an error bound >= 0 first', sum[0]);
  return sum;
}
