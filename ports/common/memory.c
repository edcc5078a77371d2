/* memory.c -- the two functions that compilers call for copies and zeros even without a library. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);

/* Volatile, or compilers turn the loops into calls of the functions that they are. */
void *memcpy(void *to, const void *from, size_t count)
{
    volatile unsigned char *out = (unsigned char *)to;
    const unsigned char *in = (const unsigned char *)from;
    while (count-- > 0) {
        *out++ = *in++;
    }
    return to;
}

void *memset(void *to, int value, size_t count)
{
    volatile unsigned char *out = (unsigned char *)to;
    while (count-- > 0) {
        *out++ = (unsigned char)value;
    }
    return to;
}
