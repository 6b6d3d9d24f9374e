/** Objects of a question. They stand one behind the other in a room of their own (runtime.simd.ts), below the arena. */

/** First byte above the static data and the objects: memory from here on belongs to the binding's arena. */
export function heapBase(): usize {
  return __heap_base + __objectsRoom;
}

/** Gives the room of all objects back. A question begins with it, so that one that ended in a trap leaves nothing behind. */
export function forgetObjects(): void {
  heap.reset();
}
