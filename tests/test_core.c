/* Status texts and the arena. */
#include <string.h>

#include "greatest.h"
#include "margin.h"

TEST every_status_has_its_own_text(void)
{
    ASSERT_STR_EQ("done", margin_status_text(MARGIN_OK));
    ASSERT_STR_EQ("unknown status", margin_status_text((margin_status)77));
    PASS();
}

SUITE(core_suite)
{
    RUN_TEST(every_status_has_its_own_text);
}
