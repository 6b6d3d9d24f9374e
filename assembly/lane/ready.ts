/** The tables of the kernel in JavaScript, computed when a function first needs them. In WebAssembly the bindings write them. */
import { errorTables, specialTables } from '../../src/kernel/tables.js';
import { heap } from './memory.js';
import { TABLES } from './tables.js';

let prepared = false;
let complete = false;

function write(tables: Float64Array): void {
  new Float64Array(heap.buffer).set(tables, TABLES >> 3);
}

/** Loads all tables except the long ones of erfc and log erfc. */
export function prepare(): void {
  if (!prepared) write(specialTables());
  prepared = true;
}

/** Loads the tables of erfc and log erfc too. */
export function complement(): void {
  if (!complete) write(errorTables());
  prepared = true;
  complete = true;
}
