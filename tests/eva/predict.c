/* predict.c -- drivers for Eva (Frama-C), which follows all inputs and all models within the bounds that are drawn here at
 * once: tests/tools/eva.py. A driver is a function eva_NAME. */
#define MARGIN_IMPLEMENTATION
#define MARGIN_PREDICT_ONLY
#define MARGIN_STATIC
#define MARGIN_NO_ASM
#include "margin.h"
#include "__fc_builtin.h"

#define D 3
#define N 4

void Frama_C_show_each_good(int what);

/* At a fixed place, so that its alignment is a number: -absolute-valid-range. */
static unsigned char *const bytes = (unsigned char *)0x1000;

/* Blocks of every size from buffers of every size at every alignment; a block that is granted can be written to its end. */
void eva_arena(void) {
    for (size_t size = 0; size <= 40; size++) {
        for (size_t need = 1; need <= 20; need++) {
            margin_arena mem = margin_arena_make(bytes + size % 8u, size);
            const margin_arena before = mem;
            unsigned char *kept = (unsigned char *)margin_arena_keep(&mem, need, 1);
            unsigned char *scratch = (unsigned char *)margin_arena_scratch(&mem, 1, need);
            if (kept != NULL) { kept[0] = kept[need - 1u] = 1; }
            if (scratch != NULL) { scratch[0] = scratch[need - 1u] = 1; }
            margin_arena_release(&mem, before.high);
            (void)margin_arena_rewind(&mem, &before);
            margin_arena_reset(&mem);
        }
    }
}

/* Any input of a linear model with any finite weights. */
void eva_linear(void) {
    margin_real w[D], bias[1], x[D], score;
    margin_linear model = {w, bias, D, {2, MARGIN_SCHEME_BINARY, 0, 0, 0}};
    for (int i = 0; i < D; i++) {
        w[i] = Frama_C_float_interval(-1000.0f, 1000.0f);
        x[i] = Frama_C_float_interval(-1000.0f, 1000.0f);
    }
    bias[0] = Frama_C_float_interval(-1000.0f, 1000.0f);
    margin_linear_scores(&model, x, &score);
}

static margin_real any(void) {
    return Frama_C_float_interval(-1000.0f, 1000.0f);
}

static int16_t half(void) {
    return (int16_t)Frama_C_interval(INT16_MIN, INT16_MAX);
}

/* Any input of a kernel expansion whose kernel is any. */
static void expansion(uint8_t kind) {
    margin_real v[N * D], norms[N], coef[N], bias[1], x[D], score;
    const uint32_t ends[2] = {2, N};
    margin_expansion model = {v,    norms,
                              coef, bias,
                              ends, NULL,
                              NULL, N,
                              D,    {0, 3, 1, 1, 2},
                              1,    {2, MARGIN_SCHEME_BINARY, 0, 0, 0}};
    model.kernel.kind = kind;
    for (int i = 0; i < N * D; i++) { v[i] = any(); }
    for (int i = 0; i < N; i++) {
        norms[i] = Frama_C_float_interval(0.0f, 3000000.0f);
        coef[i] = any();
    }
    for (int i = 0; i < D; i++) { x[i] = any(); }
    bias[0] = any();
    margin_expansion_scores(&model, x, &score);
}

void eva_rbf(void) {
    expansion(MARGIN_KERNEL_RBF);
}

void eva_poly(void) {
    expansion(MARGIN_KERNEL_POLY);
}

void eva_hinge(void) {
    expansion(MARGIN_KERNEL_HINGE);
}

void eva_unit_poly(void) {
    expansion(MARGIN_KERNEL_UNIT_POLY);
}

void eva_unit_exp(void) {
    expansion(MARGIN_KERNEL_UNIT_EXP);
}

/* Any input of an integer model with any weights that its check accepts: the sums of |w| are below 2^16. */
static void linear_q(uint8_t format) {
    int16_t w[D];
    int8_t narrow[D];
    const int32_t bias[1] = {Frama_C_interval(-1000000, 1000000)};
    int16_t x[D];
    int32_t score;
    margin_linear_q model = {
        w, bias, NULL, D, MARGIN_Q15, {2, 1, 0, 0, 0, 0, MARGIN_SCHEME_BINARY}, NULL};
    for (int i = 0; i < D; i++) {
        w[i] = (int16_t)Frama_C_interval(-20000, 20000);
        narrow[i] = (int8_t)Frama_C_interval(-128, 127);
        x[i] = half();
    }
    model.format = format;
    if (format == MARGIN_Q7) {
        model.w = narrow;
        margin_linear_scores_q7(&model, x, &score);
    } else {
        margin_linear_scores_q15(&model, x, &score);
    }
}

void eva_linear_q15(void) {
    linear_q(MARGIN_Q15);
}

void eva_linear_q7(void) {
    linear_q(MARGIN_Q7);
}

/* Any input of an integer expansion whose numbers stay within what its check asks for. */
static void expansion_q(uint8_t kind, uint8_t format) {
    int16_t v[N * (D + 1)], x[D], coef[N];
    int8_t narrow_v[N * (D + 1)], narrow[N];
    uint16_t norms[N];
    const uint16_t scales[1] = {(uint16_t)Frama_C_interval(0, 65535)};
    const int32_t bias[1] = {Frama_C_interval(-1000000, 1000000)};
    int32_t score;
    margin_model_q model;
    margin_expansion_q *e = &model.of.expansion;
    const margin_expansion_q shape = {v,
                                      norms,
                                      coef,
                                      scales,
                                      bias,
                                      NULL,
                                      NULL,
                                      N,
                                      D,
                                      1,
                                      MARGIN_Q15,
                                      {0, 1, 9, 4, 3000, 1, 3, 1 << 20, 1 << 28, 0},
                                      {2, 1, 0, 0, 0, 0, MARGIN_SCHEME_BINARY},
                                      NULL};
    model.kind = MARGIN_MODEL_EXPANSION;
    *e = shape;
    e->kernel.kind = kind;
    e->format = format;
    for (int i = 0; i < N * (D + 1); i++) {
        v[i] = (int16_t)Frama_C_interval(-2000, 2000);
        narrow_v[i] = (int8_t)Frama_C_interval(-128, 127);
    }
    for (int i = 0; i < N; i++) {
        norms[i] = (uint16_t)Frama_C_interval(0, 65535);
        coef[i] = (int16_t)Frama_C_interval(-15000, 15000); /* sum |coef| 2^15 + |bias| < 2^31 */
        narrow[i] = (int8_t)Frama_C_interval(-128, 127);
    }
    for (int i = 0; i < D; i++) { x[i] = half(); }
    if (format == MARGIN_Q7) {
        e->vectors = narrow_v;
        e->coef = kind == MARGIN_KERNEL_HINGE ? (const void *)narrow : coef;
    }
    margin_scores_q(&model, x, &score);
}

void eva_rbf_q15(void) {
    expansion_q(MARGIN_KERNEL_RBF, MARGIN_Q15);
}

void eva_rbf_q7(void) {
    expansion_q(MARGIN_KERNEL_RBF, MARGIN_Q7);
}

void eva_poly_q15(void) {
    expansion_q(MARGIN_KERNEL_POLY, MARGIN_Q15);
}

void eva_poly_q7(void) {
    expansion_q(MARGIN_KERNEL_POLY, MARGIN_Q7);
}

void eva_hinge_q15(void) {
    expansion_q(MARGIN_KERNEL_HINGE, MARGIN_Q15);
}

void eva_hinge_q7(void) {
    expansion_q(MARGIN_KERNEL_HINGE, MARGIN_Q7);
}

void eva_unit_poly_q15(void) {
    expansion_q(MARGIN_KERNEL_UNIT_POLY, MARGIN_Q15);
}

void eva_unit_exp_q7(void) {
    expansion_q(MARGIN_KERNEL_UNIT_EXP, MARGIN_Q7);
}

/* Four prototypes of two classes, without tangents (left early, or not) or with one each; the two nearest of a class vote. */
static void proto_q(uint8_t format, uint8_t tangents) {
    int16_t v[2 * N * (D + 1)], x[D];
    int8_t narrow[2 * N * (D + 1)];
    int32_t constants[2 * N], scores[2];
    uint16_t gains[N];
    uint8_t downs[N];
    const uint16_t ends[2] = {1, N};
    margin_model_q model;
    const margin_proto_q shape = {format == MARGIN_Q15 ? (const void *)v : narrow,
                                  constants,
                                  gains,
                                  downs,
                                  ends,
                                  NULL,
                                  (uint32_t)Frama_C_interval(0, INT32_MAX),
                                  N,
                                  D,
                                  tangents,
                                  2,
                                  (uint8_t)Frama_C_interval(0, 15),
                                  (uint8_t)Frama_C_interval(0, 15),
                                  format,
                                  {2, 2, 0, 0, 0, 0, MARGIN_SCHEME_NEAREST, NULL}};
    for (int i = 0; i < 2 * N * (D + 1); i++) {
        v[i] = half();
        narrow[i] = (int8_t)Frama_C_interval(-128, 127);
    }
    for (int i = 0; i < 2 * N; i++) { constants[i] = Frama_C_interval(INT32_MIN, INT32_MAX); }
    for (int i = 0; i < N; i++) {
        gains[i] = (uint16_t)Frama_C_interval(0, 65535);
        downs[i] = (uint8_t)Frama_C_interval(0, 31);
    }
    for (int i = 0; i < D; i++) { x[i] = half(); }
    model.kind = MARGIN_MODEL_PROTO;
    model.of.proto = shape;
    margin_scores_q(&model, x, scores);
    (void)margin_classify_q(&model, x, NULL, scores);
}

void eva_proto_q15(void) {
    proto_q(MARGIN_Q15, 0);
}

void eva_proto_q7(void) {
    proto_q(MARGIN_Q7, 0);
}

void eva_proto_tangents_q15(void) {
    proto_q(MARGIN_Q15, 1);
}

/* Two cuts over four vectors, and behind a projection of three features to two. */
static const margin_expansion_q pool_q = {
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    N,
    2,
    2,
    MARGIN_Q15,
    {MARGIN_KERNEL_RBF, 0, 9, 4, 3000, 1, 3, 1 << 20, 1 << 28, 0},
    {2, 1, 0, 0, 0, 0, MARGIN_SCHEME_BINARY, NULL},
    NULL};

void eva_list_q15(void) {
    int16_t v[N * 2], x[2], coef[N * 2];
    uint16_t norms[N];
    int32_t score;
    const int32_t bias[2] = {Frama_C_interval(-1000000, 1000000),
                             Frama_C_interval(-1000000, 1000000)};
    const uint16_t reach[2] = {4, 4};
    const uint8_t target[2] = {(uint8_t)Frama_C_interval(0, 1), 1};
    margin_model_q model;
    for (int i = 0; i < N * 2; i++) {
        v[i] = (int16_t)Frama_C_interval(-2000, 2000);
        coef[i] = (int16_t)Frama_C_interval(-15000, 15000);
    }
    for (int i = 0; i < N; i++) { norms[i] = (uint16_t)Frama_C_interval(0, 65535); }
    x[0] = half();
    x[1] = half();
    model.kind = MARGIN_MODEL_LIST;
    model.of.list.pool = pool_q;
    model.of.list.pool.vectors = v;
    model.of.list.pool.norms = norms;
    model.of.list.pool.coef = coef;
    model.of.list.pool.bias = bias;
    model.of.list.reach = reach;
    model.of.list.target = target;
    margin_scores_q(&model, x, &score);
    (void)margin_classify_q(&model, x, NULL, &score);
}

void eva_projected_q15(void) {
    int16_t v[N * 2], x[D], coef[N], front[2 * D];
    uint16_t norms[N];
    int32_t score;
    const int32_t bias[1] = {Frama_C_interval(-1000000, 1000000)};
    const int32_t front_bias[2] = {Frama_C_interval(-1000000, 1000000),
                                   Frama_C_interval(-1000000, 1000000)};
    const uint16_t front_scales[2] = {(uint16_t)Frama_C_interval(0, 65535),
                                      (uint16_t)Frama_C_interval(0, 65535)};
    margin_model_q model;
    for (int i = 0; i < N * 2; i++) { v[i] = (int16_t)Frama_C_interval(-2000, 2000); }
    for (int i = 0; i < 2 * D; i++) { front[i] = (int16_t)Frama_C_interval(-20000, 20000); }
    for (int i = 0; i < N; i++) {
        norms[i] = (uint16_t)Frama_C_interval(0, 65535);
        coef[i] = (int16_t)Frama_C_interval(-15000, 15000);
    }
    for (int i = 0; i < D; i++) { x[i] = half(); }
    model.kind = MARGIN_MODEL_PROJECTED;
    model.of.projected.pool = pool_q;
    model.of.projected.pool.width = 1;
    model.of.projected.pool.vectors = v;
    model.of.projected.pool.norms = norms;
    model.of.projected.pool.coef = coef;
    model.of.projected.pool.bias = bias;
    model.of.projected.front = front;
    model.of.projected.front_bias = front_bias;
    model.of.projected.front_scales = front_scales;
    model.of.projected.picked = NULL;
    model.of.projected.d = D;
    model.of.projected.front_down = (uint8_t)Frama_C_interval(0, 31);
    margin_scores_q(&model, x, &score);
    (void)margin_classify_q(&model, x, NULL, &score);
}

/* What of an image is not any byte: its kind and format, the bytes 16 to 31 and 60 to 61 of its head (counts, width, scheme,
 * kernel, degree, flags; the rank), because Eva does not relate the length of an array to that of the image, and the ends of
 * classes or reaches of cuts, `count` bytes at `at`, because it does not remember that they were found in order. */
typedef struct {
    uint8_t kind, format, head[16], rank;
    uint8_t at, count, fixed[16];
} image_shape;

#define IMAGE 128

/* Any bytes as an image of IMAGE bytes, but those of the shape: all others are any at once, the checksum, the parameters of the
 * kernel, the arrays and the length of the notes among them. */
static void image_draw(const image_shape *shape) {
    for (int i = 0; i < IMAGE; i++) { bytes[i] = (unsigned char)Frama_C_interval(0, 255); }
    bytes[6] = shape->kind;
    bytes[7] = shape->format;
    bytes[8] = IMAGE;
    bytes[9] = bytes[10] = bytes[11] = 0;
    for (int i = 0; i < 16; i++) { bytes[16 + i] = shape->head[i]; }
    if (shape->kind == MARGIN_MODEL_PROJECTED) {
        bytes[shape->format == 0 ? 60 : 50] = shape->rank;
        bytes[61] = shape->format == 0 ? 0 : bytes[61];
    }
    for (int i = 0; i < shape->count; i++) { bytes[shape->at + i] = shape->fixed[i]; }
}

/* What is opened passes the check of models, or does not, and answers any input. `beyond` is 0, but for a defect that must be
 * found: so far behind the image a byte is read where it is good. */
static void image_ask(const image_shape *shape, size_t beyond) {
    margin_model model;
    margin_real x[D], scores[16];
    image_draw(shape);
    if (margin_image_open(bytes, IMAGE, &model) != MARGIN_OK) { return; }
    if (beyond > 0) { (void)mgn_get16(bytes + IMAGE + beyond); }
    (void)margin_model_check(&model);
    for (int i = 0; i < D; i++) { x[i] = any(); }
    Frama_C_show_each_good(margin_classify(&model, x, scores)); /* eva.py wants to see it */
}

#define HEAD(n, d, classes, width, scheme, kernel, degree, flags)                                  \
    { n, 0, 0, 0, d, 0, 0, 0, classes, 0, width, 0, scheme, kernel, degree, flags }

void eva_image_linear(void) {
    const image_shape two = {
        MARGIN_MODEL_LINEAR, 0, HEAD(0, 2, 2, 0, MARGIN_SCHEME_BINARY, 0, 0, 0), 0, 0, 0, {0}};
    image_ask(&two, 0);
}

void eva_image_pairs(void) {
    const image_shape pairs = {
        MARGIN_MODEL_LINEAR, 0, HEAD(0, 1, 3, 0, MARGIN_SCHEME_ONE_ONE, 0, 0, 0), 0, 0, 0, {0}};
    image_ask(&pairs, 0);
}

void eva_image_ordinal(void) {
    const image_shape cuts = {
        MARGIN_MODEL_LINEAR, 0, HEAD(0, 2, 3, 0, MARGIN_SCHEME_ORDINAL, 0, 0, 0), 0, 0, 0, {0}};
    image_ask(&cuts, 0);
}

/* Three vectors of two features: vectors, norms, coefficients, bias, ends of two classes. */
static void image_expansion(uint8_t kernel, uint8_t degree) {
    const image_shape shape = {MARGIN_MODEL_EXPANSION,
                               0,
                               HEAD(3, 2, 2, 1, MARGIN_SCHEME_BINARY, kernel, degree, 0),
                               0,
                               64 + 4 * (6 + 3 + 3 + 1),
                               8,
                               {1, 0, 0, 0, 3, 0, 0, 0}};
    image_ask(&shape, 0);
}

void eva_image_rbf(void) {
    image_expansion(MARGIN_KERNEL_RBF, 1);
}

void eva_image_poly(void) {
    image_expansion(MARGIN_KERNEL_POLY, 3);
}

void eva_image_hinge(void) {
    image_expansion(MARGIN_KERNEL_HINGE, 1);
}

void eva_image_one_one(void) {
    const image_shape shape = {MARGIN_MODEL_EXPANSION,
                               0,
                               HEAD(2, 1, 3, 2, MARGIN_SCHEME_ONE_ONE, MARGIN_KERNEL_RBF, 1, 0),
                               0,
                               64 + 4 * (2 + 2 + 4 + 3),
                               12,
                               {1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}};
    image_ask(&shape, 0);
}

/* Two prototypes with a tangent each, of two classes; the two nearest vote. */
void eva_image_proto(void) {
    const image_shape shape = {MARGIN_MODEL_PROTO,
                               0,
                               HEAD(2, 2, 2, 1, MARGIN_SCHEME_NEAREST, 0, 2, 0),
                               0,
                               64 + 4 * (8 + 2),
                               8,
                               {1, 0, 0, 0, 2, 0, 0, 0}};
    image_ask(&shape, 0);
}

/* Two cuts over two vectors. */
void eva_image_list(void) {
    const image_shape shape = {MARGIN_MODEL_LIST,
                               0,
                               HEAD(2, 2, 2, 2, MARGIN_SCHEME_BINARY, MARGIN_KERNEL_RBF, 1, 0),
                               0,
                               64 + 4 * (4 + 2 + 4 + 2),
                               16,
                               {1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}};
    image_ask(&shape, 0);
}

/* Two vectors behind a projection of three features to one. */
void eva_image_projected(void) {
    const image_shape shape = {MARGIN_MODEL_PROJECTED,
                               0,
                               HEAD(2, 3, 2, 1, MARGIN_SCHEME_BINARY, MARGIN_KERNEL_RBF, 1, 0),
                               1,
                               64 + 4 * (2 + 2 + 2 + 1),
                               8,
                               {1, 0, 0, 0, 2, 0, 0, 0}};
    image_ask(&shape, 0);
}

/* The same of integer models. They are opened and checked here, and not asked: Eva does not remember that sums of weights were
 * found small enough. What such models answer is followed above, for numbers within what the check asks for. */
static void image_open_q(const image_shape *shape) {
    margin_quant quant;
    margin_stage_q stage;
    image_draw(shape);
    if (margin_image_open_q(bytes, IMAGE, &stage, &quant) == MARGIN_OK) {
        Frama_C_show_each_good(quant.model.kind);
    }
}

void eva_image_linear_q(void) {
    const image_shape shape = {MARGIN_MODEL_LINEAR,
                               MARGIN_Q15,
                               HEAD(0, 2, 3, 0, MARGIN_SCHEME_ONE_REST, 0, 0, 0),
                               0,
                               0,
                               0,
                               {0}};
    image_open_q(&shape);
}

/* Four vectors of two features, or behind a projection of three features to one. */
void eva_image_rbf_q(void) {
    const image_shape shape = {MARGIN_MODEL_EXPANSION,
                               MARGIN_Q15,
                               HEAD(4, 2, 2, 1, MARGIN_SCHEME_BINARY, MARGIN_KERNEL_RBF, 0, 0),
                               0,
                               38,
                               2,
                               {1, 0}};
    image_open_q(&shape);
}

void eva_image_poly_q(void) {
    const image_shape shape = {MARGIN_MODEL_EXPANSION,
                               MARGIN_Q7,
                               HEAD(4, 2, 2, 1, MARGIN_SCHEME_BINARY, MARGIN_KERNEL_POLY, 3, 0),
                               0,
                               38,
                               2,
                               {0, 0}};
    image_open_q(&shape);
}

void eva_image_hinge_q(void) {
    const image_shape shape = {MARGIN_MODEL_EXPANSION,
                               MARGIN_Q7,
                               HEAD(4, 2, 3, 3, MARGIN_SCHEME_ONE_REST, MARGIN_KERNEL_HINGE, 0, 0),
                               0,
                               38,
                               2,
                               {0, 0}};
    image_open_q(&shape);
}

void eva_image_projected_q(void) {
    const image_shape shape = {MARGIN_MODEL_PROJECTED,
                               MARGIN_Q15,
                               HEAD(4, 3, 2, 1, MARGIN_SCHEME_BINARY, MARGIN_KERNEL_RBF, 0, 0),
                               1,
                               38,
                               2,
                               {1, 0}};
    image_open_q(&shape);
}

/* Two prototypes of two features. */
void eva_image_proto_q(void) {
    const image_shape shape = {MARGIN_MODEL_PROTO,
                               MARGIN_Q15,
                               HEAD(2, 2, 2, 0, MARGIN_SCHEME_NEAREST, 0, 1, 0),
                               0,
                               68 + 16 + 8 + 4,
                               4,
                               {1, 0, 2, 0}};
    image_open_q(&shape);
}

/* Two cuts over four vectors. */
void eva_image_list_q(void) {
    const image_shape shape = {MARGIN_MODEL_LIST,
                               MARGIN_Q15,
                               HEAD(4, 2, 2, 2, MARGIN_SCHEME_BINARY, MARGIN_KERNEL_RBF, 0, 0),
                               0,
                               68 + 16 + 8 + 16 + 8,
                               4,
                               {4, 0, 4, 0}};
    image_open_q(&shape);
}

/* Any bytes with any counts, of a buffer of 128 bytes: refused, or a head whose arrays fit the image. The length that the head
 * tells is one of several, as the counts are above. */
void eva_head_any(void) {
    for (unsigned told = 60; told <= 128u; told += 34u) {
        margin_model model;
        mgn_image_head head;
        for (int i = 0; i < 128; i++) { bytes[i] = (unsigned char)Frama_C_interval(0, 255); }
        bytes[8] = (unsigned char)told;
        bytes[9] = bytes[10] = bytes[11] = 0;
        (void)mgn_image_model(bytes, 128, &head, &model);
        (void)mgn_image_model(bytes, (size_t)Frama_C_interval(0, (int)told - 1), &head, &model);
    }
}

/* A defect that must be found: a read behind an image, reached only where the image is good. */
void eva_seeded_image(void) {
    const image_shape shape = {
        MARGIN_MODEL_LINEAR, 0, HEAD(0, 2, 2, 0, MARGIN_SCHEME_BINARY, 0, 0, 0), 0, 0, 0, {0}};
    image_ask(&shape, 1);
}

/* A defect that must be found: one feature too many. */
void eva_seeded(void) {
    margin_real x[D] = {1, 2, 3}, score;
    const margin_real w[D + 1] = {1, 1, 1, 1}, bias[1] = {0};
    const margin_linear model = {w, bias, D + 1, {2, MARGIN_SCHEME_BINARY, 0, 0, 0}};
    margin_linear_scores(&model, x, &score);
}
