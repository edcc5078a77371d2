/* Linear algebra against naive code, in long double where accuracy is the question. */
#include "asserts.h"
#define MARGIN_STATIC /* a copy of the implementation, to test what others build upon */
#define MARGIN_IMPLEMENTATION
#include "margin.h"
#include "arena_sweep.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MARGIN_REAL_DOUBLE
#define EPS DBL_EPSILON
#define REAL_MAX DBL_MAX
#define MAX_EXP DBL_MAX_EXP
#define MIN_EXP DBL_MIN_EXP
#define MANTISSA DBL_MANT_DIG
#define BIG_SCALE 1e150
#define TINY_SCALE 1e-285
#else
#define EPS FLT_EPSILON
#define REAL_MAX FLT_MAX
#define MAX_EXP FLT_MAX_EXP
#define MIN_EXP FLT_MIN_EXP
#define MANTISSA FLT_MANT_DIG
#define BIG_SCALE 1e18
#define TINY_SCALE 1e-30
#endif

/* ---- a small generator, so that failures repeat ------------------------------------------------ */

static uint64_t state;

static uint32_t next_bits(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static size_t below(size_t n) {
    return next_bits() % n;
}

/* Uniform in (-1, 1). */
static margin_real uniform(void) {
    return (margin_real)((double)next_bits() / 1073741824.0 - 1.0);
}

static void fill(margin_real *x, size_t n) {
    for (size_t i = 0; i < n; i++) { x[i] = uniform(); }
}

static margin_real *reals(size_t n) {
    return (margin_real *)calloc(n + 1, sizeof(margin_real));
}

/* ---- dots, matrix times vector, Gram matrices --------------------------------------------------- */

/* The order that margin.h promises for sums of products. */
static margin_real plain_dot(const margin_real *x, const margin_real *y, size_t d) {
    margin_real s = 0;
    for (size_t k = 0; k < d; k++) { s += x[k] * y[k]; }
    return s;
}

TEST dot_uses_eight_partial_sums_in_the_stated_order(void) {
    margin_real x[40], y[40];
    state = 1;
    for (size_t n = 0; n <= 40; n++) {
        margin_real s[8] = {0};
        fill(x, 40);
        fill(y, 40);
        for (size_t i = 0; i < n; i++) { s[i < n / 8 * 8 ? i % 8 : 0] += x[i] * y[i]; }
        ASSERT_EQ(((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])),
                  margin_dot(x, y, n));
    }
    ASSERT_EQ(0, margin_dot(NULL, NULL, 0));
    PASS();
}

/* mgn_dots, and panels for one and for several vectors, rows taken in order or from a list. */
TEST panels_have_the_bits_of_dots(void) {
    state = 31;
    for (size_t t = 0; t < 300; t++) {
        const size_t n = below(40), d = below(30), stride = d + below(3), m = 1 + below(MGN_TILE);
        margin_real *x = reals((n + m + 1) * (stride + 1)), *panel = reals(mgn_panel_size(n, d));
        margin_real *out = reals((m + 1) * (n + 1)), wanted[40], one[41];
        margin_index rows[40];
        const size_t first = below(n + 1);
        const margin_data view = {x, n, d, stride, NULL, NULL, t % 2 ? rows : NULL};
        fill(x, (n + m + 1) * (stride + 1));
        for (size_t i = 0; i < n; i++) { rows[i] = (margin_index)below(n); }
        memset(panel, 0x55, mgn_panel_size(n, d) * sizeof *panel);
        mgn_panel_pack(panel, &view, first, n - first);
        const mgn_vectors vectors = mgn_vectors_of(x + n * stride, stride, m, d, 1);
        one[n - first] = out[m * n] = 77;
        mgn_panel_dots(panel, n - first, d, vectors.at[0], one);
        mgn_panel_dots_block(panel, n - first, &vectors, out, n);
        for (size_t j = 0; j < m; j++) {
            mgn_dots(vectors.at[j], x, stride, n, d, wanted);
            for (size_t i = first; i < n; i++) {
                const size_t row = t % 2 ? rows[i] : i;
                ASSERT_EQ(plain_dot(x + row * stride, vectors.at[j], d), wanted[row]);
                ASSERT_EQ(wanted[row], out[j * n + i - first]);
                ASSERT(j > 0 || wanted[row] == one[i - first]);
            }
        }
        ASSERT(one[n - first] == 77 && out[m * n] == 77);
        free(x), free(panel), free(out);
    }
    PASS();
}

/* ---- norms, products ---------------------------------------------------------------------------- */

static long double exact_norm2(const margin_real *x, size_t n) {
    long double s = 0;
    for (size_t i = 0; i < n; i++) { s += (long double)x[i] * x[i]; }
    return sqrtl(s);
}

TEST norms_neither_overflow_nor_underflow(void) {
    /* FLT_MAX/4 .. smallest subnormal: powers of two around both ends of the range. */
    static const int exponents[] = {
        0,           1,           MAX_EXP - 4, MAX_EXP - 10, MAX_EXP / 2, -MAX_EXP / 2,
        MIN_EXP + 2, MIN_EXP - 1, MIN_EXP - 10};
    margin_real x[37];
    state = 4;
    for (size_t t = 0; t < sizeof exponents / sizeof *exponents; t++) {
        for (size_t n = 1; n <= 37; n++) {
            long double big = 0, two;
            for (size_t i = 0; i < n; i++) {
                x[i] = (margin_real)ldexp(uniform() / 8, exponents[t]);
                big = fmaxl(big, fabsl((long double)x[i]));
            }
            two = exact_norm2(x, n); /* beside EPS, half the smallest subnormal */
            ASSERT(fabsl(margin_norm2(x, n) - two) <=
                   4 * EPS * two + ldexpl(1, MIN_EXP - MANTISSA));
            ASSERT_EQ((margin_real)big, margin_norm_inf(x, n));
        }
    }
    PASS();
}

TEST norms_of_special_values(void) {
    const margin_real inf = (margin_real)INFINITY;
    margin_real x[5] = {0, 0, 0, 0, 0};
    ASSERT_EQ(0, margin_norm2(x, 5));
    ASSERT_EQ(0, margin_norm2(x, 0));
    ASSERT_EQ(0, margin_norm_inf(NULL, 0));
    x[3] = -inf;
    ASSERT_EQ(inf, margin_norm2(x, 5));
    ASSERT_EQ(inf, margin_norm_inf(x, 5));
    x[1] = (margin_real)NAN;
    ASSERT(isnan(margin_norm2(x, 5)));
    ASSERT(isnan(margin_norm_inf(x, 5)));
    x[0] = x[1] = x[2] = x[3] = x[4] = REAL_MAX; /* the length itself does not fit */
    ASSERT_EQ(inf, margin_norm2(x, 5));
    PASS();
}

TEST axpy_adds_a_multiple(void) {
    margin_real x[21], y[21], z[21];
    state = 5;
    fill(x, 21), fill(y, 21);
    memcpy(z, y, sizeof y);
    margin_axpy(y, (margin_real)0.375, x, 20);
    for (size_t i = 0; i < 20; i++) { ASSERT_EQ(z[i] + (margin_real)0.375 * x[i], y[i]); }
    ASSERT_EQ(z[20], y[20]);
    margin_axpy(NULL, 1, NULL, 0);
    PASS();
}

/* ---- matrices to test with ---------------------------------------------------------------------- */

enum family {
    RANDOM,
    HILBERT,
    LOW_RANK,
    GRADED,
    REPEATED,
    ZERO,
    DIAGONAL,
    IDENTITY,
    CLOSE,
    FAMILIES
};

static void symmetrise(margin_real *a, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) { a[j * n + i] = a[i * n + j]; }
    }
}

/* a = B B' + shift I for a random n x k matrix B, in long double. */
static void random_gram(margin_real *a, size_t n, size_t k, long double shift) {
    margin_real *b = reals(n * k);
    fill(b, n * k);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            long double s = i == j ? shift : 0;
            for (size_t t = 0; t < k; t++) { s += (long double)b[i * k + t] * b[j * k + t]; }
            a[i * n + j] = (margin_real)s;
        }
    }
    symmetrise(a, n);
    free(b);
}

/* a = H diag(value) H with the reflection H = I - 2 u u' of a random u. */
static void with_eigenvalues(margin_real *a, size_t n, const long double *value) {
    margin_real *u = reals(n);
    long double length = 0;
    fill(u, n);
    length = exact_norm2(u, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            long double s = 0;
            for (size_t k = 0; k < n; k++) {
                const long double p = (i == k) - 2 * u[i] * (u[k] / length) / length;
                const long double q = (j == k) - 2 * u[j] * (u[k] / length) / length;
                s += p * value[k] * q;
            }
            a[i * n + j] = (margin_real)s;
        }
    }
    symmetrise(a, n);
    free(u);
}

/* Positive semi-definite matrices of all sorts, times a scale. */
static void make_matrix(margin_real *a, size_t n, enum family family, double scale) {
    long double *value = (long double *)calloc(n + 1, sizeof *value);
    memset(a, 0, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        value[i] = family == REPEATED ? 1 + (int)(i % 3)
                   : family == GRADED ? powl(10, -(long double)i)
                                      : 1 + 3 * EPS * (long double)i;
        a[i * n + i] = family == IDENTITY   ? 1
                       : family == DIAGONAL ? (margin_real)(1 + below(7))
                                            : 0;
    }
    if (family == RANDOM) {
        random_gram(a, n, n + 3, 0);
    } else if (family == LOW_RANK) {
        random_gram(a, n, 1 + n / 3, 0);
    } else if (family == REPEATED || family == GRADED || family == CLOSE) {
        with_eigenvalues(a, n, value);
    } else if (family == HILBERT) {
        for (size_t i = 0; i < n * n; i++) {
            a[i] = (margin_real)(1.0L / (long double)(i / n + i % n + 1));
        }
    }
    for (size_t i = 0; i < n * n; i++) { a[i] = (margin_real)(a[i] * scale); }
    free(value);
}

static double largest(const margin_real *a, size_t count) {
    double m = 0;
    for (size_t i = 0; i < count; i++) { m = fmax(m, fabs((double)a[i])); }
    return m;
}

static const double scales[] = {1, BIG_SCALE, 1 / BIG_SCALE};

/* Calls one check on every family, scale and size. */
typedef enum greatest_test_res matrix_check(const margin_real *a, size_t n, enum family family);

static enum greatest_test_res on_all_matrices(matrix_check *check, size_t most) {
    for (int family = 0; family < FAMILIES; family++) {
        for (size_t s = 0; s < 3; s++) {
            for (size_t n = 0; n <= most; n = n < 9 ? n + 1 : n + 1 + below(12)) {
                margin_real *a = reals(n * n);
                make_matrix(a, n, (enum family)family, scales[s]);
                CHECK_CALL(check(a, n, (enum family)family));
                free(a);
            }
        }
    }
    PASS();
}

/* ---- Cholesky ----------------------------------------------------------------------------------- */

static margin_arena arena_of(size_t bytes) {
    return margin_arena_make(malloc(bytes + 1), bytes);
}

/* Largest |A[order][order] - L L'| over `rank` columns. */
static double factor_residual(const margin_real *a, const margin_real *l, size_t n, size_t rank,
                              const margin_index *order) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            long double s = order ? a[order[i] * n + order[j]] : a[i * n + j];
            for (size_t k = 0; k <= j && k < rank; k++) {
                s -= (long double)l[i * n + k] * l[j * n + k];
            }
            worst = fmax(worst, (double)fabsl(s));
        }
    }
    return worst;
}

static enum greatest_test_res check_cholesky(const margin_real *a, size_t n, enum family family) {
    const bool definite = family == RANDOM || family == REPEATED || family == DIAGONAL ||
                          family == IDENTITY || family == CLOSE || n == 0;
    margin_real *l = reals(n * n);
    margin_arena mem = arena_of(margin_cholesky_size(n));
    margin_status status;
    memcpy(l, a, n * n * sizeof *a);
    status = margin_cholesky(l, n, &mem);
    if (definite) { ASSERT_EQ_FMT(0, (int)status, "%d"); }
    if (status == MARGIN_OK) {
        for (size_t i = 0; i < n; i++) {
            ASSERT(l[i * n + i] > 0);
            ASSERT_MEM_EQ(&a[i * n + i + 1], &l[i * n + i + 1], (n - i - 1) * sizeof *a);
        }
        ASSERT(factor_residual(a, l, n, n, NULL) <= (double)(n + 2) * EPS * largest(a, n * n));
    } else {
        ASSERT_EQ_FMT((int)MARGIN_E_NOT_POSITIVE, (int)status, "%d");
        ASSERT_MEM_EQ(a, l, n * n * sizeof *a);
    }
    free(l), free(mem.base);
    PASS();
}

TEST cholesky_leaves_a_residual_of_n_eps_or_the_matrix_as_it_was(void) {
    state = 9;
    CHECK_CALL(on_all_matrices(check_cholesky, 60));
    PASS();
}

TEST cholesky_of_hilbert_matrices_succeeds_until_they_are_numerically_singular(void) {
    margin_real a[144];
    const size_t most = sizeof(margin_real) == 4 ? 5 : 11;
    for (size_t n = 1; n <= most; n++) {
        margin_arena mem = arena_of(margin_cholesky_size(n));
        make_matrix(a, n, HILBERT, 1);
        ASSERT_EQ(MARGIN_OK, margin_cholesky(a, n, &mem));
        free(mem.base);
    }
    PASS();
}

static enum greatest_test_res check_pivoted(const margin_real *a, size_t n, enum family family) {
    margin_real *l = reals(n * n);
    margin_index *order = (margin_index *)calloc(n + 1, sizeof *order);
    bool *seen = (bool *)calloc(n + 1, sizeof *seen);
    size_t rank = 99;
    margin_arena mem = arena_of(margin_cholesky_pivoted_size(n));
    memcpy(l, a, n * n * sizeof *a);
    ASSERT_EQ_FMT(0, (int)margin_cholesky_pivoted(l, n, 0, order, &rank, &mem), "%d");
    for (size_t i = 0; i < n; i++) {
        ASSERT(order[i] < n && !seen[order[i]]);
        seen[order[i]] = true;
        ASSERT(i < rank ? l[i * n + i] > 0 : l[i * n + i] == 0);
        ASSERT(i == 0 || l[i * n + i] <= l[(i - 1) * n + i - 1] * (1 + 64 * EPS));
        ASSERT_MEM_EQ(&a[i * n + i + 1], &l[i * n + i + 1], (n - i - 1) * sizeof *a);
        for (size_t j = rank; j <= i; j++) { ASSERT_EQ(0, l[i * n + j]); }
    }
    ASSERT(factor_residual(a, l, n, rank, order) <= (double)(4 * n + 4) * EPS * largest(a, n * n));
    if (family == LOW_RANK && n > 0) {
        ASSERT_EQ_FMT(1 + n / 3 < n ? 1 + n / 3 : n, rank, "%zu");
    } else if (family != HILBERT && family != GRADED) {
        ASSERT_EQ_FMT(family == ZERO ? (size_t)0 : n, rank, "%zu");
    }
    free(l), free(order), free(seen), free(mem.base);
    PASS();
}

TEST pivoted_cholesky_finds_the_rank_and_leaves_a_small_residual(void) {
    state = 10;
    CHECK_CALL(on_all_matrices(check_pivoted, 60));
    PASS();
}

TEST pivoted_cholesky_stops_at_the_wanted_tolerance(void) {
    margin_real a[400];
    margin_index order[20];
    size_t rank = 0;
    margin_arena mem = arena_of(margin_cholesky_pivoted_size(20));
    memset(a, 0, sizeof a);
    for (size_t i = 0; i < 20; i++) { /* 2^0, 2^-1, ..., shuffled by 7 */
        a[i * 7 % 20 * 21] = (margin_real)ldexp(1, -(int)i);
    }
    ASSERT_EQ(MARGIN_OK, margin_cholesky_pivoted(a, 20, (margin_real)0.04, order, &rank, &mem));
    ASSERT_EQ_FMT((size_t)5, rank, "%zu"); /* 1, 1/2, 1/4, 1/8, 1/16 > 0.04 */
    for (size_t i = 0; i < 5; i++) { ASSERT_EQ(i * 7 % 20, order[i]); }
    free(mem.base);
    PASS();
}

TEST indefinite_matrices_are_refused_and_left_alone(void) {
    static const margin_real cases[][9] = {
        {1, 2, 0, 2, 1, 0, 0, 0, 1},  {0, 1, 0, 1, 0, 0, 0, 0, 0}, {-1, 0, 0, 0, -1, 0, 0, 0, -1},
        {1, 0, 0, 0, 1, 0, 0, 0, -1}, {4, 2, 2, 2, 1, 5, 2, 5, 1}, {0, 0, 0, 0, 0, 1, 0, 1, 0}};
    margin_arena mem = arena_of(4096);
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        margin_index order[3] = {7, 7, 7};
        margin_real a[9];
        size_t rank = 77;
        memcpy(a, cases[t], sizeof a);
        ASSERT_EQ(MARGIN_E_NOT_POSITIVE, margin_cholesky(a, 3, &mem));
        ASSERT_MEM_EQ(cases[t], a, sizeof a);
        ASSERT_EQ(MARGIN_E_NOT_POSITIVE, margin_cholesky_pivoted(a, 3, 0, order, &rank, &mem));
        ASSERT_MEM_EQ(cases[t], a, sizeof a);
        ASSERT(rank == 77 && order[0] == 7 && order[1] == 7 && order[2] == 7);
    }
    free(mem.base);
    PASS();
}

TEST an_indefinite_matrix_of_several_panels_is_restored(void) {
    enum { N = 60 };
    margin_real *a = reals(N * N), *l = reals(N * N);
    margin_index order[N];
    size_t rank = 77;
    margin_arena mem = arena_of(margin_cholesky_size(N) + margin_cholesky_pivoted_size(N));
    state = 11;
    random_gram(a, N, N + 3, 0);
    a[55 * N + 55] = (margin_real)0.001;
    memcpy(l, a, N * N * sizeof *a);
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE, margin_cholesky(l, N, &mem));
    ASSERT_MEM_EQ(a, l, N * N * sizeof *a);
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE, margin_cholesky_pivoted(l, N, 0, order, &rank, &mem));
    ASSERT_MEM_EQ(a, l, N * N * sizeof *a);
    ASSERT_EQ(77u, rank);
    free(a), free(l), free(mem.base);
    PASS();
}

/* ---- triangular systems ------------------------------------------------------------------------- */

/* |L L' X - B| <= 2 (n + 1) EPS |L| |L'| |X| element by element (Higham 2002, theorem 8.5 twice);
 * what lies above the diagonal of L is left alone. */
static enum greatest_test_res check_triangles(size_t n, size_t m, double diagonal) {
    margin_real *t = reals(n * n), *b = reals(n * m), *x = reals(n * m);
    fill(t, n * n), fill(b, n * m);
    for (size_t i = 0; i < n; i++) {
        t[i * n + i] += (margin_real)diagonal;
        for (size_t j = i + 1; j < n; j++) {
            t[i * n + j] = (margin_real)NAN; /* must not be read */
        }
    }
    memcpy(x, b, n * m * sizeof *b);
    ASSERT_EQ(MARGIN_OK, margin_cholesky_solve(x, m, t, n));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            long double s = b[i * m + j], size = 0;
            for (size_t h = 0; h <= i; h++) {
                for (size_t k = h; k < n; k++) {
                    const long double part =
                        (long double)t[i * n + h] * t[k * n + h] * x[k * m + j];
                    s -= part;
                    size += fabsl(part);
                }
            }
            ASSERT((double)fabsl(s) <= 2 * (double)(n + 1) * EPS * (double)size);
        }
    }
    free(t), free(b), free(x);
    PASS();
}

TEST triangular_systems_are_solved_to_n_eps(void) {
    state = 12;
    for (size_t t = 0; t < 200; t++) {
        CHECK_CALL(check_triangles(below(40), t % 3 ? 1 : below(20), t % 2 ? 0 : 2));
    }
    PASS();
}

TEST a_zero_on_the_diagonal_is_reported_and_nothing_changes(void) {
    static const margin_real t[9] = {1, 0, 0, 2, 3, 0, 4, 5, 0}, before[3] = {1, 2, 3};
    margin_real b[3] = {1, 2, 3};
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE, margin_cholesky_solve(b, 1, t, 3));
    ASSERT_MEM_EQ(before, b, sizeof b);
    ASSERT_EQ(MARGIN_OK, margin_cholesky_solve(b, 0, t, 2));
    ASSERT_EQ(MARGIN_OK, margin_cholesky_solve(NULL, 1, NULL, 0));
    PASS();
}

static enum greatest_test_res check_cholesky_solve(const margin_real *a, size_t n, enum family f) {
    const size_t m = 1 + below(3);
    margin_real *l = reals(n * n), *b = reals(n * m), *x = reals(n * m);
    margin_arena mem = arena_of(margin_cholesky_size(n));
    (void)f;
    memcpy(l, a, n * n * sizeof *a);
    fill(b, n * m);
    memcpy(x, b, n * m * sizeof *b);
    if (margin_cholesky(l, n, &mem) == MARGIN_OK) {
        ASSERT_EQ(MARGIN_OK, margin_cholesky_solve(x, m, l, n));
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < m; j++) {
                long double s = b[i * m + j], size = 0;
                for (size_t k = 0; k < n; k++) {
                    s -= (long double)a[i * n + k] * x[k * m + j];
                    size = fmaxl(size, fabsl((long double)x[k * m + j]));
                }
                ASSERT((double)fabsl(s) <= /* backward error n (3n + 1) u |A| |x|, Higham 10.4 */
                       3 * (double)((n + 1) * (n + 1)) * EPS * largest(a, n * n) * (double)size);
            }
        }
    }
    free(l), free(b), free(x), free(mem.base);
    PASS();
}

TEST cholesky_solves_with_a_small_backward_error(void) {
    state = 13;
    CHECK_CALL(on_all_matrices(check_cholesky_solve, 60));
    PASS();
}

/* ---- eigenvalues -------------------------------------------------------------------------------- */

/* Largest |A - sum of lambda v v'| (only where all n vectors are there) and |A v - lambda v|. */
static double eigen_residual(const margin_real *a, size_t n, const margin_real *value,
                             const margin_real *v, size_t k) {
    double worst = 0;
    for (size_t r = 0; r < k; r++) {
        for (size_t i = 0; i < n; i++) {
            long double s = -(long double)value[r] * v[r * n + i];
            for (size_t j = 0; j < n; j++) { s += (long double)a[i * n + j] * v[r * n + j]; }
            worst = fmax(worst, (double)fabsl(s));
        }
    }
    for (size_t i = 0; k == n && i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            long double s = a[i * n + j];
            for (size_t r = 0; r < n; r++) {
                s -= (long double)value[r] * v[r * n + i] * v[r * n + j];
            }
            worst = fmax(worst, (double)fabsl(s));
        }
    }
    return worst;
}

/* Largest |V V' - I| over k rows of n. */
static double orthogonality(const margin_real *v, size_t k, size_t n) {
    double worst = 0;
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j <= i; j++) {
            long double s = i == j ? -1 : 0;
            for (size_t t = 0; t < n; t++) { s += (long double)v[i * n + t] * v[j * n + t]; }
            worst = fmax(worst, (double)fabsl(s));
        }
    }
    return worst;
}

static double worst_residual, worst_orthogonality; /* in units of n EPS max |A|, n EPS */

static enum greatest_test_res check_pairs(const margin_real *a, size_t n, const margin_real *value,
                                          const margin_real *v, size_t k, double factor) {
    const double unit = (double)(n + 4) * EPS, size = largest(a, n * n);
    const double residual = eigen_residual(a, n, value, v, k), o = orthogonality(v, k, n);
    worst_residual = fmax(worst_residual, size > 0 ? residual / size / unit : 0);
    worst_orthogonality = fmax(worst_orthogonality, o / unit);
    ASSERT(residual <= factor * unit * size);
    ASSERT(o <= factor * unit);
    for (size_t i = 1; i < k; i++) { ASSERT(value[i] <= value[i - 1]); }
    PASS();
}

static enum greatest_test_res check_eigen(const margin_real *a, size_t n, enum family family) {
    margin_real *v = reals(n * n), *value = reals(n), *only = reals(n);
    margin_arena mem = arena_of(margin_eigen_size(n, true)),
                 no = arena_of(margin_eigen_size(n, false));
    (void)family;
    ASSERT_EQ_FMT(0, (int)margin_eigen(value, v, a, n, &mem), "%d");
    CHECK_CALL(check_pairs(a, n, value, v, n, 4));
    ASSERT_EQ_FMT(0, (int)margin_eigen(only, NULL, a, n, &no), "%d");
    ASSERT_MEM_EQ(value, only, n * sizeof *value); /* the same steps, with vectors or without */
    memcpy(v, a, n * n * sizeof *a);
    ASSERT_EQ_FMT(0, (int)margin_eigen(only, v, v, n, &mem), "%d"); /* in place */
    CHECK_CALL(check_pairs(a, n, only, v, n, 4));
    free(v), free(value), free(only), free(mem.base), free(no.base);
    PASS();
}

TEST eigen_decomposition_leaves_residuals_of_n_eps(void) {
    state = 20;
    worst_residual = worst_orthogonality = 0;
    CHECK_CALL(on_all_matrices(check_eigen, 60));
    if (greatest_get_verbosity() > 0) {
        printf("eigen: %.2f, %.2f n EPS\n", worst_residual, worst_orthogonality);
    }
    PASS();
}

static enum greatest_test_res check_leading(const margin_real *a, size_t n, enum family family) {
    const size_t k = n == 0 ? 0 : family == CLOSE || family == IDENTITY ? n : 1 + below(n);
    margin_real *v = reals(k * n), *value = reals(n), *all = reals(n);
    margin_arena mem = arena_of(margin_eigen_leading_size(n));
    margin_arena no = arena_of(margin_eigen_size(n, false));
    ASSERT_EQ_FMT(0, (int)margin_eigen_leading(value, v, k, a, n, &mem), "%d");
    CHECK_CALL(check_pairs(a, n, value, v, k, 4));
    ASSERT_EQ_FMT(0, (int)margin_eigen(all, NULL, a, n, &no), "%d");
    ASSERT_MEM_EQ(all, value, k * sizeof *value);
    free(v), free(value), free(all), free(mem.base), free(no.base);
    PASS();
}

TEST leading_eigenpairs_leave_residuals_of_n_eps(void) {
    state = 21;
    worst_residual = worst_orthogonality = 0;
    CHECK_CALL(on_all_matrices(check_leading, 60));
    if (greatest_get_verbosity() > 0) {
        printf("leading: %.2f, %.2f n EPS\n", worst_residual, worst_orthogonality);
    }
    PASS();
}

/* Not only semi-definite ones: random signs, and eigenvalues known by hand. */
TEST eigenvalues_of_known_matrices(void) {
    enum { N = 21 };
    margin_real a[N * N], v[N * N], value[N];
    margin_arena mem = arena_of(margin_eigen_leading_size(N) + margin_eigen_size(N, true));
    memset(a, 0, sizeof a);
    for (size_t i = 0; i < N; i++) { /* second differences: 2 - 2 cos(pi k / (N + 1)) */
        a[i * N + i] = 2;
        if (i > 0) { a[i * N + i - 1] = a[(i - 1) * N + i] = -1; }
    }
    ASSERT_EQ(MARGIN_OK, margin_eigen(value, v, a, N, &mem));
    CHECK_CALL(check_pairs(a, N, value, v, N, 4));
    for (size_t i = 0; i < N; i++) {
        const double pi = 3.14159265358979323846;
        ASSERT_IN_RANGE(2 - 2 * cos(pi * (double)(N - i) / (N + 1)), value[i], 64 * EPS);
    }
    for (size_t i = 0; i < N; i++) { /* Wilkinson's W21+: pairs that agree to 14 digits */
        a[i * N + i] = (margin_real)fabs((double)i - 10);
        if (i > 0) { a[i * N + i - 1] = a[(i - 1) * N + i] = 1; }
    }
    ASSERT_EQ(MARGIN_OK, margin_eigen_leading(value, v, N, a, N, &mem));
    CHECK_CALL(check_pairs(a, N, value, v, N, 4));
    ASSERT_IN_RANGE(10.746194182903393, value[0], 64 * EPS);
    ASSERT_IN_RANGE(10.746194182903322, value[1], 64 * EPS);
    for (size_t i = 0; i < N * N; i++) { /* all ones: N and zeros */
        a[i] = 1;
    }
    ASSERT_EQ(MARGIN_OK, margin_eigen_leading(value, v, N, a, N, &mem));
    CHECK_CALL(check_pairs(a, N, value, v, N, 4));
    ASSERT_IN_RANGE(N, value[0], 64 * EPS);
    ASSERT_IN_RANGE(0, value[N - 1], 64 * EPS);
    free(mem.base);
    PASS();
}

TEST eigen_decomposition_of_indefinite_matrices(void) {
    state = 22;
    for (size_t t = 0; t < 150; t++) {
        const size_t n = 1 + below(40), k = 1 + below(n);
        const double scale = scales[t % 3];
        margin_real *a = reals(n * n), *v = reals(n * n), *value = reals(n);
        margin_arena mem = arena_of(margin_eigen_leading_size(n) + margin_eigen_size(n, true));
        for (size_t i = 0; i < n * n; i++) { /* every third with graded rows, every fifth sparse */
            const double grade = t % 3 == 1 ? pow(10, -(double)(i / n + i % n)) : 1;
            a[i] = t % 5 == 2 && below(4) ? 0 : (margin_real)(uniform() * grade * scale);
        }
        symmetrise(a, n);
        ASSERT_EQ(MARGIN_OK, margin_eigen(value, v, a, n, &mem));
        CHECK_CALL(check_pairs(a, n, value, v, n, 4));
        ASSERT_EQ(MARGIN_OK, margin_eigen_leading(value, v, k, a, n, &mem));
        CHECK_CALL(check_pairs(a, n, value, v, k, 4));
        free(a), free(v), free(value), free(mem.base);
    }
    PASS();
}

/* No finite matrix is known to exceed the bounds of the iterations; a NaN slipped in behind the checks
 * does, and the bounds hold. */
TEST iterations_that_do_not_converge_end_with_a_status(void) {
    enum { N = 6 };
    margin_real a[N * N], v[N * N], value[N] = {7};
    margin_arena mem = arena_of(margin_eigen_size(N, true) + margin_eigen_leading_size(N));
    mgn_tridiagonal t = mgn_tridiagonal_plan(&mem, N);
    mgn_leading w = mgn_leading_plan(&mem, N);
    state = 26;
    random_gram(a, N, N, 0);
    a[3 * N + 1] = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_NO_CONVERGENCE, mgn_eigen(value, v, true, a, N, &t));
    ASSERT_EQ(MARGIN_E_NO_CONVERGENCE, mgn_eigen_leading(value, v, 2, a, N, &w));
    ASSERT_EQ(7, value[0]);
    for (size_t i = 0; i < N; i++) { w.d[i] = w.e[i] = (margin_real)NAN; }
    ASSERT_FALSE(mgn_inverse_iteration(&w, N, 1, 1, v, 0));
    free(mem.base);
    PASS();
}

/* ---- Gram-Schmidt ------------------------------------------------------------------------------- */

static bool is_zero(const margin_real *row, size_t d) {
    return largest(row, d) == 0;
}

/* The rows are orthonormal or zero, and x_j is its own projection onto rows 0 .. j. */
static enum greatest_test_res check_rows(const margin_real *x, size_t k, size_t d, size_t wanted) {
    margin_real *q = reals(k * d), *again = reals(k * d);
    size_t rank = 99;
    const double size = largest(x, k * d);
    for (size_t i = 0; i < k * d; i++) { q[i] = again[i] = x[i]; }
    ASSERT_EQ(MARGIN_OK, margin_orthonormal(q, k, d, &rank));
    ASSERT_EQ(MARGIN_OK, margin_orthonormal(again, k, d, NULL));
    ASSERT_MEM_EQ(q, again, k * d * sizeof *q);
    ASSERT_EQ_FMT(wanted, rank, "%zu");
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < k; i++) {
            long double s = 0;
            for (size_t t = 0; t < d; t++) { s += (long double)q[i * d + t] * q[j * d + t]; }
            if (is_zero(q + i * d, d) || is_zero(q + j * d, d)) {
                ASSERT_EQ(0, s);
            } else {
                ASSERT((double)fabsl(s - (i == j)) <= 16 * EPS);
            }
        }
        for (size_t t = 0; t < d; t++) {
            long double s = x[j * d + t];
            for (size_t i = 0; i <= j; i++) {
                long double along = 0;
                for (size_t l = 0; l < d; l++) {
                    along += (long double)x[j * d + l] * q[i * d + l];
                }
                s -= along * q[i * d + t];
            }
            ASSERT((double)fabsl(s) <= 4 * (double)(k + d) * EPS * size);
        }
    }
    free(q), free(again);
    PASS();
}

TEST gram_schmidt_is_orthonormal_to_a_few_eps_whatever_the_rows(void) {
    state = 24;
    for (size_t t = 0; t < 120; t++) {
        const size_t d = 1 + below(30), k = 1 + below(d);
        margin_real *x = reals(k * d);
        fill(x, k * d);
        for (size_t i = k * d; i-- > 0;) { /* every other: rows that nearly agree with the first */
            x[i] = t % 2 || i < d ? x[i] : (margin_real)(x[i % d] + x[i] * 1e-3);
            x[i] = (margin_real)(x[i] * scales[t % 3]);
        }
        CHECK_CALL(check_rows(x, k, d, k));
        if (k > 2) { /* a row twice, and a zero row */
            memcpy(&x[(k - 1) * d], &x[0], d * sizeof *x);
            memset(&x[d], 0, d * sizeof *x);
            CHECK_CALL(check_rows(x, k, d, k - 2));
        }
        free(x);
    }
    CHECK_CALL(check_rows(&(margin_real){0}, 0, 0, 0));
    PASS();
}

TEST gram_schmidt_of_hilbert_rows_and_of_more_rows_than_columns(void) {
    margin_real x[12 * 12], tall[5 * 3];
    size_t rank = 0;
    make_matrix(x, 12, HILBERT, 1);
    ASSERT_EQ(MARGIN_OK, margin_orthonormal(x, 12, 12, &rank));
    ASSERT(rank >= (sizeof(margin_real) == 4 ? 5u : 10u));
    for (size_t i = 0; i < 12; i++) {
        for (size_t j = 0; j <= i; j++) {
            const margin_real s = plain_dot(&x[i * 12], &x[j * 12], 12);
            ASSERT(fabs((double)s - (i == j && x[i * 12 + i] != 0)) <= 16 * EPS ||
                   (i == j && s == 0));
        }
    }
    state = 25;
    fill(tall, 15);
    ASSERT_EQ(MARGIN_OK, margin_orthonormal(tall, 5, 3, &rank));
    ASSERT_EQ(3u, rank);
    PASS();
}

/* ---- memory, bad arguments ---------------------------------------------------------------------- */

/* One small problem for every function that takes an arena. */
typedef struct {
    size_t n;
    margin_real a[20 * 20], x[20 * 20], y[20 * 20], v[20 * 20], value[20];
    margin_index order[20];
    size_t rank;
} problem;

static void begin_problem(problem *p) {
    memset(p, 0, sizeof *p);
    p->n = 20;
    state = 30;
    random_gram(p->a, 20, 23, 1);
    fill(p->x, 400);
    fill(p->v, 400);
}

static margin_status run_cholesky(margin_arena *mem, void *q) {
    problem *p = (problem *)q;
    if (p->a[0] != p->y[0]) { /* begin each time with the same matrix, at a known place */
        memcpy(p->y, p->a, sizeof p->a);
    }
    return margin_cholesky(p->y, 20, mem);
}

static margin_status run_pivoted(margin_arena *mem, void *q) {
    problem *p = (problem *)q;
    if (p->rank != 0) { memcpy(p->y, p->a, sizeof p->a); }
    return margin_cholesky_pivoted(p->y, 20, 0, p->order, &p->rank, mem);
}

static margin_status run_eigen(margin_arena *mem, void *q) {
    problem *p = (problem *)q;
    return margin_eigen(p->value, p->v, p->a, 20, mem);
}

static margin_status run_eigenvalues(margin_arena *mem, void *q) {
    problem *p = (problem *)q;
    return margin_eigen(p->value, NULL, p->a, 20, mem);
}

static margin_status run_leading(margin_arena *mem, void *q) {
    problem *p = (problem *)q;
    return margin_eigen_leading(p->value, p->v, 7, p->a, 20, mem);
}

TEST every_arena_size_either_suffices_or_is_refused(void) {
    static problem p;
    begin_problem(&p);
    CHECK_CALL(arena_sweep(run_eigen, &p, margin_eigen_size(20, true), &p, sizeof p));
    CHECK_CALL(arena_sweep(run_eigenvalues, &p, margin_eigen_size(20, false), &p, sizeof p));
    CHECK_CALL(arena_sweep(run_leading, &p, margin_eigen_leading_size(20), &p, sizeof p));
    memcpy(p.y, p.a, sizeof p.a);
    CHECK_CALL(arena_sweep(run_pivoted, &p, margin_cholesky_pivoted_size(20), &p, sizeof p));
    memcpy(p.y, p.a, sizeof p.a);
    CHECK_CALL(arena_sweep(run_cholesky, &p, margin_cholesky_size(20), &p, sizeof p));
    PASS();
}

TEST size_queries_are_zero_when_nothing_fits(void) {
    const size_t huge = (size_t)-1 / 4;
    ASSERT_EQ(0u, margin_cholesky_size(huge));
    ASSERT_EQ(0u, margin_cholesky_pivoted_size(huge));
    ASSERT_EQ(0u, margin_eigen_size(huge, false));
    ASSERT_EQ(0u, margin_eigen_leading_size(huge));
    PASS();
}

TEST bad_arguments_are_reported_and_change_nothing(void) {
    const size_t huge = (size_t)-1 / 8;
    static problem p, before;
    margin_arena mem = arena_of(20000), counting = margin_arena_counting();
    margin_real *a = p.a, *v = p.v, *value = p.value;
    begin_problem(&p);
    before = p;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_cholesky(NULL, 2, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_cholesky(a, 2, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_cholesky(a, 2, &counting));
    ASSERT_EQ(MARGIN_E_OVERFLOW, margin_cholesky(a, huge, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_cholesky_pivoted(a, 2, 0, NULL, &p.rank, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_cholesky_pivoted(a, 2, 0, p.order, NULL, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_cholesky_pivoted(a, 2, 1, p.order, &p.rank, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_cholesky_solve(NULL, 1, a, 2));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_eigen(NULL, v, a, 2, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_eigen_leading(value, v, 3, a, 2, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_eigen_leading(value, NULL, 1, a, 2, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_orthonormal(NULL, 2, 2, NULL));
    ASSERT_EQ(MARGIN_E_OVERFLOW, margin_orthonormal(v, huge, huge, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_cholesky_pivoted(a, 2, -1, p.order, &p.rank, &mem));
    ASSERT_MEM_EQ(&before, &p, sizeof p);
    free(mem.base);
    PASS();
}

TEST sizes_of_zero_need_no_pointers_and_no_memory(void) {
    margin_arena none = margin_arena_make(NULL, 0);
    size_t rank = 7;
    ASSERT_EQ(MARGIN_OK, margin_cholesky(NULL, 0, &none));
    ASSERT_EQ(MARGIN_OK, margin_cholesky_pivoted(NULL, 0, 0, NULL, &rank, &none));
    ASSERT_EQ(0u, rank);
    ASSERT_EQ(MARGIN_OK, margin_eigen(NULL, NULL, NULL, 0, &none));
    ASSERT_EQ(MARGIN_OK, margin_eigen_leading(NULL, NULL, 0, NULL, 0, &none));
    PASS();
}

TEST nan_and_infinity_are_found_before_anything_changes(void) {
    static const margin_real bad[] = {(margin_real)NAN, (margin_real)INFINITY,
                                      -(margin_real)INFINITY};
    margin_arena mem = arena_of(20000);
    for (size_t t = 0; t < 60; t++) {
        static problem p, before;
        const size_t i = below(20), j = below(i + 1);
        begin_problem(&p);
        state = t + 40;
        p.a[i * 20 + j] = p.v[i * 20 + j] = bad[t % 3];
        before = p;
        ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_cholesky(p.a, 20, &mem));
        ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_cholesky_pivoted(p.a, 20, 0, p.order, &p.rank, &mem));
        ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_eigen(p.value, p.y, p.a, 20, &mem));
        ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_eigen_leading(p.value, p.y, 3, p.a, 20, &mem));
        ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_orthonormal(p.v, 20, 20, &p.rank));
        ASSERT_MEM_EQ(&before, &p, sizeof p);
    }
    free(mem.base);
    PASS();
}

SUITE(linalg_suite) {
    RUN_TEST(dot_uses_eight_partial_sums_in_the_stated_order);
    RUN_TEST(panels_have_the_bits_of_dots);
    RUN_TEST(norms_neither_overflow_nor_underflow);
    RUN_TEST(norms_of_special_values);
    RUN_TEST(axpy_adds_a_multiple);
    RUN_TEST(cholesky_leaves_a_residual_of_n_eps_or_the_matrix_as_it_was);
    RUN_TEST(cholesky_of_hilbert_matrices_succeeds_until_they_are_numerically_singular);
    RUN_TEST(pivoted_cholesky_finds_the_rank_and_leaves_a_small_residual);
    RUN_TEST(pivoted_cholesky_stops_at_the_wanted_tolerance);
    RUN_TEST(indefinite_matrices_are_refused_and_left_alone);
    RUN_TEST(an_indefinite_matrix_of_several_panels_is_restored);
    RUN_TEST(triangular_systems_are_solved_to_n_eps);
    RUN_TEST(a_zero_on_the_diagonal_is_reported_and_nothing_changes);
    RUN_TEST(cholesky_solves_with_a_small_backward_error);
    RUN_TEST(eigen_decomposition_leaves_residuals_of_n_eps);
    RUN_TEST(leading_eigenpairs_leave_residuals_of_n_eps);
    RUN_TEST(eigenvalues_of_known_matrices);
    RUN_TEST(eigen_decomposition_of_indefinite_matrices);
    RUN_TEST(iterations_that_do_not_converge_end_with_a_status);
    RUN_TEST(gram_schmidt_is_orthonormal_to_a_few_eps_whatever_the_rows);
    RUN_TEST(gram_schmidt_of_hilbert_rows_and_of_more_rows_than_columns);
    RUN_TEST(every_arena_size_either_suffices_or_is_refused);
    RUN_TEST(size_queries_are_zero_when_nothing_fits);
    RUN_TEST(bad_arguments_are_reported_and_change_nothing);
    RUN_TEST(sizes_of_zero_need_no_pointers_and_no_memory);
    RUN_TEST(nan_and_infinity_are_found_before_anything_changes);
}
