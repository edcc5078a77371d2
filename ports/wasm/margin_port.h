/* margin_port.h -- switches of margin.h in WebAssembly: 4-byte blocks suffice where margin_real is float. */
#ifndef MARGIN_PORT_H
#define MARGIN_PORT_H
#define MARGIN_ALIGN 4u
#endif
