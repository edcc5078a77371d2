/* Speed of the linear algebra, one thread, beside OpenBLAS where that is installed. OpenBLAS is
 * opened at run time, so nothing but this program's own compiler is needed to build it. */
#define _GNU_SOURCE /* dlopen, clock_gettime */
#define MARGIN_IMPLEMENTATION
#include "margin.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef MARGIN_REAL_DOUBLE
#define TYPE "double"
#define BLAS(name) "cblas_d" name
#else
#define TYPE "float"
#define BLAS(name) "cblas_s" name
#endif

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112, LOWER = 122 }; /* of cblas.h */
typedef void syrk_fn(int, int, int, int, int, margin_real, const margin_real *, int, margin_real,
                     margin_real *, int);
typedef void threads_fn(int);

static void *blas;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static margin_real *reals(size_t n)
{
    margin_real *x = (margin_real *)malloc((n + 1) * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = (margin_real)((double)rand() / RAND_MAX - 0.5);
    }
    return x;
}

/* Runs both statements in turn and keeps the best time of each, so that a busy machine harms both. */
#define BEST_OF_BOTH(ours, theirs, mine, other)                                                    \
    do {                                                                                           \
        ours = theirs = 1e9;                                                                       \
        for (int bench_round = 0; bench_round < 9; bench_round++) {                                \
            const double bench_a = now();                                                          \
            mine;                                                                                  \
            const double bench_b = now();                                                          \
            other;                                                                                 \
            const double bench_c = now();                                                          \
            ours = bench_b - bench_a < ours ? bench_b - bench_a : ours;                            \
            theirs = bench_c - bench_b < theirs ? bench_c - bench_b : theirs;                      \
        }                                                                                          \
    } while (0)

static void report(const char *what, double flops, double ours, double theirs)
{
    printf("%-6s %-44s %9.3f ms %6.1f Gflop/s", TYPE, what, ours * 1e3, flops / ours * 1e-9);
    if (blas != NULL && theirs > 1e-7) {
        printf("   OpenBLAS %9.3f ms   ratio %.2f", theirs * 1e3, ours / theirs);
    }
    printf("\n");
}

static void *blas_function(const char *name)
{
    return blas == NULL ? NULL : dlsym(blas, name);
}

static void gram(size_t n, size_t d)
{
    margin_real *x = reals(n * d), *g = reals(n * n);
    const size_t bytes = margin_gram_size(d);
    void *buffer = malloc(bytes);
    margin_arena mem = margin_arena_make(buffer, bytes);
    syrk_fn *syrk;
    double ours, theirs;
    char what[64];
    *(void **)&syrk = blas_function(BLAS("syrk"));
    BEST_OF_BOTH(ours, theirs, margin_gram(g, 0, x, 0, NULL, n, d, &mem), if (syrk != NULL) {
        syrk(ROW_MAJOR, LOWER, NO_TRANS, (int)n, (int)d, 1, x, (int)d, 0, g, (int)n);
    });
    snprintf(what, sizeof what, "Gram matrix n=%zu d=%zu (syrk)", n, d);
    report(what, (double)n * (double)n * (double)d, ours, theirs);
    free(x), free(g), free(buffer);
}

int main(void)
{
    threads_fn *threads;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    blas = dlopen("libopenblas.so.0", RTLD_NOW);
    *(void **)&threads = blas_function("openblas_set_num_threads");
    if (threads != NULL) {
        threads(1);
    } else {
        printf("OpenBLAS is not installed (Debian: libopenblas0): no ratios\n");
    }
    gram(2000, 100);
    gram(2000, 10);
    gram(2000, 784);
    gram(500, 4000);
    return 0;
}
