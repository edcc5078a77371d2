"""The page of the papers: what is measured is kept, what is not is named, verdicts follow from the numbers."""
import doctest
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "papers"))
import cells
import page
import paper_002
import splits


class Papers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.stderr = folder.name, sys.stderr
        self.addCleanup(setattr, sys, "stderr", self.stderr)
        sys.stderr = io.StringIO()

    def cells(self, quick=False):
        return cells.Cells(self.folder, quick, os.path.join(self.folder, "numbers.json"))

    def test_what_is_known_is_not_run_again(self):
        first = self.cells()
        self.assertEqual(first.known_or("a", lambda: {"x": 1 / 3}, False, "mam"), {"x": 0.333333})
        second = self.cells(quick=True)
        self.assertEqual(second.known_or("a", lambda: self.fail("runs again"), False, "mam"), {"x": 0.333333})
        self.assertEqual((first.ran, first.known, second.ran, second.known), (1, 0, 0, 1))

    def test_quick_runs_only_what_is_marked(self):
        quick = self.cells(quick=True)
        with self.assertRaisesRegex(cells.Absent, "not run"):
            quick.known_or("a", lambda: self.fail("runs"), False, "mam")
        self.assertEqual(quick.known_or("b", lambda: {"x": 2}, True, "mam"), {"x": 2})
        self.assertEqual((quick.ran, quick.not_run), (1, 1))

    def test_a_number_is_of_an_older_version_where_its_method_trains_otherwise(self):
        first = self.cells()
        first.known_or("a", lambda: {"x": 1}, True, "kmomd")
        first.known_or("b", lambda: {"x": 2}, True, "mam")
        later = self.cells(quick=True)
        later.marks["kmomd"] = "other"
        self.assertEqual(later.known_or("a", lambda: self.fail("not in quick"), False, "kmomd"), {"x": 1})
        self.assertEqual((later.older, later.known), (1, 0))
        later.quick, later.fresh = False, False
        self.assertEqual(later.known_or("a", lambda: {"x": 3}, False, "kmomd"), {"x": 3})
        self.assertEqual(later.known_or("b", lambda: self.fail("same mark"), False, "mam"), {"x": 2})
        with self.assertRaises(cells.Absent):
            later.known_or("c", lambda: self.fail("what is old comes first"), False, "mam")
        again = self.cells()
        again.marks["kmomd"] = "other"
        self.assertEqual(again.known_or("a", lambda: self.fail("is new now"), False, "kmomd"), {"x": 3})

    def test_a_number_can_be_measured_anew_by_its_command(self):
        self.cells().known_or("figure a, 1", lambda: {"x": 1}, True, "mam")
        again = cells.Cells(self.folder, True, os.path.join(self.folder, "numbers.json"), anew="figure a")
        stdout, sys.stdout = sys.stdout, io.StringIO()
        try:
            found = [again.known_or("figure a, 1", lambda: {"x": 2}, False, "mam") for _ in range(2)]
        finally:
            stdout, sys.stdout = sys.stdout.getvalue(), stdout
        self.assertEqual((found, again.ran, stdout), ([{"x": 2}] * 2, 1, '{"x": 2}\n'))

    def test_why_a_number_cannot_be_had_is_kept_and_what_nothing_asks_for_is_left_out(self):
        def refused():
            raise cells.Absent("infeasible")
        first = self.cells()
        first.known_or("a", lambda: {"x": 1}, True, "mam")
        for _ in range(2):
            with self.assertRaisesRegex(cells.Absent, "infeasible"):
                first.known_or("b", refused, True, "rates")
        self.assertEqual((first.ran, first.known), (2, 1))
        first.begin()
        first.known_or("a", lambda: self.fail("runs again"), True, "mam")
        first.forget_others()
        self.assertEqual(list(self.cells().numbers.all), ["a"])

    def test_every_number_kept_names_its_command_version_and_mark(self):
        kept = cells.Numbers(cells.NUMBERS).all
        self.assertGreater(len(kept), 100)
        for command, one in kept.items():
            self.assertEqual(sorted(set(one) - {"result", "absent"}), ["command", "mark", "seconds", "version"], command)
            self.assertNotRegex(command, r"(^|\s)/(?!usr/bin)")

    def test_marks_tell_methods_apart_and_are_the_same_again(self):
        marks = [cells.mark(method) for method in ("mam", "kmomd", "svm", "omam", "nn")]
        self.assertEqual(len(set(marks)), 5)
        self.assertEqual(marks[0], cells.mark("mam"))

    def test_random_splits(self):
        path = os.path.join(self.folder, "two.csv")
        with open(path, "w", encoding="ascii") as file:
            file.writelines(f"{i % 2 * 4 + i % 7 / 7},{i % 5},{'ab'[i % 2]}\n" for i in range(60))
        self.assertEqual(splits.errors(path, 40, 3, "kmomd", {"kernel": "linear", "lambda": 0.5}), [0, 0, 0])

    def test_missing_data_is_named_and_the_page_is_written(self):
        with self.assertRaisesRegex(cells.Absent, "no sonar.csv among the data sets"):
            self.cells().file("sonar.csv")
        section = paper_002.section(self.cells())
        self.assertEqual({verdict for what, verdict, _ in section.verdicts if what != "figures 2.1, 2.2 and 3.1"}, {"not run"})  # these are formulas
        self.assertEqual(len(section.parts[0].rows), 24)
        text = page.markdown("T", ["lead"], [section])
        self.assertIn("| sonar, poly_1 | 0.255 | not run |", text)
        self.assertIn("<td>sonar, poly_1</td>", page.html("T", ["lead"], [section], ""))

    def test_verdicts_follow_from_the_errors(self):
        one = page.Section("002", "t", "s")
        paper_002.verdicts(one, {"greedy": [("a", -0.02), ("b", 0.0)] * 12, "admitted": [("sonar, poly_1", -0.02), ("b", 0.004)] * 12,
                                 "cheap": [("a", 0.02), ("b", 0.006)] * 12})
        paper_002.verdicts(one, {"greedy": [("a", -0.02)], "admitted": []})
        paper_002.verdicts(one, {"admitted": [("sonar, poly_1", -0.02), ("b", 0.006)] * 12})
        paper_002.verdicts(one, {"admitted": [("sonar, poly_1", 0.0), ("b", -0.006)] * 12})
        self.assertEqual([verdict for _, verdict, _ in one.verdicts],
                         ["reproduced", "better", "differs", "run in part", "not run", "differs", "differs"])
        paper_002.compare(one, "sonar", {"plain": {"fold_errors": [0.1, 0.12, 0.11]}, "greedy": None}, (0.3, 0.2))
        self.assertEqual(len(one.differing), 1)

    def test_doctests(self):
        for module in (cells, page, splits):
            self.assertEqual(doctest.testmod(module).failed, 0)


if __name__ == "__main__":
    unittest.main()
