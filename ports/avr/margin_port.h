/* margin_port.h -- switches of margin.h on an AVR.
 *
 * Models stay in flash, which is not in the data space: margin.h sees to it by itself for programs that only predict, and
 * MARGIN_LOAD_LPM says so for all files of the suite. gcc's address space __flash (C with GNU extensions: -std=gnu99)
 * gives the best code. Flash beyond 64 KB (ATmega2560) is out of reach: keep models in the first 64 KB, where the linker
 * puts them by itself.
 *
 * A program that trains, or that opens images, has its models in RAM: PORT_MODELS_IN_RAM. */
#ifndef MARGIN_PORT_H
#define MARGIN_PORT_H

#define MARGIN_ALIGN 2u

#ifdef PORT_MODELS_IN_RAM
#define MARGIN_MODELS_IN_RAM
#else
#define MARGIN_LOAD_LPM
#endif

#endif
