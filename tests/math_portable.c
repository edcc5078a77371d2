/* The square root that processors without the instruction get. */
#define MARGIN_NO_ASM
#define MARGIN_STATIC
#define MARGIN_IMPLEMENTATION
#include "margin.h"

margin_real portable_sqrt(margin_real x);

margin_real portable_sqrt(margin_real x) {
    return margin_sqrt(x);
}
