"""Daft: ``inkveil.daft.veil(df, veil, "body", id="id")``. Workers need this package."""

from __future__ import annotations

import daft
import pyarrow as pa

from inkveil._job import OnReceipt, Task
from inkveil._veil import Veil


def _table(texts: daft.Series, ids: daft.Series) -> pa.Table:
    return pa.table({"text": texts.to_arrow(), "id": ids.to_arrow()})


def veil(
    frame: daft.DataFrame, veil: Veil, column: str, *, id: str, on_receipt: OnReceipt = None
) -> daft.DataFrame:
    """Veils a column of a frame on the workers (a batch function).

    If a ledger is charged, the job is planned first, which reads the frame once, and charged once.
    A limit stops it before it starts. A task that is repeated writes the same bytes. ``on_receipt``
    is a function that gets the receipt of the whole job before it starts; the job is then planned
    without a ledger, too.
    """
    job = veil.job("text", id="id")

    def plan(task: Task) -> list[str]:
        @daft.func.batch(return_dtype=daft.DataType.string())  # type: ignore[untyped-decorator]
        def cost(texts: daft.Series, ids: daft.Series) -> pa.Array:
            # The first row carries the plan of its batch.
            plans = [task.plan(_table(texts, ids))] if len(texts) else []
            return pa.array(plans + [None] * (len(texts) - len(plans)), pa.large_string())

        plans = frame.select(cost(daft.col(column), daft.col(id)).alias("plan"))
        found: list[str] = plans.where(daft.col("plan").not_null()).to_pydict()["plan"]
        return found

    task = job.start(plan, on_receipt=on_receipt)

    @daft.func.batch(return_dtype=daft.DataType.string())  # type: ignore[untyped-decorator]
    def change(texts: daft.Series, ids: daft.Series) -> pa.Array:
        return task(_table(texts, ids))["text"].combine_chunks().cast(pa.large_string())

    return frame.with_column(column, change(daft.col(column), daft.col(id)))
