/* model.c -- one exported model and what footprint.c asks of it. MODEL is its name, MODEL_HEADER its file, MODEL_MEMBER
 * the member of model_input that it takes: real or integer. */
#include "margin_port.h"
#include "margin.h"
#include MODEL_HEADER
#include "model.h"

#define GLUE(a, b) a##b
#define OF(name, part) GLUE(name, part)
#define FOR(part, name) GLUE(part, name)
#define DECLARE(name) MODEL_DECLARE(name)

DECLARE(MODEL)

void FOR(predict_, MODEL)(const model_input *x, model_score *score) {
    OF(MODEL, _scores)(x->MODEL_MEMBER, score->MODEL_MEMBER);
}

void FOR(predict_nothing_, MODEL)(const model_input *x, model_score *score) {
    model_nothing(&OF(MODEL, _model), x->MODEL_MEMBER, score->MODEL_MEMBER);
}

void FOR(load_, MODEL)(size_t row, model_input *x) {
    for (size_t k = 0; k < OF(MODEL_UPPER, _FEATURES); k++) {
        const size_t at = row * OF(MODEL_UPPER, _FEATURES) + k;
        x->MODEL_MEMBER[k] = MARGIN_LOAD(MODEL_TYPE, OF(MODEL, _test_x) + at);
    }
}

int FOR(selftest_, MODEL)(void) {
    return OF(MODEL, _selftest)();
}

size_t FOR(bytes_, MODEL)(void) {
    return OF(MODEL_UPPER, _TABLE_BYTES) + sizeof OF(MODEL, _model);
}
