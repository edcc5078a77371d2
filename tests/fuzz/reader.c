/* Any bytes as CSV, LIBSVM or ARFF text for gen's reader: it ends, touches nothing outside the text, and
 * what it says it has read makes sense. The first bytes of the input choose how it is read. */
#include "../../gen/reader.c"

#include "fuzz.h"

/* What was read: as many finite numbers as it says, and labels that are in its list. */
static void check_result(const reader_result *out, int32_t error, bool rows) {
    CHECK(error == out->error && error >= READER_OK && error <= READER_BRACE);
    CHECK(out->token_size >= 0 && out->n >= 0 && out->labels >= 0);
    if (error != READER_OK) {
        CHECK(out->line >= 1 && out->column >= 0);
        return;
    }
    for (int64_t i = 0; i < out->labels; i++) {
        CHECK(out->text_end[i] >= (i == 0 ? 0 : out->text_end[i - 1]) && out->text_line[i] >= 1);
    }
    for (int64_t i = 0; rows && i < out->n; i++) {
        for (int64_t k = 0; k < out->d; k++) {
            CHECK(out->x[i * out->d + k] - out->x[i * out->d + k] == 0);
        }
        CHECK(out->label == NULL || out->label[i] < out->labels);
    }
}

static reader_options options_of(const uint8_t *choice) {
    static const char separators[] = {',', ';', '\t', ' '};
    reader_options how;
    memset(&how, 0, sizeof how);
    how.first_line = 1;
    how.columns = choice[0] % 6;
    how.label = choice[1] % 7 - 1;
    how.separator = separators[choice[2] % 4];
    how.comment = choice[2] / 4 % 2 == 0 ? '#' : '%';
    how.arff = choice[2] / 8 % 2;
    how.base = choice[2] / 16 % 2;
    return how;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
    fuzz_memory memory = {{NULL}, {0}, 0};
    reader_options how;
    reader_result out;
    char *text;
    if (size < 4) { return 0; }
    how = options_of(input);
    size -= 4;
    text = (char *)fuzz_block(&memory, size);
    memcpy(text, input + 4, size);
    switch (input[3] % 4) {
    case 0:
        check_result(&out, reader_first_row(text, (int64_t)size, &how, &out), false);
        break;
    case 1: /* rows have a column at least, and the label is one of them */
        how.columns += how.columns == 0;
        how.label = how.label < how.columns ? how.label : -1;
        check_result(&out, reader_dense(text, (int64_t)size, &how, &out), true);
        break;
    case 2: /* an index is a size: without a limit a short text asks for gigabytes */
        how.columns += how.columns == 0;
        check_result(&out, reader_libsvm(text, (int64_t)size, &how, &out), true);
        break;
    default:
        how.columns += how.columns == 0;
        how.label = how.label < how.columns ? how.label : -1;
        check_result(&out, reader_braces(text, (int64_t)size, &how, "no", 2, &out), true);
        break;
    }
    reader_free(&out);
    fuzz_forget(&memory);
    return 0;
}
