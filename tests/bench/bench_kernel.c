/* Speed of kernel rows, column statistics and covariances, one thread. */
#define _GNU_SOURCE /* clock_gettime */
#define MARGIN_STATIC
#define MARGIN_IMPLEMENTATION
#include "margin.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef MARGIN_REAL_DOUBLE
#define TYPE "double"
#else
#define TYPE "float"
#endif

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of seven times of a statement, in milliseconds. */
#define BEST(ms, statement)                                                                        \
    do {                                                                                           \
        ms = 1e9;                                                                                  \
        for (int bench_round = 0; bench_round < 7; bench_round++) {                                \
            const double bench_from = now();                                                       \
            statement;                                                                             \
            ms = (now() - bench_from) * 1e3 < ms ? (now() - bench_from) * 1e3 : ms;                \
        }                                                                                          \
    } while (0)

static margin_real *reals(size_t n) {
    margin_real *x = (margin_real *)malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++) { x[i] = (margin_real)((double)rand() / RAND_MAX - 0.5); }
    return x;
}

/* Other rows in each round: those of the rounds before are known. */
static void some_rows(mgn_rows *r, size_t *next) {
    for (size_t i = 0; i < 64; i++) { (void)mgn_rows_get(r, (*next)++ % r->data.n); }
}

/* The same in groups of four. */
static void grouped_rows(mgn_rows *r, size_t *next) {
    for (size_t i = 0; i < 64; i += MGN_TILE) {
        margin_index group[MGN_TILE];
        for (size_t t = 0; t < MGN_TILE; t++) { group[t] = (margin_index)((*next)++ % r->data.n); }
        mgn_rows_make(r, group, MGN_TILE);
    }
}

static void rows(const char *name, margin_kernel kernel, size_t n, size_t d) {
    margin_real *x = reals(n * d);
    const margin_data data = {x, n, d, 0, NULL, NULL, NULL};
    const size_t budgets[] = {1, MARGIN_ROWS_NEED(n, n) + MARGIN_ROWS_COPY(n, d)};
    double ms[3] = {0, 0, 0};
    for (size_t b = 0; b < 2; b++) {
        const size_t bytes = MARGIN_ROWS_BYTES(n, d, budgets[b]);
        unsigned char *buffer = (unsigned char *)calloc(bytes, 1);
        margin_arena mem = margin_arena_make(buffer, bytes);
        mgn_rows r;
        mgn_rows_plan(&r, &mem, &data, budgets[b]);
        if (mem.failed == 0 && mgn_rows_start(&r, &data, &kernel) == MARGIN_OK) {
            size_t next = 0;
            BEST(ms[b], some_rows(&r, &next));
            if (b == 1) { BEST(ms[2], grouped_rows(&r, &next)); }
        }
        free(buffer);
    }
    printf("%-6s %-9s n=%zu d=%zu: a row %6.1f us unpacked, %6.1f us packed, %6.1f us in fours\n",
           TYPE, name, n, d, ms[0] / 64 * 1e3, ms[1] / 64 * 1e3, ms[2] / 64 * 1e3);
    free(x);
}

static void statistics(size_t n, size_t d) {
    margin_real *x = reals(n * d), *cov = reals(2 * d * d), *mean = reals(2 * d), weight[2];
    uint16_t *y = (uint16_t *)malloc(n * sizeof *y);
    const margin_data data = {x, n, d, 0, y, NULL, NULL};
    const size_t bytes = margin_data_moments_size(d) + MARGIN_SCALING_BYTES(d);
    unsigned char *buffer = (unsigned char *)malloc(bytes);
    margin_arena mem = margin_arena_make(buffer, bytes);
    margin_scaling scaling = {NULL, NULL, 0};
    int status = 0;
    double check, fit, moments;
    for (size_t i = 0; i < n; i++) { y[i] = (uint16_t)(rand() % 2); }
    BEST(check, status |= margin_data_check(&data));
    BEST(fit, {
        margin_arena_reset(&mem);
        status |= margin_scaling_fit(&data, MARGIN_SCALE_STANDARD, &mem, &scaling);
    });
    BEST(moments, status |= margin_data_moments(&data, 2, &mem, weight, mean, cov));
    printf(
        "%-6s statistics n=%zu d=%zu: check %.1f ms, scaling %.1f ms, two covariances %.1f ms%s\n",
        TYPE, n, d, check, fit, moments, status == 0 ? "" : " FAILED");
    free(x), free(cov), free(mean), free(y), free(buffer);
}

int main(void) {
    static const char *const names[] = {"linear", "poly", "rbf", "unit-poly", "unit-exp"};
    margin_kernel kernel = {0, 0, 0, 1, 0};
    for (; kernel.kind <= MARGIN_KERNEL_UNIT_EXP; kernel.kind++) {
        rows(names[kernel.kind], kernel, 2000, 100);
    }
    kernel.kind = MARGIN_KERNEL_RBF;
    rows("rbf", kernel, 2000, 10);
    statistics(20000, 100);
    return 0;
}
