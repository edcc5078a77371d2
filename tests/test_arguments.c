/* test_arguments.c -- all trainers alike: what they refuse, one thing wrong at a time, with the status that margin.h promises
 * and nothing changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena_sweep.h"
#include "greatest.h"
#include "margin.h"

#define N 40
#define D 3

/* ---- all trainers in one shape ------------------------------------------------------------------- */

typedef union {
    margin_mam_options mam;
    margin_kmomd_options kmomd;
    margin_svm_options svm;
    margin_rates_options rates;
    margin_loss_options loss;
    margin_seco_options seco;
    margin_proto_options proto;
    margin_omam_options omam;
    margin_lssvm_options lssvm;
} any_options;

typedef struct {
    const char *name;
    margin_status (*train)(const margin_data *, const any_options *, margin_arena *,
                           margin_model *);
    size_t (*size)(size_t, size_t, size_t, const any_options *);
    bool ordinal; /* a class without samples is none of its concerns */
} trainer;

#define TRAINER(tag)                                                                               \
    static margin_status train_##tag(const margin_data *data, const any_options *o,                \
                                     margin_arena *mem, margin_model *model)                       \
    {                                                                                              \
        return margin_##tag##_train(data, o != NULL ? &o->tag : NULL, mem, model, NULL);           \
    }                                                                                              \
    static size_t size_##tag(size_t n, size_t d, size_t classes, const any_options *o)             \
    {                                                                                              \
        return SIZE_##tag(n, d, classes, o != NULL ? &o->tag : NULL);                              \
    }
#define SIZE_mam margin_mam_size
#define SIZE_kmomd margin_kmomd_size
#define SIZE_svm margin_svm_size
#define SIZE_rates margin_rates_size
#define SIZE_loss margin_loss_size
#define SIZE_seco(n, d, classes, o) ((void)(classes), margin_seco_size(n, d, o))
#define SIZE_proto margin_proto_size
#define SIZE_omam margin_omam_size
#define SIZE_lssvm margin_lssvm_size
TRAINER(mam)
TRAINER(kmomd)
TRAINER(svm)
TRAINER(rates)
TRAINER(loss)
TRAINER(seco)
TRAINER(proto)
TRAINER(omam)
TRAINER(lssvm)

static const trainer trainers[] = {
    {"mam", train_mam, size_mam, false},       {"kmomd", train_kmomd, size_kmomd, false},
    {"svm", train_svm, size_svm, false},       {"rates", train_rates, size_rates, false},
    {"loss", train_loss, size_loss, false},    {"seco", train_seco, size_seco, false},
    {"proto", train_proto, size_proto, false}, {"omam", train_omam, size_omam, true},
    {"lssvm", train_lssvm, size_lssvm, true},
};
#define TRAINERS (sizeof trainers / sizeof trainers[0])

/* ---- two classes that are easily told apart ------------------------------------------------------- */

static margin_real x[N * D], weight[N];
static uint16_t y[N];
static margin_data data;
static any_options options;
static unsigned char bytes[1 << 20];
static margin_arena mem;
static margin_model model, before;

static void fresh(void)
{
    margin_rng rng = margin_rng_make(11);
    for (size_t i = 0; i < N; i++) {
        y[i] = (uint16_t)(i % 2u);
        weight[i] = 1;
        for (size_t k = 0; k < D; k++) {
            x[i * D + k] = margin_rng_normal(&rng) / 4 + (y[i] == 1u ? 1 : -1);
        }
    }
    memset(&data, 0, sizeof data);
    memset(&options, 0, sizeof options);
    memset(&model, 0x5A, sizeof model);
    memcpy(&before, &model, sizeof model);
    data.x = x;
    data.y = y;
    data.n = N;
    data.d = D;
    data.weight = weight;
    mem = margin_arena_make(bytes, sizeof bytes);
}

/* Whether a call with this status has left model and arena as they were. */
static bool unchanged(void)
{
    return memcmp(&before, &model, sizeof model) == 0 && mem.low == 0 && mem.high == mem.size &&
           mem.failed == 0;
}

#define REFUSED(status, t, change)                                                                 \
    do {                                                                                           \
        fresh();                                                                                   \
        change;                                                                                    \
        ASSERT_EQ_FMTm((t)->name, (int)(status), (int)(t)->train(&data, &options, &mem, &model),   \
                       "%d");                                                                      \
        ASSERTm((t)->name, unchanged());                                                           \
    } while (0)

TEST trainers_take_good_data_without_options(void)
{
    for (const trainer *t = trainers; t < trainers + TRAINERS; t++) {
        const size_t size = t->size(N, D, 2, NULL);
        fresh();
        ASSERTm(t->name, size > 0 && size < sizeof bytes);
        ASSERTm(t->name, t->train(&data, NULL, &mem, &model) >= 0);
        ASSERT_EQ_FMTm(t->name, size, mem.peak, "%zu");
        ASSERT_EQ_FMTm(t->name, (int)MARGIN_OK, (int)margin_model_check(&model), "%d");
    }
    PASS();
}

TEST trainers_refuse_missing_arguments(void)
{
    for (const trainer *t = trainers; t < trainers + TRAINERS; t++) {
        margin_arena counting = margin_arena_counting();
        fresh();
        ASSERT_EQm(t->name, MARGIN_E_ARGUMENT, t->train(NULL, &options, &mem, &model));
        ASSERT_EQm(t->name, MARGIN_E_ARGUMENT, t->train(&data, &options, NULL, &model));
        ASSERT_EQm(t->name, MARGIN_E_ARGUMENT, t->train(&data, &options, &mem, NULL));
        ASSERT_EQm(t->name, MARGIN_E_ARGUMENT, t->train(&data, &options, &counting, &model));
        ASSERTm(t->name, unchanged());
        REFUSED(MARGIN_E_ARGUMENT, t, data.x = NULL);
        REFUSED(MARGIN_E_ARGUMENT, t, data.y = NULL);
        REFUSED(MARGIN_E_ARGUMENT, t, data.stride = D - 1);
    }
    PASS();
}

TEST trainers_refuse_bad_data(void)
{
    for (const trainer *t = trainers; t < trainers + TRAINERS; t++) {
        REFUSED(MARGIN_E_EMPTY, t, data.n = 0);
        REFUSED(MARGIN_E_EMPTY, t, data.d = 0);
        REFUSED(MARGIN_E_OVERFLOW, t, data.n = SIZE_MAX);
        REFUSED(MARGIN_E_OVERFLOW, t, data.stride = SIZE_MAX / 2);
        REFUSED(MARGIN_E_NOT_FINITE, t, x[N * D - 1] = (margin_real)NAN);
        REFUSED(MARGIN_E_NOT_FINITE, t, x[0] = (margin_real)INFINITY);
        REFUSED(MARGIN_E_NOT_FINITE, t, x[5] = -(margin_real)INFINITY);
        REFUSED(MARGIN_E_LABEL, t, weight[3] = -1);
        REFUSED(MARGIN_E_LABEL, t, weight[3] = (margin_real)NAN);
        REFUSED(MARGIN_E_LABEL, t, memset(weight, 0, sizeof weight));
        REFUSED(
            t->ordinal ? MARGIN_E_NO_ORDER : MARGIN_E_ONE_CLASS, t,
            for (size_t i = 0; i < N; i++) { y[i] = 1; });
        REFUSED(MARGIN_E_MEMORY, t, mem = margin_arena_make(bytes, 16));
    }
    PASS();
}

TEST sizes_that_do_not_fit_are_no_sizes(void)
{
    for (const trainer *t = trainers; t < trainers + TRAINERS; t++) {
        fresh();
        options.mam.kernel.kind = /* a linear mam takes the same memory for any n */
            t->train == train_mam ? MARGIN_KERNEL_RBF : MARGIN_KERNEL_LINEAR;
        ASSERT_EQm(t->name, 0, t->size(SIZE_MAX, D, 2, &options));
        ASSERT_EQm(t->name, 0, t->size(N, SIZE_MAX, 2, &options));
        ASSERT_EQm(t->name, 0, t->size(SIZE_MAX / 2, SIZE_MAX / 2, 2, &options));
        ASSERT_EQm(t->name, 0, t->size(MARGIN_INDEX_MAX, SIZE_MAX / 8, 2, &options));
        ASSERT_EQm(t->name, 0, t->size(0, D, 2, &options));
        ASSERT_EQm(t->name, 0, t->size(N, 0, 2, &options));
        if (t->train != train_seco) {
            ASSERT_EQm(t->name, 0, t->size(N, D, SIZE_MAX, &options));
            ASSERT_EQm(t->name, 0, t->size(N, D, 0, &options));
        }
    }
    PASS();
}

/* ---- options of each ------------------------------------------------------------------------------ */

static const trainer *find(const char *name)
{
    size_t i = 0;
    while (strcmp(trainers[i].name, name) != 0) {
        i++;
    }
    return trainers + i;
}

/* An option out of its range: no size, no model. */
#define OPTION(change)                                                                             \
    do {                                                                                           \
        REFUSED(MARGIN_E_ARGUMENT, t, change);                                                     \
        ASSERT_EQm(t->name, 0, t->size(N, D, 2, &options));                                        \
    } while (0)
/* The same, of options that the size does not depend on. */
#define OPTION_RUN(change) REFUSED(MARGIN_E_ARGUMENT, t, change)
#define KERNEL(tag)                                                                                \
    do {                                                                                           \
        OPTION(options.tag.kernel.kind = 99);                                                      \
        OPTION((options.tag.kernel.kind = MARGIN_KERNEL_RBF, options.tag.kernel.gamma = -1));      \
        OPTION((options.tag.kernel.kind = MARGIN_KERNEL_RBF,                                       \
                options.tag.kernel.gamma = (margin_real)NAN));                                     \
        OPTION((options.tag.kernel.kind = MARGIN_KERNEL_UNIT_EXP, options.tag.kernel.a = -1));     \
    } while (0)
#define CONTROL(tag)                                                                               \
    do {                                                                                           \
        OPTION_RUN(options.tag.run.tol = -1);                                                      \
        OPTION_RUN(options.tag.run.tol = (margin_real)INFINITY);                                   \
        OPTION_RUN(options.tag.run.tol = (margin_real)NAN);                                        \
    } while (0)

TEST machines_refuse_options_out_of_their_range(void)
{
    const trainer *t = find("svm");
    KERNEL(svm);
    CONTROL(svm);
    OPTION_RUN(options.svm.run.scheme = 99);
    OPTION_RUN(options.svm.c = -1);
    OPTION_RUN(options.svm.c = (margin_real)NAN);
    OPTION_RUN(options.svm.c_pos = -1);
    OPTION_RUN(options.svm.c_neg = (margin_real)INFINITY);
    t = find("kmomd");
    KERNEL(kmomd);
    CONTROL(kmomd);
    OPTION_RUN(options.kmomd.lambda = -1);
    OPTION_RUN(options.kmomd.lambda = 2);
    OPTION_RUN(options.kmomd.lambda = (margin_real)NAN);
    t = find("mam");
    KERNEL(mam);
    OPTION_RUN(options.mam.run.scheme = 99);
    t = find("rates");
    KERNEL(rates);
    CONTROL(rates);
    OPTION(options.rates.eta_pos = 2);
    OPTION(options.rates.eta_pos = -1);
    OPTION(options.rates.eta_neg = 2);
    OPTION(options.rates.eta_neg = (margin_real)NAN);
    OPTION(options.rates.nu_pos = -1);
    OPTION(options.rates.nu_neg = (margin_real)INFINITY);
    OPTION(options.rates.ridge = -1);
    OPTION(options.rates.ridge = (margin_real)NAN);
    OPTION(options.rates.solver = 7);
    t = find("omam");
    KERNEL(omam);
    OPTION(options.omam.loss = 9);
    REFUSED(MARGIN_E_LABEL, t, options.omam.classes = MARGIN_REJECTED);
    t = find("lssvm");
    KERNEL(lssvm);
    OPTION(options.lssvm.loss = 9);
    OPTION(options.lssvm.c = -1);
    OPTION(options.lssvm.c = (margin_real)INFINITY);
    REFUSED(MARGIN_E_LABEL, t, options.lssvm.classes = SIZE_MAX);
    PASS();
}

TEST losses_and_lists_refuse_options_out_of_their_range(void)
{
    static const margin_real falling[] = {1, 0}, bad[] = {1, -1},
                             endless[] = {(margin_real)INFINITY, 1};
    static const uint16_t steps[] = {10, 10};
    static const margin_piece wrong[] = {{1, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
    static const margin_loss twice = {wrong, 3}, none = {NULL, 1}, empty = {wrong, 0};
    const trainer *t = find("loss");
    KERNEL(loss);
    CONTROL(loss);
    OPTION_RUN(options.loss.c = -1);
    OPTION_RUN(options.loss.c = (margin_real)NAN);
    OPTION_RUN(options.loss.loss = &twice);
    OPTION_RUN(options.loss.loss_pos = &none);
    OPTION_RUN(options.loss.loss_neg = &empty);
#define SMOOTHING(how)                                                                             \
    do {                                                                                           \
        OPTION_RUN((how).sigma = falling);                                                         \
        OPTION_RUN((how).iterations = steps);                                                      \
        OPTION_RUN(((how).sigma = falling, (how).iterations = steps));                             \
        OPTION_RUN(((how).sigma = bad, (how).iterations = steps, (how).count = 2));                \
        OPTION_RUN(((how).sigma = endless, (how).iterations = steps, (how).count = 2));            \
        OPTION_RUN((how).range = -1);                                                              \
        OPTION_RUN((how).range = (margin_real)INFINITY);                                           \
        OPTION_RUN((how).cut_off = (margin_real)NAN);                                              \
    } while (0)
    SMOOTHING(options.loss.smoothing);
    t = find("seco");
    KERNEL(seco);
    CONTROL(seco);
    SMOOTHING(options.seco.smoothing);
    OPTION_RUN((options.seco.c_first = -31, options.seco.c_last = 2));
    OPTION_RUN((options.seco.c_first = 3, options.seco.c_last = 2));
    OPTION_RUN((options.seco.c_first = 3, options.seco.c_last = 31));
    OPTION_RUN((options.seco.svm_first = 3, options.seco.svm_last = 2));
    OPTION_RUN((options.seco.weights = bad, options.seco.weight_count = 2));
    OPTION_RUN(options.seco.most = MARGIN_LIST_MOST);
    OPTION_RUN(options.seco.folds = 1);
    OPTION_RUN(options.seco.folds = (size_t)UINT16_MAX + 1u);
    OPTION_RUN(options.seco.coverage = -1);
    OPTION_RUN(options.seco.coverage = 2);
    OPTION_RUN(options.seco.easy = -1);
    OPTION_RUN(options.seco.easy = 2);
    OPTION_RUN(options.seco.other = &twice);
    OPTION_RUN(options.seco.target = &empty);
    PASS();
}

TEST prototypes_refuse_options_out_of_their_range(void)
{
    const trainer *t = find("proto");
    OPTION(options.proto.method = MARGIN_PROTO_NN + 1);
    OPTION(options.proto.start = MARGIN_START_RANDOM + 1);
    OPTION(options.proto.tangents = MARGIN_PROTO_TANGENTS + 1);
    OPTION(options.proto.theta = -1);
    OPTION(options.proto.theta = 2);
    OPTION(options.proto.theta = (margin_real)NAN);
    OPTION(options.proto.rate = -1);
    OPTION(options.proto.rate = (margin_real)1e7);
    OPTION(options.proto.window = -1);
    OPTION(options.proto.window = 1);
    OPTION(options.proto.validation = -1);
    OPTION(options.proto.validation = 1);
    OPTION(options.proto.neighbours = 2 * MARGIN_PROTO_NTH);
    PASS();
}

SUITE(arguments_suite)
{
    RUN_TEST(trainers_take_good_data_without_options);
    RUN_TEST(trainers_refuse_missing_arguments);
    RUN_TEST(trainers_refuse_bad_data);
    RUN_TEST(sizes_that_do_not_fit_are_no_sizes);
    RUN_TEST(machines_refuse_options_out_of_their_range);
    RUN_TEST(losses_and_lists_refuse_options_out_of_their_range);
    RUN_TEST(prototypes_refuse_options_out_of_their_range);
}
