/* Integer models: the predictors against plain 64-bit arithmetic, the quantiser against the models it
 * is given. The implementation is included: the exponential is internal. */
#define MARGIN_STATIC
#define MARGIN_IMPLEMENTATION
#include "margin.h"
#include "trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena_sweep.h"
#include "asserts.h"

/* ---- helpers ------------------------------------------------------------------------------------ */

static uint64_t seed;

static uint32_t draw(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}

static size_t below(size_t n) {
    return draw() % n;
}

static double uniform(void) {
    return (double)draw() / 2147483648.0 - 1.0;
}

static double normal(void) {
    double sum = 0;
    for (int i = 0; i < 12; i++) { sum += uniform(); }
    return sum / 2;
}

/* An input of one of several kinds: near the data, all over the range, or its very ends. */
static void draw_input(int16_t *x, size_t d, unsigned kind, double spread) {
    static const int16_t ends[] = {INT16_MIN, INT16_MIN + 1, INT16_MAX, 0, -1, 1};
    for (size_t k = 0; k < d; k++) {
        switch (kind % 4u) {
        case 0:
            x[k] = (int16_t)fmax(-32768, fmin(32767, spread * normal()));
            break;
        case 1:
            x[k] = (int16_t)(draw() >> 16);
            break;
        case 2:
            x[k] = ends[below(6)];
            break;
        default:
            x[k] = ends[kind / 4u % 3u];
            break;
        }
    }
}

/* Class blobs in d features of different sizes and places. */
typedef struct {
    margin_real *x, *scaled;
    uint16_t *y;
    size_t n, d, classes;
    margin_data raw, data;
} blobs;

static blobs blobs_make(size_t n, size_t d, size_t classes, bool whole) {
    blobs b;
    double centre[8][64], place[64], size[64];
    b.x = (margin_real *)malloc(n * d * sizeof *b.x);
    b.scaled = (margin_real *)malloc(n * d * sizeof *b.scaled);
    b.y = (uint16_t *)malloc(n * sizeof *b.y);
    b.n = n;
    b.d = d;
    b.classes = classes;
    for (size_t k = 0; k < d; k++) {
        place[k] = whole ? floor(2000 * uniform()) : 100 * uniform();
        size[k] = whole ? 20 * exp(2 * uniform()) : exp(4 * uniform());
        for (size_t c = 0; c < classes; c++) { centre[c][k] = uniform(); }
    }
    for (size_t i = 0; i < n; i++) {
        b.y[i] = (uint16_t)(i % classes);
        for (size_t k = 0; k < d; k++) {
            const double v = place[k] + size[k] * (centre[b.y[i]][k] + 1.2 * normal());
            b.x[i * d + k] = (margin_real)(whole ? floor(v) : v);
        }
    }
    memset(&b.raw, 0, sizeof b.raw);
    b.raw.x = b.x;
    b.raw.n = n;
    b.raw.d = d;
    b.raw.y = b.y;
    b.data = b.raw;
    b.data.x = b.scaled;
    return b;
}

static void blobs_free(blobs *b) {
    free(b->x);
    free(b->scaled);
    free(b->y);
}

static margin_status blobs_train(blobs *b, const margin_kernel *kernel, bool kmomd, unsigned scheme,
                                 margin_arena *mem, margin_model *model) {
    margin_svm_options s;
    margin_kmomd_options k;
    margin_scaling scaling = {NULL, NULL, 0};
    margin_status status = margin_scaling_fit(&b->raw, MARGIN_SCALE_STANDARD, mem, &scaling);
    memset(&s, 0, sizeof s);
    memset(&k, 0, sizeof k);
    s.kernel = k.kernel = *kernel;
    k.lambda = MGN_R(0.8);
    s.scheme = k.scheme = (uint8_t)scheme;
    if (status == MARGIN_OK) { status = margin_scaling_apply(&scaling, &b->raw, b->scaled, 0); }
    if (status == MARGIN_OK) {
        status = kmomd ? margin_kmomd_train(&b->data, &k, mem, model, NULL, NULL)
                       : margin_svm_train(&b->data, &s, mem, model, NULL, NULL);
    }
    return status >= 0 ? margin_model_scale(model, &scaling, mem) : status;
}

static void *memory;
#define MEMORY ((size_t)64 << 20)

static margin_arena fresh(void) {
    if (memory == NULL) { memory = malloc(MEMORY); }
    return margin_arena_make(memory, MEMORY);
}

/* A random pool that passes the check, or is made to by larger shifts. */
typedef struct {
    int16_t v15[16 * 40];
    int8_t v7[16 * 40];
    uint16_t norms[16], class_end[5];
    int16_t coef[16 * 5];
    int32_t bias[10];
    margin_model_q model;
} pool;

static void pool_make_rbf(pool *p, unsigned format, size_t n, size_t d, size_t classes,
                          unsigned scheme) {
    margin_expansion_q *e = &p->model.of.expansion;
    const size_t padded = d + d % 2u;
    const int spread = 1 + (int)below(format == MARGIN_Q15 ? 9000 : 127);
    uint64_t longest = 0;
    memset(p, 0, sizeof *p);
    p->model.kind = MARGIN_MODEL_EXPANSION;
    e->vectors = format == MARGIN_Q15 ? (const void *)p->v15 : (const void *)p->v7;
    e->norms = p->norms;
    e->coef = p->coef;
    e->bias = p->bias;
    e->class_end = p->class_end;
    e->n = (uint16_t)n;
    e->d = (uint16_t)d;
    e->format = (uint8_t)format;
    e->kernel.kind = MARGIN_KERNEL_RBF;
    e->kernel.step = (uint16_t)(format == MARGIN_Q15 ? 1 : 1 + below(20));
    e->kernel.down = (uint8_t)(4 + below(4));
    e->vote.classes = (uint16_t)classes;
    e->vote.scheme = (uint8_t)scheme;
    e->vote.machines = (uint16_t)margin_machines(scheme, classes);
    e->width = (uint16_t)(scheme == MARGIN_SCHEME_ONE_REST ? classes : classes - 1u);
    for (size_t v = 0; v < n; v++) {
        for (size_t k = 0; k < padded; k++) {
            const size_t at15 = v / 4 * 4 * padded + k / 2 * 8 + v % 4 * 2 + k % 2;
            const size_t at7 = v / 4 * 4 * padded + k / 2 * 8 + v % 4 / 2 * 4 + k % 2 * 2 + v % 2;
            const int q = k < d ? (int)below((size_t)(2 * spread + 1)) - spread : 0;
            p->v15[at15] = (int16_t)q;
            p->v7[at7] = (int8_t)(format == MARGIN_Q7 ? q : 0);
        }
    }
    for (size_t v = 0; v < n; v++) {
        uint64_t sum;
        const uint64_t s2 = mgn_q_length2(e, v, &sum) * e->kernel.step * e->kernel.step;
        longest = s2 > longest ? s2 : longest;
    }
    while (longest / 2 >> e->kernel.shift >= 65535) { e->kernel.shift++; }
    for (size_t v = 0; v < n; v++) {
        uint64_t sum;
        const uint64_t s2 = mgn_q_length2(e, v, &sum) * e->kernel.step * e->kernel.step;
        const uint64_t unit = UINT64_C(2) << e->kernel.shift;
        p->norms[v] = (uint16_t)((s2 + unit - 1) / unit);
    }
    for (size_t i = 0; i < n * e->width; i++) { p->coef[i] = (int16_t)((int)below(65535) - 32767); }
    for (size_t j = 0; j < e->vote.machines; j++) { p->bias[j] = (int32_t)draw() / 64; }
    for (size_t c = 0; c < classes; c++) { p->class_end[c] = (uint16_t)((c + 1) * n / classes); }
    e->kernel.gain = (uint16_t)(1 + below(65535));
    e->kernel.up = (uint8_t)below(4);
    e->kernel.cut = (uint32_t)((((uint64_t)(32u - e->kernel.down) << 40) - 1) / e->kernel.gain >>
                               e->kernel.up) +
                    1u;
    if ((((uint64_t)(32u - e->kernel.down) << 40) - 1) / e->kernel.gain >> e->kernel.up >=
        UINT64_C(0xFFFFFFFF)) {
        e->kernel.cut = UINT32_C(0xFFFFFFFF) >> e->kernel.up;
    }
    e->kernel.reach = UINT32_C(0xBFFFFFFF);
    while (!mgn_q_rbf_fits(e) && e->kernel.reach > 0) { e->kernel.reach /= 2; }
}

static double pow2(double u) {
    return exp2(-u);
}

/* Machine of coefficient j of a vector of class c, from a list of all pairs. */
static size_t machine_of(size_t classes, unsigned scheme, size_t c, size_t j) {
    size_t m = 0;
    const size_t other = j < c ? j : j + 1;
    if (scheme == MARGIN_SCHEME_BINARY || scheme == MARGIN_SCHEME_ONE_REST) { return j; }
    for (size_t a = 0; a < classes; a++) {
        for (size_t b = a + 1; b < classes; b++, m++) {
            if ((a == c && b == other) || (a == other && b == c)) { return m; }
        }
    }
    return SIZE_MAX;
}

/* A pool of another kernel: vectors shorter, so that dot products fit for every input. */
static void pool_make(pool *p, unsigned kind, unsigned format, size_t n, size_t d) {
    margin_expansion_q *e = &p->model.of.expansion;
    const size_t padded = d + d % 2u, most = 65535 / d;
    const size_t spread = 1 + below(format == MARGIN_Q7 ? 127 : most < 32767 ? most : 32767);
    double longest = 1;
    pool_make_rbf(p, format, n, d, 2, MARGIN_SCHEME_BINARY);
    for (size_t i = 0; i < n * padded; i++) {
        const bool pad = d % 2u != 0 && i % (4 * padded) >= 4 * (padded - 2) && i % 2u != 0;
        const int q = (int)below(2 * spread + 1) - (int)spread;
        p->v15[i] = (int16_t)(pad ? 0 : q);
        p->v7[i] = (int8_t)(format == MARGIN_Q7 ? q : 0);
    }
    for (size_t v = 0; format == MARGIN_Q7 && v < n; v++) { /* padding of q7 */
        p->v7[mgn_q_place(d, v, padded - 1, MARGIN_Q7)] =
            (int8_t)(d % 2u != 0 ? 0 : mgn_q_element(e, v, padded - 1));
    }
    e->kernel.kind = (uint8_t)kind;
    e->kernel.shift = (uint8_t)(1 + below(6));
    e->kernel.add = (int32_t)below(131073) - 65536;
    e->kernel.power = (uint8_t)(kind == MARGIN_KERNEL_POLY ? 1 + below(5) : below(2));
    if (kind == MARGIN_KERNEL_POLY) { return; }
    for (size_t v = 0; v < n; v++) {
        uint64_t sum;
        longest = fmax(longest, sqrt((double)mgn_q_length2(e, v, &sum)));
    }
    for (e->kernel.shift = 1; exp2(e->kernel.shift) <= longest; e->kernel.shift++) {}
    for (size_t v = 0; v < n; v++) {
        uint64_t sum;
        const double length = sqrt((double)mgn_q_length2(e, v, &sum));
        p->norms[v] = (uint16_t)fmin(65535, floor(exp2(15 + e->kernel.shift) / fmax(length, 0.5)));
    }
    e->kernel.up = (uint8_t)(5 + below(5));
    e->kernel.cut = (uint32_t)((((uint64_t)(32u - e->kernel.down) << 40) - 1) / e->kernel.gain >>
                               e->kernel.up) +
                    1u;
    if (e->kernel.cut > UINT32_MAX >> e->kernel.up) { e->kernel.cut = UINT32_MAX >> e->kernel.up; }
}

/* ---- arithmetic --------------------------------------------------------------------------------- */

TEST the_exponential_errs_by_8e_5_at_most_over_all_arguments(void) {
    double worst = 0;
    for (uint32_t f = 0; f < 1u << 20; f++) {
        /* the middle of the arguments that share the upper 20 bits of the fraction */
        const double exact = pow2(((double)f + 0.5) / 1048576.0);
        const uint32_t got = mgn_q_mantissa_high(f << 4 | 8u) >> 16;
        ASSERT(got >= 16384 && got <= 32767);
        worst = fmax(worst, fabs(got / 32768.0 / exact - 1));
    }
    ASSERT_IN_RANGE(8.05e-5, worst, 0.05e-5);
    PASS();
}

TEST scaling_multiplies_without_loss(void) {
    seed = 1;
    for (int i = 0; i < 100000; i++) {
        const uint32_t a = draw() >> below(32);
        const uint16_t b = (uint16_t)(draw() >> (16 + below(16)));
        ASSERT_EQ((uint32_t)((uint64_t)a * b >> 16), mgn_q_scale(a, b));
    }
    ASSERT_EQ(UINT32_C(0xFFFEFFFF), mgn_q_scale(UINT32_MAX, UINT16_MAX));
    PASS();
}

TEST linear_scores_are_exact_for_every_input(void) {
    int16_t w15[3 * 33], x[33];
    int8_t w7[3 * 33];
    int32_t bias[3], scores[3];
    seed = 2;
    for (unsigned trial = 0; trial < TRIALS(3000); trial++) {
        const size_t d = 1 + below(33);
        const bool q15 = trial % 2 == 0;
        margin_model_q model;
        memset(&model, 0, sizeof model);
        model.kind = MARGIN_MODEL_LINEAR;
        model.of.linear.w = q15 ? (const void *)w15 : (const void *)w7;
        model.of.linear.bias = bias;
        model.of.linear.d = (uint16_t)d;
        model.of.linear.format = q15 ? MARGIN_Q15 : MARGIN_Q7;
        model.of.linear.vote.classes = 3;
        model.of.linear.vote.machines = 3;
        model.of.linear.vote.scheme = MARGIN_SCHEME_ONE_REST;
        for (size_t j = 0; j < 3; j++) {
            int64_t sum = 0;
            for (size_t k = 0; k < d; k++) {
                const int limit = q15 ? (int)(65535 / d > 32767 ? 32767 : 65535 / d) : 127;
                w15[j * d + k] = (int16_t)((int)below((size_t)(2 * limit + 1)) - limit);
                w7[j * d + k] = (int8_t)(q15 ? 0 : w15[j * d + k]);
                sum += labs(w15[j * d + k]);
            }
            bias[j] = (int32_t)(INT64_C(2147483647) - sum * 32768); /* all that is left */
            bias[j] = j == 1 ? -bias[j] : bias[j];
        }
        ASSERT_EQ(MARGIN_OK, margin_model_check_q(&model));
        draw_input(x, d, trial / 2, 9000);
        if (trial % 7 == 0) { /* the worst there is for machine 0 */
            for (size_t k = 0; k < d; k++) { x[k] = w15[k] < 0 ? INT16_MIN : INT16_MAX; }
        }
        margin_scores_q(&model, x, scores);
        for (size_t j = 0; j < 3; j++) {
            int64_t sum = bias[j];
            for (size_t k = 0; k < d; k++) { sum += (int64_t)w15[j * d + k] * x[k]; }
            ASSERT_EQ(sum, scores[j]);
        }
        bias[0] += bias[0] > 0 ? 1 : 0;
        if (bias[0] > 0 && bias[0] < INT32_MAX) {
            ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&model));
        }
    }
    PASS();
}

/* The exact squared distance decides; each vector may be off by the error of the exponential and one
 * unit of rounding. */
TEST rbf_scores_follow_exact_distances_for_every_input(void) {
    static const unsigned schemes[] = {MARGIN_SCHEME_BINARY, MARGIN_SCHEME_ONE_ONE,
                                       MARGIN_SCHEME_ONE_REST, MARGIN_SCHEME_VOTES};
    pool *p = (pool *)malloc(sizeof *p);
    size_t counted = 0;
    seed = 3;
    for (unsigned trial = 0; trial < TRIALS(4000); trial++) {
        const unsigned scheme = schemes[trial % 4];
        const size_t classes = scheme == MARGIN_SCHEME_BINARY ? 2 : 3 + below(3);
        const size_t n = 4 * (1 + below(4)), d = 1 + below(38);
        int32_t scores[10];
        int16_t x[40];
        double expected[10], slack[10];
        const margin_expansion_q *e = &p->model.of.expansion;
        size_t c = 0;
        pool_make_rbf(p, trial / 4 % 2 == 0 ? MARGIN_Q15 : MARGIN_Q7, n, d, classes, scheme);
        draw_input(x, d, trial / 8, sqrt((double)e->kernel.reach / (double)d) / 1.5);
        if (margin_model_check_q(&p->model) != MARGIN_OK) { continue; }
        counted++;
        margin_scores_q(&p->model, x, scores);
        for (size_t j = 0; j < e->vote.machines; j++) {
            expected[j] = p->bias[j];
            slack[j] = 1;
        }
        for (size_t v = 0; v < n; v++) {
            uint64_t distance = 0, length2 = 0, norm = 0;
            double k;
            while (v >= p->class_end[c]) { c++; }
            for (size_t i = 0; i < d; i++) {
                const int64_t q = (int64_t)mgn_q_element(e, v, i) * e->kernel.step;
                distance += (uint64_t)((x[i] - q) * (x[i] - q));
                length2 += (uint64_t)(q * q);
                norm += (uint64_t)((int64_t)x[i] * x[i]);
            }
            distance += ((uint64_t)p->norms[v] << (e->kernel.shift + 1)) - length2;
            k = distance >= e->kernel.cut || norm > e->kernel.reach
                    ? 0
                    : pow2((double)distance * e->kernel.gain * exp2((double)e->kernel.up - 40.0));
            for (size_t j = 0; j < e->width; j++) {
                const size_t m = machine_of(classes, scheme, c, j);
                const double add = p->coef[v * e->width + j] * k * 32768 / exp2(e->kernel.down);
                expected[m] += add;
                slack[m] += 1 + fabs(add) * 9e-5;
            }
        }
        for (size_t j = 0; j < e->vote.machines; j++) {
            ASSERT_IN_RANGE(expected[j], (double)scores[j], slack[j]);
        }
    }
    ASSERT(counted > TRIALS(2000));
    free(p);
    PASS();
}

/* x . v of vector v, which must fit 31 bits. */
static int64_t exact_dot(const margin_expansion_q *e, size_t v, const int16_t *x) {
    int64_t dot = 0;
    for (size_t i = 0; i < e->d; i++) { dot += (int64_t)mgn_q_element(e, v, i) * x[i]; }
    return dot;
}

TEST poly_scores_follow_exact_dot_products_for_every_input(void) {
    pool *p = (pool *)malloc(sizeof *p);
    size_t counted = 0;
    seed = 30;
    for (unsigned trial = 0; trial < TRIALS(4000); trial++) {
        const size_t n = 4 * (1 + below(4)), d = 1 + below(38);
        const margin_expansion_q *e = &p->model.of.expansion;
        int32_t score;
        int16_t x[40];
        double expected, slack = 2;
        pool_make(p, MARGIN_KERNEL_POLY, trial % 2 == 0 ? MARGIN_Q15 : MARGIN_Q7, n, d);
        draw_input(x, d, trial / 2, 3000);
        if (margin_model_check_q(&p->model) != MARGIN_OK) { continue; }
        counted++;
        margin_scores_q(&p->model, x, &score);
        expected = 0;
        for (size_t v = 0; v < n; v++) {
            const int64_t dot = exact_dot(e, v, x);
            const double one = exp2(15.0 + e->kernel.up), limit = exp2(30);
            double base = floor((double)dot * e->kernel.gain / 65536 / exp2(e->kernel.shift));
            ASSERT(dot <= INT32_MAX && dot >= -INT32_MAX);
            base = fmax(1 - one, fmin(one - 1, base + e->kernel.add)) / one;
            base = p->coef[v] * pow(base, e->kernel.power) * 32768 / exp2(e->kernel.down);
            expected = fmax(-limit, fmin(limit, expected + base));
            slack += 1 + fabs(base) * 2 * e->kernel.power * exp2(-14);
        }
        ASSERT_IN_RANGE(expected + p->bias[0], (double)score, slack);
    }
    ASSERT(counted > TRIALS(1000));
    free(p);
    PASS();
}

TEST unit_scores_follow_exact_cosines_for_every_input(void) {
    pool *p = (pool *)malloc(sizeof *p);
    size_t counted = 0;
    seed = 31;
    for (unsigned trial = 0; trial < TRIALS(8000); trial++) {
        const size_t n = 4 * (1 + below(4)), d = 1 + below(38);
        const unsigned kind = trial % 2 == 0 ? MARGIN_KERNEL_UNIT_POLY : MARGIN_KERNEL_UNIT_EXP;
        const margin_expansion_q *e = &p->model.of.expansion;
        int32_t score;
        int16_t x[40];
        double expected, slack = 2, length = 0;
        pool_make(p, kind, trial / 2 % 2 == 0 ? MARGIN_Q15 : MARGIN_Q7, n, d);
        draw_input(x, d, trial / 4, exp(10 * fabs(uniform())));
        if (margin_model_check_q(&p->model) != MARGIN_OK) { continue; }
        counted++;
        margin_scores_q(&p->model, x, &score);
        expected = p->bias[0];
        for (size_t k = 0; k < d; k++) { length += (double)x[k] * x[k]; }
        length = sqrt(length);
        for (size_t v = 0; v < n; v++) {
            const double dot = (double)exact_dot(e, v, x);
            const double c =
                length > 0 ? dot / length * p->norms[v] / exp2(15 + e->kernel.shift) : 0;
            const double t = fmax(0.5 / 65536, fmin(1, (1 + c) / 2));
            const double s = kind == MARGIN_KERNEL_UNIT_POLY ? -32768 * log2(t)
                             : e->kernel.power != 0          ? 65536 * t
                                                             : 65536 * (1 - t);
            const double rate = e->kernel.gain * exp2(e->kernel.up - 40.0);
            const double k = s < e->kernel.cut ? pow2(s * rate) : 0;
            const double add = p->coef[v] * k * 32768 / exp2(e->kernel.down);
            /* t to 4 units: in s a multiple of it, in k the exponential of that */
            const double off = kind == MARGIN_KERNEL_UNIT_POLY ? 4 / t / 65536 * 47274 + 2 : 5;
            expected += add;
            slack += 1 + fabs(add) * (exp2(fmin(20, off * rate)) - 1 + 9e-5);
            slack += fabs((double)p->coef[v]) * 32768 / exp2(e->kernel.down) *
                     (fabs(s - e->kernel.cut) < off + 2 ? pow2((e->kernel.cut - off) * rate) : 0);
        }
        ASSERT_IN_RANGE(expected, (double)score, slack);
    }
    ASSERT(counted > TRIALS(3000));
    free(p);
    PASS();
}

TEST the_logarithm_errs_by_little_over_all_arguments(void) {
    double worst = 0;
    for (uint32_t t = 0; t < 65536; t++) {
        const double exact = -32768 * log2((t + 0.5) / 65536);
        const double got = mgn_q_minus_log2((uint16_t)t);
        /* below one half the argument itself is only known to half a unit */
        worst = fmax(worst, t < 32768 ? 0 : fabs(got - exact));
        ASSERT_IN_RANGE(exact, got, 1.25 + (t < 32768 ? 47274 * 0.51 / (t + 0.5) : 0));
    }
    ASSERT(worst > 1.2);
    PASS();
}

TEST inputs_beyond_reach_leave_the_bias(void) {
    pool *p = (pool *)malloc(sizeof *p);
    int16_t x[30];
    int32_t score;
    seed = 4;
    pool_make_rbf(p, MARGIN_Q15, 8, 30, 2, MARGIN_SCHEME_BINARY);
    ASSERT_EQ(MARGIN_OK, margin_model_check_q(&p->model));
    for (size_t k = 0; k < 30; k++) {
        x[k] = INT16_MIN; /* a squared length of 30 * 2^30, far beyond 32 bits */
    }
    margin_rbf_scores_q15(&p->model.of.expansion, x, &score);
    ASSERT_EQ(p->bias[0], score);
    free(p);
    PASS();
}

/* ---- answers ------------------------------------------------------------------------------------ */

TEST integer_scores_elect_as_real_ones_do(void) {
    seed = 5;
    for (int trial = 0; trial < TRIALS(20000); trial++) {
        const size_t classes = 2 + below(5);
        const unsigned scheme = classes == 2 ? MARGIN_SCHEME_BINARY : 1 + (unsigned)below(3);
        const size_t machines = margin_machines(scheme, classes);
        margin_real real[15];
        int32_t scores[15];
        const size_t label = below(classes);
        margin_vote vote;
        margin_vote_q vote_q;
        memset(&vote, 0, sizeof vote);
        memset(&vote_q, 0, sizeof vote_q);
        vote.classes = vote_q.classes = (uint16_t)classes;
        vote.scheme = vote_q.scheme = (uint8_t)scheme;
        vote_q.machines = (uint16_t)machines;
        for (size_t j = 0; j < machines; j++) {
            scores[j] = (int32_t)below(5) - 2; /* many ties */
            real[j] = (margin_real)scores[j];
        }
        vote.reject = (margin_real)below(3);
        vote_q.reject = (int32_t)vote.reject;
        ASSERT_EQ(margin_elect(scheme, classes, real), margin_elect_q(scheme, classes, scores));
        ASSERT_EQ((int32_t)margin_margin(scheme, classes, real, label),
                  margin_margin_q(scheme, classes, scores, label));
        ASSERT_EQ(margin_decide(&vote, real), margin_decide_q(&vote_q, scores));
    }
    PASS();
}

TEST margins_of_extreme_scores_are_limited_not_wrapped(void) {
    const int32_t scores[3] = {INT32_MAX, -INT32_MAX, INT32_MAX};
    ASSERT_EQ(-INT32_MAX, margin_margin_q(MARGIN_SCHEME_ONE_REST, 3, scores, 1));
    ASSERT_EQ(0, margin_margin_q(MARGIN_SCHEME_ONE_REST, 3, scores, 0));
    ASSERT_EQ(0, margin_elect_q(MARGIN_SCHEME_ONE_REST, 3, scores));
    PASS();
}

TEST probabilities_follow_the_sigmoid(void) {
    seed = 6;
    for (int trial = 0; trial < TRIALS(3000); trial++) {
        static const unsigned schemes[4] = {MARGIN_SCHEME_ONE_ONE, MARGIN_SCHEME_ONE_REST,
                                            MARGIN_SCHEME_VOTES, MARGIN_SCHEME_ORDINAL};
        const size_t classes = 2 + below(5);
        margin_vote vote;
        margin_vote_q q;
        margin_real scores[15], p[6], curve[MARGIN_CURVE];
        int32_t scores_q[15];
        int16_t curve_q[MARGIN_CURVE];
        uint16_t got[6];
        int total = 0;
        memset(&vote, 0, sizeof vote);
        vote.classes = (uint16_t)classes;
        vote.scheme = (uint8_t)(classes == 2 ? MARGIN_SCHEME_BINARY : schemes[below(4)]);
        vote.slope = (margin_real)exp(3 * uniform());
        vote.shift = (margin_real)(2 * uniform());
        for (size_t i = 0; i < MARGIN_CURVE; i++) { curve[i] = (margin_real)uniform(); }
        vote.curve = classes == 2 && trial % 2 == 0 ? curve : NULL;
        const size_t machines = margin_machines(vote.scheme, classes);
        const margin_real unit = (margin_real)exp(-14 + 4 * uniform());
        const double far = classes == 2 && trial % 7 == 0 ? 1000 : 3; /* beyond all odds */
        q = mgn_q_vote(&vote, machines, unit, curve_q);
        for (size_t j = 0; j < machines; j++) {
            scores_q[j] = (int32_t)fmax(fmin(far * normal() / (double)unit, 2e9), -2e9);
            scores[j] = (margin_real)scores_q[j] * unit;
        }
        margin_probabilities(&vote, scores, p);
        margin_probabilities_q(&q, scores_q, got);
        for (size_t c = 0; c < classes; c++) {
            ASSERT_IN_RANGE((double)p[c], got[c] / 32768.0, 5e-4);
            total += got[c];
        }
        ASSERT_EQ(32768, total);
    }
    PASS();
}

/* With a curve, odds beyond 2^30 are cut there, on both sides. */
TEST odds_beyond_all_bounds_are_sure(void) {
    static const int16_t curve[MARGIN_CURVE] = {0};
    margin_vote_q vote = {2, 1, 0, INT32_C(1) << 29, 32767, 0, 0, MARGIN_SCHEME_BINARY, curve};
    int32_t score = INT32_MAX;
    uint16_t p[2];
    margin_probabilities_q(&vote, &score, p);
    ASSERT_EQ_FMT(32768u, (unsigned)p[1], "%u");
    vote.shift = -vote.shift;
    score = INT32_MIN;
    margin_probabilities_q(&vote, &score, p);
    ASSERT_EQ_FMT(32768u, (unsigned)p[0], "%u");
    PASS();
}

TEST without_calibration_all_classes_are_equally_probable(void) {
    const margin_vote_q vote = {4, 4, 0, 0, 0, 0, 0, MARGIN_SCHEME_ONE_REST, NULL};
    int32_t scores[4] = {5, 6, 7, 8};
    uint16_t p[4];
    margin_probabilities_q(&vote, scores, p);
    ASSERT_EQ(8192, p[3]);
    PASS();
}

/* ---- input -------------------------------------------------------------------------------------- */

TEST inputs_are_rounded_and_limited(void) {
    static const margin_real offset[] = {0, 1, 0, 0, 0, 0, 0}, factor[] = {1, 2, 1, 1, 1, 1, 1};
    const margin_real big = MGN_HUGE;
    margin_real x[] = {MGN_R(-0.5), MGN_R(3.2), 32768, MGN_R(-32768.4), 0, big, 0};
    const int16_t expected[] = {-1, 4, 32767, -32768, 0, 32767, -32768};
    const margin_scaling scaling = {offset, factor, 7}, none = {NULL, NULL, 7};
    int16_t out[7];
    x[4] = (margin_real)NAN;
    x[6] = -big;
    margin_input_q(&scaling, x, out);
    ASSERT_MEM_EQ(expected, out, sizeof out);
    margin_input_q(&none, x, out);
    ASSERT_EQ(3, out[1]);
    PASS();
}

TEST the_input_stage_limits_and_never_wraps(void) {
    seed = 7;
    for (int trial = 0; trial < TRIALS(20000); trial++) {
        const int32_t offset = (int32_t)(draw() % 2147483647u) - 1073741823;
        const int16_t factor = (int16_t)below(32768);
        const uint8_t shift = (uint8_t)below(31);
        const margin_stage_q stage = {&offset, &factor, &shift};
        int16_t x, work;
        double exact;
        draw_input(&x, 1, (unsigned)trial, 5000);
        exact = floor(((double)x * factor + offset) / exp2(shift));
        exact = exact > 32767 ? 32767 : exact < -32768 ? -32768 : exact;
        ASSERT_EQ(&work, margin_prepare_q(&stage, 1, &x, &work));
        ASSERT_EQ((int16_t)exact, work);
        ASSERT_EQ(&x, margin_prepare_q(NULL, 1, &x, NULL));
    }
    PASS();
}

/* ---- the quantiser ------------------------------------------------------------------------------ */

/* Trains, quantises, and counts labels that differ on fresh data of the same kind. */
TEST quantised_models_agree_with_their_origin(unsigned variant) {
    static const unsigned kinds[] = {MARGIN_KERNEL_LINEAR, MARGIN_KERNEL_RBF, MARGIN_KERNEL_POLY,
                                     MARGIN_KERNEL_UNIT_POLY, MARGIN_KERNEL_UNIT_EXP};
    const bool whole = variant % 2 != 0, kmomd = variant / 2 % 2 != 0;
    const size_t classes = variant / 4 % 3 == 0 ? 2 : 4;
    const bool rest = variant / 4 % 3 == 2;
    const unsigned kind = kinds[variant / 12];
    margin_arena mem = fresh();
    blobs b;
    margin_kernel kernel;
    margin_model model;
    seed = 100 + kind;
    b = blobs_make(300, 11, classes, whole);
    memset(&kernel, 0, sizeof kernel);
    kernel.kind = (uint8_t)kind;
    kernel.coef0 = 1;
    ASSERT(blobs_train(&b, &kernel, kmomd, rest ? MARGIN_SCHEME_ONE_REST : 0, &mem, &model) >= 0);
    for (unsigned i = 0; i < 2; i++) {
        const margin_quant_options options = {i == 0 ? MARGIN_Q15 : MARGIN_Q7, whole};
        margin_quant quant;
        margin_quant_info info;
        size_t differ = 0;
        ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &b.raw, &options, &mem, &quant, &info));
        ASSERT_EQ(MARGIN_OK, margin_model_check_q(&quant.model));
        ASSERT(info.worst > 0 && info.mean <= info.worst);
        ASSERT(info.mean < info.scale * (i == 0 ? MGN_R(0.002) : MGN_R(0.1)));
        for (size_t s = 0; s < b.n; s++) {
            margin_real x[11], scores[10];
            int16_t in[11], work[11];
            int32_t scores_q[10];
            for (size_t k = 0; k < 11; k++) { /* between two samples of a class */
                const margin_real *other = b.x + (s + classes) % b.n * 11;
                x[k] = (b.x[s * 11 + k] + other[k]) / 2;
                x[k] = whole ? (margin_real)floor((double)x[k]) : x[k];
            }
            margin_input_q(&quant.input, x, in);
            differ += margin_classify(&model, x, scores) !=
                      margin_classify_q(&quant.model, in, work, scores_q);
        }
        ASSERT(differ * (i == 0 ? 200 : 33) <= b.n);
    }
    blobs_free(&b);
    PASS();
}

/* Whole numbers that all have the same scale go in as they are; those of different scales go through a stage. */
TEST whole_numbers_of_one_scale_need_no_stage(void) {
    static const uint8_t kinds[] = {MARGIN_KERNEL_RBF, MARGIN_KERNEL_UNIT_POLY,
                                    MARGIN_KERNEL_UNIT_EXP}; /* of the base 1: as good as linear */
    margin_real x[40 * 3], factors[3] = {1, 1, 1}, offsets[3] = {0, 0, 0};
    uint16_t y[40];
    seed = 12;
    for (size_t i = 0; i < 40u; i++) {
        y[i] = (uint16_t)(i % 2u);
        for (size_t k = 0; k < 3u; k++) {
            x[i * 3u + k] = (margin_real)((int)below(200) - 100 + (y[i] == 1 ? 60 : 0));
        }
    }
    const margin_data data = {x, 40, 3, 0, y, NULL, NULL};
    for (unsigned t = 0; t < 12u; t++) {
        const bool scaled = t >= 6u;
        const margin_quant_options options = {t % 2u == 0 ? MARGIN_Q15 : MARGIN_Q7, true};
        const margin_scaling scaling = {offsets, factors, 3};
        margin_mam_options o;
        margin_arena mem = fresh();
        margin_model model;
        margin_quant quant;
        margin_quant_info info;
        memset(&o, 0, sizeof o);
        o.kernel.kind = kinds[t / 2u % 3u];
        o.kernel.gamma = (margin_real)2e-5;
        o.kernel.a = 1;
        o.kernel.degree = 2;
        factors[2] = scaled ? MGN_R(1.5) : 1;
        ASSERT(margin_mam_train(&data, &o, &mem, &model, NULL) >= 0);
        ASSERT_EQ(MARGIN_OK, margin_model_scale(&model, &scaling, &mem));
        ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &options, &mem, &quant, &info));
        ASSERT(info.mean < info.scale * (options.format == MARGIN_Q15 ? MGN_R(0.002) : MGN_R(0.1)));
        ASSERT_EQ(scaled, quant.model.of.expansion.stage != NULL);
        if (o.kernel.kind == MARGIN_KERNEL_RBF) { /* vectors of about one size share their step */
            ASSERT(quant.model.of.expansion.kernel.step > 0);
            ASSERT_EQ(NULL, quant.model.of.expansion.steps);
        }
    }
    PASS();
}

typedef struct {
    margin_model model;
    margin_data raw;
    margin_quant_options options;
    struct {
        margin_quant quant;
        margin_quant_info info;
    } out;
} quantise_problem;

static margin_status run_quantise(margin_arena *mem, void *problem) {
    quantise_problem *p = (quantise_problem *)problem;
    return margin_quantize(&p->model, &p->raw, &p->options, mem, &p->out.quant, &p->out.info);
}

TEST the_size_query_of_the_quantiser_is_exact(unsigned kind, bool whole) {
    margin_arena mem = fresh();
    blobs b;
    margin_kernel kernel;
    quantise_problem p;
    seed = 8;
    b = blobs_make(30, 3, 3, whole);
    memset(&p, 0, sizeof p);
    memset(&kernel, 0, sizeof kernel);
    kernel.kind = (uint8_t)kind;
    ASSERT(blobs_train(&b, &kernel, false, 0, &mem, &p.model) >= 0);
    p.raw = b.raw;
    p.options.whole = whole;
    CHECK_CALL(arena_sweep(run_quantise, &p, margin_quantize_size(&p.model, &p.options), &p.out,
                           sizeof p.out));
    blobs_free(&b);
    PASS();
}

TEST the_quantiser_refuses_what_it_cannot_do(void) {
    margin_arena mem = fresh();
    blobs b;
    margin_kernel kernel;
    margin_model model;
    margin_quant_options options = {0, true};
    margin_quant quant;
    margin_data other;
    seed = 9;
    b = blobs_make(30, 3, 2, false);
    memset(&kernel, 0, sizeof kernel);
    ASSERT(blobs_train(&b, &kernel, false, 0, &mem, &model) >= 0);
    ASSERT_EQ(MARGIN_E_RANGE, margin_quantize(&model, &b.raw, &options, &mem, &quant, NULL));
    options.whole = false;
    ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &b.raw, &options, &mem, &quant, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_quantize(NULL, &b.raw, &options, &mem, &quant, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_quantize(&model, NULL, &options, &mem, &quant, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_quantize(&model, &b.raw, &options, NULL, &quant, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_quantize(&model, &b.raw, &options, &mem, NULL, NULL));
    other = b.raw;
    other.d = 2;
    other.stride = 3;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_quantize(&model, &other, &options, &mem, &quant, NULL));
    options.format = 8;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_quantize(&model, &b.raw, &options, &mem, &quant, NULL));
    ASSERT_EQ(0, margin_quantize_size(&model, &options));
    blobs_free(&b);
    PASS();
}

/* Squares overflow at 3e19 in float and at 1e200 in double; smaller than 1e-30 they vanish. */
TEST prototypes_of_any_size_are_quantised_or_refused(void) {
    static const double sizes[] = {1e-44, 1e-30, 1, 1e15, 3e19, 1e30, 3e38, 1e200, 1e308};
    static const uint32_t ends[2] = {1, 2};
    for (size_t i = 0; i < 2u * sizeof sizes / sizeof sizes[0]; i++) {
        const margin_real a = (margin_real)fmin(sizes[i / 2u], sizeof a > 4 ? 1e308 : 3e38);
        const margin_real vectors[4] = {a, 0, 0, a / 3}, x[4] = {a, a / 7, -a, a / 5};
        const margin_data data = {x, 2, 2, 0, NULL, NULL, NULL};
        const margin_quant_options options = {i % 2u != 0 ? MARGIN_Q7 : MARGIN_Q15, false};
        unsigned char bytes[2048];
        margin_arena mem = margin_arena_make(bytes, sizeof bytes);
        margin_model model;
        margin_quant quant;
        margin_status status;
        memset(&model, 0, sizeof model);
        model.kind = MARGIN_MODEL_PROTO;
        model.of.proto.vectors = vectors;
        model.of.proto.class_end = ends;
        model.of.proto.n = model.of.proto.d = 2;
        model.of.proto.nth = 1;
        model.of.proto.vote.classes = 2;
        model.of.proto.vote.scheme = MARGIN_SCHEME_NEAREST;
        ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
        status = margin_quantize(&model, &data, &options, &mem, &quant, NULL);
        ASSERT_EQ_FMT((int)(a * a <= (sizeof a > 4 ? (margin_real)1e300 : (margin_real)FLT_MAX)
                                ? MARGIN_OK
                                : MARGIN_E_RANGE),
                      (int)status, "%d");
        ASSERT(status != MARGIN_OK || margin_model_check_q(&quant.model) == MARGIN_OK);
    }
    PASS();
}

/* What comes with an integer model where there is floating point is finite, or there is no model. */
TEST a_unit_or_input_that_overflows_is_refused(void) {
    static const margin_real w[] = {1, 2}, bias[] = {0};
    static double room[512];
    const margin_real huge = sizeof(margin_real) > 4 ? (margin_real)1e308 : (margin_real)3e38;
    const margin_real x[] = {-huge, 1, huge, -1, 0, 2};
    const margin_data data = {x, 3, 2, 0, NULL, NULL, NULL};
    const margin_real factor[] = {huge, huge}, offset[] = {huge, 1};
    const margin_scaling scaling = {offset, factor, 2};
    margin_arena mem = margin_arena_make(room, sizeof room);
    margin_model model;
    margin_quant quant;
    margin_status status;
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_LINEAR;
    model.of.linear.w = w;
    model.of.linear.bias = bias;
    model.of.linear.d = 2;
    model.of.linear.vote.classes = 2;
    status = margin_quantize(&model, &data, NULL, &mem, &quant, NULL);
    ASSERT(status == MARGIN_E_RANGE || isfinite((double)quant.unit));
    ASSERT_EQ_FMT(MARGIN_E_RANGE, margin_model_scale(&model, &scaling, &mem), "%d");
    ASSERT(model.of.linear.w == w);
    PASS();
}

/* Rows of 20 features, most values small and a few forty times as large. */
static blobs heavy_tails(void) {
    blobs b = blobs_make(200, 20, 2, false);
    for (size_t i = 0; i < b.n * b.d; i++) {
        b.x[i] = (margin_real)((b.y[i / b.d] == i % 2u ? 1.0 : 0.0) + 0.5 * normal());
        b.x[i] *= i % 37u == 0 ? 40 : 1;
    }
    return b;
}

TEST outliers_do_not_dictate_the_grid_of_other_vectors(void) {
    const margin_kernel kernel = {MARGIN_KERNEL_RBF, 0, (margin_real)0.1, 0, 0};
    const margin_quant_options how = {MARGIN_Q7, false};
    static uint32_t image[1 << 14];
    blobs b;
    margin_arena mem = fresh();
    margin_model model;
    margin_quant quant, copy;
    margin_quant_info info;
    margin_expansion_q *e = &quant.model.of.expansion;
    uint16_t steps[256] = {0};
    seed = 11;
    b = heavy_tails();
    ASSERT(blobs_train(&b, &kernel, false, MARGIN_SCHEME_ONE_ONE, &mem, &model) >= 0);
    ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &b.raw, &how, &mem, &quant, &info));
    ASSERT(e->steps != NULL && e->kernel.step == 0);
    ASSERT(info.mean < info.scale / 50);
    ASSERT_EQ(MARGIN_OK, margin_image_write_q(&quant, NULL, 0, image, sizeof image));
    ASSERT_EQ(MARGIN_OK, margin_image_load_q(image, sizeof image, &mem, &copy));
    ASSERT_MEM_EQ(e->steps, copy.model.of.expansion.steps, e->n * sizeof *steps);
    ASSERT(e->n <= 256u);
    e->steps = steps; /* zeros */
    ASSERT_EQ(MARGIN_E_RANGE, margin_model_check_q(&quant.model));
    e->steps = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_check_q(&quant.model));
    blobs_free(&b);
    PASS();
}

/* One machine of three has scores a thousandth of the others': its weights keep their bits. */
TEST machines_with_small_scores_keep_their_bits(unsigned format) {
    static uint32_t image[1 << 10];
    margin_quant_options how = {0, false};
    margin_real w[3 * 8], bias[3] = {1, -1, (margin_real)0.0005};
    margin_arena mem = fresh();
    margin_model model;
    margin_quant quant, copy;
    double worst = 0, size = 0;
    blobs b;
    seed = 12;
    b = blobs_make(100, 8, 3, false);
    how.format = (uint8_t)format;
    for (size_t i = 0; i < 24u; i++) { w[i] = (margin_real)(normal() * (i >= 16u ? 0.001 : 1.0)); }
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_LINEAR;
    model.of.linear.w = w;
    model.of.linear.bias = bias;
    model.of.linear.d = 8;
    model.of.linear.vote.classes = 3;
    model.of.linear.vote.scheme = MARGIN_SCHEME_ONE_REST;
    ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &b.raw, &how, &mem, &quant, NULL));
    ASSERT(quant.model.of.linear.scales != NULL);
    ASSERT_EQ(MARGIN_OK, margin_image_write_q(&quant, NULL, 0, image, sizeof image));
    ASSERT_EQ(MARGIN_OK, margin_image_load_q(image, sizeof image, &mem, &copy));
    for (size_t i = 0; i < b.n; i++) {
        margin_real scores[3];
        int16_t in[8];
        int32_t found[3];
        margin_input_q(&copy.input, b.x + i * 8u, in);
        margin_scores_q(&copy.model, in, found);
        margin_scores(&model, b.x + i * 8u, scores);
        worst = fmax(worst, fabs((double)scores[2] - (double)(copy.unit * (margin_real)found[2])));
        size = fmax(size, fabs((double)scores[2]));
    }
    ASSERT(worst < size / (format == MARGIN_Q15 ? 2000 : 50));
    blobs_free(&b);
    PASS();
}

SUITE(quant_suite) {
    static unsigned i; /* a test may end by longjmp */
    RUN_TEST(outliers_do_not_dictate_the_grid_of_other_vectors);
    RUN_TESTp(machines_with_small_scores_keep_their_bits, MARGIN_Q15);
    RUN_TESTp(machines_with_small_scores_keep_their_bits, MARGIN_Q7);
    RUN_TEST(a_unit_or_input_that_overflows_is_refused);
    RUN_TEST(the_exponential_errs_by_8e_5_at_most_over_all_arguments);
    RUN_TEST(scaling_multiplies_without_loss);
    RUN_TEST(linear_scores_are_exact_for_every_input);
    RUN_TEST(rbf_scores_follow_exact_distances_for_every_input);
    RUN_TEST(poly_scores_follow_exact_dot_products_for_every_input);
    RUN_TEST(unit_scores_follow_exact_cosines_for_every_input);
    RUN_TEST(the_logarithm_errs_by_little_over_all_arguments);
    RUN_TEST(inputs_beyond_reach_leave_the_bias);
    RUN_TEST(integer_scores_elect_as_real_ones_do);
    RUN_TEST(margins_of_extreme_scores_are_limited_not_wrapped);
    RUN_TEST(probabilities_follow_the_sigmoid);
    RUN_TEST(odds_beyond_all_bounds_are_sure);
    RUN_TEST(without_calibration_all_classes_are_equally_probable);
    RUN_TEST(inputs_are_rounded_and_limited);
    RUN_TEST(the_input_stage_limits_and_never_wraps);
    for (i = 0; i < 60; i++) { RUN_TESTp(quantised_models_agree_with_their_origin, i); }
    for (i = 0; i < 4; i++) {
        RUN_TESTp(the_size_query_of_the_quantiser_is_exact,
                  (i & 1u) != 0 ? MARGIN_KERNEL_RBF : MARGIN_KERNEL_LINEAR, (i & 2u) != 0);
    }
    RUN_TEST(whole_numbers_of_one_scale_need_no_stage);
    RUN_TEST(the_quantiser_refuses_what_it_cannot_do);
    RUN_TEST(prototypes_of_any_size_are_quantised_or_refused);
    free(memory);
    memory = NULL;
}
