/** Golden values of test/golden/generate.py and the error in ulp against them. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Points x with their exact values hi + lo·2⁻¹⁴ ulp(hi). */
export interface Golden {
  readonly x: Float64Array;
  readonly hi: Float64Array;
  readonly lo: Int16Array;
}

export function readGolden(name: string): Golden {
  const bytes = gunzipSync(readFileSync(new URL(`../golden/${name}.bin.gz`, import.meta.url)));
  const n = bytes.readUInt32LE(0);
  const x = new Float64Array(n);
  const hi = new Float64Array(n);
  const lo = new Int16Array(n);
  for (let i = 0; i < n; i++) {
    x[i] = bytes.readDoubleLE(4 + 8 * i);
    hi[i] = bytes.readDoubleLE(4 + 8 * (n + i));
    lo[i] = bytes.readInt16LE(4 + 16 * n + 2 * i);
  }
  return { x, hi, lo };
}

/** Unit in the last place of y: the spacing of doubles in its binade, at least 2⁻¹⁰⁷⁴. */
export function ulp(y: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(y));
  const next = view.getBigUint64(0) + 1n;
  view.setBigUint64(0, next);
  const up = view.getFloat64(0);
  return up === Infinity ? 2 ** 971 : up - Math.abs(y);
}

/** |got − exact| in ulps of the exact value: never NaN, ∞ where a special value is missed. */
export function ulpError(got: number, hi: number, lo: number): number {
  if (!Number.isFinite(hi) || !Number.isFinite(got)) return Object.is(got, hi) ? 0 : Infinity;
  return Math.abs((got - hi) / ulp(hi) - lo / 16384);
}

/** The worst error of values `got` and where it is. */
export function worstUlp(golden: Golden, got: Float64Array): { ulps: number; x: number } {
  let worst = { ulps: 0, x: golden.x[0] };
  for (let i = 0; i < got.length; i++) {
    const ulps = ulpError(got[i], golden.hi[i], golden.lo[i]);
    if (ulps > worst.ulps) worst = { ulps, x: golden.x[i] };
  }
  return worst;
}
