/* footprint.c -- what a prediction takes, for each model of the list MODELS (`X(name) X(name) ...`) and each row of its
 * self-test: the stack, painted, is printed; footprint.py counts what happens between the marks. Both twice, with an empty
 * function in the place of the predictor and with the predictor: the difference is the predictor's own. */
#include "port.h"
#include "model.h"

#define X(name) MODEL_DECLARE(name)
MODELS
#undef X

#define X(name) MODEL_ENTRY(name)
static const model_entry entries[] = {MODELS};
#undef X

static const model_entry *model;
static model_input x;
static model_score score;

static void predict_nothing(void) {
    model->predict_nothing(&x, &score);
}

static void predict(void) {
    model->predict(&x, &score);
}

/* The most stack of all rows. */
static size_t measure(void) {
    size_t row, most = 0;
    for (row = 0; row < MODEL_ROWS; row++) {
        size_t used;
        model->load(row, &x);
        port_mark_begin();
        predict_nothing();
        port_mark_end();
        port_mark_begin();
        predict();
        port_mark_end();
        used = port_stack_of(predict) - port_stack_of(predict_nothing);
        most = used > most ? used : most;
    }
    return most;
}

int port_main(void) {
    int failed = 0;
    for (model = entries; model < entries + sizeof entries / sizeof entries[0]; model++) {
        const int wrong = model->selftest();
        failed |= wrong;
        port_put_text(model->name);
        port_put_text(" stack ");
        port_put_number((uint32_t)measure());
        port_put_text(" model ");
        port_put_number((uint32_t)model->bytes());
        port_put_text(" selftest ");
        port_put_number((uint32_t)wrong);
        port_put('\n');
    }
    return failed;
}
