/* two_sided.c -- hss by planes of models alone and by planes of images too, for table_proto.py: class and values of the
 * pixels as text on standard input, after n, d, how many of the rows are to be trained on, and the width of the images.
 * Arguments: tangents of a model, tangents of an image. Says how many of the other rows are wrong by one-sided models,
 * by two-sided ones with one-sided distances, as firmware would have them, and by two-sided ones with two-sided distances. */
#define MARGIN_IMPLEMENTATION
#define MARGIN_STATIC
#include "margin.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    margin_real *x, *sides;
    uint16_t *y;
    size_t n, d, train, width, count;
} images;

static int read_all(images *in, size_t count) {
    if (scanf("%zu %zu %zu %zu", &in->n, &in->d, &in->train, &in->width) != 4) { return 1; }
    in->count = count;
    in->x = (margin_real *)malloc(in->n * in->d * sizeof *in->x);
    in->sides = (margin_real *)malloc(in->n * count * in->d * sizeof *in->x);
    in->y = (uint16_t *)malloc(in->n * sizeof *in->y);
    if (in->x == NULL || in->sides == NULL || in->y == NULL) { return 1; }
    for (size_t i = 0; i < in->n; i++) {
        if (scanf("%hu", &in->y[i]) != 1) { return 1; }
        for (size_t k = 0; k < in->d; k++) {
            double value;
            if (scanf("%lf", &value) != 1) { return 1; }
            in->x[i * in->d + k] = (margin_real)value;
        }
        margin_picture_tangents(in->x + i * in->d, in->width, in->d / in->width, count,
                                in->sides + i * count * in->d);
    }
    return 0;
}

/* Rows of the test that the model is wrong about, with the tangents of the images or without. */
static size_t wrong(const images *in, const margin_model *model, size_t count) {
    margin_real *work = (margin_real *)malloc((1 + count) * in->d * sizeof *work), scores[64];
    size_t found = 0;
    for (size_t i = in->train; i < in->n && work != NULL; i++) {
        margin_proto_two_sided(&model->of.proto, in->x + i * in->d,
                               in->sides + i * in->count * in->d, count, work, scores);
        found +=
            margin_elect(MARGIN_SCHEME_NEAREST, model->of.proto.vote.classes, scores) != in->y[i];
    }
    free(work);
    return found;
}

int main(int argc, char **argv) {
    images in;
    margin_proto_options o = {0};
    if (argc < 3 || read_all(&in, (size_t)atoi(argv[2])) != 0) { return 1; }
    o.method = MARGIN_PROTO_HSS;
    o.tangents = (uint16_t)atoi(argv[1]);
    for (int two = 0; two < 2; two++) {
        const margin_data data = {in.x, in.train, in.d, 0, in.y, NULL, NULL};
        margin_arena mem;
        margin_model model;
        size_t size;
        o.sides = two != 0 ? in.sides : NULL;
        o.side = (uint16_t)(two != 0 ? in.count : 0);
        size = margin_proto_train_size(in.train, in.d, 64, &o) + MARGIN_ALIGN;
        mem = margin_arena_make(malloc(size), size);
        if (margin_proto_train(&data, &o, &mem, &model, NULL, NULL) < 0) { return 1; }
        printf("%zu\n", wrong(&in, &model, 0));
        if (two != 0) { printf("%zu\n", wrong(&in, &model, in.count)); }
    }
    return 0;
}
