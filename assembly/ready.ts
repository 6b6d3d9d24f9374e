/** The tables of the kernel's text in JavaScript, put in place when a function first needs them. The bindings write those of WebAssembly. */
import { errorTables, specialTables } from '../src/kernel/tables.js';
import { DIVIDED as MILLS_DIVIDED, RATIO as MILLS_RATIO } from '../src/kernel/mills-table.js';
import { heap } from './memory.js';
import { DIVIDED, RATIO } from './mills-table.js';
import { TABLES } from './tables.js';

let prepared = false;
let complete = false;

/** Without the long ones of erfc and log erfc. */
export function prepare(): void {
  if (prepared) return;
  const numbers = new Float64Array(heap.buffer);
  numbers.set(specialTables(), TABLES >> 3);
  numbers.set(MILLS_RATIO, RATIO >> 3);
  numbers.set(MILLS_DIVIDED, DIVIDED >> 3);
  prepared = true;
}

/** With them. */
export function complement(): void {
  if (complete) return;
  prepare();
  new Float64Array(heap.buffer).set(errorTables(), TABLES >> 3);
  complete = true;
}
