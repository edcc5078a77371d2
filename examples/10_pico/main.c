/* Is the bearing of a motor worn? A Raspberry Pi Pico says so once a second, on its UART. */
#include <stdio.h>
#include "pico/stdlib.h"
#define MARGIN_IMPLEMENTATION
#define MARGIN_PREDICT_ONLY
#include "motor.h"

/* FILL IN: vibration, temperature, current, speed. For now a row of the training data. */
static void read_sensors(int16_t *x) {
    x[0] = 1516;
    x[1] = 2880;
    x[2] = 2441;
    x[3] = 3595;
}

int main(void) {
    stdio_init_all();
    puts(motor_selftest() == 0 ? "self-test 0" : "self-test failed");
    for (;;) {
        int16_t x[MOTOR_FEATURES];
        read_sensors(x);
        puts(motor_labels[motor_classify(x)]);
        sleep_ms(1000);
    }
}
