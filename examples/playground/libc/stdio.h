/* stdio.h -- what gen/native.c needs of it in WebAssembly. See playground.c. */
#ifndef PLAYGROUND_STDIO_H
#define PLAYGROUND_STDIO_H
#include <stddef.h>
int snprintf(char *out, size_t size, const char *format, double value);
#endif
