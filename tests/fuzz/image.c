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

/* Scores at an input of zeros; the buffers are as large as the model says, to the byte. */
static void use(const margin_model *model)
{
    const margin_vote *vote = margin_model_vote(model);
    const size_t d =
        model->kind == MARGIN_MODEL_LINEAR ? model->of.linear.d : model->of.expansion.d;
    const size_t machines = margin_machines(vote->scheme, vote->classes);
    float *x = (float *)calloc(d, sizeof *x);
    float *scores = (float *)malloc(machines * sizeof *scores);
    const uint16_t label = margin_classify(model, x, scores);
    check(label < vote->classes || label == MARGIN_REJECTED);
    free(x);
    free(scores);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    unsigned char *image, *again;
    margin_model model, before;
    size_t notes;
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
        check(margin_image_load_size(image, size) == 0);
    }
    free(image);
    free(again);
    return 0;
}
