/* Smoothed losses: nanoseconds; continuation against restarts: statistics over 20 problems; the strips. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MARGIN_IMPLEMENTATION
#define MARGIN_STATIC
#include "margin.h"

static double now(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static void time_losses(void) {
    static const char *const names[] = {"hinge", "ramp", "squared", "steps", "error"};
    for (unsigned k = 0; k < 5; k++) {
        const margin_loss loss = margin_loss_named(k);
        const double start = now();
        margin_real sum = 0;
        for (int i = 0; i < 1000000; i++) {
            margin_real out[3];
            margin_loss_at(&loss, (margin_real)(i % 1000) / 125 - 4, (margin_real)0.5, out);
            sum += out[0] + out[1] + out[2];
        }
        printf("  smoothed %-8s %6.1f ns for value and two derivatives (sum %.3g)\n", names[k],
               (now() - start) * 1e3, (double)sum);
    }
}

#define N 60
#define D 10

/* Two clouds in ten dimensions, a quarter of the labels turned round. */
static void clouds(margin_real *x, uint16_t *y, uint32_t seed) {
    margin_rng rng = margin_rng_make(seed);
    for (int i = 0; i < N; i++) {
        y[i] = (uint16_t)(i % 2);
        for (int k = 0; k < D; k++) {
            x[i * D + k] = margin_rng_normal(&rng) + (k == 0 ? (margin_real)(y[i] ? 1 : -1) : 0);
        }
        if (margin_rng_below(&rng, 4) == 0) { y[i] = (uint16_t)(1 - y[i]); }
    }
}

static double objective(const margin_data *data, const margin_loss_options *options, void *bytes,
                        size_t size) {
    margin_arena mem = margin_arena_make(bytes, size);
    margin_model model;
    margin_info info;
    return margin_loss_train(data, options, &mem, &model, &info) < 0 ? 0 : (double)info.objective;
}

static void compare_restarts(void) {
    static const margin_real sharp[] = {(margin_real)(1.0 / 512)};
    static const uint16_t steps[] = {950};
    const margin_loss ramp = margin_loss_named(MARGIN_LOSS_RAMP);
    static margin_real x[N * D];
    static uint16_t y[N];
    static unsigned char bytes[1 << 20];
    int better = 0, worse = 0;
    double ratio = 0;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        margin_data data = {x, N, D, 0, y, NULL, NULL};
        margin_loss_options smooth = {0}, plain;
        double a, b;
        clouds(x, y, seed);
        smooth.loss = &ramp;
        plain = smooth;
        plain.smoothing.sigma = sharp;
        plain.smoothing.iterations = steps;
        plain.smoothing.count = 1;
        plain.starts = 40;
        a = objective(&data, &smooth, bytes, sizeof bytes);
        b = objective(&data, &plain, bytes, sizeof bytes);
        better += a < b * 0.999;
        worse += a > b * 1.001;
        ratio += a / b / 20;
    }
    printf("  ramp loss, 10 dimensions, 20 problems: continuation from 4 starts against the best "
           "of 40 "
           "descents\n  without smoothing: better %d, equal %d, worse %d, mean ratio of objectives "
           "%.3f\n",
           better, 20 - better - worse, worse, ratio);
}

static void time_strips(void) {
    static margin_real x[240 * 2];
    static uint16_t y[240];
    const margin_data data = {x, 240, 2, 0, y, NULL, NULL};
    margin_rng rng = margin_rng_make(1);
    for (int i = 0; i < 240; i++) {
        y[i] = i % 3 == 0;
        x[2 * i] = 2 * margin_rng_uniform(&rng) - 1;
        x[2 * i + 1] = (margin_rng_uniform(&rng) - (margin_real)0.5) / 2 +
                       (margin_real)((i % 3 == 1) * 0.7 - (i % 3 == 2) * 0.7);
    }
    for (int cheap = 0; cheap < 2; cheap++) {
        margin_seco_options options = {0};
        size_t size;
        void *bytes;
        margin_arena mem;
        margin_model model;
        margin_seco_report info;
        const double start = now();
        options.cheap = cheap != 0;
        size = margin_seco_train_size(240, 2, 2, &options);
        bytes = malloc(size);
        mem = margin_arena_make(bytes, size);
        if (margin_seco_train(&data, &options, &mem, &model, NULL, &info) >= 0) {
            printf("  strips, %s: %.3f s, %zu bytes; error of one machine %.3f, of the list %.3f, "
                   "%zu cuts\n",
                   cheap ? "cheap" : "full ", now() - start, size, (double)info.plain_error,
                   (double)info.table.error, info.cuts);
        }
        free(bytes);
    }
}

int main(void) {
    printf("seco, %s\n", sizeof(margin_real) > 4 ? "double" : "float");
    time_losses();
    compare_restarts();
    time_strips();
    return 0;
}
