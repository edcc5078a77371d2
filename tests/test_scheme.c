/* From the scores of several machines to a class: all pairs of classes, each class against the rest. */
#include "margin.h"

#include "greatest.h"

/* Three classes that beat each other in a circle: 0 over 1, 1 over 2, 2 over 0, by 1, 2 and 4. The
 * machines are (0,1), (0,2), (1,2); positive speaks for the second of a pair. */
static const margin_real circle[] = {-1, 4, -2};

TEST ties_of_votes_go_to_the_larger_sum_in_one_one(void)
{
    /* the sums in favour of the classes are -3, 1 and 2 */
    ASSERT_EQ_FMT(2, (int)margin_elect(MARGIN_SCHEME_ONE_ONE, 3, circle), "%d");
    PASS();
}

TEST ties_of_votes_go_to_the_first_class_in_votes(void)
{
    ASSERT_EQ_FMT(0, (int)margin_elect(MARGIN_SCHEME_VOTES, 3, circle), "%d");
    PASS();
}

TEST without_ties_both_rules_agree(void)
{
    margin_real scores[6];
    int i, j, ties = 0;
    for (i = 0; i < 64; i++) { /* every outcome of the six duels of four classes */
        int votes[4] = {0, 0, 0, 0}, machine = 0, a, b, best = 0, second = 0;
        for (a = 0; a < 4; a++) {
            for (b = a + 1; b < 4; b++, machine++) {
                const int won = (i >> machine) & 1;
                scores[machine] = won ? 1 : -1;
                votes[won ? b : a]++;
            }
        }
        for (j = 0; j < 4; j++) {
            best = votes[j] > votes[best] ? j : best;
        }
        for (j = 0; j < 4; j++) {
            second += votes[j] == votes[best];
        }
        ties += second > 1;
        ASSERT_EQ_FMT(best, (int)margin_elect(MARGIN_SCHEME_VOTES, 4, scores), "%d");
        if (second == 1) {
            ASSERT_EQ_FMT(best, (int)margin_elect(MARGIN_SCHEME_ONE_ONE, 4, scores), "%d");
        }
    }
    ASSERT_EQ_FMT(32, ties,
                  "%d"); /* a class that wins all three duels, of four: 4 * 8 outcomes have one */
    PASS();
}

TEST both_have_a_machine_for_each_pair(void)
{
    ASSERT_EQ_FMT(10, (int)margin_machines(MARGIN_SCHEME_VOTES, 5), "%d");
    ASSERT_EQ_FMT(10, (int)margin_machines(MARGIN_SCHEME_ONE_ONE, 5), "%d");
    ASSERT_EQ_FMT(5, (int)margin_machines(MARGIN_SCHEME_ONE_REST, 5), "%d");
    ASSERT_EQ_FMT(1, (int)margin_machines(MARGIN_SCHEME_BINARY, 2), "%d");
    PASS();
}

SUITE(scheme_suite)
{
    RUN_TEST(ties_of_votes_go_to_the_larger_sum_in_one_one);
    RUN_TEST(ties_of_votes_go_to_the_first_class_in_votes);
    RUN_TEST(without_ties_both_rules_agree);
    RUN_TEST(both_have_a_machine_for_each_pair);
}
