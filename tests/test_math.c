/* Scalar functions against the host's libm in higher precision. tests/bench/math_ulp.c sweeps all
 * floats; here every function gets its special values, a dense grid and random arguments. */
#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "asserts.h"
#include "margin.h"
#include "math_checksum.h"
#include "math_reference.h"

#ifdef MARGIN_REAL_DOUBLE
#define MIN_SUBNORMAL ((margin_real)4.9406564584124654e-324)
#define SIGN_CLEARED (UINT64_MAX >> 1)
#else
#define MIN_SUBNORMAL ((margin_real)1.40129846e-45)
#define SIGN_CLEARED (UINT32_MAX >> 1)
#endif
/* The errors that margin.h states. */
#define NORMAL_ULP 4.7

typedef margin_real (*one_argument)(margin_real);
typedef reference (*exact_one_argument)(margin_real);

static int same_bits(margin_real a, margin_real b) {
    return bits_of_real(a) == bits_of_real(b);
}

/* Worst error on `count` evenly spaced and as many random points of [low, high]. */
static double worst_between(one_argument ours, exact_one_argument exact, double low, double high,
                            int count) {
    double worst = 0;
    uint64_t state = 7;
    int i;
    for (i = 0; i < 2 * count; i++) {
        const double even = (double)(i / 2) / count;
        const double part = i % 2 ? (double)(random_bits(&state) >> 11) * 0x1p-53 : even;
        const margin_real x = (margin_real)(low + (high - low) * part);
        const double error = ulp_error(ours(x), exact(x));
        worst = error > worst ? error : worst;
    }
    return worst;
}

/* Worst error on random bit patterns: all exponents alike, subnormals, infinities, NaN. */
static double worst_of_patterns(one_argument ours, exact_one_argument exact, int count) {
    double worst = 0;
    uint64_t state = 11;
    int i;
    for (i = 0; i < count; i++) {
        const margin_real x = real_of_bits((real_bits)random_bits(&state));
        const double error = ulp_error(ours(x), exact(x));
        worst = error > worst ? error : worst;
    }
    return worst;
}

margin_real portable_sqrt(margin_real x); /* math_portable.c */

static const one_argument both_sqrt[2] = {margin_sqrt, portable_sqrt};

TEST sqrt_is_correctly_rounded(void) {
    int i;
    for (i = 0; i < 2; i++) {
        ASSERT(worst_of_patterns(both_sqrt[i], reference_sqrt, 200000) <= 0.5);
        ASSERT(worst_between(both_sqrt[i], reference_sqrt, 1, 4, 50000) <= 0.5);
    }
    PASS();
}

TEST sqrt_is_correctly_rounded_on_subnormals_and_next_to_squares(void) {
    int k;
    int i;
    for (k = 0; k < 2; k++) {
        for (i = 1; i < 3000; i++) {
            const margin_real small = (margin_real)i * MIN_SUBNORMAL;
            const margin_real square = (margin_real)i * (margin_real)i;
            const margin_real below = real_of_bits(bits_of_real(square) - 1);
            const margin_real above = real_of_bits(bits_of_real(square) + 1);
            ASSERT(ulp_error(both_sqrt[k](small), reference_sqrt(small)) <= 0.5);
            ASSERT(same_bits((margin_real)i, both_sqrt[k](square)));
            ASSERT(ulp_error(both_sqrt[k](below), reference_sqrt(below)) <= 0.5);
            ASSERT(ulp_error(both_sqrt[k](above), reference_sqrt(above)) <= 0.5);
        }
        ASSERT(ulp_error(both_sqrt[k](MAX_FINITE), reference_sqrt(MAX_FINITE)) <= 0.5);
    }
    PASS();
}

TEST sqrt_of_special_values(void) {
    int k;
    for (k = 0; k < 2; k++) {
        ASSERT(same_bits(0, both_sqrt[k](0)));
        ASSERT(same_bits((margin_real)-0.0, both_sqrt[k]((margin_real)-0.0)));
        ASSERT(same_bits((margin_real)INFINITY, both_sqrt[k]((margin_real)INFINITY)));
        ASSERT(isnan(both_sqrt[k](-1)));
        ASSERT(isnan(both_sqrt[k](-MIN_SUBNORMAL)));
        ASSERT(isnan(both_sqrt[k]((margin_real)-INFINITY)));
        ASSERT(isnan(both_sqrt[k]((margin_real)NAN)));
    }
    PASS();
}

TEST exp_errs_little_more_than_half_an_ulp(void) {
    ASSERT(worst_between(margin_exp, reference_exp, log(MIN_NORMAL) + 1, log(MAX_FINITE), 100000) <
           0.7);
    ASSERT(worst_between(margin_exp, reference_exp, -1, 1, 100000) < 0.7);
    ASSERT(worst_of_patterns(margin_exp, reference_exp, 200000) < 0.7);
    PASS();
}

TEST exp_rounds_subnormal_results(void) {
    const double last = log(MIN_SUBNORMAL) - 1;
    ASSERT(worst_between(margin_exp, reference_exp, last, log(MIN_NORMAL), 100000) < 0.8);
    PASS();
}

TEST exp_of_special_values(void) {
    ASSERT(same_bits(1, margin_exp(0)));
    ASSERT(same_bits(1, margin_exp((margin_real)-0.0)));
    ASSERT(same_bits(1, margin_exp(MIN_SUBNORMAL)));
    ASSERT(same_bits((margin_real)INFINITY, margin_exp((margin_real)INFINITY)));
    ASSERT(same_bits((margin_real)INFINITY, margin_exp((margin_real)MAX_FINITE)));
    ASSERT(same_bits(0, margin_exp((margin_real)-INFINITY)));
    ASSERT(same_bits(0, margin_exp((margin_real)-MAX_FINITE)));
    ASSERT(isnan(margin_exp((margin_real)NAN)));
    ASSERT(isnan(margin_exp((margin_real)-NAN)));
    PASS();
}

TEST log_errs_less_than_one_ulp(void) {
    ASSERT(worst_between(margin_log, reference_log, 0.3, 3, 200000) < 0.85);
    ASSERT(worst_between(margin_log, reference_log, 0.99, 1.01, 100000) < 0.85);
    ASSERT(worst_of_patterns(margin_log, reference_log, 200000) < 0.85);
    PASS();
}

TEST log_of_special_values(void) {
    ASSERT(same_bits(0, margin_log(1)));
    ASSERT(same_bits((margin_real)-INFINITY, margin_log(0)));
    ASSERT(same_bits((margin_real)-INFINITY, margin_log((margin_real)-0.0)));
    ASSERT(same_bits((margin_real)INFINITY, margin_log((margin_real)INFINITY)));
    ASSERT(isnan(margin_log(-1)));
    ASSERT(isnan(margin_log((margin_real)-INFINITY)));
    ASSERT(isnan(margin_log((margin_real)NAN)));
    ASSERT(ulp_error(margin_log(MIN_SUBNORMAL), reference_log(MIN_SUBNORMAL)) < 0.85);
    ASSERT(ulp_error(margin_log(MAX_FINITE), reference_log(MAX_FINITE)) < 0.85);
    PASS();
}

/* Pairs (x, y) with x^y in range. */
TEST pow_errs_less_than_one_ulp(void) {
    uint64_t state = 5;
    int i;
    for (i = 0; i < 300000; i++) {
        const double part = (double)(random_bits(&state) >> 11) * 0x1p-53;
        const double near_one = 1 + ldexp(part - 0.5, -(i / 2) % REAL_DIGITS);
        const margin_real any = real_of_bits((real_bits)random_bits(&state) & SIGN_CLEARED);
        const margin_real x = i % 2 ? (margin_real)near_one : any;
        const double slope = log((double)x);
        const double limit = slope == 0 ? 1 : (REAL_MAX_EXP + 60) * 0.6931 / slope;
        const double where = (double)(random_bits(&state) >> 11) * 0x1p-52 - 1;
        const margin_real y = (margin_real)(limit * where);
        ASSERT(ulp_error(margin_pow(x, y), reference_pow(x, y)) < 0.82);
    }
    PASS();
}

TEST pow_of_small_integers_is_exact(void) {
    ASSERT_EQ(8, margin_pow(2, 3));
    ASSERT_EQ(-125, margin_pow(-5, 3));
    ASSERT_EQ(49, margin_pow(-7, 2));
    ASSERT_EQ((margin_real)0.0625, margin_pow(4, -2));
    ASSERT_EQ((margin_real)1.5, margin_pow((margin_real)2.25, (margin_real)0.5));
    ASSERT_EQ(1000000, margin_pow(10, 6));
    PASS();
}

TEST pow_of_special_values_is_that_of_annex_f(void) {
    const margin_real odd = (margin_real)(((uint64_t)1 << REAL_DIGITS) - 1);
    const margin_real values[] = {0,
                                  1,
                                  2,
                                  3,
                                  4,
                                  (margin_real)0.5,
                                  (margin_real)2.5,
                                  (margin_real)1e-3,
                                  odd,
                                  odd - 1,
                                  odd / 2,
                                  MIN_SUBNORMAL,
                                  MIN_NORMAL,
                                  MAX_FINITE,
                                  (margin_real)INFINITY,
                                  (margin_real)NAN};
    const int n = 2 * (int)(sizeof values / sizeof values[0]);
    int i;
    int j;
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) {
            const margin_real x = i % 2 ? -values[i / 2] : values[i / 2];
            const margin_real y = j % 2 ? -values[j / 2] : values[j / 2];
            const margin_real got = margin_pow(x, y);
            const margin_real host = (margin_real)pow((double)x, (double)y);
            ASSERT_EQ(!!isnan(host), !!isnan(got));
            ASSERT(isnan(got) || !!signbit(host) == !!signbit(got));
            ASSERT(ulp_error(got, reference_pow(x, y)) < 0.82);
        }
    }
    PASS();
}

TEST pow_int_errs_at_most_n_ulp(void) {
    uint64_t state = 9;
    int i;
    for (i = 0; i < 100000; i++) {
        const int n = (int)(random_bits(&state) % 81) - 40;
        const double part = (double)(random_bits(&state) >> 11) * 0x1p-52 - 1;
        const margin_real x =
            (margin_real)(i % 2 ? part * 2 : ldexp(part, (int)(random_bits(&state) % 80) - 40));
        const double error = ulp_error(margin_pow_int(x, n), reference_pow(x, (margin_real)n));
        ASSERT(error <= (n < 0 ? -n : n));
    }
    PASS();
}

TEST pow_int_at_the_ends_of_its_range(void) {
    ASSERT(same_bits(1, margin_pow_int(0, 0)));
    ASSERT(same_bits(1, margin_pow_int((margin_real)NAN, 0)));
    ASSERT(same_bits(0, margin_pow_int(0, 5)));
    ASSERT(same_bits((margin_real)-0.0, margin_pow_int((margin_real)-0.0, 5)));
    ASSERT(same_bits((margin_real)-INFINITY, margin_pow_int((margin_real)-0.0, -5)));
    ASSERT(same_bits((margin_real)INFINITY, margin_pow_int((margin_real)-0.0, -4)));
    ASSERT(same_bits((margin_real)-0.0, margin_pow_int((margin_real)-INFINITY, -3)));
    ASSERT(isnan(margin_pow_int((margin_real)NAN, -2)));
    ASSERT(same_bits(1, margin_pow_int(-1, INT_MAX - 1)));
    ASSERT(same_bits(-1, margin_pow_int(-1, INT_MAX)));
    ASSERT(same_bits(1, margin_pow_int(-1, INT_MIN)));
    ASSERT(same_bits(0, margin_pow_int(2, INT_MIN)));
    ASSERT(same_bits((margin_real)INFINITY, margin_pow_int((margin_real)0.5, INT_MIN)));
    /* 2^p overflows, 2^-p does not underflow yet */
    ASSERT(same_bits(MIN_SUBNORMAL, margin_pow_int(2, REAL_MIN_EXP - REAL_DIGITS)));
    ASSERT(same_bits(MIN_NORMAL, margin_pow_int((margin_real)0.5, 1 - REAL_MIN_EXP)));
    PASS();
}

TEST normal_density_keeps_its_relative_accuracy_in_the_tails(void) {
    ASSERT(worst_between(margin_normal_density, reference_normal_density, -40, 40, 100000) < 2.0);
    ASSERT(worst_between(margin_normal_density, reference_normal_density, -1, 1, 50000) < 2.0);
    ASSERT(worst_of_patterns(margin_normal_density, reference_normal_density, 50000) < 2.0);
    PASS();
}

TEST normal_distribution_keeps_its_relative_accuracy_in_the_tail(void) {
    const one_argument ours = margin_normal_distribution;
    const exact_one_argument exact = reference_normal_distribution;
    ASSERT(worst_between(ours, exact, -40, 0, 100000) < NORMAL_ULP);
    ASSERT(worst_between(ours, exact, -3, 9, 100000) < NORMAL_ULP);
    ASSERT(worst_of_patterns(ours, exact, 50000) < NORMAL_ULP);
    PASS();
}

TEST normal_functions_of_special_values(void) {
    const margin_real inf = (margin_real)INFINITY;
    const margin_real nan = (margin_real)NAN;
    ASSERT(same_bits(0, margin_normal_density(inf)));
    ASSERT(same_bits(0, margin_normal_density(-inf)));
    ASSERT(isnan(margin_normal_density(nan)));
    ASSERT(same_bits((margin_real)0.5, margin_normal_distribution(0)));
    ASSERT(same_bits(0, margin_normal_distribution(-inf)));
    ASSERT(same_bits(1, margin_normal_distribution(inf)));
    ASSERT(isnan(margin_normal_distribution(nan)));
    PASS();
}

/* Also the numbers of Cortex-M0, M3, M4F and M7, RISC-V, AVR, AArch64, WebAssembly, PowerPC and
 * S/390, -O0 to -O3, gcc and clang; but for double on a Cortex-M3, whose libgcc misrounds. */
TEST results_have_the_bits_of_the_other_targets(void) {
#ifdef MARGIN_REAL_DOUBLE
    ASSERT_EQ_FMT(0x30FCB2DFu, math_checksum(3000), "%08X");
#else
    ASSERT_EQ_FMT(0x1BBF74E3u, math_checksum(3000), "%08X");
#endif
    PASS();
}

SUITE(math_suite) {
    RUN_TEST(sqrt_is_correctly_rounded);
    RUN_TEST(sqrt_is_correctly_rounded_on_subnormals_and_next_to_squares);
    RUN_TEST(sqrt_of_special_values);
    RUN_TEST(exp_errs_little_more_than_half_an_ulp);
    RUN_TEST(exp_rounds_subnormal_results);
    RUN_TEST(exp_of_special_values);
    RUN_TEST(log_errs_less_than_one_ulp);
    RUN_TEST(log_of_special_values);
    RUN_TEST(pow_errs_less_than_one_ulp);
    RUN_TEST(pow_of_small_integers_is_exact);
    RUN_TEST(pow_of_special_values_is_that_of_annex_f);
    RUN_TEST(pow_int_errs_at_most_n_ulp);
    RUN_TEST(pow_int_at_the_ends_of_its_range);
    RUN_TEST(normal_density_keeps_its_relative_accuracy_in_the_tails);
    RUN_TEST(normal_distribution_keeps_its_relative_accuracy_in_the_tail);
    RUN_TEST(normal_functions_of_special_values);
    RUN_TEST(results_have_the_bits_of_the_other_targets);
}
