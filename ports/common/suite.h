/* suite.h -- what runs on every port: tests, each of which hashes the bits of its results.
 *
 * A test is a function `void test_NAME(margin_arena *mem)` in one of the suite_*.c files and a line in SUITE. It takes
 * its memory from `mem`, so many bytes as its line says, and hands all its results to the suite_... functions.
 * `make ports` compares the hashes of all targets with those of the host. On AVR every test is a program of its
 * own: what a test does not use does not count against its flash. */
#ifndef SUITE_H
#define SUITE_H

#include "margin_port.h"
#include "margin.h"

#ifdef MARGIN_REAL_DOUBLE
#error "suite.h: the suite is in float, as devices are"
#endif

/* ---- hashing ---- */
void suite_word(uint32_t value);
void suite_real(margin_real value); /* all NaN are the same */
void suite_reals(const margin_real *values, size_t n);
/* Hashes a status. A failure fails the test, whatever the host says. */
void suite_status(margin_status status);
/* A failure that is no status, in words. */
void suite_fail(const char *why);

/* ---- numbers to work on, the same everywhere ---- */
/* `n` reals from the arena, normally distributed by a generator of that seed; without a seed only the memory. */
margin_real *suite_numbers(margin_arena *mem, size_t n, uint32_t seed);
#ifndef MARGIN_PREDICT_ONLY
/* n samples of d features in classes that overlap a little. */
margin_data suite_samples(margin_arena *mem, size_t n, size_t d, uint16_t classes, uint32_t seed);
#endif
/* Xorshift (Marsaglia 2003), for tests of predictors alone: the generator of the library belongs to training. */
static inline uint32_t suite_draw(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* ---- the list: name and bytes of memory ---- */
#if SIZE_MAX > 0xFFFFFFFFu
#define SUITE_WIDE 100000u /* hosts align and pack for vector units */
#elif SIZE_MAX > 0xFFFFu
#define SUITE_WIDE 128u /* up to 30 blocks of 8 bytes, the first not on a multiple of 8 */
#else
#define SUITE_WIDE 0u
#endif
#define SUITE_REALS(n) ((size_t)(n) * sizeof(margin_real) + SUITE_WIDE)
#define SUITE_SAMPLES(n, d)                                                                        \
    (MARGIN_BLOCK((size_t)(n) * (d), sizeof(margin_real)) + MARGIN_BLOCK(n, 2u))
#define SUITE_LINEAR_TRAINING(n, d)                                                                \
    (SUITE_SAMPLES(n, d) + MARGIN_SVM_LINEAR_BYTES(n, d, 2u, 0, 1u) + SUITE_WIDE)
#define SUITE_KERNEL_TRAINING(n, d, classes)                                                       \
    (SUITE_SAMPLES(n, d) + MARGIN_SVM_KERNEL_BYTES(n, d, classes, 0, 1u) + SUITE_WIDE)
#define SUITE_ORDERED(n, bytes) (SUITE_SAMPLES(n, 3) + (bytes) + SUITE_WIDE)

#define SUITE_FLOAT(X)                                                                             \
    X(float_normal, 0)                                                                             \
    X(float_subnormal, 0)                                                                          \
    X(float_convert, 0)
#define SUITE_MATH(X)                                                                              \
    X(math_sqrt, 0)                                                                                \
    X(math_exp, SUITE_REALS(60))                                                                   \
    X(math_log, 0)                                                                                 \
    X(math_pow, 0)                                                                                 \
    X(math_pow_int, 0)                                                                             \
    X(math_normal, 0)                                                                              \
    X(random, 200u)
#define SUITE_LINALG(X)                                                                            \
    X(linalg_vector, SUITE_REALS(140))                                                             \
    X(linalg_cholesky, SUITE_REALS(110))                                                           \
    X(linalg_pivoted, SUITE_REALS(230))                                                            \
    X(linalg_eigen, SUITE_REALS(136))                                                              \
    X(linalg_leading, SUITE_REALS(250))                                                            \
    X(linalg_orthonormal, SUITE_REALS(62))                                                         \
    X(data_moments, SUITE_REALS(235))                                                              \
    X(data_scaling, SUITE_REALS(132))                                                              \
    X(data_folds, SUITE_REALS(130))                                                                \
    X(kernel_values, SUITE_REALS(32))
#define SUITE_MODELS(X)                                                                            \
    X(model_linear_f32, 0)                                                                         \
    X(model_linear_q15, 0)                                                                         \
    X(model_linear_q7, 0)                                                                          \
    X(model_rbf_f32, 0)                                                                            \
    X(model_rbf_q15, 0)                                                                            \
    X(model_rbf_q7, 0)                                                                             \
    X(model_poly_f32, 0)                                                                           \
    X(model_poly_q15, 0)                                                                           \
    X(model_poly_q7, 0)                                                                            \
    X(model_hinge_f32, 0)                                                                          \
    X(model_hinge_q15, 0)                                                                          \
    X(model_hinge_q7, 0)                                                                           \
    X(model_projected_f32, 0)                                                                      \
    X(model_projected_q15, 0)                                                                      \
    X(model_projected_q7, 0)                                                                       \
    X(model_proto_f32, 0)                                                                          \
    X(model_proto_q15, 0)                                                                          \
    X(model_proto_q7, 0)                                                                           \
    X(model_digits2_q7, 0)                                                                         \
    X(model_digits5_q7, 0)                                                                         \
    X(model_cuts_f32, 0)                                                                           \
    X(model_cuts_q15, 0)                                                                           \
    X(model_cuts_q7, 0)                                                                            \
    X(model_list_f32, 0)                                                                           \
    X(model_list_q15, 0)                                                                           \
    X(model_list_q7, 0)                                                                            \
    X(model_unit_poly_f32, 0)                                                                      \
    X(model_unit_poly_q15, 0)                                                                      \
    X(model_unit_poly_q7, 0)                                                                       \
    X(model_sensor_f32, 0)                                                                         \
    X(model_sensor_q15, 0)                                                                         \
    X(model_sensor_q7, 0)                                                                          \
    X(model_probabilities_f32, 0)                                                                  \
    X(model_probabilities_q15, 0)                                                                  \
    X(model_input_q15, 0)                                                                          \
    X(model_pairs_f32, 0)                                                                          \
    X(model_pairs_q15, 0)                                                                          \
    X(model_pairs_q7, 0)                                                                           \
    X(model_rest_f32, 0)                                                                           \
    X(model_rest_q15, 0)                                                                           \
    X(model_rest_q7, 0)                                                                            \
    X(model_wdbc_linear_f32, 0)                                                                    \
    X(model_wdbc_linear_q15, 0)                                                                    \
    X(model_wdbc_linear_q7, 0)                                                                     \
    X(model_wdbc_rbf_f32, 0)                                                                       \
    X(model_wdbc_rbf_q15, 0)                                                                       \
    X(model_wdbc_rbf_q7, 0)
#define SUITE_TRAINING(X)                                                                          \
    X(image, SUITE_REALS(94))                                                                      \
    X(image_forged, SUITE_REALS(110))                                                              \
    X(train_mam_linear, SUITE_SAMPLES(64, 4) + MARGIN_MAM_LINEAR_BYTES(4, 2u, 0))                  \
    X(train_mam_online, MARGIN_MAM_LINEAR_BYTES(4, 2u, 0) + SUITE_SAMPLES(16, 4))                  \
    X(train_mam_rbf, SUITE_SAMPLES(48, 4) + MARGIN_MAM_KERNEL_BYTES(48, 4, 2u, 0))                 \
    X(train_kmomd_linear, SUITE_LINEAR_TRAINING(56, 4))                                            \
    X(train_kmomd_rbf, SUITE_KERNEL_TRAINING(64, 4, 2u))                                           \
    X(train_kmomd_small, SUITE_KERNEL_TRAINING(12, 3, 2u))                                         \
    X(train_svm_linear, SUITE_LINEAR_TRAINING(48, 4))                                              \
    X(train_svm_rbf, SUITE_KERNEL_TRAINING(64, 4, 2u))                                             \
    X(train_svm_poly, SUITE_KERNEL_TRAINING(48, 4, 2u))                                            \
    X(train_svm_hard, SUITE_LINEAR_TRAINING(24, 3))                                                \
    X(train_svm_small, SUITE_KERNEL_TRAINING(12, 3, 2u))                                           \
    X(train_svm_classes, SUITE_KERNEL_TRAINING(45, 3, 3u))                                         \
    X(train_svm_nu, SUITE_KERNEL_TRAINING(24, 3, 2u))                                              \
    X(train_omam_linear, SUITE_ORDERED(32, MARGIN_OMAM_LINEAR_BYTES(32, 3, 4u)))                   \
    X(train_omam_rbf, SUITE_ORDERED(16, MARGIN_OMAM_KERNEL_BYTES(16, 3, 4u)))                      \
    X(train_omam_online, SUITE_ORDERED(16, MARGIN_OMAM_ONLINE_BYTES(3, 4u)))                       \
    X(train_lssvm_linear, SUITE_ORDERED(24, MARGIN_LSSVM_LINEAR_BYTES(24, 3, 4u)))                 \
    X(train_lssvm_rbf, SUITE_ORDERED(10, MARGIN_LSSVM_KERNEL_BYTES(10, 3, 4u, 0)))                 \
    X(train_oneclass, SUITE_ORDERED(14, MARGIN_ONECLASS_KERNEL_BYTES(14, 3, 1u)))                  \
    X(train_oneclass_linear, SUITE_ORDERED(20, MARGIN_ONECLASS_LINEAR_BYTES(20, 3, 1u)))           \
    X(train_oneclass_sphere, SUITE_ORDERED(16, MARGIN_ONECLASS_LINEAR_BYTES(16, 3, 1u) + 16u))     \
    X(train_oneclass_proto, SUITE_ORDERED(16, SUITE_REALS(700)))                                   \
    X(train_oneclass_online, SUITE_SAMPLES(16, 3) + MARGIN_ONECLASS_ONLINE_BYTES(3))               \
    X(train_svr, SUITE_ORDERED(14, MARGIN_SVR_KERNEL_BYTES(14, 3, 1u)))                            \
    X(train_svr_linear, SUITE_ORDERED(16, MARGIN_SVR_LINEAR_BYTES(16, 3, 1u)))                     \
    X(train_svr_nu, SUITE_ORDERED(12, MARGIN_SVR_KERNEL_BYTES(12, 3, 1u)))                         \
    X(train_svr_squares, SUITE_ORDERED(10, MARGIN_LSSVM_KERNEL_BYTES(10, 3, 1u, 1)))               \
    X(ordinal_tau, SUITE_REALS(80) + MARGIN_KENDALL_BYTES(40))                                     \
    X(calibrate, SUITE_REALS(90))                                                                  \
    X(metrics, SUITE_SAMPLES(40, 3) + SUITE_REALS(30))                                             \
    X(cross_validate, SUITE_SAMPLES(40, 3) + SUITE_REALS(110))                                     \
    X(compress, SUITE_KERNEL_TRAINING(32, 3, 2u) + SUITE_REALS(60))                                \
    X(quantize, SUITE_KERNEL_TRAINING(24, 3, 2u) + SUITE_REALS(60))
#define SUITE_INTEGERS(X) X(integer_models, SUITE_REALS(80))
#define SUITE_SOLVERS(X)                                                                           \
    X(train_rates_linear, SUITE_SAMPLES(40, 4) + MARGIN_RATES_LINEAR_BYTES(40, 4, 0) + SUITE_WIDE) \
    X(train_rates_rbf, SUITE_SAMPLES(10, 3) + MARGIN_RATES_KERNEL_BYTES(10, 3, 0) + SUITE_WIDE)    \
    X(train_proto_tvq, SUITE_SAMPLES(36, 4) + MARGIN_PROTO_BYTES(36, 4, 3, 1, 1) + SUITE_WIDE)     \
    X(train_proto_lvq, SUITE_SAMPLES(36, 4) + MARGIN_PROTO_BYTES(36, 4, 3, 2, 0) + SUITE_WIDE)     \
    X(train_proto_nn, SUITE_SAMPLES(36, 4) + SUITE_REALS(450))                                     \
    X(train_compact_hinge, SUITE_SAMPLES(24, 3) + MARGIN_COMPACT_BYTES(24, 3, 3, 4) + SUITE_WIDE)  \
    X(train_compact_rbf, SUITE_SAMPLES(24, 3) + MARGIN_COMPACT_BYTES(24, 3, 3, 4) + SUITE_WIDE)    \
    X(train_seco, SUITE_SAMPLES(16, 2) + SUITE_REALS(2352))                                        \
    X(train_seco_small, SUITE_SAMPLES(8, 2) + SUITE_REALS(1092))
#ifdef SUITE_PREDICT /* the predictors alone, to compile them at more levels of optimisation */
#define SUITE(X) SUITE_MODELS(X) SUITE_INTEGERS(X)
#elif defined SUITE_REST /* all others, where one program is too large for the flash */
#define SUITE(X) SUITE_FLOAT(X) SUITE_MATH(X) SUITE_LINALG(X) SUITE_TRAINING(X) SUITE_SOLVERS(X)
#else
#define SUITE(X)                                                                                   \
    SUITE_FLOAT(X)                                                                                 \
    SUITE_MATH(X)                                                                                  \
    SUITE_LINALG(X)                                                                                \
    SUITE_MODELS(X) SUITE_TRAINING(X) SUITE_INTEGERS(X) SUITE_SOLVERS(X)
#endif

#endif
