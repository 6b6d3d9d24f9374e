/**
 * What the kernel exports, in either engine: the functions of assembly/index.ts, which documents them. Pointers are byte addresses in `memory`
 * (16-byte aligned), lengths count float64 unless said otherwise.
 */
import type * as assembly from '../assembly/index.js';
import type { Arena, Memory } from './arena.js';

export type KernelExports = Readonly<typeof assembly> & { readonly memory: Memory };

/** The names of the element-wise functions of assembly/functions/elementwise.ts. */
export type MapName = Extract<keyof typeof assembly, `map${string}`>;

/** One instance of the kernel, WebAssembly or JavaScript, and the allocator of its memory. */
export interface WasmContext {
  readonly exports: KernelExports;
  readonly arena: Arena;
  /** Memory for questions about whole runs, once one was asked: its address, and its length in float64. */
  room?: { readonly at: number; readonly numbers: number };
}
