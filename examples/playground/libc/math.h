/* math.h -- what gen/native.c needs of it in WebAssembly. */
#ifndef PLAYGROUND_MATH_H
#define PLAYGROUND_MATH_H
#define NAN __builtin_nan("")
#endif
