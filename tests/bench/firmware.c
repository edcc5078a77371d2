/* firmware.c -- an exported model as firmware has it, for table_gen.py and table_proto.py: HEADER is its file, its names
 * start with m_.
 * Alone, answer() is what model and code add to a program; with -DCOUNT the program asks for the rows of the self-test,
 * each once with an empty function and once with the model between the marks. With -DFIND integer prototypes answer
 * by m_find, which leaves vectors early. */
#include "margin_port.h"
#define MARGIN_IMPLEMENTATION
#define MARGIN_PREDICT_ONLY
#include "margin.h"
#include HEADER

#ifdef RAW /* floats in, converted to the integers of the model */
typedef float input;
#elif defined(INTEGER)
typedef int16_t input;
#else
typedef float input;
#endif

uint16_t answer(const input *x);
uint16_t nothing(const input *x);

__attribute__((noinline)) uint16_t answer(const input *x) {
#ifdef RAW
    int16_t converted[M_FEATURES];
    m_input(x, converted);
    return m_classify(converted);
#elif defined(FIND)
    margin_proto_found_q found;
    m_find(x, &found);
    return found.label;
#else
    return m_classify(x);
#endif
}

#ifdef COUNT
#include "port.h"

__attribute__((noinline)) uint16_t nothing(const input *x) {
    __asm__ volatile("" ::"r"(x) : "memory");
    return 0;
}

int port_main(void) {
    input x[M_FEATURES];
    volatile uint16_t label;
    size_t row, k;
    for (row = 0; row < sizeof m_test_scores / sizeof m_test_scores[0] / M_MACHINES; row++) {
        for (k = 0; k < M_FEATURES; k++) {
#ifdef RAW
            x[k] = (float)m_test_x[row * M_FEATURES + k] / m_input_factor[k] + m_input_offset[k];
#else
            x[k] = m_test_x[row * M_FEATURES + k];
#endif
        }
        port_mark_begin();
        label = nothing(x);
        port_mark_end();
        port_mark_begin();
        label = answer(x);
        port_mark_end();
    }
    (void)label;
    return m_selftest();
}
#endif
