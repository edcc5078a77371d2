/* suite_integers.c -- integer predictors on random models: every kernel and format, one feature and one vector, odd
 * numbers of both, one machine and several. Loops in assembly have their ends there. */
#include "suite.h"

#define TRIALS 144u
#define FEATURES 11u
#define VECTORS 8u
#define MACHINES 3u

typedef struct {
    union {
        int16_t q15[VECTORS * (FEATURES + 1u)];
        int8_t q7[VECTORS * (FEATURES + 1u)];
        uint32_t alignment;
    } vectors;
    uint16_t norms[VECTORS], class_end[MACHINES], scales[MACHINES];
    int16_t coef[VECTORS * MACHINES];
    int8_t narrow[VECTORS * MACHINES];
    int32_t bias[MACHINES];
} tables;

static int16_t number(uint32_t *rng, int16_t most) {
    return (int16_t)((int32_t)(suite_draw(rng) % (2u * (uint32_t)most + 1u)) - most);
}

static uint8_t below(uint32_t *rng, unsigned n) {
    return (uint8_t)(suite_draw(rng) % n);
}

/* Vectors as margin_expansion_q stores them, and the squared length of each. */
static void draw_vectors(uint32_t *rng, margin_expansion_q *e, tables *t, size_t count,
                         uint32_t *squares) {
    const size_t wide = e->d + e->d % 2u;
    size_t v, k, i;
    for (i = 0; i < VECTORS * (FEATURES + 1u); i++) { t->vectors.q15[i] = 0; }
    for (v = 0; v < VECTORS; v++) {
        squares[v] = 0;
        for (k = 0; k < e->d && v < count; k++) {
            const int16_t a = number(rng, e->format == MARGIN_Q15 ? 2000 : 127);
            i = v / 4u * 4u * wide + k / 2u * 8u;
            squares[v] += (uint32_t)((int32_t)a * a);
            if (e->format == MARGIN_Q15) {
                t->vectors.q15[i + v % 4u * 2u + k % 2u] = a;
            } else {
                t->vectors.q7[i + v % 4u / 2u * 4u + k % 2u * 2u + v % 2u] = (int8_t)a;
            }
        }
    }
}

/* 2^(15 + shift) / sqrt(square) */
static uint16_t inverse(uint32_t square, unsigned shift) {
    uint32_t root = 1, whole;
    if (square == 0) { return 0; }
    while (root * root < square) { root++; }
    whole = (UINT32_C(1) << (15u + shift)) / root;
    return (uint16_t)(whole < 65535u ? whole : 65535u);
}

static void draw_kernel(uint32_t *rng, margin_expansion_q *e, tables *t, const uint32_t *squares) {
    margin_kernel_q *k = &e->kernel;
    const bool q15 = e->format == MARGIN_Q15;
    size_t v;
    k->down = below(rng, 8);
    k->step = 1;
    k->cut = k->reach = 0;
    k->add = 0;
    k->power = below(rng, 2);
    if (k->kind == MARGIN_KERNEL_RBF) {
        k->step = q15 ? 1u : 16u;
        k->shift = (uint8_t)(10u + below(rng, 3));
        k->up = 4;
        k->gain = (uint16_t)(1000u + suite_draw(rng) % 6000u);
        k->cut = UINT32_C(1) << 27;
        k->reach = UINT32_C(1) << 28;
    } else if (k->kind == MARGIN_KERNEL_POLY) {
        k->power = (uint8_t)(1u + below(rng, 4));
        k->shift = (uint8_t)(1u + below(rng, 6));
        k->up = below(rng, 8);
        k->gain = (uint16_t)(suite_draw(rng) >> 16);
        k->add = (int32_t)(suite_draw(rng) >> 12) - INT32_C(524288);
    } else if (k->kind == MARGIN_KERNEL_HINGE) {
        k->shift = (uint8_t)(q15 ? 8u + below(rng, 6) : 2u + below(rng, 8));
        k->up = below(rng, 15);
        k->gain = 0;
    } else {
        k->shift = q15 ? 13u : 9u;
        k->up = 8;
        k->gain = (uint16_t)(suite_draw(rng) >> 16);
        k->cut = UINT32_C(1) << 20;
    }
    for (v = 0; v < VECTORS; v++) {
        const uint32_t square = squares[v] * k->step * k->step;
        t->norms[v] = (uint16_t)((square + (UINT32_C(2) << k->shift) - 1u) >> (k->shift + 1u));
        if (k->kind == MARGIN_KERNEL_HINGE) {
            t->norms[v] = (uint16_t)number(rng, 20000);
        } else if (k->kind != MARGIN_KERNEL_RBF) {
            t->norms[v] = inverse(squares[v], k->shift);
        }
    }
}

static void draw_vote(uint32_t *rng, margin_expansion_q *e, tables *t) {
    static const uint8_t schemes[3] = {MARGIN_SCHEME_BINARY, MARGIN_SCHEME_ONE_REST,
                                       MARGIN_SCHEME_ONE_ONE};
    const margin_vote_q none = {2, 1, 0, 0, 0, 0, 0, MARGIN_SCHEME_BINARY, NULL};
    size_t i;
    e->vote = none;
    e->vote.scheme = schemes[below(rng, e->kernel.kind == MARGIN_KERNEL_HINGE ? 2 : 3)];
    if (e->vote.scheme != MARGIN_SCHEME_BINARY) { e->vote.classes = e->vote.machines = MACHINES; }
    e->width =
        (uint16_t)(e->vote.scheme == MARGIN_SCHEME_ONE_REST ? MACHINES : e->vote.classes - 1u);
    for (i = 0; i < MACHINES; i++) {
        t->class_end[i] = (uint16_t)((i + 1u) * e->n / MACHINES);
        t->bias[i] = number(rng, 32767);
    }
}

/* By the code for several machines, which margin_scores_q does not take where there is one. */
static void scores_of(const margin_expansion_q *e, const int16_t *x, int32_t *scores) {
    const bool q15 = e->format == MARGIN_Q15;
    switch (e->kernel.kind) {
    case MARGIN_KERNEL_POLY:
        (q15 ? margin_poly_scores_q15 : margin_poly_scores_q7)(e, x, scores);
        break;
    case MARGIN_KERNEL_UNIT_POLY:
        (q15 ? margin_unit_poly_scores_q15 : margin_unit_poly_scores_q7)(e, x, scores);
        break;
    case MARGIN_KERNEL_HINGE:
        (q15 ? margin_hinge_scores_q15 : margin_hinge_scores_q7)(e, x, scores);
        break;
    case MARGIN_KERNEL_UNIT_EXP:
        (q15 ? margin_unit_exp_scores_q15 : margin_unit_exp_scores_q7)(e, x, scores);
        break;
    default:
        (q15 ? margin_rbf_scores_q15 : margin_rbf_scores_q7)(e, x, scores);
        break;
    }
}

/* The answers of a model to inputs of several sizes. */
static void ask(uint32_t *rng, const margin_model_q *model, const margin_expansion_q *one) {
    static const int16_t sizes[3] = {300, 3000, 32767};
    int16_t x[FEATURES];
    int32_t scores[MACHINES];
    const size_t machines = one != NULL ? one->vote.machines : model->of.linear.vote.machines;
    size_t i, k;
    if (margin_model_check_q(model) != MARGIN_OK) {
        suite_fail("model");
        return;
    }
    for (i = 0; i < 3u; i++) {
        for (k = 0; k < FEATURES; k++) { x[k] = number(rng, sizes[i]); }
        margin_scores_q(model, x, scores);
        for (k = 0; k < machines; k++) { suite_word((uint32_t)scores[k]); }
        if (one != NULL && machines == 1u) {
            int32_t again;
            scores_of(one, x, &again);
            if (again != scores[0]) { suite_fail("one"); }
        }
    }
}

static void draw_expansion(uint32_t *rng, tables *t, unsigned trial) {
    static const uint8_t kinds[5] = {MARGIN_KERNEL_RBF, MARGIN_KERNEL_POLY, MARGIN_KERNEL_UNIT_POLY,
                                     MARGIN_KERNEL_UNIT_EXP, MARGIN_KERNEL_HINGE};
    uint32_t squares[VECTORS];
    const size_t count = 1u + below(rng, VECTORS);
    margin_model_q model;
    margin_expansion_q *e = &model.of.expansion;
    size_t i;
    model.kind = MARGIN_MODEL_EXPANSION;
    e->vectors = &t->vectors;
    e->norms = t->norms;
    e->scales = t->scales;
    e->bias = t->bias;
    e->class_end = t->class_end;
    e->stage = NULL;
    e->steps = NULL;
    e->n = (uint16_t)((count + 3u) / 4u * 4u);
    e->d = (uint16_t)(1u + below(rng, FEATURES));
    e->format = trial % 2u != 0 ? MARGIN_Q15 : MARGIN_Q7;
    e->kernel.kind = kinds[trial / 2u % 5u];
    draw_vectors(rng, e, t, count, squares);
    draw_kernel(rng, e, t, squares);
    draw_vote(rng, e, t);
    for (i = 0; i < VECTORS * MACHINES; i++) {
        t->coef[i] = i < count * e->width ? number(rng, 4000) : 0;
        t->narrow[i] = (int8_t)(t->coef[i] / 32);
    }
    for (i = 0; i < MACHINES; i++) { t->scales[i] = (uint16_t)(suite_draw(rng) >> 16); }
    e->coef = t->coef;
    if (e->format == MARGIN_Q7 &&
        (e->vote.scheme == MARGIN_SCHEME_ONE_REST || e->kernel.kind == MARGIN_KERNEL_HINGE)) {
        e->coef = t->narrow;
    }
    ask(rng, &model, e);
}

static void draw_linear(uint32_t *rng, tables *t, unsigned trial) {
    margin_expansion_q e;
    margin_model_q model;
    margin_linear_q *l = &model.of.linear;
    size_t i;
    e.n = VECTORS;
    e.kernel.kind = MARGIN_KERNEL_LINEAR;
    draw_vote(rng, &e, t);
    model.kind = MARGIN_MODEL_LINEAR;
    l->w = &t->vectors;
    l->bias = t->bias;
    l->stage = NULL;
    l->scales = NULL;
    l->d = (uint16_t)(1u + below(rng, FEATURES));
    l->format = trial % 2u != 0 ? MARGIN_Q15 : MARGIN_Q7;
    l->vote = e.vote;
    for (i = 0; i < (size_t)MACHINES * FEATURES; i++) {
        if (l->format == MARGIN_Q15) {
            t->vectors.q15[i] = number(rng, 5000);
        } else {
            t->vectors.q7[i] = (int8_t)number(rng, 127);
        }
    }
    ask(rng, &model, NULL);
}

void test_integer_models(margin_arena *mem) {
    uint32_t rng = 51;
    tables *t = (tables *)margin_arena_keep(mem, 1, sizeof *t);
    unsigned trial;
    for (trial = 0; t != NULL && trial < TRIALS; trial++) {
        draw_expansion(&rng, t, trial);
        if (trial % 8u < 2u) { draw_linear(&rng, t, trial); }
    }
    if (t == NULL) { suite_fail("memory"); }
}
