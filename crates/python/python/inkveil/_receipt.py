"""Receipts: what is guaranteed, for which unit, and what is not covered."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from typing import Any

from inkveil._errors import DataError


def _epsilon(value: Any) -> float | None:
    return None if value is None else float(value)


@dataclass(frozen=True)
class ReceiptGroup:
    """Units that were released with one budget."""

    name: str
    count: int
    epsilon: float
    mechanism: str | None = None


@dataclass(frozen=True)
class Receipt:
    """The record of one release. It holds no text.

    ``data`` is the whole receipt, as the command writes it to its file.
    """

    kind: str
    mechanism: str
    unit: str
    groups: tuple[ReceiptGroup, ...]
    mean_epsilon: float | None
    total_epsilon: float | None
    worst_case_epsilon: float | None
    total_delta: float | None
    not_covered: tuple[str, ...]
    notes: tuple[str, ...]
    secure: bool
    digest: str
    data: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def from_json(cls, text: str) -> Receipt:
        """Reads a receipt that inkveil wrote."""
        # The exceptions of Python quote what is no receipt.
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            return cls._of(json.loads(text))
        raise DataError("this is no receipt of inkveil in JSON")

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Receipt:
        groups = tuple(
            ReceiptGroup(
                name=group["name"],
                count=group["count"],
                epsilon=float(group["epsilon"]),
                mechanism=group.get("mechanism"),
            )
            for group in data["groups"]
        )
        return cls(
            kind=data["release"]["kind"],
            mechanism=data["mechanism"],
            unit=data["unit"],
            groups=groups,
            mean_epsilon=_epsilon(data.get("mean_epsilon")),
            total_epsilon=_epsilon(data.get("total_epsilon")),
            worst_case_epsilon=_epsilon(data.get("worst_case_epsilon")),
            total_delta=data.get("total_delta"),
            not_covered=tuple(data["not_covered"]),
            notes=tuple(data.get("notes", ())),
            secure=data["randomness"]["secure"],
            digest=data["digest"],
            data=data,
        )

    def to_json(self, indent: int | None = None) -> str:
        """Returns the receipt as JSON."""
        return json.dumps(self.data, indent=indent, ensure_ascii=False)
