/* One number for the bits of all scalar functions and of the random generator: the same on every
 * target and at every level of optimisation. Freestanding, for simulators too. */
#ifndef MATH_CHECKSUM_H
#define MATH_CHECKSUM_H

#include "margin.h"

#define CHECKSUM_WORDS (sizeof(margin_real) / 4u)

typedef union {
    margin_real real;
    uint32_t word[CHECKSUM_WORDS];
} checksum_pun;

/* Where the i-th word stands, counted from the least significant one. */
static size_t checksum_place(size_t i) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1u ? i : CHECKSUM_WORDS - 1u - i;
}

/* FNV-1a on 32-bit words; all NaN count alike. */
static void checksum_add(uint32_t *sum, margin_real value) {
    checksum_pun pun;
    size_t i;
    pun.real = value;
    for (i = 0; i < CHECKSUM_WORDS; i++) {
        *sum = (*sum ^ (value == value ? pun.word[checksum_place(i)] : 1u)) * 16777619u;
    }
}

static margin_real checksum_any(margin_rng *rng) {
    checksum_pun pun;
    size_t i;
    for (i = 0; i < CHECKSUM_WORDS; i++) { pun.word[checksum_place(i)] = margin_rng_u32(rng); }
    return pun.real;
}

static void checksum_one(uint32_t *sum, margin_real x, margin_real y) {
    const margin_real size = x < 0 ? -x : x;
    checksum_add(sum, margin_sqrt(x));
    checksum_add(sum, margin_exp(x));
    checksum_add(sum, margin_log(size));
    checksum_add(sum, margin_pow(size, y));
    checksum_add(sum, margin_pow_int(x, 5));
    checksum_add(sum, margin_normal_density(x));
    checksum_add(sum, margin_normal_distribution(x));
}

static uint32_t math_checksum(uint16_t count) {
    margin_rng rng = margin_rng_make(count);
    uint32_t sum = 2166136261u;
    uint16_t i;
    for (i = 0; i < count; i++) {
        const margin_real normal = margin_rng_normal(&rng);
        checksum_one(&sum, checksum_any(&rng), 2 * normal);
        checksum_one(&sum, 10 * normal, 7 * margin_rng_uniform(&rng));
        checksum_one(&sum, normal, (margin_real)margin_rng_below(&rng, 20));
    }
    return sum;
}

#endif
