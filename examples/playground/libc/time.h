/* time.h -- what gen/native.c needs of it in WebAssembly: a clock that stands still. */
#ifndef PLAYGROUND_TIME_H
#define PLAYGROUND_TIME_H
typedef long clock_t;
#define CLOCKS_PER_SEC 1L
static inline clock_t clock(void) {
    return 0;
}
#endif
