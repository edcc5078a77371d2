/* The support vector machine: against a slow reference, its optimality conditions, and by hand. */
#include "solver_cases.h"

static margin_svm_options svm_options(const solver_case *c, margin_real price) {
    margin_svm_options o;
    memset(&o, 0, sizeof o);
    o.kernel = c->kernel;
    o.c = price;
    o.run.tol = (margin_real)CASE_TOL;
    return o;
}

typedef struct {
    margin_status status;
    margin_model model;
    margin_info info;
    margin_svm_report report;
    solver_memory memory;
} svm_result;

static svm_result svm_run(const margin_data *data, const margin_svm_options *o) {
    svm_result r;
    size_t classes = 2;
    (void)margin_data_classes(data, &classes);
    memset(&r, 0, sizeof r);
    r.memory = solver_memory_make(margin_svm_train_size(data->n, data->d, classes, o));
    r.status = margin_svm_train(data, o, &r.memory.mem, &r.model, &r.info, &r.report);
    return r;
}

static void svm_programme(const solver_case *c, const margin_svm_options *o, qp_reference *q) {
    case_programme(c, q);
    q->c = 1;
    q->p = 1;
    for (size_t i = 0; i < q->n; i++) {
        const margin_real own = c->y[i] == 1 ? o->c_pos : o->c_neg;
        q->cap[i] = (long double)(margin_real)((own > 0 ? own : o->c) * c->weight[i]);
    }
}

/* 1/2 |w|^2 + sum of cap * hinge, of the scores that the model itself gives; |w|^2 from w, or from the
 * dual: |w|^2 = 2 (objective + sum of alpha). */
static long double svm_primal(const solver_case *c, const qp_reference *q, const svm_result *r) {
    long double sum = 0;
    for (size_t i = 0; i < q->n; i++) {
        margin_real score;
        margin_scores(&r->model, c->x + i * c->data.d, &score);
        sum += q->cap[i] * fmaxl(0, 1 - q->y[i] * (long double)score);
    }
    if (r->model.kind == MARGIN_MODEL_LINEAR) {
        for (size_t k = 0; k < c->data.d; k++) {
            const long double w = (long double)r->model.of.linear.w[k];
            sum += w * w / 2;
        }
    } else {
        long double caps = 0;
        for (size_t i = 0; i < q->n; i++) { caps += q->cap[i]; }
        sum += (long double)r->info.objective + (long double)r->report.nu * caps;
    }
    return sum;
}

/* Bounds, sum and optimality conditions of the coefficients of an expansion. */
static enum greatest_test_res svm_check_kkt(const solver_case *c, const qp_reference *q,
                                            const svm_result *r, long double rounding) {
    long double b[CASE_N], sum = 0, mass = 0;
    ASSERT(case_coefficients(c, &r->model.of.expansion, b));
    for (size_t i = 0; i < q->n; i++) {
        ASSERT(b[i] * q->y[i] >= 0 && b[i] * q->y[i] <= q->cap[i]);
        sum += b[i];
        mass += fabsl(b[i]);
    }
    ASSERT_IN_RANGE(0, (double)sum, (double)(64 * CASE_EPS * mass));
    if (c->kind != CASE_WEIGHTS) { /* there equal samples may have other caps */
        ASSERT(qp_violation(q, b) <= CASE_TOL + rounding);
    }
    PASS();
}

/* *sharp counts the problems in which the reference came close enough to say something. */
static enum greatest_test_res svm_check(int kind, uint32_t seed, margin_real price, bool uneven,
                                        int *sharp) {
    solver_case c = case_make(kind, seed);
    margin_svm_options o = svm_options(&c, price);
    long double caps = 0, mass = 0, gap, best, rounding;
    qp_reference q;
    svm_result r;
    case_settle(&c);
    o.c_pos = uneven ? price * 2 : 0;
    svm_programme(&c, &o, &q);
    gap = qp_solve(&q, 100000);
    best = qp_objective(&q, q.b);
    *sharp += gap <= CASE_FIT * fabsl(best);
    r = svm_run(&c.data, &o);
    ASSERT(case_is_settled(r.status));
    ASSERT_EQ(r.info.converged, r.status == MARGIN_OK);
    for (size_t i = 0; i < q.n; i++) {
        caps += q.cap[i];
        mass += fabsl(q.b[i]);
    }
    mass = fmaxl(mass, (long double)r.report.nu * caps); /* the reference may be far from done */
    /* Each of the n terms of a gradient may be off by EPS of its size. */
    rounding = 64 * CASE_EPS * (1 + mass * case_peak(&q));
    ASSERT_IN_RANGE((double)best, (double)r.info.objective,
                    (double)(CASE_FIT * fabsl(best) + gap + rounding * mass));
    ASSERT((double)r.info.violation <= CASE_TOL + (double)rounding);
    ASSERT(best + (long double)r.info.gap + gap + rounding * mass >= (long double)r.info.objective);
    ASSERT_IN_RANGE((double)(mass / caps), (double)r.report.nu,
                    (double)((CASE_FIT * fabsl(best) * 4 + gap) / caps + rounding) + CASE_FIT);
    ASSERT(svm_primal(&c, &q, &r) + best <=
           (CASE_TOL + rounding) * caps * 2 + CASE_FIT * fabsl(best) + gap);
    if (r.model.kind == MARGIN_MODEL_EXPANSION) { CHECK_CALL(svm_check_kkt(&c, &q, &r, rounding)); }
    free(r.memory.bytes);
    PASS();
}

TEST random_problems_of_every_kind_reach_the_reference_optimum(void) {
    static const double prices[] = {0.01, 1, 100};
    int sharp = 0;
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        for (uint32_t seed = 1; seed <= TRIALS(36); seed++) {
            const enum greatest_test_res res =
                svm_check(kind, seed, (margin_real)prices[seed % 3], seed % 4 == 0, &sharp);
            if (res != GREATEST_TEST_RES_PASS) {
                fprintf(stderr, "svm: %s, seed %u\n", case_names[kind], (unsigned)seed);
                return res;
            }
        }
    }
    ASSERT(sharp >= CASE_KINDS * TRIALS(36) * 9 / 10);
    PASS();
}

/* With nu: weights of sum 1 in either class, at most 2 weight / (nu n), and the optimality conditions
 * of each class. The machine is scaled to margins of 1, which does not change shares. */
static enum greatest_test_res svm_check_nu(int kind, uint32_t seed, int *solved) {
    static const double shares[] = {0.1, 0.3, 0.6};
    solver_case c = case_make(kind, seed);
    margin_svm_options o = svm_options(&c, 0);
    long double b[CASE_N], sum[2] = {0, 0}, all = 0, gap, best;
    qp_reference q;
    svm_result r;
    case_settle(&c);
    o.nu = (margin_real)shares[seed % 3];
    case_programme(&c, &q);
    q.c = 1;
    q.by_class = true;
    for (size_t i = 0; i < q.n; i++) { all += (long double)c.weight[i]; }
    for (size_t i = 0; i < q.n; i++) {
        q.cap[i] = 2 * (long double)c.weight[i] / all / (long double)o.nu;
    }
    r = svm_run(&c.data, &o);
    if (r.status < 0 || r.model.kind != MARGIN_MODEL_EXPANSION || c.kind == CASE_WEIGHTS) {
        /* a class has fewer weights than nu asks for, or both classes cannot be told apart */
        ASSERT(r.status >= 0 || r.status == MARGIN_E_INFEASIBLE ||
               r.status == MARGIN_E_NO_DIRECTION);
        free(r.memory.bytes);
        PASS();
    }
    gap = qp_solve(&q, 100000);
    best = qp_objective(&q, q.b);
    ASSERT(case_coefficients(&c, &r.model.of.expansion, b));
    for (size_t i = 0; i < q.n; i++) { sum[q.y[i] > 0] += fabsl(b[i]); }
    ASSERT_IN_RANGE(1, (double)(sum[0] / sum[1]), 256 * CASE_EPS);
    for (size_t i = 0; i < q.n; i++) {
        ASSERT(b[i] * q.y[i] >= 0);
        b[i] /= sum[q.y[i] > 0];
        ASSERT(fabsl(b[i]) <= q.cap[i] * (1 + 256 * CASE_EPS));
        if (fabsl(b[i]) > q.cap[i] * (1 - 256 * CASE_EPS)) { b[i] = q.cap[i] * q.y[i]; }
    }
    /* The tolerance is LIBSVM's, for weights of at most 1; here they are at most 2 / (nu n). Rounding:
     * a gradient is a sum of CASE_N terms, whose weights sum to 2, each off by a few EPS. */
    ASSERT(qp_violation(&q, b) <= CASE_TOL * (4 / all / (long double)o.nu + case_peak(&q)) +
                                      128 * CASE_EPS * case_peak(&q));
    ASSERT_IN_RANGE((double)best, (double)qp_objective(&q, b),
                    (double)(CASE_FIT * best + gap + 1024 * CASE_EPS * case_peak(&q)));
    *solved += 1;
    free(r.memory.bytes);
    PASS();
}

TEST random_problems_with_nu_meet_the_optimality_conditions(void) {
    int solved = 0;
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        for (uint32_t seed = 1; seed <= TRIALS(36); seed++) {
            const enum greatest_test_res res = svm_check_nu(kind, seed, &solved);
            if (res != GREATEST_TEST_RES_PASS) {
                fprintf(GREATEST_STDOUT, "nu: %s, seed %u\n", case_names[kind], (unsigned)seed);
                return res;
            }
        }
    }
    ASSERT(solved >= CASE_KINDS * TRIALS(36) / 6);
    PASS();
}

/* Points 0 and 2: alpha = 1/2 each, w = 1, score x - 1. */
TEST two_points_give_the_bisector(void) {
    static const margin_real x[] = {0, 2};
    static const uint16_t y[] = {0, 1};
    const margin_data data = {x, 2, 1, 0, y, NULL, NULL};
    const margin_real probe = 3;
    margin_real score;
    svm_result r = svm_run(&data, NULL);
    ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
    margin_scores(&r.model, &probe, &score);
    ASSERT_IN_RANGE(2.0, (double)score, 1e-6);
    ASSERT_IN_RANGE(-0.5, (double)r.info.objective, 1e-6); /* 1/2 w^2 - 2 alpha */
    ASSERT_IN_RANGE(0.5, (double)r.report.nu, 1e-6);       /* of C = 1 */
    ASSERT_IN_RANGE(-1.0, (double)r.info.bias, 1e-6);
    ASSERT_IN_RANGE(1.0, (double)r.info.margin_min, 1e-6);
    ASSERT_IN_RANGE(1.0, (double)r.info.margin_mean, 1e-6);
    ASSERT_EQ_FMT((size_t)2, r.info.support, "%zu");
    free(r.memory.bytes);
    PASS();
}

/* Two points at 0, one at 2, C = 1/8 and a weight of 2 for the second at 0: alpha_3 = C, w = 2 C. All
 * but a few alphas are at their bounds; the free ones of class 0 score -1: bias = -1. */
TEST caps_are_the_price_times_the_weight(void) {
    static const margin_real x[] = {0, 0, 2}, weight[] = {1, 2, 1};
    static const uint16_t y[] = {0, 0, 1};
    const margin_data data = {x, 3, 1, 0, y, weight, NULL};
    const margin_real probe = 2;
    margin_svm_options o;
    margin_real score;
    svm_result r;
    memset(&o, 0, sizeof o);
    o.c = (margin_real)0.125;
    r = svm_run(&data, &o);
    ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
    margin_scores(&r.model, &probe, &score);
    ASSERT_IN_RANGE(-0.5, (double)score, 1e-6);             /* 2 w - 1 */
    ASSERT_IN_RANGE(0.25, (double)r.report.nu * 0.5, 1e-6); /* sum of alpha: 2 C, of 4 C */
    ASSERT_IN_RANGE(0.03125 - 0.25, (double)r.info.objective, 1e-6);
    free(r.memory.bytes);
    PASS();
}

TEST classes_have_their_own_price(void) {
    static const margin_real x[] = {-1, 1};
    static const uint16_t y[] = {0, 1};
    const margin_data data = {x, 2, 1, 0, y, NULL, NULL};
    margin_svm_options o;
    svm_result r;
    memset(&o, 0, sizeof o);
    o.c = 100;
    o.c_neg = (margin_real)0.125; /* the smaller cap binds both: w = 2 * 0.125 */
    r = svm_run(&data, &o);
    ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
    ASSERT_IN_RANGE(0.25, (double)r.model.of.linear.w[0], 1e-6);
    free(r.memory.bytes);
    PASS();
}

TEST samples_of_weight_zero_are_not_there(void) {
    static const margin_real x[] = {0, 1, 2}, weight[] = {1, 0, 1};
    static const uint16_t y[] = {0, 1, 1};
    const margin_data data = {x, 3, 1, 0, y, weight, NULL};
    svm_result r = svm_run(&data, NULL);
    ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
    ASSERT_IN_RANGE(1.0, (double)r.model.of.linear.w[0], 1e-6);
    free(r.memory.bytes);
    PASS();
}

/* Nearest points of the hulls: (0,0) and (2,0): w = (1, 0), bias -1, alpha_1 = 1/2. */
TEST hard_margin_finds_the_nearest_points_of_the_hulls(void) {
    static const margin_real x[] = {0, 0, -1, 1, 2, -1, 2, 1, 5, 0};
    static const uint16_t y[] = {0, 0, 1, 1, 1};
    const margin_data data = {x, 5, 2, 0, y, NULL, NULL};
    margin_svm_options o;
    svm_result r;
    memset(&o, 0, sizeof o);
    o.hard_margin = true;
    o.run.tol = (margin_real)1e-5;
    r = svm_run(&data, &o);
    ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
    ASSERT_IN_RANGE(1.0, (double)r.model.of.linear.w[0], 1e-4);
    ASSERT_IN_RANGE(0.0, (double)r.model.of.linear.w[1], 1e-4);
    ASSERT_IN_RANGE(-1.0, (double)r.info.bias, 1e-4);
    ASSERT_IN_RANGE(-0.5, (double)r.info.objective, 1e-4);
    ASSERT_IN_RANGE(1.0, (double)r.info.margin_min, 1e-4);
    free(r.memory.bytes);
    PASS();
}

/* Far from the origin, where float has w as a variable of its own: the hulls are 1/2 apart. */
TEST hard_margin_does_not_depend_on_the_origin(void) {
    for (unsigned far = 256; far <= 4096u; far *= 2u) {
        for (unsigned n = 8; n <= 40u; n += 8u) {
            margin_real x[40];
            uint16_t y[40];
            margin_svm_options o;
            svm_result r;
            for (unsigned i = 0; i < n; i++) {
                const double away = 0.25 + i / 2u * 7u % n / (double)n;
                y[i] = (uint16_t)(i % 2u);
                x[i] = (margin_real)(far + (y[i] == 1 ? away : -away));
            }
            const margin_data data = {x, n, 1, 0, y, NULL, NULL};
            memset(&o, 0, sizeof o);
            o.hard_margin = true;
            o.run.tol = (margin_real)1e-5;
            r = svm_run(&data, &o);
            ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
            ASSERT_IN_RANGE(4.0, (double)r.model.of.linear.w[0], 1e-3);
            ASSERT_IN_RANGE(0.0, (double)(far + r.info.bias / r.model.of.linear.w[0]), 1e-2);
            ASSERT_IN_RANGE(-8.0, (double)r.info.objective, 1e-2);
            free(r.memory.bytes);
        }
    }
    PASS();
}

/* The smallest margin of samples that count, by the scores that the model itself gives. */
static double least_margin(const margin_data *data, const margin_model *model) {
    double least = 1e30;
    for (size_t i = 0; i < data->n; i++) {
        margin_real score;
        const size_t row = data->rows != NULL ? data->rows[i] : i;
        margin_scores(model, data->x + row * (data->stride > 0 ? data->stride : data->d), &score);
        if (data->weight == NULL || data->weight[row] > 0) {
            least = fmin(least, data->y[row] == 1 ? (double)score : -(double)score);
        }
    }
    return least;
}

/* A hard margin is a soft one whose price is high enough. */
TEST hard_margin_is_the_limit_of_large_prices(void) {
    int separable = 0;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        solver_case c = case_make(CASE_PLAIN, seed);
        margin_svm_options o = svm_options(&c, 0);
        svm_result hard, soft;
        case_settle(&c);
        o.run.tol = (margin_real)(sizeof(margin_real) > 4 ? 1e-8 : 1e-4);
        o.hard_margin = true;
        hard = svm_run(&c.data, &o);
        o.hard_margin = false;
        o.c = (margin_real)1e6;
        soft = svm_run(&c.data, &o);
        ASSERT(case_is_settled(hard.status) || hard.status == MARGIN_E_NOT_SEPARABLE);
        ASSERT(case_is_settled(soft.status));
        if (hard.status == MARGIN_OK && hard.info.objective > (margin_real)-1e4) {
            separable++;
            ASSERT_IN_RANGE((double)hard.info.objective, (double)soft.info.objective,
                            -2e-3 * (double)hard.info.objective);
            ASSERT_IN_RANGE(1, (double)hard.info.margin_min, 1e-2);
            ASSERT_IN_RANGE(1, least_margin(&c.data, &hard.model), 1e-2);
        }
        if (hard.status == MARGIN_E_NOT_SEPARABLE) {
            ASSERT((double)soft.info.objective < -1e4); /* some alphas at C */
        }
        free(hard.memory.bytes), free(soft.memory.bytes);
    }
    ASSERT(separable > 10);
    PASS();
}

TEST hard_margin_says_when_there_is_none(void) {
    static const margin_real x[] = {0, 1, 2, 3};
    static const uint16_t y[] = {0, 1, 0, 1};
    const margin_data data = {x, 4, 1, 0, y, NULL, NULL};
    margin_svm_options o;
    svm_result r;
    memset(&o, 0, sizeof o);
    o.hard_margin = true;
    for (unsigned kind = 0; kind < 2; kind++) {
        o.kernel.kind = kind == 0 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_POLY;
        o.kernel.degree = 1;
        r = svm_run(&data, &o);
        ASSERT_EQ_FMT(MARGIN_E_NOT_SEPARABLE, r.status, "%d");
        ASSERT_EQ_FMT((size_t)0, r.memory.mem.low, "%zu");
        free(r.memory.bytes);
    }
    o.kernel.kind = MARGIN_KERNEL_RBF; /* separates any distinct points */
    r = svm_run(&data, &o);
    ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
    ASSERT((double)r.info.margin_min > 0.9);
    free(r.memory.bytes);
    PASS();
}

/* Z = 3, D = 3 + 2: c0 = 4 / 15. The hulls [1, 3] and -2 are 3 apart, no sample nearer than 1 to 0:
 * c1 = 4 * 3 / (1 * 3). */
TEST c0_is_four_over_longest_vector_and_largest_distance(void) {
    static const margin_real x[] = {1, 3, -2};
    static const uint16_t y[] = {0, 0, 1};
    const margin_data data = {x, 3, 1, 0, y, NULL, NULL};
    margin_svm_options o;
    svm_result r;
    memset(&o, 0, sizeof o);
    o.bounds = true;
    r = svm_run(&data, &o);
    ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
    ASSERT_IN_RANGE(4.0 / 15, (double)r.report.c0, 1e-6);
    ASSERT_IN_RANGE(4, (double)r.report.c1, 1e-4);
    free(r.memory.bytes);
    PASS();
}

/* A sample at the origin is no way along any direction: there is no c1. */
TEST c1_of_a_sample_at_the_origin_is_zero(void) {
    static const margin_real x[] = {0, 3, -2};
    static const uint16_t y[] = {0, 0, 1};
    const margin_data data = {x, 3, 1, 0, y, NULL, NULL};
    margin_svm_options o;
    svm_result r;
    memset(&o, 0, sizeof o);
    o.bounds = true;
    r = svm_run(&data, &o);
    ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
    ASSERT_EQ_FMT(0.0, (double)r.report.c1, "%g");
    free(r.memory.bytes);
    PASS();
}

TEST c0_of_equal_samples_is_zero(void) {
    static const margin_real x[] = {1, 1};
    static const uint16_t y[] = {0, 1};
    const margin_data data = {x, 2, 1, 0, y, NULL, NULL};
    margin_svm_options o;
    svm_result r;
    memset(&o, 0, sizeof o);
    o.bounds = true;
    r = svm_run(&data, &o);
    ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
    ASSERT_EQ_FMT(0.0, (double)r.report.c0, "%g");
    ASSERT_EQ_FMT(0.0, (double)r.report.c1, "%g");
    free(r.memory.bytes);
    PASS();
}

TEST prices_that_are_no_prices_are_refused(void) {
    static const margin_real x[] = {0, 2};
    static const uint16_t y[] = {0, 1};
    const margin_data data = {x, 2, 1, 0, y, NULL, NULL};
    const margin_real bad[] = {-1, (margin_real)NAN, (margin_real)INFINITY};
    for (size_t k = 0; k < 9; k++) {
        margin_svm_options o;
        margin_model model;
        solver_memory m = solver_memory_make(4096);
        memset(&o, 0, sizeof o);
        *(k < 3 ? &o.c : k < 6 ? &o.c_pos : &o.c_neg) = bad[k % 3];
        ASSERT_EQ_FMT((size_t)0, margin_svm_train_size(2, 1, 2, &o), "%zu");
        ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_svm_train(&data, &o, &m.mem, &model, NULL, NULL),
                      "%d");
        free(m.bytes);
    }
    PASS();
}

/* Prices at both ends of the range of numbers: no crash, no NaN, and the answer of all caps at work. */
TEST extreme_prices_and_weights_do_no_harm(void) {
    static const margin_real x[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint16_t y[] = {0, 0, 0, 1, 0, 1, 1, 1};
    margin_real weight[] = {1, 1, 1, 1, 1, 1, 1, 1};
    const margin_data data = {x, 8, 1, 0, y, weight, NULL};
    const margin_real price[] = {FLT_MIN, (margin_real)1e-20, (margin_real)1e20, FLT_MAX};
    for (size_t k = 0; k < 16; k++) {
        margin_svm_options o;
        svm_result r;
        margin_real score;
        memset(&o, 0, sizeof o);
        o.c = price[k % 4];
        o.kernel.kind = k < 8 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_RBF;
        o.run.max_iterations = 5000;
        weight[3] = k % 8 < 4 ? 1 : (margin_real)1e-18;
        r = svm_run(&data, &o);
        ASSERT(r.status >= 0);
        for (size_t i = 0; i < 8; i++) {
            margin_scores(&r.model, x + i, &score);
            ASSERT(isfinite((double)score));
        }
        free(r.memory.bytes);
    }
    PASS();
}

/* A machine that is done before its first step has no support. Its model has one sample, which counts nothing, and arrays that do
 * not lie on each other. */
TEST a_machine_without_support_has_one_vector(void) {
    static const margin_real x[] = {3, 1, 4, 1, 5, 9, 2, 6};
    static const uint16_t y[] = {1, 0, 1, 0};
    const margin_data data = {x, 4, 2, 0, y, NULL, NULL};
    margin_svm_options o;
    memset(&o, 0, sizeof o);
    o.kernel.kind = MARGIN_KERNEL_RBF;
    o.run.tol = 100;
    const svm_result r = svm_run(&data, &o);
    const margin_expansion *e = &r.model.of.expansion;
    ASSERT(r.status >= 0);
    ASSERT_EQ(MARGIN_OK, margin_model_check(&r.model));
    ASSERT_EQ_FMT((size_t)1, e->n, "%zu");
    ASSERT(e->coef[0] == 0 && e->class_end[0] == 1u && e->class_end[1] == 1u);
    ASSERT(e->vectors[0] == 4 && e->vectors[1] == 1 && e->norms[0] == 17);
    free(r.memory.bytes);
    PASS();
}

/* Raw values of sensors: two overlapping classes of `d` channels around `centre`, in units of `unit`. */
enum { RAW_N = 60, RAW_D = 6 };
static margin_real raw_x[RAW_N * RAW_D];
static uint16_t raw_y[RAW_N];

static margin_data raw_problem(uint32_t *state, size_t d, double unit, double centre) {
    const margin_data data = {raw_x, RAW_N, d, 0, raw_y, NULL, NULL};
    for (size_t i = 0; i < RAW_N; i++) {
        raw_y[i] = (uint16_t)(i % 2u);
        for (size_t k = 0; k < d; k++) {
            const double a = case_random(state) * 0x1p-31, b = case_random(state) * 0x1p-31;
            const double apart = k == 0 && raw_y[i] == 1 ? 0.3 : 0;
            raw_x[i * d + k] = (margin_real)((centre + apart + (a + b - 1)) * unit);
        }
    }
    return data;
}

/* The primal objective in long double, from the weights that the model has. */
static long double raw_primal(const margin_data *data, const margin_linear *model) {
    long double sum = 0;
    for (size_t k = 0; k < data->d; k++) {
        sum += (long double)model->w[k] * (long double)model->w[k] / 2;
    }
    for (size_t i = 0; i < data->n; i++) {
        long double f = (long double)model->bias[0];
        for (size_t k = 0; k < data->d; k++) {
            f += (long double)model->w[k] * (long double)data->x[i * data->d + k];
        }
        sum += fmaxl(0, 1 - (data->y[i] == 1 ? f : -f));
    }
    return sum;
}

/* Whatever the unit, the dual and the primal objective meet, which only the optimum can do; and a
 * training that says `converged` has a violation within its tolerance. */
TEST raw_values_of_any_unit_reach_the_optimum(void) {
    static const double unit[] = {1e-6, 1e-3, 1, 100, 4095, 1e6};
    uint32_t state = 2026;
    size_t converged = 0, trials = 0;
    for (size_t t = 0; t < (size_t)TRIALS(72); t++) {
        const size_t d = 1u + (t + t / 12u) % RAW_D;
        const margin_data data = raw_problem(&state, d, unit[t % 6u], t / 6u % 2u == 0 ? 0.0 : 2.0);
        const svm_result r = svm_run(&data, NULL);
        const double primal = (double)raw_primal(&data, &r.model.of.linear);
        const double tol = sizeof(margin_real) > 4u ? 1e-6 : 1e-3;
        ASSERT(r.status >= 0);
        ASSERT_IN_RANGE(1.0, -(double)r.info.objective / primal, 0.03);
        ASSERT(!r.info.converged || (double)r.info.violation <= tol * (1 + 1e-6));
        ASSERT_EQ(r.info.converged, r.status == MARGIN_OK);
        converged += r.info.converged;
        trials++;
        free(r.memory.bytes);
    }
    ASSERT(converged * 10u >= trials * 9u);
    PASS();
}

/* Whole counts far from zero beside what they vary by. The weights of samples that overlap reach the dual and the primal
 * objective together; where the classes can be told apart, -2 times the dual is |w|^2. */
static margin_data far_problem(uint32_t *state, size_t d, double spread, double centre,
                               double apart) {
    const margin_data data = {raw_x, RAW_N, d, 0, raw_y, NULL, NULL};
    for (size_t i = 0; i < RAW_N; i++) {
        raw_y[i] = (uint16_t)(i % 2u);
        for (size_t k = 0; k < d; k++) {
            const double a = case_random(state) * 0x1p-31, b = case_random(state) * 0x1p-31;
            const double shift = k % 2u == 0 && raw_y[i] == 1 ? apart : 0;
            raw_x[i * d + k] = (margin_real)floor(centre + (a + b - 1 + shift) * spread);
        }
    }
    return data;
}

TEST counts_far_from_zero_reach_the_optimum(void) {
    static const struct {
        double spread, centre;
    } cases[] = {{1000, 2048}, {10, 30000}, {5, 30000}, {8000, 32768}, {40, 1000000}};
    const size_t trials = (size_t)TRIALS(60);
    uint32_t state = 30000;
    size_t converged = 0;
    for (size_t t = 0; t < trials; t++) {
        const size_t d = 1u + (t + t / 10u) % RAW_D;
        const bool overlap = t / 5u % 2u == 0;
        margin_svm_options options = {0};
        const margin_data data =
            far_problem(&state, d, cases[t % 5u].spread, cases[t % 5u].centre, overlap ? 0.5 : 3);
        options.c = overlap ? 1 : 100;
        const svm_result r = svm_run(&data, &options);
        ASSERT(r.status >= 0);
        double square = 2 * (double)raw_primal(&data, &r.model.of.linear);
        for (size_t k = 0; k < d && !overlap; k++) {
            const double w = (double)r.model.of.linear.w[k];
            square = (k == 0 ? 0 : square) + w * w;
        }
        if (r.info.converged) {
            ASSERT_IN_RANGE(1.0, -2 * (double)r.info.objective / square, 0.05);
            converged++;
        }
        free(r.memory.bytes);
        if (overlap) { continue; }
        options.nu = (margin_real)0.6;
        const svm_result nu = svm_run(&data, &options);
        ASSERT(nu.status >= 0); /* classes that can be told apart have a margin at any nu */
        free(nu.memory.bytes);
    }
    ASSERT(converged * 10u >= trials * 9u);
    PASS();
}

/* So many samples that they are solved for in parts: overlapping, far apart, one class rare, so rare
 * and overlapping that none is told from the others; samples of weight 0 that would change all. Dual
 * and primal meet, within few steps: of Newton's method for parts, or of an interior point for all. */
enum { MANY_N = 9000, MANY_D = 4 };
static margin_real many_x[MANY_N * MANY_D], many_weight[MANY_N];
static uint16_t many_y[MANY_N];

static margin_data many_problem(double apart, size_t one_in, bool weights) {
    margin_data data = {many_x, MANY_N, MANY_D, 0, many_y, NULL, NULL};
    uint32_t state = 17;
    for (size_t i = 0; i < MANY_N; i++) {
        many_y[i] = i % one_in == 0 ? 1 : 0;
        many_weight[i] = 1;
        for (size_t k = 0; k < MANY_D; k++) {
            const double a = case_random(&state) * 0x1p-31, b = case_random(&state) * 0x1p-31;
            many_x[i * MANY_D + k] = (margin_real)(a + b - 1 + (many_y[i] == 1 ? apart : 0));
        }
        if (weights && i % 5u == 0) {
            many_y[i] = (uint16_t)(1 - many_y[i]);
            many_weight[i] = 0;
        }
    }
    if (weights) { data.weight = many_weight; }
    return data;
}

TEST many_samples_in_parts_reach_the_optimum(void) {
    static const struct {
        double apart;
        size_t one_in;
        bool weights;
        size_t steps; /* at most, in double */
    } trial[] = {{0.1, 2, 0, 32},  {0.5, 2, 0, 44},   {2.5, 2, 0, 31},
                 {0.6, 12, 0, 35}, {0.02, 30, 0, 20}, {0.5, 3, 1, 34}};
    const bool fine = sizeof(margin_real) > 4u;
    for (size_t t = 0; t < sizeof trial / sizeof *trial; t++) {
        const margin_data data = many_problem(trial[t].apart, trial[t].one_in, trial[t].weights);
        const svm_result r = svm_run(&data, NULL);
        long double lost = 0;
        ASSERT(r.status >= 0);
        ASSERT(!fine || (r.info.converged && r.info.iterations <= trial[t].steps));
        for (size_t i = 0; i < data.n; i++) { /* what raw_primal counts for samples of weight 0 */
            const margin_real *w = r.model.of.linear.w, *x = data.x + i * data.d;
            const long double f =
                (long double)(margin_dot(w, x, data.d) + r.model.of.linear.bias[0]);
            lost += many_weight[i] > 0 ? 0 : fmaxl(0, 1 - (data.y[i] == 1 ? f : -f));
        }
        const double primal = (double)(raw_primal(&data, &r.model.of.linear) - lost);
        ASSERT_IN_RANGE(1.0, -(double)r.info.objective / primal, fine ? 1e-9 : 0.03);
        free(r.memory.bytes);
    }
    PASS();
}

/* A kernel matrix of rank 6 and bounds so wide that pairs take long: with a rank an interior point goes
 * first, through the factor of the matrix. The optimum is that of pairs alone. */
TEST a_rank_reaches_the_optimum_of_pairs(void) {
    uint32_t state = 5;
    const margin_data data = raw_problem(&state, 2, 1, 0);
    margin_svm_options o;
    svm_result pairs, ranked;
    memset(&o, 0, sizeof o);
    o.kernel.kind = MARGIN_KERNEL_POLY;
    o.kernel.degree = 2;
    o.kernel.coef0 = 1;
    o.c = 3000;
    pairs = svm_run(&data, &o);
    o.run.rank = 8;
    ranked = svm_run(&data, &o);
    ASSERT(pairs.status >= 0 && ranked.status >= 0);
    ASSERT(pairs.info.iterations > 20u * data.n + 8u * 8u); /* so that the rank is used */
    ASSERT(ranked.info.iterations < pairs.info.iterations);
    ASSERT_IN_RANGE(1, (double)(ranked.info.objective / pairs.info.objective), 1e-3);
    free(ranked.memory.bytes);
    o.run.rank = 2; /* too few columns for all of the matrix: a start, no more */
    ranked = svm_run(&data, &o);
    ASSERT(ranked.status >= 0);
    ASSERT_IN_RANGE(1, (double)(ranked.info.objective / pairs.info.objective), 1e-3);
    free(pairs.memory.bytes), free(ranked.memory.bytes);
    PASS();
}

/* ---- nu ---- */

/* The reference minimises b'Kb / 2 where the weights of each class sum to one and none is above its cap.
 * The model is divided by rho, so that the coefficients of class 1 sum to 1 / rho, and its objective by
 * the square of rho. */
static enum greatest_test_res nu_check(int kind, uint32_t seed, int *solved) {
    static const double nus[] = {0.1, 0.35, 0.6, 1};
    solver_case c = case_make(kind, seed);
    margin_svm_options o = svm_options(&c, 0);
    const long double nu = (long double)(margin_real)nus[seed % 4u];
    long double of[2] = {0, 0}, gap, best, rounding, inverse = 0;
    qp_reference q;
    svm_result r;
    case_settle(&c);
    case_programme(&c, &q);
    q.by_class = true;
    q.c = 1;
    for (size_t i = 0; i < q.n; i++) { of[c.y[i]] += (long double)c.weight[i]; }
    for (size_t i = 0; i < q.n; i++) {
        q.cap[i] = 2 * (long double)c.weight[i] / (of[0] + of[1]) / nu;
    }
    o.nu = (margin_real)nus[seed % 4u];
    r = svm_run(&c.data, &o);
    if (nu * (of[0] + of[1]) > 2 * fminl(of[0], of[1])) {
        ASSERT_EQ_FMT((int)MARGIN_E_INFEASIBLE, (int)r.status, "%d");
        free(r.memory.bytes);
        PASS();
    }
    gap = qp_solve(&q, 100000);
    best = qp_objective(&q, q.b);
    rounding = 1024 * CASE_EPS * case_peak(&q);
    if (r.status == MARGIN_E_INFEASIBLE) { /* no margin is left: rho^2 is at most 2 best */
        ASSERT(best <= 64 * rounding + gap || nu > 0.5L);
        free(r.memory.bytes);
        PASS();
    }
    ASSERT(case_is_settled(r.status));
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check(&r.model), "%d");
    ASSERT(r.report.nu == o.nu);
    ++*solved;
    if (r.model.kind == MARGIN_MODEL_LINEAR) {
        for (size_t k = 0; k < c.data.d; k++) {
            const long double w = (long double)r.model.of.linear.w[k];
            inverse += w * w / 2;
        }
        ASSERT_IN_RANGE(1, (double)(inverse / (long double)r.info.objective), 0.01);
    } else {
        const margin_expansion *e = &r.model.of.expansion;
        for (size_t v = e->class_end[0]; v < e->n; v++) { inverse += (long double)e->coef[v]; }
        ASSERT_IN_RANGE((double)best, (double)((long double)r.info.objective / inverse / inverse),
                        (double)(CASE_FIT * best * 16 + gap + rounding));
        for (size_t v = 0; v < e->n; v++) {
            ASSERT(fabsl((long double)e->coef[v]) <= 2 / nu * inverse * (1 + 64 * CASE_EPS));
        }
    }
    free(r.memory.bytes);
    PASS();
}

TEST nu_of_every_kind_reaches_the_reference_optimum(void) {
    int solved = 0;
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        for (uint32_t seed = 1; seed <= TRIALS(16); seed++) {
            const enum greatest_test_res res = nu_check(kind, seed, &solved);
            if (res != GREATEST_TEST_RES_PASS) {
                fprintf(stderr, "nu: %s, seed %u\n", case_names[kind], (unsigned)seed);
                return res;
            }
        }
    }
    ASSERT(solved >= (int)TRIALS(16) * CASE_KINDS / 4);
    PASS();
}

/* nu = 1 leaves one solution: all weights at their caps, whatever rounding leaves of their sum. */
TEST nu_of_one_weighs_all_samples_alike(void) {
    static margin_real x[60];
    static uint16_t y[60];
    for (size_t half = 1; half <= 30u; half++) {
        const margin_data data = {x, 2u * half, 1, 0, y, NULL, NULL};
        margin_svm_options o;
        svm_result r;
        memset(&o, 0, sizeof o);
        for (size_t i = 0; i < data.n; i++) {
            y[i] = (uint16_t)(i % 2u);
            x[i] = (margin_real)(y[i] == 1 ? 2 : -2) + (margin_real)(i % 7u) / 8;
        }
        o.kernel.kind = MARGIN_KERNEL_RBF;
        o.kernel.gamma = (margin_real)0.1;
        o.nu = 1;
        r = svm_run(&data, &o);
        ASSERT(case_is_settled(r.status));
        const margin_expansion *e = &r.model.of.expansion;
        ASSERT_EQ_FMT(data.n, e->n, "%zu");
        for (size_t v = 0; v < e->n; v++) {
            ASSERT_IN_RANGE(1, fabs((double)(e->coef[v] / e->coef[0])), 1e-4);
        }
        free(r.memory.bytes);
    }
    PASS();
}

/* Of uneven classes the largest nu puts all weights of the smaller class at their caps. Rounding may make
 * it infeasible. */
TEST the_largest_nu_weighs_the_smaller_class_alike(void) {
    static margin_real x[64];
    static uint16_t y[64];
    int solved = 0;
    for (size_t few = 1; few <= 30u; few++) {
        const margin_data data = {x, 2u * few + 4u, 1, 0, y, NULL, NULL};
        margin_svm_options o;
        svm_result r;
        memset(&o, 0, sizeof o);
        for (size_t i = 0; i < data.n; i++) {
            y[i] = i < few ? 1 : 0;
            x[i] = (margin_real)(y[i] == 1 ? 2 : -2) + (margin_real)(i % 7u) / 8;
        }
        o.kernel.kind = MARGIN_KERNEL_RBF;
        o.kernel.gamma = (margin_real)0.1;
        o.nu = 2 * (margin_real)few / (margin_real)data.n;
        r = svm_run(&data, &o);
        if (o.nu * (margin_real)data.n > 2 * (margin_real)few) {
            ASSERT_EQ_FMT((int)MARGIN_E_INFEASIBLE, (int)r.status, "%d");
        } else {
            const margin_expansion *e = &r.model.of.expansion;
            ASSERT(case_is_settled(r.status));
            ASSERT_EQ_FMT(few, (size_t)(e->n - e->class_end[0]), "%zu");
            for (size_t v = e->class_end[0]; v < e->n; v++) {
                ASSERT_IN_RANGE(1, (double)(e->coef[v] / e->coef[e->n - 1u]), 1e-4);
            }
            solved++;
        }
        free(r.memory.bytes);
    }
    ASSERT(solved >= 15);
    PASS();
}

/* ---- numbers at the ends of their range ---- */

/* Squares that are too large are found before any work, kernel values between samples when they show: of x
 * and -x the square of -2 x^2 is infinite where that of x^2 - x^2 is 0. */
TEST values_that_overflow_are_out_of_range(void) {
    const margin_real big = (margin_real)(sizeof(margin_real) > 4u ? 1e154 : 1e19);
    const margin_real side = (margin_real)(sizeof(margin_real) > 4u ? 1e80 : 1e10);
    margin_real x[4] = {big, -1, 1, -big};
    static const uint16_t y[4] = {1, 0, 1, 0};
    const margin_data data = {x, 4, 1, 0, y, NULL, NULL};
    for (unsigned form = 0; form < 6u; form++) {
        margin_svm_options o;
        svm_result r;
        memset(&o, 0, sizeof o);
        o.nu = form % 3u == 1u ? (margin_real)0.5 : 0;
        o.hard_margin = form % 3u == 2u;
        if (form >= 3u) {
            for (size_t i = 0; i < 4u; i++) { x[i] = i == 0 || i == 3u ? side : -side; }
            o.kernel.kind = MARGIN_KERNEL_POLY;
            o.kernel.degree = 2;
            o.kernel.coef0 = -side * side;
        }
        r = svm_run(&data, &o);
        ASSERT_EQ_FMT((int)MARGIN_E_RANGE, (int)r.status, "%d");
        ASSERT(r.memory.mem.low == 0);
        free(r.memory.bytes);
    }
    PASS();
}

/* Raw values far from 0 and so low a price that all weights are at their caps, though rounding hides it
 * until w is a variable of its own: w = C sum y_i x_i, and the bias is where as many of each class err. */
TEST raw_values_at_a_low_price_have_all_weights_at_their_caps(void) {
    const double offset = sizeof(margin_real) > 4u ? 1e9 : 1e4, price = 0.01;
    static margin_real x[16];
    static uint16_t y[16];
    const margin_data data = {x, 16, 1, 0, y, NULL, NULL};
    double w = 0, lowest = 1e30, highest = -1e30;
    margin_svm_options o;
    svm_result r;
    memset(&o, 0, sizeof o);
    for (size_t i = 0; i < 16u; i++) {
        y[i] = (uint16_t)(i % 2u);
        x[i] = (margin_real)(offset + (y[i] == 1 ? 1 : -1) + (double)(i / 2u) / 8);
        w += price * (y[i] == 1 ? 1 : -1) * ((double)x[i] - offset);
    }
    o.c = (margin_real)price;
    r = svm_run(&data, &o);
    ASSERT(r.status >= 0);
    ASSERT_IN_RANGE(w, (double)r.model.of.linear.w[0], 1e-3 * w);
    for (size_t i = 0; i < 16u; i++) { /* scores of class 1 below 1, those of class 0 above -1 */
        const double f = w * ((double)x[i] - offset);
        lowest = fmin(lowest, y[i] == 0 ? f + 1 : lowest);
        highest = fmax(highest, y[i] == 1 ? f - 1 : highest);
    }
    ASSERT_IN_RANGE(-(lowest + highest) / 2,
                    (double)r.model.of.linear.bias[0] + (double)r.model.of.linear.w[0] * offset,
                    sizeof(margin_real) > 4u ? 1e-3 : 0.05);
    free(r.memory.bytes);
    PASS();
}

/* c0 is the least and c1 the largest of those of all pairs of classes. */
TEST bounds_of_many_classes_are_those_of_their_pairs(void) {
    static const margin_real x[12] = {0, 0, 1, 0, 5, 0, 6, 1, 0, 9, 1, 8};
    static const uint16_t y[6] = {0, 0, 1, 1, 2, 2};
    static const margin_index pair[3][4] = {{0, 1, 2, 3}, {0, 1, 4, 5}, {2, 3, 4, 5}};
    const margin_data all = {x, 6, 2, 0, y, NULL, NULL};
    margin_real c0 = 0, c1 = 0;
    margin_svm_options o;
    memset(&o, 0, sizeof o);
    o.bounds = true;
    for (size_t p = 0; p < 3u; p++) {
        uint16_t two[6];
        margin_data data = {x, 4, 2, 0, two, NULL, pair[p]};
        svm_result r;
        for (size_t i = 0; i < 6u; i++) { two[i] = y[i] == y[pair[p][0]] ? 0 : 1; }
        r = svm_run(&data, &o);
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
        c0 = p == 0 || r.report.c0 < c0 ? r.report.c0 : c0;
        c1 = r.report.c1 > c1 ? r.report.c1 : c1;
        free(r.memory.bytes);
    }
    svm_result r = svm_run(&all, &o);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)r.status, "%d");
    ASSERT_IN_RANGE((double)c0, (double)r.report.c0, 1e-6);
    ASSERT_IN_RANGE(1, (double)(r.report.c1 / c1), 1e-3);
    free(r.memory.bytes);
    PASS();
}

/* So many features that parts do not pay: all samples go through one interior point, which is stopped here. */
static bool stop_at_once(void *user, const margin_progress *at) {
    (void)at;
    ++*(int *)user;
    return true;
}

TEST many_samples_of_many_features_are_not_solved_in_parts(void) {
    enum { N = 8192, D = 161 };
    static uint16_t y[N];
    margin_real *x = (margin_real *)malloc(sizeof(margin_real) * N * D);
    margin_data data = {x, N, D, 0, y, NULL, NULL};
    margin_svm_options o;
    uint32_t state = 5;
    int calls = 0;
    svm_result r;
    memset(&o, 0, sizeof o);
    for (size_t i = 0; i < N; i++) {
        y[i] = (uint16_t)(i % 2u);
        for (size_t k = 0; k < D; k++) { x[i * D + k] = case_real(&state); }
    }
    o.watch.progress = stop_at_once;
    o.watch.user = &calls;
    o.run.cache_bytes = 1;
    r = svm_run(&data, &o);
    ASSERT_EQ_FMT((int)MARGIN_W_STOPPED, (int)r.status, "%d");
    ASSERT(calls > 0 && calls <= 3 && r.info.iterations == 0);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check(&r.model), "%d");
    free(r.memory.bytes), free(x);
    PASS();
}

/* The first of the parts is stopped where its weights do not meet their sum: what is handed out does, and
 * is no worse than no weights at all. */
TEST many_samples_in_parts_can_be_stopped(void) {
    const margin_data data = many_problem(0.02, 30, false);
    margin_svm_options o;
    int calls = 0;
    svm_result r;
    memset(&o, 0, sizeof o);
    o.watch.progress = stop_at_once;
    o.watch.user = &calls;
    r = svm_run(&data, &o);
    ASSERT_EQ_FMT((int)MARGIN_W_STOPPED, (int)r.status, "%d");
    ASSERT(calls > 0 && !r.info.converged && r.info.objective <= 0);
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check(&r.model), "%d");
    free(r.memory.bytes);
    PASS();
}

/* ---- parts of many samples ---- */

static uint32_t part_state;
static int part_calls, part_stop;

static double part_draw(void) {
    part_state = part_state * 1664525u + 1013904223u;
    return (part_state >> 8) / 16777216.0;
}

static bool part_stops(void *user, const margin_progress *at) {
    (void)user;
    (void)at;
    return ++part_calls == part_stop;
}

/* Features by kind: normal, cubes of these, of Cauchy, a rare class, some far on the wrong side, whole thirds. */
static margin_data part_problem(unsigned kind, double apart) {
    const size_t n = 8192u + (size_t)(part_draw() * 700), d = 1u + (size_t)(part_draw() * 3);
    const margin_data data = {many_x, n, d, 0, many_y, NULL, NULL};
    for (size_t i = 0; i < n; i++) {
        many_y[i] = (kind == 3u ? i % 50u == 0 : part_draw() < 0.5) ? 1 : 0;
        for (size_t k = 0; k < d; k++) {
            double g = -6;
            for (int t = 0; t < 12; t++) { g += part_draw(); }
            g = kind == 1u ? g * g * g : kind == 5u ? floor(3 * g) / 3 : g;
            g = kind == 2u ? tan((part_draw() - 0.5) * 3.1) : g;
            many_x[i * d + k] = (margin_real)(g + (many_y[i] == 1u ? apart : 0));
        }
        for (size_t k = 0; kind == 4u && i % 333u == 0 && k < d; k++) {
            many_x[i * d + k] = (margin_real)(200 * (many_y[i] == 1u ? -1 : 1) * part_draw());
        }
    }
    return data;
}

/* The primal objective of a linear machine, in double. */
static double part_primal(const margin_data *data, const margin_linear *l, double c) {
    double sum = 0;
    for (size_t i = 0; i < data->n; i++) {
        double f = (double)l->bias[0];
        for (size_t k = 0; k < data->d; k++) {
            f += (double)l->w[k] * (double)data->x[i * data->d + k];
        }
        sum += c * fmax(0, 1 - (data->y[i] == 1u ? f : -f));
    }
    for (size_t k = 0; k < data->d; k++) { sum += (double)l->w[k] * (double)l->w[k] / 2; }
    return sum;
}

/* Samples join the part that is solved for while its solution moves; a stop and a limit end that at any time. What is called
 * solved has no gap between the two objectives. */
TEST parts_of_many_samples_grow_stop_and_end(void) {
    static const struct {
        unsigned kind;
        double apart, c;
        int stop;
        size_t limit;
    } cases[] = {{3, 1.17, 19, 0, 0},    {4, 0.44, 56, 0, 400},    {3, 1.84, 10, 0, 0},
                 {4, 0.09, 3.8, 0, 17},  {2, 1.39, 14, 0, 0},      {3, 0.8, 3, 8, 0},
                 {1, 0.11, 0.17, 4, 0},  {0, 0.11, 0.0004, 19, 0}, {5, 0.11, 7.1, 10, 0},
                 {1, 2.87, 0.0075, 0, 0}};
    size_t solved = 0;
    part_state = 1;
    for (size_t t = 0; t < sizeof cases / sizeof cases[0]; t++) {
        const margin_data data = part_problem(cases[t].kind, cases[t].apart);
        margin_svm_options options = {0};
        options.c = (margin_real)cases[t].c;
        options.run.max_iterations = cases[t].limit;
        part_calls = 0;
        part_stop = cases[t].stop;
        if (part_stop > 0) { options.watch.progress = part_stops; }
        const svm_result r = svm_run(&data, &options);
        ASSERT(r.status >= 0);
        ASSERT_EQ(MARGIN_OK, margin_model_check(&r.model));
        ASSERT(r.info.converged == (r.status == MARGIN_OK));
        ASSERT(part_stop == 0 || part_calls < part_stop || r.status == MARGIN_W_STOPPED);
        ASSERT(cases[t].limit == 0 || r.info.iterations <= cases[t].limit);
        if (r.info.converged) {
            const double primal = part_primal(&data, &r.model.of.linear, cases[t].c);
            ASSERT_IN_RANGE(1.0, -(double)r.info.objective / primal, 1e-2);
            solved++;
        }
        free(r.memory.bytes);
    }
    ASSERT(solved >= 3u);
    PASS();
}

SUITE(svm_suite);
SUITE(svm_suite) {
    RUN_TEST(many_samples_in_parts_can_be_stopped);
    RUN_TEST(nu_of_every_kind_reaches_the_reference_optimum);
    RUN_TEST(nu_of_one_weighs_all_samples_alike);
    RUN_TEST(the_largest_nu_weighs_the_smaller_class_alike);
    RUN_TEST(values_that_overflow_are_out_of_range);
    RUN_TEST(raw_values_at_a_low_price_have_all_weights_at_their_caps);
    RUN_TEST(bounds_of_many_classes_are_those_of_their_pairs);
    RUN_TEST(many_samples_of_many_features_are_not_solved_in_parts);
    RUN_TEST(random_problems_of_every_kind_reach_the_reference_optimum);
    RUN_TEST(random_problems_with_nu_meet_the_optimality_conditions);
    RUN_TEST(two_points_give_the_bisector);
    RUN_TEST(caps_are_the_price_times_the_weight);
    RUN_TEST(classes_have_their_own_price);
    RUN_TEST(samples_of_weight_zero_are_not_there);
    RUN_TEST(hard_margin_finds_the_nearest_points_of_the_hulls);
    RUN_TEST(hard_margin_does_not_depend_on_the_origin);
    RUN_TEST(hard_margin_is_the_limit_of_large_prices);
    RUN_TEST(hard_margin_says_when_there_is_none);
    RUN_TEST(c0_is_four_over_longest_vector_and_largest_distance);
    RUN_TEST(c1_of_a_sample_at_the_origin_is_zero);
    RUN_TEST(c0_of_equal_samples_is_zero);
    RUN_TEST(prices_that_are_no_prices_are_refused);
    RUN_TEST(extreme_prices_and_weights_do_no_harm);
    RUN_TEST(a_machine_without_support_has_one_vector);
    RUN_TEST(raw_values_of_any_unit_reach_the_optimum);
    RUN_TEST(counts_far_from_zero_reach_the_optimum);
    RUN_TEST(many_samples_in_parts_reach_the_optimum);
    RUN_TEST(a_rank_reaches_the_optimum_of_pairs);
    RUN_TEST(parts_of_many_samples_grow_stop_and_end);
}
