from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import TEXT

import inkveil
from inkveil._inputs import names_of

SECRET = "Zebulon Quixano"


def test_errors_are_kin_of_pythons_own() -> None:
    assert issubclass(inkveil.SettingsError, (inkveil.InkveilError, ValueError))
    assert issubclass(inkveil.ModelError, OSError) and issubclass(
        inkveil.LimitError, inkveil.InkveilError
    )
    with pytest.raises(inkveil.SettingsError, match=r'^preset: .*did you mean "strict"'):
        inkveil.Veil(preset="srtict")  # type: ignore[arg-type]
    with pytest.raises(inkveil.SettingsError):
        inkveil.Veil(at_zero="drop", consistent="document")
    with pytest.raises(inkveil.SettingsError):
        inkveil.Veil(key=b"short")
    with pytest.raises(inkveil.SettingsError):
        inkveil.Veil(key=inkveil.new_key(), insecure_seed=1)
    with pytest.raises(inkveil.SettingsError):
        inkveil.Veil(detect={"threshold": object()})
    with pytest.raises(inkveil.ModelError):
        inkveil.Veil(pack="no-such-pack")
    with pytest.raises(inkveil.SettingsError, match="did you mean"):
        inkveil.Detector(tier="rules", kinds=["emial"])


def test_no_error_quotes_a_text(placeholders: inkveil.Veil) -> None:
    half = SECRET + "\udc80"
    for call in (
        lambda: placeholders(half),
        lambda: placeholders.batch([SECRET, 7]),  # type: ignore[list-item]
        lambda: inkveil.detect(half, tier="rules"),
        lambda: inkveil.Map.of_pairs([("a", "b", "c")]).restore(half),
        lambda: inkveil.Veil(task=half, ledger=False),
        lambda: inkveil.Veil(subject=half, ledger=False),
        lambda: inkveil.Veil(relevance={half: 1.0}, ledger=False),
        lambda: inkveil.Veil(detect={"thresholds": {half: 1.0}}, ledger=False),
        lambda: inkveil.VectorVeil(1.0, dataset=half, ledger=False),
        lambda: placeholders.batch([TEXT], ids=[half]),
        lambda: placeholders.batch([TEXT], ids=[10**30]),
        lambda: placeholders.document(b"A text.", name="a.md", task=half),
        lambda: placeholders.document(b"A text.", name=half),
        lambda: inkveil.Map.of_pairs([("a", half, "c")]),
        lambda: inkveil.Map.open("a.map", passphrase=half),
        lambda: inkveil.VectorVeil.fit([TEXT], "a.mask", epsilon=1.0, words=[half]),
        lambda: inkveil.Receipt.from_json(SECRET),
        lambda: inkveil.Receipt.from_json(f'{{"groups": ["{SECRET}"]}}'),
    ):
        quotes_nothing(call, inkveil.DataError)
    # A text in place of a path, with a character that no path has.
    for text in (SECRET + "\ud800", SECRET + "\0", SECRET * 100):
        quotes_nothing(lambda text=text: placeholders.document(text), inkveil.FileError)


def quotes_nothing(call: Callable[[], object], kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        call()
    error: BaseException | None = caught.value
    while error is not None:
        assert SECRET not in repr(error) and SECRET not in str(error.args)
        error = error.__context__


def test_no_wrong_setting_is_quoted_with_its_neighbours() -> None:
    """A file of settings may be quoted in a message. These settings come from a program."""
    for settings in (
        {"task": SECRET, "at_zero": "nothing"},
        {"detect": {"deny": [{"text": SECRET, "kind": "person", "wrong": 1}]}},
        {"detect": {"allow": [SECRET], "threshold": "high"}},
        {"detect": {"allow": [SECRET, 7]}},
        {"detect": {"allow": [f"one\n{SECRET}\nthree", 7]}},
        {"detect": {"allow": [f"one\n{SECRET}", 7]}},
        {"detect": {"allow": [f"one\n{SECRET}\nthree"], "thresholds": {"emial": 1.0}}},
        {"task": [f"one\n{SECRET}\nthree", "a\tb"], "lexicon": "nothing"},
    ):
        quotes_nothing(
            lambda given=settings: inkveil.Veil(**given, ledger=False), inkveil.SettingsError
        )


def test_one_name_is_not_its_letters() -> None:
    """A word would otherwise be hidden letter by letter, and the word itself would not."""
    assert [one.kind for one in inkveil.detect(TEXT, tier="rules", kinds="email")] == ["email"]
    assert inkveil.Detector(tier="rules", kinds="email").kinds == ["email"]
    assert names_of("Ana", "words") == ["Ana"]
    with pytest.raises(inkveil.DataError, match="words are texts, not of type int"):
        names_of([7], "words")  # type: ignore[list-item]
    with pytest.raises(inkveil.SettingsError, match="list of words"):
        inkveil.attack([TEXT], [TEXT], attackers={"mine": "python attacker.py"})


def test_what_only_looks_like_a_list_of_texts_is_refused(placeholders: inkveil.Veil) -> None:
    """Letters, names of columns and keys are texts too, and would be released without a word."""

    class Table:
        columns = ("body",)

        def __iter__(self) -> Iterator[str]:
            return iter(self.columns)

    for wrong in (SECRET, SECRET.encode(), {SECRET: 1}, Table(), 7, None):
        for call in (
            placeholders.batch,
            inkveil.Detector(tier="rules").batch,
            inkveil.encode,
            lambda texts: inkveil.attack(texts, texts),
        ):
            with pytest.raises(inkveil.DataError, match="list") as caught:
                call(wrong)
            assert SECRET not in str(caught.value)
    for wrong, match in (
        ([SECRET, None], "text 1 is missing.*veil.arrow"),
        ([SECRET, float("nan")], "text 1 is missing"),
        ([SECRET, 7], "text 1 is of type int, not str"),
    ):
        with pytest.raises(inkveil.DataError, match=match):
            placeholders.batch(wrong)


def test_wrong_ids_and_progress_are_refused(placeholders: inkveil.Veil) -> None:
    for ids, match in (
        (["a", 1.0], "id 1 is of type float"),
        (["a", True], "id 1 is of type bool"),
        ("ab", "one id"),
        ([1], "one id"),
    ):
        with pytest.raises(inkveil.DataError, match=match):
            placeholders.batch([TEXT, TEXT], ids=ids)  # type: ignore[arg-type]
    # The difference of two rows would show.
    with pytest.raises(inkveil.DataError, match="rows 0 and 2 differ and have the same id"):
        placeholders.batch([TEXT, TEXT, "Ask Ben."], ids=[1, 1, 1])
    assert len(set(placeholders.batch([TEXT, TEXT], ids=[1, 1]).texts)) == 1
    vectors = inkveil.VectorVeil(50.0, ledger=False)
    with pytest.raises(inkveil.DataError, match="same id"):
        vectors.apply([[1.0, 0.0], [0.0, 1.0]], ids=["a", "a"])
    with pytest.raises(inkveil.SettingsError, match="tqdm"):
        placeholders.batch([TEXT], progress=True)  # type: ignore[arg-type]
    with pytest.raises(inkveil.SettingsError, match="ledger is"):
        inkveil.Veil(ledger=True)  # type: ignore[arg-type]


def test_texts_in_place_of_vectors_are_not_quoted() -> None:
    veil = inkveil.VectorVeil(50.0, ledger=False)
    for wrong in ([SECRET], [[SECRET]], SECRET, [[1.0, 2.0], [1.0]], [[1.0, object()]]):
        with pytest.raises(inkveil.DataError, match="rows") as caught:
            veil.apply(wrong)
        error: BaseException | None = caught.value
        while error is not None:
            assert SECRET not in repr(error)
            error = error.__context__


def test_private_objects_show_nothing(placeholders: inkveil.Veil) -> None:
    known = inkveil.Map.of_pairs([("Made Antonov", SECRET, "person")])
    assert SECRET not in repr(known) and len(known) == 1
    assert SECRET not in repr(placeholders.batch([SECRET]))
    assert SECRET not in repr(inkveil.Veil(task=SECRET, ledger=False))


def test_a_limit_stops_a_release(ledger: inkveil.Ledger) -> None:
    veil = inkveil.Veil(preset="paper-1", ledger=ledger, dataset="letters", subject="patient 7")
    assert veil.is_charged
    veil("The green house by the river.")
    total = ledger.totals(dataset="letters")[0]
    assert total.epsilon > 0 and total.releases == 1
    assert ledger.releases()[0]["dataset"] == "letters" and ledger.verify() == []
    assert ledger.totals(subject="patient 7")
    ledger.limit(dataset="letters", epsilon=1.0)
    with pytest.raises(inkveil.LimitError) as caught:
        veil("The green house by the river.")
    assert "river" not in str(caught.value)
    assert len(ledger.releases()) == 1
    ledger.limit(dataset="letters", epsilon=None)
    veil("The green house by the river.")
    with pytest.raises(inkveil.SettingsError):
        ledger.limit(epsilon=1.0)


def test_the_ledger_of_the_environment_is_charged_by_default(
    ledger: inkveil.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INKVEIL_LEDGER", str(ledger.path))
    assert inkveil.Veil(preset="placeholders").is_charged
    assert not inkveil.Veil(preset="placeholders", ledger=False).is_charged


def test_a_damaged_ledger_stops_everything(tmp_path: Path) -> None:
    file = tmp_path / "budget.ledger"
    file.write_bytes(b"not a ledger at all, but long enough to look at" * 40)
    with pytest.raises(inkveil.LedgerError):
        inkveil.Veil(ledger=file)


def test_a_callback_that_fails_stops_the_work(placeholders: inkveil.Veil) -> None:
    def fail(done: int) -> None:
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        placeholders.batch([TEXT] * 200, progress=fail)
