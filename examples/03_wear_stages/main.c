/* Four stages of wear, which have an order: learned sample by sample as on a device, then in one go, with
 * thresholds of least loss; asked for a stage, and for the worse of two tools. */
#include <stdio.h>

#define MARGIN_IMPLEMENTATION
#include "margin.h"

enum { N = 16, D = 2, STAGES = 4 };

/* Vibration in g and motor current in A of sixteen tools, and their stages. */
static const float x[N * D] = {0.11f, 1.9f, 0.13f, 2.1f, 0.10f, 2.0f, 0.15f, 2.2f, /* new */
                               0.21f, 2.3f, 0.19f, 2.4f, 0.25f, 2.2f, 0.22f, 2.6f, /* used */
                               0.31f, 2.8f, 0.35f, 2.7f, 0.29f, 3.0f, 0.38f, 2.9f, /* worn */
                               0.50f, 3.3f, 0.61f, 3.1f, 0.55f, 3.6f, 0.66f, 3.4f /* spent */};
static const uint16_t y[N] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
static const char *const names[STAGES] = {"new", "used", "worn", "spent"};

static unsigned char device[MARGIN_OMAM_ONLINE_BYTES(D, STAGES)];
static unsigned char host[MARGIN_LSSVM_LINEAR_BYTES(N, D, STAGES)];

static margin_status on_line(const float *tool) {
    margin_arena mem = margin_arena_make(device, sizeof device);
    margin_omam_online on;
    margin_linear model;
    float scores[STAGES - 1];
    margin_status status = margin_omam_online_start(&on, D, STAGES, &mem);
    for (int i = 0; i < N && status >= 0; i++) {
        status = margin_omam_online_add(&on, x + i * D, y[i], 1);
    }
    status = status < 0 ? status : margin_omam_online_model(&on, &model);
    if (status >= 0) {
        margin_linear_scores(&model, tool, scores);
        printf("on-line, in %u bytes: the tool is %s\n", (unsigned)sizeof device,
               names[margin_decide(&model.vote, scores)]);
    }
    return status;
}

int main(void) {
    const float tool[D] = {0.33f, 2.9f}, other[D] = {0.30f, 2.9f};
    const margin_data data = {x, N, D, 0, y, NULL, NULL};
    margin_arena mem = margin_arena_make(host, sizeof host);
    margin_model model;
    margin_ordinal_report report = {0};
    float scores[STAGES - 1];
    margin_status status = on_line(tool);
    status = status < 0 ? status : margin_lssvm_train(&data, NULL, &mem, &model, NULL, &report);
    if (status < 0) {
        printf("training: %s\n", margin_status_text(status));
        return 1;
    }
    printf("least squares on ranks: Kendall's tau %.2f, the tool is %s\n", (double)report.tau,
           names[margin_classify(&model, tool, scores)]);
    printf("the tool is %s than the other one\n",
           margin_compare(&model, tool, other, scores) > 0 ? "more worn" : "no more worn");
    return 0;
}
