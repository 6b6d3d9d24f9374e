"""All tests of the gate in one process, which starts one engine: ``python3 all.py [-v]``."""

import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from test_budget import *  # noqa: E402, F401, F403
from test_engines import *  # noqa: E402, F401, F403
from test_short import *  # noqa: E402, F401, F403
from test_sql import *  # noqa: E402, F401, F403
from test_surface import *  # noqa: E402, F401, F403
from test_tasks import *  # noqa: E402, F401, F403
from test_verbs import *  # noqa: E402, F401, F403

if __name__ == "__main__":
    unittest.main()
