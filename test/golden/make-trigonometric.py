"""
Writes trigonometric.json: sin x, cos x and atan2(x, 3) of doubles x by mpmath, each as its nearest double and the rest in 2^-14 ulps. Among the
points are the doubles nearest to multiples of pi/2, where most digits of a reduction cancel. python3 test/golden/make-trigonometric.py
"""

import json
import math
from pathlib import Path

from mpmath import atan2, cos, mp, mpf, sin

mp.prec = 1400
points = [1e-300, 1e-9, 0.3, 0.6, 1.0, 2.5, 3.0, 10.0, 1e3, 123456.789, 524287.5, 524289.25, 1e6, 7e9, 1e15, 1e22, 1e100, 1.7e308]
points += [float(n * mp.pi / 2) for n in (1, 2, 3, 4, 5, 31, 32, 333, 10**5, 10**6, 10**9, 10**15)]
points += [float(mp.pi / 4), float(3 * mp.pi / 4), 6381956970095103 * 2.0**797, 0.4375, 0.6875, 1.1875, 2.4375]


def parts(exact):
    near = float(exact)
    return [near, round((exact - mpf(near)) / mpf(math.ulp(near)) * 2**14)]


rows = []
for x in points:
    for signed in (x, -x):
        rows.append([signed, *(parts(f) for f in (sin(mpf(signed)), cos(mpf(signed)), atan2(mpf(signed), 3)))])
text = ",\n".join(f"  {json.dumps(row)}" for row in rows)
Path(__file__).with_name("trigonometric.json").write_text(f"[\n{text}\n]\n")
