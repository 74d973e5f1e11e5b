"""pytest: ``pytest --inkveil`` fails when a fixture returns personal data.

It looks at strings, and at strings in lists, tuples, sets and dictionaries. The message names the
fixture and the kinds, and never the text. ``inkveil_kinds`` in the settings lists the kinds.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import pytest

#: What is personal in any text. Names need the tagger: ``--inkveil-tier accurate``.
_KINDS = [
    "person",
    "email",
    "phone",
    "credit-card",
    "iban",
    "national-id",
    "passport",
    "driver-licence",
    "medical-record",
    "secret",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("inkveil")
    group.addoption(
        "--inkveil", action="store_true", help="Fail if a fixture returns personal data"
    )
    group.addoption(
        "--inkveil-tier",
        default="rules",
        choices=["rules", "fast", "accurate"],
        help="Effort of detection (default: rules)",
    )
    parser.addini("inkveil_kinds", "Kinds that count as personal data", "linelist", _KINDS)
    parser.addini("inkveil_allow", "Texts that are allowed", "linelist", [])


def _strings(value: Any, depth: int = 4) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict):
        for key, item in value.items():
            yield from _strings(key, depth - 1)
            yield from _strings(item, depth - 1)
    elif depth and isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _strings(item, depth - 1)


class _Check:
    def __init__(self, config: pytest.Config) -> None:
        from inkveil import Detector

        self._detector = Detector(
            tier=str(config.getoption("--inkveil-tier")),
            kinds=list(config.getini("inkveil_kinds")),
            allow=list(config.getini("inkveil_allow")),
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, object, object]:
        value = yield
        texts = list(_strings(value))
        kinds = sorted({span.kind for found in self._detector.batch(texts) for span in found})
        if kinds:
            pytest.fail(
                f"the fixture {fixturedef.argname} returns personal data: {', '.join(kinds)}",
                pytrace=False,
            )
        return value


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--inkveil"):
        from inkveil import InkveilError

        try:
            check = _Check(config)
        except InkveilError as error:
            raise pytest.UsageError(f"--inkveil: {error}") from None
        config.pluginmanager.register(check, "inkveil-check")
