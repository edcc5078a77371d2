/* What no data of a test reaches from outside: steps of the quadratic programme at the edge of the number range, images in
 * the other byte order, trainers that end with nonsense. The implementation is included: all of this is internal. */
#define MARGIN_STATIC
#define MARGIN_IMPLEMENTATION
#include "margin.h"

#include <math.h>
#include <string.h>

#include "asserts.h"
#ifndef MARGIN_REAL_DOUBLE
#include "image_seal.h"
#endif

/* ---- >>qp ---- */

/* A programme of two samples, the first negative, of one feature. */
typedef struct {
    mgn_qp q;
    margin_data low;
    margin_real x[2], b[2], cap[2], g[2], edge[2], step[2], res[2], dir[2], prod[2], w[4];
    margin_real dense[4], ones[2][2], panel[64];
    margin_index face[2];
} programme;

static void programme_make(programme *p) {
    memset(p, 0, sizeof *p);
    p->low.x = p->x;
    p->low.n = 2;
    p->low.d = 1;
    p->x[0] = -1;
    p->x[1] = 1;
    p->cap[0] = p->cap[1] = 1;
    p->face[1] = 1;
    p->q.n = p->q.m = p->q.f = 2;
    p->q.split = p->q.m_split = p->q.f_split = 1;
    p->q.c = p->q.peak = 1;
    p->q.low = &p->low;
    p->q.b = p->b;
    p->q.g = p->g;
    p->q.edge = p->edge;
    p->q.x = p->step;
    p->q.res = p->res;
    p->q.dir = p->dir;
    p->q.prod = p->prod;
    p->q.w = p->w;
    p->q.face = p->face;
    p->q.dense = p->dense;
    p->q.ones[0] = p->ones[0];
    p->q.ones[1] = p->ones[1];
    p->q.panel = p->panel;
}

/* Without a cap there is room for any step but the largest number, which is none: the weight stays. */
TEST a_step_beyond_all_numbers_moves_no_weight(void) {
    programme p;
    programme_make(&p);
    p.b[1] = (margin_real)0.25;
    mgn_qp_shift(&p.q, 1, MGN_HUGE);
    ASSERT(p.b[1] == (margin_real)0.25 && !p.q.moved);
    mgn_qp_shift(&p.q, 1, (margin_real)0.5);
    ASSERT(p.b[1] == (margin_real)0.75 && p.q.moved);
    mgn_qp_shift(&p.q, 1, -2); /* beyond the lower bound */
    ASSERT(p.b[1] == 0);
    PASS();
}

TEST a_weight_above_its_cap_comes_back_to_it(void) {
    programme p;
    programme_make(&p);
    p.q.cap = p.cap;
    p.b[0] = (margin_real)-1.5;
    mgn_qp_shift(&p.q, 0, (margin_real)0.25);
    ASSERT(p.b[0] == -1 && p.q.moved);
    PASS();
}

/* Two equations that are one: each group is solved for by itself. With A the identity, that leaves
 * nothing of v. */
TEST groups_that_depend_on_each_other_are_solved_one_by_one(void) {
    programme p;
    margin_real v[2] = {3, 5};
    programme_make(&p);
    p.q.by_class = true;
    p.dense[0] = p.dense[3] = p.ones[0][0] = p.ones[1][1] = 1;
    p.q.level[0][0] = p.q.level[0][1] = p.q.level[1][0] = p.q.level[1][1] = 1;
    mgn_qp_dense_solve(&p.q, v);
    ASSERT(v[0] == 0 && v[1] == 0);
    PASS();
}

TEST a_curvature_that_is_not_positive_has_no_factor(void) {
    programme p;
    programme_make(&p);
    p.q.room = 2;
    ASSERT(mgn_qp_dense(&p.q));
    p.q.c = -1;
    ASSERT(!mgn_qp_dense(&p.q));
    p.q.c = 1;
    p.q.room = 1; /* too large a face */
    ASSERT(!mgn_qp_dense(&p.q));
    PASS();
}

/* A residual whose square is below the least normal number is none: the step is 0. */
TEST a_residual_lost_in_underflow_moves_nothing(void) {
    programme p;
    programme_make(&p);
    p.res[0] = mgn_sqrt(MGN_TINY) / 2;
    p.res[1] = -p.res[0];
    mgn_qp_face_solve(&p.q, 8);
    ASSERT(p.step[0] == 0 && p.step[1] == 0);
    PASS();
}

/* Features so small that the minimum along the first direction is beyond all numbers: the direction itself
 * is what the face step follows, to the first bound. */
TEST a_direction_without_curvature_is_followed_to_a_bound(void) {
    programme p;
    bool whole = true;
    programme_make(&p);
    p.x[0] = -mgn_sqrt(MGN_TINY) / 8;
    p.x[1] = -p.x[0] / 2;
    p.res[0] = 4;
    p.res[1] = -4;
    p.g[0] = -4;
    p.g[1] = 4;
    p.b[0] = -1;
    p.b[1] = 1;
    mgn_qp_face_solve(&p.q, 8);
    ASSERT(p.step[0] == 4 && p.step[1] == -4);
    ASSERT_IN_RANGE(0.25, (double)mgn_qp_face_length(&p.q, &whole), 1e-6); /* b_0 rises to 0 */
    ASSERT(!whole);
    PASS();
}

/* Steps so small that no bound is met before the largest number: none is made. */
TEST a_step_lost_in_underflow_has_no_length(void) {
    programme p;
    bool whole = true;
    programme_make(&p);
    p.g[0] = -1;
    p.g[1] = 1;
    p.step[0] = MGN_TINY / 1024;
    p.step[1] = -p.step[0];
    p.b[0] = -100;
    p.b[1] = 100;
    ASSERT(mgn_qp_face_length(&p.q, &whole) == 0);
    ASSERT(whole);
    PASS();
}

/* By hand: no weight is free; then the level is the middle of the ends, or the one end that there is. */
TEST the_level_lies_between_the_ends(void) {
    programme p;
    programme_make(&p);
    p.edge[0] = p.edge[1] = MGN_QP_WALL;
    p.q.ends[0].low = 2;
    p.q.ends[0].high = -4;
    ASSERT(mgn_qp_level(&p.q, 0) == -1);
    p.q.ends[0].low = MGN_QP_WALL;
    ASSERT(mgn_qp_level(&p.q, 0) == -4);
    p.q.ends[0].low = 2;
    p.q.ends[0].high = -MGN_QP_WALL;
    ASSERT(mgn_qp_level(&p.q, 0) == 2);
    PASS();
}

/* Weights that break their sum: all positive ones at their caps, all negative ones at 0, so that none may
 * rise; and the reverse. There is no level then, and 0 is as good as any. */
TEST svm_has_no_level_where_no_weight_may_rise(void) {
    programme p;
    margin_real s[2];
    programme_make(&p);
    p.q.p = 1;
    p.q.cap = p.cap;
    p.b[1] = 1;
    mgn_qp_mark(&p.q, 0);
    mgn_qp_mark(&p.q, 1);
    ASSERT(p.edge[0] < 0 && p.edge[1] < 0);
    ASSERT(mgn_svm_level(&p.q, s) == 0);
    p.b[0] = -1;
    p.b[1] = 0;
    mgn_qp_mark(&p.q, 0);
    mgn_qp_mark(&p.q, 1);
    ASSERT(p.edge[0] > 0 && p.edge[1] > 0);
    ASSERT(mgn_svm_level(&p.q, s) == 0);
    PASS();
}

/* An objective that is not finite is told as MARGIN_E_RANGE. With c = 0 the weights are known. */
TEST a_programme_whose_objective_overflows_is_out_of_range(void) {
    static const margin_real infinite[2] = {MGN_HUGE, MGN_HUGE};
    unsigned char bytes[64];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    mgn_tick tick;
    mgn_qp_work work;
    programme p;
    mgn_fit fit;
    memset(&work, 0, sizeof work);
    memset(&fit, 0, sizeof fit);
    memset(&tick, 0, sizeof tick);
    programme_make(&p);
    fit.tick = &tick;
    work.qp = p.q;
    work.qp.c = 0;
    work.qp.by_class = true;
    work.qp.sum[0] = -2;
    work.qp.sum[1] = 2;
    ASSERT_EQ_FMT((int)MARGIN_OK, (int)mgn_qp_work_solve(&work, &fit, &mem), "%d");
    ASSERT(p.b[0] == -2 && p.b[1] == 2 && fit.info.converged);
    work.qp.ridge = infinite;
    ASSERT_EQ_FMT((int)MARGIN_E_RANGE, (int)mgn_qp_work_solve(&work, &fit, &mem), "%d");
    PASS();
}

/* ---- >>svr ---- */

/* The secant may end on an end of the bracket: then the middle is taken. */
TEST the_search_for_epsilon_stays_within_its_bracket(void) {
    mgn_svr_search s;
    memset(&s, 0, sizeof s);
    s.count[0] = 1;
    s.count[1] = -1;
    s.end[1].epsilon = 2;
    ASSERT(mgn_svr_next(&s) == 1); /* half way from 0 */
    s.count[1] = -MGN_TINY;
    ASSERT(mgn_svr_next(&s) == 1); /* the secant ends at 2 */
    s.count[0] = MGN_TINY;
    s.count[1] = -4 / MGN_EPS;
    ASSERT(mgn_svr_next(&s) == 1); /* and here at 0 */
    s.end[0].epsilon = (margin_real)0.5;
    s.count[0] = 1;
    s.count[1] = -1;
    ASSERT_IN_RANGE(1, (double)mgn_svr_next(&s), 1e-6); /* the geometric mean */
    PASS();
}

/* ---- >>train ---- */

static void plan_nothing(void *task, margin_arena *mem) {
    (void)task;
    (void)mem;
}

static margin_status make_linear(void *task, mgn_frame *frame) {
    margin_real *w = MGN_KEEP(frame->mem, margin_real, 2);
    w[0] = *(const margin_real *)task;
    w[1] = 0;
    mgn_linear_model(&frame->model, w, w + 1, 1, mgn_vote_of(2, MARGIN_SCHEME_BINARY));
    return MARGIN_OK;
}

/* A trainer that ends with a number that is not finite has failed, and nothing is written. */
TEST a_model_that_is_no_model_is_never_handed_out(void) {
    static const mgn_method method = {plan_nothing, make_linear};
    margin_real weight = 3;
    unsigned char bytes[128];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_model model;
    margin_info info;
    ASSERT_EQ(MARGIN_OK, mgn_frame_train(&method, &weight, MARGIN_OK, &mem, &model, &info));
    ASSERT(model.of.linear.w[0] == 3);
    mem = margin_arena_make(bytes, sizeof bytes);
    memset(&model, 0, sizeof model);
    weight = (margin_real)INFINITY;
    ASSERT_EQ(MARGIN_E_RANGE, mgn_frame_train(&method, &weight, MARGIN_OK, &mem, &model, &info));
    ASSERT(model.kind == 0 && mem.low == 0 && mem.high == mem.size);
    PASS();
}

/* ---- >>batch ---- */

/* Room for several inputs that no size_t can count: they go one by one. */
TEST a_batch_too_large_to_count_is_not_taken(void) {
    unsigned char bytes[64];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes), before;
    margin_model model;
    mgn_batch batch;
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_EXPANSION;
    model.of.expansion.n = 1;
    model.of.expansion.d = SIZE_MAX / 16u;
    model.of.expansion.vote = mgn_vote_of(2, MARGIN_SCHEME_BINARY);
    mem.peak = SIZE_MAX;
    before = mem;
    ASSERT(!mgn_batch_take(&batch, &mem, &model));
    ASSERT(memcmp(&mem, &before, sizeof mem) == 0);
    PASS();
}

/* Prototypes gain by going together unless they have tangents, linear models do not. */
TEST batches_suit_pools_and_plain_prototypes(void) {
    margin_model model;
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_EXPANSION;
    ASSERT(mgn_batch_suits(&model));
    model.kind = MARGIN_MODEL_PROTO;
    ASSERT(mgn_batch_suits(&model));
    model.of.proto.tangents = 1;
    ASSERT(!mgn_batch_suits(&model));
    model.kind = MARGIN_MODEL_LINEAR;
    ASSERT(!mgn_batch_suits(&model));
    PASS();
}

/* ---- >>linalg ---- */

/* Nothing of a vector is outside the whole space. */
TEST a_vector_within_the_span_of_the_others_becomes_zero(void) {
    static const margin_real rows[4] = {1, 0, 0, 1};
    margin_real z[2] = {3, 4};
    mgn_orthonormalise(z, rows, 2, 2);
    ASSERT(z[0] == 0 && z[1] == 0);
    PASS();
}

/* C + AB for fewer rows than a tile has, and C where A has no columns. */
TEST products_are_added_to_what_is_there(void) {
    static const margin_real a[2] = {2, 3}, b[2] = {5, 7};
    margin_real c[4] = {1, 2, 3, 4}, panel[4 * MGN_PANEL];
    mgn_sizes sizes = mgn_sizes_of(2, 1, 2);
    sizes.more = true;
    mgn_mat_mul(c, 2, mgn_view_of(a, 1, 1), mgn_view_of(b, 2, 1), sizes, panel);
    ASSERT(c[0] == 11 && c[1] == 16 && c[2] == 18 && c[3] == 25);
    sizes.k = 0;
    mgn_mat_mul(c, 2, mgn_view_of(a, 0, 1), mgn_view_of(b, 2, 1), sizes, panel);
    ASSERT(c[0] == 11 && c[1] == 16 && c[2] == 18 && c[3] == 25);
    sizes.more = false;
    mgn_mat_mul(c, 2, mgn_view_of(a, 0, 1), mgn_view_of(b, 2, 1), sizes, panel);
    ASSERT(c[0] == 0 && c[1] == 0 && c[2] == 0 && c[3] == 0);
    PASS();
}

/* ---- >>quant ---- */

/* 2^(2 left - up) / 4 of the squared length, in 2^16, rounded down and limited to 16 bits. */
TEST the_part_of_a_half_is_counted_in_16_bits(void) {
    margin_proto_q p;
    memset(&p, 0, sizeof p);
    ASSERT_EQ_FMT((uint32_t)3, mgn_q_proto_part(&p, (UINT64_C(1) << 20) - 1u), "%u");
    p.left = 10;
    ASSERT_EQ_FMT((uint32_t)20, mgn_q_proto_part(&p, 5), "%u");
    p.left = 15;
    p.up = 2;
    ASSERT_EQ_FMT((uint32_t)UINT16_MAX, mgn_q_proto_part(&p, 1u << 15), "%u");
    PASS();
}

/* ---- >>kinds ---- */

/* The head of a model of no known kind is empty, whatever the rest of the model says. */
TEST an_unknown_kind_has_an_empty_head(void) {
    margin_model model;
    margin_model_q model_q;
    memset(&model, 0x55, sizeof model);
    memset(&model_q, 0x55, sizeof model_q);
    const mgn_image_head head = mgn_head_of(&model), head_q = mgn_head_of_q(&model_q);
    ASSERT(head.kind == 0 && head.n == 0 && head.d == 0 && head.classes == 0 && head.flags == 0);
    ASSERT(head_q.kind == 0 && head_q.n == 0 && head_q.d == 0 && head_q.flags == 0);
    PASS();
}

/* ---- >>image ---- */

#ifndef MARGIN_REAL_DOUBLE

static uint32_t image_words[64];

static void turn(unsigned char *p, size_t bytes, size_t of) {
    for (size_t i = 0; i < bytes; i += of) {
        for (size_t k = 0; k < of / 2u; k++) {
            const unsigned char low = p[i + k];
            p[i + k] = p[i + of - 1u - k];
            p[i + of - 1u - k] = low;
        }
    }
}

/* What a machine of the other byte order does in margin_image_adopt: an image whose arrays are in that
 * order becomes the model. One that turns out to be unsound is put back as it was. */
TEST an_image_of_the_other_byte_order_is_turned_or_left(void) {
    static const margin_real w[3] = {1, -2, (margin_real)0.3}, bias[2] = {4, -5};
    static const uint32_t ends[2] = {1, 2};
    unsigned char *image = (unsigned char *)image_words, copy[sizeof image_words];
    margin_model model, opened;
    memset(&model, 0, sizeof model);
    memset(&opened, 0, sizeof opened);
    mgn_linear_model(&model, w, bias, 3, mgn_vote_of(2, MARGIN_SCHEME_BINARY));
    size_t size = margin_image_size(&model, 0);
    ASSERT_EQ(MARGIN_OK, margin_image_write(&model, NULL, 0, image, sizeof image_words));
    turn(image + MARGIN_IMAGE_HEAD, size - MARGIN_IMAGE_HEAD, 4);
    image_seal(image, size);
    ASSERT_EQ(MARGIN_OK, mgn_image_open(image, image, size, &opened));
    ASSERT(memcmp(opened.of.linear.w, w, sizeof w) == 0 && opened.of.linear.bias[0] == 4);
    model.kind = MARGIN_MODEL_EXPANSION; /* its class ends make no sense when they are turned */
    memset(&model.of, 0, sizeof model.of);
    model.of.expansion.vectors = w;
    model.of.expansion.norms = w; /* written anew */
    model.of.expansion.coef = bias;
    model.of.expansion.bias = bias;
    model.of.expansion.class_end = ends;
    model.of.expansion.n = 2;
    model.of.expansion.d = 1;
    model.of.expansion.width = 1;
    ASSERT_EQ(MARGIN_OK,
              margin_kernel_resolve(&model.of.expansion.kernel, 1, &model.of.expansion.kernel));
    model.of.expansion.vote = mgn_vote_of(2, MARGIN_SCHEME_BINARY);
    size = margin_image_size(&model, 0);
    ASSERT_EQ(MARGIN_OK, margin_image_write(&model, NULL, 0, image, sizeof image_words));
    memcpy(copy, image, sizeof copy);
    ASSERT_EQ(MARGIN_E_IMAGE_VALUE, mgn_image_open(image, image, size, &opened));
    ASSERT(memcmp(copy, image, sizeof copy) == 0);
    ASSERT_EQ(MARGIN_OK, margin_image_open(image, size, &opened));
    PASS();
}

TEST an_integer_image_of_the_other_byte_order_is_turned_or_left(void) {
    static const int16_t w[3] = {100, -200, 300};
    static const int32_t bias = 70000;
    unsigned char *image = (unsigned char *)image_words, copy[sizeof image_words];
    const size_t weights = 8; /* three of two bytes, filled up */
    margin_stage_q stage;
    margin_quant quant, opened;
    margin_linear_q *l = &quant.model.of.linear;
    memset(&quant, 0, sizeof quant);
    quant.model.kind = MARGIN_MODEL_LINEAR;
    quant.unit = 1;
    quant.input.d = 3;
    l->w = w;
    l->bias = &bias;
    l->d = 3;
    l->format = MARGIN_Q15;
    l->vote.classes = 2;
    l->vote.machines = 1;
    l->vote.scheme = MARGIN_SCHEME_BINARY;
    const size_t size = margin_image_size_q(&quant, 0);
    ASSERT_EQ(MARGIN_OK, margin_image_write_q(&quant, NULL, 0, image, sizeof image_words));
    turn(image + MGN_IMAGE_HEAD_Q, 6, 2);
    turn(image + MGN_IMAGE_HEAD_Q + weights, 4, 4);
    image_seal(image, size);
    ASSERT_EQ(MARGIN_OK, mgn_image_open_q(image, image, size, &stage, &opened));
    ASSERT(memcmp(opened.model.of.linear.w, w, sizeof w) == 0);
    ASSERT_EQ_FMT((int)bias, (int)opened.model.of.linear.bias[0], "%d");
    image[MGN_IMAGE_HEAD_Q] = 0x7F; /* 0x7FFF when turned, of which three leave 31 bits */
    for (size_t k = 1; k < 6u; k++) { image[MGN_IMAGE_HEAD_Q + k] = k % 2u == 0 ? 0x7F : 0xFF; }
    image_seal(image, size);
    memcpy(copy, image, sizeof copy);
    memset(&opened, 0x5A, sizeof opened);
    ASSERT_EQ(MARGIN_E_IMAGE_VALUE, mgn_image_open_q(image, image, size, &stage, &opened));
    ASSERT(memcmp(copy, image, sizeof copy) == 0 && opened.model.kind == 0x5A);
    image[MGN_IMAGE_HEAD_Q + 6u] = 1; /* what fills up must be 0, turned or not */
    image_seal(image, size);
    memcpy(copy, image, sizeof copy);
    ASSERT_EQ(MARGIN_E_IMAGE_VALUE, mgn_image_open_q(image, NULL, size, &stage, &opened));
    ASSERT_EQ(MARGIN_E_IMAGE_VALUE, mgn_image_open_q(image, image, size, &stage, &opened));
    ASSERT(memcmp(copy, image, sizeof copy) == 0);
    PASS();
}

#endif

/* ---- >>svr ---- */

/* A search for the epsilon of a nu whose rounds end too early: the model can be used, and is not said to have
 * converged. With all its rounds the search ends by itself. */
TEST a_search_for_epsilon_that_is_cut_short_says_so(void) {
    margin_real x[24], t[24];
    const margin_data data = {x, 24, 1, 0, NULL, NULL, NULL};
    margin_svr_options o;
    static unsigned char bytes[1 << 16];
    margin_rng rng = margin_rng_make(3);
    memset(&o, 0, sizeof o);
    for (size_t i = 0; i < 24u; i++) {
        x[i] = margin_rng_normal(&rng);
        t[i] = x[i] * x[i] + margin_rng_normal(&rng) / 4;
    }
    o.targets = t;
    o.kernel.kind = MARGIN_KERNEL_RBF;
    o.loss = MARGIN_SVR_NU;
    o.nu = (margin_real)0.3;
    for (unsigned whole = 0; whole < 2u; whole++) {
        margin_arena mem = margin_arena_make(bytes, sizeof bytes);
        margin_model model;
        margin_info info;
        mgn_svr v;
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)mgn_svr_shape(&v, data.n, data.d, &o), "%d");
        v.o.given = &data;
        v.rounds = whole == 1u ? v.rounds : 2u;
        const margin_status status =
            mgn_frame_train(&mgn_svr_method, &v, MARGIN_OK, &mem, &model, &info);
        ASSERT_EQ_FMT((int)(whole == 1u ? MARGIN_OK : MARGIN_W_ITERATIONS), (int)status, "%d");
        ASSERT(info.converged == (whole == 1u));
        ASSERT_EQ_FMT((int)MARGIN_OK, (int)margin_model_check(&model), "%d");
    }
    PASS();
}

SUITE(inside_suite);
/* ---- >>quant ---- */

/* No coupling of odds is known that leaves no weight, but a division by 0 would stop a device. */
TEST probabilities_without_any_weight_go_to_the_first_class(void) {
    uint16_t none[3] = {0, 0, 0}, some[3] = {1, 0, 3};
    mgn_q_shares(3, none);
    ASSERT(none[0] == 0x8000u && none[1] == 0 && none[2] == 0);
    mgn_q_shares(3, some);
    ASSERT(some[0] == 0x2000u && some[1] == 0 && some[2] == 0x6000u);
    PASS();
}

/* A count beyond 16 bits cannot be written, and what did not fit before stays so. */
TEST counts_of_an_image_fit_16_bits_or_say_so(void) {
    unsigned char p[2] = {9, 9};
    ASSERT(mgn_put_half(p, 65535u, true));
    ASSERT(p[0] == 255u && p[1] == 255u);
    ASSERT(!mgn_put_half(p, 65536u, true));
    ASSERT(!mgn_put_half(p, 1, false));
    PASS();
}

/* A bit beyond the last feature counted as all features, so that a model without any passed. */
TEST bits_beyond_the_last_feature_pick_nothing(void) {
    static const uint8_t none[1] = {0x20}, all[1] = {0x1F}, more[1] = {0x3F};
    ASSERT(mgn_picked_fits(all, 5, 5));
    ASSERT(!mgn_picked_fits(all, 5, 4));
    ASSERT(!mgn_picked_fits(none, 5, 5));
    ASSERT(!mgn_picked_fits(more, 5, 5) && !mgn_picked_fits(more, 5, 6));
    PASS();
}

SUITE(inside_suite) {
    RUN_TEST(a_search_for_epsilon_that_is_cut_short_says_so);
    RUN_TEST(a_step_beyond_all_numbers_moves_no_weight);
    RUN_TEST(a_weight_above_its_cap_comes_back_to_it);
    RUN_TEST(groups_that_depend_on_each_other_are_solved_one_by_one);
    RUN_TEST(a_curvature_that_is_not_positive_has_no_factor);
    RUN_TEST(a_residual_lost_in_underflow_moves_nothing);
    RUN_TEST(a_direction_without_curvature_is_followed_to_a_bound);
    RUN_TEST(a_step_lost_in_underflow_has_no_length);
    RUN_TEST(the_level_lies_between_the_ends);
    RUN_TEST(svm_has_no_level_where_no_weight_may_rise);
    RUN_TEST(a_programme_whose_objective_overflows_is_out_of_range);
    RUN_TEST(the_search_for_epsilon_stays_within_its_bracket);
    RUN_TEST(a_model_that_is_no_model_is_never_handed_out);
    RUN_TEST(probabilities_without_any_weight_go_to_the_first_class);
    RUN_TEST(counts_of_an_image_fit_16_bits_or_say_so);
    RUN_TEST(bits_beyond_the_last_feature_pick_nothing);
    RUN_TEST(a_batch_too_large_to_count_is_not_taken);
    RUN_TEST(batches_suit_pools_and_plain_prototypes);
    RUN_TEST(a_vector_within_the_span_of_the_others_becomes_zero);
    RUN_TEST(products_are_added_to_what_is_there);
    RUN_TEST(the_part_of_a_half_is_counted_in_16_bits);
    RUN_TEST(an_unknown_kind_has_an_empty_head);
#ifndef MARGIN_REAL_DOUBLE
    if (!mgn_big_endian()) {
        RUN_TEST(an_image_of_the_other_byte_order_is_turned_or_left);
        RUN_TEST(an_integer_image_of_the_other_byte_order_is_turned_or_left);
    }
#endif
}
