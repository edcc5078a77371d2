/* Linear algebra against naive code, in long double where accuracy is the question. */
#include "greatest.h"
#include "margin.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MARGIN_REAL_DOUBLE
#define EPS DBL_EPSILON
#else
#define EPS FLT_EPSILON
#endif

/* ---- a small generator, so that failures repeat ------------------------------------------------ */

static uint64_t state;

static uint32_t next_bits(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static size_t below(size_t n)
{
    return next_bits() % n;
}

/* Uniform in (-1, 1). */
static margin_real uniform(void)
{
    return (margin_real)((double)next_bits() / 1073741824.0 - 1.0);
}

static void fill(margin_real *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = uniform();
    }
}

static margin_real *reals(size_t n)
{
    return (margin_real *)calloc(n + 1, sizeof(margin_real));
}

/* ---- dots, matrix times vector, Gram matrices --------------------------------------------------- */

/* The order that margin.h promises for sums of products. */
static margin_real plain_dot(const margin_real *x, const margin_real *y, size_t d)
{
    margin_real s = 0;
    for (size_t k = 0; k < d; k++) {
        s += x[k] * y[k];
    }
    return s;
}

TEST dot_uses_eight_partial_sums_in_the_stated_order(void)
{
    margin_real x[40], y[40];
    state = 1;
    for (size_t n = 0; n <= 40; n++) {
        margin_real s[8] = {0};
        fill(x, 40);
        fill(y, 40);
        for (size_t i = 0; i < n; i++) {
            s[i < n / 8 * 8 ? i % 8 : 0] += x[i] * y[i];
        }
        ASSERT_EQ(((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])),
                  margin_dot(x, y, n));
    }
    ASSERT_EQ(0, margin_dot(NULL, NULL, 0));
    PASS();
}

TEST mat_vec_adds_in_sequential_order(void)
{
    margin_real a[9 * 14], x[12], y[10];
    state = 2;
    for (size_t rows = 0; rows <= 9; rows++) {
        for (size_t cols = 0; cols <= 12; cols++) {
            const size_t stride = cols + below(3);
            fill(a, 9 * 14);
            fill(x, 12);
            y[rows] = 77;
            ASSERT_EQ(MARGIN_OK, margin_mat_vec(y, a, stride, rows, cols, x));
            for (size_t i = 0; i < rows; i++) {
                ASSERT_EQ(plain_dot(x, a + i * (stride ? stride : cols), cols), y[i]);
            }
            ASSERT_EQ(77, y[rows]);
        }
    }
    PASS();
}

TEST gram_has_the_bits_of_sequential_dots_on_both_sides(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 19, 31, 33, 50};
    state = 3;
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++) {
        const size_t n = sizes[t], d = below(40), stride = d + below(3), gs = n + below(3);
        margin_real *x = reals((n + 5) * (stride + 1)), *g = reals(n * gs);
        const size_t bytes = margin_gram_size(d);
        void *buffer = malloc(bytes + 1);
        margin_arena mem = margin_arena_make(buffer, bytes);
        margin_index *rows = (margin_index *)malloc((n + 1) * sizeof *rows);
        fill(x, (n + 5) * (stride + 1));
        for (size_t i = 0; i < n; i++) {
            rows[i] = (margin_index)below(n + 5);
        }
        for (int listed = 0; listed < 2; listed++) {
            memset(g, 0x55, n * gs * sizeof *g);
            ASSERT_EQ(MARGIN_OK, margin_gram(g, gs, x, stride, listed ? rows : NULL, n, d, &mem));
            for (size_t i = 0; i < n; i++) {
                for (size_t j = 0; j < n; j++) {
                    const margin_real *a = x + (listed ? rows[i] : i) * (stride ? stride : d);
                    const margin_real *b = x + (listed ? rows[j] : j) * (stride ? stride : d);
                    ASSERT_EQ(plain_dot(a, b, d), g[i * gs + j]);
                }
                for (size_t j = n; j < gs; j++) {
                    ASSERT_MEM_EQ("UUUU", &g[i * gs + j], 4);
                }
            }
        }
        ASSERT_EQ(bytes, mem.peak);
        free(x), free(g), free(buffer), free(rows);
    }
    PASS();
}

SUITE(linalg_suite)
{
    RUN_TEST(dot_uses_eight_partial_sums_in_the_stated_order);
    RUN_TEST(mat_vec_adds_in_sequential_order);
    RUN_TEST(gram_has_the_bits_of_sequential_dots_on_both_sides);
}
