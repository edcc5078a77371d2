"""motor.py -- a small data set as a motor monitor would log it: vibration, temperature, current, speed; healthy or worn.

    python3 motor.py ROWS SEED > motor.csv

A worn bearing shakes more and runs hotter under load, but a healthy one shakes as well near the resonance of the motor:
no single reading tells, and no plane separates them well. Values are whole numbers, as from a 12-bit converter.
"""
import math
import random
import sys


def window(rng):
    """One window of readings, and the state of the bearing."""
    worn = rng.random() < 0.4
    speed, load = rng.uniform(0.2, 1.0), rng.uniform(0.1, 1.0)
    resonance = math.exp(-((speed - 0.6) / 0.12) ** 2)
    shake = 0.15 + 0.45 * resonance + (0.22 if worn else 0) + rng.gauss(0, 0.05)
    heat = 0.2 + 0.4 * load + (0.15 * load if worn else 0) + rng.gauss(0, 0.06)
    current = 0.1 + 0.7 * load + rng.gauss(0, 0.04)
    raw = [max(0, min(4095, round(4095 * v))) for v in (shake, heat, current, speed)]
    return raw, "worn" if worn else "healthy"


def main():
    rows, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    print("vibration,temperature,current,speed,bearing")
    for _ in range(rows):
        raw, state = window(rng)
        print(*raw, state, sep=",")


if __name__ == "__main__":
    main()
