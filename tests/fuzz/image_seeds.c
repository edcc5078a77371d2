/* Writes small images into the folder given, for the fuzzer to start from: every kind of model, kernel and
 * scheme, in floats, q15 and q7, with and without scaled inputs. */
#include <stdio.h>
#include <string.h>

#define MARGIN_IMPLEMENTATION
#include "margin.h"

enum { N = 9, D = 2 };
static const float rows[N * D] = {0, 1, 2, 5, 3, 9, 4, 2, 7, 7, 1, 8, 6, 3, 5, 5, 8, 1};
static const uint16_t two[N] = {0, 0, 1, 0, 1, 1, 0, 1, 1}, three[N] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
static const float targets[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static const char *folder;
static int failed;
static unsigned char memory[1 << 16];
static margin_arena arena;

static margin_data data_of(const uint16_t *labels) {
    margin_data data;
    memset(&data, 0, sizeof data);
    data.x = rows;
    data.y = labels;
    data.n = N;
    data.d = D;
    return data;
}

/* The first byte asks the fuzzer to mend length and checksum; it replaces the image's last one. */
static void put(const char *name, const char *format, const unsigned char *image, size_t size) {
    char path[512];
    FILE *file;
    (void)snprintf(path, sizeof path, "%s/%s_%s", folder, name, format);
    file = fopen(path, "wb");
    if (file == NULL || fwrite("\1", 1, 1, file) + fwrite(image, 1, size - 1, file) != size ||
        fclose(file) != 0) {
        failed = 1;
    }
}

static void save_q(const char *name, const margin_model *model, const char *word, unsigned format,
                   bool whole) {
    const margin_quant_options options = {(uint8_t)format, whole};
    const margin_data data = data_of(two);
    const margin_arena before = arena;
    unsigned char image[2048];
    margin_quant quant;
    if (margin_quantize(model, &data, &options, &arena, &quant, NULL) < 0) {
        return; /* not every model has a form in integers */
    }
    if (margin_image_write_q(&quant, "", 1, image, sizeof image) != MARGIN_OK) { failed = 1; }
    put(name, word, image, margin_image_size_q(&quant, 1));
    arena = before;
}

/* A model in all formats; `status` is that of its trainer. */
static void save(const char *name, const margin_model *model, margin_status status) {
    unsigned char image[2048];
    if (status < 0 || margin_image_write(model, "", 1, image, sizeof image) != MARGIN_OK) {
        (void)fprintf(stderr, "no seed %s: %s\n", name, margin_status_text(status));
        failed = 1;
        return;
    }
    put(name, "f32", image, margin_image_size(model, 1));
    save_q(name, model, "q15", MARGIN_Q15, true);
    save_q(name, model, "q7", MARGIN_Q7, false);
    arena = margin_arena_make(memory, sizeof memory);
}

static void kernels(void) {
    static const struct {
        const char *name;
        margin_kernel kernel;
        const uint16_t *labels;
        uint8_t scheme, changed; /* trained, and what stands in the image */
    } cases[] = {
        {"linear", {MARGIN_KERNEL_LINEAR, 0, 0, 0, 0}, two, 0, MARGIN_SCHEME_BINARY},
        {"linear_pairs", {MARGIN_KERNEL_LINEAR, 0, 0, 0, 0}, three, 1, MARGIN_SCHEME_ONE_ONE},
        {"linear_rest", {MARGIN_KERNEL_LINEAR, 0, 0, 0, 0}, three, 2, MARGIN_SCHEME_ONE_REST},
        {"linear_votes", {MARGIN_KERNEL_LINEAR, 0, 0, 0, 0}, three, 1, MARGIN_SCHEME_VOTES},
        {"rbf", {MARGIN_KERNEL_RBF, 0, 0, 0, 0}, two, 0, MARGIN_SCHEME_BINARY},
        {"rbf_pairs", {MARGIN_KERNEL_RBF, 0, 0, 0, 0}, three, 1, MARGIN_SCHEME_ONE_ONE},
        {"rbf_rest", {MARGIN_KERNEL_RBF, 0, 0, 0, 0}, three, 2, MARGIN_SCHEME_ONE_REST},
        {"poly", {MARGIN_KERNEL_POLY, 2, 0, 1, 0}, two, 0, MARGIN_SCHEME_BINARY},
        {"poly_pairs", {MARGIN_KERNEL_POLY, 3, 0, 0, 0}, three, 1, MARGIN_SCHEME_ONE_ONE},
        {"unit_poly", {MARGIN_KERNEL_UNIT_POLY, 0, 0, 0, 3}, two, 0, MARGIN_SCHEME_BINARY},
        {"unit_exp", {MARGIN_KERNEL_UNIT_EXP, 0, 0, 0, 8}, two, 0, MARGIN_SCHEME_BINARY}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const margin_data data = data_of(cases[i].labels);
        margin_svm_options options;
        margin_model model;
        margin_status status;
        memset(&options, 0, sizeof options);
        options.kernel = cases[i].kernel;
        options.scheme = cases[i].scheme;
        options.run.max_iterations = 200;
        status = margin_svm_train(&data, &options, &arena, &model, NULL, NULL);
        if (model.kind == MARGIN_MODEL_LINEAR) { model.of.linear.vote.scheme = cases[i].changed; }
        save(cases[i].name, &model, status);
    }
}

static void in_order(void) {
    static const struct {
        const char *name;
        unsigned kernel;
        const float *targets;
    } cases[] = {{"ordinal", MARGIN_KERNEL_LINEAR, NULL},
                 {"ordinal_rbf", MARGIN_KERNEL_RBF, NULL},
                 {"ranker", MARGIN_KERNEL_LINEAR, targets}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const margin_data data = data_of(three);
        margin_ordinal_options options;
        margin_model model;
        margin_status status;
        memset(&options, 0, sizeof options);
        options.kernel.kind = (uint8_t)cases[i].kernel;
        options.targets = cases[i].targets;
        status = margin_omam_train(&data, &options, &arena, &model, NULL, NULL);
        save(cases[i].name, &model, status);
    }
}

static void prototypes(void) {
    static const struct {
        const char *name;
        uint8_t method;
        uint16_t tangents, neighbours;
    } cases[] = {{"nearest", MARGIN_PROTO_NN, 0, 1},
                 {"neighbours", MARGIN_PROTO_NN, 0, 3},
                 {"codebook", MARGIN_PROTO_TVQ, 0, 0},
                 {"tangent", MARGIN_PROTO_HSS, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const margin_data data = data_of(i % 2 == 0 ? two : three);
        margin_proto_options options;
        margin_model model;
        margin_status status;
        memset(&options, 0, sizeof options);
        options.method = cases[i].method;
        options.tangents = cases[i].tangents;
        options.neighbours = cases[i].neighbours;
        status = margin_proto_train(&data, &options, &arena, &model, NULL, NULL);
        save(cases[i].name, &model, status);
    }
}

static void compacts(void) {
    static const char *const names[] = {"compact_rbf", "compact_hinge", "compact_rank"};
    for (size_t i = 0; i < 3; i++) {
        const margin_data data = data_of(i == 0 ? two : three);
        margin_compact_options options;
        margin_model model;
        margin_status status;
        memset(&options, 0, sizeof options);
        options.kernel = i == 0 ? MARGIN_KERNEL_RBF : MARGIN_KERNEL_HINGE;
        options.vectors = 3;
        options.rank = i == 2 ? 1 : 0;
        options.max_iterations = 20;
        status = margin_compact_train(&data, &options, &arena, &model, NULL, NULL);
        save(names[i], &model, status);
    }
}

/* A list of one cut and a last machine, over scaled inputs. */
static void lists(void) {
    static const float vectors[4] = {1, 2, 3, 4}, norms[2] = {5, 25}, coefs[4] = {1, 1, 0, -1},
                       biases[2] = {-0.5f, 0.25f}, factor[2] = {1, -1};
    static const uint32_t reach[2] = {1, 2}, target[2] = {0, 1};
    margin_model list;
    margin_list *l = &list.of.list;
    memset(&list, 0, sizeof list);
    list.kind = MARGIN_MODEL_LIST;
    l->pool.vectors = vectors;
    l->pool.norms = norms;
    l->pool.coef = coefs;
    l->pool.bias = biases;
    l->pool.offset = norms;
    l->pool.factor = factor;
    l->pool.n = l->pool.d = l->pool.width = 2;
    l->pool.vote.classes = 2;
    l->reach = reach;
    l->target = target;
    (void)margin_kernel_resolve(NULL, 2, &l->pool.kernel);
    l->pool.kernel.kind = MARGIN_KERNEL_RBF;
    save("list", &list, MARGIN_OK);
    l->pool.kernel.kind = MARGIN_KERNEL_LINEAR;
    save("list_linear", &list, MARGIN_OK);
}

int main(int argc, char **argv) {
    if (argc != 2) { return 2; }
    folder = argv[1];
    arena = margin_arena_make(memory, sizeof memory);
    kernels();
    in_order();
    prototypes();
    compacts();
    lists();
    return failed;
}
