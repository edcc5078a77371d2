/* native_export.c -- part of native.c: integer models, and smaller ones. In double only. */

/* A model of an image in this library's precision. */
static margin_status gen_load(const void *image, int64_t size, void **bytes, margin_model *model) {
    const size_t room = margin_image_load_size(image, (size_t)size) + MARGIN_ALIGN;
    margin_arena mem;
    *bytes = malloc(room);
    mem = margin_arena_make(*bytes, room);
    return margin_image_load(image, (size_t)size, &mem, model);
}

typedef struct {
    margin_quant quant;
    margin_quant_info info;
    margin_model from;
    void *bytes[2];
} gen_quant;

void gen_quant_free(gen_quant *q) {
    if (q != NULL) {
        free(q->bytes[0]);
        free(q->bytes[1]);
        free(q);
    }
}

static margin_status gen_quant_make(gen_quant *q, const margin_data *raw, int32_t format,
                                    int32_t whole) {
    margin_quant_options options;
    margin_arena mem;
    size_t size;
    memset(&options, 0, sizeof options);
    options.format = (uint8_t)format;
    options.whole = whole != 0;
    size = margin_quantize_size(&q->from, &options) + MARGIN_ALIGN;
    free(q->bytes[1]);
    q->bytes[1] = malloc(size);
    mem = margin_arena_make(q->bytes[1], size);
    return margin_quantize(&q->from, raw, &options, &mem, &q->quant, &q->info);
}

/* ---- coefficients for rounded vectors ---- */

/* A model that answers numbers is as good as its scores are exact, and rounding its vectors to 8 bits
 * moves these more than anything else does; with poly, whose terms are large and nearly cancel each
 * other, rounding to 16 bits does as well. So the coefficients are fitted to the vectors as they are
 * rounded: what the scores have moved by, at the vectors before rounding and at the rows, is taken
 * back by a change of the coefficients and of the bias. Conjugate gradients for least squares, ended
 * early: they take the directions first that scores depend on most, and leave the others alone. Poly
 * needs more steps, and gets them where they take no more than seconds. */
enum {
    GEN_REFIT_STEPS = 100,
    GEN_REFIT_POLY = 600,
    GEN_REFIT_ROUNDS = 3,
    GEN_REFIT_MOST = 30000000,
    GEN_REFIT_PRODUCTS = 1500000000
};

typedef struct {
    const margin_expansion *from;
    const margin_data *raw;
    size_t n, d, m;      /* vectors; features; samples, which are the vectors and the rows */
    double *k;           /* m x (n + 1): kernel values of rounded vectors, and 1 for the bias */
    double *rounded;     /* n x d */
    double *x;           /* d: a sample, scaled */
    double *moved;       /* n + 1: coefficients and bias, what is added to them, */
    double *slope, *way; /* n + 1: the gradient by them, and where the step goes */
    double *want, *left; /* m: the scores that are wanted, and what is left to them */
    double *along;       /* m: by how much a step changes scores */
} gen_refit;

static bool gen_refit_make(gen_refit *r, const margin_model *from, const margin_data *raw) {
    const size_t n = from->of.expansion.n, d = from->of.expansion.d;
    r->from = &from->of.expansion;
    r->raw = raw;
    r->n = n;
    r->d = d;
    r->m = mgn_size_min(n + raw->n, GEN_REFIT_MOST / (n + 1u));
    r->k = (double *)malloc(r->m * (n + 1u) * sizeof *r->k);
    r->rounded = (double *)malloc((n * d + d + 3u * (n + 1u) + 3u * r->m) * sizeof *r->rounded);
    if (r->k == NULL || r->rounded == NULL) { return false; }
    r->x = r->rounded + n * d;
    r->moved = r->x + d;
    r->slope = r->moved + n + 1u;
    r->way = r->slope + n + 1u;
    r->want = r->way + n + 1u;
    r->left = r->want + r->m;
    r->along = r->left + r->m;
    return true;
}

/* Sample i, scaled: spread over vectors and rows where these are too many. */
static const double *gen_refit_sample(const gen_refit *r, size_t i) {
    const size_t at = (size_t)((double)i * (double)(r->n + r->raw->n) / (double)r->m);
    const margin_scaling scaling = {r->from->offset, r->from->factor, r->d};
    if (at < r->n) { return r->from->vectors + at * r->d; }
    if (r->from->offset == NULL) { return r->raw->x + (at - r->n) * r->d; }
    margin_scaling_row(&scaling, r->raw->x + (at - r->n) * r->d, r->x);
    return r->x;
}

/* What vectors of zeros stand for in feature k, scaled. */
static double gen_refit_zero(const gen_refit *r, const gen_quant *q, size_t k) {
    const margin_stage_q *stage = q->quant.model.of.expansion.stage;
    const double own = r->from->offset != NULL ? r->from->offset[k] : 0;
    const double factor = r->from->offset != NULL ? r->from->factor[k] : 1;
    double raw = q->quant.input.offset != NULL ? q->quant.input.offset[k] : 0;
    if (stage != NULL && stage->factor[k] != 0) {
        const double half =
            stage->shift[k] > 0 ? (double)(UINT32_C(1) << (stage->shift[k] - 1u)) : 0;
        raw = (half - stage->offset[k]) / stage->factor[k];
    }
    return (raw - own) * factor;
}

/* The vectors as they are rounded, for scaled inputs. rbf has a centre and steps; of other kernels it
 * is the multiple of the integers that comes closest, and unit kernels do not depend on that. */
static void gen_refit_round(const gen_refit *r, const gen_quant *q) {
    const margin_expansion_q *e = &q->quant.model.of.expansion;
    const bool rbf = e->kernel.kind == MARGIN_KERNEL_RBF;
    double dot = 0, square = 0, unit;
    size_t v, k;
    for (v = 0; v < r->n; v++) {
        for (k = 0; k < r->d; k++) {
            const double whole = mgn_q_element(e, v, k);
            r->rounded[v * r->d + k] = whole;
            dot += r->from->vectors[v * r->d + k] * whole;
            square += whole * whole;
        }
    }
    unit = square > 0 ? dot / square : 1;
    if (rbf) { /* gain 2^up / 2^40 = gamma unit^2 / log 2, see mgn_q_choose_gain */
        const double rate =
            e->kernel.gain * (double)(UINT64_C(1) << e->kernel.up) / 1099511627776.0;
        unit = mgn_sqrt(rate * 0.69314718055994531 / r->from->kernel.gamma);
    }
    for (v = 0; v < r->n; v++) {
        const double step = !rbf ? 1 : e->steps != NULL ? e->steps[v] : e->kernel.step;
        for (k = 0; k < r->d; k++) {
            double *at = r->rounded + v * r->d + k;
            *at = (rbf ? gen_refit_zero(r, q, k) : 0) + unit * step * *at;
        }
    }
}

/* Kernel values of the rounded vectors; and, the first time, the scores that are wanted. */
static void gen_refit_values(gen_refit *r, bool first) {
    const margin_kernel *kernel = &r->from->kernel;
    size_t i, v;
    for (i = 0; i < r->m; i++) {
        const double *x = gen_refit_sample(r, i);
        double *row = r->k + i * (r->n + 1u);
        double want = r->from->bias[0];
        for (v = 0; v < r->n; v++) {
            row[v] = margin_kernel_value(kernel, r->rounded + v * r->d, x, r->d);
            if (first) {
                want += r->from->coef[v] *
                        margin_kernel_value(kernel, r->from->vectors + v * r->d, x, r->d);
            }
        }
        row[r->n] = 1;
        if (first) { r->want[i] = want; }
        r->left[i] = r->want[i] - r->from->bias[0] - margin_dot(row, r->from->coef, r->n);
    }
}

/* The gradient; returns its square. */
static double gen_refit_slope(const gen_refit *r) {
    size_t i;
    memset(r->slope, 0, (r->n + 1u) * sizeof *r->slope);
    for (i = 0; i < r->m; i++) {
        margin_axpy(r->slope, r->left[i], r->k + i * (r->n + 1u), r->n + 1u);
    }
    return margin_dot(r->slope, r->slope, r->n + 1u);
}

static void gen_refit_solve(const gen_refit *r) {
    const bool poly = r->from->kernel.kind == MARGIN_KERNEL_POLY;
    const size_t most = poly ? GEN_REFIT_POLY : GEN_REFIT_STEPS;
    const size_t steps = mgn_size_min(most, GEN_REFIT_STEPS + GEN_REFIT_PRODUCTS / (r->m * r->n));
    double size = gen_refit_slope(r), began = size;
    size_t step, i;
    memset(r->moved, 0, (r->n + 1u) * sizeof *r->moved);
    memcpy(r->way, r->slope, (r->n + 1u) * sizeof *r->way);
    for (step = 0; step < steps && size > 1e-16 * began; step++) {
        double far, old = size;
        for (i = 0; i < r->m; i++) {
            r->along[i] = margin_dot(r->k + i * (r->n + 1u), r->way, r->n + 1u);
        }
        far = size / margin_dot(r->along, r->along, r->m);
        margin_axpy(r->moved, far, r->way, r->n + 1u);
        margin_axpy(r->left, -far, r->along, r->m);
        size = gen_refit_slope(r);
        for (i = 0; i < r->n + 1u; i++) { r->way[i] = r->slope[i] + size / old * r->way[i]; }
    }
}

/* The score of a row in integers, in units of floats. */
static double gen_refit_answer(const gen_quant *q, const double *row, int16_t *x, int16_t *work) {
    int32_t score;
    size_t k;
    for (k = 0; k < q->quant.input.d && q->quant.input.offset == NULL; k++) {
        x[k] = (int16_t)row[k];
    }
    if (q->quant.input.offset != NULL) { margin_input_q(&q->quant.input, row, x); }
    (void)margin_classify_q(&q->quant.model, x, work, &score);
    return score * q->quant.unit;
}

/* Makes up for the mean difference to the model before, on the rows, and measures what is left. */
static void gen_refit_level(gen_quant *q, const margin_data *raw, int16_t *x) {
    int32_t *bias = (int32_t *)(uintptr_t)q->quant.model.of.expansion.bias;
    const int32_t before = *bias;
    double mean = 0, count = 0;
    int32_t moved;
    size_t i;
    for (i = 0; i < raw->n; i++) {
        const double weight = raw->weight[i];
        double score;
        margin_scores(&q->from, raw->x + i * raw->d, &score);
        mean += weight * (score - gen_refit_answer(q, raw->x + i * raw->d, x, x + raw->d));
        count += weight;
    }
    moved = mgn_q_round(mean / mgn_max(count, 1) / q->quant.unit, -1073741824, 1073741824);
    if (mgn_abs(*bias) < 1073741824.0) { *bias += moved; }
    if (margin_model_check_q(&q->quant.model) != MARGIN_OK) { *bias = before; }
    q->info.worst = q->info.mean = 0;
    for (i = 0; i < raw->n; i++) {
        double score;
        margin_scores(&q->from, raw->x + i * raw->d, &score);
        score -= gen_refit_answer(q, raw->x + i * raw->d, x, x + raw->d);
        score = raw->weight[i] > 0 ? mgn_abs(score) : 0;
        q->info.worst = mgn_max(q->info.worst, score);
        q->info.mean += score / mgn_max(count, 1);
    }
}

/* Fits, and makes the integers anew; again where that has rounded the vectors in another way, since
 * their unit depends on the size of the coefficients. */
static margin_status gen_refit_rounds(gen_refit *r, gen_quant *q, int32_t whole, double *coef) {
    const margin_kernel_q *now = &q->quant.model.of.expansion.kernel;
    double *bias = (double *)(uintptr_t)r->from->bias;
    margin_status status = MARGIN_OK;
    int round;
    for (round = 0; round < GEN_REFIT_ROUNDS && status == MARGIN_OK; round++) {
        const uint16_t gain = now->gain;
        const uint8_t up = now->up;
        gen_refit_round(r, q);
        gen_refit_values(r, round == 0);
        gen_refit_solve(r);
        margin_axpy(coef, 1, r->moved, r->n);
        *bias += r->moved[r->n];
        status = gen_quant_make(q, r->raw, q->quant.model.of.expansion.format, whole);
        if (now->gain == gain && now->up == up) { break; }
    }
    return status;
}

static margin_status gen_refit_run(gen_quant *q, const margin_data *raw, int32_t whole) {
    const margin_expansion *e = &q->from.of.expansion;
    double *coef = (double *)(uintptr_t)e->coef, *bias = (double *)(uintptr_t)e->bias;
    double *before = (double *)malloc((e->n + 1u) * sizeof *before);
    int16_t *x = (int16_t *)malloc(2u * e->d * sizeof *x);
    margin_status status = MARGIN_E_MEMORY;
    gen_refit r = {0};
    if (before != NULL && x != NULL && gen_refit_make(&r, &q->from, raw)) {
        memcpy(before, coef, e->n * sizeof *before);
        before[e->n] = *bias;
        status = gen_refit_rounds(&r, q, whole, coef);
        memcpy(coef, before, e->n * sizeof *before);
        *bias = before[e->n];
    }
    if (status >= 0) { gen_refit_level(q, raw, x); }
    free(r.k);
    free(r.rounded);
    free(before);
    free(x);
    return status;
}

/* Whether the score of a model is a number that is to be met, by vectors that are rounded too much. */
static bool gen_refits(const margin_model *model, int32_t format) {
    const margin_vote *vote = margin_model_vote(model);
    const unsigned kernel = model->of.expansion.kernel.kind;
    return model->kind == MARGIN_MODEL_EXPANSION && vote->scheme == MARGIN_SCHEME_ORDINAL &&
           vote->classes == 1 && kernel != MARGIN_KERNEL_HINGE &&
           (format == MARGIN_Q7 || kernel == MARGIN_KERNEL_POLY);
}

/* The model of an image in integers, for raw values like those of the rows, of which the last `ends`
 * tell nothing but ranges. */
int32_t gen_quantize(const void *image, int64_t size, const gen_rows *rows, int64_t ends,
                     int32_t format, int32_t whole, gen_quant **out) {
    gen_quant *q = (gen_quant *)calloc(1, sizeof *q);
    double *weight = (double *)malloc((size_t)rows->n * sizeof *weight);
    margin_status status = MARGIN_E_MEMORY;
    margin_data raw = gen_view(rows);
    int64_t i;
    raw.weight = weight;
    if (q != NULL && weight != NULL) {
        for (i = 0; i < rows->n; i++) { weight[i] = i < rows->n - ends ? 1.0 : 0.0; }
        status = gen_load(image, size, &q->bytes[0], &q->from);
    }
    if (status >= 0) { status = gen_quant_make(q, &raw, format, whole); }
    if (status >= 0 && gen_refits(&q->from, format)) { status = gen_refit_run(q, &raw, whole); }
    free(weight);
    if (status < 0) {
        gen_quant_free(q);
    } else {
        *out = q;
    }
    return status;
}

/* The stage of an integer model, or that it has none, as a field of the struct and as arrays. */
static void gen_stage(gen_anatomy *a, const char *name, const margin_stage_q *stage, size_t d) {
    gen_number(a, name, stage != NULL, GEN_UINT8);
    gen_array(a, "stage_offset", stage == NULL ? NULL : stage->offset, d, GEN_INT32);
    gen_array(a, "stage_factor", stage == NULL ? NULL : stage->factor, d, GEN_INT16);
    gen_array(a, "stage_shift", stage == NULL ? NULL : stage->shift, d, GEN_UINT8);
}

/* As gen_dissect. */
static void gen_dissect_q(const margin_model_q *model, gen_anatomy *a) {
    const mgn_image_head head = mgn_head_of_q(model), *h = &head;
    memset(a, 0, sizeof *a);
    gen_number(a, "kind", model->kind, GEN_UINT8);
    switch (model->kind) {
        MGN_KINDS_Q(GEN_CASE)
    default:
        break;
    }
}

int64_t gen_quant_parts(const gen_quant *q, gen_part *out) {
    gen_anatomy a;
    gen_dissect_q(&q->quant.model, &a);
    memcpy(out, a.part, sizeof a.part);
    return a.count;
}

/* unit of the scores; worst, mean difference; mean |score|; rows with another label; rows limited */
void gen_quant_report(const gen_quant *q, double out[6]) {
    out[0] = q->quant.unit;
    out[1] = q->info.worst;
    out[2] = q->info.mean;
    out[3] = q->info.scale;
    out[4] = (double)q->info.disagree;
    out[5] = (double)q->info.limited;
}

/* From raw values to the inputs of the model, d of each; 0 if they go in as they are. */
int64_t gen_quant_input(const gen_quant *q, double *offset, double *factor) {
    const margin_scaling *input = &q->quant.input;
    if (input->offset == NULL) { return 0; }
    if (offset != NULL) {
        memcpy(offset, input->offset, input->d * sizeof *offset);
        memcpy(factor, input->factor, input->d * sizeof *factor);
    }
    return (int64_t)input->d;
}

/* Classes, all scores, how clear the class elected is (of two classes the score itself), and the
 * probabilities of all classes in 2^-15, of n rows of inputs. */
int32_t gen_quant_predict(const gen_quant *q, const int16_t *x, int64_t n, uint16_t *label,
                          int32_t *scores, int32_t *clear, uint16_t *chances) {
    const margin_model_q *model = &q->quant.model;
    const margin_vote_q *vote = margin_model_vote_q(model);
    const size_t d = q->quant.input.d;
    int32_t *spent = (int32_t *)malloc(vote->machines * sizeof *spent + (d + 1) * sizeof(int16_t));
    int16_t *work = (int16_t *)(spent + vote->machines);
    size_t i;
    if (spent == NULL) { return MARGIN_E_MEMORY; }
    for (i = 0; i < (size_t)n; i++) {
        int32_t *at = scores + i * vote->machines;
        uint16_t elected;
        label[i] = margin_classify_q(model, x + i * d, work, at);
        if (vote->scheme == MARGIN_SCHEME_NEAREST && vote->classes == 1) { /* see gen_is_near */
            label[i] = label[i] == 0 ? 1 : 0;
            clear[i] = (int32_t)vote->reject - at[0];
            continue;
        }
        elected = margin_elect_q(vote->scheme, vote->classes, at);
        clear[i] = vote->scheme == MARGIN_SCHEME_BINARY || vote->scheme == MARGIN_SCHEME_ORDINAL
                       ? at[0]
                       : margin_margin_q(vote->scheme, vote->classes, at, elected);
        memcpy(spent, at, vote->machines * sizeof *spent);
        margin_probabilities_q(vote, spent, chances + i * vote->classes);
    }
    free(spent);
    return MARGIN_OK;
}

/* The samples of a view, scaled as a model scales them. */
static double *gen_scaled(const margin_expansion *e, const margin_data *raw) {
    const margin_scaling scaling = {e->offset, e->factor, raw->d};
    double *x = (double *)malloc(raw->n * raw->d * sizeof *x);
    size_t i;
    for (i = 0; x != NULL && i < raw->n; i++) {
        margin_scaling_row(&scaling, raw->x + i * raw->d, x + i * raw->d);
    }
    return x;
}

/* The rbf machine of an image with its vectors moved to where they make the fewest mistakes on the
 * rows, in so many passes; `exact`: not rounded to q7 on the way. The work of `machine` is done when
 * its bytes are there. */
static margin_status gen_move_vectors(gen_machine *machine, margin_model *from,
                                      const margin_data *raw, int64_t passes, int32_t exact) {
    const margin_scaling scaling = {from->of.expansion.offset, from->of.expansion.factor, raw->d};
    margin_data data = *raw;
    margin_compact_options options;
    double *x = gen_scaled(&from->of.expansion, raw);
    margin_status status = MARGIN_E_MEMORY;
    size_t room;
    memset(&options, 0, sizeof options);
    from->of.expansion.offset = from->of.expansion.factor = NULL;
    data.x = x;
    options.start = from;
    options.exact = exact != 0;
    options.noise = 0.05;
    options.rate = 0.01;
    options.max_iterations = (size_t)passes;
    room = margin_compact_train_size(data.n, data.d, from->of.expansion.vote.classes, &options);
    machine->bytes[1] = x == NULL || room == 0 ? NULL : malloc(room + MARGIN_ALIGN);
    if (machine->bytes[1] != NULL) {
        margin_arena mem = margin_arena_make(machine->bytes[1], room + MARGIN_ALIGN);
        status = margin_compact_train(&data, &options, &mem, &machine->model, NULL, NULL);
        status = status < 0 ? status : margin_model_scale(&machine->model, &scaling, &mem);
    }
    free(x);
    return status;
}

int32_t gen_move(const void *image, int64_t size, const gen_rows *rows, int64_t passes,
                 int32_t exact, gen_machine **out) {
    gen_machine *machine = (gen_machine *)calloc(1, sizeof *machine);
    const margin_data raw = gen_view(rows);
    margin_model from;
    margin_status status = MARGIN_E_MEMORY;
    if (machine != NULL) { status = gen_load(image, size, &machine->bytes[0], &from); }
    if (status >= 0) { status = gen_move_vectors(machine, &from, &raw, passes, exact); }
    if (status < 0) {
        gen_free(machine);
        return status;
    }
    gen_look(machine);
    *out = machine;
    return status;
}

/* The model of an image with at most so many vectors, fitted to the rows (NULL: to its own vectors). */
int32_t gen_compress(const void *image, int64_t size, const gen_rows *rows, int64_t vectors,
                     double noise, gen_machine **out) {
    gen_machine *machine = (gen_machine *)calloc(1, sizeof *machine);
    margin_model from;
    margin_data raw;
    margin_arena mem;
    margin_status status = MARGIN_E_MEMORY;
    memset(&raw, 0, sizeof raw);
    if (machine != NULL) { status = gen_load(image, size, &machine->bytes[0], &from); }
    if (status >= 0) {
        const size_t room = margin_compress_size(&from, (size_t)vectors) + MARGIN_ALIGN;
        machine->bytes[1] = malloc(room);
        mem = margin_arena_make(machine->bytes[1], room);
        if (rows != NULL) { raw = gen_view(rows); }
        status = margin_compress(&from, rows == NULL ? NULL : &raw, (size_t)vectors, noise, &mem,
                                 &machine->model, NULL);
    }
    if (status < 0) {
        gen_free(machine);
        return status;
    }
    gen_look(machine);
    *out = machine;
    return status;
}
