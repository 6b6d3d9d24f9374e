/** Memory of objects in JavaScript, which collects them by itself: the interface of objects.simd.ts. */

export { heapBase } from './memory.js';

export function forgetObjects(): void {}
