// The same bearing, judged by a linear model in floats: the class, and by how much.
//
/* bearing.h was written by:
 *     python3 examples/02_demo/motor.py 400 1 > motor.csv
 *     python3 -m gen train motor.csv --method svm -o bearing.h */
#include "bearing.h"

void setup()
{
    Serial.begin(115200);
    Serial.print(F("self-test "));
    Serial.println(bearing_selftest()); // 0: this board computes the same as the machine that made the model
}

void loop()
{
    float x[BEARING_FEATURES], score[BEARING_MACHINES];
    for (uint8_t k = 0; k < BEARING_FEATURES; k++) {
        x[k] = analogRead(A0 + k) * 4.0f;
    }
    bearing_scores(x, score);
    Serial.print(bearing_labels[bearing_classify(x)]);
    Serial.print(' ');
    Serial.println(score[0], 4);
    delay(1000);
}
