"""Detection of what is sensitive."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inkveil import _inkveil
from inkveil._errors import without_lines
from inkveil._inputs import names_of, texts_of, unicode_settings
from inkveil._progress import Progress, callback


@dataclass(frozen=True)
class Span:
    """A part of a text that is sensitive. It holds no text. Places are in characters."""

    start: int
    end: int
    kind: str
    score: float
    source: str
    name: str
    why: str


class Detector:
    """Finds what is sensitive in texts.

    >>> import inkveil
    >>> detector = inkveil.Detector(tier="rules")
    >>> [(span.kind, span.start, span.end) for span in detector("Write to ana@example.org")]
    [('email', 9, 24)]

    ``settings`` are those of the table ``[detect]`` of a settings file, with ``_`` for ``-``:
    ``kinds``, ``ignore_kinds``, ``threshold``, ``thresholds``, ``allow``, ``deny``, ``rules``,
    ``lists`` and ``context``.
    """

    def __init__(self, *, tier: str = "accurate", pack: str = "en", **settings: Any) -> None:
        settings = listed_kinds(settings)
        self._settings = {"tier": tier, "pack": pack, **settings}
        unicode_settings([tier, settings])
        self._core = without_lines(lambda: _inkveil.Detector(pack, {"tier": tier, **settings}))

    def __call__(self, text: str) -> list[Span]:
        """Returns the findings in a text, in order."""
        return self.batch([text])[0]

    def batch(self, texts: Iterable[str], *, progress: Progress = None) -> list[list[Span]]:
        """Returns the findings in each text."""
        found = self._core.detect(texts_of(texts), callback(progress))
        return [[Span(*finding) for finding in findings] for findings in found]

    @property
    def kinds(self) -> list[str]:
        """The kinds that it finds."""
        return self._core.kinds

    def __reduce__(self) -> Any:
        return _open, (self._settings,)

    def __repr__(self) -> str:
        return f"Detector(tier={self._settings['tier']!r})"


def listed_kinds(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of detection in which a single kind or text is a list, as the library expects."""
    lists = ("kinds", "ignore_kinds", "allow", "deny")
    return {
        name: [value] if isinstance(value, str) and name.replace("-", "_") in lists else value
        for name, value in settings.items()
    }


def _open(settings: Mapping[str, Any]) -> Detector:
    return Detector(**settings)


@functools.lru_cache(maxsize=4)
def _shared(tier: str, pack: str, kinds: tuple[str, ...] | None) -> Detector:
    return Detector(tier=tier, pack=pack, **({} if kinds is None else {"kinds": list(kinds)}))


def detect(
    text: str, *, tier: str = "accurate", kinds: Sequence[str] | None = None, pack: str = "en"
) -> list[Span]:
    """Returns what is sensitive in a text. The models are opened once.

    >>> import inkveil
    >>> [span.kind for span in inkveil.detect("I am Ana Lima from Porto.")]
    ['person', 'location']
    """
    return _shared(tier, pack, None if kinds is None else tuple(names_of(kinds, "kinds")))(text)
