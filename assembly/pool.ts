/** The constants themselves: what pool.simd.ts has addresses for. */
export * from '../src/kernel/constants.js';
