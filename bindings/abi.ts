/**
 * What the kernel exports, in either engine: the functions of assembly/index.ts, which documents them. Pointers are byte addresses in `memory`
 * (16-byte aligned), lengths count float64 unless said otherwise.
 */
import type * as assembly from '../assembly/index.js';
import type { SampledRun } from '../src/kernel/questions.js';
import type { Arena, Memory } from './arena.js';

export type KernelExports = Readonly<typeof assembly> & { readonly memory: Memory };

/** Numbers in an instance's memory that are kept from call to call: their address, and how many they are. */
interface Kept {
  readonly at: number;
  readonly numbers: number;
}

/** One instance of the kernel, WebAssembly or JavaScript, and the allocator of its memory. */
export interface WasmContext {
  readonly exports: KernelExports;
  readonly arena: Arena;
  /** The table of twiddle factors, once a transform was asked. */
  twiddles?: Kept;
  /** Memory for questions about whole runs, once one was asked. */
  room?: Kept;
  /** The run that questions were last about, which the kernel still has open. */
  open?: SampledRun | undefined;
}

/** Receives the work that a call is about to do, in units of docs/effort.md. */
export type Charge = (units: number) => void;

/** Makes a call that takes memory: charges CALL and the given units for it, and frees the memory afterwards. */
export type Calling = <T>(units: number, call: () => T) => T;

/** Units of work (docs/effort.md) of a call, besides those of what it computes. */
const CALL = 300;

export function callingOn({ arena }: WasmContext, charge: Charge): Calling {
  return (units, call) => {
    charge(CALL + units);
    try {
      return call();
    } finally {
      arena.reset();
    }
  };
}

/** The least even number ≥ n. */
export const even = (n: number): number => n + (n & 1);
