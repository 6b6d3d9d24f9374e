export interface Pmf {
  readonly minKey: number;
  readonly values: readonly number[];
  readonly infinity?: number;
  readonly interval?: number;
  readonly packed?: boolean;
}

/** A PrivacyLossDistribution message of proto2. */
export function pldProto({ minKey, values, infinity, interval, packed = false }: Pmf): Uint8Array {
  const body = [
    ...[0x08, ...varint(BigInt.asUintN(64, BigInt(minKey)))],
    ...(packed
      ? [0x12, ...varint(BigInt(8 * values.length)), ...values.flatMap(double)]
      : values.flatMap((value) => [0x11, ...double(value)])),
    ...(infinity === undefined ? [] : [0x19, ...double(infinity)]),
    ...(interval === undefined ? [] : [0x21, ...double(interval)]),
  ];
  return Uint8Array.from([0x0a, ...varint(BigInt(body.length)), ...body]);
}

export function varint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}

export function double(x: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x, true);
  return [...new Uint8Array(view.buffer)];
}
