"""The package, a script of a user and mistakes in one, as mypy and pyright read them; each where it is installed."""

import importlib.util
import re
import subprocess
import sys
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent

CHECKERS = {
    "mypy": [sys.executable, "-m", "mypy", "--strict", "--no-incremental"],
    "pyright": [sys.executable, "-m", "pyright", "--pythonpath", sys.executable],
}


def lines_of(text):
    """The lines of a checker's output that are errors, by their numbers."""
    return {int(found[1]) for found in re.finditer(r"user_mistakes\.py:(\d+):[^\n]*\berror:", text)}


class Types(unittest.TestCase):
    def check(self, name):
        if importlib.util.find_spec(name) is None:
            self.skipTest(f"{name} is not installed")
        scripts = ["tests/user_script.py"]
        if all(importlib.util.find_spec(each) for each in ("numpy", "pandas", "pandas-stubs")):
            scripts.append("tests/user_arrays.py")
        right = [*CHECKERS[name], "gdp_kernel", *scripts]
        done = subprocess.run(right, cwd=PACKAGE, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        mistakes = PACKAGE / "tests" / "user_mistakes.py"
        wanted = {i for i, line in enumerate(mistakes.read_text().splitlines(), 1) if line.endswith("# error")}
        found = subprocess.run([*CHECKERS[name], "tests/user_mistakes.py"], cwd=PACKAGE, capture_output=True, text=True)
        self.assertEqual(lines_of(found.stdout), wanted, found.stdout)

    def test_pass_mypy(self):
        self.check("mypy")

    def test_pass_pyright(self):
        self.check("pyright")


if __name__ == "__main__":
    unittest.main()
