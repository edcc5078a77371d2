/* Classes in order and rankings: the scheme, oMAM, LS-SVM on ranks, thresholds, Kendall's tau. What is
 * expected comes from hand calculation or from the naive forms below. */
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

static double uniform(void) {
    return (double)draw() / 2147483648.0 - 1.0;
}

static double memory[1 << 19];

static margin_arena arena(void) {
    return margin_arena_make(memory, sizeof memory);
}

/* ---- the scheme --------------------------------------------------------------------------------- */

/* f = 2 x0 - x1, thresholds -1, 0.5 and 4: four classes. */
static const margin_real hand_w[] = {2, -1};
static const margin_real hand_bias[] = {1, (margin_real)-0.5, -4};

static margin_model hand_linear(void) {
    margin_model m;
    memset(&m, 0, sizeof m);
    m.kind = MARGIN_MODEL_LINEAR;
    m.of.linear.w = hand_w;
    m.of.linear.bias = hand_bias;
    m.of.linear.d = 2;
    m.of.linear.vote.classes = 4;
    m.of.linear.vote.scheme = MARGIN_SCHEME_ORDINAL;
    return m;
}

/* Three vectors under an rbf kernel. */
static const margin_real hand_vectors[] = {0, 0, 1, 1, -1, 2};
static const margin_real hand_norms[] = {0, 2, 5};
static const margin_real hand_coef[] = {3, -2, 1};
static const uint32_t hand_ends[] = {3, 3, 3, 3};

static margin_model hand_expansion(void) {
    margin_model m;
    margin_expansion *e = &m.of.expansion;
    memset(&m, 0, sizeof m);
    m.kind = MARGIN_MODEL_EXPANSION;
    e->vectors = hand_vectors;
    e->norms = hand_norms;
    e->coef = hand_coef;
    e->bias = hand_bias;
    e->class_end = hand_ends;
    e->n = 3;
    e->d = 2;
    e->kernel.kind = MARGIN_KERNEL_RBF;
    e->kernel.degree = 3;
    e->kernel.gamma = (margin_real)0.5;
    e->kernel.a = 2;
    e->width = 1;
    e->vote.classes = 4;
    e->vote.scheme = MARGIN_SCHEME_ORDINAL;
    return m;
}

static double hand_rbf(double x0, double x1) {
    double f = 0;
    for (int v = 0; v < 3; v++) {
        const double a = x0 - (double)hand_vectors[2 * v], b = x1 - (double)hand_vectors[2 * v + 1];
        f += (double)hand_coef[v] * exp(-0.5 * (a * a + b * b));
    }
    return f;
}

TEST ordinal_models_have_one_function_and_a_threshold_between_classes(void) {
    ASSERT_EQ_FMT(3, (int)margin_machines(MARGIN_SCHEME_ORDINAL, 4), "%d");
    ASSERT_EQ_FMT(1, (int)margin_machines(MARGIN_SCHEME_ORDINAL, 1), "%d");
    PASS();
}

TEST the_class_is_the_number_of_thresholds_passed(void) {
    static const struct {
        margin_real x[2];
        int label;
        double margin; /* to the nearer threshold */
    } cases[] = {{{-1, 0}, 0, 1},  {{0, 1}, 0, 0}, {{0, 0}, 1, 0.5}, {{(margin_real)0.25, 0}, 1, 0},
                 {{1, 0}, 2, 1.5}, {{2, -1}, 3, 1}};
    const margin_model m = hand_linear();
    margin_real s[3];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_EQ_FMT(cases[i].label, (int)margin_classify(&m, cases[i].x, s), "%d");
        ASSERT_EQ_FMT((double)(2 * cases[i].x[0] - cases[i].x[1] + 1), (double)s[0], "%g");
        ASSERT(s[0] >= s[1] && s[1] >= s[2]);
        ASSERT_EQ_FMT(cases[i].margin,
                      (double)margin_margin(MARGIN_SCHEME_ORDINAL, 4, s, (size_t)cases[i].label),
                      "%g");
    }
    /* f = 5 of the last case lies 4.5 beyond the upper end of class 1 */
    ASSERT_EQ_FMT(-4.5, (double)margin_margin(MARGIN_SCHEME_ORDINAL, 4, s, 1), "%g");
    PASS();
}

TEST an_ordinal_expansion_adds_its_function_once(void) {
    const margin_model m = hand_expansion();
    seed = 3;
    for (int i = 0; i < 50; i++) {
        const margin_real x[2] = {(margin_real)(2 * uniform()), (margin_real)(2 * uniform())};
        const double f = hand_rbf((double)x[0], (double)x[1]);
        const int label = (f > -1) + (f > 0.5) + (f > 4);
        margin_real s[3];
        ASSERT_EQ_FMT(label, (int)margin_classify(&m, x, s), "%d");
        for (int j = 0; j < 3; j++) {
            ASSERT_IN_RANGE(f + (double)hand_bias[j], (double)s[j], 32 * EPS);
        }
        ASSERT(s[0] >= s[1] && s[1] >= s[2]);
    }
    PASS();
}

TEST a_ranker_has_a_score_and_one_class(void) {
    margin_model m = hand_linear();
    const margin_real x[2] = {1, 1};
    margin_real s[1], p;
    m.of.linear.vote.classes = 1;
    ASSERT_EQ_FMT(0, (int)margin_classify(&m, x, s), "%d");
    ASSERT_EQ_FMT(2.0, (double)s[0], "%g");
    margin_probabilities(&m.of.linear.vote, s, &p);
    ASSERT_EQ_FMT(1.0, (double)p, "%g");
    PASS();
}

/* Scores of two models at many inputs differ by at most `most`; their classes not at all, where the
 * nearest threshold is not nearer than that. */
static enum greatest_test_res same_answers(const margin_model *a, const margin_model *b,
                                           double most) {
    const size_t machines =
        margin_machines(margin_model_vote(a)->scheme, margin_model_vote(a)->classes);
    for (int i = 0; i < 100; i++) {
        const margin_real x[2] = {(margin_real)(2 * uniform()), (margin_real)(2 * uniform())};
        margin_real s[3], t[3];
        double least = HUGE_VAL;
        const uint16_t one = margin_classify(a, x, s), two = margin_classify(b, x, t);
        for (size_t j = 0; j < machines; j++) {
            ASSERT_IN_RANGE((double)s[j], (double)t[j], most);
            least = fmin(least, fabs((double)s[j]));
        }
        ASSERT(one == two || least <= most);
    }
    PASS();
}

static enum greatest_test_res image_round_trip(const margin_model *m) {
    static double image[64];
    unsigned char *bytes = (unsigned char *)image;
    const size_t size = margin_image_size(m, 0);
    margin_arena mem = arena();
    margin_model back;
    ASSERT(size > 0 && size <= sizeof image);
    ASSERT_EQ(MARGIN_OK, margin_image_write(m, NULL, 0, bytes, sizeof image));
    ASSERT_EQ(MARGIN_OK, margin_image_load(bytes, size, &mem, &back));
    ASSERT_EQ_FMT(MARGIN_SCHEME_ORDINAL, (int)margin_model_vote(&back)->scheme, "%d");
    CHECK_CALL(same_answers(m, &back, 1e-5));
    PASS();
}

TEST ordinal_models_go_through_images(void) {
    margin_model l = hand_linear(), e = hand_expansion();
    CHECK_CALL(image_round_trip(&l));
    CHECK_CALL(image_round_trip(&e));
    l.of.linear.vote.classes = e.of.expansion.vote.classes = 1; /* rankers */
    CHECK_CALL(image_round_trip(&l));
    CHECK_CALL(image_round_trip(&e));
    ASSERT_EQ_FMT(64u + 4u * 3u, (unsigned)margin_image_size(&l, 0), "%u");
    PASS();
}

TEST images_with_thresholds_out_of_order_are_refused(void) {
    static const margin_real wrong[] = {1, -4, (margin_real)-0.5};
    static double image[64];
    margin_model l = hand_linear(), e = hand_expansion();
    l.of.linear.bias = wrong;
    e.of.expansion.bias = wrong;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check(&l)); /* what reading an image asks, too */
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check(&e));
    ASSERT_EQ(MARGIN_E_RANGE, margin_image_write(&l, NULL, 0, image, sizeof image));
    ASSERT_EQ(MARGIN_E_RANGE, margin_image_write(&e, NULL, 0, image, sizeof image));
    l.of.linear.bias = hand_bias; /* an ordinal model of two classes is a binary one */
    l.of.linear.vote.classes = 2;
    ASSERT_EQ(MARGIN_E_RANGE, margin_image_write(&l, NULL, 0, image, sizeof image));
    PASS();
}

TEST scaling_folds_into_the_one_function(void) {
    static const margin_real offset[] = {3, -1}, factor[] = {(margin_real)0.5, 2};
    const margin_real x[] = {4, (margin_real)-0.75},
                      scaled[] = {(margin_real)0.5, (margin_real)0.5};
    margin_scaling scaling;
    margin_model m = hand_linear(), plain = hand_linear();
    margin_arena mem = arena();
    margin_real s[3], t[3];
    scaling.offset = offset;
    scaling.factor = factor;
    scaling.d = 2;
    ASSERT_EQ(MARGIN_OK, margin_model_scale(&m, &scaling, &mem));
    margin_scores(&m, x, s);
    margin_scores(&plain, scaled, t);
    for (int j = 0; j < 3; j++) { ASSERT_IN_RANGE((double)t[j], (double)s[j], 16 * EPS); }
    PASS();
}

/* Quantised scores, in real units, are near; classes are the same but near thresholds. */
static enum greatest_test_res quantised(const margin_model *m, unsigned format, double most) {
    static margin_real x[400];
    margin_quant_options options = {0, false};
    margin_quant_info info;
    margin_quant q;
    margin_data data;
    margin_arena mem = arena();
    memset(&data, 0, sizeof data);
    options.format = (uint8_t)format;
    seed = 8;
    for (size_t i = 0; i < 400; i++) { x[i] = (margin_real)(2 * uniform()); }
    data.x = x;
    data.n = 200;
    data.d = 2;
    ASSERT_EQ(MARGIN_OK, margin_quantize(m, &data, &options, &mem, &q, &info));
    ASSERT_EQ(MARGIN_OK, margin_model_check_q(&q.model));
    ASSERT(info.worst <= most);
    for (size_t i = 0; i < 200; i++) {
        int16_t in[2];
        int32_t sq[3];
        margin_real s[3], nearest = 100;
        uint16_t label, label_q;
        margin_input_q(&q.input, x + 2 * i, in);
        label_q = margin_classify_q(&q.model, in, NULL, sq);
        label = margin_classify(m, x + 2 * i, s);
        for (int j = 0; j < 3; j++) {
            ASSERT_IN_RANGE((double)s[j], (double)sq[j] * (double)q.unit, most);
            nearest = (margin_real)fmin((double)nearest, fabs((double)s[j]));
        }
        ASSERT(sq[0] >= sq[1] && sq[1] >= sq[2]);
        ASSERT(label == label_q || (double)nearest <= most);
        ASSERT_IN_RANGE(
            (double)margin_margin(MARGIN_SCHEME_ORDINAL, 4, s, label),
            (double)margin_margin_q(MARGIN_SCHEME_ORDINAL, 4, sq, label) * (double)q.unit, most);
    }
    PASS();
}

TEST ordinal_models_are_quantised(void) {
    margin_model l = hand_linear(), e = hand_expansion();
    CHECK_CALL(quantised(&l, MARGIN_Q15, 2e-3));
    CHECK_CALL(quantised(&l, MARGIN_Q7, 0.1));
    CHECK_CALL(quantised(&e, MARGIN_Q15, 2e-3));
    CHECK_CALL(quantised(&e, MARGIN_Q7, 0.1));
    e.of.expansion.kernel.kind = MARGIN_KERNEL_UNIT_EXP; /* has a constant part */
    CHECK_CALL(quantised(&e, MARGIN_Q15, 5e-3));
    e.of.expansion.kernel.kind = MARGIN_KERNEL_POLY;
    e.of.expansion.kernel.degree = 2;
    CHECK_CALL(quantised(&e, MARGIN_Q15, 2e-2));
    PASS();
}

TEST integer_models_with_thresholds_out_of_order_are_refused(void) {
    static const int16_t w[] = {100, -50};
    static const int32_t right[] = {30, 0, -10}, wrong[] = {30, -10, 0};
    margin_model_q m;
    memset(&m, 0, sizeof m);
    m.kind = MARGIN_MODEL_LINEAR;
    m.of.linear.w = w;
    m.of.linear.bias = right;
    m.of.linear.d = 2;
    m.of.linear.format = MARGIN_Q15;
    m.of.linear.vote.classes = 4;
    m.of.linear.vote.machines = 3;
    m.of.linear.vote.scheme = MARGIN_SCHEME_ORDINAL;
    ASSERT_EQ(MARGIN_OK, margin_model_check_q(&m));
    m.of.linear.bias = wrong;
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&m));
    PASS();
}

TEST ordinal_expansions_are_compressed(void) {
    margin_model m = hand_expansion(), small;
    margin_compress_info info;
    margin_arena mem = arena();
    ASSERT(margin_compress_size(&m, 3) <= sizeof memory);
    ASSERT_EQ(MARGIN_OK, margin_compress(&m, NULL, 3, 0, &mem, &small, &info));
    CHECK_CALL(same_answers(&m, &small, 3e-3));
    ASSERT_EQ(MARGIN_OK, margin_compress(&m, NULL, 2, 0, &mem, &small, &info));
    ASSERT_EQ_FMT(2, (int)small.of.expansion.n, "%d");
    ASSERT_EQ_FMT(1, (int)small.of.expansion.width, "%d");
    PASS();
}

/* ---- ranks and tau ------------------------------------------------------------------------------ */

static size_t below(size_t n) {
    return draw() % n;
}

static int sign(double a) {
    return (a > 0) - (a < 0);
}

/* By its definition; 2 if it has no value. */
static double naive_tau(const margin_real *a, const margin_real *b, size_t n) {
    double balance = 0, in_a = 0, in_b = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            const int s = sign((double)(a[i] - a[j])), t = sign((double)(b[i] - b[j]));
            balance += s * t;
            in_a += s * s;
            in_b += t * t;
        }
    }
    return in_a * in_b > 0 ? balance / sqrt(in_a * in_b) : 2;
}

/* Numbers with many ties, some, or none. */
static void random_list(margin_real *v, size_t n, size_t kinds) {
    for (size_t i = 0; i < n; i++) {
        v[i] = (margin_real)(kinds == 0 ? uniform() : (double)below(kinds) - 3.0);
    }
}

TEST tau_is_that_of_the_double_sum_with_and_without_ties(void) {
    static margin_real a[200], b[200];
    seed = 11;
    for (int trial = 0; trial < 400; trial++) {
        static const size_t kinds[] = {0, 2, 5, 40};
        const size_t n = 2u + below(trial < 200 ? 8 : 190);
        margin_arena mem = arena();
        margin_real tau = 7;
        double expected;
        random_list(a, n, kinds[trial % 4]);
        random_list(b, n, kinds[trial / 4 % 4]);
        if (trial % 3 == 0) { /* related lists */
            for (size_t i = 0; i < n; i++) { b[i] += 2 * a[i]; }
        }
        expected = naive_tau(a, b, n);
        if (expected > 1) {
            ASSERT_EQ(MARGIN_E_NO_ORDER, margin_kendall(a, b, n, &mem, &tau));
            ASSERT_EQ_FMT(7.0, (double)tau, "%g");
        } else {
            ASSERT_EQ(MARGIN_OK, margin_kendall(a, b, n, &mem, &tau));
            ASSERT_IN_RANGE(expected, (double)tau, 4 * EPS);
        }
        ASSERT_EQ_FMT(mem.size, mem.high, "%zu");
    }
    PASS();
}

TEST tau_of_a_list_with_itself_is_one_and_with_its_opposite_minus_one(void) {
    enum { MANY = 100000 };
    margin_real *a = (margin_real *)malloc(2 * MANY * sizeof *a), *b = a + MANY, tau = 0;
    const size_t size = margin_kendall_size(MANY);
    void *bytes = malloc(size);
    margin_arena mem = margin_arena_make(bytes, size);
    ASSERT_EQ_FMT((size_t)MARGIN_KENDALL_BYTES(MANY), size, "%zu");
    seed = 5;
    for (size_t i = 0; i < MANY; i++) {
        a[i] = (margin_real)(draw() >> 12);
        b[i] = -a[i];
    }
    ASSERT_EQ(MARGIN_OK, margin_kendall(a, a, MANY, &mem, &tau));
    ASSERT_IN_RANGE(1.0, (double)tau, 4 * EPS);
    ASSERT_EQ(MARGIN_OK, margin_kendall(a, b, MANY, &mem, &tau));
    ASSERT_IN_RANGE(-1.0, (double)tau, 4 * EPS);
    free(bytes);
    free(a);
    PASS();
}

TEST tau_refuses_what_has_no_order(void) {
    margin_real a[] = {1, 2, 3}, same[] = {4, 4, 4}, tau;
    margin_arena mem = arena();
    ASSERT_EQ(MARGIN_E_NO_ORDER, margin_kendall(a, same, 3, &mem, &tau));
    ASSERT_EQ(MARGIN_E_NO_ORDER, margin_kendall(a, a, 1, &mem, &tau));
    ASSERT_EQ(MARGIN_E_EMPTY, margin_kendall(a, a, 0, &mem, &tau));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_kendall(NULL, a, 3, &mem, &tau));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_kendall(a, NULL, 3, &mem, &tau));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_kendall(a, a, 3, NULL, &tau));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_kendall(a, a, 3, &mem, NULL));
    a[1] = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_kendall(same, a, 3, &mem, &tau));
#if SIZE_MAX > MARGIN_INDEX_MAX
    ASSERT_EQ(MARGIN_E_OVERFLOW, margin_kendall(a, a, (size_t)MARGIN_INDEX_MAX + 1u, &mem, &tau));
    ASSERT_EQ_FMT((size_t)0, margin_kendall_size((size_t)MARGIN_INDEX_MAX + 1u), "%zu");
#endif
    PASS();
}

static margin_real sweep_a[50], sweep_b[50], sweep_out[50];

static margin_status run_kendall(margin_arena *mem, void *out) {
    return margin_kendall(sweep_a, sweep_b, 50, mem, (margin_real *)out);
}

TEST tau_takes_exactly_its_memory(void) {
    random_list(sweep_a, 50, 9);
    random_list(sweep_b, 50, 9);
    CHECK_CALL(
        arena_sweep(run_kendall, sweep_out, margin_kendall_size(50), sweep_out, sizeof sweep_out));
    PASS();
}

/* ---- thresholds --------------------------------------------------------------------------------- */

typedef struct {
    margin_real f[12], weight[12];
    uint16_t y[12];
    size_t n, classes;
    bool weighted;
    unsigned loss;
} cut_problem;

static double loss_of(const cut_problem *p, const double *thresholds) {
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        int label = 0, off;
        for (size_t j = 0; j + 1u < p->classes; j++) { label += (double)p->f[i] > thresholds[j]; }
        off = abs(label - (int)p->y[i]);
        sum += (p->weighted ? (double)p->weight[i] : 1) *
               (p->loss == MARGIN_ORDINAL_ABSOLUTE ? off : off != 0);
    }
    return sum;
}

/* The least loss of all rising choices among midpoints, -100 and 100, by counting through them. */
static double least_loss(const cut_problem *p) {
    const size_t places = p->n + 1u, k = p->classes - 1u;
    double best = HUGE_VAL, sorted[12], t[4];
    size_t at[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < p->n; i++) {
        size_t j = i;
        for (; j > 0 && sorted[j - 1] > (double)p->f[i]; j--) { sorted[j] = sorted[j - 1]; }
        sorted[j] = (double)p->f[i];
    }
    for (;;) {
        bool rising = true;
        size_t j = 0;
        for (size_t i = 0; i < k; i++) {
            t[i] = at[i] == 0 ? -100 : sorted[at[i] - 1];
            rising = rising && (i == 0 || at[i] >= at[i - 1]);
        }
        if (rising) { best = fmin(best, loss_of(p, t)); }
        while (j < k && ++at[j] == places) { at[j++] = 0; }
        if (j == k) { return best; }
    }
}

TEST thresholds_have_the_least_loss_of_all(void) {
    seed = 33;
    for (int trial = 0; trial < 400; trial++) {
        margin_arena mem = arena();
        cut_problem p;
        margin_real t[4];
        double found[4];
        p.n = 1u + below(8);
        p.classes = 2u + below(3);
        p.weighted = trial % 3 == 0;
        p.loss = trial % 2 ? MARGIN_ORDINAL_ZERO_ONE : MARGIN_ORDINAL_ABSOLUTE;
        for (size_t i = 0; i < p.n; i++) {
            p.f[i] = (margin_real)((double)below(trial % 5 == 0 ? 3 : 50) - 20);
            p.y[i] = (uint16_t)below(p.classes);
            p.weight[i] = (margin_real)(0.25 * (double)(1u + below(8)));
        }
        ASSERT_EQ(MARGIN_OK, margin_thresholds(p.f, p.y, p.weighted ? p.weight : NULL, p.n,
                                               p.classes, p.loss, &mem, t));
        for (size_t j = 0; j + 1u < p.classes; j++) {
            found[j] = (double)t[j];
            ASSERT(j == 0 || t[j] >= t[j - 1]);
        }
        ASSERT_IN_RANGE(least_loss(&p), loss_of(&p, found), 1e-9);
    }
    PASS();
}

TEST thresholds_by_hand(void) {
    /* sorted: 0 1 | 2 | 3, with one sample of class 2 among those of class 0 */
    static const margin_real f[] = {5, 1, 2, 3, 4, 6};
    static const uint16_t y[] = {1, 0, 2, 0, 1, 2};
    margin_arena mem = arena();
    margin_real t[2], lone[2];
    const uint16_t one = 1;
    ASSERT_EQ(MARGIN_OK, margin_thresholds(f, y, NULL, 6, 3, MARGIN_ORDINAL_ZERO_ONE, &mem, t));
    ASSERT_EQ_FMT(3.5, (double)t[0], "%g"); /* 1 2 3 | 4 5 | 6: one wrong */
    ASSERT_EQ_FMT(5.5, (double)t[1], "%g");
    ASSERT_EQ(MARGIN_OK, margin_thresholds(f, &one, NULL, 1, 3, 0, &mem, lone));
    ASSERT(lone[0] < f[0] && lone[1] >= f[0]);
    PASS();
}

TEST neighbouring_scores_keep_a_threshold_between_them(void) {
    /* the middle of two neighbouring numbers is one of them: it must not be the upper one */
    static const uint16_t y[] = {0, 1};
    margin_arena mem = arena();
    seed = 14;
    for (int trial = 0; trial < 100; trial++) {
        margin_real f[2], t;
        f[0] = (margin_real)(uniform() * pow(10, uniform() * 30));
        f[1] = (margin_real)(sizeof(margin_real) == 4 ? (double)nextafterf((float)f[0], INFINITY)
                                                      : nextafter((double)f[0], INFINITY));
        ASSERT_EQ(MARGIN_OK, margin_thresholds(f, y, NULL, 2, 2, 0, &mem, &t));
        ASSERT(f[0] <= t && t < f[1]);
    }
    PASS();
}

static const uint16_t sweep_y[50] = {0, 1, 2, 3, 2, 1, 0, 1, 2, 3};

static margin_status run_thresholds(margin_arena *mem, void *out) {
    return margin_thresholds(sweep_a, sweep_y, NULL, 50, 4, 0, mem, (margin_real *)out);
}

TEST thresholds_check_their_arguments_and_take_exactly_their_memory(void) {
    margin_real f[] = {1, 2, 3}, w[] = {1, -1, 1}, t[3];
    uint16_t y[] = {0, 1, 1};
    margin_arena mem = arena();
    ASSERT_EQ_FMT((size_t)MARGIN_THRESHOLDS_BYTES(50, 4), margin_thresholds_size(50, 4), "%zu");
    CHECK_CALL(arena_sweep(run_thresholds, sweep_out, margin_thresholds_size(50, 4), sweep_out,
                           sizeof sweep_out));
    ASSERT_EQ_FMT((size_t)0, margin_thresholds_size(50, 1), "%zu");
    ASSERT_EQ(MARGIN_E_LABEL, margin_thresholds(f, y, w, 3, 2, 0, &mem, t));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_thresholds(f, y, NULL, 3, 1, 0, &mem, t));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_thresholds(f, y, NULL, 3, 2, 2, &mem, t));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_thresholds(f, NULL, NULL, 3, 2, 0, &mem, t));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_thresholds(f, y, NULL, 3, 2, 0, &mem, NULL));
    ASSERT_EQ(MARGIN_E_EMPTY, margin_thresholds(f, y, NULL, 0, 2, 0, &mem, t));
    y[2] = 2;
    ASSERT_EQ(MARGIN_E_LABEL, margin_thresholds(f, y, NULL, 3, 2, 0, &mem, t));
    f[0] = (margin_real)INFINITY;
    ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_thresholds(f, y, NULL, 3, 3, 0, &mem, t));
    PASS();
}

/* ---- trainers against naive forms --------------------------------------------------------------- */

enum { MOST = 40, WIDE = 6 };

/* A random problem with every freedom that a view has: gaps, an index list, weights; targets that
 * follow the first two features, as numbers (some tied) and as classes. */
typedef struct {
    margin_real x[(MOST + 2) * (WIDE + 2)], weight[MOST + 2], target[MOST + 2];
    uint16_t y[MOST + 2];
    margin_index rows[MOST];
    margin_data data;
    size_t classes;
} problem;

enum { GAPS = 1, LISTED = 2, WEIGHTED = 4 };

static void problem_make(problem *p, size_t n, size_t d, size_t classes, unsigned how) {
    const size_t total = n + 2u, stride = d + (how & GAPS ? 2u : 0u);
    memset(p, 0, sizeof *p);
    for (size_t i = 0; i < total; i++) {
        double t;
        for (size_t j = 0; j < stride; j++) {
            p->x[i * stride + j] = (margin_real)(uniform() + 0.3 * (double)j);
        }
        t = (double)p->x[i * stride] - 0.5 * (double)p->x[i * stride + d - 1u] + 0.2 * uniform();
        p->target[i] = (margin_real)(floor(t * 8) / 8);
        p->y[i] =
            (uint16_t)fmax(0, fmin((double)classes - 1, floor((t + 1) * (double)classes / 2)));
        p->weight[i] = (margin_real)(i > 3u && below(6) == 0 ? 0 : 0.25 * (double)(1u + below(8)));
    }
    for (size_t i = 0; i < n; i++) { p->rows[i] = (margin_index)below(total); }
    p->y[0] = 0;
    p->y[1] = (uint16_t)(classes - 1u); /* both ends have a sample of positive weight */
    p->rows[0] = 0;
    p->rows[1] = 1;
    p->classes = classes;
    p->data.x = p->x;
    p->data.n = n;
    p->data.d = d;
    p->data.stride = how & GAPS ? stride : 0;
    p->data.y = p->y;
    p->data.rows = how & LISTED ? p->rows : NULL;
    p->data.weight = how & WEIGHTED ? p->weight : NULL;
}

static size_t row_of(const problem *p, size_t i) {
    return p->data.rows != NULL ? p->data.rows[i] : i;
}

static double weight_of(const problem *p, size_t i) {
    return p->data.weight != NULL ? (double)p->data.weight[row_of(p, i)] : 1;
}

static const margin_real *x_of(const problem *p, size_t i) {
    return p->x + row_of(p, i) * (p->data.stride != 0 ? p->data.stride : p->data.d);
}

static double target_of(const problem *p, size_t i, bool numbers) {
    return numbers ? (double)p->target[row_of(p, i)] : (double)p->y[row_of(p, i)];
}

static long double kernel_of(const margin_kernel *k, const margin_real *x, const margin_real *z,
                             size_t d) {
    long double dot = 0, far = 0;
    for (size_t j = 0; j < d; j++) {
        dot += (long double)x[j] * z[j];
        far += ((long double)x[j] - z[j]) * ((long double)x[j] - z[j]);
    }
    return k->kind == MARGIN_KERNEL_RBF    ? expl(-(long double)k->gamma * far)
           : k->kind == MARGIN_KERNEL_POLY ? (long double)k->gamma * dot + (long double)k->coef0
                                           : dot;
}

/* d_i with weights, and all weight. */
static long double naive_ranks(const problem *p, bool numbers, long double *d) {
    long double total = 0;
    for (size_t i = 0; i < p->data.n; i++) {
        d[i] = 0;
        total += weight_of(p, i);
        for (size_t j = 0; j < p->data.n; j++) {
            d[i] += weight_of(p, j) * sign(target_of(p, i, numbers) - target_of(p, j, numbers));
        }
    }
    return total;
}

/* Scores at rows of all of x by naive oMAM, and the average margin over pairs. */
static long double naive_omam(const problem *p, const margin_kernel *k, bool numbers,
                              long double *f) {
    long double d[MOST], square = 0, pairs = 0, sum = 0;
    const size_t n = p->data.n;
    (void)naive_ranks(p, numbers, d);
    for (size_t i = 0; i < n; i++) {
        f[i] = 0;
        for (size_t j = 0; j < n; j++) {
            f[i] += weight_of(p, j) * d[j] * kernel_of(k, x_of(p, i), x_of(p, j), p->data.d);
        }
        square += weight_of(p, i) * d[i] * f[i];
    }
    for (size_t i = 0; i < n; i++) { f[i] /= sqrtl(square); }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (target_of(p, i, numbers) > target_of(p, j, numbers)) {
                sum += weight_of(p, i) * weight_of(p, j) * (f[i] - f[j]);
                pairs += weight_of(p, i) * weight_of(p, j);
            }
        }
    }
    return sum / pairs;
}

/* Solves the n x n system in place by elimination with pivots. */
static void solve(long double *a, long double *b, size_t n) {
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1u; i < n; i++) {
            pivot = fabsl(a[i * n + k]) > fabsl(a[pivot * n + k]) ? i : pivot;
        }
        for (size_t j = 0; j < n; j++) {
            const long double t = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = t;
        }
        {
            const long double t = b[k];
            b[k] = b[pivot];
            b[pivot] = t;
        }
        for (size_t i = k + 1u; i < n; i++) {
            const long double r = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++) { a[i * n + j] -= r * a[k * n + j]; }
            b[i] -= r * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1u; j < n; j++) { b[k] -= a[k * n + j] * b[j]; }
        b[k] /= a[k * n + k];
    }
}

/* The bordered system over the samples of positive weight other than `without`; the score at sample
 * `at`. */
static long double naive_lssvm(const problem *p, const margin_kernel *k, double c,
                               const long double *t, size_t without, size_t at) {
    static long double a[(MOST + 1) * (MOST + 1)], b[MOST + 1];
    size_t list[MOST], n = 0, m;
    long double f;
    for (size_t i = 0; i < p->data.n; i++) {
        if (i != without && weight_of(p, i) > 0) { list[n++] = i; }
    }
    m = n + 1u;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            a[i * m + j] = kernel_of(k, x_of(p, list[i]), x_of(p, list[j]), p->data.d);
        }
        a[i * m + i] += 1 / (c * (long double)weight_of(p, list[i]));
        a[i * m + n] = a[n * m + i] = 1;
        b[i] = t[list[i]];
    }
    a[n * m + n] = 0;
    b[n] = 0;
    solve(a, b, m);
    f = b[n];
    for (size_t i = 0; i < n; i++) {
        f += b[i] * kernel_of(k, x_of(p, at), x_of(p, list[i]), p->data.d);
    }
    return f;
}

static const margin_kernel kernels[] = {{MARGIN_KERNEL_LINEAR, 0, 0, 0, 0},
                                        {MARGIN_KERNEL_RBF, 0, (margin_real)0.7, 0, 0},
                                        {MARGIN_KERNEL_POLY, 1, 1, 0, 0}};

/* Every score of a model at the samples, less its bias, is `expected`, to a tolerance. */
static enum greatest_test_res scores_are(const problem *p, const margin_model *m,
                                         const long double *expected, double tolerance, bool bias) {
    const margin_real *b =
        m->kind == MARGIN_MODEL_LINEAR ? m->of.linear.bias : m->of.expansion.bias;
    for (size_t i = 0; i < p->data.n; i++) {
        margin_real s[8];
        margin_scores(m, x_of(p, i), s);
        ASSERT_IN_RANGE((double)expected[i], (double)s[0] - (bias ? 0 : (double)b[0]), tolerance);
    }
    PASS();
}

/* Tau of the report is that of scores and targets, by definition. Rounding may break ties of scores, so
 * samples that are there twice are left to others. */
static enum greatest_test_res tau_is(const problem *p, const margin_model *m, bool numbers,
                                     double tau) {
    margin_real f[MOST], t[MOST];
    size_t n = 0;
    if (p->data.rows != NULL) { PASS(); }
    for (size_t i = 0; i < p->data.n; i++) {
        if (weight_of(p, i) > 0) {
            margin_real s[8];
            margin_scores(m, x_of(p, i), s);
            f[n] = s[0];
            t[n++] = (margin_real)target_of(p, i, numbers);
        }
    }
    ASSERT_IN_RANGE(naive_tau(f, t, n), tau, sizeof(margin_real) == 4 ? 0.01 : 4 * EPS);
    PASS();
}

TEST omam_is_the_naive_form(void) {
    seed = 40;
    for (int trial = 0; trial < 90; trial++) {
        static problem p;
        const margin_kernel *k = kernels + trial % 3;
        const bool numbers = trial / 3 % 2 == 0;
        margin_ordinal_options options;
        margin_info info;
        margin_ordinal_report report;
        margin_model m;
        margin_arena mem = arena();
        long double f[MOST], objective;
        memset(&options, 0, sizeof options);
        problem_make(&p, 4u + below(MOST - 5), 1u + below(WIDE), 3u + below(3), draw() % 8u);
        options.kernel = *k;
        options.targets = numbers ? p.target : NULL;
        objective = naive_omam(&p, k, numbers, f);
        ASSERT_EQ(MARGIN_OK, margin_omam_train(&p.data, &options, &mem, &m, &info, &report));
        ASSERT_EQ_FMT(k->kind == MARGIN_KERNEL_LINEAR ? MARGIN_MODEL_LINEAR
                                                      : MARGIN_MODEL_EXPANSION,
                      (int)m.kind, "%d");
        CHECK_CALL(scores_are(&p, &m, f, 400 * EPS, false));
        ASSERT_IN_RANGE((double)objective, (double)info.objective,
                        200 * EPS * (double)objective + 100 * EPS);
        CHECK_CALL(tau_is(&p, &m, numbers, (double)report.tau));
        ASSERT_EQ_FMT(MARGIN_SCHEME_ORDINAL, (int)margin_model_vote(&m)->scheme, "%d");
        ASSERT(info.converged);
    }
    PASS();
}

TEST lssvm_is_the_naive_form_and_leaving_one_out_is_as_by_training_anew(void) {
    seed = 50;
    for (int trial = 0; trial < 60; trial++) {
        static problem p;
        static const double prices[] = {0.03, 1, 20};
        const margin_kernel *k = kernels + trial % 3;
        const bool numbers = trial / 3 % 2 == 0;
        margin_ordinal_options options;
        margin_info info;
        margin_ordinal_report report;
        margin_model m;
        margin_arena mem = arena();
        long double d[MOST], f[MOST], total, loo = 0;
        const double tolerance = sizeof(margin_real) == 4 ? 2e-3 : 1e-10;
        memset(&options, 0, sizeof options);
        problem_make(&p, 4u + below(MOST - 12), 1u + below(WIDE), 3u + below(3), draw() % 8u);
        options.kernel = *k;
        options.targets = numbers ? p.target : NULL;
        options.c = (margin_real)prices[trial / 6 % 3];
        options.leave_one_out = true;
        total = naive_ranks(&p, numbers, d);
        for (size_t i = 0; i < p.data.n; i++) { d[i] /= total; }
        for (size_t i = 0; i < p.data.n; i++) {
            f[i] = naive_lssvm(&p, k, (double)options.c, d, MOST, i);
            if (weight_of(&p, i) > 0) {
                const long double e = d[i] - naive_lssvm(&p, k, (double)options.c, d, i, i);
                loo += weight_of(&p, i) * e * e;
            }
        }
        ASSERT_EQ(MARGIN_OK, margin_lssvm_train(&p.data, &options, &mem, &m, &info, &report));
        if (numbers) { CHECK_CALL(scores_are(&p, &m, f, tolerance, true)); }
        ASSERT_IN_RANGE((double)(loo / total), (double)report.loo,
                        tolerance * (1 + (double)(loo / total)));
        ASSERT_EQ_FMT((double)options.c, (double)report.c, "%g");
        CHECK_CALL(tau_is(&p, &m, numbers, (double)report.tau));
    }
    PASS();
}

TEST lssvm_chooses_the_price_of_least_error_left_out(void) {
    seed = 60;
    for (int trial = 0; trial < 9; trial++) {
        static problem p;
        margin_ordinal_options options;
        margin_info info;
        margin_ordinal_report chosen, other;
        margin_model m;
        memset(&options, 0, sizeof options);
        problem_make(&p, 30, 3, 4, trial % 8u);
        options.kernel = kernels[trial % 3];
        options.targets = p.target;
        {
            margin_arena mem = arena();
            ASSERT_EQ(MARGIN_OK, margin_lssvm_train(&p.data, &options, &mem, &m, &info, &chosen));
            ASSERT(info.iterations >= 9u && info.iterations <= 10u);
        }
        options.leave_one_out = true;
        for (int step = -1; step <= 1; step++) { /* half a decade up and down is worse */
            margin_arena mem = arena();
            options.c = chosen.c * (margin_real)pow(10, 0.5 * step);
            ASSERT_EQ(MARGIN_OK, margin_lssvm_train(&p.data, &options, &mem, &m, NULL, &other));
            ASSERT((double)chosen.loo <= (double)other.loo * (1 + 1e-3));
        }
    }
    PASS();
}

static bool stop_at_two(void *user, const margin_progress *at) {
    ++*(int *)user;
    return at->iteration == 2u;
}

TEST the_search_can_be_stopped(void) {
    static problem p;
    margin_ordinal_options options;
    margin_info info;
    margin_ordinal_report report;
    margin_model m;
    margin_arena mem = arena();
    int calls = 0;
    seed = 61;
    memset(&options, 0, sizeof options);
    problem_make(&p, 20, 3, 4, 0);
    options.watch.progress = stop_at_two;
    options.watch.user = &calls;
    ASSERT_EQ(MARGIN_W_STOPPED, margin_lssvm_train(&p.data, &options, &mem, &m, &info, &report));
    ASSERT_EQ_FMT(2, calls, "%d");
    ASSERT(report.c > 0 && !info.converged);
    PASS();
}

TEST a_weight_of_two_is_two_samples(void) {
    static problem p;
    margin_real twice[] = {1, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1};
    margin_index rows[12] = {0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9};
    seed = 71;
    for (int trial = 0; trial < 6; trial++) {
        margin_model a, b;
        margin_arena mem = arena();
        margin_data weighted, doubled;
        margin_ordinal_options omam;
        margin_ordinal_options lssvm;
        memset(&omam, 0, sizeof omam);
        memset(&lssvm, 0, sizeof lssvm);
        problem_make(&p, 10, 3, 3, 0);
        weighted = doubled = p.data;
        weighted.weight = twice;
        doubled.rows = rows;
        doubled.n = 12;
        omam.kernel = lssvm.kernel = kernels[trial % 3];
        omam.targets = lssvm.targets = p.target;
        lssvm.c = 2;
        if (trial < 3) {
            ASSERT_EQ(MARGIN_OK, margin_omam_train(&weighted, &omam, &mem, &a, NULL, NULL));
            ASSERT_EQ(MARGIN_OK, margin_omam_train(&doubled, &omam, &mem, &b, NULL, NULL));
        } else {
            ASSERT_EQ(MARGIN_OK, margin_lssvm_train(&weighted, &lssvm, &mem, &a, NULL, NULL));
            ASSERT_EQ(MARGIN_OK, margin_lssvm_train(&doubled, &lssvm, &mem, &b, NULL, NULL));
        }
        for (size_t i = 0; i < 10; i++) {
            margin_real s, t;
            margin_scores(&a, x_of(&p, i), &s);
            margin_scores(&b, x_of(&p, i), &t);
            ASSERT_IN_RANGE((double)s, (double)t, sizeof(margin_real) == 4 ? 1e-4 : 1e-12);
        }
    }
    PASS();
}

/* ---- classes ------------------------------------------------------------------------------------ */

/* Mean ranks around an input by their definition, and a thousandth of a sample in the middle. */
static double naive_normalised(const problem *p, const margin_kernel *k, const long double *rank,
                               const margin_real *x) {
    long double sum = 0, mass, total = 0;
    size_t samples = 0;
    for (size_t i = 0; i < p->data.n; i++) {
        total += weight_of(p, i);
        samples += weight_of(p, i) > 0;
    }
    mass = total / (1024 * (long double)samples);
    for (size_t i = 0; i < p->data.n; i++) {
        const long double value = weight_of(p, i) * kernel_of(k, x_of(p, i), x, p->data.d);
        sum += value * rank[i] / total;
        mass += value;
    }
    return (double)(sum / mass);
}

/* The classes of normalised models, which do not divide, are intervals of what the division gives, in
 * order; integers say nearly the same. */
TEST normalised_models_tell_classes_by_the_mean_rank_around(void) {
    static const margin_kernel rbf = {MARGIN_KERNEL_RBF, 0, 4, 0, 0};
    static problem p;
    seed = 41;
    for (unsigned trial = 0; trial < 12; trial++) {
        const size_t classes = 2u + trial % 4u;
        double low[6], high[6];
        long double rank[MOST];
        margin_ordinal_options options;
        margin_arena mem = arena();
        margin_model m;
        margin_quant q;
        const margin_quant_options form = {MARGIN_Q15, false};
        size_t differ = 0;
        problem_make(&p, MOST, 2, classes, trial % 8u);
        memset(&options, 0, sizeof options);
        options.kernel = rbf;
        options.classes = classes;
        options.normalised = true;
        ASSERT_EQ(MARGIN_OK, margin_omam_train(&p.data, &options, &mem, &m, NULL, NULL));
        ASSERT_EQ(MARGIN_OK, margin_model_check(&m));
        ASSERT_EQ(MARGIN_OK, margin_quantize(&m, &p.data, &form, &mem, &q, NULL));
        (void)naive_ranks(&p, false, rank);
        for (size_t c = 0; c < 6; c++) {
            low[c] = 2;
            high[c] = -2;
        }
        for (int i = 0; i < 500; i++) {
            const margin_real x[2] = {(margin_real)(2 * uniform()), (margin_real)(2 * uniform())};
            margin_real scores[6];
            const size_t c = margin_classify(&m, x, scores);
            const double at = naive_normalised(&p, &rbf, rank, x);
            low[c] = fmin(low[c], at);
            high[c] = fmax(high[c], at);
        }
        for (size_t i = 0; i < p.data.n; i++) { /* where samples are, integers see them too */
            margin_real scores[6];
            int16_t z[2], work[2];
            int32_t whole[6];
            margin_input_q(&q.input, x_of(&p, i), z);
            differ += margin_classify_q(&q.model, z, work, whole) !=
                      margin_classify(&m, x_of(&p, i), scores);
        }
        for (size_t c = 1; c < classes; c++) { ASSERT(fmax(high[c - 1u], -2) <= low[c] + 1e-4); }
        ASSERT(differ <= 2u);
    }
    PASS();
}

/* The scores of a normalised model of numbers tell the mean rank by one division, in integers too: there the order of
 * samples is that of floating point but for pairs that are nearly equal. */
TEST normalised_models_of_numbers_tell_the_mean_rank(void) {
    static const margin_kernel rbf = {MARGIN_KERNEL_RBF, 0, 4, 0, 0};
    static problem p;
    seed = 44;
    for (unsigned trial = 0; trial < 16; trial++) {
        const margin_quant_options form = {trial % 2u == 0 ? MARGIN_Q15 : MARGIN_Q7, false};
        const double within = trial % 2u == 0 ? 0.004 : 0.06;
        long double rank[MOST];
        margin_ordinal_options options;
        margin_ordinal_report told;
        margin_arena mem = arena();
        margin_model m;
        margin_info info;
        margin_quant q;
        problem_make(&p, MOST, 2, 5, trial / 2u);
        memset(&options, 0, sizeof options);
        options.kernel = rbf;
        options.targets = p.target;
        options.normalised = true;
        ASSERT_EQ(MARGIN_OK, margin_omam_train(&p.data, &options, &mem, &m, &info, &told));
        ASSERT_EQ(MARGIN_OK, margin_model_check(&m));
        ASSERT_EQ(MARGIN_OK, margin_quantize(&m, &p.data, &form, &mem, &q, NULL));
        ASSERT(told.tau >= -1 && told.tau <= 1 && info.support > 0);
        (void)naive_ranks(&p, true, rank);
        for (size_t i = 0; i < p.data.n; i++) {
            const double at = naive_normalised(&p, &rbf, rank, x_of(&p, i));
            margin_real s[3];
            int16_t z[2], work[2];
            int32_t w[3];
            const size_t level = margin_classify(&m, x_of(&p, i), s);
            ASSERT_IN_RANGE(at, (double)(s[2] / (3 * (2 * s[1] - s[2]))), 1e-4);
            if (fabs(fabs(at) - 1.0 / 3) > 1e-4) {
                ASSERT_EQ_FMT(at < -1.0 / 3  ? (size_t)0
                              : at > 1.0 / 3 ? (size_t)2
                                             : (size_t)1,
                              level, "%zu");
            }
            margin_input_q(&q.input, x_of(&p, i), z);
            (void)margin_classify_q(&q.model, z, work, w);
            const double mass = 2.0 * (double)w[1] - (double)w[2];
            ASSERT(mass > 0);
            ASSERT_IN_RANGE(at, (double)w[2] / (3 * mass), within);
        }
    }
    PASS();
}

/* Two clusters: thresholds are those of samples left out, and far away the middle class is told. */
TEST normalised_models_answer_the_middle_far_from_all_samples(void) {
    static problem p;
    margin_ordinal_options options;
    margin_arena mem = arena();
    margin_real scores[5], far[2] = {1000, 1000};
    margin_ordinal_report told;
    margin_model m;
    seed = 42;
    problem_make(&p, MOST, 2, 5, 0);
    memset(&options, 0, sizeof options);
    options.kernel.kind = MARGIN_KERNEL_RBF;
    options.kernel.gamma = 2;
    options.normalised = true;
    ASSERT_EQ(MARGIN_OK, margin_omam_train(&p.data, &options, &mem, &m, NULL, &told));
    ASSERT_EQ(2, margin_classify(&m, far, scores));
    ASSERT(told.tau > (margin_real)0.5 && told.tau < (margin_real)0.99);
    options.kernel.gamma = 100000; /* every sample is alone */
    ASSERT_EQ(MARGIN_OK, margin_omam_train(&p.data, &options, &mem, &m, NULL, &told));
    ASSERT(told.tau < (margin_real)0.1);
    PASS();
}

TEST classes_in_a_row_are_told_without_error(void) {
    /* five classes along the direction (1, 1), scores apart from class to class */
    static margin_real x[100];
    static uint16_t y[50];
    margin_data data;
    seed = 81;
    memset(&data, 0, sizeof data);
    for (size_t i = 0; i < 50; i++) {
        y[i] = (uint16_t)(i % 5);
        x[2 * i] = (margin_real)(y[i] + 0.1 * uniform());
        x[2 * i + 1] = (margin_real)(y[i] + 0.1 * uniform());
    }
    data.x = x;
    data.n = 50;
    data.d = 2;
    data.y = y;
    for (int trial = 0; trial < 8; trial++) {
        margin_ordinal_options omam;
        margin_ordinal_options lssvm;
        margin_model m;
        margin_info info;
        margin_ordinal_report report;
        margin_arena mem = arena();
        margin_real confusion[MARGIN_CONFUSION(5)], tau;
        memset(&omam, 0, sizeof omam);
        memset(&lssvm, 0, sizeof lssvm);
        omam.kernel = lssvm.kernel = kernels[trial / 2 % 2];
        omam.loss = lssvm.loss = (uint8_t)(trial / 4);
        lssvm.c = 10;
        ASSERT_EQ(MARGIN_OK, trial % 2
                                 ? margin_omam_train(&data, &omam, &mem, &m, &info, &report)
                                 : margin_lssvm_train(&data, &lssvm, &mem, &m, &info, &report));
        ASSERT_EQ(MARGIN_OK, margin_confusion(&data, &m, &mem, confusion));
        ASSERT_EQ_FMT(0.0, (double)margin_error(confusion, 5), "%g");
        ASSERT_EQ_FMT(0.0, (double)margin_absolute_error(confusion, 5), "%g");
        ASSERT(info.margin_min > 0 && info.margin_mean >= info.margin_min);
        ASSERT_EQ(MARGIN_OK, margin_model_kendall(&data, NULL, &m, &mem, &tau));
        ASSERT_IN_RANGE((double)report.tau, (double)tau, 1e-3);
        ASSERT_EQ_FMT(1, margin_compare(&m, x + 2 * 4, x + 2 * 1, confusion), "%d");
        ASSERT_EQ_FMT(-1, margin_compare(&m, x + 2 * 1, x + 2 * 4, confusion), "%d");
        ASSERT_EQ_FMT(0, margin_compare(&m, x, x, confusion), "%d");
    }
    PASS();
}

TEST margins_are_those_of_the_model(void) {
    static problem p;
    seed = 82;
    for (int trial = 0; trial < 12; trial++) {
        margin_ordinal_options options;
        margin_model m;
        margin_info info;
        margin_summary summary;
        margin_arena mem = arena();
        memset(&options, 0, sizeof options);
        problem_make(&p, 30, 3, 2u + below(4), (unsigned)trial % 8u);
        options.kernel = kernels[trial % 2];
        ASSERT_EQ(MARGIN_OK, margin_omam_train(&p.data, &options, &mem, &m, &info, NULL));
        ASSERT_EQ(MARGIN_OK, margin_margins(&p.data, &m, &mem, NULL, &summary));
        ASSERT_IN_RANGE((double)summary.min, (double)info.margin_min, 100 * EPS);
        ASSERT_IN_RANGE((double)summary.mean, (double)info.margin_mean, 100 * EPS);
        for (int q = 0; q < 5; q++) {
            ASSERT_IN_RANGE((double)summary.quantile[q], (double)info.margin_quantile[q],
                            100 * EPS);
        }
    }
    PASS();
}

TEST two_classes_in_order_make_a_binary_model(void) {
    static problem p;
    margin_ordinal_options options;
    margin_model m;
    margin_arena mem = arena();
    seed = 83;
    memset(&options, 0, sizeof options);
    problem_make(&p, 20, 2, 2, 0);
    ASSERT_EQ(MARGIN_OK, margin_lssvm_train(&p.data, &options, &mem, &m, NULL, NULL));
    ASSERT_EQ_FMT(MARGIN_SCHEME_BINARY, (int)m.of.linear.vote.scheme, "%d");
    ASSERT_EQ_FMT(2, (int)m.of.linear.vote.classes, "%d");
    PASS();
}

TEST classes_may_be_without_samples(void) {
    static const margin_real x[] = {0, 1, 5, 6};
    static const uint16_t y[] = {1, 1, 3, 3};
    margin_ordinal_options options;
    margin_data data;
    margin_model m;
    margin_arena mem = arena();
    margin_real s[5];
    memset(&options, 0, sizeof options);
    memset(&data, 0, sizeof data);
    data.x = x;
    data.n = 4;
    data.d = 1;
    data.y = y;
    options.classes = 6;
    ASSERT_EQ(MARGIN_OK, margin_omam_train(&data, &options, &mem, &m, NULL, NULL));
    ASSERT_EQ_FMT(6, (int)m.of.linear.vote.classes, "%d");
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ_FMT((int)y[i], (int)margin_classify(&m, x + i, s), "%d");
    }
    options.classes = 3;
    ASSERT_EQ(MARGIN_E_LABEL, margin_omam_train(&data, &options, &mem, &m, NULL, NULL));
    PASS();
}

static margin_status train_omam(void *user, const margin_data *data, margin_arena *mem,
                                margin_model *model) {
    return margin_omam_train(data, (const margin_ordinal_options *)user, mem, model, NULL, NULL);
}

TEST cross_validation_takes_ordinal_models(void) {
    static problem p;
    margin_ordinal_options options;
    margin_cv_options how;
    margin_learner learner;
    margin_cv result;
    margin_arena mem = arena();
    seed = 84;
    memset(&options, 0, sizeof options);
    memset(&how, 0, sizeof how);
    problem_make(&p, 40, 3, 4, 0);
    options.classes = 4; /* a fold may miss the last one */
    how.scheme = MARGIN_SCHEME_ORDINAL;
    how.keep = true;
    learner.train = train_omam;
    learner.user = &options;
    learner.bytes = margin_omam_train_size(32, 3, 4, &options);
    ASSERT_EQ(MARGIN_OK, margin_cross_validate(&p.data, &learner, &how, &mem, &result));
    ASSERT_EQ_FMT(3, (int)result.machines, "%d");
    ASSERT(margin_absolute_error(result.confusion, 4) < 1);
    PASS();
}

TEST the_absolute_error_by_hand(void) {
    /* class 0: 3 right, 1 answered 2; class 1: 1 answered 2, 2 rejected; class 2: 4 right, 1 answered 0 */
    static const margin_real confusion[] = {3, 0, 1, 0, 0, 0, 1, 2, 1, 0, 4, 0};
    static const margin_real none[MARGIN_CONFUSION(2)] = {0};
    ASSERT_IN_RANGE(0.5, (double)margin_absolute_error(confusion, 3), EPS);
    ASSERT_EQ_FMT(0.0, (double)margin_absolute_error(none, 2), "%g");
    PASS();
}

TEST integer_models_are_compared(void) {
    static const margin_real x[] = {-2, -2, 2, 2, 1, -1, 0, 2};
    margin_model m = hand_linear();
    margin_data data;
    margin_quant q;
    margin_arena mem = arena();
    int16_t in[4];
    int32_t s[3];
    memset(&data, 0, sizeof data);
    data.x = x;
    data.n = 4;
    data.d = 2;
    ASSERT_EQ(MARGIN_OK, margin_quantize(&m, &data, NULL, &mem, &q, NULL));
    margin_input_q(&q.input, x + 4, in);
    margin_input_q(&q.input, x + 6, in + 2);
    ASSERT_EQ_FMT(1, margin_compare_q(&q.model, in, in + 2, s), "%d"); /* 3 against -2 */
    ASSERT_EQ_FMT(-1, margin_compare_q(&q.model, in + 2, in, s), "%d");
    ASSERT_EQ_FMT(0, margin_compare_q(&q.model, in, in, s), "%d");
    PASS();
}

/* ---- bad input ---------------------------------------------------------------------------------- */

/* The status of both trainers with both kinds of kernels; 99 if they differ. */
static int status_of(const problem *p, const margin_data *data, const margin_real *targets) {
    int found = 99;
    (void)p;
    for (int trial = 0; trial < 4; trial++) {
        margin_ordinal_options omam;
        margin_ordinal_options lssvm;
        margin_arena mem = arena();
        margin_model m;
        margin_info info;
        margin_status status;
        memset(&omam, 0, sizeof omam);
        memset(&lssvm, 0, sizeof lssvm);
        memset(&m, 0x5A, sizeof m);
        omam.kernel = lssvm.kernel = kernels[trial % 2];
        omam.targets = lssvm.targets = targets;
        status = trial < 2 ? margin_omam_train(data, &omam, &mem, &m, &info, NULL)
                           : margin_lssvm_train(data, &lssvm, &mem, &m, &info, NULL);
        if ((status < 0 && (m.kind != 0x5A || mem.low != 0)) || mem.high != mem.size ||
            (trial > 0 && (int)status != found)) {
            return 99;
        }
        found = (int)status;
    }
    return found;
}

TEST bad_targets_and_data_are_refused(void) {
    static problem p;
    margin_real same[MOST], weight[MOST];
    uint16_t ones[MOST];
    margin_data data;
    seed = 91;
    problem_make(&p, 20, 2, 3, 0);
    for (size_t i = 0; i < MOST; i++) {
        same[i] = 3;
        ones[i] = 1;
        weight[i] = (margin_real)(i == 4 ? 2 : 0);
    }
    ASSERT_EQ_FMT(MARGIN_OK, status_of(&p, &p.data, p.target), "%d");
    ASSERT_EQ_FMT(MARGIN_E_NO_ORDER, status_of(&p, &p.data, same), "%d");
    data = p.data;
    data.y = ones;
    ASSERT_EQ_FMT(MARGIN_E_NO_ORDER, status_of(&p, &data, NULL), "%d");
    ones[7] = 0; /* two distinct targets are enough */
    ASSERT_EQ_FMT(MARGIN_OK, status_of(&p, &data, NULL), "%d");
    same[7] = 0;
    ASSERT_EQ_FMT(MARGIN_OK, status_of(&p, &p.data, same), "%d");
    data = p.data;
    data.n = 1;
    ASSERT_EQ_FMT(MARGIN_E_NO_ORDER, status_of(&p, &data, p.target), "%d");
    data.n = 0;
    ASSERT_EQ_FMT(MARGIN_E_EMPTY, status_of(&p, &data, p.target), "%d");
    data = p.data;
    data.weight = weight; /* one sample is left */
    ASSERT_EQ_FMT(MARGIN_E_NO_ORDER, status_of(&p, &data, p.target), "%d");
    data = p.data;
    data.y = NULL;
    ASSERT_EQ_FMT(MARGIN_OK, status_of(&p, &data, p.target), "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, status_of(&p, &data, NULL), "%d");
    same[3] = (margin_real)NAN;
    ASSERT_EQ_FMT(MARGIN_E_NOT_FINITE, status_of(&p, &p.data, same), "%d");
    p.x[5] = (margin_real)INFINITY;
    ASSERT_EQ_FMT(MARGIN_E_NOT_FINITE, status_of(&p, &p.data, p.target), "%d");
    PASS();
}

TEST features_that_say_nothing_or_overflow_are_refused(void) {
    static const margin_real flat[] = {7, 7, 7, 7};
    margin_real huge[] = {-(margin_real)1e38, (margin_real)1e38, -(margin_real)1e38, 0};
    static const margin_real t[] = {1, 2, 3, 4};
    margin_ordinal_options omam;
    margin_ordinal_options lssvm;
    margin_data data;
    margin_model m;
    margin_arena mem = arena();
    memset(&omam, 0, sizeof omam);
    memset(&lssvm, 0, sizeof lssvm);
    memset(&data, 0, sizeof data);
    for (int i = 0; i < 4 && sizeof(margin_real) == 8; i++) { huge[i] *= (margin_real)1e270; }
    data.x = flat;
    data.n = 4;
    data.d = 1;
    omam.targets = lssvm.targets = t;
    ASSERT_EQ(MARGIN_E_NO_DIRECTION, margin_omam_train(&data, &omam, &mem, &m, NULL, NULL));
    ASSERT_EQ(MARGIN_E_NO_DIRECTION, margin_lssvm_train(&data, &lssvm, &mem, &m, NULL, NULL));
    omam.kernel.kind = MARGIN_KERNEL_RBF;
    ASSERT_EQ(MARGIN_E_NO_DIRECTION, margin_omam_train(&data, &omam, &mem, &m, NULL, NULL));
    data.x = huge;
    omam.kernel.kind = MARGIN_KERNEL_LINEAR;
    ASSERT_EQ(MARGIN_E_RANGE, margin_omam_train(&data, &omam, &mem, &m, NULL, NULL));
    ASSERT_EQ(MARGIN_E_RANGE, margin_lssvm_train(&data, &lssvm, &mem, &m, NULL, NULL));
    omam.kernel.kind = lssvm.kernel.kind = MARGIN_KERNEL_POLY;
    ASSERT_EQ(MARGIN_E_RANGE, margin_omam_train(&data, &omam, &mem, &m, NULL, NULL));
    ASSERT_EQ(MARGIN_E_RANGE, margin_lssvm_train(&data, &lssvm, &mem, &m, NULL, NULL));
    PASS();
}

TEST bad_options_are_refused(void) {
    static problem p;
    margin_ordinal_options omam;
    margin_ordinal_options lssvm;
    margin_model m;
    margin_arena mem = arena();
    seed = 92;
    problem_make(&p, 20, 2, 3, 0);
    memset(&omam, 0, sizeof omam);
    memset(&lssvm, 0, sizeof lssvm);
    ASSERT_EQ(MARGIN_OK, margin_omam_train(&p.data, NULL, &mem, &m, NULL, NULL));
    ASSERT_EQ(MARGIN_OK, margin_lssvm_train(&p.data, NULL, &mem, &m, NULL, NULL));
    omam.loss = 2;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_train(&p.data, &omam, &mem, &m, NULL, NULL));
    lssvm.c = -1;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_lssvm_train(&p.data, &lssvm, &mem, &m, NULL, NULL));
    lssvm.c = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_lssvm_train(&p.data, &lssvm, &mem, &m, NULL, NULL));
    lssvm.c = 0;
    lssvm.kernel.kind = 77;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_lssvm_train(&p.data, &lssvm, &mem, &m, NULL, NULL));
    lssvm.kernel.kind = MARGIN_KERNEL_POLY; /* x.z - 10 is not positive definite */
    lssvm.kernel.gamma = 1;
    lssvm.kernel.degree = 1;
    lssvm.kernel.coef0 = -10;
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE, margin_lssvm_train(&p.data, &lssvm, &mem, &m, NULL, NULL));
    lssvm.kernel.kind = MARGIN_KERNEL_LINEAR;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_lssvm_train(&p.data, &lssvm, &mem, NULL, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_lssvm_train(&p.data, &lssvm, NULL, &m, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_lssvm_train(NULL, &lssvm, &mem, &m, NULL, NULL));
    ASSERT_EQ_FMT((size_t)0, margin_lssvm_train_size(0, 2, 3, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_omam_train_size(10, 0, 3, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_omam_train_size(10, 2, 0, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_omam_train_size(10, 2, 65535, NULL), "%zu");
    lssvm.kernel.kind = MARGIN_KERNEL_RBF;
    lssvm.kernel.gamma = 1;
    ASSERT_EQ_FMT((size_t)0, margin_lssvm_train_size((size_t)1 << 31, 2, 1, &lssvm), "%zu");
    PASS();
}

TEST tau_of_a_model_checks_its_arguments(void) {
    static problem p;
    margin_model m = hand_linear();
    margin_arena mem = arena();
    margin_data data;
    margin_real tau;
    seed = 93;
    problem_make(&p, 20, 2, 3, 0);
    ASSERT_EQ(MARGIN_OK, margin_model_kendall(&p.data, p.target, &m, &mem, &tau));
    ASSERT_EQ_FMT((size_t)0, margin_model_kendall_size(20, NULL), "%zu");
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_kendall(&p.data, NULL, NULL, &mem, &tau));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_kendall(&p.data, NULL, &m, NULL, &tau));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_kendall(&p.data, NULL, &m, &mem, NULL));
    data = p.data;
    data.y = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_kendall(&data, NULL, &m, &mem, &tau));
    data.d = 1;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_kendall(&data, p.target, &m, &mem, &tau));
    data.n = 1;
    data.d = 2;
    ASSERT_EQ(MARGIN_E_NO_ORDER, margin_model_kendall(&data, p.target, &m, &mem, &tau));
    data.n = 0;
    ASSERT_EQ(MARGIN_E_EMPTY, margin_model_kendall(&data, p.target, &m, &mem, &tau));
    p.target[2] = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_model_kendall(&p.data, p.target, &m, &mem, &tau));
    PASS();
}

/* ---- memory ------------------------------------------------------------------------------------- */

typedef struct {
    problem *p;
    margin_ordinal_options omam;
    margin_ordinal_options lssvm;
    bool is_lssvm;
    struct {
        margin_model model;
        margin_info info;
    } out;
} run;

static margin_status run_train(margin_arena *mem, void *at) {
    run *r = (run *)at;
    return r->is_lssvm
               ? margin_lssvm_train(&r->p->data, &r->lssvm, mem, &r->out.model, &r->out.info, NULL)
               : margin_omam_train(&r->p->data, &r->omam, mem, &r->out.model, &r->out.info, NULL);
}

TEST trainers_take_exactly_their_memory(void) {
    static problem p;
    seed = 95;
    for (int trial = 0; trial < 20; trial++) {
        const size_t n = 17, d = 3, classes = trial % 2 ? 4u : 1u, extra = MARGIN_ALIGN - 1u;
        static run r;
        size_t size, macro;
        memset(&r, 0, sizeof r);
        problem_make(&p, n, d, 4, 0);
        r.p = &p;
        r.is_lssvm = trial / 2 % 2 != 0;
        r.omam.kernel = r.lssvm.kernel = kernels[trial / 4 % 2];
        r.omam.targets = r.lssvm.targets = trial % 2 ? NULL : p.target;
        r.omam.classes = r.lssvm.classes = 4;
        r.lssvm.c = (margin_real)(trial < 12);
        r.lssvm.leave_one_out = trial < 4;
        if (r.is_lssvm) {
            const size_t search = trial < 4 || trial >= 12 ? 1u : 0u;
            size = margin_lssvm_train_size(n, d, classes, &r.lssvm);
            macro = trial / 4 % 2 ? MARGIN_LSSVM_KERNEL_BYTES(n, d, classes, search)
                                  : MARGIN_LSSVM_LINEAR_BYTES(n, d, classes);
        } else {
            size = margin_omam_train_size(n, d, classes, &r.omam);
            macro = trial / 4 % 2 ? MARGIN_OMAM_KERNEL_BYTES(n, d, classes)
                                  : MARGIN_OMAM_LINEAR_BYTES(n, d, classes);
        }
        ASSERT_EQ_FMT(macro, size + extra, "%zu");
        CHECK_CALL(arena_sweep(run_train, &r, size, &r.out, sizeof r.out));
        ASSERT_EQ_FMT(size, r.out.info.arena_peak, "%zu");
    }
    PASS();
}

TEST normalised_models_take_exactly_their_memory_and_refuse_what_has_no_mean(void) {
    static problem p;
    static run r;
    margin_arena mem = arena();
    margin_model m;
    seed = 43;
    problem_make(&p, 17, 3, 4, 0);
    memset(&r, 0, sizeof r);
    r.p = &p;
    r.omam.normalised = true;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_train(&p.data, &r.omam, &mem, &m, NULL, NULL));
    r.omam.kernel.kind = MARGIN_KERNEL_POLY;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_train(&p.data, &r.omam, &mem, &m, NULL, NULL));
    r.omam.kernel.kind = MARGIN_KERNEL_RBF;
    ASSERT_EQ_FMT((size_t)0, margin_omam_train_size(17, 3, 1, &r.omam), "%zu");
    CHECK_CALL(arena_sweep(run_train, &r, margin_omam_train_size(17, 3, 4, &r.omam), &r.out,
                           sizeof r.out));
    r.omam.targets = p.target;
    CHECK_CALL(arena_sweep(run_train, &r, margin_omam_train_size(17, 3, 1, &r.omam), &r.out,
                           sizeof r.out));
    PASS();
}

TEST the_macros_agree_for_many_shapes(void) {
    margin_ordinal_options omam;
    margin_ordinal_options lssvm;
    static unsigned char fixed[MARGIN_OMAM_LINEAR_BYTES(100, 8, 4)]; /* a constant expression */
    memset(&omam, 0, sizeof omam);
    memset(&lssvm, 0, sizeof lssvm);
    seed = 96;
    ASSERT(sizeof fixed > 100);
    for (int trial = 0; trial < 300; trial++) {
        const size_t n = 1u + below(90), d = 1u + below(40), classes = 1u + below(6);
        const size_t extra = MARGIN_ALIGN - 1u;
        omam.kernel.kind = lssvm.kernel.kind = MARGIN_KERNEL_LINEAR;
        ASSERT_EQ_FMT(margin_omam_train_size(n, d, classes, &omam) + extra,
                      (size_t)MARGIN_OMAM_LINEAR_BYTES(n, d, classes), "%zu");
        ASSERT_EQ_FMT(margin_lssvm_train_size(n, d, classes, &lssvm) + extra,
                      (size_t)MARGIN_LSSVM_LINEAR_BYTES(n, d, classes), "%zu");
        omam.kernel.kind = lssvm.kernel.kind = MARGIN_KERNEL_RBF;
        lssvm.c = 0;
        ASSERT_EQ_FMT(margin_omam_train_size(n, d, classes, &omam) + extra,
                      (size_t)MARGIN_OMAM_KERNEL_BYTES(n, d, classes), "%zu");
        ASSERT_EQ_FMT(margin_lssvm_train_size(n, d, classes, &lssvm) + extra,
                      (size_t)MARGIN_LSSVM_KERNEL_BYTES(n, d, classes, 1), "%zu");
        lssvm.c = 1;
        ASSERT_EQ_FMT(margin_lssvm_train_size(n, d, classes, &lssvm) + extra,
                      (size_t)MARGIN_LSSVM_KERNEL_BYTES(n, d, classes, 0), "%zu");
        if (classes > 1u) {
            ASSERT_EQ_FMT(margin_omam_online_start_size(d, classes) + extra,
                          (size_t)MARGIN_OMAM_ONLINE_BYTES(d, classes), "%zu");
        }
    }
    PASS();
}

static margin_status run_model_kendall(margin_arena *mem, void *at) {
    static margin_real unused;
    const problem *p = (const problem *)at;
    const margin_model m = hand_linear();
    return margin_model_kendall(&p->data, p->target, &m, mem, &unused);
}

TEST tau_of_a_model_takes_exactly_its_memory(void) {
    static problem p;
    const margin_model m = hand_linear();
    problem_make(&p, 20, 2, 3, 0);
    CHECK_CALL(arena_sweep(run_model_kendall, &p, margin_model_kendall_size(20, &m), NULL, 0));
    PASS();
}

/* ---- on-line ------------------------------------------------------------------------------------ */

TEST on_line_omam_has_the_direction_of_batch_omam(void) {
    seed = 101;
    for (int trial = 0; trial < 40; trial++) {
        static problem p;
        margin_omam_online on;
        margin_linear now;
        margin_model batch;
        margin_arena mem = arena();
        const size_t classes = 2u + below(4), d = 1u + below(WIDE), n = 10u + below(MOST - 12);
        problem_make(&p, n, d, classes, draw() % 8u);
        ASSERT_EQ(MARGIN_OK, margin_omam_online_start(&on, d, classes, &mem));
        ASSERT_EQ(MARGIN_E_NO_ORDER, margin_omam_online_model(&on, &now));
        for (size_t i = 0; i < n; i++) {
            ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, x_of(&p, i), p.y[row_of(&p, i)],
                                                        (margin_real)weight_of(&p, i)));
        }
        ASSERT_EQ(MARGIN_OK, margin_omam_online_model(&on, &now));
        ASSERT_EQ(MARGIN_OK, margin_omam_train(&p.data, NULL, &mem, &batch, NULL, NULL));
        for (size_t j = 0; j < d; j++) {
            ASSERT_IN_RANGE((double)batch.of.linear.w[j], (double)now.w[j], 200 * EPS);
        }
        for (size_t j = 1; j + 1u < classes; j++) { ASSERT(now.bias[j] <= now.bias[j - 1]); }
        ASSERT_EQ_FMT(classes == 2 ? MARGIN_SCHEME_BINARY : MARGIN_SCHEME_ORDINAL,
                      (int)now.vote.scheme, "%d");
    }
    PASS();
}

TEST on_line_thresholds_lie_midway_between_class_means(void) {
    static const margin_real x[] = {1, 3, 10, 20};
    static const size_t y[] = {0, 0, 1, 3};
    margin_omam_online on;
    margin_linear m;
    margin_arena mem = arena();
    margin_real s[4];
    ASSERT_EQ(MARGIN_OK, margin_omam_online_start(&on, 1, 5, &mem));
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, x + i, y[i], 1));
    }
    ASSERT_EQ(MARGIN_OK, margin_omam_online_model(&on, &m));
    /* means 2, 10, none, 20, none: between 1 and 3 one place for two thresholds, after 3 the range */
    ASSERT_EQ_FMT(1.0, (double)m.w[0], "%g");
    ASSERT_EQ_FMT(-6.0, (double)m.bias[0], "%g");
    ASSERT_EQ_FMT(-15.0, (double)m.bias[1], "%g");
    ASSERT_EQ_FMT(-15.0, (double)m.bias[2], "%g");
    ASSERT_EQ_FMT(-38.0, (double)m.bias[3], "%g");
    margin_linear_scores(&m, x + 2, s);
    ASSERT_EQ_FMT(1, (int)margin_decide(&m.vote, s), "%d");
    PASS();
}

TEST on_line_thresholds_rise_where_means_do_not(void) {
    /* means 5, 2 and 8: the first two are pooled; class 0 of the three has no samples */
    static const margin_real x[] = {5, 2, 8, 9, 7};
    static const size_t y[] = {1, 2, 3, 3, 3};
    margin_omam_online on;
    margin_linear m;
    margin_arena mem = arena();
    ASSERT_EQ(MARGIN_OK, margin_omam_online_start(&on, 1, 4, &mem));
    for (int i = 0; i < 5; i++) {
        ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, x + i, y[i], 1));
    }
    ASSERT_EQ(MARGIN_OK, margin_omam_online_model(&on, &m));
    ASSERT_EQ_FMT(1.0, (double)m.bias[0], "%g");   /* 3.5 less the range of levels, 4.5 */
    ASSERT_EQ_FMT(-3.5, (double)m.bias[1], "%g");  /* within the pooled pair */
    ASSERT_EQ_FMT(-5.75, (double)m.bias[2], "%g"); /* midway between 3.5 and 8 */
    PASS();
}

TEST on_line_samples_can_be_forgotten(void) {
    static problem p;
    margin_omam_online on, short_one;
    margin_linear a, b;
    margin_arena mem = arena();
    seed = 103;
    problem_make(&p, 30, 4, 3, 0);
    ASSERT_EQ(MARGIN_OK, margin_omam_online_start(&on, 4, 3, &mem));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_start(&short_one, 4, 3, &mem));
    for (size_t i = 0; i < 30; i++) {
        ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, x_of(&p, i), p.y[i], 1));
        if (i < 20) {
            ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&short_one, x_of(&p, i), p.y[i], 1));
        }
    }
    for (size_t i = 20; i < 30; i++) {
        ASSERT_EQ(MARGIN_OK, margin_omam_online_forget(&on, x_of(&p, i), p.y[i], 1));
    }
    ASSERT_EQ(MARGIN_OK, margin_omam_online_model(&on, &a));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_model(&short_one, &b));
    for (int j = 0; j < 4; j++) { ASSERT_IN_RANGE((double)b.w[j], (double)a.w[j], 50 * EPS); }
    PASS();
}

/* What is left of a class has next to no weight, and its mean is beyond all numbers. */
TEST on_line_means_that_overflow_are_no_direction(void) {
    static const margin_real one[] = {1}, zero[] = {0};
    const margin_real big[] = {(margin_real)(sizeof(margin_real) > 4 ? 1e150 : 1e18)};
    const margin_real tiny = (margin_real)(sizeof(margin_real) > 4 ? 1e-300 : 1e-30);
    margin_omam_online on;
    margin_linear m;
    margin_arena mem = arena();
    ASSERT_EQ(MARGIN_OK, margin_omam_online_start(&on, 1, 2, &mem));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, one, 0, 1));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, zero, 1, tiny));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, big, 1, 1));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_forget(&on, zero, 1, 1));
    ASSERT_EQ(MARGIN_E_NO_DIRECTION, margin_omam_online_model(&on, &m));
    PASS();
}

static margin_status run_online(margin_arena *mem, void *on) {
    return margin_omam_online_start((margin_omam_online *)on, 3, 4, mem);
}

TEST on_line_omam_checks_its_arguments_and_takes_exactly_its_memory(void) {
    static const margin_real x[] = {1, 1, 1}, nan[] = {1, (margin_real)NAN, 1};
    margin_omam_online on;
    margin_linear m;
    margin_arena mem = arena();
    memset(&on, 0, sizeof on);
    CHECK_CALL(arena_sweep(run_online, &on, margin_omam_online_start_size(3, 4), &on, sizeof on));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_start(&on, 0, 4, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_start(&on, 3, 1, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_start(&on, 3, 65535, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_start(NULL, 3, 4, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_start(&on, 3, 4, NULL));
    ASSERT_EQ_FMT((size_t)0, margin_omam_online_start_size(3, 1), "%zu");
    ASSERT_EQ(MARGIN_OK, margin_omam_online_start(&on, 3, 4, &mem));
    ASSERT_EQ(MARGIN_E_LABEL, margin_omam_online_add(&on, x, 4, 1));
    ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_omam_online_add(&on, nan, 1, 1));
    ASSERT_EQ(MARGIN_E_EMPTY, margin_omam_online_forget(&on, x, 1, 1));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_add(NULL, x, 1, 1));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_forget(NULL, x, 1, 1));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_model(NULL, &m));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_model(&on, NULL));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, x, 1, 1));
    ASSERT_EQ(MARGIN_OK, margin_omam_online_add(&on, x, 2, 1));
    ASSERT_EQ(MARGIN_E_NO_DIRECTION, margin_omam_online_model(&on, &m));
    PASS();
}

SUITE(ordinal_suite) {
    RUN_TEST(ordinal_models_have_one_function_and_a_threshold_between_classes);
    RUN_TEST(the_class_is_the_number_of_thresholds_passed);
    RUN_TEST(an_ordinal_expansion_adds_its_function_once);
    RUN_TEST(a_ranker_has_a_score_and_one_class);
    RUN_TEST(ordinal_models_go_through_images);
    RUN_TEST(images_with_thresholds_out_of_order_are_refused);
    RUN_TEST(scaling_folds_into_the_one_function);
    RUN_TEST(ordinal_models_are_quantised);
    RUN_TEST(integer_models_with_thresholds_out_of_order_are_refused);
    RUN_TEST(ordinal_expansions_are_compressed);
    RUN_TEST(tau_is_that_of_the_double_sum_with_and_without_ties);
    RUN_TEST(tau_of_a_list_with_itself_is_one_and_with_its_opposite_minus_one);
    RUN_TEST(tau_refuses_what_has_no_order);
    RUN_TEST(tau_takes_exactly_its_memory);
    RUN_TEST(thresholds_have_the_least_loss_of_all);
    RUN_TEST(thresholds_by_hand);
    RUN_TEST(neighbouring_scores_keep_a_threshold_between_them);
    RUN_TEST(thresholds_check_their_arguments_and_take_exactly_their_memory);
    RUN_TEST(omam_is_the_naive_form);
    RUN_TEST(lssvm_is_the_naive_form_and_leaving_one_out_is_as_by_training_anew);
    RUN_TEST(lssvm_chooses_the_price_of_least_error_left_out);
    RUN_TEST(the_search_can_be_stopped);
    RUN_TEST(a_weight_of_two_is_two_samples);
    RUN_TEST(normalised_models_tell_classes_by_the_mean_rank_around);
    RUN_TEST(normalised_models_of_numbers_tell_the_mean_rank);
    RUN_TEST(normalised_models_answer_the_middle_far_from_all_samples);
    RUN_TEST(normalised_models_take_exactly_their_memory_and_refuse_what_has_no_mean);
    RUN_TEST(classes_in_a_row_are_told_without_error);
    RUN_TEST(margins_are_those_of_the_model);
    RUN_TEST(two_classes_in_order_make_a_binary_model);
    RUN_TEST(classes_may_be_without_samples);
    RUN_TEST(cross_validation_takes_ordinal_models);
    RUN_TEST(the_absolute_error_by_hand);
    RUN_TEST(integer_models_are_compared);
    RUN_TEST(bad_targets_and_data_are_refused);
    RUN_TEST(features_that_say_nothing_or_overflow_are_refused);
    RUN_TEST(bad_options_are_refused);
    RUN_TEST(tau_of_a_model_checks_its_arguments);
    RUN_TEST(trainers_take_exactly_their_memory);
    RUN_TEST(the_macros_agree_for_many_shapes);
    RUN_TEST(tau_of_a_model_takes_exactly_its_memory);
    RUN_TEST(on_line_omam_has_the_direction_of_batch_omam);
    RUN_TEST(on_line_thresholds_lie_midway_between_class_means);
    RUN_TEST(on_line_thresholds_rise_where_means_do_not);
    RUN_TEST(on_line_samples_can_be_forgotten);
    RUN_TEST(on_line_means_that_overflow_are_no_direction);
    RUN_TEST(on_line_omam_checks_its_arguments_and_takes_exactly_its_memory);
}
