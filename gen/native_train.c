/* native_train.c -- part of native.c: training, cross-validation, calibration. In double only. */

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
