"""Fresh machines: each distribution in an empty environment, with and without Node; the example of the README there; a training run of 100,000 steps."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent
ROOT = PACKAGE.parent
sys.path[:0] = [str(PACKAGE)]

import build_wheel  # noqa: E402

#: What it takes from `import` to the first answer, and what that is.
FIRST = """
import json, time
start = time.process_time()
import gdp_kernel
from gdp_kernel._engines import engine
first = gdp_kernel.Account([(1.1, 0.01, 1000)]).epsilon(1e-5)
print(json.dumps([engine().name, first, time.process_time() - start, gdp_kernel.__file__]))
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


class Fresh(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("GDP_", "PYTHON"))}
        self.without_node = {**self.environment, "PATH": "/nowhere"}

    def empty(self, pip=False):
        place = Path(self.folder.name) / "venv"
        venv.create(place, with_pip=pip)
        return str(place / "bin" / "python")

    def installed(self, *options):
        """The Python of an empty environment that holds a wheel alone."""
        wheel = run(sys.executable, str(PACKAGE / "build_wheel.py"), *options, self.folder.name).strip()
        python = self.empty()
        target = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        try:
            run(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--target", target, wheel)
        except AssertionError:
            # without pip, as a zip
            run(sys.executable, "-m", "zipfile", "-e", wheel, target)
        return python, wheel

    def first(self, python, environment):
        return json.loads(run(python, "-c", FIRST, cwd=self.folder.name, env=environment))


class Wheel(Fresh):
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
        # without Node it says what there is
        done = subprocess.run([python, "-c", FIRST], cwd=self.folder.name, env=self.without_node, capture_output=True, text=True)
        self.assertIn("pip install 'gdp-kernel[node]', 'gdp-kernel[v8]' or 'gdp-kernel[wasm]'", done.stderr.splitlines()[-1])

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


class Native(Fresh):
    def setUp(self):
        super().setUp()
        if not any(build_wheel._library(ROOT / "build" / "native")):
            self.skipTest("NOT TESTED: npm run native made no library")

    def check(self, python):
        name, (_, upper), cost, file = self.first(python, self.without_node)
        self.assertEqual([name, upper], ["native", 1.51536191666548])
        self.assertLess(cost, 1)
        return file

    def test_wheel_answers_without_node(self):
        python, wheel = self.installed("--native")
        self.assertRegex(wheel, r"-py3-none-(manylinux|musllinux|macosx|win)")
        self.check(python)

    def test_source_distribution_builds_and_answers_without_node(self):
        if shutil.which("cc") is None or shutil.which("pip3") is None:
            self.skipTest("NOT TESTED: there is no C compiler, or no pip")
        archive = run(sys.executable, str(PACKAGE / "build_wheel.py"), "--sdist", self.folder.name).strip()
        python = self.empty(pip=True)
        tools = os.pathsep.join({str(Path(shutil.which("cc")).parent), "/usr/bin", "/bin"})
        run(python, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--quiet", archive, env={**self.environment, "PATH": tools})
        self.assertIn(self.folder.name, self.check(python))

    def test_editable_install_runs_what_the_repository_built(self):
        python = self.empty(pip=True)
        run(python, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--quiet", "-e", str(PACKAGE), env=self.environment)
        self.assertIn(str(PACKAGE), self.check(python))


class Tags(unittest.TestCase):
    def test_name_the_platform_of_a_library(self):
        for target, library, tag in (
            ("x86_64-linux-gnu.2.17", b"GLIBC_2.2.5 GLIBC_2.14", "manylinux_2_17_x86_64.manylinux2014_x86_64"),
            ("aarch64-linux-gnu.2.28", b"GLIBC_2.17 GLIBC_2.28", "manylinux_2_28_aarch64"),
            ("x86_64-linux-musl", b"", "musllinux_1_1_x86_64"),
            ("x86_64-windows-gnu", b"", "win_amd64"),
            ("aarch64-macos", b"", "macosx_11_0_arm64"),
        ):
            self.assertEqual(build_wheel.platform_tag(library, target), tag)


if __name__ == "__main__":
    unittest.main()
