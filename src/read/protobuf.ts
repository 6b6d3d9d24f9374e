/** The protobuf wire format, read field by field. */

import { InputSyntaxError } from '../errors.js';

export type WireValue =
  | { readonly field: number; readonly type: 'varint'; readonly value: bigint }
  | { readonly field: number; readonly type: 'fixed64'; readonly view: DataView }
  | { readonly field: number; readonly type: 'fixed32'; readonly view: DataView }
  | { readonly field: number; readonly type: 'bytes'; readonly bytes: Uint8Array };

/**
 * The fields of a message in the order they stand; of embedded messages the bytes.
 *
 * @throws SyntaxError if the message is cut or broken.
 */
export function* wireFields(bytes: Uint8Array): Generator<WireValue> {
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
