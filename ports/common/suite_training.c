/* suite_training.c -- training on the device, and what is done with a model afterwards. */
#include "suite.h"

#define CACHE 1u /* bytes for kernel rows: as few as there can be */
#define MACHINES_MOST 3u

static const margin_control run = {0, 0, CACHE, 0};

/* The report of a training and the answers of its model to all samples. */
static void result(margin_status status, const margin_model *model, const margin_info *info,
                   const margin_data *data) {
    margin_real scores[MACHINES_MOST];
    size_t i;
    suite_status(status);
    if (status < 0) { return; }
    suite_real(info->objective);
    suite_real(info->violation);
    suite_word((uint32_t)info->iterations);
    suite_word((uint32_t)info->support);
    suite_real(info->margin_min);
    suite_reals(info->margin_quantile, 5);
    for (i = 0; i < data->n; i++) {
        const margin_vote *vote = margin_model_vote(model);
        suite_word(margin_classify(model, data->x + i * data->d, scores));
        suite_reals(scores, margin_machines(vote->scheme, vote->classes));
    }
}

static margin_kernel kernel_of(unsigned kind) {
    margin_kernel kernel = {0, 0, 0, 0, 0};
    kernel.kind = (uint8_t)kind;
    kernel.degree = 2;
    kernel.coef0 = 1;
    return kernel;
}

/* ---- mam ---- */

static void mam(margin_arena *mem, size_t n, unsigned kind) {
    const margin_data data = suite_samples(mem, n, 4, 2, 21);
    margin_mam_options options = {kernel_of(kind), true, true, 0};
    margin_model model;
    margin_info info;
    result(margin_mam_train(&data, &options, mem, &model, &info), &model, &info, &data);
}

void test_train_mam_linear(margin_arena *mem) {
    mam(mem, 64, MARGIN_KERNEL_LINEAR);
}

void test_train_mam_rbf(margin_arena *mem) {
    mam(mem, 48, MARGIN_KERNEL_RBF);
}

void test_train_mam_online(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 16, 4, 2, 22);
    margin_mam_online on;
    margin_linear model;
    margin_real score;
    margin_status status = margin_mam_online_start(&on, data.d, 2, NULL, mem);
    size_t i;
    suite_status(status);
    for (i = 0; i < data.n && status >= 0; i++) {
        suite_status(margin_mam_online_add(&on, data.x + i * data.d, data.y[i], 1));
    }
    for (i = 0; i < 3u && status >= 0; i++) {
        suite_status(margin_mam_online_forget(&on, data.x + i * data.d, data.y[i], 1));
        status = margin_mam_online_model(&on, &model);
        suite_status(status);
        if (status >= 0) {
            margin_linear_scores(&model, data.x + i * data.d, &score);
            suite_real(score);
        }
    }
}

/* ---- kmomd and svm ---- */

static void kmomd(margin_arena *mem, size_t n, size_t d, unsigned kind) {
    const margin_data data = suite_samples(mem, n, d, 2, 23);
    margin_kmomd_options options = {kernel_of(kind), 0, false, 0, run, {NULL, NULL}};
    margin_model model;
    margin_info info;
    result(margin_kmomd_train(&data, &options, mem, &model, &info, NULL), &model, &info, &data);
}

void test_train_kmomd_linear(margin_arena *mem) {
    kmomd(mem, 56, 4, MARGIN_KERNEL_LINEAR);
}

void test_train_kmomd_rbf(margin_arena *mem) {
    kmomd(mem, 64, 4, MARGIN_KERNEL_RBF);
}

void test_train_kmomd_small(margin_arena *mem) {
    kmomd(mem, 12, 3, MARGIN_KERNEL_RBF);
}

static void svm_of(margin_arena *mem, const margin_data *data, margin_svm_options options) {
    margin_model model;
    margin_info info;
    options.run = run;
    result(margin_svm_train(data, &options, mem, &model, &info, NULL), &model, &info, data);
}

static void svm(margin_arena *mem, const margin_data *data, unsigned kind, bool hard) {
    static const margin_svm_options none;
    margin_svm_options options = none;
    options.kernel = kernel_of(kind);
    options.hard_margin = hard;
    svm_of(mem, data, options);
}

void test_train_svm_linear(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 48, 4, 2, 24);
    svm(mem, &data, MARGIN_KERNEL_LINEAR, false);
}

void test_train_svm_rbf(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 64, 4, 2, 25);
    svm(mem, &data, MARGIN_KERNEL_RBF, false);
}

void test_train_svm_poly(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 48, 4, 2, 26);
    svm(mem, &data, MARGIN_KERNEL_POLY, false);
}

void test_train_svm_hard(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 24, 3, 2, 27);
    margin_real *x = (margin_real *)data.x; /* classes far enough apart */
    size_t i;
    for (i = 0; i < data.n; i++) { x[i * data.d] += data.y[i] != 0 ? 8 : 0; }
    svm(mem, &data, MARGIN_KERNEL_LINEAR, true);
}

void test_train_svm_small(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 12, 3, 2, 28);
    svm(mem, &data, MARGIN_KERNEL_RBF, false);
}

void test_train_svm_classes(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 45, 3, 3, 29);
    svm(mem, &data, MARGIN_KERNEL_RBF, false);
}

void test_train_svm_nu(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 24, 3, 2, 30);
    static const margin_svm_options none;
    margin_svm_options options = none;
    options.kernel = kernel_of(MARGIN_KERNEL_RBF);
    options.nu = (margin_real)0.5;
    svm_of(mem, &data, options);
}

/* ---- classes in order ---- */

static void omam(margin_arena *mem, size_t n, unsigned kind) {
    const margin_data data = suite_samples(mem, n, 3, 4, 51);
    margin_ordinal_options options = {kernel_of(kind), NULL, 4, 0, 0, false, false, {NULL, NULL}};
    margin_model model;
    margin_info info;
    margin_ordinal_report report = {0, 0, 0};
    result(margin_omam_train(&data, &options, mem, &model, &info, &report), &model, &info, &data);
    suite_real(report.tau);
}

void test_train_omam_linear(margin_arena *mem) {
    omam(mem, 32, MARGIN_KERNEL_LINEAR);
}

void test_train_omam_rbf(margin_arena *mem) {
    omam(mem, 16, MARGIN_KERNEL_RBF);
}

void test_train_omam_online(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 16, 3, 4, 52);
    margin_omam_online on;
    margin_linear model;
    margin_real scores[MACHINES_MOST];
    margin_status status = margin_omam_online_start(&on, data.d, 4, mem);
    size_t i;
    suite_status(status);
    for (i = 0; i < data.n && status >= 0; i++) {
        suite_status(margin_omam_online_add(&on, data.x + i * data.d, data.y[i], 1));
    }
    if (status >= 0) {
        suite_status(margin_omam_online_forget(&on, data.x, data.y[0], 1));
        status = margin_omam_online_model(&on, &model);
        suite_status(status);
    }
    for (i = 0; i < data.n && status >= 0; i++) {
        margin_linear_scores(&model, data.x + i * data.d, scores);
        suite_reals(scores, MACHINES_MOST);
        suite_word(margin_decide(&model.vote, scores));
    }
}

static void lssvm(margin_arena *mem, size_t n, unsigned kind, margin_real c) {
    const margin_data data = suite_samples(mem, n, 3, 4, 53);
    margin_ordinal_options options = {kernel_of(kind), NULL, 4, 0, c, false, false, {NULL, NULL}};
    margin_model model;
    margin_info info;
    margin_ordinal_report report = {0, 0, 0};
    result(margin_lssvm_train(&data, &options, mem, &model, &info, &report), &model, &info, &data);
    suite_real(report.tau);
    suite_real(report.c);
    suite_real(report.loo);
}

void test_train_lssvm_linear(margin_arena *mem) {
    lssvm(mem, 24, MARGIN_KERNEL_LINEAR, 0);
}

void test_train_lssvm_rbf(margin_arena *mem) {
    lssvm(mem, 10, MARGIN_KERNEL_RBF, 2);
}

/* ---- one class and numbers ---- */

static void oneclass(margin_arena *mem, size_t n, unsigned kind, bool sphere, unsigned models) {
    const margin_data data = suite_samples(mem, n, 3, 2, 41);
    margin_real *x = (margin_real *)data.x; /* away from the origin */
    margin_oneclass_options options = {kernel_of(kind), 0, 0,   sphere,       0,    0,   4,
                                       false,           1, run, {NULL, NULL}, NULL, NULL};
    margin_oneclass_report report = {0, 0};
    margin_model model;
    margin_info info;
    margin_status status;
    size_t i;
    options.models = (uint16_t)models;
    options.tangents = models > 0 ? 1 : 0;
    for (i = 0; i < data.n * data.d; i++) { x[i] += 4; }
    status = margin_oneclass_train(&data, &options, mem, &model, &info, &report);
    result(status, &model, &info, &data);
    suite_real(report.promised);
}

void test_train_oneclass(margin_arena *mem) {
    oneclass(mem, 14, MARGIN_KERNEL_RBF, false, 0);
}

void test_train_oneclass_linear(margin_arena *mem) {
    oneclass(mem, 20, MARGIN_KERNEL_LINEAR, false, 0);
}

void test_train_oneclass_sphere(margin_arena *mem) {
    oneclass(mem, 16, MARGIN_KERNEL_LINEAR, true, 0);
}

void test_train_oneclass_proto(margin_arena *mem) {
    oneclass(mem, 16, MARGIN_KERNEL_LINEAR, false, 2);
}

void test_train_oneclass_online(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 16, 3, 2, 43);
    const margin_oneclass_online_options options = {(margin_real)0.1, (margin_real)0.9, 0, 0};
    margin_oneclass_online on;
    size_t i;
    suite_status(margin_oneclass_online_start(&on, data.d, &options, mem));
    for (i = 0; i < data.n; i++) {
        bool alarm = false;
        suite_real(margin_oneclass_online_distance(&on, data.x + i * data.d));
        suite_status(margin_oneclass_online_add(&on, data.x + i * data.d, &alarm));
        suite_word(alarm ? 1u : 0u);
        suite_real(on.threshold);
    }
    suite_reals(on.mean, data.d);
    suite_reals(on.factor, data.d * data.d);
}

/* The target is the first feature of the next sample, in a unit of its own. */
static void svr(margin_arena *mem, size_t n, unsigned kind, unsigned loss) {
    const margin_data data = suite_samples(mem, n, 3, 2, 42);
    margin_svr_options options = {kernel_of(kind), NULL, 0,   0, 0, 0, 0, 0, 0, run,
                                  {NULL, NULL},    NULL, NULL};
    margin_real targets[16];
    margin_model model;
    margin_info info;
    size_t i;
    for (i = 0; i < n; i++) { targets[i] = 100 + 8 * data.x[(i + 1u) % n * data.d]; }
    options.targets = targets;
    options.loss = (uint8_t)loss;
    result(margin_svr_train(&data, &options, mem, &model, &info, NULL), &model, &info, &data);
}

void test_train_svr(margin_arena *mem) {
    svr(mem, 14, MARGIN_KERNEL_RBF, MARGIN_SVR_EPSILON);
}

void test_train_svr_linear(margin_arena *mem) {
    svr(mem, 16, MARGIN_KERNEL_LINEAR, MARGIN_SVR_EPSILON);
}

void test_train_svr_nu(margin_arena *mem) {
    svr(mem, 12, MARGIN_KERNEL_RBF, MARGIN_SVR_NU);
}

void test_train_svr_squares(margin_arena *mem) {
    svr(mem, 10, MARGIN_KERNEL_RBF, MARGIN_SVR_SQUARES);
}

void test_ordinal_tau(margin_arena *mem) {
    margin_real *a = suite_numbers(mem, 40, 54), *b = suite_numbers(mem, 40, 55), tau = 0;
    size_t i;
    for (i = 0; i < 40u && a != NULL && b != NULL; i++) {
        b[i] = a[i] + b[i];
        a[i] = a[i] > 1 ? 1 : a[i]; /* some ties */
    }
    suite_status(margin_kendall(a, b, 40, mem, &tau));
    suite_real(tau);
}

/* ---- models ---- */

/* An expansion of four vectors, all its numbers in the arena. */
static margin_model by_hand(margin_arena *mem) {
    static const uint32_t ends[2] = {2, 4};
    margin_model model;
    margin_expansion *e = &model.of.expansion;
    margin_real *vectors = suite_numbers(mem, 4u * 3u, 31), *norms = suite_numbers(mem, 4, 0);
    static const margin_expansion empty;
    size_t i;
    *e = empty;
    model.kind = MARGIN_MODEL_EXPANSION;
    e->kernel = kernel_of(MARGIN_KERNEL_RBF);
    suite_status(margin_kernel_resolve(&e->kernel, 3, &e->kernel));
    for (i = 0; i < 4u && vectors != NULL && norms != NULL; i++) {
        norms[i] = margin_dot(vectors + i * 3u, vectors + i * 3u, 3);
    }
    e->vectors = vectors;
    e->norms = norms;
    e->coef = suite_numbers(mem, 4, 32);
    e->bias = suite_numbers(mem, 1, 33);
    e->class_end = ends;
    e->n = 4;
    e->d = 3;
    e->width = 1;
    e->vote.classes = 2;
    return model;
}

/* Written, checked, opened in place (bytes swapped where the machine is big-endian), copied. */
void test_image(margin_arena *mem) {
    const margin_model model = by_hand(mem);
    const size_t size = margin_image_size(&model, 2);
    unsigned char *image = (unsigned char *)margin_arena_keep(mem, size + 3u, 1);
    const margin_real *x = suite_numbers(mem, 3, 34);
    margin_model opened, loaded;
    margin_real score;
    margin_status status;
    size_t i;
    if (image == NULL || x == NULL) {
        suite_fail("memory");
        return;
    }
    image += (0u - (uintptr_t)image) % 4u; /* where images must lie, whatever MARGIN_ALIGN */
    suite_status(margin_image_write(&model, "ab", 2, image, size));
    for (i = 0; i < size; i++) { suite_word(image[i]); }
    status = margin_image_load(image, size, mem, &loaded);
    suite_status(status);
    if (status >= 0) {
        margin_scores(&loaded, x, &score);
        suite_real(score);
    }
    status = margin_image_adopt(image, size, &opened);
    suite_status(status);
    if (status >= 0) {
        margin_scores(&opened, x, &score);
        suite_real(score);
    }
    image[size / 2u] ^= 1u;
    suite_word((uint32_t)(int32_t)margin_image_adopt(image, size, &opened)); /* refused */
}

void test_calibrate(margin_arena *mem) {
    static const uint8_t schemes[4] = {MARGIN_SCHEME_BINARY, MARGIN_SCHEME_ONE_ONE,
                                       MARGIN_SCHEME_ONE_REST, MARGIN_SCHEME_ORDINAL};
    margin_real *scores = suite_numbers(mem, 60, 35);
    margin_data data = {NULL, 20, 0, 0, NULL, NULL, NULL};
    uint16_t y[20];
    size_t i, s;
    for (s = 0; s < 4u && scores != NULL; s++) {
        margin_vote vote = {0, 0, 0, 0, 0, 0, NULL};
        margin_calibrate_report report;
        margin_real p[3];
        vote.classes = s == 0 ? 2u : 3u;
        vote.scheme = schemes[s];
        for (i = 0; i < 20u; i++) {
            y[i] =
                (uint16_t)((scores[i * margin_machines(vote.scheme, vote.classes)] > 0) + i % 2u);
            y[i] = (uint16_t)(y[i] % vote.classes);
        }
        data.y = y;
        suite_status(margin_calibrate(&data, scores, 0, mem, &vote, &report));
        suite_real(vote.slope);
        suite_real(vote.shift);
        suite_real(vote.include);
        suite_real(report.brier);
        suite_real(report.log_loss);
        margin_probabilities(&vote, scores, p);
        for (i = 0; i < vote.classes; i++) { suite_real(p[i]); }
    }
}

static margin_status train_mam(void *user, const margin_data *data, margin_arena *mem,
                               margin_model *model) {
    return margin_mam_train(data, (const margin_mam_options *)user, mem, model, NULL);
}

void test_metrics(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 40, 3, 2, 36);
    margin_real confusion[MARGIN_CONFUSION(2)];
    margin_summary summary;
    margin_model model;
    margin_mam_options options = {kernel_of(MARGIN_KERNEL_LINEAR), true, false, 0};
    const margin_status status = margin_mam_train(&data, &options, mem, &model, NULL);
    suite_status(status);
    if (status < 0) { return; }
    suite_status(margin_confusion(&data, &model, mem, confusion));
    suite_reals(confusion, MARGIN_CONFUSION(2));
    suite_real(margin_error(confusion, 2));
    suite_status(margin_margins(&data, &model, mem, NULL, &summary));
    suite_real(summary.mean);
    suite_reals(summary.quantile, 5);
}

void test_cross_validate(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 40, 3, 2, 37);
    margin_mam_options options = {kernel_of(MARGIN_KERNEL_LINEAR), true, false, 0};
    margin_learner learner = {train_mam, NULL, 0};
    margin_cv_options folds = {4, 2, 1, false, false, 0};
    margin_cv cv;
    margin_status status;
    learner.user = &options;
    learner.bytes = margin_mam_train_size(30, 3, 2, &options);
    status = margin_cross_validate(&data, &learner, &folds, mem, &cv);
    suite_status(status);
    if (status >= 0) {
        suite_real(cv.error_mean);
        suite_real(cv.error_sd);
        suite_reals(cv.confusion, MARGIN_CONFUSION(2));
    }
}

void test_compress(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 32, 3, 2, 38);
    margin_svm_options options = {
        kernel_of(MARGIN_KERNEL_RBF), 0, 0, 0, 0, false, false, 0, run, {NULL, NULL}};
    margin_model model, smaller;
    margin_compress_info info;
    margin_real score;
    size_t i;
    margin_status status = margin_svm_train(&data, &options, mem, &model, NULL, NULL);
    suite_status(status);
    status = status < 0 ? status : margin_compress(&model, &data, 6, 0, mem, &smaller, &info);
    suite_status(status);
    for (i = 0; i < data.n && status >= 0; i++) {
        margin_scores(&smaller, data.x + i * data.d, &score);
        suite_real(score);
    }
}

void test_quantize(margin_arena *mem) {
    const margin_data data = suite_samples(mem, 24, 3, 2, 39);
    margin_svm_options options = {
        kernel_of(MARGIN_KERNEL_RBF), 0, 0, 0, 0, false, false, 0, run, {NULL, NULL}};
    margin_quant_options form = {MARGIN_Q15, false};
    margin_model model;
    margin_quant quant;
    margin_quant_info info;
    int16_t x[3];
    int32_t score;
    size_t i;
    margin_status status = margin_svm_train(&data, &options, mem, &model, NULL, NULL);
    suite_status(status);
    status = status < 0 ? status : margin_quantize(&model, &data, &form, mem, &quant, &info);
    suite_status(status);
    for (i = 0; i < data.n && status >= 0; i++) {
        margin_input_q(&quant.input, data.x + i * data.d, x);
        suite_word(margin_classify_q(&quant.model, x, NULL, &score));
        suite_word((uint32_t)score);
    }
}
