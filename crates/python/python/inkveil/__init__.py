"""Veil text before it leaves your machine: words, vectors and style.

>>> import inkveil
>>> veil = inkveil.Veil(preset="placeholders", ledger=False)
>>> veil("I am Ana Lima from Porto.").text
'I am [person 1] from [location 1].'
"""

from __future__ import annotations

from pathlib import Path as _Path
from typing import TYPE_CHECKING as _TYPE_CHECKING

from inkveil import _inkveil

_inkveil.set_models_folder(_Path(__file__).parent / "share" / "inkveil" / "models")

from inkveil._attack import Estimate, TextAttack, attack, attack_style, attack_vectors
from inkveil._detect import Detector, Span, detect
from inkveil._document import VeiledDocument, document_text
from inkveil._errors import (
    DataError,
    FileError,
    InkveilError,
    LedgerError,
    LimitError,
    MapError,
    ModelError,
    SettingsError,
)
from inkveil._ledger import Ledger, Total
from inkveil._map import Map, restore
from inkveil._receipt import Receipt, ReceiptGroup
from inkveil._results import Batch, Change, Veiled
from inkveil._style import StyleMemory
from inkveil._vectors import VectorVeil, VeiledVectors, encode
from inkveil._veil import Veil, VeiledTable

__version__ = _inkveil.__version__


if _TYPE_CHECKING:
    from inkveil import daft as daft
    from inkveil import duckdb as duckdb
    from inkveil import langchain as langchain
    from inkveil import lines as lines
    from inkveil import llama_index as llama_index
    from inkveil import pandas as pandas
    from inkveil import polars as polars
    from inkveil import presidio as presidio
    from inkveil import ray as ray
    from inkveil import sklearn as sklearn
    from inkveil import spacy as spacy
    from inkveil import spark as spark
else:

    def __getattr__(name: str) -> object:
        from inkveil._libraries import module

        return module(name)


def new_key() -> bytes:
    """Returns a fresh noise key. Protect it like the texts: it undoes the noise."""
    return _inkveil.new_key()


__all__ = [
    "Batch",
    "Change",
    "DataError",
    "Detector",
    "Estimate",
    "FileError",
    "InkveilError",
    "Ledger",
    "LedgerError",
    "LimitError",
    "Map",
    "MapError",
    "ModelError",
    "Receipt",
    "ReceiptGroup",
    "SettingsError",
    "Span",
    "StyleMemory",
    "TextAttack",
    "Total",
    "VectorVeil",
    "Veil",
    "Veiled",
    "VeiledDocument",
    "VeiledTable",
    "VeiledVectors",
    "__version__",
    "attack",
    "attack_style",
    "attack_vectors",
    "detect",
    "document_text",
    "encode",
    "new_key",
    "restore",
]
