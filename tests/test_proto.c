/* Prototype machines and re-weighting: by hand, against naive forms, and on what can go wrong. The
 * implementation is in this file once more, static, so that gradients can be looked at. */
#define MARGIN_STATIC
#define MARGIN_IMPLEMENTATION
#include "margin.h"

#include <math.h>

#include "arena_sweep.h"

#ifdef MARGIN_REAL_DOUBLE
#define TIGHT 1e-9
#define LOOSE 1e-6
#else
#define TIGHT 2e-4
#define LOOSE 2e-2
#endif

/* ---- problems ---- */

#define MOST 600u
#define WIDE 24u

typedef struct {
    margin_real x[MOST * WIDE];
    uint16_t y[MOST];
    margin_data data;
} problem;

/* n samples of d features in `classes` flat clouds around random centres. */
static void problem_make(problem *p, uint32_t seed, size_t n, size_t d, size_t classes,
                         double noise) {
    margin_rng rng = margin_rng_make(seed);
    double centre[8][WIDE], along[8][2][WIDE];
    for (size_t c = 0; c < classes; c++) {
        for (size_t k = 0; k < d; k++) {
            centre[c][k] = 2 * (double)margin_rng_normal(&rng);
            along[c][0][k] = (double)margin_rng_normal(&rng);
            along[c][1][k] = (double)margin_rng_normal(&rng);
        }
    }
    for (size_t i = 0; i < n; i++) {
        const size_t c = i % classes;
        const double a = (double)margin_rng_normal(&rng), b = (double)margin_rng_normal(&rng);
        p->y[i] = (uint16_t)c;
        for (size_t k = 0; k < d; k++) {
            p->x[i * d + k] = (margin_real)(centre[c][k] + a * along[c][0][k] + b * along[c][1][k] +
                                            noise * (double)margin_rng_normal(&rng));
        }
    }
    memset(&p->data, 0, sizeof p->data);
    p->data.x = p->x;
    p->data.y = p->y;
    p->data.n = n;
    p->data.d = d;
}

static margin_proto_options method(unsigned which, unsigned models, unsigned tangents) {
    margin_proto_options o;
    memset(&o, 0, sizeof o);
    o.method = (uint8_t)which;
    o.models = (uint16_t)models;
    o.tangents = (uint16_t)tangents;
    return o;
}

typedef struct {
    void *bytes;
    margin_arena mem;
    margin_status status;
    margin_model model;
    margin_info info;
    margin_proto_report report;
} trained;

static trained train(const margin_data *data, const margin_proto_options *o) {
    trained t;
    size_t classes = 2, size;
    (void)margin_data_classes(data, &classes);
    memset(&t, 0, sizeof t);
    size = margin_proto_train_size(data->n, data->d, classes, o) + 4096u;
    t.bytes = malloc(size);
    t.mem = margin_arena_make(t.bytes, size);
    t.status = margin_proto_train(data, o, &t.mem, &t.model, &t.info, &t.report);
    return t;
}

static size_t errors(const margin_data *data, const margin_model *model) {
    margin_real scores[16];
    size_t wrong = 0;
    for (size_t i = 0; i < data->n; i++) {
        wrong += margin_classify(model, data->x + i * data->d, scores) != data->y[i] ? 1u : 0u;
    }
    return wrong;
}

/* [9] in long double. */
static long double distance(const margin_proto *p, size_t m, const margin_real *x) {
    const margin_real *c = p->vectors + m * (1u + p->tangents) * p->d;
    long double z = 0;
    for (size_t k = 0; k < p->d; k++) {
        z += ((long double)x[k] - c[k]) * ((long double)x[k] - c[k]);
    }
    for (size_t j = 1; j <= p->tangents; j++) {
        long double a = 0;
        for (size_t k = 0; k < p->d; k++) {
            a += ((long double)x[k] - c[k]) * (long double)c[j * p->d + k];
        }
        z -= a * a;
    }
    return z > 0 ? z : 0;
}

/* ---- predictors ---- */

static const margin_real HAND[] = {0, 0, 1, 0,  /* class 0: a line along the first axis */
                                   4, 4, 0, 1}; /* class 1: one along the second */
static const margin_real HAND_EXITS[] = {0, 0};
static const uint32_t HAND_ENDS[] = {1, 2};

static margin_model hand_model(void) {
    margin_model m;
    memset(&m, 0, sizeof m);
    m.kind = MARGIN_MODEL_PROTO;
    m.of.proto.vectors = HAND;
    m.of.proto.exits = HAND_EXITS;
    m.of.proto.class_end = HAND_ENDS;
    m.of.proto.n = m.of.proto.d = 2;
    m.of.proto.tangents = m.of.proto.nth = 1;
    m.of.proto.vote.classes = 2;
    m.of.proto.vote.scheme = MARGIN_SCHEME_NEAREST;
    return m;
}

TEST distances_to_two_lines_are_those_of_the_hand_calculation(void) {
    const margin_model m = hand_model();
    const margin_real x[] = {3, 2}, cross[] = {4, 0}, even[] = {3, 1};
    margin_real z[2];
    ASSERT_EQ(0, margin_classify(&m, cross, z)); /* on both lines: a tie, and no margin */
    ASSERT_EQ(0, z[0]);
    ASSERT_EQ(0, z[1]);
    ASSERT_EQ(0, margin_margin(MARGIN_SCHEME_NEAREST, 2, z, 0));
    ASSERT_EQ(0, margin_margin(MARGIN_SCHEME_NEAREST, 2, z, 1));
    ASSERT_EQ(1, margin_classify(&m, x, z)); /* 2 from the one, 1 from the other */
    ASSERT_EQ(4, z[0]);
    ASSERT_EQ(1, z[1]);
    ASSERT_IN_RANGE(0.6, margin_margin(MARGIN_SCHEME_NEAREST, 2, z, 1), 1e-7);
    ASSERT_IN_RANGE(-0.6, margin_margin(MARGIN_SCHEME_NEAREST, 2, z, 0), 1e-7);
    ASSERT_EQ(0, margin_classify(&m, even, z)); /* 1 from both: the smaller class */
    ASSERT_EQ(MARGIN_OK, margin_model_check(&m));
    PASS();
}

/* Two codebooks, and a sample beyond all numbers from the second, or from both. */
TEST the_second_class_is_another_one_however_far(void) {
    static const uint32_t ends[] = {1, 2};
    const margin_real near = 1, far = (margin_real)(sizeof far > 4 ? 1e308 : 1e38);
    const margin_real vectors[] = {0, -far};
    margin_proto p;
    margin_proto_found found;
    memset(&p, 0, sizeof p);
    p.vectors = vectors;
    p.class_end = ends;
    p.n = 2;
    p.d = p.nth = 1;
    p.vote.classes = 2;
    p.vote.scheme = MARGIN_SCHEME_NEAREST;
    margin_proto_find(&p, &near, &found);
    ASSERT(found.label == 0 && found.nearest == 0 && found.second == 1 && found.distance == 1);
    margin_proto_find(&p, &far, &found);
    ASSERT(found.label == MARGIN_REJECTED && found.nearest == 0 && found.second == 1);
    PASS();
}

TEST an_answer_with_a_small_margin_is_rejected(void) {
    margin_model m = hand_model();
    const margin_real x[] = {3, 2};
    margin_real z[2];
    margin_proto_found found;
    m.of.proto.vote.reject = (margin_real)0.7;
    ASSERT_EQ(MARGIN_REJECTED, margin_classify(&m, x, z));
    margin_proto_find(&m.of.proto, x, &found);
    ASSERT_EQ(MARGIN_REJECTED, found.label);
    ASSERT_EQ(1, found.nearest);
    ASSERT_EQ(0, found.second);
    m.of.proto.vote.reject = (margin_real)0.5;
    margin_proto_find(&m.of.proto, x, &found);
    ASSERT_EQ(1, found.label);
    ASSERT_IN_RANGE(0.6, found.margin, 1e-7);
    PASS();
}

TEST distances_beyond_the_largest_number_are_that(void) {
    const margin_model m = hand_model();
    const margin_real far[] = {MGN_HUGE, MGN_HUGE}, none[] = {(margin_real)NAN, 0};
    margin_real z[2];
    ASSERT_EQ(MARGIN_REJECTED, margin_classify(&m, far, z));
    ASSERT(z[0] <= MGN_HUGE && z[1] <= MGN_HUGE);
    ASSERT(margin_margin(MARGIN_SCHEME_NEAREST, 2, z, 0) >= 0);
    ASSERT_EQ(MARGIN_REJECTED, margin_classify(&m, none, z));
    ASSERT_EQ(0, margin_margin(MARGIN_SCHEME_NEAREST, 2, z, 1));
    PASS();
}

/* A random model whose tangents are orthonormal and whose exits are the trainer's. */
static trained random_model(problem *p, uint32_t seed, size_t d, unsigned tangents,
                            unsigned models) {
    margin_proto_options o = method(MARGIN_PROTO_HSS, models, tangents);
    o.seed = seed;
    problem_make(p, seed, 120, d, 4, 0.5);
    return train(&p->data, &o);
}

TEST scores_are_the_distances_of_the_nearest_models(void) {
    static problem p;
    for (uint32_t seed = 1; seed <= 40u; seed++) {
        trained t = random_model(&p, seed, 1u + seed % 20u, seed % 7u, 1u + seed % 3u);
        const margin_proto *m = &t.model.of.proto;
        ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
        for (size_t i = 0; i < p.data.n; i++) {
            const margin_real *x = p.x + i * p.data.d;
            margin_real z[4];
            margin_scores(&t.model, x, z);
            for (size_t c = 0; c < 4u; c++) {
                long double least = 1e30L;
                for (size_t j = c ? m->class_end[c - 1u] : 0; j < m->class_end[c]; j++) {
                    least = fminl(least, distance(m, j, x));
                }
                ASSERT_IN_RANGE((double)least, z[c], TIGHT * (10 + (double)least));
                ASSERT(z[c] >= 0);
            }
        }
        free(t.bytes);
    }
    PASS();
}

TEST leaving_early_changes_nothing(void) {
    static problem p;
    size_t fewer = 0;
    for (uint32_t seed = 1; seed <= 60u; seed++) {
        trained t = random_model(&p, seed, 8u + seed % 17u, seed % 5u, 1u + seed % 3u);
        margin_proto *m = &t.model.of.proto;
        m->nth = (uint16_t)(1u + seed % 2u % (m->class_end[0] < 2u ? 1u : 2u));
        for (size_t i = 0; i < p.data.n; i++) {
            const margin_real *x = p.x + i * p.data.d;
            margin_real z[4];
            margin_proto_found found;
            const uint16_t label = margin_classify(&t.model, x, z);
            margin_proto_find(m, x, &found);
            ASSERT_EQ(label, found.label);
            ASSERT_EQ(z[label], found.distance);
            ASSERT_EQ(z[found.second], found.runner);
            ASSERT(found.second != label);
            for (size_t c = 0; c < 4u; c++) { ASSERT(c == label || z[c] >= found.runner); }
            ASSERT_EQ(margin_margin(MARGIN_SCHEME_NEAREST, 4, z, label), found.margin);
            fewer += m->tangents > 0 && m->exits[0] > 0 ? 1u : 0u;
        }
        free(t.bytes);
    }
    ASSERT(fewer > 0);
    PASS();
}

TEST scaling_is_part_of_the_model(void) {
    static problem p;
    trained t = random_model(&p, 7, 6, 2, 1);
    const margin_real offset[] = {1, 2, 3, 4, 5, 6}, factor[] = {2, 2, 2, 4, 4, 4};
    const margin_scaling scaling = {offset, factor, 6};
    margin_real a[4], b[4], raw[6];
    for (size_t k = 0; k < 6u; k++) { raw[k] = p.x[k] / factor[k] + offset[k]; }
    margin_scores(&t.model, p.x, a);
    ASSERT_EQ(MARGIN_OK, margin_model_scale(&t.model, &scaling, &t.mem));
    margin_scores(&t.model, raw, b);
    for (size_t c = 0; c < 4u; c++) { ASSERT_IN_RANGE(a[c], b[c], TIGHT * (1 + a[c])); }
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_scale(&t.model, &scaling, &t.mem)); /* once only */
    free(t.bytes);
    PASS();
}

/* ---- hss ---- */

/* Share of the variance of class c that the tangents of its model hold. */
static double captured(const margin_data *data, const margin_proto *m, size_t c) {
    double sum = 0, n = 0;
    const margin_real *v = m->vectors + c * (1u + m->tangents) * m->d;
    for (size_t i = 0; i < data->n; i++) {
        if (data->y[i] == c) {
            n += 1;
            for (size_t j = 1; j <= m->tangents; j++) {
                double a = 0;
                for (size_t k = 0; k < m->d; k++) {
                    a += (double)(data->x[i * m->d + k] - v[k]) * (double)v[j * m->d + k];
                }
                sum += a * a;
            }
        }
    }
    return sum / n;
}

TEST hss_holds_as_much_variance_as_the_largest_eigenvalues(void) {
    static problem p;
    static margin_real mean[4 * 12], cov[4 * 144], weight[4], values[12], vectors[144];
    static unsigned char bytes[65536];
    problem_make(&p, 3, 200, 12, 4, 0.7);
    {
        const margin_proto_options o = method(MARGIN_PROTO_HSS, 1, 5);
        trained t = train(&p.data, &o);
        margin_arena mem = margin_arena_make(bytes, sizeof bytes);
        ASSERT_EQ(MARGIN_OK, t.status);
        ASSERT_EQ(MARGIN_OK, margin_data_moments(&p.data, 4, &mem, weight, mean, cov));
        for (size_t c = 0; c < 4u; c++) {
            double want = 0;
            ASSERT_EQ(MARGIN_OK, margin_eigen(values, vectors, cov + c * 144u, 12, &mem));
            for (size_t j = 0; j < 5u; j++) { want += (double)values[j]; }
            ASSERT_IN_RANGE(want, captured(&p.data, &t.model.of.proto, c), TIGHT * 50);
            for (size_t k = 0; k < 12u; k++) {
                ASSERT_IN_RANGE(mean[c * 12u + k], t.model.of.proto.vectors[c * 72u + k], TIGHT);
            }
        }
        ASSERT_EQ(24u, t.info.support);
        ASSERT(t.info.converged);
        free(t.bytes);
    }
    PASS();
}

/* The same samples with zeros appended: fewer samples than features, so the Gram matrix is used. */
TEST hss_of_few_samples_in_many_dimensions_is_that_of_few_dimensions(void) {
    static problem p, wide;
    const margin_proto_options o = method(MARGIN_PROTO_HSS, 1, 3);
    trained a, b;
    problem_make(&p, 5, 36, 8, 4, 0.7);
    problem_make(&wide, 5, 36, 20, 4, 0.7);
    for (size_t i = 0; i < 36u; i++) {
        for (size_t k = 0; k < 20u; k++) { wide.x[i * 20u + k] = k < 8u ? p.x[i * 8u + k] : 3; }
    }
    a = train(&p.data, &o);
    b = train(&wide.data, &o);
    ASSERT_EQ(MARGIN_OK, a.status);
    ASSERT_EQ(MARGIN_OK, b.status);
    for (size_t i = 0; i < 36u; i++) {
        margin_real za[4], zb[4];
        margin_scores(&a.model, p.x + i * 8u, za);
        margin_scores(&b.model, wide.x + i * 20u, zb);
        for (size_t c = 0; c < 4u; c++) { ASSERT_IN_RANGE(za[c], zb[c], LOOSE * (1 + za[c])); }
    }
    free(a.bytes);
    free(b.bytes);
    PASS();
}

TEST hss_of_many_samples_in_many_dimensions_is_iterated(void) {
    const size_t n = 1100, d = 1030;
    const margin_proto_options o = method(MARGIN_PROTO_HSS, 1, 2);
    margin_real *x = (margin_real *)malloc(n * d * sizeof *x);
    uint16_t *y = (uint16_t *)malloc(n * sizeof *y);
    margin_rng rng = margin_rng_make(11);
    margin_data data = {NULL, 0, 0, 0, NULL, NULL, NULL};
    trained t;
    for (size_t i = 0; i < n; i++) {
        const margin_real a = 5 * margin_rng_normal(&rng), b = 2 * margin_rng_normal(&rng);
        y[i] = (uint16_t)(i % 2u);
        for (size_t k = 0; k < d; k++) {
            x[i * d + k] = (margin_real)0.001 * margin_rng_normal(&rng);
        }
        x[i * d + 3u + y[i]] += a; /* classes spread along the axes 3, 10 and 4, 11 */
        x[i * d + 10u + y[i]] += b;
    }
    data.x = x;
    data.y = y;
    data.n = n;
    data.d = d;
    t = train(&data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    for (size_t c = 0; c < 2u; c++) {
        const margin_real *tangents = t.model.of.proto.vectors + (3u * c + 1u) * d;
        ASSERT_IN_RANGE(1, fabs((double)tangents[3u + c]), 1e-2);
        ASSERT_IN_RANGE(1, fabs((double)tangents[d + 10u + c]), 1e-2);
    }
    free(t.bytes);
    free(x);
    free(y);
    PASS();
}

/* ---- tvq ---- */

/* One step of fig. 2 in double, with all sums as they stand there. */
typedef struct {
    size_t d, k, models, n;
    double v[8 * 8 * WIDE], scale, w[MOST], mu[MOST];
} naive;

static double naive_z(const naive *s, size_t m, const margin_real *x, double *a) {
    const double *c = s->v + m * (1u + s->k) * s->d;
    double z = 0;
    for (size_t f = 0; f < s->d; f++) { z += ((double)x[f] - c[f]) * ((double)x[f] - c[f]); }
    for (size_t j = 0; j < s->k; j++) {
        a[j] = 0;
        for (size_t f = 0; f < s->d; f++) {
            a[j] += ((double)x[f] - c[f]) * c[(j + 1u) * s->d + f];
        }
        z -= a[j] * a[j];
    }
    return z;
}

static void naive_add(const naive *s, double *grad, size_t m, double much, const margin_real *x) {
    const double *c = s->v + m * (1u + s->k) * s->d;
    double a[8], *g = grad + m * (1u + s->k) * s->d;
    (void)naive_z(s, m, x, a);
    for (size_t f = 0; f < s->d; f++) {
        double delta = (double)x[f] - c[f], left = delta;
        for (size_t j = 0; j < s->k; j++) {
            left -= a[j] * c[(j + 1u) * s->d + f];
            g[(j + 1u) * s->d + f] += much * a[j] * delta;
        }
        g[f] += much * left;
    }
}

static void naive_orthonormal(const naive *s, double *t) {
    for (size_t j = 0; j < s->k; j++) {
        double length = 0;
        for (size_t i = 0; i < j; i++) {
            double dot = 0;
            for (size_t f = 0; f < s->d; f++) { dot += t[i * s->d + f] * t[j * s->d + f]; }
            for (size_t f = 0; f < s->d; f++) { t[j * s->d + f] -= dot * t[i * s->d + f]; }
        }
        for (size_t f = 0; f < s->d; f++) { length += t[j * s->d + f] * t[j * s->d + f]; }
        for (size_t f = 0; f < s->d; f++) { t[j * s->d + f] /= sqrt(length); }
    }
}

/* Margins; with a rate > 0 the step and the new weights too. */
static double naive_step(naive *s, const problem *p, double rate, double theta) {
    static double grad[8 * 8 * WIDE];
    double total = 0, own = 0, a[8];
    const size_t row = (1u + s->k) * s->d;
    memset(grad, 0, sizeof grad);
    for (size_t i = 0; i < s->n; i++) { total += s->w[i]; }
    for (size_t i = 0; i < s->n; i++) {
        const margin_real *x = p->x + i * s->d;
        double zp = 1e300, zn = 1e300;
        size_t mp = 0, mn = 0;
        for (size_t m = 0; m < s->models; m++) {
            const double z = naive_z(s, m, x, a);
            if (m == p->y[i]) {
                zp = z;
                mp = m;
            } else if (z < zn) {
                zn = z;
                mn = m;
            }
        }
        s->mu[i] = (zn - zp) / (zn + zp);
        own += zp / (double)s->n;
        naive_add(s, grad, mp, s->w[i] / total * 4 * zn / ((zn + zp) * (zn + zp)), x);
        naive_add(s, grad, mn, -s->w[i] / total * 4 * zp / ((zn + zp) * (zn + zp)), x);
    }
    s->scale = s->scale > 0 ? s->scale : own;
    for (size_t m = 0; m < s->models && rate > 0; m++) {
        for (size_t f = 0; f < row; f++) {
            s->v[m * row + f] += rate * (f < s->d ? s->scale : 1) * grad[m * row + f];
        }
        naive_orthonormal(s, s->v + m * row + s->d);
    }
    for (size_t i = 0; i < s->n && rate > 0; i++) { s->w[i] += s->mu[i] < theta ? 1 : 0; }
    return own;
}

TEST the_first_steps_are_those_of_figure_2(void) {
    static problem p;
    static naive s;
    for (uint32_t seed = 1; seed <= 4u; seed++) {
        for (unsigned tangents = 0; tangents <= 3u; tangents += 3u) {
            margin_proto_options o = method(MARGIN_PROTO_HSS, 1, tangents);
            trained start, after;
            problem_make(&p, seed, 150, 10, 4, 0.9);
            start = train(&p.data, &o);
            memset(&s, 0, sizeof s);
            s.d = 10;
            s.k = tangents;
            s.models = 4;
            s.n = 150;
            for (size_t i = 0; i < 4u * (1u + tangents) * 10u; i++) {
                s.v[i] = (double)start.model.of.proto.vectors[i];
            }
            for (size_t i = 0; i < s.n; i++) { s.w[i] = 1; }
            for (unsigned t = 0; t < 4u; t++) { (void)naive_step(&s, &p, 1, 0.6); }
            (void)naive_step(&s, &p, 0, 0);
            o.method = MARGIN_PROTO_TVQ;
            o.rate = 1;
            o.theta = (margin_real)0.6;
            o.max_iterations = 4;
            after = train(&p.data, &o);
            ASSERT_EQ_FMT(MARGIN_W_ITERATIONS, after.status, "%d");
            ASSERT_EQ(4u, after.info.iterations);
            for (size_t i = 0; i < s.n; i++) {
                margin_real z[4];
                margin_scores(&after.model, p.x + i * 10u, z);
                ASSERT_IN_RANGE(s.mu[i], margin_margin(MARGIN_SCHEME_NEAREST, 4, z, p.y[i]),
                                20 * TIGHT);
            }
            for (size_t i = 0; i < 4u * (1u + tangents) * 10u; i++) {
                ASSERT_IN_RANGE(s.v[i], after.model.of.proto.vectors[i], 50 * TIGHT);
            }
            free(start.bytes);
            free(after.bytes);
        }
    }
    PASS();
}

/* The gradient of H, or of minus the error of td, along random directions. */
static double slope(mgn_proto_job *job, margin_rng *rng, double *found) {
    const size_t count = job->size.pool * job->size.d;
    const double step = sizeof(margin_real) == 8 ? 1e-5 : 2e-2;
    double high, low;
    *found = 0;
    (void)mgn_proto_pass(job, &job->at);
    for (size_t i = 0; i < count; i++) {
        job->next.v[i] = margin_rng_normal(rng) / (margin_real)sqrt((double)count);
        *found += (double)job->next.v[i] * (double)job->at.grad[i];
        job->best[i] = job->at.v[i];
    }
    for (size_t i = 0; i < count; i++) {
        job->at.v[i] = job->best[i] + (margin_real)step * job->next.v[i];
    }
    high = (double)mgn_proto_pass(job, &job->at);
    for (size_t i = 0; i < count; i++) {
        job->at.v[i] = job->best[i] - (margin_real)step * job->next.v[i];
    }
    low = (double)mgn_proto_pass(job, &job->at);
    mgn_copy(job->at.v, job->best, count);
    return (high - low) / (2 * step);
}

TEST gradients_are_those_of_finite_differences(void) {
    static problem p;
    static unsigned char bytes[1u << 20];
    margin_rng rng = margin_rng_make(99);
    for (unsigned round = 0; round < 24u; round++) {
        margin_proto_options o = method(round % 2u == 0 ? MARGIN_PROTO_TVQ : MARGIN_PROTO_TD,
                                        1u + round % 3u, round % 4u);
        margin_arena mem = margin_arena_make(bytes, sizeof bytes);
        mgn_proto_job job;
        mgn_theta theta;
        double found;
        problem_make(&p, round + 1u, 60, 9, 3, 1);
        memset(&job, 0, sizeof job);
        o.rate = 1; /* a second set of models, in which the test keeps directions */
        ASSERT(mgn_proto_shape(&job, 60, 9, 3, &o));
        job.data = &p.data;
        mgn_proto_plan(&job, &mem);
        ASSERT_EQ(0, mem.failed);
        ASSERT_EQ(MARGIN_OK, mgn_proto_check(&job));
        mgn_proto_hold(&job);
        ASSERT_EQ(MARGIN_OK, mgn_proto_start(&job, job.at.v, &mem));
        mgn_theta_start(&theta, job.data, job.weights.w, job.o.theta, job.o.even);
        for (size_t i = 0; i < 60u; i++) { /* uneven weights */
            job.weights.w[i] = (margin_real)(1u + i % 4u);
            job.weights.before[i] = job.weights.w[i];
        }
        job.reach = 20;
        for (unsigned t = 0; t < 4u; t++) {
            const double want = slope(&job, &rng, &found);
            ASSERT_IN_RANGE(want, found,
                            LOOSE * (sizeof(margin_real) == 8 ? 0.01 + fabs(want) : 1));
        }
    }
    PASS();
}

/* The loss that mini-batches lower: 1 - mu without re-weighting. */
TEST without_reweighting_the_mean_margin_rises(void) {
    static problem p;
    for (unsigned start = MARGIN_START_HSS; start <= MARGIN_START_RANDOM; start++) {
        margin_proto_options o = method(MARGIN_PROTO_HSS, 2, 2);
        trained before, after;
        problem_make(&p, 21 + start, 160, 8, 4, 1.5);
        o.start = (uint8_t)start;
        o.plain = true;
        before = train(&p.data, &o);
        o.method = MARGIN_PROTO_TVQ;
        after = train(&p.data, &o);
        ASSERT_EQ(MARGIN_OK, after.status);
        ASSERT(after.info.converged);
        ASSERT(after.info.margin_mean > before.info.margin_mean + (margin_real)0.02);
        ASSERT(after.info.margin_min >= -1 && after.info.margin_quantile[4] <= 1);
        free(before.bytes);
        free(after.bytes);
    }
    PASS();
}

/* A run that ends before its criterion is met says so, whatever the method; and one that is given time
 * ends by its criterion. */
TEST training_ends_by_a_criterion_or_says_that_it_did_not(void) {
    static problem p;
    static const unsigned methods[] = {MARGIN_PROTO_TVQ, MARGIN_PROTO_LVQ, MARGIN_PROTO_OLVQ1,
                                       MARGIN_PROTO_TD};
    problem_make(&p, 5, 300, 8, 4, 2);
    for (size_t m = 0; m < 4u; m++) {
        margin_proto_options o = method(methods[m], m == 3u ? 1u : 2u, 2);
        trained early, late;
        o.max_iterations = 4;
        early = train(&p.data, &o);
        ASSERT_EQ_FMT(MARGIN_W_ITERATIONS, early.status, "%d");
        ASSERT(!early.info.converged);
        ASSERT_EQ_FMT((size_t)4, early.info.iterations, "%zu");
        o.max_iterations = 0;
        late = train(&p.data, &o);
        ASSERT_EQ_FMT(MARGIN_OK, late.status, "%d");
        ASSERT(late.info.converged);
        ASSERT(late.info.iterations > 4u && late.info.iterations < 1000u);
        free(early.bytes);
        free(late.bytes);
    }
    PASS();
}

/* The mean of max(0, theta - margin) of a model. */
static double deficit(const margin_data *data, const margin_model *model, double theta) {
    double sum = 0;
    for (size_t i = 0; i < data->n; i++) {
        margin_real z[8];
        double mu;
        margin_scores(model, data->x + i * data->d, z);
        mu = (double)margin_margin(MARGIN_SCHEME_NEAREST, model->of.proto.vote.classes, z,
                                   data->y[i]);
        sum += mu < theta ? theta - mu : 0;
    }
    return sum / (double)data->n;
}

/* The deficit [2] is what re-weighting minimises: mini-batches must reach a lower one than as many steps
 * of fig. 2, summed over problems. */
TEST mini_batches_leave_a_lower_deficit_than_as_many_steps_of_figure_2(void) {
    static problem p;
    double batches = 0, steps = 0;
    for (uint32_t seed = 1; seed <= 8u; seed++) {
        margin_proto_options o = method(MARGIN_PROTO_TVQ, 2, 2);
        trained t;
        problem_make(&p, 50 + seed, 400, 8, 4, 2.2);
        t = train(&p.data, &o);
        ASSERT_EQ(MARGIN_OK, t.status);
        batches += deficit(&p.data, &t.model, 0.2);
        o.rate = 1;
        o.max_iterations = t.info.iterations;
        free(t.bytes);
        t = train(&p.data, &o);
        steps += deficit(&p.data, &t.model, 0.2);
        free(t.bytes);
    }
    ASSERT(batches < 0.9 * steps);
    PASS();
}

/* LVQ2.1 repels without end where one codebook a class is all there is: 37 % errors on wdbc, 82 % on
 * USPS, from means of classes that make far fewer. */
TEST one_codebook_a_class_does_not_collapse(void) {
    static problem p;
    for (uint32_t seed = 1; seed <= 10u; seed++) {
        margin_proto_options o = method(MARGIN_PROTO_HSS, 1, 0);
        trained means, lvq;
        problem_make(&p, 60 + seed, 300, 8, 2u + seed % 3u, 3);
        for (size_t i = 0; i < p.data.n;
             i++) { /* uneven classes: half of the others go to class 0 */
            p.y[i] = (uint16_t)(i % 7u < 3u ? 0 : p.y[i]);
        }
        means = train(&p.data, &o);
        o.method = MARGIN_PROTO_LVQ;
        lvq = train(&p.data, &o);
        ASSERT_EQ(MARGIN_OK, lvq.status);
        ASSERT(deficit(&p.data, &lvq.model, 0.1) <=
               deficit(&p.data, &means.model, 0.1) + LOOSE / 100);
        ASSERT(errors(&p.data, &lvq.model) <= errors(&p.data, &means.model) + 30u);
        free(means.bytes);
        free(lvq.bytes);
    }
    PASS();
}

/* All that is random is drawn for samples in an order of their own: the same bits for any order of rows. */
TEST the_order_of_rows_does_not_matter(void) {
    static problem p, q;
    problem_make(&p, 9, 200, 6, 3, 2);
    for (unsigned k = 0; k < 5u * 4u; k++) {
        margin_proto_options o = method(k % 5u, 3, 2);
        margin_index order[200];
        margin_rng rng = margin_rng_make(k + 1u);
        trained a, b;
        o.start = (uint8_t)(k / 5u);
        o.seed = k;
        for (size_t i = 0; i < 200u; i++) { order[i] = (margin_index)i; }
        margin_shuffle(&rng, order, 200);
        q.data = p.data;
        q.data.x = q.x;
        q.data.y = q.y;
        for (size_t i = 0; i < 200u; i++) {
            memcpy(q.x + i * 6u, p.x + order[i] * 6u, 6u * sizeof(margin_real));
            q.y[i] = p.y[order[i]];
        }
        a = train(&p.data, &o);
        b = train(&q.data, &o);
        ASSERT_EQ(a.status, b.status);
        ASSERT_EQ(a.model.of.proto.n, b.model.of.proto.n);
        ASSERT_EQ(0, memcmp(a.model.of.proto.vectors, b.model.of.proto.vectors,
                            a.model.of.proto.n * (1u + a.model.of.proto.tangents) * 6u *
                                sizeof(margin_real)));
        free(a.bytes);
        free(b.bytes);
    }
    PASS();
}

/* theta reads and writes n weights and n margins, none beyond: what lies behind them would count. */
TEST reweighting_stays_within_its_samples(void) {
    static const margin_real mu[5] = {(margin_real)-0.5, (margin_real)0.5, (margin_real)0.1,
                                      (margin_real)0.3, -1};
    margin_real w[5] = {7, 7, 7, 7, 7};
    margin_data data = {NULL, 0, 0, 0, NULL, NULL, NULL};
    mgn_theta theta;
    data.n = 4;
    mgn_theta_start(&theta, &data, w, (margin_real)0.2, false);
    ASSERT(w[3] == 1 && w[4] == 7 && theta.total == 4);
    mgn_theta_update(&theta, mu);
    ASSERT_EQ_FMT((size_t)2, theta.mistakes, "%zu");
    ASSERT(w[0] == 2 && w[1] == 1 && w[2] == 2 && w[3] == 1 && w[4] == 7);
    ASSERT(theta.total == 6);
    ASSERT_IN_RANGE((0.7 + 0.1) / 4, (double)theta.deficit, TIGHT);
    ASSERT_IN_RANGE((2 * fabs(2.0 / 6 - 0.5) + 2 * (1.0 / 6)) / 2, (double)theta.uneven, TIGHT);
    PASS();
}

/* Zero is a margin that can be asked for. */
TEST theta_may_be_zero(void) {
    static problem p;
    margin_proto_options o = method(MARGIN_PROTO_TVQ, 1, 2);
    margin_proto_report report;
    trained t;
    size_t size;
    problem_make(&p, 12, 200, 6, 3, 3);
    o.theta = MARGIN_ZERO;
    size = margin_proto_train_size(200, 6, 3, &o);
    t.bytes = malloc(size + MARGIN_ALIGN);
    t.mem = margin_arena_make(t.bytes, size + MARGIN_ALIGN);
    ASSERT(margin_proto_train(&p.data, &o, &t.mem, &t.model, &t.info, &report) >= 0);
    ASSERT_EQ_FMT(errors(&p.data, &t.model), report.mistakes, "%zu");
    free(t.bytes);
    PASS();
}

TEST tvq_makes_fewer_mistakes_than_hss(void) {
    static problem p;
    size_t before = 0, after = 0, plain = 0;
    for (uint32_t seed = 1; seed <= 10u; seed++) {
        margin_proto_options o = method(MARGIN_PROTO_HSS, 1, 2);
        trained t;
        problem_make(&p, 100 + seed, 240, 8, 4, 2.2);
        t = train(&p.data, &o);
        before += errors(&p.data, &t.model);
        free(t.bytes);
        o.method = MARGIN_PROTO_TVQ;
        o.theta = (margin_real)0.1;
        t = train(&p.data, &o);
        after += errors(&p.data, &t.model);
        ASSERT(t.report.mistakes > 0 && t.report.uneven > 0 && t.report.uneven < 1);
        free(t.bytes);
        o.plain = true;
        t = train(&p.data, &o);
        plain += errors(&p.data, &t.model);
        ASSERT_EQ(0u, t.report.mistakes);
        free(t.bytes);
    }
    ASSERT(after < before);
    ASSERT(after < plain);
    PASS();
}

TEST validation_keeps_the_best_models_and_stops(void) {
    static problem p;
    margin_proto_options o = method(MARGIN_PROTO_TVQ, 2, 3);
    trained t;
    problem_make(&p, 77, 300, 8, 4, 2.5);
    o.validation = (margin_real)0.3;
    o.patience = 3;
    o.max_iterations = 500;
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    ASSERT(t.info.iterations < 500u);
    ASSERT(errors(&p.data, &t.model) < 150u);
    free(t.bytes);
    PASS();
}

/* Where patience has no end, training ends as without validation: when its rate has come down. */
TEST validation_without_end_leaves_the_end_to_the_rate(void) {
    static problem p;
    margin_proto_options o = method(MARGIN_PROTO_TVQ, 1, 1);
    trained t;
    problem_make(&p, 77, 60, 3, 2, 2.5);
    o.validation = (margin_real)0.3;
    o.patience = UINT16_MAX;
    o.max_iterations = UINT16_MAX;
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    ASSERT(t.info.converged && t.info.iterations < 5000u);
    free(t.bytes);
    PASS();
}

static bool stop_at_three(void *user, const margin_progress *at) {
    size_t *calls = (size_t *)user;
    (*calls)++;
    return at->iteration >= 3u;
}

TEST progress_can_stop_every_method(void) {
    static problem p;
    problem_make(&p, 8, 120, 6, 3, 2);
    for (unsigned which = MARGIN_PROTO_TVQ; which <= MARGIN_PROTO_NN; which++) {
        margin_proto_options o = method(which, 2, 2);
        size_t calls = 0;
        trained t;
        o.budget = 100;
        o.watch.progress = stop_at_three;
        o.watch.user = &calls;
        t = train(&p.data, &o);
        ASSERT_EQ_FMT(which == MARGIN_PROTO_HSS ? MARGIN_OK : MARGIN_W_STOPPED, t.status, "%d");
        /* nn is asked after its first round, the others before theirs */
        ASSERT_EQ_FMT((size_t)(which == MARGIN_PROTO_HSS  ? 0
                               : which == MARGIN_PROTO_NN ? 3
                                                          : 4),
                      calls, "%zu");
        ASSERT_EQ(MARGIN_OK, margin_model_check(&t.model));
        free(t.bytes);
    }
    PASS();
}

static bool stop_at_once(void *user, const margin_progress *at) {
    (void)user;
    return at->machines > 0;
}

/* nn with a budget had n = 0 and nth = 0, and margin_classify read outside its arrays. */
TEST a_training_stopped_at_once_has_a_model(void) {
    static problem p;
    problem_make(&p, 8, 120, 6, 3, 2);
    for (unsigned which = MARGIN_PROTO_TVQ; which <= MARGIN_PROTO_NN; which++) {
        margin_proto_options o = method(which, 2, 2);
        margin_real scores[3];
        trained t;
        o.budget = 30;
        o.neighbours = 5;
        o.watch.progress = stop_at_once;
        t = train(&p.data, &o);
        ASSERT_EQ_FMT(which == MARGIN_PROTO_HSS ? MARGIN_OK : MARGIN_W_STOPPED, t.status, "%d");
        ASSERT_EQ_FMT(MARGIN_OK, margin_model_check(&t.model), "%d");
        ASSERT(t.model.of.proto.nth == 1u && t.model.of.proto.n >= 3u);
        ASSERT(margin_classify(&t.model, p.x, scores) < 3u);
        free(t.bytes);
    }
    PASS();
}

static bool stop_at_one(void *user, const margin_progress *at) {
    (void)user;
    return at->iteration >= 1u;
}

/* td begins with centroids alone: stopped after its first step, its models are those of td without
 * tangents, to the bit, and all tangents are zero, those of the first model too. */
TEST td_begins_without_tangents(void) {
    static problem p;
    margin_proto_options none = method(MARGIN_PROTO_TD, 1, 0);
    trained bare;
    problem_make(&p, 33, 120, 6, 3, 2);
    none.rate = 1;
    none.max_iterations = 40;
    none.watch.progress = stop_at_one;
    bare = train(&p.data, &none);
    ASSERT_EQ_FMT(MARGIN_W_STOPPED, bare.status, "%d");
    for (unsigned tangents = 1; tangents <= 3u; tangents++) {
        margin_proto_options o = none;
        const size_t row = (1u + tangents) * 6u;
        trained t;
        o.tangents = (uint16_t)tangents;
        t = train(&p.data, &o);
        ASSERT_EQ_FMT(MARGIN_W_STOPPED, t.status, "%d");
        for (size_t m = 0; m < 3u; m++) {
            const margin_real *v = t.model.of.proto.vectors + m * row;
            ASSERT_EQ(0, memcmp(v, bare.model.of.proto.vectors + m * 6u, 6u * sizeof *v));
            for (size_t k = 6; k < row; k++) { ASSERT(!(v[k] < 0) && !(v[k] > 0)); }
        }
        free(t.bytes);
    }
    free(bare.bytes);
    PASS();
}

/* Every method, in arenas that held zeros and NaNs: equal bits of status, model and report. */
TEST what_the_arena_held_does_not_matter(void) {
    static problem p;
    static unsigned char bytes[2][1u << 20];
    static const size_t budgets[4] = {0, 20, 90, 200}; /* of 90 samples */
    problem_make(&p, 5, 90, 7, 3, 2);
    for (unsigned k = 0; k < 6u * 4u * 4u; k++) {
        margin_proto_options o = method(k % 6u, 1u + k / 24u % 2u, k / 24u);
        margin_model model[2];
        margin_info info[2];
        margin_status status[2];
        o.budget = budgets[k / 6u % 4u];
        o.start = (uint8_t)(k / 6u % 4u);
        o.validation = k % 5u == 0 ? (margin_real)0.2 : 0;
        o.max_iterations = 5;
        for (unsigned r = 0; r < 2u; r++) {
            margin_arena mem;
            memset(bytes[r], r == 0 ? 0 : 0xFF, sizeof bytes[r]);
            memset(&info[r], 0, sizeof info[r]);
            memset(&model[r], 0, sizeof model[r]);
            mem = margin_arena_make(bytes[r], sizeof bytes[r]);
            status[r] = margin_proto_train(&p.data, &o, &mem, &model[r], &info[r], NULL);
        }
        ASSERT_EQ_FMT(MARGIN_OK, margin_model_check(&model[0]), "%d");
        ASSERT_EQ(status[0], status[1]);
        ASSERT_EQ(0, memcmp(&info[0], &info[1], sizeof info[0]));
        ASSERT_EQ(model[0].of.proto.n, model[1].of.proto.n);
        ASSERT_EQ(0, memcmp(model[0].of.proto.vectors, model[1].of.proto.vectors,
                            model[0].of.proto.n * (1u + model[0].of.proto.tangents) * 7u *
                                sizeof(margin_real)));
    }
    PASS();
}

/* ---- the others ---- */

TEST codebooks_and_neurons_separate_clouds(void) {
    static problem p;
    static const unsigned methods[] = {MARGIN_PROTO_LVQ, MARGIN_PROTO_OLVQ1, MARGIN_PROTO_TD};
    for (size_t m = 0; m < 3u; m++) {
        size_t wrong = 0;
        for (uint32_t seed = 1; seed <= 5u; seed++) {
            margin_proto_options o = method(methods[m], m == 2u ? 1u : 4u, 2);
            trained t;
            o.seed = seed;
            problem_make(&p, 30 + seed, 200, 8, 4, 0.5);
            t = train(&p.data, &o);
            ASSERT_EQ(MARGIN_OK, t.status);
            ASSERT_EQ(m == 2u ? 2u : 0u, t.model.of.proto.tangents);
            wrong += errors(&p.data, &t.model);
            free(t.bytes);
        }
        ASSERT(wrong < 20u); /* of 1000 */
    }
    PASS();
}

/* Weights count by their ratios: with all of them times a power of two, the bits are the same. */
TEST the_unit_of_weights_does_not_matter_to_codebooks(void) {
    static problem p;
    static const unsigned methods[] = {MARGIN_PROTO_LVQ, MARGIN_PROTO_OLVQ1};
    problem_make(&p, 34, 200, 8, 4, 2);
    for (size_t m = 0; m < 4u; m++) {
        const margin_proto_options o = method(methods[m % 2u], 3, 0);
        const int power = sizeof(margin_real) > 4 ? 600 : 70;
        margin_real weight[200], large[200];
        margin_data data = p.data;
        trained one, other;
        for (size_t i = 0; i < 200u; i++) {
            weight[i] = (margin_real)(1u + i % 3u);
            large[i] = (margin_real)ldexp((double)weight[i], m < 2u ? power : -power);
        }
        data.weight = weight;
        one = train(&data, &o);
        data.weight = large;
        other = train(&data, &o);
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)one.status, "%d");
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)other.status, "%d");
        ASSERT_MEM_EQ(one.model.of.proto.vectors, other.model.of.proto.vectors,
                      one.model.of.proto.n * 8u * sizeof(margin_real));
        free(one.bytes), free(other.bytes);
    }
    PASS();
}

TEST one_nearest_neighbour_knows_its_samples(void) {
    static problem p;
    const margin_proto_options o = method(MARGIN_PROTO_NN, 0, 0);
    trained t;
    problem_make(&p, 12, 200, 5, 4, 3);
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    ASSERT_EQ(200u, t.model.of.proto.n);
    ASSERT_EQ(0u, errors(&p.data, &t.model));
    free(t.bytes);
    PASS();
}

/* With two classes and odd k the class with (k+1)/2 samples first has the most of the k nearest. */
TEST the_nearest_neighbours_vote(uint16_t neighbours) {
    static problem p;
    margin_proto_options o = method(MARGIN_PROTO_NN, 0, 0);
    margin_rng rng = margin_rng_make(4);
    trained t;
    problem_make(&p, 13, 90, 3, 2, 3);
    o.neighbours = neighbours;
    t = train(&p.data, &o);
    ASSERT_EQ((neighbours + 1u) / 2u, t.model.of.proto.nth);
    for (size_t trial = 0; trial < 300u; trial++) {
        margin_real x[3], z[2];
        size_t votes = 0;
        double floor_ = -1;
        for (size_t k = 0; k < 3u; k++) { x[k] = 3 * margin_rng_normal(&rng); }
        for (size_t j = 0; j < neighbours; j++) { /* the next nearest */
            double least = 1e30;
            size_t who = 0;
            for (size_t i = 0; i < 90u; i++) {
                double d = 0;
                for (size_t k = 0; k < 3u; k++) {
                    d += (double)(x[k] - p.x[i * 3u + k]) * (double)(x[k] - p.x[i * 3u + k]);
                }
                if (d > floor_ && d < least) {
                    least = d;
                    who = p.y[i];
                }
            }
            floor_ = least;
            votes += who;
        }
        ASSERT_EQ(2u * votes > neighbours ? 1 : 0, margin_classify(&t.model, x, z));
    }
    free(t.bytes);
    PASS();
}

TEST a_condensed_set_still_knows_all_samples(void) {
    static problem p;
    margin_proto_options o = method(MARGIN_PROTO_NN, 0, 0);
    trained t;
    problem_make(&p, 14, 300, 5, 3, 0.8);
    o.budget = 150;
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    ASSERT(t.info.converged);
    ASSERT_EQ(150u, t.model.of.proto.n);
    ASSERT_EQ(0u, errors(&p.data, &t.model));
    ASSERT(t.info.margin_min > 0);
    free(t.bytes);
    o.budget = 5;
    t = train(&p.data, &o);
    ASSERT_EQ(5u, t.model.of.proto.n);
    ASSERT_FALSE(t.info.converged);
    free(t.bytes);
    o.budget = 1; /* less than one a class: one a class */
    t = train(&p.data, &o);
    ASSERT_EQ(3u, t.model.of.proto.n);
    free(t.bytes);
    PASS();
}

/* ---- what can go wrong ---- */

TEST more_tangents_than_samples_or_features_are_cut(void) {
    static problem p;
    for (unsigned which = MARGIN_PROTO_TVQ; which <= MARGIN_PROTO_TD; which++) {
        const margin_proto_options o = method(which, 1, 20);
        trained t;
        problem_make(&p, 15, 12, 6, 4, 1); /* three samples a class: two directions */
        t = train(&p.data, &o);
        ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
        ASSERT_EQ_FMT(which == MARGIN_PROTO_LVQ || which == MARGIN_PROTO_OLVQ1 ? 0u : 5u,
                      (unsigned)t.model.of.proto.tangents, "%u");
        if (which == MARGIN_PROTO_HSS) {
            const margin_real *v = t.model.of.proto.vectors;
            ASSERT_IN_RANGE(1, margin_norm2(v + 2 * 6, 6), 1e-4);
            ASSERT_EQ(0, margin_norm2(v + 3 * 6, 6)); /* the third tangent of the first class */
        }
        ASSERT_EQ(MARGIN_OK, margin_model_check(&t.model));
        free(t.bytes);
    }
    PASS();
}

TEST one_feature_leaves_no_room_for_tangents(void) {
    static problem p;
    const margin_proto_options o = method(MARGIN_PROTO_TVQ, 1, 3);
    trained t;
    problem_make(&p, 16, 30, 1, 2, 1);
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    ASSERT_EQ(0u, t.model.of.proto.tangents);
    free(t.bytes);
    PASS();
}

TEST samples_that_are_all_alike_give_a_centroid_and_no_tangents(void) {
    static problem p;
    problem_make(&p, 17, 40, 4, 2, 0);
    for (size_t i = 0; i < 40u; i++) {
        for (size_t k = 0; k < 4u; k++) { p.x[i * 4u + k] = p.y[i] == 0 ? 1 : 2; }
    }
    for (unsigned which = MARGIN_PROTO_TVQ; which <= MARGIN_PROTO_NN; which++) {
        for (unsigned models = 1; models <= 3u; models++) {
            margin_proto_options o = method(which, models, 2);
            trained t;
            o.start = (uint8_t)(models == 3u ? MARGIN_START_CLUSTERS : MARGIN_START_HSS);
            t = train(&p.data, &o);
            ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
            ASSERT_EQ(0u, errors(&p.data, &t.model));
            ASSERT_IN_RANGE(1, t.model.of.proto.vectors[0],
                            which == MARGIN_PROTO_TD ? 0.2 : 1e-4); /* neurons move apart */
            free(t.bytes);
        }
    }
    PASS();
}

TEST the_same_sample_in_both_classes_has_margin_zero(void) {
    static problem p;
    problem_make(&p, 18, 20, 3, 2, 0);
    for (size_t i = 0; i < 60u; i++) { p.x[i] = 1; }
    for (unsigned which = MARGIN_PROTO_TVQ; which <= MARGIN_PROTO_NN; which++) {
        margin_proto_options o = method(which, 2, 1);
        margin_real z[2];
        trained t;
        o.budget = 7;
        t = train(&p.data, &o);
        ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
        margin_scores(&t.model, p.x, z);
        ASSERT_EQ(0, margin_margin(MARGIN_SCHEME_NEAREST, 2, z, 1));
        free(t.bytes);
    }
    PASS();
}

TEST bad_data_and_options_are_refused(void) {
    static problem p;
    static unsigned char bytes[1u << 18];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_proto_options o = method(MARGIN_PROTO_TVQ, 1, 2);
    margin_model model;
    margin_data data;
    margin_real weight[30];
    problem_make(&p, 19, 30, 4, 2, 1);
    data = p.data;
    for (size_t i = 0; i < 30u; i++) {
        p.y[i] = 0;
        weight[i] = i % 2u == 0 ? 1 : 0;
    }
    ASSERT_EQ(MARGIN_E_ONE_CLASS, margin_proto_train(&data, &o, &mem, &model, NULL, NULL));
    p.y[3] = 2; /* class 1 is empty */
    ASSERT_EQ(MARGIN_E_ONE_CLASS, margin_proto_train(&data, &o, &mem, &model, NULL, NULL));
    for (size_t i = 0; i < 30u; i++) { p.y[i] = (uint16_t)(i % 2u); }
    data.weight = weight; /* class 1 has no weight */
    ASSERT_EQ(MARGIN_E_ONE_CLASS, margin_proto_train(&data, &o, &mem, &model, NULL, NULL));
    data.weight = NULL;
    p.x[5] = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_proto_train(&data, &o, &mem, &model, NULL, NULL));
    p.x[5] = MGN_HUGE / 4;
    ASSERT_EQ(MARGIN_E_RANGE, margin_proto_train(&data, &o, &mem, &model, NULL, NULL));
    p.x[5] = 0;
    o.tangents = MARGIN_PROTO_TANGENTS + 1u;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_train(&data, &o, &mem, &model, NULL, NULL));
    ASSERT_EQ(0u, margin_proto_train_size(30, 4, 2, &o));
    o = method(MARGIN_PROTO_NN + 1, 1, 0);
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_train(&data, &o, &mem, &model, NULL, NULL));
    o = method(MARGIN_PROTO_TVQ, 1, 0);
    o.theta = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_train(&data, &o, &mem, &model, NULL, NULL));
    o.theta = 0;
    o.validation = 1;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_train(&data, &o, &mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_train(&data, NULL, NULL, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_train(&data, NULL, &mem, NULL, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_train(NULL, NULL, &mem, &model, NULL, NULL));
    ASSERT_EQ(0u, mem.low);
    ASSERT_EQ(MARGIN_OK, margin_proto_train(&data, NULL, &mem, &model, NULL, NULL));
    PASS();
}

/* ---- memory ---- */

typedef struct {
    problem *p;
    margin_proto_options o;
    margin_model out;
} sweep_problem;

static margin_status sweep_run(margin_arena *mem, void *user) {
    sweep_problem *s = (sweep_problem *)user;
    return margin_proto_train(&s->p->data, &s->o, mem, &s->out, NULL, NULL);
}

#define SIDES 2u /* tangents of a sample, where it has some */

TEST memory_is_what_the_size_query_says(void) {
    static problem p;
    static margin_real sides[24u * SIDES * 5u];
    sweep_problem s;
    problem_make(&p, 20, 24, 5, 2, 1);
    for (size_t i = 0; i < 24u * SIDES * 5u; i++) {
        sides[i] = p.x[i % 120u] + (margin_real)(i % 7u);
    }
    s.p = &p;
    for (unsigned which = MARGIN_PROTO_TVQ; which <= MARGIN_PROTO_NN; which++) {
        s.o = method(which, 2, 2);
        s.o.start = (uint8_t)(which == MARGIN_PROTO_HSS ? MARGIN_START_CLUSTERS : 0);
        s.o.budget = 9;
        s.o.max_iterations = 2;
        s.o.sides = sides;
        s.o.side = which % 2u == 0 ? 0 : SIDES;
        CHECK_CALL(arena_sweep(sweep_run, &s, margin_proto_train_size(24, 5, 2, &s.o), &s.out,
                               sizeof s.out));
    }
    PASS();
}

typedef struct {
    size_t bytes;
    unsigned which;
    size_t n, d, classes;
    unsigned models, tangents;
    size_t budget;
} constant_case;

TEST the_constant_expression_is_the_size_query(void) {
    static const constant_case cases[] = {
        {MARGIN_PROTO_BYTES(100, 7, 3, 1, 0), MARGIN_PROTO_TVQ, 100, 7, 3, 1, 0, 0},
        {MARGIN_PROTO_BYTES(900, 64, 10, 3, 15), MARGIN_PROTO_TVQ, 900, 64, 10, 3, 15, 0},
        {MARGIN_PROTO_BYTES(40, 300, 10, 1, 32), MARGIN_PROTO_TD, 40, 300, 10, 1, 32, 0},
        {MARGIN_PROTO_HSS_BYTES(100, 7, 3, 1, 0), MARGIN_PROTO_HSS, 100, 7, 3, 1, 0, 0},
        {MARGIN_PROTO_HSS_BYTES(900, 64, 10, 3, 15), MARGIN_PROTO_HSS, 900, 64, 10, 3, 15, 0},
        {MARGIN_PROTO_HSS_BYTES(33, 201, 4, 2, 5), MARGIN_PROTO_HSS, 33, 201, 4, 2, 5, 0},
        {MARGIN_PROTO_LVQ_BYTES(900, 64, 10, 16), MARGIN_PROTO_LVQ, 900, 64, 10, 16, 3, 0},
        {MARGIN_PROTO_LVQ_BYTES(33, 1, 2, 1), MARGIN_PROTO_OLVQ1, 33, 1, 2, 1, 0, 0},
        {MARGIN_PROTO_NN_BYTES(900, 64, 10, 900), MARGIN_PROTO_NN, 900, 64, 10, 0, 0, 0},
        {MARGIN_PROTO_NN_BYTES(900, 64, 10, 80), MARGIN_PROTO_NN, 900, 64, 10, 0, 0, 80},
        {MARGIN_PROTO_NN_BYTES(901, 65, 10, 3), MARGIN_PROTO_NN, 901, 65, 10, 0, 0, 3},
        {MARGIN_PROTO_NN_BYTES(70, 300, 10, 99), MARGIN_PROTO_NN, 70, 300, 10, 0, 0, 99}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const constant_case *c = &cases[i];
        margin_proto_options o = method(c->which, c->models, c->tangents);
        o.budget = c->budget;
        ASSERT_EQ_FMT(c->bytes,
                      margin_proto_train_size(c->n, c->d, c->classes, &o) + MARGIN_ALIGN - 1u,
                      "%zu");
    }
    PASS();
}

/* ---- tangents on both sides ---- */

/* The b for which |v - A b| is least, A of `count` columns (stored as rows of d), by the normal
 * equations; v becomes what is left. */
static void naive_fit(const double *a, size_t count, size_t d, double *v, double *b) {
    double m[12][13];
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j <= count; j++) {
            m[i][j] = 0;
            for (size_t k = 0; k < d; k++) {
                m[i][j] += a[i * d + k] * (j < count ? a[j * d + k] : v[k]);
            }
        }
    }
    for (size_t i = 0; i < count; i++) { /* Gauss and Jordan: positive definite, no pivots needed */
        for (size_t r = 0; r < count; r++) {
            const double f = r == i ? 0 : m[r][i] / m[i][i];
            for (size_t j = 0; j <= count; j++) { m[r][j] -= f * m[i][j]; }
        }
    }
    for (size_t i = 0; i < count; i++) {
        b[i] = m[i][count] / m[i][i];
        for (size_t k = 0; k < d; k++) { v[k] -= b[i] * a[i * d + k]; }
    }
}

/* The distance of the planes of sample and model, its square; a: what the sample moves. */
static double naive_between(const double *c, size_t tangents, const margin_real *x,
                            const margin_real *sides, size_t d, double *a) {
    double columns[12 * WIDE], v[WIDE], b[12], sum = 0;
    for (size_t k = 0; k < d; k++) {
        v[k] = (double)x[k] - c[k];
        for (size_t j = 0; j < tangents; j++) { columns[j * d + k] = c[(j + 1u) * d + k]; }
        for (size_t j = 0; j < SIDES; j++) {
            columns[(tangents + j) * d + k] = (double)sides[j * d + k];
        }
    }
    naive_fit(columns, tangents + SIDES, d, v, b);
    for (size_t k = 0; k < d; k++) { sum += v[k] * v[k]; }
    for (size_t j = 0; j < SIDES; j++) { a[j] = -b[tangents + j]; }
    return sum;
}

TEST planes_are_apart_as_the_hand_calculation_says(void) {
    static const margin_real x[] = {5, 3}, along[] = {1, 1}, second[] = {0, 2};
    margin_model m = hand_model();
    margin_real work[2 * 3], scores[2], plain[2];
    margin_proto_scores(&m.of.proto, x, plain);
    ASSERT_EQ(MARGIN_OK, margin_proto_two_sided(&m.of.proto, x, NULL, 0, work, scores));
    ASSERT_IN_RANGE(plain[0], scores[0], 1e-6);
    ASSERT_IN_RANGE(plain[1], scores[1], 1e-6);
    /* Lines of the plane meet, unless they have one direction. */
    ASSERT_EQ(MARGIN_OK, margin_proto_two_sided(&m.of.proto, x, along, 1, work, scores));
    ASSERT_IN_RANGE(0, scores[0], 1e-9);
    ASSERT_IN_RANGE(0, scores[1], 1e-9);
    ASSERT_EQ(MARGIN_OK, margin_proto_two_sided(&m.of.proto, x, second, 1, work, scores));
    ASSERT_IN_RANGE(0, scores[0], 1e-9);
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_two_sided(&m.of.proto, x, NULL, 1, work, scores));
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_proto_two_sided(&m.of.proto, x, along, MARGIN_PROTO_SIDES + 1u, work, scores));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_two_sided(NULL, x, along, 1, work, scores));
    PASS();
}

/* Random tangents for the samples of a problem. */
static void sides_make(const problem *p, uint32_t seed, margin_real *sides) {
    margin_rng rng = margin_rng_make(seed);
    for (size_t i = 0; i < p->data.n * SIDES * p->data.d; i++) {
        sides[i] = margin_rng_normal(&rng);
    }
}

TEST distances_of_planes_are_least_squares(void) {
    static problem p;
    static margin_real sides[MOST * SIDES * WIDE];
    margin_real offset[WIDE], factor[WIDE], scores[8], work[(SIDES + 1u) * WIDE];
    for (unsigned round = 0; round < 20u; round++) {
        const size_t d = 6u + round % 9u;
        margin_proto_options o = method(MARGIN_PROTO_HSS, 1, round % 4u);
        double c[4 * WIDE], a[SIDES];
        trained t;
        problem_make(&p, 60u + round, 60, d, 3, 1);
        sides_make(&p, round, sides);
        t = train(&p.data, &o);
        ASSERT_EQ(MARGIN_OK, t.status);
        for (size_t k = 0; k < d; k++) {
            offset[k] = (margin_real)k;
            factor[k] = (margin_real)0.5;
        }
        for (size_t i = 0; i < 20u; i++) {
            const margin_real *s = sides + i * SIDES * d;
            ASSERT_EQ(MARGIN_OK, margin_proto_two_sided(&t.model.of.proto, p.x + i * d, s, SIDES,
                                                        work, scores));
            for (size_t m = 0; m < 3u; m++) {
                double want;
                for (size_t k = 0; k < (1u + o.tangents) * d; k++) {
                    c[k] = (double)t.model.of.proto.vectors[m * (1u + o.tangents) * d + k];
                }
                want = naive_between(c, o.tangents, p.x + i * d, s, d, a);
                ASSERT_IN_RANGE(want, scores[m], LOOSE * (1 + want));
            }
        }
        /* Tangents of raw values: a model that halves them sees half of a tangent, the same plane. */
        t.model.of.proto.offset = offset;
        t.model.of.proto.factor = factor;
        for (size_t k = 0; k < d; k++) { p.x[k] = (margin_real)k + 2 * p.x[d + k]; }
        margin_proto_two_sided(&t.model.of.proto, p.x, sides + SIDES * d, SIDES, work, scores);
        t.model.of.proto.offset = t.model.of.proto.factor = NULL;
        {
            margin_real again[8];
            margin_proto_two_sided(&t.model.of.proto, p.x + d, sides + SIDES * d, SIDES, work,
                                   again);
            ASSERT_IN_RANGE(again[1], scores[1], LOOSE * (1 + (double)again[1]));
        }
        free(t.bytes);
    }
    PASS();
}

/* One turn of two-sided hss: the samples of class 0 meet the model, mean and leading directions of
 * where they do are the new one. Returns [7] of the model given. */
static double naive_turn(const problem *p, const margin_real *sides, double *c, size_t tangents) {
    const size_t d = p->data.d;
    double y[40][WIDE], mean[WIDE] = {0}, sum = 0, a[SIDES], count = 0;
    for (size_t i = 0; i < p->data.n; i += 2u) {
        sum += naive_between(c, tangents, p->x + i * d, sides + i * SIDES * d, d, a);
        for (size_t k = 0; k < d; k++) {
            y[i / 2u][k] = (double)p->x[i * d + k];
            for (size_t j = 0; j < SIDES; j++) {
                y[i / 2u][k] += a[j] * (double)sides[(i * SIDES + j) * d + k];
            }
            mean[k] += y[i / 2u][k];
        }
        count++;
    }
    for (size_t k = 0; k < d; k++) { c[k] = mean[k] / count; }
    for (unsigned power = 0; power < 3000u; power++) { /* orthogonal iteration */
        double next[4 * WIDE] = {0};
        for (size_t i = 0; i < (size_t)count; i++) {
            for (size_t j = 1; j <= tangents; j++) {
                double dot = 0;
                for (size_t k = 0; k < d; k++) { dot += (y[i][k] - c[k]) * c[j * d + k]; }
                for (size_t k = 0; k < d; k++) { next[j * d + k] += dot * (y[i][k] - c[k]); }
            }
        }
        for (size_t j = 1; j <= tangents; j++) {
            double norm = 0;
            for (size_t l = 1; l < j; l++) {
                double dot = 0;
                for (size_t k = 0; k < d; k++) { dot += next[j * d + k] * c[l * d + k]; }
                for (size_t k = 0; k < d; k++) { next[j * d + k] -= dot * c[l * d + k]; }
            }
            for (size_t k = 0; k < d; k++) { norm += next[j * d + k] * next[j * d + k]; }
            for (size_t k = 0; k < d; k++) { c[j * d + k] = next[j * d + k] / sqrt(norm); }
        }
    }
    return sum / count;
}

TEST two_sided_hss_is_that_of_the_naive_turns(void) {
    static problem p;
    static margin_real sides[40u * SIDES * WIDE];
    for (unsigned round = 0; round < 6u; round++) {
        const size_t d = 9, tangents = 1u + round % 2u;
        margin_proto_options o = method(MARGIN_PROTO_HSS, 1, (unsigned)tangents);
        double c[4 * WIDE], again[4 * WIDE], value, last = 1e300, first;
        trained one, two;
        problem_make(&p, 400u + round, 40, d, 2, 0.5);
        sides_make(&p, round, sides);
        one = train(&p.data, &o);
        o.sides = sides;
        o.side = SIDES;
        two = train(&p.data, &o);
        ASSERT_EQ(MARGIN_OK, two.status);
        for (size_t k = 0; k < (1u + tangents) * d; k++) {
            c[k] = (double)one.model.of.proto.vectors[k];
        }
        first = value = naive_turn(&p, sides, c, tangents);
        for (unsigned t = 0; t < 19u && value < 0.999 * last; t++) {
            last = value;
            memcpy(again, c, sizeof again);
            value = naive_turn(&p, sides, again, tangents);
            ASSERT(value <= last * 1.000001);
            if (value < 0.999 * last) { memcpy(c, again, sizeof again); }
        }
        for (size_t k = 0; k < (1u + tangents) * d; k++) {
            again[k] = (double)two.model.of.proto.vectors[k];
        }
        ASSERT_IN_RANGE(value, naive_turn(&p, sides, again, tangents), 2e-3 * first);
        ASSERT(value < first);
        free(one.bytes);
        free(two.bytes);
    }
    PASS();
}

TEST tangents_of_samples_that_are_no_good_are_refused(void) {
    static problem p;
    static margin_real sides[40u * SIDES * WIDE];
    margin_proto_options o = method(MARGIN_PROTO_TVQ, 1, 2);
    trained t;
    problem_make(&p, 1, 40, 6, 2, 1);
    sides_make(&p, 1, sides);
    o.side = SIDES;
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_E_ARGUMENT, t.status); /* none there */
    free(t.bytes);
    o.sides = sides;
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    free(t.bytes);
    sides[100] = (margin_real)NAN;
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_E_NOT_FINITE, t.status);
    free(t.bytes);
    sides[100] = MGN_HUGE;
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_E_RANGE, t.status);
    free(t.bytes);
    memset(sides, 0, sizeof sides); /* no directions at all: one-sided */
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    free(t.bytes);
    o.side = MARGIN_PROTO_SIDES + 1u;
    ASSERT_EQ(0, margin_proto_train_size(40, 6, 2, &o));
    PASS();
}

TEST tangents_of_pictures_are_their_derivatives(void) {
    enum { W = 7, H = 5, D = W * H };
    margin_real image[D], out[MARGIN_PICTURE_TANGENTS * D];
    for (size_t i = 0; i < D; i++) { /* a quadratic: central differences are exact inside */
        const double x = (double)(i % W) - 3, y = (double)(i / W) - 2;
        image[i] = (margin_real)(1 + 2 * x - y + x * x / 2 + 3 * x * y - y * y);
    }
    ASSERT_EQ(MARGIN_OK, margin_picture_tangents(image, W, H, MARGIN_PICTURE_TANGENTS, out));
    for (size_t i = 0; i < D; i++) {
        const double x = (double)(i % W) - 3, y = (double)(i / W) - 2;
        const double dx = 2 + x + 3 * y, dy = -1 + 3 * x - 2 * y;
        const double want[] = {dx,
                               dy,
                               x * dx + y * dy,
                               y * dx - x * dy,
                               x * dx - y * dy,
                               y * dx + x * dy,
                               dx * dx + dy * dy};
        for (size_t j = 0; j < MARGIN_PICTURE_TANGENTS && i % W % (W - 1) != 0; j++) {
            if (i / W % (H - 1) != 0) { ASSERT_IN_RANGE(want[j], out[j * D + i], 1e-3); }
        }
    }
    ASSERT_IN_RANGE((double)(image[1] - image[0]) / 2, out[0], 1e-6); /* at the edge half a step */
    ASSERT_EQ(MARGIN_OK, margin_picture_tangents(image, 1, 1, 2, out));
    ASSERT_EQ(0, (int)out[0]);
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_picture_tangents(image, 0, 5, 1, out));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_picture_tangents(NULL, 5, 5, 1, out));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_picture_tangents(image, 5, 5, 8, out));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_picture_tangents(image, SIZE_MAX, 5, 1, out));
    PASS();
}

/* ---- re-weighting ---- */

TEST weights_come_to_be_uniform_over_the_mistakes(void) {
    static margin_real w[50], margins[50];
    margin_data data = {NULL, 50, 1, 0, NULL, NULL, NULL};
    for (unsigned even = 0; even < 2u; even++) {
        mgn_theta t;
        margin_real last = 1;
        for (size_t i = 0; i < 50u; i++) { margins[i] = (margin_real)i / 50; }
        mgn_theta_start(&t, &data, w, (margin_real)0.19, even != 0);
        ASSERT_EQ(50, t.total);
        for (unsigned round = 0; round < 200u; round++) {
            mgn_theta_update(&t, margins);
            ASSERT_EQ(10u, t.mistakes);
            ASSERT(t.uneven < last);
            last = t.uneven;
        }
        /* w = 1 + 200 k for ten of fifty: the other forty hold 40 / (50 + 2000 k) */
        ASSERT_IN_RANGE(even != 0 ? 40.0 / 10050.0 : 40.0 / 2050.0, t.uneven, 1e-5);
        ASSERT_IN_RANGE((0.19 * 10 - 0.9) / 50, t.deficit, 1e-6);
    }
    PASS();
}

static margin_status learn_svm(void *user, const margin_data *data, margin_arena *mem,
                               margin_model *model) {
    return margin_svm_train(data, (const margin_svm_options *)user, mem, model, NULL, NULL);
}

static margin_status learn_mam(void *user, const margin_data *data, margin_arena *mem,
                               margin_model *model) {
    return margin_mam_train(data, (const margin_mam_options *)user, mem, model, NULL);
}

static margin_status learn_never(void *user, const margin_data *data, margin_arena *mem,
                                 margin_model *model) {
    (void)user;
    (void)data;
    (void)mem;
    (void)model;
    return MARGIN_E_NO_DIRECTION;
}

static double deficit_of(const margin_data *data, const margin_model *model, double theta) {
    double sum = 0;
    for (size_t i = 0; i < data->n; i++) {
        margin_real z[8];
        const margin_vote *vote = margin_model_vote(model);
        margin_scores(model, data->x + i * data->d, z);
        sum += fmax(0, theta - (double)margin_margin(vote->scheme, vote->classes, z, data->y[i]));
    }
    return sum / (double)data->n;
}

TEST reweighting_drives_mam_and_svm(void) {
    static problem p;
    static unsigned char bytes[1u << 20];
    margin_mam_options mam;
    margin_svm_options svm;
    margin_theta_options strategy;
    memset(&mam, 0, sizeof mam);
    memset(&svm, 0, sizeof svm);
    memset(&strategy, 0, sizeof strategy);
    mam.intercept = true;
    svm.c = (margin_real)0.01;
    strategy.rounds = 30;
    problem_make(&p, 41, 120, 4, 2, 2);
    for (unsigned which = 0; which < 2u; which++) {
        const margin_learner learner = {which == 0 ? learn_mam : learn_svm,
                                        which == 0 ? (void *)&mam : (void *)&svm,
                                        which == 0 ? margin_mam_train_size(120, 4, 2, &mam)
                                                   : margin_svm_train_size(120, 4, 2, &svm)};
        margin_arena mem = margin_arena_make(bytes, sizeof bytes);
        margin_model first, model;
        margin_info info;
        margin_proto_report report;
        double before, after;
        strategy.theta = which == 0 ? (margin_real)0.5 : 1;
        ASSERT_EQ(MARGIN_OK, learner.train(learner.user, &p.data, &mem, &first));
        before = deficit_of(&p.data, &first, (double)strategy.theta);
        ASSERT(margin_theta_train(&p.data, &learner, &strategy, &mem, &model, &info, &report) >= 0);
        after = deficit_of(&p.data, &model, (double)strategy.theta);
        ASSERT(after <= before);
        ASSERT(which == 1u || after < before);
        ASSERT(report.mistakes > 0 && report.uneven < 1);
        ASSERT(info.iterations > 1u);
    }
    PASS();
}

typedef struct {
    problem *p;
    margin_learner learner;
    margin_model out;
} theta_problem;

static margin_status theta_run(margin_arena *mem, void *user) {
    theta_problem *s = (theta_problem *)user;
    return margin_theta_train(&s->p->data, &s->learner, NULL, mem, &s->out, NULL, NULL);
}

TEST reweighting_refuses_what_it_cannot_do(void) {
    static problem p;
    margin_mam_options mam;
    theta_problem s;
    size_t size;
    void *bytes;
    margin_arena mem;
    memset(&mam, 0, sizeof mam);
    problem_make(&p, 42, 30, 3, 2, 2);
    s.p = &p;
    s.learner.train = learn_never;
    s.learner.user = &mam;
    s.learner.bytes = margin_mam_train_size(30, 3, 2, &mam);
    size = margin_theta_train_size(30, 30, 2, s.learner.bytes) + MARGIN_ALIGN;
    bytes = malloc(size);
    mem = margin_arena_make(bytes, size);
    ASSERT_EQ(MARGIN_E_NO_DIRECTION, theta_run(&mem, &s));
    ASSERT_EQ(0u, mem.low);
    s.learner.train = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT, theta_run(&mem, &s));
    s.learner.train = learn_mam;
    ASSERT(theta_run(&mem, &s) >= 0);
    mem = margin_arena_make(bytes, size / 2u);
    ASSERT_EQ(MARGIN_E_MEMORY, theta_run(&mem, &s));
    ASSERT_EQ(0u, mem.low);
    free(bytes);
    PASS();
}

/* ---- with the rest of the library ---- */

TEST a_model_survives_its_image(void) {
    static problem p;
    static unsigned char image[65536], bytes[65536];
    for (uint32_t seed = 1; seed <= 6u; seed++) {
        trained t = random_model(&p, seed, 3u + seed, seed % 3u, 1u + seed % 2u);
        margin_arena mem = margin_arena_make(bytes, sizeof bytes);
        const size_t size = margin_image_size(&t.model, 3);
        margin_model back;
        size_t count;
        ASSERT(size > 0 && size <= sizeof image);
        ASSERT_EQ(MARGIN_OK, margin_image_write(&t.model, "abc", 3, image, sizeof image));
        ASSERT_EQ_FMT(MARGIN_OK, margin_image_load(image, size, &mem, &back), "%d");
        ASSERT_EQ(MARGIN_MODEL_PROTO, back.kind);
        ASSERT_EQ(0, memcmp(margin_image_notes(image, &count), "abc", 3));
        for (size_t i = 0; i < p.data.n; i++) {
            margin_real a[4], b[4];
            margin_scores(&t.model, p.x + i * p.data.d, a);
            margin_scores(&back, p.x + i * p.data.d, b);
            for (size_t c = 0; c < 4u; c++) { ASSERT_IN_RANGE(a[c], b[c], 2e-4 * (1 + a[c])); }
        }
        t.model.of.proto.nth = 0;
        ASSERT_EQ(MARGIN_E_RANGE, margin_model_check(&t.model));
        t.model.of.proto.nth = 1;
        t.model.of.proto.vote.scheme = MARGIN_SCHEME_ONE_REST;
        ASSERT_EQ(MARGIN_E_RANGE, margin_model_check(&t.model));
        free(t.bytes);
    }
    PASS();
}

/* ---- integers ---- */

/* Rounds the samples to whole numbers of a sensor's range. */
static void problem_whole(problem *p, double unit) {
    for (size_t i = 0; i < p->data.n * p->data.d; i++) {
        p->x[i] = (margin_real)floor((double)p->x[i] * unit + 0.5);
    }
}

typedef struct {
    void *bytes;
    margin_status status;
    margin_quant quant;
    margin_quant_info info;
} quantised;

static quantised quantise(const trained *t, const margin_data *data, unsigned format, bool whole) {
    const margin_quant_options o = {(uint8_t)format, whole};
    quantised q;
    const size_t size = margin_quantize_size(&t->model, &o) + MARGIN_ALIGN;
    margin_arena mem;
    memset(&q, 0, sizeof q);
    q.bytes = malloc(size);
    mem = margin_arena_make(q.bytes, size);
    q.status = margin_quantize(&t->model, data, &o, &mem, &q.quant, &q.info);
    return q;
}

/* The formula of margin_proto_q, row by row, in 64 bits. */
static void naive_scores_q(const margin_proto_q *p, const int16_t *x, int64_t *scores) {
    margin_expansion_q pool;
    int64_t norm = 0;
    size_t c = 0;
    memset(&pool, 0, sizeof pool);
    pool.vectors = p->vectors;
    pool.d = p->d;
    pool.format = p->format;
    for (size_t k = 0; k < p->d; k++) { norm += (int64_t)x[k] * x[k]; }
    for (size_t j = 0; j < p->vote.classes; j++) { scores[j] = INT32_MAX; }
    for (size_t m = 0; m < p->n; m++) {
        int64_t z = 0, sum = 0;
        for (size_t j = 0; j <= p->tangents; j++) {
            const size_t row = m * (1u + (size_t)p->tangents) + j;
            int64_t dot = 0;
            for (size_t k = 0; k < p->d; k++) {
                dot += (int64_t)mgn_q_element(&pool, row, k) * x[k];
            }
            if (j == 0) {
                z = (norm << p->up) - dot * (1 << p->left) + p->constants[row];
            } else {
                const int64_t a = (dot - p->constants[row]) >> p->downs[m];
                sum += a * a;
            }
        }
        z -= p->tangents > 0 ? (sum * p->gains[m]) >> 16 : 0;
        z = z > 0 ? z : 0;
        while (m >= p->class_end[c]) { c++; }
        scores[c] = z < scores[c] ? z : scores[c];
    }
}

TEST integers_agree_with_reals(void) {
    static problem p;
    for (uint32_t seed = 1; seed <= 24u; seed++) {
        const bool whole = seed % 2u == 0;
        const unsigned format = seed % 4u < 2u ? MARGIN_Q15 : MARGIN_Q7;
        margin_proto_options o = method(MARGIN_PROTO_TVQ, 1u + seed % 2u, seed % 4u);
        trained t;
        quantised q;
        problem_make(&p, 200 + seed, 240, 8u + seed % 14u, 4, 0.8);
        if (whole) { problem_whole(&p, seed % 3u == 0 ? 3 : 100); }
        t = train(&p.data, &o);
        q = quantise(&t, &p.data, format, whole);
        ASSERT_EQ_FMT(MARGIN_OK, q.status, "%d");
        ASSERT(q.info.disagree <= (format == MARGIN_Q15 ? 2u : 9u)); /* of 240 */
        ASSERT(q.info.mean <= (format == MARGIN_Q15 ? 0.01 : 0.05) * q.info.scale);
        ASSERT_EQ(0u, q.info.limited);
        free(q.bytes);
        free(t.bytes);
    }
    PASS();
}

TEST integer_scores_are_their_formula_for_any_input(void) {
    static problem p;
    margin_rng rng = margin_rng_make(5);
    size_t beyond = 0;
    for (uint32_t seed = 1; seed <= 16u; seed++) {
        trained t = random_model(&p, seed, 1u + seed, seed % 6u, 1u + seed % 3u);
        quantised q = quantise(&t, &p.data, seed % 2u == 0 ? MARGIN_Q15 : MARGIN_Q7, false);
        ASSERT_EQ_FMT(MARGIN_OK, q.status, "%d");
        ASSERT_EQ(MARGIN_OK, margin_model_check_q(&q.quant.model));
        for (size_t trial = 0; trial < 400u; trial++) {
            int16_t x[WIDE];
            int32_t scores[4];
            int64_t want[4], norm = 0;
            for (size_t k = 0; k < p.data.d; k++) {
                x[k] = (int16_t)((int32_t)margin_rng_u32(&rng) >> (16u + trial % 8u));
                norm += (int64_t)x[k] * x[k];
            }
            margin_scores_q(&q.quant.model, x, scores);
            naive_scores_q(&q.quant.model.of.proto, x, want);
            for (size_t c = 0; c < 4u; c++) {
                if (norm > q.quant.model.of.proto.reach) {
                    beyond++;
                    ASSERT_EQ(INT32_MAX, scores[c]);
                } else {
                    ASSERT_EQ_FMT((long)want[c], (long)scores[c], "%ld");
                }
                ASSERT(scores[c] >= 0);
            }
        }
        free(q.bytes);
        free(t.bytes);
    }
    ASSERT(beyond > 0);
    PASS();
}

/* What the scores of all classes say. */
static margin_proto_found_q found_by_scores(const margin_proto_q *p, const int32_t *scores) {
    margin_proto_found_q f;
    f.nearest = f.second = 0;
    for (uint16_t c = 1; c < p->vote.classes; c++) {
        f.nearest = scores[c] < scores[f.nearest] ? c : f.nearest;
    }
    f.second = f.nearest == 0 ? 1 : 0;
    for (uint16_t c = 0; c < p->vote.classes; c++) {
        f.second = c != f.nearest && scores[c] < scores[f.second] ? c : f.second;
    }
    f.distance = scores[f.nearest];
    f.runner = scores[f.second];
    f.margin = margin_margin_q(MARGIN_SCHEME_NEAREST, p->vote.classes, scores, f.nearest);
    f.label = margin_decide_q(&p->vote, scores);
    return f;
}

static bool same_find(const margin_proto_q *p, const int16_t *x) {
    int32_t scores[8], some[8];
    margin_proto_found_q f, g;
    if (p->format == MARGIN_Q15) {
        margin_proto_scores_q15(p, x, scores);
        margin_proto_find_q15(p, x, some, &f);
    } else {
        margin_proto_scores_q7(p, x, scores);
        margin_proto_find_q7(p, x, some, &f);
    }
    g = found_by_scores(p, scores);
    for (uint16_t c = 0; c < p->vote.classes; c++) {
        if (c != g.nearest && some[c] < g.runner) { return false; }
    }
    return f.label == g.label && f.nearest == g.nearest && f.second == g.second &&
           f.distance == g.distance && f.runner == g.runner && f.margin == g.margin;
}

TEST leaving_early_changes_nothing_in_integers(void) {
    static problem p;
    margin_rng rng = margin_rng_make(77);
    for (unsigned round = 0; round < 24u; round++) {
        const size_t d = 1u + margin_rng_below(&rng, WIDE), classes = 2u + round % 6u;
        const unsigned which = round % 3u == 0   ? MARGIN_PROTO_LVQ
                               : round % 3u == 1 ? MARGIN_PROTO_NN
                                                 : MARGIN_PROTO_HSS;
        margin_proto_options o = method(which, 1u + round % 5u, round % 2u == 0 ? 2u : 0);
        trained t;
        problem_make(&p, 300u + round, 90, d, classes, 0.5 + round % 4u);
        problem_whole(&p, 40);
        o.neighbours = (uint16_t)(1u + round % 4u);
        o.max_iterations = 3;
        t = train(&p.data, &o);
        ASSERT(t.status >= 0);
        for (unsigned format = MARGIN_Q7; format <= MARGIN_Q15; format += 8u) {
            quantised q = quantise(&t, &p.data, format, round % 2u == 0);
            int16_t x[WIDE], work[WIDE];
            ASSERT_EQ(MARGIN_OK, q.status);
            q.quant.model.of.proto.vote.reject = round % 2u == 0 ? 0 : 4000;
            for (unsigned i = 0; i < 400u; i++) {
                const margin_real *sample = p.x + margin_rng_below(&rng, 90) * d;
                const int32_t size = INT32_C(1) << (i % 16u);
                for (size_t k = 0; k < d; k++) { /* near a sample, equal to one, or anything */
                    const int32_t noise =
                        (int32_t)margin_rng_below(&rng, (uint32_t)size) - size / 2;
                    work[k] = (int16_t)sample[k];
                    x[k] = (int16_t)(i % 3u == 0 ? noise : (int32_t)sample[k] / 2 + noise / 2);
                }
                ASSERT(same_find(&q.quant.model.of.proto, x));
                ASSERT(same_find(&q.quant.model.of.proto, work));
            }
            free(q.bytes);
        }
        free(t.bytes);
    }
    PASS();
}

TEST a_bound_to_leave_by_that_is_too_high_is_found(void) {
    static problem p;
    margin_proto_options o = method(MARGIN_PROTO_LVQ, 3, 0);
    trained t;
    quantised q;
    problem_make(&p, 5, 60, 12, 3, 1);
    t = train(&p.data, &o);
    q = quantise(&t, &p.data, MARGIN_Q7, false);
    ASSERT_EQ(MARGIN_OK, q.status);
    ASSERT_EQ(MARGIN_OK, margin_model_check_q(&q.quant.model));
    for (size_t m = 0; m < 9u; m++) {
        uint16_t *bound = (uint16_t *)(uintptr_t)q.quant.model.of.proto.gains + m;
        const uint16_t right = *bound;
        *bound = (uint16_t)(right + 1u);
        ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&q.quant.model));
        *bound = 0; /* too low is only slow */
        ASSERT_EQ(MARGIN_OK, margin_model_check_q(&q.quant.model));
        *bound = right;
    }
    q.quant.model.of.proto.gains = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_check_q(&q.quant.model));
    free(q.bytes);
    free(t.bytes);
    PASS();
}

TEST integer_margins_are_those_of_the_distances(void) {
    static const int32_t z[][2] = {{0, 0}, {1, 3},         {3, 1}, {INT32_MAX, INT32_MAX},
                                   {0, 9}, {70000, 140000}};
    static const double want[] = {0, 0.5, -0.5, 0, 1, 1.0 / 3};
    for (size_t i = 0; i < 6u; i++) {
        ASSERT_IN_RANGE(32768 * want[i], margin_margin_q(MARGIN_SCHEME_NEAREST, 2, z[i], 0), 2);
        ASSERT_EQ(z[i][1] < z[i][0] ? 1 : 0, margin_elect_q(MARGIN_SCHEME_NEAREST, 2, z[i]));
    }
    PASS();
}

TEST an_integer_model_survives_its_image(void) {
    static problem p;
    static unsigned char image[65536], bytes[65536];
    for (uint32_t seed = 1; seed <= 8u; seed++) {
        trained t = random_model(&p, seed, 2u + seed, seed % 4u, 1u + seed % 2u);
        quantised q;
        margin_arena mem = margin_arena_make(bytes, sizeof bytes);
        margin_quant back;
        if (seed % 2u == 0) { problem_whole(&p, 40); }
        t.model.of.proto.vote.reject = (margin_real)0.25;
        q = quantise(&t, &p.data, seed % 3u == 0 ? MARGIN_Q15 : MARGIN_Q7, seed % 2u == 0);
        ASSERT_EQ_FMT(MARGIN_OK, q.status, "%d");
        ASSERT_EQ(8192, q.quant.model.of.proto.vote.reject);
        ASSERT_EQ(MARGIN_OK, margin_image_write_q(&q.quant, NULL, 0, image, sizeof image));
        ASSERT_EQ_FMT(MARGIN_OK,
                      margin_image_load_q(image, margin_image_size_q(&q.quant, 0), &mem, &back),
                      "%d");
        for (size_t i = 0; i < 40u; i++) {
            int16_t x[WIDE], work[WIDE];
            int32_t a[4], b[4];
            margin_input_q(&q.quant.input, p.x + i * p.data.d, x);
            ASSERT_EQ(margin_classify_q(&q.quant.model, x, work, a),
                      margin_classify_q(&back.model, x, work, b));
            ASSERT_EQ(0, memcmp(a, b, sizeof a));
        }
        free(q.bytes);
        free(t.bytes);
    }
    PASS();
}

TEST a_damaged_integer_model_is_found(void) {
    static problem p;
    trained t = random_model(&p, 3, 6, 2, 2);
    quantised q = quantise(&t, &p.data, MARGIN_Q7, false);
    margin_proto_q *m = &q.quant.model.of.proto;
    const margin_proto_q good = *m;
    ASSERT_EQ(MARGIN_OK, q.status);
    m->up = 20;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&q.quant.model));
    *m = good;
    m->reach = UINT32_C(0xBFFFFFFF);
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&q.quant.model));
    *m = good;
    m->n--;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&q.quant.model));
    *m = good;
    m->gains = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_check_q(&q.quant.model));
    *m = good;
    ((int32_t *)(void *)(uintptr_t)m->constants)[0] = 0; /* distances would be negative */
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&q.quant.model));
    ((int32_t *)(void *)(uintptr_t)m->constants)[0] = INT32_MAX;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&q.quant.model));
    free(q.bytes);
    free(t.bytes);
    PASS();
}

static margin_status learn_proto(void *user, const margin_data *data, margin_arena *mem,
                                 margin_model *model) {
    return margin_proto_train(data, (const margin_proto_options *)user, mem, model, NULL, NULL);
}

TEST cross_validation_calibration_and_metrics_take_prototypes(void) {
    static problem p;
    static unsigned char bytes[1u << 20];
    static margin_real margins[200];
    margin_proto_options o = method(MARGIN_PROTO_TVQ, 1, 2);
    margin_learner learner = {learn_proto, NULL, 0};
    margin_cv_options options;
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_cv cv;
    margin_calibrate_report report;
    margin_real z[3], chance[3];
    margin_summary summary;
    trained t;
    problem_make(&p, 51, 200, 6, 3, 2);
    memset(&options, 0, sizeof options);
    learner.user = &o;
    learner.bytes = margin_proto_train_size(160, 6, 3, &o);
    options.scheme = MARGIN_SCHEME_NEAREST;
    options.keep = true;
    ASSERT_EQ(MARGIN_OK, margin_cross_validate(&p.data, &learner, &options, &mem, &cv));
    ASSERT(cv.error_mean < 0.3 && cv.machines == 3u);
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_OK,
              margin_calibrate(&p.data, cv.scores, 0, &mem, &t.model.of.proto.vote, &report));
    ASSERT(t.model.of.proto.vote.slope > 0 && report.log_loss < (margin_real)0.9);
    margin_scores(&t.model, p.x, z);
    margin_probabilities(&t.model.of.proto.vote, z, chance);
    ASSERT_IN_RANGE(1, chance[0] + chance[1] + chance[2], 1e-5);
    ASSERT_EQ(MARGIN_OK, margin_margins(&p.data, &t.model, &t.mem, margins, &summary));
    ASSERT_IN_RANGE(t.info.margin_mean, summary.mean, LOOSE);
    ASSERT_IN_RANGE(t.info.margin_min, summary.min, LOOSE);
    free(t.bytes);
    PASS();
}

TEST the_curve_of_margins_begins_at_the_errors(void) {
    static problem p;
    static margin_real margins[240];
    margin_real at[21], share[21];
    const margin_proto_options o = method(MARGIN_PROTO_TVQ, 1, 2);
    trained t;
    problem_make(&p, 61, 240, 6, 3, 3);
    t = train(&p.data, &o);
    for (size_t j = 0; j < 21u; j++) { at[j] = (margin_real)j / 20; }
    ASSERT_EQ(MARGIN_OK, margin_margins(&p.data, &t.model, &t.mem, margins, NULL));
    margin_cumulative(margins, 240, at, 21, share);
    ASSERT_IN_RANGE((double)errors(&p.data, &t.model) / 240, share[0], 1e-6);
    for (size_t j = 1; j < 21u; j++) { ASSERT(share[j] >= share[j - 1u] && share[j] <= 1); }
    free(t.bytes);
    PASS();
}

/* ---- seldom ways ---- */

/* Steps of one rate with validation: the best models are kept, and patience ends the training. */
TEST validation_watches_steps_of_one_rate(void) {
    static problem p;
    margin_proto_options o = method(MARGIN_PROTO_TVQ, 1, 2);
    trained t, longer;
    problem_make(&p, 78, 200, 6, 3, 2.5);
    o.rate = (margin_real)0.5;
    o.validation = (margin_real)0.3;
    o.patience = 2;
    o.max_iterations = 200;
    t = train(&p.data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    ASSERT(t.info.converged && t.info.iterations < 200u);
    ASSERT(errors(&p.data, &t.model) < 80u);
    o.max_iterations = t.info.iterations; /* what came after the best models has no part in them */
    longer = train(&p.data, &o);
    ASSERT_EQ(0, memcmp(t.model.of.proto.vectors, longer.model.of.proto.vectors,
                        t.model.of.proto.n * 3u * 6u * sizeof(margin_real)));
    free(longer.bytes);
    o.max_iterations = 1; /* too short for patience */
    longer = train(&p.data, &o);
    ASSERT_EQ(MARGIN_W_ITERATIONS, longer.status);
    free(longer.bytes);
    free(t.bytes);
    PASS();
}

/* With even weights each round of updates adds as much weight as there are samples; without mistakes
 * it adds none. */
TEST even_weights_grow_by_one_a_sample(void) {
    static problem p;
    problem_make(&p, 79, 90, 5, 3, 2.5);
    for (unsigned way = 0; way < 4u; way++) {
        margin_proto_options o = method(MARGIN_PROTO_TVQ, 1, 1);
        trained plain, even;
        o.rate = (way & 1u) != 0 ? (margin_real)0.05 : 0; /* steps of one rate, or mini-batches */
        o.theta =
            (way & 2u) != 0 ? (margin_real)-0.99 : (margin_real)0.4; /* no mistakes, or many */
        o.max_iterations = 5;
        plain = train(&p.data, &o);
        o.even = true;
        even = train(&p.data, &o);
        ASSERT(plain.status >= 0 && even.status >= 0);
        ASSERT_EQ((way & 2u) != 0, even.report.mistakes == 0);
        ASSERT_EQ((way & 2u) != 0,
                  0 == memcmp(plain.model.of.proto.vectors, even.model.of.proto.vectors,
                              3u * 2u * 5u * sizeof(margin_real)));
        free(plain.bytes);
        free(even.bytes);
    }
    PASS();
}

/* A sample of weight 0 is not there, for any method. */
TEST samples_without_weight_have_no_part(void) {
    static problem p, few;
    static margin_real weight[MOST];
    problem_make(&p, 80, 90, 5, 3, 1.5);
    problem_make(&few, 80, 90, 5, 3, 1.5);
    few.data.n = 0;
    for (size_t i = 0; i < 90u; i++) {
        weight[i] = i % 5u == 0 ? 0 : 1;
        if (i % 5u == 0) { continue; }
        memcpy(few.x + 5u * few.data.n, p.x + 5u * i, 5u * sizeof *p.x);
        few.y[few.data.n++] = p.y[i];
    }
    p.data.weight = weight;
    for (unsigned which = MARGIN_PROTO_HSS; which <= MARGIN_PROTO_NN; which++) {
        margin_proto_options o = method(which, 1, 1);
        trained with, without;
        o.budget =
            which == MARGIN_PROTO_NN ? 80 : 0; /* more than there are samples with a weight */
        o.max_iterations = 3;
        o.rate = which == MARGIN_PROTO_TD ? (margin_real)0.05 : 0;
        with = train(&p.data, &o);
        without = train(&few.data, &o);
        ASSERT(with.status >= 0 && without.status >= 0);
        ASSERT_EQ(without.model.of.proto.n, with.model.of.proto.n);
        /* the others draw random numbers for each sample */
        for (size_t i = 0; (which == MARGIN_PROTO_HSS || which == MARGIN_PROTO_TD) && i < 5u; i++) {
            ASSERT_IN_RANGE((double)without.model.of.proto.vectors[i],
                            (double)with.model.of.proto.vectors[i], LOOSE);
        }
        ASSERT(errors(&few.data, &with.model) < 20u);
        free(with.bytes);
        free(without.bytes);
    }
    PASS();
}

/* Codebooks begin with the rate given; a tiny one leaves them where k-means has put them. */
TEST codebooks_take_a_rate(void) {
    static problem p;
    margin_proto_options o = method(MARGIN_PROTO_LVQ, 2, 0);
    trained still, moved;
    problem_make(&p, 81, 90, 4, 3, 2.5);
    o.rate = (margin_real)1e-12;
    still = train(&p.data, &o);
    o.rate = (margin_real)0.1;
    moved = train(&p.data, &o);
    ASSERT(still.status >= 0 && moved.status >= 0);
    ASSERT(moved.info.iterations > 0);
    ASSERT_EQ(6, moved.model.of.proto.n);
    ASSERT(fabs((double)moved.model.of.proto.vectors[0] - (double)still.model.of.proto.vectors[0]) >
           0);
    free(moved.bytes);
    o.models = 0; /* 16 */
    o.window = (margin_real)0.1;
    moved = train(&p.data, &o);
    ASSERT(moved.status >= 0);
    ASSERT_EQ(48, moved.model.of.proto.n);
    free(still.bytes);
    free(moved.bytes);
    PASS();
}

/* Two points each twice: after the first round there are no mistakes, and what is left of the budget
 * goes to the samples of the least margin, until the training is stopped or none is left. */
TEST a_condensed_set_is_filled_up(void) {
    static const margin_real x[] = {0, 0, 1, 5, 5, 6, 7};
    static const uint16_t y[] = {0, 0, 0, 1, 1, 1, 1};
    static const margin_real weight[] = {1, 1, 1, 1, 1, 0, 0};
    margin_data data = {x, 7, 1, 0, y, NULL, NULL};
    margin_proto_options o = method(MARGIN_PROTO_NN, 1, 0);
    trained t;
    o.budget = 6;
    t = train(&data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    ASSERT_EQ(6, t.model.of.proto.n);
    free(t.bytes);
    o.watch.progress = stop_at_once;
    t = train(&data, &o);
    ASSERT_EQ(MARGIN_W_STOPPED, t.status);
    ASSERT_EQ(2, t.model.of.proto.n); /* one of each class */
    free(t.bytes);
    o.watch.progress = NULL;
    data.weight = weight; /* only five of them count */
    t = train(&data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    ASSERT_EQ(5, t.model.of.proto.n);
    free(t.bytes);
    PASS();
}

/* Covariances are sums over parts of 128 samples: also where the last part is full. */
TEST hss_of_full_parts_is_that_of_others(void) {
    static problem p;
    static margin_real weight[MOST];
    const margin_proto_options o = method(MARGIN_PROTO_HSS, 1, 1);
    trained full, more;
    problem_make(&p, 82, 258, 4, 2, 0.5);
    for (size_t i = 0; i < 258u; i++) { weight[i] = i < 256u ? 1 : (margin_real)1e-12; }
    p.data.weight = weight;
    more = train(&p.data, &o);
    p.data.n = 256; /* 128 of each class */
    full = train(&p.data, &o);
    ASSERT(full.status == MARGIN_OK && more.status == MARGIN_OK);
    for (size_t i = 0; i < 2u * 2u * 4u; i++) {
        ASSERT_IN_RANGE(fabs((double)more.model.of.proto.vectors[i]),
                        fabs((double)full.model.of.proto.vectors[i]), LOOSE);
    }
    free(full.bytes);
    free(more.bytes);
    PASS();
}

/* Rows that are equal but for their weights are sorted by these, so that the order given is lost. */
TEST equal_rows_are_sorted_by_their_weights(void) {
    static const margin_real x[] = {0, 0, 0, 0, 1, 1, 5, 5, 5, 6, 6, 6};
    static const uint16_t y[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    static const margin_real weight[] = {1, 3, 2, 4, 2, 1, 1, 2, 3, 3, 2, 1};
    static const margin_index rows[] = {11, 3, 2, 9, 8, 0, 1, 10, 6, 7, 5, 4};
    margin_data data = {x, 12, 1, 0, y, weight, NULL};
    margin_proto_options o = method(MARGIN_PROTO_TVQ, 2, 0);
    trained t, other;
    o.max_iterations = 4;
    t = train(&data, &o);
    data.rows = rows;
    other = train(&data, &o);
    ASSERT(t.status >= 0 && other.status >= 0);
    ASSERT_EQ(0, memcmp(t.model.of.proto.vectors, other.model.of.proto.vectors,
                        4u * sizeof(margin_real)));
    free(t.bytes);
    free(other.bytes);
    PASS();
}

/* A sample whose tangent is nearly that of the model moves along it 500 times as far as it is off the
 * plane, where squares overflow. */
TEST samples_that_move_beyond_all_numbers_are_refused(void) {
    static margin_real x[40 * 3], sides[40 * 3];
    static uint16_t y[40];
    const margin_data data = {x, 40, 3, 0, y, NULL, NULL};
    const double large = sqrt((double)MGN_HUGE / 64) / 2;
    margin_proto_options o = method(MARGIN_PROTO_HSS, 1, 1);
    trained t;
    for (size_t i = 0; i < 40u; i++) {
        y[i] = (uint16_t)(i % 2u);
        x[3u * i] = (margin_real)((i / 2u % 2u == 0 ? 1.0 : -1.0) * large);
        x[3u * i + 1u] = (margin_real)((i / 4u % 2u == 0 ? 0.3 : -0.3) * large);
        x[3u * i + 2u] = (margin_real)(y[i] == 0 ? 0 : 0.1 * large);
        sides[3u * i] = 1;
        sides[3u * i + 1u] = (margin_real)0.002;
    }
    t = train(&data, &o);
    ASSERT_EQ(MARGIN_OK, t.status);
    free(t.bytes);
    o.side = 1;
    o.sides = sides;
    t = train(&data, &o);
    ASSERT_EQ_FMT(MARGIN_E_RANGE, t.status, "%d");
    free(t.bytes);
    PASS();
}

/* Eigenvalues next to each other: the iteration ends after 200 rounds, with a direction of nearly the
 * largest variance. */
TEST iterated_directions_end_where_eigenvalues_hardly_differ(void) {
    enum { D = 40, N = 2 * D };
    static margin_real x[N * D], w[N], block[MARGIN_PROTO_BLOCK * D], centre[D], mean[D];
    static margin_real matrix[9 * D], part[9 * D], values[9], tangent[D];
    static uint16_t y[N];
    margin_data data = {x, N, D, 0, y, NULL, NULL};
    mgn_proto_job job;
    mgn_proto_hss h;
    double variance = 0, length = 0;
    memset(&job, 0, sizeof job);
    memset(&h, 0, sizeof h);
    for (size_t i = 0; i < N; i++) { /* the variance along axis k is 1 - k / 1000 */
        x[i * D + i / 2u] =
            (margin_real)((i % 2u == 0 ? 1 : -1) * sqrt(D - (double)(i / 2u) * D / 1000));
        w[i] = 1;
    }
    job.data = &data;
    job.size.n = N;
    job.size.d = D;
    job.size.spare = 9;
    job.rng = margin_rng_make(5);
    job.room.block = block;
    job.room.centre = centre;
    job.weights.w = w;
    h.matrix = matrix;
    h.part = part;
    h.values = values;
    h.mean = mean;
    h.total = N;
    h.n = N;
    mgn_proto_iterate(&job, &h, 1, tangent);
    for (size_t k = 0; k < D; k++) {
        variance += (1 - (double)k / 1000) * (double)tangent[k] * (double)tangent[k];
        length += (double)tangent[k] * (double)tangent[k];
    }
    ASSERT_IN_RANGE(1, length, 1e-5);
    ASSERT_IN_RANGE(1, variance, 0.01);
    ASSERT_IN_RANGE(variance, (double)values[0], 0.002);
    PASS();
}

/* Samples that are all at their centroids have no distance to measure steps by. */
TEST steps_of_samples_at_their_centroids_go_nowhere(void) {
    static const margin_real x[] = {1, 2, 1, 2, 1, 2, 5, 6, 5, 6, 5, 6};
    static const uint16_t y[] = {0, 0, 0, 1, 1, 1};
    const margin_data data = {x, 6, 2, 0, y, NULL, NULL};
    margin_proto_options o = method(MARGIN_PROTO_TVQ, 1, 0);
    trained t;
    o.rate = (margin_real)0.1;
    t = train(&data, &o);
    ASSERT(t.status >= 0);
    ASSERT_IN_RANGE(1, (double)t.model.of.proto.vectors[0], TIGHT);
    ASSERT_IN_RANGE(6, (double)t.model.of.proto.vectors[3], TIGHT);
    free(t.bytes);
    PASS();
}

TEST distances_of_planes_and_pictures_refuse_null(void) {
    margin_model m = hand_model();
    const margin_real x[2] = {1, 2};
    margin_real work[8], z[2];
    margin_proto *p = &m.of.proto;
    ASSERT_EQ(MARGIN_OK, margin_proto_two_sided(p, x, NULL, 0, work, z));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_two_sided(p, NULL, NULL, 0, work, z));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_two_sided(p, x, NULL, 0, NULL, z));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_two_sided(p, x, NULL, 0, work, NULL));
    p->nth = 0;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_two_sided(p, x, NULL, 0, work, z));
    p->nth = MARGIN_PROTO_NTH + 1u;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_two_sided(p, x, NULL, 0, work, z));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_picture_tangents(x, 1, 2, 1, NULL));
    ASSERT_EQ(MARGIN_OK, margin_picture_tangents(x, 1, 2, 1, work));
    PASS();
}

/* A learner that says OK and returns a model of other features. */
static margin_status learn_other(void *user, const margin_data *data, margin_arena *mem,
                                 margin_model *model) {
    (void)data;
    (void)mem;
    *model = *(const margin_model *)user;
    return MARGIN_OK;
}

TEST reweighting_takes_theta_as_it_is_said(void) {
    static problem p;
    static unsigned char bytes[1 << 16];
    margin_mam_options mam;
    margin_theta_options o;
    margin_model other = hand_model(), model;
    margin_proto_report report;
    margin_learner learner = {learn_mam, &mam, margin_mam_train_size(60, 4, 2, NULL)};
    const margin_learner wrong = {learn_other, &other, 0};
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    memset(&mam, 0, sizeof mam);
    memset(&o, 0, sizeof o);
    problem_make(&p, 83, 60, 4, 2, 0.1);
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_theta_train(&p.data, &wrong, NULL, &mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_theta_train(&p.data, NULL, NULL, &mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_theta_train(NULL, &learner, NULL, &mem, &model, NULL, NULL));
    o.theta = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_theta_train(&p.data, &learner, &o, &mem, &model, NULL, NULL));
    o.theta = MARGIN_ZERO;
    mam.intercept = true;
    ASSERT(margin_theta_train(&p.data, &learner, &o, &mem, &model, NULL, &report) >= 0);
    ASSERT_EQ(errors(&p.data, &model), report.mistakes); /* a margin below 0 is an error */
    o.theta = (margin_real)-1e6;                         /* no sample has so small a margin */
    o.even = true;
    ASSERT(margin_theta_train(&p.data, &learner, &o, &mem, &model, NULL, &report) >= 0);
    ASSERT_EQ(0, report.mistakes);
    PASS();
}

SUITE(proto_suite) {
    RUN_TEST(validation_watches_steps_of_one_rate);
    RUN_TEST(even_weights_grow_by_one_a_sample);
    RUN_TEST(samples_without_weight_have_no_part);
    RUN_TEST(codebooks_take_a_rate);
    RUN_TEST(a_condensed_set_is_filled_up);
    RUN_TEST(hss_of_full_parts_is_that_of_others);
    RUN_TEST(equal_rows_are_sorted_by_their_weights);
    RUN_TEST(samples_that_move_beyond_all_numbers_are_refused);
    RUN_TEST(iterated_directions_end_where_eigenvalues_hardly_differ);
    RUN_TEST(steps_of_samples_at_their_centroids_go_nowhere);
    RUN_TEST(distances_of_planes_and_pictures_refuse_null);
    RUN_TEST(reweighting_takes_theta_as_it_is_said);
    RUN_TEST(distances_to_two_lines_are_those_of_the_hand_calculation);
    RUN_TEST(the_second_class_is_another_one_however_far);
    RUN_TEST(an_answer_with_a_small_margin_is_rejected);
    RUN_TEST(distances_beyond_the_largest_number_are_that);
    RUN_TEST(scores_are_the_distances_of_the_nearest_models);
    RUN_TEST(leaving_early_changes_nothing);
    RUN_TEST(scaling_is_part_of_the_model);
    RUN_TEST(hss_holds_as_much_variance_as_the_largest_eigenvalues);
    RUN_TEST(hss_of_few_samples_in_many_dimensions_is_that_of_few_dimensions);
    RUN_TEST(hss_of_many_samples_in_many_dimensions_is_iterated);
    RUN_TEST(the_first_steps_are_those_of_figure_2);
    RUN_TEST(gradients_are_those_of_finite_differences);
    RUN_TEST(without_reweighting_the_mean_margin_rises);
    RUN_TEST(training_ends_by_a_criterion_or_says_that_it_did_not);
    RUN_TEST(mini_batches_leave_a_lower_deficit_than_as_many_steps_of_figure_2);
    RUN_TEST(one_codebook_a_class_does_not_collapse);
    RUN_TEST(the_order_of_rows_does_not_matter);
    RUN_TEST(reweighting_stays_within_its_samples);
    RUN_TEST(theta_may_be_zero);
    RUN_TEST(tvq_makes_fewer_mistakes_than_hss);
    RUN_TEST(validation_keeps_the_best_models_and_stops);
    RUN_TEST(validation_without_end_leaves_the_end_to_the_rate);
    RUN_TEST(progress_can_stop_every_method);
    RUN_TEST(a_training_stopped_at_once_has_a_model);
    RUN_TEST(td_begins_without_tangents);
    RUN_TEST(what_the_arena_held_does_not_matter);
    RUN_TEST(codebooks_and_neurons_separate_clouds);
    RUN_TEST(the_unit_of_weights_does_not_matter_to_codebooks);
    RUN_TEST(one_nearest_neighbour_knows_its_samples);
    RUN_TESTp(the_nearest_neighbours_vote, 3);
    RUN_TESTp(the_nearest_neighbours_vote, 2 * MARGIN_PROTO_NTH - 1);
    RUN_TEST(a_condensed_set_still_knows_all_samples);
    RUN_TEST(more_tangents_than_samples_or_features_are_cut);
    RUN_TEST(one_feature_leaves_no_room_for_tangents);
    RUN_TEST(samples_that_are_all_alike_give_a_centroid_and_no_tangents);
    RUN_TEST(the_same_sample_in_both_classes_has_margin_zero);
    RUN_TEST(bad_data_and_options_are_refused);
    RUN_TEST(memory_is_what_the_size_query_says);
    RUN_TEST(the_constant_expression_is_the_size_query);
    RUN_TEST(planes_are_apart_as_the_hand_calculation_says);
    RUN_TEST(distances_of_planes_are_least_squares);
    RUN_TEST(two_sided_hss_is_that_of_the_naive_turns);
    RUN_TEST(tangents_of_samples_that_are_no_good_are_refused);
    RUN_TEST(tangents_of_pictures_are_their_derivatives);
    RUN_TEST(weights_come_to_be_uniform_over_the_mistakes);
    RUN_TEST(reweighting_drives_mam_and_svm);
    RUN_TEST(reweighting_refuses_what_it_cannot_do);
    RUN_TEST(a_model_survives_its_image);
    RUN_TEST(integers_agree_with_reals);
    RUN_TEST(integer_scores_are_their_formula_for_any_input);
    RUN_TEST(leaving_early_changes_nothing_in_integers);
    RUN_TEST(a_bound_to_leave_by_that_is_too_high_is_found);
    RUN_TEST(integer_margins_are_those_of_the_distances);
    RUN_TEST(an_integer_model_survives_its_image);
    RUN_TEST(a_damaged_integer_model_is_found);
    RUN_TEST(cross_validation_calibration_and_metrics_take_prototypes);
    RUN_TEST(the_curve_of_margins_begins_at_the_errors);
}
