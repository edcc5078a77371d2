/* test_image.c -- models as bytes: round trips, every kind of damage, scaling folded in. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena_sweep.h"
#include "asserts.h"
#include "image_seal.h"
#include "margin.h"

/* A small trained model of each shape: kernel, scheme and classes. */
typedef struct {
    margin_real x[24 * 3];
    uint16_t y[24];
    margin_data data;
    unsigned char bytes[60000];
    margin_arena mem;
    margin_model model;
    margin_scaling scaling;
} trained;

static void train(trained *t, unsigned kernel, size_t classes, unsigned scheme, bool scaled) {
    margin_rng rng = margin_rng_make(7);
    margin_svm_options options;
    memset(&options, 0, sizeof options);
    memset(&t->data, 0, sizeof t->data);
    for (size_t i = 0; i < 24; i++) {
        t->y[i] = (uint16_t)(i % classes);
        for (size_t k = 0; k < 3; k++) {
            t->x[i * 3 + k] = margin_rng_normal(&rng) + (k == i % classes ? 2 : 0);
            t->x[i * 3 + k] =
                scaled ? 100 * (margin_real)(k + 1) + t->x[i * 3 + k] : t->x[i * 3 + k];
        }
    }
    t->data.x = t->x;
    t->data.y = t->y;
    t->data.n = 24;
    t->data.d = 3;
    t->mem = margin_arena_make(t->bytes, sizeof t->bytes);
    memset(&t->scaling, 0, sizeof t->scaling);
    if (scaled) {
        (void)margin_scaling_fit(&t->data, MARGIN_SCALE_STANDARD, &t->mem, &t->scaling);
        (void)margin_scaling_apply(&t->scaling, &t->data, t->x, 0);
    }
    options.kernel.kind = (uint8_t)kernel;
    options.scheme = (uint8_t)scheme;
    options.run.cache_bytes = 1;
    if (margin_svm_train(&t->data, &options, &t->mem, &t->model, NULL, NULL) != MARGIN_OK) {
        abort();
    }
}

static const struct {
    unsigned kernel, classes, scheme;
    bool scaled;
} shapes[] = {
    {MARGIN_KERNEL_LINEAR, 2, 0, false},
    {MARGIN_KERNEL_LINEAR, 3, 0, true},
    {MARGIN_KERNEL_LINEAR, 3, MARGIN_SCHEME_ONE_REST, false},
    {MARGIN_KERNEL_RBF, 2, 0, true},
    {MARGIN_KERNEL_POLY, 3, 0, false},
    {MARGIN_KERNEL_RBF, 3, MARGIN_SCHEME_ONE_REST, true},
    {MARGIN_KERNEL_UNIT_EXP, 2, 0, false},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static trained one;
static uint32_t image_words[8000], copy_words[8000];
#define image ((unsigned char *)image_words)
#define copy ((unsigned char *)copy_words)

/* Numbers of votes other than 0; of two classes with a curve. */
static void vote_one(size_t classes) {
    static margin_real curve[MARGIN_CURVE];
    margin_vote *vote = one.model.kind == MARGIN_MODEL_LINEAR ? &one.model.of.linear.vote
                                                              : &one.model.of.expansion.vote;
    for (size_t i = 0; i < MARGIN_CURVE; i++) { curve[i] = (margin_real)i / 16; }
    vote->reject = one.model.kind == MARGIN_MODEL_LINEAR ? 1 : 0;
    vote->slope = 2;
    vote->include = (margin_real)0.25;
    vote->curve = classes == 2 ? curve : NULL;
}

static size_t write_shape(size_t s, const char *notes) {
    train(&one, shapes[s].kernel, shapes[s].classes, shapes[s].scheme, shapes[s].scaled);
    if (shapes[s].scaled && margin_model_scale(&one.model, &one.scaling, &one.mem) != MARGIN_OK) {
        abort();
    }
    vote_one(shapes[s].classes);
    if (margin_image_write(&one.model, notes, strlen(notes), image, sizeof image_words) !=
        MARGIN_OK) {
        abort();
    }
    return margin_image_size(&one.model, strlen(notes));
}

TEST the_head_is_laid_out_as_documented(void) {
    const size_t size = write_shape(3, "hello");
    size_t count = 0;
    ASSERT(memcmp(image, "mgn\x1A\x01\x00\x02\x00", 8) == 0);
    ASSERT_EQ(size, (size_t)image[8] + 256u * image[9] + 65536u * image[10]);
    ASSERT_EQ(3, image[20]);
    ASSERT_EQ(2, image[24]);
    ASSERT_EQ(1, image[26]);
    ASSERT_EQ(MARGIN_KERNEL_RBF, image[29]);
    ASSERT_EQ(1 + 8, image[31]);
    ASSERT_EQ(5, image[56]);
    ASSERT(memcmp(margin_image_notes(image, &count), "hello", 5) == 0);
    ASSERT_EQ(5u, count);
    ASSERT(memcmp(image + size - 5, "hello", 5) == 0);
    PASS();
}

TEST the_checksum_is_the_one_of_ethernet(void) {
    const size_t size = write_shape(0, "");
    memcpy(copy, image, size);
    image_seal(copy, size);
    ASSERT(memcmp(copy, image, size) == 0);
    copy[12] ^= 1u; /* the seal is put there, not left as it was */
    image_seal(copy, size);
    ASSERT(memcmp(copy, image, size) == 0);
    PASS();
}

TEST writing_checks_its_arguments_and_its_room(void) {
    const size_t size = write_shape(4, "notes");
    memcpy(copy, image, size);
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_write(NULL, "", 0, copy, size));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_write(&one.model, "", 0, NULL, size));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_write(&one.model, NULL, 1, copy, size));
    ASSERT_EQ(MARGIN_E_MEMORY, margin_image_write(&one.model, "notes", 5, copy, size - 1));
    ASSERT_EQ(MARGIN_E_OVERFLOW, margin_image_write(&one.model, "", SIZE_MAX - 9, copy, size));
    ASSERT(memcmp(copy, image, size) == 0);
    ASSERT_EQ(0u, margin_image_size(NULL, 0));
    ASSERT_EQ(0u, margin_image_size(&one.model, SIZE_MAX));
    PASS();
}

TEST scaling_needs_a_model_that_fits(void) {
    margin_scaling other = {NULL, NULL, 5};
    margin_model before;
    train(&one, MARGIN_KERNEL_RBF, 2, 0, true);
    before = one.model;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_scale(NULL, &one.scaling, &one.mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_scale(&one.model, NULL, &one.mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_scale(&one.model, &one.scaling, NULL));
    ASSERT_EQ(MARGIN_OK, margin_model_scale(&one.model, &other, &one.mem)); /* no scaling at all */
    ASSERT(before.of.expansion.offset == one.model.of.expansion.offset);
    ASSERT(before.of.expansion.vectors == one.model.of.expansion.vectors);
    other = one.scaling;
    other.d = 5;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_scale(&one.model, &other, &one.mem));
    ASSERT_EQ(0u, margin_model_scale_size(&one.model));
    ASSERT_EQ(0u, margin_model_scale_size(NULL));
    ASSERT_EQ(MARGIN_OK, margin_model_scale(&one.model, &one.scaling, &one.mem));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_scale(&one.model, &one.scaling, &one.mem));
    train(&one, MARGIN_KERNEL_LINEAR, 2, 0, true);
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_scale(&one.model, &other, &one.mem));
    PASS();
}

static margin_status scale_linear(margin_arena *mem, void *user) {
    margin_model model = *(margin_model *)user;
    return margin_model_scale(&model, &one.scaling, mem);
}

TEST scaling_a_linear_model_takes_what_its_query_says(void) {
    train(&one, MARGIN_KERNEL_LINEAR, 3, 0, true);
    CHECK_CALL(arena_sweep(scale_linear, &one.model, margin_model_scale_size(&one.model), NULL, 0));
    PASS();
}

TEST a_scaled_model_scores_raw_data_as_the_model_scored_scaled_data(void) {
    for (size_t s = 0; s < SHAPES; s++) {
        if (shapes[s].scaled) {
            margin_real scaled[24][3], raw[24][3];
            size_t machines;
            train(&one, shapes[s].kernel, shapes[s].classes, shapes[s].scheme, true);
            machines = margin_machines(margin_model_vote(&one.model)->scheme,
                                       margin_model_vote(&one.model)->classes);
            for (size_t i = 0; i < 24; i++) { margin_scores(&one.model, one.x + 3 * i, scaled[i]); }
            ASSERT_EQ(MARGIN_OK, margin_model_scale(&one.model, &one.scaling, &one.mem));
            for (size_t i = 0; i < 24; i++) {
                margin_real x[3];
                for (size_t k = 0; k < 3; k++) {
                    x[k] = one.x[3 * i + k] / one.scaling.factor[k] + one.scaling.offset[k];
                }
                margin_scores(&one.model, x, raw[i]);
                for (size_t j = 0; j < machines && j < 3; j++) {
                    ASSERT_IN_RANGE(scaled[i][j], raw[i][j], sizeof(margin_real) > 4 ? 1e-9 : 2e-2);
                }
            }
        }
    }
    PASS();
}

static margin_status load(margin_arena *mem, void *user) {
    margin_model model;
    return margin_image_load(image, *(size_t *)user, mem, &model);
}

TEST a_loaded_image_scores_like_the_model_and_takes_what_its_query_says(void) {
    for (size_t s = 0; s < SHAPES; s++) {
        size_t size = write_shape(s, "n");
        const margin_real tolerance = sizeof(margin_real) > 4 ? (margin_real)1e-3 : 0;
        margin_model loaded;
        for (size_t i = 0; i < 24; i++) {
            margin_real a[3], b[3];
            margin_arena mem = one.mem;
            ASSERT_EQ(MARGIN_OK, margin_image_load(image, size, &mem, &loaded));
            margin_scores(&one.model, one.x + 3 * i, a);
            margin_scores(&loaded, one.x + 3 * i, b);
            for (size_t j = 0; j < margin_machines(shapes[s].scheme, shapes[s].classes); j++) {
                ASSERT_IN_RANGE(a[j], b[j], tolerance);
            }
        }
        CHECK_CALL(arena_sweep(load, &size, margin_image_load_size(image, size), NULL, 0));
        ASSERT_EQ(0u, margin_image_load_size(image, size - 1));
        ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_load(image, size, NULL, &loaded));
        ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_load(image, size, &one.mem, NULL));
        ASSERT_EQ(MARGIN_E_IMAGE_SIZE, margin_image_load(image, 63, &one.mem, &loaded));
    }
    PASS();
}

/* ---- integer models ---------------------------------------------------------------------------- */

static const struct {
    unsigned kernel, classes, scheme, format;
    bool whole;
} shapes_q[] = {
    {MARGIN_KERNEL_LINEAR, 2, 0, MARGIN_Q15, false},
    {MARGIN_KERNEL_LINEAR, 3, 0, MARGIN_Q7, true},
    {MARGIN_KERNEL_LINEAR, 3, MARGIN_SCHEME_ONE_REST, MARGIN_Q15, true},
    {MARGIN_KERNEL_RBF, 2, 0, MARGIN_Q15, true},
    {MARGIN_KERNEL_RBF, 3, 0, MARGIN_Q7, false},
    {MARGIN_KERNEL_RBF, 3, MARGIN_SCHEME_ONE_REST, MARGIN_Q7, true},
    {MARGIN_KERNEL_POLY, 3, 0, MARGIN_Q15, false},
    {MARGIN_KERNEL_POLY, 2, 0, MARGIN_Q7, true},
    {MARGIN_KERNEL_UNIT_POLY, 2, 0, MARGIN_Q15, true},
    {MARGIN_KERNEL_UNIT_EXP, 3, MARGIN_SCHEME_ONE_REST, MARGIN_Q7, false},
};
#define SHAPES_Q (sizeof shapes_q / sizeof shapes_q[0])

static margin_quant quant;

static size_t write_shape_q(size_t s, const char *notes) {
    const margin_quant_options options = {(uint8_t)shapes_q[s].format, shapes_q[s].whole};
    margin_real raw[24 * 3];
    margin_data data;
    train(&one, shapes_q[s].kernel, shapes_q[s].classes, shapes_q[s].scheme, true);
    for (size_t i = 0; i < 24 * 3; i++) {
        const size_t k = i % 3;
        raw[i] = one.x[i] / one.scaling.factor[k] + one.scaling.offset[k];
        raw[i] = shapes_q[s].whole ? (margin_real)floor((double)raw[i]) : raw[i];
    }
    data = one.data;
    data.x = raw;
    if (margin_model_scale(&one.model, &one.scaling, &one.mem) != MARGIN_OK) { abort(); }
    vote_one(shapes_q[s].classes);
    if (margin_quantize(&one.model, &data, &options, &one.mem, &quant, NULL) != MARGIN_OK ||
        margin_image_write_q(&quant, notes, strlen(notes), image, sizeof image_words) !=
            MARGIN_OK) {
        abort();
    }
    return margin_image_size_q(&quant, strlen(notes));
}

/* The probability of class 1. */
static unsigned chance_q(const margin_model_q *model, int32_t *scores) {
    uint16_t p[3];
    margin_probabilities_q(margin_model_vote_q(model), scores, p);
    return p[1];
}

/* The same scores and answers, in range and far out. */
static bool same_answers(const margin_quant *a, const margin_quant *b) {
    margin_rng rng = margin_rng_make(3);
    for (unsigned i = 0; i < 400; i++) {
        const margin_vote_q *vote = margin_model_vote_q(&a->model);
        int32_t sa[3], sb[3];
        int16_t x[3], wa[3], wb[3];
        for (size_t k = 0; k < 3; k++) {
            const int32_t draw = (int32_t)(margin_rng_u32(&rng) & 0xFFFFu) - 32768;
            x[k] = (int16_t)(draw >> i % 14);
        }
        if (margin_classify_q(&a->model, x, wa, sa) != margin_classify_q(&b->model, x, wb, sb) ||
            memcmp(sa, sb, vote->machines * sizeof sa[0]) != 0 ||
            chance_q(&a->model, sa) != chance_q(&b->model, sb)) {
            return false;
        }
    }
    return a->unit == b->unit || sizeof(margin_real) > 4;
}

static margin_status load_q(margin_arena *mem, void *user) {
    margin_quant loaded;
    return margin_image_load_q(image, *(size_t *)user, mem, &loaded);
}

TEST a_loaded_integer_image_is_the_model_and_takes_what_its_query_says(void) {
    for (size_t s = 0; s < SHAPES_Q; s++) {
        size_t size = write_shape_q(s, "some notes");
        margin_quant loaded;
        margin_arena mem = one.mem;
        ASSERT_EQ(shapes_q[s].format, image[7]);
        ASSERT_EQ(MARGIN_OK, margin_image_load_q(image, size, &mem, &loaded));
        ASSERT(same_answers(&quant, &loaded));
        ASSERT_EQ(MARGIN_OK, margin_image_write_q(&loaded, "some notes", 10, copy, size));
        ASSERT(memcmp(image, copy, size) == 0);
        CHECK_CALL(arena_sweep(load_q, &size, margin_image_load_size_q(image, size), NULL, 0));
        memmove(image + 1, image, size);
        mem = one.mem;
        ASSERT_EQ(MARGIN_OK, margin_image_load_q(image + 1, size, &mem, &loaded));
        ASSERT(same_answers(&quant, &loaded));
    }
    PASS();
}

TEST any_flipped_bit_of_an_integer_image_is_refused(void) {
    for (size_t s = 0; s < SHAPES_Q; s++) {
        const size_t size = write_shape_q(s, "n");
        margin_quant loaded, before;
        memset(&loaded, 0x5A, sizeof loaded);
        before = loaded;
        for (size_t bit = 0; bit < 8 * size; bit++) {
            margin_arena mem = one.mem;
            image[bit / 8] ^= (unsigned char)(1u << bit % 8);
            ASSERT(margin_image_load_q(image, size, &mem, &loaded) < 0);
            ASSERT_EQ(one.mem.low, mem.low);
            image[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        for (size_t cut = 0; cut < size; cut++) {
            margin_arena mem = one.mem;
            ASSERT_EQ(MARGIN_E_IMAGE_SIZE, margin_image_load_q(image, cut, &mem, &loaded));
        }
        ASSERT(memcmp(&loaded, &before, sizeof before) == 0);
    }
    PASS();
}

/* Puts a value into the image and makes the checksum right again. */
static void forge(size_t size, size_t at, unsigned bytes, uint32_t value) {
    for (unsigned i = 0; i < bytes; i++) { image[at + i] = (unsigned char)(value >> 8 * i); }
    image_seal(image, size);
}

TEST forged_integer_images_are_refused_or_harmless(void) {
    margin_rng rng = margin_rng_make(5);
    size_t refused = 0, taken = 0;
    for (unsigned trial = 0; trial < 4000; trial++) {
        static size_t size;
        const uint32_t value = margin_rng_u32(&rng);
        margin_arena mem;
        margin_quant loaded;
        size_t at;
        if (trial % 400 == 0) {
            size = write_shape_q(trial / 400 % SHAPES_Q, "n");
            memcpy(copy, image, size);
        }
        memcpy(image, copy, size);
        at = margin_rng_below(&rng, (uint32_t)(trial % 2 == 0 ? 68 : size - 4));
        forge(size, at, 1 + value % 4, margin_rng_u32(&rng) >> value % 32);
        mem = one.mem;
        if (margin_image_load_q(image, size, &mem, &loaded) == MARGIN_OK) {
            size_t count;
            const unsigned char *notes = margin_image_notes(image, &count);
            taken++;
            ASSERT_EQ(MARGIN_OK, margin_model_check_q(&loaded.model));
            ASSERT(same_answers(&loaded, &loaded));
            ASSERT_EQ(MARGIN_OK, margin_image_write_q(&loaded, notes, count, copy + 16000, size));
            ASSERT(memcmp(image, copy + 16000, size) == 0);
        } else {
            refused++;
        }
    }
    ASSERT(taken > 200);
    ASSERT(refused > 1000);
    PASS();
}

TEST absurd_integer_heads_with_a_right_checksum_are_refused(void) {
    static const struct {
        size_t shape, at;
        unsigned bytes;
        uint32_t value;
        margin_status status;
    } lies[] = {
        {3, 4, 2, 2, MARGIN_E_IMAGE},
        {3, 6, 1, 99, MARGIN_E_IMAGE},
        {3, 7, 1, 0, MARGIN_E_IMAGE}, /* a real model: for margin_image_open */
        {3, 7, 1, 8, MARGIN_E_IMAGE},
        {3, 7, 1, MARGIN_Q7, MARGIN_E_IMAGE_SIZE},
        {3, 16, 4, 0, MARGIN_E_IMAGE_SIZE},
        {3, 16, 4, 0x10000, MARGIN_E_IMAGE_VALUE},
        {3, 22, 2, 0x8001, MARGIN_E_IMAGE_VALUE}, /* a probability above 1 */
        {3, 20, 4, 0xFFFF, MARGIN_E_IMAGE_SIZE},
        {3, 24, 2, 3, MARGIN_E_IMAGE_SIZE},
        {4, 28, 1, MARGIN_SCHEME_VOTES + 9, MARGIN_E_IMAGE_SIZE},
        {3, 29, 1, MARGIN_KERNEL_LINEAR, MARGIN_E_IMAGE_VALUE},
        {3, 31, 1, 16, MARGIN_E_IMAGE_VALUE},
        {4, 31, 1, 2 + 8, MARGIN_E_IMAGE_SIZE}, /* a curve that is not there */
        {3, 33, 1, 32, MARGIN_E_IMAGE_VALUE},   /* shifts */
        {3, 34, 1, 32, MARGIN_E_IMAGE_VALUE},
        {3, 35, 1, 32, MARGIN_E_IMAGE_VALUE},
        {3, 38, 2, 2, MARGIN_E_IMAGE_VALUE},          /* q15 has steps of one */
        {3, 44, 4, 0xFFFFFFFF, MARGIN_E_IMAGE_VALUE}, /* reject -1 */
        {3, 50, 2, 1, MARGIN_E_IMAGE_VALUE},
        {3, 60, 4, 0xC0000000, MARGIN_E_IMAGE_VALUE}, /* reach */
        {3, 64, 4, 0x7FC00000, MARGIN_E_IMAGE_VALUE}, /* unit NaN */
        {0, 16, 4, 4, MARGIN_E_IMAGE_VALUE},
        {0, 26, 2, 1, MARGIN_E_IMAGE_VALUE},
        {0, 29, 1, 1, MARGIN_E_IMAGE_VALUE},
        {0, 32, 1, 1, MARGIN_E_IMAGE_VALUE},
        {0, 36, 1, 1, MARGIN_E_IMAGE_VALUE},
        {0, 60, 1, 1, MARGIN_E_IMAGE_VALUE},
        {0, 74, 1, 1, MARGIN_E_IMAGE_VALUE},           /* three int16_t: the fourth is 0 */
        {0, 76, 4, 0x7FFFFFFF, MARGIN_E_IMAGE_VALUE},  /* the bias leaves no room for the sum */
        {0, 114, 1, 1, MARGIN_E_IMAGE_VALUE},          /* 17 int16_t of the curve: the last is 0 */
        {0, 116, 4, 0x7F800000, MARGIN_E_IMAGE_VALUE}, /* offset of the input infinite */
        {1, 24, 2, 0xFFFE, MARGIN_E_IMAGE_VALUE},      /* more machines than 16 bits count */
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        const size_t size = write_shape_q(lies[i].shape, "n");
        margin_quant loaded;
        forge(size, lies[i].at, lies[i].bytes, lies[i].value);
        ASSERT_EQ_FMT((int)lies[i].status, (int)margin_image_load_q(image, size, &one.mem, &loaded),
                      "%d");
    }
    PASS();
}

TEST integer_images_check_arguments_and_room(void) {
    const size_t size = write_shape_q(2, "notes");
    margin_quant loaded = quant;
    margin_model model;
    memcpy(copy, image, size);
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_write_q(NULL, "", 0, copy, size));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_write_q(&quant, "", 0, NULL, size));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_write_q(&quant, NULL, 1, copy, size));
    ASSERT_EQ(MARGIN_E_MEMORY, margin_image_write_q(&quant, "notes", 5, copy, size - 1));
    ASSERT_EQ(MARGIN_E_OVERFLOW, margin_image_write_q(&quant, "", SIZE_MAX - 9, copy, size));
    loaded.model.kind = 99;
    ASSERT_EQ(0u, margin_image_size_q(&loaded, 0));
    ASSERT_EQ(MARGIN_E_RANGE, margin_image_write_q(&loaded, "notes", 5, copy, size));
    loaded = quant;
    loaded.input.offset = one.x;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_write_q(&loaded, "notes", 5, copy, size));
    ASSERT(memcmp(copy, image, size) == 0);
    ASSERT_EQ(0u, margin_image_size_q(NULL, 0));
    ASSERT_EQ(0u, margin_image_size_q(&quant, SIZE_MAX));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_load_q(image, size, NULL, &loaded));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_load_q(image, size, &one.mem, NULL));
    ASSERT_EQ(MARGIN_E_IMAGE, margin_image_load(image, size, &one.mem, &model));
    ASSERT_EQ(0u, margin_image_load_size(image, size));
    ASSERT_EQ(0u, margin_image_load_size_q(image, size - 1));
    loaded = quant;
    loaded.unit = (margin_real)HUGE_VAL;
    ASSERT_EQ(MARGIN_E_RANGE, margin_image_write_q(&loaded, "notes", 5, copy, size));
    PASS();
}

/* The bytes of the vectors leave size_t; what comes after them must not bring the sum back into it. Notes
 * longer than what follows the head would then end the image. */
TEST sizes_beyond_size_t_are_refused_whatever_follows(void) {
    for (uint32_t classes = 2; classes < 9; classes++) {
        for (uint32_t before = 0; before <= 4 * classes + 4; before++) {
            unsigned char room[64];
            margin_arena mem = margin_arena_make(room, sizeof room);
            margin_model model;
            memset(image, 0, 68);
            memcpy(image, "mgn\x1A\x01", 5);
            image[6] = MARGIN_MODEL_PROTO;
            image[28] = MARGIN_SCHEME_NEAREST;
            image[30] = 1; /* nth */
            forge(68, 8, 4, 68);
            forge(68, 16, 4, 0xFFFFFFFFu); /* n */
            forge(68, 20, 4, 0xFFFFFFFFu); /* d: n d numbers of 4 bytes are more than 2^64 */
            forge(68, 24, 2, classes);
            forge(68, 56, 4, 68 - before);
            ASSERT_EQ(MARGIN_E_IMAGE_SIZE, margin_image_load(image, 68, &mem, &model));
            ASSERT_EQ(0, margin_image_load_size(image, 68));
#ifndef MARGIN_REAL_DOUBLE
            ASSERT_EQ(MARGIN_E_IMAGE_SIZE, margin_image_open(image, 68, &model));
#endif
        }
    }
    PASS();
}

/* ---- whole models ------------------------------------------------------------------------------ */

TEST models_with_something_missing_or_wrong_are_found(void) {
    margin_model m;
    margin_expansion *e = &m.of.expansion;
    margin_real bad[3] = {0, (margin_real)HUGE_VAL, 0};
    uint32_t ends[2] = {2, 1};
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_model_check(NULL));
    for (size_t s = 0; s < SHAPES; s++) {
        (void)write_shape(s, "");
        ASSERT_EQ(MARGIN_OK, margin_model_check(&one.model));
    }
    train(&one, MARGIN_KERNEL_RBF, 2, 0, false);
#define WITH(change, status)                                                                       \
    m = one.model;                                                                                 \
    change;                                                                                        \
    ASSERT_EQ(status, margin_model_check(&m));                                                     \
    ASSERT_EQ(status, margin_image_write(&m, "", 0, image, sizeof image_words))
    WITH(m.kind = 77, MARGIN_E_RANGE);
    WITH(e->vectors = NULL, MARGIN_E_ARGUMENT);
    WITH(e->norms = NULL, MARGIN_E_ARGUMENT);
    WITH(e->coef = NULL, MARGIN_E_ARGUMENT);
    WITH(e->bias = NULL, MARGIN_E_ARGUMENT);
    WITH(e->class_end = NULL, MARGIN_E_ARGUMENT);
    WITH(e->offset = bad + 2, MARGIN_E_ARGUMENT); /* without factors */
    WITH(e->n = 0, MARGIN_E_RANGE);
    WITH(e->n = SIZE_MAX / 2, MARGIN_E_RANGE);
    WITH(e->d = 0, MARGIN_E_RANGE);
    WITH(e->width = 2, MARGIN_E_RANGE);
    WITH(e->kernel.gamma = 0, MARGIN_E_RANGE);
    WITH(e->vote.classes = 1, MARGIN_E_RANGE);
    WITH(e->vote.scheme = MARGIN_SCHEME_ONE_REST, MARGIN_E_RANGE);
    WITH(e->vote.reject = -1, MARGIN_E_RANGE);
    WITH(e->class_end = ends, MARGIN_E_RANGE);
    WITH(e->bias = bad + 1, MARGIN_E_RANGE);
    WITH((e->offset = bad, e->factor = one.x), MARGIN_E_RANGE);
    train(&one, MARGIN_KERNEL_LINEAR, 2, 0, false);
    WITH(m.of.linear.w = NULL, MARGIN_E_ARGUMENT);
    WITH(m.of.linear.w = bad, MARGIN_E_RANGE);
    WITH(m.of.linear.d = 0, MARGIN_E_RANGE);
    WITH(m.of.linear.vote.slope = bad[1], MARGIN_E_RANGE);
#undef WITH
    PASS();
}

#ifdef MARGIN_REAL_DOUBLE

TEST numbers_beyond_binary32_are_refused(void) {
    static double big[2] = {1e39, 1}, bias[1] = {0};
    margin_model model;
    memset(&model, 0, sizeof model);
    model.kind = MARGIN_MODEL_LINEAR;
    model.of.linear.w = big;
    model.of.linear.bias = bias;
    model.of.linear.d = 2;
    model.of.linear.vote.classes = 2;
    ASSERT_EQ(MARGIN_E_RANGE, margin_image_write(&model, "", 0, image, sizeof image_words));
    big[0] = FLT_MAX;
    ASSERT_EQ(MARGIN_OK, margin_image_write(&model, "", 0, image, sizeof image_words));
    bias[0] = -HUGE_VAL;
    ASSERT_EQ(MARGIN_E_RANGE, margin_image_write(&model, "", 0, image, sizeof image_words));
    PASS();
}

#else

TEST an_opened_image_scores_the_same_bits_and_writes_the_same_bytes(void) {
    for (size_t s = 0; s < SHAPES; s++) {
        const size_t size = write_shape(s, "names and so on");
        margin_model opened;
        ASSERT_EQ(MARGIN_OK, margin_image_open(image, size, &opened));
        for (size_t i = 0; i < 24; i++) {
            margin_real a[3], b[3];
            ASSERT_EQ(margin_classify(&one.model, one.x + 3 * i, a),
                      margin_classify(&opened, one.x + 3 * i, b));
            ASSERT(memcmp(a, b,
                          sizeof(float) * margin_machines(shapes[s].scheme, shapes[s].classes)) ==
                   0);
        }
        ASSERT_EQ(MARGIN_OK, margin_image_write(&opened, "names and so on", 15, copy, size));
        ASSERT(memcmp(image, copy, size) == 0);
        ASSERT_EQ(MARGIN_OK, margin_image_adopt(image, sizeof image_words, &opened));
    }
    PASS();
}

TEST any_flipped_bit_is_refused(void) {
    for (size_t s = 0; s < SHAPES; s++) {
        const size_t size = write_shape(s, "n");
        margin_model opened, before;
        memset(&opened, 0x5A, sizeof opened);
        before = opened;
        for (size_t bit = 0; bit < 8 * size; bit++) {
            image[bit / 8] ^= (unsigned char)(1u << bit % 8);
            ASSERT(margin_image_open(image, size, &opened) < 0);
            image[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        ASSERT(memcmp(&opened, &before, sizeof before) == 0);
        ASSERT_EQ(MARGIN_OK, margin_image_open(image, size, &opened));
    }
    PASS();
}

TEST a_cut_image_is_refused_at_every_length(void) {
    const size_t size = write_shape(5, "n");
    margin_model opened;
    for (size_t cut = 0; cut < size; cut++) {
        ASSERT_EQ(MARGIN_E_IMAGE_SIZE, margin_image_open(image, cut, &opened));
    }
    PASS();
}

TEST an_opened_integer_image_is_the_model_and_writes_the_same_bytes(void) {
    for (size_t s = 0; s < SHAPES_Q; s++) {
        const size_t size = write_shape_q(s, "names and so on");
        margin_quant opened;
        margin_stage_q stage;
        ASSERT_EQ(MARGIN_OK, margin_image_open_q(image, sizeof image_words, &stage, &opened));
        ASSERT(same_answers(&quant, &opened));
        ASSERT_EQ(MARGIN_OK, margin_image_write_q(&opened, "names and so on", 15, copy, size));
        ASSERT(memcmp(image, copy, size) == 0);
        ASSERT_EQ(MARGIN_OK, margin_image_adopt_q(image, size, &stage, &opened));
        ASSERT(same_answers(&quant, &opened));
        ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_open_q(image, size, NULL, &opened));
        ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_open_q(image, size, &stage, NULL));
        ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_open_q(image + 2, size, &stage, &opened));
        forge(size, 16, 2, 7);
        ASSERT(margin_image_open_q(image, size, &stage, &opened) < 0);
    }
    PASS();
}

TEST opening_an_integer_image_writes_nothing_unless_it_is_sound(void) {
    for (size_t s = 0; s < SHAPES_Q; s++) {
        const size_t size = write_shape_q(s, "n");
        margin_quant opened, before;
        margin_stage_q stage, held;
        memset(&opened, 0x5A, sizeof opened);
        memset(&stage, 0x5A, sizeof stage);
        before = opened;
        held = stage;
        for (size_t bit = 0; bit < 8 * size; bit++) {
            image[bit / 8] ^= (unsigned char)(1u << bit % 8);
            ASSERT(margin_image_open_q(image, size, &stage, &opened) < 0);
            image[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        forge(size, 35, 1, 32); /* a shift that is too wide is found when all else is right */
        ASSERT_EQ(MARGIN_E_IMAGE_VALUE, margin_image_open_q(image, size, &stage, &opened));
        ASSERT(memcmp(&opened, &before, sizeof before) == 0);
        ASSERT(memcmp(&stage, &held, sizeof held) == 0);
    }
    PASS();
}

TEST absurd_heads_with_a_right_checksum_are_refused(void) {
    static const struct {
        size_t shape, at;
        unsigned bytes;
        uint32_t value;
        margin_status status;
    } lies[] = {
        {3, 0, 1, 'M', MARGIN_E_IMAGE},
        {3, 4, 2, 2, MARGIN_E_IMAGE},
        {3, 6, 1, 99, MARGIN_E_IMAGE},
        {3, 7, 1, 1, MARGIN_E_IMAGE},
        {3, 60, 2, 1, MARGIN_E_IMAGE_VALUE},      /* a rank without a projection */
        {3, 62, 2, 0x8001, MARGIN_E_IMAGE_VALUE}, /* a probability above 1 */
        {3, 8, 4, 10, MARGIN_E_IMAGE_SIZE},
        {3, 8, 4, 0xFFFFFFFF, MARGIN_E_IMAGE_SIZE},
        {3, 16, 4, 0, MARGIN_E_IMAGE_VALUE},
        {3, 16, 4, 0xFFFFFFFF, MARGIN_E_IMAGE_SIZE},
        {3, 16, 4, 1, MARGIN_E_IMAGE_SIZE},
        {3, 20, 4, 0, MARGIN_E_IMAGE_VALUE},
        {3, 20, 4, 0x40000001, MARGIN_E_IMAGE_SIZE},
        {3, 24, 2, 1, MARGIN_E_IMAGE_VALUE},
        {3, 24, 2, 3, MARGIN_E_IMAGE_VALUE},
        {3, 26, 2, 2, MARGIN_E_IMAGE_VALUE},
        {3, 28, 1, 4, MARGIN_E_IMAGE_VALUE},
        {3, 29, 1, 77, MARGIN_E_IMAGE_VALUE},
        {3, 30, 1, 0, MARGIN_E_IMAGE_VALUE},
        {3, 31, 1, 2, MARGIN_E_IMAGE_VALUE},
        {3, 31, 1, 0, MARGIN_E_IMAGE_SIZE},
        {3, 32, 4, 0x7F800000, MARGIN_E_IMAGE_VALUE}, /* gamma infinite */
        {3, 36, 4, 0x7FC00000, MARGIN_E_IMAGE_VALUE}, /* coef0 NaN */
        {3, 44, 4, 0xBF800000, MARGIN_E_IMAGE_VALUE}, /* reject -1 */
        {3, 48, 4, 0x7FC00000, MARGIN_E_IMAGE_VALUE},
        {3, 52, 4, 0x7FC00000, MARGIN_E_IMAGE_VALUE},
        {3, 56, 4, 0xFFFFFFFF, MARGIN_E_IMAGE_SIZE},
        {3, 64, 4, 0x7FC00000, MARGIN_E_IMAGE_VALUE}, /* a vector's first value NaN */
        {3, 64, 4, 0x42280000, MARGIN_E_IMAGE_VALUE}, /* another value: its norm is wrong */
        {0, 16, 4, 1, MARGIN_E_IMAGE_VALUE},
        {0, 26, 2, 1, MARGIN_E_IMAGE_VALUE},
        {0, 29, 1, 1, MARGIN_E_IMAGE_VALUE},
        {0, 64, 4, 0xFF800000, MARGIN_E_IMAGE_VALUE},
        {1, 24, 2, 0xFFFF, MARGIN_E_IMAGE_VALUE},
        {1, 24, 2, 0xFFFE, MARGIN_E_IMAGE_SIZE},
        {1, 28, 1, 0, MARGIN_E_IMAGE_VALUE},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        const size_t size = write_shape(lies[i].shape, "n");
        margin_model opened;
        forge(size, lies[i].at, lies[i].bytes, lies[i].value);
        ASSERT_EQ_FMT((int)lies[i].status, (int)margin_image_open(image, size, &opened), "%d");
    }
    PASS();
}

TEST class_ends_that_fall_or_miss_the_last_vector_are_refused(void) {
    const size_t size = write_shape(4, "");
    const margin_expansion *e = &one.model.of.expansion;
    const size_t at = 64 + 4 * (e->n * e->d + e->n + e->n * e->width + 3);
    margin_model opened;
    forge(size, at + 8, 4, (uint32_t)e->n - 1);
    ASSERT_EQ(MARGIN_E_IMAGE_VALUE, margin_image_open(image, size, &opened));
    forge(size, at + 8, 4, (uint32_t)e->n);
    ASSERT_EQ(MARGIN_OK, margin_image_open(image, size, &opened));
    forge(size, at + 4, 4, 0);
    ASSERT_EQ(MARGIN_E_IMAGE_VALUE, margin_image_open(image, size, &opened));
    PASS();
}

TEST bad_pointers_are_refused(void) {
    const size_t size = write_shape(0, "");
    margin_model opened;
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_open(NULL, size, &opened));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_open(image, size, NULL));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_adopt(image, size, NULL));
    memmove(image + 1, image, size);
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_open(image + 1, size, &opened));
    ASSERT_EQ(MARGIN_E_ARGUMENT, margin_image_adopt(image + 1, size, &opened));
    PASS();
}

#endif

SUITE(image_suite) {
    RUN_TEST(the_head_is_laid_out_as_documented);
    RUN_TEST(the_checksum_is_the_one_of_ethernet);
    RUN_TEST(writing_checks_its_arguments_and_its_room);
    RUN_TEST(scaling_needs_a_model_that_fits);
    RUN_TEST(scaling_a_linear_model_takes_what_its_query_says);
    RUN_TEST(a_scaled_model_scores_raw_data_as_the_model_scored_scaled_data);
    RUN_TEST(a_loaded_image_scores_like_the_model_and_takes_what_its_query_says);
    RUN_TEST(a_loaded_integer_image_is_the_model_and_takes_what_its_query_says);
    RUN_TEST(any_flipped_bit_of_an_integer_image_is_refused);
    RUN_TEST(forged_integer_images_are_refused_or_harmless);
    RUN_TEST(absurd_integer_heads_with_a_right_checksum_are_refused);
    RUN_TEST(integer_images_check_arguments_and_room);
    RUN_TEST(sizes_beyond_size_t_are_refused_whatever_follows);
    RUN_TEST(models_with_something_missing_or_wrong_are_found);
#ifdef MARGIN_REAL_DOUBLE
    RUN_TEST(numbers_beyond_binary32_are_refused);
#else
    RUN_TEST(an_opened_image_scores_the_same_bits_and_writes_the_same_bytes);
    RUN_TEST(an_opened_integer_image_is_the_model_and_writes_the_same_bytes);
    RUN_TEST(opening_an_integer_image_writes_nothing_unless_it_is_sound);
    RUN_TEST(any_flipped_bit_is_refused);
    RUN_TEST(a_cut_image_is_refused_at_every_length);
    RUN_TEST(absurd_heads_with_a_right_checksum_are_refused);
    RUN_TEST(class_ends_that_fall_or_miss_the_last_vector_are_refused);
    RUN_TEST(bad_pointers_are_refused);
#endif
}
