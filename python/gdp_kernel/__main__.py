"""``python -m gdp_kernel``: the command line ``gdp``."""

import subprocess
import sys

from ._client import _node, _script
from ._errors import AccountingError


def main() -> int:
    try:
        command = [_node(), _script(), *sys.argv[1:]]
    except AccountingError as error:
        print(f"gdp: {error}", file=sys.stderr)
        return 2
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
