/* native_import.c -- part of native.c: models of other programs. In double only. */

static const double *gen_copy(margin_arena *mem, const double *from, size_t count) {
    double *to = (double *)margin_arena_keep(mem, count, sizeof *to);
    if (to != NULL && from != NULL) { memcpy(to, from, count * sizeof *to); }
    return to;
}

/* A linear kernel needs no vectors: all that a machine says is one weighted sum of them. */
static const double *gen_collapse(margin_arena *mem, const gen_plain *plain,
                                  const margin_expansion *e) {
    const size_t machines = margin_machines(e->vote.scheme, e->vote.classes);
    double *w = (double *)margin_arena_keep(mem, machines * e->d, sizeof *w);
    double *say = (double *)margin_arena_scratch(mem, machines, sizeof *say);
    size_t c = 0, v, j;
    if (w == NULL || say == NULL) { return NULL; }
    memset(w, 0, machines * e->d * sizeof *w);
    for (v = 0; v < e->n; v++) {
        while (v >= plain->class_end[c]) { c++; }
        memset(say, 0, machines * sizeof *say);
        mgn_expansion_add(e, v, c, 1.0, say);
        for (j = 0; j < machines; j++) {
            margin_axpy(w + j * e->d, say[j], plain->vectors + v * e->d, e->d);
        }
    }
    return w;
}

static void gen_make_linear(margin_arena *mem, const gen_plain *plain, const double *w,
                            margin_model *model) {
    margin_linear *linear = &model->of.linear;
    const size_t machines = margin_machines((unsigned)plain->scheme, (size_t)plain->classes);
    model->kind = MARGIN_MODEL_LINEAR;
    linear->w = w;
    linear->bias = gen_copy(mem, plain->bias, machines);
    linear->d = (size_t)plain->d;
    linear->vote.classes = (uint16_t)plain->classes;
    linear->vote.scheme = (uint8_t)plain->scheme;
}

static margin_expansion gen_expansion(const gen_plain *plain) {
    margin_expansion e;
    memset(&e, 0, sizeof e);
    e.coef = plain->coef;
    e.vectors = plain->vectors;
    e.n = (size_t)plain->n;
    e.d = (size_t)plain->d;
    e.vote.classes = (uint16_t)plain->classes;
    e.vote.scheme = (uint8_t)plain->scheme;
    e.width = (uint16_t)(plain->classes <= 2 ? 1 : plain->classes - 1);
    if (e.vote.scheme == MARGIN_SCHEME_ONE_REST) { e.width = e.vote.classes; }
    e.kernel.kind = (uint8_t)plain->kernel;
    e.kernel.degree = (uint8_t)plain->degree;
    e.kernel.gamma = plain->gamma;
    e.kernel.coef0 = plain->coef0;
    return e;
}

static margin_status gen_make_expansion(margin_arena *mem, const gen_plain *plain,
                                        margin_model *model) {
    margin_expansion e = gen_expansion(plain);
    const margin_status status = margin_kernel_resolve(&e.kernel, e.d, &e.kernel);
    double *norms;
    uint32_t *ends;
    size_t i;
    if (status < 0) { return status; }
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

static margin_status gen_make_parts(const gen_plain *plain, gen_machine *machine) {
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
    if (status < 0 || mem.failed != 0) { return status < 0 ? status : (margin_status)mem.failed; }
    memset(&scaling, 0, sizeof scaling);
    scaling.d = d;
    if (plain->offset != NULL) {
        scaling.offset = gen_copy(&mem, plain->offset, d);
        scaling.factor = gen_copy(&mem, plain->factor, d);
    }
    return gen_unscale(machine, &scaling);
}

int32_t gen_make(const gen_plain *plain, gen_machine **out) {
    gen_machine *machine = (gen_machine *)calloc(1, sizeof *machine);
    const margin_status status = machine == NULL ? MARGIN_E_MEMORY : gen_make_parts(plain, machine);
    if (status < 0) {
        gen_free(machine);
    } else {
        *out = machine;
    }
    return status;
}
