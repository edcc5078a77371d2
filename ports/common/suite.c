/* suite.c -- runs the tests of suite.h, or the one that SUITE_ONLY names, and prints a line for each: name, hash, and
 * what failed. The last line is about the stack. */
#include "port.h"
#include "suite.h"

#define STACK_SPARE 32u /* bytes that nothing may have touched */

static uint32_t hash;
static const char *failure;

void suite_word(uint32_t value) {
    int i;
    for (i = 0; i < 4; i++) { /* FNV-1a, from the low byte to the high one on any machine */
        hash = (hash ^ (value & 255u)) * UINT32_C(16777619);
        value >>= 8;
    }
}

void suite_real(margin_real value) {
    union {
        margin_real real;
        uint32_t bits;
    } pun;
    pun.real = value;
    suite_word(value == value ? pun.bits : UINT32_C(0x7FC00000));
}

void suite_reals(const margin_real *values, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) { suite_real(values[i]); }
}

void suite_fail(const char *why) {
    if (failure == NULL) { failure = why; }
}

void suite_status(margin_status status) {
    suite_word((uint32_t)(int32_t)status);
    if (status < 0) { suite_fail(status == MARGIN_E_MEMORY ? "memory" : "status"); }
}

margin_real *suite_numbers(margin_arena *mem, size_t n, uint32_t seed) {
    margin_rng rng = margin_rng_make(seed);
    margin_real *out = (margin_real *)margin_arena_keep(mem, n, sizeof *out);
    size_t i;
    if (out == NULL) {
        suite_fail("memory");
        return NULL;
    }
    for (i = 0; i < n; i++) { out[i] = seed == 0 ? 0 : margin_rng_normal(&rng); }
    return out;
}

margin_data suite_samples(margin_arena *mem, size_t n, size_t d, uint16_t classes, uint32_t seed) {
    margin_data data = {NULL, 0, 0, 0, NULL, NULL, NULL};
    margin_real *x = suite_numbers(mem, n * d, seed);
    uint16_t *y = (uint16_t *)margin_arena_keep(mem, n, sizeof *y);
    size_t i;
    if (x == NULL || y == NULL) {
        suite_fail("memory");
        return data;
    }
    for (i = 0; i < n; i++) {
        y[i] = (uint16_t)(i % classes);
        x[i * d + y[i] % d] += (margin_real)1.5;
    }
    data.x = x;
    data.y = y;
    data.n = n;
    data.d = d;
    return data;
}

/* ---- the list ---- */

#define DECLARE(name, bytes)                                                                       \
    void test_##name(margin_arena *mem);                                                           \
    static const size_t bytes_##name = (bytes);
#define ROOM(name, bytes) unsigned char name[(bytes) + 1u];
#define ENTRY(name, bytes) run(#name, test_##name, bytes_##name);

SUITE(DECLARE)

#define GLUE(a, b) a##b
#define NAMED(prefix, name) GLUE(prefix, name)
#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)

/* Memory for the test that needs most. */
typedef union {
#ifdef SUITE_ONLY
    unsigned char bytes[SUITE_BYTES + 1u];
#else
    SUITE(ROOM)
#endif
    margin_real alignment;
    void *pointer;
} memory;

static memory room;

static int failed;

static void run(const char *name, void (*test)(margin_arena *mem), size_t bytes) {
    margin_arena mem = margin_arena_make(&room, bytes);
    hash = UINT32_C(2166136261);
    failure = NULL;
    test(&mem);
    port_put_text(name);
    port_put(' ');
    port_put_hex(hash);
    if (failure != NULL) {
        port_put(' ');
        port_put_text(failure);
        failed = 1;
    }
    port_put('\n');
}

int port_main(void) {
    size_t used;
    port_stack_paint();
#ifdef SUITE_ONLY
    run(TEXT_OF(SUITE_ONLY), NAMED(test_, SUITE_ONLY), NAMED(bytes_, SUITE_ONLY));
#else
    SUITE(ENTRY)
#endif
    used = port_stack_used();
    port_put_text("stack ");
    port_put_number((uint32_t)used);
    port_put_text(" of ");
    port_put_number((uint32_t)port_stack_room());
    port_put('\n');
    return failed != 0 || used + STACK_SPARE > port_stack_room() ? 1 : 0;
}
