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

/* One source serves both widths; only constants and polynomials differ. All polynomials are our own
 * weighted minimax fits (Remez exchange in 60 digits, coefficients rounded one by one with the rest
 * fitted again): tests/bench/math_coefficients.py derives every one of them. Nothing here depends on
 * -ffp-contract, but only without contraction are the bits the same on every target. */

#ifdef MARGIN_REAL_DOUBLE
typedef uint64_t mgn_word;
#define MGN_FRACTION 52                       /* bits of the stored significand */
#define MGN_BIAS 1023                         /* of the exponent */
#define MGN_LN2_HI MGN_R(0.69314718055989033) /* 42 bits: exact times any exponent */
#define MGN_LN2_LO MGN_R(5.4979230187083712e-14)
#else
typedef uint32_t mgn_word;
#define MGN_FRACTION 23
#define MGN_BIAS 127
#define MGN_LN2_HI MGN_R(0.693145752) /* 16 bits: exact times any exponent */
#define MGN_LN2_LO MGN_R(1.42860677e-06)
#endif
#define MGN_INV_LN2 MGN_R(1.4426950408889634)
#define MGN_ONE_BITS ((mgn_word)MGN_BIAS << MGN_FRACTION)
#define MGN_HIDDEN ((mgn_word)1 << MGN_FRACTION)
#define MGN_INFINITY mgn_of_bits((mgn_word)(2 * MGN_BIAS + 1) << MGN_FRACTION)
#define MGN_NAN mgn_of_bits(((mgn_word)(4 * MGN_BIAS + 3) << (MGN_FRACTION - 1)))

typedef union {
    margin_real real;
    mgn_word word;
} mgn_pun;

static inline mgn_word mgn_bits(margin_real a)
{
    mgn_pun pun;
    pun.real = a;
    return pun.word;
}

static inline margin_real mgn_of_bits(mgn_word a)
{
    mgn_pun pun;
    pun.word = a;
    return pun.real;
}

/* The square root instruction of processors that have one for this width: correctly rounded by IEEE
 * 754 and so the same bits as mgn_sqrt_digits. The compilers' builtins may call libm for errno. */
#if !defined(MARGIN_NO_ASM) && defined(__GNUC__)
#ifdef MARGIN_REAL_DOUBLE
#define MGN_BY_WIDTH(single, wide) wide
#else
#define MGN_BY_WIDTH(single, wide) single
#endif
#if defined(__AVX__)
#define MGN_SQRT_ASM MGN_BY_WIDTH("vsqrtss %1, %1, %0", "vsqrtsd %1, %1, %0")
#define MGN_SQRT_REG "x"
#elif defined(__SSE2__)
#define MGN_SQRT_ASM MGN_BY_WIDTH("sqrtss %1, %0", "sqrtsd %1, %0")
#define MGN_SQRT_REG "x"
#elif defined(__aarch64__)
#define MGN_SQRT_ASM MGN_BY_WIDTH("fsqrt %s0, %s1", "fsqrt %d0, %d1")
#define MGN_SQRT_REG "w"
#elif defined(__ARM_FP) && (__ARM_FP & MGN_BY_WIDTH(4, 8))
#define MGN_SQRT_ASM MGN_BY_WIDTH("vsqrt.f32 %0, %1", "vsqrt.f64 %P0, %P1")
#define MGN_SQRT_REG MGN_BY_WIDTH("t", "w")
#elif defined(__riscv_flen) && __riscv_flen >= MGN_BY_WIDTH(32, 64)
#define MGN_SQRT_ASM MGN_BY_WIDTH("fsqrt.s %0, %1", "fsqrt.d %0, %1")
#define MGN_SQRT_REG "f"
#endif
#endif

#ifdef MGN_SQRT_ASM
static inline margin_real mgn_sqrt_positive(margin_real x)
{
    margin_real root;
    __asm__(MGN_SQRT_ASM : "=" MGN_SQRT_REG(root) : MGN_SQRT_REG(x));
    return root;
}
#else
/* The root of a finite x > 0, one bit a step: with x = m 4^e, 1 <= m < 4, the root q grows by `bit`
 * while (q + bit)^2 <= m; `rest` is (m - q^2) / bit, so the trial costs one addition. The last bit
 * only rounds: a tie would need a root with one bit more than m has, whose square is no m. */
static margin_real mgn_sqrt_positive(margin_real x)
{
    const mgn_word bits = mgn_bits(x);
    int exponent = (int)(bits >> MGN_FRACTION);
    mgn_word rest = bits & (MGN_HIDDEN - 1);
    mgn_word root = 0;
    mgn_word bit = MGN_HIDDEN << 1;
    if (exponent > 2 * MGN_BIAS) {
        return x;
    }
    if (exponent > 0) {
        rest |= MGN_HIDDEN;
    } else {
        for (exponent = 1; rest < MGN_HIDDEN; exponent--) {
            rest <<= 1;
        }
    }
    exponent += MGN_BIAS;
    rest <<= 1 + (exponent & 1);
    for (; bit != 0; bit >>= 1) {
        const mgn_word trial = 2 * root + bit;
        if (trial <= rest) {
            rest -= trial;
            root += bit;
        }
        rest <<= 1;
    }
    return mgn_of_bits(((mgn_word)(exponent / 2 - 1) << MGN_FRACTION) + ((root + 1) >> 1));
}
#endif

MARGIN_API margin_real margin_sqrt(margin_real x)
{
    if (x > 0) {
        return mgn_sqrt_positive(x);
    }
    return x < 0 ? MGN_NAN : x; /* the zeros keep their sign, NaN stays NaN */
}

/* A number as value * 2^k, with k + 2 (BIAS + 1) in the low bits of `exponent`. */
typedef struct {
    margin_real value;
    mgn_word exponent;
} mgn_scaled;

/* In two steps, so that k may leave the range of exponents; the first is exact. */
static inline margin_real mgn_unscale(mgn_scaled a)
{
    const mgn_word half = a.exponent >> 1;
    const margin_real once = mgn_of_bits((half - 1) << MGN_FRACTION);
    const margin_real again = mgn_of_bits((a.exponent - half - 1) << MGN_FRACTION);
    return a.value * once * again;
}

/* (exp(r) - 1 - r - r^2 / 2) / r^3 for |r| <= ln 2 / 2: worst error of exp(r) 2^-57.2 (double),
 * 2^-27.8. In pairs (Estrin), a chain of dependent operations half as long as Horner's. */
static inline margin_real mgn_exp_tail(margin_real r, margin_real rr)
{
#ifdef MARGIN_REAL_DOUBLE
    const margin_real r4 = rr * rr;
    const margin_real p01 = MGN_R(0.1666666666666643) + r * MGN_R(0.041666666666602861);
    const margin_real p23 = MGN_R(0.0083333333335016968) + r * MGN_R(0.0013888888927267745);
    const margin_real p45 = MGN_R(1.9841269464063242e-4) + r * MGN_R(2.4801508050611667e-5);
    const margin_real p67 = MGN_R(2.7557640922753879e-6) + r * MGN_R(2.7625455856662747e-7);
    return (p01 + rr * p23) + r4 * ((p45 + rr * p67) + r4 * MGN_R(2.4979112320277085e-8));
#else
    return (MGN_R(0.166665331) + r * MGN_R(0.0416672044)) +
           rr * (MGN_R(0.00836759433) + r * MGN_R(0.00138682546));
#endif
}

/* exp(x + low) for |x| < 2 BIAS ln 2 and a small `low`: x = k ln 2 + r, exp(x) = 2^k exp(r).
 * Adding MGN_ROUND leaves no bits below 1: it rounds x / ln 2 to k and stores k, biased, in the low
 * bits. r is kept as high - rest with an exact `high`, and 1 + high is summed without error, so that
 * next to the final rounding only the terms of size r^2 / 2 < 0.06 err. */
static inline mgn_scaled mgn_exp_two(margin_real x, margin_real low)
{
    const margin_real round = (margin_real)(3 * (MGN_HIDDEN >> 1) + 2 * (MGN_BIAS + 1));
    const margin_real shifted = x * MGN_INV_LN2 + round;
    const margin_real k = shifted - round;
    const margin_real high = x - k * MGN_LN2_HI;
    const margin_real rest = k * MGN_LN2_LO - low;
    const margin_real r = high - rest;
    const margin_real rr = r * r;
    const margin_real sum = 1 + high;
    const margin_real lost = (1 - sum) + high;
    mgn_scaled out;
    out.value = sum + ((MGN_R(0.5) * rr + r * rr * mgn_exp_tail(r, rr)) + (lost - rest));
    out.exponent = mgn_bits(shifted);
    return out;
}

/* Stops where the result is infinite or 0 anyway; lets NaN through. */
static inline margin_real mgn_exp_clamp(margin_real x)
{
#ifdef MARGIN_REAL_DOUBLE
    return mgn_max(mgn_min(x, MGN_R(710)), MGN_R(-746));
#else
    return mgn_max(mgn_min(x, MGN_R(89)), MGN_R(-104));
#endif
}

MARGIN_API margin_real margin_exp(margin_real x)
{
    return mgn_unscale(mgn_exp_two(mgn_exp_clamp(x), 0));
}

static void mgn_exp_array(margin_real *v, size_t n)
{
    size_t from;
    size_t i;
    for (from = 0; from < n; from += 256) {
        const size_t to = n - from < 256 ? n : from + 256;
        for (i = from; i < to; i++) {
            v[i] = mgn_exp_clamp(v[i]);
        }
        for (i = from; i < to; i++) {
            v[i] = mgn_unscale(mgn_exp_two(v[i], 0));
        }
    }
}

MARGIN_API void margin_exp_array(margin_real *v, size_t n)
{
    mgn_exp_array(v, n);
}

/* (2 atanh(s) / s - 2) / s^2 with zz = s^2 for |s| <= (sqrt 2 - 1)^2: worst error of 2 atanh(s)
 * 2^-59.5 (double), 2^-30.2. */
static inline margin_real mgn_log_tail(margin_real zz)
{
#ifdef MARGIN_REAL_DOUBLE
    return MGN_R(0.66666666666667351) +
           zz * (MGN_R(0.39999999999410257) +
                 zz * (MGN_R(0.2857142874335819) +
                       zz * (MGN_R(0.22222198471891105) +
                             zz * (MGN_R(0.18183569757450554) +
                                   zz * (MGN_R(0.1531390624218969) +
                                         zz * MGN_R(0.14797453072557459))))));
#else
    return MGN_R(0.666667759) + zz * (MGN_R(0.399775743) + zz * MGN_R(0.298712373));
#endif
}

/* Splits a finite x > 0 into m 2^k with sqrt(1/2) <= m < sqrt 2; returns m. */
static inline margin_real mgn_split(margin_real x, margin_real *k)
{
    const mgn_word low = mgn_bits(MGN_R(0.70710678118654752));
    const int lift = x < MGN_TINY ? MGN_FRACTION + 1 : 0;
    const mgn_word bits =
        mgn_bits(lift != 0 ? x * (margin_real)(MGN_HIDDEN << 1) : x) + (MGN_ONE_BITS - low);
    *k = (margin_real)((int)(bits >> MGN_FRACTION) - MGN_BIAS - lift);
    return mgn_of_bits((bits & (MGN_HIDDEN - 1)) + low);
}

/* log(m 2^k) = k ln 2 + log(1 + f), and with s = f / (2 + f): log(1 + f) = 2 atanh(s)
 * = f - (f^2 / 2 - s (f^2 / 2 + s^2 tail)), where f is exact. k ln 2 + f is summed without error. */
static inline margin_real mgn_log_positive(margin_real x)
{
    margin_real k;
    const margin_real f = mgn_split(x, &k) - 1;
    const margin_real s = f / (2 + f);
    const margin_real zz = s * s;
    const margin_real half = MGN_R(0.5) * f * f;
    const margin_real tail = s * (half + zz * mgn_log_tail(zz));
    const margin_real sum = k * MGN_LN2_HI + f;
    const margin_real lost = (k * MGN_LN2_HI - sum) + f;
    return sum + ((tail + (lost + k * MGN_LN2_LO)) - half);
}

MARGIN_API margin_real margin_log(margin_real x)
{
    if (x > 0) {
        return x <= MGN_HUGE ? mgn_log_positive(x) : x;
    }
    if (x < 0) {
        return MGN_NAN;
    }
    return x >= 0 ? -MGN_INFINITY : x;
}

/* ---- >>random ---- ------------------------------------------------------------------------------ */

/* ---- >>linalg ---- ------------------------------------------------------------------------------ */

/* Order of summation. A sum over k is a chain of rounded additions; its bits depend on the order
 * alone. Two orders are used: mgn_dots and everything built on tiles (products of matrices, Gram
 * matrices) add the terms k = 0, 1, 2, ... one after another onto a single accumulator for each
 * output, so that working on many outputs at once never changes a bit; margin_dot, which has one
 * output only, runs eight such chains side by side. */

/* Bytes of one vector register that the tiles below are written for; 0 is plain C. Vectors run
 * across outputs, so this never changes a bit of any result. */
#ifndef MARGIN_VECTOR
#if defined(__GNUC__) && defined(__AVX__)
#define MARGIN_VECTOR 32
#elif defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__) || defined(__wasm_simd128__))
#define MARGIN_VECTOR 16
#else
#define MARGIN_VECTOR 0
#endif
#endif

MARGIN_API margin_real margin_dot(const margin_real *x, const margin_real *y, size_t n)
{
    margin_real s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    size_t i = 0;
    for (; n - i >= 8u; i += 8u) {
        s0 += x[i] * y[i];
        s1 += x[i + 1u] * y[i + 1u];
        s2 += x[i + 2u] * y[i + 2u];
        s3 += x[i + 3u] * y[i + 3u];
        s4 += x[i + 4u] * y[i + 4u];
        s5 += x[i + 5u] * y[i + 5u];
        s6 += x[i + 6u] * y[i + 6u];
        s7 += x[i + 7u] * y[i + 7u];
    }
    for (; i < n; i++) {
        s0 += x[i] * y[i];
    }
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7));
}

/* out[i] = sum over k of x[k] * rows[i * stride + k], k = 0, 1, 2, ... from zero on one accumulator.
 * Four rows at a time: each x[k] is loaded once for four products, and a Cortex-M4F keeps all in
 * registers. */
static void mgn_dots(const margin_real *x, const margin_real *rows, size_t stride, size_t n,
                     size_t d, margin_real *out)
{
    size_t i = 0;
    for (; n - i >= 4u; i += 4u) {
        const margin_real *r0 = rows + i * stride;
        const margin_real *r1 = r0 + stride;
        const margin_real *r2 = r1 + stride;
        const margin_real *r3 = r2 + stride;
        margin_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (size_t k = 0; k < d; k++) {
            const margin_real v = x[k];
            s0 += v * r0[k];
            s1 += v * r1[k];
            s2 += v * r2[k];
            s3 += v * r3[k];
        }
        out[i] = s0;
        out[i + 1u] = s1;
        out[i + 2u] = s2;
        out[i + 3u] = s3;
    }
    for (; i < n; i++) {
        margin_real s = 0;
        for (size_t k = 0; k < d; k++) {
            s += x[k] * rows[i * stride + k];
        }
        out[i] = s;
    }
}

/* Values from one row to the next: 0 stands for rows without a gap. */
static size_t mgn_stride(size_t stride, size_t cols)
{
    return stride == 0 ? cols : stride;
}

/* A rows x cols matrix argument: there, its rows apart, its bytes countable. */
static margin_status mgn_mat_check(const margin_real *a, size_t stride, size_t rows, size_t cols)
{
    const size_t step = mgn_stride(stride, cols);
    if (step < cols || (a == NULL && rows != 0 && cols != 0)) {
        return MARGIN_E_ARGUMENT;
    }
    if (mgn_size_mul(mgn_size_mul(rows, step), sizeof *a) == SIZE_MAX) {
        return MARGIN_E_OVERFLOW;
    }
    return MARGIN_OK;
}

/* A vector argument of n values. */
static margin_status mgn_vec_check(const margin_real *x, size_t n)
{
    return mgn_mat_check(x, 0, 1, n);
}

/* The first failure of two. */
static margin_status mgn_both(margin_status a, margin_status b)
{
    return a != MARGIN_OK ? a : b;
}

MARGIN_API margin_status margin_mat_vec(margin_real *y, const margin_real *a, size_t stride,
                                        size_t rows, size_t cols, const margin_real *x)
{
    margin_status status = mgn_mat_check(a, stride, rows, cols);
    status = mgn_both(status, mgn_both(mgn_vec_check(x, cols), mgn_vec_check(y, rows)));
    if (status == MARGIN_OK) {
        mgn_dots(x, a, mgn_stride(stride, cols), rows, cols, y);
    }
    return status;
}

#ifndef MARGIN_PREDICT_ONLY

/* Panels: rows packed for machines with vector units. A panel holds MGN_PANEL rows interleaved,
 * value k of its row r at [k * MGN_PANEL + r]; n rows make ceil(n / MGN_PANEL) panels, one after
 * another, the last padded with rows of zeros. The inner loops then run over rows, contiguous in
 * memory, and yield the very bits of mgn_dots. 64 bytes: two registers of AVX, four of SSE. */
#define MGN_PANEL ((size_t)64u / sizeof(margin_real))

/* Vectors that one pass over a panel serves. */
#define MGN_TILE 4u

/* Values in the panels of n rows of d values; SIZE_MAX if not countable. */
static size_t mgn_panel_size(size_t n, size_t d)
{
    const size_t panels = n / MGN_PANEL + (n % MGN_PANEL != 0);
    return mgn_size_mul(mgn_size_mul(panels, MGN_PANEL), d);
}

/* Row i of a matrix, or row rows[i] where there is a list. */
static const margin_real *mgn_row(const margin_real *x, size_t stride, const margin_index *rows,
                                  size_t i)
{
    return x + (rows == NULL ? i : (size_t)rows[i]) * stride;
}

/* Packs n rows of d values from row `first` on into mgn_panel_size(n, d) values. */
static void mgn_panel_pack(margin_real *panel, const margin_real *x, size_t stride,
                           const margin_index *rows, size_t first, size_t n, size_t d)
{
    for (size_t i = 0; i < n || i % MGN_PANEL != 0; i++) {
        const margin_real *from = i < n ? mgn_row(x, stride, rows, first + i) : NULL;
        margin_real *to = panel + i / MGN_PANEL * MGN_PANEL * d + i % MGN_PANEL;
        for (size_t k = 0; k < d; k++) {
            to[k * MGN_PANEL] = from != NULL ? from[k] : 0;
        }
    }
}

#if MARGIN_VECTOR

/* Compiler vectors: gcc and clang turn them into the machine's own, or split them. Loads and stores
 * go through the second type, which asks for no more alignment than its values have. */
typedef margin_real mgn_vec __attribute__((vector_size(MARGIN_VECTOR)));
typedef margin_real mgn_vec_mem
    __attribute__((vector_size(MARGIN_VECTOR), aligned(sizeof(margin_real)), may_alias));
#define MGN_LANES (MARGIN_VECTOR / sizeof(margin_real))

/* Volatile for speed: gcc 12 would load the value anew for each of the products it is used in. */
static mgn_vec mgn_vec_load(const margin_real *p)
{
    return *(const volatile mgn_vec_mem *)p;
}

static void mgn_vec_store(margin_real *p, mgn_vec v)
{
    *(mgn_vec_mem *)p = v;
}

/* out[j * step + r] = (more ? out[j * step + r] : 0) + sum over k of x[j][k * xstep] * panel row r,
 * for j < MGN_TILE and every row of one panel. Two registers of rows times four vectors: eight
 * accumulators, two rows and the products fit sixteen registers. */
static void mgn_tile(const margin_real *panel, size_t d, const margin_real *const *x, size_t xstep,
                     margin_real *out, size_t step, bool more)
{
    for (size_t r = 0; r < MGN_PANEL; r += 2u * MGN_LANES) {
        const margin_real *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
        const margin_real *p = panel + r;
        margin_real *o0 = out + r, *o1 = o0 + step, *o2 = o1 + step, *o3 = o2 + step;
        mgn_vec a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0}, c0 = {0}, c1 = {0}, d0 = {0}, d1 = {0};
        if (more) {
            a0 = mgn_vec_load(o0), a1 = mgn_vec_load(o0 + MGN_LANES);
            b0 = mgn_vec_load(o1), b1 = mgn_vec_load(o1 + MGN_LANES);
            c0 = mgn_vec_load(o2), c1 = mgn_vec_load(o2 + MGN_LANES);
            d0 = mgn_vec_load(o3), d1 = mgn_vec_load(o3 + MGN_LANES);
        }
        for (size_t k = 0; k < d; k++, p += MGN_PANEL) {
            const mgn_vec v = mgn_vec_load(p), w = mgn_vec_load(p + MGN_LANES);
            a0 += x0[k * xstep] * v, a1 += x0[k * xstep] * w;
            b0 += x1[k * xstep] * v, b1 += x1[k * xstep] * w;
            c0 += x2[k * xstep] * v, c1 += x2[k * xstep] * w;
            d0 += x3[k * xstep] * v, d1 += x3[k * xstep] * w;
        }
        mgn_vec_store(o0, a0), mgn_vec_store(o0 + MGN_LANES, a1);
        mgn_vec_store(o1, b0), mgn_vec_store(o1 + MGN_LANES, b1);
        mgn_vec_store(o2, c0), mgn_vec_store(o2 + MGN_LANES, c1);
        mgn_vec_store(o3, d0), mgn_vec_store(o3 + MGN_LANES, d1);
    }
}

/* out[r] = sum over k of x[k] * panel row r, for every row of one panel. */
static void mgn_panel_dot(const margin_real *panel, size_t d, const margin_real *x,
                          margin_real *out)
{
    for (size_t r = 0; r < MGN_PANEL; r += 2u * MGN_LANES) {
        const margin_real *p = panel + r;
        mgn_vec a0 = {0}, a1 = {0};
        for (size_t k = 0; k < d; k++, p += MGN_PANEL) {
            a0 += x[k] * mgn_vec_load(p);
            a1 += x[k] * mgn_vec_load(p + MGN_LANES);
        }
        mgn_vec_store(out + r, a0);
        mgn_vec_store(out + r + MGN_LANES, a1);
    }
}

#else /* the same two in plain C: four named accumulators, one row or four at a time */

static void mgn_tile(const margin_real *panel, size_t d, const margin_real *const *x, size_t xstep,
                     margin_real *out, size_t step, bool more)
{
    for (size_t r = 0; r < MGN_PANEL; r++) {
        const margin_real *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
        margin_real *o0 = out + r, *o1 = o0 + step, *o2 = o1 + step, *o3 = o2 + step;
        margin_real a = more ? *o0 : 0, b = more ? *o1 : 0, c = more ? *o2 : 0, e = more ? *o3 : 0;
        for (size_t k = 0; k < d; k++) {
            const margin_real v = panel[k * MGN_PANEL + r];
            a += x0[k * xstep] * v;
            b += x1[k * xstep] * v;
            c += x2[k * xstep] * v;
            e += x3[k * xstep] * v;
        }
        *o0 = a, *o1 = b, *o2 = c, *o3 = e;
    }
}

static void mgn_panel_dot(const margin_real *panel, size_t d, const margin_real *x,
                          margin_real *out)
{
    for (size_t r = 0; r < MGN_PANEL; r += 4u) {
        const margin_real *p = panel + r;
        margin_real a = 0, b = 0, c = 0, e = 0;
        for (size_t k = 0; k < d; k++, p += MGN_PANEL) {
            a += x[k] * p[0];
            b += x[k] * p[1];
            c += x[k] * p[2];
            e += x[k] * p[3];
        }
        out[r] = a, out[r + 1u] = b, out[r + 2u] = c, out[r + 3u] = e;
    }
}

#endif

/* out[i] = x . row i for the n rows of the panels: the bits of mgn_dots, at vector speed. */
static void mgn_panel_dots(const margin_real *panel, size_t n, size_t d, const margin_real *x,
                           margin_real *out)
{
    size_t i = 0;
    for (; n - i >= MGN_PANEL; i += MGN_PANEL) {
        mgn_panel_dot(panel + i * d, d, x, out + i);
    }
    if (i < n) {
        margin_real last[MGN_PANEL];
        mgn_panel_dot(panel + i * d, d, x, last);
        for (size_t r = 0; i + r < n; r++) {
            out[i + r] = last[r];
        }
    }
}

/* A tile of which only m <= MGN_TILE vectors and n <= MGN_PANEL rows exist: x[m] .. are not read. */
static void mgn_tile_part(const margin_real *panel, size_t n, size_t d, const margin_real *const *x,
                          size_t m, size_t xstep, margin_real *out, size_t step, bool more)
{
    margin_real tile[MGN_TILE * MGN_PANEL];
    const margin_real *from[MGN_TILE];
    for (size_t j = 0; j < MGN_TILE; j++) {
        from[j] = x[j < m ? j : m - 1u];
        for (size_t r = 0; r < MGN_PANEL; r++) {
            tile[j * MGN_PANEL + r] = more && j < m && r < n ? out[j * step + r] : 0;
        }
    }
    mgn_tile(panel, d, from, xstep, tile, MGN_PANEL, true);
    for (size_t j = 0; j < m; j++) {
        for (size_t r = 0; r < n; r++) {
            out[j * step + r] = tile[j * MGN_PANEL + r];
        }
    }
}

/* One tile, whole or not. */
static void mgn_tile_any(const margin_real *panel, size_t n, size_t d, const margin_real *const *x,
                         size_t m, size_t xstep, margin_real *out, size_t step, bool more)
{
    if (n >= MGN_PANEL && m >= MGN_TILE) {
        mgn_tile(panel, d, x, xstep, out, step, more);
    } else {
        mgn_tile_part(panel, n < MGN_PANEL ? n : MGN_PANEL, d, x, m, xstep, out, step, more);
    }
}

/* out[j * step + i] = x[j] . row i for m <= MGN_TILE vectors x[0] .. x[m-1] and the n rows of the
 * panels: the bits of mgn_dots. Four vectors at once take half the time of four calls. */
static void mgn_panel_dots_block(const margin_real *panel, size_t n, size_t d,
                                 const margin_real *const *x, size_t m, margin_real *out,
                                 size_t step)
{
    if (m == 1u) {
        mgn_panel_dots(panel, n, d, x[0], out);
        return;
    }
    for (size_t i = 0; i < n; i += MGN_PANEL) {
        mgn_tile_any(panel + i * d, n - i, d, x, m, 1, out + i, step, false);
    }
}

/* Pointers to up to MGN_TILE rows from row `first` on; returns how many there are. */
static size_t mgn_row_group(const margin_real **group, const margin_real *x, size_t stride,
                            const margin_index *rows, size_t first, size_t n)
{
    const size_t count = n - first < MGN_TILE ? n - first : MGN_TILE;
    for (size_t j = 0; j < count; j++) {
        group[j] = mgn_row(x, stride, rows, first + j);
    }
    return count;
}

/* Copies rows j .. j + m - 1, columns first .. first + MGN_PANEL - 1 to the other side of the
 * diagonal, while they are still in the cache. */
static void mgn_mirror(margin_real *g, size_t step, size_t first, size_t j, size_t m)
{
    for (size_t r = first; r < first + MGN_PANEL; r++) {
        for (size_t t = j; t < j + m; t++) {
            g[r * step + t] = g[t * step + r];
        }
    }
}

/* g = X X', each element with the bits of mgn_dots; `panel` has room for MGN_PANEL rows. Panel by
 * panel: the square on the diagonal is computed whole, the rows below it once and mirrored. */
static void mgn_gram(margin_real *g, size_t step, const margin_real *x, size_t stride,
                     const margin_index *rows, size_t n, size_t d, margin_real *panel)
{
    const margin_real *group[MGN_TILE];
    for (size_t first = 0; first < n; first += MGN_PANEL) {
        const size_t count = n - first < MGN_PANEL ? n - first : MGN_PANEL;
        mgn_panel_pack(panel, x, stride, rows, first, count, d);
        for (size_t j = first; j < n; j += MGN_TILE) {
            const size_t m = mgn_row_group(group, x, stride, rows, j, n);
            mgn_panel_dots_block(panel, count, d, group, m, g + j * step + first, step);
            if (j >= first + MGN_PANEL) {
                mgn_mirror(g, step, first, j, m);
            }
        }
    }
}

/* An arena to work in: there, and not one that only counts. */
static margin_status mgn_mem_check(const margin_arena *mem)
{
    return mem == NULL || (mem->base == NULL && mem->size != 0) ? MARGIN_E_ARGUMENT : MARGIN_OK;
}

MARGIN_API size_t margin_gram_size(size_t d)
{
    margin_arena mem = margin_arena_counting();
    (void)MGN_SCRATCH(&mem, margin_real, mgn_panel_size(MGN_PANEL, d));
    return mgn_arena_counted(&mem);
}

MARGIN_API margin_status margin_gram(margin_real *g, size_t gstride, const margin_real *x,
                                     size_t stride, const margin_index *rows, size_t n, size_t d,
                                     margin_arena *mem)
{
    margin_status status =
        mgn_both(mgn_mat_check(g, gstride, n, n), mgn_mat_check(x, stride, n, d));
    margin_arena before;
    margin_real *panel;
    status = mgn_both(status, mgn_mem_check(mem));
    if (status != MARGIN_OK) {
        return status;
    }
    before = *mem;
    panel = MGN_SCRATCH(mem, margin_real, mgn_panel_size(MGN_PANEL, d));
    if (mem->failed == 0) {
        mgn_gram(g, mgn_stride(gstride, n), x, mgn_stride(stride, d), rows, n, d, panel);
    }
    return margin_arena_rewind(mem, &before);
}

#endif /* MARGIN_PREDICT_ONLY */

/* ---- >>data ---- -------------------------------------------------------------------------------- */

/* ---- >>kernel ---- ------------------------------------------------------------------------------ */

#endif /* MARGIN_IMPL_H */
