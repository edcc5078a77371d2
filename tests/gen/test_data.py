"""Reading data files: formats, labels, and every error with its place."""
import gzip
import math
import os
import random
import tempfile
import unittest

from gen import classes, data
from gen.errors import Failure


class Files(unittest.TestCase):
    """Tests that write small files of their own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, content, name="data.csv"):
        path = os.path.join(self.folder, name)
        if isinstance(content, str):
            content = content.encode("utf-8")
        with open(path, "wb") as file:
            file.write(content)
        return path

    def read(self, content, name="data.csv", **options):
        return data.read(self.write(content, name), **options)

    def rows(self, content, **options):
        found = self.read(content, **options)
        return [found.row(i) for i in range(found.n)]

    def labels(self, content, **options):
        found = self.read(content, **options)
        return [found.labels[i] for i in found.label_of]

    def complaint(self, content, name="data.csv", **options):
        with self.assertRaises(Failure) as caught:
            self.read(content, name, **options)
        return str(caught.exception).replace(self.folder + "/", "")


class Csv(Files):
    def test_label_is_the_last_column(self):
        self.assertEqual(self.rows("1,2,a\n3,4.5,b\n"), [[1, 2], [3, 4.5]])
        self.assertEqual(self.labels("1,2,a\n3,4.5,b\n"), ["a", "b"])

    def test_header_is_found_and_names_the_features(self):
        found = self.read("x,y,class\n1,2,a\n3,4,b\n")
        self.assertEqual((found.n, found.names), (2, ["x", "y"]))
        self.assertEqual(self.read("1,2,a\n3,4,b\n").names, None)

    def test_header_of_numbers_is_found_when_its_label_comes_once(self):
        found = self.read("0,1,class\n5,2,a\n3,4,b\n1,1,a\n")
        self.assertEqual((found.n, found.names), (3, ["0", "1"]))
        self.assertEqual(self.read("0,1,a\n5,2,a\n3,4,b\n1,1,a\n").n, 4)
        self.assertEqual(self.read("1,2,3\n5,2,7.5\n3,4,8\n1,1,9\n").n, 3)
        self.assertEqual(self.read("1,2,3.5\n5,2,7.5\n3,4,8\n1,1,9\n").n, 4)  # a number to be met, not that of a column

    def test_header_can_be_said(self):
        self.assertEqual(self.read("1,2,a\n3,4,b\n", header="yes").names, ["1", "2"])
        self.assertEqual(self.complaint("x,y,c\n1,2,a\n", header="no"), "data.csv:1: column 1: not a number: 'x'")

    def test_label_by_name_and_by_number(self):
        content = "id,x,y\na,1,2\nb,3,4\n"
        for label in ("id", "1", "-3"):
            found = self.read(content, label=label)
            self.assertEqual((found.names, found.row(1), found.labels), (["x", "y"], [3, 4], ["a", "b"]))
        self.assertEqual(self.labels("a,1,2\nb,3,4\n", label="1"), ["a", "b"])
        self.assertIn("no column named 'z' (id, x, y)", self.complaint(content, label="z"))
        self.assertIn("no column 4: 3 columns", self.complaint(content, label="4"))
        self.assertIn("there is no header line", self.complaint("1,2,a\n3,4,b\n", label="z"))

    def test_line_ends_marks_blanks_and_comments(self):
        expected = [[1, 2], [3, 4]]
        for content in ("1,2,a\r\n3,4,b\r\n", "1,2,a\r3,4,b", "\ufeff1,2,a\n3,4,b", "\n1,2,a\n\n \t\n3,4,b\n\n",
                        "# made by hand\n1,2,a\n#\n3,4,b\n", " 1 ,\t2 , a \n3,4,  b\n", "1;2;a\n3;4;b\n",
                        "1\t2\ta\n3\t4\tb\n", "1 2 a\n 3  4\tb\n", '"1","2","a"\n3,"4","b"\n'):
            with self.subTest(content=content):
                self.assertEqual(self.rows(content), expected)
                self.assertEqual(self.labels(content), ["a", "b"])

    def test_labels_may_be_any_text(self):
        content = '1,"a, b"\n2,"say ""hi"""\n3,größe\n4,"two\nlines"\n5, x y \n'
        self.assertEqual(self.labels(content), ["a, b", 'say "hi"', "größe", "two\nlines", "x y"])
        self.assertEqual(self.labels("1,gr\xf6\n2,b\n".encode("latin-1")), ["gr\xf6", "b"])

    def test_a_line_break_inside_quotes_is_counted(self):
        self.assertEqual(self.complaint('1,"a\nb"\nx,c\n'), "data.csv:3: column 1: not a number: 'x'")

    def test_gzip_by_content(self):
        self.assertEqual(self.rows(gzip.compress(b"1,2,a\n3,4,b\n"), name="data.csv.gz"), [[1, 2], [3, 4]])
        self.assertIn("damaged gzip", self.complaint(gzip.compress(b"1,2,a\n" * 99)[:-12]))

    def test_errors_name_line_and_column(self):
        for content, words in (
                ("1,2,a\n3,abc,b\n", "data.csv:2: column 2: not a number: 'abc'"),
                ("1,2,a\n3,,b\n", "data.csv:2: column 2: missing value"),
                ("1,2,a\n3,?,b\n", "data.csv:2: column 2: missing value: '?'"),
                ("1,2,a\n3,4,\n", "data.csv:2: column 3: no label"),
                ("1,2,a\n3,nan,b\n", "data.csv:2: column 2: not finite: 'nan'"),
                ("1,2,a\n3,-Inf,b\n", "data.csv:2: column 2: not finite: '-Inf'"),
                ("1,2,a\n3,1e999,b\n", "data.csv:2: column 2: not finite: '1e999'"),
                ("1,2,a\n3,0x10,b\n", "data.csv:2: column 2: not a number: '0x10'"),
                ("1,2,a\n3,1e,b\n", "data.csv:2: column 2: not a number: '1e'"),
                ("1,2,a\n3,1.5 2,b\n", "data.csv:2: column 2: not a number: '1.5 2'"),
                ('1,2,a\n3,"abc",b\n', "data.csv:2: column 2: not a number: 'abc'"),
                ("1;2;a\n3;4,5;b\n", "data.csv:2: column 2: not a number: '4,5' (a decimal comma?)"),
                ("1,2,a\n3,b\n", "data.csv:2: column 3: 2 columns where 3 are expected"),
                ("1,2,a\nx,b\n", "data.csv:2: column 3: 2 columns where 3 are expected"),
                ("1,2,a\n3,4,5,b\n", "data.csv:2: column 4: 4 columns where 3 are expected"),
                ('1,2,a\n3,4,"b\n5,6,c\n', "data.csv:2: column 3: quote without an end"),
                ('1,2,a\n3,4,"b"c\n', "data.csv:2: column 3: text after the closing quote: 'c'"),
                ("x,y,c\n1,2,a\n\n# note\n3,z,b\n", "data.csv:5: column 2: not a number: 'z'"),
                ("", "data.csv: no rows"),
                ("\n\n", "data.csv: no rows"),
                ("x,y,class\n", "data.csv: no rows"),
                ("a\nb\n", "data.csv:1: only one column: at least one feature and a label are needed"),
                ("\0\1\2", "data.csv: not a text file (UTF-16 or binary data); UTF-8 is expected"),
                ("1,2,a".encode("utf-16"), "data.csv: not a text file (UTF-16 or binary data); UTF-8 is expected")):
            with self.subTest(content=content):
                self.assertEqual(self.complaint(content), words)

    def test_long_and_strange_tokens_stay_one_line(self):
        words = self.complaint("1,2,a\n3," + "x\t" * 500 + ",b\n")
        self.assertTrue(words.startswith("data.csv:2: column 2: not a number: 'x\\tx"))
        self.assertLess(len(words), 100)
        self.assertNotIn("\n", self.complaint('1,2,a\n3,"p\nq",b\n'))

    def test_missing_and_unreadable_files(self):
        with self.assertRaisesRegex(Failure, "cannot read: No such file"):
            data.read(os.path.join(self.folder, "none.csv"))
        with self.assertRaisesRegex(Failure, "cannot read: Is a directory"):
            data.read(self.folder)

    def test_a_file_without_labels_is_told_by_the_number_of_features(self):
        found = self.read("1,2\n3,4\n", features=2)
        self.assertEqual((found.labels, found.row(1)), (None, [3, 4]))
        self.assertEqual(self.read("x,y\n1,2\n3,4\n", features=2).names, ["x", "y"])
        self.assertEqual(self.read("1,2,a\n3,4,b\n", features=2).labels, ["a", "b"])
        self.assertIn("1 features where 2 are expected", self.complaint("1,2\n3,4\n", features=2, label="2"))
        self.assertIn("3 features where 2 are expected", self.complaint("1,2,3,a\n", features=2))


class Numbers(Files):
    def test_every_spelling_is_rounded_as_python_rounds_it(self):
        rng = random.Random(1)
        texts = ["0", "-0", "+5", ".5", "5.", "1e5", "1E+05", "1e-5", "1e-320", "4.9e-324", "1e-400", "1.7976931348623157e308",
                 "9007199254740993", "9007199254740992.5", "0.1", "1e22", "1e23", "123456789012345678901234567890",
                 "0." + "0" * 300 + "1", "1" + "0" * 300, "1." + "3" * 400, "8.5e-22", "18446744073709551615", "1e0000005"]
        for _ in range(20000):
            value = math.ldexp(rng.random() - 0.5, rng.randint(-90, 90))
            texts.append(rng.choice((repr(value), f"{value:.{rng.randint(0, 20)}e}", f"{value:.{rng.randint(0, 20)}f}")))
        for _ in range(2000):  # halfway between two doubles, and a little beside
            m, e = rng.getrandbits(53) | 1 << 52, rng.randint(-20, 8)
            texts.append(str((2 * m + 1) << e) if e >= 0 else f"{(2 * m + 1) * 5**-e}e{e}")
            texts.append(f"{(2 * m + 1) * 5**3 + rng.choice((-1, 1))}e-3")
        found = self.read("".join(f"{t},{'ab'[i % 2]}\n" for i, t in enumerate(texts)), header="no")
        for i, text in enumerate(texts):
            value = found.rows[i]
            self.assertEqual((value, math.copysign(1, value)), (float(text), math.copysign(1, float(text))), text)


class Libsvm(Files):
    def test_rows_are_filled_with_zeros(self):
        found = self.read("+1 1:0.5 3:2\n-1 2:1 # note\n\n# note\n+1\n", name="a.txt")
        self.assertEqual([found.row(i) for i in range(3)], [[0.5, 0, 2], [0, 1, 0], [0, 0, 0]])
        self.assertEqual(found.labels, ["+1", "-1"])
        self.assertEqual(self.rows("1 qid:3 1:2\n0 1:1\n"), [[2], [1]])
        self.assertEqual(self.rows("1 0:2\n0 1:1\n", zero_based=True), [[2, 0], [0, 1]])
        self.assertEqual(self.rows("1 1:2\n0 2:1\n", features=3), [[2, 0, 0], [0, 1, 0]])

    def test_errors_name_line_and_column(self):
        for content, words in (
                ("1 1:2\n0 1:x\n", "data.csv:2: column 2: not a number: 'x'"),
                ("1 1:2\n0 1:\n", "data.csv:2: column 2: missing value"),
                ("1 1:2\n0 1:inf\n", "data.csv:2: column 2: not finite: 'inf'"),
                ("1 1:2\n0 2:1 1:1\n", "data.csv:2: column 3: feature indices must ascend: '1:1'"),
                ("1 1:2\n0 2:1 2:1\n", "data.csv:2: column 3: feature indices must ascend: '2:1'"),
                ("1 1:2\n0 0:1\n", "data.csv:2: column 2: not a feature index: '0'; the first one is 1"),
                ("1 1:2\n0 -1:1\n", "data.csv:2: column 2: not a feature index: '-1'; the first one is 1"),
                ("1 1:2\n0 99999999999999999999:1\n",
                 "data.csv:2: column 2: not a feature index: '99999999999999999999'; the first one is 1"),
                ("1 1:2\n0 7\n", "data.csv:2: column 2: not index:value: '7'"),
                ("1 1:2\n1:2\n", "data.csv:2: column 1: no label: '1:2'"),
                ("1 1:2\n0 2000000000:1\n", "data.csv: not enough memory")):
            with self.subTest(content=content):
                if "memory" in words:
                    continue  # depends on the machine; only must not crash
                self.assertEqual(self.complaint(content), words)
        self.assertEqual(self.complaint("1 1:2\n0 4:1\n", features=3),
                         "data.csv:2: column 2: feature index beyond the last feature (3): '4:1'")
        self.assertIn("--label does not apply", self.complaint("1 1:2\n0 4:1\n", label="1"))


class Arff(Files):
    HEAD = "% note\n@RELATION r\n\n@attribute x numeric\n@Attribute 'the y' REAL\n@attribute class {a,'b c'}\n@data\n"

    def test_dense_and_sparse_rows(self):
        found = self.read(self.HEAD + "1,2,a\n% note\n3,4,'b c'\n")
        self.assertEqual(([found.row(i) for i in range(2)], found.labels, found.names),
                         ([[1, 2], [3, 4]], ["a", "b c"], ["x", "the y"]))
        found = self.read(self.HEAD + "{0 1, 2 'b c'}\n{1 5}\n{ }\n{0 2,1 3,2 a}\n")
        self.assertEqual([found.row(i) for i in range(4)], [[1, 0], [0, 5], [0, 0], [2, 3]])
        self.assertEqual([found.labels[i] for i in found.label_of], ["b c", "a", "a", "a"])

    def test_label_by_name_and_no_labels(self):
        found = self.read("@relation r\n@attribute c {p,q}\n@attribute x real\n@data\np,1\nq,2\n", label="c")
        self.assertEqual((found.row(1), found.labels), ([2], ["p", "q"]))
        self.assertIsNone(self.read("@relation r\n@attribute x real\n@data\n1\n2\n", features=1).labels)

    def test_errors_name_line_and_column(self):
        for rows, words in (
                ("1,2,a\n3,?,a\n", "data.csv:9: column 2: missing value: '?'"),
                ("1,2\n", "data.csv:8: column 3: 2 columns where 3 are expected"),
                ("{0 1, 5 2}\n", "data.csv:8: column 1: feature index beyond the last feature (3): '5'"),
                ("{0 1, 0 2}\n", "data.csv:8: column 1: feature indices must ascend: '0'"),
                ("{0 x}\n", "data.csv:8: column 1: not a number: 'x'"),
                ("{0 1\n", "data.csv:8: column 1: not a row of the form {index value, ...}"),
                ("{0 1}\n1,2,a\n", "data.csv:9: column 1: not a row of the form {index value, ...}"),
                ("", "data.csv: no rows")):
            with self.subTest(rows=rows):
                self.assertEqual(self.complaint(self.HEAD + rows), words)
        self.assertEqual(self.complaint("@relation r\n@attribute c {p,q}\n@attribute y {0,1}\n@data\np,1\n"),
                         "data.csv:2: column 1: feature 'c' is not numeric but '{p,q}': code it as numbers")
        self.assertEqual(self.complaint("@relation r\n1,2,3\n"), "data.csv:2: not a line of an ARFF header: '1,2,3'")
        self.assertEqual(self.complaint("@relation r\n@attribute x real\n"), "data.csv: an ARFF file without @data")


class Classes(Files):
    def names(self, content, positive=None):
        return classes.class_names(self.read(content), positive)

    def test_the_positive_class_sorts_last_or_is_said(self):
        self.assertEqual(self.names("1,a\n2,b\n"), ["a", "b"])
        self.assertEqual(self.names("1,1\n2,-1\n"), ["-1", "1"])
        self.assertEqual(self.names("1,10\n2,9\n"), ["9", "10"])
        self.assertEqual(self.names("1,a\n2,b\n", "a"), ["b", "a"])
        self.assertEqual(self.names("1,+1\n2,-1\n", "1"), ["-1", "+1"])

    def test_equal_numbers_are_one_class(self):
        found = self.read("1,+1\n2,-1\n3,1.0\n4,-1.0\n")
        names = classes.class_names(found)
        self.assertEqual((names, list(classes.classes_of(found, names))), (["-1", "+1"], [1, 0, 1, 0]))

    def test_errors(self):
        for content, positive, words in (
                ("1,a\n2,a\n", None, "only one class: 'a'; at least two are needed"),
                ("1,a\n2,b\n", "c", "no label 'c' for --positive, only 'a' and 'b'"),
                ("1,a\n2,b\n3,c\n4,a\n5,b\n6,c\n", "c", "--positive needs two classes; there are 3"),
                ("".join(f"1,{i}\n" for i in range(30)), None, "column 2: 30 different labels in 30 rows")):
            with self.subTest(content=content), self.assertRaises(Failure) as caught:
                self.names(content, positive)
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(Failure) as caught:
            classes.classes_of(self.read("1,a\n2,b\n3,z\n"), ["a", "b"])
        self.assertIn("data.csv:3: column 2: unknown label 'z'; the classes are 'a', 'b'", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
