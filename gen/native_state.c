/* native_state.c -- part of native.c: what Python keeps of models and learners, as bytes. In double
 * only. The bytes are for the machine that wrote them, and others of the same sizes and byte order. */

/* ---- a machine as bytes: its numbers and arrays in the order of >>kinds, with all their bits ---- */

/* Bytes on their way out (`from` is NULL) or in. Everything takes a multiple of 8 bytes. */
typedef struct {
    unsigned char *to; /* NULL: only counts */
    const unsigned char *from;
    size_t used, size;
    bool failed;
} gen_state;

static const uint32_t gen_state_mark = 0x316e676du; /* reads differently in the other byte order */

static void gen_state_number(gen_state *s, void *number, size_t size) {
    const size_t room = (size + 7u) / 8u * 8u;
    if (s->from != NULL && (s->failed || s->size - s->used < room)) {
        s->failed = true;
        return;
    }
    if (s->from != NULL) {
        memcpy(number, s->from + s->used, size);
    } else if (s->to != NULL) {
        memset(s->to + s->used, 0, room);
        memcpy(s->to + s->used, number, size);
    }
    s->used += room;
}

/* An array of so many bytes; on the way in it stays where it is, and their number is looked up. */
static const void *gen_state_array(gen_state *s, const void *array, size_t size) {
    uint64_t count = array == NULL ? 0 : size;
    size_t room;
    gen_state_number(s, &count, sizeof count);
    room = (size_t)(count + 7u) / 8u * 8u;
    if (s->from != NULL && (s->failed || count > s->size || s->size - s->used < room)) {
        s->failed = true;
        return NULL;
    }
    if (s->from != NULL) {
        array = count == 0 ? NULL : s->from + s->used;
    } else if (s->to != NULL && count != 0) {
        memset(s->to + s->used, 0, room);
        memcpy(s->to + s->used, array, (size_t)count);
    }
    s->used += room;
    return array;
}

#define GEN_STATE_ARRAY(field, element, count)                                                     \
    *(const void **)(void *)&m->field =                                                            \
        gen_state_array(s, m->field, s->from != NULL ? 0 : (count) * sizeof *m->field);
#define GEN_STATE_NUMBER(field, type, place) gen_state_number(s, &m->field, sizeof m->field);
#define GEN_STATE_CASE(number, type, member, FIELDS)                                               \
    case number: {                                                                                 \
        type *m = &model->of.member;                                                               \
        FIELDS(GEN_STATE_ARRAY, GEN_STATE_NUMBER, MGN_SKIP_S)                                      \
        break;                                                                                     \
    }

static void gen_state_walk(gen_state *s, margin_model *model) {
    uint32_t head[4];
    mgn_image_head of, *h = &of;
    head[0] = gen_state_mark;
    head[1] = sizeof(size_t);
    head[2] = MARGIN_MODEL_FORMAT;
    head[3] = s->from == NULL ? model->kind : 0;
    memset(&of, 0, sizeof of);
    if (s->from == NULL) { of = mgn_head_of(model); }
    gen_state_number(s, head, sizeof head);
    s->failed = s->failed || head[0] != gen_state_mark || head[1] != sizeof(size_t) ||
                head[2] != MARGIN_MODEL_FORMAT;
    model->kind = (uint8_t)head[3];
    switch (head[3]) {
        MGN_KINDS(GEN_STATE_CASE)
    default:
        s->failed = true;
        break;
    }
    (void)h;
}

/* Writes the state of a machine to `out`, or counts with NULL; returns its bytes. */
int64_t gen_state_write(const gen_machine *machine, void *out) {
    margin_model copy = machine->model;
    gen_state s;
    memset(&s, 0, sizeof s);
    s.to = (unsigned char *)out;
    gen_state_walk(&s, &copy);
    return (int64_t)s.used;
}

/* A machine with the bits of the one whose state this is. */
int32_t gen_state_read(const void *bytes, int64_t size, gen_machine **out) {
    gen_machine *machine = (gen_machine *)calloc(1, sizeof *machine);
    gen_state s;
    memset(&s, 0, sizeof s);
    if (machine != NULL) { machine->bytes[0] = malloc((size_t)size + 1); }
    if (machine == NULL || machine->bytes[0] == NULL) {
        gen_free(machine);
        return MARGIN_E_MEMORY;
    }
    memcpy(machine->bytes[0], bytes, (size_t)size);
    s.from = (const unsigned char *)machine->bytes[0];
    s.size = (size_t)size;
    gen_state_walk(&s, &machine->model);
    if (s.failed || s.used != s.size || margin_model_check(&machine->model) < 0) {
        gen_free(machine);
        return MARGIN_E_IMAGE;
    }
    gen_look(machine);
    *out = machine;
    return MARGIN_OK;
}

/* ---- learning sample by sample ---- */

/* mam on-line, behind a scaling that stays as it is. Arrays follow in the same block of memory. */
typedef struct {
    margin_mam_online on;
    margin_scaling scaling;
    size_t size; /* of the block */
    double *x;   /* room for a scaled row */
} gen_online;

void gen_online_free(gen_online *online) {
    free(online);
}

/* Begins with the scaling of some rows, which are not learned yet. */
int32_t gen_online_make(const gen_rows *rows, const gen_choice *choice, gen_online **out) {
    const margin_data raw = gen_view(rows);
    const unsigned kind = (unsigned)gen_option(choice, "scale");
    const size_t classes = (size_t)rows->classes;
    const margin_mam_options options = gen_mam_options(choice, classes);
    const size_t size = sizeof(gen_online) + margin_scaling_fit_size(kind, raw.d) +
                        margin_mam_online_start_size(raw.d, classes, &options) +
                        raw.d * sizeof(double) + 4 * MARGIN_ALIGN;
    gen_online *online = (gen_online *)calloc(1, size);
    margin_arena mem = margin_arena_make(online == NULL ? NULL : online + 1, size - sizeof *online);
    margin_status status = MARGIN_E_MEMORY;
    if (online != NULL) { status = margin_scaling_fit(&raw, kind, &mem, &online->scaling); }
    if (status >= 0) {
        status = margin_mam_online_start(&online->on, raw.d, classes, &options, &mem);
    }
    if (status >= 0) {
        online->size = size;
        online->x = (double *)margin_arena_keep(&mem, raw.d, sizeof(double));
        status = (margin_status)mem.failed;
    }
    if (status < 0) {
        free(online);
        return status;
    }
    *out = online;
    return MARGIN_OK;
}

/* Learns rows, one after another; the first that cannot be learned ends it. */
int32_t gen_online_add(gen_online *online, const gen_rows *rows) {
    margin_data one = gen_view(rows);
    margin_status status = MARGIN_OK;
    size_t i;
    for (i = 0; i < (size_t)rows->n && status >= 0; i++) {
        one.x = rows->x + i * one.d;
        one.n = 1;
        status = margin_scaling_apply(&online->scaling, &one, online->x, 0);
        if (status >= 0) {
            status = margin_mam_online_add(&online->on, online->x, rows->y[i],
                                           rows->weight == NULL ? 1.0 : rows->weight[i]);
        }
    }
    return status;
}

/* The machine of what is known now; it stays as it is when more is learned. */
int32_t gen_online_machine(gen_online *online, gen_machine **out) {
    gen_machine *machine = (gen_machine *)calloc(1, sizeof *machine);
    margin_status status = MARGIN_E_MEMORY;
    if (machine != NULL) {
        machine->model.kind = MARGIN_MODEL_LINEAR;
        status = margin_mam_online_model(&online->on, &machine->model.of.linear);
    }
    if (status >= 0) { status = gen_unscale(machine, &online->scaling); }
    if (status < 0) {
        gen_free(machine);
        return status;
    }
    *out = machine;
    return MARGIN_OK;
}

int64_t gen_online_size(const gen_online *online) {
    return (int64_t)online->size;
}

static double *gen_moved(const double *pointer, ptrdiff_t by) {
    return pointer == NULL ? NULL : (double *)(void *)((char *)(uintptr_t)pointer + by);
}

/* A learner out of the bytes of another one, which lay at `was`. */
int32_t gen_online_read(const void *bytes, int64_t size, uint64_t was, gen_online **out) {
    gen_online *online = (gen_online *)malloc((size_t)size);
    ptrdiff_t by;
    if (online == NULL || (size_t)size < sizeof *online) {
        free(online);
        return MARGIN_E_MEMORY;
    }
    memcpy(online, bytes, (size_t)size);
    by = (char *)online - (char *)(uintptr_t)was;
    online->on.w = gen_moved(online->on.w, by);
    online->on.bias = gen_moved(online->on.bias, by);
    online->on.sum = gen_moved(online->on.sum, by);
    online->on.low = gen_moved(online->on.low, by);
    online->on.work = gen_moved(online->on.work, by);
    online->on.count = (margin_index *)(void *)gen_moved((double *)(void *)online->on.count, by);
    online->scaling.offset = gen_moved(online->scaling.offset, by);
    online->scaling.factor = gen_moved(online->scaling.factor, by);
    online->x = gen_moved(online->x, by);
    *out = online;
    return MARGIN_OK;
}
