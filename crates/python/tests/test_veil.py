from __future__ import annotations

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest
from conftest import TEXT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inkveil


def test_a_text_is_veiled_with_its_receipt(placeholders: inkveil.Veil) -> None:
    veiled = placeholders(TEXT)
    assert "Ana" not in veiled.text and "[person 1]" in veiled.text
    assert str(veiled) == veiled.text
    receipt = veiled.receipt
    assert receipt.kind == "text" and not receipt.secure and receipt.not_covered
    assert json.loads(receipt.to_json())["digest"] == receipt.digest
    assert dataclasses.asdict(receipt)["mechanism"] == receipt.mechanism
    assert "Ana" not in receipt.to_json() and "Ana" not in veiled.explain()
    assert inkveil.Receipt.from_json(receipt.to_json()) == receipt


def test_spans_count_characters_of_both_texts(placeholders: inkveil.Veil) -> None:
    text = "𝄞é " + TEXT
    veiled = placeholders(text)
    found = {text[span.start : span.end]: span for span in veiled.spans}
    person = found["Ana Lima"]
    assert person.kind == "person" and person.treatment == "replaced"
    assert veiled.text[person.new_start : person.new_end].startswith("[person")
    assert found["ana@example.org"].kind == "email"


def test_a_batch_has_one_receipt_and_veiled_texts(placeholders: inkveil.Veil) -> None:
    done: list[int] = []
    batch = placeholders.batch([TEXT, "Nothing here.", TEXT], progress=done.append)
    assert len(batch) == 3 and batch.texts[1] == "Nothing here."
    assert [one.text for one in batch] == batch.texts and batch[-1].text == batch.texts[2]
    assert [one.text for one in batch[1:]] == batch.texts[1:]
    assert sum(group.count for group in batch.receipt.groups) > 0
    assert done and done[-1] == 3
    with pytest.raises(IndexError):
        batch[3]
    assert len(placeholders.batch([])) == 0


def test_ids_fix_the_noise_and_calls_without_them_are_fresh() -> None:
    veil = inkveil.Veil(preset="strict", key=inkveil.new_key(), ledger=False)
    text = "The green house by the river has a small garden and an old well."
    assert veil(text, id="row 7").text == veil(text, id="row 7").text
    assert veil(text, id=7).text != veil(text, id=8).text
    assert veil(text).text != veil(text).text
    forwards = veil.batch([text, TEXT], ids=[1, 2]).texts
    assert veil.batch([TEXT, text], ids=[2, 1]).texts == forwards[::-1]


def test_an_answer_is_restored(tmp_path: Path) -> None:
    veil = inkveil.Veil(restorable=True, ledger=False)
    veiled = veil(TEXT)
    assert "Ana Lima" not in veiled.text
    assert veiled.restore(veiled.text) == TEXT
    assert inkveil.restore(veiled.text, veiled.map) == TEXT
    file, key = tmp_path / "a.map", tmp_path / "a.key"
    veiled.map.save(file, key_file=key)
    assert b"Ana" not in file.read_bytes()
    assert inkveil.Map.open(file, key_file=key).restore(veiled.text) == TEXT
    with pytest.raises(inkveil.FileError):
        veiled.map.save(file, key_file=key)
    with pytest.raises(inkveil.MapError):
        inkveil.Map.open(file, passphrase="another key entirely")
    with pytest.raises(inkveil.SettingsError):
        inkveil.Map.open(file)
    batch = veil.batch([TEXT, "Ben Cole called."])
    assert batch.map.restore(batch.texts[1]) == "Ben Cole called."
    with pytest.raises(inkveil.SettingsError, match="restorable"):
        _ = inkveil.Veil(preset="placeholders", ledger=False)(TEXT).map


def test_tasks_and_settings_reach_the_library() -> None:
    veil = inkveil.Veil(
        "What helps against a sore knee?",
        budgets=[float("inf"), 0, float("inf"), 0],
        at_zero="drop",
        detect={"ignore_kinds": ["date"], "deny": [{"text": "river", "kind": "project"}]},
        ledger=False,
    )
    veiled = veil("The knee by the river hurts.")
    assert "knee" in veiled.text and "river" not in veiled.text
    other = veil.batch(["The knee by the river hurts."], tasks=["rivers and boats"])
    assert other.texts[0] != veiled.text


def test_the_event_loop_goes_on(placeholders: inkveil.Veil) -> None:
    async def run() -> tuple[str, list[str]]:
        one, many = await asyncio.gather(placeholders.aveil(TEXT), placeholders.abatch([TEXT] * 3))
        return one.text, many.texts

    one, many = asyncio.run(run())
    assert "[person 1]" in one and len(many) == 3


def test_a_notebook_shows_marks_and_the_receipt(placeholders: inkveil.Veil) -> None:
    page = placeholders("<b>Ana Lima</b>")._repr_html_()
    assert "<mark" in page and "&lt;b&gt;" in page and "receipt" in page and "Ana" not in page


def test_detect_and_style() -> None:
    kinds = [span.kind for span in inkveil.detect(TEXT)]
    assert "person" in kinds and "email" in kinds
    only = inkveil.detect(TEXT, kinds=["email"], tier="rules")
    assert [TEXT[span.start : span.end] for span in only] == ["ana@example.org"]
    assert only[0].why and 0 < only[0].score <= 1
    detector = inkveil.Detector(tier="rules", ignore_kinds=["email"])
    assert detector(TEXT) == [span for span in detector(TEXT) if span.kind != "email"]
    assert len(detector.batch([TEXT, ""])) == 2
    assert inkveil.StyleMemory().risk(TEXT)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=200))
def test_any_text_is_veiled_and_restored(text: str) -> None:
    veil = _restorable()
    try:
        veiled = veil(text)
    except inkveil.DataError:
        assert any(0xD800 <= ord(c) <= 0xDFFF for c in text)
        return
    for span in veiled.spans:
        assert 0 <= span.start <= span.end <= len(text)
        assert 0 <= span.new_start <= span.new_end <= len(veiled.text)


_VEILS: list[inkveil.Veil] = []


def _restorable() -> inkveil.Veil:
    if not _VEILS:
        _VEILS.append(inkveil.Veil(preset="placeholders", restorable=True, ledger=False))
    return _VEILS[0]
