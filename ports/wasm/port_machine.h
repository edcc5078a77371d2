/* port_machine.h -- the stack of WebAssembly: what has an address; the rest of it is the engine's affair. */
#include <stdint.h>

extern unsigned char __global_base; /* of the linker: the stack comes first, data from here on */

static inline void *port_stack_pointer(void) {
    void *sp;
    __asm__ volatile(
        ".globaltype __stack_pointer, i32 \n global.get __stack_pointer \n local.set %0"
        : "=r"(sp));
    return sp;
}
#define PORT_STACK_NOW() port_stack_pointer()
#define PORT_STACK_LIMIT() ((void *)16)
