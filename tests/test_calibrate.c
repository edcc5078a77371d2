/* test_calibrate.c -- probabilities of all classes: how they are fitted and what they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena_sweep.h"
#include "asserts.h"
#include "margin.h"
#include "trials.h"

#define REAL(v) ((margin_real)(v))
#define TIGHT (sizeof(margin_real) > 4 ? 1e-6 : 1e-4)

enum { N = 3000, K = 6, MACHINES = K * (K - 1) / 2 };
static margin_real scores[N * MACHINES];
static uint16_t y[N];
static union {
    double align;
    unsigned char bytes[sizeof(margin_real) * (N + MACHINES + K + 64)];
} room;
static margin_rng rng;

static margin_vote vote_of(size_t classes, unsigned scheme) {
    margin_vote vote;
    memset(&vote, 0, sizeof vote);
    vote.classes = (uint16_t)classes;
    vote.scheme = (uint8_t)scheme;
    return vote;
}

static margin_status calibrate(size_t n, margin_real coverage, margin_vote *vote,
                               margin_calibrate_report *report) {
    margin_data data = {NULL, 0, 0, 0, NULL, NULL, NULL};
    margin_arena mem = margin_arena_make(room.bytes, sizeof room.bytes);
    data.n = n;
    data.y = y;
    return margin_calibrate(&data, scores, coverage, &mem, vote, report);
}

/* Scores of one machine whose sigmoid has this slope and shift. */
static void draw_binary(size_t n, double unit, double slope, double shift) {
    for (size_t i = 0; i < n; i++) {
        const double z = (double)margin_rng_normal(&rng);
        scores[i] = REAL(unit * z);
        y[i] = (double)margin_rng_uniform(&rng) < 1 / (1 + exp(-(slope * z + shift)));
    }
    y[0] = 1;
    y[1] = 0;
}

/* Scores of classes whose exponentials have this slope. */
static void draw_rest(size_t n, size_t classes, double slope) {
    for (size_t i = 0; i < n; i++) {
        double sum = 0, at = (double)margin_rng_uniform(&rng);
        for (size_t c = 0; c < classes; c++) {
            scores[i * classes + c] = margin_rng_normal(&rng);
            sum += exp(slope * (double)scores[i * classes + c]);
        }
        for (y[i] = 0; y[i] + 1u < classes; y[i]++) {
            at -= exp(slope * (double)scores[i * classes + y[i]]) / sum;
            if (at < 0) { break; }
        }
    }
}

/* Loss with smoothed targets, straight from the definition. */
static double loss(size_t n, double slope, double shift) {
    double hits = 0, sum = 0;
    for (size_t i = 0; i < n; i++) { hits += y[i]; }
    for (size_t i = 0; i < n; i++) {
        const double target = y[i] ? (hits + 1) / (hits + 2) : 1 / ((double)n - hits + 2);
        const double t = slope * (double)scores[i] + shift;
        sum += target * log1p(exp(-t)) + (1 - target) * log1p(exp(t));
    }
    return sum / (double)n;
}

TEST no_other_sigmoid_near_the_fit_is_better(void) {
    static const double units[3] = {1, 1e-6, 1e6};
    rng = margin_rng_make(1);
    for (unsigned round = 0; round < 30; round++) {
        const size_t n = 20 + margin_rng_below(&rng, 380);
        margin_vote vote = vote_of(2, MARGIN_SCHEME_BINARY);
        draw_binary(n, units[round % 3], 3, -1);
        ASSERT_EQ(MARGIN_OK, calibrate(n, 0, &vote, NULL));
        ASSERT(vote.curve == NULL);
        for (int a = -1; a <= 1; a++) {
            for (int b = -1; b <= 1; b++) {
                const double here = loss(n, (double)vote.slope, (double)vote.shift);
                const double other =
                    loss(n, (double)vote.slope * (1 + 0.02 * a), (double)vote.shift + 0.02 * b);
                ASSERT(here <= other + 1e-6);
            }
        }
    }
    PASS();
}

TEST separated_scores_give_a_finite_sigmoid(void) {
    margin_vote vote = vote_of(2, MARGIN_SCHEME_BINARY);
    for (size_t i = 0; i < 10; i++) {
        y[i] = i >= 5;
        scores[i] = i >= 5 ? 2 : -2;
    }
    ASSERT_EQ(MARGIN_OK, calibrate(10, 0, &vote, NULL));
    /* targets 6/7 and 1/7: by hand the sigmoid passes through both, slope = ln 6 / 2 */
    ASSERT_IN_RANGE(log(6.0) / 2, vote.slope, sizeof(margin_real) > 4 ? 1e-6 : 1e-3);
    ASSERT_IN_RANGE(0, vote.shift, 1e-4);
    PASS();
}

TEST constant_scores_give_the_share_of_hits(void) {
    margin_vote vote = vote_of(2, MARGIN_SCHEME_BINARY);
    for (size_t i = 0; i < 10; i++) {
        y[i] = i < 3;
        scores[i] = 0;
    }
    ASSERT_EQ(MARGIN_OK, calibrate(10, 0, &vote, NULL));
    ASSERT_IN_RANGE((3 * 4.0 / 5 + 7 / 9.0) / 10, 1 / (1 + exp(-(double)vote.shift)), 1e-4);
    PASS();
}

/* The same of so many samples that rounding makes the two directions of a step one: slope and shift can
 * only be told from each other by the ridge. */
TEST equal_scores_of_many_samples_give_the_share_of_hits(void) {
    for (size_t t = 1; t <= 12u; t++) {
        margin_vote vote = vote_of(2, MARGIN_SCHEME_BINARY);
        for (size_t i = 0; i < N; i++) {
            y[i] = i % 3u == 0;
            scores[i] = REAL((double)t / 7);
        }
        ASSERT_EQ(MARGIN_OK, calibrate(N, 0, &vote, NULL));
        const double odds = (double)vote.shift + (double)vote.slope * (double)t / 7;
        ASSERT_IN_RANGE(1 / 3.0, 1 / (1 + exp(-odds)), 2e-3);
    }
    PASS();
}

/* Pairs in two classes are one machine, whose sigmoid has no shift; of three, scores s_b - s_a with
 * the true probabilities of exponentials have those of their pairs. */
TEST slopes_of_known_models_are_found_again(void) {
    margin_calibrate_report report;
    margin_vote vote = vote_of(4, MARGIN_SCHEME_ONE_REST);
    rng = margin_rng_make(2);
    draw_rest(N, 4, 2.5);
    ASSERT_EQ(MARGIN_OK, calibrate(N, 0, &vote, &report));
    ASSERT_IN_RANGE(2.5, (double)vote.slope, 0.2);
    ASSERT(report.log_loss > 0 && report.log_loss < REAL(0.9)); /* log 4 = 1.39 knows nothing */
    ASSERT(report.brier > 0 && report.brier < REAL(0.5));
    for (size_t i = N; i-- > 0;) {
        const margin_real s[4] = {scores[i * 4], scores[i * 4 + 1], scores[i * 4 + 2],
                                  scores[i * 4 + 3]};
        size_t j = 0;
        for (size_t a = 0; a < 4; a++) {
            for (size_t b = a + 1; b < 4; b++) { scores[i * 6 + j++] = s[b] - s[a]; }
        }
    }
    vote = vote_of(4, MARGIN_SCHEME_ONE_ONE);
    ASSERT_EQ(MARGIN_OK, calibrate(N, 0, &vote, NULL));
    ASSERT_IN_RANGE(2.5, (double)vote.slope, 0.3);
    ASSERT_EQ(0, vote.shift);
    PASS();
}

/* A model whose scores tell the classes the wrong way round knows nothing. */
TEST scores_of_no_use_leave_all_classes_equal(void) {
    margin_vote vote = vote_of(3, MARGIN_SCHEME_ONE_REST);
    margin_real p[3];
    rng = margin_rng_make(3);
    draw_rest(300, 3, -1);
    ASSERT_EQ(MARGIN_OK, calibrate(300, 0, &vote, NULL));
    margin_probabilities(&vote, scores, p);
    for (size_t c = 0; c < 3; c++) { ASSERT_IN_RANGE(1 / 3.0, (double)p[c], TIGHT); }
    PASS();
}

/* With a thousand samples a curve takes up what no sigmoid can: here hits of a step. It rises. */
TEST a_curve_mends_a_sigmoid(void) {
    margin_calibrate_report plain, curved;
    margin_vote vote = vote_of(2, MARGIN_SCHEME_BINARY);
    margin_real last = -1, p[2];
    rng = margin_rng_make(4);
    for (size_t i = 0; i < N; i++) {
        const double z = (double)margin_rng_normal(&rng);
        scores[i] = REAL(z);
        y[i] = (double)margin_rng_uniform(&rng) < (z < -0.5 ? 0.3 : z < 1 ? 0.4 : 0.98);
    }
    ASSERT_EQ(MARGIN_OK, calibrate(MARGIN_CURVE_ROWS - 1u, 0, &vote, &plain));
    ASSERT(vote.curve == NULL);
    ASSERT_EQ(MARGIN_OK, calibrate(N, 0, &vote, &curved));
    ASSERT(vote.curve != NULL);
    ASSERT(curved.log_loss < plain.log_loss - REAL(0.005));
    for (int i = -40; i <= 40; i++) {
        margin_real s = REAL(i * 0.1);
        margin_probabilities(&vote, &s, p);
        ASSERT(p[1] >= last - REAL(TIGHT));
        last = p[1];
    }
    PASS();
}

/* Isotonic regression by its formula: at each place the largest, over all beginnings, of the least mean from there on. */
static double isotonic(const double *share, const double *weight, int g) {
    double best = -HUGE_VAL;
    for (int from = 0; from <= g; from++) {
        double least = HUGE_VAL, sum = 0, all = 0;
        for (int to = from; to < (int)MARGIN_CURVE; to++) {
            sum += share[to];
            all += weight[to];
            least = to >= g ? fmin(least, sum / all) : least;
        }
        best = fmax(best, least);
    }
    return best;
}

/* Leaves numbers that are none where the next call has its own. */
static void dirty_stack(void) {
    volatile unsigned char mess[8192];
    for (size_t i = 0; i < sizeof mess; i++) { mess[i] = 0xFF; }
}

/* Hits that go up and down, far beyond the odds at which a curve ends: all corrections are those of the definition. */
TEST a_curve_is_the_isotonic_regression_of_its_shares(void) {
    margin_vote vote = vote_of(2, MARGIN_SCHEME_BINARY);
    double share[MARGIN_CURVE], weight[MARGIN_CURVE];
    rng = margin_rng_make(11);
    for (size_t i = 0; i < N; i++) {
        const double z = 4 * (double)margin_rng_normal(&rng);
        scores[i] = REAL(z);
        y[i] = (double)margin_rng_uniform(&rng) < 1 / (1 + exp(-2.5 * z - 3 * sin(2 * z)));
    }
    dirty_stack();
    ASSERT_EQ(MARGIN_OK, calibrate(N, 0, &vote, NULL));
    for (int g = 0; g < (int)MARGIN_CURVE; g++) {
        weight[g] = MARGIN_CURVE_PRIOR;
        share[g] = weight[g] / (1 + exp2(8 - g));
    }
    for (size_t i = 0; i < N; i++) {
        const double t = (double)vote.slope * (double)scores[i] + (double)vote.shift;
        const double u = fmin(fmax(t / log(2) + 8, 0), 16);
        const int g = u < 16 ? (int)u : 15;
        weight[g] += 1 - (u - g);
        weight[g + 1] += u - g;
        share[g] += y[i] * (1 - (u - g));
        share[g + 1] += y[i] * (u - g);
    }
    for (int g = 0; g < (int)MARGIN_CURVE; g++) {
        const double p = isotonic(share, weight, g);
        ASSERT_IN_RANGE(log(p / (1 - p)) - log(2) * (g - 8), (double)vote.curve[g], 10 * TIGHT);
    }
    PASS();
}

/* The curve by hand: two corrections, a straight line between them, and the ends beyond. */
TEST corrections_are_joined_by_straight_lines(void) {
    static const double at[4] = {-100, -0.25, 0.5, 100};
    static const double expected[4] = {-100 * 0.69314718 + 3, -0.25 * 0.69314718 + 0.5,
                                       0.5 * 0.69314718 + 1, 100 * 0.69314718 - 4};
    margin_real curve[MARGIN_CURVE];
    margin_vote vote = vote_of(2, MARGIN_SCHEME_BINARY);
    memset(curve, 0, sizeof curve);
    curve[0] = 3;
    curve[8] = 0;
    curve[7] = 2;
    curve[9] = 2;
    curve[16] = -4;
    vote.slope = REAL(0.69314718055994531);
    vote.curve = curve;
    for (size_t i = 0; i < 4; i++) {
        margin_real s = REAL(at[i]), p[2];
        margin_probabilities(&vote, &s, p);
        ASSERT_IN_RANGE(1 / (1 + exp(-expected[i])), (double)p[1], TIGHT);
        ASSERT_IN_RANGE(1, (double)(p[0] + p[1]), TIGHT);
    }
    PASS();
}

/* Solves Q p = b e, sum p = 1 (Wu, Lin, Weng 2004, (20)) by elimination, in double. */
static void couple_by_elimination(size_t k, const double *r, double *p) {
    double a[(K + 1) * (K + 2)];
    memset(a, 0, sizeof a);
    for (size_t t = 0; t < k; t++) {
        for (size_t j = 0; j < k; j++) {
            if (j != t) {
                a[t * (k + 2) + t] += r[j * k + t] * r[j * k + t];
                a[t * (k + 2) + j] = -r[j * k + t] * r[t * k + j];
            }
        }
        a[t * (k + 2) + k] = a[k * (k + 2) + t] = 1;
    }
    a[k * (k + 2) + k + 1] = 1;
    for (size_t c = 0; c <= k; c++) {
        size_t pivot = c;
        for (size_t i = c; i <= k; i++) {
            pivot = fabs(a[i * (k + 2) + c]) > fabs(a[pivot * (k + 2) + c]) ? i : pivot;
        }
        for (size_t j = 0; j < k + 2; j++) {
            const double swapped = a[c * (k + 2) + j];
            a[c * (k + 2) + j] = a[pivot * (k + 2) + j];
            a[pivot * (k + 2) + j] = swapped;
        }
        for (size_t i = 0; i <= k; i++) {
            const double f = i == c ? 0 : a[i * (k + 2) + c] / a[c * (k + 2) + c];
            for (size_t j = 0; j < k + 2; j++) { a[i * (k + 2) + j] -= f * a[c * (k + 2) + j]; }
        }
    }
    for (size_t t = 0; t < k; t++) { p[t] = a[t * (k + 2) + k + 1] / a[t * (k + 2) + t]; }
}

TEST coupling_agrees_with_elimination(void) {
    rng = margin_rng_make(5);
    for (int trial = 0; trial < TRIALS(2000); trial++) {
        const size_t k = 2u + margin_rng_below(&rng, K - 1);
        margin_vote vote = vote_of(k, trial % 2 == 0 ? MARGIN_SCHEME_ONE_ONE : MARGIN_SCHEME_VOTES);
        margin_real s[MACHINES], p[K];
        double r[K * K], expected[K], sum = 0;
        size_t j = 0;
        vote.slope = REAL(exp(3 * (double)margin_rng_uniform(&rng) - 1));
        for (size_t a = 0; a < k; a++) {
            for (size_t b = a + 1; b < k; b++, j++) {
                s[j] = margin_rng_normal(&rng);
                r[b * k + a] = 1 / (1 + exp(-(double)vote.slope * (double)s[j]));
                r[a * k + b] = 1 - r[b * k + a];
            }
        }
        couple_by_elimination(k, r, expected);
        margin_probabilities(&vote, s, p);
        for (size_t c = 0; c < k; c++) {
            ASSERT_IN_RANGE(expected[c], (double)p[c], 2e-4);
            sum += (double)p[c];
        }
        ASSERT_IN_RANGE(1, sum, 1e-6);
    }
    PASS();
}

/* Machines that agree with some p are coupled to that p. */
TEST coupling_finds_probabilities_that_all_machines_agree_on(void) {
    static const double true_p[4] = {0.6, 0.3, 0.09, 0.01};
    margin_vote vote = vote_of(4, MARGIN_SCHEME_ONE_ONE);
    margin_real s[6], p[4];
    size_t j = 0;
    vote.slope = 1;
    for (size_t a = 0; a < 4; a++) {
        for (size_t b = a + 1; b < 4; b++) { s[j++] = REAL(log(true_p[b] / true_p[a])); }
    }
    margin_probabilities(&vote, s, p);
    for (size_t c = 0; c < 4; c++) { ASSERT_IN_RANGE(true_p[c], (double)p[c], 1e-5); }
    PASS();
}

TEST probabilities_by_hand(void) {
    margin_vote vote = vote_of(3, MARGIN_SCHEME_ONE_REST);
    margin_real rest[3] = {1, 3, -2}, near[3] = {3, 1, 1}, order[2] = {1, -1}, far[1] = {-1000};
    margin_real p[3];
    vote.slope = 2;
    vote.shift = REAL(0.5);
    margin_probabilities(&vote, rest, p);
    for (size_t c = 0; c < 3; c++) {
        ASSERT_IN_RANGE(exp(2.0 * (double)rest[c]) / (exp(2.0) + exp(6.0) + exp(-4.0)),
                        (double)p[c], 1e-6);
    }
    vote.scheme = MARGIN_SCHEME_NEAREST; /* (1 - 3) / (1 + 3) = -1/2 */
    margin_probabilities(&vote, near, p);
    ASSERT_IN_RANGE(exp(-1.0) / (2 + exp(-1.0)), (double)p[0], 1e-6);
    ASSERT_IN_RANGE((double)p[1], (double)p[2], 1e-7);
    vote.scheme = MARGIN_SCHEME_ORDINAL;
    margin_probabilities(&vote, order, p);
    ASSERT_IN_RANGE(1 - 1 / (1 + exp(-2.5)), (double)p[0], 1e-6);
    ASSERT_IN_RANGE(1 / (1 + exp(1.5)), (double)p[2], 1e-6);
    vote = vote_of(2, MARGIN_SCHEME_BINARY);
    vote.slope = 2;
    margin_probabilities(&vote, far, p);
    ASSERT_EQ(1, p[0]);
    vote.slope = 0; /* not calibrated */
    margin_probabilities(&vote, far, p);
    ASSERT_EQ(REAL(0.5), p[0]);
    vote.slope = 2;
    far[0] = (margin_real)NAN;
    margin_probabilities(&vote, far, p);
    ASSERT_EQ(REAL(0.5), p[1]);
    PASS();
}

/* Of nine samples eight must be in their sets where eight in ten of ten are asked for, all nine where
 * nine in ten are; more takes sets of all classes. */
TEST thresholds_of_sets_are_the_ranks_of_theory(void) {
    static const double coverage[4] = {0.8, 0.9, 0.95, 0.1};
    for (size_t k = 0; k < 4; k++) {
        margin_vote vote = vote_of(2, MARGIN_SCHEME_BINARY);
        size_t reach = 0;
        for (size_t i = 0; i < 9; i++) {
            y[i] = 1;
            scores[i] = REAL(log(0.1 * (double)(i + 1) / (1 - 0.1 * (double)(i + 1))));
        }
        y[3] = 0;
        ASSERT_EQ(MARGIN_OK, calibrate(9, REAL(coverage[k]), &vote, NULL));
        for (size_t i = 0; i < 9; i++) {
            margin_real s = scores[i], p[2];
            margin_probabilities(&vote, &s, p);
            reach += p[y[i]] >= vote.include ? 1u : 0;
        }
        ASSERT_EQ_FMT(coverage[k] > 0.9 ? 9u : (unsigned)(coverage[k] * 10 + 0.01), (unsigned)reach,
                      "%u");
        ASSERT(coverage[k] > 0.9 ? vote.include == 0 : vote.include > 0);
    }
    PASS();
}

/* On samples that were not calibrated on: mean of 100 calibrations within two standard errors. */
TEST sets_cover_as_often_as_asked(void) {
    static const double asked[3] = {0.5, 0.8, 0.9};
    rng = margin_rng_make(7);
    for (size_t k = 0; k < 3; k++) {
        double sum = 0, square = 0;
        const int rounds = 100;
        for (int round = 0; round < rounds; round++) {
            margin_vote vote = vote_of(4, MARGIN_SCHEME_ONE_REST);
            double inside = 0;
            draw_rest(200, 4, 2);
            ASSERT_EQ(MARGIN_OK, calibrate(199, REAL(asked[k]), &vote, NULL));
            draw_rest(1000, 4, 2);
            for (size_t i = 0; i < 1000; i++) {
                margin_real p[4];
                margin_probabilities(&vote, scores + i * 4, p);
                inside += p[y[i]] >= vote.include ? 0.001 : 0;
            }
            sum += inside / rounds;
            square += inside * inside / rounds;
        }
        ASSERT_IN_RANGE(asked[k], sum, 2 * sqrt((square - sum * sum) / rounds) + 1e-9);
    }
    PASS();
}

TEST nonsense_is_refused_and_nothing_written(void) {
    margin_vote vote = vote_of(2, MARGIN_SCHEME_BINARY), before;
    margin_data data = {NULL, 2, 0, 0, y, NULL, NULL}, none = {NULL, 2, 0, 0, NULL, NULL, NULL};
    margin_arena mem = margin_arena_make(room.bytes, sizeof room.bytes);
    margin_calibrate_report report = {7, 8};
    vote.slope = 7;
    before = vote;
    scores[0] = 1;
    scores[1] = 2;
    y[0] = y[1] = 1;
    ASSERT_EQ(MARGIN_E_ONE_CLASS, calibrate(2, 0, &vote, &report));
    y[0] = y[1] = 0;
    ASSERT_EQ(MARGIN_E_ONE_CLASS, calibrate(2, 0, &vote, &report));
    y[0] = 2;
    ASSERT_EQ(MARGIN_E_LABEL, calibrate(2, 0, &vote, &report));
    y[0] = 1;
    ASSERT_EQ(MARGIN_E_EMPTY, calibrate(0, 0, &vote, &report));
    ASSERT_EQ(MARGIN_E_ARGUMENT, calibrate(2, 1, &vote, &report));
    ASSERT_EQ(MARGIN_E_ARGUMENT, calibrate(2, -1, &vote, &report));
    ASSERT_EQ(MARGIN_E_ARGUMENT, calibrate(2, (margin_real)NAN, &vote, &report));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_calibrate(NULL, scores, 0, &mem, &vote, &report));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_calibrate(&none, scores, 0, &mem, &vote, &report));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_calibrate(&data, NULL, 0, &mem, &vote, &report));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_calibrate(&data, scores, 0, NULL, &vote, &report));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_calibrate(&data, scores, 0, &mem, NULL, &report));
    scores[1] = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_NOT_FINITE, calibrate(2, 0, &vote, &report));
    scores[1] = (margin_real)INFINITY;
    ASSERT_EQ(MARGIN_E_NOT_FINITE, calibrate(2, 0, &vote, &report));
    ASSERT_EQ(0u, margin_calibrate_size(0, &vote));
    ASSERT_EQ(0u, margin_calibrate_size(5, NULL));
    ASSERT(memcmp(&vote, &before, sizeof vote) == 0 && report.brier == 7 && report.log_loss == 8);
    PASS();
}

typedef struct {
    size_t n;
    margin_vote vote;
    margin_real slope;
} sweep;

static margin_status run_calibrate(margin_arena *mem, void *problem) {
    sweep *s = (sweep *)problem;
    margin_data data = {NULL, 0, 0, 0, NULL, NULL, NULL};
    margin_vote vote = s->vote;
    margin_status status;
    data.n = s->n;
    data.y = y;
    status = margin_calibrate(&data, scores, 0, mem, &vote, NULL);
    s->slope = status >= 0 ? vote.slope : s->slope;
    return status;
}

TEST memory_is_what_the_query_says(void) {
    static const size_t rows[2] = {30, MARGIN_CURVE_ROWS};
    sweep s;
    rng = margin_rng_make(8);
    for (size_t k = 0; k < 2; k++) {
        s.n = rows[k];
        s.vote = vote_of(2, MARGIN_SCHEME_BINARY);
        s.slope = 0;
        draw_binary(s.n, 1, 2, 0);
        CHECK_CALL(arena_sweep(run_calibrate, &s, margin_calibrate_size(s.n, &s.vote), &s.slope,
                               sizeof s.slope));
    }
    PASS();
}

TEST margins_below_the_threshold_are_rejected(void) {
    static const margin_real close[1] = {REAL(0.4)}, clear[1] = {REAL(-0.6)};
    margin_vote vote = vote_of(2, MARGIN_SCHEME_BINARY);
    vote.reject = REAL(0.5);
    ASSERT_EQ(MARGIN_REJECTED, margin_decide(&vote, close));
    ASSERT_EQ(0, margin_decide(&vote, clear));
    vote.reject = 0;
    ASSERT_EQ(1, margin_decide(&vote, close));
    PASS();
}

SUITE(calibrate_suite) {
    RUN_TEST(no_other_sigmoid_near_the_fit_is_better);
    RUN_TEST(separated_scores_give_a_finite_sigmoid);
    RUN_TEST(constant_scores_give_the_share_of_hits);
    RUN_TEST(equal_scores_of_many_samples_give_the_share_of_hits);
    RUN_TEST(slopes_of_known_models_are_found_again);
    RUN_TEST(scores_of_no_use_leave_all_classes_equal);
    RUN_TEST(a_curve_mends_a_sigmoid);
    RUN_TEST(a_curve_is_the_isotonic_regression_of_its_shares);
    RUN_TEST(corrections_are_joined_by_straight_lines);
    RUN_TEST(coupling_agrees_with_elimination);
    RUN_TEST(coupling_finds_probabilities_that_all_machines_agree_on);
    RUN_TEST(probabilities_by_hand);
    RUN_TEST(thresholds_of_sets_are_the_ranks_of_theory);
    RUN_TEST(sets_cover_as_often_as_asked);
    RUN_TEST(nonsense_is_refused_and_nothing_written);
    RUN_TEST(memory_is_what_the_query_says);
    RUN_TEST(margins_below_the_threshold_are_rejected);
}
