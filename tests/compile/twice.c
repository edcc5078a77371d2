/* The second include must be empty, with the implementation as without it. */
#define MARGIN_IMPLEMENTATION
#include "margin.h"
#include "margin.h"
