"""Documents: Word, PowerPoint, Excel, OpenDocument, HTML, Markdown, mails, PDF and chats."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path

from inkveil import _inkveil
from inkveil._errors import DataError, FileError, SettingsError
from inkveil._inputs import unicode
from inkveil._map import Map
from inkveil._receipt import Receipt
from inkveil._results import Change

Document = str | PathLike[str] | bytes | bytearray | memoryview
"""The path of a file, or the bytes of a document."""


@dataclass(frozen=True)
class VeiledDocument:
    """A veiled document. ``content`` has its bytes, in the format of the original.

    A PDF becomes a new, flat document. ``removed`` names what was removed and how often: comments,
    tracked changes, properties and so on.
    """

    content: bytes = field(repr=False)
    media_type: str
    extension: str
    text: str = field(repr=False)
    receipt: Receipt = field(repr=False)
    removed: dict[str, int]
    spans: tuple[Change, ...] = field(repr=False)
    _rendered: str = field(repr=False)
    _map: Map | None = field(repr=False)

    @property
    def map(self) -> Map:
        """Which replacement stands for which original. It is as private as the document."""
        if self._map is None:
            raise SettingsError("this veil keeps no replacements; make it with restorable=True")
        return self._map

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the document whole or not at all.

        A file that exists is an error, unless ``overwrite`` is given.
        """
        target = Path(path)
        try:
            _write(target, self.content, overwrite)
        except FileExistsError:
            raise FileError(f"{target} exists; overwrite=True replaces it") from None
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            raise FileError(f"{target} cannot be written: {reason}") from None

    def explain(self) -> str:
        """Returns the receipt in words."""
        return self._rendered


def _write(target: Path, content: bytes, overwrite: bool) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".inkveil-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            os.replace(name, target)
        else:
            os.link(name, target)
    finally:
        Path(name).unlink(missing_ok=True)


def read(document: Document, name: str | None) -> tuple[str, bytes]:
    """Returns the name and the bytes of a document."""
    unicode(name, "the name of a document")
    if isinstance(document, (bytes, bytearray, memoryview)):
        if name is None:
            raise SettingsError("bytes need a name, such as name='letter.docx': it says the format")
        return name, bytes(document)
    if not isinstance(document, (str, PathLike)):
        raise DataError(f"a document is a path or bytes, not of type {type(document).__name__}")
    why = "this is no path"
    try:
        path = Path(fspath(document))
        return name or path.name, path.read_bytes()
    except OSError as error:
        why = os.strerror(error.errno or 0)
    except ValueError:  # a character that no path has
        pass
    # What was given may be a text and no path. The exceptions of Python quote it, so none is kept.
    raise FileError(f"the document cannot be read: {why}; give a path or bytes")


def document_text(document: Document, *, name: str | None = None) -> str:
    """Returns the text of a document as a veil reads it. It is as private as the document.

    >>> import inkveil
    >>> inkveil.document_text(b"<p>I am <b>Ana</b> Lima.</p>", name="letter.html").strip()
    'I am Ana Lima.'
    """
    return _inkveil.document_text(*read(document, name))[0]
