/* report.c -- text and numbers, character by character. */
#include <stdbool.h>
#include "port.h"

void port_put_text(const char *text) {
    for (; *text != '\0'; text++) { port_put(*text); }
}

void port_put_hex(uint32_t value) {
    int shift;
    for (shift = 28; shift >= 0; shift -= 4) {
        port_put("0123456789abcdef"[(value >> shift) & 15u]);
    }
}

void port_put_number(uint32_t value) {
    static const uint32_t units[] = {1000000000u, 100000000u, 10000000u, 1000000u, 100000u,
                                     10000u,      1000u,      100u,      10u,      1u};
    bool begun = false;
    size_t i;
    for (i = 0; i < sizeof units / sizeof units[0]; i++) {
        char digit = '0';
        for (; value >= units[i]; value -= units[i]) { /* no division: it would be linked in */
            digit++;
        }
        begun = begun || digit != '0' || units[i] == 1u;
        if (begun) { port_put(digit); }
    }
}
