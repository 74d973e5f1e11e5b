"""``inkveil-check-files FILE…``: fails if a file has personal data, for pre-commit.

It prints the file, the line and the kind, and never the text.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from inkveil._detect import Detector
from inkveil._errors import InkveilError


def main() -> None:
    """Checks the files that are named on the command line."""
    parser = argparse.ArgumentParser(prog="inkveil-check-files", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument(
        "--tier", default="rules", choices=["rules", "fast", "accurate"], help="effort of detection"
    )
    parser.add_argument(
        "--kind", action="append", default=[], help="only this kind; may be repeated"
    )
    parser.add_argument("--allow", action="append", default=[], help="a text that is allowed")
    options = parser.parse_args()
    settings = {"kinds": options.kind} if options.kind else {}
    try:
        detector = Detector(tier=options.tier, allow=options.allow, **settings)
    except InkveilError as error:
        parser.error(str(error))
    found = 0
    for file in options.files:
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            print(f"note: {file}: not checked, because it is not UTF-8", file=sys.stderr)
            continue
        except OSError as error:
            sys.exit(f"error: {file}: {error.strerror}")
        for span in detector(text):
            found += 1
            print(f"{file}:{text.count(chr(10), 0, span.start) + 1}: {span.kind} ({span.why})")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
