/* test_calibrate.c -- sigmoids fitted to margins, and the probabilities they give. */
#include <math.h>
#include <string.h>

#include "greatest.h"
#include "margin.h"

enum { N = 400 };
static margin_real m[N];
static uint8_t hit[N];

/* Loss with smoothed targets, straight from the definition. */
static double loss(size_t n, double slope, double shift) {
    double hits = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        hits += hit[i];
    }
    for (size_t i = 0; i < n; i++) {
        const double target = hit[i] ? (hits + 1) / (hits + 2) : 1 / ((double)n - hits + 2);
        const double t = slope * (double)m[i] + shift;
        sum += target * log1p(exp(-t)) + (1 - target) * log1p(exp(t));
    }
    return sum / (double)n;
}

TEST no_other_sigmoid_near_the_fit_is_better(void) {
    static const double units[3] = {1, 1e-6, 1e6};
    margin_rng rng = margin_rng_make(1);
    for (unsigned round = 0; round < 30; round++) {
        const double unit = units[round % 3];
        const size_t n = 20 + margin_rng_below(&rng, N - 20);
        margin_real slope = 0, shift = 0;
        for (size_t i = 0; i < n; i++) {
            const double z = (double)margin_rng_normal(&rng);
            m[i] = (margin_real)(unit * z);
            hit[i] = (double)margin_rng_uniform(&rng) < 1 / (1 + exp(-(3 * z - 1)));
        }
        hit[0] = 1;
        hit[1] = 0;
        ASSERT_EQ(MARGIN_OK, margin_calibrate(m, hit, n, &slope, &shift));
        for (int a = -1; a <= 1; a++) {
            for (int b = -1; b <= 1; b++) {
                const double here = loss(n, (double)slope, (double)shift);
                const double other =
                    loss(n, (double)slope * (1 + 0.02 * a), (double)shift + 0.02 * b);
                ASSERT(here <= other + 1e-6);
            }
        }
    }
    PASS();
}

TEST separated_margins_give_a_finite_sigmoid(void) {
    margin_real slope = 0, shift = 0;
    for (size_t i = 0; i < 10; i++) {
        hit[i] = i >= 5;
        m[i] = i >= 5 ? 2 : -2;
    }
    ASSERT_EQ(MARGIN_OK, margin_calibrate(m, hit, 10, &slope, &shift));
    /* targets 6/7 and 1/7: by hand the sigmoid passes through both, slope = ln 6 / 2 */
    ASSERT_IN_RANGE(log(6.0) / 2, slope, sizeof(margin_real) > 4 ? 1e-6 : 1e-3);
    ASSERT_IN_RANGE(0, shift, 1e-4);
    PASS();
}

TEST constant_margins_give_the_share_of_hits(void) {
    margin_real slope = 1, shift = 0;
    for (size_t i = 0; i < 10; i++) {
        hit[i] = i < 3;
        m[i] = 0;
    }
    ASSERT_EQ(MARGIN_OK, margin_calibrate(m, hit, 10, &slope, &shift));
    ASSERT_IN_RANGE((3 * 4.0 / 5 + 7 / 9.0) / 10, 1 / (1 + exp(-(double)shift)), 1e-4);
    PASS();
}

TEST nonsense_is_refused_and_nothing_written(void) {
    margin_real slope = 7, shift = 8;
    m[0] = 1;
    m[1] = 2;
    hit[0] = hit[1] = 1;
    ASSERT_EQ(MARGIN_E_ONE_CLASS, margin_calibrate(m, hit, 2, &slope, &shift));
    hit[0] = hit[1] = 0;
    ASSERT_EQ(MARGIN_E_ONE_CLASS, margin_calibrate(m, hit, 2, &slope, &shift));
    hit[0] = 1;
    ASSERT_EQ(MARGIN_E_EMPTY, margin_calibrate(m, hit, 0, &slope, &shift));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_calibrate(NULL, hit, 2, &slope, &shift));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_calibrate(m, NULL, 2, &slope, &shift));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_calibrate(m, hit, 2, NULL, &shift));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_calibrate(m, hit, 2, &slope, NULL));
    m[1] = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_calibrate(m, hit, 2, &slope, &shift));
    m[1] = (margin_real)INFINITY;
    ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_calibrate(m, hit, 2, &slope, &shift));
    ASSERT_EQ(7, slope);
    ASSERT_EQ(8, shift);
    PASS();
}

TEST probabilities_of_all_classes_sum_to_one_and_follow_the_margin(void) {
    static const margin_real one_rest[3] = {1, 3, -2}, far[1] = {-1000};
    margin_vote vote = {3, MARGIN_SCHEME_ONE_REST, 0, 2, (margin_real)0.5};
    margin_real sum = 0;
    for (size_t c = 0; c < 3; c++) {
        sum += margin_probability(&vote, one_rest, c);
    }
    ASSERT_IN_RANGE(1, sum, 1e-6);
    ASSERT(margin_probability(&vote, one_rest, 1) > margin_probability(&vote, one_rest, 0));
    ASSERT(margin_probability(&vote, one_rest, 0) > margin_probability(&vote, one_rest, 2));
    vote.classes = 2;
    vote.scheme = MARGIN_SCHEME_BINARY;
    ASSERT_IN_RANGE(1 / (1 + exp(-2.5)), margin_probability(&vote, one_rest, 1), 1e-6);
    ASSERT_IN_RANGE(1 - 1 / (1 + exp(-2.5)), margin_probability(&vote, one_rest, 0), 1e-6);
    ASSERT_EQ(1, margin_probability(&vote, far, 0));
    vote.slope = 0;
    ASSERT_EQ((margin_real)0.5, margin_probability(&vote, far, 0));
    PASS();
}

TEST margins_below_the_threshold_are_rejected(void) {
    static const margin_real close[1] = {(margin_real)0.4}, clear[1] = {(margin_real)-0.6};
    margin_vote vote = {2, MARGIN_SCHEME_BINARY, (margin_real)0.5, 0, 0};
    ASSERT_EQ(MARGIN_REJECTED, margin_decide(&vote, close));
    ASSERT_EQ(0, margin_decide(&vote, clear));
    vote.reject = 0;
    ASSERT_EQ(1, margin_decide(&vote, close));
    PASS();
}

SUITE(calibrate_suite) {
    RUN_TEST(no_other_sigmoid_near_the_fit_is_better);
    RUN_TEST(separated_margins_give_a_finite_sigmoid);
    RUN_TEST(constant_margins_give_the_share_of_hits);
    RUN_TEST(nonsense_is_refused_and_nothing_written);
    RUN_TEST(probabilities_of_all_classes_sum_to_one_and_follow_the_margin);
    RUN_TEST(margins_below_the_threshold_are_rejected);
}
