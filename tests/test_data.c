/* Views on samples: checks, moments, scaling, folds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena_sweep.h"
#include "asserts.h"
#include "margin.h"

#ifdef MARGIN_REAL_DOUBLE
#define EPS DBL_EPSILON
#define TINY DBL_MIN
#define HUGEST DBL_MAX
#else
#define EPS FLT_EPSILON
#define TINY FLT_MIN
#define HUGEST FLT_MAX
#endif

typedef long double exact;

static uint64_t seed;

static uint32_t draw(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}

static double uniform(void) {
    return (double)draw() / 4294967296.0;
}

static size_t below(size_t n) {
    return draw() % n;
}

/* ---- problems ----------------------------------------------------------------------------------- */

#define MAX_N 64
#define MAX_D 20
#define MAX_K 4

/* Everything that a view can be, in arrays of fixed size. */
typedef struct {
    margin_real x[(MAX_N + 3) * (MAX_D + 2)];
    uint16_t y[MAX_N + 3];
    margin_real weight[MAX_N + 3];
    margin_index rows[MAX_N];
    margin_data view;
    size_t classes;
} problem;

/* Columns with offsets and sizes from 1e-6 to 1e6; every class has a sample of weight. */
static void problem_make(problem *p, bool listed, bool weighted) {
    const size_t total = MAX_N + 3, gap = below(3);
    size_t i, j;
    memset(p, 0, sizeof *p);
    p->classes = 1 + below(MAX_K);
    p->view.n = p->classes + below(MAX_N - MAX_K);
    p->view.d = 1 + below(MAX_D);
    p->view.stride = gap == 0 ? 0 : p->view.d + gap;
    for (j = 0; j < p->view.d; j++) {
        const double size = pow(10, 12 * uniform() - 6), offset = size * pow(10, 5 * uniform() - 2);
        for (i = 0; i < total; i++) {
            p->x[i * (p->view.d + gap) + j] = (margin_real)(offset + size * uniform());
        }
    }
    for (i = 0; i < total; i++) {
        p->y[i] = (uint16_t)below(p->classes);
        p->weight[i] = (margin_real)(draw() % 4 == 0 ? 0 : uniform());
    }
    for (i = 0; i < p->view.n; i++) { p->rows[i] = (margin_index)(listed ? below(total) : i); }
    for (i = 0; i < p->classes; i++) {
        p->rows[i] = (margin_index)i;
        p->y[i] = (uint16_t)i;
        p->weight[i] = (margin_real)0.5;
    }
    p->view.x = p->x;
    p->view.y = p->y;
    p->view.weight = weighted ? p->weight : NULL;
    p->view.rows = listed ? p->rows : NULL;
}

static size_t row_at(const margin_data *v, size_t i) {
    return v->rows == NULL ? i : v->rows[i];
}

static margin_real value_at(const margin_data *v, size_t i, size_t j) {
    return v->x[row_at(v, i) * (v->stride == 0 ? v->d : v->stride) + j];
}

static exact weight_at(const margin_data *v, size_t i) {
    return v->weight == NULL ? 1 : (exact)v->weight[row_at(v, i)];
}

/* Moments by the textbook in long double, two passes; label < 0: of all samples. */
static exact naive_total(const margin_data *v, int label) {
    exact total = 0;
    size_t i;
    for (i = 0; i < v->n; i++) {
        total += label < 0 || v->y[row_at(v, i)] == label ? weight_at(v, i) : 0;
    }
    return total;
}

static exact naive_mean(const margin_data *v, int label, size_t j) {
    exact sum = 0;
    size_t i;
    for (i = 0; i < v->n; i++) {
        if (label < 0 || v->y[row_at(v, i)] == label) {
            sum += weight_at(v, i) * (exact)value_at(v, i, j);
        }
    }
    return sum / naive_total(v, label);
}

static exact naive_cov(const margin_data *v, int label, size_t a, size_t b) {
    const exact ma = naive_mean(v, label, a), mb = naive_mean(v, label, b);
    exact sum = 0;
    size_t i;
    for (i = 0; i < v->n; i++) {
        if (label < 0 || v->y[row_at(v, i)] == label) {
            sum +=
                weight_at(v, i) * ((exact)value_at(v, i, a) - ma) * ((exact)value_at(v, i, b) - mb);
        }
    }
    return sum / naive_total(v, label);
}

typedef struct {
    margin_real weight[MAX_K], mean[MAX_K * MAX_D], cov[MAX_K * MAX_D * MAX_D];
} moments;

static unsigned char arena_bytes[1 << 16];

static margin_arena fresh(void) {
    return margin_arena_make(arena_bytes, sizeof arena_bytes);
}

/* ---- checks ------------------------------------------------------------------------------------- */

TEST a_sound_view_passes_and_each_fault_has_its_status(void) {
    static const margin_real x[] = {1, 2, 3, 4, 5, 6};
    margin_data v;
    memset(&v, 0, sizeof v);
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_data_check(NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_data_check(&v));
    v.x = x, v.n = 3, v.d = 2;
    ASSERT_EQ(MARGIN_OK, margin_data_check(&v));
    v.n = 0;
    ASSERT_EQ(MARGIN_E_EMPTY, margin_data_check(&v));
    v.n = 3, v.d = 0;
    ASSERT_EQ(MARGIN_E_EMPTY, margin_data_check(&v));
    v.d = 2, v.stride = 1;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_data_check(&v));
    v.n = 2, v.stride = 3;
    ASSERT_EQ(MARGIN_OK, margin_data_check(&v));
    PASS();
}

TEST sizes_that_overflow_are_refused_before_anything_is_read(void) {
    static const margin_real x[] = {1};
    static const margin_index far[] = {0, 1000000};
    margin_data v;
    memset(&v, 0, sizeof v);
    v.x = x, v.n = 2, v.d = SIZE_MAX / sizeof(margin_real);
    ASSERT_EQ(MARGIN_E_OVERFLOW, margin_data_check(&v));
    v.d = SIZE_MAX;
    ASSERT_EQ(MARGIN_E_OVERFLOW, margin_data_check(&v));
    v.d = 1, v.stride = SIZE_MAX / sizeof(margin_real);
    ASSERT_EQ(MARGIN_E_OVERFLOW, margin_data_check(&v));
    v.stride = 0, v.n = SIZE_MAX;
    ASSERT_EQ(MARGIN_E_OVERFLOW, margin_data_check(&v));
    v.n = 2, v.stride = SIZE_MAX / sizeof(margin_real) / 1000, v.rows = far;
    ASSERT_EQ(MARGIN_E_OVERFLOW, margin_data_check(&v));
    PASS();
}

TEST only_the_rows_and_features_of_the_view_must_be_finite(void) {
    const margin_real bad[] = {(margin_real)NAN, (margin_real)HUGE_VAL, (margin_real)-HUGE_VAL};
    static const margin_index rows[] = {0, 2};
    margin_real x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    margin_data v;
    size_t b, at;
    memset(&v, 0, sizeof v);
    v.x = x, v.n = 2, v.d = 2, v.stride = 3, v.rows = rows;
    for (b = 0; b < 3; b++) {
        for (at = 0; at < 9; at++) {
            const bool used = at % 3 != 2 && at / 3 != 1;
            const margin_real old = x[at];
            x[at] = bad[b];
            ASSERT_EQ(used ? MARGIN_E_NOT_FINITE : MARGIN_OK, margin_data_check(&v));
            x[at] = old;
        }
    }
    x[0] = HUGEST, x[1] = -HUGEST;
    ASSERT_EQ(MARGIN_OK, margin_data_check(&v));
    PASS();
}

TEST weights_are_finite_not_negative_and_not_all_zero(void) {
    static const margin_real x[] = {1, 2, 3};
    margin_real w[] = {0, 0, 1};
    static const margin_index rows[] = {0, 1};
    margin_data v;
    memset(&v, 0, sizeof v);
    v.x = x, v.n = 3, v.d = 1, v.weight = w;
    ASSERT_EQ(MARGIN_OK, margin_data_check(&v));
    v.n = 2, v.rows = rows;
    ASSERT_EQ(MARGIN_E_LABEL, margin_data_check(&v));
    w[0] = 1, w[1] = -1;
    ASSERT_EQ(MARGIN_E_LABEL, margin_data_check(&v));
    w[1] = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_LABEL, margin_data_check(&v));
    w[1] = (margin_real)HUGE_VAL;
    ASSERT_EQ(MARGIN_E_LABEL, margin_data_check(&v));
    w[0] = w[1] = HUGEST;
    ASSERT_EQ(MARGIN_E_LABEL, margin_data_check(&v));
    w[1] = 0;
    ASSERT_EQ(MARGIN_OK, margin_data_check(&v));
    PASS();
}

TEST classes_are_counted_in_the_view_alone(void) {
    static const margin_real x[] = {1, 2, 3, 4, 5};
    static const uint16_t y[] = {0, 2, 9, 2, 0};
    static const margin_index rows[] = {1, 3, 4};
    size_t classes = 77;
    margin_data v;
    memset(&v, 0, sizeof v);
    v.x = x, v.n = 5, v.d = 1;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_data_classes(&v, &classes));
    v.y = y;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_data_classes(&v, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_data_classes(NULL, &classes));
    ASSERT_EQ(77, classes);
    ASSERT_EQ(MARGIN_OK, margin_data_classes(&v, &classes));
    ASSERT_EQ(10, classes);
    v.n = 3, v.rows = rows;
    ASSERT_EQ(MARGIN_OK, margin_data_classes(&v, &classes));
    ASSERT_EQ(3, classes);
    PASS();
}

/* ---- moments ------------------------------------------------------------------------------------ */

static enum greatest_test_res moments_match(const problem *p, const moments *m) {
    const size_t d = p->view.d;
    size_t c, i, j;
    for (c = 0; c < p->classes; c++) {
        const int label = p->classes == 1 ? -1 : (int)c;
        const exact total = naive_total(&p->view, label);
        ASSERT(fabsl((exact)m->weight[c] - total) <= 2 * (exact)EPS * total);
        for (i = 0; i < d; i++) {
            const exact mean = naive_mean(&p->view, label, i),
                        vi = naive_cov(&p->view, label, i, i);
            ASSERT(fabsl((exact)m->mean[c * d + i] - mean) <=
                   (exact)EPS * (fabsl(mean) + 4 * sqrtl(vi)));
            for (j = 0; j < d; j++) {
                const margin_real got = m->cov[(c * d + i) * d + j];
                const exact vj = naive_cov(&p->view, label, j, j);
                /* a deviation has the rounding of its square root's size: 8 EPS in the product */
                ASSERT(fabsl((exact)got - naive_cov(&p->view, label, i, j)) <=
                       8 * (exact)EPS * sqrtl(vi * vj) + (exact)TINY);
                ASSERT(got == m->cov[(c * d + j) * d + i]);
            }
        }
    }
    PASS();
}

TEST moments_match_the_textbook_in_long_double(void) {
    static problem p;
    static moments m, only;
    size_t round;
    seed = 1;
    for (round = 0; round < 200; round++) {
        margin_arena mem = fresh();
        problem_make(&p, round % 2 == 1, round % 3 != 0);
        ASSERT_EQ(MARGIN_OK,
                  margin_data_moments(&p.view, p.classes, &mem, m.weight, m.mean, m.cov));
        CHECK_CALL(moments_match(&p, &m));
        ASSERT_EQ(MARGIN_OK,
                  margin_data_moments(&p.view, p.classes, NULL, only.weight, only.mean, NULL));
        memcpy(only.cov, m.cov, sizeof m.cov);
        CHECK_CALL(moments_match(&p, &only));
    }
    PASS();
}

TEST moments_by_hand(void) {
    /* class 0: (1, 0), (3, 2); class 1: (5, 5) with weight 3; (9, 9) has no weight */
    static const margin_real x[] = {1, 0, 5, 5, 3, 2, 9, 9}, w[] = {1, 3, 1, 0};
    static const uint16_t y[] = {0, 1, 0, 1};
    margin_real weight[2], mean[4], cov[8];
    margin_arena mem = fresh();
    margin_data v;
    memset(&v, 0, sizeof v);
    v.x = x, v.n = 4, v.d = 2, v.y = y, v.weight = w;
    ASSERT_EQ(MARGIN_OK, margin_data_moments(&v, 2, &mem, weight, mean, cov));
    ASSERT(weight[0] == 2 && weight[1] == 3);
    ASSERT(mean[0] == 2 && mean[1] == 1 && mean[2] == 5 && mean[3] == 5);
    ASSERT(cov[0] == 1 && cov[1] == 1 && cov[2] == 1 && cov[3] == 1);
    ASSERT(cov[4] == 0 && cov[5] == 0 && cov[6] == 0 && cov[7] == 0);
    ASSERT_EQ(MARGIN_OK,
              margin_data_moments(&v, 1, NULL, weight, mean, NULL)); /* (1 + 3 + 15) / 5 */
    ASSERT(weight[0] == 5 && fabs((double)mean[0] - 3.8) < 1e-6);
    PASS();
}

/* n samples of one feature that alternates around an offset, plus a trend. */
static margin_real *long_column(size_t n, double offset, double size) {
    margin_real *x = (margin_real *)malloc(n * sizeof *x);
    size_t i;
    for (i = 0; i < n; i++) { x[i] = (margin_real)(offset + size * (uniform() - 0.5)); }
    return x;
}

TEST the_error_does_not_grow_with_the_number_of_samples_or_the_offset(void) {
    static const double offsets[] = {0, 1, 1e3, 1e6, -1e6};
    static const double sizes[] = {2, 2e-3, 2e3};
    const size_t n = 100000;
    size_t o, z;
    seed = 3;
    for (o = 0; o < 5; o++) {
        for (z = 0; z < 3; z++) {
            margin_real *x = long_column(n, offsets[o], sizes[z]);
            margin_arena mem = fresh();
            margin_real weight, mean, cov;
            margin_data v;
            exact want;
            memset(&v, 0, sizeof v);
            v.x = x, v.n = n, v.d = 1;
            want = naive_cov(&v, -1, 0, 0);
            ASSERT_EQ(MARGIN_OK, margin_data_moments(&v, 1, &mem, &weight, &mean, &cov));
            ASSERT(fabsl((exact)cov - want) <= 8 * (exact)EPS * want);
            want = naive_mean(&v, -1, 0);
            ASSERT(fabsl((exact)mean - want) <= (exact)EPS * (fabsl(want) + (exact)sizes[z]));
            ASSERT_EQ(MARGIN_OK, margin_data_moments(&v, 1, NULL, &weight, &mean, NULL));
            ASSERT(fabsl((exact)mean - want) <= (exact)EPS * (fabsl(want) + (exact)sizes[z]));
            free(x);
        }
    }
    PASS();
}

TEST an_outlier_costs_no_digits_wherever_it_stands(void) {
    const size_t n = 20000, at[] = {0, 1, 3, 4, 10000, 19999};
    size_t k;
    seed = 31;
    for (k = 0; k < 6; k++) {
        margin_real *x = long_column(2 * n, 5, 1), weight, mean[2], cov[4];
        margin_arena mem = fresh();
        margin_data v;
        size_t i, j;
        memset(&v, 0, sizeof v);
        v.x = x, v.n = n, v.d = 2;
        x[2 * at[k]] = (margin_real)1e9;
        ASSERT_EQ(MARGIN_OK, margin_data_moments(&v, 1, &mem, &weight, mean, cov));
        for (i = 0; i < 2; i++) {
            const exact want = naive_mean(&v, -1, i), vi = naive_cov(&v, -1, i, i);
            ASSERT(fabsl((exact)mean[i] - want) <= (exact)EPS * (fabsl(want) + 4 * sqrtl(vi)));
            for (j = 0; j < 2; j++) {
                const exact vj = naive_cov(&v, -1, j, j);
                ASSERT(fabsl((exact)cov[2 * i + j] - naive_cov(&v, -1, i, j)) <=
                       8 * (exact)EPS * sqrtl(vi * vj));
            }
        }
        free(x);
    }
    PASS();
}

TEST weights_count_relative_to_each_other(void) {
    static problem p;
    static moments a, b;
    size_t round, i;
    seed = 4;
    for (round = 0; round < 50; round++) {
        margin_arena mem = fresh();
        problem_make(&p, false, true);
        ASSERT_EQ(MARGIN_OK,
                  margin_data_moments(&p.view, p.classes, &mem, a.weight, a.mean, a.cov));
        for (i = 0; i < p.view.n; i++) {
            p.weight[i] = (margin_real)ldexp((double)p.weight[i], round % 2 == 0 ? 90 : -90);
        }
        ASSERT_EQ(MARGIN_OK,
                  margin_data_moments(&p.view, p.classes, &mem, b.weight, b.mean, b.cov));
        ASSERT_EQ(0, memcmp(a.mean, b.mean, p.classes * p.view.d * sizeof a.mean[0]));
        ASSERT_EQ(0, memcmp(a.cov, b.cov, p.classes * p.view.d * p.view.d * sizeof a.cov[0]));
    }
    PASS();
}

TEST means_reach_to_the_largest_numbers_and_covariances_say_when_they_do_not(void) {
    margin_real x[] = {HUGEST, HUGEST / 2, HUGEST / 4};
    margin_real weight = 7, mean = 7, cov = 7;
    margin_arena mem = fresh();
    margin_data v;
    memset(&v, 0, sizeof v);
    v.x = x, v.n = 3, v.d = 1;
    ASSERT_EQ(MARGIN_E_RANGE, margin_data_moments(&v, 1, &mem, &weight, &mean, &cov));
    ASSERT(weight == 7 && mean == 7 && cov == 7);
    ASSERT_EQ(MARGIN_OK, margin_data_moments(&v, 1, NULL, &weight, &mean, NULL));
    ASSERT(fabs((double)(mean / HUGEST) - 1.75 / 3) < 1e-6);
    x[2] = -HUGEST;
    ASSERT_EQ(MARGIN_E_RANGE, margin_data_moments(&v, 1, NULL, &weight, &mean, NULL));
    x[0] = HUGEST, x[1] = HUGEST, x[2] = HUGEST; /* constant: no difference, no overflow */
    ASSERT_EQ(MARGIN_OK, margin_data_moments(&v, 1, &mem, &weight, &mean, &cov));
    ASSERT(mean == HUGEST && cov == 0);
    PASS();
}

TEST moments_of_bad_input_leave_their_results_alone(void) {
    static problem p;
    static moments m, before;
    margin_arena mem = fresh(), none = margin_arena_counting();
    seed = 5;
    do { problem_make(&p, false, false); } while (p.classes != 3);
    memset(&m, 0x5A, sizeof m);
    memcpy(&before, &m, sizeof m);
#define MOMENTS(k, a, w, u, c) margin_data_moments(&p.view, k, a, w, u, c)
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_data_moments(NULL, 1, &mem, m.weight, m.mean, m.cov));
    ASSERT_EQ(MARGIN_E_ARGUMENT, MOMENTS(0, &mem, m.weight, m.mean, m.cov));
    ASSERT_EQ(MARGIN_E_ARGUMENT, MOMENTS(3, NULL, m.weight, m.mean, m.cov));
    ASSERT_EQ(MARGIN_E_ARGUMENT, MOMENTS(3, &none, m.weight, m.mean, m.cov));
    ASSERT_EQ(MARGIN_E_ARGUMENT, MOMENTS(3, &mem, NULL, m.mean, m.cov));
    ASSERT_EQ(MARGIN_E_ARGUMENT, MOMENTS(3, &mem, m.weight, NULL, m.cov));
    ASSERT_EQ(MARGIN_E_LABEL, MOMENTS(2, &mem, m.weight, m.mean, m.cov));
    ASSERT_EQ(MARGIN_E_ONE_CLASS, MOMENTS(4, &mem, m.weight, m.mean, m.cov));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_data_moments(&p.view, 3, NULL, NULL, m.mean, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_data_moments(&p.view, 3, NULL, m.weight, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ONE_CLASS, margin_data_moments(&p.view, 4, NULL, m.weight, m.mean, NULL));
    p.view.y = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT, MOMENTS(3, &mem, m.weight, m.mean, m.cov));
    p.x[0] = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_NOT_FINITE, MOMENTS(1, &mem, m.weight, m.mean, m.cov));
    ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_data_moments(&p.view, 1, NULL, m.weight, m.mean, NULL));
    ASSERT_EQ(0, memcmp(&m, &before, sizeof m));
    PASS();
}

typedef struct {
    problem p;
    moments m;
} moments_run;

static margin_status run_moments(margin_arena *mem, void *run) {
    moments_run *r = (moments_run *)run;
    return margin_data_moments(&r->p.view, r->p.classes, mem, r->m.weight, r->m.mean, r->m.cov);
}

TEST moments_take_exactly_the_bytes_they_ask_for(void) {
    static moments_run r;
    static unsigned char bytes[MARGIN_DATA_MOMENTS_BYTES(7)];
    size_t d;
    seed = 6;
    ASSERT_EQ(margin_data_moments_size(7), sizeof bytes);
    ASSERT_EQ_FMT((size_t)0, margin_data_moments_size(SIZE_MAX / 8), "%zu");
    problem_make(&r.p, false, true);
    r.p.view.stride = 0;
    for (d = 1; d < 9; d++) {
        r.p.view.d = d;
        ASSERT_EQ(MARGIN_DATA_MOMENTS_BYTES(d), margin_data_moments_size(d));
        memset(&r.m, 0x5A, sizeof r.m);
        CHECK_CALL(arena_sweep(run_moments, &r, margin_data_moments_size(d), &r.m, sizeof r.m));
    }
    PASS();
}

/* ---- scaling ------------------------------------------------------------------------------------ */

TEST standard_scaling_gives_mean_zero_and_deviation_one(void) {
    static problem p;
    static margin_real out[MAX_N * MAX_D];
    size_t round, j;
    seed = 7;
    for (round = 0; round < 200; round++) {
        margin_arena mem = fresh();
        margin_scaling s;
        margin_data scaled;
        problem_make(&p, round % 2 == 1, round % 3 != 0);
        ASSERT_EQ(MARGIN_OK, margin_scaling_fit(&p.view, MARGIN_SCALE_STANDARD, &mem, &s));
        ASSERT_EQ(MARGIN_OK, margin_scaling_apply(&s, &p.view, out, 0));
        for (j = 0; j < p.view.d; j++) {
            const exact mean = naive_mean(&p.view, -1, j), sd = sqrtl(naive_cov(&p.view, -1, j, j));
            exact sum = 0, square = 0;
            size_t i;
            if (s.factor[j] == 0) { continue; }
            ASSERT(fabsl((exact)s.offset[j] - mean) <= (exact)EPS * (fabsl(mean) + 4 * sd));
            ASSERT(fabsl((exact)s.factor[j] * sd - 1) <= 8 * (exact)EPS);
            for (i = 0; i < p.view.n; i++) {
                sum += weight_at(&p.view, i) * (exact)out[i * p.view.d + j];
                square += weight_at(&p.view, i) * (exact)out[i * p.view.d + j] *
                          (exact)out[i * p.view.d + j];
            }
            /* the offset is rounded to the grid of x: that share of a deviation remains */
            ASSERT(fabsl(sum / naive_total(&p.view, -1)) <= (exact)EPS * (8 + fabsl(mean) / sd));
            ASSERT(fabsl(square / naive_total(&p.view, -1) - 1) <=
                   (exact)EPS * (64 + fabsl(mean) / sd));
        }
        (void)scaled;
    }
    PASS();
}

TEST scaling_survives_a_million_plus_minus_one(void) {
    const size_t n = 50000;
    margin_real *x = (margin_real *)malloc(n * sizeof *x);
    margin_arena mem = fresh();
    margin_scaling s;
    margin_data v;
    size_t i;
    seed = 8;
    for (i = 0; i < n; i++) { x[i] = (margin_real)(draw() % 2 == 0 ? 999999 : 1000001); }
    memset(&v, 0, sizeof v);
    v.x = x, v.n = n, v.d = 1;
    ASSERT_EQ(MARGIN_OK, margin_scaling_fit(&v, MARGIN_SCALE_STANDARD, &mem, &s));
    ASSERT(fabs((double)s.offset[0] - 1e6) < 0.05);
    ASSERT(fabs((double)s.factor[0] - 1) < 1e-3);
    ASSERT_EQ(MARGIN_OK, margin_scaling_fit(&v, MARGIN_SCALE_MINMAX, &mem, &s));
    ASSERT(s.offset[0] == 999999 && s.factor[0] == (margin_real)0.5);
    free(x);
    PASS();
}

TEST constant_columns_become_zero(void) {
    /* constant; constant but for rounding; all zero; too small to divide by; not constant */
    const margin_real a = (margin_real)0.1, up = a * (1 + (margin_real)EPS);
    const margin_real x[] = {5, a,  0, 0,        1, /* */
                             5, up, 0, TINY / 4, 1 + 8 * (margin_real)EPS};
    margin_real out[10];
    margin_arena mem = fresh();
    margin_scaling s;
    margin_data v;
    unsigned kind;
    size_t i;
    memset(&v, 0, sizeof v);
    v.x = x, v.n = 2, v.d = 5;
    ASSERT(up != a);
    for (kind = MARGIN_SCALE_STANDARD; kind <= MARGIN_SCALE_MINMAX; kind++) {
        ASSERT_EQ(MARGIN_OK, margin_scaling_fit(&v, kind, &mem, &s));
        ASSERT_EQ(MARGIN_OK, margin_scaling_apply(&s, &v, out, 0));
        for (i = 0; i < 4; i++) { ASSERT(s.factor[i] == 0 && out[i] == 0 && out[5 + i] == 0); }
        ASSERT(s.factor[4] > 0 && fabs((double)(out[9] - out[4]) - (kind == 0 ? 2 : 1)) < 1e-6);
    }
    PASS();
}

TEST huge_and_tiny_columns_scale_without_overflow(void) {
    const margin_real small = TINY * 16;
    const margin_real x[] = {HUGEST, small, 0,         HUGEST / 2, small * 2,
                             HUGEST, 0,     small * 3, HUGEST / 3};
    margin_real out[9], wide[] = {HUGEST, -HUGEST};
    margin_arena mem = fresh();
    margin_scaling s;
    margin_data v;
    size_t i;
    memset(&v, 0, sizeof v);
    v.x = x, v.n = 3, v.d = 3;
    ASSERT_EQ(MARGIN_OK, margin_scaling_fit(&v, MARGIN_SCALE_STANDARD, &mem, &s));
    ASSERT_EQ(MARGIN_OK, margin_scaling_apply(&s, &v, out, 0));
    for (i = 0; i < 2; i++) {
        ASSERT(fabs((double)out[i] - (i == 0 ? 1.2247448714 : -1.2247448714)) < 1e-5);
        ASSERT(fabs((double)out[3 + i]) < 1e-5);
    }
    v.x = wide, v.n = 2, v.d = 1;
    ASSERT_EQ(MARGIN_E_RANGE, margin_scaling_fit(&v, MARGIN_SCALE_STANDARD, &mem, &s));
    ASSERT_EQ(MARGIN_E_RANGE, margin_scaling_fit(&v, MARGIN_SCALE_MINMAX, &mem, &s));
    PASS();
}

TEST minmax_scaling_fills_zero_to_one_and_never_leaves_it(void) {
    static problem p;
    static margin_real out[MAX_N * MAX_D];
    size_t round, i, j;
    seed = 9;
    for (round = 0; round < 300; round++) {
        margin_arena mem = fresh();
        margin_scaling s;
        problem_make(&p, round % 2 == 1, false);
        ASSERT_EQ(MARGIN_OK, margin_scaling_fit(&p.view, MARGIN_SCALE_MINMAX, &mem, &s));
        ASSERT_EQ(MARGIN_OK, margin_scaling_apply(&s, &p.view, out, 0));
        for (j = 0; j < p.view.d && p.view.n > 1; j++) {
            margin_real low = 2, high = -2;
            for (i = 0; i < p.view.n; i++) {
                const margin_real u = out[i * p.view.d + j];
                low = u < low ? u : low;
                high = u > high ? u : high;
            }
            ASSERT(low == 0 &&
                   (s.factor[j] == 0 || (high <= 1 && high >= 1 - 2 * (margin_real)EPS)));
        }
    }
    PASS();
}

TEST samples_without_weight_take_no_part_in_a_scaling(void) {
    static const margin_real x[] = {1, 1000, 3, -5}, w[] = {2, 0, 2, 0};
    margin_arena mem = fresh();
    margin_scaling s;
    margin_data v;
    memset(&v, 0, sizeof v);
    v.x = x, v.n = 4, v.d = 1, v.weight = w;
    ASSERT_EQ(MARGIN_OK, margin_scaling_fit(&v, MARGIN_SCALE_STANDARD, &mem, &s));
    ASSERT(s.offset[0] == 2 && s.factor[0] == 1);
    ASSERT_EQ(MARGIN_OK, margin_scaling_fit(&v, MARGIN_SCALE_MINMAX, &mem, &s));
    ASSERT(s.offset[0] == 1 && s.factor[0] == (margin_real)0.5);
    PASS();
}

TEST a_scaling_gives_the_same_bits_row_by_row_gathered_and_in_place(void) {
    static problem p;
    static margin_real out[MAX_N * (MAX_D + 1)], row[MAX_D];
    unsigned kind;
    size_t round, i;
    seed = 10;
    for (round = 0; round < 60; round++) {
        for (kind = MARGIN_SCALE_STANDARD; kind <= MARGIN_SCALE_NONE; kind++) {
            margin_arena mem = fresh();
            margin_scaling s;
            size_t d, n;
            problem_make(&p, true, false);
            d = p.view.d, n = p.view.n;
            ASSERT_EQ(MARGIN_OK, margin_scaling_fit(&p.view, kind, &mem, &s));
            ASSERT_EQ_FMT(mem.low, margin_scaling_fit_size(kind, d), "%zu");
            out[p.view.n * (d + 1) - 1] = 42;
            ASSERT_EQ(MARGIN_OK, margin_scaling_apply(&s, &p.view, out, d + 1));
            ASSERT(out[p.view.n * (d + 1) - 1] == 42);
            for (i = 0; i < p.view.n; i++) {
                margin_scaling_row(&s, p.x + p.rows[i] * (p.view.stride == 0 ? d : p.view.stride),
                                   row);
                ASSERT_EQ(0, memcmp(row, out + i * (d + 1), d * sizeof row[0]));
            }
            p.view.rows = NULL; /* a view without a list is scaled in place */
            p.view.n = MAX_N;
            ASSERT_EQ(MARGIN_OK, margin_scaling_apply(&s, &p.view, p.x, p.view.stride));
            for (i = 0; i < n; i++) {
                const margin_real *x = p.x + p.rows[i] * (p.view.stride == 0 ? d : p.view.stride);
                ASSERT(p.rows[i] >= MAX_N || memcmp(x, out + i * (d + 1), d * sizeof row[0]) == 0);
            }
        }
    }
    PASS();
}

TEST bad_input_to_scaling_changes_nothing(void) {
    static const margin_real offset[] = {0}, factor[] = {HUGEST};
    margin_real x[] = {1, 2, 4}, out[] = {7, 7, 7};
    margin_arena mem = fresh(), none = margin_arena_counting();
    margin_scaling s = {NULL, NULL, 99}, big, half;
    margin_data v;
    memset(&v, 0, sizeof v);
    v.x = x, v.n = 3, v.d = 1;
    big.offset = offset, big.factor = factor, big.d = 1;
    half = big, half.factor = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_scaling_fit(NULL, 0, &mem, &s));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_scaling_fit(&v, 3, &mem, &s));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_scaling_fit(&v, 0, NULL, &s));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_scaling_fit(&v, 0, &none, &s));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_scaling_fit(&v, 0, &mem, NULL));
    ASSERT(s.d == 99 && s.offset == NULL && mem.low == 0);
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_scaling_apply(NULL, &v, out, 0));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_scaling_apply(&s, &v, out, 0));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_scaling_apply(&half, &v, out, 0));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_scaling_apply(&big, NULL, out, 0));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_scaling_apply(&big, &v, NULL, 0));
    ASSERT_EQ(MARGIN_E_RANGE, margin_scaling_apply(&big, &v, out, 0));
    x[2] = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_scaling_fit(&v, 0, &mem, &s));
    ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_scaling_apply(&big, &v, out, 0));
    v.d = 2, v.n = 1, big.d = 2;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_scaling_apply(&big, &v, out, 1));
    ASSERT(out[0] == 7 && out[1] == 7 && out[2] == 7 && x[0] == 1 && x[1] == 2);
    PASS();
}

typedef struct {
    problem p;
    margin_scaling s;
} scaling_run;

static margin_status run_scaling(margin_arena *mem, void *run) {
    scaling_run *r = (scaling_run *)run;
    return margin_scaling_fit(&r->p.view, MARGIN_SCALE_STANDARD, mem, &r->s);
}

TEST a_scaling_takes_exactly_the_bytes_it_asks_for(void) {
    static scaling_run r;
    static unsigned char bytes[MARGIN_SCALING_BYTES(7)];
    seed = 11;
    problem_make(&r.p, false, true);
    r.p.view.d = 7, r.p.view.stride = 0;
    ASSERT_EQ(sizeof bytes, margin_scaling_fit_size(MARGIN_SCALE_MINMAX, 7));
    ASSERT_EQ_FMT((size_t)0, margin_scaling_fit_size(MARGIN_SCALE_MINMAX, SIZE_MAX / 2), "%zu");
    CHECK_CALL(arena_sweep(run_scaling, &r, sizeof bytes, &r.s, sizeof r.s));
    PASS();
}

/* ---- folds -------------------------------------------------------------------------------------- */

/* Folds of n samples regardless of their classes. */
static margin_status plain_folds(size_t n, size_t folds, margin_rng *rng, uint16_t *fold) {
    static const margin_real x[1] = {0};
    const margin_data data = {x, n, 1, 0, NULL, NULL, NULL};
    return margin_folds(&data, folds, false, rng, NULL, fold);
}

TEST folds_are_of_equal_size_and_reproducible(void) {
    uint16_t fold[500], again[500];
    size_t round, i;
    seed = 12;
    for (round = 0; round < 200; round++) {
        const size_t n = 2 + below(499 - 1), folds = 2 + below(n < 20 ? n - 1 : 19);
        size_t sizes[20] = {0};
        margin_rng rng = margin_rng_make((uint32_t)round), same = margin_rng_make((uint32_t)round);
        ASSERT_EQ(MARGIN_OK, plain_folds(n, folds, &rng, fold));
        ASSERT_EQ(MARGIN_OK, plain_folds(n, folds, &same, again));
        ASSERT_EQ(0, memcmp(fold, again, n * sizeof fold[0]));
        for (i = 0; i < n; i++) {
            ASSERT(fold[i] < folds);
            sizes[fold[i]]++;
        }
        for (i = 0; i < folds; i++) { ASSERT(sizes[i] == n / folds || sizes[i] == n / folds + 1); }
        ASSERT_EQ(MARGIN_OK, plain_folds(n, folds, &same, again));
        ASSERT(n < 20 || memcmp(fold, again, n * sizeof fold[0]) != 0);
    }
    PASS();
}

TEST every_sample_meets_every_fold_equally_often(void) {
    enum { N = 7, FOLDS = 3, ROUNDS = 30000 };
    uint16_t fold[N];
    size_t seen[N][FOLDS] = {{0}}, round, i, f;
    margin_rng rng = margin_rng_make(99);
    for (round = 0; round < ROUNDS; round++) {
        ASSERT_EQ(MARGIN_OK, plain_folds(N, FOLDS, &rng, fold));
        for (i = 0; i < N; i++) { seen[i][fold[i]]++; }
    }
    for (i = 0; i < N; i++) { /* fold 0 has 3 of 7, the others 2: within five deviations */
        for (f = 0; f < FOLDS; f++) {
            const double p = (f == 0 ? 3.0 : 2.0) / N, sd = sqrt(ROUNDS * p * (1 - p));
            ASSERT(fabs((double)seen[i][f] - ROUNDS * p) < 5 * sd);
        }
    }
    PASS();
}

TEST stratified_folds_hold_each_class_within_one_sample(void) {
    static problem p;
    uint16_t fold[MAX_N];
    size_t round, i, f, c;
    seed = 13;
    for (round = 0; round < 300; round++) {
        size_t count[MAX_K][10] = {{0}}, size[10] = {0}, of[MAX_K] = {0}, folds;
        margin_arena mem = fresh();
        margin_rng rng = margin_rng_make((uint32_t)round);
        do { problem_make(&p, round % 2 == 1, false); } while (p.view.n < 10);
        folds = 2 + below(9);
        ASSERT_EQ(MARGIN_OK, margin_folds(&p.view, folds, true, &rng, &mem, fold));
        for (i = 0; i < p.view.n; i++) {
            c = p.y[row_at(&p.view, i)];
            count[c][fold[i]]++;
            size[fold[i]]++;
            of[c]++;
        }
        for (f = 0; f < folds; f++) {
            ASSERT(size[f] == p.view.n / folds || size[f] == p.view.n / folds + 1);
            for (c = 0; c < p.classes; c++) {
                ASSERT(count[c][f] == of[c] / folds || count[c][f] == of[c] / folds + 1);
            }
        }
    }
    PASS();
}

TEST stratified_folds_are_random_within_a_class(void) {
    enum { N = 8, ROUNDS = 20000 };
    static const margin_real x[N] = {0};
    static const uint16_t y[N] = {0, 1, 0, 1, 1, 0, 1, 0};
    uint16_t fold[N];
    size_t seen[N] = {0}, together = 0, round, i;
    margin_rng rng = margin_rng_make(7);
    margin_data v;
    memset(&v, 0, sizeof v);
    v.x = x, v.n = N, v.d = 1, v.y = y;
    for (round = 0; round < ROUNDS; round++) {
        margin_arena mem = fresh();
        ASSERT_EQ(MARGIN_OK, margin_folds(&v, 2, true, &rng, &mem, fold));
        for (i = 0; i < N; i++) { seen[i] += fold[i]; }
        together += fold[0] == fold[2];
    }
    for (i = 0; i < N; i++) {
        ASSERT(fabs((double)seen[i] - ROUNDS / 2.0) < 5 * sqrt(ROUNDS / 4.0));
    }
    /* two of a class of four share a fold of two with probability 1/3 */
    ASSERT(fabs((double)together - ROUNDS / 3.0) < 5 * sqrt(ROUNDS * 2.0 / 9.0));
    PASS();
}

TEST views_of_the_folds_divide_the_samples(void) {
    static problem p;
    uint16_t fold[MAX_N];
    size_t round, f, i;
    seed = 14;
    for (round = 0; round < 100; round++) {
        const size_t folds = 2 + below(4);
        size_t tested[MAX_N] = {0};
        margin_rng rng = margin_rng_make((uint32_t)round);
        do { problem_make(&p, round % 2 == 1, true); } while (p.view.n < folds);
        ASSERT_EQ(MARGIN_OK, plain_folds(p.view.n, folds, &rng, fold));
        for (f = 0; f < folds; f++) {
            margin_index rows[MAX_N];
            margin_data train, test;
            size_t a = 0, b = 0;
            ASSERT_EQ(MARGIN_OK, margin_fold_views(&p.view, fold, f, rows, &train, &test));
            ASSERT_EQ(p.view.n, train.n + test.n);
            ASSERT(train.x == p.x && test.y == p.y && train.weight == p.weight);
            ASSERT(train.d == p.view.d && test.stride == p.view.stride);
            for (i = 0; i < p.view.n; i++) {
                if (fold[i] == f) {
                    ASSERT_EQ(row_at(&p.view, i), test.rows[b++]);
                    tested[i]++;
                } else {
                    ASSERT_EQ(row_at(&p.view, i), train.rows[a++]);
                }
            }
        }
        for (i = 0; i < p.view.n; i++) { ASSERT_EQ(1, tested[i]); }
    }
    PASS();
}

TEST bad_input_to_folds_changes_nothing(void) {
    static const margin_real x[] = {1, 2, 3};
    static const uint16_t y[] = {0, 1, 0}, one[] = {0, 0, 0};
    uint16_t fold[] = {9, 9, 9};
    margin_index rows[] = {9, 9, 9};
    margin_arena mem = fresh(), none = margin_arena_counting();
    margin_rng rng = margin_rng_make(1), before = rng;
    margin_data v, train, test;
    memset(&v, 0, sizeof v);
    memset(&train, 0, sizeof train);
    v.x = x, v.n = 3, v.d = 1;
    ASSERT_EQ(MARGIN_E_ARGUMENT, plain_folds(3, 1, &rng, fold));
    ASSERT_EQ(MARGIN_E_ARGUMENT, plain_folds(3, 4, &rng, fold));
    ASSERT_EQ(MARGIN_E_EMPTY, plain_folds(0, 2, &rng, fold));
    ASSERT_EQ(MARGIN_E_ARGUMENT, plain_folds(100000, 65536, &rng, fold));
    ASSERT_EQ(MARGIN_E_OVERFLOW, plain_folds(SIZE_MAX, 2, &rng, fold));
    ASSERT_EQ(MARGIN_E_ARGUMENT, plain_folds(3, 2, NULL, fold));
    ASSERT_EQ(MARGIN_E_ARGUMENT, plain_folds(3, 2, &rng, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_folds(&v, 2, true, &rng, &mem, fold));
    v.y = y;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_folds(NULL, 2, true, &rng, &mem, fold));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_folds(&v, 4, true, &rng, &mem, fold));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_folds(&v, 2, true, NULL, &mem, fold));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_folds(&v, 2, true, &rng, NULL, fold));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_folds(&v, 2, true, &rng, &none, fold));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_folds(&v, 2, true, &rng, &mem, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_fold_views(NULL, one, 0, rows, &train, &test));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_fold_views(&v, NULL, 0, rows, &train, &test));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_fold_views(&v, one, 0, NULL, &train, &test));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_fold_views(&v, one, 0, rows, NULL, &test));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_fold_views(&v, one, 0, rows, &train, NULL));
    ASSERT_EQ(MARGIN_E_EMPTY, margin_fold_views(&v, one, 0, rows, &train, &test));
    ASSERT_EQ(MARGIN_E_EMPTY, margin_fold_views(&v, one, 1, rows, &train, &test));
    v.n = 0;
    ASSERT_EQ(MARGIN_E_EMPTY, margin_folds(&v, 2, true, &rng, &mem, fold));
    ASSERT(fold[0] == 9 && fold[1] == 9 && fold[2] == 9 && rows[0] == 9 && rows[2] == 9);
    ASSERT(train.x == NULL && memcmp(&rng, &before, sizeof rng) == 0);
    PASS();
}

typedef struct {
    problem p;
    uint16_t fold[MAX_N];
} folds_run;

static margin_status run_folds(margin_arena *mem, void *run) {
    folds_run *r = (folds_run *)run;
    margin_rng rng = margin_rng_make(1);
    return margin_folds(&r->p.view, 2, true, &rng, mem, r->fold);
}

TEST folds_take_exactly_the_bytes_they_ask_for(void) {
    static folds_run r;
    static unsigned char bytes[MARGIN_FOLDS_BYTES(21)];
    seed = 15;
    problem_make(&r.p, false, true);
    r.p.view.n = 21;
    ASSERT_EQ(sizeof bytes, margin_folds_size(21));
    ASSERT_EQ_FMT((size_t)0, margin_folds_size(SIZE_MAX), "%zu");
    CHECK_CALL(arena_sweep(run_folds, &r, sizeof bytes, r.fold, sizeof r.fold));
    PASS();
}

SUITE(data_suite) {
    RUN_TEST(a_sound_view_passes_and_each_fault_has_its_status);
    RUN_TEST(sizes_that_overflow_are_refused_before_anything_is_read);
    RUN_TEST(only_the_rows_and_features_of_the_view_must_be_finite);
    RUN_TEST(weights_are_finite_not_negative_and_not_all_zero);
    RUN_TEST(classes_are_counted_in_the_view_alone);
    RUN_TEST(moments_match_the_textbook_in_long_double);
    RUN_TEST(moments_by_hand);
    RUN_TEST(the_error_does_not_grow_with_the_number_of_samples_or_the_offset);
    RUN_TEST(an_outlier_costs_no_digits_wherever_it_stands);
    RUN_TEST(weights_count_relative_to_each_other);
    RUN_TEST(means_reach_to_the_largest_numbers_and_covariances_say_when_they_do_not);
    RUN_TEST(moments_of_bad_input_leave_their_results_alone);
    RUN_TEST(moments_take_exactly_the_bytes_they_ask_for);
    RUN_TEST(standard_scaling_gives_mean_zero_and_deviation_one);
    RUN_TEST(scaling_survives_a_million_plus_minus_one);
    RUN_TEST(constant_columns_become_zero);
    RUN_TEST(huge_and_tiny_columns_scale_without_overflow);
    RUN_TEST(minmax_scaling_fills_zero_to_one_and_never_leaves_it);
    RUN_TEST(samples_without_weight_take_no_part_in_a_scaling);
    RUN_TEST(a_scaling_gives_the_same_bits_row_by_row_gathered_and_in_place);
    RUN_TEST(bad_input_to_scaling_changes_nothing);
    RUN_TEST(a_scaling_takes_exactly_the_bytes_it_asks_for);
    RUN_TEST(folds_are_of_equal_size_and_reproducible);
    RUN_TEST(every_sample_meets_every_fold_equally_often);
    RUN_TEST(stratified_folds_hold_each_class_within_one_sample);
    RUN_TEST(stratified_folds_are_random_within_a_class);
    RUN_TEST(views_of_the_folds_divide_the_samples);
    RUN_TEST(bad_input_to_folds_changes_nothing);
    RUN_TEST(folds_take_exactly_the_bytes_they_ask_for);
}
