/* port.h -- what every port offers to the programs that run on it: characters out, an end, the stack.
 *
 * A port is a folder with start.c (start-up, port_put, the end), port_machine.h (the few words of assembly
 * that stack.c and mark.c need), margin_port.h (switches of the library) and a linker script if need be. */
#ifndef PORT_H
#define PORT_H

#include <stddef.h>
#include <stdint.h>

/* The port calls this once after start-up and ends with what it returns, 0 for success. */
int port_main(void);

/* ---- of each port: start.c ---- */
void port_put(char c);

/* ---- report.c ---- */
void port_put_text(const char *text);
void port_put_hex(uint32_t value);    /* eight digits */
void port_put_number(uint32_t value); /* decimal */

/* ---- stack.c ---- the stack, painted */
/* Paints what is free of it; bytes used since then, at most; all there were. */
void port_stack_paint(void);
size_t port_stack_used(void);
size_t port_stack_room(void);
/* Bytes of stack that a call takes below its caller: its own, those of what it calls, return addresses
 * that the machine keeps on the stack. */
size_t port_stack_of(void (*call)(void));

/* ---- mark.c ---- what lies between the two is counted by icount.c or simavr_run.c */
void port_mark_begin(void);
void port_mark_end(void);

#endif
