#ifndef GDP_LEDGER_H
#define GDP_LEDGER_H

#include <stddef.h>

/* Appends in one write, which other processes that append leave whole, and waits until it is on disk. */
int ledger_append(const char *path, const char *text);

/* Makes a file, which appears under its name once it is whole and on disk. `beside` is a name in the same folder that nobody has. */
int ledger_make(const char *path, const char *beside, const char *text);

/* Bytes of the system's own randomness: R's could be the same in two processes. */
int ledger_random(unsigned char *bytes, size_t count);

#endif
