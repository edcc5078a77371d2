/* What the fuzz targets share: a check, numbers of a seed, and memory with nothing behind it.
 *
 * A target is LLVMFuzzerTestOneInput. libFuzzer drives it under the sanitizers on the host, and
 * standalone.c drives it on other machines, where a page that cannot be touched stands behind each
 * block of memory instead. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef FUZZ_GUARD
#include <sys/mman.h>
#include <unistd.h>
#endif

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* Ends the run with the place that is not as it should be. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* xorshift32 */
static inline uint32_t fuzz_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* A seed that depends on every byte, and is not 0. */
static inline uint32_t fuzz_seed(const uint8_t *bytes, size_t size) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < size; i++) { hash = (hash ^ bytes[i]) * 16777619u; }
    return hash | 1u;
}

/* Blocks that are given back all at once by fuzz_forget. */
enum { FUZZ_BLOCKS = 64 };
typedef struct {
    void *block[FUZZ_BLOCKS];
    size_t length[FUZZ_BLOCKS];
    size_t count;
} fuzz_memory;

/* Writable memory of at least one byte that starts at a multiple of 8 and ends, but for what the
 * alignment takes, where nothing may be touched. */
static inline void *fuzz_block(fuzz_memory *memory, size_t size) {
    void *at;
    CHECK(memory->count < FUZZ_BLOCKS);
#ifdef FUZZ_GUARD
    {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE);
        const size_t room = ((size + 7u) / 8u * 8u + page - 1u) / page * page + page;
        char *pages = (char *)mmap(NULL, room + page, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(pages != (char *)MAP_FAILED && mprotect(pages + room, page, PROT_NONE) == 0);
        memory->length[memory->count] = room + page;
        memory->block[memory->count++] = pages;
        at = pages + room - (size + 7u) / 8u * 8u;
    }
#else
    at = malloc(size == 0 ? 1 : size);
    CHECK(at != NULL);
    memory->length[memory->count] = size;
    memory->block[memory->count++] = at;
#endif
    return at;
}

static inline void fuzz_forget(fuzz_memory *memory) {
    while (memory->count > 0) {
        memory->count--;
#ifdef FUZZ_GUARD
        CHECK(munmap(memory->block[memory->count], memory->length[memory->count]) == 0);
#else
        free(memory->block[memory->count]);
#endif
    }
}

#endif
