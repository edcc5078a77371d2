/* string.h -- what gen/native.c needs of it in WebAssembly: libc.c has it. */
#ifndef PLAYGROUND_STRING_H
#define PLAYGROUND_STRING_H
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *a, const void *b, size_t count);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
char *strchr(const char *text, int wanted);
#endif
