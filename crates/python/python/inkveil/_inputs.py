"""Texts, ids and vectors as users give them.

Exceptions of other libraries may quote a value, so they are replaced, and none of them is kept as
the context of ours.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from inkveil._errors import DataError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from inkveil._results import Batch

Text = TypeVar("Text", str, "str | None")


def texts_of(texts: Iterable[str] | Batch) -> list[str]:
    """Returns texts as a list. What only looks like a list of texts is refused.

    The letters of one text, the names of columns and the keys of a mapping are texts too.
    """
    from inkveil._results import Batch

    if isinstance(texts, Batch):
        return texts.texts
    if isinstance(texts, (str, bytes)):
        raise DataError("this is one text, not a list of texts; put it into a list")
    if hasattr(texts, "columns"):
        raise DataError(
            f"a {type(texts).__name__} is a table, not a list of texts; "
            "use veil.arrow(table, column), or give one of its columns"
        )
    if isinstance(texts, Mapping):
        raise DataError("a mapping is not a list of texts; give its values")
    return _list_of(texts, "texts")


def ids_of(ids: Iterable[int | str] | None) -> list[int | str] | None:
    """Returns ids as a list."""
    if ids is None:
        return None
    if isinstance(ids, (str, bytes)):
        raise DataError("this is one id, not a list of ids; put it into a list")
    known = _list_of(ids, "ids")
    for at, one in enumerate(known):
        if isinstance(one, str):
            unicode(one, f"id {at}")
        # The integers of numpy are no `int`.
        elif isinstance(one, bool) or not hasattr(one, "__index__"):
            raise DataError(f"id {at} is of type {type(one).__name__}, not int or str")
        elif not -(2**63) <= int(one) < 2**64:
            raise DataError(f"id {at} needs more than 64 bits; give it as a str")
    return known


def names_of(names: str | Iterable[str], what: str) -> list[str]:
    """Returns names as a list. One text is one name, and not a list of its letters."""
    known = [names] if isinstance(names, str) else list(names)
    for name in known:
        if not isinstance(name, str):
            raise DataError(f"{what} are texts, not of type {type(name).__name__}")
        unicode(name, what)
    return known


def unique(ids: Iterable[object], rows: Any, same: Callable[[Any, Any], bool]) -> None:
    """Refuses an id of two different rows: with the same noise, their difference would show."""
    seen: dict[object, int] = {}
    for at, one in enumerate(ids):
        first = seen.setdefault(one, at)
        if first != at and not same(rows[first], rows[at]):
            raise DataError(
                f"rows {first} and {at} differ and have the same id; each needs its own"
            )


def unicode(text: Text, what: str) -> Text:
    """Refuses a text with half of a surrogate pair. The exception of Python would quote it."""
    if isinstance(text, str) and not text.isascii():
        with contextlib.suppress(UnicodeEncodeError):
            text.encode()
            return text
        raise DataError(f"{what}: this is not Unicode, because it has half of a surrogate pair")
    return text


def unicode_settings(value: Any) -> None:
    """Refuses settings with half of a surrogate pair, in names and values at any depth."""
    if isinstance(value, str):
        unicode(value, "a setting")
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            unicode_settings(name)
            unicode_settings(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            unicode_settings(inner)


def _list_of(values: Any, what: str) -> list[Any]:
    if hasattr(values, "to_pylist"):
        return list(values.to_pylist())  # an array of pyarrow
    if not isinstance(values, Iterable):
        raise DataError(f"{what} are a list, not of type {type(values).__name__}")
    return list(values)


def numpy() -> Any:
    """The package numpy, which only vectors need."""
    try:
        import numpy as np
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "vectors need the package numpy: pip install 'inkveil[vectors]'", name=error.name
        ) from error
    return np


def rows_of(vectors: object) -> npt.NDArray[np.float32]:
    """Returns a copy of vectors, one in each row."""
    arrays = numpy()
    rows: npt.NDArray[np.float32] | None = None
    # The exceptions of numpy and Arrow quote what is no number. That could be a text.
    refused = (
        TypeError,
        ValueError,
        OverflowError,
        AttributeError,
        BufferError,
        NotImplementedError,
    )
    uneven = False
    with contextlib.suppress(*refused):
        array = _array(vectors)
        uneven = array is None
        rows = None if uneven else arrays.array(array, dtype=arrays.float32, order="C", copy=True)
    if uneven:
        raise DataError("every row must have a vector, and all vectors must have one length")
    if rows is None:
        raise DataError(
            "vectors are rows of numbers, all of one length; "
            "inkveil.encode(texts) returns the vectors of texts, and a tensor must be on the CPU "
            "and detached"
        )
    if rows.ndim != 2:
        raise DataError(f"vectors are rows of a 2-D array, not of {rows.ndim} dimensions")
    return rows


def _array(vectors: object) -> Any:
    """The vectors as an array, without a copy where the library allows it.

    None if a list of Arrow has rows of several lengths, or without a vector.
    """
    np = numpy()
    if isinstance(vectors, np.ndarray):
        return vectors
    if hasattr(vectors, "columns") and hasattr(vectors, "to_numpy"):
        frame: Any = vectors
        return frame.to_numpy()  # it has a column for each number
    if hasattr(vectors, "__arrow_c_array__") or hasattr(vectors, "__arrow_c_stream__"):
        import pyarrow as pa
        from pyarrow import compute

        lists: Any = vectors
        if not isinstance(lists, (pa.Array, pa.ChunkedArray)):
            is_array = hasattr(vectors, "__arrow_c_array__")
            lists = pa.array(vectors) if is_array else pa.chunked_array(vectors)
        if isinstance(lists, pa.ChunkedArray):
            lists = lists.combine_chunks()
        if isinstance(lists, pa.ChunkedArray):
            lists = lists.chunk(0)
        # The type information of Arrow does not have its functions.
        functions: Any = compute
        lengths = functions.list_value_length(lists).unique().to_pylist()
        if len(lengths) != 1 or None in lengths:
            return None
        return lists.flatten().to_numpy(zero_copy_only=False).reshape(len(lists), -1)
    if hasattr(vectors, "__dlpack__"):
        tensor: Any = vectors
        return np.from_dlpack(tensor)
    return vectors
