/* library.c -- the library, once for every target: the switches of the port, then the implementation. */
#include "margin_port.h"
#define MARGIN_IMPLEMENTATION
#include "margin.h"
