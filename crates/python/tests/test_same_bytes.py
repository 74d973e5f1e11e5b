"""Python and the command give the same bytes for the same key.

crates/cli/tests/it/interfaces.rs shows the same for the library and the command.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import TEXT

import inkveil


def command(*arguments: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "inkveil", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"preset": "corpus", "at_zero": "surrogate"},
        {"preset": "placeholders"},
        {"preset": "strict"},
        {"preset": "paper-3"},
        {"epsilon": 40.0, "mechanism": "tem"},
        {"task": "What helps against a sore knee?", "preset": "strict"},
    ],
    ids=str,
)
def test_a_text(settings: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    flags = [
        part
        for name, value in settings.items()
        for part in (f"--{name.replace('_', '-')}", str(value))
    ]
    command("text", "--file", "a.txt", "-o", "b.txt", "--insecure-seed", "5", *flags, cwd=tmp_path)
    veiled = inkveil.Veil(**settings, insecure_seed=5, ledger=False)(TEXT)
    assert veiled.text == (tmp_path / "b.txt").read_text()
    written = json.loads((tmp_path / "b.txt.receipt.json").read_text())
    ours = veiled.receipt.data
    assert ours["groups"] == written["groups"] and ours["not_covered"] == written["not_covered"]


def test_rows(tmp_path: Path) -> None:
    texts = [f"{TEXT} Row {i}." for i in range(150)]
    lines = [json.dumps({"text": text}) for text in texts]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    flags = ["--preset", "strict", "--insecure-seed", "5"]
    command("text", "--file", "in.jsonl", "-o", "out.jsonl", *flags, cwd=tmp_path)
    out = (tmp_path / "out.jsonl").read_text().splitlines()
    veil = inkveil.Veil(preset="strict", insecure_seed=5, ledger=False)
    assert veil.batch(texts).texts == [json.loads(line)["text"] for line in out]


def test_vectors(tmp_path: Path) -> None:
    rows = np.random.default_rng(3).normal(size=(20, 16)).astype(np.float32)
    np.save(tmp_path / "in.npy", rows)
    flags = ["-m", "laplace-l2", "-e", "100", "--clip", "1", "--insecure-seed", "5"]
    command("vector", "apply", "in.npy", "-o", "out.npy", *flags, cwd=tmp_path)
    veil = inkveil.VectorVeil(100.0, noise="round", bound=1.0, insecure_seed=5, ledger=False)
    assert np.array_equal(veil.apply(rows), np.load(tmp_path / "out.npy"))
