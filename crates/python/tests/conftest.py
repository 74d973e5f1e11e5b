from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import inkveil

TEXT = "I am Ana Lima from Porto. My knee hurts since Monday, write to ana@example.org."


@pytest.fixture(autouse=True)
def no_ledger(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("INKVEIL_LEDGER", raising=False)
    yield


@pytest.fixture(scope="session")
def placeholders() -> inkveil.Veil:
    return inkveil.Veil(preset="placeholders", insecure_seed=7, ledger=False)


@pytest.fixture()
def ledger(tmp_path: Path) -> inkveil.Ledger:
    return inkveil.Ledger(tmp_path / "budget.ledger")
