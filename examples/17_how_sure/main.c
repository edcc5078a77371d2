/* Tells three states of a fan, how probable each is, and which of them together hold the true one nine times in ten. */
#include <stdio.h>

#define MARGIN_IMPLEMENTATION
#include "margin.h"

#define N 150
#define D 2
#define STATES 3

static const char *const names[STATES] = {"clean", "dusty", "blocked"};
static float x[N * D];
static uint16_t y[N];
static unsigned char bytes[100000];

/* Turns a second and degrees Celsius, which have about the same spread; the states overlap. */
static void readings(void) {
    margin_rng rng = margin_rng_make(5);
    size_t i;
    for (i = 0; i < N; i++) {
        y[i] = (uint16_t)(i % STATES);
        x[i * D] = 40.0f - 6.0f * (float)y[i] + 4.0f * margin_rng_normal(&rng);
        x[i * D + 1] = 30.0f + 5.0f * (float)y[i] + 4.0f * margin_rng_normal(&rng);
    }
}

static margin_status train(void *user, const margin_data *data, margin_arena *mem,
                           margin_model *model) {
    return margin_svm_train(data, (const margin_svm_options *)user, mem, model, NULL, NULL);
}

/* The model of all readings, with probabilities fitted to readings that were left out in turn. */
static margin_status learn(const margin_data *data, margin_svm_options *options, margin_arena *mem,
                           margin_model *model) {
    const size_t size = margin_svm_train_size(N, D, STATES, options);
    const margin_learner learner = {train, options, size};
    const margin_cv_options folds = {10, 1, 1, false, true, 0};
    margin_status status = train(options, data, mem, model);
    margin_cv cv = {0};
    if (status >= 0) { status = margin_cross_validate(data, &learner, &folds, mem, &cv); }
    if (status < 0) { return status; }
    return margin_calibrate(data, cv.scores, 0.9f, mem, &model->of.expansion.vote, NULL);
}

int main(void) {
    static const float asked[3][D] = {{41, 29}, {37, 32}, {27, 41}};
    const margin_data data = {x, N, D, 0, y, NULL, NULL};
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    static const margin_svm_options none;
    margin_svm_options options = none;
    margin_model model;
    margin_status status;
    size_t i, c;
    options.kernel.kind = MARGIN_KERNEL_RBF;
    options.kernel.gamma = 0.02f;
    options.nu = 0.4f; /* two in five readings may fall short of the margin */
    options.run.cache_bytes = 20000;
    readings();
    status = learn(&data, &options, &mem, &model);
    if (status < 0) {
        printf("training: %s\n", margin_status_text(status));
        return 1;
    }
    for (i = 0; i < 3; i++) {
        const margin_vote *vote = margin_model_vote(&model);
        float scores[STATES], p[STATES];
        printf("%.0f turns, %.0f degrees: %s;", (double)asked[i][0], (double)asked[i][1],
               names[margin_classify(&model, asked[i], scores)]);
        margin_probabilities(vote, scores, p);
        for (c = 0; c < STATES; c++) { printf(" %s %.2f", names[c], (double)p[c]); }
        printf("; 90 %%:");
        for (c = 0; c < STATES; c++) {
            if (p[c] >= vote->include) { printf(" %s", names[c]); }
        }
        printf("\n");
    }
    return 0;
}
