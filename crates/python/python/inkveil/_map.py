"""The map from replacements to originals."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from inkveil import _inkveil
from inkveil._inputs import unicode

if TYPE_CHECKING:
    from inkveil._document import Document


class Map:
    """Which replacement stands for which original. It is as private as the texts.

    >>> import inkveil
    >>> known = inkveil.Map.of_pairs([("Made Antonov", "Ana Novak", "person")])
    >>> known.restore("Tell Made Antonov, and MADE ANTONOV too.")
    'Tell Ana Novak, and ANA NOVAK too.'
    """

    __slots__ = ("_core",)

    def __init__(self, core: _inkveil.Map) -> None:
        self._core = core

    @classmethod
    def of_pairs(cls, pairs: list[tuple[str, str, str]]) -> Map:
        """Makes a map of replacements, originals and kinds."""
        for pair in pairs:
            for part in pair:
                unicode(part, "a pair")
        return cls(_inkveil.Map.of_pairs(pairs))

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        key_file: str | PathLike[str] | None = None,
        passphrase: str | None = None,
    ) -> Map:
        """Opens an encrypted map, with its key file or its passphrase."""
        return cls(_inkveil.Map.open(path, key_file, unicode(passphrase, "the passphrase")))

    def save(
        self,
        path: str | PathLike[str],
        *,
        key_file: str | PathLike[str] | None = None,
        passphrase: str | None = None,
        overwrite: bool = False,
    ) -> None:
        """Writes the map, encrypted. The key file is made if there is none."""
        self._core.save(path, key_file, unicode(passphrase, "the passphrase"), overwrite)

    def pairs(self) -> list[tuple[str, str, str]]:
        """Returns the replacement, the original and the kind of each pair. **Private.**"""
        return self._core.pairs()

    def restore(self, text: str, *, parts: bool = True, json: bool = False) -> str:
        """Puts the originals back into a text.

        ``parts`` also restores parts of names. ``json`` writes originals as they are written inside
        JSON strings. A replacement that stands for several originals stays as it is.
        """
        return self._core.restore(text, parts, json)[0]

    def restore_document(
        self, document: Document, *, name: str | None = None, parts: bool = True
    ) -> bytes:
        """Puts the originals back into a document, and returns its bytes.

        Nothing else in it changes. A PDF cannot be changed in place and is refused.
        """
        from inkveil import _document

        name, content = _document.read(document, name)
        return self._core.restore_document(name, content, parts)[0]

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"Map({len(self)} replacements)"

    def __reduce__(self) -> Any:
        raise TypeError("a map holds originals; write it with save(), which encrypts it")


def restore(text: str, map: Map, *, parts: bool = True, json: bool = False) -> str:
    """Puts the originals of a map back into a text."""
    return map.restore(text, parts=parts, json=json)
