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

static margin_status gen_quant_make(gen_quant *q, const gen_rows *rows, const double *weight,
                                    int32_t format, int32_t whole)
{
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
                     int32_t format, int32_t whole, gen_quant **out)
{
    gen_quant *q = (gen_quant *)calloc(1, sizeof *q);
    double *weight = (double *)malloc((size_t)rows->n * sizeof *weight);
    margin_status status = MARGIN_E_MEMORY;
    int64_t i;
    if (q != NULL && weight != NULL) {
        for (i = 0; i < rows->n; i++) {
            weight[i] = i < rows->n - ends ? 1.0 : 0.0;
        }
        status = gen_load(image, size, &q->bytes[0], &q->from);
    }
    if (status >= 0) {
        status = gen_quant_make(q, rows, weight, format, whole);
    }
    free(weight);
    if (status < 0) {
        gen_quant_free(q);
    } else {
        *out = q;
    }
    return status;
}

/* ---- kinds in integers ---- what each is made of, as gen_dissect has it for floats ---- */

static void gen_stage_anatomy(gen_anatomy *a, const margin_stage_q *stage, size_t d)
{
    gen_number(a, "stage", stage != NULL, GEN_UINT8);
    gen_array(a, "stage_offset", stage == NULL ? NULL : stage->offset, d, GEN_INT32);
    gen_array(a, "stage_factor", stage == NULL ? NULL : stage->factor, d, GEN_INT16);
    gen_array(a, "stage_shift", stage == NULL ? NULL : stage->shift, d, GEN_UINT8);
}

static void gen_linear_anatomy_q(gen_anatomy *a, const margin_linear_q *l)
{
    gen_number(a, "d", l->d, GEN_UINT16);
    gen_array(a, "w", l->w, margin_functions(l->vote.scheme, l->vote.classes) * l->d,
              l->format == MARGIN_Q7 ? GEN_INT8 : GEN_INT16);
    gen_array(a, "bias", l->bias, l->vote.machines, GEN_INT32);
    gen_stage_anatomy(a, l->stage, l->d);
}

static void gen_kernel_anatomy_q(gen_anatomy *a, const margin_kernel_q *k)
{
    gen_number(a, "kernel", k->kind, GEN_UINT8);
    gen_number(a, "power", k->power, GEN_UINT8);
    gen_number(a, "kernel_shift", k->shift, GEN_UINT8);
    gen_number(a, "up", k->up, GEN_UINT8);
    gen_number(a, "gain", k->gain, GEN_UINT16);
    gen_number(a, "step", k->step, GEN_UINT16);
    gen_number(a, "kernel_down", k->down, GEN_UINT8);
    gen_number(a, "cut", k->cut, GEN_UINT32);
    gen_number(a, "reach", k->reach, GEN_UINT32);
    gen_number(a, "add", k->add, GEN_INT32);
}

/* Ends of classes are read where each machine tells two classes apart, and left out elsewhere. */
static void gen_expansion_anatomy_q(gen_anatomy *a, const margin_expansion_q *e)
{
    const size_t even = ((size_t)e->d + 1) / 2 * 2;
    const bool pairs =
        e->vote.scheme == MARGIN_SCHEME_ONE_ONE || e->vote.scheme == MARGIN_SCHEME_VOTES;
    gen_number(a, "n", e->n, GEN_UINT16);
    gen_number(a, "d", e->d, GEN_UINT16);
    gen_number(a, "width", e->width, GEN_UINT16);
    gen_array(a, "vectors", e->vectors, e->n * even, e->format == MARGIN_Q7 ? GEN_INT8 : GEN_INT16);
    gen_array(a, "norms", e->norms, e->n, GEN_UINT16);
    gen_array(a, "coef", e->coef, (size_t)e->n * e->width,
              e->scales != NULL ? GEN_INT8 : GEN_INT16);
    gen_array(a, "scales", e->scales, e->scales != NULL ? e->vote.machines : 0, GEN_UINT16);
    gen_array(a, "bias", e->bias, e->vote.machines, GEN_INT32);
    gen_array(a, "class_end", e->class_end, pairs ? e->vote.classes : 0, GEN_UINT16);
    gen_stage_anatomy(a, e->stage, e->d);
    gen_kernel_anatomy_q(a, &e->kernel);
}

static void gen_proto_anatomy_q(gen_anatomy *a, const margin_proto_q *p)
{
    const size_t rows = (size_t)p->n * (1 + (size_t)p->tangents), even = ((size_t)p->d + 1) / 2 * 2;
    gen_number(a, "n", p->n, GEN_UINT16);
    gen_number(a, "d", p->d, GEN_UINT16);
    gen_number(a, "tangents", p->tangents, GEN_UINT8);
    gen_number(a, "nth", p->nth, GEN_UINT8);
    gen_number(a, "up", p->up, GEN_UINT8);
    gen_number(a, "left", p->left, GEN_UINT8);
    gen_number(a, "reach", p->reach, GEN_UINT32);
    gen_array(a, "vectors", p->vectors, (rows + 3) / 4 * 4 * even,
              p->format == MARGIN_Q7 ? GEN_INT8 : GEN_INT16);
    gen_array(a, "constants", p->constants, rows, GEN_INT32);
    gen_array(a, "gains", p->gains, p->n, GEN_UINT16);
    gen_array(a, "downs", p->downs, p->n, GEN_UINT8);
    gen_array(a, "class_end", p->class_end, p->vote.classes, GEN_UINT16);
    gen_stage_anatomy(a, p->stage, p->d);
}

static void gen_list_anatomy_q(gen_anatomy *a, const margin_list_q *l)
{
    const margin_expansion_q *e = &l->pool;
    const size_t even = ((size_t)e->d + 1) / 2 * 2;
    gen_number(a, "n", e->n, GEN_UINT16);
    gen_number(a, "d", e->d, GEN_UINT16);
    gen_number(a, "width", e->width, GEN_UINT16);
    gen_array(a, "vectors", e->vectors, e->n > 0 ? e->n * even : (size_t)e->width * e->d,
              e->format == MARGIN_Q7 ? GEN_INT8 : GEN_INT16);
    gen_array(a, "norms", e->norms, e->n, GEN_UINT16);
    gen_array(a, "coef", e->coef, (size_t)e->n * e->width, GEN_INT16);
    gen_array(a, "scales", NULL, 0, GEN_UINT16);
    gen_array(a, "bias", e->bias, e->width, GEN_INT32);
    gen_array(a, "class_end", NULL, 0, GEN_UINT16);
    gen_stage_anatomy(a, e->stage, e->d);
    gen_kernel_anatomy_q(a, &e->kernel);
    gen_array(a, "cut_reach", l->reach, e->width, GEN_UINT16);
    gen_array(a, "target", l->target, e->width, GEN_UINT8);
}

static void gen_dissect_q(const margin_model_q *model, gen_anatomy *a)
{
    const margin_vote_q *vote = margin_model_vote_q(model);
    memset(a, 0, sizeof *a);
    gen_number(a, "kind", model->kind, GEN_UINT8);
    gen_number(a, "classes", vote->classes, GEN_UINT16);
    gen_number(a, "machines", vote->machines, GEN_UINT16);
    gen_number(a, "reject", vote->reject, GEN_INT32);
    gen_number(a, "shift", vote->shift, GEN_INT32);
    gen_number(a, "slope", vote->slope, GEN_INT16);
    gen_number(a, "down", vote->down, GEN_UINT8);
    gen_number(a, "scheme", vote->scheme, GEN_UINT8);
    switch (model->kind) {
    case MARGIN_MODEL_LINEAR:
        gen_linear_anatomy_q(a, &model->of.linear);
        break;
    case MARGIN_MODEL_EXPANSION:
        gen_expansion_anatomy_q(a, &model->of.expansion);
        break;
    case MARGIN_MODEL_PROTO:
        gen_proto_anatomy_q(a, &model->of.proto);
        break;
    case MARGIN_MODEL_LIST:
        gen_list_anatomy_q(a, &model->of.list);
        break;
    default:
        break;
    }
}

int64_t gen_quant_parts(const gen_quant *q, gen_part *out)
{
    gen_anatomy a;
    gen_dissect_q(&q->quant.model, &a);
    memcpy(out, a.part, sizeof a.part);
    return a.count;
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
    const size_t d = q->quant.input.d;
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
        clear[i] = vote->scheme == MARGIN_SCHEME_BINARY || vote->scheme == MARGIN_SCHEME_ORDINAL
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
                     double noise, double report[5], gen_machine **out)
{
    gen_machine *machine = (gen_machine *)calloc(1, sizeof *machine);
    margin_model from;
    margin_data raw;
    margin_compress_info info;
    margin_arena mem;
    margin_status status = MARGIN_E_MEMORY;
    memset(&raw, 0, sizeof raw);
    memset(&info, 0, sizeof info);
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
