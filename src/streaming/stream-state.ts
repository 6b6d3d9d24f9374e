import { requireNumber, requireOneOf, wrongType, wrongValue } from '../errors.js';
import type { Adjacency } from '../report-types.js';
import {
  AXIS,
  type AxisPoint,
  DEPTHS,
  NODES,
  SCALES,
  type ScaleState,
  SEGMENTS,
  type StreamLine,
  scaleOf,
} from './stream-lines.js';

/** Everything a stream remembers. */
export interface StreamState {
  readonly adjacency: Adjacency;
  steps: number;
  /** Σ μ_t² and Σ μ² of the steps. */
  tailSquare: number;
  ceilingSquare: number;
  /** 'remove', then 'add'. */
  readonly directions: readonly StreamDirection[];
}

export interface StreamDirection {
  readonly scales: readonly ScaleState[];
  logMassP: number;
  logMassQ: number;
}

const FORMAT = 'gdp-kernel-stream';
const VERSION = 1;

/** JSON data: numbers as they are, node arrays as base64 of little-endian float64. */
export function streamToJson(state: StreamState): object {
  return {
    format: FORMAT,
    version: VERSION,
    adjacency: state.adjacency,
    steps: state.steps,
    tailSquare: plain(state.tailSquare),
    ceilingSquare: plain(state.ceilingSquare),
    directions: state.directions.map(({ scales, logMassP, logMassQ }) => ({
      logMassP: plain(logMassP),
      logMassQ: plain(logMassQ),
      scales: scales.map(({ alive, axis, lines }) =>
        alive
          ? {
              axis: encode(
                axis.flatMap(({ value, error, mean, variance }) => [value, error, mean, variance]),
              ),
              lines: lines.map((line) =>
                encode([
                  ...line.logModulus,
                  ...line.phase,
                  ...line.segments,
                  line.error,
                  line.quadrature,
                  line.tailLog,
                  line.tailPower,
                ]),
              ),
            }
          : null,
      ),
    })),
  };
}

/** JSON has no ∞. */
function plain(x: number): number | string {
  return Number.isFinite(x) ? x : String(x);
}

const LINE_LENGTH = 2 * NODES + SEGMENTS + 4;

/** @throws TypeError | RangeError naming what is wrong. */
export function streamFromJson(data: unknown): StreamState {
  const given = object(data, 'stream');
  requireOneOf('format', given['format'], [FORMAT] as const);
  if (given['version'] !== VERSION) throw wrongValue('version', String(VERSION), given['version']);
  const directions = array(given['directions'], 'directions', 2).map((direction, i) => {
    const place = `directions[${i}]`;
    const fields = object(direction, place);
    return {
      logMassP: logMass(fields['logMassP'], `${place}.logMassP`),
      logMassQ: logMass(fields['logMassQ'], `${place}.logMassQ`),
      scales: array(fields['scales'], `${place}.scales`, SCALES).map((scale, k) =>
        scaleFrom(scale, k, `${place}.scales[${k}]`),
      ),
    };
  });
  return {
    adjacency: requireOneOf('adjacency', given['adjacency'], ['add-remove', 'replace-one'] as const),
    steps: requireNumber(
      'steps',
      given['steps'],
      'a whole number >= 0',
      (x) => x >= 0 && Number.isSafeInteger(x),
    ),
    tailSquare: square(given['tailSquare'], 'tailSquare'),
    ceilingSquare: square(given['ceilingSquare'], 'ceilingSquare'),
    directions,
  };
}

function scaleFrom(data: unknown, index: number, place: string): ScaleState {
  const scale = scaleOf(index);
  if (data === null)
    return { scale, axis: axisFrom(new Float64Array(4 * AXIS.length)), lines: [], alive: false };
  const fields = object(data, place);
  const lines = array(fields['lines'], `${place}.lines`, DEPTHS.length).map((line, i): StreamLine => {
    const values = decode(line, `${place}.lines[${i}]`, LINE_LENGTH);
    const [error, quadrature, tailLog, tailPower] = values.subarray(2 * NODES + SEGMENTS);
    if (!(error >= 0 && quadrature >= 0))
      throw wrongValue(`${place}.lines[${i}]`, 'error bounds >= 0', error);
    return {
      logModulus: values.slice(0, NODES),
      phase: values.slice(NODES, 2 * NODES),
      segments: values.slice(2 * NODES, 2 * NODES + SEGMENTS),
      error,
      quadrature,
      tailLog,
      tailPower,
    };
  });
  return {
    scale,
    axis: axisFrom(decode(fields['axis'], `${place}.axis`, 4 * AXIS.length)),
    lines,
    alive: true,
  };
}

function axisFrom(values: Float64Array): AxisPoint[] {
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
  return requireNumber(place, x, 'a number >= 0', (y) => y >= 0);
}

function logMass(value: unknown, place: string): number {
  const x = value === '-Infinity' ? -Infinity : value;
  return requireNumber(place, x, 'a number <= 0', (y) => y <= 0);
}

function encode(values: readonly number[]): string {
  const bytes = new DataView(new ArrayBuffer(8 * values.length));
  for (const [i, value] of values.entries()) bytes.setFloat64(8 * i, value, true);
  let text = '';
  for (let i = 0; i < bytes.byteLength; i++) text += String.fromCharCode(bytes.getUint8(i));
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
