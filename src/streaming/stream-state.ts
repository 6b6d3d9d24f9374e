import { requireNumber, requireOneOf, wrongType, wrongValue } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { requireAdjacency } from '../mechanism/adjacency.js';
import type { Cumulant } from '../methods/contour/step/spectral-law.js';
import { AXIS, emptySums, type StreamLine, TILTS } from './stream-lines.js';
import { StreamTotals } from './stream-totals.js';

/** Everything a stream remembers. */
export interface StreamState {
  readonly adjacency: Adjacency;
  steps: number;
  /** Σ μ_t² and Σ μ² of the steps. */
  tailSquare: number;
  ceilingSquare: number;
  /** 'remove', then 'add'. */
  readonly directions: readonly StreamDirection[];
  /**
   * The same for the attained steps (mechanism/attained.ts), whose δ is a lower end; only where a step was added that no
   * mechanism attains at every ε at once.
   */
  attained?: readonly StreamDirection[];
}

export interface StreamDirection {
  readonly totals: StreamTotals;
  logMassP: number;
  logMassQ: number;
}

const FORMAT = 'gdp-kernel-stream';
/** Of the data; others are refused. */
const VERSION = 3;

/** JSON data: numbers as they are, node arrays as base64 of little-endian float64. */
export function streamToJson(state: StreamState): object {
  return {
    format: FORMAT,
    version: VERSION,
    adjacency: state.adjacency,
    steps: state.steps,
    tailSquare: plain(state.tailSquare),
    ceilingSquare: plain(state.ceilingSquare),
    directions: state.directions.map(directionToJson),
    ...(state.attained !== undefined && { attained: state.attained.map(directionToJson) }),
  };
}

function directionToJson({ totals, logMassP, logMassQ }: StreamDirection): object {
  const { axis, lines } = totals.settled();
  return {
    logMassP: plain(logMassP),
    logMassQ: plain(logMassQ),
    axis: encode(axis.flatMap(({ value, error, mean, variance }) => [value, error, mean, variance])),
    lines: lines.map(({ lowest, pieces, segments, tailLog, tailPower }) => ({
      lowest,
      values: encode([
        ...segments,
        tailLog,
        tailPower,
        ...pieces.flatMap(({ logModulus, phase, error, quadrature }) => [
          ...logModulus,
          ...phase,
          error,
          quadrature,
        ]),
      ]),
    })),
  };
}

/** JSON has no ∞. */
function plain(x: number): number | string {
  return Number.isFinite(x) ? x : String(x);
}

/** @throws TypeError | RangeError naming what is wrong. */
export function streamFromJson(data: unknown): StreamState {
  const given = object(data, 'stream');
  requireOneOf('format', given['format'], [FORMAT] as const);
  if (given['version'] !== VERSION) throw wrongValue('version', String(VERSION), given['version']);
  return {
    adjacency: requireAdjacency(given['adjacency']),
    steps: requireNumber('steps', given['steps'], 'a whole number >= 0'),
    tailSquare: square(given['tailSquare'], 'tailSquare'),
    ceilingSquare: square(given['ceilingSquare'], 'ceilingSquare'),
    directions: directionsFrom(given['directions'], 'directions'),
    ...(given['attained'] !== undefined && { attained: directionsFrom(given['attained'], 'attained') }),
  };
}

function directionsFrom(data: unknown, name: string): StreamDirection[] {
  return array(data, name, 2).map((direction, i) => {
    const place = `${name}[${i}]`;
    const fields = object(direction, place);
    const empty = emptySums();
    return {
      logMassP: logMass(fields['logMassP'], `${place}.logMassP`),
      logMassQ: logMass(fields['logMassQ'], `${place}.logMassQ`),
      totals: new StreamTotals({
        axis: axisFrom(decode(fields['axis'], `${place}.axis`, 4 * AXIS.length)),
        lines: array(fields['lines'], `${place}.lines`, TILTS.length).map((line, k) =>
          lineFrom(line, k, `${place}.lines[${k}]`, empty.lines[k]),
        ),
      }),
    };
  });
}

/** @param empty The line as it was before anything was added; it is filled. */
function lineFrom(data: unknown, k: number, place: string, empty: StreamLine): StreamLine {
  const fields = object(data, place);
  const { lowest: least, top } = TILTS[k];
  const lowest = requireNumber(
    `${place}.lowest`,
    fields['lowest'],
    `a whole number from ${least} to ${top + 1}`,
  );
  const { segments, pieces } = empty;
  pieces.length = top - lowest + 1;
  const length = pieces.reduce((sum, { phase }) => sum + 2 * phase.length + 2, segments.length + 2);
  const values = decode(fields['values'], `${place}.values`, length);
  let at = 0;
  const fill = (to: Float64Array): void => {
    to.set(values.subarray(at, at + to.length));
    at += to.length;
  };
  fill(segments);
  const [tailLog, tailPower] = [values[at++], values[at++]];
  for (const piece of pieces) {
    fill(piece.logModulus);
    fill(piece.phase);
    [piece.error, piece.quadrature] = [values[at++], values[at++]];
    if (!(piece.error >= 0 && piece.quadrature >= 0))
      throw wrongValue(place, 'error bounds >= 0', piece.error);
  }
  return { lowest, pieces, segments, tailLog, tailPower };
}

function axisFrom(values: Float64Array): Cumulant[] {
  return AXIS.map((_, i) => {
    const [value, error, mean, variance] = values.subarray(4 * i, 4 * i + 4);
    return { value, error, mean, variance };
  });
}

function object(value: unknown, place: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongType(place, 'an object', value);
  }
  return value as Record<string, unknown>;
}

function array(value: unknown, place: string, length: number): unknown[] {
  if (!Array.isArray(value)) throw wrongType(place, 'an array', value);
  if (value.length !== length) throw wrongValue(place, `${length} long`, value);
  return value;
}

function square(value: unknown, place: string): number {
  const x = value === 'Infinity' ? Infinity : value;
  return requireNumber(place, x, 'a number >= 0');
}

function logMass(value: unknown, place: string): number {
  const x = value === '-Infinity' ? -Infinity : value;
  return requireNumber(place, x, 'a number <= 0');
}

/** Bytes made into text at a time. */
const CHUNK = 4096;

function encode(values: readonly number[]): string {
  const bytes = new DataView(new ArrayBuffer(8 * values.length));
  for (const [i, value] of values.entries()) bytes.setFloat64(8 * i, value, true);
  let text = '';
  for (let i = 0; i < bytes.byteLength; i += CHUNK) {
    const { byteLength } = bytes;
    text += String.fromCharCode(...new Uint8Array(bytes.buffer, i, Math.min(CHUNK, byteLength - i)));
  }
  return btoa(text);
}

function decode(value: unknown, place: string, length: number): Float64Array {
  const expected = `base64 of ${length} float64`;
  if (typeof value !== 'string') throw wrongType(place, expected, value);
  let text: string;
  try {
    text = atob(value);
  } catch {
    throw wrongValue(place, expected, value);
  }
  if (text.length !== 8 * length) throw wrongValue(place, expected, value);
  const bytes = new DataView(new ArrayBuffer(text.length));
  for (let i = 0; i < text.length; i++) bytes.setUint8(i, text.charCodeAt(i));
  const out = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    out[i] = bytes.getFloat64(8 * i, true);
    if (Number.isNaN(out[i])) throw wrongValue(place, 'numbers', 'NaN');
  }
  return out;
}
