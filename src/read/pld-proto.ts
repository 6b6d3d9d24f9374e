import { InputSyntaxError, requireNumber, wrongValue } from '../errors.js';
import { MAX_POINTS } from '../mechanism/checks.js';
import { tabulated } from '../mechanism/kinds/index.js';
import { exp, expm1 } from '../numeric/scalar.js';
import type { RecognisedRun } from './recognised.js';

/** Greatest number of masses, and greatest key: the profile is computed at every lattice point from loss 0 on. */
const MAX_VALUES = 4_000_000;
/** For an ε above this, δ(ε) is the mass at infinity for all purposes; e^ε overflows at 709. */
const MAX_EPSILON = 300;
/** `discretization_interval` where the message leaves it out. */
const DEFAULT_INTERVAL = 1e-4;

/** A privacy loss distribution: `values[i]` is the probability of the loss (minKey + i)·interval, and `infinity` that of an infinite loss. */
interface LossMass {
  readonly minKey: number;
  readonly values: Float64Array;
  readonly infinity: number;
  readonly interval: number;
}

/**
 * Reads a serialised PrivacyLossDistribution of Google's accounting library. It is a proto2 message with pessimistic_pmf = 1:
 * min_key = 1 int32, values = 2 double, infinity_mass = 3, discretization_interval = 4.
 *
 * Its profile δ(ε) = infinity_mass + Σ values (1 − e^{ε−loss})⁺ is a polygon in e^ε with corners on the lattice. So the (ε, δ) at
 * the lattice points ε ≥ 0 determine it. Each δ is rounded up, relatively by 2·10⁻¹⁵ for each lattice point above it and
 * 2·10⁻¹⁶·ε/interval for the rounding of ε. Of more than 100,000 such points every second, third, … is kept. Chords lie above
 * a convex curve, so the result is still an upper bound.
 *
 * @throws SyntaxError | TypeError | RangeError if it is no such message, or no distribution.
 */
export function pldProtoRun(bytes: Uint8Array): RecognisedRun {
  const pmf = lossMassOf(bytes);
  const { points, stride } = profileOf(pmf);
  return {
    format: 'pld-proto',
    mechanism: tabulated({ points }),
    facts: {},
    notes: [
      'the file holds one direction of a pessimistic distribution, taken to hold for both neighbours',
      'it does not say its adjacency: add-remove is assumed unless --adjacency says otherwise',
      ...(stride > 1 ? [`it has too many points: one in ${stride} is kept, which is safe but wider`] : []),
    ],
  };
}

function lossMassOf(bytes: Uint8Array): LossMass {
  let message: Uint8Array | undefined;
  for (const field of wireFields(bytes)) {
    if (field.field !== 1 || field.type !== 'bytes') continue;
    if (message !== undefined) throw new InputSyntaxError('it is protobuf with two "pessimistic_pmf"');
    message = field.bytes;
  }
  if (message === undefined) throw new InputSyntaxError('it is protobuf, but without "pessimistic_pmf"');
  let minKey = 0;
  let infinity = 0;
  let interval = DEFAULT_INTERVAL;
  const parts: DataView[] = [];
  let bytesOfValues = 0;
  for (const field of wireFields(message)) {
    if (field.field === 1 && field.type === 'varint') minKey = Number(BigInt.asIntN(32, field.value));
    else if (field.field === 2) {
      const view = doublesOf(field);
      parts.push(view);
      bytesOfValues += view.byteLength;
      if (bytesOfValues > 8 * MAX_VALUES) throw wrongValue('values', `at most ${MAX_VALUES} long`, 'more');
    } else if (field.field === 3 && field.type === 'fixed64') infinity = field.view.getFloat64(0, true);
    else if (field.field === 4 && field.type === 'fixed64') interval = field.view.getFloat64(0, true);
    else
      throw new InputSyntaxError(
        `it is protobuf, but field ${field.field} is none of a privacy loss distribution`,
      );
  }
  const values = new Float64Array(bytesOfValues / 8);
  let at = 0;
  let total = infinity;
  for (const view of parts) {
    for (let i = 0; i < view.byteLength; i += 8) {
      const value = view.getFloat64(i, true);
      if (!(value >= 0 && value <= 1)) throw wrongValue(`values[${at}]`, 'a number in [0, 1]', value);
      total += value;
      values[at++] = value;
    }
  }
  requireNumber('infinity_mass', infinity, 'a number in [0, 1]');
  requireNumber('discretization_interval', interval, 'a number in [1e-12, 1e3]');
  if (minKey + values.length > MAX_VALUES) {
    throw wrongValue('min_key', `such that no key is above ${MAX_VALUES}`, minKey);
  }
  if (!(Math.abs(total - 1) <= 1e-6)) throw wrongValue('values', 'masses of a total of 1', total);
  return { minKey, values, infinity, interval };
}

/** The doubles in a field. proto2 writes each in a field of its own, but a packed list is valid too. */
function doublesOf(field: WireValue): DataView {
  if (field.type === 'fixed64') return field.view;
  if (field.type !== 'bytes' || field.bytes.length % 8 !== 0) {
    throw new InputSyntaxError('it is a privacy loss distribution, but its values are no doubles');
  }
  return new DataView(field.bytes.buffer, field.bytes.byteOffset, field.bytes.length);
}

/** Points (ε, δ(ε)), δ rounded up, at lattice points from 0 to 300 or the last loss. δ is summed from the largest loss downwards: all terms are positive. */
function profileOf({ minKey, values, infinity, interval }: LossMass) {
  const lastKey = minKey + values.length - 1;
  const last = Math.min(Math.max(lastKey, 0), Math.floor(MAX_EPSILON / interval));
  const stride = Math.ceil((last + 1) / (MAX_POINTS - 1));
  const decay = exp(-interval);
  const rise = -expm1(-interval);
  let mass = 0;
  let weighted = 0;
  const points: { epsilon: number; delta: number }[] = [];
  for (let key = Math.max(lastKey, 0); key >= 0; key--) {
    // weighted = Σ over losses above ε of mass·(1 − e^{ε − loss}), moved down one lattice step
    if (key < lastKey) {
      mass += values[key + 1 - minKey] ?? 0;
      weighted = weighted * decay + mass * rise;
    }
    if (key <= last && (key === last || key % stride === 0)) {
      const epsilon = key * interval;
      const rounding = (Math.max(0, lastKey - key) + 4) * 2e-15 + (2e-16 * epsilon) / rise;
      points.push({ epsilon, delta: Math.min(1, (infinity + weighted) * (1 + rounding)) });
    }
  }
  return { points: points.reverse(), stride };
}

/** The protobuf wire format, read field by field. */

type WireValue =
  | { readonly field: number; readonly type: 'varint'; readonly value: bigint }
  | { readonly field: number; readonly type: 'fixed64'; readonly view: DataView }
  | { readonly field: number; readonly type: 'fixed32'; readonly view: DataView }
  | { readonly field: number; readonly type: 'bytes'; readonly bytes: Uint8Array };

/**
 * The fields of a message, in their order. An embedded message is given as its bytes.
 *
 * @throws SyntaxError if the message is cut or broken.
 */
function* wireFields(bytes: Uint8Array): Generator<WireValue> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (length: number): number => {
    if (length > bytes.length - at) throw broken();
    at += length;
    return at - length;
  };
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[take(1)];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw broken();
  };
  while (at < bytes.length) {
    const tag = varint();
    const field = Number(tag >> 3n);
    if (field === 0 || field > 0x1fffffff) throw broken();
    switch (Number(tag & 7n)) {
      case 0:
        yield { field, type: 'varint', value: varint() };
        break;
      case 1:
        yield { field, type: 'fixed64', view: new DataView(view.buffer, view.byteOffset + take(8), 8) };
        break;
      case 2: {
        const length = Number(varint());
        const start = take(length);
        yield { field, type: 'bytes', bytes: bytes.subarray(start, start + length) };
        break;
      }
      case 5:
        yield { field, type: 'fixed32', view: new DataView(view.buffer, view.byteOffset + take(4), 4) };
        break;
      default:
        throw broken();
    }
  }
}

function broken(): SyntaxError {
  return new InputSyntaxError('it is no protobuf message, or a cut one');
}
