import { Opaque, type PickleValue } from './opaque.js';

const READERS: Readonly<Record<string, (view: DataView, little: boolean) => number>> = {
  f8: (view, little) => view.getFloat64(0, little),
  f4: (view, little) => view.getFloat32(0, little),
  i8: (view, little) => Number(view.getBigInt64(0, little)),
  i4: (view, little) => view.getInt32(0, little),
  i2: (view, little) => view.getInt16(0, little),
  i1: (view) => view.getInt8(0),
  u8: (view, little) => Number(view.getBigUint64(0, little)),
  u4: (view, little) => view.getUint32(0, little),
};

/**
 * The number that a pickled call of NumPy's `scalar(dtype, bytes)` stands for; nothing for any other call, or another type of
 * number. Nothing is called: a dtype is its code and byte order, bytes are bytes or Latin-1 text.
 */
export function numpyScalar(name: string, given: readonly PickleValue[]): number | undefined {
  if (!/^numpy\._?core\.multiarray scalar$/.test(name)) return undefined;
  const [dtype, data] = given;
  if (!(dtype instanceof Opaque) || dtype.name !== 'numpy.dtype') return undefined;
  const code = String(dtype.parts[0]);
  const bytes = bytesOf(data);
  if (!Object.hasOwn(READERS, code) || bytes?.length !== Number(code.slice(1))) return undefined;
  const little = !(Array.isArray(dtype.state) && dtype.state[1] === '>');
  return READERS[code](new DataView(bytes.buffer), little);
}

function bytesOf(data: PickleValue | undefined): Uint8Array | undefined {
  if (!(data instanceof Opaque)) return undefined;
  const [text, encoding] = data.parts;
  if (data.name === '_codecs.encode')
    return typeof text === 'string' && encoding === 'latin1'
      ? Uint8Array.from(text, (letter) => letter.charCodeAt(0))
      : undefined;
  return Uint8Array.from(data.parts as number[]);
}
