"""Texts, ids and vectors as users give them.

Exceptions of other libraries may quote a value, so they are replaced, and none of them is kept as
the context of ours.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from inkveil._errors import DataError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def texts_of(texts: Iterable[str]) -> list[str]:
    """Returns texts as a list. What only looks like a list of texts is refused.

    The letters of one text, the names of columns and the keys of a mapping are texts too.
    """
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
        # The integers of numpy are no `int`.
        if not isinstance(one, str) and not hasattr(one, "__index__"):
            raise DataError(f"id {at} is of type {type(one).__name__}, not int or str")
    return known


def _list_of(values: Any, what: str) -> list[Any]:
    if hasattr(values, "to_pylist"):
        return list(values.to_pylist())  # an array of pyarrow
    if not isinstance(values, Iterable):
        raise DataError(f"{what} are a list, not of type {type(values).__name__}")
    return list(values)


def rows_of(vectors: object) -> npt.NDArray[np.float32]:
    """Returns a copy of vectors, one in each row."""
    import numpy as np

    rows = None
    # The exception of numpy quotes what is no number. That could be a text.
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        rows = np.array(_array(vectors), dtype=np.float32, order="C", copy=True)
    if rows is None:
        raise DataError(
            "vectors are rows of numbers, all of one length; "
            "inkveil.encode(texts) returns the vectors of texts"
        )
    if rows.ndim != 2:
        raise DataError(f"vectors are rows of a 2-D array, not of {rows.ndim} dimensions")
    return rows


def _array(vectors: object) -> Any:
    """The vectors as an array, without a copy where the library allows it."""
    import numpy as np

    if isinstance(vectors, np.ndarray):
        return vectors
    if hasattr(vectors, "__arrow_c_array__") or hasattr(vectors, "__arrow_c_stream__"):
        import pyarrow as pa

        lists: Any = vectors
        if not isinstance(lists, (pa.Array, pa.ChunkedArray)):
            is_array = hasattr(vectors, "__arrow_c_array__")
            lists = pa.array(vectors) if is_array else pa.chunked_array(vectors)
        if isinstance(lists, pa.ChunkedArray):
            lists = lists.combine_chunks()
        if isinstance(lists, pa.ChunkedArray):
            lists = lists.chunk(0)
        rows = len(lists)
        flat = lists.flatten().to_numpy(zero_copy_only=False)
        if lists.null_count or rows == 0 or len(flat) % rows:
            raise DataError("every row must have a vector, and all vectors must have one length")
        return flat.reshape(rows, -1)
    if hasattr(vectors, "__dlpack__"):
        tensor: Any = vectors
        return np.from_dlpack(tensor)
    return vectors
