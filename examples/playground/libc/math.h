/* math.h -- what gen/native.c needs of it in WebAssembly. */
#ifndef PLAYGROUND_MATH_H
#define PLAYGROUND_MATH_H
#define NAN __builtin_nan("")
static inline double sqrt(double x) {
    return __builtin_sqrt(x);
}
static inline double fabs(double x) {
    return __builtin_fabs(x);
}
#endif
