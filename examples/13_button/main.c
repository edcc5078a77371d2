/* A button labels what the accelerometer feels, and the device learns it at once: mam on-line, of the last
 * WINDOW samples alone, so that it follows its user. Runs on a host, an ATmega328P and a Cortex-M0. */
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

enum { D = 3, WINDOW = 16, ROUND = 20, ROUNDS = 6 };

static unsigned char bytes[MARGIN_MAM_LINEAR_BYTES(D, 2u, 0)];
static margin_real window[WINDOW][D];
static uint16_t labels[WINDOW];

static void put(const char *text, size_t number) {
    char digits[8];
    size_t n = 0;
    for (; *text != '\0'; text++) { port_put(*text); }
    do { digits[n++] = (char)('0' + number % 10u); } while ((number /= 10u) > 0);
    while (n > 0) { port_put(digits[--n]); }
}

/* A shake or a tap; from the fourth round on the user holds the device the other way up. */
static void feel(margin_rng *rng, size_t round, uint16_t label, margin_real *x) {
    for (size_t k = 0; k < D; k++) {
        const margin_real side = (label == (round < 3u ? 1u : 0u)) == (k < 2u) ? 1 : -1;
        x[k] = side + margin_rng_normal(rng) / 2;
    }
}

int port_main(void) {
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_rng rng = margin_rng_make(1);
    const margin_mam_options options = {{0, 0, 0, 0, 0}, true, true, 0};
    margin_mam_online on;
    margin_linear model;
    size_t seen = 0;
    put("arena ", sizeof bytes);
    if (margin_mam_online_start(&on, D, 2, &options, &mem) != MARGIN_OK) { return 1; }
    for (size_t round = 0; round < ROUNDS; round++) {
        margin_mam_certainty certainty = {0, 1, 0, 1};
        size_t right = 0, judged = 0;
        for (size_t i = 0; i < ROUND; i++, seen++) {
            margin_real *x = window[seen % WINDOW], score;
            const uint16_t label = (uint16_t)(margin_rng_u32(&rng) >> 31); /* the button */
            if (seen >= WINDOW) {
                (void)margin_mam_online_forget(&on, x, labels[seen % WINDOW], 1);
            }
            feel(&rng, round, label, x);
            labels[seen % WINDOW] = label;
            if (margin_mam_online_model(&on, &model) == MARGIN_OK) {
                margin_linear_scores(&model, x, &score);
                right += (score > 0) == (label == 1u) ? 1u : 0;
                judged++;
            }
            (void)margin_mam_online_add(&on, x, label, 1);
        }
        put("\nround ", round + 1u);
        put(": right ", right);
        put(" of ", judged);
        if (margin_mam_online_certainty(&on, &certainty) == MARGIN_OK) {
            put(", mean margin in thousandths ",
                (size_t)(1000 * (certainty.average > 0 ? certainty.average : 0)));
            put(", wrong by the bound of theory at most % ",
                (size_t)(100 * margin_mam_bound(&certainty, 0, (margin_real)0.05)));
        }
    }
    port_put('\n');
    return 0;
}
