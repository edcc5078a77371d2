/* Regression: against a slow reference, by hand, with degenerate inputs; units of the target; intervals. */
#include "arena_sweep.h"
#include "solver_cases.h"

typedef struct {
    margin_status status;
    margin_model model;
    margin_info info;
    margin_svr_report report;
    solver_memory memory;
} svr_result;

static svr_result svr_run(const margin_data *data, const margin_svr_options *o) {
    svr_result r;
    memset(&r, 0, sizeof r);
    r.memory = solver_memory_make(margin_svr_train_size(data->n, data->d, 1, o));
    r.status = margin_svr_train(data, o, &r.memory.mem, &r.model, &r.info, &r.report);
    return r;
}

/* Every sample twice, negative and positive, as LIBSVM has them. */
static void svr_programme(const solver_case *c, const margin_svr_options *o, qp_reference *q) {
    const size_t n = c->data.n;
    qp_reference one;
    case_programme(c, &one);
    memset(q, 0, sizeof *q);
    q->n = 2 * n;
    q->c = 1;
    q->by_class = o->loss == MARGIN_SVR_NU;
    for (size_t i = 0; i < q->n; i++) {
        const long double epsilon = q->by_class ? 0 : (long double)o->epsilon;
        q->y[i] = i < n ? -1 : 1;
        q->cap[i] = (long double)o->c * (long double)c->weight[i % n];
        q->sum += (long double)o->nu * q->cap[i] / 4;
        q->lin[i] = (long double)o->targets[i % n] - q->y[i] * epsilon;
        for (size_t j = 0; j < q->n; j++) { q->k[i][j] = one.k[i % n][j % n]; }
    }
}

/* Of equal samples those with larger targets have the larger coefficients. */
static void svr_sort_equal(const solver_case *c, const margin_real *targets, long double *b) {
    const size_t d = c->data.d;
    for (size_t pass = 0; pass < c->data.n; pass++) {
        for (size_t i = 0; i < c->data.n; i++) {
            for (size_t j = 0; j < i; j++) {
                const long double other = b[j];
                if (memcmp(c->x + i * d, c->x + j * d, d * sizeof *c->x) == 0 &&
                    (targets[i] - targets[j]) * (margin_real)(b[i] - other) < 0) {
                    b[j] = b[i];
                    b[i] = other;
                }
            }
        }
    }
}

/* Bounds, sum and optimality conditions of the coefficients: they are those of an epsilon, given or
 * found, and with nu no more weight than that is used. Rounding: a gradient is a sum of at most CASE_N
 * terms b_i k(x_i, x_j), each of which is off by a few EPS of its size, less a target, which is measured
 * in units of `size` from a mean that cancels. So it is off by less than 64 EPS (|b|_1 max k + size). */
static enum greatest_test_res svr_check_kkt(const solver_case *c, const margin_svr_options *o,
                                            const svr_result *r, long double allowed,
                                            long double size) {
    const size_t n = c->data.n;
    solver_case all = *c;
    margin_svr_options own = *o;
    long double b[CASE_N], twice[2 * CASE_N], sum = 0, mass = 0, most = 0;
    qp_reference q;
    own.loss = MARGIN_SVR_EPSILON;
    own.epsilon = r->report.epsilon;
    svr_programme(c, &own, &q);
    for (size_t i = 0; i < n; i++) { all.y[i] = r->model.of.expansion.class_end[0] > 0 ? 0 : 1; }
    ASSERT(case_coefficients(&all, &r->model.of.expansion, b));
    svr_sort_equal(c, o->targets, b);
    for (size_t i = 0; i < n; i++) {
        ASSERT(fabsl(b[i]) <= q.cap[i] * (1 + 64 * CASE_EPS) || c->kind == CASE_WEIGHTS);
        if (fabsl(b[i]) > q.cap[i] * (1 - 64 * CASE_EPS)) { b[i] = copysignl(q.cap[i], b[i]); }
        twice[i] = fminl(b[i], 0);
        twice[n + i] = fmaxl(b[i], 0);
        sum += b[i];
        mass += fabsl(b[i]);
        most += q.cap[i];
    }
    ASSERT_IN_RANGE(0, (double)sum, (double)(64 * CASE_EPS * mass) + (double)(CASE_TOL * most));
    allowed += 64 * CASE_EPS * (mass * case_peak(&q) + size);
    if (c->kind != CASE_WEIGHTS) { ASSERT(qp_violation(&q, twice) <= allowed); }
    if (o->loss == MARGIN_SVR_NU) { /* the search ends where it is met by four tolerances */
        ASSERT(mass <= (long double)o->nu * most * (1 + 4 * CASE_TOL + 64 * CASE_EPS));
    }
    PASS();
}

static enum greatest_test_res svr_check(int kind, uint32_t seed, int *sharp) {
    static const double prices[] = {0.1, 1, 30}, widths[] = {0, 0.05, 0.5, 3};
    solver_case c = case_make(kind, seed);
    margin_real targets[CASE_N];
    uint32_t random = seed;
    margin_svr_options o;
    long double gap, best, rounding, size = 0;
    qp_reference q;
    svr_result r;
    case_settle(&c);
    memset(&o, 0, sizeof o);
    for (size_t i = 0; i < c.data.n; i++) {
        targets[i] = 100 + 2 * case_real(&random);
        size = fmaxl(size, fabsl((long double)targets[i] - 100));
    }
    o.kernel = c.kernel;
    o.targets = targets;
    o.loss = (uint8_t)(seed % 2u);
    o.c = (margin_real)prices[seed % 3];
    o.epsilon = widths[seed % 4] > 0 ? (margin_real)widths[seed % 4] : MARGIN_ZERO;
    o.nu = (margin_real)(seed % 5 == 0 ? 1 : 0.3);
    o.run.tol = (margin_real)CASE_TOL;
    svr_programme(&c, &o, &q);
    gap = qp_solve(&q, 100000);
    best = qp_objective(&q, q.b);
    rounding = 1024 * CASE_EPS *
               (case_peak(&q) * (long double)(o.c * o.c) + size * (long double)o.c) *
               (long double)c.data.n;
    *sharp += gap <= CASE_FIT * fabsl(best);
    r = svr_run(&c.data, &o);
    if (c.kind == CASE_LARGE && o.loss == MARGIN_SVR_NU && r.status == MARGIN_W_ITERATIONS) {
        free(r.memory.bytes); /* features of 1e6: the weights that must cancel are all rounding */
        PASS();
    }
    ASSERT(case_is_settled(r.status));
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check(&r.model), "%d");
    ASSERT_IN_RANGE((double)best, (double)r.info.objective,
                    (double)(CASE_FIT * fabsl(best) + gap + rounding));
    ASSERT((long double)(r.info.objective - r.info.gap) <=
           best + rounding + CASE_FIT * fabsl(best) + gap);
    if (o.loss == MARGIN_SVR_EPSILON) {
        ASSERT_IN_RANGE(widths[seed % 4], (double)r.report.epsilon, 1e-5);
    }
    if (r.model.kind == MARGIN_MODEL_EXPANSION) {
        /* An epsilon that is found is as good as the objective. */
        const long double first = o.loss == MARGIN_SVR_NU ? sqrtl(CASE_TOL) : 8 * CASE_TOL;
        CHECK_CALL(svr_check_kkt(&c, &o, &r, first * size, size));
    }
    free(r.memory.bytes);
    PASS();
}

TEST random_problems_of_every_kind_reach_the_reference_optimum(void) {
    int sharp = 0;
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        for (uint32_t seed = 1; seed <= TRIALS(24); seed++) {
            const enum greatest_test_res res = svr_check(kind, seed, &sharp);
            if (res != GREATEST_TEST_RES_PASS) {
                fprintf(GREATEST_STDOUT, "%s, seed %u\n", case_names[kind], (unsigned)seed);
                return res;
            }
        }
    }
    ASSERT(sharp > (int)TRIALS(24) * CASE_KINDS / 3); /* the reference is worth something */
    PASS();
}

/* ---- a smooth function of two features ---- */

#define MANY 120

static margin_real smooth_x[2 * MANY * 2], smooth_t[2 * MANY];

static margin_data smooth_data(uint32_t seed, margin_real noise) {
    margin_data data = {NULL, MANY, 2, 0, NULL, NULL, NULL};
    margin_rng rng = margin_rng_make(seed);
    for (size_t i = 0; i < 2 * MANY; i++) {
        margin_real *x = smooth_x + 2 * i;
        x[0] = margin_rng_normal(&rng);
        x[1] = margin_rng_normal(&rng);
        smooth_t[i] = 50 * x[0] - 20 * x[1] + 1000 + noise * margin_rng_normal(&rng);
    }
    data.x = smooth_x;
    return data;
}

static margin_svr_options smooth_options(size_t k) {
    margin_svr_options o;
    memset(&o, 0, sizeof o);
    o.targets = smooth_t;
    o.loss = (uint8_t)(k / 2u);
    o.kernel.kind = k % 2u == 1u ? MARGIN_KERNEL_RBF : MARGIN_KERNEL_LINEAR;
    o.kernel.gamma = (margin_real)0.1;
    return o;
}

/* A plane without noise is found by all losses; its slopes and its height have the units of the
 * target. */
TEST answers_are_in_units_of_the_target(void) {
    for (size_t k = 0; k < 6u; k += 2u) {
        const margin_data data = smooth_data(4, 0);
        margin_svr_options o = smooth_options(k);
        svr_result r;
        o.c = 10000;
        o.epsilon = MARGIN_ZERO;
        r = svr_run(&data, &o);
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
        ASSERT_EQ(MARGIN_MODEL_LINEAR, r.model.kind);
        ASSERT_EQ_FMT(1, (int)r.model.of.linear.vote.classes, "%d");
        ASSERT_IN_RANGE(50, (double)r.model.of.linear.w[0], 0.5);
        ASSERT_IN_RANGE(-20, (double)r.model.of.linear.w[1], 0.5);
        ASSERT_IN_RANGE(1000, (double)r.model.of.linear.bias[0], 0.5);
        free(r.memory.bytes);
    }
    PASS();
}

/* Other units of the target change the answers by nothing but these units. */
TEST units_of_the_target_do_not_matter(void) {
    const margin_data data = smooth_data(6, 5);
    margin_real scaled[2 * MANY];
    for (size_t k = 0; k < 6u; k++) {
        margin_svr_options o = smooth_options(k);
        svr_result a = svr_run(&data, &o), b;
        for (size_t i = 0; i < 2 * MANY; i++) { scaled[i] = smooth_t[i] * 1024 - 4096; }
        o.targets = scaled;
        b = svr_run(&data, &o);
        ASSERT(a.status >= 0 && b.status >= 0);
        for (size_t i = 0; i < 2 * MANY; i++) {
            margin_real one, other;
            margin_scores(&a.model, smooth_x + 2 * i, &one);
            margin_scores(&b.model, smooth_x + 2 * i, &other);
            ASSERT_IN_RANGE((double)one, ((double)other + 4096) / 1024, 0.5);
        }
        free(a.memory.bytes);
        free(b.memory.bytes);
    }
    PASS();
}

/* Least squares are those of the normal equations: for one feature, by hand. */
TEST least_squares_of_one_feature_are_known(void) {
    static const margin_real x[4] = {0, 1, 2, 3}, t[4] = {1, 3, 2, 6};
    const margin_data data = {x, 4, 1, 0, NULL, NULL, NULL};
    margin_svr_options o;
    svr_result r;
    memset(&o, 0, sizeof o);
    o.targets = t;
    o.loss = MARGIN_SVR_SQUARES;
    o.c = (margin_real)0.2; /* sum xx = 5 about the mean, sum xt = 7: w = 7 / (5 + 1 / c) */
    r = svr_run(&data, &o);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
    ASSERT_IN_RANGE(0.7, (double)r.model.of.linear.w[0], 1e-5);
    ASSERT_IN_RANGE(3 - 0.7 * 1.5, (double)r.model.of.linear.bias[0], 1e-5);
    free(r.memory.bytes);
    PASS();
}

/* nu: no larger share is beyond epsilon, no smaller one has a weight. */
TEST nu_bounds_the_shares_of_errors_and_of_vectors(void) {
    const margin_data data = smooth_data(9, 30);
    margin_svr_options o = smooth_options(3);
    svr_result r;
    size_t beyond = 0;
    o.nu = (margin_real)0.4;
    r = svr_run(&data, &o);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
    for (size_t i = 0; i < MANY; i++) {
        margin_real f;
        margin_scores(&r.model, smooth_x + 2 * i, &f);
        beyond += fabs((double)(f - smooth_t[i])) > (double)r.report.epsilon * 1.01 + 0.1;
    }
    ASSERT((double)beyond <= 0.4 * MANY);
    ASSERT((double)r.info.support >= 0.4 * MANY);
    free(r.memory.bytes);
    PASS();
}

/* Intervals hold targets not seen, but for the share asked for: over 20 sets within four deviations. */
/* How many trainings there were, and how many samples the last one had. It moves all features, which
 * neither loss nor kernel can see. */
typedef struct {
    size_t calls, last;
} parts_told;

static void count_part(void *user, const margin_data *part) {
    parts_told *told = (parts_told *)user;
    told->calls++;
    told->last = part->n;
    for (size_t i = 0; i < 2u * MANY; i++) { smooth_x[i] += 1; }
}

TEST features_may_be_scaled_by_the_samples_that_a_fold_leaves(void) {
    for (size_t k = 1; k < 6u; k += 2u) {
        margin_svr_options o = smooth_options(k);
        parts_told told = {0, 0};
        margin_data data = smooth_data(3, 30);
        svr_result a, b;
        o.outside = (margin_real)0.2;
        o.folds = 5;
        a = svr_run(&data, &o);
        o.part = count_part;
        o.part_user = &told;
        data = smooth_data(3, 30);
        b = svr_run(&data, &o);
        ASSERT(a.status >= 0 && b.status == a.status);
        ASSERT(told.calls == 6u && told.last == MANY);
        ASSERT_IN_RANGE((double)a.report.half, (double)b.report.half, 0.01 * (double)a.report.half);
        free(a.memory.bytes), free(b.memory.bytes);
    }
    PASS();
}

TEST intervals_hold_what_they_promise(void) {
    for (size_t k = 0; k < 6u; k++) {
        double outside = 0;
        for (uint32_t seed = 1; seed <= 8; seed++) {
            const margin_data data = smooth_data(seed, 30);
            margin_svr_options o = smooth_options(k);
            svr_result r;
            o.outside = (margin_real)0.2;
            r = svr_run(&data, &o);
            ASSERT(r.status >= 0);
            ASSERT_IN_RANGE(0.2, (double)r.report.promised, 1.0 / MANY);
            for (size_t i = MANY; i < 2 * MANY; i++) {
                margin_real f;
                margin_scores(&r.model, smooth_x + 2 * i, &f);
                outside += fabs((double)(f - smooth_t[i])) > (double)r.report.half;
            }
            free(r.memory.bytes);
        }
        outside /= 8 * MANY;
        ASSERT_IN_RANGE(0.2, outside, 4 * sqrt(0.16 * 2 / (8.0 * MANY)) + 1.0 / MANY);
    }
    PASS();
}

/* ---- arguments, degenerate inputs, memory ---- */

static enum greatest_test_res svr_refused(const margin_data *data, const margin_svr_options *o,
                                          margin_status expected, bool sized) {
    static unsigned char bytes[1 << 19];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_model model;
    ASSERT_EQ_FMT((int)expected, (int)margin_svr_train(data, o, &mem, &model, NULL, NULL), "%d");
    ASSERT_EQ_FMT((size_t)0, mem.low, "%zu");
    ASSERT_EQ_FMT(mem.size, mem.high, "%zu");
    if (sized) { ASSERT_EQ_FMT((size_t)0, margin_svr_train_size(data->n, data->d, 1, o), "%zu"); }
    PASS();
}

TEST what_is_out_of_its_range_is_refused(void) {
    static const margin_real same[MANY] = {0};
    margin_data data = smooth_data(1, 1);
    margin_svr_options o;
#define BAD(change, expected, sized)                                                               \
    do {                                                                                           \
        o = smooth_options(0);                                                                     \
        change;                                                                                    \
        CHECK_CALL(svr_refused(&data, &o, expected, sized));                                       \
    } while (0)
    CHECK_CALL(svr_refused(NULL, NULL, MARGIN_E_ARGUMENT, false));
    CHECK_CALL(svr_refused(&data, NULL, MARGIN_E_ARGUMENT, false));
    BAD(o.targets = NULL, MARGIN_E_ARGUMENT, false);
    BAD(o.targets = same, MARGIN_E_NO_ORDER, false);
    BAD(o.loss = 9, MARGIN_E_ARGUMENT, true);
    BAD(o.c = -1, MARGIN_E_ARGUMENT, true);
    BAD(o.c = (margin_real)INFINITY, MARGIN_E_ARGUMENT, true);
    BAD(o.epsilon = -1, MARGIN_E_ARGUMENT, true);
    BAD(o.epsilon = (margin_real)NAN, MARGIN_E_ARGUMENT, true);
    BAD(o.epsilon = (margin_real)INFINITY, MARGIN_E_ARGUMENT, true);
    BAD(o.outside = -1, MARGIN_E_ARGUMENT, true);
    BAD(o.nu = 2, MARGIN_E_ARGUMENT, true);
    BAD(o.nu = -1, MARGIN_E_ARGUMENT, true);
    BAD(o.outside = 1, MARGIN_E_ARGUMENT, true);
    BAD(o.folds = MANY + 1, MARGIN_E_ARGUMENT, true);
    BAD(o.kernel.kind = 99, MARGIN_E_ARGUMENT, true);
    BAD(o.run.tol = (margin_real)NAN, MARGIN_E_ARGUMENT, true);
    data.n = 0;
    BAD(o.c = 1, MARGIN_E_EMPTY, false);
    data.n = MANY;
    smooth_t[3] = (margin_real)INFINITY;
    BAD(o.c = 1, MARGIN_E_NOT_FINITE, false);
    data = smooth_data(1, 1);
    smooth_x[3] = (margin_real)NAN;
    BAD(o.c = 1, MARGIN_E_NOT_FINITE, false);
    ASSERT_EQ_FMT((size_t)0, margin_svr_train_size(0, 3, 1, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_svr_train_size(SIZE_MAX, 3, 1, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_svr_train_size(9, 3, 0, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_svr_train_size(9, 3, MARGIN_REJECTED, NULL), "%zu");
    data = smooth_data(1, 1);
    smooth_x[3] =
        (margin_real)(sizeof(margin_real) > 4 ? 1e154 : 1e19); /* its square is too large */
    BAD(o.kernel.kind = MARGIN_KERNEL_LINEAR, MARGIN_E_RANGE, false);
    BAD((o.kernel.kind = MARGIN_KERNEL_LINEAR, o.outside = (margin_real)0.1), MARGIN_E_RANGE,
        false);
    PASS();
}

/* Equal inputs, two samples: the answer is between the targets. */
TEST degenerate_samples_have_a_middle(void) {
    static const margin_real same[4] = {7, 7, 7, 7}, t[4] = {1, 2, 3, 4};
    for (size_t k = 0; k < 4u; k++) {
        for (size_t n = 2; n <= 4u; n++) {
            const margin_data data = {same, n, 1, 0, NULL, NULL, NULL};
            margin_svr_options o = smooth_options(k);
            margin_real f;
            svr_result r;
            o.targets = t;
            r = svr_run(&data, &o);
            ASSERT(r.status >= 0);
            margin_scores(&r.model, same, &f);
            ASSERT(f >= 1 && f <= t[n - 1u]);
            free(r.memory.bytes);
        }
    }
    PASS();
}

TEST macros_are_the_queries(void) {
    margin_svr_options o;
    memset(&o, 0, sizeof o);
    ASSERT_EQ_FMT(margin_svr_train_size(50, 7, 1, &o) + MARGIN_ALIGN - 1u,
                  (size_t)MARGIN_SVR_LINEAR_BYTES(50, 7, 0), "%zu");
    ASSERT_EQ_FMT(margin_svr_train_size(5, 12, 1, &o) + MARGIN_ALIGN - 1u,
                  (size_t)MARGIN_SVR_LINEAR_BYTES(5, 12, 0), "%zu");
    o.kernel.kind = MARGIN_KERNEL_RBF;
    o.run.cache_bytes = 2000;
    ASSERT_EQ_FMT(margin_svr_train_size(50, 7, 1, &o) + MARGIN_ALIGN - 1u,
                  (size_t)MARGIN_SVR_KERNEL_BYTES(50, 7, 2000), "%zu");
    PASS();
}

typedef struct {
    margin_svr_options o;
    margin_data data;
    margin_model model;
    margin_info info;
} svr_problem;

static margin_status svr_operation(margin_arena *mem, void *problem) {
    svr_problem *p = (svr_problem *)problem;
    memset(&p->model, 0, sizeof p->model);
    memset(&p->info, 0, sizeof p->info);
    return margin_svr_train(&p->data, &p->o, mem, &p->model, &p->info, NULL);
}

TEST every_size_of_the_arena_of_every_loss(void) {
    for (size_t k = 0; k < 12u; k++) {
        svr_problem p;
        memset(&p, 0, sizeof p);
        p.data = smooth_data(2, 1);
        p.data.n = 9;
        p.o = smooth_options(k % 6u);
        p.o.outside = k < 6u ? 0 : (margin_real)0.3;
        p.o.folds = k < 6u ? 0 : 3;
        p.o.run.cache_bytes = 1;
        CHECK_CALL(arena_sweep(svr_operation, &p, margin_svr_train_size(9, 2, 1, &p.o), &p.model,
                               sizeof p.model + sizeof p.info));
    }
    PASS();
}

/* The number of rows held and the rank for the interior point do not change the result. */
TEST memory_for_rows_and_a_rank_give_the_same_optimum(void) {
    const margin_data data = smooth_data(12, 10);
    margin_svr_options o = smooth_options(1);
    svr_result a, b, c;
    o.run.tol = (margin_real)CASE_TOL;
    a = svr_run(&data, &o);
    o.run.cache_bytes = 1;
    b = svr_run(&data, &o);
    o.run.rank = 20;
    c = svr_run(&data, &o);
    ASSERT(a.status >= 0 && b.status >= 0 && c.status >= 0);
    ASSERT(a.info.objective == b.info.objective);
    ASSERT_IN_RANGE((double)a.info.objective, (double)c.info.objective,
                    CASE_FIT * fabs((double)a.info.objective));
    free(a.memory.bytes);
    free(b.memory.bytes);
    free(c.memory.bytes);
    PASS();
}

/* The search for the epsilon of a nu ends where it is told to, with a model that can be used. */
static bool stop_at_once(void *user, const margin_progress *at) {
    (void)at;
    ++*(int *)user;
    return true;
}

TEST the_search_for_epsilon_can_be_stopped(void) {
    const margin_data data = smooth_data(5, 30);
    margin_svr_options o = smooth_options(3);
    int calls = 0;
    svr_result r;
    ASSERT_EQ(MARGIN_SVR_NU, o.loss);
    o.watch.progress = stop_at_once;
    o.watch.user = &calls;
    r = svr_run(&data, &o);
    ASSERT_EQ_FMT((int)MARGIN_W_STOPPED, (int)r.status, "%d");
    ASSERT(calls == 1 && !r.info.converged);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check(&r.model), "%d");
    free(r.memory.bytes);
    o.watch.progress = NULL;
    o.run.max_iterations = 3;
    r = svr_run(&data, &o);
    ASSERT_EQ_FMT((int)MARGIN_W_ITERATIONS, (int)r.status, "%d");
    ASSERT(!r.info.converged && r.info.iterations <= 3u);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check(&r.model), "%d");
    free(r.memory.bytes);
    PASS();
}

/* All targets but a few lie on a line within a thousandth of their deviation: so does epsilon, below all
 * that the search tries before 0. A nu of 0.9 wants nine tenths of the samples at the edge or beyond. */
TEST an_epsilon_near_zero_is_found(void) {
    margin_data data = smooth_data(8, 1);
    margin_real t[MANY];
    margin_svr_options o = smooth_options(3);
    uint32_t state = 3;
    size_t beyond = 0, inside = 0;
    svr_result r;
    for (size_t i = 0; i < MANY; i++) {
        t[i] = 1000 * smooth_x[2 * i] + (margin_real)0.3 * case_real(&state);
    }
    o.kernel.kind = MARGIN_KERNEL_LINEAR;
    o.loss = MARGIN_SVR_NU;
    o.nu = (margin_real)0.5;
    o.c = 1000;
    o.targets = t;
    r = svr_run(&data, &o);
    ASSERT(r.status >= 0);
    ASSERT(r.report.epsilon > 0 && r.report.epsilon < (margin_real)0.3);
    for (size_t i = 0; i < MANY; i++) {
        margin_real f;
        margin_scores(&r.model, smooth_x + 2 * i, &f);
        const double off = fabs((double)(f - t[i]));
        beyond += off > (double)r.report.epsilon + 0.05;
        inside += off < (double)r.report.epsilon - 0.05;
    }
    ASSERT((double)beyond <= 0.5 * MANY && (double)inside <= 0.5 * MANY);
    free(r.memory.bytes);
    PASS();
}

/* More samples, each of them twice, than parts are made for, though svr makes none: a known plane. */
TEST many_samples_find_the_plane(void) {
    enum { N = 4200 };
    static margin_real x[N], t[N];
    const margin_data data = {x, N, 1, 0, NULL, NULL, NULL};
    uint32_t state = 11;
    margin_svr_options o;
    svr_result r;
    memset(&o, 0, sizeof o);
    for (size_t i = 0; i < N; i++) {
        x[i] = case_real(&state);
        t[i] = 7 + 3 * x[i] + (margin_real)0.01 * case_real(&state);
    }
    o.targets = t;
    r = svr_run(&data, &o);
    ASSERT(case_is_settled(r.status));
    ASSERT_IN_RANGE(3, (double)r.model.of.linear.w[0], 0.3);
    ASSERT_IN_RANGE(7, (double)r.model.of.linear.bias[0], 0.05);
    free(r.memory.bytes);
    PASS();
}

/* Kernel values between samples that overflow: of x and -x the square of -2 x^2. */
TEST values_that_overflow_are_out_of_range(void) {
    const margin_real side = (margin_real)(sizeof(margin_real) > 4u ? 1e80 : 1e10);
    const margin_real x[4] = {side, -side, side, -side}, t[4] = {1, 2, 3, 5};
    const margin_data data = {x, 4, 1, 0, NULL, NULL, NULL};
    for (unsigned form = 0; form < 4u; form++) {
        margin_svr_options o;
        svr_result r;
        memset(&o, 0, sizeof o);
        o.targets = t;
        o.kernel.kind = MARGIN_KERNEL_POLY;
        o.kernel.degree = 2;
        o.kernel.coef0 = -side * side;
        o.loss = form % 2u == 1u ? MARGIN_SVR_NU : MARGIN_SVR_EPSILON;
        o.run.rank = form / 2u;
        r = svr_run(&data, &o);
        ASSERT_EQ_FMT((int)MARGIN_E_RANGE, (int)r.status, "%d");
        ASSERT(r.memory.mem.low == 0);
        free(r.memory.bytes);
    }
    PASS();
}

SUITE(svr_suite) {
    RUN_TEST(values_that_overflow_are_out_of_range);
    RUN_TEST(many_samples_find_the_plane);
    RUN_TEST(the_search_for_epsilon_can_be_stopped);
    RUN_TEST(an_epsilon_near_zero_is_found);
    RUN_TEST(random_problems_of_every_kind_reach_the_reference_optimum);
    RUN_TEST(answers_are_in_units_of_the_target);
    RUN_TEST(units_of_the_target_do_not_matter);
    RUN_TEST(least_squares_of_one_feature_are_known);
    RUN_TEST(nu_bounds_the_shares_of_errors_and_of_vectors);
    RUN_TEST(features_may_be_scaled_by_the_samples_that_a_fold_leaves);
    RUN_TEST(intervals_hold_what_they_promise);
    RUN_TEST(what_is_out_of_its_range_is_refused);
    RUN_TEST(degenerate_samples_have_a_middle);
    RUN_TEST(macros_are_the_queries);
    RUN_TEST(every_size_of_the_arena_of_every_loss);
    RUN_TEST(memory_for_rows_and_a_rank_give_the_same_optimum);
}
