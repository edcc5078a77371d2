/* The firmware of the demo, on the host: two exported models answer for each line of readings. */
#include <stdio.h>
#include <string.h>

#define MARGIN_IMPLEMENTATION
#define MARGIN_PREDICT_ONLY
#include "margin.h"

#include "motor_linear.h"
#include "motor_rbf.h"

/* The next window of readings from standard input; a device has its sensors instead. */
static int next(float *x)
{
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "%f,%f,%f,%f", &x[0], &x[1], &x[2], &x[3]) == 4) {
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const int rbf = argc > 1 && strcmp(argv[1], "rbf") == 0;
    float x[MOTOR_RBF_FEATURES], score;
    if (motor_linear_selftest() != 0 || motor_rbf_selftest() != 0) {
        printf("self-test failed: this machine computes other bits\n");
        return 1;
    }
    while (next(x)) {
        if (rbf) {
            motor_rbf_scores(x, &score);
            printf("%s,%.9g\n", motor_rbf_labels[motor_rbf_classify(x)], (double)score);
        } else {
            motor_linear_scores(x, &score);
            printf("%s,%.9g\n", motor_linear_labels[motor_linear_classify(x)], (double)score);
        }
    }
    return 0;
}
