/* start.c -- start-up of a Cortex-M without a library; characters and the end go through semihosting. */
#include "port.h"

extern uint32_t port_data_load[], port_data[], port_data_end[], port_bss[], port_bss_end[];
extern uint32_t port_stack[];

void port_reset(void);
void port_start(void);

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };

static void semihosting(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void end(int code) {
    uint32_t block[2];
    block[0] = APPLICATION_EXIT;
    block[1] = (uint32_t)code;
    semihosting(SYS_EXIT_EXTENDED, block);
    for (;;) {}
}

void port_put(char c) {
    char text[2];
    text[0] = c;
    text[1] = '\0';
    semihosting(SYS_WRITE0, text);
}

void port_start(void) {
    uint32_t *from = port_data_load, *to;
    for (to = port_data; to < port_data_end; to++) { *to = *from++; }
    for (to = port_bss; to < port_bss_end; to++) { *to = 0; }
    end(port_main());
}

/* Every fault ends the program: code that needs an FPU stops on a core without one. */
static void fault(void) {
    end(99);
}

/* Opens the FPU before any C: compilers use its registers for the very first loop. */
__attribute__((naked, noreturn)) void port_reset(void) {
    __asm__ volatile(
#if defined(__ARM_FP)
        "ldr r0, =0xE000ED88 \n ldr r1, [r0] \n orr r1, r1, #(0xF << 20) \n str r1, [r0] \n"
        "dsb \n isb \n"
#endif
        "bl port_start \n b . \n .ltorg");
}

typedef void (*vector)(void);
__attribute__((section(".vectors"), used)) static const vector vectors[16] = {
    (vector)(uintptr_t)port_stack,
    port_reset,
    fault,
    fault,
    fault,
    fault,
    fault,
    0,
    0,
    0,
    0,
    fault,
    fault,
    0,
    fault,
    fault};
