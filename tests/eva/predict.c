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
            (void)margin_arena_left(&mem);
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

/* Any bytes as an image of 128 bytes. The counts of its head, its scheme and its flags are those of the call, because Eva does not
 * relate the length of an array to that of the image; all other bytes are any at once, the checksum, the width, the kernel, its
 * parameters, the arrays and the length of the notes among them. What is opened passes the check of models, or does not, and
 * answers any input. `beyond` is 0, but for a defect that must be found: so far behind the image a byte is read where it is
 * good. */
static void image_of(uint8_t kind, uint8_t n, uint8_t d, uint8_t classes, uint8_t scheme,
                     uint8_t flags, size_t beyond) {
    margin_model model;
    margin_real x[D], scores[16];
    for (int i = 0; i < 128; i++) { bytes[i] = (unsigned char)Frama_C_interval(0, 255); }
    bytes[6] = kind;
    bytes[8] = 128;
    bytes[9] = bytes[10] = bytes[11] = 0;
    bytes[16] = n;
    bytes[17] = bytes[18] = bytes[19] = 0;
    bytes[20] = d;
    bytes[21] = bytes[22] = bytes[23] = 0;
    bytes[24] = classes;
    bytes[25] = 0;
    bytes[28] = scheme;
    bytes[31] = flags;
    if (margin_image_open(bytes, 128, &model) != MARGIN_OK) { return; }
    if (beyond > 0) { (void)mgn_get16(bytes + 128 + beyond); }
    (void)margin_model_check(&model);
    for (int i = 0; i < D; i++) { x[i] = any(); }
    (void)margin_classify(&model, x, scores);
}

void eva_image_linear(void) {
    image_of(MARGIN_MODEL_LINEAR, 0, 2, 2, MARGIN_SCHEME_BINARY, 0, 0);
    image_of(MARGIN_MODEL_LINEAR, 0, 1, 3, MARGIN_SCHEME_ONE_ONE, 0, 0);
    image_of(MARGIN_MODEL_LINEAR, 0, 2, 3, MARGIN_SCHEME_ORDINAL, 0, 0);
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
    image_of(MARGIN_MODEL_LINEAR, 0, 2, 2, MARGIN_SCHEME_BINARY, 0, 1);
}

/* A defect that must be found: one feature too many. */
void eva_seeded(void) {
    margin_real x[D] = {1, 2, 3}, score;
    const margin_real w[D + 1] = {1, 1, 1, 1}, bias[1] = {0};
    const margin_linear model = {w, bias, D + 1, {2, MARGIN_SCHEME_BINARY, 0, 0, 0}};
    margin_linear_scores(&model, x, &score);
}
