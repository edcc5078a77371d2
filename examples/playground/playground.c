/* playground.c -- gen/native.c as WebAssembly: the code that `gen train` runs, with flat functions round it, so that
 * playground.js needs to know no struct. Compiled twice, as native.c is: in double to train, in float for what the device
 * computes. Memory is taken from the end and given back all at once, before the next training. */
#include "libc.c"

#include "native.c"

#define PAGE(name) __attribute__((export_name(#name))) name

/* ---- what native.c asks of a library ---- */

extern unsigned char __heap_base;
__attribute__((import_module("page"), import_name("spell"))) int page_spell(double value, char *out,
                                                                            int size);
static size_t page_used;

static void *page_take(size_t size) {
    const size_t base = ((size_t)&__heap_base + 15u) / 16u * 16u,
                 room = (size + 15u) / 16u * 16u + 16u;
    size_t at = base + page_used;
    const size_t have = __builtin_wasm_memory_size(0) * 65536u;
    if (room < size || room > 0x70000000u - page_used) { return NULL; }
    if (at + room > have &&
        __builtin_wasm_memory_grow(0, (at + room - have + 65535u) / 65536u) == SIZE_MAX) {
        return NULL;
    }
    page_used += room;
    *(size_t *)at = size;
    return (unsigned char *)at + 16;
}

void *malloc(size_t size) {
    return page_take(size);
}

void free(void *bytes) {
    (void)bytes;
}

void *calloc(size_t count, size_t size) {
    void *bytes = size != 0 && count > SIZE_MAX / size ? NULL : page_take(count * size);
    return bytes == NULL ? NULL : memset(bytes, 0, count * size);
}

void *realloc(void *old, size_t size) {
    void *bytes = page_take(size);
    const size_t had = old == NULL ? 0 : *(size_t *)((unsigned char *)old - 16);
    return bytes == NULL || old == NULL ? bytes : memcpy(bytes, old, had < size ? had : size);
}

/* The page spells the number so that it reads back the same bits, whatever the format says. */
int snprintf(char *out, size_t size, const char *format, double value) {
    (void)format;
    return page_spell(value, out, (int)size);
}

/* ---- flat functions ---- */

static gen_rows page_rows;
static gen_machine *page_machine;
static gen_part page_part[64];

void *PAGE(page_malloc)(int size) {
    return malloc((size_t)size);
}

/* Forgets everything: models, rows, answers. */
void PAGE(page_reset)(void) {
    page_used = 0;
    page_machine = NULL;
}

const char *PAGE(page_status)(int status) {
    return gen_status_text(status);
}

/* The rows that all functions below are about; y and t may be NULL. */
void PAGE(page_set_rows)(const double *x, const uint16_t *y, const double *t, int n, int d,
                         int classes) {
    page_rows.x = x;
    page_rows.y = y;
    page_rows.t = t;
    page_rows.n = n;
    page_rows.d = d;
    page_rows.classes = classes;
}

int PAGE(page_ranges)(double *low, double *high) {
    return gen_ranges(&page_rows, low, high);
}

/* Several models can be there at a time: the functions below are about one of them. */
gen_machine *PAGE(page_get)(void) {
    return page_machine;
}

void PAGE(page_use)(gen_machine *machine) {
    page_machine = machine;
}

/* Arrays and numbers of the machine, or of the integer model. */
int PAGE(page_parts)(void) {
    return (int)gen_parts(page_machine, page_part);
}

const char *PAGE(page_part_name)(int i) {
    return page_part[i].name;
}

const void *PAGE(page_part_at)(int i) {
    return page_part[i].at;
}

double PAGE(page_part_value)(int i) {
    return page_part[i].value;
}

int PAGE(page_part_count)(int i) {
    return (int)page_part[i].count;
}

int PAGE(page_part_type)(int i) {
    return page_part[i].type;
}

int PAGE(page_answers)(uint16_t *label, double *score, double *probability, double *own,
                       double *elected) {
    return gen_answers(page_machine, &page_rows, label, score, probability, own, elected);
}

int PAGE(page_scores)(double *scores) {
    return gen_scores(page_machine, page_rows.x, page_rows.n, scores);
}

int PAGE(page_input)(const double *offset, const double *factor, int16_t *out) {
    return gen_input(offset, factor, page_rows.d, page_rows.x, page_rows.n, out);
}

#ifdef MARGIN_REAL_DOUBLE
static gen_report page_report;
static gen_watch page_watch;
static gen_quant *page_quant[2]; /* q15 and q7 */

int PAGE(page_train)(const char *method, const char *const *names, const double *values,
                     int count) {
    gen_choice choice;
    choice.method = method;
    choice.names = names;
    choice.values = values;
    choice.count = count;
    memset(&page_report, 0, sizeof page_report);
    memset(&page_watch, 0, sizeof page_watch);
    return gen_train(&page_rows, &choice, &page_watch, &page_report, &page_machine);
}

double PAGE(page_report_value)(int which) {
    switch (which) {
    case 0:
        return page_report.objective;
    case 1:
        return (double)page_report.iterations;
    case 2:
        return (double)page_report.support;
    case 3:
        return page_report.margin_min;
    case 4:
        return page_report.margin_mean;
    case 5:
        return page_report.converged;
    default:
        return (double)page_report.arena_peak;
    }
}

const char *PAGE(page_told)(void) {
    return page_report.told == NULL ? "" : page_report.told;
}

int PAGE(page_image_size)(int notes) {
    return (int)gen_image_size(page_machine, notes);
}

int PAGE(page_image_write)(const void *notes, int count, void *out, int size) {
    return gen_image_write(page_machine, notes, count, out, size);
}

/* The integer model 15 or 7 of an image; the rows that are set choose the scales, of the last `ends` of them only the ranges count. */
int PAGE(page_quantize)(const void *image, int size, int ends, int format, int whole) {
    return gen_quantize(image, size, &page_rows, ends, format, whole, &page_quant[format == 7]);
}

gen_quant *PAGE(page_quant_get)(int format) {
    return page_quant[format == 7];
}

void PAGE(page_quant_use)(int format, gen_quant *quant) {
    page_quant[format == 7] = quant;
}

/* The model of an image with coefficients fitted anew to the rows that are set becomes the machine. */
int PAGE(page_compress)(const void *image, int size, int vectors, double noise) {
    return gen_compress(image, size, &page_rows, vectors, noise, &page_machine);
}

/* The reduced machine of an image, with its vectors moved to where they make the fewest mistakes on the rows that are set. */
int PAGE(page_move)(const void *image, int size, int passes, int exact) {
    return gen_move(image, size, &page_rows, passes, exact, &page_machine);
}

int PAGE(page_quant_parts)(int format) {
    return (int)gen_quant_parts(page_quant[format == 7], page_part);
}

void PAGE(page_quant_report)(int format, double *out) {
    gen_quant_report(page_quant[format == 7], out);
}

int PAGE(page_quant_input)(int format, double *offset, double *factor) {
    return (int)gen_quant_input(page_quant[format == 7], offset, factor);
}

int PAGE(page_quant_predict)(int format, const int16_t *x, int n, uint16_t *label, int32_t *scores,
                             int32_t *clear, uint16_t *chances) {
    return gen_quant_predict(page_quant[format == 7], x, n, label, scores, clear, chances);
}
#else
int PAGE(page_open)(const void *image, int size) {
    return gen_open(image, size, &page_machine);
}
#endif
