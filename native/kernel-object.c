/*
 * An instance of the kernel as an object of JavaScript. Each has a memory of its own, and is freed with the last of its functions.
 * native/webassembly.js makes of it what the bindings ask for.
 */
#include "kernel-object.h"

#include <stdlib.h>

kernel_object *kernel_of(JSValueConst carried) { return JS_GetOpaque(carried, JS_GetClassID(carried)); }

static void end(JSRuntime *rt, JSValueConst value) {
  kernel_object *it = kernel_of(value);
  if (it == NULL) return;
  JS_FreeValueRT(rt, it->buffer);
  wasm2c_kernel_free(&it->kernel);
  free(it);
}

static void mark(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark_value) {
  kernel_object *it = kernel_of(value);
  if (it != NULL) JS_MarkValue(rt, it->buffer, mark_value);
}

static const JSClassDef DEFINITION = {"Kernel", .finalizer = end, .gc_mark = mark};

JSValue kernel_trapped(JSContext *ctx, int why) { return JS_ThrowInternalError(ctx, "the kernel has trapped (%d)", why - 1); }

static JSValue memory_buffer(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv, int magic, JSValueConst *data) {
  (void)self, (void)argc, (void)argv, (void)magic;
  kernel_object *it = kernel_of(data[0]);
  wasm_rt_memory_t *memory = w2c_kernel_memory(&it->kernel);
  if (it->data != memory->data || it->size != memory->size) {
    /* the instance owns the memory; a detached buffer has no bytes */
    if (!JS_IsUndefined(it->buffer)) JS_DetachArrayBuffer(ctx, it->buffer);
    JS_FreeValue(ctx, it->buffer);
    it->buffer = JS_NewArrayBuffer(ctx, memory->data, memory->size, 0, NULL, NULL, false);
    it->data = memory->data;
    it->size = memory->size;
  }
  return JS_DupValue(ctx, it->buffer);
}

static JSValue memory_grow(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv, int magic, JSValueConst *data) {
  (void)self, (void)argc, (void)magic;
  uint32_t pages;
  if (JS_ToUint32(ctx, &pages, argv[0])) return JS_EXCEPTION;
  uint64_t before = wasm_rt_grow_memory(w2c_kernel_memory(&kernel_of(data[0])->kernel), pages);
  if (before == (uint64_t)-1) return JS_ThrowRangeError(ctx, "WebAssembly.Memory.grow(): the memory has no room");
  return JS_NewInt64(ctx, (int64_t)before);
}

static JSValue instantiate(JSContext *ctx, kernel_object *it) {
  (void)ctx;
  KERNEL_CALL(ctx, wasm2c_kernel_instantiate(&it->kernel));
  return JS_UNDEFINED;
}

static JSValue instance(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv, int class_id, JSValueConst *data) {
  (void)self, (void)argc, (void)argv, (void)data;
  kernel_object *it = calloc(1, sizeof *it);
  if (it == NULL) return JS_ThrowOutOfMemory(ctx);
  it->buffer = JS_UNDEFINED;
  if (JS_IsException(instantiate(ctx, it))) {
    free(it);
    return JS_EXCEPTION;
  }
  JSValue carried = JS_NewObjectClass(ctx, (JSClassID)class_id);
  if (JS_IsException(carried)) {
    wasm2c_kernel_free(&it->kernel);
    free(it);
    return carried;
  }
  JS_SetOpaque(carried, it);
  JSValue exports = JS_NewObject(ctx);
  kernel_functions(ctx, exports, carried);
  JS_SetPropertyStr(ctx, exports, "memoryBuffer", JS_NewCFunctionData(ctx, memory_buffer, 0, 0, 1, &carried));
  JS_SetPropertyStr(ctx, exports, "memoryGrow", JS_NewCFunctionData(ctx, memory_grow, 1, 0, 1, &carried));
  JS_FreeValue(ctx, carried);
  return exports;
}

int kernel_install(JSContext *ctx) {
  JSRuntime *rt = JS_GetRuntime(ctx);
  /* numbers of classes are each runtime's own */
  JSClassID class_id = 0;
  JS_NewClassID(rt, &class_id);
  if (JS_NewClass(rt, class_id, &DEFINITION) < 0) return -1;
  JSValue global = JS_GetGlobalObject(ctx);
  int done = JS_SetPropertyStr(ctx, global, "kernelInstance", JS_NewCFunctionData(ctx, instance, 0, (int)class_id, 0, NULL));
  JS_FreeValue(ctx, global);
  return done;
}
