"""The wheel in an empty environment, the example of the README there, and a training run of 100,000 steps."""

import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("GDP_", "PYTHON"))}

    def installed(self):
        """The Python of an empty environment that holds the wheel alone."""
        wheel = run(sys.executable, str(PACKAGE / "build_wheel.py"), self.folder.name).strip()
        place = Path(self.folder.name) / "venv"
        venv.create(place, with_pip=False)
        python = str(place / "bin" / "python")
        target = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        try:
            run(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--target", target, wheel)
        except AssertionError:
            # without pip, as a zip
            run(sys.executable, "-m", "zipfile", "-e", wheel, target)
        return python, wheel

    def test_runs_the_example_of_the_readme_alone(self):
        python, wheel = self.installed()
        text = (PACKAGE / "README.md").read_text(encoding="utf-8")
        code, printed = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.S).groups()
        elsewhere = {"cwd": self.folder.name, "env": self.environment}
        self.assertEqual(run(python, "-c", code, **elsewhere), printed)
        said = run(python, "-m", "gdp_kernel", "--version", **elsewhere).strip()
        self.assertIn(f"gdp_kernel-{said}-py3-none-any.whl", wheel)
        run(python, "-m", "gdp_kernel", "page", "--out", "page.html", **elsewhere)
        self.assertIn("<html", (Path(self.folder.name) / "page.html").read_text(encoding="utf-8"))
        again = run(sys.executable, str(PACKAGE / "build_wheel.py"), str(Path(self.folder.name) / "again")).strip()
        self.assertEqual(Path(wheel).read_bytes(), Path(again).read_bytes())

    def test_a_training_run_asks_every_thousand_steps(self):
        python, _ = self.installed()
        code = """
from gdp_kernel.opacus import GdpAccountant
accountant = GdpAccountant()
last = 0
for i in range(1, 100_001):
    accountant.step(noise_multiplier=1.1, sample_rate=0.001)
    if i % 1000 == 0:
        epsilon = accountant.get_epsilon(1e-5)
        assert epsilon > last
        last = epsilon
print(last)
"""
        start = time.monotonic()
        said = run(python, "-c", code, cwd=self.folder.name, env=self.environment)
        self.assertAlmostEqual(float(said), 1.3904167644965044, 9)
        print(f"100,000 steps, epsilon at every 1,000: {time.monotonic() - start:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
