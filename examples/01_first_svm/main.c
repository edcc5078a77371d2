/* Trains a classifier of two sensor readings, then asks it. Memory: one static buffer. */
#include <stdio.h>

#define MARGIN_IMPLEMENTATION
#include "margin.h"

/* Eight windows of a motor: vibration in g, temperature in degrees Celsius; 1 is worn. */
static const float x[8 * 2] = {
    0.10f, 41, 0.12f, 44, 0.09f, 39, 0.15f, 43, /* healthy */
    0.45f, 58, 0.38f, 61, 0.52f, 55, 0.41f, 63, /* worn */
};
static const uint16_t y[8] = {0, 0, 0, 0, 1, 1, 1, 1};
static unsigned char bytes[8192];

int main(void) {
    float scaled[8 * 2], score;
    const float unknown[2] = {0.33f, 57};
    margin_data data = {x, 8, 2, 0, y, NULL, NULL};
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_scaling scaling = {0};
    margin_model model;
    margin_info info = {0};
    uint16_t label;
    margin_status status = margin_scaling_fit(&data, MARGIN_SCALE_STANDARD, &mem, &scaling);
    if (status >= 0) {
        status = margin_scaling_apply(&scaling, &data, scaled, 0);
        data.x = scaled;
    }
    if (status >= 0) { status = margin_svm_train(&data, NULL, &mem, &model, &info, NULL); }
    if (status >= 0) {
        status = margin_model_scale(&model, &scaling, &mem); /* from now on it takes raw values */
    }
    if (status < 0) {
        printf("training: %s\n", margin_status_text(status));
        return 1;
    }
    printf("trained: %u support vectors, smallest margin %.3f\n", (unsigned)info.support,
           (double)info.margin_min);
    label = margin_classify(&model, unknown, &score);
    printf("the unknown motor is %s (score %.3f)\n", label == 1 ? "worn" : "healthy",
           (double)score);
    return 0;
}
