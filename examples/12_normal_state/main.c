/* Learns what is normal from normal readings alone, and raises an alarm at what is not. */
#include <stdio.h>

#define MARGIN_IMPLEMENTATION
#include "margin.h"

#define N 120
#define D 2

static float x[N * D];
static unsigned char bytes[MARGIN_ONECLASS_KERNEL_BYTES(N, D, 40000)];
static unsigned char room[2048];

/* Current in A and vibration in g of a pump: more current, more vibration, and some noise. */
static void readings(void) {
    margin_rng rng = margin_rng_make(7);
    size_t i;
    for (i = 0; i < N; i++) {
        const float load = margin_rng_uniform(&rng);
        x[i * D] = 2.0f + 3.0f * load + 0.1f * margin_rng_normal(&rng);
        x[i * D + 1] = 0.2f + 0.5f * load + 0.03f * margin_rng_normal(&rng);
    }
}

static void ask(const margin_model *model, const char *words, float current, float vibration) {
    const float reading[D] = {current, vibration};
    float score;
    const uint16_t label = margin_classify(model, reading, &score);
    printf("%-38s %s (score %+.3f)\n", words, label == 1 ? "normal" : "ALARM ", (double)score);
}

int main(void) {
    float scaled[N * D];
    margin_data data = {x, N, D, 0, NULL, NULL, NULL};
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_arena more = margin_arena_make(room, sizeof room);
    margin_oneclass_options options = {0};
    margin_oneclass_report report;
    margin_scaling scaling = {0};
    margin_model model;
    margin_info info = {0};
    margin_status status;
    readings();
    options.kernel.kind = MARGIN_KERNEL_RBF;
    options.kernel.gamma = 1;
    options.nu = 0.05f; /* false alarms in twenty normal readings: one */
    options.seed = 1;
    options.run.cache_bytes = 40000;
    status = margin_scaling_fit(&data, MARGIN_SCALE_STANDARD, &more, &scaling);
    if (status >= 0) {
        status = margin_scaling_apply(&scaling, &data, scaled, 0);
        data.x = scaled;
    }
    if (status >= 0) {
        status = margin_oneclass_train(&data, &options, &mem, &model, &info, &report);
    }
    if (status >= 0) { status = margin_model_scale(&model, &scaling, &more); }
    if (status < 0) {
        printf("training: %s\n", margin_status_text(status));
        return 1;
    }
    printf("%u bytes of memory; %u of %u readings are support vectors; promised: at most %.1f %% "
           "false alarms\n",
           (unsigned)info.arena_peak, (unsigned)info.support, (unsigned)N,
           100.0 * (double)report.promised);
    ask(&model, "half load", 3.5f, 0.45f);
    ask(&model, "full load", 5.0f, 0.7f);
    ask(&model, "half load, bearing worn", 3.5f, 0.8f);
    ask(&model, "running dry", 1.5f, 0.6f);
    return 0;
}
