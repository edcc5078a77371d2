// Is the bearing of a motor worn? Four sensors on A0 .. A3, a model in integers, which stays in flash by itself.
//
/* motor.h was written by:
 *     python3 examples/02_demo/motor.py 400 1 > motor.csv
 *     python3 -m gen train motor.csv --method kmomd --kernel rbf --gamma 0.5 --lambda 0.1 --format q15 --flash 800 -o motor.h */
#include "motor.h"

void setup()
{
    Serial.begin(115200);
    Serial.print(F("self-test "));
    Serial.println(motor_selftest()); // 0: this board computes the same as the machine that made the model
}

void loop()
{
    const int16_t x[] = {read(A0), read(A1), read(A2), read(A3)}; // vibration, temperature, current, speed
    Serial.println(motor_labels[motor_classify(x)]);
    delay(1000);
}

// The model was made for a converter of 12 bits; that of an Uno has 10.
int16_t read(uint8_t pin)
{
    return analogRead(pin) * 4;
}
