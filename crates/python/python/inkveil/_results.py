"""What a veil returns."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from inkveil import _inkveil
from inkveil._errors import SettingsError
from inkveil._map import Map
from inkveil._receipt import Receipt


@dataclass(frozen=True)
class Change:
    """A place that is sensitive or was changed. It holds no text.

    ``start`` and ``end`` count characters of the original, ``new_start`` and ``new_end`` those of
    the veiled text. ``treatment`` is ``noise``, ``replaced`` or ``kept``.
    """

    start: int
    end: int
    kind: str | None
    why: str | None
    treatment: str
    epsilon: float
    new_start: int
    new_end: int


class Veiled:
    """A veiled text. ``str()`` returns the text.

    >>> import inkveil
    >>> veiled = inkveil.Veil(preset="placeholders", ledger=False)("I am Ana Lima.")
    >>> veiled.text
    'I am [person 1].'
    >>> [change.kind for change in veiled.spans]
    ['person']
    """

    __slots__ = ("_index", "_released", "_restorable")

    def __init__(self, released: _inkveil.Released, index: int, restorable: bool) -> None:
        self._released = released
        self._index = index
        self._restorable = restorable

    @property
    def text(self) -> str:
        """The text that may leave this machine."""
        return self._released.text(self._index)

    @property
    def receipt(self) -> Receipt:
        """What is guaranteed and what is not."""
        return Receipt.from_json(self._released.receipt(self._index))

    @property
    def spans(self) -> tuple[Change, ...]:
        """What is sensitive or was changed, in order."""
        return tuple(Change(*place) for place in self._released.places(self._index))

    @property
    def map(self) -> Map:
        """Which replacement stands for which original. It is as private as the text."""
        return Map(_map(self._released, self._index, self._restorable))

    def restore(self, answer: str) -> str:
        """Puts the originals back into an answer."""
        return self.map.restore(answer)

    def explain(self) -> str:
        """Returns the receipt in words."""
        return self._released.rendered(self._index)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        # Results are printed by notebooks and logs; the veiled text may be printed.
        return f"Veiled({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Veiled) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> Any:
        raise TypeError("a veiled text holds private places; pickle its .text and .receipt")

    def _repr_html_(self) -> str:
        text, at, parts = self.text, 0, []
        for change in self.spans:
            if change.treatment == "kept" or change.new_start < at:
                continue
            parts.append(html.escape(text[at : change.new_start]))
            title = html.escape(change.kind or "word")
            shown = html.escape(text[change.new_start : change.new_end])
            parts.append(f'<mark title="{title}, {change.treatment}">{shown}</mark>')
            at = change.new_end
        parts.append(html.escape(text[at:]))
        receipt = html.escape(self.explain())
        return (
            f'<div style="white-space:pre-wrap">{"".join(parts)}</div>'
            f"<details><summary>receipt</summary><pre>{receipt}</pre></details>"
        )


class Batch(Sequence[Veiled]):
    """Veiled texts that were released together, with one receipt for all of them."""

    __slots__ = ("_released", "_restorable")

    def __init__(self, released: _inkveil.Released, restorable: bool) -> None:
        self._released = released
        self._restorable = restorable

    @property
    def texts(self) -> list[str]:
        """The texts that may leave this machine, in order."""
        return self._released.texts()

    @property
    def receipt(self) -> Receipt:
        """What is guaranteed for all texts together."""
        return Receipt.from_json(self._released.receipt(None))

    @property
    def map(self) -> Map:
        """Which replacement stands for which original, in all texts."""
        return Map(_map(self._released, None, self._restorable))

    def explain(self) -> str:
        """Returns the receipt in words."""
        return self._released.rendered(None)

    def __len__(self) -> int:
        return len(self._released)

    @overload
    def __getitem__(self, index: int) -> Veiled: ...
    @overload
    def __getitem__(self, index: slice) -> list[Veiled]: ...
    def __getitem__(self, index: int | slice) -> Veiled | list[Veiled]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError("there is no such text")
        return Veiled(self._released, at, self._restorable)

    def __iter__(self) -> Iterator[Veiled]:
        return (Veiled(self._released, at, self._restorable) for at in range(len(self)))

    def __repr__(self) -> str:
        return f"Batch({len(self)} texts)"

    def __reduce__(self) -> Any:
        raise TypeError("veiled texts hold private places; pickle .texts and .receipt")


def _map(released: _inkveil.Released, index: int | None, restorable: bool) -> _inkveil.Map:
    if not restorable:
        raise SettingsError("this veil keeps no replacements; make it with restorable=True")
    return released.map(index)
