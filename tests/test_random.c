/* The random generator: known outputs, uniformity, order statistics of shuffles and subsets. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "asserts.h"
#include "margin.h"

/* Written again from the published recurrences, on an array and with 64-bit words cut to 32. */
static uint32_t naive_sfc32(uint64_t s[4]) {
    const uint64_t mask = 0xFFFFFFFFu;
    const uint64_t out = (s[0] + s[1] + s[3]) & mask;
    const uint64_t turned = ((s[2] << 21) & mask) | (s[2] >> 11);
    s[3] = (s[3] + 1) & mask;
    s[0] = s[1] ^ (s[1] >> 9);
    s[1] = (s[2] + (s[2] << 3)) & mask;
    s[2] = (turned + out) & mask;
    return (uint32_t)out;
}

TEST outputs_are_those_of_sfc32(void) {
    uint32_t seed;
    int i;
    for (seed = 0; seed < 50; seed++) {
        uint64_t state[4] = {0, 0, 0, 1};
        margin_rng rng = margin_rng_make(seed * 0x01234567u);
        state[1] = (uint32_t)(seed * 0x01234567u);
        for (i = 0; i < 16; i++) { (void)naive_sfc32(state); }
        for (i = 0; i < 100; i++) { ASSERT_EQ(naive_sfc32(state), margin_rng_u32(&rng)); }
    }
    PASS();
}

/* These numbers must never change: trained models depend on them. */
TEST first_outputs_of_seed_one_are_known(void) {
    static const uint32_t known[] = {2026416846u, 1661539736u, 2729060721u,
                                     4156309426u, 708380479u,  671125420u};
    margin_rng rng = margin_rng_make(1);
    size_t i;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        ASSERT_EQ_FMT(known[i], margin_rng_u32(&rng), "%u");
    }
    PASS();
}

TEST first_normal_numbers_of_seed_one_are_known(void) {
#ifdef MARGIN_REAL_DOUBLE
    static const margin_real known[] = {-0.46206598982910962, -0.96807848840210986,
                                        -1.6160279142297773, -0.70228062111826572};
#else
    static const margin_real known[] = {-0.583379507f, 0.0905435607f, -0.281847447f, 0.537440717f};
#endif
    margin_rng rng = margin_rng_make(1);
    size_t i;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        const margin_real got = margin_rng_normal(&rng);
        ASSERT_MEM_EQ(&known[i], &got, sizeof got);
    }
    PASS();
}

TEST the_state_of_all_zeros_works(void) {
    margin_rng rng = {0, 0, 0, 0};
    double sum = 0;
    int i;
    for (i = 0; i < 10000; i++) { sum += (double)margin_rng_normal(&rng); }
    ASSERT(fabs(sum / 10000) < 0.05);
    PASS();
}

TEST neighbouring_seeds_give_unrelated_numbers(void) {
    uint32_t seed;
    for (seed = 0; seed < 1000; seed++) {
        margin_rng one = margin_rng_make(seed);
        margin_rng two = margin_rng_make(seed + 1);
        int differing = 0;
        int i;
        for (i = 0; i < 32; i++) {
            uint32_t bits = margin_rng_u32(&one) ^ margin_rng_u32(&two);
            for (; bits != 0; bits &= bits - 1) { differing++; }
        }
        ASSERT(differing > 512 - 5 * 16 && differing < 512 + 5 * 16); /* deviation 16 */
    }
    PASS();
}

TEST every_bit_is_set_half_the_time(void) {
    margin_rng rng = margin_rng_make(2);
    int count[32] = {0};
    int i;
    int bit;
    for (i = 0; i < 40000; i++) {
        const uint32_t draw = margin_rng_u32(&rng);
        for (bit = 0; bit < 32; bit++) { count[bit] += (int)(draw >> bit & 1u); }
    }
    for (bit = 0; bit < 32; bit++) {
        ASSERT(count[bit] > 20000 - 450 && count[bit] < 20000 + 450); /* deviation 100 */
    }
    PASS();
}

static double chi_square(const int *count, int cells, double expected) {
    double sum = 0;
    int i;
    for (i = 0; i < cells; i++) { sum += (count[i] - expected) * (count[i] - expected) / expected; }
    return sum;
}

TEST below_stays_below_and_is_uniform(void) {
    margin_rng rng = margin_rng_make(3);
    int n;
    for (n = 2; n < 40; n++) {
        int count[40] = {0};
        int i;
        for (i = 0; i < 1000 * n; i++) {
            const uint32_t draw = margin_rng_below(&rng, (uint32_t)n);
            ASSERT(draw < (uint32_t)n);
            count[draw]++;
        }
        /* mean n - 1, deviation sqrt(2 (n - 1)) */
        ASSERT(chi_square(count, n, 1000) < n - 1 + 5 * sqrt(2.0 * (n - 1)) + 5);
    }
    PASS();
}

TEST below_takes_any_32_bit_bound(void) {
    const uint32_t bounds[] = {1u << 31, (1u << 31) + 1u, 3u << 30, 0xFFFFFFFFu};
    margin_rng rng = margin_rng_make(4);
    size_t k;
    int i;
    ASSERT_EQ(0, margin_rng_below(&rng, 0));
    ASSERT_EQ(0, margin_rng_below(&rng, 1));
    for (k = 0; k < sizeof bounds / sizeof bounds[0]; k++) {
        double mean = 0;
        for (i = 0; i < 10000; i++) {
            const uint32_t draw = margin_rng_below(&rng, bounds[k]);
            ASSERT(draw < bounds[k]);
            mean += (double)draw / bounds[k] / 10000;
        }
        ASSERT(fabs(mean - 0.5) < 0.015); /* deviation 0.0029 */
    }
    PASS();
}

TEST uniform_fills_the_unit_interval(void) {
    margin_rng rng = margin_rng_make(5);
    int count[64] = {0};
    double sum = 0;
    double squares = 0;
    int i;
    for (i = 0; i < 64000; i++) {
        const double u = (double)margin_rng_uniform(&rng);
        ASSERT(u >= 0 && u < 1);
        count[(int)(u * 64)]++;
        sum += u;
        squares += u * u;
    }
    ASSERT(chi_square(count, 64, 1000) < 63 + 5 * sqrt(2.0 * 63));
    ASSERT(fabs(sum / 64000 - 0.5) < 5 * 0.289 / sqrt(64000));
    ASSERT(fabs(squares / 64000 - 1.0 / 3) < 5 * 0.298 / sqrt(64000));
    PASS();
}

TEST normal_numbers_have_the_moments_and_the_distribution(void) {
    enum { N = 100000, CELLS = 50 };
    margin_rng rng = margin_rng_make(6);
    int count[CELLS] = {0};
    double m[5] = {0, 0, 0, 0, 0};
    int i;
    for (i = 0; i < N; i++) {
        const double x = (double)margin_rng_normal(&rng);
        const int cell = (int)(0.5 * erfc(-x * sqrt(0.5)) * CELLS);
        count[cell < CELLS ? cell : CELLS - 1]++;
        m[1] += x / N;
        m[2] += x * x / N;
        m[3] += x * x * x / N;
        m[4] += x * x * x * x / N;
    }
    /* the k-th moment has variance E x^2k - (E x^k)^2: 1, 2, 15, 96 */
    ASSERT(fabs(m[1]) < 5 * sqrt(1.0 / N));
    ASSERT(fabs(m[2] - 1) < 5 * sqrt(2.0 / N));
    ASSERT(fabs(m[3]) < 5 * sqrt(15.0 / N));
    ASSERT(fabs(m[4] - 3) < 5 * sqrt(96.0 / N));
    ASSERT(chi_square(count, CELLS, (double)N / CELLS) < CELLS - 1 + 5 * sqrt(2.0 * (CELLS - 1)));
    PASS();
}

#ifndef MARGIN_REAL_DOUBLE
/* A state made by hand to give 2^31 twice, the middle of the disc, where log(0) / 0 would be NaN. */
TEST normal_numbers_avoid_the_middle_of_the_disc(void) {
    margin_rng rng = {0x80000000u, 0, 0x471C71C7u, 0};
    margin_rng copy = rng;
    ASSERT_EQ(0x80000000u, margin_rng_u32(&copy));
    ASSERT_EQ(0x80000000u, margin_rng_u32(&copy));
    ASSERT(fabs((double)margin_rng_normal(&rng)) < 8);
    PASS();
}
#endif

TEST shuffle_gives_all_orders_alike(void) {
    margin_rng rng = margin_rng_make(7);
    int count[24] = {0};
    int i;
    for (i = 0; i < 24000; i++) {
        margin_index item[4] = {0, 1, 2, 3};
        int rank = 0;
        int j;
        int k;
        margin_shuffle(&rng, item, 4);
        for (j = 0; j < 4; j++) { /* rank of the permutation, in the factorial number system */
            int smaller = 0;
            for (k = j + 1; k < 4; k++) { smaller += item[k] < item[j]; }
            rank = rank * (4 - j) + smaller;
        }
        count[rank]++;
    }
    ASSERT(chi_square(count, 24, 1000) < 23 + 5 * sqrt(2.0 * 23));
    PASS();
}

TEST shuffle_keeps_the_items(void) {
    margin_rng rng = margin_rng_make(8);
    margin_index item[100];
    int seen[100] = {0};
    size_t n;
    size_t i;
    for (n = 0; n < 100; n++) {
        for (i = 0; i < 100; i++) { item[i] = (margin_index)i; }
        margin_shuffle(&rng, item, n);
        memset(seen, 0, sizeof seen);
        for (i = 0; i < 100; i++) {
            ASSERT(i < n ? item[i] < n : item[i] == i);
            ASSERT_EQ(0, seen[item[i]]++);
        }
    }
    PASS();
}

SUITE(random_suite) {
    RUN_TEST(outputs_are_those_of_sfc32);
    RUN_TEST(first_outputs_of_seed_one_are_known);
    RUN_TEST(first_normal_numbers_of_seed_one_are_known);
    RUN_TEST(the_state_of_all_zeros_works);
    RUN_TEST(neighbouring_seeds_give_unrelated_numbers);
    RUN_TEST(every_bit_is_set_half_the_time);
    RUN_TEST(below_stays_below_and_is_uniform);
    RUN_TEST(below_takes_any_32_bit_bound);
    RUN_TEST(uniform_fills_the_unit_interval);
    RUN_TEST(normal_numbers_have_the_moments_and_the_distribution);
#ifndef MARGIN_REAL_DOUBLE
    RUN_TEST(normal_numbers_avoid_the_middle_of_the_disc);
#endif
    RUN_TEST(shuffle_gives_all_orders_alike);
    RUN_TEST(shuffle_keeps_the_items);
}
