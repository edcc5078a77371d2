/* qp_reference.h -- a slow and simple solver in long double for what kmomd, svm, oneclass and svr
 * minimise, to hold theirs against:
 *
 *     1/2 b'(c K + R)b - p y'b - lin'b   over  0 <= y_i b_i <= cap_i,  sum of b fixed in each group
 *
 * with R = diag(ridge); one group of sum 0, or one for each class of sum y. It moves weight along the most violating
 * pair, again and again; `gap` bounds what is left to the optimum. */
#ifndef QP_REFERENCE_H
#define QP_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define QP_MAX 32

typedef struct {
    size_t n;
    int y[QP_MAX]; /* -1 or 1 */
    bool by_class;
    long double c, p;
    long double k[QP_MAX][QP_MAX];
    long double ridge[QP_MAX];
    long double lin[QP_MAX];
    long double sum;         /* of the weights of each class; 0 means 1 */
    long double cap[QP_MAX]; /* HUGE_VALL: none */
    long double b[QP_MAX];   /* the solution */
} qp_reference;

static inline int qp_group(const qp_reference *q, size_t i) {
    return q->by_class && q->y[i] > 0 ? 1 : 0;
}

static inline long double qp_element(const qp_reference *q, size_t i, size_t j) {
    return q->c * q->k[i][j] + (i == j ? q->ridge[i] : 0);
}

static inline void qp_gradient(const qp_reference *q, const long double *b, long double *g) {
    for (size_t i = 0; i < q->n; i++) {
        g[i] = -q->p * q->y[i] - q->lin[i];
        for (size_t j = 0; j < q->n; j++) { g[i] += qp_element(q, i, j) * b[j]; }
    }
}

static inline long double qp_objective(const qp_reference *q, const long double *b) {
    long double sum = 0;
    for (size_t i = 0; i < q->n; i++) {
        sum -= (q->p * q->y[i] + q->lin[i]) * b[i];
        for (size_t j = 0; j < q->n; j++) { sum += b[i] * qp_element(q, i, j) * b[j] / 2; }
    }
    return sum;
}

static inline bool qp_may_rise(const qp_reference *q, const long double *b, size_t i) {
    return q->y[i] > 0 ? b[i] < q->cap[i] : b[i] < 0;
}

static inline bool qp_may_fall(const qp_reference *q, const long double *b, size_t i) {
    return q->y[i] > 0 ? b[i] > 0 : -b[i] < q->cap[i];
}

/* The most violating pair: rise *up, fall *down; returns the violation. */
static inline long double qp_worst_pair(const qp_reference *q, const long double *b,
                                        const long double *g, size_t *up, size_t *down) {
    long double worst = 0;
    for (size_t i = 0; i < q->n; i++) {
        for (size_t j = 0; j < q->n; j++) {
            if (qp_group(q, i) == qp_group(q, j) && qp_may_rise(q, b, i) && qp_may_fall(q, b, j) &&
                g[j] - g[i] > worst) {
                worst = g[j] - g[i];
                *up = i;
                *down = j;
            }
        }
    }
    return worst;
}

/* Violation of the optimality conditions by any b. */
static inline long double qp_violation(const qp_reference *q, const long double *b) {
    long double g[QP_MAX];
    size_t up = 0, down = 0;
    qp_gradient(q, b, g);
    return qp_worst_pair(q, b, g, &up, &down);
}

static inline void qp_step(qp_reference *q, long double *g, size_t i, size_t j) {
    const long double curve = qp_element(q, i, i) + qp_element(q, j, j) - 2 * q->c * q->k[i][j];
    const long double rise = q->y[i] > 0 ? q->cap[i] - q->b[i] : -q->b[i];
    const long double fall = q->y[j] > 0 ? q->b[j] : q->cap[j] + q->b[j];
    const long double room = rise < fall ? rise : fall;
    const long double whole = curve > 0 ? (g[j] - g[i]) / curve : room;
    const long double t = whole < room ? whole : room;
    q->b[i] = t < rise ? q->b[i] + t : q->y[i] > 0 ? q->cap[i] : 0;
    q->b[j] = t < fall ? q->b[j] - t : q->y[j] > 0 ? 0 : -q->cap[j];
    for (size_t k = 0; k < q->n; k++) { g[k] += t * (qp_element(q, k, i) - qp_element(q, k, j)); }
}

/* Solves; returns a bound of how far the objective is above the optimum. */
static inline long double qp_solve(qp_reference *q, long steps) {
    long double g[QP_MAX], violation, weight = 0;
    long double share[2] = {0, 0};
    size_t up = 0, down = 0;
    for (size_t i = 0; i < q->n; i++) {
        share[qp_group(q, i)] += q->cap[i] < HUGE_VALL ? q->cap[i] : 1;
    }
    for (size_t i = 0; i < q->n; i++) { /* by the caps, so that they are met */
        const long double one = q->cap[i] < HUGE_VALL ? q->cap[i] : 1;
        q->b[i] = q->by_class ? q->y[i] * one / share[qp_group(q, i)] : 0;
        q->b[i] *= q->sum > 0 ? q->sum : 1;
    }
    qp_gradient(q, q->b, g);
    for (long s = 0; s < steps && qp_worst_pair(q, q->b, g, &up, &down) > 1e-17L; s++) {
        qp_step(q, g, up, down);
        if (s % 1000 == 999) { qp_gradient(q, q->b, g); }
    }
    violation = qp_violation(q, q->b);
    for (size_t i = 0; i < q->n; i++) { /* no more weight than this can move */
        weight += q->cap[i] < HUGE_VALL ? q->cap[i] : 1;
    }
    return violation * weight;
}

#endif /* QP_REFERENCE_H */
