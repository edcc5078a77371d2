/* KM-OMD: against a slow reference, its optimality conditions, and by hand. */
#include "solver_cases.h"

typedef struct {
    margin_status status;
    margin_model model;
    margin_info info;
    margin_kmomd_report report;
    solver_memory memory;
} kmomd_result;

static kmomd_result kmomd_run(const margin_data *data, const margin_kmomd_options *o) {
    kmomd_result r;
    size_t classes = 2;
    (void)margin_data_classes(data, &classes);
    memset(&r, 0, sizeof r);
    r.memory = solver_memory_make(margin_kmomd_train_size(data->n, data->d, classes, o));
    r.status = margin_kmomd_train(data, o, &r.memory.mem, &r.model, &r.info, &r.report);
    return r;
}

static void kmomd_programme(const solver_case *c, margin_real lambda, qp_reference *q) {
    case_programme(c, q);
    q->c = 2 * (1 - (long double)lambda);
    q->by_class = true;
    for (size_t i = 0; i < q->n; i++) {
        q->ridge[i] = 2 * (long double)lambda / (long double)c->weight[i];
    }
}

/* |v|^2 = b'Kb. */
static long double kmomd_square(const qp_reference *q, const long double *b) {
    long double sum = 0;
    for (size_t i = 0; i < q->n; i++) {
        for (size_t j = 0; j < q->n; j++) { sum += b[i] * q->k[i][j] * b[j]; }
    }
    return sum;
}

/* Sums, optimality conditions and threshold of an expansion; its coefficients are b / |v|. */
static enum greatest_test_res kmomd_check_kkt(const solver_case *c, const qp_reference *q,
                                              const kmomd_result *r, long double rounding) {
    const long double length = (long double)r->report.game_value;
    long double b[CASE_N], sum[2] = {0, 0}, middle = 0;
    ASSERT(case_coefficients(c, &r->model.of.expansion, b));
    for (size_t i = 0; i < q->n; i++) {
        b[i] *= length;
        ASSERT(b[i] * q->y[i] >= 0);
        sum[q->y[i] > 0] += b[i];
    }
    ASSERT_IN_RANGE(-1, (double)sum[0], 64 * CASE_EPS);
    ASSERT_IN_RANGE(1, (double)sum[1], 64 * CASE_EPS);
    if (c->kind != CASE_WEIGHTS && c->kind != CASE_DUPLICATES) {
        ASSERT(qp_violation(q, b) <= CASE_TOL * (long double)r->info.objective + rounding);
    }
    for (size_t i = 0; i < q->n; i++) {
        for (size_t j = 0; j < q->n; j++) { middle += fabsl(b[i]) * q->k[i][j] * b[j] / 2; }
    }
    ASSERT_IN_RANGE((double)(-middle / length), (double)r->info.bias, (double)(rounding / length));
    PASS();
}

static enum greatest_test_res kmomd_check(int kind, uint32_t seed, margin_real lambda, int *sharp) {
    solver_case c = case_make(kind, seed);
    margin_kmomd_options o;
    long double gap, best, square, rounding;
    qp_reference q;
    kmomd_result r;
    case_settle(&c);
    memset(&o, 0, sizeof o);
    o.kernel = c.kernel;
    o.lambda = lambda;
    o.run.tol = (margin_real)CASE_TOL;
    kmomd_programme(&c, lambda, &q);
    gap = qp_solve(&q, 100000);
    best = qp_objective(&q, q.b);
    square = kmomd_square(&q, q.b);
    *sharp += gap <= CASE_FIT * best;
    rounding = 1024 * CASE_EPS * case_peak(&q);
    r = kmomd_run(&c.data, &o);
    if (r.status == MARGIN_E_NO_DIRECTION) {
        ASSERT(square <= rounding + gap);
        free(r.memory.bytes);
        PASS();
    }
    ASSERT(case_is_settled(r.status));
    ASSERT_EQ(r.info.converged, r.status == MARGIN_OK);
    ASSERT_IN_RANGE((double)best, (double)r.info.objective,
                    (double)(CASE_FIT * best + gap + rounding));
    ASSERT((double)(r.info.violation * r.info.objective) <=
           CASE_TOL * (double)r.info.objective + (double)rounding);
    ASSERT((long double)(r.info.objective - r.info.gap) <= best + rounding + CASE_FIT * best);
    ASSERT_IN_RANGE(
        (double)square, (double)(r.report.game_value * r.report.game_value),
        (double)((CASE_FIT * best * 64 + gap) / (1 - (double)lambda + 1e-3) + rounding));
    if (r.model.kind == MARGIN_MODEL_EXPANSION) {
        CHECK_CALL(kmomd_check_kkt(&c, &q, &r, rounding));
    }
    free(r.memory.bytes);
    PASS();
}

TEST random_problems_of_every_kind_reach_the_reference_optimum(void) {
    static const double lambdas[] = {0.001, 0.1, 0.5, 0.99, 1};
    int sharp = 0;
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        for (uint32_t seed = 1; seed <= TRIALS(40); seed++) {
            const enum greatest_test_res res =
                kmomd_check(kind, seed, (margin_real)lambdas[seed % 5], &sharp);
            if (res != GREATEST_TEST_RES_PASS) {
                fprintf(stderr, "kmomd: %s, seed %u\n", case_names[kind], (unsigned)seed);
                return res;
            }
        }
    }
    ASSERT(sharp >= CASE_KINDS * TRIALS(40) * 8 / 10);
    PASS();
}

/* Hulls of distance |v| or, for the reference, at most as far apart as |v| and its gap say. */
TEST hard_margin_knows_whether_the_hulls_meet(void) {
    int apart = 0, meet = 0;
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        for (uint32_t seed = 1; seed <= TRIALS(12); seed++) {
            solver_case c = case_make(kind, seed);
            margin_kmomd_options o;
            long double gap, square, noise;
            qp_reference q;
            kmomd_result r;
            case_settle(&c);
            memset(&o, 0, sizeof o);
            o.kernel = c.kernel;
            o.hard_margin = true;
            kmomd_programme(&c, 0, &q);
            gap = qp_solve(&q, 100000);
            square = kmomd_square(&q, q.b);
            noise = 4096 * CASE_EPS * case_peak(&q);
            r = kmomd_run(&c.data, &o);
            if (square - gap > noise) {
                apart++;
                ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
                ASSERT_IN_RANGE((double)square, (double)r.info.objective,
                                (double)(2e-3L * square + gap + noise));
                ASSERT((double)r.info.margin_min > 0);
            } else if (square < noise / 4096) {
                meet++;
                ASSERT_EQ_FMT(MARGIN_E_NOT_SEPARABLE, r.status, "%d");
            }
            free(r.memory.bytes);
        }
    }
    ASSERT(apart > TRIALS(40) && meet > TRIALS(20));
    PASS();
}

/* Ended early, while the gap is still too large to show that the hulls do not meet. */
TEST hard_margin_that_is_not_done_is_no_refusal(void) {
    int early = 0;
    for (uint32_t seed = 1; seed <= 12u; seed++) {
        solver_case c = case_make(CASE_PLAIN, seed);
        margin_kmomd_options o;
        case_settle(&c);
        memset(&o, 0, sizeof o);
        o.kernel.kind = MARGIN_KERNEL_RBF; /* every two sets of points can be separated */
        o.kernel.gamma = 1;
        o.hard_margin = true;
        o.run.max_iterations = 1;
        kmomd_result r = kmomd_run(&c.data, &o);
        ASSERT(r.status == MARGIN_OK || r.status == MARGIN_W_ITERATIONS);
        early += r.status == MARGIN_W_ITERATIONS && r.info.gap >= 2 * r.info.objective;
        free(r.memory.bytes);
    }
    ASSERT(early > 0);
    PASS();
}

/* Points 0 and 4: v = 4, score (x - 2), entropy of single samples 1. */
TEST two_points_give_the_bisector(void) {
    static const margin_real x[] = {0, 4};
    static const uint16_t y[] = {0, 1};
    const margin_data data = {x, 2, 1, 0, y, NULL, NULL};
    kmomd_result r = kmomd_run(&data, NULL);
    ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
    ASSERT_IN_RANGE(1.0, (double)r.model.of.linear.w[0], 1e-6);
    ASSERT_IN_RANGE(-2.0, (double)r.info.bias, 1e-6);
    ASSERT_IN_RANGE(4.0, (double)r.report.game_value, 1e-6);
    ASSERT_IN_RANGE(0.9 * 16 + 0.1 * 2, (double)r.info.objective, 1e-5);
    ASSERT_IN_RANGE(1.0, (double)r.report.entropy, 1e-6);
    ASSERT_IN_RANGE(2.0, (double)r.info.margin_min, 1e-6);
    free(r.memory.bytes);
    PASS();
}

/* lambda = 1: means 1 and 5 (of 4 and 6), v = 4, midway 3; no iterations. */
TEST lambda_one_is_the_difference_of_the_means(void) {
    static const margin_real x[] = {0, 2, 4, 6};
    static const uint16_t y[] = {0, 0, 1, 1};
    const margin_data data = {x, 4, 1, 0, y, NULL, NULL};
    margin_kmomd_options o;
    for (unsigned kind = 0; kind < 2; kind++) {
        kmomd_result r;
        memset(&o, 0, sizeof o);
        o.lambda = 1;
        o.kernel.kind = kind == 0 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_POLY;
        o.kernel.degree = 1;
        r = kmomd_run(&data, &o);
        ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
        ASSERT_EQ_FMT((size_t)0, r.info.iterations, "%zu");
        ASSERT_IN_RANGE(4.0, (double)r.report.game_value, 1e-5);
        ASSERT_IN_RANGE(-3.0, (double)r.info.bias, 1e-5);
        ASSERT_IN_RANGE(1.0, (double)r.report.entropy, 1e-6);
        ASSERT_IN_RANGE(1.0, (double)r.info.objective, 1e-6); /* 4 * (1/2)^2 */
        free(r.memory.bytes);
    }
    PASS();
}

/* A sample of weight 2 is two samples. */
TEST weights_stand_for_copies(void) {
    static const margin_real twice[] = {0, 1, 1, 2, 5, 5, 7, 3}, once[] = {0, 1, 2, 5, 7, 3};
    static const margin_real weight[] = {1, 2, 1, 2, 1, 1};
    static const uint16_t label[] = {0, 0, 0, 0, 1, 1, 1, 1}, y[] = {0, 0, 0, 1, 1, 1};
    const margin_data copies = {twice, 8, 1, 0, label, NULL, NULL};
    const margin_data data = {once, 6, 1, 0, y, weight, NULL};
    static const double lambdas[] = {0.02, 0.3, 1};
    for (unsigned kind = 0; kind < 6; kind++) {
        margin_kmomd_options o;
        kmomd_result a, b;
        memset(&o, 0, sizeof o);
        o.lambda = (margin_real)lambdas[kind / 2];
        o.kernel.kind = kind % 2 == 0 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_RBF;
        o.run.tol = (margin_real)1e-5;
        a = kmomd_run(&copies, &o);
        b = kmomd_run(&data, &o);
        ASSERT_EQ_FMT(MARGIN_OK, a.status, "%d");
        ASSERT_EQ_FMT(MARGIN_OK, b.status, "%d");
        ASSERT_IN_RANGE((double)a.info.objective, (double)b.info.objective,
                        1e-4 * (double)a.info.objective);
        ASSERT_IN_RANGE((double)a.report.game_value, (double)b.report.game_value, 1e-3);
        ASSERT_IN_RANGE((double)a.info.bias, (double)b.info.bias, 1e-3);
        free(a.memory.bytes), free(b.memory.bytes);
    }
    PASS();
}

TEST tiny_weights_do_no_harm(void) {
    static const margin_real x[] = {0, 1, 2, 5, 7, 3};
    static const margin_real weight[] = {1, FLT_MIN, 1, 1, 1, FLT_MIN / 1024};
    static const uint16_t y[] = {0, 0, 0, 1, 1, 1};
    const margin_data data = {x, 6, 1, 0, y, weight, NULL};
    for (unsigned ends = 0; ends < 2; ends++) { /* means 1 and 6; nearest points 2 and 5 */
        margin_kmomd_options o;
        kmomd_result r;
        memset(&o, 0, sizeof o);
        o.lambda = ends == 0 ? 1 : (margin_real)1e-3;
        r = kmomd_run(&data, &o);
        ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
        ASSERT_IN_RANGE(ends == 0 ? 5 : 3, (double)r.report.game_value, 5e-3);
        free(r.memory.bytes);
    }
    PASS();
}

TEST lambdas_that_are_no_lambdas_are_refused(void) {
    static const margin_real x[] = {0, 2};
    static const uint16_t y[] = {0, 1};
    const margin_data data = {x, 2, 1, 0, y, NULL, NULL};
    const margin_real bad[] = {(margin_real)-0.1, (margin_real)1.1, (margin_real)NAN};
    for (size_t k = 0; k < 3; k++) {
        margin_kmomd_options o;
        margin_model model;
        solver_memory m = solver_memory_make(4096);
        memset(&o, 0, sizeof o);
        o.lambda = bad[k];
        ASSERT_EQ_FMT((size_t)0, margin_kmomd_train_size(2, 1, 2, &o), "%zu");
        ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_kmomd_train(&data, &o, &m.mem, &model, NULL, NULL),
                      "%d");
        free(m.bytes);
    }
    PASS();
}

TEST coinciding_means_have_no_direction(void) {
    static const margin_real x[] = {-1, 1, -2, 2};
    static const uint16_t y[] = {0, 0, 1, 1};
    const margin_data data = {x, 4, 1, 0, y, NULL, NULL};
    margin_kmomd_options o;
    kmomd_result r;
    memset(&o, 0, sizeof o);
    o.lambda = (margin_real)0.5;
    r = kmomd_run(&data, &o);
    ASSERT_EQ_FMT(MARGIN_E_NO_DIRECTION, r.status, "%d");
    ASSERT_EQ_FMT((size_t)0, r.memory.mem.low, "%zu");
    free(r.memory.bytes);
    PASS();
}

/* Weights of the two classes: 1/2, 1/2 and 1, 0: entropies 1 and 0. */
TEST entropy_is_the_mean_over_the_classes(void) {
    static const margin_real x[] = {0, 1, 0, -1, 3, 0, 30, 0};
    static const uint16_t y[] = {0, 0, 1, 1};
    const margin_data data = {x, 4, 2, 0, y, NULL, NULL};
    margin_kmomd_options o;
    kmomd_result r;
    memset(&o, 0, sizeof o);
    o.hard_margin = true;
    r = kmomd_run(&data, &o);
    ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
    ASSERT_IN_RANGE(0.5, (double)r.report.entropy, 1e-3);
    ASSERT_IN_RANGE(3.0, (double)r.report.game_value, 1e-3);
    free(r.memory.bytes);
    PASS();
}

/* Classes of Gaussians 3 apart along the first feature: with so many samples v is that direction, whatever
 * lambda, and the gap to the optimum is small. */
TEST many_samples_find_the_direction(void) {
    enum { N = 8300 };
    static margin_real x[N * 2];
    static uint16_t y[N];
    const margin_data data = {x, N, 2, 0, y, NULL, NULL};
    margin_rng rng = margin_rng_make(3);
    kmomd_result r;
    for (size_t i = 0; i < N; i++) {
        y[i] = (uint16_t)(i % 2u);
        x[2u * i] = margin_rng_normal(&rng) + (y[i] == 1 ? 3 : 0);
        x[2u * i + 1u] = margin_rng_normal(&rng);
    }
    r = kmomd_run(&data, NULL);
    ASSERT(case_is_settled(r.status));
    ASSERT_IN_RANGE(1, (double)r.model.of.linear.w[0], 0.02);
    ASSERT_IN_RANGE(0, (double)r.model.of.linear.w[1], 0.2);
    ASSERT((double)r.info.gap <= 0.05 * (double)r.info.objective);
    free(r.memory.bytes);
    PASS();
}

SUITE(kmomd_suite);
SUITE(kmomd_suite) {
    RUN_TEST(many_samples_find_the_direction);
    RUN_TEST(random_problems_of_every_kind_reach_the_reference_optimum);
    RUN_TEST(hard_margin_knows_whether_the_hulls_meet);
    RUN_TEST(hard_margin_that_is_not_done_is_no_refusal);
    RUN_TEST(two_points_give_the_bisector);
    RUN_TEST(lambda_one_is_the_difference_of_the_means);
    RUN_TEST(weights_stand_for_copies);
    RUN_TEST(tiny_weights_do_no_harm);
    RUN_TEST(lambdas_that_are_no_lambdas_are_refused);
    RUN_TEST(coinciding_means_have_no_direction);
    RUN_TEST(entropy_is_the_mean_over_the_classes);
}
