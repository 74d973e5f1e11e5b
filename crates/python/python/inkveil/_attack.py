"""Attacks on releases: what an attacker finds in what you want to release."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from inkveil import _inkveil
from inkveil._errors import SettingsError
from inkveil._inputs import names_of, rows_of, texts_of
from inkveil._progress import Progress, callback
from inkveil._results import Batch

#: An attacker of your own: a function, or a command with its arguments.
#:
#: A function gets pairs of an original and its release, and other released texts. It returns what
#: it believes the originals of the latter are. A command gets the same as JSON lines.
Attacker = Union[Callable[[Sequence[tuple[str, str]], Sequence[str]], Iterable[str]], Sequence[str]]


@dataclass(frozen=True)
class Estimate:
    """A share with its interval of 95 %."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class TextAttack:
    """What attackers find in released texts."""

    #: The number of attacked texts, and of sensitive values in them.
    texts: int
    values: int
    #: The share of sensitive values that survive unchanged.
    survived: Estimate
    #: The share of sensitive values that each attacker finds.
    found: dict[str, Estimate]
    #: The share of released texts that are most similar to their own original.
    linked: float
    verdict: str
    advice: str
    #: The whole report.
    data: dict[str, Any]

    @property
    def best(self) -> Estimate:
        """What the best attacker finds."""
        return max(self.found.values(), key=lambda found: found.mean)


def attack(
    originals: Iterable[str],
    released: Iterable[str] | Batch,
    *,
    attackers: Mapping[str, Attacker] | None = None,
    rows: int = 2000,
    seed: int = 1,
    model: str | None = None,
    pack: str = "en",
    progress: Progress = None,
) -> TextAttack:
    """Attacks released texts of any tool, or a batch of a veil.

    The originals are in the same order. Attackers know the originals of half of the texts and guess
    the sensitive values of the others. ``attackers`` adds attackers of your own, ``model`` an
    attacker with a language model.

    >>> import inkveil
    >>> names = ["Ana", "Ben", "Eva", "Omar", "Mei", "Lars"]
    >>> texts = [f"I am {name} Lima and my knee hurts since Monday." for name in names * 5]
    >>> veil = inkveil.Veil(preset="placeholders", ledger=False)
    >>> inkveil.attack(texts, veil.batch(texts)).survived.mean
    0.0
    """
    own = [(name, _own(one)) for name, one in dict(attackers or {}).items()]
    line = _inkveil.attack_text(
        texts_of(originals), texts_of(released), own, rows, seed, model, pack, callback(progress)
    )
    data = json.loads(line)
    found = {**data["found"], **data.get("found_by_own", {})}
    return TextAttack(
        texts=data["attacked_texts"],
        values=data["sensitive_values"],
        survived=_estimate(data["survived"]),
        found={name: _estimate(value) for name, value in found.items()},
        linked=data["linked_to_original"],
        verdict=data["verdict"],
        advice=data["advice"],
        data=data,
    )


def attack_style(
    originals: Iterable[str],
    released: Iterable[str] | Batch,
    authors: Iterable[str],
    *,
    seed: int = 1,
    pack: str = "en",
    progress: Progress = None,
) -> dict[str, Any]:
    """Attacks the authors of released texts, and returns the report of ``inkveil attack style``.

    ``remaining`` is the share of the best attacker's gain over guessing that is left, or None if
    even the originals hardly reveal their authors.
    """
    line = _inkveil.attack_style(
        texts_of(originals), texts_of(released), texts_of(authors), seed, pack, callback(progress)
    )
    report: dict[str, Any] = json.loads(line)
    return report


def attack_vectors(
    originals: object,
    released: object,
    texts: Iterable[str],
    *,
    kinds: Sequence[str] = (),
    words: Sequence[str] = (),
    patterns: Sequence[str] = (),
    min_count: int = 5,
    epochs: int | None = None,
    seed: int = 1,
    progress: Progress = None,
) -> dict[str, Any]:
    """Attacks released vectors, and returns the report of ``inkveil attack vector``.

    Attackers know the texts of four in five rows and infer the words that ``kinds``, ``words`` and
    ``patterns`` find in the others.
    """
    line = _inkveil.attack_vectors(
        rows_of(originals),
        rows_of(released),
        texts_of(texts),
        names_of(kinds, "kinds"),
        names_of(words, "words"),
        names_of(patterns, "patterns"),
        min_count,
        epochs,
        seed,
        callback(progress),
    )
    report: dict[str, Any] = json.loads(line)
    return report


def _own(attacker: Attacker) -> object:
    if isinstance(attacker, str):
        raise SettingsError("a command is a list of words, such as ['python', 'attacker.py']")
    return attacker if callable(attacker) else list(attacker)


def _estimate(value: Mapping[str, float]) -> Estimate:
    return Estimate(value["mean"], value["low"], value["high"])
