/* stack.c -- how much stack is used: the free part of it is painted, and looked at afterwards. */
#include "port.h"
#include "port_machine.h" /* PORT_STACK_NOW(), the stack pointer; PORT_STACK_LIMIT(), the last byte it has */

#define PAINT 0xA5u
#define NOINLINE __attribute__((noinline))

static volatile unsigned char *top; /* the stack pointer when it was painted */

/* No calls from here on until all is painted: what is below the stack pointer belongs to nobody. */
#define PAINT_BELOW(pointer)                                                                       \
    do {                                                                                           \
        volatile unsigned char *p_ = (unsigned char *)PORT_STACK_LIMIT();                          \
        top = (pointer);                                                                           \
        while (p_ < top) { *p_++ = PAINT; }                                                        \
    } while (0)

/* A leaf: compilers may save its registers after the stack pointer was read. */
#define OWN_FRAME 64

NOINLINE void port_stack_paint(void) {
    PAINT_BELOW((unsigned char *)PORT_STACK_NOW() - OWN_FRAME);
}

NOINLINE size_t port_stack_used(void) {
    volatile unsigned char *p = (unsigned char *)PORT_STACK_LIMIT();
    while (p < top && *p == PAINT) { p++; }
    return (size_t)(top - p);
}

NOINLINE size_t port_stack_room(void) {
    return (size_t)(top - (unsigned char *)PORT_STACK_LIMIT());
}

NOINLINE size_t port_stack_of(void (*call)(void)) {
    PAINT_BELOW((unsigned char *)PORT_STACK_NOW());
    call();
    return port_stack_used();
}
