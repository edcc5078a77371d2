"""The README's commands, as written; and the demo, whose output it shows (`test_readme.py --update` puts it there)."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import sets

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def readme():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        return file.read()


def steady(text):
    """Without numbers: seconds differ from run to run, steps and bytes from version to version."""
    return re.sub(r" +", " ", re.sub(r"sha256 \w+|-?\d[\d.e-]*", "N", text))


def demo():
    run = subprocess.run(["sh", "examples/02_demo/demo.sh"], cwd=ROOT, capture_output=True, text=True)
    if run.returncode:
        raise AssertionError(run.stdout + run.stderr)
    return run.stdout


def shown(output):
    """What the README shows of the demo: its second training (of step 2) and the answers of the firmware (step 6)."""
    two, six = (step for step in output.strip().split("\n\n") if step.startswith(("2. ", "6. ")))
    head, _, *second = re.split(r"\n(?=    \$ )", two)
    lines = "\n".join((head, *second)).splitlines(), six.splitlines()
    return "\n\n".join("\n".join(("    " + line).rstrip() for line in step) for step in lines) + "\n"


class Readme(unittest.TestCase):
    def test_commands_run_as_written(self):
        commands = re.findall(r"^    (python3 -m gen .*?|svm-train .*?)(?:  +#.*)?$", readme(), re.M)
        self.assertGreater(len(commands), 8)
        with tempfile.TemporaryDirectory() as folder:
            def write(name, text):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            write("data.csv", sets.csv(*sets.gauss(seed=5)))
            write("test.csv", sets.csv(*sets.gauss(seed=5)))
            write("data.libsvm", "".join(f"{y} 1:{x[0]} 2:{x[1]}\n" for x, y in zip(*sets.ring())))
            write("model.json", '{"margin-exchange": 1, "labels": ["a", "b"], "scheme": "binary", "weights": [[1, 2]], '
                                '"bias": [0]}')
            env = {**os.environ, "PYTHONPATH": ROOT, "PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"]}
            for command in commands:
                if "svm-train" in command and subprocess.run(["which", "svm-train"], capture_output=True).returncode:
                    continue
                with self.subTest(command=command):
                    run = subprocess.run(command, shell=True, cwd=folder, env=env, capture_output=True, text=True)
                    self.assertEqual(run.returncode, 0, run.stderr)

    def test_the_demo_is_the_one_that_the_readme_shows(self):
        part = readme().split("<!-- demo -->\n")[1].split("<!-- /demo -->")[0].strip("\n") + "\n"
        self.assertEqual(steady(part), steady(shown(demo())), "run: python3 tests/gen/test_readme.py --update")


def update():
    text = readme()
    head, rest = text.split("<!-- demo -->\n")
    _, tail = rest.split("<!-- /demo -->")
    with open(os.path.join(ROOT, "README.md"), "w", encoding="utf-8") as file:
        file.write(f"{head}<!-- demo -->\n\n{shown(demo())}\n<!-- /demo -->{tail}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
