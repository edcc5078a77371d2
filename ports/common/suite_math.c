/* suite_math.c -- arithmetic of the machine, scalar functions, random numbers. */
#include "suite.h"

#define POINTS 200

static uint32_t state;

static uint32_t next_word(void) {
    state = state * UINT32_C(1664525) + UINT32_C(1013904223);
    return (state >> 16) | (state << 16);
}

static margin_real of_bits(uint32_t bits) {
    union {
        uint32_t bits;
        margin_real real;
    } pun;
    pun.bits = bits;
    return pun.real;
}

/* Any float at all, then one of a size that functions have something to do with. */
static margin_real any_real(void) {
    return of_bits(next_word());
}

static margin_real small_real(margin_real range) {
    return ((margin_real)(next_word() >> 8) / (margin_real)8388608 - 1) * range;
}

/* Exponents from `low` on, `count` of them. */
static margin_real with_exponent(uint32_t low, uint32_t count) {
    const uint32_t word = next_word();
    return of_bits((word & UINT32_C(0x807FFFFF)) | (low + (word >> 23) % count) << 23);
}

/* ---- the machine itself ---- */

/* One operation a function and operands from memory, so that compilers cannot work it out beforehand. */
typedef margin_real (*operation)(margin_real a, margin_real b);

static margin_real add(margin_real a, margin_real b) {
    return a + b;
}

static margin_real subtract(margin_real a, margin_real b) {
    return a - b;
}

static margin_real multiply(margin_real a, margin_real b) {
    return a * b;
}

static margin_real divide(margin_real a, margin_real b) {
    return a / b;
}

static const operation operations[] = {add, subtract, multiply, divide};

static void operate(uint32_t low, uint32_t count, uint32_t low_b, uint32_t count_b) {
    size_t i, k;
    state = 12345;
    for (i = 0; i < POINTS; i++) {
        const volatile margin_real a = with_exponent(low, count);
        const volatile margin_real b = with_exponent(low_b, count_b);
        for (k = 0; k < sizeof operations / sizeof operations[0]; k++) {
            suite_real(operations[k](a, b));
        }
        suite_word((a < b ? 1u : 0u) + (a <= b ? 2u : 0u) + (a == b ? 4u : 0u));
    }
}

void test_float_normal(margin_arena *mem) {
    (void)mem;
    operate(97, 60, 97, 60);
}

void test_float_subnormal(margin_arena *mem) {
    (void)mem;
    operate(0, 24, 0, 24);
    operate(0, 24, 110, 40);
}

void test_float_convert(margin_arena *mem) {
    size_t i;
    (void)mem;
    state = 99;
    for (i = 0; i < POINTS; i++) {
        const volatile uint32_t word = next_word();
        const volatile margin_real real = with_exponent(100, 57); /* below 2^30 in size */
        suite_word((uint32_t)(int32_t)real);
        suite_real((margin_real)word);
        suite_real((margin_real)(int32_t)word);
        suite_real((margin_real)(int16_t)(uint16_t)word);
    }
}

/* ---- scalar functions ---- */

typedef margin_real (*function)(margin_real x);

static void apply(function of, margin_real range) {
    size_t i;
    state = 777;
    for (i = 0; i < POINTS; i++) {
        suite_real(of(any_real()));
        suite_real(of(small_real(range)));
    }
    suite_real(of(0));
    suite_real(of(of_bits(UINT32_C(0x80000000)))); /* -0, both infinities, the smallest numbers */
    suite_real(of(of_bits(UINT32_C(0x7F800000))));
    suite_real(of(of_bits(UINT32_C(0xFF800000))));
    suite_real(of(of_bits(1)));
    suite_real(of(of_bits(UINT32_C(0x00800000))));
}

void test_math_sqrt(margin_arena *mem) {
    (void)mem;
    apply(margin_sqrt, 100);
}

void test_math_exp(margin_arena *mem) {
    (void)mem;
    apply(margin_exp, 90);
}

void test_math_log(margin_arena *mem) {
    (void)mem;
    apply(margin_log, 100);
}

void test_math_pow(margin_arena *mem) {
    size_t i;
    (void)mem;
    state = 5;
    for (i = 0; i < POINTS / 2; i++) {
        const margin_real any = any_real(), x = small_real(10), y = small_real(20);
        suite_real(margin_pow(any, y / 5));
        suite_real(margin_pow(x, y));
        suite_real(margin_pow(x / 5 + 2, y + y / 2));
    }
}

void test_math_pow_int(margin_arena *mem) {
    int i;
    (void)mem;
    state = 6;
    for (i = 0; i < POINTS; i++) {
        suite_real(margin_pow_int(small_real(3), i % 41 - 20));
        suite_real(margin_pow_int(any_real(), i % 7 - 3));
    }
}

void test_math_normal(margin_arena *mem) {
    (void)mem;
    apply(margin_normal_density, 14);
    apply(margin_normal_distribution, 14);
}

/* ---- random numbers ---- */

void test_random(margin_arena *mem) {
    margin_rng rng = margin_rng_make(7);
    margin_index items[20];
    size_t i;
    (void)mem;
    for (i = 0; i < POINTS; i++) {
        suite_word(margin_rng_u32(&rng));
        suite_word(margin_rng_below(&rng, UINT32_C(1000003)));
        suite_real(margin_rng_uniform(&rng));
        suite_real(margin_rng_normal(&rng));
    }
    for (i = 0; i < 20u; i++) { items[i] = (margin_index)i; }
    margin_shuffle(&rng, items, 20);
    for (i = 0; i < 20u; i++) { suite_word(items[i]); }
}
