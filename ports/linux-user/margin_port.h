/* margin_port.h -- switches of margin.h in a process: none. */
#ifndef MARGIN_PORT_H
#define MARGIN_PORT_H
#endif
