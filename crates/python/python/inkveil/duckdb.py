"""DuckDB: a relation, or a function in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa

from inkveil._veil import Veil


def veil(
    relation: duckdb.DuckDBPyRelation,
    veil: Veil,
    column: str | Sequence[str],
    *,
    id: str | None = None,
    connection: duckdb.DuckDBPyConnection | None = None,
) -> duckdb.DuckDBPyRelation:
    """Veils columns of a relation. The result belongs to ``connection``."""
    table = veil.arrow(relation.to_arrow_table(), column, id=id)
    return (connection or duckdb.default_connection()).from_arrow(table)


def register(connection: duckdb.DuckDBPyConnection, veil: Veil, name: str = "veil") -> None:
    """Makes ``SELECT veil(body, id) FROM …`` work. Each chunk of rows is charged."""

    def change(texts: pa.ChunkedArray, ids: pa.ChunkedArray) -> pa.Array:
        table = pa.table({"text": texts, "id": ids})
        return veil.arrow(table, "text", id="id")["text"].combine_chunks()

    # Names of types are accepted, too, but its type information does not say so.
    untyped: Any = connection
    untyped.create_function(
        name,
        change,
        ["VARCHAR", "BIGINT"],
        "VARCHAR",
        type="arrow",
        # The record of the noise is the id, so the same row gives the same text.
        side_effects=False,
    )
