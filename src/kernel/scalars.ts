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

/** The functions of one or two numbers (assembly/functions/scalar.ts). They give the bits of the kernel's functions of arrays. */
export type Scalars = Readonly<
  Record<(typeof OF_ONE)[number], (x: number) => number> &
    Record<(typeof OF_TWO)[number], (x: number, y: number) => number>
>;

/** Copies the scalar functions of an engine to an object of one shape for all engines, as V8 calls them faster then. */
export function tableOf(instance: Scalars): Scalars {
  return Object.fromEntries([...OF_ONE, ...OF_TWO].map((name) => [name, instance[name]])) as Scalars;
}
