/** The tables of the kernel's text in JavaScript, put in place when a function first needs them. The bindings write those of WebAssembly. */
import { errorTables, specialTables } from '../src/kernel/tables.js';
import { heap } from './memory.js';
import { TABLES } from './tables.js';

let prepared = false;
let complete = false;

function write(tables: Float64Array): void {
  new Float64Array(heap.buffer).set(tables, TABLES >> 3);
}

/** Without the long ones of erfc and log erfc. */
export function prepare(): void {
  if (!prepared) write(specialTables());
  prepared = true;
}

/** With them. */
export function complement(): void {
  if (!complete) write(errorTables());
  prepared = true;
  complete = true;
}
