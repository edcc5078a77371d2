/* test_sweeps.c -- every function that takes an arena, with every size of it: see arena_sweep.h. `make toc` compares the list
 * below with margin.h, so that no function is left out. */
#include <stdlib.h>
#include <string.h>

#include "arena_sweep.h"
#include "asserts.h"
#include "margin.h"

#define N 12
#define D 3

/* ---- a small problem, and models of each kind ---------------------------------------------------- */

static margin_real x[N * D], square[N * N], factor[N * N], little[N], at[2] = {0, 1};
static uint16_t y[N];
static margin_data data, ranked;
static margin_model linear, kernel, proto, list;
static margin_quant integers;
static margin_scaling scaling;
static margin_rates_moments moments;
static margin_real mean[2 * D], cov[2 * D * D];
static uint32_t image[500], image_q[500];
static size_t image_size, image_size_q;
static unsigned char bytes[400000];
static margin_svm_options rbf;
static margin_seco_options cuts;
static margin_proto_options tangents;
static margin_compact_options few;
static margin_oneclass_options normal;
static margin_svr_options numbers;

/* All outputs; those that are also inputs are made anew before each call. */
static struct {
    margin_real reals[N * N], more[N * N], scalar;
    margin_index order[N];
    uint16_t fold[N];
    size_t rank;
    margin_model model;
    margin_scaling scaling;
    margin_quant quant;
    margin_quant_info quant_info;
    margin_info info;
    margin_seco_report seco;
    margin_compress_info compress;
    margin_summary summary;
    margin_cv cv;
    margin_mam_online mam;
    margin_omam_online omam;
    margin_oneclass_online normal;
} out;

static margin_status train_svm(void *user, const margin_data *view, margin_arena *mem,
                               margin_model *model) {
    return margin_svm_train(view, (const margin_svm_options *)user, mem, model, NULL, NULL);
}
static margin_learner learner, fold_learner;
static const margin_cv_options folds = {3, 0, 0, false, false, 0};

static bool make_all(void) {
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_rng rng = margin_rng_make(5);
    bool good = true;
    for (size_t i = 0; i < N; i++) {
        y[i] = (uint16_t)(i % 2u);
        little[i] = (margin_real)0.01;
        for (size_t k = 0; k < D; k++) {
            x[i * D + k] = margin_rng_normal(&rng) + (y[i] == 1u ? 1 : -1);
        }
        for (size_t j = 0; j < N; j++) {
            square[i * N + j] = 1 / (margin_real)(1u + i + j) + (i == j ? 1 : 0);
        }
    }
    memset(&data, 0, sizeof data);
    memset(&rbf, 0, sizeof rbf);
    memset(&cuts, 0, sizeof cuts);
    memset(&tangents, 0, sizeof tangents);
    data.x = x;
    data.y = y;
    data.n = N;
    data.d = D;
    ranked = data;
    rbf.kernel.kind = MARGIN_KERNEL_RBF;
    rbf.run.cache_bytes = 1;
    cuts.cheap = true;
    cuts.left = 2;
    tangents.tangents = 1;
    normal.kernel.kind = MARGIN_KERNEL_RBF;
    normal.folds = 3;
    numbers.kernel.kind = MARGIN_KERNEL_RBF;
    numbers.targets = square;
    numbers.outside = (margin_real)0.25;
    few.vectors = 3;
    few.max_iterations = 2;
    learner.train = train_svm;
    learner.bytes = margin_svm_train_size(N, D, 2, NULL);
    fold_learner = learner;
    fold_learner.bytes = margin_svm_train_size(N - N / 3, D, 2, NULL);
    memcpy(factor, square, sizeof factor);
    moments.mean = mean;
    moments.cov = cov;
    moments.d = D;
    good = good && margin_cholesky(factor, N, &mem) == MARGIN_OK;
    good = good && margin_data_moments(&data, 2, &mem, out.reals, mean, cov) == MARGIN_OK;
    good = good && margin_scaling_fit(&data, MARGIN_SCALE_STANDARD, &mem, &scaling) == MARGIN_OK;
    good = good && margin_svm_train(&data, NULL, &mem, &linear, NULL, NULL) == MARGIN_OK;
    good = good && margin_svm_train(&data, &rbf, &mem, &kernel, NULL, NULL) == MARGIN_OK;
    good = good && margin_proto_train(&data, &tangents, &mem, &proto, NULL, NULL) >= 0;
    good = good && margin_seco_train(&data, &cuts, &mem, &list, NULL, NULL) >= 0;
    good = good && margin_quantize(&kernel, &data, NULL, &mem, &integers, NULL) == MARGIN_OK;
    image_size = margin_image_size(&kernel, 0);
    image_size_q = margin_image_size_q(&integers, 0);
    good = good && margin_image_write(&kernel, NULL, 0, image, sizeof image) == MARGIN_OK;
    good = good && margin_image_write_q(&integers, NULL, 0, image_q, sizeof image_q) == MARGIN_OK;
    return good;
}

static void prepare(void) {
    memset(&out, 0, sizeof out);
    memcpy(out.reals, square, sizeof square);
    memcpy(out.more, factor, sizeof factor);
    out.model = linear;
}

static margin_rng *rng_of_folds(void) {
    static margin_rng rng;
    rng = margin_rng_make(3);
    return &rng;
}

/* ---- the list: function, bytes, call --------------------------------------------------------------- */

/* clang-format off */
#define SWEEPS(X) \
    X(margin_cholesky, margin_cholesky_size(N), (out.reals, N, mem)) \
    X(margin_cholesky_pivoted, margin_cholesky_pivoted_size(N), (out.reals, N, 0, out.order, &out.rank, mem)) \
    X(margin_eigen, margin_eigen_size(N, true), (out.more, out.reals, square, N, mem)) \
    X(margin_eigen_leading, margin_eigen_leading_size(N), (out.more, out.reals, 3, square, N, mem)) \
    X(margin_data_moments, margin_data_moments_size(D), (&data, 2, mem, out.reals, out.reals + 8, out.more)) \
    X(margin_scaling_fit, margin_scaling_fit_size(MARGIN_SCALE_MINMAX, D), (&data, MARGIN_SCALE_MINMAX, mem, &out.scaling)) \
    X(margin_folds, margin_folds_size(N), (&data, 3, true, rng_of_folds(), mem, out.fold)) \
    X(margin_quantize, margin_quantize_size(&kernel, NULL), (&kernel, &data, NULL, mem, &out.quant, &out.quant_info)) \
    X(margin_image_load, margin_image_load_size(image, image_size), (image, image_size, mem, &out.model)) \
    X(margin_image_load_q, margin_image_load_size_q(image_q, image_size_q), (image_q, image_size_q, mem, &out.quant)) \
    X(margin_model_scale, margin_model_scale_size(&linear), (&out.model, &scaling, mem)) \
    X(margin_mam_train, margin_mam_train_size(N, D, 2, NULL), (&data, NULL, mem, &out.model, &out.info)) \
    X(margin_mam_online_start, margin_mam_online_start_size(D, 2, NULL), (&out.mam, D, 2, NULL, mem)) \
    X(margin_kmomd_train, margin_kmomd_train_size(N, D, 2, NULL), (&data, NULL, mem, &out.model, &out.info, NULL)) \
    X(margin_svm_train, margin_svm_train_size(N, D, 2, &rbf), (&data, &rbf, mem, &out.model, &out.info, NULL)) \
    X(margin_rates_train, margin_rates_train_size(N, D, 2, NULL), (&data, NULL, mem, &out.model, &out.info, NULL)) \
    X(margin_rates_frontier, margin_rates_train_size(N, D, 2, NULL), (&data, NULL, mem, at + 1, out.reals, 1)) \
    X(margin_rates_train_moments, margin_rates_train_moments_size(D, NULL), (&moments, NULL, mem, &out.model, &out.info, NULL)) \
    X(margin_loss_train, margin_loss_train_size(N, D, 2, NULL), (&data, NULL, mem, &out.model, &out.info)) \
    X(margin_seco_train, margin_seco_train_size(N, D, 2, &cuts), (&data, &cuts, mem, &out.model, &out.info, &out.seco)) \
    X(margin_calibrate, margin_calibrate_size(N, &linear.of.linear.vote), (&data, x, 0, mem, &out.model.of.linear.vote, NULL)) \
    X(margin_compress, margin_compress_size(&kernel, 3), (&kernel, &data, 3, 0, mem, &out.model, &out.compress)) \
    X(margin_confusion, margin_confusion_size(&kernel), (&data, &kernel, mem, out.reals)) \
    X(margin_margins, margin_confusion_size(&list), (&data, &list, mem, out.reals, &out.summary)) \
    X(margin_cross_validate, margin_cross_validate_size(N, 2, &folds, fold_learner.bytes), (&data, &fold_learner, &folds, mem, &out.cv)) \
    X(margin_proto_train, margin_proto_train_size(N, D, 2, &tangents), (&data, &tangents, mem, &out.model, &out.info, NULL)) \
    X(margin_compact_train, margin_compact_train_size(N, D, 2, &few), (&data, &few, mem, &out.model, &out.info, NULL)) \
    X(margin_omam_train, margin_omam_train_size(N, D, 2, NULL), (&ranked, NULL, mem, &out.model, &out.info, NULL)) \
    X(margin_lssvm_train, margin_lssvm_train_size(N, D, 2, NULL), (&ranked, NULL, mem, &out.model, &out.info, NULL)) \
    X(margin_oneclass_train, margin_oneclass_train_size(N, D, 1, &normal), (&data, &normal, mem, &out.model, &out.info, NULL)) \
    X(margin_svr_train, margin_svr_train_size(N, D, 1, &numbers), (&data, &numbers, mem, &out.model, &out.info, NULL)) \
    X(margin_oneclass_online_start, margin_oneclass_online_start_size(D), (&out.normal, D, NULL, mem)) \
    X(margin_omam_online_start, margin_omam_online_start_size(D, 4), (&out.omam, D, 4, mem)) \
    X(margin_thresholds, margin_thresholds_size(N, 2), (x, y, NULL, N, 2, MARGIN_ORDINAL_ABSOLUTE, mem, out.reals)) \
    X(margin_kendall, margin_kendall_size(N), (x, square, N, mem, &out.scalar)) \
    X(margin_model_kendall, margin_model_kendall_size(N, &linear), (&data, NULL, &linear, mem, &out.scalar))
/* The query has room for the scores of a model of any scheme: it is refused by a byte less, but not all of it is taken. */
#define BOUNDS(X) \
    X(margin_theta_train, margin_theta_train_size(N, N, 2, learner.bytes), (&data, &learner, NULL, mem, &out.model, &out.info, NULL))
/* clang-format on */

#define RUN_ONE(function, size, call)                                                              \
    static margin_status sweep_##function(margin_arena *mem, void *problem) {                      \
        (void)problem;                                                                             \
        prepare();                                                                                 \
        return function call;                                                                      \
    }                                                                                              \
    static size_t bytes_##function(void) {                                                         \
        return size;                                                                               \
    }
SWEEPS(RUN_ONE)
#define RUN_BOUND(function, size, call)                                                            \
    static size_t bytes_##function(void) {                                                         \
        return size;                                                                               \
    }                                                                                              \
    static margin_status sweep_##function(margin_arena *mem, void *problem) {                      \
        margin_status status;                                                                      \
        (void)problem;                                                                             \
        prepare();                                                                                 \
        status = function call;                                                                    \
        mem->peak = status >= 0 && mem->peak < (size) ? (size) : mem->peak;                        \
        return status;                                                                             \
    }
BOUNDS(RUN_BOUND)

TEST every_size_of_the_arena_is_refused_but_the_last(const char *name, arena_operation *operation,
                                                     size_t size) {
    enum greatest_test_res result;
    ASSERTm(name, size > 0);
    prepare();
    result = arena_sweep(operation, NULL, size, &out, sizeof out);
    if (result != GREATEST_TEST_RES_PASS) {
        fprintf(GREATEST_STDOUT, "%s, %zu bytes\n", name, size);
    }
    return result;
}

TEST the_models_to_work_with_are_made(void) {
    ASSERT(make_all());
    PASS();
}

SUITE(sweeps_suite) {
    RUN_TEST(the_models_to_work_with_are_made);
#define SWEEP(function, size, call)                                                                \
    RUN_TESTp(every_size_of_the_arena_is_refused_but_the_last, #function, sweep_##function,        \
              bytes_##function());
    SWEEPS(SWEEP)
    BOUNDS(SWEEP)
}
