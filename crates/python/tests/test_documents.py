from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

import inkveil

PAGE = b"<p>I am <b>Ana</b> Lima, ana@example.org.</p><!-- secret-draft -->"


def test_a_document_is_veiled_with_its_formatting_and_restored() -> None:
    veil = inkveil.Veil(insecure_seed=4, ledger=False, restorable=True)
    veiled = veil.document(PAGE, name="letter.html")
    assert veiled.content.startswith(b"<p>I am <b>") and veiled.extension == "html"
    for word in (b"Lima", b" ana@", b"secret-draft"):
        assert word not in veiled.content
    assert veiled.removed == {"comments": 1}
    assert "Lima" not in veiled.receipt.to_json() and "comments" in veiled.explain()
    assert {span.kind for span in veiled.spans} >= {"person", "email"}
    answer = veiled.content.replace(b"<p>I am", b"<p>Dear all, I am")
    restored = veiled.map.restore_document(answer, name="letter.html")
    assert restored.startswith(b"<p>Dear all, I am <b>Ana</b> Lima, ana@example.org.")


def test_a_file_is_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "letter.docx"
    path.write_bytes(docx("I am Ana Lima."))
    veil = inkveil.Veil(preset="placeholders", ledger=False)
    veiled = veil.document(path)
    veiled.save(tmp_path / "veiled.docx")
    with pytest.raises(inkveil.FileError, match="overwrite"):
        veiled.save(tmp_path / "veiled.docx")
    with pytest.raises(inkveil.FileError, match="cannot be written"):
        veiled.save(tmp_path / "no such folder" / "veiled.docx")
    assert veil.document(bytearray(path.read_bytes()), name="letter.docx").text == veiled.text
    veiled.save(tmp_path / "veiled.docx", overwrite=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["letter.docx", "veiled.docx"]
    assert inkveil.document_text(tmp_path / "veiled.docx").strip() == "I am [person 1]."
    assert inkveil.document_text(path).strip() == "I am Ana Lima."
    with pytest.raises(inkveil.SettingsError, match="restorable"):
        _ = veiled.map


def test_what_is_no_document_is_refused_without_its_text() -> None:
    veil = inkveil.Veil(preset="placeholders", ledger=False)
    with pytest.raises(inkveil.SettingsError, match="name"):
        veil.document(PAGE)
    with pytest.raises(inkveil.DataError, match="endings"):
        veil.document(PAGE, name="letter.exe")
    with pytest.raises(inkveil.DataError) as refused:
        veil.document(b"Ana Lima", name="letter.docx")
    assert "Lima" not in str(refused.value)
    with pytest.raises(inkveil.FileError) as refused:
        veil.document("Ana Lima")
    assert "Lima" not in str(refused.value)


def test_the_language_can_be_named() -> None:
    text = "Herr Schmidt wohnt in der Hauptstra\u00dfe 5."
    veiled = inkveil.Veil(preset="placeholders", language="de", ledger=False)(text)
    assert "Schmidt" not in veiled.text
    with pytest.raises(inkveil.SettingsError):
        inkveil.Veil(language="xx", ledger=False)


def docx(text: str) -> bytes:
    """The smallest Word document with a text."""
    types = "http://schemas.openxmlformats.org/package/2006/content-types"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    package = "application/vnd.openxmlformats-package.relationships+xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{types}"><Default Extension="rels" '
        f'ContentType="{package}"/><Override PartName="/word/document.xml" '
        f'ContentType="{main}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{word}"><w:body><w:p><w:r><w:t>{text}</w:t>'
        "</w:r></w:p></w:body></w:document>",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, xml in parts.items():
            archive.writestr(name, xml)
    return buffer.getvalue()
