/* model.c -- the exported model as functions that Rust can call: those of the header are static. */
#define MARGIN_IMPLEMENTATION
#define MARGIN_STATIC
#define MARGIN_PREDICT_ONLY
#include "motor.h"

/* lib.rs says so too. */
typedef char model_takes_4_features[MOTOR_FEATURES == 4 ? 1 : -1];
typedef char model_has_2_classes[MOTOR_CLASSES == 2 ? 1 : -1];
typedef char model_has_1_machine[MOTOR_MACHINES == 1 ? 1 : -1];

uint16_t model_classify(const int16_t *x);
void model_scores(const int16_t *x, int32_t *scores);
const char *model_label(uint16_t c);
int32_t model_selftest(void);

uint16_t model_classify(const int16_t *x) {
    return motor_classify(x);
}

void model_scores(const int16_t *x, int32_t *scores) {
    motor_scores(x, scores);
}

const char *model_label(uint16_t c) {
    return motor_labels[c];
}

int32_t model_selftest(void) {
    return motor_selftest();
}
