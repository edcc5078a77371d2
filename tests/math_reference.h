/* Exact values of the scalar functions, by the host's libm in higher precision, and errors in ulp. */
#ifndef MATH_REFERENCE_H
#define MATH_REFERENCE_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "margin.h"

#ifdef MARGIN_REAL_DOUBLE
typedef long double reference;
typedef uint64_t real_bits;
#define REFERENCE(name) name##l
#define REAL_DIGITS DBL_MANT_DIG
#define REAL_MIN_EXP DBL_MIN_EXP
#define REAL_MAX_EXP DBL_MAX_EXP
#define MIN_NORMAL DBL_MIN
#define MAX_FINITE DBL_MAX
#else
typedef double reference;
typedef uint32_t real_bits;
#define REFERENCE(name) name
#define REAL_DIGITS FLT_MANT_DIG
#define REAL_MIN_EXP FLT_MIN_EXP
#define REAL_MAX_EXP FLT_MAX_EXP
#define MIN_NORMAL FLT_MIN
#define MAX_FINITE FLT_MAX
#endif

#define SQRT_HALF 0.70710678118654752440084436210484904L
#define SQRT_TWO_PI 2.5066282746310005024157652848110453L

static inline margin_real real_of_bits(real_bits bits) {
    margin_real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline real_bits bits_of_real(margin_real x) {
    real_bits bits;
    memcpy(&bits, &x, sizeof x);
    return bits;
}

/* splitmix64 (Steele, Lea and Flood 2014): independent of the generator under test. */
static inline uint64_t random_bits(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* |got - exact| in units of the last place of a margin_real as large as `exact`; an infinity counts
 * as the power of two after the largest finite number. */
static inline double ulp_error(margin_real got, reference exact) {
    const reference top = REFERENCE(ldexp)(1, REAL_MAX_EXP);
    reference value = got;
    int exponent;
    if (isnan(got) || isnan(exact)) { return isnan(got) && isnan(exact) ? 0 : INFINITY; }
    if (isinf(got)) { value = got > 0 ? top : -top; }
    if (exact > top || exact < -top) { exact = exact > 0 ? top : -top; }
    (void)REFERENCE(frexp)(exact, &exponent);
    exponent = exact == 0 || exponent < REAL_MIN_EXP ? REAL_MIN_EXP : exponent;
    exponent = exponent > REAL_MAX_EXP ? REAL_MAX_EXP : exponent;
    return (double)REFERENCE(fabs)(REFERENCE(ldexp)(value - exact, REAL_DIGITS - exponent));
}

static inline reference reference_sqrt(margin_real x) {
    return REFERENCE(sqrt)(x);
}

static inline reference reference_exp(margin_real x) {
    return REFERENCE(exp)(x);
}

static inline reference reference_log(margin_real x) {
    return REFERENCE(log)(x);
}

static inline reference reference_pow(margin_real x, margin_real y) {
    return REFERENCE(pow)(x, y);
}

/* The relative error of exp(a) is the absolute one of a: so x^2 with its rounding error. */
static inline reference reference_normal_density(margin_real x) {
    const reference square = (reference)x * x;
    const reference lost = square < 1e9 ? REFERENCE(fma)(x, x, -square) : 0;
    return REFERENCE(exp)(-square / 2) * (1 - lost / 2) / (reference)SQRT_TWO_PI;
}

/* erfc(a) / 2 with a = -x sqrt(1/2), corrected for the rounding of a. */
static inline reference reference_normal_distribution(margin_real x) {
    const reference root = (reference)SQRT_HALF;
    const reference root_low = REFERENCE(fma)(root, -root, (reference)0.5) / (2 * root);
    const reference a = -x * root;
    const reference lost =
        REFERENCE(fabs)(a) < 1e9 ? REFERENCE(fma)(-x, root, -a) - x * root_low : 0;
    return REFERENCE(erfc)(a) / 2 - lost * reference_normal_density(x) / root;
}

#endif
