/* pico_sdk.c -- what stands in the place of the Pico SDK in the tests: start-up from flash, characters to UART0. */
#include <stdint.h>

#define UART0_DR (*(volatile uint32_t *)0x40034000u)
#define UART0_CR (*(volatile uint32_t *)0x40034030u)

extern uint32_t port_data_load[], port_data[], port_data_end[], port_bss[], port_bss_end[],
    port_stack[];
int main(void);
void port_reset(void);
void stdio_init_all(void);
void sleep_ms(uint32_t ms);
int puts(const char *text);

void port_reset(void) {
    uint32_t *from = port_data_load, *to;
    for (to = port_data; to < port_data_end; to++) { *to = *from++; }
    for (to = port_bss; to < port_bss_end; to++) { *to = 0; }
    (void)main();
}

__attribute__((section(".vectors"), used)) static void *const vectors[2] = {port_stack,
                                                                            (void *)port_reset};

void stdio_init_all(void) {
    UART0_CR = 0x301; /* enabled, both ways */
}

int puts(const char *text) {
    for (; *text != '\0'; text++) { UART0_DR = (uint32_t)*text; }
    UART0_DR = '\n';
    return 0;
}

void sleep_ms(uint32_t ms) {
    for (volatile uint32_t i = 0; i < ms; i++) {}
}
