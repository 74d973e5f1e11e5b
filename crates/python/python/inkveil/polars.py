"""Polars: ``inkveil.polars.veil(df, veil, "body", id="id")``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import polars as pl

from inkveil._veil import Veil

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)


def veil(
    frame: Frame,
    veil: Veil,
    column: str | Sequence[str],
    *,
    id: str | None = None,
    task_column: str | None = None,
) -> Frame:
    """Veils columns of a frame. A lazy frame is veiled when it is collected.

    A lazy frame without a ledger is veiled in batches if it has an id.
    """
    if isinstance(frame, pl.DataFrame):
        return veil.arrow(frame, column, id=id, task_column=task_column)

    def change(part: pl.DataFrame) -> pl.DataFrame:
        return veil.arrow(part, column, id=id, task_column=task_column)

    return frame.map_batches(
        change,
        schema=frame.collect_schema(),
        predicate_pushdown=False,
        projection_pushdown=False,
        slice_pushdown=False,
        streamable=id is not None,
    )
