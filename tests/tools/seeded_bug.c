/* A defect that every analyser has to find beside the library: shows that it has really looked. */
#include "tests/compile/impl.c"

int seeded_bug(int k);
int seeded_bug(int k)
{
    int x;
    if (k > 3) {
        x = 1;
    }
    return x;
}
