"""Attacks, and mechanisms and attackers of your own."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import inkveil

NAMES = ["Ana Lima", "Ben Cole", "Eva Novak", "Omar Haddad", "Mei Tanaka", "Lars Berg"]
PLACES = ["Porto", "Lyon", "Leeds", "Graz", "Osaka", "Tampere"]


def letters(count: int, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    return [
        f"I am {draw.choice(NAMES)} from {draw.choice(PLACES)}. The {draw.choice(['red', 'blue'])} "
        f"order {draw.randint(1000, 9999)} has not arrived since Monday, please help."
        for _ in range(count)
    ]


TEXTS = letters(60)


def memory(known: Sequence[tuple[str, str]], released: Sequence[str]) -> list[str]:
    """Takes each released text for the original of the most similar known release."""

    def alike(a: str, b: str) -> int:
        return len(set(a.split()) & set(b.split()))

    return [max(known, key=lambda pair: alike(pair[1], text))[0] for text in released]


def test_attackers_of_the_library_and_of_your_own() -> None:
    """One attack: the similarities of all words are computed in each, which takes long."""
    veil = inkveil.Veil(preset="placeholders", ledger=False)
    steps: list[int] = []
    hidden = inkveil.attack(
        TEXTS,
        veil.batch(TEXTS).texts,
        attackers={"memory": memory, "face": lambda known, released: released},
        progress=steps.append,
    )
    # The detector of the attack takes a colour for a company, and the veil does not.
    assert hidden.survived.mean < 0.02 and hidden.texts == 30 and hidden.values > 60
    assert set(hidden.found) == {"likelihood", "unigram", "language", "memory", "face"}
    assert 0.1 < hidden.found["memory"].mean < 0.9 and hidden.found["face"].mean < 0.02
    assert hidden.advice and hidden.verdict and steps


def test_an_attacker_of_your_own_fails() -> None:
    def broken(known: Sequence[tuple[str, str]], released: Sequence[str]) -> list[str]:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        inkveil.attack(TEXTS, TEXTS, attackers={"broken": broken})


ATTACKER = """
import inkveil.lines

@inkveil.lines.attacker
def face_value(known, released):
    assert known
    return released
"""

MECHANISM = """
import inkveil.lines

@inkveil.lines.mechanism
def short(texts, *, seed, budgets=None, task=None):
    assert task == "Which colour?" and seed
    return [" ".join(word for word in text.split() if word not in {"Ana", "Ben"}) for text in texts]
"""


def test_an_attacker_of_your_own_is_a_command(tmp_path: Path) -> None:
    script = tmp_path / "face.py"
    script.write_text(ATTACKER)
    run = [sys.executable, str(script)]
    for name in ("before.txt", "after.txt"):
        (tmp_path / name).write_text("\n".join(TEXTS) + "\n")
    command = [sys.executable, "-m", "inkveil", "attack", "text", "before.txt", "after.txt"]
    done = subprocess.run(
        [*command, "--attacker", f"face={' '.join(run)}", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["found_by_own"]["face"]["mean"] == 1.0


def test_a_mechanism_and_an_attacker_of_your_own_in_an_experiment(tmp_path: Path) -> None:
    (tmp_path / "short.py").write_text(MECHANISM)
    (tmp_path / "face.py").write_text(ATTACKER)
    for name, seed in (("train", 2), ("test", 3)):
        rows = [
            json.dumps({"text": text, "colour": "r" if "red" in text else "b"})
            for text in letters(120, seed)
        ]
        (tmp_path / "data" / "letters").mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / "letters" / f"{name}.jsonl").write_text("\n".join(rows) + "\n")
    labels = 'label = "colour", labels = { r = "red", b = "blue" }'
    file = '{ file = "%s.jsonl", texts = ["text"], ' + labels + " }"
    (tmp_path / "mine.toml").write_text(f"""
name = "mine"
title = "A mechanism of my own"
seeds = [1]

[sets.letters]
about = "Letters, by colour"
task = "Which colour?"
train = [{file % "train"}]
test = [{file % "test"}]

[text]
data = ["letters"]
attackers = ["likelihood", "unigram", "face"]

[text.commands]
short = ["{sys.executable}", "short.py"]
face = ["{sys.executable}", "face.py"]

[[text.grid]]
mechanisms = ["keep", "mask", "short"]
""")
    command = [sys.executable, "-m", "inkveil", "eval", "run", "mine.toml", "--data", "data"]
    done = subprocess.run(
        [*command, "-o", "results", "--quiet"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads((tmp_path / "results" / "mine.json").read_text())["cells"]
    found = {cell["at"]["mechanism"]: cell["measures"] for cell in cells}
    assert found["keep"]["survived"]["mean"] == 1.0
    # A third of the first names is left out, and each word counts.
    assert 0.5 < found["short"]["survived"]["mean"] < 1.0
    assert found["short"]["attack-face"]["mean"] == pytest.approx(
        found["short"]["survived"]["mean"]
    )
    assert found["short"]["attack"]["mean"] >= found["short"]["survived"]["mean"]
    assert found["short"]["accuracy-words"]["mean"] == 1.0
    assert found["mask"]["attack-face"]["mean"] == 0.0


def test_authors() -> None:
    draw = random.Random(1)
    openings = {"ann": "Well, honestly, I think that", "bob": "THE FACTS ARE CLEAR:"}
    texts, authors = [], []
    for index in range(24):
        author = ("ann", "bob")[index % 2]
        ending = "!!!" if author == "ann" else "."
        texts.append(f"{openings[author]} {draw.choice(letters(5, index))}{ending}")
        authors.append(author)
    report = inkveil.attack_style(texts, texts, authors)
    assert report["authors"] == 2 and report["remaining"] == 1.0


def test_vectors() -> None:
    texts = letters(200)
    vectors = inkveil.encode(texts)
    veiled = inkveil.VectorVeil(5.0, ledger=False).apply(vectors)
    report = inkveil.attack_vectors(vectors, veiled, texts, kinds=["person"], epochs=5)
    assert report["words"] > 0 and report["held_out_texts"] == 40
    with pytest.raises(inkveil.DataError):
        inkveil.attack_vectors(vectors, veiled[:3], texts, kinds=["person"])
    with pytest.raises(inkveil.SettingsError):
        inkveil.attack_vectors(vectors, veiled, texts, kinds=["persona"])
    assert veiled.dtype == np.float32
