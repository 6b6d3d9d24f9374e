const OF_ONE = ['expOf', 'expm1Of', 'logOf', 'log1pOf', 'logNormalCdfOf'] as const;
const OF_TWO = ['deltaGdpOf', 'logDeltaGdpOf', 'oneMinusDeltaGdpOf', 'muGdpOf', 'muGdpLogOf'] as const;

/** The functions of one or two numbers that questions ask (assembly/scalar.ts), with the bits of the kernel's loops. */
export type Scalars = Readonly<
  Record<(typeof OF_ONE)[number], (x: number) => number> &
    Record<(typeof OF_TWO)[number], (x: number, y: number) => number>
>;

/** Those of an instance in an object of the shape that all have: calls by it are fast. */
export function tableOf(instance: Scalars): Scalars {
  return Object.fromEntries([...OF_ONE, ...OF_TWO].map((name) => [name, instance[name]])) as Scalars;
}

/** log(even + odd + what they rounded off) + shift. */
export function finishLogMgf(
  shift: number,
  [even, odd, restEven, restOdd]: ArrayLike<number> & Iterable<number>,
  { logOf }: Pick<Scalars, 'logOf'>,
): number {
  if (shift === -Infinity) return -Infinity;
  const sum = even + odd;
  const part = sum - even;
  const lost = even - (sum - part) + (odd - part);
  return logOf(sum + (lost + (restEven + restOdd))) + shift;
}

/** D = e^{−θh}, E = e^{−(1+θ)h}, g = 1 − e^{−h}: each within 1 ulp plus the rounding of its argument. */
export function scanFactors(
  theta: number,
  step: number,
  { expOf, expm1Of }: Pick<Scalars, 'expOf' | 'expm1Of'>,
): { D: number; E: number; g: number } {
  return { D: expOf(-(theta * step)), E: expOf(-((1 + theta) * step)), g: -expm1Of(-step) };
}
