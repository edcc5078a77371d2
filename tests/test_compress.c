/* test_compress.c -- expansions with fewer vectors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena_sweep.h"
#include "asserts.h"
#include "margin.h"

enum { N = 60, D = 2 };

static struct {
    margin_real x[N * D];
    uint16_t y[N];
    margin_data data;
    margin_model model;
    unsigned char bytes[400000];
    margin_arena mem;
} t;

/* Rings of points, one a class; every point stands there twice. */
static void train(size_t classes, unsigned scheme, margin_real lambda) {
    margin_rng rng = margin_rng_make(3);
    margin_kmomd_options options;
    memset(&options, 0, sizeof options);
    memset(&t.data, 0, sizeof t.data);
    for (size_t i = 0; i < N; i++) {
        const size_t from = i % 2 == 0 ? i : i - 1;
        t.y[i] = (uint16_t)(from / 2 % classes);
        for (size_t k = 0; k < D; k++) {
            t.x[i * D + k] = i == from ? margin_rng_normal(&rng) + (margin_real)(t.y[i] * (k + 1))
                                       : t.x[from * D + k];
        }
    }
    t.data.x = t.x;
    t.data.y = t.y;
    t.data.n = N;
    t.data.d = D;
    t.mem = margin_arena_make(t.bytes, sizeof t.bytes);
    options.kernel.kind = MARGIN_KERNEL_RBF;
    options.kernel.gamma = (margin_real)0.5;
    options.lambda = lambda;
    options.scheme = (uint8_t)scheme;
    if (margin_kmomd_train(&t.data, &options, &t.mem, &t.model, NULL, NULL) < 0) { abort(); }
}

static margin_real worst_change(const margin_model *a, const margin_model *b) {
    const margin_vote *vote = margin_model_vote(a);
    margin_real worst = 0;
    for (size_t i = 0; i < N; i++) {
        margin_real f[8], g[8];
        margin_scores(a, t.x + i * D, f);
        margin_scores(b, t.x + i * D, g);
        for (size_t j = 0; j < margin_machines(vote->scheme, vote->classes); j++) {
            const margin_real change = f[j] > g[j] ? f[j] - g[j] : g[j] - f[j];
            worst = change > worst ? change : worst;
        }
    }
    return worst;
}

TEST copies_of_vectors_are_merged_without_changing_a_score(void) {
    static const unsigned schemes[3] = {0, MARGIN_SCHEME_ONE_ONE, MARGIN_SCHEME_ONE_REST};
    for (size_t s = 0; s < 3; s++) {
        margin_compress_info info;
        margin_model small;
        train(s == 0 ? 2 : 3, schemes[s], (margin_real)0.9);
        ASSERT(t.model.of.expansion.n > N / 2);
        ASSERT_EQ(MARGIN_OK, margin_compress(&t.model, NULL, N, 0, &t.mem, &small, &info));
        ASSERT(info.vectors <= N / 2);
        ASSERT_EQ(info.vectors, small.of.expansion.n);
        ASSERT_EQ(t.model.of.expansion.n, info.samples);
        ASSERT_IN_RANGE(0, worst_change(&t.model, &small), sizeof(margin_real) > 4 ? 1e-5 : 2e-2);
        ASSERT_EQ(0u, info.changed);
        ASSERT_EQ(small.of.expansion.n,
                  small.of.expansion.class_end[margin_model_vote(&small)->classes - 1u]);
    }
    PASS();
}

TEST fewer_vectors_cost_more_and_the_report_says_how_much(void) {
    static const size_t budgets[4] = {20, 10, 5, 1};
    margin_real last = 0;
    train(2, 0, (margin_real)0.9);
    for (size_t b = 0; b < 4; b++) {
        margin_compress_info info;
        margin_model small;
        margin_real squares = 0, worst = 0;
        size_t changed = 0;
        margin_arena mem = t.mem;
        ASSERT_EQ(MARGIN_OK,
                  margin_compress(&t.model, &t.data, budgets[b], 0, &mem, &small, &info));
        ASSERT_EQ(budgets[b], info.vectors);
        ASSERT_EQ((size_t)N, info.samples);
        for (size_t i = 0; i < N; i++) {
            margin_real f, g;
            changed += margin_classify(&t.model, t.x + i * D, &f) !=
                       margin_classify(&small, t.x + i * D, &g);
            squares += (f - g) * (f - g) / N;
            worst =
                fabs((double)(f - g)) > (double)worst ? (margin_real)fabs((double)(f - g)) : worst;
        }
        ASSERT_EQ(changed, info.changed);
        ASSERT_IN_RANGE(worst, info.worst, 1e-5);
        ASSERT_IN_RANGE(sqrt((double)squares), info.rms, 1e-5);
        ASSERT(info.rms >= last);
        last = info.rms;
    }
    PASS();
}

TEST one_vector_of_a_single_bump_is_the_best_one(void) {
    /* by hand: f = 2 k(a, .) with a second vector that has no coefficient */
    static const margin_real v[4] = {5, 5, 1, 2}, norms[2] = {50, 5}, coef[2] = {0, 2},
                             bias[1] = {1};
    static const uint32_t ends[2] = {1, 2}, alone[2] = {1, 1};
    margin_compress_info info;
    margin_model model, small;
    margin_arena mem = margin_arena_make(t.bytes, sizeof t.bytes);
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_EXPANSION;
    model.of.expansion.vectors = v;
    model.of.expansion.norms = norms;
    model.of.expansion.coef = coef;
    model.of.expansion.bias = bias;
    model.of.expansion.class_end = ends;
    model.of.expansion.n = 2;
    model.of.expansion.d = 2;
    model.of.expansion.width = 1;
    model.of.expansion.vote.classes = 2;
    ASSERT_EQ(MARGIN_OK, margin_kernel_resolve(NULL, 2, &model.of.expansion.kernel));
    model.of.expansion.kernel.kind = MARGIN_KERNEL_RBF;
    ASSERT_EQ(MARGIN_OK, margin_compress(&model, NULL, 2, 0, &mem, &small, &info));
    ASSERT_EQ(1u, info.vectors);
    ASSERT_EQ(0u, small.of.expansion.class_end[0]);
    ASSERT_EQ(1u, small.of.expansion.class_end[1]);
    ASSERT_EQ(1, small.of.expansion.vectors[0]);
    ASSERT_IN_RANGE(2, small.of.expansion.coef[0], 1e-4);
    ASSERT_EQ(1, small.of.expansion.bias[0]);
    model.of.expansion.coef = bias + 0; /* one coefficient, for vector 0 alone */
    model.of.expansion.class_end = alone;
    model.of.expansion.n = 1;
    ASSERT_EQ(MARGIN_OK, margin_compress(&model, NULL, 9, 0, &mem, &small, &info));
    ASSERT_EQ(1u, info.vectors);
    PASS();
}

/* ---- the choice of vectors, against the definition -------------------------------------------------- */

enum { POOL = 9, MOST = 4 };

static double bump(const margin_real *a, const margin_real *b) {
    const double u = (double)a[0] - (double)b[0], v = (double)a[1] - (double)b[1];
    return exp(-0.5 * (u * u + v * v));
}

/* How much of f = sum coef k(v, .) lies in the span of the vectors of a set: b' K^-1 b for b = f at these vectors, by
 * elimination without pivots (K is positive definite). */
static double within(const margin_real *v, const margin_real *coef, const size_t *set,
                     size_t count) {
    double k[MOST][MOST + 1], sum = 0;
    for (size_t i = 0; i < count; i++) {
        k[i][count] = 0;
        for (size_t p = 0; p < POOL; p++) {
            k[i][count] += (double)coef[p] * bump(v + 2 * set[i], v + 2 * p);
        }
        for (size_t j = 0; j < count; j++) { k[i][j] = bump(v + 2 * set[i], v + 2 * set[j]); }
    }
    for (size_t i = 0; i < count; i++) {
        sum += k[i][count] * k[i][count] / k[i][i];
        for (size_t r = i + 1; r < count; r++) {
            const double ratio = k[r][i] / k[i][i];
            for (size_t j = i; j <= count; j++) { k[r][j] -= ratio * k[i][j]; }
        }
    }
    return sum;
}

/* Of random expansions each vector that is taken leaves the least of f outside the span. */
TEST each_vector_taken_is_the_one_that_leaves_the_least(void) {
    margin_rng rng = margin_rng_make(8);
    for (unsigned trial = 0; trial < 50u; trial++) {
        margin_real v[2 * POOL], norms[POOL], coef[POOL];
        const margin_real bias[1] = {0};
        const uint32_t ends[2] = {POOL / 2, POOL};
        size_t set[MOST];
        margin_model model, small;
        margin_arena mem = margin_arena_make(t.bytes, sizeof t.bytes);
        for (size_t p = 0; p < POOL; p++) {
            v[2 * p] = margin_rng_normal(&rng);
            v[2 * p + 1] = margin_rng_normal(&rng);
            norms[p] = v[2 * p] * v[2 * p] + v[2 * p + 1] * v[2 * p + 1];
            coef[p] = margin_rng_normal(&rng);
        }
        memset(&model, 0, sizeof model);
        model.kind = MARGIN_MODEL_EXPANSION;
        model.of.expansion.vectors = v;
        model.of.expansion.norms = norms;
        model.of.expansion.coef = coef;
        model.of.expansion.bias = bias;
        model.of.expansion.class_end = ends;
        model.of.expansion.n = POOL;
        model.of.expansion.d = 2;
        model.of.expansion.width = 1;
        model.of.expansion.vote.classes = 2;
        ASSERT_EQ(MARGIN_OK, margin_kernel_resolve(NULL, 2, &model.of.expansion.kernel));
        model.of.expansion.kernel.kind = MARGIN_KERNEL_RBF;
        model.of.expansion.kernel.gamma = (margin_real)0.5;
        for (size_t count = 0; count < MOST; count++) { /* one more each time */
            double best = -1, next = -1;
            size_t chosen = 0;
            for (size_t p = 0; p < POOL; p++) {
                bool taken = false;
                for (size_t i = 0; i < count; i++) { taken = taken || set[i] == p; }
                set[count] = p;
                const double gain = taken ? -1 : within(v, coef, set, count + 1);
                next = gain > best ? best : gain > next ? gain : next;
                chosen = gain > best ? p : chosen;
                best = gain > best ? gain : best;
            }
            set[count] = chosen;
            ASSERT_EQ(MARGIN_OK, margin_compress(&model, NULL, count + 1, 0, &mem, &small, NULL));
            ASSERT_EQ(count + 1, small.of.expansion.n);
            bool found = false;
            for (size_t i = 0; i <= count; i++) {
                found = found || memcmp(small.of.expansion.vectors + 2 * i, v + 2 * chosen,
                                        2 * sizeof v[0]) == 0;
            }
            ASSERT(found ||
                   best - next < 1e-4 * best); /* two that are equally good but for rounding */
            if (!found) { break; }
        }
    }
    PASS();
}

static margin_status run(margin_arena *mem, void *user) {
    margin_model small;
    return margin_compress(&t.model, NULL, *(size_t *)user, 0, mem, &small, NULL);
}

static margin_real coefficients(const margin_model *model) {
    margin_real sum = 0;
    for (size_t v = 0; v < model->of.expansion.n; v++) {
        sum += model->of.expansion.coef[v] * model->of.expansion.coef[v];
    }
    return sum;
}

TEST the_more_noise_the_smaller_the_coefficients(void) {
    static const double noises[4] = {0, 3e-3, 3e-2, 0.3};
    margin_real last = 0, changes = 0;
    train(2, 0, (margin_real)0.9);
    for (size_t i = 0; i < 4; i++) {
        margin_compress_info info;
        margin_model small;
        margin_arena mem = t.mem;
        ASSERT_EQ(MARGIN_OK, margin_compress(&t.model, &t.data, 20, (margin_real)noises[i], &mem,
                                             &small, &info));
        ASSERT(i == 0 || coefficients(&small) < last);
        ASSERT(info.rms >= changes);
        last = coefficients(&small);
        changes = info.rms;
    }
    PASS();
}

TEST kernels_so_wide_that_vectors_look_alike_are_fitted_too(void) {
    /* the matrix of the normal equations has a condition far beyond 1 / EPS */
    margin_compress_info info;
    margin_model small;
    train(2, 0, (margin_real)0.9);
    t.model.of.expansion.kernel.gamma = (margin_real)1e-3;
    for (size_t vectors = 1; vectors <= N; vectors++) {
        margin_arena mem = t.mem;
        ASSERT_EQ(MARGIN_OK, margin_compress(&t.model, &t.data, vectors, 0, &mem, &small, &info));
        ASSERT(info.vectors >= 1 && info.vectors <= vectors);
        ASSERT(vectors < 20 || info.rms < (margin_real)0.01);
    }
    PASS();
}

TEST compression_takes_what_its_query_says(void) {
    size_t vectors = N; /* more than the model has after merging: less is kept than was planned */
    train(3, MARGIN_SCHEME_ONE_REST, (margin_real)0.9);
    vectors = 4;
    CHECK_CALL(arena_sweep(run, &vectors, margin_compress_size(&t.model, vectors), NULL, 0));
    PASS();
}

TEST nonsense_is_refused(void) {
    margin_model linear, small;
    margin_data narrow;
    memset(&linear, 0, sizeof linear);
    linear.kind = MARGIN_MODEL_LINEAR;
    train(2, 0, (margin_real)0.9);
    narrow = t.data;
    narrow.d = 1;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_compress(NULL, NULL, 3, 0, &t.mem, &small, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_compress(&linear, NULL, 3, 0, &t.mem, &small, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_compress(&t.model, NULL, 0, 0, &t.mem, &small, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_compress(&t.model, NULL, 3, 0, NULL, &small, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_compress(&t.model, NULL, 3, 0, &t.mem, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_compress(&t.model, &narrow, 3, 0, &t.mem, &small, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_compress(&t.model, NULL, 3, -1, &t.mem, &small, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_compress(&t.model, NULL, 3, 2, &t.mem, &small, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_compress(&t.model, NULL, 3, (margin_real)NAN, &t.mem, &small, NULL));
    narrow.d = D;
    narrow.n = 0;
    ASSERT_EQ(MARGIN_E_EMPTY, margin_compress(&t.model, &narrow, 3, 0, &t.mem, &small, NULL));
    ASSERT_EQ(0u, margin_compress_size(&linear, 3));
    ASSERT_EQ(0u, margin_compress_size(&t.model, 0));
    PASS();
}

SUITE(compress_suite) {
    RUN_TEST(copies_of_vectors_are_merged_without_changing_a_score);
    RUN_TEST(fewer_vectors_cost_more_and_the_report_says_how_much);
    RUN_TEST(each_vector_taken_is_the_one_that_leaves_the_least);
    RUN_TEST(one_vector_of_a_single_bump_is_the_best_one);
    RUN_TEST(the_more_noise_the_smaller_the_coefficients);
    RUN_TEST(kernels_so_wide_that_vectors_look_alike_are_fitted_too);
    RUN_TEST(compression_takes_what_its_query_says);
    RUN_TEST(nonsense_is_refused);
}
