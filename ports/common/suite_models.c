/* suite_models.c -- exported models: their self-tests, and answers to inputs beyond them. The headers are written by
 * the generator when the ports are built, see models.py. On AVR they are in flash. */
#include "suite.h"
#include "cuts_f32.h"
#include "cuts_q15.h"
#include "cuts_q7.h"
#include "linear_f32.h"
#include "linear_q15.h"
#include "linear_q7.h"
#include "list_f32.h"
#include "list_q15.h"
#include "list_q7.h"
#include "pairs_f32.h"
#include "pairs_q15.h"
#include "pairs_q7.h"
#include "poly_f32.h"
#include "poly_q15.h"
#include "poly_q7.h"
#include "hinge_f32.h"
#include "hinge_q15.h"
#include "hinge_q7.h"
#include "projected_f32.h"
#include "projected_q15.h"
#include "projected_q7.h"
#include "proto_f32.h"
#include "proto_q15.h"
#include "proto_q7.h"
#include "digits2_q7.h"
#include "digits5_q7.h"
#include "rbf_f32.h"
#include "rbf_q15.h"
#include "rbf_q7.h"
#include "rest_f32.h"
#include "rest_q15.h"
#include "rest_q7.h"
#include "sensor_f32.h"
#include "sensor_q15.h"
#include "sensor_q7.h"
#include "unit_poly_f32.h"
#include "unit_poly_q15.h"
#include "unit_poly_q7.h"
#include "wdbc_linear_f32.h"
#include "wdbc_linear_q15.h"
#include "wdbc_linear_q7.h"
#include "wdbc_rbf_f32.h"
#include "wdbc_rbf_q15.h"
#include "wdbc_rbf_q7.h"

#define INPUTS 6

/* The self-test; then inputs of growing size, to far outside of what the model was made for. */
#define MODEL(name, upper, input, score, next, word)                                               \
    void test_model_##name(margin_arena *mem) {                                                    \
        uint32_t rng = 3;                                                                          \
        input x[upper##_FEATURES];                                                                 \
        score scores[upper##_MACHINES];                                                            \
        size_t i, k;                                                                               \
        (void)mem;                                                                                 \
        if (name##_selftest() != 0) { suite_fail("selftest"); }                                    \
        for (i = 0; i < INPUTS; i++) {                                                             \
            for (k = 0; k < upper##_FEATURES; k++) { x[k] = next(&rng, i); }                       \
            name##_scores(x, scores);                                                              \
            for (k = 0; k < upper##_MACHINES; k++) { word(scores[k]); }                            \
            suite_word(name##_classify(x));                                                        \
        }                                                                                          \
    }

/* The sum of four uniform numbers, of mean 0 and variance 4/3. */
static margin_real next_real(uint32_t *rng, size_t i) {
    margin_real sum = -4;
    for (unsigned k = 0; k < 4u; k++) {
        sum += (margin_real)(suite_draw(rng) >> 8) * (margin_real)1.1920928955078125e-7; /* 2^-23 */
    }
    return sum * (margin_real)(1u << 2u * i);
}

static int16_t next_integer(uint32_t *rng, size_t i) {
    return (int16_t)((int32_t)(suite_draw(rng) & 0xFFFFu) - 32768) /
           (int16_t)(1 << 2u * (INPUTS - 1u - i));
}

static void word_of_integer(int32_t score) {
    suite_word((uint32_t)score);
}

#define MODEL_F32(name, upper) MODEL(name, upper, margin_real, margin_real, next_real, suite_real)
#define MODEL_Q(name, upper) MODEL(name, upper, int16_t, int32_t, next_integer, word_of_integer)

MODEL_F32(linear_f32, LINEAR_F32)
MODEL_Q(linear_q15, LINEAR_Q15)
MODEL_Q(linear_q7, LINEAR_Q7)
MODEL_F32(rbf_f32, RBF_F32)
MODEL_Q(rbf_q15, RBF_Q15)
MODEL_Q(rbf_q7, RBF_Q7)
MODEL_F32(poly_f32, POLY_F32)
MODEL_Q(poly_q15, POLY_Q15)
MODEL_Q(poly_q7, POLY_Q7)
MODEL_F32(hinge_f32, HINGE_F32)
MODEL_Q(hinge_q15, HINGE_Q15)
MODEL_Q(hinge_q7, HINGE_Q7)
MODEL_F32(projected_f32, PROJECTED_F32)
MODEL_Q(projected_q15, PROJECTED_Q15)
MODEL_Q(projected_q7, PROJECTED_Q7)
MODEL_F32(proto_f32, PROTO_F32)
MODEL_Q(proto_q15, PROTO_Q15)
MODEL_Q(proto_q7, PROTO_Q7)
MODEL_Q(digits2_q7, DIGITS2_Q7)
MODEL_Q(digits5_q7, DIGITS5_Q7)
MODEL_F32(cuts_f32, CUTS_F32)
MODEL_Q(cuts_q15, CUTS_Q15)
MODEL_Q(cuts_q7, CUTS_Q7)
MODEL_F32(list_f32, LIST_F32)
MODEL_Q(list_q15, LIST_Q15)
MODEL_Q(list_q7, LIST_Q7)
MODEL_F32(unit_poly_f32, UNIT_POLY_F32)
MODEL_Q(unit_poly_q15, UNIT_POLY_Q15)
MODEL_Q(unit_poly_q7, UNIT_POLY_Q7)
MODEL_F32(pairs_f32, PAIRS_F32)
MODEL_Q(pairs_q15, PAIRS_Q15)
MODEL_Q(pairs_q7, PAIRS_Q7)
MODEL_F32(rest_f32, REST_F32)
MODEL_Q(rest_q15, REST_Q15)
MODEL_Q(rest_q7, REST_Q7)
MODEL_F32(sensor_f32, SENSOR_F32)
MODEL_Q(sensor_q15, SENSOR_Q15)
MODEL_Q(sensor_q7, SENSOR_Q7)
MODEL_F32(wdbc_linear_f32, WDBC_LINEAR_F32)
MODEL_Q(wdbc_linear_q15, WDBC_LINEAR_Q15)
MODEL_Q(wdbc_linear_q7, WDBC_LINEAR_Q7)
MODEL_F32(wdbc_rbf_f32, WDBC_RBF_F32)
MODEL_Q(wdbc_rbf_q15, WDBC_RBF_Q15)
MODEL_Q(wdbc_rbf_q7, WDBC_RBF_Q7)

/* ---- what goes around scores ---- */

void test_model_probabilities_f32(margin_arena *mem) {
    uint32_t rng = 5;
    margin_real x[SENSOR_F32_FEATURES], p[SENSOR_F32_CLASSES];
    size_t i, k;
    (void)mem;
    for (i = 0; i < INPUTS; i++) {
        for (k = 0; k < SENSOR_F32_FEATURES; k++) {
            x[k] = (margin_real)(suite_draw(&rng) >> 8) * (margin_real)0.0001220703125;
        }
        sensor_f32_probabilities(x, p);
        for (k = 0; k < SENSOR_F32_CLASSES; k++) { suite_real(p[k]); }
    }
}

void test_model_probabilities_q15(margin_arena *mem) {
    uint32_t rng = 5;
    int16_t x[SENSOR_Q15_FEATURES];
    uint16_t p[SENSOR_Q15_CLASSES];
    size_t i, k;
    (void)mem;
    for (i = 0; i < INPUTS; i++) {
        for (k = 0; k < SENSOR_Q15_FEATURES; k++) { x[k] = (int16_t)(suite_draw(&rng) % 2000u); }
        sensor_q15_probabilities(x, p);
        for (k = 0; k < SENSOR_Q15_CLASSES; k++) { suite_word(p[k]); }
    }
}

/* Real values to the inputs of an integer model. */
void test_model_input_q15(margin_arena *mem) {
    uint32_t rng = 6;
    margin_real raw[RBF_Q15_FEATURES];
    int16_t x[RBF_Q15_FEATURES];
    size_t i, k;
    (void)mem;
    for (i = 0; i < INPUTS; i++) {
        for (k = 0; k < RBF_Q15_FEATURES; k++) { raw[k] = next_real(&rng, i); }
        rbf_q15_input(raw, x);
        for (k = 0; k < RBF_Q15_FEATURES; k++) { suite_word((uint16_t)x[k]); }
    }
}
