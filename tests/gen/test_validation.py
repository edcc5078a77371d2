"""gen runs the folds of a cross-validation side by side, and so does not call margin_cross_validate: the two must agree."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import sets
from firmware import ALONE

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = """#define MARGIN_IMPLEMENTATION
#define MARGIN_REAL_DOUBLE
#include "margin.h"
#include <stdio.h>
#include <stdlib.h>
static const double x[] = {%(x)s};
static const uint16_t y[] = {%(y)s};
static margin_status train(void *user, const margin_data *data, margin_arena *mem, margin_model *model) {
    return margin_svm_train(data, (const margin_svm_options *)user, mem, model, NULL, NULL);
}
int main(void) {
    const margin_data data = {x, %(n)d, %(d)d, 0, y, NULL, NULL};
    margin_svm_options options = {0};
    margin_cv_options cv = {0};
    margin_cv found;
    options.c = 0.1;
    cv.seed = 7;
    margin_learner svm = {train, &options, margin_svm_train_size(data.n, data.d, %(k)d, &options)};
    const size_t size = margin_cross_validate_size(data.n, %(k)d, &cv, svm.bytes);
    margin_arena mem = margin_arena_make(malloc(size), size);
    if (margin_cross_validate(&data, &svm, &cv, &mem, &found) < 0) { return 1; }
    printf("%%.17g %%.17g %%.17g", found.error_mean, found.error_sd, margin_error(found.confusion, %(k)d));
    return 0;
}
"""


class Validation(unittest.TestCase):
    def test_cv_and_the_library_agree_on_the_same_seed(self):
        for k in (2, 3):
            x, y = sets.gauss(n=123, classes=k, seed=3, gap=0.7)
            with self.subTest(classes=k), tempfile.TemporaryDirectory() as folder:
                source, binary, data = (os.path.join(folder, name) for name in ("a.c", "a", "data.csv"))
                with open(source, "w", encoding="utf-8") as file:
                    file.write(PROGRAM % {"x": ",".join(repr(v) for row in x for v in row), "y": ",".join(map(str, y)),
                                          "n": len(x), "d": len(x[0]), "k": k})
                with open(data, "w", encoding="utf-8") as file:
                    file.write(sets.csv(x, y))
                subprocess.run(["gcc", *ALONE, "-I", ROOT, source, "-o", binary], check=True)
                library = [float(word) for word in subprocess.run([binary], check=True, capture_output=True, text=True).stdout.split()]
                run = subprocess.run([sys.executable, "-m", "gen", "cv", data, "--method", "svm", "--C", "0.1", "--scale", "none", "--seed",
                                      "7", "--json", "-"], cwd=ROOT, check=True, capture_output=True, text=True)
                gen = json.loads(run.stdout)
                self.assertGreater(library[0], 0.02)
                for name, value in zip(("error_mean", "error_sd", "test_error"), library):
                    self.assertAlmostEqual(gen[name], value, delta=1e-12, msg=name)


if __name__ == "__main__":
    unittest.main()
