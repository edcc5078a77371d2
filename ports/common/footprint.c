/* footprint.c -- what one prediction takes, for each row of a model's self-test: the stack, painted, is printed;
 * footprint.py counts what happens between the marks. Both twice, with an empty function in the place of the predictor
 * and with the predictor: the difference is the predictor's own. */
#include "port.h"
#include "model.h"

static model_input x[MODEL_FEATURES_MOST];
static model_score scores[1];

static void predict_nothing(void)
{
    model_predict_nothing(x, scores);
}

static void predict(void)
{
    model_predict(x, scores);
}

int port_main(void)
{
    size_t row, most = 0;
    const int wrong = model_selftest();
    for (row = 0; row < MODEL_ROWS; row++) {
        size_t used;
        model_load(row, x);
        port_mark_begin();
        model_predict_nothing(x, scores);
        port_mark_end();
        port_mark_begin();
        model_predict(x, scores);
        port_mark_end();
        used = port_stack_of(predict) - port_stack_of(predict_nothing);
        most = used > most ? used : most;
    }
    port_put_text("stack ");
    port_put_number((uint32_t)most);
    port_put_text(" model ");
    port_put_number((uint32_t)model_bytes());
    port_put_text(" selftest ");
    port_put_number((uint32_t)wrong);
    port_put('\n');
    return wrong;
}
