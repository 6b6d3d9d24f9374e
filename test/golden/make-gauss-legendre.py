"""Gauss-Legendre rules on [0, 1], nodes and weights, by mpmath at 34 digits: python3 test/golden/make-gauss-legendre.py > test/golden/gauss-legendre.json"""

import json

from gauss import gauss
from mpmath import mp

mp.dps = 34


def rule(n):
    return [[mp.nstr((1 - x) / 2, 25), mp.nstr(w / 2, 25)] for x, w in gauss(n)]


print(json.dumps({str(n): rule(n) for n in (8, 12, 20, 24, 32)}, indent=1))
