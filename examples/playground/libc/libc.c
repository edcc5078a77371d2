/* libc.c -- the functions of string.h and stdlib.h that gen/native.c, and compilers by themselves, call. */
#include "stdlib.h"
#include "string.h"

void *memcpy(void *to, const void *from, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) { ((unsigned char *)to)[i] = ((const unsigned char *)from)[i]; }
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    size_t i;
    if ((unsigned char *)to <= (const unsigned char *)from) { return memcpy(to, from, count); }
    for (i = count; i > 0; i--) {
        ((unsigned char *)to)[i - 1] = ((const unsigned char *)from)[i - 1];
    }
    return to;
}

void *memset(void *to, int value, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) { ((unsigned char *)to)[i] = (unsigned char)value; }
    return to;
}

int memcmp(const void *a, const void *b, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        const int c = ((const unsigned char *)a)[i] - ((const unsigned char *)b)[i];
        if (c != 0) { return c; }
    }
    return 0;
}

size_t strlen(const char *text) {
    size_t n = 0;
    while (text[n] != 0) { n++; }
    return n;
}

int strcmp(const char *a, const char *b) {
    while (*a != 0 && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

char *strchr(const char *text, int wanted) {
    while (*text != 0 && *text != (char)wanted) { text++; }
    return *text == (char)wanted ? (char *)text : NULL;
}

static void swap(unsigned char *a, unsigned char *b, size_t size) {
    size_t i;
    for (i = 0; i < size; i++) {
        const unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* By a heap: in place, and as fast for any order of the items. */
void qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    unsigned char *const at = items;
    size_t start = count / 2, end = count;
    while (end > 1) {
        size_t root, child;
        if (start > 0) {
            start--;
        } else {
            end--;
            swap(at, at + end * size, size);
        }
        for (root = start; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && compare(at + child * size, at + (child + 1) * size) < 0) {
                child++;
            }
            if (compare(at + root * size, at + child * size) >= 0) { break; }
            swap(at + root * size, at + child * size, size);
        }
    }
}
