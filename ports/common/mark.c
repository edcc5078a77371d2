/* mark.c -- two places in a program, in a file of their own so that nothing inlines or merges them. */
#include "port.h"
#include "port_machine.h"

#ifndef PORT_MARK /* what a simulator sees; others look at the addresses of the functions */
#define PORT_MARK() __asm__ volatile("" ::: "memory")
#endif

void port_mark_begin(void) {
    PORT_MARK();
}

void port_mark_end(void) {
    PORT_MARK();
}
