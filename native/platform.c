#include "platform.h"

#include <stdint.h>

#if defined(__wasm__)

void gdp_lock_make(gdp_lock *lock) { (void)lock; }
void gdp_lock_take(gdp_lock *lock) { (void)lock; }
void gdp_lock_leave(gdp_lock *lock) { (void)lock; }
void gdp_lock_end(gdp_lock *lock) { (void)lock; }
double gdp_now(void) { return 0; }
/* the module's stack is made at its link, larger than what is asked for */
void gdp_with_stack(size_t bytes, void (*work)(void *), void *with) {
  (void)bytes;
  work(with);
}

#elif defined(_WIN32)

void gdp_lock_make(gdp_lock *lock) { InitializeSRWLock(lock); }
void gdp_lock_take(gdp_lock *lock) { AcquireSRWLockExclusive(lock); }
void gdp_lock_leave(gdp_lock *lock) { ReleaseSRWLockExclusive(lock); }
void gdp_lock_end(gdp_lock *lock) { (void)lock; }
double gdp_now(void) { return (double)GetTickCount64() / 1e3; }

/* Bytes between here and the end of the thread's stack. */
static size_t stack_left(void) {
  const NT_TIB *here = (const NT_TIB *)NtCurrentTeb();
  MEMORY_BASIC_INFORMATION of;
  char now = 0;
  if (here == NULL || VirtualQuery(&now, &of, sizeof of) == 0) return 0;
  return (size_t)(&now - (char *)of.AllocationBase);
}

#else

#include <time.h>

void gdp_lock_make(gdp_lock *lock) { pthread_mutex_init(lock, NULL); }
void gdp_lock_take(gdp_lock *lock) { pthread_mutex_lock(lock); }
void gdp_lock_leave(gdp_lock *lock) { pthread_mutex_unlock(lock); }
void gdp_lock_end(gdp_lock *lock) { pthread_mutex_destroy(lock); }

double gdp_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t stack_left(void) {
  char now = 0;
#ifdef __APPLE__
  char *top = pthread_get_stackaddr_np(pthread_self());
  size_t used = (size_t)(top - &now), size = pthread_get_stacksize_np(pthread_self());
  return size > used ? size - used : 0;
#else
  pthread_attr_t of;
  void *lowest = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &of) != 0) return 0;
  int failed = pthread_attr_getstack(&of, &lowest, &size);
  pthread_attr_destroy(&of);
  return failed || &now < (char *)lowest ? 0 : (size_t)(&now - (char *)lowest);
#endif
}

#endif

#if !defined(__wasm__)

typedef struct {
  void (*work)(void *);
  void *with;
} task;

#ifdef _WIN32
static DWORD WINAPI run(LPVOID of) {
  task *asked = of;
  asked->work(asked->with);
  return 0;
}
#else
static void *run(void *of) {
  task *asked = of;
  asked->work(asked->with);
  return NULL;
}
#endif

/* Where no thread can be made, `work` is not called: what it would have set stays as it was. */
void gdp_with_stack(size_t bytes, void (*work)(void *), void *with) {
  if (stack_left() >= bytes) {
    work(with);
    return;
  }
  task asked = {work, with};
#ifdef _WIN32
  HANDLE thread = CreateThread(NULL, 2 * bytes, run, &asked, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
  if (thread == NULL) return;
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
#else
  pthread_attr_t of;
  pthread_t thread;
  pthread_attr_init(&of);
  pthread_attr_setstacksize(&of, 2 * bytes);
  if (pthread_create(&thread, &of, run, &asked) == 0) pthread_join(thread, NULL);
  pthread_attr_destroy(&of);
#endif
}

#endif
