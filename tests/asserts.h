/* asserts.h -- the test framework, with an ASSERT_IN_RANGE that a NaN does not pass. */
#ifndef ASSERTS_H
#define ASSERTS_H

#include "greatest.h"

#undef GREATEST_ASSERT_IN_RANGEm
#define GREATEST_ASSERT_IN_RANGEm(MSG, EXP, GOT, TOL)                                              \
    do {                                                                                           \
        const double asserts_exp = (EXP), asserts_got = (GOT), asserts_tol = (TOL);                \
        greatest_info.assertions++;                                                                \
        if (!(asserts_exp == asserts_got || (asserts_exp - asserts_got <= asserts_tol &&           \
                                             asserts_got - asserts_exp <= asserts_tol))) {         \
            printf("\nExpected: %g +/- %g\n     Got: %g\n", asserts_exp, asserts_tol,              \
                   asserts_got);                                                                   \
            GREATEST_FAILm(MSG);                                                                   \
        }                                                                                          \
    } while (0)

#endif
