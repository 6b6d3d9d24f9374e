import type { ElementwiseName, Kernel } from '../kernel/kernel.js';
import { MODULUS_ROWS, PATH_ROWS, UNIFORM_ROWS } from '../kernel/kernel-table.js';
import { charge } from './meter.js';
import { PRICES } from './prices.js';

type Work = readonly [terms: number, price: number];
type Methods = Omit<Kernel, 'name'>;
/** What a call will do, by the shapes of its arguments. */
type Works = { readonly [K in keyof Methods]: (...given: Parameters<Methods[K]>) => Work };

const LIGHT: readonly ElementwiseName[] = [
  'exp',
  'log',
  'expm1',
  'log1p',
  'sinPi',
  'cosPi',
  'erfc',
  'erfcx',
  'logErfc',
  'normalCdf',
  'inverfc',
  'normalQuantile',
  'normalQuantileUpper',
  'normalQuantileLog',
];

const each = (names: readonly ElementwiseName[], price: number): Partial<Works> =>
  Object.fromEntries(names.map((name) => [name, (x: Float64Array): Work => [x.length, price]]));

const transform = (n: number): number => n * Math.max(4, 31 - Math.clz32(n));

const WORKS: Works = {
  ...(each(LIGHT, PRICES.element) as Pick<Works, ElementwiseName>),
  logNormalCdf: (x) => [x.length, PRICES.profile],
  normalIntervals: (edges) => [edges.length, PRICES.profile],
  deltaGdp: (_, epsilon) => [epsilon.length, PRICES.profile],
  logDeltaGdp: (_, epsilon) => [epsilon.length, PRICES.profile],
  oneMinusDeltaGdp: (_, epsilon) => [epsilon.length, PRICES.profile],
  muGdpLog: (epsilon) => [epsilon.length, PRICES.inverse],
  realFft: (x) => [transform(x.length), PRICES.transform],
  inverseRealFft: (spectrum) => [transform(spectrum.length), PRICES.transform],
  convolve: (a, b) => [3 * transform(a.length + b.length), PRICES.transform],
  composeCyclic: (parts) => [(parts.length + 1) * transform(parts[0]?.pmf.length ?? 0), PRICES.transform],
  logMgf: (p) => [p.length, PRICES.logMgf],
  tilt: (p) => [p.length, PRICES.tilt],
  suffixScan: (tilted) => [tilted.length, PRICES.scan],
  characteristicLine: (loss, _weight, _dTau, n) => [loss.length * n, PRICES.characteristic],
  pathLine: (path, _dTau, n) => [(path.length / PATH_ROWS) * n, PRICES.path],
  lossMesh: (_mu, _q, x) => [x.length, PRICES.mesh],
  contourSumsUniform: (_, { values }, xs) => [(values.length / UNIFORM_ROWS) * xs.length, PRICES.uniform],
  cumulantSums: (_, from, to, tilts) => [(to - from) * tilts.length, PRICES.cumulant],
  modulusSums: ({ values }, taus) => [(values.length / MODULUS_ROWS) * taus.length, PRICES.modulus],
};

/** A kernel that charges what each call is about to do before it does it. */
export function meteredKernel(kernel: Kernel): Kernel {
  const metered: Record<string, unknown> = { name: kernel.name };
  for (const name of Object.keys(WORKS) as (keyof Methods)[]) {
    const work = WORKS[name] as (...given: unknown[]) => Work;
    const call = kernel[name] as (...given: unknown[]) => unknown;
    metered[name] = (...given: unknown[]): unknown => {
      const [terms, price] = work(...given);
      charge(PRICES.call + terms * price);
      return call(...given);
    };
  }
  return metered as unknown as Kernel;
}
