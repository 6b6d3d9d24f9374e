"""
What must not end a process that has libgdp in it, or make it grow: hostile.py LIBRARY [QUESTIONS]. Prints a line for each fault, and at the end
how many checks passed.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
import threading
import time

lib = ctypes.CDLL(sys.argv[1])
QUESTIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
lib.gdp_open.restype = lib.gdp_ask_within.restype = ctypes.c_void_p
lib.gdp_ask_within.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double]
lib.gdp_free.argtypes = lib.gdp_close.argtypes = lib.gdp_interrupt.argtypes = [ctypes.c_void_p]
RUN = {"noise-multiplier": 1.1, "sampling-rate": 0.01, "steps": 1000}
# some seconds of work wherever it is asked
LONG = {"input": [[1 + k / 1000, 0.01 + k / 1e5, 3] for k in range(400)], "delta": 1e-7, "engine": "reference"}
faults: list[str] = []
checks = 0


def ask(it: int, request: bytes, seconds: float = 0) -> str:
    said = lib.gdp_ask_within(it, request, seconds)
    text = ctypes.string_at(said).decode()
    lib.gdp_free(said)
    return text


def request(method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


def check(what: str, right: bool, seen: object = "") -> None:
    global checks
    checks += 1
    if not right:
        faults.append(f"{what}: {str(seen)[:200]}")


def code(text: str) -> int | None:
    return json.loads(text).get("error", {}).get("code")


def megabytes() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def hostile(it: int) -> None:
    bad = {
        "deep arrays": (b"[" * 200_000, -32600),
        "deep objects": (b'{"a":' * 200_000, -32600),
        "as deep as is let through": (b"[" * 999 + b"]" * 999, None),
        "deep inside a text": (request("epsilon", input="[" * 100_000), None),
        "parentheses": (request("epsilon", input="(" * 100_000), -32602),
        "no UTF-8": (b'{"a":"\xff\xfe"}', -32700),
        "half a letter": (b'"\xe2\x82', -32700),
        "NaN": (b'{"jsonrpc":"2.0","id":1,"method":"epsilon","params":{"delta":NaN}}', -32700),
        "a long name": (request("x" * 1_000_000), -32601),
        "a long number": (request("epsilon", input="[[1.1,0.01," + "9" * 100_000 + "]]"), -32602),
        "many numbers": (request("epsilon", **RUN, delta=",".join(["1e-5"] * 2_000)), None),
        "nothing": (b"", None),
    }
    for what, (text, want) in bad.items():
        said = ask(it, text)
        check(what, said == "" or want is None or code(said) == want, said)
    want = ask(it, request("epsilon", **RUN))
    check("an answer after all that", '"upper":1.51' in want, want)


def stopped(it: int) -> None:
    want = ask(it, request("epsilon", **RUN))
    since = time.monotonic()
    said = ask(it, request("epsilon", **LONG), 0.05)
    check("a time that is over", code(said) == -32800, said)
    check("soon after it", time.monotonic() - since < 20)
    threading.Timer(0.1, lib.gdp_interrupt, [it]).start()
    said = ask(it, request("epsilon", **LONG))
    check("interrupted", code(said) == -32800, said)
    check("the same answer afterwards", ask(it, request("epsilon", **RUN)) == want)


def threads(it: int) -> None:
    want = ask(it, request("epsilon", **RUN))
    got: list[str] = []
    threading.stack_size(64 * 1024)
    all_threads = [threading.Thread(target=lambda: got.append(ask(it, request("epsilon", **RUN)))) for _ in range(16)]
    for each in all_threads:
        each.start()
    for each in all_threads:
        each.join()
    check("16 threads of little stack", got == [want] * 16, set(got))
    threading.stack_size(0)
    own = [lib.gdp_open() for _ in range(8)]
    check("8 at once", all(ask(each, request("epsilon", **RUN)) == want for each in own))
    for each in own:
        lib.gdp_close(each)
    child = os.fork()
    if child == 0:
        os._exit(0 if ask(lib.gdp_open(), request("epsilon", **RUN)) == want else 1)
    check("a child after fork", os.waitpid(child, 0)[1] == 0)


def growth(it: int) -> None:
    # each report opens kernels of its own: the 64th of a process has failed once
    report = request("report", input={"history": [[2, 1, 30]]})
    want = ask(it, report)
    check("100 reports", '"upper":' in want and all(ask(it, report) == want for _ in range(99)), want)
    small = [request("epsilon", **{**RUN, "steps": 1000 + k % 50}) for k in range(50)]
    refusal = request("epsilon", **RUN, delta=2)
    for k in range(QUESTIONS // 10):
        ask(it, small[k % 50] if k % 10 == 0 else refusal)
    before = megabytes()
    for k in range(QUESTIONS):
        ask(it, small[k % 50] if k % 10 == 0 else refusal)
    check(f"{QUESTIONS} questions without growth", megabytes() < before + 4, f"{before:.1f} MB, then {megabytes():.1f}")
    for _ in range(50):
        lib.gdp_close(lib.gdp_open())
    before = megabytes()
    for _ in range(100):
        lib.gdp_close(lib.gdp_open())
    check("100 opened and closed without growth", megabytes() < before + 4, f"{before:.1f} MB, then {megabytes():.1f}")


handle = lib.gdp_open()
for work in (hostile, stopped, threads, growth):
    work(handle)
lib.gdp_close(handle)
for fault in faults:
    print(fault)
print(f"{checks - len(faults)} passed, {len(faults)} failed")
sys.exit(1 if faults else 0)
