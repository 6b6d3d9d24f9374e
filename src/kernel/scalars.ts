const OF_ONE = [
  'expOf',
  'expm1Of',
  'logOf',
  'log1pOf',
  'logNormalCdfOf',
  'normalQuantileLogOf',
  'cosPiOf',
  'sinPiOf',
] as const;
const OF_TWO = ['deltaGdpOf', 'logDeltaGdpOf', 'oneMinusDeltaGdpOf', 'muGdpOf', 'muGdpLogOf'] as const;

/** The functions of one or two numbers that questions ask (assembly/functions/scalar.ts), with the bits of the kernel's loops. */
export type Scalars = Readonly<
  Record<(typeof OF_ONE)[number], (x: number) => number> &
    Record<(typeof OF_TWO)[number], (x: number, y: number) => number>
>;

/** Copies the scalar functions of an instance to an object whose shape is the same for all instances: V8 then calls them faster. */
export function tableOf(instance: Scalars): Scalars {
  return Object.fromEntries([...OF_ONE, ...OF_TWO].map((name) => [name, instance[name]])) as Scalars;
}
