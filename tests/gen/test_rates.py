"""rates on the command line: what it is asked for, what it tells, and the answer that the rates cannot be had."""
import json
import os

import sets
import test_export
from firmware import Firmware
from gen import export, native, quant
from test_cli import KEYS, CommandLine

REPORT = ("eta_pos eta_neg feasible p_star touch eta_pos_touch eta_neg_touch kappa_pos kappa_neg ridge rank condition_pos "
          "condition_neg factorisations slack_pos slack_neg spread_pos spread_neg gap kkt frontier note").split()


class Rates(CommandLine):
    def setUp(self):
        super().setUp()
        # one feature, means 0 and 8, variances 1 and 4: w (8 - 2 k_pos - k_neg) = 2
        self.line = self.write("line.csv", "-1,a\n1,a\n6,b\n10,b\n" * 6)

    def rates(self, eta_pos, eta_neg, *more):
        return self.json("train", self.line, "--method", "rates", "--scale", "none", "--eta-pos", eta_pos, "--eta-neg", eta_neg,
                         *more)

    def test_by_hand(self):
        found = self.rates(0.2, 0.5)  # kappa 2 and 1
        self.assertEqual([key for key in (*KEYS, *REPORT) if key not in found], [])
        self.assertAlmostEqual(found["w"][0], 2 / 3, places=9)
        self.assertAlmostEqual(found["objective"], 2 / 9, places=9)
        self.assertAlmostEqual(found["p_star"], 5 / 8, places=9)
        self.assertAlmostEqual(found["eta_pos_touch"], 1 / (1 + 3.2 ** 2), places=9)
        self.assertEqual((found["feasible"], found["status"], found["eta_pos"]), (True, "ok", 0.2))
        self.assertLess(abs(found["slack_pos"]) + abs(found["slack_neg"]) + found["kkt"], 1e-12)

    def test_the_frontier_is_a_line_in_kappa(self):
        frontier = self.rates(0.2, 0.5, "--frontier", "10")["frontier"]
        self.assertEqual([pair[0] for pair in frontier], [i / 10 for i in range(1, 11)])
        for eta_pos, eta_neg in frontier:
            kappa = 8 - 2 * ((1 - eta_pos) / eta_pos) ** 0.5
            self.assertAlmostEqual(eta_neg, 1 / (1 + kappa * kappa), places=9)
        self.assertNotIn("frontier", self.rates(0.2, 0.5, "--frontier", "0"))

    def test_rates_that_cannot_be_had(self):
        for command in ("train", "cv"):
            files = ("--save", self.path("no.mgn"), "-o", self.path("no.h")) if command == "train" else ("--folds", "2")
            code, out, err = self.gen(command, self.line, "--method", "rates", "--eta-pos", "0.05", "--eta-neg", "0.05",
                                      *files, "--json", "-")
            found = json.loads(out)
            self.assertEqual((code, found["status"], found["feasible"]), (1, "infeasible", False))
            self.assertIn("cannot be had: p* = ", err)
            self.assertGreater(found["p_star"], 1)
            self.assertGreater(found["eta_pos_touch"], 0.05)
            self.assertEqual([name for name in ("no.mgn", "no.h") if os.path.exists(self.path(name))], [])

    def test_iter_ridge_and_allowances(self):
        fast, slow = (self.rates(0.5, 0.5, "--ridge", "0.5", "--solver", solver) for solver in ("fast", "iter"))
        self.assertAlmostEqual(fast["w"][0], 2 / (8 - 4.5 ** 0.5 - 1.5 ** 0.5), places=9)
        self.assertAlmostEqual(slow["w"][0], fast["w"][0], places=6)
        self.assertAlmostEqual(self.rates(0.5, 0.5, "--nu-pos", "1")["w"][0], 2 / (8 - 2 * 2 - 1), places=9)

    def test_cv_and_words(self):
        found = self.json("cv", self.two, "--method", "rates", "--eta-pos", "0.7", "--eta-neg", "0.7", "--folds", "3")
        self.assertIs(found["feasible"], True)
        self.assertLess(found["test_error_pos"], 0.7)
        words = self.gen("train", self.two, "--method", "rates", "--eta-pos", "0.7", "--test", self.two)[2]
        self.assertIn("asked for: at most 70 % and 50 %", words)
        self.assertIn("true means", words)

    def test_two_classes_only(self):
        self.fails(1, "two classes", "train", self.many, "--method", "rates")
        self.fails(2, "between", "train", self.two, "--method", "rates", "--eta-pos", "1.5")
        self.fails(2, "not of", "train", self.two, "--method", "rates", "--scheme", "one-rest")

    def test_held_out_data(self):
        found = self.json("train", self.two, "--method", "rates", "--eta-pos", "0.7", "--eta-neg", "0.8", "--test", self.two)
        self.assertEqual((found["test_error_pos"], found["test_error_neg"]), (found["train_error_pos"], found["train_error_neg"]))
        self.assertLess(found["solver_seconds"], 1)

    def test_headers_in_every_format(self):
        found = []
        for kernel in ("linear", "rbf"):
            x, y = sets.ring() if kernel == "rbf" else sets.gauss()
            m = test_export.trained(self.folder, x, y, "rates", {"kernel": kernel, "eta-pos": 0.7, "eta-neg": 0.8}, ["a", "b"])
            found += [(m, None), (m, quant.Quantised(m, "q15")), (m, quant.Quantised(m, "q7"))]
        headers = [(f"m_{i}", export.header(m, f"m_{i}", q), *(("int16_t", "int32_t") if q else ("margin_real", "margin_real")))
                   for i, (m, q) in enumerate(found)]
        firmware = Firmware(self.folder, headers)
        for i, (m, q) in enumerate(found):
            if q is None:
                rows = test_export.inputs(m.machine.shape.d, 200, i)
                got = [test_export.bits(scores) for _, scores, _ in firmware.run(i, rows, 1)]
                self.assertEqual(got, [test_export.bits(scores) for scores in m.machine.scores(rows)])
                continue
            rows = test_export.whole_inputs(m.machine.shape.d, 200, i)
            got = [(label, scores) for label, scores, _ in firmware.run(i, rows, 1, "h", "i")]
            flat = native.array("h", (v for row in rows for v in row))
            self.assertEqual(got, list(zip(q.predict(flat)[0], q.scores(flat))), (i, q.form))
            self.assertLessEqual(q.report.disagree, (0.01 if q.form == "q15" else 0.06) * q.report.rows, (i, q.form))
