/* Given error rates: by hand, against a slow solver of the dual, by the optimality conditions, and what
 * happens at the edges. */
#include "arena_sweep.h"
#include "solver_cases.h"

#ifdef MARGIN_REAL_DOUBLE
#define NEAR 1e-9  /* numbers that a hand calculation gives */
#define CLOSE 2e-6 /* objectives, relatively, against the slow solver */
#define TIGHT 1e-9 /* constraints */
#else
#define NEAR 2e-4
#define CLOSE 2e-2
#define TIGHT 1e-2
#endif

typedef struct {
    margin_status status;
    margin_model model;
    margin_info info;
    margin_rates_report report;
    solver_memory memory;
} rates_result;

static margin_rates_options rates_options(double eta_pos, double eta_neg) {
    margin_rates_options o;
    memset(&o, 0, sizeof o);
    o.eta_pos = (margin_real)eta_pos;
    o.eta_neg = (margin_real)eta_neg;
    return o;
}

static rates_result rates_run(const margin_data *data, margin_rates_options o) {
    rates_result r;
    memset(&r, 0, sizeof r);
    r.memory = solver_memory_make(margin_rates_train_size(data->n, data->d, 2, &o));
    r.status = margin_rates_train(data, &o, &r.memory.mem, &r.model, &r.info, &r.report);
    return r;
}

static rates_result rates_run_moments(const margin_real *mean, const margin_real *cov, size_t d,
                                      margin_rates_options o) {
    const margin_rates_moments moments = {mean, cov, d};
    rates_result r;
    memset(&r, 0, sizeof r);
    r.memory = solver_memory_make(margin_rates_train_moments_size(d, &o));
    r.status =
        margin_rates_train_moments(&moments, &o, &r.memory.mem, &r.model, &r.info, &r.report);
    return r;
}

static double kappa_of(double eta) {
    return sqrt((1 - eta) / eta);
}

static bool near(double expected, margin_real got) {
    return fabs((double)got - expected) <= NEAR * (1 + fabs(expected));
}

/* ---- by hand ---- */

/* In one dimension w (D - k_pos s_pos - k_neg s_neg) = 2. */
TEST one_feature_is_solved_by_one_division(void) {
    static const margin_real mean[2] = {-1, 3}, cov[2] = {(margin_real)0.25, 1};
    const rates_result r = rates_run_moments(mean, cov, 1, rates_options(0.2, 0.5)); /* k = 2, 1 */
    const double w = 2 / (4 - 2 * 1 - 1 * 0.5), b = w * 3 - 1 - 2 * 1 * w;
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
    ASSERT_EQ_FMT((int)MARGIN_MODEL_LINEAR, (int)r.model.kind, "%d");
    ASSERT(near(w, r.model.of.linear.w[0]));
    ASSERT(near(-b, r.model.of.linear.bias[0]));
    ASSERT(near(w * w / 2, r.info.objective));
    ASSERT(near(2.5 / 4, r.report.p_star));
    ASSERT(near(4 / 2.5, r.report.touch));
    ASSERT(near(1 / (1 + 3.2 * 3.2), r.report.eta_pos_touch));
    ASSERT(near(1 / (1 + 1.6 * 1.6), r.report.eta_neg_touch));
    ASSERT(near(2, r.report.kappa_pos) && near(1, r.report.kappa_neg));
    ASSERT(near(w, r.report.spread_pos) && near(w / 2, r.report.spread_neg));
    ASSERT(near(0, r.report.slack_pos) && near(0, r.report.slack_neg));
    ASSERT(near(1, r.report.condition_pos) && near(1, r.report.condition_neg));
    ASSERT_EQ_FMT((size_t)1, r.report.rank, "%zu");
    ASSERT(r.report.feasible && r.info.converged);
    free(r.memory.bytes);
    PASS();
}

/* Two circles: the nearest points lie on the line of centres. */
TEST circles_are_separated_along_the_line_of_centres(void) {
    static const margin_real mean[4] = {1, 2, 4, 6}; /* D = (3, 4) */
    static const margin_real cov[8] = {1, 0, 0, 1, 4, 0, 0, 4};
    const rates_result r = rates_run_moments(mean, cov, 2, rates_options(0.5, 0.5));
    const double length = 2 / (5 - 1 * 2 - 1 * 1.0);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
    ASSERT(near(length * 3 / 5, r.model.of.linear.w[0]));
    ASSERT(near(length * 4 / 5, r.model.of.linear.w[1]));
    ASSERT(near(3.0 / 5, r.report.p_star));
    free(r.memory.bytes);
    PASS();
}

/* The positive class is a line along the first axis, the negative one a point: min |(1 - q, 1)| over
 * |q| <= k. With k >= 1 the optimum has no part along the line at all, whatever k. */
TEST at_the_apex_all_samples_of_a_class_score_alike(void) {
    static const margin_real mean[4] = {0, 0, 1, 1};
    static const margin_real cov[8] = {0, 0, 0, 0, 1, 0, 0, 0};
    static const double etas[3] = {0.4, 0.1, 0.001};
    for (size_t i = 0; i < 3u; i++) {
        const rates_result r = rates_run_moments(mean, cov, 2, rates_options(etas[i], 0.3));
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
        ASSERT(fabs((double)r.model.of.linear.w[0]) < NEAR);
        ASSERT(near(2, r.model.of.linear.w[1]));
        ASSERT(near(2, r.info.objective));
        ASSERT(near(0, r.report.spread_pos));
        ASSERT(r.report.p_star < NEAR);
        ASSERT_EQ_FMTm("singular", 0.0, (double)r.report.condition_pos, "%g");
        free(r.memory.bytes);
    }
    PASS();
}

/* The same with k = 1/2: y = (1/2, 1). */
TEST below_the_apex_the_constraint_binds(void) {
    static const margin_real mean[4] = {0, 0, 1, 1};
    static const margin_real cov[8] = {0, 0, 0, 0, 1, 0, 0, 0};
    const rates_result r = rates_run_moments(mean, cov, 2, rates_options(0.8, 0.3));
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
    ASSERT(near(2 * 0.5 / 1.25, r.model.of.linear.w[0]));
    ASSERT(near(2 * 1.0 / 1.25, r.model.of.linear.w[1]));
    free(r.memory.bytes);
    PASS();
}

TEST with_rates_of_one_only_the_means_count(void) {
    static const margin_real mean[4] = {0, 1, 3, 5}; /* D = (3, 4) */
    static const margin_real cov[8] = {1, 0, 0, 2, 3, 1, 1, 4};
    const rates_result r = rates_run_moments(mean, cov, 2, rates_options(1, 1));
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
    ASSERT(near(6.0 / 25, r.model.of.linear.w[0]) && near(8.0 / 25, r.model.of.linear.w[1]));
    ASSERT(near(-(8.0 / 25 - (-1)), r.model.of.linear.bias[0])); /* w.(0, 1) - b = -1 */
    ASSERT_EQ_FMT(0.0, (double)r.report.p_star, "%g");
    free(r.memory.bytes);
    PASS();
}

TEST rates_that_cannot_be_had_are_told_with_those_that_can(void) {
    static const margin_real mean[2] = {0, 2}, cov[2] = {1, 1};
    const rates_result r = rates_run_moments(mean, cov, 1, rates_options(0.2, 0.2)); /* k = 2, 2 */
    ASSERT_EQ_FMT((int)MARGIN_E_INFEASIBLE, (int)r.status, "%d");
    ASSERT_FALSE(r.report.feasible);
    ASSERT(near(2, r.report.p_star) && near(0.5, r.report.touch));
    ASSERT(near(0.5, r.report.eta_pos_touch) && near(0.5, r.report.eta_neg_touch)); /* k = 1, 1 */
    ASSERT_EQ_FMTm("model and info are untouched", 0, (int)r.model.kind, "%d");
    ASSERT_EQ_FMT(0.0, (double)r.info.objective, "%g");
    ASSERT_EQ_FMT((size_t)0, r.memory.mem.low, "%zu");
    ASSERT_EQ_FMT(r.memory.mem.size, r.memory.mem.high, "%zu");
    free(r.memory.bytes);
    PASS();
}

/* Just inside and just outside: k_pos + k_neg = 2 s, D = 2. */
TEST the_border_is_found_to_rounding(void) {
    static const margin_real mean[2] = {0, 2}, cov[2] = {1, 1};
    const double inside = 1 - 4e-4, outside = 1 + 4e-4;
    const rates_result in =
        rates_run_moments(mean, cov, 1, rates_options(1 / (1 + inside * inside), 0.5));
    const rates_result out =
        rates_run_moments(mean, cov, 1, rates_options(1 / (1 + outside * outside), 0.5));
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)in.status, "%d");
    ASSERT_EQ_FMT((int)MARGIN_E_INFEASIBLE, (int)out.status, "%d");
    free(in.memory.bytes);
    free(out.memory.bytes);
    PASS();
}

/* k_neg = (D - k_pos s_pos) / s_neg. */
TEST the_frontier_of_one_feature_is_a_line_in_kappa(void) {
    static const margin_real x[4] = {(margin_real)-1.5, (margin_real)-0.5, 2, 4};
    static const uint16_t y[4] = {0, 0, 1, 1};
    static const margin_real eta_pos[5] = {1, (margin_real)0.5, (margin_real)0.1, (margin_real)0.06,
                                           (margin_real)0.01};
    const margin_data data = {x, 4, 1, 0, y, NULL, NULL};
    const margin_rates_options o = rates_options(0, 0);
    solver_memory m = solver_memory_make(margin_rates_train_size(4, 1, 2, &o));
    margin_real eta_neg[5];
    ASSERT_EQ_FMT((int)MARGIN_OK,
                  (int)margin_rates_frontier(&data, &o, &m.mem, eta_pos, eta_neg, 5), "%d");
    for (size_t i = 0; i < 5u; i++) {
        const double k = fmax(0, (4 - kappa_of((double)eta_pos[i])) / 0.5);
        ASSERT(near(1 / (1 + k * k), eta_neg[i]));
    }
    ASSERT_EQ_FMTm("none can be had", 1.0, (double)eta_neg[4], "%g");
    ASSERT_EQ_FMT((size_t)0, m.mem.low, "%zu");
    free(m.bytes);
    PASS();
}

/* ---- the slow solver: the dual in the coefficients of the samples ---- */

typedef struct {
    size_t n;
    double k[CASE_N][CASE_N];
    double share[CASE_N]; /* of a sample in its class */
    int sign[CASE_N];
    double kappa[2];
} slow_problem;

static void slow_make(slow_problem *s, const solver_case *c, double eta_pos, double eta_neg) {
    double sum[2] = {0, 0}, mean[CASE_D] = {0};
    const size_t d = c->data.d;
    s->n = c->data.n;
    s->kappa[0] = kappa_of(eta_neg);
    s->kappa[1] = kappa_of(eta_pos);
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < d; j++) { mean[j] += (double)c->x[i * d + j] / (double)s->n; }
    }
    for (size_t i = 0; i < s->n; i++) {
        s->sign[i] = c->y[i] == 1 ? 1 : -1;
        sum[c->y[i]] += (double)c->weight[i];
        for (size_t h = 0; h < s->n; h++) {
            s->k[i][h] = 0;
            for (size_t j = 0; j < d; j++) {
                s->k[i][h] +=
                    ((double)c->x[i * d + j] - mean[j]) * ((double)c->x[h * d + j] - mean[j]);
            }
            if (c->kernel.kind != MARGIN_KERNEL_LINEAR) {
                s->k[i][h] = (double)margin_kernel_value(&c->kernel, c->x + i * d, c->x + h * d, d);
            }
        }
    }
    for (size_t i = 0; i < s->n; i++) { s->share[i] = (double)c->weight[i] / sum[c->y[i]]; }
}

/* |y|^2 of y = D - Z'q for q = kappa u, and Z y in zy. */
static double slow_residual(const slow_problem *s, const double *u, double *zy) {
    double b[CASE_N], f[CASE_N], sum[2] = {0, 0}, mean[2] = {0, 0}, square = 0;
    for (size_t i = 0; i < s->n; i++) {
        const int c = s->sign[i] > 0;
        sum[c] += sqrt(s->share[i]) * s->kappa[c] * u[i];
    }
    for (size_t i = 0; i < s->n; i++) {
        const int c = s->sign[i] > 0;
        b[i] = s->share[i] * (s->sign[i] + sum[c]) - sqrt(s->share[i]) * s->kappa[c] * u[i];
    }
    for (size_t i = 0; i < s->n; i++) {
        f[i] = 0;
        for (size_t h = 0; h < s->n; h++) { f[i] += s->k[i][h] * b[h]; }
        square += b[i] * f[i];
        mean[s->sign[i] > 0] += s->share[i] * f[i];
    }
    for (size_t i = 0; i < s->n; i++) { zy[i] = sqrt(s->share[i]) * (f[i] - mean[s->sign[i] > 0]); }
    return fmax(square, 0);
}

/* The least distance found by accelerated projected gradients with restarts: an upper bound of it. */
static double slow_distance(const slow_problem *s) {
    double u[CASE_N] = {0}, at[CASE_N] = {0}, zy[CASE_N], best = HUGE_VAL, last = HUGE_VAL;
    double lipschitz = 1e-300, momentum = 1;
    for (size_t i = 0; i < s->n; i++) {
        const double k = s->kappa[s->sign[i] > 0];
        lipschitz += k * k * s->share[i] * 4 * s->k[i][i];
    }
    for (int step = 0; step < 20000; step++) {
        double next[CASE_N], size[2] = {0, 0}, now, faster;
        (void)slow_residual(s, at, zy);
        for (size_t i = 0; i < s->n; i++) {
            const int c = s->sign[i] > 0;
            next[i] = at[i] + s->kappa[c] * zy[i] / lipschitz;
            size[c] += next[i] * next[i];
        }
        for (size_t i = 0; i < s->n; i++) { next[i] /= fmax(1, sqrt(size[s->sign[i] > 0])); }
        now = slow_residual(s, next, zy);
        faster = now > last ? 1 : (1 + sqrt(1 + 4 * momentum * momentum)) / 2;
        for (size_t i = 0; i < s->n; i++) {
            at[i] = next[i] + (now > last ? 0 : (momentum - 1) / faster) * (next[i] - u[i]);
            u[i] = next[i];
        }
        momentum = faster;
        last = now;
        best = fmin(best, now);
    }
    return sqrt(best);
}

/* The scores of a model on its training samples: the mean of those of a class is w.m - b, their deviation sqrt(w'S w). What is left
 * of [3.14], and the shares that are wrong. */
typedef struct {
    double mean[2], spread[2], slack[2], error[2];
} score_moments;

static score_moments moments_of_scores(const solver_case *c, const slow_problem *s,
                                       const margin_model *model) {
    score_moments m = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    double f[CASE_N];
    for (size_t i = 0; i < s->n; i++) {
        margin_real score;
        margin_scores(model, c->x + i * c->data.d, &score);
        f[i] = (double)score;
        m.mean[c->y[i]] += s->share[i] * f[i];
        m.error[c->y[i]] += (f[i] > 0) != (c->y[i] == 1) ? s->share[i] : 0;
    }
    for (size_t i = 0; i < s->n; i++) {
        m.spread[c->y[i]] += s->share[i] * (f[i] - m.mean[c->y[i]]) * (f[i] - m.mean[c->y[i]]);
    }
    for (size_t k = 0; k < 2u; k++) {
        m.spread[k] = sqrt(m.spread[k]);
        m.slack[k] = (k == 1u ? m.mean[1] : -m.mean[0]) - 1 - s->kappa[k] * m.spread[k];
    }
    return m;
}

/* The least slack, relative to the mean. */
static double worst_slack(const score_moments *m) {
    return fmin(m->slack[0] / (1 + fabs(m->mean[0])), m->slack[1] / (1 + fabs(m->mean[1])));
}

/* Whether the report says the same. */
static bool report_tells(const margin_rates_report *r, const score_moments *m) {
    const double told[2][3] = {{(double)r->spread_neg, (double)r->slack_neg, (double)r->error_neg},
                               {(double)r->spread_pos, (double)r->slack_pos, (double)r->error_pos}};
    bool right = true;
    for (size_t k = 0; k < 2u; k++) {
        const double room = TIGHT * 10 * (1 + fabs(m->mean[k]));
        right = right && fabs(told[k][0] - m->spread[k]) <= room &&
                fabs(told[k][1] - m->slack[k]) <= room && fabs(told[k][2] - m->error[k]) <= 1e-5;
    }
    return right;
}

/* The longest sample: what counts as no distance is measured by it. */
static double slow_size(const slow_problem *s) {
    double size = 0;
    for (size_t i = 0; i < s->n; i++) { size = fmax(size, sqrt(s->k[i][i])); }
    return size;
}

static enum greatest_test_res check_case(const solver_case *c, double eta_pos, double eta_neg) {
    margin_rates_options o = rates_options(eta_pos, eta_neg);
    slow_problem slow;
    rates_result r;
    double distance;
    o.kernel = c->kernel;
    slow_make(&slow, c, eta_pos, eta_neg);
    distance = slow_distance(&slow);
    r = rates_run(&c->data, o);
    ASSERTm(margin_status_text(r.status), r.status >= 0 || r.status == MARGIN_E_INFEASIBLE ||
                                              r.status == MARGIN_E_NO_DIRECTION ||
                                              r.status == MARGIN_E_NO_CONVERGENCE);
    ASSERT(r.report.factorisations <= 40u);
    if (r.status >= 0) {
        const double objective = 2 / (distance * distance);
        const double gap = (double)r.info.gap / (double)r.info.objective;
        ASSERTm("|w| is too large", (double)r.info.objective <= objective * (1 + CLOSE + 2 * gap) ||
                                        distance <= 2e-2 * slow_size(&slow));
        const score_moments scores = moments_of_scores(c, &slow, &r.model);
        ASSERTm("the rates are not kept to",
                worst_slack(&scores) > -TIGHT || distance <= 2e-2 * slow_size(&slow));
        ASSERTm("the report",
                report_tells(&r.report, &scores) || distance <= 2e-2 * slow_size(&slow));
        ASSERTm("k",
                near(slow.kappa[1], r.report.kappa_pos) && near(slow.kappa[0], r.report.kappa_neg));
        ASSERTm("the optimality conditions", r.status > 0 || gap < 64 * sqrt(CASE_EPS) * 2);
        ASSERTm("stationarity", r.status > 0 || (double)r.info.violation < 64 * sqrt(CASE_EPS));
        ASSERTm("feasible", r.report.feasible && r.report.p_star < 1);
    } else {
        ASSERTm("there is a solution", distance <= 2e-2 * slow_size(&slow));
    }
    free(r.memory.bytes);
    PASS();
}

TEST all_kinds_of_cases_agree_with_a_slow_solver(void) {
    static const double etas[6][2] = {{0.9, 0.9}, {0.5, 0.3}, {0.2, 0.7},
                                      {1, 0.4},   {0.05, 1},  {0.1, 0.1}};
    char what[80];
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        for (uint32_t seed = 0; seed < 12u; seed++) {
            solver_case c = case_make(kind, seed);
            const double *eta = etas[seed % 6u];
            enum greatest_test_res res;
            case_settle(&c);
            (void)snprintf(what, sizeof what, "%s, seed %u", case_names[kind], (unsigned)seed);
            res = check_case(&c, eta[0], eta[1]);
            if (res != GREATEST_TEST_RES_PASS) { fprintf(stderr, "%s\n", what); }
            CHECK_CALL(res);
        }
    }
    PASS();
}

/* ---- one problem in several ways ---- */

#define CLOUD_N 40
#define CLOUD_D 5

/* Two clouds of numbers of their own, `apart` from each other; feature j is stretched by 1 + j. */
typedef struct {
    margin_real x[CLOUD_N * CLOUD_D];
    uint16_t y[CLOUD_N];
    margin_real weight[CLOUD_N];
    margin_data data;
} cloud;

static void cloud_make(cloud *c, size_t n, size_t d, double apart, uint32_t seed) {
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < n; i++) {
        c->y[i] = (uint16_t)(i % 3u == 0);
        c->weight[i] = (margin_real)(1u + i % 3u);
        for (size_t j = 0; j < d; j++) {
            const double shift = c->y[i] == 1 ? apart : 0;
            c->x[i * d + j] =
                (margin_real)(((double)case_real(&seed) + (double)case_real(&seed) + shift) *
                              (double)(1u + j));
        }
    }
    c->data.x = c->x;
    c->data.y = c->y;
    c->data.n = n;
    c->data.d = d;
}

/* Largest difference of the scores of two models on the samples, relative to their size. */
static double apart_scores(const margin_data *data, const margin_model *a, const margin_model *b) {
    double worst = 0;
    for (size_t i = 0; i < data->n; i++) {
        margin_real one, two;
        margin_scores(a, data->x + i * data->d, &one);
        margin_scores(b, data->x + i * data->d, &two);
        worst = fmax(worst, fabs((double)one - (double)two) / (1 + fabs((double)one)));
    }
    return worst;
}

TEST data_and_its_moments_give_the_same_machine(void) {
    const margin_rates_options o = rates_options(0.3, 0.5);
    unsigned char bytes[MARGIN_DATA_MOMENTS_BYTES(CLOUD_D) + MARGIN_ALIGN];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_real weight[2], mean[2 * CLOUD_D], cov[2 * CLOUD_D * CLOUD_D];
    rates_result one, two;
    cloud c;
    cloud_make(&c, CLOUD_N, CLOUD_D, 1.5, 5);
    ASSERT_EQ(MARGIN_OK, margin_data_moments(&c.data, 2, &mem, weight, mean, cov));
    one = rates_run(&c.data, o);
    two = rates_run_moments(mean, cov, CLOUD_D, o);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)one.status, "%d");
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)two.status, "%d");
    for (size_t j = 0; j < CLOUD_D; j++) {
        ASSERT_EQ(one.model.of.linear.w[j], two.model.of.linear.w[j]);
    }
    ASSERT_EQ(one.model.of.linear.bias[0], two.model.of.linear.bias[0]);
    ASSERT_EQ_FMT(0.0, (double)two.report.error_pos, "%g");
    free(one.memory.bytes);
    free(two.memory.bytes);
    PASS();
}

/* Through the features, through the kernel matrix of poly of degree 1 (which is low-rank), and, with more
 * features than samples, through the matrix of products. */
TEST a_linear_machine_is_the_same_by_features_and_by_kernel(void) {
    static const size_t sizes[3] = {CLOUD_N, 7, 5};
    for (size_t k = 0; k < 3u; k++) {
        margin_rates_options o = rates_options(0.4, 0.6);
        rates_result by_features, by_kernel;
        cloud c;
        cloud_make(&c, sizes[k], CLOUD_D, 2, 9);
        by_features = rates_run(&c.data, o);
        o.kernel.kind = MARGIN_KERNEL_POLY;
        o.kernel.degree = 1;
        o.kernel.gamma = 1;
        by_kernel = rates_run(&c.data, o);
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)by_features.status, "%d");
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)by_kernel.status, "%d");
        ASSERT_EQ_FMT((int)MARGIN_MODEL_LINEAR, (int)by_features.model.kind, "%d");
        ASSERT_EQ_FMT((int)MARGIN_MODEL_EXPANSION, (int)by_kernel.model.kind, "%d");
        ASSERT(apart_scores(&c.data, &by_features.model, &by_kernel.model) < 1e2 * CASE_EPS);
        ASSERT(by_features.info.violation < 64 * CASE_EPS);
        ASSERT(by_kernel.info.violation < 64 * CASE_EPS);
        ASSERT(near((double)by_features.info.objective, by_kernel.info.objective));
        if (k == 0) {
            ASSERT_EQ_FMTm("pivots suffice", (size_t)CLOUD_D, by_kernel.info.support, "%zu");
        }
        free(by_features.memory.bytes);
        free(by_kernel.memory.bytes);
    }
    PASS();
}

/* Every feature twice: the covariances are singular, and the samples sqrt(2) times as long, so that 1/2 |w|^2
 * is half of what it was; feasibility is the same. */
TEST features_given_twice_share_their_weights(void) {
    margin_real twice[CLOUD_N * 2 * CLOUD_D];
    const margin_rates_options o = rates_options(0.4, 0.5);
    rates_result one, two;
    margin_data data;
    cloud c;
    cloud_make(&c, CLOUD_N, CLOUD_D, 1.5, 5);
    for (size_t i = 0; i < CLOUD_N * CLOUD_D; i++) { twice[2u * i] = twice[2u * i + 1u] = c.x[i]; }
    data = c.data;
    data.x = twice;
    data.d = (size_t)2 * CLOUD_D;
    one = rates_run(&c.data, o);
    two = rates_run(&data, o);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)one.status, "%d");
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)two.status, "%d");
    ASSERT(near((double)one.info.objective / 2, two.info.objective));
    ASSERT(near((double)one.report.p_star, two.report.p_star));
    ASSERT_EQ_FMTm("regular", true, one.report.condition_pos > 0, "%d");
    ASSERT_EQ_FMTm("singular", 0.0, (double)two.report.condition_pos, "%g");
    for (size_t j = 0; j < CLOUD_D; j++) {
        ASSERT(near((double)one.model.of.linear.w[j] / 2, two.model.of.linear.w[2u * j]));
        ASSERT(near((double)one.model.of.linear.w[j] / 2, two.model.of.linear.w[2u * j + 1u]));
    }
    free(one.memory.bytes);
    free(two.memory.bytes);
    PASS();
}

/* More features than samples: any rates can be had, and as they fall the samples of a class score ever more
 * alike, 1 and -1 in the end. */
TEST with_more_features_than_samples_any_rates_can_be_had(void) {
    enum { FEW = 6, MANY = 30 };
    margin_real x[FEW * MANY];
    uint16_t y[FEW];
    margin_data data;
    uint32_t seed = 5;
    memset(&data, 0, sizeof data);
    for (size_t i = 0; i < FEW; i++) {
        y[i] = (uint16_t)(i % 2u);
        for (size_t j = 0; j < MANY; j++) { x[i * MANY + j] = case_real(&seed); }
    }
    data.x = x;
    data.y = y;
    data.n = FEW;
    data.d = MANY;
    for (unsigned solver = 0; solver < 2u; solver++) {
        margin_rates_options o = rates_options(1e-4, 1e-4);
        const margin_real eta_pos = o.eta_pos;
        margin_real eta_neg = 1, score;
        rates_result r;
        solver_memory m;
        o.solver = (uint8_t)solver;
        o.max_iterations = 100;
        r = rates_run(&data, o);
        ASSERT(solver == 0 ? r.status == MARGIN_OK : r.status >= 0 && r.report.ridge > 0);
        ASSERT_EQ_FMT((size_t)FEW - 1u, r.report.rank, "%zu");
        ASSERT(r.report.p_star <
               (solver == 0 ? 0.01 : 1)); /* iter needs a ridge, and 100 roots of it are wide */
        for (size_t i = 0; i < FEW && solver == 0; i++) {
            margin_scores(&r.model, x + i * MANY, &score);
            ASSERT(near(y[i] == 1 ? 1 : -1, score));
        }
        m = solver_memory_make(margin_rates_train_size(FEW, MANY, 2, &o));
        ASSERT_EQ(MARGIN_OK, margin_rates_frontier(&data, &o, &m.mem, &eta_pos, &eta_neg, 1));
        ASSERT(eta_neg < 1e-4);
        free(m.bytes);
        free(r.memory.bytes);
    }
    PASS();
}

TEST weights_count_as_copies(void) {
    static const unsigned kinds[2] = {MARGIN_KERNEL_LINEAR, MARGIN_KERNEL_RBF};
    for (size_t k = 0; k < 2u; k++) {
        margin_rates_options o = rates_options(0.3, 0.5);
        margin_index rows[CLOUD_N * 3];
        rates_result weighted, copied;
        margin_data copies;
        cloud c;
        size_t n = 0;
        cloud_make(&c, 15, 3, 2, 21);
        for (size_t i = 0; i < 15u; i++) {
            for (size_t copy = 0; copy <= i % 3u; copy++) { rows[n++] = (margin_index)i; }
        }
        copies = c.data;
        copies.rows = rows;
        copies.n = n;
        c.data.weight = c.weight;
        o.kernel.kind = (uint8_t)kinds[k];
        weighted = rates_run(&c.data, o);
        copied = rates_run(&copies, o);
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)weighted.status, "%d");
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)copied.status, "%d");
        ASSERT(apart_scores(&c.data, &weighted.model, &copied.model) < 1e6 * CASE_EPS);
        ASSERT(near((double)copied.report.error_neg, weighted.report.error_neg));
        free(weighted.memory.bytes);
        free(copied.memory.bytes);
    }
    PASS();
}

TEST the_sphere_iteration_agrees_with_fast(void) {
    static const unsigned kinds[2] = {MARGIN_KERNEL_LINEAR, MARGIN_KERNEL_RBF};
    for (size_t k = 0; k < 2u; k++) {
        margin_rates_options o = rates_options(0.5, 0.7);
        rates_result fast, iter;
        cloud c;
        cloud_make(&c, 24, 3, 1.5, 33);
        o.kernel.kind = (uint8_t)kinds[k];
        o.ridge = k == 0 ? 0 : (margin_real)0.05;
        fast = rates_run(&c.data, o);
        o.solver = MARGIN_RATES_ITER;
        iter = rates_run(&c.data, o);
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)fast.status, "%d");
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)iter.status, "%d");
        ASSERT(apart_scores(&c.data, &fast.model, &iter.model) < (CASE_EPS < 1e-10 ? 1e-5 : 1e-2));
        ASSERT(near((double)fast.report.p_star, iter.report.p_star));
        ASSERT(iter.info.iterations > 1u && iter.info.iterations < 2000u);
        ASSERT(fabs((double)(iter.info.objective / fast.info.objective) - 1) < CLOSE);
        ASSERT(iter.report.condition_pos > 1 && iter.report.condition_neg > 1);
        free(fast.memory.bytes);
        free(iter.memory.bytes);
    }
    PASS();
}

/* Ended early, in any units: the optimum is not below what the gap says, nor far above it. */
TEST the_gap_of_the_sphere_iteration_holds_the_optimum(void) {
    static const double units[3] = {1e-2, 1, 1e2};
    for (size_t k = 0; k < 9u; k++) {
        margin_rates_options o = rates_options(0.5, 0.7);
        rates_result fast, iter;
        cloud c;
        double least;
        cloud_make(&c, 24, 3, 1.5, 33);
        for (size_t i = 0; i < 24u * 3u; i++) { c.x[i] *= (margin_real)units[k / 3u]; }
        fast = rates_run(&c.data, o);
        o.solver = MARGIN_RATES_ITER;
        o.max_iterations = 2u + 4u * (k % 3u);
        iter = rates_run(&c.data, o);
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)fast.status, "%d");
        ASSERT_EQ_FMT((int)MARGIN_W_ITERATIONS, (int)iter.status, "%d");
        least = (double)(iter.info.objective - iter.info.gap);
        ASSERT(iter.info.gap > 0);
        ASSERT(least <= (double)fast.info.objective * (1 + NEAR));
        ASSERT(least >= (double)fast.info.objective * 0.5);
        free(fast.memory.bytes);
        free(iter.memory.bytes);
    }
    PASS();
}

/* More features than samples, so that w comes from the pivots; and no ridge is given. */
TEST the_sphere_iteration_says_that_it_is_not_done(void) {
    margin_rates_options o = rates_options(0.5, 0.7);
    rates_result fast, iter;
    cloud c;
    cloud_make(&c, 5, CLOUD_D, 2, 3);
    fast = rates_run(&c.data, o);
    o.solver = MARGIN_RATES_ITER;
    o.max_iterations = 50;
    iter = rates_run(&c.data, o);
    ASSERT_EQ_FMT((int)MARGIN_W_ITERATIONS, (int)iter.status, "%d");
    ASSERT_FALSE(iter.info.converged);
    ASSERT(iter.report.ridge > 0);
    ASSERT_EQ_FMT((size_t)50, iter.info.iterations, "%zu");
    ASSERTm("it keeps to the rates at the price of a longer w",
            iter.info.objective >= fast.info.objective * (1 - (margin_real)NEAR));
    free(fast.memory.bytes);
    free(iter.memory.bytes);
    PASS();
}

/* With a ridge the covariances are S + ridge I: the same machine as from such moments. */
TEST a_ridge_is_added_to_the_covariances(void) {
    static const margin_real mean[4] = {0, 0, 2, 3};
    static const margin_real cov[8] = {1, (margin_real)0.5, (margin_real)0.5, 2, 3, 1, 1, 1};
    margin_real more[8];
    margin_rates_options o = rates_options(0.7, 0.6);
    rates_result with, without;
    memcpy(more, cov, sizeof more);
    for (size_t k = 0; k < 8u; k += (k % 4u == 0) ? 3u : 1u) { more[k] += (margin_real)0.125; }
    without = rates_run_moments(mean, more, 2, o);
    o.ridge = (margin_real)0.125;
    with = rates_run_moments(mean, cov, 2, o);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)with.status, "%d");
    ASSERT(near((double)without.model.of.linear.w[0], with.model.of.linear.w[0]));
    ASSERT(near((double)without.model.of.linear.w[1], with.model.of.linear.w[1]));
    ASSERT(near((double)without.report.p_star, with.report.p_star));
    ASSERT(near(0.125, with.report.ridge));
    free(with.memory.bytes);
    free(without.memory.bytes);
    PASS();
}

/* k + nu: the machine of the rate that has this k. */
TEST an_allowance_for_the_mean_enlarges_kappa(void) {
    const double k = kappa_of(0.5) + 0.25;
    margin_rates_options o = rates_options(1 / (1 + k * k), 0.6);
    margin_real eta_pos = (margin_real)0.5, eta_neg = 0, plain = 0;
    margin_real larger = o.eta_pos;
    rates_result strict, robust;
    solver_memory m;
    cloud c;
    cloud_make(&c, 30, 4, 1.5, 8);
    strict = rates_run(&c.data, o);
    m = solver_memory_make(margin_rates_train_size(30, 4, 2, &o));
    ASSERT_EQ(MARGIN_OK, margin_rates_frontier(&c.data, &o, &m.mem, &larger, &plain, 1));
    o.eta_pos = (margin_real)0.5;
    o.nu_pos = (margin_real)0.25;
    robust = rates_run(&c.data, o);
    ASSERT_EQ(MARGIN_OK, margin_rates_frontier(&c.data, &o, &m.mem, &eta_pos, &eta_neg, 1));
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)robust.status, "%d");
    ASSERT(apart_scores(&c.data, &strict.model, &robust.model) < 1e6 * CASE_EPS);
    ASSERT(near(k, robust.report.kappa_pos));
    ASSERT(near((double)plain, eta_neg));
    free(m.bytes);
    free(strict.memory.bytes);
    free(robust.memory.bytes);
    PASS();
}

/* A pair a little above the frontier can be had, a pair a little below cannot. */
TEST the_frontier_divides_the_pairs(void) {
    static const margin_real eta_pos[4] = {1, (margin_real)0.6, (margin_real)0.35,
                                           (margin_real)0.2};
    static const size_t shapes[3][2] = {{CLOUD_N, CLOUD_D}, {12, 2}, {30, 3}};
    for (size_t s = 0; s < 3u; s++) {
        margin_rates_options o = rates_options(0, 0);
        margin_real eta_neg[4];
        solver_memory m;
        cloud c;
        cloud_make(&c, shapes[s][0], shapes[s][1], 0.5, 77);
        o.kernel.kind = s == 2u ? MARGIN_KERNEL_POLY : MARGIN_KERNEL_LINEAR;
        o.kernel.degree = 2;
        m = solver_memory_make(margin_rates_train_size(c.data.n, c.data.d, 2, &o));
        ASSERT_EQ(MARGIN_OK, margin_rates_frontier(&c.data, &o, &m.mem, eta_pos, eta_neg, 4));
        for (size_t i = 0; i < 4u; i++) {
            const double factor[2] = {0.97, 1.03};
            ASSERT(i == 0 || eta_neg[i] >= eta_neg[i - 1u]);
            for (size_t k = 0; k < 2u; k++) {
                const double want = (double)eta_neg[i] * factor[k];
                rates_result r;
                if (want > 0 && want < 0.99) {
                    o.eta_pos = eta_pos[i];
                    o.eta_neg = (margin_real)want;
                    r = rates_run(&c.data, o);
                    ASSERT_EQ_FMT(k == 0 ? (int)MARGIN_E_INFEASIBLE : (int)MARGIN_OK, (int)r.status,
                                  "%d");
                    free(r.memory.bytes);
                }
            }
        }
        free(m.bytes);
    }
    PASS();
}

/* ---- the edges ---- */

TEST features_of_any_scale_are_welcome(void) {
    static const double scales[3] = {1e-6, 1, 1e6};
    double first = 0;
    for (size_t s = 0; s < 3u; s++) {
        rates_result r;
        cloud c;
        cloud_make(&c, CLOUD_N, CLOUD_D, 1.5, 5);
        for (size_t i = 0; i < CLOUD_N * CLOUD_D; i++) {
            c.x[i] = (margin_real)((double)c.x[i] * scales[s]);
        }
        r = rates_run(&c.data, rates_options(0.3, 0.5));
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
        first = s == 0 ? (double)r.info.objective * scales[0] * scales[0] : first;
        ASSERT(fabs((double)r.info.objective * scales[s] * scales[s] / first - 1) < 1e4 * CASE_EPS);
        free(r.memory.bytes);
    }
    PASS();
}

/* One feature in units a million times smaller than another: p* does not care. */
TEST feasibility_does_not_depend_on_units(void) {
    margin_rates_options o = rates_options(0.3, 0.5);
    rates_result plain, mixed;
    cloud c;
    cloud_make(&c, CLOUD_N, CLOUD_D, 1, 5);
    plain = rates_run(&c.data, o);
    for (size_t i = 0; i < CLOUD_N; i++) {
        c.x[i * CLOUD_D] *= (margin_real)1e6;
        c.x[i * CLOUD_D + 1u] *= (margin_real)1e-6;
    }
    mixed = rates_run(&c.data, o);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)plain.status, "%d");
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)mixed.status, "%d");
    ASSERT(fabs((double)(plain.report.p_star / mixed.report.p_star) - 1) < 1e5 * CASE_EPS);
    free(plain.memory.bytes);
    free(mixed.memory.bytes);
    PASS();
}

TEST one_sample_in_a_class_is_a_point(void) {
    margin_rates_options o = rates_options(0.01, 0.5);
    rates_result r, same;
    cloud c;
    cloud_make(&c, 20, 3, 3, 12);
    for (size_t i = 1; i < 20u; i++) { c.y[i] = 0; }
    r = rates_run(&c.data, o);
    o.eta_pos = 1;
    same = rates_run(&c.data, o);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
    ASSERTm("its rate does not matter",
            apart_scores(&c.data, &r.model, &same.model) < 1e4 * CASE_EPS);
    ASSERT_EQ_FMT(0.0, (double)r.report.condition_pos, "%g");
    free(r.memory.bytes);
    free(same.memory.bytes);
    PASS();
}

TEST equal_means_have_no_direction(void) {
    static const margin_real x[8] = {-1, 0, 1, 0, 0, -2, 0, 2};
    static const uint16_t y[4] = {0, 0, 1, 1};
    margin_data data;
    rates_result r;
    memset(&data, 0, sizeof data);
    data.x = x;
    data.y = y;
    data.n = 4;
    data.d = 2;
    r = rates_run(&data, rates_options(0.5, 0.5));
    ASSERT_EQ_FMT((int)MARGIN_E_NO_DIRECTION, (int)r.status, "%d");
    ASSERT_EQ_FMT((size_t)0, r.memory.mem.low, "%zu");
    free(r.memory.bytes);
    PASS();
}

/* Every sample in both classes, in another order: the sums of the classes differ by rounding alone. */
TEST means_that_differ_by_rounding_have_no_direction(void) {
    uint16_t y[2 * CLOUD_N];
    margin_real x[2 * CLOUD_N * CLOUD_D];
    margin_data data;
    cloud c;
    cloud_make(&c, CLOUD_N, CLOUD_D, 0.3, 3);
    data = c.data;
    for (size_t i = 0; i < CLOUD_N; i++) {
        memcpy(x + i * CLOUD_D, c.x + i * CLOUD_D, CLOUD_D * sizeof *x);
        memcpy(x + (2u * CLOUD_N - 1u - i) * CLOUD_D, c.x + i * CLOUD_D, CLOUD_D * sizeof *x);
        y[i] = 0;
        y[CLOUD_N + i] = 1;
    }
    data.x = x;
    data.y = y;
    data.n = (size_t)2 * CLOUD_N;
    for (unsigned kind = 0; kind < 2u; kind++) {
        margin_rates_options o = rates_options(1, 1);
        rates_result r;
        o.kernel.kind = kind == 0 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_RBF;
        r = rates_run(&data, o);
        ASSERT_EQ_FMT((int)MARGIN_E_NO_DIRECTION, (int)r.status, "%d");
        free(r.memory.bytes);
    }
    PASS();
}

static bool stop_at_once(void *user, const margin_progress *at) {
    size_t *calls = (size_t *)user;
    ++*calls;
    return at->iteration > 0;
}

TEST a_caller_can_stop_both_solvers(void) {
    for (unsigned solver = 0; solver < 2u; solver++) {
        margin_rates_options o = rates_options(0.3, 0.5);
        size_t calls = 0;
        rates_result r;
        cloud c;
        cloud_make(&c, CLOUD_N, CLOUD_D, 1.2, 5);
        o.solver = (uint8_t)solver;
        o.tol = (margin_real)1e-30;
        o.watch.progress = stop_at_once;
        o.watch.user = &calls;
        r = rates_run(&c.data, o);
        ASSERT_EQ_FMT((size_t)1, calls, "%zu");
        ASSERT(r.status == MARGIN_W_STOPPED || r.status == MARGIN_E_NO_CONVERGENCE);
        ASSERT_FALSE(r.info.converged);
        free(r.memory.bytes);
    }
    PASS();
}

/* ---- memory ---- */

typedef struct {
    cloud c;
    margin_rates_options o;
    margin_model model;
    margin_real eta[2];
} sweep_problem;

static margin_status run_train(margin_arena *mem, void *problem) {
    sweep_problem *p = (sweep_problem *)problem;
    return margin_rates_train(&p->c.data, &p->o, mem, &p->model, NULL, NULL);
}

static margin_status run_frontier(margin_arena *mem, void *problem) {
    sweep_problem *p = (sweep_problem *)problem;
    const margin_real eta_pos = (margin_real)0.5;
    return margin_rates_frontier(&p->c.data, &p->o, mem, &eta_pos, p->eta, 1);
}

static margin_status run_moments(margin_arena *mem, void *problem) {
    static const margin_real mean[4] = {0, 0, 2, 3};
    static const margin_real cov[8] = {1, 0, 0, 2, 3, 1, 1, 1};
    const margin_rates_moments moments = {mean, cov, 2};
    sweep_problem *p = (sweep_problem *)problem;
    return margin_rates_train_moments(&moments, &p->o, mem, &p->model, NULL, NULL);
}

TEST memory_is_exactly_what_the_query_says(void) {
    static const size_t shapes[3][2] = {{12, 3}, {3, 5}, {5, 5}};
    for (size_t s = 0; s < 6u; s++) {
        const size_t n = shapes[s % 3u][0], d = shapes[s % 3u][1];
        sweep_problem p;
        size_t size;
        memset(&p, 0, sizeof p);
        cloud_make(&p.c, n, d, 3, 4);
        p.o = rates_options(0.8, 0.9);
        p.o.kernel.kind = s < 3u ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_RBF;
        size = margin_rates_train_size(n, d, 2, &p.o);
        CHECK_CALL(arena_sweep(run_train, &p, size, &p.model, sizeof p.model));
        CHECK_CALL(arena_sweep(run_frontier, &p, size, p.eta, sizeof p.eta));
        p.o.solver = MARGIN_RATES_ITER;
        p.o.ridge = (margin_real)0.1;
        size = margin_rates_train_size(n, d, 2, &p.o);
        CHECK_CALL(arena_sweep(run_train, &p, size, &p.model, sizeof p.model));
    }
    PASS();
}

TEST moments_need_no_more_memory_than_asked_for(void) {
    sweep_problem p;
    memset(&p, 0, sizeof p);
    p.o = rates_options(0.8, 0.9);
    CHECK_CALL(arena_sweep(run_moments, &p, margin_rates_train_moments_size(2, &p.o), &p.model,
                           sizeof p.model));
    PASS();
}

/* Both solvers, all three ways to a problem, with and without a class that counts by its mean alone:
 * equal bits whatever the arena held. The sphere iteration read the normal of a sphere that has none. */
TEST what_the_arena_held_does_not_matter_to_rates(void) {
    static const size_t shapes[2][2] = {{14, 3}, {6, 9}};
    for (unsigned k = 0; k < 64u; k++) {
        margin_rates_options o = rates_options(k & 1u ? 1 : 0.7, k & 2u ? 1 : 0.8);
        margin_rates_report report[2];
        margin_info info[2];
        margin_status status[2];
        cloud c;
        size_t size;
        memset(report, 0, sizeof report);
        memset(info, 0, sizeof info);
        cloud_make(&c, shapes[k >> 2 & 1u][0], shapes[k >> 2 & 1u][1], 3, 4);
        o.solver = (uint8_t)(k >> 3 & 1u);
        o.kernel.kind = k & 16u ? MARGIN_KERNEL_RBF : MARGIN_KERNEL_LINEAR;
        o.ridge = k & 32u ? (margin_real)0.1 : 0;
        size = margin_rates_train_size(c.data.n, c.data.d, 2, &o);
        for (unsigned r = 0; r < 2u; r++) {
            solver_memory m = solver_memory_make(size);
            margin_model model;
            memset(m.bytes, r == 0 ? 0 : 0xFF, size);
            status[r] = margin_rates_train(&c.data, &o, &m.mem, &model, &info[r], &report[r]);
            ASSERT(status[r] < 0 || margin_model_check(&model) == MARGIN_OK);
            free(m.bytes);
        }
        ASSERT_EQ_FMT((int)status[0], (int)status[1], "%d");
        ASSERT_EQ(0, memcmp(&report[0], &report[1], sizeof report[0]));
        ASSERT_EQ(0, memcmp(&info[0], &info[1], sizeof info[0]));
    }
    PASS();
}

/* Data so small that its squares vanish had a bias that was no number, and `converged`. */
TEST values_whose_squares_vanish_are_refused(void) {
    static const size_t shapes[2][2] = {{14, 3}, {6, 9}};
    for (unsigned k = 0; k < 16u; k++) {
        margin_rates_options o = rates_options(k & 1u ? 1 : 0.7, k & 2u ? 1 : 0.8);
        rates_result r;
        cloud c;
        cloud_make(&c, shapes[k >> 2 & 1u][0], shapes[k >> 2 & 1u][1], 3, 4);
        for (size_t i = 0; i < c.data.n * c.data.d; i++) {
            c.x[i] *= (margin_real)(CASE_EPS < 1e-10 ? 1e-160 : 1e-22);
        }
        o.solver = (uint8_t)(k >> 3);
        r = rates_run(&c.data, o);
        ASSERT_EQ_FMT((int)MARGIN_E_RANGE, (int)r.status, "%d");
        free(r.memory.bytes);
    }
    PASS();
}

/* ---- hostile problems ---- */

enum { HOSTILE_N = 44, HOSTILE_D = 6 };

/* Moments or samples of any scale and rank, with options from one end of their range to the other. */
typedef struct {
    margin_rates_options o;
    bool by_moments, frontier;
    margin_real mean[2 * HOSTILE_D], cov[2 * HOSTILE_D * HOSTILE_D];
    margin_real x[HOSTILE_N * HOSTILE_D], weight[HOSTILE_N];
    uint16_t y[HOSTILE_N];
    margin_rates_moments moments;
    margin_data data;
} hostile;

static double hostile_of(uint32_t *seed, const double *from, size_t count) {
    return from[case_below(seed, count)];
}

static double hostile_scale(uint32_t *seed) {
    static const double scales[14] = {1,   1,    1,   1,     1e-3, 1e3,   1e-6,
                                      1e6, 1e-9, 1e9, 1e-12, 1e12, 1e-17, 1e17};
    return hostile_of(seed, scales, 14);
}

/* About normal. */
static double hostile_number(uint32_t *seed) {
    double sum = 0;
    for (size_t i = 0; i < 3u; i++) { sum += (double)case_real(seed); }
    return sum;
}

/* A covariance of any rank: the sum of squares of rows that are whole, real, nearly 0 or 0. */
static void hostile_cov(uint32_t *seed, size_t d, double scale, margin_real *cov) {
    const size_t rank = case_below(seed, d + 1u);
    double size = case_below(seed, 2) == 0 ? hostile_scale(seed) * scale : scale;
    double row[HOSTILE_D];
    for (size_t i = 0; i < d * d; i++) { cov[i] = 0; }
    for (size_t r = 0; r < rank; r++) {
        for (size_t j = 0; j < d; j++) {
            const bool whole = case_below(seed, 2) == 0;
            row[j] = size * (whole ? (double)case_below(seed, 3) - 1 : hostile_number(seed));
            row[j] *= case_below(seed, 6) == 0 ? 1e-5 : 1;
        }
        for (size_t i = 0; i < d * d; i++) {
            cov[i] = (margin_real)fmin((double)cov[i] + row[i / d] * row[i % d], 1e36);
        }
    }
}

static void hostile_samples(hostile *h, uint32_t *seed, double scale) {
    const size_t n = 2u + case_below(seed, case_below(seed, 4) == 0 ? HOSTILE_N - 2u : 10u);
    const size_t d = 1u + case_below(seed, HOSTILE_D);
    const bool whole = case_below(seed, 2) == 0, weights = case_below(seed, 3) == 0;
    for (size_t i = 0; i < n; i++) {
        h->y[i] = (uint16_t)(i < 2u ? i : case_below(seed, 2));
        h->weight[i] = case_below(seed, 5) == 0 ? (margin_real)hostile_scale(seed) : 1;
        for (size_t j = 0; j < d; j++) {
            const double number = whole ? (double)case_below(seed, 5) - 2
                                        : hostile_number(seed) + (h->y[i] == 1 ? 1 : 0);
            const double far = case_below(seed, 30) == 0 ? 1e4 : 1;
            h->x[i * d + j] = (margin_real)(scale * number * far);
            if (i > 1u && case_below(seed, 8) == 0) { h->x[i * d + j] = h->x[(i - 1u) * d + j]; }
        }
    }
    const margin_data data = {h->x, n, d, 0, h->y, weights ? h->weight : NULL, NULL};
    h->data = data;
}

static void hostile_make(hostile *h, uint32_t seed) {
    static const double etas[11] = {0.5, 0.1, 0.01,     1e-4,  1e-7, 1,
                                    0.9, 0.3, 0.999999, 1e-12, 1e-30};
    static const double nus[9] = {0, 0, 0, 0, 1, 1e-3, 100, 1e6, 1e15};
    static const double ridges[10] = {0, 0, 0, 1e-6, 1, 1e-12, 1e6, 1e12, 1e20, 1e30};
    static const double tols[10] = {0, 0, 0, 1e-3, 1e-9, 1e-14, 0.1, 1, 1e-30, 100};
    margin_rates_options *o = &h->o;
    memset(h, 0, sizeof *h);
    seed = seed * 2654435761u;
    const double scale = hostile_scale(&seed);
    o->eta_pos = (margin_real)hostile_of(&seed, etas, 11);
    o->eta_neg = (margin_real)hostile_of(&seed, etas, 11);
    o->nu_pos = (margin_real)hostile_of(&seed, nus, 9);
    o->nu_neg = (margin_real)hostile_of(&seed, nus, 9);
    o->ridge = (margin_real)hostile_of(&seed, ridges, 10);
    o->tol = (margin_real)hostile_of(&seed, tols, 10);
    o->solver = case_below(&seed, 3) == 0 ? MARGIN_RATES_ITER : MARGIN_RATES_FAST;
    o->max_iterations = case_below(&seed, 2) == 0 ? 1u + case_below(&seed, 5) : 200u;
    h->by_moments = case_below(&seed, 3) == 0;
    h->frontier = case_below(&seed, 6) == 0;
    if (h->by_moments) {
        const size_t d = 1u + case_below(&seed, HOSTILE_D);
        const margin_rates_moments moments = {h->mean, h->cov, d};
        for (size_t i = 0; i < 2u * d; i++) {
            h->mean[i] =
                (margin_real)(case_below(&seed, 4) == 0 ? 0 : scale * hostile_number(&seed));
            h->mean[i] *= (margin_real)(case_below(&seed, 5) == 0 ? 1e-6 : 1);
        }
        for (size_t c = 0; c < 2u; c++) { hostile_cov(&seed, d, scale, h->cov + c * d * d); }
        h->moments = moments;
        return;
    }
    hostile_samples(h, &seed, scale);
    o->kernel.kind = (uint8_t)case_below(&seed, 5);
    o->kernel.gamma = (margin_real)(case_below(&seed, 2) == 0 ? 0 : hostile_scale(&seed) * 1e-3);
    o->kernel.coef0 = (margin_real)case_below(&seed, 2);
    o->kernel.degree = (uint8_t)case_below(&seed, 5);
}

/* Trains; the frontier of some samples is asked for first. */
static rates_result hostile_run(const hostile *h) {
    static const margin_real etas[3] = {(margin_real)0.5, (margin_real)1e-6, 1};
    if (h->by_moments) { return rates_run_moments(h->mean, h->cov, h->moments.d, h->o); }
    if (h->frontier) {
        solver_memory m =
            solver_memory_make(margin_rates_train_size(h->data.n, h->data.d, 2, &h->o));
        margin_real out[3];
        (void)margin_rates_frontier(&h->data, &h->o, &m.mem, etas, out, 3);
        free(m.bytes);
    }
    return rates_run(&h->data, h->o);
}

/* NULL, or what is wrong with a result. */
static const char *hostile_wrong(const rates_result *r) {
    const margin_real half = (margin_real)0.5;
    if (r->status < 0) { return NULL; }
    if (margin_model_check(&r->model) != MARGIN_OK) { return "the model fails its check"; }
    if (!isfinite((double)r->info.objective) || !isfinite((double)r->info.gap) ||
        !isfinite((double)r->info.violation) || !(r->report.p_star < 1)) {
        return "not a number";
    }
    if (r->info.converged != (r->status == MARGIN_OK)) { return "two words on the same"; }
    return !r->info.converged || (r->report.slack_pos > -half && r->report.slack_neg > -half)
               ? NULL
               : "rates are not kept";
}

/* Problems that took a branch of the solvers which no other test takes, found by a search over half a million, and the first
 * ones of that search: each ends with a status, and with nothing that is no number. A machine that is said to be the optimum
 * keeps its rates; rounding at an apex of a huge covariance had broken them by 1e6, unsaid. */
TEST hostile_problems_end_with_a_true_status(void) {
    static const uint32_t found[] = {73,     549,    618,    764,   1030,  2125,   917,
                                     726,    2338,   3095,   19656, 38153, 111704, 252989,
                                     306144, 376029, 430497, 2005,  1202};
    /* Here a trial solution vanishes in float. */
    static const margin_real mean[4] = {-235792480, 75560888, -386481312, 0};
    static const margin_real cov[8] = {(margin_real)9.79164497e16, 0, 0, (margin_real)1887654.38};
    const size_t known = sizeof found / sizeof found[0], more = (size_t)TRIALS(400);
    margin_rates_options o = rates_options(0.1, 0.1);
    hostile h;
    for (size_t t = 0; t < known + more; t++) {
        hostile_make(&h, t < known ? found[t] : (uint32_t)(t - known));
        const rates_result r = hostile_run(&h);
        const char *wrong = hostile_wrong(&r);
        ASSERTm(wrong, wrong == NULL);
        free(r.memory.bytes);
    }
    o.nu_pos = (margin_real)1e15;
    o.nu_neg = (margin_real)1e-3;
    o.tol = (margin_real)1e-30;
    const rates_result r = rates_run_moments(mean, cov, 2, o);
    ASSERT(hostile_wrong(&r) == NULL);
    free(r.memory.bytes);
    PASS();
}

/* Pivots r_1, ..., r_d by which the last axis can be written only with coefficients that grow as (1 + c)^d (Kahan: "Numerical
 * linear algebra", 1966), and most samples along that axis. Then all samples keep coefficients, which are no larger than one. */
TEST coefficients_of_bad_pivots_are_not_used(void) {
    enum { PIVOTS = 8, COPIES_OF_AXIS = 10, KAHAN_N = PIVOTS + COPIES_OF_AXIS };
    margin_real x[KAHAN_N * PIVOTS] = {0}, weight[KAHAN_N], scores[2];
    uint16_t y[KAHAN_N];
    margin_rates_options o = rates_options(1, 1);
    const double c = 0.8, s = 0.6;
    double power = 1, total = 0;
    for (size_t i = 0; i < PIVOTS; i++, power *= s) { /* row i of R, column j is sample j */
        for (size_t j = i; j < PIVOTS; j++) {
            x[j * PIVOTS + i] = (margin_real)(power * (i == j ? 1 : -c) * pow(0.995, (double)j));
        }
    }
    for (size_t i = 0; i < KAHAN_N; i++) {
        y[i] = (uint16_t)(i % 2u);
        weight[i] = i < PIVOTS ? (margin_real)1e-3 : 1;
        if (i >= PIVOTS) {
            x[i * PIVOTS + PIVOTS - 1u] = (margin_real)((y[i] == 1 ? 0.5 : -0.5) * power / s);
        }
    }
    const margin_data data = {x, KAHAN_N, PIVOTS, 0, y, weight, NULL};
    o.kernel.kind = MARGIN_KERNEL_POLY;
    o.kernel.degree = 1;
    o.kernel.gamma = 1;
    const rates_result r = rates_run(&data, o);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
    ASSERT_EQ_FMT((size_t)KAHAN_N, r.info.support, "%zu");
    for (size_t i = 0; i < KAHAN_N; i++) { total += fabs((double)r.model.of.expansion.coef[i]); }
    margin_scores(&r.model, x + (KAHAN_N - 1u) * PIVOTS, &scores[1]);
    margin_scores(&r.model, x + (KAHAN_N - 2u) * PIVOTS, &scores[0]);
    ASSERT_IN_RANGE(2.0, (double)scores[1] - (double)scores[0], 0.05);
    ASSERT(total * power * power < 100);
    free(r.memory.bytes);
    PASS();
}

/* The macro goes into a variable first: written out as the text of a message it is too long for C99. */
#define SAME(macro, query)                                                                         \
    do {                                                                                           \
        const size_t constant = (macro);                                                           \
        ASSERT_EQ_FMT((query) + MARGIN_ALIGN - 1u, constant, "%zu");                               \
    } while (0)

TEST static_buffers_have_the_size_of_the_query(void) {
    static const size_t shapes[5][2] = {{2, 1}, {40, 3}, {9, 9}, {5, 40}, {200, 60}};
    static unsigned char bytes[MARGIN_RATES_BYTES(40, 3)];
    margin_rates_options o = rates_options(0.5, 0.5);
    (void)bytes;
    for (size_t s = 0; s < 5u; s++) {
        const size_t n = shapes[s][0], d = shapes[s][1];
        for (unsigned solver = 0; solver < 2u; solver++) {
            o.solver = (uint8_t)solver;
            o.kernel.kind = MARGIN_KERNEL_LINEAR;
            SAME(MARGIN_RATES_LINEAR_BYTES(n, d, solver), margin_rates_train_size(n, d, 2, &o));
            SAME(MARGIN_RATES_MOMENTS_BYTES(d), margin_rates_train_moments_size(d, &o));
            o.kernel.kind = MARGIN_KERNEL_RBF;
            SAME(MARGIN_RATES_KERNEL_BYTES(n, d, solver), margin_rates_train_size(n, d, 2, &o));
        }
    }
    PASS();
}

/* ---- refusals ---- */

static margin_status status_of(const margin_data *data, margin_rates_options o) {
    const rates_result r = rates_run(data, o);
    free(r.memory.bytes);
    return r.status;
}

TEST options_out_of_range_are_refused(void) {
    margin_rates_options o;
    cloud c;
    cloud_make(&c, 12, 2, 2, 1);
    ASSERT_EQ(MARGIN_E_ARGUMENT, status_of(&c.data, rates_options(1.5, 0.5)));
    ASSERT_EQ(MARGIN_E_ARGUMENT, status_of(&c.data, rates_options(0.5, -0.5)));
    ASSERT_EQ(MARGIN_E_ARGUMENT, status_of(&c.data, rates_options((double)NAN, 0.5)));
    for (size_t k = 0; k < 8u; k++) {
        const margin_real bad = k % 2u == 0 ? (margin_real)-1 : (margin_real)HUGE_VAL;
        o = rates_options(0.5, 0.5);
        o.nu_pos = k / 2u == 0 ? bad : 0;
        o.nu_neg = k / 2u == 1u ? bad : 0;
        o.ridge = k / 2u == 2u ? bad : 0;
        o.tol = k / 2u == 3u ? bad : 0;
        ASSERT_EQ(MARGIN_E_ARGUMENT, status_of(&c.data, o));
        ASSERT_EQ_FMT((size_t)0, margin_rates_train_size(12, 2, 2, &o), "%zu");
        ASSERT_EQ_FMT((size_t)0, margin_rates_train_moments_size(2, &o), "%zu");
    }
    o = rates_options(0.5, 0.5);
    o.solver = 2;
    ASSERT_EQ(MARGIN_E_ARGUMENT, status_of(&c.data, o));
    o.solver = 0;
    o.kernel.kind = 77;
    ASSERT_EQ(MARGIN_E_ARGUMENT, status_of(&c.data, o));
    ASSERT_EQ_FMT((size_t)0, margin_rates_train_size(12, 2, 3, NULL), "%zu");
    PASS();
}

TEST data_that_does_not_fit_is_refused(void) {
    margin_rates_options o = rates_options(0.5, 0.5);
    solver_memory m = solver_memory_make(1u << 16);
    margin_model model;
    cloud c;
    cloud_make(&c, 12, 2, 2, 1);
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_rates_train(NULL, &o, &m.mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_rates_train(&c.data, &o, NULL, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_rates_train(&c.data, &o, &m.mem, NULL, NULL, NULL));
    c.y[3] = 2;
    ASSERT_EQ(MARGIN_E_TWO_CLASSES, margin_rates_train(&c.data, &o, &m.mem, &model, NULL, NULL));
    for (size_t i = 0; i < 12u; i++) { c.y[i] = 0; }
    ASSERT_EQ(MARGIN_E_ONE_CLASS, margin_rates_train(&c.data, &o, &m.mem, &model, NULL, NULL));
    for (size_t i = 0; i < 12u; i++) { c.y[i] = 1; }
    ASSERT_EQ(MARGIN_E_ONE_CLASS, margin_rates_train(&c.data, &o, &m.mem, &model, NULL, NULL));
    c.y[0] = 0;
    c.x[5] = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_NOT_FINITE, margin_rates_train(&c.data, &o, &m.mem, &model, NULL, NULL));
    c.x[5] = (margin_real)(CASE_EPS < 1e-10 ? 1e300 : 1e37);
    ASSERT_EQ(MARGIN_E_RANGE, margin_rates_train(&c.data, &o, &m.mem, &model, NULL, NULL));
    o.kernel.kind = MARGIN_KERNEL_POLY;
    ASSERT_EQ(MARGIN_E_RANGE, margin_rates_train(&c.data, &o, &m.mem, &model, NULL, NULL));
    ASSERT_EQ_FMT((size_t)0, m.mem.low, "%zu");
    free(m.bytes);
    PASS();
}

TEST a_kernel_that_is_not_positive_is_refused(void) {
    margin_rates_options o = rates_options(0.5, 0.5);
    cloud c;
    cloud_make(&c, 12, 2, 2, 1);
    o.kernel.kind = MARGIN_KERNEL_POLY;
    o.kernel.degree = 1;
    o.kernel.coef0 = -5;
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE, status_of(&c.data, o));
    PASS();
}

TEST moments_that_do_not_fit_are_refused(void) {
    static const margin_real mean[4] = {0, 0, 2, 3};
    const margin_rates_options none = rates_options(0.5, 0.5);
    margin_real cov[8] = {1, 0, 0, 2, 3, 1, 1, 1};
    margin_rates_moments moments = {mean, cov, 2};
    margin_rates_options o = none;
    solver_memory m = solver_memory_make(1u << 16);
    margin_model model;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_rates_train_moments(NULL, &o, &m.mem, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_rates_train_moments(&moments, &o, NULL, &model, NULL, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_rates_train_moments(&moments, &o, &m.mem, NULL, NULL, NULL));
    moments.mean = NULL;
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_rates_train_moments(&moments, &o, &m.mem, &model, NULL, NULL));
    moments.mean = mean;
    moments.d = 0;
    ASSERT_EQ(MARGIN_E_EMPTY, margin_rates_train_moments(&moments, &o, &m.mem, &model, NULL, NULL));
    ASSERT_EQ_FMT((size_t)0, margin_rates_train_moments_size(0, &o), "%zu");
    moments.d = 2;
    o.kernel.kind = MARGIN_KERNEL_RBF;
    ASSERT_EQ(MARGIN_E_ARGUMENT,
              margin_rates_train_moments(&moments, &o, &m.mem, &model, NULL, NULL));
    o = none;
    cov[4] = -1;
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE,
              margin_rates_train_moments(&moments, &o, &m.mem, &model, NULL, NULL));
    cov[4] = 3;
    cov[6] = cov[5] = 5;
    ASSERT_EQ(MARGIN_E_NOT_POSITIVE,
              margin_rates_train_moments(&moments, &o, &m.mem, &model, NULL, NULL));
    cov[6] = (margin_real)NAN;
    ASSERT_EQ(MARGIN_E_NOT_FINITE,
              margin_rates_train_moments(&moments, &o, &m.mem, &model, NULL, NULL));
    free(m.bytes);
    PASS();
}

SUITE(rates_suite) {
    RUN_TEST(one_feature_is_solved_by_one_division);
    RUN_TEST(circles_are_separated_along_the_line_of_centres);
    RUN_TEST(at_the_apex_all_samples_of_a_class_score_alike);
    RUN_TEST(below_the_apex_the_constraint_binds);
    RUN_TEST(with_rates_of_one_only_the_means_count);
    RUN_TEST(rates_that_cannot_be_had_are_told_with_those_that_can);
    RUN_TEST(the_border_is_found_to_rounding);
    RUN_TEST(the_frontier_of_one_feature_is_a_line_in_kappa);
    RUN_TEST(all_kinds_of_cases_agree_with_a_slow_solver);
    RUN_TEST(data_and_its_moments_give_the_same_machine);
    RUN_TEST(a_linear_machine_is_the_same_by_features_and_by_kernel);
    RUN_TEST(features_given_twice_share_their_weights);
    RUN_TEST(with_more_features_than_samples_any_rates_can_be_had);
    RUN_TEST(weights_count_as_copies);
    RUN_TEST(the_sphere_iteration_agrees_with_fast);
    RUN_TEST(the_gap_of_the_sphere_iteration_holds_the_optimum);
    RUN_TEST(the_sphere_iteration_says_that_it_is_not_done);
    RUN_TEST(a_ridge_is_added_to_the_covariances);
    RUN_TEST(an_allowance_for_the_mean_enlarges_kappa);
    RUN_TEST(the_frontier_divides_the_pairs);
    RUN_TEST(features_of_any_scale_are_welcome);
    RUN_TEST(feasibility_does_not_depend_on_units);
    RUN_TEST(one_sample_in_a_class_is_a_point);
    RUN_TEST(equal_means_have_no_direction);
    RUN_TEST(means_that_differ_by_rounding_have_no_direction);
    RUN_TEST(a_caller_can_stop_both_solvers);
    RUN_TEST(memory_is_exactly_what_the_query_says);
    RUN_TEST(moments_need_no_more_memory_than_asked_for);
    RUN_TEST(what_the_arena_held_does_not_matter_to_rates);
    RUN_TEST(values_whose_squares_vanish_are_refused);
    RUN_TEST(hostile_problems_end_with_a_true_status);
    RUN_TEST(coefficients_of_bad_pivots_are_not_used);
    RUN_TEST(static_buffers_have_the_size_of_the_query);
    RUN_TEST(options_out_of_range_are_refused);
    RUN_TEST(data_that_does_not_fit_is_refused);
    RUN_TEST(a_kernel_that_is_not_positive_is_refused);
    RUN_TEST(moments_that_do_not_fit_are_refused);
}
