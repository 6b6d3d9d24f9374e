/* What the library asks of a system: a lock, a flag that a signal's handler may set, the time, and room on the stack. */
#ifndef GDP_PLATFORM_H
#define GDP_PLATFORM_H

#include <stddef.h>

#if defined(__wasm__)
typedef char gdp_lock;
typedef int gdp_flag;
#define gdp_flag_get(flag) (*(flag))
#define gdp_flag_set(flag, value) (*(flag) = (value))
#else
#include <stdatomic.h>
#ifdef _WIN32
#include <windows.h>
typedef SRWLOCK gdp_lock;
#else
#include <pthread.h>
typedef pthread_mutex_t gdp_lock;
#endif
typedef atomic_int gdp_flag;
#define gdp_flag_get(flag) atomic_load_explicit(flag, memory_order_relaxed)
#define gdp_flag_set(flag, value) atomic_store_explicit(flag, value, memory_order_relaxed)
#endif

void gdp_lock_make(gdp_lock *lock);
void gdp_lock_take(gdp_lock *lock);
void gdp_lock_leave(gdp_lock *lock);
void gdp_lock_end(gdp_lock *lock);

/* Seconds of a clock that only goes forward; 0 in WebAssembly, which has none. */
double gdp_now(void);

/* Calls `work` where that many bytes of stack are left: on the thread that calls, or on one that lives for the call. */
void gdp_with_stack(size_t bytes, void (*work)(void *), void *with);

#endif
