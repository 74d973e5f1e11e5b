"""The exceptions of inkveil. Their messages name files, columns and rows, and quote no text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")


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


#: A fault in settings as in a file: the place, what is wrong, the line, and what to do.
_FAULT = re.compile(
    r"^settings:\d+:\d+: (?P<wrong>.*)\n *\|\n *\d+ \| (?P<line>.*)\n *\| *\^*"
    r"(?P<advice>(?:\n *= .*)*)$",
    re.MULTILINE,
)

#: A line that is quoted in another way.
_LINE = re.compile(r"^ *\d* \|.*\n?", re.MULTILINE)


def without_lines(make: Callable[[], Made]) -> Made:
    """Makes something from settings. Errors name the setting, and do not quote the line of a file.

    There is no file, and the line may hold texts that are allowed or denied.
    """
    try:
        return make()
    except SettingsError as error:
        message = str(error)
    raise SettingsError(_LINE.sub("", _FAULT.sub(_fault, message)))


def _fault(found: re.Match[str]) -> str:
    name = found["line"].partition("=")[0].strip(' []"').rpartition(".")[2].replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        name = "a setting"  # the last line of a value
    advice = "".join("; " + one.strip(" =") for one in found["advice"].splitlines() if one)
    return f"{name}: {found['wrong']}{advice}"
