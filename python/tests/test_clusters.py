"""
The examples of python/examples on a cluster of this machine, each where its package is installed: the numbers of a loop, also when a worker is
killed while it answers.
"""

import csv
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PACKAGE)]

from gdp_kernel import Account  # noqa: E402

RUNS = [(k, 2 + k % 20 / 100, 0.01, 1000) for k in range(64)]
#: Put before the package on a worker's path: the first table that is answered beside a file of this name costs its process.
LOSES_A_WORKER = """
import os, signal
import gdp_kernel
whole = gdp_kernel.batch
def batch(table, **options):
    if len(table) > 1:
        try:
            os.close(os.open(os.environ["GDP_TEST_KILL"], os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return whole(table, **options)
gdp_kernel.batch = batch
"""


class Clusters(unittest.TestCase):
    def answers(self, script, package, needs=(), command=(sys.executable,), kills=True):
        """The rows that an example writes, by their number."""
        for each in (package, *needs):
            if importlib.util.find_spec(each) is None:
                self.skipTest(f"{each} is not installed")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "sitecustomize.py").write_text(LOSES_A_WORKER if kills else "")
            with open(folder / "runs.csv", "w", newline="") as file:
                csv.writer(file).writerows([("id", "noise_multiplier", "sampling_rate", "steps"), *RUNS])
            env = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{PACKAGE}", "GDP_TEST_KILL": str(folder / "killed")}
            env["PYSPARK_PYTHON"] = sys.executable
            words = [*command, str(PACKAGE / "examples" / script), "runs.csv", "answers.csv"]
            done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-4000:])
            self.assertEqual((folder / "killed").exists(), kills)
            with open(folder / "answers.csv", newline="") as file:
                return {int(row["id"]): row for row in csv.DictReader(file)}

    def check(self, rows):
        self.assertEqual(sorted(rows), [number for number, *_ in RUNS])
        for number, noise, rate, steps in RUNS[:20]:
            wanted = Account.dp_sgd(noise_multiplier=noise, sampling_rate=rate, steps=steps).epsilon(1e-5)
            for row in (rows[each] for each in range(number, len(RUNS), 20)):
                self.assertEqual((float(row["epsilon_lower"]), float(row["epsilon_upper"])), wanted)

    def test_ray(self):
        self.check(self.answers("on_ray.py", "ray", ["pandas", "pyarrow"]))

    def test_dask(self):
        self.check(self.answers("on_dask.py", "distributed", ["pandas", "dask"]))

    def test_spark(self):
        if shutil.which("java") is None:
            self.skipTest("there is no java")
        found = importlib.util.find_spec("pyspark")
        submit = str(Path(str(found and found.origin)).parent / "bin" / "spark-submit")
        # here, too, a task that is lost is run again
        self.check(self.answers("on_spark.py", "pyspark", ["pandas", "pyarrow"], [submit, "--master", "local[2,4]"]))

    def test_duckdb(self):
        self.check(self.answers("in_duckdb.py", "duckdb", ["numpy"], kills=False))


if __name__ == "__main__":
    unittest.main()
