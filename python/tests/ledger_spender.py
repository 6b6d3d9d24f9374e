"""
One of several processes that pay from a ledger: releases NAME-0 … NAME-(TOTAL - 1), those not yet paid. Each name on standard output once it
is paid, then "refused" or "done". Killed at any time by the test that runs it.
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from gdp_kernel import budget  # noqa: E402

path, name, total, cost = sys.argv[1:]
ledger = budget(path)
for i in range(int(total)):
    found = ledger.spend(cost, id=f"{name}-{i}")
    if found.granted:
        print(f"{name}-{i}", flush=True)
    elif "was paid" not in found.reason:
        print("refused", flush=True)
        break
else:
    print("done", flush=True)
