/*
 * Stands first in every file of the library that is compiled here: what R asks of compiled code, and arithmetic of the same bits everywhere.
 * Nothing is printed, no process is ended, and no product and sum become one.
 */
#ifndef GDP_PORTABLE_H
#define GDP_PORTABLE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef NDEBUG
#define NDEBUG
#endif

#define GDP_VERSION VERSION_OF_PACKAGE

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && (defined(__FMA__) || !defined(__x86_64__))
#pragma GCC optimize("fp-contract=off")
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#undef putchar
#define putchar(letter) ((void)(letter))
#define puts(text) ((void)(text))
#define printf(...) ((void)0)
#define fprintf(...) ((void)0)
#define vfprintf(...) ((void)0)
#define fwrite(from, size, count, file) ((size_t)(count))
#define fputs(text, file) ((void)(text))
#define fputc(letter, file) ((void)(letter))
#undef putc
#define putc(letter, file) ((void)(letter))
#define abort() __builtin_trap()

#endif
