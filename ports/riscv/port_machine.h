/* port_machine.h -- the stack of a RISC-V. */
#include <stdint.h>

extern uint32_t port_stack_end[]; /* of the linker script */

static inline void *port_stack_pointer(void) {
    void *sp;
    __asm__ volatile("mv %0, sp" : "=r"(sp));
    return sp;
}
#define PORT_STACK_NOW() port_stack_pointer()
#define PORT_STACK_LIMIT() ((void *)port_stack_end)
