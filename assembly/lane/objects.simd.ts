/** Memory of objects: a stack of its own below the arena (runtime.simd.ts). */

/** First byte above the static data and the objects: from here on memory belongs to the bindings' arena. */
export function heapBase(): usize {
  return __heap_base + __objectsRoom;
}

/** Frees the memory of all objects. Each question begins with it, so that one that trapped leaves nothing behind. */
export function forgetObjects(): void {
  heap.reset();
}
