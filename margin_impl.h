/* margin_impl.h -- the implementation of margin.h, included by it where MARGIN_IMPLEMENTATION is
 * defined. It reads top to bottom; each section uses only those above it.
 *
 * CONTENTS  PART I PREDICT
 *           >>platform >>asm >>status >>arena >>scalar >>kernel >>model >>kinds >>quant
 *           >>image
 *           PART II TRAIN
 *           >>math >>random >>linalg >>data >>rows >>batch >>quantize >>store >>train >>mam
 *           >>qp >>kmomd >>svm >>rates >>loss >>seco >>calibrate >>compress >>metrics >>proto
 *           >>compact >>ordinal >>oneclass >>svr
 */
#ifndef MARGIN_IMPL_H
#define MARGIN_IMPL_H

/* ================================================================================================
 * PART I PREDICT
 *
 * Everything that a device needs that only predicts. Who reviews such a firmware can stop at its
 * end.
 * ============================================================================================== */

/* ---- >>platform ---- what the compiler is asked for ------------------------------------------ */

#ifdef __cplusplus
#define MGN_RESTRICT __restrict
#else
#define MGN_RESTRICT restrict
#endif

/* A product and a sum must not be fused into one rounding (FMA), or the bits would depend on the
 * target. Flags cannot be relied on: build systems of boards hide them, and gcc fuses by default.
 * Clang obeys the standard pragma. Gcc ignores that one, but takes the option for a part of a
 * file; it is set only where the target has such instructions at all. Gcc then forgets what
 * -ffreestanding implies, that short loops do not become calls of memset and memcpy, and must be
 * told again. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && (defined(__FP_FAST_FMA) || defined(__FP_FAST_FMAF))
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "no-tree-loop-distribute-patterns")
#define MGN_OPTIONS_PUSHED
#endif

/* Gcc 12 fuses neighbouring products all the same (its bug 107647), in the vectoriser for
 * straight-line code and only there. */
#if defined(MGN_OPTIONS_PUSHED) && __GNUC__ == 12
#pragma GCC optimize("no-tree-slp-vectorize")
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

/* MGN_INLINE marks functions that are called with constants, so that each public function holds
 * only the code for its own constants. MGN_APART keeps a function from being inlined. */
#if defined(__GNUC__)
#define MGN_INLINE inline __attribute__((always_inline))
#define MGN_APART __attribute__((noinline))
#else
#define MGN_INLINE inline
#define MGN_APART
#endif

static inline margin_real mgn_abs(margin_real a) {
    return a < 0 ? -a : a;
}

static inline margin_real mgn_min(margin_real a, margin_real b) {
    return b < a ? b : a;
}

static inline margin_real mgn_max(margin_real a, margin_real b) {
    return a < b ? b : a;
}

/* Sizes that do not fit size_t are SIZE_MAX, and what is computed from SIZE_MAX stays SIZE_MAX (but
 * for a product with 0): no block of that size is ever granted, and no image has so many bytes. */
static size_t mgn_size_mul(size_t a, size_t b) {
    return b != 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

static size_t mgn_size_add(size_t a, size_t b) {
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* `a` rounded up to a multiple of `unit`. */
static size_t mgn_size_up(size_t a, size_t unit) {
    const size_t sum = mgn_size_add(a, unit - 1u);
    return sum == SIZE_MAX ? SIZE_MAX : sum - sum % unit;
}

/* The instructions that the assembly of >>asm may use. MGN_ASM_VFP: the small floating-point units
 * of Cortex-M. MGN_ASM_DSP: products of halves of words, Cortex-M4 and up. MGN_ASM_THUMB1:
 * Cortex-M0, where speed counts more than bytes. MGN_ASM_ROW: Cortex-M0 in any case. MGN_ASM_AVR:
 * AVR with a multiplier. Loops in assembly read models by plain loads (on AVR also by lpm) and
 * need registers that a compiler without optimisation does not give. */
#if defined(__GNUC__) && !defined(MARGIN_NO_ASM)
#define MGN_ASM
#if defined(MARGIN_LOAD_PLAIN) && !defined(__ARM_BIG_ENDIAN)
#if defined(__ARM_FP) && defined(__thumb2__) && !defined(MARGIN_REAL_DOUBLE)
#define MGN_ASM_VFP
#endif
#if defined(__OPTIMIZE__) && defined(__ARM_FEATURE_DSP)
#define MGN_ASM_DSP
#elif defined(__OPTIMIZE__) && defined(__ARM_ARCH_ISA_THUMB) && !defined(__OPTIMIZE_SIZE__)
#if __ARM_ARCH_ISA_THUMB == 1
#define MGN_ASM_THUMB1
#endif
#endif
#if defined(__OPTIMIZE__) && defined(__ARM_ARCH_6M__)
#define MGN_ASM_ROW
#endif
#endif
#if defined(__OPTIMIZE__) && defined(__AVR_HAVE_MUL__) &&                                          \
    (defined(MARGIN_LOAD_PLAIN) || defined(MARGIN_LOAD_LPM))
#define MGN_ASM_AVR
#endif
#endif

/* Every floating-point operation is a call of the compiler's library. */
#if (defined(__arm__) && !defined(__ARM_FP)) || defined(__AVR__) ||                                \
    (defined(__riscv) && !defined(__riscv_flen))
#define MGN_SOFT_FLOAT
#endif

/* MGN_Q_LANES vectors of an integer model go through a loop together. MGN_Q_SPREAD marks functions
 * that add the terms of a vector to all machines, and MGN_Q_EACH those that are called for every
 * vector: they are inlined where that pays, and compiled once where bytes count more (AVR). */
#if defined(__OPTIMIZE_SIZE__) && !defined(MGN_ASM_DSP) && !defined(MGN_ASM_AVR)
#define MGN_Q_LANES 1u
#define MGN_Q_SPREAD MGN_INLINE
#else
#define MGN_Q_LANES 4u
#define MGN_Q_SPREAD
#endif
#ifdef __AVR__
#define MGN_Q_EACH MGN_APART
#else
#define MGN_Q_EACH MGN_INLINE
#endif

/* Bytes of one vector register that the tiles of >>linalg are written for; 0 is plain C. Vectors
 * run across outputs, so this never changes a bit of any result. */
#ifndef MARGIN_VECTOR
#if defined(__GNUC__) && defined(__AVX__)
#define MARGIN_VECTOR 32
#elif defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__) || defined(__wasm_simd128__))
#define MARGIN_VECTOR 16
#else
#define MARGIN_VECTOR 0
#endif
#endif
#if MARGIN_VECTOR != 0 && MARGIN_VECTOR != 16 && MARGIN_VECTOR != 32
#error "margin: MARGIN_VECTOR is 0, 16 or 32"
#endif

#ifdef MARGIN_REAL_DOUBLE
typedef uint64_t mgn_word;
#define MGN_FRACTION 52 /* bits of the stored significand */
#define MGN_BIAS 1023   /* of the exponent */
#define MGN_SIGN ((mgn_word)1 << 63)
#define MGN_LN2_HI MGN_R(0.69314718055989033) /* 42 bits: exact times any exponent */
#define MGN_LN2_LO MGN_R(5.4979230187083712e-14)
#define MGN_ROUND MGN_R(6755399441057792.0) /* 1.5 2^52 + 2 (BIAS + 1): see mgn_exp_two */
#else
typedef uint32_t mgn_word;
#define MGN_FRACTION 23
#define MGN_BIAS 127
#define MGN_SIGN ((mgn_word)1 << 31)
#define MGN_LN2_HI MGN_R(0.693145752) /* 16 bits: exact times any exponent */
#define MGN_LN2_LO MGN_R(1.42860677e-06)
#define MGN_ROUND MGN_R(12583168.0) /* 1.5 2^23 + 2 (BIAS + 1): see mgn_exp_two */
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

static inline mgn_word mgn_bits(margin_real a) {
    mgn_pun pun;
    pun.real = a;
    return pun.word;
}

static inline margin_real mgn_of_bits(mgn_word a) {
    mgn_pun pun;
    pun.word = a;
    return pun.real;
}

/* ---- >>asm ---- what some processors do best in instructions of their own -------------------- */

/* Here and in >>platform is everything that depends on the processor. Each operation stands here
 * in plain C, which says what it computes; forms in assembly beside it compute the same bits in
 * less time or in fewer bytes. MARGIN_NO_ASM leaves the assembly out.
 *
 *   mgn_root             square root of a finite number > 0
 *   mgn_flash_dot        dot product of weights in flash with an input
 *   mgn_expansion_four   dot products of a scaled input with four vectors
 *   mgn_q_up, mgn_q_down shifts by less than 32 bits
 *   mgn_q_row            dot product of integer weights with an input, added to a bias
 *   mgn_q_dots           dot products of an integer input with one block of vectors
 *   mgn_q_within         squared length of an integer input, within a limit
 *   mgn_q_scale          a * b / 2^16
 *   mgn_q_mantissa_high  mantissa of 2^-u
 *   mgn_q_times_high     a coefficient times such a mantissa
 *
 * Assembly is formatted by hand. */

/* ---- the square root of a finite x > 0, correctly rounded ---- */

/* The instruction is correctly rounded by IEEE 754, so that it gives the bits of the form in C. The
 * compilers' builtins will not do: they may call libm, to set errno. */
#ifdef MGN_ASM
#ifdef MARGIN_REAL_DOUBLE
#define MGN_BY_WIDTH(single, wide) wide
#else
#define MGN_BY_WIDTH(single, wide) single
#endif
#if defined(__AVX__)
#define MGN_ROOT_ASM MGN_BY_WIDTH("vsqrtss %1, %1, %0", "vsqrtsd %1, %1, %0")
#define MGN_ROOT_REG "x"
#elif defined(__SSE2__)
#define MGN_ROOT_ASM MGN_BY_WIDTH("sqrtss %1, %0", "sqrtsd %1, %0")
#define MGN_ROOT_REG "x"
#elif defined(__aarch64__)
#define MGN_ROOT_ASM MGN_BY_WIDTH("fsqrt %s0, %s1", "fsqrt %d0, %d1")
#define MGN_ROOT_REG "w"
#elif defined(__ARM_FP) && (__ARM_FP & MGN_BY_WIDTH(4, 8))
#define MGN_ROOT_ASM MGN_BY_WIDTH("vsqrt.f32 %0, %1", "vsqrt.f64 %P0, %P1")
#define MGN_ROOT_REG MGN_BY_WIDTH("t", "w")
#elif defined(__riscv_flen) && __riscv_flen >= MGN_BY_WIDTH(32, 64)
#define MGN_ROOT_ASM MGN_BY_WIDTH("fsqrt.s %0, %1", "fsqrt.d %0, %1")
#define MGN_ROOT_REG "f"
#endif
#endif

#ifdef MGN_ROOT_ASM

static inline margin_real mgn_root(margin_real x) {
    margin_real root;
    __asm__(MGN_ROOT_ASM : "=" MGN_ROOT_REG(root) : MGN_ROOT_REG(x));
    return root;
}

#else

/* One bit a step. With x = m 4^e and 1 <= m < 4, the root q grows by `bit` as long as (q + bit)^2
 * <= m. `rest` is (m - q^2) / bit, so that a trial costs one addition. The last bit only rounds: a
 * tie would need a root with one bit more than m has, and the square of such a root has too many
 * bits to be m. */
static margin_real mgn_root(margin_real x) {
    const mgn_word bits = mgn_bits(x);
    int exponent = (int)(bits >> MGN_FRACTION);
    mgn_word rest = bits & (MGN_HIDDEN - 1), root = 0, bit = MGN_HIDDEN << 1;
    if (exponent > 2 * MGN_BIAS) { return x; }
    if (exponent > 0) {
        rest |= MGN_HIDDEN;
    } else {
        for (exponent = 1; rest < MGN_HIDDEN; exponent--) { rest <<= 1; }
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

/* ---- dot products of reals ---- */

/* w . x on four chains, in the order of margin_dot: chain i sums the products i, i + 4, i + 8, ..
 * of all whole groups of four, and the first chain those that are left. */
#if defined(MGN_ASM_VFP)

/* vmla rounds the product and then the sum, as two instructions do. */
/* clang-format off */
static inline margin_real mgn_flash_dot(const margin_real *w, const margin_real *x, size_t n)
{
    uint32_t zero = 0;
    margin_real out;
    __asm__ volatile(
        "vmov s0, s1, %[zero], %[zero]\n\t"
        "vmov s2, s3, %[zero], %[zero]\n\t"
        "b 2f\n"
        "1:\n\t"
        "vldmia %[w]!, {s4-s7}\n\t"
        "vldmia %[x]!, {s8-s11}\n\t"
        "vmla.f32 s0, s4, s8\n\t"
        "vmla.f32 s1, s5, s9\n\t"
        "vmla.f32 s2, s6, s10\n\t"
        "vmla.f32 s3, s7, s11\n"
        "2:\n\t"
        "subs %[n], #4\n\t"
        "bhs 1b\n\t"
        "adds %[n], #4\n\t"
        "beq 4f\n"
        "3:\n\t"
        "vldmia %[w]!, {s4}\n\t"
        "vldmia %[x]!, {s8}\n\t"
        "vmla.f32 s0, s4, s8\n\t"
        "subs %[n], #1\n\t"
        "bne 3b\n"
        "4:\n\t"
        "vadd.f32 s0, s0, s2\n\t"
        "vadd.f32 s1, s1, s3\n\t"
        "vadd.f32 %[out], s0, s1"
        : [w] "+r"(w), [x] "+r"(x), [n] "+r"(n), [out] "=t"(out)
        : [zero] "r"(zero)
        : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "cc", "memory");
    return out;
}
/* clang-format on */

#elif defined(MGN_SOFT_FLOAT)

/* Where every operation is a call, a loop with one product and one sum takes the fewest bytes. */
static inline margin_real mgn_flash_dot(const margin_real *w, const margin_real *x, size_t n) {
    margin_real s[4];
    s[0] = 0; /* one by one: an initialiser would become a call of memset */
    s[1] = 0;
    s[2] = 0;
    s[3] = 0;
    for (size_t i = 0; i < n; i++) {
        s[(i | 3u) < n ? i & 3u : 0] += MARGIN_LOAD(margin_real, w + i) * x[i];
    }
    return (s[0] + s[2]) + (s[1] + s[3]);
}

#else

static inline margin_real mgn_flash_dot(const margin_real *w, const margin_real *x, size_t n) {
    margin_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; n >= 4u; n -= 4u, w += 4, x += 4) {
        s0 += MARGIN_LOAD(margin_real, w) * x[0];
        s1 += MARGIN_LOAD(margin_real, w + 1) * x[1];
        s2 += MARGIN_LOAD(margin_real, w + 2) * x[2];
        s3 += MARGIN_LOAD(margin_real, w + 3) * x[3];
    }
    for (; n > 0; n--) { s0 += MARGIN_LOAD(margin_real, w++) * *x++; }
    return (s0 + s2) + (s1 + s3);
}

#endif

/* Feature k of the input of an expansion, scaled. */
static inline margin_real mgn_expansion_input(const margin_expansion *e, const margin_real *x,
                                              size_t k) {
    if (e->offset == NULL) { return x[k]; }
    return (x[k] - MARGIN_LOAD(margin_real, e->offset + k)) *
           MARGIN_LOAD(margin_real, e->factor + k);
}

/* out[i] = x . v[i] of the scaled input x with four vectors, summed as mgn_dots does. */
#if defined(MGN_ASM_VFP) && defined(__OPTIMIZE__) /* without it there are too few registers */

/* Six features at a time, then those that are left one by one. s0 to s5 hold features of the scaled
 * input, s6 to s11 those of a vector (or offsets), s12 to s17 factors, s18 to s21 the sums. */
/* clang-format off */
#define MGN_VFP_ONE(v, sum)                                                                        \
    "vldmia " v "!, {s6}\n\t"                                                                      \
    "vmla.f32 " sum ", s0, s6\n\t"
#define MGN_VFP_ALL(op, b0, b1, b2, b3, b4, b5)                                                    \
    op " s0, s0, " b0 "\n\t"                                                                       \
    op " s1, s1, " b1 "\n\t"                                                                       \
    op " s2, s2, " b2 "\n\t"                                                                       \
    op " s3, s3, " b3 "\n\t"                                                                       \
    op " s4, s4, " b4 "\n\t"                                                                       \
    op " s5, s5, " b5 "\n\t"
#define MGN_VFP_SIX(v, sum)                                                                        \
    "vldmia " v "!, {s6-s11}\n\t"                                                                  \
    "vmla.f32 " sum ", s0, s6\n\t"                                                                 \
    "vmla.f32 " sum ", s1, s7\n\t"                                                                 \
    "vmla.f32 " sum ", s2, s8\n\t"                                                                 \
    "vmla.f32 " sum ", s3, s9\n\t"                                                                 \
    "vmla.f32 " sum ", s4, s10\n\t"                                                                \
    "vmla.f32 " sum ", s5, s11\n\t"
static inline void mgn_expansion_four(const margin_expansion *e, const margin_real *x,
                                      const margin_real *const *v, margin_real *out)
{
    const margin_real *offset = e->offset, *factor = e->factor;
    const margin_real *v0 = v[0], *v1 = v[1], *v2 = v[2], *v3 = v[3];
    size_t n = e->d;
    __asm__ volatile(
        "vmov.f32 s18, %[zero]\n\t"
        "vmov.f32 s19, %[zero]\n\t"
        "vmov.f32 s20, %[zero]\n\t"
        "vmov.f32 s21, %[zero]\n\t"
        "b 3f\n"
        "1:\n\t"
        "vldmia %[x]!, {s0-s5}\n\t"
        "cbz %[offset], 2f\n\t"
        "vldmia %[offset]!, {s6-s11}\n\t"
        "vldmia %[factor]!, {s12-s17}\n\t"
        MGN_VFP_ALL("vsub.f32", "s6", "s7", "s8", "s9", "s10", "s11")
        MGN_VFP_ALL("vmul.f32", "s12", "s13", "s14", "s15", "s16", "s17")
        "2:\n\t"
        MGN_VFP_SIX("%[v0]", "s18")
        MGN_VFP_SIX("%[v1]", "s19")
        MGN_VFP_SIX("%[v2]", "s20")
        MGN_VFP_SIX("%[v3]", "s21")
        "3:\n\t"
        "subs %[n], #6\n\t"
        "bhs 1b\n\t"
        "adds %[n], #6\n\t"
        "beq 6f\n"
        "4:\n\t"
        "vldmia %[x]!, {s0}\n\t"
        "cbz %[offset], 5f\n\t"
        "vldmia %[offset]!, {s6}\n\t"
        "vldmia %[factor]!, {s12}\n\t"
        "vsub.f32 s0, s0, s6\n\t"
        "vmul.f32 s0, s0, s12\n"
        "5:\n\t"
        MGN_VFP_ONE("%[v0]", "s18")
        MGN_VFP_ONE("%[v1]", "s19")
        MGN_VFP_ONE("%[v2]", "s20")
        MGN_VFP_ONE("%[v3]", "s21")
        "subs %[n], #1\n\t"
        "bne 4b\n"
        "6:\n\t"
        "vstmia %[out], {s18-s21}"
        : [x] "+r"(x), [v0] "+r"(v0), [v1] "+r"(v1), [v2] "+r"(v2), [v3] "+r"(v3),
          [offset] "+l"(offset), [factor] "+r"(factor), [n] "+r"(n)
        : [zero] "t"((margin_real)0), [out] "r"(out)
        : "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13",
          "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "cc", "memory");
}
/* clang-format on */

#else

static inline void mgn_expansion_four(const margin_expansion *e, const margin_real *x,
                                      const margin_real *const *v, margin_real *out) {
    const margin_real *v0 = v[0], *v1 = v[1], *v2 = v[2], *v3 = v[3];
    margin_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (size_t k = 0; k < e->d; k++) {
        const margin_real a = mgn_expansion_input(e, x, k);
        s0 += a * MARGIN_LOAD(margin_real, v0 + k);
        s1 += a * MARGIN_LOAD(margin_real, v1 + k);
        s2 += a * MARGIN_LOAD(margin_real, v2 + k);
        s3 += a * MARGIN_LOAD(margin_real, v3 + k);
    }
    out[0] = s0;
    out[1] = s1;
    out[2] = s2;
    out[3] = s3;
}

#endif

/* ---- integers: shifts ---- */

/* Right shifts of negative numbers must round down, and what does not fit an int32_t must keep its
 * low 32 bits when it becomes one: gcc and clang promise both. */
typedef char mgn_q_shift_must_round_down[(INT32_C(-3) >> 1) == INT32_C(-2) ? 1 : -1];
typedef char mgn_q_int32_must_wrap[(int32_t)UINT32_C(0xFFFFFFFE) == INT32_C(-2) ? 1 : -1];

/* Makes a compiler forget how `value` came about, so that it keeps no other register for it. */
#ifdef MGN_ASM
#define MGN_Q_FORGET(value) __asm__("" : "+r"(value))
#else
#define MGN_Q_FORGET(value) ((void)0)
#endif

/* a << n, and a >> n rounded down, for n < 32. */
#if defined(__AVR__) && defined(MGN_ASM)

/* AVR shifts by one bit at a time: whole bytes are moved first. */
typedef uint8_t mgn_q_count;

/* clang-format off */
static MGN_APART uint32_t mgn_q_up(uint32_t a, mgn_q_count n)
{
    __asm__(
        "rjmp 2f\n"
        "1:\n\t"
        "mov %D[a], %C[a]\n\t"
        "mov %C[a], %B[a]\n\t"
        "mov %B[a], %A[a]\n\t"
        "clr %A[a]\n"
        "2:\n\t"
        "subi %[n], 8\n\t"
        "brsh 1b\n\t"
        "subi %[n], 248\n\t"
        "rjmp 4f\n"
        "3:\n\t"
        "lsl %A[a]\n\t"
        "rol %B[a]\n\t"
        "rol %C[a]\n\t"
        "rol %D[a]\n"
        "4:\n\t"
        "dec %[n]\n\t"
        "brpl 3b"
        : [a] "+r"(a), [n] "+d"(n)
        :
        : "cc");
    return a;
}

static MGN_APART int32_t mgn_q_down(int32_t a, mgn_q_count n)
{
    __asm__(
        "rjmp 2f\n"
        "1:\n\t"
        "mov %A[a], %B[a]\n\t"
        "mov %B[a], %C[a]\n\t"
        "mov %C[a], %D[a]\n\t"
        "lsl %D[a]\n\t" /* its sign */
        "sbc %D[a], %D[a]\n"
        "2:\n\t"
        "subi %[n], 8\n\t"
        "brsh 1b\n\t"
        "subi %[n], 248\n\t"
        "rjmp 4f\n"
        "3:\n\t"
        "asr %D[a]\n\t"
        "ror %C[a]\n\t"
        "ror %B[a]\n\t"
        "ror %A[a]\n"
        "4:\n\t"
        "dec %[n]\n\t"
        "brpl 3b"
        : [a] "+r"(a), [n] "+d"(n)
        :
        : "cc");
    return a;
}
/* clang-format on */

#else

typedef uint32_t mgn_q_count;

static MGN_INLINE uint32_t mgn_q_up(uint32_t a, mgn_q_count n) {
    return a << n;
}

static MGN_INLINE int32_t mgn_q_down(int32_t a, mgn_q_count n) {
    return a >> n;
}

#endif

/* ---- integers: dot products ---- */

/* sum + w . x. The caller sees to it that no partial sum leaves 32 bits. */
static MGN_INLINE int32_t mgn_q_row(int32_t sum, const void *w, const int16_t *x, size_t d,
                                    unsigned format) {
#ifdef MGN_ASM_ROW
    if (format == MARGIN_Q15) { /* a third of what compilers make of the loop below; d > 0 */
        int32_t n = 2 * (int32_t)d, a, b;
        /* clang-format off */
        __asm__(
            ".syntax unified\n"
            "1:\n\t"
            "subs %[n], #2\n\t"
            "ldrsh %[a], [%[x], %[n]]\n\t"
            "ldrsh %[b], [%[w], %[n]]\n\t"
            "muls %[a], %[b], %[a]\n\t"
            "adds %[s], %[s], %[a]\n\t"
            "cmp %[n], #0\n\t"
            "bne 1b"
            : [s] "+l"(sum), [n] "+l"(n), [a] "=&l"(a), [b] "=&l"(b)
            : [x] "l"(x), [w] "l"(w)
            : "cc", "memory");
        /* clang-format on */
        return sum;
    }
#endif
    for (size_t k = 0; k < d; k++) {
        if (format == MARGIN_Q15) {
            sum += (int32_t)MARGIN_LOAD(int16_t, (const int16_t *)w + k) * x[k];
        } else {
            sum += (int32_t)MARGIN_LOAD(int8_t, (const int8_t *)w + k) * x[k];
        }
    }
    return sum;
}

/* dots[i] = x . v for the MGN_Q_LANES vectors from vector v on, a multiple of that, stored in
 * blocks as margin_expansion_q says. Sums are modulo 2^32: exact where the true ones fit. A walk
 * over all vectors hands over as `block` what the call before returned, at first the array of
 * vectors. d > 0. */
#define MGN_Q_BLOCK ((size_t)4) /* vectors that are stored together */

#if defined(MGN_ASM_DSP)

/* One word of x holds two features. In q15 a word of the block holds two features of one vector;
 * in q7 it holds them of two vectors, and sxtb16 parts these. Vectors are aligned; inputs need not
 * be, since these processors load words from any address. */
/* clang-format off */
#define MGN_Q15_PAIR                                                                               \
    "ldr %[a], [%[x]], #4\n\t"                                                                     \
    "ldmia %[w]!, {r3, r4, r5, r8}\n\t"                                                            \
    "smlad %[s0], %[a], r3, %[s0]\n\t"                                                             \
    "smlad %[s1], %[a], r4, %[s1]\n\t"                                                             \
    "smlad %[s2], %[a], r5, %[s2]\n\t"                                                             \
    "smlad %[s3], %[a], r8, %[s3]\n\t"
#define MGN_Q7_PAIR                                                                                \
    "ldr %[a], [%[x]], #4\n\t"                                                                     \
    "ldmia %[w]!, {r4, r8}\n\t"                                                                    \
    "sxtb16 r3, r4\n\t"                                                                            \
    "sxtb16 r4, r4, ror #8\n\t"                                                                    \
    "sxtb16 r5, r8\n\t"                                                                            \
    "sxtb16 r8, r8, ror #8\n\t"                                                                    \
    "smlad %[s0], %[a], r3, %[s0]\n\t"                                                             \
    "smlad %[s1], %[a], r4, %[s1]\n\t"                                                             \
    "smlad %[s2], %[a], r5, %[s2]\n\t"                                                             \
    "smlad %[s3], %[a], r8, %[s3]\n\t"
#define MGN_Q_LOOP(PAIR)                                                                           \
    __asm__ volatile(                                                                              \
        "subs %[n], #6\n\t"                                                                        \
        "blo 2f\n"                                                                                 \
        "1:\n\t"                                                                                   \
        PAIR PAIR PAIR                                                                             \
        "subs %[n], #6\n\t"                                                                        \
        "bhs 1b\n"                                                                                 \
        "2:\n\t"                                                                                   \
        "adds %[n], #4\n\t"                                                                        \
        "bmi 4f\n"                                                                                 \
        "3:\n\t"                                                                                   \
        PAIR                                                                                       \
        "subs %[n], #2\n\t"                                                                        \
        "bpl 3b\n"                                                                                 \
        "4:\n"                                                                                     \
        : [s0] "+r"(s0), [s1] "+r"(s1), [s2] "+r"(s2), [s3] "+r"(s3), [w] "+r"(w), [x] "+r"(x),    \
          [n] "+r"(n), [a] "=&r"(a)                                                                \
        :                                                                                          \
        : "r3", "r4", "r5", "r8", "cc", "memory")
/* clang-format on */

/* Adds the products of the last feature where their number is odd. */
static MGN_Q_EACH void mgn_q_last(const unsigned char *w, int16_t x, unsigned format,
                                  uint32_t *dots) {
    for (size_t i = 0; i < MGN_Q_LANES; i++) {
        const unsigned char *at = w + (format == MARGIN_Q15 ? 4u * i : i / 2u * 4u + i % 2u);
        dots[i] += (uint32_t)(x * (format == MARGIN_Q15 ? *(const int16_t *)(const void *)at
                                                        : *(const int8_t *)at));
    }
}

/* A function with the loop of one format. In the end n is -2, or -1 for an odd number. */
#define MGN_Q_DOTS(name, format, PAIR)                                                             \
    static MGN_Q_EACH const void *name(const void *block, const int16_t *x, size_t n,              \
                                       uint32_t *dots) {                                           \
        const unsigned char *w = (const unsigned char *)block;                                     \
        uint32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, a;                                                \
        MGN_Q_LOOP(PAIR);                                                                          \
        dots[0] = s0;                                                                              \
        dots[1] = s1;                                                                              \
        dots[2] = s2;                                                                              \
        dots[3] = s3;                                                                              \
        if (n % 2u != 0) {                                                                         \
            mgn_q_last(w, *x, format, dots);                                                       \
            w += format == MARGIN_Q15 ? 16u : 8u;                                                  \
        }                                                                                          \
        return w;                                                                                  \
    }

MGN_Q_DOTS(mgn_q15_dots, MARGIN_Q15, MGN_Q15_PAIR)
MGN_Q_DOTS(mgn_q7_dots, MARGIN_Q7, MGN_Q7_PAIR)

#elif defined(MGN_ASM_THUMB1)

/* x points behind its last feature, and n counts up to 0 in bytes. If the number of features is
 * odd, the last pair has one feature of x, and the vectors have a 0 for the other, so that it does
 * not matter what is left in b. Sums are in high registers, which additions can reach; in the end
 * they are moved to a, b, t and u. */
/* clang-format off */
#define MGN_Q15_TWO(sum)                                                                           \
    "ldmia %[w]!, {%[t]}\n\t"                                                                      \
    "sxth %[u], %[t]\n\t"                                                                          \
    "muls %[u], %[a], %[u]\n\t"                                                                    \
    "add " sum ", %[u]\n\t"                                                                        \
    "asrs %[t], %[t], #16\n\t"                                                                     \
    "muls %[t], %[b], %[t]\n\t"                                                                    \
    "add " sum ", %[t]\n\t"
#define MGN_Q7_FOUR(even, odd)                                                                     \
    "ldmia %[w]!, {%[t]}\n\t"                                                                      \
    "sxtb %[u], %[t]\n\t"                                                                          \
    "muls %[u], %[a], %[u]\n\t"                                                                    \
    "add " even ", %[u]\n\t"                                                                       \
    "sxth %[u], %[t]\n\t"                                                                          \
    "asrs %[u], %[u], #8\n\t"                                                                      \
    "muls %[u], %[a], %[u]\n\t"                                                                    \
    "add " odd ", %[u]\n\t"                                                                        \
    "asrs %[t], %[t], #16\n\t"                                                                     \
    "sxtb %[u], %[t]\n\t"                                                                          \
    "muls %[u], %[b], %[u]\n\t"                                                                    \
    "add " even ", %[u]\n\t"                                                                       \
    "asrs %[t], %[t], #8\n\t"                                                                      \
    "muls %[t], %[b], %[t]\n\t"                                                                    \
    "add " odd ", %[t]\n\t"
#define MGN_Q_LOOP(PRODUCTS)                                                                       \
    __asm__ volatile(                                                                              \
        ".syntax unified\n\t"                                                                      \
        "movs %[t], #0\n\t"                                                                        \
        "mov r12, %[t]\n\t"                                                                        \
        "mov lr, %[t]\n\t"                                                                         \
        "mov r8, %[t]\n\t"                                                                         \
        "mov r9, %[t]\n"                                                                           \
        "1:\n\t"                                                                                   \
        "ldrsh %[a], [%[x], %[n]]\n\t"                                                             \
        "adds %[n], #2\n\t"                                                                        \
        "beq 2f\n\t"                                                                               \
        "ldrsh %[b], [%[x], %[n]]\n\t"                                                             \
        "adds %[n], #2\n"                                                                          \
        "2:\n\t"                                                                                   \
        PRODUCTS                                                                                   \
        "cmp %[n], #0\n\t"                                                                         \
        "bne 1b\n\t"                                                                               \
        "mov %[a], r12\n\t"                                                                        \
        "mov %[b], lr\n\t"                                                                         \
        "mov %[t], r8\n\t"                                                                         \
        "mov %[u], r9"                                                                             \
        : [w] "+l"(w), [n] "+l"(n), [a] "=&l"(a), [b] "=&l"(b), [t] "=&l"(t), [u] "=&l"(u)         \
        : [x] "l"(x)                                                                               \
        : "r12", "lr", "r8", "r9", "cc", "memory")
/* clang-format on */

static MGN_INLINE const void *mgn_q_dots(const void *block, size_t v, const int16_t *x, size_t d,
                                         unsigned format, uint32_t *dots) {
    const unsigned char *w = (const unsigned char *)block;
    uint32_t a, b, t, u;
    int32_t n = -2 * (int32_t)d;
    x += d;
    if (format == MARGIN_Q15) {
        MGN_Q_LOOP(MGN_Q15_TWO("r12") MGN_Q15_TWO("lr") MGN_Q15_TWO("r8") MGN_Q15_TWO("r9"));
    } else {
        MGN_Q_LOOP(MGN_Q7_FOUR("r12", "lr") MGN_Q7_FOUR("r8", "r9"));
    }
    dots[0] = a;
    dots[1] = b;
    dots[2] = t;
    dots[3] = u;
    (void)v;
    return w;
}

#elif defined(MGN_ASM_AVR)

/* Four sums of 32 bits are in r2 to r17, two features in r20 to r23. The carry after a signed
 * product of bytes is its sign; sbc makes a whole byte of it, or two. If the number of features is
 * odd, the last pair has one feature of x, and the vectors have a 0 for the other. */
/* clang-format off */
#ifdef MARGIN_LOAD_PLAIN
#define MGN_Q_FETCH "ld "
#else
#define MGN_Q_FETCH "lpm "
#endif
#define MGN_Q7_MAC(s0, s1, s2, s3, low, high)                                                      \
    MGN_Q_FETCH "r18, Z+\n\t"                                                                      \
    "mulsu r18, " low "\n\t"                                                                       \
    "sbc r19, r19\n\t"                                                                             \
    "add " s0 ", r0\n\t"                                                                           \
    "adc " s1 ", r1\n\t"                                                                           \
    "adc " s2 ", r19\n\t"                                                                          \
    "adc " s3 ", r19\n\t"                                                                          \
    "muls r18, " high "\n\t"                                                                       \
    "sbc r19, r19\n\t"                                                                             \
    "add " s1 ", r0\n\t"                                                                           \
    "adc " s2 ", r1\n\t"                                                                           \
    "adc " s3 ", r19\n\t"
#define MGN_Q15_MAC(s0, s1, s2, s3, low, high)                                                     \
    MGN_Q_FETCH "r18, Z+\n\t"                                                                      \
    MGN_Q_FETCH "r19, Z+\n\t"                                                                      \
    "muls r19, " high "\n\t"                                                                       \
    "movw r28, r0\n\t"                                                                             \
    "mul r18, " low "\n\t"                                                                         \
    "add " s0 ", r0\n\t"                                                                           \
    "adc " s1 ", r1\n\t"                                                                           \
    "adc " s2 ", r28\n\t"                                                                          \
    "adc " s3 ", r29\n\t"                                                                          \
    "mulsu r19, " low "\n\t"                                                                       \
    "sbc r28, r28\n\t"                                                                             \
    "add " s1 ", r0\n\t"                                                                           \
    "adc " s2 ", r1\n\t"                                                                           \
    "adc " s3 ", r28\n\t"                                                                          \
    "mulsu " high ", r18\n\t"                                                                      \
    "sbc r28, r28\n\t"                                                                             \
    "add " s1 ", r0\n\t"                                                                           \
    "adc " s2 ", r1\n\t"                                                                           \
    "adc " s3 ", r28\n\t"
#define MGN_Q_LANE0(MAC, low, high) MAC("r2", "r3", "r4", "r5", low, high)
#define MGN_Q_LANE1(MAC, low, high) MAC("r6", "r7", "r8", "r9", low, high)
#define MGN_Q_LANE2(MAC, low, high) MAC("r10", "r11", "r12", "r13", low, high)
#define MGN_Q_LANE3(MAC, low, high) MAC("r14", "r15", "r16", "r17", low, high)
#define MGN_Q_OUT(at, sum) "std Y+" at ", " sum "\n\t"
#define MGN_Q_LOOP(PRODUCTS)                                                                       \
    __asm__ volatile(                                                                              \
        "push r28\n\t"                                                                             \
        "push r29\n\t"                                                                             \
        "clr r2\n\t"                                                                               \
        "clr r3\n\t"                                                                               \
        "movw r4, r2\n\t"                                                                          \
        "movw r6, r2\n\t"                                                                          \
        "movw r8, r2\n\t"                                                                          \
        "movw r10, r2\n\t"                                                                         \
        "movw r12, r2\n\t"                                                                         \
        "movw r14, r2\n\t"                                                                         \
        "movw r16, r2\n"                                                                           \
        "1:\n\t"                                                                                   \
        "ld r20, X+\n\t"                                                                           \
        "ld r21, X+\n\t"                                                                           \
        "clr r22\n\t"                                                                              \
        "clr r23\n\t"                                                                              \
        "sbiw %[n], 1\n\t"                                                                         \
        "breq 2f\n\t"                                                                              \
        "ld r22, X+\n\t"                                                                           \
        "ld r23, X+\n"                                                                             \
        "2:\n\t"                                                                                   \
        PRODUCTS                                                                                   \
        "sbiw %[n], 1\n\t"                                                                         \
        "brcs 3f\n\t"                                                                              \
        "breq 3f\n\t"                                                                              \
        "rjmp 1b\n"                                                                                \
        "3:\n\t"                                                                                   \
        "pop r29\n\t"                                                                              \
        "pop r28\n\t"                                                                              \
        "clr r1\n\t"                                                                               \
        "st Y, r2\n\t"                                                                             \
        MGN_Q_OUT("1", "r3") MGN_Q_OUT("2", "r4") MGN_Q_OUT("3", "r5") MGN_Q_OUT("4", "r6")        \
        MGN_Q_OUT("5", "r7") MGN_Q_OUT("6", "r8") MGN_Q_OUT("7", "r9") MGN_Q_OUT("8", "r10")       \
        MGN_Q_OUT("9", "r11") MGN_Q_OUT("10", "r12") MGN_Q_OUT("11", "r13")                        \
        MGN_Q_OUT("12", "r14") MGN_Q_OUT("13", "r15") MGN_Q_OUT("14", "r16")                       \
        MGN_Q_OUT("15", "r17")                                                                     \
        : "+z"(w), "+x"(x), [n] "+w"(d)                                                            \
        : "y"(dots)                                                                                \
        : "r0", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", \
          "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "cc", "memory")

static MGN_APART const void *mgn_q15_dots(const void *w, const int16_t *x, size_t d, uint32_t *dots)
{
    MGN_Q_LOOP(
        MGN_Q_LANE0(MGN_Q15_MAC, "r20", "r21") MGN_Q_LANE0(MGN_Q15_MAC, "r22", "r23")
        MGN_Q_LANE1(MGN_Q15_MAC, "r20", "r21") MGN_Q_LANE1(MGN_Q15_MAC, "r22", "r23")
        MGN_Q_LANE2(MGN_Q15_MAC, "r20", "r21") MGN_Q_LANE2(MGN_Q15_MAC, "r22", "r23")
        MGN_Q_LANE3(MGN_Q15_MAC, "r20", "r21") MGN_Q_LANE3(MGN_Q15_MAC, "r22", "r23"));
    return w;
}

static MGN_APART const void *mgn_q7_dots(const void *w, const int16_t *x, size_t d, uint32_t *dots)
{
    MGN_Q_LOOP(
        MGN_Q_LANE0(MGN_Q7_MAC, "r20", "r21") MGN_Q_LANE1(MGN_Q7_MAC, "r20", "r21")
        MGN_Q_LANE0(MGN_Q7_MAC, "r22", "r23") MGN_Q_LANE1(MGN_Q7_MAC, "r22", "r23")
        MGN_Q_LANE2(MGN_Q7_MAC, "r20", "r21") MGN_Q_LANE3(MGN_Q7_MAC, "r20", "r21")
        MGN_Q_LANE2(MGN_Q7_MAC, "r22", "r23") MGN_Q_LANE3(MGN_Q7_MAC, "r22", "r23"));
    return w;
}
/* clang-format on */

#elif MGN_Q_LANES == 4u

/* sum + a * b modulo 2^32. */
static inline uint32_t mgn_q_mac(uint32_t sum, int16_t a, int16_t b) {
    return sum + (uint32_t)((int32_t)a * b);
}

/* One feature a with four vectors at w. */
static MGN_INLINE void mgn_q_four(const void *w, int16_t a, unsigned format, uint32_t *s) {
    if (format == MARGIN_Q15) {
        const int16_t *p = (const int16_t *)w;
        s[0] = mgn_q_mac(s[0], a, MARGIN_LOAD(int16_t, p));
        s[1] = mgn_q_mac(s[1], a, MARGIN_LOAD(int16_t, p + 2));
        s[2] = mgn_q_mac(s[2], a, MARGIN_LOAD(int16_t, p + 4));
        s[3] = mgn_q_mac(s[3], a, MARGIN_LOAD(int16_t, p + 6));
    } else {
        const int8_t *p = (const int8_t *)w;
        s[0] = mgn_q_mac(s[0], a, MARGIN_LOAD(int8_t, p));
        s[1] = mgn_q_mac(s[1], a, MARGIN_LOAD(int8_t, p + 1));
        s[2] = mgn_q_mac(s[2], a, MARGIN_LOAD(int8_t, p + 4));
        s[3] = mgn_q_mac(s[3], a, MARGIN_LOAD(int8_t, p + 5));
    }
}

static MGN_INLINE const void *mgn_q_dots(const void *block, size_t v, const int16_t *x, size_t d,
                                         unsigned format, uint32_t *dots) {
    const unsigned char *w = (const unsigned char *)block;
    uint32_t s[MGN_Q_BLOCK] = {0, 0, 0, 0};
    for (size_t k = 0; k < d; k += 2u) {
        mgn_q_four(w, x[k], format, s);
        if (k + 1u < d) { mgn_q_four(w + 2, x[k + 1u], format, s); }
        w += format == MARGIN_Q15 ? 16 : 8;
    }
    dots[0] = s[0];
    dots[1] = s[1];
    dots[2] = s[2];
    dots[3] = s[3];
    (void)v;
    return w;
}

#else

/* One vector at a time, found by its number: `block` stays the array of vectors. */
static MGN_INLINE const void *mgn_q_dots(const void *block, size_t v, const int16_t *x, size_t d,
                                         unsigned format, uint32_t *dots) {
    const unsigned char *w = (const unsigned char *)block;
    uint32_t sum = 0;
    if (format == MARGIN_Q15) {
        w += (v - v % 4u) * (d + d % 2u) * 2u + v % 4u * 4u;
    } else {
        w += (v - v % 4u) * (d + d % 2u) + v % 4u + (v & 2u);
    }
    for (size_t k = 0; k < d; k++) {
        if (format == MARGIN_Q15) {
            const int16_t b = MARGIN_LOAD(int16_t, (const int16_t *)(const void *)w);
            sum += (uint32_t)((int32_t)x[k] * b);
        } else {
            const int8_t b = MARGIN_LOAD(int8_t, (const int8_t *)w);
            sum += (uint32_t)((int32_t)x[k] * b);
        }
        w += k % 2u == 0 ? 2u : format == MARGIN_Q15 ? 14u : 6u;
    }
    dots[0] = sum;
    return block;
}

#endif

#if defined(MGN_ASM_DSP) || defined(MGN_ASM_AVR)

static MGN_INLINE const void *mgn_q_dots(const void *block, size_t v, const int16_t *x, size_t d,
                                         unsigned format, uint32_t *dots) {
    (void)v;
    if (format == MARGIN_Q15) { return mgn_q15_dots(block, x, d, dots); }
    return mgn_q7_dots(block, x, d, dots);
}

#endif

/* *norm = |x|^2 if that is within `reach`, which is below 2^32 - 2^30; otherwise false. */
#ifdef MGN_ASM_DSP

static MGN_INLINE bool mgn_q_within(const int16_t *x, size_t d, uint32_t reach, uint32_t *norm) {
    uint32_t low = 0, high = 0, a; /* 2^16 features take 46 of these 64 bits */
    for (const int16_t *end = x + (d & ~(size_t)1); x != end;) {
        /* clang-format off */
        __asm__ volatile(
            "ldr %[a], [%[x]], #4\n\t"
            "smlald %[l], %[h], %[a], %[a]"
            : [l] "+r"(low), [h] "+r"(high), [x] "+r"(x), [a] "=&r"(a)
            :
            : "memory");
        /* clang-format on */
    }
    if (d % 2u != 0) {
        a = (uint32_t)(*x * *x);
        low += a;
        high += low < a ? 1u : 0u;
    }
    *norm = low;
    return high == 0 && low <= reach;
}

#else

static MGN_INLINE bool mgn_q_within(const int16_t *x, size_t d, uint32_t reach, uint32_t *norm) {
    uint32_t sum = 0; /* a square is at most 2^30, so that the sum does not wrap before it stops */
    for (size_t k = 0; k < d; k++) {
        if (sum <= reach) { sum += (uint32_t)((int32_t)x[k] * x[k]); }
    }
    *norm = sum;
    return sum <= reach;
}

#endif

/* ---- integers: products ---- */

/* a * b / 2^16, rounded down. */
#if defined(MGN_ASM_DSP)

static MGN_INLINE uint32_t mgn_q_scale(uint32_t a, uint16_t b) {
    return (uint32_t)(((uint64_t)a * ((uint32_t)b << 16)) >> 32); /* umull */
}

#elif defined(MGN_ASM_AVR)

/* Schoolbook multiplication by bytes. `low` is the byte below those of the result; the one below
 * it is left out, because nothing is carried out of it. */
static MGN_APART uint32_t mgn_q_scale(uint32_t a, uint16_t b) {
    uint32_t out;
    uint8_t zero, low;
    /* clang-format off */
    __asm__(
        "clr %[z]\n\t"
        "mul %A[a], %A[b]\n\t"
        "mov %[l], r1\n\t"
        "mul %B[a], %B[b]\n\t"
        "movw %A[o], r0\n\t"
        "mul %D[a], %B[b]\n\t"
        "movw %C[o], r0\n\t"
        "mul %B[a], %A[b]\n\t"
        "add %[l], r0\n\t"
        "adc %A[o], r1\n\t"
        "adc %B[o], %[z]\n\t"
        "adc %C[o], %[z]\n\t"
        "adc %D[o], %[z]\n\t"
        "mul %A[a], %B[b]\n\t"
        "add %[l], r0\n\t"
        "adc %A[o], r1\n\t"
        "adc %B[o], %[z]\n\t"
        "adc %C[o], %[z]\n\t"
        "adc %D[o], %[z]\n\t"
        "mul %C[a], %A[b]\n\t"
        "add %A[o], r0\n\t"
        "adc %B[o], r1\n\t"
        "adc %C[o], %[z]\n\t"
        "adc %D[o], %[z]\n\t"
        "mul %D[a], %A[b]\n\t"
        "add %B[o], r0\n\t"
        "adc %C[o], r1\n\t"
        "adc %D[o], %[z]\n\t"
        "mul %C[a], %B[b]\n\t"
        "add %B[o], r0\n\t"
        "adc %C[o], r1\n\t"
        "adc %D[o], %[z]\n\t"
        "clr r1"
        : [o] "=&r"(out), [z] "=&r"(zero), [l] "=&r"(low)
        : [a] "r"(a), [b] "r"(b)
        : "r0", "cc");
    /* clang-format on */
    return out;
}

#else

static MGN_INLINE uint32_t mgn_q_scale(uint32_t a, uint16_t b) {
    const uint16_t high = (uint16_t)(a >> 16), low = (uint16_t)(a & 0xFFFFu);
    return (uint32_t)high * b + (((uint32_t)low * b) >> 16);
}

#endif

/* 2^-u = mantissa 2^-15 2^-(u >> 24), for u in units of 2^-24; the mantissa is from 16384 to 32767
 * and the upper half of what mgn_q_mantissa_high returns. It lies on straight lines between 33
 * points. The value of a point, and twice the way to the next one in 2^-16, make a word:
 *
 *     mantissa = (word + fraction * way) >> 16
 *
 * The points were searched for the least error: 8.1e-5, relative, all rounding included. */
#if !defined(__OPTIMIZE_SIZE__) && !defined(__AVR__)

static const uint32_t mgn_q_exp2[32] MARGIN_FLASH = {
    0x7FFFFA84, 0x7D41FAA0, 0x7A91FAC0, 0x77F1FADC, 0x755FFAF8, 0x72DBFB14, 0x7065FB30, 0x6DFDFB48,
    0x6BA1FB64, 0x6953FB7C, 0x6711FB96, 0x64DCFBAC, 0x62B2FBC6, 0x6095FBDC, 0x5E83FBF4, 0x5C7DFC08,
    0x5A81FC20, 0x5891FC34, 0x56ABFC4A, 0x54D0FC5C, 0x52FEFC72, 0x5137FC86, 0x4F7AFC98, 0x4DC6FCAA,
    0x4C1BFCBE, 0x4A7AFCCE, 0x48E1FCE0, 0x4751FCF2, 0x45CAFD02, 0x444BFD12, 0x42D4FD24, 0x4166FD32};

static MGN_INLINE uint32_t mgn_q_exp2_word(uint32_t i) {
    return MARGIN_LOAD(uint32_t, mgn_q_exp2 + i);
}

#else

static const uint16_t mgn_q_exp2[33] MARGIN_FLASH = {
    32767, 32065, 31377, 30705, 30047, 29403, 28773, 28157, 27553, 26963, 26385,
    25820, 25266, 24725, 24195, 23677, 23169, 22673, 22187, 21712, 21246, 20791,
    20346, 19910, 19483, 19066, 18657, 18257, 17866, 17483, 17108, 16742, 16383};

#ifndef __AVR__

static MGN_INLINE uint32_t mgn_q_exp2_word(uint32_t i) {
    const uint16_t first = MARGIN_LOAD(uint16_t, mgn_q_exp2 + i);
    const uint16_t way = (uint16_t)(MARGIN_LOAD(uint16_t, mgn_q_exp2 + i + 1u) - first);
    return (uint32_t)first << 16 | (uint16_t)(2u * way);
}

#endif

#endif

#if defined(MGN_ASM_DSP)

static MGN_INLINE uint32_t mgn_q_mantissa_high(uint32_t u) {
    const uint32_t word = mgn_q_exp2_word((u >> 19) & 31u);
    uint32_t out;
    __asm__("smlabb %0, %1, %2, %2" : "=r"(out) : "r"((u >> 4) & 0x7FFFu), "r"(word));
    return out;
}

#elif defined(__AVR__)

/* The same in plain C by bytes: there are no long shifts in it. */
static MGN_APART uint32_t mgn_q_mantissa_high(uint32_t u) {
    const uint8_t top = (uint8_t)(u >> 16);
    const uint16_t fraction = (uint16_t)((uint16_t)u >> 4 | (uint16_t)(top & 7u) << 12);
    const uint16_t *at = mgn_q_exp2 + (top >> 3);
    const uint16_t first = MARGIN_LOAD(uint16_t, at);
    const int16_t way = (int16_t)(2u * (uint16_t)(MARGIN_LOAD(uint16_t, at + 1) - first));
    return (uint32_t)((int32_t)(int16_t)fraction * way + (uint16_t)way) + ((uint32_t)first << 16);
}

#else

static MGN_INLINE uint32_t mgn_q_mantissa_high(uint32_t u) {
    const uint32_t word = mgn_q_exp2_word((u >> 19) & 31u);
    return word + (uint32_t)((int32_t)(int16_t)((u >> 4) & 0x7FFFu) * (int16_t)(word & 0xFFFFu));
}

#endif

/* coef times the signed number in the upper half of `high`. */
#ifdef MGN_ASM_DSP

static MGN_INLINE int32_t mgn_q_times_high(int16_t coef, uint32_t high) {
    int32_t out;
    __asm__("smulbt %0, %1, %2" : "=r"(out) : "r"((int32_t)coef), "r"(high));
    return out;
}

#else

static MGN_INLINE int32_t mgn_q_times_high(int16_t coef, uint32_t high) {
    return (int32_t)coef * (int16_t)(high >> 16);
}

#endif

/* ---- >>status ---- the words of each status -------------------------------------------------- */

#define MGN_STATUS_CASE(name, value, text)                                                         \
    case name:                                                                                     \
        return text;

MARGIN_API const char *margin_status_text(margin_status status) {
    switch ((int)status) {
        MARGIN_STATUS_LIST(MGN_STATUS_CASE)
    default:
        return "unknown status";
    }
}

/* The first of two statuses that is not MARGIN_OK. */
static inline margin_status mgn_both(margin_status a, margin_status b) {
    return a != MARGIN_OK ? a : b;
}

/* ---- >>arena ---- blocks from both ends of the caller's buffer, and the counting of them ----- */

/* What arenas hold; MARGIN_ALIGN below their strictest alignment does not compile. */
typedef struct {
    char before;
    union {
        margin_real real;
        size_t size;
        void *pointer;
    } aligned;
} mgn_alignment;
typedef char
    mgn_margin_align_is_too_small[MARGIN_ALIGN % offsetof(mgn_alignment, aligned) == 0 ? 1 : -1];

MARGIN_API margin_arena margin_arena_make(void *bytes, size_t size) {
    margin_arena mem = {NULL, 0, 0, 0, 0, 0};
    const size_t skip = (MARGIN_ALIGN - (size_t)((uintptr_t)bytes % MARGIN_ALIGN)) % MARGIN_ALIGN;
    if (bytes != NULL && size >= skip) {
        mem.base = (unsigned char *)bytes + skip;
        mem.size = (size - skip) / MARGIN_ALIGN * MARGIN_ALIGN;
        mem.high = mem.size;
    }
    return mem;
}

MARGIN_API margin_arena margin_arena_counting(void) {
    margin_arena mem = {NULL, SIZE_MAX / MARGIN_ALIGN * MARGIN_ALIGN, 0, 0, 0, 0};
    mem.high = mem.size;
    return mem;
}

/* Whether a block is granted. *need becomes its bytes, rounded up to a multiple of MARGIN_ALIGN. */
static bool mgn_arena_grant(margin_arena *mem, size_t count, size_t bytes, size_t *need) {
    const size_t raw = mgn_size_mul(count, bytes);
    const bool countable = raw <= SIZE_MAX - MARGIN_ALIGN;
    if (mem == NULL) { return false; }
    *need = MARGIN_BLOCK(raw, 1u);
    if (mem->failed == 0 && (!countable || *need > mem->high - mem->low)) {
        const bool counting = mem->base == NULL && mem->size != 0;
        mem->failed = !countable || counting ? MARGIN_E_OVERFLOW : MARGIN_E_MEMORY;
    }
    return mem->failed == 0;
}

/* A hook for tests, told of every block that is handed out: NULL where the arena only counts. */
#ifndef MGN_HANDED_OUT
#define MGN_HANDED_OUT(block, bytes) (void)(bytes)
#endif

/* Notes the peak, and returns the block at offset `at`, which has just been taken. */
static void *mgn_arena_block(margin_arena *mem, size_t at, size_t bytes) {
    const size_t taken = mem->low + (mem->size - mem->high);
    void *block = mem->base == NULL ? NULL : mem->base + at;
    if (taken > mem->peak) { mem->peak = taken; }
    MGN_HANDED_OUT(block, bytes);
    return block;
}

MARGIN_API void *margin_arena_keep(margin_arena *mem, size_t count, size_t bytes) {
    size_t need;
    if (!mgn_arena_grant(mem, count, bytes, &need)) { return NULL; }
    mem->low += need;
    return mgn_arena_block(mem, mem->low - need, count * bytes);
}

MARGIN_API void *margin_arena_scratch(margin_arena *mem, size_t count, size_t bytes) {
    size_t need;
    if (!mgn_arena_grant(mem, count, bytes, &need)) { return NULL; }
    mem->high -= need;
    return mgn_arena_block(mem, mem->high, count * bytes);
}

MARGIN_API void margin_arena_release(margin_arena *mem, size_t mark) {
    if (mem != NULL && mark >= mem->high && mark <= mem->size) { mem->high = mark; }
}

MARGIN_API margin_status margin_arena_rewind(margin_arena *mem, const margin_arena *before) {
    int refused = MARGIN_E_ARGUMENT;
    if (mem != NULL && before != NULL) {
        refused = mem->failed;
        mem->low = before->low;
        mem->high = before->high;
        mem->failed = before->failed;
    }
    return (margin_status)refused;
}

MARGIN_API void margin_arena_reset(margin_arena *mem) {
    if (mem != NULL) {
        mem->low = 0;
        mem->high = mem->size;
        mem->failed = 0;
    }
}

/* Refuses a missing arena, and one that only counts. */
static inline margin_status mgn_mem_check(const margin_arena *mem) {
    return mem == NULL || (mem->base == NULL && mem->size != 0) ? MARGIN_E_ARGUMENT : MARGIN_OK;
}

/* The answer of a size query whose plan ran on a counting arena; 0: the bytes do not fit size_t. */
static inline size_t mgn_arena_counted(const margin_arena *mem) {
    return mem->failed == 0 ? mem->peak : 0;
}

#define MGN_SCRATCH(mem, type, count) ((type *)margin_arena_scratch((mem), (count), sizeof(type)))
#define MGN_KEEP(mem, type, count) ((type *)margin_arena_keep((mem), (count), sizeof(type)))
/* ---- >>scalar ---- square root, exponential, logarithm, power: what predictors compute ------- */

/* One source serves both widths; only constants and polynomials differ. All polynomials are our own
 * weighted minimax fits (Remez exchange in 60 digits, coefficients rounded one by one with the rest
 * fitted again): tests/bench/math_coefficients.py derives every one of them. */

static margin_real mgn_sqrt(margin_real x) {
    if (x > 0) { return mgn_root(x); }
    return x < 0 ? MGN_NAN : x; /* the zeros keep their sign, NaN stays NaN */
}

/* A number as value * 2^k, with k + 2 (BIAS + 1) in the low bits of `exponent`. */
typedef struct {
    margin_real value;
    mgn_word exponent;
} mgn_scaled;

/* In two steps, so that k may leave the range of exponents; the first is exact. */
static inline margin_real mgn_unscale(mgn_scaled a) {
    const mgn_word half = a.exponent >> 1;
    const margin_real once = mgn_of_bits((half - 1) << MGN_FRACTION);
    const margin_real again = mgn_of_bits((a.exponent - half - 1) << MGN_FRACTION);
    return a.value * once * again;
}

/* (exp(r) - 1 - r - r^2 / 2) / r^3 for |r| <= ln 2 / 2: worst error of exp(r) 2^-57.2 (double),
 * 2^-27.8. In pairs (Estrin), a chain of dependent operations half as long as Horner's. */
static inline margin_real mgn_exp_tail(margin_real r, margin_real rr) {
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

/* exp(x + low) for |x| <= BIAS and a small `low`: x = k ln 2 + r, exp(x) = 2^k exp(r). Adding
 * MGN_ROUND leaves no bits below 1: it rounds x / ln 2 to k and stores k, biased, in the low bits.
 * r is kept as high - rest with an exact `high`, and 1 + high is summed without error, so that
 * next to the final rounding only the terms of size r^2 / 2 < 0.06 err. */
static inline mgn_scaled mgn_exp_two(margin_real x, margin_real low) {
    const margin_real shifted = x * MGN_INV_LN2 + MGN_ROUND;
    const margin_real k = shifted - MGN_ROUND, high = x - k * MGN_LN2_HI;
    const margin_real rest = k * MGN_LN2_LO - low, r = high - rest, rr = r * r;
    const margin_real sum = 1 + high, lost = (1 - sum) + high;
    mgn_scaled out;
    out.value = sum + ((MGN_R(0.5) * rr + r * rr * mgn_exp_tail(r, rr)) + (lost - rest));
    out.exponent = mgn_bits(shifted);
    return out;
}

#ifdef MARGIN_REAL_DOUBLE
#define MGN_EXP_INFINITE MGN_R(710)
#define MGN_EXP_ZERO MGN_R(-746)
#else
#define MGN_EXP_INFINITE MGN_R(89)
#define MGN_EXP_ZERO MGN_R(-104)
#endif

/* Limits x to the range beyond which the result is infinite or 0; a NaN stays a NaN. */
static inline margin_real mgn_exp_clamp(margin_real x) {
    return mgn_max(mgn_min(x, MGN_EXP_INFINITE), MGN_EXP_ZERO);
}

static margin_real mgn_exp(margin_real x) {
    return mgn_unscale(mgn_exp_two(mgn_exp_clamp(x), 0));
}

/* The same for x <= 0, with one comparison less. */
static inline margin_real mgn_exp_negative(margin_real x) {
    return mgn_unscale(mgn_exp_two(mgn_max(x, MGN_EXP_ZERO), 0));
}

/* In two steps a block, because gcc vectorises neither loop if they are one: a bound known to the
 * compiler is carried into the arithmetic, which then has a branch. */
static inline void mgn_exp_array(margin_real *v, size_t n) {
    for (size_t from = 0; from < n; from += 256) {
        const size_t to = n - from < 256 ? n : from + 256;
        for (size_t i = from; i < to; i++) { v[i] = mgn_exp_clamp(v[i]); }
        for (size_t i = from; i < to; i++) { v[i] = mgn_unscale(mgn_exp_two(v[i], 0)); }
    }
}

/* (2 atanh(s) / s - 2) / s^2 with zz = s^2 for |s| <= (sqrt 2 - 1)^2: worst error of 2 atanh(s)
 * 2^-59.5 (double), 2^-30.2. */
static inline margin_real mgn_log_tail(margin_real zz) {
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
static inline margin_real mgn_split(margin_real x, margin_real *k) {
    const mgn_word low = mgn_bits(MGN_R(0.70710678118654752));
    const int lift = x < MGN_TINY ? MGN_FRACTION + 1 : 0;
    const mgn_word bits =
        mgn_bits(lift != 0 ? x * (margin_real)(MGN_HIDDEN << 1) : x) + (MGN_ONE_BITS - low);
    *k = (margin_real)((int)(bits >> MGN_FRACTION) - MGN_BIAS - lift);
    return mgn_of_bits((bits & (MGN_HIDDEN - 1)) + low);
}

/* log(m 2^k) = k ln 2 + log(1 + f), and with s = f / (2 + f): log(1 + f) = 2 atanh(s)
 * = f - (f^2 / 2 - s (f^2 / 2 + s^2 tail)), where f is exact. k ln 2 + f is summed without
 * error. */
static inline margin_real mgn_log_positive(margin_real x) {
    margin_real k;
    const margin_real f = mgn_split(x, &k) - 1, s = f / (2 + f), zz = s * s;
    const margin_real half = MGN_R(0.5) * f * f;
    const margin_real tail = s * (half + zz * mgn_log_tail(zz));
    const margin_real sum = k * MGN_LN2_HI + f, lost = (k * MGN_LN2_HI - sum) + f;
    return sum + ((tail + (lost + k * MGN_LN2_LO)) - half);
}

static margin_real mgn_log(margin_real x) {
    if (x > 0) { return x <= MGN_HUGE ? mgn_log_positive(x) : x; }
    if (x < 0) { return MGN_NAN; }
    return x - MGN_INFINITY; /* of zero or NaN */
}

/* A number as the sum of two: 48 or 106 bits. */
typedef struct {
    margin_real high, low;
} mgn_two;

/* a + b without error, if a has at least the exponent of b or is 0 (Dekker 1971). */
static inline mgn_two mgn_two_sum(margin_real a, margin_real b) {
    mgn_two sum;
    sum.high = a + b;
    sum.low = (a - sum.high) + b;
    return sum;
}

/* The upper half of the significand: the square of it is exact. */
static inline margin_real mgn_head(margin_real a) {
    return mgn_of_bits(mgn_bits(a) >> ((MGN_FRACTION + 2) / 2) << ((MGN_FRACTION + 2) / 2));
}

/* The product to 2^-46 or 2^-104 (Dekker 1971, the factors halved by their bits). */
static inline mgn_two mgn_two_times(mgn_two a, mgn_two b) {
    const margin_real a1 = mgn_head(a.high), a2 = a.high - a1;
    const margin_real b1 = mgn_head(b.high), b2 = b.high - b1, p = a.high * b.high;
    const margin_real lost = ((a1 * b1 - p) + (a1 * b2 + a2 * b1)) + a2 * b2;
    return mgn_two_sum(p, lost + (a.high * b.low + a.low * b.high));
}

/* ((2 atanh(s) / s - 2) / s^2 - 2/3) / s^2 with zz = s^2, as above: worst error of 2 atanh(s) 2^-66
 * (double), 2^-36.7. */
static inline margin_real mgn_pow_tail(margin_real zz) {
#ifdef MARGIN_REAL_DOUBLE
    return MGN_R(0.40000000000002273) +
           zz * (MGN_R(0.28571428570091373) +
                 zz * (MGN_R(0.22222222521425411) +
                       zz * (MGN_R(0.18181784232890807) +
                             zz * (MGN_R(0.15386763624670916) +
                                   zz * (MGN_R(0.13256669060196041) +
                                         zz * MGN_R(0.13197723612395587))))));
#else
    return MGN_R(0.400001526) + zz * (MGN_R(0.285470933) + zz * MGN_R(0.23419404));
#endif
}

/* log(x) of a finite x > 0 to a relative 2^-65 or 2^-36, for pow, where an exponent y multiplies
 * the error: as mgn_log_positive, but s = f / (2 + f) and all terms down to s^3 in two numbers. */
static mgn_two mgn_log_two(margin_real x) {
    margin_real k;
    const margin_real m = mgn_split(x, &k);
    const mgn_two divisor = mgn_two_sum(1, m);
    mgn_two s, zz, term;
    s.high = (m - 1) / divisor.high;
    s.low = 0;
    term = mgn_two_times(s, divisor);
    s.low = (((m - 1) - term.high) - term.low) / divisor.high;
    zz = mgn_two_times(s, s);
#ifdef MARGIN_REAL_DOUBLE
    term = mgn_two_sum(MGN_R(0.66666666666666663), zz.high * mgn_pow_tail(zz.high));
    term.low += MGN_R(3.7007434154171883e-17);
#else
    term = mgn_two_sum(MGN_R(0.666666687), zz.high * mgn_pow_tail(zz.high));
    term.low += MGN_R(-1.98682155e-8);
#endif
    zz = mgn_two_times(zz, term);
    term = mgn_two_sum(2, zz.high);
    term.low += zz.low;
    s = mgn_two_times(s, term);
    term = mgn_two_sum(k * MGN_LN2_HI, s.high);
    return mgn_two_sum(term.high, term.low + (s.low + k * MGN_LN2_LO));
}

/* 1 for an odd integer, 0 for an even one or an infinity, -1 for all else. */
static int mgn_parity(margin_real y) {
    const mgn_word bits = mgn_bits(y);
    const int exponent = (int)((bits << 1) >> (MGN_FRACTION + 1)) - MGN_BIAS;
    const mgn_word whole = (bits & (MGN_HIDDEN - 1)) | MGN_HIDDEN;
    if (exponent > MGN_FRACTION) { return y == y ? 0 : -1; }
    if (exponent < 0) { return y == 0 ? 0 : -1; }
    const mgn_word unit = MGN_HIDDEN >> exponent;
    if ((whole & (unit - 1)) != 0) { return -1; }
    return (whole & unit) != 0;
}

/* exp(y ln) where `ln` is in two numbers. */
static margin_real mgn_exp_times(margin_real y, mgn_two ln) {
    const mgn_two factor = {y, 0};
    if (!(mgn_abs(y * ln.high) < MGN_R(MGN_BIAS))) { /* overflow, underflow or NaN */
        return mgn_exp(y * ln.high);
    }
    const mgn_two product = mgn_two_times(ln, factor);
    return mgn_unscale(mgn_exp_two(product.high, product.low));
}

static margin_real mgn_pow(margin_real x, margin_real y) {
    const margin_real size = mgn_abs(x);
    const int parity = mgn_parity(y);
    const bool minus = parity == 1 && mgn_bits(x) >= MGN_SIGN;
    mgn_two ln = {size, 0};
    if (y == 0 || x == 1 || (x == -1 && parity == 0)) { return 1; }
    if (x < 0 && parity < 0 && size <= MGN_HUGE) { return MGN_NAN; }
    if (size > 0 && size <= MGN_HUGE) {
        ln = mgn_log_two(size);
    } else if (size <= 0) {
        ln.high = -MGN_INFINITY;
    }
    const margin_real power = mgn_exp_times(y, ln);
    return minus ? -power : power;
}

/* ---- >>kernel ---- kernel values, in the one order of summation that training uses too ------- */

/* Kernel values are made in two steps that all users share, so they agree to the bit: dot products
 * (mgn_dots, or the packed panels with the same bits), then mgn_kernel_apply on the whole array. */

static inline size_t mgn_size_min(size_t a, size_t b) {
    return b < a ? b : a;
}

static inline bool mgn_finite(margin_real a) {
    return mgn_abs(a) <= MGN_HUGE; /* false for NaN */
}

/* out[i] = x . r[i] for four rows, the sums over k = 0, 1, 2, ... from zero on one accumulator
 * each. Each x[k] is loaded once for four products, and a small FPU can keep all in registers. */
static inline void mgn_dots_four(const margin_real *x, size_t d, const margin_real *const *r,
                                 margin_real *out) {
    const margin_real *r0 = r[0], *r1 = r[1], *r2 = r[2], *r3 = r[3];
    margin_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (size_t k = 0; k < d; k++) {
        const margin_real v = x[k];
        s0 += v * r0[k];
        s1 += v * r1[k];
        s2 += v * r2[k];
        s3 += v * r3[k];
    }
    out[0] = s0;
    out[1] = s1;
    out[2] = s2;
    out[3] = s3;
}

/* out[i] = x . row i for n rows, `stride` values apart, each sum as above. */
static void mgn_dots(const margin_real *x, const margin_real *rows, size_t stride, size_t n,
                     size_t d, margin_real *out) {
    const size_t whole = n - n % 4u;
    size_t i = 0;
    for (; i < whole; i += 4u) {
        const margin_real *r = rows + i * stride;
        const margin_real *four[4] = {r, r + stride, r + 2u * stride, r + 3u * stride};
        mgn_dots_four(x, d, four, out + i);
    }
    for (; i < n; i++) {
        margin_real s = 0;
        for (size_t k = 0; k < d; k++) { s += x[k] * rows[i * stride + k]; }
        out[i] = s;
    }
}

static bool mgn_kernel_valid(const margin_kernel *k) {
    const bool a_fits =
        k->kind != MARGIN_KERNEL_UNIT_EXP || (k->a <= MGN_R(1e18) && k->a >= MGN_R(1e-18));
    return k->kind <= MARGIN_KERNEL_UNIT_EXP && k->gamma > 0 && mgn_finite(k->gamma) &&
           mgn_finite(k->coef0) && k->a > 0 && mgn_finite(k->a) && a_fits;
}

MARGIN_API margin_status margin_kernel_resolve(const margin_kernel *kernel, size_t d,
                                               margin_kernel *resolved) {
    margin_kernel k = {MARGIN_KERNEL_LINEAR, 0, 0, 0, 0};
    if (kernel != NULL) { k = *kernel; }
    k.degree = k.degree == 0 ? 3 : k.degree;
    k.gamma = k.gamma == 0 ? 1 / (margin_real)(d + (d == 0)) : k.gamma;
    k.a = k.a == 0 ? 2 : k.a;
    if (resolved == NULL || !mgn_kernel_valid(&k)) { return MARGIN_E_ARGUMENT; }
    if (d == 0) { return MARGIN_E_EMPTY; }
    *resolved = k;
    return MARGIN_OK;
}

/* v[i]^degree, by squaring from the lowest bit of the exponent up. Pieces of fixed length keep the
 * loop over the bits outside and the vector loop inside. */
static void mgn_power_array(margin_real *v, size_t n, unsigned degree) {
    margin_real base[16];
    while (n > 0) {
        const size_t m = mgn_size_min(n, 16);
        unsigned bits = degree;
        for (size_t i = 0; i < m; i++) {
            base[i] = v[i];
            v[i] = 1;
        }
        while (bits != 0) {
            for (size_t i = 0; i < m && (bits & 1u) != 0; i++) { v[i] *= base[i]; }
            bits >>= 1;
            for (size_t i = 0; i < m && bits != 0; i++) { base[i] *= base[i]; }
        }
        v += m;
        n -= m;
    }
}

/* t = (1 + cos)/2 in [0, 1], from x.z and the squared norms. sqrt(|x|^2 |z|^2) is |x|^2 exactly
 * when z = x (the rounded root of a rounded square), so t(x, x) = 1; where that product would
 * leave the range of normal numbers the product of the two roots cannot. */
static margin_real mgn_half_cosine(margin_real dot, margin_real nx, margin_real nz) {
    const margin_real both = nx * nz;
    const bool safe = both >= MGN_TINY && both <= MGN_HUGE;
    const margin_real length = safe ? mgn_sqrt(both) : mgn_sqrt(nx) * mgn_sqrt(nz);
    const margin_real c = length <= 0 ? 0 : dot / length + (length - length); /* NaN if infinite */
    return (1 + mgn_max(mgn_min(c, 1), -1)) / 2;
}

/* e^y - 1 to a few ulp, also for small y: the Taylor series where the difference would cancel
 * (|y| <= 0.35: its remainder is below half an ulp after 8 terms in float, 14 in double). */
static margin_real mgn_expm1(margin_real y) {
    margin_real s = 1;
    if (mgn_abs(y) > MGN_R(0.35)) { return mgn_exp(y) - 1; }
    for (unsigned k = sizeof(margin_real) > 4 ? 14 : 8; k > 1; k--) {
        s = 1 + y * s / (margin_real)k;
    }
    return y * s;
}

static void mgn_kernel_rbf(margin_real gamma, margin_real nx, const margin_real *MGN_RESTRICT nz,
                           margin_real *MGN_RESTRICT v, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) {
        v[i] = -gamma * mgn_max(nx + nz[i] - 2 * v[i], 0); /* passes NaN on */
#if !MARGIN_VECTOR                                         /* what is in registers stays there */
        v[i] = mgn_exp_negative(v[i]);
#endif
    }
#if MARGIN_VECTOR
    mgn_exp_array(v, n);
#endif
}

static void mgn_kernel_poly(const margin_kernel *k, margin_real *v, size_t n) {
    for (size_t i = 0; i < n; i++) { v[i] = k->gamma * v[i] + k->coef0; }
    mgn_power_array(v, n, k->degree);
}

static void mgn_kernel_unit(const margin_kernel *k, margin_real nx, const margin_real *nz,
                            margin_real *v, size_t n) {
    for (size_t i = 0; i < n; i++) { v[i] = mgn_half_cosine(v[i], nx, nz[i]); }
    if (k->kind == MARGIN_KERNEL_UNIT_POLY && k->a <= 255 &&
        (margin_real)(unsigned)k->a == k->a) { /* t^a: a whole exponent costs a few products, */
        mgn_power_array(v, n, (unsigned)k->a);
    } else if (k->kind == MARGIN_KERNEL_UNIT_POLY) { /* any other a power */
        for (size_t i = 0; i < n; i++) { v[i] = mgn_pow(v[i], k->a); }
    } else {
        /* (a^t - 1) / (a - 1), the denominator in the same arithmetic: t = 1 gives exactly 1. */
        const margin_real ln_a = mgn_log(k->a), scale = mgn_expm1(ln_a);
        const size_t count = k->a == 1 ? 0 : n; /* the limit at a = 1 is t itself */
        for (size_t i = 0; i < count; i++) { v[i] = mgn_expm1(v[i] * ln_a) / scale; }
    }
}

static inline bool mgn_kernel_is_unit(unsigned kind) {
    return kind == MARGIN_KERNEL_UNIT_POLY || kind == MARGIN_KERNEL_UNIT_EXP;
}

/* Units of learned vectors, whose thresholds stand in the place of their norms. */
static void mgn_kernel_hinge(const margin_real *threshold, margin_real *v, size_t n) {
    for (size_t i = 0; i < n; i++) { v[i] = mgn_max(v[i] + threshold[i], 0); }
}

/* Turns dot products v[i] = x . z_i into kernel values k(x, z_i), in place, given nx = |x|^2 and
 * nz[i] = |z_i|^2, which linear and poly do not look at. Each value depends on its own dot product
 * and norms alone. The kernel is resolved; where `kind`, that of k, is a constant, no other is
 * linked. */
static MGN_INLINE void mgn_kernel_of(unsigned kind, const margin_kernel *k, margin_real nx,
                                     const margin_real *nz, margin_real *v, size_t n) {
    if (kind == MARGIN_KERNEL_POLY) { mgn_kernel_poly(k, v, n); }
    if (kind == MARGIN_KERNEL_RBF) { mgn_kernel_rbf(k->gamma, nx, nz, v, n); }
    if (mgn_kernel_is_unit(kind)) { mgn_kernel_unit(k, nx, nz, v, n); }
    if (kind == MARGIN_KERNEL_HINGE) { mgn_kernel_hinge(nz, v, n); }
}

static void mgn_kernel_apply(const margin_kernel *k, margin_real nx, const margin_real *nz,
                             margin_real *v, size_t n) {
    mgn_kernel_of(k->kind, k, nx, nz, v, n);
}

/* |x|^2 with the bits of the dot product of x with itself: k(x, x) of rbf is then exactly 1. */
static margin_real mgn_norm2_bits(const margin_real *x, size_t d) {
    margin_real s;
    mgn_dots(x, x, d, 1, d, &s);
    return s;
}

MARGIN_API margin_real margin_kernel_value(const margin_kernel *kernel, const margin_real *x,
                                           const margin_real *z, size_t d) {
    margin_kernel k;
    margin_real v;
    if (x == NULL || z == NULL || margin_kernel_resolve(kernel, d, &k) != MARGIN_OK) {
        return MGN_NAN;
    }
    const margin_real nz = mgn_norm2_bits(z, d);
    mgn_dots(x, z, d, 1, d, &v);
    mgn_kernel_apply(&k, mgn_norm2_bits(x, d), &nz, &v, 1);
    return v;
}

/* ---- >>model ---- the predictors in floating point: linear, kernel, list, prototypes --------- */

/* Machine of the classes a < b in the order (0,1), (0,2) .. (0,k-1), (1,2) .. */
static size_t mgn_pair_machine(size_t classes, size_t a, size_t b) {
    return a * (2u * classes - a - 1u) / 2u + (b - a - 1u);
}

/* One machine for each pair of classes: MARGIN_SCHEME_ONE_ONE or MARGIN_SCHEME_VOTES, 1 or 3. */
static bool mgn_scheme_pairs(unsigned scheme) {
    return (scheme | 2u) == 3u;
}

/* The machine that coefficient j of a vector of class c belongs to. */
static size_t mgn_machine(unsigned scheme, size_t classes, size_t c, size_t j) {
    const size_t other = j < c ? j : j + 1u;
    if (!mgn_scheme_pairs(scheme)) { return j; }
    return mgn_pair_machine(classes, c < other ? c : other, c < other ? other : c);
}

MARGIN_API size_t margin_machines(unsigned scheme, size_t classes) {
    if (mgn_scheme_pairs(scheme)) { return mgn_size_mul(classes, classes - 1u) / 2u; }
    if (scheme == MARGIN_SCHEME_ONE_REST || scheme == MARGIN_SCHEME_NEAREST) { return classes; }
    return classes - (classes > 1u ? 1u : 0u);
}

/* The number of functions that the machines are made of, and of rows of weights of a linear model:
 * 1 for ordinal, otherwise one for each machine. */
static size_t mgn_functions(unsigned scheme, size_t classes) {
    return scheme == MARGIN_SCHEME_ORDINAL ? 1u : margin_machines(scheme, classes);
}

/* Whether there is but one distance, of which `reject` is the largest that is accepted. */
static bool mgn_vote_alone(unsigned scheme, size_t classes) {
    return scheme == MARGIN_SCHEME_NEAREST && classes == 1u;
}

/* Whether a model may have this scheme with so many classes. */
static bool mgn_scheme_fits(unsigned scheme, size_t classes) {
    if (scheme == MARGIN_SCHEME_ORDINAL && classes == 1u) { /* a ranker */
        return true;
    }
    return classes >= 2u && classes < MARGIN_REJECTED && scheme <= MARGIN_SCHEME_ORDINAL &&
           (scheme == MARGIN_SCHEME_BINARY) == (classes == 2u);
}

/* Coefficients of a vector. */
static size_t mgn_scheme_width(unsigned scheme, size_t classes) {
    if (scheme == MARGIN_SCHEME_ORDINAL) { return 1; }
    return scheme == MARGIN_SCHEME_ONE_REST ? classes : classes - 1u;
}

MARGIN_API void margin_linear_scores(const margin_linear *model, const margin_real *x,
                                     margin_real *scores) {
    const unsigned scheme = model->vote.scheme;
    const margin_real *w = model->w, *bias = model->bias, *end;
    size_t machines = model->vote.classes;
    if (scheme != MARGIN_SCHEME_ONE_REST) {
        machines--; /* 0 for a ranker, which has one machine */
    }
    if (mgn_scheme_pairs(scheme)) { machines = machines * (machines + 1u) / 2u; }
    end = scores + machines;
    do {
        *scores++ = mgn_flash_dot(w, x, model->d) + MARGIN_LOAD(margin_real, bias++);
        if (scheme != MARGIN_SCHEME_ORDINAL) { /* those share their weights */
            w += model->d;
        }
    } while (scores < end);
}

/* |x|^2 of the scaled input, in the order of mgn_dots. */
static margin_real mgn_expansion_norm(const margin_expansion *e, const margin_real *x) {
    const size_t d = e->d;
    margin_real norm = 0;
    for (size_t k = 0; k < d; k++) {
        const margin_real a = mgn_expansion_input(e, x, k);
        norm += a * a;
    }
    return norm;
}

/* Vectors that go through the kernel at a time; an input is scaled and loaded once for four. */
#ifdef MARGIN_LOAD_PLAIN
#define MGN_SCORE_BLOCK 8u
#else
#define MGN_SCORE_BLOCK 4u
#endif

/* Dot products of the scaled input with the `count` <= MGN_SCORE_BLOCK vectors from v on, in the
 * order of mgn_dots, four at a time; the last four are filled up with the first vector. It is never
 * inlined, because its callers would leave it too few registers. */
static MGN_APART void mgn_expansion_dots(const margin_expansion *e, const margin_real *x, size_t v,
                                         size_t count, margin_real *out) {
    for (size_t t = 0; t < count; t += 4u) {
        const margin_real *v0 = e->vectors + (v + t) * e->d;
        const margin_real *v1 = count - t > 1u ? v0 + e->d : v0;
        const margin_real *v2 = count - t > 2u ? v1 + e->d : v0;
        const margin_real *v3 = count - t > 3u ? v2 + e->d : v0;
        const margin_real *const four[4] = {v0, v1, v2, v3};
        mgn_expansion_four(e, x, four, out + t);
    }
}

/* An input of an expansion, and its squared length when scaled. */
typedef struct {
    const margin_expansion *e;
    const margin_real *x;
    margin_real norm;
} mgn_question;

/* Kernel values of the same vectors at an input. */
static MGN_INLINE void mgn_expansion_values(const mgn_question *at, size_t v, size_t count,
                                            margin_real *out, unsigned kind) {
    const margin_expansion *e = at->e;
    const margin_real *norms = e->norms + v;
    mgn_expansion_dots(e, at->x, v, count, out);
#ifndef MARGIN_LOAD_PLAIN
    margin_real copy[MGN_SCORE_BLOCK];
    for (size_t t = 0; t < count; t++) { copy[t] = MARGIN_LOAD(margin_real, norms + t); }
    norms = copy;
#endif
    mgn_kernel_of(kind, &e->kernel, at->norm, norms, out, count);
}

/* Adds the terms of vector v, of class c and with the kernel value k at x, to its machines. */
static void mgn_expansion_add(const margin_expansion *e, size_t v, size_t c, margin_real k,
                              margin_real *scores) {
    for (size_t j = 0; j < e->width; j++) {
        const size_t machine = mgn_machine(e->vote.scheme, e->vote.classes, c, j);
        scores[machine] += k * MARGIN_LOAD(margin_real, e->coef + v * e->width + j);
    }
}

/* sum + k . coef, with what rounding lost carried on to the next term (Kahan 1965). A pool is
 * sorted by class, so that one class's terms pile up before the other's take them down again: a
 * plain sum is wrong by ten times the error of all kernel values together. */
static inline margin_real mgn_add_terms(margin_real sum, margin_real *carry, const margin_real *k,
                                        const margin_real *coef, size_t n) {
    margin_real lost = *carry;
    for (size_t t = 0; t < n; t++) {
        const margin_real part = k[t] * MARGIN_LOAD(margin_real, coef + t) - lost;
        const margin_real whole = sum + part;
        lost = (whole - sum) - part;
        sum = whole;
    }
    *carry = lost;
    return sum;
}

/* The scores of an expansion with a kernel of a kind, which is a constant. */
static MGN_INLINE void mgn_expansion_sum(const margin_expansion *model, const margin_real *x,
                                         margin_real *scores, unsigned kind) {
    const size_t machines = margin_machines(model->vote.scheme, model->vote.classes);
    const bool ordinal = model->vote.scheme == MARGIN_SCHEME_ORDINAL;
    const mgn_question at = {model, x,
                             kind == MARGIN_KERNEL_HINGE ? 0 : mgn_expansion_norm(model, x)};
    margin_real carry = 0;
    size_t c = 0;
    for (size_t j = 0; j < machines; j++) {
        scores[j] = ordinal ? 0 : MARGIN_LOAD(margin_real, model->bias + j);
    }
    for (size_t v = 0; v < model->n; v += MGN_SCORE_BLOCK) {
        const size_t count = mgn_size_min(model->n - v, MGN_SCORE_BLOCK);
        margin_real block[MGN_SCORE_BLOCK];
        mgn_expansion_values(&at, v, count, block, kind);
        if (model->width == 1u) { /* one function: no question which machine */
            scores[0] = mgn_add_terms(scores[0], &carry, block, model->coef + v, count);
            continue;
        }
        for (size_t t = 0; t < count; t++) {
            while (v + t >= MARGIN_LOAD(uint32_t, model->class_end + c)) { c++; }
            mgn_expansion_add(model, v + t, c, block[t], scores);
        }
    }
    for (size_t j = ordinal ? machines : 0; j-- > 0;) { /* rounding keeps them in order */
        scores[j] = scores[0] + MARGIN_LOAD(margin_real, model->bias + j);
    }
}

#define MGN_DEFINE_KERNEL(name, kind)                                                              \
    MARGIN_API void name(const margin_expansion *model, const margin_real *x,                      \
                         margin_real *scores) {                                                    \
        mgn_expansion_sum(model, x, scores, kind);                                                 \
    }
MGN_DEFINE_KERNEL(margin_rbf_scores, MARGIN_KERNEL_RBF)
MGN_DEFINE_KERNEL(margin_poly_scores, MARGIN_KERNEL_POLY)
MGN_DEFINE_KERNEL(margin_unit_scores, MARGIN_KERNEL_UNIT_POLY) /* serves both */
MGN_DEFINE_KERNEL(margin_hinge_scores, MARGIN_KERNEL_HINGE)

MARGIN_API void margin_expansion_scores(const margin_expansion *model, const margin_real *x,
                                        margin_real *scores) {
    const unsigned kind = model->kernel.kind;
    if (kind == MARGIN_KERNEL_RBF) { margin_rbf_scores(model, x, scores); }
    if (kind == MARGIN_KERNEL_POLY) { margin_poly_scores(model, x, scores); }
    if (kind == MARGIN_KERNEL_HINGE) { margin_hinge_scores(model, x, scores); }
    if (kind == MARGIN_KERNEL_LINEAR) { mgn_expansion_sum(model, x, scores, kind); }
    if (mgn_kernel_is_unit(kind)) { margin_unit_scores(model, x, scores); }
}

/* Adds the vectors from .. to - 1 of a list to the sums of the cuts from `first` on. */
static void mgn_list_add(const mgn_question *at, size_t from, size_t to, size_t first,
                         margin_real *sums) {
    const margin_expansion *e = at->e;
    for (size_t v = from; v < to; v += MGN_SCORE_BLOCK) {
        const size_t count = mgn_size_min(to - v, MGN_SCORE_BLOCK);
        margin_real block[MGN_SCORE_BLOCK];
        mgn_expansion_values(at, v, count, block, e->kernel.kind);
        for (size_t t = 0; t < count; t++) {
            const margin_real *coef = e->coef + (v + t) * e->width;
            for (size_t j = first; j < e->width; j++) {
                sums[j] += block[t] * MARGIN_LOAD(margin_real, coef + j);
            }
        }
    }
}

MARGIN_API size_t margin_list_ask(const margin_list *model, const margin_real *x,
                                  margin_real *score) {
    const margin_expansion *e = &model->pool;
    const size_t last = e->width - 1u;
    const mgn_question at = {e, x, mgn_expansion_norm(e, x)};
    margin_real sums[MARGIN_LIST_MOST];
    size_t from = 0, j = 0;
    for (size_t t = 0; t <= last; t++) { sums[t] = MARGIN_LOAD(margin_real, e->bias + t); }
    for (;; j++) {
        const size_t to = (size_t)MARGIN_LOAD(uint32_t, model->reach + j);
        mgn_list_add(&at, from, to, j, sums);
        if (sums[j] > 0 || j == last) { break; }
        from = to;
    }
    *score = MARGIN_LOAD(uint32_t, model->target + j) == 0 ? -sums[j] : sums[j];
    return j;
}

/* ---- prototypes ---- */

/* Feature k of x - c for the scaled input x. */
static inline margin_real mgn_proto_delta(const margin_proto *p, const margin_real *c,
                                          const margin_real *x, size_t k) {
    const margin_real centre = MARGIN_LOAD(margin_real, c + k);
    if (p->offset == NULL) { return x[k] - centre; }
    return (x[k] - MARGIN_LOAD(margin_real, p->offset + k)) *
               MARGIN_LOAD(margin_real, p->factor + k) -
           centre;
}

/* Adds the squares of the features from .. to - 1 of x - c to four chains; `from` is a multiple of
 * four, so that a sum has the same bits wherever it was interrupted. */
static void mgn_proto_squares(const margin_proto *p, const margin_real *c, const margin_real *x,
                              size_t from, size_t to, margin_real *s) {
    margin_real s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    for (; to - from >= 4u; from += 4u) {
        const margin_real a0 = mgn_proto_delta(p, c, x, from);
        const margin_real a1 = mgn_proto_delta(p, c, x, from + 1u);
        const margin_real a2 = mgn_proto_delta(p, c, x, from + 2u);
        const margin_real a3 = mgn_proto_delta(p, c, x, from + 3u);
        s0 += a0 * a0;
        s1 += a1 * a1;
        s2 += a2 * a2;
        s3 += a3 * a3;
    }
    for (; from < to; from++) {
        const margin_real a = mgn_proto_delta(p, c, x, from);
        s0 += a * a;
    }
    s[0] = s0;
    s[1] = s1;
    s[2] = s2;
    s[3] = s3;
}

static inline margin_real mgn_proto_sum(const margin_real *s) {
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* The distance without tangents. Every chain grows, and rounding keeps the order of numbers: a sum
 * that is at or above the limit now is so at the end. */
static margin_real mgn_proto_plain(const margin_proto *p, const margin_real *c,
                                   const margin_real *x, margin_real limit) {
    margin_real s[4] = {0, 0, 0, 0}, sum = 0;
    for (size_t from = 0; from < p->d && sum < limit; from += 16u) {
        mgn_proto_squares(p, c, x, from, p->d - from < 16u ? p->d : from + 16u, s);
        sum = mgn_proto_sum(s);
    }
    return sum;
}

/* Adds the features from .. to - 1 of t . (x - c) to a[j] for every tangent t of a model, four of
 * them at a time; those that are not there repeat the first of the four. Returns the sum of the
 * squares of `a` afterwards. */
static margin_real mgn_proto_projects(const margin_proto *p, const margin_real *c,
                                      const margin_real *x, size_t from, size_t to,
                                      margin_real *a) {
    margin_real sum = 0;
    for (size_t j = 0; j < p->tangents; j += 4u, a += 4) {
        const size_t count = p->tangents - j < 4u ? p->tangents - j : 4u;
        const margin_real *t0 = c + (j + 1u) * p->d, *t1 = count > 1u ? t0 + p->d : t0;
        const margin_real *t2 = count > 2u ? t1 + p->d : t0, *t3 = count > 3u ? t2 + p->d : t0;
        margin_real a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
        for (size_t k = from; k < to; k++) {
            const margin_real delta = mgn_proto_delta(p, c, x, k);
            a0 += delta * MARGIN_LOAD(margin_real, t0 + k);
            a1 += delta * MARGIN_LOAD(margin_real, t1 + k);
            a2 += delta * MARGIN_LOAD(margin_real, t2 + k);
            a3 += delta * MARGIN_LOAD(margin_real, t3 + k);
        }
        a[0] = a0;
        a[1] = a1;
        a[2] = a2;
        a[3] = a3;
        for (size_t t = 0; t < count; t++) { sum += a[t] * a[t]; }
    }
    return sum;
}

/* The number of features after which a model with tangents may be found to be too far away. */
static inline size_t mgn_proto_half(size_t d) {
    return d / 8u * 4u;
}

/* With tangents. Let s, a be the sums over the first half of the features, r^2 and b those over
 * the rest, and |b| <= rho r, rho^2 < 1 the largest eigenvalue of the tangents' Gram matrix over
 * the rest. Then z = s + r^2 - |a + b|^2 >= s + r^2 - (|a| + rho r)^2 >= s - |a|^2 / (1 - rho^2),
 * whatever the rest is. exits[m] is 1 / (1 - rho^2), enlarged, as the factor here is, so that all
 * rounding, at most 1/200 of s + r^2 (see mgn_proto_exit), is covered. */
static margin_real mgn_proto_tangent(const margin_proto *p, size_t m, const margin_real *c,
                                     const margin_real *x, margin_real limit) {
    const margin_real keep = MARGIN_LOAD(margin_real, p->exits + m);
    margin_real a[MARGIN_PROTO_TANGENTS] = {0};
    margin_real s[4] = {0, 0, 0, 0};
    margin_real z;
    size_t from = 0;
    if (keep > 0 && limit < MGN_HUGE) {
        from = mgn_proto_half(p->d);
        mgn_proto_squares(p, c, x, 0, from, s);
        z = mgn_proto_sum(s);
        if (z > limit &&
            z > MGN_R(1.02) * (limit + keep * mgn_proto_projects(p, c, x, 0, from, a))) {
            return z;
        }
        if (!(z > limit)) { /* the tangents have not been looked at yet */
            (void)mgn_proto_projects(p, c, x, 0, from, a);
        }
    }
    mgn_proto_squares(p, c, x, from, p->d, s);
    z = mgn_proto_sum(s) - mgn_proto_projects(p, c, x, from, p->d, a);
    return z < 0 ? 0 : z;
}

/* Puts the distance z in its place among the `nth` least ones. */
static void mgn_proto_rank(margin_real *near, size_t nth, margin_real z) {
    size_t j = nth - 1u;
    if (z < near[j]) {
        for (; j > 0 && z < near[j - 1u]; j--) { near[j] = near[j - 1u]; }
        near[j] = z;
    }
}

/* The distance of the nth nearest of the models from .. to - 1, or `limit` if it is not below. */
static margin_real mgn_proto_class(const margin_proto *p, const margin_real *x, size_t from,
                                   size_t to, margin_real limit) {
    margin_real near[MARGIN_PROTO_NTH];
    MARGIN_ASSERT(p->nth > 0 && p->nth <= MARGIN_PROTO_NTH);
    for (size_t j = 0; j < p->nth; j++) { near[j] = limit; }
    for (size_t m = from; m < to; m++) {
        const margin_real *c = p->vectors + m * (1u + p->tangents) * p->d;
        const margin_real most = near[p->nth - 1u];
        mgn_proto_rank(near, p->nth,
                       p->tangents == 0 ? mgn_proto_plain(p, c, x, most)
                                        : mgn_proto_tangent(p, m, c, x, most));
    }
    return near[p->nth - 1u];
}

MARGIN_API void margin_proto_scores(const margin_proto *model, const margin_real *x,
                                    margin_real *scores) {
    size_t from = 0;
    for (size_t c = 0; c < model->vote.classes; c++) {
        const size_t to = (size_t)MARGIN_LOAD(uint32_t, model->class_end + c);
        scores[c] = mgn_proto_class(model, x, from, to, MGN_HUGE);
        from = to;
    }
}

/* (b - a) / (b + a) for distances, within -1 .. 1 whatever they are. */
static margin_real mgn_nearer(margin_real a, margin_real b) {
    const margin_real sum = a + b;
    if (sum <= MGN_HUGE) { return sum > 0 ? (b - a) / sum : 0; }
    return a < b ? MGN_R(1.0) : a > b ? MGN_R(-1.0) : 0;
}

MARGIN_API void margin_proto_find(const margin_proto *model, const margin_real *x,
                                  margin_proto_found *found) {
    size_t from = 0;
    found->nearest = found->second = 0;
    found->distance = found->runner = MGN_HUGE;
    for (size_t c = 0; c < model->vote.classes; c++) {
        const size_t to = (size_t)MARGIN_LOAD(uint32_t, model->class_end + c);
        const margin_real z = mgn_proto_class(model, x, from, to, found->runner);
        from = to;
        if (c == 0 || z < found->distance) {
            found->second = found->nearest;
            found->runner = found->distance;
            found->nearest = (uint16_t)c;
            found->distance = z;
        } else if (c == 1u || z < found->runner) {
            found->second = (uint16_t)c;
            found->runner = z;
        }
    }
    if (model->vote.classes == 1u) { /* the runner is the edge of the class */
        found->runner = model->vote.reject > 0 ? model->vote.reject : MGN_HUGE;
    }
    found->margin = mgn_nearer(found->distance, found->runner);
    found->label = found->nearest;
    if (!(found->distance < MGN_HUGE) ||
        (model->vote.reject > 0 &&
         (model->vote.classes == 1u ? found->distance > model->vote.reject
                                    : found->margin < model->vote.reject))) {
        found->label = MARGIN_REJECTED;
    }
}

MARGIN_API void margin_project(const margin_projected *model, const margin_real *x,
                               margin_real *z) {
    margin_expansion rows; /* of which dot products look at these */
    rows.vectors = model->front;
    rows.offset = model->offset;
    rows.factor = model->factor;
    rows.d = model->d;
    for (size_t r = 0; r < model->pool.d; r += MGN_SCORE_BLOCK) {
        const size_t count = mgn_size_min(model->pool.d - r, MGN_SCORE_BLOCK);
        margin_real block[MGN_SCORE_BLOCK];
        mgn_expansion_dots(&rows, x, r, count, block);
        for (size_t t = 0; t < count; t++) {
            z[r + t] = block[t] + MARGIN_LOAD(margin_real, model->front_bias + r + t);
        }
    }
}

/* Whether feature k is one of those that a model looks at. */
static MGN_INLINE bool mgn_is_picked(const uint8_t *picked, size_t k) {
    const unsigned byte = MARGIN_LOAD(uint8_t, picked + k / 8u);
    return (byte >> k % 8u & 1u) != 0;
}

MARGIN_API void margin_pick(const margin_projected *model, const margin_real *x, margin_real *z) {
    for (size_t k = 0; k < model->d; k++) {
        if (mgn_is_picked(model->picked, k)) {
            *z = x[k];
            if (model->offset != NULL) {
                *z = (x[k] - MARGIN_LOAD(margin_real, model->offset + k)) *
                     MARGIN_LOAD(margin_real, model->factor + k);
            }
            z++;
        }
    }
}

/* Never inlined, because models of other kinds need no stack for z. */
static MGN_APART void mgn_projected_scores(const margin_projected *model, const margin_real *x,
                                           margin_real *scores) {
    margin_real z[MARGIN_RANK_MOST];
    if (model->picked != NULL) {
        margin_pick(model, x, z);
    } else {
        margin_project(model, x, z);
    }
    margin_expansion_scores(&model->pool, z, scores);
}

MARGIN_API void margin_scores(const margin_model *model, const margin_real *x,
                              margin_real *scores) {
    if (model->kind == MARGIN_MODEL_LINEAR) {
        margin_linear_scores(&model->of.linear, x, scores);
    } else if (model->kind == MARGIN_MODEL_LIST) {
        (void)margin_list_ask(&model->of.list, x, scores);
    } else if (model->kind == MARGIN_MODEL_PROTO) {
        margin_proto_scores(&model->of.proto, x, scores);
    } else if (model->kind == MARGIN_MODEL_PROJECTED) {
        mgn_projected_scores(&model->of.projected, x, scores);
    } else {
        margin_expansion_scores(&model->of.expansion, x, scores);
    }
}

/* By how much the scores prefer class a to class b. */
static margin_real mgn_favour(unsigned scheme, size_t classes, const margin_real *scores, size_t a,
                              size_t b) {
    if (scheme == MARGIN_SCHEME_ONE_REST) { return scores[a] - scores[b]; }
    if (scheme == MARGIN_SCHEME_ORDINAL) { /* the end of class a that lies towards b */
        return a < b ? -scores[a] : scores[a - 1u];
    }
    if (scheme == MARGIN_SCHEME_NEAREST) { return mgn_nearer(scores[a], scores[b]); }
    if (a < b) { return -scores[mgn_pair_machine(classes, a, b)]; }
    return scores[mgn_pair_machine(classes, b, a)];
}

MARGIN_API margin_real margin_margin(unsigned scheme, size_t classes, const margin_real *scores,
                                     size_t label) {
    margin_real least = MGN_HUGE;
    for (size_t b = 0; b < classes; b++) {
        if (b != label) { least = mgn_min(least, mgn_favour(scheme, classes, scores, label, b)); }
    }
    return least;
}

/* Votes for class a, and in *sum by how much all its machines prefer it. */
static size_t mgn_votes(size_t classes, const margin_real *scores, size_t a, margin_real *sum) {
    size_t votes = 0;
    *sum = 0;
    for (size_t b = 0; b < classes; b++) {
        if (b != a) {
            const margin_real favour = mgn_favour(MARGIN_SCHEME_ONE_ONE, classes, scores, a, b);
            votes += (a > b ? favour > 0 : favour >= 0) ? 1u : 0u;
            *sum += favour;
        }
    }
    return votes;
}

MARGIN_API uint16_t margin_elect(unsigned scheme, size_t classes, const margin_real *scores) {
    size_t best = 0, most = 0;
    margin_real top = -MGN_HUGE;
    if (scheme == MARGIN_SCHEME_ORDINAL) { /* the number of thresholds that are passed */
        for (size_t j = 0; j + 1u < classes; j++) { best += scores[j] > 0 ? 1u : 0u; }
        return (uint16_t)best;
    }
    for (size_t a = 0; a < classes; a++) {
        margin_real sum = scores[a < margin_machines(scheme, classes) ? a : 0];
        size_t votes = 0;
        if (scheme == MARGIN_SCHEME_NEAREST) {
            sum = -sum;
        } else if (scheme != MARGIN_SCHEME_ONE_REST) {
            votes = mgn_votes(classes, scores, a, &sum);
        }
        if (votes > most || (votes == most && sum > top && scheme != MARGIN_SCHEME_VOTES)) {
            best = a;
            most = votes;
            top = sum;
        }
    }
    return (uint16_t)best;
}

/* Whether no score is NaN and, for distances, the least one is finite. */
static bool mgn_scores_known(const margin_vote *vote, const margin_real *scores, size_t winner) {
    size_t j = margin_machines(vote->scheme, vote->classes);
    bool known = vote->scheme != MARGIN_SCHEME_NEAREST || scores[winner] < MGN_HUGE;
    while (j-- > 0) { known = known && scores[j] == scores[j]; }
    return known;
}

MARGIN_API uint16_t margin_decide(const margin_vote *vote, const margin_real *scores) {
    const uint16_t winner = margin_elect(vote->scheme, vote->classes, scores);
    if (!mgn_scores_known(vote, scores, winner) ||
        (vote->reject > 0 &&
         (mgn_vote_alone(vote->scheme, vote->classes)
              ? scores[0] > vote->reject
              : margin_margin(vote->scheme, vote->classes, scores, winner) < vote->reject))) {
        return MARGIN_REJECTED;
    }
    return winner;
}

/* 1 / (1 + e^-t); both branches keep the exponential from overflowing. */
static margin_real mgn_sigmoid(margin_real t) {
    if (t < 0) {
        const margin_real e = mgn_exp(t);
        return e / (1 + e);
    }
    return 1 / (1 + mgn_exp(-t));
}

enum { MGN_CURVE_END = (int)MARGIN_CURVE / 2 }; /* a curve ends at odds of 2^-8 and 2^8 */
#define MGN_LN_2 MGN_R(0.69314718055994531)

/* Where odds of e^t lie on the grid of a curve: between the point returned and the next. */
static size_t mgn_curve_place(margin_real t, margin_real *fraction) {
    const margin_real end = (margin_real)MGN_CURVE_END;
    const margin_real u = mgn_max(0, mgn_min(t / MGN_LN_2 + end, 2 * end));
    const size_t i = u < 2 * end ? (size_t)u : MARGIN_CURVE - 2u;
    *fraction = u - (margin_real)i;
    return i;
}

/* The logarithm of the odds that a score means. */
static margin_real mgn_odds(const margin_vote *vote, margin_real score) {
    const margin_real t = vote->slope * score + vote->shift;
    if (vote->curve != NULL) {
        margin_real f;
        const margin_real *at = vote->curve + mgn_curve_place(t, &f);
        return t + (MARGIN_LOAD(margin_real, at) * (1 - f) + MARGIN_LOAD(margin_real, at + 1) * f);
    }
    return t;
}

/* Pairwise coupling. r[j] of the machine of a and b > a is the probability of b given that it is
 * one of the two. With Q_tt = sum over j of r_jt^2 and Q_tj = -r_jt r_tj, the sum over pairs of
 * (r_ba p_a - r_ab p_b)^2 is p'Qp. Where it is least among sum p = 1, (Qp)_t = p'Qp for all t:
 * solved for one p_t after the other, which converges in some five sweeps (algorithm 2 of the
 * paper). */
static margin_real mgn_rival(size_t classes, const margin_real *r, size_t a, size_t b) {
    return a < b ? 1 - r[mgn_pair_machine(classes, a, b)] : r[mgn_pair_machine(classes, b, a)];
}

/* p_t of (Qp)_t = level. */
static margin_real mgn_couple_solve(size_t classes, const margin_real *r, const margin_real *p,
                                    size_t t, margin_real level) {
    margin_real diagonal = 0;
    for (size_t j = 0; j < classes; j++) {
        if (j != t) {
            const margin_real lost = mgn_rival(classes, r, j, t);
            diagonal += lost * lost;
            level += lost * (1 - lost) * p[j];
        }
    }
    return level / diagonal;
}

#define MGN_COUPLE_SWEEPS 50u /* at most */

static void mgn_couple(size_t classes, const margin_real *r, margin_real *p) {
    margin_real largest = 1;
    for (size_t t = 0; t < classes; t++) { p[t] = 1 / (margin_real)classes; }
    for (unsigned sweep = 0; sweep < MGN_COUPLE_SWEEPS && largest > MGN_R(1e-6); sweep++) {
        /* p'Qp, from the squares. */
        margin_real level = 0;
        for (size_t t = 0; t < classes; t++) {
            for (size_t j = 0; j < t; j++) {
                const margin_real lost = mgn_rival(classes, r, j, t);
                const margin_real differ = lost * p[t] - (1 - lost) * p[j];
                level += differ * differ;
            }
        }
        margin_real sum = 0;
        largest = 0;
        for (size_t t = 0; t < classes; t++) {
            const margin_real next = mgn_couple_solve(classes, r, p, t, level);
            largest = mgn_max(largest, mgn_abs(next - p[t]));
            p[t] = next;
            sum += next;
        }
        for (size_t t = 0; t < classes; t++) { p[t] /= sum; }
    }
}

/* Finds weights of the classes; their shares are the probabilities. */
MARGIN_API void margin_probabilities(const margin_vote *vote, margin_real *scores, margin_real *p) {
    const size_t winner = margin_elect(vote->scheme, vote->classes, scores);
    margin_real sum = 0;
    if (vote->slope == 0 || !mgn_scores_known(vote, scores, winner)) {
        for (size_t c = 0; c < vote->classes; c++) { p[c] = 1; }
    } else if (mgn_scheme_pairs(vote->scheme)) {
        const margin_real edge = MGN_R(1.0) / 1048576; /* no machine is surer than this */
        for (size_t j = 0; j < margin_machines(vote->scheme, vote->classes); j++) {
            const margin_real r = mgn_sigmoid(vote->slope * scores[j]);
            scores[j] = mgn_max(edge, mgn_min(r, 1 - edge));
        }
        mgn_couple(vote->classes, scores, p);
    } else if (vote->scheme == MARGIN_SCHEME_BINARY || vote->scheme == MARGIN_SCHEME_ORDINAL) {
        /* Binary models are ordinal ones with one threshold. */
        margin_real above = 1;
        for (size_t c = 0; c + 1u < vote->classes; c++) {
            const margin_real next = mgn_min(mgn_sigmoid(mgn_odds(vote, scores[c])), above);
            p[c] = above - next;
            above = next;
        }
        p[vote->classes - 1u] = above;
    } else {
        for (size_t c = 0; c < vote->classes; c++) {
            const margin_real f =
                c == winner ? 0 : mgn_favour(vote->scheme, vote->classes, scores, c, winner);
            p[c] = mgn_exp(mgn_min(0, vote->slope * f));
        }
    }
    for (size_t c = 0; c < vote->classes; c++) { sum += p[c]; }
    for (size_t c = 0; c < vote->classes; c++) { p[c] /= sum; }
}

/* The expansion in a model, or its pool; NULL if it has none. */
static const margin_expansion *mgn_model_pool(const margin_model *model) {
    if (model->kind == MARGIN_MODEL_PROJECTED) { return &model->of.projected.pool; }
    if (model->kind == MARGIN_MODEL_LIST) { return &model->of.list.pool; }
    return model->kind == MARGIN_MODEL_EXPANSION ? &model->of.expansion : NULL;
}

MARGIN_API const margin_vote *margin_model_vote(const margin_model *model) {
    const margin_expansion *pool = mgn_model_pool(model);
    if (pool != NULL) { return &pool->vote; }
    return model->kind == MARGIN_MODEL_PROTO ? &model->of.proto.vote : &model->of.linear.vote;
}

MARGIN_API uint16_t margin_classify(const margin_model *model, const margin_real *x,
                                    margin_real *scores) {
    margin_scores(model, x, scores);
    return margin_decide(margin_model_vote(model), scores);
}

/* The first score of any model grows with its first function, so that it orders inputs. */
MARGIN_API int margin_compare(const margin_model *model, const margin_real *x, const margin_real *z,
                              margin_real *scores) {
    margin_scores(model, x, scores);
    const margin_real first = scores[0];
    margin_scores(model, z, scores);
    return (first > scores[0] ? 1 : 0) - (first < scores[0] ? 1 : 0);
}

/* ---- >>kinds ---- the one description of what each kind of model is made of ------------------ */

/* The head of a model: all that the sizes of its arrays depend on. Every image begins with one. */
typedef struct {
    uint8_t kind, format, scheme, kernel, degree, flags;
    uint16_t classes, width;
    size_t n, d;
    size_t rank;         /* of a projection, else 0 */
    uint16_t step;       /* of the vectors of an rbf kernel in integers */
    size_t bytes, notes; /* of an image: its length and that of its notes */
} mgn_image_head;

/* Flags: real models may scale their inputs; integer models may have an input stage, and their
 * images a conversion of real inputs. */
enum {
    MGN_FLAG_SCALED = 1,
    MGN_FLAG_STAGE = 1,
    MGN_FLAG_INPUT = 2,
    MGN_FLAG_GAINS = 4,
    MGN_FLAG_CURVED = 8,
    MGN_FLAG_PICKED = 16
};

/* The lists below have the fields of every struct in its order. Images, margin_model_check and its
 * twin, margin_model_scale and the generator (gen/native.c) read them; none lists fields on its
 * own.
 *
 *   A(field, element, count)  An array. The count is a function of the head `h`; an array without
 *                             elements is a null pointer. An image has the arrays in this order.
 *   N(field, type, place)     A number, and the byte of an image's head at which it stands.
 *   S(field)                  The input stage of an integer model.
 *
 * P is `pool.` for the fields of a pool, and otherwise nothing. A pool behind a projection is not
 * scaled itself, so that its offset and factor (O and F) are plain arrays without elements, and has
 * the rank as d, at a place D of its own.
 *
 * Elements: REAL; OFFSET and FACTOR, the reals of the scaling; CURVE and CURVE_Q, reals and int16_t
 * of a curve of probabilities; GAIN and PICK, U16 and U8 that a flag tells of; U32, U16, U8, I32
 * and I16; Q is int16_t or int8_t, whichever the format says; COEF is int8_t where mgn_head_narrow
 * says so, else int16_t. Types: REAL, U8, U16, U32, I16, I32; SIZE and N16 are size_t and uint16_t,
 * 32 bits in an image; H16 is size_t and W8 uint8_t, 16 bits there; B16 is uint16_t, 8 bits there;
 * CHANCE is a probability in 2^-15, rounded down, 16 bits; CUT and ADD share one place, where poly
 * has the latter; MACHINES is not stored but follows from scheme and classes. */
#define MGN_VOTE_FIELDS(A, N, P)                                                                   \
    N(P vote.classes, U16, 24)                                                                     \
    N(P vote.scheme, U8, 28)                                                                       \
    N(P vote.reject, REAL, 44)                                                                     \
    N(P vote.slope, REAL, 48)                                                                      \
    N(P vote.shift, REAL, 52)                                                                      \
    N(P vote.include, CHANCE, 62)                                                                  \
    A(P vote.curve, CURVE, mgn_head_curve(h))
#define MGN_LINEAR_FIELDS(A, N, S)                                                                 \
    A(w, REAL, mgn_size_mul(mgn_functions(h->scheme, h->classes), h->d))                           \
    A(bias, REAL, mgn_head_machines(h))                                                            \
    N(d, SIZE, 20)                                                                                 \
    MGN_VOTE_FIELDS(A, N, )
#define MGN_POOL_FIELDS(A, N, S, P, O, F, T, D)                                                    \
    A(P vectors, REAL, mgn_size_mul(h->n, mgn_head_deep(h)))                                       \
    A(P norms, REAL, h->n)                                                                         \
    A(P coef, REAL, mgn_size_mul(h->n, h->width))                                                  \
    A(P bias, REAL, mgn_head_machines(h))                                                          \
    A(P class_end, U32, h->kind == MARGIN_MODEL_LIST ? 0 : h->classes)                             \
    A(P offset, O, mgn_head_pool_scaled(h))                                                        \
    A(P factor, F, mgn_head_pool_scaled(h))                                                        \
    N(P n, SIZE, 16)                                                                               \
    N(P d, T, D)                                                                                   \
    N(P kernel.kind, U8, 29)                                                                       \
    N(P kernel.degree, U8, 30)                                                                     \
    N(P kernel.gamma, REAL, 32)                                                                    \
    N(P kernel.coef0, REAL, 36)                                                                    \
    N(P kernel.a, REAL, 40)                                                                        \
    N(P width, U16, 26)                                                                            \
    MGN_VOTE_FIELDS(A, N, P)
#define MGN_EXPANSION_FIELDS(A, N, S) MGN_POOL_FIELDS(A, N, S, , OFFSET, FACTOR, SIZE, 20)
#define MGN_LIST_FIELDS(A, N, S)                                                                   \
    MGN_POOL_FIELDS(A, N, S, pool., OFFSET, FACTOR, SIZE, 20)                                      \
    A(reach, U32, h->width)                                                                        \
    A(target, U32, h->width)
#define MGN_PROJECTED_FIELDS(A, N, S)                                                              \
    MGN_POOL_FIELDS(A, N, S, pool., REAL, REAL, H16, 60)                                           \
    A(front, REAL, mgn_size_mul(mgn_head_front(h), h->d))                                          \
    A(front_bias, REAL, mgn_head_front(h))                                                         \
    A(offset, OFFSET, mgn_head_scaled(h))                                                          \
    A(factor, FACTOR, mgn_head_scaled(h))                                                          \
    N(d, SIZE, 20)                                                                                 \
    A(picked, PICK, mgn_head_picked(h))
#define MGN_PROTO_FIELDS(A, N, S)                                                                  \
    A(vectors, REAL, mgn_size_mul(mgn_head_rows(h), h->d))                                         \
    A(exits, REAL, h->width > 0 ? h->n : 0)                                                        \
    A(class_end, U32, h->classes)                                                                  \
    A(offset, OFFSET, mgn_head_scaled(h))                                                          \
    A(factor, FACTOR, mgn_head_scaled(h))                                                          \
    N(n, SIZE, 16)                                                                                 \
    N(d, SIZE, 20)                                                                                 \
    N(tangents, U16, 26)                                                                           \
    N(nth, U8, 30)                                                                                 \
    MGN_VOTE_FIELDS(A, N, )

#define MGN_VOTE_FIELDS_Q(A, N, P)                                                                 \
    N(P vote.classes, U16, 24)                                                                     \
    N(P vote.machines, MACHINES, 0)                                                                \
    N(P vote.reject, I32, 44)                                                                      \
    N(P vote.shift, I32, 52)                                                                       \
    N(P vote.slope, I16, 48)                                                                       \
    N(P vote.include, U16, 22)                                                                     \
    N(P vote.down, U8, 35)                                                                         \
    N(P vote.scheme, U8, 28)                                                                       \
    A(P vote.curve, CURVE_Q, mgn_head_curve(h))
#define MGN_LINEAR_FIELDS_Q(A, N, S)                                                               \
    A(w, Q, mgn_size_mul(mgn_functions(h->scheme, h->classes), h->d))                              \
    A(bias, I32, mgn_head_machines(h))                                                             \
    S(stage)                                                                                       \
    N(d, U16, 20)                                                                                  \
    N(format, U8, 7)                                                                               \
    MGN_VOTE_FIELDS_Q(A, N, )                                                                      \
    A(scales, GAIN, (h->flags & MGN_FLAG_GAINS) == 0 ? 0 : mgn_functions(h->scheme, h->classes))
#define MGN_POOL_FIELDS_Q(A, N, S, P, T, D)                                                        \
    A(P vectors, Q, mgn_head_values_q(h))                                                          \
    A(P norms, U16, h->kernel != MARGIN_KERNEL_POLY ? h->n : 0)                                    \
    A(P coef, COEF, mgn_size_mul(h->n, h->width))                                                  \
    A(P scales, U16, mgn_head_scales_q(h))                                                         \
    A(P bias, I32, mgn_head_machines(h))                                                           \
    A(P class_end, U16, mgn_scheme_pairs(h->scheme) ? h->classes : 0)                              \
    S(P stage)                                                                                     \
    N(P n, N16, 16)                                                                                \
    N(P d, T, D)                                                                                   \
    N(P width, U16, 26)                                                                            \
    N(P format, U8, 7)                                                                             \
    N(P kernel.kind, U8, 29)                                                                       \
    N(P kernel.power, U8, 30)                                                                      \
    N(P kernel.shift, U8, 32)                                                                      \
    N(P kernel.up, U8, 33)                                                                         \
    N(P kernel.gain, U16, 36)                                                                      \
    N(P kernel.step, U16, 38)                                                                      \
    N(P kernel.down, U8, 34)                                                                       \
    N(P kernel.cut, CUT, 40)                                                                       \
    N(P kernel.reach, U32, 60)                                                                     \
    N(P kernel.add, ADD, 40)                                                                       \
    MGN_VOTE_FIELDS_Q(A, N, P)                                                                     \
    A(P steps, U16, mgn_head_steps_q(h))
#define MGN_EXPANSION_FIELDS_Q(A, N, S) MGN_POOL_FIELDS_Q(A, N, S, , U16, 20)
#define MGN_LIST_FIELDS_Q(A, N, S)                                                                 \
    MGN_POOL_FIELDS_Q(A, N, S, pool., U16, 20)                                                     \
    A(reach, U16, h->n > 0 ? h->width : 0)                                                         \
    A(target, U8, h->width)
#define MGN_PROJECTED_FIELDS_Q(A, N, S)                                                            \
    MGN_POOL_FIELDS_Q(A, N, S, pool., B16, 50)                                                     \
    A(front, Q, mgn_size_mul(mgn_head_front(h), h->d))                                             \
    A(front_bias, I32, mgn_head_front(h))                                                          \
    A(front_scales, U16, mgn_head_front(h))                                                        \
    N(d, U16, 20)                                                                                  \
    N(front_down, U8, 51)                                                                          \
    A(picked, PICK, mgn_head_picked(h))
#define MGN_PROTO_FIELDS_Q(A, N, S)                                                                \
    A(vectors, Q, mgn_size_mul(mgn_size_up(mgn_head_rows(h), MGN_Q_BLOCK), mgn_size_up(h->d, 2u))) \
    A(constants, I32, mgn_head_rows(h))                                                            \
    A(gains, U16, h->n)                                                                            \
    A(downs, U8, h->width > 0 ? h->n : 0)                                                          \
    A(class_end, U16, h->classes)                                                                  \
    S(stage)                                                                                       \
    N(reach, U32, 60)                                                                              \
    N(n, N16, 16)                                                                                  \
    N(d, U16, 20)                                                                                  \
    N(tangents, W8, 26)                                                                            \
    N(nth, U8, 30)                                                                                 \
    N(up, U8, 32)                                                                                  \
    N(left, U8, 33)                                                                                \
    N(format, U8, 7)                                                                               \
    MGN_VOTE_FIELDS_Q(A, N, )

/* The kinds: K(number, type, member of the union, fields). A further kind is a line here. */
#define MGN_KINDS(K)                                                                               \
    K(MARGIN_MODEL_LINEAR, margin_linear, linear, MGN_LINEAR_FIELDS)                               \
    K(MARGIN_MODEL_EXPANSION, margin_expansion, expansion, MGN_EXPANSION_FIELDS)                   \
    K(MARGIN_MODEL_PROTO, margin_proto, proto, MGN_PROTO_FIELDS)                                   \
    K(MARGIN_MODEL_LIST, margin_list, list, MGN_LIST_FIELDS)                                       \
    K(MARGIN_MODEL_PROJECTED, margin_projected, projected, MGN_PROJECTED_FIELDS)
#define MGN_KINDS_Q(K)                                                                             \
    K(MARGIN_MODEL_LINEAR, margin_linear_q, linear, MGN_LINEAR_FIELDS_Q)                           \
    K(MARGIN_MODEL_EXPANSION, margin_expansion_q, expansion, MGN_EXPANSION_FIELDS_Q)               \
    K(MARGIN_MODEL_PROTO, margin_proto_q, proto, MGN_PROTO_FIELDS_Q)                               \
    K(MARGIN_MODEL_LIST, margin_list_q, list, MGN_LIST_FIELDS_Q)                                   \
    K(MARGIN_MODEL_PROJECTED, margin_projected_q, projected, MGN_PROJECTED_FIELDS_Q)
#define MGN_SKIP_A(field, element, count)
#define MGN_SKIP_N(field, type, place)
#define MGN_SKIP_S(field)

static size_t mgn_head_scaled(const mgn_image_head *h) {
    return (h->flags & MGN_FLAG_SCALED) != 0 ? h->d : 0;
}

static size_t mgn_head_curve(const mgn_image_head *h) {
    return (h->flags & MGN_FLAG_CURVED) != 0 ? MARGIN_CURVE : 0;
}

/* Coefficients are int8_t in q7 models of one-rest machines, which have many coefficients, and of
 * hinge units, which were learned in eight bits; see mgn_q_narrow. All others are int16_t. */
static bool mgn_head_narrow(const mgn_image_head *h) {
    return h->format == MARGIN_Q7 &&
           (h->kind == MARGIN_MODEL_EXPANSION || h->kind == MARGIN_MODEL_PROJECTED) &&
           (h->scheme == MARGIN_SCHEME_ONE_REST || h->kernel == MARGIN_KERNEL_HINGE);
}

/* Vectors of rbf kernels that differ much in size have a step each in q7. */
static size_t mgn_head_steps_q(const mgn_image_head *h) {
    return h->format == MARGIN_Q7 && h->kernel == MARGIN_KERNEL_RBF && h->step == 0 ? h->n : 0;
}

/* The machines of a model; those of a list are its cuts. */
static size_t mgn_head_machines(const mgn_image_head *h) {
    return h->kind == MARGIN_MODEL_LIST ? h->width : margin_machines(h->scheme, h->classes);
}

/* Scales of the coefficients of a pool of integers. */
static size_t mgn_head_scales_q(const mgn_image_head *h) {
    return mgn_head_narrow(h) && h->kernel != MARGIN_KERNEL_HINGE ? mgn_head_machines(h) : 0;
}

/* Values of a vector of the pool, and those of the pool's own scaling. */
static size_t mgn_head_deep(const mgn_image_head *h) {
    return h->kind == MARGIN_MODEL_PROJECTED ? h->rank : h->d;
}

static size_t mgn_head_pool_scaled(const mgn_image_head *h) {
    return h->kind != MARGIN_MODEL_PROJECTED ? mgn_head_scaled(h) : 0;
}

/* Rows of a projection, and bytes that tell picked features. */
static size_t mgn_head_front(const mgn_image_head *h) {
    return (h->flags & MGN_FLAG_PICKED) != 0 ? 0 : h->rank;
}

static size_t mgn_head_picked(const mgn_image_head *h) {
    return (h->flags & MGN_FLAG_PICKED) != 0 ? h->d / 8u + (h->d % 8u != 0 ? 1u : 0u) : 0;
}

/* Vectors of all prototypes: each has a centroid and its tangents. */
static size_t mgn_head_rows(const mgn_image_head *h) {
    return mgn_size_mul(h->n, 1u + (size_t)h->width);
}

/* Values of a pool of integers. The cuts of a list with a linear kernel are rows of weights; there
 * are no vectors then. */
static size_t mgn_head_values_q(const mgn_image_head *h) {
    if (h->kind == MARGIN_MODEL_LIST && h->n == 0) { return mgn_size_mul(h->width, h->d); }
    return mgn_size_mul(h->n, mgn_size_up(mgn_head_deep(h), 2u));
}

/* ---- the head of a model in memory ---- */

/* The types of numbers: OP(counts, bytes, get, put, at, v), where `counts` is 1 if a head keeps the
 * number, `bytes` is what it takes in an image, and `get` and `put` read it there into v and write
 * it. What the model has fewer bits for than the image must fit them. */
#define MGN_T_REAL(OP, at, v)                                                                      \
    OP(0, 4u, (margin_real)mgn_get_float(at), fits = mgn_put_real(at, v, fits), at, v)
#define MGN_T_CHANCE(OP, at, v)                                                                    \
    OP(0, 2u, (margin_real)mgn_get16(at) / 32768, mgn_put16(at, (uint16_t)((v)*32768)), at, v)
#define MGN_T_SIZE(OP, at, v) OP(1, 4u, mgn_get_size(at), mgn_put32(at, (uint32_t)(v)), at, v)
#define MGN_T_H16(OP, at, v)                                                                       \
    OP(1, 2u, (size_t)mgn_get16(at), fits = mgn_put_half(at, v, fits), at, v)
#define MGN_T_U32(OP, at, v) OP(0, 4u, mgn_get32(at), mgn_put32(at, v), at, v)
#define MGN_T_I32(OP, at, v) OP(0, 4u, (int32_t)mgn_get32(at), mgn_put32(at, (uint32_t)(v)), at, v)
#define MGN_T_U16(OP, at, v) OP(1, 2u, mgn_get16(at), mgn_put16(at, v), at, v)
#define MGN_T_I16(OP, at, v) OP(0, 2u, (int16_t)mgn_get16(at), mgn_put16(at, (uint16_t)(v)), at, v)
#define MGN_T_U8(OP, at, v) OP(1, 1u, MARGIN_LOAD(uint8_t, at), *(at) = (unsigned char)(v), at, v)
#define MGN_T_B16(OP, at, v) MGN_T_U8(OP, at, v)
#define MGN_T_N16(OP, at, v)                                                                       \
    OP(1, 4u, (uint16_t)mgn_get_within(&fits, mgn_get32(at), UINT16_MAX), mgn_put32(at, v), at, v)
#define MGN_T_W8(OP, at, v)                                                                        \
    OP(1, 2u, (uint8_t)mgn_get_within(&fits, mgn_get16(at), UINT8_MAX), mgn_put16(at, v), at, v)
#define MGN_T_CUT(OP, at, v)                                                                       \
    OP(0, 4u, mgn_get_if(h->kernel != MARGIN_KERNEL_POLY, at),                                     \
       (void)(h->kernel != MARGIN_KERNEL_POLY ? mgn_put32(at, v) : (void)0), at, v)
#define MGN_T_ADD(OP, at, v)                                                                       \
    OP(0, 4u, (int32_t)mgn_get_if(h->kernel == MARGIN_KERNEL_POLY, at),                            \
       (void)(h->kernel == MARGIN_KERNEL_POLY ? mgn_put32(at, (uint32_t)(v)) : (void)0), at, v)
#define MGN_T_MACHINES(OP, at, v)                                                                  \
    OP(0, 0u,                                                                                      \
       (uint16_t)mgn_get_within(&fits, (uint32_t)margin_machines(h->scheme, h->classes),           \
                                UINT16_MAX),                                                       \
       (void)(v), at, v)

/* Enters a number that stands at a place of the head, if a head keeps that place. */
static MGN_INLINE void mgn_head_set(mgn_image_head *h, unsigned place, size_t value) {
    if (place == 7u) { h->format = (uint8_t)value; }
    if (place == 16u) { h->n = value; }
    if (place == 20u) { h->d = value; }
    if (place == 24u) { h->classes = (uint16_t)value; }
    if (place == 26u) { h->width = (uint16_t)value; }
    if (place == 28u) { h->scheme = (uint8_t)value; }
    if (place == 29u) { h->kernel = (uint8_t)value; }
    if (place == 30u) { h->degree = (uint8_t)value; }
    if (place == 38u) { h->step = (uint16_t)value; }
    if (place == 50u || place == 60u) { h->rank = value; } /* of integer models, and of others */
}

/* The elements of arrays: OP(type, bytes in an image, flag of the head or 0, ...). */
#define MGN_E_REAL(OP, v, n) OP(margin_real, MGN_REALS, 0, v, n)
#define MGN_E_OFFSET(OP, v, n) OP(margin_real, MGN_REALS, MGN_FLAG_SCALED, v, n)
#define MGN_E_FACTOR(OP, v, n) OP(margin_real, MGN_REALS, MGN_FLAG_SCALED, v, n)
#define MGN_E_CURVE(OP, v, n) OP(margin_real, MGN_REALS, MGN_FLAG_CURVED, v, n)
#define MGN_E_CURVE_Q(OP, v, n) OP(int16_t, MGN_HALVES, MGN_FLAG_CURVED, v, n)
#define MGN_E_GAIN(OP, v, n) OP(uint16_t, MGN_HALVES, MGN_FLAG_GAINS, v, n)
#define MGN_E_PICK(OP, v, n) OP(uint8_t, MGN_BYTES, MGN_FLAG_PICKED, v, n)
#define MGN_E_U32(OP, v, n) OP(uint32_t, MGN_WORDS, 0, v, n)
#define MGN_E_I32(OP, v, n) OP(int32_t, MGN_WORDS, 0, v, n)
#define MGN_E_U16(OP, v, n) OP(uint16_t, MGN_HALVES, 0, v, n)
#define MGN_E_U8(OP, v, n) OP(uint8_t, MGN_BYTES, 0, v, n)
#define MGN_E_Q(OP, v, n) OP(void, mgn_head_q(h), 0, v, n)
#define MGN_E_COEF(OP, v, n) OP(void, mgn_head_coef(h), 0, v, n)

#define MGN_HEAD_0(place, value)
#define MGN_HEAD_1(place, value) mgn_head_set(&head, place, value);
#define MGN_HEAD_OF(counts, bytes, get, put, place, value) MGN_HEAD_##counts(place, value)
#define MGN_HEAD_N(field, type, place) MGN_T_##type(MGN_HEAD_OF, place, m->field)
#define MGN_FLAG_OF(type, bytes, flag, v, n)                                                       \
    head.flags = (uint8_t)(head.flags | mgn_flag_of(v, flag));
#define MGN_FLAG_A(field, element, count) MGN_E_##element(MGN_FLAG_OF, m->field, 0)
#define MGN_FLAG_S(field) MGN_FLAG_OF(, , MGN_FLAG_STAGE, m->field, 0)
#define MGN_HEAD_CASE(number, type, member, FIELDS)                                                \
    case number: {                                                                                 \
        const type *m = &model->of.member;                                                         \
        FIELDS(MGN_FLAG_A, MGN_HEAD_N, MGN_FLAG_S)                                                 \
        break;                                                                                     \
    }

static unsigned mgn_flag_of(const void *v, unsigned flag) {
    return v != NULL ? flag : 0u;
}

/* The kind is 0 where it is unknown: then all else is 0 too. */
#define MGN_HEAD_FUNCTION(name, type, KINDS)                                                       \
    static mgn_image_head name(const type *model) {                                                \
        mgn_image_head head = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};                          \
        head.kind = model->kind;                                                                   \
        switch (model->kind) {                                                                     \
            KINDS(MGN_HEAD_CASE)                                                                   \
        default:                                                                                   \
            head.kind = 0;                                                                         \
            break;                                                                                 \
        }                                                                                          \
        return head;                                                                               \
    }
MGN_HEAD_FUNCTION(mgn_head_of, margin_model, MGN_KINDS)
MGN_HEAD_FUNCTION(mgn_head_of_q, margin_model_q, MGN_KINDS_Q)

/* A pointer to a type that a list names. */
#define MGN_TO(type) type *

/* Where an integer model of a known kind keeps its stage. */
#define MGN_STAGE_S(field) return &m->field;
#define MGN_STAGE_CASE(number, type, member, FIELDS)                                               \
    case number: {                                                                                 \
        MGN_TO(type) m = &model->of.member;                                                        \
        FIELDS(MGN_SKIP_A, MGN_SKIP_N, MGN_STAGE_S)                                                \
    }
static const margin_stage_q **mgn_stage_of(margin_model_q *model) {
    switch (model->kind) {
        MGN_KINDS_Q(MGN_STAGE_CASE)
    default:
        MARGIN_ASSERT(false); /* there is no other kind */
        return &model->of.linear.stage;
    }
}

static margin_stage_q mgn_stage_in(const mgn_image_head *h, margin_model_q *model) {
    const margin_stage_q none = {NULL, NULL, NULL};
    const margin_stage_q *stage = (h->flags & MGN_FLAG_STAGE) != 0 ? *mgn_stage_of(model) : NULL;
    return stage != NULL ? *stage : none;
}

/* ---- walks over the arrays of a model ---- */

/* Elements of arrays by their bytes in an image; reals are margin_real here and binary32 there. */
enum { MGN_REALS = 0, MGN_BYTES = 1, MGN_HALVES = 2, MGN_WORDS = 4 };

/* The bytes of values in the format of a model, and of its coefficients. */
static unsigned mgn_head_q(const mgn_image_head *h) {
    return h->format == MARGIN_Q15 ? MGN_HALVES : MGN_BYTES;
}

static unsigned mgn_head_coef(const mgn_image_head *h) {
    return mgn_head_narrow(h) ? MGN_BYTES : MGN_HALVES;
}

/* A walk calls `visit` for each array `v` of a model, `at` being its place in the image, and puts
 * what that returns into the model. */
typedef struct mgn_walk mgn_walk;
typedef const void *(*mgn_visit)(mgn_walk *walk, const void *v, unsigned type, size_t count);
struct mgn_walk {
    mgn_visit visit;
    unsigned char *image; /* written by those that write */
    const unsigned char *from;
    margin_arena *mem;
    size_t at; /* SIZE_MAX: more bytes than can be counted, and it stays so */
    bool fits; /* cleared by a visit that finds something wrong */
};

#define MGN_IMAGE_HEAD_Q                                                                           \
    (MARGIN_IMAGE_HEAD + 4u) /* integer models have the unit of their scores there */

static mgn_walk mgn_walk_make(mgn_visit visit, size_t at) {
    mgn_walk walk = {NULL, NULL, NULL, NULL, 0, true};
    walk.visit = visit;
    walk.at = at;
    return walk;
}

static size_t mgn_element(unsigned type) {
    return type == MGN_REALS ? 4u : type;
}

/* Arrays without elements are NULL; all others start at multiples of four bytes. */
static const void *mgn_walk_array(mgn_walk *walk, const void *v, unsigned type, size_t count) {
    const size_t bytes = mgn_size_up(mgn_size_mul(count, mgn_element(type)), 4u);
    if (count == 0) { return NULL; }
    v = walk->visit(walk, v, type, count);
    walk->at = mgn_size_add(walk->at, bytes);
    return v;
}

/* Does nothing: the walk only counts bytes. */
static const void *mgn_visit_none(mgn_walk *walk, const void *v, unsigned type, size_t count) {
    (void)walk;
    (void)type;
    (void)count;
    return v;
}

/* Clears `fits` where an array is missing. */
static const void *mgn_visit_given(mgn_walk *walk, const void *v, unsigned type, size_t count) {
    (void)type;
    (void)count;
    walk->fits = walk->fits && v != NULL;
    return v;
}

/* Clears `fits` where a real is not finite. */
static const void *mgn_visit_finite(mgn_walk *walk, const void *v, unsigned type, size_t count) {
    for (size_t i = 0; type == MGN_REALS && walk->fits && i < count; i++) {
        walk->fits = mgn_finite(MARGIN_LOAD(margin_real, (const margin_real *)v + i));
    }
    return v;
}

#define MGN_WALK_OF(type, bytes, flag, v, n)                                                       \
    v = (const type *)mgn_walk_array(walk, v, (unsigned)(bytes), n);
#define MGN_WALK_A(field, element, count) MGN_E_##element(MGN_WALK_OF, m->field, count)
#define MGN_WALK_CASE(number, type, member, FIELDS)                                                \
    case number: {                                                                                 \
        MGN_TO(type) m = &model->of.member;                                                        \
        FIELDS(MGN_WALK_A, MGN_SKIP_N, MGN_SKIP_S)                                                 \
        break;                                                                                     \
    }

static void mgn_walk_model(mgn_walk *walk, const mgn_image_head *h, margin_model *model) {
    switch (h->kind) {
        MGN_KINDS(MGN_WALK_CASE)
    default:
        MARGIN_ASSERT(false); /* there is no other kind */
        break;
    }
}

/* The arrays of an integer model, and of its input stage, which is a struct of its own. */
static void mgn_walk_model_q(mgn_walk *walk, const mgn_image_head *h, margin_model_q *model,
                             margin_stage_q *stage) {
    const size_t staged = (h->flags & MGN_FLAG_STAGE) != 0 ? h->d : 0;
    switch (h->kind) {
        MGN_KINDS_Q(MGN_WALK_CASE)
    default: /* margin_model_check_q refuses other kinds after its walk over no arrays */
        break;
    }
    stage->offset = (const int32_t *)mgn_walk_array(walk, stage->offset, MGN_WORDS, staged);
    stage->factor = (const int16_t *)mgn_walk_array(walk, stage->factor, MGN_HALVES, staged);
    stage->shift = (const uint8_t *)mgn_walk_array(walk, stage->shift, MGN_BYTES, staged);
}

/* ---- >>quant ---- the predictors in integers, and the checks of integer models --------------- */

static inline int16_t mgn_q_limit(int32_t a) {
    return (int16_t)(a > INT16_MAX ? INT16_MAX : a < INT16_MIN ? INT16_MIN : a);
}

static inline uint32_t mgn_q_size(int32_t a) {
    return a < 0 ? 0u - (uint32_t)a : (uint32_t)a;
}

/* a * b >> 16, rounded down. */
static inline int32_t mgn_q_scale_signed(int32_t a, uint16_t b) {
    return (a >> 16) * (int32_t)b + (int32_t)(((uint32_t)(a & 0xFFFF) * b) >> 16);
}

/* ---- linear ---- */

/* No partial sum leaves 32 bits, since sum |w| * 2^15 + |bias| < 2^31. */
static MGN_INLINE void mgn_q_linear(const margin_linear_q *l, const int16_t *x, int32_t *scores,
                                    unsigned format, bool scaled) {
    const unsigned char *w = (const unsigned char *)l->w;
    for (size_t j = 0; j < l->vote.machines; j++) {
        scores[j] = mgn_q_row(MARGIN_LOAD(int32_t, l->bias + j), w, x, l->d, format);
        if (scaled) {
            scores[j] = mgn_q_scale_signed(scores[j], MARGIN_LOAD(uint16_t, l->scales + j));
        }
        if (l->vote.scheme != MARGIN_SCHEME_ORDINAL) { /* those share their weights */
            w += (size_t)l->d * (format == MARGIN_Q15 ? 2u : 1u);
        }
    }
}

/* ---- expansions ---- */

/* A kernel value: the upper half of `high`, a signed number, divided by 2^down, down < 32. */
typedef struct {
    uint32_t high;
    mgn_q_count down;
} mgn_q_term;

/* A coefficient times a kernel value, rounded down; at most 2^30 in size. */
static MGN_INLINE int32_t mgn_q_product(int16_t coef, mgn_q_term term) {
    return mgn_q_down(mgn_q_times_high(coef, term.high), term.down);
}

/* 2^-u 2^-down as a term, u = s * gain * 2^(up - 40): 0 from s = cut on. Below that s * 2^up fits
 * 32 bits, and u + down < 32. */
static MGN_INLINE mgn_q_term mgn_q_exp_term(const margin_kernel_q *k, uint32_t s) {
    const mgn_q_count up = k->up, down = k->down;
    const uint16_t gain = k->gain;
    mgn_q_term term = {0, 0};
    if (s < k->cut) {
        const uint32_t u = mgn_q_scale(mgn_q_up(s, up), gain);
        term.high = mgn_q_mantissa_high(u);
        term.down = (mgn_q_count)(down + (u >> 24));
    }
    return term;
}

/* A sum and what one more vector adds to it. Only of poly, whose values are not bounded by 1,
 * could the sum leave 32 bits: it is kept within 2^30. */
static MGN_INLINE int32_t mgn_q_add(int32_t sum, int32_t product, unsigned kind) {
    const int32_t most = INT32_C(1) << 30;
    sum += product;
    if (kind == MARGIN_KERNEL_POLY) { sum = sum > most ? most : sum < -most ? -most : sum; }
    return sum;
}

/* Whether coefficients are int8_t: in q7 those of one-rest models, where they are many and have a
 * scale a machine, and those of hinge units, which were learned in eight bits and have one scale
 * for all machines. All others are int16_t. */
static inline bool mgn_q_narrow(const margin_expansion_q *e) {
    return e->format == MARGIN_Q7 &&
           (e->vote.scheme == MARGIN_SCHEME_ONE_REST || e->kernel.kind == MARGIN_KERNEL_HINGE);
}

/* Adds the terms of vector v to all machines of a narrow model: it has one coefficient for each. */
static MGN_Q_SPREAD void mgn_q_spread_narrow(const margin_expansion_q *e, size_t v, mgn_q_term term,
                                             int32_t *scores, unsigned kind) {
    const int8_t *coef = (const int8_t *)e->coef + v * e->width;
    for (size_t j = 0; j < e->width; j++) {
        scores[j] = mgn_q_add(scores[j], mgn_q_product(MARGIN_LOAD(int8_t, coef + j), term), kind);
    }
}

/* Adds the terms of vector v to its machines. With one machine for each pair of classes these are
 * the machines of its class c: first (0, c), (1, c) .. (c - 1, c), whose numbers lie classes - 2,
 * classes - 3, .. apart, then (c, c + 1), .. without gaps. */
static MGN_Q_SPREAD void mgn_q_spread(const margin_expansion_q *e, size_t v, mgn_q_term term,
                                      int32_t *scores, unsigned kind) {
    const size_t width = e->width;
    const int16_t *coef = (const int16_t *)e->coef + v * width;
    size_t c = 0;
    while (mgn_scheme_pairs(e->vote.scheme) && v >= MARGIN_LOAD(uint16_t, e->class_end + c)) {
        c++;
    }
    scores += c > 0 ? c - 1u : 0;
    for (size_t j = 0; j < width; j++) {
        *scores = mgn_q_add(*scores, mgn_q_product(MARGIN_LOAD(int16_t, coef + j), term), kind);
        scores += j + 1u < c ? width - 1u - j : j + 1u == c ? width - j : 1u;
    }
}

/* poly: with every vector sum |v| * 2^15 < 2^31, so that dot products fit for every input. The
 * base gamma x.v + coef0 is a fraction of the largest that was expected, in 2^-(15 + up): with
 * shift > 0 the product is below 2^30, and |add| is not above that. It is limited to what was
 * expected and made a mantissa of 15 bits with an exponent, as its powers are: few bases come near
 * to the largest, and the power of a small one is as right as that of a large one. */
static MGN_Q_EACH mgn_q_term mgn_q_poly_value(const margin_kernel_q *k, int32_t dot) {
    const int32_t base = (mgn_q_scale_signed(dot, k->gain) >> k->shift) + k->add;
    const uint32_t one = UINT32_C(0x8000) << k->up;
    uint32_t size = mgn_q_size(base), power, down = 0;
    mgn_q_term term = {0, 0};
    size = size < one ? size : one - 1u;
    for (; size > 0 && size < one / 2u; size *= 2u) { down += k->power; }
    size >>= k->up;
    power = size;
    for (unsigned i = k->power; i > 1u;
         i--) { /* of two mantissas, 2^14 to 2^15, one of twice 15 bits */
        power *= size;
        if (power < UINT32_C(0x20000000)) {
            power *= 2u;
            down++;
        }
        power >>= 15;
    }
    down += k->down;
    if (down < 32u) {
        term.high = (base < 0 && k->power % 2u != 0 ? 0u - power : power) << 16;
        term.down = (mgn_q_count)down;
    }
    return term;
}

/* 1 / |x|: with the scaled length |x| 2^lift from 2^15 to 2^16, 2^31 divided by it. */
typedef struct {
    uint16_t inverse;
    int8_t lift;
} mgn_q_length;

static mgn_q_length mgn_q_measure_length(const int16_t *x, size_t d) {
    mgn_q_length out = {0, 0};
    uint64_t sum = 0;
    uint32_t norm, root = 0;
    for (size_t k = 0; k < d; k++) { sum += (uint32_t)((int32_t)x[k] * x[k]); }
    for (; sum > UINT32_MAX; sum >>= 2) { out.lift--; }
    norm = (uint32_t)sum;
    if (norm == 0) { return out; }
    for (; norm < UINT32_C(0x40000000); norm <<= 2) { out.lift++; }
    for (uint32_t bit = 0x8000u; bit != 0; bit >>= 1) {
        if ((root + bit) * (root + bit) <= norm) { root += bit; }
    }
    norm = UINT32_C(0x80000000) / root;
    out.inverse = (uint16_t)(norm < 0xFFFFu ? norm : 0xFFFFu);
    return out;
}

/* (1 + cos(x, v)) / 2 in 2^-16, of the dot product of x with v and 2^(15 + shift) / |v|. Vectors
 * are such that dot products fit for every input, as in poly, and |v| < 2^shift <= 2^15. So the
 * dot product times 2^lift is less than 2^16 |v| <= 2^31, next comes cos |v| 2^15, then cos 2^(14
 * + shift). */
static inline uint16_t mgn_q_half_cosine(int32_t dot, mgn_q_length x, uint16_t v, uint8_t shift) {
    if (x.lift >= 0) {
        dot = (int32_t)((uint32_t)dot << x.lift);
    } else {
        dot >>= -x.lift;
    }
    int32_t c = mgn_q_scale_signed(mgn_q_scale_signed(dot, x.inverse), v);
    c = (c >> (shift - 1u)) + 32768;
    return (uint16_t)(c < 0 ? 0 : c > 65535 ? 65535 : c);
}

/* -log2 t in 2^-15, of t in 2^-16 (in the middle between t and the next): after a shift into 1/2
 * <= t < 1 a polynomial of degree 5 in 1 - t; worst error 1.25 units of 2^-15, searched for as
 * that of the exponential. All products fit 31 bits, some are negative. */
static inline uint32_t mgn_q_minus_log2(uint16_t t) {
    uint32_t s = 0;
    for (; t < 0x8000u; s += 0x8000u) { t = (uint16_t)(t * 2u + 1u); } /* at most 16 times */
    const int32_t h = (int32_t)(0xFFFFu - t);
    int32_t p = ((INT32_C(46015) * h) >> 16) - 15596;
    p = ((p * h) >> 16) + 23987;
    p = ((p * h) >> 16) + 22586;
    p = (int32_t)(((uint32_t)p * (uint32_t)h) >> 16) + 47320;
    return s + (((uint32_t)p * (uint32_t)h) >> 16) + 1u;
}

/* What kernels need to know of an input. */
typedef struct {
    uint32_t norm;       /* rbf: |x|^2 */
    mgn_q_length length; /* unit */
} mgn_q_input;

/* Units of the input in one of vector v. */
static MGN_INLINE uint16_t mgn_q_step(const margin_expansion_q *e, size_t v) {
    return e->kernel.step != 0 ? e->kernel.step : MARGIN_LOAD(uint16_t, e->steps + v);
}

/* The kernel value of vector v as a term.
 *
 * rbf: |x - v|^2 = |x|^2 + |v|^2 - 2 x.v is exact modulo 2^32, and so exact, because the reach
 * keeps it below: (sqrt(reach) + |v|)^2 < 2^32. Norms are halved and rounded up to units of
 * 2^shift, so that the distance never comes out negative; what that adds to it, the coefficient
 * takes back.
 *
 * unit-poly: t^a = 2^-(a (-log2 t)). unit-exp: what does not depend on t in (a^t - 1) / (a - 1) is
 * part of coefficients and biases; a^t = a 2^-((1 - t) log2 a), or 2^-(t log2 (1/a)) for a < 1. */
static MGN_Q_EACH mgn_q_term mgn_q15_rbf_value(const margin_expansion_q *e, size_t v, uint32_t dot,
                                               const mgn_q_input *in) {
    const uint32_t half = mgn_q_up(MARGIN_LOAD(uint16_t, e->norms + v), e->kernel.shift);
    return mgn_q_exp_term(&e->kernel, in->norm + 2u * (half - dot));
}

static MGN_Q_EACH mgn_q_term mgn_q7_rbf_value(const margin_expansion_q *e, size_t v, uint32_t dot,
                                              const mgn_q_input *in) {
    const uint32_t half = mgn_q_up(MARGIN_LOAD(uint16_t, e->norms + v), e->kernel.shift);
    return mgn_q_exp_term(&e->kernel, in->norm + 2u * (half - dot * mgn_q_step(e, v)));
}

/* hinge: v.x + t, which fits 31 bits, in units of 2^shift, limited to what a term holds. Thresholds
 * are whole multiples of 2^up, stored as the uint16_t that norms are. */
static MGN_Q_EACH mgn_q_term mgn_q_hinge_value(const margin_expansion_q *e, size_t v,
                                               uint32_t dot) {
    const margin_kernel_q *k = &e->kernel;
    const int16_t threshold = (int16_t)MARGIN_LOAD(uint16_t, e->norms + v);
    const int32_t sum = (int32_t)(dot + mgn_q_up((uint32_t)(int32_t)threshold, k->up));
    mgn_q_term term = {0, 0};
    if (sum > 0) {
        const int32_t value = mgn_q_down(sum, k->shift);
        term.high = (uint32_t)(value < 32767 ? value : 32767) << 16;
        term.down = k->down;
    }
    return term;
}

static MGN_Q_EACH mgn_q_term mgn_q_unit_value(const margin_expansion_q *e, size_t v, uint32_t dot,
                                              const mgn_q_input *in, unsigned kind) {
    const margin_kernel_q *k = &e->kernel;
    const uint16_t norm = MARGIN_LOAD(uint16_t, e->norms + v);
    const uint16_t t = mgn_q_half_cosine((int32_t)dot, in->length, norm, k->shift);
    if (kind == MARGIN_KERNEL_UNIT_POLY) { return mgn_q_exp_term(k, mgn_q_minus_log2(t)); }
    return mgn_q_exp_term(k, k->power != 0 ? t : 0xFFFFu - (uint32_t)t);
}

static MGN_INLINE mgn_q_term mgn_q_value(const margin_expansion_q *e, size_t v, uint32_t dot,
                                         const mgn_q_input *in, unsigned format, unsigned kind) {
    if (kind == MARGIN_KERNEL_POLY) { return mgn_q_poly_value(&e->kernel, (int32_t)dot); }
    if (kind == MARGIN_KERNEL_HINGE) { return mgn_q_hinge_value(e, v, dot); }
    if (kind == MARGIN_KERNEL_RBF) {
        if (format == MARGIN_Q15) { return mgn_q15_rbf_value(e, v, dot, in); }
        return mgn_q7_rbf_value(e, v, dot, in);
    }
    return mgn_q_unit_value(e, v, dot, in, kind);
}

/* Computes what the kernel needs to know of an input. Returns false where all kernel values are 0:
 * for rbf beyond the reach. */
static MGN_INLINE bool mgn_q_input_of(const margin_expansion_q *e, const int16_t *x, unsigned kind,
                                      mgn_q_input *in) {
    if (kind == MARGIN_KERNEL_RBF) { return mgn_q_within(x, e->d, e->kernel.reach, &in->norm); }
    if (mgn_kernel_is_unit(kind)) { in->length = mgn_q_measure_length(x, e->d); }
    return true;
}

/* Dot products of x with the vectors from v on, and how many these are: `block` is that of
 * mgn_q_dots. The last vectors of hinge units, where they do not fill a block, are rows. */
static MGN_INLINE size_t mgn_q_next(const margin_expansion_q *e, const void **block, size_t v,
                                    const int16_t *x, unsigned format, unsigned kind,
                                    uint32_t *dots) {
    if (kind == MARGIN_KERNEL_HINGE && v >= e->n / MGN_Q_BLOCK * MGN_Q_BLOCK) {
        const size_t bytes = format == MARGIN_Q15 ? 2u : 1u, wide = (e->d + e->d % 2u) * bytes;
        const unsigned char *row = (const unsigned char *)e->vectors + v * wide;
        dots[0] = (uint32_t)mgn_q_row(0, row, x, e->d, format);
        return 1;
    }
    *block = mgn_q_dots(*block, v, x, e->d, format, dots);
    return MGN_Q_LANES;
}

/* The scores of a model with any number of machines. */
static MGN_INLINE void mgn_q_many(const margin_expansion_q *e, const int16_t *x, int32_t *scores,
                                  unsigned format, unsigned kind) {
    const void *block = e->vectors;
    const bool narrow = format == MARGIN_Q7 && mgn_q_narrow(e);
    mgn_q_input in = {0, {0, 0}};
    const size_t n = mgn_q_input_of(e, x, kind, &in) ? e->n : 0;
    for (size_t j = e->vote.machines; j-- > 0;) { scores[j] = 0; }
    for (size_t v = 0, some; v < n; v += some) {
        uint32_t dots[MGN_Q_LANES];
        some = mgn_q_next(e, &block, v, x, format, kind, dots);
        for (size_t t = 0; t < some; t++) {
            const mgn_q_term term = mgn_q_value(e, v + t, dots[t], &in, format, kind);
            if (narrow) {
                if (term.high != 0) { mgn_q_spread_narrow(e, v + t, term, scores, kind); }
            } else {
                mgn_q_spread(e, v + t, term, scores, kind);
            }
        }
    }
    for (size_t j = e->vote.machines; j-- > 0;) {
        int32_t sum = scores[e->width == 1u ? 0 : j];
        if (narrow && kind != MARGIN_KERNEL_HINGE) {
            sum = mgn_q_scale_signed(sum, MARGIN_LOAD(uint16_t, e->scales + j));
        }
        scores[j] = sum + MARGIN_LOAD(int32_t, e->bias + j);
    }
}

/* The score of a model with one machine. */
static MGN_INLINE int32_t mgn_q_one(const margin_expansion_q *e, const int16_t *x, unsigned format,
                                    unsigned kind) {
    const bool narrow = format == MARGIN_Q7 && kind == MARGIN_KERNEL_HINGE;
    const void *block = e->vectors;
    mgn_q_input in = {0, {0, 0}};
    const bool near = mgn_q_input_of(e, x, kind, &in);
    int32_t sum = 0;
    for (size_t v = 0, some; near && v < e->n; v += some) {
        uint32_t dots[MGN_Q_LANES];
        MGN_Q_FORGET(v);
        some = mgn_q_next(e, &block, v, x, format, kind, dots);
        for (size_t t = 0; t < some; t++) {
            const mgn_q_term term = mgn_q_value(e, v + t, dots[t], &in, format, kind);
            const int16_t coef =
                (int16_t)(narrow ? MARGIN_LOAD(int8_t, (const int8_t *)e->coef + v + t)
                                 : MARGIN_LOAD(int16_t, (const int16_t *)e->coef + v + t));
            sum = mgn_q_add(sum, mgn_q_product(coef, term), kind);
        }
    }
    return sum + MARGIN_LOAD(int32_t, e->bias);
}

/* ---- lists ---- */

/* Goes through the vectors of a pool until a cut decides, and returns which. Each kernel value is
 * added to the sums of all cuts that have not been passed yet. Reaches are multiples of
 * MGN_Q_LANES. */
static MGN_INLINE size_t mgn_q_list_pool(const margin_list_q *l, const int16_t *x, int32_t *raw,
                                         unsigned format, unsigned kind) {
    int32_t sums[MARGIN_LIST_MOST];
    const margin_expansion_q *e = &l->pool;
    const size_t cuts = e->width;
    const void *block = e->vectors;
    mgn_q_input in = {0, {0, 0}};
    const bool near = mgn_q_input_of(e, x, kind, &in);
    size_t v = 0, j = 0;
    MARGIN_ASSERT(cuts > 0 && cuts <= MARGIN_LIST_MOST);
    for (size_t c = 0; c < cuts; c++) { sums[c] = 0; }
    for (;; j++) {
        const size_t to = near ? MARGIN_LOAD(uint16_t, l->reach + j) : 0;
        for (; v < to; v += MGN_Q_LANES) {
            uint32_t dots[MGN_Q_LANES];
            block = mgn_q_dots(block, v, x, e->d, format, dots);
            for (size_t t = 0; t < MGN_Q_LANES; t++) {
                const mgn_q_term term = mgn_q_value(e, v + t, dots[t], &in, format, kind);
                const int16_t *coef = (const int16_t *)e->coef + (v + t) * cuts;
                for (size_t c = j; c < cuts; c++) {
                    const int32_t more = mgn_q_product(MARGIN_LOAD(int16_t, coef + c), term);
                    sums[c] = mgn_q_add(sums[c], more, kind);
                }
            }
        }
        *raw = sums[j] + MARGIN_LOAD(int32_t, e->bias + j);
        if (*raw > 0 || j + 1u >= cuts) { return j; }
    }
}

static MGN_INLINE size_t mgn_q_list_rows(const margin_list_q *l, const int16_t *x, int32_t *raw,
                                         unsigned format) {
    const margin_expansion_q *e = &l->pool;
    const unsigned char *w = (const unsigned char *)e->vectors;
    for (size_t j = 0;; j++) {
        *raw = mgn_q_row(MARGIN_LOAD(int32_t, e->bias + j), w, x, e->d, format);
        if (*raw > 0 || j + 1u >= e->width) { return j; }
        w += (size_t)e->d * (format == MARGIN_Q15 ? 2u : 1u);
    }
}

static MGN_INLINE size_t mgn_q_list(const margin_list_q *l, const int16_t *x, int32_t *score,
                                    unsigned format, unsigned kind) {
    int32_t raw;
    const size_t j = kind == MARGIN_KERNEL_LINEAR ? mgn_q_list_rows(l, x, &raw, format)
                                                  : mgn_q_list_pool(l, x, &raw, format, kind);
    *score = MARGIN_LOAD(uint8_t, l->target + j) == 0 ? -raw : raw;
    return j;
}

/* ---- prototypes ---- */

/* The nearest models of the class at hand, and the least scores of the classes before it; those are
 * INT32_MAX where no model is left early. */
typedef struct {
    int32_t near[MARGIN_PROTO_NTH];
    int32_t first, second;
    size_t c;
} mgn_q_proto_state;

/* A class begins. Models that are not nearer than the second nearest class so far cannot change the
 * answer, so that they need not be found. */
static void mgn_q_proto_far(const margin_proto_q *p, mgn_q_proto_state *s) {
    MARGIN_ASSERT(p->nth > 0 && p->nth <= MARGIN_PROTO_NTH);
    for (size_t j = 0; j < p->nth; j++) { s->near[j] = s->second; }
}

/* A class has ended: its score takes its place among the two least. */
static void mgn_q_proto_rank(mgn_q_proto_state *s, int32_t score) {
    if (score < s->first) {
        s->second = s->first;
        s->first = score;
    } else if (score < s->second) {
        s->second = score;
    }
}

/* Moves on to the class of model m. */
static MGN_INLINE void mgn_q_proto_reach(const margin_proto_q *p, mgn_q_proto_state *s, size_t m,
                                         const int32_t *scores, bool exits) {
    while (m >= MARGIN_LOAD(uint16_t, p->class_end + s->c)) {
        if (exits) { mgn_q_proto_rank(s, scores[s->c]); }
        s->c++;
        mgn_q_proto_far(p, s);
    }
}

/* Model m, at the distance z, takes its place among the nearest of its class. */
static MGN_INLINE void mgn_q_proto_end(const margin_proto_q *p, mgn_q_proto_state *s, size_t m,
                                       int32_t z, int32_t *scores, bool exits) {
    size_t j = p->nth - 1u;
    MARGIN_ASSERT(j < MARGIN_PROTO_NTH);
    mgn_q_proto_reach(p, s, m, scores, exits);
    for (; z < s->near[j]; j--) {
        if (j == 0 || z >= s->near[j - 1u]) {
            s->near[j] = z;
            break;
        }
        s->near[j] = s->near[j - 1u];
    }
    scores[s->c] = s->near[p->nth - 1u];
}

/* The number of features after which a model without tangents may be found to be too far away. */
static inline size_t mgn_q_proto_half(size_t d) {
    return d / 4u * 2u;
}

/* What the first half of the features of a centroid adds to a distance, in units of 2^16 and
 * rounded down: length2 2^(2 left - 2 - up), where length2 is the squared length of that half; see
 * mgn_q_centroid_fits. */
static uint32_t mgn_q_proto_part(const margin_proto_q *p, uint64_t length2) {
    const unsigned up = 2u * p->left, down = 18u + p->up;
    const uint64_t part = up >= down ? length2 << (up - down) : length2 >> (down - up);
    return part < UINT16_MAX ? (uint32_t)part : UINT16_MAX;
}

/* Whether the rest of `count` models from m on can be skipped. `dots` are their products with the
 * first half of x. They can if that half alone puts them at or beyond the distance that they would
 * have to be below to matter. For models of a later class this distance may have fallen by then, so
 * the present one is on the safe side. */
static MGN_INLINE bool mgn_q_proto_leave(const margin_proto_q *p, const mgn_q_proto_state *s,
                                         size_t m, size_t count, uint32_t norm,
                                         const uint32_t *dots) {
    const size_t end = MARGIN_LOAD(uint16_t, p->class_end + s->c);
    bool leave = true;
    for (size_t t = 0; t < count && leave; t++) {
        const uint32_t part = (uint32_t)MARGIN_LOAD(uint16_t, p->gains + m + t) << 16;
        const int32_t z = (int32_t)((norm << p->up) - (dots[t] << p->left) + part);
        leave = z >= (m + t < end ? s->near[p->nth - 1u] : s->second);
    }
    return leave;
}

/* Without tangents. Models whose distance is too large after half of the features are left. */
static MGN_INLINE void mgn_q_proto_quick(const margin_proto_q *p, const int16_t *x,
                                         mgn_q_proto_state *s, uint32_t norm, int32_t *scores,
                                         unsigned format) {
    const size_t half = mgn_q_proto_half(p->d), size = format == MARGIN_Q15 ? 2u : 1u;
    const size_t wide = (p->d + p->d % 2u) * size;
    uint32_t first = 0;
    for (size_t k = 0; k < half; k++) { first += (uint32_t)((int32_t)x[k] * x[k]); }
    for (size_t v = 0; v < p->n; v += MGN_Q_LANES) {
        const unsigned char *block = (const unsigned char *)p->vectors + (v - v % 4u) * wide;
        const size_t count = p->n - v < MGN_Q_LANES ? p->n - v : MGN_Q_LANES;
        uint32_t dots[MGN_Q_LANES], rest[MGN_Q_LANES];
        mgn_q_proto_reach(p, s, v, scores, true);
        (void)mgn_q_dots(block, v % 4u, x, half, format, dots);
        if (mgn_q_proto_leave(p, s, v, count, first, dots)) { continue; }
        (void)mgn_q_dots(block + 4u * half * size, v % 4u, x + half, p->d - half, format, rest);
        for (size_t t = 0; t < count; t++) {
            const uint32_t fixed = (uint32_t)MARGIN_LOAD(int32_t, p->constants + v + t);
            const uint32_t z = (norm << p->up) - ((dots[t] + rest[t]) << p->left) + fixed;
            mgn_q_proto_end(p, s, v + t, (int32_t)z, scores, true);
        }
    }
}

/* Every number is exact modulo 2^32, and margin_model_check_q has seen that no |x|^2 within reach
 * takes a distance out of 0 .. 2^31 - 1, a product t.x - constant out of int32_t, or the sum of the
 * squares out of 32 bits. */
static MGN_INLINE void mgn_q_proto_all(const margin_proto_q *p, const int16_t *x,
                                       mgn_q_proto_state *s, uint32_t norm, int32_t *scores,
                                       unsigned format) {
    const size_t tangents = p->tangents, rows = p->n * (1u + tangents);
    const void *block = p->vectors;
    uint32_t z = 0, sum = 0;
    size_t row = 0, m = 0;
    for (size_t v = 0; v < rows; v += MGN_Q_LANES) {
        const size_t count = rows - v < MGN_Q_LANES ? rows - v : MGN_Q_LANES;
        uint32_t dots[MGN_Q_LANES];
        block = mgn_q_dots(block, v, x, p->d, format, dots);
        for (size_t t = 0; t < count; t++) {
            const uint32_t fixed = (uint32_t)MARGIN_LOAD(int32_t, p->constants + v + t);
            if (row == 0) {
                z = (norm << p->up) - (dots[t] << p->left) + fixed;
                sum = 0;
            } else {
                const int32_t a = (int32_t)(dots[t] - fixed) >> MARGIN_LOAD(uint8_t, p->downs + m);
                sum += (uint32_t)a * (uint32_t)a;
            }
            if (row < tangents) {
                row++;
                continue;
            }
            if (tangents != 0) {
                const uint32_t along = mgn_q_scale(sum, MARGIN_LOAD(uint16_t, p->gains + m));
                z = along < z ? z - along : 0;
            }
            mgn_q_proto_end(p, s, m, (int32_t)z, scores, false);
            row = 0;
            m++;
        }
    }
}

/* The scores; with `exits` those of the two nearest classes alone are right, others are not below
 * them, nor equal to them in a class before. */
static MGN_INLINE void mgn_q_proto(const margin_proto_q *p, const int16_t *x, int32_t *scores,
                                   unsigned format, bool exits) {
    mgn_q_proto_state s;
    uint32_t norm;
    for (size_t c = 0; c < p->vote.classes; c++) { scores[c] = INT32_MAX; }
    if (!mgn_q_within(x, p->d, p->reach, &norm)) { return; }
    s.c = 0;
    s.first = s.second = INT32_MAX;
    mgn_q_proto_far(p, &s);
    if (exits && p->tangents == 0 && mgn_q_proto_half(p->d) > 0) {
        mgn_q_proto_quick(p, x, &s, norm, scores, format);
    } else {
        mgn_q_proto_all(p, x, &s, norm, scores, format);
    }
}

/* (b - a) / (b + a) for distances, in 2^-15; what is negative cannot be one and counts as 0. */
static int32_t mgn_q_nearer(int32_t a, int32_t b) {
    const uint32_t x = a > 0 ? (uint32_t)a : 0, y = b > 0 ? (uint32_t)b : 0;
    uint32_t sum = x + y, size = x < y ? y - x : x - y;
    while (sum >= UINT32_C(0x10000)) {
        sum /= 2u;
        size /= 2u;
    }
    size = sum > 0 ? (size << 15) / sum : 0;
    return x < y ? (int32_t)size : -(int32_t)size;
}

/* The nearest class but `label`, the first of several; there are two classes or more. */
static uint16_t mgn_q_other(size_t classes, const int32_t *scores, size_t label) {
    size_t other = label == 0 ? 1u : 0;
    for (size_t b = other + 1u; b < classes; b++) {
        other = b != label && scores[b] < scores[other] ? b : other;
    }
    return (uint16_t)other;
}

/* The two nearest classes by their scores, and the answer. */
static void mgn_q_proto_found(const margin_vote_q *vote, const int32_t *scores,
                              margin_proto_found_q *found) {
    const bool alone = vote->classes == 1u;
    found->nearest = margin_elect_q(MARGIN_SCHEME_NEAREST, vote->classes, scores);
    found->second = alone ? 0 : mgn_q_other(vote->classes, scores, found->nearest);
    found->distance = scores[found->nearest];
    found->runner = !alone ? scores[found->second] : vote->reject > 0 ? vote->reject : INT32_MAX;
    found->margin = mgn_q_nearer(found->distance, found->runner);
    found->label = margin_decide_q(vote, scores);
}

/* ---- projections ---- */

/* Row by row: the weighted sum, its scale, the shift, the limits of an input. */
static MGN_INLINE void mgn_q_project(const margin_projected_q *p, const int16_t *x, int16_t *z,
                                     unsigned format) {
    const unsigned char *row = (const unsigned char *)p->front;
    for (size_t r = 0; r < p->pool.d; r++) {
        const int32_t sum =
            mgn_q_row(MARGIN_LOAD(int32_t, p->front_bias + r), row, x, p->d, format);
        z[r] = mgn_q_limit(mgn_q_down(
            mgn_q_scale_signed(sum, MARGIN_LOAD(uint16_t, p->front_scales + r)), p->front_down));
        row += (size_t)p->d * (format == MARGIN_Q15 ? 2u : 1u);
    }
}

/* ---- the predictors that margin.h lists ---- */

/* Each inlines the loop for its kernel and format, which are constants there, and nothing else. */
#define MGN_DEFINE_LINEAR(name, kernel, format)                                                    \
    MARGIN_API void name(const margin_linear_q *model, const int16_t *x, int32_t *scores) {        \
        mgn_q_linear(model, x, scores, format, false);                                             \
    }
#define MGN_DEFINE_SCALED(name, kernel, format)                                                    \
    MARGIN_API void name(const margin_linear_q *model, const int16_t *x, int32_t *scores) {        \
        mgn_q_linear(model, x, scores, format, true);                                              \
    }
#define MGN_DEFINE_SEVERAL(name, kernel, format)                                                   \
    MARGIN_API void name(const margin_expansion_q *model, const int16_t *x, int32_t *scores) {     \
        mgn_q_many(model, x, scores, format, kernel);                                              \
    }
#define MGN_DEFINE_ONE(name, kernel, format)                                                       \
    MARGIN_API int32_t name(const margin_expansion_q *model, const int16_t *x) {                   \
        return mgn_q_one(model, x, format, kernel);                                                \
    }
#define MGN_DEFINE_LIST(name, kernel, format)                                                      \
    MARGIN_API size_t name(const margin_list_q *model, const int16_t *x, int32_t *score) {         \
        return mgn_q_list(model, x, score, format, kernel);                                        \
    }
#define MGN_DEFINE_PROTO(name, kernel, format)                                                     \
    MARGIN_API void name(const margin_proto_q *model, const int16_t *x, int32_t *scores) {         \
        mgn_q_proto(model, x, scores, format, false);                                              \
    }
#define MGN_DEFINE_PROJECT(name, kernel, format)                                                   \
    MARGIN_API void name(const margin_projected_q *model, const int16_t *x, int16_t *z) {          \
        mgn_q_project(model, x, z, format);                                                        \
    }
#define MGN_DEFINE_FIND(name, kernel, format)                                                      \
    MARGIN_API void name(const margin_proto_q *model, const int16_t *x, int32_t *scores,           \
                         margin_proto_found_q *found) {                                            \
        mgn_q_proto(model, x, scores, format, true);                                               \
        mgn_q_proto_found(&model->vote, scores, found);                                            \
    }
#define MGN_DEFINE_Q(name, shape, kernel, format)                                                  \
    MGN_DEFINE_##shape(name, MARGIN_KERNEL_##kernel, MARGIN_##format)
MARGIN_PREDICTORS_Q(MGN_DEFINE_Q)

/* Calls the predictor of a shape, kernel and format. The shape is a constant, so that no call of
 * another shape is compiled. Returns which cut of a list decided, otherwise 0. */
enum {
    MGN_Q_LINEAR,
    MGN_Q_SCALED,
    MGN_Q_SEVERAL,
    MGN_Q_ONE,
    MGN_Q_LIST,
    MGN_Q_PROTO,
    MGN_Q_PROJECT,
    MGN_Q_FIND
};
#define MGN_CALL_LINEAR(name) (name((const margin_linear_q *)model, x, scores), (size_t)0)
#define MGN_CALL_SCALED(name) MGN_CALL_LINEAR(name)
#define MGN_CALL_SEVERAL(name) (name((const margin_expansion_q *)model, x, scores), (size_t)0)
#define MGN_CALL_ONE(name) (*scores = name((const margin_expansion_q *)model, x), (size_t)0)
#define MGN_CALL_LIST(name) name((const margin_list_q *)model, x, scores)
#define MGN_CALL_PROTO(name) (name((const margin_proto_q *)model, x, scores), (size_t)0)
#define MGN_CALL_PROJECT(name) (size_t)0 /* these two have other results than scores */
#define MGN_CALL_FIND(name) (size_t)0
#define MGN_CALL_Q(name, shape_of, kernel_of, format_of)                                           \
    if (shape == MGN_Q_##shape_of && kernel == MARGIN_KERNEL_##kernel_of &&                        \
        format == MARGIN_##format_of) {                                                            \
        return MGN_CALL_##shape_of(name);                                                          \
    }
static MGN_INLINE size_t mgn_q_call(unsigned shape, const void *model, unsigned kernel,
                                    unsigned format, const int16_t *x, int32_t *scores) {
    MARGIN_PREDICTORS_Q(MGN_CALL_Q)
    *scores = 0; /* margin_model_check_q accepts no such model */
    return 0;
}

MARGIN_API size_t margin_list_ask_q(const margin_list_q *model, const int16_t *x, int32_t *score) {
    return mgn_q_call(MGN_Q_LIST, model, model->pool.kernel.kind, model->pool.format, x, score);
}

/* The scores of an expansion of any kernel and format. */
static void mgn_q_expansion_scores(const margin_expansion_q *e, const int16_t *x, int32_t *scores) {
    if (e->vote.machines == 1u) {
        (void)mgn_q_call(MGN_Q_ONE, e, e->kernel.kind, e->format, x, scores);
    } else {
        (void)mgn_q_call(MGN_Q_SEVERAL, e, e->kernel.kind, e->format, x, scores);
    }
}

MARGIN_API void margin_pick_q(const margin_projected_q *model, const int16_t *x, int16_t *z) {
    for (size_t k = 0; k < model->d; k++) {
        if (mgn_is_picked(model->picked, k)) { *z++ = x[k]; }
    }
}

static void mgn_q_projected_scores(const margin_projected_q *p, const int16_t *x, int32_t *scores) {
    int16_t z[MARGIN_RANK_MOST];
    if (p->picked != NULL) {
        margin_pick_q(p, x, z);
    } else if (p->pool.format == MARGIN_Q15) {
        margin_project_q15(p, x, z);
    } else {
        margin_project_q7(p, x, z);
    }
    mgn_q_expansion_scores(&p->pool, z, scores);
}

MARGIN_API void margin_scores_q(const margin_model_q *model, const int16_t *x, int32_t *scores) {
    const margin_linear_q *linear = &model->of.linear;
    if (model->kind == MARGIN_MODEL_LINEAR && linear->scales != NULL) {
        (void)mgn_q_call(MGN_Q_SCALED, linear, 0, linear->format, x, scores);
    } else if (model->kind == MARGIN_MODEL_LINEAR) {
        (void)mgn_q_call(MGN_Q_LINEAR, linear, 0, linear->format, x, scores);
    } else if (model->kind == MARGIN_MODEL_PROTO) {
        (void)mgn_q_call(MGN_Q_PROTO, &model->of.proto, 0, model->of.proto.format, x, scores);
    } else if (model->kind == MARGIN_MODEL_LIST) {
        (void)margin_list_ask_q(&model->of.list, x, scores);
    } else if (model->kind == MARGIN_MODEL_PROJECTED) {
        mgn_q_projected_scores(&model->of.projected, x, scores);
    } else {
        mgn_q_expansion_scores(&model->of.expansion, x, scores);
    }
}

/* ---- from scores to an answer ---- */

/* a - b within the range of scores, from -INT32_MAX to INT32_MAX. */
static inline int32_t mgn_q_minus(int32_t a, int32_t b) {
    if (b < 0 ? a > INT32_MAX + b : a < b - INT32_MAX) { return b < 0 ? INT32_MAX : -INT32_MAX; }
    return a - b;
}

/* By how much the scores prefer class a to class b. Distances have mgn_q_nearer instead. */
static int32_t mgn_q_favour(unsigned scheme, size_t classes, const int32_t *scores, size_t a,
                            size_t b) {
    if (scheme == MARGIN_SCHEME_ONE_REST) { return mgn_q_minus(scores[a], scores[b]); }
    if (scheme == MARGIN_SCHEME_ORDINAL) { return a < b ? -scores[a] : scores[a - 1u]; }
    if (a < b) { return -scores[mgn_pair_machine(classes, a, b)]; }
    return scores[mgn_pair_machine(classes, b, a)];
}

MARGIN_API int32_t margin_margin_q(unsigned scheme, size_t classes, const int32_t *scores,
                                   size_t label) {
    int32_t least = INT32_MAX;
    if (scheme == MARGIN_SCHEME_NEAREST && classes > 1u) {
        return mgn_q_nearer(scores[label], scores[mgn_q_other(classes, scores, label)]);
    }
    for (size_t b = 0; b < classes; b++) {
        if (b != label) {
            const int32_t favour = mgn_q_favour(scheme, classes, scores, label, b);
            least = favour < least ? favour : least;
        }
    }
    return least;
}

/* Votes for class a, and in *sum by how much all its machines prefer it. */
static size_t mgn_q_votes(size_t classes, const int32_t *scores, size_t a, int64_t *sum) {
    size_t votes = 0;
    *sum = 0;
    for (size_t b = 0; b < classes; b++) {
        if (b != a) {
            const int32_t favour = mgn_q_favour(MARGIN_SCHEME_ONE_ONE, classes, scores, a, b);
            votes += (a > b ? favour > 0 : favour >= 0) ? 1u : 0u;
            *sum += favour;
        }
    }
    return votes;
}

MARGIN_API uint16_t margin_elect_q(unsigned scheme, size_t classes, const int32_t *scores) {
    size_t best = 0, most = 0;
    int64_t top = INT64_MIN;
    if (scheme == MARGIN_SCHEME_BINARY || scheme == MARGIN_SCHEME_ORDINAL) {
        for (; best + 1u < classes && scores[best] > 0; best++) {}
        return (uint16_t)best;
    }
    for (size_t a = 1; a < classes && scheme == MARGIN_SCHEME_NEAREST; a++) {
        best = scores[a] < scores[best] ? a : best;
    }
    for (size_t a = 0; a < classes && scheme != MARGIN_SCHEME_NEAREST; a++) {
        int64_t sum = scheme == MARGIN_SCHEME_ONE_REST ? scores[a] : 0;
        size_t votes = 0;
        if (scheme != MARGIN_SCHEME_ONE_REST) { votes = mgn_q_votes(classes, scores, a, &sum); }
        if (votes > most || (votes == most && sum > top && scheme != MARGIN_SCHEME_VOTES)) {
            best = a;
            most = votes;
            top = sum;
        }
    }
    return (uint16_t)best;
}

MARGIN_API uint16_t margin_decide_q(const margin_vote_q *vote, const int32_t *scores) {
    const uint16_t winner = margin_elect_q(vote->scheme, vote->classes, scores);
    if (vote->reject > 0 &&
        (mgn_vote_alone(vote->scheme, vote->classes)
             ? scores[0] > vote->reject
             : margin_margin_q(vote->scheme, vote->classes, scores, winner) < vote->reject)) {
        return MARGIN_REJECTED;
    }
    return winner;
}

/* The logarithm of the odds that a score means, in 2^-25, at most 2^31 in size. */
static int32_t mgn_q_odds(const margin_vote_q *vote, int32_t score) {
    const int32_t end = (int32_t)MGN_CURVE_END << 25, m = score >> vote->down;
    int32_t t = (int32_t)mgn_q_limit(m) * vote->slope + vote->shift;
    if (vote->curve !=
        NULL) { /* corrections in 2^-12, at most 2^28 here; beyond 2^30 all is sure */
        const int32_t u = (t < -end ? 0 : t < end ? t + end : 2 * end - 1);
        const int16_t *at = vote->curve + (u >> 25);
        const int16_t a = MARGIN_LOAD(int16_t, at), b = MARGIN_LOAD(int16_t, at + 1);
        const int32_t way = ((int32_t)b - a) * ((u >> 11) & 0x3FFF); /* in 2^-26 */
        t = t > INT32_C(1) << 30      ? INT32_C(1) << 30
            : t < -(INT32_C(1) << 30) ? -(INT32_C(1) << 30)
                                      : t;
        t += (int32_t)a * 8192 + (way >> 1);
    }
    return t;
}

/* 1 / (1 + 2^-t) in 2^-30, t in 2^-25: with e = 2^-|t| the answer is 1 / (1 + e) or e / (1 + e),
 * the latter with all bits of the mantissa. */
static uint32_t mgn_q_sigmoid(int32_t t) {
    const uint32_t u = mgn_q_size(t) >> 1; /* from 2^-25 to 2^-24 */
    const unsigned whole = (unsigned)(u >> 24) < 31u ? (unsigned)(u >> 24) : 31u;
    const uint32_t mantissa = mgn_q_mantissa_high(u) >> 15;
    const uint32_t divisor = UINT32_C(0x10000) + (mantissa >> whole);
    if (t < 0) { return ((mantissa << 15) / divisor << 15) >> whole; }
    return UINT32_C(0x80000000) / divisor << 15;
}

/* As mgn_rival, in 2^-15. */
static uint32_t mgn_q_rival(size_t classes, const int32_t *r, size_t a, size_t b) {
    return a < b ? 0x8000u - (uint32_t)r[mgn_pair_machine(classes, a, b)]
                 : (uint32_t)r[mgn_pair_machine(classes, b, a)];
}

/* From weights to shares of 32768; what rounding leaves over goes to the largest. */
static void mgn_q_shares(size_t classes, uint16_t *p) {
    uint32_t sum = 0, left = 0x8000u;
    size_t largest = 0;
    for (size_t c = 0; c < classes; c++) {
        sum += p[c];
        largest = p[c] > p[largest] ? c : largest;
    }
    const uint32_t all = sum > 0 ? sum : 1u; /* if every weight vanishes, the first class has all */
    for (size_t c = 0; c < classes; c++) {
        p[c] = (uint16_t)((((uint32_t)p[c] << 15)) / all);
        left -= p[c];
    }
    p[largest] = (uint16_t)(p[largest] + left);
}

/* As mgn_couple_solve, limited to 16 bits. */
static uint16_t mgn_q_couple_solve(size_t classes, const int32_t *r, const uint16_t *p, size_t t,
                                   uint64_t level) {
    uint64_t diagonal = classes < 2u; /* a class without rivals divides by 1 */
    for (size_t j = 0; j < classes; j++) {
        if (j != t) {
            const uint32_t lost = mgn_q_rival(classes, r, j, t), square = lost * lost;
            diagonal += square;
            level += (uint64_t)(lost * (0x8000u - lost)) * p[j];
        }
    }
    level = (level + diagonal / 2u) / diagonal;
    return (uint16_t)(level < UINT16_MAX ? level : UINT16_MAX);
}

/* As mgn_couple, but always so many sweeps: rounding of 2^-15 would hide convergence. */
#define MGN_Q_COUPLE_SWEEPS 10u

static void mgn_q_couple(size_t classes, const int32_t *r, uint16_t *p) {
    for (size_t t = 0; t < classes; t++) { p[t] = 1; }
    mgn_q_shares(classes, p);
    for (unsigned sweep = 0; sweep < MGN_Q_COUPLE_SWEEPS; sweep++) {
        /* The level as in mgn_couple, in 2^-45, of p in 2^-15. */
        uint64_t sum = 0;
        for (size_t t = 0; t < classes; t++) {
            for (size_t j = 0; j < t; j++) {
                const uint32_t lost = mgn_q_rival(classes, r, j, t);
                const int32_t differ = (int32_t)(lost * p[t]) - (int32_t)((0x8000u - lost) * p[j]);
                const uint32_t size = mgn_q_size(differ) >> 4;
                sum += (uint64_t)size * size;
            }
        }
        const uint64_t level = sum >> 7;
        for (size_t t = 0; t < classes; t++) { p[t] = mgn_q_couple_solve(classes, r, p, t, level); }
        mgn_q_shares(classes, p);
    }
}

/* As margin_probabilities. */
MARGIN_API void margin_probabilities_q(const margin_vote_q *vote, int32_t *scores, uint16_t *p) {
    MARGIN_ASSERT(vote->classes > 0);
    if (vote->slope == 0) {
        for (size_t c = 0; c < vote->classes; c++) { p[c] = 1; }
    } else if (mgn_scheme_pairs(vote->scheme)) {
        for (size_t j = 0; j < vote->machines; j++) {
            const int32_t m = mgn_q_limit(scores[j] >> vote->down);
            const uint32_t r = (mgn_q_sigmoid(m * vote->slope) + 0x4000u) >> 15;
            scores[j] = (int32_t)(r == 0 ? 1u : r < 0x8000u ? r : 0x7FFFu);
        }
        mgn_q_couple(vote->classes, scores, p);
    } else if (vote->scheme == MARGIN_SCHEME_BINARY || vote->scheme == MARGIN_SCHEME_ORDINAL) {
        uint32_t above = 0x8000u;
        for (size_t c = 0; c + 1u < vote->classes; c++) {
            const uint32_t all = (mgn_q_sigmoid(mgn_q_odds(vote, scores[c])) + 0x4000u) >> 15;
            const uint32_t next = all < above ? all : above;
            p[c] = (uint16_t)(above - next);
            above = next;
        }
        p[vote->classes - 1u] = (uint16_t)above;
    } else {
        const size_t winner = margin_elect_q(vote->scheme, vote->classes, scores);
        for (size_t c = 0; c < vote->classes; c++) {
            const int32_t f = vote->scheme == MARGIN_SCHEME_NEAREST
                                  ? mgn_q_nearer(scores[c], scores[winner])
                                  : mgn_q_minus(scores[c], scores[winner]);
            const int32_t t = (int32_t)mgn_q_limit(f >> vote->down) * vote->slope;
            const uint32_t u = t < 0 ? (0u - (uint32_t)t) >> 1 : 0;
            p[c] = (uint16_t)((mgn_q_mantissa_high(u) >> 15) >> (u >> 24));
        }
    }
    mgn_q_shares(vote->classes, p);
}

/* As mgn_model_pool. */
static const margin_expansion_q *mgn_q_pool(const margin_model_q *model) {
    if (model->kind == MARGIN_MODEL_PROJECTED) { return &model->of.projected.pool; }
    if (model->kind == MARGIN_MODEL_LIST) { return &model->of.list.pool; }
    return model->kind == MARGIN_MODEL_EXPANSION ? &model->of.expansion : NULL;
}

MARGIN_API const margin_vote_q *margin_model_vote_q(const margin_model_q *model) {
    const margin_expansion_q *pool = mgn_q_pool(model);
    if (pool != NULL) { return &pool->vote; }
    return model->kind == MARGIN_MODEL_PROTO ? &model->of.proto.vote : &model->of.linear.vote;
}

/* ---- input ---- */

/* |x * factor| <= 2^15 (2^15 - 1) and |offset| < 2^30: the sum fits. */
MARGIN_API const int16_t *margin_prepare_q(const margin_stage_q *stage, size_t d, const int16_t *x,
                                           int16_t *work) {
    if (stage == NULL) { return x; }
    for (size_t k = 0; k < d; k++) {
        const int32_t product = (int32_t)MARGIN_LOAD(int16_t, stage->factor + k) * x[k];
        work[k] = mgn_q_limit((product + MARGIN_LOAD(int32_t, stage->offset + k)) >>
                              MARGIN_LOAD(uint8_t, stage->shift + k));
    }
    return work;
}

MARGIN_API void margin_input_q(const margin_scaling *input, const margin_real *x, int16_t *out) {
    for (size_t k = 0; k < input->d; k++) {
        margin_real a = x[k];
        if (input->offset != NULL) {
            a = (a - MARGIN_LOAD(margin_real, input->offset + k)) *
                MARGIN_LOAD(margin_real, input->factor + k);
        }
        a -= a < 0 ? MGN_R(0.5) : MGN_R(-0.5); /* never a sum: its code would be one more helper */
        if (a > -32769 && a < 32768) {
            out[k] = (int16_t)a;
        } else {
            out[k] = (int16_t)(a > 0 ? INT16_MAX : a < 0 ? INT16_MIN : 0);
        }
    }
}

MARGIN_API uint16_t margin_classify_q(const margin_model_q *model, const int16_t *x, int16_t *work,
                                      int32_t *scores) {
    const bool proto = model->kind == MARGIN_MODEL_PROTO;
    const margin_expansion_q *pool = mgn_q_pool(model);
    const margin_stage_q *stage = proto ? model->of.proto.stage : model->of.linear.stage;
    size_t d = proto ? model->of.proto.d : model->of.linear.d;
    if (pool != NULL) {
        stage = pool->stage;
        d = model->kind == MARGIN_MODEL_PROJECTED ? model->of.projected.d : pool->d;
    }
    margin_scores_q(model, margin_prepare_q(stage, d, x, work), scores);
    return margin_decide_q(margin_model_vote_q(model), scores);
}

/* ---- check ---- */

/* The least r with r^2 >= a, a < 2^62. */
static uint64_t mgn_q_root_up(uint64_t a) {
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit != 0; bit >>= 1) {
        if ((root + bit) * (root + bit) <= a) { root += bit; }
    }
    return root + (root * root < a ? 1u : 0u);
}

/* The alignment that vectors must have, because some loops read them by words of 32 bits. It is
 * less than 4 only where MARGIN_ALIGN is, on machines that read words from any address. */
#define MGN_Q_ALIGN (MARGIN_ALIGN < 4u ? MARGIN_ALIGN : 4u)

static bool mgn_q_stage_fits(const margin_stage_q *stage, size_t d) {
    const int32_t limit = INT32_C(1) << 30;
    bool fits = true;
    for (size_t k = 0; stage != NULL && fits && k < d; k++) {
        const int32_t offset = MARGIN_LOAD(int32_t, stage->offset + k);
        fits = MARGIN_LOAD(int16_t, stage->factor + k) >= 0 && offset < limit && offset > -limit &&
               MARGIN_LOAD(uint8_t, stage->shift + k) <= 30u;
    }
    return fits;
}

/* Whether what all kinds have in common is sound: format, features, vote and input stage. */
static bool mgn_q_frame_fits(unsigned format, size_t d, const margin_vote_q *vote,
                             const margin_stage_q *stage) {
    return (format == MARGIN_Q15 || format == MARGIN_Q7) && d > 0 &&
           ((vote->scheme == MARGIN_SCHEME_NEAREST
                 ? vote->classes >= 1u && vote->classes < MARGIN_REJECTED
                 : mgn_scheme_fits(vote->scheme, vote->classes)) &&
            vote->machines == margin_machines(vote->scheme, vote->classes) && vote->reject >= 0 &&
            vote->shift <= (INT32_C(1) << 30) && vote->shift >= -(INT32_C(1) << 30) &&
            vote->down < 32u && vote->include <= 32768u &&
            (vote->curve == NULL || vote->scheme == MARGIN_SCHEME_BINARY)) &&
           mgn_q_stage_fits(stage, d);
}

/* Whether the thresholds of ordinal machines are in order. */
static bool mgn_q_bias_fits(const margin_vote_q *vote, const int32_t *bias) {
    bool fits = true;
    for (size_t j = 1; vote->scheme == MARGIN_SCHEME_ORDINAL && j < vote->machines; j++) {
        fits = fits && MARGIN_LOAD(int32_t, bias + j) <= MARGIN_LOAD(int32_t, bias + j - 1u);
    }
    return fits;
}

/* Whether sum |w| * 2^15 + |bias| of the d weights from w[first] on stays within 31 bits. */
static bool mgn_q_row_fits(const void *w, size_t first, size_t d, int32_t bias, unsigned format) {
    uint64_t sum = mgn_q_size(bias);
    for (size_t i = first; i < first + d; i++) {
        const int32_t a = format == MARGIN_Q15 ? MARGIN_LOAD(int16_t, (const int16_t *)w + i)
                                               : MARGIN_LOAD(int8_t, (const int8_t *)w + i);
        sum += (uint64_t)mgn_q_size(a) << 15;
    }
    return sum <= INT32_MAX;
}

static bool mgn_q_linear_fits(const margin_linear_q *l) {
    bool fits =
        mgn_q_frame_fits(l->format, l->d, &l->vote, l->stage) && mgn_q_bias_fits(&l->vote, l->bias);
    for (size_t j = 0; fits && j < l->vote.machines; j++) {
        const size_t first = l->vote.scheme == MARGIN_SCHEME_ORDINAL ? 0 : j * l->d;
        fits = mgn_q_row_fits(l->w, first, l->d, MARGIN_LOAD(int32_t, l->bias + j), l->format);
    }
    return fits;
}

/* Of n vectors those that are stored in blocks. */
static size_t mgn_q_blocked(unsigned kind, size_t n) {
    return kind == MARGIN_KERNEL_HINGE ? n / MGN_Q_BLOCK * MGN_Q_BLOCK : SIZE_MAX;
}

/* Where element (v, k) of a pool is stored. */
static size_t mgn_q_place(size_t d, size_t v, size_t k, unsigned format, size_t blocked) {
    if (v >= blocked) { return v * (d + d % 2u) + k; }
    const size_t block = v / MGN_Q_BLOCK * MGN_Q_BLOCK * (d + d % 2u) + k / 2u * (2u * MGN_Q_BLOCK);
    const size_t lane = v % MGN_Q_BLOCK;
    return block +
           (format == MARGIN_Q15 ? lane * 2u + k % 2u : lane / 2u * 4u + k % 2u * 2u + lane % 2u);
}

static int16_t mgn_q_element(const margin_expansion_q *e, size_t v, size_t k) {
    const size_t i = mgn_q_place(e->d, v, k, e->format, mgn_q_blocked(e->kernel.kind, e->n));
    if (e->format == MARGIN_Q15) { return MARGIN_LOAD(int16_t, (const int16_t *)e->vectors + i); }
    return MARGIN_LOAD(int8_t, (const int8_t *)e->vectors + i);
}

/* |v|^2 in units of the vectors, and in *sum the sum of |v_k|: both below 2^47. */
static uint64_t mgn_q_length2(const margin_expansion_q *e, size_t v, uint64_t *sum) {
    uint64_t length2 = 0;
    *sum = 0;
    for (size_t k = 0; k < e->d; k++) {
        const uint32_t a = mgn_q_size(mgn_q_element(e, v, k));
        length2 += (uint64_t)a * a;
        *sum += a;
    }
    return length2;
}

/* The exponential: shifts stay below 32, and nothing leaves 32 bits. */
static bool mgn_q_exp_fits(const margin_kernel_q *k) {
    const uint64_t most = k->cut > 0 && k->up < 32u ? (uint64_t)(k->cut - 1u) << k->up : 0;
    return k->up < 32u && k->down < 32u && most <= UINT32_MAX &&
           (mgn_q_scale((uint32_t)most, k->gain) >> 24) + k->down < 32u;
}

/* Whether vector v is sound. rbf: no squared distance within reach leaves 32 bits or comes out
 * negative. hinge: v.x + t fits 31 bits for every input. poly and unit: so does v.x, and unit has
 * |v| < 2^shift. */
static bool mgn_q_vector_fits(const margin_expansion_q *e, size_t v) {
    const margin_kernel_q *k = &e->kernel;
    uint64_t sum, length2 = mgn_q_length2(e, v, &sum);
    if (k->kind == MARGIN_KERNEL_RBF) {
        const uint64_t twice = (uint64_t)MARGIN_LOAD(uint16_t, e->norms + v) << (k->shift + 1u);
        const uint64_t step = mgn_q_step(e, v), most = UINT64_C(1) << 32;
        if (step == 0 || length2 >= most || length2 * step >= most) { return false; }
        length2 *= step * step;
        if (twice < length2) { return false; } /* twice is below 2^32 */
        const uint64_t far = mgn_q_root_up(k->reach) + mgn_q_root_up(length2);
        return far * far + (twice - length2) <= UINT32_MAX;
    }
    if (k->kind == MARGIN_KERNEL_HINGE) {
        const int16_t threshold = (int16_t)MARGIN_LOAD(uint16_t, e->norms + v);
        return (sum << 15) + ((uint64_t)mgn_q_size(threshold) << k->up) <= INT32_MAX;
    }
    return sum < 65536u &&
           (k->kind == MARGIN_KERNEL_POLY || length2 < UINT64_C(1) << 2u * k->shift);
}

/* The numbers of the kernel, and all vectors. A vector of hinge has coefficients for one machine or
 * for all. */
static bool mgn_q_kernel_fits(const margin_expansion_q *e) {
    const margin_kernel_q *k = &e->kernel;
    const unsigned scheme = e->vote.scheme;
    bool fits = false;
    if (k->kind == MARGIN_KERNEL_RBF) {
        fits = mgn_q_exp_fits(k) && k->reach < UINT32_C(0xC0000000) && k->shift < 16u &&
               (e->format == MARGIN_Q7 || k->step == 1u);
    } else if (k->kind == MARGIN_KERNEL_POLY) {
        fits = k->power > 0 && k->shift > 0 && k->shift < 32u && k->down < 32u && k->up < 15u &&
               mgn_q_size(k->add) <= UINT32_C(1) << 30;
    } else if (k->kind == MARGIN_KERNEL_HINGE) {
        fits = k->shift < 31u && k->up < 16u && k->down < 32u &&
               (scheme == MARGIN_SCHEME_BINARY || scheme == MARGIN_SCHEME_ONE_REST);
    } else if (mgn_kernel_is_unit(k->kind)) {
        fits = k->shift > 0 && k->shift <= 15u && k->power <= 1u && mgn_q_exp_fits(k);
    }
    for (size_t v = 0; fits && v < e->n; v++) { fits = mgn_q_vector_fits(e, v); }
    return fits;
}

/* The most that vectors first to end - 1 add to the score of a machine by column j of their
 * coefficients: |coef| 32767 / 2^down, rounded away from 0. */
static uint64_t mgn_q_column_most(const margin_expansion_q *e, size_t first, size_t end, size_t j) {
    uint64_t sum = 0;
    for (size_t v = first; v < end; v++) {
        const size_t i = v * e->width + j;
        const int16_t coef =
            (int16_t)(mgn_q_narrow(e) ? MARGIN_LOAD(int8_t, (const int8_t *)e->coef + i)
                                      : MARGIN_LOAD(int16_t, (const int16_t *)e->coef + i));
        if (coef != 0) { sum += ((mgn_q_size(coef) * UINT32_C(32767)) >> e->kernel.down) + 1u; }
    }
    return sum;
}

/* The scores of machine m stay within 31 bits; the sums of poly are kept within 2^30. */
static bool mgn_q_sum_fits(const margin_expansion_q *e, size_t m) {
    const bool pairs = mgn_scheme_pairs(e->vote.scheme);
    uint64_t sum = mgn_q_size(MARGIN_LOAD(int32_t, e->bias + m));
    if (e->kernel.kind == MARGIN_KERNEL_POLY) { return sum < UINT32_C(1) << 30; }
    for (size_t c = 0, first = 0; c < (pairs ? e->vote.classes : 1u); c++) {
        const size_t end = pairs ? MARGIN_LOAD(uint16_t, e->class_end + c) : e->n;
        for (size_t j = 0; j < e->width; j++) {
            if (e->vote.scheme == MARGIN_SCHEME_ORDINAL ||
                mgn_machine(e->vote.scheme, e->vote.classes, c, j) == m) {
                sum += mgn_q_column_most(e, first, end, j);
            }
        }
        first = end;
    }
    return sum <= INT32_MAX;
}

/* Whether the ends of the classes never fall, and the last one is n. */
static bool mgn_q_ends_fit(const uint16_t *class_end, size_t classes, size_t n) {
    uint16_t last = 0;
    for (size_t c = 0; c < classes; c++) {
        const uint16_t end = MARGIN_LOAD(uint16_t, class_end + c);
        if (end < last) { return false; }
        last = end;
    }
    return last == n;
}

static bool mgn_q_expansion_fits(const margin_expansion_q *e) {
    bool fits = mgn_q_frame_fits(e->format, e->d, &e->vote, e->stage) && e->n > 0 &&
                (e->n % MGN_Q_BLOCK == 0 || e->kernel.kind == MARGIN_KERNEL_HINGE) &&
                mgn_q_bias_fits(&e->vote, e->bias);
    fits = fits &&
           (!mgn_scheme_pairs(e->vote.scheme) ||
            mgn_q_ends_fit(e->class_end, e->vote.classes, e->n)) &&
           mgn_q_kernel_fits(e) && e->width == mgn_scheme_width(e->vote.scheme, e->vote.classes);
    for (size_t m = 0; fits && m < e->vote.machines; m++) { fits = mgn_q_sum_fits(e, m); }
    return fits;
}

/* Targets are classes, the last one 1; reaches grow to n in blocks. */
static bool mgn_q_list_order_fits(const margin_list_q *l) {
    const size_t cuts = l->pool.width;
    uint16_t last = 0;
    for (size_t j = 0; j < cuts; j++) {
        const uint16_t reach = l->pool.n > 0 ? MARGIN_LOAD(uint16_t, l->reach + j) : 0;
        if (MARGIN_LOAD(uint8_t, l->target + j) > 1u || reach < last || reach % MGN_Q_BLOCK != 0) {
            return false;
        }
        last = reach;
    }
    return last == l->pool.n && MARGIN_LOAD(uint8_t, l->target + cuts - 1u) == 1u;
}

static bool mgn_q_list_fits(const margin_list_q *l) {
    const margin_expansion_q *e = &l->pool;
    const bool linear = e->kernel.kind == MARGIN_KERNEL_LINEAR;
    bool fits = mgn_q_frame_fits(e->format, e->d, &e->vote, e->stage) && e->width > 0 &&
                e->width <= MARGIN_LIST_MOST && (e->n == 0) == linear && e->n % MGN_Q_BLOCK == 0 &&
                e->vote.scheme == MARGIN_SCHEME_BINARY && mgn_q_list_order_fits(l) &&
                (linear || mgn_q_kernel_fits(e));
    for (size_t j = 0; fits && j < e->width; j++) {
        fits = linear ? mgn_q_row_fits(e->vectors, j * e->d, e->d,
                                       MARGIN_LOAD(int32_t, e->bias + j), e->format)
                      : mgn_q_sum_fits(e, j);
    }
    return fits;
}

/* The number by which mgn_q_proto_leave judges a model is not above the true part of its first
 * half. */
static bool mgn_q_part_fits(const margin_proto_q *p, const margin_expansion_q *pool, size_t m) {
    uint64_t length2 = 0;
    for (size_t k = 0; k < mgn_q_proto_half(p->d); k++) {
        const int32_t q = mgn_q_element(pool, m, k);
        length2 += (uint64_t)((int64_t)q * q);
    }
    MARGIN_ASSERT(length2 < UINT64_C(1) << 32); /* as that of all features, checked before */
    return MARGIN_LOAD(uint16_t, p->gains + m) <= mgn_q_proto_part(p, length2);
}

/* Centroid: |c.x| and z stay within 31 bits, and z, whose least value over all lengths of x is
 * constant - |c|^2 2^(2 left - 2 - up), is not negative. */
static bool mgn_q_centroid_fits(const margin_proto_q *p, const margin_expansion_q *pool, size_t m) {
    const size_t row = m * (1u + (size_t)p->tangents);
    const int32_t fixed = MARGIN_LOAD(int32_t, p->constants + row);
    uint64_t sum;
    const uint64_t length2 = mgn_q_length2(pool, row, &sum);
    const uint64_t most = mgn_q_root_up(length2) * mgn_q_root_up(p->reach);
    return length2 < UINT64_C(1) << 32 && fixed >= 0 && most <= INT32_MAX &&
           ((uint64_t)p->reach << p->up) + (most << p->left) + (uint64_t)fixed <= INT32_MAX &&
           (uint64_t)fixed << (p->up + 2u) >= length2 << 2u * p->left &&
           (p->tangents > 0 || mgn_q_part_fits(p, pool, m));
}

/* Tangents: with G the largest sum of |t_i . t_j| over j, which is above all eigenvalues of their
 * Gram matrix (Gershgorin), sum (t.x)^2 <= G |x|^2; so the root of the sum of the squares is at
 * most (sqrt(G) |x| + |constants|) / 2^down + sqrt(32), rounding down included. */
static bool mgn_q_tangents_fit(const margin_proto_q *p, const margin_expansion_q *pool, size_t m) {
    const size_t row = m * (1u + (size_t)p->tangents) + 1u;
    const uint64_t reach = mgn_q_root_up(p->reach);
    const unsigned down = MARGIN_LOAD(uint8_t, p->downs + m);
    uint64_t gram = 0, fixed2 = 0, root;
    bool fits = down < 32u;
    for (size_t i = 0; i < p->tangents && fits; i++) {
        const uint64_t fixed = mgn_q_size(MARGIN_LOAD(int32_t, p->constants + row + i));
        uint64_t sum = 0;
        for (size_t j = 0; j < p->tangents; j++) {
            int64_t dot = 0;
            for (size_t k = 0; k < p->d; k++) {
                dot += (int64_t)mgn_q_element(pool, row + i, k) * mgn_q_element(pool, row + j, k);
            }
            sum += (uint64_t)(dot < 0 ? -dot : dot);
        }
        gram = sum > gram ? sum : gram;
        fixed2 += fixed * fixed / 64u + 1u;
        fits = mgn_q_root_up(mgn_q_length2(pool, row + i, &sum)) * reach + fixed <= INT32_MAX;
    }
    root = mgn_q_root_up(gram) * reach + 8u * mgn_q_root_up(fixed2);
    root = fits ? (root >> down) + 7u : UINT32_MAX;
    return root <= UINT16_MAX;
}

static bool mgn_q_proto_fits(const margin_proto_q *p) {
    bool fits = mgn_q_frame_fits(p->format, p->d, &p->vote, p->stage) && p->n > 0 &&
                p->tangents <= MARGIN_PROTO_TANGENTS && p->nth > 0 && p->nth <= MARGIN_PROTO_NTH &&
                p->up < 16u && p->left < 16u && p->reach < UINT32_C(0xC0000000) &&
                p->vote.scheme == MARGIN_SCHEME_NEAREST;
    margin_expansion_q pool;
    pool.vectors = p->vectors;
    pool.kernel.kind = MARGIN_KERNEL_RBF;
    pool.n = p->n;
    pool.d = p->d;
    pool.format = p->format;
    fits = fits && mgn_q_ends_fit(p->class_end, p->vote.classes, p->n);
    for (size_t m = 0; fits && m < p->n; m++) {
        fits = mgn_q_centroid_fits(p, &pool, m) &&
               (p->tangents == 0 || mgn_q_tangents_fit(p, &pool, m));
    }
    return fits;
}

/* Whether so many of d features are picked, and none beyond them. */
static bool mgn_picked_fits(const uint8_t *picked, size_t d, size_t rank) {
    size_t count = 0, beyond = 0;
    for (size_t k = 0; k < d; k++) { count += mgn_is_picked(picked, k) ? 1u : 0u; }
    for (size_t k = d; k % 8u != 0; k++) { beyond += mgn_is_picked(picked, k) ? 1u : 0u; }
    return count == rank && beyond == 0;
}

/* The front, and the pool, whose stage is that of the raw inputs. */
static bool mgn_q_projected_fits(const margin_projected_q *p) {
    margin_expansion_q pool = p->pool;
    bool fits = p->d > 0 && pool.d <= MARGIN_RANK_MOST && p->front_down < 32u &&
                mgn_q_stage_fits(pool.stage, p->d);
    pool.stage = NULL;
    fits = fits && mgn_q_expansion_fits(&pool) &&
           (p->picked == NULL || mgn_picked_fits(p->picked, p->d, pool.d));
    for (size_t r = 0; fits && p->picked == NULL && r < pool.d; r++) {
        fits = mgn_q_row_fits(p->front, r * p->d, p->d, MARGIN_LOAD(int32_t, p->front_bias + r),
                              pool.format);
    }
    return fits;
}

static bool mgn_q_model_fits(const margin_model_q *model) {
    if (model->kind == MARGIN_MODEL_LINEAR) { return mgn_q_linear_fits(&model->of.linear); }
    if (model->kind == MARGIN_MODEL_PROTO) { return mgn_q_proto_fits(&model->of.proto); }
    if (model->kind == MARGIN_MODEL_LIST) { return mgn_q_list_fits(&model->of.list); }
    if (model->kind == MARGIN_MODEL_PROJECTED) {
        return mgn_q_projected_fits(&model->of.projected);
    }
    return model->kind == MARGIN_MODEL_EXPANSION && mgn_q_expansion_fits(&model->of.expansion);
}

MARGIN_API margin_status margin_model_check_q(const margin_model_q *model) {
    mgn_walk walk = mgn_walk_make(mgn_visit_given, 0);
    if (model == NULL) { return MARGIN_E_ARGUMENT; }
    mgn_image_head head = mgn_head_of_q(model);
    margin_model_q copy = *model;
    margin_stage_q stage = mgn_stage_in(&head, &copy);
    mgn_walk_model_q(&walk, &head, &copy, &stage);
    /* Vectors in blocks are read by words of 32 bits, which must be aligned there. */
    const margin_expansion_q *pool = mgn_q_pool(model);
    const void *vectors = model->kind == MARGIN_MODEL_PROTO ? model->of.proto.vectors : NULL;
    if (pool != NULL && pool->n > 0) { vectors = pool->vectors; }
    if (!walk.fits || (uintptr_t)vectors % MGN_Q_ALIGN != 0) { return MARGIN_E_ARGUMENT; }
    return mgn_q_model_fits(model) ? MARGIN_OK : MARGIN_E_RANGE;
}

MARGIN_API int margin_compare_q(const margin_model_q *model, const int16_t *x, const int16_t *z,
                                int32_t *scores) {
    margin_scores_q(model, x, scores);
    const int32_t first = scores[0];
    margin_scores_q(model, z, scores);
    return (first > scores[0] ? 1 : 0) - (first < scores[0] ? 1 : 0);
}

/* ---- >>image ---- models read from bytes, after every length and value has been checked ------ */

/* An image is read in three steps: mgn_image_check looks at its length and checksum; the numbers
 * of its head become a model without arrays, whose counts must be possible and fill the image
 * exactly; and a walk over the arrays places or copies them, after which all that predictors rely
 * on is checked. What a head and the arrays consist of stands in >>kinds. */

static uint16_t mgn_get16(const unsigned char *p) {
    return (uint16_t)(MARGIN_LOAD(uint8_t, p) | (uint16_t)MARGIN_LOAD(uint8_t, p + 1) << 8);
}

static uint32_t mgn_get32(const unsigned char *p) {
    return mgn_get16(p) | (uint32_t)mgn_get16(p + 2) << 16;
}

/* A count, or SIZE_MAX where it does not fit: no image has that many bytes. */
static size_t mgn_get_size(const unsigned char *p) {
    const uint32_t v = mgn_get32(p);
    const size_t size = (size_t)v;
    return (uint32_t)size != v ? SIZE_MAX : size;
}

typedef union {
    float real;
    uint32_t bits;
} mgn_float;

static float mgn_get_float(const unsigned char *p) {
    mgn_float word;
    word.bits = mgn_get32(p);
    return word.real;
}

/* Whether the exponent is that of a finite number, found without floating point. */
static bool mgn_get_finite(const unsigned char *p) {
    return (mgn_get16(p + 2) & 0x7F80u) != 0x7F80u;
}

/* CRC-32 of `count` more bytes, bit by bit: an image is checked once, and a table would take a
 * kilobyte of flash. Starts with and ends as the complement. */
static uint32_t mgn_crc(uint32_t crc, const unsigned char *p, size_t count) {
    for (size_t i = 0; i < count; i++) {
        crc ^= MARGIN_LOAD(uint8_t, p + i);
        for (unsigned bit = 0; bit < 8u; bit++) {
            crc = crc >> 1 ^ ((crc & 1u) != 0 ? UINT32_C(0xEDB88320) : 0);
        }
    }
    return crc;
}

/* The checksum leaves out its own place, bytes 12 to 15. */
static uint32_t mgn_image_crc(const unsigned char *image, size_t size) {
    return ~mgn_crc(mgn_crc(UINT32_C(0xFFFFFFFF), image, 12), image + 16, size - 16u);
}

MARGIN_API const unsigned char *margin_image_notes(const void *image, size_t *count) {
    const unsigned char *p = (const unsigned char *)image;
    *count = mgn_get_size(p + 56);
    return p + (mgn_get_size(p + 8) - *count);
}

/* ---- visits of the arrays in an image ---- */

/* Whether reals are finite, and what fills an array up to a multiple of four bytes is zeros. */
static bool mgn_elements_fit(const mgn_walk *walk, unsigned type, size_t count) {
    const unsigned char *p = walk->from + walk->at;
    bool fits = true;
    for (size_t i = 0; type == MGN_REALS && fits && i < count; i++) {
        fits = mgn_get_finite(p + 4u * i);
    }
    for (size_t i = mgn_element(type) * count; i % 4u != 0; i++) {
        fits = fits && MARGIN_LOAD(uint8_t, p + i) == 0;
    }
    return fits;
}

/* Takes room for an array in the arena, and copies it there if there is something to copy from. */
static const void *mgn_visit_load(mgn_walk *walk, const void *v, unsigned type, size_t count) {
    const size_t size = type == MGN_REALS ? sizeof(margin_real) : (size_t)type;
    void *out = margin_arena_keep(walk->mem, count, size);
    (void)v;
    if (walk->from != NULL) {
        MARGIN_ASSERT(out != NULL); /* the walk before this one has found room */
        for (size_t i = 0; i < count; i++) {
            const unsigned char *p = walk->from + walk->at + mgn_element(type) * i;
            if (type == MGN_REALS) { ((margin_real *)out)[i] = (margin_real)mgn_get_float(p); }
            if (type == MGN_WORDS) { ((uint32_t *)out)[i] = mgn_get32(p); }
            if (type == MGN_HALVES) { ((uint16_t *)out)[i] = mgn_get16(p); }
            if (type == MGN_BYTES) { ((unsigned char *)out)[i] = MARGIN_LOAD(uint8_t, p); }
        }
        walk->fits = walk->fits && mgn_elements_fit(walk, type, count);
    }
    return out;
}

#ifndef MARGIN_REAL_DOUBLE

/* Leaves the array where it is in the image. */
static const void *mgn_visit_place(mgn_walk *walk, const void *v, unsigned type, size_t count) {
    (void)v;
    walk->fits = walk->fits && mgn_elements_fit(walk, type, count);
    return walk->from + walk->at;
}

/* Brings the elements into the byte order of the machine, or back. */
static const void *mgn_visit_swap(mgn_walk *walk, const void *v, unsigned type, size_t count) {
    const size_t bytes = mgn_element(type);
    unsigned char *p = walk->image + walk->at;
    for (size_t i = 0; i < count; i++, p += bytes) {
        for (size_t k = 0; k < bytes / 2u; k++) {
            const unsigned char low = p[k];
            p[k] = p[bytes - 1u - k];
            p[bytes - 1u - k] = low;
        }
    }
    return v;
}

static bool mgn_big_endian(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 0;
}

#endif /* MARGIN_REAL_DOUBLE */

/* ---- checks of real models; those of integer ones stand with them ---- */

/* Whether scheme, number of classes and the numbers of a vote make sense; `nearest` models have a
 * scheme of their own. */
static bool mgn_vote_fits(const margin_vote *vote, bool nearest) {
    const bool scheme = nearest ? vote->scheme == MARGIN_SCHEME_NEAREST && vote->classes >= 1u &&
                                      vote->classes < MARGIN_REJECTED
                                : mgn_scheme_fits(vote->scheme, vote->classes);
    return scheme && vote->reject >= 0 && mgn_finite(vote->reject) && mgn_finite(vote->slope) &&
           mgn_finite(vote->shift) && vote->include >= 0 && vote->include <= 1 &&
           (vote->curve == NULL || vote->scheme == MARGIN_SCHEME_BINARY);
}

/* A kernel, or the hinge of learned vectors, whose other parameters are sound but unused. A learned
 * vector belongs to no class, so it speaks to one machine or to those of all classes. */
static bool mgn_units_valid(const margin_expansion *e) {
    margin_kernel plain = e->kernel;
    if (plain.kind == MARGIN_KERNEL_HINGE) {
        plain.kind = MARGIN_KERNEL_LINEAR;
        if (e->vote.scheme != MARGIN_SCHEME_BINARY && e->vote.scheme != MARGIN_SCHEME_ONE_REST) {
            return false;
        }
    }
    return mgn_kernel_valid(&plain);
}

/* Whether the numbers of a model make sense. Arrays are not looked at. */
static bool mgn_model_shape(const margin_model *model) {
    const margin_expansion *e = mgn_model_pool(model);
    const margin_proto *p = &model->of.proto;
    if (model->kind == MARGIN_MODEL_LINEAR) {
        return mgn_vote_fits(&model->of.linear.vote, false) && model->of.linear.d > 0;
    }
    if (model->kind == MARGIN_MODEL_PROTO) {
        return mgn_vote_fits(&p->vote, true) && p->n > 0 && p->d > 0 &&
               p->tangents <= MARGIN_PROTO_TANGENTS && p->nth > 0 && p->nth <= MARGIN_PROTO_NTH;
    }
    if (e == NULL || !mgn_vote_fits(&e->vote, false) || e->n == 0 || e->d == 0 ||
        e->kernel.degree == 0 || !mgn_units_valid(e)) {
        return false;
    }
    if (model->kind == MARGIN_MODEL_LIST) {
        return mgn_kernel_valid(&e->kernel) && e->vote.scheme == MARGIN_SCHEME_BINARY &&
               e->width > 0 && e->width <= MARGIN_LIST_MOST;
    }
    if (model->kind == MARGIN_MODEL_PROJECTED &&
        (e->d > MARGIN_RANK_MOST || e->offset != NULL || model->of.projected.d == 0)) {
        return false;
    }
    return e->width == mgn_scheme_width(e->vote.scheme, e->vote.classes);
}

/* Whether the thresholds of ordinal machines are in order. */
static bool mgn_bias_fits(const margin_vote *vote, const margin_real *bias) {
    const size_t machines = margin_machines(vote->scheme, vote->classes);
    bool fits = true;
    for (size_t j = 1; vote->scheme == MARGIN_SCHEME_ORDINAL && j < machines; j++) {
        fits =
            fits && MARGIN_LOAD(margin_real, bias + j) <= MARGIN_LOAD(margin_real, bias + j - 1u);
    }
    return fits;
}

/* Whether the ends of the classes never fall, and the last one is n. */
static bool mgn_class_ends_fit(const uint32_t *class_end, size_t classes, size_t n) {
    uint32_t last = 0;
    for (size_t c = 0; c < classes; c++) {
        const uint32_t end = MARGIN_LOAD(uint32_t, class_end + c);
        if (end < last) { return false; }
        last = end;
    }
    return last == n;
}

static bool mgn_proto_sound(const margin_proto *p) {
    bool fits = mgn_class_ends_fit(p->class_end, p->vote.classes, p->n);
    for (size_t m = 0; fits && p->tangents > 0 && m < p->n; m++) {
        const margin_real exit = MARGIN_LOAD(margin_real, p->exits + m);
        fits = exit == 0 || exit >= 1;
    }
    return fits;
}

/* Reaches grow up to n; targets are 0 or 1, the last is 1. */
static bool mgn_list_sound(const margin_list *l) {
    const margin_expansion *e = &l->pool;
    uint32_t reach = 0, target = 0;
    for (size_t j = 0; j < e->width; j++) {
        const uint32_t more = MARGIN_LOAD(uint32_t, l->reach + j);
        target = MARGIN_LOAD(uint32_t, l->target + j);
        if (more < reach || more > e->n || target > 1u) { return false; }
        for (size_t v = (size_t)more; v < e->n; v++) { /* no coefficient but 0 beyond a reach */
            if (MARGIN_LOAD(margin_real, e->coef + v * e->width + j) != 0) { return false; }
        }
        reach = more;
    }
    return reach == e->n && target == 1u;
}

/* Whether the arrays of a model, all of whose numbers make sense and are finite, make sense. */
static bool mgn_model_sound(const margin_model *model) {
    const margin_expansion *e = &model->of.expansion;
    if (model->kind == MARGIN_MODEL_LINEAR) {
        return mgn_bias_fits(&model->of.linear.vote, model->of.linear.bias);
    }
    if (model->kind == MARGIN_MODEL_LIST) { return mgn_list_sound(&model->of.list); }
    if (model->kind == MARGIN_MODEL_PROTO) { return mgn_proto_sound(&model->of.proto); }
    if (model->kind == MARGIN_MODEL_PROJECTED && model->of.projected.picked != NULL &&
        !mgn_picked_fits(model->of.projected.picked, model->of.projected.d, e->d)) {
        return false;
    }
    return mgn_class_ends_fit(e->class_end, e->vote.classes, e->n) &&
           mgn_bias_fits(&e->vote, e->bias);
}

MARGIN_API margin_status margin_model_check(const margin_model *model) {
    mgn_walk given = mgn_walk_make(mgn_visit_given, 0), finite = mgn_walk_make(mgn_visit_finite, 0);
    if (model == NULL) { return MARGIN_E_ARGUMENT; }
    if (!mgn_model_shape(model)) { return MARGIN_E_RANGE; }
    mgn_image_head head = mgn_head_of(model);
    margin_model copy = *model;
    mgn_walk_model(&given, &head, &copy);
    if (!given.fits) { return MARGIN_E_ARGUMENT; }
    if (given.at == SIZE_MAX) { return MARGIN_E_RANGE; }
    mgn_walk_model(&finite, &head, &copy);
    return finite.fits && mgn_model_sound(model) ? MARGIN_OK : MARGIN_E_RANGE;
}

/* ---- reading ---- */

/* Magic number, version, length and checksum. */
static margin_status mgn_image_check(const unsigned char *p, size_t size) {
    if (p == NULL) { return MARGIN_E_ARGUMENT; }
    if (size < MARGIN_IMAGE_HEAD) { return MARGIN_E_IMAGE_SIZE; }
    if (mgn_get32(p) != UINT32_C(0x1A6E676D) || mgn_get16(p + 4) != MARGIN_IMAGE_VERSION) {
        return MARGIN_E_IMAGE;
    }
    if (mgn_get_size(p + 8) > size || mgn_get_size(p + 8) < MARGIN_IMAGE_HEAD + 4u) {
        return MARGIN_E_IMAGE_SIZE;
    }
    return mgn_get32(p + 12) == mgn_image_crc(p, mgn_get_size(p + 8)) ? MARGIN_OK
                                                                      : MARGIN_E_IMAGE_SUM;
}

static mgn_image_head mgn_head_parse(const unsigned char *p) {
    mgn_image_head head;
    head.kind = MARGIN_LOAD(uint8_t, p + 6);
    head.format = MARGIN_LOAD(uint8_t, p + 7);
    head.bytes = mgn_get_size(p + 8);
    head.n = mgn_get_size(p + 16);
    head.d = head.format == 0 ? mgn_get_size(p + 20) : mgn_get16(p + 20);
    head.classes = mgn_get16(p + 24);
    head.width = mgn_get16(p + 26);
    head.scheme = MARGIN_LOAD(uint8_t, p + 28);
    head.kernel = MARGIN_LOAD(uint8_t, p + 29);
    head.degree = MARGIN_LOAD(uint8_t, p + 30);
    head.flags = MARGIN_LOAD(uint8_t, p + 31);
    head.rank = 0;
    head.step = head.format == 0 ? 0 : mgn_get16(p + 38);
    if (head.kind == MARGIN_MODEL_PROJECTED) {
        head.rank = head.format == 0 ? mgn_get16(p + 60) : MARGIN_LOAD(uint8_t, p + 50);
    }
    head.notes = mgn_get_size(p + 56);
    return head;
}

/* The flag that only models behind a projection may have. */
static unsigned mgn_head_may_pick(const mgn_image_head *h) {
    return h->kind == MARGIN_MODEL_PROJECTED ? (unsigned)MGN_FLAG_PICKED : 0u;
}

/* MGN_USED: the bytes of the head in which a number is, a bit for each. */
#define MGN_GET_OF(counts, bytes, get, put, at, v) v = get;
#define MGN_GET_N(field, type, place) MGN_T_##type(MGN_GET_OF, (p + (place)), m->field)
#define MGN_USED_OF(counts, bytes, get, put, at, v)                                                \
    | ((UINT64_C(1) << (bytes)) - UINT64_C(1)) << (at)
#define MGN_USED_N(field, type, place) MGN_T_##type(MGN_USED_OF, place, )
#define MGN_GET_CASE(number, type, member, FIELDS)                                                 \
    case number: {                                                                                 \
        MGN_TO(type) m = &model->of.member;                                                        \
        FIELDS(MGN_SKIP_A, MGN_GET_N, MGN_SKIP_S)                                                  \
        used = 0 FIELDS(MGN_SKIP_A, MGN_USED_N, MGN_SKIP_S);                                       \
        break;                                                                                     \
    }

/* A number that only some models have. */
static uint32_t mgn_get_if(bool given, const unsigned char *p) {
    return given ? mgn_get32(p) : 0;
}

static uint32_t mgn_get_within(bool *fits, uint32_t value, uint32_t most) {
    *fits = *fits && value <= most;
    return value;
}

/* Bytes of the head in which a kind has no number must be 0. Those before 16 are the same for all
 * kinds; 31 has the flags, 56 to 59 the length of the notes. */
static bool mgn_rest_zero(const unsigned char *p, uint64_t used) {
    bool zero = true;
    used |= UINT64_C(0xFFFF) | UINT64_C(1) << 31 | UINT64_C(15) << 56;
    for (unsigned i = 0; i < MARGIN_IMAGE_HEAD; i++) {
        zero = zero && ((used >> i & 1u) != 0 || MARGIN_LOAD(uint8_t, p + i) == 0);
    }
    return zero;
}

/* Sets bytes to zero: numbers become 0, and pointers null. */
static void mgn_clear(void *p, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) { ((unsigned char *)p)[i] = 0; }
}

/* Whether the notes follow the arrays and end the image. An image has at least a head, so that
 * notes of more than the bytes after it cannot be there. */
static bool mgn_head_ends(const mgn_image_head *head, const mgn_walk *walk) {
    return walk->at < SIZE_MAX && head->notes <= head->bytes - MARGIN_IMAGE_HEAD &&
           walk->at == head->bytes - head->notes;
}

/* Reads the numbers of the head into a model without arrays, and checks that these numbers are
 * possible and that the arrays will fill the image exactly. */
static margin_status mgn_image_model(const unsigned char *p, size_t size, mgn_image_head *h,
                                     margin_model *model) {
    mgn_walk walk = mgn_walk_make(mgn_visit_none, MARGIN_IMAGE_HEAD);
    const margin_status status = mgn_image_check(p, size);
    uint64_t used = 0;
    if (status != MARGIN_OK) { return status; }
    *h = mgn_head_parse(p);
    if (h->format != 0) { return MARGIN_E_IMAGE; }
    mgn_clear(model, sizeof *model);
    model->kind = h->kind;
    switch (h->kind) {
        MGN_KINDS(MGN_GET_CASE)
    default:
        return MARGIN_E_IMAGE;
    }
    if (!mgn_rest_zero(p, used) || !mgn_model_shape(model) ||
        (h->flags & ~(unsigned)MGN_FLAG_CURVED & ~mgn_head_may_pick(h)) >
            (h->kind == MARGIN_MODEL_LINEAR ? 0u : 1u)) {
        return MARGIN_E_IMAGE_VALUE;
    }
    mgn_walk_model(&walk, h, model);
    return mgn_head_ends(h, &walk) ? MARGIN_OK : MARGIN_E_IMAGE_SIZE;
}

/* Squared lengths to the bit, as margin_image_write makes them: an image has one form. Hinge units
 * have thresholds there, which may be any numbers. */
static bool mgn_norms_exact(const margin_expansion *e) {
    const size_t n = e->kernel.kind == MARGIN_KERNEL_HINGE ? 0 : e->n;
    for (size_t v = 0; v < n; v++) {
        mgn_float norm, stored;
        norm.real = 0;
        stored.real = (float)MARGIN_LOAD(margin_real, e->norms + v);
        for (size_t k = 0; k < e->d; k++) {
            const float x = (float)MARGIN_LOAD(margin_real, e->vectors + v * e->d + k);
            norm.real += x * x;
        }
        if (norm.bits != stored.bits) { return false; }
    }
    return true;
}

static bool mgn_image_sound(const mgn_walk *walk, const margin_model *model) {
    const margin_expansion *e = mgn_model_pool(model);
    return walk->fits && mgn_model_sound(model) && (e == NULL || mgn_norms_exact(e));
}

/* Takes room in an arena for the arrays of a model, and copies them there unless `from` is NULL. */
static mgn_walk mgn_image_take(margin_arena *mem, const unsigned char *from,
                               const mgn_image_head *head, margin_model *model) {
    mgn_walk walk = mgn_walk_make(mgn_visit_load, MARGIN_IMAGE_HEAD);
    walk.from = from;
    walk.mem = mem;
    mgn_walk_model(&walk, head, model);
    return walk;
}

MARGIN_API size_t margin_image_load_size(const void *image, size_t size) {
    margin_arena dry = margin_arena_counting();
    mgn_image_head head;
    margin_model model;
    if (mgn_image_model((const unsigned char *)image, size, &head, &model) != MARGIN_OK) {
        return 0;
    }
    (void)mgn_image_take(&dry, NULL, &head, &model);
    return mgn_arena_counted(&dry);
}

MARGIN_API margin_status margin_image_load(const void *image, size_t size, margin_arena *mem,
                                           margin_model *model) {
    const unsigned char *p = (const unsigned char *)image;
    mgn_image_head head;
    margin_model found;
    if (mgn_mem_check(mem) != MARGIN_OK || model == NULL) { return MARGIN_E_ARGUMENT; }
    margin_status status = mgn_image_model(p, size, &head, &found);
    if (status != MARGIN_OK) { return status; }
    margin_arena before = *mem;
    (void)mgn_image_take(mem, NULL, &head, &found);
    status = margin_arena_rewind(mem, &before);
    if (status != MARGIN_OK) { return status; }
    mgn_walk walk = mgn_image_take(mem, p, &head, &found);
    if (!mgn_image_sound(&walk, &found)) {
        (void)margin_arena_rewind(mem, &before);
        return MARGIN_E_IMAGE_VALUE;
    }
    *model = found;
    return MARGIN_OK;
}

#ifndef MARGIN_REAL_DOUBLE

/* Opens an image. On machines of another byte order `swapped` is the same image, writable, whose
 * numbers are brought into the order of the machine; elsewhere it is NULL. */
static margin_status mgn_image_open(const unsigned char *p, unsigned char *swapped, size_t size,
                                    margin_model *model) {
    mgn_walk walk = mgn_walk_make(mgn_visit_place, MARGIN_IMAGE_HEAD);
    mgn_walk swap = mgn_walk_make(mgn_visit_swap, MARGIN_IMAGE_HEAD);
    mgn_image_head head;
    margin_model found;
    if (model == NULL || (uintptr_t)p % 4u != 0) { return MARGIN_E_ARGUMENT; }
    const margin_status status = mgn_image_model(p, size, &head, &found);
    if (status != MARGIN_OK) { return status; }
    walk.from = p;
    swap.image = swapped;
    mgn_walk_model(&walk, &head, &found);
    if (swapped != NULL) { mgn_walk_model(&swap, &head, &found); }
    if (mgn_image_sound(&walk, &found)) {
        *model = found;
        return MARGIN_OK;
    }
    if (swapped != NULL) {
        swap.at = MARGIN_IMAGE_HEAD;
        mgn_walk_model(&swap, &head, &found);
    }
    return MARGIN_E_IMAGE_VALUE;
}

MARGIN_API margin_status margin_image_open(const void *image, size_t size, margin_model *model) {
    if (mgn_big_endian()) { return MARGIN_E_ARGUMENT; }
    return mgn_image_open((const unsigned char *)image, NULL, size, model);
}

MARGIN_API margin_status margin_image_adopt(void *image, size_t size, margin_model *model) {
    unsigned char *p = (unsigned char *)image;
    return mgn_image_open(p, mgn_big_endian() ? p : NULL, size, model);
}

#endif /* MARGIN_REAL_DOUBLE */

/* ---- reading integer models ---- */

/* The arrays of an integer model and of its conversion of real inputs, which end an image. */
static void mgn_walk_quant(mgn_walk *walk, const mgn_image_head *h, margin_quant *quant,
                           margin_stage_q *stage) {
    const size_t input = (h->flags & MGN_FLAG_INPUT) != 0 ? h->d : 0;
    mgn_walk_model_q(walk, h, &quant->model, stage);
    quant->input.offset =
        (const margin_real *)mgn_walk_array(walk, quant->input.offset, MGN_REALS, input);
    quant->input.factor =
        (const margin_real *)mgn_walk_array(walk, quant->input.factor, MGN_REALS, input);
    quant->input.d = h->d;
}

/* As mgn_image_model. Cuts of a linear kernel have no vectors and none of the numbers that other
 * kernels need. */
static margin_status mgn_image_model_q(const unsigned char *p, size_t size, mgn_image_head *h,
                                       margin_quant *quant) {
    const uint64_t kernel = UINT64_C(0xF0000FF740000000); /* 30, 32 to 34, 36 to 43, 60 to 63 */
    mgn_walk walk = mgn_walk_make(mgn_visit_none, MGN_IMAGE_HEAD_Q);
    const margin_status status = mgn_image_check(p, size);
    margin_stage_q stage = {NULL, NULL, NULL};
    margin_model_q *model = &quant->model;
    uint64_t used = 0;
    bool fits = true;
    if (status != MARGIN_OK) { return status; }
    *h = mgn_head_parse(p);
    if (h->format != MARGIN_Q15 && h->format != MARGIN_Q7) { return MARGIN_E_IMAGE; }
    const bool cuts = h->kind == MARGIN_MODEL_LIST && h->kernel == MARGIN_KERNEL_LINEAR;
    mgn_clear(quant, sizeof *quant);
    quant->unit = (margin_real)mgn_get_float(p + 64);
    model->kind = h->kind;
    switch (h->kind) {
        MGN_KINDS_Q(MGN_GET_CASE)
    default:
        return MARGIN_E_IMAGE;
    }
    if (!fits || !mgn_get_finite(p + 64) || !mgn_rest_zero(p, cuts ? used & ~kernel : used) ||
        (h->flags & ~mgn_head_may_pick(h)) >
            (MGN_FLAG_STAGE | MGN_FLAG_INPUT | MGN_FLAG_GAINS | MGN_FLAG_CURVED) ||
        (h->kind != MARGIN_MODEL_LINEAR && (h->flags & MGN_FLAG_GAINS) != 0) ||
        (h->kind == MARGIN_MODEL_PROTO && h->width > MARGIN_PROTO_TANGENTS) ||
        (h->kind == MARGIN_MODEL_LIST && (h->n == 0) != cuts)) {
        return MARGIN_E_IMAGE_VALUE;
    }
    mgn_walk_quant(&walk, h, quant, &stage);
    return mgn_head_ends(h, &walk) ? MARGIN_OK : MARGIN_E_IMAGE_SIZE;
}

static mgn_walk mgn_image_take_q(margin_arena *mem, const unsigned char *from,
                                 const mgn_image_head *head, margin_quant *quant) {
    const bool staged = (head->flags & MGN_FLAG_STAGE) != 0;
    margin_stage_q stage = {NULL, NULL, NULL};
    margin_stage_q *kept = MGN_KEEP(mem, margin_stage_q, staged ? 1u : 0);
    mgn_walk walk = mgn_walk_make(mgn_visit_load, MGN_IMAGE_HEAD_Q);
    walk.from = from;
    walk.mem = mem;
    mgn_walk_quant(&walk, head, quant, &stage);
    if (from != NULL && staged) {
        MARGIN_ASSERT(kept != NULL); /* as in mgn_visit_load */
        *kept = stage;
        *mgn_stage_of(&quant->model) = kept;
    }
    return walk;
}

MARGIN_API size_t margin_image_load_size_q(const void *image, size_t size) {
    margin_arena dry = margin_arena_counting();
    mgn_image_head head;
    margin_quant quant;
    if (mgn_image_model_q((const unsigned char *)image, size, &head, &quant) != MARGIN_OK) {
        return 0;
    }
    (void)mgn_image_take_q(&dry, NULL, &head, &quant);
    return mgn_arena_counted(&dry);
}

MARGIN_API margin_status margin_image_load_q(const void *image, size_t size, margin_arena *mem,
                                             margin_quant *quant) {
    const unsigned char *p = (const unsigned char *)image;
    mgn_image_head head;
    margin_quant found;
    if (mgn_mem_check(mem) != MARGIN_OK || quant == NULL) { return MARGIN_E_ARGUMENT; }
    margin_status status = mgn_image_model_q(p, size, &head, &found);
    if (status != MARGIN_OK) { return status; }
    margin_arena before = *mem;
    (void)mgn_image_take_q(mem, NULL, &head, &found);
    status = margin_arena_rewind(mem, &before);
    if (status != MARGIN_OK) { return status; }
    mgn_walk walk = mgn_image_take_q(mem, p, &head, &found);
    if (!walk.fits || margin_model_check_q(&found.model) != MARGIN_OK) {
        (void)margin_arena_rewind(mem, &before);
        return MARGIN_E_IMAGE_VALUE;
    }
    *quant = found;
    return MARGIN_OK;
}

#ifndef MARGIN_REAL_DOUBLE

static margin_status mgn_image_open_q(const unsigned char *p, unsigned char *swapped, size_t size,
                                      margin_stage_q *stage, margin_quant *quant) {
    mgn_walk walk = mgn_walk_make(mgn_visit_place, MGN_IMAGE_HEAD_Q);
    mgn_walk swap = mgn_walk_make(mgn_visit_swap, MGN_IMAGE_HEAD_Q);
    mgn_image_head head;
    margin_quant found;
    margin_stage_q placed = {NULL, NULL, NULL};
    if (quant == NULL || stage == NULL || (uintptr_t)p % 4u != 0) { return MARGIN_E_ARGUMENT; }
    const margin_status status = mgn_image_model_q(p, size, &head, &found);
    if (status != MARGIN_OK) { return status; }
    walk.from = p;
    swap.image = swapped;
    mgn_walk_quant(&walk, &head, &found, &placed);
    if (swapped != NULL) { mgn_walk_quant(&swap, &head, &found, &placed); }
    *mgn_stage_of(&found.model) = (head.flags & MGN_FLAG_STAGE) != 0 ? &placed : NULL;
    const bool sound = walk.fits && margin_model_check_q(&found.model) == MARGIN_OK;
    if (!sound && swapped != NULL) {
        swap.at = MGN_IMAGE_HEAD_Q;
        mgn_walk_quant(&swap, &head, &found, &placed);
    }
    if (sound) {
        *stage = placed;
        *mgn_stage_of(&found.model) = (head.flags & MGN_FLAG_STAGE) != 0 ? stage : NULL;
        *quant = found;
    }
    return sound ? MARGIN_OK : MARGIN_E_IMAGE_VALUE;
}

MARGIN_API margin_status margin_image_open_q(const void *image, size_t size, margin_stage_q *stage,
                                             margin_quant *quant) {
    if (mgn_big_endian()) { return MARGIN_E_ARGUMENT; }
    return mgn_image_open_q((const unsigned char *)image, NULL, size, stage, quant);
}

MARGIN_API margin_status margin_image_adopt_q(void *image, size_t size, margin_stage_q *stage,
                                              margin_quant *quant) {
    unsigned char *p = (unsigned char *)image;
    return mgn_image_open_q(p, mgn_big_endian() ? p : NULL, size, stage, quant);
}

#endif /* MARGIN_REAL_DOUBLE */

/* ================================================================================================
 * PART II TRAIN
 *
 * Trainers and their tools. MARGIN_PREDICT_ONLY leaves out all of it.
 * ============================================================================================== */

#ifndef MARGIN_PREDICT_ONLY

/* ---- >>math ---- the other scalar functions, and the public names of all --------------------- */

/* The public names of what >>scalar computes. */

MARGIN_API margin_real margin_sqrt(margin_real x) {
    return mgn_sqrt(x);
}

MARGIN_API margin_real margin_exp(margin_real x) {
    return mgn_exp(x);
}

MARGIN_API margin_real margin_log(margin_real x) {
    return mgn_log(x);
}

MARGIN_API margin_real margin_pow(margin_real x, margin_real y) {
    return mgn_pow(x, y);
}

/* x^n by repeated squaring: at most 2 log2 n products, with the error of n - 1 products. */
static margin_real mgn_power(margin_real x, unsigned n) {
    margin_real power = n % 2u != 0 ? x : 1;
    for (n /= 2u; n != 0; n /= 2u) {
        x *= x;
        power = n % 2u != 0 ? power * x : power;
    }
    return power;
}

MARGIN_API margin_real margin_pow_int(margin_real x, int n) {
    const unsigned size = n < 0 ? 0u - (unsigned)n : (unsigned)n;
    const margin_real power = mgn_power(x, size);
    if (n >= 0) { return power; }
    if (mgn_abs(power) >= MGN_TINY && mgn_abs(power) <= 1 / MGN_TINY) {
        return 1 / power; /* never a subnormal quotient: avr-libc misrounds those */
    }
    if (x == 0) {
        return mgn_of_bits(mgn_bits(power) |
                           mgn_bits(MGN_INFINITY)); /* an infinity with the sign of the power */
    }
    return mgn_power(1 / x, size); /* 1 / x^n may be in range where x^n is not */
}

/* c[0] + c[1] x + ... + c[n-1] x^(n-1) */
static margin_real mgn_polynomial(const margin_real *c, int n, margin_real x) {
    margin_real sum = c[n - 1];
    for (n -= 2; n >= 0; n--) { sum = c[n] + x * sum; }
    return sum;
}

#define MGN_POLYNOMIAL(table, x)                                                                   \
    mgn_polynomial((table), (int)(sizeof(table) / sizeof(table)[0]), (x))

/* erf(x) = x + x P(x^2) for |x| <= 1: worst error 2^-56 (double), 2^-29. */
static margin_real mgn_erf_small(margin_real x) {
#ifdef MARGIN_REAL_DOUBLE
    static const margin_real c[] = {MGN_R(0.12837916709551256),   MGN_R(-0.37612638903183376),
                                    MGN_R(0.11283791670939433),   MGN_R(-0.026866170642473024),
                                    MGN_R(0.0052239776015872178), MGN_R(-8.5483257375614126e-4),
                                    MGN_R(1.20552884354961e-4),   MGN_R(-1.4924622682943846e-5),
                                    MGN_R(1.644611862087494e-6),  MGN_R(-1.6199152037225009e-7),
                                    MGN_R(1.36821976312625e-8),   MGN_R(-7.7292767932981738e-10)};
#else
    static const margin_real c[] = {
        MGN_R(0.128379166),   MGN_R(-0.37612626),    MGN_R(0.11283581),   MGN_R(-0.0268535465),
        MGN_R(0.00518774055), MGN_R(-8.00464419e-4), MGN_R(7.83481446e-5)};
#endif
    return x + x * MGN_POLYNOMIAL(c, x * x);
}

/* exp(x^2) erfc(x) = P(t) / (1 + x), t = (x - K) / (x + K), from x = 0.49 to where erfc and the
 * normal distribution vanish (the transformation: Shepherd and Laframboise 1981): worst error
 * 2^-57.4 (double), 2^-26.5. */
static margin_real mgn_erfcx(margin_real x) {
#ifdef MARGIN_REAL_DOUBLE
    static const margin_real c[] = {
        MGN_R(0.71076799411382585),    MGN_R(-0.2262905096213528),    MGN_R(0.10332445710301148),
        MGN_R(-0.016897464249759027),  MGN_R(-0.020319844748753445),  MGN_R(0.022491795035031414),
        MGN_R(-0.011919255389003125),  MGN_R(0.0031893578991399629),  MGN_R(1.7809636326511022e-4),
        MGN_R(-4.4050899187893754e-4), MGN_R(7.8143422603548348e-5),  MGN_R(4.7096403343043167e-5),
        MGN_R(-1.7413024058655815e-5), MGN_R(-5.7501290901028599e-6), MGN_R(3.0518464516397536e-6),
        MGN_R(9.3153366831735037e-7),  MGN_R(-5.0608128610755063e-7), MGN_R(-1.8836548674273134e-7),
        MGN_R(7.6048706418925026e-8),  MGN_R(3.6558780671498166e-8),  MGN_R(-7.905132598205102e-9),
        MGN_R(-4.283103830816197e-9)};
    const margin_real middle = MGN_R(3.140625);
#else
    static const margin_real c[] = {
        MGN_R(0.768236399),   MGN_R(-0.260546118),  MGN_R(0.0347436033),
        MGN_R(0.0438827798),  MGN_R(-0.024182301),  MGN_R(-0.00144707365),
        MGN_R(0.00387008884), MGN_R(2.41230082e-4), MGN_R(-6.13277254e-4)};
    const margin_real middle = MGN_R(1.96875);
#endif
    return MGN_POLYNOMIAL(c, (x - middle) / (x + middle)) / (1 + x);
}

/* factor exp(-scale a^2), with a small relative error however small the result is. With a = head +
 * tail, a^2 = head^2 + (a - head)(a + head), and both terms go into the exponential; the factor is
 * applied before the one rounding to a subnormal number. scale is 1 or 1/2. The caller has bounded
 * |a|: beyond the bound the result is 0 anyway. */
static margin_real mgn_gauss(margin_real factor, margin_real a, margin_real scale) {
    const margin_real head = mgn_head(a);
    const mgn_two square = mgn_two_sum(head * head, (a - head) * (a + head));
    mgn_scaled value = mgn_exp_two(-scale * square.high, -scale * square.low);
    value.value *= factor;
    return mgn_unscale(value);
}

#ifdef MARGIN_REAL_DOUBLE
#define MGN_ERFC_END MGN_R(28)   /* erfc is 0 from here on */
#define MGN_NORMAL_END MGN_R(39) /* so are density and lower tail of the normal distribution */
#else
#define MGN_ERFC_END MGN_R(10.5)
#define MGN_NORMAL_END MGN_R(15)
#endif

/* 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x: 1.3 ulp. */
static margin_real mgn_erf(margin_real x) {
    const margin_real a = mgn_min(mgn_abs(x), MGN_ERFC_END);
    if (a <= 1) { return mgn_erf_small(x); }
    const margin_real upper = 1 - mgn_gauss(mgn_erfcx(a), a, 1);
    return x < 0 ? -upper : upper;
}

MARGIN_API margin_real margin_normal_density(margin_real x) {
    const margin_real a = mgn_min(mgn_abs(x), MGN_NORMAL_END);
    return mgn_gauss(MGN_R(0.398942280401432678), a, MGN_R(0.5));
}

MARGIN_API margin_real margin_normal_distribution(margin_real x) {
    const margin_real a = mgn_min(-x, MGN_NORMAL_END);
    const margin_real scaled = a * MGN_R(0.707106781186547524);
    return a > MGN_R(0.7) ? mgn_gauss(MGN_R(0.5) * mgn_erfcx(scaled), a, MGN_R(0.5))
                          : MGN_R(0.5) - MGN_R(0.5) * mgn_erf(scaled);
}

/* ---- >>random ---- one small seeded generator, and what is drawn from it --------------------- */

/* sfc32 by Chris Doty-Humphrey (PractRand, 2010): a chaotic generator with a counter, so the period
 * is at least 2^32 from any state, all zeros included, and 2^127 on average. Additions, shifts and
 * rotations of 32-bit words alone. */
MARGIN_API uint32_t margin_rng_u32(margin_rng *rng) {
    const uint32_t out = rng->a + rng->b + rng->count++;
    rng->a = rng->b ^ (rng->b >> 9);
    rng->b = rng->c + (rng->c << 3);
    rng->c = ((rng->c << 21) | (rng->c >> 11)) + out;
    return out;
}

MARGIN_API margin_rng margin_rng_make(uint32_t seed) {
    margin_rng rng = {0, seed, 0, 1};
    /* Until every bit of the seed has reached every bit of the state. */
    for (uint8_t i = 0; i < 16u; i++) { (void)margin_rng_u32(&rng); }
    return rng;
}

/* Draws numbers of as many bits as n - 1 has, until one is below n. More than half of all such
 * numbers are, so two draws are enough on average. */
MARGIN_API uint32_t margin_rng_below(margin_rng *rng, uint32_t n) {
    uint32_t mask = n - 1u;
    uint32_t out;
    if (n < 2u) { return 0; }
    mask |= mask >> 1;
    mask |= mask >> 2;
    mask |= mask >> 4;
    mask |= mask >> 8;
    mask |= mask >> 16;
    do { out = margin_rng_u32(rng) & mask; } while (out >= n);
    return out;
}

MARGIN_API margin_real margin_rng_uniform(margin_rng *rng) {
#ifdef MARGIN_REAL_DOUBLE
    const uint64_t high = margin_rng_u32(rng) >> 5;
    const uint64_t whole = (high << 26) | (margin_rng_u32(rng) >> 6);
    return (margin_real)whole * MGN_R(1.1102230246251565e-16); /* 2^-53 */
#else
    return (margin_real)(margin_rng_u32(rng) >> 8) * MGN_R(5.96046448e-8); /* 2^-24 */
#endif
}

/* Marsaglia's polar method (Marsaglia and Bray 1964): a point of the unit disc, taken with
 * probability pi / 4, gives two normal numbers; the second is dropped, so that there is no state
 * but the generator's. */
MARGIN_API margin_real margin_rng_normal(margin_rng *rng) {
    margin_real u, square;
    do {
        u = 2 * margin_rng_uniform(rng) - 1;
        const margin_real v = 2 * margin_rng_uniform(rng) - 1;
        square = u * u + v * v;
    } while (square >= 1 || square <= 0);
    return u * mgn_sqrt(-2 * mgn_log(square) / square);
}

/* Fisher and Yates, as Knuth's Algorithm 3.4.2 P. */
MARGIN_API void margin_shuffle(margin_rng *rng, margin_index *items, size_t n) {
    for (size_t i = n; i > 1u; i--) {
        const size_t j = (size_t)margin_rng_below(rng, (uint32_t)i);
        const margin_index item = items[i - 1u];
        items[i - 1u] = items[j];
        items[j] = item;
    }
}

/* ---- >>linalg ---- products in one order of summation, factors, eigenvalues ------------------ */

/* What a plan does with the blocks of a list in >>bytes of margin.h. `plan` points to the struct
 * whose fields the list names. MGN_TAKE and MGN_LAST take each block by itself from the arena, as
 * scratch or to be kept. MGN_COUNT adds up the bytes of all blocks in `bytes`, and MGN_LAY then
 * lays them out one after another from `at` on, within one block of that size. */
#define MGN_TAKE(place, type, rows, columns)                                                       \
    plan->place = MGN_SCRATCH(mem, type, mgn_size_mul(rows, columns));
#define MGN_LAST(place, type, rows, columns)                                                       \
    plan->place = MGN_KEEP(mem, type, mgn_size_mul(rows, columns));
#define MGN_COUNT(place, type, rows, columns)                                                      \
    bytes = mgn_size_add(bytes, mgn_size_mul(mgn_size_mul(rows, columns), sizeof(type)));
#define MGN_LAY(place, type, rows, columns)                                                        \
    plan->place = (type *)mgn_lay(&at, (size_t)(rows) * (columns) * sizeof(type));
static inline void *mgn_lay(unsigned char **at, size_t bytes) {
    void *place = *at;
    *at += bytes;
    return place;
}

/* Order of summation. A sum over k is a chain of rounded additions; its bits depend on the order
 * alone. Two orders are used: mgn_dots and everything built on tiles (products of matrices, Gram
 * matrices) add the terms k = 0, 1, 2, ... one after another onto a single accumulator for each
 * output, so that working on many outputs at once never changes a bit; margin_dot, which has one
 * output only, runs eight such chains side by side. */

MARGIN_API margin_real margin_dot(const margin_real *x, const margin_real *y, size_t n) {
    margin_real s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    const size_t whole = n - n % 8u;
    size_t i = 0;
    for (; i < whole; i += 8u) {
        s0 += x[i] * y[i];
        s1 += x[i + 1u] * y[i + 1u];
        s2 += x[i + 2u] * y[i + 2u];
        s3 += x[i + 3u] * y[i + 3u];
        s4 += x[i + 4u] * y[i + 4u];
        s5 += x[i + 5u] * y[i + 5u];
        s6 += x[i + 6u] * y[i + 6u];
        s7 += x[i + 7u] * y[i + 7u];
    }
    for (; i < n; i++) { s0 += x[i] * y[i]; }
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7));
}

/* y += a x. No element depends on another, so that any order gives the same bits. */
static void mgn_axpy(margin_real *MGN_RESTRICT y, margin_real a, const margin_real *MGN_RESTRICT x,
                     size_t n) {
    for (size_t i = 0; i < n; i++) { y[i] += a * x[i]; }
}

MARGIN_API void margin_axpy(margin_real *y, margin_real a, const margin_real *x, size_t n) {
    mgn_axpy(y, a, x, n);
}

static margin_real mgn_norm1(const margin_real *x, size_t n) {
    margin_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    const size_t whole = n - n % 4u;
    size_t i = 0;
    for (; i < whole; i += 4u) {
        s0 += mgn_abs(x[i]);
        s1 += mgn_abs(x[i + 1u]);
        s2 += mgn_abs(x[i + 2u]);
        s3 += mgn_abs(x[i + 3u]);
    }
    for (; i < n; i++) { s0 += mgn_abs(x[i]); }
    return (s0 + s2) + (s1 + s3);
}

MARGIN_API margin_real margin_norm_inf(const margin_real *x, size_t n) {
    margin_real m = 0;
    for (size_t i = 0; i < n; i++) {
        const margin_real a = mgn_abs(x[i]);
        if (a > m || a != a) { /* a NaN stays: nothing compares greater */
            m = a;
        }
    }
    return m;
}

/* The power of two at or below m >= 0, moved away from the ends of the range so that it and its
 * inverse are exact. */
static margin_real mgn_power_of_two(margin_real m) {
    const mgn_word last = 2 * MGN_BIAS - 1;
    mgn_word exponent = mgn_bits(m) >> MGN_FRACTION;
    if (exponent < 1u) { exponent = 1u; }
    return mgn_of_bits((exponent < last ? exponent : last) << MGN_FRACTION);
}

/* Whether a sum of n squares has lost nothing to underflow that its last bit could show. A square
 * that underflows is below TINY; where the sum is at least TINY / EPS^2, n such squares are less
 * than n EPS^2 of it. */
static bool mgn_square_is_safe(margin_real s) {
    return s >= MGN_TINY / (MGN_EPS * MGN_EPS) && s <= MGN_HUGE;
}

MARGIN_API margin_real margin_norm2(const margin_real *x, size_t n) {
    margin_real s = margin_dot(x, x, n);
    if (mgn_square_is_safe(s)) { return mgn_sqrt(s); }
    const margin_real big = margin_norm_inf(x, n);
    if (!(big > 0 && big <= MGN_HUGE)) { /* 0, infinite or NaN, and so is the norm */
        return big;
    }
    const margin_real scale = mgn_power_of_two(big), inverse = 1 / scale;
    s = 0;
    for (size_t i = 0; i < n; i++) { s += (x[i] * inverse) * (x[i] * inverse); }
    return scale * mgn_sqrt(s);
}

/* The number of values from one row to the next. A stride of 0 stands for rows without a gap. */
static size_t mgn_stride(size_t stride, size_t cols) {
    return stride == 0 ? cols : stride;
}

/* Checks a rows x cols matrix argument: it is not NULL, and its size in bytes fits size_t. */
static margin_status mgn_mat_check(const margin_real *a, size_t rows, size_t cols) {
    if (a == NULL && rows != 0 && cols != 0) { return MARGIN_E_ARGUMENT; }
    return mgn_size_mul(mgn_size_mul(rows, cols), sizeof *a) == SIZE_MAX ? MARGIN_E_OVERFLOW
                                                                         : MARGIN_OK;
}

/* y = A' x, as the sum over k of x_k times row k. Four rows are added in one pass over y, in their
 * order, so that the bits are those of adding row after row. */
static void mgn_mat_t_vec(margin_real *MGN_RESTRICT y, const margin_real *a, size_t stride,
                          size_t rows, size_t cols, const margin_real *x) {
    const size_t whole = rows - rows % 4u;
    size_t i = 0;
    for (size_t j = 0; j < cols; j++) { y[j] = 0; }
    for (; i < whole; i += 4u) {
        const margin_real *r0 = a + i * stride, *r1 = r0 + stride;
        const margin_real *r2 = r1 + stride, *r3 = r2 + stride;
        for (size_t j = 0; j < cols; j++) {
            y[j] = (((y[j] + x[i] * r0[j]) + x[i + 1u] * r1[j]) + x[i + 2u] * r2[j]) +
                   x[i + 3u] * r3[j];
        }
    }
    for (; i < rows; i++) { mgn_axpy(y, x[i], a + i * stride, cols); }
}

/* Panels: rows packed for machines with vector units. A panel holds MGN_PANEL rows interleaved,
 * value k of its row r at [k * MGN_PANEL + r]; n rows make ceil(n / MGN_PANEL) panels, one after
 * another, the last padded with rows of zeros. The inner loops then run over rows, contiguous in
 * memory, and yield the very bits of mgn_dots. 64 bytes: two registers of AVX, four of SSE. */
#define MGN_PANEL ((size_t)64u / sizeof(margin_real))

/* How many vectors are multiplied with a panel in one pass over it. */
#define MGN_TILE 4u

/* Values in the panels of n rows of d values; SIZE_MAX if not countable. */
static size_t mgn_panel_size(size_t n, size_t d) {
    const size_t panels = n / MGN_PANEL + (n % MGN_PANEL != 0);
    return mgn_size_mul(mgn_size_mul(panels, MGN_PANEL), d);
}

/* Row number and values of sample i of a view. */
static inline size_t mgn_row_of(const margin_data *data, size_t i) {
    return data->rows == NULL ? i : data->rows[i];
}

static inline const margin_real *mgn_sample(const margin_data *data, size_t i) {
    return data->x + mgn_row_of(data, i) * mgn_stride(data->stride, data->d);
}

/* Packs n samples from sample `first` on into mgn_panel_size(n, d) values. */
static void mgn_panel_pack(margin_real *panel, const margin_data *data, size_t first, size_t n) {
    const size_t d = data->d, whole = n + (MGN_PANEL - n % MGN_PANEL) % MGN_PANEL;
    for (size_t i = 0; i < whole; i++) {
        const margin_real *from = i < n ? mgn_sample(data, first + i) : NULL;
        margin_real *to = panel + i / MGN_PANEL * MGN_PANEL * d + i % MGN_PANEL;
        for (size_t k = 0; k < d; k++) { to[k * MGN_PANEL] = from != NULL ? from[k] : 0; }
    }
}

/* Compiler vectors: gcc and clang turn them into the machine's own, or split them. Loads and stores
 * go through the second type, which asks for no more alignment than its values have. Loads are
 * volatile for speed: gcc 12 would load the value anew for each of the products it is used in.
 * Without vector registers a vector is one value. */
#if MARGIN_VECTOR
typedef margin_real mgn_vec __attribute__((vector_size(MARGIN_VECTOR)));
typedef margin_real mgn_vec_mem
    __attribute__((vector_size(MARGIN_VECTOR), aligned(sizeof(margin_real)), may_alias));
typedef const volatile mgn_vec_mem mgn_vec_from;
#else
typedef margin_real mgn_vec, mgn_vec_mem;
typedef const margin_real mgn_vec_from;
#endif
#define MGN_LANES (sizeof(mgn_vec) / sizeof(margin_real))

static inline mgn_vec mgn_vec_load(const margin_real *p) {
    return *(mgn_vec_from *)p;
}

static inline void mgn_vec_store(margin_real *p, mgn_vec v) {
    *(mgn_vec_mem *)p = v;
}

/* Up to MGN_TILE vectors of d values that go through a panel together: value k of vector j is
 * at[j][k * step]. Where there are fewer, pointers beyond them repeat the last one. */
typedef struct {
    const margin_real *at[MGN_TILE];
    size_t count, d, step;
} mgn_vectors;

/* Vectors whose first values lie `apart` from each other. */
static mgn_vectors mgn_vectors_of(const margin_real *first, size_t apart, size_t count, size_t d,
                                  size_t step) {
    mgn_vectors x = {{NULL}, mgn_size_min(count, MGN_TILE), d, step};
    for (size_t j = 0; j < MGN_TILE; j++) {
        x.at[j] = first + mgn_size_min(j, x.count - 1u) * apart;
    }
    return x;
}

/* The samples of a view from sample `first` on. */
static mgn_vectors mgn_samples(const margin_data *data, size_t first) {
    mgn_vectors x = {{NULL}, mgn_size_min(data->n - first, MGN_TILE), data->d, 1};
    for (size_t j = 0; j < MGN_TILE; j++) {
        x.at[j] = mgn_sample(data, first + mgn_size_min(j, x.count - 1u));
    }
    return x;
}

/* out[j * step + r] = (more ? out[j * step + r] : 0) + vector j . panel row r, for j < MGN_TILE and
 * every row of one panel. Two registers of rows times four vectors: eight accumulators, two rows
 * and the products fit sixteen registers. */
static void mgn_tile(const margin_real *panel, const mgn_vectors *x, margin_real *out, size_t step,
                     bool more) {
    const size_t d = x->d, xstep = x->step;
    for (size_t r = 0; r < MGN_PANEL; r += 2u * MGN_LANES) {
        const margin_real *x0 = x->at[0], *x1 = x->at[1], *x2 = x->at[2], *x3 = x->at[3];
        const margin_real *p = panel + r;
        margin_real *o0 = out + r, *o1 = o0 + step, *o2 = o1 + step, *o3 = o2 + step;
        mgn_vec a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0}, c0 = {0}, c1 = {0}, d0 = {0}, d1 = {0};
        if (more) {
            a0 = mgn_vec_load(o0);
            a1 = mgn_vec_load(o0 + MGN_LANES);
            b0 = mgn_vec_load(o1);
            b1 = mgn_vec_load(o1 + MGN_LANES);
            c0 = mgn_vec_load(o2);
            c1 = mgn_vec_load(o2 + MGN_LANES);
            d0 = mgn_vec_load(o3);
            d1 = mgn_vec_load(o3 + MGN_LANES);
        }
        for (size_t k = 0; k < d; k++, p += MGN_PANEL) {
            const mgn_vec v = mgn_vec_load(p), w = mgn_vec_load(p + MGN_LANES);
            a0 += x0[k * xstep] * v;
            a1 += x0[k * xstep] * w;
            b0 += x1[k * xstep] * v;
            b1 += x1[k * xstep] * w;
            c0 += x2[k * xstep] * v;
            c1 += x2[k * xstep] * w;
            d0 += x3[k * xstep] * v;
            d1 += x3[k * xstep] * w;
        }
        mgn_vec_store(o0, a0);
        mgn_vec_store(o0 + MGN_LANES, a1);
        mgn_vec_store(o1, b0);
        mgn_vec_store(o1 + MGN_LANES, b1);
        mgn_vec_store(o2, c0);
        mgn_vec_store(o2 + MGN_LANES, c1);
        mgn_vec_store(o3, d0);
        mgn_vec_store(o3 + MGN_LANES, d1);
    }
}

/* out[r] = sum over k of x[k] * panel row r, for every row of one panel. */
static void mgn_panel_dot(const margin_real *panel, size_t d, const margin_real *x,
                          margin_real *out) {
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

/* out[i] = x . row i for the n rows of the panels: the bits of mgn_dots, at vector speed. */
static void mgn_panel_dots(const margin_real *panel, size_t n, size_t d, const margin_real *x,
                           margin_real *out) {
    const size_t whole = n - n % MGN_PANEL;
    for (size_t i = 0; i < whole; i += MGN_PANEL) { mgn_panel_dot(panel + i * d, d, x, out + i); }
    if (whole < n) {
        margin_real last[MGN_PANEL];
        mgn_panel_dot(panel + whole * d, d, x, last);
        for (size_t r = 0; r < n - whole; r++) { out[whole + r] = last[r]; }
    }
}

/* A tile of which only x->count vectors and n rows exist: a part of it goes through a buffer. */
static void mgn_tile_any(const margin_real *panel, size_t n, const mgn_vectors *x, margin_real *out,
                         size_t step, bool more) {
    const size_t rows = mgn_size_min(n, MGN_PANEL);
    if (n >= MGN_PANEL && x->count == MGN_TILE) {
        mgn_tile(panel, x, out, step, more);
        return;
    }
    margin_real tile[MGN_TILE * MGN_PANEL] = {0};
    for (size_t j = 0; more && j < x->count; j++) {
        for (size_t r = 0; r < rows; r++) { tile[j * MGN_PANEL + r] = out[j * step + r]; }
    }
    mgn_tile(panel, x, tile, MGN_PANEL, true);
    for (size_t j = 0; j < x->count; j++) {
        for (size_t r = 0; r < rows; r++) { out[j * step + r] = tile[j * MGN_PANEL + r]; }
    }
}

/* out[j * step + i] = vector j . row i for the n rows of the panels: the bits of mgn_dots. Four
 * vectors at once take half the time of four calls. */
static void mgn_panel_dots_block(const margin_real *panel, size_t n, const mgn_vectors *x,
                                 margin_real *out, size_t step) {
    if (x->count == 1u) {
        mgn_panel_dots(panel, n, x->d, x->at[0], out);
        return;
    }
    for (size_t i = 0; i < n; i += MGN_PANEL) {
        mgn_tile_any(panel + i * x->d, n - i, x, out + i, step, false);
    }
}

/* g = X X' of the samples, each element with the bits of mgn_dots; `panel` has room for MGN_PANEL
 * of them. Panel by panel: the square on the diagonal is computed whole, the rows below it once and
 * mirrored. */
static void mgn_gram(margin_real *g, size_t step, const margin_data *data, margin_real *panel) {
    for (size_t first = 0; first < data->n; first += MGN_PANEL) {
        const size_t count = mgn_size_min(data->n - first, MGN_PANEL);
        mgn_panel_pack(panel, data, first, count);
        for (size_t j = first; j < data->n; j += MGN_TILE) {
            const mgn_vectors x = mgn_samples(data, j);
            mgn_panel_dots_block(panel, count, &x, g + j * step + first, step);
            if (j >= first + MGN_PANEL) {
                /* to the other side of the diagonal, while they are still in the cache */
                for (size_t r = first; r < first + MGN_PANEL; r++) {
                    for (size_t t = j; t < j + x.count; t++) { g[r * step + t] = g[t * step + r]; }
                }
            }
        }
    }
}

/* Terms of a long sum that are worked on at a time, so that a panel of them stays in the cache. */
#define MGN_DEPTH ((size_t)256u)

/* A matrix as its elements lie: (i, j) at p[i * row + j * col], transposed or not. */
typedef struct {
    const margin_real *p;
    size_t row;
    size_t col;
} mgn_view;

static mgn_view mgn_view_of(const margin_real *p, size_t row, size_t col) {
    const mgn_view view = {p, row, col};
    return view;
}

/* Packs columns first .. first + n - 1 of the rows k .. k + depth - 1 of b; beyond them zeros. */
static void mgn_panel_pack_columns(margin_real *panel, mgn_view b, size_t k, size_t depth,
                                   size_t first, size_t n) {
    for (size_t t = 0; t < depth; t++, panel += MGN_PANEL) {
        const margin_real *from = b.p + (k + t) * b.row + first * b.col;
        if (b.col == 1u && n >= MGN_PANEL) { /* the usual case, for the vectoriser */
            for (size_t r = 0; r < MGN_PANEL; r++) { panel[r] = from[r]; }
        } else {
            for (size_t r = 0; r < MGN_PANEL; r++) { panel[r] = r < n ? from[r * b.col] : 0; }
        }
    }
}

/* The sizes of a product of an m x k matrix and a k x n one. With `more` the product is added to
 * what is there. */
typedef struct {
    size_t m, k, n;
    bool more;
} mgn_sizes;

static mgn_sizes mgn_sizes_of(size_t m, size_t k, size_t n) {
    const mgn_sizes sizes = {m, k, n, false};
    return sizes;
}

/* c = a b, or c += a b. The k terms of a sum are added block by block, each block going on from
 * where the last one ended. So a product that is made in several calls has the bits of a product
 * made in one. */
static void mgn_mat_mul(margin_real *c, size_t step, mgn_view a, mgn_view b, mgn_sizes size,
                        margin_real *panel) {
    for (size_t t = 0; t < size.k || t == 0; t += MGN_DEPTH) {
        const size_t depth = mgn_size_min(size.k - t, MGN_DEPTH);
        for (size_t j = 0; j < size.n; j += MGN_PANEL) {
            const size_t count = mgn_size_min(size.n - j, MGN_PANEL);
            mgn_panel_pack_columns(panel, b, t, depth, j, count);
            for (size_t i = 0; i < size.m; i += MGN_TILE) {
                const mgn_vectors x =
                    mgn_vectors_of(a.p + i * a.row + t * a.col, a.row, size.m - i, depth, a.col);
                mgn_tile_any(panel, count, &x, c + i * step + j, step, size.more || t != 0);
            }
        }
    }
}

/* Adds sum w_i x_i x_i' over the rows x_i, with w_i = 1 where w is NULL, to the lower triangle of
 * g, and to a part of the upper one. The rows are at most as many as `panel` has room for. */
static void mgn_normal_add(margin_real *g, size_t step, const margin_data *rows,
                           const margin_real *w, margin_real *panel) {
    const mgn_view x = mgn_view_of(rows->x, rows->stride, 1);
    margin_real tile[MGN_TILE * MGN_PANEL];
    for (size_t first = 0; first < rows->d; first += MGN_PANEL) {
        const size_t n = mgn_size_min(rows->d - first, MGN_PANEL);
        mgn_panel_pack_columns(panel, x, 0, rows->n, first, n);
        for (size_t t = 0; w != NULL && t < rows->n; t++) {
            for (size_t r = 0; r < MGN_PANEL; r++) { panel[t * MGN_PANEL + r] *= w[t]; }
        }
        for (size_t i = first; i < rows->d; i += MGN_TILE) {
            const mgn_vectors columns = mgn_vectors_of(x.p + i, 1, rows->d - i, rows->n, x.row);
            mgn_tile(panel, &columns, tile, MGN_PANEL, false);
            for (size_t j = 0; j < columns.count; j++) {
                for (size_t r = 0; r < n; r++) {
                    g[(i + j) * step + first + r] += tile[j * MGN_PANEL + r];
                }
            }
        }
    }
}

/* g = X'X: blocks of MGN_DEPTH rows are summed from zero and then added up, which bounds the
 * growth of the rounding errors by MGN_DEPTH + n / MGN_DEPTH instead of n terms. */
static void mgn_normal_matrix(margin_real *g, size_t step, const margin_data *rows,
                              margin_real *panel) {
    const size_t d = rows->d;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) { g[i * step + j] = 0; }
    }
    for (size_t t = 0; t < rows->n; t += MGN_DEPTH) {
        margin_data block = *rows;
        block.x = rows->x + t * rows->stride;
        block.n = mgn_size_min(rows->n - t, MGN_DEPTH);
        mgn_normal_add(g, step, &block, NULL, panel);
    }
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < i; j++) { g[j * step + i] = g[i * step + j]; }
    }
}

/* Cholesky. Only the lower triangle of the matrix is read and written, so the upper one, together
 * with a copy of the diagonal, can restore it when the factorisation fails. */

/* Largest |a_ij| of the lower triangle. If an element is a NaN or infinite, so is the result. */
static margin_real mgn_lower_max(const margin_real *a, size_t step, size_t n) {
    margin_real m = 0;
    for (size_t i = 0; i < n; i++) {
        const margin_real row = margin_norm_inf(a + i * step, i + 1u);
        if (row > m || row != row) { m = row; }
    }
    return m;
}

/* Checks a square matrix argument, whose lower triangle must be finite. */
static margin_status mgn_lower_check(const margin_real *a, size_t n) {
    const margin_status status = mgn_mat_check(a, n, n);
    if (status != MARGIN_OK) { return status; }
    return mgn_lower_max(a, n, n) <= MGN_HUGE ? MARGIN_OK : MARGIN_E_NOT_FINITE;
}

/* Puts the lower triangle back as it was, from the upper one and the saved diagonal. */
static void mgn_lower_restore(margin_real *a, size_t n, const margin_real *diagonal) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) { a[i * n + j] = a[j * n + i]; }
        a[i * n + i] = diagonal[i];
    }
}

/* a[i][l] -= row i . row l, for the columns l of one panel from `first` on and all rows i >= l. The
 * rows are a part of those of a: its columns that have been factored. */
static void mgn_lower_update(margin_real *a, const margin_data *rows, size_t first,
                             margin_real *panel) {
    const size_t count = mgn_size_min(rows->n - first, MGN_PANEL);
    margin_real tile[MGN_TILE * MGN_PANEL] = {0};
    mgn_panel_pack(panel, rows, first, count);
    for (size_t i = first; i < rows->n; i += MGN_TILE) {
        const mgn_vectors x = mgn_samples(rows, i);
        mgn_panel_dots_block(panel, count, &x, tile, MGN_PANEL);
        for (size_t j = 0; j < x.count; j++) {
            margin_real *row = a + (i + j) * rows->stride + first;
            const size_t end = mgn_size_min(i + j - first + 1u, count);
            for (size_t r = 0; r < end; r++) { row[r] -= tile[j * MGN_PANEL + r]; }
        }
    }
}

/* Factors the square of one panel on the diagonal, row by row. `upper` gets its transposed factor,
 * padded with zeros, `inverse` the reciprocals of its diagonal. False: not positive definite. */
static bool mgn_cholesky_square(margin_real *a, size_t stride, size_t count, margin_real *upper,
                                margin_real *inverse) {
    for (size_t i = 0; i < MGN_PANEL * MGN_PANEL; i++) { upper[i] = 0; }
    for (size_t i = 0; i < count; i++) {
        margin_real *row = a + i * stride;
        for (size_t j = 0; j < i; j++) {
            row[j] *= inverse[j];
            upper[j * MGN_PANEL + i] = row[j];
            for (size_t r = j + 1u; r < i; r++) { row[r] -= row[j] * upper[j * MGN_PANEL + r]; }
            row[i] -= row[j] * row[j];
        }
        if (!(row[i] > 0)) { return false; }
        row[i] = mgn_sqrt(row[i]);
        inverse[i] = 1 / row[i];
    }
    return true;
}

/* A = L L', panel after panel of columns. A panel is first updated by all columns before it, then
 * its square on the diagonal is factored, then the rows below that. */
static bool mgn_cholesky(margin_real *a, size_t stride, size_t n, margin_real *panel) {
    margin_real upper[MGN_PANEL * MGN_PANEL];
    margin_real inverse[MGN_PANEL];
    for (size_t first = 0; first < n; first += MGN_PANEL) {
        const size_t count = n - first < MGN_PANEL ? n - first : MGN_PANEL;
        margin_real *square = a + first * stride + first;
        const margin_data before = {a, n, first, stride, NULL, NULL, NULL};
        if (first != 0) { mgn_lower_update(a, &before, first, panel); }
        if (!mgn_cholesky_square(square, stride, count, upper, inverse)) { return false; }
        /* The rows below a whole square: each row r becomes r L'^-1, by substitution along the
         * columns of L. */
        for (size_t i = first + count; i < n; i++) {
            margin_real *out = a + i * stride + first, row[MGN_PANEL];
            for (size_t r = 0; r < MGN_PANEL; r++) { row[r] = out[r]; }
            for (size_t j = 0; j < MGN_PANEL; j++) {
                const margin_real v = row[j] * inverse[j];
                out[j] = v;
                for (size_t r = 0; r < MGN_PANEL; r++) { /* zeros where r <= j */
                    row[r] -= v * upper[j * MGN_PANEL + r];
                }
            }
        }
    }
    return true;
}

typedef struct {
    margin_real *panel;    /* one panel of the columns so far */
    margin_real *diagonal; /* of the matrix, to restore it */
} mgn_cholesky_work;

static mgn_cholesky_work mgn_cholesky_plan(margin_arena *mem, size_t n) {
    mgn_cholesky_work work, *plan = &work;
    MARGIN_BLOCKS_CHOLESKY(MGN_TAKE, n)
    return work;
}

MARGIN_API size_t margin_cholesky_size(size_t n) {
    margin_arena mem = margin_arena_counting();
    (void)mgn_cholesky_plan(&mem, n);
    return mgn_arena_counted(&mem);
}

MARGIN_API margin_status margin_cholesky(margin_real *a, size_t n, margin_arena *mem) {
    margin_status status = mgn_both(mgn_lower_check(a, n), mgn_mem_check(mem));
    if (status != MARGIN_OK) { return status; }
    margin_arena before = *mem;
    const mgn_cholesky_work work = mgn_cholesky_plan(mem, n);
    if (mem->failed == 0) {
        for (size_t i = 0; i < n; i++) { work.diagonal[i] = a[i * n + i]; }
        if (!mgn_cholesky(a, n, n, work.panel)) {
            mgn_lower_restore(a, n, work.diagonal);
            status = MARGIN_E_NOT_POSITIVE;
        }
    }
    return mgn_both(margin_arena_rewind(mem, &before), status);
}

/* How many columns the pivoted factorisation makes before it updates the rest of the matrix. */
#define MGN_PIVOTS ((size_t)32u)

typedef struct {
    margin_real *panel;    /* one panel of MGN_PIVOTS columns */
    margin_real *diagonal; /* of the matrix, to restore it */
    margin_real *left;     /* diagonal of what is left to factor */
    margin_real *column;   /* one column of it */
    margin_index *order;
} mgn_pivoted_work;

static mgn_pivoted_work mgn_pivoted_plan(margin_arena *mem, size_t n) {
    mgn_pivoted_work work, *plan = &work;
    MARGIN_BLOCKS_PIVOTED(MGN_TAKE, n)
    return work;
}

static void mgn_swap(margin_real *a, margin_real *b) {
    const margin_real t = *a;
    *a = *b;
    *b = t;
}

/* The first of the largest values of x[from] .. x[n-1]. */
static size_t mgn_index_of_max(const margin_real *x, size_t from, size_t n) {
    size_t best = from;
    for (size_t i = from + 1u; i < n; i++) {
        if (x[i] > x[best]) { best = i; }
    }
    return best;
}

/* Column j of the factor. The products of the columns before `from` have been subtracted from the
 * matrix already; those of the columns from .. j - 1 are subtracted here. */
static void mgn_pivoted_column(margin_real *a, size_t n, size_t from, size_t j,
                               const mgn_pivoted_work *work) {
    const margin_real pivot = mgn_sqrt(work->left[j]);
    margin_real *row = a + j * n;
    row[j] = pivot;
    mgn_dots(row + from, row + n + from, n, n - j - 1u, j - from, work->column);
    for (size_t i = j + 1u; i < n; i++) {
        row += n;
        row[j] = (row[j] - work->column[i - j - 1u]) / pivot;
        work->left[i] -= row[j] * row[j];
    }
}

/* Makes row and column p the next ones, j. */
static void mgn_pivoted_swap(margin_real *a, size_t n, size_t j, size_t p,
                             const mgn_pivoted_work *work) {
    const margin_index row = work->order[p];
    /* Exchanges rows and columns j < p of the symmetric matrix whose lower triangle is in a; the
     * diagonal is kept elsewhere. */
    for (size_t k = 0; k < j; k++) { mgn_swap(&a[j * n + k], &a[p * n + k]); }
    for (size_t k = j + 1u; k < p; k++) { mgn_swap(&a[k * n + j], &a[p * n + k]); }
    for (size_t k = p + 1u; k < n; k++) { mgn_swap(&a[k * n + j], &a[k * n + p]); }
    mgn_swap(&work->left[j], &work->left[p]);
    work->order[p] = work->order[j];
    work->order[j] = row;
}

/* The whole factorisation: the largest diagonal element left is the next pivot (Higham 2002,
 * section 10.3), until that is at most `least`. Returns the rank. The part of the matrix that was
 * not factored stays in the lower triangle. */
static size_t mgn_pivoted(margin_real *a, size_t n, margin_real least,
                          const mgn_pivoted_work *work) {
    size_t rank = 0;
    bool more = true;
    while (more && rank < n) {
        const size_t from = rank, end = n - from < MGN_PIVOTS ? n : from + MGN_PIVOTS;
        for (; more && rank < end; rank += more ? 1u : 0u) {
            const size_t p = mgn_index_of_max(work->left, rank, n);
            more = work->left[p] > least;
            if (more && p != rank) { mgn_pivoted_swap(a, n, rank, p, work); }
            if (more) { mgn_pivoted_column(a, n, from, rank, work); }
        }
        const margin_data made = {a + from, n, rank - from, n, NULL, NULL, NULL};
        for (size_t l = rank; l < n; l += MGN_PANEL) { mgn_lower_update(a, &made, l, work->panel); }
    }
    return rank;
}

MARGIN_API size_t margin_cholesky_pivoted_size(size_t n) {
    margin_arena mem = margin_arena_counting();
    (void)mgn_pivoted_plan(&mem, n);
    return mgn_arena_counted(&mem);
}

/* Factors a in the memory that `work` has. If a is indefinite, it is restored. */
static margin_status mgn_pivoted_run(margin_real *a, size_t n, margin_real tol, size_t *rank,
                                     const mgn_pivoted_work *work) {
    margin_real largest = 0;
    for (size_t i = 0; i < n; i++) {
        work->left[i] = work->diagonal[i] = a[i * n + i];
        work->order[i] = (margin_index)i;
        largest = mgn_max(largest, work->diagonal[i]);
    }
    const margin_real noise = (margin_real)n * MGN_EPS;
    tol = tol > 0 ? tol : noise;
    *rank = mgn_pivoted(a, n, tol * largest, work);
    /* The elements of what `rank` columns leave of a semi-definite matrix are no larger than its
     * diagonal elements, which the choice of pivots has made small. */
    const margin_real bound = (tol + 16 * noise) * largest;
    bool small = true;
    for (size_t i = *rank; i < n && small; i++) {
        small = work->left[i] >= -bound && margin_norm_inf(a + i * n + *rank, i - *rank) <= bound;
    }
    if (!small) {
        mgn_lower_restore(a, n, work->diagonal);
        return MARGIN_E_NOT_POSITIVE;
    }
    /* Columns of L from `rank` on are zero. */
    for (size_t i = *rank; i < n; i++) {
        for (size_t j = *rank; j <= i; j++) { a[i * n + j] = 0; }
    }
    return MARGIN_OK;
}

MARGIN_API margin_status margin_cholesky_pivoted(margin_real *a, size_t n, margin_real tol,
                                                 margin_index *order, size_t *rank,
                                                 margin_arena *mem) {
    margin_status status = mgn_both(mgn_lower_check(a, n), mgn_mem_check(mem));
    size_t found = 0;
    if ((order == NULL && n != 0) || rank == NULL || !(tol >= 0 && tol < 1)) {
        status = MARGIN_E_ARGUMENT;
    }
    if (status != MARGIN_OK) { return status; }
    margin_arena before = *mem;
    mgn_pivoted_work work = mgn_pivoted_plan(mem, n);
    if (mem->failed == 0) { status = mgn_pivoted_run(a, n, tol, &found, &work); }
    if (mem->failed == 0 && status == MARGIN_OK) {
        for (size_t i = 0; i < n; i++) { order[i] = work.order[i]; }
        *rank = found;
    }
    return mgn_both(margin_arena_rewind(mem, &before), status);
}

/* The same factor column by column, from rows of the matrix that are known one at a time and pivots
 * that the caller chooses. With the columns so far, the next one for pivot p is
 * (row p of the matrix - L L_p') / sqrt(left_p), where left_p = a_pp - |L_p|^2. */
typedef struct {
    margin_real *l; /* n rows, `step` numbers apart, of `count` columns so far */
    size_t n, step, count;
    margin_real *left; /* what the columns leave of the diagonal */
} mgn_factor;

/* Adds a column; `row` has row p of the matrix on entry and the column on return. */
static void mgn_factor_add(mgn_factor *f, size_t p, margin_real *row) {
    const margin_real *own = f->l + p * f->step, scale = mgn_sqrt(f->left[p]);
    for (size_t i = 0; i < f->n; i++) {
        row[i] = (row[i] - margin_dot(f->l + i * f->step, own, f->count)) / scale;
    }
    for (size_t i = 0; i < f->n; i++) {
        f->l[i * f->step + f->count] = row[i];
        f->left[i] -= row[i] * row[i];
    }
    f->left[p] = 0;
    f->count++;
}

/* Triangular systems. T is a view of either triangle, transposed or not, so one forward and one
 * backward substitution serve four kinds of matrices. */

/* b = T^-1 b for the n x m matrix b. T is lower triangular if `forward`, otherwise upper
 * triangular. Either its rows or its columns must lie without gaps. */
static void mgn_solve(margin_real *b, size_t m, mgn_view t, size_t n, bool forward) {
    const bool columns = m == 1u && t.row == 1u; /* they lie without gaps */
    for (size_t done = 0; done < n; done++) {
        const size_t i = forward ? done : n - 1u - done;
        const size_t from = forward ? 0 : i + 1u, to = forward ? i : n;
        if (columns) {
            b[i] /= t.p[i + i * t.col];
            const size_t rest = forward ? i + 1u : 0;
            mgn_axpy(b + rest, -b[i], t.p + i * t.col + rest, forward ? n - rest : i);
            continue;
        }
        const margin_real *c = t.p + i * t.row; /* row -= sum of T(i, k) * (row k of b), in order */
        margin_real *MGN_RESTRICT row = b + i * m;
        size_t k = from;
        if (m == 1u) {
            row[0] -= margin_dot(c + from, b + from, to - from);
            k = to;
        }
        for (; to - k >= 4u; k += 4u) {
            const margin_real c0 = c[k * t.col], c1 = c[(k + 1u) * t.col];
            const margin_real c2 = c[(k + 2u) * t.col], c3 = c[(k + 3u) * t.col];
            const margin_real *b0 = b + k * m, *b1 = b0 + m, *b2 = b1 + m, *b3 = b2 + m;
            for (size_t j = 0; j < m; j++) {
                row[j] = (((row[j] - c0 * b0[j]) - c1 * b1[j]) - c2 * b2[j]) - c3 * b3[j];
            }
        }
        for (; k < to; k++) { mgn_axpy(row, -c[k * t.col], b + k * m, m); }
        for (size_t j = 0; j < m; j++) { row[j] /= c[i * t.col]; }
    }
}

MARGIN_API margin_status margin_cholesky_solve(margin_real *b, size_t m, const margin_real *l,
                                               size_t n) {
    margin_status status = mgn_both(mgn_mat_check(b, n, m), mgn_mat_check(l, n, n));
    for (size_t i = 0; i < n && status == MARGIN_OK; i++) {
        if (!(mgn_abs(l[i * n + i]) > 0)) { status = MARGIN_E_NOT_POSITIVE; }
    }
    if (status == MARGIN_OK) {
        mgn_solve(b, m, mgn_view_of(l, n, 1), n, true);
        mgn_solve(b, m, mgn_view_of(l, 1, n), n, false);
    }
    return status;
}

/* sqrt(x^2 + y^2) without overflow or harmful underflow. */
static margin_real mgn_hypot(margin_real x, margin_real y) {
    const margin_real s = x * x + y * y, pair[2] = {x, y};
    return mgn_square_is_safe(s) ? mgn_sqrt(s) : margin_norm2(pair, 2);
}

typedef struct {
    margin_real *c; /* cosine and sine of the rotation of each column */
    margin_real *s;
} mgn_rotations;

/* Symmetric eigenvalues: A = Q T Q' by Householder reflections, then implicit QR steps on the
 * tridiagonal T (Golub and Van Loan, Matrix Computations, 8.3). Eigenvectors are rows throughout,
 * so every inner loop runs along a row. The matrix is first scaled by a power of two to a largest
 * element in [1, 4), which keeps all squares in range; a quantity of size EPS^2 is then
 * negligible. */

/* work = a / scale, lower triangle; returns the scale. */
static margin_real mgn_lower_scaled(margin_real *work, const margin_real *a, size_t step,
                                    size_t n) {
    const margin_real scale = mgn_power_of_two(mgn_lower_max(a, step, n)), inverse = 1 / scale;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) { work[i * step + j] = a[i * step + j] * inverse; }
    }
    return scale;
}

/* The reflection I - u u' / h that takes the n values x at `u` to (0, ..., 0, s) with s =
 * -sign(x_n) |x|, which is stored in *last. Its vector is u = x - (0, ..., 0, s), and h = |u|^2 /
 * 2 = |x|^2 - x_n s. u replaces x. Returns h, or 0 where x needs no reflection. */
static margin_real mgn_reflector(margin_real *u, size_t n, margin_real *last) {
    const margin_real f = u[n - 1u], tail = margin_dot(u, u, n - 1u);
    const margin_real square = tail + f * f;
    *last = f;
    if (tail <= MGN_TINY / MGN_EPS) { /* its square root is far below EPS^2 */
        return 0;
    }
    *last = f > 0 ? -mgn_sqrt(square) : mgn_sqrt(square);
    u[n - 1u] = f - *last;
    return square - f * *last;
}

/* A = H A H with H = I - u u' / h, lower triangle of n rows: with p = A u / h and
 * q = p - (u.p / 2h) u that is A - u q' - q u'. */
static void mgn_reflect_both(margin_real *a, size_t stride, size_t n, const margin_real *u,
                             margin_real h, margin_real *q) {
    for (size_t j = 0; j < n; j++) { /* q = A u */
        q[j] = margin_dot(a + j * stride, u, j + 1u);
        mgn_axpy(q, u[j], a + j * stride, j);
    }
    for (size_t j = 0; j < n; j++) { q[j] /= h; }
    mgn_axpy(q, -(margin_dot(u, q, n) / (2 * h)), u, n);
    for (size_t j = 0; j < n; j++) {
        margin_real *MGN_RESTRICT row = a + j * stride;
        for (size_t k = 0; k <= j; k++) { row[k] -= u[j] * q[k] + q[j] * u[k]; }
    }
}

typedef struct {
    margin_real *d;     /* diagonal of T */
    margin_real *e;     /* e[i] couples i and i + 1 */
    margin_real *h;     /* of the reflection of each row */
    margin_real *q;     /* one vector */
    mgn_rotations turn; /* rotations of one QR step */
} mgn_tridiagonal;

static mgn_tridiagonal mgn_tridiagonal_plan(margin_arena *mem, size_t n) {
    mgn_tridiagonal t, *plan = &t;
    MARGIN_BLOCKS_EIGEN(MGN_TAKE, n)
    return t;
}

/* Reduces the lower triangle of a to T, from the last row up; u of the reflection that cleared row
 * i stays in the first i places of that row. */
static void mgn_tridiagonalise(margin_real *a, size_t step, size_t n, const mgn_tridiagonal *t) {
    for (size_t i = n; i > 1u; i--) {
        margin_real *u = a + (i - 1u) * step;
        t->h[i - 1u] = mgn_reflector(u, i - 1u, &t->e[i - 2u]);
        if (t->h[i - 1u] > 0) { mgn_reflect_both(a, step, i - 1u, u, t->h[i - 1u], t->q); }
    }
    for (size_t i = 0; i < n; i++) { t->d[i] = a[i * step + i]; }
}

/* row = (I - u u' / h) row, for a row of n values. */
static void mgn_reflect_row(margin_real *row, const margin_real *u, margin_real h, size_t n) {
    mgn_axpy(row, -(margin_dot(row, u, n) / h), u, n);
}

/* One implicit QR step on rows lo .. hi of T, whose couplings are not zero. The shift is
 * Wilkinson's, the eigenvalue of the last 2 x 2 block that is nearer to d_hi: with half =
 * (d_(hi-1) - d_hi) / 2 and b their coupling it is d_hi - b^2 / (half + sign(half) sqrt(half^2 +
 * b^2)). */
static void mgn_qr_step(const mgn_tridiagonal *t, size_t lo, size_t hi) {
    margin_real *d = t->d, *e = t->e;
    const margin_real half = (d[hi - 1u] - d[hi]) / 2, b = e[hi - 1u];
    const margin_real root = mgn_hypot(half, b);
    margin_real x = d[lo] - (d[hi] - b * (b / (half < 0 ? half - root : half + root)));
    margin_real z = e[lo];
    for (size_t k = lo; k < hi; k++) {
        /* The rotation that takes (x, z) to (r, 0), r >= 0. */
        const margin_real r = mgn_hypot(x, z);
        t->turn.c[k] = r > 0 ? x / r : 1;
        t->turn.s[k] = r > 0 ? z / r : 0;
        const margin_real c = t->turn.c[k], s = t->turn.s[k];
        const margin_real w = s * (d[k + 1u] - d[k]) + 2 * (c * e[k]);
        /* gcc 12 fuses d + s w and d - s w into one instruction even where contraction is off */
        const volatile margin_real shift = s * w;
        const margin_real u = shift;
        if (k > lo) { e[k - 1u] = r; }
        d[k] += u;
        d[k + 1u] -= u;
        e[k] = c * w - e[k];
        if (k + 1u < hi) {
            x = e[k];
            z = s * e[k + 1u];
            e[k + 1u] *= c;
        }
    }
}

/* Two rotations (a, b) = (c a + s b, c b - s a) in one pass: of the rows a and b, then of the rows
 * b and z. */
static void mgn_rotate_two(margin_real *MGN_RESTRICT a, margin_real *MGN_RESTRICT b,
                           margin_real *MGN_RESTRICT z, size_t n, const margin_real *c,
                           const margin_real *s) {
    const margin_real c0 = c[0], c1 = c[1], s0 = s[0], s1 = s[1];
    for (size_t j = 0; j < n; j++) {
        const margin_real v = a[j], w = c0 * b[j] - s0 * v;
        a[j] = c0 * v + s0 * b[j];
        b[j] = c1 * w + s1 * z[j];
        z[j] = c1 * z[j] - s1 * w;
    }
}

/* The rotations of one QR step on rows lo .. hi of v. */
static void mgn_rotate_rows(margin_real *v, size_t n, size_t lo, size_t hi,
                            const mgn_rotations *turn) {
    const size_t whole = hi - (hi - lo) % 2u;
    size_t k = lo;
    for (; k < whole; k += 2u) {
        margin_real *row = v + k * n;
        mgn_rotate_two(row, row + n, row + 2u * n, n, turn->c + k, turn->s + k);
    }
    margin_real *MGN_RESTRICT a = v + k * n, *MGN_RESTRICT b = a + n; /* the last rotation alone */
    for (size_t j = 0; k < hi && j < n; j++) {
        const margin_real last = a[j];
        a[j] = turn->c[k] * last + turn->s[k] * b[j];
        b[j] = turn->c[k] * b[j] - turn->s[k] * last;
    }
}

/* Brings T to diagonal form, and applies the same rotations to the rows of v if it is not NULL. An
 * eigenvalue usually takes two or three steps; after 30 n steps in all the function gives up and
 * returns false. */
static bool mgn_tridiagonal_solve(const mgn_tridiagonal *t, size_t n, margin_real *v) {
    size_t hi = n == 0 ? 0 : n - 1u, steps = 0;
    while (hi > 0) {
        size_t lo = hi;
        for (; lo > 0; lo--) { /* to the first coupling that is negligible */
            const margin_real size = mgn_abs(t->d[lo - 1u]) + mgn_abs(t->d[lo]);
            if (mgn_abs(t->e[lo - 1u]) <= MGN_EPS * mgn_max(size, MGN_EPS)) { break; }
        }
        if (lo == hi) {
            hi--;
            continue;
        }
        if (steps++ >= mgn_size_mul(30u, n)) { return false; }
        mgn_qr_step(t, lo, hi);
        if (v != NULL) { mgn_rotate_rows(v, n, lo, hi, &t->turn); }
    }
    return true;
}

/* Moves the `count` largest of the n values d to the front, largest first, and the rows of v with
 * them if it is not NULL. */
static void mgn_sort_eigen(margin_real *d, size_t n, size_t count, margin_real *v) {
    for (size_t i = 0; i < count; i++) {
        const size_t best = mgn_index_of_max(d, i, n);
        for (size_t j = 0; v != NULL && best != i && j < n; j++) {
            mgn_swap(&v[i * n + j], &v[best * n + j]);
        }
        mgn_swap(&d[i], &d[best]);
    }
}

/* Scratch of margin_eigen. The vectors serve as work matrix, or else one is taken. */
static mgn_tridiagonal mgn_eigen_plan(margin_arena *mem, size_t n, bool vectors,
                                      margin_real **work) {
    const mgn_tridiagonal t = mgn_tridiagonal_plan(mem, n);
    *work = vectors ? NULL : MGN_SCRATCH(mem, margin_real, mgn_size_mul(n, n));
    return t;
}

MARGIN_API size_t margin_eigen_size(size_t n, bool vectors) {
    margin_arena mem = margin_arena_counting();
    margin_real *work;
    (void)mgn_eigen_plan(&mem, n, vectors, &work);
    return mgn_arena_counted(&mem);
}

/* All eigenvalues of a, with n x n numbers of work, which become the eigenvectors if they are
 * wanted. */
static margin_status mgn_eigen(margin_real *values, margin_real *work, bool vectors,
                               const margin_real *a, size_t n, const mgn_tridiagonal *t) {
    const margin_real scale = mgn_lower_scaled(work, a, n, n);
    margin_real *v = vectors ? work : NULL;
    mgn_tridiagonalise(work, n, n, t);
    /* Replaces the vectors u by Q', the product of their reflections. The reflection of row i acts
     * on the rows above it, which are complete when it is their turn. */
    for (size_t i = 0; vectors && i < n; i++) {
        margin_real *u = v + i * n;
        for (size_t j = 0; j < i && t->h[i] > 0; j++) { mgn_reflect_row(v + j * n, u, t->h[i], i); }
        for (size_t j = 0; j < i; j++) { u[j] = v[j * n + i] = 0; }
        u[i] = 1;
    }
    if (!mgn_tridiagonal_solve(t, n, v)) { return MARGIN_E_NO_CONVERGENCE; }
    mgn_sort_eigen(t->d, n, n, v);
    for (size_t i = 0; i < n; i++) { values[i] = t->d[i] * scale; }
    return MARGIN_OK;
}

MARGIN_API margin_status margin_eigen(margin_real *values, margin_real *vectors,
                                      const margin_real *a, size_t n, margin_arena *mem) {
    const bool wanted = vectors != NULL;
    margin_status status = mgn_both(mgn_lower_check(a, n), mgn_mat_check(values, 1, n));
    margin_real *work;
    status = mgn_both(status, mgn_mem_check(mem));
    if (status != MARGIN_OK) { return status; }
    margin_arena before = *mem;
    const mgn_tridiagonal t = mgn_eigen_plan(mem, n, wanted, &work);
    if (mem->failed == 0) { status = mgn_eigen(values, wanted ? vectors : work, wanted, a, n, &t); }
    return mgn_both(margin_arena_rewind(mem, &before), status);
}

/* Leading eigenpairs: the eigenvalues of T by QR steps without vectors, the wanted eigenvectors of
 * T by inverse iteration, each kept orthogonal to all before it (Wilkinson; Ipsen, SIAM Review 39,
 * 1997), then Q applied to them. */
typedef struct {
    mgn_tridiagonal t;
    margin_real *a;        /* n x n: the reflections */
    margin_real *d, *e;    /* T itself, which the QR steps overwrite in t */
    margin_real *u[3];     /* T - lambda = P L U: U by its three diagonals, */
    margin_real *m;        /* L by its multipliers, */
    margin_index *swapped; /* P by whether rows i and i + 1 were exchanged */
} mgn_leading;

static mgn_leading mgn_leading_plan(margin_arena *mem, size_t n) {
    mgn_leading w, *plan = &w;
    w.t = mgn_tridiagonal_plan(mem, n);
    MARGIN_BLOCKS_LEADING(MGN_TAKE, n)
    return w;
}

MARGIN_API size_t margin_eigen_leading_size(size_t n) {
    margin_arena mem = margin_arena_counting();
    (void)mgn_leading_plan(&mem, n);
    return mgn_arena_counted(&mem);
}

/* x, but at least `least` in size, with the same sign. */
static margin_real mgn_at_least(margin_real x, margin_real least) {
    return mgn_abs(x) >= least ? x : x < 0 ? -least : least;
}

/* T - lambda = P L U by Gauss elimination with partial pivoting. Pivots are kept away from zero. */
static void mgn_shifted_factor(const mgn_leading *w, size_t n, margin_real lambda,
                               margin_real least) {
    margin_real x = w->d[0] - lambda; /* the row to eliminate with: x, y and a zero */
    margin_real y = n > 1u ? w->e[0] : 0;
    for (size_t i = 0; i + 1u < n; i++) {
        const margin_real below = w->e[i], next = w->d[i + 1u] - lambda;
        const margin_real over = i + 2u < n ? w->e[i + 1u] : 0;
        w->swapped[i] = mgn_abs(below) > mgn_abs(x);
        if (w->swapped[i]) {
            w->m[i] = x / below;
            w->u[0][i] = below;
            w->u[1][i] = next;
            w->u[2][i] = over;
            x = y - w->m[i] * next;
            y = -w->m[i] * over;
        } else {
            x = mgn_at_least(x, least);
            w->m[i] = below / x;
            w->u[0][i] = x;
            w->u[1][i] = y;
            w->u[2][i] = 0;
            x = next - w->m[i] * y;
            y = over;
        }
    }
    w->u[0][n - 1u] = mgn_at_least(x, least);
}

/* Subtracts from z its components along `count` orthonormal rows. */
static void mgn_orthogonalise(margin_real *z, const margin_real *rows, size_t count, size_t n) {
    for (size_t i = 0; i < count; i++) {
        mgn_axpy(z, -margin_dot(z, rows + i * n, n), rows + i * n, n);
    }
}

/* Divides z by |z|, which it returns; z = 0 is left as it is. */
static margin_real mgn_normalise(margin_real *z, size_t n) {
    const margin_real length = margin_norm2(z, n);
    for (size_t i = 0; i < n && length > 0; i++) { z[i] /= length; }
    return length;
}

/* Makes z orthogonal to `count` orthonormal rows, and of length 1. After a pass that took away more
 * than half of z, rounding errors along the rows are no longer small beside it: then another pass
 * removes them. */
static void mgn_orthonormalise(margin_real *z, const margin_real *rows, size_t count, size_t n) {
    margin_real length = 0;
    (void)mgn_normalise(z, n);
    for (size_t pass = 0; pass < 4u && length < MGN_R(0.5); pass++) {
        mgn_orthogonalise(z, rows, count, n);
        length = mgn_normalise(z, n);
    }
}

/* Largest element of T z - lambda z. */
static margin_real mgn_shifted_residual(const mgn_leading *w, size_t n, margin_real lambda,
                                        const margin_real *z) {
    margin_real worst = 0;
    for (size_t i = 0; i < n; i++) {
        const margin_real left = i > 0 ? w->e[i - 1u] * z[i - 1u] : 0;
        const margin_real right = i + 1u < n ? w->e[i] * z[i + 1u] : 0;
        const margin_real r = mgn_abs((w->d[i] - lambda) * z[i] + (left + right));
        if (r > worst || r != r) { /* after an overflow it is a NaN, which must not be lost */
            worst = r;
        }
    }
    return worst;
}

/* Row `which` of v: the eigenvector of T (of the given size) to lambda, orthogonal to the rows
 * before it. The shift stays a few EPS |T| away from lambda, another distance each time: within a
 * cluster of eigenvalues no direction is then amplified much more than the others, which could be
 * one that the rows before already span. Two or three solutions usually leave a residual of EPS
 * |T|; the k-th of at most 8 is accepted with 2^k EPS |T|. */
static bool mgn_inverse_iteration(const mgn_leading *w, size_t n, margin_real lambda,
                                  margin_real size, margin_real *v, size_t which) {
    const margin_real unit = MGN_EPS * size;
    margin_real *z = v + which * n;
    margin_real accepted = unit;
    /* It starts from a pseudo-random vector of length 1 (xorshift, Marsaglia 2003). */
    uint32_t state = ((uint32_t)which + 1u) * UINT32_C(0x9E3779B9);
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        z[i] = (margin_real)(state >> 16) / MGN_R(32768.0) - MGN_R(0.99999);
    }
    (void)mgn_normalise(z, n);
    for (size_t round = 1; round <= 8u; round++) {
        accepted *= 2;
        mgn_shifted_factor(w, n, lambda + (margin_real)round * unit, unit);
        /* z = (T - lambda)^-1 z */
        for (size_t i = 0; i + 1u < n; i++) {
            if (w->swapped[i]) { mgn_swap(&z[i], &z[i + 1u]); }
            z[i + 1u] -= w->m[i] * z[i];
        }
        for (size_t i = n; i > 0; i--) {
            margin_real s = z[i - 1u];
            if (i < n) { s -= w->u[1][i - 1u] * z[i]; }
            if (i + 1u < n) { s -= w->u[2][i - 1u] * z[i + 1u]; }
            z[i - 1u] = s / w->u[0][i - 1u];
        }
        mgn_orthonormalise(z, v, which, n);
        if (mgn_shifted_residual(w, n, lambda, z) <= accepted) { return true; }
    }
    return false;
}

static margin_status mgn_eigen_leading(margin_real *values, margin_real *v, size_t k,
                                       const margin_real *a, size_t n, const mgn_leading *w) {
    const margin_real scale = mgn_lower_scaled(w->a, a, n, n);
    margin_real size = MGN_EPS;
    mgn_tridiagonalise(w->a, n, n, &w->t);
    for (size_t i = 0; i < n; i++) {
        w->d[i] = w->t.d[i];
        w->e[i] = i + 1u < n ? w->t.e[i] : 0;
        size = mgn_max(size, mgn_abs(w->d[i]) + 2 * mgn_abs(w->e[i]));
    }
    if (!mgn_tridiagonal_solve(&w->t, n, NULL)) { return MARGIN_E_NO_CONVERGENCE; }
    mgn_sort_eigen(w->t.d, n, k, NULL);
    for (size_t i = 0; i < k; i++) {
        if (!mgn_inverse_iteration(w, n, w->t.d[i], size, v, i)) { return MARGIN_E_NO_CONVERGENCE; }
    }
    /* Rows of v times Q': from eigenvectors of T to those of A. */
    for (size_t i = 1; i < n; i++) {
        for (size_t j = 0; w->t.h[i] > 0 && j < k; j++) {
            mgn_reflect_row(v + j * n, w->a + i * n, w->t.h[i], i);
        }
    }
    for (size_t i = 0; i < k; i++) { values[i] = w->t.d[i] * scale; }
    return MARGIN_OK;
}

MARGIN_API margin_status margin_eigen_leading(margin_real *values, margin_real *vectors, size_t k,
                                              const margin_real *a, size_t n, margin_arena *mem) {
    margin_status status = mgn_both(mgn_lower_check(a, n), mgn_mat_check(values, 1, k));
    status = mgn_both(mgn_both(status, mgn_mat_check(vectors, k, n)), mgn_mem_check(mem));
    if (status != MARGIN_OK || k > n) { return mgn_both(status, MARGIN_E_ARGUMENT); }
    margin_arena before = *mem;
    mgn_leading w = mgn_leading_plan(mem, n);
    if (mem->failed == 0 && k > 0) { status = mgn_eigen_leading(values, vectors, k, a, n, &w); }
    return mgn_both(margin_arena_rewind(mem, &before), status);
}

/* Each row is made orthonormal to the rows before it. Two passes of Gram and Schmidt are enough for
 * orthogonality to rounding (Giraud, Langou and others 2005). A row that depends on the rows before
 * it becomes zero. */
MARGIN_API margin_status margin_orthonormal(margin_real *q, size_t k, size_t d, size_t *rank) {
    const margin_status status = mgn_mat_check(q, k, d);
    size_t found = 0;
    if (status != MARGIN_OK) { return status; }
    if (!(margin_norm_inf(q, k * d) <= MGN_HUGE)) { return MARGIN_E_NOT_FINITE; }
    for (size_t j = 0; j < k; j++) {
        margin_real *row = q + j * d;
        const margin_real scale = mgn_power_of_two(margin_norm_inf(row, d));
        for (size_t i = 0; i < d; i++) { row[i] *= 1 / scale; }
        const margin_real rounding = (margin_real)(d + j) * MGN_EPS * margin_norm2(row, d);
        mgn_orthogonalise(row, q, j, d);
        mgn_orthogonalise(row, q, j, d);
        const margin_real rest = margin_norm2(row, d), length = rest > rounding ? rest : 0;
        for (size_t i = 0; i < d; i++) { row[i] = length > 0 ? row[i] / length : 0; }
        found += length > 0;
    }
    if (rank != NULL) { *rank = found; }
    return MARGIN_OK;
}

/* ---- >>data ---- views on samples: checks, moments, scaling, folds --------------------------- */

MARGIN_API void margin_scaling_row(const margin_scaling *scaling, const margin_real *x,
                                   margin_real *out) {
    const bool raw = scaling->offset == NULL;
    for (size_t j = 0; j < scaling->d; j++) {
        out[j] = raw ? x[j] : (x[j] - scaling->offset[j]) * scaling->factor[j];
    }
}

/* Label and weight of sample i of a view. */
static inline size_t mgn_label(const margin_data *data, size_t i) {
    return data->y == NULL ? 0 : data->y[mgn_row_of(data, i)];
}

static inline margin_real mgn_weight(const margin_data *data, size_t i) {
    return data->weight == NULL ? 1 : data->weight[mgn_row_of(data, i)];
}

/* Compensated summation (Kahan 1965). The error of a sum of n terms is 2 EPS times the sum of their
 * sizes, in place of n EPS. *lost is by how much *sum is too large. */
static inline void mgn_add(margin_real *sum, margin_real *lost, margin_real term) {
    const margin_real y = term - *lost, s = *sum + y;
    *lost = (s - *sum) - y;
    *sum = s;
}

/* Checks shape and pointers of a view. Of the data only the row numbers are read. */
static margin_status mgn_data_check_shape(const margin_data *data) {
    size_t last; /* the largest row number whose row lies below SIZE_MAX bytes */
    if (data == NULL || data->x == NULL) { return MARGIN_E_ARGUMENT; }
    if (data->n == 0 || data->d == 0) { return MARGIN_E_EMPTY; }
    const size_t step = mgn_stride(data->stride, data->d);
    if (step < data->d) { return MARGIN_E_ARGUMENT; }
    if (data->n > MARGIN_INDEX_MAX || data->d > SIZE_MAX / sizeof(margin_real)) {
        return MARGIN_E_OVERFLOW;
    }
    last = (SIZE_MAX / sizeof(margin_real) - data->d) / step;
    for (size_t i = data->rows == NULL ? data->n - 1 : 0; i < data->n; i++) {
        if (mgn_row_of(data, i) > last) { return MARGIN_E_OVERFLOW; }
    }
    return MARGIN_OK;
}

static bool mgn_all_finite(const margin_real *x, size_t n) {
    size_t faults = 0; /* no early exit, so that compilers vectorise the loop */
    for (size_t i = 0; i < n; i++) { faults += !mgn_finite(x[i]); }
    return faults == 0;
}

static bool mgn_weights_fit(const margin_data *data) {
    margin_real sum = 0;
    size_t faults = 0;
    for (size_t i = 0; i < data->n; i++) {
        const margin_real w = mgn_weight(data, i);
        faults += !(w >= 0);
        sum += w;
    }
    return faults == 0 && sum > 0 && mgn_finite(sum);
}

MARGIN_API margin_status margin_data_check(const margin_data *data) {
    const margin_status status = mgn_data_check_shape(data);
    if (status != MARGIN_OK) { return status; }
    for (size_t i = 0; i < data->n; i++) {
        if (!mgn_all_finite(mgn_sample(data, i), data->d)) { return MARGIN_E_NOT_FINITE; }
    }
    return mgn_weights_fit(data) ? MARGIN_OK : MARGIN_E_LABEL;
}

static size_t mgn_largest_label(const margin_data *data) {
    size_t largest = 0;
    for (size_t i = 0; i < data->n; i++) {
        largest = mgn_label(data, i) > largest ? mgn_label(data, i) : largest;
    }
    return largest;
}

MARGIN_API margin_status margin_data_classes(const margin_data *data, size_t *classes) {
    const margin_status status = margin_data_check(data);
    if (status != MARGIN_OK) { return status; }
    if (classes == NULL || data->y == NULL) { return MARGIN_E_ARGUMENT; }
    *classes = mgn_largest_label(data) + 1;
    return MARGIN_OK;
}

/* The samples that the sums below run over: one class of a view, or all of it. */
typedef struct {
    const margin_data *data;
    size_t label;
    bool all;
    margin_real unit;  /* weights count as multiples of this, the largest: sums neither over- nor
                          underflow, and are exact counts when all weights are equal */
    margin_real total; /* sum of the weights in that unit; 0 if there are none */
} mgn_group;

/* The weight of sample i in units of the group's unit; 0 if it belongs to another class. */
static margin_real mgn_share(const mgn_group *g, size_t i) {
    const bool in = g->all || mgn_label(g->data, i) == g->label;
    return in ? mgn_weight(g->data, i) / g->unit : 0;
}

/* Class `label` of `classes`, in units of its largest weight. */
static mgn_group mgn_group_of(const margin_data *data, size_t label, size_t classes) {
    mgn_group g = {data, label, classes == 1, 1, 0};
    margin_real unit = 0, lost = 0;
    for (size_t i = 0; i < data->n; i++) { unit = mgn_max(unit, mgn_share(&g, i)); }
    g.unit = unit > 0 ? unit : 1;
    for (size_t i = 0; i < data->n; i++) { mgn_add(&g.total, &lost, mgn_share(&g, i)); }
    return g;
}

/* Statistics are computed for so many neighbouring columns at a time, which needs no scratch and
 * uses the cache well. The number has no influence on the results. */
#define MGN_STRIP (SIZE_MAX > 0xFFFFFFFFu ? 32u : 8u)

typedef struct {
    const mgn_group *group;
    size_t first; /* column */
    size_t count; /* columns, 1 .. MGN_STRIP */
    margin_real low[MGN_STRIP];
    margin_real high[MGN_STRIP];
    margin_real inverse[MGN_STRIP]; /* of high - low; 0 where that has no reciprocal */
    margin_real centre[MGN_STRIP];  /* the mean is low + (high - low) * centre */
} mgn_strip;

static margin_real mgn_strip_range(const mgn_strip *s, size_t j) {
    return s->high[j] - s->low[j];
}

static margin_real mgn_strip_at_centre(const mgn_strip *s, size_t j) {
    return s->low[j] + mgn_strip_range(s, j) * s->centre[j];
}

/* The strip that begins at column `first`, with its smallest and largest values. */
static void mgn_strip_begin(mgn_strip *s, const mgn_group *group, size_t first) {
    bool begun = false;
    s->group = group;
    s->first = first;
    s->count = mgn_size_min(group->data->d - first, MGN_STRIP);
    for (size_t j = 0; j < s->count; j++) { s->low[j] = s->high[j] = 0; }
    for (size_t i = 0; i < group->data->n; i++) {
        const margin_real *x = mgn_sample(group->data, i) + first;
        const bool skip = !(mgn_share(group, i) > 0);
        for (size_t j = 0; j < s->count && !skip; j++) {
            s->low[j] = begun ? mgn_min(s->low[j], x[j]) : x[j];
            s->high[j] = begun ? mgn_max(s->high[j], x[j]) : x[j];
        }
        begun = begun || !skip;
    }
}

/* Weighted mean of u or u^2 over the samples, u = (x - low) / (high - low) - from: u lies in [-1,
 * 1], so nothing overflows, and a large offset of the column costs no digits. */
static void mgn_strip_mean(const mgn_strip *s, const margin_real *from, bool squared,
                           margin_real *MGN_RESTRICT mean) {
    margin_real lost[MGN_STRIP];
    for (size_t j = 0; j < s->count; j++) {
        mean[j] = 0;
        lost[j] = 0;
    }
    for (size_t i = 0; i < s->group->data->n; i++) {
        const margin_real *x = mgn_sample(s->group->data, i) + s->first;
        const margin_real w = mgn_share(s->group, i);
        const size_t count = w > 0 ? s->count : 0;
        for (size_t j = 0; j < count; j++) {
            const margin_real u = (x[j] - s->low[j]) * s->inverse[j] - from[j];
            mgn_add(mean + j, lost + j, w * (squared ? u * u : u));
        }
    }
    for (size_t j = 0; j < s->count; j++) { mean[j] /= s->group->total; }
}

static void mgn_strip_centres(mgn_strip *s) {
    static const margin_real zero[MGN_STRIP] = {0};
    for (size_t j = 0; j < s->count; j++) {
        const margin_real range = mgn_strip_range(s, j);
        s->inverse[j] = range >= MGN_TINY ? 1 / range : 0;
    }
    mgn_strip_mean(s, zero, false, s->centre);
}

/* What all moments ask of the data. Values in a column of a class differ by at most `limit`. */
static margin_status mgn_moments_check(const margin_data *data, size_t classes, margin_real limit) {
    const margin_status status = margin_data_check(data);
    if (status != MARGIN_OK) { return status; }
    if (classes == 0 || (data->y == NULL && classes != 1)) { return MARGIN_E_ARGUMENT; }
    if (classes != 1 && mgn_largest_label(data) >= classes) { return MARGIN_E_LABEL; }
    for (size_t c = 0; c < classes; c++) {
        const mgn_group g = mgn_group_of(data, c, classes);
        if (!(g.total > 0)) { return MARGIN_E_ONE_CLASS; }
        margin_real largest = 0;
        mgn_strip s;
        for (size_t first = 0; first < g.data->d; first += MGN_STRIP) {
            mgn_strip_begin(&s, &g, first);
            for (size_t j = 0; j < s.count; j++) {
                largest = mgn_max(largest, mgn_strip_range(&s, j));
            }
        }
        if (!(largest <= limit)) { return MARGIN_E_RANGE; }
    }
    return MARGIN_OK;
}

/* Co-moments by updating (Chan, Golub, LeVeque: "Algorithms for computing the sample variance",
 * The American Statistician 37, 1983). With W, m and C the weight, mean and co-moment matrix
 * sum w (x - m)(x - m)' so far, and the same w, b, B of a block of samples,
 *
 *     C += B + W w / (W + w) (b - m)(b - m)',   m += w / (W + w) (b - m),   W += w.
 *
 * Every term is a sum of squares on the diagonal: nothing cancels. A block has four samples, so C
 * is gone through once in four samples by a rank-5 update. m and C are compensated; m begins at the
 * first sample, not at 0: at a large offset its digits are all there, and x - m keeps those of
 * x. */
typedef struct {
    size_t d;
    size_t count;            /* samples in the block */
    const margin_real *x[4]; /* these samples */
    margin_real total;       /* W */
    margin_real share[5];    /* weights of the samples, and W w / (W + w) */
    margin_real *z[5];       /* the samples less b, and b - m */
    margin_real *mean;       /* m is mean - mean_lost */
    margin_real *mean_lost;
    margin_real *vectors; /* z, mean and mean_lost, d values each */
    margin_real *cov;     /* C, upper triangle */
    margin_real *cov_lost;
} mgn_moments;

static void mgn_moments_plan(mgn_moments *plan, margin_arena *mem, size_t d) {
    MARGIN_BLOCKS_MOMENTS(MGN_TAKE, d)
    plan->d = d;
    if (plan->vectors != NULL) {
        for (size_t s = 0; s < 5; s++) { plan->z[s] = plan->vectors + s * d; }
        plan->mean = plan->vectors + 5 * d;
        plan->mean_lost = plan->vectors + 6 * d;
    }
}

MARGIN_API size_t margin_data_moments_size(size_t d) {
    margin_arena mem = margin_arena_counting();
    mgn_moments m;
    mgn_moments_plan(&m, &mem, d);
    return mgn_arena_counted(&mem);
}

/* cov[j] += sum over s of l[s] * z[s][j], from column `from` on: one row of the rank-5 update. */
static void mgn_moments_row(const mgn_moments *m, size_t from, margin_real *MGN_RESTRICT cov,
                            margin_real *MGN_RESTRICT lost) {
    const margin_real *z0 = m->z[0], *z1 = m->z[1], *z2 = m->z[2], *z3 = m->z[3];
    const margin_real *z4 = m->z[4];
    const margin_real l0 = m->share[0] * z0[from], l1 = m->share[1] * z1[from];
    const margin_real l2 = m->share[2] * z2[from], l3 = m->share[3] * z3[from];
    const margin_real l4 = m->share[4] * z4[from];
    for (size_t j = from; j < m->d; j++) {
        mgn_add(cov + j, lost + j,
                (l0 * z0[j] + l1 * z1[j]) + (l2 * z2[j] + l3 * z3[j]) + l4 * z4[j]);
    }
}

/* Adds the block to the sums. Where it has fewer than four samples, copies of the first one without
 * weight fill it up. */
static void mgn_moments_flush(mgn_moments *m) {
    for (; m->count < 4; m->count++) {
        m->x[m->count] = m->x[0];
        m->share[m->count] = 0;
    }
    const margin_real w = (m->share[0] + m->share[1]) + (m->share[2] + m->share[3]);
    const margin_real part = w / (m->total + w);
    m->share[4] = m->total * part;
    /* Centres the block of weight w: z[0..3] become the deviations of its samples from their mean
     * b, and z[4] becomes b - m. Then m moves by `part` of b - m. */
    const margin_real p1 = m->share[1] / w, p2 = m->share[2] / w;
    const margin_real p3 = m->share[3] / w;
    for (size_t j = 0; j < m->d; j++) {
        const margin_real first = m->x[0][j], b1 = m->x[1][j] - first;
        const margin_real b2 = m->x[2][j] - first, b3 = m->x[3][j] - first;
        const margin_real b = p1 * b1 + (p2 * b2 + p3 * b3);
        m->z[0][j] = -b;
        m->z[1][j] = b1 - b;
        m->z[2][j] = b2 - b;
        m->z[3][j] = b3 - b;
        m->z[4][j] = ((first - m->mean[j]) + m->mean_lost[j]) + b;
        mgn_add(m->mean + j, m->mean_lost + j, part * m->z[4][j]);
    }
    for (size_t i = 0; i < m->d; i++) {
        mgn_moments_row(m, i, m->cov + i * m->d, m->cov_lost + i * m->d);
    }
    m->total += w;
    m->count = 0;
}

/* Class by class: the samples, then from co-moments to the covariance. */
static void mgn_moments_run(mgn_moments *m, const margin_data *data, size_t classes,
                            margin_real *weight, margin_real *mean, margin_real *cov) {
    const size_t d = m->d;
    for (size_t c = 0; c < classes; c++) {
        const mgn_group g = mgn_group_of(data, c, classes);
        m->cov = cov + c * d * d;
        for (size_t i = 0; i < m->d * m->d; i++) {
            m->cov[i] = 0;
            m->cov_lost[i] = 0;
        }
        m->count = 0;
        m->total = 0;
        for (size_t i = 0; i < g.data->n; i++) {
            const margin_real share = mgn_share(&g, i), *x = mgn_sample(g.data, i);
            if (!(share > 0)) { continue; }
            for (size_t j = 0; j < d && m->count == 0 && !(m->total > 0); j++) {
                m->mean[j] = x[j];
                m->mean_lost[j] = 0;
            }
            m->x[m->count] = x;
            m->share[m->count++] = share;
            if (m->count == 4) { mgn_moments_flush(m); }
        }
        if (m->count > 0) { mgn_moments_flush(m); }
        weight[c] = g.total * g.unit;
        for (size_t j = 0; j < d; j++) { mean[c * d + j] = m->mean[j]; }
        for (size_t i = 0; i < m->d; i++) {
            for (size_t j = i; j < m->d; j++) {
                m->cov[i * m->d + j] /= g.total;
                m->cov[j * m->d + i] = m->cov[i * m->d + j];
            }
        }
    }
}

MARGIN_API margin_status margin_data_moments(const margin_data *data, size_t classes,
                                             margin_arena *mem, margin_real *weight,
                                             margin_real *mean, margin_real *cov) {
    mgn_moments m;
    margin_status status = mgn_data_check_shape(data);
    if (status != MARGIN_OK) { return status; }
    if ((cov != NULL && mgn_mem_check(mem) != MARGIN_OK) || weight == NULL || mean == NULL) {
        return MARGIN_E_ARGUMENT;
    }
    const margin_real limit = mgn_sqrt(MGN_HUGE / (4 * (margin_real)data->n));
    status = mgn_moments_check(data, classes, cov != NULL ? limit : MGN_HUGE);
    if (status != MARGIN_OK) { return status; }
    if (cov == NULL) {
        /* Weights and means of checked data. */
        for (size_t c = 0; c < classes; c++) {
            const mgn_group g = mgn_group_of(data, c, classes);
            weight[c] = g.total * g.unit;
            for (size_t first = 0; first < data->d; first += MGN_STRIP) {
                mgn_strip s;
                mgn_strip_begin(&s, &g, first);
                mgn_strip_centres(&s);
                for (size_t j = 0; j < s.count; j++) {
                    mean[c * data->d + first + j] = mgn_strip_at_centre(&s, j);
                }
            }
        }
        return MARGIN_OK;
    }
    margin_arena before = *mem;
    mgn_moments_plan(&m, mem, data->d);
    if (mem->failed == 0) { mgn_moments_run(&m, data, classes, weight, mean, cov); }
    return margin_arena_rewind(mem, &before);
}

static void mgn_scaling_plan(margin_arena *mem, size_t d, margin_real **offset,
                             margin_real **factor) {
    *offset = MGN_KEEP(mem, margin_real, d);
    *factor = MGN_KEEP(mem, margin_real, d);
}

MARGIN_API size_t margin_scaling_fit_size(unsigned kind, size_t d) {
    margin_arena mem = margin_arena_counting();
    margin_real *offset, *factor;
    if (kind != MARGIN_SCALE_NONE) { mgn_scaling_plan(&mem, d, &offset, &factor); }
    return mgn_arena_counted(&mem);
}

MARGIN_API margin_status margin_scaling_fit(const margin_data *data, unsigned kind,
                                            margin_arena *mem, margin_scaling *scaling) {
    const margin_status status = mgn_moments_check(data, 1, MGN_HUGE);
    margin_real *offset = NULL, *factor = NULL;
    if (status != MARGIN_OK) { return status; }
    if (kind > MARGIN_SCALE_NONE || mgn_mem_check(mem) != MARGIN_OK || scaling == NULL) {
        return MARGIN_E_ARGUMENT;
    }
    margin_arena before = *mem;
    if (kind != MARGIN_SCALE_NONE) {
        const mgn_group all = mgn_group_of(data, 0, 1);
        mgn_scaling_plan(mem, data->d, &offset, &factor);
        if (mem->failed != 0) { return margin_arena_rewind(mem, &before); }
        for (size_t first = 0; first < data->d; first += MGN_STRIP) {
            mgn_strip s;
            mgn_strip_begin(&s, &all, first);
            /* Offsets and factors of the columns of a strip. With minmax no scaled value exceeds
             * 1, because range * (1 / range) never rounds to more than 1. */
            const bool minmax = kind == MARGIN_SCALE_MINMAX;
            margin_real square[MGN_STRIP];
            mgn_strip_centres(&s);
            mgn_strip_mean(&s, s.centre, true, square); /* the variance in units of range^2 */
            for (size_t j = 0; j < s.count; j++) {
                const margin_real size = mgn_max(mgn_abs(s.low[j]), mgn_abs(s.high[j]));
                const margin_real range = mgn_strip_range(&s, j);
                const margin_real unit = range * (minmax ? 1 : mgn_sqrt(square[j]));
                const bool constant = range <= 2 * MGN_EPS * size || unit < MGN_TINY;
                const margin_real middle = minmax ? s.low[j] : mgn_strip_at_centre(&s, j);
                offset[first + j] = constant ? 0 : middle;
                factor[first + j] = constant ? 0 : 1 / unit;
            }
        }
    }
    scaling->offset = offset;
    scaling->factor = factor;
    scaling->d = data->d;
    return MARGIN_OK;
}

MARGIN_API margin_status margin_scaling_apply(const margin_scaling *scaling,
                                              const margin_data *data, margin_real *out,
                                              size_t stride) {
    const margin_status status = margin_data_check(data);
    if (status != MARGIN_OK) { return status; }
    if (scaling == NULL || scaling->d != data->d ||
        (scaling->offset != NULL && scaling->factor == NULL)) {
        return MARGIN_E_ARGUMENT;
    }
    if (out == NULL || mgn_stride(stride, data->d) < data->d) { return MARGIN_E_ARGUMENT; }
    size_t faults = 0;
    for (size_t i = 0; i < data->n && scaling->offset != NULL; i++) {
        const margin_real *x = mgn_sample(data, i);
        for (size_t j = 0; j < data->d; j++) {
            faults += !mgn_finite((x[j] - scaling->offset[j]) * scaling->factor[j]);
        }
    }
    if (faults > 0) { return MARGIN_E_RANGE; }
    for (size_t i = 0; i < data->n; i++) {
        margin_scaling_row(scaling, mgn_sample(data, i), out + i * mgn_stride(stride, data->d));
    }
    return MARGIN_OK;
}

MARGIN_API size_t margin_folds_size(size_t n) {
    margin_arena mem = margin_arena_counting();
    (void)MGN_SCRATCH(&mem, margin_index, n);
    return mgn_arena_counted(&mem);
}

/* Deals the samples to the folds in turn, class after class, each class in a random order. Then the
 * sizes of two folds differ by one at most, and so do the numbers of samples of a class in them. */
static void mgn_folds_deal(const margin_data *data, size_t folds, margin_rng *rng,
                           margin_index *order, uint16_t *fold) {
    const size_t classes = mgn_largest_label(data) + 1;
    size_t dealt = 0;
    for (size_t c = 0; c < classes; c++) {
        const size_t first = dealt;
        for (size_t i = 0; i < data->n; i++) {
            if (mgn_label(data, i) == c) {
                const size_t j =
                    first + (size_t)margin_rng_below(rng, (uint32_t)(dealt - first) + 1u);
                order[dealt] = (margin_index)i;
                order[dealt++] = order[j];
                order[j] = (margin_index)i;
            }
        }
    }
    for (size_t i = 0; i < data->n; i++) { fold[order[i]] = (uint16_t)(i % folds); }
}

static bool mgn_folds_fit(size_t n, size_t folds) {
    return folds >= 2 && folds <= n && folds <= UINT16_MAX;
}

MARGIN_API margin_status margin_folds(const margin_data *data, size_t folds, bool stratified,
                                      margin_rng *rng, margin_arena *mem, uint16_t *fold) {
    const margin_status status = mgn_data_check_shape(data);
    if (status != MARGIN_OK) { return status; }
    if (!mgn_folds_fit(data->n, folds) || rng == NULL || fold == NULL ||
        (stratified && (data->y == NULL || mgn_mem_check(mem) != MARGIN_OK))) {
        return MARGIN_E_ARGUMENT;
    }
    for (size_t i = 0; !stratified && i < data->n; i++) { /* Fisher-Yates shuffle, inside out */
        const size_t j = (size_t)margin_rng_below(rng, (uint32_t)i + 1u);
        fold[i] = (uint16_t)(i % folds);
        fold[i] = fold[j];
        fold[j] = (uint16_t)(i % folds);
    }
    if (!stratified) { return MARGIN_OK; }
    margin_arena before = *mem;
    margin_index *order = MGN_SCRATCH(mem, margin_index, data->n);
    if (mem->failed == 0) { mgn_folds_deal(data, folds, rng, order, fold); }
    return margin_arena_rewind(mem, &before);
}

MARGIN_API margin_status margin_fold_views(const margin_data *data, const uint16_t *fold,
                                           size_t which, margin_index *rows, margin_data *train,
                                           margin_data *test) {
    const margin_status status = mgn_data_check_shape(data);
    size_t held_out = 0;
    size_t at[2] = {0, 0};
    if (status != MARGIN_OK) { return status; }
    if (fold == NULL || rows == NULL || train == NULL || test == NULL) { return MARGIN_E_ARGUMENT; }
    for (size_t i = 0; i < data->n; i++) { held_out += fold[i] == which; }
    if (held_out == 0 || held_out == data->n) { return MARGIN_E_EMPTY; }
    at[1] = data->n - held_out;
    for (size_t i = 0; i < data->n; i++) {
        rows[at[fold[i] == which]++] = (margin_index)mgn_row_of(data, i);
    }
    *train = *data;
    *test = *data;
    train->rows = rows;
    train->n = data->n - held_out;
    test->rows = rows + train->n;
    test->n = held_out;
    return MARGIN_OK;
}

/* Sorts the numbers in `order` by their keys, by merging runs, n log n, stable. Returns how many
 * pairs were the wrong way round. */
static uint64_t mgn_order_sort(const margin_real *key, margin_index *order, margin_index *spare,
                               size_t n) {
    margin_index *from = order, *to = spare;
    uint64_t swaps = 0;
    for (size_t run = 1; run<n; run = run> n / 2u ? n : 2u * run) {
        for (size_t left = 0; left < n;) {
            const size_t middle = left + mgn_size_min(run, n - left);
            const size_t right = middle + mgn_size_min(run, n - middle);
            size_t i = left, j = middle;
            for (size_t k = left; k < right; k++) { /* equal keys keep their order */
                if (j == right || (i < middle && key[from[i]] <= key[from[j]])) {
                    to[k] = from[i++];
                } else {
                    to[k] = from[j++];
                    swaps += middle - i;
                }
            }
            left = right;
        }
        to = from;
        from = from == order ? spare : order;
    }
    for (size_t i = 0; i < n && from != order; i++) { order[i] = spare[i]; }
    return swaps;
}

static void mgn_order_begin(margin_index *order, size_t n) {
    for (size_t i = 0; i < n; i++) { order[i] = (margin_index)i; }
}

/* ---- >>rows ---- rows of the kernel matrix within a budget of bytes -------------------------- */

/* out[i] = x . sample from + i of a view, for i < count. Rows of an index list are read four at a
 * time, each sum in the order of mgn_dots. */
static void mgn_data_dots(const margin_data *data, const margin_real *x, size_t from, size_t count,
                          margin_real *MGN_RESTRICT out) {
    const size_t d = data->d;
    size_t i = 0;
    if (data->rows == NULL) {
        mgn_dots(x, mgn_sample(data, from), mgn_stride(data->stride, d), count, d, out);
        return;
    }
    for (; count - i >= 4; i += 4) {
        const margin_real *four[4];
        for (size_t t = 0; t < 4; t++) { four[t] = mgn_sample(data, from + i + t); }
        mgn_dots_four(x, d, four, out + i);
    }
    for (; i < count; i++) { mgn_dots(x, mgn_sample(data, from + i), d, 1, d, out + i); }
}

/* The squared lengths of all samples, with the bits that mgn_kernel_apply expects. */
static void mgn_data_norms(const margin_data *data, margin_real *norm) {
    for (size_t i = 0; i < data->n; i++) { norm[i] = mgn_norm2_bits(mgn_sample(data, i), data->d); }
}

/* The whole kernel matrix of n samples, symmetric to the bit: dot products by tiles, the kernel on
 * the lower triangle, and that mirrored. Takes n values at `norm`, for their squared lengths, and
 * room for MGN_PANEL samples at `panel`. */
static void mgn_kernel_matrix(const margin_kernel *kernel, const margin_data *data,
                              margin_real *norm, margin_real *panel, margin_real *k) {
    const size_t n = data->n;
    mgn_gram(k, n, data, panel);
    mgn_data_norms(data, norm);
    for (size_t i = 0; i < n; i++) { mgn_kernel_apply(kernel, norm[i], norm, k + i * n, i + 1u); }
    /* By panels, because every column of its own would be a cache miss. */
    for (size_t first = 0; first < n; first += MGN_PANEL) {
        for (size_t i = first; i < n; i++) {
            for (size_t h = first; h < i && h < first + MGN_PANEL; h++) {
                k[h * n + i] = k[i * n + h];
            }
        }
    }
}

/* Room for the panel that mgn_kernel_matrix needs. */
static margin_real *mgn_kernel_panel(margin_arena *mem, size_t d) {
    return MGN_SCRATCH(mem, margin_real, mgn_panel_size(MGN_PANEL, d));
}

/* Rows of the kernel matrix of the samples, within a budget of bytes.
 *
 * There is memory for `slots` rows. If these are fewer than n, a new row takes the slot of the
 * least recently used one. Slots form a ring through `next` and `prev`, whose head is entry
 * `slots`: after it comes the most recently used slot, before it the oldest one, so that a use
 * costs O(1). If there are n slots, rows take them in the order in which they are first asked for:
 * memory for rows that are never asked for stays untouched, and no row is ever given up. There are
 * at least two slots, so that two rows can be used at once. A packed copy of the data makes rows at
 * vector speed; without it they are made from the view, with the same bits. */
typedef struct {
    margin_data data;
    margin_kernel kernel;
    size_t planned;        /* rows of memory that the plan took */
    size_t slots;          /* of those, in use: at most n */
    size_t taken;          /* slots that have been given to a row */
    margin_real *copy;     /* panels of all samples, or NULL */
    margin_real *norm;     /* |x_i|^2 */
    margin_real *diag;     /* K(i, i) */
    margin_real *values;   /* slots x n */
    margin_index *slot_of; /* of each row; MGN_NO_SLOT if it is not in memory */
    margin_index *row_of;  /* of each slot; MGN_NO_SLOT if it is empty */
    margin_index *next;    /* slots + 1, as prev */
    margin_index *prev;
} mgn_rows;

#define MGN_NO_SLOT MARGIN_INDEX_MAX
#define MGN_ROWS_PIECE                                                                             \
    ((size_t)64) /* samples whose values stay in a processor's cache; whole panels */

/* Takes scratch for samples of this shape; only n and d of it are read. The caller must check
 * mem->failed before the start. It is one block, divided by the same macros that tell its size: as
 * many rows as fit, and a packed copy of the data if all rows fit beside it, or if it takes no more
 * than a quarter of the bytes. */
static inline void mgn_rows_plan(mgn_rows *r, margin_arena *mem, const margin_data *shape,
                                 size_t cache_bytes) {
    const size_t n = shape->n;
    const size_t budget = cache_bytes == 0 ? MARGIN_CACHE_BYTES : cache_bytes;
    const bool countable = n <= SIZE_MAX / (5 * sizeof(margin_real) + 9 * sizeof(margin_index)) &&
                           mgn_panel_size(n, shape->d) <= SIZE_MAX / sizeof(margin_real);
    const size_t bytes = countable ? MARGIN_ROWS_USE(n, shape->d, budget) : SIZE_MAX;
    margin_real *real = (margin_real *)margin_arena_scratch(mem, bytes, 1);
    if (real != NULL) {
        const size_t copy = MARGIN_ROWS_COPY(n, shape->d), fixed = MARGIN_ROWS_FIXED(n);
        const size_t rows = (bytes - fixed) / MARGIN_ROWS_EACH(n);
        const size_t spare = rows < n ? bytes / 4 : bytes - MARGIN_ROWS_NEED(n, n);
        const bool copied =
            SIZE_MAX > 0xFFFFFFFFu && copy <= spare && bytes - copy >= MARGIN_ROWS_LEAST(n);
        const size_t beside = copied ? (bytes - copy - fixed) / MARGIN_ROWS_EACH(n) : rows;
        r->planned = mgn_size_min(n, beside);
        r->copy = copied ? real : NULL;
        r->values = real + (copied ? mgn_panel_size(n, shape->d) : 0);
        r->norm = r->values + r->planned * n;
        r->diag = r->norm + n;
        r->slot_of = (margin_index *)(void *)(r->diag + n);
        r->row_of = r->slot_of + n;
        r->next = r->row_of + r->planned;
        r->prev = r->next + r->planned + 1;
    }
}

/* Computes norms and diagonal of checked data, which has the planned shape or fewer samples. No
 * row is computed yet. The view is copied, what it points to is not. Returns MARGIN_E_RANGE if a
 * squared norm or a value of the diagonal overflows, because other kernel values would overflow
 * too. */
static inline margin_status mgn_rows_start(mgn_rows *r, const margin_data *data,
                                           const margin_kernel *kernel) {
    const margin_status status = margin_kernel_resolve(kernel, data->d, &r->kernel);
    if (status != MARGIN_OK) { return status; }
    r->data = *data;
    r->slots = mgn_size_min(r->planned, data->n);
    if (r->copy != NULL) { mgn_panel_pack(r->copy, data, 0, data->n); }
    mgn_data_norms(data, r->norm);
    for (size_t i = 0; i < data->n; i++) {
        r->diag[i] = r->norm[i];
        mgn_kernel_apply(&r->kernel, r->norm[i], r->norm + i, r->diag + i, 1);
    }
    const size_t n = r->data.n, s = r->slots;
    r->taken = 0;
    for (size_t i = 0; i < n; i++) { r->slot_of[i] = MGN_NO_SLOT; }
    if (s < n) {
        for (size_t i = 0; i < s; i++) { r->row_of[i] = MGN_NO_SLOT; }
        for (size_t i = 0; i <= s; i++) {
            r->next[i] = (margin_index)(i < s ? i + 1 : 0);
            r->prev[i] = (margin_index)(i > 0 ? i - 1 : s);
        }
    }
    if (!mgn_all_finite(r->norm, data->n) || !mgn_all_finite(r->diag, data->n)) {
        return MARGIN_E_RANGE;
    }
    return MARGIN_OK;
}

/* The values of row i, in a slot which becomes the most recently used one. A row that was missing
 * is not in it yet, and is to be computed. */
static margin_real *mgn_rows_claim(mgn_rows *r, size_t i) {
    size_t slot = r->slot_of[i];
    if (slot == MGN_NO_SLOT) {
        slot = r->taken;
        if (r->slots < r->data.n) {
            slot = r->prev[r->slots];
            if (r->row_of[slot] != MGN_NO_SLOT) { r->slot_of[r->row_of[slot]] = MGN_NO_SLOT; }
            r->row_of[slot] = (margin_index)i;
        }
        r->slot_of[i] = (margin_index)slot;
        r->taken = mgn_size_min(r->taken + 1u, r->slots);
    }
    /* The slot becomes the most recently used. */
    const size_t head = r->slots;
    if (head < r->data.n && r->next[head] != slot) {
        r->next[r->prev[slot]] = r->next[slot];
        r->prev[r->next[slot]] = r->prev[slot];
        r->next[slot] = r->next[head];
        r->prev[slot] = (margin_index)head;
        r->prev[r->next[head]] = (margin_index)slot;
        r->next[head] = (margin_index)slot;
    }
    return r->values + slot * r->data.n;
}

static bool mgn_rows_missing(const mgn_rows *r, size_t i) {
    return r->slot_of[i] == MGN_NO_SLOT;
}

/* Whether MGN_TILE more rows can be computed without giving up one that was asked for. */
static bool mgn_rows_spacious(const mgn_rows *r) {
    return r->copy != NULL && r->slots - r->taken >= MGN_TILE;
}

/* Dot products of the samples x with `count` packed ones from sample `from` on, into the row of
 * each. */
static void mgn_rows_dots(const mgn_rows *r, const mgn_vectors *x, margin_real *const *row,
                          size_t from, size_t count) {
    margin_real piece[MGN_TILE * MGN_ROWS_PIECE];
    mgn_panel_dots_block(r->copy + from * r->data.d, count, x, piece, MGN_ROWS_PIECE);
    for (size_t t = 0; t < x->count; t++) {
        for (size_t i = 0; i < count; i++) { row[t][from + i] = piece[t * MGN_ROWS_PIECE + i]; }
    }
}

/* Computes m missing rows, at most MGN_TILE and no more than there are slots. They are made side by
 * side, piece by piece: the data, which is most of what has to be read, then passes through the
 * processor's cache once for all of them. Small machines have no packed copy, and their stacks no
 * room for pieces: there the compiler leaves mgn_rows_dots out. */
static void mgn_rows_make(mgn_rows *r, const margin_index *list, size_t m) {
    const bool packed = SIZE_MAX > 0xFFFFFFFFu && r->copy != NULL;
    const size_t n = r->data.n;
    mgn_vectors x = {{NULL}, m, r->data.d, 1};
    margin_real *row[MGN_TILE] = {NULL};
    for (size_t t = 0; t < MGN_TILE; t++) {
        x.at[t] = mgn_sample(&r->data, list[mgn_size_min(t, m - 1u)]);
        if (t < m) { row[t] = mgn_rows_claim(r, list[t]); }
    }
    for (size_t from = 0; from < n; from += MGN_ROWS_PIECE) {
        const size_t count = mgn_size_min(n - from, MGN_ROWS_PIECE);
        if (packed) { mgn_rows_dots(r, &x, row, from, count); }
        for (size_t t = 0; t < m; t++) {
            margin_real *out = row[t] + from;
            if (!packed) { mgn_data_dots(&r->data, x.at[t], from, count, out); }
            mgn_kernel_apply(&r->kernel, r->norm[list[t]], r->norm + from, out, count);
        }
    }
}

/* Row i of K. It stays valid during the next call with another index, and no longer. */
static inline const margin_real *mgn_rows_get(mgn_rows *r, size_t i) {
    const margin_index index = (margin_index)i;
    if (mgn_rows_missing(r, i)) { mgn_rows_make(r, &index, 1); }
    return mgn_rows_claim(r, i);
}

/* The last `count` values of the memory where all rows have room, as long as the next MGN_TILE rows
 * do not take them either; NULL if they might. */
static inline margin_real *mgn_rows_spare(const mgn_rows *r, size_t count) {
    const size_t n = r->data.n, left = r->slots == n ? n - r->taken : 0;
    return left > MGN_TILE && count <= (left - MGN_TILE) * n ? r->values + n * n - count : NULL;
}

/* ---- >>batch ---- scores of several inputs at once, with the bits of margin_scores ----------- */

/* MGN_PANEL inputs go through a model side by side, each in a lane of its own. A lane takes the
 * same operations in the same order as margin_scores, so its scores have the same bits; what is
 * gained is that a vector of the model is loaded once for all lanes, at the speed of tiles. This is
 * for expansions and for prototypes without tangents; other models take their inputs one by one. */

#define MGN_BATCH_VECTORS ((size_t)32)  /* whose kernel values are in memory at a time */
#define MGN_BATCH_FEATURES ((size_t)32) /* before a prototype may be left; a multiple of four */

typedef struct {
    const margin_model *model;
    size_t machines;
    margin_real *panel;  /* the scaled inputs, value k of lane r at [k * MGN_PANEL + r] */
    margin_real *norm;   /* of each lane; of prototypes, the sums of squares of the four chains */
    margin_real *values; /* MGN_BATCH_VECTORS x MGN_PANEL; prototypes: the nearest of each lane */
    margin_real *pairs;  /* as many, sums of norms; of prototypes, not used */
    margin_real *sums;   /* machines x MGN_PANEL, and one row more: what rounding has lost */
    margin_real *scores; /* MGN_PANEL x machines: what comes out */
} mgn_batch;

/* Features of a model. */
static size_t mgn_model_d(const margin_model *model) {
    return mgn_head_of(model).d;
}

/* Whether inputs gain by going through a model together. */
static bool mgn_batch_suits(const margin_model *model) {
#ifdef MARGIN_LOAD_PLAIN
    return model->kind == MARGIN_MODEL_EXPANSION ||
           (model->kind == MARGIN_MODEL_PROTO && model->of.proto.tangents == 0);
#else
    (void)model;
    return false;
#endif
}

/* Takes scratch for a model; look at mem->failed before the start. */
static void mgn_batch_plan(mgn_batch *b, margin_arena *mem, const margin_model *model) {
    const margin_vote *vote = margin_model_vote(model);
    const size_t panel = mgn_size_mul(mgn_model_d(model), MGN_PANEL);
    const size_t block = MGN_BATCH_VECTORS * MGN_PANEL;
    b->model = model;
    b->machines = margin_machines(vote->scheme, vote->classes);
    b->panel = MGN_SCRATCH(mem, margin_real, panel);
    b->norm = MGN_SCRATCH(mem, margin_real, 4u * MGN_PANEL);
    b->values = MGN_SCRATCH(mem, margin_real, block);
    b->pairs = MGN_SCRATCH(mem, margin_real, block);
    b->sums = MGN_SCRATCH(mem, margin_real, mgn_size_mul(b->machines + 1u, MGN_PANEL));
    b->scores = MGN_SCRATCH(mem, margin_real, mgn_size_mul(b->machines, MGN_PANEL));
}

/* Takes the scratch only if the peak of the arena does not rise by it, so that nobody needs more
 * memory than without a batch. Returns false if there is no such room, or nothing to gain. */
static bool mgn_batch_take(mgn_batch *b, margin_arena *mem, const margin_model *model) {
    const size_t taken = mem->low + (mem->size - mem->high);
    margin_arena dry = margin_arena_counting();
    mgn_batch_plan(b, &dry, model);
    if (!mgn_batch_suits(model) || dry.failed != 0 || mem->peak - taken < dry.peak) {
        return false;
    }
    mgn_batch_plan(b, mem, model);
    return true;
}

/* The kernel of `count` vectors from v on, whose dot products with all lanes are in b->values. Sum
 * and product of the norms of input and vector have the same bits whichever comes first. */
static void mgn_batch_kernel(mgn_batch *b, const margin_expansion *e, size_t v, size_t count) {
    const unsigned kind = e->kernel.kind;
    if (kind == MARGIN_KERNEL_UNIT_POLY || kind == MARGIN_KERNEL_UNIT_EXP) {
        for (size_t t = 0; t < count; t++) {
            mgn_kernel_apply(&e->kernel, e->norms[v + t], b->norm, b->values + t * MGN_PANEL,
                             MGN_PANEL);
        }
        return;
    }
    if (kind == MARGIN_KERNEL_RBF || kind == MARGIN_KERNEL_HINGE) {
        for (size_t t = 0; t < count; t++) {
            for (size_t r = 0; r < MGN_PANEL; r++) {
                const margin_real norm = e->norms[v + t];
                b->pairs[t * MGN_PANEL + r] =
                    kind == MARGIN_KERNEL_HINGE ? norm : b->norm[r] + norm;
            }
        }
    }
    mgn_kernel_apply(&e->kernel, 0, b->pairs, b->values, count * MGN_PANEL);
}

/* mgn_add_terms in every lane. */
static void mgn_batch_add_terms(margin_real *sum, margin_real *carry, const margin_real *k,
                                const margin_real *coef, size_t n) {
    for (size_t r = 0; r < MGN_PANEL; r += 2u * MGN_LANES) {
        mgn_vec s0 = mgn_vec_load(sum + r), s1 = mgn_vec_load(sum + r + MGN_LANES);
        mgn_vec lost0 = mgn_vec_load(carry + r), lost1 = mgn_vec_load(carry + r + MGN_LANES);
        for (size_t t = 0; t < n; t++) {
            const margin_real *at = k + t * MGN_PANEL + r;
            const mgn_vec part0 = mgn_vec_load(at) * coef[t] - lost0;
            const mgn_vec part1 = mgn_vec_load(at + MGN_LANES) * coef[t] - lost1;
            const mgn_vec whole0 = s0 + part0, whole1 = s1 + part1;
            lost0 = (whole0 - s0) - part0;
            lost1 = (whole1 - s1) - part1;
            s0 = whole0;
            s1 = whole1;
        }
        mgn_vec_store(sum + r, s0);
        mgn_vec_store(sum + r + MGN_LANES, s1);
        mgn_vec_store(carry + r, lost0);
        mgn_vec_store(carry + r + MGN_LANES, lost1);
    }
}

/* The scores of all lanes, in the order in which mgn_expansion_sum adds them up. */
static void mgn_batch_expansion(mgn_batch *b, const margin_expansion *e) {
    const bool ordinal = e->vote.scheme == MARGIN_SCHEME_ORDINAL;
    margin_real *carry = b->sums + b->machines * MGN_PANEL;
    size_t c = 0;
    for (size_t r = 0; r < MGN_PANEL; r++) {
        for (size_t j = 0; j < b->machines; j++) {
            b->sums[j * MGN_PANEL + r] = ordinal ? 0 : e->bias[j];
        }
        carry[r] = 0;
    }
    for (size_t v = 0; v < e->n; v += MGN_BATCH_VECTORS) {
        const size_t count = mgn_size_min(e->n - v, MGN_BATCH_VECTORS);
        const margin_data rows = {e->vectors, v + count, e->d, e->d, NULL, NULL, NULL};
        for (size_t t = 0; t < count; t += MGN_TILE) {
            const mgn_vectors x = mgn_samples(&rows, v + t);
            mgn_tile_any(b->panel, MGN_PANEL, &x, b->values + t * MGN_PANEL, MGN_PANEL, false);
        }
        mgn_batch_kernel(b, e, v, count);
        if (e->width == 1u) {
            mgn_batch_add_terms(b->sums, carry, b->values, e->coef + v, count);
            continue;
        }
        for (size_t t = 0; t < count; t++) {
            while (v + t >= e->class_end[c]) { c++; }
            /* mgn_expansion_add in every lane */
            for (size_t j = 0; j < e->width; j++) {
                const size_t machine = mgn_machine(e->vote.scheme, e->vote.classes, c, j);
                mgn_axpy(b->sums + machine * MGN_PANEL, e->coef[(v + t) * e->width + j],
                         b->values + t * MGN_PANEL, MGN_PANEL);
            }
        }
    }
    for (size_t j = ordinal ? b->machines : 0; j-- > 0;) {
        for (size_t r = 0; r < MGN_PANEL; r++) {
            b->sums[j * MGN_PANEL + r] = b->sums[r] + e->bias[j];
        }
    }
}

/* The squared distances of MGN_LANES samples from a centre along feature k. */
static inline mgn_vec mgn_batch_square(const margin_real *panel, const margin_real *centre,
                                       size_t k) {
    const mgn_vec a = mgn_vec_load(panel + k * MGN_PANEL) - centre[k];
    return a * a;
}

static void mgn_batch_squares(const margin_real *panel, const margin_real *centre, size_t from,
                              size_t to, margin_real *s) {
    for (size_t r = 0; r < MGN_PANEL; r += MGN_LANES, panel += MGN_LANES, s += MGN_LANES) {
        mgn_vec s0 = mgn_vec_load(s), s1 = mgn_vec_load(s + MGN_PANEL);
        mgn_vec s2 = mgn_vec_load(s + 2u * MGN_PANEL), s3 = mgn_vec_load(s + 3u * MGN_PANEL);
        size_t k = from;
        for (; to - k >= 4u; k += 4u) {
            s0 += mgn_batch_square(panel, centre, k);
            s1 += mgn_batch_square(panel, centre, k + 1u);
            s2 += mgn_batch_square(panel, centre, k + 2u);
            s3 += mgn_batch_square(panel, centre, k + 3u);
        }
        for (; k < to; k++) { s0 += mgn_batch_square(panel, centre, k); }
        mgn_vec_store(s, s0);
        mgn_vec_store(s + MGN_PANEL, s1);
        mgn_vec_store(s + 2u * MGN_PANEL, s2);
        mgn_vec_store(s + 3u * MGN_PANEL, s3);
    }
}

/* mgn_proto_plain in every lane: the distances to a prototype, into z. It ends early once no lane
 * is below its limit, because sums of squares only grow. Returns whether any lane is below. */
static bool mgn_batch_distance(mgn_batch *b, const margin_real *centre, size_t d,
                               const margin_real *limit, margin_real *z) {
    margin_real *s = b->norm;
    bool below = true;
    for (size_t r = 0; r < 4u * MGN_PANEL; r++) { s[r] = 0; }
    for (size_t from = 0; from < d && below; from += MGN_BATCH_FEATURES) {
        mgn_batch_squares(b->panel, centre, from, mgn_size_min(d, from + MGN_BATCH_FEATURES), s);
        below = false;
        for (size_t r = 0; r < MGN_PANEL; r++) {
            z[r] = (s[r] + s[MGN_PANEL + r]) + (s[2u * MGN_PANEL + r] + s[3u * MGN_PANEL + r]);
            below = z[r] < limit[r] || below;
        }
    }
    return below;
}

/* margin_proto_scores of all lanes. */
static void mgn_batch_proto(mgn_batch *b, const margin_proto *p) {
    margin_real limit[MGN_PANEL], z[MGN_PANEL];
    size_t m = 0;
    for (size_t c = 0; c < p->vote.classes; c++) {
        for (size_t r = 0; r < MGN_PANEL; r++) {
            for (size_t j = 0; j < p->nth; j++) { b->values[r * MARGIN_PROTO_NTH + j] = MGN_HUGE; }
            limit[r] = MGN_HUGE;
        }
        for (; m < p->class_end[c]; m++) {
            if (mgn_batch_distance(b, p->vectors + m * p->d, p->d, limit, z)) {
                for (size_t r = 0; r < MGN_PANEL; r++) {
                    margin_real *near = b->values + r * MARGIN_PROTO_NTH;
                    mgn_proto_rank(near, p->nth, z[r]);
                    limit[r] = near[p->nth - 1u];
                }
            }
        }
        for (size_t r = 0; r < MGN_PANEL; r++) { b->sums[c * MGN_PANEL + r] = limit[r]; }
    }
}

/* The scores of n <= MGN_PANEL inputs x[0] .. x[n-1] into b->scores, input after input. */
static void mgn_batch_run(mgn_batch *b, const margin_real *const *x, size_t n) {
    const margin_expansion *e = &b->model->of.expansion;
    const margin_proto *p = &b->model->of.proto;
    const bool proto = b->model->kind == MARGIN_MODEL_PROTO;
    for (size_t r = 0; r < MGN_PANEL; r++) { /* lanes that are not needed repeat the last input */
        const margin_real *from = x[mgn_size_min(r, n - 1u)];
        if (proto) {
            for (size_t k = 0; k < p->d; k++) {
                b->panel[k * MGN_PANEL + r] =
                    p->offset == NULL ? from[k] : (from[k] - p->offset[k]) * p->factor[k];
            }
        } else {
            margin_real norm = 0; /* the squared length, in the order of mgn_dots */
            for (size_t k = 0; k < e->d; k++) {
                const margin_real a = mgn_expansion_input(e, from, k);
                b->panel[k * MGN_PANEL + r] = a;
                norm += a * a;
            }
            b->norm[r] = norm;
        }
    }
    if (proto) {
        mgn_batch_proto(b, p);
    } else {
        mgn_batch_expansion(b, e);
    }
    for (size_t r = 0; r < n; r++) {
        for (size_t j = 0; j < b->machines; j++) {
            b->scores[r * b->machines + j] = b->sums[j * MGN_PANEL + r];
        }
    }
}

/* ---- >>quantize ---- from models in floating point to models in integers --------------------- */

/* The model in floating point sees scaled inputs z = (x - o) * f, as in >>model; linear models
 * have the scaling in their weights, so o = 0 and f = 1. The integer model sees (x - offset) *
 * factor, rounded. margin_input_q makes these numbers, or the input stage of the model does, or
 * nobody has to, where offset is 0 and factor 1.
 * Each kind of model has a job of its own, which knows the inputs and what it makes of the model:
 * weights of machines, vectors with coefficients, prototypes, or the rows of a projection. */

/* ---- inputs ---- */

/* The inputs: the samples, what their values are like, and what these become. */
typedef struct {
    const margin_data *data;
    const margin_projected *projected; /* what samples go through first; NULL: nothing */
    margin_real *z;                    /* a sample that went through it */
    size_t d;
    bool whole;                   /* raw values are whole numbers */
    margin_real *low, *high;      /* d: ends of the values */
    margin_real *offset, *factor; /* d; kept, unless `whole` or behind a projection */
    margin_real *centre;          /* d: the z that the integer input 0 stands for */
    margin_real unit;             /* by how much z grows for one unit of the integer input; */
    margin_real least;     /* at least this: a projection in front cannot tell smaller steps */
    margin_stage_q *stage; /* kept if whole numbers cannot go in as they are; its arrays: */
    int32_t *stage_offset; /* d, as the next two */
    int16_t *stage_factor;
    uint8_t *stage_shift;
    bool staged;       /* the stage is needed */
    size_t mark;       /* of the arena: where its front ended before the stage */
    int16_t *x, *work; /* d: a sample in integers, before the stage and after it */
} mgn_q_inputs;

/* The stage is the last block at the front of the arena, so that it can be given back if it is not
 * needed. The inputs of a pool behind a projection are made by that: nothing of them is kept. */
static void mgn_q_inputs_plan(mgn_q_inputs *in, margin_arena *mem) {
    const bool raw = in->projected == NULL;
    const size_t d = in->d, staged = in->whole && raw ? d : 0;
    const size_t kept = in->whole || !raw ? 0 : d;
    in->offset = MGN_KEEP(mem, margin_real, kept);
    in->factor = MGN_KEEP(mem, margin_real, kept);
    in->mark = mem->low;
    in->stage = MGN_KEEP(mem, margin_stage_q, in->whole && raw ? 1u : 0);
    in->stage_offset = MGN_KEEP(mem, int32_t, staged);
    in->stage_factor = MGN_KEEP(mem, int16_t, staged);
    in->stage_shift = MGN_KEEP(mem, uint8_t, staged);
    if (kept == 0) {
        in->offset = MGN_SCRATCH(mem, margin_real, d);
        in->factor = MGN_SCRATCH(mem, margin_real, d);
    }
    in->low = MGN_SCRATCH(mem, margin_real, d);
    in->high = MGN_SCRATCH(mem, margin_real, d);
    in->centre = MGN_SCRATCH(mem, margin_real, d);
    in->x = MGN_SCRATCH(mem, int16_t, d);
    in->work = MGN_SCRATCH(mem, int16_t, d);
    in->z = MGN_SCRATCH(mem, margin_real, in->projected != NULL ? d : 0);
}

/* Of numbers a feature those of the picked ones. */
static void mgn_q_gather(const margin_projected *p, const margin_real *x, margin_real *z) {
    for (size_t k = 0; k < p->d; k++) {
        if (mgn_is_picked(p->picked, k)) { *z++ = x[k]; }
    }
}

/* Sample i, behind the projection if there is one; picked features as they are. */
static const margin_real *mgn_q_sample(const mgn_q_inputs *in, size_t i) {
    const margin_real *x = mgn_sample(in->data, i);
    if (in->projected == NULL) { return x; }
    if (in->projected->picked != NULL) {
        mgn_q_gather(in->projected, x, in->z);
    } else {
        margin_project(in->projected, x, in->z);
    }
    return in->z;
}

/* The largest weight, or element of a vector, that a format can hold. */
static int32_t mgn_q_most(unsigned format) {
    return format == MARGIN_Q15 ? 32767 : 127;
}

/* Stores a weight, or an element of a vector. */
static void mgn_q_put(void *values, unsigned format, size_t at, int32_t q) {
    if (format == MARGIN_Q15) {
        ((int16_t *)values)[at] = (int16_t)q;
    } else {
        ((int8_t *)values)[at] = (int8_t)q;
    }
}

/* The nearest whole number between the limits. */
static int32_t mgn_q_round(margin_real a, int32_t least, int32_t most) {
    a += a < 0 ? MGN_R(-0.5) : MGN_R(0.5);
    if (!(a > (margin_real)least)) { return least; }
    return a < (margin_real)most ? (int32_t)a : most;
}

/* Finds the smallest and the largest value of each feature. Returns false if raw values should be
 * whole numbers of 16 bits and are not. */
static bool mgn_q_ranges(const mgn_q_inputs *in) {
    bool whole = true;
    for (size_t i = 0; i < in->data->n; i++) {
        const margin_real *x = mgn_q_sample(in, i);
        for (size_t k = 0; k < in->d; k++) {
            in->low[k] = i == 0 ? x[k] : mgn_min(in->low[k], x[k]);
            in->high[k] = i == 0 ? x[k] : mgn_max(in->high[k], x[k]);
            whole = whole && x[k] >= INT16_MIN && x[k] <= INT16_MAX &&
                    (margin_real)(int32_t)x[k] == x[k];
        }
    }
    return whole || !in->whole;
}

static margin_real mgn_q_half_range(const mgn_q_inputs *in, size_t k) {
    return (in->high[k] - in->low[k]) / 2;
}

static margin_real mgn_q_middle(const mgn_q_inputs *in, size_t k) {
    return in->low[k] + mgn_q_half_range(in, k);
}

/* Makes a stage that does what offset and factor say, and sets the factor to what the stage really
 * does. Returns false if the numbers do not fit a stage. */
static bool mgn_q_make_stage(mgn_q_inputs *in) {
    const margin_real limit = MGN_R(1073741823);
    for (size_t k = 0; k < in->d; k++) {
        margin_real scaled = in->factor[k];
        uint8_t shift = 0;
        for (; shift < 30u && 2 * scaled <= INT16_MAX; shift++) { scaled *= 2; }
        if (!(scaled <= INT16_MAX) || !(mgn_abs(in->offset[k]) <= 65534)) { return false; }
        in->stage_factor[k] = (int16_t)mgn_q_round(scaled, 0, INT16_MAX);
        const margin_real centre = -in->offset[k] * (margin_real)in->stage_factor[k] +
                                   (shift > 0 ? (margin_real)(INT32_C(1) << (shift - 1u)) : 0);
        if (!(mgn_abs(centre) < limit)) { return false; }
        in->stage_offset[k] = mgn_q_round(centre, -INT32_C(1073741823), INT32_C(1073741823));
        in->stage_shift[k] = shift;
        in->factor[k] = (margin_real)in->stage_factor[k] / (margin_real)(UINT32_C(1) << shift);
    }
    in->stage->offset = in->stage_offset;
    in->stage->factor = in->stage_factor;
    in->stage->shift = in->stage_shift;
    in->staged = true;
    return true;
}

static const margin_stage_q *mgn_q_stage(const mgn_q_inputs *in) {
    return in->staged ? in->stage : NULL;
}

static void mgn_q_as_they_are(mgn_q_inputs *in) {
    for (size_t k = 0; k < in->d; k++) {
        in->offset[k] = 0;
        in->factor[k] = 1;
    }
}

/* ---- linear ---- */

/* A linear model, or the cuts of a linear list, whose weights are made of its vectors. */
typedef struct {
    const margin_linear *from; /* NULL: neither */
    margin_linear cuts;
    margin_real *weights, *biases; /* of the cuts */
    mgn_q_inputs *in;
    unsigned format;
    size_t machines, rows; /* and rows of weights */
    void *w;               /* kept, as the next */
    int32_t *bias;
    margin_real *lifts; /* machines: what weights and biases are multiplied by, */
    uint16_t *scales;   /* kept; and what takes it back, */
    bool scaled;        /* if that is done at all */
    margin_real unit;   /* of the scores */
} mgn_q_linear_job;

/* Where weight k of machine j is. */
static size_t mgn_q_weight_at(const mgn_q_linear_job *l, size_t j, size_t k) {
    return (l->from->vote.scheme == MARGIN_SCHEME_ORDINAL ? 0 : j) * l->in->d + k;
}

static margin_real mgn_q_weight(const mgn_q_linear_job *l, size_t j, size_t k) {
    return l->from->w[mgn_q_weight_at(l, j, k)] * l->lifts[j];
}

/* Largest weight of feature k. */
static margin_real mgn_q_column(const mgn_q_linear_job *l, size_t k) {
    margin_real most = 0;
    for (size_t j = 0; j < l->machines; j++) {
        most = mgn_max(most, mgn_abs(mgn_q_weight(l, j, k)));
    }
    return most;
}

/* The score of machine j at the integer input 0. */
static margin_real mgn_q_at_zero(const mgn_q_linear_job *l, size_t j) {
    margin_real sum = l->from->bias[j] * l->lifts[j];
    for (size_t k = 0; k < l->in->d; k++) { sum += mgn_q_weight(l, j, k) * l->in->offset[k]; }
    return sum;
}

/* The most that any one feature can add to the score of machine j or, of one that always answers
 * alike, a part of its score in the middle of the data, since its bias is lifted as well. */
static margin_real mgn_q_reach_of(const mgn_q_linear_job *l, size_t j) {
    margin_real most = mgn_abs(mgn_q_at_zero(l, j)) / 256;
    for (size_t k = 0; k < l->in->d; k++) {
        most = mgn_max(most, mgn_abs(mgn_q_weight(l, j, k)) * mgn_q_half_range(l->in, k));
    }
    return most;
}

/* Where scores of some machines are less than a quarter of those of others, the weights of these
 * machines are multiplied by a lift, so that rounding costs them no more than the others. The lift
 * is 65535 / scale, and the predictor multiplies by scale / 65536 to take it back. */
static void mgn_q_linear_lifts(mgn_q_linear_job *l) {
    margin_real most = 0, least = MGN_HUGE;
    for (size_t j = 0; j < l->machines; j++) {
        l->lifts[j] = 1;
        most = mgn_max(most, mgn_q_reach_of(l, j));
        least = mgn_min(least, mgn_q_reach_of(l, j));
    }
    l->scaled = l->from != &l->cuts && l->rows > 1u && most > 4 * least;
    for (size_t j = 0; l->scaled && j < l->rows; j++) {
        const int32_t scale = mgn_q_round(65535 * (mgn_q_reach_of(l, j) / most), 1, 65535);
        l->scales[j] = (uint16_t)scale;
        l->lifts[j] = 65535 / (margin_real)scale;
    }
}

/* The factor of feature k is chosen so that its largest weight becomes `most`, the largest that is
 * allowed. So no column of weights loses digits to a column of larger ones, and with one machine
 * rounding the weights costs nothing at all. Inputs within the range of the data are at most 2^14,
 * so that inputs of up to twice that range fit. If biases ask for a unit so much coarser that these
 * inputs would have 8 bits or fewer, weights and inputs get as many bits as each other. */
static void mgn_q_linear_factors(mgn_q_linear_job *l) {
    mgn_q_inputs *in = l->in;
    margin_real rows = 1, unit = 0, most;
    for (size_t k = 0; k < in->d; k++) { in->offset[k] = mgn_q_middle(in, k); }
    for (size_t j = 0; j < l->machines; j++) {
        margin_real sum = 0;
        for (size_t k = 0; k < in->d; k++) {
            const margin_real column = mgn_q_column(l, k);
            sum += column > 0 ? mgn_abs(mgn_q_weight(l, j, k)) / column : 0;
        }
        rows = mgn_max(rows, sum);
    }
    most = mgn_min((margin_real)mgn_q_most(l->format), MGN_R(0.95 * 65536) / rows);
    for (size_t k = 0; k < in->d; k++) {
        const margin_real half = mgn_q_half_range(in, k);
        unit = mgn_max(unit, half * mgn_q_column(l, k) / (most * 16384));
        if (in->whole && half > 0) { /* the factors of a stage have 15 bits */
            unit = mgn_max(unit, mgn_q_column(l, k) / (most * 32700));
        }
    }
    const margin_real fine = unit;
    for (size_t j = 0; j < l->machines; j++) {
        unit = mgn_max(unit, mgn_abs(mgn_q_at_zero(l, j)) / MGN_R(0.04 * 2147483648.0));
    }
    if (fine > 0 && unit > 64 * fine) { most = mgn_min(most, 128 * mgn_sqrt(most * fine / unit)); }
    for (size_t k = 0; k < in->d; k++) {
        const bool used = unit > 0 && mgn_q_half_range(in, k) > 0;
        in->factor[k] = used ? mgn_q_column(l, k) / (most * unit) : 0;
    }
}

/* The cuts of a linear list for raw inputs: w = sum of coef * v, the scaling folded in. */
static void mgn_q_list_weights(mgn_q_linear_job *l, const margin_list *list) {
    const margin_expansion *e = &list->pool;
    for (size_t j = 0; j < l->machines; j++) {
        l->biases[j] = e->bias[j];
        for (size_t k = 0; k < e->d; k++) {
            margin_real w = 0;
            for (size_t v = 0; v < list->reach[j]; v++) {
                w += e->coef[v * e->width + j] * e->vectors[v * e->d + k];
            }
            w *= e->offset != NULL ? e->factor[k] : 1;
            l->biases[j] -= e->offset != NULL ? w * e->offset[k] : 0;
            l->weights[j * e->d + k] = w;
        }
    }
    l->cuts.w = l->weights;
    l->cuts.bias = l->biases;
}

/* The finest unit of scores at which all weights and sums fit. */
static margin_real mgn_q_linear_unit(const mgn_q_linear_job *l) {
    const margin_real most = (margin_real)mgn_q_most(l->format);
    margin_real unit = 0;
    for (size_t j = 0; j < l->machines; j++) {
        margin_real sum = mgn_abs(mgn_q_at_zero(l, j));
        for (size_t k = 0; k < l->in->d; k++) {
            const margin_real w = mgn_abs(mgn_q_weight(l, j, k)), f = l->in->factor[k];
            unit = mgn_max(unit, f > 0 ? w / f / most : 0);
            sum += f > 0 ? w / f * 32768 : 0;
        }
        unit = mgn_max(unit, sum / MGN_R(0.998 * 2147483648.0));
    }
    return unit > 0 ? unit : 1;
}

static margin_status mgn_q_linear_make(mgn_q_linear_job *l) {
    mgn_q_inputs *in = l->in;
    for (size_t k = 0; k < in->d; k++) { in->offset[k] = mgn_q_middle(in, k); }
    mgn_q_linear_lifts(l);
    mgn_q_as_they_are(in);
    /* Whether rounding the weights is too coarse for whole inputs as they are: about how much it
     * changes a score, compared with the largest contribution of a feature. */
    margin_real error = 0, most = 0;
    for (size_t k = 0; k < in->d; k++) {
        const margin_real half = mgn_q_half_range(in, k);
        error += half * half;
        most = mgn_max(most, half * mgn_q_column(l, k));
    }
    most /= l->format == MARGIN_Q15 ? MGN_R(1024.0) : MGN_R(128.0);
    if (!in->whole || MGN_R(0.3) * mgn_q_linear_unit(l) * mgn_sqrt(error) > most) {
        mgn_q_linear_factors(l);
        if (in->whole && !mgn_q_make_stage(in)) { return MARGIN_E_RANGE; }
    }
    const margin_real unit = mgn_q_linear_unit(l);
    for (size_t j = 0; j < l->machines; j++) {
        margin_real bias = mgn_q_at_zero(l, j);
        for (size_t k = 0; k < in->d; k++) {
            const margin_real w = in->factor[k] > 0 ? mgn_q_weight(l, j, k) / in->factor[k] : 0;
            const int32_t q = mgn_q_round(w / unit, -mgn_q_most(l->format), mgn_q_most(l->format));
            bias +=
                (w - unit * (margin_real)q) * (mgn_q_middle(in, k) - in->offset[k]) * in->factor[k];
            mgn_q_put(l->w, l->format, mgn_q_weight_at(l, j, k), q);
        }
        l->bias[j] = mgn_q_round(bias / unit, -INT32_MAX, INT32_MAX);
    }
    l->unit = unit * (l->scaled ? MGN_R(65536.0 / 65535.0) : 1);
    return MARGIN_OK;
}

/* ---- vectors ---- */

/* The vectors of an expansion or of the pool of a list, the rows of prototypes, or those of a
 * projection, all seen as an expansion. */
typedef struct {
    const margin_expansion *from;
    mgn_q_inputs *in;
    unsigned format;
    void *vectors;               /* kept, in blocks */
    size_t n;                    /* filled up to whole blocks, but not those of hinge units */
    uint16_t *norms, *class_end; /* kept; prototypes have their gains as norms */
} mgn_q_rows;

static margin_real mgn_q_own_factor(const mgn_q_rows *r, size_t k) {
    return r->from->offset != NULL ? r->from->factor[k] : 1;
}

static margin_real mgn_q_own_offset(const mgn_q_rows *r, size_t k) {
    return r->from->offset != NULL ? r->from->offset[k] : 0;
}

/* Feature k of a raw value as z, and that of vector v, both measured from the centre. */
static margin_real mgn_q_from_centre(const mgn_q_rows *r, margin_real x, size_t k) {
    return (x - mgn_q_own_offset(r, k)) * mgn_q_own_factor(r, k) - r->in->centre[k];
}

static margin_real mgn_q_vector(const mgn_q_rows *r, size_t v, size_t k) {
    return r->from->vectors[v * r->from->d + k] - r->in->centre[k];
}

/* Stores element k of row v. */
static void mgn_q_put_element(const mgn_q_rows *r, size_t v, size_t k, int32_t q) {
    const size_t blocked = mgn_q_blocked(r->from->kernel.kind, r->n);
    mgn_q_put(r->vectors, r->format, mgn_q_place(r->in->d, v, k, r->format, blocked), q);
}

/* As measured from the centre: the length of the longest vector, the largest coordinate of a
 * vector, and, of prototypes alone, the length of the longest sample. */
typedef struct {
    margin_real length, vector, data;
} mgn_q_extent;

/* The largest coordinate of the data, measured from the centre. */
static margin_real mgn_q_extents_data(const mgn_q_rows *r) {
    margin_real most = 0;
    for (size_t k = 0; k < r->in->d; k++) {
        most = mgn_max(most, mgn_abs(mgn_q_from_centre(r, r->in->low[k], k)));
        most = mgn_max(most, mgn_abs(mgn_q_from_centre(r, r->in->high[k], k)));
    }
    return most;
}

/* The extents of every `step`-th row, without samples. */
static mgn_q_extent mgn_q_extents_rows(const mgn_q_rows *r, size_t step) {
    mgn_q_extent most = {0, 0, 0};
    for (size_t v = 0; v < r->from->n; v += step) {
        margin_real sum = 0;
        for (size_t k = 0; k < r->in->d; k++) {
            const margin_real z = mgn_q_vector(r, v, k);
            sum += z * z;
            most.vector = mgn_max(most.vector, mgn_abs(z));
        }
        most.length = mgn_max(most.length, mgn_sqrt(sum));
    }
    return most;
}

/* Puts the centre at the mean of every `step`-th row: of all vectors, or of the centroids.
 * Distances do not depend on where the origin is, and norms are smallest with the origin there. */
static void mgn_q_centre(const mgn_q_rows *r, size_t step) {
    for (size_t k = 0; k < r->from->d; k++) {
        margin_real mean = 0;
        size_t count = 0;
        for (size_t v = 0; v < r->from->n; v += step) {
            count++;
            mean += (r->from->vectors[v * r->from->d + k] - mean) / (margin_real)count;
        }
        r->in->centre[k] = mean;
    }
}

/* Puts the centre where the raw value is 0, for whole numbers that go in as they are. */
static void mgn_q_centre_at_zero(const mgn_q_rows *r) {
    const margin_real f = mgn_q_own_factor(r, 0);
    for (size_t k = 0; k < r->in->d; k++) { r->in->centre[k] = -mgn_q_own_offset(r, k) * f; }
    r->in->unit = f;
    mgn_q_as_they_are(r->in);
}

/* Whether all features have the same factor, so that whole numbers may go in as they are. */
static bool mgn_q_one_factor(const mgn_q_rows *r) {
    const margin_real f = mgn_q_own_factor(r, 0);
    for (size_t k = 0; k < r->from->d; k++) {
        if (!(mgn_abs(mgn_q_own_factor(r, k) - f) <= f / 4096)) { return false; }
    }
    return true;
}

/* Offsets and factors for a centre and a unit. */
static margin_status mgn_q_inputs_make(const mgn_q_rows *r) {
    mgn_q_inputs *in = r->in;
    for (size_t k = 0; k < in->d; k++) {
        const margin_real f = mgn_q_own_factor(r, k);
        in->factor[k] = f / in->unit;
        in->offset[k] = f > 0 ? mgn_q_own_offset(r, k) + in->centre[k] / f : 0;
        if (!mgn_finite(in->factor[k]) || !mgn_finite(in->offset[k])) { return MARGIN_E_RANGE; }
    }
    return !in->whole || mgn_q_make_stage(in) ? MARGIN_OK : MARGIN_E_RANGE;
}

/* The unit at which the largest coordinate of the data, from the centre, is 2^14, or for poly so
 * large that int16_t ends where its bases do: terms that are limited no longer cancel each other.
 * A coarser one, if the factors of a stage would not fit otherwise. */
static margin_real mgn_q_data_unit(const mgn_q_rows *r) {
    const margin_real most = r->from->kernel.kind == MARGIN_KERNEL_POLY ? 26200 : 16384;
    margin_real unit = mgn_max(r->in->least, mgn_q_extents_data(r) / most);
    for (size_t k = 0; r->in->whole && k < r->in->d; k++) {
        unit = mgn_max(unit, mgn_q_own_factor(r, k) / INT16_MAX);
    }
    return unit > 0 ? unit : 1;
}

/* Inputs of kernels whose origin is at z = 0. If it is possible, and `coarse` does not forbid it,
 * whole numbers go in as they are. */
static margin_status mgn_q_origin_inputs(const mgn_q_rows *r, bool coarse) {
    bool plain = !coarse && r->in->whole && mgn_q_one_factor(r);
    for (size_t k = 0; k < r->in->d; k++) {
        r->in->centre[k] = 0;
        plain = plain && !(mgn_abs(mgn_q_own_offset(r, k)) > 0);
    }
    if (plain) {
        mgn_q_as_they_are(r->in);
        r->in->unit = mgn_q_own_factor(r, 0);
        return MARGIN_OK;
    }
    r->in->unit = mgn_q_data_unit(r);
    return mgn_q_inputs_make(r);
}

/* The inputs of hinge units and projections: whole numbers go in as they are where all features
 * have one factor; otherwise the middle of the data is 0, and its largest distance from there 2^14
 * units. */
static margin_status mgn_q_hinge_inputs(const mgn_q_rows *r) {
    if (r->in->whole && mgn_q_one_factor(r)) {
        for (size_t k = 0; k < r->in->d; k++) {
            r->in->centre[k] = -mgn_q_own_offset(r, k) * mgn_q_own_factor(r, k);
        }
        mgn_q_as_they_are(r->in);
        r->in->unit = mgn_q_own_factor(r, 0);
        return r->in->unit > 0 ? MARGIN_OK : MARGIN_E_RANGE;
    }
    for (size_t k = 0; k < r->in->d; k++) {
        r->in->centre[k] =
            (mgn_q_middle(r->in, k) - mgn_q_own_offset(r, k)) * mgn_q_own_factor(r, k);
    }
    r->in->unit = mgn_q_data_unit(r);
    return mgn_q_inputs_make(r);
}

/* ---- expansions ---- */

/* Vectors with coefficients, and what the kernel needs besides. */
typedef struct {
    mgn_q_rows *rows;
    size_t machines, width;
    void *coef;         /* kept; int16_t, or int8_t if `narrow` */
    uint16_t *scales;   /* kept; of `narrow` coefficients */
    int32_t *bias;      /* kept */
    bool narrow;        /* see mgn_q_narrow */
    bool hinge;         /* units of learned vectors */
    bool linear_unit;   /* unit-exp with a = 1 */
    margin_real *tops;  /* machines: largest coefficient; */
    margin_real *sums;  /* bias with what coefficients add to it; */
    margin_real *sizes; /* sum of |coef| and |bias| */
    margin_real *steps; /* hinge, of each vector: v for one unit of its elements */
    uint16_t *own;      /* kept; rbf in q7: a step for each vector, */
    bool stepped;       /* if they have one each */
    margin_kernel_q kernel;
    margin_real vector_unit; /* z for one unit of the vectors */
    margin_real limit, peak; /* poly: what the base is a fraction of; largest sum on the data */
    margin_real size;        /* every coefficient is multiplied by this, */
    margin_real base;        /* and its product with this goes to the bias of its machine */
    margin_real unit;        /* of the scores */
} mgn_q_pool_job;

/* The machine that coefficient i of vector v belongs to. */
static size_t mgn_q_machine_of(const mgn_q_pool_job *p, size_t v, size_t i) {
    const margin_expansion *e = p->rows->from;
    size_t c = 0;
    while (c + 1u < e->vote.classes && v >= e->class_end[c]) { c++; }
    return mgn_machine(e->vote.scheme, e->vote.classes, c, i);
}

/* Coefficient i of vector v, for a kernel value of 1, which is 2^15 in integers. The value of a
 * hinge unit is counted in units of its own, unit * steps[v] * 2^shift. */
static margin_real mgn_q_sized_coef(const mgn_q_pool_job *p, size_t v, size_t i) {
    const margin_real coef = p->rows->from->coef[v * p->width + i] * p->size;
    return p->hinge ? coef * p->steps[v] : coef;
}

/* Computes tops, sums and sizes. Returns the largest coefficient of all. */
static margin_real mgn_q_sum_up(mgn_q_pool_job *p) {
    const margin_expansion *e = p->rows->from;
    margin_real largest = 0;
    for (size_t j = 0; j < p->machines; j++) {
        p->sums[j] = e->bias[j];
        p->sizes[j] = p->tops[j] = 0;
    }
    for (size_t v = 0; v < e->n; v++) {
        for (size_t i = 0; i < p->width; i++) {
            const size_t j = mgn_q_machine_of(p, v, i);
            const margin_real size = mgn_abs(mgn_q_sized_coef(p, v, i));
            p->sizes[j] += size;
            p->sums[j] += e->coef[v * p->width + i] * p->base;
            p->tops[j] = mgn_max(p->tops[j], size);
            largest = mgn_max(largest, size);
        }
    }
    for (size_t j = 1; j < p->machines && e->vote.scheme == MARGIN_SCHEME_ORDINAL; j++) {
        p->sums[j] += p->sums[0] - e->bias[0];
        p->sizes[j] = p->sizes[0];
    }
    for (size_t j = 0; j < p->machines; j++) { p->sizes[j] += mgn_abs(p->sums[j]); }
    return largest;
}

/* The least shift `down` such that sum |coef| 32768 / 2^down + |bias| < 2^31 for all machines,
 * where the largest coefficient is 32767, or 127 for each machine if coefficients are narrow. Sums
 * of poly are limited; for them the shift leaves room for eight times what the data needs. */
static void mgn_q_choose_down(mgn_q_pool_job *p) {
    const margin_real largest = mgn_q_sum_up(p);
    margin_real most = 0;
    for (size_t j = 0; j < p->machines; j++) {
        margin_real need = p->sizes[j];
        if (p->kernel.kind == MARGIN_KERNEL_POLY) {
            need = 16 * mgn_max(p->peak, mgn_abs(p->sums[j]));
        } else if (p->narrow) {
            need /= 256;
            if (!p->hinge) { need = p->tops[j] > 0 ? need * (largest / p->tops[j]) : 0; }
        }
        most = mgn_max(most, need);
    }
    p->kernel.down = 0;
    for (; p->kernel.down < 31u && largest > 0 && most > 2 * largest; p->kernel.down++) {
        most /= 2;
    }
}

/* Element k of vector v as an integer. */
static int32_t mgn_q_rounded(const mgn_q_pool_job *p, size_t v, size_t k) {
    const mgn_q_rows *r = p->rows;
    const int32_t limit = mgn_q_most(r->format);
    margin_real unit = p->vector_unit;
    if (v >= r->from->n || k >= r->in->d) { return 0; }
    if (p->stepped) { unit = r->in->unit * (margin_real)p->own[v]; }
    if (mgn_kernel_is_unit(p->kernel.kind)) {
        unit *= mgn_sqrt(r->from->norms[v]); /* unit vectors */
        unit = unit > 0 ? unit : 1;
    }
    if (p->hinge) {
        return mgn_q_round(r->from->vectors[v * r->in->d + k] / p->steps[v], -limit, limit);
    }
    return mgn_q_round(mgn_q_vector(r, v, k) / unit, -limit, limit);
}

/* |v|^2 in squared units of the input. Below 2^32 if the unit was chosen well. */
static uint64_t mgn_q_rounded_length2(const mgn_q_pool_job *p, size_t v) {
    const uint64_t step = p->stepped ? p->own[v] : p->kernel.step;
    uint64_t sum = 0;
    for (size_t k = 0; k < p->rows->in->d; k++) {
        const uint64_t a = (uint64_t)mgn_q_size(mgn_q_rounded(p, v, k)) * step;
        sum += a * a;
    }
    return sum;
}

/* Coefficient i of vector v. Norms of rbf are rounded up, by `excess`, which makes every kernel
 * value smaller by the factor exp(-gamma excess); the coefficient makes up for it. */
static margin_real mgn_q_true_coef(const mgn_q_pool_job *p, size_t v, size_t i) {
    const margin_real coef = mgn_q_sized_coef(p, v, i), unit = p->rows->in->unit;
    if (p->kernel.kind != MARGIN_KERNEL_RBF) { return coef; }
    const uint64_t twice = (uint64_t)p->rows->norms[v] << (p->kernel.shift + 1u);
    const margin_real excess = (margin_real)(twice - mgn_q_rounded_length2(p, v));
    return coef * mgn_exp(p->rows->from->kernel.gamma * unit * unit * excess);
}

/* The coefficients of a narrow model, and the scale of each machine, which its sum is multiplied
 * by: 65535 / 65536 for the machine with the largest coefficient, in proportion less for the
 * others. The machines of hinge units have no scales. */
static void mgn_q_store_narrow(const mgn_q_pool_job *p, margin_real largest) {
    const size_t n = p->rows->from->n;
    for (size_t j = 0; j < p->width; j++) {
        p->tops[j] = 0;
        for (size_t v = 0; v < n; v++) {
            p->tops[j] = mgn_max(p->tops[j], mgn_abs(mgn_q_true_coef(p, v, j)));
        }
        const int32_t scale = mgn_q_round(p->tops[j] / largest * 65535, 1, 65535);
        margin_real unit = largest * (margin_real)scale / (127 * MGN_R(65535.0));
        if (p->hinge) {
            unit = largest / 127;
        } else {
            p->scales[j] = (uint16_t)scale;
        }
        for (size_t v = 0; v < p->rows->n; v++) {
            const margin_real coef = v < n ? mgn_q_true_coef(p, v, j) / unit : 0;
            ((int8_t *)p->coef)[v * p->width + j] = (int8_t)mgn_q_round(coef, -127, 127);
        }
    }
}

/* Stores vectors and coefficients, whose units are known by now. */
static margin_status mgn_q_store_pool(mgn_q_pool_job *p) {
    const mgn_q_rows *r = p->rows;
    const margin_vote *vote = &r->from->vote;
    const margin_real weight = 32768 / (margin_real)(UINT32_C(1) << p->kernel.down);
    margin_real largest = 0;
    for (size_t v = 0; v < r->n; v++) {
        for (size_t k = 0; k < r->in->d + r->in->d % 2u; k++) {
            mgn_q_put_element(r, v, k, mgn_q_rounded(p, v, k));
        }
    }
    for (size_t i = 0; i < r->from->n * p->width; i++) {
        largest = mgn_max(largest, mgn_abs(mgn_q_true_coef(p, i / p->width, i % p->width)));
    }
    const bool nothing = !(largest > 0); /* no coefficient: the biases alone decide on the unit */
    if (!mgn_finite(largest)) { return MARGIN_E_RANGE; }
    (void)mgn_q_sum_up(p);
    for (size_t j = 0; j < p->machines && nothing; j++) { largest = mgn_max(largest, p->sizes[j]); }
    largest = largest > 0 ? largest : 1;
    if (p->narrow) {
        mgn_q_store_narrow(p, largest);
        p->unit = largest / 127 / weight * (p->hinge ? 1 : MGN_R(65536.0 / 65535.0));
    } else {
        for (size_t i = 0; i < r->n * p->width; i++) {
            const size_t v = i / p->width;
            const margin_real coef = v < r->from->n ? mgn_q_true_coef(p, v, i % p->width) : 0;
            ((int16_t *)p->coef)[i] = (int16_t)mgn_q_round(coef / (largest / 32767), -32767, 32767);
        }
        p->unit = largest / 32767 / weight;
    }
    for (size_t j = 0; j < p->machines; j++) {
        p->bias[j] = mgn_q_round(p->sums[j] / p->unit, -INT32_MAX, INT32_MAX);
    }
    for (size_t c = 0; r->class_end != NULL && c < vote->classes; c++) {
        r->class_end[c] = (uint16_t)(c + 1u < vote->classes ? r->from->class_end[c] : r->n);
    }
    return MARGIN_OK;
}

/* Chooses gain and up with gain * 2^up = rate * 2^40, where 2^-(rate s) is the kernel value at the
 * distance s, and the cut: the distance at which kernel values vanish. */
static margin_status mgn_q_choose_gain(margin_kernel_q *kernel, margin_real rate) {
    const uint64_t end = (uint64_t)(32u - kernel->down) << 40;
    margin_real gain = rate * MGN_R(1099511627776.0);
    for (kernel->up = 0; gain > 65535 && kernel->up < 31u; kernel->up++) { gain /= 2; }
    kernel->gain = (uint16_t)mgn_q_round(gain, 0, 65535);
    if (kernel->gain == 0 || gain > 65535) { return MARGIN_E_RANGE; }
    const uint64_t cut = (((end - 1u) / kernel->gain) >> kernel->up) + 1u;
    kernel->cut = cut < UINT32_MAX ? (uint32_t)cut : UINT32_MAX;
    return MARGIN_OK;
}

/* ---- rbf ---- */

/* For a choice of `down` kernel values vanish at 2^-(32 - down), at the distance `radius`. The
 * unit is the finest at which all distances within reach fit, see mgn_q_rbf_fits; half a step in
 * every feature is kept in reserve for rounding. Data may leave int16_t only where it leaves the
 * reach. */
static margin_real mgn_q_rbf_unit(const mgn_q_pool_job *p) {
    const mgn_q_rows *r = p->rows;
    const mgn_q_extent most = mgn_q_extents_rows(r, 1u);
    const margin_real bits = (margin_real)(32u - p->kernel.down);
    const margin_real root = mgn_sqrt((margin_real)r->in->d);
    const margin_real radius = mgn_sqrt(bits * MGN_LN_2 / r->from->kernel.gamma);
    const margin_real rough = r->format == MARGIN_Q7 ? root * most.vector / 252 : 0;
    const margin_real length = most.length + rough;
    margin_real unit = mgn_max(r->in->least, (2 * length + radius) / (65400 - 2 * root));
    unit = mgn_max(unit, (length + radius) / (56600 - 2 * root));
    return mgn_max(unit, mgn_min(mgn_q_extents_data(r), length + radius) / 32700);
}

/* Whether whole numbers may go in as they are: the unit is then the factor, which must not be too
 * fine for 32 bits, and in q7 the vectors must not be so far from 0 that int8_t is too coarse. */
static bool mgn_q_rbf_plain(const mgn_q_pool_job *p) {
    const margin_real centred = mgn_q_extents_rows(p->rows, 1u).vector;
    mgn_q_centre_at_zero(p->rows);
    const margin_real plain = mgn_q_extents_rows(p->rows, 1u).vector;
    return mgn_q_rbf_unit(p) <= p->rows->in->unit &&
           (p->rows->format == MARGIN_Q15 || plain <= 2 * centred);
}

/* The step, in units of the input, of which the largest coordinate is at most 127. */
static uint16_t mgn_q_step_for(const mgn_q_inputs *in, margin_real largest) {
    return (uint16_t)(1 + mgn_q_round(largest / (127 * in->unit), 0, 65534));
}

/* Steps of q7: one for all vectors, or one for each vector if that takes away three quarters of the
 * mean square error of rounding. It does where a few outliers have the largest coordinates. */
static void mgn_q_rbf_steps(mgn_q_pool_job *p) {
    const mgn_q_rows *r = p->rows;
    const size_t n = r->from->n;
    margin_real most = 0, squares = 0;
    for (size_t v = 0; v < r->n; v++) {
        margin_real top = 0;
        for (size_t k = 0; v < n && k < r->in->d; k++) {
            top = mgn_max(top, mgn_abs(mgn_q_vector(r, v, k)));
        }
        p->own[v] = mgn_q_step_for(r->in, top);
        most = mgn_max(most, top);
        squares += top * top / (margin_real)n;
    }
    p->stepped = 4 * squares < most * most;
    p->kernel.step = p->stepped ? 0 : mgn_q_step_for(r->in, most);
}

static margin_status mgn_q_rbf_make(mgn_q_pool_job *p) {
    mgn_q_inputs *in = p->rows->in;
    margin_kernel_q *kernel = &p->kernel;
    const margin_real gamma = p->rows->from->kernel.gamma;
    margin_status status = MARGIN_OK;
    mgn_q_centre(p->rows, 1u);
    if (!in->whole || !mgn_q_one_factor(p->rows) || !mgn_q_rbf_plain(p)) {
        mgn_q_centre(p->rows, 1u);
        in->unit = mgn_q_rbf_unit(p);
        status = mgn_q_inputs_make(p->rows);
    }
    if (status != MARGIN_OK) { return status; }
    if (p->rows->format == MARGIN_Q7) { mgn_q_rbf_steps(p); }
    p->vector_unit = in->unit * (margin_real)p->kernel.step;
    status = mgn_q_choose_gain(kernel, gamma * MGN_INV_LN2 * in->unit * in->unit);
    if (status != MARGIN_OK) { return status; }
    /* Half the squared length of each vector, rounded up, and the reach: inputs longer than that
     * are so far from all vectors that every kernel value vanishes. */
    uint64_t longest = 0, reach;
    for (size_t v = 0; v < p->rows->n; v++) {
        const uint64_t length2 = mgn_q_rounded_length2(p, v);
        longest = length2 > longest ? length2 : longest;
    }
    kernel->shift = 0;
    while ((longest / 2u >> kernel->shift) >= UINT16_MAX) { kernel->shift++; }
    for (size_t v = 0; v < p->rows->n; v++) {
        const uint64_t unit = UINT64_C(2) << kernel->shift;
        p->rows->norms[v] = (uint16_t)((mgn_q_rounded_length2(p, v) + unit - 1u) / unit);
    }
    reach = mgn_q_root_up(longest) + mgn_q_root_up(kernel->cut);
    reach *= reach;
    /* The unit has left room: the longest vector and the radius make at most 56600 units, which
     * rounding changes by a few. */
    MARGIN_ASSERT(reach < UINT32_C(0xBFFFFFFF));
    kernel->reach = (uint32_t)reach;
    return mgn_q_store_pool(p);
}

/* ---- hinge units ---- */

/* Scaled inputs are z = unit x + centre, so v.z + t = unit v.x + (t + v.centre). With a grid of
 * steps[v] for the elements of v this is unit steps[v] (q.x + r), r the threshold of the
 * integers. */
static margin_real mgn_q_hinge_threshold(const mgn_q_rows *r, size_t v) {
    const size_t d = r->from->d;
    return r->from->norms[v] + margin_dot(r->from->vectors + v * d, r->in->centre, d);
}

/* The finest grid of a vector at which its elements fit their format, and `room` times its sums,
 * its threshold included, fit 31 bits. */
static margin_real mgn_q_grid(const mgn_q_rows *r, size_t v, margin_real room) {
    const margin_real *w = r->from->vectors + v * r->in->d;
    const margin_real far = mgn_abs(mgn_q_hinge_threshold(r, v)) / r->in->unit;
    const margin_real sum = room * (mgn_norm1(w, r->in->d) * 32768 + far);
    return mgn_max(margin_norm_inf(w, r->in->d) / (margin_real)mgn_q_most(r->format),
                   sum / MGN_R(0.98 * 2147483648.0));
}

/* The largest value of any hinge unit on the data, counted in units of its own. */
static margin_real mgn_q_hinge_most(const mgn_q_pool_job *p) {
    const mgn_q_rows *r = p->rows;
    margin_real most = 1;
    for (size_t i = 0; i < r->in->data->n; i++) {
        const margin_real *x = mgn_q_sample(r->in, i);
        for (size_t v = 0; v < r->from->n; v++) {
            const margin_real *w = r->from->vectors + v * r->in->d;
            margin_real sum = r->from->norms[v];
            for (size_t k = 0; k < r->in->d; k++) {
                sum += w[k] * (x[k] - mgn_q_own_offset(r, k)) * mgn_q_own_factor(r, k);
            }
            most = mgn_max(most, sum / (r->in->unit * p->steps[v]));
        }
    }
    return most;
}

/* Grids, thresholds and the shift that gives values 15 bits, a quarter of them in reserve. */
static margin_status mgn_q_hinge_grids(mgn_q_pool_job *p) {
    const mgn_q_rows *r = p->rows;
    margin_kernel_q *kernel = &p->kernel;
    const margin_status status = mgn_q_hinge_inputs(r);
    margin_real most, farthest = 0;
    if (status != MARGIN_OK) { return status; }
    for (size_t v = 0; v < r->from->n; v++) {
        const margin_real far = mgn_abs(mgn_q_hinge_threshold(r, v));
        const margin_real step =
            mgn_max(mgn_q_grid(r, v, 1), far / r->in->unit / MGN_R(1073741824.0));
        p->steps[v] = step > 0 ? step : 1;
        farthest = mgn_max(farthest, far / (r->in->unit * p->steps[v]));
    }
    for (kernel->up = 0; kernel->up < 15u && farthest > 32767; kernel->up++) { farthest /= 2; }
    most = MGN_R(1.25) * mgn_q_hinge_most(p);
    for (kernel->shift = 0; kernel->shift < 30u && most > 32767; kernel->shift++) { most /= 2; }
    for (size_t v = 0; v < r->n; v++) {
        const margin_real grain = r->in->unit * (margin_real)(UINT32_C(1) << kernel->up);
        const margin_real t = mgn_q_hinge_threshold(r, v) / (grain * p->steps[v]);
        r->norms[v] = (uint16_t)mgn_q_round(t, -32767, 32767);
    }
    p->size = r->in->unit * 32768 * (margin_real)(UINT32_C(1) << kernel->shift);
    return MARGIN_OK;
}

/* ---- poly ---- */

/* Computes `limit`, 1.25 times the largest |base| on the data, and `peak`, the largest |sum| over
 * the first vectors of a machine, for any number of them. */
static void mgn_q_poly_limit(mgn_q_pool_job *p) {
    const mgn_q_rows *r = p->rows;
    const margin_kernel *kernel = &r->from->kernel;
    margin_real most = mgn_abs(kernel->coef0);
    p->peak = 0;
    for (size_t i = 0; i < r->in->data->n; i++) {
        const margin_real *x = mgn_q_sample(r->in, i);
        for (size_t j = 0; j < p->machines; j++) { p->sums[j] = 0; }
        for (size_t v = 0; v < r->from->n; v++) {
            margin_real sum = 0;
            for (size_t k = 0; k < r->in->d; k++) {
                sum += (x[k] - mgn_q_own_offset(r, k)) * mgn_q_own_factor(r, k) *
                       r->from->vectors[v * r->in->d + k];
            }
            const margin_real base = kernel->gamma * sum + kernel->coef0;
            const margin_real value = margin_pow_int(base, kernel->degree);
            most = mgn_max(most, mgn_abs(base));
            for (size_t k = 0; k < p->width; k++) {
                const size_t j = mgn_q_machine_of(p, v, k);
                p->sums[j] += r->from->coef[v * p->width + k] * value;
                p->peak = mgn_max(p->peak, mgn_abs(p->sums[j]));
            }
        }
    }
    p->limit = most > 0 ? MGN_R(1.25) * most : 1;
}

/* The finest unit of vectors at which their elements fit the format, and the sums of |elements|
 * fit 16 bits. With `unit_length` the vectors are divided by their lengths first. */
static margin_real mgn_q_finest(const mgn_q_rows *r, bool unit_length) {
    const margin_real most = (margin_real)mgn_q_most(r->format);
    margin_real unit = 0;
    for (size_t v = 0; v < r->from->n; v++) {
        const margin_real norm = mgn_sqrt(r->from->norms[v]);
        const margin_real length = unit_length && norm > 0 ? norm : 1;
        margin_real sum = 0, peak = 0;
        for (size_t k = 0; k < r->in->d; k++) {
            const margin_real size = mgn_abs(mgn_q_vector(r, v, k)) / length;
            sum += size;
            peak = mgn_max(peak, size);
        }
        unit = mgn_max(unit, mgn_max(peak / most, sum / (65500 - (margin_real)r->in->d / 2)));
    }
    return unit > 0 ? unit : 1;
}

static margin_status mgn_q_poly_make(mgn_q_pool_job *p) {
    const mgn_q_rows *r = p->rows;
    margin_kernel_q *kernel = &p->kernel;
    const margin_kernel *from = &r->from->kernel;
    margin_status status = mgn_q_origin_inputs(r, false);
    p->vector_unit = mgn_q_finest(r, false);
    margin_real gain = from->gamma * p->vector_unit / p->limit * MGN_R(2147483648.0);
    if (status == MARGIN_OK && gain * r->in->unit >= 32768) {
        status = mgn_q_origin_inputs(r, true);
    }
    gain *= r->in->unit;
    if (status != MARGIN_OK) { return status; }
    for (kernel->shift = 0; gain < 32768 && kernel->shift < 31u; kernel->shift++) { gain *= 2; }
    if (!(gain < 65535) || kernel->shift == 0) { return MARGIN_E_RANGE; }
    kernel->up = 0;
    for (; kernel->up < 14u && kernel->shift > 1u; kernel->shift--) { kernel->up++; }
    kernel->gain = (uint16_t)mgn_q_round(gain, 0, 65535);
    const margin_real one = (margin_real)(UINT32_C(0x8000) << kernel->up);
    kernel->add = mgn_q_round(from->coef0 / p->limit * one, -(INT32_C(1) << 29), INT32_C(1) << 29);
    kernel->power = from->degree;
    return mgn_q_store_pool(p);
}

/* ---- unit kernels ---- */

static margin_status mgn_q_unit_make(mgn_q_pool_job *p) {
    const margin_real a = p->rows->from->kernel.a, log2a = mgn_log(a) * MGN_INV_LN2;
    margin_status status = mgn_q_origin_inputs(p->rows, false);
    margin_real rate = a / 32768;
    if (p->kernel.kind == MARGIN_KERNEL_UNIT_EXP) {
        rate = mgn_abs(log2a) / 65536;
        p->kernel.power = log2a < 0 ? 1 : 0;
    }
    if (p->linear_unit) { rate = MGN_R(1) / 32768; }
    status = status == MARGIN_OK ? mgn_q_choose_gain(&p->kernel, rate) : status;
    if (status != MARGIN_OK) { return status; }
    /* Unit vectors of a length just below 2^shift, so that 2^(15 + shift) / length fits 16 bits. */
    margin_kernel_q *kernel = &p->kernel;
    const margin_real most = mgn_min(1 / mgn_q_finest(p->rows, true), 32000);
    margin_real length = MGN_R(0.97) * 2;
    for (kernel->shift = 1; kernel->shift < 15u && 2 * length <= most; kernel->shift++) {
        length *= 2;
    }
    length = mgn_min(most, length);
    if (kernel->shift < 15u && most > length * MGN_R(1.04)) {
        kernel->shift++;
        length = mgn_min(most, 2 * length);
    }
    p->vector_unit = 1 / length;
    for (size_t v = 0; v < p->rows->n; v++) {
        const margin_real norm = mgn_sqrt((margin_real)mgn_q_rounded_length2(p, v));
        const margin_real full = (margin_real)(UINT32_C(1) << (15u + kernel->shift));
        p->rows->norms[v] = (uint16_t)(norm > 0 ? mgn_q_round(full / norm, 0, 65535) : 65535);
    }
    return length >= 1 ? mgn_q_store_pool(p) : MARGIN_E_RANGE;
}

/* What the kernel does to coefficients and biases. unit-exp is (a^t - 1) / (a - 1). Integers have
 * 2^-u with u >= 0: for a > 1 the kernel is a / (a - 1) 2^-u - 1 / (a - 1), where u = (1 - t) log2
 * a; for a < 1 it is 1 / (1 - a) - 1 / (1 - a) 2^-u, where u = -t log2 a. Next to a = 1 it is as
 * good as t, which is unit-poly with a = 1. */
static margin_status mgn_q_prepare_kernel(mgn_q_pool_job *p) {
    const margin_kernel *kernel = &p->rows->from->kernel;
    p->kernel.kind = kernel->kind;
    p->kernel.step = 1;
    p->size = 1;
    p->base = 0;
    p->linear_unit = false;
    if (kernel->kind == MARGIN_KERNEL_POLY) {
        mgn_q_poly_limit(p);
        p->size = margin_pow_int(p->limit, kernel->degree);
    } else if (kernel->kind == MARGIN_KERNEL_HINGE) {
        return mgn_q_hinge_grids(p);
    } else if (kernel->kind == MARGIN_KERNEL_UNIT_EXP) {
        const margin_real less = kernel->a - 1;
        p->linear_unit = mgn_abs(less) < MGN_R(0.001);
        if (p->linear_unit) {
            p->kernel.kind = MARGIN_KERNEL_UNIT_POLY;
        } else {
            p->size = less > 0 ? kernel->a / less : 1 / less;
            p->base = -1 / less;
        }
    }
    return MARGIN_OK;
}

static margin_status mgn_q_pool_make(mgn_q_pool_job *p) {
    if (p->kernel.kind == MARGIN_KERNEL_RBF) { return mgn_q_rbf_make(p); }
    if (p->kernel.kind == MARGIN_KERNEL_POLY) { return mgn_q_poly_make(p); }
    if (p->kernel.kind != MARGIN_KERNEL_HINGE) { return mgn_q_unit_make(p); }
    (void)mgn_q_hinge_grids(p); /* anew for each shift; it has not failed in mgn_q_prepare_kernel */
    return mgn_q_store_pool(p);
}

/* ---- prototypes ---- */

typedef struct {
    const margin_proto *from; /* NULL: no prototypes */
    mgn_q_rows *rows;
    int32_t *constants; /* kept, as the next */
    uint8_t *downs;
    margin_proto_q made; /* stage and vote are missing */
    margin_real unit;    /* of the distances */
} mgn_q_proto_job;

/* Rows of a model: its centroid and its tangents. */
static size_t mgn_q_proto_rows(const mgn_q_proto_job *p) {
    return 1u + (size_t)p->from->tangents;
}

/* As measured from the centre: the longest centroid, the largest coordinate of a centroid, and the
 * longest sample. */
static mgn_q_extent mgn_q_proto_extents(const mgn_q_proto_job *p) {
    const mgn_q_rows *r = p->rows;
    mgn_q_extent most = mgn_q_extents_rows(r, mgn_q_proto_rows(p));
    for (size_t i = 0; i < r->in->data->n; i++) {
        const margin_real *x = mgn_sample(r->in->data, i);
        margin_real sum = 0;
        for (size_t k = 0; k < r->in->d; k++) {
            const margin_real z = mgn_q_from_centre(r, x[k], k);
            sum += z * z;
        }
        most.data = mgn_max(most.data, mgn_sqrt(sum));
    }
    return most;
}

/* The least `unit` times a power of two, also a negative one, that is not below `least`. Both are
 * positive and finite: their exponents are less than 2 (BIAS + FRACTION) apart. */
static margin_real mgn_q_doubled(margin_real unit, margin_real least) {
    for (unsigned step = 0; step < 2u * (MGN_BIAS + MGN_FRACTION) && unit < least; step++) {
        unit *= 2;
    }
    for (unsigned step = 0; step < 2u * (MGN_BIAS + MGN_FRACTION) && unit / 2 >= least; step++) {
        unit /= 2;
    }
    return unit;
}

/* Inputs: samples are at most 2^13 units long, and in q7 the largest coordinate of a centroid is
 * 127 times a power of two. Whole numbers go in as they are if all features have one factor,
 * samples and centroids are at most 2^13 units long, and int8_t is at most twice as coarse as with
 * another centre. */
static margin_status mgn_q_proto_inputs(const mgn_q_proto_job *p) {
    const margin_real f = mgn_q_own_factor(p->rows, 0);
    mgn_q_inputs *in = p->rows->in;
    mgn_q_centre(p->rows, mgn_q_proto_rows(p));
    mgn_q_extent most = mgn_q_proto_extents(p);
    if (in->whole && f > 0 && mgn_q_one_factor(p->rows)) {
        const margin_real centred = most.vector;
        mgn_q_centre_at_zero(p->rows);
        most = mgn_q_proto_extents(p);
        if (most.data <= 8192 * f && most.length <= 8192 * f &&
            (p->rows->format == MARGIN_Q15 || most.vector <= 2 * centred)) {
            return MARGIN_OK;
        }
        mgn_q_centre(p->rows, mgn_q_proto_rows(p));
        most = mgn_q_proto_extents(p);
    }
    in->unit = mgn_max(most.data, most.length) / 8192;
    in->unit = in->unit > 0 ? in->unit : 1;
    if (!mgn_finite(in->unit)) { /* a square has overflowed */
        return MARGIN_E_RANGE;
    }
    const margin_real unit = most.vector / 127;
    if (p->rows->format == MARGIN_Q7 && unit > 0) { in->unit = mgn_q_doubled(unit, in->unit); }
    return mgn_q_inputs_make(p->rows);
}

/* The centroid of model m in units of 2^shift inputs, and its constant: |c|^2 2^up, rounded up. */
static void mgn_q_proto_centroid(const mgn_q_proto_job *p, size_t m, int shift) {
    const mgn_q_rows *r = p->rows;
    const size_t v = m * mgn_q_proto_rows(p);
    const int32_t most = mgn_q_most(r->format);
    const margin_real step = margin_pow_int(2, shift);
    margin_real sum = 0;
    uint64_t first = 0;
    for (size_t k = 0; k < r->in->d; k++) {
        const int32_t q = mgn_q_round(mgn_q_vector(r, v, k) / (r->in->unit * step), -most, most);
        mgn_q_put_element(r, v, k, q);
        sum += (margin_real)q * (margin_real)q;
        first += k < mgn_q_proto_half(r->in->d) ? (uint64_t)((int64_t)q * q) : 0;
    }
    if (p->from->tangents == 0) { r->norms[m] = (uint16_t)mgn_q_proto_part(&p->made, first); }
    sum = sum * step * step * (margin_real)(UINT32_C(1) << p->made.up);
    sum += sum * 4 * MGN_EPS;
    p->constants[v] = mgn_q_round(sum + MGN_R(0.5), 0, INT32_MAX);
}

/* The tangents of model m, multiplied by as much as fits, and the gain that takes the squares of
 * their products back to distances. */
static void mgn_q_proto_tangents(const mgn_q_proto_job *p, size_t m, margin_real far) {
    const mgn_q_rows *r = p->rows;
    const size_t d = r->in->d, first = m * mgn_q_proto_rows(p);
    const margin_real *t = p->from->vectors + (first + 1u) * d;
    const int32_t most = mgn_q_most(r->format);
    margin_real size = margin_norm_inf(t, p->from->tangents * d), gain;
    uint8_t down = 0;
    size = mgn_min(size > 0 ? (margin_real)most / size : 1, MGN_R(1073741824.0) / far);
    gain = (margin_real)(UINT32_C(1) << p->made.up) / (size * size);
    for (; 4 * gain < 1 && down < 31u; down++) { gain *= 4; }
    p->downs[m] = down;
    r->norms[m] = (uint16_t)mgn_q_round(gain * 65536, 0, 65535);
    for (size_t j = 0; j < p->from->tangents; j++) {
        margin_real fixed = 0;
        for (size_t k = 0; k < d; k++) {
            const int32_t q = mgn_q_round(t[j * d + k] * size, -most, most);
            mgn_q_put_element(r, first + 1u + j, k, q);
            fixed += (margin_real)q * mgn_q_vector(r, first, k) / r->in->unit;
        }
        fixed -= down > 0 ? (margin_real)(UINT32_C(1) << (down - 1u)) : 0; /* to round */
        p->constants[first + 1u + j] = mgn_q_round(fixed, -INT32_MAX, INT32_MAX);
    }
}

/* What does not depend on units. */
static void mgn_q_proto_fill(const mgn_q_proto_job *p, margin_proto_q *q) {
    for (size_t c = 0; c < p->from->vote.classes; c++) {
        p->rows->class_end[c] = (uint16_t)p->from->class_end[c];
    }
    q->vectors = p->rows->vectors;
    q->constants = p->constants;
    q->gains = p->rows->norms;
    q->downs = p->from->tangents > 0 ? p->downs : NULL;
    q->class_end = p->rows->class_end;
    q->n = (uint16_t)p->from->n;
    q->d = (uint16_t)p->from->d;
    q->tangents = (uint8_t)p->from->tangents;
    q->nth = (uint8_t)p->from->nth;
    q->format = (uint8_t)p->rows->format;
}

/* Chooses `up` as large as (reach + longest centroid)^2 2^up < 2^29 allows, with a reach of twice
 * the longest sample, whose squared length in units of the input becomes *data2, and the finest
 * unit of centroids at which they fit. */
static margin_status mgn_q_proto_make(mgn_q_proto_job *p, margin_real *data2) {
    const mgn_q_rows *r = p->rows;
    const margin_status status = mgn_q_proto_inputs(p);
    const mgn_q_extent most = mgn_q_proto_extents(p);
    const margin_real unit = r->in->unit, limit = (margin_real)mgn_q_most(r->format);
    const margin_real data = mgn_max(most.data / unit, 1), length = most.length / unit;
    const margin_real far = 2 * data + length;
    margin_proto_q *q = &p->made;
    int shift = 14, up = 0;
    while (shift > -12 && length <= 60000 * margin_pow_int(2, shift - 1) &&
           most.vector <= limit * unit * margin_pow_int(2, shift - 1)) {
        shift--;
    }
    while (up < 13 && far * far * margin_pow_int(2, up + 1) < MGN_R(536870912.0)) { up++; }
    shift = shift < -1 - up ? -1 - up : shift;
    if (status != MARGIN_OK) { return status; }
    /* In q7 a largest coordinate above 127 2^(s - 1) has the shift s, and as it is no more than
     * `far`, whose square is below 2^(29 - up), the sum of both and 1 is at most 15. */
    MARGIN_ASSERT(up + 1 + shift <= 15);
    for (size_t i = 0; i < r->n * (r->in->d + r->in->d % 2u); i++) {
        mgn_q_put(r->vectors, r->format, i, 0);
    }
    q->up = (uint8_t)up;
    q->left = (uint8_t)(up + 1 + shift);
    for (size_t m = 0; m < p->from->n; m++) {
        mgn_q_proto_centroid(p, m, shift);
        if (p->from->tangents > 0) { mgn_q_proto_tangents(p, m, far); }
    }
    mgn_q_proto_fill(p, q);
    p->unit = unit * unit / margin_pow_int(2, up);
    *data2 = data * data;
    return MARGIN_OK;
}

/* ---- projections ---- */

/* The rows of a projection are vectors with a threshold, as hinge units are, and have a grid each;
 * see there. With steps[r] for row r a number of z is unit steps[r] (q.x + b), and as an input of
 * the pool it is G[r] (q.x + b) with G[r] = unit steps[r] / (unit of the pool). Since all G are at
 * most 1, they are 2^-down times scales of 16 bits. */
typedef struct {
    mgn_q_rows rows; /* not in blocks */
    mgn_q_inputs in; /* the raw inputs */
    margin_expansion view;
    margin_real *steps;
    int32_t *bias; /* kept, as the next */
    uint16_t *scales;
} mgn_q_front_job;

static void mgn_q_front_shape(mgn_q_front_job *f, const margin_projected *p, unsigned format) {
    f->rows.from = &f->view;
    f->rows.in = &f->in;
    f->rows.format = format;
    f->in.projected = NULL;
    f->in.d = p->d;
    f->in.staged = false;
    f->in.least = 0;
    f->view.vectors = p->front;
    f->view.norms = p->front_bias;
    f->view.offset = p->offset;
    f->view.factor = p->factor;
    f->view.kernel.kind = MARGIN_KERNEL_LINEAR;
    f->view.n = p->pool.d;
    f->view.d = p->d;
}

static void mgn_q_front_plan(mgn_q_front_job *f, margin_arena *mem) {
    const size_t rank = f->view.vectors != NULL ? f->view.n : 0;
    f->rows.vectors =
        margin_arena_keep(mem, mgn_size_mul(rank, f->in.d), f->rows.format == MARGIN_Q15 ? 2u : 1u);
    f->bias = MGN_KEEP(mem, int32_t, rank);
    f->scales = MGN_KEEP(mem, uint16_t, rank);
    mgn_q_inputs_plan(&f->in, mem);
    f->steps = MGN_SCRATCH(mem, margin_real, rank);
}

/* Rows, biases and scales for the inputs that the pool takes; returns the shift. */
static uint8_t mgn_q_front_store(const mgn_q_front_job *f, const mgn_q_inputs *pool) {
    const unsigned format = f->rows.format;
    const int32_t limit = mgn_q_most(format);
    margin_real most = 0, up = 65536;
    uint8_t down = 0;
    for (size_t r = 0; r < f->view.n; r++) { most = mgn_max(most, f->steps[r]); }
    most *= f->in.unit / pool->unit;
    for (; down < 31u && 2 * most <= 1; down++) {
        most *= 2;
        up *= 2;
    }
    for (size_t r = 0; r < f->view.n; r++) {
        const margin_real grain = f->in.unit * f->steps[r], gain = grain / pool->unit;
        const margin_real bias =
            (mgn_q_hinge_threshold(&f->rows, r) - pool->offset[r]) / grain + MGN_R(0.5) / gain;
        f->bias[r] = mgn_q_round(bias, -INT32_MAX, INT32_MAX);
        f->scales[r] = (uint16_t)mgn_q_round(gain * up, 1, 65535);
        for (size_t i = r * f->in.d; i < (r + 1u) * f->in.d; i++) {
            const int32_t q = mgn_q_round(f->view.vectors[i] / f->steps[r], -limit, limit);
            mgn_q_put(f->rows.vectors, format, i, q);
        }
    }
    return down;
}

/* ---- the whole ---- */

/* One quantisation: what all kinds of models have, and the jobs of the kinds. */
typedef struct {
    const margin_model *from;
    const margin_vote *vote;
    const margin_projected *projected; /* NULL: no projection */
    const margin_projected *picked;    /* the same, if features are picked; then of these: */
    margin_real *own_offset, *own_factor;
    uint8_t *mask;           /* kept */
    const margin_list *list; /* NULL: no list; its arrays: */
    uint16_t *reach;         /* kept, as the next */
    uint8_t *target;
    unsigned format;
    size_t machines;
    int32_t *bias;  /* kept; prototypes have their constants there */
    int16_t *curve; /* kept, if there is one */
    margin_real unit;
    margin_real *scores, *differ; /* machines: answers to a sample; mean differences of these */
    int32_t *scores_q;            /* machines */
    mgn_q_inputs in;
    margin_expansion view; /* of a list's pool, or of the rows of prototypes */
    uint32_t end;          /* of the classes in a pool that has none */
    mgn_q_linear_job linear;
    mgn_q_rows rows;
    mgn_q_pool_job pool;
    mgn_q_proto_job proto;
    mgn_q_front_job front;
} mgn_q_job;

/* Which jobs a model makes, and of what. */
static void mgn_q_job_kind(mgn_q_job *job, const margin_model *from) {
    const margin_proto *p = &from->of.proto;
    const bool proto = from->kind == MARGIN_MODEL_PROTO;
    job->from = from;
    job->vote = margin_model_vote(from);
    job->projected = from->kind == MARGIN_MODEL_PROJECTED ? &from->of.projected : NULL;
    job->picked = job->projected != NULL && job->projected->picked != NULL ? job->projected : NULL;
    job->list = from->kind == MARGIN_MODEL_LIST ? &from->of.list : NULL;
    job->linear.from = from->kind == MARGIN_MODEL_LINEAR ? &from->of.linear : NULL;
    job->proto.from = proto ? p : NULL;
    job->rows.from = mgn_model_pool(from);
    job->machines = margin_machines(job->vote->scheme, job->vote->classes);
    if (proto) { /* their rows as vectors of an expansion, for what the two have in common */
        job->rows.from = &job->view;
        job->view.vectors = p->vectors;
        job->view.offset = p->offset;
        job->view.factor = p->factor;
        job->view.n = mgn_size_mul(p->n, 1u + (size_t)p->tangents);
        job->view.d = p->d;
        job->view.width = 0;
        job->view.kernel.kind = MARGIN_KERNEL_RBF;
    } else if (job->picked != NULL) { /* an expansion of few features, scaled as these are */
        job->view = job->picked->pool;
        job->rows.from = &job->view;
    } else if (job->list != NULL) {
        job->view = job->list->pool;
        job->end = (uint32_t)job->view.n;
        job->view.class_end = &job->end;
        job->rows.from = &job->view;
        job->machines = job->view.width;
        if (job->view.kernel.kind == MARGIN_KERNEL_LINEAR) {
            job->linear.from = &job->linear.cuts;
            job->linear.cuts.d = job->view.d;
            job->linear.cuts.vote = job->view.vote;
        }
    }
}

/* Whether whole numbers may go in as they are: picked features have no stage. */
static bool mgn_q_picked_whole(const margin_projected *p) {
    margin_real first = 0;
    bool same = true;
    for (size_t k = 0; p->offset != NULL && k < p->d; k++) {
        if (!mgn_is_picked(p->picked, k)) { continue; }
        first = first > 0 ? first : p->factor[k];
        same = same && mgn_abs(p->factor[k] - first) <= first / 4096;
    }
    return same;
}

static bool mgn_kind_known(unsigned kind) {
    return kind >= MARGIN_MODEL_LINEAR && kind <= MARGIN_MODEL_PROJECTED;
}

static margin_status mgn_q_job_shape(mgn_q_job *job, const margin_model *from,
                                     const margin_quant_options *options) {
    if (from == NULL || !mgn_kind_known(from->kind)) { return MARGIN_E_ARGUMENT; }
    mgn_q_job_kind(job, from);
    const bool linear = job->linear.from != NULL;
    const bool whole = options != NULL && options->whole &&
                       (job->picked == NULL || mgn_q_picked_whole(job->picked));
    const bool pool = from->kind == MARGIN_MODEL_EXPANSION || job->projected != NULL;
    const margin_expansion *e = job->rows.from;
    job->format = options == NULL || options->format == 0 ? (unsigned)MARGIN_Q15 : options->format;
    job->in.projected = job->projected;
    job->in.whole = whole && (job->projected == NULL || job->picked != NULL);
    job->in.least = 0;
    job->in.staged = false;
    job->in.d = linear ? job->linear.from->d : e->d;
    job->pool.hinge = pool && e->kernel.kind == MARGIN_KERNEL_HINGE;
    job->rows.n = linear ? 0 : job->pool.hinge ? e->n : mgn_size_up(e->n, MGN_Q_BLOCK);
    job->pool.width = linear ? 0 : e->width;
    if ((job->format != MARGIN_Q15 && job->format != MARGIN_Q7) ||
        (!linear && e->kernel.kind == MARGIN_KERNEL_LINEAR)) {
        return MARGIN_E_ARGUMENT;
    }
    job->pool.narrow = job->format == MARGIN_Q7 &&
                       (job->pool.hinge || (pool && job->vote->scheme == MARGIN_SCHEME_ONE_REST));
    if (job->projected != NULL) {
        mgn_q_front_shape(&job->front, job->projected, job->format);
        job->front.in.whole = whole;
        if (job->front.in.d >= UINT16_MAX) { return MARGIN_E_RANGE; }
    }
    const bool fits =
        job->rows.n <= UINT16_MAX && job->in.d < UINT16_MAX && job->machines <= UINT16_MAX;
    const bool hinges = job->list != NULL && e->kernel.kind == MARGIN_KERNEL_HINGE;
    return fits && !hinges ? MARGIN_OK : MARGIN_E_RANGE;
}

/* Takes the memory of all kinds; what a kind has no use for has no elements. */
static void mgn_q_job_plan(mgn_q_job *job, margin_arena *mem) {
    const bool linear = job->linear.from != NULL;
    const margin_proto *proto = job->proto.from;
    const size_t d = job->in.d, n = job->rows.n, cuts = job->list != NULL ? job->machines : 0;
    const bool steps = job->format == MARGIN_Q7 && !linear && proto == NULL &&
                       job->rows.from->kernel.kind == MARGIN_KERNEL_RBF;
    const size_t rows = cuts > 0 ? cuts : mgn_functions(job->vote->scheme, job->vote->classes);
    const size_t values = mgn_size_mul(linear ? rows : n, d + d % 2u);
    job->rows.vectors = margin_arena_keep(mem, values, job->format == MARGIN_Q15 ? 2u : 1u);
    job->rows.norms = MGN_KEEP(mem, uint16_t, proto != NULL ? proto->n : n);
    job->pool.coef =
        margin_arena_keep(mem, mgn_size_mul(n, job->pool.width), job->pool.narrow ? 1u : 2u);
    const size_t scales = job->pool.narrow && !job->pool.hinge ? job->machines : 0;
    job->pool.scales = MGN_KEEP(mem, uint16_t, scales);
    job->pool.own = MGN_KEEP(mem, uint16_t, steps ? n : 0);
    job->linear.scales = MGN_KEEP(mem, uint16_t, linear && cuts == 0 && rows > 1u ? rows : 0);
    job->bias = MGN_KEEP(mem, int32_t, proto != NULL ? job->rows.from->n : job->machines);
    job->proto.downs = MGN_KEEP(mem, uint8_t, proto != NULL ? proto->n : 0);
    job->rows.class_end = MGN_KEEP(mem, uint16_t, linear || cuts > 0 ? 0 : job->vote->classes);
    job->reach = MGN_KEEP(mem, uint16_t, cuts);
    job->target = MGN_KEEP(mem, uint8_t, cuts);
    job->curve = MGN_KEEP(mem, int16_t, job->vote->curve != NULL ? MARGIN_CURVE : 0);
    job->mask = MGN_KEEP(mem, uint8_t, job->picked != NULL ? (job->picked->d + 7u) / 8u : 0);
    mgn_q_inputs_plan(&job->in, mem);
    job->linear.weights = MGN_SCRATCH(mem, margin_real, linear ? mgn_size_mul(cuts, d) : 0);
    job->linear.biases = MGN_SCRATCH(mem, margin_real, linear ? cuts : 0);
    job->linear.lifts = MGN_SCRATCH(mem, margin_real, linear ? job->machines : 0);
    job->scores = MGN_SCRATCH(mem, margin_real, job->machines);
    job->differ = MGN_SCRATCH(mem, margin_real, job->machines);
    job->pool.tops = MGN_SCRATCH(mem, margin_real, job->machines);
    job->pool.steps = MGN_SCRATCH(mem, margin_real, job->pool.hinge ? n : 0);
    job->scores_q = MGN_SCRATCH(mem, int32_t, job->machines);
    job->own_offset = MGN_SCRATCH(mem, margin_real, job->picked != NULL ? d : 0);
    job->own_factor = MGN_SCRATCH(mem, margin_real, job->picked != NULL ? d : 0);
    if (job->projected != NULL) { mgn_q_front_plan(&job->front, mem); }
}

/* Hands to each job what it shares with the others. */
static void mgn_q_job_start(mgn_q_job *job, const margin_data *data) {
    const margin_kernel_q none = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    job->in.data = job->front.in.data = data;
    job->linear.in = job->rows.in = &job->in;
    job->linear.format = job->rows.format = job->format;
    job->linear.machines = job->pool.machines = job->machines;
    job->linear.rows = mgn_functions(job->vote->scheme, job->vote->classes);
    job->linear.w = job->rows.vectors;
    job->linear.bias = job->pool.bias = job->proto.constants = job->bias;
    job->pool.rows = job->proto.rows = &job->rows;
    job->pool.sums = job->scores;
    job->pool.sizes = job->differ;
    job->pool.stepped = false;
    job->pool.kernel = none;
    job->pool.kernel.step = job->linear.from == NULL ? 1u : 0;
    if (job->list != NULL) { job->rows.class_end = NULL; }
    if (job->picked != NULL && job->picked->offset != NULL) {
        mgn_q_gather(job->picked, job->picked->offset, job->own_offset);
        mgn_q_gather(job->picked, job->picked->factor, job->own_factor);
        job->view.offset = job->own_offset;
        job->view.factor = job->own_factor;
    }
    job->unit = 1; /* of a model that is refused before it has one */
}

static margin_vote_q mgn_q_vote(const margin_vote *vote, size_t machines, margin_real unit,
                                int16_t *curve) {
    margin_vote_q q = {0, 0, 0, 0, 0, 0, 0, 0, NULL};
    if (vote->scheme == MARGIN_SCHEME_NEAREST && vote->classes > 1u) {
        unit = MGN_R(1.0) / 32768; /* margins of distances have no unit */
    }
    margin_real slope = vote->slope * unit * MGN_INV_LN2 * MGN_R(33554432.0);
    q.classes = vote->classes;
    q.machines = (uint16_t)machines;
    q.scheme = vote->scheme;
    if (vote->reject > 0) { q.reject = mgn_q_round(vote->reject / unit, 1, INT32_MAX); }
    for (; slope != 0 && mgn_abs(slope) < 16384 && q.down < 31u; q.down++) { slope *= 2; }
    q.slope = (int16_t)mgn_q_round(slope, -32767, 32767);
    q.shift = mgn_q_round(vote->shift * MGN_INV_LN2 * MGN_R(33554432.0), -(INT32_C(1) << 30),
                          INT32_C(1) << 30);
    q.include = (uint16_t)(vote->include * 32768); /* rounded down: sets are rather too large */
    for (size_t i = 0; vote->curve != NULL && i < MARGIN_CURVE; i++) {
        curve[i] = (int16_t)mgn_q_round(vote->curve[i] * MGN_INV_LN2 * 4096, -32767, 32767);
    }
    q.curve = vote->curve != NULL ? curve : NULL;
    return q;
}

static margin_expansion_q mgn_q_pool_model(const mgn_q_job *job) {
    const mgn_q_pool_job *p = &job->pool;
    const bool linear = job->linear.from != NULL;
    margin_expansion_q e;
    e.vectors = job->rows.vectors;
    e.norms = p->kernel.kind != MARGIN_KERNEL_POLY && !linear ? job->rows.norms : NULL;
    e.coef = linear ? NULL : p->coef;
    e.scales = p->narrow && !p->hinge ? p->scales : NULL;
    e.bias = job->bias;
    e.class_end = job->rows.class_end;
    e.stage = mgn_q_stage(&job->in);
    e.n = (uint16_t)job->rows.n;
    e.d = (uint16_t)job->in.d;
    e.width = (uint16_t)(job->list != NULL ? job->machines : p->width);
    e.format = (uint8_t)job->format;
    e.kernel = p->kernel;
    e.vote = mgn_q_vote(job->vote, job->list != NULL ? 1u : job->machines, job->unit, job->curve);
    e.steps = p->stepped ? p->own : NULL;
    return e;
}

/* The model, if it passes its check. */
static margin_status mgn_q_checked(const mgn_q_job *job, margin_status status,
                                   margin_model_q *model) {
    /* The model of what the jobs have made; a pool behind a projection becomes an expansion. */
    model->kind = job->projected == NULL ? job->from->kind : (uint8_t)MARGIN_MODEL_EXPANSION;
    if (job->list != NULL) {
        /* Reaches are rounded up to blocks: coefficients beyond a reach are 0. */
        margin_list_q *list = &model->of.list;
        list->pool = mgn_q_pool_model(job);
        list->reach = job->linear.from == NULL ? job->reach : NULL;
        list->target = job->target;
        for (size_t j = 0; j < job->machines; j++) {
            const size_t blocks = ((size_t)job->list->reach[j] + MGN_Q_BLOCK - 1u) / MGN_Q_BLOCK;
            job->reach[j] = (uint16_t)(blocks * MGN_Q_BLOCK);
            job->target[j] = (uint8_t)job->list->target[j];
        }
    } else if (job->linear.from != NULL) {
        margin_linear_q *l = &model->of.linear;
        l->w = job->linear.w;
        l->bias = job->bias;
        l->stage = mgn_q_stage(&job->in);
        l->d = (uint16_t)job->in.d;
        l->format = (uint8_t)job->format;
        l->vote = mgn_q_vote(job->vote, job->machines, job->unit, job->curve);
        l->scales = job->linear.scaled ? job->linear.scales : NULL;
    } else if (job->proto.from != NULL) {
        model->of.proto = job->proto.made;
        model->of.proto.stage = mgn_q_stage(&job->in);
        model->of.proto.vote = mgn_q_vote(job->vote, job->machines, job->unit, job->curve);
    } else {
        model->of.expansion = mgn_q_pool_model(job);
    }
    return status == MARGIN_OK ? margin_model_check_q(model) : status;
}

/* Makes prototypes. The reach is lowered until the model passes its check, but not below the
 * longest sample: 4 (3/4)^4 > 1. */
static margin_status mgn_q_make_proto(mgn_q_job *job, margin_model_q *model) {
    margin_real data2 = 0;
    margin_status status = mgn_q_proto_make(&job->proto, &data2);
    if (status != MARGIN_OK) { return status; }
    margin_real reach = 4 * data2;
    job->unit = job->proto.unit;
    status = MARGIN_E_RANGE;
    for (unsigned step = 0; step < 5u && status != MARGIN_OK; step++) {
        job->proto.made.reach = (uint32_t)mgn_min(reach, MGN_R(1073741824.0));
        status = mgn_q_checked(job, MARGIN_OK, model);
        reach *= MGN_R(0.75);
    }
    return status;
}

/* Makes the model. For expansions the shift `down` grows until all sums fit. */
static margin_status mgn_q_make(mgn_q_job *job, margin_model_q *model) {
    margin_status status = MARGIN_E_RANGE;
    if (job->linear.from != NULL) {
        if (job->list != NULL) { mgn_q_list_weights(&job->linear, job->list); }
        job->linear.unit = job->unit;
        status = mgn_q_linear_make(&job->linear);
        job->unit = job->linear.unit;
        return mgn_q_checked(job, status, model);
    }
    if (job->proto.from != NULL) { return mgn_q_make_proto(job, model); }
    job->pool.unit = job->unit;
    if (mgn_q_prepare_kernel(&job->pool) != MARGIN_OK) { return status; }
    mgn_q_choose_down(&job->pool);
    for (; job->pool.kernel.down < 24u && status == MARGIN_E_RANGE; job->pool.kernel.down++) {
        job->in.staged = false;
        status = mgn_q_pool_make(&job->pool);
        job->unit = job->pool.unit;
        status = mgn_q_checked(job, status, model);
    }
    return status;
}

/* Makes the pool behind its projection. Its unit is not below that at which the largest G is 1.
 * Sums of the projection have twice the room, because the offset of z is added to the biases
 * later. */
static margin_status mgn_q_make_projected(mgn_q_job *job, margin_model_q *model) {
    const mgn_q_front_job *f = &job->front;
    margin_projected_q p;
    margin_status status = mgn_q_hinge_inputs(&f->rows);
    for (size_t r = 0; status == MARGIN_OK && r < f->view.n; r++) {
        f->steps[r] = mgn_q_grid(&f->rows, r, 2);
        job->in.least = mgn_max(job->in.least, f->in.unit * f->steps[r]);
    }
    /* A row of zeros has any grid, but must not make those of the others coarser. */
    const margin_real any = job->in.least > 0 ? job->in.least : 1;
    for (size_t r = 0; status == MARGIN_OK && r < f->view.n; r++) {
        if (!(f->steps[r] > 0)) { f->steps[r] = any / f->in.unit; }
        job->in.least = any;
    }
    status = status == MARGIN_OK ? mgn_q_make(job, model) : status;
    if (status != MARGIN_OK) { return status; }
    p.pool = model->of.expansion;
    p.pool.stage = mgn_q_stage(&f->in);
    p.front_down = mgn_q_front_store(f, &job->in);
    p.front = f->rows.vectors;
    p.front_bias = f->bias;
    p.front_scales = f->scales;
    p.picked = NULL;
    p.d = (uint16_t)f->in.d;
    model->kind = MARGIN_MODEL_PROJECTED;
    model->of.projected = p;
    return margin_model_check_q(model);
}

/* Makes the pool of picked features, whose inputs are those of the raw features. */
static margin_status mgn_q_make_picked(mgn_q_job *job, margin_model_q *model) {
    const mgn_q_inputs *raw = &job->front.in;
    const margin_status status = mgn_q_make(job, model);
    margin_projected_q p = {model->of.expansion, NULL, NULL, NULL, 0, 0, NULL};
    if (status != MARGIN_OK) { return status; }
    for (size_t k = 0, r = 0; k < raw->d; k++) {
        const bool picked = mgn_is_picked(job->picked->picked, k);
        raw->offset[k] = picked ? job->in.offset[r] : 0;
        raw->factor[k] = picked ? job->in.factor[r] : 0;
        r += picked ? 1u : 0;
    }
    for (size_t i = 0; i < (raw->d + 7u) / 8u; i++) { job->mask[i] = job->picked->picked[i]; }
    p.d = (uint16_t)raw->d;
    p.picked = job->mask;
    model->kind = MARGIN_MODEL_PROJECTED;
    model->of.projected = p;
    return margin_model_check_q(model);
}

/* The inputs that raw values become. */
static mgn_q_inputs *mgn_q_raw(mgn_q_job *job) {
    return job->projected != NULL ? &job->front.in : &job->in;
}

/* Finds the ranges of the data, then makes the model. Images refuse a unit of the scores or a
 * conversion of inputs that is not finite. */
static margin_status mgn_q_run(mgn_q_job *job, margin_model_q *model) {
    const mgn_q_inputs *raw = mgn_q_raw(job);
    if (!mgn_q_ranges(&job->in) || (job->projected != NULL && !mgn_q_ranges(raw))) {
        return MARGIN_E_RANGE;
    }
    const margin_status status = job->picked != NULL      ? mgn_q_make_picked(job, model)
                                 : job->projected != NULL ? mgn_q_make_projected(job, model)
                                                          : mgn_q_make(job, model);
    if (status == MARGIN_OK &&
        (!mgn_finite(job->unit) || (!raw->whole && (!mgn_all_finite(raw->offset, raw->d) ||
                                                    !mgn_all_finite(raw->factor, raw->d))))) {
        return MARGIN_E_RANGE;
    }
    return status;
}

/* ---- what it has changed ---- */

/* Scores of all machines or cuts at a sample, in job->scores and job->scores_q; whether the
 * integers elect another class. */
static bool mgn_q_labels_differ(const mgn_q_job *job, const margin_model_q *model,
                                const margin_real *x, const int16_t *in) {
    const margin_vote *vote = job->vote;
    margin_scores_q(model, in, job->scores_q);
    margin_scores(job->from, x, job->scores);
    const bool differ = margin_elect(vote->scheme, vote->classes, job->scores) !=
                        margin_elect_q(vote->scheme, vote->classes, job->scores_q);
    if (job->list != NULL) { /* all cuts are compared, not the answer alone */
        const margin_expansion *e = &job->list->pool;
        const margin_expansion_q *pool = &model->of.list.pool;
        margin_model_q cuts;
        for (size_t j = 0; j < job->machines; j++) { job->scores[j] = e->bias[j]; }
        const mgn_question at = {e, x, mgn_expansion_norm(e, x)};
        mgn_list_add(&at, 0, e->n, 0, job->scores);
        cuts.kind = MARGIN_MODEL_EXPANSION;
        cuts.of.expansion = *pool;
        cuts.of.expansion.vote.machines = pool->width;
        if (job->linear.from != NULL) {
            const margin_linear_q rows = {pool->vectors, pool->bias,   NULL,
                                          pool->d,       pool->format, cuts.of.expansion.vote,
                                          NULL};
            cuts.kind = MARGIN_MODEL_LINEAR;
            cuts.of.linear = rows;
        }
        margin_scores_q(&cuts, in, job->scores_q);
    }
    return differ;
}

/* Compares scores and labels on the data; in job->differ the mean differences of the machines. */
static void mgn_q_measure(mgn_q_job *job, const margin_quant *quant, margin_quant_info *info) {
    const margin_quant_info none = {0, 0, 0, 0, 0};
    const mgn_q_inputs *raw = mgn_q_raw(job);
    margin_real count = 0, rows = 0;
    *info = none;
    for (size_t j = 0; j < job->machines; j++) { job->differ[j] = 0; }
    for (size_t i = 0; i < raw->data->n; i++) {
        const margin_real *x = mgn_sample(raw->data, i);
        bool limited = false;
        if (mgn_weight(raw->data, i) <= 0) { continue; }
        rows += 1;
        margin_input_q(&quant->input, x, raw->x);
        const int16_t *in = margin_prepare_q(mgn_q_stage(raw), raw->d, raw->x, raw->work);
        info->disagree += mgn_q_labels_differ(job, &quant->model, x, in) ? 1u : 0u;
        for (size_t k = 0; k < raw->d; k++) {
            limited = limited || in[k] == INT16_MAX || in[k] == INT16_MIN;
        }
        info->limited += limited ? 1u : 0u;
        for (size_t j = 0; j < job->machines; j++) {
            const margin_real s = job->scores[j];
            const margin_real differ = s - (margin_real)job->scores_q[j] * quant->unit;
            count += 1;
            info->worst = mgn_max(info->worst, mgn_abs(differ));
            info->mean += (mgn_abs(differ) - info->mean) / count;
            info->scale += (mgn_abs(s) - info->scale) / count;
            job->differ[j] += (differ - job->differ[j]) / rows;
        }
    }
}

/* Takes the mean differences off by changing the biases, where the model still passes its check. */
static void mgn_q_correct(const mgn_q_job *job, const margin_quant *quant) {
    const bool ordinal = job->vote->scheme == MARGIN_SCHEME_ORDINAL;
    if (job->proto.from != NULL) { return; }
    if (ordinal) { /* these machines share one function: one shift serves all, and keeps order */
        const int32_t room = INT32_C(1) << 30;
        const int32_t shift = mgn_q_round(job->differ[0] / quant->unit, -room, room);
        if (job->bias[0] >= room || job->bias[job->machines - 1u] <= -room) { return; }
        for (size_t j = 0; j < job->machines; j++) { job->bias[j] += shift; }
        const bool kept = margin_model_check_q(&quant->model) == MARGIN_OK;
        for (size_t j = 0; !kept && j < job->machines; j++) { job->bias[j] -= shift; }
    }
    for (size_t j = 0; !ordinal && j < job->machines; j++) {
        const int32_t before = job->bias[j];
        const margin_real lift = job->linear.from != NULL ? job->linear.lifts[j] : 1;
        job->bias[j] = mgn_q_round((margin_real)before + job->differ[j] * lift / quant->unit,
                                   -INT32_MAX, INT32_MAX);
        if (margin_model_check_q(&quant->model) != MARGIN_OK) { job->bias[j] = before; }
    }
}

MARGIN_API margin_status margin_quantize(const margin_model *model, const margin_data *data,
                                         const margin_quant_options *options, margin_arena *mem,
                                         margin_quant *quant, margin_quant_info *info) {
    mgn_q_job job;
    margin_quant made;
    margin_quant_info found;
    margin_status status = mgn_q_job_shape(&job, model, options);
    if (status != MARGIN_OK || mgn_mem_check(mem) != MARGIN_OK || quant == NULL) {
        return mgn_both(status, MARGIN_E_ARGUMENT);
    }
    status = margin_data_check(data);
    if (status != MARGIN_OK) { return status; }
    if (data->d != mgn_model_d(model)) { return MARGIN_E_ARGUMENT; }
    margin_arena before = *mem;
    const mgn_q_inputs *raw = mgn_q_raw(&job);
    mgn_q_job_plan(&job, mem);
    if (mem->failed != 0) { return margin_arena_rewind(mem, &before); }
    mgn_q_job_start(&job, data);
    status = mgn_q_run(&job, &made.model);
    if (status != MARGIN_OK) {
        (void)margin_arena_rewind(mem, &before);
        return status;
    }
    made.input.d = raw->d;
    made.input.offset = raw->whole ? NULL : raw->offset;
    made.input.factor = raw->whole ? NULL : raw->factor;
    made.unit = job.unit;
    mgn_q_measure(&job, &made, &found);
    mgn_q_correct(&job, &made);
    mgn_q_measure(&job, &made, &found);
    margin_arena_release(mem, before.high);
    mem->low = raw->staged || !raw->whole ? mem->low : raw->mark;
    *quant = made;
    if (info != NULL) { *info = found; }
    return MARGIN_OK;
}

MARGIN_API size_t margin_quantize_size(const margin_model *model,
                                       const margin_quant_options *options) {
    margin_arena dry = margin_arena_counting();
    mgn_q_job job;
    if (mgn_q_job_shape(&job, model, options) != MARGIN_OK) { return 0; }
    mgn_q_job_plan(&job, &dry);
    return mgn_arena_counted(&dry);
}

/* ---- >>store ---- images written, and scalings folded into models ---------------------------- */

/* ---- writing ---- */

static void mgn_put16(unsigned char *p, uint32_t v) {
    p[0] = (unsigned char)(v & 0xFFu);
    p[1] = (unsigned char)(v >> 8 & 0xFFu);
}

static void mgn_put32(unsigned char *p, uint32_t v) {
    mgn_put16(p, v);
    mgn_put16(p + 2, v >> 16);
}

static void mgn_put_bits(unsigned char *p, float v) {
    mgn_float word;
    word.real = v;
    mgn_put32(p, word.bits);
}

/* Writes a number as binary32. Returns `before`, or false if the number does not fit. */
static bool mgn_put_real(unsigned char *p, margin_real v, bool before) {
    const bool fits = mgn_abs(v) <= MGN_R(FLT_MAX);
    mgn_put_bits(p, fits ? (float)v : 0.0f);
    return fits && before;
}

static const void *mgn_visit_write(mgn_walk *walk, const void *v, unsigned type, size_t count) {
    unsigned char *p = walk->image + walk->at;
    for (size_t i = 0; i < count; i++, p += mgn_element(type)) {
        if (type == MGN_REALS) {
            walk->fits = mgn_put_real(p, ((const margin_real *)v)[i], walk->fits);
        }
        if (type == MGN_WORDS) { mgn_put32(p, ((const uint32_t *)v)[i]); }
        if (type == MGN_HALVES) { mgn_put16(p, ((const uint16_t *)v)[i]); }
        if (type == MGN_BYTES) { *p = ((const unsigned char *)v)[i]; }
    }
    for (size_t i = mgn_element(type) * count; i % 4u != 0; i++) { *p++ = 0; }
    return v;
}

/* Writes the squared lengths of the vectors. They are computed in binary32 from the values that the
 * image has, so that a predictor in float finds the bits it would compute. The thresholds of hinge
 * units, which stand in their place, are written with the other arrays. */
static bool mgn_put_norms(unsigned char *p, const margin_expansion *e) {
    const size_t n = e->kernel.kind == MARGIN_KERNEL_HINGE ? 0 : e->n;
    bool fits = true;
    for (size_t v = 0; v < n; v++, p += 4) {
        float norm = 0;
        for (size_t k = 0; k < e->d; k++) {
            const float x = (float)e->vectors[v * e->d + k];
            norm += x * x;
        }
        mgn_put_bits(p, norm);
        fits = fits && norm <= FLT_MAX;
    }
    return fits;
}

/* Writes a count of 16 bits. Returns `before`, or false if the count does not fit. */
static bool mgn_put_half(unsigned char *p, size_t v, bool before) {
    mgn_put16(p, (uint16_t)v);
    return v <= UINT16_MAX && before;
}

#define MGN_PUT_OF(counts, bytes, get, put, at, v) put;
#define MGN_PUT_N(field, type, place) MGN_T_##type(MGN_PUT_OF, (p + (place)), m->field)
#define MGN_PUT_CASE(number, type, member, FIELDS)                                                 \
    case number: {                                                                                 \
        const type *m = &model->of.member;                                                         \
        FIELDS(MGN_SKIP_A, MGN_PUT_N, MGN_SKIP_S)                                                  \
        break;                                                                                     \
    }

/* Writes what the heads of all kinds share, if an image of head->bytes has room in `size` bytes. */
static margin_status mgn_put_head(unsigned char *p, const mgn_image_head *head, size_t size) {
    if (head->bytes == 0) { return MARGIN_E_OVERFLOW; }
    if (size < head->bytes) { return MARGIN_E_MEMORY; }
    mgn_clear(p, MARGIN_IMAGE_HEAD);
    mgn_put32(p, UINT32_C(0x1A6E676D));
    mgn_put16(p + 4, MARGIN_IMAGE_VERSION);
    p[6] = head->kind;
    mgn_put32(p + 8, (uint32_t)head->bytes);
    p[31] = head->flags;
    mgn_put32(p + 56, (uint32_t)head->notes);
    return MARGIN_OK;
}

/* Ends an image with its notes and checksum, unless a number did not fit its type there. */
static margin_status mgn_put_end(unsigned char *p, const mgn_image_head *head, const void *notes,
                                 bool fits) {
    if (!fits) { return MARGIN_E_RANGE; }
    for (size_t i = 0; i < head->notes; i++) {
        p[head->bytes - head->notes + i] = ((const unsigned char *)notes)[i];
    }
    mgn_put32(p + 12, mgn_image_crc(p, head->bytes));
    return MARGIN_OK;
}

/* The bytes of an image with its notes; 0 if they are more than 32 bits or a size_t can count. */
static size_t mgn_image_bytes(size_t before, size_t notes) {
    const size_t bytes = mgn_size_add(before, notes);
    return bytes == SIZE_MAX || (size_t)(uint32_t)bytes != bytes ? 0 : bytes;
}

MARGIN_API size_t margin_image_size(const margin_model *model, size_t notes) {
    mgn_walk walk = mgn_walk_make(mgn_visit_none, MARGIN_IMAGE_HEAD);
    if (model == NULL || !mgn_kind_known(model->kind)) { return 0; }
    mgn_image_head head = mgn_head_of(model);
    margin_model copy = *model;
    mgn_walk_model(&walk, &head, &copy);
    return mgn_image_bytes(walk.at, notes);
}

MARGIN_API margin_status margin_image_write(const margin_model *model, const void *notes,
                                            size_t notes_count, void *out, size_t size) {
    unsigned char *p = (unsigned char *)out;
    margin_status status = margin_model_check(model);
    if (status != MARGIN_OK || out == NULL || (notes == NULL && notes_count != 0)) {
        return mgn_both(status, MARGIN_E_ARGUMENT);
    }
    mgn_image_head head = mgn_head_of(model), *h = &head;
    head.notes = notes_count;
    head.bytes = margin_image_size(model, notes_count);
    status = mgn_put_head(p, h, size);
    if (status != MARGIN_OK) { return status; }
    mgn_walk walk = mgn_walk_make(mgn_visit_write, MARGIN_IMAGE_HEAD);
    const margin_expansion *e = mgn_model_pool(model);
    margin_model copy = *model;
    bool fits = true;
    switch (head.kind) {
        MGN_KINDS(MGN_PUT_CASE)
    default:
        break;
    }
    walk.image = p;
    mgn_walk_model(&walk, h, &copy);
    if (e != NULL) { fits = mgn_put_norms(p + MARGIN_IMAGE_HEAD + 4u * e->n * e->d, e) && fits; }
    return mgn_put_end(p, h, notes, fits && walk.fits);
}

/* ---- writing integer models ---- */

/* The head of a model and its conversion; and a walk over copies of both. */
static mgn_image_head mgn_head_of_quant(const margin_quant *quant) {
    mgn_image_head head = mgn_head_of_q(&quant->model);
    head.flags = (uint8_t)(head.flags | (quant->input.offset != NULL ? MGN_FLAG_INPUT : 0));
    return head;
}

static void mgn_walk_copy_q(mgn_walk *walk, const margin_quant *quant, const mgn_image_head *h) {
    margin_quant copy = *quant;
    margin_stage_q stage = mgn_stage_in(h, &copy.model);
    mgn_walk_quant(walk, h, &copy, &stage);
}

MARGIN_API size_t margin_image_size_q(const margin_quant *quant, size_t notes) {
    mgn_walk walk = mgn_walk_make(mgn_visit_none, MGN_IMAGE_HEAD_Q);
    if (quant == NULL || !mgn_kind_known(quant->model.kind)) { return 0; }
    mgn_image_head head = mgn_head_of_quant(quant);
    mgn_walk_copy_q(&walk, quant, &head);
    return mgn_image_bytes(walk.at, notes);
}

MARGIN_API margin_status margin_image_write_q(const margin_quant *quant, const void *notes,
                                              size_t notes_count, void *out, size_t size) {
    unsigned char *p = (unsigned char *)out;
    if (quant == NULL || (quant->input.offset == NULL) != (quant->input.factor == NULL)) {
        return MARGIN_E_ARGUMENT;
    }
    margin_status status = margin_model_check_q(&quant->model);
    if (status != MARGIN_OK || out == NULL || (notes == NULL && notes_count != 0)) {
        return mgn_both(status, MARGIN_E_ARGUMENT);
    }
    mgn_image_head head = mgn_head_of_quant(quant), *h = &head;
    head.notes = notes_count;
    head.bytes = margin_image_size_q(quant, notes_count);
    status = mgn_put_head(p, h, size);
    if (status != MARGIN_OK) { return status; }
    mgn_walk walk = mgn_walk_make(mgn_visit_write, MGN_IMAGE_HEAD_Q);
    const margin_model_q *model = &quant->model;
    switch (head.kind) {
        MGN_KINDS_Q(MGN_PUT_CASE)
    default:
        break;
    }
    walk.fits = mgn_put_real(p + 64, quant->unit, true);
    walk.image = p;
    mgn_walk_copy_q(&walk, quant, h);
    return mgn_put_end(p, h, notes, walk.fits);
}

/* Takes memory for new weights and biases. Returns how many machines there are. */
static size_t mgn_linear_scale_plan(margin_arena *mem, const margin_linear *l, margin_real **w,
                                    margin_real **bias) {
    const size_t machines = margin_machines(l->vote.scheme, l->vote.classes);
    const size_t rows = mgn_functions(l->vote.scheme, l->vote.classes);
    *w = MGN_KEEP(mem, margin_real, mgn_size_mul(rows, l->d));
    *bias = MGN_KEEP(mem, margin_real, machines);
    return machines;
}

/* w.((x - o) f) + b = (w f).x + (b - w.(o f)) for each machine. */
static margin_status mgn_linear_scale(margin_linear *l, const margin_scaling *s,
                                      margin_arena *mem) {
    const margin_arena before = *mem;
    margin_real *w, *bias;
    const size_t machines = mgn_linear_scale_plan(mem, l, &w, &bias);
    if (mem->failed != 0) { return margin_arena_rewind(mem, &before); }
    MARGIN_ASSERT(w != NULL && bias != NULL); /* no counting arena comes here */
    for (size_t j = 0; j < machines; j++) {
        const size_t row = (l->vote.scheme == MARGIN_SCHEME_ORDINAL ? 0 : j) * l->d;
        bias[j] = l->bias[j];
        for (size_t k = 0; k < l->d; k++) {
            w[row + k] = l->w[row + k] * s->factor[k];
            bias[j] -= w[row + k] * s->offset[k];
        }
    }
    if (!mgn_all_finite(w, mgn_functions(l->vote.scheme, l->vote.classes) * l->d) ||
        !mgn_all_finite(bias, machines)) {
        (void)margin_arena_rewind(mem, &before);
        return MARGIN_E_RANGE;
    }
    l->w = w;
    l->bias = bias;
    return MARGIN_OK;
}

/* Points a model at the arrays of a scaling, where its list of fields has them. */
#define MGN_SCALE_OFFSET(v) v = scaling->offset;
#define MGN_SCALE_FACTOR(v) v = scaling->factor;
#define MGN_SCALE_REAL(v)
#define MGN_SCALE_CURVE(v)
#define MGN_SCALE_U32(v)
#define MGN_SCALE_PICK(v)
#define MGN_SCALE_A(field, element, count) MGN_SCALE_##element(m->field)
#define MGN_SCALE_CASE(number, type, member, FIELDS)                                               \
    case number: {                                                                                 \
        MGN_TO(type) m = &model->of.member;                                                        \
        FIELDS(MGN_SCALE_A, MGN_SKIP_N, MGN_SKIP_S)                                                \
        (void)m;                                                                                   \
        break;                                                                                     \
    }

MARGIN_API margin_status margin_model_scale(margin_model *model, const margin_scaling *scaling,
                                            margin_arena *mem) {
    if (model == NULL || !mgn_kind_known(model->kind) || scaling == NULL ||
        mgn_mem_check(mem) != MARGIN_OK) {
        return MARGIN_E_ARGUMENT;
    }
    if (scaling->offset == NULL) { return MARGIN_OK; }
    mgn_image_head head = mgn_head_of(model);
    if (scaling->d != head.d || mgn_head_scaled(&head) != 0) { return MARGIN_E_ARGUMENT; }
    if (model->kind == MARGIN_MODEL_LINEAR) {
        return mgn_linear_scale(&model->of.linear, scaling, mem);
    }
    switch (model->kind) {
        MGN_KINDS(MGN_SCALE_CASE)
    default:
        break;
    }
    return MARGIN_OK;
}

MARGIN_API size_t margin_model_scale_size(const margin_model *model) {
    margin_arena dry = margin_arena_counting();
    margin_real *w, *bias;
    if (model == NULL || model->kind != MARGIN_MODEL_LINEAR) { return 0; }
    mgn_linear_scale_plan(&dry, &model->of.linear, &w, &bias);
    return mgn_arena_counted(&dry);
}

/* ---- >>train ---- from many classes to machines of two --------------------------------------- */

/* How a solver tells the caller where it is, and learns whether to stop. */
typedef struct {
    margin_watch watch;
    margin_progress at;
    bool stopped;
} mgn_tick;

static mgn_tick mgn_tick_make(margin_watch watch, size_t machines) {
    const mgn_tick tick = {watch, {0, 0, machines, 0, 0}, false};
    return tick;
}

/* True when the caller wants to stop. */
static bool mgn_tick_stop(mgn_tick *tick, size_t iteration, margin_real violation,
                          margin_real goal) {
    if (tick->watch.progress != NULL && !tick->stopped) {
        margin_progress at = tick->at;
        at.iteration += iteration;
        at.violation = violation;
        at.goal = goal;
        tick->stopped = tick->watch.progress(tick->watch.user, &at);
    }
    return tick->stopped;
}

/* One machine, which tells positive samples from negative ones. */
typedef struct {
    margin_data data; /* its samples, the negative ones first */
    size_t split;     /* number of the negative samples */
    size_t most;      /* samples that memory is planned for */
    margin_kernel kernel;
    uint8_t scheme;
    margin_control run;
    margin_watch watch;
    const void *options; /* the trainer's own, */
    void *report;        /* and its report, of all machines together */
    mgn_tick *tick;
    margin_real *b;   /* out: coefficient of each sample in the score, */
    margin_real *f;   /* out: score of each sample, */
    margin_real bias; /* out, */
    margin_real *w;   /* linear: room for the weights of the machine; */
    bool has_w;       /* out: they are there, and are not to be computed from b */
    margin_info info; /* out: all but arena_peak, support, bias and margins */
} mgn_fit;

static const margin_info mgn_no_info = {0, 0, 0, 0, false, 0, 0, 0, 0, 0, {0}};

/* What the driver needs of the options of a trainer; the caller adds controls. */
static void mgn_fit_begin(mgn_fit *fit, const margin_kernel *kernel, uint8_t scheme,
                          margin_watch watch, const void *options) {
    mgn_clear(fit, sizeof *fit);
    fit->kernel = *kernel;
    fit->scheme = scheme;
    fit->watch = watch;
    fit->options = options;
}

/* A trainer of machines. `plan` takes the scratch that `fit` will take for as many samples. */
typedef struct {
    void (*plan)(const mgn_fit *fit, margin_arena *mem);
    margin_status (*fit)(mgn_fit *fit, margin_arena *mem);
} mgn_trainer;

/* The shape and the memory of one training. Samples are sorted by class, those of class c being
 * rows order[start[c]] .. order[start[c + 1] - 1] of the data; samples of weight 0 are left out. */
typedef struct {
    const mgn_trainer *trainer;
    mgn_fit *fit;
    const margin_data *data;
    size_t n, d, classes, machines, width;
    unsigned scheme;
    bool linear;
    margin_index *order, *start, *part; /* part: the rows of one machine */
    uint8_t *used;                      /* the sample has a coefficient */
    margin_real *b, *f, *scores;
    margin_real *table; /* n x width coefficients; none for linear kernels */
    margin_real *bias;
    margin_real *w; /* machines x d; linear kernels only */
    mgn_tick tick;
} mgn_job;

static void mgn_job_shape(mgn_job *job, mgn_fit *fit, size_t n, size_t d, size_t classes) {
    const bool many = classes > 2u, rest = many && fit->scheme == MARGIN_SCHEME_ONE_REST;
    job->fit = fit;
    job->n = fit->most = n;
    job->d = d;
    job->classes = classes;
    job->linear = fit->kernel.kind == MARGIN_KERNEL_LINEAR;
    job->scheme = many ? fit->scheme : (unsigned)MARGIN_SCHEME_BINARY;
    if (many && job->scheme == MARGIN_SCHEME_BINARY) { job->scheme = MARGIN_SCHEME_ONE_ONE; }
    job->width = rest ? classes : classes - 1u;
    job->machines = SIZE_MAX; /* more than fits memory, unless the number can be computed */
    if (rest || mgn_size_mul(classes, classes) < SIZE_MAX) {
        job->machines = margin_machines(job->scheme, classes);
    }
}

/* Takes what lasts through a training, the results of linear kernels at the front. */
static void mgn_job_plan(mgn_job *plan, margin_arena *mem) {
    const size_t n = plan->n, classes = plan->classes, machines = plan->machines;
    const size_t table = plan->linear ? 0 : plan->width;
    size_t bytes = 0;
    plan->w = MGN_KEEP(mem, margin_real,
                       plan->linear ? mgn_size_mul(machines, mgn_size_add(plan->d, 1)) : 0);
    MARGIN_BLOCKS_JOB(MGN_COUNT, n, classes, machines, table)
    unsigned char *at = MGN_SCRATCH(mem, unsigned char, bytes);
    if (at != NULL) {
        MARGIN_BLOCKS_JOB(MGN_LAY, n, classes, machines, table)
        plan->bias = plan->linear ? plan->w + machines * plan->d : plan->bias;
    }
}

static void mgn_copy(margin_real *to, const margin_real *from, size_t n) {
    for (size_t i = 0; i < n; i++) { to[i] = from[i]; }
}

static void mgn_zero(margin_real *v, size_t n) {
    for (size_t i = 0; i < n; i++) { v[i] = 0; }
}

/* The mean of all samples, each counting once. */
static void mgn_data_mean(const margin_data *data, margin_real *mean) {
    mgn_zero(mean, data->d);
    for (size_t i = 0; i < data->n; i++) {
        const margin_real *x = mgn_sample(data, i), count = (margin_real)(i + 1u);
        for (size_t j = 0; j < data->d; j++) { mean[j] += (x[j] - mean[j]) / count; }
    }
}

/* w = sum b_i x_i over all samples. */
static void mgn_data_sum(const margin_data *data, const margin_real *b, margin_real *w) {
    mgn_zero(w, data->d);
    for (size_t i = 0; i < data->n; i++) { margin_axpy(w, b[i], mgn_sample(data, i), data->d); }
}

/* The matrix of the products of the samples less their mean, which goes to `mean`: a linear machine
 * with a free bias does not depend on the origin. */
static void mgn_data_centred(const margin_data *data, margin_real *mean, margin_real *k) {
    mgn_data_mean(data, mean);
    for (size_t i = 0; i < data->n; i++) {
        const margin_real *a = mgn_sample(data, i);
        for (size_t h = 0; h <= i; h++) {
            const margin_real *b = mgn_sample(data, h);
            margin_real sum = 0;
            for (size_t j = 0; j < data->d; j++) { sum += (a[j] - mean[j]) * (b[j] - mean[j]); }
            k[i * data->n + h] = k[h * data->n + i] = sum;
        }
    }
}

/* The kept arrays of an expansion or of a list, in one block. All trainers build them in the same
 * way: mgn_pool_plan, then mgn_pool_add for each vector. */
typedef struct {
    size_t d, width;
    size_t count; /* vectors so far */
    margin_real *vectors, *norms, *coef, *bias;
    uint32_t *end; /* the class ends of an expansion, reach and target of a list */
} mgn_pool;

/* Takes the memory for n vectors and `ends` whole numbers. */
static mgn_pool mgn_pool_plan(margin_arena *mem, size_t n, size_t d, size_t width, size_t machines,
                              size_t ends) {
    mgn_pool pool = {d, width, 0, NULL, NULL, NULL, NULL, NULL}, *plan = &pool;
    size_t bytes = 0;
    MARGIN_BLOCKS_POOL(MGN_COUNT, n, d, width, machines, ends)
    unsigned char *at = MGN_KEEP(mem, unsigned char, bytes);
    if (at != NULL) { MARGIN_BLOCKS_POOL(MGN_LAY, n, d, width, machines, ends) }
    return pool;
}

/* Appends a vector with its coefficients. */
static void mgn_pool_add(mgn_pool *pool, const margin_real *x, const margin_real *coef) {
    const size_t v = pool->count++;
    mgn_copy(pool->vectors + v * pool->d, x, pool->d);
    mgn_copy(pool->coef + v * pool->width, coef, pool->width);
    pool->norms[v] = mgn_norm2_bits(x, pool->d);
}

/* The expansion that a pool makes. Class ends are the caller's to set; lists have none. */
static void mgn_pool_expansion(const mgn_pool *pool, const margin_kernel *kernel, margin_vote vote,
                               margin_expansion *e) {
    mgn_clear(e, sizeof *e);
    e->vectors = pool->vectors;
    e->norms = pool->norms;
    e->coef = pool->coef;
    e->bias = pool->bias;
    e->n = pool->count;
    e->d = pool->d;
    e->kernel = *kernel;
    e->width = (uint16_t)pool->width;
    e->vote = vote;
}

static margin_vote mgn_vote_of(size_t classes, unsigned scheme) {
    const margin_vote vote = {(uint16_t)classes, (uint8_t)scheme, 0, 0, 0, 0, NULL};
    return vote;
}

/* The linear model of these weights and biases. */
static void mgn_linear_model(margin_model *model, const margin_real *w, const margin_real *bias,
                             size_t d, margin_vote vote) {
    const margin_linear linear = {w, bias, d, vote};
    model->kind = MARGIN_MODEL_LINEAR;
    model->of.linear = linear;
}

/* ---- the frame of every training ---- */

/* A method: `plan` takes the blocks of `run` in the same order, results at the front. */
typedef struct mgn_frame mgn_frame;
typedef struct {
    void (*plan)(void *task, margin_arena *mem);
    margin_status (*run)(void *task, mgn_frame *frame);
} mgn_method;

/* The plan is run on a copy of the arena first, so that too little memory is found before any work
 * is done. What `run` leaves here becomes the caller's at the very end, when nothing can fail any
 * more. */
struct mgn_frame {
    margin_arena *mem;
    margin_arena before; /* what *mem was */
    size_t peak;         /* bytes that the plan takes at most */
    bool wants_info;     /* the caller wants margin_info: margins are computed only then */
    margin_model model;  /* out */
    margin_info info;    /* out: all but arena_peak */
};

static size_t mgn_frame_size(const mgn_method *method, void *task) {
    margin_arena dry = margin_arena_counting();
    method->plan(task, &dry);
    return mgn_arena_counted(&dry);
}

/* Runs the plan without storing anything. Returns MARGIN_OK, or why the memory is not enough. */
static margin_status mgn_frame_open(mgn_frame *frame, const mgn_method *method, void *task,
                                    margin_arena *mem) {
    margin_arena dry = *mem;
    dry.peak = 0;
    method->plan(task, &dry);
    frame->mem = mem;
    frame->before = *mem;
    frame->peak = dry.peak - (mem->low + (mem->size - mem->high));
    frame->wants_info = false;
    frame->info = mgn_no_info;
    if (dry.failed == 0 && dry.peak > mem->peak) {
        mem->peak = dry.peak; /* the peak of the plan, even if the pool turns out smaller */
    }
    return (margin_status)dry.failed;
}

/* Gives back the scratch, or everything after a failure. */
static margin_status mgn_frame_close(mgn_frame *frame, margin_status status) {
    if (status < 0) {
        (void)margin_arena_rewind(frame->mem, &frame->before);
    } else {
        margin_arena_release(frame->mem, frame->before.high);
    }
    return status;
}

/* |x - z|^2, by the differences of their features. */
static margin_real mgn_square_apart(const margin_real *x, const margin_real *z, size_t d) {
    margin_real sum = 0;
    for (size_t k = 0; k < d; k++) { sum += (x[k] - z[k]) * (x[k] - z[k]); }
    return sum;
}

/* Whether the kernel values of an rbf model are lost in rounding: |x - z|^2 = |x|^2 + |z|^2 - 2 x.z
 * is, where vectors lie much farther from the origin than from each other. Its error is at most
 * about d EPS |x|^2, and only where that matters the values are compared with those from the
 * differences of the features. */
static bool mgn_model_blurred(const margin_model *model) {
    const margin_expansion *e = mgn_model_pool(model);
    margin_real longest = 0;
    bool blurred = false;
    if (e == NULL || e->kernel.kind != MARGIN_KERNEL_RBF) { return false; }
    for (size_t v = 0; v < e->n; v++) { longest = mgn_max(longest, e->norms[v]); }
    const margin_real noise = (margin_real)(e->d + 4u) * MGN_EPS * e->kernel.gamma * longest;
    for (size_t v = noise > MGN_R(0.015625) ? 0 : e->n; v < e->n && !blurred; v++) {
        const margin_real *x = e->vectors + v * e->d;
        for (size_t u = 0; u < v; u++) {
            const margin_real *z = e->vectors + u * e->d;
            const margin_real value = margin_kernel_value(&e->kernel, x, z, e->d);
            const margin_real truth =
                mgn_exp_negative(-e->kernel.gamma * mgn_square_apart(x, z, e->d));
            blurred = blurred || mgn_abs(value - truth) > MGN_R(0.03125);
        }
    }
    return blurred;
}

/* The body of every trainer; `checked` is what the trainer found wrong with its arguments. A model
 * that its own check refuses has numbers that are not finite, and is not returned; nor is one whose
 * kernel values are lost in rounding. */
static margin_status mgn_frame_train(const mgn_method *method, void *task, margin_status checked,
                                     margin_arena *mem, margin_model *model, margin_info *info) {
    mgn_frame frame;
    margin_status status = mgn_both(checked, mgn_mem_check(mem));
    if (status != MARGIN_OK || model == NULL) { return mgn_both(status, MARGIN_E_ARGUMENT); }
    status = mgn_frame_open(&frame, method, task, mem);
    if (status != MARGIN_OK) { return status; }
    frame.wants_info = info != NULL;
    status = method->run(task, &frame);
    if (status >= 0 &&
        (margin_model_check(&frame.model) != MARGIN_OK || mgn_model_blurred(&frame.model))) {
        status = MARGIN_E_RANGE;
    }
    if (mgn_frame_close(&frame, status) >= 0) {
        *model = frame.model;
        if (info != NULL) {
            *info = frame.info;
            info->arena_peak = frame.peak;
        }
    }
    return status;
}

/* ---- machines ---- */

/* Sorts the samples by class, counting first; false if a class is empty. */
static bool mgn_job_sort(mgn_job *job) {
    const margin_data *data = job->data;
    margin_index *start = job->start;
    for (size_t c = 0; c <= job->classes; c++) { start[c] = 0; }
    for (size_t i = 0; i < data->n; i++) {
        if (mgn_weight(data, i) > 0) { start[mgn_label(data, i) + 1u]++; }
    }
    for (size_t c = 0; c < job->classes; c++) {
        if (start[c + 1u] == 0) { return false; }
        start[c + 1u] = (margin_index)(start[c + 1u] + start[c]);
    }
    for (size_t i = 0; i < data->n; i++) {
        if (mgn_weight(data, i) > 0) {
            job->order[start[mgn_label(data, i)]++] = (margin_index)mgn_row_of(data, i);
        }
    }
    for (size_t c = job->classes; c > 0; c--) { start[c] = start[c - 1u]; }
    start[0] = 0;
    job->n = start[job->classes];
    return true;
}

/* Adds the samples of class c to those of the machine. */
static void mgn_job_take(mgn_job *job, size_t c) {
    for (size_t s = job->start[c]; s < job->start[c + 1u]; s++) {
        job->part[job->fit->data.n++] = job->order[s];
    }
}

/* Stores the coefficients of the samples of class c in a machine; they begin at b. */
static void mgn_job_column(mgn_job *job, size_t c, size_t column, const margin_real *b) {
    for (size_t s = job->start[c]; s < job->start[c + 1u]; s++, b++) {
        job->used[s] = job->used[s] != 0 || *b != 0 ? 1 : 0;
        if (!job->linear) { job->table[s * job->width + column] = *b; }
    }
}

/* Stores the results of machine j: weights, or its columns of the table. */
static void mgn_job_store(mgn_job *job, size_t j, size_t a, size_t b) {
    const mgn_fit *fit = job->fit;
    size_t i = 0;
    job->bias[j] = fit->bias;
    if (job->linear && !fit->has_w) { mgn_data_sum(&fit->data, fit->b, job->w + j * job->d); }
    for (size_t c = 0; c < job->classes; c++) {
        if (c != b && (a == b || c == a)) {
            mgn_job_column(job, c, a == b ? b : b - 1u, fit->b + i);
            i += job->start[c + 1u] - job->start[c];
        }
    }
    mgn_job_column(job, b, a, fit->b + i);
}

/* Trains all machines in their order, each of which separates class b from class a, or from all
 * others if a = b. Returns the first failure, or else the worst caveat. */
static margin_status mgn_job_train(mgn_job *job, margin_arena *mem, margin_info *info) {
    const size_t mark = mem->high;
    mgn_fit *fit = job->fit;
    margin_status worst = MARGIN_OK;
    size_t a = 0, b = 1;
    for (size_t s = 0; s < job->n; s++) { job->used[s] = 0; }
    for (size_t j = 0; j < job->machines; j++) {
        if (job->scheme == MARGIN_SCHEME_ONE_REST) { a = b = j; }
        fit->tick->at.machine = j;
        fit->w = job->linear ? job->w + j * job->d : NULL;
        fit->has_w = false;
        fit->data.n = 0;
        for (size_t c = 0; c < job->classes; c++) {
            if (c != b && (a == b || c == a)) { mgn_job_take(job, c); }
        }
        fit->split = fit->data.n;
        mgn_job_take(job, b);
        const margin_status status = job->trainer->fit(fit, mem);
        margin_arena_release(mem, mark);
        if (status < 0) { return status; }
        worst = status > worst ? status : worst;
        mgn_job_store(job, j, a, b);
        if (j == 0) {
            *info = fit->info;
            info->bias = fit->bias;
        } else {
            info->objective += fit->info.objective;
            info->gap += fit->info.gap;
            info->violation = mgn_max(info->violation, fit->info.violation);
            info->iterations += fit->info.iterations;
            info->converged = info->converged && fit->info.converged;
        }
        fit->tick->at.iteration = info->iterations;
        if (++b == job->classes) { b = ++a + 1u; }
    }
    return worst;
}

static bool mgn_any(const margin_real *v, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (v[i] != 0) { return true; }
    }
    return false;
}

/* Gathers the samples that have a coefficient into a pool. A machine that was stopped before its
 * first step has none; its pool gets the first sample, because a model needs a vector. */
static void mgn_job_pool(const mgn_job *job, margin_arena *mem, margin_expansion *e) {
    const size_t width = job->width, stride = mgn_stride(job->data->stride, job->d);
    size_t n = 0;
    for (size_t s = 0; s < job->n; s++) { n += mgn_any(job->table + s * width, width) ? 1u : 0u; }
    mgn_pool pool = mgn_pool_plan(mem, n > 0 ? n : 1u, job->d, width, job->machines, job->classes);
    MARGIN_ASSERT(pool.vectors != NULL); /* the plan for all samples has had its blocks */
    for (size_t c = 0; c < job->classes; c++) {
        for (size_t s = job->start[c]; s < job->start[c + 1u]; s++) {
            const margin_real *coef = job->table + s * width;
            if (mgn_any(coef, width) || (n == 0 && s == 0)) {
                mgn_pool_add(&pool, job->data->x + job->order[s] * stride, coef);
            }
        }
        pool.end[c] = (uint32_t)pool.count;
    }
    mgn_copy(pool.bias, job->bias, job->machines);
    mgn_pool_expansion(&pool, &job->fit->kernel, mgn_vote_of(job->classes, job->scheme), e);
    e->class_end = pool.end;
}

/* Adds a term to *sum, and to *low what rounding takes from the new sum: with s = fl(sum + term)
 * and part = fl(s - sum) it is (sum - (s - part)) + (term - part) exactly (Knuth, The Art of
 * Computer Programming 2, 4.2.2, theorem B). The next term has to wait for one addition only. Once
 * a NaN or an infinity is in one of the two, it stays. */
static inline void mgn_add_low(margin_real *sum, margin_real *low, margin_real term) {
    const margin_real s = *sum + term, part = s - *sum;
    *low += (*sum - (s - part)) + (term - part);
    *sum = s;
}

/* The same, after which *low is below the last digit of *sum: a number of twice the precision. */
static inline void mgn_add_twice(margin_real *sum, margin_real *low, margin_real term) {
    mgn_add_low(sum, low, term);
    const margin_real rest = *low;
    *low = 0;
    mgn_add_low(sum, low, rest);
}

/* The margins of a model over the samples of positive weight of a view. They are known, or each is
 * computed when it is needed. */
typedef struct {
    const margin_data *data;
    const margin_model *model;
    margin_real *scores;      /* room for all machines */
    const margin_real *known; /* n margins, or NULL */
} mgn_margins;

static margin_real mgn_margins_at(const mgn_margins *m, size_t i) {
    if (m->known != NULL) { return m->known[i]; }
    const margin_vote *vote = margin_model_vote(m->model);
    margin_scores(m->model, mgn_sample(m->data, i), m->scores);
    return margin_margin(vote->scheme, vote->classes, m->scores, mgn_label(m->data, i));
}

/* Quantiles by counting, without memory for the margins. The bits of a number, read as a whole
 * number, make a key: once the keys of negative numbers are complemented and the others get the
 * top bit, keys sort as the numbers do. One pass over the margins divides the range in which a
 * quantile must lie into at most MGN_BINS bins of equal width, counts the margins in each, and
 * notes the smallest and the largest of each. The bin that contains the wanted rank is the range
 * of the next pass. A range shrinks to less than 2 / MGN_BINS of its width with each pass: for 32
 * bits and 64 bins that is seven passes at most. */
#define MGN_QUANTILES 5u
#define MGN_BINS (SIZE_MAX > 0xFFFFFFFFu ? 64u : SIZE_MAX > 0xFFFFu ? 8u : 4u)

typedef struct {
    size_t count;
    mgn_word low, high;
} mgn_bin;

typedef struct {
    mgn_word low, high; /* the smallest and the largest margin of the range */
    size_t rank;        /* of the quantile, among those in the range */
    size_t lead;        /* the first quantile with the same range, whose bins serve all of them */
    unsigned shift;     /* a bin is 2^shift keys wide */
    mgn_bin bins[MGN_BINS];
} mgn_quantile;

static mgn_word mgn_margin_key(margin_real a) {
    const mgn_word bits = mgn_bits(a + 0); /* -0 is 0 */
    return (bits & MGN_SIGN) != 0 ? ~bits : bits | MGN_SIGN;
}

static margin_real mgn_margin_of_key(mgn_word key) {
    return mgn_of_bits((key & MGN_SIGN) != 0 ? key ^ MGN_SIGN : ~key);
}

/* One pass for all quantiles. Two of their ranges are either the same or disjoint. */
static void mgn_quantiles_pass(const mgn_margins *m, mgn_quantile *q) {
    for (size_t k = 0; k < MGN_QUANTILES; k++) {
        const bool same = k > 0 && q[k].low == q[k - 1u].low;
        q[k].lead = same ? q[k - 1u].lead : k;
        q[k].shift = 0;
        while (((q[k].high - q[k].low) >> q[k].shift) >= MGN_BINS) { q[k].shift++; }
        for (size_t b = 0; b < MGN_BINS; b++) { q[k].bins[b].count = 0; }
    }
    for (size_t i = 0; i < m->data->n; i++) {
        if (mgn_weight(m->data, i) > 0) {
            const mgn_word key = mgn_margin_key(mgn_margins_at(m, i));
            for (size_t k = 0; k < MGN_QUANTILES; k++) {
                if (q[k].lead == k && key >= q[k].low && key <= q[k].high) {
                    mgn_bin *bin = q[k].bins + ((key - q[k].low) >> q[k].shift);
                    bin->low = bin->count == 0 || key < bin->low ? key : bin->low;
                    bin->high = bin->count == 0 || key > bin->high ? key : bin->high;
                    bin->count++;
                }
            }
        }
    }
    for (size_t k = MGN_QUANTILES; k-- > 0;) { /* to the bin of the rank; leaders come last */
        const mgn_bin *bin = q[q[k].lead].bins;
        for (; q[k].rank >= bin->count; bin++) { q[k].rank -= bin->count; }
        q[k].low = bin->low;
        q[k].high = bin->high;
    }
}

/* Stores minimum, mean and quantiles in `info`. Returns how many samples have a positive weight. */
static size_t mgn_margins_info(const mgn_margins *m, margin_info *info) {
    mgn_word low = ~(mgn_word)0, high = 0;
    margin_real sum = 0, rest = 0;
    size_t count = 0;
    for (size_t i = 0; i < m->data->n; i++) {
        if (mgn_weight(m->data, i) > 0) {
            const margin_real margin = mgn_margins_at(m, i);
            const mgn_word key = mgn_margin_key(margin);
            low = key < low ? key : low;
            high = key > high ? key : high;
            mgn_add_twice(&sum, &rest, margin);
            count++;
        }
    }
    info->margin_min = mgn_margin_of_key(low);
    info->margin_mean = sum / (margin_real)count;
    /* The quantiles of `count` margins between low and high. */
    static const uint8_t percent[MGN_QUANTILES] = {5, 25, 50, 75, 95};
    mgn_quantile q[MGN_QUANTILES];
    for (size_t k = 0; k < MGN_QUANTILES; k++) {
        q[k].low = low;
        q[k].high = high;
        /* (count - 1) * percent / 100 without overflow */
        q[k].rank = (count - 1u) / 100u * percent[k] + (count - 1u) % 100u * percent[k] / 100u;
    }
    for (size_t k = 0; k < MGN_QUANTILES; k++) {
        while (q[k].low < q[k].high) { mgn_quantiles_pass(m, q); }
        info->margin_quantile[k] = mgn_margin_of_key(q[k].low);
    }
    return count;
}

/* The same for n known margins. */
static void mgn_info_margins(margin_info *info, const margin_real *v, size_t n) {
    const margin_data all = {NULL, n, 0, 0, NULL, NULL, NULL};
    const mgn_margins m = {&all, NULL, NULL, v};
    (void)mgn_margins_info(&m, info);
}

/* Margins of the training samples. If there is one machine, its scores are in job->f already.
 * Several score a panel of samples at once, where there is memory for that. */
static void mgn_job_margins(mgn_job *job, mgn_frame *frame) {
    const size_t mark = frame->mem->high, step = mgn_stride(job->data->stride, job->d);
    const margin_real *x[MGN_PANEL];
    mgn_batch batch;
    const bool several = job->machines > 1u && mgn_batch_take(&batch, frame->mem, &frame->model);
    for (size_t c = 0; c < job->classes; c++) {
        for (size_t n, s = job->start[c]; s < job->start[c + 1u]; s += n) {
            margin_real *scores = several ? batch.scores : job->scores;
            n = several ? mgn_size_min(job->start[c + 1u] - s, MGN_PANEL) : 1u;
            for (size_t r = 0; r < n; r++) { x[r] = job->data->x + job->order[s + r] * step; }
            if (several) {
                mgn_batch_run(&batch, x, n);
            } else if (job->machines > 1u) {
                margin_scores(&frame->model, x[0], scores);
            } else {
                scores = job->f + s;
            }
            for (size_t r = 0; r < n; r++) {
                job->f[s + r] =
                    margin_margin(job->scheme, job->classes, scores + r * job->machines, c);
            }
        }
    }
    margin_arena_release(frame->mem, mark);
    mgn_info_margins(&frame->info, job->f, job->n);
}

/* Controls with their defaults filled in. */
static margin_status mgn_control_resolve(margin_control *run, size_t n) {
    if (!(run->tol >= 0) || !mgn_finite(run->tol)) { return MARGIN_E_ARGUMENT; }
    if (run->tol == 0) { run->tol = MGN_R(sizeof(margin_real) > 4u ? 1e-6 : 1e-3); }
    if (run->max_iterations == 0) {
        const size_t million = SIZE_MAX > 0xFFFFu ? (size_t)1000000u : SIZE_MAX / 2u;
        const size_t steps = mgn_size_mul(100u, n);
        run->max_iterations = steps < SIZE_MAX - million ? steps + million : SIZE_MAX;
    }
    return MARGIN_OK;
}

/* What all machines share, with its defaults filled in. */
static margin_status mgn_fit_resolve(mgn_fit *fit, size_t n, size_t d) {
    const margin_status status = margin_kernel_resolve(&fit->kernel, d, &fit->kernel);
    return mgn_both(mgn_both(status, mgn_control_resolve(&fit->run, n)),
                    fit->scheme > MARGIN_SCHEME_VOTES ? MARGIN_E_ARGUMENT : MARGIN_OK);
}

static void mgn_job_plan_all(void *task, margin_arena *mem) {
    mgn_job *job = (mgn_job *)task;
    mgn_job_plan(job, mem);
    const size_t mark = mem->high;
    job->trainer->plan(job->fit, mem);
    margin_arena_release(mem, mark);
    if (!job->linear) {
        (void)mgn_pool_plan(mem, job->n, job->d, job->width, job->machines, job->classes);
    }
}

/* Trains the machines, builds the model, and fills in the report. */
static margin_status mgn_job_run(void *task, mgn_frame *frame) {
    mgn_job *job = (mgn_job *)task;
    margin_model *model = &frame->model;
    mgn_job_plan(job, frame->mem);
    if (!mgn_job_sort(job)) { return MARGIN_E_ONE_CLASS; }
    job->tick = mgn_tick_make(job->fit->watch, job->machines);
    job->fit->tick = &job->tick;
    job->fit->data.rows = job->part;
    job->fit->b = job->b;
    job->fit->f = job->f;
    const margin_status status = mgn_job_train(job, frame->mem, &frame->info);
    if (status < 0) { return status; }
    if (job->linear) {
        mgn_linear_model(model, job->w, job->bias, job->d, mgn_vote_of(job->classes, job->scheme));
    } else {
        model->kind = MARGIN_MODEL_EXPANSION;
        mgn_job_pool(job, frame->mem, &model->of.expansion);
    }
    frame->info.support = 0;
    for (size_t s = 0; s < job->n; s++) { frame->info.support += job->used[s]; }
    if (frame->wants_info) { mgn_job_margins(job, frame); }
    return status;
}

static const mgn_method mgn_job_method = {mgn_job_plan_all, mgn_job_run};

static size_t mgn_train_size(const mgn_trainer *trainer, mgn_fit *fit, size_t n, size_t d,
                             size_t classes) {
    mgn_job job;
    if (n > MARGIN_INDEX_MAX || classes < 2u || classes > n || classes > MARGIN_REJECTED ||
        mgn_fit_resolve(fit, n, d) < 0) {
        return 0;
    }
    fit->data.d = d;
    mgn_job_shape(&job, fit, n, d, classes);
    job.trainer = trainer;
    return mgn_frame_size(&mgn_job_method, &job);
}

/* Trains machines on the data; `fit` has kernel, scheme, controls, options and report. */
static margin_status mgn_train(const mgn_trainer *trainer, mgn_fit *fit, const margin_data *data,
                               margin_arena *mem, margin_model *model, margin_info *info) {
    mgn_job job;
    size_t classes = 0;
    margin_status status = margin_data_classes(data, &classes);
    if (status != MARGIN_OK) { return status; }
    if (classes > MARGIN_REJECTED) { return MARGIN_E_LABEL; }
    if (classes < 2u || classes > data->n) { return MARGIN_E_ONE_CLASS; }
    status = mgn_fit_resolve(fit, data->n, data->d);
    fit->data = *data;
    mgn_job_shape(&job, fit, data->n, data->d, classes);
    job.trainer = trainer;
    job.data = data;
    return mgn_frame_train(&mgn_job_method, &job, status, mem, model, info);
}

/* ---- >>mam ---- the machine of maximal average margin in closed form, and its bounds --------- */

/* Pelckmans, Suykens, De Moor: "A risk minimization principle for a class of Parzen estimators",
 * NIPS 2007; equation numbers are the paper's. With c_i = y_i times the share of sample i in all
 * weight, sum |c| = 1,
 *
 *     v = sum c_i phi(x_i),   lambda = |v| = sqrt(c'Kc),   w = v / lambda            [5], [7]
 *
 * maximises the average margin sum c_i (w . phi(x_i)) = w . v over |w| = 1, by Cauchy and Schwarz.
 * Linear kernels: v is a difference of class sums, so that one sum for each class is enough for
 * every machine of every scheme. Batch training adds the samples one after another by the code of
 * the on-line form. Other kernels go through the driver of >>train; one product f = Kc gives
 * lambda, scores and bias. */

static const margin_mam_options mgn_mam_defaults = {{0, 0, 0, 0, 0}, false, false, 0};

/* Columns of a class sum: the features, then the weight, then the weighted |x|^2. */
static size_t mgn_mam_columns(const margin_mam_online *on) {
    return on->d + 2u;
}

/* Adds weight * (x, 1, |x|^2) to the sums of a class. A negative weight takes a sample back. */
static void mgn_mam_sum(const margin_mam_online *on, const margin_real *MGN_RESTRICT x,
                        size_t label, margin_real weight) {
    const size_t d = on->d;
    margin_real *MGN_RESTRICT sum = on->sum + label * mgn_mam_columns(on);
    margin_real *MGN_RESTRICT low = on->low + label * mgn_mam_columns(on);
    for (size_t j = 0; j < d; j++) { mgn_add_low(sum + j, low + j, weight * x[j]); }
    mgn_add_low(sum + d, low + d, weight);
    mgn_add_low(sum + d + 1u, low + d + 1u, weight * margin_dot(x, x, d));
}

/* Adds the low parts of the sums of a class to them; what rounding leaves is the new one. */
static void mgn_mam_settle(const margin_mam_online *on, size_t label) {
    margin_real *MGN_RESTRICT sum = on->sum + label * mgn_mam_columns(on);
    margin_real *MGN_RESTRICT low = on->low + label * mgn_mam_columns(on);
    for (size_t j = 0; j < mgn_mam_columns(on); j++) {
        const margin_real rest = low[j];
        low[j] = 0;
        mgn_add_low(sum + j, low + j, rest);
    }
}

/* So many samples are added to a class before its sums are settled. With u = EPS / 2 and M the
 * largest sum, the low part is at most (k + 1) u M after k samples, and adding to it rounds by u
 * times that. The mean over k = 1 .. 16 is 9.5 u^2 M for each sample, less than 2.4 EPS^2 M. */
#define MGN_MAM_SETTLE 16u

static inline void mgn_mam_counted(margin_mam_online *on, size_t label, size_t count) {
    on->count[label] = (margin_index)(on->count[label] + count);
    if (on->count[label] % MGN_MAM_SETTLE == 0) { mgn_mam_settle(on, label); }
}

/* Makes a class empty. */
static void mgn_mam_clear(const margin_mam_online *on, size_t label) {
    const size_t columns = mgn_mam_columns(on);
    on->count[label] = 0;
    mgn_zero(on->sum + label * columns, columns);
    mgn_zero(on->low + label * columns, columns);
}

/* Shape of the sums for machines of this scheme; two classes have one machine. */
static void mgn_mam_shape(margin_mam_online *on, size_t d, size_t classes, unsigned scheme) {
    mgn_clear(on, sizeof *on);
    on->d = d;
    on->classes = (uint16_t)classes;
    on->scheme = (uint8_t)(classes > 2u ? scheme : (unsigned)MARGIN_SCHEME_BINARY);
    on->machines = margin_machines(on->scheme, classes);
}

static void mgn_mam_begin(margin_mam_online *on, size_t d, size_t classes,
                          const margin_mam_options *options) {
    const bool rest = options->scheme == MARGIN_SCHEME_ONE_REST;
    mgn_mam_shape(on, d, classes, rest ? MARGIN_SCHEME_ONE_REST : MARGIN_SCHEME_ONE_ONE);
    on->intercept = options->intercept;
    on->balanced = options->balanced;
}

/* Takes the memory for `vectors` weight vectors and `work` numbers, that of the model first. With
 * `keep` the sums are not scratch but kept, as the on-line form needs them. */
static void mgn_mam_plan(margin_mam_online *plan, margin_arena *mem, size_t vectors, size_t work,
                         bool keep) {
    const size_t d = plan->d, classes = plan->classes;
    plan->w = MGN_KEEP(mem, margin_real, mgn_size_mul(vectors, d));
    plan->bias = MGN_KEEP(mem, margin_real, plan->machines);
    if (keep) {
        MARGIN_BLOCKS_MAM(MGN_LAST, d, classes, MARGIN_MORE(d, work))
    } else {
        MARGIN_BLOCKS_MAM(MGN_TAKE, d, classes, MARGIN_MORE(d, work))
    }
}

/* Shape and options of linear machines; d + 2 columns must be countable. */
static margin_status mgn_mam_check(const margin_mam_options *options, size_t d, size_t classes) {
    margin_kernel kernel;
    const margin_status status = margin_kernel_resolve(&options->kernel, d, &kernel);
    if (status != MARGIN_OK) { return status; }
    if (classes < 2u || classes > UINT16_MAX || kernel.kind != MARGIN_KERNEL_LINEAR ||
        options->scheme > MARGIN_SCHEME_VOTES) {
        return MARGIN_E_ARGUMENT;
    }
    return d > SIZE_MAX - 2u ? MARGIN_E_OVERFLOW : MARGIN_OK;
}

MARGIN_API size_t margin_mam_online_start_size(size_t d, size_t classes,
                                               const margin_mam_options *options) {
    margin_arena dry = margin_arena_counting();
    margin_mam_online on;
    options = options != NULL ? options : &mgn_mam_defaults;
    if (mgn_mam_check(options, d, classes) != MARGIN_OK) { return 0; }
    mgn_mam_begin(&on, d, classes, options);
    mgn_mam_plan(&on, &dry, on.machines, on.machines, true);
    return mgn_arena_counted(&dry);
}

MARGIN_API margin_status margin_mam_online_start(margin_mam_online *on, size_t d, size_t classes,
                                                 const margin_mam_options *options,
                                                 margin_arena *mem) {
    margin_mam_online begun;
    options = options != NULL ? options : &mgn_mam_defaults;
    const margin_status status = mgn_both(mgn_mam_check(options, d, classes), mgn_mem_check(mem));
    if (status != MARGIN_OK || on == NULL) { return mgn_both(status, MARGIN_E_ARGUMENT); }
    margin_arena before = *mem;
    mgn_mam_begin(&begun, d, classes, options);
    mgn_mam_plan(&begun, mem, begun.machines, begun.machines, true);
    if (mem->failed != 0) { return margin_arena_rewind(mem, &before); }
    for (size_t c = 0; c < classes; c++) { mgn_mam_clear(&begun, c); }
    *on = begun;
    return MARGIN_OK;
}

/* Whether a sample can be added (sign 1) or taken back (sign -1): no sum leaves the range. */
static margin_status mgn_mam_sample_check(const margin_mam_online *on, const margin_real *x,
                                          size_t label, margin_real weight, margin_real sign) {
    size_t faults = 0;
    if (on == NULL || x == NULL) { return MARGIN_E_ARGUMENT; }
    if (label >= on->classes || !(weight >= 0) || !mgn_finite(weight)) { return MARGIN_E_LABEL; }
    if (!mgn_all_finite(x, on->d)) { return MARGIN_E_NOT_FINITE; }
    const margin_real *sum = on->sum + label * mgn_mam_columns(on);
    weight *= sign;
    for (size_t j = 0; j < on->d; j++) { faults += !mgn_finite(sum[j] + weight * x[j]); }
    faults += !mgn_finite(sum[on->d] + weight);
    faults += !mgn_finite(sum[on->d + 1u] + weight * margin_dot(x, x, on->d));
    return faults == 0 ? MARGIN_OK : MARGIN_E_RANGE;
}

MARGIN_API margin_status margin_mam_online_add(margin_mam_online *on, const margin_real *x,
                                               size_t label, margin_real weight) {
    const margin_status status = mgn_mam_sample_check(on, x, label, weight, 1);
    if (status != MARGIN_OK) { return status; }
    if (on->count[label] == MARGIN_INDEX_MAX) { return MARGIN_E_RANGE; }
    if (weight > 0) {
        mgn_mam_sum(on, x, label, weight);
        mgn_mam_counted(on, label, 1);
        on->longest = mgn_max(on->longest, margin_dot(x, x, on->d));
    }
    return MARGIN_OK;
}

MARGIN_API margin_status margin_mam_online_forget(margin_mam_online *on, const margin_real *x,
                                                  size_t label, margin_real weight) {
    const margin_status status = mgn_mam_sample_check(on, x, label, weight, -1);
    if (status != MARGIN_OK) { return status; }
    if (!(weight > 0)) { /* it was never added */
        return MARGIN_OK;
    }
    if (on->count[label] == 0) { return MARGIN_E_EMPTY; }
    mgn_mam_sum(on, x, label, -weight);
    mgn_mam_settle(on, label);
    on->count[label]--;
    if (on->count[label] == 0) { mgn_mam_clear(on, label); }
    return MARGIN_OK;
}

/* A sum of twice the working precision, and one machine: class b against class a, or against all
 * others if a = b. */
typedef struct {
    margin_real sum, low;
} mgn_twice;

typedef struct {
    size_t a, b;
    margin_real weight_a, weight_b; /* of the two sides */
    margin_real length;             /* of v as mgn_mam_measure leaves it */
    margin_real lambda;
} mgn_mam_machine;

/* Column j of the other side: of class a, or of all classes but b. */
static mgn_twice mgn_mam_others(const margin_mam_online *on, const mgn_mam_machine *m, size_t j) {
    const size_t columns = mgn_mam_columns(on);
    const bool rest = m->a == m->b;
    mgn_twice t = {0, 0};
    for (size_t c = rest ? 0 : m->a; c < (rest ? on->classes : m->a + 1u); c++) {
        if (c != m->b) {
            mgn_add_twice(&t.sum, &t.low, on->sum[c * columns + j]);
            mgn_add_twice(&t.sum, &t.low, on->low[c * columns + j]);
        }
    }
    return t;
}

/* Column j of class b over `per_b` plus that of the other side over `per_a`, which may be negative.
 * Where the two nearly cancel, the difference of the sums is exact, and the low parts tell the
 * rest. */
static margin_real mgn_mam_column(const margin_mam_online *on, const mgn_mam_machine *m, size_t j,
                                  margin_real per_b, margin_real per_a) {
    const size_t at = m->b * mgn_mam_columns(on) + j;
    const mgn_twice t = mgn_mam_others(on, m, j);
    return (on->sum[at] / per_b + t.sum / per_a) + (on->low[at] / per_b + t.low / per_a);
}

/* Computes the weights and lambda of a machine, and v in on->work: the difference of the class
 * sums, or with `balanced` of the class means. Returns false if it has no direction: lambda is no
 * larger than rounding of the class means can make it where it is 0, a few EPS of the mean |x|. */
static bool mgn_mam_measure(const margin_mam_online *on, mgn_mam_machine *m) {
    const size_t d = on->d, at = m->b * mgn_mam_columns(on) + d;
    const margin_real square_b = on->sum[at + 1u], square_a = mgn_mam_others(on, m, d + 1u).sum;
    m->weight_b = on->sum[at];
    m->weight_a = mgn_mam_others(on, m, d).sum;
    const margin_real per_a = on->balanced ? 2 * m->weight_a : m->weight_a + m->weight_b;
    const margin_real per_b = on->balanced ? 2 * m->weight_b : m->weight_a + m->weight_b;
    const margin_real unit_a = on->balanced ? -m->weight_a : -1;
    const margin_real unit_b = on->balanced ? m->weight_b : 1;
    const margin_real mean = square_a / per_a + square_b / per_b;
    for (size_t j = 0; j < d; j++) { on->work[j] = mgn_mam_column(on, m, j, unit_b, unit_a); }
    m->length = margin_norm2(on->work, d);
    m->lambda = m->length / (on->balanced ? 2 : per_a);
    return m->lambda > 8 * MGN_EPS * mgn_sqrt(mgn_max(mean, 0));
}

/* Measures all machines, and with `store` stores the weights and the bias of each: the threshold
 * is midway between the scores of the two means. Returns the sum of their lambdas, or -1 if one
 * has no direction. */
static margin_real mgn_mam_machines(const margin_mam_online *on, bool store) {
    const size_t d = on->d;
    mgn_mam_machine m = {0, 1, 0, 0, 0, 0};
    margin_real sum = 0;
    for (size_t j = 0; j < on->machines; j++) {
        if (on->scheme == MARGIN_SCHEME_ONE_REST) { m.a = m.b = j; }
        if (!mgn_mam_measure(on, &m)) { return -1; }
        margin_real *w = on->w + j * d;
        for (size_t k = 0; k < d && store; k++) { w[k] = on->work[k] / m.length; }
        if (store) { on->bias[j] = 0; }
        if (store && on->intercept) {
            for (size_t k = 0; k < d; k++) {
                on->work[k] = mgn_mam_column(on, &m, k, m.weight_b, m.weight_a);
            }
            on->bias[j] = -margin_dot(w, on->work, d) / 2;
        }
        sum += m.lambda;
        if (++m.b == on->classes) { m.b = ++m.a + 1u; }
    }
    return sum;
}

/* The model of the sums, and the sum of all lambda. Nothing is written unless all goes well. */
static margin_status mgn_mam_model(const margin_mam_online *on, margin_linear *model,
                                   margin_real *lambda) {
    for (size_t c = 0; c < on->classes; c++) {
        if (on->count[c] == 0) { return MARGIN_E_ONE_CLASS; }
    }
    if (mgn_mam_machines(on, false) < 0) { return MARGIN_E_NO_DIRECTION; }
    *lambda = mgn_mam_machines(on, true);
    const margin_linear made = {on->w, on->bias, on->d, mgn_vote_of(on->classes, on->scheme)};
    *model = made;
    return MARGIN_OK;
}

MARGIN_API margin_status margin_mam_online_model(margin_mam_online *on, margin_linear *model) {
    margin_real lambda;
    if (on == NULL || model == NULL) { return MARGIN_E_ARGUMENT; }
    return mgn_mam_model(on, model, &lambda);
}

/* A linear training, as the frame sees it: the on-line form, with scratch that is given back. */
typedef struct {
    const margin_data *data;
    margin_mam_online on;
} mgn_mam_batch;

static void mgn_mam_batch_plan(void *task, margin_arena *mem) {
    margin_mam_online *on = &((mgn_mam_batch *)task)->on;
    mgn_mam_plan(on, mem, on->machines, on->machines, false);
}

/* All class sums in one pass over the data. Only if a sum is not finite is the data checked, to
 * tell what is wrong with it. */
static margin_status mgn_mam_batch_run(void *task, mgn_frame *frame) {
    const margin_data *data = ((mgn_mam_batch *)task)->data;
    margin_mam_online *on = &((mgn_mam_batch *)task)->on;
    margin_info *info = &frame->info;
    mgn_mam_batch_plan(task, frame->mem);
    for (size_t c = 0; c < on->classes; c++) { mgn_mam_clear(on, c); }
    for (size_t i = 0; i < data->n; i++) {
        const margin_real weight = mgn_weight(data, i);
        const size_t label = mgn_label(data, i);
        mgn_mam_sum(on, mgn_sample(data, i), label, weight);
        mgn_mam_counted(on, label, weight > 0);
    }
    if (!mgn_all_finite(on->sum, on->classes * mgn_mam_columns(on))) {
        return mgn_both(margin_data_check(data), MARGIN_E_RANGE);
    }
    frame->model.kind = MARGIN_MODEL_LINEAR;
    const margin_status status = mgn_mam_model(on, &frame->model.of.linear, &info->objective);
    if (status == MARGIN_OK && frame->wants_info) {
        const mgn_margins margins = {data, &frame->model, on->work, NULL};
        info->converged = true;
        info->bias = on->bias[0];
        info->support = mgn_margins_info(&margins, info);
    }
    return status;
}

/* Scratch of a kernel machine: f = K c for n samples, panel by panel. */
typedef struct {
    margin_real *norm;  /* |x_i|^2 */
    margin_real *lost;  /* of each f, see mgn_add */
    margin_real *panel; /* MGN_PANEL samples, packed */
    margin_real *tile;  /* MGN_TILE rows of kernel values */
} mgn_mam_work;

static void mgn_mam_work_plan(mgn_mam_work *plan, margin_arena *mem, size_t n, size_t d) {
    MARGIN_BLOCKS_MAM_KERNEL(MGN_TAKE, n, d)
    plan->tile = plan->panel == NULL ? NULL : plan->panel + MGN_PANEL * d;
}

/* f = K c. K is symmetric: off the squares on its diagonal each value is computed once. */
static void mgn_mam_product(const mgn_fit *fit, const mgn_mam_work *work, const margin_real *c,
                            margin_real *f) {
    const margin_data *data = &fit->data;
    const size_t n = data->n;
    mgn_zero(f, n);
    mgn_zero(work->lost, n);
    for (size_t first = 0; first < n; first += MGN_PANEL) {
        const size_t count = mgn_size_min(n - first, MGN_PANEL);
        mgn_panel_pack(work->panel, data, first, count);
        for (size_t j = first; j < n; j += MGN_TILE) {
            const mgn_vectors x = mgn_samples(data, j);
            const size_t m = x.count;
            mgn_panel_dots_block(work->panel, count, &x, work->tile, MGN_PANEL);
            for (size_t t = 0; t < m; t++) {
                mgn_kernel_apply(&fit->kernel, work->norm[j + t], work->norm + first,
                                 work->tile + t * MGN_PANEL, count);
            }
            /* The tile K(j .. j+m-1, first .. first+count-1) adds to the f of its rows and, unless
             * it lies on the diagonal, to those of its columns. */
            margin_real column[MGN_PANEL];
            for (size_t r = 0; r < MGN_PANEL; r++) { column[r] = 0; }
            for (size_t t = 0; t < m; t++) {
                const margin_real *k = work->tile + t * MGN_PANEL;
                mgn_add(f + j + t, work->lost + j + t, margin_dot(k, c + first, count));
                mgn_axpy(column, c[j + t], k, count);
            }
            for (size_t r = 0; r < count && j >= first + MGN_PANEL; r++) {
                mgn_add(f + first + r, work->lost + first + r, column[r]);
            }
        }
    }
}

/* With c in fit->b computes f = K c and lambda = sqrt(c'f). The mean of k(x, x) by |c| tells how
 * large rounding errors in c'f are: a lambda within them is no direction. */
static margin_status mgn_mam_lambda(const mgn_fit *fit, const mgn_mam_work *work,
                                    margin_real *lambda) {
    margin_real square = 0, lost = 0, mean = 0, lost_mean = 0;
    mgn_data_norms(&fit->data, work->norm);
    mgn_mam_product(fit, work, fit->b, fit->f);
    for (size_t i = 0; i < fit->data.n; i++) {
        margin_real k = work->norm[i];
        mgn_kernel_apply(&fit->kernel, k, work->norm + i, &k, 1);
        mgn_add(&square, &lost, fit->b[i] * fit->f[i]);
        mgn_add(&mean, &lost_mean, mgn_abs(fit->b[i]) * k);
    }
    /* A k(x, x) that is not finite is part of f, so that c'f is not finite either. */
    if (!mgn_finite(square) || !mgn_all_finite(work->norm, fit->data.n)) { return MARGIN_E_RANGE; }
    *lambda = mgn_sqrt(square);
    return square > 64 * MGN_EPS * mean ? MARGIN_OK : MARGIN_E_NO_DIRECTION;
}

static void mgn_mam_kernel_plan(const mgn_fit *fit, margin_arena *mem) {
    mgn_mam_work work;
    mgn_mam_work_plan(&work, mem, fit->most, fit->data.d);
}

static margin_status mgn_mam_kernel_fit(mgn_fit *fit, margin_arena *mem) {
    const margin_mam_options *options = (const margin_mam_options *)fit->options;
    const size_t n = fit->data.n;
    mgn_mam_work work;
    margin_real total[2] = {0, 0}, lost[2] = {0, 0}, lambda = 1, means = 0, lost_mean = 0;
    mgn_mam_work_plan(&work, mem, fit->most, fit->data.d);
    MARGIN_ASSERT(work.norm != NULL && work.tile != NULL); /* the plan has had its blocks */
    for (size_t i = 0; i < n; i++) {
        const size_t side = i >= fit->split ? 1u : 0u;
        mgn_add(total + side, lost + side, mgn_weight(&fit->data, i));
    }
    for (size_t i = 0; i < n; i++) {
        const size_t side = i >= fit->split ? 1u : 0u;
        const margin_real all = options->balanced ? 2 * total[side] : total[0] + total[1];
        fit->b[i] = MGN_R(side == 1u ? 1.0 : -1.0) * (mgn_weight(&fit->data, i) / all);
    }
    const margin_status status = mgn_mam_lambda(fit, &work, &lambda);
    if (status != MARGIN_OK) { return status; }
    for (size_t i = 0; i < n; i++) { /* the mean scores of the two classes, added up */
        const margin_real share = mgn_weight(&fit->data, i) / total[i >= fit->split ? 1 : 0];
        mgn_add(&means, &lost_mean, share * fit->f[i]);
    }
    fit->info = mgn_no_info;
    fit->info.objective = lambda;
    fit->info.converged = true;
    fit->bias = options->intercept ? -means / 2 / lambda : 0;
    for (size_t i = 0; i < n; i++) {
        fit->b[i] /= lambda;
        fit->f[i] = fit->f[i] / lambda + fit->bias;
    }
    return MARGIN_OK;
}

static const mgn_trainer mgn_mam_kernel = {mgn_mam_kernel_plan, mgn_mam_kernel_fit};

static const margin_watch mgn_no_watch = {NULL, NULL};

MARGIN_API size_t margin_mam_train_size(size_t n, size_t d, size_t classes,
                                        const margin_mam_options *options) {
    mgn_fit fit;
    options = options != NULL ? options : &mgn_mam_defaults;
    if (options->kernel.kind == MARGIN_KERNEL_LINEAR) {
        return n == 0 ? 0 : margin_mam_online_start_size(d, classes, options);
    }
    mgn_fit_begin(&fit, &options->kernel, options->scheme, mgn_no_watch, options);
    return mgn_train_size(&mgn_mam_kernel, &fit, n, d, classes);
}

MARGIN_API margin_status margin_mam_train(const margin_data *data,
                                          const margin_mam_options *options, margin_arena *mem,
                                          margin_model *model, margin_info *info) {
    mgn_fit fit;
    options = options != NULL ? options : &mgn_mam_defaults;
    if (options->kernel.kind == MARGIN_KERNEL_LINEAR) {
        static const mgn_method method = {mgn_mam_batch_plan, mgn_mam_batch_run};
        mgn_mam_batch batch;
        margin_status status = mgn_data_check_shape(data); /* reads no features */
        if (status != MARGIN_OK || data->y == NULL) { return mgn_both(status, MARGIN_E_ARGUMENT); }
        const size_t classes = mgn_largest_label(data) + 1u;
        if (classes > UINT16_MAX || (data->weight != NULL && !mgn_weights_fit(data))) {
            return MARGIN_E_LABEL;
        }
        if (classes < 2u) { return MARGIN_E_ONE_CLASS; }
        status = mgn_mam_check(options, data->d, classes);
        if (status != MARGIN_OK) { return status; }
        batch.data = data;
        mgn_mam_begin(&batch.on, data->d, classes, options);
        return mgn_frame_train(&method, &batch, MARGIN_OK, mem, model, info);
    }
    mgn_fit_begin(&fit, &options->kernel, options->scheme, mgn_no_watch, options);
    return mgn_train(&mgn_mam_kernel, &fit, data, mem, model, info);
}

/* |w| in the space of the kernel. */
static margin_real mgn_mam_length(const margin_model *model) {
    margin_real sum = 0, low = 0;
    if (model->kind == MARGIN_MODEL_LINEAR) {
        return margin_norm2(model->of.linear.w, model->of.linear.d);
    }
    margin_expansion e = model->of.expansion;
    e.offset = NULL; /* the vectors are scaled */
    for (size_t i = 0; i < e.n; i++) {
        margin_real score;
        margin_expansion_scores(&e, e.vectors + i * e.d, &score);
        mgn_add_twice(&sum, &low, e.coef[i] * (score - e.bias[0]));
    }
    return mgn_sqrt(mgn_max(sum, 0));
}

/* k(x, x). */
static margin_real mgn_mam_self(const margin_model *model, const margin_real *x) {
    const margin_expansion *e = &model->of.expansion;
    if (model->kind == MARGIN_MODEL_LINEAR) { return margin_dot(x, x, model->of.linear.d); }
    const margin_real norm = mgn_expansion_norm(e, x);
    margin_real k = norm;
    mgn_kernel_apply(&e->kernel, norm, &norm, &k, 1);
    return k;
}

MARGIN_API margin_status margin_mam_certainty_of(const margin_data *data, const margin_model *model,
                                                 bool clipped, margin_mam_certainty *certainty) {
    margin_mam_certainty c;
    size_t classes = 0;
    const margin_status status = margin_data_classes(data, &classes);
    if (status != MARGIN_OK) { return status; }
    /* A binary model that is linear in the features of a kernel; hinge units have none. */
    if (model == NULL || certainty == NULL || model->kind > MARGIN_MODEL_EXPANSION ||
        margin_model_vote(model)->classes != 2u || mgn_model_d(model) != data->d ||
        (model->kind == MARGIN_MODEL_EXPANSION &&
         model->of.expansion.kernel.kind == MARGIN_KERNEL_HINGE)) {
        return MARGIN_E_ARGUMENT;
    }
    if (classes > 2u) { return MARGIN_E_LABEL; }
    /* [14], [15]: the average, and B and R before they are scaled. */
    margin_real sum = 0, low = 0, trace = 0, trace_low = 0, most = 0;
    for (size_t i = 0; i < data->n; i++) {
        const margin_real *x = mgn_sample(data, i);
        const margin_real self = mgn_mam_self(model, x);
        margin_real f;
        margin_scores(model, x, &f);
        f = mgn_label(data, i) == 0 ? -f : f;
        f = clipped ? mgn_min(1, mgn_max(-1, f)) : f;
        mgn_add_twice(&sum, &low, f);
        mgn_add_twice(&trace, &trace_low, self);
        most = mgn_max(most, self);
    }
    c.n = data->n;
    c.average = sum / (margin_real)data->n;
    const bool linear = model->kind == MARGIN_MODEL_LINEAR;
    const margin_real bias =
        mgn_abs((linear ? model->of.linear.bias : model->of.expansion.bias)[0]);
    const margin_real length = mgn_mam_length(model);
    c.radius = clipped ? 1 : length * mgn_sqrt(most) + bias;
    c.complexity = length * (2 * (mgn_sqrt(mgn_max(trace, 0)) / (margin_real)data->n)) +
                   bias * 2 / mgn_sqrt((margin_real)c.n);
    *certainty = c;
    return MARGIN_OK;
}

/* The average margin: w.(difference of the class sums) over all weight, and the bias. */
MARGIN_API margin_status margin_mam_online_certainty(margin_mam_online *on,
                                                     margin_mam_certainty *certainty) {
    mgn_mam_machine m = {0, 1, 0, 0, 0, 0};
    margin_real sum = 0, low = 0;
    margin_linear model;
    if (on == NULL || certainty == NULL || on->machines != 1u) { return MARGIN_E_ARGUMENT; }
    const margin_status status = margin_mam_online_model(on, &model);
    if (status != MARGIN_OK) { return status; }
    (void)mgn_mam_measure(on, &m);
    for (size_t j = 0; j < on->d; j++) {
        mgn_add_twice(&sum, &low, on->w[j] * mgn_mam_column(on, &m, j, 1, -1));
    }
    const margin_real all = m.weight_a + m.weight_b, bias = on->bias[0];
    certainty->n = (size_t)on->count[0] + on->count[1];
    certainty->average = (sum + bias * (m.weight_b - m.weight_a)) / all;
    certainty->radius = mgn_sqrt(on->longest) + mgn_abs(bias);
    certainty->complexity =
        2 * (mgn_sqrt(mgn_max(mgn_mam_column(on, &m, on->d + 1u, 1, 1), 0)) / all) +
        mgn_abs(bias) * 2 / mgn_sqrt(all);
    return MARGIN_OK;
}

MARGIN_API margin_real margin_mam_bound(const margin_mam_certainty *certainty, margin_real rho,
                                        margin_real delta) {
    if (certainty == NULL || certainty->n == 0 || !(delta > 0 && delta < 1) ||
        !(rho > -certainty->radius)) {
        return 1;
    }
    const margin_real b = certainty->radius;
    margin_real mistakes = 3 * b * mgn_sqrt(2 * mgn_log(2 / delta) / (margin_real)certainty->n);
    mistakes = (b - certainty->average + certainty->complexity + mistakes) / (b + mgn_min(rho, b));
    return mistakes < 1 ? mgn_max(mistakes, 0) : 1;
}

/* ---- >>qp ---- the quadratic programme behind kmomd, svm, oneclass and svr ------------------- */

/* With signed weights b_i = y_i alpha_i, R = diag(ridge), and G the gradient of the objective:
 *
 *     minimise  1/2 b'(c K + R)b - l'b   over  0 <= y_i b_i <= cap_i,
 *               where the sum of b over each group is given;      G = c K b + R b - l.
 *
 *     svm       c = 1,            no ridge,                  l = y,  one group, whose sum is 0
 *     nu-svm    c = 1,            no ridge,                  l = 0,  each class is a group of sum y
 *     kmomd     c = 2(1-lambda),  ridge 2 lambda / weight,   l = 0,  no caps; groups as nu-svm's
 *     oneclass  one group of sum 1, all samples positive; otherwise as nu-svm or kmomd; for spheres
 *               l = c K_ii / 2
 *     svr       c = 1,            no ridge,                  l = target - y epsilon,  groups as
 *               svm's or, for nu, as nu-svm's; see below
 *
 * All of this is in units in which the largest c K_ii + ridge_i is about 1, so that nothing over-
 * or underflows.
 *
 * A sample of svr has two weights, of which one is 0: it is there twice, once negative and once
 * positive. Or it is there once, two-sided, which halves the work: b_i runs from -cap_i to cap_i,
 * and the objective has a kink at 0, where G is larger by 2 epsilon for b_i that rises than for
 * one that falls. Such a sample has a side, negative or positive, changed only where b_i = 0.
 *
 * Moving weight within a group, b_i += t and b_j -= t, changes the objective by t (G_i - G_j) +
 * O(t^2): b is optimal when in no group a weight that may fall has a larger G than one that may
 * rise. The largest such difference is the violation.
 *
 * Three kinds of steps:
 *   pair    i = the smallest G that may rise, j = the partner of largest gain (G_j - G_i)^2 / 2a, a
 *           the curvature along the pair (Fan, Chen, Lin: "Working set selection using second order
 *           information", JMLR 6, 2005). O(n) and two kernel rows.
 *   face    a minimiser over all weights strictly between their bounds, by conjugate gradients with
 *           the group sums projected out, stopped at the first bound. Pairs alone stall where K has
 *           a low rank and ridge or 1/cap is small; there the face has few distinct eigenvalues and
 *           conjugate gradients need few products.
 *   start   linear kernels with few features: an interior-point method, below.
 * Samples whose weight sits at a bound and is pressed against it leave the loops (shrinking); the
 * gradient is computed anew for all before convergence is declared. */

/* Of a group: the smallest G of a weight that may rise, and its place; the largest G of a weight
 * that may fall. */
typedef struct {
    margin_real low, high;
    size_t rise;
} mgn_qp_ends;

typedef struct {
    size_t n, split; /* samples; those before `split` are negative, the others positive */
    bool by_class;   /* each class is a group; else all samples are one */
    margin_real c;
    margin_real p; /* l = p y. If p > 0, tol is in units of p, else in units of the objective */
    const margin_real *lin;   /* NULL, or numbers: l = lin - y kink / 2 */
    margin_real kink;         /* twice epsilon */
    uint8_t *side;            /* NULL, or samples are two-sided: 1 for the positive one */
    const margin_real *cap;   /* NULL: no upper bounds */
    const margin_real *ridge; /* NULL: none */
    margin_real sum[2];       /* of b over each group */
    margin_real unit;         /* c and ridge were divided by it; svm: cap was multiplied */
    const margin_data *low;   /* features whose products are K; NULL: K is known by its rows */
    mgn_rows *rows;
    margin_real *own;     /* room for cap or ridge */
    margin_real *b;       /* of all samples */
    size_t m;             /* samples in the loops: */
    size_t m_split;       /* so many of them negative; */
    margin_index *active; /* the sample at each place, ascending, unless m = n; */
    size_t copies;        /* of kernel rows of these, see mgn_qp_row; */
    margin_real *g;       /* its G, */
    margin_real *edge;  /* 0: may rise and fall; MGN_QP_WALL: rise only; -MGN_QP_WALL: fall only; */
    margin_real *curve; /* c K_ii + ridge_i */
    mgn_qp_ends ends[2];
    margin_index *face;       /* samples whose weights are strictly between their bounds; */
    size_t f, f_split;        /* so many, and so many of them negative */
    const margin_real *block; /* during a face step: K of the face alone, f x f, or NULL */
    margin_real *x, *res, *dir, *prod; /* a face step: solution, residual, direction, product */
    margin_real *w;                    /* feature space, where there is one */
    margin_real *dense;                /* A, the curvature of a face of at most `room` samples, */
    margin_real *ones[2];              /* factored; A^-1 e_k, e_k the ones of group k; */
    margin_real level[2][2];           /* e_j' A^-1 e_k */
    size_t room;
    margin_real *panel;      /* for Cholesky factors of `room` rows */
    margin_real tol, peak;   /* peak: the largest diagonal element of K */
    margin_real goal, floor; /* violations to reach, and what rounding can leave of them */
    margin_real ease;        /* 1, or the factor of the goal at which a fresh gradient will do */
    margin_real relax;       /* 1, or the factor by which pair steps go beyond their minimum */
    margin_real violation, objective;
    margin_real loose; /* 0, or, without p, a unit that tol may count in where that is more */
    bool known;        /* g is the gradient of all samples already */
    bool moved;        /* a weight has changed since this was set to false */
    bool begun;        /* the weights in b meet all constraints: they are where to start */
    bool early;        /* many samples leave the loops: it pays to look for them early and often */
    bool own_w; /* w is a variable of its own and not computed from b; see the interior point */
    const margin_real *mean; /* with own_w: the point that features are measured from */
    size_t iterations;
} mgn_qp;

/* Larger than any G, and far from overflow. */
#define MGN_QP_WALL (MGN_HUGE / 4)

/* The arrays of n samples, and of dense faces in d features (0: none). */
static void mgn_qp_plan(mgn_qp *plan, margin_arena *mem, size_t n, size_t d) {
    const size_t room = MARGIN_QP_ROOM(d);
    size_t bytes = 0;
    MARGIN_BLOCKS_QP(MGN_COUNT, n, room)
    unsigned char *at = MGN_SCRATCH(mem, unsigned char, bytes);
    plan->room = room;
    if (at != NULL) { MARGIN_BLOCKS_QP(MGN_LAY, n, room) }
}

static bool mgn_qp_positive(const mgn_qp *q, size_t i) {
    return q->side != NULL ? q->side[i] != 0 : i >= q->split;
}

static unsigned mgn_qp_group(const mgn_qp *q, size_t i) {
    return q->by_class && mgn_qp_positive(q, i) ? 1u : 0u;
}

/* y_i v: positive where v points to larger |b_i|. */
static margin_real mgn_qp_signed(const mgn_qp *q, size_t i, margin_real v) {
    return mgn_qp_positive(q, i) ? v : -v;
}

/* The linear term l_i. */
static margin_real mgn_qp_linear(const mgn_qp *q, size_t i) {
    return q->lin != NULL ? q->lin[i] - mgn_qp_signed(q, i, q->kink / 2)
                          : mgn_qp_signed(q, i, q->p);
}

static margin_real mgn_qp_ridge(const mgn_qp *q, size_t i) {
    return q->ridge != NULL ? q->ridge[i] : 0;
}

/* The sample at place s of the loops. */
static size_t mgn_qp_at(const mgn_qp *q, size_t s) {
    return q->m < q->n ? q->active[s] : s;
}

/* How far b_i may rise, or fall. */
static margin_real mgn_qp_room(const mgn_qp *q, size_t i, bool rise) {
    const margin_real alpha = mgn_abs(q->b[i]);
    if (mgn_qp_positive(q, i) != rise) { return alpha; }
    return q->cap != NULL ? q->cap[i] - alpha : MGN_HUGE;
}

static bool mgn_qp_is_free(const mgn_qp *q, size_t i) {
    return mgn_qp_room(q, i, true) > 0 && mgn_qp_room(q, i, false) > 0;
}

/* Notes which way the weight at place s may move. */
static void mgn_qp_mark(mgn_qp *q, size_t s) {
    const size_t i = mgn_qp_at(q, s);
    const margin_real floor = mgn_qp_room(q, i, false) > 0 ? 0 : MGN_QP_WALL;
    q->edge[s] = mgn_qp_room(q, i, true) > 0 ? floor : -MGN_QP_WALL;
    if (q->side != NULL && q->b[i] == 0) {
        q->edge[s] = mgn_qp_signed(q, i, mgn_max(q->kink, MGN_TINY));
    }
}

/* Puts a two-sided sample of weight 0 at place s on the side to which the weight is going to
 * move. */
static void mgn_qp_turn(mgn_qp *q, size_t s, bool rise) {
    const size_t i = mgn_qp_at(q, s);
    if (q->side != NULL && q->b[i] == 0 && mgn_qp_positive(q, i) != rise) {
        q->side[i] = rise ? 1 : 0;
        q->g[s] += mgn_qp_signed(q, i, q->kink);
        mgn_qp_mark(q, s);
    }
}

/* b_i += t. Where that reaches a bound, b_i is set to the bound exactly. */
static void mgn_qp_shift(mgn_qp *q, size_t i, margin_real t) {
    const bool rise = t > 0;
    const margin_real old = q->b[i];
    if (mgn_abs(t) < mgn_qp_room(q, i, rise)) {
        q->b[i] += t;
    } else if (mgn_qp_positive(q, i) != rise) {
        q->b[i] = 0;
    } else if (q->cap != NULL) {
        q->b[i] = mgn_qp_signed(q, i, q->cap[i]);
    }
    if (q->cap != NULL && mgn_abs(q->b[i]) > q->cap[i]) { /* by rounding */
        q->b[i] = mgn_qp_signed(q, i, q->cap[i]);
    }
    q->moved = q->moved || q->b[i] != old;
}

/* out += a0 r0 + a1 r1 at the samples of `list`, where r0 and r1 are kernel rows; NULL means
 * all. */
static void mgn_qp_add_rows(margin_real *MGN_RESTRICT out, size_t m, const margin_index *list,
                            margin_real a0, const margin_real *r0, margin_real a1,
                            const margin_real *r1) {
    if (list == NULL) {
        for (size_t s = 0; s < m; s++) { out[s] = (out[s] + a0 * r0[s]) + a1 * r1[s]; }
    } else {
        for (size_t s = 0; s < m; s++) { out[s] = (out[s] + a0 * r0[list[s]]) + a1 * r1[list[s]]; }
    }
}

/* If one of the two rows that a product needs next, from `first` on, is missing, computes it
 * together with the next ones that are missing too: as many as there are slots for at once, at most
 * MGN_TILE. */
static void mgn_qp_ahead(mgn_qp *q, const margin_index *list, size_t m, const margin_real *v,
                         size_t first) {
    const size_t most = mgn_size_min(q->rows->slots, MGN_TILE);
    margin_index group[MGN_TILE];
    size_t count = 0;
    for (size_t t = first; t < m && count < most && (count > 0 || t <= first + 1u); t++) {
        const size_t i = list == NULL ? t : list[t];
        if (v[t] != 0 && mgn_rows_missing(q->rows, i)) { group[count++] = (margin_index)i; }
    }
    if (count > 0) { mgn_rows_make(q->rows, group, count); }
}

/* out = a times the kernel matrix of the samples in `list`, NULL means all, times v. */
static void mgn_qp_mul(mgn_qp *q, margin_real a, const margin_index *list, size_t m,
                       const margin_real *v, margin_real *out) {
    if (q->low != NULL) {
        const margin_data *low = q->low;
        for (size_t k = 0; k < low->d; k++) { q->w[k] = 0; }
        for (size_t t = 0; t < m; t++) {
            if (v[t] != 0) {
                margin_axpy(q->w, a * v[t], mgn_sample(low, list == NULL ? t : list[t]), low->d);
            }
        }
        for (size_t s = 0; s < m; s++) {
            out[s] = margin_dot(q->w, mgn_sample(low, list == NULL ? s : list[s]), low->d);
        }
    } else {
        /* out[s] = sum over t of a v[t] K(list[s], list[t]), s, t < m, two rows at a time. */
        const margin_real *block = list == q->face ? q->block : NULL;
        size_t first = m; /* of a pair of rows; m: none yet */
        for (size_t s = 0; s < m; s++) { out[s] = 0; }
        for (size_t t = 0; t < m; t++) {
            if (v[t] != 0 && first == m) {
                first = t;
            } else if (v[t] != 0 && block != NULL) {
                mgn_qp_add_rows(out, m, NULL, a * v[first], block + first * m, a * v[t],
                                block + t * m);
                first = m;
            } else if (v[t] != 0) {
                mgn_qp_ahead(q, list, m, v, first);
                const margin_real *ri = mgn_rows_get(q->rows, list == NULL ? first : list[first]);
                const margin_real *rj = mgn_rows_get(q->rows, list == NULL ? t : list[t]);
                mgn_qp_add_rows(out, m, list, a * v[first], ri, a * v[t], rj);
                first = m;
            }
        }
        if (first < m) {
            const margin_real *ri = mgn_rows_get(q->rows, list == NULL ? first : list[first]);
            mgn_qp_add_rows(out, m, list, a * v[first], ri, 0, ri);
        }
    }
}

/* G of all samples and the objective from scratch, and with them the goal: tol is in units of the
 * margin for svm, of the target for svr, relative to the objective for kmomd. */
static void mgn_qp_gradient(mgn_qp *q) {
    margin_real sum = 0, mass = 0;
    if (q->own_w) { /* then c b'Kb is |w|^2 / c, and (c K b)_i is w . (x_i - mean) */
        const size_t d = q->low->d;
        const margin_real square = margin_dot(q->w, q->w, d);
        sum = square / q->c;
        for (size_t i = 0; i < q->n; i++) {
            const margin_real *x = mgn_sample(q->low, i), ridge = mgn_qp_ridge(q, i);
            margin_real wx = 0;
            for (size_t k = 0; k < d; k++) { wx += q->w[k] * (x[k] - q->mean[k]); }
            q->g[i] = wx + ridge * q->b[i] - mgn_qp_linear(q, i);
            sum += ridge * q->b[i] * q->b[i] - 2 * mgn_qp_linear(q, i) * q->b[i];
        }
        q->floor = 16 * MGN_EPS * mgn_sqrt(square) * mgn_sqrt(q->peak);
    } else { /* from b: rounding leaves of G about EPS c |b| max K */
        if (!q->known) { mgn_qp_mul(q, q->c, NULL, q->n, q->b, q->g); }
        for (size_t i = 0; i < q->n; i++) {
            const margin_real linear = mgn_qp_linear(q, i);
            q->g[i] += q->known ? 0 : mgn_qp_ridge(q, i) * q->b[i] - linear;
            sum += q->b[i] * (q->g[i] - linear);
            mass += mgn_abs(q->b[i]);
        }
        q->floor = 16 * MGN_EPS * mass * (q->c * q->peak);
        q->known = false;
    }
    q->objective = sum / 2;
    const margin_real least = mgn_max(q->p > 0 ? q->p : q->objective, 0);
    q->goal = q->tol * mgn_max(least, mgn_min(q->loose, 64 * least));
}

/* Updates the ends by the places from .. to - 1. Of equal values the first one wins. */
static void mgn_qp_ends_add(const mgn_qp *q, size_t from, size_t to, mgn_qp_ends *e) {
    for (size_t s = from; s < to; s++) {
        const margin_real up = q->g[s] - mgn_min(q->edge[s], 0);
        const margin_real down = q->g[s] - mgn_max(q->edge[s], 0);
        if (up < e->low) {
            e->low = up;
            e->rise = s;
        }
        e->high = mgn_max(e->high, down);
    }
}

/* Curvature of the objective along b_i += t, b_j -= t, from the two diagonal elements and K_ij,
 * kept from vanishing for equal samples. */
static inline margin_real mgn_qp_curvature(margin_real both, margin_real twice_c, margin_real kij) {
    return mgn_max(both - twice_c * kij, MGN_EPS * both + MGN_TINY);
}

/* A partner for the sample of gradient gi and curvature ci; k its kernel row. */
typedef struct {
    margin_real gi, ci, twice_c, gain;
    const margin_real *k;
    size_t place;
} mgn_qp_match;

/* Continues the search for the largest gain over the places from .. to - 1. */
static void mgn_qp_match_add(const mgn_qp *q, size_t from, size_t to, mgn_qp_match *p) {
    for (size_t s = from; s < to; s++) {
        const margin_real rise = (q->g[s] - mgn_max(q->edge[s], 0)) - p->gi;
        const margin_real a = mgn_qp_curvature(q->curve[s] + p->ci, p->twice_c, p->k[s]);
        const margin_real gain = rise > 0 ? rise * rise / a : 0;
        if (gain > p->gain) {
            p->gain = gain;
            p->place = s;
        }
    }
}

#if MARGIN_VECTOR

/* The two loops over all samples that make up a pair step, with compiler vectors. A lane remembers
 * the block in which its best value came up; among the lanes of the best value the first block wins
 * and is then searched place by place. So the first of equals is found, whatever the width. */
#define MGN_QP_BLOCK ((size_t)64u)
typedef mgn_word mgn_lanes __attribute__((vector_size(MARGIN_VECTOR)));

static inline mgn_vec mgn_vec_choose(mgn_lanes mask, mgn_vec a, mgn_vec b) {
    return (mgn_vec)((mask & (mgn_lanes)a) | (~mask & (mgn_lanes)b));
}

static inline mgn_vec mgn_vec_min(mgn_vec a, mgn_vec b) {
    return mgn_vec_choose((mgn_lanes)(b < a), b, a);
}

static inline mgn_vec mgn_vec_max(mgn_vec a, mgn_vec b) {
    return mgn_vec_choose((mgn_lanes)(a < b), b, a);
}

/* The first block whose lane holds the largest value. */
static size_t mgn_lanes_first(mgn_vec value, mgn_lanes block) {
    size_t best = 0;
    for (size_t l = 1; l < MGN_LANES; l++) {
        if (value[l] > value[best] || (value[l] >= value[best] && block[l] < block[best])) {
            best = l;
        }
    }
    return (size_t)block[best];
}

/* Whole blocks of mgn_qp_pass; returns where they end. */
static size_t mgn_qp_pass_blocks(mgn_qp *q, size_t from, size_t to, margin_real ct,
                                 const margin_real *ki, const margin_real *kj, mgn_qp_ends *e) {
    const mgn_vec zero = {0};
    mgn_vec low = zero + MGN_QP_WALL, high = zero - MGN_QP_WALL;
    mgn_lanes where = {0}, now = {0};
    size_t s = from;
    for (; to - s >= MGN_QP_BLOCK; now += 1u) {
        const mgn_vec before = low;
        for (const size_t end = s + MGN_QP_BLOCK; s < end; s += MGN_LANES) {
            const mgn_vec step = mgn_vec_load(ki + s) - mgn_vec_load(kj + s);
            const mgn_vec g = mgn_vec_load(q->g + s) + ct * step;
            const mgn_vec edge = mgn_vec_load(q->edge + s);
            mgn_vec_store(q->g + s, g);
            low = mgn_vec_min(low, g - mgn_vec_min(edge, zero));
            high = mgn_vec_max(high, g - mgn_vec_max(edge, zero));
        }
        where = (mgn_lanes)mgn_vec_choose((mgn_lanes)(low < before), (mgn_vec)now, (mgn_vec)where);
    }
    if (s > from) {
        const size_t first = from + mgn_lanes_first(-low, where) * MGN_QP_BLOCK;
        mgn_qp_ends_add(q, first, first + MGN_QP_BLOCK, e);
        for (size_t l = 0; l < MGN_LANES; l++) { e->high = mgn_max(e->high, high[l]); }
    }
    return s;
}

/* Whole blocks of the search for a partner; returns where they end. */
static size_t mgn_qp_match_blocks(const mgn_qp *q, size_t from, size_t to, mgn_qp_match *p) {
    const mgn_vec zero = {0};
    mgn_vec best = zero - 1;
    mgn_lanes where = {0}, now = {0};
    size_t s = from;
    for (; to - s >= MGN_QP_BLOCK; now += 1u) {
        const mgn_vec before = best;
        for (const size_t end = s + MGN_QP_BLOCK; s < end; s += MGN_LANES) {
            const mgn_vec edge = mgn_vec_load(q->edge + s),
                          both = mgn_vec_load(q->curve + s) + p->ci;
            const mgn_vec rise =
                mgn_vec_max((mgn_vec_load(q->g + s) - mgn_vec_max(edge, zero)) - p->gi, zero);
            const mgn_vec a =
                mgn_vec_max(both - p->twice_c * mgn_vec_load(p->k + s), MGN_EPS * both + MGN_TINY);
            best = mgn_vec_max(best, rise * rise / a);
        }
        where = (mgn_lanes)mgn_vec_choose((mgn_lanes)(before < best), (mgn_vec)now, (mgn_vec)where);
    }
    if (s > from) {
        const size_t first = from + mgn_lanes_first(best, where) * MGN_QP_BLOCK;
        mgn_qp_match_add(q, first, first + MGN_QP_BLOCK, p);
    }
    return s;
}

#endif

/* G += ct (ki - kj) at the places from .. to - 1, and their ends. */
static void mgn_qp_pass(mgn_qp *q, size_t from, size_t to, margin_real ct, const margin_real *ki,
                        const margin_real *kj, mgn_qp_ends *e) {
    size_t s = from;
    e->low = MGN_QP_WALL;
    e->high = -MGN_QP_WALL;
    e->rise = from;
#if MARGIN_VECTOR
    s = mgn_qp_pass_blocks(q, from, to, ct, ki, kj, e);
#endif
    for (size_t t = s; t < to; t++) { q->g[t] += ct * (ki[t] - kj[t]); }
    mgn_qp_ends_add(q, s, to, e);
}

/* The same for both groups; then the violation, and the group that has it. */
static unsigned mgn_qp_update(mgn_qp *q, margin_real ct, const margin_real *ki,
                              const margin_real *kj) {
    const size_t end = q->by_class ? q->m_split : q->m;
    mgn_qp_pass(q, 0, end, ct, ki, kj, &q->ends[0]);
    mgn_qp_pass(q, end, q->m, ct, ki, kj, &q->ends[1]);
    q->violation = mgn_max(q->ends[0].high - q->ends[0].low, 0);
    const margin_real other = q->ends[1].high - q->ends[1].low;
    if (other > q->violation) {
        q->violation = other;
        return 1u;
    }
    return 0u;
}

/* Ends and violation of the gradient as it is. */
static unsigned mgn_qp_scan(mgn_qp *q) {
    return mgn_qp_update(q, 0, q->curve, q->curve);
}

/* The kernel row of the sample at place s, restricted to the places of the loops: the row of K
 * itself if these are all samples, otherwise a copy. Copies are made once and stay side by side in
 * spare memory, so that they are read from the processor's cache; where there is none, `room` has
 * space for one. The last m values of the spare memory are the numbers of the copies, by places,
 * and 0 where there is none yet; copy number k begins k m values before them. */
static const margin_real *mgn_qp_row(mgn_qp *q, size_t s, margin_real *room) {
    if (q->m == q->n) { return mgn_rows_get(q->rows, s); }
    const margin_real *last = mgn_rows_spare(q->rows, (q->copies + 1u) * q->m);
    last = last != NULL ? last + q->copies * q->m : NULL;
    if (last != NULL && last[s] > 0) { return last - (size_t)last[s] * q->m; }
    const margin_real *row = mgn_rows_get(q->rows, q->active[s]);
    margin_real *spare = mgn_rows_spare(q->rows, (q->copies + 2u) * q->m);
    if (spare != NULL) {
        room = spare;
        q->copies++;
        spare[q->copies * q->m + s] = (margin_real)q->copies;
    }
    for (size_t t = 0; t < q->m; t++) { room[t] = row[q->active[t]]; }
    return room;
}

/* Features from which on rows are computed in groups, below. With fewer, the search for the others
 * of a group takes as long as it saves. */
#define MGN_QP_GROUPED 16u

/* If the kernel row of the sample at place s is missing, computes it together with the missing rows
 * of the three samples that violate the conditions most in the same direction, to rise or to fall.
 * About nineteen of twenty of these are asked for later, and four rows at once take half the time
 * of four rows. */
static void mgn_qp_expect(mgn_qp *q, size_t s, bool rise) {
    const size_t i = mgn_qp_at(q, s);
    margin_index group[MGN_TILE] = {(margin_index)i};
    margin_real worth[MGN_TILE] = {0};
    size_t count = 1;
    if (!mgn_rows_missing(q->rows, i) || !mgn_rows_spacious(q->rows) ||
        q->rows->data.d < MGN_QP_GROUPED) {
        return;
    }
    for (size_t t = 0; t < q->m; t++) {
        const margin_real now =
            rise ? mgn_min(q->edge[t], 0) - q->g[t] : q->g[t] - mgn_max(q->edge[t], 0);
        if (count < MGN_TILE || now > worth[MGN_TILE - 1u]) {
            const size_t j = mgn_qp_at(q, t);
            size_t at = mgn_size_min(count, MGN_TILE - 1u);
            if (t == s || !mgn_rows_missing(q->rows, j)) { continue; }
            for (; at > 1u && worth[at - 1u] < now; at--) {
                worth[at] = worth[at - 1u];
                group[at] = group[at - 1u];
            }
            worth[at] = now;
            group[at] = (margin_index)j;
            count = mgn_size_min(count + 1u, MGN_TILE);
        }
    }
    mgn_rows_make(q->rows, group, count);
}

/* The partner of the sample at place i with the largest gain; m when there is none. */
static size_t mgn_qp_partner(mgn_qp *q, size_t i, unsigned group, const margin_real *ki) {
    const size_t middle = q->by_class ? q->m_split : q->m;
    const size_t to = group == 0 ? middle : q->m;
    size_t from = group == 0 ? 0 : middle;
    mgn_qp_match p = {q->g[i], q->curve[i], 2 * q->c, 0, ki, q->m};
#if MARGIN_VECTOR
    from = mgn_qp_match_blocks(q, from, to, &p);
#endif
    mgn_qp_match_add(q, from, to, &p);
    return p.place;
}

/* A pair step in the given group. Returns the group that has the largest violation afterwards.
 * q->moved stays false if the step is too small to change a weight. */
static unsigned mgn_qp_pair(mgn_qp *q, unsigned group) {
    const size_t s = q->ends[group].rise, i = mgn_qp_at(q, s);
    mgn_qp_turn(q, s, true);
    mgn_qp_expect(q, s, true);
    const margin_real *ki = mgn_qp_row(q, s, q->dir);
    const size_t partner = mgn_qp_partner(q, s, group, ki);
    if (partner == q->m) { return group; }
    const size_t j = mgn_qp_at(q, partner);
    mgn_qp_turn(q, partner, false);
    mgn_qp_expect(q, partner, false);
    const margin_real *kj = mgn_qp_row(q, partner, q->prod);
    margin_real t = (q->g[partner] - q->g[s]) /
                    mgn_qp_curvature(q->curve[s] + q->curve[partner], 2 * q->c, ki[partner]);
    t = mgn_min(q->relax * t, mgn_min(mgn_qp_room(q, i, true), mgn_qp_room(q, j, false)));
    mgn_qp_shift(q, i, t);
    mgn_qp_shift(q, j, -t);
    mgn_qp_mark(q, s);
    mgn_qp_mark(q, partner);
    q->g[s] += mgn_qp_ridge(q, i) * t;
    q->g[partner] -= mgn_qp_ridge(q, j) * t;
    return mgn_qp_update(q, q->c * t, ki, kj);
}

/* How far pair steps go, in units of the way to their minimum. Any factor below 2 descends. Where
 * many samples are alike, what one step gains the next ones partly undo, and going further
 * (successive over-relaxation) saves a third of the steps; where few are, it costs some. How alike
 * samples are is told by four kernel rows. */
static void mgn_qp_relax(mgn_qp *q) {
    margin_real alike = 0, all = 0;
    for (size_t i = 0; i < q->n; i += 32u * (1u + q->n / 128u)) {
        const margin_real *row = mgn_rows_get(q->rows, i), own = q->rows->diag[i];
        for (size_t j = 0; j < q->n; j++) {
            alike += mgn_abs(row[j]);
            all += own / 2 + q->rows->diag[j] / 2;
        }
    }
    q->relax = alike > all / 32 ? MGN_R(1.4) : 1;
}

/* Whether the gradient presses the weight at place s against a bound, or to 0 from both sides, so
 * that it takes part in no violation. */
static bool mgn_qp_is_pressed(const mgn_qp *q, size_t s) {
    const mgn_qp_ends *e = &q->ends[q->by_class && s >= q->m_split ? 1 : 0];
    return q->g[s] - mgn_min(q->edge[s], 0) > e->high && q->g[s] - mgn_max(q->edge[s], 0) < e->low;
}

/* Drops such samples from the loops if at most half are left, and fewer than before by an eighth:
 * then gathering kernel rows pays. */
static void mgn_qp_shrink(mgn_qp *q) {
    size_t m = 0, split = 0;
    for (size_t s = 0; s < q->m; s++) { m += mgn_qp_is_pressed(q, s) ? 0 : 1u; }
    if (m > mgn_size_min(q->n / 2u, q->m - q->m / 8u)) { return; }
    m = 0;
    for (size_t s = 0; s < q->m; s++) {
        if (!mgn_qp_is_pressed(q, s)) {
            const size_t i = mgn_qp_at(q, s);
            q->active[m] = (margin_index)i;
            q->g[m] = q->g[s];
            q->edge[m] = q->edge[s];
            q->curve[m] = q->curve[s];
            split += i < q->split ? 1u : 0u;
            m++;
        }
    }
    q->m = m;
    q->m_split = split;
    q->copies = 0;
    margin_real *spare = mgn_rows_spare(q->rows, m);
    if (spare != NULL) { mgn_zero(spare, m); }
}

/* Subtracts from v its mean over each group of the face, so that moving b along v keeps the
 * sums. */
static void mgn_qp_center(const mgn_qp *q, margin_real *v) {
    const size_t end[3] = {0, q->by_class ? q->f_split : q->f, q->f};
    for (size_t k = 0; k < 2u; k++) {
        margin_real sum = 0;
        for (size_t s = end[k]; s < end[k + 1u]; s++) { sum += v[s]; }
        for (size_t s = end[k]; s < end[k + 1u]; s++) {
            v[s] -= sum / (margin_real)(end[k + 1u] - end[k]);
        }
    }
}

/* prod = the curvature matrix times v on the face, centred. */
static void mgn_qp_face_mul(mgn_qp *q, const margin_real *v) {
    mgn_qp_mul(q, q->c, q->face, q->f, v, q->prod);
    for (size_t s = 0; s < q->f; s++) { q->prod[s] += mgn_qp_ridge(q, q->face[s]) * v[s]; }
    mgn_qp_center(q, q->prod);
}

/* Factors the curvature A of a small face. Returns false if the face is too large, or A is not
 * positive definite. */
static bool mgn_qp_dense(mgn_qp *q) {
    const size_t f = q->f;
    if (f > q->room) { return false; }
    for (size_t s = 0; s < f; s++) {
        for (size_t t = 0; t <= s; t++) {
            const size_t i = q->face[s], j = q->face[t];
            q->dense[s * f + t] =
                q->c * (q->low == NULL
                            ? mgn_rows_get(q->rows, i)[j]
                            : margin_dot(mgn_sample(q->low, i), mgn_sample(q->low, j), q->low->d));
        }
        q->dense[s * f + s] += mgn_qp_ridge(q, q->face[s]) + 64 * MGN_EPS * (q->c * q->peak);
    }
    if (!mgn_cholesky(q->dense, f, f, q->panel)) { return false; }
    for (unsigned k = 0; k < 2u; k++) {
        for (size_t s = 0; s < f; s++) { q->ones[k][s] = mgn_qp_group(q, q->face[s]) == k ? 1 : 0; }
        (void)margin_cholesky_solve(q->ones[k], 1, q->dense, f);
        q->level[k][0] = q->level[k][1] = 0;
        for (size_t s = 0; s < f; s++) {
            q->level[k][mgn_qp_group(q, q->face[s])] += q->ones[k][s];
        }
    }
    return true;
}

/* v = A^-1 (v - nu_0 e_0 - nu_1 e_1), with nu such that the sums of v over the groups are 0. The
 * sums of A^-1 v are s_k = e_k'A^-1 v, so that nu solves the system level nu = s of two
 * equations. */
static void mgn_qp_dense_solve(const mgn_qp *q, margin_real *v) {
    const margin_real l00 = q->level[0][0], l01 = q->level[0][1], l11 = q->level[1][1];
    const margin_real det = l00 * l11 - l01 * l01;
    margin_real sum[2] = {0, 0}, nu0, nu1;
    (void)margin_cholesky_solve(v, 1, q->dense, q->f);
    for (size_t s = 0; s < q->f; s++) { sum[mgn_qp_group(q, q->face[s])] += v[s]; }
    if (l00 > 0 && l11 > 0 && det > 0) {
        nu0 = (l11 * sum[0] - l01 * sum[1]) / det;
        nu1 = (l00 * sum[1] - l01 * sum[0]) / det;
    } else {
        nu0 = l00 > 0 ? sum[0] / l00 : 0;
        nu1 = l11 > 0 ? sum[1] / l11 : 0;
    }
    for (size_t s = 0; s < q->f; s++) { v[s] -= nu0 * q->ones[0][s] + nu1 * q->ones[1][s]; }
}

/* x = approximate minimiser over the face, from the residual -G: at most `limit` steps of conjugate
 * gradients with the sums projected out (Gould, Hribar, Nocedal: "On the solution of equality
 * constrained quadratic programming problems arising in optimization", SIAM J. Sci. Comput. 23,
 * 2001), preconditioned by the factored curvature on a small face. */
static void mgn_qp_face_solve(mgn_qp *q, size_t limit) {
    const bool dense = mgn_qp_dense(q);
    const size_t steps = dense ? 4u : limit;
    margin_real old = 1, first = 0;
    mgn_qp_center(q, q->res);
    for (size_t k = 0; k < steps; k++) {
        mgn_copy(q->prod, q->res, q->f);
        if (dense) { mgn_qp_dense_solve(q, q->prod); }
        const margin_real rz = margin_dot(q->res, q->prod, q->f);
        first = k == 0 ? rz : first;
        if (!(rz > MGN_EPS * MGN_EPS * first) || !(rz > MGN_TINY)) { break; }
        const margin_real ratio = k == 0 ? 0 : rz / old; /* keeps the direction conjugate */
        for (size_t s = 0; s < q->f; s++) { q->dir[s] = q->prod[s] + ratio * q->dir[s]; }
        mgn_qp_face_mul(q, q->dir);
        const margin_real curve = margin_dot(q->dir, q->prod, q->f);
        if (!(curve > 0) || !(rz / curve <= MGN_HUGE)) { /* flat along it: the end is a bound */
            if (k == 0) { mgn_copy(q->x, q->dir, q->f); }
            break;
        }
        margin_axpy(q->x, rz / curve, q->dir, q->f);
        margin_axpy(q->res, -rz / curve, q->prod, q->f);
        old = rz;
    }
    mgn_qp_center(q, q->x);
}

/* The length of the step along x: to the minimum, or to the first bound on the way, which makes
 * *whole false. Returns 0 if x does not descend. */
static margin_real mgn_qp_face_length(mgn_qp *q, bool *whole) {
    margin_real slope = 0, curve, t;
    size_t at = 0;
    mgn_qp_face_mul(q, q->x);
    curve = margin_dot(q->x, q->prod, q->f);
    for (size_t s = 0; s < q->m; s++) {
        if (q->edge[s] == 0) { slope -= q->g[s] * q->x[at++]; }
    }
    if (!(slope > 0)) { return 0; }
    t = curve > 0 ? slope / curve : MGN_HUGE;
    for (size_t s = 0; s < q->f; s++) {
        const margin_real room = mgn_qp_room(q, q->face[s], q->x[s] > 0);
        if (room < t * mgn_abs(q->x[s])) {
            t = room / mgn_abs(q->x[s]);
            *whole = false;
        }
    }
    return t < MGN_HUGE ? t : 0;
}

/* Copies K of the face alone to spare memory, if there is enough: products read it ten times and
 * more, and in whole rows the values of the face lie far apart. The bits of products are the same
 * with and without the copy. */
static void mgn_qp_gather(mgn_qp *q) {
    const size_t f = q->f, copies = q->m < q->n ? (q->copies + 1u) * q->m : 0;
    q->block = NULL;
    if (q->low != NULL || q->rows->slots < q->n) { return; }
    for (size_t s = 0; s < f; s++) {
        mgn_qp_ahead(q, q->face, f, q->res, s);
        (void)mgn_rows_get(q->rows, q->face[s]);
    }
    margin_real *to = mgn_rows_spare(q->rows, copies + f * f); /* below the copies of pair steps */
    for (size_t s = 0; to != NULL && s < f; s++) {
        const margin_real *row = mgn_rows_get(q->rows, q->face[s]);
        for (size_t t = 0; t < f; t++) { to[s * f + t] = row[q->face[t]]; }
    }
    q->block = to;
}

/* One face step of at most `limit` products. Returns whether it ended at no bound. */
static bool mgn_qp_face(mgn_qp *q, size_t limit) {
    bool whole = true;
    size_t at = 0;
    /* The face: the free samples in the loops, and minus their G as residual. */
    q->f = q->f_split = 0;
    for (size_t s = 0; s < q->m; s++) {
        if (q->edge[s] == 0) {
            const size_t i = mgn_qp_at(q, s);
            q->face[q->f] = (margin_index)i;
            q->res[q->f] = -q->g[s];
            q->x[q->f] = q->dir[q->f] = 0;
            q->f_split += i < q->split ? 1u : 0u;
            q->f++;
        }
    }
    mgn_qp_gather(q);
    mgn_qp_face_solve(q, limit);
    const margin_real t = mgn_qp_face_length(q, &whole);
    for (size_t s = 0; s < q->m; s++) {
        q->dir[s] = 0;
        if (q->edge[s] == 0) {
            const size_t i = q->face[at];
            q->dir[s] = t * q->x[at++];
            q->g[s] += mgn_qp_ridge(q, i) * q->dir[s];
            mgn_qp_shift(q, i, q->dir[s]);
            mgn_qp_mark(q, s);
        }
    }
    mgn_qp_mul(q, q->c, q->m < q->n ? q->active : NULL, q->m, q->dir, q->prod);
    for (size_t s = 0; s < q->m; s++) { q->g[s] += q->prod[s]; }
    return whole;
}

/* The smallest ridge; 1 if there is none. */
static margin_real mgn_qp_least_ridge(const mgn_qp *q) {
    margin_real least = q->ridge != NULL ? q->ridge[0] : 1;
    for (size_t i = 0; q->ridge != NULL && i < q->n; i++) { least = mgn_min(least, q->ridge[i]); }
    return least;
}

/* Weights to start from that meet all constraints: in proportion to the caps, or as the ridge alone
 * would choose them, in proportion to 1 / ridge. */
static void mgn_qp_cold(mgn_qp *q) {
    const margin_real least = mgn_qp_least_ridge(q);
    margin_real sum[2] = {0, 0}, lost[2] = {0, 0};
    for (size_t i = 0; i < q->n; i++) {
        const margin_real share = q->ridge != NULL ? least / q->ridge[i] : 1;
        const unsigned k = mgn_qp_group(q, i);
        q->b[i] = q->cap != NULL ? q->cap[i] : share;
        mgn_add(&sum[k], &lost[k], q->b[i]);
    }
    for (size_t i = 0; i < q->n; i++) {
        const margin_real all = mgn_abs(q->sum[mgn_qp_group(q, i)]);
        q->b[i] = all > 0 ? mgn_qp_signed(q, i, q->b[i] / sum[mgn_qp_group(q, i)] * all) : 0;
    }
}

/* Weights to start from where caps are small: the sum of each group is put on the samples least
 * like others of their class and most like the other one, by their caps. Few kernel rows are
 * needed then, and many of these samples will be support vectors. How alike samples are is told by
 * the mean of kernel rows of some of them. */
static void mgn_qp_capped(mgn_qp *q) {
    const size_t step = 1u + q->n / 128u;
    margin_real left[2] = {mgn_abs(q->sum[0]), mgn_abs(q->sum[1])};
    size_t count[2] = {0, 0};
    for (size_t i = 0; i < q->n; i += step) { count[mgn_qp_positive(q, i) ? 1 : 0]++; }
    for (size_t i = 0; i < q->n; i++) {
        const size_t of_class = count[mgn_qp_positive(q, i) ? 1 : 0];
        q->b[i] = i % step == 0 ? mgn_qp_signed(q, i, 1 / (margin_real)of_class) : 0;
    }
    mgn_qp_mul(q, q->c, NULL, q->n, q->b, q->x);
    for (size_t i = 0; i < q->n; i++) { q->x[i] = mgn_qp_signed(q, i, q->x[i]); }
    mgn_order_begin(q->face, q->n);
    (void)mgn_order_sort(q->x, q->face, q->active, q->n);
    for (size_t s = 0; s < q->n; s++) {
        const size_t i = q->face[s];
        margin_real *rest = &left[mgn_qp_group(q, i)];
        q->b[i] = mgn_qp_signed(q, i, mgn_min(*rest, q->cap[i]));
        *rest = mgn_max(*rest - mgn_abs(q->b[i]), 0);
    }
    q->begun = left[0] == 0 && left[1] == 0;
}

/* Interior point where K is products of few features. With multipliers nu for the sums and z, s >=
 * 0 for the bounds, alpha_i = |b_i| and u_i = cap_i - alpha_i:
 *
 *     G_i - nu_group(i) - y_i (z_i - s_i) = 0,   z_i alpha_i = mu,   s_i u_i = mu,   mu -> 0.
 *
 * Newton's method; eliminating all that is diagonal, D_i = ridge_i + z_i/alpha_i + s_i/u_i, leaves
 * in each step one positive definite system in (c dw, dnu), w = sum b_i x_i, of d + groups
 * unknowns,
 *
 *     N = sum 1/D_i (x_i, -e_group(i)) (x_i, -e_group(i))' + diag(1/c, 0),
 *
 * at the cost of n d^2 / 2 products (Ferris, Munson: "Interior-point methods for massive support
 * vector machines", SIAM J. Optim. 13, 2002; predictor and corrector after Mehrotra). Fifteen to
 * thirty steps, whatever the data. Face and pair steps then put the weights exactly on their
 * bounds.
 *
 * Raw sensor values make C K large, and then w = sum b_i x_i is a small difference of large terms:
 * weights rounded to EPS C leave an error of EPS C |x| in w, which hides the margin. With own_w
 * the method therefore carries w itself. Its equation w = c sum b_i (x_i - mean) is one more
 * residual,
 *
 *     drift = c sum b_i (x_i - mean) - w,
 *
 * which adds drift / c to the right-hand side of the system. w then has a relative error of EPS,
 * whatever the rounding of b: where the free weights determine w, N is so large that rounding in
 * the drift does not move it. The features are measured from their mean, which changes nothing but
 * the bias, because the weights sum to zero. */
#define MGN_IPM_STEPS 60u
#define MGN_PART_LEAST 8192u /* samples that are worth to be solved for in parts, see below */

typedef struct {
    mgn_qp *q;
    size_t groups;
    size_t depth;                           /* rows that add to N at a time */
    bool many;                              /* samples, MGN_PART_LEAST or more in all */
    margin_real *z, *s, *dz, *db, *inv, *h; /* arrays of q, which does not need them meanwhile */
    margin_real *normal;                    /* N, as well */
    margin_real *ds, *v;
    margin_real *block, *pack; /* rows of N's sum, and their panel */
    margin_real *mean, *drift; /* with own_w, lent as well */
    margin_real nu[2], rest[2];
    margin_real mu, gap, residual, length;
} mgn_ipm;

/* alpha and u, kept from vanishing by rounding. */
static margin_real mgn_ipm_alpha(const mgn_qp *q, size_t i) {
    return mgn_max(mgn_abs(q->b[i]), MGN_TINY);
}

static margin_real mgn_ipm_up(const mgn_qp *q, size_t i) {
    return mgn_max(q->cap[i] - mgn_abs(q->b[i]), mgn_max(MGN_EPS * q->cap[i], MGN_TINY));
}

/* Starts in the middle of the box, with multipliers that fit the gradient there. */
static void mgn_ipm_start(mgn_ipm *p) {
    mgn_qp *q = p->q;
    margin_real mean = 0;
    mgn_qp_cold(q);
    for (size_t i = 0; q->cap != NULL && i < q->n; i++) {
        q->b[i] = mgn_qp_signed(q, i, q->cap[i] / 2);
    }
    mgn_qp_gradient(q);
    p->groups = q->by_class ? 2u : 1u;
    p->nu[0] = p->nu[1] = 0;
    for (size_t i = 0; i < q->n; i++) { mean += mgn_abs(q->g[i]) / (margin_real)q->n; }
    mean = mgn_max(mean, MGN_TINY / MGN_EPS);
    for (size_t i = 0; i < q->n; i++) {
        const margin_real slack = mgn_qp_signed(q, i, q->g[i]);
        p->z[i] = mgn_max(slack, 0) + mean / 10;
        p->s[i] = q->cap != NULL ? mgn_max(-slack, 0) + mean / 10 : 0;
    }
}

/* The features of a sample, measured from their mean if w is a variable of its own. `room` has
 * space for them. */
static const margin_real *mgn_ipm_features(const mgn_ipm *p, size_t i, margin_real *room) {
    const margin_real *x = mgn_sample(p->q->low, i);
    if (!p->q->own_w) { return x; }
    for (size_t k = 0; k < p->q->low->d; k++) { room[k] = x[k] - p->mean[k]; }
    return room;
}

/* How far w is from c sum b_i (x_i - mean). */
static void mgn_ipm_measure_drift(mgn_ipm *p) {
    const mgn_qp *q = p->q;
    const size_t d = q->low->d;
    for (size_t k = 0; k < d; k++) { p->drift[k] = q->own_w ? -q->w[k] : 0; }
    for (size_t i = 0; q->own_w && i < q->n; i++) {
        margin_axpy(p->drift, q->c * q->b[i], mgn_ipm_features(p, i, p->block), d);
    }
}

/* Gradient, residuals and complementarity at the iterate. */
static void mgn_ipm_measure(mgn_ipm *p) {
    mgn_qp *q = p->q;
    mgn_qp_gradient(q);
    mgn_ipm_measure_drift(p);
    p->rest[0] = q->sum[0];
    p->rest[1] = q->sum[1];
    p->gap = p->residual = 0;
    for (size_t i = 0; i < q->n; i++) {
        const unsigned k = mgn_qp_group(q, i);
        const margin_real press = mgn_qp_signed(q, i, p->z[i] - p->s[i]);
        p->residual = mgn_max(p->residual, mgn_abs(q->g[i] - p->nu[k] - press));
        p->rest[k] -= q->b[i];
        p->gap += p->z[i] * mgn_ipm_alpha(q, i);
        if (q->cap != NULL) { p->gap += p->s[i] * mgn_ipm_up(q, i); }
    }
    p->mu = p->gap / (margin_real)(q->cap != NULL ? 2u * q->n : q->n);
}

/* 1/D, and the Cholesky factor of N. */
static bool mgn_ipm_factor(mgn_ipm *p) {
    mgn_qp *q = p->q;
    const size_t d = q->low->d, size = d + p->groups;
    for (size_t k = 0; k < size * size; k++) { p->normal[k] = 0; }
    for (size_t i = 0; i < q->n; i++) {
        const margin_real upper = q->cap != NULL ? p->s[i] / mgn_ipm_up(q, i) : 0;
        p->inv[i] = 1 / (mgn_qp_ridge(q, i) + p->z[i] / mgn_ipm_alpha(q, i) + upper);
    }
    for (size_t first = 0; first < q->n; first += p->depth) { /* the lower triangle of N */
        const size_t count = mgn_size_min(q->n - first, p->depth);
        for (size_t t = 0; t < count; t++) {
            margin_real *row = p->block + t * size;
            mgn_copy(row, mgn_ipm_features(p, first + t, row), d);
            row[d] = row[size - 1u] = 0;
            row[d + mgn_qp_group(q, first + t)] = -1;
        }
        const margin_data rows = {p->block, count, size, size, NULL, NULL, NULL};
        mgn_normal_add(p->normal, size, &rows, p->inv + first, p->pack);
    }
    for (size_t k = 0; k < size; k++) {
        margin_real *diagonal = p->normal + k * size + k;
        *diagonal += (k < d ? 1 / q->c : 0) + 4 * MGN_EPS * *diagonal;
    }
    return mgn_cholesky(p->normal, size, size, q->panel);
}

/* Newton step for the right-hand side h: D db = h - x . (c dw) + dnu. Putting db into c dw = c sum
 * db x and into the sums over the groups leaves N (c dw, dnu) = sum (h / D) (x, -e) + (drift / c,
 * rest), where rest is what the sums lack. db is stored in p->db, (c dw, dnu) in p->v. */
static void mgn_ipm_solve(mgn_ipm *p) {
    mgn_qp *q = p->q;
    const size_t d = q->low->d, size = d + p->groups;
    for (size_t k = 0; k < size; k++) { p->v[k] = k < d ? p->drift[k] / q->c : p->rest[k - d]; }
    for (size_t i = 0; i < q->n; i++) {
        margin_axpy(p->v, p->inv[i] * p->h[i], mgn_ipm_features(p, i, p->block), d);
        p->v[d + mgn_qp_group(q, i)] -= p->inv[i] * p->h[i];
    }
    (void)margin_cholesky_solve(p->v, 1, p->normal, size);
    for (size_t i = 0; i < q->n; i++) {
        const margin_real wx = margin_dot(p->v, mgn_ipm_features(p, i, p->block), d);
        p->db[i] = p->inv[i] * (p->h[i] - wx + p->v[d + mgn_qp_group(q, i)]);
    }
}

/* The longest step <= t that keeps v + step dv positive. */
static margin_real mgn_ipm_reach(margin_real t, margin_real v, margin_real dv) {
    return -dv * t > v ? -v / dv : t;
}

/* Turns the targets of complementarity in dz and ds into steps of z and s: from z alpha + z da +
 * alpha dz = target. Returns the longest step <= 1 that keeps alpha, u, z and s positive. */
static margin_real mgn_ipm_length(mgn_ipm *p) {
    const mgn_qp *q = p->q;
    margin_real t = 1;
    for (size_t i = 0; i < q->n; i++) {
        const margin_real alpha = mgn_ipm_alpha(q, i), da = mgn_qp_signed(q, i, p->db[i]);
        p->dz[i] = (p->dz[i] - p->z[i] * da) / alpha;
        t = mgn_ipm_reach(t, alpha, da);
        t = mgn_ipm_reach(t, p->z[i], p->dz[i]);
        if (q->cap != NULL) {
            const margin_real up = mgn_ipm_up(q, i);
            p->ds[i] = (p->ds[i] + p->s[i] * da) / up;
            t = mgn_ipm_reach(t, up, -da);
            t = mgn_ipm_reach(t, p->s[i], p->ds[i]);
        }
    }
    return t;
}

/* The targets mu - z alpha and mu - s u into dz and ds, with `correct` less the second-order terms
 * da dz and -da ds of the predictor, and the right-hand side h that goes with them. */
static void mgn_ipm_aim(mgn_ipm *p, margin_real mu, bool correct) {
    const mgn_qp *q = p->q;
    for (size_t i = 0; i < q->n; i++) {
        const margin_real alpha = mgn_ipm_alpha(q, i), da = mgn_qp_signed(q, i, p->db[i]);
        const margin_real slope = q->g[i] - p->nu[mgn_qp_group(q, i)];
        p->dz[i] = mu - p->z[i] * alpha - (correct ? da * p->dz[i] : 0);
        margin_real push = p->z[i] + p->dz[i] / alpha;
        if (q->cap != NULL) {
            const margin_real up = mgn_ipm_up(q, i);
            p->ds[i] = mu - p->s[i] * up + (correct ? da * p->ds[i] : 0);
            push -= p->s[i] + p->ds[i] / up;
        }
        p->h[i] = mgn_qp_signed(q, i, push) - slope;
    }
}

static void mgn_ipm_advance(mgn_ipm *p, margin_real t) {
    mgn_qp *q = p->q;
    for (size_t i = 0; i < q->n; i++) {
        q->b[i] += t * p->db[i];
        p->z[i] += t * p->dz[i];
        p->s[i] += q->cap != NULL ? t * p->ds[i] : 0;
    }
    for (size_t k = 0; k < p->groups; k++) { p->nu[k] += t * p->v[q->low->d + k]; }
    if (q->own_w) { margin_axpy(q->w, t, p->v, q->low->d); }
}

/* One predictor-corrector step. Returns false when rounding allows no further step. */
static bool mgn_ipm_step(mgn_ipm *p) {
    if (!(p->mu > 0) || !mgn_ipm_factor(p)) { return false; }
    mgn_ipm_aim(p, 0, false);
    mgn_ipm_solve(p);
    const mgn_qp *q = p->q;
    const margin_real t = mgn_ipm_length(p);
    margin_real sum = 0; /* the complementarity after a predictor step of that length */
    for (size_t i = 0; i < q->n; i++) {
        const margin_real alpha = mgn_ipm_alpha(q, i), da = mgn_qp_signed(q, i, p->db[i]);
        sum += (alpha + t * da) * (p->z[i] + t * p->dz[i]);
        if (q->cap != NULL) { sum += (mgn_ipm_up(q, i) - t * da) * (p->s[i] + t * p->ds[i]); }
    }
    const margin_real ratio = sum / (margin_real)(q->cap != NULL ? 2u * q->n : q->n) / p->mu;
    mgn_ipm_aim(p, ratio * ratio * ratio * p->mu, true);
    mgn_ipm_solve(p);
    p->length = MGN_R(0.99) * mgn_ipm_length(p);
    if (!(p->length > MGN_R(1e-6))) { return false; }
    mgn_ipm_advance(p, p->length);
    return true;
}

/* Copies the weights to `out`, which may be b itself. A weight whose relative size is less than
 * that of the multiplier of a bound is put on that bound. */
static void mgn_ipm_snap(const mgn_ipm *p, margin_real *out) {
    const mgn_qp *q = p->q;
    margin_real zmax = MGN_TINY, smax = MGN_TINY, amax = MGN_TINY;
    for (size_t i = 0; i < q->n; i++) {
        zmax = mgn_max(zmax, p->z[i]);
        smax = mgn_max(smax, p->s[i]);
        amax = mgn_max(amax, mgn_abs(q->b[i]));
    }
    /* With no weight at its cap all s are rounding, and smax is no measure. */
    if (p->many || q->own_w) { zmax = smax = mgn_max(zmax, smax); }
    for (size_t i = 0; i < q->n; i++) {
        margin_real b = q->b[i];
        if (mgn_abs(b) / amax < p->z[i] / zmax) {
            b = 0;
        } else if (q->cap != NULL && mgn_ipm_up(q, i) / q->cap[i] < p->s[i] / smax) {
            b = mgn_qp_signed(q, i, q->cap[i]);
        }
        out[i] = b;
    }
}

/* Whether w and the sums agree with the weights, up to rounding, and the weights `b`, which were
 * put on their bounds, are nearly the same. */
static bool mgn_ipm_is_feasible(const mgn_ipm *p, const margin_real *b) {
    const mgn_qp *q = p->q;
    const size_t d = q->low->d;
    margin_real mass = 0, moved = 0, w, drift;
    for (size_t i = 0; i < q->n; i++) {
        mass += mgn_abs(q->b[i]);
        moved += mgn_abs(b[i] - q->b[i]);
    }
    w = mgn_sqrt(margin_dot(q->w, q->w, d));
    drift = mgn_sqrt(margin_dot(p->drift, p->drift, d));
    return drift <= mgn_max(16 * MGN_EPS * q->c * mass * mgn_sqrt(q->peak), q->tol * w) &&
           mgn_abs(p->rest[0]) + mgn_abs(p->rest[1]) <= 256 * MGN_EPS * mass &&
           moved <= q->tol * mass;
}

/* The violation of the weights `b`, which were put on their bounds, in units of the goal. Their
 * gradient differs from that of q->b by the ridge alone, because w does not depend on them. */
static margin_real mgn_ipm_violation(const mgn_ipm *p, const margin_real *b) {
    const mgn_qp *q = p->q;
    margin_real low[2] = {MGN_HUGE, MGN_HUGE}, high[2] = {-MGN_HUGE, -MGN_HUGE}, worst = 0;
    MARGIN_ASSERT(p->groups <= 2u);
    for (size_t i = 0; i < q->n; i++) {
        const unsigned k = mgn_qp_group(q, i);
        const bool zero = b[i] == 0, full = q->cap != NULL && mgn_abs(b[i]) >= q->cap[i];
        const margin_real g = q->g[i] + mgn_qp_ridge(q, i) * (b[i] - q->b[i]);
        if (!(mgn_qp_positive(q, i) ? full : zero)) { low[k] = mgn_min(low[k], g); }
        if (!(mgn_qp_positive(q, i) ? zero : full)) { high[k] = mgn_max(high[k], g); }
    }
    for (size_t k = 0; k < p->groups; k++) {
        worst = low[k] < high[k] ? mgn_max(worst, high[k] - low[k]) : worst;
    }
    return worst / mgn_max(q->goal, MGN_TINY); /* the goal is 0 where all kernel values vanish */
}

/* Spreads what the sum of a group lacks, after weights were put on their bounds, over its free
 * weights. Returns false if these cannot take it up. */
static bool mgn_qp_repair(mgn_qp *q, unsigned group) {
    margin_real rest = 0, mass = 0;
    for (unsigned round = 0; round < 8u; round++) {
        size_t count = 0;
        rest = q->sum[group];
        mass = mgn_abs(rest);
        for (size_t i = 0; i < q->n; i++) {
            if (mgn_qp_group(q, i) == group) {
                rest -= q->b[i];
                mass += mgn_abs(q->b[i]);
                count += mgn_qp_is_free(q, i) ? 1u : 0u;
            }
        }
        for (size_t i = 0; i < q->n; i++) {
            if (mgn_qp_group(q, i) == group && mgn_qp_is_free(q, i)) {
                mgn_qp_shift(q, i, rest / (margin_real)count);
            }
        }
    }
    return mgn_abs(rest) <= 64 * MGN_EPS * mass;
}

/* Interior-point steps until gap and residual are down to rounding, or rounding has begun to drive
 * the residual up, and the last step is taken back; then weights onto their bounds. K must be
 * products of q->low. Returns false if the weights do not meet their sums in the end. */
static bool mgn_ipm_run(mgn_ipm *p, size_t limit, mgn_tick *tick) {
    mgn_qp *q = p->q;
    margin_real last = MGN_HUGE / 16;
    mgn_ipm_start(p);
    for (unsigned step = 0; step < (p->many ? 3u : 1u) * MGN_IPM_STEPS && q->iterations < limit;
         step++) {
        mgn_ipm_measure(p);
        q->violation = mgn_max(p->residual, p->mu);
        const margin_real size = MGN_EPS * mgn_abs(q->objective);
        const bool small = !(p->gap > 256 * size), still = p->residual > last / 2;
        const bool worse = p->residual > 10 * last && p->gap < MGN_R(1e6) * size;
        if (worse) { mgn_ipm_advance(p, -p->length); }
        last = p->residual;
        if (worse || (small && (still || !(p->residual > q->floor))) ||
            mgn_tick_stop(tick, q->iterations, q->violation, q->goal) || !mgn_ipm_step(p)) {
            break;
        }
        q->iterations++;
    }
    mgn_ipm_snap(p, q->b);
    return mgn_qp_repair(q, 0) && (p->groups < 2u || mgn_qp_repair(q, 1));
}

/* Where samples far outnumber features, most are far from the margin, and their weights are 0 or
 * the cap for certain. Some samples, spread evenly, tell about which; then those near the margin
 * are solved for while the others are held, and those of the others that are held at the wrong
 * bound join them, until there are none.
 *
 * A part is solved for by v = (w, nu) alone. With u_i = (x_i, -1), press_i = y_i (u_i . v - l_i),
 * which pushes the weight to 0 or, if negative, to its cap, and share_i = |b_i| / cap_i,
 *
 *     minimise over v   |w|^2 / 2c - nu sum - v . held  +  the sum over the part of cap_i times
 *     the largest       -press_i share - theta/2 (share - before_i)^2   over  0 <= share <= 1.
 *
 * This is a step of the proximal point method from the shares `before`; the largest value is at
 * share = before - press / theta, within 0 .. 1. The function is made of quadratic pieces that fit
 * smoothly, and only samples of 0 < share < 1 count in the curvature
 *
 *     N = diag(1/c, 0) + sum of cap_i u_i u_i' / theta,
 *
 * so that a step of Newton's method costs little more than the products u_i . v. Few steps find
 * the piece of the minimum. Then theta falls: the violation theta |share - before| vanishes faster
 * than theta does, and the weights that are not free are exactly at their bounds (Yan, Li: "An
 * efficient augmented Lagrangian method for support vector machine", Optim. Methods Softw. 35,
 * 2020). */
#define MGN_PART_STEPS 100u  /* of Newton's method for one theta, */
#define MGN_PART_ROUNDS 40u  /* of theta, and of parts, */
#define MGN_PART_FAILURES 3u /* to come to an end for one theta */

typedef struct {
    mgn_ipm *ipm;
    mgn_qp *q;
    size_t count, limit;
    margin_index *place;         /* the samples of the part, ascending; */
    margin_real *cap, *before;   /* their caps and shares, */
    margin_real *press, *slope;  /* their presses, and the change of these along the direction */
    margin_real *v, *dir, *held; /* v; the direction; sum of b u over samples that are held */
    margin_real theta;
} mgn_part;

/* u_i . v */
static margin_real mgn_part_product(const mgn_part *s, size_t i, const margin_real *v) {
    const size_t d = s->q->low->d;
    return margin_dot(v, mgn_sample(s->q->low, i), d) - v[d];
}

/* sum += b u_i */
static void mgn_part_add(const mgn_part *s, size_t i, margin_real b, margin_real *sum) {
    const size_t d = s->q->low->d;
    margin_axpy(sum, b, mgn_sample(s->q->low, i), d);
    sum[d] -= b;
}

static margin_real mgn_part_press(const mgn_part *s, size_t i) {
    return mgn_qp_signed(s->q, i, mgn_part_product(s, i, s->v) - mgn_qp_linear(s->q, i));
}

/* The share of sample t of the part, so far along the direction. */
static margin_real mgn_part_share(const mgn_part *s, size_t t, margin_real length) {
    const margin_real press = s->press[t] + length * s->slope[t];
    return mgn_max(mgn_min(s->before[t] - press / s->theta, 1), 0);
}

/* Adds `rows` rows in the block of the interior point to theta N. */
static void mgn_part_add_rows(mgn_ipm *p, size_t rows, size_t size) {
    const margin_data block = {p->block, rows, size, size, NULL, NULL, NULL};
    mgn_normal_add(p->normal, size, &block, p->inv, p->pack);
}

/* theta N, and as direction minus theta times the gradient. Where no share is between 0 and 1, nu
 * has no curvature; it gets a little. */
static void mgn_part_normal(mgn_part *s) {
    const mgn_qp *q = s->q;
    mgn_ipm *p = s->ipm;
    const size_t d = q->low->d, size = d + 1u;
    size_t rows = 0;
    mgn_zero(p->normal, size * size);
    for (size_t k = 0; k < d; k++) { s->dir[k] = s->held[k] - s->v[k] / q->c; }
    s->dir[d] = s->held[d] + q->sum[0];
    for (size_t t = 0; t < s->count; t++) {
        const margin_real share = mgn_part_share(s, t, 0);
        const size_t i = s->place[t];
        if (share > 0) { mgn_part_add(s, i, mgn_qp_signed(q, i, share * s->cap[t]), s->dir); }
        if (share > 0 && share < 1) {
            mgn_copy(p->block + rows * size, mgn_sample(q->low, i), d);
            p->block[rows * size + d] = -1;
            p->inv[rows++] = s->cap[t];
        }
        if (rows == p->depth) {
            mgn_part_add_rows(p, rows, size);
            rows = 0;
        }
    }
    mgn_part_add_rows(p, rows, size);
    for (size_t k = 0; k < size; k++) {
        margin_real *diagonal = p->normal + k * size + k;
        *diagonal += s->theta * (k < d ? 1 / q->c : MGN_R(1e-4)) + 4 * MGN_EPS * *diagonal;
        s->dir[k] *= s->theta;
    }
}

/* The derivative of the function along the direction, so far along it. */
static margin_real mgn_part_rise(const mgn_part *s, margin_real length) {
    const size_t d = s->q->low->d;
    const margin_real square = margin_dot(s->dir, s->dir, d);
    margin_real sum = (margin_dot(s->v, s->dir, d) + length * square) / s->q->c -
                      s->q->sum[0] * s->dir[d] - margin_dot(s->held, s->dir, d + 1u);
    for (size_t t = 0; t < s->count; t++) {
        sum -= s->cap[t] * mgn_part_share(s, t, length) * s->slope[t];
    }
    return sum;
}

/* How far to go along the direction, at most 1: to about where the derivative, which is `first`
 * now, is 0. */
static margin_real mgn_part_length(const mgn_part *s, margin_real first) {
    margin_real low = 0, high = 1, at_low = first, at_high = mgn_part_rise(s, 1);
    if (at_high <= -first / 8) { return 1; }
    for (unsigned round = 0; round < 12u && at_low < first / 8; round++) {
        const margin_real guess = at_low / (at_low - at_high);
        const margin_real t = low + (high - low) * mgn_max(mgn_min(guess, MGN_R(0.9)), MGN_R(0.1));
        const margin_real rise = mgn_part_rise(s, t);
        if (rise <= 0) {
            low = t;
            at_low = rise;
        } else {
            high = t;
            at_high = rise;
        }
    }
    return low > 0 ? low : high;
}

/* Newton's method until a step changes no press by more than `accuracy`; false if it does not come
 * to that. */
static bool mgn_part_newton(mgn_part *s, margin_real accuracy, mgn_tick *tick) {
    mgn_qp *q = s->q;
    const size_t size = q->low->d + 1u;
    for (size_t t = 0; t < s->count; t++) {
        s->press[t] = mgn_part_press(s, s->place[t]);
        s->slope[t] = 0;
    }
    for (unsigned step = 0; step < MGN_PART_STEPS && q->iterations < s->limit; step++) {
        margin_real change = 0;
        mgn_part_normal(s);
        if (mgn_tick_stop(tick, q->iterations, s->theta, q->goal) ||
            !mgn_cholesky(s->ipm->normal, size, size, q->panel)) {
            return false;
        }
        q->iterations++;
        (void)margin_cholesky_solve(s->dir, 1, s->ipm->normal, size);
        for (size_t t = 0; t < s->count; t++) {
            s->slope[t] = mgn_qp_signed(q, s->place[t], mgn_part_product(s, s->place[t], s->dir));
            change = mgn_max(change, mgn_abs(s->slope[t]));
        }
        const margin_real first = mgn_part_rise(s, 0);
        const margin_real length = first < 0 ? mgn_part_length(s, first) : 0;
        margin_axpy(s->v, length, s->dir, size);
        margin_axpy(s->press, length, s->slope, s->count);
        if (change <= accuracy) { return true; }
    }
    return false;
}

/* Solves for the part, from v and the shares `before` on, until the violation is at most `enough`.
 * Where Newton's method does not come to an end, a larger theta makes it easier. */
static bool mgn_part_solve(mgn_part *s, margin_real theta, margin_real enough, mgn_tick *tick) {
    margin_real violation = theta;
    unsigned failures = 0;
    s->theta = theta;
    for (unsigned round = 0; round < MGN_PART_ROUNDS; round++) {
        margin_real moved = 0;
        if (mgn_part_newton(s, mgn_max(violation, enough) / 16, tick)) {
            for (size_t t = 0; t < s->count; t++) {
                const margin_real share = mgn_part_share(s, t, 0);
                moved = mgn_max(moved, mgn_abs(share - s->before[t]));
                s->before[t] = share;
            }
            violation = s->theta * moved;
            if (violation <= enough) { return true; }
            s->theta /= 8;
        } else if (tick->stopped || s->q->iterations >= s->limit ||
                   ++failures >= MGN_PART_FAILURES) {
            return false;
        } else {
            s->theta *= 64;
            violation = s->theta;
        }
    }
    return false;
}

/* A theta to begin with: shares change by less than 1, and by less than what a sample of the
 * largest cap can bear. */
static margin_real mgn_part_begin(const mgn_part *s) {
    margin_real most = 64;
    for (size_t t = 0; t < s->count; t++) { most = mgn_max(most, s->cap[t]); }
    return most / 32;
}

/* A sample at the end of the part. */
static void mgn_part_take(mgn_part *s, size_t i, margin_real times) {
    s->cap[s->count] = s->q->cap[i] * times;
    s->before[s->count] = 0;
    s->place[s->count++] = (margin_index)i;
}

/* Whether a sample is near the margin, or, of few that are pressed to their caps, one of them. */
static bool mgn_part_is_near(const mgn_part *s, size_t i, margin_real width, bool few) {
    return (few ? s->q->g[i] : mgn_abs(s->q->g[i])) < width;
}

static size_t mgn_part_count(const mgn_part *s, margin_real width, bool few) {
    size_t count = 0;
    for (size_t i = 0; i < s->q->n; i++) { count += mgn_part_is_near(s, i, width, few) ? 1u : 0u; }
    return count;
}

/* The second part: about a sixteenth of the samples, those near the margin and all that are pressed
 * to their caps where these are few; else a quarter, near the margin. All others are put on the
 * bounds that they are pressed to. The presses are in g. */
static void mgn_part_near(mgn_part *s) {
    mgn_qp *q = s->q;
    const bool few = mgn_part_count(s, 0, true) < q->n / 32u;
    const size_t wanted = q->n / (few ? 16u : 4u);
    margin_real low = 0, high = 0;
    for (size_t i = 0; i < q->n; i++) { high = mgn_max(high, mgn_abs(q->g[i])); }
    for (unsigned step = 0; step < 30u; step++) {
        const margin_real middle = low / 2 + high / 2;
        const bool narrow = mgn_part_count(s, middle, few) <= wanted;
        low = narrow ? middle : low;
        high = narrow ? high : middle;
    }
    s->count = 0;
    for (size_t i = 0; i < q->n; i++) {
        const bool near = mgn_part_is_near(s, i, low, few);
        q->b[i] = near || q->g[i] > 0 ? 0 : mgn_qp_signed(q, i, q->cap[i]);
        if (near) { mgn_part_take(s, i, 1); }
        if (q->b[i] != 0) { mgn_part_add(s, i, q->b[i], s->held); }
    }
}

/* How much a sample that is held is pressed away from its bound, if that is too much; else 0. */
static margin_real mgn_part_wrong(const mgn_qp *q, size_t i) {
    const margin_real press = q->b[i] == 0 ? -q->g[i] : q->g[i];
    return press > q->goal / 4 ? press : 0;
}

/* Adds samples that are held at the wrong bound; returns how much the worst is pressed away from
 * it. The presses are in g, and those of the part, which are not held, are not asked for. Samples
 * are moved from the end on, so that all stay ascending. */
static margin_real mgn_part_grow(mgn_part *s) {
    mgn_qp *q = s->q;
    margin_real worst = 0;
    size_t more = 0, t = s->count;
    for (size_t k = 0; k < s->count; k++) { q->g[s->place[k]] = 0; }
    for (size_t i = 0; i < q->n; i++) {
        const margin_real wrong = mgn_part_wrong(q, i);
        worst = mgn_max(worst, wrong);
        more += wrong > 0 ? 1u : 0u;
    }
    s->count += more;
    for (size_t i = q->n; i-- > 0 && more > 0;) {
        if (t > 0 && s->place[t - 1u] == i) {
            t--;
            s->place[t + more] = (margin_index)i;
            s->cap[t + more] = s->cap[t];
            s->before[t + more] = s->before[t];
        } else if (mgn_part_wrong(q, i) > 0) {
            more--;
            s->place[t + more] = (margin_index)i;
            s->cap[t + more] = q->cap[i];
            s->before[t + more] = q->b[i] == 0 ? 0 : 1;
            mgn_part_add(s, i, -q->b[i], s->held);
            q->b[i] = 0;
        }
    }
    return worst;
}

/* Whether weights of the part can make up for the sum of those that are held. */
static bool mgn_part_balances(const mgn_part *s) {
    const margin_real rest = s->q->sum[0] + s->held[s->q->low->d];
    margin_real sum[2] = {0, 0};
    for (size_t t = 0; t < s->count; t++) {
        sum[mgn_qp_positive(s->q, s->place[t]) ? 1 : 0] += s->cap[t];
    }
    return rest > -MGN_R(0.99) * sum[0] && rest < MGN_R(0.99) * sum[1];
}

/* Solves for the samples near the margin, roughly until no more join them, and then to the end.
 * Returns false if there is none. */
static bool mgn_part_finish(mgn_part *s, mgn_tick *tick) {
    mgn_qp *q = s->q;
    const margin_real least = mgn_max(q->goal * MGN_R(1e-6), 16384 * MGN_EPS);
    const margin_real rough = mgn_max(least, MGN_R(0.02));
    margin_real theta = mgn_part_begin(s);
    bool last = false;
    for (unsigned round = 0; round < MGN_PART_ROUNDS; round++) {
        if (!mgn_part_balances(s) || !mgn_part_solve(s, theta, last ? least : rough, tick)) {
            return false;
        }
        for (size_t i = 0; i < q->n; i++) { q->g[i] = mgn_part_press(s, i); }
        theta = 8 * mgn_part_grow(s);
        if (theta == 0 && last) { break; }
        last = theta == 0;
        theta = last ? s->theta / 8 : theta;
    }
    for (size_t t = 0; t < s->count; t++) {
        q->b[s->place[t]] = mgn_qp_signed(q, s->place[t], s->cap[t] * s->before[t]);
    }
    return last && mgn_qp_repair(q, 0);
}

/* Solves in parts; false where there is no use, or they have not come to an end. The arrays are
 * those that the interior point borrows. */
static bool mgn_part_run(mgn_ipm *ipm, size_t limit, mgn_tick *tick) {
    mgn_qp *q = ipm->q;
    const size_t first = 1024u + q->n / 32u, size = q->low->d + 1u;
    mgn_part s;
    MARGIN_ASSERT(q->cap == NULL || q->ridge == NULL); /* no programme has both */
    MARGIN_ASSERT(q->side == NULL); /* svr has each sample twice where there is an interior point */
    if (!ipm->many || q->n < MGN_PART_LEAST || q->low->d > first / 8u || q->by_class ||
        q->cap == NULL || q->lin != NULL) {
        return false;
    }
    mgn_clear(&s, sizeof s);
    s.ipm = ipm;
    s.q = q;
    s.limit = limit;
    s.place = q->face;
    s.cap = ipm->s;
    s.before = ipm->z;
    s.press = ipm->h;
    s.slope = ipm->db;
    s.v = ipm->v;
    s.dir = ipm->drift;
    s.held = ipm->mean;
    mgn_zero(s.v, size);
    mgn_zero(s.held, size);
    /* The first part: about `first` samples, half of them of each class, or all of a small one;
     * each stands for others as well. */
    const size_t each[2] = {1u + q->split / (first / 2u), 1u + (q->n - q->split) / (first / 2u)};
    for (size_t i = 0; i < q->split; i += each[0]) { mgn_part_take(&s, i, (margin_real)each[0]); }
    for (size_t i = q->split; i < q->n; i += each[1]) {
        mgn_part_take(&s, i, (margin_real)each[1]);
    }
    if (!mgn_part_solve(&s, mgn_part_begin(&s), MGN_R(0.2), tick)) { return false; }
    for (size_t i = 0; i < q->n; i++) { q->g[i] = mgn_part_press(&s, i); }
    mgn_part_near(&s);
    return mgn_part_finish(&s, tick);
}

/* The mean of each feature. */
static void mgn_qp_mean(const margin_data *data, margin_real *mean) {
    for (size_t k = 0; k < data->d; k++) {
        margin_real sum = 0, lost = 0;
        for (size_t i = 0; i < data->n; i++) { mgn_add(&sum, &lost, mgn_sample(data, i)[k]); }
        mean[k] = sum / (margin_real)data->n;
    }
}

/* The same with w as a variable of its own. It is hard to foresee where rounding ends the
 * progress, so the best iterate is kept, its weights in best_b and its w in best_w. `best` is the
 * violation to improve on, in units of the goal; the function returns the best one reached. The
 * weights need not meet their sums to the last digit, because nothing is computed from them any
 * more. */
static margin_real mgn_ipm_run_own_w(mgn_ipm *p, margin_real best, margin_real *best_b,
                                     margin_real *best_w, size_t limit, mgn_tick *tick) {
    mgn_qp *q = p->q;
    mgn_ipm_start(p);
    /* Makes w a variable of its own, which starts from the weights in b. */
    const size_t d = q->low->d;
    mgn_qp_mean(q->low, p->mean);
    mgn_zero(q->w, d);
    q->mean = p->mean;
    q->own_w = true;
    mgn_ipm_measure_drift(p);
    mgn_copy(q->w, p->drift, d);
    for (unsigned step = 0; step < MGN_IPM_STEPS && best > MGN_R(0.1); step++) {
        mgn_ipm_measure(p);
        mgn_ipm_snap(p, p->h);
        const margin_real now = mgn_ipm_violation(p, p->h);
        if (now < best && mgn_ipm_is_feasible(p, p->h)) {
            best = now;
            mgn_copy(best_b, p->h, q->n);
            mgn_copy(best_w, q->w, q->low->d);
        }
        const margin_real shown = mgn_min(MGN_HUGE, now) * mgn_max(q->goal, MGN_TINY);
        if (q->iterations >= limit || mgn_tick_stop(tick, q->iterations, shown, q->goal) ||
            !mgn_ipm_step(p)) {
            break;
        }
        q->iterations++;
    }
    return best;
}

/* After how many pair steps the next face step is due, and how many products it may take. */
typedef struct {
    size_t count, next, limit;
} mgn_qp_pace;

/* Steps until the gradient, which gathers rounding errors meanwhile, meets the goal or what
 * rounding allows, or until no weight moves any more (q->moved is false). All face steps together
 * take about as many operations as all pair steps, so that both cost at most twice as much as the
 * better of the two alone. */
static margin_status mgn_qp_sweep(mgn_qp *q, mgn_qp_pace *pace, size_t limit, mgn_tick *tick) {
    const size_t period = mgn_size_min(q->n, q->early ? 200u : 1000u);
    const margin_real goal = mgn_max(q->goal, q->floor / 16);
    unsigned group = mgn_qp_scan(q);
    for (q->moved = true; q->violation > goal && q->moved; q->iterations++) {
        if (q->iterations >= limit) { return MARGIN_W_ITERATIONS; }
        if (++pace->count % period == 0) {
            if (mgn_tick_stop(tick, q->iterations, q->violation, q->goal)) {
                return MARGIN_W_STOPPED;
            }
            mgn_qp_shrink(q);
            group = mgn_qp_scan(q);
        }
        if (pace->count < pace->next) {
            q->moved = false;
            group = mgn_qp_pair(q, group);
            continue;
        }
        const bool whole = mgn_qp_face(q, pace->limit);
        MARGIN_ASSERT(q->m > 0);
        const size_t cost =
            mgn_size_mul(mgn_size_mul(pace->limit + 2u, q->f) / mgn_size_mul(3u, q->m), q->f);
        pace->next = mgn_size_add(pace->count, mgn_size_add(50u, cost));
        if (whole && pace->limit < q->f) {
            pace->limit *= 2u;
        } else if (!whole && pace->limit > 8u) {
            pace->limit /= 2u;
        }
        group = mgn_qp_scan(q);
        q->moved = true;
    }
    return MARGIN_OK;
}

/* A fresh gradient of all samples, and how far it is from optimal. */
static void mgn_qp_assess(mgn_qp *q) {
    mgn_qp_gradient(q);
    q->m = q->n;
    q->m_split = q->split;
    for (size_t i = 0; i < q->n; i++) {
        q->curve[i] = q->c * q->rows->diag[i] + mgn_qp_ridge(q, i);
        mgn_qp_mark(q, i);
    }
    (void)mgn_qp_scan(q);
}

/* Solves the programme from the weights in b, whose sums are right, by pair steps and, from step
 * number `first` on, face steps. It ends when a freshly computed gradient meets the goal, or when
 * further rounds no longer help and the violation may be due to rounding. */
static margin_status mgn_qp_run(mgn_qp *q, size_t first, size_t limit, mgn_tick *tick) {
    mgn_qp_pace pace = {0, first, 8};
    margin_status status = MARGIN_OK;
    margin_real best = MGN_HUGE;
    size_t before = q->iterations;
    q->moved = true;
    for (unsigned round = 0; round < 100u; round++) {
        const bool stuck = !q->moved && q->iterations - before < 2u;
        mgn_qp_assess(q);
        if (q->violation <= q->ease * q->goal || stuck ||
            (q->violation <= q->floor && q->violation > best / 2)) {
            return MARGIN_OK;
        }
        if (status != MARGIN_OK) { return status; }
        if (mgn_tick_stop(tick, q->iterations, q->violation, q->goal)) { return MARGIN_W_STOPPED; }
        best = mgn_min(best, q->violation);
        before = q->iterations;
        if (q->early) { mgn_qp_shrink(q); }
        status = mgn_qp_sweep(q, &pace, limit, tick);
    }
    return MARGIN_W_ITERATIONS;
}

/* All that a machine of kmomd or svm takes while it trains, besides its results. The interior point
 * works on the features of a linear kernel, unless they outnumber the samples, or on the factor of
 * a kernel matrix if the caller wants one (rank > 0). */
typedef struct {
    mgn_qp qp;
    mgn_ipm ipm;
    mgn_rows rows;
    bool linear; /* by features; */
    bool few;    /* so few that the interior point goes first, and kernel rows are rarely needed */
    size_t rank; /* features, or columns of the factor; 0: no interior point */
    margin_real *factor; /* n x rank */
} mgn_qp_work;

static void mgn_qp_plan_rows(mgn_qp_work *work, margin_arena *mem, const mgn_fit *fit) {
    margin_data shape = fit->data;
    shape.n = fit->most;
    mgn_rows_plan(&work->rows, mem, &shape,
                  work->few && fit->run.cache_bytes == 0 ? 1 : fit->run.cache_bytes);
}

static void mgn_qp_plan_ipm(mgn_qp_work *work, margin_arena *mem, const mgn_fit *fit) {
    const size_t n = fit->most, d = work->rank;
    mgn_qp *q = &work->qp;
    mgn_ipm *plan = &work->ipm;
    size_t bytes = 0;
    work->factor = MGN_SCRATCH(mem, margin_real, mgn_size_mul(n, work->linear ? 0 : d));
    MARGIN_BLOCKS_INTERIOR(MGN_COUNT, n, d)
    unsigned char *at = MGN_SCRATCH(mem, unsigned char, bytes);
    if (at != NULL) {
        MARGIN_BLOCKS_INTERIOR(MGN_LAY, n, d)
        plan->q = q;
        plan->depth = MARGIN_QP_DEPTH(n);
        plan->many = n >= MGN_PART_LEAST;
        plan->z = q->edge; /* what the programme itself does not use meanwhile */
        plan->s = q->curve;
        plan->dz = q->dir;
        plan->db = q->res;
        plan->inv = q->prod;
        plan->h = q->x;
        plan->normal = q->dense;
        plan->mean = q->ones[0];
        plan->drift = q->ones[1];
    }
}

/* The shape of a machine, and the memory that lasts until its end. */
static void mgn_qp_plan_start(mgn_qp_work *work, margin_arena *mem, const mgn_fit *fit) {
    const size_t d = fit->data.d;
    work->linear = fit->kernel.kind == MARGIN_KERNEL_LINEAR && d <= fit->most;
    work->few = work->linear && d <= fit->most / 4u;
    work->rank = work->linear ? d : mgn_size_min(fit->run.rank, fit->most);
    mgn_qp_plan(&work->qp, mem, fit->most, work->rank);
    if (!work->few) { mgn_qp_plan_rows(work, mem, fit); }
}

/* All memory of a machine, as mgn_qp_work_start and mgn_qp_work_solve take it. */
static void mgn_qp_work_plan(const mgn_fit *fit, margin_arena *mem) {
    mgn_qp_work work;
    mgn_qp_plan_start(&work, mem, fit);
    const size_t mark = mem->high;
    if (work.rank > 0) { mgn_qp_plan_ipm(&work, mem, fit); }
    margin_arena_release(mem, mark);
    if (work.few) { mgn_qp_plan_rows(&work, mem, fit); }
}

/* The power of two at v, within 2^-60 .. 2^60, so that numbers in this unit are far from the ends
 * of the range. */
static margin_real mgn_qp_unit(margin_real v) {
    const margin_real end = MGN_R(1152921504606846976.0); /* 2^60 */
    return mgn_power_of_two(mgn_max(mgn_min(v, end), 1 / end));
}

/* Sets all that only some programmes have to none, and what changes during a run to its start. */
static void mgn_qp_plain(mgn_qp *q, margin_real tol) {
    q->cap = q->ridge = q->lin = NULL;
    q->side = NULL;
    q->kink = q->loose = 0;
    q->ease = q->relax = 1;
    q->tol = tol;
    q->moved = q->own_w = q->begun = q->early = q->known = false;
    q->iterations = 0;
}

/* The programme of a machine; the caller fills in c, p, by_class, sum, cap or ridge, and unit. */
static margin_status mgn_qp_work_start(mgn_qp_work *work, mgn_fit *fit, margin_arena *mem) {
    mgn_qp *q = &work->qp;
    mgn_qp_plan_start(work, mem, fit);
    q->n = q->m = fit->data.n;
    q->split = fit->split;
    q->b = fit->b;
    q->rows = &work->rows;
    q->low = work->linear ? &fit->data : NULL;
    mgn_qp_plain(q, fit->run.tol);
    margin_real peak = 0;
    for (size_t i = 0; i < fit->data.n; i++) {
        const margin_real norm = mgn_norm2_bits(mgn_sample(&fit->data, i), fit->data.d);
        margin_real k = norm;
        mgn_kernel_apply(&fit->kernel, norm, &norm, &k, 1);
        if (!(mgn_abs(k) <= peak)) { peak = mgn_abs(k); }
    }
    q->peak = peak;
    fit->info = mgn_no_info;
    if (!(q->peak <= MGN_HUGE / 64)) { return MARGIN_E_RANGE; }
    return work->few ? MARGIN_OK : mgn_rows_start(&work->rows, &fit->data, &fit->kernel);
}

/* Replaces the weights in b, which are saved in fit->f, by an interior-point solution, if there is
 * one. */
static void mgn_qp_work_ipm(mgn_qp_work *work, mgn_fit *fit, margin_arena *mem) {
    mgn_qp *q = &work->qp;
    const size_t mark = mem->high;
    margin_data factor = fit->data;
    mgn_qp_plan_ipm(work, mem, fit);
    mgn_copy(fit->f, q->b, q->n);
    if (!work->linear) {
        /* K as the Gram matrix of at most `rank` features a sample: its Cholesky factor, pivoted on
         * the largest rest of the diagonal. */
        mgn_factor f = {work->factor, q->n, work->rank, 0, q->x};
        margin_real top = 0;
        for (size_t i = 0; i < q->n; i++) {
            q->x[i] = q->rows->diag[i];
            top = mgn_max(top, q->x[i]);
        }
        mgn_zero(work->factor, q->n * work->rank);
        for (size_t pivot = mgn_index_of_max(f.left, 0, q->n);
             f.count < work->rank && f.left[pivot] > 16 * MGN_EPS * top;
             pivot = mgn_index_of_max(f.left, 0, q->n)) {
            mgn_copy(q->prod, mgn_rows_get(q->rows, pivot), q->n);
            mgn_factor_add(&f, pivot, q->prod);
        }
        factor.x = work->factor;
        factor.d = factor.stride = work->rank;
        factor.rows = NULL;
        q->low = &factor;
    }
    if (!mgn_part_run(&work->ipm, fit->run.max_iterations, fit->tick) &&
        !mgn_ipm_run(&work->ipm, fit->run.max_iterations, fit->tick)) {
        mgn_copy(q->b, fit->f, q->n);
    }
    q->low = work->linear ? &fit->data : NULL;
    margin_arena_release(mem, mark);
}

/* Where kernel rows were not planned from the start, they take the memory of the interior point. */
static void mgn_qp_late_rows(mgn_qp_work *work, mgn_fit *fit, margin_arena *mem) {
    if (work->few) {
        mgn_qp_plan_rows(work, mem, fit);
        (void)mgn_rows_start(&work->rows, &fit->data, &fit->kernel);
    }
}

/* The interior point with w as a variable of its own, for problems in which rounding has kept the
 * weights from the goal. Its result is used if it is better. `mark` is the end of the memory that
 * lasts. */
static margin_status mgn_qp_work_own_w(mgn_qp_work *work, mgn_fit *fit, margin_arena *mem,
                                       size_t mark) {
    mgn_qp *q = &work->qp;
    const margin_real hidden = q->cap != NULL ? q->floor : 0;
    const margin_real before = mgn_max(q->violation, hidden) / mgn_max(q->goal, MGN_TINY);
    if (work->few) { margin_arena_release(mem, mark); }
    mark = mem->high;
    mgn_copy(fit->f, q->b, q->n);
    mgn_qp_plan_ipm(work, mem, fit);
    const margin_real now =
        mgn_ipm_run_own_w(&work->ipm, before, fit->f, fit->w, fit->run.max_iterations, fit->tick);
    margin_arena_release(mem, mark);
    q->own_w = now < before;
    mgn_copy(q->b, fit->f, q->n);
    mgn_copy(q->w, fit->w, q->own_w ? fit->data.d : 0);
    mgn_qp_late_rows(work, fit, mem);
    mgn_qp_assess(q);
    return q->violation <= q->goal ? MARGIN_OK
           : fit->tick->stopped    ? MARGIN_W_STOPPED
                                   : MARGIN_W_ROUNDING;
}

/* An interior point, then face and pair steps. If these end before the optimum, the result may be
 * worse than the weights were before; then the weights from before are kept. */
static margin_status mgn_qp_work_inside(mgn_qp_work *work, mgn_fit *fit, margin_arena *mem) {
    mgn_qp *q = &work->qp;
    mgn_qp_gradient(q);
    const margin_real before = q->objective;
    mgn_qp_work_ipm(work, fit, mem);
    mgn_qp_late_rows(work, fit, mem);
    const margin_status status = mgn_qp_run(q, 0, fit->run.max_iterations, fit->tick);
    if (status != MARGIN_OK && !(q->objective <= before)) {
        mgn_copy(q->b, fit->f, q->n);
        mgn_qp_assess(q);
    }
    return status;
}

/* The multiplier of a group's sum: the mean G of weights strictly between their bounds, or the
 * middle of where it may lie. */
static margin_real mgn_qp_level(const mgn_qp *q, unsigned group) {
    const mgn_qp_ends *e = &q->ends[group];
    margin_real mean = 0, count = 0;
    for (size_t i = 0; i < q->n; i++) {
        if (q->edge[i] == 0 && mgn_qp_group(q, i) == group) {
            count += 1;
            mean += (q->g[i] - mean) / count;
        }
    }
    if (count > 0) { return mean; }
    return !(e->low < MGN_QP_WALL / 2)     ? e->high
           : !(e->high > -MGN_QP_WALL / 2) ? e->low
                                           : e->low / 2 + e->high / 2;
}

/* The duality gap: the sum over all weights of |G - level| times the distance to the bound that the
 * sign of G - level pushes the weight to. Without caps the level of a group is the G at which no
 * weight is pushed away from 0. */
static margin_real mgn_qp_gap(const mgn_qp *q) {
    margin_real level[2] = {-MGN_HUGE, MGN_HUGE}, sum = 0; /* of negative and positive samples */
    for (unsigned k = 0; k < 2u && q->cap != NULL; k++) {
        level[k] = mgn_qp_level(q, q->by_class ? k : 0);
    }
    for (size_t i = 0; q->cap == NULL && i < q->n; i++) {
        level[0] = mgn_qp_positive(q, i) ? level[0] : mgn_max(level[0], q->g[i]);
        level[1] = mgn_qp_positive(q, i) ? mgn_min(level[1], q->g[i]) : level[1];
    }
    for (size_t i = 0; i < q->n; i++) {
        const margin_real slope = q->g[i] - level[mgn_qp_positive(q, i) ? 1 : 0];
        sum += slope > 0 ? slope * mgn_qp_room(q, i, false) : -slope * mgn_qp_room(q, i, true);
    }
    return sum;
}

/* Solves the programme that has been filled in. If the interior point is not the fastest way to
 * begin with, it follows once pair steps have taken longer than it would. Weights that can move no
 * further may miss their sum by rounding; that adds a multiple of the mean of the features to w,
 * and no violation shows it. So where weights are large enough for it to matter, w is found as a
 * variable of its own. */
static margin_status mgn_qp_work_solve(mgn_qp_work *work, mgn_fit *fit, margin_arena *mem) {
    mgn_qp *q = &work->qp;
    const size_t limit = fit->run.max_iterations, first = mgn_size_mul(q->early ? 8u : 4u, q->n);
    const size_t soon = mgn_size_add(mgn_size_mul(20u, q->n), mgn_size_mul(work->rank, work->rank));
    const size_t mark = mem->high;
    margin_status status = MARGIN_W_ITERATIONS;
    if (!q->begun) { mgn_qp_cold(q); }
    if (q->own_w) { /* from the start */
        status = mgn_qp_work_own_w(work, fit, mem, mark);
    } else if (!(q->c > 0)) { /* the means, in closed form */
        mgn_qp_gradient(q);
        q->violation = 0;
        status = MARGIN_OK;
    } else if (!work->few) {
        status = mgn_qp_run(q, first, work->rank > 0 && soon < limit ? soon : limit, fit->tick);
    }
    if (status == MARGIN_W_ITERATIONS && work->rank > 0 && q->iterations < limit) {
        status = mgn_qp_work_inside(work, fit, mem);
    }
    if (status == MARGIN_OK) {
        const bool centred = q->sum[0] + q->sum[1] == 0; /* w does not depend on the origin */
        status = q->violation > q->goal ? MARGIN_W_ROUNDING : MARGIN_OK;
        if (work->linear && centred &&
            (status != MARGIN_OK || (q->cap != NULL && q->floor > q->goal))) {
            status = mgn_qp_work_own_w(work, fit, mem, mark);
        }
        if (status == MARGIN_W_ROUNDING && fit->tick->stopped) { status = MARGIN_W_STOPPED; }
    }
    fit->info.iterations = q->iterations;
    fit->info.converged = status == MARGIN_OK;
    fit->info.objective = q->objective;
    fit->info.violation = q->goal > 0 ? q->violation / q->goal * q->tol : 0;
    fit->info.gap = mgn_qp_gap(q);
    return mgn_finite(q->objective) ? status : MARGIN_E_RANGE;
}

/* Where the programme has a w of its own, the weights of the linear machine are w times `scale`,
 * and the bias, which counts from the mean of the features, is moved to their origin. */
static void mgn_fit_take_w(mgn_fit *fit, const mgn_qp *q, margin_real scale) {
    fit->has_w = q->own_w;
    for (size_t k = 0; q->own_w && k < fit->data.d; k++) {
        fit->w[k] = q->w[k] * scale;
        fit->bias -= fit->w[k] * q->mean[k];
    }
}

/* ---- >>kmomd ---- the margin distribution as a quadratic programme of >>qp ------------------- */

/* Aiolli, Da San Martino, Sperduti: "A kernel method for the optimization of the margin
 * distribution", ICANN 2008; equation numbers are the paper's. With b_i = y_i gamma_i, problem [2]
 * is the programme of >>qp for c = 2(1 - lambda), ridge = 2 lambda, l = 0, and its pair step is
 * [4], with the step clipped to [-gamma_r, gamma_q]. s = K b are the scores along v, |v|^2 = b's,
 * and the threshold midway between the weighted means is theta = 1/2 sum gamma_j s_j / |v|.
 *
 * Weights w_i of the samples stand for copies: k copies share gamma_i, so that lambda gamma_i^2 / k
 * is left of their squares, and the ridge is 2 lambda / w_i. */

/* Normalised entropy of the weights of one class: 1 when all are equal. */
static margin_real mgn_kmomd_entropy(const margin_real *b, size_t n) {
    margin_real sum = 0;
    for (size_t i = 0; i < n; i++) {
        const margin_real gamma = mgn_abs(b[i]);
        sum -= gamma > 0 ? gamma * mgn_log(gamma) : 0;
    }
    return n > 1u ? sum / mgn_log((margin_real)n) : 1;
}

/* |v|^2, with s = Kb in fit->f; 0 if it is lost in rounding, that is below EPS times the size of
 * K, or EPS^2 times that where v itself is summed up. Where v is a variable of its own nothing is
 * lost; s is then measured from the mean of the features, which mgn_fit_take_w corrects. */
static margin_real mgn_kmomd_square(mgn_qp *q, mgn_fit *fit) {
    margin_real square = 0, noise = 16 * MGN_EPS * q->peak;
    if (q->own_w) {
        for (size_t i = 0; i < q->n; i++) {
            fit->f[i] = (q->g[i] - mgn_qp_ridge(q, i) * q->b[i]) / q->c;
        }
        return margin_dot(q->w, q->w, q->low->d) / (q->c * q->c);
    }
    mgn_qp_mul(q, 1, NULL, q->n, q->b, fit->f);
    if (q->low != NULL) {
        square = margin_dot(q->w, q->w, q->low->d);
        noise *= 16 * MGN_EPS;
    }
    for (size_t i = 0; q->low == NULL && i < q->n; i++) { square += q->b[i] * fit->f[i]; }
    return square > noise ? square : 0;
}

/* Makes a classifier of the weights: coefficients b / |v|, scores and bias. Returns false if v =
 * 0. */
static bool mgn_kmomd_finish(mgn_qp *q, mgn_fit *fit, margin_kmomd_report *report) {
    const margin_real length = mgn_sqrt(mgn_kmomd_square(q, fit));
    margin_real middle = 0;
    if (!(length > 0)) { return false; }
    for (size_t i = 0; i < q->n; i++) { middle += mgn_abs(q->b[i]) * fit->f[i] / 2; }
    report->game_value = length;
    report->entropy = (mgn_kmomd_entropy(fit->b, q->split) +
                       mgn_kmomd_entropy(fit->b + q->split, q->n - q->split)) /
                      2;
    fit->bias = -middle / length;
    for (size_t i = 0; i < q->n; i++) {
        fit->b[i] /= length;
        fit->f[i] = fit->f[i] / length + fit->bias;
    }
    mgn_fit_take_w(fit, q, q->own_w ? 1 / (q->c * length) : 0); /* c may be 0 without a w */
    return true;
}

/* Sets up c and ridge, in units of their sum. Weights of samples below EPS of the largest weight
 * count as EPS of it. */
static void mgn_kmomd_programme(mgn_qp *q, const mgn_fit *fit, margin_real lambda) {
    margin_real top = 0;
    for (size_t i = 0; i < q->n; i++) { top = mgn_max(top, mgn_weight(&fit->data, i)); }
    q->p = 0;
    q->by_class = true;
    q->sum[0] = -1;
    q->sum[1] = 1;
    q->unit = mgn_qp_unit(2 * (1 - lambda) * q->peak + 2 * lambda / top);
    q->c = 2 * (1 - lambda) / q->unit;
    if (lambda > 0) {
        for (size_t i = 0; i < q->n; i++) {
            const margin_real weight =
                mgn_max(mgn_weight(&fit->data, i), mgn_max(MGN_EPS * top, MGN_TINY / MGN_EPS));
            q->own[i] = 2 * lambda / weight / q->unit;
        }
        q->ridge = q->own;
    }
}

/* Solves [2] for the machine. */
static margin_status mgn_kmomd_solve(mgn_qp_work *work, mgn_fit *fit, margin_arena *mem,
                                     margin_real lambda) {
    mgn_qp *q = &work->qp;
    margin_status status = mgn_qp_work_start(work, fit, mem);
    if (status != MARGIN_OK) { return status; }
    mgn_kmomd_programme(q, fit, lambda);
    status = mgn_qp_work_solve(work, fit, mem);
    fit->info.objective *= q->unit;
    fit->info.gap *= q->unit; /* what moving all weight of a class to one sample could gain */
    return status;
}

/* Solves for lambda = 0, and checks that v separates the classes. The gap is sum b_i G_i - min
 * over class 1 + max over class 0 of G, with G = 2 s and sum b_i s_i = |v|^2: it is at least 2
 * |v|^2 if a sample of class 1 lies no further along v than one of class 0. */
static margin_status mgn_kmomd_hard(mgn_qp_work *work, mgn_fit *fit, margin_arena *mem,
                                    margin_kmomd_report *report) {
    const margin_status status = mgn_kmomd_solve(work, fit, mem, 0);
    if (status < 0) { return status; }
    if (((status == MARGIN_OK || status == MARGIN_W_ROUNDING) &&
         !(fit->info.gap < 2 * fit->info.objective)) ||
        !mgn_kmomd_finish(&work->qp, fit, report)) {
        return MARGIN_E_NOT_SEPARABLE;
    }
    return status;
}

static margin_status mgn_kmomd_fit(mgn_fit *fit, margin_arena *mem) {
    const margin_kmomd_options *options = (const margin_kmomd_options *)fit->options;
    margin_kmomd_report report = {0, 0};
    mgn_qp_work work;
    margin_status status;
    if (options->hard_margin) {
        status = mgn_kmomd_hard(&work, fit, mem, &report);
    } else {
        status = mgn_kmomd_solve(&work, fit, mem, options->lambda);
        if (status >= 0 && !mgn_kmomd_finish(&work.qp, fit, &report)) {
            return MARGIN_E_NO_DIRECTION;
        }
    }
    if (fit->tick->at.machine == 0) { *(margin_kmomd_report *)fit->report = report; }
    return status;
}

static const mgn_trainer mgn_kmomd = {mgn_qp_work_plan, mgn_kmomd_fit};

/* Fills in the defaults of the options, and tells the driver what it needs of them. */
static margin_status mgn_kmomd_prepare(const margin_kmomd_options *options,
                                       margin_kmomd_options *full, mgn_fit *fit) {
    mgn_clear(full, sizeof *full);
    if (options != NULL) { *full = *options; }
    if (full->hard_margin) {
        full->lambda = 0;
    } else if (full->lambda == 0) {
        full->lambda = MGN_R(0.1);
    }
    mgn_fit_begin(fit, &full->kernel, full->scheme, full->watch, full);
    fit->run = full->run;
    return full->lambda >= 0 && full->lambda <= 1 ? MARGIN_OK : MARGIN_E_ARGUMENT;
}

MARGIN_API size_t margin_kmomd_train_size(size_t n, size_t d, size_t classes,
                                          const margin_kmomd_options *options) {
    margin_kmomd_options full;
    mgn_fit fit;
    if (mgn_kmomd_prepare(options, &full, &fit) != MARGIN_OK) { return 0; }
    return mgn_train_size(&mgn_kmomd, &fit, n, d, classes);
}

MARGIN_API margin_status margin_kmomd_train(const margin_data *data,
                                            const margin_kmomd_options *options, margin_arena *mem,
                                            margin_model *model, margin_info *info,
                                            margin_kmomd_report *report) {
    margin_kmomd_options full;
    margin_kmomd_report first = {0, 0};
    mgn_fit fit;
    margin_status status = mgn_kmomd_prepare(options, &full, &fit);
    fit.report = &first;
    status = status == MARGIN_OK ? mgn_train(&mgn_kmomd, &fit, data, mem, model, info) : status;
    if (status >= 0 && report != NULL) { *report = first; }
    return status;
}

/* ---- >>svm ---- the soft margin as a quadratic programme of >>qp ----------------------------- */

/* The C-SVM is the programme of >>qp for c = 1, no ridge, l = y and one group: b_i = y_i alpha_i,
 * G_i = (K b)_i - y_i. At the optimum G_i = nu for all alpha_i strictly between 0 and C_i, so the
 * bias is -nu. The hard margin, C infinite, is kmomd at lambda = 0 in other units: the two nearest
 * points of the classes' hulls, v apart, score +1 and -1, hence alpha = 2 gamma / |v|^2.
 *
 * The nu-SVM (Schoelkopf, Smola, Williamson, Bartlett: "New support vector algorithms", Neural
 * Computation 12, 2000) is kmomd at lambda = 0 with caps: weights of each class sum to one, and
 * none is above 2 w_i / (nu sum w), so that the hulls shrink. Free weights of the classes have G =
 * rho - bias and G = -rho - bias; the score is divided by rho, as LIBSVM does, so that margins are
 * 1. */

/* Stores the scores without the bias, Kb, in `s`. Returns nu: the mean G of the free weights, or if
 * there are none the middle of where it may lie. */
static margin_real mgn_svm_level(mgn_qp *q, margin_real *s) {
    margin_real mean = 0, count = 0;
    for (size_t i = 0; i < q->n; i++) {
        s[i] = q->g[i] + mgn_qp_signed(q, i, 1);
        if (q->edge[i] == 0) {
            count += 1;
            mean += (q->g[i] - mean) / count;
        }
    }
    if (count > 0) { return mean; }
    if (!q->own_w) { mgn_qp_mul(q, q->c, NULL, q->n, q->b, s); }
    /* nu where no weight is free: the middle between the smallest G of a weight that may rise and
     * the largest G of one that may fall. Scores s = Kb may be so small that they vanish in G = s
     * - y: so s breaks ties of G, and the whole numbers y are added up by themselves. */
    size_t low = q->n, high = low;
    for (size_t i = 0; i < q->n; i++) {
        const bool rises = q->edge[i] >= 0, falls = q->edge[i] <= 0;
        if (rises &&
            (low == q->n || q->g[i] < q->g[low] || (q->g[i] <= q->g[low] && s[i] < s[low]))) {
            low = i;
        }
        if (falls &&
            (high == q->n || q->g[i] > q->g[high] || (q->g[i] >= q->g[high] && s[i] > s[high]))) {
            high = i;
        }
    }
    if (low == q->n || high == q->n) { return 0; }
    return ((s[low] + s[high]) - (mgn_qp_signed(q, low, 1) + mgn_qp_signed(q, high, 1))) / 2;
}

/* Sets up the nu-SVM. Returns false if the caps of a class do not allow its weights to sum to
 * one. */
static bool mgn_svm_nu_programme(mgn_qp *q, const mgn_fit *fit, margin_real nu) {
    margin_real sum[2] = {0, 0}, all;
    q->unit = mgn_qp_unit(q->peak);
    q->c = 1 / q->unit;
    q->p = 0;
    q->by_class = true;
    q->sum[0] = -1;
    q->sum[1] = 1;
    for (size_t i = 0; i < q->n; i++) { sum[mgn_qp_group(q, i)] += mgn_weight(&fit->data, i); }
    all = sum[0] + sum[1];
    for (size_t i = 0; i < q->n; i++) { q->own[i] = 2 * (mgn_weight(&fit->data, i) / all) / nu; }
    q->cap = q->own;
    q->loose = 2 / (nu * (margin_real)q->n) * (q->c * q->peak);
    q->early = true;
    return nu * all <= 2 * mgn_min(sum[0], sum[1]);
}

/* Makes a classifier of margin 1 of the weights. Returns false if rho is lost in rounding. */
static bool mgn_svm_nu_finish(mgn_qp *q, mgn_fit *fit) {
    const margin_real low = mgn_qp_level(q, 0), high = mgn_qp_level(q, 1), rho = (high - low) / 2;
    const margin_real noise = q->own_w ? 0 : 16 * MGN_EPS * q->c * q->peak;
    if (!(rho > noise) || !(rho > 2 * q->violation)) { return false; }
    fit->bias = -(low + high) / 2 / rho;
    for (size_t i = 0; i < q->n; i++) {
        fit->b[i] /= rho * q->unit;
        fit->f[i] = q->g[i] / rho + fit->bias;
    }
    fit->info.objective = fit->info.objective / rho / rho / q->unit;
    fit->info.gap = fit->info.gap / rho / rho / q->unit;
    mgn_fit_take_w(fit, q, 1 / rho);
    return true;
}

static margin_status mgn_svm_hard(mgn_qp_work *work, mgn_fit *fit, margin_arena *mem) {
    margin_kmomd_report report;
    const margin_status status = mgn_kmomd_hard(work, fit, mem, &report);
    if (status < 0) { return status; }
    const margin_real scale = 2 / report.game_value;
    for (size_t k = 0; fit->has_w && k < fit->data.d; k++) { fit->w[k] *= scale; }
    fit->bias *= scale;
    for (size_t i = 0; i < fit->data.n; i++) {
        fit->b[i] *= scale;
        fit->f[i] *= scale;
    }
    fit->info.gap *= scale * scale / (2 * fit->info.objective);
    fit->info.objective = -scale * scale / 2;
    return status;
}

/* Sets up caps in units in which K is about 1. They are limited to where the square of their sum
 * neither over- nor underflows. */
static void mgn_svm_programme(mgn_qp *q, const mgn_fit *fit, margin_real c_neg, margin_real c_pos) {
    const margin_real root = mgn_sqrt(MGN_HUGE), n = (margin_real)q->n;
    const margin_real most = root / (4 * n), least = MGN_TINY / MGN_EPS;
    q->unit = mgn_qp_unit(q->peak);
    q->c = 1 / q->unit;
    q->p = 1;
    q->by_class = false;
    q->sum[0] = q->sum[1] = 0;
    for (size_t i = 0; i < q->n; i++) {
        const margin_real c = mgn_qp_positive(q, i) ? c_pos : c_neg;
        const margin_real cap = c * mgn_weight(&fit->data, i) * q->unit;
        q->own[i] = mgn_min(mgn_max(cap, least), most);
    }
    q->cap = q->own;
}

/* Solves for nu, or for C. In the end the weights of the latter are taken back to their own units,
 * and its nu is sum alpha / sum C. */
static margin_status mgn_svm_soft(mgn_qp_work *work, mgn_fit *fit, margin_arena *mem,
                                  margin_real *nu) {
    const margin_svm_options *options = (const margin_svm_options *)fit->options;
    mgn_qp *q = &work->qp;
    margin_status status = mgn_qp_work_start(work, fit, mem);
    if (status != MARGIN_OK) { return status; }
    if (options->nu > 0) {
        *nu = options->nu;
        if (!mgn_svm_nu_programme(q, fit, options->nu)) { return MARGIN_E_INFEASIBLE; }
        if (!work->linear) {
            mgn_qp_capped(q);
            mgn_qp_relax(q);
        }
        status = mgn_qp_work_solve(work, fit, mem);
        return status < 0 || mgn_svm_nu_finish(q, fit) ? status : MARGIN_E_INFEASIBLE;
    }
    mgn_svm_programme(q, fit, options->c_neg, options->c_pos);
    status = mgn_qp_work_solve(work, fit, mem);
    const margin_real level = mgn_svm_level(q, fit->f);
    margin_real used = 0, all = 0;
    fit->info.gap /= q->unit;
    fit->info.objective /= q->unit;
    for (size_t i = 0; i < q->n; i++) {
        fit->f[i] -= level;
        used += mgn_abs(q->b[i]);
        all += q->cap[i];
        fit->b[i] /= q->unit;
    }
    fit->bias = -level;
    mgn_fit_take_w(fit, q, 1);
    *nu = used / all;
    return status;
}

/* c1 = 4 n / (z d) for hulls d apart and samples that are z or more along the direction between
 * them; with f = w.phi(x) + bias of the hard margin, d = 2 / |w| and z = |f - bias| / |w|. */
static margin_real mgn_svm_c1(margin_real square, margin_real nearest, size_t n) {
    return nearest > 0 ? 2 * (margin_real)n * square / nearest : 0;
}

/* c1 from the hard margin, which gets some 20 n steps; 0 if they do not find one. */
static margin_real mgn_svm_try_c1(mgn_fit *fit, margin_arena *mem) {
    const size_t mark = mem->high, limit = fit->run.max_iterations;
    mgn_qp_work work;
    margin_real nearest = MGN_HUGE;
    fit->run.max_iterations =
        mgn_size_min(limit, mgn_size_add(mgn_size_mul(20u, fit->most), 9999u));
    const margin_status status = mgn_svm_hard(&work, fit, mem);
    fit->run.max_iterations = limit;
    margin_arena_release(mem, mark);
    for (size_t i = 0; i < fit->data.n && status == MARGIN_OK; i++) {
        nearest = mgn_min(nearest, mgn_abs(fit->f[i] - fit->bias));
    }
    return status == MARGIN_OK ? mgn_svm_c1(-2 * fit->info.objective, nearest, fit->data.n) : 0;
}

/* The report is that of the first machine, but c0 is the least of all machines, c1 the largest. */
static margin_status mgn_svm_fit(mgn_fit *fit, margin_arena *mem) {
    const margin_svm_options *options = (const margin_svm_options *)fit->options;
    const bool first = fit->tick->at.machine == 0;
    margin_svm_report *report = (margin_svm_report *)fit->report;
    const margin_real c1 = options->bounds ? mgn_svm_try_c1(fit, mem) : 0;
    margin_real nu = 0;
    mgn_qp_work work;
    const margin_status status =
        options->hard_margin ? mgn_svm_hard(&work, fit, mem) : mgn_svm_soft(&work, fit, mem, &nu);
    if (status >= 0 && options->bounds) {
        /* c0 = 4 / (Z D): Z the longest phi(x), D the largest distance between opposite classes. */
        margin_real far = 0;
        for (size_t i = work.qp.split; i < work.qp.n; i++) {
            const margin_real *row = mgn_rows_get(work.qp.rows, i);
            for (size_t j = 0; j < work.qp.split; j++) {
                const margin_real ends = work.qp.rows->diag[i] + work.qp.rows->diag[j];
                far = mgn_max(far, ends - 2 * row[j]);
            }
        }
        const margin_real c0 = far > 0 ? 4 / (mgn_sqrt(work.qp.peak) * mgn_sqrt(far)) : 0;
        report->c0 = first ? c0 : mgn_min(report->c0, c0);
        report->c1 = mgn_max(report->c1, c1);
    }
    report->nu = first ? nu : report->nu;
    return status;
}

static const mgn_trainer mgn_svm = {mgn_qp_work_plan, mgn_svm_fit};

static bool mgn_svm_valid(margin_real c) {
    return c > 0 && mgn_finite(c);
}

static margin_status mgn_svm_prepare(const margin_svm_options *options, margin_svm_options *full,
                                     mgn_fit *fit) {
    mgn_clear(full, sizeof *full);
    if (options != NULL) { *full = *options; }
    full->c = full->c == 0 ? 1 : full->c;
    full->c_pos = full->c_pos == 0 ? full->c : full->c_pos;
    full->c_neg = full->c_neg == 0 ? full->c : full->c_neg;
    mgn_fit_begin(fit, &full->kernel, full->scheme, full->watch, full);
    fit->run = full->run;
    const bool prices =
        mgn_svm_valid(full->c) && mgn_svm_valid(full->c_pos) && mgn_svm_valid(full->c_neg);
    return prices && full->nu >= 0 && full->nu <= 1 ? MARGIN_OK : MARGIN_E_ARGUMENT;
}

MARGIN_API size_t margin_svm_train_size(size_t n, size_t d, size_t classes,
                                        const margin_svm_options *options) {
    margin_svm_options full;
    mgn_fit fit;
    if (mgn_svm_prepare(options, &full, &fit) != MARGIN_OK) { return 0; }
    return mgn_train_size(&mgn_svm, &fit, n, d, classes);
}

MARGIN_API margin_status margin_svm_train(const margin_data *data,
                                          const margin_svm_options *options, margin_arena *mem,
                                          margin_model *model, margin_info *info,
                                          margin_svm_report *report) {
    margin_svm_options full;
    margin_svm_report first = {0, 0, 0};
    mgn_fit fit;
    margin_status status = mgn_svm_prepare(options, &full, &fit);
    fit.report = &first;
    status = status == MARGIN_OK ? mgn_train(&mgn_svm, &fit, data, mem, model, info) : status;
    if (status >= 0 && report != NULL) { *report = first; }
    return status;
}

/* ---- >>rates ---- the widest margin under given error rates: a programme over cones ---------- */

/* Saketha Nath, Bhattacharyya: "Maximum margin classifiers with specified false positive and false
 * negative error rates", SDM 2007; equation numbers are the paper's. Class 1 is the positive one,
 * class 0 its class 2; D = m_1 - m_0; S_c = R_c'R_c, where the ridge counts as rows of R_c; k_c =
 * kappa_c.
 *
 * Both constraints of [3.14] are active at the optimum, so b drops out:
 *
 *     minimise  1/2 |w|^2   over   w.D >= 2 + k_1 |R_1 w| + k_0 |R_0 w|.
 *
 * The dual [3.23] is the distance of two ellipsoids, |y| at its least for y = D - R_1'q_1 -
 * R_0'q_0 with |q_c| <= k_c, and w = 2 y / |y|^2 [3.24]. A Lagrange multiplier for each |q_c|^2 <=
 * k_c^2, 1 / c_c, turns it into
 *
 *     (I + c_1 S_1 + c_0 S_0) y = D,   q_c = c_c R_c y,   |q_c| = k_c,  or |q_c| <= k_c if c_c is
 *                                                                       infinite:
 *
 * a linear system for y, and two equations for the two numbers c_c, which are solved by Newton's
 * method in log c_c. The second case is the apex: R_c y = 0, all samples of the class score alike.
 * Every y gives a lower bound of the distance, (D.y - k_1 |R_1 y| - k_0 |R_0 y|) / |y|. Every q
 * with |q_c| <= k_c gives an upper bound, |D - R_1'q_1 - R_0'q_0|. The gap is between the two.
 *
 * Feasibility: the same system without I, (c_1 S_1 + c_0 S_0) v = D, has as its (|q_1|, |q_0|),
 * for c_1 / c_0 from 0 to infinity, exactly the pairs (k_1, k_0) whose ellipsoids touch: the
 * frontier. p* is the ratio of (k_1, k_0) to the touching pair in its direction, one equation for
 * c_1 / c_0. Any v with v.D > 0 bounds it from above, p* <= (k_1 |R_1 v| + k_0 |R_0 v|) / v.D,
 * with an error of second order in v.
 *
 * Solving. R_c is known by m_c rows Z_c (and the ridge). The system in (y, q), y + Z'q = D and
 * Z y - q / c = 0, is reduced to
 *   narrow  (e + c_1 S_1 + c_0 S_0) y = D in the d dimensions of w, or
 *   wide    (Z Z' + 1 / c) q = Z D in the rows, where these are no more than the dimensions, as
 *           with kernels. Here an infinite c does no harm, but D must not lie in the span of the
 *           rows.
 * Where c is so large that the factor would be inaccurate, a smaller c is used in the factor; the
 * residuals of the full system with the true c are then reduced by repeated correction with that
 * factor, at the cost of a few products with Z. */

/* The matrices of the linear system, in one of its two forms. */
typedef struct {
    bool wide;            /* Z Z' is in `work` */
    bool known;           /* S is in `sigma` */
    margin_real *sigma;   /* d x d: S_1 above the diagonal, S_0 below it, without the ridge */
    size_t sstep;         /* numbers from one row of sigma to the next */
    margin_real *diag[2]; /* the diagonals of S_c: that of sigma is free */
    margin_real *work; /* narrow: d x d, a factor below the diagonal; wide: rows x rows, Z Z' above
                             it and a factor below it */
    size_t wstep;      /* numbers from one row of work to the next */
    margin_real *gram; /* wide: rows, the diagonal of Z Z' */
    margin_real *metric; /* d: the ridge that makes the system for v regular */
    margin_real *panel;  /* room for factorisations */
} mgn_rates_system;

/* One solution of the system, and what it was solved with. */
typedef struct {
    margin_real c[2];        /* the multipliers */
    margin_real factored[2]; /* those in the factor: no larger than it can bear */
    margin_real e;           /* factor of the metric, or without one of I */
    bool metrical;           /* e belongs to the metric */
    margin_real *v;          /* d: y, or the v of the frontier */
    margin_real *q;          /* rows */
    margin_real length[2];   /* |q_c|, ridge included */
    margin_real *a[2];       /* d each: R_c'q_c */
} mgn_rates_solution;

/* Vectors to work with. */
typedef struct {
    margin_real *r, *t; /* d each */
    margin_real *s, *x; /* rows each */
} mgn_rates_room;

/* The best solution so far, and what is known of the distance of the ellipsoids. */
typedef struct {
    margin_real *y;        /* d */
    margin_real *q;        /* rows: the q of y */
    margin_real c[2];      /* and its c */
    margin_real low, high; /* bounds of the distance */
    margin_real start;     /* the lower one at the start of `fast` */
    margin_real stray;     /* |y - (D - Z'q)| / |y| with |q_c| = k_c, or at the apex at most that */
    bool apex[2];          /* c_c is as good as infinite */
    margin_real scale;     /* from y to w */
    margin_real p_star;
} mgn_rates_best;

/* The problem. */
typedef struct {
    size_t d, m[2], rows; /* dimensions; rows of Z: those of class 0, then those of class 1; both */
    margin_real *z;       /* rows x d */
    size_t zstep;         /* numbers from one row of z to the next */
    margin_real *delta;   /* D */
    margin_real kappa[2], ridge, trace[2];
    margin_real unit;       /* D and Z were multiplied by it */
    bool active[2];         /* k_c and S_c are not zero: c_c is an unknown */
    size_t begin, count;    /* the rows of active classes, which are neighbours */
    bool regular[2];        /* S_c is known to be regular: no c_c is too large */
    margin_real *centre[2]; /* means of the classes in the space of w, before `unit` */
    margin_real *root;      /* kernels: root of the share of each sample in its class */
    mgn_rates_system system;
    mgn_rates_solution at;
    mgn_rates_room room;
    mgn_rates_best best;
    size_t factors; /* Cholesky factors so far */
} mgn_rates;

#define MGN_RATES_FACTORS 40u
/* Steps of log c up to this are made with the factor at hand: each correction takes that much
 * off. */
#define MGN_RATES_NEAR MGN_R(1e-4)

static size_t mgn_rates_first(const mgn_rates *p, size_t c) {
    return c == 0 ? 0 : p->m[0];
}

static margin_real *mgn_rates_z(const mgn_rates *p, size_t c) {
    return p->z + mgn_rates_first(p, c) * p->zstep;
}

/* out = rows from .. from + count - 1 of Z times x */
static void mgn_rates_times(const mgn_rates *p, size_t from, size_t count, const margin_real *x,
                            margin_real *out) {
    const margin_real *row = p->z + from * p->zstep;
    for (size_t i = 0; i < count; i++, row += p->zstep) { out[i] = margin_dot(row, x, p->d); }
}

/* |R_c x|; p->room.x is used. */
static margin_real mgn_rates_spread(const mgn_rates *p, size_t c, const margin_real *x) {
    const margin_real own = mgn_sqrt(p->ridge) * margin_norm2(x, p->d);
    mgn_rates_times(p, mgn_rates_first(p, c), p->m[c], x, p->room.x);
    return mgn_hypot(margin_norm2(p->room.x, p->m[c]), own);
}

/* k_1 |R_1 x| + k_0 |R_0 x| */
static margin_real mgn_rates_width(const mgn_rates *p, const margin_real *x) {
    margin_real sum = 0;
    for (size_t c = 0; c < 2u; c++) {
        sum += p->active[c] ? p->kappa[c] * mgn_rates_spread(p, c, x) : 0;
    }
    return sum;
}

/* What metric and ridge add to element j of the diagonal. */
static margin_real mgn_rates_own(const mgn_rates *p, margin_real e, const margin_real *c,
                                 size_t j) {
    return e * (p->at.metrical ? p->system.metric[j] : 1) + p->ridge * (c[0] + c[1]);
}

/* b = (L L')^-1 b with the present factor. */
static void mgn_rates_backsolve(const mgn_rates *p, margin_real *b) {
    const size_t n = p->system.wide ? p->count : p->d;
    const margin_real *l =
        p->system.work + (p->system.wide ? p->begin * (p->system.wstep + 1u) : 0);
    mgn_solve(b, 1, mgn_view_of(l, p->system.wstep, 1), n, true);
    mgn_solve(b, 1, mgn_view_of(l, 1, p->system.wstep), n, false);
}

/* Replaces the residuals r = D - e y - Z'q and s = Z y - q / c of the full system by the
 * correction (dy, dq), the solution of e dy + Z'dq = r and Z dy - dq / c = -s. Narrow: dq = c (Z
 * dy + s), so that (e + Z'c Z) dy = r - Z'c s. Wide, e = 1: dy = r - Z'dq, so that (Z Z' + 1 / c)
 * dq = s + Z r. */
static void mgn_rates_correct(const mgn_rates *p, margin_real *r, margin_real *s) {
    const size_t begin = p->begin, count = p->count;
    const margin_real *z = p->z + begin * p->zstep;
    if (p->system.wide) {
        mgn_rates_times(p, begin, count, r, p->room.x);
        margin_axpy(s + begin, 1, p->room.x, count);
        mgn_rates_backsolve(p, s + begin);
        mgn_mat_t_vec(p->room.t, z, p->zstep, count, p->d, s + begin);
        margin_axpy(r, -1, p->room.t, p->d);
        return;
    }
    for (size_t i = begin; i < begin + count; i++) {
        p->room.x[i] = p->at.factored[i < p->m[0] ? 0 : 1] * s[i];
    }
    mgn_mat_t_vec(p->room.t, z, p->zstep, count, p->d, p->room.x + begin);
    margin_axpy(r, -1, p->room.t, p->d);
    mgn_rates_backsolve(p, r);
    mgn_rates_times(p, begin, count, r, p->room.x + begin);
    for (size_t i = begin; i < begin + count; i++) {
        s[i] = p->at.factored[i < p->m[0] ? 0 : 1] * (p->room.x[i] + s[i]);
    }
}

/* r = D - e v - Z'q, the first residual of the present solution (v, q). */
static void mgn_rates_open(const mgn_rates *p, margin_real *r) {
    const size_t begin = p->begin;
    mgn_mat_t_vec(p->room.t, p->z + begin * p->zstep, p->zstep, p->count, p->d, p->at.q + begin);
    for (size_t j = 0; j < p->d; j++) {
        r[j] = p->delta[j] - mgn_rates_own(p, p->at.e, p->at.c, j) * p->at.v[j] - p->room.t[j];
    }
}

/* Corrects v and q as long as each correction is less than half of the one before, at most eight
 * times. Then computes |q_c| and R_c'q_c. */
static bool mgn_rates_improve(mgn_rates *p) {
    const size_t begin = p->begin, count = p->count;
    margin_real last = margin_norm2(p->at.v, p->d);
    bool more = true;
    for (unsigned step = 0; step < 8u && more; step++) {
        mgn_rates_open(p, p->room.r);
        mgn_rates_times(p, begin, count, p->at.v, p->room.s + begin);
        for (size_t i = begin; i < begin + count; i++) {
            p->room.s[i] -= p->at.q[i] / p->at.c[i < p->m[0] ? 0 : 1];
        }
        mgn_rates_correct(p, p->room.r, p->room.s);
        const margin_real size = margin_norm2(p->room.r, p->d);
        more = size < last / 2;
        if (more) {
            margin_axpy(p->at.v, 1, p->room.r, p->d);
            margin_axpy(p->at.q + begin, 1, p->room.s + begin, count);
            more = size > 16 * MGN_EPS * margin_norm2(p->at.v, p->d);
        }
        last = size;
    }
    for (size_t k = 0; k < 2u; k++) {
        const margin_real *q = p->at.q + mgn_rates_first(p, k);
        const margin_real own = p->at.c[k] * mgn_sqrt(p->ridge) * margin_norm2(p->at.v, p->d);
        p->at.length[k] = mgn_hypot(margin_norm2(q, p->m[k]), own);
        mgn_mat_t_vec(p->at.a[k], mgn_rates_z(p, k), p->zstep, p->m[k], p->d, q);
        margin_axpy(p->at.a[k], p->at.c[k] * p->ridge, p->at.v, p->d);
    }
    return margin_norm2(p->at.v, p->d) <= MGN_HUGE;
}

/* Factors the system for c and e, with smaller c where the factor would be inaccurate, and
 * solves it for v and q. */
static bool mgn_rates_solve(mgn_rates *p, const margin_real *c, margin_real e, bool metrical) {
    const mgn_rates_system *s = &p->system;
    const margin_real size = (margin_real)(s->wide ? 4u * p->rows : 16u * p->d) * MGN_EPS;
    const margin_real most = 1 / (size * (p->trace[0] + p->trace[1]) + MGN_TINY);
    const size_t begin = s->wide ? p->begin : 0;
    const size_t n = s->wide ? p->count : p->d;
    const margin_real *factored = p->at.factored;
    p->factors++;
    p->at.metrical = metrical;
    p->at.e = e;
    for (size_t k = 0; k < 2u; k++) {
        p->at.c[k] = c[k];
        p->at.factored[k] = metrical || p->regular[k] ? c[k] : mgn_min(c[k], most);
    }
    for (size_t i = begin; i < begin + n; i++) {
        margin_real *to = s->work + i * s->wstep;
        if (s->wide) { /* Z Z' + 1 / c, for the rows of active classes */
            for (size_t j = begin; j < i; j++) { to[j] = s->work[j * s->wstep + i]; }
            to[i] = s->gram[i] + 1 / factored[i < p->m[0] ? 0 : 1];
        } else {
            const margin_real *row = s->sigma + i * s->sstep;
            for (size_t j = 0; j < i; j++) {
                to[j] = factored[0] * row[j] + factored[1] * s->sigma[j * s->sstep + i];
            }
            to[i] = mgn_rates_own(p, metrical ? mgn_max(e, size) : e, factored, i) +
                    (factored[0] * s->diag[0][i] + factored[1] * s->diag[1][i]);
        }
    }
    if (!mgn_cholesky(s->work + begin * (s->wstep + 1u), s->wstep, n, s->panel)) { return false; }
    mgn_copy(p->at.v, p->delta, p->d); /* the residuals of v = 0, q = 0 */
    mgn_zero(p->at.q, p->rows);
    mgn_rates_correct(p, p->at.v, p->at.q);
    return mgn_rates_improve(p);
}

/* slope[i][j], the derivative of log |q_i| by log c_j at the present solution. M y = D with M = e
 * + sum c_j S_j gives dy / d log c_j = -M^-1 c_j S_j y = -M^-1 a_j with a_j = R_j'q_j; from q_i =
 * c_i R_i y follows the slope [i = j] - c_i a_i'M^-1 a_j / |q_i|^2. In the wide form it is free of
 * cancellation: q_i'(N^-1 q_j) / (c_j |q_i|^2), where N = Z Z' + 1 / c for all rows, and q_j has
 * zeros in the rows of the other class. */
static void mgn_rates_slopes(const mgn_rates *p, margin_real slope[2][2]) {
    const bool wide = p->system.wide;
    margin_real *r = p->room.r, *s = p->room.s;
    for (size_t j = 0; j < 2u; j++) {
        const size_t at = mgn_rates_first(p, j);
        if (wide) {
            mgn_zero(s, p->rows);
            mgn_copy(s + at, p->at.q + at, p->m[j]);
            mgn_rates_backsolve(p, s + p->begin);
        } else {
            mgn_copy(r, p->at.a[j], p->d);
            mgn_rates_backsolve(p, r);
        }
        for (size_t i = 0; i < 2u; i++) {
            const size_t from = mgn_rates_first(p, i);
            const margin_real square = p->at.length[i] * p->at.length[i];
            const margin_real unit = wide ? p->at.factored[j] * square : square;
            const margin_real product = wide ? margin_dot(p->at.q + from, s + from, p->m[i])
                                             : margin_dot(p->at.a[i], r, p->d);
            slope[i][j] = i == j ? 1 : 0;
            if (unit > 0 && p->active[j]) { /* a class that is not active has q = 0 */
                slope[i][j] =
                    wide ? product / unit : slope[i][j] - p->at.factored[i] * product / unit;
            }
        }
    }
}

/* ---- feasibility and the frontier ---- */

/* Improves the bound in *found by the present solution: the least p*, for which the best v is kept
 * as y, or, where k_1 is `given`, the largest k_0. */
static void mgn_rates_take_bound(mgn_rates *p, bool given, margin_real *found) {
    const margin_real *v = p->at.v, along = margin_dot(p->delta, v, p->d);
    if (!(along > 0)) { return; }
    if (given) {
        const margin_real k1 = p->active[1] ? p->kappa[1] : 0;
        const margin_real left = along - k1 * mgn_rates_spread(p, 1, v);
        const margin_real spread = mgn_rates_spread(p, 0, v);
        const bool endless = left > 0 && spread <= left * MGN_TINY;
        *found = mgn_max(*found, endless ? MGN_HUGE : left / spread);
    } else if (mgn_rates_width(p, v) / along < *found) {
        *found = mgn_rates_width(p, v) / along;
        mgn_copy(p->best.y, v, p->d);
    }
}

/* Newton's method in x = log (c_1 / c_0) for the point of the frontier. `beyond` is by how much the
 * frontier at x is beyond the wanted point, in logarithms, and `rate` its derivative. It rises with
 * x, so that bounds close in on the point. */
static void mgn_rates_seek(mgn_rates *p, bool given, margin_real x, margin_real *found) {
    const margin_real end = MGN_R(sizeof(margin_real) > 4u ? 27.0 : 12.0);
    const margin_real goal = MGN_R(sizeof(margin_real) > 4u ? 1e-7 : 1e-3),
                      tiny = MGN_TINY / MGN_EPS;
    margin_real low = -end, high = end, slope[2][2];
    x = mgn_max(-end / 2, mgn_min(end / 2, x));
    for (unsigned step = 0; step < 16u; step++) {
        margin_real c[2];
        c[0] = !p->active[0] ? 0 : p->active[1] ? 1 / (1 + mgn_exp(x)) : 1;
        c[1] = !p->active[1] ? 0 : p->active[0] ? 1 / (1 + mgn_exp(-x)) : 1;
        if (!mgn_rates_solve(p, c, 0, true)) { return; }
        mgn_rates_take_bound(p, given, found);
        if (!p->active[0] || !p->active[1]) { return; }
        const margin_real share = p->at.c[1] / (p->at.c[0] + p->at.c[1]);
        mgn_rates_slopes(p, slope);
        margin_real beyond = mgn_log((p->at.length[1] + tiny) / p->kappa[1]);
        margin_real rate = slope[1][1] * (1 - share) - slope[1][0] * share;
        if (!given) {
            beyond -= mgn_log((p->at.length[0] + tiny) / p->kappa[0]);
            rate -= slope[0][1] * (1 - share) - slope[0][0] * share;
        }
        if (!(mgn_abs(beyond) > goal) || high - low < goal) { return; }
        low = beyond < 0 ? x : low;
        high = beyond < 0 ? high : x;
        margin_real next = rate > 0 ? x - beyond / rate : x - beyond;
        next = mgn_max(x - 5, mgn_min(x + 5, next));
        if (!(next > low && next < high)) { next = beyond < 0 ? (x + high) / 2 : (low + x) / 2; }
        x = next;
    }
}

/* Changes to the narrow form: computes S from Z unless it is known, and the metric. */
static void mgn_rates_narrow(mgn_rates *p) {
    mgn_rates_system *s = &p->system;
    const size_t d = p->d;
    s->wide = false;
    for (size_t c = 0; c < 2u && !s->known; c++) {
        const margin_data z = {mgn_rates_z(p, c), p->m[c], d, p->zstep, NULL, NULL, NULL};
        mgn_normal_matrix(s->work, s->wstep, &z, s->panel);
        for (size_t i = 0; i < d; i++) {
            for (size_t j = i + 1u; j < d; j++) {
                s->sigma[c == 1u ? i * s->sstep + j : j * s->sstep + i] = s->work[i * s->wstep + j];
            }
            s->diag[c][i] = s->work[i * s->wstep + i];
        }
    }
    s->known = true;
    for (size_t j = 0; j < d; j++) {
        const margin_real size =
            s->diag[0][j] + s->diag[1][j] + 2 * p->ridge + p->delta[j] * p->delta[j];
        s->metric[j] = size > 0 ? size : 1;
    }
}

/* Returns p*, and leaves the w that attains it in y; or, with `given`, the largest k_0 that is
 * feasible together with k_1, which is MGN_HUGE if every k_0 is. */
static margin_real mgn_rates_frontier_point(mgn_rates *p, bool given) {
    const margin_real start = given ? 0 : MGN_HUGE;
    const margin_real k1 = given ? 1 : p->kappa[1], k0 = given ? 1 : p->kappa[0];
    const margin_real s1 = mgn_sqrt(p->trace[1] + p->ridge), s0 = mgn_sqrt(p->trace[0] + p->ridge);
    const margin_real least = mgn_max(s0, MGN_TINY); /* with `given`, s0 may be 0 */
    margin_real found = start;
    p->active[1] = p->kappa[1] > 0 && s1 > 0;
    p->active[0] = given || (p->kappa[0] > 0 && s0 > 0);
    p->begin = p->active[0] ? 0 : p->m[0];
    p->count = (p->active[0] ? p->m[0] : 0) + (p->active[1] ? p->m[1] : 0);
    if (!p->active[0] && !p->active[1]) {
        mgn_copy(p->best.y, p->delta, p->d);
        return 0;
    }
    if (p->system.wide) {
        /* With c as large as possible, y is the part of D outside the span of the rows. If it is
         * not lost in rounding, p* is practically 0. */
        const margin_real most = 1 / (16 * MGN_EPS * MGN_EPS * (p->trace[0] + p->trace[1]));
        const margin_real c[2] = {p->active[0] ? most : 0, p->active[1] ? most : 0};
        if (mgn_rates_solve(p, c, 1, false)) {
            const margin_real along = margin_dot(p->delta, p->at.v, p->d);
            mgn_rates_take_bound(p, given, &found);
            if (mgn_rates_width(p, p->at.v) < 64 * mgn_sqrt(MGN_EPS) * along) { return found; }
        }
    }
    mgn_rates_narrow(p);
    found = start;
    /* A first guess of log (c_1 / c_0): in proportion to k_c over the size of R_c. */
    const bool both = p->active[0] && p->active[1];
    mgn_rates_seek(p, given, both ? mgn_log(k1 / s1) - mgn_log(k0 / least) : 0, &found);
    return found;
}

/* ---- fast ---- */

/* (D.x - k_1 |R_1 x| - k_0 |R_0 x|) / |x|, a lower bound of the distance. */
static margin_real mgn_rates_bound(const mgn_rates *p, const margin_real *x) {
    const margin_real size = margin_norm2(x, p->d);
    return size > 0 ? (margin_dot(p->delta, x, p->d) - mgn_rates_width(p, x)) / size : 0;
}

/* Sets v = a y + b D and returns the lower bound that it gives. Z y must be in p->room.x and Z D in
 * p->room.s; p->at.q is overwritten. */
static margin_real mgn_rates_mix(const mgn_rates *p, margin_real a, margin_real b) {
    margin_real width = 0;
    for (size_t j = 0; j < p->d; j++) { p->at.v[j] = a * p->best.y[j] + b * p->delta[j]; }
    for (size_t i = 0; i < p->rows; i++) { p->at.q[i] = a * p->room.x[i] + b * p->room.s[i]; }
    const margin_real size = margin_norm2(p->at.v, p->d);
    for (size_t c = 0; c < 2u; c++) {
        const margin_real spread = margin_norm2(p->at.q + mgn_rates_first(p, c), p->m[c]);
        width += p->active[c] ? p->kappa[c] * mgn_hypot(spread, mgn_sqrt(p->ridge) * size) : 0;
    }
    return size > 0 ? (margin_dot(p->delta, p->at.v, p->d) - width) / size : 0;
}

/* Sets v to the direction with the best lower bound, of a few between that of p*, which is y, and
 * D; its length is that bound. */
static void mgn_rates_begin_fast(mgn_rates *p) {
    const margin_real ly = 1 / margin_norm2(p->best.y, p->d), ld = 1 / margin_norm2(p->delta, p->d);
    margin_real best = 0, share = 0;
    mgn_rates_times(p, 0, p->rows, p->best.y, p->room.x);
    mgn_rates_times(p, 0, p->rows, p->delta, p->room.s);
    for (unsigned k = 0; k <= 8u; k++) {
        const margin_real part = (margin_real)k / 8;
        const margin_real bound = mgn_rates_mix(p, (1 - part) * ly, part * ld);
        share = bound > best ? part : share;
        best = mgn_max(best, bound);
    }
    (void)mgn_rates_mix(p, (1 - share) * ly, share * ld);
    p->best.start = best;
    best /= margin_norm2(p->at.v, p->d);
    for (size_t j = 0; j < p->d; j++) { p->at.v[j] *= best; }
}

/* Updates the bounds by the present solution, and keeps it if its lower bound is the best one. Of
 * lower bounds that are equal up to the rounding of D.y, the one closer to stationarity is
 * better. */
static void mgn_rates_take(mgn_rates *p) {
    mgn_rates_best *best = &p->best;
    const margin_real low = mgn_rates_bound(p, p->at.v);
    const margin_real same = 16 * MGN_EPS * margin_norm2(p->delta, p->d);
    mgn_rates_open(p, p->room.r);
    for (size_t j = 0; j < p->d; j++) {
        const margin_real least = 64 * MGN_EPS * (mgn_abs(p->delta[j]) + mgn_abs(p->at.v[j]));
        p->room.t[j] = p->at.v[j] + (mgn_abs(p->room.r[j]) <= least ? 0 : p->room.r[j]);
    }
    /* How far the solution is from stationary: |y - (D - Z'q)| / |y|, with q_c scaled to |q_c| =
     * k_c, or at the apex to |q_c| <= k_c. `excess` is by which share of itself q_c is too long. */
    for (size_t c = 0; c < 2u; c++) {
        const bool there = p->active[c] && p->at.length[c] > 0;
        const margin_real excess = there ? 1 - p->kappa[c] / p->at.length[c] : 0;
        const margin_real beyond = mgn_max(excess, 0);
        margin_axpy(p->room.t, beyond, p->at.a[c], p->d);
        margin_axpy(p->room.r, best->apex[c] ? beyond : excess, p->at.a[c], p->d);
    }
    best->high = mgn_min(best->high, margin_norm2(p->room.t, p->d));
    const margin_real length = margin_norm2(p->at.v, p->d), off = margin_norm2(p->room.r, p->d);
    const margin_real stray = mgn_min(MGN_HUGE, length > 0 ? off / length : MGN_HUGE);
    if (low > best->low + same || (stray < best->stray && low > best->low - same)) {
        best->low = low;
        best->stray = stray;
        mgn_copy(best->y, p->at.v, p->d);
        mgn_copy(best->q, p->at.q, p->rows);
        mgn_copy(best->c, p->at.c, 2);
    }
}

/* a / b, or `otherwise` where b is 0. */
static margin_real mgn_rates_over(margin_real a, margin_real b, margin_real otherwise) {
    return b < 0 || b > 0 ? a / b : otherwise;
}

/* The Newton step in log c, into step[c], for those c that `hold` does not fix. A class whose
 * |q_c| < k_c no longer depends on its c is at the apex: its c goes to the largest value of use. */
static void mgn_rates_step(const mgn_rates *p, const bool *hold, const margin_real *most,
                           margin_real *step) {
    margin_real slope[2][2], miss[2];
    bool fixed[2];
    mgn_rates_slopes(p, slope);
    for (size_t c = 0; c < 2u; c++) {
        miss[c] = p->active[c] ? mgn_log(p->at.length[c] / p->kappa[c]) : 0;
        fixed[c] = hold[c] || (slope[c][c] < MGN_R(0.02) && miss[c] < MGN_R(-0.02));
    }
    const margin_real det = slope[0][0] * slope[1][1] - slope[0][1] * slope[1][0];
    for (size_t c = 0; c < 2u; c++) {
        const size_t o = 1u - c;
        const margin_real alone = mgn_rates_over(-miss[c], slope[c][c], -miss[c]);
        const margin_real joint =
            mgn_rates_over(miss[o] * slope[c][o] - miss[c] * slope[o][o], det, -miss[c]);
        step[c] = fixed[c] ? 0 : fixed[o] ? alone : joint;
        step[c] = mgn_abs(step[c]) <= MGN_HUGE ? step[c] : -miss[c];
        const margin_real limit = step[c] * miss[c] > 0 ? 1 : MGN_R(4.6); /* a hundredfold */
        step[c] = mgn_max(-limit, mgn_min(limit, step[c]));
        if (fixed[c] && !hold[c]) { step[c] = mgn_log(most[c] / p->at.c[c]); }
    }
}

/* Makes a step of c. Returns its size, the larger one of |change of log c|, or 0 if neither c can
 * move any more. */
static margin_real mgn_rates_move(mgn_rates *p, margin_real tol, margin_real *c) {
    const margin_real low = mgn_max(p->best.low, p->best.start);
    margin_real most[2], step[2], size = 0;
    bool hold[2];
    for (size_t k = 0; k < 2u; k++) {
        most[k] = mgn_min(mgn_rates_over(p->kappa[k] * p->kappa[k], tol * low * low, MGN_HUGE),
                          MGN_HUGE * MGN_EPS);
        hold[k] = !p->active[k] || (c[k] >= most[k] / 2 && p->at.length[k] <= p->kappa[k]);
    }
    if (hold[0] && hold[1]) { return 0; }
    mgn_rates_step(p, hold, most, step);
    for (size_t k = 0; k < 2u; k++) {
        if (p->active[k]) {
            c[k] = mgn_min(c[k] * mgn_exp(step[k]), most[k]);
            size = mgn_max(size, mgn_abs(step[k]));
            p->best.apex[k] = c[k] >= most[k] / 2;
        }
    }
    return size;
}

/* The first c: k_c / |R_c y| at the starting point, but not too near to an apex, where R_c y
 * vanishes. So k_c |R_c y| counts as at least a thousandth of the most that S_c can make of it
 * (wide), or of D.y = |y|^2 + k_1 |R_1 y| + k_0 |R_0 y| (narrow). */
static void mgn_rates_first_c(mgn_rates *p, margin_real *c) {
    const margin_real along = margin_dot(p->delta, p->at.v, p->d);
    for (size_t i = 0; i < 2u; i++) {
        const margin_real k = p->kappa[i], size = margin_norm2(p->at.v, p->d);
        const margin_real least =
            (p->system.wide ? k * mgn_sqrt(p->trace[i]) * size : along) / 1000;
        const margin_real width = k * mgn_rates_spread(p, i, p->at.v);
        c[i] = p->active[i] ? k * k / mgn_max(mgn_max(width, least), MGN_TINY) : 0;
    }
}

/* Newton's method until the gap is closed, or no longer shrinks. The gap is of the size of |R_c y|
 * times the amount by which |q_c| differs from k_c, whereas the error of w is of the size of that
 * amount alone. So one more step is made after the gap has closed, mostly without a factorisation.
 * The best solution is left in p->best. */
static margin_status mgn_rates_fast(mgn_rates *p, mgn_tick *tick, margin_real tol) {
    margin_real c[2], least = MGN_HUGE, moved = MGN_HUGE;
    unsigned stale = 0;
    bool closed = false;
    mgn_rates_begin_fast(p);
    mgn_rates_first_c(p, c);
    p->best.apex[0] = p->best.apex[1] = false;
    p->best.low = 0;
    p->best.stray = MGN_HUGE;
    p->best.high = margin_norm2(p->delta, p->d);
    for (unsigned round = 0; round < 2u * MGN_RATES_FACTORS && stale < 16u; round++) {
        if (p->factors >= MGN_RATES_FACTORS && moved > MGN_RATES_NEAR) { break; }
        /* Where c has moved little, the last solution is corrected with the factor at hand. */
        const bool near = moved <= MGN_RATES_NEAR;
        if (near) { mgn_copy(p->at.c, c, 2); }
        if (!(near ? mgn_rates_improve(p) : mgn_rates_solve(p, c, 1, false))) {
            c[0] /= 16;
            c[1] /= 16;
            moved = MGN_HUGE;
            continue;
        }
        mgn_rates_take(p);
        const margin_real gap = mgn_max(p->best.high - p->best.low, 0);
        if (gap <= tol * p->best.high && (stale > 0 || closed || p->best.stray <= 64 * MGN_EPS)) {
            return MARGIN_OK;
        }
        closed = gap <= tol * p->best.high && p->best.stray <= mgn_sqrt(tol);
        if (mgn_tick_stop(tick, p->factors, gap / p->best.high, tol)) { return MARGIN_W_STOPPED; }
        stale = gap < least / 2 ? 0 : stale + 1u;
        least = mgn_min(gap, least);
        moved = mgn_rates_move(p, tol, c);
        if ((stale >= 4u && least < 64 * mgn_sqrt(MGN_EPS) * p->best.high) || !(moved > 0)) {
            break;
        }
    }
    return p->best.high - p->best.low <= 64 * mgn_sqrt(MGN_EPS) * p->best.high
               ? MARGIN_OK
               : MARGIN_W_ITERATIONS;
}

/* ---- iter ---- */

/* The lower triangle of `work` = S_c + ridge. */
static void mgn_rates_lower(const mgn_rates *p, size_t c) {
    const mgn_rates_system *s = &p->system;
    for (size_t i = 0; i < p->d; i++) {
        margin_real *row = s->work + i * s->wstep;
        for (size_t j = 0; j < i; j++) {
            row[j] = s->sigma[c == 1u ? j * s->sstep + i : i * s->sstep + j];
        }
        row[i] = s->diag[c][i] + p->ridge;
    }
}

/* The least eigenvalue of sign * T, by bisection down to rounding: n divisions for each bit. */
static margin_real mgn_rates_least(const mgn_tridiagonal *t, size_t n, margin_real sign) {
    margin_real low = 0, high = 0;
    for (size_t i = 0; i < n; i++) { /* Gershgorin's circles */
        low = mgn_max(low, mgn_abs(t->d[i]) + (i > 0 ? mgn_abs(t->e[i - 1u]) : 0) +
                               (i + 1u < n ? mgn_abs(t->e[i]) : 0));
        high = i == 0 ? sign * t->d[i] : mgn_min(high, sign * t->d[i]);
    }
    low = -low;
    for (unsigned step = 0; step < 64u && high - low > MGN_EPS * mgn_max(-low, high); step++) {
        const margin_real middle = low + (high - low) / 2;
        /* Sylvester's law of inertia: as many eigenvalues of sign T are below the middle as sign T
         * less the middle has negative pivots. */
        margin_real pivot = sign * t->d[0] - middle;
        for (size_t i = 1; i < n && pivot > 0; i++) {
            pivot = (sign * t->d[i] - middle) - t->e[i - 1u] * (t->e[i - 1u] / pivot);
        }
        const bool below = !(pivot > 0);
        low = below ? low : middle;
        high = below ? middle : high;
    }
    return low;
}

/* L_0 into sigma, below and on its diagonal, L_1 into work: S_c + ridge = L_c L_c'. */
static bool mgn_rates_two_factors(mgn_rates *p) {
    mgn_rates_system *s = &p->system;
    bool regular = true;
    p->factors += 2u;
    s->known = false;
    for (size_t c = 0; c < 2u && regular; c++) {
        if (p->active[c]) {
            mgn_rates_lower(p, c);
            regular = mgn_cholesky(s->work, s->wstep, p->d, s->panel);
        }
        for (size_t i = 0; i < p->d && c == 0 && p->active[0]; i++) {
            mgn_copy(s->sigma + i * s->sstep, s->work + i * s->wstep, i + 1u);
        }
    }
    return regular;
}

/* The normal of an ellipsoid |L^-1 (z - m)| <= k where the line of centres leaves it. */
static margin_real *mgn_rates_normal(const mgn_rates *p, size_t c) {
    return c == 0 ? p->room.s : p->room.x;
}

/* Step 1 of the algorithm for the ellipsoid of class c: m_0 is the origin and m_1 = D,
 * p->at.a[c] is the centre of the sphere inside, and `line` runs from class 1 to class 0. The point
 * on the surface replaces the centre. Returns the part of the line that is inside. */
static margin_real mgn_rates_leave(const mgn_rates *p, size_t c, const margin_real *line) {
    const mgn_rates_system *s = &p->system;
    const size_t d = p->d, step = c == 0 ? s->sstep : s->wstep;
    const margin_real *l = c == 0 ? s->sigma : s->work, sign = c == 0 ? -1 : 1, k = p->kappa[c];
    margin_real *f = c == 0 ? p->at.q : p->best.q, *g = mgn_rates_normal(p, c);
    for (size_t j = 0; j < d; j++) {
        f[j] = sign * line[j];
        g[j] = p->at.a[c][j] - (c == 0 ? 0 : p->delta[j]);
    }
    mgn_solve(f, 1, mgn_view_of(l, step, 1), d, true);
    mgn_solve(g, 1, mgn_view_of(l, step, 1), d, true);
    /* f.f t^2 + 2 f.g t + g.g - k^2 = 0 for t > 0, by the formula that does not cancel. */
    const margin_real ff = margin_dot(f, f, d), fg = margin_dot(f, g, d);
    const margin_real rest = margin_dot(g, g, d) - k * k;
    const margin_real root = mgn_sqrt(mgn_max(fg * fg - ff * rest, 0));
    const margin_real part = fg > 0 ? -rest / (fg + root) : (root - fg) / ff;
    margin_axpy(g, part, f, d);
    mgn_solve(g, 1, mgn_view_of(l, 1, step), d, false);
    margin_axpy(p->at.a[c], sign * part, line, d);
    return part;
}

/* Stationarity of y: |y - (D - k_1 S_1 y / |R_1 y| - k_0 S_0 y / |R_0 y|)| / |y|, y as long as the
 * distance. */
static void mgn_rates_stray(mgn_rates *p) {
    const margin_real size = p->best.low / margin_norm2(p->best.y, p->d);
    for (size_t j = 0; j < p->d; j++) { p->room.r[j] = p->delta[j] - size * p->best.y[j]; }
    for (size_t c = 0; c < 2u; c++) {
        const margin_real spread = mgn_rates_spread(p, c, p->best.y);
        if (p->active[c] && spread > 0) {
            mgn_mat_t_vec(p->room.t, mgn_rates_z(p, c), p->zstep, p->m[c], p->d, p->room.x);
            margin_axpy(p->room.t, p->ridge, p->best.y, p->d);
            margin_axpy(p->room.r, -p->kappa[c] / spread, p->room.t, p->d);
        }
    }
    p->best.stray = mgn_min(MGN_HUGE, margin_norm2(p->room.r, p->d) / p->best.low);
}

/* One round for both ellipsoids. Returns the worse angle between the line and a normal, or a
 * little more: 2 tan of its half, from unit vectors. *outside becomes the part of the line between
 * them. */
static margin_real mgn_rates_round(const mgn_rates *p, margin_real *line, margin_real *outside) {
    margin_real worst = 0;
    for (size_t j = 0; j < p->d; j++) { line[j] = p->at.a[0][j] - p->at.a[1][j]; }
    *outside = 1;
    for (size_t c = 0; c < 2u; c++) {
        if (p->active[c]) {
            *outside -= mgn_rates_leave(p, c, line);
            const margin_real *normal = mgn_rates_normal(p, c), b = 1 / margin_norm2(normal, p->d);
            const margin_real a = (margin_real)(c == 0 ? -1 : 1) / margin_norm2(line, p->d);
            margin_real apart = 0, together = 0;
            for (size_t j = 0; j < p->d; j++) {
                const margin_real x = a * line[j], y = b * normal[j];
                apart += (x - y) * (x - y);
                together += (x + y) * (x + y);
            }
            worst = mgn_max(worst, 2 * mgn_sqrt(apart) / mgn_sqrt(together));
        }
    }
    return worst;
}

/* The algorithm of section 3.2. A_c = 2 S_c^-1 is applied by triangular solutions; its delta_c = 1
 * / |A_c| is half the least eigenvalue of S_c, so that the sphere that touches at z has its centre
 * at z - least S_c^-1 (z - m) (and the radius delta_c |A_c (z - m)|, misprinted as delta_c). */
static margin_status mgn_rates_iter(mgn_rates *p, mgn_tick *tick, const margin_rates_options *run,
                                    const margin_real *least, size_t *rounds) {
    margin_real *line = p->system.metric, part = 1;
    margin_status status = MARGIN_W_ITERATIONS;
    if (!mgn_rates_two_factors(p)) { return MARGIN_E_NOT_POSITIVE; }
    mgn_zero(p->at.a[0], p->d);
    mgn_copy(p->at.a[1], p->delta, p->d);
    for (*rounds = 0; *rounds < run->max_iterations && status == MARGIN_W_ITERATIONS;) {
        const margin_real angle = mgn_rates_round(p, line, &part);
        ++*rounds;
        if (!(part > 0)) {
            return MARGIN_E_NO_CONVERGENCE; /* they meet, which p* < 1 excludes but for rounding */
        }
        if (angle <= run->tol) {
            status = MARGIN_OK;
        } else if (*rounds % 64u == 0 && mgn_tick_stop(tick, *rounds, angle, run->tol)) {
            status = MARGIN_W_STOPPED;
        } else {
            for (size_t c = 0; c < 2u; c++) {
                if (p->active[c]) { /* the other one has no normal */
                    margin_axpy(p->at.a[c], -least[c], mgn_rates_normal(p, c), p->d);
                }
            }
        }
    }
    /* Takes y from the line between the points, if better than the y of p*, and sets the bounds. */
    const margin_real before = mgn_rates_bound(p, p->best.y);
    p->best.high = part * margin_norm2(line, p->d);
    for (size_t j = 0; j < p->d; j++) { p->at.v[j] = line[j] * -part; }
    p->best.low = mgn_rates_bound(p, p->at.v);
    if (p->best.low > before) { mgn_copy(p->best.y, p->at.v, p->d); }
    p->best.low = mgn_max(p->best.low, before);
    mgn_rates_stray(p);
    return status;
}

/* ---- both ---- */

/* One training or frontier: what the caller wants, and what was found. */
typedef struct {
    margin_rates_options full; /* with defaults */
    const margin_data *data;
    const margin_rates_moments *given; /* or NULL: those of the data */
    const margin_real *eta_pos;
    margin_real *eta_neg; /* not NULL: the frontier is wanted, of `count` rates */
    size_t count;
    margin_rates_report report;
    margin_info *info;
    mgn_tick *tick;
    bool wants_report;
} mgn_rates_task;

static margin_real mgn_rates_kappa(margin_real eta, margin_real nu) {
    return mgn_sqrt((1 - eta) / eta) + nu;
}

static margin_real mgn_rates_eta(margin_real kappa, margin_real nu) {
    const margin_real k = mgn_min(mgn_max(kappa - nu, 0), mgn_sqrt(MGN_HUGE) / 2);
    return 1 / (1 + k * k);
}

/* Condition numbers and, for the solver `iter`, the least eigenvalues and the ridge it needs. */
static void mgn_rates_conditions(mgn_rates *p, mgn_rates_task *task, margin_real *least) {
    const bool iter = task->full.solver == MARGIN_RATES_ITER;
    const margin_real noise = (margin_real)p->d * MGN_EPS;
    const size_t step = p->system.wstep;
    margin_real *work = p->system.work, most[2], condition[2], need = 0;
    mgn_tridiagonal t;
    t.d = p->room.r;
    t.e = p->room.t;
    t.h = p->at.a[0];
    t.q = p->at.a[1];
    for (size_t c = 0; c < 2u; c++) { /* the eigenvalues at both ends of S_c + ridge */
        mgn_rates_lower(p, c);
        const margin_real scale = mgn_lower_scaled(work, work, step, p->d);
        mgn_tridiagonalise(work, step, p->d, &t);
        least[c] = scale * mgn_rates_least(&t, p->d, 1);
        most[c] = -scale * mgn_rates_least(&t, p->d, -1);
        if (p->kappa[c] > 0) { need = mgn_max(need, 16 * noise * most[c] - least[c]); }
    }
    need = iter ? need : 0;
    for (size_t c = 0; c < 2u; c++) {
        least[c] += need;
        condition[c] = least[c] > 4 * noise * most[c] ? (most[c] + need) / least[c] : 0;
    }
    task->report.condition_pos = condition[1];
    task->report.condition_neg = condition[0];
    if (iter) {
        p->ridge += need;
        mgn_rates_narrow(p);
    }
}

/* The rate of a kappa that is `touch` times as large. */
static margin_real mgn_rates_eta_touch(margin_real touch, margin_real kappa, margin_real nu) {
    return mgn_rates_eta(mgn_min(touch, MGN_HUGE / (1 + kappa)) * kappa, nu);
}

/* The bias midway between the two constraints [3.14], and their slacks; at[c] = w.m_c. */
static margin_real mgn_rates_bias(const mgn_rates *p, const margin_real *at,
                                  margin_rates_report *report) {
    const margin_real pos = at[1] - 1 - p->kappa[1] * report->spread_pos;
    const margin_real neg = at[0] + 1 + p->kappa[0] * report->spread_neg, bias = -(pos + neg) / 2;
    report->slack_pos = pos + bias;
    report->slack_neg = -neg - bias;
    return bias;
}

/* Scales D and Z to units in which |D| is about 1. Returns false if |D| does not exceed `noise`. */
static bool mgn_rates_scale(mgn_rates *p, margin_real noise) {
    const margin_real size = margin_norm2(p->delta, p->d);
    if (!(size > noise)) { return false; }
    p->unit = 1 / mgn_power_of_two(size);
    for (size_t j = 0; j < p->d; j++) { p->delta[j] *= p->unit; }
    for (size_t c = 0; c < 2u; c++) {
        p->trace[c] = 0;
        for (size_t i = 0; i < p->m[c]; i++) {
            margin_real *row = mgn_rates_z(p, c) + i * p->zstep;
            for (size_t j = 0; j < p->d; j++) { row[j] *= p->unit; }
            p->trace[c] += margin_dot(row, row, p->d);
        }
    }
    p->ridge *= p->unit * p->unit;
    return true;
}

/* Turns y into w, in the units of p, and writes the report. At an apex the rounding of w may be
 * more than a large covariance bears: then w misses what the bounds of y have promised. */
static margin_status mgn_rates_finish(mgn_rates *p, mgn_rates_task *task, margin_status status) {
    const margin_real root = p->unit / p->best.low, ratio = p->best.low / p->best.high;
    margin_info *info = task->info;
    p->best.scale = 2 / (p->best.low * margin_norm2(p->best.y, p->d));
    for (size_t j = 0; j < p->d; j++) { p->best.y[j] *= p->best.scale; }
    info->objective = 2 * root * root;
    info->gap = mgn_max(info->objective * (1 - ratio) * (1 + ratio), 0);
    info->violation = p->best.stray;
    task->report.spread_pos = mgn_rates_spread(p, 1, p->best.y);
    task->report.spread_neg = mgn_rates_spread(p, 0, p->best.y);
    task->report.factorisations = p->factors;
    const margin_real kept =
        margin_dot(p->delta, p->best.y, p->d) - mgn_rates_width(p, p->best.y); /* should be 2 */
    if (status == MARGIN_OK && !(kept > 1)) { status = MARGIN_W_ROUNDING; }
    info->converged = status == MARGIN_OK;
    return mgn_finite(info->objective) ? status : MARGIN_E_RANGE;
}

/* Solves the problem in p. On success w, in the units of p, is in y. */
static margin_status mgn_rates_run(mgn_rates *p, mgn_rates_task *task) {
    const margin_rates_options *full = &task->full;
    const bool iter = full->solver == MARGIN_RATES_ITER;
    margin_real least[2] = {0, 0};
    p->factors = 0;
    if (!p->system.wide) { mgn_rates_narrow(p); }
    if (task->eta_neg != NULL) {
        for (size_t i = 0; i < task->count; i++) {
            p->kappa[1] = mgn_rates_kappa(task->eta_pos[i], full->nu_pos);
            p->kappa[0] = 1;
            task->eta_neg[i] = mgn_rates_eta(mgn_rates_frontier_point(p, true), full->nu_neg);
        }
        return MARGIN_OK;
    }
    p->kappa[1] = mgn_rates_kappa(full->eta_pos, full->nu_pos);
    p->kappa[0] = mgn_rates_kappa(full->eta_neg, full->nu_neg);
    if (!p->system.wide && (task->wants_report || iter)) { mgn_rates_conditions(p, task, least); }
    p->best.p_star = mgn_rates_frontier_point(p, false);
    margin_rates_report *report = &task->report;
    const margin_real touch = p->best.p_star * MGN_HUGE > 1 ? 1 / p->best.p_star : MGN_HUGE;
    report->feasible = p->best.p_star < 1;
    report->p_star = p->best.p_star;
    report->touch = touch;
    report->kappa_pos = p->kappa[1];
    report->kappa_neg = p->kappa[0];
    report->eta_pos_touch = mgn_rates_eta_touch(touch, p->kappa[1], task->full.nu_pos);
    report->eta_neg_touch = mgn_rates_eta_touch(touch, p->kappa[0], task->full.nu_neg);
    report->ridge = p->ridge / (p->unit * p->unit);
    report->rank = p->d;
    report->factorisations = p->factors;
    if (!(p->best.p_star < 1)) { return MARGIN_E_INFEASIBLE; }
    const margin_status status =
        iter ? mgn_rates_iter(p, task->tick, full, least, &task->info->iterations)
             : mgn_rates_fast(p, task->tick, full->tol);
    if (!iter) { task->info->iterations = p->factors; }
    if (status < 0) { return status; }
    if (!(p->best.low > 0)) { return MARGIN_E_NO_CONVERGENCE; }
    return mgn_rates_finish(p, task, status);
}

/* A task of these options, with their defaults filled in. */
static margin_status mgn_rates_prepare(const margin_rates_options *options, mgn_rates_task *task) {
    margin_rates_options *full = &task->full;
    mgn_clear(task, sizeof *task);
    if (options != NULL) { *full = *options; }
    full->eta_pos = full->eta_pos == 0 ? MGN_R(0.5) : full->eta_pos;
    full->eta_neg = full->eta_neg == 0 ? MGN_R(0.5) : full->eta_neg;
    if (full->tol == 0) {
        full->tol = full->solver == MARGIN_RATES_ITER
                        ? MGN_R(sizeof(margin_real) > 4u ? 1e-6 : 1e-3)
                        : MGN_R(sizeof(margin_real) > 4u ? 1e-12 : 1e-6);
    }
    if (full->max_iterations == 0) { full->max_iterations = 20000u; }
    return full->eta_pos > 0 && full->eta_pos <= 1 && full->eta_neg > 0 && full->eta_neg <= 1 &&
                   full->nu_pos >= 0 && mgn_finite(full->nu_pos) && full->nu_neg >= 0 &&
                   mgn_finite(full->nu_neg) && full->ridge >= 0 && mgn_finite(full->ridge) &&
                   full->solver <= MARGIN_RATES_ITER && full->tol > 0 && mgn_finite(full->tol)
               ? MARGIN_OK
               : MARGIN_E_ARGUMENT;
}

/* ---- from means and covariances ---- */

/* The problem in d dimensions: 2 means and 2 covariances, which become Z. */
typedef struct {
    mgn_rates p;
    mgn_rates_task *task;
    margin_real *w; /* kept: weights, then the bias */
    margin_real *mean, *cov, *weight;
    margin_index *order;
    size_t bytes; /* of the block from sigma on */
} mgn_rates_linear;

/* Takes the memory for p.d dimensions. */
static void mgn_rates_linear_plan(void *task, margin_arena *mem) {
    mgn_rates_linear *plan = (mgn_rates_linear *)task;
    const size_t d = plan->p.d;
    size_t bytes = 0;
    plan->w = MGN_KEEP(mem, margin_real, mgn_size_add(d, 1));
    MARGIN_BLOCKS_RATES_MOMENTS(MGN_COUNT, d)
    unsigned char *at = MGN_SCRATCH(mem, unsigned char, bytes);
    if (at != NULL) {
        const unsigned char *end = at + bytes;
        MARGIN_BLOCKS_RATES_MOMENTS(MGN_LAY, d)
        plan->p.z = plan->cov;
        plan->bytes = (size_t)(end - (unsigned char *)(void *)plan->p.system.sigma);
    }
    plan->p.zstep = plan->p.system.sstep = plan->p.system.wstep = d;
}

/* Replaces an n x n matrix by its pivoted factor, with the vectors of a solution as scratch. */
static margin_status mgn_rates_pivoted(const mgn_rates *p, margin_real *a, size_t n,
                                       margin_index *order, size_t *rank) {
    mgn_pivoted_work work = {p->system.panel, p->at.q, p->room.s, p->room.x, NULL};
    work.order = order; /* clang-tidy does not see it written to through a list of values */
    return mgn_pivoted_run(a, n, 0, rank, &work) == MARGIN_OK ? MARGIN_OK : MARGIN_E_NOT_POSITIVE;
}

/* Z_c from the covariance of class c: a factor of it in units in which its diagonal is 1, so that
 * the rank does not depend on the scaling of the features. Rows below p->m[0] are those of class
 * 0. */
static margin_status mgn_rates_linear_factor(mgn_rates_linear *l, size_t c) {
    mgn_rates *p = &l->p;
    const size_t d = p->d;
    margin_real *cov = l->cov + c * d * d, *to = mgn_rates_z(p, c), *size = p->room.r;
    size_t rank = 0;
    for (size_t i = 0; i < d; i++) {
        size[i] = p->system.diag[c][i] > 0 ? mgn_sqrt(p->system.diag[c][i]) : 1;
        for (size_t j = 0; j <= i; j++) {
            cov[i * d + j] = cov[i * d + j] / size[i] / size[j];
            cov[j * d + i] = cov[i * d + j];
        }
    }
    const margin_status status = mgn_rates_pivoted(p, cov, d, l->order, &rank);
    if (status != MARGIN_OK) { return status; }
    mgn_copy(p->system.work, cov, d * d);
    for (size_t i = 0; i < d; i++) {
        const size_t j = l->order[i];
        for (size_t k = 0; k < rank; k++) {
            to[k * d + j] = k <= i ? p->system.work[i * d + k] * size[j] : 0;
        }
    }
    p->m[c] = rank;
    p->regular[c] = rank == d || p->ridge > 0;
    return MARGIN_OK;
}

/* S_1 above the diagonal, S_0 below; MARGIN_E_NOT_POSITIVE for a variance below zero. */
static margin_status mgn_rates_linear_sigma(const mgn_rates_linear *l) {
    const mgn_rates_system *s = &l->p.system;
    const size_t d = l->p.d;
    bool negative = false;
    for (size_t i = 0; i < d; i++) {
        for (size_t c = 0; c < 2u; c++) {
            s->diag[c][i] = l->cov[(c * d + i) * d + i];
            negative = negative || s->diag[c][i] < 0;
        }
        for (size_t j = 0; j < i; j++) {
            s->sigma[i * d + j] = l->cov[i * d + j];
            s->sigma[j * d + i] = l->cov[(d + i) * d + j];
        }
    }
    return negative ? MARGIN_E_NOT_POSITIVE : MARGIN_OK;
}

/* Squares below this have lost digits: numbers below MGN_TINY have a fixed spacing. */
#define MGN_RATES_LEAST (4 * MGN_TINY)

/* D = m_1 - m_0. The means must differ in some feature, by more than rounding. If a feature is so
 * small that the squares of its differences are lost to underflow, the machine would take its
 * variance for zero, and promise rates that it does not keep. */
static margin_status mgn_rates_linear_delta(mgn_rates_linear *l) {
    const size_t d = l->p.d;
    bool apart = false;
    for (size_t j = 0; j < d; j++) {
        const margin_real variance = mgn_max(l->p.system.diag[0][j], l->p.system.diag[1][j]);
        const margin_real size = mgn_max(mgn_abs(l->mean[j]), mgn_abs(l->mean[d + j]));
        const margin_real delta = l->mean[d + j] - l->mean[j], far = mgn_abs(delta);
        l->p.delta[j] = delta;
        apart = apart || far > 8 * MGN_EPS * mgn_max(size, mgn_sqrt(variance));
        if (far > 0 && far * far < MGN_RATES_LEAST && variance < MGN_RATES_LEAST) {
            return MARGIN_E_RANGE;
        }
    }
    if (!apart) { return MARGIN_E_NO_DIRECTION; }
    (void)mgn_rates_scale(&l->p, 0); /* means that are apart have a distance above 0 */
    return MARGIN_OK;
}

/* Sets the problem up from l->mean and l->cov. */
static margin_status mgn_rates_linear_start(mgn_rates_linear *l) {
    mgn_rates *p = &l->p;
    mgn_rates_system *s = &p->system;
    const size_t d = p->d;
    margin_status status = mgn_rates_linear_sigma(l);
    p->ridge = l->task->full.ridge;
    p->m[0] = d; /* until Z_0 is known, Z_1 goes behind it */
    for (size_t c = 0; c < 2u && status == MARGIN_OK; c++) {
        status = mgn_rates_linear_factor(l, c);
    }
    if (status != MARGIN_OK) { return status; }
    p->rows = p->m[0] + p->m[1];
    status = mgn_rates_linear_delta(l);
    if (status != MARGIN_OK) { return status; }
    const margin_real square = p->unit * p->unit;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) { s->sigma[i * d + j] *= i == j ? 1 : square; }
        s->diag[0][i] *= square;
        s->diag[1][i] *= square;
    }
    s->known = true;
    /* Wide where the covariances leave dimensions free: then Z Z' into work. */
    s->wide = l->task->full.solver == MARGIN_RATES_FAST && p->rows <= d && p->ridge == 0;
    if (s->wide) {
        const margin_data rows = {p->z, p->rows, d, p->zstep, NULL, NULL, NULL};
        mgn_gram(s->work, s->wstep, &rows, s->panel);
        for (size_t i = 0; i < p->rows; i++) { s->gram[i] = s->work[i * s->wstep + i]; }
    }
    return MARGIN_OK;
}

/* Errors and margins of the model on its training data. */
static void mgn_rates_linear_report(const mgn_rates_linear *l, mgn_frame *frame) {
    const margin_data *data = l->task->data;
    margin_real all[2] = {0, 0}, wrong[2] = {0, 0}, score; /* weights of each class */
    for (size_t i = 0; i < data->n; i++) {
        margin_linear_scores(&frame->model.of.linear, mgn_sample(data, i), &score);
        const size_t c = mgn_label(data, i);
        all[c] += mgn_weight(data, i);
        wrong[c] += (score > 0) != (c == 1u) ? mgn_weight(data, i) : 0;
    }
    l->task->report.error_pos = wrong[1] / all[1];
    l->task->report.error_neg = wrong[0] / all[0];
    if (frame->wants_info) {
        const mgn_margins of = {data, &frame->model, &score, NULL};
        frame->info.support = mgn_margins_info(&of, &frame->info);
    }
}

/* Trains, or computes the frontier; in the latter case the model gets weights of zero. */
static margin_status mgn_rates_linear_run(void *task, mgn_frame *frame) {
    mgn_rates_linear *l = (mgn_rates_linear *)task;
    const mgn_rates *p = &l->p;
    const size_t d = p->d;
    mgn_tick tick = mgn_tick_make(l->task->full.watch, 1);
    mgn_rates_linear_plan(l, frame->mem);
    MARGIN_ASSERT(l->w != NULL && l->cov != NULL); /* the plan has had its blocks */
    l->task->tick = &tick;
    l->task->info = &frame->info;
    mgn_zero(l->w, d + 1u);
    mgn_linear_model(&frame->model, l->w, l->w + d, d, mgn_vote_of(2, MARGIN_SCHEME_BINARY));
    const margin_rates_moments *given = l->task->given;
    margin_status status = MARGIN_OK;
    if (given != NULL) {
        mgn_copy(l->mean, given->mean, 2u * d);
        mgn_copy(l->cov, given->cov, 2u * d * d);
    } else { /* the memory of the problem, which is not yet in use, serves as scratch */
        margin_arena room = margin_arena_make(p->system.sigma, l->bytes);
        status = margin_data_moments(l->task->data, 2, &room, l->weight, l->mean, l->cov);
    }
    status = status == MARGIN_OK ? mgn_rates_linear_start(l) : status;
    status = status == MARGIN_OK ? mgn_rates_run(&l->p, l->task) : status;
    if (status >= 0 && l->task->eta_neg == NULL) { /* w and bias in the units of the data */
        for (size_t j = 0; j < d; j++) { l->w[j] = p->best.y[j] * p->unit; }
        const margin_real at[2] = {margin_dot(l->w, l->mean, d), margin_dot(l->w, l->mean + d, d)};
        frame->info.bias = l->w[d] = mgn_rates_bias(p, at, &l->task->report);
        if (given == NULL) { mgn_rates_linear_report(l, frame); }
    }
    return status;
}

static mgn_rates_linear mgn_rates_linear_of(mgn_rates_task *task, size_t d) {
    mgn_rates_linear l;
    mgn_clear(&l, sizeof l);
    l.p.d = d;
    l.task = task;
    return l;
}

static const mgn_method mgn_rates_linear_method = {mgn_rates_linear_plan, mgn_rates_linear_run};

/* ---- from a kernel matrix ---- */

/* The problem of n samples in the space that they span: K = L L', pivoted; sample i is row i of L
 * (in the pivots' order), Z its deviation from the mean of its class.
 *
 * There are two ways to write w. Coefficients from q belong to all samples and are no larger than
 * kappa allows, which is harmless in float. Coefficients from L belong to the pivots alone, which
 * are as many as the rank, but they grow with the condition of K. The solver `fast` prefers the
 * latter where the rank is at most n / 2 and they are not much larger; otherwise it stores S in
 * the memory of L. The solver `iter` has no q. */
typedef struct {
    mgn_rates p;
    size_t n;
    margin_real *k;      /* n x n: the kernel matrix, then L */
    margin_index *order; /* of the pivots */
} mgn_rates_kernel;

static void mgn_rates_kernel_take(mgn_rates_kernel *plan, const mgn_fit *fit, margin_arena *mem) {
    const mgn_rates_task *task = (const mgn_rates_task *)fit->options;
    const bool iter = task->full.solver == MARGIN_RATES_ITER;
    const size_t n = fit->most, d = fit->data.d, more = iter ? n : 0;
    size_t bytes = 0;
    MARGIN_BLOCKS_RATES_GRAM(MGN_COUNT, n, d, more)
    unsigned char *at = MGN_SCRATCH(mem, unsigned char, bytes);
    if (at != NULL) {
        MARGIN_BLOCKS_RATES_GRAM(MGN_LAY, n, d, more)
        if (!iter) { plan->p.system.sigma = plan->k; }
    }
}

static void mgn_rates_kernel_plan(const mgn_fit *fit, margin_arena *mem) {
    mgn_rates_kernel k;
    mgn_rates_kernel_take(&k, fit, mem);
}

/* Shares of the samples in their classes, as roots. */
static void mgn_rates_kernel_shares(mgn_rates_kernel *k, const mgn_fit *fit) {
    margin_real *root = k->p.root;
    for (size_t c = 0; c < 2u; c++) {
        const size_t from = c == 0 ? 0 : fit->split, to = c == 0 ? fit->split : k->n;
        margin_real top = 0, sum = 0;
        for (size_t i = from; i < to; i++) { top = mgn_max(top, mgn_weight(&fit->data, i)); }
        for (size_t i = from; i < to; i++) {
            root[i] = mgn_weight(&fit->data, i) / top;
            sum += root[i];
        }
        for (size_t i = from; i < to; i++) { root[i] = mgn_sqrt(root[i] / sum); }
        k->p.m[c] = to - from;
    }
    k->p.rows = k->n;
}

/* Z Z' from K, by taking the means of classes off rows and columns, above the diagonal of work. */
static void mgn_rates_kernel_gram(const mgn_rates_kernel *k) {
    const mgn_rates *p = &k->p;
    const size_t n = k->n, split = p->m[0];
    margin_real *const mean[2] = {p->at.q, p->room.s}; /* of each row of K over a class */
    margin_real whole[2][2] = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < n; i++) {
        mean[0][i] = mean[1][i] = 0;
        for (size_t h = 0; h < n; h++) {
            mean[h < split ? 0 : 1][i] += p->root[h] * p->root[h] * k->k[i * n + h];
        }
        for (size_t c = 0; c < 2u; c++) {
            whole[i < split ? 0 : 1][c] += p->root[i] * p->root[i] * mean[c][i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        const size_t c = i < split ? 0 : 1;
        margin_real *row = p->system.work + i * p->system.wstep;
        for (size_t h = i; h < n; h++) {
            const size_t o = h < split ? 0 : 1;
            const margin_real value = k->k[i * n + h] - mean[o][i] - mean[c][h] + whole[c][o];
            row[h] = p->root[i] * p->root[h] * value;
        }
        p->system.gram[i] = row[i];
    }
}

/* Z, the means of the classes and D from L. */
static void mgn_rates_kernel_rows(const mgn_rates_kernel *k) {
    const mgn_rates *p = &k->p;
    const size_t d = p->d;
    mgn_zero(p->centre[0], d);
    mgn_zero(p->centre[1], d);
    for (size_t i = 0; i < k->n; i++) {
        const size_t at = k->order[i], known = mgn_size_min(i + 1u, d);
        const margin_real share = p->root[at] * p->root[at];
        margin_real *row = p->z + at * p->zstep;
        for (size_t j = 0; j < d; j++) { row[j] = j < known ? k->k[i * k->n + j] : 0; }
        margin_axpy(p->centre[at < p->m[0] ? 0 : 1], share, row, d);
    }
    for (size_t i = 0; i < k->n; i++) {
        margin_real *row = p->z + i * p->zstep;
        margin_axpy(row, -1, p->centre[i < p->m[0] ? 0 : 1], d);
        for (size_t j = 0; j < d; j++) { row[j] *= p->root[i]; }
    }
    for (size_t j = 0; j < d; j++) { p->delta[j] = p->centre[1][j] - p->centre[0][j]; }
}

/* Sets the problem up from K. */
static margin_status mgn_rates_kernel_start(mgn_rates_kernel *k, const margin_rates_options *full) {
    mgn_rates *p = &k->p;
    mgn_rates_system *s = &p->system;
    const size_t n = k->n;
    const bool fast = full->solver == MARGIN_RATES_FAST, wide = fast && full->ridge == 0;
    s->wstep = s->sstep = p->zstep = n;
    if (wide) { mgn_rates_kernel_gram(k); }
    const margin_real largest = mgn_lower_max(k->k, n, n);
    if (largest > 0 && largest < MGN_RATES_LEAST) {
        return MARGIN_E_RANGE; /* products of such small samples have underflowed in part */
    }
    const margin_status status = mgn_rates_pivoted(p, k->k, n, k->order, &p->d);
    if (status != MARGIN_OK) { return status; }
    p->ridge = full->ridge;
    p->regular[0] = p->regular[1] = p->ridge > 0;
    s->known = false;
    s->wide = wide && n <= p->d + 2u;
    if (fast) { s->sigma = k->k + (2u * p->d <= n ? p->d * n : 0); }
    mgn_rates_kernel_rows(k);
    if (!mgn_rates_scale(p, 8 * (margin_real)n * MGN_EPS * mgn_sqrt(largest))) {
        return MARGIN_E_NO_DIRECTION;
    }
    for (size_t i = 0; i < n && s->wide; i++) {
        for (size_t h = i; h < n; h++) { s->work[i * n + h] *= p->unit * p->unit; }
        s->gram[i] *= p->unit * p->unit;
    }
    return MARGIN_OK;
}

/* The coefficients of w. By q they are those of y = (D - Z'q) / own, with D = sum +-share phi and
 * the rows of Z root (phi - mean); by L they are those of the pivots. */
static void mgn_rates_kernel_coefficients(const mgn_rates_kernel *k, const mgn_fit *fit,
                                          unsigned solver) {
    const mgn_rates *p = &k->p;
    const bool linear = fit->kernel.kind == MARGIN_KERNEL_LINEAR;
    const margin_real own = 1 + p->ridge * (p->best.c[0] + p->best.c[1]);
    const margin_real factor = p->unit * p->unit * p->best.scale / own;
    margin_real *b = fit->b, least = MGN_HUGE, all = 0;
    for (size_t c = 0; c < 2u && solver == MARGIN_RATES_FAST; c++) {
        const size_t from = mgn_rates_first(p, c);
        const margin_real sum = margin_dot(p->root + from, p->best.q + from, p->m[c]);
        for (size_t i = from; i < from + p->m[c]; i++) {
            const margin_real root = p->root[i], sign = c == 1u ? 1 : -1;
            b[i] = factor * (root * root * (sign + sum) - root * p->best.q[i]);
        }
        least = mgn_norm1(b, k->n);
    }
    if (solver == MARGIN_RATES_FAST && (linear || 2u * p->d > k->n)) { return; }
    for (size_t j = 0; j < p->d; j++) { p->at.v[j] = p->unit * p->best.y[j]; }
    mgn_solve(p->at.v, 1, mgn_view_of(k->k, 1, k->n), p->d, false); /* of the pivots: L'b = w */
    if (!(mgn_norm1(p->at.v, p->d) / 16 <= least)) { return; }
    mgn_zero(b, k->n);
    for (size_t i = 0; i < p->d; i++) {
        b[k->order[i]] = p->at.v[i];
        all += p->at.v[i];
    }
    for (size_t i = 0; i < k->n && linear; i++) { /* w is made of samples less their mean */
        b[i] -= all / (margin_real)k->n;
    }
}

/* Scores, bias, slacks and errors. */
static void mgn_rates_kernel_finish(mgn_rates_kernel *k, mgn_fit *fit,
                                    margin_rates_report *report) {
    const mgn_rates *p = &k->p;
    const margin_real at[2] = {p->unit * margin_dot(p->centre[0], p->best.y, p->d),
                               p->unit * margin_dot(p->centre[1], p->best.y, p->d)};
    margin_real all[2] = {0, 0}, wrong[2] = {0, 0}; /* weights of each class */
    fit->bias = mgn_rates_bias(p, at, report);
    mgn_rates_times(p, 0, k->n, p->best.y, fit->f);
    for (size_t i = 0; i < k->n; i++) {
        const size_t c = i < p->m[0] ? 0 : 1;
        fit->f[i] = at[c] + fit->f[i] / p->root[i] + fit->bias;
        all[c] += mgn_weight(&fit->data, i);
        wrong[c] += (fit->f[i] > 0) != (c == 1u) ? mgn_weight(&fit->data, i) : 0;
    }
    report->error_pos = wrong[1] / all[1];
    report->error_neg = wrong[0] / all[0];
    if (fit->kernel.kind == MARGIN_KERNEL_LINEAR) { /* the samples were measured from their mean */
        const size_t d = fit->data.d;
        margin_real *w = k->p.system.panel, *mean = w + d; /* a panel has room for two vectors */
        mgn_data_mean(&fit->data, mean);
        mgn_data_sum(&fit->data, fit->b, w);
        fit->bias -= margin_dot(w, mean, d);
    }
}

static margin_status mgn_rates_kernel_fit(mgn_fit *fit, margin_arena *mem) {
    mgn_rates_task *task = (mgn_rates_task *)fit->report;
    mgn_rates_kernel k;
    k.order = NULL;
    mgn_rates_kernel_take(&k, fit, mem);
    MARGIN_ASSERT(k.order != NULL); /* the plan has had its blocks */
    k.n = fit->data.n;
    fit->info = mgn_no_info;
    fit->bias = 0;
    task->info = &fit->info;
    task->tick = fit->tick;
    mgn_zero(fit->b, k.n);
    mgn_zero(fit->f, k.n);
    mgn_rates_kernel_shares(&k, fit);
    if (fit->kernel.kind == MARGIN_KERNEL_LINEAR) {
        mgn_data_centred(&fit->data, k.p.system.panel, k.k);
    } else {
        mgn_kernel_matrix(&fit->kernel, &fit->data, k.p.at.q, k.p.system.panel, k.k);
    }
    margin_status status = mgn_lower_max(k.k, k.n, k.n) <= MGN_HUGE ? MARGIN_OK : MARGIN_E_RANGE;
    if (status == MARGIN_OK) { status = mgn_rates_kernel_start(&k, &task->full); }
    if (status == MARGIN_OK) { status = mgn_rates_run(&k.p, task); }
    if (status >= 0 && task->eta_neg == NULL) {
        mgn_rates_kernel_coefficients(&k, fit, task->full.solver);
        mgn_rates_kernel_finish(&k, fit, &task->report);
    }
    return status;
}

static const mgn_trainer mgn_rates_trainer = {mgn_rates_kernel_plan, mgn_rates_kernel_fit};

/* ---- what is public ---- */

/* Linear kernels work in the features where these are fewer than the samples. */
static bool mgn_rates_by_features(const mgn_rates_task *task, size_t n, size_t d) {
    return task->full.kernel.kind == MARGIN_KERNEL_LINEAR && n > d;
}

MARGIN_API size_t margin_rates_train_moments_size(size_t d, const margin_rates_options *options) {
    mgn_rates_task task;
    if (d == 0 || mgn_rates_prepare(options, &task) != MARGIN_OK ||
        task.full.kernel.kind != MARGIN_KERNEL_LINEAR) {
        return 0;
    }
    mgn_rates_linear l = mgn_rates_linear_of(&task, d);
    return mgn_frame_size(&mgn_rates_linear_method, &l);
}

static mgn_fit mgn_rates_fit_of(mgn_rates_task *task) {
    mgn_fit fit;
    mgn_fit_begin(&fit, &task->full.kernel, 0, task->full.watch, task);
    fit.report = task;
    return fit;
}

MARGIN_API size_t margin_rates_train_size(size_t n, size_t d, size_t classes,
                                          const margin_rates_options *options) {
    mgn_rates_task task;
    if (classes != 2u || mgn_rates_prepare(options, &task) != MARGIN_OK) { return 0; }
    if (mgn_rates_by_features(&task, n, d)) {
        return n > MARGIN_INDEX_MAX ? 0 : margin_rates_train_moments_size(d, options);
    }
    mgn_fit fit = mgn_rates_fit_of(&task);
    return mgn_train_size(&mgn_rates_trainer, &fit, n, d, classes);
}

/* Checks what trainer and frontier are given, and begins the task. */
static margin_status mgn_rates_check(const margin_data *data, const margin_rates_options *options,
                                     const margin_arena *mem, mgn_rates_task *task) {
    size_t classes = 0;
    margin_status status = margin_data_classes(data, &classes);
    if (status != MARGIN_OK) { return status; }
    status = mgn_both(mgn_rates_prepare(options, task), mgn_mem_check(mem));
    status =
        mgn_both(status, margin_kernel_resolve(&task->full.kernel, data->d, &task->full.kernel));
    task->data = data;
    if (status != MARGIN_OK || classes == 2u) { return status; }
    return classes < 2u ? MARGIN_E_ONE_CLASS : MARGIN_E_TWO_CLASSES;
}

/* Training or frontier of a checked task; its report, if there is one and it is wanted. */
static margin_status mgn_rates_train(mgn_rates_task *task, margin_arena *mem, margin_model *model,
                                     margin_info *info, margin_rates_report *report) {
    const size_t d = task->given != NULL ? task->given->d : task->data->d;
    mgn_rates_linear l = mgn_rates_linear_of(task, d);
    mgn_fit fit = mgn_rates_fit_of(task);
    task->wants_report = report != NULL;
    const margin_status status =
        task->given != NULL || mgn_rates_by_features(task, task->data->n, d)
            ? mgn_frame_train(&mgn_rates_linear_method, &l, MARGIN_OK, mem, model, info)
            : mgn_train(&mgn_rates_trainer, &fit, task->data, mem, model, info);
    if (report != NULL && (status >= 0 || status == MARGIN_E_INFEASIBLE)) {
        *report = task->report;
    }
    return status;
}

MARGIN_API margin_status margin_rates_train(const margin_data *data,
                                            const margin_rates_options *options, margin_arena *mem,
                                            margin_model *model, margin_info *info,
                                            margin_rates_report *report) {
    mgn_rates_task task;
    const margin_status status = mgn_rates_check(data, options, mem, &task);
    return status == MARGIN_OK ? mgn_rates_train(&task, mem, model, info, report) : status;
}

MARGIN_API margin_status margin_rates_frontier(const margin_data *data,
                                               const margin_rates_options *options,
                                               margin_arena *mem, const margin_real *eta_pos,
                                               margin_real *eta_neg, size_t count) {
    margin_model model;
    mgn_rates_task task;
    bool valid = eta_pos != NULL && eta_neg != NULL;
    for (size_t i = 0; i < count && valid; i++) { valid = eta_pos[i] > 0 && eta_pos[i] <= 1; }
    margin_status status =
        mgn_both(mgn_rates_check(data, options, mem, &task), valid ? MARGIN_OK : MARGIN_E_ARGUMENT);
    if (status != MARGIN_OK) { return status; }
    task.eta_pos = eta_pos;
    task.eta_neg = eta_neg;
    task.count = count;
    margin_arena before = *mem;
    status = mgn_rates_train(&task, mem, &model, NULL, NULL);
    return mgn_both(status, margin_arena_rewind(mem, &before));
}

MARGIN_API margin_status margin_rates_train_moments(const margin_rates_moments *moments,
                                                    const margin_rates_options *options,
                                                    margin_arena *mem, margin_model *model,
                                                    margin_info *info,
                                                    margin_rates_report *report) {
    mgn_rates_task task;
    if (mgn_both(mgn_rates_prepare(options, &task), mgn_mem_check(mem)) != MARGIN_OK ||
        moments == NULL) {
        return MARGIN_E_ARGUMENT;
    }
    const size_t d = moments->d;
    if (d == 0) { return MARGIN_E_EMPTY; }
    if (task.full.kernel.kind != MARGIN_KERNEL_LINEAR ||
        mgn_both(mgn_mat_check(moments->mean, 2u, d),
                 mgn_mat_check(moments->cov, mgn_size_mul(2u, d), d)) != MARGIN_OK) {
        return MARGIN_E_ARGUMENT;
    }
    if (!(margin_norm_inf(moments->mean, 2u * d) <= MGN_HUGE &&
          margin_norm_inf(moments->cov, 2u * d * d) <= MGN_HUGE)) {
        return MARGIN_E_NOT_FINITE;
    }
    task.given = moments;
    return mgn_rates_train(&task, mem, model, info, report);
}

/* ---- >>loss ---- machines of losses made of pieces, smoothed, by limited-memory BFGS --------- */

/* Weizsaecker, Fuernkranz: "Margin driven separate and conquer by asymmetric loss functions",
 * TUD-KE-2011-01; equation numbers are the paper's. Smoothed loss [3.4]: E L(m + s t), t standard
 * normal, s the width. The paper adds up integrals over the pieces [3.13], which cancel to nothing
 * far from an end. The same number without cancellation: L is the polynomial P of the piece at m,
 * and beyond each end e something is added to it, the difference D of the polynomials of the two
 * pieces that meet there,
 *
 *     E L(m + s t) = E P(m + s t) + sum over ends e of E [m + s t lies beyond e] D(m + s t).
 *
 * With D(x) = j0 + j1 |x - e| + j2 |x - e|^2, the distance u = |e - m| / s and the tail integrals
 *
 *     q(u)  = integral of density(t) over t > u,
 *     i1(u) = integral of (t - u) density(t)   = density(u) - u q(u),
 *     i2(u) = integral of (t - u)^2 density(t) = (1 + u^2) q(u) - u density(u)
 *
 * a term is j0 q + j1 s i1 + j2 s^2 i2, its derivative by m, times -1 for ends below m,
 * j0 density / s + j1 q + 2 j2 s i1, and the second one j0 u density / s^2 + j1 density / s + 2 j2
 * q. All tails are positive and fall with u. For large u, where the closed forms cancel, they come
 * from the continued fraction of Mills' ratio, M = q / density = 1/(u + k1), k1 = 1/(u + k2), k2 =
 * 2/(u + 3/(u + ..: i1 = density M k1, i2 = density M k1 k2. */

MARGIN_API margin_loss margin_loss_named(unsigned name) {
    static const margin_piece hinge[] = {{1, 1, 0, -1, 0}, {0, 0, 0, 0, 0}};
    static const margin_piece ramp[] = {{0, 0, 1, 0, 0}, {1, 1, 0, -1, 0}, {0, 0, 0, 0, 0}};
    static const margin_piece squared[] = {{1, 1, 0, 0, 1}, {0, 0, 0, 0, 0}};
    static const margin_piece steps[] = {
        {0, 0, 1, 0, 0}, {MGN_R(0.5), 0, 1, 0, -2}, {1, 1, 0, 0, 2}, {0, 0, 0, 0, 0}};
    static const margin_piece error[] = {{0, 0, 1, 0, 0}, {0, 0, 0, 0, 0}};
    static const margin_loss named[] = {
        {hinge, 2}, {ramp, 3}, {squared, 2}, {steps, 4}, {error, 2}};
    return named[name < sizeof named / sizeof *named ? name : 0];
}

/* MARGIN_OK, or MARGIN_E_ARGUMENT: no pieces, ends that do not ascend, numbers not finite. */
static margin_status mgn_loss_check(const margin_loss *loss) {
    if (loss->pieces == NULL || loss->count == 0) { return MARGIN_E_ARGUMENT; }
    for (size_t k = 0; k < loss->count; k++) {
        const margin_piece *p = loss->pieces + k;
        if (!mgn_finite(p->at) || !mgn_finite(p->c0) || !mgn_finite(p->c1) || !mgn_finite(p->c2) ||
            (k + 1u < loss->count && (!mgn_finite(p->end) || (k > 0 && !(p[-1].end < p->end))))) {
            return MARGIN_E_ARGUMENT;
        }
    }
    return MARGIN_OK;
}

/* Density, q, i1 and i2 at u >= 0. */
typedef struct {
    margin_real p, q, i1, i2;
} mgn_tail;

/* From here on the continued fraction; below, the closed form of i2 loses a factor of 200 (double)
 * or 20 (float) of EPS. */
#define MGN_TAIL_FRACTION MGN_R(sizeof(margin_real) > 4u ? 4 : 2)
/* And from here on the density is zero. */
#define MGN_TAIL_END MGN_R(sizeof(margin_real) > 4u ? 38.6 : 14.5)

static mgn_tail mgn_tail_at(margin_real u) {
    const margin_real density = margin_normal_density(u);
    margin_real k = 0, before = 0;
    if (u < MGN_TAIL_FRACTION) {
        const margin_real q = margin_normal_distribution(-u);
        const mgn_tail closed = {density, q, density - u * q, (q + u * u * q) - u * density};
        return closed;
    }
    /* As many levels as i2 needs for EPS, found by trial: 42 at u = 4 in double, 35 at u = 2 in
     * float. */
    const margin_real levels = sizeof(margin_real) > 4u ? 10 + 520 / (u * u) : 7 + 112 / (u * u);
    for (int n = (int)levels; n > 0; n--) {
        before = k;
        k = (margin_real)n / (u + k);
    }
    const margin_real q = density / (u + k);
    const mgn_tail far = {density, q, q * k, q * k * before};
    return far;
}

/* Value, slope and half the curvature of a piece at m. */
static void mgn_piece_at(const margin_piece *p, margin_real m, margin_real out[3]) {
    const margin_real x = m - p->at;
    out[0] = p->c0 + x * (p->c1 + x * p->c2);
    out[1] = p->c1 + 2 * x * p->c2;
    out[2] = p->c2;
}

/* Adds the term of the end e, between the pieces `here` (on the side of m) and `there`, whose
 * distance from m is u widths; side 1 for an end above m, -1 for one below. */
static void mgn_loss_end(const margin_piece *here, const margin_piece *there, margin_real e,
                         margin_real m, margin_real width, margin_real out[3]) {
    const margin_real side = there > here ? 1 : -1, u = side * (e - m) / width;
    margin_real a[3], b[3];
    if (!(u < MGN_TAIL_END)) { return; }
    const mgn_tail t = mgn_tail_at(u);
    mgn_piece_at(here, e, a);
    mgn_piece_at(there, e, b);
    const margin_real j0 = b[0] - a[0], j1 = side * (b[1] - a[1]), j2 = b[2] - a[2];
    out[0] += j0 * t.q + width * (j1 * t.i1 + width * (j2 * t.i2));
    out[1] += side * (j1 * t.q + 2 * width * (j2 * t.i1));
    out[2] += 2 * j2 * t.q + j1 * t.p / width;
    if (j0 != 0) { /* only losses that jump: these terms are large for tiny widths */
        out[1] += side * (j0 * t.p / width);
        out[2] += j0 * (u * t.p / width) / width;
    }
}

MARGIN_API void margin_loss_at(const margin_loss *loss, margin_real m, margin_real width,
                               margin_real out[3]) {
    const margin_piece *p = loss->pieces;
    const size_t count = loss->count;
    size_t j = 0;
    while (j + 1u < count && !(m < p[j].end)) { j++; }
    mgn_piece_at(p + j, m, out);
    out[0] += out[2] * width * width;
    out[2] *= 2;
    if (width > 0) {
        for (size_t k = j; k + 1u < count; k++) {
            mgn_loss_end(p + k, p + k + 1u, p[k].end, m, width, out);
        }
        for (size_t k = j; k > 0; k--) {
            mgn_loss_end(p + k, p + k - 1u, p[k - 1u].end, m, width, out);
        }
    }
}

/* Eigen-coordinates of n samples (2.3, "Kernel transform"): K = V'V with q orthogonal rows of
 * lengths sqrt(lambda); g(x_i) = (V'beta)_i, |g|^2 = beta.beta, and g = sum a_i k(x_i, .) for a =
 * V' (beta / lambda). */
typedef struct {
    size_t n, q;
    margin_real *v;      /* q rows of n values, in room for n */
    margin_real *lambda; /* q eigenvalues, largest first */
    margin_real *length; /* of (K(x_i), -1) in these coordinates: the smoothing width of sample i
                            is sigma times this [3.3] */
} mgn_space;

static void mgn_space_plan(mgn_space *plan, margin_arena *mem, size_t n) {
    MARGIN_BLOCKS_SPACE(MGN_TAKE, n)
}

/* How many eigenvalues to keep: those above rounding and 2^(mean log2 + cut_off) [4.5]. */
static size_t mgn_space_rank(const margin_real *lambda, size_t n, const margin_smoothing *how) {
    const margin_real floor = lambda[0] * MGN_EPS * 4 * (margin_real)n;
    margin_real mean = 0, least;
    size_t rank = 0, kept = 0;
    while (rank < n && lambda[rank] > floor && lambda[rank] > MGN_TINY) {
        rank++;
        mean += (mgn_log(lambda[rank - 1u]) - mean) / (margin_real)rank;
    }
    least = mgn_exp(mean + how->cut_off * MGN_LN_2);
    while (kept < rank && (how->all || lambda[kept] >= least)) { kept++; }
    return kept;
}

/* s->length from the q rows of s->v. */
static void mgn_space_lengths(mgn_space *s) {
    for (size_t i = 0; i < s->n; i++) { s->length[i] = 1; }
    for (size_t j = 0; j < s->q; j++) {
        const margin_real *row = s->v + j * s->n;
        for (size_t i = 0; i < s->n; i++) { s->length[i] += row[i] * row[i]; }
    }
    for (size_t i = 0; i < s->n; i++) { s->length[i] = mgn_sqrt(s->length[i]); }
}

/* From the kernel matrix of s->n samples in s->v (its lower triangle) to the coordinates. */
static margin_status mgn_space_start(mgn_space *s, const margin_smoothing *how, margin_arena *mem) {
    const size_t n = s->n;
    const margin_status status = margin_eigen(s->lambda, s->v, s->v, n, mem);
    if (status != MARGIN_OK) { return MARGIN_E_RANGE; } /* kernel values have overflowed */
    s->q = mgn_space_rank(s->lambda, n, how);
    for (size_t j = 0; j < s->q; j++) {
        const margin_real root = mgn_sqrt(s->lambda[j]);
        for (size_t i = 0; i < n; i++) { s->v[j * n + i] *= root; }
    }
    mgn_space_lengths(s);
    return MARGIN_OK;
}

/* Coefficients of the samples in g; `beta` is overwritten. */
static void mgn_space_coefficients(const mgn_space *s, margin_real *beta, margin_real *a) {
    for (size_t j = 0; j < s->q; j++) { beta[j] /= s->lambda[j]; }
    mgn_mat_t_vec(a, s->v, s->n, s->q, s->n, beta);
}

/* Minimises [2.2], smoothed, over theta = (beta, threshold):
 *
 *     Q = |beta|^2 + sum over i of price_i L_i(side_i f_i),   f = V'beta - threshold,
 *
 * by limited-memory BFGS (Nocedal: "Updating quasi-Newton matrices with limited storage", 1980)
 * with a search for the weak Wolfe conditions by bisection, which also ends where Q has kinks
 * (Lewis, Overton: "Nonsmooth optimization via quasi-Newton methods", 2013). f is known along a
 * direction from one product V'd: a trial step costs the n losses, no product. */
typedef struct {
    const mgn_space *space;
    margin_loss loss[2];       /* of samples on the sides -1 and 1 */
    margin_real sigma;         /* of the smoothing */
    margin_real *side, *price; /* of each sample */
    margin_real *f;            /* scores, */
    margin_real *slope;        /* dQ/df, */
    margin_real *ahead;        /* and how f changes along dir */
    margin_real *theta, *grad; /* q + 1 values each */
    margin_real *dir;
    margin_real *moved, *turned; /* the last steps and the changes of the gradient, in a ring */
    margin_real rho[MARGIN_LOSS_MEMORY], weight[MARGIN_LOSS_MEMORY];
    size_t stored, next;
    margin_real value;              /* Q at theta */
    margin_real square, rise, bend; /* |beta|^2, beta . dir, |dir|^2, the threshold left out */
    size_t iterations;
    bool converged;
} mgn_descent;

static void mgn_descent_plan(mgn_descent *plan, margin_arena *mem, size_t n) {
    MARGIN_BLOCKS_DESCENT(MGN_TAKE, n)
}

/* out = V'beta - threshold for t = (beta, threshold). */
static void mgn_descent_scores(const mgn_descent *d, const margin_real *t, margin_real *out) {
    const mgn_space *s = d->space;
    mgn_mat_t_vec(out, s->v, s->n, s->q, s->n, t);
    for (size_t i = 0; i < s->n; i++) { out[i] -= t[s->q]; }
}

/* Q at theta + step dir, with dQ/df in d->slope; its derivative along dir in *along. */
static margin_real mgn_descent_at(mgn_descent *d, margin_real step, margin_real *along) {
    margin_real value = 0, rise = 0;
    for (size_t i = 0; i < d->space->n; i++) {
        const margin_real side = d->side[i];
        const margin_real m = side * (d->f[i] + step * d->ahead[i]);
        margin_real l[3];
        margin_loss_at(&d->loss[side > 0 ? 1 : 0], m, d->sigma * d->space->length[i], l);
        value += d->price[i] * l[0];
        d->slope[i] = d->price[i] * side * l[1];
        rise += d->slope[i] * d->ahead[i];
    }
    *along = rise + 2 * (d->rise + step * d->bend);
    return value + (d->square + step * (2 * d->rise + step * d->bend));
}

/* The gradient that belongs to d->slope. */
static void mgn_descent_gradient(const mgn_descent *d, margin_real *grad) {
    const mgn_space *s = d->space;
    margin_real sum = 0;
    for (size_t j = 0; j < s->q; j++) {
        grad[j] = 2 * d->theta[j] + margin_dot(d->slope, s->v + j * s->n, s->n);
    }
    for (size_t i = 0; i < s->n; i++) { sum += d->slope[i]; }
    grad[s->q] = -sum;
}

/* dir = -H grad, H the matrix of the stored steps; the first step has length 1. */
static void mgn_descent_direction(mgn_descent *d) {
    const size_t p = d->space->q + 1u;
    margin_real scale = 1;
    for (size_t j = 0; j < p; j++) { d->dir[j] = -d->grad[j]; }
    for (size_t k = 0; k < d->stored; k++) {
        const size_t h = (d->next + MARGIN_LOSS_MEMORY - 1u - k) % MARGIN_LOSS_MEMORY;
        d->weight[h] = d->rho[h] * margin_dot(d->moved + h * p, d->dir, p);
        margin_axpy(d->dir, -d->weight[h], d->turned + h * p, p);
    }
    if (d->stored == 0) {
        scale = 1 / mgn_max(margin_norm2(d->grad, p), MGN_TINY);
    } else {
        const size_t h = (d->next + MARGIN_LOSS_MEMORY - 1u) % MARGIN_LOSS_MEMORY;
        scale = 1 / (d->rho[h] * margin_dot(d->turned + h * p, d->turned + h * p, p));
    }
    for (size_t j = 0; j < p; j++) { d->dir[j] *= scale; }
    for (size_t k = d->stored; k > 0; k--) {
        const size_t h = (d->next + MARGIN_LOSS_MEMORY - k) % MARGIN_LOSS_MEMORY;
        const margin_real back = d->rho[h] * margin_dot(d->turned + h * p, d->dir, p);
        margin_axpy(d->dir, d->weight[h] - back, d->moved + h * p, p);
    }
}

/* A step along dir, from the derivative `along` < 0 at its beginning; 0 if there is none. */
static margin_real mgn_descent_search(mgn_descent *d, margin_real along, margin_real *value) {
    margin_real low = 0, high = MGN_HUGE, step = 1;
    for (unsigned trial = 0; trial < 40u; trial++) {
        margin_real there;
        *value = mgn_descent_at(d, step, &there);
        if (!(*value <= d->value + MGN_R(1e-4) * step * along)) {
            high = step;
        } else if (there < MGN_R(0.9) * along) {
            low = step;
        } else {
            return step;
        }
        step = high < MGN_HUGE ? (low + high) / 2 : 2 * low;
    }
    if (low > 0) { /* the value is lower, if not flat enough: better than no step */
        *value = mgn_descent_at(d, low, &along);
    }
    return low;
}

/* One step. Returns false if it gains nothing worth mentioning. The step and the change of the
 * gradient take the place of the oldest ones, unless the curvature along the step is lost in
 * rounding. */
static bool mgn_descent_step(mgn_descent *d, margin_real tol) {
    const size_t q = d->space->q, p = q + 1u;
    margin_real *s = d->moved + d->next * p, *y = d->turned + d->next * p, value;
    mgn_descent_direction(d);
    const margin_real along = margin_dot(d->dir, d->grad, p);
    if (!(along < 0)) { return false; }
    mgn_descent_scores(d, d->dir, d->ahead);
    d->square = margin_dot(d->theta, d->theta, q);
    d->rise = margin_dot(d->theta, d->dir, q);
    d->bend = margin_dot(d->dir, d->dir, q);
    const margin_real step = mgn_descent_search(d, along, &value);
    if (step == 0) { return false; }
    margin_axpy(d->theta, step, d->dir, p);
    margin_axpy(d->f, step, d->ahead, d->space->n);
    if (d->stored == MARGIN_LOSS_MEMORY) { d->stored--; }
    mgn_copy(y, d->grad, p);
    mgn_descent_gradient(d, d->grad);
    for (size_t j = 0; j < p; j++) {
        s[j] = step * d->dir[j];
        y[j] = d->grad[j] - y[j];
    }
    const margin_real curve = margin_dot(s, y, p);
    if (curve > MGN_EPS * margin_dot(y, y, p)) {
        d->rho[d->next] = 1 / curve;
        d->next = (d->next + 1u) % MARGIN_LOSS_MEMORY;
        d->stored++;
    }
    const margin_real gain = d->value - value;
    d->value = value;
    d->iterations++;
    return gain > tol * (mgn_abs(value) + 1);
}

/* Computes Q at theta, with scores and slopes, from scratch. */
static margin_real mgn_descent_value(mgn_descent *d, margin_real sigma) {
    margin_real along;
    d->sigma = sigma;
    d->square = margin_dot(d->theta, d->theta, d->space->q);
    d->rise = d->bend = 0;
    mgn_descent_scores(d, d->theta, d->f);
    for (size_t i = 0; i < d->space->n; i++) { d->ahead[i] = 0; }
    return mgn_descent_at(d, 0, &along);
}

/* Descends from theta to a minimum for one width, in at most `limit` steps. */
static void mgn_descent_run(mgn_descent *d, margin_real sigma, size_t limit, margin_real tol) {
    d->stored = d->next = 0;
    d->value = mgn_descent_value(d, sigma);
    mgn_descent_gradient(d, d->grad);
    d->converged = false;
    for (size_t k = 0; k < limit && !d->converged; k++) {
        d->converged = !mgn_descent_step(d, tol);
    }
}

/* A random start [4.4]. */
static void mgn_descent_draw(mgn_descent *d, margin_real range, margin_rng *rng) {
    for (size_t j = 0; j <= d->space->q; j++) {
        d->theta[j] = range * (2 * margin_rng_uniform(rng) - 1);
    }
}

/* Widths and the steps at each of them. */
typedef struct {
    margin_real sigma[10];
    uint16_t iterations[10];
    uint8_t count;
} mgn_schedule;

/* Fills in the defaults; false if something is out of its range. */
static bool mgn_smoothing_resolve(margin_smoothing *how, const mgn_schedule *usual) {
    if (how->sigma == NULL && how->iterations == NULL) {
        how->sigma = usual->sigma;
        how->iterations = usual->iterations;
        how->count = usual->count;
    } else if (how->sigma == NULL || how->iterations == NULL) {
        return false;
    }
    how->cut_off = how->cut_off == 0 ? -4 : how->cut_off;
    how->range = how->range == 0 ? 8 : how->range;
    for (size_t k = 0; k < how->count; k++) {
        if (!(how->sigma[k] >= 0) || !mgn_finite(how->sigma[k]) ||
            (k > 0 && !(how->sigma[k] < how->sigma[k - 1u]))) {
            return false;
        }
    }
    return how->count > 0 && how->range > 0 && mgn_finite(how->range) && mgn_finite(how->cut_off);
}

typedef struct {
    mgn_space space;
    mgn_descent descent;
    margin_real *best; /* theta of the best start */
} mgn_loss_work;

static void mgn_loss_take(mgn_loss_work *work, margin_arena *mem, size_t n) {
    mgn_space_plan(&work->space, mem, n);
    mgn_descent_plan(&work->descent, mem, n);
    work->best = MGN_SCRATCH(mem, margin_real, mgn_size_add(n, 1));
}

static void mgn_loss_plan(const mgn_fit *fit, margin_arena *mem) {
    mgn_loss_work work;
    margin_real *none;
    mgn_loss_take(&work, mem, fit->most);
    const size_t mark = mem->high;
    (void)mgn_kernel_panel(mem, fit->data.d);
    margin_arena_release(mem, mark);
    (void)mgn_eigen_plan(mem, fit->most, true, &none);
}

/* Follows the minimum through all widths from each start; the best theta is left in work->best. */
static margin_status mgn_loss_starts(mgn_loss_work *work, mgn_fit *fit) {
    const margin_loss_options *options = (const margin_loss_options *)fit->options;
    const margin_smoothing *how = &options->smoothing;
    mgn_descent *d = &work->descent;
    margin_rng rng = margin_rng_make(options->seed);
    margin_real best = MGN_HUGE;
    bool stopped = false;
    for (size_t s = 0; s < options->starts && !stopped; s++) {
        mgn_descent_draw(d, how->range, &rng);
        for (size_t k = 0; k < how->count && !stopped; k++) {
            mgn_descent_run(d, how->sigma[k], how->iterations[k], fit->run.tol / 1000);
            stopped =
                mgn_tick_stop(fit->tick, d->iterations, how->sigma[k], how->sigma[how->count - 1u]);
        }
        const margin_real value = mgn_descent_value(d, 0);
        if (value < best) {
            best = value;
            fit->info.converged = d->converged;
            mgn_copy(work->best, d->theta, d->space->q + 1u);
        }
    }
    fit->info.objective = best;
    fit->info.iterations = d->iterations;
    if (!(best < MGN_HUGE)) { return MARGIN_E_RANGE; }
    return stopped ? MARGIN_W_STOPPED : fit->info.converged ? MARGIN_OK : MARGIN_W_ITERATIONS;
}

/* Whether the samples are so far from the origin that rounding hides how they differ. A linear
 * machine does not depend on the origin, and then they are measured from their mean. */
static bool mgn_loss_far(const mgn_fit *fit, margin_real *mean) {
    margin_real most = 0, reach = 0;
    if (fit->kernel.kind != MARGIN_KERNEL_LINEAR) { return false; }
    mgn_data_mean(&fit->data, mean);
    for (size_t i = 0; i < fit->data.n; i++) {
        const margin_real *x = mgn_sample(&fit->data, i);
        most = mgn_max(most, margin_norm2(x, fit->data.d));
        reach = mgn_max(reach, mgn_square_apart(x, mean, fit->data.d));
    }
    return reach > 0 && most > 64 * mgn_sqrt(reach);
}

/* Weights of such a machine: w = sum b_i (x_i - mean), and the bias from there to the origin. */
static void mgn_loss_weights(mgn_fit *fit, margin_real *mean) {
    const size_t d = fit->data.d;
    mgn_data_mean(&fit->data, mean);
    mgn_zero(fit->w, d);
    for (size_t i = 0; i < fit->data.n; i++) {
        const margin_real *x = mgn_sample(&fit->data, i);
        for (size_t k = 0; k < d; k++) { fit->w[k] += fit->b[i] * (x[k] - mean[k]); }
    }
    fit->has_w = true;
    fit->bias -= margin_dot(fit->w, mean, d);
}

static margin_status mgn_loss_fit(mgn_fit *fit, margin_arena *mem) {
    const margin_loss_options *options = (const margin_loss_options *)fit->options;
    mgn_loss_work work;
    mgn_descent *d = &work.descent;
    mgn_loss_take(&work, mem, fit->most);
    const size_t mark = mem->high;
    fit->info = mgn_no_info;
    work.space.n = fit->data.n;
    margin_real *panel = mgn_kernel_panel(mem, fit->data.d);
    const bool far = mgn_loss_far(fit, panel);
    if (far) {
        mgn_data_centred(&fit->data, panel, work.space.v);
    } else {
        mgn_kernel_matrix(&fit->kernel, &fit->data, work.space.length, panel, work.space.v);
    }
    margin_arena_release(mem, mark);
    margin_status status = mgn_space_start(&work.space, &options->smoothing, mem);
    if (status != MARGIN_OK) { return status; }
    if (work.space.q == 0) { return MARGIN_E_NO_DIRECTION; }
    d->space = &work.space;
    d->loss[0] = *options->loss_neg;
    d->loss[1] = *options->loss_pos;
    d->iterations = 0;
    /* Sides and prices: C weight / (weight of the class). */
    margin_real sum[2] = {0, 0};
    for (size_t i = 0; i < fit->data.n; i++) {
        sum[i < fit->split ? 0 : 1] += mgn_weight(&fit->data, i);
    }
    for (size_t i = 0; i < fit->data.n; i++) {
        d->side[i] = i < fit->split ? -1 : 1;
        d->price[i] = options->c * mgn_weight(&fit->data, i) / sum[i < fit->split ? 0 : 1];
    }
    status = mgn_loss_starts(&work, fit);
    if (status >= 0) {
        mgn_descent_scores(d, work.best, fit->f);
        fit->bias = -work.best[work.space.q];
        mgn_space_coefficients(&work.space, work.best, fit->b);
        if (far) {
            margin_arena_release(mem, mark);
            mgn_loss_weights(fit, mgn_kernel_panel(mem, fit->data.d));
        }
    }
    return status;
}

static const mgn_trainer mgn_loss = {mgn_loss_plan, mgn_loss_fit};

static margin_status mgn_loss_prepare(const margin_loss_options *options, margin_loss_options *full,
                                      margin_loss *hinge, mgn_fit *fit) {
    static const mgn_schedule halving = {{1, MGN_R(0.5), MGN_R(0.25), MGN_R(0.125), MGN_R(0.0625),
                                          MGN_R(0.03125), MGN_R(0.015625), MGN_R(0.0078125),
                                          MGN_R(0.00390625), MGN_R(0.001953125)},
                                         {50, 50, 50, 50, 50, 50, 50, 50, 50, 500},
                                         10};
    *hinge = margin_loss_named(MARGIN_LOSS_HINGE);
    mgn_clear(full, sizeof *full);
    if (options != NULL) { *full = *options; }
    full->c = full->c == 0 ? 256 : full->c;
    full->loss = full->loss != NULL ? full->loss : hinge;
    full->loss_pos = full->loss_pos != NULL ? full->loss_pos : full->loss;
    full->loss_neg = full->loss_neg != NULL ? full->loss_neg : full->loss;
    full->starts = full->starts == 0 ? 4 : full->starts;
    mgn_fit_begin(fit, &full->kernel, full->scheme, full->watch, full);
    fit->run.tol = full->tol;
    if (!mgn_smoothing_resolve(&full->smoothing, &halving) || !mgn_svm_valid(full->c)) {
        return MARGIN_E_ARGUMENT;
    }
    return mgn_both(mgn_loss_check(full->loss_pos), mgn_loss_check(full->loss_neg));
}

MARGIN_API size_t margin_loss_train_size(size_t n, size_t d, size_t classes,
                                         const margin_loss_options *options) {
    margin_loss_options full;
    margin_loss hinge;
    mgn_fit fit;
    if (mgn_loss_prepare(options, &full, &hinge, &fit) != MARGIN_OK) { return 0; }
    return mgn_train_size(&mgn_loss, &fit, n, d, classes);
}

MARGIN_API margin_status margin_loss_train(const margin_data *data,
                                           const margin_loss_options *options, margin_arena *mem,
                                           margin_model *model, margin_info *info) {
    margin_loss_options full;
    margin_loss hinge;
    mgn_fit fit;
    const margin_status status = mgn_loss_prepare(options, &full, &hinge, &fit);
    return status == MARGIN_OK ? mgn_train(&mgn_loss, &fit, data, mem, model, info) : status;
}

/* ---- >>seco ---- a list of one-sided cuts, each admitted by cross-validation ----------------- */

/* Weizsaecker, Fuernkranz, as in >>loss; equation numbers are the paper's. Notation: A the samples
 * that no cut has covered yet, m of them; a candidate of sign s is f = g - tau, minimising [2.2]
 *
 *     |g|^2 + C C+ mean of ramp(s y f) over the target class + C mean of hinge(s y f) over the
 *     other,
 *
 * and covers {f > 0}. A candidate is assessed [2.12] by its own errors on A, plus the
 * cross-validated errors of a two-sided machine on the rest of A, divided by m. As both are
 * counted in samples, a cross-validation can end as soon as it has lost against the best candidate
 * so far: the choice is the same.
 *
 * One kernel matrix of all samples is computed; the machines that cross-validation trains take
 * their kernel rows from it, and for rising C start from the solution before, scaled. */

static margin_real mgn_ratio(size_t part, size_t all) {
    return all > 0 ? (margin_real)part / (margin_real)all : 0;
}

MARGIN_API margin_status margin_list_assess(const margin_data *data, const margin_list *model,
                                            margin_list_table *table) {
    static const margin_list_table none = {0, {0}, {0}, 0, 0, 0, 0, 0, 0};
    margin_list_table t = none;
    size_t classes = 0;
    const margin_status status = margin_data_classes(data, &classes);
    if (status != MARGIN_OK || model == NULL || table == NULL || model->pool.d != data->d ||
        classes > 2u) {
        return mgn_both(status, classes > 2u ? MARGIN_E_TWO_CLASSES : MARGIN_E_ARGUMENT);
    }
    t.samples = data->n;
    for (size_t i = 0; i < data->n; i++) {
        margin_real score;
        const size_t j = margin_list_ask(model, mgn_sample(data, i), &score);
        t.decided[j]++;
        t.wrong[j] += (score > 0) != (mgn_label(data, i) == 1u) ? 1u : 0u;
    }
    const size_t last = model->pool.width - 1u;
    size_t wrong = 0;
    margin_real cost = 0;
    for (size_t j = 0; j <= last; j++) {
        wrong += t.wrong[j];
        cost += (margin_real)t.decided[j] * (margin_real)MARGIN_LOAD(uint32_t, model->reach + j);
    }
    t.error = mgn_ratio(wrong, t.samples);
    t.fraction_left = mgn_ratio(t.decided[last], t.samples);
    t.error_left = mgn_ratio(t.wrong[last], t.decided[last]);
    t.fraction_cut = mgn_ratio(t.samples - t.decided[last], t.samples);
    t.error_cut = mgn_ratio(wrong - t.wrong[last], t.samples - t.decided[last]);
    t.cost = cost / (margin_real)t.samples;
    *table = t;
    return MARGIN_OK;
}

/* A two-sided machine on samples whose kernel values are known. */
typedef struct {
    mgn_qp qp;
    mgn_rows rows;
    mgn_fit fit;
    margin_index *list; /* the samples it is trained on, negative ones first */
    margin_real *b;     /* in units of 1 / qp.unit while it is trained */
    margin_real c;      /* of the solution in b; 0: none */
    margin_real bias;
} mgn_seco_svm;

typedef struct {
    margin_data data; /* the samples of positive weight; all lists are places in it */
    size_t n;         /* of them */
    margin_kernel kernel;
    const margin_seco_options *options; /* in full */
    mgn_tick *tick;
    mgn_tick quiet;       /* for machines */
    margin_control run;   /* of machines */
    margin_index *rows;   /* of data */
    margin_real *k;       /* n x n kernel values */
    margin_index *active; /* samples not covered yet */
    size_t m;
    uint16_t *fold; /* of each active sample */
    mgn_space space;
    mgn_descent descent;
    margin_seco_candidate *candidate;
    margin_real *thetas; /* q + 1 values of each candidate */
    size_t made;         /* candidates so far */
    mgn_seco_svm svm;
    margin_real *table; /* n x MARGIN_LIST_MOST: coefficients of the samples in each cut */
    margin_real *bias;
    margin_real *column;   /* n values */
    margin_index *order;   /* n */
    margin_index *rest;    /* what a candidate leaves */
    uint16_t *part;        /* of each sample in the cross-validation of lists */
    uint16_t *wrong;       /* n for each division into parts; bit j: its list of j cuts errs */
    uint32_t seed;         /* of starts and folds, another one in each division */
    margin_index *outside; /* samples of the part held out that no cut has covered yet */
    size_t outside_count;
    size_t limit;   /* cuts, at most */
    size_t longest; /* list of the cross-validation */
    size_t leave;   /* samples of each class that a cut must leave */
    uint32_t target[MARGIN_LIST_MOST], reach[MARGIN_LIST_MOST];
    size_t errors; /* cross-validated, of a machine on the active samples */
    int power;     /* log2 of the C that had them */
    margin_rng rng;
    margin_seco_report info;
    margin_info common; /* objective, support, bias: of the machine at the end */
} mgn_seco;

/* Whether candidates are fewer than the paper's. */
static bool mgn_seco_few(const margin_seco_options *o) {
    return o->cheap || !o->greedy;
}

/* Few candidates are those of every second C. */
static int mgn_seco_step(const margin_seco_options *o) {
    return mgn_seco_few(o) ? 2 : 1;
}

static void mgn_seco_plan_svm(mgn_seco_svm *plan, margin_arena *mem, size_t n) {
    mgn_qp_plan(&plan->qp, mem, n, 0);
    MARGIN_BLOCKS_SECO_SVM(MGN_TAKE, n)
}

/* All scratch of a training of n samples. */
static void mgn_seco_plan(mgn_seco *plan, margin_arena *mem, size_t n) {
    const margin_seco_options *o = plan->options;
    const size_t prices = (size_t)((o->c_last - o->c_first) / mgn_seco_step(o)) + 1u;
    const size_t supply = mgn_size_mul(2u * prices, mgn_size_mul(o->weight_count, o->starts));
    MARGIN_BLOCKS_SECO(MGN_TAKE, n, supply)
    mgn_space_plan(&plan->space, mem, n);
    mgn_descent_plan(&plan->descent, mem, n);
    mgn_seco_plan_svm(&plan->svm, mem, n);
}

/* ---- two-sided machines from the kernel matrix ---- */

static bool mgn_seco_positive(const mgn_seco *s, size_t i) {
    return mgn_label(&s->data, i) == 1u;
}

/* Gives the machine the samples of `list` outside fold `without`, negative ones first, with their
 * kernel values, and makes a view of them, which has their weights. */
static void mgn_seco_svm_take(mgn_seco *s, const margin_index *list, size_t m, size_t without) {
    mgn_seco_svm *svm = &s->svm;
    mgn_qp *q = &svm->qp;
    size_t n = 0;
    q->peak = 0;
    for (int side = 0; side < 2; side++) {
        q->split = n;
        for (size_t i = 0; i < m; i++) {
            if (s->fold[i] != without && mgn_seco_positive(s, list[i]) == (side == 1)) {
                svm->list[n] = list[i];
                svm->rows.slot_of[n] = (margin_index)n;
                s->order[n++] = (margin_index)mgn_row_of(&s->data, list[i]);
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        const margin_real *row = s->k + svm->list[i] * s->n;
        for (size_t j = 0; j < n; j++) { svm->rows.values[i * n + j] = row[svm->list[j]]; }
        svm->rows.diag[i] = row[svm->list[i]];
        q->peak = mgn_max(q->peak, svm->rows.diag[i]);
    }
    svm->rows.data = svm->fit.data = s->data;
    svm->rows.data.n = svm->rows.slots = svm->rows.taken = svm->fit.data.n = n;
    svm->fit.data.rows = s->order;
    q->n = q->m = n;
    svm->c = 0;
}

/* Gives the machine all active samples. */
static void mgn_seco_svm_left(mgn_seco *s) {
    for (size_t i = 0; i < s->m; i++) { s->fold[i] = 0; }
    mgn_seco_svm_take(s, s->active, s->m, 1);
}

/* Solves for C, from the solution for the C before where there is one. */
static margin_status mgn_seco_svm_solve(mgn_seco *s, margin_real c, margin_real tol, size_t limit) {
    mgn_seco_svm *svm = &s->svm;
    mgn_qp *q = &svm->qp;
    q->b = svm->b;
    q->rows = &svm->rows;
    q->low = NULL;
    mgn_qp_plain(q, tol);
    mgn_svm_programme(q, &svm->fit, c / (margin_real)q->n, c / (margin_real)q->n);
    if (svm->c == 0) { mgn_qp_cold(q); }
    for (size_t i = 0; i < q->n && svm->c != 0; i++) { q->b[i] *= c / svm->c; }
    svm->c = c;
    const margin_status status = mgn_qp_run(q, mgn_size_mul(4u, q->n), limit, &s->quiet);
    svm->bias = -mgn_svm_level(q, q->x);
    return status;
}

static margin_real mgn_seco_svm_score(const mgn_seco *s, size_t i) {
    const mgn_seco_svm *svm = &s->svm;
    const margin_real *row = s->k + i * s->n;
    margin_real sum = 0;
    for (size_t j = 0; j < svm->qp.n; j++) { sum += svm->b[j] * row[svm->list[j]]; }
    return sum / svm->qp.unit + svm->bias;
}

/* c1, as in >>svm, from a machine of so large a C that its margin is hard, if there is one. */
static margin_real mgn_seco_c1(mgn_seco *s) {
    const size_t most = mgn_size_add(mgn_size_mul(20u, s->n), 9999u);
    const mgn_qp *q = &s->svm.qp;
    margin_real nearest = MGN_HUGE;
    mgn_seco_svm_left(s);
    margin_status status = mgn_seco_svm_solve(s, margin_pow_int(2, 30), MGN_R(1e-3),
                                              mgn_size_min(s->run.max_iterations, most));
    for (size_t i = 0; i < s->n; i++) {
        nearest = mgn_min(nearest, mgn_abs(mgn_seco_svm_score(s, i) - s->svm.bias));
        status = mgn_abs(q->b[i]) < q->cap[i] ? status : MARGIN_E_NOT_SEPARABLE;
    }
    return status == MARGIN_OK ? mgn_svm_c1(-2 * q->objective / q->unit, nearest, s->n) : 0;
}

/* ---- cross-validation ---- */

/* Stratified folds of the samples in a list, the same for the same list. */
static void mgn_seco_folds(mgn_seco *s, const margin_index *list, size_t m) {
    margin_rng rng = margin_rng_make(s->seed);
    margin_data view = s->data;
    for (size_t i = 0; i < m; i++) { s->svm.list[i] = (margin_index)mgn_row_of(&s->data, list[i]); }
    view.rows = s->svm.list; /* the machine has no samples yet */
    view.n = m;
    mgn_folds_deal(&view, s->options->folds, &rng, s->order, s->fold);
}

/* Whether the samples of the machine are of both classes. If not, it is not trained, and answers
 * with their class always. */
static bool mgn_seco_both(const mgn_seco *s) {
    return s->svm.qp.split > 0 && s->svm.qp.split < s->svm.qp.n;
}

/* Trains a machine that is only to be compared, for C. On scaled data it takes less than 64 n pair
 * steps; on data that is not scaled it would run on for a million to no purpose. */
static void mgn_seco_svm_draft(mgn_seco *s, margin_real c) {
    const size_t enough = mgn_size_add(mgn_size_mul(64u, s->svm.qp.n), 1000u);
    if (mgn_seco_both(s)) {
        (void)mgn_seco_svm_solve(s, c, MGN_R(1e-3), mgn_size_min(s->run.max_iterations, enough));
    }
}

static bool mgn_seco_svm_errs(const mgn_seco *s, size_t i) {
    const bool yes = mgn_seco_both(s) ? mgn_seco_svm_score(s, i) > 0 : s->svm.qp.split == 0;
    return yes != mgn_seco_positive(s, i);
}

/* The least number of cross-validated errors of any C; *power becomes log2 of the first such C.
 * Returns `bound`, and leaves *power alone, if every C makes as many errors or more. */
static size_t mgn_seco_validate(mgn_seco *s, const margin_index *list, size_t m, size_t bound,
                                int *power) {
    const margin_seco_options *o = s->options;
    size_t errors[64] = {0}, best = 0;
    mgn_seco_folds(s, list, m);
    for (size_t which = 0; which < o->folds && best < bound; which++) {
        mgn_seco_svm_take(s, list, m, which);
        best = bound;
        for (int p = o->svm_first; p <= o->svm_last; p += mgn_seco_step(o)) {
            size_t *wrong = errors + (p - o->svm_first);
            if (*wrong < bound) {
                size_t count = 0;
                mgn_seco_svm_draft(s, margin_pow_int(2, p));
                for (size_t i = 0; i < m; i++) {
                    count += s->fold[i] == which && mgn_seco_svm_errs(s, list[i]) ? 1u : 0u;
                }
                *wrong += count;
            }
            if (*wrong < best) {
                best = *wrong;
                *power = p;
            }
        }
    }
    return best;
}

/* ---- candidates ---- */

/* Sides and costs of the active samples for a cut of this sign. */
static void mgn_seco_prices(mgn_seco *s, int sign, margin_real c, margin_real weight) {
    mgn_descent *d = &s->descent;
    margin_real sum[2] = {0, 0};
    for (size_t i = 0; i < s->m; i++) {
        const bool target = mgn_seco_positive(s, s->active[i]) == (sign > 0);
        d->side[i] = target ? 1 : -1;
        sum[target ? 1 : 0] += mgn_weight(&s->data, s->active[i]);
    }
    for (size_t i = 0; i < s->m; i++) {
        const margin_real price = (d->side[i] > 0 ? c * weight : c);
        d->price[i] = price * mgn_weight(&s->data, s->active[i]) / sum[d->side[i] > 0 ? 1 : 0];
    }
}

/* Follows one start through all widths. Returns false if it runs away [4.4]: its threshold is
 * beyond all samples, where no loss pulls it back. */
static bool mgn_seco_follow(mgn_seco *s) {
    const margin_smoothing *how = &s->options->smoothing;
    const margin_real tol = MGN_R(sizeof(margin_real) > 4u ? 2e-9 : 1e-6);
    bool stays = true;
    for (size_t k = 0; k < how->count && stays; k++) {
        mgn_descent_run(&s->descent, how->sigma[k], how->iterations[k], tol);
        stays = !(how->sigma[k] < MGN_R(0.1));
        for (size_t i = 0; i < s->m && !stays; i++) { stays = s->descent.f[i] > -1; }
    }
    return stays;
}

/* Makes a candidate from a random start. It is kept if it covers other samples than the candidates
 * before it, and enough, and leaves enough of both classes [2.2]. Its norm is |g|; `expected` are
 * the errors, if the rest had the same error rate as without the cut; its mark is a hash of the
 * covered samples, by which equal cuts are assessed once. */
static void mgn_seco_try(mgn_seco *s, int sign, margin_real c, margin_real weight) {
    margin_seco_candidate *a = s->candidate + s->made;
    const mgn_descent *d = &s->descent;
    const size_t q = s->space.q;
    size_t left[2] = {0, 0};
    mgn_seco_prices(s, sign, c, weight);
    mgn_descent_draw(&s->descent, s->options->smoothing.range, &s->rng);
    s->info.candidates++;
    if (!mgn_seco_follow(s)) {
        s->info.runaways++;
        return;
    }
    a->sign = (int8_t)sign;
    a->c = c;
    a->weight = weight;
    a->done = false;
    a->norm = margin_norm2(d->theta, q);
    a->covered = a->wrong = 0;
    a->mark = UINT32_C(2166136261); /* Fowler, Noll, Vo */
    for (size_t i = 0; i < s->m; i++) {
        const bool in = d->f[i] > 0, target = d->side[i] > 0;
        a->covered += in ? 1u : 0u;
        a->wrong += in && !target ? 1u : 0u;
        left[target ? 1 : 0] += in ? 0u : 1u;
        a->mark = (a->mark ^ (in ? (uint32_t)i + 1u : 0u)) * UINT32_C(16777619);
    }
    a->expected =
        (margin_real)a->wrong + (margin_real)(s->m - a->covered) * mgn_ratio(s->errors, s->m);
    s->info.runaways += a->covered == 0 || a->covered == s->m ? 1u : 0u;
    for (size_t t = 0; t < s->made; t++) {
        if (s->candidate[t].mark == a->mark && s->candidate[t].sign == a->sign) { return; }
    }
    if (a->covered > 0 && left[0] >= s->leave && left[1] >= s->leave &&
        (margin_real)a->covered >= s->options->coverage * (margin_real)s->m) {
        mgn_copy(s->thetas + s->made * (q + 1u), d->theta, q + 1u);
        s->made++;
    }
}

/* The candidates of a round, until the caller wants to stop. Where classes lie in turn, few of them
 * may all miss, and the list ends too early. So where one machine errs on more than a third, both
 * on all samples and on those that are left, new starts are drawn until one candidate is kept or
 * there were as many as with the paper's options: six times as many. */
static void mgn_seco_supply(mgn_seco *s) {
    const margin_seco_options *o = s->options;
    const bool hard = 3 * s->info.plain_error > 1 && 3u * s->errors > s->m;
    const size_t times = hard && mgn_seco_few(o) ? 6u : 1u, trials = o->weight_count * o->starts;
    for (size_t k = 0; k < times && s->made == 0; k++) {
        for (int sign = 1; sign >= -1; sign -= 2) {
            for (int p = o->c_first; p <= o->c_last; p += mgn_seco_step(o)) {
                for (size_t t = 0; t < trials && !s->tick->stopped; t++) {
                    mgn_seco_try(s, sign, margin_pow_int(2, p), o->weights[t / o->starts]);
                    (void)mgn_tick_stop(s->tick, s->info.candidates, mgn_ratio(s->m, s->n), 0);
                }
            }
        }
    }
}

/* Computes the scores of candidate t on the active samples, and lists in s->rest the samples that
 * it does not cover. Returns their number. */
static size_t mgn_seco_leave(mgn_seco *s, size_t t) {
    size_t left = 0;
    mgn_copy(s->descent.theta, s->thetas + t * (s->space.q + 1u), s->space.q + 1u);
    mgn_descent_scores(&s->descent, s->descent.theta, s->descent.f);
    for (size_t i = 0; i < s->m; i++) {
        if (!(s->descent.f[i] > 0)) { s->rest[left++] = s->active[i]; }
    }
    return left;
}

/* Appends candidate t to the list and takes what it covers away. */
static void mgn_seco_append(mgn_seco *s, size_t t, size_t errors) {
    const margin_seco_candidate *a = s->candidate + t;
    const size_t j = s->info.cuts++;
    margin_seco_cut *cut = s->info.cut + j;
    const size_t left = mgn_seco_leave(s, t);
    cut->sign = a->sign;
    cut->asked = s->m;
    cut->covered = a->covered;
    cut->wrong = a->wrong;
    MARGIN_ASSERT(a->norm > 0); /* a constant covers all samples or none, and is no candidate */
    cut->margin = 1 / a->norm;
    cut->c = a->c;
    cut->weight = a->weight;
    cut->estimate = mgn_ratio(errors, s->m);
    s->bias[j] = -s->descent.theta[s->space.q];
    s->target[j] = a->sign > 0 ? 1u : 0u;
    mgn_space_coefficients(&s->space, s->descent.theta, s->column);
    for (size_t i = 0; i < s->n; i++) { s->table[i * MARGIN_LIST_MOST + j] = 0; }
    for (size_t i = 0; i < s->m; i++) {
        s->table[s->active[i] * MARGIN_LIST_MOST + j] = s->column[i];
    }
    for (size_t i = 0; i < left; i++) { s->active[i] = s->rest[i]; }
    s->m = left;
}

/* Assesses the candidates, the most promising first, by their errors together with those on the
 * rest. The best one becomes a cut, if there is one and the caller does not want to stop. */
static void mgn_seco_choose(mgn_seco *s) {
    const size_t limit = s->options->assess == 0 ? s->made : s->options->assess;
    size_t best = s->made, errors = s->m + 1u, rest = 0;
    int power = 0;
    for (size_t count = 0; count < limit && count < s->made && !s->tick->stopped; count++) {
        size_t next = s->made;
        for (size_t t = 0; t < s->made; t++) {
            const margin_seco_candidate *b = s->candidate + t;
            if (!b->done && (next == s->made || b->expected < s->candidate[next].expected)) {
                next = t;
            }
        }
        margin_seco_candidate *a = s->candidate + next;
        a->done = true;
        if (a->wrong < errors) {
            const size_t left = mgn_seco_leave(s, next), bound = errors - a->wrong;
            int p = 0; /* log2 of the C of the machine on the rest */
            const size_t found = mgn_seco_validate(s, s->rest, left, bound, &p);
            s->info.assessed++;
            if (found < bound) {
                best = next;
                errors = a->wrong + found;
                rest = found;
                power = p;
            }
        }
        (void)mgn_tick_stop(s->tick, s->info.candidates, mgn_ratio(s->m, s->n), 0);
    }
    if (s->tick->stopped || best == s->made) {
        s->info.end = s->tick->stopped ? MARGIN_SECO_STOPPED : MARGIN_SECO_NO_CUT;
    } else {
        mgn_seco_append(s, best, errors);
        s->errors = rest;
        s->power = power;
    }
}

/* ---- the list ---- */

/* Eigen-coordinates from r columns of L: the eigenvalues of the small matrix L'L are those of L L',
 * and an eigenvector e of L'L makes the coordinate L e. In place of m^3 steps this takes m r^2. */
static margin_status mgn_seco_turn(mgn_seco *s, size_t r, margin_arena *mem) {
    const size_t m = s->m, step = m / 2u;
    mgn_space *space = &s->space;
    margin_real *small = s->svm.rows.values, *turned = small + r * r;
    mgn_zero(small, r * r);
    for (size_t i = 0; i < m; i++) {
        const margin_real *row = space->v + i * step;
        for (size_t j = 0; j < r; j++) { mgn_axpy(small + j * r, row[j], row, j + 1u); }
    }
    const margin_status status = margin_eigen(space->lambda, small, small, r, mem);
    if (status != MARGIN_OK) { return MARGIN_E_RANGE; } /* a sum of squares has overflowed */
    space->q = mgn_space_rank(space->lambda, r, &s->options->smoothing);
    for (size_t j = 0; j < space->q; j++) {
        for (size_t i = 0; i < m; i++) {
            turned[j * m + i] = margin_dot(small + j * r, space->v + i * step, r);
        }
    }
    mgn_copy(space->v, turned, space->q * m);
    mgn_space_lengths(space);
    return MARGIN_OK;
}

/* The eigen-coordinates of the active samples: from the pivoted Cholesky factor K = L L' of their
 * kernel matrix, if that has at most m / 2 columns, and otherwise from K. L is in s->space.v, m / 2
 * numbers from row to row, and what is left of the diagonal in s->space.length. */
static margin_status mgn_seco_coordinates(mgn_seco *s, margin_arena *mem) {
    const size_t m = s->m;
    mgn_factor f = {s->space.v, m, m / 2u, 0, s->space.length};
    margin_real peak = 0;
    for (size_t i = 0; i < m; i++) {
        f.left[i] = s->k[s->active[i] * s->n + s->active[i]];
        peak = mgn_max(peak, f.left[i]);
    }
    size_t p = mgn_index_of_max(f.left, 0, m);
    while (f.left[p] > 4 * MGN_EPS * (margin_real)m * peak && f.count < f.step) {
        for (size_t i = 0; i < m; i++) { s->column[i] = s->k[s->active[p] * s->n + s->active[i]]; }
        mgn_factor_add(&f, p, s->column);
        p = mgn_index_of_max(f.left, 0, m);
    }
    s->space.n = m;
    s->descent.space = &s->space;
    if (f.count > 0 && !(f.left[p] > 4 * MGN_EPS * (margin_real)m * peak)) {
        return mgn_seco_turn(s, f.count, mem);
    }
    for (size_t i = 0; i < m; i++) {
        const margin_real *row = s->k + s->active[i] * s->n;
        for (size_t j = 0; j <= i; j++) { s->space.v[i * m + j] = row[s->active[j]]; }
    }
    return mgn_space_start(&s->space, &s->options->smoothing, mem);
}

/* Why there should be no further cut; 0 if there may be one. */
static uint8_t mgn_seco_end(const mgn_seco *s) {
    if (s->tick->stopped) { return MARGIN_SECO_STOPPED; }
    if (s->info.cuts == s->limit && s->limit < s->options->most) {
        return s->longest > 0 ? MARGIN_SECO_NO_GAIN : MARGIN_SECO_NO_CUT;
    }
    if (s->info.cuts == s->limit) { return MARGIN_SECO_MOST; }
    if (mgn_ratio(s->errors, s->m) < s->options->easy) { return MARGIN_SECO_EASY; }
    size_t positive = 0;
    for (size_t i = 0; i < s->m; i++) { positive += mgn_seco_positive(s, s->active[i]) ? 1u : 0u; }
    return mgn_size_min(positive, s->m - positive) < s->leave ? MARGIN_SECO_FEW : 0;
}

/* One round: a cut more, or the reason why there is none. */
static margin_status mgn_seco_round(mgn_seco *s, margin_arena *mem) {
    s->info.end = mgn_seco_end(s);
    if (s->info.end != 0) { return MARGIN_OK; }
    const margin_status status = mgn_seco_coordinates(s, mem);
    if (status != MARGIN_OK) { return status; }
    s->tick->at.machine = s->info.cuts;
    s->made = 0;
    if (s->space.q > 0) { mgn_seco_supply(s); }
    mgn_seco_choose(s);
    return MARGIN_OK;
}

/* ---- admission ---- */

/* The errors that [2.12] counts for a cut are those of the very samples that it was fitted to, and
 * the best of many candidates looks better than it is: lists of the paper's length err more often
 * than one machine on most data (section 4.6). So lists are cross-validated as a whole: on all
 * samples but those of one part a list is built, and after each of its cuts the list so far, with a
 * machine for what it leaves, classifies the samples of that part. That gives the errors of
 * lists of every length, 0 included, on samples that had no part in building them.
 *
 * Let d_i be the errors of lists without cuts on sample i less those of lists of the best length,
 * added up over the divisions into parts. Under the guess that lists make no difference the d_i
 * have mean 0, and the sum of them has the standard error sqrt(sum d_i^2). Most of it in one
 * division comes from the lists, which vary much with the samples they are built on (on sonar 25 of
 * 30, in squared samples; 5 are left with many divisions). So where one division leaves it open
 * there are up to MARGIN_SECO_DIVISIONS, with other starts and folds. */

/* Begins a new list, on all samples but those of part `out`. The number of samples that a cut must
 * leave of each class shrinks in proportion. */
static void mgn_seco_restart(mgn_seco *s, size_t out) {
    s->m = s->outside_count = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->part[i] == out) {
            s->outside[s->outside_count++] = (margin_index)i;
        } else {
            s->active[s->m++] = (margin_index)i;
        }
    }
    s->leave = s->options->left;
    if (s->outside_count > 0) {
        s->leave -= (size_t)((margin_real)(s->leave - 1u) * mgn_ratio(s->outside_count, s->n));
    }
    s->rng = margin_rng_make(s->seed);
    s->info.cuts = 0;
    s->info.end = 0;
    s->power = s->options->svm_first;
    s->errors = mgn_seco_validate(s, s->active, s->m, s->m + 1u, &s->power);
}

/* Classifies the samples held out by the list so far: by its last cut, or, where that does not
 * cover them, by a machine for what is left. The answer is noted for lists of so many cuts and,
 * until they are noted themselves, for longer lists. */
static void mgn_seco_ask_held(mgn_seco *s) {
    const size_t cuts = s->info.cuts, count = s->outside_count, last = cuts > 0 ? cuts - 1u : 0;
    const unsigned longer = 0xFFFFu & ~((1u << cuts) - 1u);
    uint16_t *wrong = s->wrong + s->info.divisions * s->n;
    s->outside_count = 0;
    mgn_seco_svm_left(s);
    mgn_seco_svm_draft(s, margin_pow_int(2, s->power));
    for (size_t t = 0; t < count; t++) {
        const size_t i = s->outside[t];
        margin_real score = s->bias[last]; /* of the last cut */
        for (size_t v = 0; v < s->n && cuts > 0; v++) {
            score += s->table[v * MARGIN_LIST_MOST + last] * s->k[i * s->n + v];
        }
        const bool covered = cuts > 0 && score > 0;
        const bool errs =
            covered ? (s->target[last] == 1u) != mgn_seco_positive(s, i) : mgn_seco_svm_errs(s, i);
        wrong[i] = (uint16_t)((wrong[i] & ~longer) | (errs ? longer : 0u));
        if (!covered) { s->outside[s->outside_count++] = (margin_index)i; }
    }
}

/* How often a list of so many cuts errs on sample i, in all divisions. */
static size_t mgn_seco_wrong(const mgn_seco *s, size_t i, size_t cuts) {
    size_t errors = 0;
    for (size_t t = 0; t < s->info.divisions; t++) {
        errors += (size_t)s->wrong[t * s->n + i] >> cuts & 1u;
    }
    return errors;
}

/* The length of the lists that err least. *sure becomes the square of what they gain over lists
 * without cuts, in units of its standard error. */
static size_t mgn_seco_best(mgn_seco *s, margin_real *sure) {
    size_t best = 0;
    margin_real gain = 0, square = 0;
    for (size_t j = 0; j <= s->options->most; j++) {
        size_t errors = 0;
        for (size_t i = 0; i < s->n; i++) { errors += mgn_seco_wrong(s, i, j); }
        s->info.nested[j] = mgn_ratio(errors, s->n * s->info.divisions);
        best = s->info.nested[j] < s->info.nested[best] ? j : best;
    }
    for (size_t i = 0; i < s->n; i++) {
        const margin_real less =
            (margin_real)mgn_seco_wrong(s, i, 0) - (margin_real)mgn_seco_wrong(s, i, best);
        gain += less;
        square += less * less;
    }
    *sure = square > 0 ? gain * gain / square : 0;
    return best;
}

/* Cross-validates lists of every length, in one division of the samples. */
static margin_status mgn_seco_divide(mgn_seco *s, margin_arena *mem) {
    margin_status status = MARGIN_OK;
    s->seed = s->options->seed + (uint32_t)s->info.divisions;
    for (size_t i = 0; i < s->n; i++) { s->active[i] = (margin_index)i; }
    mgn_seco_folds(s, s->active, s->n);
    for (size_t i = 0; i < s->n; i++) { s->part[i] = s->fold[i]; }
    for (size_t out = 0; out < s->options->folds && status == MARGIN_OK; out++) {
        mgn_seco_restart(s, out);
        while (status == MARGIN_OK && s->info.end == 0) {
            mgn_seco_ask_held(s);
            status = mgn_seco_round(s, mem);
        }
        s->longest = s->info.cuts > s->longest ? s->info.cuts : s->longest;
    }
    s->info.divisions = s->tick->stopped ? 0 : s->info.divisions + 1u;
    return status;
}

/* Limits the number of cuts to that of the best lists if these gain two standard errors, and else
 * to 0. Divisions go on until no length is better than 0, or one gains three standard errors. */
static margin_status mgn_seco_admission(mgn_seco *s, margin_arena *mem) {
    margin_status status = MARGIN_OK;
    margin_real sure = 0;
    size_t best = 1;
    while (status == MARGIN_OK && best > 0 && sure <= 9 &&
           s->info.divisions < MARGIN_SECO_DIVISIONS) {
        status = mgn_seco_divide(s, mem);
        if (status >= 0) { best = mgn_seco_best(s, &sure); }
    }
    s->limit = sure > 4 ? best : 0;
    s->seed = s->options->seed;
    mgn_seco_restart(s, s->options->folds);
    return status;
}

/* The machine at the end, on the samples left. */
static margin_status mgn_seco_finish(mgn_seco *s) {
    const size_t j = s->info.cuts;
    mgn_seco_svm *svm = &s->svm;
    mgn_seco_svm_left(s);
    margin_status status =
        mgn_seco_svm_solve(s, margin_pow_int(2, s->power), s->run.tol, s->run.max_iterations);
    if (status == MARGIN_OK && svm->qp.violation > svm->qp.goal) { status = MARGIN_W_ROUNDING; }
    s->bias[j] = svm->bias;
    s->target[j] = 1;
    for (size_t i = 0; i < s->n; i++) { s->table[i * MARGIN_LIST_MOST + j] = 0; }
    for (size_t i = 0; i < svm->qp.n; i++) {
        s->table[svm->list[i] * MARGIN_LIST_MOST + j] = svm->b[i] / svm->qp.unit;
        s->common.support += svm->b[i] != 0 ? 1u : 0u;
    }
    s->common.objective = svm->qp.objective / svm->qp.unit;
    s->common.violation = svm->qp.violation;
    s->common.converged = status == MARGIN_OK;
    s->common.bias = svm->bias;
    s->info.left = s->m;
    s->info.left_error = mgn_ratio(s->errors, s->m);
    s->info.left_c = margin_pow_int(2, s->power);
    return status;
}

/* Whether a cut of this kernel is one vector: sum a_i x_i.x = w.x, and sum a_i (1 + cos(x_i, x)) /
 * 2 = (sum a_i) / 2 + |w| cos(w, x) for w = sum a_i x_i / 2|x_i|. */
static bool mgn_seco_collapses(const margin_kernel *kernel) {
    return kernel->kind == MARGIN_KERNEL_LINEAR ||
           (kernel->kind == MARGIN_KERNEL_UNIT_POLY && kernel->a == 1);
}

/* Cut j as vector j: the sum of its samples, of length one for the unit kernel. */
static void mgn_seco_collapse_one(mgn_seco *s, mgn_pool *pool, size_t j) {
    const size_t d = s->data.d;
    const bool unit = s->kernel.kind != MARGIN_KERNEL_LINEAR;
    margin_real *w = pool->vectors + j * d;
    margin_real sum = 0, length = 1;
    mgn_zero(w, d);
    for (size_t i = 0; i < s->n; i++) {
        const margin_real a = s->table[i * MARGIN_LIST_MOST + j];
        const margin_real norm = unit ? margin_norm2(mgn_sample(&s->data, i), d) : 1;
        sum += a;
        if (norm > 0) { margin_axpy(w, unit ? a / (2 * norm) : a, mgn_sample(&s->data, i), d); }
    }
    if (unit) {
        length = margin_norm2(w, d);
        s->bias[j] += sum / 2 - length;
        for (size_t k = 0; k < d && length > 0; k++) { w[k] /= length; }
        length *= 2;
    }
    pool->coef[j * (s->info.cuts + 1u) + j] = length;
}

/* Cut j through the first `rank` samples of `order` alone, in s->column: with K = L L' in that
 * order, and L1 the square part of L, the projection of g has the coefficients L1'^-1 L' a. */
static void mgn_seco_project(mgn_seco *s, const margin_real *l, size_t rank, size_t j) {
    mgn_zero(s->column, rank);
    for (size_t i = 0; i < s->n; i++) {
        margin_axpy(s->column, s->table[s->order[i] * MARGIN_LIST_MOST + j], l + i * s->n,
                    mgn_size_min(i + 1u, rank));
    }
    mgn_solve(s->column, 1, mgn_view_of(l, 1, s->n), rank, false);
}

/* Where few samples span all others, nearly, the cuts need only these: they are projected onto the
 * first `rank` samples of s->order, unless a sample would get a score that is off by more than a
 * hundredth of the margin. What the span leaves of a sample may be 1e-3 of the longest one, or in a
 * second try 1e-4: coefficients grow with the inverse of that, and floats have no digits for
 * more. */
static bool mgn_seco_reduces(mgn_seco *s, const margin_real *l, size_t rank) {
    for (size_t j = 0; j <= s->info.cuts; j++) {
        mgn_seco_project(s, l, rank, j);
        for (size_t i = 0; i < s->n; i++) {
            margin_real off = 0;
            for (size_t t = 0; t < s->n; t++) {
                const size_t v = s->order[t];
                const margin_real coef = s->table[v * MARGIN_LIST_MOST + j];
                off += s->k[i * s->n + v] * (coef - (t < rank ? s->column[t] : 0));
            }
            if (!(mgn_abs(off) <= MGN_R(0.01))) { return false; }
        }
    }
    return true;
}

static void mgn_seco_reduce(mgn_seco *s, margin_arena *mem) {
    margin_real *l = s->svm.rows.values;
    for (unsigned trial = 0; trial < 2u && s->info.cuts > 0; trial++) {
        const margin_real tol = trial == 0 ? MGN_R(1e-6) : MGN_R(1e-6) / 100;
        size_t rank = s->n;
        mgn_copy(l, s->k, s->n * s->n);
        if (margin_cholesky_pivoted(l, s->n, tol, s->order, &rank, mem) != MARGIN_OK ||
            rank > s->n - s->n / 4u) {
            return;
        }
        if (mgn_seco_reduces(s, l, rank)) {
            for (size_t j = 0; j <= s->info.cuts; j++) {
                mgn_seco_project(s, l, rank, j);
                for (size_t i = 0; i < s->n; i++) {
                    s->table[s->order[i] * MARGIN_LIST_MOST + j] = i < rank ? s->column[i] : 0;
                }
            }
            return;
        }
    }
}

/* Samples with a coefficient, ordered by the first cut that needs them, in s->order; how many. */
static size_t mgn_seco_used(mgn_seco *s) {
    const size_t cuts = s->info.cuts + 1u;
    size_t n = 0;
    for (size_t j = 0; j < cuts; j++) {
        for (size_t i = 0; i < s->n; i++) {
            const margin_real *coef = s->table + i * MARGIN_LIST_MOST;
            if (coef[j] != 0 && !mgn_any(coef, j)) { s->order[n++] = (margin_index)i; }
        }
        s->reach[j] = (uint32_t)n;
    }
    if (n == 0) { /* all kernel values are 0; but a pool must have a vector */
        s->order[n++] = 0;
        s->reach[cuts - 1u] = 1;
    }
    return n;
}

static void mgn_seco_model(mgn_seco *s, margin_arena *mem, margin_list *list) {
    const size_t cuts = s->info.cuts + 1u;
    size_t n = cuts;
    if (!mgn_seco_collapses(&s->kernel)) {
        mgn_seco_reduce(s, mem);
        n = mgn_seco_used(s);
    }
    mgn_pool pool = mgn_pool_plan(mem, n, s->data.d, cuts, cuts, 2u * cuts);
    MARGIN_ASSERT(pool.vectors != NULL); /* the plan for all samples has had its blocks */
    if (mgn_seco_collapses(&s->kernel)) {
        mgn_zero(pool.coef, cuts * cuts);
        for (size_t j = 0; j < cuts; j++) {
            mgn_seco_collapse_one(s, &pool, j);
            pool.norms[j] = mgn_norm2_bits(pool.vectors + j * pool.d, pool.d);
            s->reach[j] = (uint32_t)j + 1u;
        }
        pool.count = cuts;
    } else {
        for (size_t v = 0; v < n; v++) {
            const size_t i = s->order[v];
            mgn_pool_add(&pool, mgn_sample(&s->data, i), s->table + i * MARGIN_LIST_MOST);
        }
    }
    for (size_t j = 0; j < cuts; j++) {
        pool.bias[j] = s->bias[j];
        pool.end[j] = s->reach[j];
        pool.end[cuts + j] = s->target[j];
    }
    mgn_pool_expansion(&pool, &s->kernel, mgn_vote_of(2, MARGIN_SCHEME_BINARY), &list->pool);
    list->reach = pool.end;
    list->target = pool.end + cuts;
}

/* ---- the trainer ---- */

/* Whether powers of two from 2^first to 2^last are in order, and can be squared in float. */
static bool mgn_seco_powers(int first, int last) {
    return first >= -30 && first <= last && last <= 30;
}

/* The options in full: those that are 0 get the value of the paper, or a cheaper one. */
static margin_status mgn_seco_prepare(const margin_seco_options *options, margin_seco_options *o,
                                      margin_loss pair[2]) {
    static const mgn_schedule paper = {
        {1, MGN_R(0.125), MGN_R(0.015625), MGN_R(0.001953125)}, {2, 4, 10, 200}, 4};
    static const margin_real weights[3] = {1, MGN_R(0.5), 2};
    mgn_clear(o, sizeof *o);
    if (options != NULL) { *o = *options; }
    pair[0] = margin_loss_named(MARGIN_LOSS_HINGE);
    pair[1] = margin_loss_named(MARGIN_LOSS_RAMP);
    o->other = o->other != NULL ? o->other : &pair[0];
    o->target = o->target != NULL ? o->target : &pair[1];
    if (o->weights == NULL) {
        o->weights = weights;
        o->weight_count = mgn_seco_few(o) ? 1 : 3;
    }
    if (o->c_first == 0 && o->c_last == 0) {
        o->c_first = 8;
        o->c_last = 15;
    }
    if (o->svm_first == 0 && o->svm_last == 0) {
        o->svm_first = 4;
        o->svm_last = 16;
    }
    o->starts = o->starts != 0 ? o->starts : 4;
    o->assess = o->assess == 0 && mgn_seco_few(o) ? 4 : o->assess;
    o->coverage = o->coverage == 0 ? MGN_R(0.0625) : o->coverage;
    o->left = o->left == 0 ? 32 : o->left;
    o->easy = o->easy == 0 ? MGN_R(0.03125) : o->easy;
    o->most = o->most == 0 ? MARGIN_LIST_MOST - 1u : o->most;
    o->folds = o->folds == 0 ? 4 : o->folds;
    bool valid = mgn_smoothing_resolve(&o->smoothing, &paper) &&
                 mgn_seco_powers(o->c_first, o->c_last) &&
                 mgn_seco_powers(o->svm_first, o->svm_last) && o->most < MARGIN_LIST_MOST &&
                 o->folds >= 2u && o->folds <= UINT16_MAX && o->coverage > 0 && o->coverage <= 1 &&
                 o->easy > 0 && o->easy <= 1 && o->weight_count > 0;
    for (size_t i = 0; valid && i < o->weight_count; i++) { valid = mgn_svm_valid(o->weights[i]); }
    if (!valid) { return MARGIN_E_ARGUMENT; }
    return mgn_both(mgn_loss_check(o->other), mgn_loss_check(o->target));
}

/* The memory plan of a training, first to last, for as many samples as s->data has. */
static void mgn_seco_plan_all(void *task, margin_arena *mem) {
    mgn_seco *s = (mgn_seco *)task;
    const bool collapses = mgn_seco_collapses(&s->kernel);
    const size_t cuts = s->options->most + 1u, n = s->data.n;
    margin_real *none;
    mgn_seco_plan(s, mem, n);
    const size_t mark = mem->high;
    (void)mgn_kernel_panel(mem, s->data.d);
    margin_arena_release(mem, mark);
    (void)mgn_eigen_plan(mem, n, true, &none);
    margin_arena_release(mem, mark);
    (void)mgn_pivoted_plan(mem, collapses ? 0 : n);
    margin_arena_release(mem, mark);
    (void)mgn_pool_plan(mem, collapses ? cuts : n, s->data.d, cuts, cuts, 2u * cuts);
}

/* Samples of positive weight, their kernel matrix, and the errors of one machine. */
static margin_status mgn_seco_start(mgn_seco *s, const margin_data *data, margin_arena *mem) {
    const size_t mark = mem->high;
    size_t positive = 0, n = 0;
    for (size_t i = 0; i < data->n; i++) {
        if (mgn_weight(data, i) > 0) {
            positive += mgn_label(data, i) == 1u ? 1u : 0u;
            s->active[n] = (margin_index)n;
            s->part[n] = 0;
            s->rows[n++] = (margin_index)mgn_row_of(data, i);
        }
    }
    if (positive == 0 || positive == n) { return MARGIN_E_ONE_CLASS; }
    s->data.rows = s->rows;
    s->data.n = s->n = s->m = n;
    mgn_kernel_matrix(&s->kernel, &s->data, s->column, mgn_kernel_panel(mem, s->data.d), s->k);
    margin_arena_release(mem, mark);
    if (!mgn_all_finite(s->k, n * n)) { return MARGIN_E_RANGE; }
    if (s->options->bounds) {
        /* c0 = 4 / (Z D), as in >>svm. */
        margin_real far = 0, peak = 0;
        for (size_t i = 0; i < s->n; i++) {
            const margin_real *row = s->k + i * s->n;
            peak = mgn_max(peak, row[i]);
            for (size_t j = 0; j < i; j++) {
                if (mgn_seco_positive(s, i) != mgn_seco_positive(s, j)) {
                    far = mgn_max(far, row[i] + s->k[j * s->n + j] - 2 * row[j]);
                }
            }
        }
        s->info.c0 = far > 0 ? 4 / (mgn_sqrt(peak) * mgn_sqrt(far)) : 0;
        s->info.c1 = mgn_seco_c1(s);
    }
    mgn_seco_restart(s, 1);
    s->info.plain_error = mgn_ratio(s->errors, n);
    return !s->options->greedy && mgn_seco_end(s) == 0 ? mgn_seco_admission(s, mem) : MARGIN_OK;
}

/* Rounds, the machine at the end, model and report. */
static margin_status mgn_seco_run(void *task, mgn_frame *frame) {
    mgn_seco *s = (mgn_seco *)task;
    const margin_list *list = &frame->model.of.list;
    const margin_data given = s->data;
    mgn_tick tick = mgn_tick_make(s->options->watch, s->options->most + 1u);
    mgn_seco_plan(s, frame->mem, given.n);
    mgn_clear(&s->info, sizeof s->info);
    s->common = mgn_no_info;
    s->descent.loss[0] = *s->options->other;
    s->descent.loss[1] = *s->options->target;
    s->descent.iterations = s->longest = 0;
    s->seed = s->options->seed;
    s->limit = s->options->most;
    s->tick = &tick;
    s->quiet = tick;
    s->quiet.watch.progress = NULL;
    margin_status status = mgn_seco_start(s, &given, frame->mem);
    while (status == MARGIN_OK && s->info.end == 0) { status = mgn_seco_round(s, frame->mem); }
    if (status != MARGIN_OK) { return status; }
    status = mgn_seco_finish(s);
    frame->model.kind = MARGIN_MODEL_LIST;
    mgn_seco_model(s, frame->mem, &frame->model.of.list);
    /* Margins of the training samples, and what each cut does with them. */
    for (size_t i = 0; i < s->n; i++) {
        margin_real score;
        (void)margin_list_ask(list, mgn_sample(&s->data, i), &score);
        s->column[i] = mgn_seco_positive(s, i) ? score : -score;
    }
    mgn_info_margins(&s->common, s->column, s->n);
    (void)margin_list_assess(&s->data, list, &s->info.table);
    s->common.iterations = s->info.candidates;
    frame->info = s->common;
    if (s->info.end == MARGIN_SECO_STOPPED) { return MARGIN_W_STOPPED; }
    if (s->info.cuts == 0 && s->info.end != MARGIN_SECO_EASY) { return MARGIN_W_NO_CUT; }
    return status;
}

static const mgn_method mgn_seco_method = {mgn_seco_plan_all, mgn_seco_run};

MARGIN_API size_t margin_seco_train_size(size_t n, size_t d, size_t classes,
                                         const margin_seco_options *options) {
    margin_seco_options full;
    margin_loss pair[2];
    mgn_seco s;
    if (n > MARGIN_INDEX_MAX || n < 4u || classes != 2u ||
        mgn_seco_prepare(options, &full, pair) != MARGIN_OK ||
        margin_kernel_resolve(&full.kernel, d, &s.kernel) != MARGIN_OK) {
        return 0;
    }
    s.options = &full;
    s.data.n = n;
    s.data.d = d;
    return mgn_frame_size(&mgn_seco_method, &s);
}

MARGIN_API margin_status margin_seco_train(const margin_data *data,
                                           const margin_seco_options *options, margin_arena *mem,
                                           margin_model *model, margin_info *info,
                                           margin_seco_report *report) {
    margin_seco_options full;
    margin_loss pair[2];
    mgn_seco s;
    size_t classes = 0;
    margin_status status = mgn_seco_prepare(options, &full, pair);
    if (status == MARGIN_OK) { status = margin_data_classes(data, &classes); }
    if (status != MARGIN_OK) { return status; }
    if (classes != 2u) { return classes > 2u ? MARGIN_E_TWO_CLASSES : MARGIN_E_ONE_CLASS; }
    const margin_control run = {full.tol, full.max_iterations, 0, 0};
    s.options = &full;
    s.data = *data;
    s.run = run;
    status = mgn_both(margin_kernel_resolve(&full.kernel, data->d, &s.kernel),
                      mgn_control_resolve(&s.run, data->n));
    status = mgn_frame_train(&mgn_seco_method, &s, status, mem, model, info);
    if (status >= 0 && report != NULL) { *report = s.info; }
    return status;
}

/* ---- >>calibrate ---- a curve for each machine that turns its margin into a probability ------ */

/* Platt: "Probabilistic outputs for support vector machines", 1999. What is fitted by Newton's
 * method: slope and shift of sigmoids, or the slope of exponentials, of terms that each sample
 * has. A curve of a binary machine then corrects the sigmoid where it does not follow the shares
 * of hits. */
typedef struct {
    const margin_data *data;
    const margin_real *scores; /* n x machines */
    const margin_vote *vote;
    size_t machines;
    bool softmax;       /* exponentials, of one term for each class; */
    bool order;         /* sigmoids, of one term for each threshold, or else for each pair */
    margin_real *curve; /* kept */
    margin_real *own, *row, *p; /* n; machines; classes, for terms too */
    margin_real unit;           /* of terms: their mean size, so that steps do not depend on it */
    margin_real high, low;      /* targets of hits and misses */
    margin_real slope, shift;
    margin_real g0, g1, h00, h01, h11; /* gradient and curvature in (slope, shift) */
} mgn_platt;

/* Computes the terms of sample i in p->p; returns how many. For thresholds they are the scores. For
 * pairs they tell by how much each machine that knows the true class prefers it, and otherwise by
 * how much each class is preferred to the one elected. */
static size_t mgn_platt_terms(const mgn_platt *p, size_t i) {
    const unsigned scheme = p->vote->scheme;
    const size_t classes = p->vote->classes, label = mgn_label(p->data, i);
    const margin_real *scores = p->scores + i * p->machines;
    const size_t winner = p->softmax ? margin_elect(scheme, classes, scores) : label;
    size_t count = 0;
    for (; p->order && count < p->machines; count++) { p->p[count] = scores[count] / p->unit; }
    for (size_t c = 0; !p->order && c < classes; c++) {
        if (p->softmax) {
            const bool other = c != winner;
            p->p[count++] = other ? mgn_favour(scheme, classes, scores, c, winner) / p->unit : 0;
        } else if (c != label) {
            p->p[count++] = mgn_favour(scheme, classes, scores, label, c) / p->unit;
        }
    }
    return count;
}

/* The loss log(1 + e^-|t|) + (t > 0 ? 1 - target : target) |t|, and its derivatives. */
static margin_real mgn_platt_sigmoid(mgn_platt *p, margin_real m, margin_real t,
                                     margin_real target) {
    const margin_real e = mgn_exp(-mgn_abs(t));
    const margin_real q = (t > 0 ? 1 : e) / (1 + e), curve = e / ((1 + e) * (1 + e));
    p->g0 += (q - target) * m;
    p->g1 += q - target;
    p->h00 += curve * m * m;
    p->h01 += curve * m;
    p->h11 += curve;
    return mgn_log(1 + e) + (t > 0 ? 1 - target : target) * mgn_abs(t);
}

/* The loss of exponentials of the terms m <= 0 in p->p, log sum e^(slope m) - slope sum target m,
 * and its derivatives. */
static margin_real mgn_platt_exponentials(mgn_platt *p, size_t label, margin_real slope) {
    margin_real sum = 0, mean = 0, square = 0, aim = (p->high - p->low) * p->p[label];
    for (size_t c = 0; c < p->vote->classes; c++) {
        const margin_real m = p->p[c], e = mgn_exp(slope * m);
        sum += e;
        mean += e * m;
        square += e * m * m;
        aim += p->low * m;
    }
    mean /= sum;
    p->g0 += mean - aim;
    p->h00 += square / sum - mean * mean;
    return mgn_log(sum) - slope * aim;
}

/* The mean loss over the samples, with its derivatives. Pairs look the same from both sides, and
 * exponentials have no shift. A slope below 0 would prefer what the scores do not. */
static margin_real mgn_platt_loss(mgn_platt *p, margin_real slope, margin_real shift) {
    const margin_real n = (margin_real)p->data->n;
    margin_real loss = 0;
    p->g0 = p->g1 = p->h00 = p->h01 = p->h11 = 0;
    for (size_t i = 0; i < p->data->n; i++) {
        const size_t label = mgn_label(p->data, i), count = mgn_platt_terms(p, i);
        if (p->softmax) { loss += mgn_platt_exponentials(p, label, slope); }
        for (size_t e = 0; !p->softmax && e < count; e++) {
            loss += mgn_platt_sigmoid(p, p->p[e], slope * p->p[e] + shift,
                                      !p->order || label > e ? p->high : p->low);
        }
    }
    p->g0 /= n;
    p->g1 = p->order ? p->g1 / n : 0;
    p->h00 = p->h00 / n + 16 * MGN_EPS;
    p->h01 = p->order ? p->h01 / n : 0;
    p->h11 = p->order ? p->h11 / n + 16 * MGN_EPS : 1;
    return p->order || slope >= 0 ? loss / n : MGN_HUGE;
}

/* One Newton step, halved until the loss falls enough; false when no step helps. */
static bool mgn_platt_step(mgn_platt *p, margin_real *loss) {
    const margin_real det = p->h00 * p->h11 - p->h01 * p->h01;
    if (!(det > 0)) { return false; }
    const margin_real d0 = -(p->h11 * p->g0 - p->h01 * p->g1) / det;
    const margin_real d1 = -(p->h00 * p->g1 - p->h01 * p->g0) / det;
    const margin_real descent = p->g0 * d0 + p->g1 * d1;
    margin_real t = 1;
    for (unsigned half = 0; half < 40u; half++) {
        const margin_real next = mgn_platt_loss(p, p->slope + t * d0, p->shift + t * d1);
        if (next < *loss + MGN_R(1e-4) * t * descent) {
            p->slope += t * d0;
            p->shift += t * d1;
            *loss = next;
            return true;
        }
        t /= 2;
    }
    return false;
}

/* Fits slope and shift. The targets are Platt's, those of exponentials Laplace's. */
static void mgn_platt_fit(mgn_platt *p) {
    const margin_real n = (margin_real)p->data->n;
    margin_real hits = 0, all = 0, sum = 0;
    p->unit = 1;
    for (size_t i = 0; i < p->data->n; i++) {
        const size_t count = mgn_platt_terms(p, i);
        for (size_t e = 0; e < count; e++) { sum += mgn_abs(p->p[e]) / n; }
        hits += (margin_real)(p->order ? mgn_label(p->data, i) : count);
        all += (margin_real)count;
    }
    p->unit = mgn_max(sum * n / all, MGN_TINY);
    p->high = (hits + 1) / (hits + 2);
    p->low = 1 / (all - hits + 2);
    p->shift = p->order ? mgn_log((hits + 1) / (all - hits + 1)) : 0;
    if (p->softmax) {
        p->low = 1 / (n + (margin_real)p->vote->classes);
        p->high = (n + 1) * p->low;
    }
    margin_real loss = mgn_platt_loss(p, p->slope, p->shift);
    for (unsigned step = 0; step < 100u; step++) {
        const bool flat = mgn_abs(p->g0) <= 16 * MGN_EPS && mgn_abs(p->g1) <= 16 * MGN_EPS;
        if (flat || !mgn_platt_step(p, &loss)) { break; }
    }
    p->slope /= p->unit;
}

/* The curve: by how much the log odds of the shares of hits, made to rise, differ from those of the
 * sigmoid at its points. A sample between two points counts for both in proportion. */
static void mgn_platt_curve(const mgn_platt *p, const margin_vote *vote, margin_real *curve) {
    margin_real share[MARGIN_CURVE], weight[MARGIN_CURVE], f;
    for (size_t g = 0; g < MARGIN_CURVE; g++) {
        weight[g] = MARGIN_CURVE_PRIOR;
        share[g] = weight[g] * mgn_sigmoid(MGN_LN_2 * (margin_real)((int)g - MGN_CURVE_END));
    }
    for (size_t i = 0; i < p->data->n; i++) {
        const size_t g = mgn_curve_place(vote->slope * p->scores[i] + vote->shift, &f);
        const margin_real hit = mgn_label(p->data, i) == 1u ? 1 : 0;
        weight[g] += 1 - f;
        weight[g + 1u] += f;
        share[g] += hit * (1 - f);
        share[g + 1u] += hit * f;
    }
    for (size_t g = 0; g < MARGIN_CURVE; g++) { share[g] /= weight[g]; }
    /* Isotonic regression: neighbours that are out of order share their weighted mean. */
    for (size_t g = 1; g < MARGIN_CURVE; g++) {
        margin_real sum = weight[g] * share[g], all = weight[g];
        size_t from = g;
        for (; from > 0 && share[from - 1u] > sum / all; from--) {
            sum += weight[from - 1u] * share[from - 1u];
            all += weight[from - 1u];
        }
        for (size_t k = from; k <= g; k++) { share[k] = sum / all; }
    }
    for (size_t g = 0; g < MARGIN_CURVE; g++) {
        const margin_real odds = share[g] / (1 - share[g]);
        curve[g] = mgn_log(odds) - MGN_LN_2 * (margin_real)((int)g - MGN_CURVE_END);
    }
}

/* The largest threshold, up to rounding, that the probabilities of a share of `coverage` of n + 1
 * true classes reach. */
static margin_real mgn_platt_include(const mgn_platt *p, margin_real coverage) {
    const margin_real wanted = coverage * (margin_real)(p->data->n + 1u);
    margin_real low = 0, high = 1;
    for (unsigned half = 0; half < 60u; half++) {
        const margin_real middle = (low + high) / 2;
        size_t reach = 0;
        for (size_t i = 0; i < p->data->n; i++) { reach += p->own[i] >= middle ? 1u : 0; }
        low = (margin_real)reach >= wanted ? middle : low;
        high = (margin_real)reach >= wanted ? high : middle;
    }
    return low;
}

/* Brier score and log loss of the probabilities; those of the true classes go to p->own. */
static void mgn_platt_measure(const mgn_platt *p, const margin_vote *vote,
                              margin_calibrate_report *report) {
    const margin_real n = (margin_real)p->data->n;
    report->brier = report->log_loss = 0;
    for (size_t i = 0; i < p->data->n; i++) {
        const size_t label = mgn_label(p->data, i);
        mgn_copy(p->row, p->scores + i * p->machines, p->machines);
        margin_probabilities(vote, p->row, p->p);
        p->own[i] = p->p[label];
        p->p[label] -= 1;
        for (size_t c = 0; c < vote->classes; c++) { report->brier += p->p[c] * p->p[c] / n; }
        report->log_loss -= mgn_log(mgn_max(p->own[i], MGN_TINY)) / n;
    }
}

static void mgn_platt_plan(mgn_platt *p, margin_arena *mem, size_t n, const margin_vote *vote) {
    const bool curved = vote->scheme == MARGIN_SCHEME_BINARY && n >= MARGIN_CURVE_ROWS;
    p->machines = margin_machines(vote->scheme, vote->classes);
    p->curve = curved ? MGN_KEEP(mem, margin_real, MARGIN_CURVE) : NULL;
    p->own = MGN_SCRATCH(mem, margin_real, n);
    p->row = MGN_SCRATCH(mem, margin_real, p->machines);
    p->p = MGN_SCRATCH(mem, margin_real, vote->classes);
}

MARGIN_API size_t margin_calibrate_size(size_t n, const margin_vote *vote) {
    margin_arena dry = margin_arena_counting();
    mgn_platt p;
    if (n == 0 || vote == NULL) { return 0; }
    mgn_platt_plan(&p, &dry, n, vote);
    return mgn_arena_counted(&dry);
}

static margin_status mgn_platt_check(const margin_data *data, const margin_real *scores,
                                     const margin_vote *vote) {
    const size_t machines = margin_machines(vote->scheme, vote->classes);
    bool same = true;
    for (size_t i = 0; i < data->n; i++) {
        if (mgn_label(data, i) >= vote->classes) { return MARGIN_E_LABEL; }
        if (!mgn_all_finite(scores + i * machines, machines)) { return MARGIN_E_NOT_FINITE; }
        same = same && mgn_label(data, i) == mgn_label(data, 0);
    }
    return same ? MARGIN_E_ONE_CLASS : MARGIN_OK;
}

MARGIN_API margin_status margin_calibrate(const margin_data *data, const margin_real *scores,
                                          margin_real coverage, margin_arena *mem,
                                          margin_vote *vote, margin_calibrate_report *report) {
    const margin_real wanted = coverage == 0 ? MGN_R(0.9) : coverage;
    margin_calibrate_report found;
    mgn_platt p;
    if (data == NULL || scores == NULL || vote == NULL || mgn_mem_check(mem) != MARGIN_OK ||
        data->y == NULL || !(wanted > 0 && wanted < 1)) {
        return MARGIN_E_ARGUMENT;
    }
    if (data->n == 0) { return MARGIN_E_EMPTY; }
    const margin_status status = mgn_platt_check(data, scores, vote);
    if (status != MARGIN_OK) { return status; }
    mgn_clear(&p, sizeof p);
    margin_arena before = *mem;
    mgn_platt_plan(&p, mem, data->n, vote);
    if (mem->failed != 0) { return margin_arena_rewind(mem, &before); }
    p.data = data;
    p.scores = scores;
    p.vote = vote;
    p.softmax = vote->scheme == MARGIN_SCHEME_ONE_REST || vote->scheme == MARGIN_SCHEME_NEAREST;
    p.order = !p.softmax && !mgn_scheme_pairs(vote->scheme);
    mgn_platt_fit(&p);
    margin_vote made = *vote;
    made.slope = p.slope;
    made.shift = p.shift;
    made.curve = p.curve;
    if (p.curve != NULL) { mgn_platt_curve(&p, &made, p.curve); }
    mgn_platt_measure(&p, &made, &found);
    made.include = mgn_platt_include(&p, wanted);
    *vote = made;
    if (report != NULL) { *report = found; }
    margin_arena_release(mem, before.high);
    return MARGIN_OK;
}

/* ---- >>compress ---- an expansion projected onto fewer of its vectors ------------------------ */

/* f_j = sum_v coef_vj k(v, .) is a vector in the space of the kernel. Let q_1, q_2, ... be an
 * orthonormal basis of the span of the vectors chosen so far, L_vt = q_t(v), and R_vj = (f_j -
 * sum_t c_jt q_t)(v) what the projection of f_j onto that span leaves at v. Choosing v next lowers
 * the squared distances of all f_j from the span by sum_j R_vj^2 / D_v, where D_v = k(v, v) -
 * sum_t L_vt^2. This is a pivoted Cholesky factorisation that stops early, its pivots chosen by
 * their use (Vincent, Bengio: "Kernel matching pursuit", Machine Learning 48, 2002).
 *
 * The coefficients b of a machine then minimise, over samples x with old scores f(x),
 *     sum_x (sum_s b_s k(s, x) - f(x))^2 + rho |sum_s b_s k(s, .) - f|^2 + samples noise^2 |b|^2,
 * whose last term is the expected increase of the first one by errors of standard deviation
 * `noise` in all k(s, x). */
typedef struct {
    const margin_expansion *raw; /* the model, */
    margin_expansion e;          /* and the same for inputs that are scaled already */
    const margin_data *data;     /* samples, or NULL: the pool */
    size_t most, machines, functions;
    size_t count;            /* vectors chosen so far */
    margin_real peak;        /* the largest k(v, v) */
    margin_real noise;       /* of kernel values, as a share of the peak */
    margin_real *rest;       /* R; later the coefficients, count x width */
    margin_real *basis;      /* L, n x most; later the system of one machine */
    margin_real *diag, *row; /* D; kernel values of one input with the pool */
    margin_real *normal;     /* most x most, lower triangle */
    margin_real *target;     /* most x functions */
    margin_real *panel, *part;
    margin_real *input;       /* one sample, scaled */
    margin_real *old, *fresh; /* its scores */
    margin_index *chosen;     /* vectors, ascending */
    margin_index *members;    /* those of one machine, as places in `chosen` */
    bool wants_info;
    margin_compress_info report;
} mgn_compress;

static void mgn_compress_plan(mgn_compress *c, margin_arena *mem) {
    const size_t n = c->e.n, most = c->most;
    c->rest = MGN_SCRATCH(mem, margin_real, mgn_size_mul(n, c->functions));
    c->basis = MGN_SCRATCH(mem, margin_real, mgn_size_mul(n, most));
    c->diag = MGN_SCRATCH(mem, margin_real, n);
    c->row = MGN_SCRATCH(mem, margin_real, n);
    c->normal = MGN_SCRATCH(mem, margin_real, mgn_size_mul(most, most));
    c->target = MGN_SCRATCH(mem, margin_real, mgn_size_mul(most, c->functions));
    c->panel = MGN_SCRATCH(mem, margin_real, mgn_panel_size(MGN_PANEL, most));
    c->part = MGN_SCRATCH(mem, margin_real, most);
    c->input = MGN_SCRATCH(mem, margin_real, c->e.d);
    c->old = MGN_SCRATCH(mem, margin_real, c->machines);
    c->fresh = MGN_SCRATCH(mem, margin_real, c->machines);
    c->chosen = MGN_SCRATCH(mem, margin_index, most);
    c->members = MGN_SCRATCH(mem, margin_index, most);
}

/* Computes row = k(x, v) for all vectors of the pool. */
static void mgn_compress_row(const mgn_compress *c, const margin_real *x) {
    const margin_expansion *e = &c->e;
    mgn_dots(x, e->vectors, e->d, e->n, e->d, c->row);
    mgn_kernel_apply(&e->kernel, mgn_norm2_bits(x, e->d), e->norms, c->row, e->n);
}

/* Computes row, and old, the scores that its values add up to without the biases. */
static void mgn_compress_score(mgn_compress *c, const margin_real *x) {
    const margin_expansion *e = &c->e;
    size_t v = 0;
    mgn_compress_row(c, x);
    for (size_t j = 0; j < c->functions; j++) { c->old[j] = 0; }
    for (size_t k = 0; k < e->vote.classes; k++) {
        for (; v < e->class_end[k]; v++) { mgn_expansion_add(e, v, k, c->row[v], c->old); }
    }
}

/* Returns sample i of the data, scaled, or vector i of the pool. */
static const margin_real *mgn_compress_input(mgn_compress *c, size_t i) {
    if (c->data == NULL) { return c->e.vectors + i * c->e.d; }
    for (size_t k = 0; k < c->e.d; k++) {
        c->input[k] = mgn_expansion_input(c->raw, mgn_sample(c->data, i), k);
    }
    return c->input;
}

/* Returns the vector that lowers the distances most; n if none lowers them by more than
 * rounding. */
static size_t mgn_compress_pick(const mgn_compress *c, margin_real *first) {
    margin_real most = 64 * MGN_EPS * *first;
    size_t best = c->e.n;
    for (size_t v = 0; v < c->e.n; v++) {
        const margin_real *rest = c->rest + v * c->functions;
        const margin_real gain = margin_dot(rest, rest, c->functions);
        if (c->diag[v] > 64 * MGN_EPS * c->peak && gain > most * c->diag[v]) {
            most = gain / c->diag[v];
            best = v;
        }
    }
    *first = mgn_max(*first, most);
    return best;
}

/* Chooses up to `most` vectors; ascending, because pools are sorted by class. A vector that joins
 * the basis has a column of L, which takes its part off R and D. */
static void mgn_compress_choose(mgn_compress *c) {
    const margin_expansion *e = &c->e;
    const size_t functions = c->functions;
    margin_real first = 0;
    c->count = 0;
    c->peak = 0;
    for (size_t v = 0; v < e->n; v++) {
        mgn_compress_score(c, e->vectors + v * e->d);
        mgn_copy(c->rest + v * functions, c->old, functions);
        c->diag[v] = c->row[v];
        c->peak = mgn_max(c->peak, c->row[v]);
    }
    for (; c->count < c->most; c->count++) {
        const size_t p = mgn_compress_pick(c, &first);
        size_t at = c->count;
        if (p == e->n) { break; }
        mgn_factor f = {c->basis, e->n, c->most, c->count, c->diag};
        const margin_real scale = mgn_sqrt(c->diag[p]);
        mgn_compress_row(c, e->vectors + p * e->d);
        for (size_t j = 0; j < functions; j++) { c->old[j] = c->rest[p * functions + j] / scale; }
        mgn_factor_add(&f, p, c->row);
        for (size_t v = 0; v < e->n; v++) {
            margin_axpy(c->rest + v * functions, -c->row[v], c->old, functions);
        }
        for (; at > 0 && c->chosen[at - 1u] > p; at--) { c->chosen[at] = c->chosen[at - 1u]; }
        c->chosen[at] = (margin_index)p;
    }
}

/* Sets up the objective as a linear system for the coefficients of all machines. */
static void mgn_compress_system(mgn_compress *c, size_t samples) {
    const margin_real rho = MGN_R(1e-4) * c->peak * (margin_real)samples;
    const margin_real noise = c->noise * c->peak;
    for (size_t s = 0; s < c->count; s++) {
        mgn_compress_score(c, c->e.vectors + c->chosen[s] * c->e.d);
        for (size_t j = 0; j < c->functions; j++) {
            c->target[s * c->functions + j] = rho * c->old[j];
        }
        for (size_t t = 0; t <= s; t++) { c->normal[s * c->most + t] = rho * c->row[c->chosen[t]]; }
        c->normal[s * c->most + s] += (margin_real)samples * noise * noise;
    }
    for (size_t i = 0; i < samples; i++) {
        mgn_compress_score(c, mgn_compress_input(c, i));
        for (size_t s = 0; s < c->count; s++) {
            const margin_real k = c->row[c->chosen[s]];
            c->part[s] = k;
            margin_axpy(c->target + s * c->functions, k, c->old, c->functions);
            margin_axpy(c->normal + s * c->most, k, c->part, s + 1u);
        }
    }
}

/* The class of vector v of a pool. */
static size_t mgn_class_of(const margin_expansion *e, size_t v) {
    size_t c = 0;
    while (v >= e->class_end[c]) { c++; }
    return c;
}

/* Solves for machine j, which is that of the classes a < b and may use their vectors alone, or of
 * all classes if a = b. The diagonal of its system is enlarged by a ridge. Where kernel values
 * hardly differ, rounding may make the system indefinite: then the ridge grows until it is not. */
static bool mgn_compress_machine(mgn_compress *c, size_t j, size_t a, size_t b) {
    size_t f = 0;
    for (size_t s = 0; s < c->count; s++) {
        const size_t k = mgn_class_of(&c->e, c->chosen[s]);
        if (a == b || k == a || k == b) { c->members[f++] = (margin_index)s; }
    }
    bool factored = a == b && j > 0; /* all of them have the same system */
    margin_real ridge = 64 * MGN_EPS;
    while (!factored && ridge < 1) {
        for (size_t s = 0; s < f; s++) {
            const margin_real *row = c->normal + c->members[s] * c->most;
            for (size_t t = 0; t <= s; t++) { c->basis[s * f + t] = row[c->members[t]]; }
            c->basis[s * f + s] *= 1 + ridge;
        }
        factored = mgn_cholesky(c->basis, f, f, c->panel);
        ridge *= 16;
    }
    if (!factored) { return false; }
    for (size_t s = 0; s < f; s++) { c->part[s] = c->target[c->members[s] * c->functions + j]; }
    (void)margin_cholesky_solve(c->part, 1, c->basis, f);
    for (size_t s = 0; s < f; s++) {
        const size_t row = c->members[s], k = mgn_class_of(&c->e, c->chosen[row]);
        const size_t column = a == b ? j : k == a ? b - 1u : a;
        c->rest[row * c->e.width + column] = c->part[s];
    }
    return true;
}

/* Compares old and new scores of all samples. */
static void mgn_compress_compare(mgn_compress *c, const margin_expansion *out, size_t samples) {
    const margin_vote *vote = &c->e.vote;
    const margin_compress_info none = {c->count, samples, 0, 0, 0};
    margin_compress_info *info = &c->report;
    margin_expansion plain = *out;
    margin_real squares = 0;
    plain.offset = plain.factor = NULL;
    *info = none;
    for (size_t i = 0; i < samples; i++) {
        const margin_real *x = mgn_compress_input(c, i);
        margin_expansion_scores(&c->e, x, c->old);
        margin_expansion_scores(&plain, x, c->fresh);
        for (size_t j = 0; j < c->machines; j++) {
            const margin_real change = c->fresh[j] - c->old[j];
            info->worst = mgn_max(info->worst, mgn_abs(change));
            squares += change * change / (margin_real)c->machines;
        }
        const uint16_t answer = margin_elect(vote->scheme, vote->classes, c->old);
        info->changed += answer != margin_elect(vote->scheme, vote->classes, c->fresh) ? 1u : 0u;
    }
    info->rms = mgn_sqrt(squares / (margin_real)samples);
}

/* Sets up the sizes. Returns false if model or number of vectors cannot be used. */
static bool mgn_compress_shape(mgn_compress *c, const margin_model *model, size_t vectors) {
    if (model == NULL || model->kind != MARGIN_MODEL_EXPANSION || vectors == 0 ||
        model->of.expansion.kernel.kind == MARGIN_KERNEL_HINGE) { /* no kernel, no norm to fit in */
        return false;
    }
    c->raw = &model->of.expansion;
    c->e = model->of.expansion;
    c->e.offset = c->e.factor = NULL;
    c->machines = margin_machines(c->e.vote.scheme, c->e.vote.classes);
    c->functions = mgn_functions(c->e.vote.scheme, c->e.vote.classes);
    c->most = mgn_size_min(vectors, c->e.n);
    return true;
}

static void mgn_compress_plan_all(void *task, margin_arena *mem) {
    mgn_compress *c = (mgn_compress *)task;
    mgn_compress_plan(c, mem);
    (void)mgn_pool_plan(mem, c->most, c->e.d, c->e.width, c->machines, c->e.vote.classes);
}

static margin_status mgn_compress_run(void *task, mgn_frame *frame) {
    mgn_compress *c = (mgn_compress *)task;
    margin_expansion *out = &frame->model.of.expansion;
    const size_t samples = c->data == NULL ? c->e.n : c->data->n;
    mgn_compress_plan(c, frame->mem);
    mgn_compress_choose(c);
    mgn_compress_system(c, samples);
    if (c->count == 0) { return MARGIN_E_NOT_POSITIVE; }
    const bool pairs = mgn_scheme_pairs(c->e.vote.scheme);
    for (size_t j = 0, a = 0, b = pairs ? 1u : 0; j < c->functions; j++) {
        if (!mgn_compress_machine(c, j, a, b)) { return MARGIN_E_NOT_POSITIVE; }
        if (pairs && ++b == c->e.vote.classes) { b = ++a + 1u; }
    }
    mgn_pool pool =
        mgn_pool_plan(frame->mem, c->count, c->e.d, c->e.width, c->machines, c->e.vote.classes);
    for (size_t k = 0, s = 0; k < c->e.vote.classes; k++) {
        for (; s < c->count && c->chosen[s] < c->e.class_end[k]; s++) {
            mgn_pool_add(&pool, c->e.vectors + c->chosen[s] * c->e.d, c->rest + s * c->e.width);
            pool.norms[s] = c->e.norms[c->chosen[s]];
        }
        pool.end[k] = (uint32_t)s;
    }
    mgn_copy(pool.bias, c->e.bias, c->machines);
    frame->model.kind = MARGIN_MODEL_EXPANSION;
    mgn_pool_expansion(&pool, &c->e.kernel, c->e.vote, out);
    out->class_end = pool.end;
    out->offset = c->raw->offset;
    out->factor = c->raw->factor;
    if (c->wants_info) { mgn_compress_compare(c, out, samples); }
    return MARGIN_OK;
}

static const mgn_method mgn_compress_method = {mgn_compress_plan_all, mgn_compress_run};

MARGIN_API size_t margin_compress_size(const margin_model *model, size_t vectors) {
    mgn_compress c;
    return mgn_compress_shape(&c, model, vectors) ? mgn_frame_size(&mgn_compress_method, &c) : 0;
}

MARGIN_API margin_status margin_compress(const margin_model *model, const margin_data *data,
                                         size_t vectors, margin_real noise, margin_arena *mem,
                                         margin_model *out, margin_compress_info *info) {
    mgn_compress c;
    margin_status status = data == NULL ? MARGIN_OK : margin_data_check(data);
    if (status == MARGIN_OK &&
        (!mgn_compress_shape(&c, model, vectors) || (data != NULL && data->d != c.e.d) ||
         !(noise >= 0 && noise <= 1))) {
        status = MARGIN_E_ARGUMENT;
    }
    c.data = data;
    c.noise = noise;
    c.wants_info = info != NULL;
    status = mgn_frame_train(&mgn_compress_method, &c, status, mem, out, NULL);
    if (status >= 0 && info != NULL) { *info = c.report; }
    return status;
}

/* ---- >>metrics ---- errors, costs, margins, and cross-validation of any trainer -------------- */

/* Checks that a model fits the samples of a view, and that it knows all of their classes. */
static margin_status mgn_metrics_check(const margin_data *data, const margin_model *model,
                                       const margin_arena *mem) {
    size_t classes = 0;
    const margin_status status = margin_data_classes(data, &classes);
    if (status != MARGIN_OK) { return status; }
    if (model == NULL || mgn_mem_check(mem) != MARGIN_OK || mgn_model_d(model) != data->d) {
        return MARGIN_E_ARGUMENT;
    }
    return classes > margin_model_vote(model)->classes ? MARGIN_E_LABEL : MARGIN_OK;
}

static size_t mgn_model_machines(const margin_model *model) {
    const margin_vote *vote = margin_model_vote(model);
    return margin_machines(vote->scheme, vote->classes);
}

MARGIN_API size_t margin_confusion_size(const margin_model *model) {
    margin_arena dry = margin_arena_counting();
    if (model == NULL) { return 0; }
    (void)MGN_SCRATCH(&dry, margin_real, mgn_model_machines(model));
    return mgn_arena_counted(&dry);
}

/* Counts the answer to a sample of class `label`. */
static void mgn_confusion_add(margin_real *confusion, size_t classes, size_t label, uint16_t answer,
                              margin_real weight) {
    confusion[label * (classes + 1u) + mgn_size_min(answer, classes)] += weight;
}

MARGIN_API margin_status margin_confusion(const margin_data *data, const margin_model *model,
                                          margin_arena *mem, margin_real *confusion) {
    const margin_status status = mgn_metrics_check(data, model, mem);
    if (status != MARGIN_OK || confusion == NULL) { return mgn_both(status, MARGIN_E_ARGUMENT); }
    margin_arena before = *mem;
    const size_t classes = margin_model_vote(model)->classes;
    margin_real *scores = MGN_SCRATCH(mem, margin_real, mgn_model_machines(model));
    if (mem->failed == 0) {
        for (size_t k = 0; k < MARGIN_CONFUSION(classes); k++) { confusion[k] = 0; }
        for (size_t i = 0; i < data->n; i++) {
            const uint16_t answer = margin_classify(model, mgn_sample(data, i), scores);
            mgn_confusion_add(confusion, classes, mgn_label(data, i), answer, mgn_weight(data, i));
        }
    }
    return margin_arena_rewind(mem, &before);
}

/* The share of wrong answers, neither right nor rejected, in rows of a confusion matrix. */
static margin_real mgn_confusion_error(const margin_real *confusion, size_t classes, size_t from,
                                       size_t to) {
    margin_real all = 0, right = 0, rejected = 0;
    for (size_t t = from; t < to; t++) {
        const margin_real *row = confusion + t * (classes + 1u);
        for (size_t a = 0; a <= classes; a++) { all += row[a]; }
        right += row[t];
        rejected += row[classes];
    }
    return all > 0 ? (all - right - rejected) / all : 0;
}

MARGIN_API margin_real margin_error(const margin_real *confusion, size_t classes) {
    return mgn_confusion_error(confusion, classes, 0, classes);
}

MARGIN_API margin_real margin_class_error(const margin_real *confusion, size_t classes,
                                          size_t label) {
    return mgn_confusion_error(confusion, classes, label, label + 1u);
}

MARGIN_API margin_status margin_margins(const margin_data *data, const margin_model *model,
                                        margin_arena *mem, margin_real *margins,
                                        margin_summary *summary) {
    const margin_status status = mgn_metrics_check(data, model, mem);
    if (status != MARGIN_OK || (margins == NULL && summary == NULL)) {
        return mgn_both(status, MARGIN_E_ARGUMENT);
    }
    margin_arena before = *mem;
    mgn_margins m = {data, model, NULL, NULL};
    m.scores = MGN_SCRATCH(mem, margin_real, mgn_model_machines(model));
    if (mem->failed == 0) {
        margin_info info;
        for (size_t i = 0; i < data->n && margins != NULL; i++) {
            margins[i] = mgn_margins_at(&m, i);
        }
        m.known = margins;
        if (summary != NULL) {
            (void)mgn_margins_info(&m, &info);
            summary->min = info.margin_min;
            summary->mean = info.margin_mean;
            mgn_copy(summary->quantile, info.margin_quantile, MGN_QUANTILES);
        }
    }
    return margin_arena_rewind(mem, &before);
}

/* One cross-validation: its options in full, its memory, and the error of the run at hand. */
typedef struct {
    const margin_data *data;
    const margin_learner *learner;
    margin_cv_options options;
    size_t n, classes, machines;
    margin_real *confusion, *kept, *scores; /* kept: n x machines */
    uint16_t *labels, *fold;
    margin_index *rows;
    size_t runs;
    margin_real mean, square; /* of the errors so far: mean, and sum of squares about it */
} mgn_cv;

static bool mgn_cv_shape(mgn_cv *cv, size_t n, size_t classes, const margin_cv_options *options) {
    static const margin_cv_options none = {0, 0, 0, false, false, 0};
    cv->options = options != NULL ? *options : none;
    if (cv->options.folds == 0) { cv->options.folds = mgn_size_min(n, 5); }
    if (cv->options.repeats == 0) { cv->options.repeats = 1; }
    if (cv->options.scheme == 0) {
        cv->options.scheme = classes == 2u ? MARGIN_SCHEME_BINARY : MARGIN_SCHEME_ONE_ONE;
    }
    cv->n = n;
    cv->classes = classes;
    cv->machines = margin_machines(cv->options.scheme, classes);
    return classes >= 2u && classes <= UINT16_MAX && mgn_folds_fit(n, cv->options.folds) &&
           n <= MARGIN_INDEX_MAX && cv->options.scheme <= MARGIN_SCHEME_NEAREST;
}

static void mgn_cv_plan(mgn_cv *cv, margin_arena *mem) {
    const size_t n = cv->n;
    cv->confusion = MGN_KEEP(mem, margin_real, MARGIN_CONFUSION(cv->classes));
    cv->labels = MGN_KEEP(mem, uint16_t, cv->options.keep ? n : 0);
    cv->kept = MGN_KEEP(mem, margin_real, cv->options.keep ? mgn_size_mul(n, cv->machines) : 0);
    cv->scores = MGN_SCRATCH(mem, margin_real, cv->machines);
    cv->fold = MGN_SCRATCH(mem, uint16_t, n);
    cv->rows = MGN_SCRATCH(mem, margin_index, n);
}

/* Takes what lasts, and then as much as the larger of folds and learner. */
static void mgn_cv_plan_all(void *task, margin_arena *mem) {
    mgn_cv *cv = (mgn_cv *)task;
    mgn_cv_plan(cv, mem);
    const size_t mark = mem->high;
    (void)MGN_SCRATCH(mem, margin_index, cv->options.unstratified ? 0 : cv->n);
    margin_arena_release(mem, mark);
    (void)margin_arena_scratch(mem, cv->learner->bytes, 1);
}

static const mgn_method mgn_cv_method = {mgn_cv_plan_all, NULL};

MARGIN_API size_t margin_cross_validate_size(size_t n, size_t classes,
                                             const margin_cv_options *options, size_t bytes) {
    const margin_learner learner = {NULL, NULL, bytes};
    mgn_cv cv;
    if (!mgn_cv_shape(&cv, n, classes, options)) { return 0; }
    cv.learner = &learner;
    return mgn_frame_size(&mgn_cv_method, &cv);
}

/* Classifies the samples of a fold. The first repeat also keeps labels and scores. */
static void mgn_cv_ask(mgn_cv *cv, const margin_model *model, size_t which, bool keep) {
    margin_real all = 0, wrong = 0;
    for (size_t i = 0; i < cv->n; i++) {
        if (cv->fold[i] == which) {
            const size_t label = mgn_label(cv->data, i);
            const margin_real weight = mgn_weight(cv->data, i);
            const uint16_t answer = margin_classify(model, mgn_sample(cv->data, i), cv->scores);
            mgn_confusion_add(cv->confusion, cv->classes, label, answer, weight);
            all += weight;
            wrong += answer != label && answer != MARGIN_REJECTED ? weight : 0;
            if (keep) {
                cv->labels[i] = answer;
                mgn_copy(cv->kept + i * cv->machines, cv->scores, cv->machines);
            }
        }
    }
    if (all > 0) { /* Welford's mean and sum of squares */
        const margin_real off = wrong / all - cv->mean;
        cv->runs++;
        cv->mean += off / (margin_real)cv->runs;
        cv->square += off * (wrong / all - cv->mean);
    }
}

/* Runs all folds of all repeats. Returns the first failure, or else the worst caveat. */
static margin_status mgn_cv_run(mgn_cv *cv, margin_arena *mem) {
    margin_rng rng = margin_rng_make(cv->options.seed);
    margin_status worst = MARGIN_OK;
    cv->runs = 0;
    cv->mean = cv->square = 0;
    for (size_t k = 0; k < MARGIN_CONFUSION(cv->classes); k++) { cv->confusion[k] = 0; }
    for (size_t r = 0; r < cv->options.repeats; r++) {
        (void)margin_folds(cv->data, cv->options.folds, !cv->options.unstratified, &rng, mem,
                           cv->fold);
        for (size_t which = 0; which < cv->options.folds; which++) {
            /* Trains without one fold and asks about it. */
            const margin_arena before = *mem;
            margin_data train, test;
            margin_model model;
            (void)margin_fold_views(cv->data, cv->fold, which, cv->rows, &train, &test);
            margin_status status = cv->learner->train(cv->learner->user, &train, mem, &model);
            if (status >= 0 && margin_model_vote(&model)->classes < cv->classes) {
                status = MARGIN_E_ONE_CLASS;
            } else if (status >= 0 && (margin_model_vote(&model)->classes != cv->classes ||
                                       mgn_model_machines(&model) != cv->machines ||
                                       mgn_model_d(&model) != cv->data->d)) {
                status = MARGIN_E_ARGUMENT;
            }
            if (status >= 0) { mgn_cv_ask(cv, &model, which, cv->options.keep && r == 0); }
            (void)margin_arena_rewind(mem, &before);
            if (status < 0) { return status; }
            worst = status > worst ? status : worst;
        }
    }
    return worst;
}

MARGIN_API margin_status margin_cross_validate(const margin_data *data,
                                               const margin_learner *learner,
                                               const margin_cv_options *options, margin_arena *mem,
                                               margin_cv *result) {
    size_t classes = 0;
    mgn_frame frame;
    mgn_cv cv;
    margin_status status = margin_data_classes(data, &classes);
    if (status != MARGIN_OK) { return status; }
    if (classes < 2u) { return MARGIN_E_ONE_CLASS; }
    if (learner == NULL || learner->train == NULL || result == NULL ||
        mgn_mem_check(mem) != MARGIN_OK || !mgn_cv_shape(&cv, data->n, classes, options)) {
        return MARGIN_E_ARGUMENT;
    }
    cv.data = data;
    cv.learner = learner;
    status = mgn_frame_open(&frame, &mgn_cv_method, &cv, mem);
    if (status != MARGIN_OK) { return status; }
    mgn_cv_plan(&cv, mem);
    status = mgn_frame_close(&frame, mgn_cv_run(&cv, mem));
    if (status >= 0) {
        const margin_real less = (margin_real)cv.runs - 1;
        result->runs = cv.runs;
        result->classes = cv.classes;
        result->machines = cv.machines;
        result->error_mean = cv.mean;
        result->error_sd = cv.runs > 1u ? mgn_sqrt(cv.square / less) : 0;
        result->confusion = cv.confusion;
        result->labels = cv.options.keep ? cv.labels : NULL;
        result->scores = cv.options.keep ? cv.kept : NULL;
    }
    return status;
}

/* ---- >>proto ---- prototypes with tangents that move until the margins are large ------------- */

/* Aiolli, Sperduti: "A re-weighting strategy for improving margins", Artificial Intelligence 137,
 * 2002. A model is a centroid C and orthonormal tangents T_1 .. T_k; with delta = x - C and
 * alpha_j = delta . T_j the distance is z = |delta|^2 - sum alpha_j^2 [9]. Of a sample, z_p is
 * that to the nearest model of its class and z_n that to the nearest of another; mu = (z_n -
 * z_p)/(z_n + z_p) [11]. With weights w of the samples, gamma = w / sum w, tvq raises H = sum
 * gamma mu [3] along
 *
 *     d mu / d C_p = 4 z_n / (z_n + z_p)^2 (delta - sum alpha_j T_j),
 *     d mu / d T_j = 4 z_n / (z_n + z_p)^2 alpha_j delta,
 *
 * and for the model of z_n with -4 z_p in the place of 4 z_n. One rate for centroids and tangents
 * would depend on the unit of x. So the step of centroids is multiplied by the mean z_p at the
 * start, which is not in the paper.
 *
 * Everything is computed relative to the mean of all samples, so that |x|^2 - 2 x.C + |C|^2 loses
 * no more digits than it must. Products go block by block through the tiles of >>linalg. */

/* ---- re-weighting ---- */

/* The weights of the samples and what the last update found. */
typedef struct {
    margin_real *w; /* n weights */
    size_t n;
    margin_real theta;   /* margin that all samples should have */
    margin_real total;   /* sum of the weights */
    bool even;           /* k(t) = n / mistakes */
    size_t mistakes;     /* samples with a margin below theta */
    margin_real uneven;  /* as in margin_proto_report */
    margin_real deficit; /* mean of max(0, theta - margin), L / n of [2] */
} mgn_theta;

/* Starts with the weights of the data, or with 1 where it has none. */
static void mgn_theta_start(mgn_theta *theta, const margin_data *data, margin_real *w,
                            margin_real least, bool even) {
    const mgn_theta fresh = {w, data->n, least, 0, even, 0, 0, 0};
    margin_real lost = 0;
    *theta = fresh;
    for (size_t i = 0; i < data->n; i++) {
        w[i] = mgn_weight(data, i);
        mgn_add(&theta->total, &lost, w[i]);
    }
}

static inline bool mgn_theta_mistake(const mgn_theta *t, const margin_real *margins, size_t i) {
    return t->w[i] > 0 && margins[i] < t->theta;
}

/* Returns half the sum of |w / total - u|, where u is uniform over the mistakes. */
static margin_real mgn_theta_uneven(const mgn_theta *t, const margin_real *margins) {
    margin_real sum = 0, lost = 0;
    const margin_real share = 1 / (margin_real)(t->mistakes > 0 ? t->mistakes : 1u);
    for (size_t i = 0; i < t->n && t->mistakes > 0; i++) {
        const margin_real goal = mgn_theta_mistake(t, margins, i) ? share : 0;
        mgn_add(&sum, &lost, mgn_abs(t->w[i] / t->total - goal));
    }
    return sum / 2;
}

/* Counts the mistakes and computes the deficit. Returns how many samples have a weight. */
static size_t mgn_theta_count(mgn_theta *theta, const margin_real *margins) {
    margin_real deficit = 0, lost = 0;
    size_t count = 0;
    theta->mistakes = 0;
    for (size_t i = 0; i < theta->n; i++) {
        count += theta->w[i] > 0 ? 1u : 0u;
        if (mgn_theta_mistake(theta, margins, i)) {
            theta->mistakes++;
            mgn_add(&deficit, &lost, theta->theta - margins[i]);
        }
    }
    MARGIN_ASSERT(count > 0); /* margin_data_check refuses weights whose sum is 0 */
    theta->deficit = deficit / (margin_real)count;
    return count;
}

/* One update of the weights by the margins of the samples. Samples of weight 0 stay out. */
static void mgn_theta_update(mgn_theta *theta, const margin_real *margins) {
    const size_t count = mgn_theta_count(theta, margins);
    const bool even = theta->even && theta->mistakes > 0;
    const margin_real k = even ? (margin_real)count / (margin_real)theta->mistakes : 1;
    margin_real lost = 0;
    theta->total = 0;
    for (size_t i = 0; i < theta->n; i++) {
        theta->w[i] += mgn_theta_mistake(theta, margins, i) ? k : 0;
        mgn_add(&theta->total, &lost, theta->w[i]);
    }
    theta->uneven = mgn_theta_uneven(theta, margins);
}

/* H [3]: the mean of the margins by the weights w, or without these by those of the data. */
static margin_real mgn_theta_objective(const margin_data *data, const margin_real *w,
                                       const margin_real *margins) {
    margin_real total = 0, h = 0, lost = 0;
    for (size_t i = 0; i < data->n; i++) {
        const margin_real weight = w != NULL ? w[i] : mgn_weight(data, i);
        total += weight;
        mgn_add(&h, &lost, weight * margins[i]);
    }
    return h / total;
}

/* ---- shape and memory ---- */

/* How many samples are multiplied with all models at a time, and the largest matrix whose
 * eigenvectors are computed directly; for larger ones the leading eigenvectors are found by
 * iteration. */
#define MGN_PROTO_BLOCK ((size_t)MARGIN_PROTO_BLOCK)
#define MGN_PROTO_SIDE ((size_t)MARGIN_PROTO_SIDE)
#define MGN_PROTO_SPARE ((size_t)8u) /* vectors iterated beyond those wanted, for speed */

/* What mini-batches need: a running mean of the steps, one of the squared lengths of the gradients
 * of each vector, and what is left of the start in the latter, MGN_PROTO_MEMORY^t after t steps. */
typedef struct {
    margin_real *step;   /* pool x d */
    margin_real *square; /* pool */
    margin_real left;
} mgn_proto_descent;

/* The models of an ascent and what belongs to them. */
typedef struct {
    margin_real *v;    /* pool x d */
    margin_real *grad; /* pool x d: d H / d v */
    margin_real *sums; /* pool: weights of x in the gradient, first of C, then of each T_j */
    margin_real *mu;   /* n margins */
} mgn_proto_point;

/* How large everything is. */
typedef struct {
    size_t n, d, classes;
    size_t tangents;    /* of a model */
    size_t rows;        /* vectors of a model: the centroid and its tangents */
    size_t each;        /* models of a class */
    size_t models;      /* of all classes */
    size_t pool;        /* vectors of all models */
    size_t side, spare; /* of the decomposition of hss, see mgn_proto_hss_plan */
    size_t batch;       /* samples of a mini-batch: the same on all machines, some 16 batches if
                           samples are few */
} mgn_proto_sizes;

/* What the options amount to. */
typedef struct {
    bool ascends;    /* tvq and td: models follow a gradient, */
    bool fixed;      /* by the steps of fig. 2, at one rate, each over all samples, */
    bool batches;    /* or by steps over a few samples each */
    bool reweighted; /* tvq, unless it is plain */
    bool codebooks;  /* lvq and olvq1 */
    bool clusters;   /* k-means comes first */
    bool keeps_all;  /* nn with every sample: margins are not computed, job->at.mu is not written */
    bool draws;      /* random numbers belong to samples, or one of equally good samples is chosen:
                        the samples are sorted first */
    size_t sides;    /* tangents of a sample in use: none unless models start as hss */
} mgn_proto_way;

/* What the model will consist of. */
typedef struct {
    uint32_t *class_end;  /* classes */
    margin_real *exits;   /* models; none without tangents */
    margin_real *vectors; /* pool x d */
} mgn_proto_kept;

/* Room for a block of samples and their products with all vectors. */
typedef struct {
    margin_real *centre; /* d: mean of all samples, relative to which all is computed */
    margin_real *block;  /* B x d samples */
    margin_real *norm;   /* B: their squared lengths */
    margin_real *dots;   /* B x pool products */
    margin_real *panel;  /* of mgn_mat_mul */
    margin_real *shift;  /* pool: |C|^2 and T_j . C */
} mgn_proto_room;

/* Weights of the samples, n numbers each. nn uses them otherwise: w and `before` are the least
 * distances of a sample to its own class and to the others, and `left_out` marks the samples that
 * are in the set. */
typedef struct {
    margin_real *w;      /* in the next gradient */
    margin_real *before; /* in the value of the step at hand */
    uint8_t *left_out;   /* not 0: held out for validation */
} mgn_proto_weights;

/* Orders and groups of samples, n numbers each. */
typedef struct {
    margin_data sorted;  /* the data with its rows sorted, see mgn_proto_sort */
    margin_index *rows;  /* the rows of `sorted` */
    margin_index *order; /* in which a pass visits the samples */
    uint16_t *member;    /* cluster of a sample within its class */
} mgn_proto_lists;

/* Two-sided hss. */
typedef struct {
    margin_real *along; /* n x side: how far samples are moved along their tangents */
    margin_real *plane; /* side x d: the tangents of one sample */
} mgn_proto_sided;

/* What a pass over the samples computes besides margins. */
typedef struct {
    margin_real own;     /* mean of z_p */
    margin_real between; /* mean of (z_p + z_n) / 2 */
    size_t held_wrong;   /* errors on what is held out, */
    margin_real held_mu; /* and the sum of the margins there */
} mgn_proto_tally;

/* One training. */
typedef struct {
    const margin_data *data;
    margin_proto_options o; /* with defaults filled in */
    mgn_proto_way way;
    mgn_proto_sizes size;
    mgn_proto_kept kept;
    mgn_proto_room room;
    mgn_proto_weights weights;
    mgn_proto_lists lists;
    mgn_proto_sided sided;
    mgn_proto_point at;        /* the models as they are */
    mgn_proto_point next;      /* steps of fig. 2: the models after the step */
    mgn_proto_descent descent; /* mini-batches */
    margin_real *best;         /* pool x d: the best models so far, or the tangents that td adds */
    margin_real *rates;        /* olvq1: models */
    margin_real scale;         /* mean z_p at the start: the unit of steps of centroids, squared */
    margin_real reach;         /* td: distance at which a sigmoid is 1/2 */
    mgn_proto_tally tally;     /* of the last pass */
    mgn_theta theta;           /* the re-weighting of tvq */
    margin_rng rng;
    mgn_tick tick;
    size_t iterations;
    bool converged;
} mgn_proto_job;

/* Fills in the defaults; false if an option is out of its range. */
static bool mgn_proto_resolve(mgn_proto_job *job, const margin_proto_options *options) {
    margin_proto_options o;
    mgn_clear(&o, sizeof o);
    if (options != NULL) { o = *options; }
    if (!(o.method <= MARGIN_PROTO_NN && o.side <= MARGIN_PROTO_SIDES &&
          o.start <= MARGIN_START_RANDOM && o.tangents <= MARGIN_PROTO_TANGENTS && o.theta > -1 &&
          o.theta <= 1 && o.rate >= 0 && o.rate <= MGN_R(1e6) && o.window >= 0 && o.window < 1 &&
          o.validation >= 0 && o.validation < 1 && o.neighbours <= 2u * MARGIN_PROTO_NTH - 1u)) {
        return false;
    }
    const bool nn = o.method == MARGIN_PROTO_NN, tvq = o.method == MARGIN_PROTO_TVQ;
    mgn_proto_way *way = &job->way;
    way->ascends = tvq || o.method == MARGIN_PROTO_TD;
    way->fixed = way->ascends && o.rate > 0;
    way->batches = way->ascends && !way->fixed;
    way->reweighted = tvq && !o.plain;
    way->codebooks = o.method == MARGIN_PROTO_LVQ || o.method == MARGIN_PROTO_OLVQ1;
    if (o.method == MARGIN_PROTO_TD || nn) {
        o.models = 1;
        o.start = MARGIN_START_HSS;
    }
    way->clusters =
        way->codebooks || o.start == MARGIN_START_CLUSTERS || o.start == MARGIN_START_CENTROIDS;
    way->sides = nn || way->codebooks || o.start > MARGIN_START_CLUSTERS ? 0 : o.side;
    o.tangents = way->codebooks || nn ? (uint16_t)0 : o.tangents;
    o.validation = tvq ? o.validation : 0;
    if (o.models == 0) { o.models = way->codebooks ? 16u : 1u; }
    if (o.theta == 0) { o.theta = MGN_R(o.tangents > 0 ? 0.2 : 0.1); }
    if (o.theta == MARGIN_ZERO) { o.theta = 0; }
    o.window = o.window > 0 ? o.window : MGN_R(0.3);
    if (o.patience == 0) { o.patience = 20u; }
    if (!nn || o.neighbours == 0) { o.neighbours = 1u; }
    if (o.max_iterations == 0) { o.max_iterations = way->fixed ? 60u : 1000u; }
    job->o = o;
    return true;
}

static bool mgn_proto_shape(mgn_proto_job *job, size_t n, size_t d, size_t classes,
                            const margin_proto_options *options) {
    if (n == 0 || d == 0 || classes >= MARGIN_REJECTED || !mgn_proto_resolve(job, options)) {
        return false;
    }
    const margin_proto_options *o = &job->o;
    const bool nn = o->method == MARGIN_PROTO_NN;
    mgn_proto_sizes *size = &job->size;
    size->n = n;
    size->d = d;
    size->classes = classes;
    size->tangents = mgn_size_min(o->tangents, d - 1u);
    size->rows = 1u + size->tangents;
    size->each = o->models;
    size->models = mgn_size_mul(classes, size->each);
    if (nn) {
        size->models = o->budget == 0 ? n : mgn_size_min(n, o->budget);
        size->models = size->models < classes ? classes : size->models;
    }
    size->pool = mgn_size_mul(size->models, size->rows);
    size->side = mgn_size_min(n, d);
    size->batch = mgn_size_min(n / 16u < 16u ? 16u : n / 16u, 128u);
    size->spare = mgn_size_min(size->tangents + MGN_PROTO_SPARE, size->side);
    job->way.keeps_all = nn && (o->budget == 0 || o->budget >= n);
    job->way.draws = nn ? !job->way.keeps_all
                        : job->way.codebooks || job->way.batches || size->each > 1u ||
                              o->start != MARGIN_START_HSS || o->validation > 0;
    job->rng = margin_rng_make(o->seed);
    return (size_t)(uint32_t)size->models == size->models;
}

static void mgn_proto_point_plan(mgn_proto_point *plan, margin_arena *mem,
                                 const mgn_proto_sizes *size) {
    MARGIN_BLOCKS_PROTO_POINT(MGN_TAKE, size->n, size->d, size->pool)
}

/* Scratch of hss: the matrix to decompose and a part of it while it is summed up, or the iterated
 * vectors and their products with the covariance. */
typedef struct {
    margin_real *matrix, *part, *values, *found, *other;
    const margin_real *mean; /* of the samples of a model, by their weights, */
    margin_real total;       /* the sum of these, */
    size_t n;                /* and how many samples have one */
} mgn_proto_hss;

static void mgn_proto_hss_plan(mgn_proto_hss *plan, margin_arena *mem,
                               const mgn_proto_sizes *size) {
    const bool iterated = size->side > MGN_PROTO_SIDE;
    const size_t high = iterated ? size->spare : size->side, wide = iterated ? size->d : size->side;
    MARGIN_BLOCKS_PROTO_HSS(MGN_TAKE, size->d, high, wide, size->side, size->spare)
}

/* Room for the eigenvalues that mgn_proto_exits needs. */
typedef struct {
    margin_real *gram, *values;
} mgn_proto_edge;

static void mgn_proto_edge_plan(mgn_proto_edge *plan, margin_arena *mem, size_t tangents) {
    MARGIN_BLOCKS_PROTO_EDGE(MGN_TAKE, tangents)
}

/* What lasts through a training. The vectors come last at the front: nn may need less of them. tvq
 * and td change a copy of the models; the kept vectors have the best ones until the end. Codebooks
 * change where they are kept. */
static void mgn_proto_plan(mgn_proto_job *job, margin_arena *mem) {
    const mgn_proto_sizes *size = &job->size;
    const mgn_proto_way *way = &job->way;
    const size_t n = size->n, d = size->d, clusters = way->clusters ? n : 0;
    const size_t draws = way->draws ? n : 0, orders = way->codebooks || way->batches ? n : 0;
    const bool nn = job->o.method == MARGIN_PROTO_NN;
    mgn_proto_job *plan = job;
    MARGIN_BLOCKS_PROTO_KEPT(MGN_LAST, size->classes, size->tangents > 0 ? size->models : 0,
                             size->pool, d)
    MARGIN_BLOCKS_PROTO(MGN_TAKE, n, d, nn ? 1u : size->pool, nn ? 0 : size->pool, clusters, draws,
                        orders, way->codebooks ? size->models : 0, way->sides)
    if (way->ascends) {
        job->best = job->kept.vectors;
        mgn_proto_point_plan(&job->at, mem, size);
        if (way->fixed) {
            mgn_proto_point_plan(&job->next, mem, size);
        } else {
            MARGIN_BLOCKS_PROTO_STEPS(MGN_TAKE, d, size->pool)
        }
    } else {
        job->at.mu = MGN_SCRATCH(mem, margin_real, n);
        job->at.v = job->kept.vectors;
        job->at.grad = job->at.sums = NULL;
        job->best = MGN_SCRATCH(mem, margin_real, way->codebooks ? mgn_size_mul(size->pool, d) : 0);
    }
}

/* ---- distances and gradients ---- */

/* Where model m begins among vectors: its centroid, behind which its tangents stand. */
static size_t mgn_proto_at(const mgn_proto_job *job, size_t m) {
    return m * job->size.rows * job->size.d;
}

/* The tangents of sample i. */
static const margin_real *mgn_proto_sides_of(const mgn_proto_job *job, size_t i) {
    return job->o.sides + mgn_row_of(job->data, i) * job->o.side * job->size.d;
}

/* Stores sample i relative to the centre, moved along its tangents where it has any. Returns its
 * squared length. */
static margin_real mgn_proto_sample(const mgn_proto_job *job, size_t i, margin_real *out) {
    const size_t d = job->size.d, sides = job->way.sides;
    const margin_real *x = mgn_sample(job->data, i);
    for (size_t k = 0; k < d; k++) { out[k] = x[k] - job->room.centre[k]; }
    for (size_t j = 0; j < sides; j++) {
        mgn_axpy(out, job->sided.along[i * sides + j], mgn_proto_sides_of(job, i) + j * d, d);
    }
    return margin_dot(out, out, d);
}

/* Computes |C|^2 and T_j . C of all models. */
static void mgn_proto_shifts(const mgn_proto_job *job, const margin_real *v) {
    const size_t rows = job->size.rows, d = job->size.d;
    for (size_t r = 0; r < job->size.pool; r++) {
        job->room.shift[r] = margin_dot(v + r / rows * rows * d, v + r * d, d);
    }
}

/* Puts the samples first .. first + count - 1 of a list, or without one of all samples, into the
 * block, and computes their products with all vectors. */
static void mgn_proto_block(const mgn_proto_job *job, const margin_real *v,
                            const margin_index *list, size_t first, size_t count) {
    const mgn_proto_room *room = &job->room;
    const size_t d = job->size.d, pool = job->size.pool;
    for (size_t i = 0; i < count; i++) {
        const size_t sample = list != NULL ? list[first + i] : first + i;
        room->norm[i] = mgn_proto_sample(job, sample, room->block + i * d);
    }
    mgn_mat_mul(room->dots, pool, mgn_view_of(room->block, d, 1), mgn_view_of(v, 1, d),
                mgn_sizes_of(count, d, pool), room->panel);
}

/* A sample of the block. */
typedef struct {
    const margin_real *x;    /* relative to the centre */
    const margin_real *dots; /* its product with each centroid, its alpha for each tangent */
    margin_real norm;        /* |x|^2 */
    size_t label;
} mgn_proto_seen;

/* Returns the distance of the sample to model m [9]. */
static margin_real mgn_proto_z(const mgn_proto_job *job, size_t m, const mgn_proto_seen *s) {
    const margin_real *a = s->dots + m * job->size.rows;
    margin_real sum = 0;
    for (size_t j = 1; j < job->size.rows; j++) { sum += a[j] * a[j]; }
    return mgn_max(s->norm - 2 * a[0] + job->room.shift[m * job->size.rows] - sum, 0);
}

/* The nearest models of the own class and of the others. */
typedef struct {
    size_t own, other;
    margin_real z_own, z_other;
} mgn_proto_pair;

static mgn_proto_pair mgn_proto_nearest(const mgn_proto_job *job, const mgn_proto_seen *s) {
    mgn_proto_pair pair = {0, 0, MGN_HUGE, MGN_HUGE};
    for (size_t m = 0; m < job->size.models; m++) {
        const margin_real z = mgn_proto_z(job, m, s);
        if (m / job->size.each == s->label) {
            pair.own = z < pair.z_own ? m : pair.own;
            pair.z_own = mgn_min(pair.z_own, z);
        } else {
            pair.other = z < pair.z_other ? m : pair.other;
            pair.z_other = mgn_min(pair.z_other, z);
        }
    }
    return pair;
}

/* Adds the sample to the gradient of model m with the factor `much`. Only the terms with x are
 * added here; those with C and T are added once for all samples by mgn_proto_finish. */
static void mgn_proto_pull(const mgn_proto_job *job, const mgn_proto_point *to, size_t m,
                           margin_real much, const mgn_proto_seen *s) {
    const size_t first = m * job->size.rows, d = job->size.d;
    for (size_t r = first; r < first + job->size.rows; r++) {
        const margin_real a = r == first ? much : much * s->dots[r];
        if (a != 0) {
            to->sums[r] += a;
            mgn_axpy(to->grad + r * d, a, s->x, d);
        }
    }
}

/* sum a (delta - sum alpha_j T_j) = sum a x - (sum a) C - sum over j of (sum a alpha_j) T_j and
 * sum a alpha_j delta = sum a alpha_j x - (sum a alpha_j) C. */
static void mgn_proto_finish(const mgn_proto_job *job, const mgn_proto_point *to) {
    const size_t d = job->size.d;
    for (size_t m = 0; m < job->size.models; m++) {
        const margin_real *c = to->v + mgn_proto_at(job, m), *sums = to->sums + m * job->size.rows;
        margin_real *g = to->grad + mgn_proto_at(job, m);
        for (size_t j = 0; j < job->size.rows; j++) {
            mgn_axpy(g, -sums[j], c + j * d, d);
            if (j > 0) { mgn_axpy(g + j * d, -sums[j], c, d); }
        }
    }
}

/* td: minus the squared error of the sigmoids o = 1 / (1 + exp(4 (z / reach - 1))) from 1 for the
 * own class and 0 for the others, halved; with weight > 0 its part of the gradient. */
static margin_real mgn_proto_neurons(const mgn_proto_job *job, const mgn_proto_point *to,
                                     margin_real weight, const mgn_proto_seen *s) {
    margin_real error = 0;
    for (size_t m = 0; m < job->size.models; m++) {
        const margin_real t = 4 * (mgn_proto_z(job, m, s) / job->reach - 1);
        const margin_real e = mgn_exp(-mgn_abs(t));
        const margin_real o = t < 0 ? 1 / (1 + e) : e / (1 + e);
        const margin_real off = (m / job->size.each == s->label ? MGN_R(1.0) : 0) - o;
        error -= off * off / 2;
        if (weight > 0) {
            mgn_proto_pull(job, to, m, 8 * weight * off * o * (1 - o) / job->reach, s);
        }
    }
    return error;
}

/* Visits sample i, which is in the block: computes its margin, adds it to the gradient, and returns
 * what it adds to H, without its weight. */
static margin_real mgn_proto_visit(mgn_proto_job *job, mgn_proto_point *to, size_t i,
                                   size_t in_block, margin_real total) {
    const size_t pool = job->size.pool;
    margin_real *dots = job->room.dots + in_block * pool;
    const mgn_proto_seen s = {job->room.block + in_block * job->size.d, dots,
                              job->room.norm[in_block], mgn_label(job->data, i)};
    const margin_real weight = to->grad != NULL ? job->weights.w[i] / total : 0;
    const margin_real before = job->weights.before[i];
    mgn_proto_tally *tally = &job->tally;
    for (size_t r = 0; r < pool && job->size.tangents > 0; r++) { /* alpha_j = T_j . (x - C) */
        dots[r] -= r % job->size.rows != 0 ? job->room.shift[r] : 0;
    }
    const mgn_proto_pair pair = mgn_proto_nearest(job, &s);
    const margin_real sum = pair.z_own + pair.z_other;
    to->mu[i] = mgn_nearer(pair.z_own, pair.z_other);
    if (job->weights.left_out[i] != 0) {
        tally->held_wrong += to->mu[i] > 0 ? 0 : 1u;
        tally->held_mu += to->mu[i];
    }
    tally->own += before * pair.z_own;
    tally->between += before * (pair.z_own / 2 + pair.z_other / 2);
    if (job->o.method == MARGIN_PROTO_TD) { return mgn_proto_neurons(job, to, weight, &s); }
    if (weight > 0 && sum > 0) { /* tvq: d mu / d z_p and d mu / d z_n */
        const margin_real much = 4 * weight / sum;
        mgn_proto_pull(job, to, pair.own, much * (pair.z_other / sum), &s);
        mgn_proto_pull(job, to, pair.other, -much * (pair.z_own / sum), &s);
    }
    return to->mu[i];
}

/* Begins a gradient at to->v. */
static void mgn_proto_open(const mgn_proto_job *job, const mgn_proto_point *to) {
    if (to->grad != NULL) {
        mgn_zero(to->grad, job->size.pool * job->size.d);
        mgn_zero(to->sums, job->size.pool);
    }
    mgn_proto_shifts(job, to->v);
}

/* One pass over the samples: margins at to->v and, if there is room for it, the gradient with the
 * weights job->weights.w. Returns H with the weights job->weights.before. */
static margin_real mgn_proto_pass(mgn_proto_job *job, mgn_proto_point *to) {
    const mgn_proto_tally none = {0, 0, 0, 0};
    const margin_real *before = job->weights.before;
    const size_t n = job->size.n;
    margin_real total = 0, judge = 0, h = 0;
    for (size_t i = 0; i < n; i++) {
        total += job->weights.w[i];
        judge += before[i];
    }
    mgn_proto_open(job, to);
    job->tally = none;
    for (size_t first = 0; first < n; first += MGN_PROTO_BLOCK) {
        const size_t count = mgn_size_min(n - first, MGN_PROTO_BLOCK);
        mgn_proto_block(job, to->v, NULL, first, count);
        for (size_t i = 0; i < count; i++) {
            h += before[first + i] * mgn_proto_visit(job, to, first + i, i, total);
        }
    }
    if (to->grad != NULL) { mgn_proto_finish(job, to); }
    job->tally.own /= judge;
    job->tally.between /= judge;
    return h / judge;
}

/* ---- starts ---- */

/* Whether sample i counts for class c: it is of that class, has a weight, and is not held out. */
static bool mgn_proto_member(const mgn_proto_job *job, size_t i, size_t c) {
    return mgn_label(job->data, i) == c && mgn_weight(job->data, i) > 0 &&
           job->weights.left_out[i] == 0;
}

/* Computes the mean of the samples by the weights job->weights.w, relative to the centre. Returns
 * the sum of the weights, and in *count how many samples have one. */
static margin_real mgn_proto_mean(const mgn_proto_job *job, margin_real *mean, size_t *count) {
    const margin_real *w = job->weights.w, *x = job->room.block;
    margin_real total = 0;
    *count = 0;
    mgn_zero(mean, job->size.d);
    for (size_t i = 0; i < job->size.n; i++) {
        if (w[i] > 0) {
            (void)mgn_proto_sample(job, i, job->room.block);
            total += w[i];
            (*count)++;
            for (size_t k = 0; k < job->size.d; k++) {
                mean[k] += (x[k] - mean[k]) * (w[i] / total);
            }
        }
    }
    return total;
}

/* Stores the next samples with a weight, from *next on, relative to the mean and times the root of
 * their share. Returns how many. */
static size_t mgn_proto_gather(const mgn_proto_job *job, const mgn_proto_hss *h, size_t *next,
                               margin_real *out) {
    const size_t d = job->size.d;
    size_t count = 0;
    for (; *next < job->size.n && count < MGN_PROTO_BLOCK; (*next)++) {
        if (job->weights.w[*next] > 0) {
            const margin_real share = mgn_sqrt(job->weights.w[*next] / h->total);
            margin_real *row = out + count++ * d;
            (void)mgn_proto_sample(job, *next, row);
            for (size_t k = 0; k < d; k++) { row[k] = (row[k] - h->mean[k]) * share; }
        }
    }
    return count;
}

#define MGN_PROTO_PART ((size_t)128u) /* a multiple of MGN_PROTO_BLOCK on every machine */

/* Computes the weighted covariance [4] in h->matrix. It is a sum of sums over MGN_PROTO_PART
 * samples each, on every machine, so that its bits do not depend on the size of a block. */
static void mgn_proto_covariance(const mgn_proto_job *job, const mgn_proto_hss *h) {
    const size_t d = job->size.d;
    size_t next = 0, in_part = 0, count;
    mgn_zero(h->matrix, d * d);
    while ((count = mgn_proto_gather(job, h, &next, job->room.block)) > 0) {
        const mgn_view rows = mgn_view_of(job->room.block, d, 1);
        const mgn_view columns = mgn_view_of(job->room.block, 1, d);
        mgn_sizes size = mgn_sizes_of(d, count, d);
        size.more = in_part != 0;
        mgn_mat_mul(h->part, d, columns, rows, size, job->room.panel);
        in_part += count;
        if (in_part == MGN_PROTO_PART) {
            mgn_axpy(h->matrix, 1, h->part, d * d);
            in_part = 0;
        }
    }
    if (in_part != 0) { mgn_axpy(h->matrix, 1, h->part, d * d); }
}

/* Computes the Gram matrix of n < d weighted samples in h->matrix: it has the same eigenvalues. */
static void mgn_proto_gram(const mgn_proto_job *job, const mgn_proto_hss *h) {
    const size_t d = job->size.d;
    size_t next = 0, row = 0, count;
    for (; (count = mgn_proto_gather(job, h, &next, job->room.block)) > 0; row += count) {
        size_t from = 0, others;
        for (size_t column = 0; column < row + count; column += others) {
            others = mgn_proto_gather(job, h, &from, h->other);
            MARGIN_ASSERT(others > 0); /* row + count samples have a weight */
            mgn_mat_mul(h->matrix + row * h->n + column, h->n, mgn_view_of(job->room.block, d, 1),
                        mgn_view_of(h->other, 1, d), mgn_sizes_of(count, d, others),
                        job->room.panel);
        }
    }
}

/* Makes eigenvectors of the covariance from those u of the Gram matrix: sum over i of u_i x_i. */
static void mgn_proto_lift(const mgn_proto_job *job, const mgn_proto_hss *h, size_t k,
                           margin_real *tangents) {
    const size_t d = job->size.d;
    const margin_real *x = job->room.block;
    size_t next = 0, row = 0, count;
    mgn_zero(tangents, k * d);
    for (; (count = mgn_proto_gather(job, h, &next, job->room.block)) > 0; row += count) {
        for (size_t j = 0; j < k; j++) {
            const margin_real *u = h->found + j * h->n + row;
            for (size_t i = 0; i < count; i++) { mgn_axpy(tangents + j * d, u[i], x + i * d, d); }
        }
    }
}

/* Finds leading eigenvectors by orthogonal iteration, in a few vectors of memory, until no
 * eigenvalue moves by more than 1e-6 of the first, or 200 times. The order settles with it: largest
 * first. */
static void mgn_proto_iterate(mgn_proto_job *job, const mgn_proto_hss *h, size_t k,
                              margin_real *tangents) {
    const size_t count = job->size.spare, d = job->size.d;
    bool moving = true;
    for (size_t i = 0; i < count * d; i++) { h->matrix[i] = margin_rng_normal(&job->rng); }
    (void)margin_orthonormal(h->matrix, count, d, NULL);
    mgn_zero(h->values, count);
    for (size_t t = 0; t < 200u && moving; t++) {
        /* h->part = the covariance times each vector, from the samples, without forming it. */
        size_t next = 0, rows;
        mgn_zero(h->part, count * d);
        while ((rows = mgn_proto_gather(job, h, &next, job->room.block)) > 0) {
            for (size_t i = 0; i < rows; i++) {
                const margin_real *x = job->room.block + i * d;
                for (size_t j = 0; j < count; j++) {
                    mgn_axpy(h->part + j * d, margin_dot(h->matrix + j * d, x, d), x, d);
                }
            }
        }
        moving = false;
        for (size_t j = 0; j < count; j++) {
            const margin_real value = margin_norm2(h->part + j * d, d);
            moving = moving || (j < k && mgn_abs(value - h->values[j]) >
                                             MGN_R(1e-6) * margin_norm2(h->part, d));
            h->values[j] = value;
        }
        mgn_copy(h->matrix, h->part, count * d);
        (void)margin_orthonormal(h->matrix, count, d, NULL);
    }
    mgn_copy(tangents, h->matrix, k * d);
}

/* Computes one hss model by the weights job->weights.w: the mean, and the leading eigenvectors
 * of the covariance, from the smaller one of covariance and Gram matrix. Directions without
 * variance become zeros. */
static margin_status mgn_proto_hss_model(mgn_proto_job *job, margin_real *model,
                                         margin_arena *mem) {
    const size_t mark = mem->high, d = job->size.d;
    margin_real *tangents = model + d;
    margin_status status = MARGIN_OK;
    mgn_proto_hss h;
    size_t n;
    const margin_real total = mgn_proto_mean(job, model, &n);
    if (job->size.tangents == 0) { return MARGIN_OK; }
    mgn_proto_hss_plan(&h, mem, &job->size);
    h.mean = model;
    h.total = total;
    h.n = n;
    const size_t side = mgn_size_min(n, d);
    size_t k = mgn_size_min(job->size.tangents, side);
    if (job->size.side > MGN_PROTO_SIDE) {
        k = mgn_size_min(k, job->size.spare);
        mgn_proto_iterate(job, &h, k, tangents);
    } else {
        if (n < d) {
            mgn_proto_gram(job, &h);
        } else {
            mgn_proto_covariance(job, &h);
        }
        status = margin_eigen_leading(h.values, h.found, k, h.matrix, side, mem);
        if (status == MARGIN_OK && n < d) {
            mgn_proto_lift(job, &h, k, tangents);
        } else if (status == MARGIN_OK) {
            mgn_copy(tangents, h.found, k * d);
        }
    }
    for (size_t j = 0; j < k && status == MARGIN_OK; j++) {
        const margin_real least = h.values[0] * (margin_real)(n + d) * MGN_EPS;
        if (!(h.values[j] > least)) { mgn_zero(tangents + j * d, d); }
    }
    margin_arena_release(mem, mark);
    return status == MARGIN_OK ? margin_orthonormal(tangents, k, d, NULL) : status;
}

/* The plane of the orthonormal tangents of a model. */
typedef struct {
    const margin_real *tangents;
    size_t count, d;
} mgn_proto_plane;

/* Takes the part in the plane off v. */
static void mgn_proto_outside(const mgn_proto_plane *plane, margin_real *v) {
    const size_t d = plane->d;
    for (size_t j = 0; j < plane->count; j++) {
        const margin_real *t = plane->tangents + j * d;
        mgn_axpy(v, -margin_dot(t, v, d), t, d);
    }
}

/* The distance of two planes. With S the `count` rows of u and P = 1 - T T', finds the a for which
 * P (delta + S a) is shortest: from P S = Q R, by Gram and Schmidt, follows a = -R^-1 Q'P delta.
 * delta becomes that shortest vector, u the orthonormal basis Q. Rows of S of which P and the rows
 * before leave less than 1/1000 are not used, because a long way along them would do little.
 * Returns the square of the distance [6]. */
static margin_real mgn_proto_meet(const mgn_proto_plane *plane, margin_real *u, size_t count,
                                  margin_real *delta, margin_real *a) {
    const size_t d = plane->d;
    margin_real r[MARGIN_PROTO_SIDES][MARGIN_PROTO_SIDES], q[MARGIN_PROTO_SIDES] = {0};
    mgn_proto_outside(plane, delta);
    for (size_t i = 0; i < count; i++) {
        margin_real *v = u + i * d;
        const margin_real least = margin_norm2(v, d) / 1000;
        mgn_proto_outside(plane, v);
        for (size_t j = 0; j < i; j++) {
            r[j][i] = margin_dot(u + j * d, v, d);
            mgn_axpy(v, -r[j][i], u + j * d, d);
        }
        r[i][i] = margin_norm2(v, d);
        for (size_t l = 0; l < d; l++) { v[l] = r[i][i] > least ? v[l] / r[i][i] : 0; }
        q[i] = margin_dot(v, delta, d);
        mgn_axpy(delta, -q[i], v, d);
        r[i][i] = r[i][i] > least ? r[i][i] : 0;
    }
    for (size_t i = count; i-- > 0;) {
        a[i] = -q[i];
        for (size_t j = i + 1u; j < count; j++) { a[i] -= r[i][j] * a[j]; }
        a[i] = r[i][i] > 0 ? a[i] / r[i][i] : 0;
    }
    return margin_dot(delta, delta, d);
}

/* Two-sided hss. Starting from the one-sided model, samples are moved along their tangents towards
 * the model, and the model is computed anew from them, in turns. Neither raises [7]. There are at
 * most 20 turns; the last one is that which lowers [7] by less than a thousandth. */
static margin_status mgn_proto_two_sided(mgn_proto_job *job, margin_real *model,
                                         margin_arena *mem) {
    margin_status status = MARGIN_OK;
    margin_real last = MGN_HUGE;
    bool falls = true;
    for (unsigned t = 0; t < 20u && falls && status == MARGIN_OK; t++) {
        /* Moves all samples of the model along their tangents to where they are nearest to its
         * plane; `now` becomes the mean square of the distances [7]. */
        const size_t count = job->way.sides, d = job->size.d;
        const mgn_proto_plane plane = {model + d, job->size.tangents, d};
        margin_real *x = job->room.block, *sides = job->sided.plane;
        margin_real sum = 0, lost = 0, total = 0;
        mgn_zero(job->sided.along, job->size.n * count);
        for (size_t i = 0; i < job->size.n; i++) {
            const margin_real w = job->weights.w[i];
            if (w > 0) {
                (void)mgn_proto_sample(job, i, x);
                mgn_axpy(x, -1, model, d);
                mgn_copy(sides, mgn_proto_sides_of(job, i), count * d);
                margin_real *along = job->sided.along + i * count;
                mgn_add(&sum, &lost, w * mgn_proto_meet(&plane, sides, count, x, along));
                total += w;
            }
        }
        const margin_real now = sum / total;
        falls = now < MGN_R(0.999) * last;
        last = now;
        if (falls) {
            mgn_zero(model + job->size.d, job->size.tangents * job->size.d);
            status = mgn_proto_hss_model(job, model, mem);
        }
    }
    mgn_zero(job->sided.along, job->size.n * job->way.sides);
    return status == MARGIN_E_NOT_FINITE ? MARGIN_E_RANGE : status; /* moved too far */
}

/* Sets the weights of the samples for model j of class c: those of the data, times random numbers
 * of the exponential distribution if there are several models, or those of its cluster alone.
 * Returns false if all are 0. */
static bool mgn_proto_weigh(mgn_proto_job *job, size_t c, size_t j) {
    const bool clusters = job->way.clusters, random = job->size.each > 1u && !clusters;
    bool any = false;
    for (size_t i = 0; i < job->size.n; i++) {
        margin_real w = mgn_proto_member(job, i, c) ? mgn_weight(job->data, i) : 0;
        if (random && w > 0) { w *= -mgn_log(1 - margin_rng_uniform(&job->rng)); }
        if (w > 0 && clusters && job->lists.member[i] != j) { w = 0; }
        job->weights.w[i] = w;
        any = any || w > 0;
    }
    return any;
}

/* Draws a sample of class c, all equally likely. */
static size_t mgn_proto_draw(mgn_proto_job *job, size_t c) {
    uint32_t seen = 0;
    size_t chosen = 0;
    for (size_t i = 0; i < job->size.n; i++) {
        if (mgn_proto_member(job, i, c) && margin_rng_below(&job->rng, ++seen) == 0) { chosen = i; }
    }
    return chosen;
}

/* The model of class c whose centroid is nearest to x; *least becomes the squared distance. */
static size_t mgn_proto_closest(const mgn_proto_job *job, const margin_real *v, size_t c,
                                size_t count, const margin_real *x, margin_real *least) {
    size_t best = 0;
    *least = MGN_HUGE;
    for (size_t j = 0; j < count; j++) {
        const margin_real *y = v + mgn_proto_at(job, c * job->size.each + j);
        const margin_real z = mgn_square_apart(x, y, job->size.d);
        best = z < *least ? j : best;
        *least = mgn_min(*least, z);
    }
    return best;
}

/* Lloyd's k-means within class c, at most 20 rounds; an empty cluster keeps its centre. It starts
 * from centres of k-means++: samples of the class, each drawn with a probability in proportion to
 * its squared distance from the nearest centre so far. */
static void mgn_proto_kmeans(mgn_proto_job *job, margin_real *v, size_t c) {
    const size_t n = job->size.n, each = job->size.each;
    margin_real *x = job->room.block, z;
    bool moved = true;
    for (size_t j = 0; j < each; j++) {
        size_t chosen = mgn_proto_draw(job, c);
        margin_real sum = 0;
        for (size_t i = 0; i < n && j > 0; i++) {
            if (mgn_proto_member(job, i, c)) {
                (void)mgn_proto_sample(job, i, x);
                (void)mgn_proto_closest(job, v, c, j, x, &z);
                sum += z;
                chosen = z > 0 && margin_rng_uniform(&job->rng) * sum < z ? i : chosen;
            }
        }
        (void)mgn_proto_sample(job, chosen, v + mgn_proto_at(job, c * each + j));
    }
    for (size_t t = 0; t < 20u && moved; t++) {
        moved = false;
        for (size_t i = 0; i < n; i++) {
            if (mgn_proto_member(job, i, c)) {
                (void)mgn_proto_sample(job, i, x);
                const size_t j = mgn_proto_closest(job, v, c, each, x, &z);
                moved = moved || t == 0 || job->lists.member[i] != j;
                job->lists.member[i] = (uint16_t)j;
            }
        }
        for (size_t j = 0, count; j < each; j++) {
            if (mgn_proto_weigh(job, c, j)) {
                (void)mgn_proto_mean(job, v + mgn_proto_at(job, c * each + j), &count);
            }
        }
    }
}

/* Sets up the models that training starts from. */
static margin_status mgn_proto_start(mgn_proto_job *job, margin_real *v, margin_arena *mem) {
    const size_t d = job->size.d, k = job->size.tangents;
    margin_status status = MARGIN_OK;
    for (size_t m = 0; m < job->size.models && status == MARGIN_OK; m++) {
        const size_t c = m / job->size.each, j = m % job->size.each;
        margin_real *model = v + mgn_proto_at(job, m), *tangents = model + d;
        if (j == 0 && job->way.clusters) { mgn_proto_kmeans(job, v, c); }
        if (job->o.start == MARGIN_START_RANDOM && !job->way.codebooks) {
            (void)mgn_proto_sample(job, mgn_proto_draw(job, c), model);
        } else if (!job->way.clusters || job->o.start == MARGIN_START_CLUSTERS) {
            mgn_zero(tangents, k * d);
            if (mgn_proto_weigh(job, c, j)) {
                status = mgn_proto_hss_model(job, model, mem);
                if (job->way.sides > 0) {
                    status = mgn_both(status, mgn_proto_two_sided(job, model, mem));
                }
            }
        }
        if (k > 0 && job->o.start >= MARGIN_START_CENTROIDS) {
            for (size_t i = 0; i < k * d; i++) { tangents[i] = margin_rng_normal(&job->rng); }
            (void)margin_orthonormal(tangents, k, d, NULL);
        }
    }
    return status;
}

/* ---- tvq and td ---- */

/* True when the caller wants to stop, for methods that know only the iterations still allowed. */
static bool mgn_proto_tick(mgn_proto_job *job) {
    const size_t most = job->o.max_iterations, done = job->iterations;
    const margin_real left = (margin_real)(most > done ? most - done : 0);
    return mgn_tick_stop(&job->tick, done, 1 + left, 1);
}

/* The best models by their errors on what is held out, then by the margins there. */
typedef struct {
    size_t wrong, since;
    margin_real mu;
} mgn_proto_record;

static void mgn_proto_judge(mgn_proto_job *job, mgn_proto_record *record) {
    record->since++;
    if (job->tally.held_wrong < record->wrong ||
        (job->tally.held_wrong == record->wrong && job->tally.held_mu > record->mu)) {
        record->wrong = job->tally.held_wrong;
        record->mu = job->tally.held_mu;
        record->since = 0;
        mgn_copy(job->best, job->at.v, job->size.pool * job->size.d);
    }
}

/* Fig. 2: `count` steps of one rate from the models at job->at.v. The weights of a step are known
 * before it is taken: they follow from the margins of the models before it, so one pass over the
 * samples judges a step by the old weights and finds the next gradient with the new ones. */
static void mgn_proto_ascend(mgn_proto_job *job, size_t count, mgn_proto_record *record) {
    const bool watched = job->o.validation > 0;
    const size_t d = job->size.d, k = job->size.tangents;
    for (size_t t = 0; t < count && !mgn_proto_tick(job); t++) {
        if (watched) { mgn_proto_judge(job, record); }
        job->converged = watched && record->since >= job->o.patience;
        if (job->converged) { break; }
        mgn_copy(job->weights.before, job->weights.w, job->size.n);
        if (job->way.reweighted) { mgn_theta_update(&job->theta, job->at.mu); }
        /* Models one step along the gradient, tangents made orthonormal again. */
        mgn_copy(job->next.v, job->at.v, job->size.pool * d);
        for (size_t m = 0; m < job->size.models; m++) {
            margin_real *c = job->next.v + mgn_proto_at(job, m);
            const margin_real *g = job->at.grad + mgn_proto_at(job, m);
            mgn_axpy(c, job->o.rate * job->scale, g, d);
            mgn_axpy(c + d, job->o.rate, g + d, k * d);
            (void)margin_orthonormal(c + d, k, d, NULL);
        }
        (void)mgn_proto_pass(job, &job->next);
        const mgn_proto_point old = job->at;
        job->at = job->next;
        job->next = old;
        job->iterations++;
    }
    if (watched) { mgn_proto_judge(job, record); }
}

/* ---- mini-batches ---- */

/* Without a rate the models are trained by mini-batches: a step is taken after every few samples,
 * so that one pass over the data makes many of them. Three things make it converge.
 *
 * Every vector moves by its own measure. With g the gradient of a vector and q a running mean of
 * |g|^2 / d, the step is a running mean of  unit g / sqrt(q). Its coordinates are about `unit` in
 * size, however many samples the model has. unit is the root of the mean z_p / d for centroids,
 * which is how far samples are from them in a coordinate, and 1 / sqrt(d) for tangents, which is
 * their own size.
 *
 * The rate is halved whenever a few passes in a row have not lowered the loss by a 200th, the loss
 * being what the method minimises: the mean of max(0, theta - mu) [2], of 1 - mu without
 * re-weighting, or the squared error of td.
 *
 * Training ends when the rate has come down to a 64th of the first: smaller steps change
 * nothing. */
#define MGN_PROTO_RATE MGN_R(0.05)    /* the first rate */
#define MGN_PROTO_DOWN MGN_R(64.0)    /* the first rate divided by this ends training */
#define MGN_PROTO_GAIN MGN_R(0.995)   /* progress takes the loss below this share of it, */
#define MGN_PROTO_LITTLE MGN_R(1e-4)  /* and by more than this share of the first loss */
#define MGN_PROTO_STALE 3u            /* passes without progress before the rate is halved, */
#define MGN_PROTO_STEPS 80u           /* and as many more as have this number of steps */
#define MGN_PROTO_MOMENTUM MGN_R(0.9) /* share of the old value in the running mean of steps, */
#define MGN_PROTO_MEMORY MGN_R(0.99)  /* and in that of squared gradients */

/* How fast training goes, and whether it is done. */
typedef struct {
    margin_real rate, least; /* the rate of the next pass, and the one that ends training */
    margin_real loss;        /* that of the last pass that made progress */
    margin_real best;        /* the least loss so far */
    margin_real little;      /* a loss that is lower by less than this is no progress */
    size_t stale, most;      /* passes since there was progress, and before the rate is halved */
} mgn_proto_pace;

/* Adjusts the rate to the loss of a pass. Returns whether it is the least so far. Progress may be
 * slow: it is measured from the last pass that made progress, not from the last pass. */
static bool mgn_proto_pace_take(mgn_proto_pace *pace, margin_real loss) {
    const bool least = loss < pace->best;
    pace->best = mgn_min(pace->best, loss);
    if (loss < MGN_PROTO_GAIN * pace->loss - pace->little) {
        pace->little = mgn_max(pace->little, loss * MGN_PROTO_LITTLE);
        pace->loss = loss;
        pace->stale = 0;
    } else if (++pace->stale == pace->most) {
        pace->loss = pace->best;
        pace->stale = 0;
        pace->rate /= 2;
    }
    return least;
}

/* Margins and gradient of `count` samples of the order from `first` on. Returns the sum of their
 * losses by the weights job->weights.before. */
static margin_real mgn_proto_batch(mgn_proto_job *job, size_t first, size_t count) {
    const margin_real total = job->theta.total * ((margin_real)count / (margin_real)job->size.n);
    const bool td = job->o.method == MARGIN_PROTO_TD;
    margin_real loss = 0;
    mgn_proto_open(job, &job->at);
    for (size_t from = first; from < first + count; from += MGN_PROTO_BLOCK) {
        const size_t some = mgn_size_min(first + count - from, MGN_PROTO_BLOCK);
        mgn_proto_block(job, job->at.v, job->lists.order, from, some);
        for (size_t i = 0; i < some; i++) {
            const size_t sample = job->lists.order[from + i];
            const margin_real gain = mgn_proto_visit(job, &job->at, sample, i, total);
            const margin_real lack = job->o.plain ? 1 - gain : mgn_max(job->o.theta - gain, 0);
            loss += job->weights.before[sample] * (td ? -gain : lack);
        }
    }
    mgn_proto_finish(job, &job->at);
    return loss;
}

/* One step along the gradient, each vector by its own measure. */
static void mgn_proto_descend(mgn_proto_job *job, margin_real rate) {
    const size_t d = job->size.d;
    const margin_real old = MGN_PROTO_MEMORY, keep = MGN_PROTO_MOMENTUM;
    job->descent.left *= old;
    for (size_t r = 0; r < job->size.pool; r++) {
        const margin_real *g = job->at.grad + r * d;
        margin_real *step = job->descent.step + r * d, *square = job->descent.square + r;
        const margin_real unit = r % job->size.rows == 0 ? job->scale : 1;
        margin_real much = 0;
        *square = old * *square + (1 - old) * margin_dot(g, g, d);
        if (*square > 0) {
            much = (1 - keep) * mgn_sqrt(unit) / mgn_sqrt(*square / (1 - job->descent.left));
        }
        for (size_t k = 0; k < d; k++) { step[k] = keep * step[k] + much * g[k]; }
        mgn_axpy(job->at.v + r * d, rate, step, d);
    }
    for (size_t m = 0; m < job->size.models && job->size.tangents > 0; m++) {
        margin_real *tangents = job->at.v + mgn_proto_at(job, m) + d;
        (void)margin_orthonormal(tangents, job->size.tangents, d, NULL);
    }
}

/* One pass in a random order, with a step after each batch; returns the mean loss. */
static margin_real mgn_proto_sweep(mgn_proto_job *job, margin_real rate) {
    const size_t n = job->size.n, batch = job->size.batch;
    mgn_theta *theta = &job->theta;
    const bool even = job->o.even && theta->mistakes > 0;
    const margin_real k = even ? (margin_real)n / (margin_real)theta->mistakes : 1;
    margin_real loss = 0, total = 0;
    margin_shuffle(&job->rng, job->lists.order, n);
    for (size_t first = 0; first < n; first += batch) {
        const size_t end = first + mgn_size_min(n - first, batch);
        loss += mgn_proto_batch(job, first, end - first);
        for (size_t i = first; i < end && job->way.reweighted; i++) { /* fig. 1 */
            const size_t sample = job->lists.order[i];
            if (mgn_theta_mistake(theta, job->at.mu, sample)) {
                job->weights.w[sample] += k;
                theta->total += k;
            }
        }
        mgn_proto_descend(job, rate);
    }
    for (size_t i = 0; i < n; i++) { total += job->weights.before[i]; }
    if (job->way.reweighted) { (void)mgn_theta_count(theta, job->at.mu); }
    job->iterations++;
    return loss / total;
}

/* Passes by mini-batches until the rate has come down, validation has stopped them, or there were
 * `count`. */
static void mgn_proto_sweeps(mgn_proto_job *job, size_t count, mgn_proto_record *record) {
    const size_t steps = (job->size.n - 1u) / job->size.batch + 1u;
    const size_t most = MGN_PROTO_STALE + MGN_PROTO_STEPS / steps;
    mgn_proto_pace pace = {
        MGN_PROTO_RATE, MGN_PROTO_RATE / MGN_PROTO_DOWN, MGN_HUGE, MGN_HUGE, 0, 0, most};
    mgn_zero(job->descent.step, job->size.pool * job->size.d);
    mgn_zero(job->descent.square, job->size.pool);
    job->descent.left = 1;
    mgn_order_begin(job->lists.order, job->size.n);
    for (size_t t = 0; t < count && !job->converged; t++) {
        if (mgn_tick_stop(&job->tick, job->iterations, pace.rate / pace.least, 1)) { break; }
        (void)mgn_proto_pace_take(&pace, mgn_proto_sweep(job, pace.rate));
        job->converged = !(pace.rate > pace.least);
        if (job->o.validation > 0) {
            (void)mgn_proto_pass(job, &job->at);
            mgn_proto_judge(job, record);
            job->converged = job->converged || record->since >= job->o.patience;
        }
    }
}

/* Trains the models at job->at.v. With validation the best ones are taken in the end. */
static void mgn_proto_raise_margins(mgn_proto_job *job, size_t count) {
    mgn_proto_record record = {SIZE_MAX, 0, 0};
    mgn_copy(job->weights.before, job->weights.w, job->size.n);
    (void)mgn_proto_pass(job, &job->at);
    job->scale = job->tally.own > 0 ? job->tally.own : 1;
    if (job->way.fixed) {
        mgn_proto_ascend(job, count, &record);
    } else {
        mgn_proto_sweeps(job, count, &record);
    }
    if (record.wrong < SIZE_MAX) { mgn_copy(job->at.v, job->best, job->size.pool * job->size.d); }
}

/* Chooses the samples held out for validation at random: that share of each class, rounded down. */
static void mgn_proto_hold(mgn_proto_job *job) {
    uint8_t *left_out = job->weights.left_out;
    for (size_t i = 0; i < job->size.n; i++) { left_out[i] = 0; }
    for (size_t c = 0; c < job->size.classes && job->o.validation > 0; c++) {
        uint32_t count = 0;
        for (size_t i = 0; i < job->size.n; i++) { count += mgn_proto_member(job, i, c) ? 1u : 0u; }
        uint32_t want = (uint32_t)(job->o.validation * (margin_real)count);
        for (size_t i = 0; i < job->size.n && want > 0; i++) {
            if (mgn_proto_member(job, i, c)) {
                left_out[i] = margin_rng_below(&job->rng, count--) < want ? 1 : 0;
                want -= left_out[i];
            }
        }
    }
}

/* td adds one tangent at each stage, which starts from its hss direction; these are kept in
 * job->best. Stages before the last make a few passes. With a fixed rate all stages have an equal
 * share of the steps. */
static void mgn_proto_construct(mgn_proto_job *job) {
    const size_t d = job->size.d, stages = job->size.rows, most = job->o.max_iterations;
    mgn_copy(job->best, job->at.v, job->size.pool * d);
    for (size_t m = 0; m < job->size.models; m++) {
        mgn_zero(job->at.v + mgn_proto_at(job, m) + d, job->size.tangents * d);
    }
    for (size_t s = 0; s < stages && !job->tick.stopped; s++) {
        const size_t left = most - job->iterations;
        size_t count = s + 1u < stages ? mgn_size_min(left, 4u) : left;
        if (job->way.fixed) { count = (most + stages - 1u) / stages; }
        for (size_t m = 0; m < job->size.models && s > 0; m++) {
            margin_real *c = job->at.v + mgn_proto_at(job, m);
            mgn_copy(c + s * d, job->best + mgn_proto_at(job, m) + s * d, d);
            (void)margin_orthonormal(c + d, s, d, NULL);
        }
        job->reach = 1;
        mgn_copy(job->weights.before, job->weights.w, job->size.n);
        (void)mgn_proto_pass(job, &job->at);
        job->reach = job->tally.between > 0 ? job->tally.between : 1;
        job->converged = false;
        mgn_proto_raise_margins(job, count);
    }
}

/* ---- lvq ---- */

/* Moves codebook m by the share `rate` of its way to x, or away from it. */
static void mgn_proto_move(const mgn_proto_job *job, size_t m, const margin_real *x,
                           margin_real rate) {
    margin_real *c = job->at.v + m * job->size.d;
    for (size_t k = 0; k < job->size.d; k++) { c[k] += rate * (x[k] - c[k]); }
    job->room.shift[m] = margin_dot(c, c, job->size.d);
}

/* One pass over the samples in a random order, each of which moves the codebooks next to it.
 * LVQ2.1 moves the two nearest, if one is of the class of x and one of another, and x lies between
 * them: the ratio of their distances is above (1 - window) / (1 + window). Optimised-rate LVQ1
 * gives all samples seen so far the same weight in a codebook by a = a / (1 + s a), s = 1 for a
 * right answer and -1 for a wrong one; no rate exceeds the first. */
static void mgn_proto_lvq_pass(mgn_proto_job *job, margin_real rate) {
    const margin_real ratio = (1 - job->o.window) / (1 + job->o.window);
    const size_t d = job->size.d;
    margin_real *x = job->room.block;
    mgn_proto_shifts(job, job->at.v);
    margin_shuffle(&job->rng, job->lists.order, job->size.n);
    for (size_t i = 0; i < job->size.n; i++) {
        const size_t sample = job->lists.order[i], label = mgn_label(job->data, sample);
        if (!(job->weights.before[sample] > 0)) { continue; }
        const margin_real norm = mgn_proto_sample(job, sample, x);
        mgn_dots(x, job->at.v, d, job->size.models, d, job->room.dots);
        /* The two nearest codebooks, whichever their classes. */
        mgn_proto_pair two = {0, 0, MGN_HUGE, MGN_HUGE};
        for (size_t m = 0; m < job->size.models; m++) {
            const margin_real z = mgn_max(norm - 2 * job->room.dots[m] + job->room.shift[m], 0);
            if (z < two.z_own) {
                two.other = two.own;
                two.z_other = two.z_own;
                two.own = m;
                two.z_own = z;
            } else if (z < two.z_other) {
                two.other = m;
                two.z_other = z;
            }
        }
        if (job->o.method == MARGIN_PROTO_OLVQ1) {
            const margin_real s = two.own / job->size.each == label ? 1 : -1;
            const margin_real a = job->rates[two.own];
            mgn_proto_move(job, two.own, x, s * a);
            job->rates[two.own] = mgn_min(a / (1 + s * a), rate);
        } else {
            const bool first = two.own / job->size.each == label;
            const bool second = two.other / job->size.each == label;
            if (first != second && two.z_own > ratio * ratio * two.z_other) {
                mgn_proto_move(job, two.own, x, first ? rate : -rate);
                mgn_proto_move(job, two.other, x, second ? rate : -rate);
            }
        }
    }
}

/* Returns the mean of max(0, theta - mu) at the present codebooks. */
static margin_real mgn_proto_lvq_loss(mgn_proto_job *job) {
    margin_real loss = 0, total = 0;
    (void)mgn_proto_pass(job, &job->at);
    for (size_t i = 0; i < job->size.n; i++) {
        loss += job->weights.before[i] * mgn_max(job->o.theta - job->at.mu[i], 0);
        total += job->weights.before[i];
    }
    return loss / total;
}

/* LVQ minimises no function: LVQ2.1 drives codebooks out of their class when repulsion has the
 * upper hand. So every pass is judged by the margins that it leaves. When passes make no progress
 * any more, the best codebooks are taken again and the rate is halved. The codebooks never become
 * worse than they were at the start, and training ends when no rate helps. */
static void mgn_proto_lvq(mgn_proto_job *job) {
    const size_t all = job->size.pool * job->size.d;
    margin_real first = job->o.method == MARGIN_PROTO_OLVQ1 ? MGN_R(0.3) : MGN_R(0.05);
    if (job->o.rate > 0) { first = mgn_min(job->o.rate, MGN_R(0.5)); }
    mgn_proto_pace pace = {first, first / MGN_PROTO_DOWN, MGN_HUGE, MGN_HUGE, 0,
                           0,     MGN_PROTO_STALE};
    mgn_order_begin(job->lists.order, job->size.n);
    for (size_t m = 0; m < job->size.models; m++) { job->rates[m] = first; }
    mgn_copy(job->best, job->at.v, all);
    (void)mgn_proto_pace_take(&pace, mgn_proto_lvq_loss(job));
    while (job->iterations < job->o.max_iterations && !job->converged) {
        const margin_real rate = pace.rate;
        if (mgn_tick_stop(&job->tick, job->iterations, rate / pace.least, 1)) { break; }
        mgn_proto_lvq_pass(job, rate);
        if (mgn_proto_pace_take(&pace, mgn_proto_lvq_loss(job))) {
            mgn_copy(job->best, job->at.v, all);
        } else if (pace.rate < rate) {
            mgn_copy(job->at.v, job->best, all);
        }
        job->converged = !(pace.rate > pace.least);
        job->iterations++;
    }
    mgn_copy(job->at.v, job->best, all);
}

/* ---- nn ---- */

/* Adds sample s to the set, and updates the least distances of all samples. */
static void mgn_proto_take(const mgn_proto_job *job, size_t s) {
    const margin_real *y = mgn_sample(job->data, s);
    const size_t label = mgn_label(job->data, s);
    job->weights.left_out[s] = 1;
    for (size_t i = 0; i < job->size.n; i++) {
        const bool own = mgn_label(job->data, i) == label;
        margin_real *least = (own ? job->weights.w : job->weights.before) + i;
        *least = mgn_min(*least, mgn_square_apart(mgn_sample(job->data, i), y, job->size.d));
    }
}

/* Of the samples of class c that are not in the set and are mistaken (at the start: all), the one
 * nearest to their mean; n if there is none. */
static size_t mgn_proto_typical(const mgn_proto_job *job, size_t c) {
    margin_real least = MGN_HUGE, count = 0;
    size_t chosen = job->size.n;
    mgn_zero(job->room.block, job->size.d);
    for (unsigned round = 0; round < 2u; round++) {
        for (size_t i = 0; i < job->size.n; i++) {
            const margin_real *x = mgn_sample(job->data, i);
            margin_real z = 0;
            if (mgn_label(job->data, i) != c || job->weights.left_out[i] != 0 ||
                mgn_weight(job->data, i) <= 0 || job->weights.w[i] < job->weights.before[i]) {
                continue;
            }
            count += round == 0 ? 1 : 0;
            for (size_t k = 0; k < job->size.d; k++) {
                const margin_real off = x[k] - job->room.centre[k] - job->room.block[k];
                job->room.block[k] += round == 0 ? off / count : 0;
                z += off * off;
            }
            chosen = round == 1u && z < least ? i : chosen;
            least = round == 1u ? mgn_min(least, z) : least;
        }
    }
    return chosen;
}

/* Of the samples that are not in the set, the one with the least margin; n if there is none. */
static size_t mgn_proto_doubtful(const mgn_proto_job *job) {
    margin_real least = 2;
    size_t chosen = job->size.n;
    for (size_t i = 0; i < job->size.n; i++) {
        const margin_real mu = mgn_nearer(job->weights.w[i], job->weights.before[i]);
        if (job->weights.left_out[i] == 0 && mgn_weight(job->data, i) > 0 && mu < least) {
            least = mu;
            chosen = i;
        }
    }
    return chosen;
}

/* Condensing (Devi, Murty: "An incremental prototype set building technique", Pattern Recognition
 * 35, 2002): beginning with a typical sample of each class, a typical one of the samples that the
 * set mistakes is added, class by class, until there are no mistakes or the budget is spent. What
 * is left of it goes to the samples with the least margins, which is not in the paper. */
static void mgn_proto_condense(mgn_proto_job *job) {
    size_t taken = 0;
    bool more = true;
    for (size_t i = 0; i < job->size.n; i++) {
        job->weights.w[i] = job->weights.before[i] = MGN_HUGE;
        job->weights.left_out[i] = 0;
    }
    /* The first round takes one sample of each class before the caller is asked, so that a training
     * stopped at once has a model too. */
    while (more && taken < job->size.models && (taken == 0 || !mgn_proto_tick(job))) {
        more = false;
        for (size_t c = 0; c < job->size.classes && taken < job->size.models; c++) {
            const size_t s = mgn_proto_typical(job, c);
            if (s < job->size.n) {
                mgn_proto_take(job, s);
                taken++;
                more = true;
            }
        }
        job->iterations++;
    }
    job->converged = !more;
    while (!more && taken < job->size.models) { /* if there is more, the caller has stopped it */
        const size_t s = mgn_proto_doubtful(job);
        more = s == job->size.n;
        if (!more) {
            mgn_proto_take(job, s);
            taken++;
        }
    }
    for (size_t i = 0; i < job->size.n; i++) {
        job->at.mu[i] = mgn_nearer(job->weights.w[i], job->weights.before[i]);
    }
}

/* The samples of the set, sorted by class; without a budget all of them. */
static void mgn_proto_neighbours(mgn_proto_job *job) {
    const bool all = job->way.keeps_all;
    const size_t d = job->size.d;
    size_t m = 0;
    if (!all) { mgn_proto_condense(job); }
    job->converged = job->converged || all;
    for (size_t c = 0; c < job->size.classes; c++) {
        for (size_t i = 0; i < job->size.n; i++) {
            if (mgn_label(job->data, i) == c && mgn_weight(job->data, i) > 0 &&
                (all || job->weights.left_out[i] != 0)) {
                mgn_copy(job->kept.vectors + m++ * d, mgn_sample(job->data, i), d);
            }
        }
        job->kept.class_end[c] = (uint32_t)m;
    }
    job->size.models = m;
}

/* ---- the whole ---- */

/* For margin_proto_find: 1 / (1 - rho^2) of each model, see mgn_proto_tangent, or 0 if an early
 * exit would not help. rho^2 is the largest eigenvalue of the Gram matrix of the second halves of
 * the tangents. z is in error by at most 12 (d + 8) EPS |x - c|^2, for 32 tangents; exits are used
 * only if 1/200 is at least four times that in float. */
static void mgn_proto_exits(const mgn_proto_job *job, margin_arena *mem) {
    const size_t k = job->size.tangents, d = job->size.d, half = mgn_proto_half(d);
    const bool exact = half > 0 && 48 * (margin_real)(d + 8u) * MGN_R(FLT_EPSILON) <= MGN_R(0.005);
    const size_t mark = mem->high;
    mgn_proto_edge e;
    mgn_proto_edge_plan(&e, mem, k);
    for (size_t m = 0; m < job->size.models; m++) {
        const margin_real *t = job->kept.vectors + mgn_proto_at(job, m) + d;
        for (size_t i = 0; i < k * k; i++) {
            e.gram[i] = margin_dot(t + i / k * d + half, t + i % k * d + half, d - half);
        }
        e.values[0] = 1;
        (void)margin_eigen(e.values, NULL, e.gram, k, mem);
        const margin_real left = MGN_R(0.995) - e.values[0];
        job->kept.exits[m] = exact && left > MGN_R(0.02) ? MGN_R(1.02) / left : 0;
    }
    margin_arena_release(mem, mark);
}

/* The training itself. Models are left at job->at.v, relative to the centre. */
static margin_status mgn_proto_run(mgn_proto_job *job, margin_arena *mem) {
    mgn_proto_hold(job);
    const margin_status status = mgn_proto_start(job, job->at.v, mem);
    if (status != MARGIN_OK) { return status; }
    /* Weights of the samples that are not held out. */
    mgn_theta_start(&job->theta, job->data, job->weights.w, job->o.theta, job->o.even);
    for (size_t i = 0; i < job->size.n; i++) {
        if (job->weights.left_out[i] != 0) {
            job->theta.total -= job->weights.w[i];
            job->weights.w[i] = 0;
        }
    }
    mgn_copy(job->weights.before, job->weights.w, job->size.n);
    if (job->o.method == MARGIN_PROTO_TVQ) {
        mgn_proto_raise_margins(job, job->o.max_iterations);
    } else if (job->o.method == MARGIN_PROTO_TD) {
        mgn_proto_construct(job);
    } else if (job->way.codebooks) {
        mgn_proto_lvq(job);
    } else {
        job->converged = true;
    }
    return MARGIN_OK;
}

/* Moves the models to the coordinates of the data, and computes the margins of the samples. */
static void mgn_proto_place(mgn_proto_job *job, margin_arena *mem) {
    const mgn_proto_sizes *size = &job->size;
    margin_real *vectors = job->kept.vectors;
    if (!job->way.fixed || job->o.validation > 0) { (void)mgn_proto_pass(job, &job->at); }
    if (job->way.batches && job->way.reweighted) {
        (void)mgn_theta_count(&job->theta, job->at.mu);
        job->theta.uneven = mgn_theta_uneven(&job->theta, job->at.mu);
    }
    if (job->at.v != vectors) { mgn_copy(vectors, job->at.v, size->pool * size->d); }
    for (size_t m = 0; m < size->models; m++) {
        mgn_axpy(vectors + mgn_proto_at(job, m), 1, job->room.centre, size->d);
    }
    for (size_t c = 0; c < size->classes; c++) {
        job->kept.class_end[c] = (uint32_t)((c + 1u) * size->each);
    }
    if (size->tangents > 0) { mgn_proto_exits(job, mem); }
}

static void mgn_proto_model(const mgn_proto_job *job, margin_model *model) {
    const mgn_proto_kept *kept = &job->kept;
    margin_proto *p = &model->of.proto;
    size_t nth = ((size_t)job->o.neighbours + 1u) / 2u; /* at most the samples of any class */
    for (size_t c = 0; c < job->size.classes; c++) {
        const uint32_t first = c > 0 ? kept->class_end[c - 1u] : 0;
        nth = mgn_size_min(nth, (size_t)(kept->class_end[c] - first));
    }
    model->kind = MARGIN_MODEL_PROTO;
    p->vectors = kept->vectors;
    p->exits = job->size.tangents > 0 ? kept->exits : NULL;
    p->class_end = kept->class_end;
    p->offset = p->factor = NULL;
    p->n = job->size.models;
    p->d = job->size.d;
    p->tangents = (uint16_t)job->size.tangents;
    p->nth = (uint16_t)nth;
    p->vote = mgn_vote_of(job->size.classes, MARGIN_SCHEME_NEAREST);
}

/* Whether the data can be trained on: classes, and distances that do not overflow. */
static margin_status mgn_proto_check(mgn_proto_job *job) {
    const size_t sides = job->way.sides, d = job->size.d;
    margin_real weight;
    margin_status status = margin_data_moments(job->data, 1, NULL, &weight, job->room.centre, NULL);
    mgn_zero(job->sided.along, job->size.n * sides);
    for (size_t i = 0; i < job->size.n && status == MARGIN_OK; i++) {
        const margin_real *t = sides > 0 ? mgn_proto_sides_of(job, i) : NULL;
        if (sides > 0 && !mgn_all_finite(t, sides * d)) { return MARGIN_E_NOT_FINITE; }
        bool fits = mgn_proto_sample(job, i, job->room.block) <= MGN_HUGE / 64;
        for (size_t j = 0; j < sides; j++, t += d) {
            fits = fits && margin_dot(t, t, d) <= MGN_HUGE / 64;
        }
        status = fits ? status : MARGIN_E_RANGE;
    }
    return status;
}

/* Whether row a comes before row b: by label, where rows of one class alone need none, then feature
 * by feature, then by weight. */
static bool mgn_proto_precedes(const margin_data *data, size_t a, size_t b) {
    const size_t stride = mgn_stride(data->stride, data->d);
    const margin_real *x = data->x + a * stride, *z = data->x + b * stride;
    if (data->y != NULL && data->y[a] != data->y[b]) { return data->y[a] < data->y[b]; }
    for (size_t k = 0; k < data->d; k++) {
        if (x[k] < z[k] || x[k] > z[k]) { return x[k] < z[k]; }
    }
    return data->weight != NULL && data->weight[a] < data->weight[b];
}

static void mgn_proto_sift(const margin_data *data, margin_index *rows, size_t root, size_t n) {
    for (size_t child = 2u * root + 1u; child < n; child = 2u * root + 1u) {
        if (child + 1u < n && mgn_proto_precedes(data, rows[child], rows[child + 1u])) { child++; }
        if (!mgn_proto_precedes(data, rows[root], rows[child])) { return; }
        const margin_index swap = rows[root];
        rows[root] = rows[child];
        rows[child] = swap;
        root = child;
    }
}

/* Gives the samples an order that does not depend on that of the rows, by heap sort: random numbers
 * then meet the same samples, and training gives the same model, however the rows are permuted. */
static void mgn_proto_sort(mgn_proto_job *job) {
    margin_index *rows = job->lists.rows;
    for (size_t i = 0; i < job->size.n; i++) { rows[i] = (margin_index)mgn_row_of(job->data, i); }
    for (size_t i = job->size.n / 2u; i > 0; i--) {
        mgn_proto_sift(job->data, rows, i - 1u, job->size.n);
    }
    for (size_t last = job->size.n; last > 1u; last--) {
        const margin_index top = rows[0];
        rows[0] = rows[last - 1u];
        rows[last - 1u] = top;
        mgn_proto_sift(job->data, rows, 0, last - 1u);
    }
    job->lists.sorted = *job->data;
    job->lists.sorted.rows = rows;
    job->data = &job->lists.sorted;
}

/* Whether every class has a sample of positive weight. */
static bool mgn_proto_classes(const margin_data *data, size_t classes) {
    bool found = classes > 1u;
    for (size_t c = 0; c < classes && found; c++) {
        found = false;
        for (size_t i = 0; i < data->n && !found; i++) {
            found = mgn_label(data, i) == c && mgn_weight(data, i) > 0;
        }
    }
    return found;
}

static void mgn_proto_task_plan(void *task, margin_arena *mem) {
    mgn_proto_job *job = (mgn_proto_job *)task;
    const mgn_proto_sizes *size = &job->size;
    mgn_proto_hss hss;
    mgn_proto_edge edge;
    mgn_proto_plan(job, mem);
    const size_t mark = mem->high;
    if (size->tangents == 0) { return; }
    if (job->o.start <= MARGIN_START_CLUSTERS) {
        mgn_proto_hss_plan(&hss, mem, size);
        if (size->side <= MGN_PROTO_SIDE) { (void)mgn_leading_plan(mem, size->side); }
        margin_arena_release(mem, mark);
    }
    margin_real *work;
    mgn_proto_edge_plan(&edge, mem, size->tangents);
    (void)mgn_eigen_plan(mem, size->tangents, false, &work);
    margin_arena_release(mem, mark);
}

static margin_status mgn_proto_task_run(void *task, mgn_frame *frame) {
    mgn_proto_job *job = (mgn_proto_job *)task;
    margin_info *info = &frame->info;
    const size_t d = job->size.d, planned = job->size.pool * d;
    const bool nn = job->o.method == MARGIN_PROTO_NN;
    mgn_proto_plan(job, frame->mem);
    if (job->way.draws) { mgn_proto_sort(job); }
    margin_status status = mgn_proto_check(job);
    if (status != MARGIN_OK) { return status; }
    job->iterations = 0;
    job->tick = mgn_tick_make(job->o.watch, 1);
    job->converged = false;
    mgn_clear(&job->theta, sizeof job->theta);
    if (nn) {
        mgn_proto_neighbours(job);
    } else {
        status = mgn_proto_run(job, frame->mem);
        if (status != MARGIN_OK) { return status; }
        mgn_proto_place(job, frame->mem);
    }
    mgn_proto_model(job, &frame->model);
    if (frame->wants_info && !job->way.keeps_all) {
        const mgn_margins m = {job->data, &frame->model, NULL, job->at.mu};
        (void)mgn_margins_info(&m, info);
        info->objective = mgn_theta_objective(job->data, job->theta.w, job->at.mu);
    }
    info->iterations = job->iterations;
    info->converged = job->converged;
    info->support = job->size.models * job->size.rows;
    /* nn may have kept fewer vectors than were planned for; they are the last block at the front */
    frame->mem->low -= MARGIN_BLOCK(planned, sizeof(margin_real)) -
                       MARGIN_BLOCK(info->support * d, sizeof(margin_real));
    if (job->tick.stopped) { return MARGIN_W_STOPPED; }
    return job->converged || nn ? MARGIN_OK : MARGIN_W_ITERATIONS;
}

static const mgn_method mgn_proto_method = {mgn_proto_task_plan, mgn_proto_task_run};

MARGIN_API size_t margin_proto_train_size(size_t n, size_t d, size_t classes,
                                          const margin_proto_options *options) {
    mgn_proto_job job;
    return classes >= 2u && mgn_proto_shape(&job, n, d, classes, options)
               ? mgn_frame_size(&mgn_proto_method, &job)
               : 0;
}

MARGIN_API margin_status margin_proto_train(const margin_data *data,
                                            const margin_proto_options *options, margin_arena *mem,
                                            margin_model *model, margin_info *info,
                                            margin_proto_report *report) {
    mgn_proto_job job;
    size_t classes = 0;
    margin_status status = margin_data_classes(data, &classes);
    if (status != MARGIN_OK) { return status; }
    if (!mgn_proto_classes(data, classes)) { return MARGIN_E_ONE_CLASS; }
    if (!mgn_proto_shape(&job, data->n, data->d, classes, options) ||
        (job.way.sides > 0 && job.o.sides == NULL)) {
        return MARGIN_E_ARGUMENT;
    }
    job.data = data;
    status = mgn_frame_train(&mgn_proto_method, &job, MARGIN_OK, mem, model, info);
    if (status >= 0 && report != NULL) {
        report->mistakes = job.theta.mistakes;
        report->uneven = job.theta.uneven;
    }
    return status;
}

/* ---- tangents of samples ---- */

/* Derivatives are half the difference of the two neighbours of a pixel. At an edge the pixel itself
 * stands for the missing neighbour. */
MARGIN_API margin_status margin_picture_tangents(const margin_real *picture, size_t width,
                                                 size_t height, size_t count, margin_real *out) {
    const size_t d = mgn_size_mul(width, height);
    if (picture == NULL || out == NULL || d == 0 || d == SIZE_MAX ||
        count > MARGIN_PICTURE_TANGENTS) {
        return MARGIN_E_ARGUMENT;
    }
    for (size_t i = 0, row = 0, column = 0; i < d; i++) {
        const margin_real x = (margin_real)column - (margin_real)(width - 1u) / 2;
        const margin_real y = (margin_real)row - (margin_real)(height - 1u) / 2;
        const size_t left = column > 0 ? i - 1u : i, right = column + 1u < width ? i + 1u : i;
        const size_t above = row > 0 ? i - width : i, below = row + 1u < height ? i + width : i;
        const margin_real dx = (picture[right] - picture[left]) / 2;
        const margin_real dy = (picture[below] - picture[above]) / 2;
        const margin_real xx = x * dx, yy = y * dy, xy = x * dy, yx = y * dx;
        const margin_real all[MARGIN_PICTURE_TANGENTS] = {
            dx, dy, xx + yy, yx - xy, xx - yy, yx + xy, dx * dx + dy * dy};
        for (size_t j = 0; j < count; j++) { out[j * d + i] = all[j]; }
        column = column + 1u < width ? column + 1u : 0;
        row += column == 0 ? 1u : 0u;
    }
    return MARGIN_OK;
}

MARGIN_API margin_status margin_proto_two_sided(const margin_proto *model, const margin_real *x,
                                                const margin_real *sides, size_t count,
                                                margin_real *work, margin_real *scores) {
    if (model == NULL || x == NULL || work == NULL || scores == NULL ||
        count > MARGIN_PROTO_SIDES || (count > 0 && sides == NULL) || model->nth == 0 ||
        model->nth > MARGIN_PROTO_NTH) {
        return MARGIN_E_ARGUMENT;
    }
    const size_t d = model->d, k = model->tangents;
    margin_real *moved = work + d, along[MARGIN_PROTO_SIDES];
    for (size_t c = 0, m = 0; c < model->vote.classes; c++) {
        margin_real near[MARGIN_PROTO_NTH];
        for (size_t j = 0; j < model->nth; j++) { near[j] = MGN_HUGE; }
        for (; m < (size_t)model->class_end[c]; m++) {
            const margin_real *centroid = model->vectors + m * (1u + k) * d;
            for (size_t i = 0; i < d; i++) {
                const margin_real factor = model->offset == NULL ? 1 : model->factor[i];
                work[i] = mgn_proto_delta(model, centroid, x, i);
                for (size_t j = 0; j < count; j++) { moved[j * d + i] = sides[j * d + i] * factor; }
            }
            const mgn_proto_plane plane = {centroid + d, k, d};
            mgn_proto_rank(near, model->nth, mgn_proto_meet(&plane, moved, count, work, along));
        }
        scores[c] = near[model->nth - 1u];
    }
    return MARGIN_OK;
}

/* ---- any learner, re-weighted ---- */

typedef struct {
    margin_data data; /* the caller's, with weights of its own */
    const margin_learner *learner;
    margin_theta_options o;
    mgn_theta theta;
    margin_real *by_row;  /* weights by row number, as views want them */
    margin_real *w;       /* n weights by sample */
    margin_real *used;    /* n: those of the last round */
    margin_real *best;    /* n: those of the round with the least deficit */
    margin_real *mu;      /* n margins */
    size_t rows, classes; /* row numbers are below `rows` */
    size_t bytes;         /* that the learner takes */
    size_t rounds;
    mgn_tick tick;
} mgn_theta_job;

static void mgn_theta_plan(mgn_theta_job *job, margin_arena *mem) {
    const size_t n = job->data.n;
    job->by_row = MGN_SCRATCH(mem, margin_real, job->rows);
    job->w = MGN_SCRATCH(mem, margin_real, n);
    job->used = MGN_SCRATCH(mem, margin_real, n);
    job->best = MGN_SCRATCH(mem, margin_real, n);
    job->mu = MGN_SCRATCH(mem, margin_real, n);
}

/* Trains with the present weights and computes the margins; a rewind takes the model away. */
static margin_status mgn_theta_round(mgn_theta_job *job, margin_arena *mem, margin_model *model) {
    for (size_t i = 0; i < job->data.n; i++) { job->by_row[mgn_row_of(&job->data, i)] = job->w[i]; }
    margin_status status = job->learner->train(job->learner->user, &job->data, mem, model);
    if (status >= 0) {
        const margin_status margins = margin_margins(&job->data, model, mem, job->mu, NULL);
        status = margins < 0 ? margins : status;
    }
    return status;
}

/* All rounds; if the last one did not have the least deficit, the model is trained once more with
 * the weights of the best one. */
static margin_status mgn_theta_rounds(mgn_theta_job *job, margin_arena *mem, margin_model *model) {
    const margin_arena before = *mem;
    const size_t n = job->data.n;
    margin_real least = MGN_HUGE;
    margin_status status = MARGIN_OK;
    bool last = false;
    for (job->rounds = 0; job->rounds < job->o.rounds; job->rounds++) {
        const margin_real left = 1 + (margin_real)(job->o.rounds - job->rounds);
        if (job->rounds > 0 &&
            (job->theta.mistakes == 0 || mgn_tick_stop(&job->tick, job->rounds, left, 1))) {
            break;
        }
        (void)margin_arena_rewind(mem, &before);
        status = mgn_theta_round(job, mem, model);
        if (status < 0) { return status; }
        mgn_copy(job->used, job->w, n);
        mgn_theta_update(&job->theta, job->mu);
        last = job->theta.deficit < least;
        if (last) {
            mgn_copy(job->best, job->used, n);
            least = job->theta.deficit;
        }
    }
    if (last) { return status; }
    (void)margin_arena_rewind(mem, &before);
    mgn_copy(job->w, job->best, n);
    return mgn_theta_round(job, mem, model);
}

static void mgn_theta_task_plan(void *task, margin_arena *mem) {
    mgn_theta_job *job = (mgn_theta_job *)task;
    mgn_theta_plan(job, mem);
    (void)margin_arena_scratch(mem, job->bytes, 1);
    /* Room for the scores of any scheme over so many classes, beside the learner. */
    (void)MGN_SCRATCH(mem, margin_real, mgn_size_mul(job->classes, job->classes + 1u) / 2u);
}

static margin_status mgn_theta_task_run(void *task, mgn_frame *frame) {
    mgn_theta_job *job = (mgn_theta_job *)task;
    const margin_data *given = &job->data;
    mgn_theta_plan(job, frame->mem);
    mgn_theta_start(&job->theta, given, job->w, job->o.theta, job->o.even);
    job->data.weight = job->by_row;
    job->tick = mgn_tick_make(job->o.watch, 1);
    const margin_status status = mgn_theta_rounds(job, frame->mem, &frame->model);
    if (status >= 0 && frame->wants_info) {
        const mgn_margins m = {&job->data, &frame->model, NULL, job->mu};
        (void)mgn_margins_info(&m, &frame->info);
        frame->info.objective = mgn_theta_objective(&job->data, job->best, job->mu);
        frame->info.iterations = job->rounds;
        frame->info.converged = job->theta.mistakes == 0;
    }
    return status >= 0 && job->tick.stopped ? MARGIN_W_STOPPED : status;
}

static const mgn_method mgn_theta_method = {mgn_theta_task_plan, mgn_theta_task_run};

MARGIN_API size_t margin_theta_train_size(size_t n, size_t rows, size_t classes, size_t bytes) {
    mgn_theta_job job;
    job.data.n = n;
    job.rows = rows;
    job.classes = classes;
    job.bytes = bytes;
    return mgn_frame_size(&mgn_theta_method, &job);
}

MARGIN_API margin_status margin_theta_train(const margin_data *data, const margin_learner *learner,
                                            const margin_theta_options *options, margin_arena *mem,
                                            margin_model *model, margin_info *info,
                                            margin_proto_report *report) {
    mgn_theta_job job;
    margin_status status = margin_data_classes(data, &job.classes);
    if (status != MARGIN_OK || learner == NULL || learner->train == NULL ||
        (options != NULL && !mgn_finite(options->theta))) {
        return mgn_both(status, MARGIN_E_ARGUMENT);
    }
    mgn_clear(&job.o, sizeof job.o);
    if (options != NULL) { job.o = *options; }
    if (job.o.theta == 0) { job.o.theta = MGN_R(0.1); }
    if (job.o.theta == MARGIN_ZERO) { job.o.theta = 0; }
    if (job.o.rounds == 0) { job.o.rounds = 20u; }
    job.data = *data;
    job.learner = learner;
    job.bytes = learner->bytes;
    job.rows = 0; /* beyond every row number */
    for (size_t i = 0; i < data->n; i++) {
        const size_t row = mgn_row_of(data, i);
        job.rows = row + 1u > job.rows ? row + 1u : job.rows;
    }
    status = mgn_frame_train(&mgn_theta_method, &job, MARGIN_OK, mem, model, info);
    if (status >= 0 && report != NULL) {
        report->mistakes = job.theta.mistakes;
        report->uneven = job.theta.uneven;
    }
    return status;
}

MARGIN_API void margin_cumulative(const margin_real *margins, size_t n, const margin_real *at,
                                  size_t count, margin_real *share) {
    for (size_t j = 0; j < count; j++) {
        size_t below = 0;
        for (size_t i = 0; i < n; i++) { below += margins[i] < at[j] ? 1u : 0u; }
        share[j] = n > 0 ? (margin_real)below / (margin_real)n : 0;
    }
}

/* ---- >>compact ---- few vectors, learned together with their coefficients -------------------- */

/* A sample x has the scores f_j = sum over the vectors v of c_vj h_v + b_j with hinge units
 * h_v = max(0, v.x + t_v) or rbf units h_v = exp(-gamma |x - v|^2), and costs, if y is its class
 * and y_j is 1 for j = y and else -1,
 *
 *     hinge   L = sum over j of max(0, 1 - y_j f_j)^2 / 2      g_j = -y_j max(0, 1 - y_j f_j)
 *     soft    L = log(sum over j of exp(4 (f_j - f_y))) / 4    g_j = p_j - [j = y]
 *
 * where g_j = dL/df_j and p_j is the share of j in the sum; the one machine of two classes has
 * f_1 = f and f_0 = 0. With e_v = dL/dh_v = sum over j of g_j c_vj the slopes are
 *
 *     dL/dc_vj = g_j h_v    dL/db_j = g_j
 *     hinge   dL/dv = [h_v > 0] e_v x              dL/dt_v = [h_v > 0] e_v
 *     rbf     dL/dv = 2 gamma e_v h_v (x - v)      dL/d(log gamma) = -gamma e_v h_v |x - v|^2
 *
 * so that a batch of samples costs five matrix products. In a committee of members, each with as
 * many units and all with the same b, every member has a loss of its own: the sum over v is then
 * over its units alone. The scores of the machine are the mean of those of its members, which is
 * one such sum again, with c_vj / members. Samples carry a 1 as their last value,
 * which makes t_v the last value of v, and the sum of e_v over a batch the last value of its
 * slopes. With a projection the units see y = P x in the place of x, and two more products give
 *
 *     dL/dy = sum over v of [h_v > 0] e_v v  or  2 gamma e_v h_v (v - y)     dL/dP = dL/dy x'
 *
 * Steps follow Kingma and Ba ("Adam", 2015): the running mean of the slopes, divided by the root
 * of their running mean square, with decay beside it (Loshchilov and Hutter, 2019). The mean
 * square is that of a whole row, all values of a vector or all coefficients of it: that is as good
 * here, needs half the memory and one square root a row. Inside, samples are centred and divided
 * by the root mean square deviation of all features, so that steps and noise have a scale. */
typedef struct {
    size_t rows, cols;
    margin_real *value; /* rows x cols */
    margin_real *used;  /* the values as they will be in q7 */
    margin_real *slope; /* of the loss of a batch */
    margin_real *mean;  /* running mean of the slopes */
    margin_real *size;  /* running mean square of the slopes of a row */
} mgn_compact_part;

typedef struct {
    const margin_data *data;
    margin_compact_options o;
    size_t n, d, classes, machines, units;
    size_t deep;   /* values that a unit sees: the rank, or the features that are left */
    size_t loaded; /* values of a sample that are loaded: the features that are left */
    margin_real *vectors, *norms, *coef, *bias; /* of the model */
    margin_real *front, *front_bias;            /* of its projection */
    uint32_t *class_end;
    uint8_t *picked;                 /* of the model: its features, a bit each */
    mgn_compact_part of_front;       /* rank x d */
    mgn_compact_part of_units;       /* units x (deep + 1) */
    mgn_compact_part of_coef;        /* units x machines */
    mgn_compact_part of_bias;        /* 1 x machines */
    mgn_compact_part of_width;       /* 1 x 1: log gamma */
    margin_real *x;                  /* batch x (d + 1): the samples at work, centred and scaled */
    margin_real *y;                  /* batch x (deep + 1): what units see of them */
    margin_real *y_slope;            /* batch x deep */
    margin_real *z, *h, *e;          /* batch x units: |x - v|^2, values and slopes of the units */
    margin_real *s;                  /* batch x machines: scores, then their slopes */
    margin_real *top;                /* units: largest size of a value of a vector */
    margin_real *panel;              /* of the matrix products */
    margin_real *centre, *spread;    /* d: mean and variance of the features */
    margin_index *pick;              /* d: the features that are left, in their order */
    margin_real *mu;                 /* n margins */
    margin_index *order;             /* n samples, those held out last */
    margin_real factor, unit_weight; /* 1 / deviation; 1 / mean weight */
    margin_real loss;                /* of the last pass */
    margin_real error;               /* error rate on the samples held out */
    margin_real judged;              /* the same, smoothed, of the best settings so far */
    margin_rng rng;
    mgn_tick tick;
    size_t passes;               /* done */
    bool rounded;                /* used values count */
    margin_real shorter;         /* the passes are divided by this; below 1 they are more */
    margin_real members;         /* of the committee: a whole number */
    bool seek_decay, seek_noise; /* by validation */
    bool seek_passes;            /* with them */
    bool seek_members;           /* as well */
} mgn_compact;

static bool mgn_compact_rbf(const mgn_compact *job) {
    return job->o.kernel == MARGIN_KERNEL_RBF;
}

/* Takes kernel and number of vectors from the model to start from; false: it does not suit. */
static bool mgn_compact_starts(margin_compact_options *o, size_t d, size_t classes) {
    if (o->start == NULL) { return true; }
    const margin_expansion *e = &o->start->of.expansion;
    if (o->start->kind != MARGIN_MODEL_EXPANSION || e->kernel.kind != MARGIN_KERNEL_RBF ||
        e->d != d || e->offset != NULL || e->n > UINT16_MAX || e->vote.classes != classes ||
        e->vote.scheme != (classes > 2u ? MARGIN_SCHEME_ONE_REST : MARGIN_SCHEME_BINARY)) {
        return false;
    }
    o->kernel = MARGIN_KERNEL_RBF;
    o->vectors = (uint16_t)e->n;
    return o->rank == 0;
}

#define MGN_COMPACT_FEW 1000u  /* below so many samples all quarters are held out in turn, */
#define MGN_COMPACT_HELD 1200u /* of as many divisions as make so many, but at most three */
#define MGN_COMPACT_MANY 8000u /* from so many on, validation leaves the passes alone */
#define MGN_COMPACT_OWN 8u     /* vectors of a member, at least, where validation chooses */
#define MGN_COMPACT_MEMBERS 8u /* and members at most */

/* What is left to validation, and where that starts. A model to go on from has settings of its own,
 * and few samples cannot tell: rbf units start at samples, which must not be those held out. */
static void mgn_compact_open(mgn_compact *job, size_t n) {
    margin_compact_options *o = &job->o;
    const bool seek =
        o->start == NULL && n / 4u >= 8u && (!mgn_compact_rbf(job) || o->vectors <= n - n / 4u);
    job->seek_decay = seek && o->decay == 0;
    job->seek_noise = seek && o->noise == 0;
    job->seek_passes = n < MGN_COMPACT_MANY && o->max_iterations == 0;
    job->seek_members = (job->seek_decay || job->seek_noise) && o->members == 0 &&
                        n >= MGN_COMPACT_FEW && o->vectors >= 2u * MGN_COMPACT_OWN;
    job->shorter = 1;
    job->members = 1;
    if (o->members > 0 && o->start == NULL) {
        job->members = (margin_real)mgn_size_min(o->members, o->vectors);
    }
    if (o->loss == 0) { o->loss = o->start == NULL ? MARGIN_COMPACT_SOFT : MARGIN_COMPACT_HINGE; }
    if (o->decay == 0 && o->start == NULL) { o->decay = MGN_R(0.03); }
    if (o->decay == MARGIN_ZERO) { o->decay = 0; }
    if (o->noise == 0) { o->noise = MGN_R(0.1); }
    if (o->noise == MARGIN_ZERO) { o->noise = 0; }
}

/* Options with their defaults filled in, and sizes; false: out of range. */
static bool mgn_compact_shape(mgn_compact *job, size_t n, size_t d, size_t classes,
                              const margin_compact_options *options) {
    static const margin_compact_options none = {0, 0, false,        0,   0, 0, 0, 0, 0, 0,
                                                0, 0, {NULL, NULL}, NULL};
    margin_compact_options *o = &job->o;
    *o = options != NULL ? *options : none;
    bool fits = mgn_compact_starts(o, d, classes);
    o->kernel = o->kernel == 0 ? (uint8_t)MARGIN_KERNEL_HINGE : o->kernel;
    fits = fits && (o->kernel == MARGIN_KERNEL_HINGE || o->kernel == MARGIN_KERNEL_RBF) &&
           o->vectors <= n && o->noise >= 0 && o->noise <= 100 && o->rate >= 0 && o->rate <= 1 &&
           o->decay >= 0 && o->decay <= 100 && o->loss <= MARGIN_COMPACT_SOFT && n > 0 && d > 0 &&
           d < SIZE_MAX && classes > 1u && classes < MARGIN_REJECTED && o->rank < d &&
           o->rank <= MARGIN_RANK_MOST;
    o->features = o->features < d ? o->features : 0;
    fits = fits && (o->features == 0 || (o->features <= MARGIN_RANK_MOST && o->rank == 0 &&
                                         o->kernel == MARGIN_KERNEL_HINGE));
    o->vectors = o->vectors == 0 ? (uint16_t)mgn_size_min(n, 64u) : o->vectors;
    if (o->rate == 0) { o->rate = mgn_compact_rbf(job) ? MGN_R(0.05) : MGN_R(0.01); }
    mgn_compact_open(job, n);
    if (o->max_iterations == 0 && n > 0) {
        const uint64_t passes = 100u + UINT64_C(400000) / n;
        o->max_iterations = passes < 300u ? (size_t)passes : 300u;
    }
    job->n = n;
    job->d = d;
    job->deep = o->rank > 0 ? o->rank : d;
    job->loaded = d;
    job->classes = classes;
    job->machines = classes > 2u ? classes : 1u;
    job->units = o->vectors;
    return fits;
}

static void mgn_compact_part_plan(mgn_compact_part *plan, margin_arena *mem, size_t rows,
                                  size_t cols) {
    plan->rows = rows;
    plan->cols = cols;
    MARGIN_BLOCKS_COMPACT_PART(MGN_TAKE, rows, cols)
}

static void mgn_compact_plan(void *task, margin_arena *mem) {
    mgn_compact *plan = (mgn_compact *)task;
    const size_t n = plan->n, d = plan->d, m = plan->units, w = plan->machines;
    const size_t rank = plan->o.rank, seen = rank > 0 ? rank + 1u : 0, few = plan->o.features;
    const size_t stay = few > 0 ? few : plan->deep, mask = few > 0 ? (d + 7u) / 8u : 0;
    MARGIN_BLOCKS_COMPACT_KEPT(MGN_LAST, d, stay, plan->classes, w, m, rank, mask)
    mgn_compact_part_plan(&plan->of_front, mem, rank, d);
    mgn_compact_part_plan(&plan->of_units, mem, m, plan->deep + 1u);
    mgn_compact_part_plan(&plan->of_coef, mem, m, w);
    mgn_compact_part_plan(&plan->of_bias, mem, 1, w);
    mgn_compact_part_plan(&plan->of_width, mem, 1, 1);
    MARGIN_BLOCKS_COMPACT(MGN_TAKE, n, d, w, m, rank, seen)
    plan->y = rank > 0 ? plan->y : plan->x; /* without a projection units see the samples */
}

/* ---- start ---- */

/* A number of mean 0 and variance 1 from one draw: the sum of its four bytes, which is close enough
 * to normal for starting values and noise. The variance of a byte is (256^2 - 1) / 12. */
static margin_real mgn_compact_normal(margin_rng *rng) {
    const uint32_t bits = margin_rng_u32(rng);
    const uint32_t sum = (bits & 255u) + (bits >> 8 & 255u) + (bits >> 16 & 255u) + (bits >> 24);
    return ((margin_real)sum - 510) * MGN_R(0.0067658);
}

/* Sample `order[i]` as row `row` of the batch: centred, scaled, with a 1 at the end. */
static void mgn_compact_load(const mgn_compact *job, size_t i, size_t row) {
    const margin_real *from = mgn_sample(job->data, job->order[i]);
    margin_real *to = job->x + row * (job->loaded + 1u);
    for (size_t k = 0; k < job->loaded; k++) {
        const size_t feature = job->pick[k];
        to[k] = (from[feature] - job->centre[feature]) * job->factor;
    }
    to[job->loaded] = 1;
}

/* All features again. */
static void mgn_compact_pick_all(mgn_compact *job) {
    for (size_t k = 0; k < job->d; k++) { job->pick[k] = (margin_index)k; }
    job->loaded = job->d;
    job->deep = job->o.rank > 0 ? job->o.rank : job->d;
    job->of_units.cols = job->deep + 1u;
}

/* Mean and root mean square deviation; MARGIN_E_RANGE where squares overflow. */
static margin_status mgn_compact_centre(mgn_compact *job) {
    margin_real weight, square = 0, lost = 0;
    (void)margin_data_moments(job->data, 1, NULL, &weight, job->centre, NULL); /* of checked data */
    job->factor = 1;
    mgn_compact_pick_all(job);
    mgn_zero(job->spread, job->d);
    for (size_t i = 0; i < job->n; i++) {
        const margin_real share = mgn_weight(job->data, i) / weight;
        job->order[i] = (margin_index)i;
        mgn_compact_load(job, i, 0);
        for (size_t k = 0; k < job->d; k++) { job->spread[k] += share * job->x[k] * job->x[k]; }
        mgn_add(&square, &lost, share * margin_dot(job->x, job->x, job->d));
    }
    if (!(square <= MGN_HUGE / 64)) { return MARGIN_E_RANGE; }
    square /= (margin_real)job->d;
    job->factor = square > MGN_TINY ? 1 / margin_sqrt(square) : 1;
    job->unit_weight = (margin_real)job->n / weight;
    return MARGIN_OK;
}

static void mgn_compact_clear(mgn_compact_part *part) {
    mgn_zero(part->value, part->rows * part->cols);
    mgn_zero(part->mean, part->rows * part->cols);
    mgn_zero(part->size, part->rows);
}

static void mgn_compact_normals(mgn_compact *job, margin_real *v, size_t n, margin_real deviation) {
    for (size_t i = 0; i < n; i++) { v[i] = deviation * mgn_compact_normal(&job->rng); }
}

/* The values that count: those rounded, or those in full. */
static const margin_real *mgn_compact_values(const mgn_compact *job, const mgn_compact_part *part) {
    return job->rounded ? part->used : part->value;
}

/* What units see of the first `count` samples of the batch. */
static void mgn_compact_project(mgn_compact *job, size_t count) {
    const size_t d = job->d, rank = job->o.rank;
    if (rank == 0) { return; /* y is x */ }
    mgn_mat_mul(job->y, rank + 1u, mgn_view_of(job->x, d + 1u, 1),
                mgn_view_of(mgn_compact_values(job, &job->of_front), 1, d),
                mgn_sizes_of(count, d, rank), job->panel);
    for (size_t i = 0; i < count; i++) { job->y[i * (rank + 1u) + rank] = 1; }
}

/* Rbf units start at the first samples, which are in random order; with gamma so that the mean
 * square distance of two of them is 4 / gamma. */
static void mgn_compact_regions(mgn_compact *job) {
    const size_t d = job->deep;
    margin_real *v = job->of_units.value, square = 0;
    for (size_t u = 0; u < job->units; u++) {
        mgn_compact_load(job, u, 0);
        mgn_compact_project(job, 1);
        mgn_copy(v + u * (d + 1u), job->y, d);
    }
    for (size_t u = 0; u < job->units; u++) {
        const margin_real *a = v + u * (d + 1u), *b = v + (u + 1u) % job->units * (d + 1u);
        for (size_t k = 0; k < d; k++) {
            square += (a[k] - b[k]) * (a[k] - b[k]) / (margin_real)job->units;
        }
    }
    job->of_width.value[0] = margin_log(square > MGN_TINY ? 4 / square : 1);
}

static void mgn_compact_begin(mgn_compact *job) {
    mgn_compact_pick_all(job);
    const size_t d = job->d, coefs = job->units * job->machines;
    mgn_compact_clear(&job->of_front);
    mgn_compact_clear(&job->of_units);
    mgn_compact_clear(&job->of_coef);
    mgn_compact_clear(&job->of_bias);
    mgn_compact_clear(&job->of_width);
    if (job->o.start != NULL) { /* v = (v' - centre) factor and gamma = gamma' / factor^2 */
        const margin_expansion *e = &job->o.start->of.expansion;
        for (size_t u = 0; u < job->units; u++) {
            for (size_t k = 0; k < d; k++) {
                job->of_units.value[u * (d + 1u) + k] =
                    (e->vectors[u * d + k] - job->centre[k]) * job->factor;
            }
        }
        mgn_copy(job->of_coef.value, e->coef, coefs);
        mgn_copy(job->of_bias.value, e->bias, job->machines);
        job->of_width.value[0] = margin_log(e->kernel.gamma / (job->factor * job->factor));
        return;
    }
    mgn_compact_normals(job, job->of_front.value, job->o.rank * d, 1 / margin_sqrt((margin_real)d));
    mgn_compact_normals(job, job->of_coef.value, coefs,
                        margin_sqrt(job->members / (margin_real)job->units));
    if (mgn_compact_rbf(job)) {
        mgn_compact_regions(job);
    } else {
        mgn_compact_normals(job, job->of_units.value, job->units * (job->deep + 1u),
                            margin_sqrt(2 / (margin_real)job->deep));
    }
}

/* ---- rounding to q7 ---- */

/* out = in as whole multiples of most / 127; 0 where that vanishes. Adding and subtracting `big`
 * leaves the whole number nearest to a number below 2^20. */
static void mgn_compact_grid(margin_real *out, const margin_real *in, size_t n, margin_real most) {
    const margin_real down = most > MGN_TINY * 128 ? 127 / most : 0, up = most / 127;
    const margin_real big = MGN_R(1.5) * (margin_real)((mgn_word)1 << MGN_FRACTION);
    for (size_t i = 0; i < n; i++) { out[i] = ((in[i] * down + big) - big) * up; }
}

/* Vectors: those of hinge units have a grid each, because k(a v, x) = a k(v, x) lets the
 * coefficients take over any scale. Those of rbf units share one. */
static void mgn_compact_round_units(mgn_compact *job) {
    const size_t d = job->deep, cols = d + 1u;
    const mgn_compact_part *p = &job->of_units;
    margin_real most = 0;
    for (size_t u = 0; u < job->units; u++) {
        job->top[u] = margin_norm_inf(p->value + u * cols, d);
        most = mgn_max(most, job->top[u]);
    }
    for (size_t u = 0; u < job->units; u++) {
        const margin_real range = mgn_compact_rbf(job) ? most : job->top[u];
        mgn_compact_grid(p->used + u * cols, p->value + u * cols, d, range);
        p->used[u * cols + d] = p->value[u * cols + d];
        job->top[u] = mgn_compact_rbf(job) ? 1 : mgn_max(range, MGN_TINY * 128);
    }
}

/* Coefficients, for the vectors at the scale that makes their largest value 127: one grid a
 * machine, or one for all machines of hinge units. */
static void mgn_compact_round_coef(mgn_compact *job) {
    const size_t w = job->machines;
    const mgn_compact_part *p = &job->of_coef;
    margin_real most = 0;
    for (size_t u = 0; u < (mgn_compact_rbf(job) ? 0u : job->units); u++) {
        most = mgn_max(most, margin_norm_inf(p->value + u * w, w) * job->top[u]);
    }
    for (size_t j = 0; j < w; j++) {
        for (size_t u = 0; u < (mgn_compact_rbf(job) ? job->units : 0u); u++) {
            most = mgn_max(u > 0 ? most : 0, mgn_abs(p->value[u * w + j]));
        }
        for (size_t u = 0; u < job->units; u++) {
            const margin_real range = most / job->top[u];
            mgn_compact_grid(p->used + u * w + j, p->value + u * w + j, 1, range);
        }
    }
}

/* All of them, and the rows of the projection, which have a grid each. */
static void mgn_compact_rounding(mgn_compact *job) {
    const mgn_compact_part *p = &job->of_front;
    if (!job->rounded) { return; }
    for (size_t r = 0; r < p->rows; r++) {
        const margin_real *row = p->value + r * p->cols;
        mgn_compact_grid(p->used + r * p->cols, row, p->cols, margin_norm_inf(row, p->cols));
    }
    mgn_compact_round_units(job);
    mgn_compact_round_coef(job);
}

/* ---- a batch: scores, loss, slopes ---- */

/* Values of the units for the first `count` samples of the batch. Of rbf units z = |x - v|^2, from
 * the dot products in z, and h = exp(-gamma z). */
static void mgn_compact_unit_values(mgn_compact *job, size_t count) {
    const size_t d = job->deep, cols = d + 1u, m = job->units;
    const margin_real *v = mgn_compact_values(job, &job->of_units);
    const bool rbf = mgn_compact_rbf(job);
    const margin_real gamma = rbf ? margin_exp(job->of_width.value[0]) : 0;
    mgn_compact_project(job, count);
    mgn_mat_mul(job->z, m, mgn_view_of(job->y, cols, 1), mgn_view_of(v, 1, cols),
                mgn_sizes_of(count, d + (rbf ? 0u : 1u), m), job->panel);
    for (size_t u = 0; rbf && u < m; u++) {
        job->top[u] = margin_dot(v + u * cols, v + u * cols, d);
    }
    for (size_t i = 0; rbf && i < count; i++) {
        const margin_real norm = margin_dot(job->y + i * cols, job->y + i * cols, d);
        margin_real *z = job->z + i * m, *h = job->h + i * m;
        for (size_t u = 0; u < m; u++) {
            z[u] = mgn_max(norm + job->top[u] - 2 * z[u], 0);
            h[u] = -gamma * z[u];
        }
        mgn_exp_array(h, m);
    }
    for (size_t i = 0; !rbf && i < count * m; i++) { job->h[i] = mgn_max(job->z[i], 0); }
}

/* Units of a committee: `count` of them from `first` on. */
typedef struct {
    size_t first, count;
} mgn_compact_member;

static mgn_compact_member mgn_compact_member_at(const mgn_compact *job, size_t i) {
    const size_t members = (size_t)job->members, first = i * job->units / members;
    const mgn_compact_member member = {first, (i + 1u) * job->units / members - first};
    return member;
}

/* Scores of those samples by a member alone, from the values of its units. */
static void mgn_compact_answers(mgn_compact *job, size_t count, mgn_compact_member member) {
    const size_t w = job->machines;
    const margin_real *coef = mgn_compact_values(job, &job->of_coef) + member.first * w;
    mgn_mat_mul(job->s, w, mgn_view_of(job->h + member.first, job->units, 1),
                mgn_view_of(coef, w, 1), mgn_sizes_of(count, member.count, w), job->panel);
    for (size_t i = 0; i < count; i++) { mgn_axpy(job->s + i * w, 1, job->of_bias.value, w); }
}

/* Scores of the machine: with all units as one member their sums are `members` times the mean. */
static void mgn_compact_scores(mgn_compact *job, size_t count) {
    const mgn_compact_member all = {0, job->units};
    const margin_real *bias = job->of_bias.value;
    mgn_compact_unit_values(job, count);
    mgn_compact_answers(job, count, all);
    for (size_t i = 0; i < (job->members > 1 ? count * job->machines : 0u); i++) {
        const margin_real b = bias[i % job->machines];
        job->s[i] = (job->s[i] - b) / job->members + b;
    }
}

/* The soft loss of the scores of a sample, which become their slopes. */
static margin_real mgn_compact_soft(size_t machines, size_t label, margin_real *s) {
    margin_real sum = 0, own = 0, top = s[0];
    if (machines == 1u) {
        const margin_real sign = label == 1u ? 1 : -1, z = -4 * sign * s[0];
        const margin_real e = margin_exp(-mgn_abs(z));
        s[0] = -sign * (z > 0 ? 1 : e) / (1 + e);
        return (mgn_max(z, 0) + margin_log(1 + e)) / 4;
    }
    for (size_t j = 1; j < machines; j++) { top = mgn_max(top, s[j]); }
    for (size_t j = 0; j < machines; j++) { s[j] = 4 * (s[j] - top); }
    own = s[label];
    mgn_exp_array(s, machines);
    for (size_t j = 0; j < machines; j++) { sum += s[j]; }
    for (size_t j = 0; j < machines; j++) { s[j] /= sum; }
    s[label] -= 1;
    return (margin_log(sum) - own) / 4;
}

/* Turns the scores of a sample into their slopes, and returns its loss. */
static margin_real mgn_compact_loss(const mgn_compact *job, size_t label, margin_real weight,
                                    margin_real *s) {
    const bool soft = job->o.loss == MARGIN_COMPACT_SOFT;
    margin_real loss = soft ? mgn_compact_soft(job->machines, label, s) : 0;
    for (size_t j = 0; !soft && j < job->machines; j++) {
        const margin_real sign = (job->machines == 1u ? label == 1u : label == j) ? 1 : -1;
        const margin_real lack = mgn_max(1 - sign * s[j], 0);
        loss += lack * lack / 2;
        s[j] = -sign * lack;
    }
    for (size_t j = 0; j < job->machines; j++) { s[j] *= weight; }
    return weight * loss;
}

/* Slopes of the units, from dL/dh in e. */
static void mgn_compact_unit_slopes(mgn_compact *job, size_t count) {
    const size_t d = job->deep, cols = d + 1u, m = job->units;
    const margin_real *v = mgn_compact_values(job, &job->of_units);
    const margin_real gamma = margin_exp(job->of_width.value[0]);
    margin_real *slope = job->of_units.slope, width = 0;
    const bool rbf = mgn_compact_rbf(job);
    for (size_t i = 0; i < count * m; i++) {
        if (rbf) {
            job->e[i] *= 2 * gamma * job->h[i];
            width -= job->e[i] * job->z[i] / 2;
        } else {
            job->e[i] = job->h[i] > 0 ? job->e[i] : 0;
        }
    }
    job->of_width.slope[0] = width;
    mgn_mat_mul(slope, cols, mgn_view_of(job->e, 1, m), mgn_view_of(job->y, cols, 1),
                mgn_sizes_of(m, count, cols), job->panel);
    for (size_t u = 0; u < (rbf ? m : 0u); u++) {
        mgn_axpy(slope + u * cols, -slope[u * cols + d], v + u * cols, d);
        slope[u * cols + d] = 0;
    }
}

/* Slopes of a member's coefficients, its part in those of the bias, and dL/dh of its units in e,
 * for `count` samples whose score slopes are in s. */
static void mgn_compact_member_slopes(mgn_compact *job, size_t count, mgn_compact_member member) {
    const size_t m = job->units, w = job->machines;
    const margin_real *coef = mgn_compact_values(job, &job->of_coef) + member.first * w;
    for (size_t i = 0; i < count; i++) { mgn_axpy(job->of_bias.slope, 1, job->s + i * w, w); }
    mgn_mat_mul(job->of_coef.slope + member.first * w, w, mgn_view_of(job->h + member.first, 1, m),
                mgn_view_of(job->s, w, 1), mgn_sizes_of(member.count, count, w), job->panel);
    mgn_mat_mul(job->e + member.first, m, mgn_view_of(job->s, w, 1), mgn_view_of(coef, 1, w),
                mgn_sizes_of(count, w, member.count), job->panel);
}

/* All slopes of the losses of the members on the batch, which is `count` samples from place `from`
 * of the order on; the losses are added up. */
static void mgn_compact_slopes(mgn_compact *job, size_t from, size_t count) {
    const size_t d = job->d, m = job->units, w = job->machines, rank = job->o.rank;
    const margin_real *v = mgn_compact_values(job, &job->of_units);
    mgn_compact_unit_values(job, count);
    mgn_zero(job->of_bias.slope, w);
    for (size_t j = 0; j < (size_t)job->members; j++) {
        const mgn_compact_member member = mgn_compact_member_at(job, j);
        mgn_compact_answers(job, count, member);
        for (size_t i = 0; i < count; i++) {
            const size_t sample = job->order[from + i];
            const margin_real weight = mgn_weight(job->data, sample) * job->unit_weight;
            job->loss +=
                mgn_compact_loss(job, mgn_label(job->data, sample), weight, job->s + i * w);
        }
        mgn_compact_member_slopes(job, count, member);
    }
    mgn_compact_unit_slopes(job, count);
    if (rank == 0) { return; }
    /* Slopes of the projection, from what dL/dv is made of in e. */
    mgn_mat_mul(job->y_slope, rank, mgn_view_of(job->e, m, 1), mgn_view_of(v, rank + 1u, 1),
                mgn_sizes_of(count, m, rank), job->panel);
    for (size_t i = 0; i < (mgn_compact_rbf(job) ? count : 0u); i++) {
        margin_real sum = 0;
        for (size_t u = 0; u < m; u++) { sum += job->e[i * m + u]; }
        mgn_axpy(job->y_slope + i * rank, -sum, job->y + i * (rank + 1u), rank);
    }
    mgn_mat_mul(job->of_front.slope, d, mgn_view_of(job->y_slope, 1, rank),
                mgn_view_of(job->x, d + 1u, 1), mgn_sizes_of(rank, count, d), job->panel);
}

/* ---- steps ---- */

/* How a step is made: its rate, the decay, the share of a sample in the batch, and what makes up
 * for running means that started at 0. */
typedef struct {
    margin_real rate, decay, share, mean_up, size_up;
} mgn_compact_pace;

static void mgn_compact_move(mgn_compact_part *part, const mgn_compact_pace *pace,
                             margin_real decay) {
    const size_t cols = part->cols;
    const margin_real keep = 1 - pace->rate * decay;
    for (size_t r = 0; r < part->rows; r++) {
        margin_real *value = part->value + r * cols, *mean = part->mean + r * cols;
        const margin_real *slope = part->slope + r * cols;
        const margin_real square =
            margin_dot(slope, slope, cols) * pace->share * pace->share / (margin_real)cols;
        part->size[r] += (square - part->size[r]) * MGN_R(0.001);
        const margin_real step =
            pace->rate * pace->mean_up / (margin_sqrt(part->size[r] * pace->size_up) + MGN_R(1e-8));
        for (size_t k = 0; k < cols; k++) {
            mean[k] += (slope[k] * pace->share - mean[k]) * MGN_R(0.1);
            value[k] = value[k] * keep - step * mean[k];
        }
    }
}

/* Samples from .. from + count - 1 of the order into the batch, disturbed. */
static void mgn_compact_fill(mgn_compact *job, size_t from, size_t count, margin_real noise) {
    for (size_t i = 0; i < count; i++) {
        margin_real *x = job->x + i * (job->loaded + 1u);
        mgn_compact_load(job, from + i, i);
        for (size_t k = 0; k < (noise > 0 ? job->loaded : 0u); k++) {
            x[k] += noise * mgn_compact_normal(&job->rng);
        }
    }
}

/* One step on a batch. */
static void mgn_compact_step(mgn_compact *job, size_t from, size_t count, margin_real noise,
                             const mgn_compact_pace *pace) {
    mgn_compact_rounding(job);
    mgn_compact_fill(job, from, count, noise);
    mgn_compact_slopes(job, from, count);
    mgn_compact_move(&job->of_front, pace, pace->decay);
    mgn_compact_move(&job->of_units, pace, mgn_compact_rbf(job) ? 0 : pace->decay);
    mgn_compact_move(&job->of_coef, pace, pace->decay);
    mgn_compact_move(&job->of_bias, pace, 0);
    if (mgn_compact_rbf(job)) { mgn_compact_move(&job->of_width, pace, 0); }
}

/* Leaves column k out of a matrix with one row a unit. */
static void mgn_compact_cut(const mgn_compact *job, margin_real *m, size_t cols, size_t k) {
    size_t to = 0;
    for (size_t i = 0; i < job->units * cols; i++) {
        if (i % cols != k) { m[to++] = m[i]; }
    }
}

/* Lets go the features that are worth least, until `left` of them are left. A feature is worth what
 * the units make of it: the sum over units of |v_k|^2 |c_v|^2, times its variance. */
static void mgn_compact_drop(mgn_compact *job, size_t left) {
    const size_t w = job->machines;
    mgn_compact_part *p = &job->of_units;
    margin_real *worth = p->slope; /* which nobody needs between two batches */
    for (size_t k = 0; k < job->loaded; k++) {
        margin_real sum = 0;
        for (size_t u = 0; u < job->units; u++) {
            const margin_real v = p->value[u * p->cols + k], *coef = job->of_coef.value + u * w;
            sum += v * v * margin_dot(coef, coef, w);
        }
        worth[k] = sum * job->spread[job->pick[k]];
    }
    while (job->loaded > left) {
        size_t least = 0;
        for (size_t k = 1; k < job->loaded; k++) { least = worth[k] < worth[least] ? k : least; }
        mgn_compact_cut(job, p->value, p->cols, least);
        mgn_compact_cut(job, p->mean, p->cols, least);
        job->deep = --job->loaded;
        p->cols = job->deep + 1u;
        for (size_t k = least; k < job->loaded; k++) {
            job->pick[k] = job->pick[k + 1u];
            worth[k] = worth[k + 1u];
        }
    }
}

/* How many features are left after a share of the passes: from d at a twentieth of the way down to
 * those asked for at two fifths, by the same factor with each pass. */
static size_t mgn_compact_left(const mgn_compact *job, margin_real way) {
    const margin_real d = (margin_real)job->d, few = (margin_real)job->o.features;
    const margin_real part = mgn_min(mgn_max((way - MGN_R(0.05)) / MGN_R(0.35), 0), 1);
    const margin_real left = d * margin_exp(part * margin_log(few / d)) + MGN_R(0.5);
    return part < 1 ? mgn_size_min((size_t)left, job->loaded) : job->o.features;
}

/* The rate at a share 0 .. 1 of the way: up from 0 in the first twentieth, then down along
 * 1 - 3 p^2 + 2 p^3, which is close to half a period of a cosine. */
static margin_real mgn_compact_rate(const mgn_compact *job, margin_real way) {
    const margin_real p = (way - MGN_R(0.05)) / MGN_R(0.95);
    return job->o.rate * (p < 0 ? way * 20 : 1 - p * p * (3 - 2 * p));
}

/* Trains anew on the first `count` samples of the order, until the caller wants to stop. */
static void mgn_compact_fit(mgn_compact *job, size_t count, size_t passes) {
    const size_t batch = MARGIN_COMPACT_BATCH, steps = (count + batch - 1u) / batch;
    mgn_compact_pace pace = {0, job->o.decay, 0, 0, 0};
    margin_real mean_left = 1, size_left = 1;
    job->rounded = false;
    mgn_compact_begin(job);
    for (size_t pass = 0; pass < passes && !job->tick.stopped; pass++) {
        job->rounded = !job->o.exact && 2u * pass >= passes;
        job->loss = 0;
        margin_shuffle(&job->rng, job->order, count);
        for (size_t t = 0; t < steps; t++) {
            const size_t some = mgn_size_min(count - t * batch, batch);
            const margin_real way =
                ((margin_real)pass + (margin_real)(t + 1u) / (margin_real)steps) /
                (margin_real)passes;
            mean_left *= MGN_R(0.9);
            size_left *= MGN_R(0.999);
            pace.rate = mgn_compact_rate(job, way);
            pace.share = 1 / (margin_real)some;
            pace.mean_up = 1 / (1 - mean_left);
            pace.size_up = 1 / (1 - size_left);
            mgn_compact_step(job, t * batch, some, job->o.noise, &pace);
        }
        job->loss /= (margin_real)count * job->members;
        job->passes++;
        if (job->o.features > 0) {
            const margin_real way = (margin_real)(pass + 1u) / (margin_real)passes;
            mgn_compact_drop(job, mgn_compact_left(job, way));
        }
        (void)mgn_tick_stop(&job->tick, job->passes, job->loss, 0);
    }
}

/* ---- what validation chooses: decay, noise, of few samples the passes ---- */

/* Judges a training by the samples from .. n - 1 of the order. Their error rate goes to `error`;
 * what is returned is steadier, because errors and hits near the border count in part: a sample of
 * margin m counts 1/2 - m / 2t, limited to 0 .. 1, where t is 0.3 of the mean size of a margin. */
static margin_real mgn_compact_judge(mgn_compact *job, size_t from, margin_real *error) {
    const unsigned scheme = job->classes > 2u ? MARGIN_SCHEME_ONE_REST : MARGIN_SCHEME_BINARY;
    margin_real wrong = 0, total = MGN_TINY, size = MGN_TINY, sum = 0;
    for (size_t at = from; at < job->n; at += MARGIN_COMPACT_BATCH) {
        const size_t count = mgn_size_min(job->n - at, MARGIN_COMPACT_BATCH);
        mgn_compact_fill(job, at, count, 0);
        mgn_compact_scores(job, count);
        for (size_t i = 0; i < count; i++) {
            const margin_real *s = job->s + i * job->machines;
            const margin_real weight = mgn_weight(job->data, job->order[at + i]);
            const size_t label = mgn_label(job->data, job->order[at + i]);
            wrong += margin_elect(scheme, job->classes, s) == label ? 0 : weight;
            total += weight;
            job->mu[at + i] = margin_margin(scheme, job->classes, s, label);
            size += weight * mgn_abs(job->mu[at + i]);
        }
    }
    size *= MGN_R(0.6) / total;
    for (size_t i = from; i < job->n; i++) {
        const margin_real part = mgn_max(MGN_R(0.5) - job->mu[i] / size, 0);
        sum += mgn_weight(job->data, job->order[i]) * mgn_min(part, 1);
    }
    *error = wrong / total;
    return sum / total;
}

/* How many quarters are held out in turn. */
static size_t mgn_compact_parts(const mgn_compact *job) {
    if (job->n < MGN_COMPACT_FEW) { return 4u * mgn_size_min(3u, MGN_COMPACT_HELD / job->n); }
    return job->n / 2u < MGN_COMPACT_FEW ? 2u : 1u;
}

/* How many passes a training makes; only 300 are ever divided. */
static size_t mgn_compact_passes(const mgn_compact *job) {
    return (size_t)((margin_real)job->o.max_iterations / job->shorter + MGN_R(0.5));
}

/* Trains with the settings of the options in half the passes, and judges that. The quarters are
 * held out in turn, the last one first, those from the fourth turn on of another division, by an
 * order that is the same for all settings. */
static margin_real mgn_compact_try(mgn_compact *job, margin_real *error) {
    const size_t quarter = job->n / 4u, parts = mgn_compact_parts(job);
    const size_t passes = (mgn_compact_passes(job) + 1u) / 2u;
    margin_index *last = job->order + job->n - quarter;
    margin_real sum = 0;
    *error = 0;
    for (size_t turn = 0; turn < parts && !job->tick.stopped; turn++) {
        const size_t part = turn % 4u;
        margin_real rate;
        job->rng = margin_rng_make(job->o.seed + 1000u * (uint32_t)(turn / 4u));
        mgn_order_begin(job->order, job->n);
        margin_shuffle(&job->rng, job->order, job->n);
        for (size_t i = 0; i < (part > 0 ? quarter : 0u); i++) {
            margin_index *other = job->order + (part - 1u) * quarter + i;
            const margin_index kept = *other;
            *other = last[i];
            last[i] = kept;
        }
        mgn_compact_fit(job, job->n - quarter, passes);
        sum += mgn_compact_judge(job, job->n - quarter, &rate);
        *error += rate / (margin_real)parts;
    }
    return sum / (margin_real)parts;
}

/* Moves one setting, which is grid[at] and judged, along its ascending grid: up to the best, or else
 * down while that is better; where to. Upwards it ends two standard errors above the best. */
static size_t mgn_compact_walk(mgn_compact *job, margin_real *setting, const margin_real *grid,
                               size_t count, size_t at) {
    const size_t quarter = job->n / 4u;
    const margin_real rows = (margin_real)(quarter * mgn_size_min(mgn_compact_parts(job), 4u));
    size_t best = at;
    bool bad = false;
    for (size_t i = at + 1u; i < count && !bad && !job->tick.stopped; i++) {
        const margin_real deviation = margin_sqrt(job->judged * (1 - job->judged) / rows);
        margin_real error;
        *setting = grid[i];
        const margin_real judged = mgn_compact_try(job, &error);
        if (judged <= job->judged) {
            best = i;
            job->judged = judged;
            job->error = error;
        }
        bad = judged > job->judged + 2 * deviation;
    }
    bad = best > at;
    while (best > 0 && !bad && !job->tick.stopped) {
        margin_real error;
        *setting = grid[best - 1u];
        const margin_real judged = mgn_compact_try(job, &error);
        bad = judged >= job->judged;
        if (!bad) {
            best--;
            job->judged = judged;
            job->error = error;
        }
    }
    *setting = grid[best];
    return best;
}

#define MGN_COMPACT_ROUNDS 3u /* in which decay and noise go down in turn, at most */

/* Chooses decay and noise. More of one needs less of the other, so that each is looked at again
 * where the other has changed. */
static void mgn_compact_choose_pair(mgn_compact *job, size_t *decay, size_t *noise) {
    static const margin_real decays[] = {
        MGN_R(0.001), MGN_R(0.005), MGN_R(0.03), MGN_R(0.1), MGN_R(0.3), 1, 3};
    static const margin_real noises[] = {0,          MGN_R(0.05), MGN_R(0.1), MGN_R(0.2),
                                         MGN_R(0.4), MGN_R(0.7),  1};
    const size_t first = *noise;
    if (job->seek_decay) { *decay = mgn_compact_walk(job, &job->o.decay, decays, 7, *decay); }
    if (job->seek_noise) { *noise = mgn_compact_walk(job, &job->o.noise, noises, 7, *noise); }
    bool moved = job->seek_decay && *noise != first;
    for (size_t round = 0; moved && round < MGN_COMPACT_ROUNDS; round++) {
        const size_t before = *noise, chosen = *decay;
        *decay = mgn_compact_walk(job, &job->o.decay, decays, *decay + 1u, *decay);
        if (*decay < chosen) {
            *noise = mgn_compact_walk(job, &job->o.noise, noises, *noise + 1u, *noise);
        }
        moved = *noise < before;
    }
}

/* Chooses what the options leave open. Members stand in for decay and noise, which are chosen again
 * where there are fewer of them. */
static void mgn_compact_choose(mgn_compact *job) {
    static const margin_real shorter[] = {MGN_R(0.25), MGN_R(0.5), 1, 2, 4, 8, 16};
    static const margin_real members[] = {1, 2, 4, MGN_COMPACT_MEMBERS};
    size_t decay = 2, noise = 2, most = 0; /* places of 0.03 and 0.1 */
    while (job->seek_members && most < 3u &&
           members[most + 1u] * MGN_COMPACT_OWN <= (margin_real)job->units) {
        job->members = members[++most];
    }
    job->judged = mgn_compact_try(job, &job->error);
    mgn_compact_choose_pair(job, &decay, &noise);
    if (most > 0 && mgn_compact_walk(job, &job->members, members, most + 1u, most) < most) {
        mgn_compact_choose_pair(job, &decay, &noise);
    }
    if (job->seek_passes) {
        (void)mgn_compact_walk(job, &job->shorter, shorter, job->n < MGN_COMPACT_FEW ? 7u : 3u, 2);
    }
    job->rng = margin_rng_make(job->o.seed + 1u);
}

/* ---- the whole ---- */

/* The projection, in the coordinates of the data: P' = P factor, and the bias is -P'.centre. */
static void mgn_compact_store_front(mgn_compact *job, margin_projected *p) {
    const margin_real *rows = mgn_compact_values(job, &job->of_front);
    for (size_t r = 0; r < job->o.rank; r++) {
        for (size_t k = 0; k < job->d; k++) {
            job->front[r * job->d + k] = rows[r * job->d + k] * job->factor;
        }
        job->front_bias[r] = -margin_dot(job->front + r * job->d, job->centre, job->d);
    }
    p->front = job->front;
    p->front_bias = job->front_bias;
    p->offset = p->factor = NULL;
    p->picked = NULL;
    p->d = job->d;
}

/* The units, in the coordinates of the data or of the projection, whose centre is 0 and whose
 * factor is 1: for hinge units v' = v factor and t' = t - v'.centre, for rbf units
 * v' = v / factor + centre and gamma' = gamma factor^2. */
static void mgn_compact_store_units(mgn_compact *job, margin_kernel *kernel) {
    const size_t d = job->deep;
    const bool plain = job->o.rank > 0, rbf = mgn_compact_rbf(job);
    const margin_real factor = plain ? 1 : job->factor;
    const margin_real *units = mgn_compact_values(job, &job->of_units);
    for (size_t u = 0; u < job->units; u++) {
        const margin_real *from = units + u * (d + 1u);
        margin_real *to = job->vectors + u * d;
        margin_real moved = 0;
        for (size_t k = 0; k < d; k++) {
            const margin_real centre = plain ? 0 : job->centre[job->pick[k]];
            to[k] = rbf ? from[k] / factor + centre : from[k] * factor;
            moved += to[k] * centre;
        }
        job->norms[u] = rbf ? mgn_norm2_bits(to, d) : from[d] - moved;
    }
    if (rbf) {
        kernel->kind = MARGIN_KERNEL_RBF;
        kernel->gamma = margin_exp(job->of_width.value[0]) * factor * factor;
    }
}

static void mgn_compact_store(mgn_compact *job, margin_model *model) {
    const mgn_pool pool = {job->deep,  job->machines, job->units, job->vectors,
                           job->norms, job->coef,     job->bias,  job->class_end};
    const bool projected = job->o.rank > 0 || job->o.features > 0;
    margin_expansion *e = projected ? &model->of.projected.pool : &model->of.expansion;
    margin_kernel kernel = {MARGIN_KERNEL_HINGE, 3, 1, 0, 2};
    model->kind = projected ? MARGIN_MODEL_PROJECTED : MARGIN_MODEL_EXPANSION;
    if (job->o.rank > 0) {
        mgn_compact_store_front(job, &model->of.projected);
    } else if (projected) { /* the features that are left */
        margin_projected *p = &model->of.projected;
        for (size_t i = 0; i < (job->d + 7u) / 8u; i++) { job->picked[i] = 0; }
        for (size_t k = 0; k < job->loaded; k++) {
            uint8_t *byte = job->picked + job->pick[k] / 8u;
            *byte = (uint8_t)(*byte | 1u << job->pick[k] % 8u);
        }
        p->front = p->front_bias = p->offset = p->factor = NULL;
        p->d = job->d;
        p->picked = job->picked;
    }
    mgn_compact_store_units(job, &kernel); /* which sets gamma of rbf units */
    for (size_t i = 0; i < job->units * job->machines; i++) {
        job->coef[i] = mgn_compact_values(job, &job->of_coef)[i] / job->members;
    }
    mgn_copy(job->bias, job->of_bias.value, job->machines);
    for (size_t c = 0; c < job->classes; c++) {
        job->class_end[c] = (uint32_t)job->units; /* a vector has no class: it has all of them */
    }
    const unsigned scheme = job->classes > 2u ? MARGIN_SCHEME_ONE_REST : MARGIN_SCHEME_BINARY;
    mgn_pool_expansion(&pool, &kernel, mgn_vote_of(job->classes, scheme), e);
    e->class_end = pool.end;
}

static margin_status mgn_compact_in_frame(void *task, mgn_frame *frame) {
    mgn_compact *job = (mgn_compact *)task;
    mgn_compact_plan(job, frame->mem);
    const margin_status status = mgn_compact_centre(job);
    if (status != MARGIN_OK) { return status; }
    job->rng = margin_rng_make(job->o.seed);
    margin_shuffle(&job->rng, job->order, job->n);
    job->passes = 0;
    job->error = -1;
    job->tick = mgn_tick_make(job->o.watch, 1);
    if (job->seek_decay || job->seek_noise) { mgn_compact_choose(job); }
    if (!job->tick.stopped) { mgn_compact_fit(job, job->n, mgn_compact_passes(job)); }
    if (job->o.features > 0) { mgn_compact_drop(job, job->o.features); } /* if it was stopped */
    mgn_compact_rounding(job);
    mgn_compact_store(job, &frame->model);
    if (frame->wants_info) {
        mgn_margins margins = {job->data, &frame->model, job->s, NULL};
        for (size_t i = 0; i < job->n; i++) { job->mu[i] = mgn_margins_at(&margins, i); }
        margins.known = job->mu;
        (void)mgn_margins_info(&margins, &frame->info);
        frame->info.objective = job->loss;
        frame->info.iterations = job->passes;
        frame->info.converged = !job->tick.stopped;
        frame->info.support = job->units;
        frame->info.bias = job->bias[0];
    }
    return job->tick.stopped ? MARGIN_W_STOPPED : MARGIN_OK;
}

static const mgn_method mgn_compact_method = {mgn_compact_plan, mgn_compact_in_frame};

MARGIN_API size_t margin_compact_train_size(size_t n, size_t d, size_t classes,
                                            const margin_compact_options *options) {
    mgn_compact job;
    return mgn_compact_shape(&job, n, d, classes, options)
               ? mgn_frame_size(&mgn_compact_method, &job)
               : 0;
}

MARGIN_API margin_status margin_compact_train(const margin_data *data,
                                              const margin_compact_options *options,
                                              margin_arena *mem, margin_model *model,
                                              margin_info *info, margin_compact_report *report) {
    size_t classes = 0;
    mgn_compact job;
    margin_status status = margin_data_classes(data, &classes);
    if (status == MARGIN_OK && !mgn_proto_classes(data, classes)) { status = MARGIN_E_ONE_CLASS; }
    if (status == MARGIN_OK && !mgn_compact_shape(&job, data->n, data->d, classes, options)) {
        status = job.o.vectors > data->n    ? MARGIN_E_VECTORS
                 : options->rank >= data->d ? MARGIN_E_RANK
                                            : MARGIN_E_ARGUMENT;
    }
    job.data = data;
    status = mgn_frame_train(&mgn_compact_method, &job, status, mem, model, info);
    if (status >= 0 && report != NULL) {
        report->noise = job.o.noise;
        report->decay = job.o.decay;
        report->members = (size_t)job.members;
        report->passes = mgn_compact_passes(&job);
        report->held_out_error = job.error;
    }
    return status;
}

/* ---- >>ordinal ---- classes in order: rankers, thresholds between the classes, Kendall's tau - */

/* Pelckmans, Suykens, De Moor: "A risk minimization principle for a class of Parzen estimators",
 * NIPS 2007, section 4; equation numbers are the paper's. With weights u_i and targets Y_i,
 *
 *     d_i = sum_j u_j sign(Y_i - Y_j) = 2 (weight below) + (weight equal) - (all weight)  [21]
 *
 * (the paper equates this with the rank; the rank less its mean is meant, as a constant added to d
 * spoils f), and since sum u_i d_i = 0 a shift of phi changes nothing:
 *
 *     omam    w = sum u_i d_i phi(x_i) / q,   q = |sum u_i d_i phi(x_i)|  [22]
 *
 * whose average margin over the P pairs with different targets is q / P.
 *
 * lssvm, with t = d / (all weight): a = u c (t - f) and 1'a = 0 are the conditions of optimality,
 * hence
 *
 *     H a + b 1 = t,   H = K + diag(1 / (c u)),   f = K a + b,
 *     b = 1'H^-1 t / 1'H^-1 1,   a = H^-1 t - b H^-1 1
 *
 * (Suykens, Vandewalle: "Least squares support vector machine classifiers", 1999), and the error
 * at sample i of the same fit without it is a_i / G_ii, where G is the inverse of the bordered
 * matrix (Cawley, Talbot: "Fast exact leave-one-out cross-validation of sparse least-squares
 * support vector machines", 2004): G_ii = (H^-1)_ii - (H^-1 1)_i^2 / 1'H^-1 1. For linear kernels
 * the same in the d features, about their means, S = sum u_i x_i x_i' = V diag(l) V', z_i = V'x_i:
 *
 *     w = V diag(1 / (l + 1/c)) V' sum u_i t_i x_i,   error without i = (t_i - f_i) / (1 - h_i),
 *     h_i = u_i (1 / (all weight) + sum_k z_ik^2 / (l_k + 1/c)). */

/* Returns the end of the run of equal keys that starts at place i of a sorted order. */
static size_t mgn_order_ties(const margin_real *key, const margin_index *order, size_t i,
                             size_t n) {
    const margin_real first = key[order[i]];
    while (i < n && key[order[i]] == first) { i++; }
    return i;
}

static void mgn_order_plan(margin_arena *mem, size_t n, margin_index **order,
                           margin_index **spare) {
    *order = MGN_SCRATCH(mem, margin_index, n);
    *spare = MGN_SCRATCH(mem, margin_index, n);
}

MARGIN_API size_t margin_kendall_size(size_t n) {
    margin_arena dry = margin_arena_counting();
    margin_index *order, *spare;
    mgn_order_plan(&dry, n, &order, &spare);
    return n > MARGIN_INDEX_MAX ? 0 : mgn_arena_counted(&dry);
}

/* Checks two arrays of n numbers that are to be sorted, and the arena. */
static margin_status mgn_order_check(const margin_real *a, const margin_real *b, size_t n,
                                     const margin_arena *mem) {
    if (a == NULL || b == NULL || mgn_mem_check(mem) != MARGIN_OK) { return MARGIN_E_ARGUMENT; }
    if (n == 0) { return MARGIN_E_EMPTY; }
    if (n > MARGIN_INDEX_MAX) { return MARGIN_E_OVERFLOW; }
    return mgn_all_finite(a, n) && mgn_all_finite(b, n) ? MARGIN_OK : MARGIN_E_NOT_FINITE;
}

/* Counts the pairs of equal keys at the places from .. n - 1 of a sorted order. */
static uint64_t mgn_order_tied(const margin_real *key, const margin_index *order, size_t from,
                               size_t n) {
    uint64_t pairs = 0;
    for (size_t i = from, end; i < n; i = end) {
        end = mgn_order_ties(key, order, i, n);
        pairs += (uint64_t)(end - i) * (end - i - 1u) / 2u;
    }
    return pairs;
}

/* Knight's count: sorted by b and then by a, pairs in disagreement are those that sorting by b
 * again has to swap (W. R. Knight: "A computer method for calculating Kendall's tau with ungrouped
 * data", J. Am. Stat. Assoc. 61, 1966). False if all a or all b are equal. */
static bool mgn_kendall(const margin_real *a, const margin_real *b, margin_index *order,
                        margin_index *spare, size_t n, margin_real *tau) {
    const uint64_t all = (uint64_t)n * (n - 1u) / 2u;
    uint64_t in_both = 0;
    mgn_order_begin(order, n);
    (void)mgn_order_sort(b, order, spare, n);
    (void)mgn_order_sort(a, order, spare, n);
    for (size_t i = 0, end; i < n; i = end) {
        end = mgn_order_ties(a, order, i, n);
        in_both += mgn_order_tied(b, order, i, end);
    }
    const uint64_t in_a = mgn_order_tied(a, order, 0, n);
    const uint64_t swaps = mgn_order_sort(b, order, spare, n);
    const uint64_t in_b = mgn_order_tied(b, order, 0, n);
    if (in_a == all || in_b == all) { return false; }
    const int64_t balance = (int64_t)((all - in_a) + in_both) - (int64_t)(in_b + 2u * swaps);
    const margin_real root_a = mgn_sqrt((margin_real)(all - in_a));
    const margin_real root_b = mgn_sqrt((margin_real)(all - in_b));
    *tau = mgn_min(mgn_max((margin_real)balance / root_a / root_b, -1), 1);
    return true;
}

MARGIN_API margin_status margin_kendall(const margin_real *a, const margin_real *b, size_t n,
                                        margin_arena *mem, margin_real *tau) {
    margin_status status = mgn_order_check(a, b, n, mem);
    margin_index *order, *spare;
    if (status != MARGIN_OK || tau == NULL) { return mgn_both(status, MARGIN_E_ARGUMENT); }
    margin_arena before = *mem;
    mgn_order_plan(mem, n, &order, &spare);
    if (mem->failed == 0 && !mgn_kendall(a, b, order, spare, n, tau)) {
        status = MARGIN_E_NO_ORDER;
    }
    return mgn_both(margin_arena_rewind(mem, &before), status);
}

MARGIN_API margin_real margin_absolute_error(const margin_real *confusion, size_t classes) {
    margin_real sum = 0, answered = 0;
    for (size_t t = 0; t < classes; t++) {
        for (size_t a = 0; a < classes; a++) {
            const margin_real count = confusion[t * (classes + 1u) + a];
            sum += count * (margin_real)(t > a ? t - a : a - t);
            answered += count;
        }
    }
    return answered > 0 ? sum / answered : 0;
}

/* ---- thresholds ---- */

/* Samples sorted by score are to be cut into runs for the classes 0, 1, .. k-1; a run may be
 * empty. Dynamic programming: let best[c] be the least loss of the samples so far if the last one
 * is in class c. The next group of equal scores, put into class c, adds its loss to the minimum
 * over c' <= c of best[c']. cuts[c] tells where the runs of that solution start: k - 1 places
 * each, of which the first c are known. This takes n k steps, and k more each time that a class
 * takes over the solution of a lower one. */
typedef struct {
    const margin_data *data; /* labels and weights of n samples */
    const margin_real *f;    /* their scores */
    margin_index *order;     /* sorted by score */
    margin_index *cuts;      /* k x (k - 1) */
    margin_real *best, *cost;
    size_t n, classes;
    unsigned loss;
} mgn_cuts;

/* Class c goes on from the solution of the lower class `from`; its run starts at `at`. */
static void mgn_cuts_take(const mgn_cuts *t, size_t c, size_t from, size_t at) {
    const margin_index *old = t->cuts + from * (t->classes - 1u);
    margin_index *cuts = t->cuts + c * (t->classes - 1u);
    for (size_t j = 0; j < c; j++) { cuts[j] = j < from ? old[j] : (margin_index)at; }
}

/* Adds a group of equal scores at the places from .. to - 1. The lower class with the least loss
 * kept its own solution in this round, as nothing below it was better. */
static void mgn_cuts_group(const mgn_cuts *t, size_t from, size_t to) {
    margin_real low = t->best[0];
    size_t lowest = 0;
    mgn_zero(t->cost, t->classes); /* of the group in each class */
    for (size_t i = from; i < to; i++) {
        const size_t label = mgn_label(t->data, t->order[i]);
        const margin_real weight = mgn_weight(t->data, t->order[i]);
        for (size_t c = 0; c < t->classes; c++) {
            const size_t off = c > label ? c - label : label - c;
            const bool counted = t->loss == MARGIN_ORDINAL_ABSOLUTE || off == 0;
            t->cost[c] += weight * (margin_real)(counted ? off : 1u);
        }
    }
    for (size_t c = 0; c < t->classes; c++) {
        if (low < t->best[c]) {
            t->best[c] = low;
            mgn_cuts_take(t, c, lowest, from);
        } else {
            low = t->best[c];
            lowest = c;
        }
        t->best[c] += t->cost[c];
    }
}

/* The rising thresholds of scores that `order` sorts, by the best cuts. Each is midway between the
 * scores on both sides of its cut, at least the lower one and below the upper one. Where one side
 * is empty, it is beyond all scores by their range. */
static void mgn_cuts_thresholds(const mgn_cuts *t, margin_real *thresholds) {
    const margin_real first = t->f[t->order[0]], last = t->f[t->order[t->n - 1u]];
    const margin_real size = mgn_max(mgn_abs(first), mgn_abs(last));
    const margin_real pad = (last - first) + (size > 0 ? 8 * MGN_EPS * size : 1);
    size_t end, best = 0;
    for (size_t c = 0; c < t->classes; c++) {
        t->best[c] = 0;
        mgn_cuts_take(t, c, 0, 0);
    }
    for (size_t i = 0; i < t->n; i = end) {
        end = mgn_order_ties(t->f, t->order, i, t->n);
        mgn_cuts_group(t, i, end);
    }
    for (size_t c = 0; c < t->classes; c++) { best = t->best[c] < t->best[best] ? c : best; }
    for (size_t j = 0; j + 1u < t->classes; j++) {
        const size_t cut = j < best ? t->cuts[best * (t->classes - 1u) + j] : t->n;
        const margin_real low = cut > 0 ? t->f[t->order[cut - 1u]] : first - pad;
        const margin_real high = cut < t->n ? t->f[t->order[cut]] : last + pad;
        const margin_real middle = low / 2 + high / 2;
        thresholds[j] = cut == 0 ? low : cut == t->n ? high : middle < high ? middle : low;
    }
}

static void mgn_thresholds_plan(mgn_cuts *plan, margin_arena *mem, margin_index **spare) {
    mgn_order_plan(mem, plan->n, &plan->order, spare);
    MARGIN_BLOCKS_CUTS(MGN_TAKE, plan->classes)
}

static bool mgn_thresholds_shape(mgn_cuts *t, size_t n, size_t classes) {
    t->n = n;
    t->classes = classes;
    return classes >= 2u && classes < MARGIN_REJECTED && n <= MARGIN_INDEX_MAX;
}

MARGIN_API size_t margin_thresholds_size(size_t n, size_t classes) {
    margin_arena dry = margin_arena_counting();
    margin_index *spare;
    mgn_cuts t;
    if (!mgn_thresholds_shape(&t, n, classes)) { return 0; }
    mgn_thresholds_plan(&t, &dry, &spare);
    return mgn_arena_counted(&dry);
}

MARGIN_API margin_status margin_thresholds(const margin_real *scores, const uint16_t *labels,
                                           const margin_real *weight, size_t n, size_t classes,
                                           unsigned loss, margin_arena *mem,
                                           margin_real *thresholds) {
    const margin_data data = {NULL, n, 0, 0, labels, weight, NULL};
    const margin_status status = mgn_order_check(scores, scores, n, mem);
    margin_index *spare;
    mgn_cuts t;
    if (status != MARGIN_OK) { return status; }
    if (thresholds == NULL || !mgn_thresholds_shape(&t, n, classes) || labels == NULL ||
        loss > MARGIN_ORDINAL_ZERO_ONE) {
        return MARGIN_E_ARGUMENT;
    }
    if (mgn_largest_label(&data) >= classes || (weight != NULL && !mgn_weights_fit(&data))) {
        return MARGIN_E_LABEL;
    }
    margin_arena before = *mem;
    mgn_thresholds_plan(&t, mem, &spare);
    if (mem->failed == 0) {
        t.data = &data;
        t.f = scores;
        t.loss = loss;
        mgn_order_begin(t.order, n);
        (void)mgn_order_sort(scores, t.order, spare, n);
        mgn_cuts_thresholds(&t, thresholds);
    }
    return margin_arena_rewind(mem, &before);
}

/* ---- what both trainers share ---- */

/* A solver: `plan` takes the scratch that `fit` takes for so many samples. */
typedef struct mgn_ordinal mgn_ordinal;
typedef struct {
    void (*plan)(const mgn_ordinal *o, margin_arena *mem);
    margin_status (*fit)(mgn_ordinal *o, margin_arena *mem);
} mgn_ordinal_solver;

struct mgn_ordinal {
    const mgn_ordinal_solver *solver;
    const margin_data *given;
    margin_data data; /* the samples of positive weight: rows */
    margin_ordinal_options options;
    size_t n, d, classes, machines;
    unsigned scheme;
    bool linear;
    margin_real total; /* weight of all samples, */
    margin_real pairs; /* and of all pairs of different targets */
    mgn_cuts cuts;     /* its order serves all sorting */
    margin_index *rows, *spare;
    margin_real *rank; /* d_i over all weight, from -1 to 1 */
    margin_real *f;    /* out: the function without a bias at each sample, */
    margin_real *coef; /* out: coefficients of samples; nonlinear kernels, */
    margin_real *w;    /* out: weights; linear kernels, kept */
    margin_real *mass; /* normalised: sum of weighted kernel values at each sample */
    margin_real *row;  /* normalised: coefficients of one vector */
    margin_real *bias; /* of each machine; kept for linear kernels */
    margin_real shift; /* out: bias of a ranker */
    margin_info info;  /* out: objective, and what else the solver knows */
    margin_ordinal_report found;
    mgn_tick tick;
    bool reported; /* `found` is wanted */
    bool levels;   /* a normalised model of numbers: three levels of the mean rank */
    bool numbers;  /* targets count as they are, not by their ranks: `rank` is target less */
    margin_real mean, size; /* mean, in units of the deviation */
};

/* Options with their defaults, and the shape that they give. */
static margin_status mgn_ordinal_shape(mgn_ordinal *o, size_t n, size_t d, size_t classes,
                                       const margin_ordinal_options *options) {
    o->options = *options;
    const margin_status status = margin_kernel_resolve(&options->kernel, d, &o->options.kernel);
    const unsigned kind = o->options.kernel.kind;
    const bool bounded = kind == MARGIN_KERNEL_RBF || kind == MARGIN_KERNEL_UNIT_POLY ||
                         kind == MARGIN_KERNEL_UNIT_EXP;
    o->numbers = false;
    o->linear = kind == MARGIN_KERNEL_LINEAR;
    o->n = n;
    o->d = d;
    o->levels = options->normalised && options->targets != NULL;
    o->classes = o->levels ? 3u : options->targets != NULL ? 1u : classes;
    o->scheme = options->normalised ? MARGIN_SCHEME_ONE_REST : MARGIN_SCHEME_ORDINAL;
    if (o->classes == 2u) { o->scheme = MARGIN_SCHEME_BINARY; }
    o->machines = margin_machines(o->scheme, o->classes);
    if (n > MARGIN_INDEX_MAX) { return mgn_both(status, MARGIN_E_OVERFLOW); }
    if ((options->normalised && (o->classes == 1u || !bounded)) ||
        options->loss > MARGIN_ORDINAL_ZERO_ONE || !(options->c >= 0) || !mgn_finite(options->c)) {
        return mgn_both(status, MARGIN_E_ARGUMENT);
    }
    return status;
}

/* Takes what lasts through a training. */
static void mgn_ordinal_plan(mgn_ordinal *plan, margin_arena *mem) {
    const size_t n = plan->n, expanded = plan->options.normalised ? n : 0;
    plan->w = MGN_KEEP(mem, margin_real, plan->linear ? plan->d : 0);
    plan->bias = plan->linear ? MGN_KEEP(mem, margin_real, plan->machines)
                              : MGN_SCRATCH(mem, margin_real, plan->machines);
    plan->coef = MGN_SCRATCH(mem, margin_real, plan->linear ? 0 : n);
    plan->mass = MGN_SCRATCH(mem, margin_real, expanded);
    plan->row = MGN_SCRATCH(mem, margin_real, expanded > 0 ? plan->machines : 0);
    MARGIN_BLOCKS_ORDINAL(MGN_TAKE, n)
    plan->cuts.n = n;
    plan->cuts.classes = plan->classes;
    mgn_thresholds_plan(&plan->cuts, mem, &plan->spare);
}

static mgn_pool mgn_ordinal_pool(const mgn_ordinal *o, margin_arena *mem, size_t n) {
    const size_t width = o->options.normalised ? o->machines : 1u;
    return mgn_pool_plan(mem, n, o->d, width, o->machines, o->classes);
}

static void mgn_ordinal_plan_all(void *task, margin_arena *mem) {
    mgn_ordinal *o = (mgn_ordinal *)task;
    mgn_ordinal_plan(o, mem);
    const size_t mark = mem->high;
    o->solver->plan(o, mem);
    margin_arena_release(mem, mark);
    if (!o->linear) { (void)mgn_ordinal_pool(o, mem, o->n); }
}

static bool mgn_targets_finite(const margin_data *data, const margin_real *targets) {
    bool finite = true;
    for (size_t i = 0; i < data->n; i++) {
        finite = finite && mgn_finite(targets[mgn_row_of(data, i)]);
    }
    return finite;
}

/* Measures the targets from their mean in units of their deviation; false if all are equal. */
static bool mgn_ordinal_standard(mgn_ordinal *o) {
    margin_real total = 0, lost = 0, sum = 0, lost_sum = 0, square = 0;
    for (size_t i = 0; i < o->n; i++) {
        mgn_add(&total, &lost, mgn_weight(&o->data, i));
        mgn_add(&sum, &lost_sum, mgn_weight(&o->data, i) * (o->rank[i] - o->rank[0]));
    }
    o->mean = o->rank[0] + sum / total;
    o->size = 0;
    for (size_t i = 0; i < o->n; i++) {
        o->rank[i] -= o->mean;
        o->size = mgn_max(o->size, mgn_abs(o->rank[i]));
    }
    for (size_t i = 0; i < o->n && o->size > 0; i++) {
        const margin_real part = o->rank[i] / o->size;
        square += mgn_weight(&o->data, i) / total * (part * part);
    }
    o->size *= mgn_sqrt(square);
    o->total = total;
    o->pairs = 0;
    /* Where a difference has overflowed, so has the size, and their ratio is a NaN. */
    if (!(o->size > 4 * MGN_EPS * mgn_abs(o->mean))) { return false; }
    for (size_t i = 0; i < o->n; i++) { o->rank[i] /= o->size; }
    return true;
}

/* Lists the samples of positive weight and ranks their targets; false if these are all equal. */
static bool mgn_ordinal_gather(mgn_ordinal *o, const margin_data *data) {
    size_t n = 0;
    for (size_t i = 0; i < data->n; i++) {
        const size_t row = mgn_row_of(data, i);
        if (mgn_weight(data, i) > 0) {
            const margin_real *targets = o->options.targets;
            o->rows[n] = (margin_index)row;
            o->rank[n++] = targets != NULL ? targets[row] : (margin_real)data->y[row];
        }
    }
    o->data = *data;
    o->data.rows = o->rows;
    o->data.n = o->n = n;
    MARGIN_ASSERT(n > 0); /* margin_data_check refuses weights whose sum is 0 */
    if (o->numbers) { return mgn_ordinal_standard(o); }
    /* From targets to d_i [21], which needs their order. */
    margin_real lost = 0, below = 0, lost_below = 0, all = 0;
    margin_index *order = o->cuts.order;
    mgn_order_begin(order, n);
    (void)mgn_order_sort(o->rank, order, o->spare, n);
    for (size_t i = 0; i < n; i++) { mgn_add(&all, &lost, mgn_weight(&o->data, i)); }
    o->total = all;
    o->pairs = 0;
    for (size_t i = 0, end; i < n; i = end) {
        margin_real equal = 0;
        end = mgn_order_ties(o->rank, order, i, n);
        for (size_t k = i; k < end; k++) { equal += mgn_weight(&o->data, order[k]); }
        for (size_t k = i; k < end; k++) { o->rank[order[k]] = 2 * below + (equal - all); }
        o->pairs += below * equal;
        mgn_add(&below, &lost_below, equal);
    }
    for (size_t i = 0; i < n; i++) { o->rank[i] /= all; }
    return o->pairs > 0;
}

/* Sets the biases: that of a ranker comes from the solver, those of classes from the thresholds. */
static void mgn_ordinal_bias(mgn_ordinal *o) {
    mgn_cuts *t = &o->cuts;
    o->bias[0] = o->shift;
    if (o->levels) { /* see mgn_ordinal_expand_normalised */
        o->bias[0] = MGN_R(1.0) / 3;
        o->bias[1] = -o->bias[0];
    } else if (o->classes > 1u) {
        t->data = &o->data;
        t->f = o->f;
        t->n = o->n;
        t->loss = o->options.loss;
        mgn_order_begin(t->order, o->n);
        (void)mgn_order_sort(o->f, t->order, o->spare, o->n);
        mgn_cuts_thresholds(t, o->bias);
        for (size_t j = 0; j + 1u < o->classes; j++) { o->bias[j] = -o->bias[j]; }
    }
}

/* What is added to the sum of kernel values of a normalised model, whose weights sum to 1: a
 * thousandth of a sample, so that far from all samples the mean rank falls back to 0, the
 * middle. */
static margin_real mgn_ordinal_far(const mgn_ordinal *o) {
    return 1 / (1024 * (margin_real)o->n);
}

/* A normalised model without its division. With F = sum u_i d_i k(x_i, x) and G = sum u_i k(x_i, x)
 * > 0 the class is the number of thresholds t_j below F / G, which is that of j with F - t_j G > 0.
 * The t_j rise, so these differences fall, and their partial sums
 *
 *     S_c = sum over j < c of (F - t_j G) = c F - T_c G,   T_c = t_0 + .. + t_(c-1),
 *
 * rise up to the class and fall from there on: the largest S_c is that of the class, and of equal
 * ones the smaller class has it, as with thresholds. Each S_c is an expansion with the coefficients
 * u_i (c d_i - T_c). For two classes S_0 = 0, and the sign of S_1 tells.
 *
 * Numbers have three levels, with the thresholds -1/3 and 1/3. Then S_1 = F + G / 3 and S_2 = 2 F,
 * so that the scores tell the mean rank itself: F / G = S_2 / (3 (2 S_1 - S_2)). */
static void mgn_ordinal_expand_normalised(mgn_ordinal *o, mgn_pool *pool) {
    const size_t first = o->classes == 2u ? 1u : 0u;
    for (size_t i = 0; i <= o->n; i++) { /* the last one stands for mgn_ordinal_far */
        const margin_real rank = i < o->n ? o->rank[i] : 0;
        const margin_real weight =
            i < o->n ? mgn_weight(&o->data, i) / o->total : mgn_ordinal_far(o);
        margin_real sum = 0;
        for (size_t c = 0; c < o->classes; c++) {
            if (c >= first) { o->row[c - first] = weight * ((margin_real)c * rank - sum); }
            sum -= c + 1u < o->classes ? o->bias[c] : 0;
        }
        if (i < o->n) { mgn_pool_add(pool, mgn_sample(&o->data, i), o->row); }
    }
    mgn_copy(pool->bias, o->row, o->machines);
}

/* Makes a pool of the samples that have a coefficient. All vectors belong to the one function, so
 * that all classes end at the same place. */
static void mgn_ordinal_expand(mgn_ordinal *o, margin_arena *mem, margin_expansion *e) {
    size_t n = 0;
    for (size_t i = 0; i < o->n; i++) { n += o->coef[i] != 0 || o->options.normalised ? 1u : 0u; }
    mgn_pool pool = mgn_ordinal_pool(o, mem, n > 0 ? n : 1u);
    if (o->options.normalised) {
        mgn_ordinal_expand_normalised(o, &pool);
    } else {
        for (size_t i = 0; i < o->n; i++) {
            if (o->coef[i] != 0 || (n == 0 && i == 0)) {
                mgn_pool_add(&pool, mgn_sample(&o->data, i), o->coef + i);
            }
        }
        mgn_copy(pool.bias, o->bias, o->machines);
    }
    for (size_t c = 0; c < o->classes; c++) { pool.end[c] = (uint32_t)pool.count; }
    mgn_pool_expansion(&pool, &o->options.kernel, mgn_vote_of(o->classes, o->scheme), e);
    e->class_end = pool.end;
}

/* Computes tau and, for classes, the margins, which replace the scores. */
static void mgn_ordinal_report(mgn_ordinal *o) {
    o->info.bias = o->bias[0];
    if (!mgn_kendall(o->f, o->rank, o->cuts.order, o->spare, o->n, &o->found.tau)) {
        o->found.tau = 0;
    }
    if (o->classes > 1u && !o->levels) {
        for (size_t i = 0; i < o->n; i++) {
            const size_t label = mgn_label(&o->data, i);
            margin_real margin = MGN_HUGE;
            if (label > 0) { margin = o->f[i] + o->bias[label - 1u]; }
            if (label + 1u < o->classes) { margin = mgn_min(margin, -(o->f[i] + o->bias[label])); }
            o->f[i] = margin;
        }
        mgn_info_margins(&o->info, o->f, o->n);
    }
}

static margin_status mgn_ordinal_run(void *task, mgn_frame *frame) {
    mgn_ordinal *o = (mgn_ordinal *)task;
    mgn_ordinal_plan(o, frame->mem);
    const size_t mark = frame->mem->high;
    o->info = mgn_no_info;
    o->info.converged = true; /* as is all that has a closed form */
    o->shift = o->found.tau = o->found.c = o->found.loo = 0;
    o->tick = mgn_tick_make(o->options.watch, 1);
    if (!mgn_ordinal_gather(o, o->given)) { return MARGIN_E_NO_ORDER; }
    const margin_status status = o->solver->fit(o, frame->mem);
    margin_arena_release(frame->mem, mark);
    if (status < 0) { return status; }
    if (o->numbers) { /* back to the units of the targets */
        const margin_real s = o->size;
        for (size_t k = 0; k < o->d && o->linear; k++) { o->w[k] *= s; }
        for (size_t i = 0; i < o->n; i++) {
            o->f[i] *= s;
            if (!o->linear) { o->coef[i] *= s; }
        }
        o->shift = o->shift * s + o->mean;
        o->info.objective = o->info.objective * s * s;
        o->info.gap = o->info.gap * s * s;
        o->found.loo = o->found.loo * s * s;
    }
    mgn_ordinal_bias(o);
    margin_model *model = &frame->model;
    o->info.support = o->n;
    if (o->linear) {
        mgn_linear_model(model, o->w, o->bias, o->d, mgn_vote_of(o->classes, o->scheme));
    } else {
        model->kind = MARGIN_MODEL_EXPANSION;
        mgn_ordinal_expand(o, frame->mem, &model->of.expansion);
        o->info.support = model->of.expansion.n;
    }
    if (frame->wants_info || o->reported) { mgn_ordinal_report(o); }
    frame->info = o->info;
    return status;
}

static const mgn_method mgn_ordinal_method = {mgn_ordinal_plan_all, mgn_ordinal_run};

static size_t mgn_ordinal_size(const mgn_ordinal_solver *solver, size_t n, size_t d, size_t classes,
                               const margin_ordinal_options *options) {
    mgn_ordinal o;
    if (n == 0 || classes == 0 || classes >= MARGIN_REJECTED ||
        mgn_ordinal_shape(&o, n, d, classes, options) != MARGIN_OK) {
        return 0;
    }
    o.solver = solver;
    return mgn_frame_size(&mgn_ordinal_method, &o);
}

/* Checks, shape and training; the solver and the options are in *o. */
static margin_status mgn_ordinal_train(mgn_ordinal *o, const margin_data *data, margin_arena *mem,
                                       margin_model *model, margin_info *info,
                                       margin_ordinal_report *report) {
    const margin_ordinal_options options = o->options;
    const bool ranker = options.targets != NULL;
    size_t classes = 0;
    margin_status status = ranker ? margin_data_check(data) : margin_data_classes(data, &classes);
    if (status != MARGIN_OK) { return status; }
    if (ranker && !mgn_targets_finite(data, options.targets)) { return MARGIN_E_NOT_FINITE; }
    if (classes >= MARGIN_REJECTED || options.classes >= MARGIN_REJECTED ||
        (options.classes != 0 && classes > options.classes)) {
        return MARGIN_E_LABEL;
    }
    classes = options.classes != 0 ? options.classes : classes;
    if (!ranker && classes < 2u) { return MARGIN_E_NO_ORDER; }
    status = mgn_ordinal_shape(o, data->n, data->d, classes, &options);
    o->given = data;
    o->reported = report != NULL;
    status = mgn_frame_train(&mgn_ordinal_method, o, status, mem, model, info);
    if (status >= 0 && report != NULL) { *report = o->found; }
    return status;
}

/* Computes the function of a linear model at all samples, as the predictor does. */
static void mgn_ordinal_scores(mgn_ordinal *o) {
    for (size_t i = 0; i < o->n; i++) {
        o->f[i] = mgn_flash_dot(o->w, mgn_sample(&o->data, i), o->d);
    }
}

/* ---- omam ---- */

static void mgn_omam_linear_plan(const mgn_ordinal *o, margin_arena *mem) {
    (void)MGN_SCRATCH(mem, margin_real, o->d);
    (void)MGN_SCRATCH(mem, margin_real, o->d);
}

/* w = sum u_i d_i (x_i - x_0) over its length, which spares features far from 0 a loss of digits.
 * It is no direction where it is no longer than the rounding of its terms, whose size is the sum of
 * all |u_i d_i| times the root of the mean |x_i - x_0|^2 by these. */
static margin_status mgn_omam_linear_fit(mgn_ordinal *o, margin_arena *mem) {
    const size_t d = o->d;
    const margin_real *first = mgn_sample(&o->data, 0);
    margin_real *low = MGN_SCRATCH(mem, margin_real, d), *x = MGN_SCRATCH(mem, margin_real, d);
    margin_real square = 0, all = 0;
    MARGIN_ASSERT(low != NULL && x != NULL); /* the plan has had its blocks */
    mgn_zero(o->w, d);
    mgn_zero(low, d);
    for (size_t i = 0; i < o->n; i++) {
        const margin_real c = mgn_weight(&o->data, i) * o->rank[i];
        const margin_real *row = mgn_sample(&o->data, i);
        for (size_t j = 0; j < d; j++) {
            x[j] = row[j] - first[j];
            mgn_add_low(o->w + j, low + j, c * x[j]);
        }
        square += mgn_abs(c) * margin_dot(x, x, d);
        all += mgn_abs(c);
    }
    for (size_t j = 0; j < d; j++) { o->w[j] += low[j]; }
    const margin_real size = mgn_sqrt(square / all), length = margin_norm2(o->w, d);
    if (!mgn_finite(length) || !mgn_finite(size)) { return MARGIN_E_RANGE; }
    if (!(length > 8 * MGN_EPS * size * all)) { return MARGIN_E_NO_DIRECTION; }
    for (size_t j = 0; j < d; j++) { o->w[j] /= length; }
    mgn_ordinal_scores(o);
    o->info.objective = length * o->total / o->pairs;
    return MARGIN_OK;
}

static void mgn_omam_kernel_plan(const mgn_ordinal *o, margin_arena *mem) {
    mgn_mam_work work;
    mgn_mam_work_plan(&work, mem, o->n, o->d);
}

/* What the products of >>mam need; the plan has had the blocks of `work`. */
static mgn_fit mgn_omam_begin(mgn_ordinal *o, margin_arena *mem, mgn_mam_work *work) {
    mgn_fit fit;
    mgn_fit_begin(&fit, &o->options.kernel, 0, o->options.watch, NULL);
    fit.data = o->data;
    fit.b = o->coef;
    fit.f = o->f;
    mgn_mam_work_plan(work, mem, o->n, o->d);
    return fit;
}

/* One product f = K c with sum |c| = 1 gives all, as in >>mam. */
static margin_status mgn_omam_kernel_fit(mgn_ordinal *o, margin_arena *mem) {
    mgn_mam_work work;
    const mgn_fit fit = mgn_omam_begin(o, mem, &work);
    margin_real all = 0, lost = 0, lambda = 1;
    for (size_t i = 0; i < o->n; i++) {
        o->coef[i] = mgn_weight(&o->data, i) * o->rank[i];
        mgn_add(&all, &lost, mgn_abs(o->coef[i]));
    }
    for (size_t i = 0; i < o->n; i++) { o->coef[i] /= all; }
    const margin_status status = mgn_mam_lambda(&fit, &work, &lambda);
    for (size_t i = 0; i < o->n && status == MARGIN_OK; i++) {
        o->coef[i] /= lambda;
        o->f[i] /= lambda;
    }
    o->info.objective = lambda * all * o->total / o->pairs;
    return status;
}

/* The mean rank around each sample, by the other samples: with itself, thresholds of narrow kernels
 * would be those of the targets, which no other input comes near to. */
static margin_status mgn_omam_normalised_fit(mgn_ordinal *o, margin_arena *mem) {
    mgn_mam_work work;
    const mgn_fit fit = mgn_omam_begin(o, mem, &work);
    margin_real sum = 0, lost = 0;
    mgn_data_norms(&o->data, work.norm);
    for (size_t i = 0; i < o->n; i++) {
        o->f[i] = mgn_weight(&o->data, i) / o->total;
        o->coef[i] = o->f[i] * o->rank[i];
    }
    mgn_mam_product(&fit, &work, o->f, o->mass);
    mgn_mam_product(&fit, &work, o->coef, o->f);
    for (size_t i = 0; i < o->n; i++) {
        const margin_real *x = mgn_sample(&o->data, i);
        const margin_real own = margin_kernel_value(&o->options.kernel, x, x, o->d);
        const margin_real weight = mgn_weight(&o->data, i) / o->total;
        o->f[i] = (o->f[i] - o->coef[i] * own) /
                  (mgn_max(o->mass[i] - weight * own, 0) + mgn_ordinal_far(o));
        mgn_add(&sum, &lost, weight * o->rank[i] * o->f[i]);
    }
    o->info.objective = sum;
    /* Values of these kernels are at most 1, so that f is finite. */
    return mgn_all_finite(work.norm, o->n) ? MARGIN_OK : MARGIN_E_RANGE;
}

static const mgn_ordinal_solver mgn_omam_linear = {mgn_omam_linear_plan, mgn_omam_linear_fit};
static const mgn_ordinal_solver mgn_omam_kernel = {mgn_omam_kernel_plan, mgn_omam_kernel_fit};
static const mgn_ordinal_solver mgn_omam_normalised = {mgn_omam_kernel_plan,
                                                       mgn_omam_normalised_fit};

static const mgn_ordinal_solver *mgn_omam_solver(const margin_ordinal_options *options) {
    if (options->kernel.kind == MARGIN_KERNEL_LINEAR) { return &mgn_omam_linear; }
    return options->normalised ? &mgn_omam_normalised : &mgn_omam_kernel;
}

/* The options, or their defaults. `prices`: for lssvm, which has a price C; omam has none. */
static margin_ordinal_options mgn_ordinal_full(const margin_ordinal_options *options, bool prices) {
    margin_ordinal_options full;
    mgn_clear(&full, sizeof full);
    if (options != NULL) { full = *options; }
    full.c = prices ? full.c : 0;
    full.leave_one_out = prices && full.leave_one_out;
    full.normalised = !prices && full.normalised;
    return full;
}

MARGIN_API size_t margin_omam_train_size(size_t n, size_t d, size_t classes,
                                         const margin_ordinal_options *options) {
    const margin_ordinal_options common = mgn_ordinal_full(options, false);
    return mgn_ordinal_size(mgn_omam_solver(&common), n, d, classes, &common);
}

MARGIN_API margin_status margin_omam_train(const margin_data *data,
                                           const margin_ordinal_options *options, margin_arena *mem,
                                           margin_model *model, margin_info *info,
                                           margin_ordinal_report *report) {
    mgn_ordinal o;
    mgn_clear(&o, sizeof o);
    o.options = mgn_ordinal_full(options, false);
    o.solver = mgn_omam_solver(&o.options);
    return mgn_ordinal_train(&o, data, mem, model, info, report);
}

/* ---- omam, on-line ---- */

/* The sums of >>mam for each class; d_i is the same for all samples of a class, so that
 *     v = sum over classes of  (weight) d (mean of the class - mean of all).
 * Thresholds lie midway between the mean scores of neighbouring classes that have samples, made
 * to rise by pooling neighbours that do not (the regression by monotone functions: Barlow et al.,
 * "Statistical inference under order restrictions", 1972). */

static bool mgn_omam_online_shape(margin_omam_online *on, size_t d, size_t classes) {
    if (d == 0 || d > SIZE_MAX - 2u || classes < 2u || classes >= MARGIN_REJECTED) { return false; }
    mgn_mam_shape(&on->sums, d, classes, MARGIN_SCHEME_ORDINAL);
    on->sums.intercept = true;
    return true;
}

static void mgn_omam_online_plan(margin_omam_online *on, margin_arena *mem) {
    const size_t classes = on->sums.classes;
    mgn_mam_plan(&on->sums, mem, 1, 2u * classes, true);
    on->run = MGN_KEEP(mem, margin_index, classes);
}

MARGIN_API size_t margin_omam_online_start_size(size_t d, size_t classes) {
    margin_arena dry = margin_arena_counting();
    margin_omam_online on;
    if (!mgn_omam_online_shape(&on, d, classes)) { return 0; }
    mgn_omam_online_plan(&on, &dry);
    return mgn_arena_counted(&dry);
}

MARGIN_API margin_status margin_omam_online_start(margin_omam_online *on, size_t d, size_t classes,
                                                  margin_arena *mem) {
    margin_omam_online begun;
    if (on == NULL || mgn_mem_check(mem) != MARGIN_OK ||
        !mgn_omam_online_shape(&begun, d, classes)) {
        return MARGIN_E_ARGUMENT;
    }
    margin_arena before = *mem;
    mgn_omam_online_plan(&begun, mem);
    if (mem->failed != 0) { return margin_arena_rewind(mem, &before); }
    for (size_t c = 0; c < classes; c++) { mgn_mam_clear(&begun.sums, c); }
    *on = begun;
    return MARGIN_OK;
}

MARGIN_API margin_status margin_omam_online_add(margin_omam_online *on, const margin_real *x,
                                                size_t label, margin_real weight) {
    return on == NULL ? MARGIN_E_ARGUMENT : margin_mam_online_add(&on->sums, x, label, weight);
}

MARGIN_API margin_status margin_omam_online_forget(margin_omam_online *on, const margin_real *x,
                                                   size_t label, margin_real weight) {
    return on == NULL ? MARGIN_E_ARGUMENT : margin_mam_online_forget(&on->sums, x, label, weight);
}

/* The weight of a class with samples, and the mean of its column j. */
static margin_real mgn_omam_weight(const margin_mam_online *s, size_t c) {
    return s->sum[c * mgn_mam_columns(s) + s->d];
}

static margin_real mgn_omam_mean(const margin_mam_online *s, size_t c, size_t j) {
    const size_t at = c * mgn_mam_columns(s);
    return s->sum[at + j] / s->sum[at + s->d] + s->low[at + j] / s->sum[at + s->d];
}

/* Column j of v; *size gets the largest |mean of a class|. */
static margin_real mgn_omam_column(const margin_mam_online *s, margin_real total, size_t j,
                                   margin_real *size) {
    margin_real mean = 0, v = 0, low = 0, below = 0;
    for (size_t c = 0; c < s->classes; c++) {
        if (s->count[c] != 0) { mean += mgn_omam_weight(s, c) / total * mgn_omam_mean(s, c, j); }
    }
    for (size_t c = 0; c < s->classes; c++) {
        if (s->count[c] == 0) { continue; }
        const margin_real weight = mgn_omam_weight(s, c), level = mgn_omam_mean(s, c, j);
        const margin_real rank = (2 * below + (weight - total)) / total;
        mgn_add_twice(&v, &low, weight / total * rank * (level - mean));
        *size = mgn_max(*size, mgn_abs(level));
        below += weight;
    }
    return v + low;
}

/* Computes the mean scores of the classes that have samples, in order, and pools neighbours out of
 * order: run i has the value work[i] and ends before class run[i]. Returns the number of runs. */
static size_t mgn_omam_pool(const margin_omam_online *on) {
    const margin_mam_online *s = &on->sums;
    margin_real *level = s->work, *weight = s->work + s->classes;
    size_t runs = 0;
    for (size_t c = 0; c < s->classes; c++) {
        if (s->count[c] == 0) { continue; }
        level[runs] = 0;
        weight[runs] = mgn_omam_weight(s, c);
        for (size_t j = 0; j < s->d; j++) { level[runs] += s->w[j] * mgn_omam_mean(s, c, j); }
        on->run[runs++] = (margin_index)(c + 1u);
        for (; runs > 1u && level[runs - 2u] >= level[runs - 1u]; runs--) {
            const margin_real both = weight[runs - 2u] + weight[runs - 1u];
            level[runs - 2u] = level[runs - 2u] * (weight[runs - 2u] / both) +
                               level[runs - 1u] * (weight[runs - 1u] / both);
            weight[runs - 2u] = both;
            on->run[runs - 2u] = on->run[runs - 1u];
        }
    }
    return runs;
}

/* Sets the thresholds: within a run its own level, between two runs the middle, and beyond the last
 * class with samples, or before the first, as far away as the levels reach. */
static void mgn_omam_thresholds(const margin_omam_online *on) {
    const margin_mam_online *s = &on->sums;
    const margin_real *level = s->work;
    const size_t runs = mgn_omam_pool(on);
    const margin_real reach = mgn_max(level[runs - 1u] - level[0], MGN_EPS);
    size_t run = 0, first = 0;
    while (s->count[first] == 0) { first++; }
    for (size_t c = 0; c + 1u < s->classes; c++) { /* between c and c + 1 */
        margin_real t = level[run];
        if (c + 1u >= on->run[run] && run + 1u == runs) {
            t = level[run] + reach;
        } else if (c + 1u >= on->run[run]) {
            size_t next = c + 1u;
            t = level[run] / 2 + level[run + 1u] / 2;
            while (s->count[next] == 0) { next++; }
            run += next == c + 1u ? 1u : 0u;
        } else if (c < first) {
            t = level[0] - reach;
        }
        s->bias[c] = -t;
    }
}

MARGIN_API margin_status margin_omam_online_model(margin_omam_online *on, margin_linear *model) {
    margin_real total = 0, size = 0, least = MGN_HUGE; /* the least weight of a class */
    size_t seen = 0;
    if (on == NULL || model == NULL) { return MARGIN_E_ARGUMENT; }
    const margin_mam_online *s = &on->sums;
    for (size_t c = 0; c < s->classes; c++) {
        if (s->count[c] == 0) { continue; }
        total += mgn_omam_weight(s, c);
        least = mgn_min(least, mgn_omam_weight(s, c));
        seen++;
    }
    if (seen < 2u) { return MARGIN_E_NO_ORDER; }
    if (!(least > 0)) { return MARGIN_E_NO_DIRECTION; } /* it forgot more than it had learned */
    for (size_t j = 0; j < s->d; j++) { s->work[j] = mgn_omam_column(s, total, j, &size); }
    const margin_real length = margin_norm2(s->work, s->d);
    if (!mgn_finite(length) || !(length > 8 * MGN_EPS * size)) { return MARGIN_E_NO_DIRECTION; }
    for (size_t j = 0; j < s->d; j++) { s->w[j] = s->work[j] / length; }
    mgn_omam_thresholds(on);
    const margin_linear made = {s->w, s->bias, s->d, mgn_vote_of(s->classes, s->scheme)};
    *model = made;
    return MARGIN_OK;
}

/* ---- lssvm ---- */

/* Prices to try, in units of 1 / (mean of k(x, x)): half decades. Whole ones first, then the two
 * halves beside the best. */
#define MGN_LSSVM_GRID 15u
static const margin_real mgn_lssvm_grid[] = {
    MGN_R(0.01),    MGN_R(0.031622776601683794), MGN_R(0.1),     MGN_R(0.31622776601683794),
    MGN_R(1.0),     MGN_R(3.1622776601683795),   MGN_R(10.0),    MGN_R(31.622776601683793),
    MGN_R(100.0),   MGN_R(316.22776601683796),   MGN_R(1000.0),  MGN_R(3162.2776601683795),
    MGN_R(10000.0), MGN_R(31622.776601683792),   MGN_R(100000.0)};

/* Chooses the price with the least leave-one-out error, which `loo` computes, negative if there is
 * no solution; or uses the price given. */
static margin_status mgn_lssvm_choose(mgn_ordinal *o, void *solver, margin_real unit,
                                      margin_real (*loo)(mgn_ordinal *, void *, margin_real)) {
    const size_t decades = (MGN_LSSVM_GRID + 1u) / 2u, none = MGN_LSSVM_GRID;
    margin_real least = MGN_HUGE;
    size_t best = none, middle = none;
    if (o->options.c > 0) {
        o->found.loo = o->options.leave_one_out ? mgn_max(loo(o, solver, o->options.c), 0) : 0;
        return MARGIN_OK;
    }
    for (size_t trial = 0; trial < decades + 2u && !o->tick.stopped; trial++) {
        middle = trial <= decades ? best : middle;
        const size_t half = trial == decades ? middle - 1u : middle + 1u;
        const size_t at = trial < decades ? 2u * trial : middle == none ? none : half;
        if (at >= none) { continue; }
        const margin_real error = loo(o, solver, mgn_lssvm_grid[at] / unit);
        if (error >= 0 && error < least) {
            least = error;
            best = at;
        }
        (void)mgn_tick_stop(&o->tick, ++o->info.iterations, least, 0);
    }
    if (best == none) { return MARGIN_E_NOT_POSITIVE; }
    o->found.loo = least;
    o->options.c = mgn_lssvm_grid[best] / unit;
    return o->tick.stopped ? MARGIN_W_STOPPED : MARGIN_OK;
}

/* What both forms report: |w|^2 / 2 + c / 2 sum u (t - f)^2 with f = o->f + o->shift. */
static void mgn_lssvm_report(mgn_ordinal *o, margin_real square) {
    margin_real sum = 0, lost = 0;
    for (size_t i = 0; i < o->n; i++) {
        const margin_real e = o->rank[i] - (o->f[i] + o->shift);
        mgn_add(&sum, &lost, mgn_weight(&o->data, i) * e * e);
    }
    o->info.objective = square / 2 + o->options.c * sum / 2;
    o->found.c = o->options.c;
    o->info.converged = !o->tick.stopped;
}

/* Linear kernels: the features about their means, turned into the axes of their covariance. */
typedef struct {
    margin_real *axes; /* V', d x d */
    margin_real *mean, *value, *beta, *z;
} mgn_lssvm_primal;

static void mgn_lssvm_primal_plan(mgn_lssvm_primal *plan, margin_arena *mem, size_t d) {
    MARGIN_BLOCKS_PRIMAL(MGN_TAKE, d)
}

static void mgn_lssvm_linear_plan(const mgn_ordinal *o, margin_arena *mem) {
    mgn_lssvm_primal p;
    mgn_moments m;
    margin_real *work;
    mgn_lssvm_primal_plan(&p, mem, o->d);
    const size_t mark = mem->high;
    mgn_moments_plan(&m, mem, o->d);
    margin_arena_release(mem, mark);
    (void)mgn_eigen_plan(mem, o->d, true, &work);
}

/* Stores sample i less the mean in w. */
static void mgn_lssvm_centre(const mgn_ordinal *o, const mgn_lssvm_primal *p, size_t i) {
    const margin_real *x = mgn_sample(&o->data, i);
    for (size_t j = 0; j < o->d; j++) { o->w[j] = x[j] - p->mean[j]; }
}

/* The error at sample i of the fit without it is (t_i - f_i) / (1 - h_i). */
static margin_real mgn_lssvm_primal_loo(mgn_ordinal *o, void *solver, margin_real c) {
    const mgn_lssvm_primal *p = (const mgn_lssvm_primal *)solver;
    margin_real sum = 0, lost = 0;
    for (size_t i = 0; i < o->n; i++) {
        const margin_real weight = mgn_weight(&o->data, i);
        margin_real f = 0, h = 1 / o->total;
        mgn_lssvm_centre(o, p, i);
        mgn_dots(o->w, p->axes, o->d, o->d, o->d, p->z);
        for (size_t k = 0; k < o->d; k++) {
            const margin_real part = p->z[k] / (p->value[k] + 1 / c);
            f += part * p->beta[k];
            h += part * p->z[k];
        }
        const margin_real e = (o->rank[i] - f) / (1 - weight * h);
        mgn_add(&sum, &lost, weight * e * e);
    }
    return mgn_finite(sum) ? sum / o->total : -1;
}

static margin_status mgn_lssvm_linear_fit(mgn_ordinal *o, margin_arena *mem) {
    const size_t d = o->d;
    mgn_lssvm_primal p;
    margin_real trace = 0, weight;
    mgn_lssvm_primal_plan(&p, mem, d);
    margin_status status = margin_data_moments(&o->data, 1, mem, &weight, p.mean, p.axes);
    if (status == MARGIN_OK) { status = margin_eigen(p.value, p.axes, p.axes, d, mem); }
    if (status != MARGIN_OK) { return status; }
    mgn_zero(p.z, d);
    for (size_t i = 0; i < o->n; i++) { /* beta = V' sum u_i t_i (x_i - mean) */
        mgn_lssvm_centre(o, &p, i);
        margin_axpy(p.z, mgn_weight(&o->data, i) * o->rank[i], o->w, d);
    }
    mgn_dots(p.z, p.axes, d, d, d, p.beta);
    for (size_t j = 0; j < d; j++) {
        p.value[j] = mgn_max(p.value[j] * weight, 0);
        trace += p.value[j];
    }
    if (!(trace > 0)) { return MARGIN_E_NO_DIRECTION; }
    status = mgn_lssvm_choose(o, &p, trace / o->total, mgn_lssvm_primal_loo);
    if (status < 0) { return status; }
    for (size_t j = 0; j < o->d; j++) { p.z[j] = p.beta[j] / (p.value[j] + 1 / o->options.c); }
    mgn_mat_t_vec(o->w, p.axes, o->d, o->d, o->d, p.z);
    mgn_ordinal_scores(o);
    o->shift = -mgn_flash_dot(o->w, p.mean, o->d);
    mgn_lssvm_report(o, margin_dot(o->w, o->w, o->d));
    return margin_norm2(o->w, o->d) > 0 ? status : MARGIN_E_NO_DIRECTION;
}

/* Other kernels: K in the upper triangle of `matrix`, where the factor of H leaves it alone. */
#define MGN_LSSVM_COLUMNS 16u /* of the inverse of the factor, at a time */
typedef struct {
    margin_real *matrix;      /* n x n */
    margin_real *diag, *norm; /* k(x, x); |x|^2, later H^-1 1 */
    margin_real *inverse;     /* diagonal of H^-1 */
    margin_real *panel;       /* n x MGN_LSSVM_COLUMNS */
    margin_real *fresh;       /* H^-1 t */
    margin_real bias;
    margin_arena *mem;
} mgn_lssvm_dual;

static void mgn_lssvm_dual_plan(mgn_lssvm_dual *plan, margin_arena *mem, const mgn_ordinal *o) {
    const bool left_out = o->options.c == 0 || o->options.leave_one_out;
    const size_t columns = left_out ? MGN_LSSVM_COLUMNS : 0;
    MARGIN_BLOCKS_DUAL(MGN_TAKE, o->n, columns)
    plan->mem = mem;
}

static void mgn_lssvm_kernel_plan(const mgn_ordinal *o, margin_arena *mem) {
    mgn_lssvm_dual p;
    mgn_lssvm_dual_plan(&p, mem, o);
    const size_t mark = mem->high;
    (void)mgn_kernel_panel(mem, o->d);
    margin_arena_release(mem, mark);
    (void)mgn_cholesky_plan(mem, o->n);
}

/* Factors H for a price, and solves for bias, a = coef and H^-1 1 = norm. */
static margin_status mgn_lssvm_solve(mgn_ordinal *o, mgn_lssvm_dual *p, margin_real c) {
    const size_t n = o->n;
    margin_real ones = 0, targets = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) { p->matrix[i * n + j] = p->matrix[j * n + i]; }
        p->matrix[i * n + i] = p->diag[i] + 1 / (c * mgn_weight(&o->data, i));
        p->norm[i] = 1;
    }
    const margin_status status = margin_cholesky(p->matrix, n, p->mem);
    if (status != MARGIN_OK) { return status; }
    mgn_copy(p->fresh, o->rank, n);
    (void)margin_cholesky_solve(p->norm, 1, p->matrix, n);
    (void)margin_cholesky_solve(p->fresh, 1, p->matrix, n);
    for (size_t i = 0; i < n; i++) {
        ones += p->norm[i];
        targets += p->fresh[i];
    }
    p->bias = targets / ones;
    for (size_t i = 0; i < n; i++) { o->coef[i] = p->fresh[i] - p->bias * p->norm[i]; }
    return MARGIN_OK;
}

static margin_real mgn_lssvm_dual_loo(mgn_ordinal *o, void *solver, margin_real c) {
    mgn_lssvm_dual *p = (mgn_lssvm_dual *)solver;
    const size_t n = o->n;
    margin_real ones = 0, sum = 0, lost = 0;
    if (mgn_lssvm_solve(o, p, c) != MARGIN_OK) { return -1; }
    /* The diagonal of H^-1 = L'^-1 L^-1: the squared lengths of the columns of L^-1. Column i is
     * zero above row i, so that later columns need less and less of L. */
    mgn_zero(p->inverse, n);
    for (size_t first = 0; first < n; first += MGN_LSSVM_COLUMNS) {
        const size_t m = mgn_size_min(n - first, MGN_LSSVM_COLUMNS), rows = n - first;
        mgn_zero(p->panel, rows * m);
        for (size_t k = 0; k < m; k++) { p->panel[k * m + k] = 1; }
        mgn_solve(p->panel, m, mgn_view_of(p->matrix + first * (n + 1u), n, 1), rows, true);
        for (size_t k = 0; k < rows * m; k++) {
            p->inverse[first + k % m] += p->panel[k] * p->panel[k];
        }
    }
    for (size_t i = 0; i < n; i++) { ones += p->norm[i]; }
    for (size_t i = 0; i < n; i++) {
        const margin_real e = o->coef[i] / (p->inverse[i] - p->norm[i] * p->norm[i] / ones);
        mgn_add(&sum, &lost, mgn_weight(&o->data, i) * e * e);
    }
    return mgn_finite(sum) ? sum / o->total : -1;
}

/* f = t - a / (u c), and |w|^2 = a'Ka = a'(t - a / (u c)) as 1'a = 0. */
static margin_status mgn_lssvm_kernel_fit(mgn_ordinal *o, margin_arena *mem) {
    const size_t n = o->n;
    mgn_lssvm_dual p;
    margin_real square = 0, lost = 0, mean = 0;
    mgn_lssvm_dual_plan(&p, mem, o);
    const size_t mark = mem->high;
    mgn_kernel_matrix(&o->options.kernel, &o->data, p.norm, mgn_kernel_panel(mem, o->d), p.matrix);
    margin_arena_release(mem, mark);
    for (size_t i = 0; i < n; i++) {
        p.diag[i] = p.matrix[i * n + i];
        mean += (p.diag[i] - mean) / (margin_real)(i + 1u);
    }
    if (!mgn_finite(mean)) { return MARGIN_E_RANGE; }
    if (!(mean > 0)) { return MARGIN_E_NOT_POSITIVE; }
    const margin_status caveat = mgn_lssvm_choose(o, &p, mean, mgn_lssvm_dual_loo);
    const margin_status status = caveat < 0 ? caveat : mgn_lssvm_solve(o, &p, o->options.c);
    if (status < 0) { return status == MARGIN_E_NOT_FINITE ? MARGIN_E_RANGE : status; }
    for (size_t i = 0; i < n; i++) {
        const margin_real e = o->coef[i] / (o->options.c * mgn_weight(&o->data, i));
        o->f[i] = o->rank[i] - e - p.bias;
        mgn_add(&square, &lost, o->coef[i] * o->f[i]);
    }
    o->shift = p.bias;
    mgn_lssvm_report(o, square);
    return caveat;
}

static const mgn_ordinal_solver mgn_lssvm_linear = {mgn_lssvm_linear_plan, mgn_lssvm_linear_fit};
static const mgn_ordinal_solver mgn_lssvm_kernel = {mgn_lssvm_kernel_plan, mgn_lssvm_kernel_fit};

static const mgn_ordinal_solver *mgn_lssvm_solver(const margin_ordinal_options *options) {
    return options->kernel.kind == MARGIN_KERNEL_LINEAR ? &mgn_lssvm_linear : &mgn_lssvm_kernel;
}

MARGIN_API size_t margin_lssvm_train_size(size_t n, size_t d, size_t classes,
                                          const margin_ordinal_options *options) {
    const margin_ordinal_options full = mgn_ordinal_full(options, true);
    return mgn_ordinal_size(mgn_lssvm_solver(&full), n, d, classes, &full);
}

MARGIN_API margin_status margin_lssvm_train(const margin_data *data,
                                            const margin_ordinal_options *options,
                                            margin_arena *mem, margin_model *model,
                                            margin_info *info, margin_ordinal_report *report) {
    mgn_ordinal o;
    mgn_clear(&o, sizeof o);
    o.options = mgn_ordinal_full(options, true);
    o.solver = mgn_lssvm_solver(&o.options);
    return mgn_ordinal_train(&o, data, mem, model, info, report);
}

/* ---- tau of a model ---- */

typedef struct {
    margin_real *scores, *first, *target;
    margin_index *order, *spare;
} mgn_kendall_work;

static void mgn_kendall_plan(mgn_kendall_work *k, margin_arena *mem, size_t n,
                             const margin_model *model) {
    const margin_vote *vote = margin_model_vote(model);
    k->scores = MGN_SCRATCH(mem, margin_real, margin_machines(vote->scheme, vote->classes));
    k->first = MGN_SCRATCH(mem, margin_real, n);
    k->target = MGN_SCRATCH(mem, margin_real, n);
    mgn_order_plan(mem, n, &k->order, &k->spare);
}

MARGIN_API size_t margin_model_kendall_size(size_t n, const margin_model *model) {
    margin_arena dry = margin_arena_counting();
    mgn_kendall_work k;
    if (model == NULL || n > MARGIN_INDEX_MAX) { return 0; }
    mgn_kendall_plan(&k, &dry, n, model);
    return mgn_arena_counted(&dry);
}

MARGIN_API margin_status margin_model_kendall(const margin_data *data, const margin_real *targets,
                                              const margin_model *model, margin_arena *mem,
                                              margin_real *tau) {
    margin_status status = margin_data_check(data);
    mgn_kendall_work k;
    if (status != MARGIN_OK) { return status; }
    if ((targets == NULL && data->y == NULL) || model == NULL || tau == NULL ||
        mgn_mem_check(mem) != MARGIN_OK || mgn_model_d(model) != data->d) {
        return MARGIN_E_ARGUMENT;
    }
    if (targets != NULL && !mgn_targets_finite(data, targets)) { return MARGIN_E_NOT_FINITE; }
    margin_arena before = *mem;
    mgn_kendall_plan(&k, mem, data->n, model);
    if (mem->failed == 0) {
        for (size_t i = 0; i < data->n; i++) {
            const size_t row = mgn_row_of(data, i);
            margin_scores(model, mgn_sample(data, i), k.scores);
            k.first[i] = k.scores[0];
            k.target[i] = targets != NULL ? targets[row] : (margin_real)data->y[row];
        }
        if (!mgn_kendall(k.first, k.target, k.order, k.spare, data->n, tau)) {
            status = MARGIN_E_NO_ORDER;
        }
    }
    return mgn_both(margin_arena_rewind(mem, &before), status);
}

/* ---- >>oneclass ---- the region of normal samples as a quadratic programme of >>qp ----------- */

/* Schoelkopf and others: "Estimating the support of a high-dimensional distribution", 2001; Tax,
 * Duin: "Support vector data description", 2004. Both are the programme of >>qp with one group of
 * sum 1 and all samples positive:
 *
 *     plane    minimise 1/2 a'Ka,                      f(x) = sum a_i k(x_i, x) - rho,
 *     sphere   minimise 1/2 a'Ka - 1/2 sum a_i K_ii,   |phi(x) - sum a_i phi(x_i)|^2 - radius^2,
 *
 * over a_i <= weight_i / (nu sum of weights), or without these caps and with the ridge of kmomd.
 * rho and radius come from the samples with weights strictly between their bounds; the threshold
 * that a model gets in the end is set by samples that were left out. */

/* ---- thresholds by samples left out ---- */

/* How strange a sample is, `odd`, is judged by a model that has not seen it. If the m samples left
 * out and a new one come in any order with the same probability, then at most m + 1 - k of these m
 * + 1 are stranger than the k-th least strange of the m; so the new one is, with a probability of
 * at most (m + 1 - k) / (m + 1) (Vovk, Gammerman, Shafer: "Algorithmic learning in a random
 * world", 2005; inductive for one fold, cross-conformal for several). */
typedef struct {
    const mgn_method *method; /* a trainer, */
    void *task;
    void (*aim)(void *task, const margin_data *data);           /* what it is to train on, */
    margin_part_fn part;                                        /* which the caller may scale; */
    void *user;                                                 /* NULL: it does not; */
    margin_real (*judge)(void *task, const margin_model *model, /* and how strange a sample is */
                         const margin_data *data, size_t i);    /* to what it has trained */
    margin_real rate; /* of strange samples that is wanted */
    size_t folds;     /* 1: nothing is left out */
    bool held_out;    /* one fold is, and the model is that of the others */
    uint32_t seed;
    margin_real *odd;
    margin_real *known; /* strangeness of the samples of the last training, */
    size_t of_known;    /* so many; 0: the trainer has not stored them */
    margin_index *rows, *order, *spare;
    uint16_t *fold;
    size_t count;                /* of odd */
    margin_real limit, promised; /* out */
} mgn_conformal;

static void mgn_conformal_plan(mgn_conformal *plan, margin_arena *mem, size_t n) {
    MARGIN_BLOCKS_CONFORMAL(MGN_TAKE, n)
}

/* The samples to train on next. */
static void mgn_conformal_aim(const mgn_conformal *c, const margin_data *data) {
    c->aim(c->task, data);
    if (c->part != NULL) { c->part(c->user, data); }
}

/* Adds the strangeness of the samples of a view that have a weight. */
static void mgn_conformal_judge(mgn_conformal *c, const margin_model *model,
                                const margin_data *data) {
    for (size_t i = 0; i < data->n; i++) {
        if (mgn_weight(data, i) > 0) { c->odd[c->count++] = c->judge(c->task, model, data, i); }
    }
}

/* The same of the samples that the model was trained on, where the trainer knows it already. */
static void mgn_conformal_own(mgn_conformal *c, const margin_model *model,
                              const margin_data *data) {
    c->count = c->of_known;
    mgn_copy(c->odd, c->known, c->count);
    if (c->count == 0) { mgn_conformal_judge(c, model, data); }
}

/* Trains without a fold, and judges the samples of it. */
static margin_status mgn_conformal_fold(mgn_conformal *c, const margin_data *data, size_t which,
                                        margin_arena *mem, margin_model *model, margin_info *info) {
    margin_data train, test; /* of 2 <= folds <= n each has a sample, and none has all */
    (void)margin_fold_views(data, c->fold, which, c->rows, &train, &test);
    mgn_conformal_aim(c, &train);
    const margin_status status = mgn_frame_train(c->method, c->task, MARGIN_OK, mem, model, info);
    if (status >= 0) { mgn_conformal_judge(c, model, &test); }
    return status;
}

/* Leaves the folds out in turn; what they are trained on is given back. */
static margin_status mgn_conformal_folds(mgn_conformal *c, const margin_data *data,
                                         margin_arena *mem) {
    margin_status worst = MARGIN_OK;
    for (size_t k = 0; k < c->folds; k++) {
        const margin_arena before = *mem;
        margin_model model;
        const margin_status status = mgn_conformal_fold(c, data, k, mem, &model, NULL);
        (void)margin_arena_rewind(mem, &before);
        if (status < 0) { return status; }
        worst = status > worst ? status : worst;
    }
    return worst;
}

/* The model into the frame, and the limit. Without folds the limit is that of the samples that the
 * model was trained on, and no promise. */
static margin_status mgn_conformal_train(mgn_conformal *c, mgn_frame *frame,
                                         const margin_data *data) {
    margin_rng rng = margin_rng_make(c->seed);
    margin_status status = MARGIN_OK, caveat = MARGIN_OK;
    c->count = 0;
    if (c->folds > 1u) { (void)margin_folds(data, c->folds, false, &rng, NULL, c->fold); }
    if (c->folds > 1u && !c->held_out) { caveat = mgn_conformal_folds(c, data, frame->mem); }
    if (caveat < 0) { return caveat; }
    mgn_conformal_aim(c, data);
    if (c->folds > 1u && c->held_out) {
        status = mgn_conformal_fold(c, data, 0, frame->mem, &frame->model, &frame->info);
    } else {
        status =
            mgn_frame_train(c->method, c->task, MARGIN_OK, frame->mem, &frame->model, &frame->info);
    }
    if (status < 0) { return status; }
    if (c->folds == 1u) { mgn_conformal_own(c, &frame->model, data); }
    /* The limit that leaves the rate beyond it, moved half way to the next sample or 2^-12 of the
     * range, whichever is less: equal samples are on the same side in spite of rounding. */
    const size_t m = c->count;
    const margin_real all = (margin_real)m + 1;
    size_t beyond = (size_t)(c->rate * all);
    mgn_order_begin(c->order, m);
    (void)mgn_order_sort(c->odd, c->order, c->spare, m);
    beyond = mgn_size_min(beyond > 0 ? beyond : 1u, m);
    c->limit = c->odd[c->order[m - beyond]];
    margin_real pad = (c->odd[c->order[m - 1u]] - c->odd[c->order[0]]) / 4096;
    if (beyond > 1u) { pad = mgn_min(pad, (c->odd[c->order[m - beyond + 1u]] - c->limit) / 2); }
    if (c->limit < 0) { pad = mgn_min(pad, -c->limit / 2); } /* 0 is what no kernel reaches */
    c->limit += pad;
    c->promised = c->folds > 1u ? (margin_real)beyond / all : 0;
    return status > caveat ? status : caveat;
}

/* ---- machines ---- */

/* With K the kernel matrix, s = K a and |v|^2 = a's: the plane is v/|v| . phi(x) = rho / |v|, where
 * s_i = rho for weights strictly between their bounds. The sphere has the centre sum a_i x_i. */
typedef struct {
    const margin_data *given;
    margin_oneclass_options o; /* with defaults filled in */
    size_t n;                  /* samples of this training, */
    size_t most;               /* and of all samples */
    size_t d;
    bool linear, ball; /* ball: a sphere in the space of the inputs */
    margin_data data;  /* the samples that have a weight: rows */
    margin_index *rows;
    margin_real *b, *f, *lin;
    margin_real *w;    /* kept: weights and bias, or the centre of a ball */
    margin_real size;  /* |v|, the size of scores */
    margin_real *bias; /* of the model */
    uint32_t *end;     /* kept: the class end of a ball */
    mgn_tick tick;
    mgn_proto_job proto;
    margin_proto_options prototypes;
    mgn_conformal limit;
    margin_oneclass_report found;
    bool reported;
} mgn_oneclass;

static mgn_fit mgn_oneclass_fit(const mgn_oneclass *m) {
    mgn_fit fit;
    mgn_clear(&fit, sizeof fit);
    fit.data = m->data;
    fit.data.d = m->d;
    fit.most = m->most;
    fit.kernel = m->o.kernel;
    fit.run = m->o.run;
    fit.b = m->b;
    fit.f = m->f;
    return fit;
}

/* Takes what lasts through the training of a machine. */
static void mgn_oneclass_plan(mgn_oneclass *plan, margin_arena *mem) {
    const size_t n = plan->n;
    plan->w = MGN_KEEP(mem, margin_real, plan->linear ? mgn_size_add(plan->d, 1u) : 0);
    plan->end = MGN_KEEP(mem, uint32_t, plan->ball ? 1u : 0u);
    MARGIN_BLOCKS_ONECLASS(MGN_TAKE, n)
}

static void mgn_oneclass_plan_all(void *task, margin_arena *mem) {
    mgn_oneclass *m = (mgn_oneclass *)task;
    const mgn_fit fit = mgn_oneclass_fit(m);
    mgn_oneclass_plan(m, mem);
    const size_t mark = mem->high;
    mgn_qp_work_plan(&fit, mem);
    margin_arena_release(mem, mark);
    if (!m->linear) { (void)mgn_pool_plan(mem, m->n, m->d, 1, 1, 2); }
}

/* The programme: caps for nu, a ridge for lambda; one group of sum 1. A ball has linear terms; tol
 * counts in units of `size`. */
static void mgn_oneclass_programme(mgn_oneclass *m, mgn_qp *q, const mgn_fit *fit,
                                   margin_real size) {
    margin_real all = 0;
    if (m->o.lambda > 0) {
        mgn_kmomd_programme(q, fit, m->o.lambda == MARGIN_ZERO ? 0 : m->o.lambda);
    } else {
        q->unit = mgn_qp_unit(q->peak);
        q->c = 1 / q->unit;
        q->p = 0;
        for (size_t i = 0; i < q->n; i++) { all += mgn_weight(&m->data, i); }
        for (size_t i = 0; i < q->n; i++) { q->own[i] = mgn_weight(&m->data, i) / all / m->o.nu; }
        q->cap = q->own;
    }
    q->by_class = false;
    q->sum[0] = 1;
    q->sum[1] = 0;
    if (!m->ball) { return; }
    q->p = q->c * size + (q->ridge != NULL ? mgn_qp_least_ridge(q) / (margin_real)q->n : MGN_TINY);
    q->lin = m->lin;
    for (size_t i = 0; i < q->n; i++) {
        const margin_real *x = mgn_sample(&m->data, i);
        const margin_real square =
            q->own_w ? mgn_square_apart(x, q->mean, m->d) : mgn_norm2_bits(x, m->d);
        m->lin[i] = q->c * square / 2;
    }
}

/* A ball does not depend on the origin. If that is so far away that rounding hides how the samples
 * differ, they are measured from their mean, and w = c (centre - mean) is a variable of its own. If
 * that finds nothing better, the weights stay as they were. */
static margin_status mgn_oneclass_centred(mgn_oneclass *m, mgn_qp_work *work, mgn_fit *fit,
                                          margin_arena *mem, margin_real reach) {
    mgn_qp *q = &work->qp;
    const margin_real peak = q->peak;
    const margin_info before = fit->info;
    q->peak = reach;
    q->mean = q->ones[0];
    mgn_qp_mean(&m->data, q->ones[0]);
    mgn_zero(q->w, m->d);
    fit->w = m->w;
    q->own_w = q->begun = true;
    mgn_oneclass_programme(m, q, fit, reach);
    const margin_status status = mgn_qp_work_solve(work, fit, mem);
    fit->has_w = q->own_w;
    for (size_t k = 0; q->own_w && k < m->d; k++) { m->w[k] = q->mean[k] + q->w[k] / q->c; }
    if (!q->own_w) {
        q->peak = peak;
        mgn_oneclass_programme(m, q, fit, reach);
        fit->info = before;
    }
    return q->own_w || status == MARGIN_W_STOPPED ? status : MARGIN_W_ROUNDING;
}

static margin_status mgn_oneclass_solve(mgn_oneclass *m, mgn_qp_work *work, mgn_fit *fit,
                                        margin_arena *mem) {
    mgn_qp *q = &work->qp;
    margin_status status = mgn_qp_work_start(work, fit, mem);
    if (status != MARGIN_OK) { return status; }
    const size_t mark = mem->high;
    margin_real reach = 0; /* of a ball: the largest squared distance from the mean in w */
    if (m->ball) { mgn_qp_mean(&m->data, m->w); }
    for (size_t i = 0; m->ball && i < m->data.n; i++) {
        reach = mgn_max(reach, mgn_square_apart(mgn_sample(&m->data, i), m->w, m->d));
    }
    const bool far = reach > 0 && q->peak > 64 * reach;
    mgn_oneclass_programme(m, q, fit, far ? reach : q->peak);
    if (q->cap != NULL && !m->linear) { mgn_qp_capped(q); }
    status = mgn_qp_work_solve(work, fit, mem);
    if (far && work->linear && status == MARGIN_W_ROUNDING) {
        if (work->few) { margin_arena_release(mem, mark); }
        status = mgn_oneclass_centred(m, work, fit, mem, reach);
    }
    fit->info.objective *= q->unit;
    fit->info.gap *= q->unit;
    for (size_t i = 0; m->o.sphere && !m->ball && i < q->n; i++) {
        fit->info.objective -= q->c * q->unit * q->b[i] * q->rows->diag[i] / 2;
    }
    return status;
}

/* The plane: coefficients and bias; false when v is lost in rounding. */
static bool mgn_oneclass_plane(mgn_oneclass *m, mgn_qp *q, mgn_fit *fit) {
    const margin_real length = mgn_sqrt(mgn_kmomd_square(q, fit));
    const margin_real rho = m->o.lambda > 0 ? 0 : mgn_qp_level(q, 0) / q->c;
    if (!(length > 0)) { return false; }
    for (size_t i = 0; i < q->n; i++) {
        m->b[i] /= length;
        m->limit.known[i] = -fit->f[i] / length / length;
    }
    m->limit.of_known = m->limit.held_out ? 0 : q->n;
    fit->bias = -rho / length;
    m->size = length;
    return true;
}

static void mgn_oneclass_ball(mgn_oneclass *m, const mgn_fit *fit, margin_model *model) {
    if (!fit->has_w) { mgn_data_sum(&m->data, m->b, m->w); } /* the centre */
    *m->end = 1;
    const margin_proto ball = {m->w, NULL, m->end, NULL, NULL,
                               1,    m->d, 0,      1,    mgn_vote_of(1, MARGIN_SCHEME_NEAREST)};
    model->kind = MARGIN_MODEL_PROTO;
    model->of.proto = ball;
}

static void mgn_oneclass_expand(mgn_oneclass *m, const mgn_fit *fit, margin_arena *mem,
                                margin_model *model) {
    size_t n = 0;
    for (size_t i = 0; i < m->data.n; i++) { n += m->b[i] != 0 ? 1u : 0u; }
    mgn_pool pool = mgn_pool_plan(mem, n, m->d, 1, 1, 2);
    for (size_t i = 0; i < m->data.n; i++) {
        if (m->b[i] != 0) { mgn_pool_add(&pool, mgn_sample(&m->data, i), m->b + i); }
    }
    m->bias = pool.bias;
    *m->bias = fit->bias;
    pool.end[0] = 0;
    pool.end[1] = (uint32_t)n;
    model->kind = MARGIN_MODEL_EXPANSION;
    mgn_pool_expansion(&pool, &m->o.kernel, mgn_vote_of(2, MARGIN_SCHEME_BINARY),
                       &model->of.expansion);
    model->of.expansion.class_end = pool.end;
}

/* One machine, from the data that it aims at. */
static margin_status mgn_oneclass_run(void *task, mgn_frame *frame) {
    mgn_oneclass *m = (mgn_oneclass *)task;
    margin_arena *mem = frame->mem;
    mgn_qp_work work;
    mgn_oneclass_plan(m, mem);
    const size_t mark = mem->high;
    /* Lists the samples that have a weight. */
    size_t n = 0;
    for (size_t i = 0; i < m->given->n; i++) {
        if (mgn_weight(m->given, i) > 0) { m->rows[n++] = (margin_index)mgn_row_of(m->given, i); }
    }
    m->data = *m->given;
    m->data.rows = m->rows;
    m->data.n = n;
    if (m->data.n == 0) { return MARGIN_E_EMPTY; }
    mgn_fit fit = mgn_oneclass_fit(m);
    m->tick = mgn_tick_make(m->o.watch, 1);
    fit.tick = &m->tick;
    margin_status status = mgn_oneclass_solve(m, &work, &fit, mem);
    if (status >= 0 && !m->ball && !mgn_oneclass_plane(m, &work.qp, &fit)) {
        status = MARGIN_E_NO_DIRECTION;
    }
    margin_arena_release(mem, mark);
    if (status < 0) { return status; }
    if (m->ball) {
        mgn_oneclass_ball(m, &fit, &frame->model);
    } else if (m->linear) {
        mgn_data_sum(&m->data, m->b, m->w);
        m->bias = m->w + m->d;
        *m->bias = fit.bias;
        mgn_linear_model(&frame->model, m->w, m->bias, m->d, mgn_vote_of(2, MARGIN_SCHEME_BINARY));
    } else {
        mgn_oneclass_expand(m, &fit, mem, &frame->model);
    }
    frame->info = fit.info;
    for (size_t i = 0; i < m->data.n; i++) { frame->info.support += m->b[i] != 0 ? 1u : 0u; }
    return status;
}

static const mgn_method mgn_oneclass_machine = {mgn_oneclass_plan_all, mgn_oneclass_run};

/* ---- the whole ---- */

/* Samples are the stranger the farther they are, or the lower s(x) / |v|^2. This share is 1 for an
 * average sample, whatever the number of samples, so that machines of folds can be compared; s(x) /
 * |v| and rho grow as samples are left out, where kernels are narrow. */
static margin_real mgn_oneclass_judge(void *task, const margin_model *model,
                                      const margin_data *data, size_t i) {
    margin_real score;
    margin_scores(model, mgn_sample(data, i), &score);
    if (model->kind == MARGIN_MODEL_PROTO) { return score; }
    const mgn_oneclass *m = (const mgn_oneclass *)task;
    return (*m->bias - score) / m->size;
}

static void mgn_oneclass_aim(void *task, const margin_data *data) {
    mgn_oneclass *m = (mgn_oneclass *)task;
    m->given = data;
    m->n = data->n;
}

/* Prototypes have a task and a trainer of their own. */
static void mgn_oneclass_proto_aim(void *task, const margin_data *data) {
    mgn_proto_job *job = (mgn_proto_job *)task;
    const margin_proto_options options = job->o;
    (void)mgn_proto_shape(job, data->n, data->d, 1, &options);
    job->data = data;
}

static void mgn_oneclass_task_plan(void *task, margin_arena *mem) {
    mgn_oneclass *m = (mgn_oneclass *)task;
    mgn_conformal_plan(&m->limit, mem, m->most);
    m->limit.method->plan(m->limit.task, mem);
}

static margin_status mgn_oneclass_task_run(void *task, mgn_frame *frame) {
    mgn_oneclass *m = (mgn_oneclass *)task;
    const margin_data *data = m->given;
    mgn_conformal_plan(&m->limit, frame->mem, m->most);
    const margin_status status = mgn_conformal_train(&m->limit, frame, data);
    if (status < 0) { return status; }
    m->found.promised = m->limit.promised;
    if (frame->model.kind == MARGIN_MODEL_PROTO) {
        /* The largest distance, but not what rounds to 0 in float, which would be no limit. */
        const margin_real noise = 8 * MGN_R(FLT_EPSILON);
        const margin_real least =
            noise * noise * mgn_norm2_bits(frame->model.of.proto.vectors, frame->model.of.proto.d);
        frame->model.of.proto.vote.reject = mgn_max(m->limit.limit, mgn_max(least, MGN_R(FLT_MIN)));
    } else {
        const bool solution = m->limit.folds == 1u && m->o.lambda == 0; /* then rho stays */
        const margin_real limit = solution ? *m->bias / m->size : m->limit.limit;
        const margin_real slack = 8 * MGN_R(FLT_EPSILON);
        *m->bias = (limit + (limit < 0 ? mgn_min(slack, -limit / 2) : slack)) * m->size;
        frame->info.bias = *m->bias;
    }
    if (frame->wants_info || m->reported) {
        /* How far within the limit the training samples are, in place of those of folds. */
        mgn_conformal *c = &m->limit;
        size_t alarms = 0;
        mgn_conformal_own(c, &frame->model, data);
        for (size_t i = 0; i < c->count; i++) {
            c->odd[i] = frame->model.kind == MARGIN_MODEL_PROTO
                            ? frame->model.of.proto.vote.reject - c->odd[i]
                            : *m->bias - c->odd[i] * m->size;
            alarms += c->odd[i] < 0 ? 1u : 0u;
        }
        m->found.alarms = (margin_real)alarms / (margin_real)c->count;
        mgn_info_margins(&frame->info, c->odd, c->count);
    }
    return status;
}

static const mgn_method mgn_oneclass_method = {mgn_oneclass_task_plan, mgn_oneclass_task_run};

/* The rate, the folds and the seed of a limit; false if the number of folds is out of its range. */
static bool mgn_conformal_shape(mgn_conformal *c, size_t n, size_t folds, bool held_out,
                                uint32_t seed) {
    c->folds = folds != 0 ? folds : mgn_size_min(n, held_out ? 5u : 20u);
    c->held_out = held_out;
    c->seed = seed;
    return c->folds <= n;
}

/* Options with their defaults, and what trains. */
static margin_status mgn_oneclass_shape(mgn_oneclass *m, size_t n, size_t d,
                                        const margin_oneclass_options *options) {
    margin_oneclass_options *o = &m->o;
    margin_status status;
    mgn_clear(m, sizeof *m);
    if (options != NULL) { *o = *options; }
    o->nu = o->nu == 0 ? MGN_R(0.05) : o->nu;
    m->n = m->most = n;
    m->d = d;
    m->linear = o->kernel.kind == MARGIN_KERNEL_LINEAR;
    m->ball = m->linear && o->sphere;
    m->prototypes.method = MARGIN_PROTO_HSS;
    m->prototypes.start = o->models > 1u ? MARGIN_START_CLUSTERS : MARGIN_START_HSS;
    m->prototypes.models = o->models;
    m->prototypes.tangents = o->tangents;
    m->prototypes.seed = o->seed;
    m->prototypes.watch = o->watch;
    m->limit.rate = o->nu;
    m->limit.method = o->models > 0 ? &mgn_proto_method : &mgn_oneclass_machine;
    m->limit.task = o->models > 0 ? (void *)&m->proto : (void *)m;
    m->limit.aim = o->models > 0 ? mgn_oneclass_proto_aim : mgn_oneclass_aim;
    m->limit.part = o->part;
    m->limit.user = o->part_user;
    m->limit.judge = mgn_oneclass_judge;
    status =
        mgn_both(margin_kernel_resolve(&o->kernel, d, &o->kernel), mgn_control_resolve(&o->run, n));
    if (n > MARGIN_INDEX_MAX) { return mgn_both(status, MARGIN_E_OVERFLOW); }
    if (!(o->nu > 0 && o->nu < 1) || !(o->lambda >= 0 && o->lambda <= 1) ||
        (o->sphere && o->kernel.kind == MARGIN_KERNEL_POLY) ||
        !mgn_conformal_shape(&m->limit, n, o->folds, o->held_out, o->seed) ||
        (o->models > 0 ? !mgn_proto_shape(&m->proto, n, d, 1, &m->prototypes) : o->tangents != 0)) {
        return mgn_both(status, MARGIN_E_ARGUMENT);
    }
    return status;
}

MARGIN_API size_t margin_oneclass_train_size(size_t n, size_t d, size_t classes,
                                             const margin_oneclass_options *options) {
    mgn_oneclass m;
    return n > 0 && classes > 0 && classes < MARGIN_REJECTED &&
                   mgn_oneclass_shape(&m, n, d, options) == MARGIN_OK
               ? mgn_frame_size(&mgn_oneclass_method, &m)
               : 0;
}

MARGIN_API margin_status margin_oneclass_train(const margin_data *data,
                                               const margin_oneclass_options *options,
                                               margin_arena *mem, margin_model *model,
                                               margin_info *info, margin_oneclass_report *report) {
    mgn_oneclass m;
    margin_data plain;
    margin_status status = margin_data_check(data);
    if (status == MARGIN_OK) {
        plain = *data;
        plain.y = NULL; /* labels do not matter */
        status = mgn_oneclass_shape(&m, data->n, data->d, options);
        m.given = &plain;
        m.reported = report != NULL;
    }
    status = mgn_frame_train(&mgn_oneclass_method, &m, status, mem, model, info);
    if (status >= 0 && report != NULL) { *report = m.found; }
    return status;
}

/* ---- on-line ---- */

/* With W the weight and S = LL' the sum of weighted squares about the mean m, a sample x adds
 *     W' = f W + 1,   m' = m + (x - m) / W',   S' = f S + (f W / W') (x - m)(x - m)'
 * exactly. The covariance is S / W. */
static void mgn_oneclass_online_plan(margin_oneclass_online *on, margin_arena *mem, size_t d) {
    on->d = d;
    on->mean = MGN_KEEP(mem, margin_real, d);
    on->factor = MGN_KEEP(mem, margin_real, mgn_size_mul(d, d));
    on->work = MGN_KEEP(mem, margin_real, d);
}

MARGIN_API size_t margin_oneclass_online_start_size(size_t d) {
    margin_arena dry = margin_arena_counting();
    margin_oneclass_online on;
    mgn_oneclass_online_plan(&on, &dry, d);
    return d == 0 ? 0 : mgn_arena_counted(&dry);
}

MARGIN_API margin_status margin_oneclass_online_start(margin_oneclass_online *on, size_t d,
                                                      const margin_oneclass_online_options *options,
                                                      margin_arena *mem) {
    margin_oneclass_online_options o = {0, 0, 0, 0};
    margin_oneclass_online begun;
    o = options != NULL ? *options : o;
    o.rate = o.rate == 0 ? MGN_R(0.01) : o.rate;
    o.forget = o.forget == 0 ? MGN_R(0.999) : o.forget;
    o.ridge = o.ridge == 0 ? MGN_R(0.001) : o.ridge;
    o.step = o.step == 0 ? (margin_real)d : o.step;
    if (on == NULL || d == 0 || mgn_mem_check(mem) != MARGIN_OK ||
        !(o.rate > 0 && o.rate < 1 && o.forget > 0 && o.forget <= 1 && o.ridge > 0 && o.step > 0) ||
        !mgn_finite(o.ridge) || !mgn_finite(o.step)) {
        return MARGIN_E_ARGUMENT;
    }
    margin_arena before = *mem;
    mgn_oneclass_online_plan(&begun, mem, d);
    if (mem->failed != 0) { return margin_arena_rewind(mem, &before); }
    for (size_t i = 0; i < d * d; i++) { begun.factor[i] = i % (d + 1u) == 0 ? o.ridge : 0; }
    for (size_t i = 0; i < d; i++) { begun.mean[i] = 0; }
    begun.weight = 0;
    begun.threshold = 2 * (margin_real)d;
    begun.rate = o.rate;
    begun.floor = MGN_EPS * o.ridge;
    begun.forget = o.forget;
    begun.step = o.step;
    *on = begun;
    return MARGIN_OK;
}

/* W |z|^2 with L z = x - mean, row by row. */
MARGIN_API margin_real margin_oneclass_online_distance(const margin_oneclass_online *on,
                                                       const margin_real *x) {
    margin_real sum = 0;
    for (size_t i = 0; on->weight > 0 && i < on->d; i++) {
        const margin_real *row = on->factor + i * on->d;
        const margin_real rest = x[i] - on->mean[i] - margin_dot(row, on->work, i);
        on->work[i] = rest / row[i];
        sum += on->work[i] * on->work[i];
    }
    sum *= on->weight;
    return mgn_finite(sum) ? sum : MGN_HUGE;
}

/* L becomes a factor of scale LL' + vv', column by column by rotations; v is lost. A feature that
 * never changes would be forgotten until nothing is left to divide by: hence the floor. */
static void mgn_oneclass_online_rotate(margin_oneclass_online *on, margin_real scale,
                                       margin_real *v) {
    const margin_real root = mgn_sqrt(scale);
    for (size_t k = 0; k < on->d; k++) {
        const margin_real old = mgn_max(root * on->factor[k * on->d + k], on->floor);
        const margin_real length = mgn_sqrt(old * old + v[k] * v[k]);
        const margin_real c = old / length, s = v[k] / length;
        on->factor[k * on->d + k] = length;
        for (size_t i = k + 1u; i < on->d; i++) {
            const margin_real a = root * on->factor[i * on->d + k];
            on->factor[i * on->d + k] = c * a + s * v[i];
            v[i] = c * v[i] - s * a;
        }
    }
}

MARGIN_API margin_status margin_oneclass_online_add(margin_oneclass_online *on,
                                                    const margin_real *x, bool *alarm) {
    margin_real size = 0;
    if (on == NULL || x == NULL) { return MARGIN_E_ARGUMENT; }
    const margin_real weight = on->forget * on->weight + 1,
                      share = on->forget * on->weight / weight;
    if (!mgn_all_finite(x, on->d)) { return MARGIN_E_NOT_FINITE; }
    for (size_t i = 0; i < on->d; i++) { size += (x[i] - on->mean[i]) * (x[i] - on->mean[i]); }
    if (!mgn_finite(size * weight)) { return MARGIN_E_RANGE; }
    const margin_real distance = margin_oneclass_online_distance(on, x);
    for (size_t i = 0; i < on->d; i++) {
        const margin_real differ = x[i] - on->mean[i];
        on->mean[i] += differ / weight;
        on->work[i] = mgn_sqrt(share) * differ;
    }
    mgn_oneclass_online_rotate(on, on->weight > 0 ? on->forget : 1, on->work);
    on->weight = weight;
    if (alarm != NULL) { *alarm = distance > on->threshold; }
    on->threshold += on->step * (distance > on->threshold ? 1 - on->rate : -on->rate);
    return MARGIN_OK;
}

/* ---- >>svr ---- regression as a quadratic programme of >>qp, or by least squares ------------- */

/* Vapnik: "The nature of statistical learning theory", 1995; Schoelkopf and others as for the
 * nu-SVM. It is built on >>ordinal: one machine, targets that are numbers, in units of their
 * deviation. With r = Kb - t, weights strictly between 0 and C have r = -bias - epsilon, those
 * strictly between -C and 0 have r = epsilon - bias. For nu, both groups of weights sum to nu C n /
 * 2 in size, and epsilon is half the difference of their levels. Where a sample has one weight,
 * epsilon is searched for: the larger it is, the less is the sum of all |b_i|, which ought to be nu
 * C n. The objective of nu is that of epsilon less epsilon nu C n; it is greatest at the right
 * epsilon, and so it hardly depends on how right that is. */
typedef struct {
    mgn_ordinal o; /* first, so that a solver finds the rest */
    margin_svr_options s;
    size_t planned;  /* samples that memory is planned for, */
    size_t most;     /* and that of the programme: all of them */
    unsigned rounds; /* of a search for epsilon, at most */
    bool twice;      /* every sample is there twice, not two-sided */
    margin_index *part;
    margin_real *b, *f, *lin;
    uint8_t *side;
    margin_real epsilon; /* out */
    margin_real mass;    /* of a search: what all |b_i| ought to sum up to; else 0 */
    mgn_conformal limit;
    margin_svr_report found;
} mgn_svr;

static size_t mgn_svr_weights(const mgn_svr *v, size_t n) {
    return v->twice ? mgn_size_mul(2u, n) : n;
}

static void mgn_svr_blocks(mgn_svr *plan, margin_arena *mem) {
    const size_t n = mgn_svr_weights(plan, plan->planned);
    MARGIN_BLOCKS_SVR(MGN_TAKE, n)
}

static mgn_fit mgn_svr_machine(const mgn_svr *v) {
    mgn_fit fit;
    mgn_clear(&fit, sizeof fit);
    fit.data = v->o.data;
    fit.data.d = v->o.d;
    fit.most = mgn_svr_weights(v, v->most);
    fit.kernel = v->o.options.kernel;
    fit.run = v->s.run;
    fit.b = v->b;
    fit.f = v->f;
    fit.w = v->o.w;
    return fit;
}

static void mgn_svr_plan(const mgn_ordinal *o, margin_arena *mem) {
    mgn_svr v = *(const mgn_svr *)(const void *)o;
    const mgn_fit fit = mgn_svr_machine(&v);
    mgn_svr_blocks(&v, mem);
    mgn_qp_work_plan(&fit, mem);
}

/* Caps in units in which K is about 1, clipped as those of svm. */
static void mgn_svr_programme(mgn_svr *v, mgn_qp *q, const mgn_fit *fit) {
    const margin_real c = v->s.c == 0 ? 1 : v->s.c / v->o.size;
    mgn_svm_programme(q, fit, c, c);
    q->lin = v->lin;
    q->side = v->twice ? NULL : v->side;
    q->early = !v->twice;
    q->kink = 2 * v->epsilon;
    if (v->s.loss == MARGIN_SVR_NU) {
        const margin_real all = mgn_norm1(q->cap, q->n);
        v->mass = v->twice ? 0 : v->s.nu * all;
        q->by_class = v->twice;
        q->sum[1] = v->twice ? v->s.nu * all / 4 : 0;
        q->sum[0] = -q->sum[1];
    }
}

/* Bias, epsilon, scores and coefficients of the solved programme. The gap is the primal less the
 * dual objective: what the errors beyond epsilon cost, and what the weights gain. */
static void mgn_svr_finish(mgn_svr *v, mgn_qp *q, mgn_fit *fit) {
    mgn_ordinal *o = &v->o;
    const margin_real low = mgn_qp_level(q, 0);
    const margin_real high = q->by_class ? mgn_qp_level(q, 1) : low;
    fit->bias = -(low / 2 + high / 2);
    if (q->by_class) { v->epsilon = mgn_max((low - high) / 2, 0); }
    margin_real gap = q->objective + v->epsilon * 2 * q->sum[1];
    for (size_t i = v->twice ? o->n : 0; i < q->n; i++) {
        const margin_real s = q->g[i] + mgn_qp_linear(q, i);
        const margin_real off = mgn_abs(q->lin[i] - (s + fit->bias)) - v->epsilon;
        const margin_real b = v->twice ? q->b[i] + q->b[i - o->n] : q->b[i];
        gap += b * s / 2 + q->cap[i] * mgn_max(off, 0);
    }
    fit->info.gap = mgn_max(gap, 0) / q->unit;
    fit->info.objective = (q->objective - v->epsilon * v->mass) / q->unit;
    for (size_t i = 0; i < o->n; i++) {
        const margin_real twin = v->twice ? v->b[i + o->n] : 0;
        o->f[i] = q->g[i] + mgn_qp_linear(q, i);
        v->b[i] = (v->b[i] + twin) / q->unit;
    }
    mgn_fit_take_w(fit, q, 1);
}

/* ---- the epsilon of a nu ---- */

/* An epsilon; by how much the weights there sum up to more than they ought to; about the logarithm
 * of the factor by which; and the objective of nu, whose slope the excess is. */
typedef struct {
    margin_real epsilon, excess, share, value;
} mgn_svr_point;

typedef struct {
    mgn_svr_point now, was; /* the last two, */
    mgn_svr_point end[2];   /* and those between which epsilon is: an excess above 0, one below */
    margin_real count[2];   /* what the ends count; 0: there is none */
    unsigned moved;         /* the end that was moved last, 1 or 2; 0: none, too inexact */
    margin_real *other;     /* the weights at the end that is not the newest, */
    margin_real *before;    /* and those before the newest */
} mgn_svr_search;

/* The newest becomes an end. The one that stays counts half from then on, so that both come closer
 * (the Illinois rule). */
static void mgn_svr_bracket(const mgn_qp *q, mgn_svr_search *s) {
    const unsigned e = s->now.excess > 0 ? 0 : 1u;
    if (s->moved == 2u - e) { mgn_copy(s->other, s->before, q->n); }
    if (s->moved == 1u + e) { s->count[1u - e] /= 2; }
    s->end[e] = s->now;
    s->count[e] = s->now.share;
    s->moved = 1u + e;
}

static bool mgn_svr_bracketed(const mgn_svr_search *s) {
    return s->count[0] > 0 && s->count[1] < 0;
}

/* Where to look next: on the secant between both ends, or through the last two values, of which it
 * takes a little more so that the other end is soon found. Sum and epsilon are taken by their
 * logarithms, in which the curve is nearly straight. A sum that falls by the square of epsilon is
 * usual, and all that is known after the first one; while values are inexact, a slope that is far
 * from that is not believed. */
static margin_real mgn_svr_next(const mgn_svr_search *s) {
    const margin_real epsilon = mgn_max(s->now.epsilon, MGN_R(0.001));
    const margin_real low = s->end[0].epsilon, high = s->end[1].epsilon;
    margin_real slope = 2, next;
    if (mgn_svr_bracketed(s)) {
        const margin_real part = s->count[0] / (s->count[0] - s->count[1]);
        next = low > 0 ? low * margin_exp(part * margin_log(high / low)) : high * part;
        return next > low && next < high ? next : low + (high - low) / 2;
    }
    if (s->was.epsilon > 0 && s->was.epsilon != epsilon) {
        slope = (s->was.share - s->now.share) / margin_log(epsilon / s->was.epsilon);
    }
    slope = s->moved == 0 ? mgn_min(mgn_max(slope, 2), 8) : mgn_max(slope, MGN_R(0.001));
    next = epsilon * margin_exp(MGN_R(1.1) * s->now.share / slope);
    next = mgn_min(mgn_max(next, epsilon / 2), 2 * epsilon);
    return next > MGN_R(0.001) ? next : 0;
}

/* The weights in b, each on its side. */
static void mgn_svr_sides(mgn_qp *q, margin_real epsilon) {
    q->kink = 2 * epsilon;
    for (size_t i = 0; i < q->n; i++) { q->side[i] = q->b[i] < 0 ? 0 : 1; }
}

/* Where the weights do not change with epsilon, the objective is made of two straight lines,
 * which meet at the right epsilon: the weights of both are optimal there, and so are those
 * between, of which some have the right sum. Likewise where both ends are as good as one. True
 * if that was it. */
static bool mgn_svr_mix(mgn_svr *v, mgn_qp *q, mgn_svr_search *s, bool surely) {
    const mgn_svr_point *low = &s->end[0], *high = &s->end[1];
    const margin_real reach = low->excess - high->excess, rise = high->value - low->value;
    const margin_real far = high->epsilon - low->epsilon;
    const margin_real share = s->now.excess / (s->now.excess > 0 ? reach : -reach);
    const margin_real step = mgn_min(mgn_max((rise - high->excess * far) / reach, 0), far);
    mgn_copy(s->before, q->b, q->n);
    for (size_t i = 0; i < q->n; i++) { q->b[i] += share * (s->other[i] - q->b[i]); }
    mgn_svr_sides(q, low->epsilon + step);
    mgn_qp_assess(q);
    if (surely || q->violation <= mgn_max(q->goal, q->floor)) {
        v->epsilon = low->epsilon + step;
        return true;
    }
    mgn_copy(q->b, s->before, q->n);
    mgn_svr_sides(q, v->epsilon);
    mgn_qp_gradient(q);
    return false;
}

/* Whether both ends are as good as one: closer than tol; or, where the weights leap from the one to
 * the other, which takes many steps to find out, so close that the lines along them, which bound
 * the objective, leave little of it open. */
static bool mgn_svr_close(const mgn_svr_search *s, margin_real tol) {
    const margin_real low = s->end[0].excess, high = s->end[1].excess;
    const margin_real far = s->end[1].epsilon - s->end[0].epsilon;
    const margin_real open = far * (low / (low - high)) * -high;
    return far <= tol || (far <= mgn_sqrt(tol) / 8 && open <= 64 * tol * mgn_abs(s->now.value));
}

/* What was found at v->epsilon; true if it is what is searched for. */
static bool mgn_svr_found(mgn_svr *v, mgn_qp *q, mgn_svr_search *s, margin_real tol) {
    const margin_real excess = s->now.excess;
    const mgn_svr_point last = s->end[excess > 0 ? 0 : 1];
    const bool again = s->moved == (excess > 0 ? 1u : 2u);
    if (mgn_abs(excess) <= 4 * tol * v->mass || (excess <= 0 && v->epsilon == 0)) { return true; }
    mgn_svr_bracket(q, s);
    if (!mgn_svr_bracketed(s)) { return false; }
    if (mgn_svr_close(s, tol)) { return mgn_svr_mix(v, q, s, true); }
    return again && mgn_abs(excess - last.excess) <= mgn_abs(excess) / 1024 &&
           mgn_svr_mix(v, q, s, false);
}

/* Solves for one epsilon after the other, each from the weights of the last. The first ones need
 * not be exact. Where the rounds end before the search does, the model is that of the last epsilon,
 * and the status says so. */
static margin_status mgn_svr_nu(mgn_svr *v, mgn_qp_work *work, mgn_fit *fit, margin_arena *mem) {
    mgn_qp *q = &work->qp;
    const margin_real tol = q->tol;
    margin_status status = MARGIN_OK;
    margin_real rough = MGN_R(0.1);
    mgn_svr_search s;
    mgn_clear(&s, sizeof s);
    s.other = fit->f;
    s.before = v->o.coef;
    v->epsilon = MGN_R(0.5);
    q->kink = 2 * v->epsilon;
    bool ended = false;
    for (unsigned round = 0; round < v->rounds && !ended; round++) {
        if (round > 0) { /* another epsilon for the same weights */
            v->epsilon = mgn_svr_next(&s);
            for (size_t i = 0; i < q->n; i++) {
                q->g[i] += mgn_qp_signed(q, i, v->epsilon - q->kink / 2);
            }
            q->kink = 2 * v->epsilon;
            q->known = true;
            rough /= mgn_abs(s.now.share) < MGN_R(0.5) ? MGN_R(8) : MGN_R(2);
            q->begun = true;
        }
        q->tol = mgn_max(tol, rough);
        q->ease = rough > tol ? 4 : 1;
        mgn_copy(s.before, q->b, q->n);
        status = mgn_qp_work_solve(work, fit, mem);
        if (status < 0 || status == MARGIN_W_STOPPED || status == MARGIN_W_ITERATIONS) { break; }
        s.was = s.now;
        s.now.epsilon = v->epsilon;
        s.now.excess = mgn_norm1(q->b, q->n) - v->mass;
        s.now.share = 2 * s.now.excess / (2 * v->mass + s.now.excess);
        s.now.value = q->objective - v->epsilon * v->mass;
        ended = rough <= tol && mgn_svr_found(v, q, &s, tol);
    }
    q->tol = tol;
    fit->info.converged = fit->info.converged && ended;
    return status >= 0 && status != MARGIN_W_STOPPED && !ended ? MARGIN_W_ITERATIONS : status;
}

/* Weights of a linear kernel, or coefficients. */
static void mgn_svr_store(mgn_svr *v, const mgn_fit *fit) {
    mgn_ordinal *o = &v->o;
    o->shift = fit->bias;
    if (!o->linear) {
        mgn_copy(o->coef, v->b, o->n);
        return;
    }
    if (!fit->has_w) { mgn_data_sum(&o->data, v->b, o->w); }
    mgn_ordinal_scores(o);
}

static margin_status mgn_svr_fit(mgn_ordinal *o, margin_arena *mem) {
    mgn_svr *v = (mgn_svr *)(void *)o;
    mgn_qp_work work;
    mgn_svr_blocks(v, mem);
    v->epsilon = v->s.loss == MARGIN_SVR_NU    ? 0
                 : v->s.epsilon == MARGIN_ZERO ? 0
                 : v->s.epsilon == 0           ? MGN_R(0.1)
                                               : v->s.epsilon / o->size;
    mgn_fit fit = mgn_svr_machine(v);
    fit.tick = &o->tick;
    /* The samples of the programme: negative ones first where each is there twice. */
    const size_t n = v->o.n;
    fit.data.n = mgn_svr_weights(v, n);
    fit.data.rows = v->part;
    fit.split = v->twice ? n : 0;
    for (size_t i = 0; i < fit.data.n; i++) {
        v->part[i] = v->o.rows[i < n ? i : i - n];
        v->lin[i] = v->o.rank[i < n ? i : i - n];
        v->side[i] = 1;
    }
    margin_status status = mgn_qp_work_start(&work, &fit, mem);
    if (status != MARGIN_OK) { return status; }
    mgn_svr_programme(v, &work.qp, &fit);
    if (!v->twice) { mgn_qp_relax(&work.qp); }
    status = v->mass > 0 ? mgn_svr_nu(v, &work, &fit, mem) : mgn_qp_work_solve(&work, &fit, mem);
    if (status >= 0) {
        mgn_svr_finish(v, &work.qp, &fit);
        mgn_svr_store(v, &fit);
        o->info = fit.info;
    }
    return status;
}

static const mgn_ordinal_solver mgn_svr_solver = {mgn_svr_plan, mgn_svr_fit};

/* ---- the whole ---- */

static void mgn_svr_aim(void *task, const margin_data *data) {
    mgn_svr *v = (mgn_svr *)task;
    v->o.given = data;
    v->o.n = v->planned = data->n;
    v->o.options.c = v->s.loss == MARGIN_SVR_SQUARES ? v->s.c : 0;
}

/* How far off an answer is. */
static margin_real mgn_svr_judge(void *task, const margin_model *model, const margin_data *data,
                                 size_t i) {
    mgn_svr *v = (mgn_svr *)task;
    margin_real score;
    margin_scores(model, mgn_sample(data, i), &score);
    return mgn_abs(v->s.targets[mgn_row_of(data, i)] - score);
}

static void mgn_svr_task_plan(void *task, margin_arena *mem) {
    mgn_svr *v = (mgn_svr *)task;
    if (v->s.outside > 0) { mgn_conformal_plan(&v->limit, mem, v->most); }
    mgn_ordinal_plan_all(task, mem);
}

static margin_status mgn_svr_task_run(void *task, mgn_frame *frame) {
    mgn_svr *v = (mgn_svr *)task;
    const margin_data *data = v->o.given;
    if (!(v->s.outside > 0)) { return mgn_ordinal_run(&v->o, frame); }
    mgn_conformal_plan(&v->limit, frame->mem, v->most);
    const margin_status status = mgn_conformal_train(&v->limit, frame, data);
    if (status >= 0) {
        v->found.half = v->limit.limit;
        v->found.promised = v->limit.promised;
    }
    return status;
}

static const mgn_method mgn_svr_method = {mgn_svr_task_plan, mgn_svr_task_run};

static margin_status mgn_svr_shape(mgn_svr *v, size_t n, size_t d,
                                   const margin_svr_options *options) {
    margin_ordinal_options plain = mgn_ordinal_full(NULL, true);
    const margin_svr_options *s = &v->s;
    mgn_clear(v, sizeof *v);
    if (options != NULL) { v->s = *options; }
    v->s.nu = v->s.nu == 0 ? MGN_R(0.5) : v->s.nu;
    plain.kernel = v->s.kernel;
    plain.targets = v->s.targets;
    plain.watch = v->s.watch;
    plain.c = v->s.loss == MARGIN_SVR_SQUARES ? v->s.c : 0;
    const bool fits = s->loss <= MARGIN_SVR_SQUARES && s->c >= 0 && mgn_finite(s->c) &&
                      s->epsilon >= 0 && mgn_finite(s->epsilon) && s->nu > 0 && s->nu <= 1 &&
                      s->outside >= 0 && s->outside < 1;
    margin_status status = fits ? mgn_ordinal_shape(&v->o, n, d, 1, &plain) : MARGIN_E_ARGUMENT;
    status = mgn_both(status, mgn_control_resolve(&v->s.run, n));
    v->o.numbers = true;
    v->o.solver = v->s.loss == MARGIN_SVR_SQUARES ? mgn_lssvm_solver(&plain) : &mgn_svr_solver;
    v->twice = v->o.linear || v->s.run.rank > 0;
    v->planned = v->most = n;
    v->rounds = 100;
    v->limit.rate = v->s.outside;
    v->limit.method = &mgn_ordinal_method;
    v->limit.task = v;
    v->limit.aim = mgn_svr_aim;
    v->limit.part = v->s.part;
    v->limit.user = v->s.part_user;
    v->limit.judge = mgn_svr_judge;
    return mgn_conformal_shape(&v->limit, n, v->s.folds, false, v->s.seed)
               ? status
               : mgn_both(status, MARGIN_E_ARGUMENT);
}

MARGIN_API size_t margin_svr_train_size(size_t n, size_t d, size_t classes,
                                        const margin_svr_options *options) {
    mgn_svr v;
    return n > 0 && classes > 0 && classes < MARGIN_REJECTED &&
                   mgn_svr_shape(&v, n, d, options) == MARGIN_OK
               ? mgn_frame_size(&mgn_svr_method, &v)
               : 0;
}

MARGIN_API margin_status margin_svr_train(const margin_data *data,
                                          const margin_svr_options *options, margin_arena *mem,
                                          margin_model *model, margin_info *info,
                                          margin_svr_report *report) {
    mgn_svr v;
    margin_status status = margin_data_check(data);
    if (status == MARGIN_OK) {
        status = mgn_svr_shape(&v, data->n, data->d, options);
        v.o.given = data;
        if (status == MARGIN_OK && v.s.targets == NULL) {
            status = MARGIN_E_ARGUMENT;
        } else if (status == MARGIN_OK && !mgn_targets_finite(data, v.s.targets)) {
            status = MARGIN_E_NOT_FINITE;
        }
    }
    status = mgn_frame_train(&mgn_svr_method, &v, status, mem, model, info);
    if (status >= 0 && report != NULL) {
        const bool squares = v.s.loss == MARGIN_SVR_SQUARES;
        *report = v.found;
        report->c = squares ? v.o.found.c : v.s.c == 0 ? v.o.size : v.s.c;
        report->epsilon = squares ? 0 : v.epsilon * v.o.size;
        report->loo = v.o.found.loo;
    }
    return status;
}

#endif /* MARGIN_PREDICT_ONLY */

#ifdef MGN_OPTIONS_PUSHED
#pragma GCC pop_options
#endif

#endif /* MARGIN_IMPL_H */
