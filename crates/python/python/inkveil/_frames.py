"""Tables of other libraries, over Arrow. Only libraries that the caller uses are imported."""

from __future__ import annotations

import sys
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


def arrow_of(data: object) -> object:
    """Returns the data in a form that has the Arrow interface."""
    if _is(data, "pandas", "DataFrame"):
        import pyarrow as pa

        return pa.Table.from_pandas(data)
    if _is(data, "polars", "LazyFrame"):
        return data.collect()  # type: ignore[attr-defined]
    if _is(data, "duckdb", "DuckDBPyRelation") and not hasattr(data, "__arrow_c_stream__"):
        return data.to_arrow_table()  # type: ignore[attr-defined]
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return data
    raise DataError(
        f"a {type(data).__name__} is not a table: it has no Arrow interface (__arrow_c_stream__)"
    )


def like(data: Data, veiled: Any) -> Data:
    """Returns a veiled table as an object of the library of ``data``."""
    result: Any = veiled
    if is_stream(data):
        result = _module("pyarrow").RecordBatchReader.from_stream(veiled)
    elif _is(data, "pyarrow", "RecordBatch"):
        batches = _module("pyarrow").table(veiled).combine_chunks().to_batches()
        result = batches[0] if batches else data.slice(0, 0)  # type: ignore[attr-defined]
    elif _is(data, "pyarrow", "Table"):
        result = _module("pyarrow").table(veiled)
    elif _is(data, "pandas", "DataFrame"):
        import pyarrow as pa

        frame = pa.table(veiled).to_pandas()
        frame.index = data.index  # type: ignore[attr-defined]
        for name in frame.columns.intersection(data.columns):  # type: ignore[attr-defined]
            kind = data[name].dtype  # type: ignore[index]
            if frame[name].dtype != kind:
                frame[name] = frame[name].astype(kind)
        result = frame
    elif _is(data, "polars", "DataFrame"):
        result = _module("polars").DataFrame(veiled)
    elif _is(data, "polars", "LazyFrame"):
        result = _module("polars").DataFrame(veiled).lazy()
    elif _is(data, "duckdb", "DuckDBPyRelation"):
        import pyarrow as pa

        result = _module("duckdb").from_arrow(pa.table(veiled))
    kept: Data = result
    return kept
