"""The command ``inkveil``: the program inside this package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def program() -> Path:
    """The path of the program."""
    name = "inkveil.exe" if os.name == "nt" else "inkveil"
    return Path(__file__).parent / "bin" / name


def main() -> None:
    """Runs the program in place of Python."""
    path = program()
    if not path.is_file():
        sys.exit("error: this package was built without the command inkveil")
    if os.name == "nt":
        sys.exit(subprocess.call([str(path), *sys.argv[1:]]))
    os.execv(path, ["inkveil", *sys.argv[1:]])


if __name__ == "__main__":
    main()
