/* Any bytes as a small problem with hostile numbers and hostile options, for every trainer: it ends with
 * a status, takes exactly the memory that its size query says, leaves the model alone when it fails,
 * gives the same bits whatever its memory held before, and a model that it returns passes its own
 * check. From moderate data no number comes that is not finite. Compiled in float and in double, as the
 * function TRAIN_IN of each; differ.c calls both. */
#include "differ.h"
#include "fuzz.h"

#define MARGIN_IMPLEMENTATION
#include "margin.h"

enum { MAX_N = 12, MAX_D = 4, TRAINERS = 12 };

/* Bytes of the input one after the other; 0 after the last. */
typedef struct {
    const uint8_t *at, *end;
} source;

static uint8_t next(source *s) {
    return s->at == s->end ? 0 : *s->at++;
}

static size_t rank; /* of rates */
static bool vague;  /* an option was beyond 1e-6 .. 1e6, or the objective depends on a choice */

/* Defaults often, ordinary numbers sometimes, and whatever no option should be. */
static margin_real option(source *s) {
    static const margin_real values[] = {0,
                                         0,
                                         0,
                                         (margin_real)0.5,
                                         1,
                                         2,
                                         100,
                                         -1,
                                         (margin_real)1e-6,
                                         (margin_real)1e-30,
                                         (margin_real)1e30,
                                         (margin_real)3e38,
                                         (margin_real)1e-45};
    const uint8_t which = next(s);
    const margin_real zero = values[0];
    vague = vague || which >= 254 || which % (sizeof values / sizeof values[0]) > 8u;
    if (which == 255) { return zero / zero; }
    return which == 254 ? 1 / zero : values[which % (sizeof values / sizeof values[0])];
}

typedef struct {
    margin_real x[MAX_N * MAX_D], targets[MAX_N], weight[MAX_N];
    uint16_t y[MAX_N];
    margin_data data;
    size_t classes;
    margin_kernel kernel;
    margin_control run;
    uint8_t scheme;
    unsigned trainer;
    unsigned stop; /* at which call of progress; 0: never */
    bool moderate; /* all numbers are at most 1e4, and not tiny */
    source rest;
} problem;

static void read_data(problem *p, source *s) {
    static const margin_real scales[] = {
        1, 1, 1, 1, 4095, (margin_real)1e-3, (margin_real)1e-24, (margin_real)1e18};
    const uint8_t how = next(s);
    const margin_real scale = scales[how % 8], zero = 0;
    p->moderate = how % 8 < 6;
    for (size_t i = 0; i < p->data.n * p->data.d; i++) {
        const uint8_t b = next(s);
        p->x[i] = scale * (margin_real)(b - 100) / 16;
        if (b == 255) {
            p->x[i] = how >= 128 ? zero / zero : (margin_real)3e38;
            p->moderate = false;
        }
    }
    for (size_t i = 0; i < p->data.n; i++) {
        p->y[i] = (uint16_t)(next(s) % p->classes);
        p->targets[i] = (margin_real)(next(s) % 8);
        p->weight[i] = (margin_real)(next(s) % 4) / 2;
    }
}

static void read_problem(problem *p, source *s) {
    memset(p, 0, sizeof *p);
    p->trainer = next(s) % TRAINERS;
    p->data.n = 1u + next(s) % MAX_N;
    p->data.d = 1u + next(s) % MAX_D;
    p->classes = 2u + next(s) % 2u;
    p->data.x = p->x;
    p->data.y = p->y;
    p->data.weight = next(s) % 4 == 3 ? p->weight : NULL;
    p->kernel.kind = next(s) % 7;
    p->kernel.degree = next(s) % 8;
    p->kernel.gamma = option(s);
    p->kernel.coef0 = option(s);
    p->kernel.a = option(s);
    p->run.tol = option(s);
    p->run.max_iterations = 1u + next(s);
    p->run.cache_bytes = next(s) * 8u;
    p->run.rank = next(s) % 4;
    p->scheme = next(s) % 4;
    p->stop = next(s) % 8;
    read_data(p, s);
    p->rest = *s;
}

static bool stop_at(void *user, const margin_progress *at) {
    unsigned *left = (unsigned *)user;
    (void)at;
    return *left > 0 && --*left == 0;
}

/* The trainers under one shape. A call without an arena asks for the size. */
#define RUN(tag, options, ...)                                                                     \
    (mem == NULL ? (*size = margin_##tag##_train_size(p->data.n, p->data.d, p->classes, options),  \
                    MARGIN_OK)                                                                     \
                 : margin_##tag##_train(&p->data, options, mem, model, __VA_ARGS__))

static margin_status train_kernel(const problem *p, source s, margin_arena *mem, size_t *size,
                                  margin_model *model, margin_info *info, margin_watch watch) {
    const margin_mam_options mam = {p->kernel, next(&s) % 2 == 1, next(&s) % 2 == 1, p->scheme};
    margin_kmomd_options kmomd;
    margin_svm_options svm;
    margin_rates_options rates;
    margin_rates_report report = {0};
    memset(&kmomd, 0, sizeof kmomd);
    memset(&svm, 0, sizeof svm);
    memset(&rates, 0, sizeof rates);
    kmomd.kernel = svm.kernel = rates.kernel = p->kernel;
    kmomd.run = svm.run = p->run;
    rates.tol = p->run.tol;
    rates.max_iterations = p->run.max_iterations;
    kmomd.scheme = svm.scheme = p->scheme;
    kmomd.watch = svm.watch = rates.watch = watch;
    kmomd.lambda = svm.c = option(&s);
    svm.c_pos = rates.eta_pos = option(&s);
    svm.c_neg = rates.eta_neg = option(&s);
    kmomd.hard_margin = svm.hard_margin = next(&s) % 4 == 3;
    svm.bounds = next(&s) % 4 == 3;
    rates.nu_pos = option(&s);
    rates.ridge = option(&s);
    rates.solver = next(&s) % 3;
    if (next(&s) % 4 == 3) { svm.nu = option(&s); }
    switch (p->trainer) {
    case 0:
        return RUN(mam, &mam, info);
    case 1:
        return RUN(kmomd, &kmomd, info, NULL);
    case 2:
        return RUN(svm, &svm, info, NULL);
    default: {
        const margin_status status = RUN(rates, &rates, info, &report);
        vague = vague || (status >= 0 && !(report.p_star < (margin_real)0.99)); /* a pole is at 1 */
        rank = report.rank;
        return status;
    }
    }
}

static margin_status train_proto(const problem *p, source s, margin_arena *mem, size_t *size,
                                 margin_model *model, margin_info *info, margin_watch watch) {
    margin_proto_options proto;
    memset(&proto, 0, sizeof proto);
    proto.watch = watch;
    proto.max_iterations = p->run.max_iterations;
    proto.method = next(&s) % 7;
    proto.start = next(&s) % 5;
    proto.models = next(&s) % 4;
    proto.tangents = next(&s) % 3;
    proto.theta = option(&s);
    proto.rate = option(&s);
    proto.window = option(&s);
    proto.validation = next(&s) % 4 == 3 ? (margin_real)0.3 : 0;
    proto.neighbours = next(&s) % 6;
    proto.budget = next(&s) % 8;
    proto.seed = next(&s);
    return RUN(proto, &proto, info, NULL);
}

static margin_status train_other(const problem *p, source s, margin_arena *mem, size_t *size,
                                 margin_model *model, margin_info *info, margin_watch watch) {
    margin_ordinal_options ordinal;
    margin_loss_options loss;
    margin_seco_options seco;
    margin_compact_options compact;
    memset(&ordinal, 0, sizeof ordinal);
    memset(&loss, 0, sizeof loss);
    memset(&seco, 0, sizeof seco);
    memset(&compact, 0, sizeof compact);
    ordinal.kernel = loss.kernel = seco.kernel = p->kernel;
    ordinal.watch = loss.watch = seco.watch = compact.watch = watch;
    ordinal.targets = next(&s) % 2 == 1 ? p->targets : NULL;
    ordinal.classes = next(&s) % 4 == 3 ? 5 : 0;
    ordinal.loss = next(&s) % 3;
    ordinal.c = loss.c = option(&s);
    ordinal.leave_one_out = seco.greedy = next(&s) % 2 == 1;
    loss.scheme = p->scheme;
    loss.tol = seco.tol = p->run.tol;
    loss.starts = seco.starts = 1;
    seco.max_iterations = compact.max_iterations = p->run.max_iterations;
    seco.cheap = true;
    seco.left = 1u + next(&s) % 3;
    seco.most = 3;
    seco.folds = next(&s) % 4;
    compact.kernel = p->kernel.kind;
    compact.exact = next(&s) % 2 == 1;
    compact.vectors = next(&s) % 5;
    compact.noise = option(&s);
    compact.rate = option(&s);
    compact.decay = option(&s);
    compact.members = next(&s) % 4;
    vague = vague || ordinal.c == 0; /* lssvm: c is chosen by leaving one out */
    loss.seed = seco.seed = compact.seed = next(&s);
    switch (p->trainer) {
    case 4:
        return RUN(omam, &ordinal, info, NULL);
    case 5:
        return RUN(lssvm, &ordinal, info, NULL);
    case 6:
        return RUN(loss, &loss, info);
    case 8:
        return RUN(seco, &seco, info, NULL);
    default:
        return RUN(compact, &compact, info, NULL);
    }
}

/* One class and numbers. */
static margin_status train_one(const problem *p, source s, margin_arena *mem, size_t *size,
                               margin_model *model, margin_info *info, margin_watch watch) {
    margin_oneclass_options one;
    margin_svr_options svr;
    memset(&one, 0, sizeof one);
    memset(&svr, 0, sizeof svr);
    one.kernel = svr.kernel = p->kernel;
    one.run = svr.run = p->run;
    one.watch = svr.watch = watch;
    one.nu = svr.nu = option(&s);
    one.lambda = svr.c = option(&s);
    svr.epsilon = option(&s);
    svr.outside = option(&s);
    one.sphere = next(&s) % 2 == 1;
    one.held_out = next(&s) % 4 == 3;
    one.models = next(&s) % 4 == 3 ? 2 : 0;
    one.tangents = next(&s) % 3;
    one.folds = svr.folds = next(&s) % 5;
    one.seed = svr.seed = next(&s);
    svr.loss = next(&s) % 4;
    vague = vague || (svr.loss == MARGIN_SVR_SQUARES && svr.c == 0);
    svr.targets = next(&s) == 255 ? NULL : p->targets;
    return p->trainer == 10u ? RUN(oneclass, &one, info, NULL) : RUN(svr, &svr, info, NULL);
}

static margin_status train(const problem *p, margin_arena *mem, size_t *size, margin_model *model,
                           margin_info *info) {
    unsigned left = p->stop;
    margin_watch watch;
    watch.progress = stop_at;
    watch.user = &left;
    return (p->trainer < 4u    ? train_kernel
            : p->trainer == 7u ? train_proto
            : p->trainer > 9u  ? train_one
                               : train_other)(p, p->rest, mem, size, model, info, watch);
}

/* The scores of all training samples; room for n times the machines. */
static size_t scores_of(const problem *p, const margin_model *model, margin_real *scores) {
    const margin_vote *vote = margin_model_vote(model);
    const size_t machines = margin_machines(vote->scheme, vote->classes);
    for (size_t i = 0; i < p->data.n; i++) {
        margin_scores(model, p->x + i * p->data.d, scores + i * machines);
    }
    return p->data.n * machines;
}

/* One training in memory that held `held`; returns the status, and the scores of what it made. */
static margin_status once(const problem *p, int held, margin_real *scores, size_t *count,
                          margin_info *told) {
    fuzz_memory memory = {{NULL}, {0}, 0};
    margin_model model, before;
    margin_info info;
    margin_arena mem;
    margin_status status;
    size_t size = 0;
    void *bytes;
    memset(&model, 0x5A, sizeof model);
    before = model;
    memset(&info, 0, sizeof info);
    (void)train(p, NULL, &size, NULL, NULL);
    CHECK(size < (1u << 28));
    bytes = fuzz_block(&memory, size);
    memset(bytes, held, size);
    mem = margin_arena_make(bytes, size);
    status = train(p, &mem, NULL, &model, &info);
    *count = 0;
    *told = info;
    if (status < 0) {
        CHECK(memcmp(&model, &before, sizeof before) == 0);
    } else {
        CHECK(mem.failed == 0);
        CHECK(margin_model_check(&model) == MARGIN_OK);
        *count = scores_of(p, &model, scores);
    }
    fuzz_forget(&memory);
    return status;
}

static bool is_finite(margin_real a) {
    return a - a == 0;
}

/* Methods whose objective has one optimum, on moderate data with moderate options, to a tolerance that is not coarse. */
static bool is_unique(const problem *p) {
    return p->moderate && !vague && (p->trainer < 6u || p->trainer > 9u) && p->run.tol >= 0 &&
           p->run.tol <= (margin_real)1e-3;
}

void TRAIN_IN(const uint8_t *input, size_t size, train_result *result) {
    static margin_real scores[2][MAX_N * 16];
    margin_info info[2];
    size_t count[2];
    margin_status status;
    source s;
    problem p;
    s.at = input;
    s.end = input + size;
    vague = false;
    rank = 0;
    read_problem(&p, &s);
    status = once(&p, 0x00, scores[0], &count[0], &info[0]);
    CHECK(once(&p, 0xFF, scores[1], &count[1], &info[1]) == status);
    CHECK(count[0] == count[1] && count[0] <= MAX_N * 16u);
    CHECK(memcmp(scores[0], scores[1], count[0] * sizeof scores[0][0]) == 0);
    CHECK(memcmp(&info[0].objective, &info[1].objective, sizeof info[0].objective) == 0);
    if (status >= 0 && p.moderate) {
        for (size_t i = 0; i < count[0]; i++) { CHECK(is_finite(scores[0][i])); }
        CHECK(is_finite(info[0].objective));
    }
    result->status = status;
    result->unique = is_unique(&p);
    result->trainer = p.trainer;
    result->rank = p.trainer == 3u ? rank : 0;
    result->objective = (double)info[0].objective;
    result->gap = (double)info[0].gap;
}
