/* Classes in order and rankings: the scheme, oMAM, LS-SVM on ranks, thresholds, Kendall's tau. What is
 * expected comes from hand calculation or from the naive forms below. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena_sweep.h"
#include "greatest.h"
#include "margin.h"

#ifdef MARGIN_REAL_DOUBLE
#define EPS 2.220446049250313e-16
#else
#define EPS 1.1920928955078125e-7
#endif

/* ---- helpers ------------------------------------------------------------------------------------ */

static uint64_t seed;

static uint32_t draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}

static double uniform(void)
{
    return (double)draw() / 2147483648.0 - 1.0;
}

static double memory[1 << 19];

static margin_arena arena(void)
{
    return margin_arena_make(memory, sizeof memory);
}

/* ---- the scheme --------------------------------------------------------------------------------- */

/* f = 2 x0 - x1, thresholds -1, 0.5 and 4: four classes. */
static const margin_real hand_w[] = {2, -1};
static const margin_real hand_bias[] = {1, (margin_real)-0.5, -4};

static margin_model hand_linear(void)
{
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

static margin_model hand_expansion(void)
{
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

static double hand_rbf(double x0, double x1)
{
    double f = 0;
    for (int v = 0; v < 3; v++) {
        const double a = x0 - (double)hand_vectors[2 * v], b = x1 - (double)hand_vectors[2 * v + 1];
        f += (double)hand_coef[v] * exp(-0.5 * (a * a + b * b));
    }
    return f;
}

TEST ordinal_models_have_one_function_and_a_threshold_between_classes(void)
{
    ASSERT_EQ_FMT(3, (int)margin_machines(MARGIN_SCHEME_ORDINAL, 4), "%d");
    ASSERT_EQ_FMT(1, (int)margin_machines(MARGIN_SCHEME_ORDINAL, 1), "%d");
    ASSERT_EQ_FMT(1, (int)margin_functions(MARGIN_SCHEME_ORDINAL, 4), "%d");
    ASSERT_EQ_FMT(4, (int)margin_functions(MARGIN_SCHEME_ONE_REST, 4), "%d");
    ASSERT_EQ_FMT(6, (int)margin_functions(MARGIN_SCHEME_ONE_ONE, 4), "%d");
    PASS();
}

TEST the_class_is_the_number_of_thresholds_passed(void)
{
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

TEST an_ordinal_expansion_adds_its_function_once(void)
{
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

TEST a_ranker_has_a_score_and_one_class(void)
{
    margin_model m = hand_linear();
    const margin_real x[2] = {1, 1};
    margin_real s[1];
    m.of.linear.vote.classes = 1;
    ASSERT_EQ_FMT(0, (int)margin_classify(&m, x, s), "%d");
    ASSERT_EQ_FMT(2.0, (double)s[0], "%g");
    ASSERT_EQ_FMT(1.0, (double)margin_probability(&m.of.linear.vote, s, 0), "%g");
    PASS();
}

/* Scores of two models at many inputs differ by at most `most`; their classes not at all, where the
 * nearest threshold is not nearer than that. */
static enum greatest_test_res same_answers(const margin_model *a, const margin_model *b,
                                           double most)
{
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

static enum greatest_test_res image_round_trip(const margin_model *m)
{
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

TEST ordinal_models_go_through_images(void)
{
    margin_model l = hand_linear(), e = hand_expansion();
    CHECK_CALL(image_round_trip(&l));
    CHECK_CALL(image_round_trip(&e));
    l.of.linear.vote.classes = e.of.expansion.vote.classes = 1; /* rankers */
    CHECK_CALL(image_round_trip(&l));
    CHECK_CALL(image_round_trip(&e));
    ASSERT_EQ_FMT(64u + 4u * 3u, (unsigned)margin_image_size(&l, 0), "%u");
    PASS();
}

TEST images_with_thresholds_out_of_order_are_refused(void)
{
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

TEST scaling_folds_into_the_one_function(void)
{
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
    for (int j = 0; j < 3; j++) {
        ASSERT_IN_RANGE((double)t[j], (double)s[j], 16 * EPS);
    }
    PASS();
}

/* Quantised scores, in real units, are near; classes are the same but near thresholds. */
static enum greatest_test_res quantised(const margin_model *m, unsigned format, double most)
{
    static margin_real x[400];
    margin_quant_options options = {0, false};
    margin_quant_info info;
    margin_quant q;
    margin_data data;
    margin_arena mem = arena();
    memset(&data, 0, sizeof data);
    options.format = (uint8_t)format;
    seed = 8;
    for (size_t i = 0; i < 400; i++) {
        x[i] = (margin_real)(2 * uniform());
    }
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

TEST ordinal_models_are_quantised(void)
{
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

TEST integer_models_with_thresholds_out_of_order_are_refused(void)
{
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

TEST ordinal_expansions_are_compressed(void)
{
    margin_model m = hand_expansion(), small;
    margin_compress_info info;
    margin_arena mem = arena();
    ASSERT(margin_compress_size(&m, 3) <= sizeof memory);
    ASSERT_EQ(MARGIN_OK, margin_compress(&m, NULL, 3, &mem, &small, &info));
    CHECK_CALL(same_answers(&m, &small, 3e-3));
    ASSERT_EQ(MARGIN_OK, margin_compress(&m, NULL, 2, &mem, &small, &info));
    ASSERT_EQ_FMT(2, (int)small.of.expansion.n, "%d");
    ASSERT_EQ_FMT(1, (int)small.of.expansion.width, "%d");
    PASS();
}

SUITE(ordinal_suite)
{
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
}
