/* native.c -- the library as gen calls it: flat functions over pointers and sizes. Host only.
 *
 * Compiled twice by gen/build.py: with MARGIN_REAL_DOUBLE for training, and in float for what the
 * device computes. gen/native.py mirrors the structs; gen_sizes() lets it check that it does. The
 * parts that only the library in double has are in native_train.c, native_import.c, native_export.c. */
#define MARGIN_STATIC
#define MARGIN_IMPLEMENTATION
#ifndef MARGIN_REAL_DOUBLE
#define MARGIN_PREDICT_ONLY
#endif
#include "margin.h"

#include <stdlib.h>
#include <string.h>

enum { GEN_MAM = 1, GEN_KMOMD, GEN_SVM };

/* What to train. Zero means the library's default. */
typedef struct {
    double gamma, coef0, a;              /* kernel */
    double tol, lambda, c, c_pos, c_neg; /* solver */
    int64_t max_iterations, cache_bytes;
    int32_t method;                        /* GEN_... */
    int32_t kernel, degree, scale, scheme; /* as margin.h numbers them */
    int32_t hard_margin, intercept, balanced, unused;
} gen_choice;

/* Where a training stands; Python reads it, and sets `stop`, while the call runs. */
typedef struct {
    int64_t iteration, machine, machines;
    double violation, goal, first; /* first: the violation when this machine was first heard of */
    int32_t stop, running;
} gen_watch;

/* What came of it. */
typedef struct {
    double objective, gap, violation, margin_min, margin_mean, game_value, entropy, nu;
    double quantile[5];
    int64_t iterations, arena_peak, arena_bound, support;
    int32_t converged, unused;
} gen_report;

/* n rows of d raw values, with their classes. */
typedef struct {
    const double *x;
    const uint16_t *y;
    int64_t n, d, classes;
} gen_rows;

/* A classifier as plain numbers, see gen/exchange.py. */
typedef struct {
    const double *weights; /* machines x d; NULL: vectors and coefficients */
    const double *vectors, *coef, *bias, *offset, *factor;
    const uint32_t *class_end;
    double gamma, coef0;
    int64_t n, d, classes;
    int32_t scheme, kernel, degree, unused;
} gen_plain;

/* A model that takes raw inputs, and its memory. */
typedef struct {
    margin_model model;
    void *bytes[3];
    double *trained; /* in the space of scaled inputs: bias, then the weights if it is linear */
    size_t d, classes, machines;
} gen_machine;

void gen_free(gen_machine *machine)
{
    int i;
    if (machine != NULL) {
        for (i = 0; i < 3; i++) {
            free(machine->bytes[i]);
        }
        free(machine->trained);
        free(machine);
    }
}

const char *gen_status_text(int32_t status)
{
    return margin_status_text((margin_status)status);
}

/* ---- what a machine is made of ---- */

static void gen_look(gen_machine *machine)
{
    const margin_vote *vote = margin_model_vote(&machine->model);
    machine->d = machine->model.kind == MARGIN_MODEL_LINEAR ? machine->model.of.linear.d
                                                            : machine->model.of.expansion.d;
    machine->classes = vote->classes;
    machine->machines = margin_machines(vote->scheme, vote->classes);
}

/* kind, d, classes, scheme, machines, vectors, kernel; as margin.h numbers them */
void gen_shape(const gen_machine *machine, int64_t shape[7])
{
    const margin_model *model = &machine->model;
    const bool linear = model->kind == MARGIN_MODEL_LINEAR;
    shape[0] = model->kind;
    shape[1] = (int64_t)machine->d;
    shape[2] = (int64_t)machine->classes;
    shape[3] = margin_model_vote(model)->scheme;
    shape[4] = (int64_t)machine->machines;
    shape[5] = linear ? 0 : (int64_t)model->of.expansion.n;
    shape[6] = linear ? MARGIN_KERNEL_LINEAR : model->of.expansion.kernel.kind;
}

/* The arrays of a model by their numbers here; NULL where it has none. */
enum { GEN_W, GEN_BIAS, GEN_VECTORS, GEN_NORMS, GEN_COEF, GEN_OFFSET, GEN_FACTOR };

static const margin_real *gen_array_of(const gen_machine *machine, int32_t which, size_t *count)
{
    const margin_linear *l = &machine->model.of.linear;
    const margin_expansion *e = &machine->model.of.expansion;
    const bool linear = machine->model.kind == MARGIN_MODEL_LINEAR;
    *count = machine->machines;
    if (which == GEN_BIAS) {
        return linear ? l->bias : e->bias;
    }
    if (linear) {
        *count = machine->machines * l->d;
        return which == GEN_W ? l->w : NULL;
    }
    switch (which) {
    case GEN_VECTORS:
        *count = e->n * e->d;
        return e->vectors;
    case GEN_NORMS:
        *count = e->n;
        return e->norms;
    case GEN_COEF:
        *count = e->n * e->width;
        return e->coef;
    case GEN_OFFSET:
    case GEN_FACTOR:
        *count = e->d;
        return which == GEN_OFFSET ? e->offset : e->factor;
    default:
        return NULL;
    }
}

/* Copies an array, if `out` is not NULL; returns how many numbers it has, 0 if there is none. */
int64_t gen_array(const gen_machine *machine, int32_t which, double *out)
{
    size_t count, i;
    const margin_real *from = gen_array_of(machine, which, &count);
    if (from == NULL) {
        return 0;
    }
    for (i = 0; out != NULL && i < count; i++) {
        out[i] = from[i];
    }
    return (int64_t)count;
}

/* The ends of the classes in the pool of an expansion. */
void gen_class_ends(const gen_machine *machine, uint32_t *ends)
{
    memcpy(ends, machine->model.of.expansion.class_end, machine->classes * sizeof *ends);
}

/* reject, slope, shift; of an expansion also gamma, coef0, a, degree and width */
void gen_scalars(const gen_machine *machine, double scalars[8])
{
    const margin_vote *vote = margin_model_vote(&machine->model);
    const margin_expansion *e = &machine->model.of.expansion;
    memset(scalars, 0, 8 * sizeof *scalars);
    scalars[0] = vote->reject;
    scalars[1] = vote->slope;
    scalars[2] = vote->shift;
    if (machine->model.kind == MARGIN_MODEL_EXPANSION) {
        scalars[3] = e->kernel.gamma;
        scalars[4] = e->kernel.coef0;
        scalars[5] = e->kernel.a;
        scalars[6] = e->kernel.degree;
        scalars[7] = e->width;
    }
}

/* As trained, for scaled inputs: one bias a machine, then the weights of a linear model, d a machine.
 * NULL if the machine came out of an image. */
const double *gen_trained(const gen_machine *machine)
{
    return machine->trained;
}

/* ---- prediction ---- */

/* All scores of n rows of d values, one a machine and row. */
int32_t gen_scores(const gen_machine *machine, const double *rows, int64_t n, double *scores)
{
    const size_t d = machine->d, m = machine->machines;
    margin_real *x = (margin_real *)malloc((d + m) * sizeof *x);
    size_t i, j;
    if (x == NULL) {
        return MARGIN_E_MEMORY;
    }
    for (i = 0; i < (size_t)n; i++) {
        for (j = 0; j < d; j++) {
            x[j] = (margin_real)rows[i * d + j];
        }
        margin_scores(&machine->model, x, x + d);
        for (j = 0; j < m; j++) {
            scores[i * m + j] = x[d + j];
        }
    }
    free(x);
    return MARGIN_OK;
}

/* The class of a row; of two classes the score itself, of more how clearly they speak for the class
 * elected; the probability of the class elected. */
static uint16_t gen_classify(const gen_machine *machine, const margin_real *x, margin_real *scores,
                             double *score, double *probability)
{
    const margin_vote *vote = margin_model_vote(&machine->model);
    const uint16_t label = margin_classify(&machine->model, x, scores);
    const uint16_t elected = margin_elect(vote->scheme, vote->classes, scores);
    *score = vote->scheme == MARGIN_SCHEME_BINARY
                 ? scores[0]
                 : margin_margin(vote->scheme, vote->classes, scores, elected);
    *probability = margin_probability(vote, scores, elected);
    return label;
}

/* What to do with each row: `label` and `score` have room for n; confusion counts, for each class,
 * how often it is taken for which, and after these how often it is rejected. */
typedef struct {
    uint16_t *label;
    double *score, *probability;
    int64_t *confusion;
} gen_wanted;

static void gen_note(const gen_wanted *wanted, size_t i, const uint16_t *y, size_t classes,
                     uint16_t label, double score, double probability)
{
    if (wanted->probability != NULL) {
        wanted->probability[i] = probability;
    }
    if (wanted->label != NULL) {
        wanted->label[i] = label;
    }
    if (wanted->score != NULL) {
        wanted->score[i] = score;
    }
    if (wanted->confusion != NULL && y != NULL) {
        wanted->confusion[*y * (classes + 1u) + (label < classes ? label : classes)]++;
    }
}

static margin_status gen_predict_rows(const gen_machine *machine, const gen_rows *rows,
                                      const margin_index *list, size_t n, const gen_wanted *wanted)
{
    const size_t d = machine->d;
    margin_real *x = (margin_real *)malloc((d + machine->machines) * sizeof *x);
    size_t i, j;
    if (x == NULL) {
        return MARGIN_E_MEMORY;
    }
    for (i = 0; i < n; i++) {
        const size_t row = list == NULL ? i : list[i];
        double score, probability;
        uint16_t label;
        for (j = 0; j < d; j++) {
            x[j] = (margin_real)rows->x[row * d + j];
        }
        label = gen_classify(machine, x, x + d, &score, &probability);
        gen_note(wanted, i, rows->y == NULL ? NULL : rows->y + row, machine->classes, label, score,
                 probability);
    }
    free(x);
    return MARGIN_OK;
}

/* The least and the largest value of each feature; 1 if all values are whole numbers of 16 bits. */
int32_t gen_ranges(const gen_rows *rows, double *low, double *high)
{
    const size_t n = (size_t)rows->n, d = (size_t)rows->d;
    int32_t whole = 1;
    size_t i, j;
    for (i = 0; i < n; i++) {
        for (j = 0; j < d; j++) {
            const double v = rows->x[i * d + j];
            low[j] = i == 0 || v < low[j] ? v : low[j];
            high[j] = i == 0 || v > high[j] ? v : high[j];
            whole = whole && v >= -32768.0 && v <= 32767.0 && v == (double)(int32_t)v;
        }
    }
    return whole;
}

/* Any of label, score, probability and confusion may be NULL. */
int32_t gen_predict(const gen_machine *machine, const gen_rows *rows, uint16_t *label,
                    double *score, double *probability, int64_t *confusion)
{
    gen_wanted wanted;
    wanted.label = label;
    wanted.score = score;
    wanted.probability = probability;
    wanted.confusion = confusion;
    return gen_predict_rows(machine, rows, NULL, (size_t)rows->n, &wanted);
}

/* Real values as the int16_t that an integer model takes, in this library's precision. */
int32_t gen_input(const double *offset, const double *factor, int64_t d, const double *rows,
                  int64_t n, int16_t *out)
{
    const size_t width = (size_t)d;
    margin_real *memory = (margin_real *)malloc(3 * width * sizeof *memory);
    margin_real *x = memory + 2 * width;
    margin_scaling input;
    size_t i, j;
    if (memory == NULL) {
        return MARGIN_E_MEMORY;
    }
    for (j = 0; offset != NULL && j < width; j++) {
        memory[j] = (margin_real)offset[j];
        memory[width + j] = (margin_real)factor[j];
    }
    input.offset = offset == NULL ? NULL : memory;
    input.factor = offset == NULL ? NULL : memory + width;
    input.d = width;
    for (i = 0; i < (size_t)n; i++) {
        for (j = 0; j < width; j++) {
            x[j] = (margin_real)rows[i * width + j];
        }
        margin_input_q(&input, x, out + i * width);
    }
    free(memory);
    return MARGIN_OK;
}

/* ---- images ---- */

#ifdef MARGIN_REAL_DOUBLE

/* Bytes of a machine's image; 0 if there can be none. */
int64_t gen_image_size(const gen_machine *machine, int64_t notes)
{
    return (int64_t)margin_image_size(&machine->model, (size_t)notes);
}

int32_t gen_image_write(const gen_machine *machine, const void *notes, int64_t notes_count,
                        void *out, int64_t size)
{
    return margin_image_write(&machine->model, notes, (size_t)notes_count, out, (size_t)size);
}

#else

/* A machine out of an image, which is copied. */
int32_t gen_open(const void *image, int64_t size, gen_machine **out)
{
    gen_machine *machine = (gen_machine *)calloc(1, sizeof *machine);
    margin_status status = MARGIN_E_MEMORY;
    if (machine != NULL) {
        machine->bytes[0] = malloc((size_t)size + 1);
    }
    if (machine != NULL && machine->bytes[0] != NULL) {
        memcpy(machine->bytes[0], image, (size_t)size);
        status = margin_image_adopt(machine->bytes[0], (size_t)size, &machine->model);
    }
    if (status < 0) {
        gen_free(machine);
        return status;
    }
    gen_look(machine);
    *out = machine;
    return status;
}

/* The notes of a machine that came out of an image. */
const unsigned char *gen_notes(const gen_machine *machine, int64_t *count)
{
    size_t found = 0;
    const unsigned char *notes = margin_image_notes(machine->bytes[0], &found);
    *count = (int64_t)found;
    return notes;
}

#endif /* MARGIN_REAL_DOUBLE */

/* ---- the parts in double ---- */

#ifdef MARGIN_REAL_DOUBLE
#include "native_train.c"

#include "native_import.c"

#include "native_export.c"
#endif

/* Sizes of the structs that gen/native.py mirrors. */
int64_t gen_sizes(int32_t which)
{
    static const size_t sizes[] = {sizeof(gen_choice), sizeof(gen_watch), sizeof(gen_report),
                                   sizeof(gen_rows), sizeof(gen_plain)};
    return (int64_t)sizes[which];
}
