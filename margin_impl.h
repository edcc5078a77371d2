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
    switch ((int)status) {
        MARGIN_STATUS_LIST(MGN_STATUS_CASE)
    default:
        return "unknown status";
    }
}

/* ---- >>arena ---- ------------------------------------------------------------------------------- */

/* What arenas hold; MARGIN_ALIGN below their strictest alignment does not compile. */
typedef struct {
    char before;
    union {
        margin_real real;
        size_t size;
        void *pointer;
    } held;
} mgn_held;
typedef char mgn_margin_align_is_too_small[MARGIN_ALIGN % offsetof(mgn_held, held) == 0 ? 1 : -1];

MARGIN_API margin_arena margin_arena_make(void *bytes, size_t size)
{
    margin_arena mem = {NULL, 0, 0, 0, 0, 0};
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
    margin_arena mem = {NULL, SIZE_MAX / MARGIN_ALIGN * MARGIN_ALIGN, 0, 0, 0, 0};
    mem.high = mem.size;
    return mem;
}

/* Grants or refuses a block: its bytes rounded up to whole alignments in *need, or false. */
static bool mgn_arena_grant(margin_arena *mem, size_t count, size_t bytes, size_t *need)
{
    const size_t raw = mgn_size_mul(count, bytes);
    const bool countable = raw <= SIZE_MAX - MARGIN_ALIGN;
    if (mem == NULL) {
        return false;
    }
    *need = MARGIN_BLOCK(raw, 1u);
    if (mem->failed == 0 && (!countable || *need > mem->high - mem->low)) {
        const bool counting = mem->base == NULL && mem->size != 0;
        mem->failed = !countable || counting ? MARGIN_E_OVERFLOW : MARGIN_E_MEMORY;
    }
    return mem->failed == 0;
}

/* The block at offset `at`, just taken: notes the peak. */
static void *mgn_arena_block(margin_arena *mem, size_t at)
{
    const size_t taken = mem->low + (mem->size - mem->high);
    if (taken > mem->peak) {
        mem->peak = taken;
    }
    return mem->base == NULL ? NULL : mem->base + at;
}

MARGIN_API void *margin_arena_keep(margin_arena *mem, size_t count, size_t bytes)
{
    size_t need;
    if (!mgn_arena_grant(mem, count, bytes, &need)) {
        return NULL;
    }
    mem->low += need;
    return mgn_arena_block(mem, mem->low - need);
}

MARGIN_API void *margin_arena_scratch(margin_arena *mem, size_t count, size_t bytes)
{
    size_t need;
    if (!mgn_arena_grant(mem, count, bytes, &need)) {
        return NULL;
    }
    mem->high -= need;
    return mgn_arena_block(mem, mem->high);
}

MARGIN_API void margin_arena_release(margin_arena *mem, size_t mark)
{
    if (mem != NULL && mark >= mem->high && mark <= mem->size) {
        mem->high = mark;
    }
}

MARGIN_API margin_status margin_arena_rewind(margin_arena *mem, const margin_arena *before)
{
    int refused = MARGIN_E_ARGUMENT;
    if (mem != NULL && before != NULL) {
        refused = mem->failed;
        mem->low = before->low;
        mem->high = before->high;
        mem->failed = before->failed;
    }
    return (margin_status)refused;
}

MARGIN_API void margin_arena_reset(margin_arena *mem)
{
    if (mem != NULL) {
        mem->low = 0;
        mem->high = mem->size;
        mem->failed = 0;
    }
}

MARGIN_API size_t margin_arena_left(const margin_arena *mem)
{
    return mem == NULL ? 0 : mem->high - mem->low;
}

/* The answer of a size query whose plan ran on a counting arena; 0: the bytes do not fit size_t. */
static inline size_t mgn_arena_counted(const margin_arena *mem)
{
    return mem->failed == 0 ? mem->peak : 0;
}

#define MGN_SCRATCH(mem, type, count) ((type *)margin_arena_scratch((mem), (count), sizeof(type)))
#define MGN_KEEP(mem, type, count) ((type *)margin_arena_keep((mem), (count), sizeof(type)))

/* ---- >>math ---- -------------------------------------------------------------------------------- */

/* ---- >>random ---- ------------------------------------------------------------------------------ */

/* ---- >>linalg ---- ------------------------------------------------------------------------------ */

/* ---- >>data ---- -------------------------------------------------------------------------------- */

/* ---- >>kernel ---- ------------------------------------------------------------------------------ */

#endif /* MARGIN_IMPL_H */
