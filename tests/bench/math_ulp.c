/* Worst errors of the scalar functions against the host's libm in higher precision. In float all 2^32
 * arguments of every function of one argument; in double, and for pow, random ones.
 *
 *     math_ulp [function ...] [millions=N]      N: random arguments a function, in millions
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN_IMPLEMENTATION
#define MARGIN_STATIC
#include "margin.h"

#include "../math_reference.h"

typedef struct {
    const char *name;
    margin_real (*ours)(margin_real);
    reference (*exact)(margin_real);
    double low, high; /* where half of the random arguments lie */
} function;

static margin_real exp_by_array(margin_real x) {
    margin_real v[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    v[5] = x;
    mgn_exp_array(v, 9);
    return v[5];
}

static const function functions[] = {
    {"sqrt", margin_sqrt, reference_sqrt, 0, 4},
    {"exp", margin_exp, reference_exp, -746, 710},
    {"exp_array", exp_by_array, reference_exp, -746, 710},
    {"log", margin_log, reference_log, 0.3, 3},
    {"normal_density", margin_normal_density, reference_normal_density, -40, 40},
    {"normal_distribution", margin_normal_distribution, reference_normal_distribution, -40, 9},
};

/* Of one function: the worst error where the result is normal and where it is subnormal. */
typedef struct {
    double error[2];
    margin_real x[2], y[2];
    unsigned long count, misses; /* a miss: not the value nearest to the exact one */
} worst;

static void note(worst *w, margin_real x, margin_real y, margin_real got, reference exact) {
    const int small = REFERENCE(fabs)(exact) < MIN_NORMAL;
    double error = 0.5;
    w->count++;
    if (got != (margin_real)exact) { /* the common case costs no more than the functions */
        error = ulp_error(got, exact);
        w->misses += error > 0.5;
    }
    if (error > w->error[small]) {
        w->error[small] = error;
        w->x[small] = x;
        w->y[small] = y;
    }
}

static double random_part(uint64_t *state) {
    return (double)(random_bits(state) >> 11) * 0x1p-53;
}

static void sweep(const function *f, unsigned long count, worst *w) {
    const unsigned long all = 0xFFFFFFFFul;
    uint64_t state = 1;
    unsigned long i;
    for (i = 0; i <= (sizeof(margin_real) == 4 ? all : count); i++) {
        margin_real x = real_of_bits((real_bits)i);
        if (sizeof(margin_real) != 4) {
            x = i % 2 ? real_of_bits((real_bits)random_bits(&state))
                      : (margin_real)(f->low + (f->high - f->low) * random_part(&state));
        }
        note(w, x, 0, f->ours(x), f->exact(x));
    }
}

/* Pairs whose power neither vanishes nor overflows, half of them with x near 1. */
static void sweep_pow(unsigned long count, worst *w) {
    uint64_t state = 1;
    unsigned long i;
    for (i = 0; i < count; i++) {
        const int bits = (int)(random_bits(&state) % (2 * REAL_DIGITS));
        const double x1 = 1 + ldexp(random_part(&state) - 0.5, -bits / 2);
        const margin_real any = real_of_bits((real_bits)random_bits(&state));
        const margin_real x = bits % 2 ? (margin_real)x1 : (margin_real)fabs((double)any);
        const double limit = (REAL_MAX_EXP + 40) * 0.6931 / log((double)x);
        const margin_real y = (margin_real)(limit * (2 * random_part(&state) - 1));
        if (isfinite(x) && isfinite(y)) { note(w, x, y, margin_pow(x, y), reference_pow(x, y)); }
    }
}

static void report(const char *name, const worst *w) {
    printf("%-20s %7.4f  %-24.17g %7.4f  %-24.17g %8.4f %%", name, w->error[0], (double)w->x[0],
           w->error[1], (double)w->x[1], 100.0 * (double)w->misses / (double)w->count);
    if (w->y[0] != 0) { printf("  y = %.17g, %.17g", (double)w->y[0], (double)w->y[1]); }
    printf("\n");
    fflush(stdout);
}

static int wanted(int argc, char **argv, const char *name) {
    int i;
    int named = 0;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0) { return 1; }
        named |= strchr(argv[i], '=') == NULL;
    }
    return !named;
}

int main(int argc, char **argv) {
    const worst none = {{0, 0}, {0, 0}, {0, 0}, 0, 0};
    unsigned long count = 20000000ul;
    worst w = none;
    size_t i;
    int a;
    for (a = 1; a < argc; a++) {
        if (strncmp(argv[a], "millions=", 9) == 0) {
            count = strtoul(argv[a] + 9, NULL, 10) * 1000000ul;
        }
    }
    printf("%-20s %7s  %-24s %7s  %-24s %s\n", sizeof(margin_real) == 4 ? "float" : "double", "ulp",
           "worst at", "ulp", "worst subnormal at", "not nearest");
    for (i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (wanted(argc, argv, functions[i].name)) {
            w = none;
            sweep(&functions[i], count, &w);
            report(functions[i].name, &w);
        }
    }
    if (wanted(argc, argv, "pow")) {
        w = none;
        sweep_pow(count, &w);
        report("pow", &w);
    }
    return 0;
}
