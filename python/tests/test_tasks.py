"""The ten tasks of the README as people wrote them who had read no more than it: other numbers, other spellings."""

import sys
import tempfile
import unittest
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from gdp_kernel import Account, Meter, Note, Refused, batch, calibrate  # noqa: E402

PLAN = {"batch_size": 256, "dataset_size": 60_000, "epochs": 10}


class Tasks(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore", Note)
        self.run_of_ten = Account.dp_sgd(noise_multiplier=1.1, **PLAN)

    def test_the_epsilon_of_a_run(self):
        epsilon = Account.dp_sgd(noise_multiplier=1.1, sample_rate=256 / 60000, steps=2350).epsilon(delta=1e-5)
        self.assertEqual([f"{epsilon:.2f}", f"{epsilon.upper:.2f}", epsilon < 1], ["[0.92, 0.93]", "0.92", True])

    def test_by_epochs(self):
        self.assertEqual(self.run_of_ten.epsilon(1e-5), Account([(1.1, 256 / 60000, 2350)]).epsilon(1e-5))

    def test_noise_for_a_target(self):
        found = calibrate(epsilon=2, delta=1e-5, **PLAN)
        planned = Account.dp_sgd(noise_multiplier=found.noise_multiplier, **PLAN)
        self.assertTrue(planned.epsilon(1e-5) <= 2)
        self.assertEqual(found.achieved["epsilon"].upper, planned.epsilon(1e-5).upper)

    def test_steps_that_are_left(self):
        left = Account([(1.1, 0.01, 1000)]).steps_left(epsilon=3, delta=1e-5)
        self.assertTrue(Account([(1.1, 0.01, 1000 + left)]).epsilon(1e-5) <= 3)
        self.assertTrue(Account([(1.1, 0.01, 1001 + left)]).epsilon(1e-5) > 3)

    def test_many_runs(self):
        table = {"noise_multiplier": [1.1, 0.9, 1.1], "sampling_rate": [0.01, 0.02, 0.01], "steps": [1000, 200, 1000]}
        found = batch(table, delta=1e-5)
        self.assertEqual(found["epsilon_upper"][0], Account([(1.1, 0.01, 1000)]).epsilon(1e-5).upper)
        self.assertEqual(found["epsilon_upper"][0], found["epsilon_upper"][2])

    def test_what_attacks_reach(self):
        risk = self.run_of_ten.risk()
        self.assertEqual(f"{risk.advantage.upper:.0%}", "9%")
        rate = self.run_of_ten.risk(fpr=0.01).true_positive_rate[0.01]
        self.assertEqual(rate, self.run_of_ten.risk(fpr=[0.01]).true_positive_rate[0.01])
        self.assertTrue(0.01 < rate.lower <= rate.upper < 0.03)

    def test_another_loader(self):
        shuffled = Account.dp_sgd(noise_multiplier=1.1, sampling="shuffled", **PLAN)
        self.assertTrue(shuffled.epsilon(1e-5) > self.run_of_ten.epsilon(1e-5))
        with self.assertRaisesRegex(Refused, '"sampling" must be one of poisson, .*, got "fixed-size"'):
            Account.dp_sgd(noise_multiplier=1.1, sampling="fixed-size", **PLAN).epsilon(1e-5)

    def test_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, begins in (("a.html", "<!doctype html>"), ("a.md", "# (0.921, 1e-5)")):
                page = self.run_of_ten.save_report(Path(folder) / name)
                self.assertTrue(page.read_text(encoding="utf-8").startswith(begins), name)

    def test_a_cell_of_a_notebook(self):
        html = self.run_of_ten._repr_html_()
        self.assertTrue("<table" in html and "<svg" in html)

    def test_when_to_stop(self):
        meter = Meter(noise_multiplier=1.1, batch_size=256, dataset_size=60_000, delta=1e-5).stop_at(epsilon=1)
        taken = 0
        while not meter.done:
            meter.step()
            taken += 1
        self.assertEqual(meter.steps, taken)
        self.assertTrue(meter.epsilon() <= 1)
        self.assertTrue(Account([(1.1, 256 / 60000, taken + 1)]).epsilon(1e-5) > 1)

    def test_a_meter_says_what_it_lacks(self):
        for wrong in ({"batch_size": 256}, {"batch_size": 256, "dataset_size": 60_000, "sampling_rate": 0.01}):
            with self.assertRaisesRegex(Refused, "give either sampling_rate, or batch_size and dataset_size"):
                Meter(noise_multiplier=1, **wrong)
        with self.assertRaisesRegex(Refused, "batch_size must be from 1 to dataset_size"):
            Meter(noise_multiplier=1, batch_size=10, dataset_size=5)
        with self.assertRaisesRegex(TypeError, 'Meter has no argument "sigma"; did you mean "noise_multiplier"'):
            Meter(sigma=1)


if __name__ == "__main__":
    unittest.main()
