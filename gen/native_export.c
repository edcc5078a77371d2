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

static margin_status gen_quant_make(gen_quant *q, const gen_rows *rows, const double *weight,
                                    int32_t format, int32_t whole) {
    margin_data raw = gen_view(rows);
    margin_quant_options options;
    margin_arena mem;
    size_t size;
    raw.weight = weight;
    memset(&options, 0, sizeof options);
    options.format = (uint8_t)format;
    options.whole = whole != 0;
    size = margin_quantize_size(&q->from, &options) + MARGIN_ALIGN;
    q->bytes[1] = malloc(size);
    mem = margin_arena_make(q->bytes[1], size);
    return margin_quantize(&q->from, &raw, &options, &mem, &q->quant, &q->info);
}

/* The model of an image in integers, for raw values like those of the rows, of which the last `ends`
 * tell nothing but ranges. */
int32_t gen_quantize(const void *image, int64_t size, const gen_rows *rows, int64_t ends,
                     int32_t format, int32_t whole, gen_quant **out) {
    gen_quant *q = (gen_quant *)calloc(1, sizeof *q);
    double *weight = (double *)malloc((size_t)rows->n * sizeof *weight);
    margin_status status = MARGIN_E_MEMORY;
    int64_t i;
    if (q != NULL && weight != NULL) {
        for (i = 0; i < rows->n; i++) { weight[i] = i < rows->n - ends ? 1.0 : 0.0; }
        status = gen_load(image, size, &q->bytes[0], &q->from);
    }
    if (status >= 0) { status = gen_quant_make(q, rows, weight, format, whole); }
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

/* The model of an image with at most so many vectors, fitted to the rows (NULL: to its own vectors);
 * report: vectors, rows looked at, rows with another label, worst and root mean square change. */
int32_t gen_compress(const void *image, int64_t size, const gen_rows *rows, int64_t vectors,
                     double noise, double report[5], gen_machine **out) {
    gen_machine *machine = (gen_machine *)calloc(1, sizeof *machine);
    margin_model from;
    margin_data raw;
    margin_compress_info info;
    margin_arena mem;
    margin_status status = MARGIN_E_MEMORY;
    memset(&raw, 0, sizeof raw);
    memset(&info, 0, sizeof info);
    if (machine != NULL) { status = gen_load(image, size, &machine->bytes[0], &from); }
    if (status >= 0) {
        const size_t room = margin_compress_size(&from, (size_t)vectors) + MARGIN_ALIGN;
        machine->bytes[1] = malloc(room);
        mem = margin_arena_make(machine->bytes[1], room);
        if (rows != NULL) { raw = gen_view(rows); }
        status = margin_compress(&from, rows == NULL ? NULL : &raw, (size_t)vectors, noise, &mem,
                                 &machine->model, &info);
    }
    if (status < 0) {
        gen_free(machine);
        return status;
    }
    gen_look(machine);
    report[0] = (double)info.vectors;
    report[1] = (double)info.samples;
    report[2] = (double)info.changed;
    report[3] = info.worst;
    report[4] = info.rms;
    *out = machine;
    return status;
}
