/* Worst errors of the scalar functions against the host's libm in higher precision. In float all 2^32
 * arguments of every function of one argument; in double, and for two arguments, random ones.
 *
 *     build/math_ulp [function ...] [millions=N]      N: random arguments a function, in millions
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
    margin_real low, high; /* where random arguments are dense */
} function;

static margin_real exp_by_array(margin_real x)
{
    margin_real v[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    v[5] = x;
    margin_exp_array(v, 9);
    return v[5];
}

static const function functions[] = {
    {"sqrt", margin_sqrt, reference_sqrt, 0, 4},
    {"exp", margin_exp, reference_exp, -746, 710},
    {"exp_array", exp_by_array, reference_exp, -746, 710},
    {"log", margin_log, reference_log, 0, 3},
};

typedef struct {
    double error;
    margin_real at;
    unsigned long misses; /* not the value nearest to the exact one */
} worst;

static void try_one(const function *f, margin_real x, worst *w)
{
    const double error = ulp_error(f->ours(x), f->exact(x));
    w->misses += error > 0.5;
    if (error > w->error) {
        w->error = error;
        w->at = x;
    }
}

static void sweep(const function *f, unsigned long count, worst *w)
{
    unsigned long i;
    uint64_t state = 1;
#ifdef MARGIN_REAL_DOUBLE
    for (i = 0; i < count; i++) {
        const uint64_t bits = random_bits(&state);
        const margin_real part = (margin_real)(bits >> 11) * 0x1p-53;
        try_one(f,
                bits & 1 ? real_of_bits(random_bits(&state)) : f->low + (f->high - f->low) * part,
                w);
    }
#else
    (void)count;
    (void)state;
    for (i = 0; i <= 0xFFFFFFFFul; i++) {
        try_one(f, real_of_bits((uint32_t)i), w);
    }
#endif
}

static int wanted(int argc, char **argv, const char *name)
{
    int i;
    int named = 0;
    for (i = 1; i < argc; i++) {
        if (strchr(argv[i], '=') == NULL) {
            named = 1;
            if (strcmp(argv[i], name) == 0) {
                return 1;
            }
        }
    }
    return !named;
}

int main(int argc, char **argv)
{
    unsigned long millions = 20;
    size_t i;
    int a;
    for (a = 1; a < argc; a++) {
        if (strncmp(argv[a], "millions=", 9) == 0) {
            millions = strtoul(argv[a] + 9, NULL, 10);
        }
    }
    printf("%-22s %9s  %-24s %s\n", sizeof(margin_real) == 4 ? "float" : "double", "worst ulp",
           "at", "not nearest");
    for (i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        worst w = {0, 0, 0};
        if (wanted(argc, argv, functions[i].name)) {
            sweep(&functions[i], millions * 1000000ul, &w);
            printf("%-22s %9.4f  %-24.17g %lu\n", functions[i].name, w.error, (double)w.at,
                   w.misses);
            fflush(stdout);
        }
    }
    return 0;
}
