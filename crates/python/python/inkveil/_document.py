"""Documents: Word, PowerPoint, Excel, OpenDocument, HTML, Markdown, mails, PDF and chats."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path

from inkveil import _inkveil
from inkveil._errors import FileError, SettingsError
from inkveil._map import Map
from inkveil._receipt import Receipt
from inkveil._results import Change

Document = str | PathLike[str] | bytes
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
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".inkveil-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self.content)
                file.flush()
                os.fsync(file.fileno())
            if overwrite:
                os.replace(name, target)
            else:
                os.link(name, target)
        finally:
            Path(name).unlink(missing_ok=True)

    def explain(self) -> str:
        """Returns the receipt in words."""
        return self._rendered


def read(document: Document, name: str | None) -> tuple[str, bytes]:
    """Returns the name and the bytes of a document."""
    if isinstance(document, bytes):
        if name is None:
            raise SettingsError("bytes need a name, such as name='letter.docx': it says the format")
        return name, document
    try:
        return name or Path(fspath(document)).name, Path(fspath(document)).read_bytes()
    except OSError as error:
        # What was given may be a text and no path, so it is not quoted.
        raise FileError(
            f"the document cannot be read: {os.strerror(error.errno or 0)}; give a path or bytes"
        ) from None


def document_text(document: Document, *, name: str | None = None) -> str:
    """Returns the text of a document as a veil reads it. It is as private as the document.

    >>> import inkveil
    >>> inkveil.document_text(b"<p>I am <b>Ana</b> Lima.</p>", name="letter.html").strip()
    'I am Ana Lima.'
    """
    return _inkveil.document_text(*read(document, name))[0]
