/**
 * Replaces the assembler's runtime stub. Objects are allocated consecutively from __heap_base on; heap.reset frees them all. Allocation beyond the
 * end traps, so that none reaches the arena.
 */
import { AL_MASK, BLOCK, BLOCK_OVERHEAD, OBJECT, OBJECT_OVERHEAD } from './common';

/** Bytes of memory for objects. */
@global
const __objectsRoom: usize = 1 << 25;


@lazy
let top: usize = __heap_base;


@unsafe @global
export function __alloc(size: usize): usize {
  const block = ((top + BLOCK_OVERHEAD + AL_MASK) & ~AL_MASK) - BLOCK_OVERHEAD;
  const payload = ((size + BLOCK_OVERHEAD + AL_MASK) & ~AL_MASK) - BLOCK_OVERHEAD;
  const pointer = block + BLOCK_OVERHEAD;
  if (size > __objectsRoom || pointer + payload > __heap_base + __objectsRoom) unreachable();
  changetype<BLOCK>(block).mmInfo = payload;
  top = pointer + payload;
  return pointer;
}


@unsafe @global
export function __reset(): void {
  top = __heap_base;
}


@unsafe @global
export function __new(size: usize, id: u32): usize {
  const pointer = __alloc(OBJECT_OVERHEAD + size);
  const object = changetype<OBJECT>(pointer - BLOCK_OVERHEAD);
  object.gcInfo = 0;
  object.gcInfo2 = 0;
  object.rtId = id;
  object.rtSize = <u32>size;
  return pointer + OBJECT_OVERHEAD;
}

/** Reallocation copies: the old place of a growing array is not reused. */
@unsafe @global
export function __renew(old: usize, size: usize): usize {
  const object = changetype<OBJECT>(old - OBJECT_OVERHEAD - BLOCK_OVERHEAD);
  const longer = __new(size, object.rtId);
  memory.copy(longer, old, min<usize>(size, object.rtSize));
  return longer;
}


@unsafe @global
export function __link(_parent: usize, _child: usize, _many: bool): void {}
