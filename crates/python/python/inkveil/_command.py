"""The command ``inkveil``. It is inside the extension, so that a wheel has its code once."""

from __future__ import annotations

import signal
import sys

from inkveil import _inkveil


def main() -> None:
    """Runs the command with the arguments of this process."""
    # Python's handler waits for Python code, and none runs any more.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_inkveil.run_command(["inkveil", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
