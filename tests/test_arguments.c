/* test_arguments.c -- all trainers alike: what they refuse, one thing wrong at a time, with the status that margin.h promises
 * and nothing changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena_sweep.h"
#include "asserts.h"
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
    margin_compact_options compact;
    margin_ordinal_options omam, lssvm;
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
                                     margin_arena *mem, margin_model *model) {                     \
        return margin_##tag##_train(data, o != NULL ? &o->tag : NULL, mem, model,                  \
                                    NULL LAST_##tag);                                              \
    }                                                                                              \
    static size_t size_##tag(size_t n, size_t d, size_t classes, const any_options *o) {           \
        return margin_##tag##_train_size(n, d, classes, o != NULL ? &o->tag : NULL);               \
    }
#define LAST_mam /* methods without a report of their own */
#define LAST_loss
#define LAST_kmomd , NULL
#define LAST_svm , NULL
#define LAST_rates , NULL
#define LAST_seco , NULL
#define LAST_proto , NULL
#define LAST_compact , NULL
#define LAST_omam , NULL
#define LAST_lssvm , NULL
TRAINER(mam)
TRAINER(kmomd)
TRAINER(svm)
TRAINER(rates)
TRAINER(loss)
TRAINER(seco)
TRAINER(proto)
TRAINER(compact)
TRAINER(omam)
TRAINER(lssvm)

static const trainer trainers[] = {
    {"mam", train_mam, size_mam, false},       {"kmomd", train_kmomd, size_kmomd, false},
    {"svm", train_svm, size_svm, false},       {"rates", train_rates, size_rates, false},
    {"loss", train_loss, size_loss, false},    {"seco", train_seco, size_seco, false},
    {"proto", train_proto, size_proto, false}, {"compact", train_compact, size_compact, false},
    {"omam", train_omam, size_omam, true},     {"lssvm", train_lssvm, size_lssvm, true},
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

static void fresh(void) {
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
static bool unchanged(void) {
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

TEST trainers_take_good_data_without_options(void) {
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

/* Every trainer, linear and with a kernel, in memory of zeros and in memory of NaNs: equal bits. */
TEST what_the_memory_held_does_not_matter_to_any_trainer(void) {
    for (size_t k = 0; k < 2u * TRAINERS; k++) {
        const trainer *t = trainers + k / 2u;
        margin_real scores[2][2 * N]; /* of one machine, or of two prototypes */
        int status[2];
        memset(scores, 0, sizeof scores);
        for (size_t r = 0; r < 2u; r++) {
            fresh();
            if (t->train != train_proto && k % 2u == 1u) { /* its options begin with the kernel */
                options.svm.kernel.kind = MARGIN_KERNEL_RBF;
            }
            memset(bytes, r == 0 ? 0 : 0xFF, sizeof bytes);
            status[r] = t->train(&data, &options, &mem, &model);
            for (size_t i = 0; i < N && status[r] >= 0; i++) {
                margin_scores(&model, x + i * D, &scores[r][2 * i]);
            }
        }
        ASSERTm(t->name, status[0] >= 0);
        ASSERT_EQ_FMTm(t->name, status[0], status[1], "%d");
        ASSERT_EQ_FMTm(t->name, (int)MARGIN_OK, (int)margin_model_check(&model), "%d");
        ASSERTm(t->name, memcmp(scores[0], scores[1], sizeof scores[0]) == 0);
    }
    PASS();
}

TEST trainers_refuse_missing_arguments(void) {
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

TEST trainers_refuse_bad_data(void) {
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

TEST sizes_that_do_not_fit_are_no_sizes(void) {
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
        ASSERT_EQm(t->name, 0, t->size(N, D, SIZE_MAX, &options));
        ASSERT_EQm(t->name, 0, t->size(N, D, 0, &options));
    }
    PASS();
}

/* ---- options of each ------------------------------------------------------------------------------ */

static const trainer *find(const char *name) {
    size_t i = 0;
    while (strcmp(trainers[i].name, name) != 0) { i++; }
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
        OPTION_RUN(options.tag.tol = -1);                                                          \
        OPTION_RUN(options.tag.tol = (margin_real)INFINITY);                                       \
        OPTION_RUN(options.tag.tol = (margin_real)NAN);                                            \
    } while (0)

TEST machines_refuse_options_out_of_their_range(void) {
    const trainer *t = find("svm");
    KERNEL(svm);
    CONTROL(svm.run);
    OPTION_RUN(options.svm.scheme = 99);
    OPTION_RUN(options.svm.c = -1);
    OPTION_RUN(options.svm.c = (margin_real)NAN);
    OPTION_RUN(options.svm.c_pos = -1);
    OPTION_RUN(options.svm.c_neg = (margin_real)INFINITY);
    OPTION_RUN(options.svm.nu = -1);
    OPTION_RUN(options.svm.nu = 2);
    OPTION_RUN(options.svm.nu = (margin_real)NAN);
    REFUSED(MARGIN_E_INFEASIBLE, t, (options.svm.nu = (margin_real)0.5, weight[1] = 1000));
    t = find("kmomd");
    KERNEL(kmomd);
    CONTROL(kmomd.run);
    OPTION_RUN(options.kmomd.lambda = -1);
    OPTION_RUN(options.kmomd.lambda = 2);
    OPTION_RUN(options.kmomd.lambda = (margin_real)NAN);
    t = find("mam");
    KERNEL(mam);
    OPTION_RUN(options.mam.scheme = 99);
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

TEST losses_and_lists_refuse_options_out_of_their_range(void) {
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

TEST learned_vectors_refuse_options_out_of_their_range(void) {
    const trainer *t = find("compact");
    OPTION(options.compact.kernel = MARGIN_KERNEL_POLY);
    OPTION(options.compact.kernel = MARGIN_KERNEL_HINGE + 1);
    OPTION(options.compact.noise = -1);
    OPTION(options.compact.noise = 101);
    OPTION(options.compact.noise = (margin_real)NAN);
    OPTION(options.compact.rate = -1);
    OPTION(options.compact.rate = 2);
    OPTION(options.compact.rate = (margin_real)NAN);
    OPTION(options.compact.decay = -1);
    OPTION(options.compact.decay = 101);
    PASS();
}

TEST prototypes_refuse_options_out_of_their_range(void) {
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

/* ---- functions beside the trainers ------------------------------------------------------------------ */

#define REAL(v) ((margin_real)(v))

TEST losses_are_checked_number_by_number(void) {
    margin_piece pieces[2];
    margin_loss loss;
    loss.pieces = pieces;
    loss.count = 2;
    for (size_t wrong = 0; wrong <= 10; wrong++) {
        margin_real *number[] = {&pieces[0].end, &pieces[0].at, &pieces[0].c0,
                                 &pieces[0].c1,  &pieces[0].c2, &pieces[1].at,
                                 &pieces[1].c0,  &pieces[1].c1, &pieces[1].c2};
        memset(pieces, 0, sizeof pieces);
        if (wrong < 9) { *number[wrong] = wrong % 2u == 0 ? REAL(NAN) : REAL(INFINITY); }
        pieces[1].end = REAL(NAN); /* not looked at */
        margin_loss_options o;
        memset(&o, 0, sizeof o);
        o.loss = &loss;
        ASSERT_EQ(wrong < 9, margin_loss_train_size(10, 2, 2, &o) == 0);
    }
    PASS();
}

TEST margins_and_probabilities_have_values_at_their_ends(void) {
    const margin_real huge = (margin_real)(sizeof(margin_real) == 4 ? 3e38 : 1.7e308);
    const margin_real far[] = {huge, huge / 2}, equal[] = {huge, huge};
    margin_real scores[] = {1, 2, 3}, p[3];
    margin_vote vote;
    memset(&vote, 0, sizeof vote);
    ASSERT(margin_margin(MARGIN_SCHEME_NEAREST, 2, far, 1) > 0); /* their sum overflows */
    ASSERT(margin_margin(MARGIN_SCHEME_NEAREST, 2, far, 0) < 0);
    ASSERT_EQ(0, margin_margin(MARGIN_SCHEME_NEAREST, 2, equal, 0));
    vote.classes = 3;
    vote.scheme = MARGIN_SCHEME_ONE_REST;
    vote.slope = huge;
    margin_probabilities(&vote, scores, p);
    ASSERT(p[0] == 0 && p[1] == 0 && p[2] == 1);
    PASS();
}

static margin_status train_any(void *user, const margin_data *view, margin_arena *in,
                               margin_model *made) {
    return margin_svm_train(view, (const margin_svm_options *)user, in, made, NULL, NULL);
}

static bool stop_at_once(void *user, const margin_progress *progress) {
    (void)progress;
    ++*(int *)user;
    return true;
}

TEST reweighting_checks_its_arguments_and_can_be_stopped(void) {
    margin_theta_options strategy;
    margin_learner learner = {train_any, NULL, 0}, none = {NULL, NULL, 0};
    margin_arena counting = margin_arena_counting();
    int heard = 0;
    memset(&strategy, 0, sizeof strategy);
    fresh();
    learner.bytes = margin_svm_train_size(N, D, 2, NULL);
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_theta_train(NULL, &learner, NULL, &mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_theta_train(&data, NULL, NULL, &mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_theta_train(&data, &none, NULL, &mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_theta_train(&data, &learner, NULL, &mem, NULL, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_theta_train(&data, &learner, NULL, NULL, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_theta_train(&data, &learner, NULL, &counting, &model, NULL, NULL));
    strategy.theta = REAL(NAN);
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_theta_train(&data, &learner, &strategy, &mem, &model, NULL, NULL));
    ASSERT(unchanged());
    ASSERT_EQ(0, margin_theta_train_size(SIZE_MAX / 2, SIZE_MAX / 2, 2, 0));
    strategy.theta = 1000; /* out of reach: every sample is a mistake in every round */
    strategy.watch.progress = stop_at_once;
    strategy.watch.user = &heard;
    ASSERT_EQ(MARGIN_W_STOPPED,
              margin_theta_train(&data, &learner, &strategy, &mem, &model, NULL, NULL));
    ASSERT_EQ(1, heard);
    ASSERT_EQ(MARGIN_OK, margin_model_check(&model));
    strategy.watch.progress = NULL;
    strategy.rounds = 2;
    data.y = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_theta_train(&data, &learner, &strategy, &mem, &model, NULL, NULL));
    PASS();
}

TEST of_no_margins_none_is_below_anything(void) {
    margin_real at[2] = {0, 1}, share[2] = {7, 7};
    margin_cumulative(NULL, 0, at, 2, share);
    ASSERT(share[0] == 0 && share[1] == 0);
    PASS();
}

TEST rates_check_moments_and_frontiers(void) {
    static margin_real mean[2 * D] = {0, 0, 0, 1, 1, 1}, cov[2 * D * D], rate[2];
    const margin_rates_moments good = {mean, cov, D}, no_mean = {NULL, cov, D},
                               no_cov = {mean, NULL, D}, flat = {mean, cov, 0};
    margin_real wanted[2] = {REAL(0.5), 1};
    for (size_t k = 0; k < D; k++) { cov[k * (D + 1)] = cov[D * D + k * (D + 1)] = REAL(0.01); }
    fresh();
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_rates_train_moments(NULL, NULL, &mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_rates_train_moments(&no_mean, NULL, &mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_rates_train_moments(&no_cov, NULL, &mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_EMPTY, margin_rates_train_moments(&flat, NULL, &mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_rates_train_moments(&good, NULL, NULL, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_rates_train_moments(&good, NULL, &mem, NULL, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_rates_frontier(&data, NULL, &mem, NULL, rate, 2));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_rates_frontier(&data, NULL, &mem, wanted, NULL, 2));
    wanted[1] = 0;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_rates_frontier(&data, NULL, &mem, wanted, rate, 2));
    wanted[1] = 2;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_rates_frontier(&data, NULL, &mem, wanted, rate, 2));
    options.rates.kernel.kind = MARGIN_KERNEL_RBF;
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_rates_train_moments(&good, &options.rates, &mem, &model, NULL, NULL));
    ASSERT_EQ(0, margin_rates_train_moments_size(D, &options.rates));
    ASSERT_EQ(0, margin_rates_train_moments_size(SIZE_MAX / 2, NULL));
    ASSERT(unchanged());
    mean[4] = REAL(NAN);
    ASSERT_EQ(MARGIN_E_NOT_FINITE,
              margin_rates_train_moments(&good, NULL, &mem, &model, NULL, NULL));
    mean[4] = 1;
    cov[0] = -1;
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE,
              margin_rates_train_moments(&good, NULL, &mem, &model, NULL, NULL));
    cov[0] = REAL(0.01);
    for (size_t i = 0; i < N; i++) { y[i] = (uint16_t)(i % 3u); }
    ASSERT_EQ(MARGIN_E_TWO_CLASSES, margin_rates_train(&data, NULL, &mem, &model, NULL, NULL));
    ASSERT(unchanged());
    PASS();
}

TEST orders_check_their_arguments(void) {
    margin_real sums[N], tau = 7, a[N];
    margin_omam_online on;
    for (size_t i = 0; i < N; i++) { a[i] = (margin_real)i; }
    fresh();
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_kendall(a, NULL, N, &mem, &tau));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_kendall(a, a, N, &mem, NULL));
    ASSERT_EQ(MARGIN_E_OVERFLOW, margin_kendall(a, a, SIZE_MAX, &mem, &tau));
    ASSERT_EQ(0, margin_kendall_size(SIZE_MAX));
    ASSERT_EQ(0, margin_thresholds_size(SIZE_MAX, 3));
    ASSERT_EQ(0, margin_thresholds_size(N, 1));
    ASSERT_EQ(0, margin_thresholds_size(N, MARGIN_REJECTED));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_thresholds(a, y, NULL, N, 1, 0, &mem, sums));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_thresholds(a, y, NULL, N, 2, 9, &mem, sums));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_thresholds(a, NULL, NULL, N, 2, 0, &mem, sums));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_thresholds(a, y, NULL, N, 2, 0, &mem, NULL));
    ASSERT_EQ(0, margin_omam_online_start_size(0, 3));
    ASSERT_EQ(0, margin_omam_online_start_size(SIZE_MAX, 3));
    ASSERT_EQ(0, margin_omam_online_start_size(D, 1));
    ASSERT_EQ(0, margin_omam_online_start_size(D, MARGIN_REJECTED));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_start(&on, D, 1, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_start(NULL, D, 3, &mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_omam_online_start(&on, D, 3, NULL));
    ASSERT_EQ(0, margin_model_kendall_size(N, NULL));
    ASSERT(tau == 7 && unchanged());
    options.omam.targets = a;
    a[3] = REAL(NAN);
    ASSERT_EQ(MARGIN_E_NOT_FINITE,
              margin_omam_train(&data, &options.omam, &mem, &model, NULL, NULL));
    ASSERT(unchanged());
    PASS();
}

TEST lists_are_assessed_on_what_they_know(void) {
    margin_list_table table;
    fresh();
    options.seco.cheap = true;
    ASSERT(margin_seco_train(&data, &options.seco, &mem, &model, NULL, NULL) >= 0);
    ASSERT_EQ(MARGIN_OK, margin_list_assess(&data, &model.of.list, &table));
    ASSERT_EQ(N, table.samples);
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_list_assess(NULL, &model.of.list, &table));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_list_assess(&data, NULL, &table));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_list_assess(&data, &model.of.list, NULL));
    y[3] = 2;
    ASSERT_EQ(MARGIN_E_TWO_CLASSES, margin_list_assess(&data, &model.of.list, &table));
    y[3] = 1;
    data.d = D - 1;
    data.stride = D;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_list_assess(&data, &model.of.list, &table));
    data.y = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_list_assess(&data, &model.of.list, &table));
    PASS();
}

/* ---- the quantiser -------------------------------------------------------------------------------- */

static margin_quant quant;
static margin_quant_info info;

/* Trains an svm on the data as they are, unscaled, and quantises it. */
static margin_status quantised(unsigned kind, margin_real a, unsigned format, bool whole) {
    const margin_quant_options how = {(uint8_t)format, whole};
    margin_status status;
    memset(&options, 0, sizeof options);
    options.svm.kernel.kind = (uint8_t)kind;
    options.svm.kernel.a = a;
    options.svm.kernel.gamma = REAL(1e-6); /* features are of the order of 1000 */
    options.svm.kernel.coef0 = kind == MARGIN_KERNEL_POLY ? 1 : 0;
    mem = margin_arena_make(bytes, sizeof bytes);
    memset(&quant, 0, sizeof quant);
    status = margin_svm_train(&data, &options.svm, &mem, &model, NULL, NULL);
    return status < 0 ? status : margin_quantize(&model, &data, &how, &mem, &quant, &info);
}

/* Whole numbers from a sensor, all features in one unit; the last column may be constant. */
static void sensor(bool constant) {
    fresh();
    for (size_t i = 0; i < N * D; i++) {
        x[i] = (margin_real)(int)(1000 * x[i]);
        x[i] = constant && i % D == D - 1 ? 7 : x[i];
    }
}

TEST whole_numbers_go_into_integer_models_as_they_are(void) {
    static const struct {
        unsigned kind;
        double a;
    } kernels[] = {{MARGIN_KERNEL_LINEAR, 0},      {MARGIN_KERNEL_RBF, 0},
                   {MARGIN_KERNEL_POLY, 0},        {MARGIN_KERNEL_UNIT_POLY, 1},
                   {MARGIN_KERNEL_UNIT_POLY, 2.5}, {MARGIN_KERNEL_UNIT_EXP, 4},
                   {MARGIN_KERNEL_UNIT_EXP, 0.25}};
    for (size_t i = 0; i < 4 * sizeof kernels / sizeof kernels[0]; i++) {
        const size_t k = i / 4;
        const unsigned format = i % 2u == 0 ? MARGIN_Q15 : MARGIN_Q7;
        sensor(i % 4u >= 2u);
        ASSERT_EQ_FMT((int)MARGIN_OK,
                      (int)quantised(kernels[k].kind, (margin_real)kernels[k].a, format, true),
                      "%d");
        ASSERT_EQ(MARGIN_OK, margin_model_check_q(&quant.model));
        ASSERT_EQ_FMT((size_t)0, info.limited, "%zu");
        ASSERT(info.disagree * (format == MARGIN_Q15 ? 20u : 10u) <= N);
        for (size_t j = 0; j < N; j++) { /* the same through the front door of firmware */
            int16_t in[D], work[D];
            int32_t scores[1];
            margin_real score[1];
            for (size_t c = 0; c < D; c++) { in[c] = (int16_t)x[j * D + c]; }
            margin_scores(&model, x + j * D, score);
            if (fabs((double)score[0]) > 0.5) {
                ASSERT_EQ(score[0] > 0 ? 1 : 0, margin_classify_q(&quant.model, in, work, scores));
            }
        }
    }
    PASS();
}

TEST samples_without_weight_count_for_ranges_alone(void) {
    sensor(false);
    for (size_t i = 0; i < N / 2; i++) { weight[i] = 0; }
    ASSERT_EQ(MARGIN_OK, quantised(MARGIN_KERNEL_RBF, 0, MARGIN_Q15, true));
    ASSERT(info.disagree * 10u <= N);
    x[0] = 30000; /* far from all others, and in no sum */
    ASSERT_EQ(MARGIN_OK, quantised(MARGIN_KERNEL_LINEAR, 0, MARGIN_Q15, true));
    PASS();
}

TEST what_32_bits_cannot_hold_is_refused_by_the_quantiser(void) {
    margin_quant_options how = {MARGIN_Q15, true};
    margin_arena small;
    const margin_quant before_quant = {0};
    sensor(false);
    x[4] = 40000;
    ASSERT_EQ(MARGIN_E_RANGE, quantised(MARGIN_KERNEL_LINEAR, 0, MARGIN_Q15, true));
    sensor(false);
    x[4] = -40000;
    ASSERT_EQ(MARGIN_E_RANGE, quantised(MARGIN_KERNEL_RBF, 0, MARGIN_Q7, true));
    sensor(false);
    x[4] = REAL(0.5);
    ASSERT_EQ(MARGIN_E_RANGE, quantised(MARGIN_KERNEL_RBF, 0, MARGIN_Q15, true));
    ASSERT_EQ(0, memcmp(&before_quant.unit, &quant.unit, sizeof quant.unit));
    sensor(false);
    ASSERT_EQ(MARGIN_OK, quantised(MARGIN_KERNEL_RBF, 0, MARGIN_Q15, true));
    model.of.expansion.kernel.gamma = REAL(1e30); /* every sample is alone in the world */
    small = mem;                                  /* behind the model */
    ASSERT_EQ(MARGIN_E_RANGE, margin_quantize(&model, &data, &how, &small, &quant, NULL));
    ASSERT(small.low == mem.low && small.high == mem.high);
    model.of.expansion.kernel.gamma = 1;
    model.of.expansion.kernel.kind = MARGIN_KERNEL_LINEAR; /* has no integer form */
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_quantize(&model, &data, &how, &small, &quant, NULL));
    model.kind = 0;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_quantize(&model, &data, &how, &small, &quant, NULL));
    ASSERT_EQ(0, margin_quantize_size(&model, &how));
    model.kind = 9;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_quantize(&model, &data, &how, &small, &quant, NULL));
    ASSERT_EQ(0, margin_quantize_size(NULL, &how));
    PASS();
}

TEST an_integer_linear_model_without_weights_answers_by_its_bias(void) {
    static const margin_real w[D] = {0, 0, 0}, bias[1] = {-3};
    margin_quant_options how = {MARGIN_Q15, false};
    int16_t in[D] = {100, -100, INT16_MAX};
    int32_t scores[1];
    sensor(true);
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_LINEAR;
    model.of.linear.w = w;
    model.of.linear.bias = bias;
    model.of.linear.d = D;
    model.of.linear.vote.classes = 2;
    for (unsigned i = 0; i < 4; i++) {
        how.format = i % 2u == 0 ? MARGIN_Q15 : MARGIN_Q7;
        how.whole = i >= 2u;
        ASSERT_EQ(MARGIN_OK, margin_quantize(&model, &data, &how, &mem, &quant, &info));
        ASSERT_EQ(0, margin_classify_q(&quant.model, in, in, scores));
        ASSERT_IN_RANGE(-3, (double)(quant.unit * (margin_real)scores[0]), 0.01);
        ASSERT_EQ_FMT((size_t)0, info.disagree, "%zu");
    }
    PASS();
}

SUITE(arguments_suite) {
    RUN_TEST(trainers_take_good_data_without_options);
    RUN_TEST(what_the_memory_held_does_not_matter_to_any_trainer);
    RUN_TEST(trainers_refuse_missing_arguments);
    RUN_TEST(trainers_refuse_bad_data);
    RUN_TEST(sizes_that_do_not_fit_are_no_sizes);
    RUN_TEST(machines_refuse_options_out_of_their_range);
    RUN_TEST(losses_and_lists_refuse_options_out_of_their_range);
    RUN_TEST(prototypes_refuse_options_out_of_their_range);
    RUN_TEST(learned_vectors_refuse_options_out_of_their_range);
    RUN_TEST(losses_are_checked_number_by_number);
    RUN_TEST(margins_and_probabilities_have_values_at_their_ends);
    RUN_TEST(reweighting_checks_its_arguments_and_can_be_stopped);
    RUN_TEST(of_no_margins_none_is_below_anything);
    RUN_TEST(rates_check_moments_and_frontiers);
    RUN_TEST(orders_check_their_arguments);
    RUN_TEST(lists_are_assessed_on_what_they_know);
    RUN_TEST(whole_numbers_go_into_integer_models_as_they_are);
    RUN_TEST(samples_without_weight_count_for_ranges_alone);
    RUN_TEST(what_32_bits_cannot_hold_is_refused_by_the_quantiser);
    RUN_TEST(an_integer_linear_model_without_weights_answers_by_its_bias);
}
