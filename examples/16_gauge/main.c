/* Learns a number from two sensor readings, and tells how far off its answers may be. */
#include <stdio.h>

#define MARGIN_IMPLEMENTATION
#include "margin.h"

#define N 80
#define D 2

static float x[N * D], liters[N];
static unsigned char bytes[60000];

/* Pressure in kPa and temperature in degrees Celsius of a tank, and what it holds. */
static void calibration(void) {
    margin_rng rng = margin_rng_make(3);
    size_t i;
    for (i = 0; i < N; i++) {
        const float full = margin_rng_uniform(&rng), warm = margin_rng_uniform(&rng);
        x[i * D] = 20.0f * full * (1.0f - 0.1f * warm) + 0.1f * margin_rng_normal(&rng);
        x[i * D + 1] = 10.0f + 30.0f * warm;
        liters[i] = 900.0f * full;
    }
}

int main(void) {
    const float reading[D] = {11.4f, 25.0f};
    float scaled[N * D], value;
    margin_data data = {x, N, D, 0, NULL, NULL, NULL};
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_svr_options options = {0};
    margin_svr_report report;
    margin_scaling scaling = {0};
    margin_model model;
    margin_info info = {0};
    margin_status status;
    calibration();
    options.kernel.kind = MARGIN_KERNEL_RBF;
    options.kernel.gamma = 0.5f;
    options.targets = liters;
    options.c = 5000;
    options.epsilon = 5;
    options.outside = 0.1f; /* one answer in ten may be farther off than `half` */
    options.seed = 1;
    options.run.cache_bytes = 20000;
    status = margin_scaling_fit(&data, MARGIN_SCALE_STANDARD, &mem, &scaling);
    if (status >= 0) {
        status = margin_scaling_apply(&scaling, &data, scaled, 0);
        data.x = scaled;
    }
    if (status >= 0) { status = margin_svr_train(&data, &options, &mem, &model, &info, &report); }
    if (status >= 0) { status = margin_model_scale(&model, &scaling, &mem); }
    if (status < 0) {
        printf("training: %s\n", margin_status_text(status));
        return 1;
    }
    margin_scores(&model, reading, &value);
    printf("%u bytes of memory, %u support vectors\n", (unsigned)info.arena_peak,
           (unsigned)info.support);
    printf("%.1f kPa at %.0f degrees: %.0f liters, +- %.0f in %.0f %% of all cases\n",
           (double)reading[0], (double)reading[1], (double)value, (double)report.half,
           100.0 * (1 - (double)report.promised));
    return 0;
}
