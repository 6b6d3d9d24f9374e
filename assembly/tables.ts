/** The static region that receives `specialTables()` of src/kernel/tables.ts from the binding. */
import { TABLE_LENGTH } from '../src/kernel/constants.js';
import { memory } from './memory.js';

export const TABLES: usize = memory.data(<i32>TABLE_LENGTH * 8, 16);

/** Where the binding writes the tables (TABLE_LENGTH float64). */
export function tablesPointer(): usize {
  return TABLES;
}
