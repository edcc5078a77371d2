"""Bad files and bad arguments, thousands of them: an exit code, one line, no traceback, no file left behind."""
import contextlib
import gzip
import io
import json
import os
import random
import stat
import tempfile
import unittest
from unittest import mock

import sets
from gen import cli, exchange, methods, model, native
from test_import import BINARY, THREE

SPLICES = [b"", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n\n", b'"', b"'", b",", b",,", b";", b"\t", b" ", b":", b"0:1", b"-1:2",
           b"99999999999:1", b"nan", b"inf", b"-inf", b"1e999", b"-1e308", b"1e-400", b"0x10", b"1_0", b"?", b"%", b"#", b"@data",
           b"@attribute", b"{", b"}", b"[", b"]", b"null", b"true", b"SV\n", b"label", b"nr_sv 9", b"total_sv 99999999", b"9" * 400,
           b"a" * 5000, "\u00e9\u2028\U0001f600".encode(), b"\x1f\x8b", b"-", b"+", b".", b"e"]


def mutated(rng, content):
    """A few random changes of bytes, tokens and lines."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(content) + 1)
        to = min(len(content), at + rng.choice((1, 1, 2, 7, 40)))
        kind = rng.randrange(6)
        if kind == 0:
            content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1:]
        elif kind == 1:
            content = content[:at] + content[to:]
        elif kind == 2:
            content = content[:at]
        elif kind == 3:
            content = content[:at] + rng.choice(SPLICES) + content[rng.choice((at, to)):]
        elif kind == 4:
            content = content[:to] + content[at:]
        else:
            lines = content.split(b"\n")
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i] if rng.random() < 0.5 else b""
            content = b"\n".join(lines)
    return content


class Fuzz(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        x, y = sets.gauss(n=24, d=3)
        cls.csv = sets.csv([[round(v, 3) for v in row] for row in x], y, ["low", "high"], "a,b,c,level").encode()
        cls.libsvm = "".join(f"{c} " + " ".join(f"{i}:{v:.3f}" for i, v in enumerate(row, 1)) + "\n" for row, c in zip(x, y)).encode()
        cls.arff = ("% comment\n@relation r\n@attribute a numeric\n@attribute 'b b' real\n@attribute c {0,1}\n@attribute class "
                    "{low,high}\n@data\n" + "".join(f"{r[0]:.3f},{r[1]:.3f},{int(r[2] > 0)},{('low', 'high')[c]}\n" for r, c in zip(x, y))
                    + "{0 1.5, 3 high}\n").encode()
        cls.good = cls.put("good.csv", cls.csv)
        cls.run_gen("train", cls.good, "--method", "svm", "--kernel", "rbf", "--calibrate", "--save", cls.path("m.mgn"))
        with open(cls.path("m.mgn"), "rb") as file:
            cls.model = file.read()
        cls.kept = set(os.listdir(cls.folder))

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def put(cls, name, content):
        with open(cls.path(name), "wb") as file:
            file.write(content)
        return cls.path(name)

    @classmethod
    def run_gen(cls, *words):
        out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main([str(word) for word in words])
        out.flush()
        return code, out.buffer.getvalue().decode("utf-8"), err.getvalue()

    def setUp(self):
        for name in set(os.listdir(self.folder)) - self.kept:
            os.unlink(self.path(name))

    def check(self, *words, inputs=()):
        """Whatever is asked for: done, or one line and nothing written."""
        code, out, err = self.run_gen(*words)
        self.assertIn(code, (0, 1, 2), err)
        if code:
            last = err.splitlines()[-1]
            self.assertTrue(last.startswith("gen: "), (words, err))
            self.assertNotIn("internal error", last, words)
            self.assertLess(len(last), 600, (words, last))
            self.assertTrue(last.isprintable(), (words, last))
            left = set(os.listdir(self.folder)) - self.kept - set(inputs)
            self.assertEqual((left, out), (set(), ""), (words, err))
        for name in set(os.listdir(self.folder)) - self.kept:
            os.unlink(self.path(name))
        return code

    def data_files(self, name, content, seed, count):
        rng, codes = random.Random(seed), []
        for i in range(count):
            changed = mutated(rng, content)
            if rng.random() < 0.1:
                changed = gzip.compress(changed, mtime=0)
                changed = mutated(rng, changed) if i % 2 else changed
            command = rng.choice((("train", "--save", self.path("x.mgn"), "-o", self.path("x.h")), ("cv", "--folds", "3")))
            method = rng.choice((("svm", "--max-iter", "300"), ("mam",), ("kmomd", "--max-iter", "300", "--kernel", "rbf")))
            if rng.random() < 0.3:
                words = ("predict", self.path("m.mgn"), self.put(name, changed), "--json", "-")
            else:
                words = (command[0], self.put(name, changed), "--method", *method, *command[1:], "--json", "-")
            with self.subTest(i=i):
                codes.append(self.check(*words, inputs=(name,)))
        self.assertEqual(set(codes), {0, 1})  # neither all refused nor all accepted

    def test_csv(self):
        self.data_files("x.csv", self.csv, 1, 600)

    def test_libsvm(self):
        self.data_files("x.libsvm", self.libsvm, 2, 400)

    def test_arff(self):
        self.data_files("x.arff", self.arff, 3, 400)

    def test_model_files(self):
        """A change of any kind is found: a checksum stands in front."""
        rng = random.Random(4)
        for i in range(100):
            changed = mutated(rng, self.model)
            if changed == self.model:
                continue
            with self.subTest(i=i):
                path = self.put("x.mgn", changed)
                for words in (("info", path), ("predict", path, self.good), ("export", path, "-o", self.path("x.h"))):
                    self.assertEqual(self.check(*words, inputs=("x.mgn",)), 1)
                    self.put("x.mgn", changed)

    def test_notes_that_make_no_sense(self):
        """With the right checksum, as another program may write them: gen does without."""
        m = model.from_image(self.model, "m")
        strange = [None, 0, -1, 1.5, "", "x", "AAAA", "AACAfwAAgH8AAMB/", [], [1], {}, {"a": []}, True, ["a", "b"], ["", "*/ ??/"], "\u2028" * 50,
                   "A" * 4000]
        rng = random.Random(5)
        loaded = native.make(exchange.Classifier(
            m.labels, "binary", 3, native.array("d", [0.5]), weights=native.array("d", [1, -2, 3])))
        for i in range(80):
            notes = dict(m.notes)
            for key in rng.sample([*notes, "origin", "compressed_from", "error_mean", "test_error", "whole", "names"], 3):
                notes[key] = rng.choice(strange)
            path = self.put("x.mgn", loaded.image(model.write_notes(notes)))
            with self.subTest(i=i, notes={k: v for k, v in notes.items() if m.notes.get(k) != v}):
                for words in (("info", path), ("predict", path, self.good), ("export", path, "-o", self.path("x.h")),
                              ("export", path, "-o", self.path("x.h"), "--format", "q15", "--flash", "50")):
                    self.check(*words, inputs=("x.mgn",))
                    self.put("x.mgn", loaded.image(model.write_notes(notes)))

    def test_models_of_others(self):
        rng = random.Random(6)
        plain = json.dumps({"margin-exchange": 1, "labels": ["a", "b"], "scheme": "binary", "kernel": {"kind": "rbf", "gamma": 1}, "bias": [0.5],
                               "class_sizes": [1, 1], "vectors": [[1, 2], [3, 4]], "coef": [[1], [-1]], "offset": [0, 1], "factor": [1, 2]})
        for name, content in (("x.model", BINARY), ("x.model", THREE), ("x.json", plain)):
            codes = []
            for i in range(120):
                with self.subTest(name=name, i=i):
                    path = self.put(name, mutated(rng, content.encode()))
                    codes.append(self.check("import", path, "--save", self.path("x.mgn"), inputs=(name,)))
            self.assertEqual(set(codes) - {2}, {0, 1})
        for i in range(60):
            path, scale = self.put("x.model", BINARY.encode()), self.put("x.range", mutated(rng, b"x\n-1 1\n1 0 5\n2 -3 3\n3 1 2\n"))
            self.check("import", path, "--range", scale, "--save", self.path("x.mgn"), inputs=("x.model", "x.range"))

    def test_whatever_is_no_file(self):
        os.mkdir(self.path("folder"))
        secret = self.put("secret.csv", self.csv)
        os.chmod(secret, 0)
        os.mkfifo(self.path("pipe"))
        self.kept |= {"folder", "secret.csv", "pipe", "empty.csv"}
        empty = self.put("empty.csv", b"")
        wrong = [self.path("folder"), self.path("none.csv"), self.path("none/none.csv"), empty, "x" * 5000, self.path("m.mgn") + "/x", "bad\udcff"]
        wrong += [secret] if os.getuid() else []
        for path in wrong:
            for words in (("train", path, "--method", "svm"), ("cv", path, "--method", "mam"), ("tune", path, "--method", "svm"),
                          ("predict", self.path("m.mgn"), path), ("predict", path, self.good), ("export", path, "-o", self.path("x.h")),
                          ("import", path, "--save", self.path("x.mgn")), ("info", path), ("train", self.good, "--method", "svm", "--test", path),
                          ("export", self.path("m.mgn"), "-o", self.path("x.h"), "--data", path),
                          ("import", path, "--from", "sklearn", "--save", self.path("x.mgn"))):
                with self.subTest(path=path[-20:], words=words[:1]):
                    self.assertEqual(self.check(*words), 1)
        for option in ("--json", "--save", "-o"):
            for path in (self.path("folder"), self.path("none/x"), ""):
                with self.subTest(option=option, path=path):
                    self.assertIn(self.check("train", self.good, "--method", "svm", option, path), (1, 2))
        os.chmod(self.path("folder"), stat.S_IRWXU)

    def test_arguments(self):
        """Every option of every command with values of every kind."""
        values = ["", "0", "-1", "1", "2.5", "1e9", "nan", "inf", "-inf", "x", "linear", "yes", "1,2", "a=b", "C=", "=1", "kernel=rbf,rbf", "\u00e9", "--",
                  "99999999999999999999", "1e-320", "-"]
        rng = random.Random(7)
        commands = {"train": ["--test", "--name", "--format", "--flash", "--reject", "--positive", "--label", "--header", "--seed", "-o"],
                    "cv": ["--folds", "--repeats", "--label", "--seed"], "tune": ["--grid", "--folds", "--repeats", "--reject"],
                    "predict": ["--format", "--label", "--scale-data"], "export": ["--format", "--flash", "--name", "--test", "--data"],
                    "import": ["--features", "--range", "--from"], "info": ["--json"]}
        own = [f"--{name}" for name, option in methods.OPTIONS.items() if not option.flag and name not in ("cache-mb", "degree")]
        with open(os.devnull, "rb") as nothing, mock.patch("sys.stdin", io.TextIOWrapper(nothing)):
            for i in range(1000):
                command = rng.choice(list(commands))
                words = {"train": [self.good, "--method", rng.choice(("svm", "mam", "kmomd")), "--max-iter", "50"],
                         "cv": [self.good, "--method", "svm", "--max-iter", "50"], "tune": [self.good, "--method", "mam"],
                         "predict": [self.path("m.mgn"), self.good], "export": [self.path("m.mgn"), "-o", self.path("x.h")],
                         "import": [self.path("m.mgn"), "--save", self.path("x.mgn")], "info": [self.path("m.mgn")]}[command]
                options = commands[command] + (own if command in ("train", "cv", "tune") else [])
                for option in rng.sample(options, min(len(options), 1 + (rng.random() < 0.3))):
                    value = rng.choice(values)
                    if option in ("-o", "--json", "--test", "--data", "--scale-data") and value in ("1", "x", "linear", "yes"):
                        continue  # would be written into, or read from, the working folder
                    if option in ("-o", "--json") and value not in ("", "-"):
                        continue
                    if option == "--repeats" and value in ("1e9", "99999999999999999999"):
                        continue  # would be done
                    words += [f"{option}={value}"] if rng.random() < 0.5 and option != "-o" else [option, value]
                with self.subTest(i=i, words=[command, *words]):
                    self.check(command, *words)

    def test_huge_numbers_of_labels_and_columns(self):
        many = "".join(f"{i},label{i}\n" for i in range(3000)).encode()
        self.assertEqual(self.check("train", self.put("x.csv", many), "--method", "svm", inputs=("x.csv",)), 1)
        wide = (",".join(["1"] * 20000) + ",a\n" + ",".join(["2"] * 20000) + ",b\n").encode()
        self.assertEqual(self.check("train", self.put("x.csv", wide), "--method", "mam", inputs=("x.csv",)), 0)
        pairs = "".join(f"{i % 90},{i * 7 % 90},c{i % 90}\n" for i in range(1200)).encode()
        self.assertEqual(self.check("train", self.put("x.csv", pairs), "--method", "mam", inputs=("x.csv",)), 0)


if __name__ == "__main__":
    unittest.main()
