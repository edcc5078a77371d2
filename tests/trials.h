/* trials.h -- how many random problems a test tries: all, or in slow builds (sanitizers) the first 1 / TEST_SHARE. */
#ifndef TRIALS_H
#define TRIALS_H

#ifndef TEST_SHARE
#define TEST_SHARE 1
#endif
#define TRIALS(n) (((n) + (TEST_SHARE - 1)) / TEST_SHARE)

#endif
