/* How well the integer models agree with the models they come from, on real data where it is present:
 * ../shared/data, or the folder that MARGIN_DATA names. Trains on two thirds of the rows, compares on
 * all of them. */
#define _GNU_SOURCE
#define MARGIN_IMPLEMENTATION
#include "margin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY ((size_t)512 << 20)

typedef struct {
    margin_real *x;
    uint16_t *y;
    size_t n, d, classes;
} table;

static bool table_read(table *t, const char *name) {
    const char *folder = getenv("MARGIN_DATA");
    char path[512], *line = NULL;
    size_t room = 0, limit = 4096;
    double labels[64];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s.csv", folder != NULL ? folder : "../shared/data", name);
    file = fopen(path, "r");
    if (file == NULL) { return false; }
    memset(t, 0, sizeof *t);
    while (getline(&line, &room, file) > 0 && t->n < limit) {
        char *p = line;
        size_t fields = 1, k;
        double label;
        for (k = 0; line[k] != '\0'; k++) { fields += line[k] == ',' ? 1u : 0u; }
        if (t->n == 0) {
            t->d = fields - 1u;
            t->x = (margin_real *)malloc(limit * t->d * sizeof *t->x);
            t->y = (uint16_t *)malloc(limit * sizeof *t->y);
        }
        for (k = 0; k < t->d; k++) {
            t->x[t->n * t->d + k] = (margin_real)strtod(p, &p);
            p++;
        }
        label = strtod(p, &p);
        for (k = 0; k < t->classes && labels[k] != label; k++) {}
        labels[k] = label;
        t->classes += k == t->classes ? 1u : 0u;
        t->y[t->n++] = (uint16_t)k;
    }
    free(line);
    fclose(file);
    return true;
}

typedef struct {
    const char *method;
    margin_kernel kernel;
    uint8_t scheme;
    margin_real c;
} machine;

static margin_status machine_train(const machine *m, const margin_data *data, margin_arena *mem,
                                   margin_model *model) {
    margin_svm_options svm;
    margin_kmomd_options kmomd;
    memset(&svm, 0, sizeof svm);
    memset(&kmomd, 0, sizeof kmomd);
    svm.kernel = kmomd.kernel = m->kernel;
    svm.scheme = kmomd.scheme = m->scheme;
    svm.c = m->c;
    return strcmp(m->method, "svm") == 0 ? margin_svm_train(data, &svm, mem, model, NULL, NULL)
                                         : margin_kmomd_train(data, &kmomd, mem, model, NULL, NULL);
}

/* Rows whose labels differ. */
static size_t compare(const table *t, const margin_model *model, const margin_quant *quant,
                      double *worst) {
    margin_real scores[64];
    int32_t scores_q[64];
    int16_t in[256], work[256];
    size_t differ = 0;
    *worst = 0;
    for (size_t i = 0; i < t->n; i++) {
        uint16_t a, b;
        a = margin_classify(model, t->x + i * t->d, scores);
        margin_input_q(&quant->input, t->x + i * t->d, in);
        b = margin_classify_q(&quant->model, in, work, scores_q);
        differ += a != b ? 1u : 0u;
        for (size_t j = 0; j < margin_machines(margin_model_vote(model)->scheme, t->classes); j++) {
            const double e = (double)scores[j] - (double)scores_q[j] * (double)quant->unit;
            *worst = e > *worst ? e : -e > *worst ? -e : *worst;
        }
    }
    return differ;
}

static void show(const char *name, const table *t, const machine *m, bool whole) {
    static const char *const kernels[] = {"linear", "poly", "rbf", "unit-poly", "unit-exp"};
    unsigned char *bytes = (unsigned char *)malloc(MEMORY);
    margin_arena mem = margin_arena_make(bytes, MEMORY);
    margin_index *rows = (margin_index *)malloc(t->n * sizeof *rows);
    margin_real *scaled = (margin_real *)malloc(t->n * t->d * sizeof *scaled);
    margin_data data, raw;
    margin_scaling scaling;
    margin_model model;
    margin_status status;
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (i % 3u != 0) { rows[n++] = (margin_index)i; }
    }
    memset(&raw, 0, sizeof raw);
    raw.x = t->x;
    raw.n = n;
    raw.d = t->d;
    raw.y = t->y;
    raw.rows = rows;
    data = raw;
    data.x = scaled;
    status = margin_scaling_fit(&raw, MARGIN_SCALE_STANDARD, &mem, &scaling);
    status = status == MARGIN_OK ? margin_scaling_apply(&scaling, &raw, scaled, 0) : status;
    status = status == MARGIN_OK ? machine_train(m, &data, &mem, &model) : status;
    status = status >= 0 ? margin_model_scale(&model, &scaling, &mem) : status;
    printf("%-22s %-5s %-9s %s", name, m->method, kernels[m->kernel.kind],
           m->scheme == MARGIN_SCHEME_ONE_REST ? "rest" : "    ");
    for (unsigned i = 0; status >= 0 && i < 2u; i++) {
        const unsigned format = i == 0 ? MARGIN_Q15 : MARGIN_Q7;
        margin_quant_options options = {(uint8_t)format, whole};
        margin_quant quant;
        margin_quant_info info;
        status = margin_quantize(&model, &raw, &options, &mem, &quant, &info);
        if (status >= 0) {
            double worst;
            const size_t differ = compare(t, &model, &quant, &worst);
            printf("  q%-2u agree %7.3f %% %s worst %.2e mean %.2e of %.2e", format,
                   100.0 - 100.0 * (double)differ / (double)t->n,
                   100.0 * (double)differ > (format == 15u ? 0.5 : 3.0) * (double)t->n ? "LOW"
                                                                                       : "   ",
                   worst, (double)info.mean, (double)info.scale);
        }
    }
    printf("  %s\n", status < 0 ? margin_status_text(status) : "");
    free(bytes);
    free(rows);
    free(scaled);
}

int main(void) {
    static const struct {
        const char *name;
        bool whole;
    } sets[] = {{"wdbc", false},
                {"digits8x8", false},
                {"digits8x8", true},
                {"sonar", false},
                {"arduino_gestures_feat", false}};
    static const char *const methods[] = {"svm", "kmomd"};
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
        table t;
        if (!table_read(&t, sets[s].name)) {
            printf("%s: not present\n", sets[s].name);
            continue;
        }
        for (size_t i = 0; i < 2u; i++) {
            for (unsigned kind = 0; kind <= MARGIN_KERNEL_UNIT_EXP; kind++) {
                for (unsigned rest = 0; rest < (t.classes > 2u ? 2u : 1u); rest++) {
                    machine m;
                    memset(&m, 0, sizeof m);
                    m.method = methods[i];
                    m.kernel.kind = (uint8_t)kind;
                    m.kernel.coef0 = kind == MARGIN_KERNEL_POLY ? 1 : 0;
                    m.scheme = rest != 0 ? MARGIN_SCHEME_ONE_REST : 0;
                    m.c = 10;
                    show(sets[s].name, &t, &m, sets[s].whole);
                }
            }
        }
        free(t.x);
        free(t.y);
    }
    return 0;
}
