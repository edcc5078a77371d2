/* motor.h -- rbf kernel, 64 vectors, for margin.h. Written by the generator: do not edit, export it again.
 *
 * trained   kmomd, rbf kernel, gamma 0.5, lambda 0.1, standard scaling; 400 rows
 * errors    training 1 % (positive class 1.408 %, negative class 0.7752 %)
 * inputs    4 raw values (int16_t): vibration, temperature, current, speed
 * classes   0 = healthy, 1 = worn
 * size      800 bytes of tables that the predictor reads, number format q15
 * stack     at most 96 on cortex-m0, 80 on cortex-m4f, 64 on rv32imc, 91 on atmega328p, bytes of
 *           margin_rbf_score_q15
 * cycles    at most 6000 on cortex-m0, 2700 on cortex-m4f, 4100 on rv32imc, 56000 on atmega328p,
 *           by measurement; on AVR cycles, else instructions
 * image     sha256 e900725f4ec0942763d323f0112e6989ab6160b63ac9c55d1503648b0162ced9
 * note      scores count units of 2.1237e-08
 * note      compressed from 138 vectors; the errors above are from before
 * note      beside the whole model in f32, on 256 rows: 0 of 256 labels change, scores by at most
 *           0.0189 (0.0031 on average); error 0.7812 %, before 0.7812 %
 *
 * USE       motor_classify(x) is the class c of x, or MARGIN_REJECTED; motor_labels[c] is the name
 *           of a class. motor_selftest() is 0 when this machine computes the same bits as the one
 *           that wrote this file.
 */

#ifndef MOTOR_H
#define MOTOR_H

#ifndef MARGIN_H
#include "margin.h"
#endif

#if !defined(MARGIN_MODEL_FORMAT) || MARGIN_MODEL_FORMAT != 4
#error "motor.h needs model format 4: export it again with the generator of this margin.h"
#endif

#define MOTOR_FEATURES 4
#define MOTOR_CLASSES 2
#define MOTOR_MACHINES 1
#define MOTOR_TABLE_BYTES 800

static const int16_t motor_vectors[256] MARGIN_WORD_ALIGNED MARGIN_FLASH = {
    4470, 6019, 4767, -3778, 3857, -791, -5381, 1522, 2227, 1014, -2280, 430, 1473, 390, 5869,
    -7543, 4099, -8603, -4539, 1246, -5109, -6427, 1073, -5167, -2657, -613, 3918, -5307, -1883,
    -7644, -6513, 1936, -7485, -11684, 2112, -4529, 244, 4042, 1413, -2189, -7853, -7372, -7560,
    1256, 4302, 1825, -4283, -749, 5200, -3639, -5498, -9621, 2682, 495, -833, -2215, -3834, 591,
    -8841, 5754, 6331, -849, -7430, -1932, -326, 6796, -5523, 1056, -4149, 1272, -4688, 2808, 7957,
    -2058, -2097, 7612, -2149, -2794, 8822, 6897, 3109, 5277, 386, 1928, 324, -1732, 4185, -5418,
    6272, 1120, 1304, -1016, -2078, -2607, -3392, 843, -5288, 6753, -3791, -4822, -6167, 5907,
    -6222, 6477, 6864, -5599, -927, 4777, 7118, 5462, 6097, 7265, -672, 2083, 64, 5553, 3146, -3829,
    -5709, -2319, 4211, 1981, 5811, -1630, -2728, -698, 166, 8282, 763, -9612, -6216, -6738, -1365,
    -7757, 1197, 1047, -7612, 944, -8815, -5715, -7768, 2102, 2741, 1553, 8783, -463, 1240, 7927,
    -2262, 4241, -1452, -351, 10, 158, 7924, -3242, 6097, -3363, -8991, -4103, 324, 3343, -2454,
    115, -239, 5786, 442, -5823, 4185, 3079, -699, 5577, 2175, 3684, -4647, 3628, 4884, 1332, 2762,
    7202, 7415, 6511, 6450, -4408, 452, 1820, 7410, 1931, 5921, -44, -3970, -1338, -2504, -6988,
    974, -7446, -1483, 6606, -2405, 2385, -8906, -3937, -8074, 3452, 8503, 4651, 3814, -5151, -1130,
    538, 4730, 2497, 7508, 7417, 312, -1654, -1733, -3594, 575, -1232, 4660, 974, -4257, -2018,
    2273, -895, 2119, -3648, -2015, 7875, 1698, 6477, 2644, -2224, -4068, -2763, 4419, 3810, 3014,
    -2411, -1130, -8499, 108, -921, -2930, 13865, 3851, -2431, -9570, -4239, -1597, 3482, 7833,
    -6405, -3905, 1911,
};

static const uint16_t motor_norms[64] MARGIN_FLASH = {
    7593u, 5174u, 2176u, 14968u, 11994u, 8017u, 15795u, 9036u, 37666u, 10218u, 4668u, 3137u, 6755u,
    28573u, 5889u, 7879u, 13897u, 11470u, 3816u, 18953u, 9535u, 806u, 1736u, 7213u, 18559u, 7484u,
    18729u, 20828u, 3229u, 8212u, 3966u, 13012u, 18532u, 23732u, 15478u, 1521u, 9446u, 16807u,
    8739u, 12196u, 4673u, 4594u, 6328u, 8406u, 3558u, 14421u, 16167u, 9593u, 18301u, 16297u, 17062u,
    6415u, 2135u, 3718u, 16364u, 3056u, 2186u, 5125u, 12222u, 7292u, 22347u, 1897u, 37013u, 4839u,
};

static const int16_t motor_coef[64] MARGIN_FLASH = {
    -11830, -8217, -19144, -1905, -2336, -8270, -2826, -16994, -548, -4935, 7840, -26712, -30733,
    -3693, -3329, -6421, -14397, -6117, -5906, -2660, -6939, -19927, -19580, 6376, -4986, -4080,
    -733, -2946, -13688, -19439, -5255, -761, -10263, -5990, -2060, 9183, 2528, 13555, 19244, 1936,
    12480, 8597, -732, 10647, 7124, 5960, -1186, 15914, 7006, 18212, 3785, 5492, 16850, 5346, 5957,
    20877, 18889, 21840, 2089, 9250, 2899, 836, 1079, 32767,
};

static const int32_t motor_bias[1] MARGIN_FLASH = {
    1411965,
};

static const int32_t motor_stage_offset[4] MARGIN_FLASH = {
    -44162644, -34286280, -54965881, -50348366,
};

static const int16_t motor_stage_factor[4] MARGIN_FLASH = {
    25344, 17677, 26638, 20630,
};

static const uint8_t motor_stage_shift[4] MARGIN_FLASH = {
    12u, 11u, 12u, 12u,
};

static const margin_stage_q motor_stage = {motor_stage_offset, motor_stage_factor, motor_stage_shift};

static const margin_expansion_q motor_model = {
    motor_vectors, motor_norms, motor_coef, 0, motor_bias, 0, &motor_stage, 64, 4, 1, MARGIN_Q15,
    {MARGIN_KERNEL_RBF, 0, 12, 0, 33611, 1, 4, 915959823u, 2287804561u, 0}, {2, 1, 0, 0, 0, 0, 0,
    MARGIN_SCHEME_BINARY, 0}, 0
};

static const char *const motor_labels[2] = {
    "healthy", "worn",
};

/* The score of x, positive for class 1. */
static inline void motor_scores(const int16_t *x, int32_t *scores)
{
    int16_t work[MOTOR_FEATURES];
    *scores = margin_rbf_score_q15(&motor_model, margin_prepare_q(&motor_stage, MOTOR_FEATURES, x, work));
}

/* The class of x, 0 .. 1. */
static inline uint16_t motor_classify(const int16_t *x)
{
    int32_t scores[MOTOR_MACHINES];
    motor_scores(x, scores);
    return scores[0] > 0 ? 1 : 0;
}

static const int16_t motor_test_x[4 * MOTOR_FEATURES] MARGIN_FLASH = {
    1516, 2880, 2441, 3595, 708, 1159, 620, 1126, 1367, 2365, 2033, 902, 2961, 1363, 652, 2202,
};
static const int32_t motor_test_scores[4 * MOTOR_MACHINES] MARGIN_FLASH = {
    5919888, -3166714, 7686966, 3187121,
};

/* 0: all 4 inputs give exactly the scores of the machine that made this file; else the number
 * of the first that does not, from 1. */
static inline int motor_selftest(void)
{
    int16_t x[MOTOR_FEATURES];
    int32_t scores[MOTOR_MACHINES];
    int i, j;
    for (i = 0; i < 4; i++) {
        for (j = 0; j < 4; j++) {
            x[j] = MARGIN_LOAD(int16_t, motor_test_x + i * 4 + j);
        }
        motor_scores(x, scores);
        for (j = 0; j < 1; j++) {
            const int32_t expected = MARGIN_LOAD(int32_t, motor_test_scores + i * 1 + j);
            if (!(scores[j] <= expected && scores[j] >= expected)) {
                return i + 1;
            }
        }
    }
    return 0;
}

/* In C++: the same, for std::array and arrays, whose sizes the compiler checks. */
#if defined(__cplusplus) && __cplusplus >= 201103L
struct Motor {
    static constexpr size_t features = MOTOR_FEATURES, classes = MOTOR_CLASSES, machines = MOTOR_MACHINES;
    template <typename X> static uint16_t classify(const X &x) { return motor_classify(in(x)); }
    template <typename X, template <typename, size_t> class Array, size_t N>
    static void scores(const X &x, Array<int32_t, N> &out) {
        static_assert(N == machines, "Motor gives MOTOR_MACHINES scores");
        motor_scores(in(x), out.data());
    }
    static const char *label(uint16_t c) { return c < classes ? motor_labels[c] : "no class"; }
    static int selftest() { return motor_selftest(); }
private:
    template <size_t N> static const int16_t *in(const int16_t (&x)[N]) {
        static_assert(N == features, "Motor takes MOTOR_FEATURES values");
        return x;
    }
    template <template <typename, size_t> class Array, size_t N>
    static const int16_t *in(const Array<int16_t, N> &x) {
        static_assert(N == features, "Motor takes MOTOR_FEATURES values");
        return x.data();
    }
};
#endif

#endif
