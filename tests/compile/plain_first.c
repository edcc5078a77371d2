/* A plain include, as another header may have made it, must not swallow the implementation. */
#include "margin.h"
#define MARGIN_IMPLEMENTATION
#include "margin.h"
