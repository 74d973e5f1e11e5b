"""The exceptions of inkveil. Their messages name files, columns and rows, and quote no text."""

from __future__ import annotations


class InkveilError(Exception):
    """The base of all exceptions of inkveil."""


class SettingsError(InkveilError, ValueError):
    """A setting is unknown, out of range, or contradicts another one."""


class DataError(InkveilError, ValueError):
    """A text, a table or an array cannot be used."""


class ModelError(InkveilError, OSError):
    """A pack or model is missing or damaged."""


class LimitError(InkveilError):
    """The release would exceed a limit of the ledger. Nothing was released."""


class LedgerError(InkveilError, OSError):
    """The ledger cannot be read or written. Nothing was released."""


class MapError(InkveilError, ValueError):
    """A map is damaged, or the key does not fit."""


class FileError(InkveilError, OSError):
    """A file cannot be read or written, or exists already."""
