/* native.c -- the library as gen calls it: flat functions over pointers and sizes. Host only.
 *
 * Compiled twice by gen/build.py: with MARGIN_REAL_DOUBLE for training, and in float for what the
 * device computes. gen/native.py mirrors the structs; gen_sizes() lets it check that it does. */
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

/* ---- training ---- */

#ifdef MARGIN_REAL_DOUBLE

static bool gen_progress(void *user, const margin_progress *at)
{
    gen_watch *watch = (gen_watch *)user;
    if (watch->machine != (int64_t)at->machine || watch->first == 0) {
        watch->first = at->violation;
    }
    watch->iteration = (int64_t)at->iteration;
    watch->machine = (int64_t)at->machine;
    watch->machines = (int64_t)at->machines;
    watch->violation = at->violation;
    watch->goal = at->goal;
    return watch->stop != 0;
}

static margin_kernel gen_kernel(const gen_choice *choice)
{
    margin_kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.kind = (uint8_t)choice->kernel;
    kernel.degree = (uint8_t)choice->degree;
    kernel.gamma = choice->gamma;
    kernel.coef0 = choice->coef0;
    kernel.a = choice->a;
    return kernel;
}

static margin_control gen_control(const gen_choice *choice, gen_watch *watch)
{
    margin_control run;
    memset(&run, 0, sizeof run);
    run.tol = choice->tol;
    run.max_iterations = (size_t)choice->max_iterations;
    run.cache_bytes = (size_t)choice->cache_bytes;
    run.rank = 200; /* the library's advice for a host */
    run.scheme = (uint8_t)choice->scheme;
    run.progress = gen_progress;
    run.user = watch;
    return run;
}

/* One training: scaled data, what to do with it, where to, and what came of it. */
typedef struct {
    margin_data data;
    const gen_choice *choice;
    gen_watch *watch;
    gen_machine *machine;
    margin_info info;
    size_t classes, size;
} gen_work;

/* The arena that a trainer asks for. */
static bool gen_arena(gen_work *work, size_t size, margin_arena *mem)
{
    work->size = size;
    if (size != 0) {
        work->machine->bytes[1] = malloc(size + MARGIN_ALIGN);
    }
    *mem = margin_arena_make(work->machine->bytes[1], size + MARGIN_ALIGN);
    return work->machine->bytes[1] != NULL;
}

static margin_status gen_train_mam(gen_work *work)
{
    const margin_data *data = &work->data;
    margin_mam_options options;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel(work->choice);
    options.intercept = work->choice->intercept != 0;
    options.balanced = work->choice->balanced != 0;
    options.run = gen_control(work->choice, work->watch);
    if (!gen_arena(work, margin_mam_size(data->n, data->d, work->classes, &options), &mem)) {
        return MARGIN_E_MEMORY;
    }
    return margin_mam_train(data, &options, &mem, &work->machine->model, &work->info);
}

static margin_status gen_train_kmomd(gen_work *work)
{
    const margin_data *data = &work->data;
    margin_kmomd_options options;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel(work->choice);
    options.lambda = work->choice->lambda;
    options.hard_margin = work->choice->hard_margin != 0;
    options.run = gen_control(work->choice, work->watch);
    if (!gen_arena(work, margin_kmomd_size(data->n, data->d, work->classes, &options), &mem)) {
        return MARGIN_E_MEMORY;
    }
    return margin_kmomd_train(data, &options, &mem, &work->machine->model, &work->info);
}

static margin_status gen_train_svm(gen_work *work)
{
    const margin_data *data = &work->data;
    margin_svm_options options;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel(work->choice);
    options.c = work->choice->c;
    options.c_pos = work->choice->c_pos;
    options.c_neg = work->choice->c_neg;
    options.hard_margin = work->choice->hard_margin != 0;
    options.run = gen_control(work->choice, work->watch);
    if (!gen_arena(work, margin_svm_size(data->n, data->d, work->classes, &options), &mem)) {
        return MARGIN_E_MEMORY;
    }
    return margin_svm_train(data, &options, &mem, &work->machine->model, &work->info);
}

static margin_status gen_train_method(gen_work *work)
{
    switch (work->choice->method) {
    case GEN_MAM:
        return gen_train_mam(work);
    case GEN_KMOMD:
        return gen_train_kmomd(work);
    case GEN_SVM:
        return gen_train_svm(work);
    default:
        return MARGIN_E_ARGUMENT;
    }
}

/* The scaling of the rows of a view, fitted to them and applied into `x`. */
static margin_status gen_scale(const margin_data *raw, gen_work *work, margin_scaling *scaling,
                               double *x)
{
    const unsigned kind = (unsigned)work->choice->scale;
    const size_t size = margin_scaling_size(kind, raw->d) + MARGIN_ALIGN;
    margin_arena mem;
    margin_status status;
    work->machine->bytes[0] = malloc(size);
    mem = margin_arena_make(work->machine->bytes[0], size);
    status = margin_scaling_fit(raw, kind, &mem, scaling);
    return status < 0 ? status : margin_scaling_apply(scaling, raw, x, 0);
}

/* Bias and weights before scaling is folded in. */
static bool gen_keep_trained(gen_machine *machine)
{
    const margin_model *model = &machine->model;
    const bool linear = model->kind == MARGIN_MODEL_LINEAR;
    const size_t m = machine->machines, weights = linear ? m * machine->d : 0;
    machine->trained = (double *)malloc((m + weights) * sizeof(double));
    if (machine->trained == NULL) {
        return false;
    }
    memcpy(machine->trained, linear ? model->of.linear.bias : model->of.expansion.bias,
           m * sizeof(double));
    if (linear) {
        memcpy(machine->trained + m, model->of.linear.w, weights * sizeof(double));
    }
    return true;
}

/* From here on the machine takes raw inputs. */
static margin_status gen_unscale(gen_machine *machine, const margin_scaling *scaling)
{
    const size_t size = margin_model_scale_size(&machine->model) + MARGIN_ALIGN;
    margin_arena mem;
    gen_look(machine);
    machine->bytes[2] = malloc(size);
    mem = margin_arena_make(machine->bytes[2], size);
    if (!gen_keep_trained(machine)) {
        return MARGIN_E_MEMORY;
    }
    return margin_model_scale(&machine->model, scaling, &mem);
}

static margin_status gen_train_scaled(gen_work *work, const margin_data *raw, double *x,
                                      uint16_t *y)
{
    margin_scaling scaling;
    margin_status status, scaled;
    size_t i;
    if (work->machine == NULL || x == NULL || y == NULL) {
        return MARGIN_E_MEMORY;
    }
    for (i = 0; i < raw->n; i++) {
        y[i] = raw->y[raw->rows == NULL ? i : raw->rows[i]];
    }
    status = gen_scale(raw, work, &scaling, x);
    if (status < 0) {
        return status;
    }
    work->data.x = x;
    work->data.y = y;
    work->data.n = raw->n;
    work->data.d = raw->d;
    status = gen_train_method(work);
    if (status < 0) {
        return status;
    }
    scaled = gen_unscale(work->machine, &scaling);
    return scaled < 0 ? scaled : status;
}

static void gen_fill_report(const gen_work *work, gen_report *report)
{
    const margin_info *info = &work->info;
    int i;
    report->objective = info->objective;
    report->gap = info->gap;
    report->violation = info->violation;
    report->margin_min = info->margin_min;
    report->margin_mean = info->margin_mean;
    report->game_value = info->game_value;
    report->entropy = info->entropy;
    report->nu = info->nu;
    for (i = 0; i < 5; i++) {
        report->quantile[i] = info->margin_quantile[i];
    }
    report->iterations = (int64_t)info->iterations;
    report->arena_peak = (int64_t)info->arena_peak;
    report->arena_bound = (int64_t)work->size;
    report->support = (int64_t)info->support;
    report->converged = info->converged;
}

/* Trains on a view of raw rows; *out is a new machine, unless the status is negative. */
static margin_status gen_train_view(const margin_data *raw, size_t classes,
                                    const gen_choice *choice, gen_watch *watch, gen_report *report,
                                    gen_machine **out)
{
    const size_t room = raw->d != 0 && raw->n > SIZE_MAX / sizeof(double) / raw->d
                            ? 0
                            : raw->n * raw->d * sizeof(double);
    double *x = (double *)malloc(room);
    uint16_t *y = (uint16_t *)malloc(raw->n * sizeof *y);
    gen_work work;
    margin_status status;
    memset(&work, 0, sizeof work);
    work.choice = choice;
    work.watch = watch;
    work.classes = classes;
    work.machine = (gen_machine *)calloc(1, sizeof *work.machine);
    watch->running = 1;
    status = gen_train_scaled(&work, raw, room == 0 ? NULL : x, y);
    watch->running = 0;
    gen_fill_report(&work, report);
    free(x);
    free(y);
    if (status < 0) {
        gen_free(work.machine);
    } else {
        *out = work.machine;
    }
    return status;
}

static margin_data gen_view(const gen_rows *rows)
{
    margin_data view;
    memset(&view, 0, sizeof view);
    view.x = rows->x;
    view.y = rows->y;
    view.n = (size_t)rows->n;
    view.d = (size_t)rows->d;
    return view;
}

int32_t gen_train(const gen_rows *rows, const gen_choice *choice, gen_watch *watch,
                  gen_report *report, gen_machine **out)
{
    const margin_data raw = gen_view(rows);
    return gen_train_view(&raw, (size_t)rows->classes, choice, watch, report, out);
}

/* Stratified folds of all rows; the same seed gives the same ones everywhere. */
int32_t gen_folds(const gen_rows *rows, int64_t folds, uint32_t seed, uint16_t *fold)
{
    const margin_data raw = gen_view(rows);
    const size_t size = margin_folds_size(raw.n) + MARGIN_ALIGN;
    void *bytes = malloc(size);
    margin_arena mem = margin_arena_make(bytes, size);
    margin_rng rng = margin_rng_make(seed);
    margin_status status = margin_folds_stratified(&raw, (size_t)folds, &rng, &mem, fold);
    free(bytes);
    return status;
}

/* Margins for calibration: of class 1 of two, of all classes of more; hit: whether it is the true
 * one. Room for n, or n * classes, by the number of the row. */
typedef struct {
    double *margin;
    uint8_t *hit;
} gen_margins;

static margin_status gen_note_margins(const gen_machine *machine, const margin_data *test,
                                      const gen_margins *out)
{
    const margin_vote *vote = margin_model_vote(&machine->model);
    const size_t k = machine->classes, first = k == 2 ? 1 : 0;
    double *scores = (double *)malloc(machine->machines * sizeof *scores);
    size_t i, c;
    if (scores == NULL) {
        return MARGIN_E_MEMORY;
    }
    for (i = 0; i < test->n; i++) {
        const size_t row = test->rows[i];
        margin_scores(&machine->model, test->x + row * test->d, scores);
        for (c = first; c < k; c++) {
            const size_t at = row * (k - first) + c - first;
            out->margin[at] = margin_margin(vote->scheme, k, scores, c);
            out->hit[at] = test->y[row] == c;
        }
    }
    free(scores);
    return MARGIN_OK;
}

/* Trains on all folds but one and tests on that one; adds to both confusion tables. With `margins`
 * it fills in those of the fold instead. */
static margin_status gen_fold_rows(const gen_rows *rows, const uint16_t *fold, size_t which,
                                   const gen_choice *choice, gen_watch *watch, gen_report *report,
                                   int64_t *on_train, int64_t *on_test, const gen_margins *margins,
                                   margin_index *list)
{
    const margin_data raw = gen_view(rows);
    margin_data train, test;
    gen_machine *machine = NULL;
    gen_wanted wanted;
    margin_status status = margin_fold_views(&raw, fold, which, list, &train, &test), trained;
    if (status < 0) {
        return status;
    }
    trained = gen_train_view(&train, (size_t)rows->classes, choice, watch, report, &machine);
    if (trained < 0) {
        return trained;
    }
    if (margins != NULL) {
        status = gen_note_margins(machine, &test, margins);
        gen_free(machine);
        return status < 0 ? status : trained;
    }
    memset(&wanted, 0, sizeof wanted);
    wanted.confusion = on_train;
    status = gen_predict_rows(machine, rows, train.rows, train.n, &wanted);
    wanted.confusion = on_test;
    if (status >= 0) {
        status = gen_predict_rows(machine, rows, test.rows, test.n, &wanted);
    }
    gen_free(machine);
    return status < 0 ? status : trained;
}

int32_t gen_fold(const gen_rows *rows, const uint16_t *fold, int64_t which,
                 const gen_choice *choice, gen_watch *watch, gen_report *report, int64_t *on_train,
                 int64_t *on_test)
{
    margin_index *list = (margin_index *)malloc((size_t)rows->n * sizeof *list);
    margin_status status = MARGIN_E_MEMORY;
    if (list != NULL) {
        status = gen_fold_rows(rows, fold, (size_t)which, choice, watch, report, on_train, on_test,
                               NULL, list);
    }
    free(list);
    return status;
}

int32_t gen_fold_margins(const gen_rows *rows, const uint16_t *fold, int64_t which,
                         const gen_choice *choice, gen_watch *watch, double *margin, uint8_t *hit)
{
    margin_index *list = (margin_index *)malloc((size_t)rows->n * sizeof *list);
    margin_status status = MARGIN_E_MEMORY;
    gen_margins margins;
    gen_report report;
    margins.margin = margin;
    margins.hit = hit;
    if (list != NULL) {
        status = gen_fold_rows(rows, fold, (size_t)which, choice, watch, &report, NULL, NULL,
                               &margins, list);
    }
    free(list);
    return status;
}

static margin_vote *gen_vote(gen_machine *machine)
{
    return machine->model.kind == MARGIN_MODEL_LINEAR ? &machine->model.of.linear.vote
                                                      : &machine->model.of.expansion.vote;
}

/* Fits the probabilities of a machine to margins that cross-validation found. */
int32_t gen_calibrate(gen_machine *machine, const double *margin, const uint8_t *hit, int64_t n)
{
    margin_vote *vote = gen_vote(machine);
    return margin_calibrate(margin, hit, (size_t)n, &vote->slope, &vote->shift);
}

void gen_set_reject(gen_machine *machine, double reject)
{
    gen_vote(machine)->reject = reject;
}

#endif /* MARGIN_REAL_DOUBLE */

/* ---- models of other programs ---- */

#ifdef MARGIN_REAL_DOUBLE

static const double *gen_copy(margin_arena *mem, const double *from, size_t count)
{
    double *to = (double *)margin_arena_keep(mem, count, sizeof *to);
    if (to != NULL && from != NULL) {
        memcpy(to, from, count * sizeof *to);
    }
    return to;
}

/* A linear kernel needs no vectors: all that a machine says is one weighted sum of them. */
static const double *gen_collapse(margin_arena *mem, const gen_plain *plain,
                                  const margin_expansion *e)
{
    const size_t machines = margin_machines(e->vote.scheme, e->vote.classes);
    double *w = (double *)margin_arena_keep(mem, machines * e->d, sizeof *w);
    double *say = (double *)margin_arena_scratch(mem, machines, sizeof *say);
    size_t c = 0, v, j;
    if (w == NULL || say == NULL) {
        return NULL;
    }
    memset(w, 0, machines * e->d * sizeof *w);
    for (v = 0; v < e->n; v++) {
        while (v >= plain->class_end[c]) {
            c++;
        }
        memset(say, 0, machines * sizeof *say);
        mgn_expansion_add(e, v, c, 1.0, say);
        for (j = 0; j < machines; j++) {
            margin_axpy(w + j * e->d, say[j], plain->vectors + v * e->d, e->d);
        }
    }
    return w;
}

static void gen_make_linear(margin_arena *mem, const gen_plain *plain, const double *w,
                            margin_model *model)
{
    margin_linear *linear = &model->of.linear;
    const size_t machines = margin_machines((unsigned)plain->scheme, (size_t)plain->classes);
    model->kind = MARGIN_MODEL_LINEAR;
    linear->w = w;
    linear->bias = gen_copy(mem, plain->bias, machines);
    linear->d = (size_t)plain->d;
    linear->vote.classes = (uint16_t)plain->classes;
    linear->vote.scheme = (uint8_t)plain->scheme;
}

static margin_expansion gen_expansion(const gen_plain *plain)
{
    margin_expansion e;
    memset(&e, 0, sizeof e);
    e.coef = plain->coef;
    e.vectors = plain->vectors;
    e.n = (size_t)plain->n;
    e.d = (size_t)plain->d;
    e.vote.classes = (uint16_t)plain->classes;
    e.vote.scheme = (uint8_t)plain->scheme;
    e.width = (uint16_t)(plain->classes == 2 ? 1 : plain->classes - 1);
    if (e.vote.scheme == MARGIN_SCHEME_ONE_REST) {
        e.width = e.vote.classes;
    }
    e.kernel.kind = (uint8_t)plain->kernel;
    e.kernel.degree = (uint8_t)plain->degree;
    e.kernel.gamma = plain->gamma;
    e.kernel.coef0 = plain->coef0;
    return e;
}

static margin_status gen_make_expansion(margin_arena *mem, const gen_plain *plain,
                                        margin_model *model)
{
    margin_expansion e = gen_expansion(plain);
    const margin_status status = margin_kernel_resolve(&e.kernel, e.d, &e.kernel);
    double *norms;
    uint32_t *ends;
    size_t i;
    if (status < 0) {
        return status;
    }
    if (e.kernel.kind == MARGIN_KERNEL_LINEAR) {
        gen_make_linear(mem, plain, gen_collapse(mem, plain, &e), model);
        return MARGIN_OK;
    }
    e.vectors = gen_copy(mem, plain->vectors, e.n * e.d);
    e.coef = gen_copy(mem, plain->coef, e.n * e.width);
    e.bias = gen_copy(mem, plain->bias, margin_machines(e.vote.scheme, e.vote.classes));
    e.norms = norms = (double *)margin_arena_keep(mem, e.n, sizeof *norms);
    e.class_end = ends = (uint32_t *)margin_arena_keep(mem, e.vote.classes, sizeof *ends);
    if (mem->failed == 0) {
        for (i = 0; i < e.n; i++) {
            mgn_dots(e.vectors + i * e.d, e.vectors + i * e.d, e.d, 1, e.d, norms + i);
        }
        memcpy(ends, plain->class_end, e.vote.classes * sizeof *ends);
    }
    model->kind = MARGIN_MODEL_EXPANSION;
    model->of.expansion = e;
    return MARGIN_OK;
}

static margin_status gen_make_parts(const gen_plain *plain, gen_machine *machine)
{
    const size_t d = (size_t)plain->d, n = (size_t)plain->n, classes = (size_t)plain->classes;
    const size_t machines = margin_machines((unsigned)plain->scheme, classes);
    const size_t size = (n * (d + classes + 1) + machines * (d + 2) + classes + 2 * d + 99) * 8;
    margin_scaling scaling;
    margin_arena mem;
    margin_status status = MARGIN_OK;
    machine->bytes[0] = malloc(size);
    mem = margin_arena_make(machine->bytes[0], size);
    if (plain->weights != NULL) {
        gen_make_linear(&mem, plain, gen_copy(&mem, plain->weights, machines * d), &machine->model);
    } else {
        status = gen_make_expansion(&mem, plain, &machine->model);
    }
    if (status < 0 || mem.failed != 0) {
        return status < 0 ? status : (margin_status)mem.failed;
    }
    memset(&scaling, 0, sizeof scaling);
    scaling.d = d;
    if (plain->offset != NULL) {
        scaling.offset = gen_copy(&mem, plain->offset, d);
        scaling.factor = gen_copy(&mem, plain->factor, d);
    }
    return gen_unscale(machine, &scaling);
}

int32_t gen_make(const gen_plain *plain, gen_machine **out)
{
    gen_machine *machine = (gen_machine *)calloc(1, sizeof *machine);
    const margin_status status = machine == NULL ? MARGIN_E_MEMORY : gen_make_parts(plain, machine);
    if (status < 0) {
        gen_free(machine);
    } else {
        *out = machine;
    }
    return status;
}

#endif /* MARGIN_REAL_DOUBLE */

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

/* Sizes of the structs that gen/native.py mirrors. */
int64_t gen_sizes(int32_t which)
{
    static const size_t sizes[] = {sizeof(gen_choice), sizeof(gen_watch), sizeof(gen_report),
                                   sizeof(gen_rows), sizeof(gen_plain)};
    return (int64_t)sizes[which];
}
