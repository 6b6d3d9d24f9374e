/* The runtime of the kernel's C: memory by calloc, and traps that end the call and not the process. */
#include "wasm-rt.h"

#include <stdlib.h>

#define PAGE 65536u
/* Bytes of a kernel's memory at most, as where it runs in WebAssembly under `gdp serve`. */
#define MOST (1u << 30)

#ifndef __wasm__
_Thread_local jmp_buf *gdp_trap_to;
#endif

bool wasm_rt_is_initialized(void) { return true; }

_Noreturn void wasm_rt_trap(wasm_rt_trap_t why) {
#ifdef __wasm__
  (void)why;
  __builtin_trap();
#else
  jmp_buf *to = gdp_trap_to;
  if (to == NULL) abort();
  longjmp(*to, (int)why + 1);
#endif
}

void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint64_t pages, uint64_t max_pages, bool is64, uint32_t page_size) {
  (void)page_size;
  memset(memory, 0, sizeof *memory);
  memory->max_pages = max_pages;
  memory->is64 = is64;
  memory->data = calloc(pages * PAGE, 1);
  if (memory->data == NULL) wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);
  memory->pages = pages;
  memory->size = pages * PAGE;
}

/* What grows moves: who holds an address asks for it again. */
uint64_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint64_t pages) {
  uint64_t before = memory->pages, size = (before + pages) * PAGE;
  if (pages > memory->max_pages - before || size > MOST) return (uint64_t)-1;
  uint8_t *data = realloc(memory->data, size);
  if (data == NULL) return (uint64_t)-1;
  memset(data + memory->size, 0, size - memory->size);
  memory->data = data;
  memory->size = size;
  memory->pages = before + pages;
  return before;
}

void wasm_rt_free_memory(wasm_rt_memory_t *memory) {
  free(memory->data);
  memory->data = NULL;
}
