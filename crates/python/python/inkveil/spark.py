"""Spark: ``inkveil.spark.veil(df, veil, "body", id="id")``. Workers need this package."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from inkveil._job import Task
from inkveil._veil import Veil


def veil(
    frame: DataFrame,
    veil: Veil,
    column: str | Sequence[str],
    *,
    id: str,
    task_column: str | None = None,
) -> DataFrame:
    """Veils columns of a frame on the workers (``mapInArrow``).

    If a ledger is charged, the job is planned first, which reads the frame once, and charged once.
    A limit stops it before it starts. A task that is repeated writes the same bytes.
    """
    job = veil.job(column, id=id, task_column=task_column)

    def plan(task: Task) -> list[str]:
        return [row[0] for row in frame.mapInArrow(task.plans, "plan string").collect()]

    return frame.mapInArrow(job.start(plan).batches, frame.schema)
