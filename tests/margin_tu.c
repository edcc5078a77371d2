/* The one file of the test program that holds the implementation, its assertions switched on. */
#ifndef MARGIN_ASSERT
#include <assert.h>
#define MARGIN_ASSERT(cond) assert(cond)
#endif
#define MARGIN_IMPLEMENTATION
#include "margin.h"
