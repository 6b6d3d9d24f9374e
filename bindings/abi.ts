/**
 * What the kernel exports, in either engine: the functions of assembly/index.ts, whose docstrings are there. Pointers are byte addresses in `memory`
 * (16-byte aligned), lengths count float64 unless said otherwise.
 */
import type * as assembly from '../assembly/index.js';
import type { Arena, Memory } from './arena.js';

export type KernelExports = Readonly<typeof assembly> & { readonly memory: Memory };

/** The loops of assembly/functions/elementwise.ts. */
export type MapName = Extract<keyof typeof assembly, `map${string}`>;

/** One instance of the kernel and the allocator over its memory. */
export interface WasmContext {
  readonly exports: KernelExports;
  readonly arena: Arena;
  /** Room of the run that is open, once there was one. */
  room?: { readonly at: number; readonly numbers: number };
}
