/* A pump learns in its first minute what is normal for it, one sample a second, and raises an alarm afterwards: one
 * class on-line. Runs on a host, an ATmega328P and a Cortex-M0. */
#ifdef PORT /* ports/examples.py */
#include "port.h"
#include "margin_port.h"
#else
#include <stdio.h>
#define port_put(c) (void)putchar(c)
#define port_main main
#endif

#define MARGIN_IMPLEMENTATION
#define MARGIN_STATIC
#include "margin.h"

enum { D = 3, MINUTE = 60, END = 180, WORN = 120 };

static unsigned char bytes[MARGIN_ONECLASS_ONLINE_BYTES(D)];

static void put(const char *text, size_t number) {
    char digits[8];
    size_t n = 0;
    for (; *text != '\0'; text++) { port_put(*text); }
    do { digits[n++] = (char)('0' + number % 10u); } while ((number /= 10u) > 0);
    while (n > 0) { port_put(digits[--n]); }
}

/* Vibration and current rise together with the load; after WORN seconds vibration rises by itself. */
static void measure(margin_rng *rng, size_t second, margin_real *x) {
    const margin_real load = margin_rng_normal(rng), noise = (margin_real)0.1;
    x[0] = 2 + load / 2 + noise * margin_rng_normal(rng);
    x[1] = 5 + load + noise * margin_rng_normal(rng);
    x[2] = 40 + margin_rng_normal(rng);
    if (second >= WORN) { x[0] += (margin_real)(second - WORN) / 40; }
}

int port_main(void) {
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_rng rng = margin_rng_make(3);
    const margin_oneclass_online_options options = {(margin_real)0.02, 1, (margin_real)0.01, 0};
    margin_oneclass_online on;
    size_t alarms[2] = {0, 0}, first = 0;
    margin_real x[D];
    put("arena ", sizeof bytes);
    if (margin_oneclass_online_start(&on, D, &options, &mem) != MARGIN_OK) { return 1; }
    for (size_t second = 0; second < END; second++) {
        measure(&rng, second, x);
        if (second < MINUTE) {
            (void)margin_oneclass_online_add(&on, x, NULL);
        } else if (margin_oneclass_online_distance(&on, x) > on.threshold) {
            alarms[second >= WORN]++;
            first = first == 0 && second >= WORN ? second : first;
        }
    }
    put("\nthreshold after a minute in tenths ", (size_t)(10 * on.threshold));
    put("\nfalse alarms in the second minute ", alarms[0]);
    put("\nalarms in the third minute, as it wears ", alarms[1]);
    put(", the first at second ", first);
    port_put('\n');
    return 0;
}
