/* memory.c -- the functions that compilers call for copies and zeros even without a library. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);

/* Volatile, or compilers turn the loops into calls of the functions that they are. */
void *memcpy(void *to, const void *from, size_t count) {
    volatile unsigned char *out = (unsigned char *)to;
    const unsigned char *in = (const unsigned char *)from;
    while (count-- > 0) { *out++ = *in++; }
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    volatile unsigned char *out = (unsigned char *)to;
    const unsigned char *in = (const unsigned char *)from;
    if ((uintptr_t)to <= (uintptr_t)from) { return memcpy(to, from, count); }
    while (count-- > 0) { out[count] = in[count]; }
    return to;
}

void *memset(void *to, int value, size_t count) {
    volatile unsigned char *out = (unsigned char *)to;
    while (count-- > 0) { *out++ = (unsigned char)value; }
    return to;
}
