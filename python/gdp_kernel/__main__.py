"""``python -m gdp_kernel``: the command line ``gdp``."""

import subprocess
import sys

from ._child import any_node, script
from ._errors import AccountingError


def main() -> int:
    try:
        command = [any_node(), script(), *sys.argv[1:]]
    except AccountingError as error:
        print(f"gdp: {error}", file=sys.stderr)
        return 2
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
