/* arena_sweep.h -- fault injection for everything that takes an arena.
 *
 * Write a function that runs the operation once, and sweep it over all arena sizes:
 *
 *     static margin_status run_solve(margin_arena *mem, void *problem)
 *     {
 *         my_problem *p = (my_problem *)problem;
 *         return margin_something(p->a, p->n, mem, &p->out);
 *     }
 *     ...
 *     CHECK_CALL(arena_sweep(run_solve, &problem, margin_something_size(n),
 *                            &problem.out, sizeof problem.out));
 *
 * The operation is run with every size from 0 to the queried one (in about 2000 steps beyond
 * 16 KiB) in a buffer aligned to MARGIN_ALIGN, and once at every misalignment. It must
 *   - return MARGIN_E_MEMORY for any size below the query, before it has written a single byte: not
 *     into the arena, not beside it, not into `out` (out_bytes bytes of outputs; NULL and 0 if
 *     there are none); and leave the arena as it found it (margin_arena_rewind);
 *   - succeed (a status >= 0) at exactly the queried size, with all scratch given back, a peak equal
 *     to the query, and nothing written beside the arena;
 *   - succeed with MARGIN_ALIGN - 1 bytes more wherever the buffer starts.
 */
#ifndef ARENA_SWEEP_H
#define ARENA_SWEEP_H

#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "margin.h"

typedef margin_status arena_operation(margin_arena *mem, void *problem);

#define SWEEP_FILL 0xA5
#define SWEEP_GUARD ((size_t)64)

typedef struct {
    unsigned char *raw;   /* all bytes: guard, the largest arena, guard */
    unsigned char *start; /* first byte aligned to MARGIN_ALIGN after the front guard */
    size_t bytes;
} sweep_buffer;

static inline sweep_buffer sweep_buffer_make(size_t query) {
    sweep_buffer b;
    size_t guard = SWEEP_GUARD;
    b.bytes = query + 2 * SWEEP_GUARD + 3 * MARGIN_ALIGN;
    b.raw = (unsigned char *)malloc(b.bytes);
    guard += (MARGIN_ALIGN - ((uintptr_t)b.raw + guard) % MARGIN_ALIGN) % MARGIN_ALIGN;
    b.start = b.raw + guard;
    return b;
}

static inline bool sweep_filled(const unsigned char *from, const unsigned char *to) {
    const size_t n = (size_t)(to - from);
    return n == 0 || (from[0] == SWEEP_FILL && memcmp(from, from + 1, n - 1u) == 0);
}

/* True if all bytes outside [from, from + size) still hold the fill. */
static inline bool sweep_untouched(const sweep_buffer *b, const unsigned char *from, size_t size) {
    return sweep_filled(b->raw, from) && sweep_filled(from + size, b->raw + b->bytes);
}

/* One run in `size` bytes at `from`; all of the checks that do not depend on whether it fits. */
static inline enum greatest_test_res sweep_one(arena_operation *operation, void *problem,
                                               const sweep_buffer *b, unsigned char *from,
                                               size_t size, size_t query, bool fits) {
    margin_arena mem;
    margin_status status;
    memset(b->raw, SWEEP_FILL, b->bytes);
    mem = margin_arena_make(from, size);
    status = operation(&mem, problem);
#ifdef HANDED_OUT_H
    __msan_unpoison(b->raw, b->bytes); /* the fill is there, also in blocks that were handed out */
#endif
    if (fits) {
        ASSERTm("at the queried size the operation fails", status >= 0);
        ASSERT_EQ_FMTm("the peak is not the query", query, mem.peak, "%zu");
        ASSERTm("written beside the arena", sweep_untouched(b, from, size));
    } else {
        ASSERT_EQ_FMTm("below the queried size", (int)MARGIN_E_MEMORY, (int)status, "%d");
        ASSERT_EQ_FMTm("a refused call has kept memory", (size_t)0, mem.low, "%zu");
        ASSERTm("a refused call has written something", sweep_untouched(b, from, 0));
    }
    ASSERT_EQ_FMTm("scratch is not given back", mem.size, mem.high, "%zu");
    ASSERT_EQ_FMTm("the arena is left refusing", 0, mem.failed, "%d");
    PASS();
}

static inline enum greatest_test_res sweep_refused(arena_operation *operation, void *problem,
                                                   const sweep_buffer *b, size_t query) {
    const size_t step = query <= 16384u ? 1u : query / 2048u;
    size_t size;
    for (size = 0; size < query; size += step) {
        CHECK_CALL(sweep_one(operation, problem, b, b->start, size, query, false));
    }
    if (query > 0) {
        CHECK_CALL(sweep_one(operation, problem, b, b->start, query - 1u, query, false));
    }
    PASS();
}

static inline enum greatest_test_res sweep_fits(arena_operation *operation, void *problem,
                                                const sweep_buffer *b, size_t query) {
    size_t skew;
    CHECK_CALL(sweep_one(operation, problem, b, b->start, query, query, true));
    for (skew = 1; skew < MARGIN_ALIGN; skew++) {
        CHECK_CALL(sweep_one(operation, problem, b, b->start + skew, query + MARGIN_ALIGN - 1u,
                             query, true));
    }
    PASS();
}

/* Equal bytes; those that were never set, as in padding, count too, without a word from the memory sanitizer. */
#if defined(__clang__)
__attribute__((no_sanitize("memory")))
#endif
static inline bool
sweep_same(const void *a, const void *b, size_t bytes) {
    const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
    size_t i = 0;
    while (i < bytes && p[i] == q[i]) { i++; }
    return i == bytes;
}

static inline enum greatest_test_res sweep_all(arena_operation *operation, void *problem,
                                               const sweep_buffer *b, size_t query, const void *out,
                                               void *out_before, size_t out_bytes) {
    if (out_bytes != 0) { memcpy(out_before, out, out_bytes); }
    CHECK_CALL(sweep_refused(operation, problem, b, query));
    ASSERTm("a refused call has changed its output",
            out_bytes == 0 || sweep_same(out_before, out, out_bytes));
    CHECK_CALL(sweep_fits(operation, problem, b, query));
    PASS();
}

static inline enum greatest_test_res arena_sweep(arena_operation *operation, void *problem,
                                                 size_t query, const void *out, size_t out_bytes) {
    sweep_buffer b = sweep_buffer_make(query);
    void *out_before = malloc(out_bytes + 1u);
    const enum greatest_test_res result =
        sweep_all(operation, problem, &b, query, out, out_before, out_bytes);
    free(out_before);
    free(b.raw);
    return result;
}

#endif /* ARENA_SWEEP_H */
