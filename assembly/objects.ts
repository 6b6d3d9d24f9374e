/** Objects of a question, as objects.simd.ts has them: JavaScript collects them by itself. */

export { heapBase } from './memory.js';

export function forgetObjects(): void {}
