"""The style of texts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from os import PathLike
from typing import Any

from inkveil import _inkveil
from inkveil._inputs import texts_of
from inkveil._progress import Progress, callback


class StyleMemory:
    """A memory of how a population writes, to measure by how much a style stands out.

    >>> import inkveil
    >>> inkveil.StyleMemory().risk("Short.")["status"]
    'too-short'
    """

    def __init__(
        self,
        memory: str | PathLike[str] | None = None,
        *,
        encoder: str | PathLike[str] | None = None,
        pack: str = "en",
    ) -> None:
        self._settings = {"memory": memory, "encoder": encoder, "pack": pack}
        self._core = _inkveil.StyleMemory(pack, memory, encoder)

    def risk(self, text: str, *, compare: Iterable[str] = (), habits: int = 5) -> dict[str, Any]:
        """Measures a text. ``compare`` are earlier texts of the same author."""
        return self.batch([text], compare=compare, habits=habits)[0]

    def batch(
        self,
        texts: Iterable[str],
        *,
        compare: Iterable[str] = (),
        habits: int = 5,
        progress: Progress = None,
    ) -> list[dict[str, Any]]:
        """Measures texts."""
        found = self._core.risk(texts_of(texts), texts_of(compare), habits, callback(progress))
        return [json.loads(line) for line in found]

    def __reduce__(self) -> Any:
        return _open, (self._settings,)


def _open(settings: dict[str, Any]) -> StyleMemory:
    return StyleMemory(**settings)
