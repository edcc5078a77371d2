/* Nothing but the implementation: what the analysers, the cross compilers and `make symbols` see. */
#define MARGIN_IMPLEMENTATION
#include "margin.h"
