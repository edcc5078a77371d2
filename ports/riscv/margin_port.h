/* margin_port.h -- switches of margin.h on a 32-bit RISC-V: 4-byte blocks suffice where margin_real is float. */
#ifndef MARGIN_PORT_H
#define MARGIN_PORT_H
#define MARGIN_ALIGN 4u
#endif
