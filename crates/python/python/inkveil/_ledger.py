"""The ledger: what releases have spent, and limits on it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from typing import Any

from inkveil import _inkveil


@dataclass(frozen=True)
class Total:
    """What a subject or dataset has spent in one measure."""

    scope: str
    measure: str
    epsilon: float
    delta: float
    releases: int
    limit: float | None
    left: float | None


class Ledger:
    """A ledger: one file that several processes can use at the same time. It is made if missing.

    >>> import inkveil, tempfile, os
    >>> ledger = inkveil.Ledger(os.path.join(tempfile.mkdtemp(), "budget.ledger"))
    >>> ledger.limit(subject="*", epsilon=50, counted="worst-case")
    >>> ledger.totals()
    []
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = path
        self._core = _inkveil.Ledger(path)

    def limit(
        self,
        *,
        subject: str | None = None,
        dataset: str | None = None,
        epsilon: float | None,
        counted: str = "each-metric",
        delta: float = 0.0,
        within: float = 1.0,
    ) -> None:
        """Sets a limit on a subject or a dataset; ``*`` means each of them. None removes it."""
        self._core.limit(subject, dataset, epsilon, counted, delta, within)

    def releases(
        self, *, subject: str | None = None, dataset: str | None = None
    ) -> list[dict[str, Any]]:
        """Returns the recorded releases."""
        return [json.loads(line) for line in self._core.releases(subject, dataset)]

    def totals(self, *, subject: str | None = None, dataset: str | None = None) -> list[Total]:
        """Returns what was spent."""
        return [Total(*total) for total in self._core.totals(subject, dataset)]

    def verify(self) -> list[str]:
        """Returns what is wrong with the file."""
        return self._core.verify()

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    def __reduce__(self) -> Any:
        return Ledger, (self.path,)
