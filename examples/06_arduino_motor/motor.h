/* motor.h -- rbf kernel, 60 vectors, for margin.h. Written by the generator: do not edit, export it again.
 *
 * trained   kmomd, rbf kernel, gamma 0.5, lambda 0.1, standard scaling; 400 rows
 * errors    training 1 % (positive class 1.408 %, negative class 0.7752 %)
 * inputs    4 raw values (int16_t): vibration, temperature, current, speed
 * classes   0 = healthy, 1 = worn
 * size      756 bytes of tables that the predictor reads, number format q15
 * image     sha256 76de3464ed86b5d8278a8666bfbbf3307dfa07b666640a64832c904c1b5b736d
 * note      scores count units of 1.33599e-08
 * note      compressed from 138 vectors; the errors above are from before
 * note      beside the whole model in f32, on 256 rows: 0 of 256 labels change, scores by at most
 *           0.0265 (0.0036 on average); error 0.7812 %, before 0.7812 %
 *
 * USE       motor_classify(x) is the class of x, motor_labels[] has the names of the classes.
 *           motor_selftest() is 0 when this machine computes the same bits as the one that wrote
 *           this file.
 */

#ifndef MOTOR_H
#define MOTOR_H

#ifndef MARGIN_H
#include "margin.h"
#endif

#if !defined(MARGIN_MODEL_FORMAT) || MARGIN_MODEL_FORMAT != 2
#error "motor.h needs model format 2: export it again with the generator of this margin.h"
#endif

#define MOTOR_FEATURES 4
#define MOTOR_CLASSES 2
#define MOTOR_MACHINES 1
#define MOTOR_TABLE_BYTES 756

static const int16_t motor_vectors[240] MARGIN_WORD_ALIGNED MARGIN_FLASH = {
    4300, 5711, 4599, -4165, 3682, -1154, -5631, 1178, 1688, 731, -2855, 142, 927, 101, 5359, -7896,
    3926, -9029, -4782, 899, -5356, -6836, 875, -5566, -3236, -909, 3392, -5641, -2456, -7997,
    -7123, 1660, 1923, -4922, 40, 3718, 1218, -2564, 5036, -4026, -8179, 975, 3779, 1548, -4875,
    -1046, -4422, 304, -5749, -10056, 2497, 142, -534, 6494, -5774, 708, -9471, 5509, 5825, -1148,
    7464, -2366, -2672, 7382, -4389, 925, -4932, 2474, 2928, 4963, 183, 1587, -2724, -3108, 8336,
    6661, 5766, 838, 757, -1315, 121, -2103, 4013, -5818, -5537, 6451, -4027, -5218, -2652, -2920,
    -3977, 558, 6362, -5936, -1492, 4524, -6423, 5598, -6479, 6172, -884, 1743, -141, 5241, 6618,
    5214, 5589, 7032, 3687, 1706, 5300, -1935, 2965, -4217, -5961, -2695, 563, -10047, -6473, -7150,
    -3308, -995, -390, 8058, -8231, 660, -9444, -6053, -1582, -8176, 1000, 699, 8648, -824, 1044,
    7634, -8389, 1828, 2206, 1274, -548, -132, 7431, -3559, -2487, 3919, 121, 3014, -2680, -241,
    -447, 5476, 5589, -3681, 3661, 2813, -1262, 5331, 1635, 3422, 239, -6227, 4718, 986, 2578, 6903,
    7269, 6207, -5242, 3366, -102, 1543, 6913, 1655, 5412, -335, 6296, -4800, 776, -7863, -1701,
    6303, -2630, 2048, -4560, -1640, -8697, 3188, 8014, 4397, 3288, -5484, -1345, 186, 4562, 2161,
    7363, 7121, 108, -2025, -2305, -3915, 23, -1534, 4140, 690, -4849, -2326, 2085, -1259, 1930,
    -4035, -2237, 7582, 1505, 6172, 2107, -2534, -4658, -3077, 3897, 3549, 2481, -2722, -1345,
    -8925, -98, -1285, -3160, 13621, 3676, -2808, -10205, -4565, -2167, 3219, 7339, -6748, -4494,
    1635,
};

static const uint16_t motor_norms[60] MARGIN_FLASH = {
    6652u, 5697u, 1924u, 15157u, 13213u, 8179u, 17750u, 10406u, 11691u, 3724u, 4019u, 7473u, 31034u,
    5067u, 12667u, 11655u, 4541u, 17616u, 8198u, 593u, 2442u, 8067u, 18065u, 8074u, 17527u, 19624u,
    2481u, 7242u, 4701u, 13169u, 20685u, 26716u, 17465u, 974u, 9252u, 15534u, 8097u, 3713u, 4548u,
    5441u, 9478u, 3128u, 12797u, 14743u, 10518u, 18095u, 15403u, 6348u, 2745u, 3398u, 14959u, 4033u,
    2050u, 6247u, 11020u, 6583u, 25201u, 2041u, 36001u, 5404u,
};

static const int16_t motor_coef[60] MARGIN_FLASH = {
    -10135, -13443, -13270, -1722, -2749, -6296, -2321, -13350, -5590, 6381, -32767, -23978, -3242,
    -2270, -10605, -4896, -5033, -2133, -4981, -14374, -14945, 7695, -3922, -3212, -542, -2341,
    -10523, -16477, 2582, -478, -8799, -3817, -41, 6222, 2225, 10689, 14782, 9531, 6506, -46, 7493,
    4435, 4587, -1765, 12753, 14526, 3015, 4896, 12203, 5124, 5652, 21141, 13296, 17000, 1438, 7472,
    5908, 1284, 835, 29993,
};

static const int32_t motor_bias[1] MARGIN_FLASH = {
    2245704,
};

static const uint16_t motor_class_end[2] MARGIN_FLASH = {
    34u, 60u,
};

static const int32_t motor_stage_offset[4] MARGIN_FLASH = {
    -45366235, -35294457, -57695114, -51949549,
};

static const int16_t motor_stage_factor[4] MARGIN_FLASH = {
    25550, 17820, 26854, 20797,
};

static const uint8_t motor_stage_shift[4] MARGIN_FLASH = {
    12u, 11u, 12u, 12u,
};

static const margin_stage_q motor_stage = {motor_stage_offset, motor_stage_factor, motor_stage_shift};

static const margin_expansion_q motor_model = {
    motor_vectors, motor_norms, motor_coef, 0, motor_bias, motor_class_end, &motor_stage, 60, 4,
    1, MARGIN_Q15, {MARGIN_KERNEL_RBF, 0, 12, 0, 33073, 1, 3, 964104775u, 2325650625u, 0}, {2, 1,
    0, 0, 0, 0, MARGIN_SCHEME_BINARY}
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
    9498474, -5295568, 12083914, 5041074,
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

#endif
