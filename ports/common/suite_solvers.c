/* suite_solvers.c -- training on the device, by the solvers that came after the first three. */
#include "suite.h"

#define MACHINES_MOST 3u

static margin_kernel kernel_of(unsigned kind) {
    margin_kernel kernel = {0, 0, 0, 0, 0};
    kernel.kind = (uint8_t)kind;
    return kernel;
}

static void result(margin_status status, const margin_model *model, const margin_data *data) {
    margin_real scores[MACHINES_MOST];
    size_t i;
    suite_status(status);
    for (i = 0; i < data->n && status >= 0; i++) {
        const margin_vote *vote = margin_model_vote(model);
        suite_word(margin_classify(model, data->x + i * data->d, scores));
        suite_reals(scores, margin_machines(vote->scheme, vote->classes));
    }
}

/* ---- rates ---- */

static void rates(margin_arena *mem, size_t n, size_t d, unsigned kind) {
    const margin_data data = suite_samples(mem, n, d, 2, 41);
    margin_rates_report report = {false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    margin_rates_options options;
    margin_model model;
    margin_info info;
    const margin_rates_options defaults = {
        kernel_of(kind), (margin_real)0.7, (margin_real)0.8, 0, 0, (margin_real)0.01, 0, 0, 0,
        {NULL, NULL}};
    options = defaults;
    result(margin_rates_train(&data, &options, mem, &model, &info, &report), &model, &data);
    suite_real(report.p_star);
    suite_real(report.eta_pos_touch);
    suite_word((uint32_t)report.factorisations);
}

void test_train_rates_linear(margin_arena *mem) {
    rates(mem, 40, 4, MARGIN_KERNEL_LINEAR);
}

void test_train_rates_rbf(margin_arena *mem) {
    rates(mem, 10, 3, MARGIN_KERNEL_RBF);
}

/* ---- prototypes ---- */

static void proto(margin_arena *mem, unsigned method, uint16_t models, uint16_t tangents) {
    const margin_data data = suite_samples(mem, 36, 4, 3, 42);
    margin_proto_options options = {0, 0, false, false,        0,    0, 0, 0, 0, 0, 0, 0,
                                    0, 3, 0,     {NULL, NULL}, NULL, 0};
    margin_model model;
    margin_info info;
    options.method = (uint8_t)method;
    options.models = models;
    options.tangents = tangents;
    options.max_iterations = 10;
    result(margin_proto_train(&data, &options, mem, &model, &info, NULL), &model, &data);
    suite_real(info.objective);
}

void test_train_proto_tvq(margin_arena *mem) {
    proto(mem, MARGIN_PROTO_TVQ, 1, 1);
}

void test_train_proto_lvq(margin_arena *mem) {
    proto(mem, MARGIN_PROTO_LVQ, 2, 0);
}

void test_train_proto_nn(margin_arena *mem) {
    proto(mem, MARGIN_PROTO_NN, 0, 0);
}

/* ---- learned vectors ---- */

static void compact(margin_arena *mem, unsigned kernel) {
    const margin_data data = suite_samples(mem, 24, 3, 3, 43);
    margin_compact_options options = {0, 0, false, 4, 0, 0, 0, 0, 0, 0, 7, 4, {NULL, NULL}, NULL};
    margin_compact_report report;
    margin_model model;
    margin_info info;
    options.kernel = (uint8_t)kernel;
    options.noise = (margin_real)0.25;
    result(margin_compact_train(&data, &options, mem, &model, &info, &report), &model, &data);
    suite_real(info.objective);
}

void test_train_compact_hinge(margin_arena *mem) {
    compact(mem, MARGIN_KERNEL_HINGE);
}

void test_train_compact_rbf(margin_arena *mem) {
    compact(mem, MARGIN_KERNEL_RBF);
}

/* ---- seco ---- */

static void seco(margin_arena *mem, size_t n) {
    const margin_data data = suite_samples(mem, n, 2, 2, 43);
    margin_seco_options options;
    unsigned char *byte = (unsigned char *)&options;
    margin_seco_report info;
    margin_model model;
    size_t i;
    for (i = 0; i < sizeof options; i++) { /* all defaults */
        byte[i] = 0;
    }
    options.cheap = true;
    options.starts = 2; /* memory for 16 candidates */
    options.most = 2;
    result(margin_seco_train(&data, &options, mem, &model, NULL, &info), &model, &data);
    suite_word((uint32_t)info.cuts);
    suite_real(info.plain_error);
}

void test_train_seco(margin_arena *mem) {
    seco(mem, 16);
}

void test_train_seco_small(margin_arena *mem) {
    seco(mem, 8);
}
