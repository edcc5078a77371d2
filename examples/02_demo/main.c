/* The firmware of the demo, on the host: three exported models answer for each line of readings. */
#include <stdio.h>
#include <string.h>

#define MARGIN_IMPLEMENTATION
#define MARGIN_PREDICT_ONLY
#include "margin.h"

#include "motor_linear.h"
#include "motor_rbf.h"
#include "motor_small.h"

/* The next window of readings from standard input; a device has its sensors instead. */
static int next(int16_t *raw, float *x) {
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "%hd,%hd,%hd,%hd", &raw[0], &raw[1], &raw[2], &raw[3]) == 4) {
            for (int i = 0; i < 4; i++) { x[i] = raw[i]; }
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    const char *model = argc > 1 ? argv[1] : "linear";
    int16_t raw[4]; /* what the converter gives: the integer model takes it as it is */
    float x[4], score;
    int32_t whole;
    if (motor_linear_selftest() != 0 || motor_rbf_selftest() != 0 || motor_small_selftest() != 0) {
        printf("self-test failed: this machine computes other bits\n");
        return 1;
    }
    while (next(raw, x)) {
        if (strcmp(model, "small") == 0) {
            motor_small_scores(raw, &whole);
            printf("%s,%.9g\n", motor_small_labels[motor_small_classify(raw)], (double)whole);
        } else if (strcmp(model, "rbf") == 0) {
            motor_rbf_scores(x, &score);
            printf("%s,%.9g\n", motor_rbf_labels[motor_rbf_classify(x)], (double)score);
        } else {
            motor_linear_scores(x, &score);
            printf("%s,%.9g\n", motor_linear_labels[motor_linear_classify(x)], (double)score);
        }
    }
    return 0;
}
