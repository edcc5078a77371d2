/* Maximal average margin: batch, on-line, certainty. What is expected comes from hand calculation or
 * from the naive long double forms below. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena_sweep.h"
#include "asserts.h"
#include "margin.h"

#ifdef MARGIN_REAL_DOUBLE
#define EPS 2.220446049250313e-16
#else
#define EPS 1.1920928955078125e-7
#endif

/* ---- helpers ------------------------------------------------------------------------------------ */

static uint64_t seed;

static uint32_t draw(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}

static size_t below(size_t n) {
    return draw() % n;
}

static double uniform(void) {
    return (double)draw() / 2147483648.0 - 1.0;
}

/* A random problem with every freedom that a view has: gaps, an index list, weights. */
typedef struct {
    margin_real *x, *weight;
    uint16_t *y;
    margin_index *rows;
    margin_data data;
    size_t classes;
} problem;

enum { GAPS = 1, LISTED = 2, WEIGHTED = 4 };

static problem problem_make(size_t n, size_t d, size_t classes, unsigned how, double scale) {
    problem p;
    const size_t total = n + 2u, stride = d + (how & GAPS ? 3u : 0u);
    p.x = (margin_real *)malloc(total * stride * sizeof *p.x);
    p.weight = (margin_real *)malloc(total * sizeof *p.weight);
    p.y = (uint16_t *)malloc(total * sizeof *p.y);
    p.rows = (margin_index *)malloc(n * sizeof *p.rows);
    p.classes = classes;
    for (size_t i = 0; i < total; i++) {
        p.y[i] = (uint16_t)(i < 2u * classes ? i % classes : below(classes));
        p.weight[i] = (margin_real)(i >= 2u * classes && below(6) == 0 ? 0 : 1 + below(5) * 0.25);
        for (size_t j = 0; j < stride; j++) {
            const double centre = j % classes == p.y[i] ? 1.5 : 0.25;
            p.x[i * stride + j] = (margin_real)(scale * (uniform() + centre));
        }
    }
    for (size_t i = 0; i < n; i++) { /* the first rows, so that no class is lost; some twice */
        p.rows[i] = (margin_index)(i < 2u * classes ? i : below(total));
    }
    memset(&p.data, 0, sizeof p.data);
    p.data.x = p.x;
    p.data.n = n;
    p.data.d = d;
    p.data.y = p.y;
    p.data.stride = how & GAPS ? stride : 0;
    p.data.rows = how & LISTED ? p.rows : NULL;
    p.data.weight = how & WEIGHTED ? p.weight : NULL;
    return p;
}

static void problem_free(problem *p) {
    free(p->x), free(p->weight), free(p->y), free(p->rows);
}

static size_t row_of(const margin_data *data, size_t i) {
    return data->rows == NULL ? i : data->rows[i];
}

static const margin_real *sample(const margin_data *data, size_t i) {
    return data->x + row_of(data, i) * (data->stride == 0 ? data->d : data->stride);
}

static size_t label(const margin_data *data, size_t i) {
    return data->y[row_of(data, i)];
}

static double weight(const margin_data *data, size_t i) {
    return data->weight == NULL ? 1 : (double)data->weight[row_of(data, i)];
}

static margin_mam_options options_of(unsigned kind, bool intercept, bool balanced,
                                     unsigned scheme) {
    margin_mam_options o;
    memset(&o, 0, sizeof o);
    o.kernel.kind = (uint8_t)kind;
    o.kernel.gamma = (margin_real)0.5;
    o.kernel.coef0 = (margin_real)(kind == MARGIN_KERNEL_POLY ? 1 : 0);
    o.kernel.degree = 2;
    o.intercept = intercept;
    o.balanced = balanced;
    o.scheme = (uint8_t)scheme;
    return o;
}

/* The kernels once more, in long double and by their definitions. */
static long double kernel(const margin_kernel *k, const margin_real *x, const margin_real *z,
                          size_t d) {
    long double xz = 0, xx = 0, zz = 0, t;
    for (size_t j = 0; j < d; j++) {
        xz += (long double)x[j] * z[j];
        xx += (long double)x[j] * x[j];
        zz += (long double)z[j] * z[j];
    }
    t = (1 + (xx > 0 && zz > 0 ? xz / sqrtl(xx * zz) : 0)) / 2;
    switch (k->kind) {
    case MARGIN_KERNEL_POLY:
        return powl((long double)k->gamma * xz + k->coef0, k->degree);
    case MARGIN_KERNEL_RBF:
        return expl(-(long double)k->gamma * (xx + zz - 2 * xz));
    case MARGIN_KERNEL_UNIT_POLY:
        return powl(t, 2);
    case MARGIN_KERNEL_UNIT_EXP:
        return powl(2, t) - 1;
    default:
        return xz;
    }
}

/* One machine by the definition: class b against a, or against the rest if a = b. */
typedef struct {
    long double lambda, bias;
    long double *c; /* coefficients of all samples */
} naive;

static naive naive_make(const margin_data *data, const margin_mam_options *o, size_t a, size_t b) {
    naive m;
    long double total[2] = {0, 0}, square = 0, mean[2] = {0, 0};
    m.c = (long double *)calloc(data->n, sizeof *m.c);
    for (size_t i = 0; i < data->n; i++) {
        const size_t y = label(data, i);
        total[y == b] += y == b || y == a || a == b ? weight(data, i) : 0;
    }
    for (size_t i = 0; i < data->n; i++) {
        const size_t y = label(data, i);
        if (y == b || y == a || a == b) {
            const long double all = o->balanced ? 2 * total[y == b] : total[0] + total[1];
            m.c[i] = (y == b ? 1 : -1) * weight(data, i) / all;
        }
    }
    for (size_t i = 0; i < data->n; i++) {
        long double f = 0;
        for (size_t j = 0; m.c[i] != 0 && j < data->n; j++) {
            f += m.c[j] * kernel(&o->kernel, sample(data, i), sample(data, j), data->d);
        }
        square += m.c[i] * f;
        mean[m.c[i] > 0] += m.c[i] != 0 ? weight(data, i) / total[m.c[i] > 0] * f : 0;
    }
    m.lambda = sqrtl(square);
    m.bias = o->intercept ? -(mean[0] + mean[1]) / 2 / m.lambda : 0;
    return m;
}

static long double naive_score(const naive *m, const margin_data *data, const margin_mam_options *o,
                               const margin_real *x) {
    long double f = 0;
    for (size_t j = 0; j < data->n; j++) {
        f += m->c[j] == 0 ? 0 : m->c[j] * kernel(&o->kernel, sample(data, j), x, data->d);
    }
    return f / m->lambda + m->bias;
}

/* A trained model with the memory it lies in. */
typedef struct {
    void *bytes;
    margin_model model;
    margin_info info;
    margin_status status;
    margin_arena mem;
} trained;

static trained train(const margin_data *data, size_t classes, const margin_mam_options *o) {
    trained t;
    const size_t size = margin_mam_train_size(data->n, data->d, classes, o);
    t.bytes = malloc(size + MARGIN_ALIGN);
    t.mem = margin_arena_make(t.bytes, size + MARGIN_ALIGN - 1u);
    memset(&t.info, 0x55, sizeof t.info);
    memset(&t.model, 0x55, sizeof t.model);
    t.status = margin_mam_train(data, o, &t.mem, &t.model, &t.info);
    return t;
}

static int by_value(const void *a, const void *b) {
    const margin_real x = *(const margin_real *)a, y = *(const margin_real *)b;
    return (x > y) - (x < y);
}

/* ---- worked by hand ------------------------------------------------------------------------------ */

TEST two_points_on_a_line(void) {
    static const margin_real x[] = {-1, 1}, probe[] = {(margin_real)0.25};
    static const uint16_t y[] = {0, 1};
    const margin_data data = {x, 2, 1, 0, y, NULL, NULL};
    trained t = train(&data, 2, NULL);
    margin_real score;
    ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
    margin_scores(&t.model, probe, &score);
    ASSERT_EQ_FMT(0.25, (double)score, "%g"); /* w = 1 */
    ASSERT_EQ_FMT(1.0, (double)t.info.objective, "%g");
    ASSERT_EQ_FMT(1.0, (double)t.info.margin_min, "%g");
    ASSERT_EQ_FMT(1.0, (double)t.info.margin_mean, "%g");
    ASSERT_EQ_FMT((size_t)2, t.info.support, "%zu");
    ASSERT_EQ_FMT(0.0, (double)t.info.bias, "%g");
    ASSERT(t.info.converged);
    ASSERT_EQ_FMT(margin_mam_train_size(2, 1, 2, NULL), t.info.arena_peak, "%zu");
    free(t.bytes);
    PASS();
}

/* Class 1: (3,0), (3,2); class 0: (-1,0). Sums (6,2) and (-1,0): w ~ (7,2), lambda = sqrt(53)/3. Means
 * (3,1) and (-1,0): balanced w ~ (4,1), lambda = sqrt(17)/2, middle (1, 1/2). */
TEST three_points_plain_and_balanced(void) {
    static const margin_real x[] = {3, 0, -1, 0, 3, 2};
    static const uint16_t y[] = {1, 0, 1};
    const margin_data data = {x, 3, 2, 0, y, NULL, NULL};
    margin_mam_options both = options_of(MARGIN_KERNEL_LINEAR, true, true, 0);
    trained plain = train(&data, 2, NULL), fair = train(&data, 2, &both);
    ASSERT_EQ_FMT(MARGIN_OK, plain.status, "%d");
    ASSERT_EQ_FMT(MARGIN_MODEL_LINEAR, (int)plain.model.kind, "%d");
    ASSERT_IN_RANGE(7 / sqrt(53), (double)plain.model.of.linear.w[0], EPS);
    ASSERT_IN_RANGE(2 / sqrt(53), (double)plain.model.of.linear.w[1], EPS);
    ASSERT_EQ_FMT(0.0, (double)plain.model.of.linear.bias[0], "%g");
    ASSERT_IN_RANGE(sqrt(53) / 3, (double)plain.info.objective, 4 * EPS);
    ASSERT_IN_RANGE(7 / sqrt(53), (double)plain.info.margin_min, 4 * EPS); /* of (-1, 0) */
    ASSERT_EQ_FMT(MARGIN_OK, fair.status, "%d");
    ASSERT_IN_RANGE(4 / sqrt(17), (double)fair.model.of.linear.w[0], EPS);
    ASSERT_IN_RANGE(1 / sqrt(17), (double)fair.model.of.linear.w[1], EPS);
    ASSERT_IN_RANGE(-4.5 / sqrt(17), (double)fair.model.of.linear.bias[0], 4 * EPS);
    ASSERT_IN_RANGE(sqrt(17) / 2, (double)fair.info.objective, 4 * EPS);
    ASSERT_EQ_FMT((double)fair.model.of.linear.bias[0], (double)fair.info.bias, "%g");
    free(plain.bytes), free(fair.bytes);
    PASS();
}

/* k(x, z) = (x z + 1)^2 at 1 and -1: K = (4 0; 0 4), y'Ky = 8, lambda = sqrt(8)/2 = sqrt(2), and
 * f(x) = ((x+1)^2 - (x-1)^2) / sqrt(8) = sqrt(2) x. */
TEST a_square_kernel_on_two_points(void) {
    static const margin_real x[] = {-1, 1}, probe[] = {3};
    static const uint16_t y[] = {0, 1};
    const margin_data data = {x, 2, 1, 0, y, NULL, NULL};
    margin_mam_options o = options_of(MARGIN_KERNEL_POLY, false, false, 0);
    margin_real score;
    trained t;
    o.kernel.gamma = 1;
    t = train(&data, 2, &o);
    ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
    ASSERT_EQ_FMT(MARGIN_MODEL_EXPANSION, (int)t.model.kind, "%d");
    margin_scores(&t.model, probe, &score);
    ASSERT_IN_RANGE(3 * sqrt(2), (double)score, 16 * EPS);
    ASSERT_IN_RANGE(sqrt(2), (double)t.info.objective, 2 * EPS);
    ASSERT_IN_RANGE(sqrt(2), (double)t.info.margin_min, 4 * EPS);
    ASSERT_EQ_FMT((size_t)2, t.info.support, "%zu");
    free(t.bytes);
    PASS();
}

/* Means 0, 4 and (0, 3) apart: one-one machines are the three differences of means. */
TEST three_classes_are_told_apart_by_pairs(void) {
    static const margin_real x[] = {0, 0, 4, 0, 0, 3};
    static const uint16_t y[] = {0, 1, 2};
    static const double w[] = {1, 0, 0, 1, -0.8, 0.6}, bias[] = {-2, -1.5, 0.7};
    const margin_data data = {x, 3, 2, 0, y, NULL, NULL};
    margin_mam_options o = options_of(MARGIN_KERNEL_LINEAR, true, true, 0);
    trained t = train(&data, 3, &o);
    ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
    for (size_t j = 0; j < 6; j++) {
        ASSERT_IN_RANGE(w[j], (double)t.model.of.linear.w[j], 2 * EPS);
    }
    for (size_t j = 0; j < 3; j++) {
        ASSERT_IN_RANGE(bias[j], (double)t.model.of.linear.bias[j], 8 * EPS);
    }
    ASSERT_IN_RANGE(2 + 1.5 + 2.5, (double)t.info.objective, 8 * EPS); /* summed over machines */
    for (uint16_t c = 0; c < 3; c++) {
        margin_real scores[3];
        ASSERT_EQ_FMT(c, margin_classify(&t.model, x + c * 2u, scores), "%u");
    }
    free(t.bytes);
    PASS();
}

TEST a_weight_counts_like_copies_of_the_sample(void) {
    static const margin_real x[] = {1, 2, -2, 1, 0, -1, 3, 1}, w[] = {3, 2, 1, 0};
    static const margin_index rows[] = {0, 0, 0, 1, 1, 2};
    static const uint16_t y[] = {1, 0, 0, 1};
    const margin_data weighted = {x, 4, 2, 0, y, w, NULL}, copies = {x, 6, 2, 0, y, NULL, rows};
    for (unsigned k = 0; k < 8; k++) {
        margin_mam_options o =
            options_of(k & 4 ? MARGIN_KERNEL_RBF : 0, (k & 1) != 0, (k & 2) != 0, 0);
        trained a = train(&weighted, 2, &o), b = train(&copies, 2, &o);
        ASSERT_EQ_FMT(MARGIN_OK, a.status, "%d");
        ASSERT_EQ_FMT(MARGIN_OK, b.status, "%d");
        ASSERT_IN_RANGE((double)b.info.objective, (double)a.info.objective, 8 * EPS);
        for (size_t i = 0; i < 4; i++) {
            margin_real s, t;
            margin_scores(&a.model, x + 2 * i, &s);
            margin_scores(&b.model, x + 2 * i, &t);
            ASSERT_IN_RANGE((double)t, (double)s, 32 * EPS);
        }
        ASSERT_EQ_FMT((size_t)3, a.info.support, "%zu"); /* the sample of weight 0 is none */
        free(a.bytes), free(b.bytes);
    }
    PASS();
}

/* ---- against the definition ---------------------------------------------------------------------- */

static enum greatest_test_res same_as_naive(const problem *p, const margin_mam_options *o) {
    const margin_data *data = &p->data;
    const bool rest = o->scheme == MARGIN_SCHEME_ONE_REST && p->classes > 2u;
    trained t = train(data, p->classes, o);
    margin_real scores[64];
    long double objective = 0;
    size_t a = 0, b = 1;
    if (t.status == MARGIN_E_NO_DIRECTION) { /* unit kernels see no difference on a line */
        const naive m = naive_make(data, o, 0, rest ? 0 : 1);
        ASSERT(!(m.lambda * m.lambda > 200 * EPS));
        free(m.c), free(t.bytes);
        PASS();
    }
    ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
    for (size_t j = 0; j < margin_machines(margin_model_vote(&t.model)->scheme, p->classes); j++) {
        naive m;
        long double tolerance;
        if (rest) { a = b = j; }
        m = naive_make(data, o, a, b);
        for (size_t i = 0; i < data->n; i++) {
            const margin_real *x = sample(data, i);
            /* errors of kernel values, which are relative to the longest, are divided by lambda */
            tolerance = 400 * EPS * (1 + fabsl(kernel(&o->kernel, x, x, data->d)) / m.lambda);
            margin_scores(&t.model, x, scores);
            ASSERT_IN_RANGE((double)naive_score(&m, data, o, x), (double)scores[j],
                            (double)tolerance);
        }
        if (j == 0) {
            ASSERT_IN_RANGE((double)m.bias, (double)t.info.bias,
                            400 * EPS * (1 + fabs((double)m.bias)));
        }
        objective += m.lambda;
        free(m.c);
        if (++b == p->classes) { b = ++a + 1u; }
    }
    ASSERT_IN_RANGE(1.0, (double)(t.info.objective / objective), 400 * EPS);
    ASSERT_EQ_FMT(margin_mam_train_size(data->n, data->d, p->classes, o), t.info.arena_peak, "%zu");
    free(t.bytes);
    PASS();
}

TEST every_form_agrees_with_the_definition_on_random_problems(void) {
    seed = 1;
    for (unsigned round = 0; round < 400; round++) {
        const size_t classes = 2u + (round % 3u == 0 ? below(3) : 0);
        const size_t n = 2u * classes + below(round % 40 == 0 ? 60 : 12), d = 1u + below(20);
        problem p = problem_make(n, d, classes, (unsigned)below(8), 1);
        margin_mam_options o =
            options_of(round % 5u, round / 5 % 2 != 0, round / 10 % 2 != 0,
                       below(2) == 0 ? MARGIN_SCHEME_ONE_REST : MARGIN_SCHEME_BINARY);
        CHECK_CALL(same_as_naive(&p, &o));
        problem_free(&p);
    }
    PASS();
}

TEST features_of_a_millionth_and_of_a_million(void) {
    seed = 2;
    for (unsigned round = 0; round < 40; round++) {
        problem p = problem_make(10, 3, 2, (unsigned)below(8), round % 2 == 0 ? 1e-6 : 1e6);
        margin_mam_options o = options_of(MARGIN_KERNEL_LINEAR, round / 2 % 2 != 0, true, 0);
        CHECK_CALL(same_as_naive(&p, &o));
        problem_free(&p);
    }
    PASS();
}

/* A polynomial of degree one is the linear kernel, by the other way through the code. */
TEST the_kernel_form_of_a_linear_machine_is_the_same_machine(void) {
    seed = 3;
    for (unsigned round = 0; round < 60; round++) {
        const size_t classes = 2u + below(3), n = 8 + below(50), d = 4 + below(9);
        problem p = problem_make(n, d, classes, (unsigned)below(8), 1);
        margin_mam_options lean =
            options_of(0, round % 2 == 0, round % 3 == 0,
                       below(2) == 0 ? MARGIN_SCHEME_ONE_REST : MARGIN_SCHEME_BINARY);
        margin_mam_options full = lean;
        trained a, b;
        full.kernel.kind = MARGIN_KERNEL_POLY;
        full.kernel.degree = 1;
        full.kernel.gamma = 1;
        full.kernel.coef0 = 0;
        a = train(&p.data, classes, &lean);
        b = train(&p.data, classes, &full);
        ASSERT_EQ_FMT(MARGIN_OK, a.status, "%d");
        ASSERT_EQ_FMT(MARGIN_OK, b.status, "%d");
        ASSERT_IN_RANGE((double)b.info.objective, (double)a.info.objective, 200 * EPS);
        ASSERT_IN_RANGE((double)b.info.margin_mean, (double)a.info.margin_mean, 400 * EPS);
        ASSERT_IN_RANGE((double)b.info.margin_min, (double)a.info.margin_min, 400 * EPS);
        for (size_t k = 0; k < 5; k++) {
            ASSERT_IN_RANGE((double)b.info.margin_quantile[k], (double)a.info.margin_quantile[k],
                            400 * EPS);
        }
        ASSERT_EQ_FMT(b.info.support, a.info.support, "%zu");
        free(a.bytes), free(b.bytes);
        problem_free(&p);
    }
    PASS();
}

TEST balanced_with_intercept_is_kmomd_at_lambda_one(void) {
    seed = 4;
    for (unsigned round = 0; round < 50; round++) {
        const size_t classes = 2u + below(3), n = 8 + below(30), d = 1 + below(9);
        problem p = problem_make(n, d, classes, (unsigned)below(4), 1);
        margin_mam_options o = options_of(round % 5, true, true, 0);
        margin_kmomd_options k;
        trained a = train(&p.data, classes, &o);
        size_t size;
        void *bytes;
        margin_arena mem;
        margin_model model;
        memset(&k, 0, sizeof k);
        k.kernel = o.kernel;
        k.lambda = 1;
        size = margin_kmomd_train_size(n, d, classes, &k);
        bytes = malloc(size + MARGIN_ALIGN);
        mem = margin_arena_make(bytes, size + MARGIN_ALIGN);
        ASSERT_EQ_FMT(MARGIN_OK, a.status, "%d");
        ASSERT_EQ_FMT(MARGIN_OK, margin_kmomd_train(&p.data, &k, &mem, &model, NULL, NULL), "%d");
        for (size_t i = 0; i < n; i++) {
            margin_real s[6], t[6];
            margin_scores(&a.model, sample(&p.data, i), s);
            margin_scores(&model, sample(&p.data, i), t);
            for (size_t j = 0; j < classes * (classes - 1u) / 2u; j++) {
                ASSERT_IN_RANGE((double)t[j], (double)s[j], 2000 * EPS * (1 + fabs((double)t[j])));
            }
        }
        free(a.bytes), free(bytes);
        problem_free(&p);
    }
    PASS();
}

TEST the_report_has_the_margins_of_the_training_samples(void) {
    static const unsigned percent[] = {5, 25, 50, 75, 95};
    seed = 5;
    for (unsigned round = 0; round < 60; round++) {
        const size_t classes = 2u + below(3), n = 2 * classes + below(round % 10 == 0 ? 900 : 30);
        const size_t d = 2 + below(4);
        problem p = problem_make(n, d, classes, (unsigned)below(8), 1);
        margin_mam_options o = options_of(round % 3 == 0 ? MARGIN_KERNEL_RBF : 0, true, false, 0);
        margin_real *margins = (margin_real *)malloc(n * sizeof *margins);
        size_t count = 0;
        long double mean = 0;
        trained t;
        if (round % 4 == 0) { /* many margins that are equal */
            for (size_t i = 0; i < (n + 2) * (p.data.stride == 0 ? p.data.d : p.data.stride); i++) {
                p.x[i] = (margin_real)floor((double)p.x[i] * 2);
            }
        }
        t = train(&p.data, classes, &o);
        ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
        for (size_t i = 0; i < n; i++) {
            margin_real scores[6];
            const margin_vote *vote = margin_model_vote(&t.model);
            margin_scores(&t.model, sample(&p.data, i), scores);
            if (weight(&p.data, i) > 0) {
                margins[count] = margin_margin(vote->scheme, classes, scores, label(&p.data, i));
                mean += margins[count++];
            }
        }
        qsort(margins, count, sizeof *margins, by_value);
        ASSERT_EQ_FMT(count, t.info.support, "%zu");
        ASSERT_IN_RANGE((double)(mean / count), (double)t.info.margin_mean, 200 * EPS);
        ASSERT_IN_RANGE((double)margins[0], (double)t.info.margin_min, 200 * EPS);
        for (size_t k = 0; k < 5; k++) {
            ASSERT_IN_RANGE((double)margins[(count - 1) * percent[k] / 100],
                            (double)t.info.margin_quantile[k], o.kernel.kind == 0 ? 0 : 200 * EPS);
        }
        free(margins), free(t.bytes);
        problem_free(&p);
    }
    PASS();
}

/* ---- on-line ------------------------------------------------------------------------------------- */

typedef struct {
    void *bytes;
    margin_mam_online on;
} online;

static online online_make(size_t d, size_t classes, const margin_mam_options *o) {
    online s;
    const size_t size = margin_mam_online_start_size(d, classes, o);
    margin_arena mem;
    s.bytes = calloc(size + MARGIN_ALIGN, 1); /* padding is compared too */
    mem = margin_arena_make(s.bytes, size + MARGIN_ALIGN - 1u);
    if (margin_mam_online_start(&s.on, d, classes, o, &mem) != MARGIN_OK) { abort(); }
    return s;
}

TEST on_line_and_batch_have_the_same_bits(void) {
    seed = 6;
    for (unsigned round = 0; round < 120; round++) {
        const size_t classes = 2u + below(4), n = 2 * classes + below(120), d = 1 + below(20);
        problem p = problem_make(n, d, classes, (unsigned)below(8), round % 3 == 0 ? 1e-3 : 100);
        margin_mam_options o =
            options_of(0, round % 2 == 0, round % 4 < 2,
                       below(2) == 0 ? MARGIN_SCHEME_ONE_REST : MARGIN_SCHEME_BINARY);
        online s = online_make(d, classes, &o);
        trained t = train(&p.data, classes, &o);
        const size_t machines = s.on.machines;
        margin_linear model;
        for (size_t i = 0; i < n; i++) {
            ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, sample(&p.data, i), label(&p.data, i),
                                                       (margin_real)weight(&p.data, i)));
        }
        ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
        ASSERT_EQ_FMT(MARGIN_OK, margin_mam_online_model(&s.on, &model), "%d");
        ASSERT_EQ_FMT(t.model.of.linear.d, model.d, "%zu");
        ASSERT_EQ_FMT(t.model.of.linear.vote.classes, model.vote.classes, "%u");
        ASSERT_EQ_FMT(t.model.of.linear.vote.scheme, model.vote.scheme, "%u");
        ASSERT_MEM_EQ(t.model.of.linear.w, model.w, machines * d * sizeof(margin_real));
        ASSERT_MEM_EQ(t.model.of.linear.bias, model.bias, machines * sizeof(margin_real));
        free(s.bytes), free(t.bytes);
        problem_free(&p);
    }
    PASS();
}

TEST forgetting_the_last_samples_of_a_class_leaves_no_trace(void) {
    static const margin_real a[] = {1, 2}, b[] = {(margin_real)0.1, (margin_real)1e7},
                             c[] = {-1, 0};
    online s = online_make(2, 2, NULL);
    margin_linear model;
    ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, b, 1, (margin_real)0.3));
    ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, c, 0, 1));
    ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, a, 1, 1));
    ASSERT_EQ(MARGIN_OK, margin_mam_online_forget(&s.on, b, 1, (margin_real)0.3));
    ASSERT_EQ(MARGIN_OK, margin_mam_online_forget(&s.on, a, 1, 1));
    ASSERT_EQ_FMT(MARGIN_E_ONE_CLASS, margin_mam_online_model(&s.on, &model), "%d");
    ASSERT_EQ_FMT(MARGIN_E_EMPTY, margin_mam_online_forget(&s.on, a, 1, 1), "%d");
    ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, a, 1, 1));
    ASSERT_EQ(MARGIN_OK, margin_mam_online_model(&s.on, &model));
    ASSERT_IN_RANGE(sqrt(0.5), (double)model.w[0], EPS);
    ASSERT_IN_RANGE(sqrt(0.5), (double)model.w[1], EPS);
    free(s.bytes);
    PASS();
}

/* A window of 50 samples slides over a million operations; what is left of all that was forgotten is
 * at most N EPS^2 of the largest sum, N = 1e6, times 2.4. */
TEST a_million_updates_leave_the_sums_of_the_window(void) {
    enum { WINDOW = 50, D = 3, STEPS = 500000 };
    static margin_real x[WINDOW][D], w[WINDOW];
    static uint16_t y[WINDOW];
    margin_mam_options o = options_of(0, true, true, 0);
    online s = online_make(D, 2, &o), fresh = online_make(D, 2, &o);
    margin_linear moved, direct;
    double largest = 0;
    seed = 7;
    for (size_t k = 0; k < STEPS + WINDOW; k++) {
        const size_t at = k % WINDOW;
        if (k >= WINDOW) {
            ASSERT_EQ(MARGIN_OK, margin_mam_online_forget(&s.on, x[at], y[at], w[at]));
        }
        y[at] = (uint16_t)(k % 2);
        w[at] = (margin_real)(1 + uniform() / 2);
        for (size_t j = 0; j < D; j++) { x[at][j] = (margin_real)(uniform() + y[at]); }
        ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, x[at], y[at], w[at]));
        for (size_t j = 0; j < 2 * (D + 2u); j++) {
            largest = fmax(largest, fabs((double)s.on.sum[j]));
        }
    }
    for (size_t k = STEPS + WINDOW; k < STEPS + 2 * WINDOW; k++) {
        const size_t at = k % WINDOW;
        ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&fresh.on, x[at], y[at], w[at]));
    }
    for (size_t j = 0; j < 2 * (D + 2u); j++) {
        const long double a = (long double)s.on.sum[j] + s.on.low[j];
        const long double b = (long double)fresh.on.sum[j] + fresh.on.low[j];
        ASSERT_IN_RANGE((double)b, (double)a, 2.4e6 * EPS * EPS * largest);
    }
    ASSERT_EQ(MARGIN_OK, margin_mam_online_model(&s.on, &moved));
    ASSERT_EQ(MARGIN_OK, margin_mam_online_model(&fresh.on, &direct));
    for (size_t j = 0; j < D; j++) {
        ASSERT_IN_RANGE((double)direct.w[j], (double)moved.w[j], 4 * EPS);
    }
    ASSERT_IN_RANGE((double)direct.bias[0], (double)moved.bias[0], 4 * EPS);
    free(s.bytes), free(fresh.bytes);
    PASS();
}

/* The same samples added and forgotten in another order, all of them: sums of nothing. */
TEST a_hundred_thousand_samples_come_and_go(void) {
    enum { N = 100000, D = 2 };
    margin_real *x = (margin_real *)malloc((N + 1u) * D * sizeof *x);
    online s = online_make(D, 2, NULL);
    double largest = 0;
    seed = 8;
    for (size_t i = 0; i < N * D; i++) {
        x[i] = (margin_real)(uniform() * (i % 7 == 0 ? 1000 : 1));
    }
    x[N * D] = 1, x[N * D + 1] = 1; /* this one stays, so that the class does not begin anew */
    ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, x + N * D, 1, 1));
    for (size_t i = 0; i < N; i++) {
        ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, x + i * D, 1, (margin_real)0.7));
        largest = fmax(largest, fabs((double)s.on.sum[D + D]));
        largest = fmax(largest, fmax(fabs((double)s.on.sum[D + 2]), fabs((double)s.on.sum[D + 3])));
    }
    for (size_t i = N; i-- > 0;) {
        const size_t at = (i * 7919u) % N;
        ASSERT_EQ(MARGIN_OK, margin_mam_online_forget(&s.on, x + at * D, 1, (margin_real)0.7));
    }
    ASSERT_EQ_FMT((size_t)1, (size_t)s.on.count[1], "%zu");
    for (size_t j = 0; j < D; j++) {
        const double left = (double)s.on.sum[D + 2 + j] + (double)s.on.low[D + 2 + j];
        ASSERT_IN_RANGE(1.0, left, 2.4 * 2 * N * EPS * EPS * largest);
    }
    free(s.bytes), free(x);
    PASS();
}

/* Three quarters of the largest number, once. */
TEST a_sum_that_just_fits_is_added(void) {
    static const margin_real one[] = {1};
    const margin_real large = (margin_real)(sizeof large > 4 ? 1.3e308 : 2.5e38);
    online s = online_make(1, 2, NULL);
    ASSERT_EQ_FMT(MARGIN_OK, margin_mam_online_add(&s.on, one, 1, large), "%d");
    ASSERT_EQ_FMT(MARGIN_E_RANGE, margin_mam_online_add(&s.on, one, 1, large), "%d");
    free(s.bytes);
    PASS();
}

TEST a_failed_update_changes_nothing(void) {
    static const margin_real good[] = {1, 2}, nan_in[] = {1, (margin_real)NAN},
                             inf_in[] = {(margin_real)INFINITY, 0};
    margin_real big[] = {0, 0};
    online s = online_make(2, 2, NULL);
    unsigned char *before = (unsigned char *)malloc(margin_mam_online_start_size(2, 2, NULL));
    const size_t size = margin_mam_online_start_size(2, 2, NULL);
    margin_real huge = (margin_real)(sizeof huge > 4 ? 1e308 : 3e38);
    margin_linear model;
    big[0] = (margin_real)(sizeof huge > 4 ? 1e200 : 1e30);
    ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, good, 1, 1));
#ifdef HANDED_OUT_H
    __msan_unpoison(s.on.w, size); /* also what no model has been written to yet is compared */
#endif
    memcpy(before, s.on.w, size);
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_add(NULL, good, 1, 1), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_add(&s.on, NULL, 1, 1), "%d");
    ASSERT_EQ_FMT(MARGIN_E_LABEL, margin_mam_online_add(&s.on, good, 2, 1), "%d");
    ASSERT_EQ_FMT(MARGIN_E_LABEL, margin_mam_online_add(&s.on, good, 1, -1), "%d");
    ASSERT_EQ_FMT(MARGIN_E_LABEL, margin_mam_online_add(&s.on, good, 1, (margin_real)NAN), "%d");
    ASSERT_EQ_FMT(MARGIN_E_LABEL, margin_mam_online_add(&s.on, good, 1, (margin_real)INFINITY),
                  "%d");
    ASSERT_EQ_FMT(MARGIN_E_NOT_FINITE, margin_mam_online_add(&s.on, nan_in, 1, 1), "%d");
    ASSERT_EQ_FMT(MARGIN_E_NOT_FINITE, margin_mam_online_forget(&s.on, inf_in, 1, 1), "%d");
    ASSERT_EQ_FMT(MARGIN_E_RANGE, margin_mam_online_add(&s.on, big, 1, 1), "%d");
    ASSERT_EQ_FMT(MARGIN_E_RANGE, margin_mam_online_add(&s.on, good, 1, huge), "%d");
    ASSERT_EQ_FMT(MARGIN_E_EMPTY, margin_mam_online_forget(&s.on, good, 0, 1), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_model(NULL, &model), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_model(&s.on, NULL), "%d");
    ASSERT_EQ_FMT(MARGIN_OK, margin_mam_online_add(&s.on, good, 0, 0), "%d"); /* of no weight */
    ASSERT_EQ_FMT(MARGIN_OK, margin_mam_online_forget(&s.on, good, 0, 0), "%d");
    ASSERT_MEM_EQ(before, s.on.w, size);
    ASSERT_EQ_FMT(5.0, (double)s.on.longest, "%g");
    s.on.count[1] = MARGIN_INDEX_MAX;
    ASSERT_EQ_FMT(MARGIN_E_RANGE, margin_mam_online_add(&s.on, good, 1, 1), "%d");
    free(s.bytes), free(before);
    PASS();
}

/* Equal class means in a second step: the model of the first stays in place. */
TEST without_a_direction_the_last_model_stays(void) {
    static const margin_real a[] = {1, 0}, b[] = {-1, 0};
    online s = online_make(2, 2, NULL);
    margin_linear model;
    ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, a, 1, 1));
    ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, b, 0, 1));
    ASSERT_EQ(MARGIN_OK, margin_mam_online_model(&s.on, &model));
    ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, a, 0, 1));
    ASSERT_EQ(MARGIN_OK, margin_mam_online_add(&s.on, b, 1, 1));
    ASSERT_EQ_FMT(MARGIN_E_NO_DIRECTION, margin_mam_online_model(&s.on, &model), "%d");
    ASSERT_EQ_FMT(1.0, (double)model.w[0], "%g");
    free(s.bytes);
    PASS();
}

/* ---- statuses ------------------------------------------------------------------------------------ */

static margin_status status_of(const margin_data *data, const margin_mam_options *o) {
    static unsigned char bytes[20000];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    const margin_arena before = mem;
    margin_model model;
    margin_info info;
    margin_status status;
    unsigned char fill[sizeof model + sizeof info];
    memset(fill, 0x5A, sizeof fill);
    memcpy(&model, fill, sizeof model);
    memcpy(&info, fill, sizeof info);
    status = margin_mam_train(data, o, &mem, &model, &info);
    if (status < 0 &&
        (memcmp(&model, fill, sizeof model) != 0 || memcmp(&info, fill, sizeof info) != 0 ||
         mem.low != before.low || mem.high != before.high || mem.failed != 0)) {
        return (margin_status)-1000; /* touched its outputs */
    }
    return status;
}

TEST every_failure_has_its_status(void) {
    static margin_real x[] = {1, 2, -1, 0, 3, 1}, w[] = {1, 1, 1};
    static uint16_t y[] = {1, 0, 1};
    margin_data good = {x, 3, 2, 0, y, w, NULL}, bad;
    for (unsigned k = 0; k < 2; k++) {
        margin_mam_options o = options_of(k == 0 ? 0 : MARGIN_KERNEL_RBF, true, true, 0), wrong;
        unsigned char bytes[1000];
        margin_arena mem = margin_arena_make(bytes, sizeof bytes);
        margin_model model;
        ASSERT_EQ_FMT(MARGIN_OK, status_of(&good, &o), "%d");
        ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, status_of(NULL, &o), "%d");
        ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_train(&good, &o, NULL, &model, NULL), "%d");
        ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_train(&good, &o, &mem, NULL, NULL), "%d");
        bad = good, bad.y = NULL;
        ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, status_of(&bad, &o), "%d");
        bad = good, bad.stride = 1;
        ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, status_of(&bad, &o), "%d");
        bad = good, bad.n = 0;
        ASSERT_EQ_FMT(MARGIN_E_EMPTY, status_of(&bad, &o), "%d");
        bad = good, bad.n = 1; /* class 1 alone; class 0 has no samples */
        ASSERT_EQ_FMT(MARGIN_E_ONE_CLASS, status_of(&bad, &o), "%d");
        y[0] = 0, bad.n = 2;
        ASSERT_EQ_FMT(MARGIN_E_ONE_CLASS, status_of(&bad, &o), "%d");
        y[0] = 2; /* class 1 is missing */
        ASSERT_EQ_FMT(MARGIN_E_ONE_CLASS, status_of(&bad, &o), "%d");
        y[0] = 1, w[0] = 0; /* a class of no weight */
        ASSERT_EQ_FMT(MARGIN_E_ONE_CLASS, status_of(&bad, &o), "%d");
        w[0] = -1;
        ASSERT_EQ_FMT(MARGIN_E_LABEL, status_of(&good, &o), "%d");
        w[0] = (margin_real)NAN;
        ASSERT_EQ_FMT(MARGIN_E_LABEL, status_of(&good, &o), "%d");
        w[0] = 1, x[3] = (margin_real)NAN;
        ASSERT_EQ_FMT(MARGIN_E_NOT_FINITE, status_of(&good, &o), "%d");
        x[3] = (margin_real)-INFINITY, w[1] = 0;
        ASSERT_EQ_FMT(MARGIN_E_NOT_FINITE, status_of(&good, &o), "%d");
        x[3] = (margin_real)(sizeof x[0] > 4 ? 1e200 : 1e30), w[1] = 1;
        ASSERT_EQ_FMT(MARGIN_E_RANGE, status_of(&good, &o), "%d");
        x[3] = 0;
        wrong = o, wrong.kernel.gamma = (margin_real)NAN;
        ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, status_of(&good, &wrong), "%d");
        ASSERT_EQ_FMT((size_t)0, margin_mam_train_size(3, 2, 2, &wrong), "%zu");
        wrong = o, wrong.scheme = 9;
        ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, status_of(&good, &wrong), "%d");
        wrong = o, wrong.kernel.kind = 9;
        ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, status_of(&good, &wrong), "%d");
        ASSERT_EQ_FMT((size_t)0, margin_mam_train_size(3, 2, 1, &o), "%zu");
        ASSERT_EQ_FMT((size_t)0, margin_mam_train_size(3, 0, 2, &o), "%zu");
        ASSERT_EQ_FMT((size_t)0, margin_mam_train_size(0, 2, 2, &o), "%zu");
        ASSERT_EQ_FMT((size_t)0, margin_mam_train_size(3, SIZE_MAX - 1u, 2, &o), "%zu");
        ASSERT_EQ_FMT((size_t)0, margin_mam_train_size(3, SIZE_MAX / 4u, 2, &o), "%zu");
    }
    {
        margin_mam_options high = options_of(MARGIN_KERNEL_POLY, false, false, 0);
        high.kernel.degree = 200; /* kernel values overflow, squared lengths do not */
        x[4] = 1000;
        ASSERT_EQ_FMT(MARGIN_E_RANGE, status_of(&good, &high), "%d");
        x[4] = 3;
    }
    y[0] = UINT16_MAX; /* the label of what is rejected */
    ASSERT_EQ_FMT(MARGIN_E_LABEL, status_of(&good, NULL), "%d");
    y[0] = 1;
    PASS();
}

TEST on_line_starts_only_with_a_linear_kernel_and_two_classes(void) {
    unsigned char bytes[2000];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes), count = margin_arena_counting();
    margin_mam_options rbf = options_of(MARGIN_KERNEL_RBF, false, false, 0);
    margin_mam_online on;
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_start(&on, 2, 2, &rbf, &mem), "%d");
    ASSERT_EQ_FMT((size_t)0, margin_mam_online_start_size(2, 2, &rbf), "%zu");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_start(&on, 2, 1, NULL, &mem), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_start(&on, 2, 65536, NULL, &mem), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_start(NULL, 2, 2, NULL, &mem), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_start(&on, 2, 2, NULL, NULL), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_start(&on, 2, 2, NULL, &count), "%d");
    ASSERT_EQ_FMT(MARGIN_E_EMPTY, margin_mam_online_start(&on, 0, 2, NULL, &mem), "%d");
    ASSERT_EQ_FMT(MARGIN_E_OVERFLOW, margin_mam_online_start(&on, SIZE_MAX, 2, NULL, &mem), "%d");
    ASSERT_EQ_FMT(mem.size, mem.high - mem.low, "%zu");
    PASS();
}

static enum greatest_test_res has_status(margin_status expected, const margin_real *x,
                                         const uint16_t *y, size_t n, size_t d,
                                         const margin_mam_options *o) {
    const margin_data data = {x, n, d, 0, y, NULL, NULL};
    ASSERT_EQ_FMT((int)expected, (int)status_of(&data, o), "%d");
    PASS();
}

TEST coinciding_means_have_no_direction(void) {
    static const margin_real same[] = {1, 2, 1, 2}, zero[] = {0, 0, 0, 0};
    static const margin_real cross[] = {1, 1, -1, -1, 1, -1, -1, 1};
    static const margin_real thirds[] = {(margin_real)0.1, 3, (margin_real)0.1, 3,
                                         (margin_real)0.1, 3, (margin_real)0.1, 3};
    static const uint16_t two[] = {0, 1}, xor_y[] = {0, 0, 1, 1}, one_three[] = {0, 1, 1, 1};
    for (unsigned kind = 0; kind <= MARGIN_KERNEL_UNIT_EXP; kind++) {
        for (unsigned k = 0; k < 4; k++) {
            margin_mam_options o = options_of(kind, (k & 1) != 0, (k & 2) != 0, 0);
            CHECK_CALL(has_status(MARGIN_E_NO_DIRECTION, same, two, 2, 2, &o));
            CHECK_CALL(has_status(MARGIN_E_NO_DIRECTION, zero, two, 2, 2, &o));
        }
    }
    CHECK_CALL(has_status(MARGIN_E_NO_DIRECTION, cross, xor_y, 4, 2, NULL));
    for (unsigned kind = 0; kind <= MARGIN_KERNEL_UNIT_EXP; kind++) {
        /* three samples against one, all equal: balanced, the means agree to rounding alone */
        margin_mam_options o = options_of(kind, false, true, 0);
        CHECK_CALL(has_status(MARGIN_E_NO_DIRECTION, thirds, one_three, 4, 2, &o));
        o.balanced = false; /* not balanced there is a direction, that of the sample itself */
        CHECK_CALL(has_status(MARGIN_OK, thirds, one_three, 4, 2, &o));
    }
    PASS();
}

/* Pairs of samples that differ by their last digits: what tells the classes apart is rounding. */
TEST a_direction_made_of_rounding_is_none(void) {
    enum { N = 60, D = 3 };
    static margin_real x[N * D];
    static uint16_t y[N];
    const margin_data data = {x, N, D, 0, y, NULL, NULL};
    seed = 9;
    for (size_t i = 0; i < N / 2; i++) {
        for (size_t j = 0; j < D; j++) {
            const double v = uniform() + 10;
            x[2 * i * D + j] = (margin_real)v;
            x[(2 * i + 1) * D + j] = (margin_real)(v * (1 + EPS * (uniform() > 0 ? 1 : 0)));
        }
        y[2 * i] = 1;
    }
    for (unsigned k = 0; k < 4; k++) {
        margin_mam_options o = options_of(0, (k & 1) != 0, (k & 2) != 0, 0);
        ASSERT_EQ_FMT(MARGIN_E_NO_DIRECTION, status_of(&data, &o), "%d");
    }
    x[0] += (margin_real)0.01; /* and a hundredth is not */
    ASSERT_EQ_FMT(MARGIN_OK, status_of(&data, NULL), "%d");
    PASS();
}

TEST features_so_small_that_their_squares_vanish(void) {
    const margin_real tiny = (margin_real)(sizeof(margin_real) > 4 ? 1e-200 : 1e-30);
    const margin_real x[] = {3 * tiny, 4 * tiny, -3 * tiny, -4 * tiny};
    static const uint16_t y[] = {1, 0};
    const margin_data data = {x, 2, 2, 0, y, NULL, NULL};
    trained t = train(&data, 2, NULL);
    ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
    ASSERT_IN_RANGE(0.6, (double)t.model.of.linear.w[0], 2 * EPS);
    ASSERT_IN_RANGE(0.8, (double)t.model.of.linear.w[1], 2 * EPS);
    ASSERT_IN_RANGE(1.0, (double)(t.info.objective / (5 * tiny)), 4 * EPS);
    free(t.bytes);
    PASS();
}

/* ---- memory -------------------------------------------------------------------------------------- */

typedef struct {
    const margin_data *data;
    const margin_mam_options *options;
    struct {
        margin_model model;
        margin_info info;
    } out;
    margin_mam_online on;
    size_t classes;
} sweep;

static margin_status run_train(margin_arena *mem, void *user) {
    sweep *s = (sweep *)user;
    return margin_mam_train(s->data, s->options, mem, &s->out.model, &s->out.info);
}

static margin_status run_start(margin_arena *mem, void *user) {
    sweep *s = (sweep *)user;
    return margin_mam_online_start(&s->on, s->data->d, s->classes, s->options, mem);
}

TEST memory_is_what_the_queries_say(void) {
    seed = 10;
    for (unsigned round = 0; round < 8; round++) {
        const size_t classes = round % 2 == 0 ? 2 : 4, n = 9 + round, d = 3 + round;
        problem p = problem_make(n, d, classes, LISTED, 1);
        margin_mam_options o =
            options_of(round / 2 % 2 == 0 ? 0 : MARGIN_KERNEL_RBF, true, true,
                       round < 4 ? MARGIN_SCHEME_BINARY : MARGIN_SCHEME_ONE_REST);
        sweep s;
        memset(&s, 0, sizeof s);
        s.data = &p.data;
        s.options = &o;
        s.classes = classes;
        CHECK_CALL(arena_sweep(run_train, &s, margin_mam_train_size(n, d, classes, &o), &s.out,
                               sizeof s.out));
        if (o.kernel.kind == MARGIN_KERNEL_LINEAR) {
            CHECK_CALL(arena_sweep(run_start, &s, margin_mam_online_start_size(d, classes, &o),
                                   &s.on, sizeof s.on));
        }
        problem_free(&p);
    }
    PASS();
}

TEST the_macros_are_the_queries(void) {
    static unsigned char fixed[MARGIN_MAM_BYTES(256, 12)]; /* a constant expression */
    const size_t extra = MARGIN_ALIGN - 1u;
    seed = 11;
    for (unsigned round = 0; round < 400; round++) {
        const size_t classes = 2 + below(6), n = classes + below(200), d = 1 + below(70);
        const unsigned scheme = (unsigned)below(3);
        const margin_mam_options lean = options_of(0, false, false, scheme);
        const margin_mam_options full = options_of(1 + below(4), true, false, scheme);
        ASSERT_EQ_FMT(margin_mam_train_size(n, d, classes, &lean) + extra,
                      (size_t)MARGIN_MAM_LINEAR_BYTES(d, classes, scheme), "%zu");
        ASSERT_EQ_FMT(margin_mam_online_start_size(d, classes, &lean) + extra,
                      (size_t)MARGIN_MAM_LINEAR_BYTES(d, classes, scheme), "%zu");
        ASSERT_EQ_FMT(margin_mam_train_size(n, d, classes, &full) + extra,
                      (size_t)MARGIN_MAM_KERNEL_BYTES(n, d, classes, scheme), "%zu");
        ASSERT(MARGIN_MAM_BYTES(n, d) >= margin_mam_train_size(n, d, 2, &lean) + extra);
        ASSERT(MARGIN_MAM_BYTES(n, d) >= margin_mam_train_size(n, d, 2, &full) + extra);
    }
    ASSERT(sizeof fixed >= margin_mam_train_size(256, 12, 2, NULL) + extra);
    PASS();
}

TEST a_linear_machine_needs_no_more_memory_for_more_samples(void) {
    ASSERT_EQ_FMT(margin_mam_train_size(2, 30, 2, NULL),
                  margin_mam_train_size(1000000, 30, 2, NULL), "%zu");
    ASSERT(margin_mam_train_size(1000000, 30, 2, NULL) <= 8u * 30u * sizeof(margin_real) + 64u);
    PASS();
}

/* ---- certainty ----------------------------------------------------------------------------------- */

static long double bound(long double average, long double r, long double b, size_t n,
                         long double delta, long double rho) {
    const long double p =
        (b - average + r + 3 * b * sqrtl(2 * logl(2 / delta) / (long double)n)) / (b + rho);
    return p > 1 ? 1 : p < 0 ? 0 : p;
}

/* Theorem 2 by hand: x = +-1 a hundred times each. lambda = 1, B = 1, R = 2 sqrt(200)/200. */
TEST the_bound_of_theorem_2_by_hand(void) {
    enum { N = 200 };
    static margin_real x[N];
    static uint16_t y[N];
    const margin_data data = {x, N, 1, 0, y, NULL, NULL};
    const double r = 2 / sqrt(N), dev = 3 * sqrt(2 * log(40) / N);
    margin_mam_certainty c;
    trained t;
    for (size_t i = 0; i < N; i++) {
        y[i] = (uint16_t)(i % 2);
        x[i] = (margin_real)(i % 2 == 0 ? -1 : 1);
    }
    t = train(&data, 2, NULL);
    ASSERT_EQ_FMT(MARGIN_OK, margin_mam_certainty_of(&data, &t.model, false, &c), "%d");
    ASSERT_IN_RANGE(1.0, (double)c.average, EPS);
    ASSERT_IN_RANGE(1.0, (double)c.radius, EPS);
    ASSERT_IN_RANGE(r, (double)c.complexity, EPS);
    ASSERT_EQ_FMT((size_t)N, c.n, "%zu");
    ASSERT_IN_RANGE(r + dev, (double)margin_mam_bound(&c, 0, (margin_real)0.05), 8 * EPS);
    ASSERT_IN_RANGE((r + dev) / 1.5,
                    (double)margin_mam_bound(&c, (margin_real)0.5, (margin_real)0.05), 8 * EPS);
    ASSERT_IN_RANGE((r + dev) / 2, (double)margin_mam_bound(&c, 7, (margin_real)0.05), 8 * EPS);
    free(t.bytes);
    PASS();
}

TEST a_bound_is_never_more_than_one_and_never_a_surprise(void) {
    margin_mam_certainty c;
    c.average = (margin_real)0.1, c.radius = 1, c.complexity = (margin_real)0.1, c.n = 50;
    ASSERT_EQ_FMT(1.0, (double)margin_mam_bound(&c, 0, (margin_real)0.05), "%g");
    c.n = 100000000, c.average = (margin_real)0.9, c.complexity = 0;
    ASSERT(margin_mam_bound(&c, 0, (margin_real)0.05) < (margin_real)0.2);
    ASSERT_EQ_FMT(1.0, (double)margin_mam_bound(NULL, 0, (margin_real)0.05), "%g");
    ASSERT_EQ_FMT(1.0, (double)margin_mam_bound(&c, 0, 0), "%g");
    ASSERT_EQ_FMT(1.0, (double)margin_mam_bound(&c, 0, 1), "%g");
    ASSERT_EQ_FMT(1.0, (double)margin_mam_bound(&c, 0, (margin_real)NAN), "%g");
    ASSERT_EQ_FMT(1.0, (double)margin_mam_bound(&c, (margin_real)NAN, (margin_real)0.05), "%g");
    ASSERT_EQ_FMT(1.0, (double)margin_mam_bound(&c, -1, (margin_real)0.05), "%g");
    c.average = 2; /* a radius that the caller made too small */
    ASSERT_EQ_FMT(0.0, (double)margin_mam_bound(&c, 0, (margin_real)0.05), "%g");
    c.n = 0;
    ASSERT_EQ_FMT(1.0, (double)margin_mam_bound(&c, 0, (margin_real)0.05), "%g");
    PASS();
}

/* Any model: mam of all forms, and the SVM, whose |w| and bias are not those of the theorem. */
TEST certainties_agree_with_the_formulas(void) {
    seed = 12;
    for (unsigned round = 0; round < 60; round++) {
        const size_t n = 6 + below(40), d = 1 + below(5);
        problem p = problem_make(n, d, 2, (unsigned)below(4), 1);
        margin_mam_options o = options_of(round % 5, round % 2 == 0, false, 0);
        const bool clipped = round % 3 == 0;
        trained t = train(&p.data, 2, &o);
        margin_model model = t.model;
        void *bytes = NULL;
        long double average = 0, trace = 0, longest = 0, square = 0, bias, r, b, size = 0;
        margin_mam_certainty c;
        ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
        if (round % 4 == 3) {
            margin_svm_options svm;
            size_t room;
            margin_arena mem;
            memset(&svm, 0, sizeof svm);
            svm.kernel = o.kernel;
            room = margin_svm_train_size(n, d, 2, &svm);
            bytes = malloc(room + MARGIN_ALIGN);
            mem = margin_arena_make(bytes, room + MARGIN_ALIGN);
            ASSERT(margin_svm_train(&p.data, &svm, &mem, &model, NULL, NULL) >= 0);
        }
        ASSERT_EQ_FMT(MARGIN_OK, margin_mam_certainty_of(&p.data, &model, clipped, &c), "%d");
        for (size_t i = 0; i < n; i++) {
            const margin_real *x = sample(&p.data, i);
            const long double k = kernel(&o.kernel, x, x, d);
            margin_real f;
            long double m;
            margin_scores(&model, x, &f);
            m = label(&p.data, i) == 0 ? -f : f;
            average += clipped ? fminl(1, fmaxl(-1, m)) : m;
            trace += k;
            longest = k > longest ? k : longest;
        }
        if (model.kind == MARGIN_MODEL_LINEAR) {
            for (size_t j = 0; j < d; j++) {
                square += (long double)model.of.linear.w[j] * model.of.linear.w[j];
            }
            bias = model.of.linear.bias[0];
        } else {
            const margin_expansion *e = &model.of.expansion;
            for (size_t i = 0; i < e->n; i++) {
                size += fabsl(e->coef[i]);
                for (size_t j = 0; j < e->n; j++) {
                    square += (long double)e->coef[i] * e->coef[j] *
                              kernel(&e->kernel, e->vectors + i * d, e->vectors + j * d, d);
                }
            }
            bias = e->bias[0];
        }
        r = sqrtl(square) * 2 * sqrtl(trace) / (long double)n +
            fabsl(bias) * 2 / sqrtl((long double)n);
        size = 100 * EPS * (1 + size * size * longest); /* what rounding can do to |w|^2, */
        size /= fmaxl(sqrtl(square), sqrtl(size));      /* and to |w| */
        b = clipped ? 1 : sqrtl(square * longest) + fabsl(bias);
        ASSERT_IN_RANGE((double)(average / (long double)n), (double)c.average,
                        100 * EPS * (1 + (double)b));
        ASSERT_IN_RANGE((double)b, (double)c.radius, (double)(size * (1 + b)));
        ASSERT_IN_RANGE((double)r, (double)c.complexity, (double)(size * (1 + r)));
        ASSERT_EQ_FMT(n, c.n, "%zu");
        c.n = 100000; /* so that the bound says something */
        ASSERT_IN_RANGE((double)bound(c.average, c.complexity, c.radius, c.n, 0.05L, 0.25L),
                        (double)margin_mam_bound(&c, (margin_real)0.25, (margin_real)0.05),
                        20 * EPS);
        free(bytes), free(t.bytes);
        problem_free(&p);
    }
    PASS();
}

/* The plain form has lambda for its average: [13]. */
TEST the_average_of_the_plain_form_is_its_objective(void) {
    seed = 13;
    for (unsigned kind = 0; kind <= MARGIN_KERNEL_UNIT_EXP; kind++) {
        problem p = problem_make(40, 4, 2, 0, 1);
        margin_mam_options o = options_of(kind, false, false, 0);
        trained t = train(&p.data, 2, &o);
        margin_mam_certainty c;
        ASSERT_EQ_FMT(MARGIN_OK, margin_mam_certainty_of(&p.data, &t.model, false, &c), "%d");
        ASSERT_IN_RANGE(1.0, (double)(c.average / t.info.objective), 200 * EPS);
        ASSERT_IN_RANGE(1.0, (double)(t.info.margin_mean / t.info.objective), 200 * EPS);
        free(t.bytes);
        problem_free(&p);
    }
    PASS();
}

/* A model that scales its input: the kernel sees the scaled samples. */
TEST certainty_looks_at_inputs_as_the_kernel_does(void) {
    static const margin_real offset[] = {1, -2}, factor[] = {(margin_real)0.5, 2};
    margin_mam_options o = options_of(MARGIN_KERNEL_POLY, true, false, 0);
    margin_mam_certainty raw, scaled;
    problem p, q;
    trained t;
    seed = 14;
    p = problem_make(20, 2, 2, 0, 1);
    q = problem_make(20, 2, 2, 0, 1);
    t = train(&p.data, 2, &o);
    ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
    for (size_t i = 0; i < 40; i++) { q.x[i] = p.x[i] / factor[i % 2] + offset[i % 2]; }
    memcpy(q.y, p.y, 20 * sizeof *q.y);
    ASSERT_EQ(MARGIN_OK, margin_mam_certainty_of(&p.data, &t.model, false, &scaled));
    t.model.of.expansion.offset = offset;
    t.model.of.expansion.factor = factor;
    ASSERT_EQ(MARGIN_OK, margin_mam_certainty_of(&q.data, &t.model, false, &raw));
    ASSERT_IN_RANGE((double)scaled.average, (double)raw.average, 1000 * EPS);
    ASSERT_IN_RANGE((double)scaled.radius, (double)raw.radius, 1000 * EPS * (double)raw.radius);
    ASSERT_IN_RANGE((double)scaled.complexity, (double)raw.complexity, 1000 * EPS);
    free(t.bytes);
    problem_free(&p), problem_free(&q);
    PASS();
}

TEST certainty_on_line_is_that_of_the_samples_held(void) {
    seed = 15;
    for (unsigned k = 0; k < 8; k++) {
        problem p = problem_make(60, 3, 2, GAPS, 1);
        margin_mam_options o = options_of(0, (k & 1) != 0, (k & 2) != 0, 0);
        online s = online_make(3, 2, &o);
        trained t = train(&p.data, 2, &o);
        margin_mam_certainty a, b;
        const margin_real *first = sample(&p.data, 0);
        ASSERT_EQ_FMT(MARGIN_E_ONE_CLASS, margin_mam_online_certainty(&s.on, &a), "%d");
        for (size_t i = 0; i < 60; i++) {
            (void)margin_mam_online_add(&s.on, sample(&p.data, i), label(&p.data, i), 1);
        }
        (void)margin_mam_online_add(&s.on, first, 0, 1);
        (void)margin_mam_online_forget(&s.on, first, 0, 1);
        ASSERT_EQ_FMT(MARGIN_OK, margin_mam_online_certainty(&s.on, &a), "%d");
        ASSERT_EQ_FMT(MARGIN_OK, margin_mam_certainty_of(&p.data, &t.model, false, &b), "%d");
        ASSERT_IN_RANGE((double)b.average, (double)a.average, 40 * EPS);
        ASSERT_IN_RANGE((double)b.radius, (double)a.radius, 40 * EPS);
        ASSERT_IN_RANGE((double)b.complexity, (double)a.complexity, 40 * EPS);
        ASSERT_EQ_FMT(b.n, a.n, "%zu");
        free(s.bytes), free(t.bytes);
        problem_free(&p);
    }
    PASS();
}

TEST certainty_refuses_what_it_does_not_cover(void) {
    static const margin_real unit[3] = {1, -1, 2}, one = 1;
    static const uint32_t class_end[2] = {1, 1};
    const margin_expansion hinge = {unit,      &one,
                                    &one,      &one,
                                    class_end, NULL,
                                    NULL,      1,
                                    3,         {MARGIN_KERNEL_HINGE, 3, 1, 0, 2},
                                    1,         {2, MARGIN_SCHEME_BINARY, 0, 0, 0, 0, NULL}};
    margin_model units;
    problem p, q;
    trained t, u;
    online s = online_make(3, 3, NULL);
    margin_mam_certainty c;
    margin_data bad;
    seed = 16;
    p = problem_make(12, 3, 2, 0, 1);
    q = problem_make(12, 3, 3, 0, 1);
    t = train(&p.data, 2, NULL);
    u = train(&q.data, 3, NULL);
    bad = p.data, bad.y = NULL;
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_certainty_of(NULL, &t.model, false, &c), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_certainty_of(&bad, &t.model, false, &c), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_certainty_of(&p.data, NULL, false, &c), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_certainty_of(&p.data, &t.model, false, NULL), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_certainty_of(&p.data, &u.model, false, &c), "%d");
    ASSERT_EQ_FMT(MARGIN_E_LABEL, margin_mam_certainty_of(&q.data, &t.model, false, &c), "%d");
    units.kind = MARGIN_MODEL_EXPANSION;
    units.of.expansion = hinge;
    ASSERT_EQ_FMT(MARGIN_OK, margin_model_check(&units), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_certainty_of(&p.data, &units, false, &c), "%d");
    bad = p.data, bad.d = 2; /* other features than the model's */
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_certainty_of(&bad, &t.model, false, &c), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_certainty(&s.on, &c), "%d"); /* 3 classes */
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_certainty(NULL, &c), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_mam_online_certainty(&s.on, NULL), "%d");
    free(t.bytes), free(u.bytes), free(s.bytes);
    problem_free(&p), problem_free(&q);
    PASS();
}

SUITE(mam_suite) {
    RUN_TEST(two_points_on_a_line);
    RUN_TEST(three_points_plain_and_balanced);
    RUN_TEST(a_square_kernel_on_two_points);
    RUN_TEST(three_classes_are_told_apart_by_pairs);
    RUN_TEST(a_weight_counts_like_copies_of_the_sample);
    RUN_TEST(every_form_agrees_with_the_definition_on_random_problems);
    RUN_TEST(features_of_a_millionth_and_of_a_million);
    RUN_TEST(the_kernel_form_of_a_linear_machine_is_the_same_machine);
    RUN_TEST(balanced_with_intercept_is_kmomd_at_lambda_one);
    RUN_TEST(the_report_has_the_margins_of_the_training_samples);
    RUN_TEST(on_line_and_batch_have_the_same_bits);
    RUN_TEST(forgetting_the_last_samples_of_a_class_leaves_no_trace);
    RUN_TEST(a_million_updates_leave_the_sums_of_the_window);
    RUN_TEST(a_hundred_thousand_samples_come_and_go);
    RUN_TEST(a_sum_that_just_fits_is_added);
    RUN_TEST(a_failed_update_changes_nothing);
    RUN_TEST(without_a_direction_the_last_model_stays);
    RUN_TEST(every_failure_has_its_status);
    RUN_TEST(on_line_starts_only_with_a_linear_kernel_and_two_classes);
    RUN_TEST(coinciding_means_have_no_direction);
    RUN_TEST(a_direction_made_of_rounding_is_none);
    RUN_TEST(features_so_small_that_their_squares_vanish);
    RUN_TEST(memory_is_what_the_queries_say);
    RUN_TEST(the_macros_are_the_queries);
    RUN_TEST(a_linear_machine_needs_no_more_memory_for_more_samples);
    RUN_TEST(the_bound_of_theorem_2_by_hand);
    RUN_TEST(a_bound_is_never_more_than_one_and_never_a_surprise);
    RUN_TEST(certainties_agree_with_the_formulas);
    RUN_TEST(the_average_of_the_plain_form_is_its_objective);
    RUN_TEST(certainty_looks_at_inputs_as_the_kernel_does);
    RUN_TEST(certainty_on_line_is_that_of_the_samples_held);
    RUN_TEST(certainty_refuses_what_it_does_not_cover);
}
