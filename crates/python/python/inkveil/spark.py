"""Spark: ``inkveil.spark.veil(df, veil, "body", id="id")``. Workers need this package."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame

from inkveil._errors import DataError, SettingsError
from inkveil._job import OnReceipt, Task
from inkveil._veil import Veil


def veil(
    frame: DataFrame,
    veil: Veil,
    column: str | Sequence[str],
    *,
    id: str,
    task_column: str | None = None,
    on_receipt: OnReceipt = None,
) -> DataFrame:
    """Veils columns of a frame on the workers (``mapInArrow``).

    If a ledger is charged, the job is planned first, which reads the frame once, and charged once.
    A limit stops it before it starts. A task that is repeated writes the same bytes. ``on_receipt``
    is a function that gets the receipt of the whole job before it starts; the job is then planned
    without a ledger, too.
    """
    job = veil.job(column, id=id, task_column=task_column)
    # A worker would find out, too, but its exception is a page long.
    for name in (*job.columns, id, *([] if task_column is None else [task_column])):
        if name not in frame.columns:
            raise DataError(f"the frame has no column {name!r}")

    def plan(task: Task) -> list[str]:
        return [row[0] for row in frame.mapInArrow(task.plans, "plan string").collect()]

    return frame.mapInArrow(job.start(plan, on_receipt=on_receipt).batches, frame.schema)


def udf(veil: Veil) -> Any:
    """Returns a function of a column of texts and a column of ids (``pandas_udf``), also for SQL.

    >>> spark.udf.register("veil", inkveil.spark.udf(veil))         # doctest: +SKIP
    >>> spark.sql("SELECT id, veil(body, id) AS body FROM letters")  # doctest: +SKIP

    The bytes are those of :func:`veil`. A function does not know which rows it will get, so it
    cannot be charged before it starts: a veil with a ledger is refused.
    """
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql.functions import pandas_udf

    if veil.is_charged:
        raise SettingsError("a function charges no ledger; use inkveil.spark.veil, or ledger=False")
    task = veil.job("text", id="id").start(lambda task: [])

    def change(texts: Any, ids: Any) -> Any:
        table = None
        # The exception of Arrow quotes a value, and Spark would write it into its logs.
        with contextlib.suppress(pa.ArrowException, OverflowError):
            table = pa.table({"text": pa.array(texts, "string"), "id": pa.array(ids)})
        if table is None:
            raise DataError("the first column holds texts, and the second one ids")
        return task(table)["text"].to_pandas()

    # Spark reads the types of the function itself, and this module imports pandas only here.
    change.__annotations__ = {"texts": pd.Series, "ids": pd.Series, "return": pd.Series}
    # The type information of Spark has no case for a function with a type by name.
    make: Any = pandas_udf
    return make(change, "string")
