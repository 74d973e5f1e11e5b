"""``python -m inkveil`` is the command ``inkveil``."""

from inkveil._command import main

main()
