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
    while (!mgn_q_kernel_fits(e) && e->kernel.reach > 0) { e->kernel.reach /= 2; }
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
        p->v7[mgn_q_place(d, v, padded - 1, MARGIN_Q7, SIZE_MAX)] =
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

/* One machine of three has scores a thousandth of the others': its weights keep their bits. Or it
 * always answers alike, with weights next to nothing: then the others keep theirs. */
TEST machines_with_small_scores_keep_their_bits(unsigned format, bool alike) {
    static uint32_t image[1 << 10];
    margin_quant_options how = {0, false};
    const double small = alike ? 1e-5 : 0.001;
    const size_t machine = alike ? 0 : 2;
    margin_real w[3 * 8], bias[3] = {1, -1, (margin_real)(alike ? -500 : 0.0005)};
    margin_arena mem = fresh();
    margin_model model;
    margin_quant quant, copy;
    double worst = 0, size = 0;
    blobs b;
    seed = 12;
    b = blobs_make(100, 8, 3, false);
    how.format = (uint8_t)format;
    for (size_t i = 0; i < 24u; i++) { w[i] = (margin_real)(normal() * (i >= 16u ? small : 1.0)); }
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
        worst = fmax(worst, fabs((double)scores[machine] -
                                 (double)(copy.unit * (margin_real)found[machine])));
        size = fmax(size, fabs((double)scores[machine]));
    }
    ASSERT(worst < size / (format != MARGIN_Q15 ? 50 : alike ? 500 : 2000));
    blobs_free(&b);
    PASS();
}

/* ---- models made by hand: what trainers hardly ever make ---------------------------------------- */

#define BIG (sizeof(margin_real) > 4u ? 1e300 : 1e37)

/* An expansion of two classes, and the data that it is quantised on. */
typedef struct {
    const char *what;
    margin_status status; /* of the quantiser, */
    double near;          /* and how far scores may be off, as a share of the largest one */
    unsigned kind, format;
    double gamma, coef0, a;
    size_t n, d, rows;
    double vectors[6], norms[3]; /* norms: thresholds of hinge units; 0: those of the vectors */
    double coef[3], bias;
    bool scaled, whole;
    double offset[2], factor[2];
    double x[8];
} hand_case;

/* The same in numbers of the library. */
typedef struct {
    margin_real vectors[6], norms[3], coef[3], bias[2], offset[2], factor[2], x[8];
    uint32_t ends[2];
    margin_model model;
    margin_data data;
} hand_made;

static void to_reals(margin_real *to, const double *from, size_t n) {
    for (size_t i = 0; i < n; i++) { to[i] = (margin_real)from[i]; }
}

static void hand_make(hand_made *h, const hand_case *from) {
    margin_expansion *e = &h->model.of.expansion;
    memset(h, 0, sizeof *h);
    to_reals(h->vectors, from->vectors, 6);
    to_reals(h->norms, from->norms, 3);
    to_reals(h->coef, from->coef, 3);
    to_reals(h->offset, from->offset, 2);
    to_reals(h->factor, from->factor, 2);
    to_reals(h->x, from->x, 8);
    h->bias[0] = (margin_real)from->bias;
    h->ends[0] = 1;
    h->ends[1] = (uint32_t)from->n;
    h->model.kind = MARGIN_MODEL_EXPANSION;
    e->vectors = h->vectors;
    e->norms = h->norms;
    e->coef = h->coef;
    e->bias = h->bias;
    e->class_end = h->ends;
    e->offset = from->scaled ? h->offset : NULL;
    e->factor = from->scaled ? h->factor : NULL;
    e->n = from->n;
    e->d = from->d;
    e->width = 1;
    e->vote.classes = 2;
    e->kernel.kind = (uint8_t)from->kind;
    e->kernel.degree = 2;
    e->kernel.gamma = (margin_real)from->gamma;
    e->kernel.coef0 = (margin_real)from->coef0;
    e->kernel.a = (margin_real)from->a;
    for (size_t v = 0; v < e->n && from->kind != MARGIN_KERNEL_HINGE; v++) {
        h->norms[v] = margin_dot(h->vectors + v * e->d, h->vectors + v * e->d, e->d);
    }
    h->data.x = h->x;
    h->data.n = from->rows;
    h->data.d = from->d;
}

/* The worst difference of a score on the data, as a share of the largest score, or of 1. */
static double hand_error(const margin_model *model, const margin_quant *quant,
                         const margin_data *data, size_t machines) {
    double worst = 0, largest = 1;
    for (size_t i = 0; i < data->n; i++) {
        margin_real scores[4];
        int16_t in[8], work[8];
        int32_t found[4];
        margin_input_q(&quant->input, data->x + i * data->d, in);
        (void)margin_classify_q(&quant->model, in, work, found);
        margin_scores(model, data->x + i * data->d, scores);
        for (size_t j = 0; j < machines; j++) {
            worst = fmax(worst, fabs((double)scores[j] - (double)quant->unit * found[j]));
            largest = fmax(largest, fabs((double)scores[j]));
        }
    }
    return worst / largest;
}

/* Quantises; a refusal must leave the arena and the output alone. */
static enum greatest_test_res hand_quantise(const char *what, const margin_model *model,
                                            const margin_data *data, margin_quant_options how,
                                            margin_status expected, double near) {
    margin_arena mem = fresh();
    margin_quant quant, before;
    margin_quant_info info;
    const size_t machines =
        margin_machines(margin_model_vote(model)->scheme, margin_model_vote(model)->classes);
    memset(&quant, 0x5A, sizeof quant);
    before = quant;
    ASSERT_EQ_FMTm(what, (int)expected,
                   (int)margin_quantize(model, data, &how, &mem, &quant, &info), "%d");
    if (expected != MARGIN_OK) {
        ASSERT_EQm(what, 0, mem.low);
        ASSERT_MEM_EQm(what, &before, &quant, sizeof quant);
        PASS();
    }
    ASSERT_EQm(what, MARGIN_OK, margin_model_check_q(&quant.model));
    ASSERT_IN_RANGEm(what, 0, hand_error(model, &quant, data, machines), near);
    PASS();
}

/* clang-format off */
static const hand_case hand_cases[] = {
    {"a feature with the factor 0 has no part",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_RBF, 0, 1, 0, 0, 2, 2, 4, {1, 0, -1, 0}, {0}, {1, -1}, 0.5, true, false, {0, 5}, {1, 0}, {1, 7, -1, 8, 0.5, 9, -2, 1e6}},
    {"all coefficients are 0",
     MARGIN_OK, 1e-4, MARGIN_KERNEL_RBF, 0, 1, 0, 0, 2, 1, 2, {1, -1}, {0}, {0, 0}, 3, false, false, {0}, {0}, {1, -1}},
    {"all coefficients and the bias are 0",
     MARGIN_OK, 0, MARGIN_KERNEL_RBF, 0, 1, 0, 0, 2, 1, 2, {1, -1}, {0}, {0, 0}, 0, false, false, {0}, {0}, {1, -1}},
    {"the bias leaves no bits to the coefficients",
     MARGIN_E_RANGE, 0, MARGIN_KERNEL_RBF, 0, 1, 0, 0, 2, 1, 2, {1, -1}, {0}, {1, -1}, 1e12, false, false, {0}, {0}, {1, -1}},
    {"kernel values that no distance but 0 has",
     MARGIN_E_RANGE, 0, MARGIN_KERNEL_RBF, 0, 1e14, 0, 0, 2, 1, 2, {1, -1}, {0}, {1, -1}, 0, false, false, {0}, {0}, {1, -1}},
    {"whole numbers of another factor each, vectors far away",
     MARGIN_E_RANGE, 0, MARGIN_KERNEL_RBF, 0, 1, 0, 0, 2, 2, 2, {1e6, 1e6, 1e6, 1e6}, {0}, {1, -1}, 0, true, true, {0, 0}, {1, 2}, {1, 2, 3, 4}},
    {"whole numbers too fine to go in as they are",
     MARGIN_OK, 3e-2, MARGIN_KERNEL_RBF, 0, 1e-4, 0, 0, 2, 1, 4, {30, -30}, {0}, {1, -0.5}, 0, true, true, {0}, {0.001}, {30000, -30000, 15000, -5000}},
    {"whole numbers far from 0 beside each other",
     MARGIN_OK, 0.1, MARGIN_KERNEL_RBF, 0, 1e-2, 0, 0, 2, 1, 4, {9990, 10010}, {0}, {1, -1}, 0, false, true, {0}, {0}, {9990, 10010, 9995, 10003}},
    {"whole numbers around 0 as they are",
     MARGIN_OK, 3e-2, MARGIN_KERNEL_RBF, 0, 1e-6, 0, 0, 2, 1, 4, {900, -900}, {0}, {1, -0.5}, 0, false, true, {0}, {0}, {900, -900, 450, -450}},
    {"samples beyond all kernel values",
     MARGIN_OK, 3e-2, MARGIN_KERNEL_RBF, 0, 1, 0, 0, 2, 2, 4, {1, 0, -1, 0}, {0}, {1, -1}, 0.5, false, false, {0}, {0}, {1, 0, -1, 0, 1e6, 0, 0, -1e6}},
    {"symmetric to the last bit: no room for a corrected bias",
     MARGIN_OK, 3e-2, MARGIN_KERNEL_RBF, MARGIN_Q7, 1, 0, 0, 2, 2, 4, {1, 0.3, -0.77, -1.1}, {0}, {1, -1}, 0, false, false, {0}, {0}, {1, 0.2, -0.7, -1, 0.9, 0.4, 0.8, 0.1}},
    /* poly */
    {"poly at the origin alone",
     MARGIN_OK, 1e-4, MARGIN_KERNEL_POLY, 0, 1e-6, 0, 0, 2, 1, 2, {0, 0}, {0}, {1, -1}, 1, false, false, {0}, {0}, {0, 0}},
    {"poly of small whole numbers",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_POLY, 0, 1, 1, 0, 2, 1, 3, {1, -1}, {0}, {1, -0.5}, 0, false, true, {0}, {0}, {1, -1, 0}},
    {"poly of large whole numbers",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_POLY, 0, 1e-6, 1, 0, 2, 1, 3, {1000, -1000}, {0}, {1, -0.5}, 0, false, true, {0}, {0}, {1000, -2000, 300}},
    {"poly of whole numbers that are moved",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_POLY, 0, 1e-4, 1, 0, 2, 1, 3, {100, -100}, {0}, {1, -0.5}, 0, true, true, {50}, {1}, {150, -50, 20}},
    {"poly of whole numbers that are moved too far",
     MARGIN_E_RANGE, 0, MARGIN_KERNEL_POLY, 0, 1, 1, 0, 2, 1, 3, {1, -1}, {0}, {1, -0.5}, 0, true, true, {70000}, {1}, {1, -1, 0}},
    {"poly with a constant beside which nothing counts",
     MARGIN_OK, 1e-4, MARGIN_KERNEL_POLY, 0, 1, 1e10, 0, 2, 1, 3, {1, -1}, {0}, {1, -0.5}, 0, false, false, {0}, {0}, {1, -1, 0}},
    {"poly at the origin alone, too steep",
     MARGIN_E_RANGE, 0, MARGIN_KERNEL_POLY, 0, 1, 0, 0, 2, 1, 2, {0, 0}, {0}, {1, -1}, 1, false, false, {0}, {0}, {0, 0}},
    {"poly at the origin alone, a little too steep",
     MARGIN_E_RANGE, 0, MARGIN_KERNEL_POLY, 0, 2e-5, 0, 0, 2, 1, 2, {0, 0}, {0}, {1, -1}, 1, false, false, {0}, {0}, {0, 0}},
    /* unit kernels */
    {"a power that is hardly one",
     MARGIN_E_RANGE, 0, MARGIN_KERNEL_UNIT_POLY, 0, 1, 0, 1e-9, 2, 2, 2, {1, 0, 0, 1}, {0}, {1, -1}, 0, false, false, {0}, {0}, {1, 0.5, 0.5, 1}},
    {"a small power",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_UNIT_POLY, 0, 1, 0, 1e-4, 2, 2, 2, {1, 0, 0, 1}, {0}, {1, -0.5}, 0, false, false, {0}, {0}, {1, 0.5, 0.5, 1}},
    {"an exponential that falls",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_UNIT_EXP, 0, 1, 0, 0.5, 2, 2, 2, {1, 0, 0, 1}, {0}, {1, -0.5}, 0, false, false, {0}, {0}, {1, 0.5, 0.5, 1}},
    {"a vector of zeros",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_UNIT_POLY, 0, 1, 0, 1, 2, 2, 2, {1, 0, 0, 0}, {0}, {1, -0.5}, 0, false, false, {0}, {0}, {1, 0.5, 0.5, 1}},
    {"vectors of zeros alone",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_UNIT_POLY, 0, 1, 0, 1, 2, 2, 2, {0, 0, 0, 0}, {0}, {1, -0.5}, 0, false, false, {0}, {0}, {1, 0.5, 0.5, 1}},
    {"unit vectors of whole numbers that are moved too far",
     MARGIN_E_RANGE, 0, MARGIN_KERNEL_UNIT_POLY, 0, 1, 0, 1, 2, 1, 2, {1, -1}, {0}, {1, -1}, 0, true, true, {70000}, {1}, {1, 2}},
    /* hinge units */
    {"hinge units of whole numbers",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_HINGE, 0, 1, 0, 0, 2, 2, 4, {1, -1, 0.5, 0.25}, {3, -2}, {1, -0.5}, 0.5, false, true, {0}, {0}, {10, 3, -7, 100, 0, 5, 60, -60}},
    {"hinge units of whole numbers of a factor each",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_HINGE, 0, 1, 0, 0, 2, 2, 4, {1, -1, 0.5, 0.25}, {3, -2}, {1, -0.5}, 0.5, true, true, {0, 1}, {0.1, 0.01}, {10, 3, -7, 100, 0, 5, 60, -60}},
    {"hinge units of whole numbers that count for nothing",
     MARGIN_E_RANGE, 0, MARGIN_KERNEL_HINGE, 0, 1, 0, 0, 2, 2, 2, {1, -1, 0.5, 0.25}, {3, -2}, {1, -0.5}, 0.5, true, true, {0, 0}, {0, 0}, {10, 3, -7, 100}},
    {"a hinge unit of nothing",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_HINGE, 0, 1, 0, 0, 2, 1, 2, {1, 0}, {0, 0}, {1, -0.5}, 0.5, false, false, {0}, {0}, {1, -1}},
    {"a hinge unit of a threshold alone",
     MARGIN_OK, 2e-2, MARGIN_KERNEL_HINGE, 0, 1, 0, 0, 2, 1, 2, {1e-6, 1e-6}, {1e3, 2e3}, {1, -0.25}, 0.5, false, false, {0}, {0}, {1, -1}},
    {"hinge units whose coefficients are 0",
     MARGIN_OK, 1e-4, MARGIN_KERNEL_HINGE, 0, 1, 0, 0, 2, 1, 2, {1, -1}, {1, 2}, {0, 0}, 0.5, false, false, {0}, {0}, {1, -1}},
};
/* clang-format on */

enum { BEYOND = 9, SYMMETRIC = 10 }; /* places of two of them */

TEST models_made_by_hand_are_quantised_or_refused(void) {
    for (size_t i = 0; i < sizeof hand_cases / sizeof hand_cases[0]; i++) {
        const hand_case *c = hand_cases + i;
        hand_made h;
        hand_make(&h, c);
        for (unsigned f = 0; f < 2u; f++) {
            static margin_quant_options how; /* static: a longjmp of an assertion spares it */
            how.format = f == 0 ? MARGIN_Q15 : MARGIN_Q7;
            how.whole = c->whole;
            if (c->format != 0 && c->format != how.format) { continue; }
            CHECK_CALL(hand_quantise(c->what, &h.model, &h.data, how, c->status, c->near));
        }
    }
    PASS();
}

/* Numbers next to the ends of their range, which differ in float and double. */
TEST numbers_that_overflow_on_the_way_are_refused(void) {
    const margin_quant_options q15 = {MARGIN_Q15, false};
    hand_case c = hand_cases[0];
    hand_made h;
    c.factor[0] = c.factor[1] = BIG; /* over a unit below 1 */
    c.offset[0] = c.offset[1] = 0;
    for (size_t i = 0; i < 8u; i++) { c.x[i] = 0; }
    c.gamma = 1e3;
    hand_make(&h, &c);
    h.factor[0] = MGN_HUGE;
    CHECK_CALL(hand_quantise("factor", &h.model, &h.data, q15, MARGIN_E_RANGE, 0));
    c.factor[0] = c.factor[1] = 1 / BIG; /* under a centre of 1e6 */
    c.vectors[0] = c.vectors[2] = 1e10;
    hand_make(&h, &c);
    CHECK_CALL(hand_quantise("offset", &h.model, &h.data, q15, MARGIN_E_RANGE, 0));
    c = hand_cases[1];
    c.gamma = 1e4;
    c.vectors[0] = 0.7;
    c.vectors[1] = -0.31;
    hand_make(&h, &c);
    h.coef[0] = MGN_HUGE;
    CHECK_CALL(hand_quantise("coefficient", &h.model, &h.data, q15, MARGIN_E_RANGE, 0));
    c.kind = MARGIN_KERNEL_HINGE;
    c.n = 1;
    hand_make(&h, &c);
    h.vectors[0] = h.x[0] = (margin_real)(sqrt(BIG) * 1e6);
    h.x[1] = -h.x[0];
    h.coef[0] = 1;
    CHECK_CALL(hand_quantise("hinge", &h.model, &h.data, q15, MARGIN_E_RANGE, 0));
    c = hand_cases[0];
    c.kind = MARGIN_KERNEL_UNIT_POLY;
    c.a = 1;
    c.scaled = false;
    hand_make(&h, &c);
    h.norms[0] = h.norms[1] = 0; /* as no trainer makes them: the check refuses the model */
    h.vectors[0] = h.vectors[2] = 1000000;
    CHECK_CALL(hand_quantise("norms", &h.model, &h.data, q15, MARGIN_E_RANGE, 0));
    PASS();
}

/* A linear model of two classes. */
static margin_model linear_of(const margin_real *w, const margin_real *bias, size_t d) {
    margin_model model;
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_LINEAR;
    model.of.linear.w = w;
    model.of.linear.bias = bias;
    model.of.linear.d = d;
    model.of.linear.vote.classes = 2;
    return model;
}

TEST linear_models_made_by_hand_are_quantised(void) {
    static const margin_real none[3] = {0, 0, 0}, zero[1] = {0}, one[2] = {1, 0};
    static const margin_real x[8] = {1, 5, -1, 5, MGN_R(0.5), 5, MGN_R(0.25), 5};
    /* A feature of two values that matters most, beside one of many values and one of one. */
    static const margin_real w[3] = {1000, (margin_real)0.01, 2}, bias[1] = {-600};
    static const margin_real whole[12] = {0, 0, 7, 1, 30000, 7, 0, 20000, 7, 1, 100, 7};
    /* A feature at the end of the range that hardly counts: its stage does not fit 31 bits. */
    static const margin_real small[3] = {(margin_real)7.3e-6, 1000, (margin_real)0.01};
    static const margin_real end[9] = {-32768, 0, 0, -32767, 2, 30000, -32768, 1, 100};
    const margin_data data = {x, 4, 2, 0, NULL, NULL, NULL},
                      counts = {whole, 4, 3, 0, NULL, NULL, NULL};
    const margin_data ends = {end, 3, 3, 0, NULL, NULL, NULL};
    for (unsigned f = 0; f < 2u; f++) {
        margin_quant_options how = {f == 0 ? MARGIN_Q15 : MARGIN_Q7, false};
        margin_model model = linear_of(none, zero, 2);
        CHECK_CALL(hand_quantise("zeros", &model, &data, how, MARGIN_OK, 0));
        model.of.linear.w = one; /* the second feature has no weight, and does not change */
        CHECK_CALL(
            hand_quantise("one feature", &model, &data, how, MARGIN_OK, f == 0 ? 1e-4 : 1e-2));
        how.whole = true;
        model = linear_of(w, bias, 3);
        CHECK_CALL(
            hand_quantise("two values", &model, &counts, how, MARGIN_OK, f == 0 ? 1e-3 : 2e-2));
        model = linear_of(small, zero, 3);
        CHECK_CALL(hand_quantise("end", &model, &ends, how, MARGIN_E_RANGE, 0));
    }
    PASS();
}

/* The unit of an input next to nothing overflows, and with it the factor. */
TEST inputs_next_to_nothing_are_refused(void) {
    const bool wide = sizeof(margin_real) > 4u;
    const margin_real w[1] = {(margin_real)(wide ? 1e200 : 1e30)}, bias[1] = {0};
    const margin_real x[2] = {0, (margin_real)(wide ? 1e-310 : 1e-40)};
    const margin_data data = {x, 2, 1, 0, NULL, NULL, NULL};
    const margin_quant_options how = {MARGIN_Q15, false};
    const margin_model model = linear_of(w, bias, 1);
    CHECK_CALL(hand_quantise("factor", &model, &data, how, MARGIN_E_RANGE, 0));
    PASS();
}

/* Prototypes of two classes for whole numbers. */
static margin_model proto_of(const margin_real *vectors, const uint32_t *ends, size_t d) {
    margin_model model;
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_PROTO;
    model.of.proto.vectors = vectors;
    model.of.proto.class_end = ends;
    model.of.proto.n = 2;
    model.of.proto.d = d;
    model.of.proto.nth = 1;
    model.of.proto.vote.classes = 2;
    model.of.proto.vote.scheme = MARGIN_SCHEME_NEAREST;
    return model;
}

/* A range that overflows has no middle, even where no feature has a weight. */
TEST inputs_beyond_all_numbers_are_refused(void) {
    static const margin_real w[2] = {0, 0}, bias[1] = {0};
    const margin_real x[4] = {0, -MGN_HUGE, 1, MGN_HUGE};
    const margin_data data = {x, 2, 2, 0, NULL, NULL, NULL};
    const margin_quant_options how = {MARGIN_Q15, false};
    const margin_model model = linear_of(w, bias, 2);
    CHECK_CALL(hand_quantise("offset", &model, &data, how, MARGIN_E_RANGE, 0));
    PASS();
}

/* What a stage makes of x is (x - offset) * factor, rounded; the factor is set to what it does. */
TEST stages_do_what_offset_and_factor_say(void) {
    static const double cases[][3] = {
        /* offset, factor, whether they fit */
        {0, 1, 1},          {100, 0.5, 1},    {-32768, 1e-6, 1}, {7, 30000, 1},   {0, 0, 1},
        {5, 16383.5, 1},    {0, 32767, 1},    {0, 40000, 0},     {70000, 1, 0},   {-70000, 1, 0},
        {40000, 1.9999, 0}, {1, INFINITY, 0}, {65534, 0.25, 1},  {65534, 1e-3, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        margin_real offset = (margin_real)cases[i][0], factor = (margin_real)cases[i][1];
        const double asked = (double)factor;
        margin_stage_q stage;
        int32_t stage_offset;
        int16_t stage_factor, x, work;
        uint8_t shift;
        mgn_q_inputs in;
        memset(&in, 0, sizeof in);
        in.d = 1;
        in.offset = &offset;
        in.factor = &factor;
        in.stage = &stage;
        in.stage_offset = &stage_offset;
        in.stage_factor = &stage_factor;
        in.stage_shift = &shift;
        ASSERT_EQ(cases[i][2] > 0, mgn_q_make_stage(&in));
        ASSERT_EQ(cases[i][2] > 0, in.staged);
        if (!in.staged) { continue; }
        ASSERT_IN_RANGE(asked, (double)factor, asked / 32768 + 1e-9);
        ASSERT(asked < 32768.0 / 1073741824.0 || stage_factor >= 16383); /* all bits are used */
        for (int v = -32768; v < 32768; v += 1 + v / 64 * (v / 64)) {
            const double exact = ((double)v - (double)offset) * (double)factor;
            x = (int16_t)v;
            (void)margin_prepare_q(&stage, 1, &x, &work);
            ASSERT_IN_RANGE(fmax(-32768, fmin(32767, exact)), (double)work,
                            0.5 + 1e-6 * fabs(exact));
        }
    }
    PASS();
}

/* Cuts of a linear list become rows of weights for raw values, the scaling folded in. */
TEST a_linear_list_with_a_scaling_is_quantised(void) {
    static const margin_real vectors[6] = {1, 0, 0, 1, 1, 1}, coef[6] = {1, 0, 0, -1, 0, 2};
    static const margin_real bias[2] = {-1, (margin_real)0.5}, norms[3] = {1, 1, 2};
    static const margin_real offset[2] = {10, -20}, factor[2] = {(margin_real)0.5, 2};
    static const margin_real x[8] = {10, -20, 14, -21, 8, -19, 11, -20};
    static const uint32_t reach[2] = {1, 3}, target[2] = {0, 1};
    const margin_data data = {x, 4, 2, 0, NULL, NULL, NULL};
    for (unsigned s = 0; s < 2u; s++) {
        margin_quant_options how = {MARGIN_Q15, false};
        margin_arena mem = fresh();
        margin_quant quant;
        margin_quant_info info;
        margin_model model;
        memset(&model, 0, sizeof model);
        model.kind = MARGIN_MODEL_LIST;
        model.of.list.reach = reach;
        model.of.list.target = target;
        model.of.list.pool.vectors = vectors;
        model.of.list.pool.norms = norms;
        model.of.list.pool.coef = coef;
        model.of.list.pool.bias = bias;
        model.of.list.pool.n = 3;
        model.of.list.pool.d = 2;
        model.of.list.pool.width = 2;
        model.of.list.pool.kernel = (margin_kernel){MARGIN_KERNEL_LINEAR, 3, 1, 0, 2};
        model.of.list.pool.offset = s == 0 ? offset : NULL;
        model.of.list.pool.factor = s == 0 ? factor : NULL;
        model.of.list.pool.vote.classes = 2;
        ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
        ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &mem, &quant, &info));
        ASSERT_EQ(0, info.disagree);
        ASSERT_IN_RANGE(0, hand_error(&model, &quant, &data, 1), 1e-3);
    }
    PASS();
}

/* A projection before a pool; row 1 of the projection is made of zeros. */
typedef struct {
    hand_made pool;
    margin_real front[6], front_bias[2], offset[3], factor[3];
    margin_model model;
} hand_projected;

static void projected_make(hand_projected *p, double gamma, double weight) {
    hand_case c = hand_cases[0];
    c.scaled = false;
    c.gamma = gamma;
    hand_make(&p->pool, &c);
    memset(&p->model, 0, sizeof p->model);
    for (size_t i = 0; i < 6u; i++) {
        p->front[i] = (margin_real)(i < 3u ? weight / (double)(i + 1u) : 0);
    }
    for (size_t i = 0; i < 3u; i++) {
        p->offset[i] = 0;
        p->factor[i] = 1;
    }
    p->front_bias[0] = p->front_bias[1] = 0;
    p->model.kind = MARGIN_MODEL_PROJECTED;
    p->model.of.projected.pool = p->pool.model.of.expansion;
    p->model.of.projected.front = p->front;
    p->model.of.projected.front_bias = p->front_bias;
    p->model.of.projected.offset = p->offset;
    p->model.of.projected.factor = p->factor;
    p->model.of.projected.d = 3;
}

/* A pool of poly has other numbers in the head of its image. */
static enum greatest_test_res poly_survives_its_image(const margin_data *data,
                                                      margin_quant_options how) {
    static uint32_t image[256];
    margin_arena mem = fresh();
    hand_projected p;
    margin_quant quant, copy;
    projected_make(&p, 0.5, 1);
    p.model.of.projected.pool.kernel.kind = MARGIN_KERNEL_POLY;
    p.model.of.projected.pool.kernel.coef0 = 1;
    ASSERT_EQ(MARGIN_OK, margin_quantize(&p.model, data, &how, &mem, &quant, NULL));
    ASSERT_EQ(MARGIN_OK, margin_image_write_q(&quant, NULL, 0, image, sizeof image));
    ASSERT_EQ(MARGIN_OK, margin_image_load_q(image, sizeof image, &mem, &copy));
    ASSERT_EQ(quant.model.of.projected.pool.kernel.add, copy.model.of.projected.pool.kernel.add);
    ASSERT_EQ(quant.model.of.projected.pool.kernel.gain, copy.model.of.projected.pool.kernel.gain);
    PASS();
}

TEST projections_made_by_hand_are_quantised_or_refused(void) {
    static const margin_real x[9] = {1, 2, 3, -1, 0, 2, 0, -3, 1};
    static const margin_real parts[9] = {1, 2, 3, -1, 0, MGN_R(2.5), 0, -3, 1};
    const margin_data data = {x, 3, 3, 0, NULL, NULL, NULL},
                      real = {parts, 3, 3, 0, NULL, NULL, NULL};
    for (unsigned f = 0; f < 2u; f++) {
        margin_quant_options how = {f == 0 ? MARGIN_Q15 : MARGIN_Q7, false};
        hand_projected p;
        projected_make(&p, 0.5, 1);
        CHECK_CALL(hand_quantise("a row of zeros", &p.model, &data, how, MARGIN_OK, 5e-2));
        projected_make(&p, 1e-12, 1e-6); /* so small beside the pool that no shift bridges it */
        CHECK_CALL(hand_quantise("next to nothing", &p.model, &data, how, MARGIN_E_RANGE, 0));
        how.whole = true;
        projected_make(&p, 0.5, 1);
        CHECK_CALL(hand_quantise("whole numbers", &p.model, &data, how, MARGIN_OK, 5e-2));
        CHECK_CALL(hand_quantise("not whole numbers", &p.model, &real, how, MARGIN_E_RANGE, 0));
        p.factor[0] = p.factor[1] = p.factor[2] = 0;
        CHECK_CALL(hand_quantise("factors of 0", &p.model, &data, how, MARGIN_E_RANGE, 0));
        p.factor[0] = 2; /* each feature has its own: a stage is needed, */
        p.factor[1] = p.factor[2] = 1;
        CHECK_CALL(hand_quantise("a stage", &p.model, &data, how, MARGIN_OK, 5e-2));
        CHECK_CALL(poly_survives_its_image(&data, how));
    }
    PASS();
}

TEST prototypes_of_whole_numbers_go_in_as_they_are_or_not(void) {
    static const uint32_t ends[2] = {1, 2};
    static const struct {
        const char *what;
        margin_real vectors[4], x[4], factor[2];
        bool plain[2]; /* in q15 and in q7 */
        margin_status status;
    } cases[] = {
        {"small", {100, 0, -100, 50}, {100, 20, -90, 40}, {1, 1}, {true, true}, MARGIN_OK},
        {"samples too long",
         {100, 0, -100, 50},
         {9000, 20, -90, 40},
         {1, 1},
         {false, false},
         MARGIN_OK},
        {"centroids too long",
         {9000, 0, -9000, 50},
         {100, 20, -90, 40},
         {1, 1},
         {false, false},
         MARGIN_OK},
        {"far from 0",
         {5000, 5000, 5010, 5020},
         {5001, 5003, 5009, 5015},
         {1, 1},
         {true, false},
         MARGIN_OK},
        {"a factor each",
         {100, 0, -100, 100},
         {100, 20, -90, 40},
         {1, 2},
         {false, false},
         MARGIN_OK},
        {"factors of 0", {0, 0, 0, 0}, {100, 20, -90, 40}, {0, 0}, {false, false}, MARGIN_OK},
        {"far away",
         {1e6, 0, 1e6, 50},
         {100, 20, -90, 40},
         {1, 2},
         {false, false},
         MARGIN_E_RANGE}};
    static const margin_real offset[2] = {0, 0};
    for (size_t i = 0; i < 2u * sizeof cases / sizeof cases[0]; i++) {
        const margin_quant_options how = {i % 2u == 0 ? MARGIN_Q15 : MARGIN_Q7, true};
        const margin_data data = {cases[i / 2u].x, 2, 2, 0, NULL, NULL, NULL};
        margin_model model = proto_of(cases[i / 2u].vectors, ends, 2);
        margin_arena mem = fresh();
        margin_quant quant;
        model.of.proto.offset = offset;
        model.of.proto.factor = cases[i / 2u].factor;
        CHECK_CALL(
            hand_quantise(cases[i / 2u].what, &model, &data, how, cases[i / 2u].status, 0.1));
        if (cases[i / 2u].status != MARGIN_OK) { continue; }
        ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &mem, &quant, NULL));
        ASSERT_EQm(cases[i / 2u].what, cases[i / 2u].plain[i % 2u],
                   quant.model.of.proto.stage == NULL);
    }
    PASS();
}

/* Tangents have the length 1, or are zeros: squares of longer ones leave 32 bits. */
TEST tangents_of_zeros_are_quantised(void) {
    static const uint32_t ends[2] = {1, 2};
    static const margin_real vectors[12] = {1, 0, 0, /**/ 0, 0, 0, /**/ -1, 0, 1, /**/ 0, 0, 0};
    static const margin_real longer[12] = {1,       0, 0, /**/ 100, 100, 100,
                                           /**/ -1, 0, 1, /**/ 1,   0,   0};
    static const margin_real exits[2] = {0, 0}, x[9] = {1, 2, 3, -1, 0, 2, 0, -3, 1};
    const margin_data data = {x, 3, 3, 0, NULL, NULL, NULL};
    static const margin_quant_options formats[2] = {{MARGIN_Q15, false}, {MARGIN_Q7, false}};
    for (unsigned f = 0; f < 2u; f++) {
        margin_model model = proto_of(vectors, ends, 3);
        model.of.proto.tangents = 1;
        model.of.proto.exits = exits;
        ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
        CHECK_CALL(hand_quantise("zeros", &model, &data, formats[f], MARGIN_OK, 2e-2));
        model.of.proto.vectors = longer;
        CHECK_CALL(hand_quantise("too long", &model, &data, formats[f], MARGIN_E_RANGE, 0));
    }
    PASS();
}

/* Ordinal machines share one function: their biases move together, or not at all. */
TEST biases_of_ordinal_models_keep_their_order(void) {
    static const uint32_t ends[3] = {2, 2, 2};
    static const double biases[][2] = {{0.5, -0.5}, {0, 0}, {2.5, 0.5}, {-0.5, -2.5}};
    for (size_t i = 0; i < 4u * sizeof biases / sizeof biases[0]; i++) {
        const double *bias = biases[i / 4u];
        const margin_quant_options how = {MARGIN_Q7, false};
        hand_case c = hand_cases[SYMMETRIC];
        hand_made h;
        margin_arena mem = fresh();
        margin_quant quant;
        const margin_expansion_q *e = &quant.model.of.expansion;
        c.gamma = pow(4, (double)(i % 4u));
        hand_make(&h, &c);
        h.coef[0] = i / 4u == 1u ? 1 : MGN_R(0.5);
        h.coef[1] = -h.coef[0];
        h.model.of.expansion.vote.classes = 3;
        h.model.of.expansion.vote.scheme = MARGIN_SCHEME_ORDINAL;
        h.model.of.expansion.class_end = ends;
        h.bias[0] = (margin_real)bias[0];
        h.bias[1] = (margin_real)bias[1];
        ASSERT_EQ(MARGIN_OK, margin_quantize(&h.model, &h.data, &how, &mem, &quant, NULL));
        ASSERT(e->bias[0] >= e->bias[1]);
        ASSERT_IN_RANGE(bias[0] - bias[1],
                        (double)quant.unit * ((double)e->bias[0] - (double)e->bias[1]), 1e-4);
        ASSERT_IN_RANGE(0, hand_error(&h.model, &quant, &h.data, 2), 3e-2);
    }
    PASS();
}

/* The mean difference of scores on the data is taken off the bias: that of ordinal machines by one
 * shift for all. What is left is the rounding of the bias itself. */
TEST mean_differences_are_taken_off_the_bias(unsigned kind, bool ordinal) {
    uint32_t ends[3];
    margin_arena mem = fresh();
    margin_kernel kernel;
    margin_real bias[2];
    margin_model model;
    blobs b;
    seed = 31;
    b = blobs_make(300, 5, 2, false);
    memset(&kernel, 0, sizeof kernel);
    kernel.kind = (uint8_t)kind;
    ASSERT(blobs_train(&b, &kernel, true, 0, &mem, &model) >= 0);
    if (ordinal) {
        ends[0] = ends[1] = 1;
        ends[2] = (uint32_t)model.of.expansion.n;
        bias[0] = model.of.expansion.bias[0] + MGN_R(0.5);
        bias[1] = bias[0] - 1;
        model.of.expansion.bias = bias;
        model.of.expansion.class_end = ends;
        model.of.expansion.vote.classes = 3;
        model.of.expansion.vote.scheme = MARGIN_SCHEME_ORDINAL;
        ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    }
    for (unsigned i = 0; i < 2; i++) {
        const margin_quant_options how = {i == 0 ? MARGIN_Q15 : MARGIN_Q7, false};
        const size_t machines = ordinal ? 2 : 1;
        margin_quant quant;
        double mean[2] = {0, 0};
        memset(mem.base + mem.low, 0xff, mem.high - mem.low); /* what it held does not matter */
        ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &b.raw, &how, &mem, &quant, NULL));
        for (size_t s = 0; s < b.n; s++) {
            margin_real scores[2];
            int16_t in[5], work[5];
            int32_t scores_q[2];
            margin_input_q(&quant.input, b.x + s * 5, in);
            margin_classify(&model, b.x + s * 5, scores);
            margin_classify_q(&quant.model, in, work, scores_q);
            for (size_t j = 0; j < machines; j++) {
                mean[j] += ((double)scores[j] / (double)quant.unit - scores_q[j]) / (double)b.n;
            }
        }
        for (size_t j = 0; j < machines; j++) { ASSERT_IN_RANGE(0, mean[j], 8); }
    }
    blobs_free(&b);
    PASS();
}

/* A machine whose coefficients are so small that its unit is rounded to less than they need: they
 * are limited to 127 of them on both sides. */
TEST narrow_coefficients_are_limited_alike_on_both_sides(void) {
    const margin_quant_options how = {MARGIN_Q7, false};
    margin_arena mem = fresh();
    margin_kernel kernel;
    margin_real coef[60 * 3], top[2] = {0, 0};
    margin_model model;
    margin_quant quant;
    blobs b;
    int least = 0;
    seed = 32;
    b = blobs_make(60, 3, 3, false);
    memset(&kernel, 0, sizeof kernel);
    kernel.kind = MARGIN_KERNEL_RBF;
    ASSERT(blobs_train(&b, &kernel, true, MARGIN_SCHEME_ONE_REST, &mem, &model) >= 0);
    margin_expansion *e = &model.of.expansion;
    ASSERT(e->n <= 60 && e->width == 3u);
    for (size_t i = 0; i < e->n * 3u; i++) {
        top[i % 3u == 1u] = mgn_max(top[i % 3u == 1u], mgn_abs(e->coef[i]));
    }
    for (size_t i = 0; i < e->n * 3u; i++) {
        const margin_real small = -mgn_abs(e->coef[i]) / top[1] * MGN_R(1.45) / 65535 * top[0];
        coef[i] = i % 3u == 1u ? small : e->coef[i];
    }
    e->coef = coef;
    ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &b.raw, &how, &mem, &quant, NULL));
    const int8_t *found = (const int8_t *)quant.model.of.expansion.coef;
    for (size_t i = 1; i < e->n * 3u; i += 3u) { least = found[i] < least ? found[i] : least; }
    ASSERT_EQ_FMT(-127, least, "%d");
    blobs_free(&b);
    PASS();
}

/* Counts that 16 bits cannot hold are refused before any memory is planned. */
TEST models_too_large_for_integers_are_refused(void) {
    margin_model model;
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_EXPANSION;
    model.of.expansion.kernel.kind = MARGIN_KERNEL_RBF;
    model.of.expansion.n = 65532;
    model.of.expansion.d = 65534;
    model.of.expansion.width = 1;
    model.of.expansion.vote.classes = 2;
    ASSERT(margin_quantize_size(&model, NULL) > 0);
    model.of.expansion.n = 65533;
    ASSERT_EQ(0, margin_quantize_size(&model, NULL));
    model.of.expansion.n = 4;
    model.of.expansion.d = 65535;
    ASSERT_EQ(0, margin_quantize_size(&model, NULL));
    model.of.expansion.d = 4;
    model.of.expansion.vote.classes = 363; /* 65703 pairs */
    model.of.expansion.vote.scheme = MARGIN_SCHEME_ONE_ONE;
    ASSERT_EQ(0, margin_quantize_size(&model, NULL));
    model.of.expansion.vote.classes = 362; /* 65341 */
    ASSERT(margin_quantize_size(&model, NULL) > 0);
    model.of.expansion.kernel.kind = MARGIN_KERNEL_LINEAR; /* trainers make a linear model of it */
    ASSERT_EQ(0, margin_quantize_size(&model, NULL));
    model.kind = 77;
    ASSERT_EQ(0, margin_quantize_size(&model, NULL));
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_PROJECTED;
    model.of.projected.pool.kernel.kind = MARGIN_KERNEL_HINGE;
    model.of.projected.pool.n = 4;
    model.of.projected.pool.d = 2;
    model.of.projected.pool.width = 1;
    model.of.projected.pool.vote.classes = 2;
    model.of.projected.d = 65534;
    ASSERT(margin_quantize_size(&model, NULL) > 0);
    model.of.projected.d = 65535;
    ASSERT_EQ(0, margin_quantize_size(&model, NULL));
    PASS();
}

/* Samples of weight 0 are no part of what is reported; those beyond the range of the inputs are counted. */
TEST the_report_counts_samples_of_weight_and_those_limited(void) {
    static const margin_real weight[4] = {1, 1, 0, 0};
    const margin_quant_options how = {MARGIN_Q15, false};
    hand_case c = hand_cases[BEYOND];
    hand_made h;
    margin_arena mem = fresh();
    margin_quant quant;
    margin_quant_info info;
    hand_make(&h, &c);
    ASSERT_EQ(MARGIN_OK, margin_quantize(&h.model, &h.data, &how, &mem, &quant, &info));
    ASSERT_EQ(2, info.limited); /* one at either end */
    h.data.weight = weight;
    ASSERT_EQ(MARGIN_OK, margin_quantize(&h.model, &h.data, &how, &mem, &quant, &info));
    ASSERT_EQ(0, info.limited);
    ASSERT_IN_RANGE(1, (double)info.scale, 0.5); /* scores of 1 and -1, and half the bias */
    PASS();
}

/* A slope that no shift makes large enough for 15 bits says that nothing is known. */
TEST a_slope_next_to_nothing_says_even_odds(void) {
    margin_vote vote;
    margin_vote_q q;
    int32_t score = INT32_MAX;
    uint16_t p[2];
    memset(&vote, 0, sizeof vote);
    vote.classes = 2;
    vote.slope = (margin_real)1e-30;
    q = mgn_q_vote(&vote, 1, MGN_R(1e-4), NULL);
    margin_probabilities_q(&q, &score, p);
    ASSERT_EQ(16384, p[0]);
    ASSERT_EQ(16384, p[1]);
    PASS();
}

SUITE(quant_suite) {
    static unsigned i; /* a test may end by longjmp */
    RUN_TEST(models_made_by_hand_are_quantised_or_refused);
    RUN_TEST(numbers_that_overflow_on_the_way_are_refused);
    RUN_TEST(linear_models_made_by_hand_are_quantised);
    RUN_TEST(inputs_next_to_nothing_are_refused);
    RUN_TEST(inputs_beyond_all_numbers_are_refused);
    RUN_TEST(stages_do_what_offset_and_factor_say);
    RUN_TEST(a_linear_list_with_a_scaling_is_quantised);
    RUN_TEST(projections_made_by_hand_are_quantised_or_refused);
    RUN_TEST(prototypes_of_whole_numbers_go_in_as_they_are_or_not);
    RUN_TEST(tangents_of_zeros_are_quantised);
    RUN_TEST(biases_of_ordinal_models_keep_their_order);
    RUN_TEST(narrow_coefficients_are_limited_alike_on_both_sides);
    RUN_TESTp(mean_differences_are_taken_off_the_bias, MARGIN_KERNEL_RBF, false);
    RUN_TESTp(mean_differences_are_taken_off_the_bias, MARGIN_KERNEL_RBF, true);
    RUN_TESTp(mean_differences_are_taken_off_the_bias, MARGIN_KERNEL_LINEAR, false);
    RUN_TEST(models_too_large_for_integers_are_refused);
    RUN_TEST(the_report_counts_samples_of_weight_and_those_limited);
    RUN_TEST(a_slope_next_to_nothing_says_even_odds);
    RUN_TEST(outliers_do_not_dictate_the_grid_of_other_vectors);
    RUN_TESTp(machines_with_small_scores_keep_their_bits, MARGIN_Q15, false);
    RUN_TESTp(machines_with_small_scores_keep_their_bits, MARGIN_Q15, true);
    RUN_TESTp(machines_with_small_scores_keep_their_bits, MARGIN_Q7, false);
    RUN_TESTp(machines_with_small_scores_keep_their_bits, MARGIN_Q7, true);
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
