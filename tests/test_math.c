/* Scalar functions against the host's libm in higher precision. tests/bench/math_ulp.c sweeps all
 * floats; here every function gets its special values, a dense grid and random arguments. */
#include <math.h>
#include <stdint.h>

#include "greatest.h"
#include "margin.h"
#include "math_reference.h"

#ifdef MARGIN_REAL_DOUBLE
#define MIN_SUBNORMAL ((margin_real)4.9406564584124654e-324)
#define MAX_FINITE DBL_MAX
#define MIN_NORMAL DBL_MIN
#else
#define MIN_SUBNORMAL ((margin_real)1.40129846e-45)
#define MAX_FINITE FLT_MAX
#define MIN_NORMAL FLT_MIN
#endif

typedef margin_real (*one_argument)(margin_real);
typedef reference (*exact_one_argument)(margin_real);

static int same_bits(margin_real a, margin_real b)
{
    return bits_of_real(a) == bits_of_real(b);
}

/* Worst error on `count` evenly spaced and as many random points of [low, high]. */
static double worst_between(one_argument ours, exact_one_argument exact, double low, double high,
                            int count)
{
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
static double worst_of_patterns(one_argument ours, exact_one_argument exact, int count)
{
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

TEST sqrt_is_correctly_rounded(void)
{
    ASSERT(worst_of_patterns(margin_sqrt, reference_sqrt, 400000) <= 0.5);
    ASSERT(worst_between(margin_sqrt, reference_sqrt, 1, 4, 100000) <= 0.5);
    PASS();
}

TEST sqrt_is_correctly_rounded_on_subnormals_and_next_to_squares(void)
{
    int i;
    for (i = 1; i < 3000; i++) {
        const margin_real small = (margin_real)i * MIN_SUBNORMAL;
        const margin_real square = (margin_real)i * (margin_real)i;
        const margin_real below = real_of_bits(bits_of_real(square) - 1);
        const margin_real above = real_of_bits(bits_of_real(square) + 1);
        ASSERT(ulp_error(margin_sqrt(small), reference_sqrt(small)) <= 0.5);
        ASSERT(same_bits((margin_real)i, margin_sqrt(square)));
        ASSERT(ulp_error(margin_sqrt(below), reference_sqrt(below)) <= 0.5);
        ASSERT(ulp_error(margin_sqrt(above), reference_sqrt(above)) <= 0.5);
    }
    ASSERT(ulp_error(margin_sqrt(MAX_FINITE), reference_sqrt(MAX_FINITE)) <= 0.5);
    PASS();
}

TEST sqrt_of_special_values(void)
{
    ASSERT(same_bits(0, margin_sqrt(0)));
    ASSERT(same_bits((margin_real)-0.0, margin_sqrt((margin_real)-0.0)));
    ASSERT(same_bits((margin_real)INFINITY, margin_sqrt((margin_real)INFINITY)));
    ASSERT(isnan(margin_sqrt(-1)));
    ASSERT(isnan(margin_sqrt(-MIN_SUBNORMAL)));
    ASSERT(isnan(margin_sqrt((margin_real)-INFINITY)));
    ASSERT(isnan(margin_sqrt((margin_real)NAN)));
    PASS();
}

TEST exp_errs_little_more_than_half_an_ulp(void)
{
    ASSERT(worst_between(margin_exp, reference_exp, log(MIN_NORMAL) + 1, log(MAX_FINITE), 100000) <
           0.7);
    ASSERT(worst_between(margin_exp, reference_exp, -1, 1, 100000) < 0.7);
    ASSERT(worst_of_patterns(margin_exp, reference_exp, 200000) < 0.7);
    PASS();
}

TEST exp_rounds_subnormal_results(void)
{
    const double last = log(MIN_SUBNORMAL) - 1;
    ASSERT(worst_between(margin_exp, reference_exp, last, log(MIN_NORMAL), 100000) < 0.8);
    PASS();
}

TEST exp_of_special_values(void)
{
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

TEST exp_of_an_array_has_the_bits_of_exp_at_every_length(void)
{
    margin_real v[300];
    margin_real x[300];
    uint64_t state = 3;
    int n;
    int i;
    for (n = 0; n <= 300; n += n < 20 ? 1 : 7) {
        for (i = 0; i < n; i++) {
            const uint64_t bits = random_bits(&state);
            x[i] = (margin_real)(-800 * (double)(bits >> 11) * 0x1p-53);
            x[i] = bits % 16 == 0 ? real_of_bits((real_bits)random_bits(&state)) : x[i];
            v[i] = x[i];
        }
        margin_exp_array(v, (size_t)n);
        for (i = 0; i < n; i++) {
            ASSERT(same_bits(v[i], margin_exp(x[i])) || (isnan(v[i]) && isnan(x[i])));
        }
    }
    PASS();
}

TEST log_errs_less_than_one_ulp(void)
{
    ASSERT(worst_between(margin_log, reference_log, 0.3, 3, 200000) < 0.86);
    ASSERT(worst_between(margin_log, reference_log, 0.99, 1.01, 100000) < 0.86);
    ASSERT(worst_of_patterns(margin_log, reference_log, 200000) < 0.86);
    PASS();
}

TEST log_of_special_values(void)
{
    ASSERT(same_bits(0, margin_log(1)));
    ASSERT(same_bits((margin_real)-INFINITY, margin_log(0)));
    ASSERT(same_bits((margin_real)-INFINITY, margin_log((margin_real)-0.0)));
    ASSERT(same_bits((margin_real)INFINITY, margin_log((margin_real)INFINITY)));
    ASSERT(isnan(margin_log(-1)));
    ASSERT(isnan(margin_log((margin_real)-INFINITY)));
    ASSERT(isnan(margin_log((margin_real)NAN)));
    ASSERT(ulp_error(margin_log(MIN_SUBNORMAL), reference_log(MIN_SUBNORMAL)) < 0.86);
    ASSERT(ulp_error(margin_log(MAX_FINITE), reference_log(MAX_FINITE)) < 0.86);
    PASS();
}

SUITE(math_suite)
{
    RUN_TEST(sqrt_is_correctly_rounded);
    RUN_TEST(sqrt_is_correctly_rounded_on_subnormals_and_next_to_squares);
    RUN_TEST(sqrt_of_special_values);
    RUN_TEST(exp_errs_little_more_than_half_an_ulp);
    RUN_TEST(exp_rounds_subnormal_results);
    RUN_TEST(exp_of_special_values);
    RUN_TEST(exp_of_an_array_has_the_bits_of_exp_at_every_length);
    RUN_TEST(log_errs_less_than_one_ulp);
    RUN_TEST(log_of_special_values);
}
