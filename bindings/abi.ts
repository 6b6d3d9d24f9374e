/**
 * All that the WebAssembly module exports, as TypeScript sees it. Pointers are byte addresses in `memory`
 * (16-byte aligned), lengths count float64 unless said otherwise; docstrings are in assembly/.
 */
import type { Arena, Memory } from './arena.js';

/** Element-wise loop: n float64 at x to n at out, which may be x; n a multiple of 8. */
type MapExport = (x: number, out: number, n: number) => void;

/** The loops of assembly/elementwise.ts. */
export type MapName =
  | 'mapExp'
  | 'mapLog'
  | 'mapExpm1'
  | 'mapLog1p'
  | 'mapSinPi'
  | 'mapCosPi'
  | 'mapErfc'
  | 'mapErfcx'
  | 'mapLogErfc'
  | 'mapInverfc'
  | 'mapNormalCdf'
  | 'mapLogNormalCdf'
  | 'mapNormalQuantile'
  | 'mapNormalQuantileUpper'
  | 'mapNormalQuantileLog';

/**
 * δ_μ loops: n ε at `epsilon` to n results at `out`, which may be `epsilon`; μ from `mu` on, `muStep` bytes from each pair to the next
 * (0: one pair for all). Arrays have room for an even number of elements.
 */
export type ProfileExport = (mu: number, muStep: number, epsilon: number, out: number, n: number) => void;

export interface KernelExports extends Readonly<Record<MapName, MapExport>> {
  readonly memory: Memory;
  /** First byte above the module's static data. */
  heapBase(): number;

  // assembly/twiddles.ts and assembly/fft.ts: n/4 twiddles at `table`, 6 numbers for each 8 of them below it
  fillTwiddles(table: number, count: number): void;
  forwardFft(data: number, n: number, table: number): void;
  inverseFft(data: number, n: number, table: number): void;
  // natural order: n + 2 numbers; `out` and `spectrum` may be `data` from n = 512 on
  forwardNatural(data: number, n: number, table: number, out: number): void;
  inverseNatural(spectrum: number, n: number, table: number, data: number): void;

  // assembly/compose.ts
  openSpectrum(data: number, n: number): void;
  closeSpectrum(data: number, n: number): void;
  multiplySpectra(a: number, b: number, n: number): void;
  norm1(x: number, n: number): number;
  powerPart(
    spec: number,
    acc: number,
    mag: number,
    ratio: number,
    n: number,
    count: number,
    eta: number,
    weight: number,
    skip: number,
    tiny: number,
    first: number,
  ): void;
  sumBounds(acc: number, mag: number, ratio: number, n: number, relative: number, out: number): void;

  // assembly/scan.ts: n even
  mgfShift(p: number, n: number, first: number, step: number, lambda: number): number;
  mgfSum(p: number, n: number, first: number, step: number, lambda: number, shift: number, out: number): void;
  tiltInPlace(p: number, n: number, first: number, step: number, theta: number, shift: number): void;
  suffixSums(p: number, n: number, delta: number, D: number, E: number, g: number): void;

  // assembly/characteristic.ts: room a multiple of 32
  characteristicSums(
    loss: number,
    weight: number,
    m: number,
    dTau: number,
    first: number,
    re: number,
    im: number,
    room: number,
  ): void;

  // assembly/contour-sums.ts: rows of n numbers, m x
  contourSums(table: number, n: number, x: number, m: number, out: number): void;
  contourSumsUniform(dTau: number, table: number, n: number, x: number, m: number, out: number): void;

  // assembly/loss-mesh.ts: four rows of n, even
  lossMesh(mu: number, q: number, x: number, n: number, out: number): void;

  // assembly/mesh-sums.ts: rows of `stride` or n numbers, m tilts or τ
  cumulantSums(
    mesh: number,
    stride: number,
    from: number,
    to: number,
    c: number,
    m: number,
    out: number,
  ): void;
  modulusSums(table: number, n: number, tau: number, m: number, floor: number, out: number): void;
  pathPoints(table: number, n: number, points: number, m: number, floor: number, out: number): void;

  // assembly/path-line.ts: stride even, room a multiple of 32
  pathSums(
    path: number,
    stride: number,
    m: number,
    dTau: number,
    first: number,
    floor: number,
    re: number,
    im: number,
    wrong: number,
    room: number,
  ): void;
  // n even, size a multiple of 8 up to 32, 32 places a panel
  panelSums(
    path: number,
    n: number,
    offsets: number,
    size: number,
    span: number,
    from: number,
    m: number,
    floor: number,
    re: number,
    im: number,
    wrong: number,
  ): void;

  // assembly/gdp.ts and assembly/gdp-inverse.ts: arrays with room for an even number of elements
  readonly deltaGdp: ProfileExport;
  readonly logDeltaGdp: ProfileExport;
  readonly oneMinusDeltaGdp: ProfileExport;
  muGdpLog(epsilon: number, logDelta: number, out: number, n: number): void;
  normalIntervals(edges: number, out: number, n: number): void;

  // assembly/tables.ts
  tablesPointer(): number;
  /** Where RATIO and DIVIDED of src/kernel/mills-table.ts go, one after the other. */
  millsPointer(): number;
}

/** One instance of the module and the allocator over its memory. */
export interface WasmContext {
  readonly exports: KernelExports;
  readonly arena: Arena;
}
