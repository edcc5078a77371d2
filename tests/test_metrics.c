/* Errors, costs, margins and cross-validation. What is expected comes from hand calculation or from
 * naive forms. */
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

static margin_rng rng;

static size_t below(size_t n) {
    return margin_rng_below(&rng, (uint32_t)n);
}

static margin_real uniform(void) {
    return margin_rng_uniform(&rng);
}

/* Scores x and -x of one feature: class 1 above 0. */
static const margin_real one_w[] = {1}, one_bias[] = {0};

static margin_model line(margin_real reject) {
    margin_model m;
    memset(&m, 0, sizeof m);
    m.kind = MARGIN_MODEL_LINEAR;
    m.of.linear.w = one_w;
    m.of.linear.bias = one_bias;
    m.of.linear.d = 1;
    m.of.linear.vote.classes = 2;
    m.of.linear.vote.scheme = MARGIN_SCHEME_BINARY;
    m.of.linear.vote.reject = reject;
    return m;
}

/* One machine a class: class c has the score x[c]. */
static const margin_real three_w[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, three_bias[] = {0, 0, 0};

static margin_model three(void) {
    margin_model m = line(0);
    m.of.linear.w = three_w;
    m.of.linear.bias = three_bias;
    m.of.linear.d = 3;
    m.of.linear.vote.classes = 3;
    m.of.linear.vote.scheme = MARGIN_SCHEME_ONE_REST;
    return m;
}

static int by_value(const void *a, const void *b) {
    const margin_real x = *(const margin_real *)a, y = *(const margin_real *)b;
    return (x > y) - (x < y);
}

/* Classes on a line of d features, some overlap; every class has ten samples at least. */
typedef struct {
    margin_real x[400 * 4], weight[400];
    uint16_t y[400];
    margin_index rows[400];
    margin_data data;
} problem;

static void problem_make(problem *p, size_t n, size_t d, size_t classes) {
    memset(p, 0, sizeof *p);
    for (size_t i = 0; i < 400; i++) {
        p->y[i] = (uint16_t)(i < 10 * classes ? i % classes : below(classes));
        p->weight[i] = 1 + uniform();
        p->rows[i] = (margin_index)i;
        for (size_t j = 0; j < d; j++) {
            p->x[i * d + j] = 4 * uniform() + (margin_real)(p->y[i] * (j % 2 + 1));
        }
    }
    p->data.x = p->x;
    p->data.y = p->y;
    p->data.n = n;
    p->data.d = d;
}

/* ---- confusion, error, risk ---------------------------------------------------------------------- */

/* Class 0 at -2, -1, 3; class 1 at 1, -0.5, 2, 0 (a score of 0 is class 0). */
TEST errors_of_seven_points_by_hand(void) {
    static const margin_real x[] = {-2, -1, 3, 1, (margin_real)-0.5, 2, 0};
    static const uint16_t y[] = {0, 0, 0, 1, 1, 1, 1};
    const margin_data data = {x, 7, 1, 0, y, NULL, NULL};
    const margin_model model = line(0);
    unsigned char bytes[64];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_real confusion[MARGIN_CONFUSION(2)];
    ASSERT_EQ_FMT(MARGIN_OK, margin_confusion(&data, &model, &mem, confusion), "%d");
    ASSERT_EQ_FMT(2.0, (double)confusion[0], "%g");
    ASSERT_EQ_FMT(1.0, (double)confusion[1], "%g");
    ASSERT_EQ_FMT(0.0, (double)confusion[2], "%g");
    ASSERT_EQ_FMT(2.0, (double)confusion[3], "%g");
    ASSERT_EQ_FMT(2.0, (double)confusion[4], "%g");
    ASSERT_EQ_FMT(0.0, (double)confusion[5], "%g");
    ASSERT_IN_RANGE(3.0 / 7, (double)margin_error(confusion, 2), EPS);
    ASSERT_IN_RANGE(1.0 / 3, (double)margin_class_error(confusion, 2, 0), EPS);
    ASSERT_IN_RANGE(0.5, (double)margin_class_error(confusion, 2, 1), EPS);
    PASS();
}

/* The same with a rejection below 1: -0.5 and 0 are rejected; and with weights. */
TEST rejected_samples_are_no_errors(void) {
    static const margin_real x[] = {-2, -1, 3, 1, (margin_real)-0.5, 2, 0};
    static const margin_real weight[] = {1, 1, 2, 1, 3, 1, 1};
    static const uint16_t y[] = {0, 0, 0, 1, 1, 1, 1};
    const margin_data data = {x, 7, 1, 0, y, weight, NULL};
    const margin_model model = line(1);
    unsigned char bytes[64];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_real confusion[MARGIN_CONFUSION(2)];
    ASSERT_EQ_FMT(MARGIN_OK, margin_confusion(&data, &model, &mem, confusion), "%d");
    ASSERT_EQ_FMT(4.0, (double)confusion[5], "%g");
    ASSERT_EQ_FMT(0.0, (double)confusion[3], "%g");
    ASSERT_IN_RANGE(0.2, (double)margin_error(confusion, 2), EPS); /* 2 of 10 */
    ASSERT_IN_RANGE(0.5, (double)margin_class_error(confusion, 2, 0), EPS);
    ASSERT_EQ_FMT(0.0, (double)margin_class_error(confusion, 2, 1), "%g");
    PASS();
}

TEST where_there_is_nothing_there_is_no_error(void) {
    static const margin_real none[MARGIN_CONFUSION(3)] = {0};
    ASSERT_EQ_FMT(0.0, (double)margin_error(none, 3), "%g");
    ASSERT_EQ_FMT(0.0, (double)margin_class_error(none, 3, 1), "%g");
    PASS();
}

TEST the_confusion_matrix_counts_each_answer_once(void) {
    static problem p;
    unsigned char bytes[64];
    const margin_model model = three();
    rng = margin_rng_make(1);
    for (unsigned round = 0; round < 50; round++) {
        margin_arena mem = margin_arena_make(bytes, sizeof bytes);
        margin_real confusion[MARGIN_CONFUSION(3)], naive[MARGIN_CONFUSION(3)] = {0};
        double wrong = 0, all = 0;
        problem_make(&p, 1 + below(300), 3, 3);
        p.data.weight = round % 2 == 0 ? NULL : p.weight;
        p.data.rows = round % 3 == 0 ? p.rows + 100 : NULL;
        p.data.n = p.data.n > 300 ? 300 : p.data.n;
        ASSERT_EQ_FMT(MARGIN_OK, margin_confusion(&p.data, &model, &mem, confusion), "%d");
        for (size_t i = 0; i < p.data.n; i++) {
            const size_t r = p.data.rows == NULL ? i : p.data.rows[i];
            const margin_real *x = p.x + 3 * r;
            const size_t best = x[0] >= x[1] && x[0] >= x[2] ? 0 : x[1] >= x[2] ? 1 : 2;
            const double w = p.data.weight == NULL ? 1 : (double)p.weight[r];
            naive[p.y[r] * 4u + best] += (margin_real)w;
            wrong += best != p.y[r] ? w : 0;
            all += w;
        }
        ASSERT_MEM_EQ(naive, confusion, sizeof naive);
        ASSERT_IN_RANGE(wrong / all, (double)margin_error(confusion, 3), 400 * EPS);
    }
    PASS();
}

/* ---- margins ------------------------------------------------------------------------------------- */

TEST margins_of_five_points_by_hand(void) {
    static const margin_real x[] = {-2, -1, 3, 1, (margin_real)-0.5};
    static const margin_real weight[] = {1, 1, 0, 1, 1};
    static const uint16_t y[] = {0, 0, 0, 1, 1};
    static const double expected[] = {2, 1, -3, 1, -0.5};
    const margin_data data = {x, 5, 1, 0, y, weight, NULL};
    const margin_model model = line(0);
    unsigned char bytes[64];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_real margins[5];
    margin_summary with, without;
    ASSERT_EQ_FMT(MARGIN_OK, margin_margins(&data, &model, &mem, margins, &with), "%d");
    for (size_t i = 0; i < 5; i++) { ASSERT_EQ_FMT(expected[i], (double)margins[i], "%g"); }
    ASSERT_EQ_FMT(-0.5, (double)with.min, "%g"); /* the third has no weight */
    ASSERT_EQ_FMT(0.875, (double)with.mean, "%g");
    ASSERT_EQ_FMT(1.0, (double)with.quantile[2], "%g"); /* of -0.5, 1, 1, 2: rank 1 */
    ASSERT_EQ_FMT(-0.5, (double)with.quantile[0], "%g");
    ASSERT_EQ_FMT(1.0, (double)with.quantile[4], "%g"); /* rank 2 */
    ASSERT_EQ_FMT(MARGIN_OK, margin_margins(&data, &model, &mem, NULL, &without), "%d");
    ASSERT_MEM_EQ(&with, &without, sizeof with);
    ASSERT_EQ_FMT(MARGIN_OK, margin_margins(&data, &model, &mem, margins, NULL), "%d");
    PASS();
}

TEST summaries_agree_with_sorting(void) {
    static problem p;
    static const unsigned percent[] = {5, 25, 50, 75, 95};
    unsigned char bytes[64];
    const margin_model model = three();
    rng = margin_rng_make(2);
    for (unsigned round = 0; round < 60; round++) {
        margin_arena mem = margin_arena_make(bytes, sizeof bytes);
        static margin_real margins[400];
        margin_summary s;
        long double mean = 0;
        problem_make(&p, 1 + below(400), 3, 3);
        for (size_t i = 0; i < 1200; i++) { /* sizes from tiny to huge, both signs, and ties */
            const margin_real sign = (margin_real)(below(2) == 0 ? -1 : 1);
            p.x[i] = round % 3 == 0
                         ? (margin_real)below(3)
                         : sign * (margin_real)ldexp((double)p.x[i], (int)below(80) - 40);
        }
        ASSERT_EQ_FMT(MARGIN_OK, margin_margins(&p.data, &model, &mem, NULL, &s), "%d");
        ASSERT_EQ_FMT(MARGIN_OK, margin_margins(&p.data, &model, &mem, margins, NULL), "%d");
        for (size_t i = 0; i < p.data.n; i++) {
            const size_t y = p.y[i], a = y == 0 ? 1 : 0, b = y == 2 ? 1 : 2;
            const margin_real *x = p.x + 3 * i;
            const margin_real rival = x[a] > x[b] ? x[a] : x[b];
            ASSERT_EQ_FMT((double)(x[y] - rival), (double)margins[i], "%.17g");
            mean += margins[i];
        }
        qsort(margins, p.data.n, sizeof *margins, by_value);
        ASSERT_EQ_FMT((double)margins[0], (double)s.min, "%.17g");
        mean /= (long double)p.data.n;
        ASSERT_IN_RANGE((double)mean, (double)s.mean, EPS * fabs((double)mean) + 1e-12);
        for (size_t k = 0; k < 5; k++) {
            ASSERT_EQ_FMT((double)margins[(p.data.n - 1) * percent[k] / 100], (double)s.quantile[k],
                          "%.17g");
        }
    }
    PASS();
}

TEST metrics_refuse_what_does_not_fit(void) {
    static const margin_real x[] = {-2, -1, 3, 1};
    uint16_t y[] = {0, 0, 1, 1};
    margin_data data = {x, 4, 1, 0, y, NULL, NULL}, bad;
    const margin_model model = line(0), other = three();
    unsigned char bytes[64];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes), none = margin_arena_make(NULL, 0);
    margin_arena count = margin_arena_counting();
    margin_real out[16];
    margin_summary s;
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_confusion(NULL, &model, &mem, out), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_confusion(&data, NULL, &mem, out), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_confusion(&data, &model, NULL, out), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_confusion(&data, &model, &count, out), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_confusion(&data, &model, &mem, NULL), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_confusion(&data, &other, &mem, out), "%d");
    ASSERT_EQ_FMT(MARGIN_E_MEMORY, margin_confusion(&data, &model, &none, out), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_margins(&data, &model, &mem, NULL, NULL), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_margins(&data, &other, &mem, out, &s), "%d");
    ASSERT_EQ_FMT(MARGIN_E_MEMORY, margin_margins(&data, &model, &none, out, &s), "%d");
    bad = data, bad.y = NULL;
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_confusion(&bad, &model, &mem, out), "%d");
    bad = data, bad.n = 0;
    ASSERT_EQ_FMT(MARGIN_E_EMPTY, margin_margins(&bad, &model, &mem, out, &s), "%d");
    y[1] = 2;
    ASSERT_EQ_FMT(MARGIN_E_LABEL, margin_confusion(&data, &model, &mem, out), "%d");
    ASSERT_EQ_FMT(MARGIN_E_LABEL, margin_margins(&data, &model, &mem, out, &s), "%d");
    ASSERT_EQ_FMT((size_t)0, margin_confusion_size(NULL), "%zu");
    ASSERT_EQ_FMT(MARGIN_BLOCK(1, sizeof(margin_real)), margin_confusion_size(&model), "%zu");
    ASSERT_EQ_FMT(MARGIN_BLOCK(3, sizeof(margin_real)), margin_confusion_size(&other), "%zu");
    PASS();
}

/* ---- cross-validation ---------------------------------------------------------------------------- */

static margin_status train_mam(void *user, const margin_data *data, margin_arena *mem,
                               margin_model *model) {
    return margin_mam_train(data, (const margin_mam_options *)user, mem, model, NULL);
}

static margin_status train_svm(void *user, const margin_data *data, margin_arena *mem,
                               margin_model *model) {
    return margin_svm_train(data, (const margin_svm_options *)user, mem, model, NULL, NULL);
}

static margin_mam_options fair(unsigned kind, unsigned scheme) {
    margin_mam_options o;
    memset(&o, 0, sizeof o);
    o.kernel.kind = (uint8_t)kind;
    o.scheme = (uint8_t)scheme;
    o.intercept = o.balanced = true;
    return o;
}

/* The same once more, step by step: folds, training, scores of what was left out. */
static enum greatest_test_res same_by_hand(const problem *p, size_t classes, margin_learner learner,
                                           margin_cv_options o, const margin_cv *cv) {
    const size_t n = p->data.n, d = p->data.d;
    const size_t size = learner.bytes + margin_folds_size(n);
    static uint16_t fold[400];
    static margin_index rows[400];
    margin_rng dice = margin_rng_make(o.seed);
    double confusion[MARGIN_CONFUSION(5)] = {0}, errors[64], mean = 0, sd = 0;
    void *bytes = malloc(size + MARGIN_ALIGN);
    size_t runs = 0;
    for (size_t r = 0; r < o.repeats; r++) {
        margin_arena mem = margin_arena_make(bytes, size + MARGIN_ALIGN);
        ASSERT_EQ(MARGIN_OK, margin_folds(&p->data, o.folds, !o.unstratified, &dice, &mem, fold));
        for (size_t k = 0; k < o.folds; k++) {
            margin_data train, test;
            margin_model model;
            double wrong = 0, all = 0;
            mem = margin_arena_make(bytes, size + MARGIN_ALIGN);
            ASSERT_EQ(MARGIN_OK, margin_fold_views(&p->data, fold, k, rows, &train, &test));
            ASSERT(learner.train(learner.user, &train, &mem, &model) >= 0);
            for (size_t i = 0; i < n; i++) {
                const size_t row = p->data.rows == NULL ? i : p->data.rows[i];
                const double w = p->data.weight == NULL ? 1 : (double)p->weight[row];
                margin_real scores[10];
                if (fold[i] == k) {
                    const uint16_t a = margin_classify(&model, p->x + row * d, scores);
                    wrong += a != p->y[row] ? w : 0;
                    all += w;
                    confusion[p->y[row] * (classes + 1) + a] += w;
                    if (r == 0 && o.keep) {
                        ASSERT_EQ_FMT(a, cv->labels[i], "%u");
                        ASSERT_MEM_EQ(scores, (cv->scores + i * cv->machines),
                                      cv->machines * sizeof *scores);
                    }
                }
            }
            errors[runs++] = wrong / all;
        }
    }
    for (size_t k = 0; k < runs; k++) { mean += errors[k] / (double)runs; }
    for (size_t k = 0; k < runs; k++) { sd += (errors[k] - mean) * (errors[k] - mean); }
    ASSERT_EQ_FMT(runs, cv->runs, "%zu");
    ASSERT_IN_RANGE(mean, (double)cv->error_mean, 100 * EPS);
    ASSERT_IN_RANGE(sqrt(sd / (double)(runs - 1)), (double)cv->error_sd, 1000 * EPS);
    for (size_t k = 0; k < MARGIN_CONFUSION(classes); k++) {
        ASSERT_IN_RANGE(confusion[k], (double)cv->confusion[k], 400 * EPS * (1 + confusion[k]));
    }
    free(bytes);
    PASS();
}

TEST cross_validation_agrees_with_its_steps(void) {
    static problem p;
    rng = margin_rng_make(3);
    for (unsigned round = 0; round < 40; round++) {
        const size_t classes = 2 + below(3), n = 10 * classes + below(200), d = 1 + below(4);
        const unsigned scheme = round % 2 == 0 || classes == 2 ? 0 : MARGIN_SCHEME_ONE_REST;
        margin_mam_options mam =
            fair(round % 3 == 0 ? MARGIN_KERNEL_RBF : MARGIN_KERNEL_LINEAR, scheme);
        margin_cv_options o = {0, 0, 0, false, false, 0};
        margin_learner learner = {train_mam, &mam, 0};
        margin_cv cv;
        size_t size;
        void *bytes;
        margin_arena mem;
        problem_make(&p, n, d, classes);
        p.data.weight = round % 4 < 2 ? NULL : p.weight;
        p.data.rows = round % 5 == 0 ? p.rows : NULL;
        o.folds = 2 + below(6);
        o.repeats = 1 + below(3);
        o.seed = round;
        o.unstratified = round % 7 == 0;
        o.keep = round % 2 == 0;
        o.scheme = (uint8_t)scheme;
        learner.bytes = margin_mam_train_size(n - n / o.folds, d, classes, &mam);
        size = margin_cross_validate_size(n, classes, &o, learner.bytes);
        ASSERT(size > 0);
        bytes = malloc(size + MARGIN_ALIGN);
        mem = margin_arena_make(bytes, size + MARGIN_ALIGN - 1u);
        memset(&cv, 0x55, sizeof cv);
        ASSERT_EQ_FMT(MARGIN_OK, margin_cross_validate(&p.data, &learner, &o, &mem, &cv), "%d");
        ASSERT_EQ_FMT(classes, cv.classes, "%zu");
        ASSERT_EQ(o.keep, cv.labels != NULL);
        ASSERT_EQ(o.keep, cv.scores != NULL);
        CHECK_CALL(same_by_hand(&p, classes, learner, o, &cv));
        free(bytes);
    }
    PASS();
}

TEST defaults_are_five_stratified_folds_once(void) {
    static problem p;
    static unsigned char bytes[100000];
    margin_svm_options svm;
    margin_learner learner = {train_svm, &svm, 0};
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_cv_options same = {5, 1, 0, false, false, MARGIN_SCHEME_BINARY};
    margin_cv a, b;
    memset(&svm, 0, sizeof svm);
    rng = margin_rng_make(4);
    problem_make(&p, 60, 2, 2);
    learner.bytes = margin_svm_train_size(48, 2, 2, &svm);
    ASSERT_EQ(MARGIN_OK, margin_cross_validate(&p.data, &learner, NULL, &mem, &a));
    ASSERT_EQ_FMT((size_t)5, a.runs, "%zu");
    ASSERT_EQ(NULL, a.labels);
    ASSERT_EQ(NULL, a.scores);
    ASSERT_EQ(MARGIN_OK, margin_cross_validate(&p.data, &learner, &same, &mem, &b));
    ASSERT_MEM_EQ(a.confusion, b.confusion, MARGIN_CONFUSION(2) * sizeof(margin_real));
    ASSERT_EQ_FMT((double)a.error_mean, (double)b.error_mean, "%g");
    ASSERT(a.error_mean > 0 && a.error_mean < (margin_real)0.5);
    p.data.n = 4; /* fewer samples than five: as many folds as samples */
    ASSERT_EQ(MARGIN_OK, margin_cross_validate(&p.data, &learner, NULL, &mem, &a));
    ASSERT_EQ_FMT((size_t)4, a.runs, "%zu");
    PASS();
}

/* Training samples are counted: none is ever in the fold that it is asked about. */
typedef struct {
    size_t seen[400], calls;
    margin_status status; /* to return */
    size_t at;            /* in this call */
    margin_model model;
} watcher;

static margin_status train_watched(void *user, const margin_data *data, margin_arena *mem,
                                   margin_model *model) {
    watcher *w = (watcher *)user;
    (void)margin_arena_keep(mem, 16, 1); /* a model; goes when the fold is done */
    for (size_t i = 0; i < data->n; i++) { w->seen[data->rows[i]]++; }
    *model = w->model;
    return w->calls++ == w->at ? w->status : MARGIN_OK;
}

static watcher watch(margin_model model) {
    watcher w;
    memset(&w, 0, sizeof w);
    w.model = model;
    return w;
}

TEST each_sample_is_left_out_once_a_repeat(void) {
    static problem p;
    unsigned char bytes[4000];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_cv_options o = {7, 3, 9, false, false, 0};
    watcher w = watch(line(0));
    const margin_learner learner = {train_watched, &w, 16};
    margin_cv cv;
    double all = 0;
    rng = margin_rng_make(5);
    problem_make(&p, 100, 1, 2);
    ASSERT_EQ(MARGIN_OK, margin_cross_validate(&p.data, &learner, &o, &mem, &cv));
    ASSERT_EQ_FMT((size_t)21, w.calls, "%zu");
    for (size_t i = 0; i < 100; i++) { ASSERT_EQ_FMT((size_t)18, w.seen[i], "%zu"); }
    for (size_t k = 0; k < MARGIN_CONFUSION(2); k++) { all += (double)cv.confusion[k]; }
    ASSERT_EQ_FMT(300.0, all, "%g");
    ASSERT_EQ_FMT(MARGIN_BLOCK(MARGIN_CONFUSION(2), sizeof(margin_real)), mem.low, "%zu");
    PASS();
}

TEST folds_without_weight_do_not_count(void) {
    static problem p;
    unsigned char bytes[4000];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_cv_options o = {20, 1, 3, false, false, 0};
    watcher w = watch(line(0));
    const margin_learner learner = {train_watched, &w, 16};
    margin_cv cv;
    rng = margin_rng_make(6);
    problem_make(&p, 20, 1, 2);
    memset(p.weight, 0, sizeof p.weight);
    p.weight[3] = 2;
    p.data.weight = p.weight;
    ASSERT_EQ(MARGIN_OK, margin_cross_validate(&p.data, &learner, &o, &mem, &cv));
    ASSERT_EQ_FMT((size_t)1, cv.runs, "%zu");
    ASSERT_EQ_FMT(0.0, (double)cv.error_sd, "%g");
    ASSERT_EQ_FMT(p.x[3] > 0 ? 0.0 : 1.0, (double)cv.error_mean, "%g"); /* its label is 1 */
    PASS();
}

TEST rejected_samples_are_no_errors_in_cross_validation(void) {
    static problem p;
    unsigned char bytes[4000];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_cv_options o = {2, 1, 3, false, true, 0};
    watcher w = watch(line(1000));
    const margin_learner learner = {train_watched, &w, 16};
    margin_cv cv;
    rng = margin_rng_make(7);
    problem_make(&p, 30, 1, 2);
    ASSERT_EQ(MARGIN_OK, margin_cross_validate(&p.data, &learner, &o, &mem, &cv));
    ASSERT_EQ_FMT(0.0, (double)cv.error_mean, "%g");
    ASSERT_EQ_FMT(30.0, (double)(cv.confusion[2] + cv.confusion[5]), "%g"); /* all are rejected */
    ASSERT_EQ_FMT(MARGIN_REJECTED, cv.labels[29], "%u");
    PASS();
}

TEST the_trainers_status_is_handed_on(void) {
    static problem p;
    unsigned char bytes[4000];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_cv_options o = {4, 1, 9, false, true, 0};
    watcher w = watch(line(0));
    margin_learner learner = {train_watched, &w, 16};
    margin_cv cv, before;
    rng = margin_rng_make(8);
    problem_make(&p, 40, 1, 2);
    memset(&cv, 0x55, sizeof cv);
    before = cv;
    w.at = 3, w.status = MARGIN_E_NO_DIRECTION;
    ASSERT_EQ_FMT(MARGIN_E_NO_DIRECTION, margin_cross_validate(&p.data, &learner, &o, &mem, &cv),
                  "%d");
    ASSERT_MEM_EQ(&before, &cv, sizeof cv);
    ASSERT_EQ_FMT(mem.size, mem.high - mem.low, "%zu");
    w.calls = 0, w.at = 1, w.status = MARGIN_W_ITERATIONS; /* a caveat: goes on */
    ASSERT_EQ_FMT(MARGIN_W_ITERATIONS, margin_cross_validate(&p.data, &learner, &o, &mem, &cv),
                  "%d");
    ASSERT_EQ_FMT((size_t)4, w.calls, "%zu");
    margin_arena_reset(&mem);
    w.at = 99;
    w.model.of.linear.vote.classes = 1; /* a class was not in the training samples */
    ASSERT_EQ_FMT(MARGIN_E_ONE_CLASS, margin_cross_validate(&p.data, &learner, &o, &mem, &cv),
                  "%d");
    w.model.of.linear.vote.classes = 3;
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_cross_validate(&p.data, &learner, &o, &mem, &cv), "%d");
    w.model.of.linear.vote.classes = 2;
    w.model.of.linear.vote.scheme = MARGIN_SCHEME_ONE_REST; /* two machines */
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_cross_validate(&p.data, &learner, &o, &mem, &cv), "%d");
    w.model = line(0);
    w.model.of.linear.d = 2;
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_cross_validate(&p.data, &learner, &o, &mem, &cv), "%d");
    ASSERT_EQ_FMT(mem.size, mem.high - mem.low, "%zu");
    PASS();
}

/* A class of one sample: when that is left out, no model knows the class. */
TEST a_class_of_one_sample_cannot_be_validated(void) {
    static const margin_real x[] = {1, 2, 3, 4, 5, 9};
    static const uint16_t y[] = {0, 1, 0, 1, 0, 2};
    const margin_data data = {x, 6, 1, 0, y, NULL, NULL};
    unsigned char bytes[4000];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_cv_options o = {2, 1, 0, false, false, 0};
    margin_mam_options mam = fair(0, 0);
    const margin_learner learner = {train_mam, &mam, margin_mam_train_size(3, 1, 3, &mam)};
    margin_cv cv;
    ASSERT_EQ_FMT(MARGIN_E_ONE_CLASS, margin_cross_validate(&data, &learner, &o, &mem, &cv), "%d");
    PASS();
}

TEST cross_validation_refuses_wrong_arguments(void) {
    static problem p;
    unsigned char bytes[4000];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    watcher w = watch(line(0));
    margin_learner learner = {train_watched, &w, 16}, none = {NULL, NULL, 0};
    margin_cv_options o = {0, 0, 0, false, false, 0}, bad = o;
    margin_data data;
    margin_cv cv;
    rng = margin_rng_make(9);
    problem_make(&p, 20, 1, 2);
    data = p.data;
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_cross_validate(NULL, &learner, &o, &mem, &cv), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_cross_validate(&data, NULL, &o, &mem, &cv), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_cross_validate(&data, &none, &o, &mem, &cv), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_cross_validate(&data, &learner, &o, NULL, &cv), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_cross_validate(&data, &learner, &o, &mem, NULL), "%d");
    bad.folds = 21;
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_cross_validate(&data, &learner, &bad, &mem, &cv), "%d");
    ASSERT_EQ_FMT((size_t)0, margin_cross_validate_size(20, 2, &bad, 16), "%zu");
    bad.folds = 1;
    ASSERT_EQ_FMT((size_t)0, margin_cross_validate_size(20, 2, &bad, 16), "%zu");
    bad = o, bad.scheme = 9;
    ASSERT_EQ_FMT((size_t)0, margin_cross_validate_size(20, 2, &bad, 16), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_cross_validate_size(20, 1, NULL, 16), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_cross_validate_size(20, 65536, NULL, 16), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_cross_validate_size(1, 2, NULL, 16), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_cross_validate_size(20, 2, NULL, SIZE_MAX), "%zu");
#if SIZE_MAX > 0xFFFFFFFFu
    ASSERT_EQ_FMT((size_t)0, margin_cross_validate_size((size_t)1 << 33, 2, NULL, 16), "%zu");
#endif
    data.n = 1;
    ASSERT_EQ_FMT(MARGIN_E_ONE_CLASS, margin_cross_validate(&data, &learner, &o, &mem, &cv), "%d");
    PASS();
}

typedef struct {
    const margin_data *data;
    const margin_model *model;
    const margin_learner *learner;
    const margin_cv_options *options;
    struct {
        margin_cv cv;
        margin_real confusion[MARGIN_CONFUSION(3)];
        margin_real margins[40];
        margin_summary summary;
    } out;
} sweep;

static margin_status run_confusion(margin_arena *mem, void *user) {
    sweep *s = (sweep *)user;
    return margin_confusion(s->data, s->model, mem, s->out.confusion);
}

static margin_status run_margins(margin_arena *mem, void *user) {
    sweep *s = (sweep *)user;
    return margin_margins(s->data, s->model, mem, s->out.margins, &s->out.summary);
}

static margin_status run_cv(margin_arena *mem, void *user) {
    sweep *s = (sweep *)user;
    return margin_cross_validate(s->data, s->learner, s->options, mem, &s->out.cv);
}

TEST memory_is_what_the_queries_say(void) {
    static problem p;
    const margin_model model = three();
    sweep s;
    memset(&s, 0, sizeof s);
    rng = margin_rng_make(10);
    problem_make(&p, 40, 3, 3);
    s.data = &p.data;
    s.model = &model;
    CHECK_CALL(arena_sweep(run_confusion, &s, margin_confusion_size(&model), &s.out, sizeof s.out));
    CHECK_CALL(arena_sweep(run_margins, &s, margin_confusion_size(&model), &s.out, sizeof s.out));
    for (unsigned k = 0; k < 8; k++) {
        margin_mam_options mam = fair(k & 1 ? MARGIN_KERNEL_RBF : 0, 0);
        const margin_cv_options o = {4, 2, k, (k & 2) != 0, (k & 4) != 0, 0};
        const margin_learner learner = {train_mam, &mam, margin_mam_train_size(30, 3, 3, &mam)};
        s.learner = &learner;
        s.options = &o;
        CHECK_CALL(arena_sweep(run_cv, &s, margin_cross_validate_size(40, 3, &o, learner.bytes),
                               &s.out, sizeof s.out));
    }
    PASS();
}

/* What calibration asks for: scores by models that have not seen the sample. */
TEST scores_left_out_calibrate_probabilities(void) {
    static problem p;
    static unsigned char bytes[20000];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_mam_options mam = fair(0, 0);
    margin_cv_options o = {0, 0, 1, false, true, 0};
    const margin_learner learner = {train_mam, &mam, margin_mam_train_size(160, 2, 2, &mam)};
    margin_vote vote;
    margin_cv cv;
    rng = margin_rng_make(11);
    problem_make(&p, 200, 2, 2);
    ASSERT_EQ(MARGIN_OK, margin_cross_validate(&p.data, &learner, &o, &mem, &cv));
    memset(&vote, 0, sizeof vote);
    vote.classes = 2;
    ASSERT_EQ(MARGIN_OK, margin_calibrate(&p.data, cv.scores, 0, &mem, &vote, NULL));
    ASSERT(vote.slope > 0);
    PASS();
}

SUITE(metrics_suite) {
    RUN_TEST(errors_of_seven_points_by_hand);
    RUN_TEST(rejected_samples_are_no_errors);
    RUN_TEST(where_there_is_nothing_there_is_no_error);
    RUN_TEST(the_confusion_matrix_counts_each_answer_once);
    RUN_TEST(margins_of_five_points_by_hand);
    RUN_TEST(summaries_agree_with_sorting);
    RUN_TEST(metrics_refuse_what_does_not_fit);
    RUN_TEST(cross_validation_agrees_with_its_steps);
    RUN_TEST(defaults_are_five_stratified_folds_once);
    RUN_TEST(each_sample_is_left_out_once_a_repeat);
    RUN_TEST(folds_without_weight_do_not_count);
    RUN_TEST(rejected_samples_are_no_errors_in_cross_validation);
    RUN_TEST(the_trainers_status_is_handed_on);
    RUN_TEST(a_class_of_one_sample_cannot_be_validated);
    RUN_TEST(cross_validation_refuses_wrong_arguments);
    RUN_TEST(memory_is_what_the_queries_say);
    RUN_TEST(scores_left_out_calibrate_probabilities);
}
