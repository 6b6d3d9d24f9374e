"""
Doors of Python (ask.py): door.py native|wasm|v8. The library, the module and the script are asked by nothing but ctypes, wasmtime and mini-racer.
"""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable
from pathlib import Path

Ask = Callable[[str], str]


def native() -> Ask:
    lib = ctypes.CDLL(str(next(Path("build/native").glob("*gdp.[sd]*"))))
    lib.gdp_open.restype = lib.gdp_ask.restype = ctypes.c_void_p
    lib.gdp_ask.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    lib.gdp_free.argtypes = [ctypes.c_void_p]
    it = lib.gdp_open()

    def ask(line: str) -> str:
        said = lib.gdp_ask(it, line.encode())
        text = ctypes.string_at(said).decode()
        lib.gdp_free(said)
        return text

    return ask


def wasm() -> Ask:
    from wasmtime import Engine, Instance, Module, Store

    engine = Engine()
    kept = Path("build/doors/gdp.cwasm")
    kept.parent.mkdir(parents=True, exist_ok=True)
    if not kept.exists() or kept.stat().st_mtime < Path("dist/gdp.wasm").stat().st_mtime:
        kept.write_bytes(Module.from_file(engine, "dist/gdp.wasm").serialize())
    store = Store(engine)
    x = Instance(store, Module.deserialize_file(engine, str(kept)), []).exports(store)
    x["_initialize"](store)
    it = x["gdp_open"](store)

    def ask(line: str) -> str:
        data = line.encode() + b"\0"
        at = x["gdp_alloc"](store, len(data))
        x["memory"].write(store, data, at)
        said = x["gdp_ask"](store, it, at)
        x["gdp_free"](store, at)
        text = bytes(x["memory"].read(store, said, said + x["gdp_length"](store, said))).decode()
        x["gdp_free"](store, said)
        return text

    return ask


def v8() -> Ask:
    from py_mini_racer import MiniRacer

    context = MiniRacer()
    context.eval(Path("dist/embed.js").read_text())

    def ask(line: str) -> str:
        context.eval(f"globalThis.said = undefined; gdpKernel.ask({json.dumps(line)}).then((text) => {{ said = text; }}); 0")
        return str(context.eval("said"))

    return ask


door = {"native": native, "wasm": wasm, "v8": v8}[sys.argv[1]]()
for each in sys.stdin.buffer:
    sys.stdout.buffer.write(door(each.decode().rstrip("\n")).encode() + b"\n")
    sys.stdout.buffer.flush()
