/** The constants themselves, for JavaScript. The assembler has their addresses, in a text that scripts/lib/constant-pool.mjs generates. */
export * from '../src/kernel/constants.js';
