/* What train.c tells of one training, in float and in double. */
#ifndef DIFFER_H
#define DIFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int status;
    unsigned trainer;
    bool unique; /* the objective has one optimum, and the tolerance is not coarse */
    size_t rank; /* of rates: dimensions that are told from rounding */
    double objective, gap;
} train_result;

void train_in_float(const uint8_t *input, size_t size, train_result *result);
void train_in_double(const uint8_t *input, size_t size, train_result *result);

#endif
