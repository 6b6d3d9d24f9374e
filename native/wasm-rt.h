/*
 * What the C that wasm2c (wabt) makes of the kernel asks of its runtime, for a module with one memory, no imports and no tables.
 * The file's name is the one that the generated C includes.
 */
#ifndef WASM_RT_H
#define WASM_RT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __GNUC__
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LIKELY(x) __builtin_expect(!!(x), 1)
#else
#define UNLIKELY(x) (x)
#define LIKELY(x) (x)
#endif
#define wasm_rt_memcpy memcpy

typedef enum {
  WASM_RT_TRAP_NONE,
  WASM_RT_TRAP_OOB,
  WASM_RT_TRAP_INT_OVERFLOW,
  WASM_RT_TRAP_DIV_BY_ZERO,
  WASM_RT_TRAP_INVALID_CONVERSION,
  WASM_RT_TRAP_UNREACHABLE,
  WASM_RT_TRAP_CALL_INDIRECT,
  WASM_RT_TRAP_UNCAUGHT_EXCEPTION,
  WASM_RT_TRAP_UNALIGNED,
  WASM_RT_TRAP_EXHAUSTION
} wasm_rt_trap_t;

typedef enum { WASM_RT_I32, WASM_RT_I64, WASM_RT_F32, WASM_RT_F64, WASM_RT_V128, WASM_RT_FUNCREF, WASM_RT_EXTERNREF } wasm_rt_type_t;

typedef struct {
  uint8_t *data;
  uint64_t pages, max_pages, size;
  bool is64;
} wasm_rt_memory_t;

/* Tables: the generated C names their types, and this module has none. */
typedef const char *wasm_rt_func_type_t;
typedef void (*wasm_rt_function_ptr_t)(void);
typedef struct wasm_rt_tailcallee_t {
  void (*fn)(void **, void *, struct wasm_rt_tailcallee_t *);
} wasm_rt_tailcallee_t;
typedef struct {
  wasm_rt_func_type_t func_type;
  wasm_rt_function_ptr_t func;
  wasm_rt_tailcallee_t func_tailcallee;
  void *module_instance;
} wasm_rt_funcref_t;
typedef void *wasm_rt_externref_t;
typedef struct {
  wasm_rt_funcref_t *data;
  uint32_t max_size, size;
} wasm_rt_funcref_table_t;
typedef struct {
  wasm_rt_externref_t *data;
  uint32_t max_size, size;
} wasm_rt_externref_table_t;
static const wasm_rt_funcref_t wasm_rt_funcref_null_value;
static const wasm_rt_externref_t wasm_rt_externref_null_value;

bool wasm_rt_is_initialized(void);
_Noreturn void wasm_rt_trap(wasm_rt_trap_t why);
void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint64_t pages, uint64_t max_pages, bool is64, uint32_t page_size);
uint64_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint64_t pages);
void wasm_rt_free_memory(wasm_rt_memory_t *memory);

#ifndef __wasm__
#include <setjmp.h>

/* Where a trap of the calling thread goes: the call of the kernel that is under way. */
#ifdef _WIN32
#define gdp_setjmp(at) setjmp(at)
#else
#define gdp_setjmp(at) _setjmp(at)
#endif
extern _Thread_local jmp_buf *gdp_trap_to;
#endif

#endif
