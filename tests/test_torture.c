/* test_torture.c -- every trainer under the same questions: what must not change when a problem is told in another way, when
 * memory is dirty, when training is stopped, and when a number is none. One table of trainers, random problems from a seed.
 *
 * What a change may cost is said by name in the table:
 *
 *   BITS    the same bits: the numbers differ by powers of two, by a permutation that the method undoes, or not at all
 *   CLOSED  the same sums in another order: rounding times the condition of the problem
 *   SOLVED  an optimum that is unique, but found only to the tolerance of an iteration
 *   NEAR    a local optimum, or one found with random numbers that depend on the samples: most answers are the same
 *   ANY     no promise: a model that passes its check is all */
#include <float.h>
#include <math.h>
#include <string.h>

#include "asserts.h"
#include "margin.h"
#include "trials.h"

enum { N = 24, D = 3, COPIES = 3, PROBES = 24, MACHINES = 4, MOST = COPIES * N };
enum { BITS, CLOSED, SOLVED, NEAR, ANY };

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
    margin_oneclass_options oneclass;
    margin_svr_options svr;
} any_options;

/* `unit` is the length of 1 in the numbers of x: options that have a dimension are given in it. */
typedef struct {
    margin_real x[MOST * D], targets[MOST], weight[MOST], probe[PROBES * D], unit;
    uint16_t y[MOST];
    size_t n, classes;
    bool flipped, weighted;
    margin_watch watch;
} problem;

typedef struct {
    margin_status status;
    margin_info info;
    double told;
    size_t machines;
    uint8_t scheme;
    margin_real score[PROBES * MACHINES];
    uint16_t label[PROBES];
} outcome;

/* ---- all trainers in one shape -------------------------------------------------------------------- */

static double told; /* of the last report: a sum of its numbers, each with a weight of its own */

static void tell(double a) {
    told = told / 2 + a;
}

static void tell_kmomd(const margin_kmomd_report *r) {
    tell((double)r->game_value);
    tell((double)r->entropy);
}
static void tell_svm(const margin_svm_report *r) {
    tell((double)r->nu);
    tell((double)r->c0);
    tell((double)r->c1);
}
static void tell_rates(const margin_rates_report *r) {
    tell(r->feasible ? 1 : 0);
    tell((double)r->p_star);
    tell((double)r->touch);
    tell((double)r->eta_pos_touch);
    tell((double)r->eta_neg_touch);
    tell((double)r->kappa_pos);
    tell((double)r->kappa_neg);
    tell((double)r->spread_pos);
    tell((double)r->spread_neg);
    tell((double)r->error_pos);
    tell((double)r->error_neg);
    tell(log(1 + (double)r->condition_pos));
    tell(log(1 + (double)r->condition_neg));
    tell((double)r->ridge);
    tell((double)r->rank);
    tell((double)r->factorisations);
}
static void tell_seco(const margin_seco_report *r) {
    tell((double)r->cuts);
    tell((double)r->end);
    tell((double)r->candidates);
    tell((double)r->runaways);
    tell((double)r->assessed);
    tell((double)r->left);
    tell((double)r->plain_error);
    tell((double)r->left_error);
    tell((double)r->left_c);
    tell((double)r->table.error);
    tell((double)r->table.cost);
    tell((double)r->c0);
    tell((double)r->c1);
    for (size_t c = 0; c < r->cuts; c++) {
        tell((double)r->cut[c].covered);
        tell((double)r->cut[c].wrong);
        tell((double)r->cut[c].margin);
        tell((double)r->cut[c].estimate);
    }
}
static void tell_proto(const margin_proto_report *r) {
    tell((double)r->mistakes);
    tell((double)r->uneven);
}
static void tell_compact(const margin_compact_report *r) {
    tell((double)r->noise);
    tell((double)r->held_out_error);
}
static void tell_omam(const margin_ordinal_report *r) {
    tell((double)r->tau);
    tell((double)r->c);
    tell((double)r->loo);
}
#define tell_lssvm tell_omam
static void tell_oneclass(const margin_oneclass_report *r) {
    tell((double)r->promised);
    tell((double)r->alarms);
}
static void tell_svr(const margin_svr_report *r) {
    tell((double)r->c);
    tell((double)r->epsilon);
    tell((double)r->loo);
    tell((double)r->half);
    tell((double)r->promised);
}

#define TRAIN_HEAD(tag)                                                                            \
    static size_t size_##tag(size_t n, size_t d, size_t classes, const any_options *o) {           \
        return margin_##tag##_train_size(n, d, classes, &o->tag);                                  \
    }                                                                                              \
    static margin_status train_##tag(const margin_data *data, const any_options *o,                \
                                     margin_arena *mem, margin_model *model, margin_info *info)
#define TRAINER(tag, type)                                                                         \
    TRAIN_HEAD(tag) {                                                                              \
        margin_##type##_report report;                                                             \
        const margin_status status =                                                               \
            margin_##tag##_train(data, &o->tag, mem, model, info, &report);                        \
        if (status >= 0) { tell_##tag(&report); }                                                  \
        return status;                                                                             \
    }
TRAIN_HEAD(mam) {
    return margin_mam_train(data, &o->mam, mem, model, info);
}
TRAIN_HEAD(loss) {
    return margin_loss_train(data, &o->loss, mem, model, info);
}
TRAINER(kmomd, kmomd)
TRAINER(svm, svm)
TRAINER(rates, rates)
TRAINER(seco, seco)
TRAINER(proto, proto)
TRAINER(compact, compact)
TRAINER(omam, ordinal)
TRAINER(lssvm, ordinal)
TRAINER(oneclass, oneclass)
TRAINER(svr, svr)

#define REAL(a) ((margin_real)(a))
#ifdef MARGIN_REAL_DOUBLE
#define PICK(single, twice) REAL(twice)
#else
#define PICK(single, twice) REAL(single)
#endif
#define TIGHT PICK(1e-5, 1e-10)

static margin_kernel kernel_of(uint8_t kind, const problem *p) {
    const margin_kernel kernel = {kind, 2, REAL(0.25) / (p->unit * p->unit), 1, 2};
    return kernel;
}

/* One function for each line of the table: the options of a method for a problem. */
#define OPTIONS(name) static void name(any_options *o, const problem *p)
#define KERNEL(tag, of) o->tag.kernel = kernel_of(MARGIN_KERNEL_##of, p)

OPTIONS(mam_linear) {
    KERNEL(mam, LINEAR);
}
OPTIONS(mam_even) {
    KERNEL(mam, LINEAR);
    o->mam.intercept = o->mam.balanced = true;
}
OPTIONS(mam_rbf) {
    KERNEL(mam, RBF);
    o->mam.intercept = true;
}
static void kmomd(any_options *o, const problem *p) {
    o->kmomd.run.tol = TIGHT;
    o->kmomd.watch = p->watch;
}
OPTIONS(kmomd_linear) { /* (1 - lambda) |v|^2 against lambda |g|^2: only the first has a unit */
    const margin_real square = p->unit * p->unit;
    kmomd(o, p);
    o->kmomd.lambda = REAL(0.5) * square / (REAL(0.5) + REAL(0.5) * square);
}
OPTIONS(kmomd_rbf) {
    KERNEL(kmomd, RBF);
    kmomd(o, p);
}
OPTIONS(kmomd_hard) {
    KERNEL(kmomd, RBF);
    kmomd(o, p);
    o->kmomd.hard_margin = true;
}
static void svm(any_options *o, const problem *p) {
    o->svm.run.tol = TIGHT;
    o->svm.watch = p->watch;
}
OPTIONS(svm_linear) {
    svm(o, p);
    o->svm.c = 1 / (p->unit * p->unit);
    o->svm.bounds = true;
}
OPTIONS(svm_rbf) {
    KERNEL(svm, RBF);
    svm(o, p);
    o->svm.c_pos = p->flipped ? 1 : 2;
    o->svm.c_neg = p->flipped ? 2 : 1;
}
OPTIONS(svm_poly) {
    KERNEL(svm, POLY);
    svm(o, p);
    o->svm.run.cache_bytes = 1;
}
OPTIONS(svm_hard) {
    KERNEL(svm, RBF);
    svm(o, p);
    o->svm.hard_margin = true;
}
OPTIONS(svm_rank) {
    KERNEL(svm, POLY);
    svm(o, p);
    o->svm.c = 100;
    o->svm.run.rank = 8;
}
OPTIONS(svm_rest) {
    KERNEL(svm, RBF);
    svm(o, p);
    o->svm.scheme = MARGIN_SCHEME_ONE_REST;
}
OPTIONS(nu_linear) {
    svm(o, p);
    o->svm.nu = REAL(0.55); /* at 0.5 all weights may be at bounds, and the bias is not unique */
}
OPTIONS(nu_rbf) {
    KERNEL(svm, RBF);
    svm(o, p);
    o->svm.nu = REAL(0.3);
}
static void rates(any_options *o, const problem *p) {
    o->rates.eta_pos = p->flipped ? REAL(0.6) : REAL(0.8);
    o->rates.eta_neg = p->flipped ? REAL(0.8) : REAL(0.6);
    o->rates.nu_pos = p->flipped ? REAL(0.1) : REAL(0.05);
    o->rates.nu_neg = p->flipped ? REAL(0.05) : REAL(0.1);
    o->rates.watch = p->watch;
}
OPTIONS(rates_linear) {
    rates(o, p);
}
OPTIONS(rates_rbf) {
    KERNEL(rates, RBF);
    rates(o, p);
    o->rates.ridge = REAL(0.01);
}
OPTIONS(rates_iter) {
    rates(o, p);
    o->rates.solver = MARGIN_RATES_ITER;
    o->rates.tol = PICK(1e-4, 1e-9);
}
static const margin_loss *ramp(void) {
    static margin_loss loss;
    loss = margin_loss_named(MARGIN_LOSS_RAMP);
    return &loss;
}
OPTIONS(loss_hinge) {
    KERNEL(loss, RBF);
    o->loss.c = 16;
    o->loss.starts = 1;
    o->loss.smoothing.all = true;
    o->loss.tol = PICK(1e-4, 1e-8);
    o->loss.watch = p->watch;
}
OPTIONS(loss_ramp) {
    o->loss.c = 16 / (p->unit * p->unit);
    o->loss.loss = ramp();
    o->loss.starts = 2;
    o->loss.watch = p->watch;
}
static void seco(any_options *o, const problem *p) {
    o->seco.cheap = true;
    o->seco.starts = 1;
    o->seco.left = 3;
    o->seco.most = 2;
    o->seco.c_first = o->seco.c_last = 8;
    o->seco.svm_first = o->seco.svm_last = 8;
    o->seco.folds = 2;
    o->seco.watch = p->watch;
}
OPTIONS(seco_rbf) {
    KERNEL(seco, RBF);
    seco(o, p);
    o->seco.bounds = true;
}
OPTIONS(seco_greedy) {
    KERNEL(seco, UNIT_POLY);
    o->seco.kernel.a = 1;
    seco(o, p);
    o->seco.greedy = true;
}
static void proto(any_options *o, const problem *p, uint8_t method, uint16_t models,
                  uint16_t tangents) {
    o->proto.method = method;
    o->proto.models = models;
    o->proto.tangents = tangents;
    o->proto.watch = p->watch;
    o->proto.max_iterations = 50;
}
OPTIONS(tvq_steps) {
    proto(o, p, MARGIN_PROTO_TVQ, 1, 1);
    o->proto.rate = REAL(0.5);
}
OPTIONS(tvq_plain) {
    tvq_steps(o, p);
    o->proto.plain = true;
}
OPTIONS(tvq) {
    proto(o, p, MARGIN_PROTO_TVQ, 2, 1);
}
OPTIONS(tvq_held) {
    proto(o, p, MARGIN_PROTO_TVQ, 1, 0);
    o->proto.validation = REAL(0.25);
    o->proto.start = MARGIN_START_CLUSTERS;
}
OPTIONS(hss) {
    proto(o, p, MARGIN_PROTO_HSS, 1, 2);
}
OPTIONS(hss_clusters) {
    proto(o, p, MARGIN_PROTO_HSS, 2, 1);
    o->proto.start = MARGIN_START_CLUSTERS;
}
OPTIONS(lvq) {
    proto(o, p, MARGIN_PROTO_LVQ, 2, 0);
}
OPTIONS(olvq1) {
    proto(o, p, MARGIN_PROTO_OLVQ1, 2, 0);
}
OPTIONS(td) {
    proto(o, p, MARGIN_PROTO_TD, 0, 1);
}
OPTIONS(td_steps) {
    proto(o, p, MARGIN_PROTO_TD, 0, 1);
    o->proto.rate = REAL(0.5);
}
OPTIONS(nn) {
    proto(o, p, MARGIN_PROTO_NN, 0, 0);
}
OPTIONS(nn_three) {
    proto(o, p, MARGIN_PROTO_NN, 0, 0);
    o->proto.neighbours = 3;
}
OPTIONS(nn_few) {
    proto(o, p, MARGIN_PROTO_NN, 0, 0);
    o->proto.budget = 8;
}
OPTIONS(compact_hinge) {
    o->compact.vectors = 4;
    o->compact.members = 2;
    o->compact.rate = REAL(0.1);
    o->compact.max_iterations = 100;
    o->compact.watch = p->watch;
}
OPTIONS(compact_rbf) {
    o->compact.kernel = MARGIN_KERNEL_RBF;
    o->compact.vectors = 4;
    o->compact.noise = REAL(0.1);
    o->compact.exact = true;
    o->compact.rate = REAL(0.1);
    o->compact.max_iterations = 100;
    o->compact.watch = p->watch;
}
OPTIONS(omam_linear) {
    (void)p, (void)o;
}
OPTIONS(omam_rbf) {
    KERNEL(omam, RBF);
}
OPTIONS(omam_normalised) {
    KERNEL(omam, RBF);
    o->omam.normalised = true;
}
OPTIONS(omam_ranks) {
    o->omam.targets = p->targets;
}
OPTIONS(lssvm_linear) {
    o->lssvm.c = 1 / (p->unit * p->unit);
    o->lssvm.watch = p->watch;
}
OPTIONS(lssvm_rbf) {
    KERNEL(lssvm, RBF);
    o->lssvm.watch = p->watch;
}
OPTIONS(lssvm_ranks) {
    KERNEL(lssvm, RBF);
    o->lssvm.targets = p->targets;
    o->lssvm.c = 10;
    o->lssvm.watch = p->watch;
}
static void oneclass(any_options *o, const problem *p) {
    o->oneclass.nu = REAL(0.2);
    o->oneclass.folds = 1;
    o->oneclass.run.tol = TIGHT;
    o->oneclass.watch = p->watch;
}
OPTIONS(oneclass_nu) {
    KERNEL(oneclass, RBF);
    oneclass(o, p);
}
OPTIONS(oneclass_folds) {
    KERNEL(oneclass, RBF);
    oneclass(o, p);
    o->oneclass.folds = 4;
}
OPTIONS(oneclass_lambda) {
    KERNEL(oneclass, RBF);
    oneclass(o, p);
    o->oneclass.lambda = REAL(0.1);
}
OPTIONS(oneclass_sphere) {
    oneclass(o, p);
    o->oneclass.sphere = true;
}
OPTIONS(oneclass_models) {
    oneclass(o, p);
    o->oneclass.models = 2;
    o->oneclass.tangents = 1;
    o->oneclass.folds = 3;
}
static void svr(any_options *o, const problem *p) {
    o->svr.targets = p->targets;
    o->svr.run.tol = TIGHT;
    o->svr.watch = p->watch;
}
OPTIONS(svr_epsilon) {
    KERNEL(svr, RBF);
    svr(o, p);
}
OPTIONS(svr_linear) {
    svr(o, p);
    o->svr.c = 1 / (p->unit * p->unit);
    o->svr.epsilon = REAL(0.1);
}
OPTIONS(svr_nu) {
    KERNEL(svr, RBF);
    svr(o, p);
    o->svr.loss = MARGIN_SVR_NU;
}
OPTIONS(svr_squares) {
    KERNEL(svr, RBF);
    svr(o, p);
    o->svr.loss = MARGIN_SVR_SQUARES;
}

typedef struct {
    const char *name;
    margin_status (*train)(const margin_data *, const any_options *, margin_arena *, margin_model *,
                           margin_info *);
    size_t (*size)(size_t, size_t, size_t, const any_options *);
    void (*options)(any_options *, const problem *);
    uint8_t classes;
    int8_t power; /* of the unit, that scores are measured in */
    uint8_t scaled, permuted, copied, flipped, rotated; /* how much may change */
    uint8_t
        moved; /* the power of the distance from the origin that rounding grows with; 0: the origin matters */
} trainer;

/* Why some lines promise less:
 *   loss_ramp       Its starts lie in a box of a size of its own, and do not turn with the classes: other local minima.
 *   seco            Starts and folds are drawn by row.
 *   tvq_steps       Re-weighting gives every copy of a sample as much as a sample of weight two; which samples are mistakes
 *                   depends on rounding.
 *   tvq, lvq, td    What is drawn depends on the order of the samples by value, and so on signs, axes and copies.
 *   nn_three        Three copies of a sample are three neighbours; weights are none.
 *   compact         All starts and all noise are drawn by row.
 *   lssvm_rbf, svr_squares   The price of errors is chosen with each sample left out, but not its copies.
 *   omam_normalised The thresholds are those of samples without themselves; equally good ones are not unique.
 *   oneclass        Thresholds of folds are drawn by row, and are ranks of samples, whatever their weights. */

#define LINE(tag, options, ...)                                                                    \
    { #options, train_##tag, size_##tag, options, __VA_ARGS__ }
static const trainer trainers[] = {
    LINE(mam, mam_linear, 2, 1, BITS, BITS, BITS, BITS, CLOSED, 0),
    LINE(mam, mam_even, 3, 1, BITS, BITS, BITS, BITS, CLOSED, 1),
    LINE(mam, mam_rbf, 2, 0, BITS, CLOSED, CLOSED, CLOSED, CLOSED, 2),
    LINE(kmomd, kmomd_linear, 2, 1, SOLVED, SOLVED, SOLVED, SOLVED, SOLVED, 1),
    LINE(kmomd, kmomd_rbf, 3, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 2),
    LINE(kmomd, kmomd_hard, 2, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 2),
    LINE(svm, svm_linear, 2, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 1),
    LINE(svm, svm_rbf, 2, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 2),
    LINE(svm, svm_poly, 3, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 0),
    LINE(svm, svm_hard, 2, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 2),
    LINE(svm, svm_rank, 2, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 0),
    LINE(svm, svm_rest, 3, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 2),
    LINE(svm, nu_linear, 2, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 1),
    LINE(svm, nu_rbf, 2, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 2),
    LINE(rates, rates_linear, 2, 0, BITS, CLOSED, CLOSED, CLOSED, CLOSED, 1),
    LINE(rates, rates_rbf, 2, 0, BITS, CLOSED, CLOSED, CLOSED, CLOSED, 2),
    LINE(rates, rates_iter, 2, 0, BITS, CLOSED, CLOSED, CLOSED, CLOSED, 1),
    LINE(loss, loss_hinge, 2, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 2),
    LINE(loss, loss_ramp, 2, 0, ANY, SOLVED, SOLVED, ANY, SOLVED, 0),
    LINE(seco, seco_rbf, 2, 0, BITS, NEAR, NEAR, NEAR, NEAR, 2),
    LINE(seco, seco_greedy, 2, 0, BITS, NEAR, NEAR, NEAR, NEAR, 0),
    LINE(proto, tvq_steps, 2, 2, BITS, NEAR, ANY, BITS, NEAR, 1),
    LINE(proto, tvq_plain, 3, 2, BITS, SOLVED, SOLVED, BITS, SOLVED, 1),
    LINE(proto, tvq, 3, 2, BITS, BITS, ANY, ANY, ANY, 1),
    LINE(proto, tvq_held, 2, 2, BITS, BITS, NEAR, NEAR, NEAR, 1),
    LINE(proto, hss, 3, 2, BITS, CLOSED, CLOSED, BITS, CLOSED, 1),
    LINE(proto, hss_clusters, 2, 2, BITS, BITS, ANY, ANY, ANY, 1),
    LINE(proto, lvq, 3, 2, BITS, BITS, ANY, NEAR, NEAR, 1),
    LINE(proto, olvq1, 2, 2, BITS, BITS, NEAR, NEAR, NEAR, 1),
    LINE(proto, td, 2, 2, BITS, BITS, NEAR, NEAR, NEAR, 1),
    LINE(proto, td_steps, 2, 2, BITS, CLOSED, CLOSED, BITS, CLOSED, 1),
    LINE(proto, nn, 3, 2, BITS, BITS, BITS, BITS, CLOSED, 1),
    LINE(proto, nn_three, 3, 2, BITS, BITS, ANY, BITS, CLOSED, 1),
    LINE(proto, nn_few, 2, 2, BITS, BITS, NEAR, NEAR, NEAR, 1),
    LINE(compact, compact_hinge, 3, 0, BITS, ANY, ANY, ANY, ANY, 1),
    LINE(compact, compact_rbf, 2, 0, BITS, ANY, ANY, ANY, ANY, 2),
    LINE(omam, omam_linear, 3, 1, BITS, CLOSED, CLOSED, CLOSED, CLOSED, 1),
    LINE(omam, omam_rbf, 2, 0, BITS, CLOSED, CLOSED, CLOSED, CLOSED, 2),
    LINE(omam, omam_normalised, 3, 0, BITS, CLOSED, NEAR, NEAR, CLOSED, 2),
    LINE(omam, omam_ranks, 2, 1, BITS, CLOSED, CLOSED, CLOSED, CLOSED, 0),
    LINE(lssvm, lssvm_linear, 3, 0, BITS, CLOSED, CLOSED, CLOSED, CLOSED, 1),
    LINE(lssvm, lssvm_rbf, 2, 0, BITS, CLOSED, ANY, CLOSED, CLOSED, 2),
    LINE(lssvm, lssvm_ranks, 2, 0, BITS, CLOSED, CLOSED, CLOSED, CLOSED, 2),
    LINE(oneclass, oneclass_nu, 2, 0, BITS, SOLVED, SOLVED, BITS, SOLVED, 2),
    LINE(oneclass, oneclass_folds, 2, 0, BITS, NEAR, ANY, BITS, SOLVED, 2),
    LINE(oneclass, oneclass_lambda, 2, 0, BITS, SOLVED, NEAR, BITS, SOLVED, 2),
    LINE(oneclass, oneclass_sphere, 2, 2, BITS, SOLVED, SOLVED, BITS, SOLVED, 1),
    LINE(oneclass, oneclass_models, 2, 2, BITS, NEAR, ANY, BITS, NEAR, 1),
    LINE(svr, svr_epsilon, 2, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 2),
    LINE(svr, svr_linear, 2, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 1),
    LINE(svr, svr_nu, 2, 0, BITS, SOLVED, SOLVED, SOLVED, SOLVED, 2),
    LINE(svr, svr_squares, 2, 0, BITS, CLOSED, ANY, CLOSED, CLOSED, 2),
};
enum { TRAINERS = sizeof trainers / sizeof trainers[0] };

/* ---- problems -------------------------------------------------------------------------------------- */

/* Whole numbers from -128 to 127, the sum of two: the same in float and in double. */
static margin_real coarse(margin_rng *rng) {
    const uint32_t a = margin_rng_u32(rng);
    return (margin_real)((int)(a & 127u) + (int)(a >> 8 & 127u) - 127);
}

static void draw(margin_rng *rng, size_t label, margin_real *x) {
    for (size_t k = 0; k < D; k++) {
        x[k] = coarse(rng) / 64 + (margin_real)(k + 1u) * ((margin_real)label - 1) / 2;
    }
}

/* Classes that overlap a little, and a target that depends on the features in a smooth way. */
static void make_problem(problem *p, const trainer *t, uint32_t seed) {
    margin_rng rng = margin_rng_make(seed);
    memset(p, 0, sizeof *p);
    p->n = N;
    p->classes = t->classes;
    p->unit = 1;
    for (size_t i = 0; i < PROBES; i++) { draw(&rng, i % p->classes, p->probe + i * D); }
    for (size_t i = 0; i < N; i++) {
        margin_real *x = p->x + i * D;
        p->y[i] = (uint16_t)(i % p->classes);
        draw(&rng, p->y[i], x);
        p->targets[i] = (margin_real)(int)(64 * (x[0] + x[1] * x[2] / 4)) / 64;
        p->weight[i] = 1;
    }
}

static margin_data view(const problem *p) {
    const margin_data data = {p->x, p->n, D, 0, p->y, p->weighted ? p->weight : NULL, NULL};
    return data;
}

static unsigned char bytes[1 << 20];

/* Trains in memory that held `held`, and checks what all trainers promise. NULL, or what is wrong. */
static const char *run(const trainer *t, const problem *p, int held, outcome *out) {
    const margin_data data = view(p);
    any_options options;
    margin_model model, before;
    margin_info info;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    memset(out, 0, sizeof *out);
    t->options(&options, p);
    const size_t size = t->size(p->n, D, p->classes, &options);
    if (size == 0 || size > sizeof bytes) { return "no size"; }
    memset(bytes, held, size);
    memset(&model, 0x5A, sizeof model);
    before = model;
    memset(&info, 0x33, sizeof info);
    out->info = info;
    mem = margin_arena_make(bytes, size);
    told = 0;
    out->status = t->train(&data, &options, &mem, &model, &info);
    if (out->status < 0) {
        if (memcmp(&model, &before, sizeof model) != 0) { return "a failure touched the model"; }
        if (memcmp(&info, &out->info, sizeof info) != 0) { return "a failure touched the info"; }
        return mem.low == 0 && mem.high == mem.size ? NULL : "a failure kept memory";
    }
    if (margin_model_check(&model) != MARGIN_OK) { return "the model fails its check"; }
    const margin_vote *vote = margin_model_vote(&model);
    out->info = info;
    out->told = told;
    out->scheme = vote->scheme;
    out->machines = margin_machines(vote->scheme, vote->classes);
    if (out->machines > MACHINES) { return "too many machines"; }
    for (size_t i = 0; i < PROBES; i++) {
        margin_real *scores = out->score + i * out->machines;
        out->label[i] = (uint16_t)margin_classify(&model, p->probe + i * D, scores);
        margin_scores(&model, p->probe + i * D, scores);
        for (size_t m = 0; m < out->machines; m++) {
            if (!isfinite((double)scores[m])) { return "a score is not finite"; }
        }
    }
    return isfinite((double)info.objective) ? NULL : "the objective is not finite";
}

#define RUN(t, p, held, out)                                                                       \
    do {                                                                                           \
        const char *wrong = run(t, p, held, out);                                                  \
        if (wrong != NULL) {                                                                       \
            printf("%s: %s\n", (t)->name, wrong);                                                  \
            FAILm(wrong);                                                                          \
        }                                                                                          \
    } while (0)

/* ---- how far two outcomes are apart ---------------------------------------------------------------- */

/* The largest difference of two scores, of the largest score. */
static double apart(const outcome *a, const outcome *b) {
    double most = 0, size = 0;
    for (size_t i = 0; i < PROBES * a->machines; i++) {
        const double gap = fabs((double)a->score[i] - (double)b->score[i]);
        most = gap > most ? gap : most;
        size = fabs((double)a->score[i]) > size ? fabs((double)a->score[i]) : size;
    }
    return size > 0 ? most / size : most;
}

static size_t other_labels(const outcome *a, const outcome *b) {
    size_t count = 0;
    for (size_t i = 0; i < PROBES; i++) { count += a->label[i] != b->label[i]; }
    return count;
}

/* Labels turned around, k - 1 for 0 and so on, in an outcome: machines for pairs of classes, and those of classes in order,
 * change sign and places; those of classes change places. */
static void flip_back(outcome *o, size_t classes) {
    const outcome before = *o;
    const bool classwise =
        o->scheme == MARGIN_SCHEME_ONE_REST || o->scheme == MARGIN_SCHEME_NEAREST;
    for (size_t i = 0; i < PROBES; i++) {
        for (size_t m = 0; m < o->machines; m++) {
            const margin_real score = before.score[i * o->machines + o->machines - 1u - m];
            o->score[i * o->machines + m] = classwise ? score : -score;
        }
        o->label[i] = (uint16_t)(classes - 1u - before.label[i]);
    }
}

/* Scores less that of the first probe: what a machine says apart from its threshold. */
static void without_thresholds(outcome *o) {
    for (size_t i = PROBES * o->machines; i > 0; i--) {
        o->score[i - 1u] -= o->score[(i - 1u) % o->machines];
    }
}

/* `room` is added to what rounding and iterations may cost. */
static const char *judge(unsigned level, const outcome *a, const outcome *b, double room) {
    static const double limit[] = {0, PICK(1e-3, 1e-9), PICK(3e-2, 1e-5)};
    if (level == ANY) { return NULL; }
    if ((a->status < 0) != (b->status < 0)) { return "one fails, the other does not"; }
    if (a->status < 0) { return a->status == b->status ? NULL : "other failures"; }
    if (a->machines != b->machines) { return "other machines"; }
    if (level == NEAR) { return other_labels(a, b) <= PROBES / 3 ? NULL : "other answers"; }
    return apart(a, b) <= limit[level] + room ? NULL : "other scores";
}

#define JUDGE(t, level, a, b, room)                                                                \
    do {                                                                                           \
        const char *wrong = judge(level, a, b, room);                                              \
        if (wrong != NULL) {                                                                       \
            printf("%s: %s (%g)\n", (t)->name, wrong, apart(a, b));                                \
            FAILm(wrong);                                                                          \
        }                                                                                          \
    } while (0)

static problem first, second;
static outcome plain, changed;

/* ---- the same problem in other words --------------------------------------------------------------- */

static void scale(problem *p, margin_real unit) {
    p->unit *= unit;
    for (size_t i = 0; i < p->n * D; i++) { p->x[i] *= unit; }
    for (size_t i = 0; i < PROBES * D; i++) { p->probe[i] *= unit; }
}

/* Scores in the unit of the features, or its square, back in units of 1. */
static void scale_back(outcome *o, margin_real unit, int power) {
    for (size_t i = 0; i < PROBES * o->machines; i++) {
        for (int k = 0; k < power; k++) { o->score[i] /= unit; }
    }
}

static void swap_rows(problem *p, size_t i, size_t j) {
    const margin_real target = p->targets[i], weight = p->weight[i];
    const uint16_t y = p->y[i];
    for (size_t k = 0; k < D; k++) {
        const margin_real a = p->x[i * D + k];
        p->x[i * D + k] = p->x[j * D + k];
        p->x[j * D + k] = a;
    }
    p->targets[i] = p->targets[j];
    p->weight[i] = p->weight[j];
    p->y[i] = p->y[j];
    p->targets[j] = target;
    p->weight[j] = weight;
    p->y[j] = y;
}

static void permute(problem *p, margin_rng *rng) {
    for (size_t i = p->n - 1u; i > 0; i--) {
        swap_rows(p, i, margin_rng_below(rng, (uint32_t)i + 1u));
    }
}

/* The samples as often as their weights say, one after the other. */
static void copy_rows(problem *p, const problem *from) {
    *p = *from;
    p->n = 0;
    p->weighted = false;
    for (size_t i = 0; i < from->n; i++) {
        for (unsigned c = 0; c < (unsigned)from->weight[i]; c++, p->n++) {
            memcpy(p->x + p->n * D, from->x + i * D, D * sizeof p->x[0]);
            p->targets[p->n] = from->targets[i];
            p->y[p->n] = from->y[i];
            p->weight[p->n] = 1;
        }
    }
}

static void flip(problem *p) {
    p->flipped = true;
    for (size_t i = 0; i < p->n; i++) {
        p->y[i] = (uint16_t)(p->classes - 1u - p->y[i]);
        p->targets[i] = -p->targets[i];
    }
}

/* x becomes x - 2 (x.u) u for a u of length one: a mirror, which leaves all products as they are. */
static void mirror(margin_real *x, size_t n) {
    static const margin_real u[D] = {REAL(2) / 7, REAL(3) / 7, REAL(6) / 7};
    for (size_t i = 0; i < n; i++, x += D) {
        const margin_real along = 2 * (x[0] * u[0] + x[1] * u[1] + x[2] * u[2]);
        for (size_t k = 0; k < D; k++) { x[k] -= along * u[k]; }
    }
}

#define EACH(t, seed)                                                                              \
    for (const trainer *t = trainers; t < trainers + TRAINERS; t++)                                \
        for (uint32_t seed = 0; seed < TRIALS(SEEDS); seed++)
enum { SEEDS = 8, NUMBERED = 3 };

TEST another_unit_of_the_features_is_the_same_problem(void) {
    static const margin_real units[] = {4, REAL(0.125), 1024, REAL(0.0009765625)};
    EACH(t, seed) {
        make_problem(&first, t, seed);
        second = first;
        scale(&second, units[seed % 4u]);
        RUN(t, &first, 0, &plain);
        RUN(t, &second, 0, &changed);
        scale_back(&changed, units[seed % 4u], t->power);
        JUDGE(t, t->scaled, &plain, &changed, 0);
    }
    PASS();
}

TEST the_order_of_rows_does_not_matter(void) {
    EACH(t, seed) {
        margin_rng rng = margin_rng_make(100u + seed);
        make_problem(&first, t, seed);
        second = first;
        permute(&second, &rng);
        RUN(t, &first, 0, &plain);
        RUN(t, &second, 0, &changed);
        JUDGE(t, t->permuted, &plain, &changed, 0);
    }
    PASS();
}

TEST a_weight_of_two_is_two_equal_samples(void) {
    EACH(t, seed) {
        make_problem(&first, t, seed);
        first.weighted = true;
        for (size_t i = 0; i < N; i++) {
            first.weight[i] = (margin_real)(1u + (i + seed) % COPIES);
        }
        copy_rows(&second, &first);
        RUN(t, &first, 0, &plain);
        RUN(t, &second, 0, &changed);
        JUDGE(t, t->copied, &plain, &changed, 0);
    }
    PASS();
}

TEST classes_turned_around_turn_the_scores_around(void) {
    EACH(t, seed) {
        make_problem(&first, t, seed);
        second = first;
        flip(&second);
        RUN(t, &first, 0, &plain);
        RUN(t, &second, 0, &changed);
        if (t->train != train_oneclass) { flip_back(&changed, t->classes); }
        if (t->train == train_omam ||
            t->train == train_lssvm) { /* equally good ones are not unique */
            without_thresholds(&plain);
            without_thresholds(&changed);
        }
        JUDGE(t, t->flipped, &plain, &changed, 0);
    }
    PASS();
}

TEST a_rotation_is_the_same_problem(void) {
    EACH(t, seed) {
        make_problem(&first, t, seed);
        second = first;
        mirror(second.x, N);
        mirror(second.probe, PROBES);
        RUN(t, &first, 0, &plain);
        RUN(t, &second, 0, &changed);
        JUDGE(t, t->rotated, &plain, &changed, 0);
    }
    PASS();
}

static void move(problem *p, margin_real by) {
    for (size_t i = 0; i < p->n * D; i++) { p->x[i] += by; }
    for (size_t i = 0; i < PROBES * D; i++) { p->probe[i] += by; }
}

/* What a machine sees of a sample that is far from the origin is rounded: scores lose EPS times the distance, and kernel values
 * of rbf EPS times its square. Where nothing would be left of these, a trainer has to say so. Those of a linear kernel measure
 * the samples from their mean, and so do balls. */
TEST samples_far_from_the_origin_are_the_same_problem(void) {
    static const margin_real far[] = {64, -2048, 32768, -1048576};
    EACH(t, seed) {
        const double by = fabs((double)far[seed % 4u]);
        const double room =
            (double)PICK(FLT_EPSILON, DBL_EPSILON) * (t->moved == 2 ? 64 * by * by : 16 * by);
        make_problem(&first, t, seed);
        second = first;
        move(&second, far[seed % 4u]);
        RUN(t, &first, 0, &plain);
        RUN(t, &second, 0, &changed);
        if (t->moved == 2 && room > 1) { ASSERTm(t->name, changed.status < 0); }
        if (changed.status < 0 && room > (t->moved == 2 ? 1e-3 : 1)) { continue; }
        const bool done = plain.info.converged && changed.info.converged;
        JUDGE(t, t->moved == 0 || room > 1 ? ANY : done ? SOLVED : NEAR, &plain, &changed, room);
    }
    PASS();
}

/* seco computes with products of the samples as they are. It said `converged` with a violation of 1e3. */
TEST seco_says_when_rounding_keeps_it_from_the_tolerance(void) {
    static const trainer linear = LINE(seco, seco, 2, 0, BITS, NEAR, NEAR, NEAR, NEAR, 0);
    static const margin_real far[] = {0, 64, 2048, 32768};
    for (uint32_t seed = 0; seed < 8u; seed++) {
        make_problem(&first, &linear, seed);
        move(&first, far[seed % 4u]);
        RUN(&linear, &first, 0, &plain);
        ASSERT(plain.status >= 0);
        ASSERT(!plain.info.converged || plain.info.violation <= PICK(1e-3, 1e-6));
        ASSERT(plain.info.converged || seed % 4u > 0);
    }
    PASS();
}

/* Features of units far apart: the condition of their covariance is 1, 1e4, 1e8 and 1e12. A rotation then spreads the rounding
 * of the largest feature over all of them: 200 EPS times the condition is what it may cost, so that in float nothing is left
 * of the question from 1e8 on but that a model passes its check. Steps of tangents, which fall into the plane of the large
 * features or not, and local minima promise nothing. */
TEST ill_conditioned_features_are_endured(void) {
    static const double condition[] = {1, 1e4, 1e8, 1e12};
    EACH(t, seed) {
        const double room = 200 * (double)PICK(FLT_EPSILON, DBL_EPSILON) * condition[seed % 4u];
        const margin_real shrink = REAL(1 / sqrt(sqrt(condition[seed % 4u])));
        const bool steep = t->train == train_proto || t->train == train_loss || room > 1;
        make_problem(&first, t, seed);
        for (size_t i = 0; i < N + PROBES; i++) {
            margin_real *x = i < N ? first.x + i * D : first.probe + (i - N) * D;
            x[1] *= shrink;
            x[2] *= shrink * shrink;
        }
        second = first;
        mirror(second.x, N);
        mirror(second.probe, PROBES);
        RUN(t, &first, 0, &plain);
        RUN(t, &second, 0, &changed);
        JUDGE(t, steep ? ANY : t->rotated, &plain, &changed, room);
    }
    PASS();
}

/* What each line gives in double for the first problems: its objective, a sum of scores with fixed signs, what its report
 * says, and how many iterations it took. Whoever changes a
 * method on purpose takes the line that the test prints. compact is not among them: it is at work. */
typedef struct {
    const char *name;
    double objective, scores, told; /* told: of the report, and of the margins */
    size_t iterations;
} number;
static const number numbers[] = {
#include "torture_numbers.inc"
};

static double sum_of_scores(const outcome *o) {
    double sum = 0;
    for (size_t i = 0; i < PROBES * o->machines; i++) {
        sum += (i * i % 7u % 2u == 0 ? 1.0 : -0.5) * (double)o->score[i];
    }
    return sum;
}

/* The margins of the info beside what the report told. */
static double all_told(const outcome *o) {
    double sum = o->told + (double)o->info.margin_min / 3 + (double)o->info.margin_mean / 5 +
                 (double)o->info.support / 7 + (double)o->info.bias / 11;
    for (size_t i = 0; i < 5u; i++) {
        sum += (double)o->info.margin_quantile[i] / (double)(13u + i);
    }
    return sum;
}

/* In float only what has one optimum can be compared. */
static bool as_known(const trainer *t, const outcome *o, const number *known) {
    static const double limit[] = {0, PICK(1e-3, 1e-9), PICK(3e-2, 1e-9), 1e-9, 1e-9};
    const double near = limit[t->rotated];
    double most = 0;
    for (size_t i = 0; i < PROBES * o->machines; i++) {
        most = fmax(most, fabs((double)o->score[i]));
    }
    if (sizeof(margin_real) == sizeof(float) && t->rotated >= NEAR) { return true; }
    return strcmp(known->name, t->name) == 0 &&
           fabs((double)o->info.objective - known->objective) <= near * fabs(known->objective) &&
           fabs(sum_of_scores(o) - known->scores) <= 10 * near * most &&
           (sizeof(margin_real) == sizeof(float) ||
            (o->info.iterations == known->iterations &&
             fabs(all_told(o) - known->told) <= 1e-8 * (1 + fabs(known->told))));
}

TEST float_and_double_agree_and_stay_as_they_were(void) {
    const number none = {"", 0, 0, 0, 0};
    size_t others = 0, at = 0;
    for (const trainer *t = trainers; t < trainers + TRAINERS; t++) {
        if (t->train == train_compact) { continue; }
        for (uint32_t seed = 0; seed < NUMBERED; seed++, at++) {
            make_problem(&first, t, seed);
            RUN(t, &first, 0, &plain);
            if (!as_known(t, &plain,
                          at < sizeof numbers / sizeof numbers[0] ? numbers + at : &none)) {
                printf("{\"%s\", %.12g, %.12g, %.12g, %zu},\n", t->name,
                       (double)plain.info.objective, sum_of_scores(&plain), all_told(&plain),
                       plain.info.iterations);
                others++;
            }
        }
    }
    ASSERT_EQ_FMT((size_t)0, others, "%zu");
    PASS();
}

/* ---- faults ---------------------------------------------------------------------------------------- */

TEST what_the_memory_held_does_not_matter(void) {
    EACH(t, seed) {
        make_problem(&first, t, seed);
        RUN(t, &first, 0x00, &plain);
        RUN(t, &first, 0xFF, &changed);
        ASSERT_EQm(t->name, 0, memcmp(&plain, &changed, sizeof plain));
    }
    PASS();
}

/* What learns one sample at a time, in memory that held `held`: scores of the probes, and thresholds. */
static bool on_line(const problem *p, int held, margin_real *out) {
    const margin_mam_options options = {{0, 0, 0, 0, 0}, true, true, MARGIN_SCHEME_ONE_ONE};
    margin_mam_online mam;
    margin_omam_online omam;
    margin_oneclass_online normal;
    margin_linear model[2];
    bool good = true;
    memset(bytes, held, sizeof bytes);
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    good = good && margin_mam_online_start(&mam, D, 3, &options, &mem) == MARGIN_OK;
    good = good && margin_omam_online_start(&omam, D, 3, &mem) == MARGIN_OK;
    good = good && margin_oneclass_online_start(&normal, D, NULL, &mem) == MARGIN_OK;
    for (size_t i = 0; good && i < N; i++) {
        const margin_real *x = p->x + i * D;
        good = margin_mam_online_add(&mam, x, p->y[i], p->weight[i]) == MARGIN_OK &&
               margin_omam_online_add(&omam, x, p->y[i], p->weight[i]) == MARGIN_OK &&
               margin_oneclass_online_add(&normal, x, NULL) == MARGIN_OK;
    }
    for (size_t i = 0; good && i < N / 4; i++) {
        const margin_real *x = p->x + i * D;
        good = margin_mam_online_forget(&mam, x, p->y[i], p->weight[i]) == MARGIN_OK &&
               margin_omam_online_forget(&omam, x, p->y[i], p->weight[i]) == MARGIN_OK;
    }
    good = good && margin_mam_online_model(&mam, &model[0]) == MARGIN_OK;
    good = good && margin_omam_online_model(&omam, &model[1]) == MARGIN_OK;
    for (size_t i = 0; good && i < PROBES; i++, out += 6) {
        margin_linear_scores(&model[0], p->probe + i * D, out);
        margin_linear_scores(&model[1], p->probe + i * D, out + 3);
        out[5] = margin_oneclass_online_distance(&normal, p->probe + i * D) - normal.threshold;
    }
    return good;
}

/* Also: what is left after forgetting is what batch training makes of the samples that are left. */
TEST what_the_memory_held_does_not_matter_on_line(void) {
    static margin_real zeros[PROBES * 6], ones[PROBES * 6];
    for (uint32_t seed = 0; seed < TRIALS(SEEDS); seed++) {
        make_problem(&first, trainers + 1,
                     seed); /* mam_even: three classes, with the same options */
        ASSERT(on_line(&first, 0x00, zeros) && on_line(&first, 0xFF, ones));
        ASSERT_EQ(0, memcmp(zeros, ones, sizeof zeros));
        for (size_t i = N / 4; i < N; i++) { swap_rows(&first, i - N / 4, i); }
        first.n = N - N / 4;
        RUN(trainers + 1, &first, 0, &plain);
        for (size_t i = 0; i < PROBES; i++) {
            for (size_t m = 0; m < 3u; m++) {
                ASSERT_IN_RANGE((double)plain.score[3 * i + m], (double)zeros[6 * i + m],
                                100 * (double)PICK(FLT_EPSILON, DBL_EPSILON));
            }
        }
    }
    PASS();
}

static bool stop_at(void *user, const margin_progress *at) {
    size_t *left = (size_t *)user;
    (void)at;
    return --*left == 0;
}

/* At the first call of progress, at the second, and so on; further apart where there are many. */
TEST a_training_that_is_stopped_at_any_call_has_a_model(void) {
    EACH(t, seed) {
        bool heard = true;
        make_problem(&first, t, seed);
        RUN(t, &first, 0, &plain);
        for (size_t call = 1; heard; call += 1u + call / 16u) {
            size_t left = call;
            first.watch.progress = stop_at;
            first.watch.user = &left;
            RUN(t, &first, 0xFF, &changed);
            heard = left == 0;
            /* A stop that comes when all is done already does no harm. */
            ASSERTm(t->name, !heard || changed.status < 0 || changed.status == MARGIN_W_STOPPED ||
                                 changed.status == plain.status);
        }
    }
    PASS();
}

static bool listen(void *user, const margin_progress *at) {
    bool *sound = (bool *)user;
    *sound = *sound && at->machine < at->machines && at->violation >= 0 && at->goal >= 0;
    return false;
}

/* Machines are counted, violations are numbers and not negative, and who listens changes nothing. */
TEST what_progress_is_told_makes_sense(void) {
    EACH(t, seed) {
        bool sound = true;
        make_problem(&first, t, seed);
        RUN(t, &first, 0, &plain);
        first.watch.progress = listen;
        first.watch.user = &sound;
        RUN(t, &first, 0, &changed);
        ASSERTm(t->name, sound);
        ASSERT_EQm(t->name, 0, memcmp(&plain, &changed, sizeof plain));
    }
    PASS();
}

TEST no_number_that_is_none_gets_through(void) {
    static const margin_real none[] = {REAL(NAN), REAL(INFINITY), -REAL(INFINITY)};
    for (const trainer *t = trainers; t < trainers + TRAINERS; t++) {
        for (size_t i = 0; i < N * (D + 2u); i++) {
            margin_status expected = MARGIN_E_NOT_FINITE;
            make_problem(&first, t, 0);
            first.weighted = true;
            if (i < N * D) {
                first.x[i] = none[i % 3u];
            } else if (i < N * (D + 1u)) {
                first.weight[i - N * D] = none[i % 3u];
                expected = MARGIN_E_LABEL;
            } else if (t->train == train_svr || strstr(t->name, "ranks") != NULL) {
                first.targets[i - N * (D + 1u)] = none[i % 3u];
            } else {
                break; /* has no targets */
            }
            RUN(t, &first, 0, &plain);
            ASSERT_EQ_FMTm(t->name, (int)expected, (int)plain.status, "%d");
        }
    }
    PASS();
}

SUITE(torture_suite) {
    RUN_TEST(another_unit_of_the_features_is_the_same_problem);
    RUN_TEST(the_order_of_rows_does_not_matter);
    RUN_TEST(a_weight_of_two_is_two_equal_samples);
    RUN_TEST(classes_turned_around_turn_the_scores_around);
    RUN_TEST(a_rotation_is_the_same_problem);
    RUN_TEST(samples_far_from_the_origin_are_the_same_problem);
    RUN_TEST(seco_says_when_rounding_keeps_it_from_the_tolerance);
    RUN_TEST(ill_conditioned_features_are_endured);
    RUN_TEST(float_and_double_agree_and_stay_as_they_were);
    RUN_TEST(what_the_memory_held_does_not_matter);
    RUN_TEST(what_the_memory_held_does_not_matter_on_line);
    RUN_TEST(a_training_that_is_stopped_at_any_call_has_a_model);
    RUN_TEST(what_progress_is_told_makes_sense);
    RUN_TEST(no_number_that_is_none_gets_through);
}
