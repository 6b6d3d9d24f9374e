"""Every verb of ``gdp`` in Python, with a docstring whose example is run; tables, meters and hooks; the README as it is printed."""

import doctest
import importlib
import inspect
import io
import json
import os
import pkgutil
import sys
import tempfile
import types
import unittest
import warnings
from contextlib import redirect_stdout
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import gdp_kernel  # noqa: E402
from gdp_kernel import Account, Meter, Refused, batch, hooks, mechanisms  # noqa: E402
from gdp_kernel._client import call  # noqa: E402
from gdp_kernel._engines import engine  # noqa: E402

try:
    import pandas
except ImportError:
    pandas = None

RUN = Account([(2, 1, 30)])

#: What each command of ``gdp`` is called here. `page` and `completion` are not questions: ``python -m gdp_kernel`` is ``gdp``.
VERBS = {
    "report": Account.report,
    "epsilon": Account.epsilon,
    "delta": Account.delta,
    "mu": Account.mu,
    "risk": Account.risk,
    "tradeoff": Account.tradeoff,
    "identify": Account.identify,
    "measure": Account.head,
    "calibrate": gdp_kernel.calibrate,
    "noise": gdp_kernel.noise,
    "amplify": Account.amplify,
    "convert": gdp_kernel.convert,
    "budget": gdp_kernel.budget,
    "lint": gdp_kernel.lint,
    "audit": gdp_kernel.audit,
    "compare": Account.compare,
    "certify": Account.certify,
    "verify": gdp_kernel.verify,
    "batch": batch,
    "sweep": batch,
}

#: Those that need files, threads or a terminal of the machine: engines other than Node do not have them.
OF_NODE = {"batch", "sweep", "page", "completion"}

#: Modules that are programs, or need a library.
UNRUN = ("gdp_kernel.__main__", "gdp_kernel.jax_privacy")


def discovered():
    line = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "rpc.discover"})
    return json.loads(engine().ask(line, [0], None))["result"]["methods"]


class Verbs(unittest.TestCase):
    def test_are_those_of_the_command_line(self):
        commands = {each["name"] for each in discovered()}
        self.assertLessEqual(commands - set(VERBS), {"page", "completion"})
        self.assertEqual((set(VERBS) | OF_NODE) - commands, set() if engine().name == "node" else OF_NODE)

    def test_take_the_options_of_the_command_line(self):
        taken = {name: {each["name"] for each in method["params"]} for method in discovered() for name in [method["name"]]}
        elsewhere = set(inspect.signature(Account.__init__).parameters) | set(inspect.signature(Account.dp_sgd).parameters)
        # what writes files and texts, what brings input, and what Python has a better word for
        other = {"input", "inputBase64", "operands", "files", "json", "engine", "svg", "out", "scale", "digits", "brackets", "max-time"}
        other |= {"clip-count-noise", "count", "noise-is-total", "divisor", "parameters", "formula", "group", "direction"}
        words = {
            "delta": {"explain"},
            "calibrate": {"for"},
            "tradeoff": {"tensor", "hull", "symmetrise"},
            "measure": {"mu", "tail"},
            "amplify": {"clip", "alpha-min"},
            "convert": {"from"},
            "report": {"format"},
            "batch": {"workers", "format", "in-format"},
            "budget": {"budget", "spend", "id", "delta", "at", "nonce", "charges", "per-record", "record"},
        }
        for name, verb in VERBS.items():
            if name == "sweep" or name not in taken:
                continue
            known = set(inspect.signature(verb).parameters) | elsewhere
            wanted = {each for each in taken[name] - other - words.get(name, set())}
            self.assertEqual({each for each in wanted if each.replace("-", "_") not in known}, set(), name)

    def test_have_signatures_and_docstrings_with_examples(self):
        public = [getattr(gdp_kernel, name) for name in gdp_kernel.__all__]
        public += [each for name, each in vars(Account).items() if not name.startswith("_")]
        public += [getattr(hooks, name) for name in hooks.__all__]
        for each in public:
            each = getattr(each, "__func__", each)
            if isinstance(each, (str, types.ModuleType)) or not callable(each):
                continue
            self.assertTrue(inspect.getdoc(each), each)
        for verb in {*VERBS.values()}:
            self.assertIn(">>>", inspect.getdoc(verb) if verb is not gdp_kernel.budget else inspect.getdoc(gdp_kernel.Budget))
            self.assertTrue(verb.__annotations__["return"])

    def test_have_examples_that_run(self):
        names = [f"gdp_kernel.{each.name}" for each in pkgutil.iter_modules(gdp_kernel.__path__)]
        found = [importlib.import_module(name) for name in names if name not in UNRUN]
        asked = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gdp_kernel.Note)
            for module in found:
                said = io.StringIO()
                with redirect_stdout(said):
                    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
                self.assertEqual(result.failed, 0, said.getvalue())
                asked += result.attempted
        self.assertGreater(asked, 80)

    def test_are_in_the_readme_as_they_answer(self):
        said = io.StringIO()
        old = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", gdp_kernel.Note)
            os.chdir(folder)
            state = {"history": [[1.1, 0.01, 1000]], "mechanism": "rdp"}
            Path("state.json").write_text(json.dumps(state))
            try:
                with redirect_stdout(said):
                    result = doctest.testfile(
                        str(HERE.parent / "README.md"), module_relative=False, optionflags=doctest.ELLIPSIS
                    )
            finally:
                os.chdir(old)
        self.assertEqual(result.failed, 0, said.getvalue())
        self.assertGreater(result.attempted, 15)

    def test_answer_with_the_numbers_of_the_command_line(self):
        risk = call("risk", {"input": {"history": [[2, 1, 30]]}})["answer"]
        self.assertEqual(RUN.risk().advantage, gdp_kernel.Bracket.of(risk["advantage"]))
        several = RUN.risk(secrets=2, singling_out=(1e-6, 1000))
        self.assertEqual([each.secrets for each in several.several_secrets], [2, 2, 2])
        self.assertGreater(several.singling_out.upper, several.singling_out.lower)
        self.assertEqual(RUN.compare(epsilon=1).quantity, "delta")
        self.assertEqual(RUN.amplify(mu=2).epsilon_head, 10)
        with self.assertRaisesRegex(Refused, "^out of reach: even a rate"):
            RUN.amplify(mu=0.5)
        with self.assertRaisesRegex(Refused, "gdp is not converted into pure-dp: no epsilon"):
            gdp_kernel.convert("gdp:1", "pure-dp")
        self.assertEqual(gdp_kernel.convert(RUN, "gdp").values[0], RUN.mu())
        claimed = gdp_kernel.audit(ROOT / "examples" / "audit-threshold.json", RUN)
        self.assertEqual([claimed.verdict, claimed.refuted], ["consistent", False])
        self.assertIsNone(gdp_kernel.audit(ROOT / "examples" / "audit-scores.csv").p_value)
        self.assertEqual(RUN.steps_left(epsilon=14), 0)
        self.assertEqual(gdp_kernel.lint({"epsilon": 2, "delta": 1e-5}, RUN).findings[0].id, "epsilon-too-small")

    def test_plan_by_epochs_and_loaders(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            epochs = Account.dp_sgd(noise_multiplier=2, epochs=3, batch_size=50, dataset_size=100)
            self.assertEqual(epochs.epsilon(), Account([(2, 0.5, 6)]).epsilon())
            for loader in ("shuffled", "balls-and-bins", "fixed"):
                sizes = {"batch_size": 50, "dataset_size": 100, "epochs": 3, "sampling": loader}
                adjacency = "zero-out" if loader == "fixed" else None
                found = Account.dp_sgd(noise_multiplier=2, adjacency=adjacency, **sizes)
                self.assertLess(found.epsilon().upper, 100)
            files = Account([(2, 0.5, 6)], sampling="balls-and-bins", dataset_size=100)
            self.assertLess(files.epsilon().upper, epochs.epsilon().upper)
            self.assertEqual(files.certify(1)["epsilon"], 1)
            self.assertEqual(files.lint({"epsilon": 90, "delta": 1e-5}).checked[0], "epsilon-too-small")
        self.assertEqual(Account.dp_sgd(noise_std=3, clip_norm=1.5, sampling_rate=1, steps=30).epsilon(), RUN.epsilon())

    def test_say_which_argument_may_be_meant(self):
        for ask, sentence in (
            (lambda: Account.dp_sgd(noise_multiplier=1, samplerate=1, steps=1), 'did you mean "sample_rate"?'),
            (lambda: Account.dp_sgd(sigma=1, sampling_rate=1, steps=1), 'did you mean "noise_multiplier"?'),
            (lambda: gdp_kernel.calibrate(epsilonn=1), 'did you mean "epsilon"?'),
            (lambda: RUN.risk(false_positive_rate=1), "risk has no argument"),
            (lambda: RUN.report("out.html"), "save_report writes to a path"),
            (lambda: RUN.ask("epsiln"), 'there is no method "epsiln"'),
            (lambda: Account([(2, 1, 30)], samplin="fixed"), 'did you mean "sampling"?'),
        ):
            with self.assertRaises(Refused) as caught:
                ask()
            self.assertIn(sentence, str(caught.exception))
        with self.assertRaises(TypeError):
            gdp_kernel.calibrate(epsilonn=1)
        with self.assertRaisesRegex(Refused, "^give either run or steps, not both: the run says it already$"):
            RUN.ask("epsilon", steps=2)

    def test_compare_accounts_by_what_was_stated(self):
        self.assertEqual(Account([(2, 1, 30)]), Account({"history": [(2, 1, 30)]}))
        self.assertNotEqual(RUN, Account([(2, 1, 31)]))
        self.assertNotEqual(RUN, Account([(2, 1, 30)], adjacency="replace-one"))
        self.assertEqual(len({RUN, Account([(2, 1, 30)])}), 1)

    def test_give_each_note_once_and_none_for_what_nobody_asked(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run = Account.dp_sgd(noise_multiplier=2, epochs=3, batch_size=40, dataset_size=100)
            run._repr_html_()
            run.mechanism()
            self.assertEqual(caught, [])
            run.epsilon()
            run.epsilon(1e-6)
        self.assertEqual([str(each.message) for each in caught], ["3 epochs are taken as 9 steps, 3 an epoch"])

    def test_draw_a_cell_in_the_theme_of_the_notebook(self):
        shown = RUN._repr_html_()
        self.assertNotIn("prefers-color-scheme", shown)
        self.assertIn('[data-jp-theme-light="false"]', shown)
        self.assertNotIn("at most", shown)
        self.assertIn("prefers-color-scheme", RUN.curve())

    def test_make_every_kind_of_mechanism(self):
        schema = json.loads((ROOT / "schema" / "mechanism.schema.json").read_text(encoding="utf-8"))
        kinds = {each["properties"]["kind"]["const"] for each in schema["$defs"].values() if "const" in each.get("properties", {}).get("kind", {})}
        self.assertEqual({kind.replace("-", "_") for kind in kinds} - set(mechanisms.__all__), set())
        with self.assertRaisesRegex(Refused, "^run: .*scale"):
            Account(mechanisms.laplace(-1, 1)).epsilon()
        solved = gdp_kernel.calibrate(run=mechanisms.repeat(mechanisms.laplace("?", 1), 3), epsilon=1, delta=0)
        self.assertAlmostEqual(solved.value, 3, 5)


class Tables(unittest.TestCase):
    COLUMNS = {"sigma": [2.0, 3.0, 2.0], "q": [1.0, 1.0, 1.0], "iterations": [30, 30, 30], "name": ["a", "b", "c"]}

    def test_of_columns_are_answered_in_one_line(self):
        lines = []
        ask = engine().ask
        engine().ask = lambda line, ids, timeout: lines.append(len(ids)) or ask(line, ids, timeout)
        try:
            found = batch(self.COLUMNS, delta=[1e-5, 1e-6], epsilon=1, mu=True)
        finally:
            del engine().ask
        # two runs, four questions each
        self.assertEqual(lines, [8])
        self.assertEqual(found["name"], ["a", "b", "c"])
        self.assertEqual(found["error"], [None] * 3)
        self.assertEqual(found["epsilon_at_1e-6_upper"][0], RUN.epsilon(1e-6).upper)
        self.assertEqual(found["delta_lower"][2], RUN.delta(1).lower)
        self.assertEqual(found["mu_upper"][0], RUN.mu().upper)
        self.assertGreater(found["epsilon_at_1e-5_lower"][0], found["epsilon_at_1e-5_upper"][1])

    def test_of_runs_targets_and_own_deltas(self):
        found = batch([RUN, {"history": [[2, 1, 30]]}, ROOT / "examples" / "cifar10-wrn40.json", "no-such-file"])
        self.assertEqual(found["epsilon_upper"][0], found["epsilon_upper"][1])
        self.assertGreater(found["epsilon_upper"][2], 1)
        self.assertIn("there is no file", found["error"][3])
        solved = batch({"noise_multiplier": [None, 2], "sampling_rate": [1, 1], "steps": [30, None], "target_epsilon": [2, 15]})
        self.assertEqual(solved["solved"][1], 30)
        self.assertTrue(all(upper <= most for upper, most in zip(solved["epsilon_upper"], [2, 15])))
        own = batch({"history": [[[2, 1, 30]], "[[2, 1, 30]]"], "delta": [1e-5, 1e-6]})
        self.assertEqual(own["epsilon_upper"], RUN.epsilon([1e-5, 1e-6]).upper)
        self.assertEqual(batch({"sd": [2.0], "q": [1], "n": [30]}, columns={"sd": "noise_multiplier", "n": "steps"})["error"], [None])
        for runs, sentence in (({"x": [1]}, "no column says what was run"), ({"q": [1], "sigma": [1, 2]}, "one length"), (3, "must be a table")):
            with self.assertRaisesRegex(Refused, sentence):
                batch(runs)

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_of_pandas_keep_their_index(self):
        frame = pandas.DataFrame(self.COLUMNS, index=["x", "y", "z"])
        found = batch(frame)
        self.assertEqual(list(found.index), ["x", "y", "z"])
        self.assertEqual(found.loc["x", "epsilon_upper"], RUN.epsilon().upper)
        series = RUN.epsilon(pandas.Series([1e-5, 1e-6], index=["a", "b"])).upper
        self.assertEqual(list(series.index), ["a", "b"])
        self.assertEqual(series["b"], RUN.epsilon(1e-6).upper)
        self.assertTrue(batch(pandas.DataFrame({"sigma": [2, None], "q": [1, 1], "iterations": [30, 1]}))["error"].isna()[0])

    def test_of_ranges_and_generators_are_rows(self):
        self.assertEqual(len(RUN.delta(range(3))), 3)
        self.assertEqual(RUN.epsilon(10.0**-power for power in (5, 6)), RUN.epsilon([1e-5, 1e-6]))


class Meters(unittest.TestCase):
    def meter(self):
        return Meter(noise_multiplier=2, sampling_rate=1).stop_at(3)

    def test_stop_before_an_epsilon_is_passed(self):
        meter = self.meter()
        taken = 1
        while meter.step():
            taken += 1
        self.assertEqual(taken, Account([(2, 1, 1)]).steps_left(3) + 1)
        self.assertTrue(meter.epsilon() <= 3)
        self.assertFalse(Account([(2, 1, taken + 1)]).epsilon() <= 3)
        self.assertEqual([meter.steps_left, meter.done], [0, True])
        # less noise from here on
        again = self.meter()
        again.step(noise_multiplier=4)
        self.assertGreater(again.steps_left, 4)
        again.step(noise_multiplier=0.1)
        self.assertTrue(again.done)
        self.assertEqual(again.history, [(4, 1, 1), (0.1, 1, 1)])
        with self.assertRaisesRegex(Refused, "stop_at"):
            Meter(noise_multiplier=1, sampling_rate=1).steps_left
        self.assertTrue(Meter(noise_multiplier=1, sample_rate=1).step())

    def test_end_a_training_in_every_trainer(self):
        limit = Account([(2, 1, 1)]).steps_left(3) + 1
        optimizer = types.SimpleNamespace(noise_multiplier=2, accumulated_iterations=2)
        optimizer.attach_step_hook = lambda hook: setattr(optimizer, "step_hook", hook)
        meter = hooks.opacus(self.meter(), optimizer, sample_rate=0.5)
        while not meter.done:
            optimizer.step_hook(optimizer)
        self.assertEqual(meter.steps, limit)

        trainer = types.SimpleNamespace(should_stop=False)
        callback = hooks.lightning(self.meter())
        steps = 0
        while callback.on_train_batch_start(trainer, None, None, 0) is None and not trainer.should_stop:
            callback.on_train_batch_end(trainer, None, None, None, 0)
            steps += 1
        self.assertEqual([steps, trainer.should_stop], [limit, True])

        callback = hooks.keras(self.meter())
        model = types.SimpleNamespace(stop_training=False)
        # Keras' own class sets it so
        callback.set_model(model) if hasattr(callback, "set_model") else setattr(callback, "model", model)
        steps = 0
        while not model.stop_training:
            callback.on_train_batch_end(steps)
            steps += 1
        self.assertEqual(steps, limit)

        callback = hooks.transformers(self.meter())
        control = types.SimpleNamespace(should_training_stop=False)
        steps = 0
        while not control.should_training_stop:
            control = callback.on_step_end(None, None, control, model=None)
            steps += 1
        self.assertEqual(steps, limit)

        rounds = []
        strategy = types.SimpleNamespace(
            configure_fit=lambda server_round, parameters, client_manager: ["client"],
            aggregate_fit=lambda server_round, results, failures: rounds.append(server_round),
        )
        strategy = hooks.flower(self.meter(), strategy)
        for number in range(20):
            clients = strategy.configure_fit(number, None, None)
            if clients:
                strategy.aggregate_fit(number, clients, [])
        self.assertEqual(len(rounds), limit)
        strategy.aggregate_fit(20, [], [])
        self.assertEqual(len(rounds), limit + 1)


if __name__ == "__main__":
    unittest.main()
