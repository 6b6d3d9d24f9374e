/*
 * gdp.h: the accountant as a C library, libgdp, and as one WebAssembly module without imports, gdp.wasm.
 *
 * Text in, text out: one request of the protocol of `gdp serve` (JSON-RPC 2.0), one response. Answers have the bits of `gdp`.
 * No file is read or written, nothing is sent, no child process runs. docs/hosts.md has an example in each language.
 *
 *   gdp *it = gdp_open();
 *   char *said = gdp_ask(it, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"epsilon\",\"params\":"
 *                            "{\"noise-multiplier\":1.1,\"sampling-rate\":0.01,\"steps\":1000,\"delta\":1e-5}}");
 *   puts(said);
 *   gdp_free(said);
 *   gdp_close(it);
 */
#ifndef GDP_H
#define GDP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when a program compiled against an older header could no longer use the library. */
#define GDP_ABI 1

#if defined(__wasm__)
#define GDP_API(name) __attribute__((export_name(#name)))
#elif defined(_WIN32) && defined(GDP_BUILD)
#define GDP_API(name) __declspec(dllexport)
#elif defined(__GNUC__)
#define GDP_API(name) __attribute__((visibility("default")))
#else
#define GDP_API(name)
#endif

/* An accountant: an engine of JavaScript, the kernel, and what they keep between two questions. */
typedef struct gdp gdp;

/* A new accountant, or NULL where there is no memory for it. About 15 ms and 20 MB. Any number of them may be open at once. */
GDP_API(gdp_open) gdp *gdp_open(void);

/*
 * The response to one request, or to several in an array; empty where a notification gets none.
 *
 * `request` is UTF-8 that ends in NUL. The response is the caller's, who gives it to gdp_free. NULL: there was no memory for it.
 * Refusals, and whatever else goes wrong, are responses with an "error", in the words and codes of `gdp serve`.
 *
 * Any thread may ask. Of those that ask one accountant, one is answered at a time and the others wait; threads that are to work side by side
 * open one each. Stack: 1 MB of the calling thread where it has so much, otherwise that of a thread made for the question.
 * After fork() a child opens its own; what its parent opened it must not ask.
 */
GDP_API(gdp_ask) char *gdp_ask(gdp *it, const char *request);

/*
 * As gdp_ask, for at most `seconds` from when its turn has come; 0 or less for no limit.
 * What takes longer is answered by error -32800, "cancelled: it took longer than … s", whose id is null; the next question finds the
 * accountant as new. One call of the kernel is waited for: some milliseconds, of many phases up to a second.
 * In WebAssembly there is no clock, and no limit: a host stops the instance by its own means (fuel, epochs, a context) and opens another.
 */
GDP_API(gdp_ask_within) char *gdp_ask_within(gdp *it, const char *request, double seconds);

/*
 * Cancels the question that is being answered, if there is one: from another thread or from a signal's handler. It returns at once;
 * the question answers error -32800, "cancelled", some milliseconds later. A question that still waits for its turn is not cancelled.
 */
GDP_API(gdp_interrupt) void gdp_interrupt(gdp *it);

/* Frees a response, or what gdp_alloc gave. NULL is no mistake. */
GDP_API(gdp_free) void gdp_free(void *text);

/* Closes an accountant. Nobody may be asking it. NULL is no mistake. */
GDP_API(gdp_close) void gdp_close(gdp *it);

/* The version of the library, such as "0.1.0". Not to be freed. */
GDP_API(gdp_version) const char *gdp_version(void);

/* GDP_ABI of the library: what loads it by name compares this with the number that it was written for. */
GDP_API(gdp_abi) int gdp_abi(void);

/*
 * For hosts of WebAssembly, which pass text through memory. Call `_initialize` once, then gdp_open. For each question: gdp_alloc(n + 1), write n
 * bytes and a zero there, gdp_ask, read gdp_length bytes at what it returned, gdp_free both. Memory grows: look for it anew after every call.
 * An instance that has trapped is at an end.
 */
GDP_API(gdp_alloc) void *gdp_alloc(size_t bytes);
GDP_API(gdp_length) size_t gdp_length(const char *text);

#ifdef __cplusplus
}
#endif

#endif
