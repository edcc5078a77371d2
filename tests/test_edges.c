/* What trainers and tools do at the edges of their ranges: numbers that overflow or vanish on the way, samples that are all alike,
 * classes without weight, counts beyond all bounds. Each ends in a model or in a status that says why there is none. */
#include "margin.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"

#define HUGEST ((margin_real)(sizeof(margin_real) > 4u ? DBL_MAX : (double)FLT_MAX))
#define ROOT ((margin_real)sqrt((double)HUGEST))

#define ROOM ((size_t)8 << 20)
static unsigned char *room;

static margin_arena fresh(void) {
    if (room == NULL) { room = (unsigned char *)malloc(ROOM); }
    return margin_arena_make(room, ROOM);
}

static uint32_t state;

static double draw(void) {
    state = state * 1664525u + 1013904223u;
    return ((double)(state >> 1) - 1073741824.0) / 1073741824.0;
}

/* Two overlapping classes of n samples in d features, times a size. */
typedef struct {
    margin_real x[240], weight[120];
    uint16_t y[120];
    margin_data data;
} samples;

static void samples_make(samples *s, size_t n, size_t d, double size) {
    memset(s, 0, sizeof *s);
    state = 7;
    for (size_t i = 0; i < n; i++) {
        s->y[i] = (uint16_t)(i % 2u);
        s->weight[i] = 1;
        for (size_t k = 0; k < d; k++) {
            s->x[i * d + k] = (margin_real)(size * (draw() + (i % 2u == 0 ? 0.3 : -0.3)));
        }
    }
    s->data.x = s->x;
    s->data.y = s->y;
    s->data.n = n;
    s->data.d = d;
}

/* ---- ordinal ---- */

TEST thresholds_between_neighbouring_numbers_are_the_lower_one(void) {
    const margin_real least =
        (margin_real)(sizeof(margin_real) > 4u ? 4.9406564584124654e-324 : 1.4e-45);
    const margin_real scores[2] = {3 * least, 4 * least}; /* their halves round up, both */
    const uint16_t labels[2] = {0, 1};
    margin_arena mem = fresh();
    margin_real threshold = 7;
    ASSERT_EQ(MARGIN_OK, margin_thresholds(scores, labels, NULL, 2, 2, 0, &mem, &threshold));
    ASSERT(threshold == scores[0]);
    PASS();
}

TEST ordinal_trainers_refuse_what_has_no_order(void) {
    static const margin_real x[4] = {1, 2, 3, 4};
    static const uint16_t alike[4] = {0, 0, 0, 0}, many[4] = {0, 1, 2, 65534};
    margin_data data = {x, 4, 1, 0, alike, NULL, NULL};
    margin_arena mem = fresh();
    margin_model model;
    ASSERT_EQ(MARGIN_E_NO_ORDER, margin_omam_train(&data, NULL, &mem, &model, NULL, NULL));
    data.y = many; /* as many classes as the label for rejected inputs */
    ASSERT_EQ(MARGIN_E_LABEL, margin_omam_train(&data, NULL, &mem, &model, NULL, NULL));
    ASSERT_EQ(0, margin_model_kendall_size((size_t)MARGIN_INDEX_MAX + 1u, &model));
    PASS();
}

TEST normalised_omam_refuses_lengths_that_overflow(void) {
    samples s;
    margin_ordinal_options o;
    margin_arena mem = fresh();
    margin_model model;
    samples_make(&s, 10, 2, (double)ROOT * 4);
    memset(&o, 0, sizeof o);
    o.kernel.kind = MARGIN_KERNEL_RBF;
    o.normalised = true;
    ASSERT_EQ(MARGIN_E_RANGE, margin_omam_train(&s.data, &o, &mem, &model, NULL, NULL));
    PASS();
}

/* What is forgotten was never learned: the weight of the class becomes 0, and its mean nothing. */
TEST on_line_omam_that_forgot_too_much_has_no_direction(void) {
    static const margin_real a[1] = {1}, b[1] = {3}, c[1] = {5};
    margin_arena mem = fresh();
    margin_omam_online on;
    margin_linear model;
    ASSERT_EQ(MARGIN_OK, margin_omam_online_start(&on, 1, 2, &mem));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, a, 0, 1));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, a, 0, 1));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, c, 1, 1));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_model(&on, &model));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_forget(&on, b, 0, 2));
    ASSERT_EQ(MARGIN_E_NO_DIRECTION, margin_omam_online_model(&on, &model));
    PASS();
}

/* One sample has nearly all weight: the error without it overflows at every price. */
TEST lssvm_without_any_price_says_so(void) {
    for (unsigned i = 0; i < 2u; i++) {
        const margin_real weight[4] = {HUGEST / 2, HUGEST / 1024, HUGEST / 1024, HUGEST / 1024};
        samples s;
        margin_ordinal_options o;
        margin_arena mem = fresh();
        margin_model model;
        samples_make(&s, 4, 1, 1);
        s.data.weight = weight;
        memset(&o, 0, sizeof o);
        o.kernel.kind = i == 0 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_RBF;
        ASSERT_EQ_FMT(MARGIN_E_NOT_POSITIVE,
                      margin_lssvm_train(&s.data, &o, &mem, &model, NULL, NULL), "%d");
    }
    PASS();
}

/* k(x, z) = (x.z + coef0)^degree with coef0 < 0 is no kernel: its matrix is indefinite. */
TEST lssvm_refuses_matrices_that_are_not_positive(void) {
    samples s;
    margin_ordinal_options o;
    margin_arena mem = fresh();
    margin_model model;
    samples_make(&s, 10, 1, 1);
    for (size_t i = 0; i < 10u; i++) { s.x[i] = (margin_real)(i % 4u < 2u ? 100.5 : -100.5); }
    memset(&o, 0, sizeof o);
    o.kernel.kind = MARGIN_KERNEL_POLY;
    o.kernel.degree = 1;
    o.kernel.gamma = 1;
    o.kernel.coef0 = -10000;
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE, margin_lssvm_train(&s.data, &o, &mem, &model, NULL, NULL));
    o.c = 1;
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE, margin_lssvm_train(&s.data, &o, &mem, &model, NULL, NULL));
    o.c = 0;
    o.kernel.coef0 = -3000; /* prices below some bound do */
    ASSERT(margin_lssvm_train(&s.data, &o, &mem, &model, NULL, NULL) != MARGIN_E_RANGE);
    o.c = 1; /* off the diagonal values overflow, on it they do not */
    o.kernel.degree = 2;
    const margin_real square = ROOT * 524288, x = (margin_real)sqrt((double)square);
    o.kernel.coef0 = -(x * x) * (1 - (margin_real)(1.0 / 1048576));
    for (size_t i = 0; i < 10u; i++) { s.x[i] = i % 4u < 2u ? x : -x; }
    ASSERT_EQ(MARGIN_E_RANGE, margin_lssvm_train(&s.data, &o, &mem, &model, NULL, NULL));
    PASS();
}

TEST lssvm_of_targets_that_no_feature_explains_has_no_direction(void) {
    static const margin_real x[4] = {-1, 1, -1, 1}, targets[4] = {1, 1, 2, 2};
    static const uint16_t y[4] = {0, 0, 1, 1};
    const margin_data data = {x, 4, 1, 0, y, NULL, NULL};
    margin_ordinal_options o;
    margin_arena mem = fresh();
    margin_model model;
    memset(&o, 0, sizeof o);
    o.c = 1;
    o.targets = targets;
    ASSERT_EQ(MARGIN_E_NO_DIRECTION, margin_lssvm_train(&data, &o, &mem, &model, NULL, NULL));
    PASS();
}

/* ---- loss ---- */

TEST losses_refuse_numbers_that_overflow_or_vanish(void) {
    const margin_loss squared = margin_loss_named(MARGIN_LOSS_SQUARED);
    samples s;
    margin_loss_options o;
    margin_arena mem = fresh();
    margin_model model;
    memset(&o, 0, sizeof o);
    samples_make(&s, 12, 2, 1);
    ASSERT(margin_loss_train(&s.data, &o, &mem, &model, NULL) >= 0);
    samples_make(&s, 12, 2, (double)ROOT / 8);
    o.loss = &squared; /* the square of a score of a random start, times C */
    ASSERT_EQ(MARGIN_E_RANGE, margin_loss_train(&s.data, &o, &mem, &model, NULL));
    o.kernel.kind = MARGIN_KERNEL_POLY; /* the kernel values themselves */
    o.kernel.gamma = 1;
    ASSERT_EQ(MARGIN_E_RANGE, margin_loss_train(&s.data, &o, &mem, &model, NULL));
    o.kernel.kind = MARGIN_KERNEL_LINEAR;
    samples_make(&s, 12, 2, sizeof(margin_real) > 4u ? 1e-155 : 1e-20);
    ASSERT_EQ(MARGIN_E_NO_DIRECTION, margin_loss_train(&s.data, &o, &mem, &model, NULL));
    PASS();
}

/* ---- mam ---- */

TEST mam_refuses_lengths_that_overflow(void) {
    static const unsigned kinds[] = {MARGIN_KERNEL_RBF, MARGIN_KERNEL_POLY, MARGIN_KERNEL_UNIT_POLY,
                                     MARGIN_KERNEL_UNIT_EXP};
    for (size_t i = 0; i < 4u; i++) {
        samples s;
        margin_mam_options o;
        margin_arena mem = fresh();
        margin_model model;
        samples_make(&s, 12, 2, (double)ROOT * 4);
        memset(&o, 0, sizeof o);
        o.kernel.kind = (uint8_t)kinds[i];
        ASSERT_EQ(MARGIN_E_RANGE, margin_mam_train(&s.data, &o, &mem, &model, NULL));
    }
    PASS();
}

TEST bounds_of_certainty_are_those_of_machines(void) {
    samples s;
    margin_model model;
    margin_mam_certainty certainty;
    samples_make(&s, 12, 2, 1);
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_LIST;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_mam_certainty_of(&s.data, &model, false, &certainty));
    PASS();
}

/* ---- images and scalings ---- */

TEST images_refuse_what_binary32_cannot_hold(void) {
    static const margin_real vectors[3] = {1, 2, 3}, norms[3] = {1, 4, 9}, coef[3] = {1, -1, 1};
    static const uint32_t ends[2] = {1, 3};
    margin_real long_vectors[3] = {1, 0, 3}, long_norms[3], bias[1] = {0};
    unsigned char bytes[512];
    margin_model model;
    margin_expansion *e = &model.of.expansion;
    memset(&model, 0, sizeof model);
    model.kind = 77;
    ASSERT_EQ(0, margin_image_size(&model, 0));
    model.kind = MARGIN_MODEL_EXPANSION;
    e->vectors = vectors;
    e->norms = norms;
    e->coef = coef;
    e->bias = bias;
    e->class_end = ends;
    e->n = 3;
    e->d = 1;
    e->width = 1;
    e->kernel.kind = MARGIN_KERNEL_RBF;
    e->kernel.gamma = 1;
    e->kernel.degree = 3;
    e->kernel.a = 2;
    e->vote.classes = 2;
    ASSERT_EQ(0, margin_image_size(&model, SIZE_MAX));
    ASSERT_EQ(0, margin_image_size(&model, SIZE_MAX - 4096u));
    ASSERT_EQ(MARGIN_OK, margin_image_write(&model, NULL, 0, bytes, sizeof bytes));
    if (sizeof(margin_real) > 4u) {
        e->vote.slope = (margin_real)1e300; /* a number of the head */
        ASSERT_EQ(MARGIN_E_RANGE, margin_image_write(&model, NULL, 0, bytes, sizeof bytes));
        e->vote.slope = 0;
        long_vectors[1] = (margin_real)1e30; /* a squared length in the midst of others */
        for (size_t i = 0; i < 3u; i++) { long_norms[i] = long_vectors[i] * long_vectors[i]; }
        e->vectors = long_vectors;
        e->norms = long_norms;
        ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
        ASSERT_EQ(MARGIN_E_RANGE, margin_image_write(&model, NULL, 0, bytes, sizeof bytes));
        long_vectors[1] = 2;
        long_norms[1] = 4;
        bias[0] = (margin_real)-1e200; /* an array */
        ASSERT_EQ(MARGIN_E_RANGE, margin_image_write(&model, NULL, 0, bytes, sizeof bytes));
    }
    PASS();
}

TEST scalings_whose_bias_overflows_are_refused(void) {
    static const margin_real w[1] = {1}, bias[1] = {0}, factor[1] = {(margin_real)1e20};
    const margin_real offset[1] = {HUGEST};
    const margin_scaling scaling = {offset, factor, 1}, none = {offset, factor, 0};
    margin_arena mem = fresh();
    margin_model model;
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_LINEAR;
    model.of.linear.w = w;
    model.of.linear.bias = bias;
    model.of.linear.d = 1;
    model.of.linear.vote.classes = 2;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_scale(&model, &scaling, &mem));
    ASSERT(model.of.linear.w == w && mem.low == 0);
    memset(&model, 0, sizeof model);
    model.kind = 77;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_scale(&model, &none, &mem));
    PASS();
}

/* ---- compress ---- */

TEST compress_refuses_nothing_and_too_much(void) {
    static const uint32_t ends[2] = {1, 3};
    static const margin_real bias[1] = {1};
    margin_real vectors[3] = {1, 2, 3}, norms[3] = {1, 4, 9}, coef[3] = {0, 0, 0};
    margin_arena mem = fresh();
    margin_model model, out;
    margin_expansion *e = &model.of.expansion;
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_EXPANSION;
    e->vectors = vectors;
    e->norms = norms;
    e->coef = coef;
    e->bias = bias;
    e->class_end = ends;
    e->n = 3;
    e->d = 1;
    e->width = 1;
    e->kernel.kind = MARGIN_KERNEL_POLY;
    e->kernel.gamma = 1;
    e->kernel.degree = 2;
    e->kernel.a = 2;
    e->vote.classes = 2;
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE, margin_compress(&model, NULL, 2, 0, &mem, &out, NULL));
    coef[0] = 1;
    coef[2] = -1;
    ASSERT_EQ(MARGIN_OK, margin_compress(&model, NULL, 2, 0, &mem, &out, NULL));
    e->kernel.coef0 = (margin_real)sqrt((double)ROOT);
    for (size_t i = 0; i < 3u; i++) { /* products of kernel values overflow at every ridge */
        vectors[i] = (margin_real)(pow((double)ROOT, 0.25) * (double)(i + 1u));
        norms[i] = vectors[i] * vectors[i];
        coef[i] *= (margin_real)1e-3;
    }
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE, margin_compress(&model, NULL, 2, 0, &mem, &out, NULL));
    PASS();
}

/* ---- seco ---- */

static margin_status cut(const margin_data *data, const margin_seco_options *o, margin_model *model,
                         margin_seco_report *report) {
    margin_arena mem = fresh();
    return margin_seco_train(data, o, &mem, model, NULL, report);
}

TEST seco_options_are_checked_one_by_one(void) {
    static const margin_real weights[1] = {1};
    samples s;
    margin_seco_options o;
    margin_seco_report report;
    margin_model model;
    samples_make(&s, 60, 2, 1);
    memset(&o, 0, sizeof o);
    o.greedy = o.cheap = true;
    o.left = 4;
    o.weights = weights; /* but none of them */
    ASSERT_EQ(MARGIN_E_ARGUMENT, cut(&s.data, &o, &model, &report));
    o.weight_count = 1;
    o.c_last = 6; /* from 2^0 */
    o.svm_last = 4;
    o.assess = 2;
    o.most = 1;
    ASSERT(cut(&s.data, &o, &model, &report) >= 0);
    ASSERT(report.assessed <= 2u && report.candidates > 0);
    s.data.weight = s.weight; /* a class without weight is none */
    for (size_t i = 0; i < 60u; i++) { s.weight[i] = s.y[i] == 1 ? 0 : 1; }
    ASSERT_EQ(MARGIN_E_ONE_CLASS, cut(&s.data, &o, &model, &report));
    for (size_t i = 0; i < 60u; i++) { s.weight[i] = s.y[i] == 1 ? 1 : 0; }
    ASSERT_EQ(MARGIN_E_ONE_CLASS, cut(&s.data, &o, &model, &report));
    PASS();
}

/* One sample of a class: the fold without it has the other class alone, which is then the answer. */
TEST seco_of_one_negative_sample_has_one_machine(void) {
    samples s;
    margin_seco_options o;
    margin_seco_report report;
    margin_model model;
    margin_real score;
    for (unsigned i = 0; i < 2u; i++) {
        samples_make(&s, 12, 2, 1);
        memset(&o, 0, sizeof o);
        for (size_t k = 0; k < 12u; k++) { s.y[k] = (uint16_t)((k == 5u) == (i == 0) ? 0 : 1); }
        s.x[10] = s.x[11] = 9;
        ASSERT(cut(&s.data, &o, &model, &report) >= 0);
        ASSERT_EQ(0, report.cuts);
        ASSERT_IN_RANGE(1.0 / 12, (double)report.plain_error, 1e-6); /* that sample, held out */
        ASSERT_EQ(i == 0 ? 1 : 0, margin_classify(&model, s.x, &score));
    }
    PASS();
}

TEST seco_refuses_kernel_values_that_overflow(void) {
    samples s;
    margin_seco_options o;
    margin_seco_report report;
    margin_model model;
    samples_make(&s, 80, 2, (double)ROOT);
    memset(&o, 0, sizeof o);
    o.kernel.kind = MARGIN_KERNEL_POLY;
    o.kernel.gamma = 1;
    ASSERT_EQ(MARGIN_E_RANGE, cut(&s.data, &o, &model, &report));
    samples_make(&s, 80, 2, (double)ROOT / 2); /* products fit, sums of them do not */
    o.kernel.kind = MARGIN_KERNEL_LINEAR;
    o.left = 4;
    o.greedy = true;
    o.starts = 1;
    ASSERT_EQ_FMT(MARGIN_E_RANGE, cut(&s.data, &o, &model, &report), "%d");
    o.greedy = false; /* found while lists are cross-validated */
    ASSERT_EQ_FMT(MARGIN_E_RANGE, cut(&s.data, &o, &model, &report), "%d");
    PASS();
}

/* Samples that are all alike, and samples of zeros. */
TEST seco_of_samples_without_difference_has_no_cut(void) {
    static const unsigned kinds[] = {MARGIN_KERNEL_LINEAR, MARGIN_KERNEL_POLY, MARGIN_KERNEL_RBF,
                                     MARGIN_KERNEL_UNIT_POLY};
    for (size_t i = 0; i < 8u; i++) {
        samples s;
        margin_seco_options o;
        margin_seco_report report;
        margin_model model;
        margin_real score;
        samples_make(&s, 40, 2, 1);
        for (size_t k = 0; k < 80u; k++) { s.x[k] = i % 2u == 0 ? 0 : 3; }
        memset(&o, 0, sizeof o);
        o.kernel.kind = (uint8_t)kinds[i / 2u];
        o.kernel.a = 1;
        o.left = 4;
        o.greedy = o.cheap = true;
        o.bounds = true;
        o.starts = 1;
        ASSERT_EQ_FMT(MARGIN_W_NO_CUT, cut(&s.data, &o, &model, &report), "%d");
        ASSERT_EQ(0, report.cuts);
        ASSERT(report.c0 == 0); /* no two samples of different classes are apart */
        ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
        (void)margin_classify(&model, s.x, &score);
        ASSERT(score - score == 0);
    }
    PASS();
}

/* With so large a tolerance no coefficient is worth a step; but a pool has a vector. */
TEST seco_that_tolerates_everything_has_one_vector(void) {
    samples s;
    margin_seco_options o;
    margin_seco_report report;
    margin_model model;
    samples_make(&s, 40, 2, 1);
    memset(&o, 0, sizeof o);
    o.kernel.kind = MARGIN_KERNEL_RBF;
    o.tol = 100;
    o.most = 1;
    o.left = 20;
    ASSERT(cut(&s.data, &o, &model, &report) >= 0);
    ASSERT_EQ(0, report.cuts);
    ASSERT_EQ(1, model.of.list.pool.n);
    ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    PASS();
}

/* A polynomial with a constant below 0 is no kernel: cuts keep all their vectors. */
TEST seco_with_an_indefinite_matrix_keeps_its_vectors(void) {
    samples s;
    margin_seco_options o;
    margin_seco_report report;
    margin_model model;
    samples_make(&s, 60, 2, 1);
    for (size_t i = 0; i < 60u; i++) { /* an island of class 1 */
        const double angle = 6.283 * (double)i / 60, r = s.y[i] == 1 ? 0.2 : 1.2;
        s.x[2u * i] = (margin_real)(r * cos(angle) + (i % 7u == 0 ? 0.8 : 0));
        s.x[2u * i + 1u] = (margin_real)(r * sin(angle));
    }
    memset(&o, 0, sizeof o);
    o.kernel.kind = MARGIN_KERNEL_POLY;
    o.kernel.degree = 3;
    o.kernel.gamma = 1;
    o.kernel.coef0 = (margin_real)-0.3;
    o.greedy = o.cheap = true;
    o.left = 4;
    o.most = 2;
    o.easy = (margin_real)0.001;
    ASSERT(cut(&s.data, &o, &model, &report) >= 0);
    ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    ASSERT(report.cuts > 0);
    ASSERT_EQ(60, model.of.list.pool.n);
    PASS();
}

/* ---- rates ---- */

/* A class whose samples are all alike has no error beyond its point: every rate can be reached. */
TEST the_frontier_of_a_class_without_spread_is_at_no_errors(void) {
    static const margin_real x[12] = {0, 0, 0, 0, 0, 0, 3, 1, 4, 2, 5, 1},
                             asked[1] = {(margin_real)0.2};
    static const uint16_t y[6] = {0, 0, 0, 1, 1, 1};
    const margin_data data = {x, 6, 2, 0, y, NULL, NULL};
    margin_arena mem = fresh();
    margin_real reached[1] = {7};
    ASSERT_EQ(MARGIN_OK, margin_rates_frontier(&data, NULL, &mem, asked, reached, 1));
    ASSERT_IN_RANGE(0, (double)reached[0], 1e-6);
    PASS();
}

/* A ridge is what it adds to the diagonals, also where covariances leave dimensions free. */
TEST a_ridge_is_part_of_the_covariances(void) {
    static const margin_real mean[4] = {0, 0, 4, 1};
    static const margin_real flat[8] = {1, 0, 0, 0, 0, 0, 0, 1};
    static const margin_real with[8] = {(margin_real)1.25, 0, 0, (margin_real)0.25,
                                        (margin_real)0.25, 0, 0, (margin_real)1.25};
    const margin_rates_moments singular = {mean, flat, 2}, regular = {mean, with, 2};
    margin_rates_options o;
    margin_arena mem = fresh();
    margin_model a, b;
    memset(&o, 0, sizeof o);
    ASSERT_EQ(MARGIN_OK, margin_rates_train_moments(&regular, &o, &mem, &a, NULL, NULL));
    o.ridge = (margin_real)0.25;
    ASSERT_EQ(MARGIN_OK, margin_rates_train_moments(&singular, &o, &mem, &b, NULL, NULL));
    for (size_t k = 0; k < 2u; k++) {
        ASSERT_IN_RANGE((double)a.of.linear.w[k], (double)b.of.linear.w[k], 1e-4);
    }
    PASS();
}

/* Means that hardly differ are no fault where the variance is not lost with them. */
TEST a_tiny_difference_of_means_beside_a_variance_counts_for_nothing(void) {
    const margin_real tiny = (margin_real)(sizeof(margin_real) > 4u ? 1e-160 : 1e-25);
    const margin_real mean[4] = {0, 0, 4, tiny};
    margin_real cov[8] = {1, 0, 0, 1, 1, 0, 0, 1};
    const margin_rates_moments moments = {mean, cov, 2};
    margin_arena mem = fresh();
    margin_model model;
    ASSERT_EQ(MARGIN_OK, margin_rates_train_moments(&moments, NULL, &mem, &model, NULL, NULL));
    ASSERT_IN_RANGE(0, (double)model.of.linear.w[1], 1e-6);
    cov[3] = cov[7] = 0; /* squares of both have underflowed */
    ASSERT_EQ(MARGIN_E_RANGE, margin_rates_train_moments(&moments, NULL, &mem, &model, NULL, NULL));
    PASS();
}

SUITE(edges_suite) {
    RUN_TEST(the_frontier_of_a_class_without_spread_is_at_no_errors);
    RUN_TEST(a_ridge_is_part_of_the_covariances);
    RUN_TEST(a_tiny_difference_of_means_beside_a_variance_counts_for_nothing);
    RUN_TEST(seco_that_tolerates_everything_has_one_vector);
    RUN_TEST(seco_with_an_indefinite_matrix_keeps_its_vectors);
    RUN_TEST(thresholds_between_neighbouring_numbers_are_the_lower_one);
    RUN_TEST(ordinal_trainers_refuse_what_has_no_order);
    RUN_TEST(normalised_omam_refuses_lengths_that_overflow);
    RUN_TEST(on_line_omam_that_forgot_too_much_has_no_direction);
    RUN_TEST(lssvm_without_any_price_says_so);
    RUN_TEST(lssvm_refuses_matrices_that_are_not_positive);
    RUN_TEST(lssvm_of_targets_that_no_feature_explains_has_no_direction);
    RUN_TEST(losses_refuse_numbers_that_overflow_or_vanish);
    RUN_TEST(mam_refuses_lengths_that_overflow);
    RUN_TEST(bounds_of_certainty_are_those_of_machines);
    RUN_TEST(images_refuse_what_binary32_cannot_hold);
    RUN_TEST(scalings_whose_bias_overflows_are_refused);
    RUN_TEST(compress_refuses_nothing_and_too_much);
    RUN_TEST(seco_options_are_checked_one_by_one);
    RUN_TEST(seco_of_one_negative_sample_has_one_machine);
    RUN_TEST(seco_refuses_kernel_values_that_overflow);
    RUN_TEST(seco_of_samples_without_difference_has_no_cut);
    free(room);
    room = NULL;
}
