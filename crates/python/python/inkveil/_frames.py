"""Tables of other libraries, over Arrow. Only libraries that the caller uses are imported."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable
from typing import Any, TypeVar

from inkveil._errors import DataError

Data = TypeVar("Data")


def _module(name: str) -> Any:
    return sys.modules.get(name)


def _is(data: object, module: str, *names: str) -> bool:
    loaded = _module(module)
    return loaded is not None and isinstance(data, tuple(getattr(loaded, name) for name in names))


def is_stream(data: object) -> bool:
    """Whether the data can be read only once."""
    return _is(data, "pyarrow", "RecordBatchReader")


def arrow_of(data: object, columns: Iterable[str | None]) -> object:
    """Returns the data in a form that has the Arrow interface.

    Of a frame of pandas these are only the columns that are read. The others may hold any object.
    """
    if _is(data, "pandas", "DataFrame"):
        return _arrow_of_pandas(data, columns)
    if _is(data, "polars", "LazyFrame"):
        return data.collect()  # type: ignore[attr-defined]
    if _is(data, "duckdb", "DuckDBPyRelation") and not hasattr(data, "__arrow_c_stream__"):
        return data.to_arrow_table()  # type: ignore[attr-defined]
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return data
    raise DataError(
        f"a {type(data).__name__} is not a table: it has no Arrow interface (__arrow_c_stream__)"
    )


def _arrow_of_pandas(frame: Any, columns: Iterable[str | None]) -> Any:
    import pyarrow as pa

    if not frame.columns.is_unique:
        raise DataError("two columns of the frame have the same name")
    read = {}
    # A column that is missing is named by the library.
    for name in dict.fromkeys(name for name in columns if name in frame.columns):
        column, array = frame[name], None
        if hasattr(column.dtype, "categories"):
            # There are as many new texts as rows, which may be more than there are categories.
            column = column.astype(object)
        # The exception of Arrow quotes a value.
        with contextlib.suppress(pa.ArrowException, OverflowError):
            array = pa.array(column, from_pandas=True)
        if array is None:
            raise DataError(f"column {name!r} holds values of several types; convert them to str")
        read[name] = array
    return pa.table(read)


def _pandas_like(frame: Any, veiled: Any, columns: Iterable[str]) -> Any:
    import pyarrow as pa

    result = frame.copy()
    table = pa.table(veiled)
    for name in columns:
        values = table[name].to_pandas()
        values.index = frame.index
        kind = frame[name].dtype if name in frame.columns else values.dtype
        # The new texts are other categories.
        result[name] = values.astype("category" if hasattr(kind, "categories") else kind)
    return result


def like(data: Data, veiled: Any, columns: Iterable[str]) -> Data:
    """Returns a veiled table, with its new columns, as an object of the library of ``data``."""
    result: Any = veiled
    if is_stream(data):
        result = _module("pyarrow").RecordBatchReader.from_stream(veiled)
    elif _is(data, "pyarrow", "RecordBatch"):
        batches = _module("pyarrow").table(veiled).combine_chunks().to_batches()
        result = batches[0] if batches else data.slice(0, 0)  # type: ignore[attr-defined]
    elif _is(data, "pyarrow", "Table"):
        result = _module("pyarrow").table(veiled)
    elif _is(data, "pandas", "DataFrame"):
        result = _pandas_like(data, veiled, columns)
    elif _is(data, "polars", "DataFrame"):
        result = _module("polars").DataFrame(veiled)
    elif _is(data, "polars", "LazyFrame"):
        result = _module("polars").DataFrame(veiled).lazy()
    elif _is(data, "duckdb", "DuckDBPyRelation"):
        import pyarrow as pa

        result = _module("duckdb").from_arrow(pa.table(veiled))
    kept: Data = result
    return kept
