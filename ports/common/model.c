/* model.c -- one exported model and nothing else: MODEL is its name, MODEL_HEADER its file. For footprint.c. */
#include "margin_port.h"
#include "margin.h"
#include MODEL_HEADER
#include "model.h"

#define GLUE(a, b) a##b
#define OF(name, part) GLUE(name, part)

#define TABLE_BYTES OF(MODEL_UPPER, _TABLE_BYTES)
#define FEATURES OF(MODEL_UPPER, _FEATURES)

void model_predict(const void *x, void *scores)
{
    OF(MODEL, _scores)((const model_input *)x, (model_score *)scores);
}

void model_predict_nothing(const void *x, void *scores)
{
    model_nothing(&OF(MODEL, _model), x, scores);
}

void model_load(size_t row, model_input *x)
{
    for (size_t k = 0; k < FEATURES; k++) {
        x[k] = MARGIN_LOAD(model_input, OF(MODEL, _test_x) + row * FEATURES + k);
    }
}

int model_selftest(void)
{
    return OF(MODEL, _selftest)();
}

size_t model_bytes(void)
{
    return TABLE_BYTES + sizeof OF(MODEL, _model);
}
