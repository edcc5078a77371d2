"""The scripts behind `make ports` and `make footprint`, without running a single emulator; and the tables they write."""
import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "ports"))

import cost  # noqa: E402
import footprint  # noqa: E402
import models  # noqa: E402
import suite  # noqa: E402
import targets  # noqa: E402
import worst  # noqa: E402


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def table_of(path, mark):
    """Rows of cells between two marks of a README."""
    part = text_of(path).split(f"<!-- {mark} -->\n")[1].split(f"<!-- /{mark} -->")[0]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in part.splitlines() if line.startswith("| ")]


def result(target, cells, known=None):
    out = suite.Suite(targets.Target(target, "cortex-m", [], known=known or {}))
    out.cells = {name: suite.Cell(**cell) for name, cell in cells.items()}
    return out


class Ports(unittest.TestCase):
    def test_the_formula_of_costs_is_near_what_was_measured_of_every_predictor(self):
        head, *rows = table_of("ports/README.md", "formula")
        self.assertEqual(head, ("target", "predictor", *cost.CHECKED, "flash", "usual"), "run: python3 ports/cost.py --check --readme")
        devices = [t.name for t in targets.TARGETS if t.family in footprint.DEVICES]
        self.assertEqual([row[:2] for row in rows], [(name, words) for name in devices for words in cost.held()])
        self.assertEqual([row for row in rows if "FAR" in str(row) or "OVER" in str(row)], [])

    def test_a_model_without_short_ways_has_the_shape_of_the_other(self):
        from gen import cost as formula, model
        with tempfile.TemporaryDirectory() as folder:
            for words in ("prototypes", "tangents", "hinge", "list of linear cuts"):
                data, options = cost.held()[words]
                path = os.path.join(folder, "m")
                with open(f"{path}.csv", "w", encoding="ascii") as file:
                    file.write(data)
                cost.quiet(["train", f"{path}.csv", *options.split(), "--save", f"{path}.mgn"])
                found = model.load(f"{path}.mgn")
                longest = worst.without_short_ways(found)
                self.assertNotEqual(longest.image, found.image)
                self.assertEqual(formula.shape_of(longest), formula.shape_of(found))
        self.assertEqual(worst.alike([1, 2, 3, 4, 5, 6], [2, 3], 2), [1, 2, 1, 2, 5, 6])

    def test_every_target_of_the_readme_table_is_measured_for_every_predictor(self):
        head, *rows = table_of("ports/README.md", "footprint")
        self.assertEqual(head, footprint.MARKDOWN_HEAD, "run: python3 ports/footprint.py --readme")
        self.assertEqual([row[:2] for row in rows], [(t.name, p) for t in targets.TARGETS for p in footprint.PREDICTORS])
        for row in rows:
            for cell in row[2:]:
                self.assertRegex(cell, r"^(-|(-|[\d,.]+) / (-|[\d,.]+) / (-|[\d,.]+))$", row)

    def test_readmes_of_the_ports_have_the_rows_of_their_targets(self):
        for family in {t.family for t in targets.TARGETS}:
            rows = table_of(f"ports/{family}/README.md", "footprint")[1:]
            self.assertEqual({row[0] for row in rows}, {t.name for t in targets.TARGETS if t.family == family})
            self.assertTrue(set(rows) <= set(table_of("ports/README.md", "footprint")), family)

    def test_the_readme_compares_with_the_same_programs_as_the_script(self):
        head, *rows = table_of("README.md", "peers")
        self.assertEqual(head, footprint.PEERS_HEAD, "run: python3 ports/footprint.py --readme")
        self.assertEqual([row[0] for row in rows], [peer[0] for peer in footprint.PEERS] + [f"margin, {f}" for f in models.FORMATS])

    def test_every_test_of_the_list_is_defined_once(self):
        sources = "".join(text_of(f"ports/common/{part}.c") for part in suite.PARTS)
        defined = re.findall(r"^void test_(\w+)\(margin_arena", sources, re.M)
        defined += [f"model_{name}" for name in re.findall(r"^MODEL_(?:F32|Q)\((\w+), ", sources, re.M)]
        self.assertEqual(sorted(suite.tests()), sorted(defined))

    def test_one_other_bit_on_one_target_is_seen(self):
        same, other = {"a": {"hash": "1234abcd"}}, {"a": {"hash": "1234abcc"}}
        rows, remarks = suite.table([result("host", same), result("m0", same), result("m3", other)], ["a"])
        self.assertEqual(rows[1], ["a", "=", "=", "DIFF"])
        self.assertIn("m3 a: 1234abcc, host 1234abcd", remarks[0])

    def test_known_defects_and_programs_too_large_are_named_and_tests_that_did_not_run_fail(self):
        host = result("host", {"a": {"hash": "1"}, "b": {"hash": "2"}, "c": {"hash": "3"}})
        small = result("small", {"a": {"hash": "9"}, "b": {"large": "12 bytes of text too much"}}, {"a": "rounds wrongly"})
        rows, remarks = suite.table([host, small], ["a", "b", "c"])
        self.assertEqual([row[2] for row in rows], ["small", "known", "large", "NONE"])
        self.assertTrue(any("small a: rounds wrongly" in remark for remark in remarks))
        self.assertTrue(any("b (12 bytes of text too much)" in remark for remark in remarks))

    def test_a_test_that_fails_by_itself_fails_though_the_host_agrees(self):
        cells = {"a": {"hash": "1", "said": "selftest"}}
        self.assertEqual(suite.table([result("host", cells), result("m0", cells)], ["a"])[0][1], ["a", "FAIL", "FAIL"])

    def test_output_of_a_program_is_read_line_by_line(self):
        cells, stack = suite.read("math_exp 0a1b2c3d\nimage 00000001 status\nstack 120 of 999\n")
        self.assertEqual((cells["math_exp"].hash, cells["image"].said, stack), ("0a1b2c3d", "status", "120 of 999"))

    def test_a_budget_that_was_kept_fails_when_it_is_exceeded(self):
        row = footprint.Row("cortex-m0", "linear", "q15", code=80, ram=4)
        lines, failed = footprint.budgets([row])
        self.assertEqual(failed, 1)
        self.assertTrue(any(line.startswith("OVER  cortex-m0 linear q15 ram: 4 of 0") for line in lines), lines)
        self.assertTrue(any(line.startswith("kept  cortex-m0 linear q15 code") for line in lines), lines)


if __name__ == "__main__":
    unittest.main()
