/* port_machine.h -- the stack of an AVR, and marks that the simulator sees. */
#include <stdint.h>

extern unsigned char _end[]; /* of the linker script: the stack comes down to here */

#define PORT_BYTE(address) (*(volatile uint8_t *)(address))
#define PORT_SPL PORT_BYTE(0x5D)
#define PORT_SPH PORT_BYTE(0x5E)
/* The stack pointer is at the first free byte: what is in use begins after it. */
#define PORT_STACK_NOW() ((void *)(((uint16_t)PORT_SPH << 8 | PORT_SPL) + 1u))
#define PORT_STACK_LIMIT() ((void *)_end)

#define PORT_GPIOR0 PORT_BYTE(0x3E) /* written: simavr_run.c notes the cycle */
#define PORT_GPIOR1 PORT_BYTE(0x4A) /* written: the exit code */
#define PORT_MARK()                                                                                \
    do { PORT_GPIOR0 = 1; } while (0)
