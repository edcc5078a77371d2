/* model.h -- what footprint.c asks of a model. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef MODEL_INTEGER
typedef int16_t model_input;
typedef int32_t model_score;
#else
typedef float model_input;
typedef float model_score;
#endif

#define MODEL_ROWS 4 /* of the self-test */
#define MODEL_FEATURES_MOST 30

void model_predict(const void *x, void *scores);
void model_predict_nothing(const void *x, void *scores);
void model_load(size_t row, model_input *x);
int model_selftest(void);
size_t model_bytes(void); /* tables and struct */

/* In the place of a predictor, an empty function: nothing.c. What it takes is that of the calls around it. */
void model_nothing(const void *model, const void *x, void *scores);

#endif
