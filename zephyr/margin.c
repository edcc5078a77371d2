/* margin.c -- the implementation of margin.h, compiled once for an application (Zephyr, CMSIS-Pack). */
#define MARGIN_IMPLEMENTATION
#include "margin.h"
