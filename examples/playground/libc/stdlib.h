/* stdlib.h -- what gen/native.c needs of it in WebAssembly. See playground.c and libc.c. */
#ifndef PLAYGROUND_STDLIB_H
#define PLAYGROUND_STDLIB_H
#include <stddef.h>
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void free(void *bytes);
void qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));
#endif
