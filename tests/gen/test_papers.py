"""The page of the papers: what is measured is kept, what is not is named, verdicts follow from the numbers."""
import doctest
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "papers"))
import cells
import page
import paper_002


class Papers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.stderr = folder.name, sys.stderr
        self.addCleanup(setattr, sys, "stderr", self.stderr)
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
        self.addCleanup(sys.stderr.close)

    def cells(self, quick=False):
        return cells.Cells(self.folder, quick, self.folder)

    def test_what_is_known_is_not_run_again(self):
        first = self.cells()
        self.assertEqual(first.known_or("a", lambda: {"x": 1}, False), {"x": 1})
        second = self.cells(quick=True)
        self.assertEqual(second.known_or("a", lambda: self.fail("runs again"), False), {"x": 1})
        self.assertEqual((first.ran, first.known, second.ran, second.known), (1, 0, 0, 1))

    def test_quick_runs_only_what_is_marked(self):
        quick = self.cells(quick=True)
        with self.assertRaisesRegex(cells.Absent, "not run"):
            quick.known_or("a", lambda: self.fail("runs"), False)
        self.assertEqual(quick.known_or("b", lambda: {"x": 2}, True), {"x": 2})
        self.assertEqual((quick.ran, quick.not_run), (1, 1))

    def test_missing_data_is_named_and_the_page_is_written(self):
        with self.assertRaisesRegex(cells.Absent, "no sonar.csv among the data sets"):
            self.cells().file("sonar.csv")
        section = paper_002.section(self.cells())
        self.assertEqual({verdict for _, verdict, _ in section.verdicts}, {"not run"})
        self.assertEqual(len(section.parts[0].rows), 24)
        text = page.markdown("T", ["lead"], [section])
        self.assertIn("| sonar, poly_1 | 0.255 | not run |", text)
        self.assertIn("<td>sonar, poly_1</td>", page.html("T", ["lead"], [section], ""))

    def test_verdicts_follow_from_the_errors(self):
        one = page.Section("002", "t", "s")
        paper_002.verdicts(one, {"greedy": [("a", -0.02), ("b", 0.0)] * 12, "admitted": [("a", -0.02), ("b", 0.004)] * 12,
                                 "cheap": [("a", -0.02), ("b", 0.006)] * 12})
        paper_002.verdicts(one, {"greedy": [("a", -0.02)], "admitted": []})
        self.assertEqual([verdict for _, verdict, _ in one.verdicts], ["reproduced", "better", "differs", "run in part", "not run"])
        paper_002.compare(one, "sonar", {"plain": {"fold_errors": [0.1, 0.12, 0.11]}, "greedy": None}, (0.3, 0.2))
        self.assertEqual(len(one.differing), 1)

    def test_doctests(self):
        self.assertEqual(doctest.testmod(page).failed, 0)


if __name__ == "__main__":
    unittest.main()
