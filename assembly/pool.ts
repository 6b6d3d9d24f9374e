/** The constants themselves: the assembler has their addresses, in a text that scripts/lib/constant-pool.mjs makes. */
export * from '../src/kernel/constants.js';
