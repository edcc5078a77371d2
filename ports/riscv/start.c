/* start.c -- start-up of a 32-bit RISC-V in machine mode on QEMU's board `virt`: a 16550 UART, and a device that
 * ends the emulation. */
#include "port.h"

extern uint32_t port_bss[], port_bss_end[];

void port_start(void);
void port_end(int code);

#define UART ((volatile unsigned char *)0x10000000u)
#define FINISHER ((volatile uint32_t *)0x100000u)

/* The CSR instructions are named here and not in -march: rv32imc_zicsr would pick libraries for 64 bits. */
__asm__(".option arch, +zicsr \n .section .init, \"ax\" \n .globl _start \n _start: \n"
        ".option push \n .option norelax \n la gp, __global_pointer$ \n .option pop \n"
        "la sp, port_stack \n la t0, port_trap \n csrw mtvec, t0 \n"
#if defined(__riscv_flen)
        "li t0, 0x6000 \n csrs mstatus, t0 \n csrw fcsr, zero \n" /* the FPU is on */
#endif
        "call port_start \n 1: j 1b \n .balign 4 \n port_trap: li a0, 99 \n call port_end \n"
        ".text \n");

void port_put(char c) {
    *UART = (unsigned char)c;
}

void port_end(int code) {
    *FINISHER = code == 0 ? 0x5555u : ((uint32_t)code << 16) | 0x3333u;
    for (;;) {}
}

void port_start(void) {
    uint32_t *to;
    for (to = port_bss; to < port_bss_end; to++) { *to = 0; }
    port_end(port_main());
}
