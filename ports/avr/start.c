/* start.c -- ATmega328P and ATmega2560, after avr-libc's start-up. Characters go to the first UART; the exit code
 * to a register that the simulator watches. */
#include "port.h"
#include "port_machine.h"

#define UCSR0A PORT_BYTE(0xC0)
#define UCSR0B PORT_BYTE(0xC1)
#define UBRR0L PORT_BYTE(0xC4)
#define UDR0 PORT_BYTE(0xC6)
#define SMCR PORT_BYTE(0x53)
#define EMPTY 0x20u   /* of UCSR0A */
#define TRANSMIT 0x08 /* of UCSR0B */
#define SLEEP 0x05    /* of SMCR: power down, sleep enabled */

void port_put(char c) {
    while ((UCSR0A & EMPTY) == 0) {}
    UDR0 = (uint8_t)c;
}

int main(void) {
    UCSR0B = TRANSMIT;
    UBRR0L = 0;
    PORT_GPIOR1 = (uint8_t)port_main();
    SMCR = SLEEP;
    __asm__ volatile("cli \n sleep"); /* asleep without interrupts: the simulator ends */
    for (;;) {}
}
