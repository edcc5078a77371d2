/* native_export.c -- part of native.c: integer models, and smaller ones. In double only. */

/* A model of an image in this library's precision. */
static margin_status gen_load(const void *image, int64_t size, void **bytes, margin_model *model)
{
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

void gen_quant_free(gen_quant *q)
{
    if (q != NULL) {
        free(q->bytes[0]);
        free(q->bytes[1]);
        free(q);
    }
}

static margin_status gen_quant_make(gen_quant *q, const gen_rows *rows, int32_t format,
                                    int32_t whole)
{
    const margin_data raw = gen_view(rows);
    margin_quant_options options;
    margin_arena mem;
    size_t size;
    memset(&options, 0, sizeof options);
    options.format = (uint8_t)format;
    options.whole = whole != 0;
    size = margin_quantize_size(&q->from, &options) + MARGIN_ALIGN;
    q->bytes[1] = malloc(size);
    mem = margin_arena_make(q->bytes[1], size);
    return margin_quantize(&q->from, &raw, &options, &mem, &q->quant, &q->info);
}

/* The model of an image in integers, for raw values like those of the rows. */
int32_t gen_quantize(const void *image, int64_t size, const gen_rows *rows, int32_t format,
                     int32_t whole, gen_quant **out)
{
    gen_quant *q = (gen_quant *)calloc(1, sizeof *q);
    margin_status status = MARGIN_E_MEMORY;
    if (q != NULL) {
        status = gen_load(image, size, &q->bytes[0], &q->from);
    }
    if (status >= 0) {
        status = gen_quant_make(q, rows, format, whole);
    }
    if (status < 0) {
        gen_quant_free(q);
    } else {
        *out = q;
    }
    return status;
}

static const margin_stage_q *gen_stage(const gen_quant *q)
{
    return q->quant.model.kind == MARGIN_MODEL_LINEAR ? q->quant.model.of.linear.stage
                                                      : q->quant.model.of.expansion.stage;
}

/* kind, format, d, n, width, stage; kernel: kind, power, shift, up, gain, step, down, cut, reach,
 * add; vote: classes, machines, reject, shift, slope, down, scheme */
void gen_quant_numbers(const gen_quant *q, int64_t out[23])
{
    const margin_linear_q *l = &q->quant.model.of.linear;
    const margin_expansion_q *e = &q->quant.model.of.expansion;
    const bool linear = q->quant.model.kind == MARGIN_MODEL_LINEAR;
    const margin_vote_q *vote = margin_model_vote_q(&q->quant.model);
    memset(out, 0, 23 * sizeof *out);
    out[0] = q->quant.model.kind;
    out[1] = linear ? l->format : e->format;
    out[2] = linear ? l->d : e->d;
    out[5] = gen_stage(q) != NULL;
    if (!linear) {
        const margin_kernel_q *k = &e->kernel;
        out[3] = e->n;
        out[4] = e->width;
        out[6] = k->kind;
        out[7] = k->power;
        out[8] = k->shift;
        out[9] = k->up;
        out[10] = k->gain;
        out[11] = k->step;
        out[12] = k->down;
        out[13] = k->cut;
        out[14] = k->reach;
        out[15] = k->add;
    }
    out[16] = vote->classes;
    out[17] = vote->machines;
    out[18] = vote->reject;
    out[19] = vote->shift;
    out[20] = vote->slope;
    out[21] = vote->down;
    out[22] = vote->scheme;
}

/* unit of the scores; worst, mean difference; mean |score|; rows with another label; rows limited */
void gen_quant_report(const gen_quant *q, double out[6])
{
    out[0] = q->quant.unit;
    out[1] = q->info.worst;
    out[2] = q->info.mean;
    out[3] = q->info.scale;
    out[4] = (double)q->info.disagree;
    out[5] = (double)q->info.limited;
}

enum {
    GEN_Q_W,
    GEN_Q_BIAS,
    GEN_Q_VECTORS,
    GEN_Q_NORMS,
    GEN_Q_COEF,
    GEN_Q_CLASS_END,
    GEN_Q_STAGE_OFFSET,
    GEN_Q_STAGE_FACTOR,
    GEN_Q_STAGE_SHIFT
};

/* An array of an integer model: where, how many, and how wide, negative for signed; 0 if none. */
typedef struct {
    const void *at;
    size_t count;
    int bytes;
} gen_q_array;

static gen_q_array gen_q_some(const void *at, size_t count, int bytes)
{
    gen_q_array array;
    array.at = at;
    array.count = at == NULL ? 0 : count;
    array.bytes = bytes;
    return array;
}

static gen_q_array gen_q_stage_array(const margin_stage_q *stage, size_t d, int32_t which)
{
    if (stage == NULL) {
        return gen_q_some(NULL, 0, 0);
    }
    if (which == GEN_Q_STAGE_OFFSET) {
        return gen_q_some(stage->offset, d, -4);
    }
    return which == GEN_Q_STAGE_FACTOR ? gen_q_some(stage->factor, d, -2)
                                       : gen_q_some(stage->shift, d, 1);
}

static gen_q_array gen_q_array_of(const gen_quant *q, int32_t which)
{
    const margin_linear_q *l = &q->quant.model.of.linear;
    const margin_expansion_q *e = &q->quant.model.of.expansion;
    const bool linear = q->quant.model.kind == MARGIN_MODEL_LINEAR;
    const size_t d = linear ? l->d : e->d;
    const size_t machines = margin_model_vote_q(&q->quant.model)->machines;
    if (which >= GEN_Q_STAGE_OFFSET) {
        return gen_q_stage_array(gen_stage(q), d, which);
    }
    if (which == GEN_Q_BIAS) {
        return gen_q_some(linear ? l->bias : e->bias, machines, -4);
    }
    if (linear) {
        return gen_q_some(which == GEN_Q_W ? l->w : NULL, machines * d,
                          l->format == MARGIN_Q7 ? -1 : -2);
    }
    switch (which) {
    case GEN_Q_VECTORS:
        return gen_q_some(e->vectors, e->n * ((d + 1) / 2 * 2), e->format == MARGIN_Q7 ? -1 : -2);
    case GEN_Q_NORMS:
        return gen_q_some(e->norms, e->n, 2);
    case GEN_Q_COEF:
        return gen_q_some(e->coef, (size_t)e->n * e->width, -2);
    case GEN_Q_CLASS_END:
        return gen_q_some(e->class_end, margin_model_vote_q(&q->quant.model)->classes, 2);
    default:
        return gen_q_some(NULL, 0, 0);
    }
}

/* How many numbers an array has; their width in bytes, negative for signed; and, if `out` is not
 * NULL, the numbers. */
int64_t gen_quant_array(const gen_quant *q, int32_t which, int32_t *bytes, int32_t *out)
{
    const gen_q_array from = gen_q_array_of(q, which);
    size_t i;
    *bytes = from.bytes;
    for (i = 0; out != NULL && i < from.count; i++) {
        switch (from.bytes) {
        case -4:
            out[i] = ((const int32_t *)from.at)[i];
            break;
        case -2:
            out[i] = ((const int16_t *)from.at)[i];
            break;
        case -1:
            out[i] = ((const int8_t *)from.at)[i];
            break;
        case 2:
            out[i] = ((const uint16_t *)from.at)[i];
            break;
        default:
            out[i] = ((const uint8_t *)from.at)[i];
            break;
        }
    }
    return (int64_t)from.count;
}

/* From raw values to the inputs of the model, d of each; 0 if they go in as they are. */
int64_t gen_quant_input(const gen_quant *q, double *offset, double *factor)
{
    const margin_scaling *input = &q->quant.input;
    if (input->offset == NULL) {
        return 0;
    }
    if (offset != NULL) {
        memcpy(offset, input->offset, input->d * sizeof *offset);
        memcpy(factor, input->factor, input->d * sizeof *factor);
    }
    return (int64_t)input->d;
}

/* Classes, all scores, how clear the class elected is (of two classes the score itself), and its
 * probability in 2^-15, of n rows of inputs. */
int32_t gen_quant_predict(const gen_quant *q, const int16_t *x, int64_t n, uint16_t *label,
                          int32_t *scores, int32_t *clear, uint16_t *probability)
{
    const margin_model_q *model = &q->quant.model;
    const margin_vote_q *vote = margin_model_vote_q(model);
    const size_t d =
        model->kind == MARGIN_MODEL_LINEAR ? model->of.linear.d : model->of.expansion.d;
    int16_t *work = (int16_t *)malloc((d + 1) * sizeof *work);
    size_t i;
    if (work == NULL) {
        return MARGIN_E_MEMORY;
    }
    for (i = 0; i < (size_t)n; i++) {
        int32_t *at = scores + i * vote->machines;
        uint16_t elected;
        label[i] = margin_classify_q(model, x + i * d, work, at);
        elected = margin_elect_q(vote->scheme, vote->classes, at);
        clear[i] = vote->scheme == MARGIN_SCHEME_BINARY
                       ? at[0]
                       : margin_margin_q(vote->scheme, vote->classes, at, elected);
        probability[i] = margin_probability_q(vote, at, elected);
    }
    free(work);
    return MARGIN_OK;
}

/* The model of an image with at most so many vectors, fitted to the rows (NULL: to its own vectors);
 * report: vectors, rows looked at, rows with another label, worst and root mean square change. */
int32_t gen_compress(const void *image, int64_t size, const gen_rows *rows, int64_t vectors,
                     double report[5], gen_machine **out)
{
    gen_machine *machine = (gen_machine *)calloc(1, sizeof *machine);
    margin_model from;
    margin_data raw;
    margin_compress_info info;
    margin_arena mem;
    margin_status status = MARGIN_E_MEMORY;
    memset(&raw, 0, sizeof raw);
    if (machine != NULL) {
        status = gen_load(image, size, &machine->bytes[0], &from);
    }
    if (status >= 0) {
        const size_t room = margin_compress_size(&from, (size_t)vectors) + MARGIN_ALIGN;
        machine->bytes[1] = malloc(room);
        mem = margin_arena_make(machine->bytes[1], room);
        if (rows != NULL) {
            raw = gen_view(rows);
        }
        status = margin_compress(&from, rows == NULL ? NULL : &raw, (size_t)vectors, &mem,
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
