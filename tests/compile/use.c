/* Uses the library from a file that includes it plainly, or on its own with MARGIN_STATIC; linked
 * in all the ways that packaging.sh lists. Ends with 0 if blocks are aligned at odd addresses. */
#ifdef MARGIN_STATIC
#define MARGIN_IMPLEMENTATION
#endif
#include "margin.h"

int main(void) {
    static unsigned char bytes[64 + 2 * MARGIN_ALIGN];
    size_t skew;
    for (skew = 0; skew < MARGIN_ALIGN; skew++) {
        margin_arena mem = margin_arena_make(bytes + skew, sizeof bytes - skew);
        const void *front = margin_arena_keep(&mem, 1, 3);
        const void *back = margin_arena_scratch(&mem, 3, 1);
        if (front == NULL || (uintptr_t)front % MARGIN_ALIGN != 0 ||
            (uintptr_t)back % MARGIN_ALIGN != 0) {
            return 1;
        }
    }
    return margin_status_text(MARGIN_OK)[0] == 'd' ? 0 : 2;
}
