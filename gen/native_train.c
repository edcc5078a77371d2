/* native_train.c -- part of native.c: training, cross-validation, calibration, for any method of
 * native_methods.c. In double only. */

/* Bias and weights before scaling is folded in. */
static bool gen_keep_trained(gen_machine *machine) {
    static const char *const names[2] = {"w", "bias"};
    gen_anatomy a;
    int i;
    gen_dissect(&machine->model, &a);
    for (i = 0; i < 2; i++) {
        const gen_part *part = gen_find(&a, names[i]);
        if (part != NULL && part->count > 0) {
            const size_t size = (size_t)part->count * sizeof(double);
            machine->trained[i] = (double *)malloc(size);
            if (machine->trained[i] == NULL) { return false; }
            memcpy(machine->trained[i], part->at, size);
            machine->trained_count[i] = part->count;
        }
    }
    return true;
}

/* From here on the machine takes raw inputs. */
static margin_status gen_unscale(gen_machine *machine, const margin_scaling *scaling) {
    const size_t size = margin_model_scale_size(&machine->model) + MARGIN_ALIGN;
    margin_arena mem;
    gen_look(machine);
    machine->bytes[2] = malloc(size);
    mem = margin_arena_make(machine->bytes[2], size);
    if (!gen_keep_trained(machine)) { return MARGIN_E_MEMORY; }
    return margin_model_scale(&machine->model, scaling, &mem);
}

/* Labels, targets and weights of the rows of a view, without gaps. */
typedef struct {
    double *x;
    uint16_t *y;
    double *t, *weight;
} gen_picked;

static void gen_pick(const gen_rows *rows, const margin_data *raw, const gen_picked *to) {
    size_t i;
    for (i = 0; i < raw->n; i++) {
        const size_t row = raw->rows == NULL ? i : raw->rows[i];
        to->y[i] = raw->y[row];
        if (rows->t != NULL) { to->t[i] = rows->t[row]; }
        if (rows->weight != NULL) { to->weight[i] = rows->weight[row]; }
    }
}

static margin_status gen_train_scaled(gen_work *work, const gen_rows *rows, const margin_data *raw,
                                      const gen_picked *to) {
    margin_status status, scaled;
    gen_pick(rows, raw, to);
    status = gen_fit_scaling(work, raw);
    if (status >= 0) { status = margin_scaling_apply(&work->scaling, raw, to->x, 0); }
    if (status < 0) { return status; }
    work->raw = raw;
    work->data.x = work->x = to->x;
    work->data.y = to->y;
    work->data.weight = rows->weight == NULL ? NULL : to->weight;
    work->data.n = raw->n;
    work->data.d = raw->d;
    work->targets = rows->t == NULL ? NULL : to->t;
    status = gen_method_of(work->choice->method)->train(work);
    if (status < 0) { return status; }
    scaled = gen_unscale(work->machine, &work->scaling);
    return scaled < 0 ? scaled : status;
}

/* The rows of class 1 of a view, into `list`. */
static margin_data gen_normal_rows(const margin_data *raw, margin_index *list) {
    margin_data normal = *raw;
    size_t i;
    normal.n = 0;
    normal.rows = list;
    for (i = 0; i < raw->n; i++) {
        const size_t row = raw->rows == NULL ? i : raw->rows[i];
        if (raw->y[row] == 1) { list[normal.n++] = (margin_index)row; }
    }
    return normal;
}

/* The same on the rows that the method trains on. */
static margin_status gen_train_chosen(gen_work *work, const gen_rows *rows, const margin_data *raw,
                                      const gen_picked *to) {
    const gen_method *method = gen_method_of(work->choice->method);
    margin_index *list = NULL;
    margin_data chosen = *raw;
    margin_status status;
    if (method == NULL) { return MARGIN_E_ARGUMENT; }
    if (method->normal) { list = (margin_index *)malloc((raw->n + 1) * sizeof *list); }
    if (work->machine == NULL || to->x == NULL || to->y == NULL || to->t == NULL ||
        to->weight == NULL || (method->normal && list == NULL)) {
        free(list);
        return MARGIN_E_MEMORY;
    }
    if (method->normal) { chosen = gen_normal_rows(raw, list); }
    status = gen_train_scaled(work, rows, &chosen, to);
    free(list);
    return status;
}

static void gen_fill_report(const gen_work *work, gen_report *report) {
    const margin_info *info = &work->info;
    report->objective = info->objective;
    report->gap = info->gap;
    report->violation = info->violation;
    report->margin_min = info->margin_min;
    report->margin_mean = info->margin_mean;
    report->iterations = (int64_t)info->iterations;
    report->arena_peak = (int64_t)info->arena_peak;
    report->arena_bound = (int64_t)work->size;
    report->support = (int64_t)info->support;
    report->converged = info->converged;
}

void gen_forget(gen_report *report) {
    free(report->told);
    report->told = NULL;
}

static margin_data gen_view(const gen_rows *rows) {
    margin_data view;
    memset(&view, 0, sizeof view);
    view.x = rows->x;
    view.y = rows->y;
    view.weight = rows->weight;
    view.n = (size_t)rows->n;
    view.d = (size_t)rows->d;
    return view;
}

/* What the method has to say about a machine on some rows, if it has; else, and if all goes well, the
 * status given. */
static margin_status gen_measure_view(const gen_machine *machine, const gen_rows *rows,
                                      const margin_data *raw, const gen_choice *choice,
                                      const char *ending, gen_told *told, margin_status status) {
    const gen_method *method = gen_method_of(choice->method);
    margin_status measured = MARGIN_OK;
    if (method != NULL && method->measure != NULL) {
        told->ending = ending;
        measured = method->measure(machine, raw, rows->t, told);
        told->ending = "";
    }
    return measured < 0 ? measured : status;
}

/* The same for all rows of another data set: report->told gets members that end in "_test". */
int32_t gen_measure(const gen_machine *machine, const gen_rows *rows, const gen_choice *choice,
                    gen_report *report) {
    const margin_data raw = gen_view(rows);
    gen_told told;
    margin_status status;
    memset(&told, 0, sizeof told);
    status = gen_measure_view(machine, rows, &raw, choice, "_test", &told, MARGIN_OK);
    report->told = told.text;
    return status;
}

/* Trains on a view of raw rows; *out is a new machine, unless the status is negative. */
static margin_status gen_train_view(const gen_rows *rows, const margin_data *raw,
                                    const gen_choice *choice, gen_watch *watch, gen_report *report,
                                    gen_machine **out) {
    const size_t room = raw->d != 0 && raw->n > SIZE_MAX / sizeof(double) / raw->d
                            ? 0
                            : raw->n * raw->d * sizeof(double);
    gen_picked to;
    gen_work work;
    margin_status status;
    to.x = room == 0 ? NULL : (double *)malloc(room);
    to.y = (uint16_t *)malloc(raw->n * sizeof *to.y);
    to.t = (double *)malloc(raw->n * sizeof *to.t);
    to.weight = (double *)malloc(raw->n * sizeof *to.weight);
    memset(&work, 0, sizeof work);
    work.choice = choice;
    work.watch = watch;
    work.classes = (size_t)rows->classes;
    work.machine = (gen_machine *)calloc(1, sizeof *work.machine);
    watch->running = 1;
    status = gen_train_chosen(&work, rows, raw, &to);
    if (status >= 0) {
        gen_tell_array(&work.told, "margin_quantiles", work.info.margin_quantile, 5, 0);
        status = gen_measure_view(work.machine, rows, raw, choice, "_train", &work.told, status);
    }
    watch->running = 0;
    gen_fill_report(&work, report);
    report->told = work.told.text;
    free(to.x);
    free(to.y);
    free(to.t);
    free(to.weight);
    if (status < 0) {
        gen_free(work.machine);
    } else {
        *out = work.machine;
    }
    return status;
}

int32_t gen_train(const gen_rows *rows, const gen_choice *choice, gen_watch *watch,
                  gen_report *report, gen_machine **out) {
    const margin_data raw = gen_view(rows);
    return gen_train_view(rows, &raw, choice, watch, report, out);
}

/* Stratified folds of all rows; the same seed gives the same ones everywhere. */
int32_t gen_folds(const gen_rows *rows, int64_t folds, uint32_t seed, uint16_t *fold) {
    const margin_data raw = gen_view(rows);
    const size_t size = margin_folds_size(raw.n) + MARGIN_ALIGN;
    void *bytes = malloc(size);
    margin_arena mem = margin_arena_make(bytes, size);
    margin_rng rng = margin_rng_make(seed);
    margin_status status = margin_folds(&raw, (size_t)folds, true, &rng, &mem, fold);
    free(bytes);
    return status;
}

/* What is wanted of rows that were left out: scores of all machines, or margins of their own classes,
 * each at the number of its row. */
typedef struct {
    gen_all_scores all;
    double *own; /* NULL: scores */
    const margin_vote *vote;
    const uint16_t *y;
} gen_left_out;

static void gen_take_left_out(void *user, size_t i, size_t row, margin_real *scores) {
    gen_left_out *left = (gen_left_out *)user;
    (void)i;
    if (left->own == NULL) {
        gen_take_scores(&left->all, row, row, scores);
    } else {
        left->own[row] =
            margin_margin(left->vote->scheme, left->vote->classes, scores, left->y[row]);
    }
}

/* Trains on all folds but one and tests on that one; adds to both confusion tables, or fills in what
 * is wanted of the rows that were left out. */
static margin_status gen_fold_rows(const gen_rows *rows, const uint16_t *fold, size_t which,
                                   const gen_choice *choice, gen_watch *watch, gen_report *report,
                                   int64_t *on_train, int64_t *on_test, gen_left_out *left,
                                   margin_index *list) {
    const margin_data raw = gen_view(rows);
    margin_data train, test;
    gen_machine *machine = NULL;
    gen_wanted wanted;
    margin_status status = margin_fold_views(&raw, fold, which, list, &train, &test), trained;
    if (status < 0) { return status; }
    trained = gen_train_view(rows, &train, choice, watch, report, &machine);
    if (trained < 0) { return trained; }
    if (left != NULL) {
        left->all.machines = machine->machines;
        left->vote = margin_model_vote(&machine->model);
        left->y = rows->y;
        status = gen_ask(machine, test.x, test.rows, test.n, gen_take_left_out, left);
        gen_free(machine);
        return status < 0 ? status : trained;
    }
    memset(&wanted, 0, sizeof wanted);
    wanted.confusion = rows->t == NULL ? on_train : NULL; /* numbers are no classes */
    status = gen_predict_rows(machine, rows, train.rows, train.n, &wanted);
    wanted.confusion = rows->t == NULL ? on_test : NULL;
    if (status >= 0) { status = gen_predict_rows(machine, rows, test.rows, test.n, &wanted); }
    if (status >= 0) {
        gen_told told;
        memset(&told, 0, sizeof told);
        told.text = report->told;
        told.used = told.text == NULL ? 0 : strlen(told.text);
        status = gen_measure_view(machine, rows, &test, choice, "_test", &told, status);
        report->told = told.text;
    }
    gen_free(machine);
    return status < 0 ? status : trained;
}

int32_t gen_fold(const gen_rows *rows, const uint16_t *fold, int64_t which,
                 const gen_choice *choice, gen_watch *watch, gen_report *report, int64_t *on_train,
                 int64_t *on_test) {
    margin_index *list = (margin_index *)malloc((size_t)rows->n * sizeof *list);
    margin_status status = MARGIN_E_MEMORY;
    if (list != NULL) {
        status = gen_fold_rows(rows, fold, (size_t)which, choice, watch, report, on_train, on_test,
                               NULL, list);
    }
    free(list);
    return status;
}

/* Trains without a fold; into `own` the margins of its rows, or if that is NULL the scores. */
int32_t gen_fold_left_out(const gen_rows *rows, const uint16_t *fold, int64_t which,
                          const gen_choice *choice, gen_watch *watch, double *scores, double *own) {
    margin_index *list = (margin_index *)malloc((size_t)rows->n * sizeof *list);
    margin_status status = MARGIN_E_MEMORY;
    gen_left_out left;
    gen_report report;
    memset(&report, 0, sizeof report);
    left.all.scores = scores;
    left.own = own;
    if (list != NULL) {
        status = gen_fold_rows(rows, fold, (size_t)which, choice, watch, &report, NULL, NULL, &left,
                               list);
    }
    gen_forget(&report);
    free(list);
    return status;
}

/* Kendall's tau of two lists; NaN if it has no value. */
double gen_kendall(const double *a, const double *b, int64_t n) {
    const size_t size = margin_kendall_size((size_t)n) + MARGIN_ALIGN;
    void *bytes = malloc(size);
    margin_arena mem = margin_arena_make(bytes, size);
    double tau = NAN;
    (void)margin_kendall(a, b, (size_t)n, &mem, &tau);
    free(bytes);
    return tau;
}

/* The vote of a machine, which is ours to change. */
static margin_vote *gen_vote(gen_machine *machine) {
    return (margin_vote *)margin_model_vote(&machine->model);
}

/* Fits the probabilities of a machine to scores that cross-validation found: those of the rows of a
 * list, or of all. The curve, if there is one, is kept with the machine. */
static margin_status gen_calibrate_rows(gen_machine *machine, const margin_data *rows,
                                        const double *scores, double coverage) {
    const size_t size = margin_calibrate_size(rows->n, gen_vote(machine)) + MARGIN_ALIGN;
    margin_arena mem;
    free(machine->bytes[3]);
    machine->bytes[3] = malloc(size);
    mem = margin_arena_make(machine->bytes[3], size);
    return margin_calibrate(rows, scores, coverage, &mem, gen_vote(machine), NULL);
}

/* What cross-validation found, and room for what calibration makes of it: chances, n x classes, and
 * include, n, are the probabilities and the threshold of sets that each row has by a calibration
 * without its fold, which is what new rows can expect; own, n, are the probabilities of the true
 * classes by the calibration that the machine keeps. */
typedef struct {
    const double *scores; /* n x machines */
    const uint16_t *fold;
    int64_t folds;
    double coverage;
    double *chances, *include, *own;
} gen_held;

/* Calibrates on all folds but one, whose scores go to `work` one after the other, and tells the
 * probabilities of that one. */
static margin_status gen_calibrate_fold(gen_machine *machine, const gen_rows *rows,
                                        const gen_held *held, size_t which, double *work) {
    const size_t m = machine->machines, n = (size_t)rows->n;
    uint16_t *y = (uint16_t *)(work + n * m + m + machine->classes);
    margin_data others;
    margin_status status;
    size_t i;
    memset(&others, 0, sizeof others);
    others.y = y;
    for (i = 0; i < n; i++) {
        if (held->fold[i] != which) {
            memcpy(work + others.n * m, held->scores + i * m, m * sizeof *work);
            y[others.n++] = rows->y[i];
        }
    }
    status = gen_calibrate_rows(machine, &others, work, held->coverage);
    for (i = 0; i < n && status >= 0; i++) {
        if (held->fold[i] == which) {
            memcpy(work, held->scores + i * m, m * sizeof *work);
            margin_probabilities(gen_vote(machine), work, held->chances + i * machine->classes);
            held->include[i] = gen_vote(machine)->include;
        }
    }
    return status;
}

int32_t gen_calibrate(gen_machine *machine, const gen_rows *rows, const gen_held *held) {
    const size_t m = machine->machines, k = machine->classes, n = (size_t)rows->n;
    double *work = (double *)malloc((n * m + m + k) * sizeof *work + n * sizeof(uint16_t));
    const margin_data all = gen_view(rows);
    margin_status status = work == NULL ? MARGIN_E_MEMORY : MARGIN_OK;
    size_t i;
    for (i = 0; i < (size_t)held->folds && status >= 0; i++) {
        status = gen_calibrate_fold(machine, rows, held, i, work);
    }
    status = status >= 0 ? gen_calibrate_rows(machine, &all, held->scores, held->coverage) : status;
    for (i = 0; i < n && status >= 0; i++) {
        memcpy(work, held->scores + i * m, m * sizeof *work);
        margin_probabilities(gen_vote(machine), work, work + m);
        held->own[i] = work[m + rows->y[i]];
    }
    free(work);
    return status;
}

/* The reject threshold, and all that makes probabilities: slope, shift, include, and MARGIN_CURVE
 * numbers of a curve; NULL leaves that as it is. */
int32_t gen_set_vote(gen_machine *machine, const double numbers[4], const double *curve) {
    margin_vote *vote = gen_vote(machine);
    vote->reject = numbers[0];
    vote->slope = numbers[1];
    vote->shift = numbers[2];
    vote->include = numbers[3];
    if (curve != NULL && curve != vote->curve) {
        double *kept = (double *)malloc(MARGIN_CURVE * sizeof *kept);
        if (kept == NULL) { return MARGIN_E_MEMORY; }
        memcpy(kept, curve, MARGIN_CURVE * sizeof *kept);
        free(machine->bytes[3]);
        machine->bytes[3] = kept;
        vote->curve = kept;
    }
    return MARGIN_OK;
}
