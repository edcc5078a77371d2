/* Any bytes as a model image: refused with a status, or a model that keeps every promise. Predictors
 * answer with a class or MARGIN_REJECTED, a NaN never becomes a class, the model passes its own check
 * and rewrites to the same bytes; it can be scaled, compressed and quantised, and what comes of that
 * passes the checks again; nothing outside the image and the arenas is touched. The first byte of the
 * input says whether length, checksum and norms are made right first, so that what is behind these
 * checks is reached as well. */
#include "fuzz.h"

#define MARGIN_IMPLEMENTATION
#include "margin.h"

#include "../image_seal.h"

static uint32_t get32(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put32(unsigned char *p, uint32_t value) {
    for (unsigned i = 0; i < 4u; i++) { p[i] = (unsigned char)(value >> 8u * i); }
}

static float get_float(const unsigned char *p) {
    const uint32_t bits = get32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The squared lengths of the vectors of an expansion or a list in floats: they stand behind the vectors, and a model
 * whose norms are wrong is refused. */
static void mend_norms(unsigned char *image, size_t size) {
    const unsigned kind = image[6];
    const size_t n = get32(image + 16), head = MARGIN_IMAGE_HEAD;
    const size_t d = get32(image + (kind == MARGIN_MODEL_PROJECTED ? 60 : 20));
    float row[64];
    if (image[7] != 0 ||
        (kind != MARGIN_MODEL_EXPANSION && kind != MARGIN_MODEL_LIST &&
         kind != MARGIN_MODEL_PROJECTED) ||
        d > 64 || n > 64 || head + 4 * n * (d + 1) > size) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        float norm;
        uint32_t bits;
        for (size_t k = 0; k < d; k++) { row[k] = get_float(image + head + 4 * (i * d + k)); }
        norm = margin_dot(row, row, d);
        memcpy(&bits, &norm, sizeof bits);
        put32(image + head + 4 * (n * d + i), bits);
    }
}

static void mend(unsigned char *image, size_t size) {
    put32(image, UINT32_C(0x1A6E676D));
    put32(image + 8, (uint32_t)size);
    mend_norms(image, size);
    image_seal(image, size);
}

/* Features of a model in floats or in integers; the struct of one kind may have them elsewhere than
 * that of another. */
#define FEATURES(model)                                                                            \
    ((size_t)((model)->kind == MARGIN_MODEL_LINEAR      ? (model)->of.linear.d                     \
              : (model)->kind == MARGIN_MODEL_PROTO     ? (model)->of.proto.d                      \
              : (model)->kind == MARGIN_MODEL_LIST      ? (model)->of.list.pool.d                  \
              : (model)->kind == MARGIN_MODEL_PROJECTED ? (model)->of.projected.d                  \
                                                        : (model)->of.expansion.d))

/* Inputs of several kinds: zeros, ordinary numbers, whole numbers, tiny and huge ones. */
enum { INPUTS = 6, ROWS = 6 };
static void fill(float *x, size_t d, unsigned kind, uint32_t *seed) {
    for (size_t k = 0; k < d; k++) {
        const float unit = (float)(int32_t)fuzz_random(seed) / 2147483648.0f;
        const float huge = kind == 4u ? 1e30f : 3e38f;
        x[k] = kind == 0    ? 0
               : kind == 1u ? 4 * unit
               : kind == 2u ? (float)(int16_t)fuzz_random(seed)
               : kind == 3u ? 1e-30f * unit
                            : huge * (unit < 0 ? -1 : 1);
    }
}

/* Not a number, or a score that is one. */
static bool all_numbers(const float *scores, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (scores[i] != scores[i]) { return false; }
    }
    return true;
}

static void use_proto(const margin_proto *proto, const float *x, const float *scores,
                      uint16_t label) {
    margin_proto_found found;
    margin_proto_find(proto, x, &found);
    CHECK(found.label == label);
    if (all_numbers(scores, proto->vote.classes)) {
        CHECK(found.nearest < proto->vote.classes && found.second < proto->vote.classes);
        CHECK(memcmp(&found.distance, scores + found.nearest, sizeof found.distance) == 0);
    }
}

/* All predictors of the model; the buffers are as large as it says, to the byte. */
static void use(const margin_model *model, uint32_t *seed) {
    fuzz_memory memory = {{NULL}, {0}, 0};
    const margin_vote *vote = margin_model_vote(model);
    const size_t d = FEATURES(model), machines = margin_machines(vote->scheme, vote->classes);
    float *x = (float *)fuzz_block(&memory, d * sizeof *x);
    float *scores = (float *)fuzz_block(&memory, machines * sizeof *scores);
    float *p = (float *)fuzz_block(&memory, vote->classes * sizeof *p);
    CHECK(margin_model_check(model) == MARGIN_OK);
    for (unsigned kind = 0; kind <= INPUTS; kind++) {
        uint16_t label;
        fill(x, d, kind, seed);
        if (kind == INPUTS) {
            const uint32_t nan = UINT32_C(0x7FC00000);
            memcpy(x + fuzz_random(seed) % d, &nan, sizeof *x);
        }
        label = margin_classify(model, x, scores);
        CHECK(label < vote->classes || label == MARGIN_REJECTED);
        CHECK(label == MARGIN_REJECTED || all_numbers(scores, machines));
        if (model->kind == MARGIN_MODEL_PROTO) { use_proto(&model->of.proto, x, scores, label); }
        if (label != MARGIN_REJECTED) {
            float sum = 0;
            margin_probabilities(vote, scores, p);
            for (uint16_t c = 0; c < vote->classes; c++) {
                CHECK(p[c] >= 0 && p[c] <= 1);
                sum += p[c];
            }
            CHECK(sum > 0.999f && sum < 1.001f);
        }
    }
    fuzz_forget(&memory);
}

/* The same for integer models, at inputs that are extreme in every feature. */
static void use_q(const margin_model_q *model, uint32_t *seed) {
    fuzz_memory memory = {{NULL}, {0}, 0};
    const margin_vote_q *vote = margin_model_vote_q(model);
    const size_t d = FEATURES(model);
    int16_t *x = (int16_t *)fuzz_block(&memory, d * sizeof *x);
    int16_t *work = (int16_t *)fuzz_block(&memory, d * sizeof *work);
    int32_t *scores = (int32_t *)fuzz_block(&memory, vote->machines * sizeof *scores);
    uint16_t *p = (uint16_t *)fuzz_block(&memory, vote->classes * sizeof *p);
    CHECK(margin_model_check_q(model) == MARGIN_OK);
    for (unsigned kind = 0; kind < 5u; kind++) {
        uint16_t label;
        uint32_t sum = 0;
        for (size_t k = 0; k < d; k++) {
            x[k] = (int16_t)(kind == 0    ? -32768
                             : kind == 1u ? 32767
                             : kind == 2u ? 0
                                          : (int16_t)(fuzz_random(seed) >> (kind == 3u ? 16 : 26)));
        }
        label = margin_classify_q(model, x, work, scores);
        CHECK(label < vote->classes || label == MARGIN_REJECTED);
        margin_probabilities_q(vote, scores, p);
        for (uint16_t c = 0; c < vote->classes; c++) { sum += p[c]; }
        CHECK(sum == 32768u);
    }
    fuzz_forget(&memory);
}

/* A few raw rows, and the arena of exactly the size that a query asked for. */
typedef struct {
    fuzz_memory memory;
    margin_data data;
    float *rows;
} bench;

static void bench_make(bench *b, size_t d, unsigned kind, uint32_t *seed) {
    memset(b, 0, sizeof *b);
    b->rows = (float *)fuzz_block(&b->memory, ROWS * d * sizeof *b->rows);
    for (size_t i = 0; i < ROWS; i++) { fill(b->rows + i * d, d, kind, seed); }
    b->data.x = b->rows;
    b->data.n = ROWS;
    b->data.d = d;
}

static margin_arena bench_arena(bench *b, size_t size) {
    return margin_arena_make(fuzz_block(&b->memory, size), size);
}

static void quantise(const margin_model *model, unsigned format, bool whole, uint32_t *seed) {
    const margin_quant_options options = {(uint8_t)format, whole};
    margin_quant quant;
    margin_quant_info info;
    margin_arena mem;
    bench b;
    memset(&info, 0xFF, sizeof info); /* more than all rows, until it is written */
    bench_make(&b, FEATURES(model), whole ? 2u : fuzz_random(seed) % INPUTS, seed);
    mem = bench_arena(&b, margin_quantize_size(model, &options));
    if (margin_quantize(model, &b.data, &options, &mem, &quant, &info) >= 0) {
        const size_t size = margin_image_size_q(&quant, 0);
        unsigned char *image = (unsigned char *)fuzz_block(&b.memory, size);
        margin_stage_q stage;
        margin_quant again;
        CHECK(mem.failed == 0);
        CHECK(info.disagree <= ROWS && info.limited <= ROWS);
        use_q(&quant.model, seed);
        CHECK(margin_image_write_q(&quant, NULL, 0, image, size) == MARGIN_OK);
        CHECK(margin_image_adopt_q(image, size, &stage, &again) == MARGIN_OK);
        use_q(&again.model, seed);
    }
    fuzz_forget(&b.memory);
}

static void compress(const margin_model *model, uint32_t *seed) {
    const size_t vectors = 1u + model->of.expansion.n / 2u;
    margin_model out;
    margin_arena mem;
    bench b;
    bench_make(&b, FEATURES(model), fuzz_random(seed) % INPUTS, seed);
    mem = bench_arena(&b, margin_compress_size(model, vectors));
    if (margin_compress(model, fuzz_random(seed) % 2u != 0 ? &b.data : NULL, vectors, 0, &mem, &out,
                        NULL) >= 0) {
        CHECK(mem.failed == 0 && out.of.expansion.n <= vectors);
        use(&out, seed);
    }
    fuzz_forget(&b.memory);
}

static void scale(const margin_model *model, uint32_t *seed) {
    margin_model copy = *model;
    margin_scaling scaling;
    margin_arena mem;
    bench b;
    bench_make(&b, FEATURES(model), fuzz_random(seed) % INPUTS, seed);
    scaling.d = b.data.d;
    scaling.offset = b.rows;
    scaling.factor = b.rows + b.data.d;
    mem = bench_arena(&b, margin_model_scale_size(model));
    /* Weights may overflow here: the check says so. */
    if (margin_model_scale(&copy, &scaling, &mem) >= 0) {
        CHECK(margin_model_check(&copy) == MARGIN_OK);
        use(&copy, seed);
    }
    fuzz_forget(&b.memory);
}

static void tools(const margin_model *model, uint32_t *seed) {
    if (FEATURES(model) > 1000u) { return; }
    quantise(model, MARGIN_Q15, fuzz_random(seed) % 2u != 0, seed);
    quantise(model, MARGIN_Q7, fuzz_random(seed) % 2u != 0, seed);
    scale(model, seed);
    if (model->kind == MARGIN_MODEL_EXPANSION) { compress(model, seed); }
}

/* An image in memory of its own, which ends where it ends. */
static unsigned char *copy_of(fuzz_memory *memory, const unsigned char *image, size_t size) {
    unsigned char *copy = (unsigned char *)fuzz_block(memory, size);
    memcpy(copy, image, size);
    return copy;
}

static void real_model(const unsigned char *image, size_t size, uint32_t *seed) {
    fuzz_memory memory = {{NULL}, {0}, 0};
    unsigned char *own = copy_of(&memory, image, size), *again = copy_of(&memory, image, size);
    margin_model model, before;
    size_t notes;
    memset(&model, 0x5A, sizeof model);
    before = model;
    (void)margin_image_open(own, size, &model);
    CHECK(memcmp(own, image, size) == 0);
    model = before;
    if (margin_image_adopt(own, size, &model) == MARGIN_OK) {
        const unsigned char *text = margin_image_notes(image, &notes);
        use(&model, seed);
        CHECK(margin_image_write(&model, text, notes, again, size) == MARGIN_OK);
        CHECK(memcmp(image, again, margin_image_size(&model, notes)) == 0);
        CHECK(margin_image_load_size(image, size) > 0);
        tools(&model, seed);
    } else {
        CHECK(memcmp(&model, &before, sizeof before) == 0);
        CHECK(memcmp(own, image, size) == 0);
    }
    fuzz_forget(&memory);
}

static void integer_model(const unsigned char *image, size_t size, uint32_t *seed) {
    fuzz_memory memory = {{NULL}, {0}, 0};
    unsigned char *own = copy_of(&memory, image, size), *again = copy_of(&memory, image, size);
    margin_quant quant, before;
    margin_stage_q stage;
    size_t notes;
    memset(&quant, 0x5A, sizeof quant);
    before = quant;
    (void)margin_image_open_q(own, size, &stage, &quant);
    CHECK(memcmp(own, image, size) == 0);
    quant = before;
    if (margin_image_adopt_q(own, size, &stage, &quant) == MARGIN_OK) {
        const unsigned char *text = margin_image_notes(image, &notes);
        use_q(&quant.model, seed);
        CHECK(margin_image_write_q(&quant, text, notes, again, size) == MARGIN_OK);
        CHECK(memcmp(image, again, margin_image_size_q(&quant, notes)) == 0);
        CHECK(margin_image_load_size_q(image, size) > 0);
    } else {
        CHECK(memcmp(&quant, &before, sizeof before) == 0);
        CHECK(memcmp(own, image, size) == 0);
    }
    fuzz_forget(&memory);
}

/* Copies into memory of exactly the size that the query asks for. */
static void loaded(const unsigned char *image, size_t size, uint32_t *seed) {
    fuzz_memory memory = {{NULL}, {0}, 0};
    const unsigned char *own = copy_of(&memory, image, size);
    const size_t room = margin_image_load_size(own, size);
    const size_t room_q = margin_image_load_size_q(own, size);
    margin_arena mem = margin_arena_make(fuzz_block(&memory, room + room_q), room + room_q);
    margin_model model;
    margin_quant quant;
    CHECK(room == 0 || room_q == 0);
    if (room != 0 && margin_image_load(own, size, &mem, &model) == MARGIN_OK) { use(&model, seed); }
    if (room_q != 0 && margin_image_load_q(own, size, &mem, &quant) == MARGIN_OK) {
        use_q(&quant.model, seed);
    }
    CHECK(mem.peak <= room + room_q && mem.failed == 0);
    fuzz_forget(&memory);
}

/* The end is missing, but the head names the whole length: refused, and not read. */
static void cut_off(const unsigned char *image, size_t size, uint32_t *seed) {
    fuzz_memory memory = {{NULL}, {0}, 0};
    const size_t left = size - 1u - fuzz_random(seed) % size;
    const unsigned char *own = copy_of(&memory, image, left);
    margin_model model;
    margin_quant quant;
    margin_stage_q stage;
    CHECK(margin_image_open(own, left, &model) != MARGIN_OK);
    CHECK(margin_image_open_q(own, left, &stage, &quant) != MARGIN_OK);
    CHECK(margin_image_load_size(own, left) == 0 && margin_image_load_size_q(own, left) == 0);
    fuzz_forget(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
    uint32_t seed = fuzz_seed(input, size);
    unsigned char *image;
    if (size < 1) { return 0; }
    image = (unsigned char *)malloc(size);
    CHECK(image != NULL);
    memcpy(image, input + 1, size - 1);
    image[size - 1] = 0;
    if (input[0] % 2 == 1 && size >= MARGIN_IMAGE_HEAD) {
        mend(image, size);
        cut_off(image, size, &seed);
    }
    real_model(image, size, &seed);
    integer_model(image, size, &seed);
    loaded(image, size, &seed);
    free(image);
    return 0;
}
