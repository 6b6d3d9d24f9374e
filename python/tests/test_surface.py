"""What a Python programmer meets: paths, rows of values, NumPy, comparisons, formats, pictures, names of arguments."""

import json
import math
import os
import shutil
import sys
import tempfile
import unittest
import warnings
import zipfile
from decimal import Decimal
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent)]

import gdp_kernel  # noqa: E402
from gdp_kernel import _source  # noqa: E402
from gdp_kernel import Account, Bracket, Refused  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

RUN = Account.dp_sgd(noise_multiplier=2, sampling_rate=1, steps=30)


class Runs(unittest.TestCase):
    def test_are_read_from_a_path_a_text_and_data(self):
        path = ROOT / "examples" / "cifar10-wrn40.json"
        checkpoint = ROOT / "test" / "read" / "fixtures" / "checkpoint.pt"
        said = Account(json.loads(path.read_text())).epsilon()
        for run in (path, str(path), path.read_text()):
            self.assertEqual(Account(run).epsilon(), said)
        self.assertGreater(Account(checkpoint).epsilon().upper, 0)
        with self.assertRaisesRegex(Refused, "^run: there is no file 'state.jsn'$"):
            Account("state.jsn")
        for text in ("", "{", "GaussianDpEvent(noise_multiplier="):
            with self.assertRaisesRegex(Refused, "^run: it is"):
                Account(text).epsilon()
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(Refused, "it is a directory"):
                Account(folder).epsilon()

    @unittest.skipUnless(sys.platform == "linux", "names of other systems are Unicode")
    def test_are_read_from_a_path_that_is_not_unicode(self):
        checkpoint = (ROOT / "test" / "read" / "fixtures" / "checkpoint.pt").read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = os.fsdecode(os.path.join(os.fsencode(folder), b"dir \xff\xfe.pt"))
            with open(path, "wb") as file:
                file.write(checkpoint)
            said = Account(ROOT / "test" / "read" / "fixtures" / "checkpoint.pt").epsilon()
            self.assertEqual(Account(path).epsilon(), said)
            self.assertEqual(Account(Path(path)).epsilon(), said)
            with open(path, "wb") as file:
                file.write(b"{")
            with self.assertRaisesRegex(Refused, "^run: it is not valid JSON"):
                Account(path).epsilon()

    def test_are_sent_without_the_weights_of_a_checkpoint(self):
        checkpoint = ROOT / "test" / "read" / "fixtures" / "checkpoint.pt"
        with tempfile.TemporaryDirectory() as folder:
            large = Path(folder) / "large.pt"
            shutil.copy(checkpoint, large)
            with zipfile.ZipFile(large, "a") as archive:
                archive.writestr("checkpoint/data/99", os.urandom(2**22 + 1))
            self.assertLess(len(_source.content_of(str(large))), 2**20)
            run = Account(large)
            run._source = {"inputBase64": _source.content_of(str(large))}
            self.assertEqual(run.epsilon(), Account(checkpoint).epsilon())

    def test_are_no_tables_and_no_accounts(self):
        for run, hint in ((None, "a path, a text"), (RUN, "got Account"), (type("Table", (), {"columns": ["a"]})(), r"batch\(table\)")):
            with self.assertRaisesRegex(Refused, f"^run is what one run was: .*{hint}"):
                Account(run)

    def test_without_a_step_are_refused_unless_that_is_said(self):
        with self.assertRaisesRegex(Refused, "^run: its history is empty, as before training"):
            Account({"history": [], "mechanism": "gdp"}).epsilon()
        self.assertEqual(Account({"history": []}, allow_empty_history=True).epsilon(), (0, 0))

    def test_have_two_ends_not_one_value(self):
        answer = RUN.epsilon(1e-5)
        for wrong in (lambda: answer + 1, lambda: 1 + answer, lambda: 2 * answer, lambda: answer / 2, lambda: round(answer, 2)):
            with self.assertRaisesRegex(TypeError, "two ends: take .upper"):
                wrong()

    def test_show_what_they_are(self):
        self.assertEqual(repr(RUN), "Account.dp_sgd(noise_multiplier=2, sampling_rate=1, steps=30)")
        self.assertEqual(repr(Account({"history": []}, tolerance=1e-3)), "Account({'history': []}, tolerance=0.001)")
        self.assertLess(len(repr(Account({"history": [[1, 1, 1]] * 1000}))), 120)
        shown = RUN._repr_html_()
        self.assertIn(str(RUN.epsilon()), shown)
        self.assertEqual(shown.count("<svg"), 1)
        self.assertNotIn("<script", Account({"kind": "gaussian", "noiseMultiplier": 2}, method="auto")._repr_html_())

    def test_say_what_they_assume(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Account("GaussianDpEvent(noise_multiplier=2.0)").epsilon()
        self.assertEqual([each.category for each in caught], [gdp_kernel.Note])
        self.assertIn("unless adjacency says otherwise", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)


class Rows(unittest.TestCase):
    def test_of_deltas_are_answered_in_order(self):
        deltas = [1e-6, 1e-5, 1e-6]
        found = RUN.epsilon(deltas)
        self.assertEqual(list(found), [RUN.epsilon(delta) for delta in deltas])
        self.assertEqual(found.upper, [RUN.epsilon(delta).upper for delta in deltas])
        self.assertEqual([len(RUN.epsilon([1e-5])), len(RUN.delta(())), len(RUN.beta((0.1, 0.2)))], [1, 0, 2])
        self.assertEqual(RUN.tradeoff([0.1])[0], RUN.beta(0.1))
        self.assertIn("<table>", found._repr_html_())

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_and_numbers_of_numpy_go_in_and_come_out(self):
        alphas = numpy.array([[0.1, 0.2], [0.3, 0.4]])
        found = RUN.beta(alphas)
        self.assertEqual(found.lower.shape, (2, 2))
        self.assertEqual(found.lower.ravel().tolist(), RUN.beta([0.1, 0.2, 0.3, 0.4]).lower)
        self.assertEqual(RUN.epsilon(numpy.float64(1e-5)), RUN.epsilon(1e-5))
        single = numpy.float32(1.1)
        run = Account.dp_sgd(noise_multiplier=single, sampling_rate=numpy.float32(0.5), steps=numpy.int64(30))
        self.assertEqual(run.epsilon(), Account.dp_sgd(noise_multiplier=float(single), sampling_rate=0.5, steps=30).epsilon())
        self.assertEqual(Account({"history": numpy.array([[2.0, 1, 30]])}).epsilon(), RUN.epsilon())
        self.assertEqual(RUN.epsilon(numpy.array([])).upper.shape, (0,))


class Brackets(unittest.TestCase):
    def test_compare_as_proofs(self):
        bracket = Bracket(1.5, 2.0)
        self.assertTrue(bracket < 2.5 and bracket <= 2.0 and bracket > 1 and bracket >= 1.5)
        # 1.75 may be above or below the exact value
        self.assertFalse(bracket < 1.75 or bracket > 1.75 or bracket <= 1.75 or bracket >= 1.75)
        self.assertTrue(1 < bracket < 3 and Bracket(0, 1) < bracket and not bracket < Bracket(1.9, 3))
        self.assertTrue(1.75 in bracket and 2.5 not in bracket)
        self.assertEqual(bracket, (1.5, 2.0))

    def test_have_no_one_number(self):
        self.assertEqual(float(Bracket(1.5, 2).upper), 2.0)
        with self.assertRaisesRegex(TypeError, "take .upper"):
            float(Bracket(1.5, 2))

    def test_are_formatted_outwards(self):
        self.assertEqual(f"{Bracket(1.51536191, 1.51536192):.4f}", "[1.5153, 1.5154]")
        self.assertEqual(f"{Bracket(1.51536191, 1.51536192):.2e}", "[1.51e+0, 1.52e+0]")
        # the double, not its shortest decimal: 0.1 is above 1/10, 0.3 below 3/10
        self.assertEqual(f"{Bracket(0.1, 0.1):.1f} {Bracket(0.3, 0.3):.1f}", "[0.1, 0.2] [0.2, 0.3]")
        self.assertEqual(str(Bracket(1.1, 1.1)), "[1.1, 1.100001]")
        self.assertEqual(str(Bracket(2.0, 1e22)), "[2, 1e+22]")
        self.assertEqual(f"{Bracket(1e-5, 123456.7):.3g}", "[1e-05, 1.24e+05]")
        self.assertEqual(f"{Bracket(-0.1, 0.1):.17g}", "[-0.10000000000000001, 0.10000000000000001]")
        self.assertEqual(str(Bracket(0, math.inf)), "[0, inf]")
        x = 0.1
        for _ in range(500):
            x = (x * 16807 + 0.1234567) % 97
            for spec in (".1f", ".3f", ".0e", ".5e", ".4g", ".9g", ".17g", ".20g", ""):
                ends = format(Bracket(x, x), spec)[1:-1].split(", ")
                self.assertTrue(Decimal(ends[0]) <= Decimal(x) <= Decimal(ends[1]), (x, spec, ends))


class Arguments(unittest.TestCase):
    def test_are_called_by_their_names(self):
        for ask, sentence in (
            (lambda: RUN.epsilon(2), '"delta" must be a number in [0, 1], got "2"'),
            (lambda: RUN.epsilon(math.nan), '"delta" must be a number in [0, 1], got "NaN"'),
            (lambda: RUN.delta(math.inf), '"epsilon" must be a finite number, got "Infinity"'),
            (lambda: RUN.measure(alpha_min=7), '"alpha_min" must be a number in (0, 0.5), got "7"'),
            (lambda: Account({"history": [[2, 1, 30]]}, tolerance=-1).epsilon(), '"tolerance" must be'),
            (lambda: RUN.epsilon(object()), "delta must be made of numbers"),
            (lambda: RUN.report(titel="x"), 'did you mean "title"?'),
        ):
            with self.assertRaises(Refused) as caught:
                ask()
            self.assertIn(sentence, str(caught.exception))
            self.assertNotIn("--", str(caught.exception))

    def test_of_dp_sgd_are_refused_at_once(self):
        good = {"noise_multiplier": 2, "sampling_rate": 1, "steps": 30}
        for name, value in (
            ("noise_multiplier", -1),
            ("noise_multiplier", math.nan),
            ("noise_multiplier", "2"),
            ("sampling_rate", 1.5),
            ("steps", 10.9),
            ("steps", math.inf),
            ("epochs", -1),
        ):
            with self.assertRaisesRegex(Refused, f'^"{name}" must be '):
                Account.dp_sgd(**{**good, name: value})

    def test_of_calibrate_are_asked_for(self):
        target = {"epsilon": 2, "delta": 1e-5}
        for unknown, given, needed in (
            ("noise_multiplier", {}, "steps and sampling_rate"),
            ("noise-multiplier", {"sampling_rate": 0.01}, "steps"),
            ("steps", {"sampling_rate": 1}, "noise_multiplier"),
            ("sampling_rate", {"noise_multiplier": 1}, "steps"),
            ("laplace_scale", {"steps": 1}, "sensitivity"),
        ):
            with self.assertRaisesRegex(Refused, rf"^calibrate needs {needed} \("):
                gdp_kernel.calibrate(unknown, **target, **given)
        with self.assertRaisesRegex(Refused, "^dp_sgd needs noise_multiplier, sampling_rate and steps, or "):
            Account.dp_sgd(noise_multiplier=2, sampling_rate=1, steps=None)
        found = gdp_kernel.calibrate("steps", **target, noise_multiplier=2, sampling_rate=1)
        at = Account.dp_sgd(noise_multiplier=2, sampling_rate=1, steps=found.value)
        over = Account.dp_sgd(noise_multiplier=2, sampling_rate=1, steps=found.value + 1)
        self.assertTrue(at.epsilon(1e-5) <= 2 < over.epsilon(1e-5))
        self.assertEqual(found.unknown, "steps")
        whole = gdp_kernel.calibrate("steps", **target, noise_multiplier=20, sampling_rate=1).value
        history = [[20, 1, 10], [20, 1, "?"]]
        self.assertEqual(gdp_kernel.calibrate(run={"history": history}, **target).value, whole - 10)
        with self.assertWarnsRegex(gdp_kernel.Note, "the steps to come are as the last"):
            self.assertEqual(gdp_kernel.calibrate("steps", {"history": history[:1]}, **target).value, whole - 10)
        epochs = gdp_kernel.calibrate(**target, sampling="poisson", batch_size=10, dataset_size=10, epochs=1)
        self.assertAlmostEqual(epochs.value, gdp_kernel.calibrate(**target, sampling_rate=1, steps=1).value, 6)


if __name__ == "__main__":
    unittest.main()
