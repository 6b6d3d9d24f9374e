/* An instance of the kernel as an object of JavaScript: what kernel-object.c has, and the generated glue calls. */
#ifndef KERNEL_OBJECT_H
#define KERNEL_OBJECT_H

#include "quickjs.h"
#include "kernel.h"

typedef struct {
  /* first: a pointer to it is a pointer to the whole */
  w2c_kernel kernel;
  /* the memory as JavaScript sees it, and what it was made of */
  JSValue buffer;
  uint8_t *data;
  uint64_t size;
} kernel_object;

/* The instance that a function of the kernel belongs to; of no other class is what the functions carry. */
kernel_object *kernel_of(JSValueConst carried);

/* The exception that a trap is: "the kernel has trapped" with its number. */
JSValue kernel_trapped(JSContext *ctx, int why);

/* Generated: puts the functions of an instance into `exports`. */
void kernel_functions(JSContext *ctx, JSValueConst exports, JSValueConst carried);

/* Puts `kernelInstance()`, which makes an instance, into the global object. */
int kernel_install(JSContext *ctx);

/* Around a call of the kernel: a trap comes back as an exception. In WebAssembly a trap ends the instance of the host. */
#ifdef __wasm__
#define KERNEL_CALL(ctx, call) call
#else
#define KERNEL_CALL(ctx, call)                                \
  do {                                                        \
    jmp_buf here, *outer = gdp_trap_to;                       \
    int why = gdp_setjmp(here);                               \
    if (why != 0) {                                           \
      gdp_trap_to = outer;                                    \
      return kernel_trapped(ctx, why);                        \
    }                                                         \
    gdp_trap_to = &here;                                      \
    call;                                                     \
    gdp_trap_to = outer;                                      \
  } while (0)
#endif

#endif
