/*
 * The accountant as a library (gdp.h): QuickJS runs dist/embed.js, which stands here as bytecode; the kernel stands here as C.
 * What a question leaves behind in the engine is what `gdp serve` keeps as well. After a question that was cancelled or ended in an
 * internal error, the engine is made anew: half of a change may be in it.
 */
#define GDP_BUILD
#include "gdp.h"

#include "kernel-object.h"
#include "platform.h"
#include "quickjs.h"

#include <stdio.h>
#include <stdlib.h>

extern const uint8_t gdp_bytecode[];
extern const uint32_t gdp_bytecode_size;

/* Bytes of the stack that JavaScript may use. The rest of STACK_NEEDED is for the kernel and for C between two of QuickJS' checks. */
#define STACK_OF_SCRIPT (768u << 10)
#define STACK_NEEDED (1u << 20)
/* Bytes of an engine's heap; the memory of its kernel comes beside it. */
#define HEAP ((size_t)1 << 30)
/* Bytes that are allocated between two collections of garbage. */
#define GARBAGE (16u << 20)

struct gdp {
  JSRuntime *rt;
  JSContext *ctx;
  gdp_lock lock;
  /* of the question that is being answered */
  double deadline;
  double seconds;
  gdp_flag asking, cancelled;
  int late;
};

static int interrupted(JSRuntime *rt, void *opaque) {
  gdp *it = opaque;
  (void)rt;
  if (gdp_flag_get(&it->cancelled)) return 1;
  if (it->deadline > 0 && gdp_now() >= it->deadline) it->late = 1;
  return it->late;
}

static void close_engine(gdp *it) {
  if (it->ctx != NULL) JS_FreeContext(it->ctx);
  if (it->rt != NULL) JS_FreeRuntime(it->rt);
  it->ctx = NULL;
  it->rt = NULL;
}

/* The language without what the script never asks for: its compiler, proxies, weak references and clocks stay out of the library. */
static JSContext *new_context(JSRuntime *rt) {
  JSContext *ctx = JS_NewContextRaw(rt);
  if (ctx == NULL) return NULL;
  if (JS_AddIntrinsicBaseObjects(ctx) || JS_AddIntrinsicDate(ctx) || JS_AddIntrinsicRegExp(ctx) || JS_AddIntrinsicJSON(ctx) ||
      JS_AddIntrinsicMapSet(ctx) || JS_AddIntrinsicTypedArrays(ctx) || JS_AddIntrinsicPromise(ctx)) {
    JS_FreeContext(ctx);
    return NULL;
  }
  return ctx;
}

/* Nought where all is well: the script has run, and its global is there. */
static int open_engine(gdp *it) {
  it->rt = JS_NewRuntime();
  if (it->rt == NULL) return -1;
  JS_SetMemoryLimit(it->rt, HEAP);
  JS_SetMaxStackSize(it->rt, STACK_OF_SCRIPT);
  JS_SetGCThreshold(it->rt, GARBAGE);
  it->ctx = new_context(it->rt);
  if (it->ctx == NULL || kernel_install(it->ctx) < 0) return -1;
  JSValue script = JS_ReadObject(it->ctx, gdp_bytecode, gdp_bytecode_size, JS_READ_OBJ_BYTECODE);
  if (JS_IsException(script)) return -1;
  JSValue done = JS_EvalFunction(it->ctx, script);
  int failed = JS_IsException(done);
  JS_FreeValue(it->ctx, done);
  /* a host's limits begin with its first question */
  JS_SetInterruptHandler(it->rt, interrupted, it);
  return failed;
}

/* An error of JSON-RPC about a request whose id was not read. The message has no letters that JSON escapes. */
static char *error_text(int code, const char *message) {
  size_t room = strlen(message) + 96;
  char *text = malloc(room);
  if (text != NULL)
    snprintf(text, room, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":%d,\"message\":\"%s\"}}", code, message);
  return text;
}

static char *copy_of(JSContext *ctx, JSValueConst value) {
  const char *text = JS_ToCString(ctx, value);
  char *copy = text == NULL ? NULL : strdup(text);
  JS_FreeCString(ctx, text);
  return copy;
}

/* What was thrown past the script, which throws nothing of its own: no memory, or no stack. */
static char *failure(gdp *it, JSValue thrown) {
  const char *said = JS_ToCString(it->ctx, thrown);
  char message[240];
  snprintf(message, sizeof message, "internal error: %s", said == NULL ? "out of memory" : said);
  for (char *c = message; *c != '\0'; c++)
    if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ' || (unsigned char)*c > '~') *c = '\'';
  JS_FreeCString(it->ctx, said);
  JS_FreeValue(it->ctx, thrown);
  return error_text(-32603, message);
}

/* Asks the script and runs what it has put off until its promise has an answer. NULL where it was interrupted. */
static char *ask_script(gdp *it, const char *request) {
  JSContext *ctx = it->ctx, *of_job;
  JSValue global = JS_GetGlobalObject(ctx);
  JSValue kernel = JS_GetPropertyStr(ctx, global, "gdpKernel");
  JSValue ask = JS_GetPropertyStr(ctx, kernel, "ask");
  JSValue text = JS_NewString(ctx, request);
  JSValue promise = JS_Call(ctx, ask, kernel, 1, (JSValueConst *)&text);
  int ran = JS_IsException(promise) ? -1 : 1;
  while (ran > 0) ran = JS_ExecutePendingJob(it->rt, &of_job);
  char *said = NULL;
  if (gdp_flag_get(&it->cancelled) || it->late)
    JS_FreeValue(ctx, JS_GetException(ctx));
  else if (ran < 0)
    said = failure(it, JS_GetException(ctx));
  else {
    JSValue result = JS_PromiseResult(ctx, promise);
    if (JS_PromiseState(ctx, promise) == JS_PROMISE_FULFILLED) {
      said = copy_of(ctx, result);
      JS_FreeValue(ctx, result);
    } else
      said = failure(it, result);
  }
  JS_FreeValue(ctx, promise);
  JS_FreeValue(ctx, text);
  JS_FreeValue(ctx, ask);
  JS_FreeValue(ctx, kernel);
  JS_FreeValue(ctx, global);
  return said;
}

/* Bytes that are no UTF-8, or brackets nested deeper than any question: a parser that calls itself must not see them. */
static const char *refusal(const char *request) {
  int depth = 0;
  for (const unsigned char *c = (const unsigned char *)request; *c != '\0'; c++) {
    if (*c == '[' || *c == '{') {
      if (++depth > 2048) return "it is nested more than 1000 deep";
    } else if ((*c == ']' || *c == '}') && depth > 0)
      depth--;
    if (*c < 0x80) continue;
    unsigned more = *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : 1;
    unsigned long code = *c & (0x3fu >> more);
    if (*c < 0xc2 || *c > 0xf4) return "the request is not UTF-8";
    for (unsigned k = 0; k < more; k++) {
      if ((c[1] & 0xc0) != 0x80) return "the request is not UTF-8";
      code = code << 6 | (*++c & 0x3f);
    }
    if (code < (more == 1 ? 0x80u : more == 2 ? 0x800u : 0x10000u) || code > 0x10fffful || (code >= 0xd800 && code < 0xe000))
      return "the request is not UTF-8";
  }
  return NULL;
}

/* What it took too long for, as a response. */
static char *cancelled_text(const gdp *it) {
  char message[80] = "cancelled";
  if (it->late) snprintf(message, sizeof message, "cancelled: it took longer than %g s", it->seconds);
  return error_text(-32800, message);
}

typedef struct {
  gdp *it;
  const char *request;
  char *said;
} question;

static void answer(void *of) {
  question *asked = of;
  gdp *it = asked->it;
  if (it->ctx == NULL && open_engine(it) != 0) {
    close_engine(it);
    return;
  }
  JS_UpdateStackTop(it->rt);
  asked->said = ask_script(it, asked->request);
  int stopped = asked->said == NULL && (gdp_flag_get(&it->cancelled) || it->late);
  if (stopped) asked->said = cancelled_text(it);
  if (asked->said == NULL || stopped || strstr(asked->said, "\"error\":{\"code\":-32603,") != NULL) close_engine(it);
}

char *gdp_ask_within(gdp *it, const char *request, double seconds) {
  const char *why = refusal(request);
  if (why != NULL) return error_text(why[0] == 'i' ? -32600 : -32700, why);
  gdp_lock_take(&it->lock);
  it->late = 0;
  it->seconds = seconds;
  it->deadline = seconds > 0 ? gdp_now() + seconds : 0;
  gdp_flag_set(&it->cancelled, 0);
  gdp_flag_set(&it->asking, 1);
  question asked = {it, request, NULL};
  gdp_with_stack(STACK_NEEDED, answer, &asked);
  gdp_flag_set(&it->asking, 0);
  gdp_lock_leave(&it->lock);
  return asked.said;
}

char *gdp_ask(gdp *it, const char *request) { return gdp_ask_within(it, request, 0); }

void gdp_interrupt(gdp *it) {
  if (gdp_flag_get(&it->asking)) gdp_flag_set(&it->cancelled, 1);
}

static void open_first(void *of) {
  gdp *it = of;
  if (open_engine(it) != 0) close_engine(it);
}

gdp *gdp_open(void) {
  gdp *it = calloc(1, sizeof *it);
  if (it == NULL) return NULL;
  gdp_lock_make(&it->lock);
  gdp_with_stack(STACK_NEEDED, open_first, it);
  if (it->ctx != NULL) return it;
  gdp_lock_end(&it->lock);
  free(it);
  return NULL;
}

void gdp_close(gdp *it) {
  if (it == NULL) return;
  close_engine(it);
  gdp_lock_end(&it->lock);
  free(it);
}

void gdp_free(void *text) { free(text); }
void *gdp_alloc(size_t bytes) { return malloc(bytes); }
size_t gdp_length(const char *text) { return strlen(text); }
const char *gdp_version(void) { return GDP_VERSION; }
int gdp_abi(void) { return GDP_ABI; }
