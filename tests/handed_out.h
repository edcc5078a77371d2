/* handed_out.h -- under the memory sanitizer a block of an arena holds nothing when it is handed out, whatever its bytes held
 * before: most arenas of the tests lie in static buffers, which the sanitizer takes for written. */
#ifndef HANDED_OUT_H
#define HANDED_OUT_H
#include <sanitizer/msan_interface.h>

#define MGN_HANDED_OUT(block, bytes)                                                               \
    do {                                                                                           \
        if ((block) != NULL) { __msan_allocated_memory((block), (bytes)); }                        \
    } while (0)

#endif
