/* The list of suites. A new suite is a file tests/test_<tag>.c and one line here. */
#include "asserts.h"

/* clang-format off */
#define SUITES(X) \
    X(core_suite) \
    X(math_suite) \
    X(random_suite) \
    X(linalg_suite) \
    X(data_suite) \
    X(kernel_suite) \
    X(train_suite) \
    X(kmomd_suite) \
    X(svm_suite) \
    X(rates_suite) \
    X(loss_suite) \
    X(seco_suite) \
    X(scheme_suite) \
    X(mam_suite) \
    X(ordinal_suite) \
    X(oneclass_suite) \
    X(svr_suite) \
    X(quant_suite) \
    X(image_suite) \
    X(calibrate_suite) \
    X(compress_suite) \
    X(metrics_suite) \
    X(proto_suite) \
    X(compact_suite) \
    X(inside_suite) \
    X(refusals_suite) \
    X(arguments_suite) \
    X(sweeps_suite) \
    X(edges_suite) \
    X(torture_suite)
/* clang-format on */

#define DECLARE(suite) SUITE(suite);
SUITES(DECLARE)
GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    struct greatest_report_t report;
    GREATEST_MAIN_BEGIN();
#define RUN(suite) RUN_SUITE(suite);
    SUITES(RUN)
    GREATEST_PRINT_REPORT();
    greatest_get_report(&report);
    printf("%u passed, %u failed\n", report.passed, report.failed);
    return report.failed != 0;
}
