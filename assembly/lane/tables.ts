/** Static memory for `specialTables()` of src/kernel/tables.ts, written by the bindings. */
import { TABLE_LENGTH } from '../../src/kernel/constants.js';
import { memory } from './memory.js';

export const TABLES: usize = memory.data(<i32>TABLE_LENGTH * 8, 16);

/** Address of the tables' memory, of TABLE_LENGTH doubles. */
export function tablesPointer(): usize {
  return TABLES;
}
