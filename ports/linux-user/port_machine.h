/* port_machine.h -- the stack of a Linux process. */
#include <stdint.h>

static inline void *port_stack_pointer(void) {
    void *sp;
#if defined(__aarch64__)
    __asm__ volatile("mov %0, sp" : "=r"(sp));
#elif defined(__arm__)
    __asm__ volatile("mov %0, sp" : "=r"(sp));
#elif defined(__powerpc__)
    __asm__ volatile("mr %0, 1" : "=r"(sp));
#elif defined(__s390x__)
    __asm__ volatile("lgr %0, %%r15" : "=r"(sp));
#elif defined(__mips__)
    __asm__ volatile("move %0, $29" : "=r"(sp));
#elif defined(__x86_64__)
    __asm__ volatile("mov %%rsp, %0" : "=r"(sp));
#else
#error "port_machine.h: add the stack pointer of this machine"
#endif
    return sp;
}
extern unsigned char
    *port_stack_end; /* start.c: so far below the first frame that nothing gets there */
#define PORT_STACK_NOW() port_stack_pointer()
#define PORT_STACK_LIMIT() ((void *)port_stack_end)
#define PORT_GUARD
unsigned char *port_guard(void); /* start.c: no byte can be read or written from there on */
