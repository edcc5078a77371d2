/* A good part lies between two strips of bad ones: too loose below, too tight above. No plane separates
 * that; a list of cuts does, and stops at the first that is sure. Trained here, then in integers. */
#include <stdio.h>

#define MARGIN_IMPLEMENTATION
#include "margin.h"

#define ROWS 180
#define FEATURES 2
static margin_real x[ROWS * FEATURES];
static uint16_t y[ROWS];
static unsigned char bytes[MARGIN_SECO_LINEAR_BYTES(ROWS, FEATURES, 32) + 4096];

/* Torque and speed of a screwdriver, in the raw steps of its sensors. */
static void measure(void) {
    margin_rng rng = margin_rng_make(1);
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 3 == 1 ? 1 : 0;
        x[2 * i] = (margin_real)(512 + 250 * (i % 3 - 1) + (int)margin_rng_below(&rng, 180) - 90);
        x[2 * i + 1] = (margin_real)(200 + (int)margin_rng_below(&rng, 100));
    }
}

int main(void) {
    static margin_real scaled[ROWS * FEATURES];
    const margin_data raw = {x, ROWS, FEATURES, 0, y, NULL, NULL};
    const margin_data data = {scaled, ROWS, FEATURES, 0, y, NULL, NULL};
    const margin_quant_options whole = {MARGIN_Q15, true};
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_seco_options options = {0};
    margin_scaling scaling = {0};
    margin_model model;
    margin_seco_report report = {0};
    margin_quant quant;
    margin_quant_info change = {0};
    size_t asked = 0;
    measure();
    if (margin_scaling_fit(&raw, MARGIN_SCALE_STANDARD, &mem, &scaling) < 0 ||
        margin_scaling_apply(&scaling, &raw, scaled, 0) < 0 ||
        margin_seco_train(&data, &options, &mem, &model, NULL, &report) < 0 ||
        margin_model_scale(&model, &scaling, &mem) < 0 ||
        margin_quantize(&model, &raw, &whole, &mem, &quant, &change) < 0) {
        return 1;
    }
    printf("one plane would err on %.0f %%, the list on %.0f %%\n",
           100 * (double)report.plain_error, 100 * (double)report.table.error);
    for (size_t j = 0; j < report.cuts; j++) {
        printf("cut %d takes %d of %d parts for %s\n", (int)j + 1, (int)report.cut[j].covered,
               (int)report.cut[j].asked, report.cut[j].sign > 0 ? "good" : "bad");
    }
    for (int i = 0; i < ROWS; i++) {
        const int16_t step[FEATURES] = {(int16_t)x[2 * i], (int16_t)x[2 * i + 1]};
        int16_t work[FEATURES];
        int32_t score;
        asked += 1u + margin_list_ask_q(
                          &quant.model.of.list,
                          margin_prepare_q(quant.model.of.list.pool.stage, FEATURES, step, work),
                          &score);
    }
    printf("in q15: %d labels change, %.2f products of vectors a part\n", (int)change.disagree,
           (double)asked / ROWS);
    return 0;
}
