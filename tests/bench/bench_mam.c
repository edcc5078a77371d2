/* Speed of mam, one thread. Linear: beside a loop that reads the same values once and adds them up.
 * Other kernels: kernel values a second, and the cost against n. */
#define _GNU_SOURCE /* clock_gettime */
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
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static margin_real *x;
static uint16_t *y;

static void make(size_t n, size_t d) {
    x = (margin_real *)malloc(n * d * sizeof *x);
    y = (uint16_t *)malloc(n * sizeof *y);
    for (size_t i = 0; i < n * d; i++) {
        x[i] = (margin_real)((double)rand() / RAND_MAX - 0.5) + (margin_real)(i % d == 0 ? 1 : 0);
    }
    for (size_t i = 0; i < n; i++) {
        y[i] = (uint16_t)(rand() % 2);
        x[i * d] *= (margin_real)(y[i] == 0 ? -1 : 1);
    }
}

/* The sum of all values, in enough chains to be limited by memory. */
static margin_real read_all(size_t count) {
    margin_real s[32] = {0}, sum = 0;
    for (size_t i = 0; i + 32 <= count; i += 32) {
        for (size_t k = 0; k < 32; k++) { s[k] += x[i + k]; }
    }
    for (size_t k = 0; k < 32; k++) { sum += s[k]; }
    return sum;
}

/* The sums of the columns, as simply as can be. */
static void read_columns(size_t n, size_t d, margin_real *sum) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < d; k++) { sum[k] += x[i * d + k]; }
    }
}

static void linear(size_t n, size_t d) {
    double best[4] = {1e9, 1e9, 1e9, 1e9};
    volatile margin_real sink = 0;
    const size_t bytes = margin_mam_train_size(n, d, 2, NULL);
    void *buffer = malloc(bytes);
    margin_real *columns = (margin_real *)calloc(d, sizeof *columns);
    const margin_data data = {x, n, d, 0, y, NULL, NULL};
    for (int round = 0; round < 15; round++) {
        for (int what = 0; what < 4; what++) {
            margin_arena mem = margin_arena_make(buffer, bytes);
            margin_model model;
            margin_info info;
            const double start = now();
            if (what == 0) {
                sink = read_all(n * d);
            } else if (what == 1) {
                read_columns(n, d, columns);
                sink = columns[d - 1];
            } else if (margin_mam_train(&data, NULL, &mem, &model, what == 2 ? NULL : &info) < 0) {
                exit(1);
            }
            best[what] = now() - start < best[what] ? now() - start : best[what];
        }
    }
    (void)sink;
    printf("%-6s mam linear n=%-7zu d=%-5zu %8.2f ms   ratio to reading once %.2f, to column sums "
           "%.2f; with info %.2f\n",
           TYPE, n, d, best[2] * 1e3, best[2] / best[0], best[2] / best[1], best[3] / best[0]);
    free(buffer), free(columns);
}

static void kernel(size_t n, size_t d) {
    margin_mam_options options = {{MARGIN_KERNEL_RBF, 0, 0, 0, 0}, true, true, 0};
    const size_t bytes = margin_mam_train_size(n, d, 2, &options);
    void *buffer = malloc(bytes);
    const margin_data data = {x, n, d, 0, y, NULL, NULL};
    margin_arena mem = margin_arena_make(buffer, bytes);
    margin_model model;
    margin_info info;
    double start = now();
    if (margin_mam_train(&data, &options, &mem, &model, &info) < 0) { exit(1); }
    start = now() - start;
    printf("%-6s mam rbf    n=%-7zu d=%-5zu %8.2f ms   %.0f million kernel values a second\n", TYPE,
           n, d, start * 1e3, (double)n * (double)n / 2 / start * 1e-6);
    free(buffer);
}

int main(void) {
    static const size_t shapes[][2] = {
        {500000, 8}, {200000, 50}, {50000, 50}, {10000, 784}, {300, 20}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        make(shapes[k][0], shapes[k][1]);
        linear(shapes[k][0], shapes[k][1]);
        free(x), free(y);
    }
    make(16000, 20);
    for (size_t n = 500; n <= 16000; n *= 2) { kernel(n, 20); }
    free(x), free(y);
    return 0;
}
