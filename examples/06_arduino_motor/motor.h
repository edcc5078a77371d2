/* motor.h -- rbf kernel, 64 vectors, for margin.h. Written by the generator: do not edit, export it again.
 *
 * trained   kmomd, rbf kernel, gamma 0.5, lambda 0.1, standard scaling; 400 rows
 * errors    training 1 % (positive class 1.408 %, negative class 0.7752 %)
 * inputs    4 raw values (int16_t): vibration, temperature, current, speed
 * classes   0 = healthy, 1 = worn
 * size      800 bytes of tables that the predictor reads, number format q15
 * stack     at most 156 on cortex-m0, 140 on cortex-m4f, 124 on rv32imc, 151 on atmega328p, bytes
 *           of a prediction and all that it calls
 * cycles    at most 6000 on cortex-m0, 2700 on cortex-m4f, 4100 on rv32imc, 56000 on atmega328p,
 *           by measurement; on AVR cycles, else instructions
 * image     sha256 2344f7aafe55ccb2b5fa56c90fd74b22f3925ea4c89b8a01afc75aa5793e0b5f
 * note      scores count units of 1.82541e-08
 * note      compressed from 138 vectors; the errors above are from before
 * note      beside the whole model in f32, on 256 rows: 0 of 256 labels change, scores by at most
 *           0.0173 (0.0032 on average); error 0.7812 %, before 0.7812 %
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

#if !defined(MARGIN_MODEL_FORMAT) || MARGIN_MODEL_FORMAT != 5
#error "motor.h needs model format 5: export it again with the generator of this margin.h"
#endif

#define MOTOR_FEATURES 4
#define MOTOR_CLASSES 2
#define MOTOR_MACHINES 1
#define MOTOR_TABLE_BYTES 800

static const int16_t motor_vectors[256] MARGIN_WORD_ALIGNED MARGIN_FLASH = {
    4351, 6250, 3742, -528, 5565, -5742, -5453, 1775, 2506, 1143, 1755, 522, -5630, 948, 6131,
    -7373, -4615, 1500, -5182, -6137, 971, -4883, -2158, -4900, 4189, -5148, -1584, -7474, -6193,
    2061, -2542, 3509, 145, 4283, 1309, -1919, 5078, -3362, 1796, 4146, 4571, 1950, -3973, -611,
    -3526, 722, 2636, 1604, -5570, -9316, -421, 7024, -5594, 1311, -4227, 1526, -8510, 5860, 8209,
    -1915, -1798, 7710, -1850, -2646, -4763, 3055, 2997, 5512, 287, 2179, 2824, -4350, 9069, 6998,
    6532, 1249, 1587, -877, -8775, 787, -1474, -802, -846, -4453, -5360, 6981, -6235, 6139, 1451,
    -2396, -8109, -1373, 7121, -5439, 7374, 5570, -6290, 6706, -766, 2333, -5958, -974, -1610, 5494,
    6357, 7364, 4480, 2106, -1403, -7243, 4636, -2145, 3034, -3551, -5779, -2048, 663, -9307, 2787,
    3811, -2426, -561, 454, 8377, -7287, 1073, 6034, -1594, 3132, -10853, -6284, -6446, 1094, 1302,
    1137, 8149, -6536, 1329, -8484, -5554, 3018, 1680, 8176, -3093, -2349, 4481, 9383, -6180, -2540,
    374, -335, 6018, 6357, -3213, -3876, -160, -406, 5685, 2455, 3800, 342, -5536, 4764, 1586, 2652,
    7427, 7283, 6740, -4335, 3745, 739, 1945, 7665, 2056, 6183, 91, 6322, -4127, -2589, -6696, 872,
    -7151, -1573, 6835, -3662, -1198, -8575, -3784, -7746, 3570, 8752, 4763, -2490, 2634, 4475,
    -5725, -3075, -1009, 4610, 2745, 4086, -4992, -6445, -1729, 370, -6276, 862, -1092, 213, -1387,
    -3778, -124, 2165, -631, 2011, -3371, -3947, -1874, -3507, -4797, 2921, -2080, -3759, -2616,
    1420, 3828, 3169, -6120, 1592, 6706, -1222, -8199, 4163, 2757, -8478, 3454, 3289, -2265, -9235,
    -4085, 5620, -4264, 10, -656, -3014, 14059, 3736, -2160, -4724, 1780, -1300, 3600, 8086, -6241,
    -3597, 2036,
};

static const uint16_t motor_norms[64] MARGIN_FLASH = {
    8006u, 2153u, 11785u, 15239u, 8252u, 15001u, 8227u, 5792u, 5257u, 2632u, 6109u, 3655u, 27414u,
    14718u, 11681u, 3738u, 19927u, 10205u, 991u, 12759u, 1302u, 10765u, 19258u, 19771u, 21872u,
    3728u, 11094u, 7187u, 3420u, 13181u, 17250u, 7476u, 21007u, 22445u, 1810u, 17592u, 9318u,
    17247u, 4770u, 6934u, 7762u, 3606u, 15280u, 16688u, 8771u, 17016u, 15216u, 18125u, 6684u,
    11881u, 6104u, 3751u, 2571u, 6055u, 2191u, 4442u, 5079u, 16029u, 7746u, 20837u, 9186u, 1841u,
    37973u, 4359u,
};

static const int16_t motor_coef[64] MARGIN_FLASH = {
    -6894, -28070, -22838, -4001, -5189, -2971, -21755, -10353, -1678, -20987, -7756, -32767, -4206,
    -19721, -6763, -4807, -3457, -10916, -1571, -4165, -12611, -5692, -4452, 63, -3375, -9727,
    -6015, -5482, -12198, -1708, -9650, -10282, -1157, -7197, 7026, 13982, 15731, 3536, 7799, 5895,
    22402, 12628, 6831, 5507, 3838, 8320, 14024, 4571, 6887, 15147, 7285, 9761, 12867, 7270, 21552,
    14359, 32412, 5477, 9367, 2562, 12842, 6510, 1297, 11491,
};

static const int32_t motor_bias[1] MARGIN_FLASH = {
    1640166,
};

static const int32_t motor_stage_offset[4] MARGIN_FLASH = {
    -44351991, -33591161, -53519881, -49563008,
};

static const int16_t motor_stage_factor[4] MARGIN_FLASH = {
    25224, 17593, 26512, 20533,
};

static const uint8_t motor_stage_shift[4] MARGIN_FLASH = {
    12u, 11u, 12u, 12u,
};

static const margin_stage_q motor_stage = {motor_stage_offset, motor_stage_factor, motor_stage_shift};

static const margin_expansion_q motor_model = {
    motor_vectors, motor_norms, motor_coef, 0, motor_bias, 0, &motor_stage, 64, 4, 1, MARGIN_Q15,
    {MARGIN_KERNEL_RBF, 0, 12, 0, 33931, 1, 4, 907321493u, 2281017600u, 0}, {2, 1, 0, 0, 0, 0, 0,
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
    7092072, -4081969, 8250227, 4181084,
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
