/* margin_impl.h -- the implementation of margin.h, included by it where MARGIN_IMPLEMENTATION is
 * defined. It reads top to bottom; each section uses only those above it.
 *
 * CONTENTS  >>platform >>status >>arena >>math >>random >>linalg >>data >>kernel
 */
#ifndef MARGIN_IMPL_H
#define MARGIN_IMPL_H

/* ---- >>platform ---- what the compiler is asked for --------------------------------------------- */

#ifdef __cplusplus
#define MGN_RESTRICT __restrict
#else
#define MGN_RESTRICT restrict
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF /* gcc has no such pragma: -std=c99 or -ffp-contract=off does it */
#endif

/* A literal in the working precision: no double ever appears at run time in a float build. */
#define MGN_R(literal) ((margin_real)(literal))

#ifdef MARGIN_REAL_DOUBLE
#define MGN_EPS MGN_R(DBL_EPSILON)
#define MGN_TINY MGN_R(DBL_MIN)
#define MGN_HUGE MGN_R(DBL_MAX)
#else
#define MGN_EPS MGN_R(FLT_EPSILON)
#define MGN_TINY MGN_R(FLT_MIN)
#define MGN_HUGE MGN_R(FLT_MAX)
#endif

static inline margin_real mgn_abs(margin_real a)
{
    return a < 0 ? -a : a;
}

static inline margin_real mgn_min(margin_real a, margin_real b)
{
    return b < a ? b : a;
}

static inline margin_real mgn_max(margin_real a, margin_real b)
{
    return a < b ? b : a;
}

/* a * b, or SIZE_MAX when that does not fit: no block of that size is ever granted. */
static size_t mgn_size_mul(size_t a, size_t b)
{
    return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/* ---- >>status ---- ------------------------------------------------------------------------------ */

#define MGN_STATUS_CASE(name, value, text)                                                         \
    case name:                                                                                     \
        return text;

MARGIN_API const char *margin_status_text(margin_status status)
{
    switch (status) {
        MARGIN_STATUS_LIST(MGN_STATUS_CASE)
    case MARGIN_STATUS_END:
    default:
        return "unknown status";
    }
}

/* ---- >>arena ---- ------------------------------------------------------------------------------- */

MARGIN_API margin_arena margin_arena_make(void *bytes, size_t size)
{
    margin_arena mem = {NULL, 0, 0, 0, 0, false, false};
    const size_t skip = (MARGIN_ALIGN - (size_t)((uintptr_t)bytes % MARGIN_ALIGN)) % MARGIN_ALIGN;
    if (bytes != NULL && size >= skip) {
        mem.base = (unsigned char *)bytes + skip;
        mem.size = (size - skip) / MARGIN_ALIGN * MARGIN_ALIGN;
        mem.high = mem.size;
    }
    return mem;
}

MARGIN_API margin_arena margin_arena_counting(void)
{
    margin_arena mem = {NULL, SIZE_MAX / MARGIN_ALIGN * MARGIN_ALIGN, 0, 0, 0, false, true};
    mem.high = mem.size;
    return mem;
}

/* Bytes of the block rounded up to whole alignments; false when refused, now or before. */
static bool mgn_arena_room(margin_arena *mem, size_t count, size_t bytes, size_t *need)
{
    const size_t raw = mgn_size_mul(count, bytes);
    *need = MARGIN_BLOCK(raw, 1u);
    if (*need < raw || *need > mem->high - mem->low) {
        mem->failed = true;
    }
    return !mem->failed;
}

static void mgn_arena_note_peak(margin_arena *mem)
{
    const size_t taken = mem->low + (mem->size - mem->high);
    if (taken > mem->peak) {
        mem->peak = taken;
    }
}

MARGIN_API void *margin_arena_keep(margin_arena *mem, size_t count, size_t bytes)
{
    size_t need;
    size_t at;
    if (!mgn_arena_room(mem, count, bytes, &need)) {
        return NULL;
    }
    at = mem->low;
    mem->low += need;
    mgn_arena_note_peak(mem);
    return mem->counting ? NULL : mem->base + at;
}

MARGIN_API void *margin_arena_scratch(margin_arena *mem, size_t count, size_t bytes)
{
    size_t need;
    if (!mgn_arena_room(mem, count, bytes, &need)) {
        return NULL;
    }
    mem->high -= need;
    mgn_arena_note_peak(mem);
    return mem->counting ? NULL : mem->base + mem->high;
}

MARGIN_API void margin_arena_release(margin_arena *mem, size_t mark)
{
    MARGIN_ASSERT(mark >= mem->high && mark <= mem->size);
    mem->high = mark;
}

MARGIN_API void margin_arena_reset(margin_arena *mem)
{
    mem->low = 0;
    mem->high = mem->size;
    mem->failed = false;
}

MARGIN_API size_t margin_arena_free(const margin_arena *mem)
{
    return mem->high - mem->low;
}

#define MGN_SCRATCH(mem, type, count) ((type *)margin_arena_scratch((mem), (count), sizeof(type)))
#define MGN_KEEP(mem, type, count) ((type *)margin_arena_keep((mem), (count), sizeof(type)))

/* ---- >>math ---- -------------------------------------------------------------------------------- */

/* ---- >>random ---- ------------------------------------------------------------------------------ */

/* ---- >>linalg ---- ------------------------------------------------------------------------------ */

/* ---- >>data ---- -------------------------------------------------------------------------------- */

/* ---- >>kernel ---- ------------------------------------------------------------------------------ */

#endif /* MARGIN_IMPL_H */
