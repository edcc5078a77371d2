/* reader.c -- numbers and labels out of CSV, ARFF and LIBSVM text; gen/data.py drives it. Host only.
 *
 * One pass over text that lies in memory. Numbers are rounded correctly. Labels are any text; each
 * row gets the number of its label in a list of the different ones. The first thing that is wrong
 * ends the work and is reported with its line, column and text. */
#define _GNU_SOURCE /* strtod_l, newlocale: a decimal point whatever the locale */
#include <float.h>
#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

/* Why reading ended; gen/data.py has the words. */
enum {
    READER_OK,
    READER_MEMORY,
    READER_NOT_NUMBER,
    READER_MISSING,
    READER_NOT_FINITE,
    READER_COLUMNS,
    READER_QUOTE,
    READER_AFTER_QUOTE,
    READER_NO_LABEL,
    READER_PAIR,
    READER_INDEX,
    READER_INDEX_ORDER,
    READER_INDEX_RANGE,
    READER_BRACE
};

/* How the text is written. */
typedef struct {
    int64_t first_line; /* number of the line that the text starts with */
    int64_t columns;    /* of every row, label included; LIBSVM: most features, 0: no limit */
    int64_t label;      /* column of the label, from 0; -1: there is none */
    int32_t separator;  /* ',' ';' '\t', or ' ' for runs of blanks */
    int32_t comment;    /* lines that start with this are skipped */
    int32_t arff;       /* 'text' is quoted as well, and \ escapes */
    int32_t base;       /* LIBSVM: the first index, 1 or 0 */
} reader_options;

/* What was read. Memory is given back by reader_free. */
typedef struct {
    double *x;          /* n x d */
    uint32_t *label;    /* n numbers of labels */
    char *text;         /* the different labels one after the other ... */
    int64_t *text_end;  /* ... and where each ends */
    int64_t *text_line; /* the line where each was seen first */
    int64_t n, d, labels;
    int64_t end;          /* where reading ended */
    int64_t line, column; /* of an error; without one, the next line */
    int64_t found;        /* columns in that row */
    int32_t error;        /* READER_... */
    int32_t token_size;   /* bytes of the text that is wrong, and the first of them */
    char token[80];
} reader_result;

typedef struct {
    uint32_t column, row;
    double value;
} entry;

typedef struct {
    const char *text, *p, *end;
    reader_options how;
    reader_result *out;
    int64_t line, column;
    char *scratch; /* a field without its quotes */
    size_t scratch_room, x_room, label_room, text_room, text_list_room;
    uint32_t *hash; /* label numbers + 1, open addressing */
    size_t hash_room;
    entry *entries; /* sparse rows */
    size_t entry_count, entry_room;
    locale_t plain;
} reader;

/* ---- errors and memory ---- */

static bool fail(reader *r, int32_t error, const char *from, const char *to) {
    reader_result *out = r->out;
    const ptrdiff_t size = to - from;
    out->error = error;
    out->line = r->line;
    out->column = r->column + 1;
    out->token_size = (int32_t)(size < INT32_MAX ? size : INT32_MAX);
    if (size > 0) {
        memcpy(out->token, from,
               size < (ptrdiff_t)sizeof out->token ? (size_t)size : sizeof out->token);
    }
    return false;
}

/* Room for `need` items of `size` bytes at *block; grows by doubling. */
static bool reserve(reader *r, void *block, size_t *room, size_t need, size_t size) {
    void *old, *grown;
    size_t wanted = *room < 64 ? 64 : *room;
    if (need <= *room) { return true; }
    while (wanted < need) {
        if (wanted > SIZE_MAX / 2 / size) { return fail(r, READER_MEMORY, r->p, r->p); }
        wanted *= 2;
    }
    memcpy(&old, block, sizeof old);
    grown = realloc(old, wanted * size);
    if (grown == NULL) { return fail(r, READER_MEMORY, r->p, r->p); }
    memcpy(block, &grown, sizeof grown);
    *room = wanted;
    return true;
}

/* ---- lines and fields ---- */

static bool at_eol(const reader *r) {
    return r->p == r->end || *r->p == '\n' || *r->p == '\r';
}

static bool is_blank(const reader *r, char c) {
    return c == ' ' || (c == '\t' && r->how.separator != '\t');
}

static void skip_blanks(reader *r) {
    while (r->p != r->end && is_blank(r, *r->p)) { r->p++; }
}

static void skip_line(reader *r) {
    while (!at_eol(r)) { r->p++; }
}

static void end_line(reader *r) {
    if (r->p == r->end) { return; }
    if (*r->p == '\r' && r->end - r->p > 1 && r->p[1] == '\n') { r->p++; }
    r->p++;
    r->line++;
}

/* Goes to the next line that is neither blank nor a comment; false at the end of the text. */
static bool next_row(reader *r) {
    for (;;) {
        const char *start = r->p;
        skip_blanks(r);
        if (r->p == r->end) { return false; }
        if (*r->p == (char)r->how.comment) { skip_line(r); }
        if (!at_eol(r)) {
            r->p = start;
            r->column = 0;
            return true;
        }
        end_line(r);
    }
}

/* After a field: at the end of the row, or past the separator. True when another field follows. */
static bool more_fields(reader *r) {
    if (r->how.separator == ' ') {
        skip_blanks(r);
        return !at_eol(r);
    }
    if (at_eol(r)) { return false; }
    r->p++;
    return true;
}

static bool quoted_field(reader *r, const char **from, const char **to) {
    const char *open = r->p, quote = *r->p++;
    size_t size = 0;
    int64_t lines = 0;
    for (;; r->p++) {
        if (r->p == r->end) { return fail(r, READER_QUOTE, open, open + 1); }
        if (*r->p == quote) {
            if (r->end - r->p < 2 || r->p[1] != quote) { break; }
            r->p++; /* a doubled quote is one quote */
        } else if (*r->p == '\\' && r->how.arff && r->end - r->p > 1) {
            r->p++;
        }
        lines += *r->p == '\n';
        if (!reserve(r, &r->scratch, &r->scratch_room, size + 1, 1)) { return false; }
        r->scratch[size++] = *r->p;
    }
    r->p++;
    skip_blanks(r);
    if (!at_eol(r) && *r->p != (char)r->how.separator && r->how.separator != ' ') {
        return fail(r, READER_AFTER_QUOTE, r->p, r->p + 1);
    }
    r->line += lines;
    *from = size == 0 ? open : r->scratch;
    *to = *from + size;
    return true;
}

/* The next field, blanks around it removed, quotes too; leaves p at what follows it. */
static bool field(reader *r, const char **from, const char **to) {
    skip_blanks(r);
    if (r->p != r->end && (*r->p == '"' || (*r->p == '\'' && r->how.arff))) {
        return quoted_field(r, from, to);
    }
    *from = r->p;
    while (!at_eol(r) && *r->p != (char)r->how.separator &&
           !(r->how.separator == ' ' && *r->p == '\t')) {
        r->p++;
    }
    *to = r->p;
    while (*to != *from && is_blank(r, (*to)[-1])) { --*to; }
    return true;
}

/* ---- numbers ---- */

static bool is_digit(const char *p, const char *end) {
    return p != end && *p >= '0' && *p <= '9';
}

/* A sign, digits with at most one point, an exponent; hexadecimal, inf and nan are no numbers here. */
typedef struct {
    uint64_t digits;  /* the first nineteen significant ones */
    int32_t exponent; /* of ten, for `digits` */
    bool negative, exact, any;
} decimal;

static const char *scan_digits(decimal *v, const char *p, const char *end, int32_t step) {
    for (; is_digit(p, end); p++) {
        v->any = true;
        if (v->digits < UINT64_C(1000000000000000000)) {
            v->digits = v->digits * 10 + (uint64_t)(*p - '0');
            v->exponent += step;
        } else {
            v->exact = v->exact && *p == '0';
            v->exponent += step + 1;
        }
    }
    return p;
}

static const char *scan_exponent(decimal *v, const char *p, const char *end) {
    const char *q = p + 1;
    bool negative = false;
    int32_t e = 0;
    if (q != end && (*q == '-' || *q == '+')) { negative = *q++ == '-'; }
    if (!is_digit(q, end)) { return p; }
    for (; is_digit(q, end); q++) { e = e < 100000 ? e * 10 + (*q - '0') : e; }
    v->exponent += negative ? -e : e;
    return q;
}

/* Past the number that starts at p; v->any is false when there is none. */
static const char *scan_decimal(decimal *v, const char *p, const char *end) {
    v->digits = 0;
    v->exponent = 0;
    v->negative = p != end && *p == '-';
    v->exact = true;
    v->any = false;
    if (p != end && (*p == '-' || *p == '+')) { p++; }
    p = scan_digits(v, p, end, 0);
    if (p != end && *p == '.') { p = scan_digits(v, p + 1, end, -1); }
    if (v->any && p != end && (*p == 'e' || *p == 'E')) { p = scan_exponent(v, p, end); }
    return p;
}

/* Digits and power of ten both exact in a wide enough type: one rounding gives the nearest double.
 * In the 64-bit significand of x87 a second rounding follows, right unless the first one ends within
 * one unit of a tie between two doubles, which the low eleven bits show. */
static bool quick_value(const decimal *v, double *value) {
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int32_t e = v->exponent;
    if (!v->exact || e < -22 || e > 22) { return false; }
    if (v->digits <= UINT64_C(1) << DBL_MANT_DIG) {
        *value = e < 0 ? (double)v->digits / ten[-e] : (double)v->digits * ten[e];
        return true;
    }
#if LDBL_MANT_DIG == 64 && defined(__x86_64__)
    {
        const long double wide = e < 0 ? (long double)v->digits / (long double)ten[-e]
                                       : (long double)v->digits * (long double)ten[e];
        uint64_t bits;
        memcpy(&bits, &wide, sizeof bits);
        bits &= 0x7FF;
        *value = (double)wide;
        return bits < 0x3FF || bits > 0x401;
    }
#else
    return false;
#endif
}

static bool slow_value(reader *r, const char *from, const char *to, double *value) {
    const size_t size = (size_t)(to - from);
    char small[64], *copy = size < sizeof small ? small : (char *)malloc(size + 1);
    if (copy == NULL) { return fail(r, READER_MEMORY, from, to); }
    memcpy(copy, from, size);
    copy[size] = '\0';
    *value = strtod_l(copy, NULL, r->plain);
    if (copy != small) { free(copy); }
    return true;
}

static bool is_word(const char *from, const char *to, const char *word) {
    for (; *word != '\0'; word++, from++) {
        if (from == to || (*from | 0x20) != *word) { return false; }
    }
    return from == to;
}

static bool not_a_number(reader *r, const char *from, const char *to) {
    const char *bare = from != to && (*from == '-' || *from == '+') ? from + 1 : from;
    if (from == to || (to - from == 1 && *from == '?')) {
        return fail(r, READER_MISSING, from, to);
    }
    if (is_word(bare, to, "nan") || is_word(bare, to, "inf") || is_word(bare, to, "infinity")) {
        return fail(r, READER_NOT_FINITE, from, to);
    }
    return fail(r, READER_NOT_NUMBER, from, to);
}

/* The value of a number that scan_decimal found between from and to. */
static bool value_of(reader *r, const decimal *v, const char *from, const char *to, double *value) {
    if (quick_value(v, value)) {
        *value = v->negative ? -*value : *value;
        return true;
    }
    if (!slow_value(r, from, to, value)) { return false; }
    return *value - *value == 0 || fail(r, READER_NOT_FINITE, from, to);
}

/* All of from .. to as one number. */
static bool number(reader *r, const char *from, const char *to, double *value) {
    decimal v;
    if (scan_decimal(&v, from, to) != to || !v.any) { return not_a_number(r, from, to); }
    return value_of(r, &v, from, to, value);
}

/* ---- labels ---- */

static size_t hash_text(const char *from, const char *to) {
    uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; from != to; from++) { h = (h ^ (unsigned char)*from) * UINT64_C(1099511628211); }
    return (size_t)(h ^ (h >> 32));
}

static int64_t text_start(const reader *r, int64_t i) {
    return i == 0 ? 0 : r->out->text_end[i - 1];
}

/* Where a text is in the hash table, or where it would go. */
static size_t hash_slot(const reader *r, const char *from, const char *to) {
    size_t at = hash_text(from, to) & (r->hash_room - 1);
    while (r->hash[at] != 0) {
        const int64_t i = (int64_t)r->hash[at] - 1, start = text_start(r, i);
        if (r->out->text_end[i] - start == to - from &&
            memcmp(r->out->text + start, from, (size_t)(to - from)) == 0) {
            break;
        }
        at = (at + 1) & (r->hash_room - 1);
    }
    return at;
}

static bool grow_hash(reader *r) {
    const size_t room = r->hash_room == 0 ? 64 : r->hash_room * 2;
    uint32_t *grown = (uint32_t *)calloc(room, sizeof *grown);
    if (grown == NULL) { return fail(r, READER_MEMORY, r->p, r->p); }
    free(r->hash);
    r->hash = grown;
    r->hash_room = room;
    for (int64_t i = 0; i < r->out->labels; i++) {
        const char *text = r->out->text;
        grown[hash_slot(r, text + text_start(r, i), text + r->out->text_end[i])] = (uint32_t)i + 1;
    }
    return true;
}

/* Adds a text to the list, whether or not it is there already. */
static bool add_text(reader *r, const char *from, const char *to) {
    reader_result *out = r->out;
    const int64_t start = text_start(r, out->labels), size = to - from;
    size_t room = r->text_list_room;
    if (!reserve(r, &out->text, &r->text_room, (size_t)(start + size), 1) ||
        !reserve(r, &out->text_end, &room, (size_t)out->labels + 1, sizeof *out->text_end) ||
        !reserve(r, &out->text_line, &r->text_list_room, (size_t)out->labels + 1,
                 sizeof *out->text_line)) {
        return false;
    }
    if (size != 0) { memcpy(out->text + start, from, (size_t)size); }
    out->text_end[out->labels] = start + size;
    out->text_line[out->labels++] = r->line;
    return true;
}

static bool add_label(reader *r, const char *from, const char *to) {
    reader_result *out = r->out;
    size_t at;
    if (from == to || (to - from == 1 && *from == '?')) {
        return fail(r, READER_NO_LABEL, from, to);
    }
    if (!reserve(r, &out->label, &r->label_room, (size_t)out->n + 1, sizeof *out->label)) {
        return false;
    }
    if ((size_t)out->labels * 2 >= r->hash_room && !grow_hash(r)) { return false; }
    at = hash_slot(r, from, to);
    if (r->hash[at] == 0) {
        if (!add_text(r, from, to)) { return false; }
        r->hash[at] = (uint32_t)out->labels;
    }
    out->label[out->n] = r->hash[at] - 1;
    return true;
}

/* ---- dense rows ---- */

static bool row_field(reader *r, double *x) {
    const char *from, *to, *stop;
    decimal v;
    if (r->column != r->how.label) {
        skip_blanks(r);
        from = r->p;
        stop = scan_decimal(&v, from, r->end);
        if (v.any &&
            (stop == r->end || *stop == (char)r->how.separator || *stop == '\n' || *stop == '\r')) {
            r->p = stop; /* the usual case: a number, then the separator */
            return value_of(r, &v, from, stop, x);
        }
    }
    if (!field(r, &from, &to)) { return false; }
    return r->column == r->how.label ? add_label(r, from, to) : number(r, from, to, x);
}

/* A row with the wrong number of columns is wrong in this first of all. */
static bool right_count(reader *r, const char *row) {
    const char *from, *to;
    const int64_t line = r->line;
    r->p = row;
    for (r->column = 0;; r->column++) {
        if (!field(r, &from, &to)) { return false; }
        if (!more_fields(r)) { break; }
    }
    r->out->found = r->column + 1;
    if (r->out->found == r->how.columns) { return true; }
    r->line = line;
    r->column = r->out->found < r->how.columns ? r->out->found : r->how.columns;
    return fail(r, READER_COLUMNS, row, row);
}

/* The first thing wrong with this row. */
static bool blame(reader *r, const char *row, int64_t line) {
    const reader_result found = *r->out;
    r->line = line;
    if (found.error != READER_MEMORY && right_count(r, row)) { *r->out = found; }
    return false;
}

static bool dense_row(reader *r, double *x) {
    for (r->column = 0; r->column < r->how.columns; r->column++) {
        const bool last = r->column + 1 == r->how.columns;
        if (!row_field(r, x)) { return false; }
        x += r->column != r->how.label;
        if (more_fields(r) == last) { return fail(r, READER_COLUMNS, r->p, r->p); }
    }
    return true;
}

static bool dense(reader *r) {
    const size_t d = (size_t)(r->how.columns - (r->how.label >= 0));
    while (next_row(r)) {
        const char *row = r->p;
        const int64_t line = r->line;
        /* One more than needed, so that there is a block even for rows without features. */
        if (!reserve(r, &r->out->x, &r->x_room, ((size_t)r->out->n + 1) * d + 1, sizeof(double))) {
            return false;
        }
        if (!dense_row(r, r->out->x + (size_t)r->out->n * d)) { return blame(r, row, line); }
        r->out->n++;
        end_line(r);
    }
    r->out->d = (int64_t)d;
    return true;
}

/* ---- sparse rows ---- */

static bool add_entry(reader *r, int64_t column, double value) {
    if (!reserve(r, &r->entries, &r->entry_room, r->entry_count + 1, sizeof *r->entries)) {
        return false;
    }
    r->entries[r->entry_count].row = (uint32_t)r->out->n;
    r->entries[r->entry_count].column = (uint32_t)column;
    r->entries[r->entry_count++].value = value;
    return true;
}

/* The entries as a full matrix. */
static bool spread(reader *r) {
    const size_t n = (size_t)r->out->n, d = (size_t)r->out->d;
    if (d != 0 && n > SIZE_MAX / sizeof(double) / d) { return fail(r, READER_MEMORY, r->p, r->p); }
    r->out->x = (double *)calloc(n * d + 1, sizeof(double));
    if (r->out->x == NULL) { return fail(r, READER_MEMORY, r->p, r->p); }
    for (size_t i = 0; i < r->entry_count; i++) {
        r->out->x[r->entries[i].row * d + r->entries[i].column] = r->entries[i].value;
    }
    return true;
}

static bool index_of(reader *r, const char *from, const char *to, int64_t *index) {
    *index = 0;
    for (const char *p = from; p != to; p++) {
        if (!is_digit(p, to) || *index > INT32_MAX / 10) { return fail(r, READER_INDEX, from, to); }
        *index = *index * 10 + (*p - '0');
    }
    *index -= r->how.base;
    return (from != to && *index >= 0) || fail(r, READER_INDEX, from, to);
}

/* index:value of LIBSVM; `last` is the index before it. */
static bool pair(reader *r, const char *from, const char *to, int64_t *last) {
    const char *colon = (const char *)memchr(from, ':', (size_t)(to - from));
    int64_t index;
    double value;
    if (colon == NULL) { return fail(r, READER_PAIR, from, to); }
    if (is_word(from, colon, "qid")) { return true; /* SVMrank's group of a row: no feature */ }
    if (!index_of(r, from, colon, &index) || !number(r, colon + 1, to, &value)) { return false; }
    if (index <= *last) { return fail(r, READER_INDEX_ORDER, from, to); }
    if (r->how.columns != 0 && index >= r->how.columns) {
        return fail(r, READER_INDEX_RANGE, from, to);
    }
    *last = index;
    r->out->d = index >= r->out->d ? index + 1 : r->out->d;
    return add_entry(r, index, value);
}

static bool libsvm_row(reader *r) {
    const char *from, *to;
    int64_t last = -1;
    if (!field(r, &from, &to)) { return false; }
    if (memchr(from, ':', (size_t)(to - from)) != NULL) {
        return fail(r, READER_NO_LABEL, from, to);
    }
    if (!add_label(r, from, to)) { return false; }
    for (r->column = 1; more_fields(r); r->column++) {
        if (*r->p == '#') {
            skip_line(r);
            break;
        }
        if (!field(r, &from, &to) || !pair(r, from, to, &last)) { return false; }
    }
    return true;
}

static bool libsvm(reader *r) {
    r->how.separator = ' ';
    r->how.comment = '#';
    r->how.label = 0;
    while (next_row(r)) {
        if (!libsvm_row(r)) { return false; }
        r->out->n++;
        end_line(r);
    }
    r->out->d = r->how.columns != 0 ? r->how.columns : r->out->d;
    return spread(r);
}

/* One `index value` of a sparse ARFF row; indices count the label as well. */
static bool brace_item(reader *r, int64_t *last, bool *labelled) {
    const char *from, *to;
    int64_t index;
    double value;
    skip_blanks(r);
    from = r->p;
    while (is_digit(r->p, r->end)) { r->p++; }
    if (!index_of(r, from, r->p, &index)) { return false; }
    if (index <= *last) { return fail(r, READER_INDEX_ORDER, from, r->p); }
    if (index >= r->how.columns) { return fail(r, READER_INDEX_RANGE, from, r->p); }
    *last = r->column = index;
    if (!field(r, &from, &to)) { return false; }
    if (index == r->how.label) {
        *labelled = true;
        return add_label(r, from, to);
    }
    return number(r, from, to, &value) &&
           add_entry(r, index - (r->how.label >= 0 && index > r->how.label), value);
}

/* {index value, index value}. The closing brace is taken off first, so that fields end as usual. */
static bool brace_row(reader *r, const char *absent, size_t absent_size) {
    const char *row_end, *text_end = r->end;
    int64_t last = -1;
    bool labelled = r->how.label < 0, more;
    const char *open = r->p;
    skip_blanks(r);
    if (*r->p != '{') { return fail(r, READER_BRACE, open, open + 1); }
    r->p++;
    for (row_end = r->p; row_end != r->end && *row_end != '\n' && *row_end != '\r'; row_end++) {}
    while (row_end != r->p && is_blank(r, row_end[-1])) { row_end--; }
    if (row_end == r->p || row_end[-1] != '}') { return fail(r, READER_BRACE, open, row_end); }
    r->end = row_end - 1;
    skip_blanks(r);
    for (more = r->p != r->end; more; more = more_fields(r)) {
        if (!brace_item(r, &last, &labelled)) {
            r->end = text_end;
            return false;
        }
    }
    r->p = row_end;
    r->end = text_end;
    skip_blanks(r);
    r->column = r->how.label;
    return labelled || add_label(r, absent, absent + absent_size);
}

static bool braces(reader *r, const char *absent, size_t absent_size) {
    r->how.base = 0;
    while (next_row(r)) {
        if (!brace_row(r, absent, absent_size)) { return false; }
        r->out->n++;
        end_line(r);
    }
    r->out->d = r->how.columns - (r->how.label >= 0);
    return spread(r);
}

/* ---- what gen/data.py calls ---- */

static void begin(reader *r, const char *text, int64_t size, const reader_options *how,
                  reader_result *out) {
    memset(r, 0, sizeof *r);
    memset(out, 0, sizeof *out);
    r->text = r->p = text;
    r->end = text + size;
    r->how = *how;
    r->out = out;
    r->line = how->first_line;
    r->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static int32_t finish(reader *r) {
    if (r->out->error == READER_OK) {
        r->out->end = r->p - r->text;
        r->out->line = r->line;
    }
    free(r->scratch);
    free(r->hash);
    free(r->entries);
    if (r->plain != (locale_t)0) { freelocale(r->plain); }
    return r->out->error;
}

/* The fields of the first row as texts. */
int32_t reader_first_row(const char *text, int64_t size, const reader_options *how,
                         reader_result *out) {
    reader r;
    const char *from, *to;
    begin(&r, text, size, how, out);
    if (next_row(&r)) {
        do {
            if (!field(&r, &from, &to) || !add_text(&r, from, to)) { break; }
            r.column++;
        } while (more_fields(&r));
        end_line(&r);
    }
    return finish(&r);
}

/* Rows of how->columns fields. */
int32_t reader_dense(const char *text, int64_t size, const reader_options *how,
                     reader_result *out) {
    reader r;
    begin(&r, text, size, how, out);
    (void)dense(&r);
    return finish(&r);
}

/* Rows of a label and index:value pairs. */
int32_t reader_libsvm(const char *text, int64_t size, const reader_options *how,
                      reader_result *out) {
    reader r;
    begin(&r, text, size, how, out);
    (void)libsvm(&r);
    return finish(&r);
}

/* Rows of {index value, ...}; a row without a label has the one given. */
int32_t reader_braces(const char *text, int64_t size, const reader_options *how, const char *absent,
                      int64_t absent_size, reader_result *out) {
    reader r;
    begin(&r, text, size, how, out);
    (void)braces(&r, absent, (size_t)absent_size);
    return finish(&r);
}

void reader_free(reader_result *out) {
    free(out->x);
    free(out->label);
    free(out->text);
    free(out->text_end);
    free(out->text_line);
    memset(out, 0, sizeof *out);
}

/* Sizes of the two structs, for the mirror in Python. */
int64_t reader_sizes(void) {
    return (int64_t)(sizeof(reader_options) * 1000 + sizeof(reader_result));
}
