"""The installed package: its files, its command and its documentation."""

from __future__ import annotations

import doctest
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from conftest import TEXT

import inkveil

PACKAGE = Path(inkveil.__file__).parent


def test_the_package_has_its_own_pack_and_command(tmp_path: Path) -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert (PACKAGE / "share/inkveil/models/en/manifest.json").is_file()
    listed = subprocess.run(
        [sys.executable, "-m", "inkveil", "models", "list"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert "installed" in listed.stdout
    done = subprocess.run(
        [sys.executable, "-m", "inkveil", "text", "--preset", "placeholders", "I am Ana Lima."],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert done.stdout.strip() == "I am [person 1]."
    wrong = subprocess.run(
        [sys.executable, "-m", "inkveil", "txet"], capture_output=True, text=True
    )
    assert wrong.returncode == 2 and "text" in wrong.stderr


@pytest.mark.parametrize(
    "name",
    [
        "",
        "._attack",
        "._detect",
        "._ledger",
        "._map",
        "._results",
        "._style",
        "._vectors",
        "._veil",
    ],
)
def test_the_examples_of_the_documentation_run(name: str) -> None:
    __import__(f"inkveil{name}")
    failed, _ = doctest.testmod(sys.modules[f"inkveil{name}"])
    assert failed == 0


def test_modules_for_libraries_are_there_without_an_import() -> None:
    program = """
        import sys
        import inkveil
        assert "inkveil.lines" not in sys.modules
        assert inkveil.lines.attacker
        sys.modules["pyspark"] = None
        for call in (lambda: inkveil.spark, lambda: inkveil.nothing):
            try:
                call()
            except (ImportError, AttributeError) as error:
                print(type(error).__name__, error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "ModuleNotFoundError inkveil.spark needs the package pyspark: pip install 'inkveil[spark]'",
        "AttributeError module 'inkveil' has no attribute 'nothing'",
    ]


def test_vectors_say_that_they_need_numpy() -> None:
    program = """
        import sys
        sys.modules["numpy"] = None
        import inkveil
        assert inkveil.Veil(preset="placeholders", ledger=False)("Ana Lima.").text
        for call in (
            lambda: inkveil.encode(["one"]),
            lambda: inkveil.VectorVeil(1.0, ledger=False).apply([[1.0]]),
        ):
            try:
                call()
            except ModuleNotFoundError as error:
                print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    expected = "vectors need the package numpy: pip install 'inkveil[vectors]'"
    assert done.stdout.splitlines() == [expected] * 2


def test_files_are_checked_before_a_commit(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text("nothing\n")
    bad.write_text("one\nwrite to ana@example.org\n")
    (tmp_path / "raw.bin").write_bytes(b"\xff\xfe\x00")
    run = [sys.executable, "-m", "inkveil.check_files"]
    assert subprocess.run([*run, str(good), str(tmp_path / "raw.bin")]).returncode == 0
    done = subprocess.run([*run, str(bad)], capture_output=True, text=True)
    assert done.returncode == 1 and "bad.txt:2: email" in done.stdout and "ana@" not in done.stdout
    allowed = subprocess.run([*run, "--allow", "ana@example.org", str(bad)], capture_output=True)
    assert allowed.returncode == 0
    (tmp_path / "old.txt").write_bytes("Zo\u00eb, ana@example.org".encode("latin-1"))
    skipped = subprocess.run([*run, str(tmp_path / "old.txt")], capture_output=True, text=True)
    assert skipped.returncode == 0 and "not checked" in skipped.stderr
    wrong = subprocess.run([*run, "--kind", "emial", str(bad)], capture_output=True, text=True)
    assert wrong.returncode == 2 and "did you mean" in wrong.stderr
    assert "Traceback" not in wrong.stderr


def test_the_pytest_plugin_names_the_fixture_and_not_the_text(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "@pytest.fixture\ndef customer(): return {'mail': ['ana@example.org']}\n"
        "@pytest.fixture\ndef number(): return 7\n"
        "def test_one(customer): pass\n"
        "def test_two(number): pass\n"
    )
    run = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", str(tmp_path)]
    plain = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path)
    assert "2 passed" in plain.stdout, plain.stdout
    checked = subprocess.run([*run, "--inkveil"], capture_output=True, text=True, cwd=tmp_path)
    assert "1 passed" in checked.stdout and "1 error" in checked.stdout, checked.stdout
    assert "the fixture customer returns personal data: email" in checked.stdout
    assert TEXT not in checked.stdout
    (tmp_path / "pytest.ini").write_text("[pytest]\ninkveil_kinds = emial\n")
    wrong = subprocess.run([*run, "--inkveil"], capture_output=True, text=True, cwd=tmp_path)
    assert wrong.returncode == 4 and "did you mean" in wrong.stderr
    assert "Traceback" not in wrong.stderr + wrong.stdout
