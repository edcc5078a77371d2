/* native.c -- the library as gen calls it: flat functions over pointers and sizes. Host only.
 *
 * Compiled twice by gen/build.py: with MARGIN_REAL_DOUBLE for training, and in float for what the
 * device computes. gen/native.py mirrors the structs; gen_sizes() lets it check that it does. The
 * parts that only the library in double has are in native_methods.c, native_train.c, native_import.c,
 * native_export.c and native_state.c. How to add a method or a kind of models: gen/__init__.py. */
#define _DEFAULT_SOURCE /* madvise, sysconf */
#define MARGIN_STATIC
#define MARGIN_IMPLEMENTATION
#include "margin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

/* What to train: the method's name, and options by theirs. What is not given is the library's
 * default. Words are given as their numbers in gen/options.py and gen/methods.py. */
typedef struct {
    const char *method;
    const char *const *names;
    const double *values;
    int64_t count;
} gen_choice;

/* Where a training stands; Python reads it, and sets `stop`, while the call runs. */
typedef struct {
    int64_t iteration, machine, machines;
    double violation, goal, first; /* first: the violation when this machine was first heard of */
    int32_t stop, running;
} gen_watch;

/* What came of it. */
typedef struct {
    double objective, gap, violation, margin_min, margin_mean;
    int64_t iterations, arena_peak, arena_bound, support;
    char *told; /* what else the method has to say: members of a JSON object, or NULL; gen_forget */
    int32_t converged, unused;
} gen_report;

/* n rows of d raw values, with their classes, or with numbers that are to be met (t; else NULL). */
typedef struct {
    const double *x;
    const uint16_t *y;
    const double *t;
    const double *weight; /* of each row, or NULL: all weigh the same */
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
    void *bytes[4];     /* scaling or image; model; weights that take raw inputs; curve */
    double *trained[2]; /* weights and biases of linear models and expansions, for scaled inputs */
    int64_t trained_count[2];
    size_t d, classes, machines;
} gen_machine;

void gen_free(gen_machine *machine) {
    int i;
    if (machine != NULL) {
        for (i = 0; i < 4; i++) { free(machine->bytes[i]); }
        free(machine->trained[0]);
        free(machine->trained[1]);
        free(machine);
    }
}

const char *gen_status_text(int32_t status) {
    return margin_status_text((margin_status)status);
}

/* "MARGIN_OK" and so on; NULL for a number that is no status. */
const char *gen_status_name(int32_t status) {
#define GEN_STATUS_CASE(name, value, text)                                                         \
    case name:                                                                                     \
        return #name;
    switch (status) {
        MARGIN_STATUS_LIST(GEN_STATUS_CASE)
    default:
        return NULL;
    }
}

/* ---- kinds ---- the one place that says what a model of each kind is made of ---- */

/* An array, or a number, of a model. Python reads arrays where they are. */
typedef struct {
    const char *name;
    const void *at; /* NULL: the model does without this array */
    double value;   /* of a number */
    int64_t count;  /* of an array; -1: this is a number */
    int32_t type;   /* GEN_REAL, GEN_SIZE, or bytes of an integer, negative if it is signed */
    int32_t unused;
} gen_part;

enum {
    GEN_REAL = 0,
    GEN_INT8 = -1,
    GEN_INT16 = -2,
    GEN_INT32 = -4,
    GEN_UINT8 = 1,
    GEN_UINT16 = 2,
    GEN_UINT32 = 4,
    GEN_SIZE = 8
};

typedef struct {
    gen_part part[64];
    int64_t count;
} gen_anatomy;

static void gen_array(gen_anatomy *a, const char *name, const void *at, size_t count,
                      int32_t type) {
    gen_part *part = &a->part[a->count++];
    memset(part, 0, sizeof *part);
    part->name = name;
    part->at = at;
    part->count = at == NULL ? 0 : (int64_t)count;
    part->type = type;
}

static void gen_number(gen_anatomy *a, const char *name, double value, int32_t type) {
    gen_array(a, name, NULL, 0, type);
    a->part[a->count - 1].value = value;
    a->part[a->count - 1].count = -1;
}

/* Types of arrays and numbers, by their names in the lists of margin_impl.h, >>kinds. */
#define GEN_TYPE_REAL GEN_REAL
#define GEN_TYPE_OFFSET GEN_REAL
#define GEN_TYPE_FACTOR GEN_REAL
#define GEN_TYPE_CURVE GEN_REAL
#define GEN_TYPE_CHANCE GEN_REAL
#define GEN_TYPE_CURVE_Q GEN_INT16
#define GEN_TYPE_SIZE GEN_SIZE
#define GEN_TYPE_H16 GEN_SIZE
#define GEN_TYPE_U32 GEN_UINT32
#define GEN_TYPE_CUT GEN_UINT32
#define GEN_TYPE_I32 GEN_INT32
#define GEN_TYPE_ADD GEN_INT32
#define GEN_TYPE_U16 GEN_UINT16
#define GEN_TYPE_GAIN GEN_UINT16
#define GEN_TYPE_N16 GEN_UINT16
#define GEN_TYPE_B16 GEN_UINT16
#define GEN_TYPE_MACHINES GEN_UINT16
#define GEN_TYPE_I16 GEN_INT16
#define GEN_TYPE_U8 GEN_UINT8
#define GEN_TYPE_W8 GEN_UINT8
#define GEN_TYPE_PICK GEN_UINT8
#define GEN_TYPE_Q (h->format == MARGIN_Q7 ? GEN_INT8 : GEN_INT16)
#define GEN_TYPE_COEF (mgn_head_narrow(h) ? GEN_INT8 : GEN_INT16)
#define GEN_ARRAY(field, element, count) gen_array(a, #field, m->field, count, GEN_TYPE_##element);
#define GEN_NUMBER(field, type, place) gen_number(a, #field, (double)m->field, GEN_TYPE_##type);
#define GEN_STAGE(field) gen_stage(a, #field, m->field, h->d);
#define GEN_CASE(number, type, member, FIELDS)                                                     \
    case number: {                                                                                 \
        const type *m = &model->of.member;                                                         \
        FIELDS(GEN_ARRAY, GEN_NUMBER, GEN_STAGE)                                                   \
        break;                                                                                     \
    }

/* Arrays and numbers of a model: what all kinds have, and then the fields of the struct in their order,
 * under the names they have in C. */
static void gen_dissect(const margin_model *model, gen_anatomy *a) {
    const mgn_image_head head = mgn_head_of(model), *h = &head;
    const margin_vote *vote = margin_model_vote(model);
    memset(a, 0, sizeof *a);
    gen_number(a, "kind", model->kind, GEN_UINT8);
    gen_number(a, "machines", (double)margin_machines(vote->scheme, vote->classes), GEN_UINT32);
    switch (model->kind) {
        MGN_KINDS(GEN_CASE)
    default:
        break;
    }
}

/* An array by its name; the arrays of a list's pool are called "pool. NAME". */
static const gen_part *gen_find(const gen_anatomy *a, const char *name) {
    int64_t i;
    for (i = 0; i < a->count; i++) {
        const char *space = strchr(a->part[i].name, ' ');
        if (strcmp(space == NULL ? a->part[i].name : space + 1, name) == 0) { return &a->part[i]; }
    }
    return NULL;
}

/* Spheres and prototypes of one class know what is near, and reject all else. To gen they are machines
 * of two classes as those of oneclass with a plane are: 1 is normal, and 0 an anomaly; the score is
 * the largest squared distance that is normal, less that of the row. */
static bool gen_is_near(const margin_vote *vote) {
    return vote->scheme == MARGIN_SCHEME_NEAREST && vote->classes == 1;
}

static void gen_look(gen_machine *machine) {
    const margin_vote *vote = margin_model_vote(&machine->model);
    machine->d = mgn_head_of(&machine->model).d;
    machine->classes = gen_is_near(vote) ? 2 : vote->classes;
    machine->machines = margin_machines(vote->scheme, vote->classes);
}

/* The parts of a machine, at most 64; returns how many. */
int64_t gen_parts(const gen_machine *machine, gen_part *out) {
    gen_anatomy a;
    gen_dissect(&machine->model, &a);
    memcpy(out, a.part, sizeof a.part);
    return a.count;
}

/* As trained, for scaled inputs: the array "w" or "bias", NULL if there was none. */
const double *gen_trained(const gen_machine *machine, int32_t bias, int64_t *count) {
    *count = machine->trained_count[bias != 0];
    return machine->trained[bias != 0];
}

/* ---- prediction ---- */

/* What is done with the scores of a row, which may be overwritten: `i` counts the rows asked about,
 * `row` is its number. */
typedef void gen_take(void *user, size_t i, size_t row, margin_real *scores);

/* Inputs on their way through a model, MGN_PANEL at a time where it gains by that: the same bits as
 * one by one. In double rows are used where they are; in float they are copied first. */
typedef struct {
    const gen_machine *machine;
    mgn_batch batch;
    bool several;
    void *bytes;
    margin_real *copies;
} gen_asker;

static bool gen_asker_make(gen_asker *asker, const gen_machine *machine) {
    const size_t copies = MGN_PANEL * machine->d * sizeof(margin_real);
    margin_arena mem = margin_arena_counting();
    mgn_batch_plan(&asker->batch, &mem, &machine->model);
    asker->machine = machine;
    asker->several = mgn_batch_suits(&machine->model);
    asker->bytes = malloc(mem.peak + copies + 2 * MARGIN_ALIGN);
    mem = margin_arena_make(asker->bytes, mem.peak + copies + 2 * MARGIN_ALIGN);
    mgn_batch_plan(&asker->batch, &mem, &machine->model);
    asker->copies = (margin_real *)margin_arena_scratch(&mem, copies, 1);
    return asker->copies != NULL;
}

/* The scores of up to MGN_PANEL rows, into asker->batch.scores. */
static void gen_asker_run(gen_asker *asker, const double *const *rows, size_t n) {
    const size_t d = asker->machine->d;
    const margin_real *x[MGN_PANEL];
    size_t r, k;
    for (r = 0; r < n; r++) {
#ifdef MARGIN_REAL_DOUBLE
        (void)d;
        (void)k;
        x[r] = rows[r];
#else
        for (k = 0; k < d; k++) { asker->copies[r * d + k] = (margin_real)rows[r][k]; }
        x[r] = asker->copies + r * d;
#endif
    }
    if (asker->several) {
        mgn_batch_run(&asker->batch, x, n);
        return;
    }
    for (r = 0; r < n; r++) {
        margin_scores(&asker->machine->model, x[r],
                      asker->batch.scores + r * asker->machine->machines);
    }
}

/* Takes the scores of n rows of d values, those of a list or the first n. */
static margin_status gen_ask(const gen_machine *machine, const double *x, const margin_index *list,
                             size_t n, gen_take *take, void *user) {
    gen_asker asker;
    size_t i, r;
    if (!gen_asker_make(&asker, machine)) {
        free(asker.bytes);
        return MARGIN_E_MEMORY;
    }
    for (i = 0; i < n; i += MGN_PANEL) {
        const size_t count = mgn_size_min(n - i, MGN_PANEL);
        const double *rows[MGN_PANEL];
        for (r = 0; r < count; r++) {
            rows[r] = x + (list == NULL ? i + r : list[i + r]) * machine->d;
        }
        gen_asker_run(&asker, rows, count);
        for (r = 0; r < count; r++) {
            take(user, i + r, list == NULL ? i + r : list[i + r],
                 asker.batch.scores + r * machine->machines);
        }
    }
    free(asker.bytes);
    return MARGIN_OK;
}

typedef struct {
    double *scores;
    size_t machines;
} gen_all_scores;

static void gen_take_scores(void *user, size_t i, size_t row, margin_real *scores) {
    const gen_all_scores *all = (const gen_all_scores *)user;
    size_t j;
    (void)row;
    for (j = 0; j < all->machines; j++) { all->scores[i * all->machines + j] = scores[j]; }
}

/* All scores of n rows of d values, one a machine and row. */
int32_t gen_scores(const gen_machine *machine, const double *rows, int64_t n, double *scores) {
    gen_all_scores all;
    all.scores = scores;
    all.machines = machine->machines;
    return gen_ask(machine, rows, NULL, (size_t)n, gen_take_scores, &all);
}

/* The class of a row, and its score: of two classes the score itself, of classes in order the first one,
 * which orders inputs, of others how clearly they speak for the class elected. */
static uint16_t gen_classify(const gen_machine *machine, const margin_real *scores, double *score) {
    const margin_vote *vote = margin_model_vote(&machine->model);
    if (gen_is_near(vote)) {
        *score = vote->reject - scores[0];
        return margin_decide(vote, scores) == 0 ? 1 : 0;
    }
    const uint16_t elected = margin_elect(vote->scheme, vote->classes, scores);
    *score = vote->scheme == MARGIN_SCHEME_BINARY || vote->scheme == MARGIN_SCHEME_ORDINAL
                 ? scores[0]
                 : margin_margin(vote->scheme, vote->classes, scores, elected);
    return margin_decide(vote, scores);
}

/* What is wanted of each row: `label` and `score` have room for n, `chances` for n x classes, and `p`
 * for one row of these; confusion counts, for each class of y, how often it is taken for which, and
 * after these how often it is rejected. Any may be NULL. */
typedef struct {
    const gen_machine *machine;
    const uint16_t *y;
    uint16_t *label;
    double *score, *chances;
    margin_real *p;
    int64_t *confusion;
} gen_wanted;

static void gen_take_wanted(void *user, size_t i, size_t row, margin_real *scores) {
    const gen_wanted *wanted = (const gen_wanted *)user;
    const size_t classes = wanted->machine->classes;
    double score;
    const uint16_t label = gen_classify(wanted->machine, scores, &score);
    size_t c;
    if (wanted->label != NULL) { wanted->label[i] = label; }
    if (wanted->score != NULL) { wanted->score[i] = score; }
    if (wanted->confusion != NULL && wanted->y != NULL && wanted->y[row] < classes) {
        wanted->confusion[wanted->y[row] * (classes + 1u) + (label < classes ? label : classes)]++;
    }
    if (wanted->chances != NULL) {
        margin_probabilities(margin_model_vote(&wanted->machine->model), scores, wanted->p);
        for (c = 0; c < classes; c++) { wanted->chances[i * classes + c] = wanted->p[c]; }
    }
}

static margin_status gen_predict_rows(const gen_machine *machine, const gen_rows *rows,
                                      const margin_index *list, size_t n, gen_wanted *wanted) {
    wanted->machine = machine;
    wanted->y = rows->y;
    return gen_ask(machine, rows->x, list, n, gen_take_wanted, wanted);
}

/* The least and the largest value of each feature; 1 if all values are whole numbers of 16 bits. */
int32_t gen_ranges(const gen_rows *rows, double *low, double *high) {
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

/* Any of label, score, chances (probabilities of all classes) and confusion may be NULL. */
int32_t gen_predict(const gen_machine *machine, const gen_rows *rows, uint16_t *label,
                    double *score, double *chances, int64_t *confusion) {
    gen_wanted wanted;
    margin_status status = MARGIN_E_MEMORY;
    wanted.label = label;
    wanted.score = score;
    wanted.chances = chances;
    wanted.p = (margin_real *)malloc(machine->classes * sizeof *wanted.p);
    wanted.confusion = confusion;
    if (wanted.p != NULL) {
        status = gen_predict_rows(machine, rows, NULL, (size_t)rows->n, &wanted);
    }
    free(wanted.p);
    return status;
}

typedef struct {
    gen_wanted wanted;
    double *own, *elected, *probability;
} gen_wanted_answers;

static void gen_take_answer(void *user, size_t i, size_t row, margin_real *scores) {
    const gen_wanted_answers *all = (const gen_wanted_answers *)user;
    const margin_vote *vote = margin_model_vote(&all->wanted.machine->model);
    const uint16_t winner = margin_elect(vote->scheme, vote->classes, scores);
    gen_take_wanted(user, i, row, scores);
    if (gen_is_near(vote)) {
        const double score = vote->reject - scores[0];
        all->elected[i] = mgn_abs(score);
        if (all->own != NULL) { all->own[i] = all->wanted.y[row] == 1 ? score : -score; }
        all->probability[i] = 1;
        return;
    }
    all->elected[i] = margin_margin(vote->scheme, vote->classes, scores, winner);
    if (all->own != NULL) {
        all->own[i] = margin_margin(vote->scheme, vote->classes, scores, all->wanted.y[row]);
    }
    margin_probabilities(vote, scores, all->wanted.p);
    all->probability[i] = all->wanted.p[winner];
}

/* All about each row at once: class and score as gen_predict has them, the probability of the class
 * elected, and how clearly the scores speak, by margin_margin, for its true class (NULL if rows->y does
 * not tell it) and for the class elected. */
int32_t gen_answers(const gen_machine *machine, const gen_rows *rows, uint16_t *label,
                    double *score, double *probability, double *own, double *elected) {
    gen_wanted_answers all;
    margin_status status = MARGIN_E_MEMORY;
    all.wanted.machine = machine;
    all.wanted.y = rows->y;
    all.wanted.label = label;
    all.wanted.score = score;
    all.wanted.chances = NULL;
    all.wanted.p = (margin_real *)malloc(machine->classes * sizeof *all.wanted.p);
    all.wanted.confusion = NULL;
    all.own = own;
    all.elected = elected;
    all.probability = probability;
    if (all.wanted.p != NULL) {
        status = gen_ask(machine, rows->x, NULL, (size_t)rows->n, gen_take_answer, &all);
    }
    free(all.wanted.p);
    return status;
}

/* Real values as the int16_t that an integer model takes, in this library's precision. */
int32_t gen_input(const double *offset, const double *factor, int64_t d, const double *rows,
                  int64_t n, int16_t *out) {
    const size_t width = (size_t)d;
    margin_real *memory = (margin_real *)malloc(3 * width * sizeof *memory);
    margin_real *x = memory + 2 * width;
    margin_scaling input;
    size_t i, j;
    if (memory == NULL) { return MARGIN_E_MEMORY; }
    for (j = 0; offset != NULL && j < width; j++) {
        memory[j] = (margin_real)offset[j];
        memory[width + j] = (margin_real)factor[j];
    }
    input.offset = offset == NULL ? NULL : memory;
    input.factor = offset == NULL ? NULL : memory + width;
    input.d = width;
    for (i = 0; i < (size_t)n; i++) {
        for (j = 0; j < width; j++) { x[j] = (margin_real)rows[i * width + j]; }
        margin_input_q(&input, x, out + i * width);
    }
    free(memory);
    return MARGIN_OK;
}

/* What the unit-exp kernel with parameter a divides by and multiplies with, in this library's precision: log a, and
 * e^log a - 1. */
void gen_unit_exp(double a, double *out) {
    out[0] = mgn_log((margin_real)a);
    out[1] = mgn_expm1((margin_real)out[0]);
}

/* ---- images ---- */

#ifdef MARGIN_REAL_DOUBLE

/* Bytes of a machine's image; 0 if there can be none. */
int64_t gen_image_size(const gen_machine *machine, int64_t notes) {
    return (int64_t)margin_image_size(&machine->model, (size_t)notes);
}

int32_t gen_image_write(const gen_machine *machine, const void *notes, int64_t notes_count,
                        void *out, int64_t size) {
    return margin_image_write(&machine->model, notes, (size_t)notes_count, out, (size_t)size);
}

#else

/* A machine out of an image, which is copied. */
int32_t gen_open(const void *image, int64_t size, gen_machine **out) {
    gen_machine *machine = (gen_machine *)calloc(1, sizeof *machine);
    margin_status status = MARGIN_E_MEMORY;
    if (machine != NULL) { machine->bytes[0] = malloc((size_t)size + 1); }
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
const unsigned char *gen_notes(const gen_machine *machine, int64_t *count) {
    size_t found = 0;
    const unsigned char *notes = margin_image_notes(machine->bytes[0], &found);
    *count = (int64_t)found;
    return notes;
}

#endif /* MARGIN_REAL_DOUBLE */

/* ---- the parts in double ---- */

#ifdef MARGIN_REAL_DOUBLE
#include "native_methods.c"

#include "native_train.c"

#include "native_import.c"

#include "native_export.c"

#include "native_state.c"
#endif

/* Sizes of the structs that gen/native.py mirrors. */
int64_t gen_sizes(int32_t which) {
    static const size_t sizes[] = {sizeof(gen_choice), sizeof(gen_watch), sizeof(gen_report),
                                   sizeof(gen_rows),   sizeof(gen_plain), sizeof(gen_part)};
    return (int64_t)sizes[which];
}
