/* margin_port.h -- switches of margin.h on a Cortex-M: 4-byte blocks suffice where margin_real is float. */
#ifndef MARGIN_PORT_H
#define MARGIN_PORT_H
#define MARGIN_ALIGN 4u
#endif
