/* model.h -- what footprint.c asks of an exported model: functions that model.c makes for it, by its name. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdint.h>

#define MODEL_ROWS 4 /* of the self-test */
#define MODEL_FEATURES_MOST 64
#define MODEL_SCORES_MOST 16

/* Room for an input and for the scores of any number format. */
typedef union {
    float real[MODEL_FEATURES_MOST];
    int16_t integer[MODEL_FEATURES_MOST];
} model_input;

typedef union {
    float real[MODEL_SCORES_MOST];
    int32_t integer[MODEL_SCORES_MOST];
} model_score;

typedef struct {
    const char *name;
    void (*predict)(const model_input *x, model_score *score);
    void (*predict_nothing)(const model_input *x,
                            model_score *score); /* calls model_nothing instead */
    void (*load)(size_t row, model_input *x);    /* a row of the self-test */
    int (*selftest)(void);
    size_t (*bytes)(void); /* of tables and struct */
} model_entry;

#define MODEL_DECLARE(name)                                                                        \
    void predict_##name(const model_input *x, model_score *score);                                 \
    void predict_nothing_##name(const model_input *x, model_score *score);                         \
    void load_##name(size_t row, model_input *x);                                                  \
    int selftest_##name(void);                                                                     \
    size_t bytes_##name(void);

#define MODEL_ENTRY(name)                                                                          \
    {#name, predict_##name, predict_nothing_##name, load_##name, selftest_##name, bytes_##name},

/* In the place of a predictor, an empty function: nothing.c. What it takes is that of the calls around it. */
void model_nothing(const void *model, const void *x, void *score);

#endif
