/** Functions of one number that an engine lends to what both engines work out once a call: the same bits from either. */
export interface Scalars {
  exp(x: number): number;
  expm1(x: number): number;
  log(x: number): number;
}

/** log(even + odd + what they rounded off) + shift. */
export function finishLogMgf(
  shift: number,
  [even, odd, restEven, restOdd]: ArrayLike<number> & Iterable<number>,
  { log }: Scalars,
): number {
  if (shift === -Infinity) return -Infinity;
  const sum = even + odd;
  const part = sum - even;
  const lost = even - (sum - part) + (odd - part);
  return log(sum + (lost + (restEven + restOdd))) + shift;
}

/** D = e^{−θh}, E = e^{−(1+θ)h}, g = 1 − e^{−h}: each within 1 ulp plus the rounding of its argument. */
export function scanFactors(
  theta: number,
  step: number,
  { exp, expm1 }: Scalars,
): { D: number; E: number; g: number } {
  return { D: exp(-(theta * step)), E: exp(-((1 + theta) * step)), g: -expm1(-step) };
}
