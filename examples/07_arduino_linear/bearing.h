/* bearing.h -- linear classifier, for margin.h. Written by the generator: do not edit, export it again.
 *
 * trained   svm, linear kernel, standard scaling; 400 rows
 * errors    training 15.5 % (positive class 22.54 %, negative class 11.63 %)
 * inputs    4 raw values (margin_real): vibration, temperature, current, speed
 * classes   0 = healthy, 1 = worn
 * size      20 bytes of tables that the predictor reads, number format f32
 * stack     at most 156 on cortex-m0, 76 on cortex-m4f, 180 on rv32imc, 112 on atmega328p, bytes
 *           of a prediction and all that it calls
 * cycles    at most 1300 on cortex-m0, 51 on cortex-m4f, 1200 on rv32imc, 2100 on atmega328p, by
 *           measurement; on AVR cycles, else instructions
 * image     sha256 1bd8e2a9bd7016a3d9919fa4017c52c7d236096ef9b7b3812e54ebade0b54204
 *
 * USE       bearing_classify(x) is the class c of x, or MARGIN_REJECTED; bearing_labels[c] is the
 *           name of a class. bearing_selftest() is 0 when this machine computes the same bits as
 *           the one that wrote this file.
 */

#ifndef BEARING_H
#define BEARING_H

#ifndef MARGIN_H
#include "margin.h"
#endif

#if !defined(MARGIN_MODEL_FORMAT) || MARGIN_MODEL_FORMAT != 5
#error "bearing.h needs model format 5: export it again with the generator of this margin.h"
#endif

#ifdef MARGIN_REAL_DOUBLE
#error "bearing.h is a model in float: compile without MARGIN_REAL_DOUBLE"
#endif

#define BEARING_FEATURES 4
#define BEARING_CLASSES 2
#define BEARING_MACHINES 1
#define BEARING_TABLE_BYTES 20

static const margin_real bearing_w[4] MARGIN_FLASH = {
    0.00133189722f, 0.00324457302f, -0.00216082763f, -0.000126294151f,
};

static const margin_real bearing_bias[1] MARGIN_FLASH = {
    -3.98723865f,
};

static const margin_linear bearing_model = {
    bearing_w, bearing_bias, 4, {2, MARGIN_SCHEME_BINARY, 0.0f, 0.0f, 0.0f, 0.0f, 0}
};

static const char *const bearing_labels[2] = {
    "healthy", "worn",
};

/* The score of x, positive for class 1. */
static inline void bearing_scores(const margin_real *x, margin_real *scores)
{
    margin_linear_scores(&bearing_model, x, scores);
}

/* The class of x, 0 .. 1, or MARGIN_REJECTED where the scores are not numbers. */
static inline uint16_t bearing_classify(const margin_real *x)
{
    margin_real scores[BEARING_MACHINES];
    bearing_scores(x, scores);
    return scores[0] > 0 ? 1 : scores[0] <= 0 ? 0 : MARGIN_REJECTED;
}

static const margin_real bearing_test_x[4 * BEARING_FEATURES] MARGIN_FLASH = {
    1516.0f, 2880.0f, 2441.0f, 3595.0f, 708.0f, 1159.0f, 620.0f, 1126.0f, 1367.0f, 2365.0f, 2033.0f,
    902.0f, 2961.0f, 1363.0f, 652.0f, 2202.0f,
};
static const margin_real bearing_test_scores[4 * BEARING_MACHINES] MARGIN_FLASH = {
    1.64767957f, -0.765715599f, 1.00000024f, 2.69190288f,
};

/* 0: all 4 inputs give exactly the scores of the machine that made this file; else the number
 * of the first that does not, from 1. */
static inline int bearing_selftest(void)
{
    margin_real x[BEARING_FEATURES];
    margin_real scores[BEARING_MACHINES];
    int i, j;
    for (i = 0; i < 4; i++) {
        for (j = 0; j < 4; j++) {
            x[j] = MARGIN_LOAD(margin_real, bearing_test_x + i * 4 + j);
        }
        bearing_scores(x, scores);
        for (j = 0; j < 1; j++) {
            const margin_real expected = MARGIN_LOAD(margin_real, bearing_test_scores + i * 1 + j);
            if (!(scores[j] <= expected && scores[j] >= expected)) {
                return i + 1;
            }
        }
    }
    return 0;
}

/* In C++: the same, for std::array and arrays, whose sizes the compiler checks. */
#if defined(__cplusplus) && __cplusplus >= 201103L
struct Bearing {
    static constexpr size_t features = BEARING_FEATURES, classes = BEARING_CLASSES, machines = BEARING_MACHINES;
    template <typename X> static uint16_t classify(const X &x) { return bearing_classify(in(x)); }
    template <typename X, template <typename, size_t> class Array, size_t N>
    static void scores(const X &x, Array<margin_real, N> &out) {
        static_assert(N == machines, "Bearing gives BEARING_MACHINES scores");
        bearing_scores(in(x), out.data());
    }
    static const char *label(uint16_t c) { return c < classes ? bearing_labels[c] : "no class"; }
    static int selftest() { return bearing_selftest(); }
private:
    template <size_t N> static const margin_real *in(const margin_real (&x)[N]) {
        static_assert(N == features, "Bearing takes BEARING_FEATURES values");
        return x;
    }
    template <template <typename, size_t> class Array, size_t N>
    static const margin_real *in(const Array<margin_real, N> &x) {
        static_assert(N == features, "Bearing takes BEARING_FEATURES values");
        return x.data();
    }
};
#endif

#endif
