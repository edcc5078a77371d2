/* What all trainers share: several classes, statuses, memory, progress; by way of kmomd and svm. */
#include "arena_sweep.h"
#include "solver_cases.h"

#define N 60
#define D 5

/* N points of D features around `classes` centres, labels in turn. */
typedef struct {
    margin_real x[N * D];
    uint16_t y[N];
    margin_data data;
} cloud;

static void cloud_fill(cloud *c, size_t n, size_t d, size_t classes, uint32_t seed) {
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < n; i++) {
        c->y[i] = (uint16_t)(i % classes);
        for (size_t k = 0; k < d; k++) {
            c->x[i * d + k] = case_real(&seed) + (margin_real)(k % classes == c->y[i] ? 0.4 : 0);
        }
    }
    c->data.x = c->x;
    c->data.y = c->y;
    c->data.n = n;
    c->data.d = d;
}

enum { KMOMD, SVM };

/* One training by either method, in exactly the memory that it asks for. */
typedef struct {
    int method;
    margin_kmomd_options kmomd;
    margin_svm_options svm;
    const margin_data *data;
    size_t classes;
    margin_status status;
    margin_model model;
    margin_info info;
    solver_memory memory;
} training;

static void training_make(training *t, int method, const margin_data *data, size_t classes,
                          unsigned kernel) {
    memset(t, 0, sizeof *t);
    t->method = method;
    t->data = data;
    t->classes = classes;
    t->kmomd.kernel.kind = (uint8_t)kernel;
    t->svm.kernel.kind = (uint8_t)kernel;
}

static margin_control *training_control(training *t) {
    return t->method == KMOMD ? &t->kmomd.run : &t->svm.run;
}

static uint8_t *training_scheme(training *t) {
    return t->method == KMOMD ? &t->kmomd.scheme : &t->svm.scheme;
}

static margin_watch *training_watch(training *t) {
    return t->method == KMOMD ? &t->kmomd.watch : &t->svm.watch;
}

static size_t training_size(const training *t) {
    return t->method == KMOMD
               ? margin_kmomd_train_size(t->data->n, t->data->d, t->classes, &t->kmomd)
               : margin_svm_train_size(t->data->n, t->data->d, t->classes, &t->svm);
}

static margin_status training_call(training *t, margin_arena *mem) {
    return t->method == KMOMD
               ? margin_kmomd_train(t->data, &t->kmomd, mem, &t->model, &t->info, NULL)
               : margin_svm_train(t->data, &t->svm, mem, &t->model, &t->info, NULL);
}

static void training_run(training *t) {
    t->memory = solver_memory_make(training_size(t));
    t->status = training_call(t, &t->memory.mem);
}

static margin_status training_operation(margin_arena *mem, void *problem) {
    return training_call((training *)problem, mem);
}

static uint32_t hash_bytes(uint32_t hash, const void *bytes, size_t n) {
    const unsigned char *p = (const unsigned char *)bytes;
    for (size_t i = 0; i < n; i++) { hash = (hash ^ p[i]) * 16777619u; }
    return hash;
}

/* Over all numbers of a model and of the report, but for the memory that it took. */
static uint32_t training_hash(const training *t) {
    const size_t machines = margin_machines(margin_model_vote(&t->model)->scheme, t->classes);
    margin_info info = t->info;
    uint32_t hash = 2166136261u;
    info.arena_peak = 0;
    hash = hash_bytes(hash, &info, sizeof info);
    if (t->model.kind == MARGIN_MODEL_LINEAR) {
        const margin_linear *m = &t->model.of.linear;
        hash = hash_bytes(hash, m->w, machines * m->d * sizeof *m->w);
        return hash_bytes(hash, m->bias, machines * sizeof *m->bias);
    } else {
        const margin_expansion *m = &t->model.of.expansion;
        hash = hash_bytes(hash, m->vectors, m->n * m->d * sizeof *m->vectors);
        hash = hash_bytes(hash, m->norms, m->n * sizeof *m->norms);
        hash = hash_bytes(hash, m->coef, m->n * m->width * sizeof *m->coef);
        hash = hash_bytes(hash, m->class_end, t->classes * sizeof *m->class_end);
        return hash_bytes(hash, m->bias, machines * sizeof *m->bias);
    }
}

/* ---- several classes ---- */

/* One sample a class, at 0, 2 and 5. The machine of two of them, a apart, has w = 2/a and scores -1 and
 * 1 there; in kernel form alpha = 2/a^2. */
TEST three_points_give_three_bisectors(void) {
    static const margin_real x[] = {0, 2, 5};
    static const uint16_t y[] = {0, 1, 2};
    static const double w[] = {2.0 / 2, 2.0 / 5, 2.0 / 3}, bias[] = {-1, -1, -1 - 4.0 / 3};
    const margin_data data = {x, 3, 1, 0, y, NULL, NULL};
    training t;
    training_make(&t, SVM, &data, 3, MARGIN_KERNEL_LINEAR);
    t.svm.c = 10;
    training_run(&t);
    ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
    ASSERT_EQ_FMT(MARGIN_SCHEME_ONE_ONE, (int)t.model.of.linear.vote.scheme, "%d");
    ASSERT_EQ_FMT(3, (int)t.model.of.linear.vote.classes, "%d");
    for (size_t j = 0; j < 3; j++) {
        ASSERT_IN_RANGE(w[j], (double)t.model.of.linear.w[j], 1e-5);
        ASSERT_IN_RANGE(bias[j], (double)t.model.of.linear.bias[j], 1e-5);
    }
    ASSERT_EQ_FMT((size_t)3, t.info.support, "%zu");
    ASSERT_IN_RANGE(1, (double)t.info.margin_min, 1e-5);
    /* -2/a^2 each */
    ASSERT_IN_RANGE(-2.0 / 4 - 2.0 / 25 - 2.0 / 9, (double)t.info.objective, 1e-5);
    free(t.memory.bytes);
    PASS();
}

TEST coefficients_of_pairs_stand_with_the_other_class(void) {
    static const margin_real x[] = {0, 2, 5};
    static const uint16_t y[] = {0, 1, 2};
    static const double coef[] = {-2.0 / 4, -2.0 / 25, 2.0 / 4, -2.0 / 9, 2.0 / 25, 2.0 / 9};
    const margin_data data = {x, 3, 1, 0, y, NULL, NULL};
    training t;
    training_make(&t, SVM, &data, 3, MARGIN_KERNEL_POLY);
    t.svm.kernel.degree = 1;
    t.svm.c = 10;
    training_run(&t);
    ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
    ASSERT_EQ_FMT(2, (int)t.model.of.expansion.width, "%d");
    ASSERT_EQ_FMT((size_t)3, t.model.of.expansion.n, "%zu");
    for (size_t j = 0; j < 6; j++) {
        ASSERT_IN_RANGE(coef[j], (double)t.model.of.expansion.coef[j], 1e-5);
    }
    for (size_t c = 0; c < 3; c++) {
        ASSERT_EQ_FMT((int)c + 1, (int)t.model.of.expansion.class_end[c], "%d");
    }
    free(t.memory.bytes);
    PASS();
}

/* Classes at the corners of a triangle, each against the rest: by symmetry the three machines have
 * turned weights and the same bias, and every sample is on its side. */
TEST each_class_against_the_rest_is_symmetric_on_a_triangle(void) {
    static const margin_real x[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint16_t y[] = {2, 0, 1};
    const margin_data data = {x, 3, 3, 0, y, NULL, NULL};
    for (unsigned kernel = 0; kernel < 2; kernel++) {
        training t;
        training_make(&t, SVM, &data, 3, kernel);
        t.svm.kernel.degree = 1;
        t.svm.kernel.gamma = 1;
        t.svm.c = 100;
        *training_scheme(&t) = MARGIN_SCHEME_ONE_REST;
        training_run(&t);
        ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
        for (size_t i = 0; i < 3; i++) {
            margin_real scores[3];
            ASSERT_EQ_FMT((int)y[i], (int)margin_classify(&t.model, x + 3 * i, scores), "%d");
            for (size_t c = 0; c < 3;
                 c++) { /* nearest points of the hulls: 1 apart from 1/2, 1/2 */
                ASSERT_IN_RANGE(c == y[i] ? 1 : -1, (double)scores[c], 1e-3);
            }
        }
        ASSERT_IN_RANGE(2, (double)t.info.margin_min, 2e-3);
        free(t.memory.bytes);
    }
    PASS();
}

/* Every machine of a scheme is the binary machine of its samples. */
static enum greatest_test_res check_machines(int method, unsigned kernel, unsigned scheme) {
    cloud all, two;
    training many, one;
    size_t j = 0;
    cloud_fill(&all, 40, 4, 4, 7);
    training_make(&many, method, &all.data, 4, kernel);
    *training_scheme(&many) = (uint8_t)scheme;
    training_run(&many);
    ASSERT_EQ_FMT(MARGIN_OK, many.status, "%d");
    for (size_t a = 0; a < 4; a++) {
        for (size_t b = scheme == MARGIN_SCHEME_ONE_REST ? a : a + 1; b < 4; b++) {
            cloud_fill(&two, 40, 4, 4, 7);
            two.data.n = 0;
            for (size_t i = 0; i < 40; i++) {
                if (a == b || all.y[i] == a || all.y[i] == b) {
                    memcpy(two.x + two.data.n * 4, all.x + i * 4, 4 * sizeof *two.x);
                    two.y[two.data.n++] = all.y[i] == b ? 1 : 0;
                }
            }
            training_make(&one, method, &two.data, 2, kernel);
            training_run(&one);
            ASSERT_EQ_FMT(MARGIN_OK, one.status, "%d");
            for (size_t i = 0; i < 40; i++) {
                margin_real scores[6], score;
                margin_scores(&many.model, all.x + i * 4, scores);
                margin_scores(&one.model, all.x + i * 4, &score);
                ASSERT_IN_RANGE((double)score, (double)scores[j], 5e-3);
            }
            free(one.memory.bytes);
            j++;
            if (a == b) { break; }
        }
    }
    ASSERT_EQ_FMT(margin_machines(scheme, 4), j, "%zu");
    free(many.memory.bytes);
    PASS();
}

TEST every_machine_is_that_of_its_two_sides_alone(void) {
    static const unsigned kernels[] = {MARGIN_KERNEL_LINEAR, MARGIN_KERNEL_RBF};
    static const unsigned schemes[] = {MARGIN_SCHEME_ONE_ONE, MARGIN_SCHEME_ONE_REST,
                                       MARGIN_SCHEME_VOTES};
    for (int k = 0; k < 12; k++) {
        CHECK_CALL(check_machines(k % 2, kernels[k / 2 % 2], schemes[k / 4]));
    }
    PASS();
}

TEST support_counts_samples_of_any_machine(void) {
    cloud c;
    training linear, kernel;
    cloud_fill(&c, 60, 3, 3, 5);
    training_make(&linear, SVM, &c.data, 3, MARGIN_KERNEL_LINEAR);
    training_make(&kernel, SVM, &c.data, 3, MARGIN_KERNEL_POLY);
    kernel.svm.kernel.degree = 1;
    kernel.svm.kernel.gamma = 1;
    linear.svm.run.tol = kernel.svm.run.tol = (margin_real)1e-5;
    training_run(&linear);
    training_run(&kernel);
    ASSERT_EQ_FMT(MARGIN_OK, linear.status, "%d");
    ASSERT_EQ_FMT(MARGIN_OK, kernel.status, "%d");
    ASSERT_EQ_FMT(kernel.model.of.expansion.n, kernel.info.support, "%zu");
    ASSERT_IN_RANGE((double)kernel.info.support, (double)linear.info.support, 2);
    ASSERT(linear.info.support < 60);
    free(linear.memory.bytes), free(kernel.memory.bytes);
    PASS();
}

/* ---- the report ---- */

TEST margins_are_those_of_the_training_samples(void) {
    for (int k = 0; k < 12; k++) {
        cloud c;
        training t;
        margin_real margin[N], scores[6], mean = 0, least = 1e9f;
        const size_t classes = k < 6 ? 2 : 3;
        cloud_fill(&c, N, D, classes, 3);
        training_make(&t, k % 2, &c.data, classes, (unsigned)(k / 2 % 3));
        training_run(&t);
        ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
        for (size_t i = 0; i < N; i++) {
            const margin_vote *vote = margin_model_vote(&t.model);
            margin_scores(&t.model, c.x + i * D, scores);
            margin[i] = margin_margin(vote->scheme, classes, scores, c.y[i]);
            mean += margin[i] / N;
            least = margin[i] < least ? margin[i] : least;
        }
        ASSERT_IN_RANGE((double)least, (double)t.info.margin_min, 1e-3);
        ASSERT_IN_RANGE((double)mean, (double)t.info.margin_mean, 1e-3);
        for (size_t p = 0; p < 5; p++) { /* as many margins at or below as the quantile says */
            static const int percent[] = {5, 25, 50, 75, 95};
            int below = 0, up_to = 0;
            for (size_t i = 0; i < N; i++) {
                below += (double)margin[i] < (double)t.info.margin_quantile[p] - 1e-3;
                up_to += (double)margin[i] <= (double)t.info.margin_quantile[p] + 1e-3;
            }
            ASSERT(below * 100 <= percent[p] * N && up_to * 100 >= percent[p] * (N - 1));
        }
        free(t.memory.bytes);
    }
    PASS();
}

TEST order_of_the_samples_does_not_change_the_optimum(void) {
    for (int k = 0; k < 6; k++) {
        cloud c;
        training t, r;
        margin_index rows[N];
        margin_data turned;
        uint32_t seed = 9;
        cloud_fill(&c, N, D, 2, 3);
        for (size_t i = 0; i < N; i++) {
            const size_t j = case_below(&seed, i + 1);
            rows[i] = rows[j];
            rows[j] = (margin_index)i;
        }
        turned = c.data;
        turned.rows = rows;
        training_make(&t, k % 2, &c.data, 2, (unsigned)(k / 2));
        training_make(&r, k % 2, &turned, 2, (unsigned)(k / 2));
        training_control(&t)->tol = training_control(&r)->tol = (margin_real)CASE_TOL;
        training_run(&t);
        training_run(&r);
        ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
        ASSERT_EQ_FMT(MARGIN_OK, r.status, "%d");
        ASSERT_IN_RANGE((double)t.info.objective, (double)r.info.objective,
                        CASE_FIT * fabs((double)t.info.objective));
        ASSERT_IN_RANGE((double)t.info.bias, (double)r.info.bias, 20 * CASE_FIT);
        free(t.memory.bytes), free(r.memory.bytes);
    }
    PASS();
}

/* ---- memory ---- */

TEST size_queries_are_exact_to_the_byte(void) {
    for (int k = 0; k < 16; k++) {
        cloud c;
        training t;
        const size_t classes = k % 4 < 2 ? 2 : 3, d = k / 4 % 2 == 0 ? 2 : 5;
        const unsigned kernel = k < 8 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_RBF;
        cloud_fill(&c, 12, d, classes, 3);
        training_make(&t, k % 2, &c.data, classes, kernel);
        training_control(&t)->rank = k == 9 || k == 10 ? 3 : 0;
        training_control(&t)->cache_bytes = k > 12 ? 1 : 0;
        *training_scheme(&t) = k == 11 ? MARGIN_SCHEME_ONE_REST : 0;
        CHECK_CALL(
            arena_sweep(training_operation, &t, training_size(&t), &t.model, sizeof t.model));
        ASSERT_EQ_FMT(training_size(&t), t.info.arena_peak, "%zu");
    }
    PASS();
}

/* An array type needs a constant expression, and takes no memory. */
#define CHECK_MACRO(n, d, classes, plan, cache)                                                    \
    do {                                                                                           \
        typedef unsigned char linear[MARGIN_SVM_LINEAR_BYTES(n, d, classes, plan, cache)];         \
        typedef unsigned char kernel[MARGIN_KMOMD_KERNEL_BYTES(n, d, classes, plan, cache)];       \
        margin_svm_options svm;                                                                    \
        margin_kmomd_options kmomd;                                                                \
        memset(&svm, 0, sizeof svm);                                                               \
        memset(&kmomd, 0, sizeof kmomd);                                                           \
        kmomd.kernel.kind = MARGIN_KERNEL_RBF;                                                     \
        svm.scheme = kmomd.scheme = plan;                                                          \
        svm.run.cache_bytes = kmomd.run.cache_bytes = cache;                                       \
        ASSERT_EQ_FMT(margin_svm_train_size(n, d, classes, &svm) + MARGIN_ALIGN - 1u,              \
                      sizeof(linear), "%zu");                                                      \
        ASSERT_EQ_FMT(margin_kmomd_train_size(n, d, classes, &kmomd) + MARGIN_ALIGN - 1u,          \
                      sizeof(kernel), "%zu");                                                      \
    } while (0)

#define CHECK_CACHES(n, d, classes, plan)                                                          \
    CHECK_MACRO(n, d, classes, plan, 0);                                                           \
    CHECK_MACRO(n, d, classes, plan, 1);                                                           \
    CHECK_MACRO(n, d, classes, plan, 5000);                                                        \
    CHECK_MACRO(n, d, classes, plan, 50000)

#define CHECK_SHAPES(classes, plan)                                                                \
    CHECK_CACHES(8, 2, classes, plan);                                                             \
    CHECK_CACHES(8, 3, classes, plan);                                                             \
    CHECK_CACHES(8, 9, classes, plan);                                                             \
    CHECK_CACHES(63, 15, classes, plan);                                                           \
    CHECK_CACHES(64, 14, classes, plan);                                                           \
    CHECK_CACHES(64, 30, classes, plan);                                                           \
    CHECK_CACHES(201, 33, classes, plan);                                                          \
    CHECK_CACHES(1024, 1, classes, plan);                                                          \
    CHECK_CACHES(1023, 70, classes, plan)

TEST macros_for_static_buffers_equal_the_queries(void) {
    CHECK_SHAPES(2, 0);
    CHECK_SHAPES(2, MARGIN_SCHEME_ONE_REST);
    CHECK_SHAPES(3, MARGIN_SCHEME_ONE_ONE);
    CHECK_SHAPES(3, MARGIN_SCHEME_ONE_REST);
    CHECK_SHAPES(8, MARGIN_SCHEME_VOTES);
    CHECK_SHAPES(7, MARGIN_SCHEME_ONE_REST);
    PASS();
}

TEST one_buffer_serves_either_kernel(void) {
    static unsigned char svm_bytes[MARGIN_SVM_BYTES(N, D)];
    static unsigned char kmomd_bytes[MARGIN_KMOMD_BYTES(N, D)];
    cloud c;
    cloud_fill(&c, N, D, 2, 4);
    for (int k = 0; k < 4; k++) {
        training t;
        margin_arena mem = k % 2 == KMOMD ? margin_arena_make(kmomd_bytes, sizeof kmomd_bytes)
                                          : margin_arena_make(svm_bytes, sizeof svm_bytes);
        training_make(&t, k % 2, &c.data, 2, k < 2 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_RBF);
        ASSERT_EQ_FMT(MARGIN_OK, training_call(&t, &mem), "%d");
    }
    PASS();
}

TEST a_device_needs_little_memory(void) {
    if (sizeof(margin_real) == 4 && sizeof(margin_index) == 4) {
        ASSERT(MARGIN_SVM_LINEAR_BYTES(64, 8, 2, 0, 0) < 6144);
        ASSERT(MARGIN_SVM_LINEAR_BYTES(64, 30, 2, 0, 1) < 13312);
        ASSERT(MARGIN_SVM_KERNEL_BYTES(64, 8, 2, 0, 1) < 6144);
    }
    PASS();
}

TEST sizes_that_cannot_be_counted_are_zero(void) {
    margin_svm_options o;
    memset(&o, 0, sizeof o);
    ASSERT_EQ_FMT((size_t)0, margin_svm_train_size(0, 1, 2, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_svm_train_size(10, 0, 2, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_svm_train_size(10, 1, 1, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_svm_train_size(10, 1, 11, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_svm_train_size(70000, 1, 65536, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_svm_train_size(SIZE_MAX, 1, 2, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_svm_train_size(1000, SIZE_MAX / 1000, 2, NULL), "%zu");
    ASSERT_EQ_FMT((size_t)0, margin_kmomd_train_size(1000, SIZE_MAX - 1, 2, NULL), "%zu");
    o.kernel.kind = MARGIN_KERNEL_RBF;
    ASSERT_EQ_FMT((size_t)0, margin_svm_train_size(1000, SIZE_MAX / 1000, 2, &o), "%zu");
    o.run.rank = SIZE_MAX;
    ASSERT(margin_svm_train_size(1000, 1, 2, &o) > 0); /* no more than n columns */
    o.run.tol = -1;
    ASSERT_EQ_FMT((size_t)0, margin_svm_train_size(1000, 1, 2, &o), "%zu");
    PASS();
}

TEST models_are_the_same_bits_for_every_cache(void) {
    for (int k = 0; k < 20; k += TEST_SHARE) {
        cloud c;
        uint32_t first = 0;
        const size_t classes = k < 10 ? 2 : 3;
        cloud_fill(&c, N, D, classes, 4);
        for (size_t bytes = 1; bytes < 60000; bytes = bytes * 3 / 2 + 200) {
            training t;
            training_make(&t, k % 2, &c.data, classes, (unsigned)(k / 2 % 5));
            t.svm.c = 100;
            t.kmomd.lambda = (margin_real)0.01;
            training_control(&t)->cache_bytes = bytes;
            training_run(&t);
            ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
            if (bytes == 1) { first = training_hash(&t); }
            ASSERT_EQ_FMT(first, training_hash(&t), "%08x");
            free(t.memory.bytes);
        }
    }
    PASS();
}

/* As the issue of the solvers asks: 1000 samples of 20 features, eight rows against all. */
TEST eight_rows_of_a_thousand_do_as_well_as_all(void) {
    static margin_real x[1000 * 20];
    static uint16_t y[1000];
    const margin_data data = {x, 1000, 20, 0, y, NULL, NULL};
    uint32_t seed = 1;
    for (size_t i = 0; i < 1000; i++) {
        y[i] = (uint16_t)(i % 2);
        for (size_t k = 0; k < 20; k++) {
            x[i * 20 + k] = case_real(&seed) + (y[i] == 1 ? (margin_real)0.2 : 0);
        }
    }
    for (int method = 0; method < 2; method++) {
        uint32_t hash[2];
        for (size_t all = 0; all < 2; all++) {
            training t;
            training_make(&t, method, &data, 2, MARGIN_KERNEL_RBF);
            training_control(&t)->cache_bytes =
                all != 0 ? (size_t)64 << 20
                         : MARGIN_ROWS_NEED(1000, 8); /* norms, diagonal and eight rows */
            training_run(&t);
            ASSERT(case_is_settled(t.status));
            hash[all] = training_hash(&t);
            free(t.memory.bytes);
        }
        ASSERT_EQ_FMT(hash[1], hash[0], "%08x");
    }
    PASS();
}

/* The model lies compact at the front, whatever was there before. */
TEST models_follow_each_other_in_the_arena(void) {
    cloud c;
    training a, b;
    solver_memory m;
    margin_real before, after;
    size_t kept;
    cloud_fill(&c, N, D, 2, 4);
    training_make(&a, SVM, &c.data, 2, MARGIN_KERNEL_RBF);
    training_make(&b, KMOMD, &c.data, 2, MARGIN_KERNEL_LINEAR);
    m = solver_memory_make(training_size(&a) + training_size(&b));
    ASSERT_EQ_FMT(MARGIN_OK, training_call(&a, &m.mem), "%d");
    kept = m.mem.low;
    ASSERT_EQ_FMT(MARGIN_BLOCK((a.model.of.expansion.n * (D + 2) + 1) * sizeof(margin_real) + 8, 1),
                  kept, "%zu");
    margin_scores(&a.model, c.x, &before);
    ASSERT_EQ_FMT(MARGIN_OK, training_call(&b, &m.mem), "%d");
    ASSERT_EQ_FMT(kept + MARGIN_BLOCK(D + 1, sizeof(margin_real)), m.mem.low, "%zu");
    ASSERT_EQ_FMT(training_size(&b), b.info.arena_peak, "%zu");
    margin_scores(&a.model, c.x, &after);
    ASSERT_EQ(before, after);
    free(m.bytes);
    PASS();
}

/* ---- progress and limits ---- */

typedef struct {
    size_t calls, stop_at, iteration;
    bool backwards;
    margin_progress last;
} watch;

static bool watching(void *user, const margin_progress *at) {
    watch *w = (watch *)user;
    w->backwards = w->backwards || at->iteration < w->iteration;
    w->iteration = at->iteration;
    w->last = *at;
    return ++w->calls == w->stop_at;
}

TEST progress_is_told_for_every_machine(void) {
    for (int k = 0; k < 4; k++) {
        cloud c;
        training t;
        watch w = {0, 0, 0, false, {0, 0, 0, 0, 0}};
        cloud_fill(&c, N, D, 3, 4);
        training_make(&t, k % 2, &c.data, 3, k < 2 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_RBF);
        training_watch(&t)->progress = watching;
        training_watch(&t)->user = &w;
        training_run(&t);
        ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
        ASSERT(w.calls >= 3 && !w.backwards);
        ASSERT_EQ_FMT((size_t)3, w.last.machines, "%zu");
        ASSERT_EQ_FMT((size_t)2, w.last.machine, "%zu");
        ASSERT(w.last.goal > 0);
        free(t.memory.bytes);
    }
    PASS();
}

/* Stopped at the first call, the second, and so on: always a model that scores. */
TEST training_can_be_stopped_at_any_call(void) {
    for (int k = 0; k < 6; k++) {
        const size_t classes = k < 4 ? 2 : 3;
        size_t stop = 0, calls = 1, stopped = 0;
        while (calls >= stop && stop < 100) {
            cloud c;
            training t;
            margin_real scores[3];
            watch w = {0, ++stop, 0, false, {0, 0, 0, 0, 0}};
            cloud_fill(&c, N, D, classes, 4);
            training_make(&t, k % 2, &c.data, classes,
                          k / 2 % 2 == 0 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_RBF);
            training_watch(&t)->progress = watching;
            training_watch(&t)->user = &w;
            training_run(&t);
            calls = w.calls;
            ASSERT(t.status == MARGIN_OK || (t.status == MARGIN_W_STOPPED && calls == stop));
            ASSERT_EQ_FMT(t.status == MARGIN_OK, t.info.converged, "%d");
            stopped += t.status == MARGIN_W_STOPPED;
            ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check(&t.model), "%d");
            margin_scores(&t.model, c.x, scores);
            ASSERT(isfinite((double)scores[0]) && isfinite((double)t.info.objective));
            ASSERT((double)t.info.violation >= 0 && (double)t.info.gap >= 0);
            free(t.memory.bytes);
        }
        ASSERT(stop < 100);
        ASSERT(stopped >= (k == 2 || k == 3 ? 1u : 3u));
    }
    PASS();
}

/* A tolerance that the start already meets: no sample has a coefficient, yet there is a model. */
TEST a_training_without_a_step_has_a_model(void) {
    for (int k = 0; k < 4; k++) {
        cloud c;
        training t;
        margin_real scores[3];
        cloud_fill(&c, N, D, k < 2 ? 2 : 3, 4);
        training_make(&t, SVM, &c.data, k < 2 ? 2 : 3,
                      k % 2 == 0 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_RBF);
        training_control(&t)->tol = 100;
        training_run(&t);
        ASSERT_EQ_FMT(MARGIN_OK, t.status, "%d");
        ASSERT(k % 2 == 0 ||
               t.info.support == 0); /* linear machines take a step before they look */
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check(&t.model), "%d");
        ASSERT(margin_classify(&t.model, c.x, scores) < (k < 2 ? 2u : 3u));
        free(t.memory.bytes);
    }
    PASS();
}

/* With more iterations the best iterate never gets worse. */
TEST the_iteration_limit_keeps_the_best_iterate(void) {
    for (int k = 0; k < 8; k++) {
        cloud c;
        double last = HUGE_VAL;
        bool limited = false;
        cloud_fill(&c, N, D, 2, 4);
        for (size_t limit = 1; limit < 4000; limit = limit * 3 / 2 + 1) {
            training t;
            training_make(&t, k % 2, &c.data, 2,
                          k / 2 % 2 == 0 ? MARGIN_KERNEL_LINEAR : MARGIN_KERNEL_RBF);
            training_control(&t)->max_iterations = limit;
            training_control(&t)->rank = k < 4 ? 0 : 10;
            t.svm.c = 10;
            training_run(&t);
            ASSERT(t.status == MARGIN_OK || t.status == MARGIN_W_ITERATIONS);
            ASSERT_EQ_FMT(t.status == MARGIN_OK, t.info.converged, "%d");
            ASSERT(t.info.iterations <= limit);
            limited = limited || t.status == MARGIN_W_ITERATIONS;
            ASSERT((double)t.info.objective <= last + 1e-3 * fabs(last));
            last = (double)t.info.objective;
            free(t.memory.bytes);
        }
        ASSERT(limited);
    }
    PASS();
}

/* ---- what is refused ---- */

TEST data_and_options_are_checked_and_outputs_left_alone(void) {
    static const struct {
        int what;
        margin_status status;
    } cases[] = {{0, MARGIN_E_ARGUMENT},   {1, MARGIN_E_ARGUMENT},  {2, MARGIN_E_ARGUMENT},
                 {3, MARGIN_E_ARGUMENT},   {4, MARGIN_E_ARGUMENT},  {5, MARGIN_E_EMPTY},
                 {6, MARGIN_E_NOT_FINITE}, {7, MARGIN_E_ONE_CLASS}, {8, MARGIN_E_ONE_CLASS},
                 {9, MARGIN_E_ONE_CLASS},  {10, MARGIN_E_LABEL},    {11, MARGIN_E_ARGUMENT},
                 {12, MARGIN_E_ARGUMENT},  {13, MARGIN_E_ARGUMENT}, {14, MARGIN_E_ONE_CLASS},
                 {15, MARGIN_E_LABEL},     {16, MARGIN_E_MEMORY},   {17, MARGIN_E_RANGE},
                 {18, MARGIN_E_ARGUMENT}};
    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        cloud c;
        training t;
        margin_real weight[N];
        margin_arena before;
        margin_model untouched;
        margin_arena *mem;
        margin_data data;
        const int what = cases[k / 2].what;
        cloud_fill(&c, N, D, 2, 4);
        data = c.data;
        training_make(&t, (int)k % 2, what == 0 ? NULL : &data, 2, MARGIN_KERNEL_RBF);
        t.memory = solver_memory_make(1u << 20);
        mem = what == 2 ? NULL : &t.memory.mem;
        for (size_t i = 0; i < N; i++) {
            weight[i] = what == 14 && c.y[i] == 0 ? 0 : 1;
            c.y[i] = what == 7 ? 0 : what == 8 ? 1 : what == 9 && c.y[i] == 1 ? 2 : c.y[i];
            c.x[i * D] =
                what == 17 ? (margin_real)(sizeof(margin_real) > 4 ? 1e200 : 1e30) : c.x[i * D];
        }
        data.y = what == 1 ? NULL : data.y;
        data.weight = what == 14 || what == 15 ? weight : NULL;
        data.n = what == 5 ? 0 : data.n;
        data.stride = what == 18 ? D - 1 : 0;
        weight[3] = what == 15 ? -1 : weight[3];
        c.x[7] = what == 6 ? (margin_real)NAN : c.x[7];
        c.y[3] = what == 10 ? UINT16_MAX : c.y[3];
        training_control(&t)->tol = what == 11 ? (margin_real)NAN : what == 12 ? -1 : 0;
        *training_scheme(&t) = what == 13 ? 4 : 0;
        t.svm.kernel.gamma = t.kmomd.kernel.gamma = what == 4 ? (margin_real)NAN : 0;
        if (what == 3) {
            t.memory.mem = margin_arena_counting();
        } else if (what == 16) {
            t.memory.mem = margin_arena_make(t.memory.bytes, 1000);
        }
        memset(&t.model, 0x5A, sizeof t.model);
        memset(&t.info, 0x5A, sizeof t.info);
        memcpy(&untouched, &t.model, sizeof untouched);
        before = t.memory.mem;
        ASSERT_EQ_FMT((int)cases[k / 2].status, (int)training_call(&t, mem), "%d");
        ASSERT(memcmp(&untouched, &t.model, sizeof untouched) == 0);
        ASSERT_EQ_FMT((size_t)0x5A, ((size_t)t.info.support) & 0xFF, "%zx");
        ASSERT(before.low == t.memory.mem.low && before.high == t.memory.mem.high);
        free(t.memory.bytes);
    }
    PASS();
}

TEST a_model_is_asked_for(void) {
    cloud c;
    solver_memory m = solver_memory_make(1u << 20);
    cloud_fill(&c, N, D, 2, 4);
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_svm_train(&c.data, NULL, &m.mem, NULL, NULL, NULL),
                  "%d");
    ASSERT_EQ_FMT(MARGIN_E_ARGUMENT, margin_kmomd_train(&c.data, NULL, &m.mem, NULL, NULL, NULL),
                  "%d");
    free(m.bytes);
    PASS();
}

TEST the_report_may_be_left_out(void) {
    for (size_t classes = 2; classes < 4; classes++) {
        cloud c;
        training t;
        margin_model model;
        margin_real with[3], without[3];
        cloud_fill(&c, N, D, classes, 4);
        training_make(&t, SVM, &c.data, classes, MARGIN_KERNEL_RBF);
        training_run(&t);
        margin_scores(&t.model, c.x, with);
        margin_arena_reset(&t.memory.mem);
        ASSERT_EQ_FMT(MARGIN_OK,
                      margin_svm_train(&c.data, &t.svm, &t.memory.mem, &model, NULL, NULL), "%d");
        margin_scores(&model, c.x, without);
        ASSERT_EQ(with[0], without[0]);
        free(t.memory.bytes);
    }
    PASS();
}

SUITE(train_suite);
SUITE(train_suite) {
    RUN_TEST(three_points_give_three_bisectors);
    RUN_TEST(coefficients_of_pairs_stand_with_the_other_class);
    RUN_TEST(each_class_against_the_rest_is_symmetric_on_a_triangle);
    RUN_TEST(every_machine_is_that_of_its_two_sides_alone);
    RUN_TEST(support_counts_samples_of_any_machine);
    RUN_TEST(margins_are_those_of_the_training_samples);
    RUN_TEST(order_of_the_samples_does_not_change_the_optimum);
    RUN_TEST(size_queries_are_exact_to_the_byte);
    RUN_TEST(macros_for_static_buffers_equal_the_queries);
    RUN_TEST(one_buffer_serves_either_kernel);
    RUN_TEST(a_device_needs_little_memory);
    RUN_TEST(sizes_that_cannot_be_counted_are_zero);
    RUN_TEST(models_are_the_same_bits_for_every_cache);
    RUN_TEST(eight_rows_of_a_thousand_do_as_well_as_all);
    RUN_TEST(models_follow_each_other_in_the_arena);
    RUN_TEST(progress_is_told_for_every_machine);
    RUN_TEST(training_can_be_stopped_at_any_call);
    RUN_TEST(a_training_without_a_step_has_a_model);
    RUN_TEST(the_iteration_limit_keeps_the_best_iterate);
    RUN_TEST(data_and_options_are_checked_and_outputs_left_alone);
    RUN_TEST(a_model_is_asked_for);
    RUN_TEST(the_report_may_be_left_out);
}
