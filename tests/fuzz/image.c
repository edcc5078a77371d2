/* Any bytes as a model image: refused with a status, or a model that scores finite inputs, rewrites to
 * the same bytes and reads nothing outside them. The first byte of the input says whether length and
 * checksum are made right first, so that the checks behind them are reached as well. */
#include <stdlib.h>
#include <string.h>

#define MARGIN_IMPLEMENTATION
#include "margin.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void check(int ok)
{
    if (!ok) {
        abort();
    }
}

static void mend(unsigned char *image, size_t size)
{
    mgn_put32(image, UINT32_C(0x1A6E676D));
    mgn_put32(image + 8, (uint32_t)size);
    mgn_put32(image + 12, mgn_image_crc(image, size));
}

/* Features of a model in floats or in integers; the struct of one kind may have them elsewhere than
 * that of another. */
#define FEATURES(model)                                                                            \
    ((size_t)((model)->kind == MARGIN_MODEL_LINEAR  ? (model)->of.linear.d                         \
              : (model)->kind == MARGIN_MODEL_PROTO ? (model)->of.proto.d                          \
              : (model)->kind == MARGIN_MODEL_LIST  ? (model)->of.list.pool.d                      \
                                                    : (model)->of.expansion.d))

/* Scores at an input of zeros; the buffers are as large as the model says, to the byte. */
static void use(const margin_model *model)
{
    const margin_vote *vote = margin_model_vote(model);
    const size_t d = FEATURES(model);
    const size_t machines = margin_machines(vote->scheme, vote->classes);
    float *x = (float *)calloc(d, sizeof *x);
    float *scores = (float *)malloc(machines * sizeof *scores);
    const uint16_t label = margin_classify(model, x, scores);
    check(label < vote->classes || label == MARGIN_REJECTED);
    free(x);
    free(scores);
}

/* The same for integer models, at an input that is extreme in every feature. */
static void use_q(const margin_model_q *model)
{
    const margin_vote_q *vote = margin_model_vote_q(model);
    const size_t d = FEATURES(model);
    int16_t *x = (int16_t *)malloc(d * sizeof *x);
    int16_t *work = (int16_t *)malloc(d * sizeof *work);
    int32_t *scores = (int32_t *)malloc(vote->machines * sizeof *scores);
    for (unsigned sign = 0; sign < 3u; sign++) {
        uint16_t label;
        for (size_t k = 0; k < d; k++) {
            x[k] = (int16_t)(sign == 0 ? -32768 : sign == 1u ? 32767 : (int)(k * 7919u % 4001u));
        }
        label = margin_classify_q(model, x, work, scores);
        check(label < vote->classes || label == MARGIN_REJECTED);
        check(margin_probability_q(vote, scores, 0) <= 32768u);
    }
    free(x);
    free(work);
    free(scores);
}

static void real_model(unsigned char *image, size_t size, unsigned char *again)
{
    margin_model model, before;
    size_t notes;
    memset(&model, 0x5A, sizeof model);
    before = model;
    if (margin_image_open(image, size, &model) == MARGIN_OK) {
        const unsigned char *text = margin_image_notes(image, &notes);
        use(&model);
        check(margin_image_write(&model, text, notes, again, size) == MARGIN_OK);
        check(memcmp(image, again, margin_image_size(&model, notes)) == 0);
        check(margin_image_load_size(image, size) > 0);
    } else {
        check(memcmp(&model, &before, sizeof before) == 0);
    }
}

static void integer_model(unsigned char *image, size_t size, unsigned char *again)
{
    margin_quant quant, before;
    margin_stage_q stage;
    size_t notes;
    memset(&quant, 0x5A, sizeof quant);
    before = quant;
    if (margin_image_open_q(image, size, &stage, &quant) == MARGIN_OK) {
        const unsigned char *text = margin_image_notes(image, &notes);
        use_q(&quant.model);
        check(margin_image_write_q(&quant, text, notes, again, size) == MARGIN_OK);
        check(memcmp(image, again, margin_image_size_q(&quant, notes)) == 0);
        check(margin_image_load_size_q(image, size) > 0);
    } else {
        check(memcmp(&quant, &before, sizeof before) == 0);
    }
}

/* Copies into memory of exactly the size that the query asks for. */
static void loaded(const unsigned char *image, size_t size)
{
    const size_t room = margin_image_load_size(image, size);
    const size_t room_q = margin_image_load_size_q(image, size);
    void *bytes = malloc(room + room_q);
    margin_arena mem = margin_arena_make(bytes, room + room_q);
    margin_model model;
    margin_quant quant;
    check(room == 0 || room_q == 0);
    if (room != 0 && margin_image_load(image, size, &mem, &model) == MARGIN_OK) {
        use(&model);
    }
    if (room_q != 0 && margin_image_load_q(image, size, &mem, &quant) == MARGIN_OK) {
        use_q(&quant.model);
    }
    check(mem.peak <= room + room_q && mem.failed == 0);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    unsigned char *image, *again;
    if (size < 1) {
        return 0;
    }
    image = (unsigned char *)malloc(size); /* exactly: the sanitizer sees every byte too far */
    again = (unsigned char *)malloc(size);
    memcpy(image, input + 1, size - 1);
    image[size - 1] = 0;
    if (input[0] % 2 == 1 && size >= MARGIN_IMAGE_HEAD) {
        mend(image, size);
    }
    real_model(image, size, again);
    integer_model(image, size, again);
    loaded(image, size);
    free(image);
    free(again);
    return 0;
}
