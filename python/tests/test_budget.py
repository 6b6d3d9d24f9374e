"""A budget in a file: processes that spend at once, die in between, and share it with ``gdp budget``; what a crash leaves; refusals."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent)]

from gdp_kernel import Budget, Refused, _append, _budget, budget  # noqa: E402

NODE = shutil.which("node")


class Budgets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "team.ledger"

    def test_are_opened_paid_from_and_refuse(self):
        ledger = budget(self.path, "zcdp:0.3")
        first = ledger.spend("zcdp:0.1", id="week-1")
        self.assertEqual([first.granted, first.releases, first.readings[0].left], [True, 1, "0.2"])
        again = ledger.spend("zcdp:0.1", id="week-1")
        self.assertFalse(again.granted)
        self.assertRegex(again.reason, '"week-1" was paid at .* \\(release 1\\)')
        before = self.path.read_bytes()
        refused = ledger.spend({"kind": "zcdp", "rho": "0.1"}, count=3)
        self.assertEqual([refused.granted, refused.releases], [False, 1])
        self.assertIn("the budget does not cover it: the sum of rho would grow by 0.3, and 0.2 is left", refused.reason)
        self.assertEqual(self.path.read_bytes(), before)
        self.assertTrue(ledger.spend("zcdp:0.1", count=2).granted)
        left = budget(self.path).left(delta=1e-5)
        self.assertEqual([left.releases, left.readings[0].left], [3, "0"])
        self.assertTrue(3.5 < left.epsilon < 5.5)

    def test_may_be_of_each_record(self):
        ledger = Budget(self.path)
        self.assertTrue(ledger.open("gdp:1", per_record=True).granted)
        first = ledger.charge({"a": "gdp:0.8", "b": "gdp:0.1"}, id="one")
        self.assertEqual([first.granted, first.left_out, first.releases], [True, [], 1])
        second = ledger.charge({"a": "gdp:0.7", "b": "gdp:0.1"})
        self.assertEqual([second.granted, second.left_out, second.releases], [False, ["a"], 2])
        self.assertEqual(ledger.charge({"b": "gdp:0.1"}, id="one").left_out, [])
        left = ledger.left(record="b", delta=1e-5)
        self.assertEqual([left.readings[0].left, left.releases], ["0.98", 2])
        self.assertGreater(left.epsilon, 0)
        with self.assertRaisesRegex(Refused, '"spend" has no meaning for'):
            ledger.spend("gdp:0.1")

    def test_say_what_is_wrong(self):
        with self.assertRaisesRegex(Refused, "none.ledger: it cannot be read: No such file"):
            budget(self.path.parent / "none.ledger").left()
        with self.assertRaisesRegex(Refused, "it cannot be written: No such file"):
            budget(self.path.parent / "none" / "x.ledger", "gdp:1")
        with self.assertRaisesRegex(Refused, '"budget.mu" must be'):
            budget(self.path, "gdp:a")
        self.assertEqual(os.listdir(self.path.parent), [])
        ledger = budget(self.path, "gdp:1")
        before = self.path.read_bytes()
        with self.assertRaisesRegex(Refused, "it exists already; a ledger is never overwritten"):
            budget(self.path, "gdp:5")
        with self.assertRaisesRegex(Refused, "no theorem"):
            ledger.spend("zcdp:0.1")
        self.assertEqual([self.path.read_bytes(), os.listdir(self.path.parent)], [before, [self.path.name]])
        self.path.write_bytes(before.replace(b'"1"', b'"9"'))
        with self.assertRaisesRegex(Refused, "record 1: the ledger is damaged"):
            ledger.left()
        self.path.write_text("no ledger")
        with self.assertRaisesRegex(Refused, "it is not a ledger"):
            ledger.spend("gdp:0.1")

    def test_count_nothing_of_a_line_that_was_cut(self):
        ledger = budget(self.path, "gdp:1")
        ledger.spend("gdp:0.1")
        whole = self.path.read_bytes()
        ledger.spend("gdp:0.1", id="lost")
        lost = self.path.read_bytes()
        for length in (1, 60, len(lost) - len(whole) - 1):
            self.path.write_bytes(lost[: len(whole) + length])
            self.assertEqual(ledger.left().releases, 1)
            self.assertEqual(ledger.spend("gdp:0.1", id="lost").releases, 2)
            self.assertEqual(budget(self.path).left().readings[0].spent, "0.02")

    def test_look_again_where_another_came_first(self):
        ledger = budget(self.path, "gdp:1")
        other = budget(self.path)
        late = []

        def append(path, line):
            # between the question and its line
            if not late:
                late.append(True)
                self.assertTrue(other.spend("gdp:0.1").granted)
            _append.append(path, line)

        with mock.patch.object(_budget, "append", append):
            self.assertEqual(ledger.spend("gdp:0.1").releases, 2)
        self.assertEqual([self.path.read_bytes().count(b"\n"), ledger.left().releases], [3, 2])

    def test_tell_a_file_system_that_does_not_append(self):
        ledger = budget(self.path, "gdp:1")
        with mock.patch.object(_budget, "append", lambda path, line: None):
            with self.assertRaisesRegex(Refused, "a record that was written is not there"):
                ledger.spend("gdp:0.1")

    def test_serve_threads(self):
        ledger = budget(self.path, "gdp:0.5")
        granted = []
        work = [threading.Thread(target=lambda: granted.extend(ledger.spend("gdp:0.1").granted for _ in range(5))) for _ in range(6)]
        for each in work:
            each.start()
        for each in work:
            each.join()
        self.assertEqual([sum(granted), len(granted), ledger.left().readings[0].left], [25, 30, "0"])

    def test_serve_processes_that_are_killed(self):
        budget(self.path, "gdp:0.8")
        told, kills = [], 0
        chance = random.Random(3)

        def spender(name, most):
            nonlocal kills
            for life in range(most + 1):
                child = subprocess.Popen(
                    [sys.executable, str(HERE / "ledger_spender.py"), str(self.path), name, "40", "gdp:0.1"],
                    stdout=subprocess.PIPE,
                    text=True,
                )
                lines = 0
                limit = chance.randint(1, 12) if life < most else None
                for line in child.stdout:
                    if line.startswith(name):
                        told.append(line.strip())
                    lines += 1
                    if lines == limit:
                        # it is at any point of the next payment, or of the one after it
                        threading.Timer(chance.random() * 0.02, child.kill).start()
                code = child.wait()
                child.stdout.close()
                if code == 0:
                    return
                kills += 1

        work = [threading.Thread(target=spender, args=(name, 3)) for name in "ab"]
        for each in work:
            each.start()
        for each in work:
            each.join()
        ledger = budget(self.path)
        found = ledger.left()
        # 64 of the 80 asked for
        self.assertEqual([found.releases, found.readings[0].left], [64, "0"])
        self.assertEqual(len(set(told)), len(told))
        self.assertGreaterEqual(len(told), 64 - kills)
        self.assertGreater(kills, 2)
        for name in told:
            self.assertIn("was paid", ledger.spend("gdp:0.1", id=name).reason)

    @unittest.skipUnless(NODE and (ROOT / "dist" / "cli.js").exists(), "needs Node and npm run build")
    def test_are_those_of_gdp_budget(self):
        def gdp(*words):
            done = subprocess.run([NODE, str(ROOT / "dist" / "cli.js"), "budget", *words, "--json"], capture_output=True, text=True)
            return json.loads(done.stdout)

        path = str(self.path)
        gdp("open", path, "--budget", "gdp:0.5")
        ledger = budget(path)
        for k in range(3):
            ledger.spend("gdp:0.1", id=f"python-{k}")
            gdp("spend", path, "--spend", "gdp:0.1", "--id", f"node-{k}")
        said = gdp("left", path, "--delta", "1e-5")
        found = ledger.left(1e-5)
        self.assertEqual([found.releases, found.readings[0].left, found.epsilon], [6, said["readings"][0]["left"], said["odometer"]["epsilon"]])
        self.assertIn("was paid", gdp("spend", path, "--spend", "gdp:0.1", "--id", "python-2")["refused"])
        self.assertIn("was paid", ledger.spend("gdp:0.1", id="node-2").reason)


if __name__ == "__main__":
    unittest.main()
