/**
 * What the WebAssembly module exports, as TypeScript sees it. Pointers are byte addresses in `memory`
 * (16-byte aligned), lengths count float64 unless said otherwise; docstrings are in assembly/.
 */
import type { Arena } from './arena.js';

/** Element-wise loop: n float64 at x to n at out, which may be x. */
export type MapExport = (x: number, out: number, n: number) => void;

export interface KernelExports {
  readonly memory: WebAssembly.Memory;
  /** First byte above the module's static data. */
  heapBase(): number;

  // assembly/fft.ts: `table` holds n/4 twiddles
  forwardFft(data: number, n: number, table: number): void;
  inverseFft(data: number, n: number, table: number): void;
  spectrumToNatural(data: number, n: number, out: number): void;
  spectrumFromNatural(spectrum: number, n: number, data: number): void;

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

  // assembly/tables.ts and assembly/elementwise.ts
  tablesPointer(): number;
  readonly mapExp: MapExport;
  readonly mapLog: MapExport;
  readonly mapExpm1: MapExport;
  readonly mapLog1p: MapExport;
  readonly mapSinPi: MapExport;
  readonly mapCosPi: MapExport;
  readonly mapErfc: MapExport;
  readonly mapErfcx: MapExport;
  readonly mapLogErfc: MapExport;
  readonly mapNormalCdf: MapExport;
  readonly mapLogNormalCdf: MapExport;
}

/** One instance of the module and the allocator over its memory. */
export interface WasmContext {
  readonly exports: KernelExports;
  readonly arena: Arena;
}
