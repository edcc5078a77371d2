/* margin_port.h -- switches of margin.h on an AVR.
 *
 * Models stay in flash, which is not in the data space: MARGIN_FLASH places them, MARGIN_LOAD reads them. gcc's
 * address space __flash (C with GNU extensions: -std=gnu99) gives the best code; C++ and plain C99 take
 * avr-libc's macros. Flash beyond 64 KB (ATmega2560) is out of reach of both: keep models in the first 64 KB, where
 * the linker puts PROGMEM data by itself.
 *
 * A program that trains, or that opens images, has its models in RAM: PORT_MODELS_IN_RAM. */
#ifndef MARGIN_PORT_H
#define MARGIN_PORT_H

#define MARGIN_ALIGN 2u

#ifndef PORT_MODELS_IN_RAM
#include <avr/pgmspace.h>
#define MARGIN_FLASH PROGMEM
#define MARGIN_LOAD_LPM
#ifdef __FLASH
#define MARGIN_LOAD(type, p) (*(const __flash type *)(p))
#else
#define MARGIN_LOAD(type, p)                                                                       \
    (__extension__({                                                                               \
        type loaded_;                                                                              \
        memcpy_P(&loaded_, (p), sizeof loaded_);                                                   \
        loaded_;                                                                                   \
    }))
#endif
#endif

#endif
