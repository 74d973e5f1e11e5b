"""Methods of your own for ``inkveil eval`` and ``inkveil attack``: functions as commands.

A command reads JSON lines and writes JSON lines. A script with a function needs two lines more::

    import inkveil.lines

    @inkveil.lines.mechanism
    def shout(texts, *, seed, budgets=None, task=None):
        return [text.upper() for text in texts]

Name the script in an experiment: ``[text.commands]`` with ``shout = ["python", "shout.py"]``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol


class Mechanism(Protocol):
    """A mechanism: it gets texts, and returns what is released of them."""

    def __call__(
        self, texts: Sequence[str], *, seed: int, budgets: str | None, task: str | None
    ) -> Iterable[str]: ...


Attacker = Callable[[Sequence[tuple[str, str]], Sequence[str]], Iterable[str]]


def mechanism(function: Mechanism) -> Mechanism:
    """Runs the function as a command if its file is the script that runs."""
    if _is_script(function):
        rows = _read()
        done: list[str] = []
        # Texts with the same task go together, in their order.
        start = 0
        for at in range(1, len(rows) + 1):
            if at == len(rows) or _options(rows[at]) != _options(rows[start]):
                texts = [row["text"] for row in rows[start:at]]
                done.extend(function(texts, **_options(rows[start])))
                start = at
        _write(done)
    return function


def attacker(function: Attacker) -> Attacker:
    """Runs the function as a command if its file is the script that runs.

    The function gets pairs of an original and its release, and other released texts. It returns
    what it believes the originals of the latter are.
    """
    if _is_script(function):
        rows = _read()
        known = [(row["original"], row["released"]) for row in rows if "original" in row]
        _write(function(known, [row["released"] for row in rows if "original" not in row]))
    return function


def _is_script(function: Any) -> bool:
    return bool(getattr(function, "__module__", None) == "__main__")


def _options(row: dict[str, Any]) -> dict[str, Any]:
    return {"seed": row["seed"], "budgets": row.get("budgets"), "task": row.get("task")}


def _read() -> list[dict[str, Any]]:
    return [json.loads(line) for line in sys.stdin.buffer]


def _write(texts: Iterable[str]) -> None:
    for text in texts:
        sys.stdout.write(json.dumps({"text": text}) + "\n")
    sys.stdout.flush()
