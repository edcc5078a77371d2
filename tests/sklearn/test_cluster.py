"""GridSearchCV on a cluster of three of Dask's workers, real processes, one of which is killed on the way: the same results as
on one thread. Without python3-distributed this is skipped, and says so."""
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import joblib
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from gen.sklearn import MarginSVC

try:
    import distributed
except ImportError:
    distributed = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@unittest.skipUnless(distributed, "no Dask: install python3-distributed")
class Cluster(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.processes = folder.name, []
        self.addCleanup(self.stop)
        self.where = os.path.join(self.folder, "scheduler.json")
        self.start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", self.where)

    def start(self, tool, *words):
        process = subprocess.Popen([sys.executable, "-m", f"distributed.cli.{tool}", *words], cwd=self.folder,
                                   env={**os.environ, "PYTHONPATH": ROOT}, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def address(self):
        end = time.monotonic() + 60
        while not os.path.exists(self.where) and time.monotonic() < end:
            time.sleep(0.1)
        with open(self.where, encoding="utf-8") as file:
            return json.load(file)["address"]

    def search(self, X, y, splits):
        grid = {"C": [0.1, 1, 10, 100, 1000], "gamma": [0.03, 0.1, 0.3]}
        found = GridSearchCV(MarginSVC(tol=1e-6), grid, cv=splits).fit(X, y)
        scores = [found.cv_results_[name].tolist() for name in sorted(found.cv_results_) if name.startswith("split")]
        return scores, found.best_params_, found.best_estimator_._machine_.state()

    def test_a_cluster_that_loses_a_worker_finds_the_same(self):
        X = np.random.default_rng(5).normal(size=(900, 10))
        y = (X[:, 0] * X[:, 1] > 0.2 * X[:, 2]).astype(int)
        splits = list(StratifiedKFold(4).split(X, y))
        alone, address = self.search(X, y, splits), self.address()
        workers = [self.start("dask_worker", "--scheduler-file", self.where, "--nthreads", "1", "--no-nanny",
                              "--no-dashboard") for _ in range(3)]
        with distributed.Client(address, timeout="60s") as client:
            client.wait_for_workers(3, timeout=120)
            killer = threading.Thread(target=self.kill_when_busy, args=(client, workers[0]))
            killer.start()
            # Every worker gets all arrays. What joblib sends by itself goes to one worker, and would be lost with it.
            with joblib.parallel_backend("dask", scatter=[X, y, *itertools.chain(*splits)]):
                try:
                    together = self.search(X, y, splits)
                except TypeError as error:  # joblib's, for a result that was ready when its worker died: the search is started again
                    self.assertIn("CancelledError", str(error))
                    together = None
            killer.join()
            if together is None:
                with joblib.parallel_backend("dask", scatter=[X, y, *itertools.chain(*splits)]):
                    together = self.search(X, y, splits)
        self.assertIsNotNone(workers[0].poll())
        self.assertEqual(together, alone)

    def kill_when_busy(self, client, victim):
        """Waits until workers have trained something, then kills one of them."""
        end = time.monotonic() + 120
        while time.monotonic() < end and not any(client.processing().values()):
            time.sleep(0.02)
        victim.send_signal(signal.SIGKILL)
        victim.wait()


if __name__ == "__main__":
    unittest.main()
