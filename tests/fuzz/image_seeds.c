/* Writes one image of each kind into the folder given, for the fuzzer to start from. */
#include <stdio.h>
#include <string.h>

#define MARGIN_IMPLEMENTATION
#include "margin.h"

static const float values[4] = {1, 2, 3, 4}, norms[2] = {5, 25}, coef[2] = {1, -1},
                   bias[1] = {0.5f};
static const uint32_t ends[2] = {1, 2};

/* The first byte asks the fuzzer to mend length and checksum; it replaces the image's last one. */
static int save(const char *folder, const char *name, const margin_model *model)
{
    unsigned char image[512];
    char path[512];
    const size_t size = margin_image_size(model, 1);
    FILE *file;
    size_t done;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    if (file == NULL || margin_image_write(model, "", 1, image, sizeof image) != MARGIN_OK) {
        return 1;
    }
    done = fwrite("\1", 1, 1, file) + fwrite(image, 1, size - 1, file);
    return fclose(file) != 0 || done != size;
}

/* The same for integer models. */
static int save_q(const char *folder, const char *name, const margin_model *model, unsigned format,
                  bool whole)
{
    static const float rows[8] = {0, 1, 2, 5, 3, 9, 4, 2};
    static const uint16_t labels[4] = {0, 1, 0, 1};
    const margin_quant_options options = {(uint8_t)format, whole};
    unsigned char image[512], bytes[4096];
    char path[512];
    margin_arena mem = margin_arena_make(bytes, sizeof bytes);
    margin_data data;
    margin_quant quant;
    FILE *file;
    size_t done, size;
    memset(&data, 0, sizeof data);
    data.x = rows;
    data.y = labels;
    data.d = model->kind == MARGIN_MODEL_LINEAR ? model->of.linear.d : 2;
    data.n = 8 / data.d;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    if (file == NULL || margin_quantize(model, &data, &options, &mem, &quant, NULL) != MARGIN_OK ||
        margin_image_write_q(&quant, "", 1, image, sizeof image) != MARGIN_OK) {
        return 1;
    }
    size = margin_image_size_q(&quant, 1);
    done = fwrite("\1", 1, 1, file) + fwrite(image, 1, size - 1, file);
    return fclose(file) != 0 || done != size;
}

/* A list of one cut and a last machine, real and in integers. */
static int save_lists(const char *folder, const margin_expansion *pool)
{
    static const float coefs[4] = {1, 1, 0, -1}, biases[2] = {-0.5f, 0.25f};
    static const uint32_t reach[2] = {1, 2}, target[2] = {0, 1};
    margin_model list;
    margin_list *l = &list.of.list;
    memset(&list, 0, sizeof list);
    list.kind = MARGIN_MODEL_LIST;
    l->pool = *pool;
    l->pool.coef = coefs;
    l->pool.bias = biases;
    l->pool.class_end = NULL;
    l->pool.width = 2;
    l->reach = reach;
    l->target = target;
    if ((save(folder, "list", &list) | save_q(folder, "list_q15", &list, MARGIN_Q15, false) |
         save_q(folder, "list_q7", &list, MARGIN_Q7, true)) != 0) {
        return 1;
    }
    l->pool.kernel.kind = MARGIN_KERNEL_LINEAR;
    return save(folder, "list_linear", &list) |
           save_q(folder, "list_linear_q15", &list, MARGIN_Q15, true) |
           save_q(folder, "list_linear_q7", &list, MARGIN_Q7, false);
}

int main(int argc, char **argv)
{
    margin_model linear, expansion;
    margin_expansion *e = &expansion.of.expansion;
    if (argc != 2) {
        return 2;
    }
    memset(&linear, 0, sizeof linear);
    linear.kind = MARGIN_MODEL_LINEAR;
    linear.of.linear.w = values;
    linear.of.linear.bias = bias;
    linear.of.linear.d = 4;
    linear.of.linear.vote.classes = 2;
    memset(&expansion, 0, sizeof expansion);
    expansion.kind = MARGIN_MODEL_EXPANSION;
    e->vectors = values;
    e->norms = norms;
    e->coef = coef;
    e->bias = bias;
    e->class_end = ends;
    e->offset = norms;
    e->factor = coef;
    e->n = e->d = 2;
    e->width = 1;
    e->vote.classes = 2;
    (void)margin_kernel_resolve(NULL, 2, &e->kernel);
    e->kernel.kind = MARGIN_KERNEL_RBF;
    if ((save(argv[1], "linear", &linear) | save(argv[1], "expansion", &expansion) |
         save_q(argv[1], "linear_q15", &linear, MARGIN_Q15, true) |
         save_q(argv[1], "linear_q7", &linear, MARGIN_Q7, false) |
         save_q(argv[1], "rbf_q15", &expansion, MARGIN_Q15, false) |
         save_q(argv[1], "rbf_q7", &expansion, MARGIN_Q7, true) | save_lists(argv[1], e)) != 0) {
        return 1;
    }
    e->kernel.kind = MARGIN_KERNEL_POLY;
    if (save_q(argv[1], "poly_q15", &expansion, MARGIN_Q15, false) != 0) {
        return 1;
    }
    e->kernel.kind = MARGIN_KERNEL_UNIT_EXP;
    return save_q(argv[1], "unit_q7", &expansion, MARGIN_Q7, true);
}
