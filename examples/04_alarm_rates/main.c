/* "At most 5 % missed alarms, at most 20 % false ones": a pump about to fail tells it by its vibration, its
 * current and its temperature. The two rates are asked for as they are; what cannot be had is answered
 * with what can. */
#include <stdio.h>

#define MARGIN_IMPLEMENTATION
#include "margin.h"

enum { N = 600, D = 3, POINTS = 4 };

static const float normal[D] = {0.8f, 2.0f, 41.0f}, alarm[D] = {2.6f, 3.3f, 44.0f};
static float x[2][N * D]; /* samples to learn from, and samples to be judged by */
static uint16_t y[2][N];
static unsigned char mem_bytes[MARGIN_RATES_LINEAR_BYTES(N, D, MARGIN_RATES_FAST)];

/* Every fourth sample is an alarm, and alarms spread twice as far. Vibration and current rise together. */
static margin_data measure(int set) {
    const margin_data data = {x[set], N, D, 0, y[set], NULL, NULL};
    margin_rng rng = margin_rng_make((uint32_t)set + 1u);
    for (int i = 0; i < N; i++) {
        const float load = margin_rng_normal(&rng), spread = i % 4 == 0 ? 2.0f : 1.0f;
        y[set][i] = i % 4 == 0;
        for (int j = 0; j < D; j++) {
            const float mean = y[set][i] ? alarm[j] : normal[j], scale = j == 2 ? 1.5f : 0.12f;
            const float noise = j == 2 ? 0 : 0.7f * load;
            x[set][i * D + j] = mean + scale * spread * (noise + margin_rng_normal(&rng));
        }
    }
    return data;
}

static margin_status train(const margin_data *data, float missed, float false_alarms,
                           margin_arena *mem, margin_model *model) {
    margin_rates_report report;
    margin_rates_options o = {0};
    margin_status status;
    o.eta_pos = missed;
    o.eta_neg = false_alarms;
    status = margin_rates_train(data, &o, mem, model, NULL, &report);
    printf("at most %g %% missed, %g %% false: %s\n", 100 * (double)missed,
           100 * (double)false_alarms, margin_status_text(status));
    if (status == MARGIN_E_INFEASIBLE) {
        printf("   both widened alike, down to %.2f %% and %.2f %% can be had\n",
               100 * (double)report.eta_pos_touch, 100 * (double)report.eta_neg_touch);
    } else if (status >= 0) {
        printf("   in training %.1f %% and %.1f %%\n", 100 * (double)report.error_pos,
               100 * (double)report.error_neg);
    }
    return status;
}

int main(void) {
    const float missed[POINTS] = {0.2f, 0.1f, 0.05f, 0.02f};
    const margin_data learn = measure(0), judge = measure(1);
    margin_arena mem = margin_arena_make(mem_bytes, sizeof mem_bytes);
    margin_model model;
    float false_alarms[POINTS], confusion[MARGIN_CONFUSION(2)];
    if (margin_rates_frontier(&learn, NULL, &mem, missed, false_alarms, POINTS) == MARGIN_OK) {
        for (int i = 0; i < POINTS; i++) {
            printf("%4g %% missed: %.2f %% false can be had\n", 100 * (double)missed[i],
                   100 * (double)false_alarms[i]);
        }
    }
    (void)train(&learn, 0.01f, 0.01f, &mem, &model);
    if (train(&learn, 0.05f, 0.2f, &mem, &model) < 0 ||
        margin_confusion(&judge, &model, &mem, confusion) < 0) {
        return 1;
    }
    printf("   on samples not seen %.1f %% and %.1f %%\n",
           100 * (double)margin_class_error(confusion, 2, 1),
           100 * (double)margin_class_error(confusion, 2, 0));
    return 0;
}
