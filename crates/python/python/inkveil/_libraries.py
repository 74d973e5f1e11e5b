"""The modules for other libraries, imported when they are used: ``inkveil.pandas.veil``."""

from __future__ import annotations

import importlib
from types import ModuleType

#: What pip installs for each module.
_NEEDS = {
    "daft": "daft",
    "duckdb": "duckdb",
    "langchain": "langchain",
    "lines": "",
    "llama_index": "llama-index",
    "pandas": "pandas",
    "polars": "polars",
    "presidio": "presidio",
    "ray": "ray",
    "sklearn": "sklearn",
    "spacy": "spacy",
    "spark": "spark",
}


def module(name: str) -> ModuleType:
    """Returns a module of this package by its name."""
    if name not in _NEEDS:
        raise AttributeError(f"module 'inkveil' has no attribute {name!r}")
    try:
        return importlib.import_module(f"inkveil.{name}")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise ModuleNotFoundError(
            f"inkveil.{name} needs the package {package}: pip install 'inkveil[{_NEEDS[name]}]'",
            name=error.name,
        ) from error
