"""
Asks a door, and says what it takes: ask.py CORPUS OUT [--reverse] COMMAND…. A door is a program that answers each line of its input by a line.
It is started twice, since some keep what they compile, then asked the lines of a file in order, or also in reverse, in one process.
Times are CPU milliseconds of the whole process, which its parent reads from the process's clock (Linux).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

# answered at once by an error: a door that says so is open
NO_REQUEST = b"[]"


class Door:
    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        # the number of the clock of another process (clock_getcpuclockid)
        self.clock = (~self.process.pid << 3) | 2

    def ask(self, line: bytes) -> tuple[str, float]:
        """The answer and the milliseconds that it took."""
        assert self.process.stdin and self.process.stdout
        since = self.spent()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        while True:
            said = self.process.stdout.readline()
            if not said:
                raise SystemExit(f"the door ended at {line[:200]!r}")
            if b'"method":"$/progress"' not in said:
                return said.decode().rstrip("\n"), self.spent() - since

    def spent(self) -> float:
        return time.clock_gettime(self.clock) * 1000

    def memory(self) -> float:
        """Megabytes that it has held at most."""
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())
        return int(found[1]) / 1024 if found else 0

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def opened(command: list[str], hello: bytes) -> tuple[Door, float]:
    door = Door(command)
    door.ask(hello)
    return door, door.spent()


def main(corpus: str, out: str, *words: str) -> None:
    command = [word for word in words if word != "--reverse"]
    lines = Path(corpus).read_bytes().rstrip(b"\n").split(b"\n")
    hello = NO_REQUEST if lines[0].startswith(b"{") else lines[0]
    door, compiled = opened(command, hello)
    door.close()
    door, started = opened(command, hello)
    _, first = door.ask(lines[0])
    memory = door.memory()
    answers, times = zip(*map(door.ask, lines), strict=True)
    reverse = [door.ask(line)[0] for line in reversed(lines)] if "--reverse" in words else []
    door.close()
    took = {"compiled": compiled, "open": started, "first": first, "memory": memory, "times": times}
    Path(out).write_text(json.dumps({"answers": answers, "reverse": reverse[::-1] or answers, **took}), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
