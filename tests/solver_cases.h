/* solver_cases.h -- small random problems of all kinds, and what the tests of kmomd and svm share. */
#ifndef SOLVER_CASES_H
#define SOLVER_CASES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "margin.h"
#include "qp_reference.h"
#include "trials.h"

#ifdef MARGIN_REAL_DOUBLE
#define CASE_EPS DBL_EPSILON
#define CASE_LEAST DBL_MIN
#define CASE_TOL 1e-9 /* asked of the trainers */
#define CASE_FIT 1e-7 /* expected of their objectives */
#else
#define CASE_EPS FLT_EPSILON
#define CASE_LEAST FLT_MIN
#define CASE_TOL 1e-4
#define CASE_FIT 2e-4
#endif

/* As near to the optimum as the tolerance asks, or as rounding allows: tolerances here are small. */
static inline bool case_is_settled(margin_status status) {
    return status == MARGIN_OK || status == MARGIN_W_ROUNDING;
}

#define CASE_N 14
#define CASE_D 4

enum {
    CASE_PLAIN,
    CASE_DUPLICATES,
    CASE_CONTRADICTIONS,
    CASE_EQUAL,
    CASE_ONE_EACH,
    CASE_TWO,
    CASE_LOW_RANK,
    CASE_TINY,
    CASE_LARGE,
    CASE_WEIGHTS,
    CASE_ZEROS,
    CASE_UNEVEN,
    CASE_KINDS
};

static const char *const case_names[CASE_KINDS] = {
    "plain",    "duplicates", "contradictions", "all equal", "one each",      "two samples",
    "low rank", "tiny",       "large",          "weights",   "zero features", "one against many"};

typedef struct {
    margin_real x[CASE_N * CASE_D];
    uint16_t y[CASE_N];
    margin_real weight[CASE_N];
    margin_data data;
    margin_kernel kernel;
    int kind;
} solver_case;

/* Numbers from 0 to below 2^31 (Numerical Recipes' constants; the low bits are poor). */
static inline uint32_t case_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 1;
}

/* In (-1, 1). */
static inline margin_real case_real(uint32_t *state) {
    return (margin_real)(((double)case_random(state) - 1073741824.0) / 1073741824.0);
}

static inline size_t case_below(uint32_t *state, size_t n) {
    return (size_t)((case_random(state) >> 8) % n);
}

static inline void case_labels(solver_case *c, uint32_t *seed) {
    const size_t n = c->data.n;
    for (size_t i = 0; i < n; i++) {
        c->y[i] = (uint16_t)case_below(seed, 2);
        if (c->kind == CASE_UNEVEN || c->kind == CASE_ONE_EACH) { c->y[i] = 0; }
    }
    c->y[case_below(seed, n)] = 1; /* both classes are there */
    for (size_t i = 0; i < n; i++) {
        if (c->y[i] == 0) { return; }
    }
    c->y[0] = 0;
}

/* Changes the plain case into one of its kind. */
static inline void case_bend(solver_case *c, uint32_t *seed) {
    const size_t n = c->data.n, d = c->data.d;
    const margin_real scale = c->kind == CASE_TINY ? (margin_real)1e-6 : (margin_real)1e6;
    for (size_t i = 0; i < n; i++) {
        margin_real *row = c->x + i * d;
        const size_t from = i == 0 ? 0 : case_below(seed, i);
        if ((c->kind == CASE_DUPLICATES || c->kind == CASE_CONTRADICTIONS) && i % 2 == 1) {
            memcpy(row, c->x + from * d, d * sizeof *row);
            c->y[i] = c->kind == CASE_DUPLICATES ? c->y[from] : (uint16_t)(1 - c->y[from]);
        }
        if (c->kind == CASE_EQUAL) { memcpy(row, c->x, d * sizeof *row); }
        for (size_t k = 0; k < d; k++) {
            if (c->kind == CASE_TINY || c->kind == CASE_LARGE) { row[k] *= scale; }
            if (c->kind == CASE_ZEROS && (i % 3 == 0 || k == 0)) { row[k] = 0; }
        }
        c->weight[i] = 1;
        if (c->kind == CASE_WEIGHTS) { c->weight[i] = (margin_real)(1 + case_below(seed, 4)) / 2; }
    }
}

static inline void case_kernel(solver_case *c, uint32_t *seed) {
    static const margin_kernel kernels[] = {
        {MARGIN_KERNEL_LINEAR, 0, 0, 0, 0},    {MARGIN_KERNEL_RBF, 0, 0, 0, 0},
        {MARGIN_KERNEL_POLY, 2, 0, 1, 0},      {MARGIN_KERNEL_POLY, 3, 0, 0, 0},
        {MARGIN_KERNEL_UNIT_POLY, 0, 0, 0, 3}, {MARGIN_KERNEL_UNIT_EXP, 0, 0, 0, 8}};
    c->kernel = kernels[case_below(seed, 6)];
    if (c->kernel.kind == MARGIN_KERNEL_RBF && c->kind == CASE_TINY) {
        c->kernel.gamma = (margin_real)1e12;
    } else if (c->kernel.kind != MARGIN_KERNEL_LINEAR && c->kind == CASE_LARGE) {
        c->kernel.gamma = (margin_real)1e-12;
    }
}

static inline solver_case case_make(int kind, uint32_t seed) {
    solver_case c;
    memset(&c, 0, sizeof c);
    seed = seed * 2654435761u + (uint32_t)kind;
    c.kind = kind;
    c.data.n = kind == CASE_TWO || kind == CASE_ONE_EACH ? 2 : 3 + case_below(&seed, CASE_N - 2);
    c.data.d = kind == CASE_LOW_RANK ? 1 : 1 + case_below(&seed, CASE_D);
    for (size_t i = 0; i < CASE_N * CASE_D; i++) { c.x[i] = case_real(&seed); }
    case_labels(&c, &seed);
    case_bend(&c, &seed);
    if (c.data.n == 2) {
        c.y[0] = (uint16_t)case_below(&seed, 2);
        c.y[1] = (uint16_t)(1 - c.y[0]);
    }
    for (size_t i = 0; i < c.data.n; i++) { /* bending may have emptied a class */
        c.y[i] = c.y[i] != c.y[0] || i + 1 < c.data.n ? c.y[i] : (uint16_t)(1 - c.y[0]);
    }
    case_kernel(&c, &seed);
    return c;
}

/* To be called where the case stays: the view points into it. */
static inline void case_settle(solver_case *c) {
    c->data.x = c->x;
    c->data.y = c->y;
    c->data.weight = c->kind == CASE_WEIGHTS ? c->weight : NULL;
}

/* The programme of a case, but for c, p, ridge and cap. */
static inline void case_programme(const solver_case *c, qp_reference *q) {
    memset(q, 0, sizeof *q);
    q->n = c->data.n;
    for (size_t i = 0; i < q->n; i++) {
        q->y[i] = c->y[i] == 1 ? 1 : -1;
        q->cap[i] = HUGE_VALL;
        for (size_t j = 0; j < q->n; j++) {
            q->k[i][j] = (long double)margin_kernel_value(&c->kernel, c->x + i * c->data.d,
                                                          c->x + j * c->data.d, c->data.d);
        }
    }
}

static inline long double case_peak(const qp_reference *q) {
    long double peak = 0;
    for (size_t i = 0; i < q->n; i++) { peak = fmaxl(peak, q->k[i][i]); }
    return peak;
}

/* The coefficients of a binary expansion, back at the samples they belong to. Of equal samples of a
 * class the first ones get them. False when a vector is no sample. */
static inline bool case_coefficients(const solver_case *c, const margin_expansion *e,
                                     long double *b) {
    const size_t d = c->data.d;
    bool taken[CASE_N] = {false};
    for (size_t i = 0; i < c->data.n; i++) { b[i] = 0; }
    for (size_t v = 0; v < e->n; v++) {
        const uint16_t label = v < e->class_end[0] ? 0 : 1;
        size_t i = 0;
        while (i < c->data.n && (taken[i] || c->y[i] != label ||
                                 memcmp(c->x + i * d, e->vectors + v * d, d * sizeof *c->x) != 0)) {
            i++;
        }
        if (i == c->data.n) { return false; }
        taken[i] = true;
        b[i] = (long double)e->coef[v];
    }
    return true;
}

/* A trainer's memory, exactly as much as it asked for. */
typedef struct {
    void *bytes;
    margin_arena mem;
} solver_memory;

static inline solver_memory solver_memory_make(size_t size) {
    solver_memory m;
    m.bytes = malloc(size + 1);
    m.mem = margin_arena_make(m.bytes, size);
    return m;
}

#endif /* SOLVER_CASES_H */
