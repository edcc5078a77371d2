/* native_methods.c -- part of native.c: the methods, one function each, and their list at the end.
 * In double only. */

/* ---- what a method finds: the work at hand ---- */

/* What a method tells besides its model: members of a JSON object, as text. */
typedef struct {
    char *text;
    size_t used;
    const char *ending; /* of all names, or NULL */
} gen_told;

/* One training: scaled data, what to do with it, where to, and what came of it. */
typedef struct {
    margin_data data;       /* scaled, with classes; view without gaps */
    const margin_data *raw; /* the same rows before that, */
    margin_scaling scaling; /* and how they are scaled */
    double *x;              /* what data.x is */
    const double *targets;  /* n numbers to be met, of methods with targets="numbers"; else NULL */
    const gen_choice *choice;
    gen_watch *watch;
    gen_machine *machine; /* machine->model is where the model goes */
    margin_info info;
    size_t classes, size;
    gen_told told;
} gen_work;

typedef struct {
    const char *name;
    /* Trains; the status is the library's. What it told is delivered even if it fails. */
    margin_status (*train)(gen_work *work);
    /* Tells about a trained machine on some raw rows, of which `targets` has the numbers by row; may
     * be NULL. Called for the training rows (names get "_train") and for those of a test. */
    margin_status (*measure)(const gen_machine *machine, const margin_data *rows,
                             const double *targets, gen_told *told);
    bool normal; /* trains on the rows of class 1 alone, the normal ones */
} gen_method;

/* ---- helpers for methods ---- */

/* An option by its name on the command line; NULL if the user has not chosen. */
static const double *gen_given(const gen_choice *choice, const char *name) {
    int64_t i;
    for (i = 0; i < choice->count; i++) {
        if (strcmp(choice->names[i], name) == 0) { return &choice->values[i]; }
    }
    return NULL;
}

/* The same, 0 if the user has not chosen: what the library takes for its default. */
static double gen_option(const gen_choice *choice, const char *name) {
    const double *given = gen_given(choice, name);
    return given == NULL ? 0.0 : *given;
}

static bool gen_progress(void *user, const margin_progress *at) {
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

/* The constant of a poly kernel is 1 unless the user says otherwise: without one, a power of odd
 * degree has neither a constant nor even terms. */
static margin_kernel gen_kernel(const gen_choice *choice) {
    const double *coef0 = gen_given(choice, "coef0");
    margin_kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.kind = (uint8_t)gen_option(choice, "kernel");
    kernel.degree = (uint8_t)gen_option(choice, "degree");
    kernel.gamma = gen_option(choice, "gamma");
    kernel.coef0 = coef0 != NULL ? *coef0 : kernel.kind == MARGIN_KERNEL_POLY ? 1.0 : 0.0;
    kernel.a = gen_option(choice, "a");
    return kernel;
}

/* The kernel of methods whose default is rbf: see their `kernels` in methods.py. */
static margin_kernel gen_kernel_or_rbf(const gen_choice *choice) {
    margin_kernel kernel = gen_kernel(choice);
    if (gen_given(choice, "kernel") == NULL) { kernel.kind = MARGIN_KERNEL_RBF; }
    return kernel;
}

/* Memory for kernel rows: as asked for, else up to an eighth of the machine's. 0 is the library's
 * default, which suits linear kernels: they rarely need rows. */
static size_t gen_cache_bytes(const gen_choice *choice) {
    const double *given = gen_given(choice, "cache-mb");
    if (given != NULL) { return (size_t)(*given * 1048576.0); }
#ifdef _SC_PHYS_PAGES
    return gen_option(choice, "kernel") == MARGIN_KERNEL_LINEAR
               ? 0
               : (size_t)sysconf(_SC_PHYS_PAGES) / 8u * (size_t)sysconf(_SC_PAGESIZE);
#else
    return 0;
#endif
}

static size_t gen_max_iterations(const gen_work *work) {
    return (size_t)gen_option(work->choice, "max-iter");
}

/* Tolerance and limits of quadratic programmes. */
static margin_control gen_control(const gen_work *work) {
    margin_control run;
    memset(&run, 0, sizeof run);
    run.tol = gen_option(work->choice, "tol");
    run.max_iterations = gen_max_iterations(work);
    run.cache_bytes = gen_cache_bytes(work->choice);
    run.rank = 200; /* the library's advice for a host */
    return run;
}

static uint8_t gen_scheme(const gen_choice *choice) {
    const double *scheme = gen_given(choice, "scheme");
    return (uint8_t)(scheme == NULL ? 0 : MARGIN_SCHEME_ONE_ONE + (int)*scheme);
}

static margin_watch gen_watching(const gen_work *work) {
    margin_watch watch;
    watch.progress = gen_progress;
    watch.user = work->watch;
    return watch;
}

#ifdef MADV_HUGEPAGE
/* Whether this is a virtual machine that returns free large pages to its host: the order of pages
 * that it returns is a small number then. To get one back takes the host longer than all the small
 * pages of it, which stay with the machine. */
static bool gen_large_pages_are_returned(void) {
    FILE *file = fopen("/sys/module/page_reporting/parameters/page_reporting_order", "r");
    double order = -1;
    if (file != NULL) {
        if (fscanf(file, "%lf", &order) != 1) { order = -1; }
        (void)fclose(file);
    }
    return order >= 0 && order < 32;
}
#endif

/* Memory for a training. Large blocks ask for large pages: a kernel matrix touches each page once, and
 * by pages of 4 KB the faults take longer than its values. */
static void *gen_allocate(size_t size) {
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)2 << 20;
    void *bytes = NULL;
    if (size >= 2 * page && !gen_large_pages_are_returned() &&
        posix_memalign(&bytes, page, size) == 0) {
        (void)madvise(bytes, size, MADV_HUGEPAGE);
        return bytes;
    }
#endif
    return malloc(size);
}

/* The arena that a trainer asks for; false: there is no such memory, or the size is 0. */
static bool gen_arena(gen_work *work, size_t size, margin_arena *mem) {
    work->size = size;
    if (size != 0) { work->machine->bytes[1] = gen_allocate(size + MARGIN_ALIGN); }
    *mem = margin_arena_make(work->machine->bytes[1], size + MARGIN_ALIGN);
    return work->machine->bytes[1] != NULL;
}

static void gen_tell_raw(gen_told *told, const char *text) {
    const size_t more = strlen(text);
    char *longer = (char *)realloc(told->text, told->used + more + 1);
    if (longer != NULL) {
        told->text = longer;
        memcpy(longer + told->used, text, more + 1);
        told->used += more;
    }
}

static void gen_tell_name(gen_told *told, const char *name) {
    gen_tell_raw(told, told->used == 0 ? "\"" : ",\"");
    gen_tell_raw(told, name);
    gen_tell_raw(told, told->ending == NULL ? "" : told->ending);
    gen_tell_raw(told, "\":");
}

/* NaN and infinity become null. */
static void gen_tell_value(gen_told *told, double value) {
    char text[32] = "null";
    if (value - value == 0.0) { (void)snprintf(text, sizeof text, "%.17g", value); }
    gen_tell_raw(told, text);
}

/* "name": value */
static void gen_tell(gen_told *told, const char *name, double value) {
    gen_tell_name(told, name);
    gen_tell_value(told, value);
}

/* "name": true or false */
static inline void gen_tell_truth(gen_told *told, const char *name, bool value) {
    gen_tell_name(told, name);
    gen_tell_raw(told, value ? "true" : "false");
}

/* "name": [v, v, ...], or with width > 0 [[v, ...], ...] in rows of that length */
static void gen_tell_array(gen_told *told, const char *name, const double *values, size_t count,
                           size_t width) {
    size_t i;
    gen_tell_name(told, name);
    gen_tell_raw(told, width > 0 && count > 0 ? "[[" : "[");
    for (i = 0; i < count; i++) {
        gen_tell_raw(told, i == 0 ? "" : width > 0 && i % width == 0 ? "],[" : ",");
        gen_tell_value(told, values[i]);
    }
    gen_tell_raw(told, width > 0 && count > 0 ? "]]" : "]");
}

/* ---- the methods ---- */

static margin_mam_options gen_mam_options(const gen_choice *choice, size_t classes) {
    const double *intercept = gen_given(choice, "intercept");
    const double *balanced = gen_given(choice, "balanced");
    margin_mam_options options;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel(choice);
    if (options.kernel.kind == MARGIN_KERNEL_POLY && options.kernel.degree == 0) {
        options.kernel.degree = 2; /* a mean of cubes follows the few rows that are far out */
    }
    /* Without an intercept kernels and pairs of classes of different sizes go wrong by tens of
     * points. Balance has no effect on the labels of two classes with a linear kernel and standard
     * scaling, so the average margin stays that of the samples there. */
    options.intercept = intercept == NULL || *intercept != 0;
    options.balanced = balanced != NULL
                           ? *balanced != 0
                           : classes > 2 || options.kernel.kind != MARGIN_KERNEL_LINEAR;
    options.scheme = gen_scheme(choice);
    return options;
}

/* The bound of the paper on the error of unseen rows, and the average margin as a share of the largest
 * possible score, which says how loose it is. Of kernels it takes n^2 kernel values: few rows only. */
static void gen_tell_bound(gen_work *work, const margin_model *model) {
    margin_mam_certainty found;
    if (work->classes != 2 || (model->kind != MARGIN_MODEL_LINEAR && work->data.n > 2000)) {
        return;
    }
    if (margin_mam_certainty_of(&work->data, model, false, &found) == MARGIN_OK) {
        gen_tell(&work->told, "error_bound", margin_mam_bound(&found, 0, 0.05));
        gen_tell(&work->told, "margin_share", found.average / found.radius);
    }
}

static margin_status gen_train_mam(gen_work *work) {
    const margin_data *data = &work->data;
    const margin_mam_options options = gen_mam_options(work->choice, work->classes);
    margin_status status;
    margin_arena mem;
    if (!gen_arena(work, margin_mam_train_size(data->n, data->d, work->classes, &options), &mem)) {
        return MARGIN_E_MEMORY;
    }
    status = margin_mam_train(data, &options, &mem, &work->machine->model, &work->info);
    if (status >= 0) { gen_tell_bound(work, &work->machine->model); }
    return status;
}

static margin_status gen_train_kmomd(gen_work *work) {
    const margin_data *data = &work->data;
    const double *lambda = gen_given(work->choice, "lambda");
    margin_kmomd_options options;
    margin_kmomd_report report;
    margin_status status;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel(work->choice);
    options.lambda = gen_option(work->choice, "lambda");
    options.hard_margin = lambda != NULL && *lambda == 0;
    options.scheme = gen_scheme(work->choice);
    options.run = gen_control(work);
    options.watch = gen_watching(work);
    if (!gen_arena(work, margin_kmomd_train_size(data->n, data->d, work->classes, &options),
                   &mem)) {
        return MARGIN_E_MEMORY;
    }
    status = margin_kmomd_train(data, &options, &mem, &work->machine->model, &work->info, &report);
    if (status >= 0) {
        gen_tell(&work->told, "game_value", report.game_value);
        gen_tell(&work->told, "entropy", report.entropy);
    }
    return status;
}

static margin_status gen_train_svm(gen_work *work) {
    const margin_data *data = &work->data;
    const double c = gen_option(work->choice, "C");
    margin_svm_options options;
    margin_svm_report report;
    margin_status status;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel(work->choice);
    options.hard_margin = c > DBL_MAX;
    options.c = options.hard_margin ? 0 : c;
    options.c_pos = gen_option(work->choice, "C-pos");
    options.c_neg = gen_option(work->choice, "C-neg");
    options.nu = gen_option(work->choice, "nu");
    options.bounds = gen_option(work->choice, "bounds") != 0;
    options.scheme = gen_scheme(work->choice);
    options.run = gen_control(work);
    options.watch = gen_watching(work);
    if (!gen_arena(work, margin_svm_train_size(data->n, data->d, work->classes, &options), &mem)) {
        return MARGIN_E_MEMORY;
    }
    status = margin_svm_train(data, &options, &mem, &work->machine->model, &work->info, &report);
    if (status >= 0) {
        gen_tell(&work->told, "nu", report.nu);
        if (options.bounds && work->classes == 2) {
            gen_tell(&work->told, "c0", report.c0);
            gen_tell(&work->told, "c1", report.c1); /* 0: the classes overlap */
        }
    }
    return status;
}

/* Tau, and of classes how far off answers are, where there are targets to compare with. */
/* Whether scores tell classes, but no order: those of normalised machines. */
static int gen_one_rest(const margin_model *model) {
    return model->kind == MARGIN_MODEL_EXPANSION &&
           model->of.expansion.vote.scheme == MARGIN_SCHEME_ONE_REST;
}

/* Kendall's tau of answers and labels; where targets are numbers, of mean ranks and targets: see margin_omam_train. */
static margin_status gen_kendall_of_classes(const gen_machine *machine, const margin_data *rows,
                                            const double *targets, double *tau) {
    const size_t n = rows->n, stride = rows->stride != 0 ? rows->stride : rows->d;
    const size_t size = margin_kendall_size(n) + MARGIN_ALIGN;
    double *values = (double *)malloc((2 * n + machine->machines) * sizeof *values);
    void *bytes = malloc(size);
    margin_arena mem = margin_arena_make(bytes, size);
    margin_status status = MARGIN_E_MEMORY;
    size_t i;
    if (values != NULL && bytes != NULL) {
        for (i = 0; i < n; i++) {
            const size_t row = rows->rows != NULL ? rows->rows[i] : i;
            double *scores = values + 2 * n;
            values[i] = margin_classify(&machine->model, rows->x + row * stride, scores);
            if (targets != NULL) { values[i] = scores[2] / (3 * (2 * scores[1] - scores[2])); }
            values[n + i] = targets != NULL ? targets[row] : rows->y[row];
        }
        status = margin_kendall(values, values + n, n, &mem, tau);
    }
    free(values);
    free(bytes);
    return status;
}

static margin_status gen_measure_ordinal(const gen_machine *machine, const margin_data *rows,
                                         const double *targets, gen_told *told) {
    const margin_model *model = &machine->model;
    const size_t k = machine->classes;
    const size_t size = margin_model_kendall_size(rows->n, model) + margin_confusion_size(model) +
                        MARGIN_CONFUSION(k) * sizeof(double) + 2 * MARGIN_ALIGN;
    void *bytes = malloc(size);
    margin_arena mem = margin_arena_make(bytes, size);
    double *confusion = (double *)margin_arena_keep(&mem, MARGIN_CONFUSION(k), sizeof *confusion);
    double tau = NAN;
    margin_status status = gen_one_rest(model)
                               ? gen_kendall_of_classes(machine, rows, targets, &tau)
                               : margin_model_kendall(rows, targets, model, &mem, &tau);
    if (status == MARGIN_OK || status == MARGIN_E_NO_ORDER) {
        gen_tell(told, "kendall_tau", tau);
        status = MARGIN_OK;
    }
    if (status == MARGIN_OK && targets == NULL) {
        status = margin_confusion(rows, model, &mem, confusion);
        if (status == MARGIN_OK) {
            gen_tell(told, "absolute_error", margin_absolute_error(confusion, k));
        }
    }
    free(bytes);
    return status;
}

static margin_status gen_train_omam(gen_work *work) {
    const margin_data *data = &work->data;
    margin_ordinal_options options;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel(work->choice);
    options.targets = work->targets;
    options.classes = work->targets == NULL ? work->classes : 0;
    options.loss = (uint8_t)gen_option(work->choice, "thresholds");
    options.normalised = gen_option(work->choice, "normalised") != 0;
    if (!gen_arena(work, margin_omam_train_size(data->n, data->d, work->classes, &options), &mem)) {
        return MARGIN_E_MEMORY;
    }
    return margin_omam_train(data, &options, &mem, &work->machine->model, &work->info, NULL);
}

static margin_status gen_train_lssvm(gen_work *work) {
    const margin_data *data = &work->data;
    margin_ordinal_options options;
    margin_ordinal_report report;
    margin_status status;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel(work->choice);
    options.targets = work->targets;
    options.classes = work->targets == NULL ? work->classes : 0;
    options.loss = (uint8_t)gen_option(work->choice, "thresholds");
    options.c = gen_option(work->choice, "C");
    options.watch = gen_watching(work);
    if (!gen_arena(work, margin_lssvm_train_size(data->n, data->d, work->classes, &options),
                   &mem)) {
        return MARGIN_E_MEMORY;
    }
    status = margin_lssvm_train(data, &options, &mem, &work->machine->model, &work->info, &report);
    if (status >= 0) {
        gen_tell(&work->told, "C", report.c);
        gen_tell(&work->told, "loo", options.c == 0 ? report.loo : NAN);
    }
    return status;
}

/* ---- one class ---- */

enum { GEN_PLANE, GEN_SPHERE, GEN_PROTOTYPES }; /* --form */

/* The scaling of the rows of a view, fitted to them, into memory that the machine has. */
static margin_status gen_fit_scaling(gen_work *work, const margin_data *rows) {
    const unsigned kind = (unsigned)gen_option(work->choice, "scale");
    const size_t size = margin_scaling_fit_size(kind, rows->d) + MARGIN_ALIGN;
    margin_arena mem;
    if (work->machine->bytes[0] == NULL) { work->machine->bytes[0] = malloc(size); }
    mem = margin_arena_make(work->machine->bytes[0], size);
    return margin_scaling_fit(rows, kind, &mem, &work->scaling);
}

/* Scales all rows by those that a fold does not leave out. */
static void gen_scale_part(void *user, const margin_data *part) {
    gen_work *work = (gen_work *)user;
    margin_data rows = *work->raw;
    margin_index *list = (margin_index *)malloc(part->n * sizeof *list);
    size_t i;
    if (list != NULL) {
        for (i = 0; i < part->n; i++) {
            const size_t row = part->rows == NULL ? i : part->rows[i];
            list[i] = work->raw->rows == NULL ? (margin_index)row : work->raw->rows[row];
        }
        rows.rows = list;
        rows.n = part->n;
        if (gen_fit_scaling(work, &rows) < 0 ||
            margin_scaling_apply(&work->scaling, work->raw, work->x, 0) < 0) {
            (void)gen_fit_scaling(work, work->raw); /* this one is in range */
            (void)margin_scaling_apply(&work->scaling, work->raw, work->x, 0);
        }
    }
    free(list);
}

static margin_status gen_train_oneclass(gen_work *work) {
    const double *lambda = gen_given(work->choice, "lambda");
    const double *models = gen_given(work->choice, "models");
    const int form = (int)gen_option(work->choice, "form");
    const margin_data *data = &work->data;
    margin_oneclass_options options;
    margin_oneclass_report report;
    margin_status status;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel_or_rbf(work->choice);
    options.nu = gen_option(work->choice, "nu");
    options.lambda = lambda == NULL ? 0 : *lambda == 0 ? MARGIN_ZERO : *lambda;
    options.sphere = form == GEN_SPHERE;
    options.models = form == GEN_PROTOTYPES ? (uint16_t)(models == NULL ? 1 : *models) : 0;
    options.tangents = form == GEN_PROTOTYPES ? (uint16_t)gen_option(work->choice, "tangents") : 0;
    options.folds = (uint16_t)gen_option(work->choice, "inner-folds");
    options.held_out = gen_option(work->choice, "held-out") != 0;
    options.seed = (uint32_t)gen_option(work->choice, "seed");
    options.run = gen_control(work);
    options.watch = gen_watching(work);
    options.part = gen_scale_part;
    options.part_user = work;
    if (!gen_arena(work, margin_oneclass_train_size(data->n, data->d, 1, &options), &mem)) {
        return MARGIN_E_MEMORY;
    }
    status =
        margin_oneclass_train(data, &options, &mem, &work->machine->model, &work->info, &report);
    if (status >= 0) {
        gen_tell(&work->told, "normal_rows", (double)data->n);
        gen_tell(&work->told, "false_alarm_rate_promised", report.promised);
    }
    return status;
}

/* Scores of some rows, by their place in the view. */
typedef struct {
    const gen_machine *machine;
    double *score;
    const uint16_t *y;
    bool *normal, *alarm;
} gen_normal_scores;

static void gen_take_normal(void *user, size_t i, size_t row, margin_real *scores) {
    const gen_normal_scores *all = (const gen_normal_scores *)user;
    all->alarm[i] = gen_classify(all->machine, scores, &all->score[i]) == 0;
    all->normal[i] = all->y == NULL || all->y[row] == 1;
}

static int gen_compare_reals(const void *a, const void *b) {
    const double x = *(const double *)a, z = *(const double *)b;
    return (x > z) - (x < z);
}

/* The share of pairs of a normal row and another one in which the normal one scores higher, pairs of
 * equal scores counted half; normal scores first, both parts sorted. */
static double gen_auc(const double *score, size_t normal, size_t n) {
    const double *other = score + normal;
    size_t below = 0, equal = 0, i;
    double sum = 0;
    for (i = 0; i < normal; i++) {
        while (below < n - normal && other[below] < score[i]) { below++; }
        equal = equal < below ? below : equal;
        while (equal < n - normal && other[equal] <= score[i]) { equal++; }
        sum += (double)below + (double)(equal - below) / 2;
    }
    return sum / (double)normal / (double)(n - normal);
}

/* False alarms among normal rows; detections among others, and the area under the curve of both. */
static void gen_tell_alarms(gen_told *told, const gen_normal_scores *all, size_t n) {
    double *sorted = (double *)malloc((n + 1) * sizeof *sorted);
    size_t normal = 0, others = 0, alarms[2] = {0, 0}, i;
    for (i = 0; i < n; i++) {
        alarms[all->normal[i] ? 1 : 0] += all->alarm[i] ? 1u : 0u;
        normal += all->normal[i] ? 1u : 0u;
    }
    gen_tell(told, "false_alarm_rate", normal > 0 ? (double)alarms[1] / (double)normal : NAN);
    if (normal < n) { gen_tell(told, "detection_rate", (double)alarms[0] / (double)(n - normal)); }
    if (sorted != NULL && normal > 0 && normal < n) {
        const size_t count = normal;
        for (i = 0, normal = 0; i < n; i++) {
            sorted[all->normal[i] ? normal++ : count + others++] = all->score[i];
        }
        qsort(sorted, count, sizeof *sorted, gen_compare_reals);
        qsort(sorted + count, n - count, sizeof *sorted, gen_compare_reals);
        gen_tell(told, "auc", gen_auc(sorted, count, n));
    }
    free(sorted);
}

static margin_status gen_measure_oneclass(const gen_machine *machine, const margin_data *rows,
                                          const double *targets, gen_told *told) {
    gen_normal_scores all;
    margin_status status = MARGIN_E_MEMORY;
    (void)targets;
    all.machine = machine;
    all.y = rows->y;
    all.score = (double *)malloc((rows->n + 1) * sizeof *all.score);
    all.normal = (bool *)malloc(2 * (rows->n + 1));
    all.alarm = all.normal + rows->n + 1;
    if (all.score != NULL && all.normal != NULL) {
        status = gen_ask(machine, rows->x, rows->rows, rows->n, gen_take_normal, &all);
    }
    if (status == MARGIN_OK) { gen_tell_alarms(told, &all, rows->n); }
    free(all.score);
    free(all.normal);
    return status;
}

/* ---- numbers ---- */

static margin_status gen_train_svr(gen_work *work) {
    const double *epsilon = gen_given(work->choice, "epsilon"), *nu = gen_given(work->choice, "nu");
    const margin_data *data = &work->data;
    margin_svr_options options;
    margin_svr_report report;
    margin_status status;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel(work->choice);
    options.targets = work->targets;
    options.loss = (uint8_t)(gen_option(work->choice, "squares") != 0 ? MARGIN_SVR_SQUARES
                             : nu != NULL                             ? MARGIN_SVR_NU
                                                                      : MARGIN_SVR_EPSILON);
    options.c = gen_option(work->choice, "C");
    options.epsilon = epsilon == NULL ? 0 : *epsilon == 0 ? MARGIN_ZERO : *epsilon;
    options.nu = nu == NULL ? 0 : *nu;
    options.outside = gen_option(work->choice, "outside");
    options.part = gen_scale_part;
    options.part_user = work;
    options.folds = (uint16_t)gen_option(work->choice, "inner-folds");
    options.seed = (uint32_t)gen_option(work->choice, "seed");
    options.run = gen_control(work);
    options.run.rank = options.kernel.kind == MARGIN_KERNEL_POLY ? options.run.rank : 0;
    options.watch = gen_watching(work);
    if (!gen_arena(work, margin_svr_train_size(data->n, data->d, 1, &options), &mem)) {
        return MARGIN_E_MEMORY;
    }
    status = margin_svr_train(data, &options, &mem, &work->machine->model, &work->info, &report);
    if (status >= 0) {
        gen_tell(&work->told, "C", report.c);
        gen_tell(&work->told, "epsilon", report.epsilon);
        if (options.loss == MARGIN_SVR_SQUARES && options.c == 0) {
            gen_tell(&work->told, "rmse_loo", sqrt(report.loo));
        }
        if (options.outside > 0) {
            gen_tell(&work->told, "half_width", report.half);
            gen_tell(&work->told, "outside_promised", report.promised);
        }
    }
    return status;
}

/* How far off answers are. */
typedef struct {
    const double *targets;
    double squares, absolute, sum, spread; /* running: spread is about the mean so far */
    size_t count;
} gen_errors;

static void gen_take_error(void *user, size_t i, size_t row, margin_real *scores) {
    gen_errors *all = (gen_errors *)user;
    const double target = all->targets[row], off = target - scores[0];
    const double from = all->count > 0 ? target - all->sum / (double)all->count : 0;
    (void)i;
    all->squares += off * off;
    all->absolute += fabs(off);
    all->spread += from * from * (double)all->count / (double)(all->count + 1);
    all->sum += target;
    all->count++;
}

static margin_status gen_measure_svr(const gen_machine *machine, const margin_data *rows,
                                     const double *targets, gen_told *told) {
    gen_errors all;
    margin_status status = MARGIN_OK;
    memset(&all, 0, sizeof all);
    all.targets = targets;
    if (targets != NULL) {
        status = gen_ask(machine, rows->x, rows->rows, rows->n, gen_take_error, &all);
        gen_tell(told, "rmse", sqrt(all.squares / (double)all.count));
        gen_tell(told, "mae", all.absolute / (double)all.count);
        gen_tell(told, "r2", all.spread > 0 ? 1 - all.squares / all.spread : NAN);
    }
    return status;
}

/* One number of each cut. */
static void gen_tell_cuts(gen_told *told, const char *name, const margin_seco_report *info,
                          double (*of)(const margin_seco_cut *cut)) {
    double values[MARGIN_LIST_MOST];
    size_t j;
    for (j = 0; j < info->cuts; j++) { values[j] = of(&info->cut[j]); }
    gen_tell_array(told, name, values, info->cuts, 0);
}

static double gen_cut_sign(const margin_seco_cut *cut) {
    return cut->sign;
}

static double gen_cut_covered(const margin_seco_cut *cut) {
    return (double)cut->covered / (double)cut->asked;
}

static double gen_cut_error(const margin_seco_cut *cut) {
    return (double)cut->wrong / (double)cut->covered;
}

static double gen_cut_margin(const margin_seco_cut *cut) {
    return cut->margin;
}

static double gen_cut_c(const margin_seco_cut *cut) {
    return cut->c;
}

static double gen_cut_estimate(const margin_seco_cut *cut) {
    return cut->estimate;
}

/* Errors of lists of 0, 1, ... cuts, up to one more than the list has; none if they were not cross-validated. */
static void gen_tell_nested(gen_told *told, const margin_seco_report *info) {
    double values[MARGIN_LIST_MOST];
    const size_t count = info->divisions == 0                ? 0
                         : info->cuts + 2 < MARGIN_LIST_MOST ? info->cuts + 2
                                                             : MARGIN_LIST_MOST;
    size_t j;
    for (j = 0; j < count; j++) { values[j] = info->nested[j]; }
    gen_tell_array(told, "nested_cv_error", values, count, 0);
}

static void gen_tell_seco(gen_told *told, const margin_seco_report *info) {
    gen_tell(told, "cuts", (double)info->cuts);
    gen_tell(told, "cuts_end", info->end);
    gen_tell_cuts(told, "cut_sign", info, gen_cut_sign);
    gen_tell_cuts(told, "cut_coverage", info, gen_cut_covered);
    gen_tell_cuts(told, "cut_error", info, gen_cut_error);
    gen_tell_cuts(told, "cut_margin", info, gen_cut_margin);
    gen_tell_cuts(told, "cut_c", info, gen_cut_c);
    gen_tell_cuts(told, "cut_estimate", info, gen_cut_estimate);
    gen_tell(told, "candidates", (double)info->candidates);
    gen_tell(told, "runaways", (double)info->runaways);
    gen_tell(told, "assessed", (double)info->assessed);
    gen_tell(told, "plain_cv_error", info->plain_error);
    gen_tell_nested(told, info);
    gen_tell(told, "left_cv_error", info->left_error);
    gen_tell(told, "left_c", info->left_c);
    gen_tell(told, "c0", info->c0);
    gen_tell(told, "c1", info->c1);
}

static margin_status gen_train_seco(gen_work *work) {
    const margin_data *data = &work->data;
    const gen_choice *choice = work->choice;
    margin_seco_options options;
    margin_seco_report report;
    margin_status status;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel_or_rbf(choice);
    options.cheap = gen_option(choice, "cheap") != 0;
    options.greedy = gen_option(choice, "greedy") != 0;
    options.bounds = true;
    options.starts = (size_t)gen_option(choice, "starts");
    options.assess = (size_t)gen_option(choice, "assess");
    options.most = (size_t)gen_option(choice, "most-cuts");
    options.left = (size_t)gen_option(choice, "min-left");
    options.coverage = gen_option(choice, "min-coverage");
    options.easy = gen_option(choice, "easy");
    options.folds = (size_t)gen_option(choice, "inner-folds");
    options.seed = (uint32_t)gen_option(choice, "seed");
    options.tol = gen_option(choice, "tol");
    options.max_iterations = gen_max_iterations(work);
    options.watch = gen_watching(work);
    if (work->classes > 2) { return MARGIN_E_TWO_CLASSES; }
    if (!gen_arena(work, margin_seco_train_size(data->n, data->d, work->classes, &options), &mem)) {
        return MARGIN_E_MEMORY;
    }
    status = margin_seco_train(data, &options, &mem, &work->machine->model, &work->info, &report);
    if (status >= 0) { gen_tell_seco(&work->told, &report); }
    return status;
}

/* The decomposition of the error, and who decides how much. */
static margin_status gen_measure_seco(const gen_machine *machine, const margin_data *rows,
                                      const double *targets, gen_told *told) {
    const margin_list *list = &machine->model.of.list;
    margin_list_table table;
    const margin_status status = margin_list_assess(rows, list, &table);
    double share[MARGIN_LIST_MOST];
    size_t j;
    (void)targets;
    if (status < 0) { return status; }
    for (j = 0; j < list->pool.width; j++) {
        share[j] = (double)table.decided[j] / (double)table.samples;
    }
    gen_tell(told, "fraction_cut", table.fraction_cut);
    gen_tell(told, "error_cut", table.error_cut);
    gen_tell(told, "fraction_left", table.fraction_left);
    gen_tell(told, "error_left", table.error_left);
    gen_tell(told, "cost", table.cost);
    gen_tell_array(told, "decided", share, list->pool.width, 0);
    return MARGIN_OK;
}

/* Pairs of rates on the frontier: eta_pos, and the least eta_neg that goes with it. */
static void gen_tell_frontier(gen_work *work, const margin_rates_options *options,
                              margin_arena *mem) {
    const double *asked = gen_given(work->choice, "frontier");
    const bool small = options->kernel.kind == MARGIN_KERNEL_LINEAR || work->data.n <= 500;
    const size_t count = asked != NULL ? (size_t)*asked : small ? 20 : 0;
    double *eta = count == 0 ? NULL : (double *)malloc(4 * count * sizeof *eta);
    size_t i;
    if (eta == NULL) { return; }
    for (i = 0; i < count; i++) { eta[i] = (double)(i + 1) / (double)count; }
    if (margin_rates_frontier(&work->data, options, mem, eta, eta + count, count) == MARGIN_OK) {
        for (i = 0; i < count; i++) {
            eta[2 * count + 2 * i] = eta[i];
            eta[2 * count + 2 * i + 1] = eta[count + i];
        }
        gen_tell_array(&work->told, "frontier", eta + 2 * count, 2 * count, 2);
    }
    free(eta);
}

static void gen_tell_rates(gen_told *told, const margin_rates_report *r) {
    gen_tell_truth(told, "feasible", r->feasible);
    gen_tell(told, "p_star", r->p_star);
    gen_tell(told, "touch", r->touch);
    gen_tell(told, "eta_pos_touch", r->eta_pos_touch);
    gen_tell(told, "eta_neg_touch", r->eta_neg_touch);
    gen_tell(told, "kappa_pos", r->kappa_pos);
    gen_tell(told, "kappa_neg", r->kappa_neg);
    gen_tell(told, "ridge", r->ridge);
    gen_tell(told, "rank", (double)r->rank);
    gen_tell(told, "condition_pos", r->condition_pos); /* 0: singular */
    gen_tell(told, "condition_neg", r->condition_neg);
    gen_tell(told, "factorisations", (double)r->factorisations);
}

static void gen_tell_machine(gen_work *work, const margin_rates_report *r) {
    gen_tell(&work->told, "slack_pos", r->slack_pos);
    gen_tell(&work->told, "slack_neg", r->slack_neg);
    gen_tell(&work->told, "spread_pos", r->spread_pos);
    gen_tell(&work->told, "spread_neg", r->spread_neg);
    gen_tell(&work->told, "gap", work->info.gap);
    gen_tell(&work->told, "kkt", work->info.violation);
}

static margin_status gen_train_rates(gen_work *work) {
    const margin_data *data = &work->data;
    margin_rates_options options;
    margin_rates_report report;
    margin_status status;
    margin_arena mem;
    clock_t start;
    memset(&options, 0, sizeof options);
    options.kernel = gen_kernel(work->choice);
    options.eta_pos = gen_option(work->choice, "eta-pos");
    options.eta_neg = gen_option(work->choice, "eta-neg");
    options.nu_pos = gen_option(work->choice, "nu-pos");
    options.nu_neg = gen_option(work->choice, "nu-neg");
    options.ridge = gen_option(work->choice, "ridge");
    options.solver = (uint8_t)gen_option(work->choice, "solver");
    options.tol = gen_option(work->choice, "tol");
    options.max_iterations = gen_max_iterations(work);
    options.watch = gen_watching(work);
    if (work->classes != 2) { return MARGIN_E_TWO_CLASSES; }
    if (!gen_arena(work, margin_rates_train_size(data->n, data->d, work->classes, &options),
                   &mem)) {
        return MARGIN_E_MEMORY;
    }
    gen_tell_frontier(work, &options, &mem);
    start = clock();
    status = margin_rates_train(data, &options, &mem, &work->machine->model, &work->info, &report);
    gen_tell(&work->told, "solver_seconds", (double)(clock() - start) / CLOCKS_PER_SEC);
    gen_tell(&work->told, "eta_pos", options.eta_pos > 0 ? options.eta_pos : 0.5);
    gen_tell(&work->told, "eta_neg", options.eta_neg > 0 ? options.eta_neg : 0.5);
    if (status >= 0 || status == MARGIN_E_INFEASIBLE) { gen_tell_rates(&work->told, &report); }
    if (status >= 0) { gen_tell_machine(work, &report); }
    return status;
}

/* ---- prototypes ---- */

/* Tangents of a prototype: five, but no more than a quarter of the features. Along as many tangents as
 * there are features less one all classes come near to every sample. */
static uint16_t gen_tangents(const gen_work *work) {
    const double *given = gen_given(work->choice, "tangents");
    const size_t quarter = work->data.d / 4;
    return given != NULL ? (uint16_t)*given
                         : (uint16_t)(quarter < 1   ? 1
                                      : quarter > 5 ? 5
                                                    : quarter);
}

/* Trains from several random starts and keeps the one with the largest objective, a mean margin. The
 * first start that fails or is stopped ends it. */
static margin_status gen_proto_starts(gen_work *work, margin_proto_options *options,
                                      margin_proto_report *report) {
    const margin_data *data = &work->data;
    const size_t starts = (size_t)gen_option(work->choice, "starts");
    margin_status status = MARGIN_OK, kept = MARGIN_OK;
    size_t i;
    for (i = 0; i == 0 || (i < starts && status >= 0 && status != MARGIN_W_STOPPED); i++) {
        void *best = work->machine->bytes[1];
        margin_model model;
        margin_info info;
        margin_proto_report own;
        margin_arena mem;
        status = MARGIN_E_MEMORY;
        if (gen_arena(work, margin_proto_train_size(data->n, data->d, work->classes, options),
                      &mem)) {
            status = margin_proto_train(data, options, &mem, &model, &info, &own);
        }
        options->seed++;
        if (status >= 0 && (i == 0 || info.objective > work->info.objective)) {
            kept = status;
            work->machine->model = model;
            work->info = info;
            *report = own;
        } else { /* what was trained before stays */
            void *worse = work->machine->bytes[1];
            work->machine->bytes[1] = best;
            best = worse;
        }
        free(best);
    }
    return status >= 0 && status != MARGIN_W_STOPPED ? kept : status;
}

static margin_status gen_train_proto(gen_work *work, unsigned method) {
    const gen_choice *choice = work->choice;
    const bool codebook = method == MARGIN_PROTO_LVQ || method == MARGIN_PROTO_OLVQ1;
    margin_proto_options options;
    margin_proto_report report;
    margin_status status;
    memset(&options, 0, sizeof options);
    options.method = (uint8_t)method;
    options.start = (uint8_t)gen_option(choice, "start");
    options.plain = gen_option(choice, "plain") != 0;
    options.even = gen_option(choice, "even") != 0;
    options.models = codebook && gen_given(choice, "models") == NULL
                         ? 8
                         : (uint16_t)gen_option(choice, "models");
    options.tangents = gen_tangents(work);
    options.theta = gen_given(choice, "theta") != NULL && gen_option(choice, "theta") == 0
                        ? MARGIN_ZERO
                        : gen_option(choice, "theta");
    options.rate = gen_option(choice, "rate");
    options.window = gen_option(choice, "window");
    options.validation = gen_option(choice, "validation");
    options.neighbours = (uint16_t)gen_option(choice, "neighbours");
    options.budget = (size_t)gen_option(choice, "budget");
    options.seed = (uint32_t)gen_option(choice, "seed");
    options.max_iterations = (size_t)gen_option(choice, "iterations");
    options.watch = gen_watching(work);
    status = gen_proto_starts(work, &options, &report);
    if (status >= 0) {
        gen_tell(&work->told, "prototypes", (double)work->machine->model.of.proto.n);
        gen_tell(&work->told, "tangents", work->machine->model.of.proto.tangents);
        gen_tell(&work->told, "theta_mistakes", (double)report.mistakes);
        gen_tell(&work->told, "uneven", report.uneven);
    }
    return status;
}

static margin_status gen_train_tvq(gen_work *work) {
    return gen_train_proto(work, MARGIN_PROTO_TVQ);
}

static margin_status gen_train_hss(gen_work *work) {
    return gen_train_proto(work, MARGIN_PROTO_HSS);
}

static margin_status gen_train_lvq(gen_work *work) {
    const bool one = gen_option(work->choice, "olvq1") != 0;
    return gen_train_proto(work, one ? MARGIN_PROTO_OLVQ1 : MARGIN_PROTO_LVQ);
}

static margin_status gen_train_td(gen_work *work) {
    return gen_train_proto(work, MARGIN_PROTO_TD);
}

static margin_status gen_train_nn(gen_work *work) {
    return gen_train_proto(work, MARGIN_PROTO_NN);
}

/* ---- learned vectors ---- */

static margin_status gen_train_compact(gen_work *work) {
    const margin_data *data = &work->data;
    const gen_choice *choice = work->choice;
    const double *noise = gen_given(choice, "noise"), *decay = gen_given(choice, "decay");
    const double *loss = gen_given(choice, "loss");
    margin_compact_options options;
    margin_compact_report report;
    margin_status status;
    margin_arena mem;
    memset(&options, 0, sizeof options);
    options.kernel = (uint8_t)gen_option(choice, "kernel");
    options.loss = (uint8_t)(loss == NULL ? 0 : *loss + MARGIN_COMPACT_HINGE);
    options.exact = gen_option(choice, "exact") != 0;
    options.vectors = (uint16_t)gen_option(choice, "vectors");
    options.rank = (uint16_t)gen_option(choice, "rank");
    options.features = (uint16_t)gen_option(choice, "features");
    options.noise = noise == NULL ? 0 : *noise > 0 ? *noise : MARGIN_ZERO;
    options.rate = gen_option(choice, "rate");
    options.decay = decay == NULL ? 0 : *decay > 0 ? *decay : MARGIN_ZERO;
    options.members = (uint16_t)gen_option(choice, "members");
    options.seed = (uint32_t)gen_option(choice, "seed");
    options.max_iterations = (size_t)gen_option(choice, "iterations");
    options.watch = gen_watching(work);
    if (!gen_arena(work, margin_compact_train_size(data->n, data->d, work->classes, &options),
                   &mem)) {
        return options.vectors > data->n ? MARGIN_E_VECTORS
               : options.rank >= data->d ? MARGIN_E_RANK
                                         : MARGIN_E_MEMORY;
    }
    status =
        margin_compact_train(data, &options, &mem, &work->machine->model, &work->info, &report);
    if (status >= 0) {
        gen_tell(&work->told, "vectors", (double)work->info.support);
        gen_tell(&work->told, "noise", report.noise);
        gen_tell(&work->told, "decay", report.decay);
        gen_tell(&work->told, "members", (double)report.members);
        gen_tell(&work->told, "passes", (double)report.passes);
        gen_tell(&work->told, "held", report.held_out_error);
    }
    return status;
}

#define GEN_CURVE 41

/* Margins of rows, and how many are rejected and how many wrong where winners by less than at[j] are
 * rejected. */
typedef struct {
    const margin_vote *vote;
    const uint16_t *y;
    double *margins;
    double at[GEN_CURVE], rejected[GEN_CURVE], wrong[GEN_CURVE];
} gen_curve;

static void gen_take_curve(void *user, size_t i, size_t row, margin_real *scores) {
    gen_curve *curve = (gen_curve *)user;
    const margin_vote *vote = curve->vote;
    const uint16_t winner = margin_elect(vote->scheme, vote->classes, scores);
    const double clear = margin_margin(vote->scheme, vote->classes, scores, winner);
    size_t j;
    curve->margins[i] = margin_margin(vote->scheme, vote->classes, scores, curve->y[row]);
    for (j = 0; j < GEN_CURVE; j++) {
        curve->rejected[j] += clear < curve->at[j];
        curve->wrong[j] += clear >= curve->at[j] && winner != curve->y[row];
    }
}

/* Curves for drawing: the cumulative distribution of the margins, and what rejection buys. */
static margin_status gen_measure_proto(const gen_machine *machine, const margin_data *rows,
                                       const double *targets, gen_told *told) {
    double at[GEN_CURVE], share[GEN_CURVE];
    margin_status status = MARGIN_E_MEMORY;
    gen_curve curve;
    size_t j;
    (void)targets;
    memset(&curve, 0, sizeof curve);
    curve.vote = margin_model_vote(&machine->model);
    curve.y = rows->y;
    curve.margins = (double *)malloc(rows->n * sizeof *curve.margins);
    for (j = 0; j < GEN_CURVE; j++) {
        at[j] = -1 + 2.0 * (double)j / (GEN_CURVE - 1);
        curve.at[j] = (double)j / (GEN_CURVE - 1);
    }
    if (curve.margins != NULL) {
        status = gen_ask(machine, rows->x, rows->rows, rows->n, gen_take_curve, &curve);
    }
    for (j = 0; j < GEN_CURVE; j++) {
        curve.rejected[j] /= (double)rows->n;
        curve.wrong[j] /= (double)rows->n;
    }
    if (status >= 0) {
        margin_cumulative(curve.margins, rows->n, at, GEN_CURVE, share);
        gen_tell_array(told, "margin_at", at, GEN_CURVE, 0);
        gen_tell_array(told, "margin_share", share, GEN_CURVE, 0);
        gen_tell_array(told, "reject_at", curve.at, GEN_CURVE, 0);
        gen_tell_array(told, "reject_share", curve.rejected, GEN_CURVE, 0);
        gen_tell_array(told, "reject_error", curve.wrong, GEN_CURVE, 0);
    }
    free(curve.margins);
    return status;
}

static const gen_method gen_methods[] = {
    {"mam", gen_train_mam, NULL, false},
    {"kmomd", gen_train_kmomd, NULL, false},
    {"svm", gen_train_svm, NULL, false},
    {"rates", gen_train_rates, NULL, false},
    {"omam", gen_train_omam, gen_measure_ordinal, false},
    {"lssvm", gen_train_lssvm, gen_measure_ordinal, false},
    {"seco", gen_train_seco, gen_measure_seco, false},
    {"tvq", gen_train_tvq, gen_measure_proto, false},
    {"hss", gen_train_hss, gen_measure_proto, false},
    {"lvq", gen_train_lvq, gen_measure_proto, false},
    {"td", gen_train_td, gen_measure_proto, false},
    {"nn", gen_train_nn, gen_measure_proto, false},
    {"compact", gen_train_compact, NULL, false},
    {"oneclass", gen_train_oneclass, gen_measure_oneclass, true},
    {"svr", gen_train_svr, gen_measure_svr, false},
};

static const gen_method *gen_method_of(const char *name) {
    size_t i;
    for (i = 0; i < sizeof gen_methods / sizeof *gen_methods; i++) {
        if (strcmp(gen_methods[i].name, name) == 0) { return &gen_methods[i]; }
    }
    return NULL;
}
