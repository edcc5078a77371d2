/* Any bytes as a training problem, as train.c has it, in float and in double: where both say that they have solved it, their
 * objectives agree. */
#include <math.h>

#include "differ.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
    train_result single, twice;
    train_in_float(input, size, &single);
    train_in_double(input, size, &twice);
    if (single.status == 0 && twice.status == 0 && single.unique && twice.unique &&
        single.rank == twice.rank) {
        const double off = fabs(single.objective - twice.objective);
        if (!(off <= 0.05 * fabs(twice.objective) + single.gap)) {
            (void)fprintf(stderr, "trainer %u: %g in float, gap %g; %g in double, gap %g\n",
                          twice.trainer, single.objective, single.gap, twice.objective, twice.gap);
        }
        CHECK(off <= 0.05 * fabs(twice.objective) + single.gap);
    }
    return 0;
}
