/* Speed of the scalar functions, in nanoseconds a value, beside the host's libm. */
#define _GNU_SOURCE /* clock_gettime */
#define MARGIN_IMPLEMENTATION
#include "margin.h"
#include <math.h>
#include <stdio.h>
#include <time.h>

#ifdef MARGIN_REAL_DOUBLE
#define TYPE "double"
#define LIBM(name) name
#else
#define TYPE "float"
#define LIBM(name) name##f
#endif

enum { COUNT = 4096, ROUNDS = 15 };
static margin_real argument[COUNT];
static margin_real result[COUNT];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Best time of `statement` over all arguments x, in ns a value. */
#define TIME(best, statement)                                                                      \
    do {                                                                                           \
        best = 1e9;                                                                                \
        for (int bench_round = 0; bench_round < ROUNDS; bench_round++) {                           \
            const double bench_start = now();                                                      \
            for (int i = 0; i < COUNT; i++) {                                                      \
                const margin_real x = argument[i];                                                 \
                (void)x;                                                                           \
                statement;                                                                         \
            }                                                                                      \
            const double bench_ns = (now() - bench_start) / COUNT * 1e9;                           \
            best = bench_ns < best ? bench_ns : best;                                              \
        }                                                                                          \
    } while (0)

static void compare(const char *what, double ours, double theirs) {
    printf("%-6s %-22s %7.2f ns   libm %7.2f ns\n", TYPE, what, ours, theirs);
}

static double time_array(void) {
    double best = 1e9;
    for (int round = 0; round < 10 * ROUNDS; round++) {
        double start;
        for (int i = 0; i < COUNT; i++) { result[i] = -argument[i]; }
        start = now();
        mgn_exp_array(result, COUNT);
        start = now() - start;
        best = start < best ? start : best;
    }
    return best / COUNT * 1e9;
}

int main(void) {
    margin_rng rng = margin_rng_make(1);
    margin_real sum = 0;
    double ours;
    double theirs;
    for (int i = 0; i < COUNT; i++) { argument[i] = 20 * margin_rng_uniform(&rng); }
    TIME(theirs, result[i] = LIBM(exp)(-x));
    compare("exp, array", time_array(), theirs);
    TIME(ours, result[i] = margin_exp(-x));
    compare("exp", ours, theirs);
    TIME(ours, result[i] = margin_log(x));
    TIME(theirs, result[i] = LIBM(log)(x));
    compare("log", ours, theirs);
    TIME(ours, result[i] = margin_sqrt(x));
    TIME(theirs, result[i] = LIBM(sqrt)(x));
    compare("sqrt", ours, theirs);
    TIME(ours, result[i] = margin_pow(x, (margin_real)1.7));
    TIME(theirs, result[i] = LIBM(pow)(x, (margin_real)1.7));
    compare("pow", ours, theirs);
    TIME(ours, result[i] = margin_pow_int(x, 3));
    compare("pow_int, n = 3", ours, theirs);
    TIME(ours, result[i] = margin_rng_normal(&rng));
    printf("%-6s %-22s %7.2f ns\n", TYPE, "normal number", ours);
    for (int i = 0; i < COUNT; i++) { sum += result[i]; }
    return sum > COUNT; /* so that nothing above is left out */
}
