"""Trials on a cluster of Dask's workers, real processes on this machine, one of which is killed: the same bytes as on threads.
Debian's Python has Dask (python3-distributed); without it these tests are skipped, and say so."""
import os
import signal
import subprocess
import tempfile
import time
import unittest

import sets
from gen import workers
from gen.errors import Failure, Usage

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = "/usr/bin/python3"
# A search that is over soon: the methods of test_fit.
DRIVER = """
import sys
sys.path[:0] = [{root!r}, {root!r} + "/tests/gen"]
from unittest import mock
import test_fit
from gen import cli
with mock.patch("gen.tries.TRIES", test_fit.SMALL), mock.patch("gen.search.REPEATS", 2):
    sys.exit(cli.main(sys.argv[1:]))
"""


def has_dask():
    try:
        return subprocess.run([PYTHON, "-c", "import distributed"], capture_output=True).returncode == 0
    except OSError:
        return False


class Address(unittest.TestCase):
    def test_what_is_not_an_address_is_wrong_usage(self):
        for words in ("localhost:8786", "dask://localhost", "ssh://localhost:22"):
            with self.assertRaises(Usage):
                workers.engine(words, None)
        self.assertEqual(workers.engine(None, 3).count, 3)


@unittest.skipUnless(has_dask(), "no Dask: install python3-distributed")
class Cluster(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.processes = folder.name, []
        self.addCleanup(self.stop)
        self.environment = {**os.environ, "PYTHONPATH": ROOT}
        self.where = os.path.join(self.folder, "scheduler.json")
        self.start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", self.where)
        self.data = os.path.join(self.folder, "ring.csv")
        with open(self.data, "w", encoding="ascii") as file:
            file.write(sets.csv(*sets.ring(n=240)))

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def start(self, tool, *words):
        process = subprocess.Popen([PYTHON, "-m", f"distributed.cli.{tool}", *words], env=self.environment, cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def worker(self):
        return self.start("dask_worker", "--scheduler-file", self.where, "--nthreads", "1", "--no-nanny", "--no-dashboard")

    def address(self):
        end = time.monotonic() + 60
        while not os.path.exists(self.where) and time.monotonic() < end:
            time.sleep(0.1)
        with open(self.where, encoding="utf-8") as file:
            import json
            return json.load(file)["address"].replace("tcp://", "dask://")

    def fit(self, name, *more):
        command = [PYTHON, "-c", DRIVER.format(root=ROOT), "fit", self.data, "--flash", "400", "--time", "400", "--name", "m", "-o",
                   os.path.join(self.folder, name), *more]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def test_a_cluster_gives_the_same_bytes_though_a_worker_dies(self):
        run = self.fit("threads.h")
        _, err = run.communicate(timeout=300)
        self.assertEqual(run.returncode, 0, err)
        address, victim = self.address(), self.worker()
        self.worker()
        run = self.fit("cluster.h", "--workers", address)
        said = ""
        while "a plain linear model: best so far" not in said:
            line = run.stderr.readline()
            self.assertTrue(line, said)
            said += line
        victim.send_signal(signal.SIGKILL)
        _, err = run.communicate(timeout=300)
        self.assertEqual(run.returncode, 0, said + err)
        self.assertEqual(self.read("cluster.h"), self.read("threads.h"))
        self.assertIsNotNone(victim.poll())

    def test_no_scheduler_is_one_line(self):
        run = self.fit("none.h", "--workers", "dask://127.0.0.1:1")
        _, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 1, err)
        self.assertIn("gen: no Dask scheduler at 127.0.0.1:1", err.splitlines()[-1])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "none.h")))


if __name__ == "__main__":
    unittest.main()
