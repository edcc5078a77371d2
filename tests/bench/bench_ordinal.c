/* Speed of what is behind ordered targets, one thread: tau, thresholds, omam and lssvm against n. */
#define _GNU_SOURCE /* clock_gettime */
#define MARGIN_IMPLEMENTATION
#include "margin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef MARGIN_REAL_DOUBLE
#define TYPE "double"
#else
#define TYPE "float"
#endif

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static margin_real *numbers(size_t n) {
    margin_real *v = (margin_real *)malloc(n * sizeof *v);
    for (size_t i = 0; i < n; i++) { v[i] = (margin_real)((double)rand() / RAND_MAX - 0.5); }
    return v;
}

static void sorting(size_t n) {
    margin_real *a = numbers(n), *b = numbers(n), tau = 0, thresholds[9];
    uint16_t *y = (uint16_t *)malloc(n * sizeof *y);
    const size_t size = margin_thresholds_size(n, 10) + margin_kendall_size(n);
    void *bytes = malloc(size);
    margin_arena mem = margin_arena_make(bytes, size);
    double start = now(), kendall;
    margin_status status = margin_kendall(a, b, n, &mem, &tau);
    kendall = now() - start;
    for (size_t i = 0; i < n; i++) { /* ten classes that overlap */
        const int label = (int)(((double)a[i] + 0.5) * 8 + (double)rand() / RAND_MAX * 2);
        y[i] = (uint16_t)(label > 9 ? 9 : label);
    }
    start = now();
    status = status < 0 ? status : margin_thresholds(a, y, NULL, n, 10, 0, &mem, thresholds);
    printf(TYPE " n=%-8zu tau %7.3f s   thresholds of 10 classes %7.3f s   %s\n", n, kendall,
           now() - start, margin_status_text(status));
    free(bytes);
    free(y);
    free(b);
    free(a);
}

enum { D = 20 };

static void training(size_t n, unsigned kind, bool least_squares, margin_real c) {
    static const char *const names[] = {"linear", "poly", "rbf"};
    margin_real *x = numbers(n * D), *t = numbers(n);
    margin_ordinal_options options;
    margin_data data = {NULL, 0, D, 0, NULL, NULL, NULL};
    margin_status status;
    margin_model model;
    margin_ordinal_report report;
    margin_arena mem;
    void *bytes;
    size_t size;
    double start;
    for (size_t i = 0; i < n; i++) { t[i] += x[i * D] - x[i * D + 1]; }
    data.x = x;
    data.n = n;
    memset(&options, 0, sizeof options);
    options.kernel.kind = (uint8_t)kind;
    options.targets = t;
    options.c = c;
    size = least_squares ? margin_lssvm_train_size(n, D, 1, &options)
                         : margin_omam_train_size(n, D, 1, &options);
    bytes = malloc(size + MARGIN_ALIGN);
    mem = margin_arena_make(bytes, size + MARGIN_ALIGN);
    start = now();
    status = least_squares ? margin_lssvm_train(&data, &options, &mem, &model, NULL, &report)
                           : margin_omam_train(&data, &options, &mem, &model, NULL, &report);
    printf(TYPE " n=%-8zu d=%d %-5s %-6s %-16s %8.3f s  %8.1f MB  tau %.3f  %s\n", n, D,
           least_squares ? "lssvm" : "omam", names[kind],
           least_squares && !(c > 0) ? "C by leaving one" : "", now() - start,
           (double)size / 1048576.0, (double)report.tau, margin_status_text(status));
    free(bytes);
    free(t);
    free(x);
}

int main(void) {
    sorting(100000);
    sorting(1000000);
    training(1000000, MARGIN_KERNEL_LINEAR, false, 0);
    training(5000, MARGIN_KERNEL_RBF, false, 0);
    training(15000, MARGIN_KERNEL_RBF, false, 0);
    training(100000, MARGIN_KERNEL_LINEAR, true, 0);
    training(500, MARGIN_KERNEL_RBF, true, 0);
    training(1500, MARGIN_KERNEL_RBF, true, 0);
    training(5000, MARGIN_KERNEL_RBF, true, 1);
    return 0;
}
