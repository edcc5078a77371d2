/* test_refusals.c -- models of doubtful origin: one thing wrong at a time, in memory and in images. Each fixture is sound as
 * it is made; a single change makes it refused. Statuses are those that margin.h promises. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena_sweep.h"
#include "asserts.h"
#include "image_seal.h"
#include "margin.h"

/* ---- integer models ----------------------------------------------------------------------------- */

typedef struct {
    MARGIN_WORD_ALIGNED int16_t vectors[64]; /* q7 reads them as bytes */
    uint16_t norms[8], class_end[4], gains[4];
    int16_t coef[16], factor[8], weights[16];
    int32_t bias[4], offset[8], constants[8];
    uint8_t shift[8], downs[4], target[2];
    uint16_t list_reach[2];
    margin_stage_q stage;
    margin_model_q model;
} integer_fixture;

static margin_vote_q vote_q(unsigned scheme, size_t classes) {
    margin_vote_q vote;
    memset(&vote, 0, sizeof vote);
    vote.scheme = (uint8_t)scheme;
    vote.classes = (uint16_t)classes;
    vote.machines = (uint16_t)margin_machines(scheme, classes);
    return vote;
}

static const margin_stage_q *stage_q(integer_fixture *f) {
    for (size_t k = 0; k < 8; k++) {
        f->factor[k] = 3;
        f->offset[k] = -5;
        f->shift[k] = 1;
    }
    f->stage.offset = f->offset;
    f->stage.factor = f->factor;
    f->stage.shift = f->shift;
    return &f->stage;
}

static margin_linear_q *make_linear_q(integer_fixture *f, unsigned scheme, size_t classes) {
    margin_linear_q *l = &f->model.of.linear;
    memset(f, 0, sizeof *f);
    f->model.kind = MARGIN_MODEL_LINEAR;
    for (size_t k = 0; k < 16; k++) { f->weights[k] = (int16_t)(100 - (int)k); }
    l->w = f->weights;
    l->bias = f->bias;
    l->stage = stage_q(f);
    l->d = 4;
    l->format = MARGIN_Q15;
    l->vote = vote_q(scheme, classes);
    return l;
}

/* Eight equal vectors (3, 4), of squared length 25. */
static margin_expansion_q *make_expansion_q(integer_fixture *f, unsigned kernel, unsigned format,
                                            unsigned scheme, size_t classes) {
    margin_expansion_q *e = &f->model.of.expansion;
    memset(f, 0, sizeof *f);
    f->model.kind = MARGIN_MODEL_EXPANSION;
    for (size_t i = 0; i < 16; i++) {
        f->vectors[i] =
            (int16_t)(format == MARGIN_Q15 ? 3 + (int)(i % 2u) : 0x0303 + 0x0101 * (int)(i % 2u));
        f->coef[i] = (int16_t)(i % 2u == 0 ? 900 : -800);
    }
    for (size_t v = 0; v < 8; v++) {
        f->norms[v] =
            kernel == MARGIN_KERNEL_RBF ? 13 : 26214; /* 25 / 2 rounded up; 2^18 / 5 / 2 */
    }
    for (size_t c = 0; c < classes; c++) { f->class_end[c] = (uint16_t)(8u * (c + 1u) / classes); }
    e->vectors = f->vectors;
    e->norms = f->norms;
    e->coef = f->coef;
    e->bias = f->bias;
    e->class_end = f->class_end;
    e->stage = stage_q(f);
    e->n = 8;
    e->d = 2;
    e->width = (uint16_t)(scheme == MARGIN_SCHEME_ONE_ONE ? classes - 1u : 1u);
    e->format = (uint8_t)format;
    e->kernel.kind = (uint8_t)kernel;
    e->kernel.power = (uint8_t)(kernel == MARGIN_KERNEL_POLY ? 2 : 0);
    e->kernel.shift = (uint8_t)(kernel == MARGIN_KERNEL_RBF ? 0 : 3);
    e->kernel.gain = 40000;
    e->kernel.step = (uint16_t)(kernel == MARGIN_KERNEL_RBF ? 1 : 0);
    e->kernel.down = 4;
    e->kernel.cut = kernel == MARGIN_KERNEL_POLY ? 0 : UINT32_C(1) << 20;
    e->kernel.reach = kernel == MARGIN_KERNEL_RBF ? UINT32_C(1) << 20 : 0;
    e->vote = vote_q(scheme, classes);
    return e;
}

/* Four models of a centroid (3, 4) and a tangent (4, -3) each: eight rows. */
static margin_proto_q *make_proto_q(integer_fixture *f, unsigned format) {
    margin_proto_q *p = &f->model.of.proto;
    memset(f, 0, sizeof *f);
    f->model.kind = MARGIN_MODEL_PROTO;
    for (size_t i = 0; i < 16; i++) {
        f->vectors[i] =
            (int16_t)(format == MARGIN_Q15 ? 3 + (int)(i % 2u) : 0x0303 + 0x0101 * (int)(i % 2u));
    }
    for (size_t i = 0; i < 8; i++) { f->constants[i] = i % 2u == 0 ? 2000 : 200; }
    for (size_t m = 0; m < 4; m++) {
        f->class_end[m] = (uint16_t)(2u * (m + 1u));
        f->gains[m] = 1000;
        f->downs[m] = 2;
    }
    p->vectors = f->vectors;
    p->constants = f->constants;
    p->gains = f->gains;
    p->downs = f->downs;
    p->class_end = f->class_end;
    p->stage = stage_q(f);
    p->reach = 10000;
    p->n = 4;
    p->d = 2;
    p->tangents = 1;
    p->nth = 1;
    p->up = 2;
    p->left = 3;
    p->format = (uint8_t)format;
    p->vote = vote_q(MARGIN_SCHEME_NEAREST, 2);
    return p;
}

/* Two cuts over those eight vectors; with a linear kernel two rows of weights. */
static margin_list_q *make_list_q(integer_fixture *f, unsigned kernel) {
    margin_list_q *l = &f->model.of.list;
    const margin_expansion_q pool =
        *make_expansion_q(f, kernel, MARGIN_Q15, MARGIN_SCHEME_BINARY, 2);
    f->model.kind = MARGIN_MODEL_LIST;
    l->pool = pool;
    l->pool.class_end = NULL;
    l->pool.width = 2;
    f->list_reach[0] = 4;
    f->list_reach[1] = 8;
    f->target[0] = 0;
    f->target[1] = 1;
    l->reach = f->list_reach;
    l->target = f->target;
    if (kernel == MARGIN_KERNEL_LINEAR) {
        l->pool.n = 0;
        l->pool.norms = NULL;
        l->pool.coef = NULL;
        l->reach = NULL;
    }
    for (size_t v = 4; v < 8; v++) { f->coef[2 * v] = 0; /* beyond the reach of the first cut */ }
    return l;
}

/* SOUND(make): the fixture passes. AFTER(status, make, change): with that change it does not. */
#define SOUND(make)                                                                                \
    do {                                                                                           \
        (void)(make);                                                                              \
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check_q(&f.model), "%d");                  \
    } while (0)
#define AFTER(status, make, change)                                                                \
    do {                                                                                           \
        SOUND(make);                                                                               \
        change;                                                                                    \
        ASSERT_EQ_FMTm(#change, (int)(status), (int)margin_model_check_q(&f.model), "%d");         \
    } while (0)
#define MISSING(make, change) AFTER(MARGIN_E_ARGUMENT, make, change)
#define WRONG(make, change) AFTER(MARGIN_E_RANGE, make, change)

static integer_fixture f;

TEST an_integer_linear_model_with_one_thing_wrong_is_refused(void) {
    margin_linear_q *l = &f.model.of.linear;
#define MAKE make_linear_q(&f, MARGIN_SCHEME_BINARY, 2)
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_check_q(NULL));
    MISSING(MAKE, l->w = NULL);
    MISSING(MAKE, l->bias = NULL);
    MISSING(MAKE, f.stage.offset = NULL);
    MISSING(MAKE, f.stage.factor = NULL);
    MISSING(MAKE, f.stage.shift = NULL);
    WRONG(MAKE, f.model.kind = 9);
    WRONG(MAKE, (memset(&f.model.of, 0x55, sizeof f.model.of), f.model.kind = 9)); /* unread */
    WRONG(MAKE, l->format = 8);
    WRONG(MAKE, l->d = 0);
    WRONG(MAKE, l->vote.classes = 1);
    WRONG(MAKE, l->vote.scheme = 77);
    WRONG(MAKE, l->vote.machines = 2);
    WRONG(MAKE, l->vote.reject = -1);
    WRONG(MAKE, l->vote.shift = (INT32_C(1) << 30) + 1);
    WRONG(MAKE, l->vote.shift = -(INT32_C(1) << 30) - 1);
    WRONG(MAKE, l->vote.include = 32769u);
    WRONG(MAKE, l->vote.down = 32);
    WRONG(MAKE, f.factor[3] = -1);
    WRONG(MAKE, f.offset[3] = INT32_C(1) << 30);
    WRONG(MAKE, f.offset[3] = -(INT32_C(1) << 30));
    WRONG(MAKE, f.shift[3] = 31);
    WRONG(MAKE, f.bias[0] = INT32_MAX);
    WRONG(MAKE, f.bias[0] = INT32_MIN);
    WRONG(MAKE, (f.weights[0] = INT16_MAX, f.weights[1] = INT16_MIN, f.weights[2] = INT16_MAX));
    WRONG(make_linear_q(&f, MARGIN_SCHEME_ORDINAL, 4), f.bias[1] = 1);
    WRONG(make_linear_q(&f, MARGIN_SCHEME_ORDINAL, 4), (f.bias[2] = 2, f.bias[1] = 1));
    WRONG(make_linear_q(&f, MARGIN_SCHEME_ONE_REST, 3), f.bias[2] = INT32_MAX);
#undef MAKE
    PASS();
}

TEST an_integer_expansion_with_one_thing_wrong_is_refused(void) {
    margin_expansion_q *e = &f.model.of.expansion;
#define MAKE make_expansion_q(&f, MARGIN_KERNEL_RBF, MARGIN_Q15, MARGIN_SCHEME_BINARY, 2)
#define PAIRS make_expansion_q(&f, MARGIN_KERNEL_RBF, MARGIN_Q15, MARGIN_SCHEME_ONE_ONE, 3)
#define BYTES make_expansion_q(&f, MARGIN_KERNEL_RBF, MARGIN_Q7, MARGIN_SCHEME_BINARY, 2)
    MISSING(MAKE, e->vectors = NULL);
    MISSING(MAKE, e->vectors = f.vectors + 1);
    MISSING(MAKE, e->norms = NULL);
    MISSING(MAKE, e->coef = NULL);
    MISSING(MAKE, e->bias = NULL);
    MISSING(MAKE, f.stage.shift = NULL);
    MISSING(PAIRS, e->class_end = NULL);
    WRONG(MAKE, e->format = 0);
    WRONG(MAKE, e->n = 0);
    WRONG(MAKE, e->n = 7);
    WRONG(MAKE, e->d = 0);
    WRONG(MAKE, e->width = 2);
    WRONG(MAKE, e->kernel.kind = MARGIN_KERNEL_LINEAR);
    WRONG(MAKE, e->vote.reject = -1);
    WRONG(MAKE, f.shift[1] = 31);
    WRONG(MAKE, f.bias[0] = INT32_MIN);
    WRONG(make_expansion_q(&f, MARGIN_KERNEL_RBF, MARGIN_Q15, MARGIN_SCHEME_ORDINAL, 3),
          f.bias[1] = 1);
    WRONG(PAIRS, f.class_end[1] = 1);
    WRONG(PAIRS, f.class_end[2] = 7);
    /* The exponential: shifts below 32, all arguments within 32 bits. */
    WRONG(MAKE, e->kernel.up = 32);
    WRONG(MAKE, e->kernel.down = 32);
    WRONG(MAKE, (e->kernel.cut = UINT32_C(1) << 31, e->kernel.up = 2));
    WRONG(MAKE, (e->kernel.cut = UINT32_MAX, e->kernel.gain = 65535));
    /* Distances: none leaves 32 bits or comes out negative. */
    WRONG(MAKE, e->kernel.reach = UINT32_C(0xC0000000));
    WRONG(MAKE,
          (e->kernel.reach = UINT32_C(0xBFFFFFFF), e->kernel.shift = 12, /* and |v|^2 of 2.9e8 */
           memset(f.vectors, 0x2F, sizeof f.vectors), memset(f.norms, 0xA0, sizeof f.norms)));
    WRONG(MAKE, e->kernel.shift = 16);
    WRONG(MAKE, e->kernel.step = 0);
    WRONG(MAKE, e->kernel.step = 2);
    WRONG(MAKE, f.norms[5] = 12);
    WRONG(BYTES, e->kernel.step = UINT16_MAX);
    WRONG(MAKE, (e->d = 8, memset(f.vectors, 0x7F, sizeof f.vectors))); /* |v|^2 above 2^32 */
    WRONG(BYTES,
          (e->d = 8, e->kernel.step = UINT16_MAX, memset(f.vectors, 0x7F, sizeof f.vectors)));
#undef BYTES
#undef PAIRS
#undef MAKE
    PASS();
}

TEST an_integer_polynomial_or_cosine_with_one_thing_wrong_is_refused(void) {
    margin_expansion_q *e = &f.model.of.expansion;
#define POLY make_expansion_q(&f, MARGIN_KERNEL_POLY, MARGIN_Q15, MARGIN_SCHEME_BINARY, 2)
#define UNIT make_expansion_q(&f, MARGIN_KERNEL_UNIT_POLY, MARGIN_Q15, MARGIN_SCHEME_BINARY, 2)
    SOUND((POLY, e->norms = NULL));
    WRONG(POLY, e->kernel.power = 0);
    WRONG(POLY, e->kernel.shift = 0);
    WRONG(POLY, e->kernel.shift = 32);
    WRONG(POLY, e->kernel.down = 32);
    WRONG(POLY, e->kernel.up = 15);
    WRONG(POLY, e->kernel.add = (INT32_C(1) << 30) + 1);
    WRONG(POLY, e->kernel.add = INT32_MIN);
    WRONG(POLY, (e->d = 4, memset(f.vectors, 0x7F, sizeof f.vectors)));
    SOUND(make_expansion_q(&f, MARGIN_KERNEL_UNIT_EXP, MARGIN_Q7, MARGIN_SCHEME_BINARY, 2));
    MISSING(UNIT, e->norms = NULL);
    WRONG(UNIT, e->kernel.shift = 0);
    WRONG(UNIT, e->kernel.shift = 16);
    WRONG(UNIT, e->kernel.power = 2);
    WRONG(UNIT, e->kernel.up = 32);
    WRONG(UNIT, e->kernel.shift = 2); /* vectors longer than 2^shift */
    WRONG(UNIT, (e->d = 4, memset(f.vectors, 0x7F, sizeof f.vectors)));
#undef UNIT
#undef POLY
    PASS();
}

/* EDGE(make, field, last, beyond): the last value of a field that is good, and the first that is not. */
#define EDGE(make, field, last, beyond)                                                            \
    do {                                                                                           \
        SOUND((make, (field) = (last)));                                                           \
        WRONG(make, (field) = (beyond));                                                           \
    } while (0)

TEST the_edges_of_the_integer_checks_are_where_they_say(void) {
    margin_expansion_q *e = &f.model.of.expansion;
    margin_linear_q *l = &f.model.of.linear;
    /* sum |w| 2^15 + |bias| of 100 + 99 + 98 + 97 = 394 */
    const int32_t left = INT32_MAX - 394 * 32768;
#define LINEAR make_linear_q(&f, MARGIN_SCHEME_BINARY, 2)
    EDGE(LINEAR, f.bias[0], left, left + 1);
    EDGE(LINEAR, f.bias[0], -left, -left - 1);
    EDGE((LINEAR, f.bias[0] = 32767, f.weights[1] = 32767), f.weights[0], 32573, 32574);
    EDGE(LINEAR, l->vote.shift, INT32_C(1) << 30, (INT32_C(1) << 30) + 1);
    EDGE(LINEAR, l->vote.shift, -(INT32_C(1) << 30), -(INT32_C(1) << 30) - 1);
    EDGE(LINEAR, l->vote.down, 31, 32);
    EDGE(LINEAR, l->vote.include, 32768, 32769);
    EDGE(LINEAR, f.offset[3], (INT32_C(1) << 30) - 1, INT32_C(1) << 30);
    EDGE(LINEAR, f.offset[3], 1 - (INT32_C(1) << 30), -(INT32_C(1) << 30));
    EDGE(LINEAR, f.factor[3], 0, -1);
    EDGE(LINEAR, f.shift[3], 30, 31);
#undef LINEAR
#define POLY make_expansion_q(&f, MARGIN_KERNEL_POLY, MARGIN_Q15, MARGIN_SCHEME_BINARY, 2)
    EDGE(POLY, e->kernel.power, 1, 0);
    EDGE(POLY, e->kernel.shift, 1, 0);
    EDGE(POLY, e->kernel.shift, 31, 32);
    EDGE(POLY, e->kernel.down, 31, 32);
    EDGE(POLY, e->kernel.up, 14, 15);
    EDGE(POLY, e->kernel.add, INT32_C(1) << 30, (INT32_C(1) << 30) + 1);
    EDGE(POLY, e->kernel.add, -(INT32_C(1) << 30), -(INT32_C(1) << 30) - 1);
    EDGE(POLY, f.bias[0], (INT32_C(1) << 30) - 1, INT32_C(1) << 30);
    EDGE(POLY, f.bias[0], 1 - (INT32_C(1) << 30), -(INT32_C(1) << 30));
    SOUND((POLY, memset(f.coef, 0x7F, sizeof f.coef))); /* its sums are limited as they grow */
    EDGE((POLY, f.vectors[10] = INT16_MIN), f.vectors[11], INT16_MAX, INT16_MIN); /* below 2^16 */
#undef POLY
#define UNIT make_expansion_q(&f, MARGIN_KERNEL_UNIT_POLY, MARGIN_Q15, MARGIN_SCHEME_BINARY, 2)
    EDGE(UNIT, e->kernel.shift, 3, 2); /* 25 < 4^shift */
    EDGE(UNIT, e->kernel.shift, 15, 16);
    EDGE(UNIT, e->kernel.power, 1, 2);
#undef UNIT
#define HINGE make_expansion_q(&f, MARGIN_KERNEL_HINGE, MARGIN_Q15, MARGIN_SCHEME_BINARY, 2)
    EDGE(HINGE, e->kernel.shift, 30, 31);
    EDGE((HINGE, memset(f.norms, 0, sizeof f.norms)), e->kernel.up, 15, 16);
    EDGE(HINGE, e->kernel.down, 31, 32);
    /* (3 + 4) 2^15 + |t| 2^15 <= 2^31 - 1: |t| < 65529, so that any t will do; with 4 at 32767 only 28765 */
    SOUND((HINGE, e->kernel.up = 15, f.norms[7] = 0x8000));
    EDGE((HINGE, e->kernel.up = 15, f.vectors[15] = INT16_MAX), f.norms[7], 32765, 32766);
    EDGE((HINGE, e->kernel.up = 15, f.vectors[15] = INT16_MAX), f.norms[7], (uint16_t)-32765,
         (uint16_t)-32766);
#undef HINGE
#define RBF make_expansion_q(&f, MARGIN_KERNEL_RBF, MARGIN_Q15, MARGIN_SCHEME_BINARY, 2)
    EDGE(RBF, f.norms[0], 13, 12);
    EDGE((RBF, memset(f.vectors, 0, sizeof f.vectors)), e->kernel.shift, 15, 16);
    EDGE((RBF, e->kernel.gain = 0), e->kernel.up, 12, 13); /* (2^20 - 1) 2^12 */
    EDGE((RBF, e->kernel.gain = 0), e->kernel.down, 31, 32);
    /* eight vectors add at most |coef| 32767 + 1 each: 4 (900 + 800) 32767 + 8 */
    EDGE((RBF, e->kernel.down = 0), f.bias[0], INT32_MAX - 6800 * 32767 - 8,
         INT32_MAX - 6800 * 32767 - 7);
#undef RBF
    PASS();
}

/* ---- the proofs of the checks, by trial ---------------------------------------------------------- */

static int64_t signed_most(int32_t a) { /* the most that a x can be, x from -32768 to 32767 */
    return a < 0 ? -(int64_t)a * 32768 : (int64_t)a * 32767;
}

static int32_t wild(margin_rng *rng, unsigned bits) { /* of any size up to so many bits */
    const uint32_t size = margin_rng_u32(rng) >> (32u - 1u - margin_rng_below(rng, bits));
    return margin_rng_below(rng, 2) == 0 ? (int32_t)size : -(int32_t)size;
}

static int16_t vector_q(const int16_t *pool, size_t v, size_t k) { /* d = 2 */
    return pool[v / 4u * 8u + v % 4u * 2u + k];
}

/* Random weights, accepted or not: of those accepted no sum over the worst input leaves 31 bits. */
TEST no_sum_of_an_accepted_integer_model_overflows(void) {
    margin_rng rng = margin_rng_make(3);
    size_t accepted[3] = {0, 0, 0};
    for (unsigned trial = 0; trial < 30000u; trial++) {
        const unsigned kind = trial % 3u;
        int64_t high = 0, low = 0;
        if (kind == 0) {
            margin_linear_q *l = make_linear_q(&f, MARGIN_SCHEME_BINARY, 2);
            for (size_t k = 0; k < 4; k++) { f.weights[k] = (int16_t)wild(&rng, 15); }
            high = low = f.bias[0] = wild(&rng, 31);
            for (size_t k = 0; k < l->d; k++) {
                high += signed_most(f.weights[k]);
                low -= signed_most(-f.weights[k]);
            }
        } else {
            margin_expansion_q *e =
                make_expansion_q(&f, kind == 1u ? MARGIN_KERNEL_POLY : MARGIN_KERNEL_HINGE,
                                 MARGIN_Q15, MARGIN_SCHEME_BINARY, 2);
            e->kernel.up = (uint8_t)margin_rng_below(&rng, 18);
            for (size_t i = 0; i < 16; i++) { f.vectors[i] = (int16_t)wild(&rng, 15); }
            for (size_t v = 0; v < 8; v++) {
                const int16_t a = vector_q(f.vectors, v, 0), b = vector_q(f.vectors, v, 1);
                const int16_t t = kind == 1u ? 0 : (int16_t)wild(&rng, 15);
                const int64_t constant = (int64_t)t * ((int64_t)1 << e->kernel.up);
                f.norms[v] = (uint16_t)t;
                const int64_t up = signed_most(a) + signed_most(b) + constant;
                const int64_t down = constant - signed_most(-a) - signed_most(-b);
                high = up > high ? up : high;
                low = down < low ? down : low;
            }
        }
        if (margin_model_check_q(&f.model) == MARGIN_OK) {
            accepted[kind]++;
            ASSERT(high <= INT32_MAX && low >= INT32_MIN);
        }
    }
    ASSERT(accepted[0] > 1000 && accepted[1] > 1000 && accepted[2] > 1000);
    PASS();
}

/* Random rbf models: of those accepted no squared distance of an input within reach is negative or leaves 32 bits. The worst
 * inputs lie along the vector, or against it. */
TEST no_distance_of_an_accepted_integer_model_overflows(void) {
    margin_rng rng = margin_rng_make(4);
    size_t accepted = 0;
    for (unsigned trial = 0; trial < 20000u; trial++) {
        margin_expansion_q *e =
            make_expansion_q(&f, MARGIN_KERNEL_RBF, MARGIN_Q15, MARGIN_SCHEME_BINARY, 2);
        const unsigned bits = 1u + margin_rng_below(&rng, 15);
        e->kernel.reach = margin_rng_u32(&rng) >> margin_rng_below(&rng, 24);
        e->kernel.shift = (uint8_t)margin_rng_below(&rng, 17);
        for (size_t i = 0; i < 16; i++) { f.vectors[i] = (int16_t)wild(&rng, bits); }
        for (size_t v = 0; v < 8; v++) { /* right, or too small by a little, now and then */
            const double a = vector_q(f.vectors, v, 0), b = vector_q(f.vectors, v, 1);
            const double half = ceil((a * a + b * b) / 2 / (double)(1u << e->kernel.shift));
            f.norms[v] = (uint16_t)(half > 65535 ? 65535 : half);
            f.norms[v] =
                (uint16_t)(f.norms[v] - (margin_rng_below(&rng, 50) == 0 && f.norms[v] > 0));
        }
        if (margin_model_check_q(&f.model) != MARGIN_OK) { continue; }
        accepted++;
        for (size_t v = 0; v < 8; v++) {
            const double a = vector_q(f.vectors, v, 0), b = vector_q(f.vectors, v, 1);
            const double length = sqrt(a * a + b * b), reach = sqrt((double)e->kernel.reach);
            const double twice = 2 * ldexp(f.norms[v], e->kernel.shift);
            ASSERT(reach * reach + twice + 2 * reach * length < 4294967296.0);
            ASSERT(twice >= a * a + b * b); /* the least is at x = v */
        }
    }
    ASSERT(accepted > 1000);
    PASS();
}

/* Thresholds of -8 and weights of 7 in all: two machines of 8 vectors each, or one. */
TEST integer_hinges_with_one_thing_wrong_are_refused(void) {
    margin_expansion_q *e = &f.model.of.expansion;
#define MAKE make_expansion_q(&f, MARGIN_KERNEL_HINGE, MARGIN_Q15, MARGIN_SCHEME_BINARY, 2)
    WRONG(MAKE, e->kernel.shift = 31);
    WRONG(MAKE, e->kernel.up = 16);
    WRONG(MAKE, e->kernel.down = 32);
    WRONG(MAKE,
          (f.norms[7] = 0x7FFF, e->kernel.up = 15, memset(f.vectors, 0x7F, sizeof f.vectors)));
    WRONG(MAKE, (e->vote = vote_q(MARGIN_SCHEME_ORDINAL, 3))); /* one score, two thresholds */
    (void)make_expansion_q(&f, MARGIN_KERNEL_HINGE, MARGIN_Q15, MARGIN_SCHEME_ONE_REST, 3);
    e->n = 4; /* vectors that speak to the machines of three classes */
    e->width = 3;
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check_q(&f.model), "%d");
#undef MAKE
    PASS();
}

/* By hand: (3, 4) . (10, 20) is 110, less a threshold of 10 * 2 is 90, of which the half is 45. Times
 * coefficients of 8, -8, 16 and 4 over 4 that is 90 - 90 + 180 + 45, for two vectors each. Of six
 * vectors the last two are no block but rows. */
TEST integer_hinges_score_by_hand(void) {
    static const int16_t near[2] = {10, 20}, far[2] = {-10, -20};
    static const int8_t coef[4] = {8, -8, 16, 4};
    static int8_t narrow[8];
    for (unsigned format = 0; format < 2u; format++) {
        margin_expansion_q *e =
            make_expansion_q(&f, MARGIN_KERNEL_HINGE, format == 1u ? MARGIN_Q7 : MARGIN_Q15,
                             MARGIN_SCHEME_BINARY, 2);
        int32_t score;
        for (size_t v = 0; v < 8u; v++) {
            f.norms[v] = (uint16_t)-10;
            f.coef[v] = narrow[v] = coef[v % 4u];
        }
        e->kernel.shift = e->kernel.up = 1;
        e->kernel.down = 2;
        e->stage = NULL;
        f.bias[0] = 1000;
        e->coef = format == 1u ? (const void *)narrow : f.coef;
        e->scales = NULL;
        ASSERT_EQ(MARGIN_OK, margin_model_check_q(&f.model));
        margin_scores_q(&f.model, near, &score);
        ASSERT_EQ_FMT(1450, (int)score, "%d");
        margin_scores_q(&f.model, far, &score);
        ASSERT_EQ_FMT(1000, (int)score, "%d");
        e->n = 6;
        if (format == 1u) { memcpy((int8_t *)f.vectors + 8, "\3\4\3\4", 4); }
        ASSERT_EQ(MARGIN_OK, margin_model_check_q(&f.model));
        margin_scores_q(&f.model, near, &score);
        ASSERT_EQ_FMT(1225, (int)score, "%d");
    }
    PASS();
}

/* A model of one class: its edge is the runner-up, and without an edge there is none. */
TEST one_class_without_an_edge_has_no_runner_up(void) {
    static const margin_real centre[2] = {1, 2}, at[2] = {4, 6};
    static const uint32_t end = 1;
    static const int16_t x[2] = {4, 6};
    const int32_t one = 7;
    int32_t score;
    margin_proto_found found;
    margin_proto_found_q found_q;
    margin_proto p;
    margin_proto_q *q = make_proto_q(&f, MARGIN_Q15);
    memset(&p, 0, sizeof p);
    p.vectors = centre;
    p.class_end = &end;
    p.n = 1;
    p.d = 2;
    p.nth = 1;
    p.vote.classes = 1;
    p.vote.scheme = MARGIN_SCHEME_NEAREST;
    margin_proto_find(&p, at, &found);
    ASSERT(found.distance == 25 && found.label == 0);
    ASSERT_IN_RANGE(1, (double)found.margin, 1e-6); /* against what is infinitely far */
    p.vote.reject = 75;
    margin_proto_find(&p, at, &found);
    ASSERT(found.runner == 75 && found.label == 0);
    ASSERT_IN_RANGE(0.5, (double)found.margin, 1e-6);
    p.vote.reject = 24;
    margin_proto_find(&p, at, &found);
    ASSERT_EQ(MARGIN_REJECTED, found.label);
    f.class_end[0] = 4;
    q->vote = vote_q(MARGIN_SCHEME_NEAREST, 1);
    ASSERT_EQ(MARGIN_OK, margin_model_check_q(&f.model));
    margin_proto_find_q15(q, x, &score, &found_q);
    ASSERT(found_q.distance == score && found_q.runner == INT32_MAX && found_q.label == 0);
    q->vote.reject = 1;
    margin_proto_find_q15(q, x, &score, &found_q);
    ASSERT(found_q.runner == 1 && found_q.label == (score > 1 ? MARGIN_REJECTED : 0));
    ASSERT_EQ_FMT(INT32_MAX, (int)margin_margin_q(MARGIN_SCHEME_NEAREST, 1, &one, 0), "%d");
    PASS();
}

TEST an_integer_prototype_model_with_one_thing_wrong_is_refused(void) {
    margin_proto_q *p = &f.model.of.proto;
#define MAKE make_proto_q(&f, MARGIN_Q15)
    SOUND(make_proto_q(&f, MARGIN_Q7));
    SOUND((MAKE, p->tangents = 0, memset(f.gains, 0, sizeof f.gains), p->downs = NULL));
    WRONG(MAKE, p->tangents = 0); /* bounds to leave by that are too high */
    MISSING(MAKE, (p->tangents = 0, p->gains = NULL));
    MISSING(MAKE, p->vectors = NULL);
    MISSING(MAKE, p->vectors = f.vectors + 1);
    MISSING(MAKE, p->constants = NULL);
    MISSING(MAKE, p->class_end = NULL);
    MISSING(MAKE, p->gains = NULL);
    MISSING(MAKE, p->downs = NULL);
    MISSING(MAKE, f.stage.factor = NULL);
    WRONG(MAKE, p->format = 1);
    WRONG(MAKE, p->d = 0);
    WRONG(MAKE, p->n = 0);
    WRONG(MAKE, p->n = 3);
    WRONG(MAKE, p->tangents = MARGIN_PROTO_TANGENTS + 1);
    WRONG(MAKE, p->nth = 0);
    WRONG(MAKE, p->nth = MARGIN_PROTO_NTH + 1);
    WRONG(MAKE, p->up = 16);
    WRONG(MAKE, p->left = 16);
    WRONG(MAKE, p->reach = UINT32_C(0xC0000000));
    WRONG(MAKE, (p->vote.scheme = MARGIN_SCHEME_ONE_REST, p->vote.machines = 2));
    WRONG(MAKE, p->vote.classes = 1);
    WRONG(MAKE, p->vote.classes = MARGIN_REJECTED);
    WRONG(MAKE, (p->vote.classes = 0, p->vote.machines = 0));
    WRONG(MAKE, (p->vote.scheme = MARGIN_SCHEME_BINARY, p->vote.machines = 1));
    WRONG(MAKE, p->vote.curve = f.vectors); /* not of two classes by one score */
    WRONG(MAKE, f.factor[0] = -1);
    WRONG(MAKE, f.class_end[0] = 5);
    /* Centroids: neither |c.x| nor a distance leaves 31 bits, none is negative. */
    WRONG(MAKE, f.constants[0] = -1);
    WRONG(MAKE, f.constants[0] = INT32_MAX);
    WRONG(MAKE, f.constants[0] = 0);
    WRONG(MAKE, p->reach = UINT32_C(0xBFFFFFFF));
    WRONG(MAKE, (p->d = 4, memset(f.vectors, 0x7F, sizeof f.vectors)));
    WRONG(MAKE, (p->d = 6, memset(f.vectors, 0x7F, sizeof f.vectors))); /* |c|^2 above 2^32 */
    WRONG(MAKE, (p->reach = UINT32_C(0xB0000000), memset(f.vectors, 0x7F, sizeof f.vectors)));
    /* Tangents: the root of the sum of their squares fits 16 bits. */
    WRONG(MAKE, f.downs[3] = 32);
    WRONG(MAKE, f.constants[7] = INT32_MAX);
    WRONG(MAKE, (f.constants[7] = 1000000, f.downs[3] = 0));
    SOUND((MAKE, f.constants[7] = 261600)); /* 5 * 100 + 261608, over 4, and 7 */
    WRONG(MAKE, f.constants[7] = 261616);
#undef MAKE
    PASS();
}

TEST an_integer_list_with_one_thing_wrong_is_refused(void) {
    margin_list_q *l = &f.model.of.list;
#define MAKE make_list_q(&f, MARGIN_KERNEL_RBF)
#define LINEAR make_list_q(&f, MARGIN_KERNEL_LINEAR)
    SOUND(make_list_q(&f, MARGIN_KERNEL_POLY));
    SOUND(make_list_q(&f, MARGIN_KERNEL_UNIT_EXP));
    MISSING(MAKE, l->pool.vectors = NULL);
    MISSING(MAKE, l->pool.vectors = f.vectors + 1);
    MISSING(MAKE, l->pool.bias = NULL);
    MISSING(MAKE, l->pool.coef = NULL);
    MISSING(MAKE, l->pool.norms = NULL);
    MISSING(MAKE, l->reach = NULL);
    MISSING(MAKE, l->target = NULL);
    MISSING(MAKE, f.stage.offset = NULL);
    WRONG(MAKE, l->pool.format = 3);
    WRONG(MAKE, l->pool.d = 0);
    WRONG(MAKE, l->pool.width = 0);
    WRONG(MAKE, l->pool.width = MARGIN_LIST_MOST + 1);
    WRONG(MAKE, l->pool.n = 6);
    WRONG(MAKE, l->pool.n = 0);
    WRONG(LINEAR,
          (l->pool.n = 4, l->pool.coef = f.coef, l->pool.norms = f.norms, l->reach = f.list_reach));
    WRONG(MAKE, l->pool.vote = vote_q(MARGIN_SCHEME_ONE_REST, 3));
    WRONG(MAKE, l->pool.vote.reject = -1);
    WRONG(MAKE, f.factor[0] = -1);
    WRONG(MAKE, f.target[0] = 2);
    WRONG(MAKE, f.target[1] = 0);
    WRONG(MAKE, f.list_reach[0] = 3);
    WRONG(MAKE, f.list_reach[0] = 12);
    WRONG(MAKE, f.list_reach[1] = 4);
    WRONG(MAKE, l->pool.kernel.step = 0);
    WRONG(MAKE, f.bias[1] = INT32_MAX);
    WRONG(LINEAR, f.bias[1] = INT32_MAX);
#undef LINEAR
#undef MAKE
    PASS();
}

/* Those eight vectors behind a projection of four features onto two numbers. */
static margin_projected_q *make_projected_q(integer_fixture *g, unsigned format) {
    margin_projected_q *p = &g->model.of.projected;
    const margin_expansion_q pool =
        *make_expansion_q(g, MARGIN_KERNEL_RBF, format, MARGIN_SCHEME_BINARY, 2);
    g->model.kind = MARGIN_MODEL_PROJECTED;
    p->pool = pool;
    p->front = memcpy(g->weights, "\1\2\3\4\5\6\7\1\2\3\4\5\6\7\1", 16);
    p->front_bias = g->constants;
    p->front_scales = g->gains;
    p->d = 4;
    p->front_down = 3;
    return p;
}

/* Rows of the front: sum |front| * 2^15 + |bias| stays below 2^31, in each of them. */
TEST an_integer_model_behind_a_projection_with_one_thing_wrong_is_refused(void) {
    margin_projected_q *p = &f.model.of.projected;
#define MAKE make_projected_q(&f, MARGIN_Q15)
#define BYTES make_projected_q(&f, MARGIN_Q7)
    SOUND(BYTES);
    SOUND((MAKE, p->front_down = 31));
    SOUND((BYTES, p->pool.kernel.kind = MARGIN_KERNEL_HINGE, p->pool.n = 7));
    WRONG(BYTES, p->pool.n = 7); /* rbf fills up its blocks */
    MISSING(MAKE, p->front = NULL);
    MISSING(MAKE, p->front_bias = NULL);
    MISSING(MAKE, p->front_scales = NULL);
    MISSING(MAKE, p->pool.vectors = NULL);
    MISSING(MAKE, f.stage.shift = NULL);
    WRONG(MAKE, p->d = 0);
    WRONG(MAKE, p->front_down = 32);
    WRONG(MAKE, f.factor[3] = -1); /* the stage is that of the four features */
    WRONG(MAKE, p->pool.format = 3);
    WRONG(MAKE, p->pool.n = 0);
    WRONG(MAKE, p->pool.d = MARGIN_RANK_MOST + 1u);
    for (size_t row = 0; row < 2u; row++) {
        const int32_t rest = INT32_MAX - (row == 0 ? 10 : 19) * 32768;
        WRONG(MAKE, f.constants[row] = INT32_MAX);
        WRONG(MAKE, f.constants[row] = -INT32_MAX);
        WRONG(BYTES, f.constants[row] = rest + 1);
        SOUND((BYTES, f.constants[row] = rest));
        WRONG(MAKE, (memset(f.weights, 0, sizeof f.weights), f.weights[4u * row] = INT16_MAX,
                     f.weights[4u * row + 1u] = INT16_MAX, f.constants[row] = 1 << 17));
    }
#undef BYTES
#undef MAKE
    PASS();
}

/* ---- real models -------------------------------------------------------------------------------- */

typedef struct {
    margin_real vectors[32], norms[4], coef[12], bias[4], offset[4], factor[4], exits[4];
    uint32_t class_end[4], reach[4], target[4];
    margin_model model;
} real_fixture;

static real_fixture r;
static uint32_t image_words[400];
#define image ((unsigned char *)image_words)

static void fill(void) {
    memset(&r, 0, sizeof r);
    for (size_t i = 0; i < 32; i++) { r.vectors[i] = (margin_real)(i % 5u) - 2; }
    for (size_t v = 0; v < 4; v++) {
        r.norms[v] = margin_dot(r.vectors + 2 * v, r.vectors + 2 * v, 2);
        r.exits[v] = v % 2u == 0 ? 0 : 2;
        r.offset[v] = 1;
        r.factor[v] = 2;
        r.bias[v] = 1 - (margin_real)v;
        r.class_end[v] = v == 0 ? 2 : 4;
        r.reach[v] = (uint32_t)(v < 2u ? v + 1u : 4u);
        r.target[v] = v == 1u ? 0 : 1u;
    }
    for (size_t i = 0; i < 12; i++) {
        r.coef[i] =
            i / 3u < r.reach[i % 3u] ? (margin_real)(i % 3u) - 1 : 0; /* none beyond reach */
    }
}

static void set_expansion(margin_expansion *e) {
    e->vectors = r.vectors;
    e->norms = r.norms;
    e->coef = r.coef;
    e->bias = r.bias;
    e->class_end = r.class_end;
    e->offset = r.offset;
    e->factor = r.factor;
    e->n = 4;
    e->d = 2;
    e->width = 1;
    e->kernel.kind = MARGIN_KERNEL_POLY;
    e->kernel.degree = 2;
    e->kernel.gamma = 1;
    e->kernel.a = 2;
    e->vote.classes = 2;
}

/* Three cuts over a pool of four vectors in the plane. */
static margin_list *make_list(void) {
    margin_list *l = &r.model.of.list;
    fill();
    r.model.kind = MARGIN_MODEL_LIST;
    set_expansion(&l->pool);
    l->pool.class_end = NULL;
    l->pool.width = 3;
    l->reach = r.reach;
    l->target = r.target;
    return l;
}

static margin_expansion *make_expansion(unsigned scheme, size_t classes) {
    fill();
    r.model.kind = MARGIN_MODEL_EXPANSION;
    set_expansion(&r.model.of.expansion);
    r.class_end[classes - 1u] = 4;
    r.model.of.expansion.vote.scheme = (uint8_t)scheme;
    r.model.of.expansion.vote.classes = (uint16_t)classes;
    return &r.model.of.expansion;
}

/* Four models of a centroid and a tangent each. */
static margin_proto *make_proto(void) {
    margin_proto *p = &r.model.of.proto;
    fill();
    r.model.kind = MARGIN_MODEL_PROTO;
    p->vectors = r.vectors;
    p->exits = r.exits;
    p->class_end = r.class_end;
    p->offset = r.offset;
    p->factor = r.factor;
    p->n = 4;
    p->d = 2;
    p->tangents = 1;
    p->nth = 1;
    p->vote.classes = 2;
    p->vote.scheme = MARGIN_SCHEME_NEAREST;
    return p;
}

/* Refused as it stands in memory, and not to be written to an image. */
static bool refused(margin_status status) {
    return margin_model_check(&r.model) == status &&
           margin_image_write(&r.model, NULL, 0, image, sizeof image_words) == status;
}

#define REAL_AFTER(status, make, change)                                                           \
    do {                                                                                           \
        (void)(make);                                                                              \
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check(&r.model), "%d");                    \
        change;                                                                                    \
        ASSERTm(#change, refused(status));                                                         \
    } while (0)
#define REAL_MISSING(make, change) REAL_AFTER(MARGIN_E_ARGUMENT, make, change)
#define REAL_WRONG(make, change) REAL_AFTER(MARGIN_E_RANGE, make, change)

TEST a_list_with_one_thing_wrong_is_refused(void) {
    margin_list *l = &r.model.of.list;
    REAL_MISSING(make_list(), l->pool.vectors = NULL);
    REAL_MISSING(make_list(), l->pool.norms = NULL);
    REAL_MISSING(make_list(), l->pool.coef = NULL);
    REAL_MISSING(make_list(), l->pool.bias = NULL);
    REAL_MISSING(make_list(), l->pool.factor = NULL);
    REAL_MISSING(make_list(), l->reach = NULL);
    REAL_MISSING(make_list(), l->target = NULL);
    REAL_WRONG(make_list(), r.model.kind = 0);
    REAL_WRONG(make_list(), r.model.kind = 5);
    REAL_WRONG(make_list(), l->pool.vote.scheme = MARGIN_SCHEME_ONE_REST);
    REAL_WRONG(make_list(), l->pool.vote.classes = 3);
    REAL_WRONG(make_list(),
               (l->pool.vote.classes = 3, l->pool.vote.scheme = MARGIN_SCHEME_ONE_REST));
    REAL_WRONG(make_list(), l->pool.vote.reject = -1);
    REAL_WRONG(make_list(), l->pool.vote.reject = (margin_real)INFINITY);
    REAL_WRONG(make_list(), l->pool.vote.slope = (margin_real)NAN);
    REAL_WRONG(make_list(), l->pool.vote.shift = (margin_real)INFINITY);
    REAL_WRONG(make_list(), l->pool.vote.include = -1);
    REAL_WRONG(make_list(), l->pool.vote.include = 2);
    REAL_WRONG(make_list(), l->pool.n = 0);
    REAL_WRONG(make_list(), l->pool.d = 0);
    REAL_WRONG(make_list(), l->pool.width = 0);
    REAL_WRONG(make_list(), l->pool.width = MARGIN_LIST_MOST + 1);
    REAL_WRONG(make_list(), l->pool.kernel.degree = 0);
    REAL_WRONG(make_list(), l->pool.kernel.kind = 99);
    REAL_WRONG(make_list(), l->pool.kernel.kind = MARGIN_KERNEL_HINGE); /* lists have none */
    REAL_WRONG(make_list(), r.reach[1] = 0);
    REAL_WRONG(make_list(), r.reach[2] = 3);
    REAL_WRONG(make_list(), r.reach[1] = 5);
    REAL_WRONG(make_list(), (r.reach[2] = 3,
                             memset(r.coef + 9, 0, 3 * sizeof *r.coef))); /* one is never asked */
    REAL_WRONG(make_list(), r.coef[3 * 3] = 1);
    REAL_WRONG(make_list(), r.target[1] = 2);
    REAL_WRONG(make_list(), r.target[2] = 0);
    REAL_WRONG(make_list(), r.vectors[7] = (margin_real)NAN);
    REAL_WRONG(make_list(), r.norms[3] = (margin_real)NAN);
    REAL_WRONG(make_list(), r.coef[11] = (margin_real)INFINITY);
    REAL_WRONG(make_list(), r.bias[2] = (margin_real)NAN);
    REAL_WRONG(make_list(), r.offset[1] = (margin_real)NAN);
    REAL_WRONG(make_list(), r.factor[1] = (margin_real)INFINITY);
    PASS();
}

TEST a_prototype_model_with_one_thing_wrong_is_refused(void) {
    margin_proto *p = &r.model.of.proto;
    REAL_MISSING(make_proto(), p->vectors = NULL);
    REAL_MISSING(make_proto(), p->exits = NULL);
    REAL_MISSING(make_proto(), p->class_end = NULL);
    REAL_MISSING(make_proto(), p->factor = NULL);
    REAL_WRONG(make_proto(), p->vote.scheme = MARGIN_SCHEME_ONE_REST);
    REAL_WRONG(make_proto(), p->vote.classes = 1);
    REAL_WRONG(make_proto(), p->vote.classes = MARGIN_REJECTED);
    REAL_WRONG(make_proto(), p->vote.classes = 0);
    REAL_WRONG(make_proto(), p->vote.shift = (margin_real)NAN);
    REAL_WRONG(make_proto(), p->vote.curve = p->vectors); /* not of two classes by one score */
    REAL_WRONG(make_proto(), p->n = 0);
    REAL_WRONG(make_proto(), p->d = 0);
    REAL_WRONG(make_proto(), p->tangents = MARGIN_PROTO_TANGENTS + 1);
    REAL_WRONG(make_proto(), p->nth = 0);
    REAL_WRONG(make_proto(), p->nth = MARGIN_PROTO_NTH + 1);
    REAL_WRONG(make_proto(), r.class_end[0] = 5);
    REAL_WRONG(make_proto(), r.class_end[1] = 3);
    REAL_WRONG(make_proto(), r.vectors[15] = (margin_real)NAN);
    REAL_WRONG(make_proto(), r.offset[1] = (margin_real)NAN);
    REAL_WRONG(make_proto(), r.factor[0] = (margin_real)NAN);
    REAL_WRONG(make_proto(), r.exits[3] = (margin_real)NAN);
    REAL_WRONG(make_proto(), r.exits[3] = (margin_real)0.5);
    REAL_WRONG(make_proto(),
               (p->n = SIZE_MAX / 2, p->d = SIZE_MAX / 2)); /* more than memory holds */
    (void)make_proto();
    p->nth = MARGIN_PROTO_NTH + 1;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_two_sided(p, r.norms, NULL, 0, r.bias, r.coef));
    p->nth = 0;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_proto_two_sided(p, r.norms, NULL, 0, r.bias, r.coef));
    PASS();
}

TEST an_expansion_with_one_thing_wrong_is_refused(void) {
    REAL_WRONG(make_expansion(MARGIN_SCHEME_BINARY, 2), r.class_end[0] = 5);
    REAL_WRONG(make_expansion(MARGIN_SCHEME_BINARY, 2), r.class_end[1] = 3);
    REAL_WRONG(make_expansion(MARGIN_SCHEME_BINARY, 2), r.vectors[7] = (margin_real)NAN);
    REAL_WRONG(make_expansion(MARGIN_SCHEME_BINARY, 2), r.norms[3] = (margin_real)NAN);
    REAL_WRONG(make_expansion(MARGIN_SCHEME_BINARY, 2), r.factor[1] = (margin_real)NAN);
    REAL_WRONG(make_expansion(MARGIN_SCHEME_ORDINAL, 3), r.bias[1] = 2);
    REAL_WRONG(make_expansion(MARGIN_SCHEME_ORDINAL, 4), (r.bias[1] = 3, r.bias[2] = 4));
    PASS();
}

/* Four hinges behind a projection of two features onto two. */
static margin_projected *make_projected(unsigned scheme, size_t classes) {
    margin_projected *p = &r.model.of.projected;
    fill();
    r.model.kind = MARGIN_MODEL_PROJECTED;
    set_expansion(&p->pool);
    p->pool.offset = p->pool.factor = NULL;
    p->pool.kernel.kind = MARGIN_KERNEL_HINGE;
    p->pool.vote.scheme = (uint8_t)scheme;
    p->pool.vote.classes = (uint16_t)classes;
    p->pool.width = (uint16_t)(scheme == MARGIN_SCHEME_BINARY ? 1u : classes);
    r.class_end[classes - 1u] = 4;
    p->front = r.vectors + 16;
    p->front_bias = r.bias;
    p->offset = r.offset;
    p->factor = r.factor;
    p->d = 2;
    return p;
}

TEST a_projected_model_with_one_thing_wrong_is_refused(void) {
    margin_projected *p = &r.model.of.projected;
#define MAKE make_projected(MARGIN_SCHEME_BINARY, 2)
    REAL_MISSING(MAKE, p->front = NULL);
    REAL_MISSING(MAKE, p->front_bias = NULL);
    REAL_WRONG(MAKE, p->pool.d = MARGIN_RANK_MOST + 1u);
    REAL_WRONG(MAKE, p->pool.offset = r.offset); /* the pool is not scaled itself */
    REAL_WRONG(MAKE, p->d = 0);
    REAL_WRONG(MAKE, p->pool.width = 2);
    REAL_WRONG(MAKE, p->pool.kernel.gamma = -1); /* unused, but sound all the same */
    REAL_WRONG(make_projected(MARGIN_SCHEME_ONE_REST, 3), p->pool.width = 1);
    REAL_WRONG(make_projected(MARGIN_SCHEME_ONE_REST, 3),
               (p->pool.vote.scheme = MARGIN_SCHEME_ONE_ONE, p->pool.width = 2));
    REAL_WRONG(MAKE, (p->pool.vote.scheme = MARGIN_SCHEME_ORDINAL, p->pool.vote.classes = 3));
#undef MAKE
    PASS();
}

/* ---- images ------------------------------------------------------------------------------------- */

/* The status of loading an image with one byte replaced and the checksum made right again. */
static margin_status forged(size_t size, size_t at, unsigned value, bool integer) {
    static unsigned char bytes[2000];
    const unsigned char old = image[at];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_model model;
    margin_quant quant;
    margin_status status;
    image[at] = (unsigned char)value;
    image_seal(image, size);
    status = integer ? margin_image_load_q(image, size, &mem, &quant)
                     : margin_image_load(image, size, &mem, &model);
    if (status < 0 && (mem.low != 0 || mem.high != mem.size)) {
        status = MARGIN_OK; /* a refused image has kept memory */
    }
    image[at] = old;
    image_seal(image, size);
    return status;
}

TEST heads_of_lists_and_prototypes_with_one_byte_wrong_are_refused(void) {
    static const struct {
        size_t at;
        unsigned value;
        margin_status list, proto;
    } bad[] = {
        {4, 2, MARGIN_E_IMAGE, MARGIN_E_IMAGE},
        {6, 0, MARGIN_E_IMAGE, MARGIN_E_IMAGE},
        {6, 9, MARGIN_E_IMAGE, MARGIN_E_IMAGE},
        {7, 15, MARGIN_E_IMAGE, MARGIN_E_IMAGE},
        {16, 5, MARGIN_E_IMAGE_SIZE, MARGIN_E_IMAGE_SIZE},
        {28, MARGIN_SCHEME_ONE_REST, MARGIN_E_IMAGE_VALUE, MARGIN_E_IMAGE_VALUE},
        {29, 77, MARGIN_E_IMAGE_VALUE, MARGIN_E_IMAGE_VALUE},
        {30, 0, MARGIN_E_IMAGE_VALUE, MARGIN_E_IMAGE_VALUE},
        {31, 2, MARGIN_E_IMAGE_VALUE, MARGIN_E_IMAGE_VALUE},
        {47, 0xC0, MARGIN_E_IMAGE_VALUE, MARGIN_E_IMAGE_VALUE}, /* reject -2 */
        {63, 0x81, MARGIN_E_IMAGE_VALUE, MARGIN_E_IMAGE_VALUE}, /* a probability above 1 */
    };
    size_t list_size, proto_size, i;
    (void)make_list();
    ASSERT_EQ(MARGIN_OK, margin_image_write(&r.model, NULL, 0, image, sizeof image_words));
    list_size = margin_image_size(&r.model, 0);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ASSERT_EQ_FMT((int)bad[i].list, (int)forged(list_size, bad[i].at, bad[i].value, false),
                      "%d");
    }
    ASSERT_EQ(MARGIN_E_IMAGE_VALUE,
              forged(list_size, 67, 0x41, false)); /* a norm that is no longer right */
    ASSERT_EQ(MARGIN_OK, forged(list_size, 0, image[0], false));
    (void)make_proto();
    ASSERT_EQ(MARGIN_OK, margin_image_write(&r.model, NULL, 0, image, sizeof image_words));
    proto_size = margin_image_size(&r.model, 0);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ASSERT_EQ_FMT((int)bad[i].proto, (int)forged(proto_size, bad[i].at, bad[i].value, false),
                      "%d");
    }
    ASSERT_EQ(MARGIN_E_IMAGE_VALUE,
              forged(proto_size, 33, 1, false)); /* prototypes have no kernel */
    ASSERT_EQ(MARGIN_OK, forged(proto_size, 0, image[0], false));
    PASS();
}

TEST heads_of_integer_prototypes_with_one_byte_wrong_are_refused(void) {
    static const struct {
        size_t at;
        unsigned value;
    } bad[] = {{18, 1}, {23, 0x81}, {26, 33}, {29, 1},    {31, 16},  {32, 16},
               {34, 1}, {36, 1},    {43, 1},  {51, 0x81}, {67, 0x7F}}; /* the last: unit infinite */
    margin_quant quant;
    size_t size, i;
    memset(&quant, 0, sizeof quant);
    (void)make_proto_q(&f, MARGIN_Q15);
    quant.model = f.model;
    quant.unit = 1;
    ASSERT_EQ(MARGIN_OK, margin_image_write_q(&quant, NULL, 0, image, sizeof image_words));
    size = margin_image_size_q(&quant, 0);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ASSERT_EQ_FMT((int)MARGIN_E_IMAGE_VALUE, (int)forged(size, bad[i].at, bad[i].value, true),
                      "%d");
    }
    ASSERT_EQ(MARGIN_E_IMAGE, forged(size, 6, 9, true));
    ASSERT_EQ(MARGIN_OK, forged(size, 0, image[0], true));
    PASS();
}

SUITE(refusals_suite) {
    RUN_TEST(an_integer_linear_model_with_one_thing_wrong_is_refused);
    RUN_TEST(an_integer_expansion_with_one_thing_wrong_is_refused);
    RUN_TEST(an_integer_polynomial_or_cosine_with_one_thing_wrong_is_refused);
    RUN_TEST(the_edges_of_the_integer_checks_are_where_they_say);
    RUN_TEST(no_sum_of_an_accepted_integer_model_overflows);
    RUN_TEST(no_distance_of_an_accepted_integer_model_overflows);
    RUN_TEST(integer_hinges_with_one_thing_wrong_are_refused);
    RUN_TEST(integer_hinges_score_by_hand);
    RUN_TEST(one_class_without_an_edge_has_no_runner_up);
    RUN_TEST(an_integer_prototype_model_with_one_thing_wrong_is_refused);
    RUN_TEST(an_integer_list_with_one_thing_wrong_is_refused);
    RUN_TEST(an_integer_model_behind_a_projection_with_one_thing_wrong_is_refused);
    RUN_TEST(a_list_with_one_thing_wrong_is_refused);
    RUN_TEST(a_prototype_model_with_one_thing_wrong_is_refused);
    RUN_TEST(an_expansion_with_one_thing_wrong_is_refused);
    RUN_TEST(a_projected_model_with_one_thing_wrong_is_refused);
    RUN_TEST(heads_of_lists_and_prototypes_with_one_byte_wrong_are_refused);
    RUN_TEST(heads_of_integer_prototypes_with_one_byte_wrong_are_refused);
}
