/* From the scores of several machines to a class: all pairs of classes, each class against the rest. */
#include "margin.h"

#include <math.h>

#include "asserts.h"

/* Three classes that beat each other in a circle: 0 over 1, 1 over 2, 2 over 0, by 1, 2 and 4. The
 * machines are (0,1), (0,2), (1,2); positive speaks for the second of a pair. */
static const margin_real circle[] = {-1, 4, -2};

TEST ties_of_votes_go_to_the_larger_sum_in_one_one(void) {
    /* the sums in favour of the classes are -3, 1 and 2 */
    ASSERT_EQ_FMT(2, (int)margin_elect(MARGIN_SCHEME_ONE_ONE, 3, circle), "%d");
    PASS();
}

TEST ties_of_votes_go_to_the_first_class_in_votes(void) {
    ASSERT_EQ_FMT(0, (int)margin_elect(MARGIN_SCHEME_VOTES, 3, circle), "%d");
    PASS();
}

TEST without_ties_both_rules_agree(void) {
    margin_real scores[6];
    int i, j, ties = 0;
    for (i = 0; i < 64; i++) { /* every outcome of the six duels of four classes */
        int votes[4] = {0, 0, 0, 0}, machine = 0, a, b, best = 0, second = 0;
        for (a = 0; a < 4; a++) {
            for (b = a + 1; b < 4; b++, machine++) {
                const int won = (i >> machine) & 1;
                scores[machine] = won ? 1 : -1;
                votes[won ? b : a]++;
            }
        }
        for (j = 0; j < 4; j++) { best = votes[j] > votes[best] ? j : best; }
        for (j = 0; j < 4; j++) { second += votes[j] == votes[best]; }
        ties += second > 1;
        ASSERT_EQ_FMT(best, (int)margin_elect(MARGIN_SCHEME_VOTES, 4, scores), "%d");
        if (second == 1) {
            ASSERT_EQ_FMT(best, (int)margin_elect(MARGIN_SCHEME_ONE_ONE, 4, scores), "%d");
        }
    }
    ASSERT_EQ_FMT(32, ties,
                  "%d"); /* a class that wins all three duels, of four: 4 * 8 outcomes have one */
    PASS();
}

TEST both_have_a_machine_for_each_pair(void) {
    ASSERT_EQ_FMT(10, (int)margin_machines(MARGIN_SCHEME_VOTES, 5), "%d");
    ASSERT_EQ_FMT(10, (int)margin_machines(MARGIN_SCHEME_ONE_ONE, 5), "%d");
    ASSERT_EQ_FMT(5, (int)margin_machines(MARGIN_SCHEME_ONE_REST, 5), "%d");
    ASSERT_EQ_FMT(1, (int)margin_machines(MARGIN_SCHEME_BINARY, 2), "%d");
    PASS();
}

TEST terms_that_pile_up_before_they_cancel_are_summed_exactly(void) {
    /* 2 n vectors at the same place, coefficients 1000 and then -1000: all that stays is the bias */
    enum { COUNT = 200 };
    static margin_real vectors[2 * COUNT], norms[2 * COUNT], coef[2 * COUNT];
    static const margin_real bias[1] = {(margin_real)0.1};
    static const uint32_t ends[2] = {COUNT, 2 * COUNT};
    const margin_real x[1] = {(margin_real)0.7};
    margin_expansion e;
    margin_real score;
    memset(&e, 0, sizeof e);
    for (size_t v = 0; v < 2 * COUNT; v++) {
        vectors[v] = 1;
        norms[v] = 1;
        coef[v] = v < COUNT ? -1000 : 1000;
    }
    e.vectors = vectors;
    e.norms = norms;
    e.coef = coef;
    e.bias = bias;
    e.class_end = ends;
    e.n = 2 * COUNT;
    e.d = 1;
    e.width = 1;
    e.kernel.kind = MARGIN_KERNEL_RBF;
    e.kernel.gamma = 1;
    e.vote.classes = 2;
    margin_expansion_scores(&e, x, &score);
    ASSERT_IN_RANGE(0.1, (double)score, sizeof(margin_real) > 4 ? 1e-10 : 0.02);
    PASS();
}

/* A model of so many classes of two features, by method (0 svm, 1 prototypes with tangents, 2 without). */
static int make_model(int method, unsigned kernel, unsigned classes, unsigned scheme,
                      margin_arena *mem, margin_model *model) {
    static margin_real x[60][2];
    static uint16_t y[60];
    margin_data data;
    memset(&data, 0, sizeof data);
    for (size_t i = 0; i < 60; i++) {
        y[i] = (uint16_t)(i % classes);
        x[i][0] = (margin_real)(y[i] * 2) + (margin_real)(i * 7 % 11) / 10;
        x[i][1] = (margin_real)(i * 5 % 13) / 10 - (margin_real)(y[i] == 1);
    }
    data.x = x[0];
    data.y = y;
    data.n = 60;
    data.d = 2;
    if (method == 0) {
        margin_svm_options options;
        memset(&options, 0, sizeof options);
        options.kernel.kind = (uint8_t)kernel;
        options.scheme = (uint8_t)scheme;
        return margin_svm_train(&data, &options, mem, model, NULL, NULL);
    }
    margin_proto_options options;
    memset(&options, 0, sizeof options);
    options.tangents = method == 1 ? 1 : 0;
    return margin_proto_train(&data, &options, mem, model, NULL, NULL);
}

TEST what_is_not_a_number_never_becomes_a_class(void) {
    static const unsigned schemes[] = {MARGIN_SCHEME_ONE_ONE, MARGIN_SCHEME_ONE_REST,
                                       MARGIN_SCHEME_VOTES};
    static double memory[1 << 18];
    for (unsigned i = 0; i < 7 * 3 * 3; i++) {
        const unsigned what = i % 7, classes = 2 + i / 7 % 3, scheme = schemes[i / 21];
        const margin_real huge = sizeof(margin_real) > 4 ? (margin_real)1e308 : (margin_real)3e38;
        margin_real scores[8], bad[2];
        margin_model model;
        margin_arena mem = margin_arena_make(memory, sizeof memory);
        ASSERT(make_model(what < 5 ? 0 : (int)what - 4, what, classes, scheme, &mem, &model) >= 0);
        for (unsigned k = 0; k < 2; k++) {
            bad[k] = (margin_real)NAN;
            bad[1 - k] = 1;
            ASSERT_EQ(MARGIN_REJECTED, margin_classify(&model, bad, scores));
            bad[k] = (margin_real)INFINITY;
            (void)margin_classify(&model, bad, scores);
            bad[k] = k == 0 ? huge : -huge;
            if (what == MARGIN_KERNEL_LINEAR) {
                ASSERT(margin_classify(&model, bad, scores) < classes);
            } else if (what >= MARGIN_KERNEL_UNIT_POLY) { /* squared lengths that overflow */
                ASSERT_EQ(MARGIN_REJECTED, margin_classify(&model, bad, scores));
            }
            bad[k] = 1;
            ASSERT(margin_classify(&model, bad, scores) < classes);
            if (model.kind == MARGIN_MODEL_PROTO) {
                margin_proto_found found;
                bad[k] = (margin_real)NAN;
                margin_proto_find(&model.of.proto, bad, &found);
                ASSERT_EQ(MARGIN_REJECTED, found.label);
            }
        }
    }
    PASS();
}

SUITE(scheme_suite) {
    RUN_TEST(what_is_not_a_number_never_becomes_a_class);
    RUN_TEST(terms_that_pile_up_before_they_cancel_are_summed_exactly);
    RUN_TEST(ties_of_votes_go_to_the_larger_sum_in_one_one);
    RUN_TEST(ties_of_votes_go_to_the_first_class_in_votes);
    RUN_TEST(without_ties_both_rules_agree);
    RUN_TEST(both_have_a_machine_for_each_pair);
}
