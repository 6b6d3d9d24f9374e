"""The package against the command line, and against stand-ins that hold the signatures of Opacus and dp_accounting."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(HERE / "stand_ins"), str(HERE)]

import dp_accounting as dp  # noqa: E402
import gdp_kernel  # noqa: E402
import opacus.accountants as opacus  # noqa: E402
from gdp_kernel import _child, _client, _engines  # noqa: E402
from gdp_kernel.dp_accounting import GdpKernelAccountant, event_data  # noqa: E402
from gdp_kernel.opacus import GdpAccountant  # noqa: E402
from opacus_shape import SHAPES, shape_of  # noqa: E402


#: A run that released nothing, which is answered at once.
NOTHING = {"kind": "compose", "parts": []}


def gdp(*args, stdin=""):
    command = [_child.node(), _child.script(), *args, "--json"]
    return json.loads(subprocess.run(command, input=stdin, capture_output=True, text=True, check=True).stdout)


class Answers(unittest.TestCase):
    def test_are_those_of_the_command_line(self):
        phase = ["--noise-multiplier", "2", "--sampling-rate", "1", "--steps", "30"]
        account = gdp_kernel.Account.dp_sgd(noise_multiplier=2, sampling_rate=1, steps=30)
        self.assertEqual(account.epsilon(1e-6), gdp_kernel.Bracket.of(gdp("epsilon", *phase, "--delta", "1e-6")["epsilon"]))
        self.assertEqual(account.delta(1), gdp_kernel.Bracket.of(gdp("delta", *phase, "--epsilon", "1")["delta"]))
        self.assertEqual(account.beta(0.1), gdp_kernel.Bracket.of(gdp("tradeoff", *phase, "--alpha", "0.1")["beta"]))
        self.assertEqual(gdp_kernel.measure(account), account.measure())
        self.assertAlmostEqual(account.mu().upper, 30**0.5 / 2, 8)
        self.assertEqual(account.mechanism()["count"], 30)
        self.assertIn("-differentially private", gdp_kernel.report(account, unit="one patient"))
        self.assertEqual(json.loads(account.report("json", delta=[1e-6]))["format"], "gdp-kernel-report/1")
        self.assertEqual(gdp_kernel.noise_multiplier_of(0.012, 15, mean_of=5000), 4)
        self.assertEqual(gdp_kernel.noise_multiplier_of(3, 1.5, clip_groups=16), 0.5)
        with self.assertRaises(gdp_kernel.Refused):
            gdp_kernel.noise_multiplier_of(1, 0)
        found = gdp_kernel.calibrate(epsilon=1, delta=1e-5, sampling_rate=1, steps=1)
        self.assertEqual(found.value, gdp("calibrate", "--epsilon", "1", "--delta", "1e-5", "--sampling-rate", "1", "--steps", "1")["value"])
        self.assertEqual(gdp_kernel.calibrate(epsilon=(each for each in [1, 2]), delta=1e-5, sampling_rate=1, steps=1)[0], found)
        self.assertEqual(gdp_kernel.Account({"kind": "gaussian", "noiseMultiplier": 0}).epsilon(), (float("inf"),) * 2)

    def test_are_refused_in_the_sentence_of_the_command_line(self):
        account = gdp_kernel.Account({"kind": "dp-sgd", "noiseMultiplier": 2, "samplingRate": 3, "steps": 30})
        with self.assertRaisesRegex(gdp_kernel.Refused, r'samplingRate" must be .* got 3'):
            account.epsilon()
        with self.assertRaisesRegex(gdp_kernel.Refused, "out of reach"):
            gdp_kernel.calibrate(epsilon=1, delta=0, sampling_rate=0.1, steps=1)
        with self.assertRaisesRegex(gdp_kernel.Refused, "did you mean"):
            gdp_kernel.calibrate(epsilonn=1, steps=1, sampling_rate=1)
        for value, shown in ((float("nan"), "NaN"), (float("-inf"), "-Infinity")):
            with self.assertRaisesRegex(gdp_kernel.Refused, rf'^run: "history\[0\]\[0\] .* got "{shown}"'):
                gdp_kernel.Account({"history": [[value, 1, 1]]}).epsilon()
        with self.assertRaisesRegex(gdp_kernel.Refused, r"^run\['history'\]\[0\]\[0\] must be made of .* got object"):
            gdp_kernel.Account({"history": [[object(), 1, 1]]}).epsilon()

    def test_come_to_many_threads_at_once(self):
        found = {}

        def ask(steps):
            run = {"history": [[2, 1, steps]]}
            found[steps] = gdp_kernel.Account(run).epsilon(1e-5)

        threads = [threading.Thread(target=ask, args=(steps,)) for steps in range(1, 13)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([found[n].upper for n in sorted(found)], sorted(found[n].upper for n in found))
        self.assertEqual(len(set(found.values())), 12)

    def test_a_state_of_opacus_may_name_its_accountant_by_a_method(self):
        # Opacus 1.1 to 1.5 holds the class method in the place of its name
        named = type("RDPAccountant", (), {"mechanism": classmethod(lambda cls: "rdp")})
        named.mechanism.__func__.__name__ = "mechanism"
        run = {"history": [(1.1, 0.01, 1000)], "mechanism": named.mechanism}
        self.assertEqual(gdp_kernel.Account(run).epsilon(1e-5), gdp_kernel.Account({**run, "mechanism": "rdp"}).epsilon(1e-5))

    def test_version_is_that_of_the_package(self):
        package = json.loads((ROOT / "package.json").read_text())
        self.assertEqual(gdp_kernel.__version__, package["version"])


class Failures(unittest.TestCase):
    def child(self):
        """What answers, where it is a child process."""
        if not isinstance(_engines.engine(), _child.Child):
            self.skipTest("another engine answers in this process")
        return _engines._only

    #: A run of hours.
    LONG = {"kind": "compose", "parts": [{"kind": "laplace", "scale": 1 + i / 7, "sensitivity": 1} for i in range(4000)]}

    def test_a_question_is_asked_again_of_another_child_once(self):
        gone = gdp_kernel.AccountingError("gdp-kernel's process ended before it answered")
        dead = [types.SimpleNamespace(alive=False, ask=unittest.mock.Mock(side_effect=gone)) for _ in range(3)]
        with unittest.mock.patch.object(_client, "engine", side_effect=dead):
            with self.assertRaisesRegex(gdp_kernel.AccountingError, "process ended before it answered"):
                gdp_kernel.Account(NOTHING).epsilon()
        self.assertEqual([each.ask.call_count for each in dead], [1, 1, 0])
        # one death costs nothing
        child = self.child()
        send = child._send
        child._send = lambda line: (child.process.kill(), child.process.wait(), send(line))
        self.assertEqual(gdp_kernel.Account(NOTHING).epsilon().upper, 0)
        self.assertIsNot(_engines._only, child)

    def test_a_child_that_has_just_died_is_replaced(self):
        child = self.child()
        child.process.kill()
        while not child._ended:
            time.sleep(0.01)
        # as it is until the thread that reads has noticed
        child._ended = False
        self.assertEqual(gdp_kernel.Account(NOTHING).epsilon().upper, 0)
        self.assertIsNot(_engines._only, child)

    def test_a_call_may_have_a_limit(self):
        start = time.monotonic()
        with self.assertRaisesRegex(gdp_kernel.AccountingError, "within 0.2 seconds"):
            gdp_kernel.Account(self.LONG, method="grid", tolerance=1e-9, timeout=0.2).report()
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual(gdp_kernel.Account(NOTHING).epsilon().upper, 0)

    def test_a_request_of_many_phases_is_answered_and_one_that_is_too_long_refused(self):
        # more than the 4 MiB that gdp serve reads of a line unless told otherwise
        long = GdpAccountant()
        long.history = [(2.0 + i * 1e-7, 1.0, 1) for i in range(3)] + [(0.0, 0.0, 1)] * 200_000
        with self.assertRaisesRegex(gdp_kernel.Refused, "at most 100000"):
            long.get_epsilon(1e-5)
        title = "x" * 5_000_000
        self.assertIn("-differentially private", gdp_kernel.report({"history": [[2, 1, 30]]}, title=title))
        with self.assertRaisesRegex(gdp_kernel.Refused, "at most 67108864 can be asked at once"):
            gdp_kernel.report(NOTHING, title="x" * 2**26)
        self.assertEqual(gdp_kernel.Account(NOTHING).epsilon().upper, 0)

    def test_an_error_of_nobody_leaves_nobody_waiting(self):
        child = self.child()
        spoiler = threading.Timer(0.3, lambda: child._send("no json\n"))
        spoiler.start()
        with self.assertRaisesRegex(gdp_kernel.AccountingError, "not valid JSON"):
            gdp_kernel.Account(self.LONG, method="grid", tolerance=1e-9).report()
        child.process.kill()
        spoiler.join()

    def test_without_node_one_sentence_says_so(self):
        def fails(node, sentence):
            code = "import gdp_kernel; gdp_kernel.Account('GaussianDpEvent(1.0)').epsilon()"
            done = subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "GDP_KERNEL_ENGINE": "node", "GDP_KERNEL_NODE": node, "PYTHONPATH": str(HERE.parent)},
                capture_output=True,
                text=True,
            )
            self.assertEqual(done.returncode, 1)
            self.assertIn(sentence, done.stderr.splitlines()[-1])

        fails("no-such-node", "gdp-kernel needs Node 20.19 or newer, and there is no 'no-such-node' on the PATH")
        with tempfile.TemporaryDirectory() as folder:
            old = Path(folder) / "node"
            old.write_text("#!/bin/sh\necho v18.20.4\n")
            old.chmod(old.stat().st_mode | stat.S_IXUSR)
            fails(str(old), f"gdp-kernel needs Node 20.19 or newer, and {old} is v18.20.4")


class Opacus(unittest.TestCase):
    def test_takes_the_accountant(self):
        opacus.register_accountant("gdp-kernel", GdpAccountant)
        accountant = opacus.create_accountant("gdp-kernel")
        self.assertIsInstance(accountant, opacus.IAccountant)
        for _ in range(20):
            accountant.step(noise_multiplier=2.0, sample_rate=1.0)
        optimizer = type("Optimizer", (), {"noise_multiplier": 2.0, "accumulated_iterations": 2})
        accountant.get_optimizer_hook_fn(0.5)(optimizer)
        self.assertEqual([len(accountant), accountant.history], [21, [(2.0, 1.0, 21)]])
        self.assertEqual(accountant.mechanism(), "gdp-kernel")
        bracket = accountant.get_bracket(1e-5)
        self.assertEqual(accountant.get_epsilon(delta=1e-5), bracket.upper)
        self.assertLess(bracket.lower, bracket.upper * (1 + 1e-12))
        self.assertAlmostEqual(accountant.get_mu().mu.upper, 21**0.5 / 2, 8)
        with self.assertRaises(TypeError):
            accountant.get_epsilon(1e-5, alphas=[2])

    def test_is_beside_accountants_of_every_release(self):
        self.addCleanup(setattr, opacus, "VERSION", opacus.VERSION)
        for release, shape in SHAPES.items():
            opacus.VERSION = tuple(map(int, release.split(".")[:2]))
            found = shape_of(opacus)
            # a stand-in has every name
            self.assertEqual({**found, "registers": shape["registers"]}, shape, release)
            ours = GdpAccountant()
            ours.step(noise_multiplier=2.0, sample_rate=1.0)
            theirs = opacus.RDPAccountant()
            theirs.load_state_dict(ours.state_dict(mechanism="rdp"))
            theirs.step(noise_multiplier=2.0, sample_rate=1.0)
            ours.load_state_dict(theirs.state_dict())
            self.assertEqual(ours.history, [(2.0, 1.0, 2)])
            asked = opacus.GaussianAccountant()
            asked.step(noise_multiplier=2.0, sample_rate=1.0)
            asked.get_epsilon(delta=1e-5)
            if shape["asked"]:
                ours.load_state_dict(asked.state_dict())
            else:
                with self.assertRaisesRegex(ValueError, "the history is empty. GaussianAccountant"):
                    ours.load_state_dict(asked.state_dict())
            self.assertEqual(GdpAccountant().state_dict()["mechanism"], "gdp-kernel")
            self.assertEqual(GdpAccountant().get_epsilon(1e-5), 0)

    def test_checkpoints_are_read_both_ways_and_by_the_command_line(self):
        ours = GdpAccountant()
        ours.step(noise_multiplier=2.0, sample_rate=1.0)
        ours.step(noise_multiplier=3.0, sample_rate=1.0)
        theirs = opacus.RDPAccountant()
        theirs.load_state_dict(ours.state_dict(mechanism="rdp"))
        theirs.step(noise_multiplier=3.0, sample_rate=1.0)
        back = GdpAccountant()
        back.load_state_dict(theirs.state_dict())
        self.assertEqual(len(back), 3)
        with self.assertRaises(ValueError):
            theirs.load_state_dict(ours.state_dict())
        said = gdp("epsilon", "-", stdin=json.dumps(back.state_dict()))["epsilon"]
        self.assertEqual(gdp_kernel.Bracket.of(said), back.get_bracket(1e-5))
        part = {"history": [(2.0, 1.0, 10.9)], "mechanism": "rdp"}
        with self.assertRaisesRegex(ValueError, "whole number, got 10.9"):
            back.load_state_dict(part)
        fractional = GdpAccountant()
        fractional.history = part["history"]
        with self.assertRaisesRegex(ValueError, "whole number, got 10.9"):
            fractional.get_epsilon(1e-5)
        back.load_state_dict({"history": [(2.0, 1.0, 3.0)], "mechanism": "rdp"})
        self.assertEqual(back.history, [(2.0, 1.0, 3)])
        for bad in ({}, {"history": []}, {"mechanism": "rdp"}, {"history": [(1, 2)], "mechanism": "rdp"}):
            with self.assertRaises(ValueError):
                back.load_state_dict(bad)
        self.assertEqual(len(back), 3)
        self.assertEqual(repr(back), "GdpAccountant(3 steps: [(2.0, 1.0, 3)])")


class DpAccounting(unittest.TestCase):
    def test_composes_every_event(self):
        gaussian = dp.GaussianDpEvent(2.0)
        events = [
            dp.NoOpDpEvent(),
            gaussian,
            dp.LaplaceDpEvent(2.0),
            dp.DiscreteLaplaceDpEvent(0.5, 1),
            dp.DiscreteGaussianDpEvent(2.0),
            dp.EpsilonDeltaDpEvent(0.5, 1e-6),
            dp.RandomizedResponseDpEvent(0.5, 3),
            dp.ZCDpEvent(0.1),
            dp.ExponentialMechanismDpEvent(0.5),
            dp.PermuteAndFlipDpEvent(0.5),
            dp.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0, 2.0], [0.5, 0.25, 0.25]),
            dp.PoissonSampledDpEvent(0.1, gaussian),
            dp.SelfComposedDpEvent(gaussian, 3),
            dp.ComposedDpEvent([gaussian, dp.LaplaceDpEvent(3.0)]),
        ]
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "answers.jsonl"
            lines = "".join(json.dumps(event_data(event)) + "\n" for event in events)
            gdp("batch", "-", "--delta", "1e-3", "--out", str(out), "--workers", "1", stdin=lines)
            answers = [json.loads(line) for line in out.read_text().splitlines()]
        for event, answer in zip(events, answers):
            accountant = GdpKernelAccountant()
            self.assertIsInstance(accountant, dp.PrivacyAccountant)
            self.assertTrue(accountant.supports(event), event_data(event))
            said = gdp_kernel.Bracket(answer["epsilon_at_1e-3_lower"], answer["epsilon_at_1e-3_upper"])
            self.assertEqual(accountant.compose(event).get_bracket(1e-3), said, event_data(event))

    def test_events_of_a_record_that_keeps_its_place(self):
        tree = dp.SingleEpochTreeAggregationDpEvent(2.0, [3, 7])
        self.assertFalse(GdpKernelAccountant().supports(tree))
        special = GdpKernelAccountant(dp.NeighboringRelation.REPLACE_SPECIAL)
        self.assertTrue(special.supports(tree))
        self.assertEqual(
            special.compose(tree).get_bracket(1e-3),
            GdpKernelAccountant().compose(dp.GaussianDpEvent(2.0), 3).get_bracket(1e-3),
        )

    def test_reads_what_jax_privacy_composes(self):
        # a mixture of a user's records, whose distances are a range
        mixture = dp.MixtureOfGaussiansDpEvent(2.0, range(3), [0.5, 0.25, 0.25])
        same = dp.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0, 2.0], [0.5, 0.25, 0.25])
        said = GdpKernelAccountant().compose(same, 2).get_epsilon(1e-5)
        modules = {name: types.ModuleType(name) for name in ("jax_privacy", "jax_privacy.accounting", "jax_privacy.accounting.accountants")}
        modules["jax_privacy.accounting.accountants"].PldAccountantConfig = type("PldAccountantConfig", (), {"__slots__": ()})
        modules["dp_accounting.pld"] = types.ModuleType("dp_accounting.pld")
        modules["dp_accounting.pld"].PLDAccountant = type("PLDAccountant", (dp.PrivacyAccountant,), {})
        with unittest.mock.patch.dict(sys.modules, modules):
            sys.modules.pop("gdp_kernel.jax_privacy", None)
            from gdp_kernel.jax_privacy import AccountantConfig

            accountant = AccountantConfig().create_accountant()
            self.assertIsInstance(accountant, modules["dp_accounting.pld"].PLDAccountant)
            self.assertEqual(accountant.compose(mixture, 2).get_epsilon(1e-5), said)
            self.assertIsNot(AccountantConfig().create_accountant(), accountant)
        sys.modules.pop("gdp_kernel.jax_privacy", None)

    def test_counts_orders_and_neighbours(self):
        one, other = dp.GaussianDpEvent(2.0), dp.LaplaceDpEvent(4.0)
        first = GdpKernelAccountant().compose(one, 3).compose(one, 2).compose(other)
        second = GdpKernelAccountant().compose(other).compose(one, 5)
        self.assertEqual(first.get_epsilon(1e-5), second.get_epsilon(1e-5))
        self.assertEqual(len(first._events), 2)
        replaced = GdpKernelAccountant(dp.NeighboringRelation.REPLACE_ONE).compose(one)
        self.assertGreater(replaced.get_epsilon(1e-5), 1.9 * GdpKernelAccountant().compose(one).get_epsilon(1e-5))
        self.assertGreater(replaced.get_delta(1.0), 0)
        sampled = dp.SampledWithoutReplacementDpEvent(100, 10, one)
        self.assertTrue(GdpKernelAccountant(dp.NeighboringRelation.REPLACE_ONE).supports(sampled))
        self.assertFalse(GdpKernelAccountant().supports(sampled))
        self.assertFalse(first.supports(dp.UnsupportedDpEvent()))
        with self.assertRaises(dp.UnsupportedEventError):
            first.compose(dp.UnsupportedDpEvent())
        with self.assertRaises(ValueError):
            GdpKernelAccountant(types.SimpleNamespace(name="UNKNOWN"))
        self.assertEqual(first.get_epsilon(1e-5), second.get_epsilon(1e-5))


if __name__ == "__main__":
    unittest.main()
